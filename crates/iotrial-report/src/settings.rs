//! The circumstances of a run: host, targets, every effective setting, profile.

use std::collections::BTreeMap;

use iotrial_analysis::device_chain::ChainStep;
use iotrial_analysis::summary::Summary;
use iotrial_model::plan::{Area, AreaKind, Arrival, Job, PhaseKind, Plan, SimDevice};
use iotrial_model::record::{AttributeValue, BlockDevice, DeviceCounters, EngineSetup, Host, TargetRecord};
use iotrial_model::subject::Subject;
use iotrial_model::units::{format_duration, group_thousands};

use crate::document::{Block, Fact, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Host, targets and load in one line each.
pub(crate) fn in_brief(subject: &Subject<'_>, plan: &Plan) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(attributes_in_brief(&subject.attributes));
    lines.extend(subject.host.map(|host| ("Host", host_in_brief(host))));
    lines.push((
        if subject.targets.len() == 1 { "Target" } else { "Targets" },
        if subject.targets.is_empty() {
            "none touched".to_owned()
        } else {
            subject.targets.iter().map(target_in_brief).collect::<Vec<_>>().join("; ")
        },
    ));
    lines.push((
        "Load",
        format!(
            "{}{}, {}, {}, {} {}, {}",
            plan.profile,
            if plan.quick { " (quick)" } else { "" },
            counted(plan.jobs.len() as u64, "job"),
            counted(plan.total_iodepth().into(), "outstanding I/O"),
            match (plan.engine.touches_targets(), plan.direct) {
                (false, _) => "engine",
                (true, true) => "direct I/O by",
                (true, false) => "through the page cache by",
            },
            plan.engine.as_str(),
            phases(plan),
        ),
    ));
    let open = plan.jobs.iter().filter(|job| job.arrival != Arrival::Closed);
    let arrivals: Vec<String> =
        open.map(|job| format!("{}: {}", job.name, job.particulars(plan).join(", "))).collect();
    if !arrivals.is_empty() {
        lines.push(("Arrivals", arrivals.join("; ")));
    }
    lines
}

fn host_in_brief(host: &Host) -> String {
    let parts = [
        Some(host.name.clone()),
        Some(host.os.clone()),
        host.virtualization.clone(),
        (host.cpu_count > 0).then(|| counted(host.cpu_count.into(), "CPU")),
        host.memory.map(|memory| format!("{memory} memory")),
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// What distinguishes the configuration, in one line; `None` where nothing does.
pub(crate) fn attributes_in_brief(
    attributes: &BTreeMap<String, AttributeValue>,
) -> Option<(&'static str, String)> {
    let pairs: Vec<String> = attributes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    (!pairs.is_empty()).then(|| ("Attributes", pairs.join(", ")))
}

/// Who measured, with the version where it is known.
pub(crate) fn tool(subject: &Subject<'_>) -> String {
    let own = subject.tool.map(|tool| tool.version.as_str());
    let version = own.or_else(|| subject.source?.version.as_deref());
    let name = subject.tool_name().unwrap_or_default();
    version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"))
}

fn target_in_brief(target: &TargetRecord) -> String {
    let on = target.devices.first().map(|device| {
        let model = device.model.as_ref().map(|model| format!(", {}", model.trim()));
        format!("{}{}", device.name, model.unwrap_or_default())
    });
    match (target.filesystem.as_ref(), on.as_ref()) {
        (Some(filesystem), Some(on)) => format!("{} ({filesystem} on {on})", target.path),
        (Some(only), None) | (None, Some(only)) => format!("{} ({only})", target.path),
        (None, None) => target.path.clone(),
    }
}

fn phases(plan: &Plan) -> String {
    let phase = plan.phases.iter().map(|one| {
        let until = plan.until_steady.filter(|_| one.kind == PhaseKind::Measure);
        let until = if until.is_some() { " until steady, at most" } else { "" };
        format!("{}{until} {}", one.kind.as_str(), format_duration(one.duration))
    });
    phase.collect::<Vec<_>>().join(", ")
}

/// `1 job`, `6 jobs`.
fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", group_thousands(&count.to_string()), if count == 1 { "" } else { "s" })
}

/// What is known of the machine, and what the load cost it.
pub(crate) fn host(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let host = subject.host?;
    let mut facts = vec![
        words("name", Some(&host.name)),
        words("operating system", Some(&host.os)),
        words("kernel", host.kernel.as_ref()),
        words("virtualization", host.virtualization.as_ref()),
        words("CPU model", host.cpu_model.as_ref()),
        number("CPUs", Quantity::Count, Value::Count(host.cpu_count.into())),
        number("memory", Quantity::Bytes, host.memory.map_or(Value::Absent, |size| Value::Count(size.get()))),
        words("clock", host.clock_source.as_ref()),
    ];
    if let Some(cpu) = &summary.cpu {
        facts.extend([
            number("CPU of the generator, user", Quantity::Percent, Value::Number(cpu.usr_percent)),
            number("CPU of the generator, system", Quantity::Percent, Value::Number(cpu.sys_percent)),
            number("CPU time for one I/O", Quantity::CpuTimeUs, Value::number(cpu.per_io_us)),
            number("CPU of the whole host", Quantity::Percent, Value::number(cpu.host_busy_percent)),
            number("CPU taken by the hypervisor", Quantity::Percent, Value::number(cpu.host_steal_percent)),
            number(
                "busiest thread of the generator",
                Quantity::Percent,
                Value::number(cpu.busiest_thread_percent),
            ),
        ]);
    }
    Some(Section { id: "host", heading: "Host", note: None, blocks: vec![Block::Facts(facts)] })
}

/// What the load worked on, and what the devices below it counted.
pub(crate) fn targets(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let mut blocks = vec![];
    if !subject.targets.is_empty() {
        blocks.push(Block::Table(targets_table(subject.targets)));
    }
    let devices: Vec<Row> = subject
        .targets
        .iter()
        .flat_map(|target| target.devices.iter().map(|device| device_row(target, device)))
        .collect();
    if !devices.is_empty() {
        blocks.push(Block::Table(devices_table(devices)));
    }
    if let Some(device) = &summary.device {
        blocks.push(Block::Table(counters_table(&device.devices)));
        blocks.push(Block::Facts(vec![
            number(
                "read by the devices, to what was asked",
                Quantity::Ratio,
                Value::number(device.read_bytes_ratio),
            ),
            number(
                "written by the devices, to what was asked",
                Quantity::Ratio,
                Value::number(device.write_bytes_ratio),
            ),
        ]));
    }
    if let Some(device) = summary.device.as_ref().filter(|device| !device.steps.is_empty()) {
        blocks.push(Block::Table(steps_table(&device.steps)));
    }
    (!blocks.is_empty()).then_some(Section { id: "targets", heading: "Targets", note: None, blocks })
}

fn targets_table(targets: &[TargetRecord]) -> Table {
    let row = |target: &TargetRecord| Row {
        cells: vec![
            Value::Text(target.path.clone()),
            Value::Text(target.kind.clone()),
            Value::text(target.filesystem.clone()),
            Value::text(target.mount.clone()),
            Value::Count(target.sector_size.get()),
            Value::text(target.in_memory.then_some("yes")),
        ],
        is_total: false,
    };
    Table {
        caption: "Targets".to_owned(),
        columns: vec![
            Column::new("target", Quantity::Words),
            Column::new("kind", Quantity::Words),
            Column::new("file system", Quantity::Words),
            Column::new("mount", Quantity::Words),
            Column::new("sector", Quantity::Bytes),
            Column::new("in memory", Quantity::Words),
        ],
        rows: targets.iter().map(row).collect(),
        at_a_glance: false,
    }
}

fn device_row(target: &TargetRecord, device: &BlockDevice) -> Row {
    Row {
        cells: vec![
            Value::Text(target.path.clone()),
            Value::Text(device.name.clone()),
            Value::text(device.model.clone()),
            Value::text(device.serial.clone()),
            device.size.map_or(Value::Absent, |size| Value::Count(size.get())),
            Value::text(device.rotational.map(|turns| if turns { "yes" } else { "no" })),
            Value::text(device.scheduler.clone()),
            device.nr_requests.map_or(Value::Absent, |count| Value::Count(count.into())),
            Value::text(device.write_cache.clone()),
        ],
        is_total: false,
    }
}

fn devices_table(rows: Vec<Row>) -> Table {
    Table {
        caption: "Block devices below, the nearest first".to_owned(),
        columns: vec![
            Column::new("target", Quantity::Words),
            Column::new("device", Quantity::Words),
            Column::new("model", Quantity::Words),
            Column::new("serial", Quantity::Words),
            Column::new("size", Quantity::Bytes),
            Column::new("rotational", Quantity::Words),
            Column::new("scheduler", Quantity::Words),
            Column::new("queue", Quantity::Count),
            Column::new("write cache", Quantity::Words),
        ],
        rows,
        at_a_glance: false,
    }
}

fn counters_table(devices: &[DeviceCounters]) -> Table {
    let row = |device: &DeviceCounters| Row {
        cells: vec![
            Value::Text(device.name.clone()),
            Value::Count(device.read_count),
            Value::Count(device.read_merge_count),
            Value::Count(device.read_bytes),
            Value::Count(device.write_count),
            Value::Count(device.write_merge_count),
            Value::Count(device.write_bytes),
            Value::Count(device.flush_count),
        ],
        is_total: false,
    };
    let (reads, writes) = ("reads", "writes");
    Table {
        caption: "What the operating system counted at the devices over the measured phase".to_owned(),
        columns: vec![
            Column::new("device", Quantity::Words),
            Column::new("completed", Quantity::Count).under(reads),
            Column::new("merged", Quantity::Count).under(reads),
            Column::new("size", Quantity::Bytes).under(reads),
            Column::new("completed", Quantity::Count).under(writes),
            Column::new("merged", Quantity::Count).under(writes),
            Column::new("size", Quantity::Bytes).under(writes),
            Column::new("flushes", Quantity::Count),
        ],
        rows: devices.iter().map(row).collect(),
        at_a_glance: false,
    }
}

/// The way of the bytes down through the devices.
fn steps_table(steps: &[ChainStep]) -> Table {
    let row = |step: &ChainStep| Row {
        cells: vec![
            Value::Text(if step.is_from_load() { "the load".to_owned() } else { step.above.join(", ") }),
            Value::Text(step.below.join(", ")),
            Value::number(step.read.bytes_ratio),
            Value::number(step.read.merged_percent),
            Value::number(step.write.bytes_ratio),
            Value::number(step.write.merged_percent),
            Value::number(step.excess_percent),
        ],
        is_total: false,
    };
    let (reads, writes) = ("reads", "writes");
    Table {
        caption: "From the load down through the devices: bytes below for each byte from above".to_owned(),
        columns: vec![
            Column::new("from", Quantity::Words),
            Column::new("to", Quantity::Words),
            Column::new("bytes", Quantity::Ratio).under(reads),
            Column::new("merged", Quantity::Percent).under(reads),
            Column::new("bytes", Quantity::Ratio).under(writes),
            Column::new("merged", Quantity::Percent).under(writes),
            Column::new("in excess", Quantity::Percent),
        ],
        rows: steps.iter().map(row).collect(),
        at_a_glance: false,
    }
}

/// Every setting that was in effect.
pub(crate) fn load(subject: &Subject<'_>, plan: &Plan, summary: &Summary) -> Option<Section> {
    let io = match (plan.direct, plan.polled) {
        (true, true) => "direct, polled",
        (true, false) => "direct",
        (false, _) => "through the page cache",
    };
    let mut facts = vec![
        words("profile", Some(&plan.profile)),
        words("form", Some(if plan.quick { "quick" } else { "full" })),
        words("engine", Some(plan.engine.as_str())),
    ];
    facts.extend(plan.engine_reason.as_ref().map(|reason| words("reason for the engine", Some(reason))));
    facts.extend([
        number("threads", Quantity::Count, Value::Count(plan.threads.into())),
        words("I/O", plan.engine.touches_targets().then_some(io)),
        words("phases", Some(phases(plan))),
        words("interval", Some(format_duration(plan.interval))),
        number("outstanding I/Os", Quantity::Count, Value::Count(plan.total_iodepth().into())),
        // A seed is an identifier, and commas would make it useless for copying.
        words("seed", Some(plan.seed.to_string())),
        words("thresholds", Some(&summary.verdict.thresholds)),
    ]);
    if let Some(until) = &plan.until_steady {
        let ended = summary.ended_reason.as_ref().map(|reason| format!("; {reason}"));
        let rounds = format!("five rounds of {}{}", format_duration(until.round), ended.unwrap_or_default());
        facts.push(words("steady state", Some(rounds)));
    }
    facts.extend(subject.engine_setup.into_iter().flat_map(setup_facts));
    if let Some(layout) = subject.layout {
        facts.extend([
            number("files written", Quantity::Bytes, Value::Count(layout.written.get())),
            number("files kept from before", Quantity::Bytes, Value::Count(layout.reused.get())),
            number("time for writing them", Quantity::Seconds, Value::Number(layout.duration.as_secs_f64())),
        ]);
    }
    facts.extend(plan.sim.iter().flat_map(sim_facts));
    facts.extend(plan.notes.iter().map(|note| words("changed", Some(note))));
    facts.extend([words("record", Some(subject.id)), words("tool", Some(tool(subject)))]);
    facts.extend(
        subject
            .tool
            .map(|tool| number("method version", Quantity::Count, Value::Count(tool.method_version.into()))),
    );
    facts.extend(subject.attributes.iter().map(|(name, value)| words(name, Some(value.to_string()))));
    let mut blocks = vec![Block::Facts(facts), Block::Table(jobs_table(plan))];
    if !plan.areas.is_empty() {
        blocks.push(Block::Table(areas_table(&plan.areas)));
    }
    Some(Section { id: "settings", heading: "Settings", note: None, blocks })
}

fn setup_facts(setup: &EngineSetup) -> Vec<Fact> {
    let yes_or_no = |granted: Option<bool>| granted.map(|granted| if granted { "yes" } else { "no" });
    let queues = &setup.queues;
    vec![
        words("clock of the engine", Some(&setup.clock)),
        words("completions of the ring", queues.ring.as_ref()),
        words("registered files", yes_or_no(queues.registered_files)),
        words("registered buffers", yes_or_no(queues.registered_buffers)),
        number("memory of the buffers", Quantity::Bytes, Value::Count(queues.buffers.get())),
        number("of it on huge pages", Quantity::Bytes, Value::Count(queues.huge_pages.get())),
    ]
}

fn sim_facts(sim: &SimDevice) -> Vec<Fact> {
    let mut facts = vec![
        number("simulated service time", Quantity::LatencyUs, Value::Number(sim.service_time_us)),
        number("simulated spread", Quantity::Percent, Value::Number(100.0 * sim.service_spread)),
        number("simulated flush", Quantity::LatencyUs, Value::Number(sim.flush_us)),
        number("simulated parallelism", Quantity::Count, Value::Count(sim.parallelism.into())),
        number("simulated cap", Quantity::Iops, Value::number(sim.iops_cap)),
        number("simulated cap", Quantity::BandwidthMibPerS, Value::number(sim.bandwidth_cap_mib_per_s)),
        number("simulated burst", Quantity::Seconds, Value::Number(sim.burst_s)),
        number("simulated errors", Quantity::Percent, Value::Number(100.0 * sim.error_share)),
    ];
    facts.extend(sim.stalls.iter().map(|stall| {
        words("simulated stall", Some(format!("{} s, from second {}", stall.duration_s, stall.start_s)))
    }));
    facts
}

fn jobs_table(plan: &Plan) -> Table {
    let has_particulars = plan.jobs.iter().any(|job| !job.particulars(plan).is_empty());
    let row = |job: &Job| Row {
        cells: vec![
            Value::Text(job.name.clone()),
            Value::Text(job.role.to_string()),
            Value::Text(job.pattern.to_string()),
            Value::Count(job.rwmix_read_percent.into()),
            Value::Count(job.block_size.unit().get()),
            Value::Count(job.iodepth.into()),
            Value::Count(job.numjobs.into()),
            Value::Text(job.durability.to_string()),
            Value::Count(job.working_set.get()),
            Value::Text(job.areas.iter().map(|area| (area + 1).to_string()).collect::<Vec<_>>().join(", ")),
        ]
        .into_iter()
        .chain(has_particulars.then(|| Value::Text(job.particulars(plan).join("; "))))
        .collect(),
        is_total: false,
    };
    Table {
        caption: "Jobs of the plan".to_owned(),
        columns: vec![
            Column::new("job", Quantity::Words),
            Column::new("role", Quantity::Words),
            Column::new("pattern", Quantity::Words),
            Column::new("reads", Quantity::Percent),
            Column::new("block size", Quantity::Bytes),
            Column::new("iodepth", Quantity::Count),
            Column::new("numjobs", Quantity::Count),
            Column::new("durability", Quantity::Words),
            Column::new("working set", Quantity::Bytes),
            Column::new("areas", Quantity::Words),
        ]
        .into_iter()
        .chain(has_particulars.then(|| Column::new("particulars", Quantity::Words)))
        .collect(),
        rows: plan.jobs.iter().map(row).collect(),
        at_a_glance: false,
    }
}

fn areas_table(areas: &[Area]) -> Table {
    let kind = |kind| match kind {
        AreaKind::ManagedFile => "file made by iotrial",
        AreaKind::GivenFile => "given file",
        AreaKind::DeviceRead => "raw device, read only",
        AreaKind::DeviceDestroy => "raw device, overwritten",
        AreaKind::Imagined => "imagined",
    };
    let row = |(index, area): (usize, &Area)| Row {
        cells: vec![
            Value::Text((index + 1).to_string()),
            Value::Text(area.path.display().to_string()),
            Value::Text(kind(area.kind).to_owned()),
            Value::Count(area.offset.get()),
            Value::Count(area.length.get()),
            Value::Count(area.sector_size.get()),
        ],
        is_total: false,
    };
    Table {
        caption: "Areas that the jobs work on".to_owned(),
        columns: vec![
            Column::new("area", Quantity::Words),
            Column::new("path", Quantity::Words),
            Column::new("kind", Quantity::Words),
            Column::new("offset", Quantity::Bytes),
            Column::new("length", Quantity::Bytes),
            Column::new("sector", Quantity::Bytes),
        ],
        rows: areas.iter().enumerate().map(row).collect(),
        at_a_glance: false,
    }
}

/// What was asked, word for word.
pub(crate) fn profile(subject: &Subject<'_>) -> Option<Section> {
    (!subject.profile_text.is_empty()).then(|| Section {
        id: "profile",
        heading: "Profile",
        note: None,
        blocks: vec![Block::Verbatim {
            caption: format!("Text of the profile {}", subject.profile()),
            text: subject.profile_text.to_owned(),
        }],
    })
}

fn words(name: impl Into<String>, text: Option<impl Into<String>>) -> Fact {
    Fact { name: name.into(), quantity: Quantity::Words, value: Value::text(text) }
}

fn number(name: &str, quantity: Quantity, value: Value) -> Fact {
    Fact { name: name.to_owned(), quantity, value }
}
