//! The rates of a result by direction and size, which the limits of storage are held against.

use super::{Facts, Ops, Subject};
use crate::imported::StatedLoad;
use crate::load::{Direction, Role};
use crate::range::{ContradictingRates, Range, edge_count};

/// I/Os of one direction at one size: what the limits of storage are held against.
#[derive(Debug, Clone, Copy)]
pub struct SubjectRate<'r> {
    /// What they were for; `None` where nobody said so, and of the figures of all jobs together.
    pub role: Option<Role>,
    /// Of the two, because limits of storage differ for them.
    pub direction: Direction,
    /// Whether it is a share of a stream that has both.
    pub is_of_both: bool,
    /// I/Os per second, more than zero.
    pub iops: f64,
    /// Whether they are not stated, and follow from the MiB/s and the one size of all I/Os.
    pub is_derived: bool,
    /// Mean size of an I/O: what the bandwidth is at this rate.
    pub block_size_bytes: f64,
    /// What one took on average, from its creation to its completion as far as the tool times both.
    pub latency_mean_us: Option<f64>,
    /// The stream that this is a rate of, with its digits and its histogram.
    pub facts: Facts<'r>,
    /// Sizes that the I/Os were configured to have; `None` where a job does not say.
    pub configured_sizes: Option<Range>,
    /// What the rate contradicts at these sizes: the MiB/s that are stated as well.
    pub contradiction: Option<ContradictingRates>,
}

impl<'r> Subject<'r> {
    /// Rates by direction with the sizes of their I/Os, by job where jobs have figures of their own; streams of which either is
    /// not known are left out. Where only MiB/s and the size of the I/Os are, the I/Os per second follow. Figures of reads and writes together become both by the share of reads that was configured.
    pub fn rates(&self) -> Vec<SubjectRate<'r>> {
        let mut rates = Vec::new();
        for job in &self.jobs {
            rates.extend(job.ops.rates(job.role, &[&job.load]));
        }
        if let (true, Some(total)) = (rates.is_empty(), self.stated_total) {
            let loads: Vec<&StatedLoad> = self.jobs.iter().map(|job| &*job.load).collect();
            rates = Ops::of_stated(total).rates(None, &loads);
        }
        rates
    }
}

/// What the MiB/s are at the one size that all I/Os have; `None` of several sizes.
fn derived_iops(facts: Facts<'_>, sizes: Range) -> Option<f64> {
    let is_one_size = sizes.low == sizes.high && sizes.low > 0.0;
    let bytes_per_s = facts.bandwidth_mib_per_s().filter(|_| is_one_size)? * 1_048_576.0;
    Some(bytes_per_s / sizes.low)
}

impl<'r> Ops<'r> {
    fn rates(self, role: Option<Role>, loads: &[&StatedLoad]) -> Vec<SubjectRate<'r>> {
        // Of `share` of a stream that has both directions, or of one that has only this.
        let rate = |direction: Direction, facts: Facts<'r>, share: Option<f64>| {
            let sizes =
                Range::of_block_sizes(loads.iter().copied(), Some(direction).filter(|_| share.is_none()));
            let stated_iops = facts.iops();
            let all_iops = stated_iops.or_else(|| derived_iops(facts, sizes?))?;
            let contradicting =
                |stated, sizes| ContradictingRates::of(stated, sizes, edge_count(loads.iter().copied()));
            let iops = all_iops * share.unwrap_or(1.0);
            (iops > 0.0).then_some(SubjectRate {
                role,
                direction,
                is_of_both: share.is_some(),
                iops,
                is_derived: stated_iops.is_none(),
                block_size_bytes: facts.mean_size(all_iops, sizes)?,
                latency_mean_us: facts.latency_mean_us(),
                facts,
                configured_sizes: sizes,
                contradiction: facts
                    .stated()
                    .zip(sizes)
                    .and_then(|(stated, sizes)| contradicting(stated, sizes)),
            })
        };
        let of_direction = |direction: &Direction| rate(*direction, self.get(*direction)?, None);
        let mut rates: Vec<SubjectRate<'r>> = Direction::ALL.iter().filter_map(of_direction).collect();
        if let (true, Some(all), [load]) = (rates.is_empty(), self.all, loads)
            && let Some(percent) = load.rwmix_read_percent
        {
            let read = percent / 100.0;
            let shares = [(Direction::Read, read), (Direction::Write, 1.0 - read)];
            rates.extend(
                shares.into_iter().filter_map(|(direction, share)| rate(direction, all, Some(share))),
            );
        }
        rates
    }
}
