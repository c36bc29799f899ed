//! Under what samples were taken: what has to agree before they are held against each other, and what is only told.

use std::collections::BTreeSet;
use std::fmt;

use iotrial_model::finding::{
    ComparedFact, ConditionKind, Difference, Finding, FindingId, Incomparable, Severity,
};
use iotrial_model::imported::{SourceKind, StatedBlockSize, StatedLoad};
use iotrial_model::load::{Durability, Pattern, Role};
use iotrial_model::plan::{Arrival, EngineDevice, Job, Plan};
use iotrial_model::record::QueueSetup;
use iotrial_model::step::Step;
use iotrial_model::subject::{Ops, Subject, SubjectJob};
use iotrial_model::sweep::{SweepMethod, SweepRecord};
use iotrial_model::units::{ByteSize, duration_in_words};

use super::error::CompareError;

/// How figures came about that no table printed.
const MEASURED: &str = "measured";

/// The conditions that are the load.
const LOADS: [ConditionKind; 4] =
    [ConditionKind::Profile, ConditionKind::Load, ConditionKind::Aim, ConditionKind::Roles];

const REAL_DEVICE: &str = "a real device";
const NO_DEVICE: &str = "no device";

/// The latencies of writes do not include the flush that makes them durable.
pub(super) const APART: &str = "apart";

/// Circumstances that are held against one another.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Conditions {
    /// Those that are not known are absent, and agree with anything.
    words: Vec<(ConditionKind, String)>,
    /// How much data the load touches, and what that is called.
    size: Option<(ConditionKind, WorkingSet)>,
}

/// What all jobs touch together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkingSet {
    /// So many bytes.
    Bytes(u64),
    /// All of the devices that are named: fio takes their size where the job says none. How large they are nobody tells.
    WholeDevices,
}

impl WorkingSet {
    /// Whether caches and flash see the same of it, as far as that is known.
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Bytes(one), Self::Bytes(another)) => {
                let ratio = one.max(another) as f64 / one.min(another).max(1) as f64;
                ratio <= 1.0 + WORKING_SET_TOLERANCE
            }
            (Self::WholeDevices, Self::WholeDevices) => true,
            _ => false,
        }
    }
}

impl fmt::Display for WorkingSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => ByteSize::bytes(*bytes).fmt(f),
            Self::WholeDevices => f.write_str("the whole device"),
        }
    }
}

/// Working sets that differ by less are the same: files are cut to whole blocks and have a header.
const WORKING_SET_TOLERANCE: f64 = 0.05;

impl Conditions {
    pub(super) fn word(&self, what: ConditionKind) -> Option<&str> {
        self.words.iter().find(|(known, _)| *known == what).map(|(_, value)| value.as_str())
    }

    /// In what two samples differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (what, first) in &self.words {
            if let Some(value) = other.word(*what).filter(|value| value != first) {
                differences.push(Difference { what: *what, first: first.clone(), other: value.to_owned() });
            }
        }
        if let (Some((what, first)), Some((_, there))) = (self.size, other.size)
            && !first.is_like(there)
        {
            differences.push(Difference { what, first: first.to_string(), other: there.to_string() });
        }
        differences
    }

    /// What has to agree. `load` is that of all jobs in words.
    pub(super) fn of(subject: &Subject<'_>, load: Option<String>) -> Self {
        let measured = || !subject.is_printed() && !subject.jobs.is_empty();
        let method = subject.tool.map(|tool| format!("version {} of {}", tool.method_version, tool.name));
        let words = [
            (ConditionKind::Profile, subject.plan.map(|plan| plan.profile.clone())),
            (ConditionKind::Load, load),
            (ConditionKind::Aim, subject.plan.map(|_| aim_of(subject))),
            (ConditionKind::Roles, role_words(subject.jobs.iter().map(|job| job.role))),
            (ConditionKind::Origin, Some(origin_of(subject))),
            (ConditionKind::Method, method),
            (ConditionKind::Device, measured().then(|| device_of(subject).to_owned())),
            (ConditionKind::Io, io_of(subject).map(str::to_owned)),
        ];
        Self {
            words: words.into_iter().filter_map(|(what, word)| Some((what, word?))).collect(),
            size: working_set_of(subject).map(|set| (ConditionKind::WorkingSet, set)),
        }
    }

    /// In what sweeps have to agree.
    pub(super) fn of_sweep(record: &SweepRecord) -> Self {
        let (settings, tool) = (&record.settings, &record.tool);
        let method = match settings.method {
            // The loads of both are measured in the same way.
            SweepMethod::Search | SweepMethod::Grid => "a sweep of outstanding I/Os",
            SweepMethod::Sqlio => "the series of the SQLIO paper",
            SweepMethod::Channel => "a sweep of the path to the storage",
        };
        // A fresh device writes faster than it does for long.
        let (prepared, steady) = (settings.precondition, settings.until_steady);
        let prepared =
            prepared.map(|time| format!(", writes preconditioned for {}", duration_in_words(time)));
        let steady = steady.map_or("", |_| ", writes measured until they are steady");
        let words = [
            (ConditionKind::Sweep, format!("{method}{}{steady}", prepared.unwrap_or_default())),
            (ConditionKind::Device, device_in_words(settings.engine.facts().device).to_owned()),
            (ConditionKind::Io, if settings.direct { "direct" } else { "buffered" }.to_owned()),
            (ConditionKind::Method, format!("version {} of {}", tool.method_version, tool.name)),
        ];
        let size = settings.sizes.first().map(|size| WorkingSet::Bytes(size.get()));
        Self { words: words.into(), size: size.map(|size| (ConditionKind::VolumeData, size)) }
    }

    /// Which tool it was, and what the host granted it, which CPU time and short latencies depend on. What is printed was not
    /// measured by its paper.
    pub(super) fn of_generator(subject: &Subject<'_>) -> Self {
        let queues = subject.engine_setup.map(|setup| &setup.queues);
        let of_queues = |get: fn(&QueueSetup) -> Option<String>| queues.and_then(get);
        let is_granted =
            |granted: Option<bool>| granted.map(|granted| if granted { "yes" } else { "no" }.to_owned());
        let granted = subject.engine_setup.and_then(|setup| setup.priority);
        let words = [
            (ConditionKind::Tool, subject.tool_name().filter(|_| !subject.is_printed()).map(str::to_owned)),
            (ConditionKind::Flushes, flushes_of(subject).map(str::to_owned)),
            (ConditionKind::Engine, subject.engine.map(|engine| engine.as_str().to_owned())),
            (ConditionKind::Priority, subject.plan.map(|plan| plan.priority.to_string())),
            (ConditionKind::GrantedPriority, granted.map(|granted| granted.to_string())),
            (ConditionKind::Ring, of_queues(|queues| queues.ring.clone())),
            (ConditionKind::RegisteredFiles, is_granted(queues.and_then(|queues| queues.registered_files))),
            (
                ConditionKind::RegisteredBuffers,
                is_granted(queues.and_then(|queues| queues.registered_buffers)),
            ),
            (ConditionKind::PortSkipped, is_granted(queues.and_then(|queues| queues.skips_port))),
            (ConditionKind::CompletionsLocked, is_granted(queues.and_then(|queues| queues.overlapped_range))),
        ];
        let words = words.into_iter().filter_map(|(what, word)| Some((what, word?))).collect();
        Self { words, size: None }
    }

    /// What is known of the generator of a sweep.
    pub(super) fn of_generator_of_sweep(record: &SweepRecord) -> Self {
        let settings = &record.settings;
        let words = [
            (ConditionKind::Priority, Some(settings.priority.to_string())),
            (ConditionKind::GrantedPriority, settings.granted_priority.map(|granted| granted.to_string())),
        ];
        Self { words: words.into_iter().filter_map(|(what, word)| Some((what, word?))).collect(), size: None }
    }

    /// How the figures came about.
    pub(super) fn origin(&self) -> &str {
        self.word(ConditionKind::Origin).unwrap_or(MEASURED)
    }

    /// Whether the load is another one, as far as both are known.
    pub(super) fn is_other_load(&self, other: &Self) -> bool {
        LOADS.iter().any(|what| match (self.word(*what), other.word(*what)) {
            (Some(one), Some(another)) => one != another,
            _ => false,
        })
    }

    /// What several loads are called: by their profiles or else by `subjects`, and where these are the same ones, also by what
    /// differs.
    pub(super) fn names_of_loads(loads: &[&Self], subjects: &[&str]) -> Vec<String> {
        let of = |at: usize, count: usize| -> String {
            let subject = loads[at].word(ConditionKind::Profile).unwrap_or(subjects[at]);
            let more = [ConditionKind::Aim, ConditionKind::Load, ConditionKind::Roles]
                .into_iter()
                .take(count)
                .filter_map(|what| {
                    let mine = loads[at].word(what)?;
                    let is_apart = |other: usize| {
                        loads[other].word(ConditionKind::Profile).unwrap_or(subjects[other]) == subject
                            && loads[other].word(what) != Some(mine)
                    };
                    (0..loads.len()).any(is_apart).then(|| mine.to_owned())
                });
            std::iter::once(subject.to_owned()).chain(more).collect::<Vec<_>>().join(", ")
        };
        let all = |count: usize| (0..loads.len()).map(|at| of(at, count)).collect::<Vec<String>>();
        // As few words as tell them apart.
        let is_unique =
            |names: &Vec<String>| names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
        (0..=3).map(all).find(is_unique).unwrap_or_else(|| all(3))
    }

    /// Where each metric carries its load, loads do not have to agree.
    pub(super) fn forget_load(&mut self) {
        self.words.retain(|(what, _)| *what != ConditionKind::Load);
    }
}

/// What the rates of the load are: those of the profile, needed ones, or found by a search.
fn aim_of(subject: &Subject<'_>) -> String {
    match subject.search {
        None => match subject.plan.and_then(|plan| plan.need.as_ref()) {
            Some(need) => format!("steps of {}", need.in_words()),
            None => "the unchanged load".to_owned(),
        },
        Some(search) => {
            let limit = search.limit.in_words();
            match &search.need {
                Some(need) => format!("{} within {limit}", need.in_words()),
                None => format!("the highest rate within {limit}"),
            }
        }
    }
}

fn origin_of(subject: &Subject<'_>) -> String {
    match subject.tool_name().filter(|_| subject.is_printed()) {
        Some(paper) => format!("printed in {paper}"),
        None => MEASURED.to_owned(),
    }
}

/// Engines of a plan are known; of another tool only the one that does nothing is.
fn device_of(subject: &Subject<'_>) -> &'static str {
    let has_none = |job: &SubjectJob<'_>| job.load.engine.as_deref() == Some("null");
    match subject.engine.map(|engine| engine.facts().device) {
        Some(device) => device_in_words(device),
        None if subject.jobs.iter().any(has_none) => NO_DEVICE,
        None => REAL_DEVICE,
    }
}

const fn device_in_words(device: EngineDevice) -> &'static str {
    match device {
        EngineDevice::Simulated => "a simulated device",
        EngineDevice::None => NO_DEVICE,
        EngineDevice::Real => REAL_DEVICE,
    }
}

/// `None` where a job does not say.
fn io_of(subject: &Subject<'_>) -> Option<&'static str> {
    if let Some(plan) = subject.plan {
        // Each write is also a read then, whatever else it goes through.
        if plan.verified {
            return Some("compared with what was written");
        }
        return Some(match (plan.direct, plan.polled) {
            (false, _) => "buffered",
            (true, false) => "direct",
            (true, true) => "direct and polled",
        });
    }
    let direct: Vec<bool> = subject.jobs.iter().map(|job| job.load.direct).collect::<Option<_>>()?;
    let all_direct = || direct.iter().all(|direct| *direct);
    (!direct.is_empty()).then(|| if all_direct() { "direct" } else { "buffered" })
}

/// Where the time of the flushes is that make writes durable; `None` where none is known of.
fn flushes_of(subject: &Subject<'_>) -> Option<&'static str> {
    let is_durable = |job: &Job| job.durability != Durability::None;
    let total = subject.stated_total.map(Ops::of_stated);
    let mut all = total.into_iter().chain(subject.jobs.iter().map(|job| job.ops));
    if all.any(|ops| ops.flushes_apart().is_some()) {
        Some(APART)
    } else if subject.jobs.iter().filter_map(|job| job.planned).any(is_durable) {
        Some("some of them")
    } else {
        None
    }
}

/// What all jobs touch together, in bytes; `None` where one does not state it.
///
/// The jobs of a plan have areas of their own. The copies of a job of another tool share the files that are named, whether they are
/// told together or apart. fio's size is that of all files together, and without names each copy has one of its own; for other
/// tools it is that of each.
fn working_set_of(subject: &Subject<'_>) -> Option<WorkingSet> {
    if let Some(touched) = subject.touched {
        return Some(WorkingSet::Bytes(touched.get()));
    }
    let is_of_fio = subject
        .source
        .is_some_and(|source| matches!(source.kind, SourceKind::FioJson | SourceKind::FioTerse));
    let is_whole = |job: &SubjectJob<'_>| is_of_fio && is_of_whole_devices(&job.load);
    if !subject.jobs.is_empty() && subject.jobs.iter().all(is_whole) {
        return Some(WorkingSet::WholeDevices);
    }
    let (mut named, mut sum) = (Vec::new(), 0_u64);
    for job in &subject.jobs {
        let load = &job.load;
        let size = load.size?.get();
        let times = match (is_of_fio, load.targets.len()) {
            (true, 0) => load.numjobs?,
            (true, _) => 1,
            (false, count) => count.max(1) as u64,
        };
        let words = JobWords::of(job, subject);
        let copy = (&load.targets, size, words.load, words.more);
        if load.targets.is_empty() || !named.contains(&copy) {
            sum = sum.checked_add(size.checked_mul(times)?)?;
            named.push(copy);
        }
    }
    (!subject.jobs.is_empty()).then_some(WorkingSet::Bytes(sum))
}

/// Whether a job of fio works on all of block devices: it names them, and neither a size nor a part of one.
fn is_of_whole_devices(load: &StatedLoad) -> bool {
    let is_device = |target: &String| target.starts_with("/dev/") || target.starts_with(r"\\.\");
    let is_whole = |name: &str| load.options.get(name).is_none_or(|value| value.trim() == "100%");
    let is_all = ["size", "filesize", "io_size"].into_iter().all(is_whole);
    let is_moved =
        ["offset", "offset_increment", "zonesize"].iter().any(|name| load.options.contains_key(*name));
    load.size.is_none()
        && !load.targets.is_empty()
        && load.targets.iter().all(is_device)
        && is_all
        && !is_moved
}

/// The roles of all jobs, each once; `None` where one of them is not known.
fn role_words(roles: impl Iterator<Item = Option<Role>>) -> Option<String> {
    let roles: BTreeSet<Role> = roles.collect::<Option<_>>()?;
    let words: Vec<&str> = roles.into_iter().map(Role::as_str).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

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
    /// As far as it is known; by the name of the job where nothing is.
    fn of(job: &SubjectJob<'_>, subject: &Subject<'_>) -> Self {
        let load = &job.load;
        let sizes = match job.planned {
            Some(planned) => planned.block_size.to_string(),
            None => sizes_in_words(&load.block_sizes),
        };
        let mut words =
            load_words(load.pattern, load.rwmix_read_percent, Some(sizes).filter(|sizes| !sizes.is_empty()));
        let copies = load.numjobs.zip(load.iodepth);
        let has_need = subject.plan.is_some_and(|plan| plan.need.is_some());
        let more = more_of(job, subject.plan, has_need || subject.search.is_some());
        if words.is_empty() && copies.is_none() && more.is_empty() {
            words.push(job.name.clone().into_owned());
        }
        Self { load: words.join(" "), copies, more }
    }
}

/// The sizes of a mix in the words of a plan, so that the same mix is the same load; sizes of each direction one after the other.
fn sizes_in_words(sizes: &[StatedBlockSize]) -> String {
    let is_mix = sizes.iter().all(|one| one.percent.is_some() && one.direction.is_none());
    let words = |one: &StatedBlockSize| match one.percent {
        Some(percent) if is_mix => format!("{} {} %", one.size, (10.0 * percent).round() / 10.0),
        Some(percent) => format!("{} ({percent} %)", one.size),
        None => one.size.to_string(),
    };
    sizes.iter().map(words).collect::<Vec<_>>().join(if is_mix { ", " } else { " and " })
}

/// Whatever else was set belongs to the load too, and only the usual is not worth a word. What a plan and the options of another
/// tool both set is said in the same words, or the same load would be refused as another one.
fn more_of(job: &SubjectJob<'_>, plan: Option<&Plan>, is_measured: bool) -> String {
    let load = &job.load;
    let mut more: Vec<String> = Vec::new();
    let is_in_copies = load.numjobs.is_some() && load.iodepth.is_some();
    more.extend(load.outstanding.filter(|_| !is_in_copies).map(|count| format!("{count} outstanding")));
    let durability = job.planned.map_or(load.durability, |planned| Some(planned.durability));
    let durability = durability.filter(|durability| *durability != Durability::None);
    more.extend(durability.map(|durability| format!("durability {durability}")));
    if let Some((planned, plan)) = job.planned.zip(plan) {
        let sizes = planned.block_size.to_string();
        // Over how many volumes a log lies is what is compared, as the number of its files is.
        let mut planned = Job { stripe_unit: None, ..planned.clone() };
        // What a search found is no condition but a result, also how a needed rate is shared among the jobs: as the closed load did it.
        if is_measured && matches!(planned.arrival, Arrival::Open { .. }) {
            planned.arrival = Arrival::Closed;
        }
        more.extend(planned.particulars(plan).into_iter().filter(|particular| *particular != sizes));
    } else {
        let distribution = load.options.get("random_distribution").filter(|one| *one != "random");
        more.extend(distribution.map(|distribution| match distribution.strip_prefix("zipf:") {
            Some(theta) => format!("zipf {theta}"),
            None => format!("distribution {distribution}"),
        }));
        // Not the words of an open load: the tool held a closed one back, which then waits less.
        more.extend(load.rate_iops.map(|rate| format!("at {rate} IOPS")));
        more.extend(load.paced.then(|| "paced".to_owned()));
        let flush_every = load.flush_every.filter(|every| *every > 1);
        more.extend(flush_every.map(|every| format!("durable every {every} writes")));
    }
    more.join(", ")
}

/// The load of all jobs of a result, as far as it is known; by the names of the jobs where it is not, and `None` without jobs. Roles
/// stand before it where that is asked.
pub(super) fn load_of_jobs(subject: &Subject<'_>, with_roles: bool) -> Option<String> {
    let words = |job: &SubjectJob<'_>| {
        let mut words = JobWords::of(job, subject);
        if let Some(role) = job.role.filter(|_| with_roles) {
            words.load = format!("{role} {}", words.load);
        }
        words
    };
    let steps = subject.plan.map(|plan| plan.steps.as_slice()).filter(|steps| !steps.is_empty());
    let steps = steps.map_or_else(String::new, |steps| format!(", in {}", Step::all_in_words(steps)));
    (!subject.jobs.is_empty()).then(|| together(subject.jobs.iter().map(words)) + &steps)
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

/// A result or a sweep that is compared: under what it was taken, and what messages call it.
#[derive(Clone, Copy)]
pub(super) struct Taken<'c> {
    pub(super) source: &'c str,
    pub(super) label: Option<&'c String>,
    pub(super) conditions: &'c Conditions,
}

/// Refuses to compare what was taken under different conditions; by force it is compared, and that is told. What is not known of one
/// agrees with anything, so that it cannot stand for the others.
pub(super) fn check_conditions<'c>(
    all: impl Iterator<Item = Taken<'c>>,
    force: bool,
    findings: &mut Vec<Finding>,
) -> Result<(), CompareError> {
    let mut told: Vec<Vec<Difference>> = Vec::new();
    // One for each kind of conditions: a thousand runs mostly have one.
    let mut kinds: Vec<Taken<'c>> = Vec::new();
    for other in all {
        if kinds.iter().any(|kind| kind.conditions == other.conditions) {
            continue;
        }
        for first in &kinds {
            let differences = first.conditions.differences(other.conditions);
            if differences.is_empty() || told.contains(&differences) {
                continue;
            }
            let both = Incomparable {
                first: first.source.to_owned(),
                other: other.source.to_owned(),
                labels: first.label.cloned().zip(other.label.cloned()),
                differences: differences.clone(),
            };
            if !force {
                return Err(CompareError::Incomparable(Box::new(both)));
            }
            findings.push(Finding::of_comparison(
                FindingId::Forced,
                Severity::Warning,
                ComparedFact::Forced(both),
            ));
            told.push(differences);
        }
        kinds.push(other);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use iotrial_model::imported::{ImportedJob, ImportedRecord, Source, StatedLoad};
    use iotrial_model::load::Distribution;

    use super::*;
    use crate::test_record::healthy;

    #[test]
    fn a_log_is_the_same_load_on_one_volume_and_striped_over_several() {
        let mut record = healthy();
        let whole = load_of_jobs(&Subject::of_run(&record), true);
        record.plan.jobs[1].stripe_unit = Some(ByteSize::MIB);
        assert_eq!(load_of_jobs(&Subject::of_run(&record), true), whole);
    }

    #[test]
    fn the_same_load_has_the_same_words_whether_a_plan_or_the_options_of_a_tool_set_it() {
        let mut record = healthy();
        // The journal, a flush after every eighth write.
        record.plan.jobs.remove(0);
        let job = &mut record.plan.jobs[0];
        job.flush_every = 8;
        job.distribution = Distribution::Zipf { theta: 1.2 };
        let load = StatedLoad {
            pattern: Some(job.pattern),
            rwmix_read_percent: Some(job.rwmix_read_percent.into()),
            iodepth: Some(job.iodepth.into()),
            numjobs: Some(job.numjobs.into()),
            durability: Some(job.durability),
            flush_every: Some(8),
            options: [("random_distribution".to_owned(), "zipf:1.2".to_owned())].into(),
            ..StatedLoad::default()
        };
        let load = load.with_block_size(Some(job.block_size.unit()));
        let mut imported = ImportedRecord::of_source(Source {
            kind: SourceKind::FioJson,
            tool: "fio".to_owned(),
            version: None,
            file: "r.json".to_owned(),
            place: "jobs[0]".to_owned(),
            sha256: String::new(),
            read_by: String::new(),
        });
        imported.jobs = vec![ImportedJob { name: "journal".to_owned(), load, ..ImportedJob::default() }];
        let words = load_of_jobs(&Subject::of_run(&record), false).unwrap();
        assert!(words.ends_with("zipf 1.2, durable every 8 writes"), "{words}");
        assert_eq!(Some(words), load_of_jobs(&Subject::of_imported(&imported), false));
    }
}
