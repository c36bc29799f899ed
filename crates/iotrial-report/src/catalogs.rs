//! The document of catalogs: what they hold, how old they are, what they do not know.

use iotrial_model::demand::LatencyClass;
use iotrial_model::record::Severity;
use iotrial_sizing::age::ReliedOn;
use iotrial_sizing::catalog::{Catalog, Level, Machine, Processors, Source, VolumeKind};
use iotrial_words::sizing::old_figures;

use crate::document::{Block, Document, FindingLine, Front, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, TableOf, Value};

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
        let count = |number: usize| Value::Count(number as u64);
        let priced = |catalog: &Catalog| catalog.machines.iter().filter(|one| one.price.is_some()).count();
        let words = |name: &'static str| Column::new(name, Quantity::Words);
        let counts = |name: &'static str, group| Column::new(name, Quantity::Count).under(group);
        let table = TableOf::<&Catalog>::new("Catalogs")
            .words("catalog", |catalog| catalog.shown_provider())
            .column(words("region").optional(), |catalog| Value::text(catalog.region.clone()))
            .column(words("currency").optional(), |catalog| Value::Text(catalog.currency.clone()))
            .column(counts("volume", "kinds of"), |catalog| count(catalog.volumes.len()))
            .column(counts("all", "machines"), |catalog| count(catalog.machines.len()))
            .column(counts("priced", "machines").optional(), |catalog| count(priced(catalog)))
            .column(words("oldest").under("sources"), |catalog| Value::text(catalog.oldest().0))
            .column(words("newest").under("sources"), |catalog| Value::text(catalog.newest()))
            .rows(catalogs.iter().map(|one| one.catalog));
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
            front: Front::default(),
        }
    }
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
    let size = |level: &Level| match (level.size_min_gib, level.size_max_gib) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    let note = |machine: &Machine| match (&machine.gap, &machine.price) {
        (Some(gap), _) => gap.clone(),
        (None, None) => "no price".to_owned(),
        (None, Some(_)) => String::new(),
    };
    let levels = catalog.volumes.iter().flat_map(|kind| kind.levels.iter().map(move |level| (kind, level)));
    let volumes = TableOf::<(&VolumeKind, &Level)>::new("Volumes")
        .words("volume", |(kind, _)| kind.name.clone())
        .words("level", |(_, level)| level.name.clone())
        .words("size, GiB", |(_, level)| size(level))
        .words("latency", |(kind, _)| kind.latency.map_or("unknown", LatencyClass::as_str).to_owned())
        .words("note", |(_, level)| if level.price.is_some() { "" } else { "no price" }.to_owned())
        .rows(levels);
    let machines = TableOf::<&Machine>::new("Machines")
        .words("machine", |machine| machine.name.clone())
        .words("vCPU", |machine| processors(machine).0)
        .words("memory, GiB", |machine| processors(machine).1)
        .column(Column::new("note", Quantity::Words).optional(), |machine| Value::Text(note(machine)))
        .rows(&catalog.machines);
    let sources = TableOf::<&Source>::new("Sources")
        .column(Column::new("as of", Quantity::Words), |source| Value::text(source.as_of.clone()))
        .words("source", |source| source.text.clone())
        .rows(catalog.sources.values());
    let section = |id, heading, table| Section { id, heading, note: None, blocks: vec![Block::Table(table)] };
    vec![
        section("volumes", "Volumes", volumes),
        section("machines", "Machines", machines),
        section("sources", "Sources", sources),
    ]
}
