//! What vdbench writes for each run, 5.00 to 5.04: the flat file of raw I/O and that of file systems, columns by the names in their
//! header; and the summary and the totals of both, which have names in two lines.
//!
//! The average of a run is taken over; its intervals are not.
//!
//! A test writes a folder: the flat file, the totals and the summary have the same runs with more or fewer digits, and each host, slave,
//! storage and workload has a file of its part of them. Only one file of a folder is read; the others lie beside it.

use iotrial_model::imported::{
    CpuBasis, ImportedJob, Stated, StatedCpu, StatedLatency, StatedLoad, StatedOps, StatedStream,
};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::scan::{after, binary_size};
use crate::text::{Notes, as_count, number, numbered, quote};
use crate::{ImportError, Reading};

/// Most columns that are read of a line; the flat file of a file system has some ninety.
const MOST_COLUMNS: usize = 256;

/// Sizes of I/Os that differ by more than this share of a byte on average are mixed.
const ONE_SIZE: f64 = 0.5;

/// Whether a text is one of vdbench's.
pub(crate) fn is_vdbench(text: &str) -> bool {
    // A word that all have is looked for first, as it is fast over a large text.
    (text.contains("eqrate") || text.contains("1024**2") || text.contains(FILE_OPERATIONS))
        && text.lines().any(|line| {
            is_header(line) || is_second_header(line) || is_file_header(line) || is_explained_interval(line)
        })
}

/// The comment that explains the column of the intervals.
fn is_explained_interval(line: &str) -> bool {
    line.starts_with('*') && line.contains("Reporting interval number")
}

/// Whether a line names the columns of a flat file.
fn is_header(line: &str) -> bool {
    // The first names are enough, and bound what a hostile line costs.
    let names: Vec<&str> = line.split_whitespace().take(24).collect();
    ["interval", "reqrate", "rate", "MB/sec"]
        .iter()
        .all(|name| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// The second line of the names of a summary: `rate  1024**2     i/o    pct     time …`.
fn is_second_header(line: &str) -> bool {
    let mut names = line.split_whitespace();
    names.next() == Some("rate") && names.next() == Some("1024**2")
}

/// Stands above the rate and the response time of all operations in the summary of a file system.
const FILE_OPERATIONS: &str = ".ReqstdOps..";

/// The first line of the names of the summary of a file system: `.Interval. .ReqstdOps... ...cpu%...  read ....read..... …`.
fn is_file_header(line: &str) -> bool {
    line.contains(FILE_OPERATIONS) && line.contains(".Interval.")
}

/// The names of the summary of a file system. A name of the first line, between dots, stands above one or two columns of the second:
/// `....read.....` above `rate   resp`. Which ones go together is told by the second line alone.
fn file_names(first: &str, second: &str) -> Vec<String> {
    let mut groups = first
        .split_whitespace()
        .skip_while(|group| group.trim_matches('.') != "Interval")
        .skip(1)
        .map(|group| group.trim_matches('.'));
    let mut names: Vec<String> = ["tod", "interval"].map(str::to_owned).to_vec();
    let mut words = second.split_whitespace().take(MOST_COLUMNS).peekable();
    while let Some((group, word)) = groups.next().zip(words.next()) {
        // The names of the flat file, so that both are read alike.
        names.push(match (group, word) {
            ("ReqstdOps", "rate") => "Rate".to_owned(),
            ("cpu%", "total") => "cpu_used".to_owned(),
            ("read", "pct") => "read%".to_owned(),
            ("mb/sec", "read") => "MB_read".to_owned(),
            ("mb/sec", "total") => "MB/sec".to_owned(),
            ("xfer", "size") => "Xfersize".to_owned(),
            (operation, word) => format!("{operation}_{word}"),
        });
        let goes_with =
            |next: &&str| matches!((word, *next), ("rate", "resp") | ("total", "sys") | ("read", "write"));
        match words.next_if(goes_with) {
            Some("sys") => names.push("cpu_kernel".to_owned()),
            Some("write") => names.push("MB_write".to_owned()),
            Some(word) => names.push(format!("{group}_{word}")),
            None => {}
        }
    }
    names
}

/// The names of a summary, each of both lines: `i/o` and `rate`. A date and the word `interval` stand before them.
fn joined_names(first: &str, second: &str) -> Vec<String> {
    let first: Vec<&str> = first.split_whitespace().take(MOST_COLUMNS).collect();
    let at = first.iter().position(|name| name.eq_ignore_ascii_case("interval")).map_or(0, |at| at + 1);
    let pairs = first[at..].iter().zip(second.split_whitespace());
    let joined = pairs.map(|(first, second)| match (*first, second) {
        ("i/o", "rate") => "rate".to_owned(),
        (_, "1024**2") => "MB/sec".to_owned(),
        ("bytes", "i/o") => "bytes/io".to_owned(),
        ("read", "pct") => "read%".to_owned(),
        ("resp", "time") => "resp".to_owned(),
        ("resp", "stddev") => "resp_std".to_owned(),
        ("queue", "depth") => "queue_depth".to_owned(),
        (direction, "stddev") => format!("{direction}_std"),
        (direction @ ("read" | "write" | "resp"), what) => format!("{direction}_{what}"),
        (first, second) => format!("{first} {second}"),
    });
    ["tod", "interval"].map(str::to_owned).into_iter().chain(joined).collect()
}

/// A row with its header.
struct VdbenchRow<'r> {
    line: usize,
    columns: &'r [String],
    cells: Vec<&'r str>,
}

impl<'r> VdbenchRow<'r> {
    fn cell(&self, name: &str) -> Option<&'r str> {
        let index = self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
        self.cells.get(index).copied()
    }

    fn stated(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        // `max` and `curve` are rates that were asked for, without a number.
        let cell = self.cell(name).filter(|cell| !matches!(*cell, "n/a" | "max" | "curve"))?;
        number(cell, || format!("line {}, `{name}`", self.line), notes)
    }

    /// Milliseconds as µs.
    fn ms(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        self.stated(name, notes).map(|ms| ms.times(1e3))
    }

    /// Whether it counts the operations of a file system.
    fn is_of_files(&self) -> bool {
        self.columns.iter().any(|column| column.eq_ignore_ascii_case("Read_rate"))
    }
}

/// What the summary says of the run that it is about to show.
#[derive(Default)]
struct AnnouncedRun {
    name: Option<String>,
    load: StatedLoad,
}

/// Files of a folder that have all of its runs, the one with the most digits first.
const WHOLES: [&str; 3] = ["flatfile.html", "totals.html", "summary.html"];

/// The folder and the file that vdbench wrote, by the title: `Vdbench output/flatfile.html`.
fn titled(text: &str) -> Option<(&str, &str)> {
    let title = text.lines().next()?.split_once("<title>")?.1.split_once("</title>")?.0;
    title.trim().strip_prefix("Vdbench ").unwrap_or(title.trim()).rsplit_once('/')
}

/// The file beside this one that tells the same runs better.
fn whole_beside(text: &str, reading: &mut Reading<'_>) -> Option<&'static str> {
    let (folder, name) = titled(text)?;
    let better = WHOLES.iter().take_while(|whole| **whole != name);
    better.copied().find(|whole| {
        let Some(bytes) = reading.look_beside(whole) else { return false };
        let bytes = String::from_utf8_lossy(&bytes);
        // Of the same test, and with the average of a run in it.
        titled(&bytes) == Some((folder, whole)) && bytes.contains(" avg_") && is_vdbench(&bytes)
    })
}

/// Reads all runs.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    if let Some(whole) = whole_beside(text, reading) {
        return Err(ImportError::Part { whole });
    }
    let mut columns: Vec<String> = Vec::new();
    let mut announced = AnnouncedRun::default();
    // Comments explain the columns in their order, which is what there is where the header was lost.
    let mut explained: Vec<String> = Vec::new();
    let mut course = IntervalTimes::default();
    let mut before = "";
    let (mut is_told, mut was_idle) = (false, false);
    for (line, whole) in numbered(text) {
        let plain = without_tags(whole);
        let text = plain.trim();
        if let Some(comment) = text.strip_prefix('*') {
            let name = comment.split_once(" : ").map(|(name, _)| name.trim());
            let name = name.or_else(|| comment.split_once(": ").map(|(name, _)| name.trim()));
            let name = name.filter(|name| !name.is_empty() && !name.contains([' ', '\'']));
            if explained.len() < MOST_COLUMNS {
                explained.extend(name.map(str::to_owned));
            }
            continue;
        }
        if text.is_empty() {
            continue;
        }
        if is_header(text) {
            columns = text.split_whitespace().take(MOST_COLUMNS).map(str::to_owned).collect();
            continue;
        }
        if is_second_header(text) {
            columns = joined_names(&without_tags(before), text);
            continue;
        }
        if is_file_header(&without_tags(before)) {
            columns = file_names(&without_tags(before), text);
            before = whole;
            continue;
        }
        before = whole;
        if let Some((_, words)) = text.split_once("Starting RD=") {
            announced = announced_of(words);
            continue;
        }
        if columns.is_empty() {
            columns = columns_of_comments(&explained, text);
        }
        let row = VdbenchRow {
            line,
            columns: &columns,
            cells: text.split_whitespace().take(MOST_COLUMNS).collect(),
        };
        // A line of fewer words is a message.
        if columns.is_empty() || row.cells.len() < 5 {
            continue;
        }
        let Some(interval) = row.cell("interval") else { continue };
        // The averages are the run; its intervals have a time of day only.
        if !interval.starts_with("avg") {
            course.add(&row, interval);
            // Once for each file: every run has them.
            if !interval.is_empty() && interval.bytes().all(|byte| byte.is_ascii_digit()) && !is_told {
                is_told = true;
                reading
                    .notes
                    .warn_line(line, "the averages of the runs are imported, but not their intervals");
            }
            continue;
        }
        let mut ops = if row.is_of_files() {
            file_ops_of(&row, &mut reading.notes)
        } else {
            ops_of(&row, &mut reading.notes)
        };
        let runtime_s = std::mem::take(&mut course).length_s(interval);
        for stream in [&mut ops.read, &mut ops.write, &mut ops.all].into_iter().flatten() {
            stream.runtime_s = runtime_s;
        }
        if ops.streams().next().is_none() {
            was_idle = true;
            reading.notes.warn_line(line, "the run neither read nor wrote: its operations are not imported");
            continue;
        }
        let mut record = reading.record("vdbench", None, format!("line {line}"));
        let name = row.cell("Run").map(quote).or_else(|| announced.name.clone());
        let mut load = load_of(&row, &announced.load, &mut reading.notes);
        if let Some(at) = row.cell("timestamp") {
            record.measured_at = time_of(at);
            load.options.insert("timestamp".to_owned(), quote(at));
        }
        let mut share = |name: &str| row.stated(name, &mut reading.notes);
        let cpu = StatedCpu {
            usr_percent: share("cpu_user"),
            sys_percent: share("cpu_kernel"),
            per_io_us: None,
            of: CpuBasis::Host,
        };
        record.cpu = Some(cpu).filter(|cpu| cpu.usr_percent.is_some());
        let name = name.unwrap_or_else(|| "run".to_owned());
        record.jobs.push(ImportedJob { name, load, ops, ..ImportedJob::default() });
        reading.keep(record)?;
    }
    if reading.records.is_empty() && was_idle {
        return Err(reading.no_result("no run in it read or wrote, and other operations are not imported"));
    }
    Ok(())
}

/// The names of the columns by the comments that explain them, as a row of averages has its interval where they say. Before the first
/// of them are the time of day and, in later versions, the date.
fn columns_of_comments(explained: &[String], row: &str) -> Vec<String> {
    let at = explained.iter().position(|name| name.eq_ignore_ascii_case("interval"));
    let cell = row.split_whitespace().take(8).position(|cell| cell.starts_with("avg_"));
    let Some(missing) = at.zip(cell).and_then(|(at, cell)| cell.checked_sub(at)) else { return Vec::new() };
    let first = ["tod", "timestamp"].map(str::to_owned).into_iter().chain(std::iter::repeat(String::new()));
    first.take(missing).chain(explained.iter().cloned()).collect()
}

/// When the intervals of a run ended, in seconds of the day: their length follows.
#[derive(Default)]
struct IntervalTimes {
    first: Option<(f64, f64)>,
    last: Option<(f64, f64)>,
}

impl IntervalTimes {
    fn add(&mut self, row: &VdbenchRow<'_>, interval: &str) {
        let Some(end) = interval.parse::<u32>().ok().map(f64::from).zip(row.cell("tod").and_then(seconds_of))
        else {
            return;
        };
        self.first = self.first.or(Some(end));
        self.last = Some(end);
    }

    /// How long the intervals of an average are together, such as `avg_2-60`; `None` without the intervals themselves, and where they
    /// go past midnight.
    fn length_s(self, average: &str) -> Option<Stated> {
        let (from, to) = average.strip_prefix("avg_")?.split_once('-')?;
        let count = f64::from(to.parse::<u32>().ok()?) - f64::from(from.parse::<u32>().ok()?) + 1.0;
        let ((first, start), (last, end)) = (self.first?, self.last?);
        let length = (end - start) / (last - first);
        // Times of day are those of the report, some hundredths after the end of an interval.
        (last > first && end > start && count > 0.0)
            .then(|| Stated { value: (length * count * 10.0).round() / 10.0, resolution: 0.1 })
    }
}

/// `11:31:32.026`
fn seconds_of(time: &str) -> Option<f64> {
    let mut parts = time.splitn(3, ':');
    let (hours, minutes) = (parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?);
    let seconds = Stated::parse(parts.next()?)?.value;
    Some(f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + seconds)
}

/// A line of a page without its tags.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        // What is not closed is no tag, but text.
        let Some((_, after)) = after.split_once('>') else { break };
        text.push_str(before);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// `04/18/2019-11:31:32-UTC`; other zones are words that stand for several.
fn time_of(text: &str) -> Option<String> {
    let time = text.strip_suffix("-UTC").or_else(|| text.strip_suffix("-GMT"))?;
    let time = jiff::civil::DateTime::strptime("%m/%d/%Y-%H:%M:%S", time).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().to_string())
}

/// `rd1; I/O rate: 1000; elapsed=60; For loops: xfersize=4k threads=8`, of a file system `rd1; elapsed=60; fwdrate=1000. For loops: …`
fn announced_of(text: &str) -> AnnouncedRun {
    let name = text.split([';', ' ']).next().unwrap_or_default();
    let value = |key: &str| after(text, key, &[' ', ';', ',']);
    let number = |key: &str| value(key).and_then(Stated::parse).map(|stated| stated.value);
    let size = value("xfersize=").and_then(binary_size).filter(|size| size.get() > 0);
    let load = StatedLoad {
        rwmix_read_percent: number("rdpct=").filter(|share| (0.0..=100.0).contains(share)),
        outstanding: number("threads=").filter(|threads| *threads >= 1.0).map(|n| as_count(Stated::exact(n))),
        rate_iops: number("I/O rate: ")
            .or_else(|| number("fwdrate="))
            .filter(|rate| (1.0..999_980.0).contains(rate)),
        runtime_s: number("elapsed=").filter(|seconds| *seconds > 0.0),
        ..StatedLoad::default()
    };
    AnnouncedRun { name: Some(quote(name)).filter(|name| !name.is_empty()), load: load.with_block_size(size) }
}

fn ops_of(row: &VdbenchRow<'_>, notes: &mut Notes) -> StatedOps {
    let mut all = StatedStream {
        iops: row.stated("rate", notes),
        // Of 1,048,576 bytes.
        bandwidth_mib_per_s: row.stated("MB/sec", notes),
        ..StatedStream::default()
    };
    all.total_latency = StatedLatency {
        mean_us: row.ms("resp", notes),
        max_us: row.ms("resp_max", notes),
        stddev_us: row.ms("resp_std", notes),
        ..StatedLatency::default()
    };
    let reads = row.stated("read%", notes).map(|share| share.value);
    let mut ops = StatedOps::default();
    match reads {
        _ if all.is_idle() => {}
        Some(100.0) => ops.read = Some(all),
        Some(0.0) => ops.write = Some(all),
        // A mix states rate and bandwidth of both together, and only the latencies of each.
        _ => {
            let mut one = |kind: &str| {
                let total_latency = StatedLatency {
                    mean_us: row.ms(&format!("{kind}_resp"), notes),
                    max_us: row.ms(&format!("{kind}_max"), notes),
                    stddev_us: row.ms(&format!("{kind}_std"), notes),
                    ..StatedLatency::default()
                };
                let stream = StatedStream { total_latency, ..StatedStream::default() };
                Some(stream).filter(|stream| !stream.is_idle())
            };
            (ops.read, ops.write) = (one("read"), one("write"));
            ops.all = Some(all);
        }
    }
    ops
}

/// Reads and writes among the operations of a file system.
fn file_ops_of(row: &VdbenchRow<'_>, notes: &mut Notes) -> StatedOps {
    let mut of = |kind: &str| {
        let mut stream = StatedStream {
            iops: row.stated(&format!("{kind}_rate"), notes),
            bandwidth_mib_per_s: row.stated(&format!("MB_{kind}"), notes),
            ..StatedStream::default()
        };
        stream.total_latency = StatedLatency {
            mean_us: row.ms(&format!("{kind}_resp"), notes),
            max_us: row.ms(&format!("{kind}_resp_max"), notes),
            stddev_us: row.ms(&format!("{kind}_resp_std"), notes),
            ..StatedLatency::default()
        };
        Some(stream).filter(|stream| !stream.is_idle())
    };
    StatedOps { read: of("read"), write: of("write"), ..StatedOps::default() }
}

fn load_of(row: &VdbenchRow<'_>, announced: &StatedLoad, notes: &mut Notes) -> StatedLoad {
    let number = |name: &str, notes: &mut Notes| row.stated(name, notes).map(|stated| stated.value);
    let size = row.stated("xfersize", notes).filter(|size| size.value > 0.0);
    let (asked, mean) = if row.is_of_files() {
        // What the I/Os of a file system had on average: the size that was asked for only where it is one that somebody asks for. The
        // end of each file makes others of it, such as 129,576 of 131,072 bytes.
        let is_asked_for = |size: &ByteSize| size.get().is_power_of_two();
        (size.map(as_count).map(ByteSize::bytes).filter(is_asked_for), size)
    } else {
        // Of several sizes vdbench names the first one; what the I/Os had on average is told beside it.
        let mean = row.stated("bytes/io", notes).filter(|mean| mean.value > 0.0);
        (size.map(as_count).map(ByteSize::bytes), mean)
    };
    let asked = asked.or(announced.block_size());
    let is_one_size =
        |size: ByteSize| mean.is_none_or(|mean| (mean.value - size.get() as f64).abs() <= ONE_SIZE);
    let size = asked.filter(|size| is_one_size(*size));
    // vdbench's threads are its outstanding I/Os.
    let threads = row.stated("threads", notes).map(as_count).filter(|threads| *threads > 0);
    let threads = threads.or(announced.outstanding);
    let queue_depth = row.stated("queue_depth", notes);
    let load = StatedLoad {
        pattern: match number("seekpct", notes) {
            Some(100.0) => Some(Pattern::Random),
            Some(0.0) => Some(Pattern::Sequential),
            _ => None,
        },
        rwmix_read_percent: number("rdpct", notes)
            .filter(|share| *share <= 100.0)
            .or(announced.rwmix_read_percent),
        outstanding: threads.filter(|threads| {
            // Of each storage and each host, of which the file does not say how many there were: a deeper queue shows that there were
            // several. Means of what was in flight are rounded.
            queue_depth.is_none_or(|depth| depth.value <= *threads as f64 * 1.02 + depth.resolution)
        }),
        rate_iops: number("reqrate", notes)
            // Rates from 999,980 on are vdbench's codes for «as fast as possible» and its kin.
            .filter(|rate| (1.0..999_980.0).contains(rate))
            .or(announced.rate_iops),
        runtime_s: announced.runtime_s,
        options: row
            .columns
            .iter()
            .zip(&row.cells)
            .filter(|(name, _)| {
                let known = [
                    "reqrate", "xfersize", "bytes/io", "threads", "rdpct", "seekpct", "rhpct", "whpct",
                    "lunsize",
                ];
                known.iter().any(|one| name.eq_ignore_ascii_case(one))
            })
            .map(|(name, cell)| (name.to_ascii_lowercase(), quote(cell)))
            .collect(),
        ..StatedLoad::default()
    };
    load.with_block_size(size)
}

#[cfg(test)]
mod tests {
    use crate::{ForeignFile, Imported, Naming, import};

    fn read(text: &str) -> Imported {
        let file = ForeignFile { name: "v.html", bytes: text.as_bytes(), beside: &|_| None };
        import(&file, &Naming::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_summary_has_its_names_in_two_lines_and_its_load_in_the_line_before() {
        let text = "<title>v/summary.html</title><pre>\n\
            <a name=\"_1\"></a><i><b>09:01:25.100 Starting RD=rd1; I/O rate: 1000; elapsed=4; For loops: xfersize=4k threads=8 rdpct=70</b></i>\n\n\
            Jul 24, 2018  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%\n\
            \x20                            rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys\n\
            09:01:26.061         1    1010.00     3.95    4096  70.20    1.180    1.100    1.368    9.800    0.500   1.2   4.1   2.2\n\
            09:01:27.061         2     990.00     3.87    4096  69.80    1.200    1.100    1.431    8.800    0.500   1.2   4.1   2.2\n\
            09:01:28.061         3    1000.00     3.91    4096  70.00    1.190    1.100    1.400    8.700    0.500   1.2   4.1   2.2\n\
            09:01:28.071   avg_2-3     995.00     3.89    4096  69.90    1.195    1.100    1.416    8.800    0.500   1.2   4.1   2.2\n";
        let imported = read(text);
        let [record] = &imported.records[..] else { panic!("{imported:#?}") };
        let job = &record.jobs[0];
        let all = job.ops.all.as_ref().unwrap();
        assert_eq!((job.name.as_str(), all.iops.unwrap().value), ("rd1", 995.0));
        assert_eq!(all.bandwidth_mib_per_s.unwrap().value, 3.89);
        assert_eq!(all.runtime_s.unwrap().value, 2.0);
        let read = job.ops.read.as_ref().unwrap();
        assert_eq!(read.total_latency.mean_us.unwrap().value, 1_100.0);
        let load = &job.load;
        assert_eq!(
            (load.outstanding, load.rate_iops, load.rwmix_read_percent),
            (Some(8), Some(1_000.0), Some(70.0))
        );
        assert_eq!(load.block_size().unwrap().get(), 4_096);
        assert_eq!(record.warnings.len() + imported.warnings.len(), 1, "{record:#?}");
    }

    /// The layout of 5.04.06: a summary with its intervals, and the lines of totals.
    const FILES: &str = "<title>v/summary.html</title><pre>\n\
        18:47:03.001 Starting RD=format_for_rd1\n\n\
        Feb 04, 2020 .Interval. .ReqstdOps... ...cpu%...  read ....read..... ....write.... ..mb/sec... mb/sec .xfer.. ...mkdir.... ...rmdir.... ...create... ....open.... ...close.... ...delete...\n\
        \x20                         rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    size  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp\n\
        18:47:05.001          1   50.0  6.000  13.4 2.99   0.0    0.0  0.000   50.0  6.000  0.00  6.25   6.25  131072   0.2 104.49   0.2 41.526   1.8 7527.0   1.8 192.01   1.8 7134.3   1.8 21.984\n\
        18:48:40.218   avg_2-20   57.6  6.244  13.4 2.99   0.0    0.0  0.000   57.6  6.244  0.00  7.20   7.20  131072   0.2 104.49   0.2 41.526   1.8 7527.0   1.8 192.01   1.8 7134.3   1.8 21.984\n\n\
        18:48:42.000 Starting RD=rd1; elapsed=600; fwdrate=100. For loops: xfersize=1m threads=8\n\n\
        18:48:44.000          1   90.0  1.063  13.0 2.80  60.0   54.0  0.500   36.0  2.000 54.00 36.00  90.00 1048576   0.0  0.000   0.0  0.000   0.0  0.000   1.6 47.864   1.6 2401.1   0.0  0.000\n\
        18:48:46.000          2   95.0  1.063  13.0 2.80  60.0   57.0  0.500   38.0  2.000 57.00 38.00  95.00 1048576   0.0  0.000   0.0  0.000   0.0  0.000   1.6 47.864   1.6 2401.1   0.0  0.000\n\
        18:48:48.000          3  105.0  1.063  13.0 2.80  60.0   63.0  0.500   42.0  2.000 63.00 42.00 105.00 1048576   0.0  0.000   0.0  0.000   0.0  0.000   1.6 47.864   1.6 2401.1   0.0  0.000\n\
        18:48:48.205    avg_2-3  100.0  1.100  13.0 2.80  60.0   60.0  0.500   40.0  2.000 60.00 40.00 100.00 1048576   0.0  0.000   0.0  0.000   0.0  0.000   1.6 47.864   1.6 2401.1   0.0  0.000\n\
        18:48:48.205    std_2-3    5.0  0.100\n\
        18:48:48.205    max_2-3  105.0  1.100\n";

    #[test]
    fn the_summary_of_a_file_system_has_reads_and_writes_of_each_run() {
        let imported = read(FILES);
        let [format, run] = &imported.records[..] else { panic!("{imported:#?}") };
        assert_eq!(format.jobs[0].name, "format_for_rd1");
        assert!(format.jobs[0].ops.read.is_none());
        assert_eq!(format.jobs[0].ops.write.as_ref().unwrap().iops.unwrap().value, 57.6);
        assert_eq!(format.jobs[0].load.block_size().unwrap().get(), 131_072);
        let job = &run.jobs[0];
        let (read, write) = (job.ops.read.as_ref().unwrap(), job.ops.write.as_ref().unwrap());
        assert_eq!(
            (job.name.as_str(), read.iops.unwrap().value, write.iops.unwrap().value),
            ("rd1", 60.0, 40.0)
        );
        assert_eq!(read.bandwidth_mib_per_s.unwrap().value, 60.0);
        assert_eq!(write.bandwidth_mib_per_s.unwrap().value, 40.0);
        assert_eq!(read.total_latency.mean_us.unwrap().value, 500.0);
        assert_eq!(write.total_latency.mean_us.unwrap().value, 2_000.0);
        assert_eq!(read.runtime_s.unwrap().value, 4.0);
        let load = &job.load;
        assert_eq!((load.outstanding, load.rate_iops), (Some(8), Some(100.0)));
        assert_eq!(load.block_size().unwrap().get(), 1 << 20);
        // Which file is read where, vdbench does not say here.
        assert_eq!(load.pattern, None);
        assert_eq!(run.warnings, []);
        // Of the file, and told once.
        assert_eq!(format.warnings.len(), 1, "{format:#?}");
    }

    #[test]
    fn the_totals_of_a_file_system_are_its_averages_alone() {
        let is_total =
            |line: &&str| line.split_whitespace().nth(1).is_none_or(|word| word.parse::<u32>().is_err());
        let totals: Vec<&str> = FILES.lines().filter(is_total).collect();
        let imported = read(&totals.join("\n").replace("summary", "totals"));
        let [format, run] = &imported.records[..] else { panic!("{imported:#?}") };
        assert_eq!(format.jobs[0].ops.write.as_ref().unwrap().bandwidth_mib_per_s.unwrap().value, 7.2);
        assert_eq!(run.jobs[0].ops.read.as_ref().unwrap().iops.unwrap().value, 60.0);
        // Without the intervals nobody knows how long they were.
        assert_eq!(run.jobs[0].ops.read.as_ref().unwrap().runtime_s, None);
    }

    #[test]
    fn a_mean_size_of_the_ios_of_a_file_system_is_no_block_size() {
        let imported = read(&FILES.replace("131072", "129576"));
        assert_eq!(imported.records[0].jobs[0].load.block_size(), None);
        assert_eq!(imported.records[0].jobs[0].load.options["xfersize"], "129576");
    }

    #[test]
    fn runs_that_only_ask_for_attributes_are_refused_with_the_reason() {
        let text = "Feb 15, 2019 ..Interval.. .ReqstdOps... ...cpu%... read ....read..... ....write.... ..mb/sec... mb/sec .xfer.. ...mkdir.... ..getattr...\n\
            \x20 rate resp total sys pct rate resp rate resp read write total size rate resp rate resp\n\
            07:21:54.033 avg_2-5 10.0 0.981 16.1 1.36 0.0 0.0 0.000 0.0 0.000 0.00 0.00 0.00 0 0.0 0.000 10.0 0.981\n";
        let file = ForeignFile { name: "v.html", bytes: text.as_bytes(), beside: &|_| None };
        let error = import(&file, &Naming::default()).unwrap_err().to_string();
        assert!(error.contains("no run in it read or wrote"), "{error}");
    }

    #[test]
    fn a_file_system_has_rates_of_its_reads_and_writes() {
        let text = "tod timestamp Run Interval Xfersize Threads Reqrate Rate Resp MB/sec MB_read MB_write Read_rate Read_resp Read_resp_max Write_rate Write_resp Write_resp_max\n\
            15:34:25.027 03/08/2019-15:34:25-UTC rd1 avg_2-9 131072 8 9999988 1500.0 2.1 187.5 125.0 62.5 1000.0 2.0 40.5 500.0 2.3 50.1\n\
            15:35:25.027 03/08/2019-15:35:25-UTC rd2 avg_2-9 131072 8 9999988 1500.0 2.1 0 0 0 0 0 0 0 0 0\n";
        let imported = read(text);
        let [record] = &imported.records[..] else { panic!("{imported:#?}") };
        let (read, write) =
            (record.jobs[0].ops.read.as_ref().unwrap(), record.jobs[0].ops.write.as_ref().unwrap());
        assert_eq!((read.iops.unwrap().value, write.bandwidth_mib_per_s.unwrap().value), (1_000.0, 62.5));
        assert_eq!(write.total_latency.max_us.unwrap().value, 50_100.0);
        assert_eq!(record.measured_at.as_deref(), Some("2019-03-08T15:34:25Z"));
    }
}
