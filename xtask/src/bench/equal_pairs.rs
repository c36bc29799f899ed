//! The row `equal-pairs`: how often two runs of one device are called different, and how often a slower device is noticed.

use anyhow::Context as _;
use serde_json::Value;

use super::figure::{Figure, Target};
use super::tools::Bench;

/// 5 % of 200 are 10 ± 6 pairs, with 95 % confidence.
const PAIRS: u32 = 200;

/// Pairs of runs on simulated devices that differ in their seed alone, and some whose second device is slower.
///
/// # Errors
///
/// When the bench target of the session fails.
pub(crate) fn equal_pairs(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let pairs = bench.options.of_size(PAIRS, 1).to_string();
    let document = bench.bench_target("iotrial-session", "equal_pairs", &["--pairs", &pairs])?;
    let cases = document["cases"].as_array().context("`equal_pairs` gave no cases")?;
    cases.iter().map(|case| figure(case).context("`equal_pairs` gave other keys")).collect()
}

/// The figure of one case; `None` where a key is missing.
fn figure(case: &Value) -> Option<Figure> {
    let share = case["pairs_different"].as_f64()? / case["pairs"].as_f64()?;
    // A mistake in 5 % of the pairs is allowed, and 200 pairs show that as up to 8 %.
    let target = (case["slower_percent"].as_f64()? == 0.0).then(|| Target::at_most(8.0));
    let name = format!("{}: % of pairs called different", case["name"].as_str()?);
    Some(Figure::alone(name, vec![100.0 * share], target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equals_are_judged_and_a_slower_device_is_only_reported() {
        let case = |slower_percent: f64| json!({ "name": "1 x 500 µs", "slower_percent": slower_percent, "pairs": 200, "pairs_different": 18 });
        assert_eq!(figure(&case(0.0)).unwrap().is_reached(), Some(false));
        assert_eq!(figure(&case(5.0)).unwrap().is_reached(), None);
        assert_eq!(figure(&json!({ "name": "x" })), None);
    }
}
