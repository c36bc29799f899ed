//! What an operating system counted at its disks: `iostat -x`, `sar -b`, both as JSON, and PerfMon's CSV.
//!
//! Like results, counters are recognised by their content. What they lack for a demand (reads and writes
//! apart, with their bytes) is an error that says how to record it.

use iotrial_model::counters::CounterSeries;

use crate::ImportError;
use crate::text::{MOST_BYTES, Notes, decode, unpack};

mod iostat;

mod perfmon;

mod sar;

mod sysstat_json;

/// The most rates (disks times intervals) that are read.
// A choice: a day of seconds of 46 disks. Beyond it a file is several machines or made to be large.
const MOST_RATES: usize = 4_000_000;

/// Why counters could not be read. The message says nothing of the file: the caller names it.
#[derive(Debug, thiserror::Error)]
pub enum CountersError {
    /// The file cannot be read at all.
    #[error(transparent)]
    Unreadable(#[from] ImportError),
    /// It is something else.
    #[error("it is neither `iostat -x`, nor `sar -b`, nor counters of PerfMon as CSV")]
    Unknown,
    /// It is of a known kind, and lacks what is needed.
    #[error("it is {tool} without {missing}")]
    Lacking {
        /// What it is.
        tool: &'static str,
        /// What it lacks.
        missing: &'static str,
        /// How to record it.
        hint: &'static str,
    },
    /// It is of a known kind, and cannot be understood.
    #[error("{place}: {message}")]
    Broken {
        /// Where in the file, such as `line 12`.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// It has more than is read.
    #[error("it has more than {MOST_RATES} rates of disks")]
    TooMany,
}

impl CountersError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable(error) => error.hint(),
            Self::Unknown => Some(
                "`iostat -x -y 15 5760` over a day, `sar -b -f FILE`, `sadf -j FILE -- -b`, or `typeperf` and `relog -f CSV` of \\PhysicalDisk(*)",
            ),
            Self::Lacking { hint, .. } => Some(hint),
            Self::Broken { .. } => Some("the file is probably cut off or was edited: copy it again"),
            Self::TooMany => Some("split it by time"),
        }
    }
}

/// The formats that are told apart here.
enum Kind {
    Json,
    Perfmon,
    Iostat,
    Sar,
}

fn kind_of(text: &str) -> Option<Kind> {
    let head = text.trim_start();
    // JSON first: the others look for words in lines, and a document could contain them.
    if head.starts_with('{') {
        return head.contains("\"sysstat\"").then_some(Kind::Json);
    }
    // The quotes around the first cell are optional, as in any CSV.
    if head.starts_with("\"(PDH-") || head.starts_with("(PDH-") {
        return Some(Kind::Perfmon);
    }
    // Every header has one of these words. Most files that are asked about are something else, and this search takes a fraction of
    // the time of a look at each word of each line; by line once more, because pages have them too, as in `https`.
    let may_be = |text: &str| text.contains("tps") || text.contains("Device");
    if !may_be(head) {
        return None;
    }
    let is_sysstat = |line: &str| may_be(line) && (iostat::is_header(line) || sar::is_header(line));
    let header = head.lines().find(|line| is_sysstat(line))?;
    Some(if iostat::is_header(header) { Kind::Iostat } else { Kind::Sar })
}

/// Reads counters, whatever wrote them.
///
/// # Errors
///
/// [`CountersError::Unknown`] or [`CountersError::Unreadable`] where nothing says that they are counters; another one where
/// they are, and are broken or have no reads and writes of disks in them.
pub fn read_counters(bytes: &[u8]) -> Result<CounterSeries, CountersError> {
    // Before anything is unpacked, so that a huge file costs nothing.
    if bytes.len() > MOST_BYTES {
        return Err(ImportError::too_large(MOST_BYTES).into());
    }
    let bytes = unpack(bytes, MOST_BYTES)?;
    let text = decode(&bytes, &mut Notes::default())?;
    match kind_of(&text).ok_or(CountersError::Unknown)? {
        Kind::Json => sysstat_json::read(&text),
        Kind::Perfmon => perfmon::read(text.trim_start()),
        Kind::Iostat => iostat::read(&text),
        Kind::Sar => sar::read(&text),
    }
}

/// A number as the writer's language has it: `0.13` or `0,13`; `None` for anything that is no rate.
fn rate(text: &str) -> Option<f64> {
    let text = text.trim();
    // A comma beside a point would separate thousands, and such a number is refused instead of guessed.
    let parsed = if text.contains(',') && !text.contains('.') {
        text.replace(',', ".").parse::<f64>()
    } else {
        text.parse::<f64>()
    };
    // Negative rates come from counters that wrapped or were reset; the upper bound only catches garbage.
    parsed.ok().filter(|number| number.is_finite() && (0.0..1e15).contains(number))
}

/// The middle one of the times between neighbours; `None` without any. A gap or a change of the clock does
/// not move it.
fn usual_step(times_s: &[f64]) -> Option<f64> {
    // Steps of zero or less are a clock that was set back.
    let mut steps: Vec<f64> =
        times_s.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied()
}

#[cfg(test)]
mod tests;
