//! What else is to be known of an answer, the most weighty first.

use iotrial_model::demand::Demand;

use super::bill::{bought_when_needed, licences};
use super::rates::more_and_less;
use super::usual::{assumptions, doubts};
use super::{Against, ProviderStop, RatesCost, SizingDoubt};
use crate::chain::ElementKind;
use crate::explanation::Explanation;
use crate::floor::VcpuFloor;
use crate::price::{Cost, CostNote, KnownSum, MissingPrice};
use crate::requirement::{Fit, Share};
use crate::search::{CostCurve, Found, YearPlan};

/// One thing to be known. Providers are named by their titles, configurations by machine and volumes.
#[derive(Debug, Clone, PartialEq)]
pub enum SizingPoint {
    /// What buying when it is needed costs.
    BoughtWhenNeeded {
        /// Title of the provider.
        title: String,
        /// How many years.
        years: usize,
        /// All of them together.
        total: f64,
        /// The same with everything bought on day one.
        total_from_day_one: f64,
        /// What has no price.
        missing: Vec<MissingPrice>,
    },
    /// What of the sum goes to licences of the database.
    Database {
        /// A month.
        per_month: f64,
        /// Of the sum.
        percent: f64,
    },
    /// What is to be known of a term of the cost.
    OfCost(CostNote),
    /// Below how many processors no machine was looked at.
    Floor {
        /// The rule of thumb.
        floor: VcpuFloor,
        /// Where it left nothing.
        smaller: Smaller,
    },
    /// The fullest limit of the machine itself, which volumes cannot widen, where it is nearly full.
    BeyondVolumes {
        /// Name of the machine.
        machine: String,
        /// The limit.
        share: Share,
    },
    /// How many times the demand is carried.
    Headroom {
        /// More than 1.
        times: f64,
    },
    /// What a multiple of the rates costs.
    Rates {
        /// Which multiple.
        times: f64,
        /// What it costs.
        cost: RatesCost,
    },
    /// The best of another provider.
    OtherProvider {
        /// Title of the provider.
        title: String,
        /// The configuration.
        configuration: String,
        /// What it costs.
        cost: KnownSum,
        /// How that compares with the answer.
        beside: CostBeside,
    },
    /// Where another provider stops.
    Stops(ProviderStop),
    /// Nobody asked for memory, and one machine has twice as much as another: prices are of different offers.
    MemoryDiffers {
        /// GiB, with the title of the provider.
        machines: Vec<(f64, String)>,
        /// The most of them.
        most_gib: f64,
    },
    /// What a provider has on volumes of which no source says how fast they answer, where a latency is asked.
    LatencyUnknown {
        /// Title of the provider.
        title: String,
        /// Names of the kinds of volume.
        volumes: Vec<String>,
        /// The configuration.
        configuration: String,
        /// What it costs.
        cost: KnownSum,
    },
    /// A configuration that was compared with the answer, by its place in `Sizing::against`.
    Against(usize),
    /// What somebody would not expect who did not ask for it, or what the search takes for granted.
    Doubt(SizingDoubt),
}

/// Providers with nothing as large as a rule of thumb asks for, so that smaller machines were taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Smaller {
    /// None of them.
    Nowhere,
    /// All that have an answer.
    Everywhere,
    /// These, by title.
    At(Vec<String>),
}

/// How the cost of another provider compares with the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostBeside {
    /// More or less by so many per cent.
    Percent(f64),
    /// A part is missing, and what is known is already more by so many per cent.
    AtLeastPercent(f64),
    /// A part is missing.
    NotComparable,
}

impl CostBeside {
    // A sum with a missing part cannot be compared, but for being more already.
    fn of(other: &Cost, answer: &Cost) -> Self {
        let percent = 100.0 * (other.per_month / answer.per_month - 1.0);
        match (other.is_complete(), percent > 0.0) {
            (true, _) => Self::Percent(percent),
            (false, true) => Self::AtLeastPercent(percent),
            (false, false) => Self::NotComparable,
        }
    }
}

/// From this share on a limit of the machine is the next that the rates meet when they grow.
const NEARLY_FULL_PERCENT: f64 = 80.0;

/// What was asked, as far as points depend on it, and what was worked out besides.
pub(super) struct Asked<'a> {
    pub(super) demand: &'a Demand,
    pub(super) floor: Option<VcpuFloor>,
    /// Whether the cost has a second machine.
    pub(super) has_pair: bool,
    /// Of the provider of the answer.
    pub(super) curve: Option<&'a CostCurve>,
    /// The cheapest.
    pub(super) plan: Option<&'a YearPlan>,
}

pub(super) fn points(
    found: &[Found],
    cheapest: Option<usize>,
    against: &[Against],
    asked: &Asked<'_>,
) -> Vec<SizingPoint> {
    let demand = asked.demand;
    // What was asked to be counted comes before what nobody asked for.
    let mut points: Vec<SizingPoint> = asked.plan.map(bought_when_needed).into_iter().collect();
    if let Some(index) = cheapest {
        of_answer(found, index, asked, &mut points);
    }
    points.extend(found.iter().filter_map(latency_unknown));
    points.extend((0..against.len()).map(SizingPoint::Against));
    let answers = found.iter().filter_map(|one| one.answers.first());
    points.extend(answers.flat_map(|one| doubts(one, demand)).map(SizingPoint::Doubt));
    if cheapest.is_some() {
        points.extend(assumptions(demand, asked.has_pair).into_iter().map(SizingPoint::Doubt));
    }
    points
}

/// What is to be known of the cheapest, and of the others beside it.
fn of_answer(found: &[Found], index: usize, asked: &Asked<'_>, points: &mut Vec<SizingPoint>) {
    let answer = &found[index].answers[0];
    points.extend(licences(answer));
    points.extend(asked.floor.map(|floor| SizingPoint::Floor { floor, smaller: smaller(found) }));
    // The reader's next question comes first: what if my rates are a little off?
    points.extend(answer.fit.as_ref().and_then(|fit| beyond_volumes(fit, &answer.configuration.machine)));
    points.extend(asked.curve.into_iter().flat_map(|curve| more_and_less(curve, answer)));
    let others = found.iter().enumerate().filter(|(other, _)| *other != index);
    points.extend(others.filter_map(|(_, other)| other_provider(other, answer)));
    points.extend(memory_differs(found).filter(|_| asked.demand.memory_min.get() == 0));
}

fn smaller(found: &[Found]) -> Smaller {
    let small: Vec<String> =
        found.iter().filter(|one| one.is_below_floor).map(|one| one.title.clone()).collect();
    let with_answer = found.iter().filter(|one| !one.answers.is_empty()).count();
    if small.is_empty() {
        Smaller::Nowhere
    } else if small.len() == with_answer {
        Smaller::Everywhere
    } else {
        Smaller::At(small)
    }
}

/// The volumes of an answer are cut to the rates, so that they nearly always bind, and more of them can be bought. What decides on the
/// machine, and cannot, is the fullest limit of its own.
fn beyond_volumes(fit: &Fit, machine: &str) -> Option<SizingPoint> {
    fit.shares.first().filter(|share| share.kind.is_of_volumes())?;
    let of_machine = |kind| matches!(kind, ElementKind::Machine | ElementKind::Network | ElementKind::Path);
    let next = fit.shares.iter().find(|share| of_machine(share.kind))?;
    (next.percent >= NEARLY_FULL_PERCENT)
        .then(|| SizingPoint::BeyondVolumes { machine: machine.to_owned(), share: next.clone() })
}

/// What another provider has, or where it stops.
fn other_provider(other: &Found, answer: &Explanation) -> Option<SizingPoint> {
    let Some(best) = other.answers.first() else { return ProviderStop::of(other).map(SizingPoint::Stops) };
    Some(SizingPoint::OtherProvider {
        title: other.title.clone(),
        configuration: best.configuration.in_short(),
        cost: best.cost.sum(),
        beside: CostBeside::of(&best.cost, &answer.cost),
    })
}

/// The memory of the machines, where nobody asked for any and one has far more than another.
fn memory_differs(found: &[Found]) -> Option<SizingPoint> {
    let answers = found.iter().filter_map(|one| Some((one.answers.first()?.memory_gib, one.title.clone())));
    let machines: Vec<(f64, String)> = answers.collect();
    let least = machines.iter().map(|(gib, _)| *gib).reduce(f64::min)?;
    let most_gib = machines.iter().map(|(gib, _)| *gib).reduce(f64::max)?;
    // A choice: the families of vendors have 2, 4 and 8 GiB for each hardware thread.
    (most_gib >= 2.0 * least).then_some(SizingPoint::MemoryDiffers { machines, most_gib })
}

/// What a provider has on volumes of which nobody says how fast they answer, where a latency is asked.
fn latency_unknown(found: &Found) -> Option<SizingPoint> {
    let one = found.of_unknown_latency.as_ref()?;
    // Of several pools only some may be on such volumes.
    let mut volumes: Vec<String> = Vec::new();
    for (index, pool) in one.configuration.pools.iter().enumerate() {
        let is_unknown = one.pools.get(index).is_none_or(|pool| pool.latency.is_none());
        if is_unknown && !volumes.contains(&pool.volume) {
            volumes.push(pool.volume.clone());
        }
    }
    Some(SizingPoint::LatencyUnknown {
        title: found.title.clone(),
        volumes,
        configuration: one.configuration.in_short(),
        cost: one.cost.sum(),
    })
}
