//! The cheapest configurations that meet a demand: exact over machines, kinds of volume, levels, attachments,
//! counts and sizes.
//!
//! What makes it fast is that nothing has to be tried twice. The price is a sum of machine, licence and
//! volumes, and what limits the volumes does not depend on the machine: so each machine is asked once how
//! many times it carries the load, and each level once for each count. For a count the smallest size, IOPS
//! and bandwidth that suffice are the cheapest ones, because no price falls when they rise; they follow from
//! the limits directly. A property test compares the answer with brute force. One pool of equal volumes is
//! searched; roles on pools of their own are for `explain`.

use iotrial_model::demand::{Demand, Os};
use iotrial_model::load::Role;
use iotrial_model::words::in_brief;
use serde::Serialize;

use crate::catalog::{Catalog, Circumstances, Effect, HostCache, Level, Processors, Route, VolumeKind};
use crate::chain::{Chain, ElementKind, ROUNDING, machine_elements};
use crate::configuration::{Configuration, Pool, SizedMachine};
use crate::explanation::{ExplainError, Explanation, Question};
use crate::measure::{Load, LoadStream};
use crate::price::{Money, NoRate, licence_cost, machine_cost, volume_cost};
use crate::requirement::{Share, latency_unmet, machine_unmet, memory_gib};

mod curve;

mod volume;

pub use curve::{CostCurve, CurvePoint, curve_of};

use volume::{Needs, VolumeOption};

/// Without a limit of the machine nobody attaches more.
// Used only where neither the machine nor the kind of volume states a number; 127 is the largest number in
// the built-in catalogs.
const MOST_VOLUMES: u32 = 128;
/// How often the interval in which the largest possible load lies is halved.
// From 1 down, 44 halvings leave 2^-44; next to the smallest load that is tried, 2^-20, that is a relative
// error of 2^-24. A step asks tables that are already made, so it is cheap.
const NEAREST_STEPS: u32 = 44;

/// How often the interval of the largest amount that can be had is halved: 2^-20 is about a millionth.
// Fewer than above because each step makes a new space, with every machine and kind chosen again.
const AMOUNT_STEPS: u32 = 20;

/// Share of the fullest limit from which another limit counts as equally full.
// Sizes are bought in whole GiB and IOPS in whole numbers, so what is meant to be equally full differs by
// rounding. A thousandth covers that for all but the smallest volumes.
const FULL: f64 = 0.999;

/// What is looked for, besides the demand.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// In which money.
    pub money: Money,
    /// Most answers of one provider.
    pub answers: usize,
    /// Names of kinds of volume; empty takes all.
    pub volumes: Vec<String>,
    /// Parts of names of machines; empty takes all.
    pub machines: Vec<String>,
    /// Most volumes of an answer; `None` leaves it to the machine.
    pub volumes_max: Option<u32>,
    /// Whether to leave out machines that are not x86.
    pub no_arm: bool,
}

/// What a provider has for a demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The provider whose catalog was searched.
    pub provider: String,
    /// Its name for headings.
    pub title: String,
    /// Where the prices hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The cheapest first; each is the cheapest of its machine, kind of volume and level.
    pub answers: Vec<Explanation>,
    /// What was not looked at, and why.
    pub left_out: Vec<String>,
    /// What comes closest, where nothing meets the demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
}

/// What comes closest to a demand that nothing meets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// The share of the rates that can be had with everything else as asked; absent where something else is
    /// in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries_times: Option<f64>,
    /// What is in the way, in one sentence without a full stop.
    pub wall: String,
    /// The cheapest that comes so close; absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<Box<Explanation>>,
}

/// Searches one catalog.
///
/// # Errors
///
/// When the prices of the catalog cannot be converted into the currency that is asked for.
pub fn search(catalog: &Catalog, demand: &Demand, search: &Search) -> Result<Found, ExplainError> {
    let space = Space::new(catalog, demand, search)?;
    // The space is built once; `best`, `nearest` and the explanations all ask it.
    let picks = space.best(1.0, search.answers);
    let answers = picks.iter().map(|pick| space.explain(pick)).collect::<Result<Vec<_>, ExplainError>>()?;
    let nearest = if answers.is_empty() { Some(nearest(&space, catalog, demand, search)?) } else { None };
    Ok(Found {
        provider: catalog.provider.clone(),
        title: catalog.title.clone(),
        region: catalog.region.clone(),
        answers,
        left_out: space.left_out.clone(),
        nearest,
    })
}

/// Everything that a catalog offers for a demand, each part looked at once.
pub(crate) struct Space<'s> {
    catalog: &'s Catalog,
    demand: &'s Demand,
    search: &'s Search,
    hours: f64,
    kinds: Vec<KindOption<'s>>,
    machines: Vec<MachineOption<'s>>,
    left_out: Vec<String>,
}

/// A kind of volume that may be taken.
struct KindOption<'s> {
    kind: &'s VolumeKind,
    needs: Needs,
}

/// A machine of one size that may be taken.
struct MachineOption<'s> {
    sized: SizedMachine<'s>,
    /// A month, with the licence as far as it has a price, in the money of the sum.
    cost: f64,
    /// How many times the machine carries the demand, for each of the kinds; 0 where it does not take them.
    reach: Vec<f64>,
}

/// A machine with volumes.
#[derive(Debug, Clone)]
pub(crate) struct Pick {
    machine: usize,
    kind: usize,
    volume: VolumeOption,
    /// Cost of machine, licence and volumes a month, in the money of the sum.
    pub(crate) cost: f64,
}

impl<'s> Space<'s> {
    pub(crate) fn new(
        catalog: &'s Catalog,
        demand: &'s Demand,
        search: &'s Search,
    ) -> Result<Self, ExplainError> {
        let money = &search.money;
        let hours = money.hours_for(catalog);
        // Without a rate for the catalog's own currency nothing of it can be priced.
        if money.factor(catalog, &catalog.currency).is_none() {
            let no_rate = NoRate {
                what: format!("the catalog `{}`", catalog.provider),
                from: catalog.currency.clone(),
                to: money.currency_for(catalog),
            };
            return Err(no_rate.into());
        }
        // The fields are filled in this order because the reach of a machine is asked for each chosen kind.
        let mut space = Self {
            catalog,
            demand,
            search,
            hours,
            kinds: Vec::new(),
            machines: Vec::new(),
            left_out: Vec::new(),
        };
        space.choose_kinds();
        space.choose_machines();
        if demand.replicas > 0 && space.machines.iter().any(|one| one.sized.machine.network.is_none()) {
            let note = "the network of some machines is in no source: there the writes to replicas are held against no limit";
            space.left_out.push(note.to_owned());
        }
        if demand.licence && demand.os != Os::Linux && catalog.licence(demand.os).is_none() {
            let note = format!(
                "the {} licence has no price in the catalog: the true cost is higher by it",
                demand.os
            );
            space.left_out.push(note);
        }
        Ok(space)
    }

    fn load(&self) -> Load {
        let growth = self.demand.load_growth();
        let stream = |stream: &iotrial_model::demand::DemandStream| LoadStream {
            // One pool: which role could go where, and how much capacity each needs, a demand does not say.
            pool: 0,
            direction: stream.direction,
            iops: stream.iops * growth,
            block_size: stream.block_size_bytes,
        };
        Load { streams: self.demand.streams.iter().map(stream).collect() }
    }

    fn copies(&self) -> f64 {
        f64::from(self.demand.mirror.copies())
    }

    fn choose_kinds(&mut self) {
        let load = self.load();
        for kind in &self.catalog.volumes {
            if !self.search.volumes.is_empty() && !self.search.volumes.contains(&kind.name) {
                continue;
            }
            // A database must not be on storage that is lost with the machine.
            if kind.route == Route::Local {
                continue;
            }
            if let Some(unmet) = latency_unmet(kind, self.demand) {
                self.left_out.push(unmet.message);
                continue;
            }
            let in_part = kind.levels.iter().find_map(|level| level.price.as_ref()?.without.as_deref());
            if let Some(without) = in_part {
                self.left_out.push(format!("{}: no source has the price of its {without}", kind.title));
                continue;
            }
            // A level without a price is left out below; a kind is left out only where no level has one.
            let priced = kind.levels.iter().filter_map(|level| level.price.as_ref()).count();
            if priced == 0 {
                self.left_out.push(format!("{}: no source has a price", kind.title));
                continue;
            }
            let foreign = kind.levels.iter().filter_map(|level| level.price.as_ref());
            // One rate that is missing leaves the kind out, not the provider: Premium SSD v2 has a price in
            // GBP only.
            if let Some(price) = foreign
                .clone()
                .find(|price| self.search.money.factor(self.catalog, &price.currency).is_none())
            {
                let to = self.search.money.currency_for(self.catalog);
                let from = &price.currency;
                self.left_out.push(format!(
                    "{}: its price is in {from}; --rate {from}/{to}=… brings it in",
                    kind.title
                ));
                continue;
            }
            if priced < kind.levels.len() {
                let unpriced = kind.levels.iter().filter(|level| level.price.is_none());
                let names: Vec<&str> = unpriced.map(|level| level.name.as_str()).collect();
                self.left_out.push(format!("{} {}: no source has a price", kind.title, names.join(", ")));
            }
            let needs = Needs::new(&load, kind, self.copies(), self.demand);
            self.kinds.push(KindOption { kind, needs });
        }
    }

    fn choose_machines(&mut self) {
        let load = self.load();
        let memory = memory_gib(self.demand);
        let (mut unpriced, mut unknown) = (Vec::new(), Vec::new());
        for machine in &self.catalog.machines {
            let wanted = &self.search.machines;
            if !wanted.is_empty() && !wanted.iter().any(|part| machine.name.contains(part.as_str())) {
                continue;
            }
            if machine.arm && self.search.no_arm {
                continue;
            }
            let Some(price) = &machine.price else {
                unpriced.push(machine.name.as_str());
                continue;
            };
            if machine.gap.is_some() {
                unknown.push(machine.name.as_str());
            }
            // The machine's own currency is one for which there is a rate, or it is left out.
            // Without a rate it is reported with those that have no price, because for the sum it comes to
            // the same.
            let Some(factor) = self.search.money.factor(self.catalog, &price.currency) else {
                unpriced.push(machine.name.as_str());
                continue;
            };
            // Every size of a flexible shape is a machine of its own here, so that cores are bought only as
            // far as processors, memory or bandwidth need them.
            for sized in sizes(machine, memory) {
                if !machine_unmet(&sized, self.demand).is_empty() {
                    continue;
                }
                let reach: Vec<f64> =
                    self.kinds.iter().map(|option| self.reach(&sized, option.kind, &load)).collect();
                if reach.iter().all(|reach| *reach <= 0.0) {
                    continue;
                }
                // The licence depends on cores, so it belongs to the machine and is added once.
                let own = machine_cost(&sized, self.hours).unwrap_or(0.0) * factor;
                self.machines.push(MachineOption { sized, cost: own + self.licence(&sized), reach });
            }
        }
        for (names, why) in
            [(unpriced, "no source has a price"), (unknown, "no source has their limits for volumes")]
        {
            if !names.is_empty() {
                self.left_out.push(format!("{}: {why}", in_brief(&names, 4, 3)));
            }
        }
    }

    fn licence(&self, sized: &SizedMachine<'_>) -> f64 {
        if !self.demand.licence || self.demand.os == Os::Linux {
            return 0.0;
        }
        let factor = self.search.money.factor(self.catalog, &self.catalog.currency).unwrap_or(1.0);
        // An unknown licence counts as zero for every machine alike, and a note says that the true cost is
        // higher.
        licence_cost(self.catalog, self.demand.os, sized, self.hours).unwrap_or(0.0) * factor
    }

    /// How many times a machine carries the load to volumes of a kind; 0 where it does not take them.
    fn reach(&self, sized: &SizedMachine<'_>, kind: &VolumeKind, load: &Load) -> f64 {
        if !sized.machine.takes(kind) {
            return 0.0;
        }
        let replicas = f64::from(self.demand.replicas);
        // No host cache in the search: what share of reads it serves is a guess that no vendor supports.
        let passage = crate::chain::Passage { kind, copies: self.copies(), replicas, cache_hit: 0.0 };
        // Only what the machine adds to the chain. The volumes are bought to fit afterwards, so they are not
        // asked here.
        let elements = machine_elements(self.catalog, sized, &[passage], self.demand.allow_burst);
        Chain { elements }.reach(load)
    }

    /// The cheapest of each machine, kind and level, for `factor` times the load; the cheapest first.
    pub(crate) fn best(&self, factor: f64, count: usize) -> Vec<Pick> {
        let mut picks: Vec<Pick> = Vec::new();
        for (kind_index, option) in self.kinds.iter().enumerate() {
            for level in &option.kind.levels {
                // Outside the loop over machines, since neither sizes nor prices of volumes depend on the
                // machine. This is what keeps the search below a second.
                let Some(volumes) = self.volumes(option, level, factor) else { continue };
                let first_of_level = picks.len();
                for (index, machine) in self.machines.iter().enumerate() {
                    if machine.reach[kind_index] < factor * (1.0 - ROUNDING) {
                        continue;
                    }
                    let broken =
                        |volume: &VolumeOption| self.broken(option.kind, level, volume, &machine.sized);
                    // Volumes are sorted by cost, so the first that is allowed is the cheapest on this
                    // machine, and later ones need no look.
                    let mut allowed = volumes.iter().filter_map(|volume| Some((volume, broken(volume)?)));
                    let Some((first, warnings)) = allowed.next() else { continue };
                    // Of what costs the same, the one that breaks the fewest rules.
                    let same = |other: &(&VolumeOption, usize)| {
                        // Another attachment of the same volumes costs the same, and one of them may break
                        // fewer rules.
                        other.0.cost <= first.cost * (1.0 + ROUNDING) && other.0.count == first.count
                    };
                    let others = [(first, warnings)].into_iter().chain(allowed.take_while(same));
                    let (volume, _) =
                        others.min_by_key(|(_, warnings)| *warnings).unwrap_or((first, warnings));
                    let cost = machine.cost + volume.cost;
                    let pick = Pick { machine: index, kind: kind_index, volume: volume.clone(), cost };
                    // The sizes of a machine are neighbours, and only the cheapest of them is kept.
                    let same = picks[first_of_level..].last_mut().filter(|other| {
                        std::ptr::eq(self.machines[other.machine].sized.machine, machine.sized.machine)
                    });
                    match same {
                        Some(other) if same_cost(cost, other.cost).is_lt() => *other = pick,
                        Some(_) => {}
                        None => picks.push(pick),
                    }
                }
            }
        }
        picks.sort_by(|a, b| {
            // Equal costs are common (several sizes of a family at one price), so there are tie-breakers:
            // fewest volumes, then the order of the catalog, so that the answer never depends on chance.
            same_cost(a.cost, b.cost)
                .then(a.volume.count.cmp(&b.volume.count))
                .then(a.machine.cmp(&b.machine))
        });
        picks.truncate(count);
        picks
    }

    /// The cheapest of all.
    pub(crate) fn cheapest(&self, factor: f64) -> Option<Pick> {
        self.best(factor, 1).into_iter().next()
    }

    /// For each count and attachment the cheapest volumes of a level that suffice, the cheapest first.
    fn volumes(&self, option: &KindOption<'_>, level: &Level, factor: f64) -> Option<Vec<VolumeOption>> {
        let price = level.price.as_ref()?;
        let rate = self.search.money.factor(self.catalog, &price.currency)?;
        let kind = option.kind;
        let attachments: Vec<Option<usize>> = if kind.attachments.is_empty() {
            vec![None]
        } else {
            (0..kind.attachments.len()).map(Some).collect()
        };
        let level_index = kind.levels.iter().position(|other| std::ptr::eq(other, level))?;
        let mut all = Vec::new();
        let most = kind.count_max.unwrap_or(MOST_VOLUMES);
        // Each copy of a mirror is on a volume of its own.
        let least = self.demand.mirror.copies();
        // Each count is tried: the cheapest number of volumes is not monotonic, because included IOPS come
        // per volume while prices by size come per GiB.
        for count in least..=most.min(self.search.volumes_max.unwrap_or(most)) {
            let Some((size_gib, iops, bandwidth)) =
                option.needs.least(level, kind, count, factor, self.demand.allow_burst)
            else {
                // Not `break`: more volumes may suffice where fewer do not.
                continue;
            };
            let Some(one) = volume_cost(level, size_gib, iops, bandwidth, self.hours) else { continue };
            for attachment in &attachments {
                let limits = attachment.map_or(&[][..], |index| &kind.attachments[index].limits);
                if option.needs.fit_attachment(limits, count, factor) {
                    all.push(VolumeOption {
                        level: level_index,
                        attachment: *attachment,
                        count,
                        size_gib,
                        iops,
                        bandwidth,
                        // In the money of the sum, so that kinds priced in other currencies sort with the
                        // rest.
                        cost: one * rate * f64::from(count),
                    });
                }
            }
        }
        // Of what costs the same, the fewest: the last bits of a product say nothing.
        all.sort_by(|a, b| same_cost(a.cost, b.cost).then(a.count.cmp(&b.count)));
        (!all.is_empty()).then_some(all)
    }

    /// How many rules warn of these volumes on a machine; `None` where it does not take them, or a rule
    /// forbids it.
    fn broken(
        &self,
        kind: &VolumeKind,
        level: &Level,
        volume: &VolumeOption,
        sized: &SizedMachine<'_>,
    ) -> Option<usize> {
        let attachment = volume.attachment.map(|index| kind.attachments[index].name.as_str());
        // As above: without any stated limit the range of the search is the limit.
        let most = sized.machine.most_volumes(kind, attachment).unwrap_or(MOST_VOLUMES);
        // Where the ways to attach are counted apart, one that is not counted is not there.
        let counted = &sized.machine.volumes_max_by_attachment;
        if volume.count > most
            || attachment.is_some_and(|name| !counted.is_empty() && !counted.contains_key(name))
        {
            return None;
        }
        let by = Circumstances {
            volume: &kind.name,
            level: &level.name,
            attachment,
            machine: &sized.machine.name,
            ocpus: sized.ocpus,
            arm: sized.machine.arm,
            os: self.demand.os,
            clustered: self.demand.clustered,
            count: volume.count,
            size_gib: volume.size_gib,
            // The search never assumes a cache, and the single pool holds every role, so rules about any of
            // them apply.
            host_cache: HostCache::None,
            roles: Role::ALL,
        };
        let broken: Vec<Effect> =
            self.catalog.rules.iter().filter(|rule| rule.is_broken(&by)).map(|rule| rule.effect).collect();
        (!broken.contains(&Effect::Forbids)).then_some(broken.len())
    }

    /// A pick as a configuration.
    pub(crate) fn configuration(&self, pick: &Pick) -> Configuration {
        let sized = &self.machines[pick.machine].sized;
        let kind = self.kinds[pick.kind].kind;
        let level = &kind.levels[pick.volume.level];
        let is_flexible = matches!(sized.machine.processors, Processors::Flexible { .. });
        let is_bought = level.provisioned.as_ref();
        let bandwidth_is_bought =
            is_bought.and_then(|one| one.bandwidth.as_ref()).is_some_and(|one| one.is_bought);
        let demand = self.demand;
        Configuration {
            title: demand.title.clone(),
            provider: self.catalog.provider.clone(),
            machine: sized.machine.name.clone(),
            // A fixed machine has no cores to order, and writing them down would be refused when the file is
            // read back.
            ocpus: sized.ocpus.filter(|_| is_flexible),
            memory_gib: is_flexible.then_some(sized.memory_gib),
            os: demand.os,
            licence: demand.licence,
            clustered: demand.clustered,
            mirror: demand.mirror,
            replicas: demand.replicas,
            outstanding: None,
            latency_mean_us: None,
            pools: vec![Pool {
                roles: Vec::new(),
                volume: kind.name.clone(),
                level: level.name.clone(),
                count: pick.volume.count,
                size_gib: pick.volume.size_gib,
                iops: is_bought.map(|_| pick.volume.iops),
                bandwidth: bandwidth_is_bought.then_some(pick.volume.bandwidth),
                attachment: pick.volume.attachment.map(|index| kind.attachments[index].name.clone()),
                host_cache: HostCache::None,
                cache_hit_percent: 0.0,
            }],
        }
    }

    fn explain(&self, pick: &Pick) -> Result<Explanation, ExplainError> {
        // Through the same door as a file of the user, so the answer is checked by all the rules that a
        // person's configuration is.
        let resolved = self.configuration(pick).on(self.catalog)?;
        let question = Question {
            demand: Some(self.demand),
            money: self.search.money.clone(),
            burst: self.demand.allow_burst,
            ..Question::default()
        };
        Explanation::new(&resolved, &question)
    }
}

/// The order of two costs, equal where they differ by rounding only.
fn same_cost(a: f64, b: f64) -> std::cmp::Ordering {
    // Whole millionths keep the order total, as a tolerance would not.
    (a * 1e6).round().total_cmp(&(b * 1e6).round())
}

/// A machine in every size that can be ordered with at least `memory_gib` of memory.
fn sizes(machine: &crate::catalog::Machine, memory_gib: f64) -> Vec<SizedMachine<'_>> {
    match machine.processors {
        Processors::Fixed { .. } => SizedMachine::new(machine, None, None).into_iter().collect(),
        Processors::Flexible { ocpus_min, ocpus_max, memory_min_gib, .. } => (ocpus_min..=ocpus_max)
            .filter_map(|ocpus| {
                // Memory is ordered in whole GiB, and every core brings its least.
                let memory = memory_gib.ceil().max(memory_min_gib * f64::from(ocpus));
                // An error means that the size cannot be ordered (too much memory for so few cores), which is
                // no failure of the search.
                SizedMachine::new(machine, Some(ocpus), Some(memory)).ok()
            })
            .collect(),
    }
}

/// What comes closest where nothing meets the demand: the most of its rates that can be had, or the requirement without which
/// there would be something.
fn nearest(
    space: &Space<'_>,
    catalog: &Catalog,
    demand: &Demand,
    search: &Search,
) -> Result<Nearest, ExplainError> {
    // If even a millionth of the rates cannot be had, rates are not what is in the way.
    let smallest = 1.0 / f64::from(1 << 20);
    if space.cheapest(smallest).is_some() {
        let (mut possible, mut impossible) = (smallest, 1.0);
        // Bisection works because more load never becomes possible where less was not: all limits are linear
        // and prices do not matter here.
        for _ in 0..NEAREST_STEPS {
            let middle = f64::midpoint(possible, impossible);
            if space.cheapest(middle).is_some() { possible = middle } else { impossible = middle }
        }
        let pick = space.cheapest(possible).expect("it was there a moment ago");
        let closest = space.explain(&pick)?;
        let wall = wall_of(&closest).map_or_else(String::new, |share| {
            format!("{}, {}: {}", share.element, share.measure, share.written())
        });
        return Ok(Nearest { carries_times: Some(possible), wall, closest: Some(Box::new(closest)) });
    }
    // Of an amount, the largest part that can be had is the limiting factor; of anything else, that it is
    // asked at all.
    for (what, change) in amounts(demand) {
        let with = |share: f64| {
            let mut less = demand.clone();
            change(&mut less, share);
            less
        };
        let is_there = |share: f64| -> Result<bool, ExplainError> {
            // The rates are set to next to nothing, so that only the amount decides.
            Ok(Space::new(catalog, &with(share), search)?.cheapest(smallest).is_some())
        };
        // Without this amount there would still be nothing, so it is not the one in the way.
        if !is_there(0.0)? {
            continue;
        }
        let (mut possible, mut impossible) = (0.0, 1.0);
        for _ in 0..AMOUNT_STEPS {
            let middle = f64::midpoint(possible, impossible);
            if is_there(middle)? { possible = middle } else { impossible = middle }
        }
        let less = with(possible);
        let space = Space::new(catalog, &less, search)?;
        // With the whole rates where that is possible.
        let pick =
            space.cheapest(1.0).or_else(|| space.cheapest(smallest)).expect("it was there a moment ago");
        let closest = space.explain(&pick)?;
        let wall = format!("the wall is {}", what(&closest));
        return Ok(Nearest { carries_times: None, wall, closest: Some(Box::new(closest)) });
    }
    let mut walls = Vec::new();
    // What is not an amount cannot be halved, only dropped.
    for (what, relaxed) in relaxations(demand) {
        let space = Space::new(catalog, &relaxed, search)?;
        if let Some(pick) = space.cheapest(1.0).or_else(|| space.cheapest(smallest)) {
            walls.push((what, space.explain(&pick)?));
        }
    }
    let wall = if walls.is_empty() {
        "several requirements at once: without any one of them there is still nothing".to_owned()
    } else {
        let names: Vec<&str> = walls.iter().map(|(what, _)| what.as_str()).collect();
        format!("without {} there would be something", names.join(", or without "))
    };
    let closest = walls.into_iter().next().map(|(_, closest)| Box::new(closest));
    Ok(Nearest { carries_times: None, wall, closest })
}

/// Says what of an amount there is, and how much was asked.
type AmountWords = Box<dyn Fn(&Explanation) -> String>;
/// Asks for this share of an amount.
type AmountChange = fn(&mut Demand, f64);

/// The amounts that a demand asks for besides rates.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes and counts, of which a share is taken"
)]
fn amounts(demand: &Demand) -> Vec<(AmountWords, AmountChange)> {
    use crate::measure::grouped;
    use iotrial_model::units::ByteSize;
    let mut all: Vec<(AmountWords, AmountChange)> = Vec::new();
    if demand.vcpus_min > 0 {
        let asked = demand.vcpus_min;
        all.push((
            Box::new(move |closest| {
                format!("the number of vCPU: {asked} are asked, and at most {} can be had", closest.vcpus)
            }),
            // The processors are rounded down, memory and capacity to whole bytes: at share 0 nothing is
            // asked.
            |demand, share| demand.vcpus_min = (f64::from(demand.vcpus_min) * share) as u32,
        ));
    }
    if demand.memory_min.get() > 0 {
        let asked = demand.memory_min;
        all.push((
            Box::new(move |closest| {
                format!(
                    "the memory: {asked} is asked, and at most {} GiB can be had",
                    grouped(closest.memory_gib)
                )
            }),
            |demand, share| {
                demand.memory_min = ByteSize::bytes((demand.memory_min.get() as f64 * share) as u64);
            },
        ));
    }
    if demand.capacity.get() > 0 {
        let asked = demand.capacity_gib() / f64::from(demand.mirror.copies());
        all.push((
            Box::new(move |closest| {
                format!(
                    "the capacity: {} GiB are asked, and at most {} can be had",
                    grouped(asked),
                    grouped(closest.usable_gib)
                )
            }),
            |demand, share| demand.capacity = ByteSize::bytes((demand.capacity.get() as f64 * share) as u64),
        ));
    }
    all
}

/// The limit that keeps the closest configuration from carrying more. The volumes are bought to be just
/// enough, so that they are as full as what cannot be bought; they are the limiting factor only where nothing
/// else is.
fn wall_of(closest: &Explanation) -> Option<&Share> {
    let shares = &closest.fit.as_ref()?.shares;
    let fullest = shares.first()?;
    // Among equally full limits a part that cannot be bought larger is the true reason.
    let is_full = |share: &&Share| share.percent >= fullest.percent * FULL;
    shares.iter().filter(is_full).find(|share| share.kind != ElementKind::Volumes).or(Some(fullest))
}

/// The demand without one of its requirements at a time (those that are not amounts), and what was left out.
fn relaxations(demand: &Demand) -> Vec<(String, Demand)> {
    use iotrial_model::demand::Mirror;
    let mut all = Vec::new();
    let mut without = |is_asked: bool, what: String, change: &dyn Fn(&mut Demand)| {
        if is_asked {
            let mut relaxed = demand.clone();
            change(&mut relaxed);
            all.push((what, relaxed));
        }
    };
    let latency = demand.latency.map_or("", |latency| latency.as_str());
    without(demand.latency.is_some(), format!("the latency `{latency}`"), &|one| one.latency = None);
    without(demand.clustered, "the cluster".to_owned(), &|one| one.clustered = false);
    without(demand.os != Os::Linux, format!("{}", demand.os), &|one| one.os = Os::Linux);
    without(demand.replicas > 0, "the replicas".to_owned(), &|one| one.replicas = 0);
    without(demand.mirror != Mirror::None, "the mirror".to_owned(), &|one| one.mirror = Mirror::None);
    all
}
