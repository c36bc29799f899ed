//! How old the figures are on which a configuration rests: its limits, its prices, and what its volumes share.

use iotrial_model::demand::Os;
use iotrial_model::words::enumerate;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::chain::{block_limits, volume_limits};
use crate::configuration::Resolved;

/// A source of a catalog that a configuration rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReliedOn {
    /// What it says, such as `price of premium-ssd P30`; several where one source says them.
    pub what: Vec<String>,
    /// Who says it.
    pub source: String,
    /// The day on which it held, as `YYYY-MM-DD`; `None` where the source carries none.
    pub as_of: Option<String>,
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
        all.add(&pool.kind.source, format!("limits of {name}"));
        // With bursts, where they are higher: what limits the volume at all is relied on.
        let limits = volume_limits(pool.level, pool.size_gib as f64, pool.iops, pool.bandwidth, true);
        for limit in block_limits(pool.level, pool.size_gib as f64, &limits) {
            all.add(&limit.source, format!("limits of {name} for small I/Os"));
        }
        if let Some(attachment) = pool.attachment {
            all.add(&attachment.source, format!("limits of {}", attachment.name));
        }
        if let Some(price) = &pool.level.price {
            all.add(&price.source, format!("price of {name}"));
        }
        if let Some(shared) = &pool.kind.pool {
            all.add(&shared.source, format!("pools of {}", pool.kind.name));
        }
    }
    for path in &resolved.catalog.paths {
        if let Some(source) = &path.source {
            all.add(source, format!("limits of {}", path.name));
        }
    }
    let machine = resolved.machine.machine;
    all.add(&machine.source, format!("limits of {}", machine.name));
    if let Some(price) = &machine.price {
        all.add(&price.source, format!("price of {}", machine.name));
    }
    let configuration = &resolved.configuration;
    if configuration.os != Os::Linux
        && configuration.licence
        && let Some(licence) = resolved.catalog.licence(configuration.os)
    {
        all.add(&licence.source, format!("price of {}", configuration.os));
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
    fn add(&mut self, name: &str, what: String) {
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

/// What is old in one sentence without a full stop; `None` where nothing is.
pub fn in_words(old: &[ReliedOn]) -> Option<String> {
    let words =
        |one: &ReliedOn| format!("{} ({})", enumerate(&one.what), one.as_of.as_deref().unwrap_or("no date"));
    let list: Vec<String> = old.iter().map(words).collect();
    let undated = old.iter().filter(|one| one.as_of.is_none()).count();
    let why = match undated {
        0 => "are more than a year old",
        all if all == old.len() => "have no date",
        _ => "are more than a year old or have no date",
    };
    (!list.is_empty()).then(|| format!("these catalog figures {why}: {}", list.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_figures_are_said_to_lack_a_date_only_where_they_do() {
        let of = |dates: &[Option<&str>]| {
            let one = |as_of: &Option<&str>| ReliedOn {
                what: vec!["price of gp3".to_owned()],
                source: "a page".to_owned(),
                as_of: as_of.map(str::to_owned),
            };
            in_words(&dates.iter().map(one).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), None);
        let dated = of(&[Some("2024-07-01")]).unwrap();
        assert_eq!(dated, "these catalog figures are more than a year old: price of gp3 (2024-07-01)");
        assert_eq!(of(&[None]).unwrap(), "these catalog figures have no date: price of gp3 (no date)");
        assert!(
            of(&[Some("2024-07-01"), None]).unwrap().contains("are more than a year old or have no date")
        );
    }
}
