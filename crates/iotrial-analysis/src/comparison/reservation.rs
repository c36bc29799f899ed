//! What has to be said in the same breath as a recommendation: that it is of a simulation, of figures that contradict each other or may not
//! be the devices', or of something that freezes.

use std::collections::BTreeMap;

use iotrial_model::load::Role;
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;
use iotrial_words::changes::names_of;
use serde::Serialize;

use super::configuration::Configuration;
use super::delta::{Delta, Pair, Reading};
use super::sample::Outcome;
use crate::words::latency_in_words;

/// Something that has to be said in the same breath as the recommendation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reservation {
    /// What it is.
    pub kind: ReservationKind,
    /// The reason in a few words, which go on after «but».
    pub words: String,
}

/// Why a recommendation is not to be relied upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReservationKind {
    /// Devices were simulated, or none were there: the figures say nothing about any storage.
    Simulated,
    /// Figures of the best one, or of one that it is compared with, contradict each other.
    Contradictory,
    /// Runs of the best one, or of one that it is compared with, are inconclusive: their figures may not be the device's.
    Inconclusive,
    /// The best one has I/Os that take far longer than any of another one.
    Froze,
    /// The best one is at most half as good as another one in a figure of a role.
    LosesInRole,
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
    let mut all = Vec::new();
    let mut add = |kind, words: String| all.push(Reservation { kind, words });
    let names = |is_meant: &dyn Fn(&Configuration) -> bool| -> Vec<String> {
        configurations.iter().filter(|one| is_meant(one)).map(Configuration::title).collect()
    };
    let simulated = names(&|one| one.circumstances.is_simulated);
    if !simulated.is_empty() && simulated.len() == configurations.len() {
        add(
            ReservationKind::Simulated,
            "every device was simulated, so this says nothing about real storage".to_owned(),
        );
    } else if !simulated.is_empty() {
        add(ReservationKind::Simulated, format!("the devices of {} were simulated", names_of(&simulated)));
    }
    let contradictory = names(&Configuration::is_contradictory);
    if !contradictory.is_empty() {
        add(
            ReservationKind::Contradictory,
            format!("the figures of {} contradict each other", names_of(&contradictory)),
        );
    }
    let inconclusive =
        names(&|one| !one.circumstances.is_simulated && one.outcomes.iter().any(Outcome::is_inconclusive));
    if !inconclusive.is_empty() {
        let names = names_of(&inconclusive);
        add(
            ReservationKind::Inconclusive,
            format!("runs of {names} are inconclusive: their figures may not reflect the devices themselves"),
        );
    }
    if let Some(words) = best.and_then(|best| freeze_words(&configurations[best], configurations)) {
        add(ReservationKind::Froze, words);
    }
    for words in losses_in_roles(configurations, against_best) {
        add(ReservationKind::LosesInRole, words);
    }
    all
}

/// In which roles the best one is at most half as good as another one, each with the figure in which it loses most.
fn losses_in_roles(configurations: &[Configuration], against_best: &[Pair]) -> Vec<String> {
    let mut worst: BTreeMap<Role, (&Pair, &Delta)> = BTreeMap::new();
    for pair in against_best {
        for delta in pair.ranked_in_roles().filter(|delta| delta.reading == Reading::MuchBetter) {
            let MetricKey::OfRole(role, ..) = delta.metric.key else { continue };
            // What a session waits for before what follows from it: of a closed load fewer I/Os are only slower ones.
            let weight = |delta: &Delta| {
                let is_latency = delta.metric.key.figure().is_some_and(|(_, figure)| figure.is_latency());
                (is_latency, delta.gain_factor())
            };
            if worst.get(&role).is_none_or(|(_, known)| weight(delta) > weight(known)) {
                worst.insert(role, (pair, delta));
            }
        }
    }
    let words = |(pair, delta): (&Pair, &Delta)| {
        let factor = delta.gain_factor();
        let (of, figure) = delta.metric.key.figure()?;
        let other = configurations.iter().find(|one| one.key == pair.configuration)?.title();
        let ios = match of.stream {
            Stream::Mixed => "I/Os".to_owned(),
            stream => format!("{stream}s"),
        };
        let who = of.role.map_or_else(|| ios.clone(), |role| format!("{role} {ios}"));
        Some(if figure.is_latency() {
            format!("its {who} have a {figure} {factor:.1} times that of {other}")
        } else {
            format!("its {who} reach {:.2} times the {figure} of {other}", factor.recip())
        })
    };
    worst.into_values().filter_map(words).collect()
}

/// The answer with what speaks against it, in one sentence; `has_best` says whether it names a configuration.
pub(super) fn with_reservations(answer: String, has_best: bool, reservations: &[Reservation]) -> String {
    if reservations.is_empty() {
        return answer;
    }
    let words: Vec<String> = reservations.iter().map(|one| one.words.clone()).collect();
    // That nothing is recommended is not contradicted by one reason more not to.
    let and = if has_best { "but" } else { "and" };
    format!("{}, {and} {}.", answer.trim_end_matches('.'), words.join(", and "))
}

/// That a configuration has I/Os that take far longer than any of another one.
fn freeze_words(one: &Configuration, configurations: &[Configuration]) -> Option<String> {
    let (stream, worst) = one.worst_io().filter(|(_, us)| *us >= FREEZE_US)?;
    // That of the others that has the shortest slowest I/O: it shows what the load can have.
    let others = configurations.iter().filter(|other| other.key != one.key);
    let others = others.filter_map(|other| Some((other, other.worst_io()?.1)));
    let (calmest, calm) = others.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (worst >= FREEZE_FACTOR * calm).then(|| {
        format!(
            "its slowest {} took {}, while the slowest I/O of {} took {}",
            stream.as_str(),
            latency_in_words(worst),
            calmest.title(),
            latency_in_words(calm)
        )
    })
}

/// The freezes of those that are not the best, whose freeze is told with the answer.
pub(super) fn freezes(configurations: &[Configuration], best: Option<usize>) -> Vec<String> {
    let others = configurations.iter().enumerate().filter(|(index, _)| Some(*index) != best);
    let words = |one: &Configuration| {
        Some(format!("{} freezes: {}.", one.title(), freeze_words(one, configurations)?))
    };
    others.filter_map(|(_, one)| words(one)).collect()
}
