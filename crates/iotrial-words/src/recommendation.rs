//! What is said of a recommendation. Reservations go on after «but»; the others are whole sentences with a full stop.

mod answer;
mod ceilings;
mod over_loads;
mod tail_cause;
mod times;

use iotrial_model::finding::ENOUGH_REPEATS;
use iotrial_model::metric::Metric;
use iotrial_model::recommendation::{
    CostFact, CpuFact, ExceptionFact, Freeze, OpenChange, Reservation, RoleLoss, TailFact,
};
use iotrial_model::stream::Stream;
use iotrial_model::words::enumerate;

pub use answer::{answer, avoid, factor, reason, scaling};
pub use ceilings::ceilings;
pub use over_loads::{answer_over_loads, cost_over_loads, reason_over_loads};
pub use tail_cause::tail_causes;
pub use times::times;

use crate::changes::{as_long, longer, names_of};
use crate::numbers::{latency_in_words, with_thousands};

/// The answer with what speaks against it, in one sentence; `has_best` says whether it names a configuration.
pub fn with_reservations(answer: &str, has_best: bool, all: &[Reservation]) -> String {
    if all.is_empty() {
        return answer.to_owned();
    }
    let reservations: Vec<String> = all.iter().map(reservation).collect();
    // That nothing is recommended is not contradicted by one reason more not to.
    let and = if has_best { "but" } else { "and" };
    format!("{}, {and} {}.", answer.trim_end_matches('.'), reservations.join(", and "))
}

/// What speaks against a recommendation.
pub fn reservation(one: &Reservation) -> String {
    match one {
        Reservation::AllSimulated => {
            "every device was simulated, so this says nothing about real storage".to_owned()
        }
        Reservation::Simulated(names) => format!("the devices of {} were simulated", names_of(names)),
        Reservation::Contradictory(names) => {
            format!("the figures of {} contradict each other", names_of(names))
        }
        Reservation::Inconclusive(names) => format!(
            "runs of {} are inconclusive: their figures may not reflect the devices themselves",
            names_of(names)
        ),
        Reservation::Froze(one) => freeze(one),
        Reservation::LosesInRole(loss) => role_loss(loss),
        Reservation::UnderLoads(loads, one) => {
            format!("under {} {}", enumerate(loads), reservation(one))
        }
    }
}

fn freeze(one: &Freeze) -> String {
    let Freeze { stream, slowest_us, calmest, calmest_us } = one;
    format!(
        "its slowest {} took {}, while the slowest I/O of {calmest} took {}",
        stream.as_str(),
        latency_in_words(*slowest_us),
        latency_in_words(*calmest_us)
    )
}

fn role_loss(loss: &RoleLoss) -> String {
    let RoleLoss { of, figure, factor, other, .. } = loss;
    let ios = match of.stream {
        Stream::Mixed => "I/Os".to_owned(),
        stream => format!("{stream}s"),
    };
    let who = of.role.map_or_else(|| ios.clone(), |role| format!("{role} {ios}"));
    if figure.is_latency() {
        format!("its {who} have a {figure} {factor:.1} times that of {other}")
    } else {
        format!("its {who} reach {:.2} times the {figure} of {other}", factor.recip())
    }
}

/// A freeze, or a tail that the mean does not show.
pub fn exception(fact: &ExceptionFact) -> String {
    match fact {
        ExceptionFact::Freezes(title, one) => format!("{title} freezes: {}.", freeze(one)),
        ExceptionFact::Tail(title, one) => {
            format!("{title}: {}, while its mean is {}.", tail(one), longer(one.mean_percent))
        }
    }
}

/// `under random write 4 KiB 2 x 1 its write p99 is 46 times as long as that of B (7.83 ms against 0.169 ms)`.
pub fn tail(fact: &TailFact) -> String {
    let TailFact { baseline, metric, from_us, to_us, tail_percent, .. } = fact;
    let under = metric.load.as_ref().map(|load| format!("under {load} ")).unwrap_or_default();
    format!(
        "{under}its {} is {} that of {baseline} ({} against {})",
        without_load(metric).title(),
        as_long(*tail_percent),
        latency_in_words(*to_us),
        latency_in_words(*from_us)
    )
}

fn without_load(metric: &Metric) -> Metric {
    Metric { load: None, ..metric.clone() }
}

/// Why it is open what a change means.
pub fn open_change(why: OpenChange) -> String {
    match why {
        OpenChange::FewForLongest { run_count } => {
            format!("needs {ENOUGH_REPEATS} repeats (there are {run_count})")
        }
        OpenChange::TooWide { run_count: Some(count) } => {
            format!("interval too wide to tell ({count} repeats)")
        }
        OpenChange::TooWide { run_count: None } => "interval too wide to tell".to_owned(),
    }
}

/// What the best one costs a month, and what that buys.
pub fn cost(fact: &CostFact) -> String {
    let CostFact { best, other, currency, best_per_month, other_per_month, rate_ratio } = fact;
    let for_rate = rate_ratio.map(|ratio| format!(" for {ratio:.2} times the I/Os")).unwrap_or_default();
    format!(
        "{best} costs {} {currency} a month and {other} {} {currency}: {:.2} times the price{for_rate}.",
        with_thousands(*best_per_month),
        with_thousands(*other_per_month),
        best_per_month / other_per_month
    )
}

/// What the best one needs of a CPU.
pub fn cpu_cost(fact: &CpuFact) -> String {
    let CpuFact { best, other, best_percent: (usr, sys), other_percent: (other_usr, other_sys), .. } = fact;
    // Of nearly as much, the second digit is what differs.
    let factor =
        |times: f64| if (0.8..1.2).contains(&times) { format!("{times:.2}") } else { format!("{times:.1}") };
    let for_rate = fact.rate_ratio.map(|ratio| format!(" for {} times the I/Os", factor(ratio)));
    format!(
        "{best} needs {usr:.1} % user and {sys:.1} % system CPU, and {other} {other_usr:.1} % and {other_sys:.1} %: {} times the CPU{}.",
        factor(fact.cpu_ratio()),
        for_rate.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests;
