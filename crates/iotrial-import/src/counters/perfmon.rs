//! PerfMon's counters as CSV, as `typeperf`, `logman` and `relog` write them, in the language of the Windows that counted.

use std::collections::HashMap;

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters, Times};
use jiff::civil::DateTime;

use super::{CountersError, MOST_DISKS, MOST_RATES, rate, usual_step};
use crate::text::quote;

mod names;

use names::{Counted, Object};

pub(super) const TOOL: &str = "PerfMon";
pub(super) const HOW_TO_RECORD: &str = "record `\\PhysicalDisk(*)\\*`, for example with `logman create counter io -c \"\\PhysicalDisk(*)\\*\" -si 15 -f csv -o io`; `relog io.blg -f CSV -o io.csv` converts an existing .blg log to CSV";
const LACKING: CountersError = CountersError::Lacking {
    tool: "a PerfMon log",
    missing: "PhysicalDisk or LogicalDisk counters (their English, German, French, Spanish and Russian names are recognised)",
    hint: HOW_TO_RECORD,
};

/// ESXi writes in the same form.
const OF_ESXTOP: CountersError = CountersError::Lacking {
    tool: "output of esxtop (ESXi) in batch mode",
    missing: "the counters of a guest, which are what iotrial reads",
    hint: "record PerfMon, `iostat -x` or `sar -d` in the virtual machine of the database",
};

/// One column: whose disk, and which of the counters.
struct Column {
    host: String,
    object: Object,
    instance: String,
    counted: Counted,
}

impl Column {
    /// Of `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`.
    fn of(path: &str) -> Option<Self> {
        // The drive of a mount point has backslashes of its own, in brackets: `LogicalDisk(D:\data)`.
        let (rest, counter) = path.trim().rsplit_once(")\\")?;
        let (object, instance) = rest.split_once('(')?;
        // With or without the machine: `\\HOST\PhysicalDisk` or `\PhysicalDisk`.
        let (host, object) = object.rsplit_once('\\').unwrap_or(("", object));
        Some(Self {
            host: host.trim_matches('\\').to_owned(),
            object: names::object(object)?,
            instance: instance.to_owned(),
            counted: names::counted(counter)?,
        })
    }
}

/// A disk, and the columns of what was counted at it.
struct Disk {
    host: String,
    instance: String,
    columns: Vec<(usize, Counted)>,
}

impl Disk {
    /// Leaves out what says the same as another counter, and less well.
    fn choose(&mut self) {
        let has = |this: &Self, counted: Counted| this.columns.iter().any(|(_, one)| *one == counted);
        let mean = has(self, Counted::As(Counter::Queue));
        let parts = has(self, Counted::PartOfQueue);
        let idle = has(self, Counted::Idle);
        self.columns.retain(|(_, counted)| match counted {
            Counted::PartOfQueue => !mean,
            // One moment of the interval, where there is no mean over it.
            Counted::QueueNow => !mean && !parts,
            // The queue once more, as percent and cut off at 100, where nothing says how long the disk was idle.
            Counted::DiskTime => !idle,
            Counted::As(_) | Counted::Idle => true,
        });
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let head = text.lines().next().unwrap_or_default();
    // `-f tsv` of relog; a spreadsheet of a language with decimal commas parts cells by semicolons, and names have commas in them.
    let delimiter = if head.contains('\t') {
        b'\t'
    } else if head.contains(";\"\\\\") || head.contains(";\\\\") {
        b';'
    } else {
        b','
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(true)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| CountersError::Broken {
        place: error.position().map_or_else(|| "the header".to_owned(), |at| format!("line {}", at.line())),
        message: quote(&error.to_string()),
    };
    let header = reader.headers().map_err(|error| broken(&error))?;
    let columns: Vec<(usize, Column)> =
        header.iter().enumerate().filter_map(|(index, path)| Some((index, Column::of(path)?))).collect();
    let disks = disks_of(columns);
    if disks.is_empty() {
        return Err(if head.contains("\\Physical Disk SCSI Device(") { OF_ESXTOP } else { LACKING });
    }
    if disks.len() > MOST_DISKS {
        return Err(CountersError::TooMany);
    }
    let mut hosts: Vec<&str> = disks.iter().map(|disk| disk.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let named = |disk: &Disk| match hosts.len() {
        1 => disk.instance.clone(),
        // Two machines may both have a disk `0 C:`.
        _ => format!("{}\\{}", disk.host, disk.instance),
    };
    let mut series = CounterSeries {
        disks: disks.iter().map(|disk| DiskCounters::new(quote(&named(disk)))).collect(),
        ..CounterSeries::new(TOOL)
    };
    let mut times: Vec<RowTime> = Vec::new();
    let mut first_unread: Option<(u64, String)> = None;
    let mut refused = 0_usize;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| broken(&error))? {
        // Before the row is added, so that the limit also bounds memory.
        if disks.len() * (times.len() + 1) > MOST_RATES {
            return Err(CountersError::TooMany);
        }
        // Below the counters `typeperf` says how it ended.
        let Some(time) = record.get(0).and_then(RowTime::of) else {
            let line = record.position().map_or(0, csv::Position::line);
            first_unread.get_or_insert_with(|| (line, quote(record.get(0).unwrap_or_default())));
            continue;
        };
        let interval = times.len();
        times.push(time);
        for (disk, counters) in disks.iter().zip(&mut series.disks) {
            refused += note(disk, counters, interval, &record);
        }
    }
    if let (true, Some((line, cell))) = (times.is_empty(), first_unread) {
        let message = format!(
            "`{cell}` is not a time as PerfMon or a spreadsheet writes it, and no other line has one"
        );
        return Err(CountersError::Broken { place: format!("line {line}"), message });
    }
    series.interval_count = times.len();
    match seconds_of(&times) {
        Some(times) => {
            series.interval_s = usual_step(&times);
            series.times = Times::OfCalendar(times);
        }
        None => series.notes.push(
            "its times are whole minutes, as a spreadsheet saves them: how long an interval was is not known"
                .to_owned(),
        ),
    }
    if hosts.len() > 1 {
        series.notes.push(format!(
            "it covers {} machines, which are counted together: {}",
            hosts.len(),
            quote(&hosts.join(", "))
        ));
    }
    if refused > 0 {
        let values = if refused == 1 {
            "1 value is not a rate".to_owned()
        } else {
            format!("{refused} values are not rates")
        };
        series.notes.push(format!("{values}, such as a negative one after a counter was reset: left out"));
    }
    if disks.iter().any(|disk| disk.columns.iter().any(|(_, counted)| *counted == Counted::DiskTime)) {
        series.notes.push(
            "busy is % Disk Time, which counts overlapping I/Os more than once; % Idle Time would be exact"
                .to_owned(),
        );
    }
    series.host = (hosts.len() == 1 && !hosts[0].is_empty()).then(|| quote(hosts[0]));
    Ok(series)
}

/// The disks in the order of their first columns.
fn disks_of(columns: Vec<(usize, Column)>) -> Vec<Disk> {
    // Disks as the system sees them go before the drives on them, which would count everything twice.
    let object = columns.iter().map(|(_, column)| column.object).min();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut disks: Vec<Disk> = Vec::new();
    for (index, column) in columns.into_iter().filter(|(_, column)| Some(column.object) == object) {
        let place = *places.entry((column.host.clone(), column.instance.clone())).or_insert_with(|| {
            disks.push(Disk { host: column.host, instance: column.instance, columns: Vec::new() });
            disks.len() - 1
        });
        disks[place].columns.push((index, column.counted));
    }
    disks.iter_mut().for_each(Disk::choose);
    disks
}

/// Notes the values of one disk in one row; how many of them are no rates.
fn note(disk: &Disk, counters: &mut DiskCounters, interval: usize, record: &csv::StringRecord) -> usize {
    let mut refused = 0;
    let mut queue: Option<f64> = None;
    for (index, counted) in &disk.columns {
        // Empty cells are intervals in which the counter was not there.
        let Some(text) = record.get(*index).filter(|text| !text.trim().is_empty()) else { continue };
        let Some(value) = rate(text) else {
            refused += 1;
            continue;
        };
        match counted {
            // Windows writes zero where there was no I/O.
            Counted::As(Counter::ReadLatency | Counter::WriteLatency | Counter::Latency) if value == 0.0 => {}
            Counted::As(counter) => counters.set(*counter, interval, value),
            Counted::PartOfQueue | Counted::QueueNow => *queue.get_or_insert(0.0) += value,
            // Both are means of samples, and may be beyond 100 by a little.
            Counted::Idle => counters.set(Counter::Busy, interval, 1.0 - (value / 100.0).min(1.0)),
            Counted::DiskTime => counters.set(Counter::Busy, interval, (value / 100.0).min(1.0)),
        }
    }
    if let Some(queue) = queue {
        counters.set(Counter::Queue, interval, queue);
    }
    refused
}

/// The time of a row: three numbers of a date in an order that only the whole file shows, and seconds since midnight.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RowTime {
    date: [i16; 3],
    order: DateOrder,
    second_of_day: f64,
    has_seconds: bool,
}

/// In which order the numbers of a date stand.
#[derive(Debug, Clone, Copy, PartialEq)]
enum DateOrder {
    /// `2026-03-25`.
    YearFirst,
    /// `25.03.2026`: nobody writes months first with dots.
    DayFirst,
    /// `03/25/2026` as PerfMon writes it in every language, or `25/03/2026` as a spreadsheet of most countries does.
    Either,
}

impl RowTime {
    /// Of `09/19/2017 09:51:39.073`, or as spreadsheets save it.
    fn of(text: &str) -> Option<Self> {
        // By hand: a week of logs has a row for each 15 s of each file, and the general way takes as long as all numbers of a disk.
        let (date, clock) = text.trim().split_once([' ', 'T'])?;
        let (order, separator) =
            match date.find(|c: char| !c.is_ascii_digit()).map(|at| (at, date.as_bytes()[at])) {
                Some((4, b'-' | b'/')) => (DateOrder::YearFirst, &['-', '/'][..]),
                Some((1 | 2, b'.')) => (DateOrder::DayFirst, &['.'][..]),
                Some((1 | 2, b'/' | b'-')) => (DateOrder::Either, &['/', '-'][..]),
                _ => return None,
            };
        let mut parts = date.split(separator).map(|part| part.parse::<i16>().ok());
        let date = [parts.next()??, parts.next()??, parts.next()??];
        let (clock, is_afternoon) = match clock.trim().rsplit_once(' ') {
            Some((clock, half)) if half.eq_ignore_ascii_case("PM") => (clock, Some(true)),
            Some((clock, half)) if half.eq_ignore_ascii_case("AM") => (clock, Some(false)),
            Some(_) => return None,
            None => (clock.trim(), None),
        };
        let mut parts = clock.splitn(3, ':');
        let hour: u32 = parts.next()?.parse().ok().filter(|hour| *hour < 24)?;
        let minute: u32 = parts.next()?.parse().ok().filter(|minute| *minute < 60)?;
        let second = parts.next();
        let hour = match is_afternoon {
            Some(is_afternoon) => hour % 12 + if is_afternoon { 12 } else { 0 },
            None => hour,
        };
        let seconds: f64 = second.map_or(Some(0.0), |text| text.replace(',', ".").parse().ok())?;
        (0.0..61.0).contains(&seconds).then(|| Self {
            date,
            order,
            second_of_day: f64::from(hour * 3_600 + minute * 60) + seconds,
            has_seconds: second.is_some(),
        })
    }

    /// Seconds since 1970, with the day or the month first where the row leaves it open.
    fn seconds(&self, is_day_first: bool) -> Option<f64> {
        let [first, second, third] = self.date;
        let (year, month, day) = match self.order {
            DateOrder::YearFirst => (first, second, third),
            DateOrder::Either if !is_day_first => (third, first, second),
            DateOrder::DayFirst | DateOrder::Either => (third, second, first),
        };
        let at = DateTime::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?, 0, 0, 0, 0).ok()?;
        let whole = at.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64();
        Some(whole + self.second_of_day)
    }
}

/// Seconds since 1970 of all rows. PerfMon has the month first; a spreadsheet may have the day first, which shows where one is beyond
/// 12. `None` where the dates are none, or whole minutes that say nothing of the intervals.
fn seconds_of(times: &[RowTime]) -> Option<Vec<f64>> {
    let all =
        |is_day_first| -> Option<Vec<f64>> { times.iter().map(|time| time.seconds(is_day_first)).collect() };
    let seconds = all(false).or_else(|| all(true))?;
    let says_all =
        times.iter().all(|time| time.has_seconds) || seconds.windows(2).all(|pair| pair[0] < pair[1]);
    says_all.then_some(seconds)
}
