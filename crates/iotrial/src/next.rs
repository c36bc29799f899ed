//! The command that makes sense after an answer, as somebody pastes it: what a screen ends with.

use crate::effective;
use crate::outputs::Outputs;
use crate::shell_line::{self, quoted};

/// The same command once more, with a page, and `why`; `None` where it has written one.
pub fn with_page(command: &str, outputs: &Outputs, why: &str) -> Option<String> {
    let typed = effective::typed(command).unwrap_or_else(|| format!("iotrial {command}"));
    outputs.page().is_none().then(|| format!("{typed} --html {command}.html   # {why}"))
}

/// Another command about results, on the store that this one was given.
pub fn in_store(command: &str) -> String {
    let words: Vec<String> =
        effective::words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let store = words.iter().enumerate().find_map(|(place, word)| match word.split_once('=') {
        Some(("--store", value)) => Some(value.to_owned()),
        _ if word == "--store" => words.get(place + 1).cloned(),
        _ => None,
    });
    store.map_or_else(
        || command.to_owned(),
        |store| format!("{command} {}", shell_line::option("--store", &store)),
    )
}

/// Several words of strangers, as a shell takes them.
pub fn all_quoted(words: &[String]) -> String {
    words.iter().map(|word| format!(" {}", quoted(word))).collect()
}
