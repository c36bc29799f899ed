//! Facts in JSON are their sentences.

use std::collections::BTreeMap;

use iotrial_model::awr::{
    CellState, ChangeCaution, FactorReason, FigureOrigin, FileNote, FleetNote, NoStandardEdition2, NotAdded,
    Part, PlainReads, Provided, RangeAssumption, RatesOf, Remark, ReplayNote, SeriesNote, SizeNote, SlobNote,
};
use iotrial_words::awr as words;
use serde::{Serialize, Serializer};

pub(super) fn remarks<S: Serializer>(all: &[Remark], serializer: S) -> Result<S::Ok, S::Error> {
    let severity = |one: &Remark| one.severity().as_str().to_owned();
    let said = |one| {
        [("id", Remark::id(one).to_string()), ("severity", severity(one)), ("text", words::remark(one))]
    };
    serializer.collect_seq(all.iter().map(|one| BTreeMap::from(said(one))))
}

pub(super) fn change_cautions<S: Serializer>(
    all: &[ChangeCaution],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let said = |one: &ChangeCaution| [("id", one.id().to_owned()), ("text", words::change_caution(one))];
    serializer.collect_seq(all.iter().map(|one| BTreeMap::from(said(one))))
}

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

pub(super) fn fleet_notes<S: Serializer>(notes: &[FleetNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(words::fleet_note))
}

pub(super) fn not_added<S: Serializer>(all: &[NotAdded], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Said<'n> {
        database: &'n str,
        why: String,
    }
    serializer.collect_seq(
        all.iter().map(|one| Said { database: &one.database, why: words::why_not_added(&one.why) }),
    )
}

pub(super) fn part<S: Serializer>(part: &Option<Part>, serializer: S) -> Result<S::Ok, S::Error> {
    part.as_ref().map(words::part).serialize(serializer)
}

pub(super) fn plain_reads<S: Serializer>(
    reads: &Option<PlainReads>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    reads.as_ref().map(words::plain_reads).serialize(serializer)
}

pub(super) fn size_notes<S: Serializer>(notes: &[SizeNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(words::size_note))
}

pub(super) fn factor_reason<S: Serializer>(reason: &FactorReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words::factor_reason(*reason))
}

pub(super) fn no_standard_edition_2<S: Serializer>(
    why: &Option<NoStandardEdition2>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    why.as_ref().map(words::no_standard_edition_2).serialize(serializer)
}

pub(super) fn provided<S: Serializer>(kind: &Provided, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words::provided(kind))
}

pub(super) fn cell_states<S: Serializer>(states: &[CellState], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(states.iter().map(words::cell_state))
}

pub(super) fn range_assumptions<S: Serializer>(
    all: &[RangeAssumption],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(words::range_assumption))
}

pub(super) fn replay_notes<S: Serializer>(notes: &[ReplayNote], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(words::replay_note))
}

pub(super) fn figure_origin<S: Serializer>(origin: &FigureOrigin, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words::figure_origin(origin))
}

pub(super) fn rates_of<S: Serializer>(of: &RatesOf, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words::rates_of(of))
}
