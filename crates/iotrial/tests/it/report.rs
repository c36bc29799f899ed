//! Records shown again, in every form.

use crate::support::Bench;

/// A bench with a record of a simulated run, and the path of that record.
fn with_record(bench: &Bench, label: &str, sim: &str) -> String {
    let run = [
        "run",
        "--closed",
        "--engine",
        "sim",
        "--sim",
        sim,
        "--ramp",
        "1s",
        "--duration",
        "5s",
        "--seed",
        "7",
        "--label",
        label,
        "--quiet",
        "--json",
    ];
    bench.run(&run).json()["record"].as_str().unwrap().to_owned()
}

const FAST: &str = "service_time_us = 100, parallelism = 32";
const SLOW: &str = "service_time_us = 900, parallelism = 32";

fn read(bench: &Bench, name: &str) -> Vec<u8> {
    std::fs::read(bench.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn one_record_is_written_in_every_form_at_once_and_the_terminal_names_the_files() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    let forms = ["--html", "a.html", "--xlsx", "a.xlsx", "--markdown", "a.md", "--csv", "a.csv"];
    let ran = bench.run(&[&["report", record.as_str()], &forms[..]].concat());
    for name in ["a.html", "a.xlsx", "a.md", "a.csv"] {
        assert!(ran.stdout.contains(&format!("report  {name}")), "{}", ran.stdout);
    }
    assert!(read(&bench, "a.xlsx").starts_with(b"PK"));
    assert!(read(&bench, "a.html").starts_with(b"<!doctype html>"));
    assert!(read(&bench, "a.md").starts_with(b"# fast"));
    assert!(read(&bench, "a.csv").starts_with(b"run,section,"));
}

#[test]
fn a_file_that_exists_is_left_as_it_is_unless_it_may_be_overwritten() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    std::fs::write(bench.path().join("kept.txt"), "somebody's").unwrap();
    let kept = read(&bench, "kept.txt");
    for option in ["--html", "--xlsx", "--markdown", "--csv"] {
        let refused = bench.run(&["report", &record, option, "kept.txt"]).expect_code(2);
        assert!(refused.stderr.contains("`kept.txt` exists already"), "{}", refused.stderr);
        assert_eq!(read(&bench, "kept.txt"), kept);
    }
    let run = ["run", "--closed", "--engine", "sim", "--duration", "1s", "--quiet"];
    bench.run(&[&run[..], &["--html", "kept.txt"]].concat()).expect_code(2);
    assert_eq!(read(&bench, "kept.txt"), kept);
    bench.run(&["report", &record, "--html", "kept.txt", "--overwrite"]);
    assert!(read(&bench, "kept.txt").starts_with(b"<!doctype html>"));
}

#[test]
fn the_same_record_gives_the_same_files() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    bench.run(&["report", &record, "--xlsx", "a.xlsx", "--csv", "a.csv"]);
    bench.run(&["report", &record, "--xlsx", "b.xlsx", "--csv", "b.csv"]);
    assert!(
        read(&bench, "a.xlsx") == read(&bench, "b.xlsx") && read(&bench, "a.csv") == read(&bench, "b.csv")
    );
}

#[test]
fn a_form_on_standard_output_has_it_for_itself() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    let csv = bench.run(&["report", &record, "--csv", "-", "--html", "a.html"]).stdout;
    assert!(csv.lines().all(|line| line.matches(',').count() >= 8), "{csv}");
    assert!(read(&bench, "a.html").starts_with(b"<!doctype html>"));
    let markdown = bench.run(&["report", &record, "--markdown", "-"]).stdout;
    assert!(markdown.starts_with("# fast\n") && !markdown.contains("record  "));
    let html = bench.run(&["report", &record, "--html", "-"]).stdout;
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"), "{html}");
}

#[test]
fn a_run_writes_the_forms_that_a_report_of_it_has() {
    let bench = Bench::new();
    let run =
        ["run", "--closed", "--engine", "sim", "--seed", "1", "--ramp", "0s", "--duration", "2s", "--quiet"];
    let forms = ["--html", "a.html", "--xlsx", "a.xlsx", "--markdown", "a.md", "--csv", "a.csv"];
    let ran = bench.run(&[&run[..], &forms].concat());
    assert!(ran.stdout.contains("report  a.html") && ran.stdout.contains("report  a.csv"), "{}", ran.stdout);
    let record = ran.stdout.lines().find_map(|line| line.strip_prefix("record  ")).unwrap().trim().to_owned();
    bench.run(&[
        "report",
        &record,
        "--html",
        "b.html",
        "--xlsx",
        "b.xlsx",
        "--markdown",
        "b.md",
        "--csv",
        "b.csv",
    ]);
    for form in ["html", "xlsx", "md", "csv"] {
        assert!(read(&bench, &format!("a.{form}")) == read(&bench, &format!("b.{form}")), "{form}");
    }
    // With one of them on standard output, the page is beside the record all the same.
    let markdown = bench.run(&[&run[..], &["--markdown", "-"]].concat()).stdout;
    assert!(markdown.starts_with("# ") && !markdown.contains("record  "), "{markdown}");
    assert_eq!(bench.stored(".html").len(), 1);
    let refused = bench.run(&[&run[..], &["--csv", "-", "--json"]].concat()).expect_code(2).stderr;
    assert!(refused.contains("would both write to standard output"), "{refused}");
    assert_eq!(bench.stored(".iotrial.json").len(), 2);
}

#[test]
fn two_forms_in_one_place_are_refused_before_anything_is_written() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    for (forms, message) in [
        (&["--csv", "-", "--markdown", "-"][..], "standard output"),
        (&["--json", "--csv", "-"], "--json and --csv would both write to standard output"),
        (&["--html", "a", "--xlsx", "a"], "--html and --xlsx would both write to `a`"),
        (&["--xlsx", "-"], "--xlsx needs the name of a file"),
    ] {
        let ran = bench.run(&[&["report", record.as_str()], forms].concat()).expect_code(2);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert!(ran.stdout.is_empty() && !bench.path().join("a").exists());
    }
}

#[test]
fn several_records_are_compared_and_then_each_stands_by_itself_and_json_lists_their_summaries() {
    let bench = Bench::new();
    let (fast, slow) = (with_record(&bench, "fast", FAST), with_record(&bench, "slow", SLOW));
    let shown = bench.run(&["report", &fast, &slow, "--details"]).stdout;
    let compared = bench.run(&["compare", &fast, &slow, "--details"]).stdout;
    for text in ["2 configurations compared", "Runs\n", "A (fast)", "1  fast", "2  slow"] {
        assert!(shown.contains(text), "{text}:\n{shown}");
    }
    // One mechanism: the changes are those of a comparison, word for word.
    let changes = |text: &str| {
        let from = text.find("Every change").or_else(|| text.find("Ranking")).unwrap();
        text[from..].lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(changes(&shown), changes(&compared));
    let both = bench.run(&["report", &fast, &slow, "--json", "--html", "both.html"]).json();
    let one = bench.run(&["report", &slow, "--json"]).json();
    assert_eq!(both.as_array().unwrap().len(), 2);
    assert_eq!((&both[1]["total"], &both[1]["record"]), (&one["total"], &one["record"]));
    assert_eq!(both[0]["report"], "both.html");
    let html = String::from_utf8(read(&bench, "both.html")).unwrap();
    for section in ["id=\"bars\"", "id=\"distribution\"", "id=\"spread\"", "id=\"over-time\""] {
        assert!(html.contains(section), "{section}");
    }
}

#[test]
fn records_are_named_by_label_and_folder_and_what_cannot_be_compared_stands_beside() {
    let bench = Bench::new();
    let fast = with_record(&bench, "fast", FAST);
    with_record(&bench, "slow", SLOW);
    let by_label = bench.run(&["report", "fast", "slow", "--details"]).stdout;
    let store = bench.store();
    let by_folder = bench.run(&["report", store.to_str().unwrap(), "--details"]).stdout;
    assert_eq!(by_label.lines().next(), by_folder.lines().next());
    let other =
        ["run", "--closed", "sqlserver-log", "--engine", "sim", "--ramp", "1s", "--duration", "5s", "--json"];
    let other = bench.run(&other).json()["record"].as_str().unwrap().to_owned();
    let beside = bench.run(&["report", &fast, &other, "--details"]).stdout;
    let beside = beside.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "2 runs",
        "A and B cannot be compared (profile: sqlserver-oltp against sqlserver-log; the load differs; roles: ",
        "[not-compared]",
        "Side by side",
    ] {
        assert!(beside.contains(text), "{text}:\n{beside}");
    }
    for text in ["Ranking", "Recommended", "Every change"] {
        assert!(!beside.contains(text), "{text}:\n{beside}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_done() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    let ran = bench.run(&["report", &record, "--html", "absent/a.html", "--csv", "a.csv"]).expect_code(2);
    assert!(ran.stderr.contains("cannot write `absent/a.html`"), "{}", ran.stderr);
    assert!(ran.stdout.is_empty() && !bench.path().join("a.csv").exists(), "{}", ran.stdout);
}

/// A limit on the size of files shows only when something is written.
#[cfg(target_os = "linux")]
#[test]
fn a_form_that_cannot_be_written_keeps_neither_the_figures_nor_the_other_forms_from_being_shown() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    let report = bench.command(&["report", &record, "--html", "a.html", "--markdown", "a.md", "--details"]);
    let limited = std::process::Command::new("sh")
        .args(["-c", "ulimit -f 32; exec \"$@\"", "sh"])
        .arg(report.get_program())
        .args(report.get_args())
        .current_dir(bench.path())
        .envs(report.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    let ran = crate::support::Ran::from(limited).expect_code(3);
    assert!(ran.stderr.contains("cannot write `a.html`"), "{}", ran.stderr);
    assert!(ran.stdout.contains("By role") && ran.stdout.contains("report  a.md"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("a.html") && !bench.path().join("a.html").exists());
}

/// The report of a table of figures, in one line.
fn report_of_table(bench: &Bench, table: &str) -> String {
    std::fs::write(bench.path().join("t.csv"), table).unwrap();
    let shown = bench.run(&["report", "t.csv", "--details"]).expect_code(4).stdout;
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn imported_results_are_told_apart_by_their_load_and_their_file() {
    let bench = Bench::new();
    let table = "label,load.pattern,load.read_percent,load.block_size_bytes,load.outstanding,read.iops\n\
        random-read,random,100,4096,1,1000\nrandom-read,random,100,4096,256,40000\n";
    let shown = report_of_table(&bench, table);
    for text in [
        "1 random-read, randread-4k 1 outst.",
        "2 random-read, randread-4k 256 outst.",
        "Load random reads, 4 KiB, 256 outstanding I/Os",
        "File `t.csv`, line 3",
    ] {
        assert!(shown.contains(text), "{text}:\n{shown}");
    }
}

#[test]
fn a_source_without_latency_is_not_judged_and_not_called_unqualified() {
    let bench = Bench::new();
    let shown = report_of_table(&bench, "label,load.pattern,read.iops\nquick,random,1000\n");
    assert!(
        shown.contains(
            "? NOT JUDGED Not judged: the source states no latency of the load “load” of t.csv that flash judges."
        ),
        "{shown}"
    );
    assert!(!shown.contains("Not qualified"), "{shown}");
}

#[test]
fn percentiles_are_judged_only_where_rate_and_time_give_enough_ios() {
    let bench = Bench::new();
    let judged = |runtime: &str| {
        let table = format!(
            "label,runtime_s,read.iops,read.lat_mean_us,read.lat_p99_us,read.lat_p999_us\nx,{runtime},133,200,300,400\n"
        );
        std::fs::write(bench.path().join("t.csv"), table).unwrap();
        let summary = bench.run(&["report", "t.csv", "--json"]).expect_code(0).json();
        // What the source does not state is not shown as stated.
        assert!(summary["total"]["read"]["io_count"].is_null(), "{summary:#}");
        let judged = summary["verdict"]["judged"].as_array().unwrap().clone();
        judged.iter().map(|one| one["statistic"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(judged("5.31"), ["mean"]);
    assert_eq!(judged("60"), ["mean", "p99"]);
    assert_eq!(judged("600"), ["mean", "p99", "p99.9"]);
    // Nothing tells how many there were.
    assert_eq!(judged(""), ["mean", "p99", "p99.9"]);
}

#[test]
fn no_output_replaces_what_the_command_reads() {
    let bench = Bench::new();
    bench.run(&["run", "--closed", "--engine", "sim", "--duration", "1s", "--quiet", "--json"]);
    let record = bench.stored(".iotrial.json").remove(0);
    let before = std::fs::read(&record).unwrap();
    let record = record.to_string_lossy().into_owned();
    let table = "label,runtime_s,read.iops,read.lat_mean_us\nx,60,133,200\n";
    std::fs::write(bench.path().join("t.csv"), table).unwrap();
    for command in ["report", "audit"] {
        let ran = bench.run(&[command, &record, "--csv", &record, "--overwrite"]).expect_code(2);
        assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
        // What another tool wrote is not known by its beginning, but by being read.
        let ran = bench.run(&[command, "t.csv", "--csv", "./t.csv", "--overwrite"]).expect_code(2);
        let is_said = ran.stderr.contains("--csv would replace") && ran.stderr.contains("which is read");
        assert!(is_said, "{}", ran.stderr);
        assert_eq!(read(&bench, "t.csv"), table.as_bytes());
    }
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"t\"\nprofiles = [\"oci-64k-read\"]\nrepeats = 1\n[load]\n\
                 engine = \"sim\"\n[[configuration]]\nlabel = \"a\"\n";
    std::fs::write(bench.path().join("s.toml"), study).unwrap();
    bench.run(&["study", "s.toml", "--resume", "--html", "./s.toml"]).expect_code(2);
    assert_eq!(std::fs::read_to_string(bench.path().join("s.toml")).unwrap(), study);
    assert_eq!(std::fs::read(record).unwrap(), before);
}

#[test]
fn each_chart_is_written_into_a_folder_that_is_made_and_what_is_there_is_kept() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    let charts = ["report", record.as_str(), "--charts", "new/charts", "--html", "a.html"];
    let ran = bench.run(&charts);
    assert!(ran.stdout.contains("charts  new/charts"), "{}", ran.stdout);
    let names = || -> Vec<String> {
        let all = std::fs::read_dir(bench.path().join("new/charts")).unwrap();
        let mut names: Vec<String> = all.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let written = names();
    assert!(written.len() > 3 && written.iter().all(|name| name.ends_with(".svg")), "{written:?}");
    let first = format!("new/charts/{}", written[0]);
    assert!(read(&bench, &first).starts_with(b"<?xml"));
    // One that is there is an error before anything is written, and stays as it is.
    std::fs::write(bench.path().join(&first), "somebody's").unwrap();
    std::fs::remove_file(bench.path().join("a.html")).unwrap();
    let refused = bench.run(&charts).expect_code(2);
    assert!(refused.stderr.contains("exists already"), "{}", refused.stderr);
    assert!(read(&bench, &first) == b"somebody's" && !bench.path().join("a.html").exists());
    bench.run(&[&charts[..], &["--overwrite"]].concat());
    assert!(read(&bench, &first).starts_with(b"<?xml") && names() == written);
    // A folder is one, and a file is none.
    bench.run(&["report", &record, "--charts", "a.html"]).expect_code(2);
}

#[test]
fn a_title_is_that_of_the_files() {
    let bench = Bench::new();
    let record = with_record(&bench, "fast", FAST);
    bench.run(&["report", &record, "--title", "ERP <volume>", "--html", "a.html", "--markdown", "a.md"]);
    let page = String::from_utf8(read(&bench, "a.html")).unwrap();
    assert!(page.contains("<h1>ERP &lt;volume&gt;</h1>"), "{page}");
    assert!(read(&bench, "a.md").starts_with(b"# ERP"));
}
