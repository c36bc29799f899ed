//! What is to be known of the figures of a fleet.

use iotrial_model::awr::AwrFigure;
use iotrial_model::units::group_thousands;
use iotrial_model::words::in_brief;

use super::clock::{Boundaries, Span};
use super::{Consolidated, Piece, Placed};

/// A peak outside the common time that is so many times the one within is worth a word.
const BUSIER: f64 = 1.1;
/// Without one database the others have to be covered for so many times as long for that to be worth a word.
const WORTH_LEAVING_OUT: f64 = 1.5;
/// Names that one sentence has.
const MOST_NAMES: usize = 3;

fn hours(seconds: f64) -> String {
    let hours = seconds / 3_600.0;
    if hours >= 10.0 { format!("{hours:.0} hours") } else { format!("{hours:.1} hours") }
}

fn rounded(number: f64) -> String {
    group_thousands(&format!("{number:.0}"))
}

/// When it begins, without seconds.
fn minute(span: &Span) -> String {
    span.begin_text().get(..16).unwrap_or_default().replace('T', " ")
}

pub(super) fn notes_of(
    placed: &[Placed<'_>],
    pieces: &[Piece<'_>],
    boundaries: &Boundaries,
    figures: &[Consolidated],
) -> Vec<String> {
    let count = placed.len();
    if count < 2 {
        return vec!["fewer than two databases have reports with times, so nothing is added up".to_owned()];
    }
    let mut notes = Vec::new();
    let has = |piece: &Piece<'_>, member: usize| piece.value(member, AwrFigure::Requests).is_some();
    let seconds = |is_it: &dyn Fn(&Piece<'_>) -> bool| -> f64 {
        pieces.iter().filter(|piece| is_it(piece)).map(|piece| piece.span.seconds()).sum()
    };
    let all = seconds(&|piece| (0..count).all(|member| has(piece, member)));
    let any = seconds(&|_| true);
    if all <= 0.0 {
        let at_once = |piece: &Piece<'_>| (0..count).filter(|member| has(piece, *member)).count();
        let most = pieces.iter().map(at_once).max().unwrap_or(0);
        notes.push(match most {
            0 | 1 => "to add the databases up, give reports that cover the same period".to_owned(),
            most => format!(
                "at most {most} of the {count} databases have reports that cover the same time: give reports that cover the same period"
            ),
        });
    } else if all < 0.99 * any {
        notes.push(format!(
            "the reports cover {}, but only {} of it for all databases; only that part is added up",
            hours(any),
            hours(all)
        ));
    }
    // With two, the other one alone would be no sum.
    if count > 2 && all < 0.99 * any {
        let without = |out: usize| seconds(&|piece| (0..count).all(|at| at == out || has(piece, at)));
        let best = (0..count).map(|out| (out, without(out))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((out, covered)) = best.filter(|(_, covered)| *covered > WORTH_LEAVING_OUT * all.max(1.0))
        {
            notes.push(format!(
                "without {}, the reports of the other databases cover {} in common",
                placed[out].series.database,
                hours(covered)
            ));
        }
    }
    busier_elsewhere(placed, pieces, figures, &mut notes);
    higher_in_part(placed, pieces, figures, &mut notes);
    let lost: usize = placed.iter().map(|one| one.series.intervals.len() - one.intervals.len()).sum();
    if lost > 0 {
        let intervals =
            if lost == 1 { "one interval has".to_owned() } else { format!("{lost} intervals have") };
        notes.push(format!(
            "{intervals} no times, or times that contradict the length, and cannot be added up"
        ));
    }
    if boundaries.most_apart_s() >= 60 {
        let apart = match (boundaries.most_apart_s() + 30) / 60 {
            1 => "a minute".to_owned(),
            minutes => format!("{minutes} minutes"),
        };
        notes.push(format!(
            "snapshots of different databases that are up to {apart} apart count as the same moment"
        ));
    }
    notes.push(
        "times are those of each database's own host: the reports state neither the time zone nor whether the clocks agree"
            .to_owned(),
    );
    let longest =
        placed.iter().flat_map(|one| &one.intervals).map(|(span, _)| span.seconds()).fold(0.0, f64::max);
    let longest = match longest {
        ..100.0 => format!("{longest:.0} seconds"),
        ..7_200.0 => format!("{:.0} minutes", longest / 60.0),
        _ => hours(longest),
    };
    notes.push(match all > 0.0 {
        true => format!(
            "the sums use averages over up to {longest}: shorter peaks, and whether they coincide, are not known"
        ),
        false => format!("the reports have averages over up to {longest}: shorter peaks are not known"),
    });
    notes
}

/// Databases that were busier while others had no report.
fn busier_elsewhere(
    placed: &[Placed<'_>],
    pieces: &[Piece<'_>],
    figures: &[Consolidated],
    notes: &mut Vec<String>,
) {
    if !figures.iter().any(|one| one.figure == AwrFigure::Requests) {
        return;
    }
    let highest = |member: usize, whole: bool| {
        let of_piece = |piece: &Piece<'_>| {
            let is_whole = (0..placed.len()).all(|other| piece.value(other, AwrFigure::Requests).is_some());
            if is_whole == whole {
                Some((piece.value(member, AwrFigure::Requests)?, piece.span))
            } else {
                None
            }
        };
        pieces.iter().filter_map(of_piece).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut found: Vec<(f64, String)> = Vec::new();
    for (member, one) in placed.iter().enumerate() {
        if let (Some((within, _)), Some((outside, span))) = (highest(member, true), highest(member, false))
            && outside > BUSIER * within
        {
            let when = minute(&span);
            let words = format!("{} ({} IOPS from {when})", one.series.database, rounded(outside));
            found.push((outside - within, words));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !found.is_empty() {
        let more = match found.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names: Vec<String> = found.into_iter().take(MOST_NAMES).map(|(_, words)| words).collect();
        notes.push(format!(
            "while other databases had no report, some were busier than in the time that is added up: {}{more}; the true peak may be higher",
            names.join(", ")
        ));
    }
}

/// Times at which some of the databases already asked for more than all do in the time that is added up: the true peak is at least that.
fn higher_in_part(
    placed: &[Placed<'_>],
    pieces: &[Piece<'_>],
    figures: &[Consolidated],
    notes: &mut Vec<String>,
) {
    for (figure, unit) in [(AwrFigure::Requests, "IOPS"), (AwrFigure::Throughput, "MiB/s")] {
        let Some(all) = figures.iter().find(|one| one.figure == figure) else { continue };
        let part = |piece: &Piece<'_>| -> f64 {
            (0..placed.len()).filter_map(|member| piece.value(member, figure)).sum()
        };
        let highest = pieces.iter().max_by(|a, b| part(a).total_cmp(&part(b)));
        if let Some(piece) = highest.filter(|piece| part(piece) > all.together.peak * (1.0 + 1e-9)) {
            let lacking = (0..placed.len()).filter(|member| piece.value(*member, figure).is_none());
            let names: Vec<&str> = lacking.map(|at| placed[at].series.database.as_str()).collect();
            notes.push(format!(
                "the true peak is at least {} {unit}: the databases with a report reached this at {}, when {} had none",
                rounded(part(piece)),
                minute(&piece.span),
                in_brief(&names, MOST_NAMES, MOST_NAMES - 1)
            ));
        }
    }
}
