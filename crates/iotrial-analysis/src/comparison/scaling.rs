//! Scaling: the same thing in a larger number. More of it does more, which recommends nothing; how much of it is left of
//! each one does.

use iotrial_model::metric::{Metric, MetricGroup, MetricKey};
use iotrial_model::recommendation::Scaling;

use super::configuration::Configuration;
use super::factor::Factor;

/// What is counted when there is more of the same, as attributes are called.
// A closed list, because a number alone says nothing: twice the queue depth or twice the IOPS that were paid for is not the same
// thing twice. Nor are disks here: one against three in a stripe set is a question of layout, which has an answer.
const COUNTED: [&str; 12] = [
    "host", "hosts", "machine", "machines", "node", "nodes", "server", "servers", "vm_count", "vms",
    "volume", "volumes",
];

/// Of each pair that differs in nothing but a number of the same thing: for each stream the rate of I/Os, or the bandwidth
/// where there is no other.
pub(super) fn scaling(configurations: &[Configuration], factors: &[Factor]) -> Vec<Scaling> {
    let of_pairs = factors.iter().filter(|factor| is_counted(&factor.attribute));
    let pairs = of_pairs.flat_map(|factor| factor.pairs.iter().map(move |pair| (factor, pair)));
    let scaling = pairs.flat_map(|(factor, pair)| {
        let count = |text: &str| text.parse::<f64>().ok().filter(|count| *count >= 1.0);
        let (Some(from), Some(to)) = (count(&pair.from), count(&pair.to)) else { return Vec::new() };
        let configuration = |key: &str| configurations.iter().find(|one| one.key == key);
        let (Some(one), Some(other)) =
            (configuration(&pair.pair.baseline), configuration(&pair.pair.configuration))
        else {
            return Vec::new();
        };
        // From fewer to more, whichever is the baseline.
        let (one, other, from, to) = if from < to { (one, other, from, to) } else { (other, one, to, from) };
        rates(one, other)
            .into_iter()
            .filter(|_| from < to)
            .map(|(metric, a, b)| Scaling {
                attribute: factor.attribute.clone(),
                from: one.key.clone(),
                to: other.key.clone(),
                from_count: from,
                to_count: to,
                metric,
                from_value: a,
                to_value: b,
                efficiency_percent: 100.0 * (b / to) / (a / from),
            })
            .collect()
    });
    scaling.collect()
}

/// Whether an attribute counts the same thing.
pub(super) fn is_counted(attribute: &str) -> bool {
    COUNTED.contains(&attribute.to_lowercase().as_str())
}

/// The rates that both have: of each load and stream only the first, since I/Os and bytes of one load say the same.
fn rates(one: &Configuration, other: &Configuration) -> Vec<(Metric, f64, f64)> {
    let mut all: Vec<(Metric, f64, f64)> = Vec::new();
    for (metric, value) in &one.figures {
        let MetricKey::Figure(stream, _) = metric.key else { continue };
        let is_known = |known: &(Metric, f64, f64)| {
            known.0.load == metric.load && matches!(known.0.key, MetricKey::Figure(s, _) if s == stream)
        };
        let is_rate = metric.group() == MetricGroup::Throughput && *value > 0.0;
        if let Some(more) = other.figure(metric).filter(|_| is_rate && !all.iter().any(is_known)) {
            all.push((metric.clone(), *value, more));
        }
    }
    all
}
