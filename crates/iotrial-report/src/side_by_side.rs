//! The document of several configurations side by side: price and performance, criteria, mixes, what was measured.

use std::collections::BTreeSet;

use iotrial_model::record::Severity;
use iotrial_sizing::catalog::Effect;
use iotrial_sizing::configuration::Pool;
use iotrial_sizing::explanation::MixReach;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::measured::MeasuredAgainst;
use iotrial_sizing::side_by_side::{BestAt, Compared, SideBySide};
use iotrial_words::sizing as words;

use crate::counted::counted_in_words;
use crate::document::{Answer, Block, Document, FindingLine, Front, Section};
use crate::explanation::{MB, cost_section, mix_name, sources};
use crate::finding_line::About;
use crate::pools::{missing, not_included};
use crate::quantity::Quantity;
use crate::table::{Column, Table, TableOf, Value};

impl Document {
    /// The document of configurations side by side; `byline` says how old the catalogs are.
    pub fn of_side_by_side(
        side: &SideBySide,
        counted: &iotrial_sizing::price::Counted,
        byline: String,
    ) -> Self {
        let mut sections = vec![opening(side), price_and_performance(side), criteria(side)];
        sections.extend(measured(side));
        sections.push(mixes(side));
        sections.push(costs(side));
        let (iops_mix, bandwidth_mix) = mixes_in_words(side);
        let brief = vec![("Compared", format!("IOPS with {iops_mix}, MB/s with {bandwidth_mix}"))];
        let counted = counted_in_words(counted).map(|words| ("Counted", words));
        Self {
            title: format!("Price and performance of {} configurations", side.configurations.len()),
            byline,
            in_brief: brief.into_iter().chain(counted).collect(),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

/// The loads at which IOPS and MB/s are compared.
fn mixes_in_words(side: &SideBySide) -> (String, String) {
    (words::mix(side.references.small), words::mix(side.references.large))
}

/// A price with three digits: a MB/s may cost cents, and a machine thousands.
fn price(amount: f64) -> String {
    match amount {
        ..10.0 => format!("{amount:.2}"),
        ..100.0 => format!("{amount:.1}"),
        _ => grouped(amount.round()),
    }
}

fn opening(side: &SideBySide) -> Section {
    let currency = &side.currency;
    let of = |what: BestAt| side.best_at(what);
    let per_mb = of(BestAt::PerMbPerS).and_then(|one| Some((one, one.per_mb_per_s?)));
    let per_iops = of(BestAt::PerThousandIops).and_then(|one| Some((one, one.per_thousand_iops?)));
    let headline = match per_mb.or(per_iops) {
        Some((one, amount)) if per_mb.is_some() => {
            format!("{} has the cheapest MB/s: {} {currency} a month", one.name, price(amount))
        }
        Some((one, amount)) => {
            format!("{} has the cheapest IOPS: {} {currency} a month per 1,000 IOPS", one.name, price(amount))
        }
        None => "The costs cannot be compared: there are not two complete prices".to_owned(),
    };
    let mut points = Vec::new();
    if let Some((one, amount)) = per_iops {
        points.push(format!("1,000 IOPS cost the least with {}: {} {currency}", one.name, price(amount)));
    }
    if let Some(one) = of(BestAt::Cost) {
        let cost = price(one.explanation.cost.per_month);
        points.push(format!("{} costs the least: {cost} {currency} a month", one.name));
    }
    let most = |what: BestAt, words: fn(&Compared) -> Option<String>| {
        of(what).and_then(|one| Some(format!("{} delivers the most: {}", one.name, words(one)?)))
    };
    points.extend(most(BestAt::Bandwidth, |one| {
        let delivered = one.bandwidth_bytes_per_s.as_ref()?;
        Some(format!("{} MB/s, limited by {}", grouped((delivered.most / MB).round()), delivered.binds))
    }));
    points.extend(most(BestAt::Iops, |one| {
        let delivered = one.iops.as_ref()?;
        Some(format!("{} IOPS, limited by {}", grouped(delivered.most.round()), delivered.binds))
    }));
    let unpriced = side.configurations.iter().filter(|one| !one.explanation.cost.is_complete());
    points.extend(unpriced.map(|one| {
        let missing = words::missing_prices(&one.explanation.cost.missing).join(" and the ");
        format!("{} is not in the cost comparison: no source has the {missing}", one.name)
    }));
    // If a rule forbids it, all its other figures are meaningless.
    let forbidden = side.configurations.iter().flat_map(|one| {
        let rules = one.explanation.broken_rules.iter().filter(|rule| rule.effect() == Effect::Forbids);
        rules.map(|rule| {
            format!(
                "{} is not possible like this: {} ({})",
                one.name,
                words::breach(&rule.breach),
                rule.source
            )
        })
    });
    let forbidden: Vec<String> = forbidden.collect();
    let is_good = forbidden.is_empty().then_some(true);
    points.splice(0..0, forbidden);
    let (iops_mix, bandwidth_mix) = mixes_in_words(side);
    Section {
        id: "answer",
        heading: "",
        note: None,
        blocks: vec![Block::Answer(Answer {
            is_good,
            headline,
            sentence: format!(
                "IOPS are for {iops_mix}, and MB/s for {bandwidth_mix}; --mix chooses other loads"
            ),
            points,
            lists: Vec::new(),
        })],
    }
}

fn price_and_performance(side: &SideBySide) -> Section {
    let best = |one: &Compared| one.best_at.iter().map(|what| what.as_str()).collect::<Vec<_>>().join(", ");
    let bandwidth = |one: &Compared| one.bandwidth_bytes_per_s.as_ref().map(|one| one.most / MB);
    let limited_by = |one: &Compared| one.bandwidth_bytes_per_s.as_ref().map(|one| one.binds.clone());
    let mut table = TableOf::<&Compared>::new(format!("Price and performance, {} a month", side.currency))
        .words("configuration", |one| one.name.clone())
        .column(Column::new("delivers", Quantity::Iops), |one| {
            Value::number(one.iops.as_ref().map(|one| one.most))
        })
        .column(Column::new("delivers", Quantity::BandwidthMbPerS), |one| Value::number(bandwidth(one)))
        .column(Column::new("MB/s limited by", Quantity::Words).optional(), |one| {
            Value::text(limited_by(one))
        })
        .column(Column::new("a month", Quantity::Money), |one| Value::Number(one.explanation.cost.per_month))
        .column(Column::new("per 1,000 IOPS", Quantity::Words), |one| {
            Value::text(one.per_thousand_iops.map(price))
        })
        .column(Column::new("per MB/s", Quantity::Words), |one| Value::text(one.per_mb_per_s.map(price)));
    if side.configurations.iter().any(|one| one.explanation.fit.is_some()) {
        table = table
            .column(Column::new("sustains", Quantity::Ratio), |one| {
                Value::number(one.explanation.fit.as_ref().and_then(|fit| fit.carries_times))
            })
            .column(Column::new("meets it", Quantity::Words), |one| {
                let fit = one.explanation.fit.as_ref();
                Value::text(fit.map(|fit| if fit.is_met { "yes" } else { "no" }))
            });
    }
    let mut table = table
        .column(not_included().optional(), |one| missing(&one.explanation.cost.missing))
        .column(Column::new("best at", Quantity::Words), |one| {
            Value::text(Some(best(one)).filter(|best| !best.is_empty()))
        })
        .rows(&side.configurations);
    // Where every price is known, a column of dashes says nothing.
    let at = table.columns.len() - 2;
    if table.rows.iter().all(|row| row.cells[at] == Value::Absent) {
        table.without_column(at);
    }
    Section {
        id: "price-performance",
        heading: "Price and performance",
        note: Some(format!(
            "What the limits allow, with list prices in {}. If a part has no price, there is no price per MB/s or per 1,000 IOPS either.",
            side.currency
        )),
        blocks: vec![Block::Table(table)],
    }
}

fn criteria(side: &SideBySide) -> Section {
    // The usual ones first, then the others from the files.
    let usual = ["expandable", "persistent", "effort"];
    let all: BTreeSet<&str> =
        side.configurations.iter().flat_map(|one| one.criteria.keys().map(String::as_str)).collect();
    let others = all.iter().copied().filter(|name| !usual.contains(name));
    let volumes = |one: &Compared| {
        let pools = &one.explanation.configuration.pools;
        Value::Text(pools.iter().map(Pool::label).collect::<Vec<_>>().join(" + "))
    };
    let mut table = TableOf::<&Compared>::new("Criteria")
        .words("configuration", |one| one.name.clone())
        .column(Column::new("machine", Quantity::Words).optional(), |one| {
            Value::Text(one.explanation.configuration.machine.clone())
        })
        .column(Column::new("vCPU", Quantity::Count), |one| Value::Count(one.explanation.vcpus.into()))
        .column(Column::new("volumes", Quantity::Words).optional(), |one| volumes(one))
        .column(Column::new("usable GiB", Quantity::Count), |one| Value::Number(one.explanation.usable_gib));
    for name in usual.into_iter().chain(others) {
        table = table.column(Column::new(name.to_owned(), Quantity::Words), move |one| {
            Value::text(one.criteria.get(name).map(words::criterion))
        });
    }
    Section {
        id: "criteria",
        heading: "Other criteria",
        note: Some(
            "Expandable, persistent and effort follow from the volumes unless [attributes] in the file says otherwise."
                .to_owned(),
        ),
        blocks: vec![Block::Table(table.rows(&side.configurations))],
    }
}

/// What was measured on each, with the cost per MB/s and per 1,000 IOPS.
fn measured(side: &SideBySide) -> Option<Section> {
    let all =
        side.configurations.iter().flat_map(|one| one.explanation.measured.iter().map(move |all| (one, all)));
    let all: Vec<(&Compared, &MeasuredAgainst)> = all.collect();
    if all.is_empty() {
        return None;
    }
    let price_per = |one: &Compared, amount: f64| {
        let cost = &one.explanation.cost;
        Value::text((cost.is_complete() && amount > 0.0).then(|| price(cost.per_month / amount)))
    };
    let table = TableOf::<&(&Compared, &MeasuredAgainst)>::new(format!(
        "Measured rates and their cost, {} a month",
        side.currency
    ))
    .words("configuration", |(one, _)| one.name.clone())
    .words("measured", |(_, measured)| measured.label.clone())
    .column(Column::new("IOPS", Quantity::Iops), |(_, measured)| Value::Number(measured.iops))
    .column(Column::new("MB/s", Quantity::BandwidthMbPerS), |(_, measured)| {
        Value::Number(measured.bandwidth_bytes_per_s / MB)
    })
    .column(Column::new("nearest limit", Quantity::Words).optional(), |(_, measured)| {
        Value::text(measured.shares.first().map(|share| format!("{}, {}", share.element, share.measure)))
    })
    .column(Column::new("reached", Quantity::Percent), |(_, measured)| {
        Value::number(measured.shares.first().map(|share| share.percent))
    })
    .column(Column::new("per 1,000 IOPS", Quantity::Words).optional(), |(one, measured)| {
        price_per(one, measured.iops / 1e3)
    })
    .column(Column::new("per MB/s", Quantity::Words).optional(), |(one, measured)| {
        price_per(one, measured.bandwidth_bytes_per_s / MB)
    })
    .rows(&all);
    let lines = all.iter().flat_map(|(one, measured)| {
        let caveats = measured.caveats.iter().map(move |text| {
            let message = format!("{}, {}: {text}", one.name, measured.label);
            FindingLine::about(About::Caveat, Severity::Warning, message)
        });
        let message = format!("{}, {}: {}", one.name, measured.label, words::measured(measured));
        let note = FindingLine::about(About::BoundBy(measured.bound.by()), Severity::Note, message);
        std::iter::once(note).chain(caveats)
    });
    Some(Section {
        id: "measured",
        heading: "What was measured",
        note: Some(
            "Compared with the limits of the configuration that was measured. For a sweep, the highest rate of each pattern."
                .to_owned(),
        ),
        blocks: vec![Block::Table(table), Block::Findings(lines.collect())],
    })
}

/// Every mix of every configuration, mix by mix.
fn mixes(side: &SideBySide) -> Section {
    let most = side.configurations.iter().map(|one| one.explanation.mixes.len()).max().unwrap_or(0);
    let all = (0..most).flat_map(|index| {
        side.configurations.iter().filter_map(move |one| Some((one, one.explanation.mixes.get(index)?)))
    });
    let table = TableOf::<(&Compared, &MixReach)>::new("What each configuration delivers with each mix")
        .words("mix", |(_, mix)| mix_name(mix))
        .words("configuration", |(one, _)| one.name.clone())
        .column(Column::new("IOPS", Quantity::Iops), |(_, mix)| Value::number(mix.iops))
        .column(Column::new("MB/s", Quantity::BandwidthMbPerS), |(_, mix)| {
            Value::number(mix.bandwidth_bytes_per_s.map(|bandwidth| bandwidth / MB))
        })
        .column(Column::new("limited by", Quantity::Words), |(_, mix)| Value::text(mix.binds.clone()))
        .rows(all);
    Section { id: "mixes", heading: "Mixes", note: None, blocks: vec![Block::Table(table)] }
}

/// Every term of every cost, with its source. Too long for a terminal.
fn costs(side: &SideBySide) -> Section {
    let tables = side.configurations.iter().flat_map(|one| {
        let sections = [cost_section(&one.explanation.cost), sources(&one.explanation)];
        sections.into_iter().flat_map(|section| section.blocks).filter_map(move |block| match block {
            Block::Table(table) => Some(Block::Table(Table {
                caption: format!("{}. {}", one.name, table.caption),
                at_a_glance: false,
                ..table
            })),
            _ => None,
        })
    });
    Section { id: "costs", heading: "Costs and sources", note: None, blocks: tables.collect() }
}
