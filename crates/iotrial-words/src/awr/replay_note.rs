//! Words for a load that is made again from reports, without a full stop.

use iotrial_model::awr::{AwrFigure, Derivation, FigureOrigin, FigurePlace, ReplayNote};
use iotrial_model::load::Direction;

use super::demand_note::level_words;
use super::series_note::ios_of;
use crate::numbers::{latency_in_words, number_in_words};

/// What to know of the load.
pub fn replay_note(note: &ReplayNote) -> String {
    match *note {
        ReplayNote::BlockAssumed { kib } => {
            format!("the reports do not state the block size of the database: {kib} KiB is assumed")
        }
        ReplayNote::BytesRounded(direction) => format!(
            "the reports round the bytes of {} to 0 MiB/s: one block per I/O is assumed",
            ios_of(direction)
        ),
        ReplayNote::ReadsNotSeparate => "the reports do not separate single-block reads: iotrial assumes the mix of single blocks and requests of 1 MiB that gives the reported bytes".to_owned(),
        ReplayNote::RedoNotSeparate => {
            "the reports do not count redo writes separately: they are among the other writes".to_owned()
        }
        ReplayNote::NoRedo => "the reports have almost no redo, so the load has no log".to_owned(),
        ReplayNote::NoWait { role, stream } => format!(
            "the reports have no wait that shows the latency of {role} {}s, so they are not judged",
            stream.as_str()
        ),
        ReplayNote::FewWaits { figure, waits_per_s, reads_per_s } => format!(
            "sessions waited for {} only {} times per second, but there were {} such reads: most were issued in groups, as with direct path, so the mean wait is not the latency of one read, and no limit is set",
            waited_for(figure),
            number_in_words(waits_per_s),
            number_in_words(reads_per_s)
        ),
        ReplayNote::Rare { figure, iops } => format!(
            "`{}` happens {iops:.2} times per second, which is too rare to judge within ten minutes, so no limit is set",
            figure.title()
        ),
        ReplayNote::FromMemory { figure, mean_us } => format!(
            "{} took {}: it was served from memory (the cache of a file system or of Exadata), and no volume can be as fast; use --thresholds flash for what databases usually need",
            waited_for(figure),
            latency_in_words(mean_us)
        ),
    }
}

/// What a latency is of.
const fn waited_for(figure: AwrFigure) -> &'static str {
    match figure {
        AwrFigure::SingleBlockReadUs => "a single-block read",
        AwrFigure::MultiBlockReadUs => "a multi-block read into the cache",
        AwrFigure::RedoWriteUs => "log file parallel write",
        AwrFigure::CommitUs => "log file sync",
        figure => figure.title(),
    }
}

/// Where a rate or a limit is from.
pub fn figure_origin(origin: &FigureOrigin) -> String {
    let title = origin.figure.title();
    let place = match &origin.place {
        FigurePlace::Printed(place) => format!("{title}: {place}"),
        FigurePlace::AtLevel(level) => format!("{title}: {}", level_words(*level)),
        FigurePlace::MeanOver(intervals) => format!("{title}: the mean over {intervals} intervals"),
        FigurePlace::NotStated => title.to_owned(),
    };
    let direction = if origin.figure == AwrFigure::Writes { Direction::Write } else { Direction::Read };
    match origin.derivation {
        Derivation::Same => place,
        Derivation::Rest => format!("all {} minus the others below; {place}", ios_of(direction)),
        Derivation::All => {
            format!("all {}, which the source does not separate; {place}", ios_of(direction))
        }
        Derivation::ByBytes => format!("from the bytes; {place}"),
    }
}
