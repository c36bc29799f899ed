//! The verdict of a load that changes: each step is judged by itself, and the answer says up to which load they stay within the limits.

use std::collections::BTreeMap;

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::load::Role;
use iotrial_model::plan::{Arrival, Plan};
use iotrial_model::record::EndedHow;
use iotrial_model::subject::{Facts, Subject, SubjectJob, SubjectStep};
use serde::Serialize;

use super::bearing::{Against, Bearing};
use super::held::Held;
use super::{Advice, Outcome, Verdict, enumerate, load_of};
use crate::figures::Figures;
use crate::findings::findings;
use crate::judgement::{self, Judged, Judgement};
use crate::stream::Streams;
use crate::threshold::ThresholdSet;
use crate::words::{seconds_in_words, with_thousands};

/// A job that did this part of its rate kept it: Poisson arrivals of a few thousand vary by as much.
const KEPT: f64 = 0.98;

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
    /// What was found in it that is told as the reason why it does not hold, or why that cannot be said.
    told: Vec<FindingId>,
    judged: Vec<Judged>,
    bearing: Bearing,
}

impl StepResult {
    /// Every step that was begun; none where the load does not change.
    pub fn all(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Vec<Self> {
        subject.steps.iter().map(|step| JudgedStep::of(step, thresholds).result).collect()
    }

    /// Whether it lasted as long as it was planned.
    pub fn is_whole(&self) -> bool {
        self.measured_s + 1e-3 >= self.planned_s
    }

    /// `step 3 (75 %: 12,000 IOPS)`, with what was asked where that did not come about.
    fn with_rate(&self) -> String {
        let label = self.label.trim_end_matches(')');
        let (iops, of) = match (self.asked_iops, self.done_iops) {
            (Some(asked), Some(done)) if done < KEPT * asked => {
                (done, format!(" of {}", with_thousands(asked)))
            }
            (_, Some(done)) => (done, String::new()),
            (_, None) => (self.iops, String::new()),
        };
        format!("{label}: {}{of} IOPS)", with_thousands(iops))
    }
}

impl JudgedStep {
    fn of(step: &SubjectStep<'_>, thresholds: &ThresholdSet) -> Self {
        let SubjectStep { number, planned, subject, .. } = step;
        let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
        let bearing = Bearing::of_step(subject, &findings(subject), &gaps, starved);
        let worst = judgement::by_weight(&judged).first().copied().cloned();
        let Held { holds, why_not, told } = match Held::of(&bearing, worst.as_ref(), thresholds) {
            _ if !planned.judged => Held::default(),
            _ if !step.is_whole && bearing.against.is_empty() => {
                let measured = seconds_in_words(subject.measured.unwrap_or_default().as_secs_f64());
                let planned = seconds_in_words(planned.duration.as_secs_f64());
                let why_not = Some(format!("it was cut short after {measured} of {planned}"));
                Held { why_not, ..Held::default() }
            }
            held => held,
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
            holds,
            why_not,
            worst,
            asked_iops: asked.map(|(asked, _)| asked),
            done_iops: asked.map(|(_, done)| done),
            iops: Figures::of_all(subject).and_then(|figures| figures.iops).unwrap_or_default(),
            total: Streams::of(subject),
            roles: roles.map(|role| (role, Streams::of_role(subject, role))).collect(),
            label: step.label(),
            short_label: planned.short_label(*number),
            load_words: planned.load_in_words(),
        };
        Self { result, told, judged, bearing }
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
    let mut steps: Vec<JudgedStep> =
        subject.steps.iter().map(|step| JudgedStep::of(step, thresholds)).collect();
    let ended: Vec<Finding> = findings
        .iter()
        .filter(|found| {
            matches!(found.id, FindingId::AlteredRecord | FindingId::Interrupted | FindingId::Failed)
        })
        .cloned()
        .collect();
    let mut whole = Bearing::of(subject, &ended, &[], Vec::new());
    // What failed, failed on the device, also where the latencies of a step are not judged.
    let unjudged = subject.steps.iter().zip(&steps).filter(|(step, _)| !step.planned.judged);
    whole.against.extend(unjudged.filter_map(|(_, step)| {
        let words = format!("{}: {}", step.result.label, step.bearing.failed.first()?);
        Some(Against { words, finding: None })
    }));
    let all: Vec<&StepResult> = steps.iter().map(|step| &step.result).filter(|step| step.judged).collect();
    let mut answered = answer(&all, &thresholds.name);
    if let Some(need) = subject.plan.and_then(|plan| plan.need.as_ref()) {
        answered = answer_to_need(&all, need.total_iops(), answered);
    }
    let Answer { holds, decides, headline, sentence } = answered;
    let decides = decides.and_then(|number| steps.iter().position(|step| step.result.number == number));
    // A record that lacks steps says nothing of them, however it ended.
    let begun = subject.steps.len();
    let lacks_judged = subject.plan.is_some_and(|plan| plan.steps.iter().skip(begun).any(|step| step.judged));
    let holds = holds.filter(|holds| !*holds || !lacks_judged);
    let outcome = match (whole.against.first(), whole.doubts.as_slice(), holds) {
        (Some(_), ..) => Outcome::NotQualified,
        (None, [], Some(true)) => Outcome::Qualified,
        (None, [], Some(false)) => Outcome::NotQualified,
        (None, ..) => Outcome::Inconclusive,
    };
    let profile = load_of(subject);
    let beside = match (whole.against.first(), whole.doubts.as_slice()) {
        (Some(against), _) => format!("{}; ", against.words),
        (None, []) => String::new(),
        (None, doubts) => {
            let words: Vec<String> = doubts.iter().map(|doubt| doubt.words.clone()).collect();
            format!("{}; ", enumerate(&words))
        }
    };
    let qualified = match outcome {
        Outcome::Qualified => "Qualified",
        Outcome::NotQualified => "Not qualified",
        Outcome::Inconclusive => "Inconclusive",
    };
    let mut reasons: Vec<String> = whole.against.iter().map(|against| against.words.clone()).collect();
    reasons.extend(whole.doubts.iter().map(|doubt| doubt.reason.clone()));
    reasons.extend(steps.iter().map(|step| reason(&step.result)));
    reasons.extend(left_out(subject));
    // What keeps a step from holding is told with the step.
    let is_of_step = |found: &Finding| steps.iter().any(|step| step.told.contains(&found.id));
    let is_told = |found: &&Finding| found.severity >= Severity::Warning && !is_of_step(found);
    reasons.extend(findings.iter().filter(is_told).map(|found| found.message.clone()));
    let mut told = std::collections::HashSet::new();
    reasons.retain(|reason| told.insert(reason.clone()));
    let decisive = decides.map(|position| steps.swap_remove(position));
    let advice = || whole.advice().or_else(|| decisive.as_ref()?.bearing.advice());
    let caveats = decisive.as_ref().map_or(&[][..], |step| &step.bearing.caveats);
    let measured = match (outcome, caveats) {
        (Outcome::Inconclusive, _) | (_, []) => String::new(),
        (_, caveats) => format!("; measured {}", enumerate(caveats)),
    };
    let is_interrupted = subject.ended_how() == EndedHow::Interrupted;
    let advice = (outcome == Outcome::Inconclusive)
        .then(|| advice().or_else(|| is_interrupted.then(|| Advice::of("Run it again, and let it finish."))))
        .flatten();
    let category = decisive.as_ref().and_then(|step| step.result.worst.as_ref()).map(|worst| worst.category);
    Verdict {
        outcome,
        category,
        meaning: category.and_then(|category| thresholds.meaning(category)).cloned(),
        sentence: format!("{qualified} for {profile}: {beside}{sentence}{measured}."),
        advice,
        reasons,
        thresholds: thresholds.name.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: decisive.as_ref().map(|step| step.result.number),
        judged: decisive.map(|step| step.judged).unwrap_or_default(),
        headline: Some(match outcome {
            Outcome::Inconclusive => format!("inconclusive: {headline}"),
            _ => headline,
        }),
    }
}

/// What the judged steps say together.
struct Answer {
    /// `None` where a step is in doubt and none fails.
    holds: Option<bool>,
    /// The step that decides.
    decides: Option<usize>,
    headline: String,
    sentence: String,
}

/// The same where the steps are shares of a rate that is needed: what is asked is whether all of it is carried, and how far above it
/// the steps still stay within the limits is beside that.
fn answer_to_need(all: &[&StepResult], need: f64, answer: Answer) -> Answer {
    let fails = all.iter().filter(|step| step.holds == Some(false));
    let failing = fails.min_by(|a, b| a.load_percent.total_cmp(&b.load_percent));
    let below = |step: &&&StepResult| failing.is_none_or(|failing| step.load_percent < failing.load_percent);
    let held = all.iter().filter(|step| step.holds == Some(true)).filter(below);
    let best = held.max_by(|a, b| a.load_percent.total_cmp(&b.load_percent));
    let is_all = |step: &StepResult| step.load_percent >= 100.0;
    let is_open_below = all.iter().any(|step| step.holds.is_none() && step.load_percent <= 100.0);
    let holds = match (best, failing) {
        (_, Some(failing)) if failing.load_percent <= 100.0 => Some(false),
        (Some(best), _) if is_all(best) && !is_open_below => Some(true),
        _ => None,
    };
    let of_need = format!("of the {} IOPS that are needed", with_thousands(need));
    let share = |step: &StepResult| step.load_words.clone();
    let open = all.iter().find(|step| step.holds.is_none());
    let headline = match (best, failing, open) {
        (Some(best), Some(failing), _) => {
            format!("sustains {} {of_need}, not {}", share(best), share(failing))
        }
        (None, Some(failing), _) => format!("does not sustain {} {of_need}", share(failing)),
        (Some(best), None, Some(open)) => {
            format!("sustains {} {of_need}, {} is in doubt", share(best), share(open))
        }
        (Some(best), None, None) => {
            format!("sustains {} {of_need}, the highest load that was tried", share(best))
        }
        (None, None, _) => answer.headline,
    };
    let decides = match (holds, best) {
        (Some(true), Some(best)) => Some(best.number),
        _ => answer.decides,
    };
    Answer { holds, decides, sentence: format!("{headline}; {}", answer.sentence), headline }
}

/// `all` are the judged steps.
fn answer(all: &[&StepResult], set: &str) -> Answer {
    // The lowest that fails, whenever it came: of a staircase downwards the first one would be the highest.
    let fails = all.iter().filter(|step| step.holds == Some(false));
    let failing = fails.min_by(|a, b| a.load_percent.total_cmp(&b.load_percent));
    let open = all.iter().find(|step| step.holds.is_none());
    // Up to the load at which it fails: a step behind it may hold by being lower.
    let below = |step: &&&StepResult| failing.is_none_or(|failing| step.load_percent < failing.load_percent);
    let held = || all.iter().filter(|step| step.holds == Some(true));
    let best = held().filter(below).max_by(|a, b| a.load_percent.total_cmp(&b.load_percent));
    let why = |step: &StepResult| step.why_not.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let up_to = |best: &StepResult| {
        let lower = |step: &&&StepResult| step.load_percent < best.load_percent;
        let doubtful = all.iter().filter(lower).find(|step| step.holds.is_none());
        match (all.iter().filter(lower).count(), doubtful) {
            (0, _) => format!("{} stays", best.with_rate()),
            (_, None) => format!("all steps up to {} stay", best.with_rate()),
            (_, Some(doubtful)) => format!("{} stays ({} is in doubt)", best.with_rate(), doubtful.label),
        }
    };
    match (failing, open, best) {
        (Some(failing), _, Some(best)) => Answer {
            holds: Some(false),
            decides: Some(failing.number),
            headline: format!("holds up to {}, not {}", best.with_rate(), failing.label),
            sentence: format!(
                "{} within {set}, and {} does not{}",
                up_to(best),
                failing.with_rate(),
                why(failing)
            ),
        },
        (Some(failing), _, None) => Answer {
            holds: Some(false),
            decides: Some(failing.number),
            headline: format!("does not hold {}", failing.label),
            sentence: format!("{} does not stay within {set}{}", failing.with_rate(), why(failing)),
        },
        (None, Some(open), best) => Answer {
            holds: None,
            decides: Some(open.number),
            headline: match best {
                Some(best) => format!("{} holds, {} is in doubt", best.label, open.label),
                None => format!("{} is in doubt", open.label),
            },
            sentence: match best {
                Some(best) => {
                    format!("{} within {set}, and {} is in doubt{}", up_to(best), open.with_rate(), why(open))
                }
                None => format!("{} is in doubt{}", open.with_rate(), why(open)),
            },
        },
        (None, None, Some(best)) => {
            let worst = best.worst.as_ref().map_or_else(String::new, |worst| {
                let Judged { role, stream, statistic, category, shown, .. } = worst;
                format!(
                    "; the worst figure at that step is {role} {stream} {statistic} at {shown} ({category})"
                )
            });
            Answer {
                holds: Some(true),
                decides: Some(best.number),
                headline: match all.len() {
                    1 => format!("holds {}", best.with_rate()),
                    2 => format!("holds both steps, up to {}", best.with_rate()),
                    count => format!("holds all {count} steps, up to {}", best.with_rate()),
                },
                sentence: match all.len() {
                    1 => format!("{} stays within {set}{worst}", best.with_rate()),
                    count => {
                        format!("all {count} steps stay within {set}, up to {}{worst}", best.with_rate())
                    }
                },
            }
        }
        (None, None, None) => Answer {
            holds: None,
            decides: None,
            headline: "no judged step was started".to_owned(),
            sentence: "no step that is judged was started".to_owned(),
        },
    }
}

/// One step in a line.
fn reason(step: &StepResult) -> String {
    let words = match (step.judged, step.holds, &step.why_not, &step.worst) {
        (false, ..) => "is not judged".to_owned(),
        (true, Some(true), _, Some(worst)) => format!("holds; {}", worst.reason()),
        (true, Some(true), ..) => "holds".to_owned(),
        (true, Some(false), Some(why), _) => format!("does not hold: {why}"),
        (true, Some(false), None, _) => "does not hold".to_owned(),
        (true, None, why, _) => {
            format!("is in doubt{}", why.as_ref().map_or_else(String::new, |why| format!(": {why}")))
        }
    };
    format!("{} {words}", step.with_rate())
}

/// The steps that were planned and never begun.
fn left_out(subject: &Subject<'_>) -> Option<String> {
    let planned = subject.plan.map_or(0, |plan: &Plan| plan.steps.len());
    let missing = planned.saturating_sub(subject.steps.len());
    (missing > 0).then(|| match missing {
        1 => format!("the last of {planned} steps was not started"),
        _ => format!("{missing} of {planned} steps were not started"),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::load::Spacing;
    use iotrial_model::record::{Ended, RunRecord};
    use iotrial_model::step::Step;

    use super::*;
    use crate::summary::Summary;
    use crate::test_record::measured;

    /// Steps of a minute, each with its share of 20,000 data I/Os a second and what came of it.
    fn stepped(steps: &[(f64, u64)]) -> RunRecord {
        let iops = |second: u64| steps[usize::try_from(second / 60).unwrap()].1;
        let mut record = measured(60 * steps.len() as u64, iops);
        for (job, iops) in record.plan.jobs.iter_mut().zip([20_000.0, 2_500.0]) {
            job.arrival = Arrival::Open { iops, spacing: Spacing::Poisson, bursts: None };
        }
        let step = |(percent, _): &(f64, u64)| Step::constant(Duration::from_secs(60), *percent);
        record.plan.steps = steps.iter().map(step).collect();
        again(record)
    }

    /// With the totals of its steps.
    fn again(mut record: RunRecord) -> RunRecord {
        record.steps = RunRecord::steps_of_intervals(&record.plan, &record.intervals);
        record.devices.clear();
        record
    }

    fn summary(record: &RunRecord) -> Summary {
        Summary::new(&Subject::of_run(record), &ThresholdSet::builtin("flash").unwrap())
    }

    #[test]
    fn a_load_that_holds_in_every_step_is_qualified_up_to_its_highest_one() {
        let summary = summary(&stepped(&[(80.0, 16_000), (90.0, 18_000), (100.0, 20_000)]));
        let verdict = &summary.verdict;
        assert_eq!(
            verdict.sentence,
            "Qualified for mine: all 3 steps stay within flash, up to step 3 (100 %: 22,500 IOPS); the worst figure at that step is data read mean at 0.4 ms (good)."
        );
        assert_eq!(verdict.headline.as_deref(), Some("holds all 3 steps, up to step 3 (100 %: 22,500 IOPS)"));
        assert_eq!((verdict.outcome, verdict.step), (Outcome::Qualified, Some(3)));
        // All other figures are those of the peak.
        assert_eq!(summary.measured_s, Some(60.0));
        let reads = summary.total.read.as_ref().unwrap();
        assert_eq!(reads.iops, Some(10_000.0));
    }

    #[test]
    fn a_load_that_changes_on_purpose_is_neither_unsteady_nor_a_burst() {
        for steps in [
            [(80.0, 16_000), (100.0, 20_000), (50.0, 12_000)],
            [(100.0, 20_000), (50.0, 12_000), (60.0, 13_000)],
        ] {
            let record = stepped(&steps);
            assert_eq!(summary(&record).findings, []);
            let mut plain = record.clone();
            (plain.plan.steps, plain.steps) = (Vec::new(), Vec::new());
            assert!(!summary(&plain).findings.is_empty());
        }
        // Nor is one that rises all the time, which is not judged by its course.
        let mut record = measured(120, |second| 16_000 + 100 * second.min(60));
        let rise = Step {
            from_percent: Some(70.0),
            judged: false,
            ..Step::constant(Duration::from_secs(60), 100.0)
        };
        record.plan.steps = vec![rise, Step::constant(Duration::from_secs(60), 100.0)];
        assert_eq!(summary(&again(record)).findings, []);
    }

    #[test]
    fn the_first_step_that_does_not_hold_decides_and_the_one_below_it_is_named() {
        let summary = summary(&stepped(&[(70.0, 16_000), (80.0, 18_000), (90.0, 2_000), (100.0, 1_000)]));
        let verdict = &summary.verdict;
        assert_eq!((verdict.outcome, verdict.step), (Outcome::NotQualified, Some(3)));
        assert_eq!(
            verdict.headline.as_deref(),
            Some("holds up to step 2 (80 %: 20,250 IOPS), not step 3 (90 %)")
        );
        assert_eq!(
            verdict.sentence,
            "Not qualified for mine: all steps up to step 2 (80 %: 20,250 IOPS) stay within flash, and step 3 (90 %: 2,250 of 20,250 IOPS) does not: data reads have a mean of 4 ms, above the acceptable 2 ms."
        );
        let holds: Vec<Option<bool>> = summary.steps.iter().map(|step| step.holds).collect();
        assert_eq!(holds, [Some(true), Some(true), Some(false), Some(false)]);
        assert!(verdict.reasons.iter().any(|reason| reason.starts_with("step 4 (100 %: 1,125 of")));
    }

    #[test]
    fn of_steps_in_any_order_the_lowest_that_fails_decides() {
        let record = stepped(&[(100.0, 1_000), (90.0, 1_000), (50.0, 12_000)]);
        let verdict = summary(&record).verdict;
        assert_eq!((verdict.outcome, verdict.step), (Outcome::NotQualified, Some(2)));
        let headline = verdict.headline.unwrap();
        assert!(
            headline.starts_with("holds up to step 3 (50 %") && headline.ends_with("not step 2 (90 %)"),
            "{headline}"
        );
    }

    #[test]
    fn what_fails_in_a_step_that_is_not_judged_fails_and_steps_that_a_record_lacks_leave_it_open() {
        let mut record = stepped(&[(50.0, 12_000), (100.0, 20_000)]);
        record.plan.steps[0].judged = false;
        let holding = again(record.clone());
        assert_eq!(summary(&holding).verdict.outcome, Outcome::Qualified);
        let mut failing = holding.clone();
        for counts in [&mut failing.steps[0].jobs[0], &mut failing.jobs[0]] {
            counts.read.as_mut().unwrap().error_count = 6;
        }
        let verdict = summary(&failing).verdict;
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert!(verdict.sentence.contains("step 1 (50 %): 6 of "), "{}", verdict.sentence);
        let mut cut = holding;
        cut.plan.steps.push(Step::constant(Duration::from_secs(60), 110.0));
        assert_eq!(summary(&cut).verdict.outcome, Outcome::Inconclusive);
    }

    #[test]
    fn a_step_that_is_not_judged_decides_nothing() {
        let mut record = stepped(&[(50.0, 2_000), (100.0, 20_000)]);
        record.plan.steps[0].judged = false;
        let summary = summary(&record);
        assert_eq!(summary.verdict.outcome, Outcome::Qualified, "{}", summary.verdict.sentence);
        assert_eq!(summary.steps[0].holds, None);
        assert!(summary.verdict.sentence.contains("step 2 (100 %: 22,500 IOPS) stays within flash"));
    }

    #[test]
    fn a_run_that_was_stopped_shows_the_steps_so_far_and_the_one_that_was_cut() {
        let mut record = stepped(&[(80.0, 16_000), (90.0, 18_000), (100.0, 20_000), (100.0, 20_000)]);
        record.intervals.truncate(140);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".to_owned()) };
        let summary = summary(&again(record));
        assert_eq!(summary.verdict.outcome, Outcome::Inconclusive);
        assert_eq!(summary.steps.len(), 3);
        assert!(summary.steps[1].is_whole() && !summary.steps[2].is_whole());
        let cut = summary.steps[2].why_not.as_deref();
        assert_eq!(cut, Some("it was cut short after 20 s of 60 s"));
        let reasons = &summary.verdict.reasons;
        assert!(reasons.iter().any(|one| one == "the last of 4 steps was not started"), "{reasons:?}");
        assert!(
            reasons[0].starts_with("the run was interrupted when 140 s of 240 s were measured"),
            "{reasons:?}"
        );
        // The figures are those of the highest load that was measured as long as planned.
        assert_eq!(summary.total.read.as_ref().unwrap().iops, Some(9_000.0));
    }

    #[test]
    fn what_was_due_and_never_issued_in_a_step_is_told_of_that_step() {
        let mut record = stepped(&[(80.0, 16_000), (100.0, 20_000), (60.0, 12_000)]);
        record.intervals[119].backlog = vec![120_000, 0];
        let summary = summary(&record);
        assert_eq!(summary.verdict.outcome, Outcome::NotQualified);
        let finding = &summary.findings[0];
        assert_eq!(finding.id, FindingId::NotIssued);
        assert!(
            finding.message.starts_with("in step 2 (100 %): 120,000 I/Os of `pages`"),
            "{}",
            finding.message
        );
        assert_eq!(summary.steps[2].holds, Some(true));
    }
}
