//! The pages of the documentation that are written from what the program has anyway: keys, ids, facts of a host, metrics, what is built in.
//! `UPDATE_DOCS=1 cargo test -p iotrial docs::generated` writes them; without it the test fails where a file is not what would be written.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::path::Path;

use iotrial_analysis::threshold::{ThresholdSet, builtin_names};
use iotrial_model::audit::Check;
use iotrial_model::awr::{AwrFigure, RemarkId};
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::crash::CrashRemark;
use iotrial_model::database_run::{DatabaseRemarkId, HeldBackBy};
use iotrial_model::finding::FindingId;
use iotrial_model::host_fact::{FactId, FactUnit};
use iotrial_model::observation::ObservationKind;
use iotrial_model::profile::Profile;
use iotrial_model::rate_limit::LimitKind;
use iotrial_model::recommendation::ReservationKind;
use iotrial_model::verification::FaultKind;
use iotrial_report::exposition::metrics;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::schema::{SCHEMAS, Schema};
use crate::settings::SETTINGS;

/// The members of a JSON object in the order of the file, which is the order in which somebody reads them.
#[derive(Default)]
struct Members<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

/// A schema as far as its page shows it.
#[derive(Deserialize)]
struct Definitions {
    #[serde(rename = "$defs")]
    definitions: Members<Definition>,
}

/// An object with its keys, or a choice among words or objects.
#[derive(Deserialize)]
struct Definition {
    #[serde(default)]
    description: String,
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    properties: Members<Value>,
    #[serde(default, rename = "oneOf")]
    choices: Vec<Definition>,
    #[serde(rename = "const")]
    word: Option<String>,
}

impl Definition {
    /// Its heading, what it is, and a table of its keys or words.
    fn section(&self, name: &str, link: &impl Fn(&str) -> String) -> String {
        let mut text = format!("\n## {name}\n\n{}\n\n", self.description);
        if self.choices.iter().any(|choice| choice.word.is_some()) {
            text += "| word | meaning |\n| --- | --- |\n";
            for choice in &self.choices {
                let word = choice.word.as_deref().unwrap();
                writeln!(text, "| `{word}` | {} |", choice.description).unwrap();
            }
            return text;
        }
        text += "| key | type | present | meaning |\n| --- | --- | --- | --- |\n";
        self.rows(&mut text, link);
        for choice in &self.choices {
            choice.rows(&mut text, link);
        }
        text
    }

    /// A row for each key. A key that can only have one word says which of several forms this is.
    fn rows(&self, text: &mut String, link: &impl Fn(&str) -> String) {
        for (key, schema) in &self.properties.0 {
            let meaning = schema["description"].as_str().unwrap_or(&self.description);
            let present = if self.required.contains(key) { "always" } else { "" };
            writeln!(text, "| `{key}` | {} | {present} | {meaning} |", type_in_words(schema, link)).unwrap();
        }
    }
}

/// What a value is, with links to the definitions.
fn type_in_words(schema: &Value, link: &impl Fn(&str) -> String) -> String {
    let word = |word: &Value| match word.as_str().unwrap() {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => other.to_owned(),
    };
    let joined = |parts: Vec<String>| parts.join(", ");
    if let Some(reference) = schema["$ref"].as_str() {
        return link(reference.trim_start_matches("#/$defs/"));
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(words) = schema["enum"].as_array() {
        return joined(words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect());
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        return joined(forms.iter().map(|form| type_in_words(form, link)).collect());
    }
    match &schema["type"] {
        Value::Array(words) => joined(words.iter().map(word).collect()),
        Value::String(kind) if kind == "array" => format!("list: {}", type_in_words(&schema["items"], link)),
        Value::String(kind) if kind == "object" => {
            let of = type_in_words(&schema["additionalProperties"], link);
            format!("by name: {of}")
        }
        Value::String(_) => word(&schema["type"]),
        _ => "any".to_owned(),
    }
}

fn definitions_of(schema: &Schema) -> Vec<(String, Definition)> {
    serde_json::from_str::<Definitions>(schema.text).unwrap().definitions.0
}

/// The page of a schema. What an earlier schema defines as well is on the page of that one.
fn keys_page(schema: &Schema, earlier: &[Schema], head: &str) -> String {
    let page_of = |name: &str| {
        let has = |schema: &&Schema| definitions_of(schema).iter().any(|(defined, _)| defined == name);
        earlier.iter().find(has).map_or(String::new(), |schema| format!("{}-keys.md", schema.name))
    };
    let link = |name: &str| format!("[{name}]({}#{})", page_of(name), name.to_lowercase());
    let definitions = definitions_of(schema);
    let own = definitions.iter().filter(|(name, _)| page_of(name).is_empty());
    let sections: String = own.map(|(name, definition)| definition.section(name, &link)).collect();
    format!("{head}{sections}")
}

/// The groups of facts on their page, each with its first fact.
const GROUPS: [(&str, FactId); 6] = [
    ("The host", FactId::Platform),
    ("A file system or share", FactId::Filesystem),
    ("A layer: volume, array, mapping, multipath", FactId::StripeUnit),
    ("A disk or partition", FactId::Transport),
    ("A controller", FactId::Driver),
    ("A network interface", FactId::LinkSpeed),
];

fn facts_page() -> String {
    let mut text = "# Facts of a host\n\nWhat `iotrial check` reads, and what rules are about ([check.md](check.md)). A fact without a unit is a number, true or \
                    false, or a word.\n"
        .to_owned();
    for id in FactId::ALL {
        if let Some((group, _)) = GROUPS.iter().find(|(_, first)| first == id) {
            write!(text, "\n## {group}\n\n| fact | what it is | unit |\n| --- | --- | --- |\n").unwrap();
        }
        let unit = match id.unit() {
            FactUnit::Plain => "",
            FactUnit::Bytes => "bytes",
            FactUnit::Kib => "KiB",
            FactUnit::Percent => "percent",
            FactUnit::MbitPerS => "Mbit/s",
            FactUnit::Centiseconds => "0.01 s",
            FactUnit::Seconds => "s",
        };
        writeln!(text, "| `{}` | {} | {unit} |", id.as_str(), id.title()).unwrap();
    }
    text
}

/// A section with a table of names and what they are.
fn section(heading: &str, about: &str, name: &str, rows: impl IntoIterator<Item = [String; 2]>) -> String {
    let rows = rows.into_iter().map(|[name, what]| format!("| `{name}` | {what} |\n"));
    format!(
        "\n## {heading}\n\n{about}\n\n| {name} | what it is |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn ids_page() -> String {
    macro_rules! ids {
        ($heading:literal, $about:literal, $ids:ty) => {
            section(
                $heading,
                $about,
                "id",
                <$ids>::ALL.iter().map(|id| [id.to_string(), id.meaning().to_owned()]),
            )
        };
    }
    let figures = AwrFigure::ALL.iter().map(|figure| [figure.key().to_owned(), figure.meaning().to_owned()]);
    [
        "# Ids\n\nWhat `iotrial help ID` shows. `iotrial check --list-rules` lists the rules of a check.\n"
            .to_owned(),
        ids!("Findings", "Of runs, sweeps, imports, comparisons and sizings. [measurement.md](measurement.md) has formulas, sources and limits.", FindingId),
        ids!("Faults of a verified load", "What `iotrial verify` finds ([verify.md](verify.md)).", FaultKind),
        ids!("Remarks on a cut", "What `iotrial verify crash check` remarks beside faults ([verify.md](verify.md#does-it-survive-a-cut-of-the-power)).", CrashRemark),
        ids!("Checks of an audit", "What each compares, then its source and its limits ([audit.md](audit.md)).", Check),
        ids!("Limits of a sweep", "What holds the rate at its ceiling ([sweep.md](sweep.md)).", LimitKind),
        ids!("Observations on counters", "What `iotrial watch` sees ([watch.md](watch.md)).", ObservationKind),
        ids!("Remarks on a load of a database", "What `iotrial observe` remarks ([observe.md](observe.md)). A doubt makes the exit code 4.", DatabaseRemarkId),
        ids!("What held a load of a database back", "`limit.by` of `iotrial observe --json`; the first that holds ([observe.md](observe.md#what-held-it-back)).", HeldBackBy),
        ids!("Remarks on AWR reports", "What `iotrial awr` remarks ([awr.md](awr.md#remarks)).", RemarkId),
        ids!("Reservations of a recommendation", "Why it is not to be relied upon ([compare.md](compare.md)).", ReservationKind),
        section("Figures of AWR reports", "The unit ends the key. `iotrial awr --json` has each with its place ([awr.md](awr.md)).", "key", figures),
    ]
    .concat()
}

fn built_in_page() -> String {
    let profiles = builtin_profiles().iter().map(|builtin| {
        let profile = Profile::parse(builtin.text).unwrap();
        [builtin.name.to_owned(), format!("{}; judged by `{}`", profile.title, profile.thresholds)]
    });
    let settings = SETTINGS.iter().map(|setting| {
        let commands: Vec<String> = setting.commands.iter().map(|command| format!("`{command}`")).collect();
        let commands = if commands.is_empty() { "all that have it".to_owned() } else { commands.join(", ") };
        let option = setting.option_in_words();
        let example = format!("`{} = {}`", setting.key, setting.example);
        [setting.key.to_owned(), format!("{} Stands for `{option}` of {commands}; {example}", setting.about)]
    });
    let sets = builtin_names().map(|name| [name.to_owned(), ThresholdSet::builtin(name).unwrap().title]);
    [
        "# What is built in\n".to_owned(),
        section("Profiles", "`iotrial profiles NAME` prints one with its reasons and source ([profiles.md](profiles.md)).", "name", profiles),
        section("Threshold sets", "`iotrial thresholds NAME` prints one with the source of each limit ([thresholds.md](thresholds.md)).", "name", sets),
        section("Settings", "Options that can have a default of your own ([configuration.md](configuration.md)).", "setting", settings),
    ]
    .concat()
}

fn metrics_page() -> String {
    let rows = metrics().map(|(name, kind, about)| [(*name).to_owned(), format!("{about} ({kind})")]);
    let about = "Of disks that are watched, and of a load while it is made ([watch.md](watch.md#prometheus-and-grafana)).";
    format!("# Metrics for Prometheus\n{}", section("All of them", about, "metric", rows))
}

const RECORD_HEAD: &str = "# Every key of a record\n\nThe schema that `iotrial schema record` prints, as tables; [record.md](record.md) explains the rest. The first \
                           three sections are the documents themselves: the record of a run, of a sweep and of an imported result.\n";
const SUMMARY_HEAD: &str = "# Every key of a summary\n\nThe schema that `iotrial schema summary` prints, as tables; [json.md](json.md) explains the rest. The first \
                            two sections are the documents themselves: of a run, and of an imported result.\n";

/// Each generated page: the name of its file, and its text.
fn pages() -> [(&'static str, String); 6] {
    let [record, summary] = &SCHEMAS;
    [
        ("record-keys.md", keys_page(record, &[], RECORD_HEAD)),
        ("summary-keys.md", keys_page(summary, &SCHEMAS[..1], SUMMARY_HEAD)),
        ("facts.md", facts_page()),
        ("ids.md", ids_page()),
        ("built-in.md", built_in_page()),
        ("metrics.md", metrics_page()),
    ]
}

#[test]
fn generated_pages_have_what_the_program_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, text) in pages() {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "docs/{name} is not what the program has: run this test with UPDATE_DOCS=1");
    }
}
