//! Options of `study`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use iotrial_model::given_target::GivenTarget;
use iotrial_model::need::Need;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::request::{Earlier, StudyRequest};

use super::rig::targets;
use super::{HostArgs, ListenArgs, StoreArgs};
use crate::habit;
use crate::heading;
use crate::quiet::parse_wait;
use crate::report_files::ReportFiles;

/// Options of `study`.
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  # create a study of two directories, ready to edit
  iotrial study new /mnt/a /mnt/b > volumes.toml
  # show order, time and space
  iotrial study volumes.toml --dry-run
  # measure every configuration, in an order that favours none
  iotrial study volumes.toml
  # continue after an interruption
  iotrial study volumes.toml --resume
  # live figures for Prometheus and Grafana while it runs
  iotrial study volumes.toml --listen 9464
  # what is done, what is missing, and the comparison so far
  iotrial study volumes.toml --status --html v.html
  # raw devices; get the tokens from `iotrial target`
  iotrial study raw.toml --destroy 3f9a1c… --destroy 8c1f0a…
  # the part that another machine measures …
  iotrial study export volumes.toml --label azure > azure.toml
  # … and its records added
  iotrial study add volumes.toml 01JD….iotrial.json

Reports contain the comparison; with several profiles, they have the overall answer and a chapter for each.

Commands in the study file (attach, mount) are shown before the first one runs and must be confirmed; without a \
terminal they need --yes. `iotrial docs study` describes the file.

Exit codes: 0 everything for this machine has been measured; 2 wrong usage or input; 3 something failed or is missing; 130 stopped: --resume measures the rest."
)]
pub struct StudyArgs {
    /// What to do beside measuring.
    #[command(subcommand)]
    pub command: Option<StudyCommand>,

    /// Study file (TOML).
    #[arg(required = true)]
    pub file: Option<PathBuf>,

    /// Continue: measure what is missing or failed.
    #[arg(long)]
    pub resume: bool,

    /// Continue although the study file has changed; what the changes affect is measured again.
    #[arg(long, requires = "resume")]
    pub accept_changes: bool,

    /// Start over; the old journal is kept as a backup, and its records stay in the store.
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,

    /// Show what is done and what is missing, without measuring.
    #[arg(long, conflicts_with_all = ["resume", "restart"])]
    pub status: bool,

    /// Show the order, and the time and space it would take, without doing anything.
    #[arg(long, conflicts_with_all = ["status", "restart", "ReportFiles"])]
    pub dry_run: bool,

    /// Allow a raw device to be overwritten by every run of the study: give the token that `iotrial target DEVICE` prints
    /// (repeatable). One token per raw device, in the order in which the study file first names them.
    #[arg(long, value_name = "TOKEN", conflicts_with = "status", help_heading = heading::IO)]
    pub destroy: Vec<String>,

    /// Run the commands of the study without asking.
    #[arg(short, long, help_heading = heading::NONE)]
    pub yes: bool,

    /// Keep host name, serial numbers and paths out of the records. The journal of the study still names the targets.
    #[arg(long, help_heading = heading::RECORD)]
    pub anonymous: bool,

    /// Hide progress; warnings and results are still shown.
    #[arg(short, long, help_heading = heading::NONE)]
    pub quiet: bool,

    /// If other programs keep CPUs or disks busy before a measurement, wait until they stop, but no longer than TIME each time; it then
    /// starts all the same. `off` does not look [default: 60s at a terminal, where Enter starts the measurement; else off].
    #[arg(long, value_name = "TIME|off", value_parser = parse_wait, conflicts_with_all = ["status", "dry_run"], help_heading = heading::RECORD)]
    pub wait_for_quiet: Option<Duration>,

    #[command(flatten)]
    pub host: HostArgs,

    #[command(flatten)]
    pub listen: ListenArgs,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    /// While it runs, print one JSON object per second, each on a line of its own; the last line is the result
    /// (`iotrial docs json`).
    #[arg(long, conflicts_with_all = ["json", "dry_run", "status"])]
    pub json_stream: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

impl StudyArgs {
    /// The request to a session.
    pub fn request(&self) -> StudyRequest {
        // Which of them exclude each other, clap knows; what is left is one of three.
        let earlier = match (self.resume, self.restart) {
            (true, _) => Earlier::Resumed { accepts_changes: self.accept_changes },
            (false, true) => Earlier::PutAside,
            (false, false) => Earlier::Refused,
        };
        let (destroy, store) = (self.destroy.clone(), self.store.place());
        StudyRequest {
            earlier,
            destroy,
            store,
            quiet: self.quiet,
            anonymous: self.anonymous,
            host: self.host.look(),
        }
    }
}

/// Other things to do with a study.
#[derive(Debug, Clone, Subcommand)]
pub enum StudyCommand {
    /// Print a study file for some directories or devices, ready to edit and measure.
    New(StudyNewArgs),
    /// Print the part of a study that another machine measures, as one self-contained file.
    Export(StudyExportArgs),
    /// Add records from other machines to a study.
    Add(StudyAddArgs),
}

/// Options of `study new`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "\
Examples:
  iotrial study new /mnt/old /mnt/new > volumes.toml
  iotrial study new /mnt/a /mnt/b --profile postgresql-oltp > pg.toml
  iotrial study new /mnt/a /mnt/b --size 20GiB --need 20000iops > disks.toml")]
pub struct StudyNewArgs {
    /// What to compare: directories, files or devices; each becomes a configuration.
    #[arg(required = true, num_args = 2.., value_name = "TARGET")]
    pub targets: Vec<String>,

    /// Load: a built-in profile or a path (repeatable).
    #[arg(long = "profile", value_name = "PROFILE", default_value = "sqlserver-oltp", value_parser = habit::profile)]
    pub profiles: Vec<String>,

    /// How many times to measure each configuration; small differences need five or more.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,

    /// Name of the study. Its journal in the store is named after it, so give each study a different name.
    #[arg(long, default_value = "comparison")]
    pub name: String,

    /// Total size of the test files of each run [default: the profile's quick size].
    #[arg(long, value_name = "SIZE")]
    pub size: Option<ByteSize>,

    /// Measuring time of each run [default: the profile's quick time].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,

    /// Measure whether each target sustains this rate, such as 20000iops or data=18000iops,log=900iops.
    #[arg(long, value_name = "RATE", value_parser = Need::typed)]
    pub need: Option<Need>,
}

/// Options of `study export`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Example:
  iotrial study export volumes.toml --label azure > azure.toml
  scp azure.toml azure-vm: && ssh azure-vm iotrial study azure.toml")]
pub struct StudyExportArgs {
    /// Study file (TOML).
    pub file: PathBuf,

    /// Label of a configuration that has `elsewhere = true` in the study file (`iotrial docs study`).
    #[arg(short, long)]
    pub label: String,

    /// Target on the other machine, if the study does not name it (repeatable; roles as for `iotrial run`).
    #[arg(short, long = "target", value_name = "[ROLE=]PATH", value_parser = targets())]
    pub targets: Vec<GivenTarget>,
}

/// Options of `study add`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  iotrial study add volumes.toml azure/*.iotrial.json*
  # a stored result of `iotrial run --label azure`
  iotrial study add volumes.toml 01JD…")]
pub struct StudyAddArgs {
    /// Study file (TOML).
    pub file: PathBuf,

    /// Results to add: record files, folders, ids or labels from the store.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<String>,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}
