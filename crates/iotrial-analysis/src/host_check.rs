//! Whether a host is set up for a database: rules against facts.
//!
//! Rules are data ([`RuleSet`]); what was read of a host is a [`HostReport`]. A rule is judged for each part that has its fact, and
//! has one of four outcomes: as it should be, not as it should be, unknown because a fact could not be read, or it does not apply.

mod rule;
mod place;
mod want;

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, PartKind, Reading};
use iotrial_model::wanted::{Wanted, WhyUnknown};
use iotrial_words::wanted::{wanted, why_unknown};
use serde::{Serialize, Serializer};

use place::{Place, places};
use rule::{Condition, Want};
pub use rule::{ReplacedRule, Rule, RuleSet, builtin_rules};
use want::Met;

/// A database, as far as rules tell databases apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Database {
    /// Microsoft SQL Server.
    SqlServer,
    /// Oracle Database.
    Oracle,
    /// PostgreSQL.
    PostgreSql,
    /// MySQL and MariaDB.
    MySql,
}

impl Database {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SqlServer, Self::Oracle, Self::PostgreSql, Self::MySql];

    /// The word on the command line, in rules and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SqlServer => "sqlserver",
            Self::Oracle => "oracle",
            Self::PostgreSql => "postgresql",
            Self::MySql => "mysql",
        }
    }

    /// As its maker writes it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SqlServer => "SQL Server",
            Self::Oracle => "Oracle",
            Self::PostgreSql => "PostgreSQL",
            Self::MySql => "MySQL",
        }
    }

    /// The database that a profile is for, as its name says: `sqlserver-oltp`, `oracle-redo`.
    pub fn of_profile(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|database| name.starts_with(database.as_str()))
    }

    /// The database of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|database| database.as_str() == word)
    }
}

impl Serialize for Database {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How much it matters that a setting is wrong. Ordered: a later one weighs less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Data is at risk, or every measurement is void.
    Critical,
    /// A large effect, or a known failure.
    High,
    /// An effect that can be measured.
    Medium,
    /// A small effect, or one in some situations only.
    Low,
    /// Worth knowing.
    Info,
}

impl Weight {
    /// All of them, the heaviest first.
    pub const ALL: [Self; 5] = [Self::Critical, Self::High, Self::Medium, Self::Low, Self::Info];

    /// The word for people and rules.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Info => "info",
        }
    }

    /// Whether somebody should change it before a database depends on the host.
    pub const fn is_grave(self) -> bool {
        matches!(self, Self::Critical | Self::High)
    }
}

/// Settings that are not as they should be: one rule, and all parts where the same was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckFinding {
    /// Id of the rule.
    pub rule: String,
    /// The file that has the rule, where a built-in one has the same id and other content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// What is wrong, in a few words.
    pub title: String,
    /// How much it matters.
    pub severity: Weight,
    /// What kind of part it is about.
    pub kind: PartKind,
    /// The names of the parts.
    pub parts: Vec<String>,
    /// Which fact.
    pub fact: FactId,
    /// What was read.
    pub value: FactValue,
    /// The same, with its unit.
    pub found: String,
    /// Where it was read, part by part.
    pub from: Vec<String>,
    /// What it should be.
    #[serde(serialize_with = "said_wanted")]
    pub wanted: Wanted,
    /// What follows if it stays as it is.
    pub why: String,
    /// Commands or steps to change it, each once. iotrial carries none of them out.
    pub change: Vec<String>,
    /// Who says so.
    pub source: String,
}

pub(crate) fn said_wanted<S: Serializer>(one: &Wanted, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&wanted(one))
}

/// A setting that is as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoodSetting {
    /// Id of the rule.
    pub rule: String,
    /// The part.
    pub part: String,
    /// What was read, with its unit.
    pub found: String,
}

/// A fact that a rule needs and that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownSetting {
    /// The parts that lack it.
    pub parts: Vec<String>,
    /// What could not be read, for people.
    pub what: String,
    /// Why not.
    pub why: String,
    /// The rules that could not be judged for it; empty where a whole part of the chain is missing.
    pub rules: Vec<String>,
}

/// Whether the host is set up for the database, and all that speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckAnswer {
    /// The database that was asked for; `None` where only what holds for all of them was judged.
    #[serde(rename = "for")]
    pub database: Option<Database>,
    /// The gravest first, then in the order of the rules.
    pub findings: Vec<CheckFinding>,
    /// What could not be judged.
    pub unknown: Vec<UnknownSetting>,
    /// What is as it should be.
    pub good: Vec<GoodSetting>,
    /// How many rules say something of some databases only, and were not asked because none was named.
    pub rules_for_databases: usize,
    /// Built-in rules that were not asked, because rules of a file have their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced_rules: Vec<ReplacedRule>,
    /// The digest of all rules that were asked.
    pub rules_sha256: String,
    /// All that was read.
    pub host: HostReport,
}

impl CheckAnswer {
    /// How many findings have this weight.
    pub fn count(&self, weight: Weight) -> usize {
        self.findings.iter().filter(|finding| finding.severity == weight).count()
    }

    /// Whether a finding should be mended before a database depends on the host.
    pub fn has_grave_findings(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity.is_grave())
    }
}

/// Judges a host by rules.
pub fn judge_host(host: HostReport, rules: &RuleSet, database: Option<Database>) -> CheckAnswer {
    let mut answer = CheckAnswer {
        database,
        findings: Vec::new(),
        unknown: Vec::new(),
        good: Vec::new(),
        rules_for_databases: 0,
        replaced_rules: rules.replaced.clone(),
        rules_sha256: rules.sha256.clone(),
        host,
    };
    for chain in &answer.host.chains {
        if let Some(why) = &chain.ends {
            add_unknown(&mut answer.unknown, &chain.target, "what is below the file system", why, None);
        }
    }
    let host = answer.host.clone();
    for rule in &rules.rules {
        let Some(want) = rule.want(database) else {
            answer.rules_for_databases += usize::from(database.is_none());
            continue;
        };
        for place in places(&host, rule) {
            match judge_part(rule, want, &place) {
                Outcome::NotApplicable => {}
                Outcome::Unknown { what, why } => {
                    let why = why_unknown(&why);
                    add_unknown(&mut answer.unknown, &place.part.name, what.title(), &why, Some(&rule.id));
                }
                Outcome::Judged { fact, value, is_good } => {
                    let found = fact.id.written(&value);
                    if is_good {
                        let good =
                            GoodSetting { rule: rule.id.clone(), part: place.part.name.clone(), found };
                        if !answer.good.contains(&good) {
                            answer.good.push(good);
                        }
                    } else {
                        let limit = want.limit(&place);
                        let mut finding = finding(rule, want, &place, fact, value, found, limit);
                        finding.replaced_by = rules.replaced_by(&rule.id).map(str::to_owned);
                        add_finding(&mut answer.findings, finding);
                    }
                }
            }
        }
    }
    // A stable sort, which keeps the order of the rules among those of one weight.
    answer.findings.sort_by_key(|finding| finding.severity);
    answer
}

/// What became of a rule for one part.
enum Outcome<'h> {
    /// The part does not have the fact, or a condition does not hold.
    NotApplicable,
    /// A fact could not be read.
    Unknown { what: FactId, why: WhyUnknown },
    /// It was judged.
    Judged { fact: &'h Fact, value: FactValue, is_good: bool },
}

fn judge_part<'h>(rule: &Rule, want: &Want, place: &Place<'h>) -> Outcome<'h> {
    // Before the conditions: a part without the fact has no gap.
    let Some(fact) = place.part.fact(rule.fact) else { return Outcome::NotApplicable };
    for condition in &rule.when {
        match holds(condition, place) {
            Held::Yes => {}
            Held::No => return Outcome::NotApplicable,
            Held::Unknown(why) => {
                return Outcome::Unknown { what: condition.fact, why };
            }
        }
    }
    let value = match &fact.reading {
        Reading::Known(value) => value.clone(),
        Reading::Unknown(why) => {
            return Outcome::Unknown { what: rule.fact, why: WhyUnknown::NotRead(why.clone()) };
        }
    };
    match want.is_met(rule.fact, &value, place) {
        Met::Yes => Outcome::Judged { fact, value, is_good: true },
        Met::No => Outcome::Judged { fact, value, is_good: false },
        Met::NothingToCompare => Outcome::NotApplicable,
        Met::Unknown { what, why } => Outcome::Unknown { what, why },
    }
}

/// Whether a condition holds.
enum Held {
    Yes,
    No,
    Unknown(WhyUnknown),
}

fn holds(condition: &Condition, place: &Place<'_>) -> Held {
    let facts: Vec<&Fact> = if condition.of.is_empty() {
        place.nearest(condition.fact).into_iter().collect()
    } else {
        let parts = place.all().into_iter().filter(|part| condition.of.contains(&part.kind));
        parts.filter_map(|part| part.fact(condition.fact)).collect()
    };
    let mut unknown = None;
    // One part that meets it is enough: a host has a share if one of its chains has.
    for fact in facts {
        match &fact.reading {
            Reading::Unknown(why) => unknown = Some(WhyUnknown::NotRead(why.clone())),
            Reading::Known(value) => match condition.want.is_met(condition.fact, value, place) {
                Met::Yes => return Held::Yes,
                Met::No | Met::NothingToCompare => {}
                Met::Unknown { why, .. } => unknown = Some(why),
            },
        }
    }
    unknown.map_or(Held::No, Held::Unknown)
}

fn finding(
    rule: &Rule,
    want: &Want,
    place: &Place<'_>,
    fact: &Fact,
    value: FactValue,
    found: String,
    limit: String,
) -> CheckFinding {
    let name = &place.part.name;
    let change = rule.change.as_ref().map(|text| {
        let one = want.one_of.as_ref().and_then(|words| words.first()).map_or("", String::as_str);
        text.replace("{name}", &quoted(name))
            .replace("{from}", &quoted(&fact.from))
            .replace("{limit}", &limit)
            .replace("{want}", one)
    });
    CheckFinding {
        rule: rule.id.clone(),
        replaced_by: None,
        title: rule.title.clone(),
        severity: want.severity.unwrap_or(rule.severity),
        kind: place.part.kind,
        parts: vec![name.clone()],
        fact: rule.fact,
        value,
        found,
        from: vec![fact.from.clone()],
        wanted: want.wanted(rule.fact, place),
        why: rule.why.clone(),
        change: change.into_iter().collect(),
        source: rule.source.clone(),
    }
}

/// A name as a shell takes it as one word. Mount points and volumes have names that somebody chose, and the command is to be copied.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._:@%+-,*".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Parts where the same was found are one finding: sixteen paths with a queue of 32 have one cause.
fn add_finding(findings: &mut Vec<CheckFinding>, finding: CheckFinding) {
    let same = findings.iter_mut().find(|one| {
        one.rule == finding.rule
            && one.kind == finding.kind
            && one.found == finding.found
            && one.wanted == finding.wanted
    });
    match same {
        Some(one) => {
            let CheckFinding { parts, from, change, .. } = finding;
            one.parts.extend(parts);
            add_new(&mut one.from, from);
            // What is said behind the first command holds for all of them.
            let bare = |step: String| step.split("   # ").next().unwrap_or_default().to_owned();
            let told: Vec<String> = one.change.iter().cloned().map(bare).collect();
            one.change.extend(change.into_iter().map(bare).filter(|step| !told.contains(step)));
        }
        None => findings.push(finding),
    }
}

fn add_new(all: &mut Vec<String>, more: Vec<String>) {
    let new: Vec<String> = more.into_iter().filter(|one| !all.contains(one)).collect();
    all.extend(new);
}

fn add_unknown(unknown: &mut Vec<UnknownSetting>, part: &str, what: &str, why: &str, rule: Option<&str>) {
    let at = unknown.iter().position(|one| one.what == what && one.why == why).unwrap_or_else(|| {
        unknown.push(UnknownSetting {
            parts: Vec::new(),
            what: what.to_owned(),
            why: why.to_owned(),
            rules: Vec::new(),
        });
        unknown.len() - 1
    });
    let one = &mut unknown[at];
    if !one.parts.iter().any(|name| name == part) {
        one.parts.push(part.to_owned());
    }
    if let Some(rule) = rule
        && !one.rules.iter().any(|id| id == rule)
    {
        one.rules.push(rule.to_owned());
    }
}

#[cfg(test)]
mod tests;
