//! `iotrial study`: several configurations, repeated and interleaved; resumes where it stopped.

mod file;

mod journal;

mod released;

mod shell;

mod outlook;

mod carry;

mod exchange;

mod compared;

mod shown;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dialoguer::Confirm;
use iotrial_model::record::AttributeValue;
use iotrial_model::study::{Cell, CellEnd, Progress, Study};

use crate::cli::{StudyArgs, StudyCommand};
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output::harmless;
use crate::report_files::ReportFiles;
use crate::signal::control_by_signals;
use crate::store::Store;
use carry::Carrier;
use file::StudyFile;
use journal::StudyJournal;
use outlook::Outlook;
use released::Released;
use shown::Shown;

/// Carries a study out, or does what else is asked of it.
pub fn study(args: &StudyArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(StudyCommand::Export(args)) => return exchange::export(args),
        Some(StudyCommand::Add(args)) => return exchange::add(args),
        None => {}
    }
    // The report of the part that was done is that of an unfinished study.
    let overwrite = args.files.overwrite || args.resume;
    let args = &StudyArgs { files: ReportFiles { overwrite, ..args.files.clone() }, ..args.clone() };
    args.files.check(args.json, &[])?;
    let file = StudyFile::read(args.file.as_deref().expect("a file or a command is required"))?;
    match file.study.profiles.len() {
        2.. if args.files.take_standard_output() => {
            let error = anyhow::anyhow!("the study has several profiles, and each a report of its own");
            return Err(Failure::input(error).hint("give the name of a file instead of `-`".to_owned()));
        }
        // The names of their files are known when they are compared.
        2.. => {}
        _ => args.files.check_are_writable()?,
    }
    if args.dry_run {
        let progress = progress_to_resume(args, &file.study)?;
        let is_missing = |cell: &Cell| !progress.as_ref().is_some_and(|progress| is_done(progress, cell));
        let outlook = Outlook::of(&file, args, &Released::of(&file, &args.destroy)?, is_missing)?;
        outlook.print(&file.study, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
    if args.status {
        let progress = StudyJournal::look(&store, &file.study)?;
        let shown = Shown::new(&file.study, progress.as_ref(), &store)?;
        shown.compared().write_and_print(&store, &args.files, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    measure(args, &file, &store)
}

/// A measurement of a study that is done.
pub struct Measured {
    /// Label of its configuration, as the study has it now.
    pub label: String,
    /// Attributes of its configuration, likewise.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Where its record is.
    pub record: PathBuf,
}

/// What is measured of the study in a file, for a comparison; of several profiles it has to be said which one.
pub fn measured(path: &Path, profile: Option<&str>, store: &Store) -> Result<Vec<Measured>, Failure> {
    let StudyFile { study, .. } = StudyFile::read(path)?;
    let profile = match (profile, study.profiles.as_slice()) {
        (None, [only]) => only,
        (Some(name), profiles) if profiles.iter().any(|profile| profile == name) => name,
        (wanted, profiles) => {
            let known =
                profiles.iter().map(|one| format!("`{}`", harmless(one))).collect::<Vec<_>>().join(", ");
            let error = match wanted {
                Some(name) => {
                    anyhow::anyhow!("the study `{}` has no profile `{}`", study.name, harmless(name))
                }
                None => {
                    anyhow::anyhow!("the study `{}` has several profiles, which are other loads", study.name)
                }
            };
            return Err(Failure::input(error).hint(format!("--profile takes one of {known}")));
        }
    };
    let progress = StudyJournal::look(store, &study)?;
    let shown = Shown::new(&study, progress.as_ref(), store)?;
    let measured: Vec<Measured> = shown.measured_under(profile).collect();
    if measured.is_empty() {
        let error = anyhow::anyhow!(
            "nothing of the study `{}` is measured under `{}`",
            study.name,
            harmless(profile)
        );
        return Err(Failure::input(error).hint("`iotrial study FILE` measures it".to_owned()));
    }
    Ok(measured)
}

/// How far the study came that is to be resumed. Nothing is made where there is no store.
fn progress_to_resume(args: &StudyArgs, study: &Study) -> Result<Option<Progress>, Failure> {
    let place = args.store.store.as_deref();
    if !args.resume || !Store::locate(place).is_some_and(|folder| folder.exists()) {
        return Ok(None);
    }
    let store = Store::open(place).map_err(Failure::execution)?;
    let progress = StudyJournal::look(&store, study)?;
    Ok(progress.map(|progress| progress.asked_now(study)))
}

/// Whether the cell is measured.
fn is_done(progress: &Progress, cell: &Cell) -> bool {
    matches!(progress.end_of(cell), CellEnd::Done { .. })
}

/// Measures what is missing, and shows what came of it.
fn measure(args: &StudyArgs, file: &StudyFile, store: &Store) -> Result<ExitCode, Failure> {
    let mut journal = open_journal(args, &file.study, store)?;
    let is_missing = |cell: &Cell| journal.as_ref().is_none_or(|journal| !journal.is_done(cell));
    // Whatever would be refused later is refused now, before anything is touched.
    let released = Released::of(file, &args.destroy)?;
    let outlook = Outlook::of(file, args, &released, is_missing)?;
    let attached = journal.as_ref().and_then(StudyJournal::attached);
    let runs_commands = outlook.runs_commands || attached.as_ref().is_some_and(|(_, after)| after.is_some());
    if runs_commands && !consent(args, file, attached.as_ref().and_then(|(_, after)| after.as_deref()))? {
        eprintln!("nothing was done");
        return Ok(ExitCode::from(NOT_CARRIED_OUT));
    }
    let journal = match journal.take() {
        Some(journal) => journal,
        None => StudyJournal::create(store, &file.study)?,
    };
    let control = control_by_signals()
        .map_err(|error| Failure::execution(anyhow::Error::new(error).context("cannot catch Ctrl-C")))?;
    let mut carrier = Carrier::new(args, file, store, journal, control, released);
    let carried = carrier.carry_out(&outlook);
    // What is known is shown, whatever stopped the study.
    let shown = Shown::new(&file.study, Some(carrier.journal().progress()), store)?;
    let shown = shown.compared().write_and_print(store, &args.files, args.json);
    carried?;
    let shown = shown?;
    Ok(if shown.is_measured_here() { ExitCode::SUCCESS } else { ExitCode::from(NOT_CARRIED_OUT) })
}

/// The journal of what was done before, where that is to be gone on with; `None` where nothing was.
fn open_journal(args: &StudyArgs, study: &Study, store: &Store) -> Result<Option<StudyJournal>, Failure> {
    if args.restart {
        let (journal, aside) = StudyJournal::restart(store, study)?;
        if let Some(aside) = aside {
            eprintln!("note: the earlier journal is kept as {}", aside.display());
        }
        return Ok(Some(journal));
    }
    let Some(mut journal) = StudyJournal::open(store, study)? else { return Ok(None) };
    let changes = study.changes_since(journal.progress().study());
    let began_at = journal.progress().began_at.clone();
    if journal.progress().has_begun() && !args.resume {
        let count = study.cells().iter().filter(|cell| journal.is_done(cell)).count();
        let error = anyhow::anyhow!(
            "the study `{}` was begun at {began_at}, and {count} of {} measurements are done",
            study.name,
            study.cells().len()
        );
        return Err(Failure::input(error)
            .hint("--resume measures what is missing, --status shows it, --restart begins anew".to_owned()));
    }
    if !changes.is_empty() {
        if !journal.progress().is_untouched() && !args.accept_changes {
            let error = anyhow::anyhow!(
                "the study `{}` is not the one that was begun at {began_at}:\n  {}",
                study.name,
                changes.iter().map(|change| harmless(change)).collect::<Vec<_>>().join("\n  ")
            );
            let hint = "take the changes back, or go on with --resume --accept-changes, which measures again what they \
                        touch, begin anew with --restart, or give it another `name`; nothing that is measured is lost";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        journal.accept(study)?;
    }
    journal.settle(store)?;
    Ok(Some(journal))
}

/// Shows the commands of the study, and asks whether they may run.
fn consent(args: &StudyArgs, file: &StudyFile, left: Option<&str>) -> Result<bool, Failure> {
    let mut lines = Vec::new();
    if let Some(command) = left {
        lines.push(format!("  now, because it was left attached: {}", harmless(command)));
    }
    for configuration in file.study.configurations.iter().filter(|configuration| !configuration.elsewhere) {
        for (when, command) in [("before", &configuration.before), ("after", &configuration.after)] {
            let label = harmless(&configuration.label);
            lines.extend(command.iter().map(|command| format!("  {when} `{label}`: {}", harmless(command))));
        }
    }
    if !args.quiet || !args.yes {
        eprintln!(
            "commands of the study, run by the shell in {}:\n{}",
            shown_folder(file.folder()),
            lines.join("\n")
        );
    }
    if args.yes {
        return Ok(true);
    }
    let is_terminal = std::io::IsTerminal::is_terminal;
    if !is_terminal(&std::io::stdin()) || !std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        let error = anyhow::anyhow!("the study runs commands, and there is no terminal to confirm them");
        return Err(Failure::input(error).hint("read them, and add --yes".to_owned()));
    }
    Confirm::new().with_prompt("Run them").default(false).interact().map_err(Failure::execution)
}

fn shown_folder(folder: &Path) -> String {
    let folder = harmless(&folder.to_string_lossy());
    if folder.is_empty() { "the current folder".to_owned() } else { folder }
}
