//! In what the figures of a stated result contradict each other, as far as that bears on what is judged and compared.
//!
//! What was counted here cannot: rate and bytes are of the same I/Os. The audit has more checks; these are of the figures that
//! decide something, by the same tolerances, which follow from the digits in print.

use iotrial_model::finding::Contradiction;
use iotrial_model::imported::StatedStream;
use iotrial_model::range::{Range, edge_share};
use iotrial_model::stated_latency::{ContradictingParts, LAST_BUCKET_END_US};
use iotrial_model::subject::{Facts, Subject, SubjectRate};

/// All of them, rates first.
pub(crate) fn contradictions(subject: &Subject<'_>) -> Vec<Contradiction> {
    if subject.is_counted() {
        return Vec::new();
    }
    let mut all: Vec<Contradiction> = subject.rates().iter().filter_map(of_rates).collect();
    // Both directions of a total have the same one.
    all.dedup();
    all.extend(of_outstanding(subject));
    all.extend(subject.stated_streams().flat_map(|(name, stream)| of_latencies(subject, name, stream)));
    all
}

/// A load that keeps fewer of its I/Os outstanding than this share of them says nothing of which latency is right.
const FEW_SHARE: f64 = 0.5;

/// Whether rates and whole latencies are what the load keeps outstanding, as Little's law has it.
fn is_borne_out(subject: &Subject<'_>) -> bool {
    let Some(outstanding) = subject.offered_outstanding() else { return false };
    let all = outstanding as f64;
    in_flight(subject).is_some_and(|in_flight| {
        let edges = edge_share(subject.all_facts().iter().filter_map(|facts| Facts::stated(*facts)));
        in_flight.overlaps(Range { low: all * FEW_SHARE, high: all * (1.0 + edges) })
    })
}

/// Latencies that contradict each other: what is judged is one of them, or left out because of it.
fn of_latencies(subject: &Subject<'_>, name: &'static str, stated: &StatedStream) -> Vec<Contradiction> {
    let mut all = Vec::new();
    if let Some(ContradictingParts { total, parts, .. }) = stated.contradicting_parts() {
        all.push(Contradiction::LatencyParts {
            stream: name,
            total_us: total.value,
            parts_us: parts.middle(),
            is_total_borne_out: is_borne_out(subject),
        });
    }
    let spread = stated.distribution();
    if let Some(first) = spread.percentiles_us.iter().find(|one| one.is_clipped()) {
        let (percent, end_us) = (first.percent, LAST_BUCKET_END_US);
        all.push(Contradiction::ClippedPercentile { stream: name, percent, end_us });
    }
    if let Some((last, max)) = spread.percentile_beyond_longest() {
        all.push(Contradiction::PercentileBeyondLongest {
            stream: name,
            percent: last.percent,
            at_us: last.at.value,
            longest_us: max.value,
        });
    }
    if let Some((mean, extreme)) = stated.latency().mean_beyond_extremes() {
        let (mean_us, extreme_us) = (mean.value, extreme.value);
        all.push(Contradiction::MeanBeyondExtreme { stream: name, mean_us, extreme_us });
    }
    all
}

/// Rate times mean latency are the I/Os in flight (Little).
fn in_flight(subject: &Subject<'_>) -> Option<Range> {
    subject.all_facts().iter().try_fold(Range::exact(0.0), |sum, facts| {
        let stated = facts.stated()?;
        let latency = Range::of(stated.latency().mean_us?).scaled(1e-6);
        Some(sum + Range::of(stated.iops?) * latency)
    })
}

fn of_rates(rate: &SubjectRate<'_>) -> Option<Contradiction> {
    let found = rate.contradiction?;
    let stated = rate.facts.stated()?;
    let sizes = rate.configured_sizes?;
    Some(Contradiction::Rates {
        iops: stated.iops?.value,
        direction: (!rate.is_of_both).then_some(rate.direction),
        sizes_bytes: (sizes.low, sizes.high),
        mib_per_s: stated.bandwidth_mib_per_s?.value,
        is_in_mb_per_s: found.is_in_mb_per_s(),
    })
}

/// No load has more I/Os in flight than it keeps outstanding.
fn of_outstanding(subject: &Subject<'_>) -> Option<Contradiction> {
    let outstanding = subject.total_outstanding().filter(|count| *count > 0)? as f64;
    // One entry of fio may stand for several jobs and has the options of the first; reads that verify come after the writes.
    if subject.jobs.iter().any(|job| job.load.may_have_others() || job.load.verifies()) {
        return None;
    }
    let facts = subject.all_facts();
    let in_flight = in_flight(subject)?;
    let edges =
        edge_share(facts.iter().filter_map(|facts| Facts::stated(*facts))).max(subject.outstanding_slack());
    let in_flight = (in_flight.low, in_flight.high);
    (in_flight.0 > outstanding * (1.0 + edges))
        .then_some(Contradiction::Outstanding { in_flight, outstanding })
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::FindingId;
    use iotrial_model::imported::TablePlace;
    use iotrial_model::load::Direction;
    use iotrial_model::table::PublishedTable;
    use iotrial_model::verdict::{Caveat, DoubtKind};

    use super::*;
    use crate::findings::findings;
    use crate::threshold::ThresholdSet;
    use crate::verdict::{Basis, Outcome, judge};

    #[track_caller]
    fn check(figures: &str, is_found: bool, outcome: Outcome, [is_doubt, is_caveat]: [bool; 2]) {
        let text = format!(
            "format = \"iotrial.table/1\"\ntitle = \"T\"\nruntime_s = 300\n[[row]]\nid = \"A\"\nload = {{ read_percent = 100, block_size_bytes = 8192, outstanding = 64 }}\nread = {{ {figures} }}\n"
        );
        let records = PublishedTable::parse(&text).unwrap().records(&TablePlace::default());
        let subject = Subject::of_imported(&records[0]);
        let found = findings(&subject);
        let has_any = found.iter().any(|one| one.id == FindingId::ContradictoryFigures);
        assert_eq!(has_any, is_found, "{found:?}");
        let verdict = judge(&subject, &found, &ThresholdSet::builtin("oci-sqlserver").unwrap());
        assert_eq!(verdict.outcome, outcome, "{:?}", verdict.basis);
        let Basis::Run(ruling) = &verdict.basis else { panic!("{:?}", verdict.basis) };
        let doubts = ruling.doubts.iter().any(|doubt| doubt.kind == DoubtKind::Contradiction);
        let caveats = ruling.caveats.contains(&Caveat::Contradiction);
        assert_eq!([doubts, caveats], [is_doubt, is_caveat], "{ruling:?}");
    }

    #[test]
    fn a_latency_that_its_rate_contradicts_decides_nothing() {
        let figures = "iops = 64123, bandwidth_mib_per_s = 501, lat_mean_us = 998.1";
        check(figures, false, Outcome::Qualified, [false, false]);
        // 64,123 a second at 1.9 ms would be 122 in flight.
        check("iops = 64123, lat_mean_us = 1901.5", true, Outcome::Inconclusive, [true, false]);
    }

    #[test]
    fn rates_that_contradict_each_other_are_told_beside_the_verdict_on_latencies() {
        let figures = "iops = 64123, bandwidth_mib_per_s = 525.3, lat_mean_us = 998.1";
        check(figures, true, Outcome::Qualified, [false, true]);
    }

    #[test]
    fn rates_that_contradict_each_other_are_told_with_what_the_iops_would_make() {
        let text = "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\nload = { block_size_bytes = 8192 }\nread = { iops = 850000, bandwidth_mib_per_s = 6800 }\n";
        let records = PublishedTable::parse(text).unwrap().records(&TablePlace::default());
        let found = contradictions(&Subject::of_imported(&records[0]));
        let only = Contradiction::Rates {
            iops: 850_000.0,
            direction: Some(Direction::Read),
            sizes_bytes: (8_192.0, 8_192.0),
            mib_per_s: 6_800.0,
            is_in_mb_per_s: false,
        };
        assert_eq!(found, [only]);
    }
}
