//! What is asked for: by options, over what a file asks for or a result did.

use anyhow::anyhow;
use iotrial_analysis::findings::findings;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::watch::{WatchRequest, demand_of, threshold_sets};
use iotrial_import::counters::how_to_record;
use iotrial_model::counters::{CounterSeries, Counters};
use iotrial_model::demand::{
    CounterDemandError, Demand, DemandStream, PoolError, StreamText, USUAL_PERCENTILE,
};
use iotrial_model::finding::FindingId;
use iotrial_model::load::{Direction, Role};

use iotrial_words::finding::message;

use super::doubts::{doubts, lower_bound};
use crate::cli::{DemandArgs, StoreArgs};
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, Takes};
use crate::output::{harmless, say};

const TAKES: Takes = Takes {
    command: "size --demand",
    what: "a demand, counters, the record of one run, or one result of another tool",
};

/// What the options ask for, over what a file or a record asks for; `None` where nothing is asked.
pub(super) fn demand(args: &DemandArgs, store: &StoreArgs) -> Result<Option<Demand>, Failure> {
    let from_file =
        args.demand.as_deref().map(|name| named_demand(name, args, (store, TAKES.command))).transpose()?;
    let stream = |direction| {
        move |text: &StreamText| DemandStream {
            role: text.role.or(args.sequential.then_some(Role::Scan)),
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
    // Rates of the command line take the place of all of the file: a mix of both would be a load that nobody has.
    if args.sequential && streams.is_empty() {
        let error = anyhow!("--sequential describes the rates of --read and --write, but none are given");
        return Err(
            Failure::input(error).hint("in a demand file, use the roles scan or backup instead".to_owned())
        );
    }
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
    // What was given on the command line goes before the file, field by field.
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
    if !args.shipped.is_empty() {
        demand.shipped.clone_from(&args.shipped);
    }
    if !args.pools.is_empty() {
        demand.pools.clone_from(&args.pools);
    }
    if let Err(error) = demand.check_pools() {
        let hint = match error {
            PoolError::Twice { .. } => "each role can be in one --pool only",
            PoolError::NoRest => "leave out --capacity, or the size of the data pool",
        };
        return Err(Failure::input(error).hint(hint.to_owned()));
    }
    // These can only be said, not taken back: an option that is absent leaves the file its way.
    demand.licence &= !args.own_licence;
    demand.clustered |= args.clustered;
    demand.allow_burst |= args.allow_burst;
    // Growth of nothing is nothing: somebody meant the growth of the rates.
    if demand.growth_percent_per_year > 0.0 && demand.capacity_gib() <= 0.0 {
        let error = anyhow!("growth of the capacity needs a capacity");
        return Err(
            Failure::input(error).hint("--capacity 4TiB; growth of the rates is --load-growth".to_owned())
        );
    }
    let grows = demand.growth_percent_per_year > 0.0 || demand.load_growth_percent_per_year > 0.0;
    if grows && demand.years == 0 {
        let error = anyhow!("yearly growth needs the number of years");
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
        || !args.shipped.is_empty()
        || !args.pools.is_empty()
}

fn no_rates() -> Failure {
    Failure::input(anyhow!("a demand needs rates, but no reads or writes are given"))
        .hint("--read 40000iops@8KiB --write 10000iops@8KiB, or --demand FILE".to_owned())
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

/// A demand from a TOML file, from counters, or what a result did.
pub fn named_demand(
    name: &str,
    args: &DemandArgs,
    (store, command): (&StoreArgs, &'static str),
) -> Result<Demand, Failure> {
    let takes = Takes { command, ..TAKES };
    let intake = Intake { takes, folders: Folders::Refused, store: Some(store), study_profile: None };
    let input = intake.open_one(name)?;
    let is_counted = matches!(input, Input::Counters(_));
    // Silently ignored, they would make an answer look as if it rested on them.
    if !is_counted && (args.percentile.is_some() || !args.disks.is_empty()) {
        let error = anyhow!("--percentile and --disk are for counters, but `{name}` has none");
        return Err(Failure::input(error)
            .hint("`iostat -x`, `sar -b`, or counters of PerfMon as CSV: `iotrial docs size`".to_owned()));
    }
    let input = match input {
        Input::Counters(counters) => return demand_of_counters(name, counters, args),
        other => other,
    };
    let subjects = match &input {
        Input::Demand(demand) => return Ok((**demand).clone()),
        other => other.subjects().ok_or_else(|| takes.refuse(name, other.kind()))?,
    };
    // The sum of several results is what no machine ever did.
    let [subject] = subjects.as_slice() else {
        let error = anyhow!("`{name}` has {} results, but a demand comes from one", subjects.len());
        return Err(Failure::input(error)
            .hint(format!("import them with `iotrial import {name}`, then give one by its id")));
    };
    if subject.verification.is_some() {
        let error =
            anyhow!("`{name}` is a verified load, whose rates are no measurement: each write is also a read");
        return Err(Failure::input(error).hint("measure with `iotrial run`".to_owned()));
    }
    let demand = Demand::of(subject, name).ok_or_else(|| {
        let error = anyhow!("the record `{name}` has no rates with a block size");
        Failure::input(error).hint("a demand needs I/Os per second and their size".to_owned())
    })?;
    // What is bought for them has to say so where it is read, and not on the terminal only.
    let mut demand = demand;
    for doubt in doubts(subject) {
        say!("warning: {}: {}", harmless(name), harmless(&doubt));
        demand.notes.push(doubt);
    }
    demand.notes.extend(lower_bound(subject));
    // What is bought for figures that cannot all be true says so wherever the demand is named.
    let found = findings(subject);
    let Some(finding) = found.iter().find(|one| one.id == FindingId::ContradictoryFigures) else {
        return Ok(demand);
    };
    say!("warning: {}: {}", harmless(name), harmless(&message(finding)));
    Ok(Demand { title: format!("{} (from contradictory figures)", demand.title), ..demand })
}

/// What a machine did, by its counters.
fn demand_of_counters(name: &str, counters: Counters, args: &DemandArgs) -> Result<Demand, Failure> {
    let series = series_of(name, counters)?;
    let sets = threshold_sets(None).iter().map(|set| ThresholdSet::builtin(set)).collect::<Result<_, _>>();
    let request = WatchRequest {
        thresholds: sets.map_err(Failure::input)?,
        disks: args.disks.clone(),
        ..WatchRequest::default()
    };
    counted_demand(name, &series, &request, args.percentile)
}

/// The rates of counters, also where they follow from snapshots.
pub fn series_of(name: &str, counters: Counters) -> Result<CounterSeries, Failure> {
    counters.series().map_err(|error| {
        let hint = error.hint().map(str::to_owned);
        Failure::input(error).hint(hint).context(format!("`{name}` has no rates"))
    })
}

/// The demand that follows from rates, or why there is none.
pub fn counted_demand(
    name: &str,
    series: &CounterSeries,
    request: &WatchRequest,
    percentile: Option<f64>,
) -> Result<Demand, Failure> {
    demand_of(name, series, request, percentile.unwrap_or(USUAL_PERCENTILE)).map_err(|error| {
        let hint = match &error {
            CounterDemandError::NoDisk { known, .. } => Some(format!("there are {}", known.join(", "))),
            error => how_to_record(error).map(str::to_owned),
        };
        Failure::input(error).hint(hint).context(format!("`{name}` is not a demand"))
    })
}
