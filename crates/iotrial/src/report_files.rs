//! The forms of a report that go into files, for every command that has a document to show.

use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueHint};
use iotrial_report::csv::render_csv;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::markdown::render_markdown;
use iotrial_report::xlsx::render_xlsx;
use iotrial_session::without_temporary_name;

use crate::failure::Failure;
use crate::heading;
use crate::output_file::OutputFile;

/// Where a report goes besides the terminal.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct ReportFiles {
    /// Write a self-contained HTML page with the numbers, charts and settings; `-` is standard output.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub html: Option<OutputFile>,

    /// Write an Excel workbook: one sheet per section, numeric cells, native charts.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub xlsx: Option<OutputFile>,

    /// Write Markdown, for a ticket or a wiki; `-` is standard output.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub markdown: Option<OutputFile>,

    /// Write CSV, one row per value; `-` is standard output.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub csv: Option<OutputFile>,

    /// The title of the files that are written, such as «ERP volume» [default: the label, or what was measured].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Show everything on the terminal: all findings, tables and circumstances, not only what fits one screen.
    #[arg(long)]
    pub details: bool,

    /// Replace existing files. Without it, the command stops with an error if an output file already exists.
    #[arg(long)]
    pub overwrite: bool,
}

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Html,
    Xlsx,
    Markdown,
    Csv,
}

impl Form {
    /// Whether a terminal can show it.
    pub const fn is_text(self) -> bool {
        !matches!(self, Self::Xlsx)
    }

    /// The option that asks for it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Html => "--html",
            Self::Xlsx => "--xlsx",
            Self::Markdown => "--markdown",
            Self::Csv => "--csv",
        }
    }

    /// As the file has it.
    pub fn render(self, document: &Document) -> anyhow::Result<Vec<u8>> {
        Ok(match self {
            Self::Html => render_html(document)?.into_bytes(),
            Self::Xlsx => render_xlsx(document)?,
            Self::Markdown => render_markdown(document).into_bytes(),
            Self::Csv => render_csv(document)?.into_bytes(),
        })
    }
}

impl ReportFiles {
    /// Each form that is wanted, and where it goes.
    pub fn wanted(&self) -> impl Iterator<Item = (Form, &OutputFile)> {
        let all = [
            (Form::Html, &self.html),
            (Form::Xlsx, &self.xlsx),
            (Form::Markdown, &self.markdown),
            (Form::Csv, &self.csv),
        ];
        all.into_iter().filter_map(|(form, path)| Some((form, path.as_ref()?)))
    }
}

/// Whether pages can be written into a folder, which is made where there is none.
pub fn check_takes_pages(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let cannot = || format!("cannot write pages into `{}`", folder.display());
    let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::NamedTempFile::new_in(folder));
    let made = made.map_err(without_temporary_name);
    made.with_context(cannot).map_err(Failure::input).map(drop)
}
