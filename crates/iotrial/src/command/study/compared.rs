//! What a study came to: its configurations held against each other, one comparison for each profile.

use std::path::{Path, PathBuf};

use iotrial_analysis::comparison::{CompareRequest, Comparison, Sample};
use iotrial_model::study::Study;
use iotrial_report::document::Document;
use iotrial_session::store::read_record;
use iotrial_session::study::{CellState, CellStatus};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{harmless, say};
use crate::parallel::in_parallel;
use crate::presentation::text_of;
use crate::report_files::ReportFiles;

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
    /// The files of the report that are there.
    #[serde(skip)]
    written: Vec<PathBuf>,
}

impl Compared {
    /// Compares what is measured; a profile under which fewer than two configurations are is left out.
    pub fn all(study: &Study, cells: &[CellStatus]) -> Vec<Self> {
        let mut profiles: Vec<&str> = Vec::new();
        for cell in cells {
            if !profiles.contains(&cell.profile.as_str()) {
                profiles.push(&cell.profile);
            }
        }
        let compared = |profile: &str| {
            let is_done = |cell: &&CellStatus| cell.profile == profile && cell.state == CellState::Done;
            let done: Vec<&CellStatus> = cells.iter().filter(is_done).collect();
            // One configuration alone has nothing beside it; the state of the study says how far it is.
            let has_several = done.iter().any(|cell| cell.label != done[0].label);
            let compared =
                has_several.then(|| Comparison::new(samples(&done), &CompareRequest::default()))?;
            match compared {
                Ok(comparison) => {
                    let of_profile = cells.iter().filter(|cell| cell.profile == profile).count();
                    let measured = format!("{} of {of_profile} measurements are done", done.len());
                    Some(Self::new(study, profile, comparison, &measured))
                }
                // The records are safe, and the state of the study is to be seen.
                Err(error) => {
                    let (profile, error) = (harmless(profile), harmless(&error.to_string()));
                    say!("warning: no comparison under `{profile}`: {error}");
                    None
                }
            }
        };
        profiles.into_iter().filter_map(compared).collect()
    }

    fn new(study: &Study, profile: &str, comparison: Comparison, measured: &str) -> Self {
        let mut document = Document::of_comparison(&comparison);
        document.title = format!("{}: {}", study.title, comparison.subjects.join(", "));
        let order = if study.is_balanced() {
            "in an order with each configuration equally often in each place"
        } else {
            "in an order as even as it can be"
        };
        document.in_brief.insert(0, ("study", format!("{}, {measured}, {order}", study.name)));
        Self { profile: profile.to_owned(), report: None, comparison, document, written: Vec::new() }
    }

    /// Writes the comparison in every form that is wanted; `of_several` puts the profile into the names of the files.
    pub fn write(&mut self, files: &ReportFiles, of_several: bool) -> Result<(), Failure> {
        // By the name that it has in itself, which no other profile of the study has.
        let name = self.comparison.subjects.first().unwrap_or(&self.profile);
        let place = |path: &Path| if of_several { with_profile(path, name) } else { path.to_owned() };
        let files = files.with_paths(place);
        let (written, result) = files.write(&self.document);
        self.report = files.html_of(&written).map(Path::to_owned);
        self.written = written;
        result
    }

    /// As a terminal shows it.
    pub fn text(&self) -> String {
        let files: Vec<(&str, &Path)> = self.written.iter().map(|path| ("report", path.as_path())).collect();
        format!("profile  {}\n\n{}", harmless(&self.profile), text_of(&self.document, &files))
    }
}

/// What a comparison needs of each measurement, by the name that the study has for its configuration. A record that cannot
/// be read is left out.
fn samples(cells: &[&CellStatus]) -> Vec<Sample> {
    let path = |cell: &&CellStatus| cell.record.clone().expect("what is done has a record");
    let paths: Vec<PathBuf> = cells.iter().map(path).collect();
    let named = |(read, cell): (anyhow::Result<Sample>, &&CellStatus)| match read {
        Ok(sample) => Some(sample.named(&cell.label, cell.attributes.clone())),
        Err(error) => {
            // The study goes on to be shown: one damaged file of forty must not hide thirty-nine.
            say!("warning: left out of the comparison: {error:#}");
            None
        }
    };
    let sample = |path: &PathBuf| {
        let record = read_record(path)?;
        Ok(Sample::of_run(&record, path.display().to_string()))
    };
    in_parallel(&paths, sample).into_iter().zip(cells).filter_map(named).collect()
}

/// `report-sqlserver-log.html` of `report.html`.
fn with_profile(path: &Path, profile: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    // Names of profiles are free, those of files are not.
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let profile: String = profile.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    path.with_file_name(format!("{stem}-{profile}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_profiles_gets_a_page_of_its_own() {
        let check = |path: &str, profile: &str, name: &str| {
            assert_eq!(with_profile(Path::new(path), profile), Path::new(name));
        };
        check("out/report.html", "sqlserver-log", "out/report-sqlserver-log.html");
        check("report", "sqlserver-log", "report-sqlserver-log");
        check("report.md", "../mine", "report-..-mine.md");
    }
}
