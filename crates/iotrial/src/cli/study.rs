//! Options of `study`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use iotrial_model::given_target::GivenTarget;
use iotrial_session::request::{Earlier, StudyRequest};

use super::rig::targets;
use super::{HostArgs, ListenArgs, StoreArgs};
use crate::report_files::ReportFiles;

/// Options of `study`.
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  # write a study of two directories, to be edited
  iotrial study new /mnt/a /mnt/b > volumes.toml
  # the order, the time and the bytes
  iotrial study volumes.toml --dry-run
  # measure every configuration, in balanced order
  iotrial study volumes.toml
  # only what is missing, after whatever stopped it
  iotrial study volumes.toml --resume
  # its figures in Grafana meanwhile
  iotrial study volumes.toml --listen 9464
  # what is done, what is missing, and the comparison
  iotrial study volumes.toml --status --html v.html
  # raw devices; `iotrial target` prints the tokens
  iotrial study raw.toml --destroy 3f9a1c… --destroy 8c1f0a…
  # what another machine measures …
  iotrial study export volumes.toml --label azure > azure.toml
  # … and its records back
  iotrial study add volumes.toml 01JD….iotrial.json

The files of the report hold the comparison; of several profiles the answer over all of them, and each as a chapter.

Commands of the study (attach, mount) are shown and confirmed before the first one runs; without a \
terminal they need --yes. `iotrial docs study` describes the file."
)]
pub struct StudyArgs {
    /// What to do beside measuring.
    #[command(subcommand)]
    pub command: Option<StudyCommand>,

    /// The study, a TOML file.
    #[arg(required = true)]
    pub file: Option<PathBuf>,

    /// Go on where it stopped: measure what is missing or failed.
    #[arg(long)]
    pub resume: bool,

    /// Go on although the study file changed: what the changes touch is measured again.
    #[arg(long, requires = "resume")]
    pub accept_changes: bool,

    /// Begin anew; the earlier journal is put aside, and its records stay in the store.
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,

    /// Say what is done and what is missing, and do nothing.
    #[arg(long, conflicts_with_all = ["resume", "restart"])]
    pub status: bool,

    /// Say in which order, how long and how much would be measured, and do nothing.
    #[arg(long, conflicts_with_all = ["status", "restart", "ReportFiles"])]
    pub dry_run: bool,

    /// The token of `iotrial target DEVICE`: the study destroys what is on it, again with each of its loads; one for each
    /// raw device of the study, in the order in which it names them.
    #[arg(long, value_name = "TOKEN", conflicts_with = "status")]
    pub destroy: Vec<String>,

    /// Run the commands of the study without asking.
    #[arg(short, long)]
    pub yes: bool,

    /// Leave out of the records what says whose machine it was: host name, serial numbers, paths. The journal of the study names its
    /// targets all the same.
    #[arg(long)]
    pub anonymous: bool,

    /// Hide the progress; warnings and results stay.
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub host: HostArgs,

    #[command(flatten)]
    pub listen: ListenArgs,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

impl StudyArgs {
    /// What a session is asked for.
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

/// What to do with a study beside measuring.
#[derive(Debug, Clone, Subcommand)]
pub enum StudyCommand {
    /// Print a study of some directories or devices under the same load, to be looked at, edited and measured.
    New(StudyNewArgs),
    /// Print the part of a study that another machine measures: one file with all that it needs.
    Export(StudyExportArgs),
    /// Take records of other machines into a study.
    Add(StudyAddArgs),
}

/// Options of `study new`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  iotrial study new /mnt/old /mnt/new > volumes.toml
  iotrial study new /mnt/a /mnt/b --profile postgresql-oltp > pg.toml")]
pub struct StudyNewArgs {
    /// What is compared: a configuration for each of these directories, files or devices.
    #[arg(required = true, num_args = 2.., value_name = "TARGET")]
    pub targets: Vec<String>,

    /// The load, by the name of a built-in profile or a path; may be repeated.
    #[arg(long = "profile", value_name = "PROFILE", default_value = "sqlserver-oltp")]
    pub profiles: Vec<String>,

    /// How often each is measured; five or more tell small differences from chance.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,
}

/// Options of `study export`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Example:
  iotrial study export volumes.toml --label azure > azure.toml
  scp azure.toml there: && ssh there iotrial study azure.toml")]
pub struct StudyExportArgs {
    /// The study, a TOML file.
    pub file: PathBuf,

    /// A configuration with `elsewhere = true`.
    #[arg(short, long)]
    pub label: String,

    /// Where the other machine measures, where the study does not say so; may be repeated, and has roles as for `iotrial run`.
    #[arg(short, long = "target", value_name = "[ROLE=]PATH", value_parser = targets())]
    pub targets: Vec<GivenTarget>,
}

/// Options of `study add`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  iotrial study add volumes.toml azure/*.iotrial.json*
  # a record of the store, of `iotrial run --label azure`
  iotrial study add volumes.toml 01JD…")]
pub struct StudyAddArgs {
    /// The study, a TOML file.
    pub file: PathBuf,

    /// Records of runs: files, folders of them, ids or labels in the store.
    #[arg(required = true)]
    pub records: Vec<String>,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}
