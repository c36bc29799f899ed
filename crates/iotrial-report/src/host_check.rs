//! The document of the check of a host: what is below each target, what is not as it should be, and what is not known.

use iotrial_analysis::host_check::{
    CheckAnswer, CheckFinding, GoodSetting, Rule, RuleSet, UnknownSetting, Weight,
};
use iotrial_model::host_fact::{Fact as HostFact, FactId, FactValue, Part, PartKind, Reading, TargetChain};
use iotrial_model::words::counted;
use iotrial_words::wanted::wanted;

use crate::document::{Answer, Block, Document, FindingLine, Front, Section};
use crate::finding_line::CHANGE;
use crate::quantity::Quantity;
use crate::table::{Column, Fact, Row, Table, Value};

impl Document {
    /// Whether a host is set up for a database.
    pub fn of_host_check(answer: &CheckAnswer) -> Self {
        let mut sections = vec![section("answer", "", Block::Answer(summary(answer)))];
        for chain in &answer.host.chains {
            if !chain.parts.is_empty() {
                let note = (answer.host.chains.len() > 1).then(|| chain.target.clone());
                let mut one = section("chain", "Storage stack", Block::Table(chain_table(chain)));
                one.note = note;
                sections.push(one);
            }
        }
        if !answer.findings.is_empty() {
            let lines = answer.findings.iter().map(line).collect();
            sections.push(section("findings", "Findings", Block::Findings(lines)));
        }
        if !answer.unknown.is_empty() {
            let mut one = section("unknown", "Not known", Block::Table(unknown_table(&answer.unknown)));
            one.note = Some("These settings could not be read, so they are not judged.".to_owned());
            sections.push(one);
        }
        if !answer.good.is_empty() {
            sections.push(section("good", "As it should be", Block::Table(good_table(answer))));
        }
        sections.push(section("facts", "Everything that was read", Block::Table(facts_table(answer))));
        Self {
            title: match answer.database {
                Some(database) => format!("Is this host set up for {}?", database.title()),
                None => "Is this host set up for a database?".to_owned(),
            },
            byline: byline(answer),
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }

    /// The rules that a host is checked by.
    pub fn of_host_rules(rules: &RuleSet) -> Self {
        let row = |rule: &Rule| {
            let databases: Vec<&str> = rule.databases().iter().map(|one| one.as_str()).collect();
            let of: Vec<&str> = rule.of.iter().map(|kind| kind.as_str()).collect();
            let replaced_by = rules.replaced_by(&rule.id);
            words_row([
                replaced_by.map_or_else(|| rule.id.clone(), |file| not_built_in(&rule.id, file)),
                rule.severity.as_str().to_owned(),
                of.join(", "),
                if databases.is_empty() { "all".to_owned() } else { databases.join(", ") },
                rule.title.clone(),
            ])
        };
        let reason = |rule: &Rule| {
            let change = rule.change.clone().unwrap_or_default();
            words_row([rule.id.clone(), rule.why.clone(), change, rule.source.clone()])
        };
        let list = Table {
            caption: "What a host is checked for".to_owned(),
            columns: words_columns(["rule", "severity", "of", "for", "finding"]),
            rows: rules.rules.iter().map(row).collect(),
            at_a_glance: true,
        };
        let reasons = Table {
            caption: "Why, how to change it, and the source".to_owned(),
            columns: words_columns(["rule", "why", "change", "source"]),
            rows: rules.rules.iter().map(reason).collect(),
            at_a_glance: false,
        };
        Self {
            title: format!("{} rules", rules.rules.len()),
            byline:
                "`iotrial docs check` says how to add your own; --html and --json have reasons and sources"
                    .to_owned(),
            in_brief: Vec::new(),
            sections: vec![
                section("rules", "Rules", Block::Table(list)),
                section("reasons", "Reasons and sources", Block::Table(reasons)),
            ],
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn words_columns<const N: usize>(names: [&'static str; N]) -> Vec<Column> {
    names.into_iter().map(|name| Column::new(name, Quantity::Words)).collect()
}

fn section(id: &'static str, heading: &'static str, block: Block) -> Section {
    Section { id, heading, note: None, blocks: vec![block] }
}

/// The host in one line: its name, what it is, its kernel.
fn byline(answer: &CheckAnswer) -> String {
    let host = &answer.host.host;
    let text = |id: FactId| host.value(id).map(ToString::to_string);
    let platform = match (text(FactId::Platform).as_deref(), text(FactId::Machine)) {
        (Some("physical"), machine) => machine,
        (Some(platform), Some(machine)) => Some(format!("{platform}, {machine}")),
        (Some(platform), None) => Some(platform.to_owned()),
        (None, machine) => machine,
    };
    let kernel = text(FactId::Kernel).map(|kernel| format!("Linux {kernel}"));
    // Where the machine's name does not say it, as on all clouds but one.
    let shape =
        text(FactId::Shape).filter(|shape| !platform.as_ref().is_some_and(|words| words.contains(shape)));
    let name = (!answer.host.name.is_empty()).then(|| answer.host.name.clone());
    [name, platform, shape, kernel].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn summary(answer: &CheckAnswer) -> Answer {
    let counts: Vec<String> = Weight::ALL
        .iter()
        .filter_map(|weight| match answer.count(*weight) {
            0 => None,
            count => Some(format!("{count} {}", weight.as_str())),
        })
        .collect();
    let is_good = match (answer.has_grave_findings(), answer.good.is_empty()) {
        (true, _) => Some(false),
        (false, false) if answer.unknown.is_empty() => Some(true),
        // What could not be read may be exactly what is wrong.
        (false, _) => None,
    };
    let counts = counts.join(", ");
    let headline = match (answer.findings.len(), is_good) {
        (0, Some(true)) => "Yes: nothing to change".to_owned(),
        (0, _) => "Nothing found, but not everything could be read".to_owned(),
        (_, Some(false)) => format!("Not yet: {counts}"),
        (total, Some(true)) => format!("Yes, with {}: {counts}", counted(total as u64, "smaller finding")),
        (total, None) => {
            format!(
                "Nothing critical or high was found; {}: {counts}",
                counted(total as u64, "smaller finding")
            )
        }
    };
    let good = match answer.good.len() {
        0 => "No setting could be judged as good".to_owned(),
        1 => "1 setting is as it should be".to_owned(),
        count => format!("{count} settings are as they should be"),
    };
    let unknown = match answer.unknown.len() {
        0 => "everything that the rules ask for could be read".to_owned(),
        count => {
            format!("{} could not be read, which is not the same as good", counted(count as u64, "fact"))
        }
    };
    let mut points = Vec::new();
    if answer.database.is_none() {
        points.push(format!(
            "Checked by the rules that hold for every database. Rules for a particular database are not checked ({}): use --for sqlserver, oracle, postgresql or mysql.",
            counted(answer.rules_for_databases as u64, "rule")
        ));
    }
    if !answer.replaced_rules.is_empty() {
        let rules = answer.replaced_rules.iter().map(|one| not_built_in(&one.rule, &one.by));
        points.push(format!(
            "Rules of your own are in the place of built-in ones: {}.",
            rules.collect::<Vec<_>>().join("; ")
        ));
    }
    if answer.host.chains.is_empty() {
        points.push(
            "No target was given, so only the kernel, memory and CPUs were looked at: --target PATH."
                .to_owned(),
        );
    }
    Answer { is_good, headline, sentence: format!("{good}; {unknown}."), points, lists: Vec::new() }
}

/// A chain as a tree, a row for each part.
fn chain_table(chain: &TargetChain) -> Table {
    let mut rows = Vec::new();
    let mut shown = vec![false; chain.parts.len()];
    // Roots are the parts that are below nothing else: the file system, or the given device.
    let is_carrier = |at: usize| chain.parts.iter().any(|part| part.carried_by.contains(&at));
    let roots: Vec<usize> = (0..chain.parts.len()).filter(|at| !is_carrier(*at)).collect();
    for root in roots {
        add_rows(chain, root, "", "", &mut shown, &mut rows);
    }
    if let Some(why) = &chain.ends {
        rows.push(words_row([String::from("└─ ?"), String::new(), format!("unknown: {why}")]));
    }
    Table {
        caption: format!("What is below {}", chain.target),
        columns: words_columns(["part", "name", "what it is"]),
        rows,
        at_a_glance: true,
    }
}

fn words_row<const N: usize>(cells: [String; N]) -> Row {
    Row { cells: cells.into_iter().map(Value::Text).collect(), is_total: false }
}

/// With more rows than this, the tree no longer helps.
const MOST_ROWS: usize = 200;

fn add_rows(
    chain: &TargetChain,
    at: usize,
    first: &str,
    rest: &str,
    shown: &mut [bool],
    rows: &mut Vec<Row>,
) {
    if rows.len() >= MOST_ROWS {
        return;
    }
    let part = &chain.parts[at];
    let again = std::mem::replace(&mut shown[at], true);
    let about = if again { "see above".to_owned() } else { details(part) };
    rows.push(words_row([format!("{first}{}", part.kind.title()), part.name.clone(), about]));
    // The parts below it were shown with it the first time.
    if again {
        return;
    }
    let last = part.carried_by.len().saturating_sub(1);
    for (index, below) in part.carried_by.iter().enumerate() {
        // With no-break spaces, which neither a page nor a terminal joins.
        let (branch, trunk) =
            if index == last { ("└─ ", "\u{a0}\u{a0}\u{a0}") } else { ("├─ ", "│\u{a0}\u{a0}") };
        add_rows(chain, *below, &format!("{rest}{branch}"), &format!("{rest}{trunk}"), shown, rows);
    }
}

/// The facts that help to recognise a part: the facts that explain findings are with the findings.
const TELLING: [(PartKind, &[FactId]); 9] = [
    (PartKind::Filesystem, &[FactId::AccessTimes, FactId::FreePercent]),
    (
        PartKind::Share,
        &[
            FactId::NfsVersion,
            FactId::NfsTransport,
            FactId::NfsRecovery,
            FactId::NfsReadSize,
            FactId::NfsConnections,
            FactId::NfsOpenConnections,
            FactId::DnfsPaths,
        ],
    ),
    (PartKind::Interface, &[FactId::Mtu, FactId::LowerInterface]),
    (PartKind::Volume, &[FactId::Stripes, FactId::StripeUnit]),
    (PartKind::Multipath, &[FactId::Paths, FactId::UsablePaths, FactId::PathSelector]),
    (PartKind::Array, &[FactId::RaidLevel, FactId::Members, FactId::StripeUnit]),
    (PartKind::Partition, &[FactId::Start]),
    (PartKind::Disk, &[FactId::Scheduler, FactId::QueueDepth, FactId::WriteCache]),
    (PartKind::Controller, &[FactId::PortSpeed, FactId::PcieSpeed]),
];

fn details(part: &Part) -> String {
    let telling = TELLING.iter().find(|(kind, _)| *kind == part.kind).map_or(&[][..], |(_, ids)| ids);
    let told = telling.iter().filter_map(|id| {
        let value = part.value(*id)?;
        let written = id.written(value);
        Some(match id {
            // Words that say by themselves what they are.
            FactId::AccessTimes
            | FactId::NfsTransport
            | FactId::NfsRecovery
            | FactId::RaidLevel
            | FactId::PathSelector => written,
            FactId::WriteCache | FactId::PortSpeed => written,
            FactId::FreePercent => format!("{written} free"),
            FactId::Start => format!("starts at {written}"),
            FactId::LowerInterface if *value == FactValue::text("none") => "nothing below".to_owned(),
            FactId::LowerInterface => format!("over {written}"),
            FactId::Stripes if *value == FactValue::Number(1) => "linear".to_owned(),
            FactId::Stripes | FactId::Members | FactId::Paths => format!("{written} {}", id.title()),
            FactId::UsablePaths => format!("{written} usable"),
            _ => format!("{} {written}", id.title()),
        })
    });
    let about = (!part.about.is_empty()).then(|| part.about.clone());
    about.into_iter().chain(told).collect::<Vec<_>>().join(", ")
}

fn line(finding: &CheckFinding) -> FindingLine {
    let words = |name: &str, text: String| Fact {
        name: name.to_owned(),
        quantity: Quantity::Words,
        value: Value::Text(text),
    };
    let place = if finding.kind == PartKind::Host { "this host".to_owned() } else { listed(&finding.parts) };
    let own = finding.replaced_by.as_ref().map(|file| words("rule", not_built_in(&finding.rule, file)));
    let mut evidence: Vec<Fact> = own.into_iter().collect();
    evidence.extend([
        words("found", found(finding, &place)),
        words("from", listed(&finding.from)),
        words("wanted", wanted(&finding.wanted)),
        words("why", finding.why.clone()),
    ]);
    evidence.extend(finding.change.iter().take(MOST_COMMANDS).map(|command| words(CHANGE, command.clone())));
    if let Some(more @ 1..) = finding.change.len().checked_sub(MOST_COMMANDS) {
        evidence.push(words(CHANGE, format!("# and {more} more like these; --json has all")));
    }
    evidence.push(words("source", finding.source.clone()));
    FindingLine::of_setting(&finding.rule, finding.severity, finding.title.clone(), evidence)
}

/// A rule that has the id of a built-in one, and is not that one.
fn not_built_in(rule: &str, file: &str) -> String {
    format!("{rule} of {file}, not the built-in one")
}

fn found(finding: &CheckFinding, place: &str) -> String {
    match finding.fact {
        // The system is on the disk, and not the other way round.
        FactId::HoldsSystem => format!("the running system is on {place}: {}", finding.found),
        fact => format!("{} on {place}: {}", fact.title(), finding.found),
    }
}

/// Sixteen paths have sixteen commands that differ in one name.
const MOST_COMMANDS: usize = 4;
/// The others are in JSON and in the table of facts.
const MOST_NAMES: usize = 8;

pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MOST_NAMES) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}

fn unknown_table(unknown: &[UnknownSetting]) -> Table {
    let row = |one: &UnknownSetting| {
        words_row([one.what.clone(), listed(&one.parts), one.why.clone(), listed(&one.rules)])
    };
    let mut columns: Vec<Column> = words_columns(["fact", "of", "why", "rules"]);
    let last = columns.pop().expect("there are columns").optional();
    columns.push(last);
    Table {
        caption: "What could not be read".to_owned(),
        columns,
        rows: unknown.iter().map(row).collect(),
        at_a_glance: true,
    }
}

fn good_table(answer: &CheckAnswer) -> Table {
    let row = |one: &GoodSetting| words_row([one.rule.clone(), one.part.clone(), one.found.clone()]);
    Table {
        caption: "Settings that a rule checked and found right".to_owned(),
        columns: words_columns(["rule", "part", "found"]),
        rows: answer.good.iter().map(row).collect(),
        at_a_glance: false,
    }
}

fn facts_table(answer: &CheckAnswer) -> Table {
    let mut rows = Vec::new();
    let mut add = |part: &Part| {
        for fact in &part.facts {
            let name = if part.kind == PartKind::Host { "host".to_owned() } else { part.name.clone() };
            rows.push(words_row([name, fact.id.title().to_owned(), read_value(fact), fact.from.clone()]));
        }
    };
    add(&answer.host.host);
    let mut seen: Vec<(PartKind, &str)> = Vec::new();
    for part in answer.host.chains.iter().flat_map(|chain| &chain.parts) {
        if !seen.contains(&(part.kind, part.name.as_str())) {
            seen.push((part.kind, &part.name));
            add(part);
        }
    }
    Table {
        caption: "Every fact with the file or call that it was read from".to_owned(),
        columns: words_columns(["part", "fact", "value", "read from"]),
        rows,
        at_a_glance: false,
    }
}

fn read_value(fact: &HostFact) -> String {
    match &fact.reading {
        Reading::Known(value) => fact.id.written(value),
        Reading::Unknown(why) => format!("unknown: {why}"),
    }
}
