//! The facts of a JSON document: all leaves but words and what differs from one run to the next.

use std::path::Path;

use serde_json::Value;

/// Keys whose texts are sentences for people; how many there are is a fact, and so is everything else.
const WORDS: &[&str] = &[
    "advice",
    "assumptions",
    "away_from_exadata",
    "caveats",
    "cause",
    "cells",
    "changes",
    "contradictions",
    "corrections",
    "ended_reason",
    "exceptions",
    "headline",
    "impact",
    "left_out",
    "message",
    "no_standard_edition_2",
    "note",
    "notes",
    "observations",
    "points",
    "reason",
    "reasons",
    "reserve",
    "right",
    "sentence",
    "suitable_for",
    "text",
    "unchecked",
    "wall",
    "why",
    "why_not",
    "words",
];

/// Keys, with those that they are in, whose values are of this host or this moment. The resampling of a gate begins with the id of its run.
const OF_THE_MOMENT: &[&str] = &[
    "started_at",
    "measured_at",
    "circumstances.hosts",
    "evidence.cpu_count",
    "evidence.memory_bytes",
    "oldest_days",
    "settings.value",
    "value_interval",
];

/// Where a case is tried.
pub(super) struct Places<'p> {
    pub(super) store: &'p Path,
    pub(super) shared: Option<&'p Path>,
    pub(super) golden: &'p Path,
}

/// A folder in a line of a case, as it is written there.
pub(super) const SHARED: &str = "SHARED/";
/// The same of the workspace.
pub(super) const GOLDEN: &str = "GOLDEN/";

impl Places<'_> {
    /// The words of a line, with the folders of this host.
    pub(super) fn filled_in(&self, line: &str) -> Vec<String> {
        let word = |word: &str| {
            let word = match self.shared {
                Some(shared) => word.replace(SHARED, &format!("{}/", shared.display())),
                None => word.to_owned(),
            };
            // A blank within a word is written so in a line.
            word.replace(GOLDEN, &format!("{}/", self.golden.display())).replace("%20", " ")
        };
        line.split(' ').map(word).collect()
    }

    /// A text without what is only of this host and this moment.
    fn without(&self, text: &str) -> String {
        let mut text = text.replace(&self.store.display().to_string(), "STORE");
        if let Some(shared) = self.shared {
            text = text.replace(&shared.display().to_string(), "SHARED");
        }
        let text = text.replace(&self.golden.display().to_string(), "GOLDEN");
        without_ids(&text)
    }
}

/// A record's id is another one each time: 26 digits and capital letters.
fn without_ids(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        result.push_str(&rest[..start]);
        result.push_str(if word.len() == 26 && word.starts_with('0') { "ID" } else { word });
        rest = &rest[start + length..];
    }
    result + rest
}

/// What the commands of a case said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Of all commands, with blanks between them.
    pub(super) exit_codes: String,
    /// `command:path = value`, in the order of the documents.
    pub(super) lines: Vec<String>,
}

impl Facts {
    /// Adds those of a command. What is not JSON has none but the exit code.
    pub(super) fn add(&mut self, exit_code: &str, output: &[u8], places: &Places<'_>) {
        let number = self.exit_codes.split_whitespace().count() + 1;
        if number > 1 {
            self.exit_codes.push(' ');
        }
        self.exit_codes.push_str(exit_code);
        // A stream of documents, or one.
        for document in
            serde_json::Deserializer::from_slice(output).into_iter::<Value>().map_while(Result::ok)
        {
            leaves(&number.to_string(), &document, places, &mut self.lines);
        }
    }
}

fn leaves(path: &str, value: &Value, places: &Places<'_>, lines: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let path = format!("{path}.{key}");
                let key = key_of(&path);
                let is_of_moment =
                    |of_moment: &&str| key == **of_moment || key.ends_with(&format!(".{of_moment}"));
                if !OF_THE_MOMENT.iter().any(is_of_moment) {
                    leaves(&path, value, places, lines);
                }
            }
        }
        Value::Array(items) => {
            // Catalogs grow older.
            let is_of_age =
                |item: &&Value| item.as_str().is_some_and(|text| text.contains("older than a year"));
            let items: Vec<&Value> = items.iter().filter(|item| !is_of_age(item)).collect();
            lines.push(format!("{path}.length = {}", items.len()));
            for (index, item) in items.into_iter().enumerate() {
                leaves(&format!("{path}.{index}"), item, places, lines);
            }
        }
        Value::String(text) => {
            let key = key_of(path);
            if !WORDS.contains(&key.rsplit('.').next().unwrap_or(&key)) {
                lines.push(format!("{path} = {:?}", places.without(text)));
            }
        }
        other => lines.push(format!("{path} = {other}")),
    }
}

/// The key of a fact without numbers and value, for counting.
pub(super) fn key_of(line: &str) -> String {
    let path = line.split(" = ").next().unwrap_or(line);
    let is_name = |part: &&str| !part.bytes().all(|byte| byte.is_ascii_digit());
    path.split('.').filter(is_name).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn facts_are_ids_and_numbers_and_no_words_and_nothing_of_the_moment() {
        let places = Places { store: Path::new("/tmp/a"), shared: None, golden: Path::new("/w/crates") };
        let mut facts = Facts::default();
        let document = br#"{ "path": "/tmp/a/01M8C9J81P75B9HC4EVK8K4PRY.json", "started_at": "now", "reasons": ["a b", "c d"],
            "gates": [{ "value_interval": { "low": 1.5 }, "value": 2.0 }], "oldest_days": 400, "gaps": ["6 sources are older than a year"], "findings": [{ "id": "short-run", "message": "short" }] }"#;
        facts.add("4", document, &places);
        facts.add("0", b"", &places);
        let expected = [
            "1.path = \"STORE/ID.json\"",
            "1.reasons.length = 2",
            "1.gaps.length = 0",
            "1.gates.length = 1",
            "1.gates.0.value = 2.0",
            "1.findings.length = 1",
            "1.findings.0.id = \"short-run\"",
        ];
        assert_eq!(facts.exit_codes, "4 0");
        assert_eq!(BTreeSet::from_iter(facts.lines.iter().map(String::as_str)), BTreeSet::from(expected));
        assert_eq!(key_of("1.gates.0.value = 2.0"), "gates.value");
    }
}
