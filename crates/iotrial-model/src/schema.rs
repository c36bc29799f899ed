//! JSON Schema of the files that iotrial writes, for programs that read them.
//!
//! A schema is a file in `crates/iotrial-model/schema`, kept by hand and not derived from the types: its words are for people who have
//! never seen a line of Rust, and the types of a record are written in ways of their own (times as seconds, histograms as text, flattened
//! parts) that a derivation would have to be told at every field. Tests hold it against the types instead: it has each key of each type
//! and no other one (`xtask/src/architecture.rs`), and it refuses what the types refuse (`crates/iotrial/tests/schema.rs`).

/// A schema that `iotrial schema` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// What the command line takes, and the name of the file.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// JSON Schema, draft 2020-12, word for word.
    pub text: &'static str,
}

/// All of them.
pub const SCHEMAS: [Schema; 1] = [Schema {
    name: "record",
    about: "records in the store: of runs, of sweeps and of imported results",
    text: include_str!("../schema/record.json"),
}];

impl Schema {
    /// The schema with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        SCHEMAS.into_iter().find(|schema| schema.name == name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::imported::IMPORTED_FORMAT;
    use crate::record::RECORD_FORMAT;
    use crate::sweep::SWEEP_FORMAT;

    fn record() -> Value {
        serde_json::from_str(Schema::of_name("record").unwrap().text).unwrap()
    }

    /// Calls `visit` with each schema within a schema: its place, and itself.
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

    #[test]
    fn the_schema_knows_the_formats_that_are_written() {
        assert_eq!(
            record()["properties"]["format"]["enum"],
            serde_json::json!([RECORD_FORMAT, SWEEP_FORMAT, IMPORTED_FORMAT])
        );
    }

    /// A word that chooses among kinds needs none: the kind is described.
    #[test]
    fn every_key_and_every_word_is_described_and_every_reference_leads_somewhere() {
        let schema = record();
        let mut count = 0;
        walk(&schema, "", &mut |place, within| {
            count += 1;
            let is_choice = within.as_object().unwrap().keys().eq(["const"]);
            let about = within["description"].as_str().unwrap_or_default();
            assert!(is_choice || (about.len() > 8 && about.ends_with('.')), "{place}: {about:?}");
            // Words of the source, which mean nothing to those who read the file.
            assert!(!about.contains("`None`") && !about.contains("[`") && !about.contains("::"), "{place}");
            if let Some(reference) = within["$ref"].as_str() {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(schema.pointer(pointer).is_some(), "{place}: {reference}");
            }
        });
        assert!(count > 500, "{count}");
    }
}
