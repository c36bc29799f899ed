//! The circumstances of a result: host, targets, every effective setting, profile.

use iotrial_analysis::device_chain::ChainStep;
use iotrial_analysis::summary::{CpuSummary, DeviceCount, Summary};
use iotrial_model::given_target::in_words;
use iotrial_model::host_fact::{Fact as HostFact, HostReport, Part, PartKind, Reading};
use iotrial_model::imported::{CpuBasis, Stated};
use iotrial_model::plan::{Area, AreaKind, Job, Plan, SimDevice};
use iotrial_model::record::{BlockDevice, EngineSetup, HostActivity, TargetRecord};
use iotrial_model::step::Step;
use iotrial_model::subject::Subject;
use iotrial_model::units::{ByteSize, duration_in_words};
use iotrial_words::activity::busy_processes;

use crate::brief::phases;
use crate::document::{Block, Fact, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Who measured, with the version where it is known.
pub(crate) fn tool(subject: &Subject<'_>) -> String {
    let own = subject.tool.map(|tool| tool.version.as_str());
    let version = own.or_else(|| subject.source?.version.as_deref());
    let name = subject.tool_name().unwrap_or_default();
    version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"))
}

/// What is known about the machine, and the CPU that the load used.
pub(crate) fn host(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let mut facts = subject.host.map_or_else(Vec::new, |host| {
        let cpu_count = host.cpu_count.or(host.host_cpu_count);
        vec![
            words("name", host.name),
            words("operating system", host.os),
            words("kernel", host.kernel),
            words("virtualization", host.virtualization),
            words("CPU model", host.cpu_model),
            number("CPUs", Quantity::Count, count(cpu_count.map(u64::from))),
            number("memory", Quantity::Bytes, count(host.memory.map(ByteSize::get))),
            words("clock", host.clock_source),
        ]
    });
    // A dash means that a run looked and could not read it; a source never looked.
    if subject.source.is_some() {
        facts.retain(|fact| fact.value != Value::Absent);
    }
    facts.extend(summary.cpu.iter().flat_map(cpu_facts));
    facts.extend(summary.host_activity.iter().flat_map(activity_facts));
    let settings = subject.host_facts.map(|report| Block::Table(host_settings_table(report)));
    (!facts.is_empty()).then(|| Section {
        id: "host",
        heading: "Host",
        note: None,
        blocks: std::iter::once(Block::Facts(facts)).chain(settings).collect(),
    })
}

/// Everything that was read about the host and about what is below the targets, including what could not be read.
fn host_settings_table(report: &HostReport) -> Table {
    let mut parts: Vec<&Part> = vec![&report.host];
    for part in report.chains.iter().flat_map(|chain| &chain.parts) {
        // A disk that carries several targets is listed once.
        if !parts.iter().any(|known| known.kind == part.kind && known.name == part.name) {
            parts.push(part);
        }
    }
    let row = |part: &Part, fact: &HostFact| {
        let name = if part.kind == PartKind::Host { String::new() } else { part.name.clone() };
        let value = match &fact.reading {
            Reading::Known(value) => fact.id.written(value),
            Reading::Unknown(why) => format!("unknown: {why}"),
        };
        let cells = [part.kind.title().to_owned(), name, fact.id.title().to_owned(), value];
        Row { cells: cells.into_iter().map(Value::Text).collect(), is_total: false }
    };
    let columns = ["part", "name", "setting", "value"];
    Table {
        caption: "Settings of the host, as they were before the load".to_owned(),
        columns: columns.into_iter().map(|name| Column::new(name, Quantity::Words)).collect(),
        rows: parts.iter().flat_map(|part| part.facts.iter().map(|fact| row(part, fact))).collect(),
        at_a_glance: false,
    }
}

fn cpu_facts(cpu: &CpuSummary) -> Vec<Fact> {
    let percent = |name: &str, value| number(name, Quantity::Percent, Value::number(value));
    match cpu {
        CpuSummary::Counted(cpu) => vec![
            percent("CPU of the generator, user", Some(cpu.usr_percent)),
            percent("CPU of the generator, system", Some(cpu.sys_percent)),
            number("CPU time per I/O", Quantity::CpuTimeUs, Value::number(cpu.per_io_us)),
            percent("CPU of the whole host", cpu.host_busy_percent),
            percent("CPU taken by the hypervisor", cpu.host_steal_percent),
            percent("busiest thread of the generator", cpu.busiest_thread_percent),
        ],
        CpuSummary::Stated(cpu) => {
            let of = match cpu.of {
                CpuBasis::Host => "CPU of the whole host",
                CpuBasis::EachCopy => "CPU of each copy of a job",
            };
            let share = |what: &str, stated: Option<Stated>| {
                stated.map(|stated| percent(&format!("{of}, {what}"), Some(stated.value)))
            };
            let per_io = cpu
                .per_io_us
                .map(|stated| number("CPU time per I/O", Quantity::CpuTimeUs, Value::Number(stated.value)));
            let shares = [share("user", cpu.usr_percent), share("system", cpu.sys_percent), per_io];
            shares.into_iter().flatten().collect()
        }
    }
}

/// Who else used the CPUs.
pub(crate) fn activity_facts(activity: &HostActivity) -> impl Iterator<Item = Fact> {
    let looks = [("busy before the run", &activity.before), ("busy beside the run", &activity.during)];
    let named = looks.into_iter().filter_map(|(name, look)| Some((name, &look.as_ref()?.processes)));
    named
        .filter(|(_, processes)| !processes.is_empty())
        .map(|(name, processes)| words(name, Some(&busy_processes(processes))))
}

fn count(count: Option<u64>) -> Value {
    count.map_or(Value::Absent, Value::Count)
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
        blocks.push(Block::Table(counters_table(&device.devices, subject.source.is_some())));
        let ratios = [
            ("bytes read by the devices per byte requested", device.read_bytes_ratio),
            ("bytes written by the devices per byte requested", device.write_bytes_ratio),
        ];
        if ratios.iter().any(|(_, ratio)| ratio.is_some()) {
            let fact =
                |(name, ratio): (&str, Option<f64>)| number(name, Quantity::Ratio, Value::number(ratio));
            blocks.push(Block::Facts(ratios.map(fact).into()));
        }
    }
    if let Some(device) = summary.device.as_ref().filter(|device| !device.steps.is_empty()) {
        blocks.push(Block::Table(steps_table(&device.steps)));
    }
    (!blocks.is_empty()).then_some(Section { id: "targets", heading: "Targets", note: None, blocks })
}

fn targets_table(targets: &[TargetRecord]) -> Table {
    let row = |target: &TargetRecord| Row {
        cells: vec![
            Value::text((!target.roles.is_empty()).then(|| in_words(&target.roles))),
            Value::Text(target.path.clone()),
            Value::Text(target.kind.clone()),
            Value::text(target.filesystem.clone()),
            Value::text(target.mount.clone()),
            Value::Count(target.sector_size.get()),
            Value::text(target.in_memory.then_some("yes")),
        ],
        is_total: false,
    };
    let mut table = Table {
        caption: "Targets".to_owned(),
        columns: vec![
            Column::new("roles", Quantity::Words),
            Column::new("target", Quantity::Words),
            Column::new("kind", Quantity::Words),
            Column::new("file system", Quantity::Words),
            Column::new("mount", Quantity::Words),
            Column::new("sector", Quantity::Bytes),
            Column::new("in memory", Quantity::Words),
        ],
        rows: targets.iter().map(row).collect(),
        at_a_glance: false,
    };
    if targets.iter().all(|target| target.roles.is_empty()) {
        table.without_column(0);
    }
    table
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

fn counters_table(devices: &[DeviceCount], is_stated: bool) -> Table {
    let row = |device: &DeviceCount| Row {
        cells: vec![
            Value::Text(device.name.clone()),
            count(device.read_count),
            count(device.read_merge_count),
            count(device.read_bytes),
            count(device.write_count),
            count(device.write_merge_count),
            count(device.write_bytes),
            count(device.flush_count),
            Value::number(device.busy_percent),
        ],
        is_total: false,
    };
    let (reads, writes) = ("reads", "writes");
    let caption = if is_stated {
        "What the tool read from the counters of the devices, over all that ran"
    } else {
        "What the operating system counted at the devices over the measured phase"
    };
    let mut table = Table {
        caption: caption.to_owned(),
        columns: vec![
            Column::new("device", Quantity::Words),
            Column::new("completed", Quantity::Count).under(reads),
            Column::new("merged", Quantity::Count).under(reads),
            Column::new("size", Quantity::Bytes).under(reads),
            Column::new("completed", Quantity::Count).under(writes),
            Column::new("merged", Quantity::Count).under(writes),
            Column::new("size", Quantity::Bytes).under(writes),
            Column::new("flushes", Quantity::Count),
            Column::new("busy", Quantity::Percent),
        ],
        rows: devices.iter().map(row).collect(),
        at_a_glance: false,
    };
    // From the right, so that the places of those that are still to be looked at stay.
    for at in (0..table.columns.len()).rev() {
        if table.rows.iter().all(|row| row.cells[at] == Value::Absent) {
            table.without_column(at);
        }
    }
    table
}

/// The path of the bytes down through the devices.
fn steps_table(steps: &[ChainStep]) -> Table {
    let row = |step: &ChainStep| Row {
        cells: vec![
            Value::Text(match (step.is_from_load(), step.roles.as_slice()) {
                (true, []) => "the load".to_owned(),
                (true, roles) => format!("the load, {}", in_words(roles)),
                (false, _) => step.above.join(", "),
            }),
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

/// Every setting that was in effect, by the plan.
pub(crate) fn load(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let plan = subject.plan?;
    let io = match (plan.direct, plan.polled) {
        (true, true) => "direct, polled",
        (true, false) => "direct",
        (false, _) => "through the page cache",
    };
    let mut facts = vec![
        words("profile", Some(subject.profile())),
        words("form", Some(if plan.quick { "quick" } else { "full" })),
        words("engine", Some(plan.engine.as_str())),
    ];
    facts.extend(plan.engine_reason.as_ref().map(|reason| words("reason for the engine", Some(reason))));
    facts.extend([
        number("threads", Quantity::Count, Value::Count(plan.threads.into())),
        words("I/O", plan.engine.touches_targets().then_some(io)),
        words("phases", Some(phases(plan))),
        words("interval", Some(duration_in_words(plan.interval))),
        number("outstanding I/Os", Quantity::Count, Value::Count(plan.total_iodepth().into())),
        // A seed is an identifier, and commas would make it useless for copying.
        words("seed", Some(plan.seed.to_string())),
        words("thresholds", Some(&summary.verdict.thresholds)),
    ]);
    facts.extend(plan.array_cache.map(cache_of_array));
    facts.extend((!plan.priority.is_normal()).then(|| words("priority", Some(plan.priority.as_str()))));
    facts.extend((!plan.steps.is_empty()).then(|| words("steps", Some(Step::all_in_words(&plan.steps)))));
    if let Some(until) = &plan.until_steady {
        let ended = summary.ended_reason.as_ref().map(|reason| format!("; {reason}"));
        let rounds =
            format!("five rounds of {}{}", duration_in_words(until.round), ended.unwrap_or_default());
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
        let has_roles = subject.targets.iter().any(|target| !target.roles.is_empty());
        blocks.push(Block::Table(areas_table(plan, has_roles)));
    }
    Some(Section { id: "settings", heading: "Settings", note: None, blocks })
}

/// The cache below the targets, as the user gave it.
pub(crate) fn cache_of_array(size: ByteSize) -> Fact {
    number("cache of the array", Quantity::Bytes, Value::Count(size.get()))
}

fn setup_facts(setup: &EngineSetup) -> Vec<Fact> {
    let yes_or_no = |granted: Option<bool>| granted.map(|granted| if granted { "yes" } else { "no" });
    let queues = &setup.queues;
    let mut facts = vec![
        words("clock of the engine", Some(&setup.clock)),
        words("completions of the ring", queues.ring.as_ref()),
        words("registered files", yes_or_no(queues.registered_files)),
        words("registered buffers", yes_or_no(queues.registered_buffers)),
        words("I/Os that are done at once skip the port", yes_or_no(queues.skips_port)),
        words("memory of completions kept locked", yes_or_no(queues.overlapped_range)),
        number("memory of the buffers", Quantity::Bytes, Value::Count(queues.buffers.get())),
        number("buffers on huge pages", Quantity::Bytes, Value::Count(queues.huge_pages.get())),
    ];
    facts.extend(setup.priority.map(|granted| words("priority granted", Some(granted.to_string()))));
    facts
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
    let given = |value: f64| Value::number((value != 0.0).then_some(value));
    // Settings that few devices have are shown only if they are set.
    let rare = [
        number(
            "simulated service time of writes",
            Quantity::LatencyUs,
            Value::number(sim.write_service_time_us),
        ),
        number("simulated crowding", Quantity::Percent, given(100.0 * sim.crowding_share)),
        number("simulated drift a second", Quantity::Percent, given(sim.drift_percent_per_s)),
        number("simulated cap of reads", Quantity::Iops, Value::number(sim.read_iops_cap)),
        number("simulated cap of writes", Quantity::Iops, Value::number(sim.write_iops_cap)),
        number("simulated write cache", Quantity::Bytes, given(sim.write_cache_mib * 1_048_576.0)),
        number("simulated drain of the cache", Quantity::BandwidthMibPerS, given(sim.write_drain_mib_per_s)),
    ];
    facts.extend(rare.into_iter().filter(|fact| fact.value != Value::Absent));
    let times = [("simulated stall", &sim.stalls), ("simulated pause of the host", &sim.host_pauses)];
    facts.extend(times.into_iter().flat_map(|(title, times)| {
        times.iter().map(move |time| {
            words(title, Some(format!("{} s, from second {}", time.duration_s, time.start_s)))
        })
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

/// With the roles whose jobs work there, where roles have targets of their own.
fn areas_table(plan: &Plan, has_roles: bool) -> Table {
    let kind = |kind| match kind {
        AreaKind::ManagedFile => "file made by iotrial",
        AreaKind::GivenFile => "given file",
        AreaKind::DeviceRead => "raw device, read only",
        AreaKind::DeviceDestroy => "raw device, overwritten",
        AreaKind::Imagined => "simulated",
    };
    let row = |(index, area): (usize, &Area)| Row {
        cells: vec![
            Value::Text((index + 1).to_string()),
            Value::Text(area.path.display().to_string()),
            Value::Text(kind(area.kind).to_owned()),
            Value::Count(area.offset.get()),
            Value::Count(area.length.get()),
            Value::Count(area.sector_size.get()),
            Value::text(has_roles.then(|| in_words(&plan.roles_of(index)))),
        ],
        is_total: false,
    };
    let mut table = Table {
        caption: "Areas that the jobs work on".to_owned(),
        columns: vec![
            Column::new("area", Quantity::Words),
            Column::new("path", Quantity::Words),
            Column::new("kind", Quantity::Words),
            Column::new("offset", Quantity::Bytes),
            Column::new("length", Quantity::Bytes),
            Column::new("sector", Quantity::Bytes),
            Column::new("roles", Quantity::Words),
        ],
        rows: plan.areas.iter().enumerate().map(row).collect(),
        at_a_glance: false,
    };
    if !has_roles {
        table.without_column(table.columns.len() - 1);
    }
    table
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
