//! JSON as providers write it: what is missing is an error that names it.

use serde_json::Value;

pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("neither JSON nor another layout that is known: {error}"))
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> Option<&'v Vec<Value>> {
    value.get(key)?.as_array()
}

pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number, also where it is written as a text.
pub(super) fn number(value: &Value, key: &str) -> Option<f64> {
    let value = value.get(key)?;
    value
        .as_f64()
        .or_else(|| value.as_str()?.trim().replace(',', "").parse().ok())
        .filter(|number| number.is_finite())
}

/// The day of a moment: `2026-11-23T01:02:03Z` begins with it.
pub(super) fn day(moment: &str) -> Option<String> {
    let day = moment.get(..10)?;
    let fits = day
        .bytes()
        .enumerate()
        .all(|(place, byte)| if matches!(place, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    fits.then(|| day.to_owned())
}
