//! Rates, sizes and totals: I/Os per second times their size are bytes per second, and both times the runtime are totals.

use iotrial_model::audit::{
    AuditFinding, Cause, Check, Compared, RateBasis, Reason, ResultPart, Right, RightFigure, RightQuantity,
    Unit, UnitMistake, Value, Weight, Witness,
};
use iotrial_model::imported::{Stated, StatedStream};
use iotrial_model::range::{ContradictingRates, Range};
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::units::ByteSize;

use super::agreement::{Borne, Told};
use super::directions;
use super::part::{Part, Stream, bytes};
use super::tally::Tally;

const MIB: f64 = 1_048_576.0;

/// All that is said of how much and how fast.
pub(super) fn check_rates(part: &Part<'_>, tally: &mut Tally) {
    for stream in &part.streams {
        let place = part.place.stream(stream.kind);
        let refuted = check_bandwidth(part, stream, &place, tally);
        check_sums(part, stream, refuted, &place, tally);
        check_transfer_size(part, stream, &place, tally);
    }
    directions::check_directions(part, tally);
}

/// Why a printed throughput is not IOPS × block size, and what is right where that is not the product.
struct Diagnosis {
    cause: Cause,
    right: Option<Right>,
}

/// IOPS and MiB/s that contradict each other, each as what it makes of the other.
#[derive(Clone, Copy)]
struct Refuted {
    mib_per_s: Range,
    iops: Range,
    borne: Borne,
}

/// IOPS × block size against MiB/s.
fn check_bandwidth(
    part: &Part<'_>,
    stream: &Stream<'_>,
    place: &ResultPart,
    tally: &mut Tally,
) -> Option<Refuted> {
    let (Some(iops), Some(bandwidth)) = (stream.stated.iops, stream.stated.bandwidth_mib_per_s) else {
        return None;
    };
    let Some(block) = part.block_range(stream.kind) else {
        tally.unchecked_at(&part.place, Reason::NoBlockSize);
        return None;
    };
    if let Some(rates) = ContradictingRates::of(&stream.stated, block, part.edge_count()) {
        let ContradictingRates { product, printed } = rates;
        let runtime = stream.stated.runtime_s.map(|runtime| runtime.value).filter(|seconds| *seconds > 0.0);
        let told = Told::of(part, stream);
        let borne = told.iops_or_bandwidth_of(part, stream);
        let rate = printed / block;
        let right = told.counted.filter(|_| borne == Borne::Second).map_or(rate, |_| {
            let counted = stream.stated.io_count.zip(runtime);
            counted.map_or(rate, |(count, seconds)| Range::exact(bytes(count) / seconds))
        });
        tally.found(match borne {
            Borne::Second => wrong_iops(place, iops, bandwidth, block, right, &told),
            Borne::Both => {
                let diagnosis = other_size(&stream.stated);
                finding(place, iops, bandwidth, block, product, diagnosis, Weight::Contradiction)
            }
            Borne::First | Borne::Neither => {
                let printed = Range::of(bandwidth);
                let diagnosis = if told.bytes_bear_iops() {
                    Diagnosis { cause: wrong_bandwidth(product, printed), right: None }
                } else {
                    let mut diagnosis = diagnose(part, stream, product, block, printed);
                    if borne == Borne::First {
                        diagnosis.right = None;
                    }
                    diagnosis
                };
                finding(place, iops, bandwidth, block, product, diagnosis, Weight::Contradiction)
            }
        });
        return Some(Refuted { mib_per_s: product.scaled(1.0 / MIB), iops: rate, borne });
    }
    // Numbers with zeros at their end agree with much. Where the numbers as they stand do not, and fit one of the usual
    // mistakes to the last digit, that is worth a word.
    let exact = Range::exact(iops.value) * block;
    let agree = (Range::of_all_digits(iops) * block).overlaps(Range::of_all_digits(bandwidth).scaled(MIB));
    if let Some(mistake) = mistaken_unit(exact, Range::exact(bandwidth.value)).filter(|_| !agree) {
        let diagnosis = Diagnosis { cause: Cause::Unit(mistake), right: None };
        tally.found(finding(place, iops, bandwidth, block, exact, diagnosis, Weight::Doubt));
    } else {
        tally.held(Check::IopsBandwidth);
    }
    None
}

/// The bytes agree with the IOPS at the size that is told, so it is the MiB/s that are wrong: by a unit, or altogether.
fn wrong_bandwidth(product: Range, printed: Range) -> Cause {
    // Bits only here, as eight times the bytes may as well be eight times the block.
    let bits = || product.overlaps(printed.scaled(MIB / 8.0)).then_some(UnitMistake::BinaryMegabitsAsMib);
    mistaken_unit(product, printed).or_else(bits).map_or(Cause::WrongBandwidth, Cause::Unit)
}

/// Count or bytes agree with the MiB/s, so it is the IOPS that are wrong.
fn wrong_iops(
    place: &ResultPart,
    iops: Stated,
    bandwidth: Stated,
    block: Range,
    right: Range,
    told: &Told,
) -> AuditFinding {
    let agrees = |other: Option<Range>| {
        other.zip(told.bandwidth).is_some_and(|(other, bandwidth)| other.overlaps(bandwidth))
    };
    let witness = match (agrees(told.counted), agrees(told.moved)) {
        (true, true) => Witness::CountAndBytes,
        (true, false) => Witness::Count,
        (false, true) => Witness::Bytes,
        (false, false) => Witness::LittlesLaw,
    };
    let compared = Compared::IopsOfBandwidth { bandwidth, sizes: block };
    AuditFinding::of_figures(place, compared, iops, right)
        .because(Cause::WrongIops(witness))
        .expecting(None, Unit::Iops)
        .with_difference()
}

/// The count agrees with the IOPS and the bytes with the MiB/s, so it is the block size that is wrong.
fn other_size(stated: &StatedStream) -> Diagnosis {
    let size = stated.bytes.zip(stated.io_count.filter(|count| *count > 0));
    let right = size.map_or(Right::OtherBlockSize, |(moved, count)| {
        RightFigure::exactly(RightQuantity::IoSize, bytes(moved) / bytes(count)).into()
    });
    Diagnosis { cause: Cause::WrongBlockSize, right: Some(right) }
}

fn finding(
    place: &ResultPart,
    iops: Stated,
    bandwidth: Stated,
    block: Range,
    product: Range,
    diagnosis: Diagnosis,
    weight: Weight,
) -> AuditFinding {
    let mib = product.scaled(1.0 / MIB);
    // From the printed number to the nearest that would agree.
    let nearest = bandwidth.value.clamp(mib.low, mib.high);
    let off = if mib.low == mib.high || block.low == block.high {
        100.0 * (bandwidth.value / mib_of(iops, block) - 1.0)
    } else {
        100.0 * (bandwidth.value / nearest - 1.0)
    };
    let one_size = (block.low == block.high).then(|| mib_of(iops, block));
    let expected = one_size.map_or(Value::Range(mib), Value::from);
    let compared = Compared::BandwidthOfIops { iops, sizes: block };
    let finding = AuditFinding::of_figures(place, compared, bandwidth, expected);
    let right_bandwidth = |mib_per_s| RightFigure::exactly(Unit::MibPerS, mib_per_s).into();
    AuditFinding {
        right: diagnosis.right.or_else(|| one_size.map(right_bandwidth)),
        ..finding.weighing(weight).because(diagnosis.cause).off_by(off)
    }
}

fn mib_of(iops: Stated, block: Range) -> f64 {
    iops.value * block.middle() / MIB
}

/// The usual mistakes with units, the most usual first.
fn mistaken_unit(product: Range, printed: Range) -> Option<UnitMistake> {
    // What the printed number would be in bytes if it were in that unit. What was meant is MiB, of 1,048,576 bytes.
    let candidates = [
        (1e6, UnitMistake::MbAsMib),
        (MIB * MIB / 1e6, UnitMistake::MibAsMb),
        (1_024_000.0, UnitMistake::ThousandsTimesKib),
        (1_073_741.824, UnitMistake::GibTimesThousand),
        (125_000.0, UnitMistake::MegabitsAsMib),
        (1_024.0, UnitMistake::KibAsMib),
        (1_073_741_824.0, UnitMistake::GibAsMib),
        (1e3, UnitMistake::KbAsMib),
        (1e9, UnitMistake::GbAsMib),
        (MIB / 1e3, UnitMistake::TimesThousand),
        (MIB * 1e3, UnitMistake::OverThousand),
    ];
    let is_it = |(unit, _): &(f64, UnitMistake)| product.overlaps(printed.scaled(*unit));
    candidates.into_iter().find(is_it).map(|(_, mistake)| mistake)
}

fn diagnose(part: &Part<'_>, stream: &Stream<'_>, product: Range, block: Range, printed: Range) -> Diagnosis {
    // The most telling first: a unit is a factor that nothing else has, a power of two is one of eighteen sizes, and a mean of
    // several sizes can be any number between them.
    if let Some(mistake) = mistaken_unit(product, printed) {
        return Diagnosis { cause: Cause::Unit(mistake), right: None };
    }
    let meant = printed.scaled(MIB);
    // Two figures alone do not say which of them is wrong.
    let one_size =
        stream.stated.iops.zip(stream.stated.bandwidth_mib_per_s).filter(|_| block.low == block.high);
    let right_bandwidth = |iops| RightFigure::exactly(Unit::MibPerS, mib_of(iops, block));
    let either = one_size.map(|(iops, bandwidth)| {
        let right_iops = RightFigure::exactly(Unit::Iops, bandwidth.value * MIB / block.low);
        Right::either([right_bandwidth(iops), right_iops])
    });
    if let (Some(share), StreamKind::Mixed) = (part.read_share(), stream.kind) {
        for (one, share) in [(StreamKind::Read, share), (StreamKind::Write, 1.0 - share)] {
            if share > 0.0 && product.scaled(share).overlaps(meant) {
                return Diagnosis { cause: Cause::BandwidthOfOne(one), right: either };
            }
            if share > 0.0 && product.overlaps(meant.scaled(share)) {
                return Diagnosis { cause: Cause::IopsOfOne(one), right: either };
            }
        }
    }
    let implied = meant / product.scaled(1.0 / block.middle());
    // From 512 bytes to 64 MiB: smaller is no sector, and larger is no block that anybody uses.
    let powers = (9..=26).map(|power| 1_u32 << power);
    if let Some(size) = powers.into_iter().find(|size| implied.overlaps(Range::exact(f64::from(*size)))) {
        let right_size = RightFigure::exactly(RightQuantity::BlockSize, f64::from(size));
        return Diagnosis {
            cause: Cause::OtherBlockSize(ByteSize::bytes(size.into())),
            right: one_size.map(|(iops, _)| Right::either([right_bandwidth(iops), right_size])),
        };
    }
    let of_all: Vec<f64> =
        part.loads.iter().flat_map(|load| &load.block_sizes).map(|size| bytes(size.size.get())).collect();
    let least = of_all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = of_all.iter().copied().fold(0.0, f64::max);
    let sizes = Range { low: least, high: most };
    if least < most && implied.overlaps(sizes) {
        return Diagnosis { cause: Cause::SeveralSizes(implied), right: Some(Right::SizesApart(sizes)) };
    }
    Diagnosis { cause: Cause::DifferentRuns(implied), right: either }
}

/// A total with the rate that it is held against, both in one unit.
struct Total {
    basis: RateBasis,
    unit: Unit,
    rate_unit: Unit,
    rate: Option<Range>,
    /// Another rate that explains the total as well.
    other: Option<Range>,
    total: Option<Range>,
    /// Whether the other figures agree with the rate, the first, or with the total, the second.
    borne: Borne,
    /// From the unit of the rate to that of its total.
    factor: f64,
}

/// Totals and counts against rate and runtime. Where IOPS contradict MiB/s, a total that fits either of them is not accused too: of
/// three figures one is wrong.
fn check_sums(
    part: &Part<'_>,
    stream: &Stream<'_>,
    refuted: Option<Refuted>,
    place: &ResultPart,
    tally: &mut Tally,
) {
    let stated = &stream.stated;
    let Some(runtime) = stated.runtime_s.filter(|runtime| runtime.value > 0.0) else { return };
    let told = Told::of(part, stream);
    let printed = stated.bandwidth_mib_per_s.map(Range::of);
    let (basis, rate, other) = match refuted {
        Some(refuted) if refuted.borne != Borne::Second => {
            (RateBasis::IopsTimesSize, Some(refuted.mib_per_s), printed)
        }
        Some(refuted) => (RateBasis::Bandwidth, printed, Some(refuted.mib_per_s)),
        None => (RateBasis::Bandwidth, printed, None),
    };
    let borne = told.bandwidth_or_bytes();
    let of_bytes = |unit, total, factor| Total {
        basis,
        unit,
        rate_unit: Unit::MibPerS,
        rate: rate.map(|rate| rate.scaled(factor)),
        other: other.map(|rate| rate.scaled(factor)),
        total,
        borne,
        factor,
    };
    let mib = stated.bytes.map(|count| Range::exact(bytes(count) / MIB));
    let totals = [
        of_bytes(Unit::Gib, stream.total_gib.map(Range::of), 1.0 / 1_024.0),
        of_bytes(Unit::Mib, mib, 1.0),
        Total {
            basis: RateBasis::Iops,
            unit: Unit::Ios,
            rate_unit: Unit::Iops,
            rate: stated.iops.map(Range::of),
            other: refuted.map(|refuted| refuted.iops),
            total: stated.io_count.map(|count| Range::exact(bytes(count))),
            borne: told.iops_or_count(),
            factor: 1.0,
        },
    ];
    for total in totals {
        check_total(&total, runtime, place, tally);
    }
}

fn check_total(of: &Total, runtime: Stated, place: &ResultPart, tally: &mut Tally) {
    let (Some(rate), Some(total)) = (of.rate, of.total) else { return };
    let (rate_basis, unit) = (of.basis, of.unit);
    let seconds = Range::of(runtime);
    let expected = rate * seconds;
    let agree = [Some(rate), of.other].into_iter().flatten().any(|rate| (rate * seconds).overlaps(total));
    let implied = total / rate;
    let right_rate = (total / seconds).scaled(1.0 / of.factor);
    let total_figure = RightFigure::exactly(unit, expected);
    let rate_figure = RightFigure::exactly(of.rate_unit, right_rate);
    let (cause, right) = match of.borne {
        Borne::First => (Cause::WrongTotal(rate_basis), total_figure.into()),
        Borne::Second => (Cause::WrongRate(rate_basis), rate_figure.into()),
        Borne::Both => (Cause::WrongRuntime, RightFigure::exactly(RightQuantity::Runtime, implied).into()),
        Borne::Neither => (Cause::DifferentTimes(implied), Right::either([total_figure, rate_figure])),
    };
    let compared = Compared::TotalOfRate { rate: rate_basis, runtime, unit };
    let finding = AuditFinding::of_figures(place, compared, total, expected).because(cause);
    tally.compare(agree, finding.with_right(right).with_difference());
}

/// Bytes against I/Os: of counts, and of a size that is printed.
fn check_transfer_size(part: &Part<'_>, stream: &Stream<'_>, place: &ResultPart, tally: &mut Tally) {
    let stated = &stream.stated;
    if let (Some(count), Some(moved), Some(block)) =
        (stated.io_count.filter(|count| *count > 0), stated.bytes, part.block_range(stream.kind))
    {
        let size = bytes(moved) / bytes(count);
        // I/Os that end short move less, never more, and those that failed or were under way at an end are counted and move
        // nothing.
        let nothing = part.edge_count() + bytes(stated.error_count.unwrap_or(0));
        let least = (bytes(count) - nothing).max(0.0) * block.low;
        let most = (bytes(count) + part.carried_over()) * block.high;
        // Counts and sizes are exact, so that the tolerance is only what double precision loses.
        let agree = bytes(moved) <= most * (1.0 + 1e-9) && bytes(moved) >= least * (1.0 - 1e-9);
        let compared = Compared::BytesPerIo { io_count: count, bytes: moved };
        let mut finding = AuditFinding::of_figures(place, compared, size, block)
            .off_by(100.0 * (size / size.clamp(block.low, block.high) - 1.0));
        if size <= block.high {
            finding = finding.weighing(Weight::Doubt).because(Cause::ShortIos);
        }
        tally.compare(agree, finding);
    }
    let (Some(kb), Some(iops), Some(bandwidth)) =
        (stream.transfer_size_kb, stated.iops, stated.bandwidth_mib_per_s)
    else {
        return;
    };
    let implied = Range::of(bandwidth).scaled(MIB) / Range::of(iops);
    // kB of 1,000 and of 1,024 are both printed as KB.
    let printed = Range::of(kb);
    let agree = [1_000.0, 1_024.0].iter().any(|kb| implied.overlaps(printed.scaled(*kb)));
    let finding = AuditFinding::of_figures(place, Compared::StatedSize, kb, implied.scaled(1e-3))
        .expecting(None, Unit::Kb)
        .off_by(100.0 * (kb.value * 1_000.0 / implied.middle() - 1.0));
    tally.compare(agree, finding);
}
