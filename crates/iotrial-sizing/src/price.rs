//! What a configuration costs a month: a sum of terms, each with amount, unit price, unit and source.

use std::str::FromStr;

use iotrial_model::demand::Os;
use serde::Serialize;

use crate::catalog::{Catalog, Database, Level, Term, VolumeKind, VolumePrice};
use crate::configuration::{Resolved, SizedMachine};

mod beside;
mod counted;
mod rate;

pub use counted::{Counted, DatabaseCount, LicencesFrom, Pair};

use beside::Beside;
use rate::find_rate;

/// In which money, and how long a month is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Money {
    /// ISO 4217; `None` takes the currency of the catalog.
    pub currency: Option<String>,
    /// Given rates, which count before those of a catalog.
    pub rates: Vec<GivenRate>,
    /// `None` takes the month of the catalog.
    pub hours_per_month: Option<f64>,
    /// What is counted besides machine, operating system and volumes.
    pub counted: Counted,
}

/// A rate that was given: `USD/EUR=0.93` says that a dollar is 0.93 euros.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenRate {
    /// The unit that is converted: one `from` is `per_unit` of `to`.
    pub from: String,
    /// The unit that it is converted into.
    pub to: String,
    /// How much of `to` one `from` buys.
    pub per_unit: f64,
}

impl FromStr for GivenRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not an exchange rate; write FROM/TO=NUMBER, such as USD/EUR=0.93");
        let (pair, number) = text.split_once('=').ok_or_else(wrong)?;
        let (from, to) = pair.split_once('/').ok_or_else(wrong)?;
        let per_unit: f64 = number.trim().parse().map_err(|_| wrong())?;
        let is_code = |code: &str| code.len() == 3 && code.chars().all(|c| c.is_ascii_uppercase());
        // A rate is also used the other way round, so zero is refused with the rest.
        if !is_code(from) || !is_code(to) || from == to || !per_unit.is_finite() || per_unit <= 0.0 {
            return Err(wrong());
        }
        Ok(Self { from: from.to_owned(), to: to.to_owned(), per_unit })
    }
}

/// There is no way from one currency to another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} has prices in {from}, and there is no exchange rate from {from} to {to}")]
pub struct NoRate {
    /// What is priced.
    pub what: String,
    /// The currency of the price.
    pub from: String,
    /// The currency that was asked for.
    pub to: String,
}

impl NoRate {
    /// What the reader can do.
    pub fn hint(&self) -> String {
        format!("give one: --rate {}/{}=…", self.from, self.to)
    }
}

/// A rate with who says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsedRate {
    /// The currency of the price.
    pub from: String,
    /// The currency of the sum.
    pub to: String,
    /// How much of `to` one `from` buys.
    pub per_unit: f64,
    /// Who says so, with the day.
    pub source: String,
}

/// What a configuration costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The currency of the sum, ISO 4217.
    pub currency: String,
    /// How long a month is.
    pub hours_per_month: f64,
    /// Each part of it, in the order of the configuration.
    pub terms: Vec<CostTerm>,
    /// The sum of the terms.
    pub per_month: f64,
    /// What has no price in the catalog; the true sum is higher by it.
    pub missing: Vec<MissingPrice>,
    /// What is to be known of the terms.
    pub notes: Vec<CostNote>,
    /// How other currencies were converted.
    pub rates: Vec<UsedRate>,
}

impl Cost {
    /// The sum of the terms of one part.
    pub fn of_part(&self, part: CostPart) -> f64 {
        // Summed from the terms on each call, so that the parts can never disagree with the list that is
        // printed.
        self.terms.iter().filter(|term| term.part == part).map(|term| term.per_month).sum()
    }

    /// Whether everything has a price.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The sum without its terms.
    pub fn sum(&self) -> KnownSum {
        KnownSum { per_month: self.per_month, missing: self.missing.clone() }
    }
}

/// What something costs a month.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSum {
    /// What is known of it.
    pub per_month: f64,
    /// What has no price in the catalog; the true sum is higher by it.
    pub missing: Vec<MissingPrice>,
}

/// What no source has a price of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingPrice {
    /// A machine, or volumes of a level, by name.
    Of(String),
    /// A part of the price of volumes.
    Part {
        /// The catalog's name for it.
        part: String,
        /// Name of the volumes.
        of: String,
    },
    /// The licence of an operating system.
    Licence(Os),
    /// Licences of a database, of which the catalog does not say how they are counted.
    Licences(Database),
    /// Licences of a database by the hour.
    Hourly(Database),
    /// Licences of a database at list price.
    List(Database),
    /// Storage of backups.
    Backups,
    /// Traffic to the internet.
    Traffic,
}

/// What is to be known of the terms of a cost.
#[derive(Debug, Clone, PartialEq)]
pub enum CostNote {
    /// The catalog has no committed price of the machine.
    OnDemand {
        /// Name of the machine.
        machine: String,
        /// For which there is no price.
        term: Term,
    },
    /// Licences of a database, and how they are counted.
    Licences {
        /// How many.
        units: f64,
        /// Of what.
        database: Database,
        /// Whether they are there already, and no part of the sum.
        are_own: bool,
        /// What of it a second machine needs.
        second: SecondLicences,
        /// Who says how they are counted.
        source: String,
    },
}

/// Whether a second machine needs licences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondLicences {
    /// There is none.
    NoSecond,
    /// Both machines are licensed.
    Both,
    /// The second one needs none.
    None,
}

/// The kinds of things that are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostPart {
    /// Cores and memory.
    Machine,
    /// Capacity and performance.
    Volumes,
    /// The operating system.
    Licence,
    /// Licences of the database.
    Database,
    /// Storage for backups.
    Backup,
    /// What leaves the provider.
    Traffic,
}

impl CostPart {
    /// All of them, in the order in which tables show them.
    pub const ALL: [Self; 6] =
        [Self::Machine, Self::Volumes, Self::Licence, Self::Database, Self::Backup, Self::Traffic];

    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Volumes => "volumes",
            Self::Licence => "licence",
            Self::Database => "database",
            Self::Backup => "backups",
            Self::Traffic => "traffic",
        }
    }
}

/// One term of the cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostTerm {
    /// What kind of thing is paid for.
    pub part: CostPart,
    /// What is paid for.
    pub what: String,
    /// How much of it.
    pub amount: f64,
    /// The unit of `amount`.
    pub unit: &'static str,
    /// For one of them, in `price_currency`.
    pub unit_price: f64,
    /// The currency of `unit_price`.
    pub price_currency: String,
    /// Hours that are paid; `None` where the price is by the month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
    /// A month, in the currency of the sum.
    pub per_month: f64,
    /// Who says so, with the day.
    pub source: String,
}

/// Converts into one currency, and remembers how.
struct Converter<'m> {
    money: &'m Money,
    catalog: &'m Catalog,
    target: String,
    hours: f64,
    used: Vec<UsedRate>,
}

impl Converter<'_> {
    fn factor(&mut self, from: &str, what: &str) -> Result<f64, NoRate> {
        let rate = find_rate(self.money, self.catalog, from, &self.target).ok_or_else(|| NoRate {
            what: what.to_owned(),
            from: from.to_owned(),
            to: self.target.clone(),
        })?;
        let per_unit = rate.per_unit;
        // Each rate once, and none for a currency that needs no conversion: the list is printed under the
        // sum.
        if from != self.target && !self.used.contains(&rate) {
            self.used.push(rate);
        }
        Ok(per_unit)
    }

    fn term(&mut self, charge: Charge) -> Result<CostTerm, NoRate> {
        let Charge { part, what, priced, currency, source } = charge;
        let factor = self.factor(&currency, &what)?;
        Ok(CostTerm {
            part,
            what,
            amount: priced.amount,
            unit: priced.unit,
            unit_price: priced.unit_price,
            price_currency: currency,
            hours: priced.is_hourly.then_some(self.hours),
            per_month: priced.per_month(self.hours) * factor,
            source: self.catalog.cited(&source),
        })
    }
}

/// The month of providers side by side: the shortest one of their catalogs (730 rather than 744 hours), so that none looks dearer by two
/// per cent for the length of its month. `None` without a catalog.
pub fn shortest_month(catalogs: &[Catalog]) -> Option<f64> {
    catalogs.iter().map(|catalog| catalog.hours_per_month).reduce(f64::min)
}

impl Money {
    /// The currency of sums over a catalog.
    pub(crate) fn currency_for(&self, catalog: &Catalog) -> String {
        self.currency.clone().unwrap_or_else(|| catalog.currency.clone())
    }

    /// The month for prices by the hour.
    pub(crate) fn hours_for(&self, catalog: &Catalog) -> f64 {
        self.hours_per_month.unwrap_or(catalog.hours_per_month)
    }

    /// What one unit of a currency is in the money of the sum; `None` without a rate.
    pub(crate) fn factor(&self, catalog: &Catalog, from: &str) -> Option<f64> {
        find_rate(self, catalog, from, &self.currency_for(catalog)).map(|rate| rate.per_unit)
    }
}

/// What a configuration costs a month.
///
/// # Errors
///
/// When a price is in a currency for which there is no rate.
pub fn cost_of(resolved: &Resolved<'_>, money: &Money) -> Result<Cost, NoRate> {
    let catalog = resolved.catalog;
    let configuration = &resolved.configuration;
    let of_licence = configuration.licence.then_some(configuration.os);
    let Beside { charges, mut missing, notes } = Beside::new(catalog, &resolved.machine, of_licence, money);
    let (mut charges, others): (Vec<Charge>, Vec<Charge>) =
        charges.into_iter().partition(|charge| charge.part == CostPart::Machine);
    // The local disk of a second machine comes with it, and has no price either way.
    let sets = money.counted.volume_sets();
    for pool in &resolved.pools {
        let called = called(&pool.kind.name, pool.level);
        let Some(price) = &pool.level.price else {
            missing.push(MissingPrice::Of(called));
            continue;
        };
        if let Some(without) = &price.without {
            // The known part is still summed, and the missing one named beside it: a sum without it
            // is a lower bound and is never called the cheapest.
            missing.push(MissingPrice::Part { part: without.clone(), of: called.clone() });
        }
        let parts = volume_parts(pool.level, price, pool.size_gib, pool.iops, pool.bandwidth);
        for (name, priced) in parts.into_iter().filter(|(_, one)| one.unit_price > 0.0 && one.amount > 0.0) {
            let what = format!("{name}, {}{} × {called}", times(sets), pool.count);
            // One volume is priced and multiplied, since tiers and included IOPS apply to each
            // volume.
            let priced = priced.times(f64::from(pool.count)).times(sets);
            charges.push(Charge::new(CostPart::Volumes, what, priced, &price.currency, &price.source));
        }
    }
    for (kind, level, rest_gib) in unused_of_pools(resolved) {
        let (Some(price), Some(pool)) = (&level.price, &kind.pool) else { continue };
        for priced in rest_parts(price, rest_gib).into_iter().filter(|one| one.unit_price > 0.0) {
            let what = format!("rest of the capacity pool, {}{}", times(sets), called(&kind.name, level));
            let priced = priced.times(sets);
            charges.push(Charge::new(CostPart::Volumes, what, priced, &price.currency, &pool.source));
        }
    }
    charges.extend(others);
    let (target, hours) = (money.currency_for(catalog), money.hours_for(catalog));
    let mut converter = Converter { money, catalog, target, hours, used: Vec::new() };
    let terms: Vec<CostTerm> =
        charges.into_iter().map(|charge| converter.term(charge)).collect::<Result<_, _>>()?;
    Ok(Cost {
        // Added up in full precision and rounded only when shown: rounded terms would not add up to the
        // rounded sum.
        per_month: terms.iter().map(|term| term.per_month).sum(),
        currency: converter.target,
        hours_per_month: hours,
        terms,
        missing,
        notes,
        rates: converter.used,
    })
}

/// `2 × ` where there are two of something.
fn times(count: f64) -> &'static str {
    if count > 1.0 { "2 × " } else { "" }
}

/// What capacity pools have beyond the volumes in them, in GiB. Volumes of one level share a pool, whatever lies on them.
fn unused_of_pools<'c>(resolved: &Resolved<'c>) -> Vec<(&'c VolumeKind, &'c Level, u64)> {
    let mut pools: Vec<(&VolumeKind, &Level, u64)> = Vec::new();
    for pool in resolved.pools.iter().filter(|pool| pool.kind.pool.is_some()) {
        let gib = pool.size_gib * u64::from(pool.count);
        match pools.iter_mut().find(|(_, level, _)| std::ptr::eq(*level, pool.level)) {
            Some((.., together)) => *together += gib,
            None => pools.push((pool.kind, pool.level, gib)),
        }
    }
    for (kind, _, gib) in &mut pools {
        *gib = kind.pool.as_ref().map_or(0, |pool| pool.rest_gib(*gib));
    }
    pools.retain(|(.., rest)| *rest > 0);
    pools
}

/// The parts of the price of capacity that is bought and not used.
fn rest_parts(price: &VolumePrice, rest_gib: u64) -> [PricedAmount; 2] {
    let gib = rest_gib as f64;
    [
        PricedAmount::monthly(gib, "GiB", price.per_gib_month),
        PricedAmount::hourly(gib, "GiB", price.per_gib_hour),
    ]
}

/// How a level is called in a list of costs.
fn called(kind: &str, level: &Level) -> String {
    if level.name.is_empty() { kind.to_owned() } else { format!("{kind} {}", level.name) }
}

/// An amount at the price of one unit of it.
#[derive(Debug, Clone, Copy)]
struct PricedAmount {
    amount: f64,
    unit: &'static str,
    unit_price: f64,
    is_hourly: bool,
}

impl PricedAmount {
    const fn monthly(amount: f64, unit: &'static str, unit_price: f64) -> Self {
        Self { amount, unit, unit_price, is_hourly: false }
    }

    const fn hourly(amount: f64, unit: &'static str, unit_price: f64) -> Self {
        Self { amount, unit, unit_price, is_hourly: true }
    }

    fn times(self, count: f64) -> Self {
        Self { amount: self.amount * count, ..self }
    }

    fn per_month(&self, hours: f64) -> f64 {
        // An hourly price times the length of the month that was chosen for all providers.
        self.amount * self.unit_price * if self.is_hourly { hours } else { 1.0 }
    }
}

/// One thing that is paid, before its price is converted.
struct Charge {
    part: CostPart,
    what: String,
    priced: PricedAmount,
    currency: String,
    source: String,
}

impl Charge {
    fn new(part: CostPart, what: String, priced: PricedAmount, currency: &str, source: &str) -> Self {
        Self { part, what, priced, currency: currency.to_owned(), source: source.to_owned() }
    }
}

/// The parts of the price of one volume, with their names.
fn volume_parts(
    level: &Level,
    price: &VolumePrice,
    size_gib: u64,
    iops: f64,
    bandwidth: f64,
) -> Vec<(&'static str, PricedAmount)> {
    let size = size_gib as f64;
    let vpus = size * level.vpus_per_gib;
    let mut parts = vec![
        ("volume", PricedAmount::monthly(1.0, "volumes", price.per_month)),
        ("capacity", PricedAmount::monthly(size, "GiB", price.per_gib_month)),
        ("capacity", PricedAmount::hourly(size, "GiB", price.per_gib_hour)),
        ("performance units", PricedAmount::monthly(vpus, "VPU × GiB", price.per_vpu_gib_month)),
    ];
    let Some(provisioned) = &level.provisioned else { return parts };
    let extra = (iops - provisioned.iops_included).max(0.0);
    let ends = price.iops_steps.iter().skip(1).map(|step| step.from).chain([f64::INFINITY]);
    // Each tier charges only its own slice, as an income tax does; io2 has three of them.
    for (step, end) in price.iops_steps.iter().zip(ends) {
        // The steps count what is bought in all, and the included ones are the first.
        let from = step.from.max(provisioned.iops_included);
        let amount = (iops.min(end) - from).max(0.0);
        parts.push(("IOPS", PricedAmount::monthly(amount, "IOPS", step.per_iops_month)));
    }
    parts.push(("IOPS", PricedAmount::hourly(extra, "IOPS", price.per_iops_hour)));
    if let Some(own) = provisioned.bandwidth.as_ref().filter(|own| own.is_bought) {
        let unit = own.unit().as_str();
        // Whole steps, but for a most that follows from the IOPS.
        let extra = ((bandwidth - own.included) / own.step).max(0.0);
        parts.push(("bandwidth", PricedAmount::monthly(extra, unit, price.per_bandwidth_month * own.step)));
        parts.push(("bandwidth", PricedAmount::hourly(extra, unit, price.per_bandwidth_hour * own.step)));
    }
    parts
}

/// A month of one volume in the currency of its price. It never falls when size, IOPS or bandwidth rise.
pub(crate) fn volume_cost(
    level: &Level,
    size_gib: u64,
    iops: f64,
    bandwidth: f64,
    hours: f64,
) -> Option<f64> {
    let price = level.price.as_ref()?;
    let parts = volume_parts(level, price, size_gib, iops, bandwidth);
    Some(parts.iter().map(|(_, priced)| priced.per_month(hours)).sum())
}

/// A month of what a capacity pool has beyond `volumes_gib` of volumes, in the currency of their price; zero where there are no
/// pools. Together with the volumes it never falls when they grow.
pub(crate) fn pool_rest_cost(kind: &VolumeKind, level: &Level, volumes_gib: u64, hours: f64) -> f64 {
    let (Some(pool), Some(price)) = (&kind.pool, &level.price) else { return 0.0 };
    rest_parts(price, pool.rest_gib(volumes_gib)).iter().map(|part| part.per_month(hours)).sum()
}

/// A month of everything but the volumes, in the money of the sum; `None` where the machine has no price in it. The same terms as in
/// the printed cost, so that the search cannot prefer by another price than the one it shows.
pub(crate) fn cost_beside_volumes(
    catalog: &Catalog,
    sized: &SizedMachine<'_>,
    of_licence: Option<Os>,
    money: &Money,
) -> Option<f64> {
    sized.machine.price.as_ref()?;
    Beside::new(catalog, sized, of_licence, money).per_month(money, catalog)
}

/// What has no price for this machine besides the volumes.
pub(crate) fn unknown_beside_volumes(
    catalog: &Catalog,
    sized: &SizedMachine<'_>,
    of_licence: Option<Os>,
    money: &Money,
) -> Vec<MissingPrice> {
    Beside::new(catalog, sized, of_licence, money).missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_names_both_currencies() {
        let rate: GivenRate = "USD/EUR=0.93".parse().unwrap();
        assert_eq!((rate.from.as_str(), rate.to.as_str(), rate.per_unit), ("USD", "EUR", 0.93));
        for text in
            ["0.93", "EUR=0.93", "USD/EUR", "USD/EUR=0", "USD/EUR=-1", "USD/USD=1", "usd/eur=1", "USD/EUR=x"]
        {
            assert!(text.parse::<GivenRate>().unwrap_err().contains("FROM/TO=NUMBER"), "{text}");
        }
    }
}
