//! The answer to a demand over several providers: side by side, with what a little more or less would cost,
//! and why the configurations that people would expect lose.

use iotrial_model::demand::Demand;

use crate::catalog::Catalog;
use crate::configuration::{Configuration, ConfigurationError};
use crate::explanation::ExplainError;
use crate::floor::VcpuFloor;
use crate::price::{Counted, shortest_month};
use crate::search::{CostCurve, Found, Search, YearPlan, curve_of, over_years, search};

mod against;
mod answer;
mod bill;
mod point;
mod rates;
mod usual;

pub use against::{Against, AgainstAnswer};
pub use answer::{AmongCatalogs, MoreVolumes, NearestLimit, ProviderStop, SizingAnswer, WithoutDisk};
pub use point::{CostBeside, SizingPoint, Smaller};
pub use rates::RatesCost;
pub use usual::{Shipped, SizingDoubt};

use against::hold;
use answer::{answer_of, cheapest_of};
use point::{Asked, points};

/// The answer to a demand.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizing {
    /// What was asked.
    pub demand: Demand,
    /// The fewest hardware threads that were looked at, where the demand does not say.
    pub vcpu_floor: Option<VcpuFloor>,
    /// ISO 4217, the currency of every sum.
    pub currency: String,
    /// What is counted besides machine, operating system and volumes.
    pub counted: Counted,
    /// Place in `found` of the cheapest whose cost is complete; `None` where nothing meets the demand at a
    /// known cost.
    pub cheapest: Option<usize>,
    /// By how much more of the cost an answer may have fewer volumes than the cheapest: 0.01 is one per cent.
    pub tolerance: f64,
    /// What it comes to.
    pub answer: SizingAnswer,
    /// What else is to be known, the most weighty first.
    pub points: Vec<SizingPoint>,
    /// Each provider, in the order of the catalogs.
    pub found: Vec<Found>,
    /// What more or less of the rates costs, provider by provider.
    pub curves: Vec<CostCurve>,
    /// What is bought when, provider by provider, the cheapest first; only where it was asked.
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
    let asked = Asked {
        demand,
        floor: vcpu_floor,
        has_pair: request.money.counted.pair.is_some(),
        curve: cheapest.map(|index| &curves[index]),
        plan: plans.first(),
    };
    Ok(Sizing {
        demand: demand.clone(),
        vcpu_floor,
        currency,
        counted: request.money.counted.clone(),
        cheapest,
        tolerance: request.tolerance,
        answer: answer_of(&found, cheapest),
        points: points(&found, cheapest, &held, &asked),
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
