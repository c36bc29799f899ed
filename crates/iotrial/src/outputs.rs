//! The one writer of the files that a user names.
//!
//! A command says once what it will write ([`Outputs::new`], [`Outputs::and`]), and [`Outputs::checked`] refuses what cannot be done:
//! two outputs in one file, a file that is there and may not be replaced, anything that is no regular file. When everything is read,
//! [`Outputs::all_is_read`] refuses to replace any of it. All of that is before anything is measured or written, and files are told apart
//! by device and inode, never by their names: those lead to the same file by links, hard links and other spellings.
//!
//! A symbolic link in the place of the file is refused wherever it leads, also a link to a regular file: to replace the link and to write
//! through it are both right, and half of those who have one mean the other. Folders on the way may be links.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use iotrial_engine::targets::{FileId, file_id, file_id_at};
use iotrial_report::document::Document;
use iotrial_report::svg_files::{ChartFile, chart_files};
use iotrial_session::atomic_file::{
    Existing, create, folder_of, open_to_append, without_temporary_name, write_whole,
};
use iotrial_session::read_files;

use crate::failure::Failure;
use crate::output::{self, JsonForm, harmless};
use crate::output_file::OutputFile;
use crate::report_files::{Form, ReportFiles};

mod format;

#[cfg(unix)]
#[path = "outputs/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "outputs/windows.rs"]
mod os;

use format::format_of;

/// Stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// What becomes of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A form of the report.
    Report(Form),
    /// A file that iotrial reads again, by the beginning of its `format`. It may replace one of the same kind.
    Format(&'static str),
    /// A text for others.
    Text,
    /// The same, added to what is there.
    Appended,
}

/// Everything that a command writes into files, and what of it goes to standard output.
#[derive(Debug, Default)]
pub struct Outputs {
    planned: Vec<Planned>,
    overwrite: bool,
    /// The title of the report, where it is not the usual one.
    title: Option<String>,
    /// The folder for charts.
    charts: Option<PathBuf>,
    /// Whether the terminal shows everything.
    details: bool,
    json: JsonForm,
    /// Whether all of them were compared with what is read.
    is_compared: Cell<bool>,
}

#[derive(Debug)]
struct Planned {
    /// As it is typed.
    option: &'static str,
    path: PathBuf,
    content: Content,
}

impl Planned {
    fn is_standard_output(&self) -> bool {
        self.path == Path::new(STANDARD_OUTPUT)
    }

    /// ``--html: `a.html` ``: a name alone does not say which of five options was meant.
    fn named(&self) -> String {
        format!("{}: `{}`", self.option, self.path.display())
    }

    /// ``cannot write `a.html` for --html``.
    fn cannot(&self, what: &str) -> String {
        format!("cannot {what} `{}` for {}", self.path.display(), self.option)
    }

    /// What is there by now; `None` where there is nothing. Only a regular file may be.
    fn look(&self, overwrite: bool) -> Result<Option<FileId>, Failure> {
        let refuse = |what: &str, hint: &str| {
            let error = anyhow!("{} is {what}, and only a regular file is written", self.named());
            Failure::input(error).hint(hint.to_owned())
        };
        if os::is_device_name(&self.path) {
            return Err(refuse("a device", "give the name of a file"));
        }
        if self.path.to_string_lossy().ends_with(std::path::is_separator) {
            return Err(refuse("a folder", "give the name of a file"));
        }
        let Ok(metadata) = self.path.symlink_metadata() else { return Ok(None) };
        let kind = metadata.file_type();
        if kind.is_symlink() {
            return Err(refuse("a symbolic link", "give the name of the file itself, or remove the link"));
        }
        if !kind.is_file() {
            let what = if kind.is_dir() { "a folder" } else { os::kind_of_special(kind) };
            let hint = match self.content {
                Content::Report(form) if form.is_text() => {
                    "give the name of a file, or `-` for standard output"
                }
                _ => "give the name of a file",
            };
            return Err(refuse(what, hint));
        }
        if !overwrite && self.content != Content::Appended {
            let error = anyhow!("{} exists already, and is left as it is", self.named());
            return Err(
                Failure::input(error).hint("give another name, or --overwrite to replace it".to_owned())
            );
        }
        self.spare_source()?;
        let id = file_id_at(&self.path).with_context(|| self.cannot("look at"));
        id.map(Some).map_err(Failure::input)
    }

    /// No output takes the place of a record, a profile or a study, whatever is allowed: a report can be made again, and they cannot.
    fn spare_source(&self) -> Result<(), Failure> {
        let Some(format) = format_of(&self.path) else { return Ok(()) };
        if matches!(self.content, Content::Format(own) if format.starts_with(own)) {
            return Ok(());
        }
        let error = anyhow!("{} is a file that iotrial reads, and no other output replaces it", self.named());
        Err(Failure::input(error).hint("give the output another name".to_owned()))
    }

    fn spare_read(&self, id: FileId) -> Result<(), Failure> {
        if !read_files::contains(id) {
            return Ok(());
        }
        let (option, path) = (self.option, self.path.display());
        let error = match self.content {
            Content::Appended => anyhow!("{option} would write into `{path}`, which is read"),
            _ => anyhow!("{option} would replace `{path}`, which is read"),
        };
        Err(Failure::input(error).hint("give the name of another file".to_owned()))
    }

    /// A shell may have redirected standard output or errors into the same file.
    fn spare_streams(&self, id: FileId) -> Result<(), Failure> {
        match read_files::stream_into(id) {
            // What is added to a file goes behind what is there, whoever writes it.
            Some(stream) if self.content != Content::Appended => {
                Err(in_one_place(stream, self.option, &format!("`{}`", self.path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Whether it can be written there: better known before a long run than after it. Touches nothing that is there.
    fn check_is_writable(&self, is_there: bool) -> Result<Spot, Failure> {
        let cannot = || self.cannot("write");
        if is_there && self.content == Content::Appended {
            open_to_append(&self.path).with_context(cannot).map_err(Failure::input)?;
        }
        // A new file is made beside its place and then put there, so that its folder decides.
        let folder = folder_of(&self.path);
        let is_appended_to = is_there && self.content == Content::Appended;
        let spot = match tempfile::NamedTempFile::new_in(folder) {
            Ok(probe) => Spot::of(&self.path, Some(probe.path())),
            Err(_) if is_appended_to => Spot::of(&self.path, None),
            Err(error) => Err(without_temporary_name(error)),
        };
        let hint = (!folder.exists()).then(|| {
            format!(
                "there is no folder `{}`: make it, or correct the path",
                harmless(&folder.display().to_string())
            )
        });
        spot.with_context(cannot).map_err(|error| Failure::input(error).hint(hint))
    }
}

/// Where a file is or will be: two outputs with the same are one file, before there is any.
#[derive(Debug, PartialEq, Eq)]
struct Spot {
    folder: FileId,
    name: OsString,
}

impl Spot {
    /// `probe` is another file in the same folder.
    fn of(path: &Path, probe: Option<&Path>) -> std::io::Result<Self> {
        let folder = file_id_at(&folder_of(path).canonicalize()?)?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        // On NTFS and FAT, `a.html` and `A.HTML` are one file.
        let folds_case = probe.is_some_and(|probe| {
            let name = probe.file_name().map(|name| name.to_string_lossy().to_uppercase());
            name.is_some_and(|name| probe.with_file_name(name).exists())
        });
        let name = if folds_case { name.to_string_lossy().to_lowercase().into() } else { name.to_owned() };
        Ok(Self { folder, name })
    }
}

impl Outputs {
    /// The forms of the report that are wanted.
    pub fn new(files: &ReportFiles, json: impl Into<JsonForm>) -> Self {
        let json = json.into();
        let form = |(form, path): (Form, &OutputFile)| Planned {
            option: form.option(),
            path: path.to_path_buf(),
            content: Content::Report(form),
        };
        let planned = files.wanted().map(form).collect();
        Self {
            planned,
            overwrite: files.overwrite,
            title: files.title.clone(),
            charts: None,
            details: files.details,
            json,
            is_compared: Cell::new(false),
        }
    }

    /// Of a command without a report.
    pub fn without_report(overwrite: bool) -> Self {
        Self { overwrite, ..Self::default() }
    }

    /// Whether the terminal shows everything, and not what fits one screen.
    pub const fn has_details(&self) -> bool {
        self.details
    }

    /// Another file, where it is wanted.
    #[must_use]
    pub fn and(mut self, option: &'static str, path: Option<&OutputFile>, content: Content) -> Self {
        self.planned.extend(path.map(|path| Planned { option, path: path.to_path_buf(), content }));
        self
    }

    /// Refuses what cannot all be done. Touches nothing that is there.
    pub fn checked(self) -> Result<Self, Failure> {
        let mut taken: Vec<(&Planned, Option<FileId>, Spot)> = Vec::new();
        let mut on_standard_output = self.json.option();
        for planned in &self.planned {
            if planned.is_standard_output() {
                // A workbook is a packed file, of which a terminal would make rubbish.
                if !matches!(planned.content, Content::Report(form) if form.is_text()) {
                    let error = anyhow!("{} needs the name of a file", planned.option);
                    return Err(
                        Failure::input(error).hint("only --html, --markdown and --csv take `-`".to_owned())
                    );
                }
                if let Some(other) = on_standard_output.replace(planned.option) {
                    return Err(in_one_place(other, planned.option, "standard output"));
                }
                continue;
            }
            let id = planned.look(self.overwrite)?;
            let spot = planned.check_is_writable(id.is_some())?;
            let is_same = |(_, other_id, other_spot): &&(&Planned, Option<FileId>, Spot)| {
                *other_spot == spot || id.is_some() && *other_id == id
            };
            if let Some((other, ..)) = taken.iter().find(is_same) {
                let place = format!("`{}`", planned.path.display());
                return Err(in_one_place(other.option, planned.option, &place));
            }
            if let Some(id) = id {
                planned.spare_streams(id)?;
            }
            taken.push((planned, id, spot));
        }
        Ok(self)
    }

    /// Refuses to write over what the command has read, whatever may be replaced: nobody who names a record twice wants to lose it. For
    /// when everything is read, and before anything is measured or shown; the first output that is written asks again.
    pub fn all_is_read(&self) -> Result<(), Failure> {
        // Once: later, a file that came from here may have the number of one that was read and is gone.
        if self.is_compared.replace(true) {
            return Ok(());
        }
        for planned in self.planned.iter().filter(|planned| !planned.is_standard_output()) {
            if let Ok(id) = file_id_at(&planned.path) {
                planned.spare_read(id)?;
            }
        }
        Ok(())
    }

    /// With a file for each chart of the report in this folder, which is made where there is none.
    #[must_use]
    pub fn with_charts(self, folder: Option<&Path>) -> Self {
        Self { charts: folder.map(Path::to_path_buf), ..self }
    }

    /// The folder for charts, where one is wanted.
    pub fn charts(&self) -> Option<&Path> {
        self.charts.as_deref()
    }

    /// The file of each chart, after the same checks as of all others: their names are known only when the report is made.
    fn planned_charts(&self, document: &Document) -> Result<Vec<(Planned, String)>, Failure> {
        let Some(folder) = &self.charts else { return Ok(Vec::new()) };
        let option = "--charts";
        let cannot = || format!("cannot make the folder `{}` for {option}", folder.display());
        std::fs::create_dir_all(folder).with_context(cannot).map_err(Failure::input)?;
        let planned = |file: ChartFile| {
            let path = folder.join(file.name);
            let planned = Planned { option, path, content: Content::Text };
            if let Some(other) = self.planned.iter().find(|other| other.path == planned.path) {
                return Err(in_one_place(other.option, option, &format!("`{}`", planned.path.display())));
            }
            self.look_again(&planned)?;
            Ok((planned, file.svg))
        };
        chart_files(document).into_iter().map(planned).collect()
    }

    /// With a page in any case: where it is wanted, in a folder for pages, or beside its record.
    #[must_use]
    pub fn with_page(mut self, record: &Path, id: impl std::fmt::Display, folder: Option<&Path>) -> Self {
        let name = format!("{id}.html");
        if self.page().is_none() {
            let (option, path) = match folder {
                Some(folder) => ("--html-folder", folder.join(&name)),
                None => ("--html", record.with_file_name(&name)),
            };
            self.planned.insert(0, Planned { option, path, content: Content::Report(Form::Html) });
        }
        self
    }

    /// Where the page goes, where one is wanted.
    pub fn page(&self) -> Option<&Path> {
        let is_page = |planned: &&Planned| matches!(planned.content, Content::Report(Form::Html));
        self.planned.iter().find(is_page).map(|planned| planned.path.as_path())
    }

    /// The page, where it is one of the files that are there.
    pub fn page_of(&self, written: &[PathBuf]) -> Option<&Path> {
        self.page().filter(|page| written.iter().any(|path| path == page))
    }

    /// How the answer goes to programs.
    pub const fn json(&self) -> JsonForm {
        self.json
    }

    /// Whether standard output is text for people.
    pub fn is_for_people(&self) -> bool {
        !self.json.is_json() && !self.take_standard_output()
    }

    /// Whether one of the forms goes to standard output, which then holds nothing else.
    pub fn take_standard_output(&self) -> bool {
        self.planned.iter().any(Planned::is_standard_output)
    }

    /// Whether any form of the report is wanted.
    pub fn have_report(&self) -> bool {
        self.planned.iter().any(|planned| matches!(planned.content, Content::Report(_)))
    }

    /// Writes every form of the report that is wanted, each whole or not at all. One that cannot be written does not keep the others
    /// from it; the first failure comes back beside the files that are there.
    pub fn write_report(&self, document: &Document) -> (Vec<PathBuf>, Result<(), Failure>) {
        let (mut files, mut result) = (Vec::new(), self.all_is_read());
        if result.is_err() {
            return (files, result);
        }
        let titled = self.title.as_ref().map(|title| document.clone().titled(title));
        let document = titled.as_ref().unwrap_or(document);
        let charts = match self.planned_charts(document) {
            Ok(charts) => charts,
            Err(failure) => return (files, Err(failure)),
        };
        for (planned, svg) in &charts {
            result = result.and(self.write_planned(planned, svg.as_bytes()));
        }
        // All of them, whatever becomes of one: each was asked for.
        for planned in &self.planned {
            let Content::Report(form) = planned.content else { continue };
            // In memory first: a form that cannot be made leaves no file behind.
            let rendered = form
                .render(document)
                .with_context(|| format!("cannot make the report for {}", planned.option));
            let written = rendered.map_err(Failure::execution).and_then(|bytes| {
                if planned.is_standard_output() {
                    output::bytes(&bytes)
                } else {
                    self.write_planned(planned, &bytes)
                }
            });
            match written {
                Ok(()) if planned.is_standard_output() => {}
                Ok(()) => files.push(planned.path.clone()),
                Err(failure) => result = result.and(Err(failure)),
            }
        }
        (files, result)
    }

    /// Writes a file, whole or not at all. One that exists is replaced only with --overwrite.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.write_planned(self.planned(path), bytes)
    }

    /// Makes a file for lines that come one by one.
    pub fn create(&self, path: &Path) -> Result<File, Failure> {
        let planned = self.planned(path);
        self.look_again(planned)?;
        create(path, self.existing()).map_err(|error| self.not_written(planned, error))
    }

    fn planned(&self, path: &Path) -> &Planned {
        let planned = self.planned.iter().find(|planned| planned.path == path);
        planned.expect("a file that is written was planned, and so compared with all others")
    }

    fn write_planned(&self, planned: &Planned, bytes: &[u8]) -> Result<(), Failure> {
        self.look_again(planned)?;
        if planned.content == Content::Appended {
            return self.append(planned, bytes);
        }
        write_whole(&planned.path, bytes, self.existing()).map_err(|error| self.not_written(planned, error))
    }

    fn append(&self, planned: &Planned, bytes: &[u8]) -> Result<(), Failure> {
        let cannot = || planned.cannot("append to");
        let mut file = open_to_append(&planned.path).with_context(cannot).map_err(Failure::input)?;
        // By what was opened, which may be another file than a moment ago.
        planned.spare_read(file_id(&file).with_context(cannot).map_err(Failure::execution)?)?;
        file.write_all(bytes).with_context(cannot).map_err(Failure::execution)
    }

    /// A long load lies between the first look and the file.
    fn look_again(&self, planned: &Planned) -> Result<(), Failure> {
        self.all_is_read()?;
        let id = planned.look(self.overwrite)?;
        id.map_or(Ok(()), |id| planned.spare_read(id))
    }

    const fn existing(&self) -> Existing {
        if self.overwrite { Existing::Replaced } else { Existing::Kept }
    }

    /// One that came into being meanwhile is kept as well.
    fn not_written(&self, planned: &Planned, error: impl Into<anyhow::Error>) -> Failure {
        planned.look(self.overwrite).err().unwrap_or_else(|| Failure::execution(error))
    }
}

fn in_one_place(one: &str, other: &str, place: &str) -> Failure {
    let error = anyhow!("{one} and {other} would both write to {place}");
    Failure::input(error).hint("give each a file of its own".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::any::TypeId;

    use clap::{CommandFactory as _, ValueHint};

    use super::*;
    use crate::cli::Cli;

    fn add(command: &clap::Command, name: &str, found: &mut Vec<String>) {
        for argument in command.get_arguments() {
            if argument.get_value_parser().type_id() == TypeId::of::<OutputFile>() {
                let option = argument.get_long().expect("an output is named by an option");
                assert_eq!(argument.get_value_hint(), ValueHint::FilePath, "{name} --{option}");
                found.push(format!("{name} --{option}"));
            }
        }
        for below in command.get_subcommands() {
            add(below, format!("{name} {}", below.get_name()).trim_start(), found);
        }
    }

    /// The tests from outside try each of them.
    #[test]
    fn every_option_that_names_an_output_is_in_the_list_of_the_tests() {
        let mut found = Vec::new();
        add(&Cli::command(), "", &mut found);
        found.sort();
        let listed: Vec<&str> = include_str!("../tests/it/outputs/options.txt").lines().collect();
        assert_eq!(found, listed);
    }
}
