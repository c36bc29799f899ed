//! JSON Schema of what iotrial writes, for programs that read it.
//!
//! A schema is a file in `crates/iotrial/schema`, kept by hand and not derived from the types: its words are for people who have never
//! seen a line of Rust, and the types are written in ways of their own (times as seconds, histograms as text, flattened parts) that a
//! derivation would have to be told at every field. Tests hold it against the types instead: it has each key of each type of a record and
//! no other one (`xtask/src/architecture.rs`), and it refuses what the types refuse (`crates/iotrial/tests/it/schema.rs`). The pages of keys
//! in the documentation are written from it (`crates/iotrial/src/docs/generated.rs`).

/// A schema that `iotrial schema` prints.
pub struct Schema {
    /// What the command line takes, and the name of the file.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// JSON Schema, draft 2020-12, word for word.
    pub text: &'static str,
}

macro_rules! schema {
    ($name:literal, $about:literal) => {
        Schema { name: $name, about: $about, text: include_str!(concat!("../schema/", $name, ".json")) }
    };
}

/// All of them.
pub const SCHEMAS: [Schema; 2] = [
    schema!("record", "files in the store: runs, sweeps and imported results"),
    schema!("summary", "what `run --json` and `report --json` print about a result"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::imported::IMPORTED_FORMAT;
    use iotrial_model::record::RECORD_FORMAT;
    use iotrial_model::sweep::SWEEP_FORMAT;
    use serde_json::{Value, json};

    use super::*;

    fn parsed(schema: &Schema) -> Value {
        serde_json::from_str(schema.text).unwrap_or_else(|error| panic!("{}: {error}", schema.name))
    }

    /// Calls `visit` with each described part of a schema: its place, and itself.
    fn walk(schema: &Value, place: &str, visit: &mut impl FnMut(&str, &Value)) {
        visit(place, schema);
        for group in ["properties", "$defs"] {
            for (name, within) in schema[group].as_object().into_iter().flatten() {
                walk(within, &format!("{place}/{name}"), visit);
            }
        }
        for (index, within) in schema["oneOf"].as_array().into_iter().flatten().enumerate() {
            walk(within, &format!("{place}/{index}"), visit);
        }
    }

    /// Every `$ref` of a schema.
    fn references<'s>(schema: &'s Value, all: &mut Vec<&'s str>) {
        match schema {
            Value::Object(members) => {
                all.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|within| references(within, all));
            }
            Value::Array(items) => items.iter().for_each(|within| references(within, all)),
            _ => {}
        }
    }

    #[test]
    fn the_schema_of_records_knows_the_formats_that_are_written() {
        assert_eq!(
            parsed(&SCHEMAS[0])["properties"]["format"]["enum"],
            json!([RECORD_FORMAT, SWEEP_FORMAT, IMPORTED_FORMAT])
        );
    }

    #[test]
    fn every_key_and_every_word_is_described_in_words_for_people() {
        for schema in &SCHEMAS {
            let mut count = 0;
            walk(&parsed(schema), schema.name, &mut |place, within| {
                count += 1;
                // A word that chooses among forms needs none: the form is described.
                let is_choice = within.as_object().unwrap().keys().eq(["const"]);
                let about = within["description"].as_str().unwrap_or_default();
                assert!(is_choice || (about.len() >= 6 && about.ends_with('.')), "{place}: {about:?}");
                // Words of the source mean nothing to those who read the file.
                assert!(!["`None`", "[`", "::"].iter().any(|word| about.contains(word)), "{place}: {about}");
            });
            assert!(count > 200, "{}: {count}", schema.name);
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_definition_is_used() {
        for schema in &SCHEMAS {
            let schema = parsed(schema);
            let mut all = Vec::new();
            references(&schema, &mut all);
            let lost: Vec<_> =
                all.iter().filter(|one| schema.pointer(one.trim_start_matches('#')).is_none()).collect();
            assert!(lost.is_empty(), "{lost:?}");
            let definitions = schema["$defs"].as_object().unwrap().keys();
            let unused: Vec<_> =
                definitions.filter(|name| !all.contains(&format!("#/$defs/{name}").as_str())).collect();
            assert!(unused.is_empty(), "{unused:?}");
        }
    }

    #[test]
    fn what_two_schemas_call_the_same_is_the_same() {
        let [record, summary] = SCHEMAS.each_ref().map(parsed);
        let mut count = 0;
        for (name, definition) in summary["$defs"].as_object().unwrap() {
            if let Some(other) = record["$defs"].get(name) {
                assert_eq!(other, definition, "{name}");
                count += 1;
            }
        }
        assert!(count > 10, "{count}");
    }
}
