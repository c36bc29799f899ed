//! `iotrial size`: the cheapest configurations that meet a demand, and what binds a given one.

mod age;

mod catalogs;

pub mod demand;

mod doubts;

mod explain;

mod known;

mod measured;

pub mod proof;

mod side_by_side;

use std::path::Path;
use std::process::ExitCode;

use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_report::order::{self, NoOrder};
use iotrial_session::wall_clock;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::search::Search;
use iotrial_sizing::sizing::{Sizing, size as find};

use crate::cli::{SizeArgs, SizeCommand};
use crate::effective;
use crate::failure::Failure;
use crate::intake::Takes;
use crate::output::say;
use crate::outputs::{Content, Outputs};
use crate::presentation::{Presentation, Value};
use crate::shell_line::quoted;

/// Nothing meets the demand.
const NOTHING_MEETS_IT: u8 = 1;

const AGAINST: Takes = Takes { command: "size --against", what: "a configuration" };

/// Searches, or does what else is asked.
pub fn size(args: &SizeArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(SizeCommand::Explain(args)) => return explain::explain(args),
        Some(SizeCommand::Catalogs(args)) => return catalogs::catalogs(args),
        None => {}
    }
    let files = [
        (Also::Study, &args.study),
        (Also::Config, &args.config),
        (Also::Demand, &args.save_demand),
        (Also::Terraform, &args.terraform),
        (Also::Commands, &args.commands),
    ];
    // Whether everything can be written, before anything is read or searched.
    let outputs = files.iter().fold(Outputs::new(&args.files, args.json), |outputs, (what, path)| {
        outputs.and(what.option(), path.as_ref(), what.content())
    });
    let outputs = outputs.checked()?;
    let wanted: Vec<(Also, &Path)> =
        files.into_iter().filter_map(|(what, path)| Some((what, path.as_deref()?))).collect();
    // A wrong name of a profile would only show in the study, after the search.
    args.profile.as_deref().map_or(Ok(()), proof::check_profile)?;
    let catalogs = known::all_catalogs(&args.catalogs.files)?;
    let money = known::money(&args.money, &catalogs);
    let demand = demand::demand(&args.demand, &args.store)?.ok_or_else(no_demand)?;
    let demand = money.counted.under_pair(demand);
    if args.by_year && demand.years == 0 {
        let error = anyhow::anyhow!("--by-year needs the number of years");
        return Err(Failure::input(error).hint("--years 3 --growth 20%".to_owned()));
    }
    if args.by_year && demand.layout().len() > 1 {
        let error = anyhow::anyhow!("--by-year plans a single stripe set, but the demand asks for pools");
        return Err(Failure::input(error).hint("leave out --by-year or the pools".to_owned()));
    }
    let catalogs = known::wanted(catalogs, &args.catalogs)?;
    // All configurations are read before the search, which takes longest.
    let against = args
        .against
        .iter()
        .map(|path| known::configuration(path, &AGAINST))
        .collect::<Result<Vec<_>, Failure>>()?;
    let request = Search {
        money,
        answers: args.top as usize,
        volumes: args.volumes.clone(),
        machines: args.machines.clone(),
        volumes_max: args.volumes_max,
        no_arm: args.no_arm,
        tolerance: args.tolerance / 100.0,
        by_year: args.by_year,
    };
    outputs.all_is_read()?;
    // A search among nothing would end in «nothing meets it», and the slip would look like an answer.
    known::check_restrictions(&catalogs, &request, &demand)?;
    let sizing = find(&catalogs, &demand, &request, &against).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint)
    })?;
    let has_pair = request.money.counted.pair.is_some();
    let ordered = |best: &Explanation, form: fn(&Configuration, bool) -> Result<String, NoOrder>| {
        form(&best.configuration, has_pair).map_err(|error| {
            Failure::input(error).hint("use --config, which works with every provider".to_owned())
        })
    };
    let best = answers(&sizing).next();
    let (mut written, mut left_out, mut result) = (Vec::new(), Vec::new(), Ok(()));
    for (what, path) in wanted {
        // The demand is written even where nothing meets it: it is what one edits then.
        let text = match (what, best) {
            (Also::Demand, _) => Ok(sizing.demand.to_toml()),
            (Also::Study, Some(_)) => proof::study_of(&sizing, args.profile.as_deref()),
            (Also::Config, Some(best)) => Ok(best.configuration.to_toml()),
            (Also::Terraform, Some(best)) => ordered(best, order::terraform),
            (Also::Commands, Some(best)) => ordered(best, order::commands),
            (_, None) => {
                left_out.push(path);
                continue;
            }
        };
        match text.and_then(|text| outputs.write(path, text.as_bytes())) {
            Ok(()) => written.push((what.words(), path)),
            // One file that cannot be written keeps neither the others nor the answer back; the first failure decides on
            // the code.
            Err(failure) => result = result.and(Err(failure)),
        }
    }
    let old = best
        .map(|best| age::old_figures(&best.configuration, &catalogs, wall_clock::today()))
        .unwrap_or_default();
    let document = Document::of_sizing(&sizing, known::byline(&catalogs)).with_old_figures(&old);
    let aged = age::Aged { answer: AsJson(&sizing), old_figures: AsJson::each(&old) };
    let values = vec![Value::alone(&aged)];
    let next = best.map(|_| match &args.study {
        Some(study) => {
            format!("iotrial study {} --dry-run   # what it measures", quoted(&study.to_string_lossy()))
        }
        None => {
            let typed = effective::typed("size").unwrap_or_else(|| "iotrial size".to_owned());
            format!("{typed} --study prove.toml   # verifies the answer by measuring it")
        }
    });
    let presentation =
        Presentation { others: written, ..Presentation::new(&document, values) }.with_next(next);
    let shown = presentation.show(&outputs);
    for path in left_out {
        say!("note: nothing meets the demand, so `{}` is not written", path.display());
    }
    // After the answer is shown, which took the time.
    result.and(shown)?;
    Ok(if best.is_some() { ExitCode::SUCCESS } else { ExitCode::from(NOTHING_MEETS_IT) })
}

/// A file besides the report.
#[derive(Debug, Clone, Copy)]
enum Also {
    Study,
    Config,
    Demand,
    Terraform,
    Commands,
}

impl Also {
    const fn option(self) -> &'static str {
        match self {
            Self::Study => "--study",
            Self::Config => "--config",
            Self::Demand => "--save-demand",
            Self::Terraform => "--terraform",
            Self::Commands => "--commands",
        }
    }

    const fn content(self) -> Content {
        match self {
            Self::Study => Content::Format("iotrial.study/"),
            Self::Config => Content::Format("iotrial.configuration/"),
            Self::Demand => Content::Format("iotrial.demand/"),
            Self::Terraform | Self::Commands => Content::Text,
        }
    }

    /// The words before its path.
    const fn words(self) -> &'static str {
        match self {
            Self::Study => "study written to",
            Self::Config => "configuration written to",
            Self::Demand => "demand written to",
            Self::Terraform => "Terraform written to",
            Self::Commands => "commands written to",
        }
    }
}

/// The answers of all providers, the cheapest of the cheapest first.
fn answers(sizing: &Sizing) -> impl Iterator<Item = &iotrial_sizing::explanation::Explanation> {
    let first = sizing.cheapest.and_then(|index| sizing.found[index].answers.first());
    let others = sizing.found.iter().enumerate().filter(|(index, _)| Some(*index) != sizing.cheapest);
    first.into_iter().chain(others.filter_map(|(_, found)| found.answers.first()))
}

fn no_demand() -> Failure {
    Failure::input(anyhow::anyhow!("no demand is given"))
        .hint("--read 40000iops@8KiB --write 10000iops@8KiB, or --demand FILE".to_owned())
}
