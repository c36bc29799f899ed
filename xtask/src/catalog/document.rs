//! A catalog as a text that keeps everything that is not a figure: comments, order, spaces.

use std::fmt;

use toml_edit::{ArrayOfTables, DocumentMut, Formatted, InlineTable, Item, Table, Value};

use super::offer::{Offer, Row, What, family, number};

/// Relative difference below which two figures are the same: prices by the month and by the hour differ in their last digits.
const SAME: f64 = 1e-6;

pub(super) struct Document {
    text: DocumentMut,
}

/// One difference between a file and the catalog.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    Added {
        name: String,
    },
    Changed {
        name: String,
        path: String,
        old: String,
        new: String,
    },
    /// In the catalog and not in the file; it stays.
    Gone {
        name: String,
    },
    /// In the file, and neither in the catalog nor to be added.
    Unknown {
        name: String,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { name } => write!(out, "added    {name}"),
            Self::Changed { name, path, old, new } => write!(out, "changed  {name}  {path}  {old} → {new}"),
            Self::Gone { name } => write!(out, "gone     {name} (not in the file; it stays)"),
            Self::Unknown { name } => write!(out, "unknown  {name}"),
        }
    }
}

/// What of a machine prices are computed from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Machine {
    pub(super) name: String,
    pub(super) vcpus: f64,
    pub(super) memory_gib: f64,
}

impl Document {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| format!("not TOML: {error}"))?;
        let format = text.get("format").and_then(Item::as_str);
        if format != Some("iotrial.catalog/1") {
            return Err("not a catalog: `format` is not \"iotrial.catalog/1\"".to_owned());
        }
        Ok(Self { text })
    }

    pub(super) fn text(&self) -> String {
        self.text.to_string()
    }

    pub(super) fn region(&self) -> String {
        self.text.get("region").and_then(Item::as_str).unwrap_or_default().to_owned()
    }

    pub(super) fn machines(&self) -> Vec<Machine> {
        let one = |table: &Table| {
            let amount = |key| table.get(key).and_then(as_number);
            Some(Machine {
                name: name_of(table)?.to_owned(),
                vcpus: amount("vcpus")?,
                memory_gib: amount("memory_gib")?,
            })
        };
        self.tables("machine").into_iter().flatten().filter_map(one).collect()
    }

    fn tables(&self, key: &str) -> Option<&ArrayOfTables> {
        self.text.get(key)?.as_array_of_tables()
    }

    /// Takes over what a file says. `rows` is the source of rows that are added; `as_of` becomes the day of the sources of all
    /// figures that the file confirms or changes.
    pub(super) fn take(
        &mut self,
        offer: &Offer,
        rows: Option<&str>,
        as_of: Option<&str>,
    ) -> Result<Vec<Change>, String> {
        if let Some(source) = rows
            && self.text.get("source").and_then(|sources| sources.get(source)).is_none()
        {
            return Err(format!(
                "the catalog has no [source.{source}]: write it first, with `text` and `as_of`"
            ));
        }
        let mut changes = Vec::new();
        let mut confirmed: Vec<String> = Vec::new();
        for row in &offer.rows {
            let Some(table) = self.row(row) else {
                changes.push(match (&row.whole, rows) {
                    (Some(whole), Some(source)) => {
                        self.add(whole, source)?;
                        confirmed.push(source.to_owned());
                        Change::Added { name: row.name.clone() }
                    }
                    _ => Change::Unknown { name: row.name.clone() },
                });
                continue;
            };
            for figure in &row.figures {
                let Some((value, source)) = find(table, &figure.path) else { continue };
                let Some(old) = value_number(value) else { continue };
                if (old - figure.value).abs() > SAME * old.abs().max(figure.value.abs()) {
                    changes.push(Change::Changed {
                        name: row.name.clone(),
                        path: figure.path.join("."),
                        old: number(old),
                        new: number(figure.value),
                    });
                    replace(value, figure.value);
                }
                confirmed.extend(source);
            }
        }
        changes.extend(self.gone(offer).into_iter().map(|name| Change::Gone { name }));
        if let Some(day) = as_of {
            self.date(&confirmed, day);
        }
        Ok(changes)
    }

    /// The table that a row is about.
    fn row(&mut self, row: &Row) -> Option<&mut Table> {
        let (key, name) = match row.what {
            What::Machine => ("machine", row.name.as_str()),
            What::Volume => ("volume", row.name.as_str()),
            What::Level => ("volume", row.name.split_once(' ')?.0),
        };
        let all = self.text.get_mut(key)?.as_array_of_tables_mut()?;
        let table = all.iter_mut().find(|table| name_of(table) == Some(name))?;
        if row.what != What::Level {
            return Some(table);
        }
        let level = row.name.split_once(' ')?.1;
        table
            .get_mut("level")?
            .as_array_of_tables_mut()?
            .iter_mut()
            .find(|table| name_of(table) == Some(level))
    }

    fn add(&mut self, whole: &str, source: &str) -> Result<(), String> {
        let text = format!("[[machine]]\n{whole}source = \"{source}\"\n");
        let row: DocumentMut =
            text.parse().map_err(|error| format!("a row that cannot be written: {error}"))?;
        let mut table =
            row.get("machine").and_then(Item::as_array_of_tables).and_then(|all| all.get(0)).cloned();
        let machines = self.text.get_mut("machine").and_then(Item::as_array_of_tables_mut);
        let (Some(machines), Some(table)) = (machines, table.as_mut()) else {
            return Err("the catalog has no [[machine]]".to_owned());
        };
        // Behind the last one: without a place of its own a table would go in front of everything.
        let position = machines.iter().filter_map(Table::position).max();
        table.set_position(position);
        table.decor_mut().set_prefix("\n");
        machines.push(table.clone());
        Ok(())
    }

    /// Machines of the catalog that the file would name if they were still sold.
    fn gone(&self, offer: &Offer) -> Vec<String> {
        if !offer.is_complete {
            return Vec::new();
        }
        let named = |what: fn(&Row) -> String| {
            offer.rows.iter().filter(|row| row.what == What::Machine).map(what).collect()
        };
        let (families, names): (Vec<String>, Vec<String>) =
            (named(|row| family(&row.name)), named(|row| row.name.clone()));
        let machines = self.tables("machine").into_iter().flatten().filter_map(name_of);
        machines
            .filter(|name| families.contains(&family(name)) && !names.iter().any(|one| one == name))
            .map(str::to_owned)
            .collect()
    }

    fn date(&mut self, sources: &[String], day: &str) {
        for source in sources {
            let value = self
                .text
                .get_mut("source")
                .and_then(|all| all.get_mut(source.as_str()))
                .and_then(|one| one.get_mut("as_of"))
                .and_then(Item::as_value_mut);
            if let Some(value) = value {
                let decor = value.decor().clone();
                *value = Value::from(day);
                *value.decor_mut() = decor;
            }
        }
    }
}

fn name_of(table: &Table) -> Option<&str> {
    table.get("name")?.as_str()
}

fn as_number(item: &Item) -> Option<f64> {
    value_number(item.as_value()?)
}

fn value_number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// The value at a path, and the source that the figure is of: that of the inner table, or of the row.
fn find<'t>(table: &'t mut Table, path: &[String]) -> Option<(&'t mut Value, Option<String>)> {
    let own = table.get("source").and_then(Item::as_str).map(str::to_owned);
    match path {
        [key] => Some((table.get_mut(key)?.as_value_mut()?, own)),
        [outer, key] => {
            let inner = table.get_mut(outer)?.as_table_like_mut()?;
            let source = inner.get("source").and_then(Item::as_str).map(str::to_owned).or(own);
            Some((inner.get_mut(key)?.as_value_mut()?, source))
        }
        [outer, name, key] => {
            let limits = table.get_mut(outer)?.as_array_mut()?;
            let is_meant = |limit: &&mut InlineTable| limit.get("name").and_then(Value::as_str) == Some(name);
            let limit = limits.iter_mut().filter_map(Value::as_inline_table_mut).find(is_meant)?;
            Some((limit.get_mut(key)?, own))
        }
        _ => None,
    }
}

/// Puts a number in place of another, with the spaces and the comment around it.
fn replace(value: &mut Value, new: f64) {
    let decor = value.decor().clone();
    let text = number(new);
    *value = match text.parse::<i64>() {
        Ok(whole) => Value::Integer(Formatted::new(whole)),
        Err(_) => Value::Float(Formatted::new(text.parse().unwrap_or(new))),
    };
    *value.decor_mut() = decor;
}
