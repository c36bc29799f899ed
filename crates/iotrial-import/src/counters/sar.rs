//! The text of `sar -b`, which has reads and writes of all disks together, and of `sar -d`, which has each disk with both together.

use iotrial_model::counters::{ALL_DISKS, Counter, CounterSeries, Times};

use super::reports::{Reports, drop_latencies_of_nothing};
use super::{CountersError, dated, iostat, rate, usual_step};
use crate::text::quote;

pub(super) const TOOL: &str = "sar";
/// What `bread/s` counts, whatever the disk.
// The kernel's sector, as in /proc/diskstats; sar does not know the device's.
pub(super) const BLOCK_BYTES: f64 = 512.0;
pub(super) const LACKING: CountersError = CountersError::Lacking {
    tool: "sar",
    missing: "anything of disks",
    hint: "`sar -b -f FILE` has reads and writes apart, `sar -d -f FILE` each disk; `sadf -j FILE -- -b -d` has both",
};

/// `12:00:01 AM  tps  rtps  wtps  bread/s  bwrtn/s`, or with `DEV`, that of `sar -d`.
pub(super) fn is_header(line: &str) -> bool {
    let has = |name: &str| line.split_whitespace().any(|word| word == name);
    has("tps") && (has("rtps") || has("DEV"))
}

/// What a column of either table counts.
pub(super) fn column(name: &str) -> Option<(Counter, f64)> {
    match name {
        "rtps" => Some((Counter::ReadIops, 1.0)),
        "wtps" => Some((Counter::WriteIops, 1.0)),
        "bread/s" => Some((Counter::ReadBytes, BLOCK_BYTES)),
        "bwrtn/s" => Some((Counter::WriteBytes, BLOCK_BYTES)),
        "rd_sec/s" => Some((Counter::ReadBytes, BLOCK_BYTES)),
        "wr_sec/s" => Some((Counter::WriteBytes, BLOCK_BYTES)),
        // Means since the start of the machine are not in sar, so that the names of iostat hold.
        _ => iostat::column(name),
    }
}

/// The table under way.
struct SarTable {
    count: usize,
    /// Where the name of a disk stands; `None` of all together.
    name: Option<usize>,
    counters: Vec<(usize, Counter, f64)>,
}

impl SarTable {
    fn of(words: &[&str]) -> Option<Self> {
        let name = words.iter().position(|word| *word == "DEV");
        let is_of_all = name.is_none();
        let counters: Vec<_> = words
            .iter()
            .enumerate()
            // Of all disks `tps` has discards in it, and is not the sum of reads and writes.
            .filter(|(_, word)| !(is_of_all && **word == "tps"))
            .filter_map(|(at, word)| column(word).map(|(counter, factor)| (at, counter, factor)))
            .collect();
        (!counters.is_empty()).then_some(Self { count: words.len(), name, counters })
    }
}

/// How far a table is told.
#[derive(Default)]
struct Moments {
    last: Option<f64>,
    /// The interval behind the last one.
    count: usize,
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let mut reports = Reports::default();
    let mut times: Vec<f64> = Vec::new();
    // Of disks, and of all together: the moment that is told, and how many there were.
    let mut moments: [Moments; 2] = Default::default();
    let (mut table, mut is_24_h): (Option<SarTable>, bool) = (None, true);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if is_header(line) {
            table = Some(SarTable::of(&words).ok_or(LACKING)?);
            continue;
        }
        // Means, restarts and blank lines have other columns.
        let Some(table) = table.as_ref().filter(|table| table.count == words.len()) else { continue };
        // A line of means begins with a word instead of a time.
        let Some(time) = time_of_day(words[0]) else { continue };
        is_24_h &= !matches!(words[1], "AM" | "PM");
        let mut values = Vec::new();
        for (at, counter, factor) in &table.counters {
            values.extend(rate(words[*at]).map(|value| (*counter, value * factor)));
        }
        drop_latencies_of_nothing(&mut values);
        // The disks of one moment are lines on end. The two tables of `sar -b -d` come one after the other, each with all its moments:
        // the third of one table is the third of the other, where both have the same time.
        let is_of_all = table.name.is_none();
        let moments = &mut moments[usize::from(is_of_all)];
        if is_of_all || moments.last != Some(time) {
            if times.get(moments.count) != Some(&time) {
                reports.begin()?;
                times.push(time);
                moments.count = times.len() - 1;
            }
            moments.count += 1;
            moments.last = Some(time);
        }
        reports.add_at(moments.count - 1, table.name.map_or(ALL_DISKS, |at| words[at]), values)?;
    }
    if reports.is_empty() {
        return Err(LACKING);
    }
    let host = text.lines().next().and_then(|line| line.split_once('(')?.1.split_once(')'));
    let mut series = reports.series(TOOL);
    series.host = host.map(|(host, _)| quote(host));
    series.interval_s = usual_step(&times);
    // The date of the first line is in the order of somebody's country, unless it is told as ISO has it.
    let first = text.lines().next().unwrap_or_default().split_whitespace();
    let midnight = first.filter_map(|word| dated(&format!("{word}T00:00:00"))).next();
    // A clock of twelve hours begins its times anew at noon.
    let is_in_order = times.is_sorted() && is_24_h;
    if let Some(midnight) = midnight.filter(|_| is_in_order) {
        series.times = Times::OfCalendar(times.into_iter().map(|time| midnight + time).collect());
    }
    Ok(series)
}

/// Times of the day that go on over midnight.
pub(super) fn times_of_day(times: Vec<f64>) -> Times {
    const DAY_S: f64 = 86_400.0;
    let mut days = 0.0;
    let mut last = 0.0;
    let all = times.into_iter().map(|time| {
        // By more than half a day: anything else is a clock that was set.
        if time + DAY_S / 2.0 < last {
            days += DAY_S;
        }
        last = time;
        time + days
    });
    Times::OfDay(all.collect())
}

/// Seconds since midnight of `13:20:19`; on a clock of twelve hours they begin again at noon, which one step
/// of many does not change.
pub(super) fn time_of_day(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    // The day is missing: a recording over midnight has one negative step, which the median ignores.
    let [hours, minutes, seconds] = parts[..] else { return None };
    Some((hours * 60.0 + minutes) * 60.0 + seconds)
}
