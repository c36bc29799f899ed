//! `iotrial size explain`: which limit binds a configuration, and what was measured on it.

use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use iotrial_model::demand::Demand;
use iotrial_model::table::PublishedTable;
use iotrial_report::document::Document;
use iotrial_sizing::catalog::Effect;
use iotrial_sizing::explanation::{Explanation, Question};
use iotrial_sizing::measured::Measurement;

use super::input;
use crate::cli::ExplainArgs;
use crate::failure::Failure;

/// Explains, and shows what came of it.
pub(super) fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    let configuration = input::configuration(&args.configuration)?;
    let catalogs = input::all_catalogs(&args.catalogs)?;
    let catalog = input::find(&catalogs, &configuration.provider)?;
    let demand = input::demand(&args.demand, &args.store)?.map(|demand| Demand {
        // Whoever does not ask for an operating system takes the one that is there.
        os: args.demand.os.unwrap_or(configuration.os),
        ..demand
    });
    let configuration =
        demand.as_ref().map_or_else(|| configuration.clone(), |demand| configuration.under(demand));
    let resolved = configuration.on(catalog).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint).context(format!("`{}` cannot be had", args.configuration.display()))
    })?;
    let measurements = measurements(args)?;
    let question = Question {
        mixes: &args.mixes,
        demand: demand.as_ref(),
        measurements: &measurements,
        money: input::money(&args.money),
        burst: args.demand.allow_burst,
    };
    let explanation = Explanation::new(&resolved, &question).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint)
    })?;
    let document =
        Document::of_explanation(&explanation, &catalog.title, input::byline(std::slice::from_ref(catalog)));
    super::show(&args.files, args.json, &document, &explanation, &[])?;
    let can_be_had = explanation.broken_rules.iter().all(|rule| rule.effect != Effect::Forbids);
    let is_met = can_be_had && explanation.fit.as_ref().is_none_or(|fit| fit.is_met);
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::from(super::NOTHING_MEETS_IT) })
}

fn measurements(args: &ExplainArgs) -> Result<Vec<Measurement>, Failure> {
    let mut all = Vec::new();
    for name in &args.records {
        all.push(input::measurement(name, &args.store)?);
    }
    for path in &args.tables {
        let text = input::text(path, "table")?;
        let mut table = PublishedTable::parse(&text)
            .with_context(|| format!("`{}` is not a valid table", path.display()))
            .map_err(|error| {
                Failure::input(error).hint("docs/table-format.md describes every key".to_owned())
            })?;
        if !args.rows.is_empty() {
            if let Some(unknown) = args.rows.iter().find(|id| !table.rows.iter().any(|row| row.id == **id)) {
                let ids: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
                let error = anyhow!("no row of `{}` has the id `{unknown}`", path.display());
                return Err(Failure::input(error).hint(format!("there are {}", ids.join(", "))));
            }
            table.rows.retain(|row| args.rows.contains(&row.id));
        }
        let rows = Measurement::of_table(&table);
        if rows.is_empty() {
            let error = anyhow!("no row of `{}` has IOPS with a block size or a bandwidth", path.display());
            return Err(Failure::input(error).hint(
                "limits are held against rates: `read = { iops = …, bandwidth_mib_per_s = … }`".to_owned(),
            ));
        }
        all.extend(rows);
    }
    Ok(all)
}
