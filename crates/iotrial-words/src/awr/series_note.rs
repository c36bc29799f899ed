//! Words for what to know of reports over time; all without a full stop.

use iotrial_model::awr::{FileFact, FileNote, SeriesNote, SlobNote};
use iotrial_model::load::Direction;

use super::part::missing_instances;
use super::{cut_off, on_cells};

/// Of the figures of a database.
pub fn series_note(note: &SeriesNote) -> String {
    match note {
        SeriesNote::MissingInstances(part) => missing_instances(part),
        SeriesNote::OnCells(cells) => on_cells(cells),
        SeriesNote::Doubt { file, other_files: 0, doubt } => format!("{file}: {doubt}"),
        SeriesNote::Doubt { file, other_files, doubt } => format!("{file} and {other_files} more: {doubt}"),
        SeriesNote::RoundedToZero(directions) => {
            let ios: Vec<&str> = directions.iter().map(|one| ios_of(*one)).collect();
            format!(
                "the source rounds throughput: 0 MiB/s of {} means too little for its decimals, not none",
                ios.join(" and ")
            )
        }
        SeriesNote::LongIntervals { intervals: 1, .. } => {
            "the interval is longer than two hours, so it hides busy minutes".to_owned()
        }
        SeriesNote::LongIntervals { long, intervals } => {
            format!("{long} of {intervals} intervals are longer than two hours, so they hide busy minutes")
        }
        SeriesNote::ClockMoved { seconds } => {
            let (sign, minutes) = (if *seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
            format!("its times are moved by {sign}{}:{:02} h", minutes / 60, minutes % 60)
        }
    }
}

/// Of runs of SLOB.
pub fn slob_note(note: &SlobNote) -> String {
    match note {
        SlobNote::CutOff(one) => file_note(one),
        SlobNote::NoTimes { reports } => {
            format!("{reports} reports have no times: each counts as a separate run")
        }
        SlobNote::SessionsNotNamed { files, of_files } => format!(
            "the names of {files} of {of_files} files do not state the number of sessions (as awr.txt.32 does): the average of active sessions is used"
        ),
        SlobNote::OtherDatabases { databases } => format!(
            "the reports are of {databases} databases, and no names of files say that they are one series: runs of different databases are not compared"
        ),
    }
}

/// Of a file, with its name.
pub fn file_note(note: &FileNote) -> String {
    format!("{}: {}", note.file, file_fact(&note.fact))
}

/// The same without its name.
pub fn file_fact(fact: &FileFact) -> String {
    match fact {
        FileFact::NoElapsedTime => "it does not state its elapsed time".to_owned(),
        FileFact::SameSnapshots { as_file } => format!("`{as_file}` covers the same snapshots"),
        FileFact::OverlapsItself => "two of its snapshots overlap in time".to_owned(),
        FileFact::OverlapsShorter { file } => {
            format!("`{file}` covers part of the same time with a shorter interval")
        }
        FileFact::SameInstance { as_file } => {
            format!("`{as_file}` covers the same time of the same instance")
        }
        FileFact::CutOff(cut) => cut_off(cut),
        FileFact::Unread(why) => why.clone(),
    }
}

/// The I/Os of a direction.
pub(super) const fn ios_of(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
    }
}
