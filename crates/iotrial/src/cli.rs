//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use iotrial_model::application::{ApplicationMetric, ApplicationMetrics, metric_name};
use iotrial_model::latency_limit::LatencyLimit;
use iotrial_model::need::Need;
use iotrial_model::step::parse_staircase;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::request::{Aim, LoadRequest};

use crate::failure::Failure;
use crate::habit;
use crate::heading;
use crate::report_files::ReportFiles;

mod awr;

mod capture;

mod check;

mod completion;

mod crash;

mod config;

mod docs;

mod gate;

mod host;

mod listen;

mod observe;

mod rig;

mod import;

mod short_help;

mod store;

mod size;

mod size_cost;

mod study;

mod sweep;

mod watch;

pub use awr::AwrArgs;
pub use capture::CaptureArgs;
pub use check::CheckArgs;
pub use config::ConfigArgs;
pub use crash::{ArmArgs, CrashCheckArgs, CrashCommand, KeepArgs, VerifyCommand};
pub use docs::{DocsArgs, HelpArgs};
pub use gate::GateArgs;
pub use host::HostArgs;
pub use import::ImportArgs;
pub use listen::ListenArgs;
pub use observe::{ObserveArgs, StatementsOf};
pub use rig::{RigArgs, USUAL_DIRECTORY, parse_target};
pub use short_help::program;
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
/// iotrial generates the I/O of a database and says whether the storage can keep up. Run without a
/// command on a terminal, it asks what it needs to know.
#[derive(Debug, Parser)]
#[command(version, styles = STYLES, max_term_width = 100, disable_help_subcommand = true, after_help = "\
Examples:
  # is this disk fast enough for SQL Server? (in ./iotrial-data, two minutes)
  iotrial run
  # for PostgreSQL, on another disk
  iotrial run postgresql-oltp --target /var/lib/pg
  # how fast can it get, and what limits it?
  iotrial sweep
  # list the built-in loads
  iotrial profiles
  # show the newest result in the browser
  iotrial open
  # explain the terms: knee, ceiling, role, open and closed load
  iotrial help glossary

Exit codes: 0 done (and qualified, if there is a verdict); 1 done, but the answer is negative, such as \
not qualified, or some files could not be read; 2 wrong usage or input; 3 failed; 4 done, but \
inconclusive: measure again; 130 stopped by Ctrl-C or another signal. The help for a command says what 1 means there.")]
pub struct Cli {
    /// What to do; without it, iotrial asks on a terminal.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be asked of the program; the order is that of the help: measure, understand, buy, look after.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check whether this host is set up for a database, from the file system down to the hardware. Runs no load.
    Check(Box<CheckArgs>),
    /// Test storage with the I/O of a database: a verdict and an HTML report.
    Run(Box<RunArgs>),
    /// Does the storage give back what is written to it? Compares every page under the load of a database.
    Verify(Box<VerifyArgs>),
    /// Find out how fast storage can get and what limits it, for each volume and for all together.
    Sweep(Box<SweepArgs>),
    /// Measure several configurations in turn, several times each; can be resumed.
    Study(Box<StudyArgs>),
    /// Is the storage of a running system fast enough? Watch it live, or read counters of PerfMon, iostat, sar, SQL Server or
    /// PostgreSQL.
    Watch(Box<WatchArgs>),
    /// What does a real database do on this storage, and does storage hold it back? Watches it under your own load.
    Observe(Box<ObserveArgs>),
    /// Trace the block I/O of a running database, or read a trace: sizes, sequence, syncs, and a profile that makes the same load.
    Capture(Box<CaptureArgs>),
    /// Show results: verdict and figures on the screen, or as HTML, XLSX, Markdown or CSV.
    #[command(alias = "show")]
    Report(ReportArgs),
    /// Compare configurations: figures side by side, the effect of each factor, a ranking and a recommendation.
    Compare(CompareArgs),
    /// Check a result for contradictions: a record, the output of another tool, or a published table with its claims.
    Audit(AuditArgs),
    /// Find out what to buy: the cheapest cloud configurations that meet a demand, and what limits a given one.
    Size(Box<SizeArgs>),
    /// Read Oracle AWR reports: how much I/O the database does, on average and at peak, and what it waits for.
    Awr(AwrArgs),
    /// Import results of other tools: fio, diskspd, SQLIO, Iometer, CrystalDiskMark, vdbench, published tables.
    Import(ImportArgs),
    /// List or search the stored results.
    #[command(visible_aliases = ["list", "ls"])]
    Records(RecordsArgs),
    /// Open the HTML report of a result in the browser, or print its path.
    Open(OpenArgs),
    /// Change the label of results, or store application metrics with them.
    Label(LabelArgs),
    /// Move results to the trash, or restore them.
    #[command(visible_alias = "rm")]
    Remove(RemoveArgs),
    /// List the built-in profiles (loads), or print one to edit it.
    Profiles(ProfilesArgs),
    /// List the built-in threshold sets, or print one to edit it.
    Thresholds(ThresholdsArgs),
    /// Show what is on a raw device, and print the token with which `run --destroy` may overwrite it.
    Target(TargetArgs),
    /// Find and remove test files that earlier runs left behind.
    Clean(CleanArgs),
    /// List the JSON Schemas of the files that iotrial writes, or print one.
    #[command(after_help = "\
Examples:
  iotrial schema
  iotrial schema record > record.schema.json
  iotrial schema summary > summary.schema.json

`iotrial docs record` and `iotrial docs json` explain the keys, `iotrial docs python` shows how to read records into pandas.")]
    Schema {
        /// Name of the schema.
        #[arg(add = completion::schemas())]
        name: Option<String>,
    },
    /// Show which defaults apply here, and which file or variable sets each of them.
    Config(ConfigArgs),
    /// Read the documentation: list the pages, or show one.
    Docs(DocsArgs),
    /// Show the help for a command, or explain a topic; without a name, list the commands and topics.
    Help(HelpArgs),
    /// Print a completion script for your shell; it completes commands, options, profiles, labels and ids.
    #[command(after_help = "\
Examples:
  iotrial completions bash > ~/.local/share/bash-completion/completions/iotrial
  iotrial completions fish > ~/.config/fish/completions/iotrial.fish

Regenerate the script after updating iotrial.")]
    Completions {
        /// Shell to print the script for.
        shell: Shell,
    },
    /// Write the man pages into a directory.
    #[command(after_help = "Example:\n  iotrial man ~/.local/share/man/man1")]
    Man {
        /// An existing directory.
        directory: PathBuf,

        /// Replace existing pages.
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
  # data and tempdb on one volume, the log on another
  iotrial run --target data,tempdb=/mnt/a --target log=/mnt/b
  iotrial run ./mine.toml --full --label 'three volumes' --attribute volumes=3
  # until five one-minute rounds are steady, for an hour at most
  iotrial run --until-steady 1h --duration 5m
  # can it sustain 20,000 IOPS, and with how much headroom?
  iotrial run --need 20000iops
  # the same by role; roles that are not named get no load
  iotrial run --need data=18000iops,log=900iops
  # the highest rate at which 99 % of the I/Os take 2 ms or less
  iotrial run --latency-limit 2ms@p99
  # what happens at 50 %, 100 % and 150 % of 20,000 IOPS?
  iotrial run --need 20000iops --steps 50%,100%,150%
  # what percentage of the profile's rates can it keep up with?
  iotrial run sqlserver-checkpoint --steps 50%,75%,100%
  # behind an array with a cache of 64 GiB: files that the cache cannot hold
  iotrial run --array-cache 64GiB
  # throughput at saturation, without searching for a rate
  iotrial run --closed
  # store an application metric with the result
  iotrial run --metric batch_requests_per_s=13100
  # for CI: exit code 0, 1 or 4 (undecided)
  iotrial run --need 5000iops --gate 'log.commit.p99 < 2ms'
  # live figures for Prometheus and Grafana while it runs
  iotrial run --full --listen 9464
  # the same for a script: one JSON object per second
  iotrial run --json-stream | jq 'select(.kind == \"interval\").together.iops'
  # check your own host rules first, and keep what the cloud says about the VM
  iotrial run --rules ./our-rules --cloud
  # in a script: wait up to 10 minutes until the host is quiet
  iotrial run --wait-for-quiet 10m
  # a raw device; get the token from `iotrial target`
  iotrial run oracle-slob-random --target /dev/nvme1n1 --destroy 3f9a1c…
  # an existing fio job, at its own size and run time
  iotrial run --fio-job mix.fio --target /mnt/a

The HTML report is saved next to the record, unless --html or --html-folder says where.

Test files are created in the target directory, written completely, and removed at the end. At least 10 % of the file \
system, and never less than 1 GiB, stays free. (If less than 10 % is free already, test files take at most 1 % of the free \
space, and 1 GiB still stays free.) Without its token, a raw device is only read, and a profile that writes is refused.

Exit codes: 0 qualified; 1 not qualified; 2 wrong usage or input; 3 failed; 4 inconclusive: measure again; \
130 stopped before its end. With --gate the \
gates decide: 0 all passed; 1 at least one failed; 4 none failed, but at least one is undecided.")]
pub struct RunArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    /// Measure until five consecutive rounds are steady (SNIA PTS), each a fifth of --duration; only those rounds are
    /// reported. Gives up after LIMIT, a time such as 1h [default: 25 rounds].
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit, num_args = 0..=1, help_heading = heading::LOAD)]
    pub until_steady: Option<Option<Duration>>,

    /// Can the storage sustain this rate within the latency limits, and with how much headroom? Give one rate, such as
    /// 20000iops; rates by role, such as data=18000iops,log=900iops (for a log with group commit, 900iops are 900 commits per
    /// second); or a file: a demand, counters of a running system, or the record of a run. Without PROFILE the I/O of the file itself
    /// is made, at its rates and sizes; with one, its mix at the rates of the file.
    #[arg(long, value_name = "RATE|FILE", conflicts_with_all = ["closed", "until_steady"], help_heading = heading::NONE)]
    pub need: Option<String>,

    /// Judge every role, reads and writes alike, by this latency instead of a threshold set. Examples: 2ms@p99,
    /// 500us@p99.9, 5ms@mean.
    #[arg(long, value_name = "LATENCY@STATISTIC", conflicts_with = "closed", help_heading = heading::PASS)]
    pub latency_limit: Option<LatencyLimit>,

    /// Size of the cache of the array or controller behind the targets, such as 64GiB. Without --size, test files are made at least
    /// twice as large; a load that touches less cannot qualify, because the cache may have answered.
    #[arg(long, value_name = "SIZE", help_heading = heading::LOAD)]
    pub array_cache: Option<ByteSize>,

    /// Run the profile with all its outstanding I/Os instead of searching for the highest rate within the limits. This
    /// shows throughput at saturation; latency there depends on the number of outstanding I/Os more than on the storage.
    #[arg(long, help_heading = heading::LOAD)]
    pub closed: bool,

    /// Measure the load in steps, each a percentage of --need; without --need, of the profile's rates, or of its outstanding
    /// I/Os if it has no rates. --duration is divided among the steps; without it, each step takes the profile's measuring time.
    #[arg(long, value_name = "PERCENT,PERCENT…", value_parser = Staircase::parse, help_heading = heading::LOAD)]
    pub steps: Option<Staircase>,

    /// Run a fio job file, or a fio command line in quotes, instead of a profile, at its own size and run time unless --size
    /// or --duration is given. Differences from fio are listed first (`iotrial docs fio-jobs`).
    #[arg(long, value_name = "FILE|COMMAND", conflicts_with_all = ["profile", "full"], help_heading = heading::FIO)]
    pub fio_job: Option<String>,

    #[command(flatten)]
    pub fio: FioArgs,

    /// Store an application metric with this run, such as batch_requests_per_s=1234 (repeatable). If the unit at the end of its
    /// name is a rate (_per_s, _tps), more is better; if it is a time (_ms, _s), less is better; others are shown and not compared.
    #[arg(long = "metric", value_name = "NAME=VALUE", help_heading = heading::RECORD)]
    pub metrics: Vec<ApplicationMetric>,

    /// The same, from a command that prints one number; it runs after the load (repeatable). If it fails or takes more than a
    /// minute, the record carries a warning.
    #[arg(long = "metric-command", value_name = "NAME=COMMAND", value_parser = parse_metric_command, help_heading = heading::RECORD)]
    pub metric_commands: Vec<(String, String)>,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Show the plan without doing anything.
    #[arg(long, help_heading = heading::NONE)]
    pub dry_run: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    /// While it runs, print one JSON object per second, each on a line of its own; the last line is the result
    /// (`iotrial docs json`).
    #[arg(long, conflicts_with_all = ["json", "dry_run"])]
    pub json_stream: bool,
}

impl RunArgs {
    /// The request to a session; `need` is what --need stands for.
    pub fn request(&self, need: Option<Need>) -> Result<LoadRequest, Failure> {
        let load = &self.load;
        check_size(load.size)?;
        if self.steps.is_some() && (self.latency_limit.is_some() || self.until_steady.is_some()) {
            let error = anyhow::anyhow!(
                "--steps says how much load there is, and --latency-limit and --until-steady decide that themselves"
            );
            let hint = "use --steps with --need, or alone with a profile: the steps are then shares of its rates, or of its outstanding I/Os";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        let steps_all = |steps: &Staircase| steps.0.iter().any(|percent| *percent >= 100.0);
        if need.is_some() && self.steps.as_ref().is_some_and(|steps| !steps_all(steps)) {
            let error = anyhow::anyhow!("no step of --steps reaches the needed rate");
            let hint = "add a step of 100% or more: without it the run cannot show whether the storage sustains the need";
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
                    "find the rate first, then run a profile whose jobs have that rate until it is steady";
                return Err(Failure::input(error).hint(hint.to_owned()));
            }
        };
        Ok(LoadRequest {
            // A job of fio says how much and how long; a shorter form is for the command line to ask for.
            full: load.full || self.fio_job.is_some(),
            size: load.size,
            array_cache: self.array_cache,
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

/// Options of `verify`.
#[derive(Debug, Args)]
#[command(mut_arg("thresholds", |arg| arg.hide(true)), args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = "\
Examples:
  # does this disk give back what is written? (in ./iotrial-data)
  iotrial verify
  # under the load of PostgreSQL, half an hour, on another disk
  iotrial verify postgresql-oltp --target /var/lib/pg --duration 30m
  # a raw device; get the token from `iotrial target`
  iotrial verify oracle-oltp --target /dev/nvme1n1 --destroy 3f9a1c…
  # what would be done
  iotrial verify --dry-run
  # does what was flushed survive a cut of the power?
  iotrial verify crash arm --target /mnt/data --journal /mnt/other/trial.journal

Every sector that is written carries a stamp: run, place, number of the write, check sum. Every page is read and \
compared before it is overwritten, whenever the load reads it, and once more after the load. What differs is read again \
three times and named: lost, torn, misdirected, stale, damaged, missing capacity, hang … (`iotrial docs verify`). Rates and latencies of such a \
run are no measurement of the storage.

What a power cut leaves is tried by `iotrial verify crash`.

Exit codes: 0 everything read back as written; 1 it did not; 2 wrong usage or input; 3 failed; 4 inconclusive: stopped, or \
a cache of the host may have answered; 130 stopped before its end.")]
pub struct VerifyArgs {
    /// What to do beside a load.
    #[command(subcommand)]
    pub command: Option<VerifyCommand>,

    #[command(flatten)]
    pub load: LoadArgs,

    /// An I/O that takes longer is a fault, `hang`; after eight times as long nobody waits for it [default: 15s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = heading::IO)]
    pub io_deadline: Option<Duration>,

    /// Memory for the map of what each page should hold. If it is too small for all pages, the last write is known of one page in several
    /// only [default: a sixteenth of the memory].
    #[arg(long, value_name = "SIZE", help_heading = heading::IO)]
    pub map_memory: Option<ByteSize>,

    /// Show the plan without doing anything.
    #[arg(long, help_heading = heading::NONE)]
    pub dry_run: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

impl VerifyArgs {
    /// The request to a session.
    pub fn request(&self) -> Result<LoadRequest, Failure> {
        let load = &self.load;
        check_size(load.size)?;
        if self.io_deadline.is_some_and(|deadline| deadline.is_zero()) {
            let error = anyhow::anyhow!("--io-deadline must be more than zero");
            return Err(Failure::input(error).hint("give a time such as 15s, or leave it out".to_owned()));
        }
        if self.map_memory.is_some_and(|size| size.get() == 0) {
            let error = anyhow::anyhow!("--map-memory must be more than zero");
            return Err(Failure::input(error).hint("give a size such as 2GiB, or leave it out".to_owned()));
        }
        Ok(LoadRequest {
            full: load.full,
            size: load.size,
            duration: load.duration,
            ramp: load.ramp,
            aim: Aim::Verify { io_deadline: self.io_deadline, map_memory: self.map_memory },
            rig: load.rig.request()?,
            ..LoadRequest::default()
        })
    }
}

/// Zero would be taken as «no size», and the quick one laid out instead: nobody asks for nothing.
fn check_size(size: Option<ByteSize>) -> Result<(), Failure> {
    if size.is_some_and(|size| size.get() == 0) {
        let error = anyhow::anyhow!("--size must be more than zero");
        return Err(Failure::input(error).hint("give a size such as 2GiB, or leave it out".to_owned()));
    }
    Ok(())
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
#[command(next_help_heading = heading::FIO)]
pub struct FioArgs {
    /// With `stonewall` in the job file: which group of jobs to take, counting from 1.
    #[arg(long, value_name = "NUMBER")]
    pub fio_set: Option<usize>,

    /// Leave out fio options that are not understood or have no equivalent here, instead of stopping with an error; each one is
    /// listed.
    #[arg(long)]
    pub fio_leave_out: bool,

    /// Allow the job to use this environment variable as `${NAME}` (repeatable). Its value becomes part of the profile, and of the
    /// record of a run.
    #[arg(long, value_name = "NAME")]
    pub fio_env: Vec<String>,
}

impl LoadArgs {
    /// The profile that was named, or the usual one.
    pub fn profile(&self) -> &str {
        self.profile.as_deref().unwrap_or("sqlserver-oltp")
    }
}

/// Which load, on which targets, by which engine: what every command that runs a profile is asked.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// A built-in profile (see `iotrial profiles`) or a TOML file [default: sqlserver-oltp].
    #[arg(value_parser = habit::profile, add = completion::profiles())]
    pub profile: Option<String>,

    /// Total size of all test files [default: the profile's quick size, less if space is short].
    #[arg(short, long, value_name = "SIZE", help_heading = heading::NONE)]
    pub size: Option<ByteSize>,

    /// How long to measure, such as 60s or 5m [default: the profile's quick time].
    // Those who come from fio, diskspd or sysbench type these names first.
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration, visible_aliases = ["time", "runtime"], help_heading = heading::NONE)]
    pub duration: Option<Duration>,

    /// How long the load runs before measuring starts [default: the profile's quick ramp].
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = heading::LOAD)]
    pub ramp: Option<Duration>,

    /// Use the profile's full sizes and times instead of the quick ones.
    #[arg(long, help_heading = heading::LOAD)]
    pub full: bool,

    /// Threshold set to judge by: a name from `iotrial thresholds`, or a TOML file [default: the profile's].
    #[arg(long, value_name = "NAME|FILE", add = completion::thresholds(), help_heading = heading::PASS)]
    pub thresholds: Option<String>,

    #[command(flatten)]
    pub rig: RigArgs,
}

/// Options of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the newest result (last~1 is the one before it)
  iotrial report last
  # by its id, or the beginning or end of it
  iotrial report 01JD…
  # one page with charts
  iotrial report ./a.iotrial.json --html a.html
  # two labels compared, followed by each of their runs
  iotrial report before after --html both.html
  # two runs, as a workbook
  iotrial report 01JD… 01JE… --xlsx both.xlsx
  # a study: the comparison, followed by each run
  iotrial report volumes.toml --html study.html
  # for a customer: a page under your title, and its charts for slides
  iotrial report last --html erp.html --title 'ERP volume' --charts charts
  # one row per figure
  iotrial report 01JD… --csv - | sort
  iotrial report last --gate 'log.commit.p99 < 2ms' --junit gates.xml
  # a result of another tool (see `iotrial import`)
  iotrial report fio.json --html fio.html
  # a run and a result of another tool in one document
  iotrial report 01JD… fio.json
  iotrial report 01JD… --markdown ticket.md --xlsx report.xlsx

All formats show the same figures. Several records are first compared, as `iotrial compare` does, and then shown \
one by one. If a comparison would not be fair, they are only shown side by side, with the reason.

Exit codes: 0 every verdict is qualified (results without a verdict count as qualified); 1 at least one is not qualified; 2 wrong usage or input; 3 failed; 4 at least one is \
inconclusive, and the others are qualified. With --gate the gates decide: 0 all passed; 1 at least one failed; 4 none failed, \
but at least one is undecided.")]
pub struct ReportArgs {
    /// What to show: ids or labels from the store, record files (also the journal of a crashed run), results of other
    /// tools, folders of these, studies, or - for standard input.
    #[arg(required = true, value_name = "RESULT", add = completion::results())]
    pub records: Vec<String>,

    /// For a study: show only the runs of this profile.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Write each chart of the report as an SVG file into this folder, for slides and documents; the folder is made if it does
    /// not exist.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = heading::OUTPUT)]
    pub charts: Option<PathBuf>,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Threshold set to judge by: a name from `iotrial thresholds`, or a TOML file [default: the profile's].
    #[arg(long, value_name = "NAME|FILE", add = completion::thresholds(), help_heading = heading::PASS)]
    pub thresholds: Option<String>,

    /// Print JSON to standard output, and nothing else: an object for one result, an array for several.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// `--gate` of `compare`, which alone has a baseline.
const GATE_OF_COMPARE: &str = "Condition that must hold (repeatable): a limit such as \
    'log.commit.p99 < 2ms', or a change from the baseline such as 'write.p99 <= +10%'. Gates decide the \
    exit code; `iotrial docs compare` lists the metrics";

/// Options of `compare`.
#[derive(Debug, Args)]
#[command(mut_arg("gates", |gates| gates.help(GATE_OF_COMPARE)), after_help = "\
Examples:
  # all runs of two labels
  iotrial compare before after
  # the newest result with the one before it
  iotrial compare last~1 last
  # with charts, and as a workbook
  iotrial compare before after --html c.html --xlsx c.xlsx
  # a folder of records: what does the driver alone change?
  iotrial compare ./records --by driver --html c.html
  # a study, with another configuration as the baseline
  iotrial compare volumes.toml --baseline '3 volumes'
  # figures from a publication
  iotrial compare --table published.toml
  # results of other tools (see `iotrial import`)
  iotrial compare ./fio-before ./fio-after
  # two AWR reports of one job, before and after a change of storage
  iotrial compare before.html after.html
  # for CI: exit code 0, 1 or 4 (undecided)
  iotrial compare before after --gate 'write.p99 <= +10%'
  iotrial compare before after --gate 'log.commit.p99 < 2ms' --junit gates.xml

Runs with the same label and attributes count as repeats of one configuration. The effect of a factor (an \
attribute such as `driver`) is taken from pairs of configurations that differ in nothing else. \
`iotrial docs compare` explains the method, `iotrial docs table-format` the format of tables.

Exit codes: 0 compared, all gates passed; 1 at least one gate failed; 2 wrong usage or input, or records \
that cannot be compared fairly; 3 failed; 4 no gate failed, but at least one is undecided.")]
pub struct CompareArgs {
    /// What to compare: ids or labels from the store, record files, results of other tools, published tables, folders of
    /// these, studies, or - for standard input.
    #[arg(value_name = "RESULT", required_unless_present = "tables", add = completion::results())]
    pub records: Vec<String>,

    /// A file with published figures (`iotrial docs table-format`; repeatable).
    #[arg(long = "table", value_name = "FILE")]
    pub tables: Vec<PathBuf>,

    /// For a study: compare only this profile [default: each profile, and all together].
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Label of the configuration to compare the others with [default: the first].
    #[arg(long, value_name = "LABEL")]
    pub baseline: Option<String>,

    /// Treat only this attribute as a factor.
    #[arg(long, value_name = "ATTRIBUTE")]
    pub by: Option<String>,

    #[command(flatten)]
    pub gates: GateArgs,

    /// Compare even if profiles or conditions differ, and skip records that cannot be read; both with a warning.
    #[arg(long, help_heading = heading::NONE)]
    pub force: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `audit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # a published table and the claims made about it
  iotrial audit published.toml
  # a stored result, by its id
  iotrial audit 01JD…
  # all runs with a label
  iotrial audit before
  # every result in a folder
  iotrial audit ./results --html audit.html
  iotrial audit vendor.toml --json | jq '.findings[] | {place, message}'

Rounding is allowed for: 98.6 may be any value that rounds or truncates to 98.6, and figures contradict each other only if \
no such values are consistent. `iotrial docs audit` lists every check with its limits.

Exit codes: 0 no contradiction; 1 a contradiction; 2 wrong usage or input, or at least one file cannot be read, even if there is a contradiction (the others are audited); 3 failed.")]
pub struct AuditArgs {
    /// What to check: ids or labels from the store, record files, results of fio and other tools (`iotrial docs import`),
    /// tables (`iotrial docs table-format`), folders of these, or - for standard input.
    #[arg(required = true, value_name = "RESULT", add = completion::results())]
    pub results: Vec<String>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print JSON to standard output, and nothing else: an object for one result, an array for several.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `profiles`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # to edit it; the copy needs a `name` of its own
  iotrial profiles sqlserver-oltp > mine.toml
  # a fio job as a profile; each line says where it comes from
  iotrial profiles --from-fio mix.fio > mine.toml
  iotrial profiles --from-fio 'fio --name=a --rw=randrw --size=4g --runtime=60'

`iotrial docs profiles` describes every key, `iotrial docs fio-jobs` what each fio option \
becomes.")]
pub struct ProfilesArgs {
    /// Profile to print.
    #[arg(value_parser = habit::profile, add = completion::profiles())]
    pub name: Option<String>,

    /// Print a fio job file, or a fio command line in quotes, as a profile.
    #[arg(long, value_name = "FILE|COMMAND", conflicts_with = "name")]
    pub from_fio: Option<String>,

    #[command(flatten)]
    pub fio: FioArgs,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub json: bool,
}

/// Options of `thresholds`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial thresholds
  # to edit it; the copy needs a `name` of its own
  iotrial thresholds flash > mine.toml
  iotrial run --thresholds ./mine.toml

`iotrial docs thresholds` describes every key.")]
pub struct ThresholdsArgs {
    /// Threshold set to print, or a TOML file to check and print.
    #[arg(value_name = "NAME|FILE", add = completion::thresholds())]
    pub name: Option<String>,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// `--store` of `target`, which reads and writes no results.
const STORE_OF_TARGET: &str = "Folder where results are stored; the device that holds it gets no token \
    [env: IOTRIAL_STORE] [default: as for `iotrial run`]";

/// Options of `target`.
#[derive(Debug, Args)]
#[command(
    mut_arg("named", |store| store.help(STORE_OF_TARGET)),
    after_help = "\
Example:
  iotrial target /dev/nvme1n1

Give the token to `iotrial run --destroy`; it is valid while the content of the device is unchanged."
)]
pub struct TargetArgs {
    /// A raw block device.
    pub device: PathBuf,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `clean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  # test files in ./iotrial-data\n  iotrial clean\n  iotrial clean /mnt/a --yes\n\nAsks first. Removes only files that iotrial created itself and that no run is using."
)]
pub struct CleanArgs {
    /// Directories that were used as --target.
    #[arg(default_value = USUAL_DIRECTORY)]
    pub directories: Vec<PathBuf>,

    /// Remove without asking.
    #[arg(short, long)]
    pub yes: bool,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// The LIMIT of `--until-steady`, which may be left out: the word after it may have been meant as the profile.
fn parse_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| {
        // LIMIT is optional, so that clap takes the word behind the option for it, whatever it was meant as.
        if text.contains(|c: char| c.is_ascii_alphabetic()) && !text.starts_with(|c: char| c.is_ascii_digit())
        {
            return format!("{error}; if this is the profile, give it before --until-steady");
        }
        error.to_string()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// A heading holds for what follows it (`heading`), so an option behind a flattened struct may land under one that has nothing
    /// to do with it, as `size --html` once did under «What the cost includes».
    #[test]
    fn options_that_many_commands_have_are_under_the_same_heading_in_all_of_them() {
        fn check(program: &clap::Command, id: &str, heading: Option<&str>) {
            let mut commands = 0;
            for command in program.get_subcommands() {
                // Where there is only one list, it needs no headings.
                let has_headings = command.get_opts().any(|one| one.get_help_heading().is_some());
                let option = command.get_opts().find(|one| one.get_id() == id).filter(|_| has_headings);
                commands += usize::from(option.is_some());
                let found = option.map(|one| one.get_help_heading());
                assert!(
                    found.is_none_or(|found| found == heading),
                    "{id} of {}: {found:?}",
                    command.get_name()
                );
            }
            assert!(commands > 1, "{id} is in {commands} commands");
        }
        let program = Cli::command();
        for id in ["html", "xlsx", "markdown", "csv", "overwrite", "json", "json_stream"] {
            check(&program, id, Some(heading::OUTPUT));
        }
        for id in ["gates", "strict", "junit", "github_summary", "thresholds"] {
            check(&program, id, Some(heading::PASS));
        }
        for id in ["engine", "buffered", "polled", "priority", "destroy"] {
            check(&program, id, Some(heading::IO));
        }
        for id in ["named", "label", "quiet", "dry_run", "targets"] {
            check(&program, id, heading::NONE);
        }
    }

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
