//! Several configurations side by side: what each delivers, what binds, what it costs, what a MB/s and a thousand IOPS of it cost, and
//! what cannot be counted: whether it can grow, whether it lasts, how much work it is.

use std::collections::BTreeMap;

use iotrial_model::demand::Os;
use iotrial_model::load::Role;
use serde::Serialize;

use crate::catalog::Route;
use crate::configuration::{Resolved, ResolvedPool};
use crate::explanation::{ExplainError, Explanation, Mix, Question};

/// Volumes of all pools up to which they are called little work, and some.
const LITTLE_WORK: u32 = 1;
const SOME_WORK: u32 = 4;

/// The loads at which configurations are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct References {
    /// The mix of which the I/Os count.
    pub small: Mix,
    /// The mix of which the bytes count.
    pub large: Mix,
}

impl References {
    /// The first and the last of the mixes that were asked for; without any, pages of a database and large reads.
    pub fn of(mixes: &[Mix]) -> Self {
        Self {
            small: mixes.first().copied().unwrap_or(Mix { read_percent: 70.0, block_size_bytes: 8_192.0 }),
            large: mixes.last().copied().unwrap_or(Mix { read_percent: 100.0, block_size_bytes: 65_536.0 }),
        }
    }
}

/// Configurations beside one another.
#[derive(Debug, Clone, PartialEq)]
pub struct SideBySide {
    /// ISO 4217, the currency of every sum.
    pub currency: String,
    /// At which mixes.
    pub references: References,
    /// In the order in which they were given.
    pub configurations: Vec<Compared>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its title, or the name of its file where titles are the same.
    pub name: String,
    /// I/Os per second of the small mix, with what binds.
    pub iops: Option<Delivered>,
    /// Bytes per second of the large mix, with what binds.
    pub bandwidth_bytes_per_s: Option<Delivered>,
    /// A month for a thousand IOPS; `None` where a part has no price.
    pub per_thousand_iops: Option<f64>,
    /// A month for a MB/s of 10^6 bytes; `None` where a part has no price.
    pub per_mb_per_s: Option<f64>,
    /// What cannot be counted, by its name: `expandable`, `persistent`, `effort`, and what the file says besides.
    pub criteria: BTreeMap<String, Criterion>,
    /// In which of the figures it is the best of all.
    pub best_at: Vec<BestAt>,
    /// Everything about it.
    pub explanation: Explanation,
}

/// What cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Criterion {
    /// How it grows.
    Expandable(Expandable),
    /// What is lost with the machine; empty where nothing is.
    Lost(Vec<Role>),
    /// How much work it is.
    Effort {
        /// In a word.
        work: Work,
        /// How many volumes are bought.
        volumes: u32,
        /// In how many pools.
        pools: usize,
    },
    /// What the file says.
    Stated(String),
}

/// How a configuration grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expandable {
    /// Not at all: Storage Spaces extend no disk of a pool, nor a virtual disk by new ones.
    No,
    /// By more volumes or another level, because sizes are fixed.
    MoreVolumes,
    /// By every volume, and then the stripe.
    Stripe,
    /// By its volume.
    Volume,
}

/// How much work a configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// At most one volume.
    Little,
    /// A few volumes.
    Some,
    /// Many volumes.
    Much,
}

/// What a mix reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Delivered {
    /// How much.
    pub most: f64,
    /// The part that binds.
    pub binds: String,
}

/// The figures of which one configuration is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BestAt {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Cost a month.
    Cost,
    /// Cost of a thousand IOPS.
    PerThousandIops,
    /// Cost of a MB/s.
    PerMbPerS,
}

impl BestAt {
    /// For tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Bandwidth => "MB/s",
            Self::Cost => "cost",
            Self::PerThousandIops => "per 1,000 IOPS",
            Self::PerMbPerS => "per MB/s",
        }
    }
}

impl SideBySide {
    /// Explains each of them, with what was measured on it. `names` are those of the files.
    ///
    /// # Errors
    ///
    /// When a role is assigned to no pool, or a price is in a currency for which there is no rate.
    pub fn new(
        all: &[(String, Resolved<'_>, Question<'_>)],
        references: References,
    ) -> Result<Self, ExplainError> {
        let mut configurations = Vec::new();
        for (file, resolved, question) in all {
            let explanation = Explanation::new(resolved, question)?;
            let title = &resolved.configuration.title;
            let is_taken = all.iter().filter(|(_, other, _)| other.configuration.title == *title).count() > 1;
            let name = if is_taken { file.clone() } else { title.clone() };
            configurations.push(compared(name, resolved, explanation, references));
        }
        mark_the_best(&mut configurations);
        let currency = configurations.first().map(|one| one.explanation.cost.currency.clone());
        Ok(Self { currency: currency.unwrap_or_default(), references, configurations })
    }

    /// The configuration that is the best at a figure.
    pub fn best_at(&self, what: BestAt) -> Option<&Compared> {
        self.configurations.iter().find(|one| one.best_at.contains(&what))
    }
}

fn compared(
    name: String,
    resolved: &Resolved<'_>,
    explanation: Explanation,
    references: References,
) -> Compared {
    // Data are on one pool; what others hold is beside the point of a mix.
    let pool = resolved.pool_of(Some(Role::Data)).unwrap_or(0);
    let reach = |mix: Mix| {
        explanation.mixes.iter().find(move |one| {
            one.pool == pool
                && (one.read_percent - mix.read_percent).abs() < 1e-9
                && (one.block_size_bytes - mix.block_size_bytes).abs() < 1e-9
        })
    };
    let delivered = |most: Option<f64>, binds: Option<&String>| {
        Some(Delivered { most: most?, binds: binds.cloned().unwrap_or_default() })
    };
    let small = reach(references.small);
    let large = reach(references.large);
    let iops = small.and_then(|one| delivered(one.iops, one.binds.as_ref()));
    let bandwidth = large.and_then(|one| delivered(one.bandwidth_bytes_per_s, one.binds.as_ref()));
    // A sum with a part missing is a lower bound, and so would be its quotients.
    let cost = explanation.cost.is_complete().then_some(explanation.cost.per_month);
    let price_of = |delivered: &Option<Delivered>, unit: f64| {
        Some(cost? / delivered.as_ref().filter(|one| one.most > 0.0)?.most * unit)
    };
    Compared {
        name,
        per_thousand_iops: price_of(&iops, 1e3),
        per_mb_per_s: price_of(&bandwidth, 1e6),
        iops,
        bandwidth_bytes_per_s: bandwidth,
        criteria: criteria(resolved),
        best_at: Vec::new(),
        explanation,
    }
}

/// What follows from the configuration, under what its file says.
fn criteria(resolved: &Resolved<'_>) -> BTreeMap<String, Criterion> {
    let lasting: Vec<_> = resolved.pools.iter().filter(|pool| pool.kind.route != Route::Local).collect();
    let lost = (0..resolved.pools.len())
        .filter(|pool| resolved.pools[*pool].kind.route == Route::Local)
        .flat_map(|pool| resolved.roles_of(pool));
    let volumes: u32 = lasting.iter().map(|pool| pool.count).sum();
    let work = if volumes <= LITTLE_WORK {
        Work::Little
    } else if volumes <= SOME_WORK {
        Work::Some
    } else {
        Work::Much
    };
    let mut all = BTreeMap::from([
        ("expandable".to_owned(), Criterion::Expandable(expandable(resolved, &lasting))),
        ("persistent".to_owned(), Criterion::Lost(lost.collect())),
        ("effort".to_owned(), Criterion::Effort { work, volumes, pools: lasting.len() }),
    ]);
    // Whoever writes the file knows more than follows from it.
    let stated = resolved.configuration.attributes.iter();
    all.extend(stated.map(|(name, text)| (name.clone(), Criterion::Stated(text.clone()))));
    all
}

fn expandable(resolved: &Resolved<'_>, lasting: &[&ResolvedPool<'_>]) -> Expandable {
    let has_stripe = lasting.iter().any(|pool| pool.count > 1 && pool.kind.route != Route::Network);
    if has_stripe && resolved.configuration.os == Os::Windows {
        Expandable::No
    } else if lasting.iter().any(|pool| pool.level.size_min_gib == pool.level.size_max_gib) {
        Expandable::MoreVolumes
    } else if has_stripe {
        Expandable::Stripe
    } else {
        Expandable::Volume
    }
}

/// A figure of a configuration, where it is known.
type Figure<'f> = dyn Fn(&Compared) -> Option<f64> + 'f;

/// Marks the best of each figure, where there are at least two to compare; of equal ones all.
fn mark_the_best(all: &mut [Compared]) {
    let most = |one: &Option<Delivered>| one.as_ref().map(|one| one.most);
    // What has no price in part is cheaper than nothing.
    let cost = |one: &Compared| one.explanation.cost.is_complete().then_some(one.explanation.cost.per_month);
    let figures: [(BestAt, &Figure<'_>, bool); 5] = [
        (BestAt::Iops, &|one| most(&one.iops), true),
        (BestAt::Bandwidth, &|one| most(&one.bandwidth_bytes_per_s), true),
        (BestAt::Cost, &cost, false),
        (BestAt::PerThousandIops, &|one| one.per_thousand_iops, false),
        (BestAt::PerMbPerS, &|one| one.per_mb_per_s, false),
    ];
    for (what, figure, more_is_better) in figures {
        let values: Vec<Option<f64>> = all.iter().map(figure).collect();
        if values.iter().flatten().count() < 2 {
            continue;
        }
        let better = |a: f64, b: f64| if more_is_better { a.max(b) } else { a.min(b) };
        let Some(best) = values.iter().flatten().copied().reduce(better) else { continue };
        for (one, value) in all.iter_mut().zip(values) {
            // Equal up to a ten-thousandth, which no price list has.
            if value.is_some_and(|value| (value / best - 1.0).abs() < 1e-4) {
                one.best_at.push(what);
            }
        }
    }
}
