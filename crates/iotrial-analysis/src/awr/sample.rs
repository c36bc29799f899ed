//! What is kept of a report for a series.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::awr::{AwrFigure, AwrKind, AwrReport, CutOff, FileFact, FileNote, Interval};

use super::about::OfReport;
use super::cut::cut_off_of;
use super::figures::figures_of;

/// What is kept of a report for a series: of a thousand reports the tables would be gigabytes.
#[derive(Debug, Clone, PartialEq)]
pub struct AwrSample {
    /// The file, as the user named it.
    pub source: String,
    pub(super) title: String,
    pub(super) key: DatabaseKey,
    /// `DB_UNIQUE_NAME` in small letters: the copies of a standby have the id and the name of their primary.
    pub(super) unique_name: Option<String>,
    pub(super) instances: BTreeSet<u32>,
    pub(super) interval: Interval,
    pub(super) figures: BTreeMap<AwrFigure, Kept>,
    /// Where each of them is printed.
    pub(super) places: BTreeMap<AwrFigure, String>,
    pub(super) peaks: Vec<(AwrFigure, f64)>,
    /// What contradicts itself or was not understood, in the words of the import.
    pub(super) doubts: Vec<String>,
    pub(super) about: OfReport,
    /// How much of the report is missing; `None` of a whole one.
    pub cut_off: Option<CutOff>,
}

/// What is the same for all reports of a database. Copies for tests keep the id of their source, and get another name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DatabaseKey {
    /// `DB Id`.
    pub(super) id: Option<u64>,
    /// In small letters; empty where it was made anonymous.
    pub(super) name: String,
    /// The pluggable database; `None` of a whole database, also of one that has others in it.
    pub(super) container: Option<String>,
}

/// A figure of a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Kept {
    pub(super) value: f64,
    /// Whether nothing contradicts it.
    pub(super) is_sound: bool,
}

impl AwrSample {
    /// What a series needs of a report.
    pub fn of(report: &AwrReport, source: &str) -> Self {
        let database = &report.database;
        // An instance without a number is the first: Statspack and single instances.
        let instances: BTreeSet<u32> = report.instances.iter().map(|one| one.number.unwrap_or(1)).collect();
        let cut_off = cut_off_of(report);
        let mut doubts = report.contradictions.clone();
        doubts.extend(report.corrections.iter().cloned());
        doubts.extend(report.warnings.iter().map(ToString::to_string));
        let figures = figures_of(report);
        let kept = figures.iter().filter_map(|(figure, quoted)| {
            Some((figure, Kept { value: quoted.value()?, is_sound: quoted.sound().is_some() }))
        });
        Self {
            source: source.to_owned(),
            title: database.title(),
            key: DatabaseKey {
                id: database.id,
                name: database.name.to_lowercase(),
                container: (report.kind == AwrKind::Pluggable).then(|| database.container.clone()).flatten(),
            },
            unique_name: database.unique_name.as_ref().map(|name| name.to_lowercase()),
            instances,
            interval: report.interval.clone(),
            figures: kept.collect(),
            places: figures.iter().map(|(figure, quoted)| (figure, quoted.place.clone())).collect(),
            peaks: report.peaks.iter().filter_map(|(figure, peak)| Some((*figure, peak.sound()?))).collect(),
            doubts,
            about: OfReport::of(report, &figures),
            cut_off,
        }
    }

    /// What is missing, with the file; `None` of a whole report.
    pub fn cut_note(&self) -> Option<FileNote> {
        let cut = self.cut_off.clone()?;
        Some(FileNote { file: self.source.clone(), fact: FileFact::CutOff(cut) })
    }

    pub(super) fn seconds(&self) -> f64 {
        self.interval.elapsed_s.value().unwrap_or(0.0)
    }

    /// How long the interval is, in whole minutes.
    pub(super) fn minutes_long(&self) -> f64 {
        (self.seconds() / 60.0).round()
    }

    /// Whether both begin and end in the same minute.
    pub(super) fn is_at_the_same_time_as(&self, other: &Self) -> bool {
        let of_self = minutes(&self.interval);
        of_self.is_some() && of_self == minutes(&other.interval)
    }

    /// Whether both were measured at the same instance at the same time. Intervals that touch do not overlap.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
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
    pub(super) fn moment(&self) -> (Option<u64>, Option<u64>, Option<String>) {
        let interval = &self.interval;
        match interval.end_snapshot {
            Some(_) => (interval.begin_snapshot, interval.end_snapshot, None),
            None => (None, None, interval.end.clone()),
        }
    }
}

/// Begin and end without seconds.
fn minutes(interval: &Interval) -> Option<(&str, &str)> {
    let minute = |time: &'_ str| time.len().min(16);
    let (begin, end) = (interval.begin.as_deref()?, interval.end.as_deref()?);
    Some((begin.get(..minute(begin))?, end.get(..minute(end))?))
}
