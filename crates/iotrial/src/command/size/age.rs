//! The warning that figures are old on which an answer rests.

use iotrial_report::json_form::AsJson;
use iotrial_sizing::age::{FigureOf, ReliedOn, before, relied_on};
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::configuration::Configuration;
use jiff::ToSpan as _;
use jiff::civil::Date;
use serde::Serialize;

/// An answer in JSON, and the old figures behind it.
#[derive(Serialize)]
pub(super) struct Aged<'a, T: Serialize> {
    #[serde(flatten)]
    pub(super) answer: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) old_figures: Vec<AsJson<'a, ReliedOn>>,
}

/// What a configuration rests on and is more than a year old on `today`, or has no date.
pub(super) fn old_figures(configuration: &Configuration, catalogs: &[Catalog], today: Date) -> Vec<ReliedOn> {
    let of_provider = catalogs.iter().find(|catalog| catalog.provider == configuration.provider);
    let resolved = of_provider.and_then(|catalog| configuration.on(catalog).ok());
    // Before the first year of the calendar nothing is old.
    let year_ago = today.checked_sub(1.year()).map(|day| day.to_string()).unwrap_or_default();
    resolved.map(|resolved| before(relied_on(&resolved), &year_ago)).unwrap_or_default()
}

/// The same of several configurations: each source once, with all that it says of them.
pub(super) fn old_figures_of_all(
    configurations: &[Configuration],
    catalogs: &[Catalog],
    today: Date,
) -> Vec<ReliedOn> {
    let mut all: Vec<ReliedOn> = Vec::new();
    for one in configurations.iter().flat_map(|configuration| old_figures(configuration, catalogs, today)) {
        match all.iter_mut().find(|known| (&known.source, &known.as_of) == (&one.source, &one.as_of)) {
            Some(known) => {
                let new: Vec<FigureOf> =
                    one.what.into_iter().filter(|what| !known.what.contains(what)).collect();
                known.what.extend(new);
            }
            None => all.push(one),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_old_a_year_after_their_day_and_not_before() {
        let text = "format = \"iotrial.configuration/1\"\nprovider = \"gcp\"\nmachine = \"c4d-standard-8\"\n\
                    [[pool]]\nvolume = \"hyperdisk-balanced\"\nsize = \"100GiB\"\n";
        let configuration = Configuration::parse(text).unwrap();
        let catalogs = Catalog::built_in();
        let count = |year, month, day| {
            old_figures(&configuration, &catalogs, jiff::civil::date(year, month, day)).len()
        };
        // Limits of 2026-07-28, prices of 2026-08-03 and 2026-08-21.
        assert_eq!(count(2026, 11, 23), 0);
        assert_eq!(count(2027, 7, 28), 0, "a year to the day");
        assert_eq!((count(2027, 7, 29), count(2027, 8, 4), count(2027, 8, 22)), (2, 3, 4));
    }

    #[test]
    fn a_source_of_several_configurations_is_named_once_with_all_that_it_says() {
        let of = |machine: &str| {
            let text = format!(
                "format = \"iotrial.configuration/1\"\nprovider = \"gcp\"\nmachine = \"{machine}\"\n\
                 [[pool]]\nvolume = \"hyperdisk-balanced\"\nsize = \"100GiB\"\n"
            );
            Configuration::parse(&text).unwrap()
        };
        let catalogs = Catalog::built_in();
        let day = jiff::civil::date(2027, 8, 22);
        let both = [of("c4d-standard-8"), of("c4d-standard-16")];
        let old = old_figures_of_all(&both, &catalogs, day);
        assert_eq!(old.len(), old_figures(&both[0], &catalogs, day).len());
        let said: Vec<&FigureOf> = old.iter().flat_map(|one| &one.what).collect();
        for machine in ["c4d-standard-8", "c4d-standard-16"] {
            let count = said.iter().filter(|what| ***what == FigureOf::Limits(machine.to_owned())).count();
            assert_eq!(count, 1, "{said:?}");
        }
        let is_of_volumes = |what: &&&FigureOf| matches!(what, FigureOf::Limits(name) if name.starts_with("hyperdisk-balanced"));
        let volumes = said.iter().filter(is_of_volumes).count();
        assert_eq!(volumes, 1, "{said:?}");
    }
}
