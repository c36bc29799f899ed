//! The document of one result: which of its figures appear, and in which order. A section is there when what it needs is known.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::series::Series;
use iotrial_analysis::summary::{JobSummary, Summary};
use iotrial_analysis::verdict::Judged;
use iotrial_model::bound::Amount;
use iotrial_model::figure::Figure;
use iotrial_model::finding::Finding;
use iotrial_model::load::Role;
use iotrial_model::record::EndedHow;
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;
use iotrial_model::units::duration_in_words;
use jiff::Timestamp;

use crate::brief;
use crate::chart::ChartGroup;
use crate::curves;
use crate::document::{Block, Document, FindingLine, LONGEST_TITLE, Section, VerdictBlock};
use crate::figure_rows::{figures_row, figures_table, stream_rows};
use crate::front;
use crate::possible_causes;
use crate::proposals;
use crate::quantity::Quantity;
use crate::search;
use crate::settings;
use crate::stated;
use crate::steps;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;
use crate::verification;
use iotrial_words::numbers::seconds_in_words;

/// More metrics than this are left to the forms that can be scrolled.
const MOST_METRICS_AT_A_GLANCE: usize = 12;

impl Document {
    /// The document of one result. `summary` is the one of `subject`.
    pub fn of_result(subject: &Subject<'_>, summary: &Summary) -> Self {
        let series = Series::of(subject);
        let judged_by = &summary.verdict.judged;
        let sections = [
            Some(verdict(subject, summary)),
            verification::section(summary),
            search::search(summary),
            steps::steps(subject, summary),
            possible_causes::section(&summary.possible_causes),
            findings(&summary.findings),
            curves::throughput_over_time(subject, &series),
            curves::latency_over_time(subject, &series, judged_by),
            curves::latency_spread(subject),
            curves::latency_distribution(subject, &series, judged_by),
            by_role(subject, summary).or_else(|| in_all(subject, summary)),
            application(summary),
            arrivals(subject, summary),
            judged(summary),
            by_job(subject, summary),
            stated::distribution(subject),
            proposals::proposals(&summary.settings),
            settings::host(subject, summary),
            settings::targets(subject, summary),
            settings::load(subject, summary),
            stated::loads(subject),
            settings::profile(subject),
            stated::source(subject),
            stated::warnings(summary),
        ];
        let sections: Vec<Section> = sections.into_iter().flatten().collect();
        Self {
            front: front::of_result(subject, summary, &sections),
            title: cut(subject.title(), LONGEST_TITLE),
            byline: format!("{}, {}", started_at(subject), cut(&settings::tool(subject), LONGEST_TITLE)),
            in_brief: brief::in_brief(subject, summary),
            sections,
            chapters: Vec::new(),
        }
    }
}

/// The start for people: to the minute, in UTC. Text that is not a time is shown unchanged.
pub(crate) fn started_at(subject: &Subject<'_>) -> String {
    subject.measured_at.map_or_else(|| "time not stated".to_owned(), start_of)
}

/// The same for a time as written in a record.
pub(crate) fn start_of(started_at: &str) -> String {
    match started_at.parse::<Timestamp>() {
        Ok(start) => start.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => started_at.to_owned(),
    }
}

/// The verdict on a result, whoever measured it, and how it ended.
pub(crate) fn verdict(subject: &Subject<'_>, summary: &Summary) -> Section {
    let verdict = &summary.verdict;
    let reason = summary.ended_reason.as_deref();
    let told = |how: &str| reason.map_or_else(|| how.to_owned(), |reason| format!("{how}: {reason}"));
    let until_steady = subject.plan.and_then(|plan| plan.until_steady);
    let ended = match summary.ended.unwrap_or(EndedHow::Complete) {
        EndedHow::Complete => until_steady.zip(reason).map(|(until, reason)| {
            let round = duration_in_words(until.round);
            format!("The load was {reason}; the figures are those of its last five rounds of {round}")
        }),
        EndedHow::Interrupted => Some(told("The run was interrupted")),
        EndedHow::Failed => Some(told("The run failed")),
    };
    let words = iotrial_words::verdict::verdict(verdict);
    Section {
        id: "verdict",
        heading: "",
        note: None,
        blocks: vec![Block::Verdict(VerdictBlock {
            outcome: verdict.outcome,
            outcome_word: verdict.word(),
            headline: words.headline,
            category: verdict.category,
            sentence: words.sentence,
            advice: verdict.advice.as_ref().map(iotrial_words::verdict::advice),
            reasons: words.reasons,
            ended,
        })],
    }
}

/// What the reader should know about a result, whoever measured it.
pub(crate) fn findings(findings: &[Finding]) -> Option<Section> {
    (!findings.is_empty()).then(|| Section {
        id: "findings",
        heading: "Findings",
        note: None,
        blocks: vec![Block::Findings(findings.iter().map(FindingLine::of).collect())],
    })
}

/// How long was measured, if there is anything to show: a run that never reached its measured phase has nothing.
fn measured_s(summary: &Summary) -> Option<f64> {
    summary.measured_s.filter(|measured_s| *measured_s > 0.0)
}

/// The figures of each role; absent if the jobs had no roles before they ran.
fn by_role(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let measured_s = measured_s(summary).filter(|_| !summary.roles.is_empty())?;
    let mut rows = Vec::new();
    for (role, streams) in &summary.roles {
        let mine = subject.streams_of(|job| subject.jobs[job].role == Some(*role));
        rows.extend(stream_rows(&[role.as_str()], streams, &mine, false));
    }
    let mut all = subject.streams_of(|_| true);
    // Commits among other writes are already listed with their role, and are counted in these.
    if all.contains(&Stream::Write) {
        all.retain(|stream| *stream != Stream::Commit);
    }
    rows.extend(stream_rows(&["total"], &summary.total, &all, true));
    if all.len() > 1 {
        let figures = Figures::of_all(subject);
        rows.push(figures_row(&["total"], Stream::Mixed.key(), figures.as_ref(), true));
    }
    let at_a_glance = summary.verification.is_none();
    Some(Section {
        id: "roles",
        heading: "By role",
        note: Some(format!(
            "{}{} measured. Latency is total latency, from the time an I/O was created (in an open load, was due) to its completion.",
            of_peak(subject),
            seconds_in_words(measured_s)
        )),
        blocks: vec![Block::Table(figures_table("Figures by role", &["role"], rows, at_a_glance))],
    })
}

/// Which step the figures of a changing load belong to.
fn of_peak(subject: &Subject<'_>) -> String {
    let peak = subject.peak.and_then(|peak| subject.steps.get(peak));
    peak.map_or_else(String::new, |step| format!("The peak, {}: ", step.label()))
}

/// The figures of a result without roles: of all jobs, below those of each where there are several.
fn in_all(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let is_stated = subject.source.is_some();
    let name = match summary.jobs.as_slice() {
        [only] => only.name.as_str(),
        _ => "total",
    };
    let is_one_of_several = summary.jobs.len() > 1;
    let mut rows = if is_one_of_several { job_rows(subject, summary) } else { Vec::new() };
    let role = match summary.jobs.as_slice() {
        [only] => only.role,
        _ => None,
    };
    rows.extend(total_rows(subject, summary, &job_labels(summary, name, role), is_one_of_several));
    let has_any =
        summary.roles.is_empty() && !rows.is_empty() && (is_stated || measured_s(summary).is_some());
    has_any.then(|| Section {
        id: "figures",
        heading: "Figures",
        note: is_stated.then(|| {
            "Figures as given by the source, or computed exactly from it; anything it does not give is left out."
                .to_owned()
        }),
        blocks: vec![Block::Table(figures_table("Figures by job", job_columns(summary), rows, true))],
    })
}

/// What an application did meanwhile, as reported by the user.
fn application(summary: &Summary) -> Option<Section> {
    let row = |(name, value): (&String, &f64)| Row {
        cells: vec![Value::Text(name.clone()), Value::Number(*value)],
        is_total: false,
    };
    let rows: Vec<Row> = summary.metrics.iter().map(row).collect();
    let at_a_glance = rows.len() <= MOST_METRICS_AT_A_GLANCE;
    (!rows.is_empty()).then(|| Section {
        id: "application",
        heading: "Application",
        note: Some(
            "As stated by the application, its database or --metric; not measured by iotrial.".to_owned(),
        ),
        blocks: vec![Block::Table(Table {
            caption: "Metrics of the application".to_owned(),
            columns: vec![
                Column::new("metric", Quantity::Words),
                // Each row has a unit of its own, which is in its name.
                Column::new("value", Quantity::Unitless),
            ],
            at_a_glance,
            rows,
        })],
    })
}

/// Requested and achieved rates of the open jobs; absent if there are none.
fn arrivals(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let row = |job: &JobSummary| {
        let arrivals = job.arrivals?;
        let cells = vec![
            Value::Text(job.name.clone()),
            Value::number(arrivals.asked_iops),
            Value::Number(arrivals.done_iops),
            Value::Count(arrivals.not_issued_count),
        ];
        Some(Row { cells, is_total: false })
    };
    let rows: Vec<Row> = summary.jobs.iter().filter_map(row).collect();
    // In a closed load, those that follow other jobs have nothing to be compared with.
    let is_open = rows.iter().any(|row| matches!(row.cells[1], Value::Number(_)));
    let rates = Block::Table(Table {
        caption: "Rates of open jobs".to_owned(),
        columns: vec![
            Column::new("job", Quantity::Words),
            Column::new("requested", Quantity::Iops),
            Column::new("achieved", Quantity::Iops),
            Column::new("never issued", Quantity::Count),
        ],
        at_a_glance: true,
        rows,
    });
    is_open.then(|| Section {
        id: "arrivals",
        heading: "Rates by job",
        note: Some(
            "Requested and achieved rate of each job; for a log with group commit, commits are counted. A job that follows another one has no rate of its own."
                .to_owned(),
        ),
        blocks: std::iter::once(rates).chain(backlog(subject).map(Block::Charts)).collect(),
    })
}

fn backlog(subject: &Subject<'_>) -> Option<ChartGroup> {
    curves::backlog_over_time(subject.plan?, subject)
}

/// The figures of each job, below those of the roles.
fn by_job(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    measured_s(summary).filter(|_| !summary.roles.is_empty())?;
    let rows = job_rows(subject, summary);
    Some(Section {
        id: "jobs",
        heading: "By job",
        note: None,
        blocks: vec![Block::Table(figures_table("Figures by job", job_columns(summary), rows, false))],
    })
}

fn job_rows(subject: &Subject<'_>, summary: &Summary) -> Vec<Row> {
    let rows = summary.jobs.iter().enumerate().flat_map(|(index, job)| {
        let streams = subject.streams_of(|other| other == index);
        stream_rows(&job_labels(summary, &job.name, job.role), &job.streams, &streams, false)
    });
    rows.collect()
}

/// Jobs have a column for their role where one of them has a role.
fn job_columns(summary: &Summary) -> &'static [&'static str] {
    if summary.jobs.iter().any(|job| job.role.is_some()) { &["job", "role"] } else { &["job"] }
}

fn job_labels<'s>(summary: &Summary, name: &'s str, role: Option<Role>) -> Vec<&'s str> {
    let labels = [name, role.map_or("", Role::as_str)];
    labels[..job_columns(summary).len()].to_vec()
}

/// The figures of all jobs together, including those for which only a bound was printed.
pub(crate) fn total_rows(
    subject: &Subject<'_>,
    summary: &Summary,
    labels: &[&str],
    is_total: bool,
) -> Vec<Row> {
    let is_there = |stream: &&Stream| summary.total.get(**stream).is_some() || subject.has_bound(**stream);
    let row = |stream: &Stream| {
        let mut row = figures_row(labels, stream.key(), summary.total.get(*stream), is_total);
        // Behind the labels and the name of the stream.
        for (cell, figure) in row.cells.iter_mut().skip(labels.len() + 1).zip(Figure::ALL) {
            if let Some(bound) = subject.bound_of(*stream, figure) {
                *cell = Value::amount(Some(Amount::Bounded(bound)));
            }
        }
        row
    };
    Stream::ALL.iter().filter(is_there).map(row).collect()
}

fn judged(summary: &Summary) -> Option<Section> {
    let verdict = &summary.verdict;
    let step = summary.steps.iter().find(|step| Some(step.number) == verdict.step);
    let row = |judged: &Judged| Row {
        cells: vec![
            Value::Text(iotrial_words::verdict::roles_of(judged)),
            Value::Text(judged.stream.to_string()),
            Value::Text(judged.statistic.to_string()),
            Value::amount(Some(judged.amount())),
            Value::Number(judged.limit_us),
            Value::Category(judged.category),
            Value::text((!judged.devices.is_empty()).then(|| judged.devices.join(", "))),
        ],
        is_total: false,
    };
    let mut table = Table {
        caption: "Judged figures against their limits".to_owned(),
        columns: vec![
            Column::new("role", Quantity::Words),
            Column::new("stream", Quantity::Words),
            Column::new("statistic", Quantity::Words),
            Column::new("measured", Quantity::LatencyUs).under("lat"),
            Column::new("limit", Quantity::LatencyUs).under("lat"),
            Column::new("category", Quantity::Words),
            Column::new("device", Quantity::Words),
        ],
        rows: verdict.judged.iter().map(row).collect(),
        at_a_glance: false,
    };
    if verdict.judged.iter().all(|judged| judged.devices.is_empty()) {
        table.without_column(table.columns.len() - 1);
    }
    (!verdict.judged.is_empty()).then(|| Section {
        id: "judged",
        heading: "Judged figures",
        note: Some(format!(
            "{}By the threshold set “{}”. Below its limit a latency is acceptable.",
            step.map_or_else(String::new, |step| format!("Of {}, which decides. ", step.label)),
            verdict.thresholds
        )),
        blocks: vec![Block::Table(table)],
    })
}
