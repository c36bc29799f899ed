//! `iotrial study`: several configurations, repeated and interleaved; resumes where it stopped.

mod outlook;

mod exchange;

mod compared;

mod new;

mod shown;

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use dialoguer::Confirm;
use iotrial_session::observer::Observer;
use iotrial_session::request::StudyRequest;
use iotrial_session::store::Store;
use iotrial_session::study::{self, Carried, ReadyStudy, StudyFile};

use crate::cli::{StudyArgs, StudyCommand};
use crate::effective;
use crate::failure::{Failure, INTERRUPTED, NOT_CARRIED_OUT};
use crate::intake::{self, Kind, Takes};
use crate::output::{JsonForm, harmless, say, stderr_is_terminal};
use crate::outputs::Outputs;
use crate::quiet::with_wait;
use crate::report_files::ReportFiles;
use crate::shell_line;
use crate::signal::control_by_signals;
use crate::store::{open_store, open_store_to_read};
use crate::watchers::{Wanted, Watchers};
pub use new::write as write_new;
use shown::Shown;

const TAKES: Takes = Takes { command: "study", what: "a study" };

/// Carries a study out, or does what else is asked of it.
pub fn study(args: &StudyArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(StudyCommand::New(args)) => return new::print(args),
        Some(StudyCommand::Export(args)) => return exchange::export(args),
        Some(StudyCommand::Add(args)) => return exchange::add(args),
        None => {}
    }
    // The report of the part that was done is that of an unfinished study.
    let files = ReportFiles { overwrite: args.files.overwrite || args.resume, ..args.files.clone() };
    // Before the study is read: the words are wrong whatever stands in it.
    let outputs = Outputs::new(&files, JsonForm::of(args.json, args.json_stream)).checked()?;
    let path = args.file.as_deref().expect("a file or a command is required");
    intake::expect(Kind::Study, path, &TAKES)?;
    let file = StudyFile::read(path)?;
    for (what, name) in file.falsely_named() {
        say!("note: the {what} `{name}` of this study differs from the built-in one of that name");
    }
    outputs.all_is_read()?;
    let request = args.request();
    // Who only asks what would be done takes no port from whoever does it.
    let listen = args.listen.listen.filter(|_| !args.dry_run && !args.status);
    let watchers = Watchers::new(Wanted { quiet: args.quiet, listen, json_stream: args.json_stream })?;
    let live = Arc::clone(&watchers) as Arc<dyn Observer>;
    // Before the store is opened, which would be made where there is none.
    if args.dry_run {
        outlook::print(&study::outlook(&file, &request, &live)?, &file.study, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.status {
        let store = open_store_to_read(&args.store)?;
        let progress = study::progress(&file, &store)?;
        let shown = Shown::new(&file.study, progress.as_ref(), &store)?;
        shown.compared().write_and_print(&store, &outputs)?;
        return Ok(ExitCode::SUCCESS);
    }
    measure(args, &outputs, &file, &request, &open_store(&args.store)?, &watchers)
}

/// Measures what is missing, and shows what came of it.
fn measure(
    args: &StudyArgs,
    outputs: &Outputs,
    file: &StudyFile,
    request: &StudyRequest,
    store: &Store,
    watchers: &Arc<Watchers>,
) -> Result<ExitCode, Failure> {
    let ready = ReadyStudy::new(file, request, store, Arc::clone(watchers) as Arc<dyn Observer>)?;
    if ready.runs_commands() && !consent(args, file, ready.left_command().as_deref())? {
        // Code 3 and not 0: whoever waits for the study in a script must not take «no» for «done».
        say!("nothing was done");
        return Ok(ExitCode::from(NOT_CARRIED_OUT));
    }
    let control = control_by_signals()?;
    let carried = with_wait(args.wait_for_quiet, |wait| ready.carry_out(wait, Arc::clone(&control)));
    // Before anything else is printed; whatever became of the stream, the records are in the store.
    let streamed = watchers.end_stream();
    let Carried { progress, result } = carried?;
    // What is known is shown, whatever stopped the study.
    let shown = Shown::new(&file.study, Some(&progress), store)?;
    let is_done = shown.is_measured_here();
    let is_stopped = control.is_stopping() && !is_done;
    let printed = shown.compared().stopped(is_stopped.then(|| again(args))).write_and_print(store, outputs);
    result?;
    streamed?;
    printed?;
    Ok(match (is_done, is_stopped) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => ExitCode::from(INTERRUPTED),
        (false, false) => ExitCode::from(NOT_CARRIED_OUT),
    })
}

/// The command that goes on with a study.
fn again(args: &StudyArgs) -> String {
    let file = args.file.as_deref().unwrap_or(Path::new("FILE")).to_string_lossy();
    // `--restart` would forget what is done.
    let typed = effective::typed_without("study", Some("--restart"))
        .unwrap_or_else(|| format!("iotrial study {}", shell_line::quoted(&file)));
    if args.resume { typed } else { format!("{typed} --resume") }
}

/// Shows the commands of the study, and asks whether they may run.
fn consent(args: &StudyArgs, file: &StudyFile, left: Option<&str>) -> Result<bool, Failure> {
    let mut lines = Vec::new();
    // It comes first, because it runs first: a volume of the last time is still attached.
    if let Some(command) = left {
        lines.push(format!("  now, because it was left attached: {}", harmless(command)));
    }
    for configuration in file.study.configurations.iter().filter(|configuration| !configuration.elsewhere) {
        for (when, command) in [("before", &configuration.before), ("after", &configuration.after)] {
            let label = harmless(&configuration.label);
            lines.extend(command.iter().map(|command| format!("  {when} `{label}`: {}", harmless(command))));
        }
        for (name, command) in &configuration.metric_commands {
            let label = harmless(&configuration.label);
            lines.push(format!("  {name} of `{label}`: {}", harmless(command)));
        }
    }
    // `--quiet` alone must not hide what is about to be confirmed.
    if !args.quiet || !args.yes {
        say!("commands of the study, run by the shell in {}:", shown_folder(file.folder()));
        lines.iter().for_each(|line| say!("{line}"));
    }
    if args.yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() || !stderr_is_terminal() {
        let error = anyhow::anyhow!("the study runs commands, and there is no terminal to confirm them");
        return Err(Failure::input(error).hint("read them, and add --yes".to_owned()));
    }
    // The default is no: Enter on a question that nobody read must not run a shell command.
    Confirm::new().with_prompt("Run them").default(false).interact().map_err(Failure::execution)
}

fn shown_folder(folder: &Path) -> String {
    let folder = harmless(&folder.to_string_lossy());
    if folder.is_empty() { "the current folder".to_owned() } else { folder }
}
