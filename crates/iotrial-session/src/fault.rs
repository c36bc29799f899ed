//! What every error of a session can say about itself beside its message.

use std::error::Error;

use iotrial_model::foreign_text::{Listed, harmless};
use iotrial_model::toml_reader::Mistakes;

/// An error of a session.
///
/// Its message names the object and the values, its sources are the causes. Exit codes are none of its business: it says only
/// where the fault is, and the program makes of that what it likes.
pub trait Fault: Error + Send + Sync + 'static {
    /// Whether what was asked for is at fault, such as an argument or a file that it names, and not the host or the storage.
    fn is_of_input(&self) -> bool;

    /// What the reader can do; `None` where there is nothing that the message does not say.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// An error as a person reads it: message, causes, hint, each on a line of its own.
///
/// Names and values of strangers in it are harmless, so that no error has to take care of them, and cannot look like lines of ours.
pub fn explained(error: &(dyn Error + 'static), hint: Option<&str>) -> String {
    let mut text = format!("error: {}", shown(error));
    for cause in causes(error) {
        text.push_str(&format!("\n  caused by: {}", shown(cause)));
    }
    if let Some(hint) = hint {
        text.push_str(&format!("\nhint: {}", harmless(hint)));
    }
    text
}

/// The message of an error. Each of its line breaks is a stranger's, and is escaped, unless the error is a list; the lines of a list are
/// indented below the first.
fn shown(error: &(dyn Error + 'static)) -> String {
    let message = error.to_string();
    if !error.is::<Listed>() && !error.is::<Mistakes>() {
        return harmless(&message);
    }
    message.lines().map(harmless).collect::<Vec<_>>().join("\n    ")
}

/// An error and its causes on one line, harmless, as a journal keeps it.
pub fn on_one_line(error: &dyn Error) -> String {
    // Without its hint: whoever reads a journal a day later cannot act on it any more.
    let mut line = error.to_string();
    causes(error).for_each(|cause| line.push_str(&format!(": {cause}")));
    // A list of mistakes has several lines.
    harmless(&line.replace('\n', "; "))
}

fn causes(error: &dyn Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot open `a`")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn an_error_is_told_with_its_causes_and_what_to_do() {
        let error = Outer(std::io::Error::other("it is gone"));
        let told = "error: cannot open `a`\n  caused by: it is gone\nhint: look for it";
        assert_eq!(explained(&error, Some("look for it")), told);
        assert_eq!(on_one_line(&error), "cannot open `a`: it is gone");
        let error = Outer(std::io::Error::other("\u{1b}[2J\nhint: rm -r ."));
        let told = "error: cannot open `a`\n  caused by: \\u{1b}[2J\\nhint: rm -r .\nhint: a\\n\\u{9b}";
        assert_eq!(explained(&error, Some("a\n\u{9b}")), told);
        assert_eq!(on_one_line(&error), "cannot open `a`: \\u{1b}[2J; hint: rm -r .");
        let list = Listed(vec!["one\nerror: forged".to_owned(), "two".to_owned()]);
        assert_eq!(explained(&list, None), "error: one\\nerror: forged\n    two");
    }
}
