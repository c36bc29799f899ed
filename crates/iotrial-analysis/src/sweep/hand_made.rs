//! Curves with a known knee and ceiling, to be spoiled in one respect.

use iotrial_model::sweep::ProbePurpose;
use iotrial_model::verdict::Outcome;

use super::{Curve, Probe};
use crate::figures::Figures;
use crate::saturation::{Fit, Load, Model, Saturation};

/// A load of a curve, with its rate and how it is split.
pub(super) fn point(outstanding: u32, iops: f64, split: Option<(u64, u64)>) -> Probe {
    Probe {
        purpose: ProbePurpose::Search,
        outstanding,
        iodepth: split.map(|(iodepth, _)| iodepth),
        numjobs: split.map(|(_, numjobs)| numjobs),
        measured_s: 10.0,
        iops_standard_error_percent: 0.1,
        outcome: Outcome::Inconclusive,
        why_not: None,
        figures: Figures { iops: Some(iops), ..Figures::unknown() },
    }
}

/// 1,000 I/Os a second for each outstanding one, up to the ceiling of 10,000 at ten.
pub(super) fn saturation() -> Saturation {
    let knee = Load { outstanding: 10.0, iops: 10_000.0, bandwidth_mib_per_s: 78.0, lat_mean_us: 1_000.0 };
    let model =
        Model::Queueing { alone_us: 1_000.0, contention: 0.0, ceiling_iops: Some(10_000.0), sharpness: None };
    Saturation {
        knee,
        knee_bound: None,
        knee_confidence: None,
        saturated: knee,
        ceiling_iops: 10_000.0,
        ceiling_mib_per_s: 78.0,
        ceiling_confidence: None,
        is_reached: true,
        exceeded_by_percent: 0.0,
        falls_by_percent: 0.0,
        fit: Some(Fit { model, rms_percent: 1.0, r_squared: None, point_count: 4 }),
    }
}

pub(super) fn curve(saturation: Saturation) -> Curve {
    let loads = [1u32, 4, 10, 25, 60];
    Curve {
        pattern: "randread-8k".parse().unwrap(),
        volume: 0,
        probes: loads.map(|load| point(load, 1_000.0 * f64::from(load.min(10)), None)).to_vec(),
        sustained: None,
        saturation: Some(saturation),
        limit: None,
    }
}
