//! What the forms of one document have in common.

use crate::fixture;

use iotrial_analysis::summary::Summary;
use iotrial_model::load::{Durability, Role, Spacing};
use iotrial_model::plan::Arrival;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::chart::{Chart, Span, SpanKind};
use iotrial_report::document::{Block, Document};
use iotrial_report::html::render_html;
use iotrial_report::table::Value;
use iotrial_report::terminal::{TerminalStyle, render_terminal};

fn document_of(record: &RunRecord) -> Document {
    let summary: Summary = fixture::summary(record);
    Document::of_result(&Subject::of_run(record), &summary)
}

/// The first two cells of every row of the table by role.
fn streams_by_role(document: &Document) -> Vec<String> {
    let table = document.tables().find(|table| table.at_a_glance).expect("the table by role");
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => panic!("a label is text, not {other:?}"),
    };
    table.rows.iter().map(|row| format!("{} {}", text(&row.cells[0]), text(&row.cells[1]))).collect()
}

fn chart<'d>(document: &'d Document, id: &str) -> &'d Chart {
    find_chart(document, id).expect("a chart with this id")
}

fn find_chart<'d>(document: &'d Document, id: &str) -> Option<&'d Chart> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let charts =
        blocks.filter_map(|block| if let Block::Charts(group) = block { Some(&group.charts) } else { None });
    charts.flatten().find(|chart| chart.id == id)
}

#[test]
fn terminal_and_html_show_the_same_figures_in_the_same_words() {
    let document = document_of(&fixture::oltp());
    let page = render_html(&document).unwrap();
    let text = render_terminal(&document, TerminalStyle { width: 140, color: false });
    let table = text.split("By role").nth(1).unwrap().split("Attributes").next().unwrap();
    let is_figure = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '.');
    let rows =
        table.lines().filter(|line| line.contains("read") || line.contains("write") || line.contains("all "));
    let figures: Vec<&str> = rows.flat_map(str::split_whitespace).filter(is_figure).collect();
    assert_eq!(figures.len(), 7 * 11);
    for figure in figures {
        assert!(page.contains(&format!("<td class=\"number\">{figure}</td>")), "{figure}");
    }
}

#[test]
fn a_second_in_which_a_stream_stands_still_has_a_rate_of_zero_and_no_latency() {
    let mut record = fixture::oltp();
    record.intervals[10].jobs.iter_mut().for_each(|job| job.read = None);
    let document = document_of(&record);
    let read_in_second_10 = |id: &str| chart(&document, id).lines[0].points[10];
    assert_eq!(read_in_second_10("chart-iops"), (10.5, Some(0.0)));
    assert_eq!(read_in_second_10("chart-lat-p99"), (10.5, None));
}

#[test]
fn a_backlog_is_drawn_at_the_end_of_each_interval_where_it_is_more_than_a_moments() {
    let mut record = fixture::oltp();
    let job_count = record.plan.jobs.len();
    record.plan.jobs[1].arrival = Arrival::Open { iops: 500.0, spacing: Spacing::Uniform, bursts: None };
    let mut with_backlog = |of_second: fn(u64) -> u64| {
        for (second, interval) in (1..).zip(&mut record.intervals) {
            interval.backlog = vec![0; job_count];
            interval.backlog[1] = of_second(second);
        }
        document_of(&record)
    };
    assert_eq!(find_chart(&with_backlog(|second| second % 3), "chart-backlog"), None);
    let document = with_backlog(|second| 10 * second);
    let chart = chart(&document, "chart-backlog");
    assert_eq!(chart.lines.len(), 1, "the closed jobs have none");
    assert_eq!(chart.lines[0].name, record.plan.jobs[1].name);
    assert_eq!(chart.lines[0].points[..2], [(1.0, Some(10.0)), (2.0, Some(20.0))]);
}

#[test]
fn the_ramp_is_drawn_and_marked_as_what_it_is() {
    let document = document_of(&fixture::oltp());
    let chart = chart(&document, "chart-iops");
    assert_eq!(chart.lines[0].points.len(), 35);
    assert_eq!(chart.spans, [Span { name: "ramp".to_owned(), kind: SpanKind::Apart, from: 0.0, to: 5.0 }]);
}

#[test]
fn log_writes_that_are_all_commits_are_shown_once_as_commits() {
    let expected = [
        "data read",
        "data write",
        "tempdb read",
        "tempdb write",
        "log commit",
        "total read",
        "total write",
        "total all",
    ];
    assert_eq!(streams_by_role(&document_of(&fixture::oltp())), expected);
}

#[test]
fn log_writes_that_are_not_durable_are_writes() {
    let mut record = fixture::oltp();
    record.plan.jobs.iter_mut().for_each(|job| job.durability = Durability::None);
    record.plan.jobs.iter_mut().filter(|job| job.role == Role::Tempdb).for_each(|job| job.role = Role::Data);
    let expected = ["data read", "data write", "log write", "total read", "total write", "total all"];
    assert_eq!(streams_by_role(&document_of(&record)), expected);
}
