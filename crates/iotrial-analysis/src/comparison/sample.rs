//! A sample: one run of one configuration, or one printed row, with what has to agree for a comparison to be fair.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::load::{Durability, Pattern, Role};
use iotrial_model::plan::{Arrival, EngineKind, Job};
use iotrial_model::record::{AttributeValue, EndedHow, Interval, OpCounts, RunRecord, Severity};
use iotrial_model::table::{PrintedJob, PrintedLoad, PrintedRow, PublishedTable};
use iotrial_model::units::ByteSize;

use super::metric::Metric;
use super::resample::{Spread, Unit, Units};
use crate::latency_course::LatencyCourse;
use crate::stream::Stream;

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
    /// What the reader should know about its figures.
    pub(super) caveats: Vec<String>,
    pub(super) figures: SampleFigures,
}

/// Where the figures come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SampleFigures {
    Measured(Box<Measured>),
    /// As printed; the load where rows of the table have several.
    Printed {
        figures: Vec<(Metric, f64)>,
        is_one_of_several_loads: bool,
    },
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
    /// Of all CPUs of the host.
    pub(super) available_s: f64,
}

/// What has to agree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Conditions {
    /// By name; those that are not known are absent, and agree with anything.
    words: Vec<(&'static str, String)>,
    working_set: Option<u64>,
}

/// Something in which two samples do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In what.
    pub what: &'static str,
    /// Of the first sample.
    pub first: String,
    /// Of the other one.
    pub other: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} against {}", self.what, self.first, self.other)
    }
}

/// Working sets that differ by less are the same: files are cut to whole blocks and have a header.
const WORKING_SET_TOLERANCE: f64 = 0.05;

impl Conditions {
    /// In what two samples differ that must be the same.
    pub(super) fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (what, first) in &self.words {
            let there = other.words.iter().find(|(name, _)| name == what).map(|(_, value)| value);
            if let Some(value) = there.filter(|value| *value != first) {
                differences.push(Difference { what, first: first.clone(), other: value.clone() });
            }
        }
        if let (Some(first), Some(there)) = (self.working_set, other.working_set) {
            #[expect(clippy::cast_precision_loss, reason = "a ratio of sizes")]
            let ratio = first.max(there) as f64 / first.min(there).max(1) as f64;
            if ratio > 1.0 + WORKING_SET_TOLERANCE {
                let written = |bytes| ByteSize::bytes(bytes).to_string();
                differences.push(Difference {
                    what: "working set",
                    first: written(first),
                    other: written(there),
                });
            }
        }
        differences
    }

    fn of_record(record: &RunRecord) -> Self {
        let plan = &record.plan;
        let jobs: Vec<String> = plan.jobs.iter().map(job_words).collect();
        let engine = match plan.engine {
            EngineKind::Sim => "a simulated device",
            EngineKind::Null => "no device",
            EngineKind::Uring | EngineKind::Threads => "a real device",
        };
        let io = match (plan.direct, plan.polled) {
            (false, _) => "buffered",
            (true, false) => "direct",
            (true, true) => "direct and polled",
        };
        let bytes = |job: &Job| job.working_set.get().saturating_mul(job.areas.len() as u64);
        Self {
            words: vec![
                ("profile", plan.profile.clone()),
                ("load", jobs.join("; ")),
                ("method", format!("version {} of {}", record.tool.method_version, record.tool.name)),
                ("device", engine.to_owned()),
                ("I/O", io.to_owned()),
            ],
            working_set: Some(plan.jobs.iter().map(bytes).fold(0, u64::saturating_add)),
        }
    }

    fn of_table(table: &PublishedTable) -> Self {
        let mut words =
            vec![("method", format!("printed in {}", table.source.as_ref().unwrap_or(&table.title)))];
        if !table.jobs.is_empty() {
            let jobs: Vec<String> = table.jobs.iter().map(printed_job_words).collect();
            words.push(("load", jobs.join("; ")));
        }
        Self { words, working_set: None }
    }
}

/// The settings that have words of their own, or that do not make the load.
const SAID_OR_SET_ASIDE: [&str; 9] = [
    "name",
    "role",
    "pattern",
    "rwmix_read_percent",
    "block_size_bytes",
    "iodepth",
    "numjobs",
    "areas",
    "working_set_bytes",
];

fn job_words(job: &Job) -> String {
    let mut words = load_words(
        Some(job.role),
        Some(job.pattern),
        Some(f64::from(job.rwmix_read_percent)),
        Some(job.block_size.to_string()),
    );
    words.push(format!("{} x {}", job.numjobs, job.iodepth));
    // Whatever else a plan may set belongs to the load too, and only the usual is not worth a word.
    let mut settings = match serde_json::to_value(job) {
        Ok(serde_json::Value::Object(settings)) => settings,
        _ => serde_json::Map::new(),
    };
    settings.retain(|name, _| !SAID_OR_SET_ASIDE.contains(&name.as_str()));
    if job.arrival == Arrival::Closed {
        settings.remove("arrival");
    }
    if job.durability == Durability::None {
        settings.remove("durability");
    }
    words.extend(settings.iter().map(|(name, value)| match value {
        serde_json::Value::String(word) => format!("{name} {word}"),
        value => format!("{name} {value}"),
    }));
    words.join(" ")
}

fn printed_job_words(job: &PrintedJob) -> String {
    let mut words = load_words(job.role, job.pattern, job.read_percent, written(job.block_size));
    if let (Some(numjobs), Some(iodepth)) = (job.numjobs, job.iodepth) {
        words.push(format!("{numjobs} x {iodepth}"));
    }
    words.join(" ")
}

fn printed_load_words(load: &PrintedLoad) -> String {
    let mut words = load_words(None, load.pattern, load.read_percent, written(load.block_size));
    words.extend(load.outstanding.map(|outstanding| format!("{outstanding} outstanding")));
    words.join(" ")
}

fn written(size: Option<ByteSize>) -> Option<String> {
    size.map(|size| size.to_string())
}

fn load_words(
    role: Option<Role>,
    pattern: Option<Pattern>,
    read_percent: Option<f64>,
    block_size: Option<String>,
) -> Vec<String> {
    let mix = read_percent.map(|percent| match percent {
        0.0 => "write".to_owned(),
        100.0 => "read".to_owned(),
        percent => format!("{percent} % read"),
    });
    [role.map(|role| role.to_string()), pattern.map(|pattern| pattern.to_string()), mix, block_size]
        .into_iter()
        .flatten()
        .collect()
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
            available_s: cpu.wall.as_secs_f64() * f64::from(record.host.all_cpu_count()),
        });
        Self {
            source: source.into(),
            id: record.id.clone(),
            subject: record.plan.profile.clone(),
            label: record.label.clone(),
            attributes: record.attributes.clone(),
            conditions: Conditions::of_record(record),
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
            SampleFigures::Printed { .. } => false,
        }
    }

    /// The same run as one of the configuration that a study knows by this name.
    #[must_use]
    pub fn named(self, label: impl Into<String>, attributes: BTreeMap<String, AttributeValue>) -> Self {
        Self { label: Some(label.into()), attributes, ..self }
    }

    /// The samples of a printed table, one a row. `source` says where the table lies.
    pub fn of_table(table: &PublishedTable, source: &str) -> Vec<Self> {
        let loads: Vec<Option<String>> =
            table.rows.iter().map(|row| row.load.as_ref().map(printed_load_words)).collect();
        let has_several_loads = loads.iter().any(|load| *load != loads[0]);
        table
            .rows
            .iter()
            .zip(loads)
            .map(|(row, load)| {
                let mut conditions = Conditions::of_table(table);
                if let Some(load) = load.as_ref().filter(|_| !has_several_loads) {
                    conditions.words.push(("load of each row", load.clone()));
                }
                let load = load.filter(|_| has_several_loads);
                Self {
                    source: format!("row `{}` of {source}", row.id),
                    id: row.id.clone(),
                    subject: table.title.clone(),
                    label: Some(row.label.clone()),
                    attributes: row.attributes.clone(),
                    conditions,
                    caveats: bounds(row),
                    figures: SampleFigures::Printed {
                        figures: printed_figures(row, load.as_deref()),
                        is_one_of_several_loads: has_several_loads,
                    },
                }
            })
            .collect()
    }
}

fn printed_figures(row: &PrintedRow, load: Option<&str>) -> Vec<(Metric, f64)> {
    let figure = |(name, number): &(String, iotrial_model::table::PrintedNumber)| {
        let (stream, name) = name.split_once('.')?;
        Some((Metric { load: load.map(str::to_owned), ..Metric::new(stream, name) }, number.value))
    };
    row.figures.iter().filter_map(figure).collect()
}

/// What was printed as a bound is told, and compared with nothing.
fn bounds(row: &PrintedRow) -> Vec<String> {
    let words = |bound: &iotrial_model::table::Bound| {
        format!(
            "{} was printed as {} {}, and is not compared",
            bound.metric,
            bound.relation.as_str(),
            bound.number.text
        )
    };
    row.bounds.iter().map(words).collect()
}

/// What its run says against its figures.
fn caveats(record: &RunRecord) -> Vec<String> {
    let ended = match record.ended.how {
        EndedHow::Complete => None,
        EndedHow::Interrupted => Some("the run was interrupted".to_owned()),
        EndedHow::Failed => Some("the run failed".to_owned()),
    };
    let ended_ids = ["interrupted", "failed"];
    let found = record
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && !ended_ids.contains(&finding.id.as_str()));
    ended.into_iter().chain(found.map(|finding| format!("{} [{}]", finding.message, finding.id))).collect()
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
