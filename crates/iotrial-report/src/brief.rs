//! The circumstances of a result in brief: host, targets and load in one line each.

use std::collections::BTreeMap;

use iotrial_analysis::summary::{Summary, Together};
use iotrial_analysis::words::with_thousands;
use iotrial_model::host_fact::{FactId, HostReport};
use iotrial_model::plan::{Arrival, PhaseKind, Plan};
use iotrial_model::record::{AttributeValue, TargetRecord};
use iotrial_model::step::Step;
use iotrial_model::subject::{Machine, Subject};
use iotrial_model::units::{duration_in_words, group_thousands};
use iotrial_model::words::counted;

use crate::stated::{self, LONGEST_OPTION};
use crate::text::cut;
use iotrial_words::numbers::{rate_in_words, seconds_in_words};

/// Host, targets and load in one line each, as far as they are known.
pub(crate) fn in_brief(subject: &Subject<'_>, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(attributes_in_brief(&subject.attributes));
    let shape = subject.host_facts.and_then(shape_in_brief);
    let host = subject.host.map(|host| ("Host", host_in_brief(&host, shape)));
    lines.extend(host.filter(|(_, host)| !host.is_empty()));
    lines.extend(targets_in_brief(subject));
    lines.extend(subject.plan.map(|plan| ("Load", load_in_brief(subject.profile(), plan))));
    lines.extend(stated::loads_in_brief(subject).map(|loads| ("Load", loads)));
    lines.extend(subject.plan.and_then(arrivals_in_brief));
    lines.extend(summary.together.filter(|_| subject.plan.is_some()).map(|all| ("Moved", moved(&all))));
    if let Some(whence) = subject.whence() {
        lines.push(("File", cut(&whence, LONGEST_OPTION)));
        // What was planned says in its load how long it was to be measured.
        lines.extend(summary.measured_s.map(|seconds| ("Measured", seconds_in_words(seconds))));
    }
    lines
}

/// What was read and written, and the rate of both together.
fn moved(all: &Together) -> String {
    const GIB: f64 = 1_073_741_824.0;
    let gib = |bytes: u64| group_thousands(&format!("{:.2}", bytes as f64 / GIB));
    let rates = format!(
        "{} IOPS and {} MiB/s",
        rate_in_words(all.iops),
        if all.bandwidth_mib_per_s < 100.0 {
            format!("{:.1}", all.bandwidth_mib_per_s)
        } else {
            with_thousands(all.bandwidth_mib_per_s)
        }
    );
    match (all.read_bytes, all.write_bytes) {
        (read, 0) => format!("{} GiB read, at {rates}", gib(read)),
        (0, written) => format!("{} GiB written, at {rates}", gib(written)),
        (read, written) => {
            format!("{} GiB read and {} GiB written, together at {rates}", gib(read), gib(written))
        }
    }
}

/// The targets that were looked at, or else the paths that a source names.
fn targets_in_brief(subject: &Subject<'_>) -> Option<(&'static str, String)> {
    let looked_at = subject.targets.iter().map(target_in_brief);
    let mut named: Vec<String> = subject.jobs.iter().flat_map(|job| &job.load.targets).cloned().collect();
    // Jobs of another tool mostly name the same file again.
    named.dedup();
    let all: Vec<String> = looked_at.chain(named).collect();
    let words = match all.as_slice() {
        [] => subject.plan.map(|_| "none touched".to_owned())?,
        all if subject.targets.is_empty() => cut(&all.join("; "), LONGEST_OPTION),
        all => all.join("; "),
    };
    Some((if all.len() == 1 { "Target" } else { "Targets" }, words))
}

fn load_in_brief(profile: &str, plan: &Plan) -> String {
    format!(
        "{}{}, {}, {}, {} {}, {}",
        profile,
        if plan.quick { " (quick)" } else { "" },
        counted(plan.jobs.len() as u64, "job"),
        outstanding(plan),
        match (plan.engine.touches_targets(), plan.direct) {
            (false, _) => "engine",
            (true, true) => "direct I/O, engine",
            (true, false) => "through the page cache, engine",
        },
        plan.engine.as_str(),
        phases(plan),
    ) + &steps_in_brief(plan)
}

/// All that may be outstanding at once; only a closed load keeps all of it outstanding.
fn outstanding(plan: &Plan) -> String {
    let is_closed = plan.jobs.iter().all(|job| job.arrival == Arrival::Closed);
    let at_most = if is_closed { "" } else { "at most " };
    format!("{at_most}{}", counted(plan.total_iodepth().into(), "outstanding I/O"))
}

/// How the load changes; empty where it does not.
fn steps_in_brief(plan: &Plan) -> String {
    if plan.steps.is_empty() { String::new() } else { format!(" in {}", Step::all_in_words(&plan.steps)) }
}

fn arrivals_in_brief(plan: &Plan) -> Option<(&'static str, String)> {
    let open = plan.jobs.iter().filter(|job| job.arrival != Arrival::Closed);
    let arrivals: Vec<String> =
        open.map(|job| format!("{}: {}", job.name, job.particulars(plan).join(", "))).collect();
    (!arrivals.is_empty()).then(|| ("Arrivals", arrivals.join("; ")))
}

fn host_in_brief(host: &Machine<'_>, shape: Option<String>) -> String {
    let is_said = |shape: &String| host.virtualization.is_some_and(|words| words.contains(shape.as_str()));
    let shape = shape.filter(|shape| !is_said(shape));
    let parts = [
        host.name.map(str::to_owned),
        host.os.map(str::to_owned),
        // Of a cloud its name for the machine says more than that of a hypervisor.
        shape.or_else(|| host.virtualization.map(str::to_owned)),
        host.cpu_count.or(host.host_cpu_count).map(|count| counted(count.into(), "CPU")),
        host.memory.map(|memory| format!("{memory} memory")),
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// What a cloud calls the machine, with how much of a flexible shape it has: `VM.Optimized3.Flex (16 OCPUs, 48 GiB)`; `None` elsewhere.
fn shape_in_brief(report: &HostReport) -> Option<String> {
    let told = |id: FactId| report.host.value(id).map(|value| id.written(value));
    let shape = told(FactId::Shape)?;
    let ocpus =
        told(FactId::Ocpus).map(|count| format!("{count} OCPU{}", if count == "1" { "" } else { "s" }));
    let size: Vec<String> = ocpus.into_iter().chain(told(FactId::ShapeMemory)).collect();
    Some(if size.is_empty() { shape } else { format!("{shape} ({})", size.join(", ")) })
}

/// What distinguishes the configuration, in one line; `None` where nothing does.
pub(crate) fn attributes_in_brief(
    attributes: &BTreeMap<String, AttributeValue>,
) -> Option<(&'static str, String)> {
    let pairs: Vec<String> = attributes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    (!pairs.is_empty()).then(|| ("Attributes", pairs.join(", ")))
}

fn target_in_brief(target: &TargetRecord) -> String {
    let on = target.devices.first().map(|device| {
        let model = device.model.as_ref().map(|model| format!(", {}", model.trim()));
        format!("{}{}", device.name, model.unwrap_or_default())
    });
    match (target.filesystem.as_ref(), on.as_ref()) {
        (Some(filesystem), Some(on)) => format!("{} ({filesystem} on {on})", target.named()),
        (Some(only), None) | (None, Some(only)) => format!("{} ({only})", target.named()),
        (None, None) => target.named(),
    }
}

/// The phases of a plan with their lengths: `ramp 5s, measure 30s`.
pub(crate) fn phases(plan: &Plan) -> String {
    let phase = plan.phases.iter().map(|one| {
        let until = plan.until_steady.filter(|_| one.kind == PhaseKind::Measure);
        let until = if until.is_some() { " until steady, at most" } else { "" };
        format!("{}{until} {}", one.kind.as_str(), duration_in_words(one.duration))
    });
    phase.collect::<Vec<_>>().join(", ")
}
