//! The document of catalogs: what they hold, how old they are, what they do not know.

use iotrial_model::record::Severity;
use iotrial_sizing::age::ReliedOn;
use iotrial_sizing::catalog::{Catalog, Machine, Processors};
use iotrial_words::sizing::old_figures;

use crate::document::{Block, Document, FindingLine, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// A catalog with the age of its sources.
#[derive(Debug, Clone, Copy)]
pub struct CatalogAge<'c> {
    /// What the file holds. The age is separate because a catalog does not know what day it is.
    pub catalog: &'c Catalog,
    /// Days since the oldest dated source; `None` without one.
    pub oldest_days: Option<i64>,
    /// Days since the newest dated source; `None` without one.
    pub newest_days: Option<i64>,
}

impl Document {
    /// The document with a warning if the figures that it is based on are old; unchanged otherwise.
    pub fn with_old_figures(mut self, old: &[ReliedOn]) -> Self {
        let warning = old_figures(old).map(|words| {
            FindingLine::about(
                About::OldCatalog,
                Severity::Warning,
                format!("{words}; `iotrial docs catalogs` says how to update them"),
            )
        });
        if let (Some(warning), Some(opening)) = (warning, self.sections.first_mut()) {
            match opening.blocks.last_mut() {
                Some(Block::Findings(lines)) => lines.push(warning),
                _ => opening.blocks.push(Block::Findings(vec![warning])),
            }
        }
        self
    }

    /// The list of catalogs; `warnings` say what is old.
    pub fn of_catalogs(catalogs: &[CatalogAge<'_>], warnings: &[String], byline: String) -> Self {
        let row = |one: &CatalogAge<'_>| {
            let catalog = one.catalog;
            let priced = catalog.machines.iter().filter(|machine| machine.price.is_some()).count();
            Row {
                cells: vec![
                    Value::Text(catalog.shown_provider()),
                    Value::text(catalog.region.clone()),
                    Value::Text(catalog.currency.clone()),
                    count(catalog.volumes.len()),
                    count(catalog.machines.len()),
                    count(priced),
                    Value::text(catalog.oldest().0),
                    Value::text(catalog.newest()),
                ],
                is_total: false,
            }
        };
        let table = Table {
            caption: "Catalogs".to_owned(),
            columns: vec![
                Column::new("catalog", Quantity::Words),
                Column::new("region", Quantity::Words).optional(),
                Column::new("currency", Quantity::Words).optional(),
                Column::new("volume", Quantity::Count).under("kinds of"),
                Column::new("all", Quantity::Count).under("machines"),
                Column::new("priced", Quantity::Count).under("machines").optional(),
                Column::new("oldest", Quantity::Words).under("sources"),
                Column::new("newest", Quantity::Words).under("sources"),
            ],
            rows: catalogs.iter().map(row).collect(),
            at_a_glance: true,
        };
        let old =
            |warning: &String| FindingLine::about(About::OldCatalog, Severity::Warning, warning.clone());
        let mut lines: Vec<FindingLine> = warnings.iter().map(old).collect();
        for one in catalogs {
            let about = About::Provider(&one.catalog.provider);
            let gaps = one.catalog.gaps.iter().map(|gap| format!("missing: {}", gap.text));
            lines.extend(gaps.map(|message| FindingLine::about(about, Severity::Note, message)));
        }
        let mut sections = vec![Section {
            id: "catalogs",
            heading: "",
            note: None,
            blocks: vec![Block::Table(table), Block::Findings(lines)],
        }];
        if let [one] = catalogs {
            sections.extend(details(one.catalog));
        }
        Self {
            title: "Catalogs of limits and prices".to_owned(),
            byline,
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
        }
    }
}

fn count(number: usize) -> Value {
    Value::Count(number as u64)
}

fn processors(machine: &Machine) -> (String, String) {
    match machine.processors {
        Processors::Fixed { vcpus, memory_gib, .. } => (vcpus.to_string(), memory_gib.to_string()),
        Processors::Flexible { ocpus_min, ocpus_max, memory_min_gib, memory_max_gib, .. } => {
            (format!("{ocpus_min} to {ocpus_max} OCPU"), format!("{memory_min_gib} to {memory_max_gib}"))
        }
    }
}

/// Everything in one catalog by name, so that a configuration can be written.
fn details(catalog: &Catalog) -> Vec<Section> {
    let volumes = catalog.volumes.iter().flat_map(|kind| {
        kind.levels.iter().map(move |level| Row {
            cells: vec![
                Value::Text(kind.name.clone()),
                Value::Text(level.name.clone()),
                Value::Text(if level.size_min_gib == level.size_max_gib {
                    level.size_min_gib.to_string()
                } else {
                    format!("{} to {}", level.size_min_gib, level.size_max_gib)
                }),
                Value::Text(kind.latency.map_or("unknown", |latency| latency.as_str()).to_owned()),
                Value::Text(if level.price.is_some() { "" } else { "no price" }.to_owned()),
            ],
            is_total: false,
        })
    });
    let machines = catalog.machines.iter().map(|machine| {
        let (cores, memory) = processors(machine);
        let note = match (&machine.gap, &machine.price) {
            (Some(gap), _) => gap.clone(),
            (None, None) => "no price".to_owned(),
            (None, Some(_)) => String::new(),
        };
        Row {
            cells: vec![
                Value::Text(machine.name.clone()),
                Value::Text(cores),
                Value::Text(memory),
                Value::Text(note),
            ],
            is_total: false,
        }
    });
    let sources = catalog.sources.values().map(|source| Row {
        cells: vec![Value::text(source.as_of.clone()), Value::Text(source.text.clone())],
        is_total: false,
    });
    let section = |id, heading, caption: &str, columns, rows| Section {
        id,
        heading,
        note: None,
        blocks: vec![Block::Table(Table { caption: caption.to_owned(), columns, rows, at_a_glance: true })],
    };
    let words = |name| Column::new(name, Quantity::Words);
    vec![
        section(
            "volumes",
            "Volumes",
            "Volumes",
            vec![words("volume"), words("level"), words("size, GiB"), words("latency"), words("note")],
            volumes.collect(),
        ),
        section(
            "machines",
            "Machines",
            "Machines",
            vec![words("machine"), words("vCPU"), words("memory, GiB"), words("note").optional()],
            machines.collect(),
        ),
        section("sources", "Sources", "Sources", vec![words("as of"), words("source")], sources.collect()),
    ]
}
