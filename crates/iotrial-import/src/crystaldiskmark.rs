//! CrystalDiskMark's text, versions 3 to 8, and that of its kin. Each line of figures is a test of its own.

use iotrial_model::imported::{ImportedJob, Stated, StatedLoad, StatedStream};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::scan::{count_after, number_and_unit};
use crate::text::{Notes, number, numbered, quote};
use crate::{ImportError, Reading};

/// A tool that writes such lines.
struct Kin {
    name: &'static str,
    /// What stands before its version.
    before_version: &'static str,
    mib_per_mb: f64,
    /// Whether its figures are means over several runs of a test, each for itself, so that they do not belong to one run.
    is_mean_of_loops: bool,
}

const KIN: [Kin; 2] = [
    // Its MB are 1,000,000 bytes, unlike those of diskspd, which it starts.
    Kin {
        name: "CrystalDiskMark",
        before_version: "CrystalDiskMark ",
        mib_per_mb: 1e6 / 1_048_576.0,
        is_mean_of_loops: false,
    },
    // It says the same and divides fio's KiB by 1,000 (`bw / 1000.0` in its source).
    Kin {
        name: "KDiskMark",
        before_version: "KDiskMark (",
        mib_per_mb: 1_000.0 / 1_024.0,
        is_mean_of_loops: true,
    },
];

fn kin(text: &str) -> Option<&'static Kin> {
    KIN.iter().find(|kin| text.contains(kin.before_version))
}

/// Whether a text is of one of them.
pub(crate) fn is_it(text: &str) -> bool {
    kin(text).is_some() && text.contains("MB/s")
}

/// What a section of version 7 and later measures.
#[derive(Clone, Copy)]
enum TestSection {
    Read,
    Write,
    Mix { read_percent: Option<f64> },
}

/// Reads all tests.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let kin = kin(text).unwrap_or(&KIN[0]);
    let version = text.lines().find_map(|line| line.trim().strip_prefix(kin.before_version));
    let version = version.and_then(|rest| rest.split([' ', ')']).next()).map(str::to_owned);
    let loops = kin.is_mean_of_loops.then(|| loops_of(text)).flatten();
    let mut section = None;
    let (size, date) = size_and_date(text);
    for (line, whole) in numbered(text) {
        let text = whole.trim();
        match text.split_once(']').map(|(head, rest)| (head.trim_start_matches('['), rest)) {
            Some(("Read", _)) => section = Some(TestSection::Read),
            Some(("Write", _)) => section = Some(TestSection::Write),
            Some(("Mix", rest)) => section = Some(TestSection::Mix { read_percent: percent_of(rest) }),
            _ => {}
        }
        // The line that explains the unit has no figure before it.
        // From the right, as the figures contain no colon.
        // Other tools of the same page write `MB/sec`, and have no tests of these names.
        let is_test = |(name, figures): &(&str, &str)| {
            let name = name.trim_start().to_ascii_lowercase();
            ["seq", "ran", "rnd"].iter().any(|start| name.starts_with(start))
                && figures.split_whitespace().any(|word| word == "MB/s")
        };
        let Some((name, figures)) = text.rsplit_once(':').filter(is_test) else {
            continue;
        };
        if text.starts_with('*') {
            continue;
        }
        let notes = &mut reading.notes;
        let stream = read_figures(figures, kin.mib_per_mb, line, notes);
        let mut load = load_of(name, section);
        load.size = size;
        let mut record = reading.record(kin.name, version.as_deref(), format!("line {line}"));
        // The file does not state the time zone of its clock.
        load.options.extend(date.clone().map(|date| ("date".to_owned(), date)));
        load.options.extend(loops.clone().map(|loops| (StatedLoad::MEAN_OF_RUNS.to_owned(), loops)));
        let name = quote(&name.split_whitespace().collect::<Vec<_>>().join(" "));
        let mut job = ImportedJob { name, ..ImportedJob::default() };
        match load.rwmix_read_percent {
            Some(100.0) => job.ops.read = Some(stream),
            Some(0.0) => job.ops.write = Some(stream),
            _ => job.ops.all = Some(stream),
        }
        job.load = load;
        // Each line is a run: the tests are made one after the other, and have loads of their own.
        record.jobs.push(job);
        reading.keep(record)?;
    }
    Ok(())
}

/// How large the file was and when it ran, which stand behind the figures.
fn size_and_date(text: &str) -> (Option<ByteSize>, Option<String>) {
    let (mut size, mut date) = (None, None);
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        match key.trim() {
            "Test" => size = size_at(value),
            "Date" => date = Some(quote(value)),
            _ => {}
        }
    }
    (size, date)
}

/// How often each test ran: `Test: 1 GiB (x2) [Measure: 5 sec / Interval: 5 sec]`; `None` of once.
fn loops_of(text: &str) -> Option<String> {
    let test = text.lines().find_map(|line| line.trim().strip_prefix("Test:"))?;
    let count = count_after(test, "(x")?;
    (count > 1).then(|| count.to_string())
}

/// `  3502.334 MB/s [   3340.1 IOPS] <  2392.88 us>`
fn read_figures(figures: &str, mib_per_mb: f64, line: usize, notes: &mut Notes) -> StatedStream {
    let at = || format!("line {line}");
    let before = |unit: &str, from: char| {
        // A text without the unit splits into itself, which its length shows.
        let text = figures.split(unit).next().filter(|text| text.len() < figures.len())?;
        Some(text.rsplit(from).next().unwrap_or(text))
    };
    let mut stream = StatedStream {
        bandwidth_mib_per_s: number(before("MB/s", ':').unwrap_or_default(), at, notes)
            .map(|mb| mb.times(mib_per_mb)),
        iops: before("IOPS", '[').and_then(|iops| number(iops, at, notes)),
        ..StatedStream::default()
    };
    stream.total_latency.mean_us = before("us>", '<').and_then(|us| number(us, at, notes));
    stream
}

/// `SEQ    1MiB (Q=  8, T= 1)`, `Random Read 4KiB (Q= 32,T= 1)`, `Random Read 4KB (QD=32)`,
/// `Sequential Read`.
fn load_of(name: &str, section: Option<TestSection>) -> StatedLoad {
    let words = name.to_ascii_lowercase();
    let depth = count_after(&words, "(q=").or_else(|| count_after(&words, "(qd="));
    let load = StatedLoad {
        pattern: match () {
            () if words.contains("rnd") || words.contains("random") => Some(Pattern::Random),
            () if words.contains("seq") => Some(Pattern::Sequential),
            () => None,
        },
        rwmix_read_percent: match section {
            // The name of a test goes before the section: before version 7 each line names its direction.
            _ if words.contains("read") => Some(100.0),
            _ if words.contains("write") => Some(0.0),
            Some(TestSection::Read) => Some(100.0),
            Some(TestSection::Write) => Some(0.0),
            Some(TestSection::Mix { read_percent }) => read_percent,
            None => None,
        },
        iodepth: depth,
        // A depth without threads is one thread; without a depth nothing is known.
        numjobs: count_after(&words, "t=").or(depth.map(|_| 1)),
        ..StatedLoad::default()
    };
    let description = words.split('(').next().unwrap_or_default();
    load.with_block_size(size_at(description))
}

/// The first size among words: `1MiB`, `4 KiB`, `512KB`. In names of tests KB are KiB.
fn size_at(text: &str) -> Option<ByteSize> {
    let text = text.to_ascii_lowercase();
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (number, unit) = number_and_unit(&text[start..]);
    let shift = match unit.as_bytes().first()? {
        // By the first letter: `KB`, `KiB` and `K` all occur, and mean 1,024 here.
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift).map(ByteSize::bytes)
}

/// ` Read 70%/Write 30%`
fn percent_of(text: &str) -> Option<f64> {
    let share = text.split_once("Read")?.1.split('%').next()?;
    Stated::parse(share).map(|share| share.value).filter(|share| (0.0..=100.0).contains(share))
}
