//! What a search comes to: the cheapest of all, or where each provider stops.

use crate::explanation::Explanation;
use crate::price::KnownSum;
use crate::requirement::{Fit, Share};
use crate::search::{Found, Wall};

/// What a search comes to. Configurations are named by machine and volumes.
#[derive(Debug, Clone, PartialEq)]
pub enum SizingAnswer {
    /// There is a cheapest one.
    Cheapest {
        /// Title of its provider.
        title: String,
        /// The configuration.
        configuration: String,
        /// What it costs a month.
        per_month: f64,
        /// Disks on which databases usually lie and that were not looked at.
        without: Vec<WithoutDisk>,
        /// What it is the cheapest of.
        among: AmongCatalogs,
        /// The limit that it meets first; `None` where it has none.
        limit: Option<NearestLimit>,
    },
    /// There is an answer, and a part of its price is missing, so that it cannot be called the cheapest.
    Incomplete {
        /// The configuration.
        configuration: String,
        /// What it costs.
        cost: KnownSum,
    },
    /// Nothing meets the demand.
    Nothing {
        /// Where the provider stops that comes closest; `None` where none was asked.
        stop: Option<ProviderStop>,
        /// Whether it is closer than others.
        is_closest: bool,
    },
}

impl SizingAnswer {
    /// Whether nothing more would fit: such an answer meets the demand, and nobody can rely on it.
    pub fn is_full(&self) -> bool {
        let Self::Cheapest { limit: Some(NearestLimit::First { first, .. }), .. } = self else {
            return false;
        };
        first.headroom_percent() < 1.0
    }
}

/// A disk on which databases usually lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutDisk {
    /// What it is called.
    pub disk: String,
    /// Title of its provider.
    pub title: String,
}

/// What an answer is the cheapest of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmongCatalogs {
    /// How many catalogs were searched.
    pub catalogs: usize,
    /// Whether some answer lacks a part of its price, and was not compared.
    pub has_incomplete: bool,
    /// What costs less with more volumes.
    pub unless: Option<MoreVolumes>,
}

/// What costs less than an answer, because it has more volumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoreVolumes {
    /// How many it has.
    pub volumes: u32,
    /// How many the answer has.
    pub fewer: u32,
    /// What it costs a month.
    pub per_month: f64,
}

/// The limit that an answer meets first.
#[derive(Debug, Clone, PartialEq)]
pub enum NearestLimit {
    /// Nobody comes near any of them, so which one is the first says nothing.
    FarFromAll,
    /// The fullest, and the fullest of another part.
    First {
        /// The fullest.
        first: Share,
        /// The fullest of another part.
        next: Option<Share>,
    },
}

/// Where a provider stops.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderStop {
    /// Title of the provider.
    pub title: String,
    /// What is in the way.
    pub wall: Wall,
    /// The share of the rates that can be had; `None` where something else is in the way.
    pub carries_times: Option<f64>,
    /// The configuration that comes closest; `None` where nothing does.
    pub closest: Option<String>,
}

impl ProviderStop {
    /// Where a provider stops; `None` where it has an answer.
    pub fn of(found: &Found) -> Option<Self> {
        let nearest = found.nearest.as_ref()?;
        Some(Self {
            title: found.title.clone(),
            wall: nearest.wall.clone(),
            carries_times: nearest.carries_times,
            closest: nearest.closest.as_ref().map(|closest| closest.configuration.in_short()),
        })
    }
}

/// The provider with the lowest cost, of those whose cost is complete; one with machines as large as the rule of thumb asks for before
/// one without, because a smaller machine is not the same offer.
pub(super) fn cheapest_of(found: &[Found]) -> Option<usize> {
    let complete = |one: &Found| one.answers.first().is_some_and(|answer| answer.cost.is_complete());
    let cost = |index: &usize| found[*index].answers[0].cost.per_month;
    // A sum with a missing part is a lower bound; calling it the cheapest would favour whoever publishes
    // least.
    let candidates = (0..found.len()).filter(|index| complete(&found[*index]));
    let is_small = |index: &usize| found[*index].is_below_floor;
    candidates.min_by(|a, b| is_small(a).cmp(&is_small(b)).then(cost(a).total_cmp(&cost(b))))
}

pub(super) fn answer_of(found: &[Found], cheapest: Option<usize>) -> SizingAnswer {
    if let Some(own) = cheapest.map(|index| &found[index]) {
        let answer = &own.answers[0];
        return SizingAnswer::Cheapest {
            title: own.title.clone(),
            configuration: answer.configuration.in_short(),
            per_month: answer.cost.per_month,
            without: without_main(found),
            among: among(found, own, answer),
            limit: answer.fit.as_ref().and_then(nearest_limit),
        };
    }
    if let Some(answer) = found.iter().find_map(|one| one.answers.first()) {
        return SizingAnswer::Incomplete {
            configuration: answer.configuration.in_short(),
            cost: answer.cost.sum(),
        };
    }
    // The one that carries the largest share of the rates; a provider blocked by something else than rates counts as zero.
    let reach = |one: &Found| one.nearest.as_ref().and_then(|nearest| nearest.carries_times).unwrap_or(0.0);
    let nearest = found.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
    // Several that are blocked by something else are equally far from it.
    let is_closest = found.len() > 1 && nearest.is_some_and(|one| reach(one) > 0.0);
    SizingAnswer::Nothing { stop: nearest.and_then(ProviderStop::of), is_closest }
}

/// The disks on which databases usually lie and that were not looked at: whoever reads the headline alone must know.
fn without_main(found: &[Found]) -> Vec<WithoutDisk> {
    let of = |one: &Found| {
        let disk = |disk: &String| WithoutDisk { disk: disk.clone(), title: one.title.clone() };
        one.without.iter().map(disk).collect::<Vec<_>>()
    };
    found.iter().flat_map(of).collect()
}

/// Whether the answer is the cheapest of all, or has fewer volumes than the cheapest and costs a little more.
fn among(found: &[Found], own: &Found, answer: &Explanation) -> AmongCatalogs {
    let has_incomplete = found.iter().flat_map(|one| &one.answers).any(|answer| !answer.cost.is_complete());
    // Less than half a unit prints as the same sum.
    let unless = own
        .without_tolerance
        .as_ref()
        .filter(|one| answer.cost.per_month - one.per_month >= 0.5 && one.volumes > answer.volumes);
    let unless = unless.map(|one| MoreVolumes {
        volumes: one.volumes,
        fewer: answer.volumes,
        per_month: one.per_month,
    });
    AmongCatalogs { catalogs: found.len(), has_incomplete, unless }
}

/// The limit that is the nearest.
fn nearest_limit(fit: &Fit) -> Option<NearestLimit> {
    let first = fit.shares.first()?;
    if first.percent < 1.0 {
        return Some(NearestLimit::FarFromAll);
    }
    // The name is compared, not the place: another measure of the same part says nothing new.
    let next = fit.shares.iter().find(|share| share.element != first.element).cloned();
    Some(NearestLimit::First { first: first.clone(), next })
}
