//! What is to be known of the figures of a fleet.

use iotrial_model::awr::{AwrFigure, BusierElsewhere, FleetNote};

use super::clock::Boundaries;
use super::{Consolidated, Piece, Placed};

/// A peak outside the common time that is so many times the one within is worth a word.
const BUSIER: f64 = 1.1;
/// Without one database the others have to be covered for so many times as long for that to be worth a word.
const WORTH_LEAVING_OUT: f64 = 1.5;
/// Snapshots that are less apart are at the same time.
const APART_S: i64 = 60;

pub(super) fn notes_of(
    placed: &[Placed<'_>],
    pieces: &[Piece<'_>],
    boundaries: &Boundaries,
    figures: &[Consolidated],
) -> Vec<FleetNote> {
    if placed.len() < 2 {
        return vec![FleetNote::FewerThanTwo];
    }
    let all_s = covered_s(pieces, |piece| (0..placed.len()).all(|member| has_report(piece, member)));
    let mut notes = covered(placed, pieces, all_s);
    notes.extend(busier_elsewhere(placed, pieces, figures));
    notes.extend(higher_in_part(placed, pieces, figures));
    let lost: usize = placed.iter().map(|one| one.series.intervals.len() - one.intervals.len()).sum();
    if lost > 0 {
        notes.push(FleetNote::NoPlace { intervals: lost });
    }
    let apart_s = boundaries.most_apart_s();
    if apart_s >= APART_S {
        notes.push(FleetNote::OneMoment { apart_s });
    }
    notes.push(FleetNote::OwnClocks);
    let longest_s =
        placed.iter().flat_map(|one| &one.intervals).map(|(span, _)| span.seconds()).fold(0.0, f64::max);
    notes.push(FleetNote::Averages { longest_s, has_sums: all_s > 0.0 });
    notes
}

fn has_report(piece: &Piece<'_>, member: usize) -> bool {
    piece.value(member, AwrFigure::Requests).is_some()
}

fn covered_s(pieces: &[Piece<'_>], is_it: impl Fn(&Piece<'_>) -> bool) -> f64 {
    pieces.iter().filter(|piece| is_it(piece)).map(|piece| piece.span.seconds()).sum()
}

/// How much of the time all databases have reports, and whom that depends on.
fn covered(placed: &[Placed<'_>], pieces: &[Piece<'_>], all_s: f64) -> Vec<FleetNote> {
    let count = placed.len();
    let any_s = covered_s(pieces, |_| true);
    let mut notes = Vec::new();
    if all_s <= 0.0 {
        let at_once = |piece: &Piece<'_>| (0..count).filter(|member| has_report(piece, *member)).count();
        let most = pieces.iter().map(at_once).max().unwrap_or(0);
        notes.push(FleetNote::NeverTogether { most, databases: count });
    } else if all_s < 0.99 * any_s {
        notes.push(FleetNote::PartlyTogether { any_s, all_s });
    }
    // With two, the other one alone would be no sum.
    if count > 2 && all_s < 0.99 * any_s {
        let without =
            |out: usize| covered_s(pieces, |piece| (0..count).all(|at| at == out || has_report(piece, at)));
        let best = (0..count).map(|out| (out, without(out))).max_by(|a, b| a.1.total_cmp(&b.1));
        let best = best.filter(|(_, covered)| *covered > WORTH_LEAVING_OUT * all_s.max(1.0));
        notes.extend(best.map(|(out, covered_s)| FleetNote::MoreWithout {
            database: placed[out].series.database.clone(),
            covered_s,
        }));
    }
    notes
}

/// Databases that were busier while others had no report.
fn busier_elsewhere(
    placed: &[Placed<'_>],
    pieces: &[Piece<'_>],
    figures: &[Consolidated],
) -> Option<FleetNote> {
    if !figures.iter().any(|one| one.figure == AwrFigure::Requests) {
        return None;
    }
    let highest = |member: usize, whole: bool| {
        let of_piece = |piece: &Piece<'_>| {
            let is_whole = (0..placed.len()).all(|other| has_report(piece, other));
            if is_whole == whole {
                Some((piece.value(member, AwrFigure::Requests)?, piece.span))
            } else {
                None
            }
        };
        pieces.iter().filter_map(of_piece).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut found: Vec<(f64, BusierElsewhere)> = Vec::new();
    for (member, one) in placed.iter().enumerate() {
        if let (Some((within, _)), Some((outside, span))) = (highest(member, true), highest(member, false))
            && outside > BUSIER * within
        {
            let database = one.series.database.clone();
            let busier = BusierElsewhere { database, requests_per_s: outside, begin: span.begin_text() };
            found.push((outside - within, busier));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let databases: Vec<BusierElsewhere> = found.into_iter().map(|(_, busier)| busier).collect();
    (!databases.is_empty()).then_some(FleetNote::BusierElsewhere(databases))
}

/// Times at which some of the databases already asked for more than all do in the time that is added up: the true peak is at least that.
fn higher_in_part(placed: &[Placed<'_>], pieces: &[Piece<'_>], figures: &[Consolidated]) -> Vec<FleetNote> {
    let higher = |figure: AwrFigure| {
        let all = figures.iter().find(|one| one.figure == figure)?;
        let part = |piece: &Piece<'_>| -> f64 {
            (0..placed.len()).filter_map(|member| piece.value(member, figure)).sum()
        };
        let highest = pieces.iter().max_by(|a, b| part(a).total_cmp(&part(b)));
        let piece = highest.filter(|piece| part(piece) > all.together.peak * (1.0 + 1e-9))?;
        let lacking = (0..placed.len()).filter(|member| piece.value(*member, figure).is_none());
        Some(FleetNote::HigherInPart {
            figure,
            per_s: part(piece),
            begin: piece.span.begin_text(),
            lacking: lacking.map(|at| placed[at].series.database.clone()).collect(),
        })
    };
    [AwrFigure::Requests, AwrFigure::Throughput].into_iter().filter_map(higher).collect()
}
