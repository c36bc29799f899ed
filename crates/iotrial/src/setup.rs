//! The setup of a load: what was asked, what the targets are, and what was decided of both. Nothing is touched yet.

use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_engine::polling;
use iotrial_engine::run::uring_refusal;
use iotrial_engine::targets::{self, PrepareError, ProbedTarget};
use iotrial_measure::host::host_facts;
use iotrial_model::builtin::builtin_profile;
use iotrial_model::plan::{EngineKind, Plan, PlanError, PlanRequest, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::record::{
    Ended, EndedHow, Host, Layout, METHOD_VERSION, RECORD_FORMAT, RunRecord, StudyPlace, Tool,
};
use iotrial_model::units::{ByteSize, format_duration};
use ulid::Ulid;

use crate::cli::{LoadArgs, RigArgs};
use crate::command::report::{is_file_name, load_thresholds};
use crate::failure::Failure;
use crate::store::Store;

/// A load that could begin: everything is read, looked at and decided.
pub struct Setup {
    /// The profile on the targets.
    pub plan: Plan,
    /// What the layout will do.
    pub layout: Layout,
    /// What judges.
    pub thresholds: ThresholdSet,
    profile: Profile,
    host: Host,
    /// As they were found; none where the engine touches no target.
    pub probed: Vec<ProbedTarget>,
    /// The place in the study that the load is a part of.
    pub study: Option<StudyPlace>,
}

impl Setup {
    /// Reads the profile, looks at the targets, decides, and rehearses the layout.
    pub fn of(args: &LoadArgs) -> Result<Self, Failure> {
        let profile = load_profile(&args.profile)?;
        let thresholds = match &args.thresholds {
            Some(name) => load_thresholds(name, None)?,
            None => load_thresholds(&profile.thresholds, Path::new(&args.profile).parent())?,
        };
        Self::with(args, profile, thresholds)
    }

    /// The same with a profile and a threshold set that are at hand; those that `args` names are not looked at.
    pub fn with(args: &LoadArgs, profile: Profile, thresholds: ThresholdSet) -> Result<Self, Failure> {
        let host = host_facts();
        let request = plan_request(args, &host)?;
        let probed = probe_targets(&args.rig, request.engine)?;
        let mut facts: Vec<TargetFacts> = probed.iter().map(|target| target.facts.clone()).collect();
        if !request.engine.touches_targets() {
            facts.push(imagined_target(request.engine));
        }
        let plan = Plan::decide(&profile, &request, &facts).map_err(plan_failure)?;
        if plan.polled {
            polling::check_polling(&probed).map_err(|error| {
                let hint = "leave --polled out: databases wait for interrupts too".to_owned();
                Failure::execution(error).hint(hint)
            })?;
        }
        let layout = targets::rehearse(&plan, &probed).map_err(prepare_failure)?;
        Ok(Self { plan, layout, thresholds, profile, host, probed, study: None })
    }

    /// The record of a run of `plan`, as far as it is known before the load.
    pub fn record(&self, args: &RigArgs, plan: Plan) -> RunRecord {
        RunRecord {
            format: RECORD_FORMAT.to_owned(),
            id: Ulid::generate().to_string(),
            label: args.label.clone().filter(|label| !label.trim().is_empty()),
            attributes: args.attributes.iter().cloned().collect(),
            tool: Tool {
                name: "iotrial".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                method_version: METHOD_VERSION,
            },
            started_at: jiff::Timestamp::now().to_string(),
            study: self.study.clone(),
            host: self.host.clone(),
            targets: self.probed.iter().map(|one| one.record.clone()).collect(),
            profile: self.profile.text.clone(),
            thresholds: self.thresholds.text.clone(),
            plan,
            layout: None,
            jobs: Vec::new(),
            intervals: Vec::new(),
            engine_setup: None,
            cpu: None,
            devices: Vec::new(),
            search: None,
            findings: Vec::new(),
            ended: Ended { how: EndedHow::Interrupted, reason: None },
        }
    }
}

/// The plan of a load on a target that nobody has looked at: only its times and the shape of its jobs can be relied upon.
pub fn unseen_plan(args: &LoadArgs, profile: &Profile) -> Result<Plan, Failure> {
    let request = plan_request(args, &host_facts())?;
    let target = imagined_target(request.engine);
    Plan::decide(profile, &request, &[target]).map_err(plan_failure)
}

/// A built-in profile, or the one in a file.
pub fn load_profile(name: &str) -> Result<Profile, Failure> {
    load_profile_from(Path::new(""), name)
}

/// A built-in profile, or the one in a file, whose path counts from `folder`.
pub fn load_profile_from(folder: &Path, name: &str) -> Result<Profile, Failure> {
    let text = if is_file_name(name) {
        std::fs::read_to_string(folder.join(name))
            .with_context(|| format!("cannot read the profile `{name}`"))
            .map_err(|error| {
                Failure::input(error).hint("`iotrial profiles` lists the built-in ones".to_owned())
            })?
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

fn plan_request(args: &LoadArgs, host: &Host) -> Result<PlanRequest, Failure> {
    let (engine, engine_reason) = choose_engine(&args.rig)?;
    if args.rig.sim.is_some() && engine != EngineKind::Sim {
        let error =
            anyhow::anyhow!("--sim describes a simulated device, and the engine is `{}`", engine.as_str());
        return Err(Failure::input(error).hint("add --engine sim".to_owned()));
    }
    for (position, (key, _)) in args.rig.attributes.iter().enumerate() {
        if args.rig.attributes[..position].iter().any(|(earlier, _)| earlier == key) {
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
        sim: args.rig.sim.clone().unwrap_or_default(),
        direct: !args.rig.buffered,
        polled: args.rig.polled,
        seed: args.rig.seed.unwrap_or_else(any_seed),
        cpu_count: host.cpu_count,
        memory: host.memory,
    })
}

/// Another one each time: of the random part of an id.
fn any_seed() -> u64 {
    u64::try_from(Ulid::generate().random() & u128::from(u32::MAX)).expect("32 bits")
}

/// The engine that runs, and why it is not the usual one.
fn choose_engine(args: &RigArgs) -> Result<(EngineKind, Option<String>), Failure> {
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
fn probe_targets(args: &RigArgs, engine: EngineKind) -> Result<Vec<ProbedTarget>, Failure> {
    if !engine.touches_targets() {
        return Ok(Vec::new());
    }
    let protected: Vec<PathBuf> = Store::locate(args.store.store.as_deref()).into_iter().collect();
    let probe = |path: &Path, token: Option<&str>| {
        targets::probe(path, token, &protected).map_err(|error| {
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

/// With the hint of the engine.
pub fn prepare_failure(error: PrepareError) -> Failure {
    let hint = error.hint();
    Failure::execution(error).hint(hint)
}

/// With what the user can do.
pub fn plan_failure(error: PlanError) -> Failure {
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
        PlanError::PartOfPeriod { whole, .. } => {
            let hint = format!("give --duration {}, or a larger multiple", format_duration(*whole));
            Failure::input(error).hint(hint)
        }
        PlanError::BurstsApart => {
            let hint = "give the bursts of all jobs the same period".to_owned();
            Failure::input(error).hint(hint)
        }
        PlanError::LimitTooShort { .. } => {
            Failure::input(error).hint("give a longer limit, or a shorter --duration".to_owned())
        }
        PlanError::PolledEngine { .. } | PlanError::PolledBuffered => {
            Failure::input(error).hint("--polled goes with direct I/O by the `uring` engine".to_owned())
        }
        PlanError::PolledDurable { .. } => {
            let hint = "leave --polled out, or take durability out of the profile".to_owned();
            Failure::input(error).hint(hint)
        }
        PlanError::NoTarget | PlanError::NoDuration | PlanError::TooLong => Failure::input(error),
    }
}
