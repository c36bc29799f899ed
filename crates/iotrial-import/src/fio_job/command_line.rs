//! A command line of fio: words with their quotes, and the jobs that they name.

use super::FioJobError;
use super::options::{ProgramOption, is_flag, program_option};
use super::section::{
    FilesRead, GLOBAL, MOST_SECTIONS, MOST_SETTINGS, Place, Section, Setting, Surroundings, read_sections,
};
use super::value::expand;

/// Whether a text is a command line, and not a job file.
pub(super) fn is_command_line(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let program = first.rsplit(['/', '\\']).next().unwrap_or_default();
    // With or without dashes in front: people paste either the whole command or its options.
    program.eq_ignore_ascii_case("fio") || program.eq_ignore_ascii_case("fio.exe") || dashed(first).is_some()
}

/// The options of a command line with one job, in their order, each with its value; empty of a switch. It may stand behind a prompt.
/// `None` of anything else.
pub(crate) fn options_of_one_job(line: &str) -> Option<Vec<(String, String)>> {
    let words = words(line);
    let is_fio = |word: &String| word.rsplit('/').next().is_some_and(|program| program == "fio");
    let at = words.iter().position(is_fio)?;
    let mut options: Vec<(String, String)> = Vec::new();
    let mut words = words[at + 1..].iter().peekable();
    while let Some(word) = words.next() {
        // A job file, or what follows in a pipe.
        let option = dashed(word)?;
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        // fio takes both.
        let name = name.to_ascii_lowercase().replace('-', "_");
        let takes_next = value.is_none() && !is_flag(&name);
        let next = words.next_if(|next| takes_next && dashed(next).is_none());
        let value = value.or(next.map(String::as_str)).unwrap_or_default();
        options.push((name, value.to_owned()));
    }
    (options.iter().filter(|(name, _)| name == "name").count() == 1).then_some(options)
}

/// Reads the jobs of a command line.
pub(super) fn read_command_line(
    text: &str,
    files: &mut FilesRead,
    surroundings: &Surroundings<'_>,
    error: &mut FioJobError,
) -> Vec<Section> {
    let mut reader =
        Reader { surroundings, error, files, globals: Vec::new(), sections: Vec::new(), chosen: Vec::new() };
    let words: Vec<String> = words(text);
    // The name of the program, where it is there.
    let mut position = usize::from(words.first().is_some_and(|first| dashed(first).is_none()));
    while let Some(word) = words.get(position) {
        let place = Place::Word(position + 1);
        // A value may be the next word (`--bs 8k`), unless that is an option.
        let next = words.get(position + 1).filter(|next| dashed(next).is_none());
        position += 1;
        match dashed(word) {
            Some(option) => position += usize::from(reader.option(option, next, place)),
            None => reader.file(word, &place),
        }
    }
    let Reader { mut sections, chosen, .. } = reader;
    // `--name=global` sets what holds for all jobs, and is no job.
    sections.retain(|section| section.name != GLOBAL);
    if !chosen.is_empty() {
        sections.retain(|section| chosen.contains(&section.name));
    }
    sections
}

struct Reader<'r, 's> {
    surroundings: &'r Surroundings<'s>,
    error: &'r mut FioJobError,
    files: &'r mut FilesRead,
    globals: Vec<Setting>,
    sections: Vec<Section>,
    /// What `--section` names.
    chosen: Vec<String>,
}

impl Reader<'_, '_> {
    /// Takes one option; whether it took the next word too.
    fn option(&mut self, option: &str, next: Option<&String>, place: Place) -> bool {
        let (name, mut value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let name = name.to_ascii_lowercase();
        let takes_next = |value: &Option<String>| value.is_none() && next.is_some();
        // Options of the program are read too, so that the words behind them are not taken for job files.
        match program_option(&name) {
            Some(ProgramOption::Section) => {
                let took = takes_next(&value);
                self.chosen.extend(value.or_else(|| next.cloned()));
                return took;
            }
            Some(ProgramOption::Switch) => return false,
            Some(ProgramOption::WithValue) => return takes_next(&value),
            None => {}
        }
        // A flag never takes the next word: `--time_based job.fio` has a job file.
        let took = takes_next(&value) && !is_flag(&name);
        if took {
            value = next.cloned();
        }
        match value.map(|value| expand(&value, self.surroundings)).transpose() {
            Ok(value) => self.set(name, value, place),
            Err(message) => self.error.note(&place, format!("`--{option}`: {message}"), None),
        }
        took
    }

    fn set(&mut self, name: String, value: Option<String>, place: Place) {
        if name == "name" {
            let name = value.unwrap_or_default();
            if self.sections.len() >= MOST_SECTIONS {
                let message = format!("there are more than {MOST_SECTIONS} jobs");
                return self.error.refuse(&place, message, None);
            }
            let settings = if name == GLOBAL { Vec::new() } else { self.globals.clone() };
            return self.sections.push(Section { name, place, settings });
        }
        // Options before the first job hold for all of them.
        let section = self.sections.last_mut().filter(|section| section.name != GLOBAL);
        let is_global = section.is_none();
        let count = section.as_ref().map_or(self.globals.len(), |section| section.settings.len());
        // Twice as many for a job, as it begins with a copy of the global ones.
        if count >= 2 * MOST_SETTINGS || (is_global && count >= MOST_SETTINGS) {
            let message = format!("there are more than {MOST_SETTINGS} options");
            return self.error.refuse(&place, message, None);
        }
        let setting = Setting { name, value, place, is_global };
        match section {
            Some(section) => section.settings.push(setting),
            None => self.globals.push(setting),
        }
    }

    /// A word without dashes is a job file.
    fn file(&mut self, name: &str, place: &Place) {
        match self.files.read(name, self.surroundings) {
            Ok(text) => {
                self.sections.extend(read_sections(&text, self.files, self.surroundings, self.error));
            }
            Err(reason) => {
                let hint = "options of fio begin with two dashes, as in --bs=8k".to_owned();
                self.error.note(
                    place,
                    format!("`{name}` is neither an option nor a job file: {reason}"),
                    Some(hint),
                );
            }
        }
    }
}

/// What follows the dashes of an option. A page in print often has one long dash in place of two short ones.
fn dashed(word: &str) -> Option<&str> {
    let option = word.trim_start_matches(['-', '–', '—']);
    (option.len() < word.len() && !option.is_empty()).then_some(option)
}

/// The words of a command line as a shell takes them apart: quotes of both kinds; `\` before a space, a quote
/// or the end of a line, but not within a path of Windows; and `^`, which is that of the Windows shell.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (_, Some(end)) if c == end => quote = None,
            ('\'' | '"', None) => {
                // An empty pair of quotes is a word, too.
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\' | '^', None)
                // Only before what needs it: in `C:\data` the backslash is part of a path.
                if chars.peek().is_none_or(|next| {
                    c == '^' || next.is_whitespace() || matches!(next, '\'' | '"' | '\\')
                }) =>
            {
                match chars.next() {
                    // A line that goes on ends the word.
                    None | Some('\n' | '\r') => words.extend(word.take()),
                    Some(escaped) => word.get_or_insert_default().push(escaped),
                }
            }
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_as_by_the_shell_that_they_were_written_for() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text), expected, "{text}");
        check("fio --a=1  --b", &["fio", "--a=1", "--b"]);
        check("fio '--a=x y' --b=\"c d\"", &["fio", "--a=x y", "--b=c d"]);
        check("fio --a \\\n  --b", &["fio", "--a", "--b"]);
        check("fio --a ^\r\n  --b", &["fio", "--a", "--b"]);
        check("fio --thread ^--name=x", &["fio", "--thread", "--name=x"]);
        check(r"fio --filename=F\:\dir\file.dat", &["fio", r"--filename=F\:\dir\file.dat"]);
        check("fio --a=''", &["fio", "--a="]);
        check("", &[]);
    }

    #[test]
    fn a_command_behind_a_prompt_has_the_options_of_its_only_job() {
        let check = |line: &str, expected: Option<&[(&str, &str)]>| {
            let found = options_of_one_job(line);
            let found = found.as_ref().map(|all| {
                all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>()
            });
            assert_eq!(found.as_deref(), expected, "{line}");
        };
        check(
            "$ sudo fio -direct=1 -iodepth 16 -thread -name=a -end-fsync=1",
            Some(&[("direct", "1"), ("iodepth", "16"), ("thread", ""), ("name", "a"), ("end_fsync", "1")]),
        );
        for line in ["fio job.fio", "fio --name=a --bs=4k --name=b", "see fio for more", "no such program"] {
            check(line, None);
        }
    }

    #[test]
    fn a_command_line_is_told_from_a_job_file_by_its_first_word() {
        for text in ["fio --name=x", "/usr/bin/fio x.fio", r"C:\fio\fio.exe --name=x", "--name=x", "–name=x"]
        {
            assert!(is_command_line(text), "{text}");
        }
        for text in ["[global]\nbs=8k", "# fio\n[a]", "", "; --name"] {
            assert!(!is_command_line(text), "{text}");
        }
    }
}
