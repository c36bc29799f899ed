//! Why a gate is undecided, in words that go on after a colon.

use iotrial_model::figure::Figure;
use iotrial_model::finding::ENOUGH_REPEATS;
use iotrial_model::gate::{Spoilt, Undecided};
use iotrial_model::words::enumerate;

use crate::numbers::count_with_thousands;

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

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__gate__tests__page.snap`.
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
}
