//! The verdict of a load that changes: each step is judged by itself, and the answer says up to which load they stay within the limits.

use std::collections::BTreeMap;

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::load::Role;
use iotrial_model::plan::Arrival;
use iotrial_model::subject::{Facts, Subject, SubjectJob, SubjectStep};
use iotrial_model::verdict::{Judged, Objection, Outcome, StepAnswer, StepsRuling, WhyNot};
use iotrial_words::verdict as words;
use serde::Serialize;

use super::bearing::Bearing;
use super::load::LoadAnswer;
use super::{Basis, Verdict, decide, name_of_load};
use crate::figures::Figures;
use crate::findings::findings;
use crate::judgement::Judgement;
use crate::stream::Streams;
use crate::threshold::ThresholdSet;

/// What came of one step of a load that changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepResult {
    /// Counted from 1.
    pub number: usize,
    /// What its author calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its share of the full load, or the one that it ends with.
    pub load_percent: f64,
    /// The share that it began with, where the load changed evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_percent: Option<f64>,
    /// When it began, from the start of the load.
    pub start_s: f64,
    /// How long it was planned to last.
    pub planned_s: f64,
    /// How long it lasted: less where the run was stopped in it.
    pub measured_s: f64,
    /// Whether the outcome depends on it.
    pub judged: bool,
    /// Whether it stays within the limits; `None` where that cannot be said, and of what is not judged.
    pub holds: Option<bool>,
    /// Why it does not, or why it cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// What used up most of its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Judged>,
    /// Of each role that is beyond a limit here and at no lower load, the figure that is furthest beyond it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossed: Vec<Judged>,
    /// Arrivals a second that were asked of the jobs with a rate of their own; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_iops: Option<f64>,
    /// Arrivals a second that these jobs did; `None` as above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_iops: Option<f64>,
    /// I/Os a second of all jobs together.
    pub iops: f64,
    /// All jobs together.
    pub total: Streams,
    /// All jobs of a role together.
    pub roles: BTreeMap<Role, Streams>,
    /// What it is called: `step 2 “peak” (100 %)`.
    #[serde(skip)]
    pub label: String,
    /// The same in a few letters: `2 peak`.
    #[serde(skip)]
    pub short_label: String,
    /// The load in words: `0 to 100 %`.
    #[serde(skip)]
    pub load_words: String,
}

/// One step with everything that bears on whether it holds.
struct JudgedStep {
    result: StepResult,
    /// Why it does not hold, or why that cannot be said.
    why_not: Option<WhyNot>,
    judged: Vec<Judged>,
    bearing: Bearing,
}

impl StepResult {
    /// Every step that was begun; none where the load does not change.
    pub fn all(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Vec<Self> {
        JudgedStep::all(subject, thresholds).into_iter().map(|step| step.result).collect()
    }

    /// Whether it lasted as long as it was planned.
    pub fn is_whole(&self) -> bool {
        self.measured_s + 1e-3 >= self.planned_s
    }
}

impl JudgedStep {
    fn all(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Vec<Self> {
        let mut all: Vec<Self> = subject.steps.iter().map(|step| Self::of(step, thresholds)).collect();
        let mut by_load: Vec<&mut Self> = all.iter_mut().filter(|step| step.result.judged).collect();
        by_load.sort_by(|a, b| a.result.load_percent.total_cmp(&b.result.load_percent));
        let mut crossed_before: Vec<Role> = Vec::new();
        for step in by_load {
            // A step that is in doubt shows no limit that the storage crossed.
            if step.result.holds != Some(false) {
                continue;
            }
            for one in Judged::by_weight(&step.judged) {
                if !one.is_acceptable() && !crossed_before.contains(&one.role) {
                    crossed_before.push(one.role);
                    step.result.crossed.push(one.clone());
                }
            }
        }
        all
    }

    fn of(step: &SubjectStep<'_>, thresholds: &ThresholdSet) -> Self {
        let SubjectStep { number, planned, subject, .. } = step;
        let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
        let mut bearing = Bearing::of_step(subject, &findings(subject), &gaps, starved);
        bearing.settle(&judged);
        let worst = Judged::by_weight(&judged).first().copied().cloned();
        let LoadAnswer { outcome, why_not } = match LoadAnswer::new(&bearing, &gaps, worst.as_ref()) {
            _ if !planned.judged => LoadAnswer { outcome: Outcome::Inconclusive, why_not: None },
            _ if !step.is_whole && bearing.objections.is_empty() => LoadAnswer {
                outcome: Outcome::Inconclusive,
                why_not: Some(WhyNot::CutShort {
                    measured_s: subject.measured.unwrap_or_default().as_secs_f64(),
                    planned_s: planned.duration.as_secs_f64(),
                }),
            },
            answer => answer,
        };
        let asked = rates(step);
        let roles = subject.jobs.iter().filter_map(|job| job.role);
        let result = StepResult {
            number: *number,
            name: planned.name.clone(),
            load_percent: planned.load_percent,
            from_percent: planned.from_percent.filter(|_| !planned.is_constant()),
            start_s: step.start_s,
            planned_s: planned.duration.as_secs_f64(),
            measured_s: subject.measured_s().unwrap_or_default(),
            judged: planned.judged,
            holds: outcome.is_yes(),
            why_not: why_not.as_ref().map(|why_not| words::why_not(why_not, &thresholds.name)),
            worst,
            crossed: Vec::new(),
            asked_iops: asked.map(|(asked, _)| asked),
            done_iops: asked.map(|(_, done)| done),
            iops: Figures::of_all(subject).and_then(|figures| figures.iops).unwrap_or_default(),
            total: Streams::of(subject),
            roles: roles.map(|role| (role, Streams::of_role(subject, role))).collect(),
            label: step.label(),
            short_label: planned.short_label(*number),
            load_words: planned.load_in_words(),
        };
        Self { result, why_not, judged, bearing }
    }

    fn answer(&self) -> StepAnswer {
        let result = &self.result;
        StepAnswer {
            number: result.number,
            label: result.label.clone(),
            load: result.load_words.clone(),
            load_percent: result.load_percent,
            asked_iops: result.asked_iops,
            done_iops: result.done_iops,
            iops: result.iops,
            is_judged: result.judged,
            holds: result.holds,
            why_not: self.why_not.clone(),
            worst: result.worst.clone(),
            crossed: result.crossed.clone(),
        }
    }
}

/// What was asked of the jobs with a rate, and what they did; `None` without one.
fn rates(step: &SubjectStep<'_>) -> Option<(f64, f64)> {
    let seconds = step.subject.measured.map(|measured| measured.as_secs_f64()).filter(|s| *s > 0.0)?;
    let has_rate = |job: &&SubjectJob<'_>| {
        job.planned.is_some_and(|planned| matches!(planned.arrival, Arrival::Open { .. }))
    };
    let jobs = || step.subject.jobs.iter().filter(has_rate);
    let done = jobs().flat_map(SubjectJob::arrivals).filter_map(Facts::io_count).sum::<u64>();
    jobs().next().map(|_| (jobs().filter_map(|job| job.load.rate_iops).sum(), done as f64 / seconds))
}

/// Judges a load that changes; `findings` are those of all of it.
pub(super) fn judge(subject: &Subject<'_>, findings: &[Finding], thresholds: &ThresholdSet) -> Verdict {
    let mut steps = JudgedStep::all(subject, thresholds);
    let of_the_whole = [FindingId::AlteredRecord, FindingId::Interrupted, FindingId::Failed];
    let ended: Vec<Finding> =
        findings.iter().filter(|found| of_the_whole.contains(&found.id)).cloned().collect();
    let mut whole = Bearing::new(subject, &ended, &[], Vec::new());
    // What failed, failed on the device, also where the latencies of a step are not judged.
    let unjudged = steps.iter().filter(|step| !step.result.judged);
    whole.objections.extend(unjudged.filter_map(|step| {
        let (label, finding) = (step.result.label.clone(), step.bearing.failed.first()?.clone());
        Some(Objection::InStep { label, finding })
    }));
    let answers: Vec<StepAnswer> = steps.iter().map(JudgedStep::answer).collect();
    let need_iops = subject.plan.and_then(|plan| plan.need.as_ref()).map(|need| need.total_iops());
    // A load that is raised beyond its own is asked whether it holds, and how much more would hold.
    let is_raised = subject.plan.is_some_and(|plan| {
        plan.depth_factor() > 1 && plan.jobs.iter().any(|job| job.arrival == Arrival::Closed)
    });
    let StepsAnswer { holds, decides, failing, best, open } =
        StepsAnswer::new(&answers, need_iops.is_some() || is_raised);
    // A record that lacks steps says nothing of them, however it ended.
    let planned = subject.plan.map(|plan| plan.steps.as_slice()).unwrap_or_default();
    let lacks_judged = planned.iter().skip(steps.len()).any(|step| step.judged);
    let holds = holds.filter(|holds| !*holds || !lacks_judged);
    let outcome = decide(!whole.objections.is_empty(), !whole.doubts.is_empty(), holds);
    let advice = (outcome == Outcome::Inconclusive).then(|| {
        let of_step = || decides.and_then(|position| steps[position].bearing.advice());
        whole.advice().or_else(of_step)
    });
    // What keeps a step from holding is told with the step.
    let with_steps: Vec<FindingId> =
        steps.iter().filter_map(|step| step.why_not.as_ref()).flat_map(WhyNot::findings).collect();
    let is_beside = |found: &&Finding| found.severity >= Severity::Warning && !with_steps.contains(&found.id);
    let decisive = decides.map(|position| steps.swap_remove(position));
    let ruling = StepsRuling {
        outcome,
        load: name_of_load(subject),
        set: thresholds.name.clone(),
        objections: whole.objections,
        doubts: whole.doubts,
        caveats: decisive.as_ref().map(|step| step.bearing.caveats.clone()).unwrap_or_default(),
        steps: answers,
        failing,
        best,
        open,
        need_iops,
        scaling: findings.iter().find(|found| is_of_scaling(found)).cloned().map(Box::new),
        planned_count: planned.len(),
        findings: findings.iter().filter(is_beside).cloned().collect(),
    };
    let category = decisive.as_ref().and_then(|step| step.result.worst.as_ref()).map(|worst| worst.category);
    Verdict {
        outcome,
        category,
        meaning: category.and_then(|category| thresholds.meaning(category)).cloned(),
        advice: advice.flatten(),
        thresholds: thresholds.name.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: decisive.as_ref().map(|step| step.result.number),
        judged: decisive.map(|step| step.judged).unwrap_or_default(),
        basis: Basis::Steps(ruling),
    }
}

fn is_of_scaling(found: &Finding) -> bool {
    matches!(found.id, FindingId::StopsScaling | FindingId::StillScaling)
}

/// What the judged steps say together. Steps are given by their position among all.
struct StepsAnswer {
    /// `None` where a step is in doubt and none fails.
    holds: Option<bool>,
    /// The step that decides.
    decides: Option<usize>,
    /// The lowest load that fails.
    failing: Option<usize>,
    /// The highest one below it that holds.
    best: Option<usize>,
    /// The first of which that cannot be said.
    open: Option<usize>,
}

impl StepsAnswer {
    /// `all_is_asked`: whether the question is that of the full load, such as a rate that is needed, and how far above it the steps still
    /// stay within the limits is beside that.
    fn new(steps: &[StepAnswer], all_is_asked: bool) -> Self {
        let with = |holds: Option<bool>| {
            let judged = steps.iter().enumerate().filter(|(_, step)| step.is_judged);
            judged.filter(move |(_, step)| step.holds == holds)
        };
        let load = |position: usize| steps[position].load_percent;
        let by_load = |a: &(usize, &StepAnswer), b: &(usize, &StepAnswer)| {
            a.1.load_percent.total_cmp(&b.1.load_percent)
        };
        // The lowest that fails, whenever it came: of a staircase downwards the first one would be the highest.
        let failing = with(Some(false)).min_by(by_load).map(|(position, _)| position);
        // Up to the load at which it fails: a step behind it may hold by being lower.
        let is_below = |(_, step): &(usize, &StepAnswer)| {
            failing.is_none_or(|failing| step.load_percent < load(failing))
        };
        let best = with(Some(true)).filter(is_below).max_by(by_load).map(|(position, _)| position);
        let open = with(None).next().map(|(position, _)| position);
        let is_open_below = || with(None).any(|(_, step)| step.load_percent <= 100.0);
        let holds = match (failing, open, best) {
            (Some(failing), ..) if all_is_asked && load(failing) > 100.0 => {
                best.filter(|best| load(*best) >= 100.0 && !is_open_below()).map(|_| true)
            }
            (Some(_), ..) => Some(false),
            (None, _, Some(best)) if all_is_asked => {
                (load(best) >= 100.0 && !is_open_below()).then_some(true)
            }
            (None, None, Some(_)) => Some(true),
            (None, ..) => None,
        };
        let decides = if holds == Some(true) { best } else { failing.or(open).or(best) };
        Self { holds, decides, failing, best, open }
    }
}

#[cfg(test)]
mod tests;
