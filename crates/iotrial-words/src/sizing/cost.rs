//! Sums, and what is missing in them.

use iotrial_sizing::measure::grouped;
use iotrial_sizing::price::{CostNote, KnownSum, MissingPrice, SecondLicences};

/// A sum with its currency.
pub fn money(amount: f64, currency: &str) -> String {
    // Cents are noise in a monthly sum of list prices.
    format!("{} {currency}", grouped(amount.round()))
}

/// A cost with its currency, and what is missing in it.
pub fn sum_in_words(sum: &KnownSum, currency: &str) -> String {
    let known = format!("{} a month", money(sum.per_month, currency));
    if sum.missing.is_empty() { known } else { format!("{known} without the {}", and_the(&sum.missing)) }
}

/// What has no price: `price of gp3 and the Windows licence`.
pub(super) fn and_the(missing: &[MissingPrice]) -> String {
    missing_prices(missing).join(" and the ")
}

/// What has no price, each as words after `the`.
pub fn missing_prices(missing: &[MissingPrice]) -> Vec<String> {
    missing.iter().map(missing_price).collect()
}

/// What has no price, as words after `the`.
pub fn missing_price(missing: &MissingPrice) -> String {
    match missing {
        MissingPrice::Of(name) => format!("price of {name}"),
        MissingPrice::Part { part, of } => format!("{part} of {of}"),
        MissingPrice::Licence(os) => format!("{os} licence"),
        MissingPrice::Licences(database) => {
            format!("licences of {} (the catalog has no rule for counting them)", database.title())
        }
        MissingPrice::Hourly(database) => format!("hourly price of {}", database.title()),
        MissingPrice::List(database) => format!("list price of {}", database.title()),
        MissingPrice::Backups => "price of backup storage".to_owned(),
        MissingPrice::Traffic => "price of traffic to the internet".to_owned(),
    }
}

/// What is to be known of a term, in one sentence without a full stop.
pub fn cost_note(note: &CostNote) -> String {
    match note {
        CostNote::OnDemand { machine, term } => {
            format!("the catalog has no price for {machine} {}: its on-demand price is used", term.in_words())
        }
        CostNote::Licences { units, database, are_own, second, source } => {
            let licences = format!("{} {} of {}", grouped(*units), database.unit(), database.title());
            let second = match second {
                SecondLicences::NoSecond => "",
                SecondLicences::Both => ", both machines",
                SecondLicences::None => ", the second machine needs none",
            };
            if *are_own {
                format!("{licences} are your own, so they are not in the sum{second} ({source})")
            } else {
                format!("{licences}{second}: {source}")
            }
        }
    }
}
