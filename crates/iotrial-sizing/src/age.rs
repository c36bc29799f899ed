//! How old the figures are on which a configuration rests: its limits, its prices, and what its volumes share.

use iotrial_model::demand::Os;

use crate::catalog::Catalog;
use crate::chain::{block_limits, volume_limits};
use crate::configuration::Resolved;

/// A source of a catalog that a configuration rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReliedOn {
    /// What it says; several where one source says them.
    pub what: Vec<FigureOf>,
    /// Who says it.
    pub source: String,
    /// The day on which it held, as `YYYY-MM-DD`; `None` where the source carries none.
    pub as_of: Option<String>,
}

/// Figures of a catalog, with the name of what they are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureOf {
    /// What it carries.
    Limits(String),
    /// What it carries of small I/Os.
    SmallIoLimits(String),
    /// What it costs.
    Price(String),
    /// How its capacity pools are sold.
    Pools(String),
}

impl ReliedOn {
    /// Whether it is of a day before `day` (`YYYY-MM-DD`), or of none.
    // ISO dates sort as text in the order of time.
    fn is_before(&self, day: &str) -> bool {
        self.as_of.as_deref().is_none_or(|as_of| as_of < day)
    }
}

/// Every source that a configuration rests on, once, in the order in which I/O passes what it is about.
pub fn relied_on(resolved: &Resolved<'_>) -> Vec<ReliedOn> {
    let mut all = Collected { catalog: resolved.catalog, names: Vec::new(), relied: Vec::new() };
    for pool in &resolved.pools {
        let name = if pool.level.name.is_empty() {
            pool.kind.name.clone()
        } else {
            format!("{} {}", pool.kind.name, pool.level.name)
        };
        all.add(&pool.kind.source, FigureOf::Limits(name.clone()));
        // With bursts, where they are higher: what limits the volume at all is relied on.
        let limits = volume_limits(pool.level, pool.size_gib as f64, pool.iops, pool.bandwidth, true);
        for limit in block_limits(pool.level, pool.size_gib as f64, &limits) {
            all.add(&limit.source, FigureOf::SmallIoLimits(name.clone()));
        }
        if let Some(attachment) = pool.attachment {
            all.add(&attachment.source, FigureOf::Limits(attachment.name.clone()));
        }
        if let Some(price) = &pool.level.price {
            all.add(&price.source, FigureOf::Price(name));
        }
        if let Some(shared) = &pool.kind.pool {
            all.add(&shared.source, FigureOf::Pools(pool.kind.name.clone()));
        }
    }
    for path in &resolved.catalog.paths {
        if let Some(source) = &path.source {
            all.add(source, FigureOf::Limits(path.name.clone()));
        }
    }
    let machine = resolved.machine.machine;
    all.add(&machine.source, FigureOf::Limits(machine.name.clone()));
    if let Some(price) = &machine.price {
        all.add(&price.source, FigureOf::Price(machine.name.clone()));
    }
    let configuration = &resolved.configuration;
    if configuration.os != Os::Linux
        && configuration.licence
        && let Some(licence) = resolved.catalog.licence(configuration.os)
    {
        all.add(&licence.source, FigureOf::Price(configuration.os.to_string()));
    }
    all.relied
}

struct Collected<'c> {
    catalog: &'c Catalog,
    /// Names of the sources of `relied`, in its order.
    names: Vec<String>,
    relied: Vec<ReliedOn>,
}

impl Collected<'_> {
    fn add(&mut self, name: &str, what: FigureOf) {
        let place = self.names.iter().position(|one| one == name).unwrap_or_else(|| {
            let source = self.catalog.sources.get(name);
            self.names.push(name.to_owned());
            self.relied.push(ReliedOn {
                what: Vec::new(),
                source: source.map_or_else(|| name.to_owned(), |source| source.text.clone()),
                as_of: source.and_then(|source| source.as_of.clone()),
            });
            self.names.len() - 1
        });
        // Pools of the same level say the same twice.
        if !self.relied[place].what.contains(&what) {
            self.relied[place].what.push(what);
        }
    }
}

/// Those of a day before `day`, which is `YYYY-MM-DD`, and those without a day, the oldest first.
pub fn before(relied: Vec<ReliedOn>, day: &str) -> Vec<ReliedOn> {
    let mut old: Vec<ReliedOn> = relied.into_iter().filter(|one| one.is_before(day)).collect();
    // Without a day last: it may be young.
    old.sort_by(|a, b| (a.as_of.is_none(), &a.as_of).cmp(&(b.as_of.is_none(), &b.as_of)));
    old
}
