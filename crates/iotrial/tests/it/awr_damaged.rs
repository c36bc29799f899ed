//! `iotrial awr`: reports that are cut off, blanked, reset, restarted, packed, or no reports at all. They are small ones in Oracle's layouts,
//! written by hand.

use std::fs;

use crate::support::Bench;
use serde_json::Value;

const HTML: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");
const TEXT: &str = include_str!("../../../iotrial-import/tests/awr/instance-11204.txt");
const EXADATA: &str = include_str!("../../../iotrial-import/tests/awr/exadata-18c.html");

fn put(bench: &Bench, name: &str, text: impl AsRef<[u8]>) {
    fs::write(bench.path().join(name), text).unwrap();
}

/// Up to these words.
fn up_to<'t>(text: &'t str, words: &str) -> &'t str {
    &text[..text.find(words).unwrap()]
}

/// As one line, so that a test does not depend on where a screen breaks it.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_report_that_is_cut_off_says_so_before_its_figures_with_what_is_missing() {
    let bench = Bench::new();
    put(&bench, "cut.html", up_to(HTML, "<h3>Key Instance Activity"));
    let shown = joined(&bench.run(&["awr", "cut.html", "--details"]).expect_code(1).stdout);
    let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}\n{shown}"));
    let said = at("✗ The report is cut off in line 44, in or after “Wait Event Histogram”");
    assert!(said < at("1,000 reads and 500 writes per second"), "{shown}");
    at("no Instance Activity Stats: rates come from the summary at the beginning");
    at("no init.ora Parameters: there are no remarks about parameters");
    at("the last table, Wait Event Histogram, may lack rows");
    // What may be set further down is not at its default.
    assert!(!shown.contains("is at its default"), "{shown}");
    let json = bench.run(&["awr", "cut.html", "--json"]).expect_code(1).json();
    assert_eq!(json["cut_off"]["line"], 44);
    let missing: Vec<&str> = json["cut_off"]["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["section"].as_str().unwrap())
        .collect();
    assert_eq!(
        missing,
        [
            "Instance Activity Stats",
            "IOStat by Filetype",
            "Tablespace IO Stats",
            "Buffer Pool Advisory",
            "init.ora Parameters"
        ]
    );
    bench.run(&["awr", "cut.html", "--html", "page.html", "--details"]).expect_code(1);
    let page = fs::read_to_string(bench.path().join("page.html")).unwrap();
    assert!(page.contains("class=\"verdict bad\"") && page.contains("The report is cut off"), "{page}");
    let slob = joined(&bench.run(&["awr", "cut.html", "--slob", "--details"]).expect_code(1).stdout);
    assert!(slob.contains("cut.html: the report is cut off in line 44"), "{slob}");
    // A whole one says nothing of it.
    put(&bench, "whole.html", HTML);
    let whole = bench.run(&["awr", "whole.html", "--json"]).expect_code(0).json();
    assert_eq!(whole["cut_off"], Value::Null);
}

#[test]
fn a_report_of_exadata_that_ends_before_its_storage_servers_lacks_them() {
    let bench = Bench::new();
    put(&bench, "cut.html", up_to(EXADATA, "<h2>Exadata Server Configuration"));
    let json = bench.run(&["awr", "cut.html", "--json"]).expect_code(1).json();
    let missing = json["cut_off"]["missing"].to_string();
    assert!(missing.contains("Exadata Statistics"), "{missing}");
}

#[test]
fn what_is_cut_before_its_first_table_is_called_what_it_looks_like() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("all")).unwrap();
    // The first kilobytes of a page are its style sheet.
    put(&bench, "all/style.html", up_to(HTML, "</style>"));
    put(&bench, "all/heading.txt", up_to(TEXT, "DB Name"));
    for (file, line) in [("all/style.html", 2), ("all/heading.txt", 3)] {
        let refused = bench.run(&["awr", file]).expect_code(2).stderr;
        let why = format!("an AWR report that ends in line {line}, before its first table");
        assert!(
            refused.contains(&why) && refused.contains("hint: the file was probably cut off"),
            "{refused}"
        );
    }
    // In a folder such a file is none of the things that lie there by chance.
    put(&bench, "all/good.html", HTML);
    let ran = bench.run(&["awr", "all", "--json"]).expect_code(1);
    assert_eq!(ran.json()["unread"].as_array().unwrap().len(), 2);
    assert!(!ran.stderr.contains("not an AWR report"), "{}", ran.stderr);
}

#[test]
fn one_cut_report_among_many_is_named_at_the_top_and_in_the_demand() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("day")).unwrap();
    put(&bench, "day/a.html", HTML);
    let later = HTML
        .replace("<td>41</td>", "<td>42</td>")
        .replace(
            "<td>Begin Snap:</td><td>42</td><td>03-Mar-25 10:00",
            "<td>Begin Snap:</td><td>42</td><td>03-Mar-25 11:00",
        )
        .replace(
            "<td>End Snap:</td><td>42</td><td>03-Mar-25 11:00",
            "<td>End Snap:</td><td>43</td><td>03-Mar-25 12:00",
        );
    put(&bench, "day/b.html", up_to(&later, "<h3>init.ora"));
    let ran = bench.run(&["awr", "day", "--demand", "day.toml"]).expect_code(1);
    let shown = joined(&ran.stdout);
    let said = shown.find("✗ 1 of 2 reports is cut off").unwrap_or_else(|| panic!("{shown}"));
    assert!(said < shown.find("IOPS and").unwrap(), "{shown}");
    assert!(shown.contains("day/b.html: the report is cut off in line 58"), "{shown}");
    let demand = fs::read_to_string(bench.path().join("day.toml")).unwrap();
    assert!(demand.contains("day/b.html: the report is cut off"), "{demand}");
}

#[test]
fn a_report_without_waits_does_not_thin_out_the_causes_of_the_others() {
    let bench = Bench::new();
    let later = HTML
        .replace("03-Mar-25", "04-Mar-25")
        .replace("<td>41</td>", "<td>51</td>")
        .replace("<td>42</td>", "<td>52</td>");
    put(&bench, "whole.html", HTML);
    put(&bench, "cut.html", up_to(&later, "<h3>Foreground Wait"));
    let share = |files: &[&str], code: i32| {
        let json = bench.run(&[&["awr", "--json"], files].concat()).expect_code(code).json();
        let of = if files.len() == 1 { &json } else { &json["databases"][0] };
        let limits = of["limits"].as_array().unwrap();
        limits.iter().find(|one| one["what"] == "log file sync").unwrap()["percent"].as_f64().unwrap()
    };
    let alone = share(&["whole.html"], 0);
    assert!((share(&["whole.html", "cut.html"], 1) - alone).abs() < 1e-9, "{alone}");
}

#[test]
fn blanked_values_are_absent_and_nothing_is_made_of_them() {
    let bench = Bench::new();
    // Somebody took the numbers out before they sent it.
    let mut blank = String::new();
    for line in HTML.lines() {
        let is_figure = line.starts_with("<tr><td>physical") || line.starts_with("<tr><td>Total");
        let mut cells = line.split("<td>");
        blank.push_str(cells.next().unwrap());
        for (at, cell) in cells.enumerate() {
            let rest = cell.find("</td>").map_or("", |end| &cell[end..]);
            blank.push_str("<td>");
            blank.push_str(if is_figure && at > 0 { rest } else { cell });
        }
        blank.push('\n');
    }
    let blank = blank.replace("<td>900.0</td><td>9.0</td>", "<td></td><td></td>");
    put(&bench, "blank.html", blank);
    let shown = bench.run(&["awr", "blank.html"]).expect_code(0).stdout;
    assert!(shown.contains("The report has no rates of I/O"), "{shown}");
    let figures = bench.run(&["awr", "blank.html", "--json"]).expect_code(0).json()["figures"].take();
    for figure in ["reads_per_s", "writes_per_s", "read_mib_per_s"] {
        let one = &figures[figure];
        assert_eq!((&one["value"], &one["standing"]), (&Value::Null, &"absent".into()), "{figure}");
    }
    let refused = bench.run(&["awr", "blank.html", "--demand", "none.toml"]).expect_code(2).stderr;
    assert!(refused.contains("no I/O rates with sizes"), "{refused}");
    assert!(!bench.path().join("none.toml").exists());
}

#[test]
fn counters_that_were_reset_and_instances_that_were_restarted_are_the_first_thing_to_look_at() {
    let bench = Bench::new();
    let reset = HTML.replace("<td>3,600,000</td><td>1,000.00</td>", "<td>-3,600,000</td><td>-1,000.00</td>");
    put(&bench, "reset.html", reset);
    put(&bench, "restarted.html", HTML.replace("01-Mar-25 06:00", "03-Mar-25 10:30"));
    for (file, why) in [
        ("reset.html", "counters were reset within the interval"),
        ("restarted.html", "the instance was started at 2025-03-03T10:30"),
    ] {
        let shown = joined(&bench.run(&["awr", file, "--details"]).expect_code(0).stdout);
        let list = shown.split("Warnings • ").nth(1).unwrap_or_default();
        let first = list.split(" • ").next().unwrap_or_default();
        assert!(first.contains(why), "{why}\n{shown}");
    }
    let shown = joined(&bench.run(&["awr", "restarted.html", "--details"]).expect_code(0).stdout);
    let said = shown.find("its counters began again at zero, so the rates are too low").unwrap();
    assert!(said < shown.find("Where DB time goes").unwrap(), "{shown}");
    // With others as well.
    put(&bench, "other.html", EXADATA);
    let shown =
        joined(&bench.run(&["awr", "restarted.html", "other.html", "--details"]).expect_code(0).stdout);
    assert!(shown.contains("SHOP: restarted.html: the instance was started at"), "{shown}");
}

#[test]
fn what_is_no_report_in_english_of_one_period_is_refused_with_its_reason() {
    let bench = Bench::new();
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
    put(&bench, "german.html", translated);
    put(&bench, "page.html", "<html><title>Holidays</title><table><tr><td>1</td></tr></table></html>");
    put(&bench, "blog.html", "<html><title>AWR Report for DB beginners</title><p>Read on.</p></html>");
    for (file, why, hint) in [
        ("german.html", "no section has a name that iotrial knows", "Oracle writes its headings in English"),
        (
            "page.html",
            "it is not a result format that iotrial recognises",
            "`iotrial awr` takes AWR and Statspack reports",
        ),
        (
            "blog.html",
            "it is not a result format that iotrial recognises",
            "`iotrial awr` takes AWR and Statspack reports",
        ),
    ] {
        let refused = bench.run(&["awr", file]).expect_code(2).stderr;
        assert!(refused.contains(why) && refused.contains(hint), "{file}: {refused}");
    }
}

/// A gzip file that stores its content as it is (RFC 1951, 3.2.4; RFC 1952).
fn packed(content: &[u8]) -> Vec<u8> {
    let crc = content.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    });
    let mut all = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let blocks: Vec<&[u8]> = content.chunks(60_000).collect();
    for (at, block) in blocks.iter().enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        all.push(u8::from(at + 1 == blocks.len()));
        all.extend(length.to_le_bytes());
        all.extend((!length).to_le_bytes());
        all.extend(*block);
    }
    all.extend((!crc).to_le_bytes());
    all.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
    all
}

#[test]
fn packed_reports_in_a_folder_are_read_with_the_others() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("all")).unwrap();
    put(&bench, "all/shop.html.gz", packed(HTML.as_bytes()));
    put(&bench, "all/tiny.txt", TEXT);
    put(&bench, "all/notes.gz", packed(b"nothing of interest"));
    let ran = bench.run(&["awr", "all", "--json"]).expect_code(0);
    let json = ran.json();
    let names: Vec<&Value> =
        json["databases"].as_array().unwrap().iter().map(|one| &one["database"]).collect();
    assert_eq!(names, ["SHOP", "TINY"]);
    assert!(ran.stderr.contains("skipped 1 file in the folder that is not an AWR report: all/notes.gz"));
    // One that was cut is named, and the others are read.
    let cut = packed(HTML.as_bytes());
    put(&bench, "all/cut.html.gz", &cut[..cut.len() / 2]);
    let ran = bench.run(&["awr", "all", "--json"]).expect_code(1);
    let unread = ran.json()["unread"].take();
    assert!(unread.to_string().contains("all/cut.html.gz"), "{unread}");
}
