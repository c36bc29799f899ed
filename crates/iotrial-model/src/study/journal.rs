//! The journal of a study: what is done and what is not, readable after a crash at any moment.
//!
//! One JSON document a line, in the order of time. The first line is the study itself with everything that it
//! needs, so that a study file that changed is noticed, and what changed can be listed. [`Progress::read`]
//! makes sense of whatever a crash left.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cell, Study};
use crate::toml_reader::Mistakes;

/// The value of `format` in the first line of a journal.
pub const JOURNAL_FORMAT: &str = "iotrial.study-journal/1";

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum JournalLine {
    /// The study that the lines below belong to: the first line, and again where the user accepted changes.
    Study {
        /// The format of the journal, always [`JOURNAL_FORMAT`].
        format: String,
        /// A ULID, the same in all these lines of a journal.
        id: String,
        /// RFC 3339, UTC.
        at: String,
        /// The study as [`Study::to_toml`] writes it.
        text: String,
    },
    /// The command before a configuration is about to run.
    Attached {
        /// Label of the configuration.
        label: String,
    },
    /// The command after a configuration was run.
    Detached {
        /// Label of the configuration.
        label: String,
    },
    /// A cell is about to be measured.
    Begun {
        /// The cell that is about to be measured.
        #[serde(flatten)]
        cell: Cell,
        /// Id of its record.
        record: String,
    },
    /// A cell is measured, and its record is in the store.
    Done {
        /// The cell that was measured.
        #[serde(flatten)]
        cell: Cell,
        /// Id of its record.
        record: String,
    },
    /// A cell could not be measured.
    Failed {
        /// The cell that could not be measured.
        #[serde(flatten)]
        cell: Cell,
        /// The reason, in words.
        reason: String,
        /// Id of its record, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<String>,
    },
}

impl JournalLine {
    /// The line with its end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("a line is plain data");
        bytes.push(b'\n');
        bytes
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A whole line that makes no sense.
    #[error("line {line} cannot be read")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What the JSON parser said.
        #[source]
        source: serde_json::Error,
    },
    /// A newer iotrial wrote it, or it is something else.
    #[error("its format is `{format}`, not `{JOURNAL_FORMAT}`")]
    Format {
        /// The format that the line names.
        format: String,
    },
    /// The study in it is not valid.
    #[error("line {line} holds no valid study")]
    Study {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        #[source]
        source: Mistakes,
    },
    /// The first line is not the study.
    #[error("it does not begin with a study")]
    NoStudy,
}

/// How far a cell came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellEnd {
    /// It is not measured.
    Missing,
    /// It could not be measured.
    Failed {
        /// The reason, in words.
        reason: String,
        /// Id of its record, where there is one.
        record: Option<String>,
    },
    /// It is measured.
    Done {
        /// Id of its record.
        record: String,
    },
}

/// A cell that was begun, and whose end is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunCell {
    /// The cell that was begun.
    pub cell: Cell,
    /// The id that its record has or would have.
    pub record: String,
}

/// How far a study came.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The journal's id, a ULID.
    pub id: String,
    /// When it began: RFC 3339, UTC.
    pub began_at: String,
    /// The study in all its forms, the latest last; at least one.
    studies: Vec<Study>,
    /// The latest end of each cell, and the form of the study for which it was measured.
    ends: BTreeMap<Cell, (usize, CellEnd)>,
    /// Begun and not ended, and the form of the study for which.
    begun: Option<(usize, BegunCell)>,
    /// Ids of the records of all cells that were ever begun.
    records: Vec<String>,
    /// The configuration whose command after it has not been run.
    attached: Option<(usize, String)>,
}

impl Progress {
    /// Reads a journal; also tells how many of its bytes are whole lines. What a crash left of a last line
    /// counts for nothing. `None` where not even the first line is whole.
    ///
    /// # Errors
    ///
    /// When a whole line makes no sense, as one of a newer iotrial.
    pub fn read(journal: &[u8]) -> Result<Option<(Self, usize)>, JournalError> {
        // A crash can only tear the last line, because each line is written at once and is on the disk before
        // the next.
        let whole = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let mut progress: Option<Self> = None;
        for (position, line) in journal[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let number = position + 1;
            let line =
                // A whole line that makes no sense is an error, unlike a torn one: skipping it could measure
                // a cell again or lose its end.
                serde_json::from_slice(line).map_err(|source| JournalError::Line { line: number, source })?;
            if let JournalLine::Study { format, id, at, text } = &line {
                if format != JOURNAL_FORMAT {
                    return Err(JournalError::Format { format: format.clone() });
                }
                let study =
                    Study::parse(text).map_err(|source| JournalError::Study { line: number, source })?;
                match &mut progress {
                    Some(progress) => progress.studies.push(study),
                    None => progress = Some(Self::new(id.clone(), at.clone(), study)),
                }
            } else {
                progress.as_mut().ok_or(JournalError::NoStudy)?.note(&line);
            }
        }
        Ok(progress.map(|progress| (progress, whole)))
    }

    /// The progress of a study of which nothing is done yet.
    pub fn new(id: String, began_at: String, study: Study) -> Self {
        Self {
            id,
            began_at,
            studies: vec![study],
            ends: BTreeMap::new(),
            begun: None,
            records: Vec::new(),
            attached: None,
        }
    }

    /// The study in its latest form.
    pub fn study(&self) -> &Study {
        self.studies.last().expect("a journal has a study")
    }

    /// The study goes on in another form.
    pub fn accept(&mut self, study: Study) {
        self.studies.push(study);
    }

    /// The progress of the study in the form that it has now.
    #[must_use]
    pub fn asked_now(mut self, study: &Study) -> Self {
        self.accept(study.clone());
        self
    }

    /// Takes a line about a cell or a configuration into account.
    pub fn note(&mut self, line: &JournalLine) {
        // The form that holds now; a cell that was begun under an earlier form and ends after a change still
        // belongs to the earlier one.
        let form = self.studies.len() - 1;
        let end = match line {
            JournalLine::Study { .. } => None,
            JournalLine::Attached { label } => {
                self.attached = Some((form, label.clone()));
                None
            }
            JournalLine::Detached { .. } => {
                self.attached = None;
                None
            }
            JournalLine::Begun { cell, record } => {
                self.records.push(record.clone());
                self.begun = Some((form, BegunCell { cell: cell.clone(), record: record.clone() }));
                None
            }
            JournalLine::Done { cell, record } => Some((cell, CellEnd::Done { record: record.clone() })),
            JournalLine::Failed { cell, reason, record } => {
                Some((cell, CellEnd::Failed { reason: reason.clone(), record: record.clone() }))
            }
        };
        if let Some((cell, end)) = end {
            // Only the end of this cell takes it: records of other machines may be added between a beginning
            // and its end.
            let begun = self.begun.take_if(|(_, begun)| begun.cell == *cell);
            let form = begun.map_or(form, |(form, _)| form);
            self.ends.insert(cell.clone(), (form, end));
        }
    }

    /// How far a cell of the study came. What was measured for an earlier form of the study counts only where
    /// nothing that could change the figures is otherwise.
    pub fn end_of(&self, cell: &Cell) -> &CellEnd {
        match self.ends.get(cell) {
            // Looked at each time instead of dropped at a change, because a change may be taken back.
            Some((form, end)) if self.study().asks_the_same(&self.studies[*form], cell) => end,
            _ => &CellEnd::Missing,
        }
    }

    /// The cell that was begun last, where its end is not known.
    pub fn begun(&self) -> Option<&BegunCell> {
        self.begun.as_ref().map(|(_, begun)| begun)
    }

    /// The ids of the records of all cells that were ever begun, whatever became of them: files that one of these runs made are the
    /// study's.
    pub fn records(&self) -> &[String] {
        &self.records
    }

    /// The configuration that was attached and not detached, and the command that detaches it, in the form of
    /// that time.
    pub fn attached(&self) -> Option<(&str, Option<&str>)> {
        let (form, label) = self.attached.as_ref()?;
        let configuration = self.studies[*form].configuration(label);
        Some((label, configuration.and_then(|configuration| configuration.after.as_deref())))
    }

    /// The form of the study in which that was attached.
    pub fn attached_form(&self) -> Option<&Study> {
        self.attached.as_ref().map(|(form, _)| &self.studies[*form])
    }

    /// Whether nothing was measured, tried or added.
    pub fn is_untouched(&self) -> bool {
        self.begun.is_none() && self.ends.is_empty()
    }

    /// Whether anything was measured here, or tried; records of other machines may be added before.
    pub fn has_begun(&self) -> bool {
        let is_here = |(cell, (form, _)): (&Cell, &(usize, CellEnd))| {
            self.studies[*form]
                .configuration(&cell.label)
                .is_some_and(|configuration| !configuration.elsewhere)
        };
        self.begun.is_some() || self.ends.iter().any(is_here)
    }
}
