//! The part of a result that a finding is about, before what is said of it.

use iotrial_model::finding::{CurvePlace, Place};
use iotrial_model::words::enumerate;

use crate::numbers::count_with_thousands;

/// What is said of a part of a result, with the place in front of it and how often it is the same elsewhere.
pub fn said_of(place: &Place, said: &str) -> String {
    let whose = match place {
        Place::Step { number, planned, having_count, step_count } => {
            let step = planned.label(*number);
            match having_count {
                1 => format!("in {step}"),
                count if count == step_count => format!("in all {count} steps, such as {step}"),
                count => format!("in {count} of {step_count} steps, such as {step}"),
            }
        }
        Place::Probe { pattern, outstanding, .. } => {
            format!("{pattern} with {} outstanding", count_with_thousands(u64::from(*outstanding)))
        }
        Place::Curves(curves) => curves.iter().map(curve).collect::<Vec<_>>().join(", "),
        Place::Loads(loads) => enumerate(loads),
        Place::EveryLoad => "Every load".to_owned(),
    };
    let again = match place {
        Place::Probe { other_count: 1, .. } => " (the same in another probe)".to_owned(),
        Place::Probe { other_count: other_count @ 2.., .. } => {
            format!(" (the same in {other_count} other probes)")
        }
        _ => String::new(),
    };
    format!("{whose}: {said}{again}")
}

/// A curve: `randread-8k`, `randread-8k on /mnt/0`.
pub fn curve(curve: &CurvePlace) -> String {
    match &curve.volume {
        Some(volume) => format!("{} on {volume}", curve.pattern),
        None => curve.pattern.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::Duration;

    use iotrial_model::step::Step;

    use super::*;

    #[test]
    fn every_place_has_its_words_on_one_page() {
        let step = |having_count| Place::Step {
            number: 2,
            planned: Step {
                name: Some("peak".to_owned()),
                duration: Duration::from_secs(60),
                load_percent: 100.0,
                from_percent: None,
                judged: true,
            },
            having_count,
            step_count: 4,
        };
        let pattern = "randread-8k".parse().unwrap();
        let probe = |other_count| Place::Probe { pattern, outstanding: 1_024, other_count };
        let curves = |volumes: &[Option<&str>]| {
            let curve = |volume: &Option<&str>| CurvePlace { pattern, volume: volume.map(str::to_owned) };
            Place::Curves(volumes.iter().map(curve).collect())
        };
        let places = [
            step(1),
            step(2),
            step(4),
            probe(0),
            probe(1),
            probe(2),
            curves(&[None]),
            curves(&[Some("data"), Some("log")]),
            Place::Loads(vec!["oltp".to_owned(), "scan".to_owned()]),
            Place::EveryLoad,
        ];
        let mut page = String::new();
        for place in &places {
            writeln!(page, "{}", said_of(place, "it is odd")).unwrap();
        }
        insta::assert_snapshot!("page", page);
    }
}
