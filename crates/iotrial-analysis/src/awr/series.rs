//! Databases over many intervals: instances of the same interval are added up, nothing is counted twice, and average, percentiles and
//! peak are over time.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::awr::{AwrFigure, AwrFigures, AwrReport, AwrUnit, Interval, Quoted};
use serde::Serialize;

use super::figures::{figures_of, ratios};

/// What is kept of a report for a series: of a thousand reports the tables would be gigabytes.
#[derive(Debug, Clone, PartialEq)]
pub struct AwrSample {
    /// The file, as the user named it.
    pub source: String,
    title: String,
    /// The id, or the name where there is none; with the pluggable database.
    key: String,
    instances: BTreeSet<u32>,
    running_instances: Option<u32>,
    interval: Interval,
    figures: AwrFigures,
    peaks: Vec<(AwrFigure, Quoted)>,
    block_bytes: Option<f64>,
    doubts: Vec<String>,
}

impl AwrSample {
    /// What a series needs of a report.
    pub fn of(report: &AwrReport, source: &str) -> Self {
        let database = &report.database;
        let whose = database.id.map_or_else(|| database.name.clone(), |id| id.to_string());
        // An instance without a number is the first: Statspack and single instances.
        let instances: BTreeSet<u32> = report.instances.iter().map(|one| one.number.unwrap_or(1)).collect();
        let mut doubts = report.contradictions.clone();
        doubts.extend(report.corrections.iter().cloned());
        doubts.extend(report.warnings.iter().map(ToString::to_string));
        Self {
            source: source.to_owned(),
            title: database.title(),
            key: format!("{whose}/{}", database.container.as_deref().unwrap_or("")),
            instances,
            running_instances: report.running_instances,
            interval: report.interval.clone(),
            figures: figures_of(report),
            peaks: report.peaks.clone(),
            block_bytes: block_bytes(report),
            doubts,
        }
    }

    fn seconds(&self) -> f64 {
        self.interval.elapsed_s.value.unwrap_or(0.0)
    }

    /// Whether both were measured at the same instance at the same time. Intervals that touch do not overlap.
    fn overlaps(&self, other: &Self) -> bool {
        if self.instances.is_disjoint(&other.instances) {
            return false;
        }
        // To the minute: the instances of a cluster do not take their snapshots in the same second.
        match (minutes(&self.interval), minutes(&other.interval)) {
            (Some((begin, end)), Some((other_begin, other_end))) => begin < other_end && other_begin < end,
            // Without times only the snapshots can tell.
            _ => {
                let ids = |one: &Interval| (one.begin_snapshot, one.end_snapshot);
                self.interval.end_snapshot.is_some() && ids(&self.interval) == ids(&other.interval)
            }
        }
    }

    /// What is the same for the instances of a cluster in one interval.
    fn moment(&self) -> (Option<u64>, Option<u64>, Option<String>) {
        let interval = &self.interval;
        match interval.end_snapshot {
            Some(_) => (interval.begin_snapshot, interval.end_snapshot, None),
            None => (None, None, interval.end.clone()),
        }
    }
}

/// The block of the database: the report has it beside the caches, and as a parameter.
fn block_bytes(report: &AwrReport) -> Option<f64> {
    let mib = AwrReport::named(&report.memory, "Std Block Size").and_then(Quoted::sound);
    let parameter = || report.parameter("db_block_size")?.parse::<f64>().ok();
    let bytes = mib.map(|mib| mib * f64::from(1 << 20)).or_else(parameter)?;
    // Oracle has blocks of 2 to 32 KiB.
    (2_048.0..=32_768.0).contains(&bytes).then_some(bytes)
}

/// Begin and end without seconds.
fn minutes(interval: &Interval) -> Option<(&str, &str)> {
    let minute = |time: &'_ str| time.len().min(16);
    let (begin, end) = (interval.begin.as_deref()?, interval.end.as_deref()?);
    Some((begin.get(..minute(begin))?, end.get(..minute(end))?))
}

/// Databases over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrSeries {
    /// By name.
    pub databases: Vec<DatabaseSeries>,
    /// Reports that were read and are not counted.
    pub left_out: Vec<LeftOut>,
}

/// A report that is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The file.
    pub file: String,
    /// Why.
    pub why: String,
}

/// A database over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseSeries {
    /// What it is called; with its id where others have the same name.
    pub database: String,
    #[serde(skip)]
    key: String,
    /// The instances of which there are reports.
    pub instances: Vec<u32>,
    /// From the first to the last.
    pub intervals: Vec<SeriesInterval>,
    /// Seconds that the intervals cover.
    pub covered_s: f64,
    /// Each figure over time.
    pub statistics: Vec<AwrStatistics>,
    /// What is to be known of the figures, each in one sentence without a full stop.
    pub notes: Vec<String>,
    /// The block of the database, where all reports have the same.
    #[serde(skip)]
    pub(super) block_bytes: Option<f64>,
    /// Where each figure is printed; empty where it follows from several reports.
    #[serde(skip)]
    pub(super) places: BTreeMap<AwrFigure, String>,
}

/// One interval of a database, all its instances together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesInterval {
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// How long it was.
    pub seconds: f64,
    /// The instances that are in it.
    pub instances: Vec<u32>,
    /// The files.
    pub files: Vec<String>,
    /// Its figures.
    pub figures: BTreeMap<&'static str, f64>,
    #[serde(skip)]
    values: BTreeMap<AwrFigure, f64>,
    #[serde(skip)]
    peaks: BTreeMap<AwrFigure, f64>,
}

/// A figure over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrStatistics {
    /// Which one.
    pub figure: AwrFigure,
    /// Mean over time; of latencies and sizes over what they are of.
    pub average: f64,
    /// The interval that is not exceeded in 95 % of the time.
    pub p95: f64,
    /// The same of 99 %.
    pub p99: f64,
    /// The highest interval.
    pub peak: f64,
    /// The highest minute, where the source has one; of a cluster the sum of the highest minutes of its instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_minute: Option<f64>,
}

impl AwrSeries {
    /// Databases over time, from any number of reports in any order.
    pub fn of(samples: Vec<AwrSample>) -> Self {
        let mut by_database: BTreeMap<String, Vec<AwrSample>> = BTreeMap::new();
        for sample in samples {
            by_database.entry(sample.key.clone()).or_default().push(sample);
        }
        let mut left_out = Vec::new();
        let mut databases: Vec<DatabaseSeries> =
            by_database.into_values().filter_map(|samples| database(samples, &mut left_out)).collect();
        databases.sort_by(|a, b| a.database.cmp(&b.database));
        // Clones and tests often have the name of their source.
        let titles: Vec<String> = databases.iter().map(|one| one.database.clone()).collect();
        for one in &mut databases {
            if titles.iter().filter(|title| **title == one.database).count() > 1 {
                one.database = format!("{} ({})", one.database, one.key.trim_end_matches('/'));
            }
        }
        Self { databases, left_out }
    }
}

impl DatabaseSeries {
    /// A figure over time.
    pub fn statistics(&self, figure: AwrFigure) -> Option<&AwrStatistics> {
        self.statistics.iter().find(|one| one.figure == figure)
    }
}

fn database(mut samples: Vec<AwrSample>, left_out: &mut Vec<LeftOut>) -> Option<DatabaseSeries> {
    // Short intervals say more than the long one that contains them, and the report of a cluster more than those of its instances.
    samples.sort_by(|a, b| {
        let by_instances = || b.instances.len().cmp(&a.instances.len());
        a.seconds().total_cmp(&b.seconds()).then_with(by_instances).then_with(|| a.source.cmp(&b.source))
    });
    let mut kept: Vec<AwrSample> = Vec::new();
    for sample in samples {
        if sample.seconds() <= 0.0 {
            left_out.push(LeftOut { file: sample.source, why: "its elapsed time is not there".to_owned() });
            continue;
        }
        match kept.iter().find(|one| one.overlaps(&sample)) {
            Some(other) if other.moment() == sample.moment() => left_out.push(LeftOut {
                why: format!("`{}` covers the same snapshots", other.source),
                file: sample.source,
            }),
            Some(other) => left_out.push(LeftOut {
                why: format!("`{}` covers part of the same time in a shorter interval", other.source),
                file: sample.source,
            }),
            None => kept.push(sample),
        }
    }
    let (title, key) = kept.first().map(|one| (one.title.clone(), one.key.clone()))?;
    let instances: BTreeSet<u32> = kept.iter().flat_map(|one| one.instances.iter().copied()).collect();
    let mut notes = Vec::new();
    for sample in &kept {
        for doubt in &sample.doubts {
            let note = format!("{}: {doubt}", sample.source);
            // AWR-Miner has the same file for every snapshot.
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let block_bytes =
        kept[0].block_bytes.filter(|_| kept.iter().all(|one| one.block_bytes == kept[0].block_bytes));
    let places = match kept.as_slice() {
        [one] => one.figures.iter().map(|(figure, quoted)| (figure, quoted.place.clone())).collect(),
        _ => BTreeMap::new(),
    };
    let mut moments: BTreeMap<_, Vec<AwrSample>> = BTreeMap::new();
    for sample in kept {
        moments.entry(sample.moment()).or_default().push(sample);
    }
    let mut lacking = 0;
    let mut intervals: Vec<SeriesInterval> = moments
        .into_values()
        .map(|samples| {
            let running = samples.iter().filter_map(|one| one.running_instances).max().unwrap_or(1);
            let here: usize = samples.iter().map(|one| one.instances.len()).sum();
            lacking += usize::from(here < usize::try_from(running).unwrap_or(usize::MAX));
            together(&samples)
        })
        .collect();
    intervals.sort_by(|a, b| a.end.cmp(&b.end));
    if lacking > 0 {
        notes.insert(
            0,
            format!(
                "in {lacking} of {} intervals instances of the cluster are missing: the sums are too low",
                intervals.len()
            ),
        );
    }
    let long = intervals.iter().filter(|one| one.seconds > 2.0 * 3600.0).count();
    if long > 0 {
        notes.push(format!(
            "{long} of {} intervals are longer than two hours, and hide their busy minutes",
            intervals.len()
        ));
    }
    Some(DatabaseSeries {
        database: title,
        key,
        instances: instances.into_iter().collect(),
        covered_s: intervals.iter().map(|one| one.seconds).sum(),
        statistics: statistics(&intervals),
        intervals,
        notes,
        block_bytes,
        places,
    })
}

/// Whether the figure of a cluster is the sum of those of its instances.
fn adds_up(figure: AwrFigure) -> bool {
    matches!(figure.unit(), AwrUnit::PerSecond | AwrUnit::MibPerS | AwrUnit::Sessions)
}

/// What a mean is weighted by, over instances and over time.
fn weight_of(figure: AwrFigure) -> Option<AwrFigure> {
    match figure {
        AwrFigure::BufferHitPercent => Some(AwrFigure::Transactions),
        AwrFigure::FlashCacheHitPercent | AwrFigure::MeanReadKib => Some(AwrFigure::Reads),
        AwrFigure::SingleBlockReadUs => Some(AwrFigure::Reads),
        AwrFigure::MultiBlockReadUs => Some(AwrFigure::MultiBlockReads),
        AwrFigure::MeanWriteKib => Some(AwrFigure::Writes),
        AwrFigure::MeanRedoWriteKib | AwrFigure::RedoWriteUs => Some(AwrFigure::RedoWrites),
        AwrFigure::CommitUs => Some(AwrFigure::Transactions),
        _ => None,
    }
}

/// The instances of one interval as one.
fn together(samples: &[AwrSample]) -> SeriesInterval {
    let mut figures = AwrFigures::default();
    for figure in AwrFigure::ALL {
        let found: Vec<(f64, f64)> = samples
            .iter()
            .filter_map(|one| {
                let value = one.figures.get(*figure)?.sound()?;
                let weight = weight_of(*figure).and_then(|weight| one.figures.value(weight));
                Some((value, weight.unwrap_or(1.0)))
            })
            .collect();
        // A sum without one of its parts is no sum.
        if found.is_empty() || (adds_up(*figure) && found.len() < samples.len()) {
            continue;
        }
        let value =
            if adds_up(*figure) { found.iter().map(|(value, _)| value).sum() } else { weighted(&found) };
        figures.put(*figure, Quoted::derived(value, 0.0, "", "the instances together"));
    }
    // Quotients of sums, and no means of quotients.
    ratios(&mut figures);
    let values: BTreeMap<AwrFigure, f64> =
        figures.iter().filter_map(|(figure, value)| Some((figure, value.sound()?))).collect();
    let mut peaks: BTreeMap<AwrFigure, f64> = BTreeMap::new();
    for (figure, value) in samples.iter().flat_map(|one| &one.peaks) {
        if let Some(value) = value.sound().filter(|_| adds_up(*figure)) {
            *peaks.entry(*figure).or_default() += value;
        }
    }
    let longest = samples.iter().map(AwrSample::seconds).fold(0.0, f64::max);
    SeriesInterval {
        begin: samples.iter().filter_map(|one| one.interval.begin.clone()).min(),
        end: samples.iter().filter_map(|one| one.interval.end.clone()).max(),
        seconds: longest,
        instances: samples.iter().flat_map(|one| one.instances.iter().copied()).collect(),
        files: samples.iter().map(|one| one.source.clone()).collect(),
        figures: values.iter().map(|(figure, value)| (figure.key(), *value)).collect(),
        values,
        peaks,
    }
}

fn weighted(values: &[(f64, f64)]) -> f64 {
    let weight: f64 = values.iter().map(|(_, weight)| weight).sum();
    if weight > 0.0 {
        values.iter().map(|(value, weight)| value * weight).sum::<f64>() / weight
    } else {
        values.iter().map(|(value, _)| value).sum::<f64>() / values.len() as f64
    }
}

fn statistics(intervals: &[SeriesInterval]) -> Vec<AwrStatistics> {
    let of = |figure: AwrFigure| {
        let mut found: Vec<(f64, f64)> = Vec::new();
        let mut weighted_by: Vec<(f64, f64)> = Vec::new();
        for one in intervals {
            if let Some(value) = one.values.get(&figure) {
                found.push((*value, one.seconds));
                let weight =
                    weight_of(figure).and_then(|weight| one.values.get(&weight)).copied().unwrap_or(1.0);
                weighted_by.push((*value, one.seconds * weight));
            }
        }
        if found.is_empty() {
            return None;
        }
        let average = match figure {
            // The share of all requests, and not the mean of the shares.
            AwrFigure::ReadPercent => {
                let sum = |figure| -> f64 {
                    let parts =
                        intervals.iter().filter_map(|one| Some(one.values.get(&figure)? * one.seconds));
                    parts.sum()
                };
                let (reads, writes) = (sum(AwrFigure::Reads), sum(AwrFigure::Writes));
                if reads + writes > 0.0 { 100.0 * reads / (reads + writes) } else { weighted(&weighted_by) }
            }
            _ => weighted(&weighted_by),
        };
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(AwrStatistics {
            figure,
            average,
            p95: percentile(&found, 95.0),
            p99: percentile(&found, 99.0),
            peak: found.last().map_or(0.0, |(value, _)| *value),
            peak_minute: intervals.iter().filter_map(|one| one.peaks.get(&figure).copied()).reduce(f64::max),
        })
    };
    AwrFigure::ALL.iter().filter_map(|figure| of(*figure)).collect()
}

/// The smallest value that is not exceeded in so many percent of the time; `sorted` has values with their seconds.
fn percentile(sorted: &[(f64, f64)], percent: f64) -> f64 {
    let all: f64 = sorted.iter().map(|(_, seconds)| seconds).sum();
    let mut sum = 0.0;
    for (value, seconds) in sorted {
        sum += seconds;
        // A trace for the noise of the sums.
        if sum >= percent / 100.0 * all * (1.0 - 1e-9) {
            return *value;
        }
    }
    sorted.last().map_or(0.0, |(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(source: &str, instance: u32, hour: u32, hours: u32, reads: f64) -> AwrSample {
        let mut figures = AwrFigures::default();
        for (figure, value) in [
            (AwrFigure::Reads, reads),
            (AwrFigure::Writes, 10.0),
            (AwrFigure::ReadMib, reads / 128.0),
            (AwrFigure::SingleBlockReadUs, reads * 10.0),
        ] {
            figures.put(figure, Quoted::printed(value, 0.0, ""));
        }
        let at = |hour: u32| Some(format!("2025-01-02T{hour:02}:00:{instance:02}"));
        AwrSample {
            source: source.to_owned(),
            title: "DB".to_owned(),
            key: "1/".to_owned(),
            instances: [instance].into(),
            running_instances: Some(2),
            interval: Interval {
                begin_snapshot: Some(u64::from(hour)),
                end_snapshot: Some(u64::from(hour + hours)),
                begin: at(hour),
                end: at(hour + hours),
                elapsed_s: Quoted::printed(3600.0 * f64::from(hours), 0.0, ""),
                ..Interval::default()
            },
            figures,
            peaks: Vec::new(),
            block_bytes: None,
            doubts: Vec::new(),
        }
    }

    fn of(samples: Vec<AwrSample>) -> (DatabaseSeries, Vec<LeftOut>) {
        let mut series = AwrSeries::of(samples);
        assert_eq!(series.databases.len(), 1);
        (series.databases.remove(0), series.left_out)
    }

    #[test]
    fn instances_of_the_same_interval_add_up_and_means_are_weighted() {
        let (series, left_out) = of(vec![sample("a", 1, 1, 1, 100.0), sample("b", 2, 1, 1, 300.0)]);
        assert!(left_out.is_empty() && series.notes.is_empty());
        let [interval] = series.intervals.as_slice() else { panic!("{series:?}") };
        assert_eq!(interval.values[&AwrFigure::Reads], 400.0);
        assert_eq!(interval.values[&AwrFigure::MeanReadKib], 8.0);
        // 1,000 µs for a quarter of the reads, 3,000 µs for the rest.
        assert_eq!(interval.values[&AwrFigure::SingleBlockReadUs], 2_500.0);
    }

    #[test]
    fn nothing_is_counted_twice_and_short_intervals_go_before_long_ones() {
        let samples = vec![
            sample("day", 1, 1, 3, 50.0),
            sample("one", 1, 1, 1, 100.0),
            sample("one again", 1, 1, 1, 100.0),
            sample("two", 1, 2, 1, 200.0),
        ];
        let (series, left_out) = of(samples);
        assert_eq!(series.intervals.len(), 2);
        assert_eq!(series.covered_s, 7_200.0);
        let left: Vec<(&str, &str)> =
            left_out.iter().map(|one| (one.file.as_str(), one.why.as_str())).collect();
        assert_eq!(
            left,
            [
                ("one again", "`one` covers the same snapshots"),
                ("day", "`one` covers part of the same time in a shorter interval"),
            ]
        );
        assert_eq!(
            series.notes,
            ["in 2 of 2 intervals instances of the cluster are missing: the sums are too low"]
        );
    }

    #[test]
    fn percentiles_are_over_time() {
        // 19 hours of 100, one hour of 900.
        let mut samples: Vec<AwrSample> = (0..19).map(|hour| sample("s", 1, hour, 1, 100.0)).collect();
        samples.push(sample("s", 1, 19, 1, 900.0));
        let (series, _) = of(samples);
        let reads = series.statistics(AwrFigure::Reads).unwrap();
        assert_eq!((reads.average, reads.p95, reads.p99, reads.peak), (140.0, 100.0, 900.0, 900.0));
    }

    #[test]
    fn reports_of_other_databases_stay_apart() {
        let mut other = sample("b", 1, 1, 1, 300.0);
        other.key = "2/".to_owned();
        assert_eq!(AwrSeries::of(vec![sample("a", 1, 1, 1, 100.0), other]).databases.len(), 2);
    }
}
