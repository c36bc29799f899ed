//! The forms of a report that go into files, for every command that has a document to show.

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use iotrial_report::csv::render_csv;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::markdown::render_markdown;
use iotrial_report::xlsx::render_xlsx;
use iotrial_session::atomic_file::{Existing, device_with_data, folder_of, write_whole};

use crate::failure::Failure;
use crate::heading;
use crate::output::{self, JsonForm};

/// Where a report goes besides the terminal.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct ReportFiles {
    /// Write a self-contained HTML page with the numbers, charts and settings; `-` is standard output.
    #[arg(long, value_name = "FILE|-")]
    pub html: Option<PathBuf>,

    /// Write an Excel workbook: one sheet per section, numeric cells, native charts.
    #[arg(long, value_name = "FILE")]
    pub xlsx: Option<PathBuf>,

    /// Write Markdown, for a ticket or a wiki; `-` is standard output.
    #[arg(long, value_name = "FILE|-")]
    pub markdown: Option<PathBuf>,

    /// Write CSV, one row per value; `-` is standard output.
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,

    /// Replace existing files. Without it, the command stops with an error if an output file already exists.
    #[arg(long)]
    pub overwrite: bool,
}

/// A form of a report.
#[derive(Debug, Clone, Copy)]
enum Form {
    Html,
    Xlsx,
    Markdown,
    Csv,
}

impl Form {
    const OF_TEXT: [Self; 3] = [Self::Html, Self::Markdown, Self::Csv];

    const fn option(self) -> &'static str {
        match self {
            Self::Html => "--html",
            Self::Xlsx => "--xlsx",
            Self::Markdown => "--markdown",
            Self::Csv => "--csv",
        }
    }

    fn render(self, document: &Document) -> anyhow::Result<Vec<u8>> {
        Ok(match self {
            Self::Html => render_html(document)?.into_bytes(),
            Self::Xlsx => render_xlsx(document)?,
            Self::Markdown => render_markdown(document).into_bytes(),
            Self::Csv => render_csv(document)?.into_bytes(),
        })
    }

    fn write(self, path: &Path, document: &Document, overwrite: bool) -> Result<(), Failure> {
        // In memory first: a form that cannot be made leaves no file behind.
        let rendered =
            self.render(document).with_context(|| format!("cannot make the report for {}", self.option()));
        let bytes = rendered.map_err(Failure::execution)?;
        if path == Path::new(STANDARD_OUTPUT) {
            return output::bytes(&bytes);
        }
        refuse_source(path)?;
        write_output(path, &bytes, overwrite)
    }
}

/// No report takes the place of a record, a profile or a study, whatever is allowed: a report can be made again, and they cannot.
fn refuse_source(path: &Path) -> Result<(), Failure> {
    if !path.is_file() || !is_source(path) {
        return Ok(());
    }
    let error = anyhow!("`{}` is a file that iotrial reads, and no report replaces it", path.display());
    Err(Failure::input(error).hint("give the report another name".to_owned()))
}

/// Whether a file says in its first words that it is of a format of iotrial, or is a packed record by its name.
fn is_source(path: &Path) -> bool {
    // More than a licence and a page of comments.
    const BEGINNING: u64 = 16 << 10;
    let mut beginning = Vec::new();
    // One that cannot be read is replaced by whoever may do that.
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    if read.is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&beginning);
    let mut lines =
        text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first: String = lines.by_ref().take(2).collect();
    let begins = first.trim_start_matches(['{', '"', ' ']);
    let format = begins.strip_prefix("format").map(|rest| rest.trim_start_matches(['"', ' ', ':', '=']));
    let is_packed = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".json.zst"));
    is_packed || format.is_some_and(|format| format.starts_with("iotrial."))
}

/// Another file that an option names: the option, and where it goes.
pub type OtherFile<'f> = (&'static str, &'f Path);

/// Whether two names are those of one file: the same name in the same folder, whichever way leads there.
fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match (folder_of(path).canonicalize(), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => absolute(),
        }
    };
    place(one) == place(other)
}

/// Stands for standard output.
const STANDARD_OUTPUT: &str = "-";

impl ReportFiles {
    /// Each form that is wanted, and where it goes.
    fn wanted(&self) -> impl Iterator<Item = (Form, &Path)> {
        let all = [
            (Form::Html, &self.html),
            (Form::Xlsx, &self.xlsx),
            (Form::Markdown, &self.markdown),
            (Form::Csv, &self.csv),
        ];
        all.into_iter().filter_map(|(form, path)| Some((form, path.as_deref()?)))
    }

    /// Whether any form is wanted.
    pub fn are_wanted(&self) -> bool {
        self.wanted().next().is_some()
    }

    /// Whether one of the forms goes to standard output, which then holds nothing else.
    pub fn take_standard_output(&self) -> bool {
        self.wanted().any(|(_, path)| path == Path::new(STANDARD_OUTPUT))
    }

    /// Refuses what cannot all be done: two outputs in one place. `json` goes to standard output, `others` to files.
    pub fn check(&self, json: impl Into<JsonForm>, others: &[OtherFile<'_>]) -> Result<(), Failure> {
        let mut taken = Vec::new();
        if let Some(option) = json.into().option() {
            taken.push((option, Path::new(STANDARD_OUTPUT)));
        }
        let forms = self.wanted().map(|(form, path)| (form.option(), path));
        for (option, path) in forms.chain(others.iter().copied()) {
            let is_dash = path == Path::new(STANDARD_OUTPUT);
            // A workbook is a packed file, of which a terminal would make rubbish.
            if is_dash && !Form::OF_TEXT.map(Form::option).contains(&option) {
                let error = anyhow!("{option} needs the name of a file");
                return Err(
                    Failure::input(error).hint("only --html, --markdown and --csv take `-`".to_owned())
                );
            }
            if let Some((other, _)) = taken.iter().find(|(_, other)| is_same_place(other, path)) {
                let place =
                    if is_dash { "standard output".to_owned() } else { format!("`{}`", path.display()) };
                let error = anyhow!("{other} and {option} would both write to {place}");
                return Err(Failure::input(error).hint("give each a file of its own".to_owned()));
            }
            taken.push((option, path));
        }
        Ok(())
    }

    /// Refuses to write over what the command reads, whatever may be replaced: nobody who names a record twice wants to lose it.
    pub fn spare<'p>(&self, read: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
        for path in read {
            let is_it = |(_, wanted): &(Form, &Path)| {
                *wanted != Path::new(STANDARD_OUTPUT) && is_same_place(wanted, path)
            };
            if let Some((form, _)) = self.wanted().find(is_it) {
                let error = anyhow!("{} would replace `{}`, which is read", form.option(), path.display());
                return Err(Failure::input(error).hint("give the name of another file".to_owned()));
            }
        }
        Ok(())
    }

    /// Refuses what cannot be written, better before a long measurement than after it.
    pub fn check_are_writable(&self) -> Result<(), Failure> {
        let files = self.wanted().map(|(_, path)| path).filter(|path| *path != Path::new(STANDARD_OUTPUT));
        files.into_iter().try_for_each(|path| {
            refuse_source(path)?;
            check_is_writable(path, self.overwrite)
        })
    }

    /// The same with a page in any case: where it is wanted, in a folder for pages, or beside its record.
    #[must_use]
    pub fn with_page(mut self, record: &Path, id: impl Display, folder: Option<&Path>) -> Self {
        let name = format!("{id}.html");
        let place = || folder.map_or_else(|| record.with_file_name(&name), |folder| folder.join(&name));
        self.html.get_or_insert_with(place);
        self
    }

    /// The page, where it is one of the files that are there.
    pub fn html_of(&self, written: &[PathBuf]) -> Option<&Path> {
        self.html.as_deref().filter(|html| written.iter().any(|path| path == html))
    }

    /// Writes every form that is wanted, each whole or not at all. One that cannot be written does not keep the others
    /// from it; the first failure comes back beside the files that are there.
    pub fn write(&self, document: &Document) -> (Vec<PathBuf>, Result<(), Failure>) {
        let (mut files, mut result) = (Vec::new(), Ok(()));
        // All of them, whatever becomes of one: each was asked for.
        for (form, path) in self.wanted() {
            match form.write(path, document, self.overwrite) {
                Ok(()) if path == Path::new(STANDARD_OUTPUT) => {}
                Ok(()) => files.push(path.to_owned()),
                Err(failure) => result = result.and(Err(failure)),
            }
        }
        (files, result)
    }
}

/// Writes a file that the user named, whole or not at all. One that exists is replaced only with --overwrite.
pub fn write_output(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Failure> {
    refuse_existing(path, overwrite)?;
    let existing = if overwrite { Existing::Replaced } else { Existing::Kept };
    // One that came into being meanwhile is kept as well.
    write_whole(path, bytes, existing)
        .map_err(|error| refuse_existing(path, overwrite).err().unwrap_or_else(|| Failure::execution(error)))
}

/// A name that a shell completed may be that of somebody's data. A pipe or a device of characters is written to, and nothing is lost.
fn refuse_existing(path: &Path, overwrite: bool) -> Result<(), Failure> {
    // A link counts as well, wherever it leads.
    let is_there = path.symlink_metadata().is_ok();
    if overwrite || !is_there || (path.exists() && !path.is_file()) {
        return Ok(());
    }
    let error = anyhow!("`{}` exists already, and is left as it is", path.display());
    Err(Failure::input(error).hint("give another name, or --overwrite to replace it".to_owned()))
}

/// Whether pages can be written into a folder, which is made where there is none.
pub fn check_takes_pages(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let cannot = || format!("cannot write pages into `{}`", folder.display());
    let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::NamedTempFile::new_in(folder));
    made.with_context(cannot).map_err(Failure::input).map(drop)
}

/// Whether a file can be written there: better known before a long run than after it. Touches nothing that is there.
pub fn check_is_writable(path: &Path, overwrite: bool) -> Result<(), Failure> {
    refuse_existing(path, overwrite)?;
    let cannot = || format!("cannot write `{}`", path.display());
    if path.is_dir() {
        return Err(Failure::input(anyhow!("it is a folder").context(cannot())));
    }
    if path.exists() && !path.is_file() {
        if let Ok(Some(what)) = device_with_data(path) {
            let error = anyhow!("`{}` is {what}", path.display());
            return Err(Failure::input(error).hint("give the name of a file".to_owned()));
        }
        // A pipe waits for its reader, and a device is left alone until there is something to write.
        return Ok(());
    }
    // It is made beside its place and then put there, so that its folder decides.
    let probe = tempfile::NamedTempFile::new_in(folder_of(path));
    probe.with_context(cannot).map_err(Failure::input).map(drop)
}
