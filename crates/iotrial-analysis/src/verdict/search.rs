//! The verdict of a search: whether a needed rate is carried, or which rate is the highest.

use std::time::Duration;

use iotrial_model::finding::{Doubts, Finding, FindingId};
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::need::Need;
use iotrial_model::record::EndedHow;
use iotrial_model::search::{Probe, ProbeKind, Search, SearchResult};
use iotrial_model::subject::Subject;
use iotrial_model::words::enumerate;
use serde::Serialize;

use super::bearing::{Against, Bearing, Doubt};
use super::{Advice, Outcome, Verdict, joined};
use crate::judgement;
use crate::words::{capital, latency_in_words, with_thousands};

/// The highest rate of the load's mix that stays within its limits, and what is needed of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    /// What it stays within: a latency, or the name of a threshold set.
    pub limit: SearchLimit,
    /// I/Os per second that stay within it; `None` where none do, or the loads did not agree.
    pub iops: Option<f64>,
    /// Reads in it.
    pub read_iops: Option<f64>,
    /// Writes in it, commits among them.
    pub write_iops: Option<f64>,
    /// I/Os per second that no longer do; `None` where even more than the closed load reached do.
    pub not_held_iops: Option<f64>,
    /// Whether it may be more: something other than the device kept higher rates from holding.
    pub is_lower_bound: bool,
    /// How sure it is that the rate stays within the limits.
    pub confidence_percent: Option<f64>,
    /// I/Os per second that were needed; `None` where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need_iops: Option<f64>,
    /// Whether the needed rate is carried; `None` without a need, and where the loads at it did not agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries_need: Option<bool>,
    /// How much more than the need it is; negative where it is less. `None` without a need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom_percent: Option<f64>,
    /// I/Os per second of the closed load, whatever their latency; `None` where each role needs a rate of its own.
    pub saturation_iops: Option<f64>,
    /// Their mean latency, which follows from the outstanding I/Os and is not judged.
    pub saturation_lat_mean_us: Option<f64>,
}

impl Capacity {
    /// Of a result that a search brought; `None` of any other.
    pub fn of(subject: &Subject<'_>) -> Option<Self> {
        let search = subject.search?;
        let result = search.result.as_ref();
        let need_iops = search.need.as_ref().map(|need| need.total_iops());
        let iops = result.map(|result| result.held_iops);
        let saturation = search.probes.iter().find(|probe| is_saturation_of_mix(search, probe));
        Some(Self {
            limit: search.shown_limit(),
            iops,
            read_iops: result.and_then(|result| result.read_iops),
            write_iops: result.and_then(|result| result.write_iops),
            not_held_iops: result.and_then(|result| result.not_held_iops),
            is_lower_bound: result
                .is_some_and(|result| result.not_held_iops.is_none() || !result.not_held_doubts.is_empty()),
            confidence_percent: result.and_then(|result| result.confidence_percent),
            need_iops,
            carries_need: search.carries_need,
            headroom_percent: iops.zip(need_iops).map(|(iops, need)| 100.0 * (iops / need - 1.0)),
            saturation_iops: saturation.map(|probe| probe.iops),
            saturation_lat_mean_us: saturation.and_then(|probe| probe.lat_mean_us),
        })
    }
}

/// Whether a load shows what the mix of the search does at saturation. With rates of its own for each role the closed load has another mix
/// than all that follow, and more commits than the log can take.
pub fn is_saturation_of_mix(search: &Search, probe: &Probe) -> bool {
    probe.kind == ProbeKind::Saturation && !matches!(search.need, Some(Need::ByRole(_)))
}

/// The verdict of a search: its own question first, and then what the figures of its record say.
pub(super) fn answered(
    search: &Search,
    subject: &Subject<'_>,
    findings: &[Finding],
    bearing: &Bearing,
    verdict: Verdict,
) -> Verdict {
    let how = subject.ended.map_or(EndedHow::Complete, |ended| ended.how);
    let Answer { outcome, headline, sentence } = if how == EndedHow::Complete {
        match search.need.as_ref().map(|need| need.total_iops()) {
            Some(need) => of_need(search, need, bearing, &verdict),
            None => of_highest(search, findings, bearing, &verdict),
        }
    } else {
        unfinished(search, how)
    };
    let reasons = verdict.reasons.into_iter().filter(|reason| !sentence.contains(reason.as_str())).collect();
    let advice = match (outcome, how) {
        // What the counters of a device say that went away in the middle is no advice.
        (Outcome::Inconclusive, EndedHow::Failed) => {
            Some(Advice::of("Find out why the storage failed: the log of the system may name the device."))
        }
        (Outcome::Inconclusive, _) => bearing.advice().or_else(|| Some(longer_or_quieter(search))),
        (Outcome::Qualified | Outcome::NotQualified, _) => None,
    };
    Verdict { outcome, headline: Some(headline), sentence, reasons, advice, ..verdict }
}

/// Where no finding says what to change.
fn longer_or_quieter(search: &Search) -> Advice {
    let duration = Duration::from_secs(if search.time_ran_out { 60 } else { 120 });
    let words = if search.time_ran_out {
        "Give the search more time: --duration 1m; or a smaller --size, which is created sooner."
    } else {
        "Measure on a quieter host, or longer: --duration 2m."
    };
    Advice { is_change: !search.time_ran_out, duration: Some(duration), ..Advice::of(words) }
}

struct Answer {
    outcome: Outcome,
    /// In a few words.
    headline: String,
    sentence: String,
}

fn unfinished(search: &Search, how: EndedHow) -> Answer {
    let ended = if how == EndedHow::Failed { "failed" } else { "was interrupted" };
    let what =
        if search.need.is_some() { "whether the needed rate is sustained" } else { "the highest rate" };
    Answer {
        outcome: Outcome::Inconclusive,
        headline: format!("inconclusive: the search {ended}"),
        sentence: format!(
            "The search for {what} within {} {ended} before it had an answer: {}.",
            search.shown_limit().in_words(),
            known_so_far(search)
        ),
    }
}

/// Whether the needed rate is carried, and with how much to spare.
fn of_need(search: &Search, need: f64, bearing: &Bearing, verdict: &Verdict) -> Answer {
    let limit = search.shown_limit().in_words();
    let asked = with_thousands(need);
    let most = search.result.as_ref().map(|result| result.held_iops);
    let worst = judgement::by_weight(&verdict.judged).first().copied();
    let is_judged_by_set = matches!(search.limit, SearchLimit::Thresholds(_));
    let is_too_slow = is_judged_by_set && worst.is_some_and(|worst| !worst.is_acceptable());
    let why_not = at_need(search, need).filter_map(|probe| probe.why_not.as_deref()).last();
    if let Some(Against { words: against, .. }) = bearing.against.first() {
        return Answer {
            outcome: Outcome::NotQualified,
            headline: format!("does not sustain {asked} IOPS"),
            sentence: format!("Not qualified: {against}."),
        };
    }
    // A load that was too slow settles nothing: what made it late may be why.
    let is_carried_yet_slow = search.carries_need == Some(true) && is_too_slow;
    let (settled, open): (Vec<&Doubt>, Vec<&Doubt>) = bearing
        .doubts
        .iter()
        .partition(|doubt| !is_carried_yet_slow && is_settled(doubt, search.carries_need));
    let any_at_need = |held: bool| at_need(search, need).any(|probe| probe.held == Some(held));
    if !open.is_empty() {
        let seen = match search.carries_need {
            Some(true) if is_too_slow => {
                format!(
                    "most loads at {asked} IOPS stayed within {limit}, but the long one did not{}",
                    worst_in_words(verdict, "of that load")
                )
            }
            Some(true) => format!("the loads at {asked} IOPS stayed within {limit}"),
            Some(false) => format!("the loads at {asked} IOPS did not stay within {limit}"),
            // Loads in doubt decide nothing, also where all of them failed.
            None => match (any_at_need(true), any_at_need(false)) {
                (true, true) => {
                    format!("some of the loads at {asked} IOPS stayed within {limit}, and others did not")
                }
                (false, true) => format!("none of the loads at {asked} IOPS stayed within {limit}"),
                _ => format!(
                    "too few loads at {asked} IOPS were made to show whether they stay within {limit}"
                ),
            },
        };
        return Answer {
            outcome: Outcome::Inconclusive,
            headline: format!("inconclusive: cannot tell whether it sustains {asked} IOPS"),
            sentence: format!("Inconclusive{}. {}.", doubts_in_words(open), capital(&seen)),
        };
    }
    match search.carries_need {
        Some(true) if !is_too_slow => {
            let headroom = most.map(|most| 100.0 * (most / need - 1.0)).filter(|percent| *percent >= 1.0);
            let (at_least, which) = match (headroom, search.result.as_ref()) {
                (Some(percent), Some(result)) => {
                    let at_least = if is_bound(result) { "at least " } else { "" };
                    // As the rate itself: what is promised is rounded down.
                    let percent = format!("{at_least}{} % headroom", with_thousands(percent.floor()));
                    (
                        percent,
                        format!(
                            " ({at_least}{} IOPS stay within {limit}{})",
                            rate_in_words(result.held_iops),
                            on_device_in_words(result)
                        ),
                    )
                }
                _ => ("no headroom to speak of".to_owned(), String::new()),
            };
            Answer {
                outcome: Outcome::Qualified,
                headline: format!("sustains {asked} IOPS with {at_least}"),
                sentence: format!(
                    "Sustains the {asked} IOPS that are needed within {limit}, with {at_least}{which}{}{}.",
                    worst_in_words(verdict, &format!("at {asked} IOPS")),
                    caveats(bearing, &settled)
                ),
            }
        }
        Some(true) => Answer {
            outcome: Outcome::Inconclusive,
            headline: format!("inconclusive: cannot tell whether it sustains {asked} IOPS"),
            sentence: format!(
                "Inconclusive: most loads at {asked} IOPS stayed within {limit}, but the long one did not{}.",
                worst_in_words(verdict, "of that load")
            ),
        },
        Some(false) => {
            let why = why_not.map_or_else(String::new, |why| format!(": {why}"));
            let instead = match most {
                Some(most) => format!("; {} IOPS of this mix do", rate_in_words(most)),
                None => "; none of the rates that were tried does".to_owned(),
            };
            Answer {
                outcome: Outcome::NotQualified,
                headline: format!("does not sustain {asked} IOPS"),
                sentence: format!(
                    "Does not sustain the {asked} IOPS that are needed within {limit}{why}{instead}{}.",
                    caveats(bearing, &[])
                ),
            }
        }
        None if search.time_ran_out => Answer {
            outcome: Outcome::Inconclusive,
            headline: format!("inconclusive: cannot tell whether it sustains {asked} IOPS: the time ran out"),
            sentence: format!(
                "Inconclusive: the time ran out before enough loads at {asked} IOPS showed whether they stay within {limit} ({}).",
                known_so_far(search)
            ),
        },
        None => {
            let held = at_need(search, need).filter(|probe| probe.held == Some(true)).count();
            let failed = at_need(search, need).filter(|probe| probe.held != Some(true));
            let doubts = Doubts::of_all(failed.map(|probe| &probe.doubts));
            let why =
                if doubts.is_empty() { String::new() } else { format!(", but {} there", doubts.in_words()) };
            Answer {
                outcome: Outcome::Inconclusive,
                headline: format!("inconclusive: cannot tell whether it sustains {asked} IOPS"),
                sentence: format!(
                    "Inconclusive: of {} loads at {asked} IOPS {held} stayed within {limit}, and the others did not{why}.",
                    at_need(search, need).count()
                ),
            }
        }
    }
}

/// Which rate is the highest.
fn of_highest(search: &Search, findings: &[Finding], bearing: &Bearing, verdict: &Verdict) -> Answer {
    let limit = search.shown_limit().in_words();
    let Some(result) = search.result.as_ref() else {
        let missed = findings.iter().find(|finding| finding.id == FindingId::LatencyLimitMissed);
        let is_device = bearing.doubts.is_empty() && missed.is_some();
        let tried = known_so_far(search);
        // What failed was faster than what could not be judged, so that it says nothing of slower loads.
        if search.probes.iter().any(Probe::is_undecided) {
            return Answer {
                outcome: Outcome::Inconclusive,
                headline: "inconclusive: too few I/Os to judge a lower rate".to_owned(),
                sentence: format!(
                    "Inconclusive{}. At lower rates too few I/Os finished to judge them by {limit} ({tried}).",
                    doubts_in_words(&bearing.doubts)
                ),
            };
        }
        // Where the search came down to the lowest rate, nothing of the time that was left would have helped.
        return match missed.filter(|_| is_device && !search.time_ran_out) {
            Some(missed) => Answer {
                outcome: Outcome::NotQualified,
                headline: format!("no rate stays within {limit}"),
                sentence: format!("Not qualified: {}.", missed.message),
            },
            None if missed.is_some() && !search.time_ran_out => Answer {
                outcome: Outcome::Inconclusive,
                headline: format!(
                    "inconclusive: no rate stayed within {limit}, but the device may not be the only cause"
                ),
                sentence: format!(
                    "Inconclusive{}. None of the rates that were tried stayed within {limit} ({tried}).",
                    doubts_in_words(&bearing.doubts)
                ),
            },
            None if search.time_ran_out => Answer {
                outcome: Outcome::Inconclusive,
                headline: "inconclusive: the time ran out before a longer run confirmed a rate".to_owned(),
                sentence: format!(
                    "Inconclusive: the time of the search ran out before a longer run confirmed a rate within {limit} ({tried}){}.",
                    doubts_in_words(&bearing.doubts)
                ),
            },
            None => Answer {
                outcome: Outcome::Inconclusive,
                headline: "inconclusive: loads at similar rates contradict each other".to_owned(),
                sentence: format!(
                    "Inconclusive: loads at similar rates contradict each other, so the highest rate within {limit} is not known ({tried}){}.",
                    doubts_in_words(&bearing.doubts)
                ),
            },
        };
    };
    let at_least = if is_bound(result) { "at least " } else { "" };
    let iops = rate_in_words(result.held_iops);
    let unit = if result.device_iops.is_some() { "I/Os and commits a second" } else { "IOPS" };
    let split = result.read_iops.zip(result.write_iops).map_or_else(String::new, |(read, write)| {
        let writes = if result.device_iops.is_some() { "writes and commits" } else { "writes a second" };
        let (read, write) = (rate_in_words(read), rate_in_words(write));
        format!(" ({read} reads and {write} {writes}{})", on_device_in_words(result))
    });
    let above = match (result.not_held_iops, result.not_held_doubts.is_empty()) {
        (None, _) if search.time_ran_out => "; there was no time to try higher rates".to_owned(),
        (None, _) if was_tried_above(search, result.held_iops) => failed_above(search, result.held_iops)
            .map_or_else(
                || "; too few loads were made at higher rates to tell".to_owned(),
                |failed| {
                    format!("; a load at {} did not pass, but that alone is no proof", rate_in_words(failed))
                },
            ),
        (None, _) => "; no rate above that of the closed load was tried".to_owned(),
        (Some(_), false) => {
            format!("; loads at higher rates failed while {}", result.not_held_doubts.in_words())
        }
        (Some(above), true) => {
            let why = why_not_above(search, result).map_or_else(String::new, |why| format!(": {why}"));
            format!("; {} do not{why}", rate_in_words(above))
        }
    };
    let saturation = saturation_in_words(search);
    if let Some(Against { words: against, .. }) = bearing.against.first() {
        return Answer {
            outcome: Outcome::NotQualified,
            headline: format!("{at_least}{iops} {unit} within {limit}, but not qualified"),
            sentence: format!(
                "Not qualified: {against}. The loads up to {iops} {unit} stayed within {limit}."
            ),
        };
    }
    if !bearing.doubts.is_empty() {
        return Answer {
            outcome: Outcome::Inconclusive,
            headline: format!(
                "inconclusive: {iops} {unit} stayed within {limit}, but the figures are in doubt"
            ),
            sentence: format!(
                "Inconclusive{}. {iops} {unit} of this mix{split} stayed within {limit}{above}.{saturation}",
                doubts_in_words(&bearing.doubts)
            ),
        };
    }
    Answer {
        outcome: Outcome::Qualified,
        headline: format!("sustains {at_least}{iops} {unit} within {limit}"),
        sentence: format!(
            "Sustains {at_least}{iops} {unit} of this mix{split} within {limit}{above}{}{}.{saturation}",
            worst_in_words(verdict, "at that rate"),
            caveats(bearing, &[])
        ),
    }
}

/// Whether a load was made at a clearly higher rate than the one that holds.
pub fn was_tried_above(search: &Search, held_iops: f64) -> bool {
    search.probes.iter().any(|probe| probe.asked_iops.is_some_and(|asked| asked > held_iops * 1.001))
}

/// The lowest rate clearly above the one that holds at which a load did not, though not surely enough to be the answer.
pub fn failed_above(search: &Search, held_iops: f64) -> Option<f64> {
    let failed = search.probes.iter().filter(|probe| probe.held == Some(false) && probe.doubts.is_empty());
    failed.filter_map(|probe| probe.asked_iops).filter(|iops| *iops > held_iops * 1.001).reduce(f64::min)
}

/// What the device did at the rate that holds, where that is less than what counts.
fn on_device_in_words(result: &SearchResult) -> String {
    result.device_iops.map_or_else(String::new, |iops| {
        format!("; {} IOPS on the device, because commits share log writes", rate_in_words(iops))
    })
}

/// Why the next rate above did not hold.
fn why_not_above<'s>(search: &'s Search, result: &SearchResult) -> Option<&'s str> {
    let failed = search.probes.iter().filter(|probe| probe.held == Some(false) && probe.doubts.is_empty());
    let above = failed.filter_map(|probe| Some((probe.asked_iops?, probe.why_not.as_deref()?)));
    let nearest = above.filter(|(iops, _)| *iops > result.held_iops).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, why)| why)
}

/// Whether the device itself may carry more.
fn is_bound(result: &SearchResult) -> bool {
    result.not_held_iops.is_none() || !result.not_held_doubts.is_empty()
}

/// The loads at the needed rate.
fn at_need(search: &Search, need: f64) -> impl Iterator<Item = &Probe> {
    search.probes.iter().filter(move |probe| probe.asked_iops.is_some_and(|iops| near(iops, need)))
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

/// `place` says which load or rate it is the worst of.
fn worst_in_words(verdict: &Verdict, place: &str) -> String {
    judgement::by_weight(&verdict.judged).first().map_or_else(String::new, |worst| {
        let (streams, shown, category) = (worst.stream_words(), &worst.shown, worst.category);
        format!(
            "; the worst figure {place} is the {} of {streams}, {shown} (rated {category} by `{}`)",
            worst.statistic, verdict.thresholds
        )
    })
}

/// What to keep in mind; `settled` doubts cannot have made the storage look better.
fn caveats(bearing: &Bearing, settled: &[&Doubt]) -> String {
    let caveats = match bearing.caveats.as_slice() {
        [] => String::new(),
        some => format!("; measured {}", enumerate(some)),
    };
    // A sentence of its own: a short run, which is a caveat, may have made the storage look faster.
    let settled: Vec<String> = settled.iter().map(|doubt| doubt.words.clone()).collect();
    match settled.is_empty() {
        true => caveats,
        false => {
            format!("{caveats}. Also, {}, which can only make the storage look slower", enumerate(&settled))
        }
    }
}

fn doubts_in_words<'d>(doubts: impl IntoIterator<Item = &'d Doubt>) -> String {
    let words: Vec<String> = doubts.into_iter().map(|doubt| doubt.words.clone()).collect();
    if words.is_empty() { String::new() } else { format!(": {}", joined(&words)) }
}

/// Whether a doubt leaves the answer about a needed rate as it is.
///
/// A generator that is late makes latencies longer and rates lower than the device's, so that a rate that it carries even then is carried.
/// That it is not carried was decided by loads without such doubts; the one that is kept as the record need not be among them.
fn is_settled(doubt: &Doubt, carries_need: Option<bool>) -> bool {
    let Some(id) = doubt.finding else { return false };
    match carries_need {
        Some(true) => matches!(id, FindingId::GeneratorBusy | FindingId::LateIssues),
        Some(false) => matches!(
            id,
            FindingId::GeneratorBusy
                | FindingId::LateIssues
                | FindingId::ForeignLoad
                | FindingId::LatencyLimitMissed
        ),
        None => false,
    }
}

/// Throughput at saturation, with a latency that only says how many I/Os were outstanding.
fn saturation_in_words(search: &Search) -> String {
    let saturation = |probe: &&Probe| is_saturation_of_mix(search, probe) && probe.iops > 0.0;
    search.probes.iter().find(saturation).map_or_else(String::new, |probe| {
        let latency = probe.lat_mean_us.map(|us| format!(" at {} mean", latency_in_words(us)));
        format!(" At saturation: {} IOPS{}.", rate_in_words(probe.iops), latency.unwrap_or_default())
    })
}

/// A rate to three digits, rounded down: a search is exact to a few percent, and more digits would claim more.
pub fn rate_in_words(iops: f64) -> String {
    if iops < 1.0 {
        return with_thousands(iops);
    }
    let unit = 10f64.powf((iops.log10().floor() - 2.0).max(0.0));
    let digits = (iops / unit + 1e-9).floor() * unit;
    with_thousands(digits)
}

/// What the loads of a search have shown so far.
pub fn known_so_far(search: &Search) -> String {
    let rates = |held: bool| {
        let of = search.probes.iter().filter(move |probe| probe.held == Some(held));
        of.filter_map(|probe| probe.asked_iops)
    };
    // As the list of loads has them: only a rate that is claimed is rounded down.
    let held = rates(true).reduce(f64::max).map(with_thousands);
    let failed = rates(false).reduce(f64::min).map(with_thousands);
    match (held, failed) {
        (None, None) => "no rate was tried yet".to_owned(),
        (Some(held), None) => format!("up to {held} IOPS passed"),
        (None, Some(failed)) => format!("{failed} IOPS did not pass"),
        // Chance may let a rate pass and fail a lower one.
        (Some(held), Some(failed)) => {
            format!("a load at {held} IOPS passed, and one at {failed} IOPS did not")
        }
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::Role;
    use iotrial_model::plan::EngineKind;
    use iotrial_model::record::{Ended, RunRecord};
    use iotrial_model::search::WorstLatency;
    use iotrial_model::stream::Stream;

    use super::*;
    use crate::test_record::{healthy, measured};
    use crate::threshold::ThresholdSet;
    use crate::verdict::judge;

    /// A search that found 112,000 IOPS, or came no further than one load.
    fn with_search(mut record: RunRecord, has_result: bool) -> RunRecord {
        let worst = WorstLatency {
            role: Role::Data,
            stream: Stream::Read,
            statistic: Some("p99".to_owned()),
            latency_us: 1_900.0,
            limit_us: Some(2_000.0),
        };
        let probe = Probe {
            kind: ProbeKind::Confirmation,
            share: Some(0.7),
            asked_iops: Some(112_000.0),
            iops: 112_010.0,
            lat_mean_us: Some(500.0),
            duration: std::time::Duration::from_secs(30),
            worst: Some(worst.clone()),
            held: Some(has_result),
            why_not: (!has_result).then(|| "p99 of data reads is 2.31 ms".to_owned()),
            doubts: Doubts::default(),
        };
        let result = has_result.then(|| SearchResult {
            held_iops: 112_000.0,
            device_iops: None,
            read_iops: Some(80_000.0),
            write_iops: Some(32_000.0),
            confidence_percent: Some(97.0),
            not_held_iops: Some(117_600.0),
            worst,
            not_held_doubts: Doubts::default(),
            job_rates: Vec::new(),
        });
        record.search = Some(Search {
            limit: SearchLimit::Thresholds("flash".to_owned()),
            limit_differs: false,
            need: None,
            probes: vec![probe],
            carries_need: None,
            result,
            time_ran_out: false,
        });
        record
    }

    fn needing(iops: &str, carries: Option<bool>) -> RunRecord {
        let mut record = with_search(healthy(), true);
        let search = record.search.as_mut().unwrap();
        search.need = Some(iops.parse().unwrap());
        search.carries_need = carries;
        let need = search.need.as_ref().unwrap().total_iops();
        search.probes[0].asked_iops = Some(need);
        if carries == Some(false) {
            search.probes[0].held = Some(false);
            search.probes[0].why_not = Some("p99 of data reads is 31.0 ms (limit 10.0 ms)".to_owned());
        }
        record
    }

    fn verdict(record: &RunRecord) -> Verdict {
        let subject = Subject::of_run(record);
        judge(&subject, &crate::findings::findings(&subject), &ThresholdSet::builtin("flash").unwrap())
    }

    #[test]
    fn the_highest_rate_comes_first_with_what_is_above_it_and_the_worst_figure_there() {
        let found = verdict(&with_search(healthy(), true));
        assert_eq!(
            found.sentence,
            "Sustains 112,000 IOPS of this mix (80,000 reads and 32,000 writes a second) within the limits of `flash`; 117,000 do not; the worst figure at that rate is the mean of data reads, 0.5 ms (rated good by `flash`)."
        );
        assert_eq!(found.outcome, Outcome::Qualified);
        assert_eq!(found.headline.as_deref(), Some("sustains 112,000 IOPS within the limits of `flash`"));
    }

    #[test]
    fn a_need_is_carried_with_its_headroom_or_it_is_not_and_the_reason_stands_there() {
        let found = verdict(&needing("100000iops", Some(true)));
        assert_eq!(found.outcome, Outcome::Qualified);
        assert_eq!(found.headline.as_deref(), Some("sustains 100,000 IOPS with 12 % headroom"));
        let found = verdict(&needing("5000iops", Some(true)));
        assert_eq!(found.headline.as_deref(), Some("sustains 5,000 IOPS with 2,140 % headroom"));
        let found = verdict(&needing("200000iops", Some(false)));
        assert_eq!(found.outcome, Outcome::NotQualified);
        assert_eq!(
            found.sentence,
            "Does not sustain the 200,000 IOPS that are needed within the limits of `flash`: p99 of data reads is 31.0 ms (limit 10.0 ms); 112,000 IOPS of this mix do."
        );
        let open = verdict(&needing("112000iops", None));
        assert_eq!(open.outcome, Outcome::Inconclusive);
        assert!(open.advice.is_some());
    }

    #[test]
    fn a_search_that_the_device_ended_advises_nothing_about_other_work_on_it() {
        let mut record = with_search(healthy(), false);
        // Counters that were read when it was gone show more than was issued.
        record.devices[0].write_bytes *= 11;
        let advice = |record: &RunRecord| verdict(record).advice.unwrap();
        let beside_others = advice(&record);
        record.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".to_owned()) };
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert_ne!(advice(&record), beside_others);
        assert!(advice(&record).is_to_change_something() && advice(&record).duration.is_none());
    }

    #[test]
    fn a_generator_short_of_cpu_leaves_the_answer_about_a_need_as_it_is_and_that_about_the_highest_rate_open()
    {
        let busy = |mut record: RunRecord| {
            record.cpu.as_mut().unwrap().busiest_thread_s = record.cpu.as_ref().map(|_| 899.0);
            assert!(
                crate::findings::findings(&Subject::of_run(&record))
                    .iter()
                    .any(|one| one.id == FindingId::GeneratorBusy)
            );
            verdict(&record)
        };
        let carried = busy(needing("100000iops", Some(true)));
        assert_eq!(carried.outcome, Outcome::Qualified);
        assert!(
            carried.sentence.ends_with(
                ". Also, the generator was short of CPU, which can only make the storage look slower."
            ),
            "{}",
            carried.sentence
        );
        // The loads that decided this had no doubt.
        assert_eq!(busy(needing("200000iops", Some(false))).outcome, Outcome::NotQualified);
        assert_eq!(busy(needing("112000iops", None)).outcome, Outcome::Inconclusive);
        assert_eq!(busy(with_search(healthy(), true)).outcome, Outcome::Inconclusive);
    }

    #[test]
    fn loads_at_a_need_that_were_too_slow_are_told_with_what_slowed_the_generator() {
        let search = needing("100000iops", Some(true)).search;
        let mut slow = RunRecord { search, ..measured(300, |_| 2_000) };
        slow.cpu.as_mut().unwrap().busiest_thread_s = Some(899.0);
        let found = verdict(&slow);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert_eq!(
            found.sentence,
            "Inconclusive: the generator was short of CPU. Most loads at 100,000 IOPS stayed within the limits of `flash`, but the long one did not; the worst figure of that load is the mean of data reads, 4 ms (rated poor by `flash`)."
        );
        let mut apart = needing("100000iops", None);
        let probes = &mut apart.search.as_mut().unwrap().probes;
        let mut failed = probes[0].clone();
        failed.held = Some(false);
        failed.doubts = [FindingId::LateIssues].into_iter().collect();
        probes.push(failed);
        assert_eq!(
            verdict(&apart).sentence,
            "Inconclusive: of 2 loads at 100,000 IOPS 1 stayed within the limits of `flash`, and the others did not, but I/Os were issued late there."
        );
    }

    #[test]
    fn capacity_has_the_headroom_of_a_need_and_a_missing_end_makes_it_a_bound() {
        let record = needing("100000iops", Some(true));
        let capacity = Capacity::of(&Subject::of_run(&record)).unwrap();
        assert!((capacity.headroom_percent.unwrap() - 12.0).abs() < 1e-9);
        assert!(!capacity.is_lower_bound);
        let mut record = with_search(healthy(), true);
        record.search.as_mut().unwrap().result.as_mut().unwrap().not_held_iops = None;
        assert!(Capacity::of(&Subject::of_run(&record)).unwrap().is_lower_bound);
        assert!(verdict(&record).headline.unwrap().contains("at least 112,000 IOPS"));
    }

    #[test]
    fn a_simulated_device_has_a_rate_and_is_of_no_storage() {
        let mut record = with_search(healthy(), true);
        record.plan.engine = EngineKind::Sim;
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert!(
            found.sentence.starts_with("Inconclusive: the device was simulated. 112,000 IOPS of this mix"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn no_rate_is_a_no_and_failed_ios_are_one_too() {
        let missed = verdict(&with_search(measured(60, |_| 1_000), false));
        assert_eq!(missed.outcome, Outcome::NotQualified);
        assert_eq!(missed.headline.unwrap(), "no rate stays within the limits of `flash`");
        let mut record = with_search(healthy(), true);
        record.jobs[0].read.as_mut().unwrap().error_count = 3;
        let failed = verdict(&record);
        assert_eq!(failed.outcome, Outcome::NotQualified);
        assert!(
            failed.sentence.starts_with("Not qualified: 3 of 5,400,003 I/Os failed"),
            "{}",
            failed.sentence
        );
    }

    #[test]
    fn a_search_whose_time_was_over_says_so_and_what_was_found_by_then_is_a_bound() {
        let mut record = with_search(healthy(), true);
        let search = record.search.as_mut().unwrap();
        search.time_ran_out = true;
        search.result.as_mut().unwrap().not_held_iops = None;
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Qualified);
        assert!(
            found.sentence.starts_with("Sustains at least 112,000 IOPS")
                && found.sentence.contains("there was no time to try higher rates"),
            "{}",
            found.sentence
        );
        record.search.as_mut().unwrap().result = None;
        let none = verdict(&record);
        assert_eq!(none.outcome, Outcome::Inconclusive);
        assert!(none.sentence.contains("the time of the search ran out"), "{}", none.sentence);
        assert_eq!(none.advice.unwrap().duration, Some(Duration::from_secs(60)));
        let mut needing = needing("100000iops", None);
        needing.search.as_mut().unwrap().time_ran_out = true;
        let open = verdict(&needing);
        assert_eq!(open.outcome, Outcome::Inconclusive);
        assert!(open.sentence.contains("the time ran out before enough loads"), "{}", open.sentence);
    }

    #[test]
    fn an_interrupted_search_says_so_and_does_not_claim_that_there_is_no_rate() {
        let mut record = with_search(healthy(), false);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("stopped by the user".to_owned()) };
        let stopped = verdict(&record);
        assert_eq!(
            stopped.sentence,
            "The search for the highest rate within the limits of `flash` was interrupted before it had an answer: 112,000 IOPS did not pass."
        );
        assert_eq!(stopped.outcome, Outcome::Inconclusive);
        assert!(
            stopped.reasons.iter().all(|reason| !reason.contains("no rate stays")),
            "{:?}",
            stopped.reasons
        );
    }

    #[test]
    fn a_rate_has_three_digits_and_is_never_rounded_up() {
        for (iops, text) in [
            (41_297.0, "41,200"),
            (999.9, "999"),
            (1_000.0, "1,000"),
            (158_285.3, "158,000"),
            (7.6, "7"),
            (0.4, "0"),
        ] {
            assert_eq!(rate_in_words(iops), text);
        }
    }
}
