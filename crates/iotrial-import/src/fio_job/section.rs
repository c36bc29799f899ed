//! The sections of a job file, and the same from a command line: options with their places, not yet
//! understood.

use std::fmt;

use super::FioJobError;

/// What a job file may ask of the machine; the caller lends it, so that reading a job touches nothing.
pub struct Surroundings<'a> {
    /// The text of a file that is named by `include` or on the command line, or why there is none.
    // Functions, so that reading a job touches no file and no environment, and tests can say what they
    // answer.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// What `$ncpus` stands for.
    pub cpu_count: u32,
    /// What `$mb_memory` stands for.
    pub memory_mib: u64,
    /// What `$pagesize` stands for.
    pub page_bytes: u64,
}

impl fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("cpu_count", &self.cpu_count).finish_non_exhaustive()
    }
}

/// Where an option stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of the job file, or of a file that it includes.
    Line {
        /// The included file; `None` for the job file itself.
        file: Option<String>,
        /// Line in that file, from 1.
        line: usize,
    },
    /// A word of the command line, from 1.
    Word(usize),
}

impl Place {
    /// By which mistakes are put in order; those of included files come last.
    pub(super) const fn position(&self) -> (bool, usize) {
        // Places in different files cannot be compared; within one they are in the order of the text.
        match self {
            Self::Line { file, line } => (file.is_some(), *line),
            Self::Word(word) => (false, *word),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file: None, line } => write!(f, "line {line}"),
            Self::Line { file: Some(file), line } => write!(f, "line {line} of `{file}`"),
            Self::Word(word) => write!(f, "word {word}"),
        }
    }
}

/// One option as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The option, without dashes.
    pub name: String,
    /// What stands behind `=`, with variables replaced.
    pub value: Option<String>,
    /// Where it was written.
    pub place: Place,
    /// Whether it comes from `[global]`.
    pub is_global: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// One job: its own options, and before them those of `[global]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The name of the job.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// In the order in which fio applies them: a later one takes the place of an earlier one.
    pub settings: Vec<Setting>,
}

/// A chain of includes longer than this includes itself.
const DEEPEST_INCLUDE: usize = 16;

/// Files that are included or named on the command line, all together, and their bytes; one that includes two
/// others would otherwise double with every level.
const MOST_FILES: usize = 256;
const MOST_FILE_BYTES: usize = 8 << 20;

/// The files that were read besides the job file itself.
#[derive(Debug, Default)]
pub(super) struct FilesRead {
    count: usize,
    bytes: usize,
}

impl FilesRead {
    /// The text of one more file, or why there is none.
    pub(super) fn read(&mut self, name: &str, surroundings: &Surroundings<'_>) -> Result<String, String> {
        self.count += 1;
        // Checked before the file is asked for, and counted also when it cannot be read.
        if self.count > MOST_FILES || self.bytes > MOST_FILE_BYTES {
            return Err("files include each other too often".to_owned());
        }
        let text = (surroundings.file)(name)?;
        self.bytes += text.len();
        Ok(text)
    }
}

/// More jobs, and more options of a job, than anybody writes: each job repeats those of `[global]`.
pub(super) const MOST_SECTIONS: usize = 1_000;
pub(super) const MOST_SETTINGS: usize = 1_000;

/// Reads the text of a job file.
pub(super) fn read_sections(
    text: &str,
    files: &mut FilesRead,
    surroundings: &Surroundings<'_>,
    error: &mut FioJobError,
) -> Vec<Section> {
    let mut reader = SectionReader { surroundings, error, globals: Vec::new(), sections: Vec::new(), files };
    reader.read(text, None, 0);
    reader.sections.retain(|section| section.name != GLOBAL);
    reader.sections
}

struct SectionReader<'r, 's> {
    surroundings: &'r Surroundings<'s>,
    error: &'r mut FioJobError,
    globals: Vec<Setting>,
    sections: Vec<Section>,
    files: &'r mut FilesRead,
}

impl SectionReader<'_, '_> {
    fn read(&mut self, text: &str, file: Option<&str>, depth: usize) {
        for (index, line) in text.lines().enumerate() {
            let place = Place::Line { file: file.map(str::to_owned), line: index + 1 };
            // As fio does: a comment begins anywhere in a line.
            let line = line.split([';', '#']).next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                match name.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty()) {
                    Some(name) => self.begin(name, place),
                    None => self.error.note(
                        &place,
                        format!("`{line}` is not a section"),
                        Some("a section is written [name]".to_owned()),
                    ),
                }
            } else if let Some(name) = line.strip_prefix("include ") {
                self.include(name.trim(), &place, depth);
            } else {
                self.option(line, place);
            }
        }
    }

    fn begin(&mut self, name: &str, place: Place) {
        // A section `[global]` is not kept; its options are, and every job after it begins with a copy.
        if self.sections.last().is_some_and(|section| section.name == GLOBAL) {
            self.sections.pop();
        }
        if self.sections.len() >= MOST_SECTIONS {
            let message = format!("there are more than {MOST_SECTIONS} jobs");
            return self.error.refuse(&place, message, None);
        }
        let settings = if name == GLOBAL { Vec::new() } else { self.globals.clone() };
        self.sections.push(Section { name: name.to_owned(), place, settings });
    }

    fn include(&mut self, name: &str, place: &Place, depth: usize) {
        if depth >= DEEPEST_INCLUDE {
            let message = format!("cannot read `{name}`: files include each other too often");
            return self.error.note(place, message, None);
        }
        match self.files.read(name, self.surroundings) {
            Ok(text) => self.read(&text, Some(name), depth + 1),
            Err(reason) => self.error.note(place, format!("cannot read `{name}`: {reason}"), None),
        }
    }

    fn option(&mut self, line: &str, place: Place) {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (line, None),
        };
        let value = match value.map(|value| super::value::expand(value, self.surroundings)).transpose() {
            Ok(value) => value,
            Err(message) => return self.error.note(&place, format!("`{line}`: {message}"), None),
        };
        let Some(section) = self.sections.last_mut() else {
            let hint = "begin the file with [global] or with the [name] of a job".to_owned();
            return self.error.note(&place, format!("`{line}` is before the first section"), Some(hint));
        };
        let is_global = section.name == GLOBAL;
        let count = if is_global { self.globals.len() } else { section.settings.len() };
        if count >= 2 * MOST_SETTINGS || (is_global && count >= MOST_SETTINGS) {
            let message = format!("there are more than {MOST_SETTINGS} options");
            return self.error.refuse(&place, message, None);
        }
        let setting = Setting { name: name.to_ascii_lowercase(), value, place, is_global };
        if is_global { self.globals.push(setting) } else { section.settings.push(setting) }
    }
}

/// The section whose options hold for all jobs after it.
pub(super) const GLOBAL: &str = "global";
