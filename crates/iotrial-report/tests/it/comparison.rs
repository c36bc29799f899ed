//! The document of a comparison, as shown.

use iotrial_analysis::comparison::{CompareRequest, Comparison, Sample};
use iotrial_model::table::PublishedTable;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::{TerminalStyle, render_terminal};

const TABLE: &str = r#"
format = "iotrial.table/1"
title = "Four"
[[row]]
id = "A"
label = "one volume\u001b[31m <b>"
attributes = { volumes = 1, driver = "virtio" }
read = { iops = 1000, lat_mean_us = 1000, lat_p99_us = 2000, lat_p999_us = 3000 }
cpu = { usr_percent = 1, sys_percent = 4 }
[[row]]
id = "B"
label = "=cmd()"
attributes = { volumes = 3, driver = "virtio" }
read = { iops = 1369, lat_mean_us = 730, lat_p99_us = 1500, lat_p999_us = 2500 }
cpu = { usr_percent = 2, sys_percent = 8 }
[[row]]
id = "C"
label = "three, with a name that is far too long for any terminal that people have on their desks"
attributes = { volumes = 3, driver = "sr-iov" }
read = { iops = 1350, lat_mean_us = 741, lat_p99_us = 1900, lat_p999_us = 6259 }
cpu = { usr_percent = 2, sys_percent = 8 }
"#;

fn document() -> Document {
    let table = PublishedTable::parse(TABLE).expect("the table is valid");
    let request = CompareRequest {
        gates: vec!["read.p99 <= +10%".parse().expect("a gate")],
        ..CompareRequest::default()
    };
    let comparison =
        Comparison::new(Sample::of_table(&table, "a table"), &request).expect("they are comparable");
    Document::of_comparison(&comparison)
}

#[test]
fn the_terminal_shows_the_answer_first_and_every_change() {
    insta::assert_snapshot!(render_terminal(&document(), TerminalStyle { width: 100, color: false }));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_none_steers_it() {
    for width in [32, 60, 80, 100, 140] {
        let text = render_terminal(&document(), TerminalStyle { width, color: false });
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        assert!(widest <= width, "{widest} of {width} columns:\n{text}");
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn html_has_the_same_changes_and_no_label_becomes_markup() {
    let page = render_html(&document()).expect("the template fits");
    for text in ["+36.9 ✓", "+108.6 ✗✗", "Recommended: B (=cmd())", "its read p99.9 is 2.5 times as long"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"));
}
