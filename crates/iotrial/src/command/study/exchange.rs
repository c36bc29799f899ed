//! Configurations on other machines: `study export` makes the part that is measured there, `study add` takes the records back.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use iotrial_model::plan::{Job, Plan};
use iotrial_model::record::{EndedHow, METHOD_VERSION, RunRecord};
use iotrial_model::study::{Cell, CellEnd, Configuration, JournalLine};
use iotrial_model::units::{ByteSize, format_duration};

use super::file::{StudyFile, Ways};
use super::journal::StudyJournal;
use super::outlook::{is_same_size, working_set};
use super::shown::Shown;
use crate::cli::{StudyAddArgs, StudyExportArgs};
use crate::failure::Failure;
use crate::output::{self, harmless};
use crate::report_files::ReportFiles;
use crate::setup::unseen_plan;
use crate::store::{Store, read_record};

/// Prints the part of a study that another machine measures.
pub fn export(args: &StudyExportArgs) -> Result<ExitCode, Failure> {
    let file = StudyFile::read(&args.file)?;
    let mut configuration = elsewhere(&file, &args.label)?.clone();
    if !args.targets.is_empty() {
        configuration.targets.clone_from(&args.targets);
    }
    let engine = file.study.load.engine;
    if configuration.targets.is_empty() && engine.is_none_or(|engine| engine.touches_targets()) {
        let error = anyhow::anyhow!("configuration `{}` has no targets", harmless(&args.label));
        return Err(Failure::input(error).hint("--target says where the other machine measures".to_owned()));
    }
    let part = file.study.part(&configuration);
    let study = part.whole_name();
    output::text(&format!(
        "# The part of the study `{study}` that is one configuration, with all that it needs.\n\
         # `iotrial study THIS_FILE` measures it; `iotrial study add FILE RECORD…` brings its records back to the study.\n\n{}",
        part.to_toml()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Takes records into a study: all of them, or none.
pub fn add(args: &StudyAddArgs) -> Result<ExitCode, Failure> {
    let file = StudyFile::read(&args.file)?;
    let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
    let mut journal = StudyJournal::open(&store, &file.study)?;
    if let Some(journal) = &mut journal {
        if !file.study.changes_since(journal.progress().study()).is_empty() {
            let error = anyhow::anyhow!("the study `{}` is not the one that was begun", file.study.name);
            let hint = "`iotrial study FILE --resume` says what changed, and how to go on";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        journal.settle(&store)?;
    }
    let mut taken: Vec<Taken> = Vec::new();
    for name in &args.records {
        let path = find(&store, name)?;
        let record = read_record(&path).map_err(Failure::input)?;
        let cell = place(&file, journal.as_ref(), &taken, &record)
            .with_context(|| {
                format!("`{}` cannot become a part of the study `{}`", path.display(), file.study.name)
            })
            .map_err(|error| Failure::input(error).hint(HINT.to_owned()))?;
        match cell {
            Some(cell) => taken.push(Taken { cell, record, path }),
            None => eprintln!("note: {} is a part of the study already", path.display()),
        }
    }
    let mut journal = match journal {
        Some(journal) => journal,
        None => StudyJournal::create(&store, &file.study)?,
    };
    for Taken { cell, record, path } in taken {
        store
            .adopt(&record, &path)
            .with_context(|| format!("cannot take `{}` into the store", path.display()))
            .map_err(Failure::execution)?;
        journal.note(JournalLine::Done { cell, record: record.id })?;
    }
    let shown = Shown::new(&file.study, Some(journal.progress()), &store)?;
    shown.write_and_print(&store, &ReportFiles::default(), args.json)?;
    Ok(ExitCode::SUCCESS)
}

const HINT: &str =
    "none of the records was taken; `iotrial study export` makes a part that measures the right load";

/// A record and the cell that it fills.
struct Taken {
    cell: Cell,
    record: RunRecord,
    path: PathBuf,
}

fn elsewhere<'f>(file: &'f StudyFile, label: &str) -> Result<&'f Configuration, Failure> {
    let Some(configuration) = file.study.configuration(label) else {
        let labels: Vec<String> =
            file.study.configurations.iter().map(|one| format!("`{}`", harmless(&one.label))).collect();
        let error =
            anyhow::anyhow!("the study `{}` has no configuration `{}`", file.study.name, harmless(label));
        return Err(Failure::input(error).hint(format!("it has {}", labels.join(", "))));
    };
    if !configuration.elsewhere {
        let error = anyhow::anyhow!("configuration `{}` is measured here", harmless(label));
        return Err(Failure::input(error).hint("`elsewhere = true` gives it to another machine".to_owned()));
    }
    Ok(configuration)
}

/// The file that is meant: a path, or the id of a record in the store.
fn find(store: &Store, name: &str) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(name);
    if path.is_file() {
        return Ok(path);
    }
    store.find(name).map_err(|error| {
        Failure::input(error).hint("give files, or ids that `iotrial records` lists".to_owned())
    })
}

/// The cell that a record fills; `None` where it does so already.
fn place(
    file: &StudyFile,
    journal: Option<&StudyJournal>,
    taken: &[Taken],
    record: &RunRecord,
) -> anyhow::Result<Option<Cell>> {
    let study = &file.study;
    let label = record.label.as_deref().context("it has no label")?;
    let configuration = study
        .configuration(label)
        .with_context(|| format!("the study has no configuration `{}`", harmless(label)))?;
    ensure!(configuration.elsewhere, "configuration `{}` is measured here", harmless(label));
    if let Some(place) = &record.study {
        let whole = study.whole_name();
        ensure!(place.name == whole, "it is of the study `{}`, not of `{whole}`", harmless(&place.name));
    }
    for (key, value) in &record.attributes {
        let wanted = configuration.attributes.get(key);
        ensure!(
            wanted.is_none_or(|wanted| wanted == value),
            "its attribute `{}` is {}, not {}",
            harmless(key),
            harmless(&value.to_string()),
            wanted.map(ToString::to_string).unwrap_or_default()
        );
    }
    let profile =
        study.embedded.iter().find(|embedded| embedded.text == record.profile).with_context(|| {
            format!("its profile `{}` is none of the study, word for word", harmless(&record.plan.profile))
        })?;
    check_load(file, configuration, &profile.name, record)?;
    let cell = |repeat| Cell { label: label.to_owned(), profile: profile.name.clone(), repeat };
    let record_of = |cell: &Cell| {
        let of_journal = journal.and_then(|journal| match journal.progress().end_of(cell) {
            CellEnd::Done { record } => Some(record.as_str()),
            _ => None,
        });
        of_journal.or_else(|| taken.iter().find(|one| one.cell == *cell).map(|one| one.record.id.as_str()))
    };
    if (1..=study.repeats).any(|repeat| record_of(&cell(repeat)) == Some(record.id.as_str())) {
        return Ok(None);
    }
    let wanted = match &record.study {
        Some(place) => place.repeat..=place.repeat,
        None => 1..=study.repeats,
    };
    let in_study = |repeat: &u32| (1..=study.repeats).contains(repeat);
    match wanted.clone().filter(in_study).map(cell).find(|cell| record_of(cell).is_none()) {
        Some(cell) => Ok(Some(cell)),
        None => match record_of(&cell(*wanted.start())) {
            Some(other) if wanted.start() == wanted.end() => {
                bail!(
                    "repeat {} of `{}` is measured by {} already",
                    wanted.start(),
                    harmless(label),
                    harmless(other)
                )
            }
            Some(_) => bail!("all {} repeats of `{}` are measured already", study.repeats, harmless(label)),
            None => bail!("it is repeat {} of {}", wanted.start(), study.repeats),
        },
    }
}

/// Whether a record measured what the study asks of a configuration.
fn check_load(
    file: &StudyFile,
    configuration: &Configuration,
    profile: &str,
    record: &RunRecord,
) -> anyhow::Result<()> {
    let how = record.ended.how;
    ensure!(how == EndedHow::Complete, "its run did not end as planned");
    let method = record.tool.method_version;
    ensure!(method == METHOD_VERSION, "it was measured by method {method}, not {METHOD_VERSION}");
    let args = file.load_args(configuration, profile, 1, &Ways { quiet: true, store: None, released: None });
    let asked =
        unseen_plan(&args, &file.load(profile).0).map_err(|failure| anyhow::anyhow!(failure.reason()))?;
    // As it comes out of a record, where the last digit of a number may be another one.
    let asked: Plan = serde_json::from_str(&serde_json::to_string(&asked)?)?;
    let plan = &record.plan;
    let form = |plan: &Plan| if plan.quick { "quick" } else { "full" };
    ensure!(
        plan.quick == asked.quick,
        "it is the {} form of the profile, not the {}",
        form(plan),
        form(&asked)
    );
    let access = |plan: &Plan| if plan.direct { "direct I/O" } else { "the page cache" };
    ensure!(plan.direct == asked.direct, "it went through {}, not {}", access(plan), access(&asked));
    ensure!(plan.polled == asked.polled, "its completions were polled for");
    let is_real = |plan: &Plan| plan.engine.touches_targets();
    ensure!(
        is_real(plan) == is_real(&asked) && (is_real(plan) || plan.engine == asked.engine),
        "it was made by the engine `{}`, not `{}`",
        plan.engine.as_str(),
        asked.engine.as_str()
    );
    ensure!(plan.until_steady == asked.until_steady, "it was measured until it was steady");
    let phases = |plan: &Plan| {
        let words = plan
            .phases
            .iter()
            .map(|phase| format!("{} {}", phase.kind.as_str(), format_duration(phase.duration)));
        words.collect::<Vec<_>>().join(", ")
    };
    ensure!(plan.phases == asked.phases, "its phases are {}, not {}", phases(plan), phases(&asked));
    ensure!(
        loads(plan) == loads(&asked),
        "its jobs are not those of the profile, as after a search for a rate"
    );
    if file.study.load.size.is_some() {
        let (has, wants) = (working_set(plan), working_set(&asked));
        ensure!(is_same_size(has, wants), "its jobs worked on {has}, not {wants}");
    }
    Ok(())
}

/// What the jobs of a plan do, wherever they do it.
fn loads(plan: &Plan) -> Vec<Job> {
    let load = |job: &Job| Job { areas: Vec::new(), working_set: ByteSize::default(), ..job.clone() };
    plan.jobs.iter().map(load).collect()
}
