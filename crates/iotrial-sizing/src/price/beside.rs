//! Everything of a bill but the volumes: machines, the operating system, licences of the database, backups, traffic. It depends on
//! the machine and not on what is attached to it.

use iotrial_model::demand::Os;

use super::counted::{Counted, LicencesFrom};
use super::{Charge, CostNote, CostPart, MissingPrice, Money, PricedAmount, SecondLicences, times};
use crate::catalog::{Catalog, Committed, DatabaseLicence, Licence, Term};
use crate::configuration::SizedMachine;
use crate::measure::grouped;

/// What is paid beside the volumes, and what has no price.
pub(super) struct Beside {
    pub(super) charges: Vec<Charge>,
    pub(super) missing: Vec<MissingPrice>,
    pub(super) notes: Vec<CostNote>,
}

impl Beside {
    /// Of a machine of this size; `of_licence` is the operating system whose licence is paid.
    pub(super) fn new(
        catalog: &Catalog,
        sized: &SizedMachine<'_>,
        of_licence: Option<Os>,
        money: &Money,
    ) -> Self {
        let mut beside = Self { charges: Vec::new(), missing: Vec::new(), notes: Vec::new() };
        let counted = &money.counted;
        beside.machine(catalog, sized, counted);
        // Linux costs nothing here, and a licence that is brought along is not part of the bill.
        if let Some(os) = of_licence.filter(|os| *os != Os::Linux) {
            beside.operating_system(catalog, sized, os, counted);
        }
        beside.database(catalog, sized, money);
        beside.backups_and_traffic(catalog, counted);
        beside
    }

    fn add(&mut self, part: CostPart, what: String, priced: PricedAmount, currency: &str, source: &str) {
        self.charges.push(Charge::new(part, what, priced, currency, source));
    }

    fn machine(&mut self, catalog: &Catalog, sized: &SizedMachine<'_>, counted: &Counted) {
        let machine = sized.machine;
        let Some(price) = &machine.price else {
            self.missing.push(MissingPrice::Of(machine.name.clone()));
            return;
        };
        let count = counted.machines();
        let committed = catalog.paid.committed(counted.term, machine);
        if counted.term != Term::OnDemand && committed.is_none() {
            self.notes.push(CostNote::OnDemand { machine: machine.name.clone(), term: counted.term });
        }
        let name = format!("{}{}", times(count), machine.name);
        let bound = |name: String| match committed {
            Some(_) => format!("{name}, {}", counted.term.in_words()),
            None => name,
        };
        if let Some((Committed::PerHour(per_hour), source)) = committed {
            let priced = PricedAmount::hourly(count, "machine", per_hour);
            self.add(CostPart::Machine, bound(name), priced, &catalog.currency, source);
            return;
        }
        let (share, source) = match committed {
            Some((Committed::Times(share), source)) => (share, source),
            _ => (1.0, price.source.as_str()),
        };
        let ocpus = f64::from(sized.ocpus.unwrap_or(0));
        let parts = [
            ("machine", PricedAmount::monthly(1.0, "machine", price.per_month)),
            ("machine", PricedAmount::hourly(1.0, "machine", price.per_hour)),
            ("cores", PricedAmount::hourly(ocpus, "OCPU", price.per_ocpu_hour)),
            ("memory", PricedAmount::hourly(sized.memory_gib, "GiB", price.per_memory_gib_hour)),
        ];
        // Vendors use only some kinds of prices; terms of zero would fill the list.
        for (part, priced) in parts.into_iter().filter(|(_, priced)| priced.unit_price > 0.0) {
            let what = if part == "machine" { name.clone() } else { format!("{part}, {name}") };
            let unit_price = priced.unit_price * share;
            let priced = PricedAmount { unit_price, ..priced.times(count) };
            self.add(CostPart::Machine, bound(what), priced, &price.currency, source);
        }
    }

    fn operating_system(&mut self, catalog: &Catalog, sized: &SizedMachine<'_>, os: Os, counted: &Counted) {
        let Some(licence) = catalog.licence(os) else {
            self.missing.push(MissingPrice::Licence(os));
            return;
        };
        let (amount, unit, unit_price) = licence_part(licence, sized);
        let count = counted.machines();
        let priced = PricedAmount::hourly(amount * count, unit, unit_price);
        let what = format!("{os} licence{}", if count > 1.0 { ", both machines" } else { "" });
        self.add(CostPart::Licence, what, priced, &catalog.currency, &licence.source);
    }

    fn database(&mut self, catalog: &Catalog, sized: &SizedMachine<'_>, money: &Money) {
        let counted = &money.counted;
        let Some(asked) = &counted.database else { return };
        let database = asked.database;
        let title = database.title();
        let rule: Option<&DatabaseLicence> = catalog.paid.licence_of(database);
        let (Some(rule), Some(licences)) = (rule, counted.licences(catalog, sized)) else {
            self.missing.push(MissingPrice::Licences(database));
            return;
        };
        let (units, unit) = (licences.units, database.unit());
        let second = if counted.pair.is_none() {
            SecondLicences::NoSecond
        } else if units > rule.units(sized.vcpus, sized.machine.arm) {
            SecondLicences::Both
        } else {
            SecondLicences::None
        };
        let both = second.in_name();
        let what = |how: &str| format!("{title}{how}{both}");
        let monthly = |unit_price| PricedAmount::monthly(units, unit, unit_price);
        let of = CostPart::Database;
        match asked.from {
            LicencesFrom::Own => {}
            LicencesFrom::PerYear(per_year) => {
                let currency = money.currency_for(catalog);
                self.add(of, what(""), monthly(per_year / 12.0), &currency, &rule.source);
            }
            LicencesFrom::Included => match rule.per_unit_hour {
                Some(per_hour) => {
                    let priced = PricedAmount::hourly(units, unit, per_hour);
                    self.add(of, what(""), priced, &catalog.currency, &rule.price_source);
                }
                None => self.missing.push(MissingPrice::Hourly(database)),
            },
            LicencesFrom::List => match catalog.paid.list_price_of(database) {
                Some(list) => {
                    let months = f64::from(asked.write_off_years * 12);
                    let how = format!(" at list price over {} years", asked.write_off_years);
                    let once = monthly(list.per_unit / months);
                    self.add(of, what(&how), once, &list.currency, &list.source);
                    let support = list.per_unit * list.support_percent / 100.0 / 12.0;
                    if support > 0.0 {
                        self.add(of, what(" support"), monthly(support), &list.currency, &list.source);
                    }
                }
                None => self.missing.push(MissingPrice::List(database)),
            },
        }
        let are_own = asked.from == LicencesFrom::Own;
        self.notes.push(CostNote::Licences { units, database, are_own, second, source: licences.source });
    }

    fn backups_and_traffic(&mut self, catalog: &Catalog, counted: &Counted) {
        if let Some(gib) = counted.backup_gib {
            match &catalog.paid.backup {
                Some(backup) => {
                    let priced = PricedAmount::monthly(gib, "GiB", backup.per_gib_month);
                    let what = format!("backups, {}", backup.name);
                    self.add(CostPart::Backup, what, priced, &catalog.currency, &backup.source);
                }
                None => self.missing.push(MissingPrice::Backups),
            }
        }
        let Some(gib) = counted.egress_gib else { return };
        let steps = &catalog.paid.egress;
        if steps.is_empty() {
            self.missing.push(MissingPrice::Traffic);
        }
        let ends = steps.iter().skip(1).map(|step| step.from_gib).chain([f64::INFINITY]);
        // Each step charges its own slice.
        for (step, end) in steps.iter().zip(ends) {
            let amount = gib.min(end) - step.from_gib;
            if amount <= 0.0 {
                continue;
            }
            let priced = PricedAmount::monthly(amount, "GiB", step.per_gib);
            let what = match end.is_finite() {
                true => {
                    format!("traffic to the internet, {} to {} GiB", grouped(step.from_gib), grouped(end))
                }
                false => format!("traffic to the internet, from {} GiB on", grouped(step.from_gib)),
            };
            self.add(CostPart::Traffic, what, priced, &catalog.currency, &step.source);
        }
    }

    /// The sum a month in the money of the sum; `None` where a rate is missing.
    pub(super) fn per_month(&self, money: &Money, catalog: &Catalog) -> Option<f64> {
        let hours = money.hours_for(catalog);
        let target = money.currency_for(catalog);
        let of = |charge: &Charge| {
            // Asking for the rate of a currency to itself for each machine would take longer than the rest.
            let factor =
                if charge.currency == target { 1.0 } else { money.factor(catalog, &charge.currency)? };
            Some(charge.priced.per_month(hours) * factor)
        };
        self.charges.iter().map(of).sum()
    }
}

impl SecondLicences {
    /// What the name of a term says of it.
    const fn in_name(self) -> &'static str {
        match self {
            Self::NoSecond => "",
            Self::Both => ", both machines",
            Self::None => ", the second machine needs none",
        }
    }
}

/// The licence of an operating system: amount, unit and price of a unit for an hour.
fn licence_part(licence: &Licence, sized: &SizedMachine<'_>) -> (f64, &'static str, f64) {
    // A size with fewer processors is billed as the one that it is cut from.
    let vcpus = sized.machine.constrained_from.as_ref().map_or(sized.vcpus, |from| from.vcpus);
    match sized.ocpus {
        Some(ocpus) if licence.per_ocpu_hour > 0.0 => (f64::from(ocpus), "OCPU", licence.per_ocpu_hour),
        _ if licence.per_vcpu_hour > 0.0 => (f64::from(vcpus), "vCPU", licence.per_vcpu_hour),
        // A core has two hardware threads where only they are known.
        _ => (f64::from(vcpus) / 2.0, "OCPU", licence.per_ocpu_hour),
    }
}
