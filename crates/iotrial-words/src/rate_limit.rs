//! What is said of the limit that holds a rate at its ceiling.

use iotrial_model::load::Direction;
use iotrial_model::rate_limit::{LimitCause, LimitKind, RateUnit, SameRate, SharedOn, TogetherCause};
use iotrial_model::words::enumerate;
use serde::Serializer;

use crate::finding::message;
use crate::finding::swept;
use crate::numbers::{
    latency_in_words, outstanding_in_words, rate_in_words, seconds_in_words, with_thousands,
};

/// The generator waited for a CPU, and nothing else explains the rate.
const WAITED: &str = "but iotrial had to wait for a CPU (`generator-busy`), so the host may be the limit instead: repeat on a quieter host";
/// The same where a cause is known.
const WAITED_TOO: &str =
    "iotrial also had to wait for a CPU (`generator-busy`), which may explain part of it";

/// For `serialize_with`: the sentence.
pub fn in_json<S: Serializer>(cause: &LimitCause, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&says(cause))
}

/// What kind of limit it is, in two words.
pub const fn kind_in_words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Generator => "own CPU",
        LimitKind::IopsCap => "IOPS cap",
        LimitKind::BandwidthCap => "bandwidth cap",
        LimitKind::IopsLimit => "IOPS limit",
        LimitKind::BandwidthLimit => "bandwidth limit",
        LimitKind::SharedPath => "shared path",
        LimitKind::RateCap => "rate cap",
        LimitKind::Device => "device",
        LimitKind::SharedDevice => "shared device",
        LimitKind::NoneShared => "none shared",
        LimitKind::NotReached => "not reached",
        LimitKind::Unknown => "unknown",
    }
}

/// One sentence on the limit, with the evidence.
pub fn says(cause: &LimitCause) -> String {
    match cause {
        LimitCause::Generator(finding) => message(finding),
        LimitCause::BusyJobs { cpu_percent } => format!(
            "each job used {cpu_percent:.0} % of a CPU at the highest rate, so the host that made the load may be the limit: try more jobs or a faster host"
        ),
        LimitCause::StoodStill { rate, unit, seconds, outstanding, wait_ratio, in_work } => format!(
            "{} in every second of {}, with {outstanding} outstanding I/Os that took {} times as long as one alone, while the device was serving {} of them: the device, the volume or the instance has a limit of that rate",
            with_unit(*rate, *unit),
            seconds_in_words(*seconds),
            few(*wait_ratio),
            few(*in_work)
        ),
        LimitCause::SameCap { rate, unit, pattern } => {
            format!("{}, the same cap as that of {pattern}", with_unit(*rate, *unit))
        }
        LimitCause::CapOfDirection { direction, share_percent, rate, unit, pattern } => {
            let (ios, only) = match direction {
                Direction::Read => ("reads", "a limit on reads"),
                Direction::Write => ("writes", "a limit on writes"),
            };
            format!(
                "the {ios}, {share_percent} % of the I/Os, do {}, the same cap as that of {pattern}: {only}",
                with_unit(*rate, *unit)
            )
        }
        LimitCause::SameWithOtherSize(rate) => {
            let meaning = match rate.unit {
                RateUnit::MibPerS => {
                    "a limit on bytes per second: a configured one, or that of the device or the path to it"
                }
                RateUnit::Iops => {
                    "a limit on I/Os per second: a configured one, or a device that takes the same time for both sizes"
                }
            };
            format!("{}: {meaning}", same_rate(rate))
        }
        LimitCause::Drift { from_iops, to_iops, seconds } => swept::drift(*from_iops, *to_iops, *seconds),
        LimitCause::OneLoad { outstanding } => format!(
            "the only load that was measured has {}: measure others to see whether more increase the rate",
            outstanding_in_words(*outstanding)
        ),
        LimitCause::LoadsTooClose { least, most } => format!(
            "{least} and {most} outstanding I/Os reach about the same rate, and are too close together to show whether more increase it"
        ),
        LimitCause::StillRising { most, ceiling_iops } => format!(
            "{} still increased the rate: the ceiling is above {} IOPS",
            outstanding_in_words((*most).into()),
            rate_in_words(*ceiling_iops)
        ),
        LimitCause::BurstEnded { burst_iops, iops, has_waited } => {
            let rates =
                format!("{} IOPS at first and {} later", rate_in_words(*burst_iops), rate_in_words(*iops));
            match has_waited {
                true => format!("{rates}, {WAITED}"),
                false => {
                    format!("{rates}: burst credits or a cache were used up, and the lasting rate is capped")
                }
            }
        }
        LimitCause::BeyondKnee { lowest, ceiling_iops, has_waited } => format!(
            "{} outstanding I/Os, the lowest load that was measured, are already at or beyond the knee: measure lower loads to see where latency begins to grow and what limits the rate to {} IOPS{}",
            rate_in_words(*lowest),
            rate_in_words(*ceiling_iops),
            waited(*has_waited, WAITED)
        ),
        LimitCause::Knee { outstanding, lat_mean_us, has_waited } => {
            knee(*outstanding, *lat_mean_us, *has_waited)
        }
        LimitCause::Together { volume_count, iops, sum_of_alone_iops, cause } => {
            together(*volume_count, *iops, *sum_of_alone_iops, cause)
        }
    }
}

fn knee(outstanding: f64, lat_mean_us: f64, has_waited: bool) -> String {
    // As it stands in the table.
    let load = if outstanding < 10.0 { format!("{outstanding:.1}") } else { format!("{outstanding:.0}") };
    let latency = latency_in_words(lat_mean_us);
    format!(
        "latency rises slowly up to about {load} outstanding I/Os ({latency} there), and faster beyond: the device, or a limit in front of it such as a queue or a throttle, serves about {load} at once{}",
        waited(has_waited, WAITED)
    )
}

fn together(volume_count: usize, iops: f64, sum_of_alone_iops: f64, cause: &TogetherCause) -> String {
    let percent = 100.0 * iops / sum_of_alone_iops;
    let all = if volume_count == 2 { "both" } else { "all of them" };
    let are_on = |on: &SharedOn| format!("{all} are on {}", shared_on(on));
    let short = || {
        format!(
            "{volume_count} volumes together do {} IOPS, {percent:.0} % of the {} that they do separately",
            rate_in_words(iops),
            rate_in_words(sum_of_alone_iops)
        )
    };
    match cause {
        TogetherCause::NoneShared(own) => {
            let own = own.as_ref().map(|(kind, own)| format!(" ({}): {}", kind_in_words(*kind), says(own)));
            format!(
                "{volume_count} volumes together do {percent:.0} % of what they do separately; the limit is each volume's own{}",
                own.unwrap_or_default()
            )
        }
        TogetherCause::Shown(shown, on) => {
            let on = on.as_ref().map(|on| format!("; {}", are_on(on))).unwrap_or_default();
            format!("{}: {}{on}", short(), says(shown))
        }
        TogetherCause::SameDevice { on, same_rate: rate, has_waited } => {
            let rate = rate.as_ref().map(|rate| format!(", and do {}", same_rate(rate))).unwrap_or_default();
            format!("{}: {}{rate}{}", short(), are_on(on), waited(*has_waited, WAITED_TOO))
        }
        TogetherCause::HasWaited => format!("{}, {WAITED}", short()),
        TogetherCause::SameWithOtherSize(rate) => {
            let meaning = match rate.unit {
                RateUnit::MibPerS => {
                    "a limit on bytes per second of the path that they share, or of the machine"
                }
                RateUnit::Iops => {
                    "a limit on I/Os per second that they share, such as one of the machine or the array"
                }
            };
            format!("{}: {}: {meaning}", short(), same_rate(rate))
        }
        TogetherCause::Unknown => format!(
            "{}: they share a limit; a sweep with another block size shows whether it limits I/Os or bytes per second",
            short()
        ),
    }
}

fn waited(has_waited: bool, words: &str) -> String {
    if has_waited { format!("; {words}") } else { String::new() }
}

/// What several targets lie on: `the same disk, vda`.
pub(crate) fn shared_on(on: &SharedOn) -> String {
    let noun = if on.are_disks { "disk" } else { "device" };
    let s = if on.names.len() == 1 { "" } else { "s" };
    format!("the same {noun}{s}, {}", enumerate(&on.names))
}

fn same_rate(rate: &SameRate) -> String {
    let SameRate { unit, small, large } = rate;
    let sizes = format!("{} KiB and {} KiB", small.0 as f64 / 1024.0, large.0 as f64 / 1024.0);
    let (one, other) = (with_thousands(small.1), with_thousands(large.1));
    let rates = if one == other { one } else { format!("{one} and {other}") };
    match unit {
        RateUnit::MibPerS => {
            format!("the same {rates} MiB/s with I/Os of {sizes}, while the I/Os per second differ")
        }
        RateUnit::Iops => format!("the same {rates} IOPS with I/Os of {sizes}, while the bytes differ"),
    }
}

fn with_unit(rate: f64, unit: RateUnit) -> String {
    match unit {
        RateUnit::Iops => format!("{} IOPS", with_thousands(rate)),
        RateUnit::MibPerS => format!("{rate:.1} MiB/s"),
    }
}

/// A small number for people: `1.5`, `24`, `less than 0.1`.
fn few(number: f64) -> String {
    match number {
        ..0.05 => "less than 0.1".to_owned(),
        ..9.95 => format!("{number:.1}"),
        _ => with_thousands(number),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use iotrial_model::finding::{Finding, FindingId, Severity};

    use super::*;

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__rate_limit__tests__page.snap`.
    #[test]
    fn every_limit_has_its_words_on_one_page() {
        let said = "[what generator-busy says]".to_owned();
        let finding = Finding::without_evidence(FindingId::GeneratorBusy, Severity::Warning, said);
        let stood_still = |rate, unit, wait_ratio, in_work| LimitCause::StoodStill {
            rate,
            unit,
            seconds: 10.0,
            outstanding: 64.0,
            wait_ratio,
            in_work,
        };
        let same =
            |unit, rates: [f64; 2]| SameRate { unit, small: (8_192, rates[0]), large: (65_536, rates[1]) };
        let (by_iops, by_bytes) =
            (same(RateUnit::Iops, [3_000.0, 3_010.0]), same(RateUnit::MibPerS, [125.0, 125.2]));
        let together = |cause| LimitCause::Together {
            volume_count: 2,
            iops: 12_000.0,
            sum_of_alone_iops: 20_000.0,
            cause,
        };
        let disk = SharedOn { names: vec!["vda".to_owned()], are_disks: true };
        let devices = SharedOn { names: vec!["md0".to_owned(), "md1".to_owned()], are_disks: false };
        let cap = || Box::new(stood_still(3_000.0, RateUnit::Iops, 21.3, 1.52));
        let knee =
            |outstanding, lat_mean_us, has_waited| LimitCause::Knee { outstanding, lat_mean_us, has_waited };
        let burst = |has_waited| LimitCause::BurstEnded { burst_iops: 10_000.0, iops: 4_000.0, has_waited };
        let pattern = "randread-8k".parse().unwrap();
        let of_direction = |direction, share_percent, rate, unit, pattern: &str| {
            let pattern = pattern.parse().unwrap();
            LimitCause::CapOfDirection { direction, share_percent, rate, unit, pattern }
        };
        let all = [
            LimitCause::Generator(Box::new(finding)),
            LimitCause::BusyJobs { cpu_percent: 97.0 },
            *cap(),
            stood_still(125.0, RateUnit::MibPerS, 3.2, 0.02),
            LimitCause::SameCap { rate: 3_000.0, unit: RateUnit::Iops, pattern },
            of_direction(Direction::Write, 30, 700.0, RateUnit::Iops, "randwrite-8k"),
            of_direction(Direction::Read, 50, 62.5, RateUnit::MibPerS, "read-64k"),
            LimitCause::SameWithOtherSize(by_iops),
            LimitCause::SameWithOtherSize(by_bytes),
            LimitCause::Drift { from_iops: 9_000.0, to_iops: 3_000.0, seconds: 30 },
            LimitCause::OneLoad { outstanding: 8.0 },
            LimitCause::LoadsTooClose { least: 8.0, most: 12.0 },
            LimitCause::StillRising { most: 256, ceiling_iops: 40_000.0 },
            burst(false),
            burst(true),
            LimitCause::BeyondKnee { lowest: 16.0, ceiling_iops: 5_000.0, has_waited: false },
            knee(9.6, 850.0, false),
            knee(31.7, 2_340.0, true),
            together(TogetherCause::NoneShared(None)),
            together(TogetherCause::NoneShared(Some((LimitKind::IopsCap, cap())))),
            together(TogetherCause::Shown(cap(), Some(disk.clone()))),
            together(TogetherCause::SameDevice { on: disk, same_rate: Some(by_iops), has_waited: false }),
            together(TogetherCause::SameDevice { on: devices, same_rate: None, has_waited: true }),
            together(TogetherCause::HasWaited),
            together(TogetherCause::SameWithOtherSize(by_iops)),
            together(TogetherCause::SameWithOtherSize(by_bytes)),
            together(TogetherCause::Unknown),
        ];
        let mut page = String::new();
        for kind in LimitKind::ALL {
            writeln!(page, "{kind}: {}", kind_in_words(*kind)).unwrap();
        }
        for cause in &all {
            writeln!(page, "{}", says(cause)).unwrap();
        }
        insta::assert_snapshot!("page", page);
    }
}
