//! `iotrial run`: one profile on one set of targets, with a verdict and a report at the end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::comparison::Gate;
use iotrial_analysis::quiet::busy_beside;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::Outcome;
use iotrial_measure::control::Control;
use iotrial_model::demand::Demand;
use iotrial_model::load::Role;
use iotrial_model::need::Need;
use iotrial_model::record::{EndedHow, RunRecord, TargetRecord};
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_model::units::format_duration;
use iotrial_model::verdict::{Advice, Change};
use iotrial_model::verification::FaultKind;
use iotrial_session::judged_profile::{JudgedProfile, is_file_name, load_thresholds};
use iotrial_session::observer::Observer;
use iotrial_session::quiet::QuietWait;
use iotrial_session::request::LoadRequest;
use iotrial_session::run::{self, Finished};
use iotrial_session::setup::Setup;

use crate::cli::{DemandArgs, GateArgs, RunArgs, VerifyArgs, VerifyCommand};
use crate::command::crash;
use crate::command::report::{Around, Judged, Record, Shown};
use crate::command::size::demand::named_demand;
use crate::command::size::proof;
use crate::command::{dry_run, report};
use crate::effective;
use crate::failure::{Failure, INTERRUPTED, NOT_CARRIED_OUT};
use crate::fio_job::{Asked, check_fio_args, fio_profile};
use crate::gates::refused;
use crate::intake::{self, Kind, Takes};
use crate::next::{self, DURATIONS, given};
use crate::output::{self, JsonForm};
use crate::outputs::Outputs;
use crate::quiet::wait_for_quiet;
use crate::report_files::check_takes_pages;
use crate::shell_line;
use crate::signal::StopSignals;
use crate::stopped::{self, Files};
use crate::watchers::{Wanted, Watchers};

const TAKES: Takes = Takes { command: "run", what: "a profile" };

/// What becomes of a run beside its record.
#[derive(Debug, Default)]
pub struct RunOutput {
    /// What its figures must keep to; with any, they decide the exit code.
    pub gates: GateArgs,
    /// The forms of the report, JSON instead of text, and the files for CI; a page is always written, beside the record where nothing
    /// else is said.
    pub outputs: Outputs,
    /// Where the page is written if it has no name of its own; beside the record otherwise.
    pub html_folder: Option<PathBuf>,
    /// Who watches it meanwhile.
    pub wanted: Wanted,
    /// How long it waits for a quiet host, where that is said.
    pub wait_for_quiet: Option<Duration>,
}

/// Runs a profile, or a job of fio, and shows what came of it.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    // All that is wrong with the words themselves, before any file is read.
    let json = JsonForm::of(args.json, args.json_stream);
    let outputs = args.gates.and_files(Outputs::new(&args.files, json))?;
    args.gates.check_are_values()?;
    check_fio_args(args.fio_job.as_deref(), &args.fio)?;
    let needed = args.need.as_deref().map(|need| needed(need, args)).transpose()?;
    // A demand knows the sizes of its I/Os, and another mix at its rates would be another load. A search gives its loads rates itself.
    let is_own_load = args.load.profile.is_none() && args.fio_job.is_none() && args.latency_limit.is_none();
    let (own_load, need) = match needed {
        Some(Needed::Demand(demand)) if is_own_load => (Some(proof::own_load(&demand)?), None),
        Some(Needed::Demand(demand)) => (None, Some(rates_of(&demand))),
        Some(Needed::Rates(need)) => (None, Some(need)),
        None => (None, None),
    };
    let request = args.request(need)?;
    let here = Path::new("");
    let named = args.load.thresholds.as_deref();
    intake::expect_thresholds(named, "run --thresholds")?;
    let load = match (&args.fio_job, own_load) {
        (None, Some(profile)) => {
            let thresholds = load_thresholds(here, named.unwrap_or(&profile.thresholds))?;
            JudgedProfile { profile, thresholds }
        }
        (None, None) => named_profile(args.load.profile(), named, TAKES.command)?,
        // The thresholds come after the profile, because that of a fio job names them only when it is made.
        (Some(job), _) => {
            let profile =
                fio_profile(job, &args.fio, Asked { runtime: request.duration, size: request.size })?;
            let thresholds = load_thresholds(here, named.unwrap_or(&profile.thresholds))?;
            JudgedProfile { profile, thresholds }
        }
    };
    if args.dry_run {
        return show_plan(load, &request, &args.gates, args.json);
    }
    let rig = &args.load.rig;
    let html_folder = rig.page.html_folder.clone();
    let wanted = Wanted { quiet: rig.quiet, listen: rig.listen.listen, json_stream: args.json_stream };
    let output = RunOutput {
        gates: args.gates.clone(),
        outputs,
        html_folder,
        wanted,
        wait_for_quiet: rig.wait_for_quiet,
    };
    carry_out(load, &request, output)
}

/// Runs a profile with every page compared, and shows what came of it.
pub fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    if let Some(VerifyCommand::Crash { command }) = &args.command {
        return crash::crash(command);
    }
    let json = JsonForm::of(args.json, false);
    let outputs = Outputs::new(&args.files, json).checked()?;
    let request = args.request()?;
    let load = named_profile(args.load.profile(), args.load.thresholds.as_deref(), "verify")?;
    if args.dry_run {
        return show_plan(load, &request, &GateArgs::default(), args.json);
    }
    let rig = &args.load.rig;
    let output = RunOutput {
        gates: GateArgs::default(),
        outputs,
        html_folder: rig.page.html_folder.clone(),
        wanted: Wanted { quiet: rig.quiet, listen: rig.listen.listen, json_stream: false },
        // Other programs on the host make no page another one.
        wait_for_quiet: rig.wait_for_quiet.or(Some(Duration::ZERO)),
    };
    carry_out(load, &request, output)
}

/// What --need stands for.
enum Needed {
    /// Rates as they are written.
    Rates(Need),
    /// What a file says.
    Demand(Box<Demand>),
}

/// Reads what --need stands for.
fn needed(need: &str, args: &RunArgs) -> Result<Needed, Failure> {
    let error = match Need::typed(need) {
        Ok(need) => return Ok(Needed::Rates(need)),
        Err(error) => error,
    };
    // What looks like a rate and is not one is a mistake in it; anything else names a file, a label or an id.
    if need.contains('=') || need.to_ascii_lowercase().ends_with("iops") || need.ends_with("/s") {
        return Err(Failure::input(error).hint(
            "give a rate as in --need 20000iops, or rates by role as in --need data=18000iops,log=900iops"
                .to_owned(),
        ));
    }
    let is_path = Path::new(need).exists();
    if !is_path && need.trim().parse::<f64>().is_ok() {
        return Err(
            Failure::input(anyhow!("`{need}` has no unit")).hint(format!("--need {}iops", need.trim()))
        );
    }
    let demand = named_demand(need, &DemandArgs::default(), (&args.load.rig.store, "run --need")).map_err(|failure| {
        let forms = "give a rate as in --need 20000iops or --need data=18000iops,log=900iops, or the id or label of a result (`iotrial records` lists them)";
        if is_path {
            return failure;
        }
        // Ids begin with a digit, too; but one that is in no store is more likely a rate with a slip in its unit.
        let is_rate = need.starts_with(|first: char| first.is_ascii_digit());
        let failure =
            if is_rate { Failure::input(anyhow!("`{need}` is not a rate such as 20000iops")) } else { failure };
        failure.hint(forms.to_owned())
    })?;
    Ok(Needed::Demand(Box::new(demand)))
}

/// The rates of a demand, by role where all of its streams have one.
fn rates_of(demand: &Demand) -> Need {
    let factor = demand.load_growth();
    let roles: Vec<Option<Role>> = demand.streams.iter().map(|stream| stream.role).collect();
    let total: f64 = demand.streams.iter().map(|stream| stream.iops * factor).sum();
    if roles.iter().any(Option::is_none) {
        return Need::Total(total);
    }
    let mut by_role: Vec<(Role, f64)> = Vec::new();
    for stream in &demand.streams {
        let Some(role) = stream.role else { continue };
        match by_role.iter_mut().find(|(one, _)| *one == role) {
            Some((_, iops)) => *iops += stream.iops * factor,
            None => by_role.push((role, stream.iops * factor)),
        }
    }
    Need::ByRole(by_role)
}

/// The profile of that name or file, with the set that judges it, for `command`.
pub fn named_profile(
    name: &str,
    thresholds: Option<&str>,
    command: &'static str,
) -> Result<JudgedProfile, Failure> {
    // A record or a study given by mistake is told as what it is, instead of as a profile with forty unknown keys.
    if is_file_name(name) {
        intake::expect(Kind::Profile, Path::new(name), &Takes { command, ..TAKES })?;
    }
    Ok(JudgedProfile::load(Path::new(""), name, thresholds)?)
}

/// Every decision, before anything is done.
fn show_plan(
    load: JudgedProfile,
    request: &LoadRequest,
    gates: &GateArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    let setup = Setup::new(load, request)?;
    // What the run would refuse is refused by its plan.
    check_gates(&gates.gates, &setup, request)?;
    dry_run::print(&setup, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a load, and shows what came of it.
pub fn carry_out(load: JudgedProfile, request: &LoadRequest, output: RunOutput) -> Result<ExitCode, Failure> {
    let mut setup = Setup::new(load, request)?;
    // After the setup, which touches nothing, and before the load: a report that has no place to go must not cost a run.
    output.outputs.all_is_read()?;
    check_takes_pages(output.html_folder.as_deref())?;
    check_gates(&output.gates.gates, &setup, request)?;
    let watchers = Watchers::new(output.wanted)?;
    let signals = StopSignals::catch()?;
    let wait = |wait: QuietWait<'_>, control: &Control| setup.wait_for_quiet(wait, control, &*watchers);
    if let Some(stopped) = wait_for_quiet(output.wait_for_quiet, &signals, wait) {
        return Ok(stopped);
    }
    let control = signals.control;
    let ran = run::run(setup, control, Arc::clone(&watchers) as Arc<dyn Observer>);
    // Before anything else is printed; whatever became of the stream, the record is in the store.
    let streamed = watchers.end_stream();
    let Finished { record, path, kept, thresholds, released } = ran?;
    // What is on storage that hangs is left there.
    let hangs = record.verification.as_ref().is_some_and(|found| found.counts.contains_key(&FaultKind::Hang));
    let files = if released.is_ok() && !hangs {
        Files::of(&record.plan, request.rig.keep_files)
    } else {
        Files::Unknown
    };
    let name = match &kept {
        Ok(()) => record.id.clone(),
        Err(error) => shell_line::quoted(&error.path.display().to_string()),
    };
    let shown = show(record, path, &name, &thresholds, files, output);
    // The figures come first: neither a full store nor files that cannot be removed may hide them.
    if let (Err(_), Err(failure)) = (&kept, &shown) {
        output::tell(failure);
    }
    kept?;
    released?;
    streamed?;
    shown
}

/// Refuses gates on what the load does not have: a misspelt metric must not cost a run.
fn check_gates(gates: &[Gate], setup: &Setup, request: &LoadRequest) -> Result<(), Failure> {
    let jobs = &setup.plan.jobs;
    let roles: BTreeSet<Role> = jobs.iter().map(|job| job.role).collect();
    let streams_of = |role: Option<Role>| {
        let planned = Stream::planned(&setup.plan, |job| role.is_none_or(|role| jobs[job].role == role));
        planned.into_iter().map(move |stream| StreamOf { role, stream })
    };
    let streams: Vec<StreamOf> =
        streams_of(None).chain(roles.into_iter().flat_map(|role| streams_of(Some(role)))).collect();
    let given = request.metrics.keys().map(String::as_str);
    let printed = request.metric_commands.iter().map(|(name, _)| name.as_str());
    let application: Vec<&str> = given.chain(printed).collect();
    let searches = setup.search.is_some();
    for gate in gates {
        let Err(error) = gate.check_streams(&streams, searches, &application) else { continue };
        // What a search alone would bring is asked of a run without one.
        if !searches && gate.check_streams(&streams, true, &application).is_ok() {
            let error = anyhow!(
                "the gate `{gate}` is on the highest rate within the limits, but this run does not search for it"
            );
            let hint = "leave --closed, --steps and --until-steady out, or put the gate on a figure such as read.iops";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        return Err(refused(&error));
    }
    Ok(())
}

/// Long enough for a build or a backup to end.
const FOR_QUIET: &str = " --wait-for-quiet 10m";
/// Most devices have left their burst by then.
const UNTIL_STEADY: &str = " --until-steady 30m";
/// A run as the command line takes it.
#[derive(Clone)]
struct Again {
    /// The command that made it.
    command: &'static str,
    /// Options and values, as they were given.
    words: Vec<(String, Option<String>)>,
    /// ` --target …`, as the record has them.
    targets: String,
}

impl Again {
    /// As it was typed, with the user's own defaults; where a conversation was held instead, by the record.
    fn of(record: &RunRecord) -> Self {
        let targets = record
            .targets
            .iter()
            .map(|target| format!(" {}", shell_line::option("--target", &target.named())));
        let targets: String = targets.collect();
        // The name of a file need not be text. As text it is shown here, with a mark where it is none.
        let mut typed = effective::words().into_iter().map(|word| word.to_string_lossy().into_owned());
        let command = report::command_of(record);
        let words = match typed.next() {
            Some(word) if word == command => given(command, typed),
            _ => {
                let profile = (record.plan.profile.clone(), None);
                let of_target = |target: &TargetRecord| ("--target".to_owned(), Some(target.named()));
                let steps = report::staircase_of(record).map(|steps| ("--steps".to_owned(), Some(steps)));
                let targets = record.targets.iter().map(of_target);
                std::iter::once(profile).chain(steps).chain(targets).collect()
            }
        };
        Self { command, words, targets }
    }

    /// All of it, for whoever begins again: what was typed where it was, else what the record has of it.
    fn whole(&self, record: &RunRecord) -> String {
        effective::typed(self.command).unwrap_or_else(|| next::in_store(&report::again(record)))
    }

    /// The command, without some of its options.
    fn without(&self, left_out: &[&str]) -> String {
        let mut command = format!("iotrial {}", self.command);
        for (word, value) in self.words.iter().filter(|(word, _)| !left_out.contains(&word.as_str())) {
            // No simulation tells more by being repeated.
            let is_without_storage =
                word == "--sim" || word == "--engine" && matches!(value.as_deref(), Some("sim" | "null"));
            if !is_without_storage {
                command += &next::of_word(word, value.as_deref());
            }
        }
        command
    }
}

/// What to do before the next command: the same run alone would end with the same doubt.
fn first_step(summary: &Summary) -> Option<String> {
    let advice = summary.verdict.advice.as_ref().filter(|advice| advice.is_to_change_something());
    advice.filter(|_| summary.verdict.outcome == Outcome::Inconclusive).map(iotrial_words::verdict::advice)
}

/// The one command that makes sense after this answer.
fn next_step(summary: &Summary, again: &Again, name: &str) -> String {
    match (summary.verdict.outcome, &summary.capacity) {
        // Storage that answers with errors has no saturation to look for.
        _ if summary.ended == Some(EndedHow::Failed) => {
            format!("iotrial check{}   # what is below it, and whether it is healthy", again.targets)
        }
        // How fast is a question of its own.
        (Outcome::Qualified, _) if summary.verification.is_some() => {
            let run = Again { command: "run", ..again.clone() };
            format!("{}   # how fast it is", run.without(&["--io-deadline", "--map-memory"]))
        }
        (Outcome::NotQualified, _) if summary.verification.is_some() => {
            format!("iotrial check{}   # what is below it, and whether it is healthy", again.targets)
        }
        // The same load again would make the same queue.
        (Outcome::Inconclusive, None) if summary.verdict.queue().is_some() => {
            let iops = summary.verdict.queue().and_then(|queue| queue.iops).unwrap_or(2_000.0);
            let iops = round_down(iops / 2.0);
            format!("{} --need {iops:.0}iops   # put the rate that you need", again.without(&["--closed"]))
        }
        (Outcome::Inconclusive, _) => match &summary.verdict.advice {
            Some(advice) => advised(advice, again, name),
            None => again.without(&[]),
        },
        (Outcome::Qualified, Some(capacity)) if capacity.need_iops.is_none() => {
            let iops = round_down(capacity.iops.unwrap_or_default() / 2.0);
            format!("{} --need {iops:.0}iops   # put the rate that you need", again.without(&[]))
        }
        (Outcome::Qualified, _) => "iotrial open   # the report of this run".to_owned(),
        (Outcome::NotQualified, _) => {
            format!("iotrial sweep{}   # where it saturates, and what limits it", again.targets)
        }
    }
}

/// The same run, changed as it is advised.
fn advised(advice: &Advice, again: &Again, name: &str) -> String {
    let (left_out, added): (&[&str], &str) = match advice.change {
        Change::FindFailure => return format!("iotrial check{}", again.targets),
        Change::LookAtAudit | Change::AskForRecord => {
            return next::in_store(&format!("iotrial audit {name}"));
        }
        Change::LeaveOutBuffered => (&["--buffered"], ""),
        Change::UntilSteady | Change::MoreTimeUntilSteady => (&["--until-steady"], UNTIL_STEADY),
        Change::StopOthersOnDevices
        | Change::StopOthersOnHostAndDevices
        | Change::StopOthersOnHost
        | Change::QuieterOrLonger => (&["--wait-for-quiet"], FOR_QUIET),
        Change::ChooseDisk => (&[], "   # with another --target"),
        Change::LargerFiles => (&[], "   # with a larger --size"),
        Change::Longer
        | Change::RunAgain
        | Change::DirectIoOfTool
        | Change::LeaveOutEngine
        | Change::WaitForClock
        | Change::AskSource
        | Change::MoreTimeForSearch => (&[], ""),
    };
    let (durations, duration): (&[&str], String) = match advice.duration {
        Some(duration) => (&DURATIONS, format!(" --duration {}", format_duration(duration))),
        None => (&[], String::new()),
    };
    format!("{}{duration}{added}", again.without(&[left_out, durations].concat()))
}

/// To two digits: an example needs no more.
fn round_down(iops: f64) -> f64 {
    let unit = 10f64.powf((iops.max(1.0).log10().floor() - 1.0).max(0.0));
    (iops / unit).floor() * unit
}

/// Writes the report, and shows the figures. Commands call the record `name`: its id, or its file where the store did not take it.
fn show(
    record: RunRecord,
    path: PathBuf,
    name: &str,
    thresholds: &ThresholdSet,
    files: Files,
    output: RunOutput,
) -> Result<ExitCode, Failure> {
    let ended = record.ended.how;
    let has_fault = record.verification.as_ref().is_some_and(|found| found.fault_count() > 0);
    let is_complete = ended == EndedHow::Complete;
    let again = Again::of(&record);
    let outputs = output.outputs.with_page(&path, &record.id, output.html_folder.as_deref());
    let judged = Judged::of(Record::Run(Box::new(record)), thresholds);
    let shown =
        Shown::new(vec![(path, judged)]).held(&output.gates.gates).map_err(|error| refused(&error))?;
    // What is read first is what stands last.
    let busy = shown
        .only()
        .filter(|summary| summary.verification.is_none())
        .map(busy_beside)
        .filter(|processes| !processes.is_empty());
    let prose = output::broken_between_words;
    let busy = busy.map(|processes| prose(&iotrial_words::activity::beside_run(processes)));
    let first = shown.only().and_then(first_step).map(|words| prose(&format!("first: {words}")));
    let next = shown.only().map(|summary| output::next_line(&next_step(summary, &again, name)));
    let verdict = shown.verdict().filter(|_| is_complete);
    let of_gates = Some(output.gates.last_lines(shown.gates(), verdict));
    let instead = shown
        .stopped()
        .map(|record| stopped::lines(stopped::time_of_run(record), files, &again.whole(record)));
    // Whoever stopped it knows what comes next.
    let advice = [busy, first, next].into_iter().filter(|_| instead.is_none());
    let after = advice.chain([of_gates]).flatten().collect();
    let more = Some(next::in_store(&format!("iotrial report {name} --details")));
    shown.present(&outputs, Around { instead, after, more })?;
    let of_gates = match shown.gates() {
        [] => None,
        outcomes => Some(output.gates.end(outcomes, verdict, &outputs)?),
    };
    // A run that was stopped has figures, but neither a verdict nor a gate may rest on them.
    Ok(match ended {
        EndedHow::Complete => of_gates.unwrap_or_else(|| shown.exit_code()),
        EndedHow::Interrupted => ExitCode::from(INTERRUPTED),
        // Storage that fails while it is compared has given its answer.
        EndedHow::Failed if has_fault => shown.exit_code(),
        EndedHow::Failed => ExitCode::from(NOT_CARRIED_OUT),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_command_that_follows_advice_can_be_given_and_does_what_is_advised() {
        let typed = ["--size", "2GiB", "--buffered", "--wait-for-quiet", "1m", "--time", "30s"];
        let again = Again {
            command: "run",
            words: given("run", typed.into_iter().map(str::to_owned)),
            targets: " --target t".to_owned(),
        };
        let next = |advice: &Advice| advised(advice, &again, "01ABC");
        let check = |advice: &Advice, has: &str, lacks: &str| {
            let line = next(advice);
            let command = line.split("   #").next().unwrap_or_default();
            assert!(Cli::command().try_get_matches_from(command.split(' ')).is_ok(), "{line}");
            assert!(command.contains(has) && !command.contains(lacks), "{line}");
        };
        check(&Advice::to(Change::LeaveOutBuffered), "run --size 2GiB", "--buffered");
        for change in
            [Change::StopOthersOnHost, Change::StopOthersOnDevices, Change::StopOthersOnHostAndDevices]
        {
            check(&Advice::to(change), "--wait-for-quiet 10m", "--wait-for-quiet 1m");
        }
        for change in [Change::UntilSteady, Change::MoreTimeUntilSteady] {
            check(&Advice::to(change), "--until-steady 30m", "audit");
        }
        check(&Advice::longer(Duration::from_secs(120)), "--duration 2m", "30s");
        check(&Advice::to(Change::LookAtAudit), "audit 01ABC", "--size");
        let verify = Again { command: "verify", ..again.clone() };
        assert!(
            advised(&Advice::to(Change::LeaveOutBuffered), &verify, "01ABC")
                .starts_with("iotrial verify --size 2GiB")
        );
        check(&Advice::to(Change::FindFailure), "check --target t", "--size");
        for change in [Change::ChooseDisk, Change::LargerFiles, Change::RunAgain, Change::WaitForClock] {
            check(&Advice::to(change), "run --size 2GiB --buffered", "audit");
        }
    }
}
