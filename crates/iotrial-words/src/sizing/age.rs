//! How old the figures are on which a configuration rests.

use iotrial_model::words::enumerate;
use iotrial_sizing::age::{FigureOf, ReliedOn};

/// What is old in one sentence without a full stop; `None` where nothing is.
pub fn old_figures(old: &[ReliedOn]) -> Option<String> {
    let words = |one: &ReliedOn| {
        let what: Vec<String> = one.what.iter().map(figure_of).collect();
        format!("{} ({})", enumerate(&what), one.as_of.as_deref().unwrap_or("no date"))
    };
    let list: Vec<String> = old.iter().map(words).collect();
    let undated = old.iter().filter(|one| one.as_of.is_none()).count();
    let why = match undated {
        0 => "are more than a year old",
        all if all == old.len() => "have no date",
        _ => "are more than a year old or have no date",
    };
    (!list.is_empty()).then(|| format!("these catalog figures {why}: {}", list.join("; ")))
}

/// Which figures of a catalog, such as `price of premium-ssd P30`.
pub fn figure_of(figure: &FigureOf) -> String {
    match figure {
        FigureOf::Limits(name) => format!("limits of {name}"),
        FigureOf::SmallIoLimits(name) => format!("limits of {name} for small I/Os"),
        FigureOf::Price(name) => format!("price of {name}"),
        FigureOf::Pools(name) => format!("pools of {name}"),
    }
}
