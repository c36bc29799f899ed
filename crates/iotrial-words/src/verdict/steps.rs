//! Words for the verdict of a load that changes.

use iotrial_model::verdict::{Outcome, StepAnswer, StepsRuling};
use iotrial_model::words::enumerate;

use super::{
    bearing, each_once, figure, figure_at, load_name, measured, objection, qualified, reason, why_not,
};
use crate::finding::message;
use crate::numbers::{capital, rate_in_words};

/// A job that did this part of its rate kept it: Poisson arrivals of a few thousand vary by as much.
const KEPT: f64 = 0.98;

/// `step 3 (75 %: 12,000 IOPS)`, with what was asked where that did not come about.
fn with_rate(step: &StepAnswer) -> String {
    let label = step.label.trim_end_matches(')');
    let (iops, asked) = match (step.asked_iops, step.done_iops) {
        (Some(asked), Some(done)) if done < KEPT * asked => (done, format!(" of {}", rate_in_words(asked))),
        (_, Some(done)) => (done, String::new()),
        (_, None) => (step.iops, String::new()),
    };
    format!("{label}: {}{asked} IOPS)", rate_in_words(iops))
}

/// The steps by the part that they play.
struct Named<'r> {
    ruling: &'r StepsRuling,
    judged: Vec<&'r StepAnswer>,
    failing: Option<&'r StepAnswer>,
    best: Option<&'r StepAnswer>,
    open: Option<&'r StepAnswer>,
}

impl<'r> Named<'r> {
    fn new(ruling: &'r StepsRuling) -> Self {
        let step = |position: Option<usize>| position.map(|position| &ruling.steps[position]);
        Self {
            ruling,
            judged: ruling.steps.iter().filter(|step| step.is_judged).collect(),
            failing: step(ruling.failing),
            best: step(ruling.best),
            open: step(ruling.open),
        }
    }

    /// Why a step does not hold, after a colon.
    fn why(&self, step: &StepAnswer) -> String {
        let why = step.why_not.as_ref();
        why.map_or_else(String::new, |why| format!(": {}", why_not(why, &self.ruling.set)))
    }

    fn headline(&self) -> String {
        match (self.failing, self.open, self.best) {
            (Some(failing), _, Some(best)) => {
                format!("holds up to {}, not {}", with_rate(best), failing.label)
            }
            (Some(failing), _, None) => format!("does not hold {}", failing.label),
            (None, Some(open), Some(best)) => format!("{} holds, {} is in doubt", best.label, open.label),
            (None, Some(open), None) => format!("{} is in doubt", open.label),
            (None, None, Some(best)) => match self.judged.len() {
                1 => format!("holds {}", with_rate(best)),
                2 => format!("holds both steps, up to {}", with_rate(best)),
                count => format!("holds all {count} steps, up to {}", with_rate(best)),
            },
            (None, None, None) => "no judged step was started".to_owned(),
        }
    }

    /// Of steps that are shares of a rate that is needed: what of it is carried.
    fn share_of_need(&self, need_iops: f64) -> String {
        let need = format!("of the {} IOPS that are needed", rate_in_words(need_iops));
        match (self.best, self.failing, self.open) {
            (Some(best), Some(failing), _) => format!("sustains {} {need}, not {}", best.load, failing.load),
            (None, Some(failing), _) => format!("does not sustain {} {need}", failing.load),
            (Some(best), None, Some(open)) => {
                format!("sustains {} {need}, {} is in doubt", best.load, open.load)
            }
            (Some(best), None, None) => {
                format!("sustains {} {need}, the highest load that was tried", best.load)
            }
            (None, None, _) => self.headline(),
        }
    }

    fn clause(&self) -> String {
        let set = &self.ruling.set;
        match (self.failing, self.open, self.best) {
            (Some(failing), _, Some(best)) => format!(
                "{} within {set}, and {} does not{}",
                self.up_to(best),
                with_rate(failing),
                self.why(failing)
            ),
            (Some(failing), _, None) => {
                format!("{} does not stay within {set}{}", with_rate(failing), self.why(failing))
            }
            (None, Some(open), best) => {
                let held = best.map(|best| format!("{} within {set}, and ", self.up_to(best)));
                format!("{}{} is in doubt{}", held.unwrap_or_default(), with_rate(open), self.why(open))
            }
            (None, None, Some(best)) => {
                let worst = best.worst.as_ref().map_or_else(String::new, |worst| {
                    format!("; the worst figure at that step is {} ({})", figure_at(worst), worst.category)
                });
                match self.judged.len() {
                    1 => format!("{} stays within {set}{worst}", with_rate(best)),
                    count => format!("all {count} steps stay within {set}, up to {}{worst}", with_rate(best)),
                }
            }
            (None, None, None) => "no step that is judged was started".to_owned(),
        }
    }

    /// The steps below the highest one that holds, and itself.
    fn up_to(&self, best: &StepAnswer) -> String {
        let lower = || self.judged.iter().filter(|step| step.load_percent < best.load_percent);
        let doubtful = lower().find(|step| step.holds.is_none());
        match (lower().count(), doubtful) {
            (0, _) => format!("{} stays", with_rate(best)),
            (_, None) => format!("all steps up to {} stay", with_rate(best)),
            (_, Some(doubtful)) => format!("{} stays ({} is in doubt)", with_rate(best), doubtful.label),
        }
    }
}

/// The answer in a few words.
pub(super) fn steps_headline(ruling: &StepsRuling) -> String {
    let steps = Named::new(ruling);
    let headline = ruling.need_iops.map_or_else(|| steps.headline(), |need| steps.share_of_need(need));
    match ruling.outcome {
        Outcome::Inconclusive => format!("inconclusive: {headline}"),
        _ => headline,
    }
}

/// One sentence on all steps.
pub(super) fn steps_sentence(ruling: &StepsRuling) -> String {
    let steps = Named::new(ruling);
    let before = match (ruling.objections.first(), ruling.doubts.as_slice()) {
        (Some(against), _) => format!("{}; ", objection(against)),
        (None, []) => String::new(),
        (None, doubts) => {
            let words: Vec<String> = doubts.iter().map(bearing::doubt).collect();
            format!("{}; ", enumerate(&words))
        }
    };
    let share = ruling.need_iops.map(|need| format!("{}; ", steps.share_of_need(need))).unwrap_or_default();
    let measured = match ruling.outcome {
        Outcome::Inconclusive => String::new(),
        _ => measured(&ruling.caveats),
    };
    let (qualified, load) = (qualified(ruling.outcome), load_name(&ruling.load));
    let scaling = ruling.scaling.as_ref().map(|found| format!(" {}.", capital(&message(found))));
    let scaling = scaling.unwrap_or_default();
    format!("{qualified} for {load}: {before}{share}{}{measured}.{scaling}", steps.clause())
}

/// What bears on the answer, step by step.
pub(super) fn steps_reasons(ruling: &StepsRuling) -> Vec<String> {
    let mut reasons: Vec<String> = ruling.objections.iter().map(objection).collect();
    reasons.extend(ruling.doubts.iter().map(reason));
    reasons.extend(ruling.steps.iter().map(|step| step_reason(step, &ruling.set)));
    reasons.extend(not_started(ruling));
    reasons.extend(ruling.findings.iter().map(message));
    each_once(reasons)
}

/// One step in a line.
fn step_reason(step: &StepAnswer, set: &str) -> String {
    let why = || step.why_not.as_ref().map_or_else(String::new, |why| format!(": {}", why_not(why, set)));
    let words = match (step.is_judged, step.holds, &step.worst) {
        (false, ..) => "is not judged".to_owned(),
        (true, Some(true), Some(worst)) => format!("holds; {}", figure(worst)),
        (true, Some(true), None) => "holds".to_owned(),
        (true, Some(false), _) => format!("does not hold{}", why()),
        (true, None, _) => format!("is in doubt{}", why()),
    };
    // The worst one is why the step does not hold.
    let others: Vec<String> = step.crossed.iter().skip(1).map(figure).collect();
    let others = if others.is_empty() { String::new() } else { format!("; also {}", enumerate(&others)) };
    format!("{} {words}{others}", with_rate(step))
}

/// The steps that were planned and never begun.
fn not_started(ruling: &StepsRuling) -> Option<String> {
    let planned = ruling.planned_count;
    match planned.saturating_sub(ruling.steps.len()) {
        0 => None,
        1 => Some(format!("the last of {planned} steps was not started")),
        missing => Some(format!("{missing} of {planned} steps were not started")),
    }
}
