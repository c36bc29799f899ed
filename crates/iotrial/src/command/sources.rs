//! Which records are meant, by whatever name: files, folders of them, ids or labels in the store, studies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use iotrial_model::record::AttributeValue;
use iotrial_model::table::TABLE_FORMAT;
use iotrial_session::store::{Store, records_in};
use iotrial_session::study;

use crate::failure::Failure;
use crate::foreign;
use crate::store::open_store;

/// Label and attributes of a configuration, as a study has them.
pub type Name = (String, BTreeMap<String, AttributeValue>);

/// A record that is meant.
pub struct Source {
    /// Its file.
    pub path: PathBuf,
    /// What its configuration is called, where a study says it.
    pub name: Option<Name>,
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self { path, name: None }
    }
}

/// The records that are meant, in the order in which they were named. Of a study with several profiles `profile` says which.
pub fn find_sources(
    names: &[String],
    profile: Option<&str>,
    store_folder: Option<&Path>,
) -> Result<Vec<Source>, Failure> {
    let mut sources: Vec<Source> = Vec::new();
    // Paths need no store.
    let mut opened = None;
    let mut store = || match &opened {
        Some(store) => Ok(Rc::clone(store)),
        None => open_store(store_folder).map(|store| Rc::clone(opened.insert(Rc::new(store)))),
    };
    for name in names {
        let path = Path::new(name);
        if path.is_file() && is_toml(path) && !is_table(path) {
            let measured = study::measured(path, profile, &*store()?)?;
            let source =
                |one: study::Measured| Source { path: one.record, name: Some((one.label, one.attributes)) };
            sources.extend(measured.into_iter().map(source));
        } else if path.is_file() {
            sources.push(path.to_owned().into());
        } else if path.is_dir() {
            let records = records_in(path).map_err(Failure::input)?;
            // Without records of iotrial, it may be one of results of other tools.
            let found =
                if records.is_empty() { foreign::files_in(path).map_err(Failure::input)? } else { records };
            if found.is_empty() {
                let error = anyhow::anyhow!("the folder `{name}` has no records");
                return Err(Failure::input(error)
                    .hint("records end in .iotrial.json or .iotrial.json.zst".to_owned()));
            }
            sources.extend(found.into_iter().map(Source::from));
        } else {
            sources.extend(find_in_store(&*store()?, name)?.into_iter().map(Source::from));
        }
    }
    Ok(sources)
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Whether a file is a table of printed figures. A study that cannot be read has its own message.
pub fn is_table(path: &Path) -> bool {
    is_toml(path) && std::fs::read_to_string(path).is_ok_and(|text| text.contains(TABLE_FORMAT))
}

/// All records with the label, or the one with the id.
fn find_in_store(store: &Store, name: &str) -> Result<Vec<PathBuf>, Failure> {
    let labelled = store.labelled(name).map_err(Failure::execution)?;
    if !labelled.is_empty() {
        return Ok(labelled);
    }
    let found = store.find(name).map_err(|error| {
        Failure::from(error)
            .context(format!("no record is labelled `{name}`"))
            .hint("`iotrial records` lists what the store holds, with labels".to_owned())
    })?;
    Ok(vec![found])
}
