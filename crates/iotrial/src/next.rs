//! The command that makes sense after an answer, as somebody pastes it: what a screen ends with.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::effective;
use crate::outputs::Outputs;
use crate::shell_line::{self, quoted};

/// Options with a value that a command is not repeated with: where the answer goes, and what holds once only.
const NOT_AGAIN: [&str; 10] = [
    "--html",
    "--html-folder",
    "--xlsx",
    "--markdown",
    "--csv",
    "--junit",
    "--metric",
    "--destroy",
    "--github-summary",
    "--listen",
];
/// The same without a value.
const NOT_AGAIN_ALONE: [&str; 7] =
    ["--json", "--json-stream", "--quiet", "-q", "--overwrite", "--dry-run", "--details"];
/// The names of how long it is measured.
pub const DURATIONS: [&str; 4] = ["--duration", "--time", "--runtime", "-d"];

/// The same command once more, with a page, and `why`; `None` where it has written one.
pub fn with_page(command: &str, outputs: &Outputs, why: &str) -> Option<String> {
    let typed = effective::typed(command).unwrap_or_else(|| format!("iotrial {command}"));
    outputs.page().is_none().then(|| format!("{typed} --html {command}.html   # {why}"))
}

/// The same command once more, without some of its options; `None` where another one was typed.
pub fn without(command: &str, left_out: &[&str]) -> Option<String> {
    let mut typed = effective::words().into_iter().map(|word| word.to_string_lossy().into_owned());
    typed.next().filter(|word| word == command)?;
    let words = given(command, typed).into_iter().filter(|(word, _)| !left_out.contains(&word.as_str()));
    Some(format!(
        "iotrial {command}{}",
        words.map(|(word, value)| of_word(&word, value.as_deref())).collect::<String>()
    ))
}

/// A word of a command line, or an option with its value, after a space.
pub fn of_word(word: &str, value: Option<&str>) -> String {
    value
        .map_or_else(|| format!(" {}", quoted(word)), |value| format!(" {}", shell_line::option(word, value)))
}

/// The words of a command line behind the command, options with their values, but for what it is not repeated with.
pub fn given(command: &str, mut typed: impl Iterator<Item = String>) -> Vec<(String, Option<String>)> {
    let program = Cli::command();
    let below = program.find_subcommand(command).expect("there is such a command");
    let takes_value = |word: &str| {
        let is_it = |arg: &&clap::Arg| {
            let names = arg.get_long_and_visible_aliases().unwrap_or_default();
            let short = arg.get_short().is_some_and(|short| word == format!("-{short}"));
            short || word.strip_prefix("--").is_some_and(|word| names.contains(&word))
        };
        below.get_arguments().find(is_it).is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut all = Vec::new();
    while let Some(word) = typed.next() {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None if NOT_AGAIN_ALONE.contains(&word.as_str()) || word == "--github-summary" => (word, None),
            None if takes_value(&word) => (word, typed.next()),
            None => (word, None),
        };
        if !NOT_AGAIN.contains(&name.as_str()) && !NOT_AGAIN_ALONE.contains(&name.as_str()) {
            all.push((name, value));
        }
    }
    all
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
