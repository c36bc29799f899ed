//! Checks, benchmarks and generated files of the workspace: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task tells what it does")]

use std::process::ExitCode;

mod workspace;
mod carried_out;
mod step;
mod test_run;
mod setup;
mod wine;
mod dist;
mod checks;
mod smoke;
mod bench;
mod facts;
// Shells, limits, links, pipes: the situations are those of Unix.
#[cfg(unix)]
mod attack;
#[cfg(unix)]
mod outcomes;
mod fuzz;
mod catalog;
mod source;
mod tree;
mod modules;
mod phrases;
mod structure;
#[cfg(test)]
mod architecture;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Commands:
  test [STEP]... everything that must hold before a change is merged; runs all steps, or those named, fails if one failed
                 `--fast`: what can be known in a minute
  bench [ROW]... the figures to reach, beside those of fio: CPU per I/O, IOPS, latency, arrivals, memory
                 `cargo xtask bench --help` lists rows and options
  facts [NAME].. a thousand results, of which ids, numbers and outcomes must be as they were frozen
                 `cargo xtask facts --help` says how
  dist [FOLDER]  what people install: tar.gz, deb, rpm, container image, zip for Windows, parts lists; each is unpacked and run
                 `cargo xtask dist --help` lists kinds and options
  outcomes       three cases in which the figures may not be those of the device, twenty times each: how often that was told
                 `cargo xtask outcomes --help` says which
  structure      lines, files, circles of modules and other signs of structure, of this checkout or of another
                 `cargo xtask structure --help` says which
  attack [CLASS].. hostile situations tried against the program, counted by class; as root also those with devices
                 `cargo xtask attack --help` says how
  fuzz [ROW]...  mutated inputs on every reader of what strangers write: how many, and what was found
                 `cargo xtask fuzz --help` says how
  catalog PROVIDER FILE...  what a provider's public price and limit files would change in its catalog
                 `cargo xtask catalog --help` says which files, and how to write it";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test", ..] => checks::run(&arguments[1..], &workspace::root()?),
        ["bench", ..] => bench::bench(&arguments[1..], &workspace::root()?),
        ["facts", ..] => facts::facts(&arguments[1..], &workspace::root()?),
        #[cfg(unix)]
        ["attack", ..] => attack::attack(&arguments[1..], &workspace::root()?),
        #[cfg(unix)]
        ["outcomes", ..] => outcomes::outcomes(&arguments[1..], &workspace::root()?),
        ["dist", ..] => dist::dist(&arguments[1..], &workspace::root()?),
        ["fuzz", ..] => fuzz::fuzz(&arguments[1..], &workspace::root()?),
        ["catalog", ..] => catalog::catalog(&arguments[1..], &workspace::root()?),
        ["structure", ..] => structure::structure(&arguments[1..], &workspace::root()?),
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
