//! `iotrial capture`: the block I/O of a running database, or of a trace, and the profile that makes it again.

#[cfg(target_os = "linux")]
#[path = "capture/linux.rs"]
mod os;
#[cfg(not(target_os = "linux"))]
#[path = "capture/elsewhere.rs"]
mod os;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use iotrial_analysis::capture::{Capture, CaptureAnswer, Compared, compared};
use iotrial_import::block_trace::{BlockTraceError, BlockTraceReader};
use iotrial_model::block_trace::TraceFacts;
use iotrial_model::profile::Profile;
use iotrial_model::units::parse_duration;
use iotrial_report::document::Document;
use iotrial_session::read_files;
use iotrial_words::capture::profile_text;
use serde::Serialize;

use crate::cli::CaptureArgs;
use crate::failure::{Failure, INCONCLUSIVE, INTERRUPTED};
use crate::intake::STANDARD_INPUT;
use crate::next;
use crate::outputs::{Content, Outputs};
use crate::presentation::{Presentation, Value};
use crate::shell_line::quoted;

/// How long a host is traced.
const USUAL: Duration = Duration::from_mins(1);
/// A line of a trace is never longer; what follows is another line.
const LONGEST_LINE: u64 = 1 << 16;

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    answer: &'a CaptureAnswer,
    /// The profile beside the capture.
    compared: &'a [Compared],
    /// The profile itself.
    profile: &'a str,
}

/// Traces, or reads a trace.
pub fn capture(args: &CaptureArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json)
        .and("--output", args.output.as_ref(), Content::Format("iotrial.profile/"))
        .checked()?;
    let (answer, is_stopped) = match wanted(args)? {
        Wanted::Live(duration) => {
            outputs.all_is_read()?;
            os::live(args, duration)?
        }
        Wanted::File(path) => (of_file(path)?, false),
    };
    let name = args
        .output
        .as_deref()
        .and_then(Path::file_stem)
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let text = profile_text(&profile_name(&name), &answer.facts, answer.duration_s, &answer.jobs);
    let profile = Profile::parse(&text)
        .context("the captured load does not make a valid profile")
        .map_err(Failure::execution)?;
    let compared = compared(&answer, &profile);
    if let Some(path) = &args.output {
        outputs.write(path, text.as_bytes())?;
    }
    let document = Document::of_capture(&answer, &compared);
    let printed = Printed { answer: &answer, compared: &compared, profile: &text };
    let others = args.output.iter().map(|path| ("profile", &**path)).collect();
    let presentation = Presentation { others, ..Presentation::new(&document, vec![Value::alone(&printed)]) };
    presentation.with_next(next_step(args)).show(&outputs)?;
    Ok(match (is_stopped, answer.facts.lost_count) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (_, 0) => ExitCode::SUCCESS,
        _ => ExitCode::from(INCONCLUSIVE),
    })
}

/// What is captured.
enum Wanted<'a> {
    Live(Duration),
    File(&'a Path),
}

fn wanted(args: &CaptureArgs) -> Result<Wanted<'_>, Failure> {
    let is_file = |path: &Path| path == Path::new(STANDARD_INPUT) || path.exists();
    match &args.what[..] {
        [] => Ok(Wanted::Live(USUAL)),
        [file] if is_file(file) && args.targets.is_empty() && args.pid.is_none() => Ok(Wanted::File(file)),
        [file] if is_file(file) => {
            let error = anyhow!("a trace has the devices that it has");
            Err(Failure::input(error)
                .hint("leave --target and --pid out, or trace only that device".to_owned()))
        }
        [duration] => match parse_duration(&duration.to_string_lossy()) {
            Ok(duration) if !duration.is_zero() => Ok(Wanted::Live(duration)),
            _ => {
                let error = anyhow!("`{}` is neither a file nor a duration", duration.display());
                Err(Failure::input(error).hint("give a time such as 5m, or a trace that is there".to_owned()))
            }
        },
        _ => {
            let error = anyhow!("one trace is read at a time");
            Err(Failure::input(error)
                .hint("put parts of one trace together: cat A B | iotrial capture -".to_owned()))
        }
    }
}

/// Reads a trace to its end, line by line: it may be longer than memory.
fn of_file(path: &Path) -> Result<CaptureAnswer, Failure> {
    let file: Box<dyn Read> = if path == Path::new(STANDARD_INPUT) {
        read_files::note_standard_input();
        Box::new(std::io::stdin())
    } else {
        read_files::note_at(path);
        let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()));
        Box::new(file.map_err(Failure::input)?)
    };
    let mut file = BufReader::new(file);
    let (mut reader, mut capture, mut line) = (BlockTraceReader::default(), Capture::default(), Vec::new());
    loop {
        line.clear();
        let length = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let length =
            length.with_context(|| format!("cannot read `{}`", path.display())).map_err(Failure::input)?;
        if length == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        reader
            .line(text.trim_end(), &mut |event| capture.add(event))
            .map_err(|error| refused(path, error))?;
    }
    let (lost_count, other_line_count) = (reader.lost_count, reader.other_line_count);
    let (source, devices) = reader.end().map_err(|error| refused(path, error))?;
    Ok(capture.answer(TraceFacts {
        source,
        host: None,
        devices,
        traced_s: None,
        lost_count,
        other_line_count,
        cost: None,
    }))
}

fn refused(path: &Path, error: BlockTraceError) -> Failure {
    let hint = match error {
        BlockTraceError::NoSectors => "trace with BCC's biosnoop, perf or `iotrial capture`",
        BlockTraceError::Unknown => {
            "the text of perf script, blkparse, biosnoop or trace_pipe is read; `iotrial docs capture` has the commands"
        }
        BlockTraceError::NoIo => "trace the event block:block_rq_issue, while the load runs",
    };
    let error = anyhow::Error::new(error).context(format!("cannot read the trace `{}`", path.display()));
    Failure::input(error).hint(hint.to_owned())
}

/// A name that no built-in profile has.
fn profile_name(stem: &str) -> String {
    let stem: String =
        stem.chars().filter(|one| one.is_ascii_alphanumeric() || "-_".contains(*one)).take(40).collect();
    if stem.is_empty() { "captured".to_owned() } else { format!("captured-{stem}") }
}

fn next_step(args: &CaptureArgs) -> Option<String> {
    if let Some(path) = &args.output {
        let path = quoted(&path.display().to_string());
        return Some(format!("iotrial run {path} --target DIRECTORY   # the same load on other storage"));
    }
    // What came through a pipe is gone.
    let is_pipe = args.what.iter().any(|path: &PathBuf| path.as_path() == Path::new(STANDARD_INPUT));
    let typed = if is_pipe { None } else { next::without("capture", &[]) };
    typed.map(|typed| format!("{typed} -o captured.toml   # writes the profile for `iotrial run`"))
}
