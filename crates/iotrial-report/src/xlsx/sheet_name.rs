//! Names of sheets, as Excel allows them: short, without some signs, each only once.

use crate::text::{cut, without_steering};

/// Excel allows no longer one.
const LONGEST: usize = 31;

/// The names that are taken.
#[derive(Debug, Default)]
pub(super) struct SheetNames {
    /// In lower case, because Excel takes names that differ only in case for the same.
    taken: Vec<String>,
}

impl SheetNames {
    /// A name for a part: its heading, with the number of its chapter before it.
    pub(super) fn next(&mut self, chapter: usize, heading: &str) -> String {
        let number = if chapter == 0 { String::new() } else { format!("{chapter} ") };
        let is_forbidden =
            // The signs that Excel forbids; an apostrophe only at the ends, but it needs quoting everywhere.
            |c: char| matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\' | '\'') || c.is_control();
        let heading = short(heading);
        let wanted = without_steering(&format!("{number}{heading}")).replace(is_forbidden, " ");
        let mut name = cut(wanted.trim(), LONGEST);
        for again in 2.. {
            if !name.is_empty() && !self.taken.contains(&name.to_lowercase()) {
                break;
            }
            let suffix = format!(" {again}");
            // Cut first and numbered then, or the number would be cut off.
            name = format!("{}{suffix}", cut(wanted.trim(), LONGEST - suffix.len()));
        }
        self.taken.push(name.to_lowercase());
        name
    }
}

/// The same in fewer words, where a heading and the number of a chapter would not fit.
fn short(heading: &str) -> &str {
    match heading {
        "Throughput and latency side by side" => "Throughput and latency",
        "Latency distribution over time" => "Latency spread over time",
        "Highest rate within the limit" => "Highest rate",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_unique_and_free_of_what_excel_forbids() {
        let mut names = SheetNames::default();
        assert_eq!(names.next(0, "By role"), "By role");
        assert_eq!(names.next(0, "by role"), "by role 2");
        assert_eq!(names.next(12, "Latency distribution over time"), "12 Latency spread over time");
        assert_eq!(names.next(0, "Throughput and latency side by side"), "Throughput and latency");
        assert_eq!(names.next(0, "a/b:c'"), "a b c");
        assert_eq!(names.next(0, ""), " 2");
    }
}
