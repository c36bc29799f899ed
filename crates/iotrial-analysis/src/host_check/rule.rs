//! A rule of the check, as a person writes it in TOML.

use iotrial_model::content::{digest_of_digests, digest_of_toml};
use iotrial_model::host_fact::{FactId, FactUnit, PartKind};
use iotrial_model::toml_reader::{Mistakes, Scalar, TableReader, nearest, read_toml};
use iotrial_model::units::ByteSize;
use serde::Serialize;

use super::{Database, Weight};

/// The value of `format` in a file of rules.
pub(crate) const RULES_FORMAT: &str = "iotrial.host-rules/1";

/// What a setting should be, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Unique; a rule of one's own with the id of a built-in one takes its place.
    pub id: String,
    /// What is wrong where it is not met, in a few words.
    pub title: String,
    /// The kinds of parts that are judged.
    pub of: Vec<PartKind>,
    /// All of them must hold.
    #[serde(skip)]
    pub(super) when: Vec<Condition>,
    /// The fact that is judged.
    pub fact: FactId,
    /// By database; the first one without is for all others.
    #[serde(skip)]
    pub(super) wants: Vec<(Option<Database>, Want)>,
    /// How much it matters, unless a database says otherwise.
    pub severity: Weight,
    /// Whether I/O is slower where it is not met, so that it is offered next to a slow result as a possible cause.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub slows: bool,
    /// What follows if it is not met.
    pub why: String,
    /// A command or a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Who says so.
    pub source: String,
}

/// When a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    /// The kinds of parts of the same chain that are asked; empty means the part itself, then those below it, then the host.
    pub(super) of: Vec<PartKind>,
    pub(super) fact: FactId,
    pub(super) want: Want,
}

/// What a value should be: all that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Want {
    pub(super) at_least: Option<i64>,
    pub(super) at_most: Option<i64>,
    pub(super) multiple_of: Option<i64>,
    pub(super) one_of: Option<Vec<String>>,
    pub(super) none_of: Option<Vec<String>>,
    pub(super) is: Option<bool>,
    pub(super) equals_fact: Option<FactId>,
    pub(super) at_least_fact: Option<FactId>,
    pub(super) less_than_fact: Option<FactId>,
    pub(super) multiple_of_fact: Option<FactId>,
    pub(super) severity: Option<Weight>,
}

impl Want {
    /// Whether only a number can meet it.
    pub(super) const fn is_about_numbers(&self) -> bool {
        self.at_least.is_some()
            || self.at_most.is_some()
            || self.multiple_of.is_some()
            || self.at_least_fact.is_some()
            || self.less_than_fact.is_some()
            || self.multiple_of_fact.is_some()
    }
}

impl Rule {
    /// What is wanted for a database; `None` where the rule says nothing about it.
    pub(super) fn want(&self, database: Option<Database>) -> Option<&Want> {
        let of = |database: Option<Database>| self.wants.iter().find(|(one, _)| *one == database);
        let own = database.and_then(|database| of(Some(database)));
        own.or_else(|| of(None)).map(|(_, want)| want)
    }

    /// The databases that it says something about; none of them means all.
    pub fn databases(&self) -> Vec<Database> {
        if self.wants.iter().any(|(database, _)| database.is_none()) {
            return Vec::new();
        }
        self.wants.iter().filter_map(|(database, _)| *database).collect()
    }
}

/// Rules in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleSet {
    /// Each with an id of its own.
    pub rules: Vec<Rule>,
    /// Built-in rules whose place other ones with their ids have taken, in the order in which they did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<ReplacedRule>,
    /// The digest of all that they say ([`iotrial_model::content`]).
    pub sha256: String,
}

/// A built-in rule that does not apply, because another one has its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplacedRule {
    /// The id of both.
    pub rule: String,
    /// The file that has the other one, as it was given.
    pub by: String,
}

const BUILTIN: [&str; 5] = [
    include_str!("../../host-rules/filesystem.toml"),
    include_str!("../../host-rules/volume.toml"),
    include_str!("../../host-rules/disk.toml"),
    include_str!("../../host-rules/host.toml"),
    include_str!("../../host-rules/load.toml"),
];

/// The rules that come with iotrial.
pub fn builtin_rules() -> RuleSet {
    let mut all = RuleSet::default();
    for text in BUILTIN {
        let more = RuleSet::parse(text).expect("a test holds that every built-in rule parses");
        all.rules.extend(more.rules);
        all.sha256 = digest_of_digests([all.sha256.as_str(), &more.sha256]);
    }
    all
}

impl RuleSet {
    /// Adds the rules of a file; one with the id of another takes its place. `file` is what the file is called.
    pub fn add(&mut self, more: Self, file: &str) {
        let builtin = builtin_rules().rules;
        for rule in more.rules {
            // A copy of a built-in one is the built-in one, wherever it stands.
            self.replaced.retain(|replaced| replaced.rule != rule.id);
            if builtin.iter().any(|one| one.id == rule.id && *one != rule) {
                self.replaced.push(ReplacedRule { rule: rule.id.clone(), by: file.to_owned() });
            }
            match self.rules.iter_mut().find(|one| one.id == rule.id) {
                Some(one) => *one = rule,
                None => self.rules.push(rule),
            }
        }
        self.sha256 = digest_of_digests([self.sha256.as_str(), &more.sha256]);
    }

    /// The file by which a built-in rule of this id was replaced; `None` of one that is as it comes with iotrial, or has an id of its own.
    pub fn replaced_by(&self, id: &str) -> Option<&str> {
        self.replaced.iter().find(|replaced| replaced.rule == id).map(|replaced| replaced.by.as_str())
    }

    /// Reads rules from their TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            let format = top.required("format", |t, key| t.word(key, &[(RULES_FORMAT, ())]));
            // For whoever reads the file; nothing is judged by it.
            let _ = top.text("title");
            let mut rules: Vec<Rule> = Vec::new();
            top.required("rule", |t, key| {
                t.tables(key, |table| {
                    let rule = read_rule(table)?;
                    if rules.iter().any(|one| one.id == rule.id) {
                        return table.refuse("id", format!("the rule `{}` exists already", rule.id));
                    }
                    rules.push(rule);
                    Some(())
                })
            });
            format?;
            Some(Self { rules, replaced: Vec::new(), sha256: digest_of_toml(text).unwrap_or_default() })
        })
    }
}

fn read_rule(table: &mut TableReader<'_>) -> Option<Rule> {
    let id = table.required("id", TableReader::text);
    let title = table.required("title", TableReader::text);
    let of = table.required("of", kinds);
    let when = table.tables("when", read_condition).unwrap_or_default();
    let fact = table.required("fact", fact_named);
    let wants = table.required("want", |t, key| {
        t.table(key, |wants| {
            let mut all = Vec::new();
            let any = fact.and_then(|fact| wants.table("any", |want| read_want(want, fact)));
            all.extend(any.map(|want| (None, want)));
            for database in Database::ALL {
                let want = fact.and_then(|fact| wants.table(database.as_str(), |want| read_want(want, fact)));
                all.extend(want.map(|want| (Some(database), want)));
            }
            if fact.is_some()
                && all.is_empty()
                && !wants.has("any")
                && !Database::ALL.iter().any(|one| wants.has(one.as_str()))
            {
                return wants.refuse("any", "`want` needs `any` or a database".to_owned());
            }
            Some(all)
        })
    });
    let severity =
        table.required("severity", |t, key| t.word(key, &Weight::ALL.map(|one| (one.as_str(), one))));
    let slows = table.boolean("slows").unwrap_or(false);
    let why = table.required("why", TableReader::text);
    let change = table.text("change");
    let source = table.required("source", TableReader::text);
    Some(Rule {
        id: id?,
        title: title?,
        of: of?,
        when,
        fact: fact?,
        wants: wants?,
        severity: severity?,
        slows,
        why: why?,
        change,
        source: source?,
    })
}

fn read_condition(table: &mut TableReader<'_>) -> Option<Condition> {
    let of = kinds(table, "of").unwrap_or_default();
    let fact = table.required("fact", fact_named);
    let want = read_want(table, fact?);
    Some(Condition { of, fact: fact?, want: want? })
}

fn kinds(table: &mut TableReader<'_>, key: &'static str) -> Option<Vec<PartKind>> {
    let words: Vec<(&str, PartKind)> = PartKind::ALL.iter().map(|kind| (kind.as_str(), *kind)).collect();
    table.words(key, &words)
}

fn fact_named(table: &mut TableReader<'_>, key: &'static str) -> Option<FactId> {
    let word = table.text(key)?;
    let fact = FactId::from_word(&word);
    if fact.is_none() {
        let near = nearest(&word, FactId::ALL.iter().map(|id| id.as_str()));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return table.refuse(key, format!("there is no fact `{word}`{hint}"));
    }
    fact
}

/// A number, or a size with its unit where the fact is one.
fn amount(table: &mut TableReader<'_>, key: &'static str, fact: FactId) -> Option<i64> {
    match table.scalar(key)? {
        // A whole number below 2^53 has no fraction to lose.
        Scalar::Number { text, .. } => match text.replace('_', "").parse() {
            Ok(number) => Some(number),
            Err(_) => table.refuse(key, format!("`{key}` must be a whole number")),
        },
        Scalar::Text(text) if fact.unit() == FactUnit::Bytes => match text.parse::<ByteSize>() {
            Ok(size) => Some(i64::try_from(size.get()).unwrap_or(i64::MAX)),
            Err(error) => table.refuse(key, format!("`{key}`: {error}")),
        },
        Scalar::Text(_) | Scalar::Boolean(_) => table.refuse(key, format!("`{key}` must be a number")),
    }
}

fn read_want(table: &mut TableReader<'_>, fact: FactId) -> Option<Want> {
    let want = Want {
        at_least: amount(table, "at_least", fact),
        at_most: amount(table, "at_most", fact),
        multiple_of: amount(table, "multiple_of", fact),
        one_of: table.texts("one_of"),
        none_of: table.texts("none_of"),
        is: table.boolean("is"),
        equals_fact: fact_named(table, "equals_fact"),
        at_least_fact: fact_named(table, "at_least_fact"),
        less_than_fact: fact_named(table, "less_than_fact"),
        multiple_of_fact: fact_named(table, "multiple_of_fact"),
        severity: table.word("severity", &Weight::ALL.map(|one| (one.as_str(), one))),
    };
    if want.multiple_of.is_some_and(|unit| unit <= 0) {
        return table.refuse("multiple_of", "`multiple_of` must be more than zero".to_owned());
    }
    if (Want { severity: None, ..want.clone() }) == Want::default() {
        // Where a key has a mistake, that one is told and not this.
        const KEYS: [&str; 10] = [
            "at_least",
            "at_most",
            "multiple_of",
            "one_of",
            "none_of",
            "is",
            "equals_fact",
            "at_least_fact",
            "less_than_fact",
            "multiple_of_fact",
        ];
        if KEYS.iter().any(|key| table.has(key)) {
            return None;
        }
        return table
            .refuse("at_least", format!("the rule has no condition; it needs one of {}", KEYS.join(", ")));
    }
    Some(want)
}
