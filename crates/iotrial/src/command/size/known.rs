//! What is known of providers: their catalogs, those of the user among them, and configurations.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use iotrial_model::demand::Demand;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::price::{Money, shortest_month};
use iotrial_sizing::search::Search;

use crate::cli::{CatalogArgs, MoneyArgs};
use crate::failure::Failure;
use crate::intake::{Input, Kind, Takes, open_as};

/// A configuration from its file.
pub(super) fn configuration(path: &Path, takes: &Takes) -> Result<Configuration, Failure> {
    match open_as(Kind::Configuration, path, takes)? {
        Input::Configuration(configuration) => Ok(*configuration),
        other => Err(takes.refuse(&path.to_string_lossy(), other.kind())),
    }
}

const CATALOG: Takes = Takes { command: "size --catalog", what: "a catalog" };

/// The built-in catalogs, with those of the files in their place.
pub(super) fn all_catalogs(files: &[PathBuf]) -> Result<Vec<Catalog>, Failure> {
    let mut catalogs = Catalog::built_in();
    for path in files {
        let own = match open_as(Kind::Catalog, path, &CATALOG)? {
            Input::Catalog(catalog) => catalog.of_file(&path.display().to_string()),
            other => return Err(CATALOG.refuse(&path.to_string_lossy(), other.kind())),
        };
        // Replaced as a whole: half of a built-in catalog below one's own would mix prices of two dates.
        match catalogs.iter_mut().find(|catalog| catalog.provider == own.provider) {
            Some(catalog) => *catalog = own,
            None => catalogs.push(own),
        }
    }
    Ok(catalogs)
}

/// Those catalogs that are wanted.
pub(super) fn wanted(mut catalogs: Vec<Catalog>, args: &CatalogArgs) -> Result<Vec<Catalog>, Failure> {
    // Each name first, so that a slip in the second is not hidden by an answer from the first.
    for name in &args.providers {
        find(&catalogs, name)?;
    }
    if !args.providers.is_empty() {
        catalogs.retain(|catalog| args.providers.contains(&catalog.provider));
    }
    Ok(catalogs)
}

/// The catalog of a provider.
pub(super) fn find<'c>(catalogs: &'c [Catalog], provider: &str) -> Result<&'c Catalog, Failure> {
    catalogs.iter().find(|catalog| catalog.provider == provider).ok_or_else(|| {
        let names: Vec<&str> = catalogs.iter().map(|catalog| catalog.provider.as_str()).collect();
        let hint = format!("there are {}; --catalog FILE adds one", names.join(", "));
        Failure::input(anyhow!("unknown provider `{provider}`")).hint(hint)
    })
}

/// Refuses names that no catalog has: a search among nothing would end in a wall that is none.
pub(super) fn check_restrictions(
    catalogs: &[Catalog],
    search: &Search,
    demand: &Demand,
) -> Result<(), Failure> {
    for name in search.volumes.iter().chain(demand.pools.iter().flat_map(|pool| &pool.volumes)) {
        let kinds = || catalogs.iter().flat_map(|catalog| &catalog.volumes);
        let known = || kinds().map(|kind| kind.name.as_str());
        let levels = || kinds().flat_map(|kind| kind.levels.iter().map(|level| level.name.as_str()));
        if !known().chain(levels()).any(|known| known == name) {
            let error = anyhow!("no catalog has a volume `{name}`");
            let hint = format!("there are {}", known().collect::<Vec<_>>().join(", "));
            return Err(Failure::input(error).hint(hint));
        }
    }
    for part in &search.machines {
        let has = |catalog: &Catalog| {
            let all = catalog.machines.iter().chain(&catalog.paid.constrained);
            all.into_iter().any(|machine| machine.name.contains(part.as_str()))
        };
        if !catalogs.iter().any(has) {
            let error = anyhow!("no machine has `{part}` in its name");
            return Err(Failure::input(error).hint("`iotrial size catalogs PROVIDER` lists them".to_owned()));
        }
    }
    Ok(())
}

/// In which money. `catalogs` are all that are known, also those that are not wanted: a month is as long for one provider as for another,
/// and one configuration costs the same whichever command says so.
pub(super) fn money(args: &MoneyArgs, catalogs: &[Catalog]) -> Money {
    Money {
        currency: args.currency.clone(),
        rates: args.rates.clone(),
        hours_per_month: args.hours_per_month.or_else(|| shortest_month(catalogs)),
        counted: args.counted.counted(),
    }
}

/// From which catalogs, and of when they are.
pub(super) fn byline(catalogs: &[Catalog]) -> String {
    let names: Vec<String> = catalogs.iter().map(Catalog::shown_provider).collect();
    // Both ends: an answer is as old as its oldest source, and looks as young as its newest.
    let oldest = catalogs.iter().filter_map(|catalog| catalog.oldest().0).min();
    let newest = catalogs.iter().filter_map(Catalog::newest).max();
    let days = match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest != newest => format!("sources from {oldest} to {newest}"),
        (Some(day), _) => format!("sources from {day}"),
        (None, _) => "sources without a date".to_owned(),
    };
    let catalogs = if names.len() == 1 { "catalog" } else { "catalogs" };
    format!("{catalogs} {}, {days}; iotrial {}", names.join(", "), env!("CARGO_PKG_VERSION"))
}
