//! What a list of the store says of one of its files.

use std::path::{Path, PathBuf};

use iotrial_analysis::findings::findings;
use iotrial_analysis::stream::Streams;
use iotrial_analysis::sweep::SweepSummary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::{Capacity, Outcome, judge};
use iotrial_model::figure::Figure;
use iotrial_model::metric::MetricKey;
use iotrial_model::plan::EngineKind;
use iotrial_model::record::{EndedHow, RunRecord};
use iotrial_model::stream::Stream;
use iotrial_model::study::{CellEnd, Progress};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::kind::Kind;
use super::read::{
    ReadRecordError, Unreadable, read_imported, read_record, read_sweep, read_unpacked, reading,
};
use crate::wall_clock::is_ahead;

/// A file of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// ULID: where a name stands for a record, its beginning is enough.
    pub id: String,
    /// Where the file lies, in the folder of the store with its links resolved.
    pub path: PathBuf,
    /// When measuring or the study began, RFC 3339 in UTC; empty where another tool does not say it.
    pub started_at: String,
    /// Name of the profile, or of the tool; `sweep` and `study` of those.
    pub profile: String,
    /// What the user calls it.
    pub label: Option<String>,
    /// Where it ran.
    pub targets: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// By the thresholds in its record; `None` of what carries none.
    pub outcome: Option<Outcome>,
    /// I/Os per second of the measured phase, reads and writes; `None` of a sweep and a study, which are many loads.
    pub iops: Option<f64>,
    /// I/Os per second within the limits, of a run that searched for them.
    pub capacity_iops: Option<f64>,
    /// The highest ceiling of any curve of a sweep, in I/Os per second.
    pub ceiling_iops: Option<f64>,
    /// Whether `capacity_iops` or `ceiling_iops` may be more.
    pub is_lower_bound: bool,
    /// The latency that somebody waits for: p99 of commits, else of writes, else of reads; their mean where it has too few I/Os.
    pub key_latency: Option<KeyLatency>,
    /// What it is.
    pub kind: Kind,
    /// Whether device and clock were computed and nothing was measured; of a study, whether its loads are such.
    #[serde(rename = "simulated")]
    pub is_simulated: bool,
}

/// A latency with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyLatency {
    /// As in gates: `commit.p99`.
    pub metric: String,
    /// In microseconds.
    pub us: f64,
}

impl KeyLatency {
    fn of(subject: &Subject<'_>) -> Option<Self> {
        let streams = Streams::of(subject);
        let order = [Stream::Commit, Stream::Write, Stream::Read, Stream::Mixed];
        let (stream, figures) = order.into_iter().find_map(|stream| {
            Some((stream, streams.get(stream).filter(|one| one.lat_mean_us.is_some())?))
        })?;
        let is_enough =
            |figure: &Figure| figures.io_count.is_none_or(|count| count >= figure.least_io_count());
        let known = [Figure::LatencyP99, Figure::LatencyMean].into_iter().filter(is_enough);
        let (figure, us) = known.filter_map(|figure| Some((figure, figures.get(figure)?))).next()?;
        Some(Self { metric: MetricKey::Figure(stream, figure).words(), us })
    }
}

impl Entry {
    /// Reads what a list says of a file; `None` where its name is none that a list has.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, ReadRecordError> {
        let entry = match Kind::of_name(path) {
            Some(Kind::Run) => Self::of_run(&read_record(path)?, path),
            Some(Kind::Imported) => {
                Self::of(Kind::Imported, &Subject::of_imported(&read_imported(path)?), path)
            }
            Some(Kind::Sweep) => Self::of_sweep(&read_sweep(path)?, path),
            Some(Kind::Study) => return Self::read_study(path),
            Some(Kind::Journal) | None => return Ok(None),
        };
        Ok(Some(entry))
    }

    /// Whether it is said to be of a time that is still to come.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        is_ahead(&self.id, &self.started_at, now)
    }

    /// A result, or what the probes of a sweep have in common.
    fn of(kind: Kind, subject: &Subject<'_>, path: &Path) -> Self {
        Self {
            id: subject.id.to_owned(),
            path: path.to_owned(),
            started_at: subject.measured_at.unwrap_or_default().to_owned(),
            // What it says of its pages, it does not say of its rates.
            profile: match subject.verification {
                Some(_) => format!("verify {}", subject.profile()),
                None => subject.profile().to_owned(),
            },
            label: subject.label.map(str::to_owned),
            targets: subject.targets_in_words(),
            ended: ended_word(subject.ended_how()).to_owned(),
            outcome: None,
            iops: (kind != Kind::Sweep).then(|| iops_of(subject)).flatten(),
            capacity_iops: None,
            ceiling_iops: None,
            is_lower_bound: false,
            key_latency: KeyLatency::of(subject),
            kind,
            is_simulated: subject.engine.is_some_and(EngineKind::is_simulated),
        }
    }

    /// A run, which carries what it was judged by.
    pub(super) fn of_run(record: &RunRecord, path: &Path) -> Self {
        let subject = Subject::of_run(record);
        // A set that is no longer valid judges nothing, and keeps no record from the list.
        let set = ThresholdSet::of_record(&record.thresholds).ok();
        let verdict = set.map(|set| judge(&subject, &findings(&subject), &set));
        let capacity = verdict.as_ref().and_then(|verdict| Capacity::of(&subject, verdict));
        Self {
            outcome: verdict.map(|verdict| verdict.outcome),
            capacity_iops: capacity.as_ref().and_then(|capacity| capacity.iops),
            is_lower_bound: capacity.is_some_and(|capacity| capacity.is_lower_bound),
            ..Self::of(Kind::Run, &subject, path)
        }
    }

    /// A sweep, by the curve that reaches the highest rate.
    fn of_sweep(record: &SweepRecord, path: &Path) -> Self {
        let summary = SweepSummary::new(record);
        let found = summary.curves.iter().filter_map(|curve| curve.saturation.as_ref());
        let highest = found.max_by(|one, other| one.ceiling_iops.total_cmp(&other.ceiling_iops));
        Self {
            ceiling_iops: highest.map(|found| found.ceiling_iops),
            is_lower_bound: highest.is_some_and(|found| !found.is_reached),
            ..Self::of(Kind::Sweep, &Subject::of_sweep(record), path)
        }
    }

    /// A study, by its journal; `None` where a crash left not even the first line.
    fn read_study(path: &Path) -> Result<Option<Self>, ReadRecordError> {
        let progress = reading(path, "a journal of a study", || {
            let read =
                Progress::read(&read_unpacked(path)?).map_err(|error| Unreadable::Check(error.into()))?;
            Ok(read.map(|(progress, _)| progress))
        })?;
        let Some(progress) = progress else { return Ok(None) };
        let study = progress.study();
        let mut targets: Vec<String> =
            study.configurations.iter().flat_map(|one| &one.targets).map(ToString::to_string).collect();
        targets.dedup();
        // A measurement that failed does not make the study fail: it is tried again when the study is resumed.
        let is_done = study.cells().iter().all(|cell| matches!(progress.end_of(cell), CellEnd::Done { .. }));
        Ok(Some(Self {
            id: progress.id.clone(),
            path: path.to_owned(),
            started_at: progress.began_at.clone(),
            profile: "study".to_owned(),
            label: Some(study.name.clone()),
            targets: targets.join(", "),
            ended: ended_word(if is_done { EndedHow::Complete } else { EndedHow::Interrupted }).to_owned(),
            outcome: None,
            iops: None,
            capacity_iops: None,
            ceiling_iops: None,
            is_lower_bound: false,
            key_latency: None,
            kind: Kind::Study,
            is_simulated: study.load.engine.is_some_and(EngineKind::is_simulated),
        }))
    }
}

/// Reads and writes a second, as the source states them together, or else added up.
fn iops_of(subject: &Subject<'_>) -> Option<f64> {
    let streams = Streams::of(subject);
    let of = |stream: Stream| streams.get(stream).and_then(|figures| figures.get(Figure::Iops));
    let both = [Stream::Read, Stream::Write].into_iter().filter_map(of).reduce(|read, write| read + write);
    of(Stream::Mixed).or(both)
}

const fn ended_word(how: EndedHow) -> &'static str {
    match how {
        EndedHow::Complete => "complete",
        EndedHow::Interrupted => "interrupted",
        EndedHow::Failed => "failed",
    }
}
