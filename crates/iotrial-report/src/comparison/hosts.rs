//! How the hosts of configurations differ, so that a changed scheduler is not taken for a changed disk.

use iotrial_analysis::comparison::{HostDifference, HostValues};
use iotrial_model::host_fact::FactValue;

use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// More configurations than this have no column of their own: a row for each value says which of them have it.
const MOST_COLUMNS: usize = 5;
/// More rows than this are left to the forms that can be scrolled.
const MOST_ROWS_AT_A_GLANCE: usize = 24;

/// The settings that differ; absent if none does or if they were not read.
pub(crate) fn section(differences: &[HostDifference]) -> Option<Section> {
    let first = differences.first()?;
    let keys: Vec<&str> = first.values.iter().map(|one| one.configuration.as_str()).collect();
    let has_targets = differences.iter().any(|one| one.target.is_some());
    let mut columns = vec![Column::new("part", Quantity::Words), Column::new("setting", Quantity::Words)];
    if has_targets {
        columns.insert(0, Column::new("target", Quantity::Words));
    }
    let labels = |one: &HostDifference| {
        let target = one.target.clone().unwrap_or_else(|| "all".to_owned());
        let labels = [Value::Text(one.part.title().to_owned()), Value::Text(setting(one))];
        has_targets.then_some(Value::Text(target)).into_iter().chain(labels).collect::<Vec<Value>>()
    };
    let mut rows = Vec::new();
    if keys.len() <= MOST_COLUMNS {
        columns.extend(keys.iter().map(|key| Column::new((*key).to_owned(), Quantity::Words)));
        rows.extend(differences.iter().map(|one| {
            let values = one.values.iter().map(|values| Value::text(written(one, values)));
            Row { cells: labels(one).into_iter().chain(values).collect(), is_total: false }
        }));
    } else {
        columns
            .extend([Column::new("value", Quantity::Words), Column::new("configurations", Quantity::Words)]);
        for one in differences {
            rows.extend(by_value(one).into_iter().map(|(value, keys)| {
                let value = [Value::text(value), Value::Text(keys.join(", "))];
                Row { cells: labels(one).into_iter().chain(value).collect(), is_total: false }
            }));
        }
    }
    Some(Section {
        id: "hosts",
        heading: "What differs in the host",
        note: Some(
            "As read before each run. The figures may differ because of a setting here, and not because of what is compared. A dash: not \
             there, or not known."
                .to_owned(),
        ),
        blocks: vec![Block::Table(Table {
            caption: "Settings of the hosts that differ".to_owned(),
            columns,
            at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
            rows,
        })],
    })
}

fn setting(one: &HostDifference) -> String {
    match one.fact {
        Some(fact) => fact.title().to_owned(),
        None => "how many".to_owned(),
    }
}

/// The values of a configuration; `None` where it has none.
fn written(one: &HostDifference, values: &HostValues) -> Option<String> {
    let write = |value: &FactValue| one.fact.map_or_else(|| value.to_string(), |fact| fact.written(value));
    let words: Vec<String> = values.values.iter().map(write).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Each value with the configurations that have it, in the order in which they come.
fn by_value(one: &HostDifference) -> Vec<(Option<String>, Vec<&str>)> {
    let mut groups: Vec<(Option<String>, Vec<&str>)> = Vec::new();
    for values in &one.values {
        let value = written(one, values);
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, keys)) => keys.push(&values.configuration),
            None => groups.push((value, vec![&values.configuration])),
        }
    }
    groups
}
