//! What is said of proposals for settings of databases.

use iotrial_model::setting::{SettingEvidence, SettingReserve};
use iotrial_model::units::ByteSize;
use iotrial_model::words::counted;

use crate::numbers::{latency_in_words, rate_in_words, with_thousands};

/// A value as it is written into a configuration file.
pub fn setting_value(evidence: &SettingEvidence, value: f64) -> String {
    match evidence {
        SettingEvidence::PageCosts { .. } => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// What a value comes from, in a clause or two; `computed` is what the rule comes to, where that is out of bounds.
pub fn setting_origin(evidence: &SettingEvidence, value: f64, computed: Option<f64>) -> String {
    let written = |number| setting_value(evidence, number);
    let bounded = computed.map_or_else(String::new, |computed| {
        let (which, edge) = if computed > value { ("more", "at most") } else { ("less", "at least") };
        format!(
            "; the rule gives {}, but {which} is not proposed: {edge} {}",
            written(computed),
            written(value)
        )
    });
    format!("{}{bounded}", measurements(evidence))
}

fn measurements(evidence: &SettingEvidence) -> String {
    let kib = |bytes: u64| ByteSize::bytes(bytes).to_string();
    match evidence {
        SettingEvidence::PageCosts { random_page_us, sequential_page_us, sequential_block_bytes, ratio } => {
            format!(
                "a random 8 KiB read takes {}, one page of a sequential {} read {}: a factor of {ratio:.0}, divided by ten because nine of ten pages are assumed cached",
                latency_in_words(*random_page_us),
                kib(*sequential_block_bytes),
                latency_in_words(*sequential_page_us)
            )
        }
        SettingEvidence::Knee { knee_outstanding, knee_iops } => format!(
            "more than {knee_outstanding:.0} outstanding random 8 KiB reads gain little ({} IOPS)",
            rate_in_words(*knee_iops)
        ),
        SettingEvidence::PageWrites { write_iops, block_size_bytes, is_ceiling } => format!(
            "{} random writes of {} per second{}",
            rate_in_words(*write_iops),
            kib(*block_size_bytes),
            if *is_ceiling { " at saturation" } else { " while reads ran too" }
        ),
        SettingEvidence::Processors { cpu_count } => {
            format!("{} of this host", counted(u64::from(*cpu_count), "logical processor"))
        }
        SettingEvidence::ReadSizes { block_size_bytes, bandwidth_mib_per_s, most_mib_per_s, size_count } => {
            format!(
                "sequential reads of {} reach {} MiB/s; the highest of {size_count} measured sizes is {} MiB/s",
                kib(*block_size_bytes),
                with_thousands(*bandwidth_mib_per_s),
                with_thousands(*most_mib_per_s)
            )
        }
    }
}

/// Why the measurements may not be those of a device, after «Here».
pub const fn setting_reserve(reserve: SettingReserve) -> &'static str {
    match reserve {
        SettingReserve::Simulated => "the device was simulated",
        SettingReserve::NoDevice => "no device was measured",
        SettingReserve::SweepNotFinished => "the sweep did not finish",
        SettingReserve::Inconclusive => "the run is inconclusive",
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn all_evidence() -> Vec<SettingEvidence> {
        let writes = |is_ceiling| SettingEvidence::PageWrites {
            write_iops: 12_400.0,
            block_size_bytes: 16_384,
            is_ceiling,
        };
        vec![
            SettingEvidence::PageCosts {
                random_page_us: 180.0,
                sequential_page_us: 9.0,
                sequential_block_bytes: 131_072,
                ratio: 20.0,
            },
            SettingEvidence::Knee { knee_outstanding: 64.0, knee_iops: 81_000.0 },
            writes(true),
            writes(false),
            SettingEvidence::Processors { cpu_count: 1 },
            SettingEvidence::Processors { cpu_count: 16 },
            SettingEvidence::ReadSizes {
                block_size_bytes: 1_048_576,
                bandwidth_mib_per_s: 2_950.0,
                most_mib_per_s: 3_010.0,
                size_count: 5,
            },
        ]
    }

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__setting__tests__page.snap`.
    #[test]
    fn every_setting_has_its_words_on_one_page() {
        let mut page = String::new();
        for evidence in all_evidence() {
            let value = setting_value(&evidence, 8.04);
            writeln!(page, "{value}: {}", setting_origin(&evidence, 8.04, None)).unwrap();
        }
        let processors = SettingEvidence::Processors { cpu_count: 16 };
        for computed in [4.0, 16.0] {
            writeln!(page, "8: {}", setting_origin(&processors, 8.0, Some(computed))).unwrap();
        }
        for reserve in [
            SettingReserve::Simulated,
            SettingReserve::NoDevice,
            SettingReserve::SweepNotFinished,
            SettingReserve::Inconclusive,
        ] {
            writeln!(page, "Here {}: measure again", setting_reserve(reserve)).unwrap();
        }
        insta::assert_snapshot!("page", page);
    }
}
