//! Options of `size`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint, value_parser};
use iotrial_model::demand::{DemandPool, LatencyClass, Mirror, Os, StreamText};
use iotrial_model::load::Role;
use iotrial_model::units::ByteSize;
use iotrial_sizing::explanation::Mix;
use iotrial_sizing::price::GivenRate;

use super::StoreArgs;
use super::size_cost::CountedArgs;
use crate::heading;
use crate::output_file::OutputFile;
use crate::report_files::ReportFiles;

/// Options of `size`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  iotrial size --read 40000iops@8KiB --write 10000iops@8KiB --capacity 4TiB
  iotrial size --read 1920MB/s@64KiB --os windows --provider oci --currency EUR
  iotrial size --demand erp.toml --against today.toml --html answer.html
  # size for what a run did, and write a study to verify the answer
  iotrial size --demand 01JD… --capacity 2TiB --study verify.toml
  # as Terraform (or --commands FILE: commands of the provider)
  iotrial size --demand erp.toml --provider aws --terraform database.tf
  # size for what a server does today; keep the demand to edit it
  iotrial size --demand iostat.txt --percentile 99 --save-demand erp.toml
  # separate volumes for data and log
  iotrial size --demand erp.toml --pool data=4TiB --pool log=200GiB,sub-ms
  # what limits a given configuration?
  iotrial size explain today.toml
  # with SQL Server licences (also --pair replica, --backup, --egress)
  iotrial size --demand erp.toml --os windows --database sqlserver-enterprise
  # three-year commitments; each part is bought in the year it is needed
  iotrial size --demand erp.toml --growth 40% --years 3 --by-year --term 3y
  # what is in the catalogs, what is missing, and how old are they?
  iotrial size catalogs

A configuration delivers the smallest of what its volumes, their attachment, the machine, its network (in each \
direction) and the outstanding I/Os allow. The search is exact: it covers every combination of the machines, volumes, \
levels, counts and sizes that are considered. Only sustained rates count, unless you give --allow-burst. \
`iotrial docs size` explains the method and the formats of demands and configurations, `iotrial docs catalogs` \
that of catalogs.

Exit codes: 0 found; 1 nothing meets the demand, the closest is shown; 2 wrong usage or input; 3 failed."
)]
pub struct SizeArgs {
    /// Other things to do.
    #[command(subcommand)]
    pub command: Option<SizeCommand>,

    #[command(flatten)]
    pub demand: DemandArgs,

    #[command(flatten)]
    pub catalogs: CatalogArgs,

    #[command(flatten)]
    pub money: MoneyArgs,

    /// Only this kind of volume or level, such as gp3 or vpu-20 (repeatable). Rotating disks and levels without guaranteed IOPS
    /// are considered only if you name them, if --latency is hdd, or if the demand is sequential.
    #[arg(long = "volume", value_name = "NAME", help_heading = heading::CHOICE)]
    pub volumes: Vec<String>,

    /// Only machines with this in their name, such as Optimized3 (repeatable).
    #[arg(long = "machine", value_name = "PART", help_heading = heading::CHOICE)]
    pub machines: Vec<String>,

    /// Exclude ARM machines.
    #[arg(long, help_heading = heading::CHOICE)]
    pub no_arm: bool,

    /// Use at most N volumes; many small ones are often the cheapest, but harder to manage.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=4096), help_heading = heading::CHOICE)]
    pub volumes_max: Option<u32>,

    /// Prefer fewer volumes if they cost at most this much more than the cheapest; 0 takes the cheapest.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = parse_tolerance, help_heading = heading::CHOICE)]
    pub tolerance: f64,

    /// Plan what is bought in which year (--years), and compare it with buying everything on day one.
    #[arg(long, help_heading = heading::CHOICE)]
    pub by_year: bool,

    /// Show the N cheapest configurations per provider.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(1..=50), help_heading = heading::OUTPUT)]
    pub top: u32,

    /// Explain why this configuration is not the answer (repeatable).
    #[arg(long, value_name = "CONFIG", help_heading = heading::CHOICE)]
    pub against: Vec<PathBuf>,

    /// Write a study file to verify the answers by measurement, with one configuration per provider.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::OUTPUT)]
    pub study: Option<OutputFile>,

    /// Profile for the study [default: the rates of the demand, as an open load].
    #[arg(long, value_name = "NAME", requires = "study", help_heading = heading::OUTPUT)]
    pub profile: Option<String>,

    /// Write the demand as it was understood, for editing.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::OUTPUT)]
    pub save_demand: Option<OutputFile>,

    /// Write the cheapest configuration, for editing and for `size explain`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::OUTPUT)]
    pub config: Option<OutputFile>,

    /// Write the cheapest configuration as a Terraform file, with names, zone and sizes as variables and the striping commands as comments.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::OUTPUT)]
    pub terraform: Option<OutputFile>,

    /// Write the commands of the provider's own tool (aws, az, gcloud, oci) that create it, as a shell script.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::OUTPUT)]
    pub commands: Option<OutputFile>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Other things to do.
#[derive(Debug, Subcommand)]
pub enum SizeCommand {
    /// Show what limits a given configuration, what each part delivers, and what it costs.
    Explain(Box<ExplainArgs>),
    /// List the catalogs (limits and prices of each provider), their age, and what is missing from them.
    Catalogs(CatalogsArgs),
}

/// A demand, from a file or from options; options override the file.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = heading::DEMAND)]
pub struct DemandArgs {
    /// What is needed: a demand file (TOML); a result, by file, id or label; or counters of a running system: iostat -x, sar -b,
    /// PerfMon CSV.
    #[arg(long, value_name = "FILE|RESULT")]
    pub demand: Option<String>,

    /// With counters: percentile of the intervals to size for [default: 95].
    #[arg(long, value_name = "PERCENT", requires = "demand", value_parser = parse_percentile)]
    pub percentile: Option<f64>,

    /// With counters: only this disk, as named in the counter file (repeatable) [default: every whole disk].
    #[arg(long = "disk", value_name = "NAME", requires = "demand")]
    pub disks: Vec<String>,

    /// Reads, with their block size: 40000iops@8KiB, 320MB/s@64KiB; with a role where that matters: tempdb=2000iops@64KiB
    /// (repeatable).
    #[arg(long = "read", value_name = "[ROLE=]RATE@SIZE")]
    pub reads: Vec<StreamText>,

    /// Writes, with their block size: log=5000iops@16KiB (repeatable).
    #[arg(long = "write", value_name = "[ROLE=]RATE@SIZE")]
    pub writes: Vec<StreamText>,

    /// The reads and writes given here without a role are sequential, as in scans and backups.
    #[arg(long)]
    pub sequential: bool,

    /// Separate volumes for these roles (data, tempdb, log, scan, backup), with their size, such as log=200GiB,sub-ms or
    /// data,scan=4TiB,cache=60 (repeatable). Options: sub-ms, single-digit-ms or hdd; volume=NAME allows only that
    /// kind; cache=PERCENT is the share of reads that a host cache would serve; local allows the machine's own disk (the default
    /// for tempdb), durable forbids it. Roles without a pool share one, with the size of --capacity.
    #[arg(long = "pool", value_name = "ROLES[=SIZE][,OPTION…]")]
    pub pools: Vec<DemandPool>,

    /// How much is stored today, such as 4TiB. With --pool: the size of the data pool, if `--pool data` gives no size;
    /// otherwise the size of the pool that the remaining roles share.
    #[arg(long, value_name = "SIZE")]
    pub capacity: Option<ByteSize>,

    /// Growth of the capacity per year, such as 40%.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub growth: Option<f64>,

    /// Growth of the rates per year, such as 20%.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub load_growth: Option<f64>,

    /// How many years it has to last.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=30))]
    pub years: Option<u32>,

    /// Slowest acceptable latency class: sub-ms, single-digit-ms or hdd (as slow as rotating disks) [default: any].
    #[arg(long, value_name = "CLASS", value_parser = parse_latency)]
    pub latency: Option<LatencyClass>,

    /// Operating system, linux or windows; attachments and licences depend on it [default: linux].
    #[arg(long, value_name = "OS", value_parser = parse_os)]
    pub os: Option<Os>,

    /// Bring your own licence for the operating system.
    #[arg(long)]
    pub own_licence: bool,

    /// Minimum number of vCPUs [default: the larger of one per 8 GiB of --memory (64 at most) and one per 8,000 IOPS].
    #[arg(long, value_name = "N")]
    pub vcpus: Option<u32>,

    /// Minimum memory, such as 64GiB.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<ByteSize>,

    /// The volumes are shared by several machines, as in a failover cluster.
    #[arg(long)]
    pub clustered: bool,

    /// Mirroring done by the machine itself: none, two-way (RAID 10, ASM normal redundancy) or three-way.
    #[arg(long, value_name = "COPIES", value_parser = parse_mirror)]
    pub mirror: Option<Mirror>,

    /// Number of replicas that receive writes over the network (Data Guard, Always On): they receive the writes of the log, or all
    /// writes if the demand has no log.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=16))]
    pub replicas: Option<u32>,

    /// Replicas receive the writes of this role instead of the log (repeatable): data, tempdb, log, scan, backup.
    #[arg(long = "ship", value_name = "ROLE", value_parser = parse_role)]
    pub shipped: Vec<Role>,

    /// Also count burst rates, which last for a limited time such as half an hour a day.
    #[arg(long)]
    pub allow_burst: bool,
}

/// Where limits and prices come from.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = heading::PRICES)]
pub struct CatalogArgs {
    /// Only this provider: oci, azure, aws, gcp, or one from --catalog (repeatable).
    #[arg(long = "provider", value_name = "NAME")]
    pub providers: Vec<String>,

    /// Your own catalog (TOML); it replaces the built-in one of the same provider (repeatable).
    #[arg(long = "catalog", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// In which money.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = heading::PRICES)]
pub struct MoneyArgs {
    /// Currency for all amounts, such as EUR [default: that of the catalogs].
    #[arg(long, value_name = "CODE", value_parser = parse_currency)]
    pub currency: Option<String>,

    /// Exchange rate, such as USD/EUR=0.93; overrides the catalog (repeatable).
    #[arg(long = "rate", value_name = "FROM/TO=N")]
    pub rates: Vec<GivenRate>,

    /// Number of hours billed per month [default: the lowest value in the catalogs; 730 in the built-in ones].
    #[arg(long, value_name = "N", value_parser = parse_hours)]
    pub hours_per_month: Option<f64>,

    #[command(flatten)]
    pub counted: CountedArgs,
}

/// Options of `size explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial size explain today.toml
  iotrial size explain today.toml --mix 40@64KiB --mix 100@1MiB
  # what a run reached, next to the limits
  iotrial size explain today.toml --record 01JD…
  # the same with published figures
  iotrial size explain today.toml --table published.toml
  # can it meet this demand?
  iotrial size explain today.toml --demand erp.toml
  # price and performance of several, with what was measured on the second
  iotrial size explain one.toml ten.toml --mix 100@64KiB --record 2=01JD…

Exit codes: 0 done, and the demand (if there is one) is met; 1 it is not met, or a rule of the provider forbids the \
configuration; 2 wrong usage or input; 3 failed.")]
pub struct ExplainArgs {
    /// Configuration file (TOML; `iotrial docs size`). Several are compared: what each delivers, what limits it, what 1 MB/s and
    /// 1,000 IOPS cost.
    #[arg(value_name = "CONFIG", required = true)]
    pub configurations: Vec<PathBuf>,

    /// Share of reads at a block size, such as 70@8KiB (repeatable) [default: six common mixes].
    #[arg(long = "mix", value_name = "PERCENT@SIZE")]
    pub mixes: Vec<Mix>,

    /// A run or sweep that was measured on this configuration: a result file from iotrial or from another tool, or an id or label
    /// in the store (repeatable). With several configurations, put the number of the one it belongs to in front: 2=01JD….
    #[arg(long = "record", value_name = "[N=]RESULT")]
    pub records: Vec<String>,

    /// A table of published figures (`iotrial docs table-format`; repeatable). With several configurations, put the number in
    /// front, as for --record.
    #[arg(long = "table", value_name = "[N=]FILE")]
    pub tables: Vec<String>,

    /// Only these rows of the tables, by id (repeatable). With several configurations, 2=ID is a row for the second one only.
    #[arg(long = "row", value_name = "[N=]ID", requires = "tables")]
    pub rows: Vec<String>,

    #[command(flatten)]
    pub demand: DemandArgs,

    /// Your own catalog (TOML); it replaces the built-in one of the same provider (repeatable).
    #[arg(long = "catalog", value_name = "FILE", help_heading = heading::PRICES)]
    pub catalogs: Vec<PathBuf>,

    #[command(flatten)]
    pub money: MoneyArgs,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `size catalogs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial size catalogs
  # every volume, machine and source of a provider
  iotrial size catalogs oci
  # print its catalog, to edit it
  iotrial size catalogs oci --print toml > ours.toml
  # check your own catalog
  iotrial size catalogs --catalog ours.toml")]
pub struct CatalogsArgs {
    /// Show this provider in full.
    pub provider: Option<String>,

    /// Your own catalog (TOML; repeatable).
    #[arg(long = "catalog", value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print the catalog of PROVIDER, to edit it.
    #[arg(long, value_enum, value_name = "FORMAT", requires = "provider", conflicts_with = "json")]
    pub print: Option<PrintForm>,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// The forms in which a catalog can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrintForm {
    /// The built-in TOML file, unchanged.
    Toml,
}

pub(super) fn parse_word<T: Copy>(text: &str, all: &[T], word: fn(T) -> &'static str) -> Result<T, String> {
    // The words are those of the TOML files, so that what is typed can be put into one.
    all.iter().copied().find(|one| word(*one) == text).ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|one| word(*one)).collect();
        format!("it must be one of {}", words.join(", "))
    })
}

fn parse_latency(text: &str) -> Result<LatencyClass, String> {
    parse_word(text, LatencyClass::ALL, LatencyClass::as_str)
}

fn parse_os(text: &str) -> Result<Os, String> {
    parse_word(text, Os::ALL, Os::as_str)
}

fn parse_mirror(text: &str) -> Result<Mirror, String> {
    parse_word(text, Mirror::ALL, Mirror::as_str)
}

pub(super) fn parse_number(
    text: &str,
    range: std::ops::RangeInclusive<f64>,
    what: &str,
) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("{what} is a number from {} to {}", range.start(), range.end()))
}

fn parse_percent(text: &str) -> Result<f64, String> {
    parse_number(text.trim_end_matches('%'), 0.0..=1000.0, "growth")
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    parse_number(text.trim_end_matches('%'), 0.0..=100.0, "a tolerance")
}

fn parse_role(text: &str) -> Result<Role, String> {
    parse_word(text, Role::ALL, Role::as_str)
}

pub(super) fn parse_percentile(text: &str) -> Result<f64, String> {
    parse_number(text.trim_start_matches('p').trim_end_matches('%'), 1.0..=100.0, "a percentile")
}

fn parse_hours(text: &str) -> Result<f64, String> {
    parse_number(text.trim_end_matches('h'), 600.0..=744.0, "a month in hours")
}

fn parse_currency(text: &str) -> Result<String, String> {
    let is_code = text.len() == 3 && text.chars().all(|c| c.is_ascii_uppercase());
    if is_code { Ok(text.to_owned()) } else { Err("a currency is a code such as EUR".to_owned()) }
}
