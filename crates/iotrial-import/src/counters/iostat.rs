//! The text of `iostat`: a table for each report, whose columns differ by version and options.

use iotrial_model::counters::{Counter, CounterSeries, Times};

use super::reports::{Reports, drop_latencies_of_nothing};
use super::{CountersError, dated, rate, usual_step};
use crate::text::{numbered, quote};

pub(super) const TOOL: &str = "iostat";
pub(super) const LACKING: CountersError = CountersError::Lacking {
    tool: "iostat",
    missing: "rates of disks",
    hint: "record it with -x: `iostat -x -y 15 5760` is a day",
};
const FOR_PEOPLE: CountersError = CountersError::Lacking {
    tool: "iostat with -h or --human",
    missing: "plain numbers",
    hint: "record it without these options: `iostat -x -y 15 5760` is a day",
};
const SINCE_START: &str = "the first report is left out: without -y it is the mean since boot";
const ONLY_ONE: &str = "only one report: without -y it is the mean since boot and shows no peak";

/// `Device` or `Device:`, at the beginning or (with --pretty) at the end.
pub(super) fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_device = |word: &str| matches!(word, "Device" | "Device:");
    let (first, last) = (words.next(), words.next_back());
    [first, last].into_iter().flatten().any(is_device) && (line.contains("/s") || line.contains("tps"))
}

/// What a column counts, and by what its numbers become counts, seconds or shares.
// By version, and by -k or -m, bytes are in one of several units. iostat's kB are 1,024 bytes, and its sectors are 512 bytes whatever
// the device has. Times are in ms. Names that two versions share mean the same in both.
const COLUMNS: [(&str, Counter, f64); 26] = [
    ("r/s", Counter::ReadIops, 1.0),
    ("w/s", Counter::WriteIops, 1.0),
    ("rkB/s", Counter::ReadBytes, 1024.0),
    ("wkB/s", Counter::WriteBytes, 1024.0),
    ("rMB/s", Counter::ReadBytes, 1_048_576.0),
    ("wMB/s", Counter::WriteBytes, 1_048_576.0),
    ("rsec/s", Counter::ReadBytes, 512.0),
    ("wsec/s", Counter::WriteBytes, 512.0),
    ("r_await", Counter::ReadLatency, 1e-3),
    ("w_await", Counter::WriteLatency, 1e-3),
    ("await", Counter::Latency, 1e-3),
    ("aqu-sz", Counter::Queue, 1.0),
    ("avgqu-sz", Counter::Queue, 1.0),
    ("%util", Counter::Busy, 0.01),
    ("util", Counter::Busy, 0.01),
    // Without -x.
    ("tps", Counter::Iops, 1.0),
    ("kB_read/s", Counter::ReadBytes, 1024.0),
    ("kB_wrtn/s", Counter::WriteBytes, 1024.0),
    ("MB_read/s", Counter::ReadBytes, 1_048_576.0),
    ("MB_wrtn/s", Counter::WriteBytes, 1_048_576.0),
    ("Blk_read/s", Counter::ReadBytes, 512.0),
    ("Blk_wrtn/s", Counter::WriteBytes, 512.0),
    // With -s, and as sadf calls them.
    ("kB/s", Counter::Bytes, 1024.0),
    ("MB/s", Counter::Bytes, 1_048_576.0),
    ("rkB", Counter::ReadBytes, 1024.0),
    ("wkB", Counter::WriteBytes, 1024.0),
];

/// The counter of a column, and the factor of its unit.
pub(super) fn column(name: &str) -> Option<(Counter, f64)> {
    COLUMNS.iter().find(|(known, ..)| *known == name).map(|(_, counter, factor)| (*counter, *factor))
}

/// Where the columns of a report stand.
struct Columns {
    count: usize,
    name: usize,
    counters: Vec<(usize, Counter, f64)>,
}

impl Columns {
    fn of(header: &str) -> Option<Self> {
        let words: Vec<&str> = header.split_whitespace().collect();
        let name = words.iter().position(|word| matches!(*word, "Device" | "Device:"))?;
        let counters: Vec<_> = words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| column(word).map(|(counter, factor)| (at, counter, factor)))
            .collect();
        (!counters.is_empty()).then_some(Self { count: words.len(), name, counters })
    }

    /// The values of a line; `None` where it has not the columns of its header.
    fn values(&self, words: &[&str]) -> Option<Vec<(Counter, f64)>> {
        if words.len() != self.count {
            return None;
        }
        let mut values = Vec::with_capacity(self.counters.len());
        for (at, counter, factor) in &self.counters {
            values.push((*counter, rate(words[*at])? * factor));
        }
        drop_latencies_of_nothing(&mut values);
        Some(values)
    }
}

/// A number with a unit, `1.8M` or `0.0%`: rounded to what people read.
fn is_for_people(word: &str) -> bool {
    let number = word.strip_suffix(['k', 'M', 'G', 'T', '%']);
    number.is_some_and(|number| rate(number).is_some())
}

/// Leaves out the first report of each recording, and what to say of that. It is recognised by its place only: nothing in it says
/// whether -y was given.
pub(super) fn without_the_first_ones<'t>(
    reports: &mut Reports,
    times: impl IntoIterator<Item = &'t mut Vec<f64>>,
) -> String {
    let recordings = reports.recordings();
    match reports.without_the_first_ones(times) {
        0 if recordings > 1 => format!("each of the {recordings} recordings has {ONLY_ONE}"),
        0 => format!("there is {ONLY_ONE}"),
        1 => SINCE_START.to_owned(),
        count => format!(
            "the first reports of {count} recordings, one after the other, are left out: without -y they are means since boot"
        ),
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let mut reports = Reports::default();
    let mut columns: Option<Columns> = None;
    let mut name_alone: Option<&str> = None;
    // Of `-t`, on a line above each report.
    let (mut stamp, mut times): (Option<f64>, Vec<f64>) = (None, Vec::new());
    for (number, line) in numbered(text) {
        // What iostat prints when it begins, and what OSWatcher puts above each call of it.
        if line.starts_with("Linux ") || line.starts_with("zzz ") {
            reports.begin_recording();
            (columns, name_alone) = (None, None);
            continue;
        }
        if is_header(line) {
            // The columns are read anew from every header, since several recordings may be in one file.
            columns = Some(Columns::of(line).ok_or(LACKING)?);
            reports.begin()?;
            times.extend(stamp.take());
            continue;
        }
        if let Some(at) = dated(line.trim()) {
            stamp = Some(at);
            continue;
        }
        let Some(of) = &columns else { continue };
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // Between reports there are other tables, such as that of the CPUs.
        if words.is_empty() || line.starts_with("avg-cpu") {
            (columns, name_alone) = (None, None);
            continue;
        }
        // A long name stands on a line of its own.
        if words.len() == 1 {
            name_alone = Some(words[0]);
            continue;
        }
        if let Some(name) = name_alone.take().filter(|_| words.len() + 1 == of.count) {
            words.insert(0, name);
        }
        let values = of.values(&words).ok_or_else(|| {
            if words.iter().any(|word| is_for_people(word)) {
                return FOR_PEOPLE;
            }
            CountersError::Broken {
                place: format!("line {number}"),
                message: format!("`{}` does not have the columns of its header", quote(line)),
            }
        })?;
        reports.add(words[of.name], values)?;
    }
    let step = usual_step(&times);
    let note = without_the_first_ones(&mut reports, [&mut times]);
    let mut series = reports.series(TOOL);
    // The first line reads `Linux 6.1.0 (db01) 06/01/20 …`.
    let first = text.lines().find(|line| !line.starts_with("zzz "));
    let host = first.and_then(|line| line.split_once('(')?.1.split_once(')'));
    series.host = host.map(|(host, _)| quote(host));
    if times.len() == series.interval_count {
        series.interval_s = step;
        series.times = Times::OfCalendar(times);
    }
    series.notes.push(note);
    Ok(series)
}
