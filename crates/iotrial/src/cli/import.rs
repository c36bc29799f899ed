//! Options of `import`.

use std::path::PathBuf;

use clap::Args;
use iotrial_model::load::Role;
use iotrial_model::record::AttributeValue;

use super::StoreArgs;
use super::rig::parse_attribute;
use crate::report_files::ReportFiles;

/// Options of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # one result, into the store
  iotrial import fio.json
  # as it is made
  fio --output-format=json+ job.fio | iotrial import -
  iotrial import ./one-disk --label 'one disk' --attribute disks=1
  iotrial import ./three --label 'three striped' --attribute disks=3
  # the two held against each other
  iotrial compare 'one disk' 'three striped'
  # knee and ceiling from a grid of loads
  iotrial import ./grid --as-sweep
  iotrial import ./results --label '{stem}' --output ./records

Reads fio (JSON, json+, terse, and logs beside the JSON), diskspd (XML, text), SQLIO, Iometer, CrystalDiskMark, \
vdbench, and printed figures as TOML or CSV, packed by gzip or Zstandard or not. Files are recognised by what stands \
in them. What a source does not state stays absent. `iotrial docs import` has the formats and their limits.

Exit codes: 0 all read; 1 some files could not be read; 2 wrong usage, or nothing could be read; 3 could not be \
carried out.")]
pub struct ImportArgs {
    /// Files, folders of them, or - for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub sources: Vec<PathBuf>,

    /// The name of the configuration; {name}, {stem} and {folder} stand for those of each file.
    #[arg(short, long)]
    pub label: Option<String>,

    /// What distinguishes the configuration, such as volumes=3; may be repeated, and hold the same words as --label.
    #[arg(short, long = "attribute", value_name = "KEY=VALUE", value_parser = parse_attribute)]
    pub attributes: Vec<(String, AttributeValue)>,

    /// What the load stands for, which decides by which limits it is judged: data, tempdb, log, scan, backup.
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    pub role: Option<Role>,

    /// Write the records into this folder instead of the store.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Fit a curve to the loads of each kind of I/O, as `iotrial sweep` does: knee, ceiling, and what limits it.
    #[arg(long)]
    pub as_sweep: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Hide the progress; warnings and results stay.
    #[arg(short, long)]
    pub quiet: bool,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

fn parse_role(text: &str) -> Result<Role, String> {
    // By the words of profiles and records, and not by an enum of clap, whose names could come to differ.
    Role::ALL.iter().copied().find(|role| role.as_str() == text).ok_or_else(|| {
        let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        format!("the roles are {}", known.join(", "))
    })
}
