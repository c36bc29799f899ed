//! What the terminal shows.

use crate::fixture;

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading};
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::terminal::{TerminalStyle, render_screen, render_terminal};

fn text_of(record: &RunRecord, width: usize, color: bool) -> String {
    let document = Document::of_result(&Subject::of_run(record), &fixture::summary(record));
    render_terminal(&document, TerminalStyle { width, color })
}

/// The text without colours.
fn uncolored(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once('m').map_or("", |(_, rest)| rest))
}

fn all_records() -> [RunRecord; 6] {
    [
        fixture::oltp(),
        fixture::interrupted(),
        fixture::empty(),
        fixture::simulated(),
        fixture::hostile(),
        fixture::formulas(),
    ]
}

#[test]
fn a_terminal_of_80_columns_shows_verdict_findings_roles_and_circumstances() {
    insta::assert_snapshot!(text_of(&fixture::oltp(), 80, false));
}

#[test]
fn a_terminal_of_140_columns_shows_more_percentiles() {
    insta::assert_snapshot!(text_of(&fixture::oltp(), 140, false));
}

#[test]
fn a_narrow_terminal_shows_one_figure_a_line() {
    insta::assert_snapshot!(text_of(&fixture::oltp(), 50, false));
}

#[test]
fn the_line_of_the_host_has_the_shape_of_a_cloud_with_its_size_in_place_of_its_hypervisor() {
    let line = |facts: &[(FactId, FactValue)], virtualization: &str| {
        let fact = |(id, value): &(FactId, FactValue)| Fact {
            id: *id,
            reading: Reading::Known(value.clone()),
            from: String::new(),
        };
        let host = Part { facts: facts.iter().map(fact).collect(), ..Part::new(PartKind::Host, "db01") };
        let mut record = fixture::oltp();
        record.host_facts = Some(HostReport { name: "db01".to_owned(), host, chains: Vec::new() });
        record.host.virtualization = Some(virtualization.to_owned());
        let document = Document::of_result(&Subject::of_run(&record), &fixture::summary(&record));
        document.in_brief.into_iter().find(|(name, _)| *name == "Host").unwrap().1
    };
    let shape = (FactId::Shape, FactValue::text("VM.Optimized3.Flex"));
    let size = [(FactId::Ocpus, FactValue::Number(16)), (FactId::ShapeMemory, FactValue::Number(48 << 30))];
    let whole = line(&[&[shape.clone()][..], &size].concat(), "QEMU Standard PC");
    assert!(
        whole.contains(", VM.Optimized3.Flex (16 OCPUs, 48 GiB), ") && !whole.contains("QEMU"),
        "{whole}"
    );
    let alone = line(&[shape], "QEMU Standard PC");
    assert!(alone.contains(", VM.Optimized3.Flex, "), "{alone}");
    let named = line(&[(FactId::Shape, FactValue::text("r6id.8xlarge"))], "Amazon EC2 r6id.8xlarge");
    assert!(named.contains(", Amazon EC2 r6id.8xlarge, "), "{named}");
    assert!(line(&[], "QEMU Standard PC").contains("QEMU Standard PC"));
}

#[test]
fn an_interrupted_run_says_so_and_shows_what_there_is() {
    insta::assert_snapshot!(text_of(&fixture::interrupted(), 80, false));
}

#[test]
fn a_run_that_was_never_measured_says_why_and_has_no_tables() {
    insta::assert_snapshot!(text_of(&fixture::empty(), 80, false));
}

#[test]
fn a_run_with_errors_has_a_column_for_them() {
    insta::assert_snapshot!(text_of(&fixture::simulated(), 80, false));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for record in all_records() {
        for width in [32, 50, 60, 61, 72, 80, 100, 120, 140, 200] {
            for line in text_of(&record, width, false).lines() {
                assert!(line.chars().count() <= width, "{width} columns: {line}");
            }
        }
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    for record in all_records() {
        assert_eq!(uncolored(&text_of(&record, 80, true)), text_of(&record, 80, false));
    }
    assert!(text_of(&fixture::oltp(), 80, true).contains("\x1b["));
}

#[test]
fn names_from_files_cannot_steer_the_terminal() {
    let text = text_of(&fixture::hostile(), 80, false);
    let steers = |c: &char| (c.is_control() && *c != '\n') || *c == '\u{202e}';
    assert_eq!(text.chars().find(steers), None);
}

#[test]
fn several_runs_stand_side_by_side_and_then_each_has_its_verdict() {
    let document = fixture::document_of_several(&fixture::several());
    insta::assert_snapshot!(render_terminal(&document, TerminalStyle { width: 120, color: false }));
}

#[test]
fn many_runs_stand_side_by_side_only_and_where_each_is_by_itself_is_said() {
    let document = fixture::document_of_several(&fixture::several());
    let with = |count: usize| {
        let chapters = document.chapters.iter().cycle().take(count).cloned().collect();
        render_terminal(
            &Document { chapters, ..document.clone() },
            TerminalStyle { width: 120, color: false },
        )
    };
    let text = with(20);
    assert!(text.contains("--html shows each of the 20 on its own.") && !text.contains("By job"), "{text}");
    // However many there are, none of them adds a line.
    assert_eq!(text.lines().count(), with(40).lines().count());
}

#[test]
fn a_screen_has_no_more_lines_and_columns_than_it_is_given_and_ends_with_what_is_left_out() {
    let several = fixture::document_of_several(&fixture::several());
    let one = |record: &RunRecord| Document::of_result(&Subject::of_run(record), &fixture::summary(record));
    let documents = [
        one(&fixture::oltp()),
        one(&fixture::searched()),
        one(&fixture::interrupted()),
        one(&fixture::empty()),
        one(&fixture::simulated()),
        one(&fixture::hostile()),
        fixture::comparison(),
        fixture::kinds(),
        several,
    ];
    for document in &documents {
        for width in [80, 100, 140] {
            let style = TerminalStyle { width, color: false };
            let whole = render_terminal(document, style);
            for most_lines in [10, 16, 20, 24] {
                let text = render_screen(document, style, most_lines, "iotrial report last --details");
                assert!(text.lines().count() <= most_lines, "{width}, {most_lines}: {text}");
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
                let last = text.lines().last().unwrap_or_default();
                let ends_with_rest = last.starts_with("More: iotrial report last --details");
                assert_eq!(ends_with_rest, whole.lines().count() > most_lines, "{text}");
            }
            assert_eq!(render_screen(document, style, usize::MAX, ""), whole);
            // A command is not cut, since it is to be copied.
            let command = format!("iotrial report {} --details", "01JD".repeat(30));
            let text = render_screen(document, style, 10, &command);
            assert!(whole.lines().count() <= 10 || text.ends_with(&format!("More: {command}\n")), "{text}");
        }
    }
}
