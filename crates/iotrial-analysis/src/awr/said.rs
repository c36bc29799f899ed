//! Facts in JSON are their sentences.

use iotrial_model::awr::{FileNote, SeriesNote, SlobNote};
use iotrial_words::awr as words;
use serde::{Serialize, Serializer};

pub(super) fn series_notes<S: Serializer>(notes: &[SeriesNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(words::series_note))
}

pub(super) fn slob_notes<S: Serializer>(notes: &[SlobNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(words::slob_note))
}

pub(super) fn file_notes<S: Serializer>(notes: &[FileNote], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Said<'n> {
        file: &'n str,
        why: String,
    }
    serializer.collect_seq(notes.iter().map(|one| Said { file: &one.file, why: words::file_fact(&one.fact) }))
}
