//! Options of `verify crash`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use iotrial_model::crash::CutKind;
use iotrial_model::load::Durability;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::crash::{ArmRequest, CrashCheckRequest};

use super::StoreArgs;
use crate::heading;
use crate::report_files::ReportFiles;

/// What `verify` does beside a load.
#[derive(Debug, Subcommand)]
pub enum VerifyCommand {
    /// Does what was flushed survive a cut of the power?
    ///
    /// Writes until the cut, with a journal of what is flushed, and checks after it.
    #[command(after_help = "\
Examples:
  # write, with a journal on another disk; now pull the plug
  iotrial verify crash arm --target /mnt/data --journal /mnt/other/trial.journal
  # when the host is back
  iotrial verify crash check /mnt/other/trial.journal --cut power

`iotrial docs verify` has a protocol for pulling a plug.")]
    Crash {
        /// What to do.
        #[command(subcommand)]
        command: CrashCommand,
    },
}

/// The steps of a cut.
#[derive(Debug, Subcommand)]
pub enum CrashCommand {
    /// Write pages and flush them, and keep a journal of what is flushed, until it is cut or stopped.
    Arm(Box<ArmArgs>),
    /// After the cut: is everything there that was flushed? Only reads.
    Check(CrashCheckArgs),
    /// Keep the journal of a writer on another host: run a command that writes it to its standard output.
    Keep(KeepArgs),
}

/// Options of `verify crash arm`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # until the power is cut
  iotrial verify crash arm --target /mnt/data --journal /mnt/other/trial.journal
  # pages of InnoDB
  iotrial verify crash arm --target /mnt/a --journal /mnt/b/j --page-size 16KiB
  # a raw device; get the token from `iotrial target`
  iotrial verify crash arm --target /dev/sdb --destroy 3f9a1c… --journal /b/j
  # the journal goes to another host, which runs this by `verify crash keep`
  iotrial verify crash arm --target /mnt/data --journal -

Creates a file in the target directory, fills it and flushes it. Then it writes all its pages again and again, in a random order. Behind \
each batch comes a flush, and behind the flush an entry in the journal; only when that is flushed too, the next batch begins. The file \
stays, to be checked; `iotrial clean` removes it. If a write or a flush fails, it stops and does not try again.

Exit codes: 0 stopped by --duration; 1 the storage failed a write or a flush, or hangs; 2 wrong usage or input; 3 failed; 130 stopped by a signal.")]
pub struct ArmArgs {
    /// Directory, or raw block device with --destroy.
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub target: PathBuf,

    /// New file for the journal, on another disk than the target; or - for standard output, with acknowledgements on standard input (see
    /// `iotrial verify crash keep`).
    #[arg(long, value_name = "FILE|-")]
    pub journal: PathBuf,

    /// Size of the test file [default: 1GiB, or less if space is short].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<ByteSize>,

    /// Size of a page: each is one write, as a database makes it.
    #[arg(long, value_name = "SIZE", default_value = "8KiB", value_parser = page_sizes())]
    pub page_size: ByteSize,

    /// At most this many writes between two flushes; each time a random number up to it.
    #[arg(long, value_name = "WRITES", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub flush_every: u64,

    /// How writes become durable.
    #[arg(long, default_value = "fdatasync", value_parser = durabilities())]
    pub durability: Durability,

    /// Stop after this time [default: write until it is cut or stopped].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,

    /// If nothing comes back for eight times as long, the storage hangs, and the writer ends.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = deadline)]
    pub io_deadline: Duration,

    /// Allow the raw device to be overwritten: give the token that `iotrial target DEVICE` prints.
    #[arg(long, value_name = "TOKEN")]
    pub destroy: Option<String>,

    /// Hide progress; warnings and results are still shown.
    #[arg(short, long)]
    pub quiet: bool,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `verify crash check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the plug was pulled
  iotrial verify crash check /mnt/other/trial.journal --cut power
  # a virtual machine was ended by its host; for a program
  iotrial verify crash check trial.journal --cut guest --json | jq .outcome
  # the journal was kept on this host, and the storage is on another one
  ssh db01 iotrial verify crash check - --cut power < trial.journal
  # the disk has another name now
  iotrial verify crash check trial.journal --cut power --target /dev/sdc

Reads every page, and writes nothing. Lost or torn flushed writes, and everything that nobody wrote, are faults. Of the writes that were \
not flushed yet, each may be there, be missing, or be torn.

Exit codes: 0 everything that was flushed is there; 1 it is not; 2 wrong usage or input; 3 failed; 4 no answer about the storage (only \
the process or nothing was cut, or it hangs); 130 stopped before its end.")]
pub struct CrashCheckArgs {
    /// Journal that `verify crash arm` or `keep` wrote, or - for standard input.
    pub journal: PathBuf,

    /// What was cut: it decides what the answer proves.
    #[arg(long, value_name = "WHAT", value_parser = cuts())]
    pub cut: CutKind,

    /// Where the file or device is now [default: where it was]. Also says that it is the right one, even if no page of it shows that.
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub target: Option<PathBuf>,

    /// If a read does not come back for eight times as long, the storage hangs, and the check ends.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = deadline)]
    pub io_deadline: Duration,

    /// Hide progress.
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub json: bool,
}

/// Options of `verify crash keep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # arm.sh on db01: iotrial verify crash arm --target /mnt/data --journal -
  iotrial verify crash keep trial.journal -- ssh db01 sh arm.sh

Each entry is flushed to the file before it is acknowledged. Everything else that the command prints goes to standard error. Ends with the \
exit code of the command, or 3 if an entry cannot be kept. Do not give the command a terminal (ssh -t).")]
pub struct KeepArgs {
    /// New file for the journal.
    pub journal: PathBuf,

    /// Command that runs `iotrial verify crash arm … --journal -`.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

impl ArmArgs {
    /// The request to a session.
    pub fn request(&self) -> ArmRequest {
        ArmRequest {
            target: self.target.clone(),
            size: self.size,
            page: self.page_size,
            flush_every: self.flush_every,
            durability: self.durability,
            duration: self.duration,
            io_deadline: self.io_deadline,
            destroy: self.destroy.iter().cloned().collect(),
            store: self.store.place(),
        }
    }
}

impl CrashCheckArgs {
    /// The request to a session.
    pub fn request(&self) -> CrashCheckRequest {
        CrashCheckRequest {
            journal: Some(self.journal.clone()).filter(|journal| journal.as_os_str() != "-"),
            cut: self.cut,
            target: self.target.clone(),
            io_deadline: self.io_deadline,
        }
    }
}

fn deadline(text: &str) -> Result<Duration, String> {
    let deadline = parse_duration(text).map_err(|error| error.to_string())?;
    if deadline.is_zero() { Err("it must be more than zero".to_owned()) } else { Ok(deadline) }
}

fn size(text: &str) -> Result<ByteSize, String> {
    let size: ByteSize = text.parse().map_err(|error| format!("{error}"))?;
    // As of `run`: zero would be taken as no size.
    if size.get() == 0 { Err("it must be more than zero".to_owned()) } else { Ok(size) }
}

/// Sizes of pages that databases have.
fn page_sizes() -> impl TypedValueParser<Value = ByteSize> {
    PossibleValuesParser::new(["4KiB", "8KiB", "16KiB"])
        .map(|word| word.parse().expect("only sizes are let through"))
}

fn durabilities() -> impl TypedValueParser<Value = Durability> {
    let words = [Durability::Fdatasync, Durability::Dsync];
    let values = words.map(|one| {
        PossibleValue::new(one.as_str()).help(match one {
            Durability::Dsync => {
                "each write by itself (FUA or a flush in the kernel), without further flushes"
            }
            Durability::None | Durability::Fdatasync => "by a flush behind each batch",
        })
    });
    PossibleValuesParser::new(values).map(move |word| {
        *words.iter().find(|one| one.as_str() == word).expect("only these words are let through")
    })
}

/// What can be cut, with what each proves.
fn cuts() -> impl TypedValueParser<Value = CutKind> {
    let values = CutKind::ALL.iter().map(|cut| PossibleValue::new(cut.as_str()).help(cut.meaning()));
    PossibleValuesParser::new(values).map(|word| {
        let known = CutKind::ALL.iter().find(|cut| cut.as_str() == word);
        *known.expect("only the words of cuts are let through")
    })
}
