//! The figures of a stream: the one list that thresholds, comparison, tables, audit, reports, CSV and gates share.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::load::words;

/// One line a figure, so that one line is all that a figure needs here: its key, the head of its column, its unit, and the
/// percentile that it is.
macro_rules! figures {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $key:literal, $title:literal, $unit:ident, $percent:expr;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $key)] $variant,)+
        }

        impl $name {
            /// All of them, in the order in which tables show them.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// The key in JSON, CSV, tables and gates.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }

            /// The head of its column, and the word for people: `IOPS`, `mean`, `p99.9`.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// What its number counts; the key ends in the same unit.
            pub const fn unit(self) -> FigureUnit {
                match self { $(Self::$variant => FigureUnit::$unit),+ }
            }

            /// The percentile that it is, from 0 to 100; `None` of the others.
            pub const fn percent(self) -> Option<f64> {
                match self { $(Self::$variant => $percent),+ }
            }
        }
    };
}

figures! {
    /// A figure of one stream of I/Os.
    Figure {
        /// I/Os that succeeded, per second.
        Iops = "iops", "IOPS", Iops, None;
        /// Their bytes per second, in MiB.
        Bandwidth = "bandwidth_mib_per_s", "MiB/s", MibPerS, None;
        /// Mean of the total latency.
        LatencyMean = "lat_mean_us", "mean", Us, None;
        /// Median of the total latency.
        LatencyP50 = "lat_p50_us", "p50", Us, Some(50.0);
        /// 90th percentile of the total latency: nine of ten I/Os took no longer.
        LatencyP90 = "lat_p90_us", "p90", Us, Some(90.0);
        /// 95th percentile of the total latency: one I/O of twenty took longer.
        LatencyP95 = "lat_p95_us", "p95", Us, Some(95.0);
        /// 99th percentile of the total latency.
        LatencyP99 = "lat_p99_us", "p99", Us, Some(99.0);
        /// 99.9th percentile of the total latency.
        LatencyP999 = "lat_p999_us", "p99.9", Us, Some(99.9);
        /// 99.99th percentile of the total latency: one I/O of ten thousand took longer.
        LatencyP9999 = "lat_p9999_us", "p99.99", Us, Some(99.99);
        /// Longest total latency.
        LatencyMax = "lat_max_us", "max", Us, None;
    }
}

/// The unit of a figure, which is also the last part of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    /// I/Os per second.
    Iops,
    /// MiB (of 1,048,576 bytes) per second.
    MibPerS,
    /// Microseconds: the unit of every latency, also of those that people read in milliseconds.
    Us,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// I/Os that must lie beyond a percentile before it is told: fewer make it the latency of a few single I/Os.
pub const LEAST_BEYOND: f64 = 10.0;
/// I/Os that a mean latency needs.
const LEAST_FOR_MEAN: u64 = 100;

/// How sure a bound on a percentile is that too few I/Os have for the percentile itself.
const CONFIDENCE_OF_BOUND: f64 = 0.95;

/// The most of `io_count` I/Os that may be slower than a latency for the percentile to be that latency or less, with 95 % confidence; `None`
/// where not even all of them would show that.
///
/// Of I/Os of which a share `1 - percent / 100` is slower, so few or fewer are in one set of twenty (the exact binomial bound: C. J.
/// Clopper, E. S. Pearson, 1934): none of 299 for the 99th, 4 of 913.
pub fn most_beyond(io_count: u64, percent: f64) -> Option<u64> {
    let share = 1.0 - percent / 100.0;
    // From one count to the next; of more I/Os than are asked about here the first would be too small for a float.
    let mut probability = (io_count as f64 * (-share).ln_1p()).exp();
    let mut at_most = probability;
    let mut most = None;
    for beyond in 0..io_count {
        if at_most > 1.0 - CONFIDENCE_OF_BOUND || probability == 0.0 {
            break;
        }
        most = Some(beyond);
        let left = (io_count - beyond) as f64;
        probability *= left / (beyond + 1) as f64 * share / (1.0 - share);
        at_most += probability;
    }
    most
}

impl Figure {
    /// Those that thresholds judge, in the order of their files: what a typical I/O takes, and what the slowest take. A
    /// longest latency is the fate of one I/O, and rates follow from the load that was asked.
    pub const JUDGED: [Self; 3] = [Self::LatencyMean, Self::LatencyP99, Self::LatencyP999];
    /// Those that runs are compared by: those by which they are ranked, and what people set gates on besides.
    pub const COMPARED: [Self; 7] = [
        Self::Iops,
        Self::Bandwidth,
        Self::LatencyMean,
        Self::LatencyP95,
        Self::LatencyP99,
        Self::LatencyP999,
        Self::LatencyMax,
    ];

    /// Whether configurations are ranked by it. More figures would cost certainty, because the error of 5 % is shared by all that
    /// decide: p95 says little that mean and p99 do not, and the longest latency is the fate of one I/O.
    pub const fn ranks(self) -> bool {
        !matches!(self, Self::LatencyP95 | Self::LatencyMax)
    }

    /// Whether it is a latency; the others are rates.
    pub const fn is_latency(self) -> bool {
        matches!(self.unit(), FigureUnit::Us)
    }

    /// Whether its column may be left out where there is little room: its neighbours say nearly the same.
    pub const fn is_detail(self) -> bool {
        matches!(self, Self::LatencyP90 | Self::LatencyP95 | Self::LatencyP9999)
    }

    /// Which way it is better.
    pub const fn better(self) -> Better {
        match self.unit() {
            FigureUnit::Iops | FigureUnit::MibPerS => Better::Higher,
            FigureUnit::Us => Better::Lower,
        }
    }

    /// The share of I/Os that a percentile is not shorter than, from 0 to 1; `None` of the others.
    pub fn share(self) -> Option<f64> {
        // 99.9 / 100 is not 0.999 in binary fractions, and a rank among thousands of I/Os would be one too high.
        self.percent().map(|percent| (percent * 1e4).round() / 1e6)
    }

    /// The I/Os below which it says nothing: a percentile needs ten beyond it, a mean a hundred in all.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    pub fn least_io_count(self) -> u64 {
        match self.percent() {
            // Rounded, because 100 - 99.99 is not a hundredth in binary fractions.
            Some(percent) => (LEAST_BEYOND / (1.0 - percent / 100.0)).round() as u64,
            None if self == Self::LatencyMean => LEAST_FOR_MEAN,
            None => 0,
        }
    }

    /// The key without what all figures of its kind have in common, as threshold files have it: `iops`, `bandwidth`, `mean`,
    /// `p999`.
    pub fn short_key(self) -> &'static str {
        let key = self.key();
        match self.unit() {
            FigureUnit::Iops => key,
            FigureUnit::MibPerS => key.trim_end_matches("_mib_per_s"),
            FigureUnit::Us => key.trim_start_matches("lat_").trim_end_matches("_us"),
        }
    }

    /// How people write it in a gate: `iops`, `bandwidth`, `mean`, `p99.9`.
    pub fn word(self) -> &'static str {
        if self.is_latency() { self.title() } else { self.short_key() }
    }

    /// The figure with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.key() == key)
    }

    /// The figure that somebody calls so: by its key, short or long, or by its title.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|figure| [figure.key(), figure.short_key(), figure.title()].contains(&word))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

words! {
    /// A figure of the CPU time that a load takes. The one spelling is its key.
    CpuFigure {
        /// In user space, as a share of all CPUs.
        User = "usr_percent",
        /// In the kernel.
        System = "sys_percent",
        /// Both, for one I/O.
        PerIo = "per_io_us",
    }
}

words! {
    /// A figure of a curve of a sweep. The one spelling is its key.
    SweepFigure {
        /// The rate that more outstanding I/Os do not raise.
        Ceiling = "ceiling_iops",
        /// The same in MiB/s.
        CeilingBandwidth = "ceiling_mib_per_s",
        /// The outstanding I/Os from which more bring more latency than throughput.
        Knee = "knee_outstanding",
        /// The rate that lasts beyond the knee.
        Sustained = "sustained_iops",
    }
}

impl SweepFigure {
    /// The short name, in gates.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ceiling => "ceiling",
            Self::CeilingBandwidth => "ceiling_bandwidth",
            Self::Knee => "knee",
            Self::Sustained => "sustained",
        }
    }

    /// The name for people, without its unit.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ceiling | Self::CeilingBandwidth => "ceiling",
            Self::Knee => "knee",
            Self::Sustained => "sustained rate",
        }
    }

    /// The figure with this short name or key.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word || one.as_str() == word)
    }
}

impl CpuFigure {
    /// The head of its column.
    pub const fn title(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::System => "system",
            Self::PerIo => "per I/O",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ios_bound_a_percentile_as_the_binomial_distribution_says() {
        // Zero failures of 59, 299 and 2,995 show 95 %, 99 % and 99.9 % with 95 % confidence (tables of tolerance limits).
        for (io_count, percent) in [(59, 95.0), (299, 99.0), (2_995, 99.9)] {
            assert_eq!(most_beyond(io_count, percent), Some(0));
            assert_eq!(most_beyond(io_count - 1, percent), None);
        }
        let of_p99 = [0, 472, 473, 628, 773, 913, 1_049];
        let most = of_p99.map(|io_count| most_beyond(io_count, 99.0));
        assert_eq!(most, [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)]);
        assert!(most_beyond(1_000_000_000, 99.0).is_none_or(|most| most < 10_000_000));
    }

    #[test]
    fn a_key_names_one_figure_in_files_as_in_code() {
        for figure in Figure::ALL {
            assert_eq!(Figure::from_key(figure.key()), Some(figure));
            assert_eq!(serde_json::to_value(figure).unwrap(), figure.key());
            for word in [figure.key(), figure.short_key(), figure.title(), figure.word()] {
                assert_eq!(Figure::from_word(word), Some(figure), "{word}");
            }
        }
        assert_eq!(Figure::from_key("lat_p96_us"), None);
        assert_eq!(Figure::from_key("p99"), None);
    }

    #[test]
    fn the_documents_name_every_figure() {
        for (name, text) in [
            ("compare.md", include_str!("../../../docs/compare.md")),
            ("import.md", include_str!("../../../docs/import.md")),
            ("table-format.md", include_str!("../../../docs/table-format.md")),
        ] {
            for figure in Figure::ALL {
                assert!(text.contains(&format!("`{}`", figure.key())), "{name} lacks {}", figure.key());
            }
        }
    }

    #[test]
    fn short_keys_are_those_of_threshold_files_and_words_those_of_gates() {
        assert_eq!(Figure::JUDGED.map(Figure::short_key), ["mean", "p99", "p999"]);
        assert_eq!(
            Figure::ALL.map(Figure::word),
            ["iops", "bandwidth", "mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"]
        );
    }

    #[test]
    fn ten_ios_have_to_lie_beyond_a_percentile() {
        let least = |figure: Figure| figure.least_io_count();
        assert_eq!(least(Figure::LatencyMean), 100);
        assert_eq!((least(Figure::LatencyP50), least(Figure::LatencyP99)), (20, 1_000));
        assert_eq!((least(Figure::LatencyP999), least(Figure::LatencyP9999)), (10_000, 100_000));
        assert_eq!((least(Figure::Iops), least(Figure::LatencyMax)), (0, 0));
    }

    #[test]
    fn the_share_of_a_percentile_is_its_decimal() {
        let shares: Vec<f64> = Figure::ALL.into_iter().filter_map(Figure::share).collect();
        assert_eq!(shares, [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]);
    }
}
