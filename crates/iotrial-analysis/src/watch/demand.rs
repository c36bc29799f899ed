//! The demand that follows from counters, with what they say against it.

use iotrial_model::counters::CounterSeries;
use iotrial_model::demand::{CounterDemandError, Demand};

use super::{ObservationKind, WatchAnswer, WatchRequest};

/// What disks did in all but the busiest intervals, as [`Demand::of_counters`] has it, and whether the storage held them back: a machine
/// that waits for its disks asks for more than it gets.
///
/// # Errors
///
/// When a disk is not there, or nothing was counted.
pub fn demand_of(
    name: &str,
    series: &CounterSeries,
    request: &WatchRequest,
    percentile: f64,
) -> Result<Demand, CounterDemandError> {
    let no_disk = |error: super::NoDisk| CounterDemandError::NoDisk { name: error.name, known: error.known };
    let series = super::with_roles(series, &request.roles).map_err(no_disk)?;
    let series = series.as_ref();
    let answer = WatchAnswer::of(series, request).map_err(no_disk)?;
    let wanted: Vec<String> = if request.disks.is_empty() {
        series.disks.iter().filter(|disk| disk.role.is_some()).map(|disk| disk.name.clone()).collect()
    } else {
        request.disks.clone()
    };
    let mut demand = Demand::of_counters(name, series, &wanted, percentile)?;
    demand.notes.extend(held_back(&answer));
    Ok(demand)
}

/// Why the figures are less than what was asked for.
fn held_back(answer: &WatchAnswer) -> Vec<String> {
    let is_limit =
        |kind: ObservationKind| matches!(kind, ObservationKind::Saturated | ObservationKind::Throttled);
    let mut notes: Vec<String> = answer
        .observations
        .iter()
        .filter(|one| is_limit(one.kind))
        .map(|one| {
            format!(
                "{}; this demand is only what the storage delivered, and the application wanted more",
                one.message
            )
        })
        .collect();
    let missing = answer.observations.iter().filter(|one| one.kind.is_missing_disk());
    let missing: Vec<String> =
        missing.map(|one| format!("{}; what was asked of it meanwhile is not known", one.message)).collect();
    if notes.is_empty() && answer.is_good == Some(false) {
        let beyond = answer.roles.iter().flat_map(|role| &role.judged).filter(|judged| !judged.is_within);
        let mut disks: Vec<&str> = beyond.map(|judged| judged.disk.as_str()).collect();
        disks.dedup();
        notes.push(format!(
            "the latency of {} is beyond the limits of {}: on faster storage the demand would have been higher",
            iotrial_model::words::in_brief(&disks, 4, 3),
            answer.thresholds.first().map_or("the thresholds", String::as_str)
        ));
    }
    notes.extend(missing);
    notes
}
