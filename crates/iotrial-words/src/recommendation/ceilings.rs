//! What became of the ceilings of a sweep.

use iotrial_model::bound::Amount;
use iotrial_model::finding::CurvePlace;
use iotrial_model::recommendation::CeilingChanges;

use crate::changes::{change, names_of};
use crate::place::curve;

/// What became of the ceilings of each sweep but the baseline.
pub fn ceilings(all: &[CeilingChanges]) -> String {
    all.iter().map(of_sweep).collect::<Vec<_>>().join(" ")
}

fn of_sweep(changes: &CeilingChanges) -> String {
    let CeilingChanges { sweep, baseline, is_of_loads, changed, same, unknown } = changes;
    let what = if *is_of_loads { "rate" } else { "ceiling" };
    let names = |curves: &[CurvePlace]| curves.iter().map(curve).collect();
    let changed: Vec<String> =
        changed.iter().map(|(place, percent)| format!("{} {}", curve(place), by(*percent))).collect();
    let parts: [(String, Vec<String>); 3] = [
        (format!("the {what} of"), changed),
        (format!("no difference shown in the {what} of"), names(same)),
        (format!("too little data to compare the {what} of"), names(unknown)),
    ];
    let told = parts.iter().filter(|(_, curves)| !curves.is_empty());
    let mut words: Vec<String> = told.map(|(what, curves)| format!("{what} {}", names_of(curves))).collect();
    if words.is_empty() {
        words.push(format!("no {what} to compare"));
    }
    format!("{sweep} compared with {baseline}: {}.", words.join("; "))
}

/// `+36.9 %`, `≥ +36.9 %`.
fn by(percent: Amount) -> String {
    match percent.shown() {
        (Some(sign), percent) => format!("{sign} {}", change(percent)),
        (None, percent) => change(percent),
    }
}
