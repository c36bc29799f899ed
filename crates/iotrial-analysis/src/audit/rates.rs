//! Rates, sizes and totals: I/Os per second times their size are bytes per second, and both times the runtime are totals.

use iotrial_model::imported::{Stated, StatedStream};
use iotrial_model::range::{ContradictingRates, Range, write_change, write_number, write_stated};

use super::agreement::{Borne, Told};
use super::directions;
use super::part::{Part, Stream, bytes};
use super::tally::{AuditFinding, Check, Tally, Weight};
use crate::contradiction::sizes_in_words;

const MIB: f64 = 1_048_576.0;

/// All that is said of how much and how fast.
pub(super) fn check_rates(part: &Part<'_>, tally: &mut Tally) {
    for stream in &part.streams {
        let place = format!("{}, {}", part.place, stream.name);
        let refuted = check_bandwidth(part, stream, &place, tally);
        check_sums(part, stream, refuted, &place, tally);
        check_transfer_size(part, stream, &place, tally);
    }
    directions::check_directions(part, tally);
}

/// Why a printed throughput is not IOPS × block size, and what is right where that is not the product.
struct Diagnosis {
    cause: String,
    right: Option<String>,
}

/// IOPS and MiB/s that contradict each other, each as what it makes of the other.
#[derive(Clone, Copy)]
struct Refuted {
    mib_per_s: Range,
    iops: Range,
    borne: Borne,
}

/// IOPS × block size against MiB/s.
fn check_bandwidth(part: &Part<'_>, stream: &Stream<'_>, place: &str, tally: &mut Tally) -> Option<Refuted> {
    let (Some(iops), Some(bandwidth)) = (stream.stated.iops, stream.stated.bandwidth_mib_per_s) else {
        return None;
    };
    let Some(block) = part.block_range(stream.name) else {
        tally.unchecked(format!(
            "{}: the block size is not stated, so IOPS could not be compared with MiB/s",
            part.place
        ));
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
    if let Some(diagnosis) = mistaken_unit(exact, Range::exact(bandwidth.value)).filter(|_| !agree) {
        tally.found(finding(place, iops, bandwidth, block, exact, diagnosis, Weight::Doubt));
    } else {
        tally.held(Check::IopsBandwidth);
    }
    None
}

/// The bytes agree with the IOPS at the size that is told, so it is the MiB/s that are wrong: by a unit, or altogether.
fn wrong_bandwidth(product: Range, printed: Range) -> String {
    if let Some(diagnosis) = mistaken_unit(product, printed) {
        return diagnosis.cause;
    }
    // Only here, as eight times the bytes may as well be eight times the block.
    if product.overlaps(printed.scaled(MIB / 8.0)) {
        return "megabits (of 1,048,576) are printed as MiB: the number counts bits, not bytes".to_owned();
    }
    "the bytes over the runtime agree with the IOPS, so the MiB/s were changed or come from another run"
        .to_owned()
}

/// Count or bytes agree with the MiB/s, so it is the IOPS that are wrong.
fn wrong_iops(
    place: &str,
    iops: Stated,
    bandwidth: Stated,
    block: Range,
    right: Range,
    told: &Told,
) -> AuditFinding {
    let off = 100.0 * (iops.value / right.middle() - 1.0);
    let agrees = |other: Option<Range>| {
        other.zip(told.bandwidth).is_some_and(|(other, bandwidth)| other.overlaps(bandwidth))
    };
    let witnesses = match (agrees(told.counted), agrees(told.moved)) {
        (true, true) => "count and bytes over the runtime agree",
        (true, false) => "the count over the runtime agrees",
        (false, true) => "the bytes over the runtime agree",
        (false, false) => "Little's law (mean latency and outstanding I/Os) agrees",
    };
    AuditFinding {
        check: Check::IopsBandwidth,
        weight: Weight::Contradiction,
        place: place.to_owned(),
        message: format!(
            "{} MiB/s in I/Os of {} make {right} IOPS, not {} IOPS: {}",
            write_stated(bandwidth),
            sizes_in_words(block),
            write_stated(iops),
            write_change(off),
        ),
        cause: format!("{witnesses} with the MiB/s, so the IOPS were changed or come from another run"),
        right: Some(format!("{right} IOPS")),
        off_by_percent: Some(off),
    }
}

/// The count agrees with the IOPS and the bytes with the MiB/s, so it is the block size that is wrong.
fn other_size(stated: &StatedStream) -> Diagnosis {
    let size = stated.bytes.zip(stated.io_count.filter(|count| *count > 0));
    let size = size.map(|(moved, count)| format!("I/Os of {} B", write_number(bytes(moved) / bytes(count))));
    Diagnosis {
        cause: "the count agrees with the IOPS and the bytes with the MiB/s, so the stated block size is not the one that ran"
            .to_owned(),
        right: Some(size.unwrap_or_else(|| "another block size".to_owned())),
    }
}

fn finding(
    place: &str,
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
    let size = sizes_in_words(block);
    let most = match weight {
        Weight::Contradiction => String::new(),
        Weight::Doubt => ", unless the zeros at the end come from rounding".to_owned(),
    };
    AuditFinding {
        check: Check::IopsBandwidth,
        weight,
        place: place.to_owned(),
        message: format!(
            "{} IOPS of {size} make {} MiB/s, not {} MiB/s: {}{most}",
            write_stated(iops),
            if block.low == block.high { write_number(mib_of(iops, block)) } else { mib.to_string() },
            write_stated(bandwidth),
            write_change(off),
        ),
        cause: diagnosis.cause,
        right: diagnosis.right.or_else(|| {
            (block.low == block.high).then(|| format!("{} MiB/s", write_number(mib_of(iops, block))))
        }),
        off_by_percent: Some(off),
    }
}

fn mib_of(iops: Stated, block: Range) -> f64 {
    iops.value * block.middle() / MIB
}

/// The usual mistakes with units, the most usual first.
fn mistaken_unit(product: Range, printed: Range) -> Option<Diagnosis> {
    // What the printed number would be in bytes if it were in that unit. What was meant is MiB, of 1,048,576 bytes.
    let candidates = [
        (1e6, "MB/s, of 1,000,000 bytes, are printed as MiB/s, of 1,048,576"),
        (MIB * MIB / 1e6, "MiB/s, of 1,048,576 bytes, are printed as MB/s, of 1,000,000"),
        (1_024_000.0, "thousands of I/Os were multiplied by KiB: k is 1,000 in one and 1,024 in the other"),
        (1_073_741.824, "GiB/s were converted to MiB/s by 1,000 instead of 1,024"),
        (125_000.0, "megabits are printed as MiB"),
        (1_024.0, "KiB/s are printed as MiB/s"),
        (1_073_741_824.0, "GiB/s are printed as MiB/s"),
    ];
    let (_, cause) = candidates.into_iter().find(|(unit, _)| product.overlaps(printed.scaled(*unit)))?;
    Some(Diagnosis { cause: cause.to_owned(), right: None })
}

fn diagnose(part: &Part<'_>, stream: &Stream<'_>, product: Range, block: Range, printed: Range) -> Diagnosis {
    // The most telling first: a unit is a factor that nothing else has, a power of two is one of eighteen sizes, and a mean of
    // several sizes can be any number between them.
    if let Some(diagnosis) = mistaken_unit(product, printed) {
        return diagnosis;
    }
    let meant = printed.scaled(MIB);
    let unknown = |cause: String, right| Diagnosis { cause, right };
    // Two figures alone do not say which of them is wrong.
    let one_size =
        stream.stated.iops.zip(stream.stated.bandwidth_mib_per_s).filter(|_| block.low == block.high);
    let either = one_size.map(|(iops, bandwidth)| {
        let right_iops = bandwidth.value * MIB / block.low;
        format!("either {} MiB/s or {} IOPS", write_number(mib_of(iops, block)), write_number(right_iops))
    });
    if let (Some(share), "total") = (part.read_share(), stream.name) {
        for (name, share) in [("reads", share), ("writes", 1.0 - share)] {
            if share > 0.0 && product.scaled(share).overlaps(meant) {
                return unknown(format!("the MiB/s are of the {name} alone, the IOPS of both"), either);
            }
            if share > 0.0 && product.overlaps(meant.scaled(share)) {
                return unknown(format!("the IOPS are of the {name} alone, the MiB/s of both"), either);
            }
        }
    }
    let implied = meant / product.scaled(1.0 / block.middle());
    // From 512 bytes to 64 MiB: smaller is no sector, and larger is no block that anybody uses.
    let powers = (9..=26).map(|power| f64::from(1_u32 << power));
    if let Some(size) = powers.into_iter().find(|size| implied.overlaps(Range::exact(*size))) {
        return unknown(
            format!(
                "the I/Os were of {}, or their size was changed after the text was written",
                sizes_in_words(Range::exact(size))
            ),
            one_size.map(|(iops, _)| {
                let right = write_number(mib_of(iops, block));
                format!("either {right} MiB/s or I/Os of {}", sizes_in_words(Range::exact(size)))
            }),
        );
    }
    let of_all: Vec<f64> =
        part.loads.iter().flat_map(|load| &load.block_sizes).map(|size| bytes(size.size.get())).collect();
    let least = of_all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = of_all.iter().copied().fold(0.0, f64::max);
    if least < most && implied.overlaps(Range { low: least, high: most }) {
        return unknown(
            format!("the figures combine I/Os of several sizes: {} B on average", implied),
            Some(format!(
                "separate figures for each size, from {} to {}",
                sizes_in_words(Range::exact(least)),
                sizes_in_words(Range::exact(most))
            )),
        );
    }
    unknown(
        format!(
            "the figures come from different runs, times or directions: they would fit I/Os of {} B",
            implied
        ),
        either,
    )
}

/// A total with the rate that it is held against, both in one unit.
struct Total {
    /// What the rate is: `the IOPS`.
    what: &'static str,
    unit: &'static str,
    rate_unit: &'static str,
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
    place: &str,
    tally: &mut Tally,
) {
    let stated = &stream.stated;
    let Some(runtime) = stated.runtime_s.filter(|runtime| runtime.value > 0.0) else { return };
    let told = Told::of(part, stream);
    let printed = stated.bandwidth_mib_per_s.map(Range::of);
    let (what, rate, other) = match refuted {
        Some(refuted) if refuted.borne != Borne::Second => {
            ("IOPS times the block size,", Some(refuted.mib_per_s), printed)
        }
        Some(refuted) => ("the MiB/s", printed, Some(refuted.mib_per_s)),
        None => ("the MiB/s", printed, None),
    };
    let borne = told.bandwidth_or_bytes();
    let of_bytes = |unit, total, factor| Total {
        what,
        unit,
        rate_unit: "MiB/s",
        rate: rate.map(|rate| rate.scaled(factor)),
        other: other.map(|rate| rate.scaled(factor)),
        total,
        borne,
        factor,
    };
    let mib = stated.bytes.map(|count| Range::exact(bytes(count) / MIB));
    let totals = [
        of_bytes("GiB", stream.total_gib.map(Range::of), 1.0 / 1_024.0),
        of_bytes("MiB", mib, 1.0),
        Total {
            what: "the IOPS",
            unit: "I/Os",
            rate_unit: "IOPS",
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

fn check_total(of: &Total, runtime: Stated, place: &str, tally: &mut Tally) {
    let (Some(rate), Some(total)) = (of.rate, of.total) else { return };
    let Total { what, unit, rate_unit, .. } = of;
    let seconds = Range::of(runtime);
    let expected = rate * seconds;
    if [Some(rate), of.other].into_iter().flatten().any(|rate| (rate * seconds).overlaps(total)) {
        return tally.held(Check::Totals);
    }
    let off = 100.0 * (total.middle() / expected.middle() - 1.0);
    let implied = total / rate;
    let right_rate = (total / seconds).scaled(1.0 / of.factor);
    let (cause, right) = match of.borne {
        Borne::First => {
            (format!("the other figures agree with {what}, not with the total"), format!("{expected} {unit}"))
        }
        Borne::Second => (
            format!("the other figures agree with the total, not with {what}"),
            format!("{right_rate} {rate_unit}"),
        ),
        Borne::Both => (
            "rates agree with rates and totals with totals, so the runtime is wrong".to_owned(),
            format!("a runtime of {implied} s"),
        ),
        Borne::Neither => (
            format!(
                "the total and the rate cover different times, such as a ramp or only a part of the run: the total would fit {implied} s"
            ),
            format!("either {expected} {unit} or {right_rate} {rate_unit}"),
        ),
    };
    tally.found(AuditFinding {
        check: Check::Totals,
        weight: Weight::Contradiction,
        place: place.to_owned(),
        message: format!(
            "{what} times {} s make {expected} {unit}, not {total} {unit}: {}",
            write_stated(runtime),
            write_change(off)
        ),
        cause,
        right: Some(right),
        off_by_percent: Some(off),
    });
}

/// Bytes against I/Os: of counts, and of a size that is printed.
fn check_transfer_size(part: &Part<'_>, stream: &Stream<'_>, place: &str, tally: &mut Tally) {
    let stated = &stream.stated;
    if let (Some(count), Some(moved), Some(block)) =
        (stated.io_count.filter(|count| *count > 0), stated.bytes, part.block_range(stream.name))
    {
        let size = bytes(moved) / bytes(count);
        // I/Os that end short move less, never more, and those that failed or were under way at an end are counted and move
        // nothing.
        let nothing = part.edge_count() + bytes(stated.error_count.unwrap_or(0));
        let least = (bytes(count) - nothing).max(0.0) * block.low;
        let most = (bytes(count) + part.carried_over()) * block.high;
        // Counts and sizes are exact, so that the tolerance is only what double precision loses.
        if bytes(moved) > most * (1.0 + 1e-9) || bytes(moved) < least * (1.0 - 1e-9) {
            let weight = if size > block.high { Weight::Contradiction } else { Weight::Doubt };
            tally.found(AuditFinding {
                check: Check::TransferSize,
                weight,
                place: place.to_owned(),
                message: format!(
                    "{} I/Os moved {} bytes: {} B each, but their size is {}",
                    write_number(bytes(count)),
                    write_number(bytes(moved)),
                    write_number(size),
                    sizes_in_words(block)
                ),
                cause: if size > block.high {
                    "the stated block size is not the one that ran, or the counts come from different runs".to_owned()
                } else {
                    "I/Os were short, for example beyond the end of the file or device, or one of the counts was changed".to_owned()
                },
                right: None,
                off_by_percent: Some(100.0 * (size / size.clamp(block.low, block.high) - 1.0)),
            });
        } else {
            tally.held(Check::TransferSize);
        }
    }
    let (Some(kb), Some(iops), Some(bandwidth)) =
        (stream.transfer_size_kb, stated.iops, stated.bandwidth_mib_per_s)
    else {
        return;
    };
    let implied = Range::of(bandwidth).scaled(MIB) / Range::of(iops);
    // kB of 1,000 and of 1,024 are both printed as KB.
    let printed = Range::of(kb);
    if implied.overlaps(printed.scaled(1_000.0)) || implied.overlaps(printed.scaled(1_024.0)) {
        return tally.held(Check::TransferSize);
    }
    let off = 100.0 * (kb.value * 1_000.0 / implied.middle() - 1.0);
    tally.found(AuditFinding {
        check: Check::TransferSize,
        weight: Weight::Contradiction,
        place: place.to_owned(),
        message: format!(
            "the stated size of an I/O is {} kB, but MiB/s over IOPS gives {} kB: {}",
            write_stated(kb),
            implied.scaled(1e-3),
            write_change(off)
        ),
        cause: "the size is an average over another time or direction".to_owned(),
        right: Some(format!("{} kB", implied.scaled(1e-3))),
        off_by_percent: Some(off),
    });
}
