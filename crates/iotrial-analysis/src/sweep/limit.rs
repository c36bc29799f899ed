//! What holds a rate at its ceiling, with the evidence.

use iotrial_model::load::{Direction, Pattern};
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::rate_limit::{LimitCause, LimitKind, RateUnit, SameRate};
use iotrial_model::record::TargetRecord;
use iotrial_model::sweep::ProbePurpose;
use serde::Serialize;

use super::cap::{Alone, Beside, Cap, alone_of};
use super::{Curve, Probe, SeenProbe};
use crate::findings::generator::holds_the_rate;
use crate::saturation::{Drift, KneeBound, Saturation, by_load};

/// Ceilings of two block sizes within this are the same ceiling.
pub(super) const SAME_PERCENT: f64 = 5.0;

/// What holds a rate at its ceiling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// In one word.
    pub kind: LimitKind,
    /// The direction whose cap holds a mix; `None` where the limit is of all its I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The evidence, which JSON has as a sentence.
    #[serde(rename = "sentence", serialize_with = "iotrial_words::rate_limit::in_json")]
    pub cause: LimitCause,
}

impl Limit {
    pub(super) const fn new(kind: LimitKind, cause: LimitCause) -> Self {
        let direction = match cause {
            LimitCause::CapOfDirection { direction, .. } => Some(direction),
            _ => None,
        };
        Self { kind, direction, cause }
    }

    /// One that is set on a rate, or the generator's.
    ///
    /// A rate that stands still in every second is held by a limit, even where the generator is short of CPU: that would make
    /// it wander.
    pub(super) fn of_probe(seen: &SeenProbe<'_>, beside: Option<Beside>) -> Option<Self> {
        beside.and_then(|beside| Cap::of(seen.probe, beside)).map(Self::from).or_else(|| {
            let (_, busy) = seen.busy().filter(|(used, _)| holds_the_rate(used))?;
            Some(Self::new(LimitKind::Generator, LimitCause::Generator(Box::new(busy.clone()))))
        })
    }
}

impl From<Cap> for Limit {
    fn from(cap: Cap) -> Self {
        let kind = match cap.unit {
            RateUnit::Iops => LimitKind::IopsCap,
            RateUnit::MibPerS => LimitKind::BandwidthCap,
        };
        Self::new(kind, cap.cause)
    }
}

/// Whether the generator had to wait for a CPU, which may lower a rate without any limit.
pub(super) fn waited_for_a_cpu(seen: &SeenProbe<'_>) -> bool {
    seen.busy().is_some()
}

/// A rate that was reached, with the block size and direction that reached it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    /// Random or sequential.
    pub(super) order: Pattern,
    pub(super) block_bytes: u64,
    pub(super) rwmix_read_percent: u8,
    pub(super) iops: f64,
    pub(super) mib_per_s: f64,
    /// Whether more outstanding I/O brings no more; otherwise it is only the highest rate that was seen.
    pub(super) is_ceiling: bool,
}

/// A rate this many times as high shows that a lower one is no limit on that rate.
const CONTRADICTS: f64 = 1.25;

impl Reached {
    /// Whether another ceiling shows what is limited: with a block size at least twice or at most half as large, the rate that
    /// stays the same. One of the same direction is looked for first. Of IOPS, random I/O is not held against sequential: a
    /// device may do as many of either by chance. A rate that any other load of that direction exceeds is
    /// not limited: a disk does as many random reads of 8 KiB as of 64 KiB, and many more in sequence.
    pub(super) fn same_rate(&self, others: &[Self]) -> Option<SameRate> {
        let same = |a: f64, b: f64| (a / b - 1.0).abs() <= SAME_PERCENT / 100.0;
        let is_alike = |one: &&Self| one.rwmix_read_percent == self.rwmix_read_percent;
        let is_exceeded = |rate: fn(&Self) -> f64| {
            others.iter().filter(is_alike).any(|one| rate(one) >= CONTRADICTS * rate(self))
        };
        let is_other = |one: &&Self| {
            one.is_ceiling
                && (one.block_bytes >= 2 * self.block_bytes || 2 * one.block_bytes <= self.block_bytes)
        };
        let steady = |other: &Self| {
            if same(self.mib_per_s, other.mib_per_s) && !is_exceeded(|one| one.mib_per_s) {
                Some(self.same_as(other, RateUnit::MibPerS))
            } else if same(self.iops, other.iops) && other.order == self.order && !is_exceeded(|one| one.iops)
            {
                Some(self.same_as(other, RateUnit::Iops))
            } else {
                None
            }
        };
        let candidates = || others.iter().filter(is_other);
        candidates().filter(is_alike).find_map(steady).or_else(|| candidates().find_map(steady))
    }

    fn same_as(&self, other: &Self, unit: RateUnit) -> SameRate {
        let (small, large) = if self.block_bytes < other.block_bytes { (self, other) } else { (other, self) };
        let rate = |one: &Self| match unit {
            RateUnit::Iops => (one.block_bytes, one.iops),
            RateUnit::MibPerS => (one.block_bytes, one.mib_per_s),
        };
        SameRate { unit, small: rate(small), large: rate(large) }
    }
}

impl Limit {
    /// Of one volume, by a rate that stays the same in I/Os of another size.
    fn by_same_rate(reached: &Reached, others: &[Reached]) -> Option<Self> {
        let rate = reached.same_rate(others)?;
        let kind = match rate.unit {
            RateUnit::MibPerS => LimitKind::BandwidthLimit,
            RateUnit::Iops => LimitKind::IopsLimit,
        };
        Some(Self::new(kind, LimitCause::SameWithOtherSize(rate)))
    }
}

impl Curve {
    fn reached(&self) -> Option<Reached> {
        let found = self.saturation.as_ref()?;
        Some(Reached {
            order: self.pattern.order,
            block_bytes: self.pattern.block_size.get(),
            rwmix_read_percent: self.pattern.rwmix_read_percent,
            iops: found.ceiling_iops,
            mib_per_s: found.ceiling_mib_per_s,
            is_ceiling: found.is_reached,
        })
    }
}

/// Says of each curve what holds it, also from what the probes on `targets` show beyond their figures.
pub(super) fn name_limits(probes: &[SeenProbe<'_>], targets: &[TargetRecord], curves: &mut [Curve]) {
    let reached: Vec<Option<Reached>> = curves.iter().map(Curve::reached).collect();
    let volumes: Vec<usize> = curves.iter().map(|curve| curve.volume).collect();
    let others_of = |index: usize| -> Vec<Reached> {
        let others = reached.iter().zip(&volumes).enumerate();
        others
            .filter(|(other, (_, volume))| *other != index && **volume == volumes[index])
            .filter_map(|(_, (reached, _))| *reached)
            .collect()
    };
    for (index, curve) in curves.iter_mut().enumerate() {
        let Some(saturation) = curve.saturation.clone() else { continue };
        curve.limit = Some(limit_of(probes, targets, curve, &saturation, &others_of(index)));
    }
    share_caps(curves);
}

/// Says of a curve of results that those who made the load had no CPU left where its rate was highest: `percent` of one for each of
/// them. A limit that other curves bear out stays, and so does a ceiling that was not reached.
pub(super) fn name_generator(curve: &mut Curve, percent: f64) {
    let Some(limit) = curve.limit.as_mut() else { return };
    if matches!(limit.kind, LimitKind::Device | LimitKind::Unknown) {
        *limit = Limit::new(LimitKind::Generator, LimitCause::BusyJobs { cpu_percent: percent });
    }
}

/// A cap that a curve shows by itself.
#[derive(Debug, Clone, Copy)]
struct OwnCap {
    volume: usize,
    kind: LimitKind,
    rate: f64,
    pattern: LoadPattern,
}

impl OwnCap {
    fn of(curve: &Curve) -> Option<Self> {
        let kind = curve.limit.as_ref().map(|limit| limit.kind).filter(|kind| is_cap(*kind))?;
        Some(Self { volume: curve.volume, kind, rate: rate_of(curve, kind)?, pattern: curve.pattern })
    }

    const fn unit(&self) -> RateUnit {
        if matches!(self.kind, LimitKind::IopsCap) { RateUnit::Iops } else { RateUnit::MibPerS }
    }

    /// How far this share of what a curve does is from the cap, as a share of the cap; `None` where it is another rate.
    fn distance(&self, curve: &Curve, share: f64) -> Option<f64> {
        let rate = rate_of(curve, self.kind).filter(|_| self.volume == curve.volume)?;
        Some((share * rate / self.rate - 1.0).abs()).filter(|distance| *distance <= SAME_PERCENT / 100.0)
    }

    /// What holds a mix of which one direction does what this cap allows it alone, with how far it is from it.
    ///
    /// The sum over both directions is another rate. Where it is the same one, the cap may be of both.
    fn of_direction(&self, mix: &Curve) -> Option<(f64, Limit)> {
        let read_percent = mix.pattern.rwmix_read_percent;
        let (direction, share_percent) = match self.pattern.rwmix_read_percent {
            100 => (Direction::Read, read_percent),
            0 => (Direction::Write, 100 - read_percent),
            _ => return None,
        };
        if matches!(read_percent, 0 | 100) || self.distance(mix, 1.0).is_some() {
            return None;
        }
        let distance = self.distance(mix, f64::from(share_percent) / 100.0)?;
        let Self { rate, pattern, .. } = *self;
        let cause = LimitCause::CapOfDirection { direction, share_percent, rate, unit: self.unit(), pattern };
        Some((distance, Limit::new(self.kind, cause)))
    }
}

const fn is_cap(kind: LimitKind) -> bool {
    matches!(kind, LimitKind::IopsCap | LimitKind::BandwidthCap)
}

/// What a curve does of what a cap of that kind counts.
fn rate_of(curve: &Curve, kind: LimitKind) -> Option<f64> {
    let found = curve.saturation.as_ref()?;
    Some(if kind == LimitKind::IopsCap { found.ceiling_iops } else { found.ceiling_mib_per_s })
}

/// A cap that one pattern shows holds the others of its volume that reach the same rate, and mixes of which one direction does.
fn share_caps(curves: &mut [Curve]) {
    let caps: Vec<OwnCap> = curves.iter().filter_map(OwnCap::of).collect();
    for curve in curves.iter_mut() {
        let Some(limit) = &curve.limit else { continue };
        let is_bound =
            curve.saturation.as_ref().is_some_and(|found| found.knee_bound.is_some() && found.is_reached);
        // Only what may be the same cap, seen less clearly. A generator that was busy, or a ceiling that was not reached, is no
        // cap.
        let is_open = (limit.kind == LimitKind::Unknown && is_bound)
            || matches!(
                limit.kind,
                LimitKind::Device | LimitKind::RateCap | LimitKind::IopsLimit | LimitKind::BandwidthLimit
            );
        let same = || {
            let cap = caps.iter().find(|cap| cap.distance(curve, 1.0).is_some())?;
            let OwnCap { kind, rate, pattern, .. } = *cap;
            Some(Limit::new(kind, LimitCause::SameCap { rate, unit: cap.unit(), pattern }))
        };
        // First by direction: that both together do as much as another cap allows is chance then. It also says more of a rate that stands still by
        // itself, as that of a mix does where many I/Os a second leave chance no room.
        let of_directions = caps.iter().filter_map(|cap| cap.of_direction(curve));
        let nearest =
            of_directions.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| is_open || is_cap(limit.kind));
        let shared = nearest.map(|(_, limit)| limit).or_else(|| is_open.then(same)?);
        curve.limit = shared.or_else(|| curve.limit.take());
    }
}

/// Whether a device right below a target turns, as far as it is known.
fn is_rotational(targets: &[TargetRecord], volume: usize) -> bool {
    let mut devices = targets.get(volume).into_iter().flat_map(|target| &target.devices);
    devices.any(|device| device.level.is_none_or(|level| level == 1) && device.rotational == Some(true))
}

/// What tells a cap of some volumes from a device at capacity; `None` where it was not measured what one I/O takes alone.
pub(super) fn beside(
    probes: &[SeenProbe<'_>],
    targets: &[TargetRecord],
    curves: &[&Curve],
    same_rate: Option<RateUnit>,
) -> Option<Beside> {
    let of_curve = |curve: &&&Curve| {
        let ceiling_iops = curve.saturation.as_ref()?.ceiling_iops;
        alone_of(probes, curve.pattern, curve.volume, ceiling_iops)
    };
    let all: Option<Vec<Alone>> = curves.iter().map(|curve| of_curve(&curve)).collect();
    let slowest = all?.into_iter().max_by(|a, b| a.idle_us.total_cmp(&b.idle_us));
    Some(Beside {
        alone: slowest.filter(|alone| alone.idle_us > 0.0)?,
        is_rotational: curves.iter().any(|curve| is_rotational(targets, curve.volume)),
        burst_ended_after_s: None,
        same_rate,
    })
}

fn limit_of(
    probes: &[SeenProbe<'_>],
    targets: &[TargetRecord],
    curve: &Curve,
    found: &Saturation,
    others: &[Reached],
) -> Limit {
    let mine = |seen: &&SeenProbe<'_>| {
        (seen.probe.pattern, seen.probe.volumes.as_slice()) == (curve.pattern, &[curve.volume][..])
            && seen.probe.purpose != ProbePurpose::Search
            && seen.probe.purpose != ProbePurpose::Together
    };
    // The deepest long probe is the one at the ceiling.
    let long = probes.iter().filter(mine).max_by_key(|seen| seen.probe.outstanding);
    let same_rate = curve.reached().and_then(|reached| reached.same_rate(others)).map(|rate| rate.unit);
    // A rate that fell while the generator waited for a CPU is no sign of used-up tokens.
    let waited = long.is_some_and(waited_for_a_cpu);
    let burst = curve.sustained.and_then(|rate| rate.burst).filter(|_| !waited);
    // One that was over before the long probe ended before its first second, which has the index 0.
    let burst_ended_after_s = burst.map(|burst| burst.ended_after_s.unwrap_or(-1.0));
    let beside =
        beside(probes, targets, &[curve], same_rate).map(|known| Beside { burst_ended_after_s, ..known });
    // A rate that is still changing has met no limit that could be named.
    if let Some(Drift { from_iops, to_iops, seconds }) = curve.sustained.and_then(|rate| rate.drift) {
        let cause = LimitCause::Drift { from_iops, to_iops, seconds: seconds as u64 };
        return Limit::new(LimitKind::Unknown, cause);
    }
    // In the order of certainty: what a long probe shows by itself; whether there is a ceiling at all; what another block size
    // tells of it; that it was higher at first. What is left is the device.
    if let Some(limit) = long.and_then(|long| Limit::of_probe(long, beside)) {
        return limit;
    }
    if let (false, Some(cause)) = (found.is_reached, too_few_loads(curve, found)) {
        return Limit::new(LimitKind::Unknown, cause);
    }
    let ceiling_iops = found.ceiling_iops;
    if !found.is_reached {
        let most = curve.probes.iter().map(|one| one.outstanding).max().unwrap_or_default();
        return Limit::new(LimitKind::NotReached, LimitCause::StillRising { most, ceiling_iops });
    }
    if let Some(limit) = curve.reached().and_then(|reached| Limit::by_same_rate(&reached, others)) {
        return limit;
    }
    if let Some((rate, burst)) = curve.sustained.and_then(|rate| Some((rate, rate.burst?))) {
        let kind = if waited { LimitKind::Unknown } else { LimitKind::RateCap };
        let (burst_iops, iops) = (burst.iops, rate.iops);
        return Limit::new(kind, LimitCause::BurstEnded { burst_iops, iops, has_waited: waited });
    }
    if found.knee_bound == Some(KneeBound::AtOrBelow) {
        let lowest = lowest_load(curve);
        let cause = LimitCause::BeyondKnee { lowest, ceiling_iops, has_waited: waited };
        return Limit::new(LimitKind::Unknown, cause);
    }
    let (outstanding, lat_mean_us) = (found.knee.outstanding, found.knee.lat_mean_us);
    Limit::new(LimitKind::Device, LimitCause::Knee { outstanding, lat_mean_us, has_waited: waited })
}

fn lowest_load(curve: &Curve) -> f64 {
    curve.probes.iter().map(|one| f64::from(one.outstanding)).fold(f64::INFINITY, f64::min)
}

/// Whether the loads are too few, or too near each other, to tell whether more of them bring more.
fn too_few_loads(curve: &Curve, found: &Saturation) -> Option<LimitCause> {
    let means = by_load(&curve.probes.iter().map(Probe::point).collect::<Vec<_>>());
    match means.as_slice() {
        [] => None,
        [only] => Some(LimitCause::OneLoad { outstanding: f64::from(only.outstanding) }),
        [first, .., last] => {
            let is_flat = found.knee_bound == Some(KneeBound::AtOrBelow);
            let (least, most) = (f64::from(first.outstanding), f64::from(last.outstanding));
            (is_flat && most < 2.0 * least).then_some(LimitCause::LoadsTooClose { least, most })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::hand_made::{curve, point, saturation};

    /// A ceiling of random reads of so many KiB.
    fn reads(kib: u64, iops: f64) -> Reached {
        Reached {
            order: Pattern::Random,
            block_bytes: kib * 1_024,
            rwmix_read_percent: 100,
            iops,
            mib_per_s: iops * kib as f64 / 1_024.0,
            is_ceiling: true,
        }
    }

    fn unit(reached: &Reached, others: &[Reached]) -> Option<RateUnit> {
        reached.same_rate(others).map(|same| same.unit)
    }

    #[test]
    fn the_rate_that_another_block_size_leaves_as_it_is_is_limited() {
        let small = reads(8, 10_000.0);
        assert_eq!(unit(&small, &[reads(16, 10_000.0)]), Some(RateUnit::Iops));
        assert_eq!(unit(&small, &[reads(16, 5_000.0)]), Some(RateUnit::MibPerS));
        // Within five percent.
        assert_eq!(
            (unit(&small, &[reads(16, 9_530.0)]), unit(&small, &[reads(16, 9_500.0)])),
            (Some(RateUnit::Iops), None)
        );
        assert_eq!(
            (unit(&small, &[reads(16, 10_500.0)]), unit(&small, &[reads(16, 10_600.0)])),
            (Some(RateUnit::Iops), None)
        );
        // Twice as large or half as large at least.
        assert_eq!((unit(&small, &[reads(15, 10_000.0)]), unit(&small, &[reads(5, 10_000.0)])), (None, None));
        assert_eq!(unit(&small, &[reads(4, 10_000.0)]), Some(RateUnit::Iops));
        let rising = Reached { is_ceiling: false, ..reads(16, 10_000.0) };
        assert_eq!(unit(&small, &[rising]), None);
        // The smaller one first, whichever is asked.
        let same = reads(16, 10_000.0).same_rate(&[small]).unwrap();
        assert_eq!((same.small, same.large), ((8_192, 10_000.0), (16_384, 10_000.0)));
    }

    #[test]
    fn a_rate_that_another_load_exceeds_is_not_limited_and_orders_are_not_compared_by_ios() {
        let (small, large) = (reads(8, 10_000.0), reads(64, 10_000.0));
        let exceeding =
            |iops: f64| Reached { order: Pattern::Sequential, is_ceiling: false, ..reads(8, iops) };
        assert_eq!(unit(&small, &[large, exceeding(12_400.0)]), Some(RateUnit::Iops));
        assert_eq!(unit(&small, &[large, exceeding(12_500.0)]), None);
        // Of another direction it says nothing.
        let writes = Reached { rwmix_read_percent: 0, ..exceeding(30_000.0) };
        assert_eq!(unit(&small, &[large, writes]), Some(RateUnit::Iops));
        let sequential = Reached { order: Pattern::Sequential, ..large };
        assert_eq!(unit(&small, &[sequential]), None);
        let by_bytes = Reached { order: Pattern::Sequential, ..reads(64, 1_250.0) };
        assert_eq!(unit(&small, &[by_bytes]), Some(RateUnit::MibPerS));
        // One of the same direction is looked for first, and any other will do.
        let other = Reached { rwmix_read_percent: 0, ..reads(64, 1_250.0) };
        assert_eq!(unit(&small, &[other, large]), Some(RateUnit::Iops));
        assert_eq!(unit(&small, &[other]), Some(RateUnit::MibPerS));
    }

    /// What limits a curve beside one that a cap holds, of 10,000 IOPS or of 78 MiB/s.
    fn beside_a_cap(
        cap: LimitKind,
        kind: Option<LimitKind>,
        change: impl FnOnce(&mut Curve),
    ) -> Option<LimitKind> {
        let limit = |kind| Limit::new(kind, LimitCause::OneLoad { outstanding: 1.0 });
        let capped = Curve { limit: Some(limit(cap)), ..curve(saturation()) };
        let mut other = Curve { limit: kind.map(limit), ..curve(saturation()) };
        change(&mut other);
        let mut curves = [capped, other];
        share_caps(&mut curves);
        let [_, other] = curves;
        other.limit.map(|limit| limit.kind)
    }

    #[test]
    fn a_cap_of_one_pattern_holds_others_of_its_volume_that_reach_the_same_rate() {
        let (ios, bytes, device) = (LimitKind::IopsCap, LimitKind::BandwidthCap, LimitKind::Device);
        let at = |iops: f64, mib: f64| {
            move |curve: &mut Curve| {
                let found = curve.saturation.as_mut().unwrap();
                (found.ceiling_iops, found.ceiling_mib_per_s) = (iops, mib);
            }
        };
        for kind in [device, LimitKind::RateCap, LimitKind::IopsLimit, LimitKind::BandwidthLimit] {
            assert_eq!(beside_a_cap(ios, Some(kind), |_| ()), Some(ios));
        }
        assert_eq!(beside_a_cap(ios, Some(device), at(10_490.0, 1.0)), Some(ios));
        assert_eq!(beside_a_cap(ios, Some(device), at(10_502.0, 1.0)), Some(device));
        assert_eq!(beside_a_cap(ios, Some(device), at(9_480.0, 1.0)), Some(device));
        assert_eq!(beside_a_cap(bytes, Some(device), at(1.0, 78.0)), Some(bytes));
        assert_eq!(beside_a_cap(bytes, Some(device), at(10_000.0, 1.0)), Some(device));
        assert_eq!(beside_a_cap(ios, Some(device), |curve| curve.volume = 1), Some(device));
        assert_eq!(beside_a_cap(ios, Some(LimitKind::Generator), |_| ()), Some(LimitKind::Generator));
        assert_eq!(beside_a_cap(device, Some(device), |_| ()), Some(device));
        assert_eq!(beside_a_cap(ios, None, |_| ()), None);
    }

    /// What holds a mix of 70 % reads, beside caps of reads and of writes.
    fn of_mix(caps: [(&str, LimitKind, f64); 2], kind: LimitKind, rate: f64) -> Limit {
        let set = |pattern: &str, limit: Limit, rate: f64| {
            let mut one =
                Curve { pattern: pattern.parse().unwrap(), limit: Some(limit), ..curve(saturation()) };
            let found = one.saturation.as_mut().unwrap();
            (found.ceiling_iops, found.ceiling_mib_per_s) = (rate, rate / 128.0);
            one
        };
        let limit = |kind| Limit::new(kind, LimitCause::OneLoad { outstanding: 1.0 });
        let [reads, writes] = caps.map(|(pattern, kind, rate)| set(pattern, limit(kind), rate));
        let mut curves = [reads, writes, set("randrw70-8k", limit(kind), rate)];
        share_caps(&mut curves);
        let [.., mix] = curves;
        mix.limit.unwrap()
    }

    #[test]
    fn a_mix_is_held_by_the_cap_of_the_direction_that_reaches_it() {
        let (cap, bytes, device) = (LimitKind::IopsCap, LimitKind::BandwidthCap, LimitKind::Device);
        let caps = |kind, write_iops| [("randread-8k", kind, 3_000.0), ("randwrite-8k", kind, write_iops)];
        let told = |limit: Limit| (limit.kind, limit.direction);
        let (write, read) = (Some(Direction::Write), Some(Direction::Read));
        for (write_iops, mix, expected) in [
            (700.0, 2_333.0, write),
            (700.0, 2_400.0, write),
            (700.0, 2_500.0, None),
            // As many as the cap of reads, by chance.
            (900.0, 3_000.0, write),
            (3_000.0, 4_286.0, read),
            (3_000.0, 6_000.0, None),
        ] {
            let kind = if expected.is_some() { cap } else { device };
            assert_eq!(
                told(of_mix(caps(cap, write_iops), device, mix)),
                (kind, expected),
                "{write_iops}, {mix}"
            );
            // Also where its own rate stands still.
            assert_eq!(told(of_mix(caps(cap, write_iops), cap, mix)), (cap, expected), "{write_iops}, {mix}");
        }
        assert_eq!(told(of_mix(caps(bytes, 700.0), device, 2_333.0)), (bytes, write));
        // A cap of both together, what nobody set, and what holds the generator.
        assert_eq!(told(of_mix(caps(cap, 3_000.0), device, 3_000.0)), (cap, None));
        assert_eq!(told(of_mix(caps(device, 700.0), device, 2_333.0)), (device, None));
        for kind in [LimitKind::Generator, LimitKind::NotReached] {
            assert_eq!(told(of_mix(caps(cap, 700.0), kind, 2_333.0)), (kind, None));
        }
        // The cap of another mix says nothing of a direction.
        let mixes = [("randrw-8k", cap, 3_000.0), ("randrw30-8k", cap, 700.0)];
        assert_eq!(told(of_mix(mixes, device, 2_333.0)), (device, None));
    }

    #[test]
    fn a_cap_holds_what_is_unknown_where_its_knee_is_bounded_and_its_ceiling_was_reached() {
        let unknown = |knee_bound: Option<KneeBound>, is_reached: bool| {
            beside_a_cap(LimitKind::IopsCap, Some(LimitKind::Unknown), |curve| {
                let found = curve.saturation.as_mut().unwrap();
                (found.knee_bound, found.is_reached) = (knee_bound, is_reached);
            })
        };
        let below = Some(KneeBound::AtOrBelow);
        assert_eq!(unknown(below, true), Some(LimitKind::IopsCap));
        for (bound, is_reached) in [(None, true), (below, false), (None, false)] {
            assert_eq!(unknown(bound, is_reached), Some(LimitKind::Unknown));
        }
    }

    #[test]
    fn a_single_load_or_flat_ones_near_each_other_do_not_tell_whether_more_brings_more() {
        let few = |loads: &[u32], knee_bound: Option<KneeBound>| {
            let found = Saturation { knee_bound, ..saturation() };
            let probes = loads.iter().map(|load| point(*load, 1_000.0, None)).collect();
            too_few_loads(&Curve { probes, ..curve(found.clone()) }, &found)
        };
        let flat = Some(KneeBound::AtOrBelow);
        assert_eq!(few(&[8, 8], flat), Some(LimitCause::OneLoad { outstanding: 8.0 }));
        assert_eq!(few(&[8, 12, 15], flat), Some(LimitCause::LoadsTooClose { least: 8.0, most: 15.0 }));
        assert_eq!((few(&[8, 12, 16], flat), few(&[8, 12, 15], None), few(&[], flat)), (None, None, None));
    }

    #[test]
    fn a_device_right_below_a_target_turns_or_it_does_not() {
        let turns = |level: Option<u32>, rotational: Option<bool>| {
            let device = iotrial_model::record::BlockDevice {
                level,
                rotational,
                ..iotrial_model::record::BlockDevice::default()
            };
            let target = TargetRecord { devices: vec![device], ..TargetRecord::default() };
            [0, 1].map(|volume| is_rotational(std::slice::from_ref(&target), volume))
        };
        assert_eq!((turns(Some(1), Some(true)), turns(None, Some(true))), ([true, false], [true, false]));
        for (level, rotational) in [(Some(2), Some(true)), (Some(1), Some(false)), (Some(1), None)] {
            assert_eq!(turns(level, rotational), [false, false]);
        }
    }
}
