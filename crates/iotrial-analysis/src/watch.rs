//! What counters say of storage that is in use: how much it does, how long it takes, by which limits that is good enough, and what looks
//! like a limit of the storage itself.
//!
//! The counters may come from a file or have just been read; nothing here knows. Thresholds are of means, as the documents that give
//! them have it, and counters are means: a percentile here is one of intervals, and never of I/Os.

mod baseline;
mod course;
mod demand;
mod judged;
mod observed;
mod spread;

use std::borrow::Cow;

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters};
use iotrial_model::load::{Direction, Role};
use iotrial_model::observation::{CounterNote, Observation, ObservationKind};
use iotrial_words::observation::counter_note;
use serde::{Serialize, Serializer};

pub use baseline::{BaselineAnswer, BaselineChange, ThenAndNow};
pub use course::{Course, CourseLine};
pub use demand::demand_of;
pub use judged::{Judged, RoleVerdict, limit_us};
pub use spread::Spread;

use crate::host_check::Database;
use crate::threshold::ThresholdSet;
use crate::verdict::decide;

/// What is to be known besides the counters.
#[derive(Debug, Clone, Default)]
pub struct WatchRequest {
    /// By which sets to judge: the first decides, the others are told beside it.
    pub thresholds: Vec<ThresholdSet>,
    /// What disks are for, by their names.
    pub roles: Vec<(Role, String)>,
    /// The disks to look at; empty means every whole disk.
    pub disks: Vec<String>,
    /// Disks that carry something together, besides those that the counters tell.
    pub stripes: Vec<Vec<String>>,
    /// Counters of a normal time to compare with.
    pub baseline: Option<CounterSeries>,
}

/// The sets that fit a database, the first of which decides.
pub fn threshold_sets(database: Option<Database>) -> &'static [&'static str] {
    match database {
        // Two articles on SQL Server: averages as performance counters show them, and those of a cloud's volumes.
        None | Some(Database::SqlServer) => &["sqlserver-whitepaper", "oci-sqlserver"],
        Some(Database::Oracle | Database::PostgreSql | Database::MySql) => &["flash"],
    }
}

/// A disk that is not in the counters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the counters have no disk `{name}`")]
pub struct NoDisk {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<String>,
}

/// What counters say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchAnswer {
    /// What counted.
    pub tool: &'static str,
    /// The machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// How many intervals there are.
    pub interval_count: usize,
    /// How long one usually is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
    /// From the beginning of the first interval to the end of the last; absent where nothing says when they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<TimeSpan>,
    /// Whether all roles are within the limits of the first set; absent where that stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Why it stays open; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_undecided: Option<WhyUndecided>,
    /// The sets that judged, the deciding one first.
    pub thresholds: Vec<String>,
    /// By role, in the order of roles.
    pub roles: Vec<RoleVerdict>,
    /// What looks like a limit of the storage, or is odd.
    #[serde(serialize_with = "iotrial_words::observation::in_json")]
    pub observations: Vec<Observation>,
    /// What changed since the baseline; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineAnswer>,
    /// Every disk that was looked at.
    pub disks: Vec<DiskAnswer>,
    /// All of them together, where each I/O is counted once; absent of a single disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<DiskAnswer>,
    /// Names of disks that were left out, because what they do is counted elsewhere, or nobody asked for them.
    pub left_out: Vec<String>,
    /// What was left out of the source and what is missing from it.
    #[serde(serialize_with = "said_notes")]
    pub notes: Vec<CounterNote>,
    /// For charts.
    #[serde(skip)]
    pub course: Option<Course>,
}

fn said_notes<S: Serializer>(notes: &[CounterNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(counter_note))
}

/// Why it stays open whether the storage is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyUndecided {
    /// A disk went away or was replaced: how long its I/Os took meanwhile is not known.
    MissingDisk,
    /// There is one interval, whose mean hides its busy minutes: it can rule storage out, but never qualify it.
    OneInterval,
    /// The disks did nothing.
    Idle,
    /// The disks did too few I/Os to judge their latency.
    FewIos,
    /// The source has no latency that a threshold set can judge.
    NoLatency,
}

/// When the intervals were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeSpan {
    /// Seconds since 1970, or since midnight, on the clock of the source.
    pub from_s: f64,
    /// The same of the end.
    pub to_s: f64,
    /// Whether there is a date.
    pub has_date: bool,
    /// How often there were no counters: the source was silent for longer than an interval, or a disk was not there.
    pub gap_count: usize,
    /// For how long, in all.
    pub gap_s: f64,
}

/// What one disk did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiskAnswer {
    /// As its source calls it.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Reads, as far as they are counted apart.
    pub read: DirectionAnswer,
    /// Writes.
    pub write: DirectionAnswer,
    /// Both together.
    pub both: DirectionAnswer,
    /// I/Os in flight or waiting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Spread>,
    /// Percent of the time with any I/O in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_percent: Option<Spread>,
}

/// What was done in one direction, or both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionAnswer {
    /// I/Os per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<Spread>,
    /// Bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<Spread>,
    /// Mean size of an I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<f64>,
    /// Mean latency of an interval; its `mean` is that of all I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<Spread>,
}

/// Below this rate of a direction the latency of an interval is that of a handful of I/Os, such as the one that woke a disk up.
// A choice: 15 I/Os in the usual interval of PerfMon.
pub(crate) const LEAST_IOPS: f64 = 1.0;

/// Fewer intervals have no 95th percentile: it would be their maximum.
const FEWEST_FOR_PERCENTILES: usize = 20;

impl WatchAnswer {
    /// Whether there are enough intervals for percentiles; of fewer, the slowest one decides.
    pub const fn has_percentiles(&self) -> bool {
        self.interval_count >= FEWEST_FOR_PERCENTILES
    }

    /// Looks at counters.
    ///
    /// # Errors
    ///
    /// When a disk that was named is not among them.
    pub fn of(series: &CounterSeries, request: &WatchRequest) -> Result<Self, NoDisk> {
        let series = with_roles(series, &request.roles)?;
        let series = series.as_ref();
        let find = |name: &String| {
            series.disk(name).ok_or_else(|| NoDisk {
                name: name.clone(),
                known: series.disks.iter().map(|disk| disk.name.clone()).collect(),
            })
        };
        let mut chosen = request.disks.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        chosen.sort_unstable();
        chosen.dedup();
        // A disk whose role was told is meant, even if it is a partition or lies above another one.
        if chosen.is_empty() {
            chosen = series.disks_with_roles();
        }
        if chosen.is_empty() {
            chosen = series.whole_disks();
        }
        // Those of the counters may have members that were never there; those that somebody names have to be.
        let of_counters =
            |names: &Vec<String>| names.iter().map(|name| series.disk(name)).collect::<Option<Vec<_>>>();
        let mut members: Vec<Vec<usize>> = series.stripes.iter().filter_map(of_counters).collect();
        for names in &request.stripes {
            members.push(names.iter().map(find).collect::<Result<_, _>>()?);
        }
        let roles = judged::verdicts(series, &chosen, &request.thresholds);
        let baseline =
            request.baseline.as_ref().map(|baseline| BaselineAnswer::of(baseline, series, &chosen));
        let observations = observed::observations(series, &chosen, &members, &roles, baseline.as_ref());
        let disks: Vec<DiskAnswer> = chosen.iter().map(|at| DiskAnswer::of(series, *at)).collect();
        let mut is_chosen = vec![false; series.disks.len()];
        chosen.iter().for_each(|at| is_chosen[*at] = true);
        let left_out = (0..series.disks.len()).filter(|at| !is_chosen[*at]);
        let left_out = left_out.filter(|at| series.disks[*at].does_anything());
        let judged: Vec<bool> = roles.iter().filter_map(|role| role.is_within).collect();
        let silence = span(series);
        let span =
            silence.map(|span| with_absences(span, series, &observed::watched(series, &chosen, &members)));
        let notes: Vec<CounterNote> =
            notes(series, silence).into_iter().chain(judged::few_ios(series, &chosen)).collect();
        let is_missing_disk = observations.iter().any(|one| one.kind().is_missing_disk());
        let is_within = (!judged.is_empty()).then(|| judged.iter().all(|is_within| *is_within));
        let doubt = match is_within {
            _ if is_missing_disk => Some(WhyUndecided::MissingDisk),
            Some(_) => (series.interval_count == 1).then_some(WhyUndecided::OneInterval),
            None if is_idle(&disks) => Some(WhyUndecided::Idle),
            None if notes.iter().any(|note| matches!(note, CounterNote::FewIos { .. })) => {
                Some(WhyUndecided::FewIos)
            }
            None => Some(WhyUndecided::NoLatency),
        };
        // What is beyond the limits is so whatever else happened.
        let is_good = decide(is_within == Some(false), doubt.is_some(), is_within).is_yes();
        Ok(Self {
            tool: series.tool,
            host: series.host.clone(),
            interval_count: series.interval_count,
            interval_s: series.interval_s,
            span,
            is_good,
            why_undecided: doubt.filter(|_| is_good.is_none()),
            thresholds: request.thresholds.iter().map(|set| set.name.clone()).collect(),
            roles,
            observations,
            baseline,
            total: (chosen.len() > 1).then(|| DiskAnswer::of_sum(series, &chosen)),
            course: Course::of(series, &chosen),
            left_out: left_out.map(|at| series.disks[at].name.clone()).collect(),
            notes,
            disks,
        })
    }

    /// Latencies that became longer under the load of the baseline.
    pub fn is_slower_than_baseline(&self) -> bool {
        self.observations.iter().any(|one| one.kind() == ObservationKind::SlowerThanBaseline)
    }
}

/// Whether nothing was read or written, as far as it is counted.
fn is_idle(disks: &[DiskAnswer]) -> bool {
    let does = |disk: &DiskAnswer| {
        let any = |spread: &Option<Spread>| spread.is_some_and(|spread| spread.max > 0.0);
        any(&disk.both.iops)
            || any(&disk.read.iops)
            || any(&disk.write.iops)
            || any(&disk.queue)
            || any(&disk.busy_percent)
    };
    !disks.iter().any(does)
}

/// The series with the roles that somebody told.
fn with_roles<'s>(
    series: &'s CounterSeries,
    roles: &[(Role, String)],
) -> Result<Cow<'s, CounterSeries>, NoDisk> {
    // A week of many disks is hundreds of megabytes.
    let mut series = Cow::Borrowed(series);
    for (role, name) in roles {
        let Some(at) = series.disk(name) else {
            return Err(NoDisk {
                name: name.clone(),
                known: series.disks.iter().map(|disk| disk.name.clone()).collect(),
            });
        };
        series.to_mut().disks[at].role = Some(*role);
    }
    Ok(series)
}

/// Silence before an interval that is longer than so much of a usual one is a gap; less is a late sample.
const GAP: f64 = 0.5;

fn span(series: &CounterSeries) -> Option<TimeSpan> {
    let times = series.times.seconds();
    let (first, last) = (times.first()?, times.last()?);
    let usual = series.interval_s.filter(|seconds| *seconds > 0.0)?;
    // Intervals of snapshots are as long as their source was silent, and hide nothing.
    let length = |at: usize| series.durations_s.get(at).copied().unwrap_or(usual);
    let silence = times.windows(2).zip(1..).map(|(pair, at)| pair[1] - pair[0] - length(at));
    let gaps: Vec<f64> = silence.filter(|seconds| *seconds > GAP * usual).collect();
    Some(TimeSpan {
        from_s: first - series.durations_s.first().copied().unwrap_or(usual),
        to_s: *last,
        has_date: matches!(series.times, iotrial_model::counters::Times::OfCalendar(_)),
        gap_count: gaps.len(),
        // The sum of nothing is a negative zero.
        gap_s: gaps.iter().sum::<f64>() + 0.0,
    })
}

/// With the times in which a disk was not there.
fn with_absences(span: TimeSpan, series: &CounterSeries, watched: &[usize]) -> TimeSpan {
    let mut span = span;
    for changes in watched.iter().map(|at| series.disks[*at].changes) {
        let open = changes.last_gone.filter(|absence| absence.until_s.is_none());
        let open_s = open.map_or(0.0, |absence| (span.to_s - absence.from_s).max(0.0));
        span.gap_count += changes.gone_count;
        span.gap_s += changes.gone_s + open_s;
    }
    span
}

fn notes(series: &CounterSeries, span: Option<TimeSpan>) -> Vec<CounterNote> {
    let mut notes: Vec<CounterNote> = series.notes.iter().cloned().map(CounterNote::OfSource).collect();
    let gaps = span.filter(|span| span.gap_count > 0);
    notes.extend(gaps.map(|span| CounterNote::Gaps { count: span.gap_count, total_s: span.gap_s }));
    if series.times.seconds().windows(2).any(|pair| pair[1] < pair[0]) {
        notes.push(CounterNote::ClockSetBack);
    }
    let long = series.interval_s.filter(|seconds| *seconds >= 60.0);
    notes.extend(long.map(|interval_s| CounterNote::LongIntervals { interval_s }));
    notes
}

impl DiskAnswer {
    fn of(series: &CounterSeries, at: usize) -> Self {
        let disk = &series.disks[at];
        let spread = |counter| Spread::of(series, |interval| disk.at(counter, interval));
        let percent = |interval| Some(100.0 * disk.at(Counter::Busy, interval)?);
        Self {
            name: disk.name.clone(),
            role: disk.role,
            read: DirectionAnswer::of(series, disk, Some(Direction::Read)),
            write: DirectionAnswer::of(series, disk, Some(Direction::Write)),
            both: DirectionAnswer::of(series, disk, None),
            queue: spread(Counter::Queue),
            busy_percent: Spread::of(series, percent),
        }
    }

    /// Rates add up, and times of several disks do not.
    fn of_sum(series: &CounterSeries, chosen: &[usize]) -> Self {
        let direction = |which: Option<Direction>| {
            let sum = |of: fn(&DiskCounters, usize, Option<Direction>) -> Option<f64>| {
                Spread::of(series, |interval| {
                    let all = chosen.iter().filter_map(|at| of(&series.disks[*at], interval, which));
                    all.reduce(|sum, one| sum + one)
                })
            };
            DirectionAnswer::sized(sum(iops_of), sum(bytes_of), None)
        };
        Self {
            name: "together".to_owned(),
            role: None,
            read: direction(Some(Direction::Read)),
            write: direction(Some(Direction::Write)),
            both: direction(None),
            queue: None,
            busy_percent: None,
        }
    }
}

/// I/Os per second of a direction, or of both.
pub(crate) fn iops_of(disk: &DiskCounters, interval: usize, direction: Option<Direction>) -> Option<f64> {
    match direction {
        Some(Direction::Read) => disk.at(Counter::ReadIops, interval),
        Some(Direction::Write) => disk.at(Counter::WriteIops, interval),
        None => disk.iops(interval),
    }
}

/// The same in bytes.
pub(crate) fn bytes_of(disk: &DiskCounters, interval: usize, direction: Option<Direction>) -> Option<f64> {
    match direction {
        Some(Direction::Read) => disk.at(Counter::ReadBytes, interval),
        Some(Direction::Write) => disk.at(Counter::WriteBytes, interval),
        None => disk.bytes_per_s(interval),
    }
}

/// The mean latency of an interval in µs.
pub(crate) fn latency_us_of(
    disk: &DiskCounters,
    interval: usize,
    direction: Option<Direction>,
) -> Option<f64> {
    let seconds = match direction {
        Some(Direction::Read) => disk.at(Counter::ReadLatency, interval),
        Some(Direction::Write) => disk.at(Counter::WriteLatency, interval),
        None => disk.latency_s(interval),
    };
    seconds.map(|seconds| 1e6 * seconds)
}

impl DirectionAnswer {
    fn of(series: &CounterSeries, disk: &DiskCounters, which: Option<Direction>) -> Self {
        let latency = Spread::of_latency(series, disk, which);
        Self::sized(
            Spread::of(series, |interval| iops_of(disk, interval, which)),
            Spread::of(series, |interval| bytes_of(disk, interval, which)),
            latency,
        )
    }

    /// The size is bytes over I/Os, of all of them.
    fn sized(iops: Option<Spread>, bytes_per_s: Option<Spread>, latency_us: Option<Spread>) -> Self {
        let size_bytes = iops
            .zip(bytes_per_s)
            .filter(|(iops, _)| iops.mean > 0.0)
            .map(|(iops, bytes)| bytes.mean / iops.mean);
        Self { iops, bytes_per_s, size_bytes, latency_us }
    }
}

#[cfg(test)]
mod tests;
