//! Options of `capture`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::output_file::OutputFile;
use crate::report_files::ReportFiles;

/// Options of `capture`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # one minute of all disks, as root
  sudo iotrial capture
  # only the disks below a directory, for five minutes; write a profile
  sudo iotrial capture --target /var/lib/pg 5m -o mine.toml
  # make the same load on other storage
  iotrial run mine.toml --target /mnt/new
  # what perf traced on another host
  perf record -a -e block:block_rq_issue -e block:block_rq_complete sleep 60
  perf script | iotrial capture -

Live, it reads the kernel's block events in an instance of tracefs of its own, and removes it at the end. Files are text of `perf script`, \
`blkparse`, BCC's `biosnoop`, or tracefs' `trace_pipe`. `iotrial docs capture` says what each figure means.

Exit codes: 0 done; 2 wrong usage or input; 3 failed, such as without root; 4 no I/O, or events were lost; 130 stopped before its end.")]
pub struct CaptureArgs {
    /// How long to trace this host [default: 1m], or a trace to read; - for standard input.
    #[arg(value_name = "DURATION|TRACE", value_hint = ValueHint::FilePath)]
    pub what: Vec<PathBuf>,

    /// Directory or device of the database: trace only the disks below it (repeatable) [default: all disks of this host].
    #[arg(short, long = "target", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub targets: Vec<PathBuf>,

    /// Process of the database: trace the disks on which it and its children have files open.
    #[arg(long, value_name = "PID", conflicts_with = "targets")]
    pub pid: Option<u32>,

    /// Write the profile that makes such a load, for `iotrial run`.
    #[arg(short, long, value_name = "PROFILE.toml", value_hint = ValueHint::FilePath)]
    pub output: Option<OutputFile>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}
