//! Options of `sweep`.

use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};
use iotrial_model::sweep::LoadPattern;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::request::{Aim, LoadRequest, SteadyWait, SweepLoads, SweepRequest};

use super::{RigArgs, Staircase, check_size, completion, parse_limit};
use crate::failure::Failure;
use crate::habit;
use crate::heading;
use crate::report_files::ReportFiles;

/// `--target` of `sweep`, whose loads are the same on each of its volumes.
const TARGETS_OF_SWEEP: &str = "Directory, iotrial test file or raw block device: a volume to measure \
    (repeatable). A role in front only names the volume, such as data=/mnt/a; with PROFILE it says whose files are there, as for `run`";

/// Shares of the own load of a profile, in percent: each step doubles it, up to four times.
// A choice. An eighth shows the latency without a queue, and four times the sessions is more than most plans for growth ask for.
const USUAL_STEPS: [f64; 6] = [12.5, 25.0, 50.0, 100.0, 200.0, 400.0];

/// How long each of these is measured.
const USUAL_STEP: Duration = Duration::from_secs(10);

/// Options of `sweep`.
#[derive(Debug, Args)]
#[command(mut_arg("targets", |targets| targets.help(TARGETS_OF_SWEEP)), after_help = "\
Examples:
  # six patterns in ./iotrial-data, about three minutes
  iotrial sweep
  iotrial sweep --pattern randread-8k,randrw70-8k --target /mnt/data --step 60s
  # a whole profile raised step by step: where does it stop scaling?
  iotrial sweep oracle-oltp --target data=/mnt/a --target log=/mnt/b
  iotrial sweep sqlserver-oltp --steps 50%,100%,200%,300% --step 60s
  # each volume alone, then both together
  iotrial sweep --target /mnt/a --target /mnt/b --pattern read-64k,read-512k
  # the same, with names for the volumes
  iotrial sweep --target data=/mnt/a --target log=/mnt/b
  # exactly these queue depths instead of a search
  iotrial sweep --pattern randread-8k --grid 1,2,4,8,16,32,64,128
  # writes that last: an hour of them first, then each load until it is steady
  iotrial sweep --pattern randwrite-8k --precondition 1h --until-steady
  # a raw device, reads only
  iotrial sweep --target /dev/nvme1n1 --pattern randread-8k
  # the SQLIO series with its full times: 47 minutes
  iotrial sweep --series sqlio --full
  # as a workbook with native charts
  iotrial sweep --pattern randread-8k --xlsx sweep.xlsx
  # live figures for Prometheus and Grafana while it runs
  iotrial sweep --listen 9464
  # its tests again with more outstanding I/Os
  iotrial sweep --series sqlio --grid 8,16,32,64,128
  # the path to the array: HBA, switch, ports
  iotrial sweep --channel --target /mnt/a --target /mnt/b
  # each path of a multipath disk by itself: which one is slow?
  iotrial sweep --channel --pattern read-64k --target /dev/sdb --target /dev/sdc

A page with the curves is saved next to the record, unless --html or --html-folder says where.

The ceiling is the highest rate: more outstanding I/Os do not raise it. The knee is where latency begins \
to grow faster than the rate. `iotrial docs sweep` explains the method, its formulas and limits.

Exit codes: 0 done; 2 wrong usage or input; 3 failed; 130 stopped before its end. With PROFILE those of `iotrial run`: 0, 1 or 4 \
for its load at 100 %.")]
pub struct SweepArgs {
    /// Raise the load of this profile step by step, all its roles at once, instead of measuring patterns: a built-in profile (see
    /// `iotrial profiles`) or a TOML file.
    #[arg(value_parser = habit::profile, add = completion::profiles(), conflicts_with_all = ["patterns", "grid", "series", "channel", "idle", "repeats", "precondition", "until_steady"])]
    pub profile: Option<String>,

    /// With PROFILE: its load in each step, as percentages of its outstanding I/Os, or of its rates if it has rates
    /// [default: 12.5%,25%,50%,100%,200%,400%].
    #[arg(long, value_name = "PERCENT,PERCENT…", value_parser = Staircase::parse, requires = "profile", help_heading = heading::LOAD)]
    pub steps: Option<Staircase>,

    /// Patterns to measure, separated by commas, each a name and a block size, such as randread-8k. The names are those of fio:
    /// randread, randwrite, randrw, read, write, rw; randrw70 is 70 % reads [default:
    /// randread-8k,randwrite-8k,read-64k,write-64k,read-512k,write-512k].
    #[arg(short, long = "pattern", value_name = "NAME-SIZE", value_delimiter = ',')]
    pub patterns: Vec<LoadPattern>,

    /// Total size of all test files [default: 1 GiB per target, less if space is short].
    #[arg(short, long, value_name = "SIZE")]
    pub size: Option<ByteSize>,

    /// Measure exactly these numbers of outstanding I/Os instead of searching; 4x8 is four threads with eight each. With --series,
    /// each of its tests at each of them.
    #[arg(long, value_name = "N,N…", value_delimiter = ',', value_parser = outstanding, help_heading = heading::LOAD)]
    pub grid: Vec<u32>,

    /// Run a published series of tests instead of searching.
    #[arg(long, value_enum, conflicts_with_all = ["patterns", "repeats"], help_heading = heading::LOAD)]
    pub series: Option<SeriesChoice>,

    /// With --series: use the published durations. Without --full, each test takes 10 s, with 5 s idle between tests.
    #[arg(long, requires = "series", help_heading = heading::LOAD)]
    pub full: bool,

    /// Test the path to the storage (HBA, switch, ports) instead of the disks: sequential I/O on 100 MiB files, which the
    /// cache of an array can hold.
    #[arg(long, conflicts_with_all = ["grid", "series", "size"], help_heading = heading::LOAD)]
    pub channel: bool,

    /// Size of the cache of the array or controller behind the targets, such as 64GiB. Without --size, test files are made at least
    /// twice as large; of smaller files the result says that the cache may have answered.
    #[arg(long, value_name = "SIZE", conflicts_with = "channel", help_heading = heading::LOAD)]
    pub array_cache: Option<ByteSize>,

    /// Duration of the sustained measurement of each pattern; with its short probes, a search takes about twice that. With PROFILE, of
    /// each step [default: 10s; with --full as published].
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = heading::LOAD)]
    pub step: Option<Duration>,

    /// Idle time between patterns, so that caches can drain [default: 2s; with --series 5s, with --full as published].
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = heading::LOAD)]
    pub idle: Option<Duration>,

    /// How many times to measure each load [default: 2; 1 with --grid].
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100), help_heading = heading::LOAD)]
    pub repeats: Option<u32>,

    /// Before a pattern that writes is measured on a volume, run its load there for TIME without counting it, so that the figures are
    /// those of a device in use and not of a fresh one.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = heading::LOAD)]
    pub precondition: Option<Duration>,

    /// Measure each load that writes, except the short ones of a search, until five consecutive rounds are steady (SNIA PTS), each a
    /// fifth of --step; only those rounds are reported. Gives up after LIMIT, a time such as 1h [default: 25 rounds].
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit, num_args = 0..=1, help_heading = heading::LOAD)]
    pub until_steady: Option<Option<Duration>>,

    #[command(flatten)]
    pub rig: RigArgs,

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

impl SweepArgs {
    /// The request to a session where a whole profile is raised: a load in steps, with all its outstanding I/Os.
    pub fn raised(&self) -> Result<LoadRequest, Failure> {
        check_size(self.size)?;
        let staircase = self.steps.clone().map_or(USUAL_STEPS.to_vec(), |steps| steps.0);
        if !staircase.contains(&100.0) {
            let error = anyhow::anyhow!("no step of --steps is the load of the profile itself");
            let hint = "add 100%: the answer is for that load, and the other steps show how much less or more it could be";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        let step = self.step.unwrap_or(USUAL_STEP);
        let count = u32::try_from(staircase.len()).expect("there are few steps");
        Ok(LoadRequest {
            size: self.size,
            array_cache: self.array_cache,
            duration: Some(step.saturating_mul(count)),
            staircase,
            aim: Aim::Figures,
            rig: self.rig.request()?,
            ..LoadRequest::default()
        })
    }

    /// The request to a session. Which of the options exclude each other is known by now.
    pub fn request(&self) -> Result<SweepRequest, Failure> {
        // The order decides nothing: clap has refused all combinations but `--channel` with patterns.
        let loads = match (self.series, self.channel, self.grid.as_slice()) {
            (Some(SeriesChoice::Sqlio), ..) => {
                SweepLoads::Sqlio { full: self.full, loads: self.grid.clone() }
            }
            (None, true, _) => SweepLoads::Channel,
            (None, false, []) => SweepLoads::Search,
            (None, false, grid) => SweepLoads::Grid(grid.to_vec()),
        };
        Ok(SweepRequest {
            patterns: self.patterns.clone(),
            loads,
            size: self.size,
            array_cache: self.array_cache,
            step: self.step,
            idle: self.idle,
            repeats: self.repeats,
            precondition: self.precondition,
            until_steady: self.until_steady.map(|limit| SteadyWait { limit }),
            rig: self.rig.request()?,
        })
    }
}

/// Outstanding I/Os as tools write them: a number, or threads times those of each.
fn outstanding(text: &str) -> Result<u32, String> {
    let factors: Option<Vec<u32>> = text.split(['x', '×']).map(|factor| factor.trim().parse().ok()).collect();
    let product = factors
        .filter(|factors| factors.len() <= 2)
        .and_then(|factors| factors.into_iter().try_fold(1, u32::checked_mul));
    product.filter(|count| (1..=4_096).contains(count)).ok_or_else(|| {
        "give outstanding I/Os from 1 to 4,096, or threads times I/Os of each, such as 4x8".to_owned()
    })
}

/// The series that a user may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeriesChoice {
    /// The 15 tests of “Predeployment I/O Best Practices”: random 8 KiB, and sequential 4 KiB to 256 KiB.
    Sqlio,
}
