//! The jobs that make a captured load again, and how well a profile of them agrees with the capture.

use iotrial_model::block_trace::{CapturedJob, IoClass};
use iotrial_model::load::{BlockShare, BlockSizes, Durability, Pattern, Role};
use iotrial_model::plan::Arrival;
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;
use serde::Serialize;

use super::{Capture, CaptureAnswer, ClassCount, SizeShare};

/// Classes with less of all I/Os are no job of their own: the first I/Os of each stream follow nothing.
const LEAST_SHARE_PERCENT: u64 = 2;
/// So many sizes of a job, each with at least 1 % of its I/Os.
const MOST_SIZES: usize = 6;
/// A busiest fifth with more than this is a hot spot, where regions have enough I/Os that they do not differ by chance.
const HOT_PERCENT: f64 = 50.0;
const LEAST_PER_REGION: f64 = 8.0;
/// Outstanding I/Os of a trace that does not say when they end.
const UNKNOWN_IODEPTH: u32 = 32;
/// No job is smaller.
const SMALLEST_FILE: u64 = 1 << 30;
/// No I/O is a smaller part than a sector, and none larger than a profile allows.
const SECTOR: u64 = 512;
const LARGEST: u64 = 64 << 20;

/// The most frequent sizes of a class.
pub(super) fn most_frequent(counted: &ClassCount) -> Vec<SizeShare> {
    let mut sizes: Vec<(u64, u64)> = counted.sizes.iter().map(|(bytes, count)| (*bytes, *count)).collect();
    sizes.sort_by_key(|(bytes, count)| (std::cmp::Reverse(*count), *bytes));
    let share = |(bytes, count): (u64, u64)| SizeShare {
        bytes,
        percent: 100.0 * count as f64 / counted.count as f64,
    };
    let is_frequent = |one: &SizeShare| one.percent >= 1.0;
    sizes.into_iter().map(share).filter(is_frequent).take(MOST_SIZES).collect()
}

/// One job for each class that has a part in the load.
pub(super) fn jobs(capture: &Capture, seconds: f64) -> Vec<CapturedJob> {
    let mut classes = capture.classes.clone();
    let all = classes.iter().map(|class| class.count).sum::<u64>();
    fold(&mut classes, all);
    let syncs = capture.flush_count + capture.durable_count;
    let synced = of_syncs(&classes).filter(|_| syncs > 0);
    let is_log = synced == Some(IoClass::SmallSequentialWrites);
    let job = |class: IoClass| {
        let counted = &classes[class as usize];
        let is_synced = synced == Some(class);
        let is_random = !class.is_sequential();
        let bytes = if is_random { capture.regions.len() as u64 * (1 << 20) } else { counted.bytes };
        CapturedJob {
            class,
            role: match class {
                IoClass::SmallSequentialWrites if is_log => Role::Log,
                IoClass::SequentialReads | IoClass::LargeSequentialWrites => Role::Scan,
                _ => Role::Data,
            },
            pattern: if is_random { Pattern::Random } else { Pattern::Sequential },
            block_sizes: sizes(counted),
            iops: counted.count as f64 / seconds,
            iodepth: match counted.outstanding.answer() {
                Some(outstanding) if capture.has_completions() => outstanding.p99.max(1),
                _ => UNKNOWN_IODEPTH,
            },
            size: ByteSize::bytes(bytes.max(SMALLEST_FILE).next_multiple_of(SMALLEST_FILE)),
            hot_spot: if is_random { hot_spot(capture) } else { None },
            durability: match (is_synced, capture.durable_count > capture.flush_count) {
                (false, _) => Durability::None,
                (true, true) => Durability::Dsync,
                (true, false) => Durability::Fdatasync,
            },
            flush_every: if is_synced { rounded(counted.count as f64 / syncs as f64) } else { 1 },
        }
    };
    IoClass::ALL.into_iter().filter(|class| classes[*class as usize].count > 0).map(job).collect()
}

/// Classes of few I/Os go where their like are.
fn fold(classes: &mut [ClassCount; IoClass::ALL.len()], all: u64) {
    use IoClass::{LargeSequentialWrites, RandomReads, RandomWrites, SequentialReads, SmallSequentialWrites};
    let pairs = [
        (SequentialReads, RandomReads),
        (RandomReads, SequentialReads),
        (LargeSequentialWrites, SmallSequentialWrites),
        (SmallSequentialWrites, LargeSequentialWrites),
        (SmallSequentialWrites, RandomWrites),
        (LargeSequentialWrites, RandomWrites),
        (RandomWrites, SmallSequentialWrites),
        (RandomWrites, LargeSequentialWrites),
    ];
    for (few, many) in pairs {
        let (count, other) = (classes[few as usize].count, classes[many as usize].count);
        if count > 0 && other >= count && count * 100 < all * LEAST_SHARE_PERCENT {
            let mut taken = std::mem::take(&mut classes[few as usize]);
            classes[many as usize].take(&mut taken);
        }
    }
}

/// The class of writes that syncs are for: a log if there is one.
fn of_syncs(classes: &[ClassCount; IoClass::ALL.len()]) -> Option<IoClass> {
    let likely = [IoClass::SmallSequentialWrites, IoClass::RandomWrites, IoClass::LargeSequentialWrites];
    likely.into_iter().find(|class| classes[*class as usize].count > 0)
}

/// Sizes as a profile takes them: each a multiple of the smallest.
fn sizes(counted: &ClassCount) -> BlockSizes {
    let frequent = most_frequent(counted);
    let unit = frequent.iter().map(|one| one.bytes).min().unwrap_or(4_096).clamp(SECTOR, LARGEST);
    let unit = unit.next_multiple_of(SECTOR);
    let mut shares: Vec<BlockShare> = Vec::new();
    for one in &frequent {
        let size = (one.bytes.saturating_add(unit / 2) / unit).max(1) * unit;
        let size = ByteSize::bytes(size.min(LARGEST / unit * unit));
        let weight = rounded(one.percent);
        match shares.iter_mut().find(|share| share.size == size) {
            Some(share) => share.weight += weight,
            None => shares.push(BlockShare { size, weight }),
        }
    }
    BlockSizes::mix(shares).unwrap_or(BlockSizes::one(ByteSize::bytes(unit)))
}

/// To a whole number, one at least.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held within its range")]
fn rounded(number: f64) -> u32 {
    number.round().clamp(1.0, 1e6) as u32
}

fn hot_spot(capture: &Capture) -> Option<(u8, u8)> {
    let spots = capture.regions.answer()?;
    let is_hot = spots.busiest_20_percent > HOT_PERCENT && spots.ios_per_region >= LEAST_PER_REGION;
    let percent = u8::try_from(rounded(spots.busiest_20_percent)).unwrap_or(99).clamp(1, 99);
    is_hot.then_some((percent, 20))
}

/// A figure of the capture, and the same of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compared {
    /// Which.
    pub figure: ComparedFigure,
    /// Of the capture.
    pub capture: f64,
    /// Of the profile.
    pub profile: f64,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedFigure {
    /// Reads and writes per second.
    Iops,
    /// Share of reads.
    ReadPercent,
    /// Mean size of reads.
    ReadBytes,
    /// Mean size of writes.
    WriteBytes,
    /// Share of sequential I/Os.
    SequentialPercent,
    /// Syncs per second.
    SyncsPerS,
}

/// What a profile makes beside what was captured. The profile is the one that was read from its text, so that what the text leaves out shows.
pub fn compared(answer: &CaptureAnswer, profile: &Profile) -> Vec<Compared> {
    let mut made = Made::default();
    for (at, job) in profile.jobs.iter().enumerate() {
        let Arrival::Open { iops, .. } = Arrival::of_job(profile, at) else { continue };
        let reads = iops * f64::from(job.rwmix_read_percent) / 100.0;
        made.iops += iops;
        made.reads += reads;
        made.bytes[0] += reads * job.block_size.mean_bytes();
        made.bytes[1] += (iops - reads) * job.block_size.mean_bytes();
        made.sequential += if job.pattern == Pattern::Sequential { iops } else { 0.0 };
        let is_durable = job.durability != Durability::None;
        made.syncs += if is_durable { (iops - reads) / f64::from(job.flush_every) } else { 0.0 };
    }
    let (writes, all) = (made.iops - made.reads, made.iops.max(1e-9));
    let bytes = |of: &Option<super::DirectionAnswer>| of.as_ref().map_or(0.0, |one| one.mean_bytes);
    let row = |figure, capture, profile| Compared { figure, capture, profile };
    let rows = [
        row(ComparedFigure::Iops, answer.iops, made.iops),
        row(ComparedFigure::ReadPercent, answer.read_percent, 100.0 * made.reads / all),
        row(ComparedFigure::ReadBytes, bytes(&answer.read), made.bytes[0] / made.reads.max(1e-9)),
        row(ComparedFigure::WriteBytes, bytes(&answer.write), made.bytes[1] / writes.max(1e-9)),
        row(ComparedFigure::SequentialPercent, answer.sequential_percent, 100.0 * made.sequential / all),
        row(ComparedFigure::SyncsPerS, answer.syncs.per_s, made.syncs),
    ];
    let is_there = |one: &Compared| match one.figure {
        ComparedFigure::ReadBytes => answer.read.is_some(),
        ComparedFigure::WriteBytes => answer.write.is_some(),
        _ => true,
    };
    rows.into_iter().filter(is_there).collect()
}

/// What the jobs of a profile make in a second.
#[derive(Default)]
struct Made {
    iops: f64,
    reads: f64,
    bytes: [f64; 2],
    sequential: f64,
    syncs: f64,
}
