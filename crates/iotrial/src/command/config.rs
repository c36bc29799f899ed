//! `iotrial config`: the defaults of the user's own, and where they are set.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _};
use iotrial_session::store::Store;
use serde::Serialize;

use crate::cli::{Cli, ConfigArgs};
use crate::effective::{argument_in, check};
use crate::failure::Failure;
use crate::output;
use crate::presentation::aligned;
use crate::settings::{InForce, Misspelt, SETTINGS, Setting, State, in_force};

/// Shows every setting with its value and its source.
pub fn config(args: &ConfigArgs) -> Result<ExitCode, Failure> {
    if args.example {
        output::verbatim(&example())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut program = Cli::command();
    program.build();
    let found = in_force(&|setting, word| check(&program, setting, word))?;
    let rows: Vec<Row> = SETTINGS.iter().map(|setting| Row::of(setting, &found, &program)).collect();
    if args.json {
        let files = found.files.iter().map(JsonFile::of).collect();
        let misspelt = found.misspelt.iter().map(JsonMisspelt::of).collect();
        output::json(&Json { settings: rows, files, misspelt })?;
    } else {
        output::text(&shown(&rows, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    settings: Vec<Row>,
    files: Vec<JsonFile>,
    misspelt: Vec<JsonMisspelt>,
}

/// A setting.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    variable: String,
    option: String,
    /// The commands that take it; empty for all that have the option.
    commands: &'static [&'static str],
    /// What holds; empty where nothing is set and there is no built-in default.
    values: Vec<String>,
    /// `environment`, `folder`, `user`; `null` where nothing is set.
    source: Option<&'static str>,
    /// The variable or the file.
    place: Option<String>,
}

impl Row {
    fn of(setting: &'static Setting, found: &InForce, program: &Command) -> Self {
        let value = found.value(setting.key);
        let given = value.map(|value| value.words.clone());
        let built_in = || {
            let defaults =
                argument_in(program, setting).map(|argument| argument.get_default_values().to_vec());
            let words = defaults.unwrap_or_default().into_iter().map(Into::into).collect::<Vec<OsString>>();
            // The store has none on the command line, because the platform decides.
            let store = || Store::locate(None).filter(|_| setting.key == "store");
            if words.is_empty() { store().into_iter().map(Into::into).collect() } else { words }
        };
        let words = given.unwrap_or_else(built_in);
        Self {
            name: setting.key,
            variable: setting.variable(),
            option: setting.option_in_words(),
            commands: setting.commands,
            values: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            source: value.map(|value| value.source.word()),
            place: value.map(|value| value.source.place()),
        }
    }
}

/// A file that was looked for.
#[derive(Serialize)]
struct JsonFile {
    path: String,
    /// `read`, `absent` or `ignored`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl JsonFile {
    fn of((source, state): &(crate::settings::Source, State)) -> Self {
        let (word, reason) = match state {
            State::Read => ("read", None),
            State::Absent => ("absent", None),
            State::Ignored(reason) => ("ignored", Some(reason.clone())),
        };
        Self { path: source.place(), state: word, reason }
    }
}

/// A variable that sets nothing.
#[derive(Serialize)]
struct JsonMisspelt {
    variable: String,
    /// The variable that was probably meant.
    meant: String,
}

impl JsonMisspelt {
    fn of(found: &Misspelt) -> Self {
        Self { variable: found.name.clone(), meant: found.meant.clone() }
    }
}

fn shown(rows: &[Row], found: &InForce) -> String {
    let head = ["setting", "value", "from"].map(str::to_owned).to_vec();
    let line = |row: &Row| {
        let values = if row.values.is_empty() { "–".to_owned() } else { row.values.join(", ") };
        let place = row.place.clone().unwrap_or_else(|| {
            if row.values.is_empty() { String::new() } else { "built-in default".to_owned() }
        });
        vec![row.name.to_owned(), values, place]
    };
    let table: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(line)).collect();
    let misspelt = found.misspelt.iter().map(|Misspelt { name, meant }| {
        vec!["variable".to_owned(), name.clone(), format!("sets nothing: did you mean {meant}?")]
    });
    let places: Vec<Vec<String>> = found
        .files
        .iter()
        .map(|file| {
            let JsonFile { path, state, reason } = JsonFile::of(file);
            vec![
                "file".to_owned(),
                path,
                reason.map_or(state.to_owned(), |reason| format!("{state}: {reason}")),
            ]
        })
        .chain(misspelt)
        .collect();
    let text = aligned(&table, &[], &[]);
    let places = if places.is_empty() { String::new() } else { format!("\n{}", aligned(&places, &[], &[])) };
    format!("{text}{places}\n`iotrial config --example` prints a starter file with every setting\n")
}

/// A file that sets nothing, with every setting as a comment.
fn example() -> String {
    let mut text = "\
# Your own defaults for iotrial. Remove the # before a line to use it. `iotrial docs configuration` explains more.
#
# For all folders: ~/.config/iotrial/config.toml (Windows: %APPDATA%\\iotrial\\config.toml). For one folder: an iotrial.toml
# in it, which may name only files and folders inside that folder. The command line and the environment variables
# (IOTRIAL_STORE and so on) override both.
"
    .to_owned();
    for setting in &SETTINGS {
        let taken = match setting.commands {
            [] => "every command that has it".to_owned(),
            commands => commands.join(", "),
        };
        text += &format!(
            "\n# {} ({} of {taken})\n# {} = {}\n",
            setting.about,
            setting.option_in_words(),
            setting.key,
            setting.example
        );
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_a_file_with_every_setting_once_its_marks_are_gone() {
        let mut keys = Vec::new();
        let text: String = example()
            .lines()
            .filter_map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")))
            .map(|line| line.to_owned() + "\n")
            .collect();
        for setting in &SETTINGS {
            assert!(text.contains(&format!("{} = ", setting.key)), "{}", setting.key);
            keys.push(setting.key);
        }
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table.len(), keys.len());
    }
}
