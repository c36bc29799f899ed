//! `iotrial size explain` of several configurations: price and performance side by side.

use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_model::demand::Demand;
use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_session::wall_clock;
use iotrial_sizing::catalog::{Catalog, Effect};
use iotrial_sizing::explanation::{Mix, Question};
use iotrial_sizing::side_by_side::{References, SideBySide};

use super::explain::TAKES;
use super::{age, demand, known, measured};
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

/// Compares, and shows what came of it.
pub(super) fn side_by_side(args: &ExplainArgs, outputs: &Outputs) -> Result<ExitCode, Failure> {
    let catalogs = known::all_catalogs(&args.catalogs)?;
    let money = known::money(&args.money, &catalogs);
    let asked = demand::demand(&args.demand, &args.store)?;
    // All are read before any is explained, so that a slip in the last is not hidden by the work on the first.
    let read = args
        .configurations
        .iter()
        .map(|path| Ok((path, known::configuration(path, &TAKES)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let demands: Vec<Option<Demand>> = read
        .iter()
        .map(|(_, configuration)| {
            let os = args.demand.os.unwrap_or(configuration.os);
            asked.clone().map(|demand| money.counted.under_pair(Demand { os, ..demand }))
        })
        .collect();
    let under: Vec<_> = read
        .iter()
        .zip(&demands)
        .map(|((_, configuration), demand)| match demand {
            Some(demand) => configuration.under(demand),
            None => configuration.clone(),
        })
        .collect();
    let measurements = (1..=read.len())
        .map(|number| measured::measurements(args, measured::Of::Number { number, count: read.len() }))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mixes: Vec<Mix> = if args.mixes.is_empty() { Mix::USUAL.to_vec() } else { args.mixes.clone() };
    let mut all = Vec::new();
    let mut used: Vec<&Catalog> = Vec::new();
    for (index, (path, _)) in read.iter().enumerate() {
        let configuration = &under[index];
        let catalog = known::find(&catalogs, &configuration.provider)?;
        if !used.iter().any(|one| one.provider == catalog.provider) {
            used.push(catalog);
        }
        let resolved = configuration.on(catalog).map_err(|error| {
            let hint = error.hint();
            Failure::input(error).hint(hint).context(format!("`{}` is not possible", path.display()))
        })?;
        let question = Question {
            mixes: &mixes,
            demand: demands[index].as_ref(),
            measurements: &measurements[index],
            money: money.clone(),
            burst: args.demand.allow_burst,
        };
        all.push((path.display().to_string(), resolved, question));
    }
    let mut currencies: Vec<&str> = used.iter().map(|catalog| catalog.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    if money.currency.is_none() && currencies.len() > 1 {
        let error = anyhow!(
            "the catalogs are in {}, and sums in different currencies cannot be compared",
            currencies.join(", ")
        );
        return Err(Failure::input(error)
            .hint("choose one with --currency, and give exchange rates with --rate".to_owned()));
    }
    let side = SideBySide::new(&all, References::of(&args.mixes)).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint)
    })?;
    let used: Vec<Catalog> = used.into_iter().cloned().collect();
    let old = age::old_figures_of_all(&under, &catalogs, wall_clock::today());
    let document =
        Document::of_side_by_side(&side, &money.counted, known::byline(&used)).with_old_figures(&old);
    let aged = age::Aged { answer: AsJson(&side), old_figures: AsJson::each(&old) };
    Presentation::new(&document, vec![Value::alone(&aged)]).show(outputs)?;
    let is_fine = side.configurations.iter().map(|one| &one.explanation).all(|one| {
        one.broken_rules.iter().all(|rule| rule.effect() != Effect::Forbids)
            && one.fit.as_ref().is_none_or(|fit| fit.is_met)
    });
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(super::NOTHING_MEETS_IT) })
}
