//! Which results of the store a name stands for: the word `last`, a label, an id, or a part of one.
//!
//! `last` is the newest of the past: a result that is said to be of a time to come would be the newest for years.

use std::path::{Path, PathBuf};

use super::kind::{Kind, file_name, stem};
use super::{Entry, Store, StoreError};
use crate::fault::Fault;
use crate::wall_clock;
use iotrial_model::foreign_text::harmless;

/// An ending with fewer characters is more likely a slip of the finger than a part of an id.
const SHORTEST_ENDING: usize = 4;

/// So many of the results that a name may mean are listed; the one that is wanted is mostly among the newest.
const MOST_CANDIDATES: usize = 3;

/// Why a name stands for no file of the store, or for several.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// It stands for none.
    #[error("`{name}` is neither a file nor an id or label in `{}`", folder.display())]
    None {
        /// As it was given.
        name: String,
        /// The store that was searched.
        folder: PathBuf,
    },
    /// Several ids have it as their beginning, or as their ending.
    #[error("`{name}` {begins} the ids of {count} results: {}", shown(newest, *count))]
    Several {
        /// As it was given.
        name: String,
        /// `begins` or `ends`.
        begins: &'static str,
        /// How many ids match.
        count: usize,
        /// The ids of the newest of them.
        newest: Vec<String>,
    },
    /// `last~5` of a store, or of a label, with fewer results.
    #[error("{}", too_far_back(name, *count, folder))]
    TooFarBack {
        /// As it was given.
        name: String,
        /// How many results there are to count back from.
        count: usize,
        /// The store that was searched.
        folder: PathBuf,
    },
    /// The store cannot be listed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn shown(newest: &[String], count: usize) -> String {
    let listed = newest.join(", ");
    match count - newest.len() {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

fn too_far_back(name: &str, count: usize, folder: &Path) -> String {
    let folder = folder.display();
    match count {
        0 => format!("there is no result for `{name}` in `{folder}`"),
        1 => format!("`{name}` goes further back than the only result in `{folder}`"),
        _ => format!("`{name}` goes further back than the {count} results in `{folder}`"),
    }
}

impl Fault for FindError {
    fn is_of_input(&self) -> bool {
        !matches!(self, Self::Store(_))
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::None { .. } => "`iotrial records` lists all results with their labels; `iotrial records --trash` those that were removed".to_owned(),
            Self::Several { .. } => {
                "write more of the id, or its last characters; `iotrial records` lists them all".to_owned()
            }
            Self::TooFarBack { count: 0, .. } => {
                "`iotrial records` lists all results with their labels; `iotrial run` makes one".to_owned()
            }
            Self::TooFarBack { .. } => "`last` is the newest, `last~1` the one before it".to_owned(),
            Self::Store(_) => return None,
        })
    }
}

/// `last`, `last~2`, `last:LABEL` and `last:LABEL~2`.
struct Newest<'n> {
    label: Option<&'n str>,
    /// How many newer ones are passed over.
    back: usize,
}

impl<'n> Newest<'n> {
    fn of(name: &'n str) -> Option<Self> {
        let rest = name.strip_prefix("last")?;
        let counted = rest.rsplit_once('~').and_then(|(rest, back)| Some((rest, back.parse().ok()?)));
        // A label may have a tilde of its own.
        let (rest, back) = counted.unwrap_or((rest, 0));
        match rest {
            "" => Some(Self { label: None, back }),
            _ => Some(Self { label: Some(rest.strip_prefix(':')?), back }),
        }
    }
}

impl Store {
    /// The results that a name stands for, the oldest first: the one that `last` means, all runs and imported results with that
    /// label, the one with that id, or all sweeps with that label.
    ///
    /// # Errors
    ///
    /// When there is none, or the name is a part of several ids.
    pub fn named(&self, name: &str) -> Result<Vec<PathBuf>, FindError> {
        if let Some(newest) = Newest::of(name) {
            return Ok(vec![self.newest(name, &newest)?]);
        }
        let labelled = self.labelled(&Kind::COMPARED, name)?;
        if !labelled.is_empty() {
            return Ok(labelled);
        }
        let missing = match self.with_id(name) {
            Ok(found) => return Ok(vec![found]),
            Err(error) => error,
        };
        // After the ids, because a label may stand for several sweeps, and few commands take more than one.
        let sweeps = self.labelled(&[Kind::Sweep], name)?;
        if sweeps.is_empty() { Err(missing) } else { Ok(sweeps) }
    }

    /// The one result that is meant by `last`, by an id or by a part of one.
    ///
    /// # Errors
    ///
    /// When there is none, or there are several.
    pub fn find(&self, name: &str) -> Result<PathBuf, FindError> {
        match Newest::of(name) {
            Some(newest) => self.newest(name, &newest),
            None => self.with_id(name),
        }
    }

    fn newest(&self, name: &str, wanted: &Newest<'_>) -> Result<PathBuf, FindError> {
        let is_wanted = |entry: &Entry| wanted.label.is_none() || entry.label.as_deref() == wanted.label;
        let mut entries = self.entries_of(&Kind::NAMED_BY_ID)?;
        entries.retain(is_wanted);
        let (now, count) = (wall_clock::now(), entries.len());
        let (ahead, past): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.is_ahead(now));
        if let Some(newest) = ahead.first() {
            let others = match ahead.len() {
                1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            let id = harmless(&newest.id);
            self.warn(&format!(
                "{id}{others} started in the future by the clock of this host; `last` prefers the past"
            ));
        }
        match past.into_iter().chain(ahead).nth(wanted.back) {
            Some(entry) => Ok(entry.path),
            None => Err(FindError::TooFarBack { name: name.to_owned(), count, folder: self.folder.clone() }),
        }
    }

    /// By the names of the files alone: an id must find its record even where the index cannot be written.
    fn with_id(&self, name: &str) -> Result<PathBuf, FindError> {
        let files = self.files(&Kind::NAMED_BY_ID)?;
        let wanted = name.to_lowercase();
        let begins =
            |path: &&PathBuf| !wanted.is_empty() && file_name(path).to_lowercase().starts_with(&wanted);
        // What was measured together shares the beginning of its ids, which is the time, but never their ending.
        let ends =
            |path: &&PathBuf| wanted.len() >= SHORTEST_ENDING && stem(path).to_lowercase().ends_with(&wanted);
        let mut matches: (&str, Vec<&PathBuf>) = ("begins", files.iter().filter(begins).collect());
        if matches.1.is_empty() {
            matches = ("ends", files.iter().filter(ends).collect());
        }
        let (begins, matches) = matches;
        match matches.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(FindError::None { name: name.to_owned(), folder: self.folder.clone() }),
            several => Err(FindError::Several {
                name: name.to_owned(),
                begins,
                count: several.len(),
                newest: several.iter().rev().take(MOST_CANDIDATES).map(|path| stem(path)).collect(),
            }),
        }
    }

    /// The results of some kinds that the user calls so, the oldest first.
    fn labelled(&self, kinds: &[Kind], label: &str) -> Result<Vec<PathBuf>, StoreError> {
        let mut entries = self.entries_of(kinds)?;
        entries.retain(|entry| entry.label.as_deref() == Some(label));
        Ok(entries.into_iter().rev().map(|entry| entry.path).collect())
    }
}
