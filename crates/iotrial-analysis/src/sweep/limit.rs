//! What holds a rate at its ceiling, with the evidence.

use iotrial_model::load::Pattern;
use iotrial_model::record::TargetRecord;
use iotrial_model::sweep::ProbePurpose;
use serde::Serialize;

use super::cap::{Alone, Beside, Cap, alone_of};
use super::{Curve, Probe, SeenProbe};
use crate::findings::generator::holds_the_rate;
use crate::saturation::{Drift, KneeBound, Saturation, by_load};
use crate::words::with_thousands;

/// Ceilings of two block sizes within this are the same ceiling.
pub(super) const SAME_PERCENT: f64 = 5.0;

/// What holds a rate at its ceiling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// In one word.
    pub kind: LimitKind,
    /// In one sentence, with the evidence.
    pub sentence: String,
}

/// What can hold a rate at its ceiling, as far as the loads of a sweep can tell. The words are an interface: `docs/json.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// The CPU of the host that makes the load.
    Generator,
    /// So many I/Os per second are set: the rate stood still while the device idled.
    IopsCap,
    /// So many bytes per second are set, likewise.
    BandwidthCap,
    /// So many I/Os per second, of whatever size: set, or of a device that takes as long for each of them.
    IopsLimit,
    /// So many bytes per second, in I/Os of whatever size: set, of the device, or of the way to it.
    BandwidthLimit,
    /// So many bytes per second of several volumes, in I/Os of whatever size.
    SharedPath,
    /// A rate that is held after a burst: which one, only another block size can tell.
    RateCap,
    /// What the device does at once.
    Device,
    /// A device that several volumes lie on.
    SharedDevice,
    /// None among volumes: together they do what they do alone.
    NoneShared,
    /// The ceiling was not reached.
    NotReached,
    /// Something that the measurements do not tell.
    Unknown,
}

impl LimitKind {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generator => "own CPU",
            Self::IopsCap => "IOPS cap",
            Self::BandwidthCap => "bandwidth cap",
            Self::IopsLimit => "IOPS limit",
            Self::BandwidthLimit => "bandwidth limit",
            Self::SharedPath => "shared path",
            Self::RateCap => "rate cap",
            Self::Device => "device",
            Self::SharedDevice => "shared device",
            Self::NoneShared => "none shared",
            Self::NotReached => "not reached",
            Self::Unknown => "unknown",
        }
    }
}

impl Limit {
    pub(super) fn new(kind: LimitKind, sentence: String) -> Self {
        Self { kind, sentence }
    }

    /// One that is set on a rate, or the generator's.
    ///
    /// A rate that stands still in every second is held by a limit, even where the generator is short of CPU: that would make
    /// it wander.
    pub(super) fn of_probe(seen: &SeenProbe<'_>, beside: Option<Beside>) -> Option<Self> {
        beside.and_then(|beside| Cap::of(seen.probe, beside)).map(Self::from).or_else(|| {
            let (_, busy) = seen.busy().filter(|(used, _)| holds_the_rate(used))?;
            Some(Self::new(LimitKind::Generator, busy.message.clone()))
        })
    }
}

impl From<Cap> for Limit {
    fn from(cap: Cap) -> Self {
        let kind = match cap.of {
            Steady::Iops => LimitKind::IopsCap,
            Steady::Bandwidth => LimitKind::BandwidthCap,
        };
        Self::new(kind, cap.sentence)
    }
}

/// What is to be said where the generator waited.
pub(super) const WAITED: &str = "but iotrial had to wait for a CPU (`generator-busy`), so the host may be the limit instead: repeat on a quieter host";

/// The same where a cause is known that does not need it.
pub(super) const WAITED_TOO: &str =
    "iotrial also had to wait for a CPU (`generator-busy`), which may explain part of it";

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

/// Which of two rates stays the same when the block size does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steady {
    Iops,
    Bandwidth,
}

/// A rate this many times as high shows that a lower one is no limit on that rate.
const CONTRADICTS: f64 = 1.25;

impl Reached {
    /// Whether another ceiling shows what is limited: with a block size at least twice or at most half as large, the rate that
    /// stays the same. One of the same direction is looked for first. Of IOPS, random I/O is not held against sequential: a
    /// device may do as many of either by chance. A rate that any other load of that direction exceeds is
    /// not limited: a disk does as many random reads of 8 KiB as of 64 KiB, and many more in sequence.
    pub(super) fn steady_rate(&self, others: &[Self]) -> Option<(Steady, Self)> {
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
                Some((Steady::Bandwidth, *other))
            } else if same(self.iops, other.iops) && other.order == self.order && !is_exceeded(|one| one.iops)
            {
                Some((Steady::Iops, *other))
            } else {
                None
            }
        };
        let candidates = || others.iter().filter(is_other);
        candidates().filter(is_alike).find_map(steady).or_else(|| candidates().find_map(steady))
    }

    /// The evidence of [`Self::steady_rate`].
    pub(super) fn evidence(&self, steady: Steady, other: &Self) -> String {
        let (small, large) = if self.block_bytes < other.block_bytes { (self, other) } else { (other, self) };
        let sizes = format!(
            "{} KiB and {} KiB",
            small.block_bytes as f64 / 1024.0,
            large.block_bytes as f64 / 1024.0
        );
        match steady {
            Steady::Bandwidth => {
                let rates = both(small.mib_per_s, large.mib_per_s);
                format!("the same {rates} MiB/s with I/Os of {sizes}, while the I/Os per second differ")
            }
            Steady::Iops => {
                let rates = both(small.iops, large.iops);
                format!("the same {rates} IOPS with I/Os of {sizes}, while the bytes differ")
            }
        }
    }
}

impl Limit {
    /// Of one volume, by a rate that stays the same in I/Os of another size.
    fn by_steady_rate(reached: &Reached, others: &[Reached]) -> Option<Self> {
        let (steady, other) = reached.steady_rate(others)?;
        let (kind, meaning) = match steady {
            Steady::Bandwidth => (
                LimitKind::BandwidthLimit,
                "a limit on bytes per second: a configured one, or that of the device or the path to it",
            ),
            Steady::Iops => (
                LimitKind::IopsLimit,
                "a limit on I/Os per second: a configured one, or a device that takes the same time for both sizes",
            ),
        };
        Some(Self::new(kind, format!("{}: {meaning}", reached.evidence(steady, &other))))
    }
}

/// Two rates that are nearly the same, or the one that they are.
fn both(one: f64, other: f64) -> String {
    let (one, other) = (with_thousands(one), with_thousands(other));
    if one == other { one } else { format!("{one} and {other}") }
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
        *limit = Limit::new(
            LimitKind::Generator,
            format!(
                "each job used {percent:.0} % of a CPU at the highest rate, so the host that made the load may be the limit: try more jobs or a faster host"
            ),
        );
    }
}

/// A cap that one pattern shows holds the others of its volume that reach the same rate.
fn share_caps(curves: &mut [Curve]) {
    let rate_of = |curve: &Curve, kind: LimitKind| {
        let found = curve.saturation.as_ref()?;
        Some(if kind == LimitKind::IopsCap { found.ceiling_iops } else { found.ceiling_mib_per_s })
    };
    let mut caps: Vec<(usize, LimitKind, f64, String)> = Vec::new();
    for curve in curves.iter() {
        let kind = curve.limit.as_ref().map(|limit| limit.kind);
        let kind = kind.filter(|kind| matches!(kind, LimitKind::IopsCap | LimitKind::BandwidthCap));
        if let Some((kind, rate)) = kind.and_then(|kind| Some((kind, rate_of(curve, kind)?))) {
            caps.push((curve.volume, kind, rate, curve.pattern.to_string()));
        }
    }
    for curve in curves.iter_mut() {
        let is_bound =
            curve.saturation.as_ref().is_some_and(|found| found.knee_bound.is_some() && found.is_reached);
        // Only what may be the same cap, seen less clearly. A generator that was busy, or a ceiling that was not reached, is no
        // cap.
        let is_open = curve.limit.as_ref().is_some_and(|limit| {
            (limit.kind == LimitKind::Unknown && is_bound)
                || matches!(
                    limit.kind,
                    LimitKind::Device | LimitKind::RateCap | LimitKind::IopsLimit | LimitKind::BandwidthLimit
                )
        });
        let shared = caps.iter().find(|(volume, kind, cap, _)| {
            let same = |rate: f64| (rate / cap - 1.0).abs() <= SAME_PERCENT / 100.0;
            *volume == curve.volume && rate_of(curve, *kind).is_some_and(same)
        });
        if let Some((_, kind, cap, pattern)) = shared.filter(|_| is_open) {
            let value = match kind {
                LimitKind::IopsCap => format!("{} IOPS", with_thousands(*cap)),
                _ => format!("{cap:.1} MiB/s"),
            };
            curve.limit = Some(Limit::new(*kind, format!("{value}, the same cap as that of {pattern}")));
        }
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
    steady: Option<Steady>,
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
        steady,
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
    let steady = curve.reached().and_then(|reached| reached.steady_rate(others)).map(|(steady, _)| steady);
    // A rate that fell while the generator waited for a CPU is no sign of used-up tokens.
    let waited = long.is_some_and(waited_for_a_cpu);
    let burst = curve.sustained.and_then(|rate| rate.burst).filter(|_| !waited);
    // One that was over before the long probe ended before its first second, which has the index 0.
    let burst_ended_after_s = burst.map(|burst| burst.ended_after_s.unwrap_or(-1.0));
    let beside =
        beside(probes, targets, &[curve], steady).map(|known| Beside { burst_ended_after_s, ..known });
    // A rate that is still changing has met no limit that could be named.
    if let Some(Drift { from_iops, to_iops, seconds }) = curve.sustained.and_then(|rate| rate.drift) {
        let sentence = iotrial_words::swept::drift(from_iops, to_iops, seconds as u64);
        return Limit::new(LimitKind::Unknown, sentence);
    }
    // In the order of certainty: what a long probe shows by itself; whether there is a ceiling at all; what another block size
    // tells of it; that it was higher at first. What is left is the device.
    if let Some(limit) = long.and_then(|long| Limit::of_probe(long, beside)) {
        return limit;
    }
    if let (false, Some(sentence)) = (found.is_reached, too_few_loads(curve, found)) {
        return Limit::new(LimitKind::Unknown, sentence);
    }
    if !found.is_reached {
        let most = curve.probes.iter().map(|one| one.outstanding).max().unwrap_or_default();
        return Limit::new(
            LimitKind::NotReached,
            format!(
                "{most} outstanding I/Os still increased the rate: the ceiling is above {} IOPS",
                with_thousands(found.ceiling_iops)
            ),
        );
    }
    if let Some(limit) = curve.reached().and_then(|reached| Limit::by_steady_rate(&reached, others)) {
        return limit;
    }
    if let Some((rate, burst)) = curve.sustained.and_then(|rate| Some((rate, rate.burst?))) {
        let rates =
            format!("{} IOPS at first and {} later", with_thousands(burst.iops), with_thousands(rate.iops));
        return if waited {
            Limit::new(LimitKind::Unknown, format!("{rates}, {WAITED}"))
        } else {
            Limit::new(
                LimitKind::RateCap,
                format!("{rates}: burst credits or a cache were used up, and the lasting rate is capped"),
            )
        };
    }
    let also = if waited { format!("; {WAITED}") } else { String::new() };
    if found.knee_bound == Some(KneeBound::AtOrBelow) {
        return Limit::new(
            LimitKind::Unknown,
            format!(
                "{} outstanding I/Os, the lowest load that was measured, are already at or beyond the knee: measure lower loads to see where latency begins to grow and what limits the rate to {} IOPS{also}",
                with_thousands(lowest_load(curve)),
                with_thousands(found.ceiling_iops)
            ),
        );
    }
    // As it stands in the table.
    let load = |load: f64| if load < 10.0 { format!("{load:.1}") } else { format!("{load:.0}") };
    let (knee, lat_us) = (found.knee.outstanding, found.knee.lat_mean_us);
    let latency =
        if lat_us < 1_000.0 { format!("{lat_us:.0} µs") } else { format!("{:.2} ms", lat_us / 1e3) };
    Limit::new(
        LimitKind::Device,
        format!(
            "latency rises slowly up to about {} outstanding I/Os ({latency} there), and faster beyond: the device, or a limit in front of it such as a queue or a throttle, serves about {} at once{also}",
            load(knee),
            load(knee)
        ),
    )
}

fn lowest_load(curve: &Curve) -> f64 {
    curve.probes.iter().map(|one| f64::from(one.outstanding)).fold(f64::INFINITY, f64::min)
}

/// What is to be said where the loads are too few, or too near each other, to tell whether more of them bring more.
fn too_few_loads(curve: &Curve, found: &Saturation) -> Option<String> {
    let means = by_load(&curve.probes.iter().map(Probe::point).collect::<Vec<_>>());
    match means.as_slice() {
        [] => None,
        [only] => Some(format!(
            "only {} outstanding I/Os were measured: measure other loads to see whether more increase the rate",
            only.outstanding
        )),
        [first, .., last] => {
            (found.knee_bound == Some(KneeBound::AtOrBelow) && last.outstanding < 2 * first.outstanding).then(|| {
                format!(
                    "{} and {} outstanding I/Os reach about the same rate, and are too close together to show whether more increase it",
                    first.outstanding, last.outstanding
                )
            })
        }
    }
}
