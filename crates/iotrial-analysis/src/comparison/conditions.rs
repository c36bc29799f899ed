//! Under what samples were taken: what has to agree before they are held against each other, and what is only told.

use iotrial_model::imported::{ImportedJob, ImportedRecord, SourceKind};
use iotrial_model::load::{Durability, Pattern, Role};
use iotrial_model::plan::{Arrival, EngineKind, Job};
use iotrial_model::record::{Finding, QueueSetup, RunRecord, Severity};
use iotrial_model::units::ByteSize;

use super::sample::{Sample, is_printed};
use super::{CompareError, finding};

/// How figures came about that no table printed.
const MEASURED: &str = "measured";

const REAL_DEVICE: &str = "a real device";
const NO_DEVICE: &str = "no device";

/// The circumstance that is the tool.
const TOOL: &str = "tool";

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
        let jobs: Vec<String> = plan.jobs.iter().map(job_words).collect();
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
                Some(("load", jobs.join("; "))),
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
        let words = [
            (TOOL, Some(record.tool.name.clone())),
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
        Self { words: tool.into_iter().collect(), working_set: None }
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
        let sizes: Option<Vec<u64>> = jobs().map(|job| stated_working_set(record, job)).collect();
        let working_set = sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.iter().sum());
        Self { words, working_set }
    }
}

/// What all copies of a job touch together, in bytes; `None` where that is not stated.
///
/// The copies share the files that are named. fio's size is that of all of them together, and without names each copy has a file of its own;
/// for other tools it is that of each.
fn stated_working_set(record: &ImportedRecord, job: &ImportedJob) -> Option<u64> {
    let load = &job.load;
    let size = load.size?.get();
    let is_of_fio = matches!(record.source.kind, SourceKind::FioJson | SourceKind::FioTerse);
    let times = match (is_of_fio, load.targets.len()) {
        (true, 0) => load.numjobs?,
        (true, _) => 1,
        (false, count) => count.max(1) as u64,
    };
    size.checked_mul(times)
}

/// The roles of all jobs; `None` where one of them is not known.
fn role_words(roles: impl Iterator<Item = Option<Role>>) -> Option<String> {
    let roles: Option<Vec<String>> = roles.map(|role| Some(role?.to_string())).collect();
    roles.filter(|roles| !roles.is_empty()).map(|roles| roles.join(", "))
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

/// The load of all jobs of a result, as far as it is stated; by the names of the jobs where it is not. Roles stand before it where
/// that is asked.
pub(super) fn stated_load_words(record: &ImportedRecord, with_roles: bool) -> Option<String> {
    let words = |job: &ImportedJob| match job.role.filter(|_| with_roles) {
        Some(role) => format!("{role} {}", stated_job_words(job)),
        None => stated_job_words(job),
    };
    let jobs: Vec<String> = record.jobs.iter().map(words).collect();
    (!jobs.is_empty()).then(|| jobs.join("; "))
}

fn stated_job_words(job: &ImportedJob) -> String {
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
    match (load.numjobs, load.iodepth, load.outstanding) {
        (Some(numjobs), Some(iodepth), _) => words.push(format!("{numjobs} x {iodepth}")),
        (_, _, Some(outstanding)) => words.push(format!("{outstanding} outstanding")),
        _ => {}
    }
    words.extend(load.rate_iops.map(|rate| format!("at {rate} IOPS")));
    words.extend(load.paced.then(|| "paced".to_owned()));
    let durability = load.durability.filter(|durability| *durability != Durability::None);
    words.extend(durability.map(|durability| format!("durability {durability}")));
    let distribution = load.options.get("random_distribution").filter(|one| *one != "random");
    words.extend(distribution.map(|distribution| format!("distribution {distribution}")));
    words.extend(load.flush_every.filter(|every| *every > 1).map(|every| format!("flush_every {every}")));
    if words.is_empty() { job.name.clone() } else { words.join(" ") }
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
    for (index, other) in samples.iter().enumerate() {
        for first in &samples[..index] {
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
            findings.push(finding("forced", Severity::Warning, format!("Compared by force: {error}.")));
            told.push(differences);
        }
    }
    Ok(())
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
        findings.push(finding("other-tool", Severity::Warning, message));
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
        findings.push(finding("generator-differs", Severity::Note, message));
    }
    findings
}
