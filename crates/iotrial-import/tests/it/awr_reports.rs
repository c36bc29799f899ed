//! Small reports in the layouts of Oracle, written by hand: what is read, what is absent, what is refused. And whatever a file holds:
//! no panic.

use iotrial_import::awr::{AwrError, looks_like_awr, read_awr};
use iotrial_model::awr::{AwrKind, AwrReport, SegmentStatistic, Standing, WaitSide};
use proptest::prelude::*;

const HTML: &str = include_str!("../awr/instance-19c.html");
const KINDS: &str = include_str!("../awr/filetypes-19c.html");
const TEXT: &str = include_str!("../awr/instance-11204.txt");

fn read(text: &str) -> AwrReport {
    assert!(looks_like_awr(text.as_bytes()));
    read_awr(text.as_bytes()).unwrap().remove(0)
}

fn error(text: &str) -> AwrError {
    read_awr(text.as_bytes()).unwrap_err()
}

#[test]
fn a_page_has_identity_counters_and_waits_with_their_places() {
    let report = read(HTML);
    assert_eq!(report.kind, AwrKind::Instance);
    assert_eq!((report.database.name.as_str(), report.database.id), ("SHOP", Some(4711)));
    assert_eq!((report.running_instances, report.instances[0].number), (Some(2), Some(1)));
    assert_eq!(report.interval.begin.as_deref(), Some("2025-03-03T10:00:00"));
    assert_eq!(report.interval.elapsed_s.value(), Some(3600.0));
    let reads = &report.statistic("physical read total IO requests").unwrap().per_second;
    assert_eq!(reads.value(), Some(1000.0));
    assert_eq!(
        reads.place,
        "Other Instance Activity Stats › physical read total IO requests › per Second (line 51)"
    );
    let wait = report.wait("db file sequential read", WaitSide::Foreground).unwrap();
    assert_eq!((wait.mean_us.value(), wait.mean_us.standing), (Some(500.0), Standing::Printed));
    let edges: Vec<_> = report.histograms[0].buckets.iter().map(|one| one.below_us).collect();
    assert_eq!(edges, [Some(256.0), Some(512.0), Some(1000.0), None]);
    assert!(report.contradictions.is_empty() && report.warnings.is_empty(), "{report:?}");
}

#[test]
fn objects_are_read_from_a_page_and_from_text_and_other_tables_of_segments_are_not() {
    let table = |heading: &str, count: &str, row: &str| {
        format!(
            "<h3>{heading}</h3><ul><li>Total</li></ul><table><tr><th>Owner</th><th>Tablespace Name</th><th>Object Name</th>\
             <th>Subobject Name</th><th>Obj. Type</th><th>{count}</th><th>%Total</th></tr>{row}</table>"
        )
    };
    let orders = "<tr><td>SHOP</td><td>DATA</td><td>ORDERS</td><td>P1</td><td>TABLE PARTITION</td><td>1,200</td><td>60.00</td></tr>";
    let index = "<tr><td>SHOP</td><td>DATA</td><td>ORDERS_PK</td><td>&#160;</td><td>INDEX</td><td>300</td><td>15.00</td></tr>";
    let tables = [
        table("Segments by Physical Reads", "Physical Reads", &format!("{orders}{index}")),
        table("Segments by Physical Write Requests", "Phys Write Requests", index),
        table("Segments by Logical Reads", "Logical Reads", orders),
    ];
    let report = read(&HTML.replace("<p />End of Report", &(tables.concat() + "<p />End of Report")));
    let found: Vec<_> = report
        .segments
        .iter()
        .map(|one| (one.statistic, one.object.as_str(), one.subobject.as_deref(), one.percent.value()))
        .collect();
    assert_eq!(
        found,
        [
            (SegmentStatistic::PhysicalReads, "ORDERS", Some("P1"), Some(60.0)),
            (SegmentStatistic::PhysicalReads, "ORDERS_PK", None, Some(15.0)),
            (SegmentStatistic::WriteRequests, "ORDERS_PK", None, Some(15.0)),
        ]
    );
    assert_eq!(report.segments[0].count.value(), Some(1_200.0));

    let text = "\
Segments by Physical Reads                     DB/Inst: TINY/tiny  Snaps: 7-8
-> Total Physical Reads:           2,000
-> Captured Segments account for   75.0% of Total

           Tablespace                      Subobject  Obj.      Physical
Owner         Name    Object Name            Name     Type         Reads  %Total
---------- ---------- -------------------- ---------- ----- ------------ -------
SHOP       DATA       ORDERS               P1         TABLE        1,200   60.00
SHOP       DATA       ORDERS_PK                       INDEX          300   15.00
                          ------------------------------------------------------

";
    let report = read(&TEXT.replace("End of Report", &format!("{text}End of Report")));
    let found: Vec<_> = report
        .segments
        .iter()
        .map(|one| (one.object.as_str(), one.subobject.as_deref(), one.count.value(), one.percent.value()))
        .collect();
    let expected =
        [("ORDERS", Some("P1"), Some(1_200.0), Some(60.0)), ("ORDERS_PK", None, Some(300.0), Some(15.0))];
    assert_eq!(found, expected);
    assert_eq!(report.segments[0].kind, "TABLE");
}

#[test]
fn a_blanked_value_is_absent_and_not_zero() {
    let report = read(HTML);
    let blank = AwrReport::named(&report.load_profile, "Write IO requests").unwrap();
    assert_eq!((blank.value(), blank.standing), (None, Standing::Absent));
    assert_eq!(blank.note.as_deref(), Some("blank in the report"));
    assert_eq!(report.host.sockets.value(), None);
}

#[test]
fn text_is_cut_at_its_rulers_and_a_mean_without_digits_is_worked_out() {
    let report = read(TEXT);
    assert_eq!(report.io_profile_row("total requests").unwrap().read.value(), Some(100.0));
    assert_eq!(AwrReport::named(&report.efficiency, "Buffer Hit %").unwrap().value(), Some(95.5));
    // Cut off in the report.
    let multi = report.statistic("physical read total multi block requests").unwrap();
    assert_eq!(multi.per_second.value(), Some(10.0));
    let wait = report.wait("db file sequential read", WaitSide::Foreground).unwrap();
    assert_eq!(wait.mean_us.standing, Standing::Derived);
    assert!((wait.mean_us.value().unwrap() - 338.9).abs() < 0.1, "{wait:?}");
    let wide = report.wait("SQL*Net more data to client", WaitSide::Foreground).unwrap();
    assert_eq!(wide.mean_us.value(), Some(12_000.0));
    assert_eq!(wide.mean_us.standing, Standing::Derived);
}

#[test]
fn headers_of_11204_in_the_wrong_order_are_read_as_they_are_meant() {
    let report = read(TEXT);
    let one = &report.tablespaces[0];
    assert_eq!((one.writes.value(), one.single_block_reads_per_s.value()), (Some(72_000.0), Some(90.0)));
    assert_eq!((one.single_block_read_us.value(), one.writes.standing), (Some(300.0), Standing::Derived));
    assert_eq!(report.corrections.len(), 1);
    // Where rates and counts agree, nothing is moved.
    let right = TEXT.replace("  72000    90.0     0.3 ", "     90     0.3   72000 ");
    assert!(read(&right).corrections.is_empty());
    assert_eq!(read(&right).tablespaces[0].writes.value(), Some(72_000.0));
}

#[test]
fn a_restart_a_reset_counter_and_a_contradiction_are_reported() {
    let contradictions = |text: &str| read(text).contradictions.join("\n");
    let restarted = HTML.replace("01-Mar-25 06:00", "03-Mar-25 10:30");
    assert!(contradictions(&restarted).contains("the instance was started at 2025-03-03T10:30:00, within"));
    let reset = HTML.replace("<td>3,600,000</td><td>1,000.00</td>", "<td>-3,600,000</td><td>-1,000.00</td>");
    assert!(contradictions(&reset).contains("counters were reset within the interval: `physical read total"));
    assert_eq!(read(&reset).statistic("physical read total IO requests").unwrap().per_second.sound(), None);
    let other = HTML.replace("<td>1,500.0</td><td>1,000.0</td>", "<td>1,700.0</td><td>1,200.0</td>");
    assert!(contradictions(&other).contains("IO Profile has 1200.0 for Total Requests (read)"));
    let longer = HTML.replace("11:00:00", "13:00:00");
    assert!(contradictions(&longer).contains("the snapshots are 3 h apart"));
}

#[test]
fn what_is_no_report_of_one_period_is_refused_with_the_reason() {
    let compared = HTML.replace("AWR Report for DB", "AWR Compare Period Report for DB");
    assert!(matches!(error(&compared), AwrError::ComparePeriods));
    assert!(matches!(error("<html><title>My holidays</title></html>"), AwrError::Unknown));
    assert!(matches!(error("A page about a WORKLOAD REPOSITORY report for beginners."), AwrError::Unknown));
    // What is left of a download may end within the style sheet.
    let style = &HTML[..HTML.find("</style>").unwrap()];
    assert_eq!(error(style).to_string(), "an AWR report that ends in line 2, before its first table");
    let heading = &TEXT[..TEXT.find("DB Name").unwrap()];
    assert_eq!(error(heading).to_string(), "an AWR report that ends in line 3, before its first table");
    let cut = &HTML[..HTML.find("<h3").unwrap()];
    assert_eq!(error(cut).to_string(), "an AWR report that ends in line 18, before its first figures");
    // Nothing that iotrial looks for has its name any more.
    let mut translated = HTML.to_owned();
    for (english, other) in [
        ("Load Profile", "Lastprofil"),
        ("IO Profile", "EA-Profil"),
        ("Statistic", "Statistik"),
        ("DB Id", "Nr"),
        ("Snap Id", "Nr"),
    ] {
        translated = translated.replace(english, other);
    }
    let error = error(&translated);
    assert!(matches!(error, AwrError::UnknownSections { .. }), "{error}");
}

#[test]
fn a_report_that_was_cut_off_is_read_as_far_as_it_goes() {
    let cut = &HTML[..HTML.find("<h3>init.ora").unwrap()];
    let report = read(cut);
    let end = report.cut.unwrap();
    assert_eq!((end.line, end.after.as_str()), (58, "Other Instance Activity Stats"));
    assert!(read(HTML).cut.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_to_a_report_makes_a_panic(
        which in 0usize..3,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..200, "[<>&;#~ 0-9a-zA-Z\\-\u{e9}\n]{0,40}"), 1..12),
    ) {
        let mut text = [HTML, KINDS, TEXT][which].as_bytes().to_vec();
        for (at, length, with) in cuts {
            let at = at.index(text.len().max(1));
            let end = (at + length).min(text.len());
            text.splice(at..end, with.bytes());
        }
        // The words by which it is recognised stay, or nothing of it would be read.
        text.splice(0..0, *b"WORKLOAD REPOSITORY report for\n");
        if let Ok(reports) = read_awr(&text) {
            prop_assert!(!reports.is_empty());
        }
    }

    #[test]
    fn no_garbage_in_a_table_makes_a_panic(garbage in "(<[a-z/]{1,6}( colspan=[0-9]{1,9})?>|[-~]{3,60}|[ ]{1,20}|[a-zA-Z0-9.,:%#\u{3b1}]{1,12}|\n|DB/Inst:){0,400}") {
        for head in ["WORKLOAD REPOSITORY report for\n", "<html>WORKLOAD REPOSITORY report for<table>", "~~BEGIN-OS-INFORMATION~~\n~~BEGIN-MAIN-METRICS~~\n"] {
            let _ = read_awr(format!("{head}{garbage}").as_bytes());
        }
    }
}
