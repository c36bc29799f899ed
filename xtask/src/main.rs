//! Checks, benchmarks and generated files of the workspace: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task tells what it does")]

use std::process::ExitCode;

mod workspace;

mod step;

mod setup;

mod checks;

mod bench_fio;

#[cfg(test)]
mod architecture;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Commands:
  test                  everything that must hold before a change is merged; runs all steps, fails if one failed
  bench fio [OPTIONS]   the same load by fio and by iotrial, in pairs: IOPS, latency and CPU per I/O
                        --pairs 5, --size 2GiB, --runtime 15 (seconds), --target FOLDER";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => checks::run(&workspace::root()?),
        ["bench", "fio", ..] => {
            bench_fio::bench_fio(&arguments[2..], &workspace::root()?)?;
            Ok(ExitCode::SUCCESS)
        }
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}
