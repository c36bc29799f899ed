//! What was measured of what a gate is about, and why a gate is undecided, in words that go on after a colon.

use iotrial_model::figure::Figure;
use iotrial_model::finding::ENOUGH_REPEATS;
use iotrial_model::gate::{GateFigure, GateUnit, Spoilt, Undecided};
use iotrial_model::words::enumerate;

use crate::changes::change;
use crate::numbers::{count_with_thousands, latency_in_words, with_thousands};

/// What was measured: `+2.1 % (−3.0 to +7.5 %)`, `3.10 ms (2.90 ms to 3.30 ms), simulated`, or that nothing was.
pub fn measured(figure: GateFigure, unit: GateUnit, is_simulated: bool) -> String {
    let value = |value: f64| with_unit(value, unit);
    let words = match figure {
        GateFigure::Change(percent, None) => change(percent),
        GateFigure::Change(percent, Some((low, high))) => {
            format!("{} ({} to {})", change(percent), change(low).trim_end_matches(" %"), change(high))
        }
        GateFigure::ChangeBetween(low, high) => format!("{} to {}", change(low), change(high)),
        GateFigure::Value(one, None) => value(one),
        GateFigure::Value(one, Some((low, high))) => {
            format!("{} ({} to {})", value(one), value(low), value(high))
        }
        GateFigure::ValueBetween(low, high) => format!("{} to {}", value(low), value(high)),
        GateFigure::AtLeast(low) => format!("at least {}", value(low)),
        GateFigure::AtMost(high) => format!("at most {}", value(high)),
        GateFigure::NotMeasured => "not measured".to_owned(),
    };
    if is_simulated { format!("{words}, simulated") } else { words }
}

fn with_unit(value: f64, unit: GateUnit) -> String {
    match unit {
        GateUnit::Us => latency_in_words(value),
        GateUnit::Iops => format!("{} IOPS", with_thousands(value)),
        GateUnit::MibPerS if value < 100.0 => format!("{value:.1} MiB/s"),
        GateUnit::MibPerS => format!("{} MiB/s", with_thousands(value)),
        GateUnit::InTheName | GateUnit::None | GateUnit::Any => format!("{value:.1}"),
    }
}

/// What leaves open whether a gate holds.
pub fn undecided(why: &Undecided) -> String {
    match why {
        Undecided::Contradictory(title) => format!("the figures of {title} contradict each other"),
        Undecided::Spoilt(Spoilt::Interrupted, title) => format!("a run was interrupted in {title}"),
        Undecided::Spoilt(Spoilt::Failed, title) => format!("a run failed in {title}"),
        Undecided::Spoilt(Spoilt::Errors(count), title) => {
            format!("{} I/Os failed in {title}", count_with_thousands(*count))
        }
        Undecided::Inconclusive(title) => {
            format!("{title} is inconclusive: its figures may not reflect the device itself")
        }
        Undecided::IncludesLimit => "the interval includes the limit".to_owned(),
        Undecided::FewIncludeLimit { run_count } => {
            format!("the interval of {run_count} repeats includes the limit; more repeats narrow it")
        }
        Undecided::OnlyBound => "only a bound is known".to_owned(),
        Undecided::FewForLongest { run_count } => {
            format!("the longest I/O needs {ENOUGH_REPEATS} repeats (there are {run_count})")
        }
        Undecided::TooWide { run_count } => {
            format!("the interval is too wide to tell ({run_count} repeats; more narrow it)")
        }
        Undecided::TooBrief => "measured too briefly to tell".to_owned(),
        Undecided::SingleRuns => "single runs do not show how much it varies".to_owned(),
        Undecided::OtherRates => {
            "measured at different rates, each the highest that its search found".to_owned()
        }
        Undecided::BelowTolerance => {
            "no difference is shown, and the limit is below the tolerance for stated figures".to_owned()
        }
        Undecided::SweepEnded { is_interrupted: true } => "the sweep was interrupted".to_owned(),
        Undecided::SweepEnded { is_interrupted: false } => "the sweep failed".to_owned(),
        Undecided::FewLoads => "too few loads were measured for an interval".to_owned(),
        Undecided::NotInCurve => "the curve does not show it".to_owned(),
        Undecided::NoSearch => "no search found the highest rate".to_owned(),
        Undecided::NoRunHas(metric) => format!("no run has `{}`", metric.words()),
        Undecided::NotCompared => {
            let compared = Figure::COMPARED.map(|figure| figure.word().to_owned());
            format!("for runs only {} are compared", enumerate(&compared))
        }
        Undecided::FewIos { io_count, figure } => format!(
            "{} I/Os are too few for {} ({} needed)",
            count_with_thousands(*io_count),
            match figure {
                Figure::LatencyMean => "a mean".to_owned(),
                figure => figure.to_string(),
            },
            count_with_thousands(figure.least_io_count())
        ),
        Undecided::Missing => "this result does not have it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::metric::MetricKey;

    use super::*;

    /// The only places where the wording is reviewed: `snapshots/iotrial_words__gate__tests__{page,measured}.snap`.
    #[test]
    fn every_reason_has_its_words_on_one_page() {
        let title = || "A (old)".to_owned();
        let few = |io_count, figure| Undecided::FewIos { io_count, figure };
        let all = [
            Undecided::Contradictory(title()),
            Undecided::Spoilt(Spoilt::Interrupted, title()),
            Undecided::Spoilt(Spoilt::Failed, title()),
            Undecided::Spoilt(Spoilt::Errors(1_234), title()),
            Undecided::Inconclusive(title()),
            Undecided::IncludesLimit,
            Undecided::FewIncludeLimit { run_count: 3 },
            Undecided::OnlyBound,
            Undecided::FewForLongest { run_count: 2 },
            Undecided::TooWide { run_count: 2 },
            Undecided::TooBrief,
            Undecided::SingleRuns,
            Undecided::OtherRates,
            Undecided::BelowTolerance,
            Undecided::SweepEnded { is_interrupted: true },
            Undecided::SweepEnded { is_interrupted: false },
            Undecided::FewLoads,
            Undecided::NotInCurve,
            Undecided::NoSearch,
            Undecided::NoRunHas(MetricKey::from_key("other.tps").unwrap()),
            Undecided::NotCompared,
            few(90, Figure::LatencyP99),
            few(90, Figure::LatencyMean),
            Undecided::Missing,
        ];
        let page: Vec<String> = all.iter().map(undecided).collect();
        insta::assert_snapshot!("page", page.join("\n"));
    }
    #[test]
    fn every_figure_has_its_words_on_one_page() {
        use GateFigure as F;
        let mut page = Vec::new();
        for figure in [
            F::Change(2.1, Some((-3.0, 1_007.5))),
            F::Change(2.1, None),
            F::ChangeBetween(-75.0, -50.0),
            F::Value(3_100.0, Some((2_900.0, 3_300.0))),
            F::Value(3_100.0, None),
            F::ValueBetween(1_000.0, 2_000.0),
            F::AtLeast(2_900.0),
            F::AtMost(3_300.0),
            F::NotMeasured,
        ] {
            page.push(measured(figure, GateUnit::Us, false));
        }
        page.push(measured(F::Value(3_100.0, None), GateUnit::Us, true));
        for (value, unit) in [
            (12_345.6, GateUnit::Iops),
            (99.94, GateUnit::MibPerS),
            (1_234.5, GateUnit::MibPerS),
            (1_234.56, GateUnit::InTheName),
        ] {
            page.push(measured(F::Value(value, None), unit, false));
        }
        insta::assert_snapshot!("measured", page.join("\n"));
    }
}
