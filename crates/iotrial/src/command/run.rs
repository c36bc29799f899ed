//! `iotrial run`: one profile on one set of targets, with a verdict and a report at the end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use iotrial_analysis::findings::findings;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_engine::control::Control;
use iotrial_engine::host::host_facts;
use iotrial_engine::run::{self, RunOutcome, uring_refusal};
use iotrial_engine::target::{self, PrepareError, Prepared, ProbedTarget};
use iotrial_model::builtin::builtin_profile;
use iotrial_model::plan::{EngineKind, Plan, PlanError, PlanRequest, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::record::{Ended, EndedHow, Host, Layout, METHOD_VERSION, RECORD_FORMAT, RunRecord, Tool};
use iotrial_model::units::{ByteSize, format_duration};
use ulid::Ulid;

use crate::cli::RunArgs;
use crate::command::dry_run;
use crate::command::report::{Shown, is_file_name, load_thresholds};
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::live::Live;
use crate::signal::control_by_signals;
use crate::store::{JournalWriter, Store, is_block_device};

/// Runs a profile and shows what came of it.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let profile = load_profile(&args.profile)?;
    let thresholds = match &args.thresholds {
        Some(name) => load_thresholds(name, None)?,
        None => load_thresholds(&profile.thresholds, Path::new(&args.profile).parent())?,
    };
    let id = Ulid::generate();
    let host = host_facts();
    let request = plan_request(args, id, &host)?;
    let probed = probe_targets(args, request.engine)?;
    let mut facts: Vec<TargetFacts> = probed.iter().map(|target| target.facts.clone()).collect();
    if !request.engine.touches_targets() {
        facts.push(imagined_target(request.engine));
    }
    let plan = Plan::decide(&profile, &request, &facts).map_err(plan_failure)?;
    let layout = target::rehearse(&plan, &probed).map_err(prepare_failure)?;
    if args.dry_run {
        dry_run::print(&plan, &layout, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(html) = &args.html {
        check_is_writable(html)?;
    }
    let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
    let record = begin_record(args, id, &profile, &thresholds, host, &probed, plan);
    let trial = Trial { args, store, thresholds, layout, live: Live::new(args.quiet) };
    trial.carry_out(record, &probed)
}

/// A built-in profile, or the one in a file.
pub fn load_profile(name: &str) -> Result<Profile, Failure> {
    let text = if is_file_name(name) {
        std::fs::read_to_string(name).with_context(|| format!("cannot read the profile `{name}`")).map_err(
            |error| Failure::input(error).hint("`iotrial profiles` lists the built-in ones".to_owned()),
        )?
    } else {
        let builtin = builtin_profile(name).map_err(|error| {
            let hint = match error.nearest {
                Some(near) => {
                    format!("did you mean `{near}`? A file is given with its path, such as ./mine.toml")
                }
                None => "a file is given with its path, such as ./mine.toml".to_owned(),
            };
            Failure::input(error).hint(hint)
        })?;
        builtin.text.to_owned()
    };
    Profile::parse(&text)
        .with_context(|| format!("`{name}` is not a valid profile"))
        .map_err(|error| Failure::input(error).hint("docs/profiles.md describes every key".to_owned()))
}

fn plan_request(args: &RunArgs, id: Ulid, host: &Host) -> Result<PlanRequest, Failure> {
    let (engine, engine_reason) = choose_engine(args)?;
    if args.sim.is_some() && engine != EngineKind::Sim {
        let error =
            anyhow::anyhow!("--sim describes a simulated device, and the engine is `{}`", engine.as_str());
        return Err(Failure::input(error).hint("add --engine sim".to_owned()));
    }
    for (position, (key, _)) in args.attributes.iter().enumerate() {
        if args.attributes[..position].iter().any(|(earlier, _)| earlier == key) {
            return Err(Failure::input(anyhow::anyhow!("the attribute `{key}` is given twice")));
        }
    }
    if args.size.is_some_and(|size| size.get() == 0) {
        let hint = "give a size such as 2GiB, or leave it out".to_owned();
        return Err(Failure::input(anyhow::anyhow!("--size must be more than zero")).hint(hint));
    }
    Ok(PlanRequest {
        full: args.full,
        size: args.size,
        measure: args.duration,
        ramp: args.ramp,
        engine,
        engine_reason,
        sim: args.sim.clone().unwrap_or_default(),
        direct: !args.buffered,
        seed: args.seed.unwrap_or_else(|| seed_of(id)),
        cpu_count: host.cpu_count,
        memory: host.memory,
    })
}

/// Another one each time: the random part of the id.
fn seed_of(id: Ulid) -> u64 {
    u64::try_from(id.random() & u128::from(u32::MAX)).expect("32 bits")
}

/// The engine that runs, and why it is not the usual one.
fn choose_engine(args: &RunArgs) -> Result<(EngineKind, Option<String>), Failure> {
    let asked = args.engine.map(EngineKind::from);
    match (asked, uring_refusal()) {
        (Some(EngineKind::Uring), Some(refusal)) => {
            let hint = "leave --engine out, and iotrial takes `threads`".to_owned();
            Err(Failure::execution(anyhow::anyhow!("the `uring` engine cannot run here: {refusal}"))
                .hint(hint))
        }
        (None, Some(refusal)) => {
            Ok((EngineKind::Threads, Some(format!("`threads` took the place of `uring`: {refusal}"))))
        }
        (None, None) => Ok((EngineKind::Uring, None)),
        (Some(engine), _) => Ok((engine, None)),
    }
}

/// Looks at every target; a raw device is looked at again with the token that is meant for it.
fn probe_targets(args: &RunArgs, engine: EngineKind) -> Result<Vec<ProbedTarget>, Failure> {
    if !engine.touches_targets() {
        return Ok(Vec::new());
    }
    let protected: Vec<PathBuf> = Store::locate(args.store.store.as_deref()).into_iter().collect();
    let probe = |path: &Path, token: Option<&str>| {
        target::probe(path, token, &protected).map_err(|error| {
            let hint = error.hint();
            Failure::execution(error).hint(hint)
        })
    };
    let mut tokens = args.destroy.iter();
    let mut probed = Vec::new();
    for path in &args.targets {
        let first = probe(path, None)?;
        let token = if matches!(first.facts.kind, TargetKind::Device { .. }) { tokens.next() } else { None };
        probed.push(match token {
            Some(token) => probe(path, Some(token))?,
            None => first,
        });
    }
    if tokens.next().is_some() {
        let error = anyhow::anyhow!("there are more --destroy tokens than raw devices among the targets");
        return Err(Failure::input(error)
            .hint("a token belongs to the device that `iotrial target` showed".to_owned()));
    }
    Ok(probed)
}

/// What engines that touch nothing are told of their target.
fn imagined_target(engine: EngineKind) -> TargetFacts {
    TargetFacts {
        path: engine.as_str().into(),
        kind: TargetKind::Imagined,
        sector_size: ByteSize::bytes(512),
    }
}

fn prepare_failure(error: PrepareError) -> Failure {
    let hint = error.hint();
    Failure::execution(error).hint(hint)
}

/// Whether a file can be written there: better known before a long run than after it.
fn check_is_writable(path: &Path) -> Result<(), Failure> {
    let existed = path.exists();
    if existed && !path.is_file() && !path.is_dir() {
        if is_block_device(path).is_ok_and(|is_block_device| is_block_device) {
            let error = anyhow::anyhow!("`{}` is a block device, and holds data", path.display());
            return Err(Failure::input(error).hint("give the name of a file".to_owned()));
        }
        // A pipe waits for its reader, and a device is left alone until there is something to write.
        return Ok(());
    }
    let opened = File::options().append(true).create(true).open(path);
    opened.with_context(|| format!("cannot write `{}`", path.display())).map_err(Failure::input)?;
    if !existed {
        let removed = std::fs::remove_file(path);
        removed.with_context(|| format!("cannot remove `{}`", path.display())).map_err(Failure::execution)?;
    }
    Ok(())
}

fn plan_failure(error: PlanError) -> Failure {
    match &error {
        PlanError::NoSpace { usable, .. } => {
            let smaller =
                if usable.get() > 0 { "give a smaller --size, or" } else { "free some space, or give" };
            let hint = format!("{smaller} another --target");
            Failure::execution(error).hint(hint)
        }
        PlanError::SizeTooSmall { .. } => Failure::input(error).hint("give a larger --size".to_owned()),
        PlanError::Misaligned { sector_size, .. } => {
            let hint = format!("use block sizes that are multiples of {sector_size}, or --buffered");
            Failure::input(error).hint(hint)
        }
        PlanError::DeviceNotReleased { path, .. } => {
            let hint = format!(
                "`iotrial target {}` shows what is on it, and the token for --destroy",
                path.display()
            );
            Failure::input(error).hint(hint)
        }
        PlanError::BeyondEnd { .. } => {
            Failure::input(error).hint("give a smaller --size, or leave it out".to_owned())
        }
        PlanError::SameTarget { .. } => {
            Failure::input(error).hint("each target gets files of its own".to_owned())
        }
        PlanError::TooDeep { .. } | PlanError::TooMuchMemory { .. } => {
            Failure::input(error).hint("lower iodepth, numjobs or block_size in the profile".to_owned())
        }
        PlanError::NoTarget | PlanError::NoDuration | PlanError::TooLong => Failure::input(error),
    }
}

fn begin_record(
    args: &RunArgs,
    id: Ulid,
    profile: &Profile,
    thresholds: &ThresholdSet,
    host: Host,
    probed: &[ProbedTarget],
    plan: Plan,
) -> RunRecord {
    RunRecord {
        format: RECORD_FORMAT.to_owned(),
        id: id.to_string(),
        label: args.label.clone().filter(|label| !label.trim().is_empty()),
        attributes: args.attributes.iter().cloned().collect(),
        tool: Tool {
            name: "iotrial".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method_version: METHOD_VERSION,
        },
        started_at: jiff::Timestamp::now().to_string(),
        host,
        targets: probed.iter().map(|one| one.record.clone()).collect(),
        profile: profile.text.clone(),
        thresholds: thresholds.text.clone(),
        plan,
        layout: None,
        jobs: Vec::new(),
        intervals: Vec::new(),
        cpu: None,
        devices: Vec::new(),
        findings: Vec::new(),
        ended: Ended { how: EndedHow::Interrupted, reason: None },
    }
}

/// A run from the first byte written to the last line shown.
struct Trial<'a> {
    args: &'a RunArgs,
    store: Store,
    thresholds: ThresholdSet,
    /// What the layout will do.
    layout: Layout,
    live: Live,
}

impl Trial<'_> {
    fn carry_out(mut self, mut record: RunRecord, probed: &[ProbedTarget]) -> Result<ExitCode, Failure> {
        let control = control_by_signals().context("cannot catch Ctrl-C").map_err(Failure::execution)?;
        for note in &record.plan.notes {
            self.live.say(&format!("note: {note}"));
        }
        let mut journal = self.store.begin(&record).map_err(Failure::execution)?;
        let prepared = match self.prepare(&record.plan, probed, &control) {
            Ok(prepared) => prepared,
            Err(PrepareError::Interrupted) => {
                record.ended.reason =
                    Some("stopped while the files were laid out; nothing was measured".to_owned());
                return self.close(record, journal);
            }
            Err(error) => {
                self.live.finish();
                journal.discard().context("cannot remove the journal").map_err(Failure::execution)?;
                return Err(prepare_failure(error));
            }
        };
        record.layout = prepared.as_ref().and_then(|prepared| prepared.layout);
        journal.record(&record).map_err(Failure::execution)?;
        let outcome = match self.load(&record, prepared.as_ref(), &control, &mut journal) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.live.finish();
                journal.discard().context("cannot remove the journal").map_err(Failure::execution)?;
                return Err(error);
            }
        };
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &outcome.intervals);
        record.intervals = outcome.intervals;
        record.cpu = outcome.cpu;
        record.devices = outcome.devices;
        record.ended = outcome.ended;
        let keep_files = self.args.keep_files;
        // The record and the figures come first: files that cannot be removed must not cost the measurement.
        let closed = self.close(record, journal);
        if let Some(prepared) = prepared {
            if keep_files {
                prepared.keep_made();
            } else {
                prepared
                    .remove_made()
                    .context("cannot remove the files of this run")
                    .map_err(Failure::execution)?;
            }
        }
        closed
    }

    /// Lays the files out; nothing for engines that touch none.
    fn prepare(
        &self,
        plan: &Plan,
        probed: &[ProbedTarget],
        control: &Control,
    ) -> Result<Option<Prepared>, PrepareError> {
        if !plan.engine.touches_targets() {
            return Ok(None);
        }
        let Layout { written, reused, .. } = self.layout;
        let and_reused = if reused.get() > 0 { format!(", reuses {reused}") } else { String::new() };
        let time = format_duration(plan.duration());
        self.live.say(&format!("lays out {written}{and_reused}, then runs {time}"));
        let progress = |done, total| self.live.layout(done, total);
        target::prepare(plan, probed, &progress, &|| control.is_stopping()).map(Some)
    }

    fn load(
        &mut self,
        record: &RunRecord,
        prepared: Option<&Prepared>,
        control: &Arc<Control>,
        journal: &mut JournalWriter,
    ) -> Result<RunOutcome, Failure> {
        let files = prepared.map(|prepared| prepared.areas.iter().map(File::try_clone).collect());
        let areas: Vec<File> = files
            .unwrap_or(Ok(Vec::new()))
            .context("cannot open the files again")
            .map_err(Failure::execution)?;
        let devices = record.targets.iter().flat_map(|target| &target.devices);
        let mut device_names: Vec<String> = Vec::new();
        for device in devices {
            if !device_names.contains(&device.name) {
                device_names.push(device.name.clone());
            }
        }
        self.live.start(&record.plan);
        let live = &self.live;
        let mut journal_error = None;
        let plan = Arc::new(record.plan.clone());
        let outcome = run::run(&plan, &areas.into(), &device_names, control, &mut |interval| {
            live.interval(&plan, interval);
            if let Err(error) = journal.interval(interval) {
                // The figures are still in memory; the run goes on and the end says what was lost.
                journal_error.get_or_insert(error);
            }
        });
        if let Some(error) = journal_error {
            self.live.say(&format!("warning: {error:#}; a crash would have lost the run"));
        }
        outcome.map_err(Failure::execution)
    }

    /// Writes the record and the report, and shows them.
    fn close(self, mut record: RunRecord, journal: JournalWriter) -> Result<ExitCode, Failure> {
        if record.jobs.is_empty() {
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        }
        record.findings = findings(&record);
        self.live.finish();
        let record_path = self.store.finish(&record, journal).map_err(Failure::execution)?;
        let shown = Shown::new(&record, &self.thresholds);
        let html_path = match &self.args.html {
            Some(path) => path.clone(),
            None => self.store.folder().join(format!("{}.html", record.id)),
        };
        let ended = record.ended.how;
        // The figures come first: whatever is wrong with the report must not hide them.
        let written = shown.write_html(&html_path);
        shown.print(self.args.json, &record_path, Some(html_path.as_path()).filter(|_| written.is_ok()))?;
        written?;
        Ok(if ended == EndedHow::Complete { shown.exit_code() } else { ExitCode::from(NOT_CARRIED_OUT) })
    }
}
