//! The answer to a demand over several providers: side by side, with what a little more or less would cost,
//! and why the configurations that people would expect lose. Every sentence is made from the figures beside
//! it.

use iotrial_model::demand::{Demand, LatencyClass};
use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::load::Role;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::chain::ElementKind;
use crate::configuration::{Configuration, ConfigurationError};
use crate::explanation::{ExplainError, Explanation};
use crate::floor::VcpuFloor;
use crate::measure::grouped;
use crate::price::{Cost, Counted, shortest_month};
use crate::requirement::Fit;
use crate::search::{CostCurve, Found, Search, YearPlan, curve_of, over_years, search};

mod against;
mod bill;
mod cheapest;
mod rates;

pub use against::Against;
use against::hold;
use bill::{licences_in_words, plan_in_words};
use cheapest::{cheapest_of, floor_in_words, of_cheapest};
use rates::more_and_less;

/// The answer to a demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sizing {
    /// What was asked.
    pub demand: Demand,
    /// The fewest hardware threads that were looked at, where the demand does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu_floor: Option<VcpuFloor>,
    /// ISO 4217, the currency of every sum.
    pub currency: String,
    /// What is counted besides machine, operating system and volumes.
    #[serde(skip_serializing_if = "Counted::is_default")]
    pub counted: Counted,
    /// Place in `found` of the cheapest whose cost is complete; absent where nothing meets the demand at a
    /// known cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest: Option<usize>,
    /// By how much more of the cost an answer may have fewer volumes than the cheapest: 0.01 is one per cent.
    #[serde(skip)]
    pub tolerance: f64,
    /// Short form: provider, configuration and cost.
    pub headline: String,
    /// Long form in one sentence: what it is the cheapest of, and what binds.
    pub sentence: String,
    /// What else is to be known, the most weighty first.
    pub points: Vec<String>,
    /// Each provider, in the order of the catalogs.
    pub found: Vec<Found>,
    /// What more or less of the rates costs, provider by provider.
    pub curves: Vec<CostCurve>,
    /// What is bought when, provider by provider, the cheapest first; only where it was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<YearPlan>,
    /// The configurations that were compared with the answer.
    pub against: Vec<Against>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SizingError {
    /// A price cannot be converted.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// A configuration to compare with the answer is of a provider that was not looked at.
    #[error("`{title}` needs the provider `{provider}`, for which there is no catalog")]
    NoCatalog {
        /// Title of the configuration.
        title: String,
        /// Provider that it names.
        provider: String,
    },
    /// The catalogs are in different currencies, and none was asked for.
    #[error("the catalogs are in {currencies}, and sums in different currencies cannot be compared")]
    MixedCurrencies {
        /// Each of them once.
        currencies: String,
    },
}

impl SizingError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Explain(error) => error.hint(),
            Self::NoCatalog { provider, .. } => Some(format!(
                "--provider {provider} includes it if it was left out, and --catalog FILE adds a catalog"
            )),
            Self::MixedCurrencies { .. } => {
                Some("choose one with --currency, and give exchange rates with --rate".to_owned())
            }
        }
    }
}

impl From<ConfigurationError> for SizingError {
    fn from(error: ConfigurationError) -> Self {
        Self::Explain(error.into())
    }
}

/// Searches all catalogs, and compares configurations with the answer.
///
/// # Errors
///
/// When prices cannot be converted, or a configuration cannot be had.
pub fn size(
    catalogs: &[Catalog],
    demand: &Demand,
    request: &Search,
    against: &[Configuration],
) -> Result<Sizing, SizingError> {
    let mut request = request.clone();
    let mut currencies: Vec<&str> = catalogs.iter().map(|catalog| catalog.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    // Guessing a currency would mean guessing a rate, and rates move more than many price differences.
    if currencies.len() > 1 && request.money.currency.is_none() {
        return Err(SizingError::MixedCurrencies { currencies: currencies.join(", ") });
    }
    // Side by side a month has to be as long for one provider as for another.
    request.money.hours_per_month = request.money.hours_per_month.or_else(|| shortest_month(catalogs));
    let vcpu_floor = VcpuFloor::of(demand);
    let floored = vcpu_floor.as_ref().map_or_else(|| demand.clone(), |floor| floor.under(demand));
    let (mut found, mut curves, mut plans) = (Vec::new(), Vec::new(), Vec::new());
    for catalog in catalogs {
        let mut one = search(catalog, &floored, &request)?;
        let mut asked = &floored;
        if let Some(floor) = vcpu_floor.as_ref().filter(|_| one.answers.is_empty()) {
            // A rule of thumb is no wall: without it the provider may have something, or stops at what was asked.
            let without = search(catalog, demand, &request)?;
            let closest = one.nearest.as_ref().and_then(|nearest| nearest.closest.as_ref());
            let stops_at_the_rule = closest.is_none_or(|closest| closest.vcpus < floor.vcpus);
            if !without.answers.is_empty() || stops_at_the_rule {
                (one, asked) = (without, demand);
                one.is_below_floor = !one.answers.is_empty();
            }
        }
        curves.push(curve_of(catalog, asked, &request)?);
        if request.by_year {
            plans.extend(over_years(catalog, &by_year(demand, one.is_below_floor), &request)?);
        }
        found.push(one);
    }
    // A sum with a part missing is a lower bound, and no plan is called cheaper for that.
    plans.sort_by(|a, b| {
        a.missing.is_empty().cmp(&b.missing.is_empty()).reverse().then(a.total.total_cmp(&b.total))
    });
    let cheapest = cheapest_of(&found);
    let answer = cheapest.map(|index| &found[index].answers[0]);
    let mut held = Vec::new();
    for configuration in against {
        let catalog = catalogs.iter().find(|catalog| catalog.provider == configuration.provider);
        let catalog = catalog.ok_or_else(|| SizingError::NoCatalog {
            title: configuration.title.clone(),
            provider: configuration.provider.clone(),
        })?;
        held.push(hold(configuration, catalog, demand, &request, answer)?);
    }
    let currency = request.money.currency.clone().or_else(|| currencies.first().map(|one| (*one).to_owned()));
    let currency = currency.unwrap_or_default();
    let (headline, sentence) = sentences(&found, cheapest, &currency);
    let has_pair = request.money.counted.pair.is_some();
    let asked = Asked { demand, floor: vcpu_floor.as_ref(), has_pair };
    let with_curve = cheapest.map(|index| (index, &curves[index]));
    let mut points = points(&found, with_curve, &held, &asked, &currency);
    // What was asked to be counted comes before what nobody asked for.
    let asked = answer.map(|answer| licences_in_words(answer, &currency)).unwrap_or_default();
    points.splice(0..0, plans.first().map(|plan| plan_in_words(plan, &currency)).into_iter().chain(asked));
    Ok(Sizing {
        demand: demand.clone(),
        vcpu_floor,
        currency,
        counted: request.money.counted.clone(),
        cheapest,
        tolerance: request.tolerance,
        headline,
        sentence,
        points,
        found,
        curves,
        plans,
        against: held,
    })
}

/// The demand as it is at the end of each of its years, with as many processors as the rule of thumb asks for then.
fn by_year(demand: &Demand, is_below_floor: bool) -> Vec<Demand> {
    let at_end = |years: u32| {
        let demand = Demand { years, ..demand.clone() };
        let floor = VcpuFloor::of(&demand).filter(|_| !is_below_floor);
        floor.map_or_else(|| demand.clone(), |floor| floor.under(&demand))
    };
    (1..=demand.years.max(1)).map(at_end).collect()
}

/// A sum with its currency.
pub fn money(amount: f64, currency: &str) -> String {
    // Cents are noise in a monthly sum of list prices.
    format!("{} {currency}", grouped(amount.round()))
}

/// A cost with its currency, and whether something is missing in it.
pub fn cost_words(cost: &Cost, currency: &str) -> String {
    let sum = format!("{} a month", money(cost.per_month, currency));
    if cost.is_complete() { sum } else { format!("{sum} without the {}", cost.missing.join(" and the ")) }
}

/// The limit that is the nearest, in words.
fn nearest_limit(fit: &Fit) -> Option<String> {
    let first = fit.shares.first()?;
    // Nobody comes near any of them, so which one is the first says nothing.
    if first.percent < 1.0 {
        return Some("the demand uses less than 1 % of every limit".to_owned());
    }
    let mut words =
        format!("the first limit is {}: {} ({:.0} %)", first.in_words(), first.written(), first.percent);
    // The name is compared, not the place: another measure of the same part says nothing new.
    if let Some(next) = fit.shares.iter().find(|share| share.element != first.element) {
        let percent = match next.percent {
            ..1.0 => "less than 1 %".to_owned(),
            percent => format!("{percent:.0} %"),
        };
        words.push_str(&format!("; the next is {} ({percent})", next.in_words()));
    }
    Some(words)
}

/// From this share on a limit of the machine is the next that the rates meet when they grow.
const NEARLY_FULL_PERCENT: f64 = 80.0;

/// The volumes of an answer are cut to the rates, so that they nearly always bind, and more of them can be bought. What decides on the
/// machine, and cannot, is the fullest limit of its own.
fn beyond_volumes(fit: &Fit, machine: &str) -> Option<String> {
    fit.shares.first().filter(|share| share.kind.is_of_volumes())?;
    let of_machine = |kind| matches!(kind, ElementKind::Machine | ElementKind::Network | ElementKind::Path);
    let next = fit.shares.iter().find(|share| of_machine(share.kind))?;
    (next.percent >= NEARLY_FULL_PERCENT).then(|| {
        format!(
            "the limiting factor of {machine} itself, whatever its volumes, is {}: {} ({:.0} %)",
            next.in_words(),
            next.written(),
            next.percent
        )
    })
}

fn sentences(found: &[Found], cheapest: Option<usize>, currency: &str) -> (String, String) {
    let Some(index) = cheapest else {
        // There is an answer, but no complete price: it is shown, and not called the cheapest.
        let answered = found.iter().find(|one| !one.answers.is_empty());
        if let Some(one) = answered {
            let answer = &one.answers[0];
            return (
                "No answer has a complete cost".to_owned(),
                format!(
                    "{} meets the demand for {}, but the catalog lacks a part of its price, so it cannot be called the cheapest",
                    answer.configuration.in_short(),
                    cost_words(&answer.cost, currency)
                ),
            );
        }
        // What comes closest of all; the limiting factor of each provider is listed below.
        let reach =
            |one: &Found| one.nearest.as_ref().and_then(|nearest| nearest.carries_times).unwrap_or(0.0);
        // The one that carries the largest share of the rates; a provider blocked by something else than
        // rates counts as zero.
        let nearest = found.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
        // Several that are blocked by something else are equally far from it.
        let is_closest = found.len() > 1 && nearest.is_some_and(|one| reach(one) > 0.0);
        let sentence = nearest.and_then(wall).unwrap_or_default();
        let sentence = if is_closest { format!("Closest is {sentence}") } else { sentence };
        return ("Nothing meets the demand".to_owned(), sentence);
    };
    let answer = &found[index].answers[0];
    let headline = format!(
        "{}: {}, {} a month",
        found[index].title,
        answer.configuration.in_short(),
        money(answer.cost.per_month, currency)
    );
    let limit = answer.fit.as_ref().and_then(nearest_limit).unwrap_or_default();
    let of = of_cheapest(found, &found[index], answer, currency);
    (format!("{headline}{}", without_main(found)), format!("{of}; {limit}"))
}

/// The disks on which databases usually lie and that were not looked at: whoever reads the headline alone must know.
fn without_main(found: &[Found]) -> String {
    let of =
        |one: &Found| one.without.iter().map(|disk| format!("{disk} of {}", one.title)).collect::<Vec<_>>();
    let all: Vec<String> = found.iter().flat_map(of).collect();
    if all.is_empty() { String::new() } else { format!(" (not considered: {})", all.join(", ")) }
}

impl Sizing {
    /// Where there is nothing to buy, and why.
    pub fn findings(&self) -> Vec<Finding> {
        if self.found.is_empty() && self.against.is_empty() {
            let message = "no catalog was searched".to_owned();
            return vec![Finding::without_evidence(FindingId::NoCatalog, Severity::Warning, message)];
        }
        let stops = self.found.iter().filter_map(wall);
        stops
            .map(|message| Finding::without_evidence(FindingId::NothingMeetsIt, Severity::Warning, message))
            .collect()
    }
}

/// Where a provider stops, in words; `None` where it has an answer.
fn wall(found: &Found) -> Option<String> {
    let nearest = found.nearest.as_ref()?;
    Some(match (nearest.carries_times, &nearest.closest) {
        (Some(times), Some(closest)) => format!(
            "{}: the limiting factor is {}; {} comes closest with {:.0} % of the rates",
            found.title,
            nearest.wall,
            closest.configuration.in_short(),
            // Rounded down, since 99.7 % shown as 100 % would contradict the sentence.
            (100.0 * times).floor()
        ),
        (None, Some(closest)) => {
            format!("{}: {}; {} comes closest", found.title, nearest.wall, closest.configuration.in_short())
        }
        _ => format!("{}: {}", found.title, nearest.wall),
    })
}

/// What the search was asked, as far as sentences depend on it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    demand: &'a Demand,
    floor: Option<&'a VcpuFloor>,
    /// Whether the cost has a second machine.
    has_pair: bool,
}

fn points(
    found: &[Found],
    cheapest: Option<(usize, &CostCurve)>,
    against: &[Against],
    asked: &Asked<'_>,
    currency: &str,
) -> Vec<String> {
    let Asked { demand, floor, has_pair } = *asked;
    let mut points = Vec::new();
    points.extend(floor.filter(|_| cheapest.is_some()).map(|floor| floor_in_words(floor, found)));
    if let Some((index, curve)) = cheapest {
        let answer = &found[index].answers[0];
        // The reader's next question comes first: what if my rates are a little off?
        points.extend(answer.fit.as_ref().and_then(|fit| beyond_volumes(fit, &answer.configuration.machine)));
        points.extend(more_and_less(curve, answer, currency));
        for (other, one) in found.iter().enumerate().filter(|(other, _)| *other != index) {
            points.push(match one.answers.first() {
                Some(other_answer) => {
                    let (more, cost) = (&other_answer.cost, &answer.cost);
                    // A sum with a missing part cannot be compared, but for being more already.
                    let percent = 100.0 * (more.per_month / cost.per_month - 1.0);
                    let words = match (more.is_complete(), percent > 0.0) {
                        (true, _) => format!(" ({percent:+.0} %)"),
                        (false, true) => format!(" (at least {percent:+.0} %)"),
                        (false, false) => ", not comparable".to_owned(),
                    };
                    format!(
                        "cheapest at {}: {}, {}{words}",
                        found[other].title,
                        other_answer.configuration.in_short(),
                        cost_words(more, currency)
                    )
                }
                None => wall(one).unwrap_or_else(|| format!("{}: nothing", one.title)),
            });
        }
        points.extend(memory_differs(found).filter(|_| demand.memory_min.get() == 0));
    }
    points.extend(found.iter().filter_map(|one| unpromised(one, currency)));
    points.extend(against.iter().map(|one| one.sentence.clone()));
    points.extend(found.iter().filter_map(|one| one.answers.first()).flat_map(|one| doubts(one, demand)));
    if cheapest.is_some() {
        points.extend(assumptions(demand, has_pair));
    }
    points
}

/// The memory of the machines, where nobody asked for any and one has far more than another: prices are then of different offers.
fn memory_differs(found: &[Found]) -> Option<String> {
    let answers = || found.iter().filter_map(|one| Some((one, one.answers.first()?.memory_gib)));
    let least = answers().map(|(_, gib)| gib).reduce(f64::min)?;
    let most = answers().map(|(_, gib)| gib).reduce(f64::max)?;
    // A choice: the families of vendors have 2, 4 and 8 GiB for each hardware thread.
    (most >= 2.0 * least).then(|| {
        let of = |(one, gib): (&Found, f64)| format!("{} GiB ({})", grouped(gib), one.title);
        let all: Vec<String> = answers().map(of).collect();
        format!(
            "no memory was asked for, and the machines differ: {}; --memory {}GiB compares like with like",
            all.join(", "),
            grouped(most)
        )
    })
}

/// What a provider has on volumes of which nobody says how fast they answer, where a latency is asked.
fn unpromised(found: &Found, currency: &str) -> Option<String> {
    let one = found.of_unknown_latency.as_ref()?;
    // Of several pools only some may be on such volumes.
    let mut kinds: Vec<&str> = Vec::new();
    for (index, pool) in one.configuration.pools.iter().enumerate() {
        let is_unknown = one.pools.get(index).is_none_or(|pool| pool.latency.is_none());
        if is_unknown && !kinds.contains(&pool.volume.as_str()) {
            kinds.push(&pool.volume);
        }
    }
    Some(format!(
        "{}: the latency of {} is not in the catalog; {} would cost {}, but measure it before you rely on it",
        found.title,
        kinds.join(" and "),
        one.configuration.in_short(),
        cost_words(&one.cost, currency)
    ))
}

/// What of an answer somebody would not expect who did not ask for it.
fn doubts(answer: &Explanation, demand: &Demand) -> Vec<String> {
    let mut all = Vec::new();
    let configuration = &answer.configuration;
    if answer.arm {
        all.push(format!(
            "{} has an ARM processor: SQL Server does not run on it, and not every Oracle Database does; --no-arm leaves such machines out",
            configuration.machine
        ));
    }
    for (index, pool) in
        configuration.pools.iter().enumerate().filter(|(_, pool)| pool.cache_hit_percent > 0.0)
    {
        all.push(format!(
            "the cache of {} is assumed to serve {} % of the reads of {}: no vendor promises that, so measure it",
            configuration.machine,
            pool.cache_hit_percent,
            configuration.pool_name(index)
        ));
    }
    // Without a latency class any kind may win on price alone; rotating disks would surprise.
    if demand.latency.is_none() && answer.latency == Some(LatencyClass::Hdd) {
        all.push(format!(
            "{} has the latency of rotating disks; --latency single-digit-ms leaves it out",
            configuration.pools[0].volume
        ));
    }
    all
}

/// What the search takes for granted, where it makes a difference to this demand.
fn assumptions(demand: &Demand, has_pair: bool) -> Vec<String> {
    let mut all = Vec::new();
    let mut roles: Vec<&str> =
        demand.streams.iter().filter_map(|stream| stream.role).map(|role| role.as_str()).collect();
    roles.sort_unstable();
    roles.dedup();
    if roles.len() > 1 && demand.pools.is_empty() {
        all.push(format!(
            "{} share one stripe set here; --pool separates them, such as --pool log=200GiB --pool tempdb=300GiB",
            roles.join(", ")
        ));
    }
    if demand.replicas > 0 {
        all.push(shipped_words(demand));
        let others = demand.replicas - u32::from(has_pair);
        if others > 0 {
            all.push(format!(
                "the cost covers {} with {} volumes, but not the {} that receive{} the writes",
                if has_pair { "two machines" } else { "one machine" },
                if has_pair { "their" } else { "its" },
                if others == 1 { "other machine".to_owned() } else { format!("{others} other machines") },
                if others == 1 { "s" } else { "" }
            ));
        }
    }
    if demand.capacity_gib() <= 0.0 {
        all.push("no capacity is given, so the volumes are as small as the rates allow".to_owned());
    }
    all
}

/// What of the writes goes to replicas.
fn shipped_words(demand: &Demand) -> String {
    let log_is_apart = demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
    let has_no_role = demand.streams.iter().any(|stream| stream.role.is_none());
    if demand.shipped.is_empty() && !log_is_apart && has_no_role {
        return "the demand has no separate log, so every write counts as shipped to the replicas: an upper bound"
            .to_owned();
    }
    let roles: Vec<&str> = if demand.shipped.is_empty() {
        vec![Role::Log.as_str()]
    } else {
        demand.shipped.iter().map(|role| role.as_str()).collect()
    };
    format!("only {} writes are sent to replicas; --ship ROLE selects other roles", roles.join(" and "))
}
