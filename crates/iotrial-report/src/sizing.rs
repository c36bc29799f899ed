//! The document of an answer to a demand: providers side by side, the cheapest in detail, and the cost curve.

use iotrial_analysis::words::capital;
use iotrial_model::demand::{Demand, LaidOutPool, LatencyClass, Mirror};
use iotrial_model::record::Severity;
use iotrial_model::words::counted;
use iotrial_sizing::catalog::Term;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::measure::{Measure, grouped};
use iotrial_sizing::requirement::Share;
use iotrial_sizing::search::{CountPoint, CurvePoint, Found};
use iotrial_sizing::sizing::Sizing;
use iotrial_words::sizing as words;

use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::counted::{counted_in_words, not_counted};
use crate::document::{Answer, Block, Document, FindingLine, Front, PointList, Section};
use crate::explanation::{asked, cost_section, headroom, limit_sections, rule_warning, sources};
use crate::finding_line::About;
use crate::pools::{not_included, per_month, pools_section};
use crate::quantity::Quantity;
use crate::table::{Column, Table, TableOf, Value};
use crate::year_plan::year_plans;

impl Document {
    /// The document of an answer; `byline` says when it was worked out, and from which catalogs.
    pub fn of_sizing(sizing: &Sizing, byline: String) -> Self {
        let answer = sizing.cheapest.map(|index| &sizing.found[index].answers[0]);
        let mut sections = vec![opening(sizing)];
        sections.extend(answer.and_then(pools_section));
        sections.push(side_by_side(sizing));
        sections.extend(by_count(sizing));
        sections.extend(year_plans(sizing));
        sections.push(curve(sizing));
        if let Some(answer) = answer {
            sections.extend(answer.fit.as_ref().map(|fit| asked("takes", fit)));
            sections.extend(limit_sections(answer));
            sections.push(cost_section(&answer.cost));
            sections.push(sources(answer));
            sections.extend(others(sizing));
        }
        sections.extend(left_out(sizing));
        Self {
            title: format!("What to buy for {}", sizing.demand.title),
            byline,
            in_brief: in_brief(sizing),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn in_brief(sizing: &Sizing) -> Vec<(&'static str, String)> {
    let demand = &sizing.demand;
    let stream = |stream: &iotrial_model::demand::DemandStream| {
        let role = stream.role.map_or_else(String::new, |role| format!("{role} "));
        let direction = match stream.direction {
            iotrial_model::load::Direction::Read => "reads",
            iotrial_model::load::Direction::Write => "writes",
        };
        format!(
            "{role}{direction} {} of {} KiB ({})",
            words::amount(Measure::Iops, stream.iops),
            grouped(stream.block_size_bytes / 1024.0),
            words::amount(Measure::Bandwidth, stream.bandwidth())
        )
    };
    let mut lines = vec![("Demand", demand.streams.iter().map(stream).collect::<Vec<_>>().join("; "))];
    if !demand.pools.is_empty() {
        let layout = demand.layout();
        let pool = |one: &LaidOutPool| pool_words(demand, one);
        lines.push(("Pools", layout.iter().map(pool).collect::<Vec<_>>().join("; ")));
    }
    let mut wants = Vec::new();
    if demand.capacity_gib() > 0.0 {
        let today = Demand { years: 0, mirror: Mirror::None, ..demand.clone() }.capacity_gib();
        let grown = demand.capacity_gib();
        wants.push(if grown > today {
            let grown = grouped(grown);
            format!("{} GiB today, {grown} GiB with growth and copies", grouped(today))
        } else if demand.pools.is_empty() {
            format!("{} of capacity", demand.capacity)
        } else {
            format!("{} GiB in all", grouped(today))
        });
    }
    if demand.load_growth() > 1.0 {
        wants.push(format!("rates × {:.2} after {} years", demand.load_growth(), demand.years));
    }
    if demand.vcpus_min > 0 {
        wants.push(format!("at least {} vCPUs", demand.vcpus_min));
    }
    if demand.memory_min.get() > 0 {
        wants.push(format!("at least {} of memory", demand.memory_min));
    }
    wants.push(
        demand.latency.map_or_else(|| "any latency".to_owned(), |latency| format!("latency {latency}")),
    );
    let licence = if demand.licence || demand.os == iotrial_model::demand::Os::Linux {
        ""
    } else {
        " with your own licence"
    };
    wants.push(format!("{}{licence}", capital(demand.os.as_str())));
    if demand.clustered {
        wants.push("clustered".to_owned());
    }
    if demand.mirror.copies() > 1 {
        wants.push(format!("{} mirror", demand.mirror));
    }
    if demand.replicas > 0 {
        wants.push(format!("writes to {}", counted(demand.replicas.into(), "other machine")));
    }
    if demand.allow_burst {
        wants.push("including bursts".to_owned());
    }
    lines.push(("Other", wants.join(", ")));
    lines.extend(counted_in_words(&sizing.counted).map(|words| ("Counted", words)));
    lines.extend(demand.source.clone().map(|source| ("From", source)));
    lines
}

/// What a pool must have: `log: 200 GiB, sub-ms`.
fn pool_words(demand: &Demand, laid_out: &LaidOutPool) -> String {
    let pool = &laid_out.pool;
    let mut words = Vec::new();
    if pool.capacity.get() > 0 {
        words.push(pool.capacity.to_string());
    }
    words.extend(pool.latency.map(|latency| latency.to_string()));
    if !pool.durable {
        words.push("may be on the machine's own disk".to_owned());
    }
    if pool.cache_hit_percent > 0.0 {
        words.push(format!("a cache would serve {} % of the reads", pool.cache_hit_percent));
    }
    if !pool.volumes.is_empty() {
        words.push(pool.volumes.join(" or "));
    }
    // Roles without I/O need no mention.
    let has_io = |role: &&iotrial_model::load::Role| {
        demand.streams.iter().any(|stream| stream.role.unwrap_or(iotrial_model::load::Role::Data) == **role)
    };
    let roles: Vec<&str> = pool.roles.iter().filter(has_io).map(|role| role.as_str()).collect();
    let name = match (roles.is_empty(), laid_out.is_rest) {
        (false, _) => roles.join(", "),
        (true, true) => "the rest".to_owned(),
        (true, false) => pool.name(),
    };
    if words.is_empty() { name } else { format!("{name}: {}", words.join(", ")) }
}

fn opening(sizing: &Sizing) -> Section {
    let notes = &sizing.demand.notes;
    let list = PointList { heading: "How the demand was worked out", points: notes.clone() };
    let has_answers = sizing.found.iter().any(|found| !found.answers.is_empty());
    let is_good = match sizing.cheapest {
        Some(_) if sizing.answer.is_full() => None,
        Some(_) => Some(true),
        // There is something to buy, but no complete price; or nothing was searched.
        None if has_answers || sizing.found.is_empty() => None,
        None => Some(false),
    };
    Section {
        id: "answer",
        heading: "",
        note: None,
        blocks: std::iter::once(Block::Answer(Answer {
            is_good,
            headline: words::headline(&sizing.answer, &sizing.currency),
            sentence: words::sentence(&sizing.answer, &sizing.currency),
            points: words::points(sizing),
            lists: if notes.is_empty() { Vec::new() } else { vec![list] },
        }))
        .chain(sizing.cheapest.and_then(|index| warnings(&sizing.found[index])))
        .collect(),
    }
}

/// What rules warn of in the best answer of a provider.
fn warnings(found: &Found) -> Option<Block> {
    let rules = &found.answers.first()?.broken_rules;
    let lines: Vec<FindingLine> = rules.iter().map(|rule| rule_warning(rule, &found.shown)).collect();
    (!lines.is_empty()).then_some(Block::Findings(lines))
}

/// A pool of an answer, which is a row; the first one also has the machine and the sum.
struct AnswerPool<'s> {
    name: &'s str,
    answer: &'s Explanation,
    index: usize,
}

impl<'s> AnswerPool<'s> {
    fn all(name: &'s str, answer: &'s Explanation) -> impl Iterator<Item = Self> {
        (0..answer.configuration.pools.len()).map(move |index| Self { name, answer, index })
    }

    fn fullest(&self) -> Option<&'s Share> {
        match self.answer.pools.get(self.index) {
            // The most used of its own limits and the shared ones.
            Some(report) => {
                let both = report.fullest.iter().chain(&report.fullest_shared);
                both.max_by(|a, b| a.percent.total_cmp(&b.percent))
            }
            None => self.answer.fit.as_ref().and_then(|fit| fit.shares.first()),
        }
    }

    fn latency(&self) -> String {
        let latency = self.answer.pools.get(self.index).map_or(self.answer.latency, |report| report.latency);
        latency.map_or("unknown", LatencyClass::as_str).to_owned()
    }

    fn machine(&self) -> String {
        format!("{}{}", self.answer.configuration.machine, if self.answer.arm { " (ARM)" } else { "" })
    }

    fn pool(&self) -> String {
        if self.answer.pools.is_empty() {
            String::new()
        } else {
            self.answer.configuration.pool_name(self.index)
        }
    }
}

/// Configurations in rows, without the columns that say nothing.
fn table<'s>(
    caption: String,
    name: &'static str,
    currency: &str,
    rows: impl Iterator<Item = AnswerPool<'s>>,
) -> Option<Block> {
    let first =
        |row: &AnswerPool<'_>, value: Value| if row.index == 0 { value } else { Value::Text(String::new()) };
    let network = Column::new("Gbit/s", Quantity::Count).under("network").optional();
    let mut table = TableOf::<AnswerPool<'s>>::new(caption)
        .column(Column::new(name, Quantity::Words), |row| first(row, Value::Text(row.name.to_owned())))
        .column(Column::new("machine", Quantity::Words), |row| first(row, Value::Text(row.machine())))
        .column(Column::new("vCPU", Quantity::Count).optional(), |row| {
            first(row, Value::Count(row.answer.vcpus.into()))
        })
        .column(Column::new("GiB", Quantity::Count).under("RAM").optional(), |row| {
            first(row, Value::Number(row.answer.memory_gib))
        })
        .column(network, |row| first(row, Value::number(row.answer.network_gbit_per_s)))
        .words("pool", AnswerPool::pool)
        .words("volumes", |row| row.answer.configuration.pools[row.index].label())
        .column(Column::new("latency", Quantity::Words).optional(), |row| Value::Text(row.latency()))
        .column(per_month(currency), |row| first(row, Value::Number(row.answer.cost.per_month)))
        .column(not_included(), |row| {
            first(row, Value::Text(words::missing_prices(&row.answer.cost.missing).join(", ")))
        })
        .column(Column::new("headroom", Quantity::ChangePercent), |row| {
            row.fullest().map_or_else(|| Value::number(None), |share| headroom(share.percent))
        })
        .column(Column::new("limited by", Quantity::Words).optional(), |row| {
            // One column for both, so that a page of 1,280 pixels shows the table whole.
            Value::text(row.fullest().map(|share| format!("{} of {}", share.measure.as_str(), share.element)))
        })
        .rows(rows);
    table.drop_empty_columns();
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn side_by_side(sizing: &Sizing) -> Section {
    // One of each, the cheapest first, so that a screen shows all providers; the others of each follow in a table of their own.
    let mut best: Vec<(&Found, &Explanation)> =
        sizing.found.iter().filter_map(|found| Some((found, found.answers.first()?))).collect();
    best.sort_by(|(_, a), (_, b)| a.cost.per_month.total_cmp(&b.cost.per_month));
    let best = best.into_iter().flat_map(|(found, answer)| AnswerPool::all(&found.shown, answer));
    let others = sizing.found.iter().flat_map(|found| {
        found.answers.iter().skip(1).flat_map(|answer| AnswerPool::all(&found.shown, answer))
    });
    let against = sizing
        .against
        .iter()
        .flat_map(|one| AnswerPool::all(&one.explanation.configuration.title, &one.explanation));
    let month =
        sizing.found.iter().flat_map(|found| &found.answers).map(|one| one.cost.hours_per_month).next();
    let caption = format!("The cheapest of each provider, {} a month", sizing.currency);
    let mut blocks: Vec<Block> = table(caption, "provider", &sizing.currency, best).into_iter().collect();
    let others = table("The next of each provider".to_owned(), "provider", &sizing.currency, others);
    blocks.extend(others.map(|mut block| {
        if let Block::Table(table) = &mut block {
            table.at_a_glance = false;
        }
        block
    }));
    // The warnings of the answer itself are shown with it.
    let warnings =
        sizing.found.iter().enumerate().filter(|(index, _)| Some(*index) != sizing.cheapest).flat_map(
            |(_, found)| {
                let rules = found.answers.first().into_iter().flat_map(|answer| &answer.broken_rules);
                rules.map(|rule| rule_warning(rule, &found.shown))
            },
        );
    let warnings: Vec<FindingLine> = warnings.collect();
    if !warnings.is_empty() {
        blocks.push(Block::Findings(warnings));
    }
    let findings: Vec<FindingLine> = words::findings(sizing).iter().map(FindingLine::brief).collect();
    if !findings.is_empty() {
        blocks.push(Block::Findings(findings));
    }
    blocks.extend(table("Compared with the answer".to_owned(), "against", &sizing.currency, against));
    Section {
        id: "providers",
        heading: if month.is_some() { "Side by side" } else { "What limits each provider" },
        note: month.map(|hours| {
            format!(
                "{} “Headroom” is how much more I/O its tightest limit would take. List prices in {} for a month of {hours} hours, {}{}; {}.",
                which_are_shown(sizing),
                sizing.currency,
                if sizing.counted.term == Term::OnDemand {
                    "pay as you go"
                } else {
                    "committed prices if the catalog has them"
                },
                regions(sizing),
                not_counted(&sizing.counted),
            )
        }),
        blocks,
    }
}

/// Which configurations are rows of the table of providers.
fn which_are_shown(sizing: &Sizing) -> String {
    let most = sizing.found.iter().map(|found| found.answers.len()).max().unwrap_or(0);
    let cheapest = if most == 1 {
        "The cheapest of each provider is".to_owned()
    } else {
        format!("The {most} cheapest of each provider are")
    };
    let choice = if sizing.demand.layout().len() > 1 {
        "For each machine and choice of kinds of volume"
    } else {
        "For each machine, kind of volume and level"
    };
    let rule = if sizing.tolerance > 0.0 {
        // In hundredths of a per cent, since 0.07 × 100 is not 7 in binary.
        let percent = (sizing.tolerance * 1e4).round() / 1e2;
        format!(
            "the smallest number of volumes whose cost is at most {percent} % above that of the cheapest number"
        )
    } else {
        "the cheapest number of volumes".to_owned()
    };
    format!("{cheapest} shown (--top). {choice}, this is {rule} (--tolerance).")
}

/// What the answer would cost with fewer and more volumes of its kind: many small ones use what each includes for free.
fn by_count(sizing: &Sizing) -> Option<Section> {
    let found = &sizing.found[sizing.cheapest?];
    let (answer, points) = (found.answers.first()?, &found.by_count);
    if points.len() < 2 {
        return None;
    }
    let answer_cost = answer.cost.per_month;
    let is_answer = |point: &CountPoint| point.volumes == answer.volumes;
    let change = |point: &CountPoint| 100.0 * (point.per_month / answer_cost - 1.0);
    let mark = |point: &CountPoint| if is_answer(point) { " (recommended)" } else { "" };
    let left_out = if points.len() < CountPoint::MOST_ROWS {
        String::new()
    } else {
        format!(" At most {} are shown; those that save the least are left out.", CountPoint::MOST_ROWS)
    };
    let table =
        TableOf::<&CountPoint>::new(format!("Cost by the number of volumes, {} a month", sizing.currency))
            .column(Column::new("volumes", Quantity::Count), |point| Value::Count(point.volumes.into()))
            .column(per_month(&sizing.currency), |point| Value::Number(point.per_month))
            .column(Column::new("change", Quantity::ChangePercent), |point| {
                Value::number((!is_answer(point)).then(|| change(point)))
            })
            .words("configuration", |point| format!("{}{}", point.configuration.in_short(), mark(point)))
            .rows(points);
    Some(Section {
        id: "by-count",
        heading: "How many volumes",
        note: Some(format!(
            "What other numbers of volumes of {} would cost: each number that is cheaper than all smaller ones, and the recommended one, with its cheapest configuration.{left_out} More volumes are more work to look after.",
            if answer.pools.is_empty() { "this kind and level" } else { "these kinds in all pools" },
        )),
        blocks: vec![Block::Table(table)],
    })
}

/// The best of each other provider in full: how much of each limit it uses, what it costs, and the sources. Too long for a terminal.
fn others(sizing: &Sizing) -> Option<Section> {
    let best = sizing.found.iter().enumerate().filter(|(index, _)| Some(*index) != sizing.cheapest);
    let best = best.filter_map(|(_, found)| Some((found, found.answers.first()?)));
    let blocks: Vec<Block> = best
        .flat_map(|(found, answer)| {
            let of = format!("{}: {}", found.title, answer.configuration.in_short());
            let fit = answer.fit.as_ref().map(|fit| asked("takes", fit));
            let sections = fit.into_iter().chain([cost_section(&answer.cost), sources(answer)]);
            let blocks = sections.flat_map(|section| section.blocks);
            blocks
                .filter_map(move |block| match block {
                    Block::Table(table) => Some(Block::Table(Table {
                        caption: format!("{of}. {}", table.caption),
                        at_a_glance: false,
                        ..table
                    })),
                    _ => None,
                })
                .collect::<Vec<_>>()
        })
        .collect();
    (!blocks.is_empty()).then(|| Section {
        id: "others",
        heading: "The best of the other providers",
        note: Some("How much of its limits each one uses, what it costs, and the sources.".to_owned()),
        blocks,
    })
}

/// The regions that the prices are for: `, for East US (azure), us-east-1 (aws)`.
fn regions(sizing: &Sizing) -> String {
    let named: Vec<String> = sizing
        .found
        .iter()
        .filter_map(|found| Some(format!("{} ({})", found.region.as_deref()?, found.shown)))
        .collect();
    if named.is_empty() { String::new() } else { format!(", for {}", named.join(", ")) }
}

/// What higher or lower rates cost.
fn curve(sizing: &Sizing) -> Section {
    let line = |(hue, curve): (usize, &iotrial_sizing::search::CostCurve)| Line {
        name: sizing.found.get(hue).map_or_else(|| curve.provider.clone(), |found| found.title.clone()),
        hue,
        dash: Dash::Solid,
        shape: Shape::Course,
        points: curve.points.iter().map(|point| (point.times, point.per_month)).collect(),
    };
    let chart = Chart {
        id: "cost-curve".to_owned(),
        title: format!("Cost over the demand, {} a month", sizing.currency),
        x: Axis { name: "times the rates", quantity: Quantity::Ratio, scale: Scale::Linear, to: 2.0 },
        y: Axis { name: "", quantity: Quantity::Money, scale: Scale::Linear, to: 0.0 },
        lines: sizing.curves.iter().enumerate().map(line).collect(),
        spans: Vec::new(),
        limits: Vec::new(),
    };
    let shown = [0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0];
    let points = sizing.curves.iter().enumerate().flat_map(|(index, curve)| {
        let title = sizing.found.get(index).map_or(&curve.provider, |found| &found.title);
        shown.iter().filter_map(move |times| Some((title, *times, curve.at(*times)?)))
    });
    let table = TableOf::<(&String, f64, &CurvePoint)>::new("What more or less I/O would cost")
        .words("provider", |(title, ..)| (*title).clone())
        .column(Column::new("rates", Quantity::Ratio), |(_, times, _)| Value::Number(*times))
        .column(per_month(&sizing.currency), |(.., point)| Value::number(point.per_month))
        .column(Column::new("configuration", Quantity::Words), |(.., point)| {
            Value::text(point.configuration.as_ref().map(Configuration::in_short))
        })
        .rows(points);
    let table = Table { at_a_glance: false, ..table };
    Section {
        id: "curve",
        heading: "What other rates would cost",
        note: Some(
            "The same search with the rates multiplied, and with the same tolerance. Capacity and everything else stay as in the demand."
                .to_owned(),
        ),
        blocks: vec![Block::Charts(ChartGroup { charts: vec![chart] }), Block::Table(table)],
    }
}

fn left_out(sizing: &Sizing) -> Option<Section> {
    let lines: Vec<FindingLine> = sizing
        .found
        .iter()
        .flat_map(|found| {
            let about = About::Provider(&found.shown);
            found
                .left_out
                .iter()
                .map(move |note| FindingLine::about(about, Severity::Note, words::left_out(note)))
        })
        .collect();
    (!lines.is_empty()).then(|| Section {
        id: "left-out",
        heading: "Left out",
        note: None,
        blocks: vec![Block::Findings(lines)],
    })
}
