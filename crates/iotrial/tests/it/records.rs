//! Finding results again, and looking after them.

use std::fs;
use std::path::Path;

use crate::support::{Bench, Ran};
use serde_json::Value;

/// A short run of a simulated device; returns its id. Of another time than the one before, so that the order is known.
fn run(bench: &Bench, profile: &str, label: &str) -> String {
    let mut arguments = vec![
        "run",
        "--closed",
        profile,
        "--engine",
        "sim",
        "--seed",
        "1",
        "--ramp=0s",
        "--duration=1s",
        "--quiet",
        "--json",
    ];
    if !label.is_empty() {
        arguments.extend(["--label", label]);
    }
    let record = bench.run(&arguments).json()["record"].as_str().unwrap().to_owned();
    stem(&record)
}

fn ids(ran: Ran) -> Vec<String> {
    let entries = ran.expect_code(0).json();
    entries.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// The id of the one result that a name stands for, by the name of its file.
fn reported(bench: &Bench, name: &str) -> String {
    let shown = bench.run(&["report", name, "--json"]).json();
    stem(shown["record"].as_str().unwrap_or_else(|| panic!("{name}: {shown}")))
}

/// The name of a file up to its first dot.
fn stem(path: &str) -> String {
    Path::new(path).file_name().unwrap().to_string_lossy().split('.').next().unwrap().to_owned()
}

#[test]
fn records_are_filtered_sorted_and_limited() {
    let bench = Bench::new();
    let old = run(&bench, "sqlserver-log", "b-old");
    let new = run(&bench, "oci-64k-randrw", "a-new");
    let none = run(&bench, "sqlserver-log", "");
    let check = |options: &[&str], expected: &[&String]| {
        let found = ids(bench.run(&[&["records", "--json"][..], options].concat()));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{options:?}");
    };
    check(&[], &[&none, &new, &old]);
    check(&["--reverse"], &[&old, &new, &none]);
    check(&["--label", "NEW"], &[&new]);
    check(&["--profile", "sqlserver"], &[&none, &old]);
    check(&["--profile", "sqlserver", "--label", "old"], &[&old]);
    check(&["--sort", "label"], &[&new, &old, &none]);
    check(&["--sort", "profile"], &[&new, &none, &old]);
    check(&["--limit", "2"], &[&none, &new]);
    check(&["--sort", "label", "--limit", "1"], &[&new]);
    check(&["--since", "1h"], &[&none, &new, &old]);
    check(&["--since", "2999-01-01"], &[]);
    let limited = bench.run(&["records", "--limit", "1"]).expect_code(0);
    assert_eq!((limited.stdout.lines().count(), limited.stderr.contains("2 more not shown")), (2, true));
    let nothing = bench.run(&["records", "--label", "nowhere"]).expect_code(0);
    assert!(
        nothing.stdout.is_empty() && nothing.stderr.contains("no matching records"),
        "{}",
        nothing.stderr
    );
    bench.run(&["records", "--since", "yesterday"]).expect_code(2);
    let listed = bench.run(&["records", "--json"]).json();
    let csv = bench.run(&["records", "--csv"]).expect_code(0).stdout;
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!((lines.len(), lines[4]), (5, ""), "{csv}");
    let column = |name: &str| lines[0].split(',').position(|head| head == name).unwrap();
    for (line, entry) in lines[1..4].iter().zip(listed.as_array().unwrap()) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[column("id")], entry["id"].as_str().unwrap());
        assert_eq!(cells[column("iops")].parse::<f64>().unwrap(), entry["iops"].as_f64().unwrap());
    }
    bench.run(&["records", "--csv", "--json"]).expect_code(2);
}

#[test]
fn records_are_found_by_target_and_outcome_and_sorted_by_figures_with_those_that_have_none_last() {
    let bench = Bench::new();
    let simulated = |arguments: &[&str]| {
        let common = ["--engine", "sim", "--seed", "1", "--quiet", "--json"];
        let ran = bench.run(&[arguments, &common[..]].concat());
        stem(ran.json()["record"].as_str().unwrap_or_else(|| panic!("{}", ran.stderr)))
    };
    let slow = "--sim=service_time_us = 900, parallelism = 4";
    let quick = "--sim=service_time_us = 90, parallelism = 32";
    let search = ["run", "--duration=20s", "--latency-limit", "5ms@p99"];
    let low = simulated(&[&search[..], &[slow]].concat());
    let high = simulated(&[&search[..], &[quick]].concat());
    let closed = simulated(&["run", "--closed", "--ramp=0s", "--duration=1s"]);
    let sweep = simulated(&["sweep", "--pattern", "randread-8k", "--grid", "1,2", "--step", "1s"]);
    let all = [&sweep, &closed, &high, &low];
    let check = |options: &[&str], expected: &[&String]| {
        let found = ids(bench.run(&[&["records", "--json"][..], options].concat()));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{options:?}");
    };
    check(&["--outcome", "complete"], &all);
    check(&["--outcome", "failed"], &[]);
    let listed = bench.run(&["records", "--json"]).json();
    let outcomes: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert!(outcomes[0].is_null() && outcomes[1..].iter().all(|one| one.is_string()), "{outcomes:?}");
    for word in ["qualified", "not-qualified", "inconclusive"] {
        let with_it = all.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == word);
        check(&["--outcome", word], &with_it.map(|(id, _)| *id).collect::<Vec<_>>());
    }
    let latency_us = |id: &String| {
        let entry = listed.as_array().unwrap().iter().find(|one| one["id"] == *id);
        entry.unwrap()["key_latency"]["us"].as_f64().unwrap()
    };
    let mut by_latency = [&low, &high, &closed];
    by_latency.sort_by(|one, other| latency_us(one).total_cmp(&latency_us(other)));
    // A sweep has neither a verdict nor a latency of its own.
    let [first, second, third] = by_latency;
    check(&["--sort", "latency"], &[first, second, third, &sweep]);
    check(&["--sort", "latency", "--reverse"], &[third, second, first, &sweep]);
    assert_eq!(ids(bench.run(&["records", "--json", "--sort", "outcome", "--reverse"])).last(), Some(&sweep));
    // What the column shows: the highest rate of a search, and the rate of another run.
    let iops = |id: &String| {
        let entry = listed.as_array().unwrap().iter().find(|one| one["id"] == *id).unwrap();
        entry["capacity_iops"].as_f64().or(entry["iops"].as_f64()).unwrap()
    };
    let mut by_iops = [&low, &high, &closed];
    by_iops.sort_by(|one, other| iops(other).total_cmp(&iops(one)));
    let [first, second, third] = by_iops;
    check(&["--profile", "oltp", "--sort", "iops"], &[first, second, third]);
    check(&["--profile", "oltp", "--sort", "iops", "--reverse"], &[third, second, first]);
    // Simulated devices have no path; that of another tool is as good.
    let mix = format!("{}/../iotrial-import/tests/golden/fio/mix.json", env!("CARGO_MANIFEST_DIR"));
    let mix = fs::read_to_string(mix).unwrap().replace("fio.dat", "/mnt/NVMe1/fio.dat");
    fs::write(bench.path().join("mix.json"), mix).unwrap();
    let imported = bench.run(&["import", "mix.json", "--json"]).json();
    let imported = imported["records"][0]["id"].as_str().unwrap().to_owned();
    check(&["--target", "/mnt/nvme"], &[&imported]);
    check(&["--target", "/mnt/sata"], &[]);
    bench.run(&["records", "--outcome", "good"]).expect_code(2);
}

#[test]
fn a_label_that_is_also_an_empty_folder_stands_for_its_results_and_a_path_for_the_folder() {
    let bench = Bench::new();
    for label in ["volA", "volB"] {
        run(&bench, "sqlserver-log", label);
    }
    std::fs::create_dir(bench.path().join("volA")).unwrap();
    let compared = bench.run(&["compare", "volA", "volB"]);
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    assert!(compared.stderr.contains("`./volA`"), "{}", compared.stderr);
    bench.run(&["run", "--need", "volA", "--dry-run"]).expect_code(0);
    bench.run(&["compare", "./volA", "volB"]).expect_code(2);
}

#[test]
fn the_list_has_the_ceiling_of_a_sweep_and_says_what_was_simulated() {
    let bench = Bench::new();
    let sweep =
        ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--grid", "1,2", "--step", "1s", "--quiet"];
    bench.run(&sweep).expect_code(0);
    let mix = format!("{}/../iotrial-import/tests/golden/fio/mix.json", env!("CARGO_MANIFEST_DIR"));
    bench.run(&["import", &mix]).expect_code(0);
    let listed = bench.run(&["records", "--json", "--profile", "sweep"]).json();
    let ceiling = listed[0]["ceiling_iops"].as_f64().unwrap();
    let summary = bench.run(&["report", "last", "--json"]).json();
    assert_eq!(summary["curves"][0]["saturation"]["ceiling_iops"].as_f64(), Some(ceiling), "{summary:#}");
    let table = bench.run(&["records"]).expect_code(0).stdout;
    let mut lines: Vec<&str> = table.lines().collect();
    lines.sort_by_key(|line| (!line.contains("started"), !line.contains("sweep")));
    // What had no search has its rate all the same.
    let imported = bench.run(&["records", "--json", "--profile", "fio"]).json();
    let rate = format!(" {:.0} ", imported[0]["iops"].as_f64().unwrap());
    assert!(lines[2].replace(',', "").contains(&rate) && !lines[2].contains("max"), "{table}");
    assert!(lines[1].contains("complete, simulated  ") && lines[1].contains(','), "{table}");
    let shown: String = lines[1].chars().filter(|one| *one != ',').collect();
    assert!(shown.contains(&format!(" {:.0} ", ceiling)), "{table}");
    assert!(!lines[2].contains("simulated"), "{table}");
    let all = bench.run(&["records", "--json"]).json();
    let simulated: Vec<bool> =
        all.as_array().unwrap().iter().map(|one| one["simulated"].as_bool().unwrap()).collect();
    assert_eq!(simulated.iter().filter(|one| **one).count(), 1);
    let csv = bench.run(&["records", "--csv", "--profile", "sweep"]).expect_code(0).stdout;
    let (heads, cells) = csv.trim_end().split_once("\r\n").unwrap();
    assert!(heads.ends_with(",path,ceiling_iops,simulated") && cells.ends_with(",true"), "{csv}");
}

#[test]
fn the_list_and_since_are_in_the_local_time_zone_and_files_for_programs_in_utc() {
    let bench = Bench::new();
    let id = run(&bench, "sqlserver-log", "");
    let in_zone = |zone: &str, arguments: &[&str]| {
        let mut command = bench.command(arguments);
        Ran::from(command.env("TZ", zone).output().unwrap()).expect_code(0)
    };
    let list = |zone: &str| in_zone(zone, &["records"]).stdout;
    let json = bench.run(&["records", "--json"]);
    let at = json.json()[0]["started_at"].as_str().unwrap().to_owned();
    let minute = at[..16].replace('T', " ");
    assert!(list("UTC").contains("started, UTC") && list("UTC").contains(&minute), "{}", list("UTC"));
    // Two hours ahead of UTC all year, and without a name.
    let ahead = list("XXX-2");
    assert!(ahead.contains("started, local time") && !ahead.contains(&minute), "{ahead}");
    for format in ["--json", "--csv"] {
        let [here, utc] = ["XXX-2", "UTC"].map(|zone| in_zone(zone, &["records", format]).stdout);
        assert_eq!(here, utc, "{format}");
    }
    // What began at that time in UTC began two hours later by a clock that is ahead.
    let since = |zone: &str, time: &str| ids(in_zone(zone, &["records", "--json", "--since", time]));
    assert_eq!(since("XXX-2", &at[..16]), [id.as_str()]);
    assert!(since("XXX2", &at[..16]).is_empty());
    assert_eq!(since("XXX2", &format!("{}Z", &at[..16])), [id.as_str()]);
    let berlin = list("Europe/Berlin");
    if berlin.contains("started, UTC") || berlin.contains("started, local time") {
        eprintln!("skipped: there are no zone data of Europe/Berlin on this machine");
        return;
    }
    assert!(berlin.contains("started, Europe/Berlin") && !berlin.contains(&minute), "{berlin}");
}

#[test]
fn last_and_parts_of_an_id_stand_for_a_result_wherever_one_is_taken() {
    let bench = Bench::new();
    let one = run(&bench, "sqlserver-log", "a");
    let two = run(&bench, "sqlserver-log", "b");
    let three = run(&bench, "sqlserver-log", "a");
    for (name, id) in [
        ("last", &three),
        ("last~1", &two),
        ("last~2", &one),
        ("last:a", &three),
        ("last:a~1", &one),
        ("last:b", &two),
        (&two[22..], &two),
        (two[22..].to_lowercase().as_str(), &two),
    ] {
        assert_eq!(&reported(&bench, name), id, "{name}");
    }
    bench.run(&["audit", "last"]).expect_code(0);
    bench.run(&["compare", "last~1", "last"]).expect_code(0);
    bench.run(&["size", "--demand", "last", "--provider", "oci"]).expect_code(0);
    let refused = |name: &str, parts: &[&str]| {
        let told = bench.run(&["report", name]).expect_code(2).stderr;
        parts.iter().for_each(|part| assert!(told.contains(part), "{told}"));
    };
    refused("last~3", &["`last~3` goes further back than the 3 results in", "hint: "]);
    refused("last:c", &["there is no result for `last:c` in", "`iotrial run` makes one"]);
    // The effect first, then the candidates, the newest first.
    let several = format!(
        "error: `{}` begins the ids of 3 results: {three}, {two}, {one}\nhint: write more",
        &one[..2]
    );
    refused(&one[..2], &[&several]);
    // A file of that name is meant first: that is what a shell completed.
    fs::copy(bench.store().join(format!("{one}.iotrial.json")), bench.path().join("last")).unwrap();
    assert_eq!(reported(&bench, "last"), "last");
}

#[test]
fn a_label_is_given_changed_and_taken_away_and_nothing_else_of_the_record_changes() {
    let bench = Bench::new();
    let id = run(&bench, "sqlserver-log", "");
    let file = bench.store().join(format!("{id}.iotrial.json"));
    let before = fs::read_to_string(&file).unwrap();
    let named = bench.run(&["label", "last", "three \"volumes\""]).expect_code(0);
    assert!(
        named.stdout.contains(&id) && named.stderr.contains("its page shows what the record said before"),
        "{}",
        named.stderr
    );
    assert_eq!(reported(&bench, "three \"volumes\""), id);
    let after = fs::read_to_string(&file).unwrap();
    // But for the checksum, which is of the label too, and comes last.
    let unsealed = |text: &str| text.rsplit_once(",\"checksum\":").unwrap().0.to_owned();
    assert_eq!(unsealed(&after).replacen(",\"label\":\"three \\\"volumes\\\"\"", "", 1), unsealed(&before));
    assert_eq!(bench.run(&["records", "--json"]).json()[0]["label"], "three \"volumes\"");
    bench.run(&["label", "three \"volumes\"", ""]).expect_code(0);
    assert!(bench.run(&["records", "--json"]).json()[0]["label"].is_null());
    bench.run(&["audit", &id]).expect_code(0);
    // All that have a label.
    for label in ["before", "before"] {
        run(&bench, "sqlserver-log", label);
    }
    let both = bench.run(&["label", "before", "baseline"]).expect_code(0).stdout;
    assert_eq!(both.lines().count(), 2);
    assert_eq!(ids(bench.run(&["records", "--label", "baseline", "--json"])).len(), 2);
}

#[test]
fn sweeps_and_imported_results_have_labels_too() {
    let bench = Bench::new();
    let sweep =
        ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--grid", "1,2", "--step", "1s", "--quiet"];
    bench.run(&sweep).expect_code(0);
    bench.run(&["label", "last", "curve"]).expect_code(0);
    bench.run(&["report", "curve"]).expect_code(0);
    let mix = format!("{}/../iotrial-import/tests/golden/fio/mix.json", env!("CARGO_MANIFEST_DIR"));
    let id = bench.run(&["import", &mix, "--json"]).json()["records"][0]["id"].as_str().unwrap().to_owned();
    bench.run(&["label", &id, "old"]).expect_code(0);
    assert_eq!(reported(&bench, "old"), id);
    // It is the same result as before, and stays one.
    assert_eq!(bench.run(&["import", &mix, "--json"]).json()["kinds"][0]["new"], 0);
    bench.run(&["audit", "old"]).expect_code(0);
}

#[test]
fn what_is_removed_can_be_listed_and_comes_back_as_it_was() {
    let bench = Bench::new();
    let (one, two) = (run(&bench, "sqlserver-log", "a"), run(&bench, "sqlserver-log", "b"));
    let files = || {
        let mut names: Vec<_> = bench
            .stored("")
            .iter()
            .filter(|path| path.is_file())
            .map(|path| fs::read(path).unwrap())
            .collect();
        names.sort();
        names.len()
    };
    let before = files();
    let record = bench.store().join(format!("{one}.iotrial.json"));
    let bytes = fs::read(&record).unwrap();
    let removed = bench.run(&["remove", "a"]).expect_code(0);
    assert!(removed.stdout.trim().ends_with(&format!("trash/{one}.iotrial.json")), "{}", removed.stdout);
    assert!(removed.stderr.contains("--restore"), "{}", removed.stderr);
    // The page goes with its record.
    assert_eq!((record.exists(), files()), (false, before - 2));
    assert_eq!(ids(bench.run(&["records", "--json"])), [two.as_str()]);
    assert_eq!(ids(bench.run(&["records", "--trash", "--json"])), [one.as_str()]);
    bench.run(&["report", &one]).expect_code(2);
    bench.run(&["remove", "--restore", "last"]).expect_code(0);
    assert_eq!((fs::read(&record).unwrap(), files()), (bytes, before));
    assert_eq!(reported(&bench, "a"), one);
    assert!(ids(bench.run(&["records", "--trash", "--json"])).is_empty());
    // One wrong name, and nothing moves.
    bench.run(&["remove", &one, "nowhere"]).expect_code(2);
    assert!(record.exists());
    // What is in the way stays.
    fs::write(bench.store().join("trash").join(format!("{one}.html")), "mine").unwrap();
    let taken = bench.run(&["remove", &one]).expect_code(2).stderr;
    assert!(taken.contains("exists already; nothing was moved") && record.exists(), "{taken}");
}

#[test]
fn open_shows_a_page_made_from_the_record_and_never_a_file_that_lies_beside_it() {
    let bench = Bench::new();
    let id = run(&bench, "sqlserver-log", "a");
    let page = bench.store().join(format!("{id}.html"));
    let made = fs::read(&page).unwrap();
    let foreign = "<script>document.title = 'owned'</script>";
    fs::write(&page, foreign).unwrap();
    fs::hard_link(&page, bench.path().join("linked")).unwrap();
    bench.run(&["open", "--print"]).expect_code(0);
    assert_eq!(fs::read(&page).unwrap(), made);
    // The file of somebody else is not written into.
    assert_eq!(fs::read_to_string(bench.path().join("linked")).unwrap(), foreign);
    // What no page can be written over is not shown either.
    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    let refused = bench.run(&["open", "--print"]).expect_code(2);
    assert!(refused.stdout.is_empty() && refused.stderr.contains("hint:"), "{}", refused.stderr);
    #[cfg(unix)]
    {
        fs::remove_dir(&page).unwrap();
        std::os::unix::fs::symlink(bench.path().join("linked"), &page).unwrap();
        assert!(bench.run(&["open", "--print"]).expect_code(2).stdout.is_empty());
    }
}

#[test]
fn every_command_says_which_store_the_settings_of_a_folder_make_it_use() {
    let bench = Bench::new();
    run(&bench, "sqlserver-log", "a");
    let ran = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command.env_remove("IOTRIAL_STORE").env_remove("IOTRIAL_CONFIG").env("XDG_CONFIG_HOME", bench.data());
        Ran::from(command.output().unwrap())
    };
    assert_eq!(ran(&["open", "--print", "--store", "store"]).expect_code(0).stderr, "");
    fs::write(bench.path().join("iotrial.toml"), "store = \"store\"\nhtml_folder = \"pages\"\n").unwrap();
    let commands = [
        "open --print",
        "records",
        "report last",
        "compare a a",
        "label last a",
        "remove last",
        "remove --restore last",
        "run --dry-run --engine sim",
    ];
    for line in commands {
        let ran = ran(&line.split(' ').collect::<Vec<_>>());
        let told = ran.stderr.lines().find(|line| line.starts_with("settings: ")).unwrap_or_default();
        assert!(told.contains("--store store (./iotrial.toml)"), "{line}: {}", ran.stderr);
        assert_eq!(told.contains("--html-folder pages (./iotrial.toml)"), line.starts_with("run"), "{line}");
        // Whoever repeats the command is in that folder, too.
        assert!(!ran.stdout.contains("--store"), "{line}: {}", ran.stdout);
    }
    // A whole path, which no program takes for an option or looks for elsewhere.
    let page = ran(&["open", "--print"]).expect_code(0).stdout;
    assert!(Path::new(page.trim()).is_absolute(), "{page}");
}

#[test]
fn open_prints_where_the_page_is_and_writes_one_that_is_missing() {
    let bench = Bench::new();
    let id = run(&bench, "sqlserver-log", "a");
    let page = bench.store().join(format!("{id}.html"));
    let open = |arguments: &[&str]| {
        let mut command = bench.command(&[&["open"][..], arguments].concat());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        Ran::from(command.output().unwrap()).expect_code(0).stdout.trim().to_owned()
    };
    assert!(open(&[]).ends_with(&format!("{id}.html")));
    let written = fs::read(&page).unwrap();
    fs::remove_file(&page).unwrap();
    assert!(open(&["a", "--print"]).ends_with(&format!("{id}.html")));
    assert_eq!(fs::read(&page).unwrap(), written);
    let sweep =
        ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--grid", "1,2", "--step", "1s", "--quiet"];
    bench.run(&[&sweep[..], &["--html", "elsewhere.html"]].concat()).expect_code(0);
    let page = open(&["last"]);
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!doctype html>"), "{page}");
}

#[test]
fn list_is_another_name_of_records() {
    let bench = Bench::new();
    let [list, records] = ["list", "records"].map(|name| bench.run(&[name, "--json"]));
    assert_eq!((list.code, list.stdout), (records.code, records.stdout));
}
