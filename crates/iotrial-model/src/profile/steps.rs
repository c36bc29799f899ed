//! The steps of a profile: `[[step]]` tables, in order.

use std::time::Duration;

use super::JobProfile;
use crate::step::{MOST_LOAD_PERCENT, MOST_STEPS, Step, parse_percent};
use crate::toml_reader::TableReader;
use crate::units::Rate;

/// One `[[step]]` as it is written.
pub(super) struct StepFile {
    name: Option<String>,
    duration: Duration,
    load: StepLoad,
    is_linear: bool,
    judged: bool,
}

/// How much load a step is.
enum StepLoad {
    Percent(f64),
    /// Of all jobs that have a rate, together.
    Rate(Rate),
}

impl StepFile {
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        let name = table.text("name");
        let duration = table.required("duration", TableReader::duration);
        let percent = table.text("load");
        let rate = table.rate("rate");
        let is_linear = table.word("shape", &[("constant", false), ("linear", true)]).unwrap_or(false);
        let judged = table.boolean("judged").unwrap_or(true);
        if let Some(name) = name.as_ref().filter(|name| !is_short(name)) {
            return table.refuse(
                "name",
                format!("`name` is one line of 1 to {LONGEST_NAME} letters, not {name:?}: charts show it"),
            );
        }
        if duration? < SHORTEST_STEP {
            // Intervals are a second long, and a step begins with one.
            return table.refuse("duration", "`duration` of a step is a second or more".to_owned());
        }
        let load = match (percent, table.has("load"), table.has("rate")) {
            (_, true, true) => {
                return table.refuse("load", "a step has a `load` or a `rate`, not both".to_owned());
            }
            (_, false, false) => {
                return table.refuse(
                    "load",
                    "a step needs its `load`, such as \"75 %\" of the full load, or a `rate`, such as \"8000 iops\""
                        .to_owned(),
                );
            }
            (Some(text), ..) => match parse_percent(&text) {
                Ok(percent) => StepLoad::Percent(percent),
                Err(error) => return table.refuse("load", format!("`load`: {error}")),
            },
            // What is wrong with either has been told.
            _ => StepLoad::Rate(rate?),
        };
        Some(Self { name, duration: duration?, load, is_linear, judged })
    }

    /// How long it lasts in a full run.
    pub(super) const fn duration(&self) -> Duration {
        self.duration
    }
}

/// As long as one interval.
const SHORTEST_STEP: Duration = Duration::from_secs(1);

/// Names stand in charts and in narrow tables.
const LONGEST_NAME: usize = 16;

fn is_short(name: &str) -> bool {
    let length = name.chars().count();
    (1..=LONGEST_NAME).contains(&length) && name.trim() == name && !name.chars().any(char::is_control)
}

/// The steps, with every load as a share of what the jobs do in full.
///
/// # Errors
///
/// The first step that these jobs cannot do, counted from 1, or that there are too many, in words.
pub(super) fn steps_of(written: Vec<StepFile>, jobs: &[JobProfile]) -> Result<Vec<Step>, String> {
    if written.len() > MOST_STEPS {
        return Err(format!("there are {} steps, and at most {MOST_STEPS} are allowed", written.len()));
    }
    let mut before_percent = 0.0;
    let mut steps = Vec::new();
    for (number, StepFile { name, duration, load, is_linear, judged }) in (1..).zip(written) {
        let load_percent = match load {
            StepLoad::Percent(percent) => percent,
            StepLoad::Rate(rate) => {
                percent_of(rate, jobs).map_err(|error| format!("step {number}: {error}"))?
            }
        };
        let from_percent = is_linear.then_some(before_percent);
        steps.push(Step { name, duration, load_percent, from_percent, judged });
        before_percent = load_percent;
    }
    check_loads(steps.iter().map(|step| step.load_percent))?;
    match steps.iter().any(|step| step.judged) {
        true => Ok(steps),
        false if steps.is_empty() => Ok(steps),
        false => Err("no step is judged: remove `judged = false` from at least one".to_owned()),
    }
}

/// Whether these may be shares of a full load, in percent.
///
/// # Errors
///
/// The first that is too large, in words.
pub(crate) fn check_loads(percents: impl IntoIterator<Item = f64>) -> Result<(), String> {
    match (1..).zip(percents).find(|(_, percent)| *percent > MOST_LOAD_PERCENT) {
        Some((number, percent)) => {
            Err(format!("step {number}: {percent:.0} % is beyond {MOST_LOAD_PERCENT:.0} %"))
        }
        None => Ok(()),
    }
}

fn percent_of(rate: Rate, jobs: &[JobProfile]) -> Result<f64, String> {
    if let Some(job) = jobs.iter().find(|job| job.is_closed()) {
        return Err(format!(
            "a `rate` needs a profile whose jobs have rates, and `{}` has none; give the share of its outstanding I/Os: `load`",
            job.name
        ));
    }
    let open = jobs.iter().filter(|job| job.rate.is_some());
    let full: f64 = match rate {
        Rate::Iops(_) => open.filter_map(JobProfile::arrivals_per_s).sum(),
        Rate::BytesPerSecond(_) => open.filter_map(JobProfile::bytes_per_s).sum(),
    };
    let (Rate::Iops(asked) | Rate::BytesPerSecond(asked)) = rate;
    Ok(100.0 * asked / full)
}
