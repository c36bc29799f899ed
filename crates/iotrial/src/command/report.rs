//! `iotrial report`: results shown again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::plan::{AreaKind, IO_DEADLINE, Plan};
use iotrial_model::record::RunRecord;
use iotrial_model::step::Step;
use iotrial_model::sweep::SweepRecord;
use iotrial_model::units::format_duration;
use iotrial_session::judged_profile::load_thresholds;

use crate::cli::{ReportArgs, StoreArgs};
use crate::command::sweep;
use crate::failure::Failure;
use crate::gates::refused;
use crate::intake::{Folders, Input, Intake, Takes, expect_thresholds, pass_over};
use crate::output::say;
use crate::outputs::Outputs;
use crate::shell_line;
use crate::stopped::{self, Files};

mod shown;

pub use shown::{Around, Judged, Record, Shown};

const TAKES: Takes = Takes {
    command: "report",
    what: "records of runs, results of other tools, printed tables and studies, or one sweep alone",
};

/// What judges a result that does not say by what it was judged.
const USUAL_THRESHOLDS: &str = "flash";

/// Reads what was named, shows it, and says by the exit code whether all of it is qualified.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    // Both before anything is read: what cannot be written is better known at once than after a minute of reading.
    let outputs =
        args.gates.and_files(Outputs::new(&args.files, args.json).with_charts(args.charts.as_deref()))?;
    args.gates.check_are_values()?;
    let asked = Asked {
        results: &args.records,
        study_profile: args.profile.as_deref(),
        thresholds: args.thresholds.as_deref(),
        store: &args.store,
    };
    match asked.gather()? {
        Gathered::Sweep(..) if !args.gates.gates.is_empty() => {
            let error = anyhow!("a sweep has no gates: each of its probes has a load of its own");
            Err(Failure::input(error).hint("give the record of a run".to_owned()))
        }
        Gathered::Sweep(path, record) => sweep::report(args, &outputs, &path, &record),
        Gathered::Results(results) => {
            let shown = Shown::new(results).held(&args.gates.gates).map_err(|error| refused(&error))?;
            let after = args.gates.last_lines(shown.gates(), shown.verdict());
            let instead = shown.stopped().map(|record| {
                let lines = stopped::lines(stopped::time_of_run(record), Files::Unknown, &again(record));
                format!("{lines}\nMore: the same with --details\n")
            });
            shown.present(&outputs, Around { instead, after, more: None })?;
            if shown.gates().is_empty() {
                return Ok(shown.exit_code());
            }
            args.gates.end(shown.gates(), shown.verdict(), &outputs)
        }
    }
}

/// The run of a record as the command line takes it, as far as the record has it in so many words.
pub fn again(record: &RunRecord) -> String {
    let command = format!("{} {}", command_of(record), shell_line::quoted(&record.plan.profile));
    let run = stopped::on_targets(&command, &record.targets) + &of_comparison(&record.plan);
    let managed = record.plan.areas.iter().filter(|area| area.kind == AreaKind::ManagedFile);
    // With the head of each file, and what was cut off at the end of a block.
    let mib = managed.map(|area| area.offset.get() + area.length.get()).sum::<u64>().div_ceil(1 << 20);
    let size = if mib > 0 { format!(" --size {mib}MiB") } else { String::new() };
    let Some(search) = &record.search else {
        let steps = staircase_of(record).map(|steps| format!(" --steps {steps}")).unwrap_or_default();
        return format!("{run}{size}{steps} --duration {}", format_duration(record.plan.measured()));
    };
    let need =
        search.need.as_ref().map(|need| format!(" {}", shell_line::option("--need", &need.to_string())));
    format!("{run}{size}{}", need.unwrap_or_default())
}

/// What a load that compares was given beside the usual.
fn of_comparison(plan: &Plan) -> String {
    let deadline = plan.io_deadline.filter(|deadline| *deadline != IO_DEADLINE);
    let deadline = deadline.map(|deadline| format!(" --io-deadline {}", format_duration(deadline)));
    let map = plan.map_memory().map(|size| format!(" --map-memory {}B", size.get()));
    [deadline, map].into_iter().flatten().collect()
}

/// The steps of a load as `--steps` takes them; `None` where it has none, or some that only a profile can describe.
pub fn staircase_of(record: &RunRecord) -> Option<String> {
    let steps = &record.plan.steps;
    let first = steps.first()?;
    let is_of_option = |step: &Step| {
        *step == Step::constant(step.duration, step.load_percent)
            && step.duration.abs_diff(first.duration) <= Duration::from_millis(1)
    };
    let percents: Vec<String> = steps.iter().map(|step| format!("{}%", step.load_percent)).collect();
    steps.iter().all(is_of_option).then(|| percents.join(","))
}

/// The command that makes such a record.
pub const fn command_of(record: &RunRecord) -> &'static str {
    if record.plan.verified { "verify" } else { "run" }
}

/// What a report is made of.
pub struct Asked<'a> {
    /// Paths, ids, labels.
    pub results: &'a [String],
    /// Of a study with several profiles the one that is meant.
    pub study_profile: Option<&'a str>,
    /// What judges, where that is not what judged when a record was made.
    pub thresholds: Option<&'a str>,
    /// Where ids and labels are looked up.
    pub store: &'a StoreArgs,
}

/// What was found, with the files that it comes from.
pub enum Gathered {
    /// One sweep, which has a report of another kind.
    Sweep(PathBuf, Box<SweepRecord>),
    /// Results, at least one.
    Results(Vec<(PathBuf, Judged)>),
}

impl Asked<'_> {
    /// Reads everything. What is wrong with a file that was named is an error; one that only lies in a folder is passed over
    /// with a note, because the others are why the folder was given.
    pub fn gather(&self) -> Result<Gathered, Failure> {
        expect_thresholds(self.thresholds, "report --thresholds")?;
        let named = self.thresholds.map(|name| load_thresholds(Path::new(""), name)).transpose()?;
        let usual = named.clone().map_or_else(|| load_thresholds(Path::new(""), USUAL_THRESHOLDS), Ok)?;
        let intake = Intake {
            takes: TAKES,
            folders: Folders::Records,
            store: Some(self.store),
            study_profile: Some(self.study_profile),
        };
        let mut results: Vec<(PathBuf, Judged)> = Vec::new();
        let mut seen: Vec<PathBuf> = Vec::new();
        let (mut others, mut first_broken) = (Vec::new(), None);
        let opened = intake.open_all(intake.find(self.results)?, |_, input| input)?;
        let count = opened.len();
        for (source, input) in opened {
            let path = source.path;
            // By the file and not by its name, which may be a link, or an id of the same record.
            let place = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.contains(&place) {
                say!("note: `{}` was given twice and is shown once", path.display());
                continue;
            }
            seen.push(place);
            match input {
                Err(error) if error.is_foreign() && !source.is_named => {}
                Err(error) if !source.is_named => {
                    let failure = Failure::from(error);
                    pass_over(&failure);
                    first_broken.get_or_insert(failure);
                }
                Err(error) => return Err(error.into()),
                Ok(Input::Sweep(record)) if count == 1 => return Ok(Gathered::Sweep(path, record)),
                Ok(Input::Run(mut record)) => {
                    if let Some((label, attributes)) = source.name {
                        (record.label, record.attributes) = (Some(label), attributes);
                    }
                    let thresholds = named.clone().map_or_else(|| thresholds_of(&record), Ok)?;
                    results.push((path, Judged::of(Record::Run(record), &thresholds)));
                }
                Ok(Input::Kept(record)) => {
                    results.push((path, Judged::of(Record::Imported(record), &usual)));
                }
                Ok(Input::Results(imported)) => {
                    for record in imported.records {
                        let record = Record::Imported(Box::new(record));
                        results.push((path.clone(), Judged::of(record, &usual)));
                    }
                }
                Ok(other) if source.is_named => {
                    return Err(TAKES.refuse(&path.to_string_lossy(), other.kind()));
                }
                // Somebody wonders where a sweep is; nobody wonders about the study file among the records.
                Ok(other @ Input::Sweep(_)) => {
                    pass_over(&TAKES.refuse(&path.to_string_lossy(), other.kind()))
                }
                Ok(other) => others.push(other.kind()),
            }
        }
        if results.is_empty() {
            let none = || TAKES.none_among(self.results, &others);
            return Err(first_broken.unwrap_or_else(none));
        }
        Ok(Gathered::Results(results))
    }
}

/// The set that judged when the record was made. It stands in the record itself: a stranger's record
/// must not decide which files are read here.
fn thresholds_of(record: &RunRecord) -> Result<ThresholdSet, Failure> {
    if record.thresholds.is_empty() {
        return Ok(load_thresholds(Path::new(""), USUAL_THRESHOLDS)?);
    }
    ThresholdSet::of_record(&record.thresholds)
        .context("the threshold set in the record is not valid")
        .map_err(|error| Failure::input(error).hint("choose another one with --thresholds".to_owned()))
}
