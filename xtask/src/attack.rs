//! `cargo xtask attack`: hostile situations tried against the built program, counted by class.
//!
//! A class is a file of `attack/` with one function that tries its cases on a [`Ground`]. A class that needs no root also runs with
//! the ordinary tests, which include this file (`crates/iotrial/tests/it/attacks.rs`), so that it stays small: a few seconds and at most
//! 64 MiB. To add one: its file, a `mod` line, a row of [`CLASSES`], and where it needs no root its name in that test.

// By their paths, because the tests of the program include this file, and would look for the modules elsewhere.
#[path = "attack/denied.rs"]
mod denied;
#[path = "attack/devices.rs"]
mod devices;
#[path = "attack/foreign_text.rs"]
mod foreign_text;
#[path = "attack/full_store.rs"]
mod full_store;
#[path = "attack/ground.rs"]
mod ground;
#[path = "attack/inputs.rs"]
mod inputs;
#[path = "attack/left_over.rs"]
pub(crate) mod left_over;
#[path = "attack/limits.rs"]
mod limits;
#[path = "attack/output.rs"]
mod output;
#[path = "attack/store.rs"]
mod store;

#[path = "attack/groups.rs"]
mod groups;
#[path = "attack/kills.rs"]
mod kills;
#[path = "attack/pauses.rs"]
mod pauses;
#[path = "attack/races.rs"]
mod races;
#[path = "attack/space.rs"]
mod space;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

#[allow(unused_imports, reason = "the task `outcomes` makes devices, and the ordinary tests do not")]
pub(crate) use ground::Loop;
pub(crate) use ground::{Ground, Tally, is_root};

/// What the folder of a class begins with.
const FOLDER_PREFIX: &str = "attack-";

/// Cases of one kind.
pub(crate) struct Class {
    /// On the command line, and that of the test.
    pub(crate) name: &'static str,
    /// What holds when no case fails.
    pub(crate) claim: &'static str,
    /// Whether its cases need devices, mounts, control groups or other users.
    pub(crate) needs_root: bool,
    /// Tries all cases. An error means that the class could not be tried, not that a case failed.
    pub(crate) run: fn(&mut Ground) -> anyhow::Result<()>,
}

/// All of them, in the order in which they run.
pub(crate) const CLASSES: &[Class] = &[
    Class {
        name: "output",
        claim: "an output that is full, closed or gone never ends in a panic, and leaves no test files",
        needs_root: false,
        run: output::run,
    },
    Class {
        name: "limits",
        claim: "without memory, stack, threads, files or room in them there is a clear error with exit code 3",
        needs_root: false,
        run: limits::run,
    },
    Class {
        name: "denied",
        claim: "without the calls that a container denies, a run does without them or says so, and leaves nothing",
        needs_root: false,
        run: denied::run,
    },
    Class {
        name: "inputs",
        claim: "what is too large, endless or no file is refused before it is read",
        needs_root: false,
        run: inputs::run,
    },
    Class {
        name: "store",
        claim: "no index hides the records, and no journal changes one or leads out of the store",
        needs_root: false,
        run: store::run,
    },
    Class {
        name: "full_store",
        claim: "a full or read-only store costs no figures",
        needs_root: true,
        run: full_store::run,
    },
    Class {
        name: "foreign_text",
        claim: "text of strangers never reaches the terminal raw, and never begins a line of it",
        needs_root: false,
        run: foreign_text::run,
    },
    Class {
        name: "devices",
        claim: "a raw device that anybody else has open, or that cannot be looked at, is never written",
        needs_root: true,
        run: devices::run,
    },
    Class {
        name: "races",
        claim: "what is exchanged between a look and the next call is never removed, followed or filled",
        needs_root: true,
        run: races::run,
    },
    Class {
        name: "kills",
        claim: "killed at any call, a run leaves nothing that clean does not find",
        needs_root: true,
        run: kills::run,
    },
    Class {
        name: "space",
        claim: "a tenth and a gibibyte of a file system stay free, whoever shares its room",
        needs_root: true,
        run: space::run,
    },
    Class {
        name: "groups",
        claim: "in a control group with little of something a run has a clear error, or says what it lacked",
        needs_root: true,
        run: groups::run,
    },
    Class {
        name: "pauses",
        claim: "a stop of iotrial is not told as a stall, and a device that lost its end is not qualified",
        needs_root: true,
        run: pauses::run,
    },
];

/// Tries the cases of a class with a program, in a folder below `folder` that is gone afterwards.
///
/// Of thousands of cases of one kind, one in `one_in` is tried: all of them take minutes.
pub(crate) fn try_class(class: &Class, program: &Path, folder: &Path, one_in: u32) -> anyhow::Result<Tally> {
    let mut ground = Ground::new(program, folder, one_in)?;
    (class.run)(&mut ground).with_context(|| format!("the class `{}` cannot be tried", class.name))?;
    Ok(ground.into_tally())
}

const USAGE: &str = "\
Usage: cargo xtask attack [CLASS]... [OPTIONS]

Tries hostile situations against the program and counts the cases that fail, by class; all classes without a name. Those
that need root are skipped for other users. Prints a line for each class, and each failed case. Stopped by a signal, it takes
down the devices and mounts that it made; killed, it leaves that to the next time.

Options:
  --program FILE   the program to attack [default: built from this checkout]
  --folder FOLDER  where devices, stores and test files are made [default: below the build's folder]
  --one-in N       try one in N of the cases that are many of a kind [default: 1]
  --list           list the classes

Examples:
  cargo xtask attack
  sudo cargo xtask attack races --folder /mnt/scratch";

/// What the command line asks for.
#[derive(Default)]
struct Options {
    classes: Vec<&'static Class>,
    program: Option<PathBuf>,
    folder: Option<PathBuf>,
    one_in: Option<u32>,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--program" => {
                    options.program = Some(arguments.next().context("--program needs a file")?.into())
                }
                "--folder" => {
                    options.folder = Some(arguments.next().context("--folder needs a folder")?.into())
                }
                "--one-in" => {
                    let number = arguments.next().context("--one-in needs a number")?.parse();
                    options.one_in = Some(number.context("--one-in needs a number from 1 on")?);
                    anyhow::ensure!(options.one_in != Some(0), "--one-in needs a number from 1 on");
                }
                name => match CLASSES.iter().find(|class| class.name == name) {
                    Some(class) => options.classes.push(class),
                    None => bail!("no class `{name}`; --list names them"),
                },
            }
        }
        if options.classes.is_empty() {
            options.classes = CLASSES.iter().collect();
        }
        Ok(options)
    }
}

/// Carries the command out: a line for each class, a failure if one case failed.
pub(crate) fn attack(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        for class in CLASSES {
            let root = if class.needs_root { " (root)" } else { "" };
            println!("{:<14} {}{root}", class.name, class.claim);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments)?;
    let build = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = match options.program {
        Some(program) => {
            program.canonicalize().with_context(|| format!("no program {}", program.display()))?
        }
        None => built(root, &build)?,
    };
    let folder = options.folder.unwrap_or_else(|| build.join("attack"));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    left_over::take_down(&folder, FOLDER_PREFIX)?;
    left_over::stop_in_order()?;
    let mut all = Tally::default();
    println!("{:<14} {:>6} {:>6}  claim", "class", "cases", "failed");
    for class in options.classes {
        if class.needs_root && !is_root() {
            println!("{:<14} {:>6} {:>6}  skipped: needs root", class.name, "-", "-");
            continue;
        }
        let tally = try_class(class, &program, &folder, options.one_in.unwrap_or(1))?;
        println!("{:<14} {:>6} {:>6}  {}", class.name, tally.cases, tally.failed.len(), class.claim);
        tally.failed.iter().for_each(|failed| println!("  failed: {failed}"));
        tally.skipped.iter().for_each(|skipped| println!("  skipped: {skipped}"));
        all.add(tally);
    }
    println!("{:<14} {:>6} {:>6}", "all", all.cases, all.failed.len());
    Ok(if all.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program of this checkout, built as the tests build it: with the checks that a release does without.
fn built(root: &Path, build: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(["build", "--package", "iotrial"]).current_dir(root).status()?;
    anyhow::ensure!(status.success(), "the program cannot be built");
    Ok(build.join("debug").join(format!("iotrial{}", std::env::consts::EXE_SUFFIX)))
}
