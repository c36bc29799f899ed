//! What was measured: one block that says where, under what load, when and by what, so that a page can stand alone.

use iotrial_analysis::comparison::{
    Circumstances, Contender, HostFacts, LoadMatrix, LoadRow, Outcome, TargetFacts,
};
use iotrial_analysis::verdict::Category;
use iotrial_model::given_target::with_roles;
use iotrial_words::circumstances as words;

use super::MOST_ROWS_AT_A_GLANCE;
use super::side::{Side, marked_key};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::result::start_of;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;
use iotrial_words::numbers::seconds_in_words;

const SIMULATED: &str = "simulated: no storage was measured";
/// More of a kind than this are counted.
const MOST_NAMED: usize = 4;
/// Words from other people's files are cut to this many characters.
const LONGEST: usize = 160;
/// More configurations than this are counted.
const MOST_KEYS: usize = 8;

/// Each load in words, with the outcome of each configuration; `None` where neither is known.
pub(super) fn loads_table(matrix: &LoadMatrix) -> Option<Table> {
    let shown: Vec<&Contender> = matrix.configurations.iter().take(MOST_KEYS).collect();
    let has_outcomes = matrix.loads.iter().any(|row| !row.outcomes.is_empty());
    let row = |load: &LoadRow| {
        let words = listed(&load.in_brief, words::load);
        let mut cells = vec![Value::Text(load.load.clone()), Value::text(words)];
        let outcome = |one: &&Contender| {
            let outcomes = load.outcomes.get(&one.key)?;
            let count = outcomes.iter().map(|outcome| outcome.run_count).sum();
            listed(outcomes, |outcome| outcome_in_words(outcome, count))
        };
        if has_outcomes {
            cells.extend(shown.iter().map(|one| Value::text(outcome(one))));
        }
        Row { cells, is_total: false }
    };
    let is_told = has_outcomes || matrix.loads.iter().any(|row| !row.in_brief.is_empty());
    let mut columns = vec![Column::new("load", Quantity::Words), Column::new("description", Quantity::Words)];
    if has_outcomes {
        let outcome = |one: &&Contender| {
            Column::new(marked_key(&one.key, one.is_contradictory), Quantity::Words).under("outcome of")
        };
        columns.extend(shown.iter().map(outcome));
    }
    is_told.then(|| Table {
        caption: "Loads, and the outcome under each".to_owned(),
        columns,
        rows: matrix.loads.iter().map(row).collect(),
        at_a_glance: matrix.loads.len() <= MOST_ROWS_AT_A_GLANCE,
    })
}

/// Each circumstance once if all that are compared agree on it, and otherwise once for each group that does; then each load where there
/// are several.
pub(crate) fn section<'c, T>(all: &'c [T], loads: Option<Table>) -> Option<Section>
where
    Side<'c>: From<&'c T>,
{
    let configurations: Vec<Side<'_>> = all.iter().map(Side::from).collect();
    let mut rows = Vec::new();
    let of_loads = loads.is_some();
    for (name, words) in KINDS.into_iter().filter(|(name, _)| !of_loads || *name != "load") {
        let told = told(&configurations, words);
        if told.is_empty() {
            continue;
        }
        rows.extend(told.iter().map(|(words, all)| {
            // How long is said of each of them, and not of all together.
            let is_of_each =
                name == MEASURED && all.len() > 1 && all.iter().all(|one| one.measured_s.is_some());
            let each = if is_of_each { " each" } else { "" };
            Row {
                cells: vec![
                    Value::Text(name.to_owned()),
                    Value::Text(of(&configurations, all)),
                    Value::Text(format!("{words}{each}")),
                ],
                is_total: false,
            }
        }));
    }
    let table = (!rows.is_empty()).then(|| Table {
        caption: "What was measured".to_owned(),
        columns: vec![
            Column::new("what", Quantity::Words),
            Column::new("key", Quantity::Words),
            Column::new("value", Quantity::Words),
        ],
        rows,
        at_a_glance: true,
    });
    let blocks: Vec<Block> = table.into_iter().chain(loads).map(Block::Table).collect();
    (!blocks.is_empty()).then_some(Section {
        id: "measured",
        heading: "What was measured",
        note: None,
        blocks,
    })
}

const NOT_STATED: &str = "not stated";

/// What is said of each, in the order of the configurations, with those that it is said of; nothing where it is stated of none.
fn told<'s, 'c>(all: &'s [Side<'c>], words: Words) -> Vec<(String, Vec<&'s Side<'c>>)> {
    let mut told: Vec<(String, Vec<&Side<'_>>)> = Vec::new();
    for one in all {
        let words = words(one).unwrap_or_else(|| NOT_STATED.to_owned());
        match told.iter_mut().find(|(known, _)| *known == words) {
            Some((_, all)) => all.push(one),
            None => told.push((words, vec![one])),
        }
    }
    if told.iter().all(|(words, _)| words == NOT_STATED) { Vec::new() } else { told }
}

/// Hosts and targets in a line each.
pub(super) fn in_brief<'c, T>(all: &'c [T]) -> Vec<(&'static str, String)>
where
    Side<'c>: From<&'c T>,
{
    let configurations: Vec<Side<'_>> = all.iter().map(Side::from).collect();
    let line = |(name, kind): (&'static str, &str)| {
        let (_, words) = KINDS.iter().find(|(known, _)| *known == kind)?;
        let told = told(&configurations, *words);
        let said: Vec<String> = match told.as_slice() {
            [(words, _)] => vec![words.clone()],
            several => {
                several.iter().map(|(words, all)| format!("{}: {words}", of(&configurations, all))).collect()
            }
        };
        (!said.is_empty()).then(|| (name, said.join("; ")))
    };
    [("Host", "host"), ("Target", "target")].into_iter().filter_map(line).collect()
}

type Words = fn(&Side<'_>) -> Option<String>;
/// What is shown about a configuration, in the order of the table; `None` if it is not known.
type Kind = (&'static str, Words);

const KINDS: [Kind; 9] = [
    ("outcome", |one| listed(one.outcomes, |outcome| outcome_in_words(outcome, one.run_count))),
    ("device", |one| one.circumstances.is_simulated.then(|| SIMULATED.to_owned())),
    ("host", |one| listed(&one.circumstances.hosts, host_in_words)),
    ("target", |one| listed(&one.circumstances.targets, target_in_words)),
    ("load", |one| listed(&one.circumstances.loads, words::load)),
    ("engine", |one| listed(&one.circumstances.engines, words::engine)),
    (MEASURED, measured_in_words),
    ("tool", |one| tools_in_words(one.circumstances)),
    ("source", |one| sources(one.circumstances)),
];

const MEASURED: &str = "measured";

/// Which configurations a row is about.
fn of(configurations: &[Side<'_>], all: &[&Side<'_>]) -> String {
    if all.len() == configurations.len() {
        return "all".to_owned();
    }
    let keys: Vec<&str> = all.iter().take(MOST_KEYS).map(|one| one.key.as_str()).collect();
    let more = all.len() - keys.len();
    if more == 0 { keys.join(" ") } else { format!("{} and {more} more", keys.join(" ")) }
}

/// Host, target, engine, time and tool of a sweep, as far as they are known, each with its name.
pub(crate) fn in_words(circumstances: &Circumstances) -> Vec<(&'static str, String)> {
    let Circumstances { is_simulated, hosts, targets, engines, measured_at, .. } = circumstances;
    let words = [
        ("device", is_simulated.then(|| SIMULATED.to_owned())),
        ("host", listed(hosts, host_in_words)),
        ("target", listed(targets, target_in_words)),
        ("engine", listed(engines, words::engine)),
        (MEASURED, when(measured_at)),
        ("tool", tools_in_words(circumstances)),
        ("source", sources(circumstances)),
    ];
    words.into_iter().filter_map(|(name, words)| Some((name, words?))).collect()
}

fn listed<T>(all: &[T], in_words: impl Fn(&T) -> String) -> Option<String> {
    let mut words: Vec<String> =
        all.iter().take(MOST_NAMED).map(|one| cut(&in_words(one), LONGEST)).collect();
    if all.len() > MOST_NAMED {
        words.push(format!("and {} more", all.len() - MOST_NAMED));
    }
    (!words.is_empty()).then(|| words.join("; "))
}

fn host_in_words(host: &HostFacts) -> String {
    let parts = [
        Some(host.name.clone()),
        Some(host.os.clone()),
        host.virtualization.clone(),
        host.cpu_count.map(|count| format!("{count} CPU{}", if count == 1 { "" } else { "s" })),
        host.memory.map(|memory| format!("{memory} memory")),
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn target_in_words(target: &TargetFacts) -> String {
    let named = with_roles(&target.roles, &target.path);
    match (&target.filesystem, &target.device) {
        (Some(filesystem), Some(on)) => format!("{named} ({filesystem} on {on})"),
        (Some(only), None) | (None, Some(only)) => format!("{named} ({only})"),
        (None, None) => named,
    }
}

/// What measured; of printed figures nobody knows, and their source is told instead.
fn tools_in_words(circumstances: &Circumstances) -> Option<String> {
    if circumstances.printed_in().is_empty() { listed(&circumstances.tools, words::tool) } else { None }
}

fn sources(circumstances: &Circumstances) -> Option<String> {
    listed(&circumstances.printed_in(), |name| (*name).to_owned())
}

/// From the first to the last.
fn when(measured_at: &[String]) -> Option<String> {
    // Times of one form sort as text.
    let (first, last) = (start_of(measured_at.iter().min()?), start_of(measured_at.iter().max()?));
    Some(if first == last { first } else { format!("{first} to {last}") })
}

/// When, how often and how long.
fn measured_in_words(one: &Side<'_>) -> Option<String> {
    let when = when(&one.circumstances.measured_at);
    let count = one.run_count;
    let runs = one.measured_s.map(|seconds| match count {
        1 => seconds_in_words(seconds),
        count => format!("{count} runs, {} in total", seconds_in_words(seconds)),
    });
    let parts: Vec<String> = [when, runs].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn outcome_in_words(outcome: &Outcome, run_count: usize) -> String {
    // What is inconclusive is in no category yet.
    let rated = if outcome.is_inconclusive() { "would be rated" } else { "rated" };
    let category = outcome.category.map(Category::as_str);
    let category = category.map(|word| format!(", {rated} {word}")).unwrap_or_default();
    let count = outcome.run_count;
    let runs = if count == run_count { String::new() } else { format!(", {count} of {run_count} runs") };
    format!("{}{category} by `{}`{runs}", outcome.word, outcome.thresholds)
}
