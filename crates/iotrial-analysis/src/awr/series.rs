//! Databases over many intervals: instances of the same interval are added up, nothing is counted twice, and average, percentiles and
//! peak are over time.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::awr::{
    AwrFigure, AwrFigures, AwrUnit, FileFact, FileNote, Level, Part, Quoted, SeriesNote,
};
use iotrial_model::imported::Stated;
use iotrial_model::load::Direction;
use serde::Serialize;

use super::about::{About, limits_over};
use super::figures::ratios;
use super::remarks::Limit;
use super::right_size::{RightSizing, SizeRequest};
use super::said;
use super::sample::{AwrSample, DatabaseKey};

/// From so many intervals on there are percentiles: of fewer, one in twenty is less than one interval.
pub(super) const FEWEST_FOR_PERCENTILES: usize = 20;

/// Databases over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrSeries {
    /// By name.
    pub databases: Vec<DatabaseSeries>,
    /// Reports that were read and are not counted.
    #[serde(serialize_with = "said::file_notes")]
    pub left_out: Vec<FileNote>,
    /// Files that were meant and could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "said::file_notes")]
    pub unread: Vec<FileNote>,
    /// Reports that were cut off, and are counted as far as they go.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "said::file_notes")]
    pub cut_off: Vec<FileNote>,
}

/// A database over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseSeries {
    /// What it is called; with its id where others have the same name.
    pub database: String,
    #[serde(skip)]
    pub(super) key: DatabaseKey,
    /// The instances of which there are reports.
    pub instances: Vec<u32>,
    /// From the first to the last.
    pub intervals: Vec<SeriesInterval>,
    /// Seconds that the intervals cover.
    pub covered_s: f64,
    /// Each figure over time.
    pub statistics: Vec<AwrStatistics>,
    /// What is to be known of the figures.
    #[serde(serialize_with = "said::series_notes")]
    pub notes: Vec<SeriesNote>,
    /// What the reports say besides figures.
    #[serde(flatten)]
    pub about: About,
    /// What machine and storage it takes, once that is asked ([`AwrSeries::sized`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_size: Option<RightSizing>,
    /// Where each figure is printed; empty where it follows from several reports.
    #[serde(skip)]
    pub(super) places: BTreeMap<AwrFigure, String>,
    /// Its reports that are not counted.
    #[serde(skip)]
    pub(super) left_out: Vec<String>,
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
    /// Where its time of users goes, the largest share first; empty where the source has no waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    #[serde(skip)]
    pub(super) values: BTreeMap<AwrFigure, f64>,
    #[serde(skip)]
    peaks: BTreeMap<AwrFigure, f64>,
}

impl SeriesInterval {
    /// A figure; `None` where the reports do not have it, or contradict it.
    pub fn value(&self, figure: AwrFigure) -> Option<f64> {
        self.values.get(&figure).copied()
    }

    /// Begin and end in seconds of the calendar; `None` where its times are not there, or contradict its length.
    pub fn calendar_s(&self) -> Option<(i64, i64)> {
        super::fleet::Span::of(self).map(|span| (span.begin, span.end))
    }
}

/// A figure over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrStatistics {
    /// Which one.
    pub figure: AwrFigure,
    /// Mean over time; of latencies and sizes over what they are of.
    pub average: f64,
    /// The interval that is not exceeded in 95 % of the time; absent where there are fewer than 20 intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// The same of 99 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// The highest interval.
    pub peak: f64,
    /// The highest minute, where the source has one; of a cluster the sum of the highest minutes of its instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_minute: Option<f64>,
}

impl AwrStatistics {
    /// The value at a level.
    pub(super) fn at(&self, level: Level) -> f64 {
        match level {
            Level::Average => self.average,
            // Of a few intervals, which have no percentiles, the highest.
            Level::P95 => self.p95.unwrap_or(self.peak),
            Level::P99 => self.p99.unwrap_or(self.peak),
            Level::Peak => self.peak,
        }
    }
}

impl AwrSeries {
    /// Databases over time, from any number of reports in any order.
    pub fn of(samples: Vec<AwrSample>) -> Self {
        let mut by_key: BTreeMap<DatabaseKey, Vec<AwrSample>> = BTreeMap::new();
        let mut cut_off = Vec::new();
        for sample in samples {
            cut_off.extend(sample.cut_note());
            by_key.entry(sample.key.clone()).or_default().push(sample);
        }
        let mut left_out = Vec::new();
        let by_database = by_key.into_values().flat_map(by_unique_name);
        let mut databases: Vec<DatabaseSeries> =
            by_database.filter_map(|samples| database(samples, &mut left_out)).collect();
        databases.sort_by(|a, b| a.database.cmp(&b.database));
        // Clones and tests often have the name of their source.
        let titles: Vec<String> = databases.iter().map(|one| one.database.clone()).collect();
        for one in &mut databases {
            if titles.iter().filter(|title| **title == one.database).count() > 1
                && let Some(id) = one.key.id
            {
                one.database = format!("{} ({id})", one.database);
            }
        }
        Self { databases, left_out, unread: Vec::new(), cut_off }
    }

    /// With the machine and the storage that each database takes.
    pub fn sized(self, request: &SizeRequest) -> Self {
        let databases = self.databases.into_iter().map(|one| one.sized(request)).collect();
        Self { databases, ..self }
    }
}

/// Primary and standby apart, where there are both. Reports of a release that does not print the name are with the first.
fn by_unique_name(samples: Vec<AwrSample>) -> Vec<Vec<AwrSample>> {
    let names: BTreeSet<String> = samples.iter().filter_map(|one| one.unique_name.clone()).collect();
    if names.len() < 2 {
        return vec![samples];
    }
    let mut apart: BTreeMap<Option<String>, Vec<AwrSample>> = BTreeMap::new();
    for mut sample in samples {
        let name = sample.unique_name.clone().or_else(|| names.first().cloned());
        if let Some(name) = &sample.unique_name {
            sample.title = format!("{} ({name})", sample.title);
        }
        apart.entry(name).or_default().push(sample);
    }
    apart.into_values().collect()
}

impl DatabaseSeries {
    /// With the machine and the storage that it takes.
    fn sized(self, request: &SizeRequest) -> Self {
        let right_size = Some(RightSizing::of(&self, request, None));
        Self { right_size, ..self }
    }

    /// Whether there are so many intervals that one in twenty can be beyond the 95th percentile.
    pub fn has_percentiles(&self) -> bool {
        self.intervals.len() >= FEWEST_FOR_PERCENTILES
    }

    /// What stands for a level that is asked for: a single interval has its average only, and a few have no percentiles, but a highest one.
    pub(super) fn known_level(&self, level: Level) -> Level {
        match level {
            _ if self.intervals.len() == 1 => Level::Average,
            Level::P95 | Level::P99 if !self.has_percentiles() => Level::Peak,
            known => known,
        }
    }

    /// A figure over time.
    pub fn statistics(&self, figure: AwrFigure) -> Option<&AwrStatistics> {
        self.statistics.iter().find(|one| one.figure == figure)
    }
}

fn database(mut samples: Vec<AwrSample>, left_out: &mut Vec<FileNote>) -> Option<DatabaseSeries> {
    // Short intervals say more than the long one that contains them, and the report of a cluster more than those of its instances.
    samples.sort_by(|a, b| {
        let by_instances = || b.instances.len().cmp(&a.instances.len());
        a.seconds().total_cmp(&b.seconds()).then_with(by_instances).then_with(|| a.source.cmp(&b.source))
    });
    let mut kept: Vec<AwrSample> = Vec::new();
    let mut own_left_out = Vec::new();
    for sample in samples {
        match why_left_out(&sample, &kept) {
            Some(fact) => {
                own_left_out.push(sample.source.clone());
                left_out.push(FileNote { file: sample.source, fact });
            }
            None => kept.push(sample),
        }
    }
    let (title, key) = kept.first().map(|one| (one.title.clone(), one.key.clone()))?;
    let instances: BTreeSet<u32> = kept.iter().flat_map(|one| one.instances.iter().copied()).collect();
    let places = match kept.as_slice() {
        [one] => one.places.clone(),
        _ => BTreeMap::new(),
    };
    let about = About::of(&kept);
    let mut notes: Vec<SeriesNote> = about.part.iter().flat_map(notes_of_part).collect();
    notes.extend(doubts_of(&kept));
    let mut moments: BTreeMap<_, Vec<AwrSample>> = BTreeMap::new();
    for sample in kept {
        moments.entry(sample.moment()).or_default().push(sample);
    }
    let mut intervals: Vec<SeriesInterval> =
        moments.into_values().map(|samples| together(&samples)).collect();
    intervals.sort_by(|a, b| a.end.cmp(&b.end));
    notes.extend(rounded_away(&intervals));
    let long = intervals.iter().filter(|one| one.seconds > 2.0 * 3600.0).count();
    if long > 0 {
        notes.push(SeriesNote::LongIntervals { long, intervals: intervals.len() });
    }
    Some(DatabaseSeries {
        database: title,
        key,
        instances: instances.into_iter().collect(),
        covered_s: intervals.iter().map(|one| one.seconds).sum(),
        statistics: statistics(&intervals),
        intervals,
        notes,
        about,
        right_size: None,
        places,
        left_out: own_left_out,
    })
}

/// Why a report is not counted beside those that are.
fn why_left_out(sample: &AwrSample, kept: &[AwrSample]) -> Option<FileFact> {
    if sample.seconds() <= 0.0 {
        return Some(FileFact::NoElapsedTime);
    }
    let other = kept.iter().find(|one| one.overlaps(sample))?;
    let file = || other.source.clone();
    Some(if other.moment() == sample.moment() {
        FileFact::SameSnapshots { as_file: file() }
    } else if other.source == sample.source {
        // A file of AWR-Miner with a snapshot of a long day, or after a restart.
        FileFact::OverlapsItself
    } else {
        FileFact::OverlapsShorter { file: file() }
    })
}

fn notes_of_part(part: &Part) -> Vec<SeriesNote> {
    let lacking = (part.lacking_intervals > 0).then(|| SeriesNote::MissingInstances(part.clone()));
    lacking.into_iter().chain(part.on_cells.clone().map(SeriesNote::OnCells)).collect()
}

/// Bytes that are printed as zero although there were I/Os: the source rounds, and AWR-Miner to a tenth of a MiB/s.
fn rounded_away(intervals: &[SeriesInterval]) -> Option<SeriesNote> {
    let is_lost = |requests, mib| {
        let of = |one: &SeriesInterval| one.value(requests) > Some(0.0) && one.value(mib) == Some(0.0);
        intervals.iter().any(of)
    };
    let of_kind = [
        (AwrFigure::Reads, AwrFigure::ReadMib, Direction::Read),
        (AwrFigure::Writes, AwrFigure::WriteMib, Direction::Write),
    ];
    let lost = of_kind.into_iter().filter(|(requests, mib, _)| is_lost(*requests, *mib));
    let lost: Vec<Direction> = lost.map(|(_, _, direction)| direction).collect();
    (!lost.is_empty()).then_some(SeriesNote::RoundedToZero(lost))
}

/// What contradicts itself in the reports. What many of them have is said once, with the first of them.
fn doubts_of(samples: &[AwrSample]) -> Vec<SeriesNote> {
    let mut files: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for sample in samples {
        for doubt in &sample.doubts {
            match files.iter_mut().find(|(text, _)| text == doubt) {
                // AWR-Miner has the same file for every snapshot.
                Some((_, files)) => drop(files.insert(&sample.source)),
                None => files.push((doubt, BTreeSet::from([sample.source.as_str()]))),
            }
        }
    }
    let note = |(doubt, files): (&str, BTreeSet<&str>)| SeriesNote::Doubt {
        file: files.first().copied().unwrap_or_default().to_owned(),
        other_files: files.len() - 1,
        doubt: doubt.to_owned(),
    };
    files.into_iter().map(note).collect()
}

/// Whether the figure of a cluster is the sum of those of its instances.
pub(super) fn adds_up(figure: AwrFigure) -> bool {
    matches!(figure.unit(), AwrUnit::PerSecond | AwrUnit::MibPerS | AwrUnit::Sessions | AwrUnit::Mib)
}

/// What a mean is weighted by, over instances and over time: the first of these that is there, and nothing where none is.
fn weight_of(figure: AwrFigure, value_of: impl Fn(AwrFigure) -> Option<f64>) -> f64 {
    figure.row().weights.iter().find_map(|weight| value_of(*weight)).unwrap_or(1.0)
}

/// The instances of one interval as one.
fn together(samples: &[AwrSample]) -> SeriesInterval {
    let mut figures = AwrFigures::default();
    for figure in AwrFigure::ALL {
        let found: Vec<(f64, f64)> = samples
            .iter()
            .filter_map(|one| {
                let kept = one.figures.get(figure).filter(|kept| kept.is_sound)?;
                let weight = weight_of(*figure, |weight| Some(one.figures.get(&weight)?.value));
                Some((kept.value, weight))
            })
            .collect();
        // A sum without one of its parts is no sum.
        if found.is_empty() || (adds_up(*figure) && found.len() < samples.len()) {
            continue;
        }
        let value =
            if adds_up(*figure) { found.iter().map(|(value, _)| value).sum() } else { weighted(&found) };
        figures.put(*figure, Quoted::derived(Stated::exact(value), "", "the instances together"));
    }
    // Quotients of sums, and no means of quotients.
    ratios(&mut figures);
    let values: BTreeMap<AwrFigure, f64> =
        figures.iter().filter_map(|(figure, value)| Some((figure, value.sound()?))).collect();
    let mut peaks: BTreeMap<AwrFigure, f64> = BTreeMap::new();
    for (figure, value) in samples.iter().flat_map(|one| &one.peaks) {
        if adds_up(*figure) {
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
        limits: limits_over(samples),
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
                let weight = weight_of(figure, |weight| one.values.get(&weight).copied());
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
        let known = |percent| (found.len() >= FEWEST_FOR_PERCENTILES).then(|| percentile(&found, percent));
        Some(AwrStatistics {
            figure,
            average,
            p95: known(95.0),
            p99: known(99.0),
            peak: found.last().map_or(0.0, |(value, _)| *value),
            peak_minute: intervals.iter().filter_map(|one| one.peaks.get(&figure).copied()).reduce(f64::max),
        })
    };
    AwrFigure::ALL.iter().filter_map(|figure| of(*figure)).collect()
}

/// The smallest value that is not exceeded in so many percent of the time; `sorted` has values with their seconds.
pub(super) fn percentile(sorted: &[(f64, f64)], percent: f64) -> f64 {
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
    use iotrial_model::awr::Interval;

    use super::*;
    use crate::awr::about::OfReport;
    use crate::awr::part::Instances;
    use crate::awr::sample::Kept;

    fn sample(source: &str, instance: u32, hour: u32, hours: u32, reads: f64) -> AwrSample {
        let figures = [
            (AwrFigure::Reads, reads),
            (AwrFigure::Writes, 10.0),
            (AwrFigure::ReadMib, reads / 128.0),
            (AwrFigure::SingleBlockReadUs, reads * 10.0),
        ];
        let figures = figures.map(|(figure, value)| (figure, Kept { value, is_sound: true })).into();
        let at = |hour: u32| Some(format!("2025-01-02T{hour:02}:00:{instance:02}"));
        AwrSample {
            source: source.to_owned(),
            title: "DB".to_owned(),
            key: DatabaseKey { id: Some(1), name: "db".to_owned(), container: None },
            unique_name: None,
            instances: [instance].into(),
            interval: Interval {
                begin_snapshot: Some(u64::from(hour)),
                end_snapshot: Some(u64::from(hour + hours)),
                begin: at(hour),
                end: at(hour + hours),
                elapsed_s: Quoted::printed(Stated::exact(3600.0 * f64::from(hours)), ""),
                ..Interval::default()
            },
            figures,
            peaks: Vec::new(),
            places: BTreeMap::new(),
            doubts: Vec::new(),
            about: OfReport { instances: Instances::of_cluster(2), ..OfReport::default() },
            cut_off: None,
        }
    }

    fn of(samples: Vec<AwrSample>) -> (DatabaseSeries, Vec<FileNote>) {
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
        let left: Vec<(&str, FileFact)> =
            left_out.iter().map(|one| (one.file.as_str(), one.fact.clone())).collect();
        let one = || "one".to_owned();
        let expected = [
            ("one again", FileFact::SameSnapshots { as_file: one() }),
            ("day", FileFact::OverlapsShorter { file: one() }),
        ];
        assert_eq!(left, expected);
        let part = series.about.part.unwrap();
        assert_eq!((part.lacking_intervals, part.intervals), (2, 2));
        assert_eq!(series.notes, [SeriesNote::MissingInstances(part)]);
    }

    #[test]
    fn percentiles_are_over_time() {
        // 19 hours of 100, one hour of 900.
        let mut samples: Vec<AwrSample> = (0..19).map(|hour| sample("s", 1, hour, 1, 100.0)).collect();
        samples.push(sample("s", 1, 19, 1, 900.0));
        let (series, _) = of(samples);
        let reads = series.statistics(AwrFigure::Reads).unwrap();
        assert_eq!((reads.average, reads.peak), (140.0, 900.0));
        assert_eq!((reads.p95, reads.p99), (Some(100.0), Some(900.0)));
    }

    #[test]
    fn a_few_intervals_have_a_highest_one_and_no_percentiles() {
        // 19 of them, of which the last is the highest and short.
        let mut samples: Vec<AwrSample> = (0..18).map(|hour| sample("s", 1, hour, 1, 100.0)).collect();
        let mut busy = sample("s", 1, 18, 1, 900.0);
        busy.interval.elapsed_s = Quoted::printed(Stated::exact(600.0), "");
        samples.push(busy);
        let (series, _) = of(samples);
        let reads = series.statistics(AwrFigure::Reads).unwrap().clone();
        assert_eq!((reads.p95, reads.p99, reads.peak), (None, None, 900.0));
        let known = [Level::Average, Level::P95, Level::P99].map(|level| series.known_level(level));
        assert_eq!(known, [Level::Average, Level::Peak, Level::Peak]);
        // The level that is sized by is the highest interval, twice; the average is known and needs no factor.
        let sizing = series.sized(&SizeRequest::default()).right_size.unwrap();
        assert_eq!((sizing.chosen.level, sizing.chosen.reads_per_s), (Level::Peak, Some(1_800.0)));
        let levels: Vec<_> = sizing.levels.iter().map(|one| (one.level, one.reads_per_s)).collect();
        assert_eq!(levels, [(Level::Average, Some(reads.average)), (Level::Peak, Some(1_800.0))]);
    }

    #[test]
    fn an_instance_that_is_missing_in_some_intervals_is_not_called_missing_in_all() {
        let samples =
            vec![sample("a", 1, 1, 1, 100.0), sample("b", 2, 1, 1, 100.0), sample("c", 1, 2, 1, 100.0)];
        let (series, _) = of(samples);
        let part = series.about.large_part().unwrap();
        let counts =
            |part: &Part| (part.instances, part.of_instances, part.lacking_intervals, part.intervals);
        assert_eq!((counts(part), part.is_throughout()), ((1, Some(2), 1, 2), false));
        let (series, _) = of(vec![sample("a", 1, 1, 1, 100.0)]);
        let part = series.about.large_part().unwrap();
        assert_eq!((counts(part), part.is_throughout()), ((1, Some(2), 1, 1), true));
    }

    #[test]
    fn bytes_that_are_rounded_to_nothing_are_named() {
        let notes = |mib: f64| {
            let mut samples = vec![sample("a", 1, 1, 1, 100.0), sample("b", 2, 1, 1, 100.0)];
            for one in &mut samples {
                one.figures.insert(AwrFigure::WriteMib, Kept { value: mib, is_sound: true });
            }
            of(samples).0.notes
        };
        assert!(notes(0.1).is_empty());
        assert_eq!(notes(0.0), [SeriesNote::RoundedToZero(vec![Direction::Write])]);
    }

    #[test]
    fn reports_of_other_databases_stay_apart() {
        let mut other = sample("b", 1, 1, 1, 300.0);
        other.key.id = Some(2);
        assert_eq!(AwrSeries::of(vec![sample("a", 1, 1, 1, 100.0), other]).databases.len(), 2);
        // A copy for tests keeps the id of its source.
        let mut copy = sample("c", 1, 1, 1, 300.0);
        copy.key.name = "copy".to_owned();
        assert_eq!(AwrSeries::of(vec![sample("a", 1, 1, 1, 100.0), copy]).databases.len(), 2);
    }

    #[test]
    fn a_standby_is_no_second_report_of_its_primary() {
        let named = |source: &str, name: Option<&str>| AwrSample {
            unique_name: name.map(str::to_owned),
            ..sample(source, 1, 1, 1, 100.0)
        };
        let series = AwrSeries::of(vec![named("a", Some("db")), named("b", Some("db_far"))]);
        let names: Vec<&str> = series.databases.iter().map(|one| one.database.as_str()).collect();
        assert_eq!((names, series.left_out), (vec!["DB (db)", "DB (db_far)"], vec![]));
        // A text report of an older release does not say it.
        let series = AwrSeries::of(vec![named("a", Some("db")), named("b", None)]);
        assert_eq!((series.databases.len(), series.left_out.len()), (1, 1));
    }
}
