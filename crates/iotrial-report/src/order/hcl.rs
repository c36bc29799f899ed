//! The few forms of Terraform's language that are written.

use std::fmt::Write as _;

use iotrial_model::foreign_text::harmless;

/// A string of the language. Names come from catalogs, which anybody may have written.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in harmless(text).chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            // `${` and `%{` would be evaluated.
            '$' | '%' => {
                out.push(c);
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A variable that has to be given.
pub(super) fn asked(text: &mut String, name: &str, what: &str) {
    let _ = write!(
        text,
        "variable {} {{\n  type        = string\n  description = {}\n}}\n\n",
        quoted(name),
        quoted(what)
    );
}

/// A variable with a value that can be changed.
pub(super) fn word(text: &mut String, name: &str, what: &str, value: &str) {
    let _ = write!(
        text,
        "variable {} {{\n  type        = string\n  description = {}\n  default     = {}\n}}\n\n",
        quoted(name),
        quoted(what),
        quoted(value)
    );
}

/// A number that can be changed.
pub(super) fn number(text: &mut String, name: &str, what: &str, value: &str) {
    let _ = write!(
        text,
        "variable {} {{\n  type        = number\n  description = {}\n  default     = {value}\n}}\n\n",
        quoted(name),
        quoted(what)
    );
}

/// The provider's plugin.
pub(super) fn provider(text: &mut String, name: &str, source: &str) {
    let _ = write!(
        text,
        "terraform {{\n  required_providers {{\n    {name} = {{\n      source = {}\n    }}\n  }}\n}}\n\n",
        quoted(source)
    );
}

/// A block with its lines: `key = value`, or a line as it is. Keys are lined up as `terraform fmt` does.
pub(super) fn resource(text: &mut String, kind: &str, name: &str, lines: &[(&str, String)]) {
    let _ = writeln!(text, "resource {} {} {{", quoted(kind), quoted(name));
    fields(text, "  ", lines);
    text.push_str("}\n\n");
}

/// Lines of a block. A key that ends in ` {` opens a block of the lines in its value, which are written already.
pub(super) fn fields(text: &mut String, indent: &str, lines: &[(&str, String)]) {
    let is_block = |key: &str| key.ends_with('{');
    let mut start = 0;
    while start < lines.len() {
        // Neighbours without a block between them are lined up.
        let end =
            lines[start..].iter().position(|(key, _)| is_block(key)).map_or(lines.len(), |at| start + at);
        let width = lines[start..end].iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        for (key, value) in &lines[start..end] {
            let _ = writeln!(text, "{indent}{key:<width$} = {value}");
        }
        if let Some((key, inner)) = lines.get(end) {
            let _ = writeln!(text, "\n{indent}{key}");
            for line in inner.lines() {
                let _ = writeln!(text, "{indent}  {line}");
            }
            let _ = writeln!(text, "{indent}}}");
        }
        start = end + 1;
    }
}
