//! The first words about reports that were cut off: which sections are missing, and what is not known without them.

use iotrial_model::awr::{CutOff, FileNote};
use iotrial_words::awr::{file_note, place_of_cut};

use super::section;
use crate::document::{Answer, Block, Section};

/// Files that are named.
const MOST_FILES: usize = 8;

/// For one report.
pub(super) fn of_report(cut: &CutOff) -> Section {
    let sentence = match cut.missing.len() {
        0 => "Later sections are missing. iotrial does not use them.".to_owned(),
        _ => "The figures below come only from what is left of the report. Copy the file again.".to_owned(),
    };
    let missing = cut.missing.iter().map(|one| format!("no {}: {}", one.section, one.effect));
    let mut points: Vec<String> = missing.collect();
    if !cut.after.is_empty() {
        points.push(format!("the last table, {}, may lack rows", cut.after));
    }
    said(format!("The report {}", place_of_cut(cut)), sentence, points)
}

/// For several reports; `None` if none is cut off.
pub(super) fn of_many(cut_off: &[FileNote], reports: usize) -> Option<Section> {
    let mut points: Vec<String> = cut_off.iter().take(MOST_FILES).map(file_note).collect();
    if cut_off.len() > MOST_FILES {
        points.push(format!("and {} more: --json has all", cut_off.len() - MOST_FILES));
    }
    let headline = match (cut_off.len(), reports) {
        (0, _) => return None,
        (1, 1) => "The report is cut off".to_owned(),
        (1, count) => format!("1 of {count} reports is cut off"),
        (cut, count) => format!("{cut} of {count} reports are cut off"),
    };
    let sentence = "If such a report is counted, only what is left of it counts.";
    Some(said(headline, sentence.to_owned(), points))
}

fn said(headline: String, sentence: String, points: Vec<String>) -> Section {
    let answer = Answer { is_good: Some(false), headline, sentence, points, lists: Vec::new() };
    section("cut-off", "", None, Block::Answer(answer))
}
