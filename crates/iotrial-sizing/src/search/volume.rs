//! The least volumes of a level that suffice for a load.

use iotrial_model::demand::Demand;

use crate::catalog::{BlockLimit, HostCache, Level, Provisioned, SizedLimit, VolumeKind};
use crate::chain::{Limit, Passage, ROUNDING, Weight, volume_limits};
use crate::measure::{Load, Measure};

/// Volumes that suffice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VolumeOption {
    /// Index in the levels of the kind.
    pub(super) level: usize,
    /// Index in the attachments of the kind; `None` where there is no choice.
    pub(super) attachment: Option<usize>,
    pub(super) count: u32,
    /// Size of each.
    pub(super) size_gib: u64,
    /// IOPS bought for each.
    pub(super) iops: f64,
    /// Bytes per second bought for each.
    pub(super) bandwidth: f64,
    /// A month of all of them, in the money of the sum.
    pub(super) cost: f64,
}

/// What the volumes of a kind have to carry and to hold together.
pub(super) struct Needs {
    /// What a load takes of each measure at the volumes: once as it is, and what writes add to it.
    measures: [(Measure, f64, f64); 6],
    /// The same at the attachments.
    attached: [(Measure, f64); 6],
    /// The load and what a write counts at the volumes, for limits that hold at a block size.
    load: Load,
    copies: f64,
    capacity_gib: f64,
}

impl Needs {
    pub(super) fn new(load: &Load, kind: &VolumeKind, copies: f64, demand: &Demand) -> Self {
        let passage = Passage { kind, copies, replicas: 0.0, cache_hit: 0.0, host_cache: HostCache::None };
        let usage = |measure, weight: Weight| Limit { measure, most: 1.0, weights: vec![weight] }.usage(load);
        let own = passage.volume_weight();
        let measures = Measure::STATED.map(|measure| {
            // Reads and writes apart, because a RAID group counts writes several times, and by how much
            // depends on the level.
            let reads = usage(measure, Weight { write: 0.0, ..own });
            let writes = usage(measure, Weight { read: 0.0, ..own });
            (measure, reads, writes)
        });
        // An attachment counts an I/O once, however large: `iops_unit` is a matter of the disk.
        let attached = Measure::STATED.map(|measure| (measure, usage(measure, passage.weight())));
        Self { measures, attached, load: load.clone(), copies, capacity_gib: demand.capacity_gib() }
    }

    /// The need for a measure, with writes that cost `write_cost` times as much.
    fn of(&self, measure: Measure, write_cost: f64) -> f64 {
        let (_, reads, writes) =
            self.measures.iter().find(|(one, ..)| *one == measure).expect("all are there");
        reads + writes * write_cost
    }

    /// The bytes per second that a limit at a block size counts.
    fn at_block(&self, limit: &BlockLimit, kind: &VolumeKind) -> f64 {
        let copies = self.copies;
        let passage = Passage { kind, copies, replicas: 0.0, cache_hit: 0.0, host_cache: HostCache::None };
        let weights = vec![passage.block_weight(limit)];
        Limit { measure: Measure::Bandwidth, most: 1.0, weights }.usage(&self.load)
    }

    /// Whether the attachments of `count` volumes carry `factor` times the load.
    pub(super) fn fit_attachment(&self, limits: &[(Measure, f64)], count: u32, factor: f64) -> bool {
        limits.iter().all(|(measure, most)| {
            let (_, need) = self.attached.iter().find(|(one, _)| one == measure).expect("all are there");
            carries(most * f64::from(count), need * factor)
        })
    }

    /// Size, IOPS and bandwidth of each of `count` volumes that just suffice for `factor` times the load;
    /// `None` where no volumes of the level do. Each of the three is the least that suffices, whatever the
    /// others are.
    pub(super) fn least(
        &self,
        level: &Level,
        kind: &VolumeKind,
        count: u32,
        factor: f64,
        burst: bool,
    ) -> Option<(u64, f64, f64)> {
        let volumes = f64::from(count);
        // Volumes that share their limits have them by their size together.
        let (times, together) = if kind.shared_by_machine { (1.0, volumes) } else { (volumes, 1.0) };
        // Capacity first: it is the floor under every other reason for a larger volume.
        let mut size = least_whole(self.capacity_gib / volumes)?.max(level.size_min_gib);
        for limit in &level.limits {
            let need = self.of(limit.measure, 1.0) * factor / times;
            // The largest of the least sizes meets all limits, because no limit falls when the size grows.
            size = size.max(least_size(limit, need, together, level.size_max_gib, burst)?);
        }
        for limit in &level.by_block {
            let need = self.at_block(limit, kind) * factor / times;
            size = size.max(least_size_at_block(limit, need, together, level.size_max_gib)?);
        }
        // A larger volume on the same disks is not faster, so either the group suffices or the level is out.
        if level.raid.is_some() {
            // The limits of disks do not depend on the size.
            let of_disks = volume_limits(level, size as f64, 0.0, 0.0, burst);
            let fits = |(measure, most, write_cost): &(Measure, f64, f64)| {
                carries(most * times, self.of(*measure, *write_cost) * factor)
            };
            // `volume_limits` puts those of the disks behind those of the level; the latter were met through
            // the size.
            if !of_disks.iter().skip(level.limits.len()).all(fits) {
                return None;
            }
        }
        let (mut iops, mut bandwidth) = (0.0, 0.0);
        if let Some(provisioned) = &level.provisioned {
            let need_iops = self.of(Measure::Iops, 1.0) * factor / volumes;
            let need_bandwidth = self.of(Measure::Bandwidth, 1.0) * factor / volumes;
            (iops, bandwidth) = least_provisioned(provisioned, need_iops, need_bandwidth)?;
            // The IOPS that are included come with any size.
            if iops > provisioned.iops_included {
                size = size.max(least_whole(iops / provisioned.iops_per_gib_max)?);
            }
        }
        (size <= level.size_max_gib).then_some((size, iops, bandwidth))
    }
}

fn carries(most: f64, need: f64) -> bool {
    most >= need * (1.0 - ROUNDING)
}

/// The least whole number that is not below `number` beyond rounding.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn least_whole(number: f64) -> Option<u64> {
    // Rounding is taken off first: 100.00000000001 GiB are 100 and not 101.
    let whole = (number * (1.0 - ROUNDING)).ceil().max(0.0);
    // Well below 2^53, up to which a double carries every whole number, and far above any size that is sold.
    // A limit of zero ends here too, as an infinite need.
    (whole < 1e15).then_some(whole as u64)
}

/// The least size of one of `together` volumes at which a limit is at least `need`.
fn least_size(limit: &SizedLimit, need: f64, together: f64, largest: u64, burst: bool) -> Option<u64> {
    let suffices = |size: u64| carries(limit.at(size as f64 * together), need);
    // A burst does not grow with the size, so the smallest volume has it.
    if (burst && limit.burst.is_some_and(|burst| carries(burst, need))) || suffices(1) {
        return Some(1);
    }
    // A constant limit that is too low stays too low at any size.
    if limit.per_gib <= 0.0 || !suffices(largest) {
        return None;
    }
    // The line crosses the need here; the last bits decide between this size and its neighbours.
    // Found by the formula and then corrected by asking: floors, ceilings and rounding all shift the
    // crossing, and the loops run once or twice.
    let mut size = least_whole((need - limit.base) / limit.per_gib / together)?.clamp(1, largest);
    while !suffices(size) {
        size += 1;
    }
    while size > 1 && suffices(size - 1) {
        size -= 1;
    }
    Some(size)
}

/// The least size of one of `together` volumes at which a limit at a block size is at least `need`.
fn least_size_at_block(limit: &BlockLimit, need: f64, together: f64, largest: u64) -> Option<u64> {
    let suffices = |size: u64| carries(limit.at(size as f64 * together), need);
    if !suffices(largest) {
        return None;
    }
    // What a volume does never falls with its size, so the sizes that suffice are all from one on.
    let (mut least, mut most) = (1, largest);
    while least < most {
        let middle = least.midpoint(most);
        if suffices(middle) { most = middle } else { least = middle + 1 }
    }
    Some(least)
}

/// The least IOPS and bandwidth that suffice for one volume: bandwidth may need IOPS, and the IOPS that are bought a least bandwidth.
fn least_provisioned(provisioned: &Provisioned, need_iops: f64, need_bandwidth: f64) -> Option<(f64, f64)> {
    let whole = |number: f64| least_whole(number).map(|whole| whole as f64);
    // IOPS and steps of bandwidth are sold in whole numbers.
    let mut iops = whole(need_iops)?.max(provisioned.iops_min);
    let Some(own) = &provisioned.bandwidth else {
        return (iops <= provisioned.iops_max).then_some((iops, f64::INFINITY));
    };
    if !carries(own.max, need_bandwidth) {
        return None;
    }
    // The ceiling comes last, because a vendor's most need not be a whole step.
    let bandwidth = (whole(need_bandwidth / own.step)? * own.step).max(own.min).min(own.max);
    if bandwidth > own.included {
        // Bandwidth that follows the IOPS need not come in whole steps.
        let wanted = if own.is_bought { bandwidth } else { need_bandwidth };
        // The vendor caps bandwidth per IOPS, so enough IOPS are bought to be allowed the bandwidth.
        iops = iops.max(whole(wanted / own.per_iops_max)?);
    }
    // IOPS may in turn ask for bandwidth, always for less than they allow.
    let bandwidth = if own.is_bought { bandwidth.max(own.least(iops)) } else { own.most(iops) };
    (iops <= provisioned.iops_max).then_some((iops, bandwidth))
}
