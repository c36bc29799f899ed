//! The cheapest configurations that meet a demand: exact over machines, kinds of volume, levels, attachments,
//! counts and sizes.
//!
//! What makes it fast is that nothing has to be tried twice. The price is a sum of machine, licence and
//! volumes, and what limits the volumes does not depend on the machine: so each machine is asked once how
//! many times it carries the load, and each level once for each count. For a count the smallest size, IOPS
//! and bandwidth that suffice are the cheapest ones, because no price falls when they rise; they follow from
//! the limits directly. A property test compares the answer with brute force. One pool of equal volumes is
//! searched; roles on pools of their own are for `explain`.
//!
//! Of configurations that cost nearly the same, the one with the fewest volumes is the answer: nobody builds a
//! stripe of 17 to save a per cent ([`Search::tolerance`]).

use iotrial_model::demand::{Demand, Os};
use iotrial_model::load::Role;
use iotrial_model::words::in_brief;
use serde::Serialize;

use crate::catalog::{Catalog, Circumstances, Effect, HostCache, Level, Processors, Route, Term, VolumeKind};
use crate::chain::{Chain, ROUNDING, machine_elements};
use crate::configuration::{Configuration, Pool, SizedMachine};
use crate::explanation::{ExplainError, Explanation, Question};
use crate::measure::{Load, LoadStream, is_sequential, is_shipped};
use crate::price::{Money, NoRate, cost_beside_volumes, pool_rest_cost, unknown_beside_volumes, volume_cost};
use crate::requirement::{latency_unmet, machine_unmet, memory_gib};

mod admission;

mod count;

mod curve;

mod volume;

mod wall;

mod years;

pub use count::CountPoint;
pub use curve::{CostCurve, CurvePoint, curve_of};
pub use years::{Year, YearPlan, over_years};

use admission::Admission;
use volume::{Needs, VolumeOption};
use wall::nearest;

/// Without a limit of the machine nobody attaches more.
// Used only where neither the machine nor the kind of volume states a number; 127 is the largest number in
// the built-in catalogs.
const MOST_VOLUMES: u32 = 128;
/// What is looked for, besides the demand.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// In which money.
    pub money: Money,
    /// Most answers of one provider.
    pub answers: usize,
    /// Names of kinds of volume or of their levels; empty takes all on which databases run.
    pub volumes: Vec<String>,
    /// Parts of names of machines; empty takes all.
    pub machines: Vec<String>,
    /// Most volumes of an answer; `None` leaves it to the machine.
    pub volumes_max: Option<u32>,
    /// Whether to leave out machines that are not x86.
    pub no_arm: bool,
    /// By how much more of the cost an answer may have fewer volumes than the cheapest: 0.01 is one per cent. Zero takes the
    /// cheapest.
    pub tolerance: f64,
    /// Whether to plan what is bought in which year.
    pub by_year: bool,
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
    /// The cheapest first; each is the one with the fewest volumes of its machine, kind of volume and level, of those that cost
    /// within the tolerance of the cheapest.
    pub answers: Vec<Explanation>,
    /// What the first answer would cost with fewer or more volumes of its kind and level, by their number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_count: Vec<CountPoint>,
    /// Whether it has nothing with as many processors as the rule of thumb asks for, so that smaller machines were taken.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_below_floor: bool,
    /// What was not looked at, and why.
    pub left_out: Vec<String>,
    /// The disks on which databases usually lie, where they were not looked at for want of a price or of limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The cheapest on a kind of volume of which no source says how fast it answers; only where a latency is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_unknown_latency: Option<Box<Explanation>>,
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
        by_count: picks.first().map(|pick| space.by_count(pick)).unwrap_or_default(),
        is_below_floor: false,
        left_out: space.left_out.clone(),
        without: space.without.clone(),
        of_unknown_latency: of_unknown_latency(&space, catalog, demand, search)?,
        nearest,
    })
}

/// The cheapest of the kinds that were left out because no source states a latency of them.
fn of_unknown_latency(
    space: &Space<'_>,
    catalog: &Catalog,
    demand: &Demand,
    search: &Search,
) -> Result<Option<Box<Explanation>>, ExplainError> {
    if space.unknown_latency.is_empty() {
        return Ok(None);
    }
    let any = Demand { latency: None, ..demand.clone() };
    let only = Search { volumes: space.unknown_latency.clone(), ..search.clone() };
    let space = Space::new(catalog, &any, &only)?;
    let best = space.best(1.0, 1).into_iter().next();
    Ok(best.map(|pick| space.explain(&pick)).transpose()?.map(Box::new))
}

/// Everything that a catalog offers for a demand, each part looked at once.
pub(crate) struct Space<'s> {
    catalog: &'s Catalog,
    demand: &'s Demand,
    search: &'s Search,
    hours: f64,
    kinds: Vec<KindOption<'s>>,
    machines: Vec<MachineOption<'s>>,
    /// Those without a price, with the largest of their sizes only: they are no answers.
    unpriced: Vec<MachineOption<'s>>,
    left_out: Vec<String>,
    without: Vec<String>,
    /// Names of kinds of which no source says how fast they answer, where a latency is asked.
    unknown_latency: Vec<String>,
}

/// A kind of volume that may be taken.
struct KindOption<'s> {
    kind: &'s VolumeKind,
    /// Places of the levels that may be taken.
    levels: Vec<usize>,
    needs: Needs,
}

/// A machine of one size that may be taken.
struct MachineOption<'s> {
    sized: SizedMachine<'s>,
    /// A month of everything but the volumes, as far as it has a price, in the money of the sum.
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
            unpriced: Vec::new(),
            left_out: Vec::new(),
            without: Vec::new(),
            unknown_latency: Vec::new(),
        };
        space.choose_kinds();
        space.choose_machines();
        space.note_main_disks();
        if demand.replicas > 0 && space.machines.iter().any(|one| one.sized.machine.network.is_none()) {
            let note = "the network of some machines is in no source: there the writes to replicas are checked against no limit";
            space.left_out.push(note.to_owned());
        }
        space.note_unknown_prices();
        Ok(space)
    }

    fn load(&self) -> Load {
        let growth = self.demand.load_growth();
        let log_is_apart = self.demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
        let stream = |stream: &iotrial_model::demand::DemandStream| LoadStream {
            // One pool: which role could go where, and how much capacity each needs, a demand does not say.
            pool: 0,
            direction: stream.direction,
            iops: stream.iops * growth,
            block_size: stream.block_size_bytes,
            is_sequential: is_sequential(stream.role),
            is_shipped: is_shipped(&self.demand.shipped, stream.role, log_is_apart),
        };
        Load { streams: self.demand.streams.iter().map(stream).collect() }
    }

    fn copies(&self) -> f64 {
        f64::from(self.demand.mirror.copies())
    }

    fn choose_kinds(&mut self) {
        let load = self.load();
        let admission = Admission::new(self.demand, &self.search.volumes);
        for kind in &self.catalog.volumes {
            // A database must not be on storage that is lost with the machine.
            if kind.route == Route::Local || !admission.is_wanted(kind) {
                continue;
            }
            if let Some(unmet) = latency_unmet(kind, self.demand) {
                self.left_out.push(unmet.message);
                if kind.latency.is_none() {
                    self.unknown_latency.push(kind.name.clone());
                }
                continue;
            }
            let levels = match admission.levels(kind) {
                Ok((levels, note)) => {
                    self.left_out.extend(note);
                    levels
                }
                Err(note) => {
                    self.left_out.push(note);
                    continue;
                }
            };
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
            self.kinds.push(KindOption { kind, levels, needs });
        }
    }

    /// What of the disks on which databases usually lie was not looked at. Whoever names the kinds, or asks for a latency that
    /// a kind does not have, knows.
    fn note_main_disks(&mut self) {
        if !self.search.volumes.is_empty() {
            return;
        }
        let catalog = self.catalog;
        let is_left_out = |kind: &&VolumeKind| {
            kind.is_main
                && latency_unmet(kind, self.demand).is_none()
                && self.kinds.iter().all(|option| !std::ptr::eq(option.kind, *kind))
        };
        let kinds = catalog.volumes.iter().filter(is_left_out).map(|kind| kind.title.clone());
        let gaps = catalog.gaps.iter().filter_map(|gap| gap.main_disk.clone());
        self.without = kinds.chain(gaps).collect();
    }

    fn choose_machines(&mut self) {
        let load = self.load();
        let memory = memory_gib(self.demand);
        let (mut unpriced, mut unknown) = (Vec::new(), Vec::new());
        let counted = &self.search.money.counted;
        // Sizes with fewer processors cost the same: they are another choice only where licences are paid by them.
        let constrained = counted.database.iter().flat_map(|_| &self.catalog.paid.constrained);
        for machine in self.catalog.machines.iter().chain(constrained) {
            let wanted = &self.search.machines;
            if !wanted.is_empty() && !wanted.iter().any(|part| machine.name.contains(part.as_str())) {
                continue;
            }
            if machine.arm && self.search.no_arm {
                continue;
            }
            // Without a rate for its currency it is reported with those that have no price, because for the
            // sum it comes to the same.
            let factor = machine
                .price
                .as_ref()
                .and_then(|price| self.search.money.factor(self.catalog, &price.currency));
            if factor.is_none() {
                unpriced.push(machine.name.as_str());
                // The largest, which carries what any of its sizes does.
                if let Some(sized) = sizes(machine, memory).pop()
                    && machine_unmet(&sized, self.demand).is_empty()
                {
                    let reach =
                        self.kinds.iter().map(|option| self.reach(&sized, option.kind, &load)).collect();
                    self.unpriced.push(MachineOption { sized, cost: 0.0, reach });
                }
                continue;
            }
            if machine.gap.is_some() {
                unknown.push(machine.name.as_str());
            }
            // Every size of a flexible shape is a machine of its own here, so that cores are bought only as
            // far as processors, memory or bandwidth need them.
            for sized in sizes(machine, memory) {
                if !machine_unmet(&sized, self.demand).is_empty()
                    || counted.forbids(self.catalog, &sized).is_some()
                {
                    continue;
                }
                let reach: Vec<f64> =
                    self.kinds.iter().map(|option| self.reach(&sized, option.kind, &load)).collect();
                if reach.iter().all(|reach| *reach <= 0.0) {
                    continue;
                }
                // Licences depend on cores, so they belong to the machine and are added once. An unknown one counts as zero
                // for every machine alike, and a note says that the true cost is higher.
                let cost = cost_beside_volumes(self.catalog, &sized, self.paid_os(), &self.search.money);
                self.machines.push(MachineOption { sized, cost: cost.unwrap_or(0.0), reach });
            }
        }
        let committed = |option: &&MachineOption<'_>| {
            self.catalog.paid.committed(counted.term, option.sized.machine).is_some()
        };
        let mut uncommitted: Vec<&str> = if counted.term == Term::OnDemand {
            Vec::new()
        } else {
            let without = self.machines.iter().filter(|option| !committed(option));
            without.map(|option| option.sized.machine.ordered_name()).collect()
        };
        uncommitted.dedup();
        let on_demand =
            format!("no source has a price {}: they are counted on demand", counted.term.in_words());
        for (names, why) in [
            (unpriced, "no source has a price"),
            (unknown, "no source has their limits for volumes"),
            (uncommitted, &on_demand),
        ] {
            if !names.is_empty() {
                self.left_out.push(format!("{}: {why}", in_brief(&names, 4, 3)));
            }
        }
    }

    /// The operating system whose licence is paid.
    fn paid_os(&self) -> Option<Os> {
        self.demand.licence.then_some(self.demand.os)
    }

    /// What of the bill no source has a price of, whichever machine it is.
    fn note_unknown_prices(&mut self) {
        let Some(machine) = self.machines.first() else { return };
        let (missing, _) =
            unknown_beside_volumes(self.catalog, &machine.sized, self.paid_os(), &self.search.money);
        for what in missing {
            let note = if what.ends_with(" licence") {
                format!("the {what} has no price in the catalog: the true cost is higher by it")
            } else {
                format!("not in the cost, for want of a source: the {what}")
            };
            self.left_out.push(note);
        }
    }

    /// How many times a machine carries the load to volumes of a kind; 0 where it does not take them.
    fn reach(&self, sized: &SizedMachine<'_>, kind: &VolumeKind, load: &Load) -> f64 {
        if !sized.machine.takes(kind) {
            return 0.0;
        }
        let replicas = f64::from(self.demand.replicas);
        // No host cache in the search: what share of reads it serves is a guess that no vendor supports.
        let (copies, host_cache) = (self.copies(), HostCache::None);
        let passage = crate::chain::Passage { kind, copies, replicas, cache_hit: 0.0, host_cache };
        // Only what the machine adds to the chain. The volumes are bought to fit afterwards, so they are not
        // asked here.
        let elements = machine_elements(self.catalog, sized, &[passage], self.demand.allow_burst);
        Chain { elements }.reach(load)
    }

    /// Of each machine, kind and level the one with the fewest volumes of those within the tolerance of the cheapest, for
    /// `factor` times the load; the cheapest first.
    pub(crate) fn best(&self, factor: f64, count: usize) -> Vec<Pick> {
        let mut picks = self.picks(factor, self.search.tolerance);
        // A machine over two interfaces is one machine: the rows are for other choices.
        let mut shown: Vec<(&str, usize, usize)> = Vec::new();
        picks.retain(|pick| {
            let choice =
                (self.machines[pick.machine].sized.machine.ordered_name(), pick.kind, pick.volume.level);
            let is_new = !shown.contains(&choice);
            if is_new {
                shown.push(choice);
            }
            is_new
        });
        picks.truncate(count);
        picks
    }

    /// The cheapest of all, however many volumes it has.
    pub(crate) fn cheapest(&self, factor: f64) -> Option<Pick> {
        self.picks(factor, 0.0).into_iter().next()
    }

    /// One pick of each machine, kind and level, the cheapest first.
    fn picks(&self, factor: f64, tolerance: f64) -> Vec<Pick> {
        let mut picks: Vec<Pick> = Vec::new();
        for (kind_index, option) in self.kinds.iter().enumerate() {
            for level in option.levels.iter().map(|level| &option.kind.levels[*level]) {
                // Outside the loop over machines, since neither sizes nor prices of volumes depend on the
                // machine. This is what keeps the search below a second.
                let Some(volumes) = self.volumes(option, level, factor) else { continue };
                let mut start = 0;
                // The sizes of a machine are neighbours.
                while start < self.machines.len() {
                    let machine = self.machines[start].sized.machine;
                    let same = |one: &MachineOption<'_>| std::ptr::eq(one.sized.machine, machine);
                    let length = self.machines[start..].iter().take_while(|one| same(one)).count();
                    let sizes = start..start + length;
                    picks.extend(self.pick_of(kind_index, level, &volumes, sizes, factor, tolerance));
                    start += length;
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
        picks
    }

    /// Of the sizes of one machine with volumes of one level: the fewest volumes within the tolerance of the cheapest.
    fn pick_of(
        &self,
        kind: usize,
        level: &Level,
        volumes: &[VolumeOption],
        sizes: std::ops::Range<usize>,
        factor: f64,
        tolerance: f64,
    ) -> Option<Pick> {
        let carries = |machine: &usize| self.machines[*machine].reach[kind] >= factor * (1.0 - ROUNDING);
        let broken = |volume: &VolumeOption, machine: usize| {
            self.broken(self.kinds[kind].kind, level, volume, &self.machines[machine].sized)
        };
        // Volumes are sorted by cost, so the first that is allowed is the cheapest on a machine.
        let first = |machine: usize| {
            let place = volumes.iter().position(|volume| broken(volume, machine).is_some())?;
            Some((machine, place, self.machines[machine].cost + volumes[place].cost))
        };
        let firsts: Vec<(usize, usize, f64)> = sizes.filter(carries).filter_map(first).collect();
        let cheapest = firsts.iter().map(|(.., cost)| *cost).reduce(f64::min)?;
        // What costs the same up to rounding counts as the same, also without a tolerance.
        let most = cheapest * (1.0 + tolerance.max(ROUNDING));
        let mut best: Option<(Pick, usize)> = None;
        for (machine, place, _) in firsts.into_iter().filter(|(.., cost)| *cost <= most) {
            let own = self.machines[machine].cost;
            for volume in volumes[place..].iter().take_while(|volume| own + volume.cost <= most) {
                let cost = own + volume.cost;
                // Fewer volumes, then what costs less, then what breaks fewer rules: another attachment of the same volumes costs
                // the same. Of all that is equal the first counts.
                let order = |warnings: usize, best: &(Pick, usize)| {
                    let (pick, fewest) = best;
                    volume
                        .count
                        .cmp(&pick.volume.count)
                        .then(same_cost(cost, pick.cost))
                        .then(warnings.cmp(fewest))
                };
                // Whether a rule forbids it is asked last, as that takes the longest.
                if best.as_ref().is_some_and(|best| order(0, best).is_gt()) {
                    continue;
                }
                let Some(warnings) = broken(volume, machine) else { continue };
                if best.as_ref().is_none_or(|best| order(warnings, best).is_lt()) {
                    best = Some((Pick { machine, kind, volume: volume.clone(), cost }, warnings));
                }
            }
        }
        best.map(|(pick, _)| pick)
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
        let sets = self.search.money.counted.volume_sets();
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
            let together_gib = size_gib * u64::from(count);
            if self.catalog.capacity_limits_of(kind).any(|limit| together_gib > limit.gib_max) {
                continue;
            }
            let Some(one) = volume_cost(level, size_gib, iops, bandwidth, self.hours) else { continue };
            let rest = pool_rest_cost(kind, level, together_gib, self.hours);
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
                        cost: (one * f64::from(count) + rest) * sets * rate,
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
            shipped: demand.shipped.clone(),
            outstanding: None,
            latency_mean_us: None,
            attributes: std::collections::BTreeMap::new(),
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
