//! What a demand costs over its years where capacity and performance are bought when they are needed, and not on day one.
//!
//! A database is not moved to another kind of disk because it grew, and a stripe is not rebuilt: over the years the kind of volume, its level
//! and its attachment stay. Where the size of a volume can be chosen, their number stays too and they grow; where it cannot, more are
//! added. The machine may change at the end of what one is bound to: each year, or after three. Under these rules the plan is the cheapest
//! of all, up to the tolerance for fewer volumes.

use iotrial_model::demand::Demand;

use super::machine::fits;
use super::pick::{Choice, Pick};
use super::volume::VolumeOption;
use super::{Search, Space, same_cost};
use crate::catalog::{Catalog, VolumeKind};
use crate::chain::ROUNDING;
use crate::configuration::{Configuration, SizedMachine};
use crate::explanation::ExplainError;
use crate::price::{MissingPrice, unknown_beside_volumes};

/// Months in a year.
const MONTHS: f64 = 12.0;

/// What is bought when, with one provider.
#[derive(Debug, Clone, PartialEq)]
pub struct YearPlan {
    /// The provider.
    pub provider: String,
    /// Its name for headings.
    pub title: String,
    /// Year after year, the first from day one on.
    pub years: Vec<Year>,
    /// All years together.
    pub total: f64,
    /// The same where everything that the last year needs is bought on day one, with what is the cheapest for that.
    pub total_from_day_one: f64,
    /// What has no price; the true sums are higher by it.
    pub missing: Vec<MissingPrice>,
}

/// One year of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Year {
    /// From 1.
    pub year: u32,
    /// What has to fit at its end, with all copies, in GiB.
    pub capacity_gib: f64,
    /// The rates at its end, as a multiple of today's.
    pub load_times: f64,
    /// What it costs a month.
    pub per_month: f64,
    /// What it costs.
    pub per_year: f64,
    /// What there is in that year.
    pub configuration: Configuration,
    /// What is bought or changed at its beginning; empty where nothing is.
    pub changes: Vec<YearChange>,
}

/// What is bought or changed from one year to the next.
#[derive(Debug, Clone, PartialEq)]
pub enum YearChange {
    /// Everything, on day one.
    Bought,
    /// Another machine, or the same with other cores, by name.
    Machine(String),
    /// Only the memory of the machine, in GiB.
    Memory(f64),
    /// So many more volumes.
    Volumes(u32),
    /// The size of each volume.
    Size {
        /// Before.
        from_gib: u64,
        /// From now on.
        to_gib: u64,
    },
    /// The IOPS that are bought for each volume.
    Iops {
        /// Before.
        from: f64,
        /// From now on.
        to: f64,
    },
    /// The bandwidth that is bought for each volume.
    Bandwidth,
}

/// The machine, the volumes and the cost of each year.
type Course = Vec<(usize, VolumeOption, f64)>;

/// The plan of one catalog; `demands` are those of the ends of the years. `None` where nothing meets them all.
///
/// # Errors
///
/// When the prices of the catalog cannot be converted into the currency that is asked for.
pub fn over_years(
    catalog: &Catalog,
    demands: &[Demand],
    search: &Search,
) -> Result<Option<YearPlan>, ExplainError> {
    let spaces =
        demands.iter().map(|demand| Space::new(catalog, demand, search)).collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(last)) = (spaces.first(), spaces.last()) else { return Ok(None) };
    // Over the years one pool is planned; the program refuses several.
    let [pool] = first.pools.as_slice() else { return Ok(None) };
    let block = search.money.counted.term.years() as usize;
    // Of a single pool each lane is one level.
    let courses = pool.lanes.iter().filter_map(|lane| {
        let choice = (lane.kind, lane.levels[0]);
        let course = course_of(&spaces, choice, block, search.tolerance)?;
        Some((choice, sum(&course), course))
    });
    let best = courses.min_by(|(_, a, _), (_, b, _)| same_cost(*a, *b));
    let (Some((choice, monthly, course)), Some(from_day_one)) = (best, last.cheapest(1.0)) else {
        return Ok(None);
    };
    let mut years: Vec<Year> = Vec::new();
    for (index, (machine, volume, per_month)) in course.into_iter().enumerate() {
        let space = &spaces[index];
        let lane = lane_of(space, choice).unwrap_or(0);
        let (cost, count) = (whole(&volume), volume.count);
        let chosen = Choice { cost, count, warnings: 0, volumes: vec![volume] };
        let configuration =
            space.configuration(&Pick { machine, lanes: vec![lane], chosen, cost: per_month });
        let changes = changes(years.last().map(|year| &year.configuration), &configuration);
        years.push(Year {
            year: u32::try_from(index + 1).unwrap_or(u32::MAX),
            capacity_gib: demands[index].capacity_gib(),
            load_times: demands[index].load_growth(),
            per_month,
            per_year: per_month * MONTHS,
            configuration,
            changes,
        });
    }
    let sized = &last.machines[from_day_one.machine].sized;
    let missing = unknown_beside_volumes(catalog, sized, last.paid_os(), &search.money);
    Ok(Some(YearPlan {
        provider: catalog.provider.clone(),
        title: catalog.title.clone(),
        total: monthly * MONTHS,
        total_from_day_one: from_day_one.cost * MONTHS * years.len() as f64,
        years,
        missing,
    }))
}

/// The lane of a kind and a level; a level is known by its place in the kind.
fn lane_of(space: &Space<'_>, (kind, level): (&VolumeKind, usize)) -> Option<usize> {
    let lanes = &space.pools.first()?.lanes;
    lanes.iter().position(|lane| std::ptr::eq(lane.kind, kind) && lane.levels == [level])
}

/// What volumes cost with the rest of their capacity pool.
fn whole(volume: &VolumeOption) -> f64 {
    volume.cost + volume.rest
}

fn sum(course: &Course) -> f64 {
    course.iter().map(|(.., cost)| cost).sum()
}

/// The cheapest course of the years on volumes of one level.
fn course_of(
    spaces: &[Space<'_>],
    choice: (&VolumeKind, usize),
    block: usize,
    tolerance: f64,
) -> Option<Course> {
    let by_year: Vec<(usize, Vec<VolumeOption>)> = spaces
        .iter()
        .map(|space| {
            let lane = lane_of(space, choice)?;
            let volumes = space.volumes(0, lane, 1.0);
            (!volumes.is_empty()).then_some((lane, volumes))
        })
        .collect::<Option<_>>()?;
    let mut attachments: Vec<Option<usize>> = by_year[0].1.iter().map(|volume| volume.attachment).collect();
    attachments.sort_unstable();
    attachments.dedup();
    let level = &choice.0.levels[choice.1];
    let grows = level.size_min_gib < level.size_max_gib;
    let mut counts: Vec<u32> = by_year[by_year.len() - 1].1.iter().map(|volume| volume.count).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut courses: Vec<Course> = Vec::new();
    for attachment in attachments {
        // Volumes that cannot grow become more: each year has as few as suffice, and their number never falls with the demand.
        for count in
            counts.iter().map(|count| grows.then_some(*count)).take(if grows { counts.len() } else { 1 })
        {
            let volumes: Option<Vec<&VolumeOption>> = by_year
                .iter()
                .map(|(_, volumes)| {
                    let fits = |volume: &&VolumeOption| {
                        volume.attachment == attachment && count.is_none_or(|count| volume.count == count)
                    };
                    volumes.iter().filter(fits).min_by_key(|volume| volume.count)
                })
                .collect();
            courses.extend(volumes.and_then(|volumes| with_machines(spaces, &by_year, &volumes, block)));
        }
    }
    let cheapest = courses.iter().map(sum).reduce(f64::min)?;
    let most = cheapest * (1.0 + tolerance.max(ROUNDING));
    let number = |course: &Course| course.last().map_or(0, |(_, volume, _)| volume.count);
    let near = courses.into_iter().filter(|course| sum(course) <= most);
    // Another attachment of the same volumes costs the same: the one of which fewer rules warn.
    let warnings = |course: &Course| {
        let of = |(year, (machine, volume, _)): (usize, &(usize, VolumeOption, f64))| {
            let machine = &spaces[year].machines[*machine];
            spaces[year].broken(0, by_year[year].0, volume, machine).unwrap_or(0)
        };
        course.iter().enumerate().map(of).sum::<usize>()
    };
    near.min_by(|a, b| {
        number(a).cmp(&number(b)).then(same_cost(sum(a), sum(b))).then_with(|| warnings(a).cmp(&warnings(b)))
    })
}

/// The cheapest machines for given volumes; one machine for each block of years.
fn with_machines(
    spaces: &[Space<'_>],
    by_year: &[(usize, Vec<VolumeOption>)],
    volumes: &[&VolumeOption],
    block: usize,
) -> Option<Course> {
    let takes = |year: usize, machine: usize| {
        let (space, lane) = (&spaces[year], by_year[year].0);
        let machine = &space.machines[machine];
        machine.shares(0, lane).is_some_and(|shares| fits(shares, 1.0))
            && space.broken(0, lane, volumes[year], machine).is_some()
    };
    let mut course = Course::new();
    let mut start = 0;
    while start < spaces.len() {
        let years = start..(start + block).min(spaces.len());
        let last = years.end - 1;
        let machines = &spaces[last].machines;
        // The same machine in the other years of the block, which have lists of their own.
        let of = |year: usize, machine: usize| {
            let is_same = |one: &SizedMachine<'_>| {
                std::ptr::eq(one.machine, machines[machine].sized.machine)
                    && one.ocpus == machines[machine].sized.ocpus
            };
            spaces[year].machines.iter().position(|one| is_same(&one.sized))
        };
        let carries_all = |machine: &usize| {
            years.clone().all(|year| of(year, *machine).is_some_and(|machine| takes(year, machine)))
        };
        let mut order: Vec<usize> = (0..machines.len()).collect();
        order.sort_by(|a, b| same_cost(machines[*a].cost, machines[*b].cost));
        let machine = order.into_iter().find(carries_all)?;
        for year in years.clone() {
            let here = of(year, machine)?;
            let cost = spaces[year].machines[here].cost + whole(volumes[year]);
            course.push((here, volumes[year].clone(), cost));
        }
        start = years.end;
    }
    Some(course)
}

/// What is bought or changed from one year to the next.
fn changes(before: Option<&Configuration>, now: &Configuration) -> Vec<YearChange> {
    let Some(before) = before else { return vec![YearChange::Bought] };
    let mut all = Vec::new();
    if before.machine_in_short() != now.machine_in_short() {
        all.push(YearChange::Machine(now.machine_in_short()));
    } else if before.memory_gib != now.memory_gib {
        all.push(YearChange::Memory(now.memory_gib.unwrap_or(0.0)));
    }
    for (old, new) in before.pools.iter().zip(&now.pools) {
        if new.count > old.count {
            all.push(YearChange::Volumes(new.count - old.count));
        }
        if new.size_gib != old.size_gib {
            all.push(YearChange::Size { from_gib: old.size_gib, to_gib: new.size_gib });
        }
        if let (Some(from), Some(to)) = (old.iops, new.iops)
            && (to - from).abs() > 0.5
        {
            all.push(YearChange::Iops { from, to });
        }
        if let (Some(from), Some(to)) = (old.bandwidth, new.bandwidth)
            && (to - from).abs() > 1.0
        {
            all.push(YearChange::Bandwidth);
        }
    }
    all
}
