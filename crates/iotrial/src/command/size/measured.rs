//! What was measured on a configuration: by iotrial, by another tool, or as it was printed.

use anyhow::anyhow;
use iotrial_model::subject::Subject;
use iotrial_model::table::PublishedTable;
use iotrial_sizing::measured::Measurement;

use super::doubts::doubts;
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, Kind, Takes, open_as};

const TAKES: Takes = Takes {
    command: "size explain --record",
    what: "records of runs, results of other tools and printed tables",
};

const TABLE: Takes = Takes { command: "size explain --table", what: "a printed table" };

/// All that the options name.
pub(super) fn measurements(args: &ExplainArgs) -> Result<Vec<Measurement>, Failure> {
    let intake =
        Intake { takes: TAKES, folders: Folders::Refused, store: Some(&args.store), study_profile: None };
    let mut all = Vec::new();
    // One at a time, so that the message about a result names what the user typed.
    for name in &args.records {
        for (_, input) in intake.open_all(intake.find(&[name])?, |_, input| input)? {
            all.extend(measurements_of(name, input?, &args.rows)?);
        }
    }
    for path in &args.tables {
        let input = open_as(Kind::Table, path, &TABLE)?;
        all.extend(measurements_of(&path.to_string_lossy(), input, &args.rows)?);
    }
    Ok(all)
}

fn measurements_of(name: &str, input: Input, rows: &[String]) -> Result<Vec<Measurement>, Failure> {
    if let Some(table) = input.table() {
        return of_table(name, table.clone(), rows);
    }
    let subjects = input.subjects().ok_or_else(|| TAKES.refuse(name, input.kind()))?;
    let measured = |subject: &Subject<'_>| {
        let measured = Measurement::of(subject).ok_or_else(|| {
            let error = anyhow!("the record `{name}` has no rates with a block size");
            Failure::input(error).hint("limits are compared with I/Os per second and their size".to_owned())
        })?;
        Ok(Measurement { caveats: doubts(subject), ..measured })
    };
    subjects.iter().map(measured).collect()
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
