//! `iotrial awr`: one report, many, and the demand that follows. The reports are small ones in Oracle's layouts, written by hand.

use std::fs;

use crate::support::Bench;

const HTML: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");
const TEXT: &str = include_str!("../../../iotrial-import/tests/awr/instance-11204.txt");

fn put(bench: &Bench, name: &str, text: &str) {
    fs::write(bench.path().join(name), text).unwrap();
}

/// The same report of another instance.
fn of_second_instance() -> String {
    HTML.replace("shop1", "shop2").replace("<td>shop2</td><td>1</td>", "<td>shop2</td><td>2</td>")
}

#[test]
fn one_report_says_what_the_database_asks_and_what_to_look_at() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    let shown = bench.run(&["awr", "one.html", "--details"]).expect_code(0).stdout;
    for words in [
        "AWR: SHOP",
        "One of 2 instances: 1,000 reads and 500 writes per second",
        "30.0 %: log file sync",
        "one of 2 instances: give the reports of all",
        "`log file sync` (foreground) takes 6.00 ms on average: critical",
        "hidden parameters are set: `_hidden_one`",
        "next: iotrial awr one.html --demand demand.toml",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let json = bench.run(&["awr", "one.html", "--json"]).expect_code(0).json();
    let figures = &json["figures"];
    assert_eq!(figures["single_block_reads_per_s"]["value"], 900.0);
    assert_eq!(figures["single_block_reads_per_s"]["standing"], "derived");
    assert_eq!(figures["mean_read_kib"]["value"], 16.0);
    assert_eq!(figures["redo_mib_per_s"]["value"], 1.0);
    assert_eq!(json["awr"]["host"]["sockets"]["standing"], "absent");
    assert_eq!(json["latencies"][0]["category"], "critical");
    bench
        .run(&["awr", "one.html", "--html", "one.page.html", "--xlsx", "one.xlsx", "--details"])
        .expect_code(0);
    let page = fs::read_to_string(bench.path().join("one.page.html")).unwrap();
    assert!(page.contains("What the database asks"), "{page}");
}

#[test]
fn time_that_is_neither_cpu_nor_a_wait_is_named_and_shares_are_of_the_time_model() {
    let bench = Bench::new();
    let check = |text: &str, cpu: f64, unknown: Option<&str>| {
        put(&bench, "one.html", text);
        let json = bench.run(&["awr", "one.html", "--json"]).expect_code(0).json();
        let limits = json["limits"].as_array().unwrap();
        let found = limits.iter().find(|one| one["what"] == "DB CPU").unwrap()["percent"].as_f64().unwrap();
        assert!((found - cpu).abs() < 1e-6, "{found}");
        let remarks = json["remarks"].as_array().unwrap();
        let remark = remarks.iter().find(|one| one["id"] == "unknown-db-time");
        assert_eq!(remark.map(|one| &one["text"].as_str().unwrap()[..4]), unknown);
    };
    // Waits have 50 % of 7,200 s, CPU has 1,800 s.
    check(HTML, 25.0, Some("25 %"));
    check(&HTML.replace("<td>1,800.00</td>", "<td>3,240.00</td>"), 45.0, None);
    // The header has minutes, and the time model says what they were.
    let row = "<tr><td>DB CPU</td><td>1,800.00</td>";
    let of_model = format!("<tr><td>DB time</td><td>7,500.00</td><td></td></tr>\n{row}");
    check(&HTML.replace(row, &of_model), 24.0, Some("26 %"));
}

#[test]
fn instances_of_a_cluster_add_up_and_the_same_report_counts_once() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("reports")).unwrap();
    put(&bench, "reports/a.html", HTML);
    put(&bench, "reports/a-again.html", HTML);
    put(&bench, "reports/b.html", &of_second_instance());
    put(&bench, "reports/c.txt", TEXT);
    put(&bench, "reports/readme.txt", "nothing of interest");
    let ran = bench.run(&["awr", "reports", "--json"]).expect_code(0);
    let note = "note: skipped 1 file in the folder that is not an AWR report: ";
    assert!(ran.stderr.contains(note) && ran.stderr.contains("readme.txt"), "{}", ran.stderr);
    let json = ran.json();
    let names: Vec<&str> =
        json["databases"].as_array().unwrap().iter().map(|one| one["database"].as_str().unwrap()).collect();
    assert_eq!(names, ["SHOP", "TINY"]);
    let shop = &json["databases"][0];
    assert_eq!(shop["intervals"][0]["figures"]["reads_per_s"], 2000.0);
    assert_eq!(shop["intervals"][0]["figures"]["mean_read_kib"], 16.0);
    assert!(shop["notes"].as_array().unwrap().is_empty(), "{shop}");
    assert_eq!(json["left_out"].as_array().unwrap().len(), 1);
    let shown = bench.run(&["awr", "reports", "--details"]).expect_code(0).stdout;
    assert!(shown.contains("covers the same snapshots"), "{shown}");
}

#[test]
fn a_demand_goes_to_size() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    bench.run(&["awr", "one.html", "--demand", "demand.toml"]).expect_code(0);
    let sized = bench.run(&["size", "--demand", "demand.toml", "--provider", "oci", "--json"]).expect_code(0);
    let streams = &sized.json()["demand"]["streams"];
    // Twice the average, because a single report does not say how high its peak is.
    assert_eq!(streams[0]["iops"], 2000.0);
    assert_eq!(streams[0]["block_size_bytes"], 16384.0);
    // Two databases have one of what they ask at the same time.
    put(&bench, "two.txt", TEXT);
    bench.run(&["awr", "one.html", "two.txt", "--demand", "both.toml"]).expect_code(0);
    let both = fs::read_to_string(bench.path().join("both.toml")).unwrap();
    assert!(both.contains("of 2 databases together, over 60 min that all of them cover"), "{both}");
    let doubled = ["awr", "one.html", "two.txt", "--factor-io", "2", "--demand", "twice.toml"];
    bench.run(&doubled).expect_code(0);
    let read = |name: &str| {
        let text = fs::read_to_string(bench.path().join(name)).unwrap();
        let iops = text.lines().find_map(|line| line.strip_prefix("iops = ")).unwrap().to_owned();
        iops.parse::<f64>().unwrap()
    };
    assert_eq!(read("twice.toml"), 2.0 * read("both.toml"));
    put(&bench, "later.txt", &TEXT.replace("03-Mar-25", "04-Mar-25"));
    let refused =
        bench.run(&["awr", "one.html", "later.txt", "--demand", "other.toml"]).expect_code(2).stderr;
    assert!(refused.contains("the reports of these 2 databases never cover the same time"), "{refused}");
    // One of them has.
    let named = ["awr", "one.html", "later.txt", "--database", "tiny", "--demand", "other.toml"];
    let shown = bench.run(&named).expect_code(0).stdout;
    assert!(
        shown.contains("AWR: TINY") && shown.contains("next: iotrial size --demand other.toml"),
        "{shown}"
    );
}

/// The report of an instance of its own: from `at` on, for so many minutes, with so many reads per second.
struct Made<'m> {
    database: &'m str,
    id: u32,
    snapshot: u32,
    day: u32,
    /// Minutes since midnight, and seconds.
    at: (u32, u32),
    minutes: u32,
    reads: u32,
}

impl Made<'_> {
    fn of(database: &str, hour: u32, reads: u32) -> Made<'_> {
        let id = u32::from(database.as_bytes()[0]);
        Made { database, id, snapshot: 100 + hour, day: 3, at: (60 * hour, 0), minutes: 60, reads }
    }

    fn text(&self) -> String {
        let time = |minutes: u32| {
            let (day, minutes) = (self.day + minutes / 1_440, minutes % 1_440);
            format!("{day:02}-Mar-25 {:02}:{:02}:{:02}", minutes / 60, minutes % 60, self.at.1)
        };
        let seconds = 60 * self.minutes;
        let count = |rate: u32| (rate * seconds).to_string();
        let counter = |name: &str, per_second: &str, total: &str, rate: u32| {
            let row = |total: &str, rate: &str| format!("<tr><td>{name}</td><td>{total}</td><td>{rate}</td>");
            (row(total, per_second), row(&count(rate), &rate.to_string()))
        };
        let own = |text: &str| text.to_owned();
        let changes = [
            (own(">SHOP<"), format!(">{}<", self.database)),
            (own(">4711<"), format!(">{}<", self.id)),
            (own("<td>shop</td>"), format!("<td>{}</td>", self.database.to_lowercase())),
            (own("<td>YES</td><td>NO</td>"), own("<td>NO</td><td>NO</td>")),
            (own("<td>1.5</td><td>2</td>"), own("<td>1.5</td><td>1</td>")),
            (own("<td>41</td>"), format!("<td>{}</td>", self.snapshot)),
            (own("<td>42</td>"), format!("<td>{}</td>", self.snapshot + 1)),
            (own("03-Mar-25 10:00:00"), time(self.at.0)),
            (own("03-Mar-25 11:00:00"), time(self.at.0 + self.minutes)),
            (own("  60.00 (mins)"), format!("  {}.00 (mins)", self.minutes)),
            (
                own("<td>1,500.0</td><td>1,000.0</td><td>500.0</td>"),
                format!("<td>{}.0</td><td>{}.0</td><td>500.0</td>", self.reads + 500, self.reads),
            ),
            (own("<td>900.0</td><td>9.0</td>"), format!("<td>{}.0</td><td>9.0</td>", self.reads)),
            counter("physical read IO requests", "900.00", "3,240,000", self.reads),
            counter("physical read total IO requests", "1,000.00", "3,600,000", self.reads),
            counter("physical read total multi block requests", "100.00", "360,000", 0),
            counter("physical write total IO requests", "500.00", "1,800,000", 500),
            counter("physical write total multi block requests", "50.00", "180,000", 50),
        ];
        // All at once, or an hour that was put in would be taken for one to be changed.
        let mut text = HTML.to_owned();
        for (at, (from, _)) in changes.iter().enumerate() {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, &format!("\u{1}{at}\u{1}"));
        }
        for (at, (_, to)) in changes.iter().enumerate() {
            text = text.replace(&format!("\u{1}{at}\u{1}"), to);
        }
        text
    }
}

fn put_all(bench: &Bench, folder: &str, made: &[Made<'_>]) {
    fs::create_dir_all(bench.path().join(folder)).unwrap();
    for (at, one) in made.iter().enumerate() {
        put(bench, &format!("{folder}/{}-{at}.html", one.database), &one.text());
    }
}

/// Reports of so many databases, the later the busier.
pub(crate) fn fleet(bench: &Bench, folder: &str, count: u32) {
    let names: Vec<String> = (0..count).map(|at| format!("DB{at:02}")).collect();
    let made: Vec<Made<'_>> = (0..).zip(&names).map(|(at, name)| Made::of(name, 9, 100 * (at + 1))).collect();
    put_all(bench, folder, &made);
}

#[test]
fn the_inventory_has_each_database_once_the_busiest_first_and_next_names_that_one() {
    let bench = Bench::new();
    fleet(&bench, "reports", 30);
    // What is broken as a result of another tool concerns nobody here.
    put(&bench, "reports/broken.json", "{ \"fio version\": \"fio-3.33\", \"jobs\": [");
    let ran = bench.run(&["awr", "reports"]).expect_code(0);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("reports/broken.json"), "{}", ran.stderr);
    let rows: Vec<&str> = ran.stdout.lines().filter(|line| line.trim_start().starts_with("DB")).collect();
    assert!(rows.len() > 5 && rows[0].contains("DB29") && rows[1].contains("DB28"), "{}", ran.stdout);
    let details = bench.run(&["awr", "reports", "--details"]).expect_code(0).stdout;
    let names = |at: u32| details.lines().filter(|line| line.contains(&format!("DB{at:02}"))).count();
    assert!((0..30).all(|at| names(at) > 0), "{details}");
}

fn figure<'j>(fleet: &'j serde_json::Value, key: &str) -> &'j serde_json::Value {
    let all = fleet["figures"].as_array().unwrap();
    all.iter().find(|one| one["figure"] == key).unwrap_or_else(|| panic!("{key}: {fleet:#}"))
}

#[test]
fn databases_are_added_up_at_the_same_time_and_their_peaks_are_not() {
    let bench = Bench::new();
    let day = [
        Made::of("ERP", 9, 1_000),
        Made::of("ERP", 10, 200),
        Made::of("ERP", 11, 200),
        Made::of("DWH", 9, 100),
        Made::of("DWH", 10, 100),
        Made::of("DWH", 11, 700),
    ];
    put_all(&bench, "day", &day);
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    let reads = figure(&json["fleet"], "reads_per_s");
    assert_eq!((&reads["together"]["peak"], &reads["apart"]["peak"]), (&1_100.0.into(), &1_700.0.into()));
    let average = |of: &str| reads[of]["average"].as_f64().unwrap();
    assert!((average("together") - average("apart")).abs() < 1e-9, "{reads}");
    assert_eq!(reads["peak_begin"], "2025-03-03T09:00:00");
    // With 500 writes of each.
    assert_eq!(figure(&json["fleet"], "requests_per_s")["together"]["peak"], 2_100.0);
    let shown = bench.run(&["awr", "day", "--details"]).expect_code(0).stdout;
    for words in [
        "Consolidated, the peak is 78 % of the sum of the peaks: 2,100 IOPS instead of 2,700",
        "ERP has its own peak when all together are busiest; other times: DWH from 2025-03-03 11:00",
        "the reports state neither the time zone",
        "next: iotrial awr day --demand fleet.toml --html fleet.html",
    ] {
        assert!(shown.replace("\n  ", " ").replace("  ", " ").contains(words), "{words}\n{shown}");
    }
    let written = ["awr", "day", "--demand", "fleet.toml", "--level", "peak", "--html", "fleet.html"];
    bench.run(&[&written[..], &["--xlsx", "fleet.xlsx", "--csv", "fleet.csv"]].concat()).expect_code(0);
    let demand = fs::read_to_string(bench.path().join("fleet.toml")).unwrap();
    assert!(demand.contains("iops = 1100.0") && demand.contains("databases: ERP, DWH"), "{demand}");
    let page = fs::read_to_string(bench.path().join("fleet.html")).unwrap();
    assert!(page.contains("class=\"layer hue-1\"") && page.contains("peaks added up"), "{page}");
    let csv = fs::read_to_string(bench.path().join("fleet.csv")).unwrap();
    assert!(csv.contains("Over time,Requests,DWH,2025-03-03T11:00:00,,Requests,IOPS,1200"), "{csv}");
    let sized = bench.run(&["size", "--demand", "fleet.toml", "--provider", "oci", "--json"]).expect_code(0);
    assert_eq!(sized.json()["demand"]["streams"][0]["iops"], 1_100.0);
}

#[test]
fn intervals_are_cut_where_any_database_begins_one_and_a_few_minutes_make_no_piece_of_their_own() {
    let bench = Bench::new();
    // ERP is busy until 10:00, DWH from 10:00 on by a clock that is two minutes slow: never at the same time.
    let before = |made: Made<'static>| Made { at: (made.at.0 - 2, 30), ..made };
    let day = [
        Made::of("ERP", 9, 1_000),
        Made::of("ERP", 10, 100),
        before(Made::of("DWH", 9, 100)),
        before(Made::of("DWH", 10, 1_000)),
    ];
    put_all(&bench, "day", &day);
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    assert_eq!(figure(&json["fleet"], "reads_per_s")["together"]["peak"], 1_100.0);
    assert!(json["fleet"]["notes"].to_string().contains("up to 2 min apart count as the same"), "{json:#}");
    // Half an hour apart they are: each average holds for its hour.
    let half = |made: Made<'static>| Made { at: (made.at.0 - 30, 0), ..made };
    put_all(
        &bench,
        "half",
        &[
            Made::of("ERP", 9, 1_000),
            Made::of("ERP", 10, 100),
            half(Made::of("DWH", 9, 100)),
            half(Made::of("DWH", 10, 1_000)),
        ],
    );
    let json = bench.run(&["awr", "half", "--json"]).expect_code(0).json();
    let reads = figure(&json["fleet"], "reads_per_s");
    assert_eq!((&reads["together"]["peak"], &reads["covered_s"]), (&2_000.0.into(), &5_400.0.into()));
    assert_eq!(reads["peak_begin"], "2025-03-03T09:30:00");
    // A clock in another time zone can be told.
    let moved = bench.run(&["awr", "half", "--clock", "dwh=+0:30", "--json"]).expect_code(0).json();
    assert_eq!(figure(&moved["fleet"], "reads_per_s")["together"]["peak"], 1_100.0);
    let refused = bench.run(&["awr", "half", "--clock", "CRM=1"]).expect_code(2).stderr;
    assert!(refused.contains("there is no database `CRM`; the reports have `DWH`, `ERP`"), "{refused}");
}

#[test]
fn only_time_that_is_covered_for_all_is_added_up_and_what_was_asked_otherwise_is_said() {
    let bench = Bench::new();
    let mut day: Vec<Made<'_>> =
        (0..6).map(|hour| Made::of("ERP", hour, if hour == 1 { 9_000 } else { 900 })).collect();
    day.extend((0..6).map(|hour| Made::of("CRM", hour, 300)));
    day.push(Made::of("HR", 4, 50));
    put_all(&bench, "day", &day);
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    let fleet = &json["fleet"];
    assert_eq!((&fleet["covered_s"], &fleet["covered_by_any_s"]), (&3_600.0.into(), &21_600.0.into()));
    assert_eq!(figure(fleet, "reads_per_s")["together"]["peak"], 1_250.0);
    let notes = fleet["notes"].to_string();
    for words in [
        "the reports cover 6 h, but only 60 min of it for all databases",
        "without HR, the reports of the other databases cover 6 h in common",
        "ERP (9,500 IOPS from 2025-03-03 01:00)",
        "the true peak is at least 10,300 IOPS",
    ] {
        assert!(notes.contains(words), "{words}\n{notes}");
    }
    // Never at the same time: no sum.
    put_all(&bench, "apart", &[Made::of("ERP", 1, 900), Made::of("CRM", 2, 300), Made::of("HR", 2, 50)]);
    let ran = bench.run(&["awr", "apart", "--details"]).expect_code(0).stdout;
    assert!(ran.contains("3 databases, "), "{ran}");
    assert!(ran.contains("at most 2 of the 3 databases have reports that cover the same time"), "{ran}");
    assert!(ran.contains("next: iotrial awr apart --database ERP --demand demand.toml"), "{ran}");
    let json = bench.run(&["awr", "apart", "--json"]).expect_code(0).json();
    assert_eq!(json["fleet"]["figures"], serde_json::json!([]));
    // A stack of what was never there together would be empty; the chapter of each database has its course.
    for (folder, is_stacked) in [("apart", false), ("day", true)] {
        let page = bench.run(&["awr", folder, "--html", "-"]).expect_code(0).stdout;
        assert_eq!(page.contains("<section id=\"course\""), is_stacked, "{folder}");
    }
}

#[test]
fn commands_that_do_not_read_awr_reports_name_the_one_that_does() {
    let bench = Bench::new();
    fleet(&bench, "reports", 2);
    assert_eq!(bench.run(&["import", "reports"]).expect_code(2).next(), ["awr", "reports"]);
    for command in ["audit", "report"] {
        let refused = bench.run(&[command, "reports"]).expect_code(2).stderr;
        assert!(refused.contains("hint: `iotrial awr reports`"), "{refused}");
    }
}

#[test]
fn the_next_command_asks_for_the_same_databases_and_makes_a_demand() {
    let bench = Bench::new();
    put_all(&bench, "apart", &[Made::of("ERP", 1, 900), Made::of("CRM", 2, 300), Made::of("HR", 2, 50)]);
    for (arguments, wanted) in [
        (&["awr", "apart"][..], "awr apart --database ERP --demand demand.toml"),
        (&["awr", "apart", "--database", "HR", "--details"], "awr apart --database HR --demand demand.toml"),
        (
            &["awr", "apart", "--database", "ERP", "--database", "CRM"],
            "awr apart --database ERP --demand demand.toml",
        ),
        (
            &["awr", "apart", "--database=CRM", "--database=HR"],
            "awr apart --database CRM --database HR --demand fleet.toml --html fleet.html",
        ),
    ] {
        let ran = bench.run(arguments).expect_code(0);
        assert_eq!(ran.next().join(" "), wanted);
        bench.run(&[&ran.next()[..], &["--overwrite"]].concat()).expect_code(0);
    }
}

#[test]
fn a_pluggable_database_is_not_counted_twice_with_the_one_it_is_plugged_into() {
    let bench = Bench::new();
    let containers = |names: &[&str]| {
        let rows: String = names.iter().map(|name| format!("<tr><td>1</td><td>{name}</td></tr>")).collect();
        format!(
            "<table><tr><th>Container DB Id</th><th>Container Name</th></tr>{rows}</table><p />\n<table><tr><th>Instance</th>"
        )
    };
    let with = |text: &str, names: &[&str]| {
        assert!(text.contains("<table><tr><th>Instance</th>"));
        text.replace("<table><tr><th>Instance</th>", &containers(names))
    };
    let of_one = |text: &str| {
        text.replace("WORKLOAD REPOSITORY report for", "WORKLOAD REPOSITORY PDB report (root snapshots)")
    };
    let whole = Made::of("SALES", 9, 1_000).text();
    fs::create_dir(bench.path().join("day")).unwrap();
    // The whole has all that are plugged into it, and is none of them.
    put(&bench, "day/whole.html", &with(&whole, &["PDB1", "PDB2", "CDB$ROOT"]));
    put(&bench, "day/one.html", &of_one(&with(&Made::of("SALES", 9, 600).text(), &["PDB1"])));
    put(&bench, "day/erp.html", &Made::of("ERP", 9, 300).text());
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    let names: Vec<&str> =
        json["databases"].as_array().unwrap().iter().map(|one| one["database"].as_str().unwrap()).collect();
    assert_eq!(names, ["ERP", "SALES", "SALES / PDB1"]);
    assert_eq!(figure(&json["fleet"], "reads_per_s")["together"]["peak"], 1_300.0);
    assert_eq!(json["fleet"]["not_added"][0]["database"], "SALES / PDB1");
}

#[test]
fn an_interval_whose_counters_were_reset_is_added_to_nothing() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("day")).unwrap();
    let reset = Made::of("ERP", 10, 5_000).text();
    let (from, to) = ("<td>18000000</td><td>5000</td>", "<td>-17</td><td>-0.01</td>");
    assert!(reset.contains(from));
    put(&bench, "day/a.html", &Made::of("ERP", 9, 100).text());
    put(
        &bench,
        "day/b.html",
        &reset.replace(from, to).replace("<td>5500.0</td><td>5000.0</td>", "<td></td><td></td>"),
    );
    put(&bench, "day/c.html", &Made::of("CRM", 9, 100).text());
    put(&bench, "day/d.html", &Made::of("CRM", 10, 100).text());
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    let reads = figure(&json["fleet"], "reads_per_s");
    assert_eq!((&reads["together"]["peak"], &reads["covered_s"]), (&200.0.into(), &3_600.0.into()));
    assert!(json["databases"].to_string().contains("counters were reset within the interval"), "{json:#}");
}

#[test]
fn a_folder_is_read_with_all_that_is_below_it_and_every_bad_file_is_named_with_its_reason() {
    let bench = Bench::new();
    put_all(&bench, "all/monday/erp", &[Made::of("ERP", 9, 100), Made::of("ERP", 10, 100)]);
    put_all(&bench, "all/crm", &[Made::of("CRM", 9, 100)]);
    let whole = Made::of("CRM", 10, 100).text();
    put(&bench, "all/cut.html", &whole[..whole.find("Load Profile").unwrap()]);
    put(&bench, "all/two.html", &whole.replace("AWR Report for DB", "AWR Compare Period Report for DB"));
    put(&bench, "all/page.html", "<html><title>Holidays</title><table><tr><td>1</td></tr></table></html>");
    let ran = bench.run(&["awr", "all", "--json"]).expect_code(1);
    assert!(
        ran.stderr.contains("note: skipped 1 file in the folder that is not an AWR report: all/page.html"),
        "{}",
        ran.stderr
    );
    let json = ran.json();
    let unread: Vec<String> = json["unread"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(unread.len(), 2, "{unread:?}");
    assert!(unread[0].contains("all/cut.html") && unread[0].contains("ends in line"), "{unread:?}");
    assert!(unread[1].contains("all/two.html") && unread[1].contains("compare-period"), "{unread:?}");
    assert_eq!(json["databases"].as_array().unwrap().len(), 2);
    let shown = bench.run(&["awr", "all", "--details"]).expect_code(1).stdout;
    assert!(shown.contains("Could not be read"), "{shown}");
}

#[test]
fn one_bad_file_among_many_does_not_stop_the_rest() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    put(&bench, "compared.html", &HTML.replace("AWR Report for DB", "AWR Compare Period Report for DB"));
    let ran = bench.run(&["awr", "one.html", "compared.html"]).expect_code(1);
    assert!(ran.stderr.contains("cannot read `compared.html`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("a compare-period report"), "{}", ran.stderr);
    assert!(ran.stdout.contains("AWR: SHOP"), "{}", ran.stdout);
    let refused = bench.run(&["awr", "compared.html"]).expect_code(2).stderr;
    assert!(refused.contains("hint: give the reports of the two periods"), "{refused}");
}
