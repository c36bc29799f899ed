//! Options of `sweep`.

use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};
use iotrial_model::sweep::LoadPattern;
use iotrial_model::units::{ByteSize, parse_duration};
use iotrial_session::request::{SweepLoads, SweepRequest};

use super::RigArgs;
use crate::failure::Failure;
use crate::report_files::ReportFiles;

/// Options of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # six patterns in ./iotrial-data, about three minutes
  iotrial sweep
  iotrial sweep --pattern randread-8k,randrw70-8k --target /mnt/data --step 60s
  # alone, then together
  iotrial sweep --target /mnt/a --target /mnt/b --pattern read-64k,read-512k
  # the same, with names for the volumes
  iotrial sweep --target data=/mnt/a --target log=/mnt/b
  # the classic series
  iotrial sweep --pattern randread-8k --grid 1,2,4,8,16,32,64,128
  # reads a raw device only
  iotrial sweep --target /dev/nvme1n1 --pattern randread-8k
  # the series of the SQLIO paper, 47 minutes
  iotrial sweep --series sqlio --full
  # the figures as a workbook with native charts
  iotrial sweep --pattern randread-8k --xlsx sweep.xlsx
  # its figures in Grafana while it runs
  iotrial sweep --listen 9464
  # the way to the array
  iotrial sweep --channel --target /mnt/a --target /mnt/b

A page with the curves goes beside the record, or where --html says.

The knee is the highest load with latency still in proportion, the ceiling the rate that more \
outstanding I/O does not raise. `iotrial docs sweep` has the method with its formulas and limits.")]
pub struct SweepArgs {
    /// Kinds of I/O as in fio, each with its block size: randread, randwrite, randrw, read, write, rw; randrw70 reads 70 %
    /// [default: randread-8k, randwrite-8k, read-64k, write-64k, read-512k, write-512k].
    #[arg(short, long = "pattern", value_name = "NAME-SIZE", value_delimiter = ',')]
    pub patterns: Vec<LoadPattern>,

    /// All files together [default: 1 GiB for each target, at most what is free].
    #[arg(short, long, value_name = "SIZE")]
    pub size: Option<ByteSize>,

    /// Measure exactly these outstanding I/Os instead of searching.
    #[arg(long, value_name = "N,N…", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=4096))]
    pub grid: Vec<u32>,

    /// A published series of tests instead of a search.
    #[arg(long, value_enum, conflicts_with_all = ["patterns", "grid", "repeats"])]
    pub series: Option<SeriesChoice>,

    /// The series with the times of its paper instead of 10 s and 5 s idle.
    #[arg(long, requires = "series")]
    pub full: bool,

    /// The way to the storage instead of the storage: sequential I/O on files of 100 MiB, which a cache below holds.
    #[arg(long, conflicts_with_all = ["grid", "series", "size"])]
    pub channel: bool,

    /// How long a load is measured that has to last; a search takes twice that for each pattern [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub step: Option<Duration>,

    /// Without load between one kind of I/O and the next, so that caches empty [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub idle: Option<Duration>,

    /// How often each load is measured [default: 2, of a grid 1].
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100))]
    pub repeats: Option<u32>,

    #[command(flatten)]
    pub rig: RigArgs,

    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl SweepArgs {
    /// What a session is asked for. Which of the options exclude each other is known by now.
    pub fn request(&self) -> Result<SweepRequest, Failure> {
        // The order decides nothing: clap has refused all combinations but `--channel` with patterns.
        let loads = match (self.series, self.channel, self.grid.as_slice()) {
            (Some(SeriesChoice::Sqlio), ..) => SweepLoads::Sqlio { full: self.full },
            (None, true, _) => SweepLoads::Channel,
            (None, false, []) => SweepLoads::Search,
            (None, false, grid) => SweepLoads::Grid(grid.to_vec()),
        };
        Ok(SweepRequest {
            patterns: self.patterns.clone(),
            loads,
            size: self.size,
            step: self.step,
            idle: self.idle,
            repeats: self.repeats,
            rig: self.rig.request()?,
        })
    }
}

/// The series that a user may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeriesChoice {
    /// Of «Predeployment I/O Best Practices»: 15 tests of random 8 KiB and of sequential 4 KiB to 256 KiB.
    Sqlio,
}
