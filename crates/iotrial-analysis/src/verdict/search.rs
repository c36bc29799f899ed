//! The verdict of a search for the highest rate within a latency limit: the question asked comes first.

use iotrial_model::finding::Finding;
use iotrial_model::latency_limit::LatencyLimit;
use iotrial_model::record::EndedHow;
use iotrial_model::search::Search;
use iotrial_model::subject::Subject;
use serde::Serialize;

use super::{Judged, Verdict, is_obstacle};
use crate::judgement;
use crate::words::with_thousands;

/// Which rate holds a latency limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LimitAnswer {
    /// What was asked.
    pub limit: LatencyLimit,
    /// Whether a rate was found that holds it, and nothing forbids to rely on that. It may be that of a simulated device.
    pub held: bool,
    /// The highest rate that holds it; `None` where none does, and where the search did not come to its end.
    pub held_iops: Option<f64>,
    /// The lowest rate above it that does not.
    pub not_held_iops: Option<f64>,
    /// The answer in a few words.
    #[serde(skip)]
    pub headline: String,
}

/// The verdict of a search: its answer first, and then what the thresholds say of the latencies there.
pub(super) fn answered(
    search: &Search,
    subject: &Subject<'_>,
    no_device: Option<&str>,
    findings: &[Finding],
    caveats: &str,
    verdict: Verdict,
) -> Verdict {
    let limit = search.limit;
    let obstacle = findings.iter().find(|finding| is_obstacle(finding));
    let result = search.result.as_ref();
    let held = result.is_some() && obstacle.is_none();
    let how = subject.ended.map_or(EndedHow::Complete, |ended| ended.how);
    let (headline, sentence) = match result {
        _ if how != EndedHow::Complete => {
            let ended = if how == EndedHow::Failed { "failed" } else { "was interrupted" };
            let known = known_so_far(search);
            let sentence = format!(
                "The search for the highest rate that holds {limit} {ended} before it had an answer: {known}."
            );
            (format!("search {ended}"), sentence)
        }
        None => (format!("no rate holds {limit}"), verdict.sentence.clone()),
        Some(result) => {
            let iops = with_thousands(result.held_iops);
            let not = result.not_held_iops.map_or_else(
                || ", the most that the load reaches".to_owned(),
                |not_held| format!(", and {} do not", with_thousands(not_held)),
            );
            let worst = judgement::by_weight(&verdict.judged).first().copied();
            let rest = match (no_device, obstacle, worst) {
                (_, Some(obstacle), _) => obstacle.message.clone(),
                (Some(no_device), ..) => no_device.to_owned(),
                (None, None, None) => format!("{} judges nothing of what it does", verdict.thresholds),
                (None, None, Some(worst)) => {
                    let Judged { statistic, category, shown, .. } = worst;
                    let streams = worst.stream_words();
                    format!(
                        "by {} that is {category}: {streams} have a {statistic} of {shown}",
                        verdict.thresholds
                    )
                }
            };
            let measured = if caveats.is_empty() { String::new() } else { format!("; measured {caveats}") };
            (format!("{iops} IOPS hold {limit}"), format!("{iops} IOPS hold {limit}{not}; {rest}{measured}."))
        }
    };
    let reasons = verdict.reasons.into_iter().filter(|reason| !sentence.contains(reason.as_str())).collect();
    let answer = LimitAnswer {
        limit,
        held,
        held_iops: result.map(|result| result.held_iops),
        not_held_iops: result.and_then(|result| result.not_held_iops),
        headline,
    };
    let qualified = held && no_device.is_none();
    Verdict { qualified, sentence, reasons, latency_limit: Some(answer), ..verdict }
}

/// What a search that was ended has shown.
pub fn known_so_far(search: &Search) -> String {
    let rates = |held: bool| {
        let of = search.probes.iter().filter(move |probe| probe.held == Some(held));
        of.filter_map(|probe| probe.asked_iops)
    };
    let [held, failed] =
        [rates(true).reduce(f64::max), rates(false).reduce(f64::min)].map(|iops| iops.map(with_thousands));
    match (held, failed) {
        (None, None) => "no rate was tried yet".to_owned(),
        (Some(held), None) => format!("{held} IOPS held so far"),
        (None, Some(failed)) => format!("{failed} IOPS did not hold"),
        (Some(held), Some(failed)) => format!("{held} IOPS held so far, {failed} did not"),
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::Doubts;
    use iotrial_model::load::Role;
    use iotrial_model::plan::EngineKind;
    use iotrial_model::record::{Ended, RunRecord};
    use iotrial_model::search::{Probe, ProbeKind, SearchResult, WorstLatency};
    use iotrial_model::stream::Stream;

    use super::*;
    use crate::test_record::{healthy, measured};
    use crate::threshold::ThresholdSet;
    use crate::verdict::judge;

    /// A search that found 112,000 IOPS, or came no further than one probe.
    fn with_search(mut record: RunRecord, has_result: bool) -> RunRecord {
        let worst = WorstLatency { role: Role::Data, stream: Stream::Read, latency_us: 1_900.0 };
        let probe = Probe {
            kind: ProbeKind::Probe,
            share: Some(0.7),
            asked_iops: Some(112_000.0),
            iops: 112_010.0,
            duration: std::time::Duration::from_secs(3),
            worst: Some(worst.clone()),
            held: Some(has_result),
            why_not: (!has_result).then(|| "p99 of data reads is 2.31 ms".to_owned()),
            doubts: Doubts::default(),
        };
        let result = has_result.then(|| SearchResult {
            held_iops: 112_000.0,
            not_held_iops: Some(117_600.0),
            worst,
            not_held_doubts: Doubts::default(),
            job_rates: Vec::new(),
        });
        record.search = Some(Search { limit: "2ms@p99".parse().unwrap(), probes: vec![probe], result });
        record
    }

    fn verdict(record: &RunRecord) -> Verdict {
        let subject = Subject::of_run(record);
        judge(&subject, &crate::findings::findings(&subject), &ThresholdSet::builtin("flash").unwrap())
    }

    #[test]
    fn the_rate_with_its_interval_comes_first_and_the_thresholds_second() {
        let found = verdict(&with_search(healthy(), true));
        assert_eq!(
            found.sentence,
            "112,000 IOPS hold 2ms@p99, and 117,600 do not; by flash that is good: data reads have a mean of 0.5 ms."
        );
        assert!(found.qualified && found.is_yes());
        assert_eq!(found.latency_limit.unwrap().headline, "112,000 IOPS hold 2ms@p99");
        // Slow by the thresholds is no worse an answer to this question.
        let slow = verdict(&with_search(measured(60, |_| 1_000), true));
        assert!(slow.is_yes() && slow.sentence.starts_with("112,000 IOPS hold 2ms@p99"), "{}", slow.sentence);
    }

    #[test]
    fn a_simulated_device_has_an_answer_and_is_not_qualified() {
        let mut record = with_search(healthy(), true);
        record.plan.engine = EngineKind::Sim;
        let found = verdict(&record);
        assert!(found.is_yes() && !found.qualified);
        assert!(
            found.sentence.ends_with("do not; the device was simulated, and none was measured."),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn no_rate_is_a_no_and_so_is_one_that_errors_cast_doubt_on() {
        let missed = verdict(&with_search(healthy(), false));
        assert!(!missed.is_yes());
        assert_eq!(missed.latency_limit.unwrap().headline, "no rate holds 2ms@p99");
        let mut record = with_search(healthy(), true);
        record.jobs[0].read.as_mut().unwrap().error_count = 3;
        let doubtful = verdict(&record);
        assert!(!doubtful.is_yes() && doubtful.sentence.contains("3 of 5,400,003 I/Os failed"));
    }

    #[test]
    fn an_interrupted_search_says_so_and_does_not_claim_that_there_is_no_rate() {
        let mut record = with_search(healthy(), false);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("stopped by the user".to_owned()) };
        let stopped = verdict(&record);
        assert_eq!(
            stopped.sentence,
            "The search for the highest rate that holds 2ms@p99 was interrupted before it had an answer: 112,000 IOPS did not hold."
        );
        assert!(!stopped.is_yes());
        assert!(
            stopped.reasons.iter().all(|reason| !reason.contains("no rate holds")),
            "{:?}",
            stopped.reasons
        );
    }
}
