//! Which of two figures that contradict each other the other figures of the stream bear out.
//!
//! Rate, throughput, count and bytes tell the same rate in four ways, as runtime and block size are known. One of them that
//! contradicts a second one is wrong where a third one agrees with the second.

use iotrial_model::range::Range;

use super::outstanding::rate_fits;
use super::part::{Part, Stream, bytes};

const MIB: f64 = 1_048_576.0;

/// I/Os per second, as each figure of a stream tells them by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    /// The IOPS as they are stated.
    pub iops: Option<Range>,
    /// I/Os over runtime.
    pub counted: Option<Range>,
    /// MiB/s over block size.
    pub bandwidth: Option<Range>,
    /// Bytes over runtime and block size.
    pub moved: Option<Range>,
}

/// What others say of two figures that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Borne {
    /// They agree with the first one.
    First,
    /// They agree with the second one.
    Second,
    /// Each has one that agrees with it: what leads from one to the other is wrong, and neither of them.
    Both,
    /// There are none, or they agree with neither.
    Neither,
}

impl Told {
    /// What a stream tells. I/Os that were under way at an end may be in one figure and not in another.
    pub(super) fn of(part: &Part<'_>, stream: &Stream<'_>) -> Self {
        let stated = &stream.stated;
        let block = part.block_range(stream.kind);
        let runtime = stated.runtime_s.filter(|runtime| runtime.value > 0.0);
        let edges = runtime.map_or(0.0, |runtime| part.edge_count() / runtime.value);
        // All four are widened alike: at which moment a tool took each of them is not known.
        let wide = |rate: Range| Range { low: (rate.low - edges).max(0.0), high: rate.high + edges.max(0.0) };
        let per_second = |total: Range| runtime.map(|runtime| total / Range::of(runtime));
        let moved = stated
            .bytes
            .map(|moved| Range::exact(bytes(moved)))
            .or_else(|| stream.total_gib.map(|gib| Range::of(gib).scaled(1_024.0 * MIB)));
        Self {
            iops: stated.iops.map(|iops| wide(Range::of(iops))),
            counted: stated.io_count.and_then(|count| per_second(Range::exact(bytes(count)))).map(wide),
            bandwidth: stated
                .bandwidth_mib_per_s
                .and_then(|bandwidth| Some(wide(Range::of(bandwidth).scaled(MIB) / block?))),
            moved: moved.and_then(|moved| Some(wide(per_second(moved)? / block?))),
        }
    }

    /// Weighs IOPS against MiB/s.
    pub(super) fn iops_or_bandwidth(&self) -> Borne {
        weigh(self.iops, self.bandwidth, [self.counted, self.moved])
    }

    /// The same, and where neither count nor bytes tell, by Little's law: one of the two rates keeps the I/Os of the load
    /// outstanding at the latency that is told, and the other does not.
    pub(super) fn iops_or_bandwidth_of(&self, part: &Part<'_>, stream: &Stream<'_>) -> Borne {
        let by_figures = self.iops_or_bandwidth();
        let (Borne::Neither, Some(iops), Some(bandwidth)) = (by_figures, self.iops, self.bandwidth) else {
            return by_figures;
        };
        match (rate_fits(part, stream, iops), rate_fits(part, stream, bandwidth)) {
            (Some(true), Some(false)) => Borne::First,
            (Some(false), Some(true)) => Borne::Second,
            _ => Borne::Neither,
        }
    }

    /// Whether the bytes bear out the IOPS at the size that is told, and not the MiB/s: neither rate nor size is then wrong.
    pub(super) fn bytes_bear_iops(&self) -> bool {
        differ(self.moved, self.bandwidth)
            && self.moved.zip(self.iops).is_some_and(|(moved, iops)| moved.overlaps(iops))
    }

    /// Weighs IOPS against the count of I/Os.
    pub(super) fn iops_or_count(&self) -> Borne {
        weigh(self.iops, self.counted, [self.bandwidth, self.moved])
    }

    /// Weighs MiB/s against the bytes.
    pub(super) fn bandwidth_or_bytes(&self) -> Borne {
        weigh(self.bandwidth, self.moved, [self.iops, self.counted])
    }

    /// Whether another figure contradicts the IOPS.
    pub(super) fn iops_differ(&self) -> bool {
        differ(self.iops, self.counted) || differ(self.iops, self.bandwidth)
    }

    /// Whether another figure contradicts the MiB/s.
    pub(super) fn bandwidth_differs(&self) -> bool {
        differ(self.bandwidth, self.moved) || differ(self.bandwidth, self.iops)
    }

    /// Whether count and bytes are not of the same I/Os.
    pub(super) fn counts_differ(&self) -> bool {
        differ(self.counted, self.moved)
    }
}

fn differ(first: Option<Range>, second: Option<Range>) -> bool {
    first.zip(second).is_some_and(|(first, second)| !first.overlaps(second))
}

fn weigh(first: Option<Range>, second: Option<Range>, others: [Option<Range>; 2]) -> Borne {
    let (Some(first), Some(second)) = (first, second) else { return Borne::Neither };
    let others = || others.iter().flatten();
    // One that agrees with both says nothing: a range with few digits overlaps with much.
    let for_first = others().any(|other| other.overlaps(first) && !other.overlaps(second));
    let for_second = others().any(|other| other.overlaps(second) && !other.overlaps(first));
    match (for_first, for_second) {
        (true, false) => Borne::First,
        (false, true) => Borne::Second,
        (true, true) => Borne::Both,
        (false, false) => Borne::Neither,
    }
}

/// The rate of a stream, as a range and as one number: its IOPS, or where none are stated or others refute them, its I/Os over
/// its runtime. A count that its bytes contradict gives none.
pub(super) fn sound_rate(part: &Part<'_>, stream: &Stream<'_>) -> Option<(Range, f64)> {
    let stated = &stream.stated;
    let counted = || {
        let runtime = stated.runtime_s.filter(|runtime| runtime.value > 0.0)?;
        let count = bytes(stated.io_count?);
        Some((Range::exact(count) / Range::of(runtime), count / runtime.value))
    };
    match stated.iops {
        Some(iops) => {
            let told = (Range::of(iops), iops.value);
            // Refuted, and not only contradicted: where nothing tells which of two figures is wrong, the one that is stated
            // stays.
            let all = Told::of(part, stream);
            Some(if all.iops_or_count() == Borne::Second {
                counted().unwrap_or(told)
            } else if differ(all.iops, all.bandwidth)
                && all.iops_or_bandwidth_of(part, stream) == Borne::Second
            {
                all.counted.or(all.bandwidth).map_or(told, |rate| (rate, rate.middle()))
            } else {
                told
            })
        }
        None => counted().filter(|_| !Told::of(part, stream).counts_differ()),
    }
}
