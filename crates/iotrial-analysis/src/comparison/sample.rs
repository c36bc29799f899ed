//! A sample: one run of one configuration, or one result as its source states it, with what has to agree for a comparison to
//! be fair.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::figure::{CpuFigure, Figure};
use iotrial_model::imported::{ImportedRecord, SourceKind, TablePlace};
use iotrial_model::metric::MetricKey;
use iotrial_model::record::{AttributeValue, EndedHow, Finding, Interval, OpCounts, RunRecord, Severity};
use iotrial_model::stream::Stream;
use iotrial_model::table::PublishedTable;
use serde::{Serialize, Serializer};

use super::conditions::{Conditions, stated_load_words};
use super::metric::Metric;
use super::resample::{Spread, Unit, Units};
use crate::figures::Figures;
use crate::imported::imported_findings;
use crate::latency_course::LatencyCourse;
use crate::stream::Streams;

/// One run of one configuration, or one printed row.
///
/// A sample is much smaller than its record: the intervals are gone, and what they tell about the spread is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Where it comes from, for messages: a path, or a row of a table.
    pub source: String,
    /// Id of the record or of the row.
    pub id: String,
    /// Under what it was measured: the profile, or the title of a table.
    pub subject: String,
    /// What the configuration is called.
    pub label: Option<String>,
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    pub(super) conditions: Conditions,
    /// How the generator worked: what may differ, and is told.
    pub(super) generator: Conditions,
    /// What the reader should know about its figures.
    pub(super) caveats: Vec<Caveat>,
    pub(super) figures: SampleFigures,
}

/// Where the figures come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SampleFigures {
    Measured(Box<Measured>),
    /// As a source states them, printed or measured by another tool.
    Stated(Stated),
}

/// What a source states.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stated {
    /// Each with the load where the configuration has several.
    pub(super) figures: Vec<(Metric, f64)>,
    pub(super) is_one_of_several_loads: bool,
    /// Of a printed row, which has no repeats.
    pub(super) is_printed: bool,
}

/// What one run measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub(super) duration: Duration,
    pub(super) streams: Vec<(Stream, OpCounts)>,
    /// How the latencies of each stream with any I/O spread over time.
    pub(super) courses: Vec<(Stream, LatencyCourse)>,
    pub(super) cpu: Option<MeasuredCpu>,
    /// `None` where the intervals are too few.
    pub(super) spread: Option<Spread>,
}

/// CPU time of the generator.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct MeasuredCpu {
    pub(super) user_s: f64,
    pub(super) system_s: f64,
    /// Both, without the watching of the clock.
    pub(super) work_s: f64,
    /// Of all CPUs of the host.
    pub(super) available_s: f64,
}

impl Sample {
    /// The sample of a run. `source` says where the record lies.
    pub fn of_record(record: &RunRecord, source: impl Into<String>) -> Self {
        let streams: Vec<(Stream, OpCounts)> = Stream::planned(record, |_| true)
            .into_iter()
            .map(|stream| (stream, stream.counts(record, &record.jobs, |_| true)))
            .collect();
        let durations_s =
            record.measured_intervals().map(|interval| interval.duration.as_secs_f64()).collect();
        let by_interval: Vec<(Stream, &OpCounts, Vec<Unit<'_>>)> = streams
            .iter()
            .map(|(stream, total)| {
                (
                    *stream,
                    total,
                    record.measured_intervals().map(|one| unit_of(record, *stream, one)).collect(),
                )
            })
            .collect();
        let spread = Units::new(durations_s, &by_interval).spread_of_intervals(seed_of(&record.id));
        let courses = streams
            .iter()
            .filter_map(|(stream, _)| Some((*stream, LatencyCourse::of_stream(record, *stream)?)))
            .collect();
        let cpu = record.cpu.map(|cpu| MeasuredCpu {
            user_s: cpu.user.as_secs_f64(),
            system_s: cpu.system.as_secs_f64(),
            work_s: cpu.work_s(),
            available_s: cpu.wall.as_secs_f64() * f64::from(record.host.all_cpu_count()),
        });
        Self {
            source: source.into(),
            id: record.id.clone(),
            subject: record.plan.profile.clone(),
            label: record.label.clone(),
            attributes: record.attributes.clone(),
            conditions: Conditions::of_record(record),
            generator: Conditions::of_generator(record),
            caveats: caveats(record),
            figures: SampleFigures::Measured(Box::new(Measured {
                duration: record.measured_duration(),
                streams,
                courses,
                cpu,
                spread,
            })),
        }
    }

    /// Whether nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        match &self.figures {
            SampleFigures::Measured(run) => run.streams.iter().all(|(_, counts)| counts.io_count() == 0),
            SampleFigures::Stated(stated) => stated.figures.is_empty(),
        }
    }

    /// Forgets the stated figures of some metrics.
    pub(super) fn leave_out(&mut self, is_left_out: impl Fn(&Metric) -> bool) {
        if let SampleFigures::Stated(stated) = &mut self.figures {
            stated.figures.retain(|(metric, _)| !is_left_out(metric));
        }
    }

    /// The same run as one of the configuration that a study knows by this name.
    #[must_use]
    pub fn named(self, label: impl Into<String>, attributes: BTreeMap<String, AttributeValue>) -> Self {
        Self { label: Some(label.into()), attributes, ..self }
    }

    /// The samples of a printed table, one a row. `source` says where the table lies.
    pub fn of_table(table: &PublishedTable, source: &str) -> Vec<Self> {
        let place = TablePlace { file: source.to_owned(), sha256: String::new(), read_by: String::new() };
        let mut samples = Self::of_imported(&ImportedRecord::of_table(table, &place));
        for (sample, row) in samples.iter_mut().zip(&table.rows) {
            sample.source = format!("row `{}` of {source}", row.id);
            sample.id.clone_from(&row.id);
            sample.subject.clone_from(&table.title);
        }
        samples
    }

    /// The samples of imported results. Those of one configuration under several loads carry the load in each metric.
    pub fn of_imported(records: &[ImportedRecord]) -> Vec<Self> {
        let loads: Vec<Option<String>> = records.iter().map(|one| stated_load_words(one, true)).collect();
        // Attributes tell configurations apart; without them the label does, and without a label nothing.
        let configuration = |record: &ImportedRecord| match record.attributes.is_empty() {
            false => Some(serde_json::json!(record.attributes).to_string()),
            true => record.label.clone(),
        };
        let mut first: BTreeMap<String, &Option<String>> = BTreeMap::new();
        let is_under_several = records.iter().zip(&loads).any(|(record, load)| {
            configuration(record).is_some_and(|mine| *first.entry(mine).or_insert(load) != load)
        });
        records
            .iter()
            .zip(loads)
            .map(|(record, load)| {
                let (in_metrics, in_common) =
                    if is_under_several { (load, None) } else { (None, stated_load_words(record, false)) };
                Self {
                    source: record.whence(),
                    id: record.id.clone(),
                    subject: format!("results of {}", record.source.tool),
                    label: record.label.clone(),
                    attributes: record.attributes.clone(),
                    conditions: Conditions::of_imported(record, in_common),
                    generator: Conditions::of_tool(record),
                    caveats: stated_caveats(record),
                    figures: SampleFigures::Stated(Stated {
                        figures: stated_figures(record, in_metrics.as_deref()),
                        is_one_of_several_loads: is_under_several,
                        is_printed: is_printed(record),
                    }),
                }
            })
            .collect()
    }
}

pub(super) fn is_printed(record: &ImportedRecord) -> bool {
    matches!(record.source.kind, SourceKind::Table | SourceKind::Csv)
}

fn stated_figures(record: &ImportedRecord, load: Option<&str>) -> Vec<(Metric, f64)> {
    let mut all: Vec<(MetricKey, f64)> = Vec::new();
    let streams = Streams::of_imported(record);
    // A row is taken as it was printed; of a result that was measured, the metrics are those of runs.
    let taken: &[Figure] = if is_printed(record) { &Figure::ALL } else { &Figure::COMPARED };
    for stream in Stream::STATED {
        let Some(figures) = streams.get(stream) else { continue };
        let of_stream =
            |figure: &Figure| Some((MetricKey::Figure(stream, *figure), figure_of_enough(figures, *figure)?));
        all.extend(taken.iter().filter_map(of_stream));
    }
    if let Some(cpu) = &record.cpu {
        let of_cpu = |figure: &CpuFigure| Some((MetricKey::Cpu(*figure), cpu.get(*figure)?.value));
        all.extend(CpuFigure::ALL.iter().filter_map(of_cpu));
    }
    let other = record.other.iter();
    all.extend(other.filter_map(|(name, stated)| Some((MetricKey::from_key(name)?, stated.value))));
    all.into_iter().map(|(key, value)| (Metric { load: load.map(str::to_owned), key }, value)).collect()
}

/// A figure, but no percentile with too few I/Os beyond it, where their number is known. A mean of a few is compared: how
/// uncertain it is shows in its interval, while a percentile of a few is the latency of one of them whatever is drawn.
pub(super) fn figure_of_enough(figures: &Figures, figure: Figure) -> Option<f64> {
    let is_too_few = |count: u64| figure.percent().is_some() && count < figure.least_io_count();
    figures.get(figure).filter(|_| !figures.io_count.is_some_and(is_too_few))
}

/// What speaks against the figures of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caveat {
    /// Which run of its configuration, from 1; `None` where that has only one.
    pub run: Option<usize>,
    /// The finding that says it; `None` where it is something else.
    pub id: Option<String>,
    /// One sentence, with the numbers.
    pub message: String,
}

impl Caveat {
    fn new(message: String) -> Self {
        Self { run: None, id: None, message }
    }

    fn of_finding(finding: &Finding) -> Self {
        Self { run: None, id: Some(finding.id.clone()), message: finding.message.clone() }
    }

    /// What is said, without of which run.
    pub(super) fn text(&self) -> String {
        match &self.id {
            Some(id) => format!("{} [{id}]", self.message),
            None => self.message.clone(),
        }
    }
}

impl std::fmt::Display for Caveat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(run) = self.run {
            write!(f, "run {run}: ")?;
        }
        f.write_str(&self.text())
    }
}

impl Serialize for Caveat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What was printed as a bound is told, and compared with nothing. Results of tools also have findings.
fn stated_caveats(record: &ImportedRecord) -> Vec<Caveat> {
    let bounds = record.bounds.iter().map(|bound| {
        Caveat::new(format!(
            "{} was printed as {} {}, and is not compared",
            bound.metric,
            bound.relation.as_str(),
            bound.number.value
        ))
    });
    let findings = if is_printed(record) { Vec::new() } else { imported_findings(record) };
    let found = findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    bounds.chain(found.map(Caveat::of_finding)).collect()
}

/// What its run says against its figures.
fn caveats(record: &RunRecord) -> Vec<Caveat> {
    let ended = match record.ended.how {
        EndedHow::Complete => None,
        EndedHow::Interrupted => Some(Caveat::new("the run was interrupted".to_owned())),
        EndedHow::Failed => Some(Caveat::new("the run failed".to_owned())),
    };
    let ended_ids = ["interrupted", "failed"];
    let found = record
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && !ended_ids.contains(&finding.id.as_str()));
    ended.into_iter().chain(found.map(Caveat::of_finding)).collect()
}

/// What each job did in an interval.
fn unit_of<'r>(record: &RunRecord, stream: Stream, interval: &'r Interval) -> Unit<'r> {
    stream.parts(record, &interval.jobs).into_iter().map(|(_, counts)| counts).collect()
}

/// The same for the same record, another one for each other record (Fowler, Noll and Vo).
pub(super) fn seed_of(id: &str) -> u64 {
    id.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_compared_where_ten_ios_lie_beyond_it_and_a_mean_of_any_number() {
        let check = |figure: Figure, io_count: u64, is_there: bool| {
            let mut counts = OpCounts::default();
            counts.total_latency.record_n(Duration::from_micros(500), io_count);
            let figures = Figures::new(&counts, Duration::from_secs(1));
            assert_eq!(figure_of_enough(&figures, figure).is_some(), is_there, "{figure} of {io_count}");
        };
        let least = [
            (Figure::LatencyP90, 100),
            (Figure::LatencyP99, 1_000),
            (Figure::LatencyP999, 10_000),
            (Figure::LatencyP9999, 100_000),
        ];
        for (figure, io_count) in least {
            check(figure, io_count - 1, false);
            check(figure, io_count, true);
        }
        check(Figure::LatencyMean, 1, true);
        check(Figure::LatencyMax, 1, true);
        check(Figure::Iops, 1, true);
    }

    #[test]
    fn a_percentile_whose_number_of_ios_is_not_known_is_taken_as_it_is_told() {
        let stated = iotrial_model::imported::StatedStream::default();
        let figures = Figures { lat_p9999_us: Some(900.0), ..Figures::of_stated(&stated) };
        assert_eq!(figure_of_enough(&figures, Figure::LatencyP9999), Some(900.0));
    }
}
