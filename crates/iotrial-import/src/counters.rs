//! What others counted at disks and files: `iostat`, `sar`, both as JSON, `sadf`, PerfMon's CSV, snapshots of SQL Server and PostgreSQL, and
//! what `iotrial watch` recorded.
//!
//! Like results, counters are recognised by their content. Whatever of the counters is there is read; whoever needs more of them, such
//! as a demand, says what is lacking, and [`how_to_record`] it.

use iotrial_model::counters::{Counters, MOST_RATES};
use iotrial_model::demand::CounterDemandError;
use jiff::civil::DateTime;

use crate::ImportError;
use crate::text::{MOST_BYTES, Notes, decode, unpack};

mod reports;

mod iostat;

mod perfmon;

mod sar;

mod sadf;

mod sysstat_json;

mod snapshots;

mod node_exporter;

mod recording;

/// The most disks, or files of a database, that are read.
// Whoever looks at disks compares their names with each other, and no machine has a tenth of them.
const MOST_DISKS: usize = 8_192;

/// No larger log of PerfMon, or recording of `watch`, is read, packed or not. PerfMon's numbers have 20 digits: a week of 15 s of 64 disks
/// takes 500 MB with eight counters of each.
pub const MOST_LOG_BYTES: usize = 2 << 30;

/// Why counters could not be read. The message says nothing of the file: the caller names it.
#[derive(Debug, thiserror::Error)]
pub enum CountersError {
    /// The file cannot be read at all.
    #[error(transparent)]
    Unreadable(#[from] ImportError),
    /// It is something else.
    #[error(
        "it is neither `iostat -x`, nor `sar`, nor counters of PerfMon as CSV, nor a snapshot of file statistics with its header"
    )]
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
    /// It has names of counters, and no interval.
    #[error("there is no interval in it")]
    NoInterval {
        /// What it is.
        tool: &'static str,
    },
    /// It has more than is read.
    #[error("it has more than {MOST_RATES} intervals of disks, or more than {MOST_DISKS} disks")]
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
            Self::NoInterval { .. } => {
                Some("the recording ended before its first interval, or was cut off: record it again")
            }
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
    Sadf,
    Recording,
    Snapshots(snapshots::Kind),
    NodeExporter,
}

/// Whether a file begins as a log of PerfMon does, unpacked. Such a file may be larger than any other, and is nothing else.
pub fn looks_like_perfmon(head: &[u8]) -> bool {
    // As PowerShell writes it, every other byte is zero; and there may be a mark before it.
    let plain =
        head.iter().copied().filter(|byte| *byte != 0).skip_while(|byte| !byte.is_ascii_graphic()).take(6);
    let plain: Vec<u8> = plain.collect();
    plain.starts_with(b"\"(PDH-") || plain.starts_with(b"(PDH-")
}

fn kind_of(text: &str) -> Option<Kind> {
    let head = text.trim_start();
    // JSON first: the others look for words in lines, and a document could contain them.
    if head.starts_with('{') {
        if recording::is_recording(head) {
            return Some(Kind::Recording);
        }
        return head.contains("\"sysstat\"").then_some(Kind::Json);
    }
    // The quotes around the first cell are optional, as in any CSV.
    if head.starts_with("\"(PDH-") || head.starts_with("(PDH-") {
        return Some(Kind::Perfmon);
    }
    if sadf::is_sadf(head) {
        return Some(Kind::Sadf);
    }
    if let Some(kind) = snapshots::kind_of(head) {
        return Some(Kind::Snapshots(kind));
    }
    if node_exporter::is_it(head) {
        return Some(Kind::NodeExporter);
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
/// they are, and are broken or have nothing of disks in them.
pub fn read_counters(bytes: &[u8]) -> Result<Counters, CountersError> {
    // A packed one says what it is when it is unpacked.
    let head = crate::text::head_of(bytes);
    let is_log = looks_like_perfmon(&head) || recording::is_recording(&String::from_utf8_lossy(&head));
    let most = if is_log { MOST_LOG_BYTES } else { MOST_BYTES };
    // Before anything is unpacked, so that a huge file costs nothing.
    if bytes.len() > most {
        return Err(ImportError::too_large(most).into());
    }
    let bytes = unpack(bytes, most)?;
    let text = decode(&bytes, &mut Notes::default())?;
    let series = match kind_of(&text).ok_or(CountersError::Unknown)? {
        Kind::Json => sysstat_json::read(&text)?,
        Kind::Perfmon => match (perfmon::read(text.trim_start()), std::str::from_utf8(&bytes)) {
            // Names of another code page, of which Windows does not say which it is.
            (Err(error @ CountersError::Lacking { .. }), Err(_)) => {
                perfmon::read(&in_cyrillic_code_page(&bytes)).map_err(|_| error)?
            }
            (read, _) => read?,
        },
        Kind::Iostat => iostat::read(&text)?,
        Kind::Sar => sar::read(&text)?,
        Kind::Sadf => sadf::read(text.trim_start())?,
        Kind::Recording => recording::read(&text)?,
        Kind::Snapshots(kind) => return snapshots::read(text.trim_start(), kind).map(Counters::Snapshots),
        Kind::NodeExporter => return node_exporter::read(&text).map(Counters::Snapshots),
    };
    if series.interval_count == 0 {
        // Disks that did nothing did so in an interval.
        return Err(CountersError::NoInterval { tool: series.tool });
    }
    Ok(Counters::Series(series))
}

/// Bytes of Windows-1251, in which Windows saves Cyrillic.
fn in_cyrillic_code_page(bytes: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        0xc0.. => char::from_u32(0x410 + u32::from(*byte) - 0xc0).unwrap_or('\u{fffd}'),
        0xa8 => 'Ё',
        0xb8 => 'ё',
        0x80.. => '\u{fffd}',
        _ => char::from(*byte),
    };
    bytes.iter().map(letter).collect()
}

/// How reads and writes are recorded apart, each with its bytes, for a demand that lacks them; `None` of any other error.
pub fn how_to_record(error: &CounterDemandError) -> Option<&'static str> {
    let CounterDemandError::Lacking { tool } = error else { return None };
    match *tool {
        iostat::TOOL => Some("record it with -x: `iostat -x -y 15 5760` is a day"),
        sar::TOOL => {
            Some("`sar -d` has only both together; `sar -b -f FILE` and `sadf -j FILE -- -b` have them apart")
        }
        perfmon::TOOL => Some(perfmon::HOW_TO_RECORD),
        _ => None,
    }
}

/// A number as the writer's language has it: `0.13` or `0,13`; `None` for anything that is no rate.
fn rate(text: &str) -> Option<f64> {
    let text = text.trim();
    // Nearly all numbers have a point, and there are tens of millions of them in a large log. A comma beside a point would separate
    // thousands, and such a number is refused instead of guessed.
    let parsed = text.parse::<f64>().or_else(|error| match (text.contains(','), text.contains('.')) {
        (true, false) => text.replace(',', ".").parse::<f64>(),
        _ => Err(error),
    });
    // Negative rates come from counters that wrapped or were reset; the upper bound only catches garbage.
    parsed.ok().filter(|number| number.is_finite() && (0.0..1e15).contains(number))
}

/// Seconds since 1970 of `2020-06-01T10:20:30`, with or without a zone behind it: the clock of whoever wrote it.
fn dated(text: &str) -> Option<f64> {
    // Most lines are not.
    text.starts_with(|first: char| first.is_ascii_digit()).then_some(())?;
    // `06/01/20` is June in one country and January in another, and is read as no date.
    let at = DateTime::strptime("%Y-%m-%dT%H:%M:%S", text.get(..19)?).ok()?;
    Some(at.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64())
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
