//! What more or less of a demand costs.

use iotrial_model::demand::Demand;
use serde::Serialize;

use super::{Search, Space};
use crate::catalog::Catalog;
use crate::configuration::Configuration;
use crate::explanation::ExplainError;

/// From half of the demand to twice of it, in steps of a twentieth.
// A choice. The grid must contain 0.9, 1.0, 1.1 and 1.5, which the sentences about more and less look up; its
// 31 points cost a fraction of a second.
const FACTORS_IN_TWENTIETHS: std::ops::RangeInclusive<u32> = 10..=40;

/// What a provider has for multiples of the rates of a demand, everything else as asked: by the same rule as the answer, the fewest
/// volumes of those that cost hardly more than the cheapest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostCurve {
    /// The provider whose catalog was searched.
    pub provider: String,
    /// From less to more.
    pub points: Vec<CurvePoint>,
}

/// One point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Multiple of the rates that were asked.
    pub times: f64,
    /// Cost of the configuration a month; absent where nothing carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_month: Option<f64>,
    /// How many volumes are bought; absent where nothing carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volumes: Option<u32>,
    /// The configuration; absent where nothing carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<Configuration>,
}

impl CostCurve {
    /// The point at `times` times the rates.
    pub fn at(&self, times: f64) -> Option<&CurvePoint> {
        // Twentieths are not exact in binary: 22 / 20 and 1.1 differ in the last bit.
        self.points.iter().find(|point| (point.times - times).abs() < 1e-9)
    }
}

/// The curve of one catalog.
///
/// # Errors
///
/// When the prices of the catalog cannot be converted into the currency that is asked for.
pub fn curve_of(catalog: &Catalog, demand: &Demand, search: &Search) -> Result<CostCurve, ExplainError> {
    let space = Space::new(catalog, demand, search)?;
    let point = |twentieths: u32| {
        // Counted in whole twentieths, since adding 0.05 forty times would drift.
        let times = f64::from(twentieths) / 20.0;
        let pick = space.best(times, 1).into_iter().next();
        CurvePoint {
            times,
            volumes: pick.as_ref().map(|pick| pick.chosen.count),
            per_month: pick.as_ref().map(|pick| pick.cost),
            configuration: pick.as_ref().map(|pick| space.configuration(pick)),
        }
    };
    Ok(CostCurve { provider: catalog.provider.clone(), points: FACTORS_IN_TWENTIETHS.map(point).collect() })
}
