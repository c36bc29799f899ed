//! Configurations on other machines: the part of a study that is measured there, and the records that come back.

use std::path::PathBuf;

use iotrial_model::given_target::GivenTarget;
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::plan::{Job, Plan};
use iotrial_model::record::{EndedHow, METHOD_VERSION, RunRecord};
use iotrial_model::search::Search;
use iotrial_model::study::{Cell, CellEnd, Configuration, EmbeddedProfile, JournalLine, Progress, Study};
use iotrial_model::units::{ByteSize, duration_in_words};

use super::file::{StudyFile, StudyRolesError, Ways};
use super::journal::{StudyJournal, StudyJournalError};
use super::outlook::{is_same_size, working_set};
use crate::fault::{Fault, on_one_line};
use crate::setup::unseen_plan;
use crate::store::{AdoptError, Store};
use iotrial_model::foreign_text::harmless;

/// Why there is no part of a study for another machine.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The study has no configuration of that label.
    #[error("the study `{study}` has no configuration `{label}`")]
    Unknown {
        /// Name of the study.
        study: String,
        /// The label that was asked for, made harmless.
        label: String,
        /// The labels that it has, quoted, for the hint.
        labels: Vec<String>,
    },
    /// It is not meant for another machine.
    #[error("configuration `{label}` is measured here")]
    Here {
        /// The label of a configuration without `elsewhere`, made harmless.
        label: String,
    },
    /// Nobody says where the other machine measures.
    #[error("configuration `{label}` has no targets")]
    NoTargets {
        /// The label of a configuration without targets, made harmless.
        label: String,
    },
    /// The targets do not go together with the roles of the profiles.
    #[error("the targets of configuration `{label}`")]
    Roles {
        /// Its label, made harmless.
        label: String,
        /// What is wrong with them.
        #[source]
        source: StudyRolesError,
    },
}

impl Fault for PartError {
    fn is_of_input(&self) -> bool {
        true
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { labels, .. } => format!("it has {}", labels.join(", ")),
            Self::Here { .. } => "`elsewhere = true` gives it to another machine".to_owned(),
            Self::NoTargets { .. } => "--target says where the other machine measures".to_owned(),
            Self::Roles { source, .. } => return Some(source.hint()),
        })
    }
}

/// Why a study takes none of some records.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The file of the study has been changed since it was begun, so that its records may be of another load.
    #[error("the study `{study}` is not the one that was begun")]
    Changed {
        /// Name of the study.
        study: String,
    },
    /// One is not what the study asks for.
    #[error("`{}` cannot be added to the study `{study}`", path.display())]
    Misfit {
        /// Where the record was read from.
        path: PathBuf,
        /// Name of the study.
        study: String,
        /// What is otherwise.
        #[source]
        source: Misfit,
    },
    /// The store does not take one; those before it in the order of the user are a part of the study by now.
    #[error("cannot take `{}` into the store", path.display())]
    Adopt {
        /// Where the record was read from.
        path: PathBuf,
        /// Whether its id or the store is at fault.
        #[source]
        source: AdoptError,
    },
    /// The journal does not take one.
    #[error(transparent)]
    Journal(#[from] StudyJournalError),
}

/// In what a record is not what a study asks for, as a sentence about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(String);

impl Fault for AddError {
    fn is_of_input(&self) -> bool {
        matches!(self, Self::Changed { .. } | Self::Misfit { .. })
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Changed { .. } => "`iotrial study FILE --resume` says what changed, and how to go on",
            Self::Misfit { .. } => {
                "none of the records was taken; `iotrial study export` makes a part that measures the right load"
            }
            Self::Journal(error) => return error.hint(),
            Self::Adopt { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// The part of a study that another machine measures. `targets` are where that machine does, unless the study says so.
///
/// # Errors
///
/// When there is no such configuration, or it is measured here, or nobody says where.
pub fn part(file: &StudyFile, label: &str, targets: &[GivenTarget]) -> Result<Study, PartError> {
    let study = &file.study;
    let Some(configuration) = study.configuration(label) else {
        let labels = study.configurations.iter().map(|one| format!("`{}`", harmless(&one.label))).collect();
        return Err(PartError::Unknown { study: study.name.clone(), label: harmless(label), labels });
    };
    if !configuration.elsewhere {
        return Err(PartError::Here { label: harmless(label) });
    }
    let mut configuration = configuration.clone();
    if !targets.is_empty() {
        configuration.targets = targets.to_vec();
        // The study was read with the targets that it has, and these are others.
        file.check_roles(&configuration)
            .map_err(|source| PartError::Roles { label: harmless(label), source })?;
    }
    if configuration.targets.is_empty() && study.load.engine.is_none_or(|engine| engine.touches_targets()) {
        return Err(PartError::NoTargets { label: harmless(label) });
    }
    Ok(study.part(&configuration))
}

/// A record of a run that is offered to a study, as the program read it.
pub struct OfferedRecord {
    /// Where it was read from, for messages.
    pub path: PathBuf,
    /// What it says.
    pub record: RunRecord,
    /// The JSON that says it, unpacked: the store keeps it word for word, with what a newer version wrote into it.
    pub text: Vec<u8>,
}

/// What came of taking records into a study.
pub struct Added {
    /// How far the study is now.
    pub progress: Progress,
    /// The files whose records were a part of it already.
    pub known: Vec<PathBuf>,
}

/// Takes records into a study: all of them, or none.
///
/// # Errors
///
/// When one of them is not what the study asks for, or cannot be kept.
pub fn add(file: &StudyFile, store: &Store, offered: Vec<OfferedRecord>) -> Result<Added, AddError> {
    let mut journal = StudyJournal::open(store, &file.study)?;
    if let Some(journal) = &mut journal {
        if !file.study.changes_since(journal.progress().study()).is_empty() {
            return Err(AddError::Changed { study: file.study.name.clone() });
        }
        // A record that is gone from the store leaves its cell free for one of these.
        journal.settle(store)?;
    }
    let mut taken: Vec<Taken> = Vec::new();
    let mut known = Vec::new();
    for offered in offered {
        // With those that are taken so far, because several records of one configuration fill one repeat after the other.
        let cell = place(file, journal.as_ref(), &taken, &offered.record).map_err(|source| {
            let (path, study) = (offered.path.clone(), file.study.name.clone());
            AddError::Misfit { path, study, source }
        })?;
        match cell {
            Some(cell) => taken.push(Taken { cell, offered }),
            None => known.push(offered.path),
        }
    }
    // Not before all of them fit: a refusal leaves not even the journal of a study that never began.
    let mut journal = match journal {
        Some(journal) => journal,
        None => StudyJournal::create(store, &file.study)?,
    };
    // Each record first and then its line: a line without its record would be taken back.
    for Taken { cell, offered: OfferedRecord { path, record, text } } in taken {
        store.adopt(&record, &text).map_err(|source| AddError::Adopt { path, source })?;
        journal.note(JournalLine::Done { cell, record: record.id })?;
    }
    Ok(Added { progress: journal.progress().clone(), known })
}

/// Refuses a record with a sentence about it, unless something holds.
fn ensure(holds: bool, sentence: impl FnOnce() -> String) -> Result<(), Misfit> {
    if holds { Ok(()) } else { Err(Misfit(sentence())) }
}

/// A record and the cell that it fills.
struct Taken {
    cell: Cell,
    offered: OfferedRecord,
}

/// The cell that a record fills; `None` where it does so already.
fn place(
    file: &StudyFile,
    journal: Option<&StudyJournal>,
    taken: &[Taken],
    record: &RunRecord,
) -> Result<Option<Cell>, Misfit> {
    let study = &file.study;
    let misfit = |sentence: &str| Misfit(sentence.to_owned());
    let label = record.label.as_deref().ok_or_else(|| misfit("it has no label"))?;
    let configuration = study
        .configuration(label)
        .ok_or_else(|| Misfit(format!("the study has no configuration `{}`", harmless(label))))?;
    ensure(configuration.elsewhere, || format!("configuration `{}` is measured here", harmless(label)))?;
    // The record of a plain `iotrial run` names no study and is as good; one of another study was measured in its rounds, not in
    // those of this one.
    if let Some(place) = &record.study {
        let whole = study.whole_name();
        ensure(place.name == whole, || {
            format!("it is of the study `{}`, not of `{whole}`", harmless(&place.name))
        })?;
    }
    // What the record does not say is taken from the study. What it says otherwise would be compared under a wrong name.
    for (key, value) in &record.attributes {
        let wanted = configuration.attributes.get(key);
        ensure(wanted.is_none_or(|wanted| wanted == value), || {
            let (key, value) = (harmless(key), harmless(&value.to_string()));
            let wanted = wanted.map(ToString::to_string).unwrap_or_default();
            format!("its attribute `{key}` is {value}, not {wanted}")
        })?;
    }
    // By the text and not by the name: two machines may have files of one name that are not the same load.
    let is_profile = |one: &&EmbeddedProfile| one.text == record.profile;
    let profile = study.embedded.iter().find(is_profile).ok_or_else(|| {
        Misfit(format!(
            "its profile `{}` is not, word for word, one of the study",
            harmless(&record.plan.profile)
        ))
    })?;
    check_load(file, configuration, &profile.name, record)?;
    let cell = |repeat| Cell { label: label.to_owned(), profile: profile.name.clone(), repeat };
    let record_of = |cell: &Cell| {
        let of_journal = journal.and_then(|journal| match journal.progress().end_of(cell) {
            CellEnd::Done { record } => Some(record.as_str()),
            _ => None,
        });
        of_journal
            .or_else(|| taken.iter().find(|one| one.cell == *cell).map(|one| one.offered.record.id.as_str()))
    };
    if (1..=study.repeats).any(|repeat| record_of(&cell(repeat)) == Some(record.id.as_str())) {
        return Ok(None);
    }
    // Its own repeat, because it was measured with the seed of that round. A plain run takes the next that is missing.
    let wanted = match &record.study {
        Some(place) => place.repeat..=place.repeat,
        None => 1..=study.repeats,
    };
    let in_study = |repeat: &u32| (1..=study.repeats).contains(repeat);
    match wanted.clone().filter(in_study).map(cell).find(|cell| record_of(cell).is_none()) {
        Some(cell) => Ok(Some(cell)),
        None => Err(Misfit(match record_of(&cell(*wanted.start())) {
            Some(other) if wanted.start() == wanted.end() => {
                let (repeat, label, other) = (wanted.start(), harmless(label), harmless(other));
                format!("repeat {repeat} of `{label}` is measured by {other} already")
            }
            Some(_) => format!("all {} repeats of `{}` are measured already", study.repeats, harmless(label)),
            None => format!("it is repeat {} of {}", wanted.start(), study.repeats),
        })),
    }
}

/// Whether a record measured what the study asks of a configuration.
fn check_load(
    file: &StudyFile,
    configuration: &Configuration,
    profile: &str,
    record: &RunRecord,
) -> Result<(), Misfit> {
    ensure(record.ended.how == EndedHow::Complete, || "its run did not end as planned".to_owned())?;
    // Two methods may measure the same storage differently, and the difference would be told as one of the configurations.
    let method = record.tool.method_version;
    ensure(method == METHOD_VERSION, || format!("it was measured by method {method}, not {METHOD_VERSION}"))?;
    // The plan on a target that nobody has looked at: the other machine's is not here. So only what does not depend on the target is
    // compared below.
    let profile = &file.load(profile).profile;
    let request = file.request(configuration, profile, 1, &Ways::default());
    let asked = unseen_plan(&request, profile).map_err(|error| Misfit(on_one_line(&error)))?;
    let plan = &record.plan;
    ensure(plan.quick == asked.quick, || {
        let form = |plan: &Plan| if plan.quick { "quick" } else { "full" };
        format!("it is the {} form of the profile, not the {}", form(plan), form(&asked))
    })?;
    ensure(plan.direct == asked.direct, || {
        let access = |plan: &Plan| if plan.direct { "direct I/O" } else { "the page cache" };
        format!("it went through {}, not {}", access(plan), access(&asked))
    })?;
    ensure(plan.polled == asked.polled, || {
        let not = if plan.polled { "" } else { "not " };
        format!("its completions were {not}polled for")
    })?;
    ensure(plan.priority == asked.priority, || {
        format!("its priority was {}, not {}", plan.priority, asked.priority)
    })?;
    ensure(plan.until_steady.is_some() == asked.until_steady.is_some(), || {
        let not = if plan.until_steady.is_some() { "" } else { "not " };
        format!("it was {not}measured until steady")
    })?;
    let wanted = &file.study.load;
    let is_asked = match &record.search {
        // Steps of a need are a load that is measured, and not a search.
        None => wanted.latency_limit.is_none() && wanted.need == record.plan.need && !wanted.capacity,
        Some(search) => {
            let limit = match &search.limit {
                SearchLimit::Latency(limit) => Some(*limit),
                SearchLimit::Thresholds(_) => None,
            };
            let is_search = wanted.capacity || wanted.need.is_some() || wanted.latency_limit.is_some();
            is_search && limit == wanted.latency_limit && search.need == wanted.need
        }
    };
    ensure(is_asked, || match &record.search {
        Some(Search { limit, need: Some(need), .. }) => {
            format!("it is a search for whether {} stay within {}", need.in_words(), limit.in_words())
        }
        Some(search) => format!("it is a search for the highest rate within {}", search.limit.in_words()),
        None => "it is not the search for a rate that the study asks for".to_owned(),
    })?;
    // Another system has another usual engine: any that touches its targets will do, but no imagined device for a real one.
    let is_real = |plan: &Plan| plan.engine.touches_targets();
    ensure(is_real(plan) == is_real(&asked) && (is_real(plan) || plan.engine == asked.engine), || {
        format!("it was made by the engine `{}`, not `{}`", plan.engine.as_str(), asked.engine.as_str())
    })?;
    ensure(plan.until_steady == asked.until_steady, || "it was measured until it was steady".to_owned())?;
    ensure(plan.phases == asked.phases, || {
        let phases = |plan: &Plan| {
            let words = plan
                .phases
                .iter()
                .map(|phase| format!("{} {}", phase.kind.as_str(), duration_in_words(phase.duration)));
            words.collect::<Vec<_>>().join(", ")
        };
        format!("its phases are {}, not {}", phases(plan), phases(&asked))
    })?;
    ensure(loads(plan) == loads(&asked), || {
        "its jobs are not those of the profile, as after a search for a rate".to_owned()
    })?;
    // Without a size in the study, each machine takes what is free there.
    if file.study.load.size.is_some() {
        let (has, wants) = (working_set(plan), working_set(&asked));
        ensure(is_same_size(has, wants), || format!("its jobs worked on {has}, not {wants}"))?;
    }
    Ok(())
}

/// What the jobs of a plan do, wherever they do it.
fn loads(plan: &Plan) -> Vec<Job> {
    let load = |job: &Job| Job { areas: Vec::new(), working_set: ByteSize::default(), ..job.clone() };
    plan.jobs.iter().map(load).collect()
}
