//! iotrial puts storage on trial before a database depends on it.
//!
//! The program is thin: it reads the command line, asks the libraries, prints, and decides on exit
//! codes. Data goes to standard output, everything else to standard error.

#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "only the program prints; data goes out by `output`")]
#![allow(unreachable_pub, reason = "nothing outside a program reaches into it")]

mod cli;
mod command;
mod docs;
mod failure;
mod fio_job;
mod gates;
mod intake;
mod live;
mod output;
mod parallel;
mod presentation;
mod report_files;
mod signal;
mod store;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::Failure;

fn main() -> ExitCode {
    // First: a shell that completes a line runs the program with a variable that says so, and nothing else may happen then.
    command::generate::answer_shell();
    command::carry_out(Cli::parse().command).unwrap_or_else(|failure: Failure| {
        // The one place where an error is printed, so that none is printed twice.
        eprintln!("{failure}");
        failure.exit_code()
    })
}
