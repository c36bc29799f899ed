//! Checks a document against a JSON Schema, as far as the schemas of iotrial go.
//!
//! A validator of all of JSON Schema would bring forty crates to check a dozen keywords. This one knows those, and panics at any
//! other, so that nothing is passed over; `crates/iotrial/tests/it/python.rs` has a full validator check the same records.

use serde_json::{Map, Value};

/// Whether keys that the schema does not name are mistakes. To readers they are not: a later version may write more.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum OtherKeys {
    Refused,
    PassedOver,
}

pub(crate) struct Validator {
    root: Value,
}

impl Validator {
    pub(crate) fn new(root: Value) -> Self {
        Self { root }
    }

    /// Everything that is wrong with a document, each with its place.
    pub(crate) fn mistakes(&self, document: &Value, others: OtherKeys) -> Vec<String> {
        let mut mistakes = Vec::new();
        self.check(&self.root, document, "", others, &mut mistakes);
        mistakes
    }

    fn holds(&self, schema: &Value, value: &Value, others: OtherKeys) -> bool {
        let mut mistakes = Vec::new();
        self.check(schema, value, "", others, &mut mistakes);
        mistakes.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, others: OtherKeys, mistakes: &mut Vec<String>) {
        let rules = schema.as_object().unwrap_or_else(|| panic!("{at}: {schema} is not a schema"));
        for (keyword, rule) in rules {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "contentEncoding" => {}
                // With their `if`, and with its `properties`.
                "then" | "else" | "additionalProperties" => {}
                "type" => {
                    let is_any = match rule {
                        Value::Array(types) => types.iter().any(|one| is_of_type(value, one)),
                        one => is_of_type(value, one),
                    };
                    if !is_any {
                        mistakes.push(format!("{at} is not of type {rule}: {value}"));
                    }
                }
                "const" if rule != value => mistakes.push(format!("{at} is not {rule}: {value}")),
                "enum" if !rule.as_array().unwrap().contains(value) => {
                    mistakes.push(format!("{at} is none of {rule}: {value}"));
                }
                "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) => {
                    mistakes.push(format!("{at} is below {rule}: {value}"));
                }
                "const" | "enum" | "minimum" => {}
                "$ref" => {
                    let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check(self.root.pointer(pointer).unwrap(), value, at, others, mistakes);
                }
                "oneOf" => {
                    let all = rule.as_array().unwrap();
                    let count = all.iter().filter(|one| self.holds(one, value, others)).count();
                    if count != 1 {
                        mistakes.push(format!("{at} fits {count} of {} forms: {value}", all.len()));
                    }
                }
                "allOf" => {
                    for one in rule.as_array().unwrap() {
                        self.check(one, value, at, others, mistakes);
                    }
                }
                "anyOf" => {
                    if !rule.as_array().unwrap().iter().any(|one| self.holds(one, value, others)) {
                        mistakes.push(format!("{at} fits no form: {value}"));
                    }
                }
                "if" => {
                    let holds = self.holds(rule, value, OtherKeys::PassedOver);
                    if let Some(schema) = rules.get(if holds { "then" } else { "else" }) {
                        self.check(schema, value, at, others, mistakes);
                    }
                }
                "required" => {
                    for key in rule.as_array().unwrap().iter().map(|key| key.as_str().unwrap()) {
                        if value.as_object().is_some_and(|object| !object.contains_key(key)) {
                            mistakes.push(format!("{at} has no `{key}`"));
                        }
                    }
                }
                "properties" => {
                    // Where parts of a schema add keys, no part of it knows them all.
                    let others = if rules.contains_key("allOf") { OtherKeys::PassedOver } else { others };
                    self.check_keys(rules, value, at, others, mistakes);
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}/{index}"), others, mistakes);
                    }
                }
                other => panic!("this validator does not know the keyword `{other}`"),
            }
        }
        if !rules.contains_key("properties") && rules.contains_key("additionalProperties") {
            self.check_keys(rules, value, at, others, mistakes);
        }
    }

    fn check_keys(
        &self,
        rules: &Map<String, Value>,
        value: &Value,
        at: &str,
        others: OtherKeys,
        mistakes: &mut Vec<String>,
    ) {
        for (key, member) in value.as_object().into_iter().flatten() {
            let place = format!("{at}/{key}");
            match rules
                .get("properties")
                .and_then(|known| known.get(key))
                .or(rules.get("additionalProperties"))
            {
                Some(schema) => self.check(schema, member, &place, others, mistakes),
                None if others == OtherKeys::Refused => {
                    mistakes.push(format!("{place} is not in the schema"))
                }
                None => {}
            }
        }
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // As the specification has it: 1.0 is an integer.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("this validator does not know the type `{other}`"),
    }
}
