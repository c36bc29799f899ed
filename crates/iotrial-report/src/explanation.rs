//! The document of one configuration: the chain of limits as table and picture, mixes, demand, measured
//! rates, rules, cost.

use iotrial_analysis::words::capital;
use iotrial_model::record::Severity;
use iotrial_model::words::{counted, enumerate};
use iotrial_sizing::catalog::Effect;
use iotrial_sizing::explanation::{Explanation, MixReach, PartReach, PureReach};
use iotrial_sizing::measure::{Measure, grouped};
use iotrial_sizing::measured::{BoundBy, MeasuredAgainst};
use iotrial_sizing::price::{Cost, CostTerm};
use iotrial_sizing::requirement::{Fit, Share};
use iotrial_sizing::rule::BrokenRule;
use iotrial_words::sizing as words;

use crate::chart::{Axis, Bar, BarChart, BarSeries, Mark, Scale};
use crate::document::{Answer, Block, Document, FindingLine, Front, PointList, Section};
use crate::finding_line::About;
use crate::pools::{bandwidth_column, per_month, pools_section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, TableOf, Value};

/// Bytes in one MB/s, as vendors state limits.
// 10^6, as vendors state limits; what iotrial measures is in MiB.
pub(crate) const MB: f64 = 1e6;

impl Document {
    /// The document of one configuration. `title` names the catalog, and `byline` says how old it is.
    pub fn of_explanation(explanation: &Explanation, title: &str, byline: String) -> Self {
        let mut sections = vec![opening(explanation)];
        // The answer comes first, then the question, then the reasons.
        sections.extend(pools_section(explanation));
        sections.extend(explanation.fit.as_ref().map(|fit| asked("asked", fit)));
        sections.extend(measured(explanation));
        sections.extend(limit_sections(explanation));
        sections.push(mixes(explanation));
        sections.push(cost_section(&explanation.cost));
        sections.push(sources(explanation));
        Self {
            title: format!("What limits {} ({title})", explanation.configuration.title),
            byline,
            in_brief: in_brief(explanation),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn in_brief(explanation: &Explanation) -> Vec<(&'static str, String)> {
    let configuration = &explanation.configuration;
    let mut lines = vec![("Configuration", configuration.in_short())];
    let cores = explanation.ocpus.map_or_else(String::new, |ocpus| format!("{ocpus} cores, "));
    lines.push((
        "Machine",
        format!(
            "{cores}{}, {} GiB, {}",
            counted(explanation.vcpus.into(), "vCPU"),
            explanation.memory_gib,
            capital(configuration.os.as_str())
        ),
    ));
    let replicas = explanation.configuration.replicas;
    if replicas > 0 {
        lines.push(("Replicas", format!("{replicas}; the cost is for one machine and its volumes")));
    }
    let of = if explanation.pools.iter().any(|pool| pool.is_local) {
        ", without the machine's own disk"
    } else {
        ""
    };
    lines.push(("Capacity", format!("{} GiB usable{of}", grouped(explanation.usable_gib))));
    if explanation.burst {
        lines.push(("Rates", "including bursts, which last only for a while".to_owned()));
    }
    lines
}

fn opening(explanation: &Explanation) -> Section {
    let forbidden = explanation.broken_rules.iter().any(|rule| rule.effect() == Effect::Forbids);
    let is_met = explanation.fit.as_ref().is_none_or(|fit| fit.is_met);
    let cost = &explanation.cost;
    // An empty sum would print as «0 a month».
    let price = if cost.terms.is_empty() {
        "without a known price".to_owned()
    } else {
        words::sum_in_words(&cost.sum(), &cost.currency)
    };
    let points =
        explanation.alone.iter().filter(|one| one.most.is_some()).map(|one| binding(explanation, one));
    let rules = |wanted: Effect| explanation.broken_rules.iter().filter(move |rule| rule.effect() == wanted);
    let provider = &explanation.configuration.provider;
    let warnings: Vec<_> = rules(Effect::Warns).map(|rule| rule_warning(rule, provider)).collect();
    let lists = [
        ("Rules that it breaks", rules(Effect::Forbids).map(words::broken_rule).collect::<Vec<_>>()),
        ("Missing from the cost, because the catalog does not have it", words::missing_prices(&cost.missing)),
    ];
    let lists = lists.into_iter().filter(|(_, points)| !points.is_empty());
    let headline = format!("{}, {price}", explanation.configuration.in_short());
    let sentence = match (forbidden, &explanation.fit) {
        (true, _) => "This configuration is not possible: a rule forbids it".to_owned(),
        (false, Some(fit)) if !fit.is_met => "It does not meet the demand".to_owned(),
        (false, Some(_)) => "It meets the demand".to_owned(),
        (false, None) => "The most that each kind of I/O reaches if there is no other load:".to_owned(),
    };
    Section {
        id: "answer",
        heading: "",
        note: None,
        blocks: std::iter::once(Block::Answer(Answer {
            is_good: Some(!forbidden && is_met),
            headline,
            sentence,
            points: points.collect(),
            lists: lists.map(|(heading, points)| PointList { heading, points }).collect(),
        }))
        .chain((!warnings.is_empty()).then_some(Block::Findings(warnings)))
        .collect(),
    }
}

/// What a rule warns of, as a finding about the provider.
pub(crate) fn rule_warning(rule: &BrokenRule, provider: &str) -> FindingLine {
    FindingLine::about(About::Provider(provider), Severity::Warning, words::broken_rule(rule))
}

/// The name of the pool, if there are several.
fn pool_prefix(explanation: &Explanation, pool: usize) -> String {
    let pools = &explanation.configuration.pools;
    if pools.len() == 1 { String::new() } else { format!("{}: ", pool_name(explanation, pool)) }
}

fn pool_name(explanation: &Explanation, pool: usize) -> String {
    explanation.configuration.pool_name(pool)
}

fn binding(explanation: &Explanation, one: &PureReach) -> String {
    let most = one.most.unwrap_or_default();
    let next = one.next.as_ref().map_or_else(String::new, |next| {
        // Less than half a percent apart would print as «1.00 times as far».
        if next.times < 1.005 {
            format!("; next limit: {}, equally high", next.element)
        } else {
            format!("; next limit: {}, {:.2} times as high", next.element, next.times)
        }
    });
    format!(
        "{}{}: {} (first limit: {}{next})",
        pool_prefix(explanation, one.pool),
        one.measure,
        words::amount(one.measure, most),
        one.binds.as_deref().unwrap_or("nothing")
    )
}

/// From share to headroom: at 80 % of a limit there is room for 25 % more, not for 20 %.
pub(crate) fn headroom(used_percent: f64) -> Value {
    // Beyond this, the exact headroom does not matter.
    const FAR_MORE_PERCENT: f64 = 1_000.0;
    match 100.0 * (100.0 / used_percent - 1.0) {
        percent if percent > FAR_MORE_PERCENT => {
            Value::Bounded { sign: ">", number: FAR_MORE_PERCENT, reading: None }
        }
        // «±0.0» would look like a tolerance.
        percent if percent.abs() < 0.05 => Value::Text("none".to_owned()),
        percent => Value::Number(percent),
    }
}

/// An amount in its unit; what is not nothing is not shown as 0.
fn amount(amount: f64, unit: f64) -> Value {
    match amount / unit {
        number if number > 0.0 && number < 0.5 => Value::Bounded { sign: "<", number: 1.0, reading: None },
        number => Value::Number(number),
    }
}

/// How much of each limit a load uses.
pub(crate) fn asked(id: &'static str, fit: &Fit) -> Section {
    // The column before names the measure.
    let unit_name = |share: &Share| match share.measure {
        Measure::Outstanding => "I/Os",
        measure => measure.unit_for(share.used).0,
    };
    let unit = |share: &Share| share.measure.unit_for(share.used).1;
    let table = TableOf::<&Share>::new("How much of each limit the demand uses")
        .words("part", |share| share.element.clone())
        .words("limit", |share| share.measure.to_string())
        .column(Column::new("needed", Quantity::Count), |share| amount(share.used, unit(share)))
        .column(Column::new("available", Quantity::Count), |share| Value::Number(share.most / unit(share)))
        .words("unit", |share| unit_name(share).to_owned())
        .column(Column::new("used", Quantity::Percent), |share| Value::Number(share.percent))
        .column(Column::new("headroom", Quantity::ChangePercent).optional(), |share| headroom(share.percent))
        .rows(&fit.shares);
    let mut blocks = vec![Block::Table(table)];
    let unmet = fit
        .unmet
        .iter()
        .map(|unmet| FindingLine::about(About::Unmet(unmet.word()), Severity::Serious, words::unmet(unmet)));
    let unmet: Vec<FindingLine> = unmet.collect();
    if !unmet.is_empty() {
        // What is missing comes before the table, in which everything may look fine.
        blocks.insert(0, Block::Findings(unmet));
    }
    Section {
        id,
        heading: "What the demand uses",
        note: Some(
            "The most used limit comes first: it is the first one reached if the demand grows. Above 100 % the demand is too high.".to_owned(),
        ),
        blocks,
    }
}

fn measured(explanation: &Explanation) -> Option<Section> {
    let measured = &explanation.measured;
    if measured.is_empty() {
        return None;
    }
    let (bandwidth, unit) = bandwidth_column(measured.iter().map(|one| one.bandwidth_bytes_per_s));
    // For a measurement on another machine, a share of these limits says nothing.
    let fullest = |one: &MeasuredAgainst| {
        one.shares.first().filter(|_| one.bound.by() != [BoundBy::OtherConfiguration]).cloned()
    };
    let count = |name: &'static str| Column::new(name, Quantity::Count).optional();
    let table = TableOf::<&MeasuredAgainst>::new("Measured rates and limits")
        .words("measured", |one| one.label.clone())
        .column(Column::new("IOPS", Quantity::Iops), |one| Value::Number(one.iops))
        .column(bandwidth, |one| Value::Number(one.bandwidth_bytes_per_s / unit))
        .column(Column::new("nearest limit", Quantity::Words), |one| {
            Value::text(fullest(one).as_ref().map(words::limit_in_short))
        })
        .column(Column::new("reached", Quantity::Percent), |one| {
            Value::number(fullest(one).map(|share| share.percent))
        })
        .column(count("in flight"), |one| Value::number(one.in_flight))
        .column(count("offered"), |one| Value::number(one.outstanding))
        .rows(measured);
    let line = |one: &MeasuredAgainst| {
        let message = format!("{}: {}", one.label, words::measured(one));
        let note = FindingLine::about(About::BoundBy(one.bound.by()), Severity::Note, message);
        let contradictions = one.contradictions.iter().map(|one_of| {
            let message = format!("{}: {}", one.label, words::contradiction(one_of));
            FindingLine::about(About::Contradiction, Severity::Warning, message)
        });
        let derived = (!one.derived.is_empty()).then(|| {
            let streams = enumerate(&one.derived);
            let message = format!("{}: IOPS of {streams} follow from MiB/s and block size", one.label);
            FindingLine::about(About::Derived, Severity::Note, message)
        });
        let caveats = one.caveats.iter().map(|text| {
            FindingLine::about(About::Caveat, Severity::Warning, format!("{}: {text}", one.label))
        });
        std::iter::once(note).chain(caveats).chain(contradictions).chain(derived).collect::<Vec<_>>()
    };
    let how = "A limit counts as reached at 95 % or more. “In flight” is rate times latency (Little's law).";
    Some(Section {
        id: "measured",
        heading: "Measured rates and limits",
        note: Some(match &explanation.measured_together {
            Some(together) => format!("{}. {how}", capital(&words::measured_together(together))),
            None => how.to_owned(),
        }),
        blocks: vec![Block::Table(table), Block::Findings(measured.iter().flat_map(line).collect())],
    })
}

/// The chain as table and picture.
pub(crate) fn limit_sections(explanation: &Explanation) -> Vec<Section> {
    let pools = 0..explanation.configuration.pools.len();
    let of = |pool: usize| explanation.alone.iter().filter(move |one| one.pool == pool);
    let mut blocks = vec![Block::Table(chain_table(explanation))];
    for pool in pools {
        let bars = of(pool).filter(|one| !one.parts.is_empty()).map(|one| picture(explanation, one));
        blocks.push(Block::Bars(bars.collect()));
    }
    let limits = explanation.chain.elements.iter().flat_map(|element| &element.limits);
    let mut sizes = limits.flat_map(|limit| &limit.weights).filter_map(|weight| weight.block);
    // The table is for I/Os as small or as large as one likes.
    let small = if sizes.any(|sizes| sizes.above > 0.0) {
        " Limits that hold only for I/Os of a certain size are not included."
    } else {
        ""
    };
    vec![Section {
        id: "chain",
        heading: "The chain of limits",
        note: Some(format!(
            "What each part can carry on its own, for reads only and for writes only; the smallest value in a column is the limit. A dash means that the part sets no limit.{small}"
        )),
        blocks,
    }]
}

fn chain_table(explanation: &Explanation) -> Table {
    let in_unit = |one: &PureReach, most: f64| most / if one.measure.is_bandwidth() { MB } else { 1.0 };
    let several = explanation.configuration.pools.len() > 1;
    let mut rows = Vec::new();
    for pool in 0..explanation.configuration.pools.len() {
        let pure: Vec<&PureReach> = explanation.alone.iter().filter(|one| one.pool == pool).collect();
        let mut row = |name: &str, cells: Vec<Value>, is_total| {
            let label = several.then(|| Value::Text(pool_name(explanation, pool)));
            let cells = label.into_iter().chain([Value::Text(name.to_owned())]).chain(cells).collect();
            rows.push(Row { cells, is_total });
        };
        let of_part = |name: &str| -> Vec<Option<f64>> {
            let part = |one: &&PureReach| {
                Some(in_unit(one, one.parts.iter().find(|part| part.element == name)?.most))
            };
            pure.iter().map(part).collect()
        };
        for element in &explanation.chain.elements {
            let cells = of_part(&element.name);
            if cells.iter().any(Option::is_some) {
                row(&element.name, cells.into_iter().map(Value::number).collect(), false);
            }
        }
        let together = pure.iter().map(|one| Value::number(one.most.map(|most| in_unit(one, most))));
        row("whole chain", together.collect(), true);
    }
    let mut columns = vec![
        Column::new("part", Quantity::Words),
        Column::new("reads", Quantity::Iops),
        Column::new("writes", Quantity::Iops),
        Column::new("reads", Quantity::BandwidthMbPerS),
        Column::new("writes", Quantity::BandwidthMbPerS),
    ];
    if several {
        columns.insert(0, Column::new("pool", Quantity::Words));
    }
    Table { caption: "The chain of limits".to_owned(), columns, rows, at_a_glance: true }
}

/// One measure: a bar for each part, the one that binds marked.
fn picture(explanation: &Explanation, one: &PureReach) -> BarChart {
    let is_bandwidth = one.measure.is_bandwidth();
    let (unit, quantity) = if is_bandwidth { (MB, Quantity::BandwidthMbPerS) } else { (1.0, Quantity::Iops) };
    let decisive =
        one.binds.as_ref().and_then(|binds| one.parts.iter().position(|part| part.element == *binds));
    let name = |(index, part): (usize, &PartReach)| {
        let word = if decisive == Some(index) { " – the limit" } else { "" };
        format!("{}{word}", part.element)
    };
    // What is asked of this measure alone, where something is asked.
    // From the machine's own limit of this measure: volumes may count one I/O as several, and the mark would
    // be off.
    let asked = explanation.fit.as_ref().and_then(|fit| {
        let same = |share: &&Share| {
            share.measure == one.measure && share.kind == iotrial_sizing::chain::ElementKind::Machine
        };
        fit.shares.iter().find(same).map(|share| share.used / unit)
    });
    BarChart {
        id: format!("limit-{}-{}", one.pool, one.measure.as_str().replace(' ', "-").to_lowercase()),
        title: format!("{}{}", pool_prefix(explanation, one.pool), capital(one.measure.as_str())),
        value: Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 },
        groups: one.parts.iter().enumerate().map(name).collect(),
        series: vec![BarSeries {
            key: String::new(),
            name: "carries on its own".to_owned(),
            hue: 0,
            bars: one
                .parts
                .iter()
                .map(|part| Some(Bar { value: part.most / unit, interval: None, reading: None }))
                .collect(),
        }],
        reach: f64::INFINITY,
        decisive,
        mark: asked.map(|value| Mark { name: "needed", value, is_limit: false }),
    }
}

pub(crate) fn mix_name(one: &MixReach) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "block sizes are whole numbers"
    )]
    let block = iotrial_model::units::ByteSize::bytes(one.block_size_bytes as u64);
    format!("{block}, {:.0} % reads", one.read_percent)
}

fn mixes(explanation: &Explanation) -> Section {
    let several = explanation.configuration.pools.len() > 1;
    let labelled = |caption: &'static str| {
        let table = TableOf::<(&MixReach, Option<&PartReach>)>::new(caption);
        let table = match several {
            true => table.words("pool", |(one, _)| pool_name(explanation, one.pool)),
            false => table,
        };
        table.words("mix", |(one, _)| mix_name(one))
    };
    let iops = || Column::new("IOPS", Quantity::Iops);
    let bandwidth = || Column::new("MB/s", Quantity::BandwidthMbPerS);
    let together = labelled("Mixes at a block size")
        .column(iops(), |(one, _)| Value::number(one.iops))
        .column(bandwidth(), |(one, _)| {
            Value::number(one.bandwidth_bytes_per_s.map(|bandwidth| bandwidth / MB))
        })
        .column(Column::new("limited by", Quantity::Words), |(one, _)| Value::text(one.binds.clone()))
        .column(Column::new("which limit", Quantity::Words).optional(), |(one, _)| {
            Value::text(one.by.map(|measure| measure.as_str()))
        })
        .column(Column::new("next limit", Quantity::Words).optional(), |(one, _)| {
            Value::text(one.next.as_ref().map(|next| next.element.clone()))
        })
        .column(Column::new("next at", Quantity::Ratio).optional(), |(one, _)| {
            Value::number(one.next.as_ref().map(|next| next.times))
        })
        .rows(explanation.mixes.iter().map(|one| (one, None)));
    let most = |part: &Option<&PartReach>| part.map(|part| part.most);
    let all_parts =
        explanation.mixes.iter().flat_map(|one| one.parts.iter().map(move |part| (one, Some(part))));
    let parts = labelled("What each part delivers on its own")
        .column(Column::new("part", Quantity::Words), |(_, part)| {
            Value::text(part.map(|part| part.element.clone()))
        })
        .column(iops(), |(_, part)| Value::number(most(part)))
        .column(bandwidth(), |(one, part)| {
            Value::number(most(part).map(|most| most * one.block_size_bytes / MB))
        })
        .rows(all_parts);
    let parts = Table { at_a_glance: false, ..parts };
    Section {
        id: "mixes",
        heading: "Mixes",
        note: Some("For each mix and block size: the limit that is reached first, the part that limits next, and how many times the load has to grow until it does.".to_owned()),
        blocks: vec![Block::Table(together), Block::Table(parts)],
    }
}

/// Every term of a cost.
pub(crate) fn cost_section(cost: &Cost) -> Section {
    let unit_price = |term: &CostTerm| format!("{} {}", short_price(term.unit_price), term.price_currency);
    let mut table = TableOf::<&CostTerm>::new("Cost per month")
        .words("item", |term| term.what.clone())
        .column(Column::new("amount", Quantity::Count), |term| Value::Number(term.amount))
        .words("unit", |term| term.unit.to_owned())
        .column(Column::new("price", Quantity::Words).optional(), |term| Value::Text(unit_price(term)))
        .column(Column::new("hours", Quantity::Words).optional(), |term| {
            Value::text(term.hours.map(|hours| format!("{hours} h")))
        })
        .column(per_month(&cost.currency), |term| Value::Number(term.per_month))
        .rows(&cost.terms);
    table.rows.push(Row {
        cells: vec![
            // The sum is labelled as incomplete wherever it is shown; a bare number gets copied.
            Value::Text(
                if cost.is_complete() { "total" } else { "total, without the missing prices" }.to_owned(),
            ),
            Value::Absent,
            Value::Absent,
            Value::Absent,
            Value::Absent,
            Value::Number(cost.per_month),
        ],
        is_total: true,
    });
    let rates = cost.rates.iter().map(|rate| {
        format!(" 1 {} is {} {} ({}).", rate.from, short_price(rate.per_unit), rate.to, rate.source)
    });
    let missing = if cost.is_complete() {
        String::new()
    } else {
        format!(" Missing: {}.", words::missing_prices(&cost.missing).join(", "))
    };
    let notes: String =
        cost.notes.iter().map(|note| format!(" {}.", capital(&words::cost_note(note)))).collect();
    Section {
        id: "cost",
        heading: "Cost",
        note: Some(format!(
            "List prices in {} for a month of {} hours.{}{missing}{notes} The source of each price is in --html and --json.",
            cost.currency,
            cost.hours_per_month,
            rates.collect::<String>()
        )),
        blocks: vec![Block::Table(table)],
    }
}

/// A price with the digits that it has.
fn short_price(price: f64) -> String {
    // Eight decimals hold the smallest unit prices, such as those for an IOPS and hour.
    let text = format!("{price:.8}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn sources(explanation: &Explanation) -> Section {
    let elements = explanation.chain.elements.iter();
    let prices = explanation.cost.terms.iter().map(|term| (format!("price of {}", term.what), &term.source));
    let table = TableOf::<(String, &String)>::new("Sources and their dates")
        .words("what", |(what, _)| what.clone())
        .words("source", |(_, source)| (*source).clone())
        .rows(elements.map(|element| (element.name.clone(), &element.source)).chain(prices));
    let blocks = vec![Block::Table(Table { at_a_glance: false, ..table })];
    Section { id: "sources", heading: "Sources", note: None, blocks }
}
