//! iotrial puts storage on trial before a database depends on it.
//!
//! The program is thin: it reads the command line, asks the libraries, prints, and decides on exit
//! codes. Data goes to standard output, everything else to standard error.

#![forbid(unsafe_code)]
// Everything goes out by `output`: these would panic where nobody listens. Tests may say what they skip. Not `forbid`, which the
// `allow` of what clap derives contradicts; that nobody else allows them is held by a test of the structure.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![allow(unreachable_pub, reason = "nothing outside a program reaches into it")]

mod cli;
mod command;
mod docs;
#[cfg(test)]
mod documented;
mod schema;
mod effective;
mod failure;
mod fio_job;
mod gates;
mod habit;
mod heading;
mod intake;
mod json_stream;
mod live;
mod markdown;
mod http_server;
mod metrics_server;
mod next;
mod output;
mod output_file;
mod outputs;
mod pager;
mod plain_text;
mod parallel;
mod presentation;
mod progress_bar;
mod quiet;
mod report_files;
mod settings;
mod shell_line;
mod signal;
mod sparkline;
mod stopped;
mod store;
mod watchers;

use std::process::ExitCode;
use std::thread;

use anyhow::Context as _;
use iotrial_measure::process::{Memory, survive_file_size_limit};

use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output::painted;

#[global_allocator]
static MEMORY: Memory = Memory {
    message: "error: there is not enough memory\nhint: `iotrial clean DIRECTORY` removes files that a run left; raise the limit (ulimit -v), or give a shorter or smaller load\n",
    exit_code: NOT_CARRIED_OUT as i32,
};

/// The stack of the thread that does the work, in bytes.
// What Linux gives the first thread by default. The first thread has whatever `ulimit -s` and the system leave it, 1 MiB on Windows.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    survive_file_size_limit();
    let work = thread::Builder::new().name("iotrial".to_owned()).stack_size(STACK).spawn(command_line);
    match work.context("cannot start a thread").map_err(Failure::execution) {
        // A panic has said what it is by now; 101 is what it ends with everywhere.
        Ok(work) => work.join().unwrap_or(ExitCode::from(101)),
        Err(failure) => told(&failure),
    }
}

/// Reads the command line, and does what it says.
fn command_line() -> ExitCode {
    // First: a shell that completes a line runs the program with a variable that says so, and nothing else may happen then.
    command::generate::answer_shell();
    match effective::parse(std::env::args_os().collect()) {
        Ok(Ok(cli)) => command::carry_out(cli.command).unwrap_or_else(|failure| told(&failure)),
        Ok(Err(usage)) => answer(usage),
        Err(failure) => told(&failure),
    }
}

/// The one place where an error is printed, so that none is printed twice.
fn told(failure: &Failure) -> ExitCode {
    output::tell(failure);
    failure.exit_code()
}

/// Help, the version, or what is wrong with the command line, which may quote any argument.
fn answer(usage: clap::Error) -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let usage = habit::advised(usage, &words, cli::program());
    let code = ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(NOT_CARRIED_OUT));
    let text = usage.render();
    if usage.use_stderr() {
        // Without colours, which would have to be told from those of an argument.
        output::lines(text.to_string().trim_end());
        return code;
    }
    let shown = if output::has_colours() { text.ansi().to_string() } else { text.to_string() };
    painted(&shown).map_or_else(|failure| told(&failure), |()| code)
}
