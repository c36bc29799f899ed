//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use iotrial_model::application::{ApplicationMetric, ApplicationMetrics, metric_name};
use iotrial_model::latency_limit::LatencyLimit;
use iotrial_model::need::Need;
use iotrial_model::step::parse_staircase;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::request::{Aim, LoadRequest};

use crate::failure::Failure;
use crate::report_files::ReportFiles;

mod awr;

mod check;

mod completion;

mod gate;

mod host;

mod listen;

mod rig;

mod import;

mod store;

mod size;

mod study;

mod sweep;

mod watch;

pub use awr::AwrArgs;
pub use check::CheckArgs;
pub use gate::GateArgs;
pub use host::HostArgs;
pub use import::ImportArgs;
pub use listen::ListenArgs;
pub use rig::RigArgs;
pub use size::{CatalogArgs, CatalogsArgs, DemandArgs, ExplainArgs, MoneyArgs, SizeArgs, SizeCommand};
pub use store::{Column, LabelArgs, OpenArgs, RecordsArgs, RemoveArgs, Since, StoreArgs};
pub use study::{StudyAddArgs, StudyArgs, StudyCommand, StudyExportArgs, StudyNewArgs};
pub use sweep::SweepArgs;
pub use watch::WatchArgs;

// The colours of cargo, which people who use a terminal have seen; clap leaves them out where NO_COLOR or a pipe says so.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Puts storage on trial before a database depends on it.
///
/// iotrial drives the I/O that a database makes, and says whether the storage can carry it. Alone on
/// a terminal, `iotrial` asks what it needs to know.
#[derive(Debug, Parser)]
#[command(version, styles = STYLES, max_term_width = 100, after_help = "\
Examples:
  # the main job, in ./iotrial-data
  iotrial run
  # another load, at another place
  iotrial run postgresql-oltp --target /var/lib/pg
  # where more outstanding I/O buys no more
  iotrial sweep
  # the loads that are built in
  iotrial profiles
  # the report of the newest result, in the browser
  iotrial open

Exit codes: 0 done, and qualified where a verdict was asked for; 1 done, but not qualified; \
2 wrong usage or input; 3 could not be carried out; 4 done, but inconclusive: measure again.")]
pub struct Cli {
    /// What to do; nothing on a terminal starts a conversation.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be asked of the program; the order is that of the help: measure, understand, buy, look after.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check whether this host is set up for a database: from each target down to the hardware, before anything is measured.
    Check(Box<CheckArgs>),
    /// Put storage on trial: one load, a verdict, an HTML report.
    Run(Box<RunArgs>),
    /// Find where storage saturates: knee, ceiling, and what limits it, volume by volume and together.
    Sweep(Box<SweepArgs>),
    /// Measure several configurations, repeated and interleaved; resumes where it stopped.
    Study(Box<StudyArgs>),
    /// Watch the disks of this host, or read what PerfMon, iostat, sar, SQL Server or PostgreSQL counted: is the storage good enough?
    Watch(Box<WatchArgs>),
    /// Show records again: figures, verdict, HTML, XLSX, Markdown, CSV.
    Report(ReportArgs),
    /// Hold configurations against each other: side by side, by factor, ranked, with a recommendation.
    Compare(CompareArgs),
    /// Ask whether a result agrees with itself: a record, a result of another tool, a printed table with its claims.
    Audit(AuditArgs),
    /// Find what to buy: the cheapest configurations that meet a demand, and what binds a given one.
    Size(Box<SizeArgs>),
    /// Read AWR reports of Oracle: what the database asks of its storage, what it waits for, average and peak.
    Awr(AwrArgs),
    /// Make records of results of other tools: fio, diskspd, SQLIO, Iometer, CrystalDiskMark, vdbench, printed tables.
    Import(ImportArgs),
    /// List the records in the store, all of them or those that are looked for.
    #[command(visible_alias = "list")]
    Records(RecordsArgs),
    /// Show the HTML report of a result in the browser, or print where it is.
    Open(OpenArgs),
    /// Give results another label.
    Label(LabelArgs),
    /// Move results to the trash of the store, or back.
    Remove(RemoveArgs),
    /// List the built-in profiles, or print one to edit it.
    Profiles(ProfilesArgs),
    /// List the built-in threshold sets, or print one to edit it.
    Thresholds(ThresholdsArgs),
    /// Show what is on a raw device, and the token that allows to destroy it.
    Target(TargetArgs),
    /// Find and remove files that earlier runs left.
    Clean(CleanArgs),
    /// Print a page of the documentation, or list the pages.
    #[command(after_help = "Examples:\n  iotrial docs\n  iotrial docs profiles | less")]
    Docs {
        /// Name of the page.
        #[arg(add = completion::pages())]
        page: Option<String>,
    },
    /// Print the completion script of a shell: commands, options, profiles, threshold sets, labels and ids.
    #[command(after_help = "\
Examples:
  iotrial completions bash > ~/.local/share/bash-completion/completions/iotrial
  iotrial completions fish > ~/.config/fish/completions/iotrial.fish

Make it again after an update: the script asks iotrial itself what can stand in a place.")]
    Completions {
        /// bash, elvish, fish, powershell or zsh.
        shell: Shell,
    },
    /// Write the man pages into a directory.
    #[command(after_help = "Example:\n  iotrial man ~/.local/share/man/man1")]
    Man {
        /// It must exist.
        directory: PathBuf,

        /// Replace pages that are there already.
        #[arg(long)]
        overwrite: bool,
    },
}

/// Options of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial run
  iotrial run --target /mnt/a --target /mnt/b --size 40GiB --duration 5m
  # each role where it is to lie
  iotrial run --target data,tempdb=/mnt/a --target log=/mnt/b
  iotrial run ./mine.toml --full --label 'three volumes' --attribute volumes=3
  # five steady rounds of a minute, in an hour
  iotrial run --until-steady 1h --duration 5m
  # does it carry 20,000 IOPS, with how much to spare?
  iotrial run --need 20000iops
  # the same by role; other roles are left out
  iotrial run --need data=18000iops,log=900iops
  # the highest rate with 99 of 100 I/Os in 2 ms
  iotrial run --latency-limit 2ms@p99
  # how far below and above the need does it hold?
  iotrial run --need 20000iops --steps 50%,100%,150%
  # up to which share of its rates does it hold?
  iotrial run sqlserver-checkpoint --steps 50%,75%,100%
  # the load as it stands: throughput at saturation
  iotrial run --closed
  # a figure of the application, compared as others
  iotrial run --metric batch_requests_per_s=13100
  # for CI: exit code 0, 1 or 4 (undecided)
  iotrial run --need 5000iops --gate 'log.commit.p99 < 2ms'
  # its figures in Grafana while it runs
  iotrial run --full --listen 9464
  # with rules of the company, and what the cloud says
  iotrial run --rules ./our-rules --cloud
  # a raw device; `iotrial target` prints the token
  iotrial run oracle-slob-random --target /dev/nvme1n1 --destroy 3f9a1c…
  # a job of fio, in its own size and time
  iotrial run --fio-job mix.fio --target /mnt/a

An HTML page goes beside the record, or where --html says.

Files are made in the target, written whole, and removed at the end. At least 10 % of the file \
system and 1 GiB stay free (of a fuller one, 1 % of what is left is used). Raw devices are only read unless a token releases them.")]
pub struct RunArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    /// Measure until five rounds on end are steady (SNIA PTS), each a fifth of --duration; the figures are theirs
    /// alone. Gives up after LIMIT [default: 25 rounds].
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit, num_args = 0..=1)]
    pub until_steady: Option<Option<Duration>>,

    /// Does the storage carry this rate within its limits, and with how much headroom? A rate such as 20000iops, rates by role
    /// such as data=18000iops,log=900iops (commits, where a log commits in groups), or a file: a demand, counters of a
    /// system, or a record of what a load did.
    #[arg(long, value_name = "RATE|FILE", conflicts_with_all = ["closed", "until_steady"])]
    pub need: Option<String>,

    /// Judge by this latency in every role and direction instead of the threshold set. Such as 2ms@p99, 500us@p99.9
    /// or 5ms@mean.
    #[arg(long, value_name = "LATENCY@STATISTIC", conflicts_with = "closed")]
    pub latency_limit: Option<LatencyLimit>,

    /// Measure the load as the profile has it, with all its outstanding I/Os, instead of searching for the highest rate
    /// within the limits. Latency at saturation says how many I/Os were outstanding, and little of the storage.
    #[arg(long)]
    pub closed: bool,

    /// Measure a staircase: the load in steps, each a share of what --need says, else of the profile's rates, or of its
    /// outstanding I/Os where it has none. With --duration in equal parts of it; otherwise each step is as long as the profile measures.
    #[arg(long, value_name = "SHARES", value_parser = Staircase::parse)]
    pub steps: Option<Staircase>,

    /// A job file of fio, or its command line in quotes, instead of a profile; in full, unless --size and --duration
    /// say less. What is not as in fio is said first (`iotrial docs fio-jobs`).
    #[arg(long, value_name = "FILE|COMMAND", conflicts_with_all = ["profile", "full"])]
    pub fio_job: Option<String>,

    #[command(flatten)]
    pub fio: FioArgs,

    /// A figure of an application that belongs to this run, such as batch_requests_per_s=1234; may be repeated. More is better
    /// of what ends in a rate (_per_s, _tps), less of what ends in a time (_ms, _s); others are shown and not judged.
    #[arg(long = "metric", value_name = "NAME=VALUE")]
    pub metrics: Vec<ApplicationMetric>,

    /// The same by a command, which is run when the load is over and prints one number; may be repeated. One that fails or
    /// takes over a minute is a warning in the record.
    #[arg(long = "metric-command", value_name = "NAME=COMMAND", value_parser = parse_metric_command)]
    pub metric_commands: Vec<(String, String)>,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// What a session is asked for; `need` is what --need stands for.
    pub fn request(&self, need: Option<Need>) -> Result<LoadRequest, Failure> {
        let load = &self.load;
        // Zero would be taken as «no size», and the quick one laid out instead: nobody asks for nothing.
        if load.size.is_some_and(|size| size.get() == 0) {
            let error = anyhow::anyhow!("--size must be more than zero");
            return Err(Failure::input(error).hint("give a size such as 2GiB, or leave it out".to_owned()));
        }
        if self.steps.is_some() && (self.latency_limit.is_some() || self.until_steady.is_some()) {
            let error = anyhow::anyhow!(
                "--steps says how much load there is, and --latency-limit and --until-steady decide that themselves"
            );
            let hint = "--steps goes with --need, and alone with a profile: shares of its rates, or of its outstanding I/Os";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        let steps_all = |steps: &Staircase| steps.0.iter().any(|percent| *percent >= 100.0);
        if need.is_some() && self.steps.as_ref().is_some_and(|steps| !steps_all(steps)) {
            let error = anyhow::anyhow!("no step of --steps is as much as is needed");
            let hint = "add a step of 100% or more: without it nobody knows whether the need is carried";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        // Not by `conflicts_with`, which could not say what to do instead.
        // A job of fio is measured as fio would measure it.
        let is_closed = self.closed || self.fio_job.is_some();
        let aim = match (self.until_steady, self.latency_limit, need) {
            (None, None, None) if is_closed => Aim::Figures,
            (None, None, None) => Aim::Usual,
            (Some(limit), None, _) => Aim::Steady { limit },
            (None, limit, need) => Aim::Capacity { limit, need },
            (Some(_), Some(_), _) => {
                let error = anyhow::anyhow!("--latency-limit and --until-steady exclude each other");
                let hint =
                    "find the rate first, and give it to the jobs of a profile that runs until it is steady";
                return Err(Failure::input(error).hint(hint.to_owned()));
            }
        };
        Ok(LoadRequest {
            // A job of fio says how much and how long; a shorter form is for the command line to ask for.
            full: load.full || self.fio_job.is_some(),
            size: load.size,
            duration: load.duration,
            ramp: load.ramp,
            staircase: self.steps.clone().unwrap_or_default().0,
            aim,
            metrics: metrics_of(&self.metrics, &self.metric_commands)?,
            metric_commands: self.metric_commands.clone(),
            command_folder: PathBuf::new(),
            rig: load.rig.request()?,
        })
    }
}

/// Metrics by their names; one that is given twice is a slip in a long line.
pub fn metrics_of(
    metrics: &[ApplicationMetric],
    commands: &[(String, String)],
) -> Result<ApplicationMetrics, Failure> {
    let names: Vec<&str> = metrics
        .iter()
        .map(|metric| metric.name.as_str())
        .chain(commands.iter().map(|(name, _)| name.as_str()))
        .collect();
    if let Some((_, name)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        return Err(Failure::input(anyhow::anyhow!("the metric `{name}` is given twice")));
    }
    Ok(metrics.iter().map(|metric| (metric.name.clone(), metric.value)).collect())
}

fn parse_metric_command(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, command)) if !command.trim().is_empty() => {
            Ok((metric_name(name).map_err(|error| error.to_string())?, command.to_owned()))
        }
        _ => Err("a metric command is NAME=COMMAND, such as tps='./tps.sh'".to_owned()),
    }
}

/// The shares of `--steps`, in percent.
// A type of its own, because clap takes a bare list for an option that may be repeated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Staircase(pub Vec<f64>);

impl Staircase {
    fn parse(text: &str) -> Result<Self, String> {
        parse_staircase(text).map(Self)
    }
}

/// How a job of fio is read.
#[derive(Debug, Args, Default)]
pub struct FioArgs {
    /// Of jobs that wait for others (`stonewall`), the set that is meant, from 1.
    #[arg(long, value_name = "NUMBER")]
    pub fio_set: Option<usize>,

    /// Leave out options of fio that cannot be understood, or that have nothing like them here; each is told.
    #[arg(long)]
    pub fio_leave_out: bool,

    /// Let the job read this variable of the environment, where it says `${NAME}`; once for each. What it reads becomes a part of the
    /// record.
    #[arg(long, value_name = "NAME")]
    pub fio_env: Vec<String>,
}

/// Which load, on which targets, by which engine: what every command that runs a profile is asked.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// A built-in profile (see `iotrial profiles`) or a TOML file.
    #[arg(default_value = "sqlserver-oltp", add = completion::profiles())]
    pub profile: String,

    /// All files together [default: the profile's quick size, at most what is free].
    #[arg(short, long, value_name = "SIZE")]
    pub size: Option<ByteSize>,

    /// The measured phase, such as 60s or 5m [default: the profile's quick one].
    // Those who come from fio, diskspd or sysbench type these names first.
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration, visible_aliases = ["time", "runtime"])]
    pub duration: Option<Duration>,

    /// The load runs so long before it is measured [default: the profile's quick one].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub ramp: Option<Duration>,

    /// The profile's full sizes and times instead of the quick ones.
    #[arg(long)]
    pub full: bool,

    /// Threshold set to judge by (see `iotrial thresholds`), or a TOML file with one [default: the profile's].
    #[arg(long, value_name = "NAME|FILE", add = completion::thresholds())]
    pub thresholds: Option<String>,

    #[command(flatten)]
    pub rig: RigArgs,
}

/// Options of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the newest result; last~1 is the one before it
  iotrial report last
  # by its id, or the beginning or ending of it
  iotrial report 01JD…
  # one page with charts, for the browser
  iotrial report ./a.iotrial.json --html a.html
  # the comparison of two labels, then each of their runs
  iotrial report before after --html both.html
  # the same of two runs, as a workbook
  iotrial report 01JD… 01JE… --xlsx both.xlsx
  # a study: its comparison, then each of its runs
  iotrial report volumes.toml --html study.html
  # a row for each figure
  iotrial report 01JD… --csv - | sort
  iotrial report last --gate 'log.commit.p99 < 2ms' --junit gates.xml
  # a result of another tool (see `iotrial import`)
  iotrial report fio.json --html fio.html
  # a run and a result of another tool in one document
  iotrial report 01JD… fio.json
  iotrial report 01JD… --markdown ticket.md --xlsx report.xlsx

All forms show the same figures. Several records are compared as `iotrial compare` does it, and then each \
stands by itself. Where it would not be fair, they stand beside one another and the report says why.")]
pub struct ReportArgs {
    /// Files of records, journals that a crash left, results of other tools, folders of them, ids or labels in the store,
    /// studies, or - for standard input.
    #[arg(required = true, value_name = "RECORD", add = completion::results())]
    pub records: Vec<String>,

    /// Show the runs of one profile of a study only.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    #[command(flatten)]
    pub files: ReportFiles,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Threshold set to judge by (see `iotrial thresholds`), or a TOML file with one [default: the profile's].
    #[arg(long, value_name = "NAME|FILE", add = completion::thresholds())]
    pub thresholds: Option<String>,

    /// One JSON document on standard output, nothing else there: the summary, or a list of them.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # two labels in the store, each with all its runs
  iotrial compare before after
  # the newest result with the one before it
  iotrial compare last~1 last
  # charts, and a workbook with real numbers
  iotrial compare before after --html c.html --xlsx c.xlsx
  # a folder; what the driver alone changes
  iotrial compare ./records --by driver --html c.html
  # a study, against another configuration
  iotrial compare volumes.toml --baseline '3 volumes'
  # figures that exist only on paper
  iotrial compare --table published.toml
  # results of other tools (see `iotrial import`)
  iotrial compare ./fio-before ./fio-after
  # for CI: exit code 0, 1 or 4 (undecided)
  iotrial compare before after --gate 'write.p99 <= +10%'
  iotrial compare before after --gate 'log.commit.p99 < 2ms' --junit gates.xml

Runs with the same label and the same attributes are repeats of one configuration. A factor is an \
attribute; it is told by pairs of configurations that differ in nothing else. \
`iotrial docs compare` has the method, `iotrial docs table-format` the format of tables.

Exit codes: 0 compared, and every gate kept; 1 a gate missed; 2 wrong usage or input, or records \
that cannot be compared fairly; 3 could not be carried out; 4 no gate missed, and one undecided.")]
pub struct CompareArgs {
    /// Files of records or of results of other tools, printed tables, folders of them, ids or labels in the store, studies,
    /// or - for standard input.
    #[arg(value_name = "RECORD", required_unless_present = "tables", add = completion::results())]
    pub records: Vec<String>,

    /// A file with printed figures; may be repeated.
    #[arg(long = "table", value_name = "FILE")]
    pub tables: Vec<PathBuf>,

    /// Compare under one profile of a study only [default: under each, and over all of them].
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Label of the configuration that others are compared with [default: the first one].
    #[arg(long, value_name = "LABEL")]
    pub baseline: Option<String>,

    /// Only this attribute is a factor.
    #[arg(long, value_name = "ATTRIBUTE")]
    pub by: Option<String>,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Compare what cannot be compared fairly, and leave out records that cannot be read; both with a warning.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `audit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # a printed table, and what its text says of it
  iotrial audit published.toml
  # a record in the store, by its id
  iotrial audit 01JD…
  # all runs with a label
  iotrial audit before
  # every result in a folder
  iotrial audit ./results --html audit.html
  iotrial audit vendor.toml --json | jq '.findings[] | {place, message}'

Figures contradict each other only where the digits in print leave no values that agree: 98.6 \
stands for all that is rounded or cut off to it. `iotrial docs audit` has every check with its \
limits.

Exit codes: 0 no contradiction; 1 a contradiction; 2 wrong usage or input, or a file that cannot \
be read among others that can; 3 could not be carried out.")]
pub struct AuditArgs {
    /// Each a record, a result of fio or another tool (`iotrial docs import`), a table (`iotrial docs table-format`), a folder of them,
    /// an id or a label in the store, or - for standard input.
    #[arg(required = true, value_name = "RESULT", add = completion::results())]
    pub results: Vec<String>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there: the audit, or a list of them.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `profiles`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial profiles sqlserver-oltp > mine.toml
  # every line says where it comes from
  iotrial profiles --from-fio mix.fio > mine.toml
  iotrial profiles --from-fio 'fio --name=a --rw=randread --bs=8k --size=4g'

`iotrial docs profiles` describes every key, `iotrial docs fio-jobs` what becomes of each option \
of fio.")]
pub struct ProfilesArgs {
    /// Print this one as it would be edited.
    #[arg(add = completion::profiles())]
    pub name: Option<String>,

    /// Print a job file of fio, or its command line in quotes, as a profile.
    #[arg(long, value_name = "FILE|COMMAND", conflicts_with = "name")]
    pub from_fio: Option<String>,

    #[command(flatten)]
    pub fio: FioArgs,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// Options of `thresholds`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial thresholds
  iotrial thresholds flash > mine.toml
  iotrial run --thresholds ./mine.toml

`iotrial docs thresholds` describes every key.")]
pub struct ThresholdsArgs {
    /// Print this one, or check and print the one in a TOML file.
    #[arg(value_name = "NAME|FILE", add = completion::thresholds())]
    pub name: Option<String>,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// Options of `target`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  iotrial target /dev/nvme1n1")]
pub struct TargetArgs {
    /// A raw block device.
    pub device: PathBuf,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `clean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  # what ./iotrial-data holds\n  iotrial clean\n  iotrial clean /mnt/a --yes"
)]
pub struct CleanArgs {
    /// Directories where iotrial ran.
    #[arg(default_value = "./iotrial-data")]
    pub directories: Vec<PathBuf>,

    /// Remove without asking.
    #[arg(short, long)]
    pub yes: bool,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// The LIMIT of `--until-steady`, which may be left out: what stands behind it may have been meant as the profile.
fn parse_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| {
        // LIMIT is optional, so that clap takes the word behind the option for it, whatever it was meant as.
        if text.contains(|c: char| c.is_ascii_alphabetic()) && !text.starts_with(|c: char| c.is_ascii_digit())
        {
            return format!("{error}; where it is the profile, give it before --until-steady");
        }
        error.to_string()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// The command itself knows its commands, so that none is forgotten.
    #[test]
    fn every_command_has_help_with_an_example() {
        fn check(command: &mut clap::Command, path: &str) {
            let help = command.render_long_help().to_string();
            let (_, example) =
                help.split_once("Example").unwrap_or_else(|| panic!("{path} has none:\n{help}"));
            assert!(example.contains(path), "{path} is not in its example:\n{help}");
            let names: Vec<String> = command
                .get_subcommands()
                .map(|one| one.get_name().to_owned())
                .filter(|name| name != "help")
                .collect();
            for name in names {
                check(command.find_subcommand_mut(&name).unwrap(), &format!("{path} {name}"));
            }
        }
        let mut program = Cli::command();
        program.build();
        check(&mut program, "iotrial");
    }
}
