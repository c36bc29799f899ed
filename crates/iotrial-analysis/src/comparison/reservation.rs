//! What has to be said in the same breath as a recommendation: that it is of a simulation, of figures that contradict each other or may not
//! be the devices', or of something that freezes.

use std::collections::BTreeMap;

use iotrial_model::load::Role;
use iotrial_model::metric::MetricKey;
use iotrial_model::recommendation::{ExceptionFact, Freeze, Reservation, RoleLoss};
use iotrial_words::recommendation as words;
use serde::Serializer;

use super::configuration::Configuration;
use super::delta::{Delta, Pair, Reading};
use super::sample::Outcome;

/// As JSON has them, with the words that go on after «but».
pub(super) fn in_json<S: Serializer>(all: &[Reservation], serializer: S) -> Result<S::Ok, S::Error> {
    let said = |one| [("kind", Reservation::kind(one).to_string()), ("words", words::reservation(one))];
    serializer.collect_seq(all.iter().map(|one| BTreeMap::from(said(one))))
}

/// An I/O that takes this long is a freeze, in µs.
// A choice: a tenth of a second is a hundred times what a commit takes on flash, and long enough that every session of a database
// waits for the same log write.
const FREEZE_US: f64 = 100_000.0;
/// A freeze counts against a configuration where the slowest I/O of another one is shorter by this factor.
// The slowest of millions is a single I/O: less than this may be chance.
const FREEZE_FACTOR: f64 = 4.0;
/// What has to be said with the answer: of the best one, or of all where there is none.
/// `against_best` has the changes from the best one to each of the others.
pub(super) fn reservations(
    configurations: &[Configuration],
    best: Option<usize>,
    against_best: &[Pair],
) -> Vec<Reservation> {
    let names = |is_meant: &dyn Fn(&Configuration) -> bool| -> Option<Vec<String>> {
        let meant = configurations.iter().filter(|one| is_meant(one));
        let names: Vec<String> = meant.map(Configuration::title).collect();
        (!names.is_empty()).then_some(names)
    };
    let simulated = names(&|one| one.circumstances.is_simulated);
    let simulated = simulated.map(|names| match names.len() {
        count if count == configurations.len() => Reservation::AllSimulated,
        _ => Reservation::Simulated(names),
    });
    // One that loses does so all the more where it took longer than is stated.
    let is_best = |one: &Configuration| best.is_some_and(|best| configurations[best].key == one.key);
    let bears = |one: &Configuration| best.is_none() || is_best(one);
    let is_meant =
        |one: &Configuration| one.contradictions.iter().any(|found| !found.is_bound() || bears(one));
    let contradictory = names(&is_meant).map(Reservation::Contradictory);
    let inconclusive =
        names(&|one| !one.circumstances.is_simulated && one.outcomes.iter().any(Outcome::is_inconclusive));
    let froze = best.and_then(|best| freeze(&configurations[best], configurations));
    let of_all = [
        simulated,
        contradictory,
        inconclusive.map(Reservation::Inconclusive),
        froze.map(Reservation::Froze),
    ];
    let losses = losses_in_roles(configurations, against_best).map(Reservation::LosesInRole);
    of_all.into_iter().flatten().chain(losses).collect()
}

/// In which roles the best one is at most half as good as another one, each with the figure in which it loses most.
fn losses_in_roles(
    configurations: &[Configuration],
    against_best: &[Pair],
) -> impl Iterator<Item = RoleLoss> {
    let mut worst: BTreeMap<Role, (&Pair, &Delta)> = BTreeMap::new();
    for pair in against_best {
        for delta in pair.ranked_in_roles().filter(|delta| delta.reading == Reading::MuchBetter) {
            let MetricKey::OfRole(role, ..) = delta.metric.key else { continue };
            // I/Os that are slower in all respects first, and what a session waits for before what follows from it: of a closed load fewer
            // I/Os are only slower ones.
            let weight = |pair: &Pair, delta: &Delta| {
                (is_slower_throughout(pair, delta), is_of_latency(delta), delta.gain_factor())
            };
            let is_worse = |(other, known): &(&Pair, &Delta)| weight(pair, delta) > weight(other, known);
            if worst.get(&role).is_none_or(is_worse) {
                worst.insert(role, (pair, delta));
            }
        }
    }
    let loss = |(pair, delta): (&Pair, &Delta)| {
        let (of, figure) = delta.metric.key.figure()?;
        let other = configurations.iter().find(|one| one.key == pair.configuration)?.title();
        let is_in_all_latencies = is_slower_throughout(pair, delta);
        Some(RoleLoss { of, figure, factor: delta.gain_factor(), is_in_all_latencies, other })
    };
    worst.into_values().filter_map(loss)
}

fn is_of_latency(delta: &Delta) -> bool {
    delta.metric.key.figure().is_some_and(|(_, figure)| figure.is_latency())
}

/// Whether a latency is one of I/Os for which the other one of the pair is better in all latencies, and at least twice as good in most.
fn is_slower_throughout(pair: &Pair, latency: &Delta) -> bool {
    let of = |delta: &Delta| delta.metric.key.figure().map(|(of, _)| of);
    let is_meant = |delta: &&Delta| is_of_latency(delta) && of(delta) == of(latency);
    let latencies = || pair.ranked_in_roles().filter(is_meant);
    let count = latencies().count();
    let far = latencies().filter(|delta| delta.reading == Reading::MuchBetter).count();
    // Of one latency alone there is no «all».
    is_of_latency(latency)
        && count > 1
        && latencies().all(|delta| delta.reading.is_better())
        && 2 * far > count
}

/// That a configuration has I/Os that take far longer than any of another one.
fn freeze(one: &Configuration, configurations: &[Configuration]) -> Option<Freeze> {
    let (stream, slowest_us) = one.worst_io().filter(|(_, us)| *us >= FREEZE_US)?;
    // That of the others that has the shortest slowest I/O: it shows what the load can have.
    let others = configurations.iter().filter(|other| other.key != one.key);
    let others = others.filter_map(|other| Some((other, other.worst_io()?.1)));
    let (calmest, calmest_us) = others.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (slowest_us >= FREEZE_FACTOR * calmest_us).then(|| Freeze {
        stream,
        slowest_us,
        calmest: calmest.title(),
        calmest_us,
    })
}

/// The freezes of those that are not the best, whose freeze is told with the answer.
pub(super) fn freezes(
    configurations: &[Configuration],
    best: Option<usize>,
) -> impl Iterator<Item = ExceptionFact> {
    let others = configurations.iter().enumerate().filter(move |(index, _)| Some(*index) != best);
    others.filter_map(|(_, one)| Some(ExceptionFact::Freezes(one.title(), freeze(one, configurations)?)))
}
