//! The demand that follows from counters, with what they say against it.

use iotrial_model::counters::CounterSeries;
use iotrial_model::demand::{CounterDemandError, Demand};
use iotrial_model::observation::HeldBack;

use super::{WatchAnswer, WatchRequest};

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
    demand.notes.extend(held_back(&answer).iter().map(iotrial_words::observation::held_back));
    Ok(demand)
}

/// Why the figures are less than what was asked for.
pub(super) fn held_back(answer: &WatchAnswer) -> Vec<HeldBack> {
    let limits = answer.observations.iter().filter(|one| one.kind().is_limit());
    let mut all: Vec<HeldBack> = limits.cloned().map(HeldBack::AtLimit).collect();
    if all.is_empty() && answer.is_good == Some(false) {
        let beyond = answer.roles.iter().flat_map(|role| &role.judged).filter(|judged| !judged.is_within);
        let mut disks: Vec<String> = beyond.map(|judged| judged.disk.clone()).collect();
        disks.dedup();
        all.push(HeldBack::Slow { disks, set: answer.thresholds.first().cloned() });
    }
    let missing = answer.observations.iter().filter(|one| one.kind().is_missing_disk());
    all.extend(missing.cloned().map(HeldBack::DiskMissing));
    all
}
