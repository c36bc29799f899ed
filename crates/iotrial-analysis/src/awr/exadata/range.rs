//! What plain storage would be asked for the reads, in proportion to what is read today: of one report or of many.

use super::ExadataMove;
use crate::words::number_in_words;

/// The two ends of a rate, and today's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ends {
    today: f64,
    low: f64,
    high: f64,
}

/// What plain storage would be asked for the reads of a database on Exadata.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::awr) struct PlainRange {
    /// MiB per second; all zero where the report has no rates.
    read_mib: Ends,
    /// Reads per second.
    reads: Ends,
}

impl PlainRange {
    pub(in crate::awr) fn of(answer: &ExadataMove) -> Self {
        let ends = |id: &str| {
            let one = answer.ask.iter().find(|one| one.id == id);
            one.map_or_else(Ends::default, |one| Ends { today: one.today, low: one.low, high: one.high })
        };
        Self { read_mib: ends("read_mib_per_s"), reads: ends("reads_per_s") }
    }

    /// Over the seconds of each; `None` of none.
    pub(in crate::awr) fn over(all: impl Iterator<Item = (Self, f64)>) -> Option<Self> {
        let sum = |a: Ends, b: Ends, seconds: f64| Ends {
            today: a.today + b.today * seconds,
            low: a.low + b.low * seconds,
            high: a.high + b.high * seconds,
        };
        all.map(|(one, seconds)| Self {
            read_mib: sum(Ends::default(), one.read_mib, seconds),
            reads: sum(Ends::default(), one.reads, seconds),
        })
        .reduce(|a, b| Self { read_mib: sum(a.read_mib, b.read_mib, 1.0), reads: sum(a.reads, b.reads, 1.0) })
    }

    /// What storage that is sized by these rates has to know, without a full stop.
    pub(in crate::awr) fn note(&self, read_mib_per_s: Option<f64>, reads_per_s: Option<f64>) -> String {
        // In proportion: the rates are those of a level, with a factor.
        let at = |ends: &Ends, rate: Option<f64>| {
            let rate = rate.filter(|_| ends.today > 0.0)?;
            let of = |end: f64| number_in_words(rate * end / ends.today);
            let (low, high) = (of(ends.low), of(ends.high));
            Some(if low == high { low } else { format!("{low} to {high}") })
        };
        let parts: Vec<String> = [
            at(&self.read_mib, read_mib_per_s).map(|words| format!("{words} MiB/s of reads")),
            at(&self.reads, reads_per_s).map(|words| format!("{words} reads per second")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let opening =
            "on Exadata, offload and the storage index filter what is read before the database gets it";
        let has_range = self.read_mib.low < self.read_mib.high;
        match (parts.is_empty(), has_range) {
            (true, _) => format!("{opening}: other storage must deliver more than comes back today"),
            (false, true) => format!(
                "{opening}: other storage must deliver {}, the least where indexes, partitions or the In-Memory column store spare what is filtered today, the most where everything is read, and stored without compression",
                parts.join(" and ")
            ),
            (false, false) => format!(
                "{opening}, but the reports count nothing of it: other storage must deliver {}, as today",
                parts.join(" and ")
            ),
        }
    }
}
