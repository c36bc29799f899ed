//! A figure of a benchmark: what was measured run by run, what it should be, and whether it is.

use serde_json::{Value, json};

/// What was measured in the runs of one row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// What it is, with its unit.
    pub(crate) name: String,
    /// One value for each run of iotrial.
    pub(crate) ours: Vec<f64>,
    /// The value of the neighbouring run of the other tool for each of ours; empty where there is none.
    pub(crate) theirs: Vec<f64>,
    /// What is to be reached; `None` where the figure is only told.
    pub(crate) target: Option<Target>,
}

/// A range that a median has to lie in; either end may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Target {
    pub(crate) of: Judged,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Which median a target is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judged {
    /// That of iotrial's values.
    Ours,
    /// That of the ratios iotrial / other tool, pair by pair.
    Ratio,
}

impl Target {
    /// The figure itself is at most `high`.
    pub(crate) const fn at_most(high: f64) -> Self {
        Self { of: Judged::Ours, low: f64::NEG_INFINITY, high }
    }

    /// The figure itself lies in this range.
    pub(crate) const fn within(low: f64, high: f64) -> Self {
        Self { of: Judged::Ours, low, high }
    }

    /// The ratio iotrial / other tool lies in this range.
    pub(crate) const fn ratio(low: f64, high: f64) -> Self {
        Self { of: Judged::Ratio, low, high }
    }

    fn text(self) -> String {
        let range = match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => format!("{} to {}", self.low, self.high),
            (false, _) => format!("≤ {}", self.high),
            (true, false) => format!("≥ {}", self.low),
        };
        match self.of {
            Judged::Ours => range,
            Judged::Ratio => format!("ratio {range}"),
        }
    }
}

impl Figure {
    /// A figure that only iotrial has.
    pub(crate) fn alone(name: impl Into<String>, ours: Vec<f64>, target: Option<Target>) -> Self {
        Self { name: name.into(), ours, theirs: Vec::new(), target }
    }

    /// The ratios iotrial / other tool, pair by pair: the machine is the same for both runs of a pair, and for no others.
    pub(crate) fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours / theirs).collect()
    }

    /// The values that decide: the ratios or, without a peer or where the target is for them, iotrial's own.
    fn judged(&self) -> Vec<f64> {
        let of = self.target.map_or(Judged::Ratio, |target| target.of);
        if of == Judged::Ours || self.theirs.is_empty() { self.ours.clone() } else { self.ratios() }
    }

    /// The smallest and the largest of the values that decide; `None` where there is only one.
    fn spread(&self) -> Option<(f64, f64)> {
        let judged = self.judged();
        let low = judged.iter().copied().fold(f64::INFINITY, f64::min);
        let high = judged.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (judged.len() > 1).then_some((low, high))
    }

    /// Whether the target is reached; `None` without one, or where its peer is missing.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        let target = self.target?;
        if target.of == Judged::Ratio && self.theirs.is_empty() {
            return None;
        }
        let value = median(self.judged())?;
        Some((target.low..=target.high).contains(&value))
    }

    /// The cells of its line: name, iotrial, other tool, ratio, spread, target, reached.
    pub(crate) fn cells(&self) -> [String; 7] {
        let or_dash = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        [
            self.name.clone(),
            or_dash(median(self.ours.clone())),
            or_dash(median(self.theirs.clone())),
            or_dash(median(self.ratios())),
            self.spread()
                .map_or_else(|| "–".to_owned(), |(low, high)| format!("{} … {}", short(low), short(high))),
            self.target.map_or_else(|| "–".to_owned(), Target::text),
            match self.is_reached() {
                Some(true) => "yes".to_owned(),
                Some(false) => "NO".to_owned(),
                None => "–".to_owned(),
            },
        ]
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "iotrial": self.ours,
            "other_tool": self.theirs,
            "iotrial_median": median(self.ours.clone()),
            "other_tool_median": median(self.theirs.clone()),
            "ratio_median": median(self.ratios()),
            "spread": self.spread().map(|(low, high)| [low, high]),
            "target": self.target.map(|target| json!({
                "of": match target.of { Judged::Ours => "iotrial", Judged::Ratio => "ratio" },
                // JSON knows no infinity: an open end is null.
                "low": target.low,
                "high": target.high,
            })),
            "reached": self.is_reached(),
        })
    }
}

/// The middle value, or the mean of the two middle ones; `None` of nothing.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Three or four significant digits: no benchmark is truer than that.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1_000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 10.0 => format!("{value:.2}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_middle_ones() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }

    /// Three pairs: the ratios are 0.5, 2 and 0.6.
    fn pairs(target: Option<Target>) -> Figure {
        let (ours, theirs) = (vec![1.0, 4.0, 3.0], vec![2.0, 2.0, 5.0]);
        Figure { name: "CPU µs per I/O".to_owned(), ours, theirs, target }
    }

    #[test]
    fn the_ratio_is_the_median_of_the_pairs_and_not_the_ratio_of_the_medians() {
        let cells = pairs(Some(Target::ratio(f64::NEG_INFINITY, 0.6))).cells();
        assert_eq!(cells[1..], ["3.000", "2.000", "0.600", "0.500 … 2.000", "ratio ≤ 0.6", "yes"]);
        let missed = pairs(Some(Target::ratio(0.97, 1.03)));
        assert_eq!((missed.cells()[5].as_str(), missed.is_reached()), ("ratio 0.97 to 1.03", Some(false)));
    }

    #[test]
    fn a_target_for_the_figure_itself_is_judged_by_it_and_its_spread_is_shown() {
        let cells = pairs(Some(Target::at_most(2.9))).cells();
        assert_eq!(cells[4..], ["1.000 … 4.000", "≤ 2.9", "NO"]);
    }

    #[test]
    fn without_a_peer_a_ratio_is_neither_reached_nor_missed() {
        let alone = Figure { theirs: Vec::new(), ..pairs(Some(Target::ratio(f64::NEG_INFINITY, 0.6))) };
        assert_eq!(alone.is_reached(), None);
        assert_eq!(alone.cells()[2..], ["–", "–", "1.000 … 4.000", "ratio ≤ 0.6", "–"]);
    }

    #[test]
    fn the_json_holds_every_run_and_an_open_end_is_null() {
        let json = pairs(Some(Target::at_most(2.9))).json();
        assert_eq!(json["iotrial"], json!([1.0, 4.0, 3.0]));
        assert_eq!(json["ratio_median"], json!(0.6));
        assert_eq!(json["target"], json!({ "of": "iotrial", "low": null, "high": 2.9 }));
        assert_eq!(json["reached"], json!(false));
    }

    #[test]
    fn numbers_have_three_or_four_digits() {
        let texts = [123_456.7, 123.46, 12.346, 1.2346, 0.062_34, 0.0].map(short);
        assert_eq!(texts, ["123457", "123.5", "12.35", "1.235", "0.0623", "0.000"]);
    }
}
