//! What a comparison needs of each file, in the order in which they were given.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::anyhow;
use iotrial_analysis::comparison::{Sample, SweepSample};
use iotrial_model::awr::AwrReport;
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;

use super::TAKES;
use crate::cli::CompareArgs;
use crate::failure::Failure;
use crate::intake::{self, Input, Intake, IntakeError, Source, pass_over};
use crate::output::{harmless, say};

/// What a comparison keeps of a file: much less than was read of it.
enum Content {
    /// Results, in the order of the file, and where the run that they are of was measured.
    Samples(Vec<Sample>, Option<Measured>),
    /// A sweep, which is compared with sweeps only, and what says so.
    Sweep(Box<SweepSample>, Failure),
    /// A report of Oracle, which is compared with another one only, and what says so.
    Awr(Vec<AwrReport>, Failure),
    /// A file in a folder that is no result at all.
    Nothing,
    /// Something in a folder that cannot be read or compared, and does not keep the others from it.
    PassedOver(Failure),
    /// It cannot be read.
    Broken(Failure),
    /// It is something that cannot be compared.
    Refused(Failure),
}

/// What a run was, for whoever measures it again.
pub(super) struct Measured {
    /// A built-in profile.
    pub profile: String,
    /// The only target, as the command line takes it.
    pub target: String,
}

/// What there is to compare.
pub(super) enum Samples {
    /// Results, one by one, and where each run was measured; `None` of what cannot be measured here again.
    Runs(Vec<Sample>, Option<Vec<Measured>>),
    /// Nothing but sweeps.
    Sweeps(Vec<SweepSample>),
    /// Two reports of Oracle with their files: before and after.
    Awr(Box<[(AwrReport, String); 2]>),
}

/// Reads what was given. What cannot be read or compared is an error, or left out by `force`.
pub(super) fn read(intake: &Intake<'_>, args: &CompareArgs) -> Result<Samples, Failure> {
    let mut sources = intake.find(&args.records)?;
    let labels = intake::labels_of(&sources);
    // A table that is named as one is the same as any other.
    sources.extend(args.tables.iter().map(|path| Source { path: path.clone(), is_named: true, name: None }));
    let (mut samples, mut sweeps) = (Vec::new(), Vec::new());
    let (mut reports, mut of_awr) = (Vec::new(), Vec::new());
    let mut measured = Some(Vec::new());
    let (mut first, mut broken_count) = (None, 0_usize);
    let mut passed_over = None;
    let content_of = |source: &Source, input| content_of(source, input, &labels);
    for (source, content) in intake.open_all(sources, content_of)? {
        match content {
            Content::Samples(of_file, run) => {
                samples.extend(of_file);
                measured = measured.zip(run).map(|(mut all, run)| {
                    all.push(run);
                    all
                });
            }
            Content::Sweep(sweep, refusal) => sweeps.push((*sweep, refusal, source.is_named)),
            Content::Awr(of_file, refusal) => {
                let path = source.path.display().to_string();
                reports.extend(of_file.into_iter().map(|report| (report, path.clone())));
                of_awr.push(refusal);
            }
            Content::Nothing => {}
            Content::PassedOver(failure) => {
                pass_over(&failure);
                passed_over.get_or_insert(failure);
            }
            Content::Broken(failure) | Content::Refused(failure) if args.force => {
                say!("warning: left out: {}", failure.reason());
            }
            Content::Refused(failure) => return Err(failure),
            Content::Broken(failure) => {
                first.get_or_insert(failure);
                broken_count += 1;
            }
        }
    }
    let others = match broken_count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" ({more} more cannot be read either)"),
    };
    if first.is_none() && !of_awr.is_empty() {
        if samples.is_empty() && sweeps.is_empty() {
            return two_of(reports);
        }
        // Whoever gives results has these by mistake.
        for refusal in of_awr {
            if !args.force {
                return Err(refusal);
            }
            say!("warning: left out: {}", refusal.reason());
        }
    }
    match first {
        None if samples.is_empty() && !sweeps.is_empty() => {
            Ok(Samples::Sweeps(sweeps.into_iter().map(|(sweep, ..)| sweep).collect()))
        }
        None => {
            // Runs are what is compared; somebody wonders where a sweep is.
            for (_, refusal, is_named) in sweeps {
                match (is_named, args.force) {
                    (false, _) => pass_over(&refusal),
                    (true, true) => say!("warning: left out: {}", refusal.reason()),
                    (true, false) => return Err(refusal),
                }
            }
            // With nothing left to compare, what is wrong with the first of them is the answer.
            match passed_over.filter(|_| samples.is_empty()) {
                None => Ok(Samples::Runs(samples, measured)),
                Some(failure) => Err(failure),
            }
        }
        Some(first) => {
            Err(first.or_hint(format!("leave it out{others}, or compare the others with --force")))
        }
    }
}

/// Before and after; any number of reports is a matter of `iotrial awr`.
fn two_of(reports: Vec<(AwrReport, String)>) -> Result<Samples, Failure> {
    let two = <[_; 2]>::try_from(reports).map_err(|others| {
        let error =
            anyhow!("`iotrial compare` takes two AWR reports, before and after, and not {}", others.len());
        Failure::input(error).hint("`iotrial awr` takes any number of them".to_owned())
    })?;
    Ok(Samples::Awr(Box::new(two.map(|(report, path)| (report, harmless(&path))))))
}

fn content_of(
    source: &Source,
    input: Result<Input, IntakeError>,
    labels: &HashMap<PathBuf, String>,
) -> Content {
    let path = source.path.display().to_string();
    let input = match input {
        Ok(input) => input,
        Err(error) if error.is_foreign() && !source.is_named => return Content::Nothing,
        Err(error) if !source.is_named => return Content::PassedOver(error.into()),
        Err(error) => return Content::Broken(error.into()),
    };
    if let Some(table) = input.table().filter(|_| source.is_named) {
        return Content::Samples(Sample::of_table(table, &format!("`{path}`")), None);
    }
    let kind = input.kind();
    if let Input::Sweep(record) = input {
        let refusal = TAKES.refuse(&path, kind);
        return Content::Sweep(Box::new(SweepSample { source: path, record: *record }), refusal);
    }
    let input = match input {
        Input::Awr(reports) if source.is_named => {
            return Content::Awr(reports, TAKES.refuse(&path, kind));
        }
        other => other,
    };
    let Some(subjects) = input.subjects() else {
        let refusal = || TAKES.refuse(&path, input.kind());
        return match input.kind() {
            _ if source.is_named => Content::Refused(refusal()),
            // Nobody wonders about the study file among the records.
            _ => Content::Nothing,
        };
    };
    let sample = |subject: &Subject<'_>| {
        let mut sample = match &input {
            Input::Run(record) => Sample::of_run(record, path.clone()),
            _ => Sample::of(subject, subject.whence().unwrap_or_else(|| path.clone())),
        };
        match (&input, &source.name) {
            (Input::Run(_), Some((label, attributes))) => sample.named(label, attributes.clone()),
            // What was imported before got its names then; of files of other tools their own may tell them apart.
            (Input::Results(_), _) => {
                sample.label = sample.label.or_else(|| labels.get(&source.path).cloned());
                sample
            }
            _ => sample,
        }
    };
    let run = match &input {
        Input::Run(record) => measured(record),
        _ => None,
    };
    Content::Samples(subjects.iter().map(sample).collect(), run)
}

/// `None` where one command cannot say what it was.
fn measured(record: &RunRecord) -> Option<Measured> {
    let profile = &record.plan.profile;
    let is_known = builtin_profiles().iter().any(|one| one.name == profile);
    let [target] = record.targets.as_slice() else { return None };
    (is_known && !record.plan.engine.is_simulated())
        .then(|| Measured { profile: profile.clone(), target: target.named() })
}
