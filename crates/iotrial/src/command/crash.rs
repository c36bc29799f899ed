//! `iotrial verify crash`: does what was flushed survive a cut?

use std::io::{self, BufRead as _};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context as _;
use iotrial_engine::crash::JournalSink;
use iotrial_engine::crash::journal::acknowledgement;
use iotrial_model::crash::CrashOutcome;
use iotrial_report::document::Document;
use iotrial_session::crash::{self, JournalPlace};

use crate::cli::{ArmArgs, CrashCheckArgs, CrashCommand, KeepArgs};
use crate::failure::{Failure, INCONCLUSIVE, INTERRUPTED, NOT_CARRIED_OUT, NOT_QUALIFIED};
use crate::output::{self, say};
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};
use crate::report_files::ReportFiles;
use crate::shell_line;
use crate::signal::{control_by_signals, control_without_a_word};
use crate::watchers::{Wanted, Watchers};

/// Does what was asked for.
pub fn crash(command: &CrashCommand) -> Result<ExitCode, Failure> {
    match command {
        CrashCommand::Arm(args) => arm(args),
        CrashCommand::Check(args) => check(args),
        CrashCommand::Keep(args) => keep(args),
    }
}

/// The journal on standard output, with acknowledgements on standard input.
struct Keeper;

impl JournalSink for Keeper {
    fn keep(&mut self, line: &str) -> io::Result<()> {
        output::bytes(line.as_bytes()).map_err(|failure| io::Error::other(failure.reason()))?;
        let mut answer = String::new();
        let length = io::stdin().lock().read_line(&mut answer)?;
        if length == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "whoever keeps it is gone"));
        }
        if answer.trim_end() != acknowledgement(line) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is no acknowledgement"));
        }
        Ok(())
    }
}

fn arm(args: &ArmArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&ReportFiles::default(), args.json).checked()?;
    let watchers = Watchers::new(Wanted { quiet: args.quiet, ..Wanted::default() })?;
    let control = control_by_signals()?;
    let is_kept_elsewhere = args.journal.as_os_str() == "-";
    if is_kept_elsewhere && args.json {
        return Err(Failure::input(anyhow::anyhow!("--json and --journal - both need standard output"))
            .hint("leave --json out: the check after the cut has it".to_owned()));
    }
    let place =
        if is_kept_elsewhere { JournalPlace::Keeper(&mut Keeper) } else { JournalPlace::File(&args.journal) };
    // A time that is over stops the writer, too; only what the user pulled is an interruption.
    let Some(answer) = crash::arm(&args.request(), place, &control, &*watchers)? else {
        say!("stopped before the first write; nothing was left behind");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let document = Document::of_armed_run(&answer);
    let journal = shell_line::quoted(&args.journal.to_string_lossy());
    let next = (!is_kept_elsewhere).then(|| format!("iotrial verify crash check {journal} --cut process"));
    Presentation::new(&document, vec![Value::alone(&answer)]).with_next(next).show(&outputs)?;
    Ok(if answer.has_failed() {
        ExitCode::from(NOT_QUALIFIED)
    } else if answer.is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

fn check(args: &CrashCheckArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json).checked()?;
    let watchers = Watchers::new(Wanted { quiet: args.quiet, ..Wanted::default() })?;
    let control = control_without_a_word()?;
    let answer = crash::check(&args.request(), &control, &*watchers)?;
    let document = Document::of_crash_check(&answer);
    Presentation::new(&document, vec![Value::alone(&answer)]).show(&outputs)?;
    Ok(match answer.outcome {
        CrashOutcome::Kept => ExitCode::SUCCESS,
        CrashOutcome::Lost => ExitCode::from(NOT_QUALIFIED),
        CrashOutcome::Inconclusive if control.is_stopping() => ExitCode::from(INTERRUPTED),
        CrashOutcome::Inconclusive => ExitCode::from(INCONCLUSIVE),
    })
}

fn keep(args: &KeepArgs) -> Result<ExitCode, Failure> {
    let watchers = Watchers::new(Wanted::default())?;
    // Ctrl-C reaches the command as well, and what it still sends is kept.
    let _control = control_without_a_word()?;
    let (program, words) = args.command.split_first().expect("clap asks for at least one word");
    let mut child = None;
    let start = || {
        let started =
            Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let started = child.insert(started);
        let pipes = started.stdout.take().zip(started.stdin.take());
        let (sent, answers) = pipes.expect("both were asked for");
        Ok((Box::new(sent) as Box<dyn io::Read>, Box::new(answers) as Box<dyn io::Write>))
    };
    let kept = crash::keep(&args.journal, start, &*watchers, &mut |line| say!("{line}"));
    let Some(mut child) = child else {
        kept?;
        unreachable!("without an error, the command was started");
    };
    if kept.is_err() {
        // Its writes are of no use any more. One that has ended by itself cannot be ended.
        let _ = child.kill();
    }
    let ended = child.wait().context("cannot wait for the command").map_err(Failure::execution)?;
    kept?;
    let code = ended.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(NOT_CARRIED_OUT)))
}
