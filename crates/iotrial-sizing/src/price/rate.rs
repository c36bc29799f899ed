//! Rates between currencies: given, or stated in a catalog; either way round, and over other currencies.

use super::{Money, UsedRate};
use crate::catalog::Catalog;

/// One unit of `from` is `per_unit` of `to`.
struct Stated {
    from: String,
    to: String,
    per_unit: f64,
    source: String,
}

/// The rate between two currencies over as few others as possible; `None` where there is no way.
pub(super) fn find_rate(money: &Money, catalog: &Catalog, from: &str, to: &str) -> Option<UsedRate> {
    let given = money.rates.iter().map(|rate| Stated {
        from: rate.from.clone(),
        to: rate.to.clone(),
        per_unit: rate.per_unit,
        source: "given".to_owned(),
    });
    let mut stated: Vec<Stated> = given.collect();
    // What the user gave counts first, also over a third currency: a rate in a catalog has a date, and may be years old.
    over(&stated, from, to).or_else(|| {
        stated.extend(catalog.exchange.iter().map(|rate| Stated {
            from: catalog.currency.clone(),
            to: rate.to.clone(),
            per_unit: rate.per_unit,
            source: catalog.cited(&rate.source),
        }));
        over(&stated, from, to)
    })
}

/// Currency by currency, the nearest first. Of two rates between the same currencies the first counts.
fn over(stated: &[Stated], from: &str, to: &str) -> Option<UsedRate> {
    let mut reached: Vec<(&str, f64, Vec<usize>)> = vec![(from, 1.0, Vec::new())];
    let mut next = 0;
    while let Some((at, per_unit, steps)) = reached.get(next).cloned() {
        if at == to {
            let source = match steps.as_slice() {
                [] => String::new(),
                [only] => stated[*only].source.clone(),
                several => {
                    let words = several.iter().map(|step| {
                        let Stated { from, to, per_unit, source } = &stated[*step];
                        format!("1 {from} is {per_unit} {to}, {source}")
                    });
                    words.collect::<Vec<_>>().join("; ")
                }
            };
            return Some(UsedRate { from: from.to_owned(), to: to.to_owned(), per_unit, source });
        }
        for (index, rate) in stated.iter().enumerate() {
            let (other, factor) = if rate.from == at {
                (rate.to.as_str(), rate.per_unit)
            } else if rate.to == at {
                (rate.from.as_str(), 1.0 / rate.per_unit)
            } else {
                continue;
            };
            if reached.iter().all(|(known, ..)| *known != other) {
                let steps = steps.iter().copied().chain([index]).collect();
                reached.push((other, per_unit * factor, steps));
            }
        }
        next += 1;
    }
    None
}
