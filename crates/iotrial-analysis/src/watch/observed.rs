//! Disks that went away, and what looks like a limit of the storage itself: saturation, throttling after a burst, slowness without load or
//! at the same load, members of a stripe set that do not do the same.

use std::collections::HashMap;

use iotrial_model::counters::{Absence, Counter, CounterSeries, DiskCounters};
use iotrial_model::observation::{FlatIn, Observation, ObservationFacts, ObservedDisks, Trend, TypicalLoad};

use super::baseline::BaselineAnswer;
use super::judged::RoleVerdict;
use super::spread::median;
use super::{LEAST_IOPS, Spread, iops_of, latency_us_of};

/// One interval of a disk in which it did something, and took a known time for it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    interval: usize,
    iops: f64,
    bytes_per_s: f64,
    latency_us: f64,
    outstanding: f64,
    /// From 0 to 1; `None` where the source does not count reads apart.
    read_share: Option<f64>,
}

/// All observations, the gravest first.
pub(super) fn observations(
    series: &CounterSeries,
    chosen: &[usize],
    stripes: &[Vec<usize>],
    verdicts: &[RoleVerdict],
    baseline: Option<&BaselineAnswer>,
) -> Vec<Observation> {
    let mut all = missing_disks(series, chosen, stripes);
    let limits_us = limits_us(verdicts);
    for at in chosen {
        let disk = &series.disks[*at];
        let moments = moments(series, disk);
        // A latency that rises at the same load looks as saturated as one that rises with the number in flight: time tells them apart.
        let pressure = slower_over_time(series, &moments).or_else(|| under_pressure(&moments));
        // Without a limit of its role nothing is slow; and what is saturated has its load as the reason.
        let limit_us = limits_us.get(disk.name.as_str()).filter(|_| pressure.is_none());
        let slow = limit_us.and_then(|limit_us| slow_without_load(&moments, *limit_us));
        let found = [pressure, throttled(series, &moments), slow];
        let of_disk = |facts| Observation { of: ObservedDisks::Disk(disk.name.clone()), facts };
        all.extend(found.into_iter().flatten().map(of_disk));
    }
    all.extend(baseline.into_iter().flat_map(BaselineAnswer::observations));
    for members in stripes {
        let names = members.iter().map(|at| series.disks[*at].name.clone()).collect();
        all.extend(
            imbalance(series, members).map(|facts| Observation { of: ObservedDisks::Stripe(names), facts }),
        );
    }
    all.sort_by_key(Observation::kind);
    all
}

/// The disks whose absence matters: all that somebody asked for, with the layers above them. Of all disks of a machine those that are looked
/// at and their fellows, because its loop devices and volumes come and go; all where none of them can be judged.
pub(super) fn watched(series: &CounterSeries, chosen: &[usize], stripes: &[Vec<usize>]) -> Vec<usize> {
    let mut watched: Vec<usize> = chosen.iter().chain(stripes.iter().flatten()).copied().collect();
    if watched.is_empty() || series.is_asked_for {
        watched = (0..series.disks.len()).collect();
    }
    watched.sort_unstable();
    watched.dedup();
    watched
}

/// Disks that were not there all the time, and those that are not the same as in the beginning.
fn missing_disks(series: &CounterSeries, chosen: &[usize], stripes: &[Vec<usize>]) -> Vec<Observation> {
    let mut all = Vec::new();
    for at in watched(series, chosen, stripes) {
        let DiskCounters { name, changes, .. } = &series.disks[at];
        // The last one, because it may not be over.
        let gone = changes.last_gone.map(|Absence { from_s, until_s }| ObservationFacts::DiskGone {
            from_s,
            until_s,
            count: changes.gone_count,
        });
        let replaced = changes
            .last_replaced_s
            .map(|at_s| ObservationFacts::DiskReplaced { at_s, count: changes.replaced_count });
        let of_disk = |facts| Observation { of: ObservedDisks::Disk(name.clone()), facts };
        all.extend([gone, replaced].into_iter().flatten().map(of_disk));
    }
    all
}

fn moments(series: &CounterSeries, disk: &DiskCounters) -> Vec<Moment> {
    let at = |interval: usize| {
        let iops = disk.iops(interval).filter(|iops| *iops >= LEAST_IOPS)?;
        Some(Moment {
            interval,
            iops,
            bytes_per_s: disk.bytes_per_s(interval)?,
            latency_us: latency_us_of(disk, interval, None)?,
            outstanding: disk.outstanding(interval)?,
            read_share: disk.at(Counter::ReadIops, interval).map(|reads| reads / iops),
        })
    };
    (0..series.interval_count).filter_map(at).collect()
}

/// The limit of each disk by its role, the lower one of both directions.
fn limits_us(verdicts: &[RoleVerdict]) -> HashMap<&str, f64> {
    let mut limits: HashMap<&str, f64> = HashMap::new();
    for judged in verdicts.iter().flat_map(|verdict| &verdict.judged) {
        let limit = limits.entry(&judged.disk).or_insert(judged.limit_us);
        *limit = limit.min(judged.limit_us);
    }
    limits
}

fn typical(moments: &[Moment], of: fn(&Moment) -> f64) -> f64 {
    median(moments.iter().map(of).collect()).unwrap_or(0.0)
}

fn typical_load(moments: &[Moment]) -> TypicalLoad {
    TypicalLoad {
        iops: typical(moments, |moment| moment.iops),
        bytes_per_s: typical(moments, |moment| moment.bytes_per_s),
        latency_us: typical(moments, |moment| moment.latency_us),
        outstanding: typical(moments, |moment| moment.outstanding),
    }
}

/// So few intervals may be chance.
const LEAST_MOMENTS: usize = 5;
/// Rates that are within this of each other are the same.
// Ten percent: production mixes change from one interval to the next, and a limit of a volume is held within a few percent.
const FLAT: f64 = 1.1;
/// Shares of the time, the most pressed first to be looked at: a day may have one hour of it.
const SHARES: [f64; 5] = [0.02, 0.05, 0.1, 0.2, 0.5];
/// A disk with fewer in flight is not pressed: one after the other is how a single thread works.
const LEAST_OUTSTANDING: f64 = 4.0;

/// Document 002: outstanding I/Os grow, latency grows with them, and throughput does not. The intervals with the most in flight are compared
/// with those that have a quarter to half as many. Neither I/Os nor bytes may grow, or larger I/Os alone would look like saturation; and
/// both may not fall, or something else slows the disk down.
fn more_in_flight_did_no_more(moments: &[Moment]) -> Option<(TypicalLoad, TypicalLoad)> {
    let mut sorted = moments.to_vec();
    sorted.sort_by(|one, other| other.outstanding.total_cmp(&one.outstanding));
    let mut best = None;
    for share in SHARES {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
        let count = (share * sorted.len() as f64) as usize;
        if count < LEAST_MOMENTS {
            continue;
        }
        let pressed = &sorted[..count];
        let outstanding = typical(pressed, |moment| moment.outstanding);
        let is_lower =
            |moment: &&Moment| (outstanding / 4.0..=outstanding / 2.0).contains(&moment.outstanding);
        let usual: Vec<Moment> = sorted.iter().filter(is_lower).copied().collect();
        if usual.len() < LEAST_MOMENTS || outstanding < LEAST_OUTSTANDING {
            continue;
        }
        let ratio =
            |of: fn(&Moment) -> f64| typical(pressed, of) / typical(&usual, of).max(f64::MIN_POSITIVE);
        let (iops, bytes) = (ratio(|moment| moment.iops), ratio(|moment| moment.bytes_per_s));
        let is_flat = iops <= FLAT && bytes <= FLAT && (iops >= 1.0 / FLAT || bytes >= 1.0 / FLAT);
        if is_flat && ratio(|moment| moment.latency_us) >= 1.5 {
            // The longest stretch of it that there is.
            best = Some((typical_load(pressed), typical_load(&usual)));
        }
    }
    best
}

/// More in flight that did no more is saturation where the rate once followed the number in flight. Without such a part, storage that
/// became slower looks the same.
fn under_pressure(moments: &[Moment]) -> Option<ObservationFacts> {
    let (pressed, usual) = more_in_flight_did_no_more(moments)?;
    let is_before_the_limit = |moment: &&Moment| {
        moment.outstanding <= usual.outstanding / FOLLOWED
            && moment.iops <= usual.iops / FOLLOWED
            && moment.bytes_per_s <= usual.bytes_per_s / FOLLOWED
            && moment.latency_us <= usual.latency_us
    };
    let is_proven = moments.iter().filter(is_before_the_limit).count() >= LEAST_MOMENTS;
    Some(if is_proven {
        ObservationFacts::Saturated { pressed, usual }
    } else {
        ObservationFacts::SlowerAtSameLoad { slow: pressed, usual, trend: None }
    })
}

/// A rate that is lower by so much with fewer in flight has followed them: twice what counts as the same, and more.
const FOLLOWED: f64 = 1.25;

/// Parts of a recording whose latencies are compared over time.
const PARTS: usize = 10;
/// Kendall's rank correlation of ten latencies with time, from which on they rise: one order of random ones in 3,000 has as much.
const LEAST_TAU: f64 = 0.8;

/// The latency rises over the recording, and the load does not.
fn slower_over_time(series: &CounterSeries, moments: &[Moment]) -> Option<ObservationFacts> {
    let count = moments.len();
    if count < PARTS * LEAST_MOMENTS {
        return None;
    }
    let parts: Vec<&[Moment]> =
        (0..PARTS).map(|at| &moments[at * count / PARTS..(at + 1) * count / PARTS]).collect();
    let latencies: Vec<f64> = parts.iter().map(|part| typical(part, |moment| moment.latency_us)).collect();
    let pairs: Vec<(usize, usize)> =
        (0..PARTS).flat_map(|one| (one + 1..PARTS).map(move |other| (one, other))).collect();
    let rises: i32 =
        pairs.iter().map(|(one, other)| latencies[*other].total_cmp(&latencies[*one]) as i32).sum();
    let (first, last) = (&moments[..count / 5], &moments[count - count / 5..]);
    let ratio = |of: fn(&Moment) -> f64| typical(last, of) / typical(first, of).max(f64::MIN_POSITIVE);
    let is_more = |of| ratio(of) > FLAT;
    let read_share = |part: &[Moment]| median(part.iter().filter_map(|moment| moment.read_share).collect());
    let is_other_mix =
        read_share(first).zip(read_share(last)).is_some_and(|(one, other)| (one - other).abs() > OTHER_MIX);
    if f64::from(rises) < LEAST_TAU * pairs.len() as f64
        || ratio(|moment| moment.latency_us) < 1.5
        || is_more(|moment| moment.iops)
        || is_more(|moment| moment.bytes_per_s)
        || is_more(|moment| moment.bytes_per_s / moment.iops)
        || is_other_mix
    {
        return None;
    }
    let seconds = series.times.seconds();
    let middles: Option<Vec<f64>> =
        parts.iter().map(|part| seconds.get(part[part.len() / 2].interval).copied()).collect();
    let slope = |middles: &Vec<f64>| {
        let slope = |(one, other): &(usize, usize)| {
            (latencies[*other] - latencies[*one]) / (middles[*other] - middles[*one])
        };
        median(pairs.iter().map(slope).filter(|slope| slope.is_finite()).collect())
    };
    let trend = Trend {
        slope_us_per_s: middles.as_ref().and_then(slope),
        span_s: middles.as_ref().map(|middles| middles[PARTS - 1] - middles[0]),
    };
    let (slow, usual) = (typical_load(last), typical_load(first));
    Some(ObservationFacts::SlowerAtSameLoad { slow, usual, trend: Some(trend) })
}

/// Writes and reads take different times: another mix is another load.
const OTHER_MIX: f64 = 0.1;

/// A burst is at least so many times the plateau that follows it.
const LEAST_BURST: f64 = 1.25;

/// A flat rate of IOPS or bytes, at least five intervals long, right after intervals with a clearly higher one; with more in flight and longer
/// latency than those, or the load simply became less.
fn throttled(series: &CounterSeries, moments: &[Moment]) -> Option<ObservationFacts> {
    let by_iops = plateaus(moments, |moment| moment.iops);
    let by_bytes = plateaus(moments, |moment| moment.bytes_per_s);
    let (plateaus, flat) =
        if by_iops.is_empty() { (by_bytes, FlatIn::Bytes) } else { (by_iops, FlatIn::Iops) };
    let (burst, plateau) = plateaus.first()?;
    let lasted_s = plateau
        .iter()
        .map(|moment| series.durations_s.get(moment.interval).copied().or(series.interval_s))
        .sum();
    Some(ObservationFacts::Throttled {
        burst: typical_load(burst),
        plateau: typical_load(plateau),
        flat,
        lasted_s,
        interval_count: plateau.len(),
        count: plateaus.len(),
    })
}

/// Each burst with the plateau after it.
fn plateaus(moments: &[Moment], rate: fn(&Moment) -> f64) -> Vec<(&[Moment], &[Moment])> {
    let mut found = Vec::new();
    let mut begin = 0;
    while begin < moments.len() {
        let (mut low, mut high) = (rate(&moments[begin]), rate(&moments[begin]));
        let mut end = begin + 1;
        while end < moments.len() && moments[end].interval == moments[end - 1].interval + 1 {
            let one = rate(&moments[end]);
            if high.max(one) > FLAT * low.min(one) {
                break;
            }
            (low, high) = (low.min(one), high.max(one));
            end += 1;
        }
        let plateau = &moments[begin..end];
        // The interval in which the change fell is neither: it is left out where it lies between the two.
        let before = &moments[..begin];
        let is_next = |moments: &[Moment], gap: usize| {
            moments.last().is_some_and(|last| last.interval + gap == plateau[0].interval)
        };
        let is_change = before.last().is_some_and(|last| rate(last) < LEAST_BURST * high);
        let burst = if is_change && before.len() > 1 { &before[..before.len() - 1] } else { before };
        let gap = 1 + before.len() - burst.len();
        // As long as what is above the plateau, up to its own length.
        let is_above = |moment: &&Moment| rate(moment) > LEAST_BURST * high;
        let length = burst.iter().rev().take(plateau.len()).take_while(is_above).count();
        let burst = &burst[burst.len() - length..];
        let is_worse =
            |of: fn(&Moment) -> f64, times: f64| typical(plateau, of) >= times * typical(burst, of);
        if plateau.len() >= LEAST_MOMENTS
            && burst.len() >= 2
            && is_next(burst, gap)
            && is_worse(|moment| moment.latency_us, 1.5)
            && is_worse(|moment| moment.outstanding, 1.0)
            && typical(plateau, |moment| moment.outstanding) >= LEAST_OUTSTANDING
        {
            found.push((burst, plateau));
        }
        begin = end;
    }
    found
}

/// Document 002: queue and latency above normal together, while there is less to do: a cache of the array that overflows, or disks that are
/// shared with somebody else.
fn slow_without_load(moments: &[Moment], limit_us: f64) -> Option<ObservationFacts> {
    let (slow, usual): (Vec<Moment>, Vec<Moment>) =
        moments.iter().partition(|moment| moment.latency_us >= limit_us);
    if slow.len() < LEAST_MOMENTS || usual.len() < LEAST_MOMENTS {
        return None;
    }
    let ratio = |of: fn(&Moment) -> f64| typical(&slow, of) / typical(&usual, of).max(f64::MIN_POSITIVE);
    let did_less = ratio(|moment| moment.iops) <= 1.0 && ratio(|moment| moment.bytes_per_s) <= 1.0;
    (did_less && ratio(|moment| moment.outstanding) >= 1.5).then(|| ObservationFacts::SlowWithoutLoad {
        slow_us: typical(&slow, |moment| moment.latency_us),
        interval_count: slow.len(),
        usual_us: typical(&usual, |moment| moment.latency_us),
    })
}

/// A member does so many times the mean of all, or takes so many times as long as the others.
const UNEVEN: f64 = 1.25;
const SLOW_MEMBER: f64 = 1.5;
/// Members that do less on average say nothing of how work is spread.
const LEAST_STRIPE_IOPS: f64 = 10.0;

fn imbalance(series: &CounterSeries, members: &[usize]) -> Option<ObservationFacts> {
    if members.len() < 2 {
        return None;
    }
    let of = |at: &usize| {
        let disk = &series.disks[*at];
        let iops = Spread::of(series, |interval| iops_of(disk, interval, None))?.mean;
        Some((disk.name.as_str(), iops, Spread::of_latency(series, disk, None).map(|latency| latency.mean)))
    };
    // All or none: a member that is not counted would look idle.
    let members: Vec<(&str, f64, Option<f64>)> = members.iter().map(of).collect::<Option<_>>()?;
    let count = members.len() as f64;
    let mean = members.iter().map(|(_, iops, _)| iops).sum::<f64>() / count;
    if mean * count < LEAST_STRIPE_IOPS {
        return None;
    }
    let (busiest, most, _) = members.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    if *most >= UNEVEN * mean {
        return Some(ObservationFacts::BusyMember {
            member: (*busiest).to_owned(),
            iops: *most,
            all_iops: mean * count,
            member_count: members.len(),
        });
    }
    let latencies: Option<Vec<(&str, f64)>> =
        members.iter().map(|(name, _, latency)| Some((*name, (*latency)?))).collect();
    let latencies = latencies?;
    let (slowest, longest) = latencies.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others =
        median(latencies.iter().filter(|(name, _)| name != slowest).map(|(_, latency)| *latency).collect())?;
    (*longest >= SLOW_MEMBER * others).then(|| ObservationFacts::SlowMember {
        member: (*slowest).to_owned(),
        latency_us: *longest,
        others_us: others,
    })
}

#[cfg(test)]
mod tests {
    use iotrial_model::observation::ObservationKind;

    use super::*;

    /// Intervals that follow one another, each the same: 8 KiB, so many outstanding, and a latency in ms.
    fn same(from: usize, count: usize, iops: f64, outstanding: f64, ms: f64) -> Vec<Moment> {
        let one = |interval: usize| Moment {
            interval,
            iops,
            bytes_per_s: 8_192.0 * iops,
            latency_us: 1e3 * ms,
            outstanding,
            read_share: None,
        };
        (from..from + count).map(one).collect()
    }

    /// Ten intervals under pressure after forty at the usual load, of which one thing is different.
    fn is_saturated(change: fn(&mut Moment), usual: fn(&mut Moment)) -> bool {
        let mut moments = same(0, 40, 1_000.0, 40.0, 15.0);
        moments.iter_mut().for_each(usual);
        let mut pressed = same(40, 10, 1_000.0, 100.0, 30.0);
        pressed.iter_mut().for_each(change);
        moments.extend(pressed);
        more_in_flight_did_no_more(&moments).is_some()
    }

    #[test]
    fn saturation_has_more_in_flight_and_longer_latency_and_the_same_rates() {
        let with = |change| is_saturated(change, |_| ());
        let of_usual = |usual| is_saturated(|_| (), usual);
        assert!(with(|_| ()));
        assert!(with(|one| one.iops = 1_099.0) && !with(|one| one.iops = 1_105.0));
        assert!(with(|one| one.bytes_per_s *= 1.099) && !with(|one| one.bytes_per_s *= 1.105));
        // One of both may become less, and not both: an eleventh.
        assert!(with(|one| one.iops *= 0.5) && with(|one| one.bytes_per_s *= 0.5));
        let both =
            |one: &mut Moment| (one.iops, one.bytes_per_s) = (0.905 * one.iops, 0.905 * one.bytes_per_s);
        assert!(!with(both));
        assert!(with(|one| (one.iops, one.bytes_per_s) = (0.5 * one.iops, 0.912 * one.bytes_per_s)));
        assert!(with(|one| (one.iops, one.bytes_per_s) = (0.912 * one.iops, 0.5 * one.bytes_per_s)));
        assert!(with(|one| one.latency_us = 22_500.0) && !with(|one| one.latency_us = 22_400.0));
        // A quarter to half as many in flight are usual.
        assert!(of_usual(|one| one.outstanding = 25.0) && !of_usual(|one| one.outstanding = 24.9));
        assert!(of_usual(|one| one.outstanding = 50.0) && !of_usual(|one| one.outstanding = 50.1));
        assert!(is_saturated(|one| one.outstanding = 4.0, |one| one.outstanding = 1.6));
        assert!(!is_saturated(|one| one.outstanding = 3.96, |one| one.outstanding = 1.6));
    }

    #[test]
    fn saturation_is_seen_in_five_intervals_and_beside_five_others() {
        let of = |pressed: usize, usual: usize| {
            let mut moments = same(0, usual, 1_000.0, 40.0, 15.0);
            moments.extend(same(usual, pressed, 1_000.0, 100.0, 30.0));
            more_in_flight_did_no_more(&moments).is_some()
        };
        assert!(of(5, 5) && !of(6, 4) && !of(4, 5));
    }

    /// Ten intervals with more in flight, forty usual ones, and some with fewer, each with so many I/Os and ms.
    fn kind_with(fewer: usize, iops: f64, outstanding: f64, ms: f64) -> ObservationKind {
        let mut moments = same(0, 40, 1_000.0, 40.0, 15.0);
        moments.extend(same(40, 10, 1_000.0, 100.0, 30.0));
        moments.extend(same(50, fewer, iops, outstanding, ms));
        under_pressure(&moments).unwrap().kind()
    }

    #[test]
    fn saturation_needs_a_part_in_which_the_rate_follows_the_number_in_flight() {
        let (proven, unproven) = (ObservationKind::Saturated, ObservationKind::SlowerAtSameLoad);
        assert_eq!(kind_with(5, 500.0, 5.0, 10.0), proven);
        assert_eq!(kind_with(4, 500.0, 5.0, 10.0), unproven);
        assert_eq!((kind_with(5, 800.0, 12.0, 15.0), kind_with(5, 801.0, 12.0, 15.0)), (proven, unproven));
        assert_eq!((kind_with(5, 800.0, 24.0, 15.0), kind_with(5, 500.0, 24.0, 15.1)), (proven, unproven));
    }

    /// Bursts and plateaus: how many, and where the first plateau begins.
    fn begins(moments: &[Moment]) -> Option<(usize, usize)> {
        let found = plateaus(moments, |moment| moment.iops);
        found.first().map(|(burst, plateau)| (burst.len(), plateau[0].interval))
    }

    /// Three intervals of a burst, and so many after them.
    fn burst_and(count: usize, change: impl Fn(&mut Moment)) -> Option<(usize, usize)> {
        let mut moments = same(0, 3, 3_000.0, 12.0, 4.0);
        let mut plateau = same(3, count, 500.0, 15.0, 30.0);
        plateau.iter_mut().for_each(change);
        moments.extend(plateau);
        begins(&moments)
    }

    #[test]
    fn a_plateau_lasts_for_five_intervals_and_waits_longer_than_its_burst() {
        assert_eq!((burst_and(5, |_| ()), burst_and(4, |_| ())), (Some((3, 3)), None));
        let with = |change: fn(&mut Moment)| burst_and(6, change).is_some();
        assert!(with(|one| one.iops = 2_390.0) && !with(|one| one.iops = 2_410.0));
        assert!(with(|one| one.latency_us = 6_000.0) && !with(|one| one.latency_us = 5_990.0));
        assert!(with(|one| one.outstanding = 12.0) && !with(|one| one.outstanding = 11.9));
        // It begins right after the burst, or after the interval of the change.
        assert!(!with(|one| one.interval += 1));
        let few = |outstanding: f64| {
            let mut moments = same(0, 3, 3_000.0, 3.0, 1.0);
            moments.extend(same(3, 6, 500.0, outstanding, 8.0));
            begins(&moments).is_some()
        };
        assert!(few(4.0) && !few(3.99));
    }

    #[test]
    fn a_burst_is_two_intervals_or_more_and_the_one_of_the_change_is_neither() {
        let of = |burst: usize, change: Option<f64>| {
            let mut moments = same(0, burst, 3_000.0, 12.0, 4.0);
            moments.extend(change.into_iter().flat_map(|iops| same(burst, 1, iops, 12.0, 20.0)));
            moments.extend(same(moments.len(), 6, 500.0, 15.0, 30.0));
            begins(&moments)
        };
        assert_eq!((of(1, None), of(2, None)), (None, Some((2, 2))));
        // What is a quarter above the plateau is still of the burst.
        assert_eq!(
            (of(2, Some(560.0)), of(2, Some(620.0)), of(2, Some(630.0))),
            (Some((2, 3)), Some((2, 3)), Some((3, 3)))
        );
        // As long as the plateau at most.
        assert_eq!(of(20, None), Some((6, 20)));
    }

    #[test]
    fn rates_within_a_tenth_of_each_other_are_one_plateau() {
        let of = |high: f64, at: usize| {
            burst_and(8, |one| {
                if one.interval == at {
                    one.iops = high
                }
            })
        };
        assert_eq!(of(549.0, 5), Some((3, 3)));
        // The three after it are too few, as are the ones before.
        assert_eq!(of(551.0, 6), None);
        // A rate that creeps away from the first one.
        assert_eq!(burst_and(6, |one| one.iops = 500.0 - 11.0 * one.interval as f64), None);
        // A gap in time ends it.
        assert_eq!(burst_and(8, |one| one.interval += usize::from(one.interval > 6)), None);
    }

    #[test]
    fn slow_without_load_is_slow_with_more_in_flight_and_no_more_done() {
        let of = |slow_count: usize, usual_count: usize, change: fn(&mut Moment)| {
            let mut moments = same(0, usual_count, 1_000.0, 4.0, 4.0);
            let mut slow = same(usual_count, slow_count, 900.0, 6.0, 20.0);
            slow.iter_mut().for_each(change);
            moments.extend(slow);
            slow_without_load(&moments, 20_000.0).is_some()
        };
        assert!(of(5, 5, |_| ()) && !of(4, 5, |_| ()) && !of(5, 4, |_| ()));
        let with = |change| of(10, 10, change);
        assert!(with(|one| one.iops = 1_000.0) && !with(|one| one.iops = 1_001.0));
        assert!(with(|one| one.bytes_per_s = 8_192_000.0) && !with(|one| one.bytes_per_s = 8_200_000.0));
        assert!(!with(|one| one.outstanding = 5.99) && !with(|one| one.latency_us = 19_999.0));
    }
}
