//! Under what samples were taken: what has to agree before they are held against each other, and what is only told.

use std::collections::BTreeSet;

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::imported::{ImportedJob, ImportedRecord, SourceKind};
use iotrial_model::load::{Durability, Pattern, Role};
use iotrial_model::plan::{Arrival, EngineKind, Job};
use iotrial_model::record::{QueueSetup, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_model::units::ByteSize;

use super::sample::{Sample, is_printed};
use super::{CompareError, finding};
use crate::findings::stated::has_flushes_apart;

/// How figures came about that no table printed.
const MEASURED: &str = "measured";

const REAL_DEVICE: &str = "a real device";
const NO_DEVICE: &str = "no device";

/// The circumstance that is the tool.
const TOOL: &str = "tool";

/// The circumstance whether the latencies of writes hold the flush that makes them durable.
const FLUSH: &str = "flushes in latencies of writes";
const APART: &str = "apart";

/// Circumstances that are held against one another.
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
    fn word(&self, what: &str) -> Option<&str> {
        self.words.iter().find(|(name, _)| *name == what).map(|(_, value)| value.as_str())
    }

    /// In what two samples differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (what, first) in &self.words {
            if let Some(value) = other.word(what).filter(|value| value != first) {
                differences.push(Difference { what, first: first.clone(), other: value.to_owned() });
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

    /// What has to agree.
    pub(super) fn of_record(record: &RunRecord) -> Self {
        let plan = &record.plan;
        let load = together(plan.jobs.iter().map(JobWords::of_job));
        let roles = plan.jobs.iter().map(|job| Some(job.role));
        let engine = match plan.engine {
            EngineKind::Sim => "a simulated device",
            EngineKind::Null => NO_DEVICE,
            EngineKind::Uring | EngineKind::Threads => REAL_DEVICE,
        };
        let io = match (plan.direct, plan.polled) {
            (false, _) => "buffered",
            (true, false) => "direct",
            (true, true) => "direct and polled",
        };
        let bytes = |job: &Job| job.working_set.get().saturating_mul(job.areas.len() as u64);
        Self {
            words: [
                Some(("profile", plan.profile.clone())),
                Some(("load", load)),
                role_words(roles).map(|roles| ("roles", roles)),
                Some(("figures", MEASURED.to_owned())),
                Some(("method", format!("version {} of {}", record.tool.method_version, record.tool.name))),
                Some(("device", engine.to_owned())),
                Some(("I/O", io.to_owned())),
            ]
            .into_iter()
            .flatten()
            .collect(),
            working_set: Some(plan.jobs.iter().map(bytes).fold(0, u64::saturating_add)),
        }
    }

    /// Which tool it was, and what the host granted it, which CPU time and short latencies depend on.
    pub(super) fn of_generator(record: &RunRecord) -> Self {
        let queues = record.engine_setup.as_ref().map(|setup| &setup.queues);
        let of_queues = |get: fn(&QueueSetup) -> Option<String>| queues.and_then(get);
        let granted =
            |granted: Option<bool>| granted.map(|granted| if granted { "yes" } else { "no" }.to_owned());
        let is_durable = record.plan.jobs.iter().any(|job| job.durability != Durability::None);
        let words = [
            (TOOL, Some(record.tool.name.clone())),
            (FLUSH, is_durable.then(|| "a part of them".to_owned())),
            ("engine", Some(record.plan.engine.as_str().to_owned())),
            ("ring", of_queues(|queues| queues.ring.clone())),
            ("registered files", granted(queues.and_then(|queues| queues.registered_files))),
            ("registered buffers", granted(queues.and_then(|queues| queues.registered_buffers))),
        ];
        let words = words.into_iter().filter_map(|(what, word)| Some((what, word?))).collect();
        Self { words, working_set: None }
    }

    /// Which tool measured it; what is printed was not measured by its paper.
    pub(super) fn of_tool(record: &ImportedRecord) -> Self {
        let tool = (!is_printed(record)).then(|| (TOOL, record.source.tool.clone()));
        let flush = has_flushes_apart(&Subject::of_imported(record)).then(|| (FLUSH, APART.to_owned()));
        Self { words: tool.into_iter().chain(flush).collect(), working_set: None }
    }

    /// What has to agree. `load` is absent where each metric carries its own.
    pub(super) fn of_imported(record: &ImportedRecord, load: Option<String>) -> Self {
        let printed = || format!("printed in {}", record.source.tool);
        let figures = if is_printed(record) { printed() } else { MEASURED.to_owned() };
        let mut words = vec![("figures", figures)];
        let jobs = || record.jobs.iter();
        let has_none = |job: &ImportedJob| job.load.engine.as_deref() == Some("null");
        if !is_printed(record) && !record.jobs.is_empty() {
            words.push(("device", if jobs().any(has_none) { NO_DEVICE } else { REAL_DEVICE }.to_owned()));
        }
        words.extend(load.map(|load| ("load", load)));
        words.extend(role_words(jobs().map(|job| job.role)).map(|roles| ("roles", roles)));
        let direct: Option<Vec<bool>> = jobs().map(|job| job.load.direct).collect();
        if let Some(direct) = direct.filter(|direct| !direct.is_empty()) {
            let io = if direct.iter().all(|direct| *direct) { "direct" } else { "buffered" };
            words.push(("I/O", io.to_owned()));
        }
        Self { words, working_set: stated_working_set(record) }
    }
}

/// What all jobs touch together, in bytes; `None` where one does not state it.
///
/// The copies of a job share the files that are named, whether they are told together or apart. fio's size is that of all files together, and
/// without names each copy has one of its own; for other tools it is that of each.
fn stated_working_set(record: &ImportedRecord) -> Option<u64> {
    let is_of_fio = matches!(record.source.kind, SourceKind::FioJson | SourceKind::FioTerse);
    let (mut named, mut sum) = (Vec::new(), 0_u64);
    for job in &record.jobs {
        let load = &job.load;
        let size = load.size?.get();
        let times = match (is_of_fio, load.targets.len()) {
            (true, 0) => load.numjobs?,
            (true, _) => 1,
            (false, count) => count.max(1) as u64,
        };
        let words = JobWords::of_stated(job);
        let copy = (&load.targets, size, words.load, words.more);
        if load.targets.is_empty() || !named.contains(&copy) {
            sum = sum.checked_add(size.checked_mul(times)?)?;
            named.push(copy);
        }
    }
    (!record.jobs.is_empty()).then_some(sum)
}

/// The roles of all jobs, each once; `None` where one of them is not known.
fn role_words(roles: impl Iterator<Item = Option<Role>>) -> Option<String> {
    let roles: BTreeSet<Role> = roles.collect::<Option<_>>()?;
    let words: Vec<&str> = roles.into_iter().map(Role::as_str).collect();
    (!words.is_empty()).then(|| words.join(", "))
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

/// A job in words, with how many copies of it there are.
struct JobWords {
    /// Pattern, mix and sizes.
    load: String,
    /// Copies, and what each keeps outstanding.
    copies: Option<(u64, u64)>,
    /// What else it does.
    more: String,
}

/// Jobs in words: those that differ in nothing are copies of one, which some tools tell together and others apart.
fn together(jobs: impl Iterator<Item = JobWords>) -> String {
    let mut kinds: Vec<JobWords> = Vec::new();
    for job in jobs {
        let is_copy = |kind: &&mut JobWords| {
            let depth = |one: &JobWords| one.copies.map(|(_, iodepth)| iodepth);
            kind.load == job.load
                && kind.more == job.more
                && depth(kind).is_some()
                && depth(kind) == depth(&job)
        };
        match (kinds.iter_mut().find(is_copy).and_then(|kind| kind.copies.as_mut()), job.copies) {
            (Some((numjobs, _)), Some((more, _))) => *numjobs += more,
            _ => kinds.push(job),
        }
    }
    let words = |kind: &JobWords| {
        let copies =
            kind.copies.map(|(numjobs, iodepth)| format!("{numjobs} x {iodepth}")).unwrap_or_default();
        let all = [kind.load.as_str(), &copies, &kind.more];
        all.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    kinds.iter().map(words).collect::<Vec<_>>().join("; ")
}

impl JobWords {
    fn of_job(job: &Job) -> Self {
        let load = load_words(
            Some(job.pattern),
            Some(f64::from(job.rwmix_read_percent)),
            Some(job.block_size.to_string()),
        );
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
        let more = settings.iter().map(|(name, value)| match value {
            serde_json::Value::String(word) => format!("{name} {word}"),
            value => format!("{name} {value}"),
        });
        let copies = Some((job.numjobs.into(), job.iodepth.into()));
        Self { load: load.join(" "), copies, more: more.collect::<Vec<_>>().join(" ") }
    }

    /// As far as it is stated; by the name of the job where nothing is.
    fn of_stated(job: &ImportedJob) -> Self {
        let load = &job.load;
        let sizes: Vec<String> = load
            .block_sizes
            .iter()
            .map(|one| match one.percent {
                Some(percent) => format!("{} ({percent} %)", one.size),
                None => one.size.to_string(),
            })
            .collect();
        let sizes = (!sizes.is_empty()).then(|| sizes.join(" and "));
        let mut words = load_words(load.pattern, load.rwmix_read_percent, sizes);
        let copies = load.numjobs.zip(load.iodepth);
        let mut more: Vec<String> = Vec::new();
        more.extend(
            load.outstanding.filter(|_| copies.is_none()).map(|count| format!("{count} outstanding")),
        );
        more.extend(load.rate_iops.map(|rate| format!("at {rate} IOPS")));
        more.extend(load.paced.then(|| "paced".to_owned()));
        let durability = load.durability.filter(|durability| *durability != Durability::None);
        more.extend(durability.map(|durability| format!("durability {durability}")));
        let distribution = load.options.get("random_distribution").filter(|one| *one != "random");
        more.extend(distribution.map(|distribution| format!("distribution {distribution}")));
        more.extend(load.flush_every.filter(|every| *every > 1).map(|every| format!("flush_every {every}")));
        if words.is_empty() && copies.is_none() && more.is_empty() {
            words.push(job.name.clone());
        }
        Self { load: words.join(" "), copies, more: more.join(" ") }
    }
}

/// The load of all jobs of a result, as far as it is stated; by the names of the jobs where it is not. Roles stand before it where
/// that is asked.
pub(super) fn stated_load_words(record: &ImportedRecord, with_roles: bool) -> Option<String> {
    let words = |job: &ImportedJob| {
        let mut words = JobWords::of_stated(job);
        if let Some(role) = job.role.filter(|_| with_roles) {
            words.load = format!("{role} {}", words.load);
        }
        words
    };
    (!record.jobs.is_empty()).then(|| together(record.jobs.iter().map(words)))
}

fn load_words(
    pattern: Option<Pattern>,
    read_percent: Option<f64>,
    block_size: Option<String>,
) -> Vec<String> {
    let mix = read_percent.map(|percent| match percent {
        0.0 => "write".to_owned(),
        100.0 => "read".to_owned(),
        percent => format!("{percent} % read"),
    });
    [pattern.map(|pattern| pattern.to_string()), mix, block_size].into_iter().flatten().collect()
}

/// Refuses samples of which any two were taken under different conditions; by force they are compared, and that is told. What is not
/// known of one agrees with anything, so that it cannot stand for the others.
pub(super) fn check_conditions(
    samples: &[Sample],
    force: bool,
    findings: &mut Vec<Finding>,
) -> Result<(), CompareError> {
    let mut told: Vec<Vec<Difference>> = Vec::new();
    // One sample for each kind of conditions: a thousand runs mostly have one.
    let mut kinds: Vec<&Sample> = Vec::new();
    for other in samples {
        if kinds.iter().any(|kind| kind.conditions == other.conditions) {
            continue;
        }
        for first in &kinds {
            let differences = first.conditions.differences(&other.conditions);
            if differences.is_empty() || told.contains(&differences) {
                continue;
            }
            let error = CompareError::Incomparable {
                first: first.source.clone(),
                other: other.source.clone(),
                differences: differences.clone(),
            };
            if !force {
                return Err(error);
            }
            findings.push(finding(
                FindingId::Forced,
                Severity::Warning,
                format!("Compared by force: {error}."),
            ));
            told.push(differences);
        }
        kinds.push(other);
    }
    Ok(())
}

/// Takes the latencies of writes from the samples that lack the flushes in them, where others have them, and tells of which.
pub(super) fn without_unlike_writes(samples: &mut [Sample], findings: &mut Vec<Finding>) {
    let is_apart = |sample: &Sample| sample.generator.word(FLUSH) == Some(APART);
    let is_unlike = samples.iter().any(|sample| sample.generator.word(FLUSH).is_some() && !is_apart(sample));
    if !is_unlike {
        return;
    }
    let mut names = Vec::new();
    for sample in samples.iter_mut().filter(|sample| is_apart(sample)) {
        sample.leave_out(|metric| metric.stream != "read" && metric.name.starts_with("lat_"));
        names.push(sample.source.clone());
    }
    if let Some(first) = names.first() {
        let others = if names.len() > 1 { format!(" and {} others", names.len() - 1) } else { String::new() };
        let message = format!(
            "The latencies of writes of {first}{others} lack the flushes, which are told apart there and a part of the write elsewhere: they are left out."
        );
        findings.push(finding(FindingId::FlushesApart, Severity::Warning, message));
    }
}

/// Where tools differ, and where the generator of one worked in different ways: of each the first two samples of which that is so.
pub(super) fn findings_on_generators(samples: &[Sample]) -> Vec<Finding> {
    let tool = |sample: &Sample| sample.generator.word(TOOL).map(str::to_owned);
    let mut findings = Vec::new();
    let mut known = samples.iter().filter(|sample| tool(sample).is_some());
    let first = known.next();
    let another = first.and_then(|first| known.find(|other| tool(other) != tool(first)));
    if let (Some(first), Some(other)) = (first, another) {
        let message = format!(
            "{} was measured by {} and {} by {}: tools do not time the same part of an I/O, and may count a flush as one, so that a part of what differs is theirs.",
            first.source,
            tool(first).unwrap_or_default(),
            other.source,
            tool(other).unwrap_or_default()
        );
        findings.push(finding(FindingId::OtherTool, Severity::Warning, message));
    }
    let differing = samples.iter().find_map(|other| {
        let first = samples.iter().find(|first| tool(first) == tool(other))?;
        let differences = first.generator.differences(&other.generator);
        (!differences.is_empty()).then_some((first, other, differences))
    });
    if let Some((first, other, differences)) = differing {
        let words: Vec<String> = differences.iter().map(Difference::to_string).collect();
        let message = format!(
            "The generator did not work in the same way in {} and {} ({}): a part of what CPU time differs by is its own, and of short latencies too.",
            first.source,
            other.source,
            words.join("; ")
        );
        findings.push(finding(FindingId::GeneratorDiffers, Severity::Note, message));
    }
    findings
}
