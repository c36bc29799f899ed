//! The first words about one report: what the database asks, where its time goes, and what to look at.

use iotrial_analysis::awr::AwrAnswer;
use iotrial_analysis::words::{capital, number_in_words};
use iotrial_model::awr::AwrFigure;
use iotrial_model::finding::Severity;
use iotrial_words::awr as said;

use super::section;
use crate::document::{Answer, Block, PointList, Section};

/// At most this number of shares of DB time is named.
const MOST_LIMITS: usize = 4;

pub(super) fn opening(answer: &AwrAnswer) -> Section {
    let value = |figure| answer.figures.value(figure);
    let rates = match (value(AwrFigure::Reads), value(AwrFigure::Writes)) {
        (Some(reads), Some(writes)) => {
            format!("{} reads and {} writes per second", number_in_words(reads), number_in_words(writes))
        }
        _ => own_rates(answer).unwrap_or_else(|| "The report has no rates of I/O".to_owned()),
    };
    let headline = match &answer.part {
        Some(part) => format!("{}: {rates}", capital(&said::part(part))),
        None => rates,
    };
    let of = |is_it: fn(Severity) -> bool| -> Vec<String> {
        let remarks = answer.remarks.iter().filter(|remark| is_it(remark.severity()));
        remarks.map(said::remark).collect()
    };
    let mut lists = Vec::new();
    let limits = limit_points(&answer.limits);
    let warnings: Vec<String> = of(|severity| severity >= Severity::Warning)
        .into_iter()
        .chain(answer.awr.warnings.iter().map(ToString::to_string))
        .collect();
    for (heading, points) in [
        ("Where DB time goes", limits),
        ("Warnings", warnings),
        ("Remarks", of(|severity| severity == Severity::Note)),
    ] {
        if !points.is_empty() {
            lists.push(PointList { heading, points });
        }
    }
    let mut points: Vec<String> =
        answer.part.iter().filter_map(|part| part.on_cells.as_ref().map(said::on_cells)).collect();
    if answer.awr.interval.has_restart {
        points.push(
            "the instance was started within the interval: its counters began again at zero, so the rates are too low"
                .to_owned(),
        );
    }
    let block =
        Block::Statement(Answer { is_good: None, headline, sentence: sentence(answer), points, lists });
    section("answer", "", None, block)
}

/// What the Load Profile has where the totals are missing: I/O of the database without that of its redo, backups and control files.
fn own_rates(answer: &AwrAnswer) -> Option<String> {
    let value = |figure| answer.figures.value(figure);
    let pair = |read, write| Some((number_in_words(value(read)?), number_in_words(value(write)?)));
    let requests = pair(AwrFigure::DatabaseReads, AwrFigure::DatabaseWrites)
        .map(|(reads, writes)| format!("{reads} reads and {writes} writes per second"));
    let mib = pair(AwrFigure::DatabaseReadMib, AwrFigure::DatabaseWriteMib)
        .map(|(read, written)| format!("{read} MiB/s read and {written} MiB/s written"));
    let rates = requests.or(mib)?;
    Some(format!("{rates}, without redo, archives and backups"))
}

fn sentence(answer: &AwrAnswer) -> String {
    let value = |figure| answer.figures.value(figure);
    let mut parts = Vec::new();
    if let (Some(read), Some(write)) = (value(AwrFigure::ReadMib), value(AwrFigure::WriteMib)) {
        parts.push(format!(
            "{} MiB/s read and {} MiB/s written",
            number_in_words(read),
            number_in_words(write)
        ));
    }
    if let (Some(multi), Some(reads)) = (value(AwrFigure::MultiBlockReads), value(AwrFigure::Reads))
        && reads > 0.0
    {
        parts.push(match blocks_of_uncounted_reads(answer) {
            Some(blocks) => format!(
                "reads have {blocks:.0} blocks or more on average, although Oracle counts {:.0} % as multi-block: its counter begins at about 128 KiB",
                100.0 * multi / reads
            ),
            None => format!("{:.0} % of the reads are multi-block", 100.0 * multi / reads),
        });
    }
    if let Some(sessions) = value(AwrFigure::ActiveSessions) {
        parts.push(format!("{} sessions are active on average", number_in_words(sessions)));
    }
    match parts.as_slice() {
        [] => String::new(),
        parts => format!("{}.", parts.join("; ")),
    }
}

/// The largest shares of DB time, each with what it is.
pub(super) fn limit_points(limits: &[iotrial_analysis::awr::Limit]) -> Vec<String> {
    let shown = limits.iter().take(MOST_LIMITS);
    let mut points: Vec<String> =
        shown.clone().map(|limit| format!("{:.1} %: {}", limit.percent, limit.what)).collect();
    // A little more is rounding.
    if shown.map(|limit| limit.percent).sum::<f64>() > 100.5 {
        points.push(
            "together more than 100 %: AWR counts CPU time and waits separately, and they can overlap"
                .to_owned(),
        );
    }
    points
}

/// The number of blocks of a mean read that is not counted as multi-block, if there are several: in the reports at hand, reads of several
/// blocks below about 128 KiB are not in the counter, and they are not single-block reads either.
pub(super) fn blocks_of_uncounted_reads(answer: &AwrAnswer) -> Option<f64> {
    // Control files have blocks of 16 KiB: up to two blocks of a database do not show anything.
    const SEVERAL: f64 = 2.0;
    const LARGEST_MIB: f64 = 1.0;
    let value = |figure| answer.figures.value(figure);
    let (multi, single) = (value(AwrFigure::MultiBlockReads)?, value(AwrFigure::SingleBlockReads)?);
    // Each counted read has at most 1 MiB, so at least this much is left.
    let mib = value(AwrFigure::ReadMib)? - multi * LARGEST_MIB;
    let blocks = mib * 1024.0 / single / value(AwrFigure::BlockKib)?;
    (single > multi && blocks >= SEVERAL).then_some(blocks)
}
