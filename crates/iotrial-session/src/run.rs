//! A run: one load on one set of targets, and its record.

use std::path::PathBuf;
use std::sync::Arc;

use iotrial_analysis::rate_search::{RateSearch, SearchError};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::words::seconds_in_words;
use iotrial_measure::activity::ActivitySnapshot;
use iotrial_measure::control::Control;
use iotrial_model::plan::Plan;
use iotrial_model::record::RunRecord;
use iotrial_model::units::duration_in_words;

use crate::fault::Fault;
use crate::host_warning::HostWarnings;
use crate::observer::Observer;
use crate::quiet::note_during;
use crate::rig::{Rig, RigError, Saved, Trial};
use crate::setup::{Setup, is_of_input, search_hint};
use crate::store::NotKept;

mod rate_search;

/// A run that is over, however it ended.
pub struct Finished {
    /// The record as it is kept, with its findings.
    pub record: RunRecord,
    /// The file of the record in the store, or where it is instead.
    pub path: PathBuf,
    /// Whether the store took it. What was measured is shown first, whatever became of its file.
    pub kept: Result<(), NotKept>,
    /// The set that the request or else the profile names, to judge the record by.
    pub thresholds: ThresholdSet,
    /// Whether the targets were given back. The measurement is safe: what is wrong with them is for after it was shown.
    pub released: Result<(), RigError>,
}

/// Why a run has no record.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The load could not be made or kept.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The search for a rate cannot go on.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Fault for RunError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Rig(error) => error.is_of_input(),
            Self::Search(error) => is_of_input(error),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Rig(error) => error.hint(),
            Self::Search(error) => search_hint(error),
        }
    }
}

/// Lays the targets out, makes the load or the loads of a search, and keeps the record. A stop pulls `control`.
///
/// # Errors
///
/// When the load could not be made. A load that the user stopped, or that the device failed, has a
/// record that says so.
pub fn run(
    mut setup: Setup,
    control: Arc<Control>,
    observer: Arc<dyn Observer>,
) -> Result<Finished, RunError> {
    HostWarnings::default().tell(setup.seen_host.as_ref(), &setup.plan.profile, &*observer);
    let search = setup.search.take();
    let mut rig = Rig::new(setup, control, observer)?;
    // The journal before the layout, which takes minutes: after a crash in it, the next iotrial knows whose files are left there.
    let mut trial = rig.begin(rig.setup().plan.clone())?;
    let then = what_follows(rig.setup(), &trial.record.plan, search.as_ref());
    // A user who stops the layout gets a record all the same, which says that nothing was measured.
    if rig.prepare(&mut trial, &then)? {
        measure(&mut rig, &mut trial, search)?;
    }
    let Saved { record, kept } = rig.save(trial);
    let (path, kept) = match kept {
        Ok(path) => (path, Ok(())),
        Err(error) => (error.path.clone(), Err(error)),
    };
    let thresholds = rig.setup().thresholds.clone();
    // The record comes first: files that cannot be removed must not cost the measurement.
    let released = rig.release();
    Ok(Finished { record, path, kept, thresholds, released })
}

/// What is done once the files are there, and for how long.
pub(crate) fn what_follows(setup: &Setup, plan: &Plan, search: Option<&RateSearch>) -> String {
    let time = duration_in_words(plan.duration());
    match search {
        Some(search) => {
            let what = if search.has_staircase() {
                "finds out up to which share the needed rate is sustained"
            } else if search.search().need.is_some() {
                "finds out whether the needed rate is sustained"
            } else {
                "searches for the highest rate"
            };
            let whole = search.whole_time(setup.expected_layout_time());
            format!("{what}; everything together takes {} at most", seconds_in_words(whole.as_secs_f64()))
        }
        None if plan.until_steady.is_some() => format!("runs until it is steady, {time} at most"),
        None => format!("runs for {time}"),
    }
}

/// Makes the load of a trial that is prepared, or all loads of a search.
pub(crate) fn measure(rig: &mut Rig, trial: &mut Trial, search: Option<RateSearch>) -> Result<(), RunError> {
    // Not while it is measured: a table of a thousand processes takes some milliseconds to read.
    let touches_targets = trial.record.plan.engine.touches_targets();
    let before = touches_targets.then(ActivitySnapshot::now).flatten();
    match search {
        Some(search) if search.has_staircase() => rate_search::carry_out_steps(rig, trial, search)?,
        Some(search) => rate_search::carry_out(rig, trial, search)?,
        None => rig.run(trial)?,
    }
    note_during(&mut trial.record.host_activity, before.as_ref());
    rig.ask_for_metrics(trial);
    Ok(())
}
