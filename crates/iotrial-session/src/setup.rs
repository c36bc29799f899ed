//! The setup of a load: what was asked, what the targets are, and what was decided of both. Nothing is touched yet.

use std::path::{Path, PathBuf};
use std::time::Duration;

use iotrial_analysis::rate_search::{Limits, RateSearch, SearchError};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_engine::polling::{self, PollingError};
use iotrial_engine::priority::{PriorityError, check_priority};
use iotrial_engine::run::refusal_of;
use iotrial_engine::targets::{self, PrepareError, ProbeError, ProbedTarget};
use iotrial_host::machine::machine;
use iotrial_model::application::ApplicationMetrics;
use iotrial_model::content::{Checksum, digest_of_toml};
use iotrial_model::given_target::{DealError, GivenTarget};
use iotrial_model::load::Role;
use iotrial_model::need::Need;
use iotrial_model::plan::{
    EngineKind, FreeSpace, IO_DEADLINE, Plan, PlanError, PlanRequest, TargetFacts, TargetKind,
};
use iotrial_model::profile::{Profile, RolesError};
use iotrial_model::record::{
    ContentDigests, Ended, EndedHow, Host, HostActivity, Layout, METHOD_VERSION, RECORD_FORMAT, RunRecord,
    StudyPlace, TargetRecord, Tool,
};
use iotrial_model::target::NoSpace;
use iotrial_model::units::{ByteSize, format_duration};
use ulid::Ulid;

use crate::fault::Fault;
use crate::host_check::{CheckError, ask_cloud, host_below, load_rules};
use crate::host_warning::SeenHost;
use crate::judged_profile::JudgedProfile;
use crate::read_files;
use crate::request::{Aim, LoadRequest, RigRequest};
use crate::store::Store;
use crate::wall_clock::now;

/// What a layout is expected to write in a second.
// A choice: what the smaller volumes of the clouds do, and half of what any flash disk does. Nobody can know before the first byte,
// and writing some to find out would take as long as it is worth.
const LAYOUT_PER_S: ByteSize = ByteSize::mib(100);

/// A load that could begin: everything is read, looked at and decided.
pub struct Setup {
    /// The profile on the targets.
    pub plan: Plan,
    /// What the layout will do.
    pub layout: Layout,
    /// The set that the record is judged by; its text becomes a part of the record.
    pub thresholds: ThresholdSet,
    /// The search for a rate that the load is made for.
    pub search: Option<RateSearch>,
    /// The place in the study that the load is a part of.
    pub study: Option<StudyPlace>,
    /// The targets as they were found; none where the engine touches no target.
    pub probed: Vec<ProbedTarget>,
    /// Figures of an application that are known before the load.
    pub(crate) metrics: ApplicationMetrics,
    /// Commands that print such figures after it, by name, and where they run.
    pub(crate) metric_commands: (Vec<(String, String)>, PathBuf),
    pub(crate) request: RigRequest,
    pub(crate) host: Host,
    /// What was read of the host and of what is below the targets; `None` where the engine touches none.
    pub(crate) seen_host: Option<SeenHost>,
    /// What other programs did before the load; `None` where nobody looked.
    pub(crate) host_activity: Option<HostActivity>,
    profile: Profile,
}

/// Why a load could not begin.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The engine that was asked for is not to be had.
    #[error("the `{engine}` engine cannot run here: {refusal}")]
    NoEngine {
        /// As it was asked for: `uring`.
        engine: &'static str,
        /// What the operating system says.
        refusal: String,
    },
    /// A simulated device was described for another engine.
    #[error("--sim describes a simulated device, but the engine is `{engine}`")]
    NotSimulated {
        /// The engine that was asked for, or the usual one of this system.
        engine: &'static str,
    },
    /// A target cannot be one.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Tokens are left over.
    #[error("there are more --destroy tokens than raw devices among the targets")]
    SpareTokens,
    /// Targets and roles do not go together.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// The profile does not fit the targets.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The devices cannot be polled.
    #[error(transparent)]
    Polling(#[from] PollingError),
    /// The load may not have the priority that is asked for.
    #[error(transparent)]
    Priority(#[from] PriorityError),
    /// The files could not be laid out.
    #[error(transparent)]
    Layout(#[from] PrepareError),
    /// The need names a role that the profile does not have.
    #[error(transparent)]
    Roles(RolesError),
    /// The rate cannot be searched for.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The rules for the host cannot be read.
    #[error(transparent)]
    Rules(#[from] CheckError),
}

impl Fault for SetupError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::NotSimulated { .. } | Self::SpareTokens | Self::Deal(_) | Self::Roles(_) => true,
            Self::NoEngine { .. } | Self::Polling(_) | Self::Priority(_) | Self::Layout(_) => false,
            Self::Probe(error) => error.is_of_input(),
            // The only one of them that more room would mend.
            Self::Plan(error) => !matches!(error, PlanError::NoSpace { .. }),
            Self::Search(error) => is_of_input(error),
            Self::Rules(error) => error.is_of_input(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoEngine { .. } => {
                let usual = EngineKind::usual_on(std::env::consts::OS);
                let may_run = refusal_of(usual).is_none();
                let other = if may_run { usual } else { EngineKind::EVERYWHERE }.as_str();
                Some(format!("leave --engine out, and iotrial takes `{other}`"))
            }
            Self::NotSimulated { .. } => Some("add --engine sim".to_owned()),
            Self::SpareTokens => {
                Some("a token belongs to the device that `iotrial target` showed".to_owned())
            }
            Self::Polling(_) => Some("leave --polled out: databases wait for interrupts too".to_owned()),
            Self::Priority(error) => Some(error.hint().to_owned()),
            Self::Probe(error) => error.hint(),
            Self::Layout(error) => error.hint(),
            Self::Plan(error) => plan_hint(error),
            Self::Deal(error) => Some(deal_hint(error)),
            Self::Roles(_) => Some("`iotrial profiles NAME` shows the jobs and their roles".to_owned()),
            Self::Search(error) => search_hint(error),
            Self::Rules(error) => error.hint(),
        }
    }
}

impl Setup {
    /// Looks at the targets, decides, and rehearses the layout.
    ///
    /// # Errors
    ///
    /// Whatever would keep the load from beginning, as far as it can be known now.
    pub fn new(load: JudgedProfile, request: &LoadRequest) -> Result<Self, SetupError> {
        // By the profile as it is written: a role that the need leaves out is no mistake among the targets.
        let roles = GivenTarget::deal(&request.rig.targets, &load.profile)?;
        Self::decide(load, request, roles)
    }

    /// The same for a load that lies on each target, whatever the targets are called.
    pub(crate) fn of_volumes(load: JudgedProfile, request: &LoadRequest) -> Result<Self, SetupError> {
        Self::decide(load, request, vec![Vec::new(); request.rig.targets.len()])
    }

    /// `roles` are those whose files lie on each of the targets.
    fn decide(load: JudgedProfile, request: &LoadRequest, roles: Vec<Vec<Role>>) -> Result<Self, SetupError> {
        let JudgedProfile { mut profile, thresholds } = load;
        keep_needed(&mut profile, &request.aim)?;
        let host_rules = load_rules(&request.rig.host.rules)?;
        // The order is that of what each step needs: the engine decides whether targets are looked at, what they are decides the
        // plan, and only a plan can be rehearsed. Nothing is written before all of it went well.
        let host = machine();
        let asked = plan_request(request, &host)?;
        check_priority(asked.priority)?;
        let mut probed = probe_targets(&request.rig, asked.engine, roles)?;
        // Behind the tokens, which are dealt out by position among all that was given.
        probed.retain(|target| !is_left_out(target, &profile));
        let mut facts: Vec<TargetFacts> = probed.iter().map(|target| target.facts.clone()).collect();
        if !asked.engine.touches_targets() {
            facts.push(imagined_target(asked.engine));
        }
        let mut plan = Plan::decide(&profile, &asked, &facts)?;
        if let Aim::Verify { io_deadline, map_memory } = request.aim {
            let map_memory = map_memory.or(asked.memory.map(Plan::map_memory_of));
            plan = plan.without_steps().verified(map_memory, io_deadline.unwrap_or(IO_DEADLINE))?;
        }
        if plan.polled {
            polling::check_polling(&probed)?;
        }
        // Of the plan with the profile's own times: what follows changes how long it runs, and not one file.
        let layout = targets::rehearse(&plan, &probed)?;
        // Before the search, whose loads are made of the plan with its notes.
        let mut seen_host = None;
        if plan.engine.touches_targets()
            && let Some(mut report) = host_below(probed.iter().map(|target| target.facts.path.as_path()))
        {
            if let Some(service) = request.rig.host.cloud {
                plan.notes.extend(ask_cloud(&mut report, service));
            }
            let own_rules = request.rig.host.rules.clone();
            seen_host = Some(SeenHost { report, rules: host_rules, own_rules });
        }
        let mut search = None;
        let by_thresholds = || Limits::Thresholds(thresholds.clone());
        match &request.aim {
            Aim::Figures | Aim::Verify { .. } => {}
            // A load whose rates are all given is judged at them, one that nothing limits is not judged.
            Aim::Usual if profile.closed || profile.has_own_rate() || !plan.engine.has_device() => {}
            // Steps say how much load there is when.
            Aim::Usual if !plan.steps.is_empty() => {}
            Aim::Usual => search = RateSearch::new(by_thresholds(), None, plan.clone()).ok(),
            Aim::Steady { limit } => plan = plan.until_steady(*limit)?,
            Aim::Capacity { limit, need } => {
                let limits = limit.map_or_else(by_thresholds, Limits::Latency);
                // Steps that were asked for with the need are shares of it; those of the profile are of its own load.
                if request.staircase.is_empty() {
                    plan = plan.without_steps();
                }
                search = Some(RateSearch::new(limits, need.clone(), plan.clone())?);
            }
        }
        let metrics = request.metrics.clone();
        let metric_commands = (request.metric_commands.clone(), request.command_folder.clone());
        let request = request.rig.clone();
        Ok(Self {
            plan,
            layout,
            thresholds,
            search,
            study: None,
            metrics,
            metric_commands,
            request,
            host,
            seen_host,
            host_activity: None,
            probed,
            profile,
        })
    }

    /// How long laying the files out is expected to take: a guess, which the time of the whole run is told with.
    pub fn expected_layout_time(&self) -> Duration {
        Duration::from_secs(self.layout.written.get().div_ceil(LAYOUT_PER_S.get()))
    }

    /// All that the run is expected to take, its layout included: of a search the most that it takes.
    pub fn expected_time(&self) -> Duration {
        let layout = self.expected_layout_time();
        self.search.as_ref().map_or_else(|| layout + self.plan.duration(), |search| search.whole_time(layout))
    }

    /// The targets, as they will stand in the record.
    pub fn targets(&self) -> Vec<TargetRecord> {
        self.probed.iter().map(|one| one.record.clone()).collect()
    }

    /// The record of a run of `plan`, as far as it is known before the load.
    pub(crate) fn record(&self, plan: Plan) -> RunRecord {
        let RigRequest { label, attributes, .. } = &self.request;
        RunRecord {
            format: RECORD_FORMAT.to_owned(),
            id: Ulid::generate().to_string(),
            // `--label "$NAME"` of a script that has no NAME is no label, and not one that many records share.
            label: label.clone().filter(|label| !label.trim().is_empty()),
            attributes: attributes.clone(),
            tool: Tool {
                name: "iotrial".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                method_version: METHOD_VERSION,
            },
            started_at: now().to_string(),
            study: self.study.clone(),
            anonymous: self.request.anonymous,
            host: self.host.clone(),
            host_facts: None,
            host_activity: self.host_activity.clone(),
            targets: self.targets(),
            profile: self.profile.text.clone(),
            thresholds: self.thresholds.text.clone(),
            plan,
            layout: None,
            jobs: Vec::new(),
            steps: Vec::new(),
            intervals: Vec::new(),
            engine_setup: None,
            cpu: None,
            devices: Vec::new(),
            pauses: Vec::new(),
            search: None,
            verification: None,
            metrics: self.metrics.clone(),
            metric_failures: Vec::new(),
            findings: Vec::new(),
            // Until it has ended: a record that a crash leaves must not say anything else.
            ended: Ended { how: EndedHow::Interrupted, reason: None },
            content_sha256: Some(ContentDigests {
                profile: digest_of_toml(&self.profile.text).unwrap_or_default(),
                thresholds: self.thresholds.sha256.clone(),
                rules: self.seen_host.as_ref().map(|seen| seen.rules.sha256.clone()),
            }),
            checksum: Checksum::Absent,
        }
        .with_host_facts(self.seen_host.as_ref().map(|seen| seen.report.clone()))
    }
}

/// The plan of a load on a target that nobody has looked at: only its times and the shape of its jobs can be relied upon.
pub(crate) fn unseen_plan(request: &LoadRequest, profile: &Profile) -> Result<Plan, SetupError> {
    let asked = plan_request(request, &machine())?;
    let mut profile = profile.clone();
    keep_needed(&mut profile, &request.aim)?;
    let mut target = imagined_target(asked.engine);
    if asked.engine.touches_targets() {
        // Most are directories, and how much is free there will be seen.
        let endless = ByteSize::bytes(u64::MAX / 2);
        target.kind = TargetKind::Directory(FreeSpace {
            filesystem_id: 0,
            capacity: endless,
            available: endless,
            kept: Vec::new(),
        });
    }
    Ok(Plan::decide(&profile, &asked, &[target])?)
}

/// Leaves only the roles that a need by role names: what nobody needs is not laid out either.
fn keep_needed(profile: &mut Profile, aim: &Aim) -> Result<(), SetupError> {
    let Aim::Capacity { need: Some(Need::ByRole(roles)), .. } = aim else { return Ok(()) };
    let needed: Vec<Role> = roles.iter().filter(|(_, iops)| *iops > 0.0).map(|(role, _)| *role).collect();
    profile.keep_roles(&needed).map_err(SetupError::Roles)
}

fn plan_request(request: &LoadRequest, host: &Host) -> Result<PlanRequest, SetupError> {
    let rig = &request.rig;
    let (engine, engine_reason) = choose_engine(rig.engine)?;
    if rig.sim.is_some() && !engine.is_simulated() {
        return Err(SetupError::NotSimulated { engine: engine.as_str() });
    }
    Ok(PlanRequest {
        full: request.full,
        size: request.size,
        array_cache: request.array_cache,
        measure: request.duration,
        ramp: request.ramp,
        staircase: request.staircase.clone(),
        need: match &request.aim {
            Aim::Capacity { need, .. } => need.clone(),
            Aim::Usual | Aim::Figures | Aim::Verify { .. } | Aim::Steady { .. } => None,
        },
        engine,
        engine_reason,
        sim: rig.sim.clone().unwrap_or_default(),
        direct: !rig.buffered,
        polled: rig.polled,
        priority: rig.priority,
        seed: rig.seed.unwrap_or_else(any_seed),
        cpu_count: host.cpu_count,
        memory: host.memory,
    })
}

/// Another one each time: of the random part of an id.
fn any_seed() -> u64 {
    // 32 bits, because people type a seed again and JSON readers keep only 53 bits of a number.
    u64::try_from(Ulid::generate().random() & u128::from(u32::MAX)).expect("32 bits")
}

/// The engine that runs, and why it is not the usual one.
fn choose_engine(asked: Option<EngineKind>) -> Result<(EngineKind, Option<String>), SetupError> {
    let usual = EngineKind::usual_on(std::env::consts::OS);
    let engine = asked.unwrap_or(usual);
    match refusal_of(engine) {
        None => Ok((engine, None)),
        // Whoever asked for an engine wants to know what it does: another one in its place would answer a question that nobody
        // had.
        Some(refusal) if asked.is_some() => Err(SetupError::NoEngine { engine: engine.as_str(), refusal }),
        Some(refusal) => {
            let other = EngineKind::EVERYWHERE;
            Ok((
                other,
                Some(format!("`{}` took the place of `{}`: {refusal}", other.as_str(), engine.as_str())),
            ))
        }
    }
}

/// Looks at every target; a raw device is looked at again with the token that is meant for it. A place that is given for several roles
/// is one target.
fn probe_targets(
    request: &RigRequest,
    engine: EngineKind,
    roles: Vec<Vec<Role>>,
) -> Result<Vec<ProbedTarget>, SetupError> {
    if !engine.touches_targets() {
        return Ok(Vec::new());
    }
    // The store itself: a raw device that holds it would take its records with it.
    let protected: Vec<PathBuf> = Store::locate(request.store.as_deref()).into_iter().collect();
    let probe = |path: &Path, token: Option<&str>| targets::probe(path, token, &protected);
    let mut tokens = request.destroy.iter();
    let mut probed: Vec<ProbedTarget> = Vec::new();
    for (GivenTarget { roles: names, path }, roles) in request.targets.iter().zip(roles) {
        // Without a token first: only then is it known whether the next token is meant for it.
        let first = probe(path, None)?;
        // What is for all roles without a target of their own is, in a record, for those that they are.
        let names = if names.is_empty() { roles.clone() } else { names.clone() };
        // By what the path leads to. The same place for the same role is a slip, and stays, so that the plan refuses it.
        let same = probed.iter_mut().find(|earlier| earlier.facts.path == first.facts.path);
        if let Some(same) = same.filter(|same| are_apart(&same.record.roles, &names)) {
            same.facts.roles.extend(roles);
            same.record.roles.extend(names);
            continue;
        }
        let token = if matches!(first.facts.kind, TargetKind::Device { .. }) { tokens.next() } else { None };
        let mut target = match token {
            Some(token) => probe(path, Some(token))?,
            None => first,
        };
        (target.facts.roles, target.record.roles) = (roles, names);
        // A report that took the place of a file under load would cost the load.
        read_files::note_at(path);
        probed.push(target);
    }
    // A token too many was meant for something. Better to ask than to destroy the wrong device in its place.
    if tokens.next().is_some() { Err(SetupError::SpareTokens) } else { Ok(probed) }
}

/// Whether both name roles, and none of them is the same.
fn are_apart(some: &[Role], others: &[Role]) -> bool {
    !some.is_empty() && !others.is_empty() && some.iter().all(|role| !others.contains(role))
}

/// Whether the target is for roles that the need left out of the profile.
fn is_left_out(target: &ProbedTarget, profile: &Profile) -> bool {
    let roles = &target.facts.roles;
    !roles.is_empty() && profile.jobs.iter().all(|job| !roles.contains(&job.role))
}

/// What engines that touch nothing are told of their target.
fn imagined_target(engine: EngineKind) -> TargetFacts {
    TargetFacts {
        path: engine.as_str().into(),
        roles: Vec::new(),
        kind: TargetKind::Imagined,
        sector_size: ByteSize::bytes(512),
    }
}

/// What the user can do about targets and roles that do not go together.
fn deal_hint(error: &DealError) -> String {
    match error {
        DealError::NoSuchRole { .. } => "`iotrial profiles NAME` shows the jobs and their roles".to_owned(),
        DealError::NoTarget { roles, .. } => format!(
            "add --target {}=PATH, or --target PATH for every role without a target of its own",
            roles.first().map_or("ROLE", |role| role.as_str())
        ),
        DealError::NothingLeft { .. } => "leave it out, or give it a role".to_owned(),
    }
}

/// What the user can do about a plan that does not fit.
fn plan_hint(error: &PlanError) -> Option<String> {
    let hint = match error {
        PlanError::NoSpace(NoSpace { usable, .. }) => {
            let smaller =
                if usable.get() > 0 { "give a smaller --size, or" } else { "free some space, or give" };
            return Some(format!("{smaller} another --target"));
        }
        PlanError::Misaligned { sector_size, .. } => {
            return Some(format!("use block sizes that are multiples of {sector_size}, or --buffered"));
        }
        PlanError::DeviceNotReleased { path, .. } => {
            return Some(format!(
                "`iotrial target {}` shows what is on it, and the token for --destroy",
                path.display()
            ));
        }
        PlanError::PartOfPeriod { whole, .. } => {
            return Some(format!("give --duration {}, or a larger multiple", format_duration(*whole)));
        }
        PlanError::SizeTooSmall { .. } => "give a larger --size",
        PlanError::BeyondEnd { .. } => "give a smaller --size, or leave it out",
        PlanError::SameTarget { .. } => "each target gets files of its own",
        PlanError::WithoutFile { .. } => {
            "leave it out: a job has at most one file for each copy (numjobs); only a log is striped over all targets of its role"
        }
        PlanError::TooDeep { .. } | PlanError::TooMuchMemory { .. } => {
            "lower iodepth, numjobs or block_size in the profile"
        }
        PlanError::Steps(_) => "`iotrial docs profiles` says what a step may be",
        PlanError::ShortStep { .. } => "give a longer --duration, or fewer steps",
        PlanError::SteadySteps => "leave --until-steady out, or the steps",
        PlanError::BurstsApart => "give the bursts of all jobs the same period",
        PlanError::LimitTooShort { .. } => "give a longer limit, or a shorter --duration",
        PlanError::PolledEngine { .. } | PlanError::PolledBuffered => {
            "--polled needs direct I/O with the `uring` engine"
        }
        PlanError::PolledDurable { .. } => "leave --polled out, or take durability out of the profile",
        PlanError::NothingToVerify { .. } => "leave --engine out",
        PlanError::UnknownContent { .. } => {
            "give a directory, where files are made for this run, or a raw device with its token (`iotrial target`) and a profile that writes"
        }
        PlanError::NoWholeSectors { .. } => "use block sizes that are multiples of 512 bytes",
        PlanError::NoTarget | PlanError::NoDuration | PlanError::TooLong => return None,
    };
    Some(hint.to_owned())
}

/// Whether the request itself cannot be searched for.
pub(crate) const fn is_of_input(error: &SearchError) -> bool {
    matches!(
        error,
        SearchError::HasRate { .. } | SearchError::NoSuchRole { .. } | SearchError::NoLimits { .. }
    )
}

/// What the user can do about a rate that cannot be searched for.
pub(crate) fn search_hint(error: &SearchError) -> Option<String> {
    Some(match error {
        SearchError::HasRate { job } => {
            format!(
                "remove `rate` from `{job}`, or leave the search out: --closed, without --need and --latency-limit"
            )
        }
        SearchError::NoSuchRole { .. } => "`iotrial profiles NAME` shows the jobs and their roles".to_owned(),
        SearchError::NoLimits { .. } => "give --thresholds SET, --latency-limit, or --closed".to_owned(),
        SearchError::TooRare { .. } => "give a lower percentile, or mean".to_owned(),
        SearchError::Idle { .. } => "a longer --duration may let it finish some".to_owned(),
    })
}
