//! Options of `import`.

use std::path::PathBuf;

use clap::Args;
use iotrial_model::load::Role;
use iotrial_model::record::AttributeValue;

use super::StoreArgs;
use super::rig::{parse_attribute, parse_label};
use crate::heading;
use crate::report_files::ReportFiles;

/// Options of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # import one result
  iotrial import fio.json
  # straight from fio
  fio --output-format=json+ job.fio | iotrial import -
  iotrial import ./one-disk --label 'one disk' --attribute disks=1
  iotrial import ./three --label 'three striped' --attribute disks=3
  # compare the two
  iotrial compare 'one disk' 'three striped'
  # how fast can it get? From results at several queue depths
  iotrial import ./grid --as-sweep
  iotrial import ./results --label '{stem}' --output ./records

Reads fio (JSON, json+, terse, and the logs next to the JSON), diskspd (XML, text), SQLIO, Iometer, CrystalDiskMark, \
vdbench, and published tables as TOML or CSV, also compressed with gzip or Zstandard. Files are recognised by their content. \
Figures missing from the source stay empty. `iotrial docs import` describes the formats and their limits.

Exit codes: 0 all files read; 1 some files could not be read; 2 wrong usage, or nothing could be read; 3 failed.")]
pub struct ImportArgs {
    /// Files, folders, or - for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub sources: Vec<PathBuf>,

    /// Name of the configuration. In it, {name} stands for the name of the imported file, {stem} for its name without the extension,
    /// and {folder} for the name of its folder.
    #[arg(short, long, value_parser = parse_label)]
    pub label: Option<String>,

    /// What distinguishes the configuration, such as volumes=3 (repeatable); placeholders as in --label.
    #[arg(short, long = "attribute", value_name = "KEY=VALUE", value_parser = parse_attribute)]
    pub attributes: Vec<(String, AttributeValue)>,

    /// What the tested storage is used for, which decides the limits: data, tempdb, log, scan, backup.
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    pub role: Option<Role>,

    /// Write the records into this folder instead of the store.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Treat the results as a sweep: find how fast the storage can get and what limits it, as `iotrial sweep` does.
    #[arg(long)]
    pub as_sweep: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Hide progress; warnings and results are still shown.
    #[arg(short, long, help_heading = heading::NONE)]
    pub quiet: bool,

    /// Print one JSON document to standard output, and nothing else.
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
