//! The cheapest configurations that meet a demand: exact over machines, kinds of volume, levels, attachments,
//! counts and sizes, for each of its pools.
//!
//! What makes it fast is that nothing has to be tried twice. The price is a sum of machine, licence and
//! volumes, and what limits the volumes does not depend on the machine: so each machine is asked once which share of its
//! limits each pool takes, and each level once for each count. For a count the smallest size, IOPS
//! and bandwidth that suffice are the cheapest ones, because no price falls when they rise; they follow from
//! the limits directly. How pools come together on a machine is in `placing`. Property tests compare the answers with brute
//! force, for one pool and for several.
//!
//! Of configurations that cost nearly the same, the one with the fewest volumes is the answer: nobody builds a
//! stripe of 17 to save a per cent ([`Search::tolerance`]).

use iotrial_model::demand::{Demand, Os};

use crate::catalog::{Attached, Catalog, Circumstances, Effect, Processors, Term, VolumeKind};
use crate::configuration::{Configuration, Pool};
use crate::explanation::{ExplainError, Explanation, Question};
use crate::price::{Money, NoRate, cost_beside_volumes, pool_rest_cost, unknown_beside_volumes, volume_cost};
use crate::requirement::{machine_unmet, memory_gib, too_slow};

mod admission;

mod left_out;

mod volume;

mod asked;

mod machine;

mod pick;

mod placing;

mod together;

mod count;

mod curve;

mod wall;

mod years;

pub use count::CountPoint;
pub use curve::{CostCurve, CurvePoint, curve_of};
pub use left_out::{NotSearched, WithoutFigures};
pub use wall::{Requirement, Wall, WallAmount};
pub use years::{Year, YearChange, YearPlan, over_years};

use asked::{AskedPool, Lane, NotTaken, Unpromised, asked_pools};
use machine::{MachineOption, sizes};
use pick::Pick;
use placing::Placing;
use volume::VolumeOption;
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
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The provider whose catalog was searched.
    pub provider: String,
    /// The same, as it is shown.
    pub shown: String,
    /// Its name for headings.
    pub title: String,
    /// The file of the catalog, where a built-in one has the same provider and other content.
    pub catalog_file: Option<String>,
    /// Where the prices hold.
    pub region: Option<String>,
    /// The cheapest first; each is the one with the fewest volumes of its machine, kind of volume and level, of those that cost
    /// within the tolerance of the cheapest.
    pub answers: Vec<Explanation>,
    /// What the first answer would cost with fewer or more volumes of its kinds, by their number; of a single pool with its level.
    pub by_count: Vec<CountPoint>,
    /// The cheapest of all however many volumes it has, where that is less than the first answer.
    pub without_tolerance: Option<CountPoint>,
    /// Whether it has nothing with as many processors as the rule of thumb asks for, so that smaller machines were taken.
    pub is_below_floor: bool,
    /// What was not looked at, and why.
    pub left_out: Vec<NotSearched>,
    /// The disks on which databases usually lie, where they were not looked at for want of a price or of limits.
    pub without: Vec<String>,
    /// The cheapest on a kind of volume of which no source says how fast it answers; only where a latency is asked.
    pub of_unknown_latency: Option<Box<Explanation>>,
    /// What comes closest, where nothing meets the demand.
    pub nearest: Option<Nearest>,
}

/// What comes closest to a demand that nothing meets.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The share of the rates that can be had with everything else as asked; `None` where something else is
    /// in the way.
    pub carries_times: Option<f64>,
    /// What is in the way.
    pub wall: Wall,
    /// The cheapest that comes so close; `None` where nothing does.
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
        shown: catalog.shown_provider(),
        title: catalog.title.clone(),
        catalog_file: catalog.of_file.clone(),
        region: catalog.region.clone(),
        answers,
        by_count: picks.first().map(|pick| space.by_count(pick)).unwrap_or_default(),
        without_tolerance: space.without_tolerance(picks.first()),
        is_below_floor: false,
        left_out: space.left_out.clone(),
        without: space.without.clone(),
        of_unknown_latency: of_unknown_latency(&space, catalog, demand, search)?,
        nearest,
    })
}

/// The cheapest with the kinds that were left out because no source states a latency of them.
fn of_unknown_latency(
    space: &Space<'_>,
    catalog: &Catalog,
    demand: &Demand,
    search: &Search,
) -> Result<Option<Box<Explanation>>, ExplainError> {
    let unknown = &space.unknown_latency;
    if unknown.is_empty() {
        return Ok(None);
    }
    // Of a single pool on these kinds alone; of several some may be on others, whose latency is known and does.
    let only = if space.pools.len() == 1 { unknown.clone() } else { search.volumes.clone() };
    let search = Search { volumes: only, ..search.clone() };
    let space = Space::with(catalog, demand, &search, Unpromised::Taken)?;
    let best = space.best(1.0, 1).into_iter().next();
    let best = best.filter(|pick| {
        let kinds = space.pools.iter().zip(&pick.lanes).map(|(pool, lane)| &pool.lanes[*lane].kind.name);
        kinds.into_iter().any(|kind| unknown.contains(kind))
    });
    // Its latency is what is not known; the rest has to be met.
    let mut any = Demand { latency: None, ..demand.clone() };
    any.pools.iter_mut().for_each(|pool| pool.latency = None);
    Ok(best.map(|pick| space.explain_for(&pick, &any)).transpose()?.map(Box::new))
}

/// Everything that a catalog offers for a demand, each part looked at once.
struct Space<'s> {
    catalog: &'s Catalog,
    demand: &'s Demand,
    search: &'s Search,
    hours: f64,
    pools: Vec<AskedPool<'s>>,
    machines: Vec<MachineOption<'s>>,
    /// Those without a price, with the largest of their sizes only: they are no answers.
    unpriced: Vec<MachineOption<'s>>,
    left_out: Vec<NotSearched>,
    /// Names of kinds of which no source says how fast they answer, where a latency is asked.
    unknown_latency: Vec<String>,
    without: Vec<String>,
}

impl<'s> Space<'s> {
    fn new(catalog: &'s Catalog, demand: &'s Demand, search: &'s Search) -> Result<Self, ExplainError> {
        Self::with(catalog, demand, search, Unpromised::LeftOut)
    }

    fn with(
        catalog: &'s Catalog,
        demand: &'s Demand,
        search: &'s Search,
        unpromised: Unpromised,
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
        let mut left_out = NotTaken::default();
        let pools = asked_pools(catalog, demand, search, unpromised, &mut left_out);
        let mut space = Self {
            catalog,
            demand,
            search,
            hours,
            pools,
            machines: Vec::new(),
            unpriced: Vec::new(),
            left_out: left_out.all,
            unknown_latency: left_out.unknown_latency,
            without: Vec::new(),
        };
        space.choose_machines();
        space.note_main_disks();
        if demand.replicas > 0 && space.machines.iter().any(|one| one.sized.machine.network.is_none()) {
            space.left_out.push(NotSearched::NetworkLimits);
        }
        space.note_unknown_prices();
        Ok(space)
    }

    /// What of the disks on which databases usually lie was not looked at. Whoever names the kinds, or asks for a latency that
    /// a kind does not have, knows.
    fn note_main_disks(&mut self) {
        let free = |pool: &&AskedPool<'_>| pool.pool.volumes.is_empty();
        if !self.search.volumes.is_empty() || !self.pools.iter().any(|pool| free(&pool)) {
            return;
        }
        let catalog = self.catalog;
        let is_left_out = |kind: &&VolumeKind| {
            let could = |pool: &AskedPool<'_>| {
                too_slow(kind, pool.pool.latency.or(self.demand.latency), None).is_none()
            };
            let has = |pool: &AskedPool<'_>| pool.lanes.iter().any(|lane| std::ptr::eq(lane.kind, *kind));
            kind.is_main && self.pools.iter().filter(free).any(could) && !self.pools.iter().any(has)
        };
        let kinds = catalog.volumes.iter().filter(is_left_out).map(|kind| kind.title.clone());
        let gaps = catalog.gaps.iter().filter_map(|gap| gap.main_disk.clone());
        self.without = kinds.chain(gaps).collect();
    }

    fn choose_machines(&mut self) {
        let (catalog, demand) = (self.catalog, self.demand);
        let memory = memory_gib(demand);
        let (mut unpriced, mut unknown) = (Vec::new(), Vec::new());
        let counted = &self.search.money.counted;
        // Sizes with fewer processors cost the same: they are another choice only where licences are paid by them.
        let constrained = counted.database.iter().flat_map(|_| &catalog.paid.constrained);
        for machine in catalog.machines.iter().chain(constrained) {
            let wanted = &self.search.machines;
            if !wanted.is_empty() && !wanted.iter().any(|part| machine.name.contains(part.as_str())) {
                continue;
            }
            if machine.arm && self.search.no_arm {
                continue;
            }
            // Without a rate for its currency it is reported with those that have no price, because for the
            // sum it comes to the same.
            let factor = machine.price.as_ref().and_then(|price| self.rate(&price.currency));
            if factor.is_none() {
                unpriced.push(machine.name.as_str());
                // The largest, which carries what any of its sizes does.
                if let Some(sized) = sizes(machine, memory).pop()
                    && machine_unmet(&sized, demand).is_empty()
                {
                    self.unpriced.push(MachineOption::new(catalog, demand, &self.pools, sized, 0.0));
                }
                continue;
            }
            if machine.gap.is_some() {
                unknown.push(machine.name.as_str());
            }
            // Every size of a flexible shape is a machine of its own here, so that cores are bought only as
            // far as processors, memory or bandwidth need them.
            for sized in sizes(machine, memory) {
                if !machine_unmet(&sized, demand).is_empty() || counted.forbids(catalog, &sized).is_some() {
                    continue;
                }
                // Licences depend on cores, so they belong to the machine and are added once. An unknown one counts as zero
                // for every machine alike, and a note says that the true cost is higher.
                let cost = cost_beside_volumes(catalog, &sized, self.paid_os(), &self.search.money);
                let option = MachineOption::new(catalog, demand, &self.pools, sized, cost.unwrap_or(0.0));
                if option.takes_all() {
                    self.machines.push(option);
                }
            }
        }
        let committed = |option: &&MachineOption<'_>| {
            catalog.paid.committed(counted.term, option.sized.machine).is_some()
        };
        let mut uncommitted: Vec<&str> = if counted.term == Term::OnDemand {
            Vec::new()
        } else {
            let without = self.machines.iter().filter(|option| !committed(option));
            without.map(|option| option.sized.machine.ordered_name()).collect()
        };
        uncommitted.dedup();
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let all = [
            (names(unpriced), WithoutFigures::Price),
            (names(unknown), WithoutFigures::Limits),
            (names(uncommitted), WithoutFigures::Committed(counted.term)),
        ];
        let all = all.into_iter().filter(|(machines, _)| !machines.is_empty());
        self.left_out.extend(all.map(|(machines, without)| NotSearched::Machines { machines, without }));
    }

    /// What one unit of a currency is in the money of the sum.
    fn rate(&self, currency: &str) -> Option<f64> {
        self.search.money.factor(self.catalog, currency)
    }

    /// What one unit of a currency is for volumes: those of a second machine are paid, too.
    fn volume_rate(&self, currency: &str) -> Option<f64> {
        Some(self.rate(currency)? * self.search.money.counted.volume_sets())
    }

    /// The operating system whose licence is paid.
    fn paid_os(&self) -> Option<Os> {
        self.demand.licence.then_some(self.demand.os)
    }

    /// What of the bill no source has a price of, whichever machine it is.
    fn note_unknown_prices(&mut self) {
        let Some(machine) = self.machines.first() else { return };
        let missing =
            unknown_beside_volumes(self.catalog, &machine.sized, self.paid_os(), &self.search.money);
        self.left_out.extend(missing.into_iter().map(NotSearched::FromTheCost));
    }

    /// The sizes of each machine, which are neighbours.
    fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for (index, one) in self.machines.iter().enumerate() {
            match ranges.last_mut() {
                Some(range) if std::ptr::eq(self.machines[range.start].sized.machine, one.sized.machine) => {
                    range.end = index + 1;
                }
                _ => ranges.push(index..index + 1),
            }
        }
        ranges
    }

    /// Of each machine and choice of kinds (of a single pool: and level) the one with the fewest volumes of those within the
    /// tolerance of the cheapest, for `factor` times the load; the cheapest first.
    fn best(&self, factor: f64, count: usize) -> Vec<Pick> {
        Placing::new(self, factor).best(count, self.search.tolerance)
    }

    /// The cheapest of all, however many volumes it has.
    fn cheapest(&self, factor: f64) -> Option<Pick> {
        Placing::new(self, factor).best(1, 0.0).into_iter().next()
    }

    /// The most volumes of a kind that any machine could take.
    // Each count is tried, so a bound on it saves time; the machine itself is asked later.
    fn most_volumes(&self, kind: &VolumeKind) -> u32 {
        let most = kind.count_max.unwrap_or(MOST_VOLUMES);
        most.min(self.search.volumes_max.unwrap_or(most))
    }

    /// For each count and attachment the cheapest volumes that suffice for a pool on a lane, the cheapest first; none where a
    /// machine brings them itself.
    fn volumes(&self, pool: usize, lane: usize, factor: f64) -> Vec<VolumeOption> {
        let one = &self.pools[pool].lanes[lane];
        let kind = one.kind;
        let mut all = Vec::new();
        if one.is_local() {
            return all;
        }
        let attachments: Vec<Option<usize>> = if kind.attachments.is_empty() {
            vec![None]
        } else {
            (0..kind.attachments.len()).map(Some).collect()
        };
        for level_index in &one.levels {
            let level = &kind.levels[*level_index];
            let rate = level.price.as_ref().and_then(|price| self.volume_rate(&price.currency));
            let Some(rate) = rate else { continue };
            // Each copy of a mirror is on a volume of its own. Each count is tried: the cheapest number of volumes is not
            // monotonic, because included IOPS come per volume while prices by size come per GiB.
            for count in self.demand.mirror.copies()..=self.most_volumes(kind) {
                let least = one.needs.least(level, kind, count, factor, self.demand.allow_burst);
                // Not the end: more volumes may suffice where fewer do not.
                let Some((size_gib, iops, bandwidth)) = least else { continue };
                let together_gib = size_gib * u64::from(count);
                if self.catalog.capacity_limits_of(kind).any(|limit| together_gib > limit.gib_max) {
                    continue;
                }
                let Some(price) = volume_cost(level, size_gib, iops, bandwidth, self.hours) else { continue };
                let rest = pool_rest_cost(kind, level, together_gib, self.hours);
                for attachment in &attachments {
                    let limits = attachment.map_or(&[][..], |index| &kind.attachments[index].limits);
                    if one.needs.fit_attachment(limits, count, factor) {
                        all.push(VolumeOption {
                            level: *level_index,
                            attachment: *attachment,
                            count,
                            size_gib,
                            iops,
                            bandwidth,
                            // In the money of the sum, so that kinds priced in other currencies sort with the
                            // rest.
                            cost: price * f64::from(count) * rate,
                            rest: rest * rate,
                        });
                    }
                }
            }
        }
        // Of what costs the same, the fewest: the last bits of a product say nothing.
        all.sort_by(|a, b| same_cost(a.cost + a.rest, b.cost + b.rest).then(a.count.cmp(&b.count)));
        all
    }

    /// What the disk of a machine costs as far as it does not depend on the machine; infinite where it has no price.
    fn local_cost(&self, lane: &Lane<'_>) -> f64 {
        let least = lane.levels.iter().filter_map(|level| self.local_price(lane, *level, 0));
        least.fold(f64::INFINITY, f64::min)
    }

    fn local_price(&self, lane: &Lane<'_>, level: usize, size_gib: u64) -> Option<f64> {
        let level = &lane.kind.levels[level];
        let rate = self.volume_rate(&level.price.as_ref()?.currency)?;
        Some(volume_cost(level, size_gib, 0.0, 0.0, self.hours)? * rate)
    }

    /// The whole disk of a machine; `None` where it has none that can be had.
    fn local_option(&self, lane: &Lane<'_>, machine: &MachineOption<'_>) -> Option<VolumeOption> {
        let size_gib = machine.sized.machine.local_disk.as_ref()?.size_gib;
        let option = |level: usize| {
            let cost = self.local_price(lane, level, size_gib)?;
            let is_large = lane.kind.levels[level].size_min_gib <= size_gib;
            is_large.then_some(VolumeOption {
                level,
                attachment: None,
                count: 1,
                size_gib,
                iops: 0.0,
                bandwidth: 0.0,
                cost,
                rest: 0.0,
            })
        };
        lane.levels.iter().find_map(|level| option(*level))
    }

    /// What the capacity of a pool alone costs at least on a lane.
    fn cost_of_capacity(&self, lane: &Lane<'_>) -> f64 {
        let counts = self.demand.mirror.copies()..=self.most_volumes(lane.kind);
        let cost = |(level, count): (usize, u32)| {
            let level = &lane.kind.levels[level];
            let rate = self.volume_rate(&level.price.as_ref()?.currency)?;
            let size = lane.needs.least_for_capacity(level, count)?;
            Some(volume_cost(level, size, 0.0, 0.0, self.hours)? * f64::from(count) * rate)
        };
        let all = lane.levels.iter().flat_map(|level| counts.clone().map(|count| (*level, count)));
        all.filter_map(cost).fold(f64::INFINITY, f64::min)
    }

    /// Whether less capacity of a kind may be worth more than what it costs.
    fn counts_capacity(&self, kind: &VolumeKind) -> bool {
        kind.pool.is_some() || self.catalog.capacity_limits_of(kind).next().is_some()
    }

    /// How many rules warn of these volumes of a pool on a machine; `None` where it does not take them, or a rule
    /// forbids it.
    fn broken(
        &self,
        pool: usize,
        lane: usize,
        volume: &VolumeOption,
        machine: &MachineOption<'_>,
    ) -> Option<usize> {
        let (asked, sized) = (&self.pools[pool], &machine.sized);
        let lane = &asked.lanes[lane];
        let kind = lane.kind;
        let attachment = volume.attachment.map(|index| kind.attachments[index].name.as_str());
        let attached = Attached { kind, attachment, count: volume.count };
        // Where the ways to attach are counted apart, one that is not counted is not there.
        let counted = &sized.machine.volumes_max_by_attachment;
        if sized.machine.too_many(&[attached]).is_some()
            || attachment.is_some_and(|name| !counted.is_empty() && !counted.contains_key(name))
        {
            return None;
        }
        let by = Circumstances {
            volume: &kind.name,
            level: &kind.levels[volume.level].name,
            attachment,
            machine: &sized.machine.name,
            ocpus: sized.ocpus,
            arm: sized.machine.arm,
            os: self.demand.os,
            clustered: self.demand.clustered,
            count: volume.count,
            size_gib: volume.size_gib,
            host_cache: lane.host_cache,
            // A single pool holds every role, so rules about any of them apply.
            roles: &asked.pool.roles,
        };
        let broken: Vec<Effect> =
            self.catalog.rules.iter().filter(|rule| rule.is_broken(&by)).map(|rule| rule.effect).collect();
        (!broken.contains(&Effect::Forbids)).then_some(broken.len())
    }

    /// A pick as a configuration.
    fn configuration(&self, pick: &Pick) -> Configuration {
        let sized = &self.machines[pick.machine].sized;
        let is_flexible = matches!(sized.machine.processors, Processors::Flexible { .. });
        let demand = self.demand;
        let pool = |((asked, lane), volume): ((&AskedPool<'_>, &usize), &VolumeOption)| {
            let lane = &asked.lanes[*lane];
            let level = &lane.kind.levels[volume.level];
            let is_bought = level.provisioned.as_ref();
            let bandwidth_is_bought =
                is_bought.and_then(|one| one.bandwidth.as_ref()).is_some_and(|one| one.is_bought);
            Pool {
                roles: if asked.is_rest { Vec::new() } else { asked.pool.roles.clone() },
                volume: lane.kind.name.clone(),
                level: level.name.clone(),
                count: volume.count,
                size_gib: volume.size_gib,
                iops: is_bought.map(|_| volume.iops),
                bandwidth: bandwidth_is_bought.then_some(volume.bandwidth),
                attachment: volume.attachment.map(|index| lane.kind.attachments[index].name.clone()),
                host_cache: lane.host_cache,
                cache_hit_percent: 100.0 * lane.cache_hit,
            }
        };
        Configuration {
            title: format!("{} for {}", sized.machine.name, demand.title),
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
            pools: self.pools.iter().zip(&pick.lanes).zip(&pick.chosen.volumes).map(pool).collect(),
        }
    }

    fn explain(&self, pick: &Pick) -> Result<Explanation, ExplainError> {
        self.explain_for(pick, self.demand)
    }

    fn explain_for(&self, pick: &Pick, demand: &Demand) -> Result<Explanation, ExplainError> {
        // Through the same door as a file of the user, so the answer is checked by all the rules that a
        // person's configuration is.
        let resolved = self.configuration(pick).on(self.catalog)?;
        let question = Question {
            demand: Some(demand),
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
