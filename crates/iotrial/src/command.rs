//! One module for each command.

pub mod audit;
pub mod awr;
pub mod capture;
pub mod check;
pub mod clean;
pub mod compare;
pub mod config;
pub mod crash;
pub mod docs;
pub mod dry_run;
pub mod generate;
pub mod import;
pub mod interview;
pub mod label;
pub mod observe;
pub mod open;
pub mod profiles;
pub mod records;
pub mod remove;
pub mod report;
pub mod run;
pub mod schema;
pub mod size;
pub mod study;
pub mod sweep;
pub mod target;
pub mod thresholds;
pub mod watch;

use std::process::ExitCode;

use crate::cli::Command;
use crate::failure::Failure;

/// Does what was asked for; without a command, asks what is wanted.
pub fn carry_out(command: Option<Command>) -> Result<ExitCode, Failure> {
    // Each returns its exit code itself: what 1 means differs, but 2 and 3 are always those of `Failure`.
    match command {
        Some(Command::Check(args)) => check::check(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Verify(args)) => run::verify(&args),
        Some(Command::Sweep(args)) => sweep::sweep(&args),
        Some(Command::Study(args)) => study::study(&args),
        Some(Command::Watch(args)) => watch::watch(&args),
        Some(Command::Observe(args)) => observe::observe(&args),
        Some(Command::Capture(args)) => capture::capture(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Audit(args)) => audit::audit(&args),
        Some(Command::Size(args)) => size::size(&args),
        Some(Command::Awr(args)) => awr::awr(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Records(args)) => records::records(&args),
        Some(Command::Open(args)) => open::open(&args),
        Some(Command::Label(args)) => label::label(&args),
        Some(Command::Remove(args)) => remove::remove(&args),
        Some(Command::Profiles(args)) => profiles::profiles(&args),
        Some(Command::Thresholds(args)) => thresholds::thresholds(&args),
        Some(Command::Target(args)) => target::target(&args),
        Some(Command::Clean(args)) => clean::clean(&args),
        Some(Command::Schema { name }) => schema::schema(name.as_deref()),
        Some(Command::Config(args)) => config::config(&args),
        Some(Command::Docs(args)) => docs::docs(&args),
        Some(Command::Help(args)) => docs::help(&args),
        Some(Command::Completions { shell }) => generate::completions(shell),
        Some(Command::Man { directory, overwrite }) => generate::man_pages(&directory, overwrite),
        None => interview::interview(),
    }
}
