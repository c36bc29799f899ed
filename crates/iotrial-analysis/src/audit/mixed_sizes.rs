//! The rate of one of two sizes that a printed stream mixes, such as that of a log among the writes of data files.

use iotrial_model::audit::DerivedRate;
use iotrial_model::load::{Direction, Role};
use iotrial_model::range::Range;
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::subject::Subject;
use iotrial_model::units::ByteSize;

use super::part::{Part, bytes};
use super::tally::Tally;

const MIB: f64 = 1_048_576.0;

/// Of the streams of a whole result. Where jobs have figures of their own, nothing is hidden; and IOPS and MiB/s that no mix of the two
/// sizes gives contradict each other, which is said elsewhere.
pub(super) fn derive_rates(subject: &Subject<'_>, parts: &[Part<'_>], tally: &mut Tally) {
    let [whole] = parts else { return };
    if subject.source.is_none() || whole.place.job.is_some() {
        return;
    }
    for (kind, direction) in [(StreamKind::Read, Direction::Read), (StreamKind::Write, Direction::Write)] {
        let (Some(stream), Some(sizes)) = (whole.stream(kind), two_sizes(subject, direction)) else {
            continue;
        };
        let (Some(iops), Some(bandwidth)) = (stream.stated.iops, stream.stated.bandwidth_mib_per_s) else {
            continue;
        };
        let TwoSizes { small, large, role } = sizes;
        let (a, b) = (bytes(small.get()), bytes(large.get()));
        let of_large = |iops: f64, mib_per_s: f64| (mib_per_s * MIB - a * iops) / (b - a);
        let (rates, flows) = (Range::of(iops), Range::of(bandwidth));
        let range = Range { low: of_large(rates.high, flows.low), high: of_large(rates.low, flows.high) };
        // From nothing on, or more than all: the digits do not tell.
        if range.low <= 0.0 || range.low > rates.high {
            continue;
        }
        tally.derived.push(DerivedRate {
            place: whole.place.clone(),
            stream: kind,
            small,
            large,
            role,
            iops: of_large(iops.value, bandwidth.value),
            range: Range { high: range.high.min(rates.high), ..range },
        });
    }
}

/// The sizes of all I/Os of a direction, where there are two.
struct TwoSizes {
    small: ByteSize,
    large: ByteSize,
    role: Option<Role>,
}

/// `None` where a job that does any of these I/Os does not say their size.
fn two_sizes(subject: &Subject<'_>, direction: Direction) -> Option<TwoSizes> {
    let mut sizes: Vec<(ByteSize, Option<Role>)> = Vec::new();
    for job in subject.jobs.iter().filter(|job| job.load.does(Some(direction))) {
        let of_direction = job.load.block_sizes.iter();
        let of_direction = of_direction.filter(|one| one.direction.is_none_or(|other| other == direction));
        let before = sizes.len();
        sizes.extend(of_direction.map(|one| (one.size, job.role)));
        if sizes.len() == before {
            return None;
        }
    }
    let small = sizes.iter().map(|(size, _)| *size).min()?;
    let large = sizes.iter().map(|(size, _)| *size).max()?;
    if small == large || sizes.iter().any(|(size, _)| *size != small && *size != large) {
        return None;
    }
    let roles = |meant: ByteSize| sizes.iter().filter(move |(size, _)| *size == meant).map(|(_, role)| *role);
    let role = roles(large).next().flatten();
    let is_own = roles(large).all(|other| other == role) && roles(small).all(|other| other != role);
    Some(TwoSizes { small, large, role: role.filter(|_| is_own) })
}
