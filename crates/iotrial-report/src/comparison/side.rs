//! One side of a comparison: a configuration under one load or under several, or a sweep, as tables show all of them.

use std::collections::BTreeMap;

use iotrial_analysis::comparison::{Circumstances, ComparedSweep, Configuration, Contender, Outcome};
use iotrial_model::record::AttributeValue;

use super::{CONTRADICTORY, MOST_ROWS_AT_A_GLANCE};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// One of those that are compared.
pub(crate) struct Side<'c> {
    /// Its key, with a mark where its own figures contradict each other.
    pub(super) key: String,
    pub(super) label: &'c str,
    attributes: &'c BTreeMap<String, AttributeValue>,
    pub(super) circumstances: &'c Circumstances,
    /// What the verdicts say; empty where nobody judged, and where each load has its own.
    pub(super) outcomes: &'c [Outcome],
    /// How often it was measured.
    pub(super) run_count: usize,
    pub(super) measured_s: Option<f64>,
}

/// A key, with a mark where the figures of the configuration contradict each other.
pub(super) fn marked_key(key: &str, is_contradictory: bool) -> String {
    format!("{key}{}", if is_contradictory { CONTRADICTORY } else { "" })
}

impl<'c> From<&'c Configuration> for Side<'c> {
    fn from(one: &'c Configuration) -> Self {
        Self {
            key: marked_key(&one.key, one.is_contradictory()),
            label: &one.label,
            attributes: &one.attributes,
            circumstances: &one.circumstances,
            outcomes: &one.outcomes,
            run_count: one.run_count(),
            measured_s: one.measured_s,
        }
    }
}

impl<'c> From<&'c Contender> for Side<'c> {
    fn from(one: &'c Contender) -> Self {
        Self {
            key: marked_key(&one.key, one.is_contradictory),
            label: &one.label,
            attributes: &one.attributes,
            circumstances: &one.circumstances,
            outcomes: &[],
            run_count: one.run_count,
            measured_s: one.measured_s,
        }
    }
}

impl<'c> From<&'c ComparedSweep> for Side<'c> {
    fn from(one: &'c ComparedSweep) -> Self {
        Self {
            key: one.key.clone(),
            label: &one.label,
            attributes: &one.attributes,
            circumstances: &one.circumstances,
            outcomes: &[],
            run_count: 1,
            measured_s: Some(one.measured_s),
        }
    }
}

/// The section with a table of all that are compared. `count` is the name of a column and what it counts of each; `more` are further
/// columns, each with a value of every side.
pub(crate) fn section<'c, T>(
    (id, heading, what): (&'static str, &'static str, &'static str),
    all: &'c [T],
    count: (&'static str, fn(&T) -> usize),
    more: Vec<(Column, Vec<Value>)>,
) -> Section
where
    Side<'c>: From<&'c T>,
{
    let sides: Vec<Side<'_>> = all.iter().map(Side::from).collect();
    let differs = |name: &str, value: &AttributeValue| {
        sides.iter().any(|other| other.attributes.get(name) != Some(value))
    };
    let row = |(place, one): (usize, &Side<'_>)| {
        let attributes = one.attributes.iter().filter(|(name, value)| differs(name, value));
        let attributes: Vec<String> = attributes.map(|(name, value)| format!("{name}={value}")).collect();
        let mut cells = vec![
            Value::Text(one.key.clone()),
            Value::Text(one.label.to_owned()),
            Value::text((!attributes.is_empty()).then(|| attributes.join(" "))),
            Value::Count((count.1)(&all[place]) as u64),
            Value::number(one.measured_s),
        ];
        cells.extend(more.iter().map(|(_, values)| values[place].clone()));
        Row { cells, is_total: false }
    };
    let rows: Vec<Row> = sides.iter().enumerate().map(row).collect();
    let mut columns = vec![
        Column::new("key", Quantity::Words),
        Column::new(what, Quantity::Words),
        Column::new("attributes", Quantity::Words).optional(),
        Column::new(count.0, Quantity::Count),
        Column::new("measured", Quantity::Seconds).optional(),
    ];
    columns.extend(more.into_iter().map(|(column, _)| column));
    let table = Table {
        caption: heading.to_owned(),
        columns,
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
        rows,
    };
    Section { id, heading, note: None, blocks: vec![Block::Table(table)] }
}
