//! What became of the ceilings of a sweep.

use crate::bound::Amount;
use crate::finding::CurvePlace;

/// The ceilings of a sweep compared with those of another one.
#[derive(Debug, Clone, PartialEq)]
pub struct CeilingChanges {
    /// The sweep.
    pub sweep: String,
    /// The one that it is compared with.
    pub baseline: String,
    /// Whether they have no ceilings, as the tests of a series, and the rates at each load are meant.
    pub is_of_loads: bool,
    /// Curves with another ceiling, each with its change in percent.
    pub changed: Vec<(CurvePlace, Amount)>,
    /// Curves of which no difference is shown.
    pub same: Vec<CurvePlace>,
    /// Curves of which too little is known to tell.
    pub unknown: Vec<CurvePlace>,
}
