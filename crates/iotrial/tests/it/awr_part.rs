//! `iotrial awr`: reports of a part of a database, what limits it over several reports, and what machine and licences follow from that.
//! The reports are small ones in Oracle's layouts, written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Bench;
use serde_json::Value;

const HTML: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");
const TEXT: &str = include_str!("../../../iotrial-import/tests/awr/instance-11204.txt");
const EXADATA: &str = include_str!("../../../iotrial-import/tests/awr/exadata-18c.html");
/// A parameter that the report has.
const BLOCK_SIZE: &str = "<tr><td>db_block_size</td><td>8192</td><td>&#160;</td></tr>";

fn put(bench: &Bench, name: &str, text: &str) {
    fs::write(bench.path().join(name), text).unwrap();
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(report: &str) -> Value {
    let bench = Bench::new();
    put(&bench, "report.html", report);
    bench.run(&["awr", "report.html", "--json"]).expect_code(0).json()
}

/// The report on Exadata with more parameters, and so many times its requests on the storage servers.
fn on_exadata(parameters: &[(&str, &str)], times: u32) -> String {
    let rows: String = parameters
        .iter()
        .map(|(name, value)| format!("<tr><td>{name}</td><td>{value}</td><td>&#160;</td></tr>\n"))
        .collect();
    // The report makes 1,500 requests per second, and the table has those of an hour.
    let (total, rate) = (times * 1_500 * 3_600, times * 1_500);
    let counted = "<td>3,600,000</td><td>1,000.00</td><td>3,240,000</td><td>360,000</td>";
    assert!(EXADATA.contains(BLOCK_SIZE) && EXADATA.contains(counted));
    EXADATA
        .replace(BLOCK_SIZE, &format!("{BLOCK_SIZE}\n{rows}"))
        .replace(counted, &format!("<td>{total}</td><td>{rate}.00</td><td>0</td><td>0</td>"))
}

const CLUSTER: [(&str, &str); 2] = [("cluster_database", "TRUE"), ("cluster_database_instances", "2")];

#[test]
fn one_instance_on_exadata_is_sized_as_a_part_and_its_move_is_not_called_easy() {
    let bench = Bench::new();
    // Without compression and with few scans, as above half of the databases on Exadata are.
    let light = on_exadata(&CLUSTER, 20)
        .replace("<td>40.00</td></tr>\n<tr><td>cell single", "<td>1.00</td></tr>\n<tr><td>cell single")
        .replace("<td>603,979,776,000</td><td>167,772,160.00</td>", "<td>0</td><td>0.00</td>")
        .replace("<td>150,994,944,000</td><td>41,943,040.00</td>", "<td>0</td><td>0.00</td>")
        .replace("<tr><td>EHCC", "<tr><td>EHC")
        .replace("<td>12.00</td></tr>\n</table>", "<td>2.00</td></tr>\n</table>");
    put(&bench, "one.html", &light);
    let shown = joined(&bench.run(&["awr", "one.html", "--details"]).expect_code(0).stdout);
    for words in [
        "One of 2 instances: 1,000 reads and 500 writes per second",
        "the storage servers count 30,000 requests per second and 200 MiB/s for all of WARE, 20 times as many as this report",
        "one of 2 instances: give the reports of all instances for the same snapshots",
        "For one of 2 instances alone: 6 vCPUs",
        "over-provisioned for the instances reported: CPUs (has 28, needs 6)",
        "over-provisioned: disk group DATAC1 of all databases",
        "over-provisioned for the instances reported",
        "Leaving Exadata: easy for this part, open for the whole database",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let answer = bench.run(&["awr", "one.html", "--json"]).expect_code(0).json();
    assert_eq!((&answer["part"]["instances"], &answer["part"]["of_instances"]), (&1.into(), &2.into()));
    assert_eq!(answer["part"]["on_cells"]["times"], 20.0);
    assert_eq!(answer["away_from_exadata"]["is_of_part"], true);
    assert_eq!(answer["right_size"]["part"]["of_instances"], 2);
}

#[test]
fn the_demand_of_a_part_on_exadata_says_so_and_has_the_range_of_other_storage() {
    let bench = Bench::new();
    put(&bench, "one.html", &on_exadata(&CLUSTER, 20));
    bench.run(&["awr", "one.html", "--demand", "one.toml", "--details"]).expect_code(0);
    let demand = fs::read_to_string(bench.path().join("one.toml")).unwrap();
    for words in [
        "only one of 2 instances: the I/O of the other one is missing, so the figures of the database are too low",
        "one of 2 instances: vCPUs, memory, rates and over-provisioning are those of the instances reported",
        // Twice 50 to 280 MiB/s and 850 to 1,080 reads per second.
        "offload and the storage index filter data before it reaches the database: other storage must deliver 100 to 560 MiB/s of reads and 1,700 to 2,160 reads per second",
    ] {
        assert!(demand.contains(words), "{words}\n{demand}");
    }
    let sized =
        bench.run(&["size", "--demand", "one.toml", "--provider", "oci", "--details"]).expect_code(0).stdout;
    assert!(joined(&sized).contains("one of 2 instances"), "{sized}");
    // On the screen too, and a database that is not on Exadata has none of it.
    let shown = joined(&bench.run(&["awr", "one.html", "--details"]).expect_code(0).stdout);
    assert!(shown.contains("other storage must deliver 100 to 560 MiB/s"), "{shown}");
    for words in ["went through smart scans", "saved by the storage index", "OTHERDB", "WARE (this one)"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    put(&bench, "plain.html", HTML);
    bench.run(&["awr", "plain.html", "--demand", "plain.toml", "--details"]).expect_code(0);
    assert!(!fs::read_to_string(bench.path().join("plain.toml")).unwrap().contains("Exadata"));
}

#[test]
fn storage_servers_that_see_many_times_the_requests_show_a_part_and_copies_of_writes_do_not() {
    let part = |times| json(&on_exadata(&[], times))["part"].take();
    // Three copies of each write, at most.
    assert_eq!(part(3), Value::Null);
    let seen = part(10);
    assert_eq!((&seen["lacking_intervals"], &seen["on_cells"]["times"]), (&0.into(), &10.0.into()));
    let bench = Bench::new();
    put(&bench, "one.html", &on_exadata(&[], 10));
    let shown = bench.run(&["awr", "one.html"]).expect_code(0).stdout;
    assert!(shown.contains("A part of the database: 1,000 reads"), "{shown}");
}

/// The report of another hour of an instance, of a release that does not print how many ran.
fn of_old_cluster(instance: u32, hour: u32) -> String {
    let rows = "<tr><td>cluster_database</td><td>TRUE</td><td></td></tr>\n<tr><td>cluster_database_instances</td><td>3</td><td></td></tr>";
    HTML.replace("<th>Cursors/Session</th><th>Instances</th>", "<th>Cursors/Session</th><th>Other</th>")
        .replace("shop1", &format!("shop{instance}"))
        .replace(
            &format!("<td>shop{instance}</td><td>1</td>"),
            &format!("<td>shop{instance}</td><td>{instance}</td>"),
        )
        .replace("<td>41</td>", &format!("<td>{}</td>", 100 + hour))
        .replace("<td>42</td>", &format!("<td>{}</td>", 101 + hour))
        .replace("03-Mar-25 11:00", &format!("03-Mar-25 {:02}:00", hour + 1))
        .replace("03-Mar-25 10:00", &format!("03-Mar-25 {hour:02}:00"))
        .replace("<tr><td>_hidden_one", &format!("{rows}\n<tr><td>_hidden_one"))
}

#[test]
fn an_instance_that_is_missing_among_the_reports_of_a_cluster_is_in_the_first_words() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("day")).unwrap();
    for instance in [1, 2] {
        put(&bench, &format!("day/{instance}.html"), &of_old_cluster(instance, 9));
    }
    let shown = joined(&bench.run(&["awr", "day", "--details"]).expect_code(0).stdout);
    for words in [
        "2 of 3 instances: 3,000 IOPS and",
        "only 2 of 3 instances: the I/O of the other one is missing",
        "For 2 of 3 instances alone:",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    put(&bench, "day/3.html", &of_old_cluster(3, 9));
    let whole = bench.run(&["awr", "day", "--details"]).expect_code(0).stdout;
    assert!(!whole.contains("of 3 instances") && whole.contains("4,500 IOPS"), "{whole}");
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    assert_eq!(json["databases"][0]["part"], Value::Null);
}

#[test]
fn a_fleet_names_the_databases_of_which_instances_are_missing() {
    let bench = Bench::new();
    put(&bench, "shop.html", HTML);
    put(&bench, "tiny.txt", TEXT);
    let ran =
        bench.run(&["awr", "shop.html", "tiny.txt", "--demand", "both.toml", "--details"]).expect_code(0);
    let shown = joined(&ran.stdout);
    assert!(
        shown.contains(
            "Rates are too low, because instances are missing (reports of SHOP: one of 2 instances)."
        ),
        "{shown}"
    );
    assert!(shown.contains("SHOP *") && !shown.contains("TINY *"), "{shown}");
    let demand = fs::read_to_string(bench.path().join("both.toml")).unwrap();
    assert!(demand.contains("SHOP: one of 2 instances: the sums are too low"), "{demand}");
}

#[test]
fn what_limits_a_database_is_known_over_several_reports_and_weighted_by_their_time() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("day")).unwrap();
    put(&bench, "day/a.html", &of_old_cluster(1, 9));
    // Three times the DB time, and no commits to wait for.
    let busy = of_old_cluster(1, 10)
        .replace("120.00 (mins)", "360.00 (mins)")
        .replace("<td>6.00ms</td><td>1</td><td>30.00</td>", "<td>6.00ms</td><td>1</td><td>2.00</td>")
        .replace("<td>500.00us</td><td>1</td><td>20.00</td>", "<td>500.00us</td><td>1</td><td>60.00</td>");
    put(&bench, "day/b.html", &busy);
    let json = bench.run(&["awr", "day", "--json"]).expect_code(0).json();
    let database = &json["databases"][0];
    let share = |of: &Value, what: &str| {
        let all = of["limits"].as_array().unwrap();
        all.iter().find(|one| one["what"] == what).unwrap()["percent"].as_f64().unwrap()
    };
    // A quarter of 20 and three quarters of 60; a quarter of 30 and three quarters of 2.
    assert!((share(database, "db file sequential read") - 50.0).abs() < 1e-9, "{database:#}");
    assert!((share(database, "log file sync") - 9.0).abs() < 1e-9, "{database:#}");
    assert_eq!(share(&database["intervals"][0], "log file sync"), 30.0);
    let shown = joined(&bench.run(&["awr", "day", "--details"]).expect_code(0).stdout);
    assert!(shown.contains("Where DB time goes • 50.0 %: db file sequential read"), "{shown}");
    // Of several databases each has its own.
    put(&bench, "day/c.html", EXADATA);
    let shown = joined(&bench.run(&["awr", "day", "--details"]).expect_code(0).stdout);
    assert!(shown.contains("WARE cell smart table scan 40.0 % DB CPU 37.5 %"), "{shown}");
}

#[test]
fn the_busiest_interval_by_bytes_is_listed_where_it_is_not_the_one_by_requests() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("day")).unwrap();
    for hour in 1..=8 {
        let report = of_old_cluster(1, hour);
        // The first hours have few requests; the first of all has the most bytes.
        let report = match hour {
            1 => report
                .replace("<td>3,600,000</td><td>1,000.00</td>", "<td>360,000</td><td>100.00</td>")
                .replace("<td>1,500.0</td><td>1,000.0</td>", "<td>600.0</td><td>100.0</td>")
                .replace(
                    "<td>58,982,400,000</td><td>16,384,000.00</td>",
                    "<td>377,487,360,000</td><td>104,857,600.00</td>",
                )
                .replace("<td>23.4</td><td>15.6</td>", "<td>107.8</td><td>100.0</td>"),
            _ => report,
        };
        put(&bench, &format!("day/{hour}.html"), &report);
    }
    let shown = joined(&bench.run(&["awr", "day"]).expect_code(0).stdout);
    assert!(shown.contains("2025-03-03 01:00 60 bytes 600"), "{shown}");
    assert!(shown.contains("peak 108 MiB/s"), "{shown}");
}

#[test]
fn standard_edition_2_is_offered_only_where_nothing_in_use_needs_more() {
    let licences = |report: &str| json(report)["right_size"]["chosen"]["licences"].take();
    let offered = licences(TEXT);
    assert_eq!(
        (&offered["standard_edition_2"], &offered["no_standard_edition_2"]),
        (&1.into(), &Value::Null)
    );
    for (report, why) in [
        (HTML, "it does not have RAC from 19c on, which is in use today"),
        (EXADATA, "it does not have Exadata, which is in use today"),
        (
            &HTML.replace("<td>YES</td><td>NO</td>", "<td>NO</td><td>NO</td>").replace(
                "<tr><td>_hidden_one</td><td>TRUE</td>",
                "<tr><td>log_archive_dest_2</td><td>SERVICE=far ASYNC</td>",
            ),
            "it does not have Data Guard, which is in use today",
        ),
    ] {
        let refused = licences(report);
        assert_eq!(refused["standard_edition_2"], Value::Null);
        assert_eq!(refused["no_standard_edition_2"], why);
    }
}

#[test]
fn cpus_of_a_virtual_machine_are_vcpus_whatever_it_calls_cores() {
    let host = "<td>  28</td><td>  14</td><td>  2</td>";
    assert!(EXADATA.contains(host));
    let vcpus = |sockets: u32| {
        let made = EXADATA.replace(host, &format!("<td>  28</td><td>  28</td><td>  {sockets}</td>"));
        let sizing = json(&made)["right_size"].take();
        let provision = sizing["provision"].as_array().unwrap();
        let is_licence = |one: &&Value| one["what"] == "licences, Enterprise Edition on x86";
        let licences = provision.iter().find(is_licence).unwrap()["has"].as_f64().unwrap();
        (sizing["chosen"]["vcpus_by_cpu"].as_f64().unwrap(), licences, sizing["notes"].to_string())
    };
    // A socket for each: nobody makes such hosts. Two vCPUs are a core, today as in what is bought.
    let (by_cpu, licences, notes) = vcpus(28);
    assert_eq!(licences, 7.0);
    assert!((by_cpu - 2.0 / 0.75 * 2.0).abs() < 1e-9, "{by_cpu}");
    assert!(notes.contains("a virtual machine, and its CPUs count as vCPUs"), "{notes}");
    // Two sockets may be either.
    let (by_cpu, licences, notes) = vcpus(2);
    assert_eq!(licences, 14.0);
    assert!((by_cpu - 2.0 * 2.0 / 0.75 * 2.0).abs() < 1e-9, "{by_cpu}");
    assert!(
        notes.contains("a virtual machine that calls its vCPUs cores, half as many are enough"),
        "{notes}"
    );
}

#[test]
fn a_parameter_with_several_values_has_one_remark() {
    let row = "<tr><td>_hidden_one</td><td>TRUE</td><td>&#160;</td></tr>";
    assert!(HTML.contains(row));
    let values: String =
        (1..=5).map(|at| format!("<tr><td>utl_file_dir</td><td>/out/{at}</td><td></td></tr>\n")).collect();
    let remarks = json(&HTML.replace(row, &format!("{values}{row}\n{row}")))["remarks"].take();
    let with = |id: &str, name: &str| {
        let all = remarks.as_array().unwrap().iter().filter(|one| one["id"] == id);
        all.map(|one| one["text"].as_str().unwrap().matches(name).count()).collect::<Vec<_>>()
    };
    assert_eq!(with("deprecated-parameter", "`utl_file_dir`"), [1], "{remarks:#}");
    assert_eq!(with("hidden-parameters", "`_"), [1], "{remarks:#}");
}

#[test]
fn the_next_command_can_be_pasted() {
    let bench = Bench::new();
    put(&bench, "one (1).html", HTML);
    let shown = bench.run(&["awr", "one (1).html"]).expect_code(0).stdout;
    assert!(shown.contains("next: iotrial awr 'one (1).html' --demand demand.toml"), "{shown}");
    let shown = bench.run(&["awr", "one (1).html", "--demand", "d.toml"]).expect_code(0).stdout;
    assert!(
        shown.contains("next: iotrial size --demand d.toml   # or: iotrial run --need d.toml --target DIR"),
        "{shown}"
    );
}

#[test]
fn figures_are_a_statement_and_no_open_question() {
    let bench = Bench::new();
    put(&bench, "one.html", EXADATA);
    let shown = bench.run(&["awr", "one.html", "--html", "one.page.html"]).expect_code(0).stdout;
    assert!(!shown.lines().any(|line| line.starts_with('?')), "{shown}");
    let page = fs::read_to_string(bench.path().join("one.page.html")).unwrap();
    assert!(!page.contains("class=\"verdict open\"") && !page.contains("class=\"symbol\""), "{page}");
}

/// A real report; `None` where there is none.
fn real(part: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from).join("data/awr");
    let found = fs::read_dir(&folder).into_iter().flatten().map(|one| one.unwrap().path());
    let mut found = found.filter(|path| path.to_string_lossy().contains(part));
    let first = found.next();
    if first.is_none() {
        eprintln!("skipped: there is no `{part}` in `{}`; IOTRIAL_SHARED names the folder", folder.display());
    }
    first
}

#[test]
fn real_reports_of_a_part_say_so_and_a_cluster_without_targets_has_its_memory() {
    let answer =
        |path: &Path| Bench::new().run(&["awr", path.to_str().unwrap(), "--json"]).expect_code(0).json();
    if let Some(path) = real("awr_PRDG") {
        let answer = answer(&path);
        assert_eq!(answer["part"]["of_instances"], 2);
        assert_eq!(answer["part"]["on_cells"]["times"].as_f64().unwrap().round(), 23.0);
        assert_eq!(answer["away_from_exadata"]["is_of_part"], true);
    }
    if let Some(path) = real("assets_pq_range_8") {
        // 11.1 does not print how many instances ran; the parameter does.
        assert_eq!(answer(&path)["part"]["of_instances"], 8);
    }
    if let Some(path) = real("therealkevinc__awr_rac") {
        assert_eq!(answer(&path)["figures"]["memory_mib"]["value"], 7_680.0 + 4_096.0 + 1_024.0);
    }
}
