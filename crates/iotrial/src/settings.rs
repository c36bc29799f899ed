//! Defaults of the user's own: which options can have one, where they are written, and which of them hold.
//!
//! The table [`SETTINGS`] drives the variables, both files, `iotrial config` and what is added to a command line, so that none of
//! them knows a setting that another one does not.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use iotrial_model::toml_reader::nearest;
use iotrial_session::bounded_file::{Pipes, open_to_read, text_of};

use crate::failure::Failure;

mod file;
mod place;
mod table;

#[cfg(unix)]
#[path = "settings/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "settings/windows.rs"]
mod os;

pub use table::{Form, Part, SETTINGS, Setting};

/// What the variable of every setting begins with.
const PREFIX: &str = "IOTRIAL_";

/// Names another file instead of the user's own; `none` reads neither file.
pub const FILE_VARIABLE: &str = "IOTRIAL_CONFIG";

/// The value of [`FILE_VARIABLE`] that reads neither file.
const NO_FILES: &str = "none";

/// What lies in the current folder.
const FILE_OF_FOLDER: &str = "iotrial.toml";

/// What stands between several values in a variable: `,` and `:` occur in targets.
const SEPARATOR: char = ';';

/// Where a value was found; what comes first goes before the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A variable of the environment, by its name.
    Environment(String),
    /// The file in the current folder.
    Folder(PathBuf),
    /// The user's own file.
    User(PathBuf),
    /// The file that [`FILE_VARIABLE`] names instead of it.
    Named(PathBuf),
}

impl Source {
    /// The word that `--json` has for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Environment(_) => "environment",
            Self::Folder(_) => "folder",
            Self::User(_) | Self::Named(_) => "user",
        }
    }

    /// What a reader finds it by.
    pub fn place(&self) -> String {
        match self {
            Self::Environment(name) => name.clone(),
            Self::Folder(path) => format!("./{}", path.display()),
            Self::User(path) | Self::Named(path) => place::shortened(path),
        }
    }
}

/// A setting that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Which one.
    pub setting: &'static Setting,
    /// As its option takes them; at least one.
    pub words: Vec<OsString>,
    /// Where it was found.
    pub source: Source,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It was read.
    Read,
    /// There is none.
    Absent,
    /// It is not obeyed, for this reason.
    Ignored(String),
}

/// All that is set.
#[derive(Debug, Default)]
pub struct InForce {
    /// In the order of [`SETTINGS`], one for each that is set.
    pub values: Vec<Value>,
    /// The files that were looked for; the first goes before the second.
    pub files: Vec<(Source, State)>,
    /// Variables that set nothing.
    pub misspelt: Vec<Misspelt>,
}

/// A variable that is probably meant to be the one of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misspelt {
    /// As the environment has it.
    pub name: String,
    /// The variable that was probably meant.
    pub meant: String,
}

impl InForce {
    /// The value of a setting, where it is set.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.setting.key == key)
    }
}

/// Why a value cannot be taken, without its name.
type Refusal = String;

/// Reads variables and files. `check` says what is wrong with a value.
pub fn in_force(check: &dyn Fn(&Setting, &OsStr) -> Result<(), Refusal>) -> Result<InForce, Failure> {
    let found = in_force_of(&|name| std::env::var_os(name), sources()?, check)?;
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    Ok(InForce { misspelt: misspelt(names), ..found })
}

/// Reads variables by their names, and files, of which the first goes before the others.
pub fn in_force_of(
    variable: &dyn Fn(&str) -> Option<OsString>,
    sources: Vec<Source>,
    check: &dyn Fn(&Setting, &OsStr) -> Result<(), Refusal>,
) -> Result<InForce, Failure> {
    let mut values = of_environment(variable, check)?;
    let mut files = Vec::new();
    for source in sources {
        let (state, found) = read(&source, check)?;
        files.push((source, state));
        values.extend(found);
    }
    // What was found first holds.
    let first = |setting: &'static Setting| values.iter().find(|value| value.setting.key == setting.key);
    let values = SETTINGS.iter().filter_map(first).cloned().collect();
    Ok(InForce { values, files, misspelt: Vec::new() })
}

/// The variables among `names` that look like one of a setting. Others that begin with `IOTRIAL_` may be somebody else's.
fn misspelt(names: impl Iterator<Item = String>) -> Vec<Misspelt> {
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).collect();
    names.sort();
    // A study gives its commands such variables too.
    let is_of_study = names.iter().any(|name| name == "IOTRIAL_STUDY");
    let is_known = |name: &str| {
        let is_setting = |setting: &Setting| os::is_same_variable(&setting.variable(), name);
        let has_study = is_of_study && (name == "IOTRIAL_TARGETS" || name.starts_with("IOTRIAL_ATTRIBUTE_"));
        has_study || SETTINGS.iter().any(is_setting)
    };
    let unknown = names.iter().filter(|name| !is_known(name));
    let meant = |name: &String| {
        let key = name.strip_prefix(PREFIX)?.to_ascii_lowercase();
        let near = nearest(&key, SETTINGS.iter().map(|setting| setting.key))?;
        let setting = SETTINGS.iter().find(|setting| setting.key == near)?;
        Some(Misspelt { name: name.clone(), meant: setting.variable() })
    };
    unknown.filter_map(meant).collect()
}

/// Where records are kept, for what has no command line of its own, such as a shell that completes one. A file that cannot be read is
/// told by the commands.
pub fn store() -> Option<PathBuf> {
    let found = in_force(&|_, _| Ok(())).ok()?;
    found.value("store")?.words.first().map(PathBuf::from)
}

fn of_environment(
    variable: &dyn Fn(&str) -> Option<OsString>,
    check: &dyn Fn(&Setting, &OsStr) -> Result<(), Refusal>,
) -> Result<Vec<Value>, Failure> {
    let mut values = Vec::new();
    for setting in &SETTINGS {
        let name = setting.variable();
        // Set and empty is how a script takes a variable back.
        let Some(text) = variable(&name).filter(|text| !text.is_empty()) else { continue };
        let words = match (setting.form, text.to_str()) {
            (Form::Several | Form::Pairs, Some(text)) => {
                let words = text.split(SEPARATOR).map(str::trim).filter(|word| !word.is_empty());
                words.map(OsString::from).collect()
            }
            _ => vec![text],
        };
        for word in &words {
            let wrong = |reason| {
                let error = anyhow!("{name}: {reason}").context("a default of your own cannot be used");
                Failure::input(error).hint(format!("such as {name}='{}'", setting.example_of_variable()))
            };
            setting.check_is_value(word).and_then(|()| check(setting, word)).map_err(wrong)?;
        }
        if !words.is_empty() {
            values.push(Value { setting, words, source: Source::Environment(name) });
        }
    }
    Ok(values)
}

/// The files that there may be, the nearer one first.
fn sources() -> Result<Vec<Source>, Failure> {
    let named = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty());
    if named.as_deref() == Some(OsStr::new(NO_FILES)) {
        return Ok(Vec::new());
    }
    let usual = || os::config_folder().map(|folder| folder.join("iotrial").join("config.toml"));
    if let Some(named) = named.as_ref().filter(|path| !Path::new(path).is_file()) {
        let error = anyhow!("{FILE_VARIABLE} names `{}`, which is not a file", named.display());
        return Err(Failure::input(error).hint(format!("{FILE_VARIABLE}={NO_FILES} reads no file")));
    }
    let of_user = named.map(|path| Source::Named(path.into())).or_else(|| usual().map(Source::User));
    Ok([Source::Folder(FILE_OF_FOLDER.into())].into_iter().chain(of_user).collect())
}

fn read(
    source: &Source,
    check: &dyn Fn(&Setting, &OsStr) -> Result<(), Refusal>,
) -> Result<(State, Vec<Value>), Failure> {
    let (Source::Folder(path) | Source::User(path) | Source::Named(path)) = source else {
        return Ok((State::Absent, Vec::new()));
    };
    if path.symlink_metadata().is_err() {
        return Ok((State::Absent, Vec::new()));
    }
    // Before it is opened, so that a stranger's pipe is passed over and no error.
    if let Some(reason) = os::distrusted(source, path) {
        return Ok((State::Ignored(reason), Vec::new()));
    }
    let about = || format!("cannot read the settings in `{}`", source.place());
    let refused = |error| Failure::input(error).context(about());
    let opened = open_to_read(path, Pipes::Refused).map_err(refused)?;
    // And once more of the file that is read, which may have got its name in between.
    if let Some(reason) = os::distrusted_file(source, &opened.file) {
        return Ok((State::Ignored(reason), Vec::new()));
    }
    let text = text_of(opened).map_err(refused)?;
    let rules = place::Rules::of(source);
    let checked = |setting: &'static Setting, word: &str| -> Result<OsString, Refusal> {
        let word = rules.resolve(setting, word)?;
        setting.check_is_value(&word).and_then(|()| check(setting, &word))?;
        Ok(word)
    };
    let found = file::read(&text, &checked).map_err(|mistakes| {
        let hint = "`iotrial docs configuration` describes every key; `iotrial config --example` prints a file to begin with";
        Failure::input(mistakes).context(about()).hint(hint.to_owned())
    })?;
    let value = |(setting, words)| Value { setting, words, source: source.clone() };
    Ok((State::Read, found.into_iter().map(value).collect()))
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
