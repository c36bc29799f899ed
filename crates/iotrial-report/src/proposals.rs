//! Settings of a database that follow from what was measured.

use iotrial_analysis::settings::Setting;
use iotrial_words::setting::{setting_origin, setting_reserve, setting_value};

use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// The settings, each with its origin; `None` if there are none.
pub(crate) fn proposals(settings: &[Setting]) -> Option<Section> {
    let row = |one: &Setting| Row {
        cells: vec![
            Value::Text(one.database.as_str().to_owned()),
            Value::Text(one.name.to_owned()),
            Value::Text(setting_value(&one.evidence, one.value)),
            Value::Text(setting_origin(&one.evidence, one.value, one.computed)),
        ],
        is_total: false,
    };
    settings.first()?;
    // What a simulated device can do is no reason to configure anything.
    let reserve = settings.iter().find_map(|one| one.reserve);
    let reserve = reserve
        .map(|reserve| format!(" Here {}: measure again before you use them.", setting_reserve(reserve)));
    Some(Section {
        id: "proposals",
        heading: "Suggested settings",
        note: Some(format!(
            "Proposals based on this run and its host; `iotrial docs settings` has each rule with its source.{}",
            reserve.unwrap_or_default()
        )),
        blocks: vec![Block::Table(Table {
            caption: "Suggested settings".to_owned(),
            columns: ["database", "setting", "proposal", "because of"]
                .map(|name| Column::new(name, Quantity::Words))
                .into(),
            rows: settings.iter().map(row).collect(),
            at_a_glance: true,
        })],
    })
}
