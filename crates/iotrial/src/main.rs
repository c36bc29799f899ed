//! iotrial puts storage on trial before a database depends on it.
//!
//! The program is thin: it reads the command line, asks the libraries, prints, and decides on exit
//! codes. Data goes to standard output, everything else to standard error.

#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "only the program prints; data goes out by `output`")]
#![allow(unreachable_pub, reason = "nothing outside a program reaches into it")]

mod cli;
mod command;
mod failure;
mod fio_job;
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

use crate::cli::{Cli, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Some(Command::Run(args)) => command::run::run(&args),
        Some(Command::Sweep(args)) => command::sweep::sweep(&args),
        Some(Command::Study(args)) => command::study::study(&args),
        Some(Command::Report(args)) => command::report::report(&args),
        Some(Command::Compare(args)) => command::compare::compare(&args),
        Some(Command::Audit(args)) => command::audit::audit(&args),
        Some(Command::Size(args)) => command::size::size(&args),
        Some(Command::Import(args)) => command::import::import(&args),
        Some(Command::Records(args)) => command::records::records(&args),
        Some(Command::Profiles(args)) => command::profiles::profiles(&args),
        Some(Command::Target(args)) => command::target::target(&args),
        Some(Command::Clean(args)) => command::clean::clean(&args),
        Some(Command::Completions { shell }) => command::generate::completions(shell),
        Some(Command::Man { directory }) => command::generate::man_pages(&directory),
        None => command::interview::interview(),
    };
    result.unwrap_or_else(|failure: Failure| {
        eprintln!("{failure}");
        failure.exit_code()
    })
}
