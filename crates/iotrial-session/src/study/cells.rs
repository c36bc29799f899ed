//! What is done of a study and what is missing: its journal held against the store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iotrial_model::record::AttributeValue;
use iotrial_model::study::{Cell, CellEnd, Progress, Study};
use serde::Serialize;

use crate::store::{Store, StoreError};

/// One measurement of a study. Its keys are an interface: `docs/study.md`.
#[derive(Debug, Clone, Serialize)]
pub struct CellStatus {
    /// Label of the configuration.
    pub label: String,
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// As the study names it.
    pub profile: String,
    /// Which repeat, counting from 1.
    pub repeat: u32,
    /// Whether another machine measures it.
    pub elsewhere: bool,
    /// How far it came.
    pub state: CellState,
    /// Where its record is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How far a measurement came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CellState {
    /// Its record is in the store.
    Done,
    /// It was tried.
    Failed,
    /// It was not tried, or stopped.
    Missing,
}

/// Every measurement of a study, configuration by configuration. `progress` is `None` where it never began.
///
/// # Errors
///
/// When the store cannot be listed.
pub fn cells(
    study: &Study,
    progress: Option<&Progress>,
    store: &Store,
) -> Result<Vec<CellStatus>, StoreError> {
    // Once for all cells: a look into the folder for each would list it a hundred times.
    let paths = store.paths_by_id()?;
    let asked_now = progress.map(|progress| progress.clone().asked_now(study));
    let status = |cell: Cell| {
        let end = asked_now.as_ref().map_or(&CellEnd::Missing, |progress| progress.end_of(&cell));
        let path = |record: &String| paths.get(record).cloned();
        let (state, record, reason) = match end {
            CellEnd::Done { record } => match path(record) {
                Some(path) => (CellState::Done, Some(path), None),
                // Somebody removed its record. To resume the study measures it again.
                None => (CellState::Missing, None, None),
            },
            CellEnd::Failed { reason, record } => {
                (CellState::Failed, record.as_ref().and_then(path), Some(reason.clone()))
            }
            CellEnd::Missing => (CellState::Missing, None, None),
        };
        let configuration = study.configuration(&cell.label).expect("cells are of the study");
        CellStatus {
            attributes: configuration.attributes.clone(),
            elsewhere: configuration.elsewhere,
            label: cell.label,
            profile: cell.profile,
            repeat: cell.repeat,
            state,
            record,
            reason,
        }
    };
    Ok(study.cells().into_iter().map(status).collect())
}
