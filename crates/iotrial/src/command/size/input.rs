//! What `size` is given: demands, catalogs, configurations, measurements.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use iotrial_import::counters::{is_counters, read_counters};
use iotrial_model::demand::{CounterDemandError, Demand, DemandStream, StreamText};
use iotrial_model::load::Direction;
use iotrial_model::subject::Subject;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::measured::Measurement;
use iotrial_sizing::price::Money;
use iotrial_sizing::search::Search;

use crate::cli::{CatalogArgs, DemandArgs, MoneyArgs, StoreArgs};
use crate::failure::Failure;
use crate::store::{Store, is_imported, is_sweep, read_imported, read_record};

/// A larger file is none of ours.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a file that a person wrote.
pub(super) fn text(path: &Path, what: &str) -> Result<String, Failure> {
    bytes(path)
        .and_then(|bytes| String::from_utf8(bytes).context("it is not UTF-8 text"))
        .with_context(|| format!("cannot read the {what} `{}`", path.display()))
        .map_err(Failure::input)
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MOST_BYTES, "it is larger than {} MiB", MOST_BYTES >> 20);
    Ok(bytes)
}

/// What the options ask for, over what a file or a record asks for; `None` where nothing is asked.
pub(super) fn demand(args: &DemandArgs, store: &StoreArgs) -> Result<Option<Demand>, Failure> {
    let from_file = args.demand.as_deref().map(|name| named_demand(name, args, store)).transpose()?;
    let stream = |direction| {
        move |text: &StreamText| DemandStream {
            role: None,
            direction,
            iops: text.iops,
            block_size_bytes: text.block_size_bytes,
        }
    };
    let streams: Vec<DemandStream> = args
        .reads
        .iter()
        .map(stream(Direction::Read))
        .chain(args.writes.iter().map(stream(Direction::Write)))
        .collect();
    let mut demand = match (from_file, streams.is_empty()) {
        (None, true) if asks_for_something(args) => return Err(no_rates()),
        (None, true) => return Ok(None),
        (None, false) => Demand::new("the demand", streams),
        (Some(demand), true) => demand,
        (Some(demand), false) => Demand { streams, ..demand },
    };
    let DemandArgs {
        capacity, growth, load_growth, years, latency, os, vcpus, memory, mirror, replicas, ..
    } = args;
    set(&mut demand.capacity, *capacity);
    set(&mut demand.growth_percent_per_year, *growth);
    set(&mut demand.load_growth_percent_per_year, *load_growth);
    set(&mut demand.years, *years);
    demand.latency = latency.or(demand.latency);
    set(&mut demand.os, *os);
    set(&mut demand.vcpus_min, *vcpus);
    set(&mut demand.memory_min, *memory);
    set(&mut demand.mirror, *mirror);
    set(&mut demand.replicas, *replicas);
    demand.licence &= !args.own_licence;
    demand.clustered |= args.clustered;
    demand.allow_burst |= args.allow_burst;
    if demand.growth_percent_per_year > 0.0 && demand.capacity.get() == 0 {
        let error = anyhow!("growth of the capacity needs a capacity");
        return Err(
            Failure::input(error).hint("--capacity 4TiB; growth of the rates is --load-growth".to_owned())
        );
    }
    let grows = demand.growth_percent_per_year > 0.0 || demand.load_growth_percent_per_year > 0.0;
    if grows && demand.years == 0 {
        let error = anyhow!("growth by the year needs the number of years");
        return Err(Failure::input(error).hint("--years 3, or `years = 3` in the demand".to_owned()));
    }
    Ok(Some(demand))
}

/// Whether an option asks for something besides rates.
fn asks_for_something(args: &DemandArgs) -> bool {
    let DemandArgs {
        capacity, growth, load_growth, years, latency, os, vcpus, memory, mirror, replicas, ..
    } = args;
    capacity.is_some()
        || growth.is_some()
        || load_growth.is_some()
        || years.is_some()
        || latency.is_some()
        || os.is_some()
        || vcpus.is_some()
        || memory.is_some()
        || mirror.is_some()
        || replicas.is_some()
        || args.own_licence
        || args.clustered
}

fn no_rates() -> Failure {
    Failure::input(anyhow!("a demand needs rates: nothing is said of reads or writes"))
        .hint("--read 40000iops@8KiB --write 10000iops@8KiB, or --demand FILE".to_owned())
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

/// From so many percent of the intervals on counters ask for more than the demand: what is rare is left to queues.
const USUAL_PERCENTILE: f64 = 95.0;

/// A demand from a TOML file, from counters, or what a record did.
fn named_demand(name: &str, args: &DemandArgs, store: &StoreArgs) -> Result<Demand, Failure> {
    // A record may be larger than what a person hands over.
    let bytes = if Path::new(name).is_file() { bytes(Path::new(name)).ok() } else { None };
    if let Some(bytes) = bytes.filter(|bytes| is_counters(bytes)) {
        return counted_demand(name, &bytes, args);
    }
    if args.percentile.is_some() || !args.disks.is_empty() {
        let error = anyhow!("--percentile and --disk are for counters, and `{name}` has none");
        return Err(Failure::input(error)
            .hint("`iostat -x`, `sar -b`, or counters of PerfMon as CSV: docs/size.md".to_owned()));
    }
    if name.ends_with(".toml") {
        let text = text(Path::new(name), "demand")?;
        expect_format(&text, name, "demand")?;
        return Demand::parse(&text)
            .with_context(|| format!("`{name}` is not a valid demand"))
            .map_err(|error| Failure::input(error).hint("docs/size.md describes every key".to_owned()));
    }
    let path = find_record(name, store)?;
    let no_rates = || {
        let error = anyhow!("the record `{name}` has no rates with a block size");
        Failure::input(error).hint("a demand is I/Os per second and their size".to_owned())
    };
    if is_imported(&path) {
        let record = read_imported(&path).map_err(Failure::input)?;
        return Demand::of(&Subject::of_imported(&record), name).ok_or_else(no_rates);
    }
    let record = read_record(&path).map_err(|error| {
        Failure::input(error).hint(
            "a demand is a TOML file, a record, or counters: `iostat -x`, `sar -b`, PerfMon as CSV. Results of other tools are records after `iotrial import`".to_owned(),
        )
    })?;
    Demand::of(&Subject::of_run(&record), name).ok_or_else(no_rates)
}

/// What a machine did, by its counters.
fn counted_demand(name: &str, bytes: &[u8], args: &DemandArgs) -> Result<Demand, Failure> {
    let series = read_counters(bytes).map_err(|error| {
        let hint = error.hint().map(str::to_owned);
        Failure::input(error).hint(hint).context(format!("`{name}` cannot be read as counters"))
    })?;
    let percentile = args.percentile.unwrap_or(USUAL_PERCENTILE);
    Demand::of_counters(name, &series, &args.disks, percentile).map_err(|error| {
        let hint = match &error {
            CounterDemandError::NoDisk { known, .. } => Some(format!("there are {}", known.join(", "))),
            CounterDemandError::NoInterval | CounterDemandError::Idle => None,
        };
        Failure::input(error).hint(hint).context(format!("`{name}` is no demand"))
    })
}

/// The file of a record, by its path or its id in the store.
fn find_record(name: &str, store: &StoreArgs) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(name);
    let path = if path.is_file() {
        path
    } else {
        let hint =
            "`iotrial records` lists what the store holds; a demand as a file ends in .toml".to_owned();
        let store = Store::open(store.store.as_deref()).map_err(Failure::execution)?;
        store.find(name).map_err(|error| Failure::input(error).hint(hint))?
    };
    if is_sweep(&path) {
        let error = anyhow!("`{name}` is a sweep, and not one run");
        return Err(Failure::input(error).hint("a record of `iotrial run` has one load".to_owned()));
    }
    Ok(path)
}

/// What a record of iotrial or an imported result measured.
pub(super) fn measurement(name: &str, store: &StoreArgs) -> Result<Measurement, Failure> {
    let path = find_record(name, store)?;
    let measurement = if is_imported(&path) {
        Measurement::of(&Subject::of_imported(&read_imported(&path).map_err(Failure::input)?))
    } else {
        Measurement::of(&Subject::of_run(&read_record(&path).map_err(Failure::input)?))
    };
    measurement.ok_or_else(|| {
        let error = anyhow!("the record `{name}` has no rates with a block size");
        Failure::input(error).hint("limits are held against I/Os per second and their size".to_owned())
    })
}

/// Says what a file is that was given in the place of another kind: twelve unknown keys would say less.
fn expect_format(text: &str, path: &str, expected: &str) -> Result<(), Failure> {
    let format = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("format")?.trim_start().strip_prefix('=')?.trim();
        value.strip_prefix("\"iotrial.")?.split_once('/').map(|(kind, _)| kind)
    });
    match format {
        Some(kind) if kind != expected => {
            let error = anyhow!("`{path}` is a {kind} of iotrial, and not a {expected}");
            Err(Failure::input(error).hint("docs/size.md has an example of each".to_owned()))
        }
        _ => Ok(()),
    }
}

/// A configuration from its file.
pub(super) fn configuration(path: &Path) -> Result<Configuration, Failure> {
    let text = text(path, "configuration")?;
    expect_format(&text, &path.display().to_string(), "configuration")?;
    Configuration::parse(&text)
        .with_context(|| format!("`{}` is not a valid configuration", path.display()))
        .map_err(|error| Failure::input(error).hint("docs/size.md describes every key".to_owned()))
}

/// The built-in catalogs, with those of the files in their place.
pub(super) fn all_catalogs(files: &[PathBuf]) -> Result<Vec<Catalog>, Failure> {
    let mut catalogs = Catalog::built_in();
    for path in files {
        let text = text(path, "catalog")?;
        expect_format(&text, &path.display().to_string(), "catalog")?;
        let own = Catalog::parse(&text)
            .with_context(|| format!("`{}` is not a valid catalog", path.display()))
            .map_err(|error| Failure::input(error).hint("docs/catalogs.md describes every key".to_owned()))?;
        match catalogs.iter_mut().find(|catalog| catalog.provider == own.provider) {
            Some(catalog) => *catalog = own,
            None => catalogs.push(own),
        }
    }
    Ok(catalogs)
}

/// Those catalogs that are wanted.
pub(super) fn catalogs(args: &CatalogArgs) -> Result<Vec<Catalog>, Failure> {
    let mut catalogs = all_catalogs(&args.files)?;
    for name in &args.providers {
        find(&catalogs, name)?;
    }
    if !args.providers.is_empty() {
        catalogs.retain(|catalog| args.providers.contains(&catalog.provider));
    }
    Ok(catalogs)
}

/// The catalog of a provider.
pub(super) fn find<'c>(catalogs: &'c [Catalog], provider: &str) -> Result<&'c Catalog, Failure> {
    catalogs.iter().find(|catalog| catalog.provider == provider).ok_or_else(|| {
        let names: Vec<&str> = catalogs.iter().map(|catalog| catalog.provider.as_str()).collect();
        let hint = format!("there are {}; --catalog FILE adds one", names.join(", "));
        Failure::input(anyhow!("no catalog is of the provider `{provider}`")).hint(hint)
    })
}

/// Refuses names that no catalog has: a search among nothing would end in a wall that is none.
pub(super) fn check_restrictions(catalogs: &[Catalog], search: &Search) -> Result<(), Failure> {
    for name in &search.volumes {
        let known =
            || catalogs.iter().flat_map(|catalog| catalog.volumes.iter().map(|kind| kind.name.as_str()));
        if !known().any(|known| known == name) {
            let error = anyhow!("no catalog has a volume `{name}`");
            let hint = format!("there are {}", known().collect::<Vec<_>>().join(", "));
            return Err(Failure::input(error).hint(hint));
        }
    }
    for part in &search.machines {
        let has =
            |catalog: &Catalog| catalog.machines.iter().any(|machine| machine.name.contains(part.as_str()));
        if !catalogs.iter().any(has) {
            let error = anyhow!("no machine has `{part}` in its name");
            return Err(Failure::input(error).hint("`iotrial size catalogs PROVIDER` lists them".to_owned()));
        }
    }
    Ok(())
}

/// In which money.
pub(super) fn money(args: &MoneyArgs) -> Money {
    Money {
        currency: args.currency.clone(),
        rates: args.rates.clone(),
        hours_per_month: args.hours_per_month,
    }
}

/// From which catalogs, and of when they are.
pub(super) fn byline(catalogs: &[Catalog]) -> String {
    let names: Vec<&str> = catalogs.iter().map(|catalog| catalog.provider.as_str()).collect();
    let oldest = catalogs.iter().filter_map(|catalog| catalog.oldest().0).min();
    let newest = catalogs.iter().filter_map(Catalog::newest).max();
    let days = match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest != newest => format!("sources of {oldest} to {newest}"),
        (Some(day), _) => format!("sources of {day}"),
        (None, _) => "sources without a date".to_owned(),
    };
    let catalogs = if names.len() == 1 { "catalog" } else { "catalogs" };
    format!("{catalogs} {}, {days}; iotrial {}", names.join(", "), env!("CARGO_PKG_VERSION"))
}
