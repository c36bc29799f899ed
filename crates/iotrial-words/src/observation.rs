//! What is said of counters of a system in use: observations, notes, and what held the load back.

use iotrial_model::load::Direction;
use iotrial_model::observation::{
    CounterNote, FlatIn, HeldBack, Observation, ObservationFacts, ObservationKind, ObservedDisks, Trend,
    TypicalLoad,
};
use iotrial_model::units::group_thousands;
use iotrial_model::words::{counted, enumerate, in_brief};
use serde::{Serialize, Serializer};

use crate::numbers::{latency_in_words, moment_in_words, rate_in_words, seconds_in_words, with_thousands};

/// One sentence without a full stop, with the numbers.
pub fn message(observation: &Observation) -> String {
    says(&observation.of, &observation.facts)
}

/// For `serialize_with`: observations in JSON.
pub fn in_json<S: Serializer>(observations: &[Observation], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct InJson<'o> {
        kind: ObservationKind,
        of: &'o ObservedDisks,
        message: String,
    }
    serializer.collect_seq(observations.iter().map(|one| InJson {
        kind: one.kind(),
        of: &one.of,
        message: message(one),
    }))
}

/// One sentence without a full stop.
fn says(of: &ObservedDisks, facts: &ObservationFacts) -> String {
    use ObservationFacts as Facts;
    let name = match of {
        ObservedDisks::Disk(name) => format!("`{name}`"),
        ObservedDisks::Stripe(names) => enumerate(names),
    };
    match facts {
        Facts::DiskGone { from_s, until_s, count } => {
            let from = moment_in_words(*from_s);
            let often = in_all(*count);
            match until_s {
                None => format!("{name} went away at {from} and did not come back{often}"),
                Some(until_s) => {
                    format!("{name} was not there from {from} to {}{often}", moment_in_words(*until_s))
                }
            }
        }
        Facts::DiskReplaced { at_s, count } => format!(
            "{name} was replaced by another disk, or its counters began anew, shortly before {}{}",
            moment_in_words(*at_s),
            in_all(*count)
        ),
        Facts::Saturated { pressed, usual } => format!(
            "{name} is saturated at about {} IOPS and {} MB/s: with {} instead of {} outstanding I/Os it does not get faster, and each I/O takes {} instead of {}",
            rate_in_words(pressed.iops),
            with_thousands(pressed.bytes_per_s / 1e6),
            with_thousands(pressed.outstanding),
            with_thousands(usual.outstanding),
            latency_in_words(pressed.latency_us),
            latency_in_words(usual.latency_us),
        ),
        Facts::Throttled { burst, plateau, flat, lasted_s, interval_count, count } => format!(
            "{name} did {} and then {} for {}{}, with more outstanding I/Os and a latency of {} instead of {}: burst credits or a cache were used up",
            rate(burst, *flat),
            rate(plateau, *flat),
            lasted_s.map_or_else(|| format!("{interval_count} intervals"), seconds_in_words),
            if *count == 1 { String::new() } else { format!(", {} times", count_in_words(*count)) },
            latency_in_words(plateau.latency_us),
            latency_in_words(burst.latency_us),
        ),
        Facts::SlowWithoutLoad { slow_us, interval_count, usual_us } => format!(
            "{name} took {} in {} intervals and {} in the others, although its load was not higher then: another load may share its disks or the cache of the array",
            latency_in_words(*slow_us),
            count_in_words(*interval_count),
            latency_in_words(*usual_us),
        ),
        Facts::SlowerAtSameLoad { slow, usual, trend: Some(trend) } => format!(
            "{name} became slower at the same load: an I/O took {} at first and {} at the end{}, at {} and then {} IOPS: the storage changed, not what was asked of it; another load may share its disks or the cache of the array",
            latency_in_words(usual.latency_us),
            latency_in_words(slow.latency_us),
            slope(trend),
            rate_in_words(usual.iops),
            rate_in_words(slow.iops),
        ),
        Facts::SlowerAtSameLoad { slow, usual, trend: None } => format!(
            "{name} takes {} instead of {} at the same {} IOPS, with {} instead of {} outstanding I/Os: it became slower, or it is at its limit; no interval shows a rate that follows the number of outstanding I/Os, so the counters do not tell which",
            latency_in_words(slow.latency_us),
            latency_in_words(usual.latency_us),
            rate_in_words(slow.iops),
            with_thousands(slow.outstanding),
            with_thousands(usual.outstanding),
        ),
        Facts::SlowerThanBaseline { direction, baseline_us, now_us, interval_count } => format!(
            "{} {name} take {} instead of {} under the same load as in the baseline ({} intervals): the storage changed, not what was asked of it",
            match direction {
                Some(Direction::Read) => "reads from",
                Some(Direction::Write) => "writes to",
                None => "reads and writes of",
            },
            latency_in_words(*now_us),
            latency_in_words(*baseline_us),
            count_in_words(*interval_count),
        ),
        Facts::BusyMember { member, iops, all_iops, member_count } => format!(
            "`{member}` does {} of the {} IOPS of {member_count} members, {:.0} % instead of {:.0} %: the load is not spread evenly, so `{member}` reaches its limit first",
            rate_in_words(*iops),
            rate_in_words(*all_iops),
            100.0 * iops / all_iops,
            100.0 / *member_count as f64
        ),
        Facts::SlowMember { member, latency_us, others_us } => format!(
            "`{member}` takes {} per I/O and the other members {}, under about the same load: each stripe waits for the slowest",
            latency_in_words(*latency_us),
            latency_in_words(*others_us)
        ),
    }
}

/// `, 3.60 ms more each hour`: in the longest unit of which the recording has two.
fn slope(trend: &Trend) -> String {
    let Trend { slope_us_per_s: Some(slope), span_s: Some(span_s) } = trend else { return String::new() };
    let units = [("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)];
    let (unit, seconds) =
        units.into_iter().find(|(_, seconds)| *span_s >= 2.0 * seconds).unwrap_or(("second", 1.0));
    format!(", {} more each {unit}", latency_in_words(slope * seconds))
}

fn count_in_words(count: usize) -> String {
    group_thousands(&count.to_string())
}

fn in_all(count: usize) -> String {
    if count == 1 { String::new() } else { format!("; {} times in all", count_in_words(count)) }
}

fn rate(load: &TypicalLoad, flat: FlatIn) -> String {
    match flat {
        FlatIn::Iops => format!("{} IOPS", rate_in_words(load.iops)),
        FlatIn::Bytes => format!("{} MB/s", with_thousands(load.bytes_per_s / 1e6)),
    }
}

/// What is to be known of counters, without a full stop.
pub fn counter_note(note: &CounterNote) -> String {
    match note {
        CounterNote::OfSource(words) => words.clone(),
        CounterNote::Gaps { count, total_s } => format!(
            "{} of {} in all, for which there are no counters",
            counted(*count as u64, "gap"),
            seconds_in_words(*total_s)
        ),
        CounterNote::ClockSetBack => {
            "the clock was set back during the recording; intervals count in the order of the file".to_owned()
        }
        CounterNote::LongIntervals { interval_s } => format!(
            "each interval is a mean over {}, so it hides shorter peaks",
            seconds_in_words(*interval_s)
        ),
        CounterNote::FewIos { disk, direction, busy_count, interval_count } => format!(
            "{} of {disk} are not judged: it did any in {busy_count} of {interval_count} intervals, and fewer than 1,000 in all",
            match direction {
                Some(Direction::Read) => "reads",
                Some(Direction::Write) => "writes",
                None => "reads and writes",
            }
        ),
    }
}

/// What a demand made of counters has to say of it, without a full stop.
pub fn held_back(why: &HeldBack) -> String {
    match why {
        HeldBack::AtLimit(one) => format!(
            "{}; this demand is only what the storage delivered, and the application wanted more",
            message(one)
        ),
        HeldBack::Slow { disks, set } => format!(
            "the latency of {} is beyond the limits of {}: on faster storage the demand would have been higher",
            in_brief(disks, 4, 3),
            set.as_deref().unwrap_or("the thresholds")
        ),
        HeldBack::DiskMissing(one) => {
            format!("{}; what was asked of it meanwhile is not known", message(one))
        }
    }
}

#[cfg(test)]
mod tests;
