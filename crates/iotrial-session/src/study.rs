//! A study: several configurations, repeated and interleaved; resumes where it stopped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_measure::control::Control;
use iotrial_model::plan::PlanError;
use iotrial_model::record::AttributeValue;
use iotrial_model::study::{Cell, CellEnd, Configuration, Progress};
use iotrial_model::units::ByteSize;

use crate::fault::Fault;
use crate::observer::Observer;
use crate::quiet::QuietWait;
use crate::request::{Earlier, StudyRequest};
use crate::rig::RigError;
use crate::run::RunError;
use crate::setup::SetupError;
use crate::store::{NotKept, Store, StoreError};
use iotrial_model::foreign_text::{Listed, harmless};

mod file;
mod journal;
mod released;
mod shell;
mod outlook;
mod carry;
mod cells;
mod exchange;

pub use cells::{CellState, CellStatus, cells};
pub use exchange::{AddError, Added, Misfit, OfferedRecord, PartError, add, part};
pub use file::{EmbeddedError, StudyFile, StudyFileError, StudyRolesError};
pub use journal::StudyJournalError;
pub use outlook::{Foreseen, Outlook};

use carry::Carrier;
use file::Ways;
use journal::StudyJournal;
use released::Released;

/// Why a study could not be begun, looked at or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] StudyFileError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] StudyJournalError),
    /// There are more or fewer tokens than raw devices.
    #[error("there are {count} tokens, and the study has {} raw devices", devices.len())]
    Tokens {
        /// Tokens that were given.
        count: usize,
        /// The raw devices, in the order in which the study names them and wants their tokens.
        devices: Vec<String>,
    },
    /// A load does not fit its targets.
    #[error("configuration `{label}`, profile `{profile}`")]
    Setup {
        /// Label of the configuration, made harmless.
        label: String,
        /// As the study names it.
        profile: String,
        /// Boxed, because it is by far the largest of these errors.
        #[source]
        source: Box<SetupError>,
    },
    /// A load whose targets are not there yet could not be made wherever they are.
    #[error(transparent)]
    Unseen(SetupError),
    /// A load could not be made.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The same of a search, which makes several.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What was measured is not in the store, so that the measurement is not done.
    #[error(transparent)]
    NotKept(#[from] NotKept),
    /// Two configurations would not get the same load.
    #[error(
        "profile `{profile}` would work on {} of configuration `{}` and on {} of `{}`, which cannot be compared",
        one.1, one.0, other.1, other.0
    )]
    Sizes {
        /// As the study names it.
        profile: String,
        /// Label and working set of a configuration.
        one: (String, ByteSize),
        /// Label and working set of the first that differs by more than 5 %.
        other: (String, ByteSize),
    },
    /// It was begun, and nobody says what becomes of that.
    #[error("the study `{study}` was begun at {began_at}, and {done_count} of {count} measurements are done")]
    Begun {
        /// Name of the study.
        study: String,
        /// When it was begun, RFC 3339 in UTC.
        began_at: String,
        /// Measurements that are done.
        done_count: usize,
        /// Measurements that the study has in all.
        count: usize,
    },
    /// Another study was begun under its name.
    #[error("the study `{study}` is not the one that was begun at {began_at}")]
    Changed {
        /// Name of the study.
        study: String,
        /// When it was begun, RFC 3339 in UTC.
        began_at: String,
        /// One sentence for each key that is otherwise.
        #[source]
        changes: Listed,
    },
    /// What is attached now is not known.
    #[error("configuration `{label}` could not be detached: {reason}")]
    NotDetached {
        /// Label of the configuration, made harmless.
        label: String,
        /// What its command ended with.
        reason: String,
    },
    /// It does not have the profile that was asked for.
    #[error("the study `{study}` has no profile `{profile}`")]
    NoProfile {
        /// Name of the study.
        study: String,
        /// The name that was asked for, made harmless.
        profile: String,
        /// The names that it has, quoted, for the hint.
        profiles: Vec<String>,
    },
    /// There is nothing to compare.
    #[error("nothing of the study `{study}` is measured under `{profile}`")]
    NothingMeasured {
        /// Name of the study.
        study: String,
        /// As the study names it; of several all of them.
        profile: String,
    },
}

impl StudyError {
    fn setup(configuration: &Configuration, profile: &str, source: SetupError) -> Self {
        Self::Setup {
            label: harmless(&configuration.label),
            profile: profile.to_owned(),
            source: Box::new(source),
        }
    }
}

impl Fault for StudyError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Store(_)
            | Self::Journal(_)
            | Self::Rig(_)
            | Self::NotKept(_)
            | Self::NotDetached { .. } => false,
            Self::Setup { source, .. } => source.is_of_input(),
            Self::Unseen(error) => error.is_of_input(),
            Self::Run(error) => error.is_of_input(),
            Self::File(_)
            | Self::Tokens { .. }
            | Self::Sizes { .. }
            | Self::Begun { .. }
            | Self::Changed { .. }
            | Self::NoProfile { .. }
            | Self::NothingMeasured { .. } => true,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::File(error) => return error.hint(),
            Self::Store(error) => return error.hint(),
            Self::Journal(error) => return error.hint(),
            Self::Rig(error) => return error.hint(),
            Self::NotKept(error) => return error.hint(),
            Self::Run(error) => return error.hint(),
            Self::Tokens { devices, .. } if devices.is_empty() => "files and directories need none",
            Self::Tokens { devices, .. } => {
                return Some(format!("--destroy once for each, in this order: {}", devices.join(", ")));
            }
            Self::Setup { source, .. } => match &**source {
                SetupError::Plan(PlanError::DeviceNotReleased { .. }) => {
                    "`iotrial target DEVICE` shows what is on it, and the token: --destroy gives one for each raw device of the study, in the order in which it names them"
                }
                other => return other.hint(),
            },
            Self::Unseen(error) => return error.hint(),
            Self::Sizes { .. } => "give a `size` in [load] that all of them can hold",
            Self::Begun { .. } => {
                "--resume measures what is missing, --status shows it, --restart starts over"
            }
            Self::Changed { .. } => {
                "undo the changes, continue with --resume --accept-changes, which measures again what they affect, start over with --restart, or give the study another `name`; no measurement is lost"
            }
            Self::NotDetached { .. } => {
                "the study stops, because what is attached now is not known; put that right, then --resume"
            }
            Self::NoProfile { profiles, .. } => {
                return Some(format!("--profile takes one of {}", profiles.join(", ")));
            }
            Self::NothingMeasured { .. } => "`iotrial study FILE` measures it",
        };
        Some(hint.to_owned())
    }
}

/// How far a study came, whoever is carrying it out; `None` where it never began.
///
/// # Errors
///
/// When its journal cannot be read.
pub fn progress(file: &StudyFile, store: &Store) -> Result<Option<Progress>, StudyError> {
    Ok(StudyJournal::look(store, &file.study)?)
}

/// What a study would do, and nothing done: where there is no store, none is made.
///
/// # Errors
///
/// Whatever would keep it from beginning, as far as it can be known now.
pub fn outlook(
    file: &StudyFile,
    request: &StudyRequest,
    observer: &Arc<dyn Observer>,
) -> Result<Outlook, StudyError> {
    let place = request.store.as_deref();
    let is_resumed = matches!(request.earlier, Earlier::Resumed { .. });
    // To look must not leave a folder behind.
    let progress = if is_resumed {
        let store = Store::open_to_read(place, Arc::clone(observer))?;
        StudyJournal::look(&store, &file.study)?.map(|progress| progress.asked_now(&file.study))
    } else {
        None
    };
    let is_done = |progress: &Progress, cell: &Cell| matches!(progress.end_of(cell), CellEnd::Done { .. });
    let is_missing = |cell: &Cell| !progress.as_ref().is_some_and(|progress| is_done(progress, cell));
    let released = Released::of(file, &request.destroy)?;
    Outlook::of(
        file,
        &Ways { store: place, released: Some(&released), anonymous: false, host: Some(&request.host) },
        is_missing,
    )
}

/// A study that could be carried out: everything is looked at, and nothing touched.
pub struct ReadyStudy<'a> {
    file: &'a StudyFile,
    request: &'a StudyRequest,
    store: &'a Store,
    observer: Arc<dyn Observer>,
    /// `None` where it never began.
    journal: Option<StudyJournal>,
    released: Released,
    /// Why it would be refused, where an earlier program left something attached: that is detached all the same.
    outlook: Result<Outlook, StudyError>,
}

/// How far a study came, and what stopped it.
pub struct Carried {
    /// What is done.
    pub progress: Progress,
    /// Why it did not go on; `Ok` also where the user stopped it.
    pub result: Result<(), StudyError>,
}

impl<'a> ReadyStudy<'a> {
    /// Opens what was done before, and looks at all targets of what is missing. Whatever would be refused later is refused now.
    ///
    /// # Errors
    ///
    /// When the study was begun and is not to be resumed, when it changed, and when anything is wrong with its targets.
    pub fn new(
        file: &'a StudyFile,
        request: &'a StudyRequest,
        store: &'a Store,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, StudyError> {
        // The journal first, with its lock: everything that follows is of no use while another iotrial carries the study out.
        let journal = open_journal(file, request, store, &*observer)?;
        let is_missing = |cell: &Cell| journal.as_ref().is_none_or(|journal| !journal.is_done(cell));
        let released = Released::of(file, &request.destroy)?;
        let ways = Ways {
            store: request.store.as_deref(),
            released: Some(&released),
            anonymous: request.anonymous,
            host: Some(&request.host),
        };
        let outlook = Outlook::of(file, &ways, is_missing);
        let ready = Self { file, request, store, observer, journal, released, outlook };
        // A command that detaches is owed since the last time, whatever becomes of this one.
        match ready.outlook {
            Err(error) if ready.left_command().is_none() => Err(error),
            outlook => Ok(Self { outlook, ..ready }),
        }
    }

    /// Whether it runs commands of the study file, which are anybody's.
    pub fn runs_commands(&self) -> bool {
        self.left_command().is_some() || self.outlook.as_ref().is_ok_and(|outlook| outlook.runs_commands)
    }

    /// The command that runs first of all, because an earlier program was killed before it.
    pub fn left_command(&self) -> Option<String> {
        self.journal.as_ref().and_then(StudyJournal::attached).and_then(|(_, after)| after)
    }

    /// Measures what is missing here. A stop pulls `control`. Each measurement waits for a quiet host as `wait` says, and none without it.
    ///
    /// # Errors
    ///
    /// When the journal cannot be begun. What goes wrong later is in what comes back, beside what is done by then.
    pub fn carry_out(
        self,
        mut wait: Option<QuietWait<'_>>,
        control: Arc<Control>,
    ) -> Result<Carried, StudyError> {
        let Self { file, request, store, observer, journal, released, outlook } = self;
        // Not before: whoever refuses the commands of a study that never began leaves nothing of it.
        let journal = match journal {
            Some(journal) => journal,
            None => StudyJournal::create(store, &file.study)?,
        };
        let mut carrier = Carrier::new(file, request, store, journal, control, observer, released);
        carrier.wait = wait.as_mut().map(QuietWait::again);
        // First of all, and whatever else would be refused.
        let detached = carrier.detach_what_was_left();
        // What was attached may have been in the way.
        let outlook = detached.and_then(|()| outlook.or_else(|_| carrier.outlook(request)));
        let result = outlook.and_then(|outlook| carrier.carry_out(&outlook));
        Ok(Carried { progress: carrier.into_progress(), result })
    }
}

/// The journal of what was done before, where that is to be gone on with; `None` where nothing was.
fn open_journal(
    file: &StudyFile,
    request: &StudyRequest,
    store: &Store,
    observer: &dyn Observer,
) -> Result<Option<StudyJournal>, StudyError> {
    let study = &file.study;
    if request.earlier == Earlier::PutAside {
        let (journal, aside) = StudyJournal::restart(store, study)?;
        if let Some(aside) = aside {
            observer.warn(&format!("note: the earlier journal is kept as {}", aside.display()));
        }
        return Ok(Some(journal));
    }
    let Some(mut journal) = StudyJournal::open(store, study)? else { return Ok(None) };
    let changes = study.changes_since(journal.progress().study());
    let began_at = journal.progress().began_at.clone();
    if journal.progress().has_begun() && request.earlier == Earlier::Refused {
        let cells = study.cells();
        let done_count = cells.iter().filter(|cell| journal.is_done(cell)).count();
        let (study, count) = (study.name.clone(), cells.len());
        return Err(StudyError::Begun { study, began_at, done_count, count });
    }
    // Before what is done is held against the store: cells of a form of the study that is not accepted mean nothing.
    if !changes.is_empty() {
        let accepts_changes = request.earlier == Earlier::Resumed { accepts_changes: true };
        // Nothing was measured, so that no two measurements can be of different studies.
        if !journal.progress().is_untouched() && !accepts_changes {
            return Err(StudyError::Changed {
                study: study.name.clone(),
                began_at,
                changes: Listed(changes),
            });
        }
        journal.accept(study)?;
    }
    journal.settle(store)?;
    Ok(Some(journal))
}

/// A measurement of a study that is done.
pub struct Measured {
    /// Label of its configuration, as the study has it now.
    pub label: String,
    /// Attributes of its configuration, likewise.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Where its record is.
    pub record: PathBuf,
}

/// What is measured of the study in a file, for a comparison: under one of its profiles, or under all of them.
///
/// # Errors
///
/// When the study or its journal cannot be read, it does not have the profile, or nothing is measured under it.
pub fn measured(path: &Path, profile: Option<&str>, store: &Store) -> Result<Vec<Measured>, StudyError> {
    let StudyFile { study, .. } = StudyFile::read(path)?;
    let known = || study.profiles.iter().map(|one| format!("`{}`", harmless(one))).collect();
    if let Some(name) = profile.filter(|name| !study.profiles.iter().any(|profile| profile == name)) {
        let profile = harmless(name);
        return Err(StudyError::NoProfile { study: study.name.clone(), profile, profiles: known() });
    }
    // Of the study as its file is now: labels and attributes that were changed since are the ones to compare under.
    let progress = StudyJournal::look(store, &study)?;
    let is_meant = |cell: &CellStatus| {
        profile.is_none_or(|profile| cell.profile == profile) && cell.state == CellState::Done
    };
    let done = cells(&study, progress.as_ref(), store)?.into_iter().filter(is_meant);
    let measured: Vec<Measured> = done
        .filter_map(|cell| {
            Some(Measured { label: cell.label, attributes: cell.attributes, record: cell.record? })
        })
        .collect();
    if measured.is_empty() {
        let all = || study.profiles.iter().map(|one| harmless(one)).collect::<Vec<_>>().join(", ");
        let profile = profile.map_or_else(all, harmless);
        return Err(StudyError::NothingMeasured { study: study.name.clone(), profile });
    }
    Ok(measured)
}
