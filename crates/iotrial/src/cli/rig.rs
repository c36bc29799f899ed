//! Options of every command that makes a load: on which targets, by which engine, under which name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use iotrial_model::foreign_text::hidden_in;
use iotrial_model::given_target::{GivenTarget, ParseTargetError};
use iotrial_model::plan::{EngineKind, SimDevice};
use iotrial_model::priority::Priority;
use iotrial_model::record::AttributeValue;
use iotrial_session::request::RigRequest;

use super::{HostArgs, ListenArgs, StoreArgs};
use crate::failure::Failure;
use crate::heading;
use crate::quiet::parse_wait;

/// Where the test files go if nothing else is said.
pub const USUAL_DIRECTORY: &str = "./iotrial-data";

/// Targets, engine, name, and where the records go.
#[derive(Debug, Clone, Args)]
pub struct RigArgs {
    /// Directory, iotrial test file or raw block device (repeatable). Put roles in front (data, tempdb, log, scan, backup) to
    /// use it for those only, such as log=/mnt/b or data,tempdb=/mnt/a.
    #[arg(short, long = "target", value_name = "[ROLE=]PATH", default_value = USUAL_DIRECTORY, value_parser = targets(), value_hint = clap::ValueHint::AnyPath, help_heading = heading::NONE)]
    pub targets: Vec<GivenTarget>,

    /// I/O engine [default: uring if the kernel allows it, iocp on Windows, else threads].
    #[arg(long, value_parser = engines(), help_heading = heading::IO)]
    pub engine: Option<EngineKind>,

    /// Go through the page cache. This measures memory as much as storage; the result says so.
    #[arg(long, help_heading = heading::IO)]
    pub buffered: bool,

    /// Poll the device for completions instead of waiting for interrupts. Keeps one CPU fully busy for each thread of the generator (--dry-run shows how many), and shows lower latency
    /// than a database sees. Needs a device with polling queues.
    #[arg(long, help_heading = heading::IO)]
    pub polled: bool,

    /// How the load ranks among other programs when they wait for CPUs: `high` gives its threads, and while it runs the whole login session
    /// (autogroup), nice -10. For a busy host; the result says so. Linux only; needs root, CAP_SYS_NICE or RLIMIT_NICE
    /// [default: normal].
    #[arg(long, value_parser = priorities(), help_heading = heading::IO)]
    pub priority: Option<Priority>,

    /// Random seed [default: a new one for each run].
    #[arg(long, help_heading = heading::LOAD)]
    pub seed: Option<u64>,

    /// Name of this configuration; runs with the same label and attributes count as repeats.
    #[arg(short, long, value_parser = parse_label, help_heading = heading::NONE)]
    pub label: Option<String>,

    /// What distinguishes this configuration, such as volumes=3 (repeatable).
    #[arg(short, long = "attribute", value_name = "KEY=VALUE", value_parser = parse_attribute, help_heading = heading::RECORD)]
    pub attributes: Vec<(String, AttributeValue)>,

    /// Allow a raw device to be overwritten: give the token that `iotrial target DEVICE` prints (repeatable). One token per raw
    /// device, in the order in which --target first names them.
    #[arg(long, value_name = "TOKEN", help_heading = heading::IO)]
    pub destroy: Vec<String>,

    /// Keep the test files, so that the next run can reuse them.
    #[arg(long, help_heading = heading::NONE)]
    pub keep_files: bool,

    /// Keep host name, serial numbers and paths out of the record. `iotrial docs record` lists what remains.
    #[arg(long, help_heading = heading::RECORD)]
    pub anonymous: bool,

    /// Hide progress; warnings and results are still shown.
    #[arg(short, long, help_heading = heading::NONE)]
    pub quiet: bool,

    /// If other programs keep CPUs or disks busy, wait until they stop, but no longer than TIME; the run then starts all the same.
    /// `off` does not look [default: 60s at a terminal, where Enter starts the run; else off].
    #[arg(long, value_name = "TIME|off", value_parser = parse_wait, help_heading = heading::RECORD)]
    pub wait_for_quiet: Option<Duration>,

    /// Simulated device for `--engine sim`, such as 'service_time_us = 200, parallelism = 32'.
    #[arg(long, value_name = "KEYS", value_parser = parse_sim_device, help_heading = heading::IO)]
    pub sim: Option<SimDevice>,

    #[command(flatten)]
    pub host: HostArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub listen: ListenArgs,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Where pages go that have no name of their own.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct PageArgs {
    /// Save the HTML page in this folder, named after the id of the record [default: next to the record].
    #[arg(long, value_name = "DIR", conflicts_with = "html")]
    pub html_folder: Option<PathBuf>,
}

impl RigArgs {
    /// The request to a session.
    pub fn request(&self) -> Result<RigRequest, Failure> {
        // Twice the same key is a slip in a long line, and the second value would silently decide what is compared with
        // what.
        let mut attributes = BTreeMap::new();
        for (key, value) in &self.attributes {
            if attributes.insert(key.clone(), value.clone()).is_some() {
                return Err(Failure::input(anyhow::anyhow!("the attribute `{key}` is given twice")));
            }
        }
        Ok(RigRequest {
            targets: self.targets.clone(),
            engine: self.engine,
            buffered: self.buffered,
            polled: self.polled,
            priority: self.priority.unwrap_or_default(),
            seed: self.seed,
            label: self.label.clone(),
            attributes,
            destroy: self.destroy.clone(),
            keep_files: self.keep_files,
            anonymous: self.anonymous,
            host: self.host.look(),
            sim: self.sim.clone(),
            store: self.store.place(),
        })
    }
}

/// Targets with or without roles.
pub fn targets() -> impl TypedValueParser<Value = GivenTarget> {
    // A path need not be text; one that is none names no role either.
    OsStringValueParser::new().try_map(|given| match given.to_str() {
        Some(text) => parse_target(text),
        None => Ok(GivenTarget::for_all(given)),
    })
}

/// A target as it is typed: roles, or a path that has a `=`.
pub fn parse_target(text: &str) -> Result<GivenTarget, ParseTargetError> {
    GivenTarget::parse(text, Path::exists)
}

/// The engines by their words, with what each of them is.
fn engines() -> impl TypedValueParser<Value = EngineKind> {
    // From the table of engines, so that a new engine is offered without a change here.
    let values =
        EngineKind::ALL.map(|engine| PossibleValue::new(engine.as_str()).help(engine.facts().meaning));
    PossibleValuesParser::new(values)
        .map(|word| EngineKind::of_word(&word).expect("only the words of engines are let through"))
}

/// The priorities by their words.
fn priorities() -> impl TypedValueParser<Value = Priority> {
    let values = Priority::ALL.iter().map(|one| PossibleValue::new(one.as_str()).help(one.meaning()));
    PossibleValuesParser::new(values).map(|word| {
        let known = Priority::by_word().into_iter().find(|(name, _)| *name == word);
        known.expect("only the words of priorities are let through").1
    })
}

/// A label, all of which can be seen: it stands in tables, hints and the commands that are suggested.
pub fn parse_label(text: &str) -> Result<String, String> {
    match hidden_in(text) {
        Some(hidden) => Err(format!("a label cannot contain `{hidden}`, which cannot be seen")),
        None => Ok(text.to_owned()),
    }
}

pub fn parse_attribute(text: &str) -> Result<(String, AttributeValue), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), AttributeValue::from_text(value.trim())))
        }
        _ => Err("an attribute is KEY=VALUE, such as volumes=3".to_owned()),
    }
}

fn parse_sim_device(text: &str) -> Result<SimDevice, String> {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        device: SimDevice,
    }
    // The keys stand within a table of their own, because TOML has no document that is only the inside of one.
    let wrapped: Wrapped =
        toml::from_str(&format!("device = {{ {text} }}")).map_err(|error| error.message().to_owned())?;
    // Here and not at the start of the load: the word on the command line is what is wrong.
    wrapped.device.check().map_err(|error| error.to_string())?;
    Ok(wrapped.device)
}
