//! What was measured on a configuration: by iotrial, by another tool, or as it was printed.

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::sweep::{LimitKind, SweepSummary};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::{LoadPattern, SweepRecord};
use iotrial_model::table::PublishedTable;
use iotrial_sizing::measured::{DeeperLoad, Measurement};

use super::doubts::doubts;
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, Kind, Takes, open_as};

const TAKES: Takes = Takes {
    command: "size explain --record",
    what: "records of runs and sweeps, results of other tools and printed tables",
};

const TABLE: Takes = Takes { command: "size explain --table", what: "a printed table" };

/// Of which configuration something was measured.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    /// There is only one.
    TheOnly,
    /// Of the one with this number, counted from 1; options say the number.
    Number { number: usize, count: usize },
}

impl Of {
    /// What an option names, where it is of this configuration.
    fn named<'n>(self, option: &str, text: &'n str) -> Result<Option<&'n str>, Failure> {
        let Self::Number { number, count } = self else { return Ok(Some(text)) };
        let of = text.split_once('=').and_then(|(of, name)| Some((of.parse::<usize>().ok()?, name)));
        match of {
            Some((of, name)) if (1..=count).contains(&of) => Ok((of == number).then_some(name)),
            _ => {
                let error = anyhow!(
                    "`{option} {text}` does not say which of the {count} configurations was measured"
                );
                Err(Failure::input(error)
                    .hint(format!("write {option} 1={text} for the first, {option} 2={text} for the second")))
            }
        }
    }

    /// The rows that are wanted: those of all configurations, and those of this one.
    fn rows(self, rows: &[String]) -> Vec<String> {
        let Self::Number { number, count } = self else { return rows.to_vec() };
        let of = |text: &'_ str| {
            let (of, id) = text.split_once('=')?;
            Some((of.parse::<usize>().ok().filter(|of| (1..=count).contains(of))?, id.to_owned()))
        };
        let wanted = rows.iter().filter_map(|row| match of(row) {
            Some((of, id)) => (of == number).then_some(id),
            None => Some(row.clone()),
        });
        wanted.collect()
    }
}

/// All that the options name for a configuration.
pub(super) fn measurements(args: &ExplainArgs, of: Of) -> Result<Vec<Measurement>, Failure> {
    let intake =
        Intake { takes: TAKES, folders: Folders::Refused, store: Some(&args.store), study_profile: None };
    let rows = of.rows(&args.rows);
    let mut all = Vec::new();
    // One at a time, so that the message about a result names what the user typed.
    for text in &args.records {
        let Some(name) = of.named("--record", text)? else { continue };
        for (_, input) in intake.open_all(intake.find(&[name])?, |_, input| input)? {
            all.extend(measurements_of(name, input?, &rows)?);
        }
    }
    for text in &args.tables {
        let Some(name) = of.named("--table", text)? else { continue };
        let input = open_as(Kind::Table, Path::new(name), &TABLE)?;
        all.extend(measurements_of(name, input, &rows)?);
    }
    Measurement::compare_depths(&mut all);
    Ok(all)
}

fn measurements_of(name: &str, input: Input, rows: &[String]) -> Result<Vec<Measurement>, Failure> {
    if let Some(table) = input.table() {
        return of_table(name, table.clone(), rows);
    }
    if let Input::Sweep(sweep) = &input {
        return of_sweep(name, sweep);
    }
    let subjects = input.subjects().ok_or_else(|| TAKES.refuse(name, input.kind()))?;
    let measured = |subject: &Subject<'_>| {
        let measured = Measurement::of(subject).ok_or_else(|| no_rates(name))?;
        // The id of a result that is not in the store is known to nobody.
        let label = match (subject.label, subject.source) {
            (None, Some(source)) if subjects.len() == 1 => file_name(&source.file),
            (None, Some(source)) => format!("{}, {}", file_name(&source.file), source.place),
            _ => measured.label,
        };
        Ok(Measurement { label, caveats: doubts(subject), ..measured })
    };
    subjects.iter().map(measured).collect()
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or(path.as_ref()).to_string_lossy().into_owned()
}

fn no_rates(name: &str) -> Failure {
    let error = anyhow!("the record `{name}` has no rates with a block size");
    Failure::input(error).hint("limits are compared with I/Os per second and their size".to_owned())
}

/// The rate of each pattern of a sweep that lasts, on all the volumes that it was swept on: the highest of its longest loads.
fn of_sweep(name: &str, sweep: &SweepRecord) -> Result<Vec<Measurement>, Failure> {
    let mut best: Vec<(LoadPattern, Duration, Measurement)> = Vec::new();
    let curves = SweepSummary::new(sweep).curves;
    let volumes = sweep.probes.iter().map(|probe| probe.volumes.len()).max().unwrap_or(0);
    // What a part of the volumes did says nothing of the configuration.
    for probe in sweep.probes.iter().filter(|probe| probe.volumes.len() == volumes) {
        let subject = Subject::of_probe(sweep, probe);
        let Some(measured) = Measurement::of(&subject) else { continue };
        let pattern = probe.pattern;
        let label = format!(
            "{}, {pattern}, {} outstanding",
            sweep.label.as_deref().unwrap_or(name),
            probe.outstanding
        );
        // Whether more would do more is known of one volume; of several, their scaling tells.
        let curve = curves.iter().find(|curve| volumes == 1 && curve.pattern == pattern);
        let deeper = curve.and_then(|curve| match (&curve.saturation, &curve.limit) {
            (_, Some(limit)) if limit.kind == LimitKind::NotReached => Some(DeeperLoad::DoesMore),
            (Some(saturation), _) if saturation.is_reached => Some(DeeperLoad::DoesNoMore),
            _ => None,
        });
        let one = Measurement { label, deeper, caveats: doubts(&subject), ..measured };
        let iops = |one: &Measurement| one.streams.iter().map(|stream| stream.iops).sum::<f64>();
        let rank = |length: Duration, one: &Measurement| (length.as_secs(), iops(one));
        match best.iter_mut().find(|(other, ..)| *other == pattern) {
            Some((_, length, kept)) if rank(*length, kept) >= rank(probe.measured, &one) => {}
            Some((_, length, kept)) => (*length, *kept) = (probe.measured, one),
            None => best.push((pattern, probe.measured, one)),
        }
    }
    if best.is_empty() {
        return Err(no_rates(name));
    }
    Ok(best.into_iter().map(|(.., one)| one).collect())
}

/// The rows of a printed table that are wanted, and have rates.
fn of_table(name: &str, mut table: PublishedTable, wanted: &[String]) -> Result<Vec<Measurement>, Failure> {
    if !wanted.is_empty() {
        // Before rows are taken away: the hint must list all that there are.
        if let Some(unknown) = wanted.iter().find(|id| !table.rows.iter().any(|row| row.id == **id)) {
            let ids: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
            let error = anyhow!("no row of `{name}` has the id `{unknown}`");
            return Err(Failure::input(error).hint(format!("there are {}", ids.join(", "))));
        }
        table.rows.retain(|row| wanted.contains(&row.id));
    }
    let rows = Measurement::of_table(&table);
    if rows.is_empty() {
        let error = anyhow!("no row of `{name}` has IOPS with a block size or a bandwidth");
        return Err(Failure::input(error).hint(
            "limits are compared with rates: `read = { iops = …, bandwidth_mib_per_s = … }`".to_owned(),
        ));
    }
    Ok(rows)
}
