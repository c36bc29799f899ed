//! What a study came to: its configurations held against each other, one comparison for each profile.

use std::path::{Path, PathBuf};

use iotrial_analysis::comparison::{CompareRequest, Comparison, Sample};
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::render_terminal;
use serde::Serialize;

use super::shown::{CellState, ShownCell};
use crate::command::report::terminal_style;
use crate::failure::Failure;
use crate::output::harmless;
use crate::store::{read_record, write_whole};

/// The configurations of a study under one profile, held against each other.
#[derive(Serialize)]
pub struct Compared {
    /// As the study names it.
    profile: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
    #[serde(flatten)]
    comparison: Comparison,
    #[serde(skip)]
    document: Document,
}

impl Compared {
    /// Compares what is measured; a profile under which fewer than two configurations are is left out.
    pub fn all(cells: &[ShownCell]) -> Result<Vec<Self>, Failure> {
        let mut profiles: Vec<&str> = Vec::new();
        for cell in cells {
            if !profiles.contains(&cell.profile.as_str()) {
                profiles.push(&cell.profile);
            }
        }
        let mut all = Vec::new();
        for profile in profiles {
            let is_done = |cell: &&ShownCell| cell.profile == profile && cell.state == CellState::Done;
            let done: Vec<&ShownCell> = cells.iter().filter(is_done).collect();
            if done.iter().any(|cell| cell.label != done[0].label) {
                let samples = done.iter().map(|cell| sample(cell)).collect::<Result<Vec<_>, _>>()?;
                match Comparison::new(samples, &CompareRequest::default()) {
                    Ok(comparison) => {
                        let document = Document::of_comparison(&comparison);
                        all.push(Self { profile: profile.to_owned(), report: None, comparison, document });
                    }
                    // The records are safe, and the state of the study is to be seen.
                    Err(error) => {
                        eprintln!(
                            "warning: no comparison under `{}`: {}",
                            harmless(profile),
                            harmless(&error.to_string())
                        );
                    }
                }
            }
        }
        Ok(all)
    }

    /// Writes the comparison as HTML; `of_several` puts the profile into the name of the file.
    pub fn write_html(&mut self, path: &Path, of_several: bool) -> Result<(), Failure> {
        let path = if of_several { with_profile(path, &self.profile) } else { path.to_owned() };
        let html = render_html(&self.document).map_err(Failure::execution)?;
        write_whole(&path, html.as_bytes()).map_err(Failure::execution)?;
        self.report = Some(path);
        Ok(())
    }

    /// As a terminal shows it.
    pub fn text(&self) -> String {
        let mut text = format!("profile  {}\n\n", harmless(&self.profile));
        text.push_str(&render_terminal(&self.document, terminal_style()));
        if let Some(report) = &self.report {
            text.push_str(&format!("\nreport  {}\n", report.display()));
        }
        text
    }
}

/// What a comparison needs of a measurement, by the name that the study has for its configuration.
fn sample(cell: &ShownCell) -> Result<Sample, Failure> {
    let path = cell.record.as_deref().expect("what is done has a record");
    let record = read_record(path).map_err(Failure::execution)?;
    Ok(Sample::of_record(&record, path.display().to_string()).named(&cell.label, cell.attributes.clone()))
}

/// `report-sqlserver-log.html` of `report.html`.
fn with_profile(path: &Path, profile: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = profile.rsplit(['/', '\\']).next().unwrap_or(profile);
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let end = path.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{name}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_profiles_gets_a_page_of_its_own() {
        let check = |profile: &str, name: &str| {
            assert_eq!(with_profile(Path::new("out/report.html"), profile), Path::new(name));
        };
        check("sqlserver-log", "out/report-sqlserver-log.html");
        check("../loads/mine.toml", "out/report-mine.html");
    }
}
