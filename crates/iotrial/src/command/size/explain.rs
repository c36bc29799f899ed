//! `iotrial size explain`: which limit binds a configuration, and what was measured on it.

use std::process::ExitCode;

use iotrial_model::demand::Demand;
use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_session::wall_clock;
use iotrial_sizing::catalog::Effect;
use iotrial_sizing::explanation::{Explanation, Question};

use super::{age, demand, known, measured, side_by_side};
use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::intake::Takes;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

pub(super) const TAKES: Takes = Takes { command: "size explain", what: "a configuration" };

/// Explains, and shows what came of it.
pub(super) fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json).checked()?;
    let [path] = args.configurations.as_slice() else { return side_by_side::side_by_side(args, &outputs) };
    let configuration = known::configuration(path, &TAKES)?;
    let catalogs = known::all_catalogs(&args.catalogs)?;
    let catalog = known::find(&catalogs, &configuration.provider)?;
    let demand = demand::demand(&args.demand, &args.store)?.map(|demand| Demand {
        // Whoever does not ask for an operating system takes the one that is there.
        os: args.demand.os.unwrap_or(configuration.os),
        ..demand
    });
    let money = known::money(&args.money, &catalogs);
    let demand = demand.map(|demand| money.counted.under_pair(demand));
    // The demand may ask for mirrors or a cluster, which change what the same volumes deliver.
    let configuration =
        demand.as_ref().map_or_else(|| configuration.clone(), |demand| configuration.under(demand));
    let resolved = configuration.on(catalog).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint).context(format!("`{}` is not possible", path.display()))
    })?;
    let measurements = measured::measurements(args, measured::Of::TheOnly)?;
    let question = Question {
        mixes: &args.mixes,
        demand: demand.as_ref(),
        measurements: &measurements,
        money,
        burst: args.demand.allow_burst,
    };
    let explanation = Explanation::new(&resolved, &question).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint)
    })?;
    let old = age::old_figures(&configuration, std::slice::from_ref(catalog), wall_clock::today());
    let byline = known::byline(std::slice::from_ref(catalog));
    let document = Document::of_explanation(&explanation, &catalog.title, byline).with_old_figures(&old);
    let aged = age::Aged { answer: AsJson(&explanation), old_figures: AsJson::each(&old) };
    Presentation::new(&document, vec![Value::alone(&aged)]).show(&outputs)?;
    // A rule that only warns does not decide; one that forbids does, however well the rest fits.
    let can_be_had = explanation.broken_rules.iter().all(|rule| rule.effect() != Effect::Forbids);
    let is_met = can_be_had && explanation.fit.as_ref().is_none_or(|fit| fit.is_met);
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::from(super::NOTHING_MEETS_IT) })
}
