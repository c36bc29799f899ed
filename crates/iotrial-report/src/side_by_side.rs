//! The document of several configurations side by side: price and performance, criteria, mixes, what was measured.

use std::collections::BTreeSet;

use iotrial_model::record::Severity;
use iotrial_sizing::catalog::Effect;
use iotrial_sizing::configuration::Pool;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::side_by_side::{BestAt, Compared, SideBySide};
use iotrial_words::sizing as words;

use crate::counted::counted_in_words;
use crate::document::{Answer, Block, Document, FindingLine, Section};
use crate::explanation::{MB, cost_section, mix_name, sources};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

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
    let has_fit = side.configurations.iter().any(|one| one.explanation.fit.is_some());
    let row = |one: &Compared| {
        let iops = one.iops.as_ref();
        let bandwidth = one.bandwidth_bytes_per_s.as_ref();
        let cost = &one.explanation.cost;
        let mut cells = vec![
            Value::Text(one.name.clone()),
            Value::number(iops.map(|one| one.most)),
            Value::number(bandwidth.map(|one| one.most / MB)),
            Value::text(bandwidth.map(|one| one.binds.clone())),
            Value::Number(cost.per_month),
            Value::text(one.per_thousand_iops.map(price)),
            Value::text(one.per_mb_per_s.map(price)),
        ];
        if has_fit {
            let fit = one.explanation.fit.as_ref();
            cells.push(Value::number(fit.and_then(|fit| fit.carries_times)));
            cells.push(Value::text(fit.map(|fit| if fit.is_met { "yes" } else { "no" })));
        }
        cells.push(Value::text(
            (!cost.is_complete()).then(|| words::missing_prices(&cost.missing).join(", ")),
        ));
        let best: Vec<&str> = one.best_at.iter().map(|what| what.as_str()).collect();
        cells.push(Value::text((!best.is_empty()).then(|| best.join(", "))));
        Row { cells, is_total: false }
    };
    let mut columns = vec![
        Column::new("configuration", Quantity::Words),
        Column::new("delivers", Quantity::Iops),
        Column::new("delivers", Quantity::BandwidthMbPerS),
        Column::new("MB/s limited by", Quantity::Words).optional(),
        Column::new("a month", Quantity::Money),
        Column::new("per 1,000 IOPS", Quantity::Words),
        Column::new("per MB/s", Quantity::Words),
    ];
    if has_fit {
        columns.push(Column::new("sustains", Quantity::Ratio));
        columns.push(Column::new("meets it", Quantity::Words));
    }
    columns.push(Column::new("not included", Quantity::Words).optional());
    columns.push(Column::new("best at", Quantity::Words));
    let mut table = Table {
        caption: format!("Price and performance, {} a month", side.currency),
        columns,
        rows: side.configurations.iter().map(row).collect(),
        at_a_glance: true,
    };
    // Where every price is known, a column of dashes says nothing.
    let at = table.columns.len() - 2;
    if table.rows.iter().all(|row| row.cells[at] == Value::Absent) {
        table.columns.remove(at);
        table.rows.iter_mut().for_each(|row| drop(row.cells.remove(at)));
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
    let names: Vec<String> = usual.into_iter().chain(others).map(str::to_owned).collect();
    let row = |one: &Compared| {
        let explanation = &one.explanation;
        let pools: Vec<String> = explanation.configuration.pools.iter().map(Pool::label).collect();
        let mut cells = vec![
            Value::Text(one.name.clone()),
            Value::Text(explanation.configuration.machine.clone()),
            Value::Count(explanation.vcpus.into()),
            Value::Text(pools.join(" + ")),
            Value::Number(explanation.usable_gib),
        ];
        cells.extend(names.iter().map(|name| Value::text(one.criteria.get(name).map(words::criterion))));
        Row { cells, is_total: false }
    };
    let mut columns = vec![
        Column::new("configuration", Quantity::Words),
        Column::new("machine", Quantity::Words).optional(),
        Column::new("vCPU", Quantity::Count),
        Column::new("volumes", Quantity::Words).optional(),
        Column::new("usable GiB", Quantity::Count),
    ];
    columns.extend(names.iter().map(|name| Column::new(name.clone(), Quantity::Words)));
    Section {
        id: "criteria",
        heading: "Other criteria",
        note: Some(
            "Expandable, persistent and effort follow from the volumes unless [attributes] in the file says otherwise."
                .to_owned(),
        ),
        blocks: vec![Block::Table(Table {
            caption: "Criteria".to_owned(),
            columns,
            rows: side.configurations.iter().map(row).collect(),
            at_a_glance: true,
        })],
    }
}

/// What was measured on each, with the cost per MB/s and per 1,000 IOPS.
fn measured(side: &SideBySide) -> Option<Section> {
    let rows = side.configurations.iter().flat_map(|one| {
        let cost = &one.explanation.cost;
        let cost = cost.is_complete().then_some(cost.per_month);
        one.explanation.measured.iter().map(move |measured| {
            let per = |amount: f64| cost.filter(|_| amount > 0.0).map(|cost| price(cost / amount));
            let fullest = measured.shares.first();
            Row {
                cells: vec![
                    Value::Text(one.name.clone()),
                    Value::Text(measured.label.clone()),
                    Value::Number(measured.iops),
                    Value::Number(measured.bandwidth_bytes_per_s / MB),
                    Value::text(fullest.map(|share| format!("{}, {}", share.element, share.measure))),
                    Value::number(fullest.map(|share| share.percent)),
                    Value::text(per(measured.iops / 1e3)),
                    Value::text(per(measured.bandwidth_bytes_per_s / MB)),
                ],
                is_total: false,
            }
        })
    });
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let table = Table {
        caption: format!("Measured rates and their cost, {} a month", side.currency),
        columns: vec![
            Column::new("configuration", Quantity::Words),
            Column::new("measured", Quantity::Words),
            Column::new("IOPS", Quantity::Iops),
            Column::new("MB/s", Quantity::BandwidthMbPerS),
            Column::new("nearest limit", Quantity::Words).optional(),
            Column::new("reached", Quantity::Percent),
            Column::new("per 1,000 IOPS", Quantity::Words).optional(),
            Column::new("per MB/s", Quantity::Words).optional(),
        ],
        rows,
        at_a_glance: true,
    };
    let lines: Vec<FindingLine> = side
        .configurations
        .iter()
        .flat_map(|one| {
            one.explanation.measured.iter().flat_map(move |measured| {
                let caveats = measured.caveats.iter().map(move |text| {
                    let message = format!("{}, {}: {text}", one.name, measured.label);
                    FindingLine::about(About::Caveat, Severity::Warning, message)
                });
                let message = format!("{}, {}: {}", one.name, measured.label, words::measured(measured));
                let note = FindingLine::about(About::BoundBy(measured.bound.by()), Severity::Note, message);
                std::iter::once(note).chain(caveats)
            })
        })
        .collect();
    Some(Section {
        id: "measured",
        heading: "What was measured",
        note: Some(
            "Compared with the limits of the configuration that was measured. For a sweep, the highest rate of each pattern."
                .to_owned(),
        ),
        blocks: vec![Block::Table(table), Block::Findings(lines)],
    })
}

/// Every mix of every configuration, mix by mix.
fn mixes(side: &SideBySide) -> Section {
    let most = side.configurations.iter().map(|one| one.explanation.mixes.len()).max().unwrap_or(0);
    let rows = (0..most).flat_map(|index| {
        side.configurations.iter().filter_map(move |one| {
            let mix = one.explanation.mixes.get(index)?;
            Some(Row {
                cells: vec![
                    Value::Text(mix_name(mix)),
                    Value::Text(one.name.clone()),
                    Value::number(mix.iops),
                    Value::number(mix.bandwidth_bytes_per_s.map(|bandwidth| bandwidth / MB)),
                    Value::text(mix.binds.clone()),
                ],
                is_total: false,
            })
        })
    });
    Section {
        id: "mixes",
        heading: "Mixes",
        note: None,
        blocks: vec![Block::Table(Table {
            caption: "What each configuration delivers with each mix".to_owned(),
            columns: vec![
                Column::new("mix", Quantity::Words),
                Column::new("configuration", Quantity::Words),
                Column::new("IOPS", Quantity::Iops),
                Column::new("MB/s", Quantity::BandwidthMbPerS),
                Column::new("limited by", Quantity::Words),
            ],
            rows: rows.collect(),
            at_a_glance: true,
        })],
    }
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
