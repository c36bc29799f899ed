//! The search for the highest rate that holds a latency: its loads, one after the other on one rig.

use std::time::{Duration, Instant};

use iotrial_analysis::rate_search::RateSearch;
use iotrial_analysis::words::{latency_in_words, seconds_in_words};
use iotrial_model::need::Need;
use iotrial_model::plan::EngineDevice;
use iotrial_model::record::{EndedHow, RunRecord};
use iotrial_model::search::{Probe, ProbeKind};
use iotrial_model::subject::Subject;

use super::RunError;
use crate::rig::{Rig, Trial};
use iotrial_words::numbers::rate_in_words;

/// Runs the whole search. The record becomes that of the load that the answer rests on, at a needed rate of the one that answers best, or of
/// the last load where there is none.
pub(crate) fn carry_out(rig: &mut Rig, trial: &mut Trial, mut search: RateSearch) -> Result<(), RunError> {
    let limit = search.search().limit.in_words();
    let mut best: Option<(Rank, RunRecord)> = None;
    // By their places, until it is known which one the answer rests on.
    let mut held: Vec<(usize, RunRecord)> = Vec::new();
    let is_needed = search.search().need.is_some();
    let has_own_mix = matches!(search.search().need, Some(Need::ByRole(_)));
    let mut time = Time::of(rig, trial);
    let mut whole = search.whole_time(time.expected_layout);
    loop {
        let left = search.left(time.expected_layout, time.spent());
        let Some(load) = search.next_load(left)? else { break };
        rig.say_left(whole.saturating_sub(time.spent()));
        rig.searching(search.search());
        trial.record.plan = load.plan.clone();
        rig.run_watched(trial, search.early_end(&load))?;
        let measured = Subject::of_run(&trial.record).measured.unwrap_or_default();
        trial.record.plan = load.plan_of(measured);
        time.loads += trial.record.intervals.iter().map(|one| one.duration).sum::<Duration>();
        if trial.record.ended.how != EndedHow::Complete {
            let tried = search.search().probes.len();
            let what = load.kind.as_str();
            let reason = trial.record.ended.reason.get_or_insert_default();
            *reason = format!("{reason}, in load {} of the search, a {what}", tried + 1);
            trial.record.search = Some(search.search().clone());
            return Ok(());
        }
        let probe = search.note(&load, &Subject::of_run(&trial.record))?;
        rig.say_load(&line(probe, &limit, has_own_mix));
        if let Some(rank) = rank_of(probe, is_needed)
            && best.as_ref().is_none_or(|(other, _)| rank > *other)
        {
            best = Some((rank, trial.record.clone()));
        }
        if !is_needed && probe.held == Some(true) {
            held.push((search.search().probes.len() - 1, trial.record.clone()));
        }
        // A crash in the next load leaves what is known by now.
        trial.record.search = Some(search.search().clone());
        // Only a percentile that is rarer than the rate at saturation let anybody know.
        let longer = search.whole_time(time.expected_layout);
        if longer > whole {
            rig.say(&format!(
                "its statistic needs longer loads: {} at most",
                seconds_in_words(longer.as_secs_f64())
            ));
            whole = longer;
        }
    }
    let of_answer = search.load_of_answer().filter(|_| !is_needed);
    let of_answer = of_answer.and_then(|load| held.into_iter().find(|one| one.0 == load));
    if let Some(record) = of_answer.map(|one| one.1).or(best.map(|one| one.1)) {
        trial.record = record;
    }
    trial.record.search = Some(search.search().clone());
    Ok(())
}

/// Makes the steps that are shares of a needed rate: one closed load shows the mix, and the steps are one load at that rate. The record is
/// that of the steps.
pub(crate) fn carry_out_steps(
    rig: &mut Rig,
    trial: &mut Trial,
    mut search: RateSearch,
) -> Result<(), RunError> {
    let time = Time::of(rig, trial);
    let whole = search.whole_time(time.expected_layout);
    // As long as it takes: nothing else shares its time.
    if let Some(load) = search.next_load(whole.saturating_add(AMPLE))? {
        rig.say_left(whole.saturating_sub(time.spent()));
        trial.record.plan = load.plan.clone();
        rig.run(trial)?;
        if trial.record.ended.how != EndedHow::Complete {
            let reason = trial.record.ended.reason.get_or_insert_default();
            *reason = format!("{reason}, in the closed load before the steps");
            return Ok(());
        }
        let probe = search.note(&load, &Subject::of_run(&trial.record))?;
        rig.say_load(&format!("{}; now the steps", line(probe, "", false)));
    }
    let Some(plan) = search.staircase() else { return Ok(()) };
    rig.say_left(plan.duration());
    trial.record.plan = plan;
    Ok(rig.run(trial)?)
}

/// Longer than any load.
const AMPLE: Duration = Duration::from_secs(86_400);

/// How long the run has taken, as the search has to know it.
struct Time {
    /// What laying the files out was expected to take when the time of the whole run was told.
    expected_layout: Duration,
    /// What it did take.
    layout: Duration,
    began: Instant,
    /// The loads so far, by their own clock.
    loads: Duration,
    is_simulated: bool,
}

impl Time {
    /// From now on, behind the layout.
    fn of(rig: &Rig, trial: &Trial) -> Self {
        let layout = trial.record.layout.map(|layout| layout.duration).unwrap_or_default();
        let expected_layout = rig.setup().expected_layout_time();
        let is_simulated = trial.record.plan.engine.facts().device == EngineDevice::Simulated;
        Self { expected_layout, layout, began: Instant::now(), loads: Duration::ZERO, is_simulated }
    }

    /// Layout, loads, and what lies between them. The time of a simulated device passes on its own clock, however fast this host is.
    fn spent(&self) -> Duration {
        self.layout + if self.is_simulated { self.loads } else { self.began.elapsed() }
    }
}

/// Which long run is the record: one that held, then the highest.
type Rank = (bool, u64);

/// Of the long runs only. At a needed rate one that did not hold is an answer, too.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive")]
fn rank_of(probe: &Probe, is_needed: bool) -> Option<Rank> {
    let held = probe.held?;
    let is_long = probe.kind == ProbeKind::Confirmation && (held || is_needed);
    is_long.then(|| (held, probe.asked_iops.unwrap_or_default() as u64))
}

/// `probe: 112,000 IOPS (70 % of saturation) for 3 s, p99 0.31 ms (data read): within 2ms@p99`. Where it is not within, the reason has the
/// latency.
fn line(probe: &Probe, limit: &str, has_own_mix: bool) -> String {
    let iops = probe.asked_iops.unwrap_or(probe.iops);
    let share = probe
        .share
        .filter(|_| !has_own_mix)
        .map(|share| format!(" ({:.1} % of saturation)", 100.0 * share))
        .unwrap_or_default();
    let worst = probe.worst.as_ref().filter(|_| probe.why_not.is_none()).map(|worst| {
        let latency = latency_in_words(worst.latency_us);
        let statistic = worst.statistic.as_deref().unwrap_or("worst");
        format!(", {statistic} {latency} ({} {})", worst.role, worst.stream)
    });
    let outcome = match (probe.held, &probe.why_not) {
        (Some(true), _) => format!(": within {limit}"),
        (Some(false), Some(why_not)) => format!(": not within {limit}: {why_not}"),
        _ => String::new(),
    };
    let (what, worst) = (probe.kind.as_str(), worst.unwrap_or_default());
    let (iops, time) = (rate_in_words(iops), seconds_in_words(probe.duration.as_secs_f64()));
    // Why is the same for most of them; the answer has it once.
    let doubts = if probe.doubts.is_empty() { "" } else { " (in doubt)" };
    format!("{what}: {iops} IOPS{share} for {time}{worst}{outcome}{doubts}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::finding::FindingId;
    use iotrial_model::load::Role;
    use iotrial_model::search::WorstLatency;
    use iotrial_model::stream::Stream;

    use super::*;

    #[test]
    fn a_probe_is_one_line_with_rate_time_latency_and_outcome() {
        let probe = Probe {
            kind: ProbeKind::Probe,
            share: Some(0.7),
            asked_iops: Some(112_000.4),
            iops: 112_010.0,
            lat_mean_us: None,
            duration: Duration::from_secs(3),
            worst: Some(WorstLatency {
                role: Role::Data,
                stream: Stream::Read,
                statistic: Some("p99".to_owned()),
                latency_us: 2_310.0,
                limit_us: Some(2_000.0),
                untouched: None,
            }),
            held: Some(false),
            why_not: Some("p99 of data reads is 2.31 ms".to_owned()),
            doubts: [FindingId::GeneratorBusy].into_iter().collect(),
        };
        assert_eq!(
            line(&probe, "2ms@p99", false),
            "probe: 112,000 IOPS (70.0 % of saturation) for 3 s: not within 2ms@p99: p99 of data reads is 2.31 ms (in doubt)"
        );
    }
}
