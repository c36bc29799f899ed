//! A sample: one run of one configuration, or one result as its source states it, with what has to agree for a comparison to
//! be fair.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::imported::{ImportedRecord, SourceKind, TablePlace};
use iotrial_model::record::{AttributeValue, EndedHow, Interval, OpCounts, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_model::table::PublishedTable;
use serde::{Serialize, Serializer};

use super::conditions::{Conditions, stated_load_words};
use super::metric::Metric;
use super::resample::{Figure, Spread, Unit, Units};
use crate::figures::Figures;
use crate::findings::findings;
use crate::latency_course::LatencyCourse;
use crate::stream::{Stream, Streams};

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
        let streams: Vec<(Stream, OpCounts)> = Stream::planned(&record.plan, |_| true)
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

/// A percentile is told where at least so many I/Os lie beyond it.
pub(super) const LEAST_BEYOND: f64 = 10.0;

pub(super) fn is_printed(record: &ImportedRecord) -> bool {
    matches!(record.source.kind, SourceKind::Table | SourceKind::Csv)
}

fn stated_figures(record: &ImportedRecord, load: Option<&str>) -> Vec<(Metric, f64)> {
    let metric =
        |stream: &str, name: &str| Metric { load: load.map(str::to_owned), ..Metric::new(stream, name) };
    let mut all = Vec::new();
    let streams = Streams::total(&Subject::of_imported(record));
    for (name, figures) in [("read", &streams.read), ("write", &streams.write), ("total", &streams.all)] {
        let Some(figures) = figures else { continue };
        let figures = named_figures(figures).into_iter();
        // A row is taken as it was printed; of a result that was measured, the metrics are those of runs.
        let is_taken = |figure: &str| is_printed(record) || Figure::ALL.iter().any(|one| one.key() == figure);
        let figures = figures.filter(|(figure, _)| is_taken(figure));
        all.extend(figures.filter_map(|(figure, value)| Some((metric(name, figure), value?))));
    }
    if let Some(cpu) = &record.cpu {
        let figures = [
            ("usr_percent", cpu.usr_percent),
            ("sys_percent", cpu.sys_percent),
            ("per_io_us", cpu.per_io_us),
        ];
        all.extend(
            figures.into_iter().filter_map(|(name, stated)| Some((metric("cpu", name), stated?.value))),
        );
    }
    let other = record.other.iter().filter_map(|(name, stated)| Some((name.split_once('.')?, stated.value)));
    all.extend(other.map(|((stream, name), value)| (metric(stream, name), value)));
    all
}

/// The figures by the names that they have in tables. A percentile with too few I/Os beyond it is left out, where their number is known.
fn named_figures(figures: &Figures) -> [(&'static str, Option<f64>); 9] {
    #[expect(clippy::cast_precision_loss, reason = "counts to 15 digits")]
    let enough = |percentile: Option<f64>, beyond: f64| {
        percentile.filter(|_| figures.io_count.is_none_or(|count| count as f64 * beyond >= LEAST_BEYOND))
    };
    [
        ("iops", figures.iops),
        ("bandwidth_mib_per_s", figures.bandwidth_mib_per_s),
        ("lat_mean_us", figures.lat_mean_us),
        ("lat_p50_us", figures.lat_p50_us),
        ("lat_p90_us", enough(figures.lat_p90_us, 0.1)),
        ("lat_p99_us", enough(figures.lat_p99_us, 0.01)),
        ("lat_p999_us", enough(figures.lat_p999_us, 0.001)),
        ("lat_p9999_us", enough(figures.lat_p9999_us, 0.0001)),
        ("lat_max_us", figures.lat_max_us),
    ]
}

/// What speaks against the figures of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caveat {
    /// Which run of its configuration, from 1; `None` where that has only one.
    pub run: Option<usize>,
    /// The finding that says it; `None` where it is something else.
    pub id: Option<FindingId>,
    /// One sentence, with the numbers.
    pub message: String,
}

impl Caveat {
    fn new(message: String) -> Self {
        Self { run: None, id: None, message }
    }

    fn of_finding(finding: &Finding) -> Self {
        Self { run: None, id: Some(finding.id), message: finding.message.clone() }
    }

    /// What is said, without of which run.
    pub(super) fn text(&self) -> String {
        match self.id {
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
    let findings = if is_printed(record) { Vec::new() } else { findings(&Subject::of_imported(record)) };
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
    let is_told = |finding: &Finding| matches!(finding.id, FindingId::Interrupted | FindingId::Failed);
    let findings = findings(&Subject::of_run(record));
    let found = findings.iter().filter(|finding| finding.severity >= Severity::Warning && !is_told(finding));
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
