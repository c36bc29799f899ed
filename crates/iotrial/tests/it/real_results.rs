//! Results that tools really wrote: nobody is accused falsely, and what is planted in them is found with its cause.
//!
//! The files are data to check against and no part of the project: `IOTRIAL_SHARED` names their folder.

use std::path::{Path, PathBuf};

use iotrial_analysis::audit::Audit;
use iotrial_import::{ForeignFile, Naming, import};
use iotrial_model::audit::{
    AuditFinding, Cause, Check, Compared, Conflict, Right, RightQuantity, Unit, UnitMistake, Weight, Witness,
};
use iotrial_model::bound::BoundRelation;
use iotrial_model::subject::Subject;
use serde_json::Value;

use crate::support::Bench;

/// A folder or file below the data; `None` where there is none.
fn data(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", path.display());
    None
}

/// Every audit of a file or folder.
fn audits(bench: &Bench, path: &Path) -> Vec<Value> {
    let ran = bench.run(&["audit", path.to_str().unwrap(), "--json"]);
    match ran.json() {
        Value::Array(all) => all,
        one => vec![one],
    }
}

/// The findings of all audits that are contradictions, each with the result that it is of.
fn contradictions(audits: &[Value]) -> Vec<(String, String)> {
    let of = |audit: &Value| {
        let subject = audit["subject"].as_str().unwrap().to_owned();
        let findings = audit["findings"].as_array().unwrap().clone();
        let wrong = findings.into_iter().filter(|one| one["weight"] == "contradiction");
        wrong.map(move |one| (subject.clone(), one["check"].as_str().unwrap().to_owned())).collect::<Vec<_>>()
    };
    audits.iter().flat_map(of).collect()
}

#[test]
fn of_all_real_results_only_those_are_accused_that_somebody_edited() {
    let bench = Bench::new();
    let mut count = 0;
    let mut accused = Vec::new();
    for name in [
        "fio/mx200-x1",
        "fio/mx200-x3-raid0",
        "fio/intel-s4610-hba",
        "fio/hgst-7k2",
        "fio/various",
        "diskspd",
        "sqlio",
        "cases/import/15-grids/TEST01",
        "cases/import/15-grids/TEST02_DISABLED_WRITE_CACHE",
        "cases/import/16-same-N",
        "cases/import/18-working-set",
    ] {
        let Some(folder) = data(name) else { return };
        let all = audits(&bench, &folder);
        count += all.len();
        accused.extend(contradictions(&all));
    }
    assert!(count > 500, "{count}");
    // VirtualClient cut these two examples and changed their figures. That others have I/Os of more than 17.2 s, which fio counts in its
    // last bucket, is a doubt.
    for (subject, check) in &accused {
        let is_edited = (subject.contains("fio-3.26.json") && check == "totals")
            || (subject.contains("fio-readwrite.json") && check == "percentile-order");
        assert!(is_edited, "{subject}: {check}");
    }
    assert_eq!(accused.len(), 3, "{accused:#?}");
}

#[test]
fn a_case_that_was_accused_falsely_is_not() {
    let bench = Bench::new();
    for case in [
        "01a-vdbench-flatfile.html",
        "01b-vdbench-flatfile-5.00-spelling.html",
        "02-ramp-time-false-contradiction.json",
        "02b-ramp-time-lkp.json",
        "03-bs-4Ki.json",
        "05-rbd-devices-saw-nothing.json.gz",
        "05b-merges-counted-as-cache.json",
        "06-verify-called-group.json",
        "07-jobname-over-128.json",
        "08-text-before-brace.json",
        "08b-log-prefix.txt",
        "08c-array-of-documents.json",
        "09-diskspd-cp1251.txt",
        "10-cdm-hdtune-lines.md",
        "13-fio-normal-output.txt",
        "19-short-ios-flushes-in-group.json",
    ] {
        let Some(path) = data(&format!("cases/import/{case}")) else { return };
        let audits = audits(&bench, &path);
        assert!(!audits.is_empty(), "{case}");
        assert_eq!(contradictions(&audits), [], "{case}");
    }
}

#[test]
fn wholes_and_parts_of_strangers_are_not_accused() {
    let bench = Bench::new();
    for case in [
        "import2/01-vdbench-folder",
        "import2/02-fio-text-two-clients.txt",
        "import2/03-fio-text-unified-both.txt",
        "import2/03b-fio-text-unified-mixed.txt",
        "import2/05-verify-called-group.json",
        "import2/05b-fio-text-verify.txt",
        "import2/06-global-name-called-group.json",
        "import2/10-kdiskmark-3.2.md",
        "import2/11-fio-text-status-interval.txt",
        "import2/12-vdbench-threads-per-sd-and-host.html",
        "import2/13-fio-text-kubernetes-log.log",
        "import2/13b-fio-text-ansi.txt",
        "import2/17-option-twice.json",
        "field/02b-etcd-p99-19ms.txt",
        "field/03-page-cache-median.txt",
        "field/04-1024-outstanding-half-a-mix.txt",
        "field/06-diskspd-2.0-write-cache.txt",
        "field/07-kubectl-timestamps.txt",
        "field/07b-command-line-above.md",
        "field/12-rate-33k-to-503k.txt",
    ] {
        let Some(path) = data(&format!("cases/{case}")) else { return };
        let audits = audits(&bench, &path);
        assert!(!audits.is_empty(), "{case}");
        assert_eq!(contradictions(&audits), [], "{case}");
        // A write and its flush are all that was outstanding.
        assert!(!case.contains("02b") || audits[0]["findings"] == serde_json::json!([]), "{audits:#?}");
    }
    // Its 17 reads are one that was merged and came late; that its percentile is the end of a histogram is true.
    let Some(floppy) = data("cases/import2/15-floppy-called-cached.json") else { return };
    let wrong: Vec<String> =
        contradictions(&audits(&bench, &floppy)).into_iter().map(|(_, check)| check).collect();
    assert_eq!(wrong, [] as [&str; 0]);
    // That its percentile is the end of a histogram is a doubt.
    let doubts = audits(&bench, &floppy)[0]["findings"].to_string();
    assert!(doubts.contains("clipped-histogram"), "{doubts}");
}

#[test]
fn a_percentile_at_the_end_of_a_histogram_is_no_reservation_against_the_one_that_wins() {
    let (Some(flash), Some(disk)) = (data("fio/mx200-x1"), data("fio/hgst-7k2")) else { return };
    let (flash, disk) = (flash.to_str().unwrap(), disk.to_str().unwrap());
    let compared = Bench::new().run(&["compare", flash, disk, "--json"]).expect_code(0).json();
    let over_loads = &compared["over_loads"];
    assert_eq!(over_loads["best"], "A", "{over_loads:#}");
    assert_eq!(over_loads["reservations"], serde_json::json!([]));
    // It is still told.
    let findings = compared["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["severity"] == "warning"), "{findings:#?}");
}

#[test]
fn a_burst_of_a_stranger_is_one_and_what_lasts_is_told() {
    let (Some(configuration), Some(record)) =
        (data("cases/field/05-m6i-large.toml"), data("cases/field/05-burst-15900.txt"))
    else {
        return;
    };
    let (configuration, record) = (configuration.to_str().unwrap(), record.to_str().unwrap());
    let ran = Bench::new().run(&["size", "explain", configuration, "--record", record, "--json"]);
    let measured = ran.expect_code(0).json()["measured"][0].clone();
    assert_eq!(measured["bound_by"], serde_json::json!(["burst"]), "{measured:#}");
    assert_eq!(measured["label"], "05-burst-15900.txt");
    let ebs = &measured["shares"][0];
    assert_eq!((ebs["element"].as_str(), ebs["most"].as_f64()), (Some("EBS limit"), Some(3_600.0)));
}

#[test]
fn a_rate_that_held_only_while_all_copies_ran_is_not_steady() {
    let Some(path) = data("cases/field/12-rate-33k-to-503k.txt") else { return };
    let report = Bench::new().run(&["report", path.to_str().unwrap(), "--json"]).json();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|one| one["id"] == "unsteady").unwrap_or_else(|| panic!("{report:#}"));
    let number = |key: &str| found["evidence"][key].as_f64().unwrap();
    assert_eq!((number("iops"), number("sampled_iops_mean")), (111_000.0, 132_163.42));
    assert_eq!((number("sampled_iops_min"), number("sampled_iops_max")), (33_226.0, 502_899.0));
}

#[test]
fn a_flush_that_is_faster_is_recommended() {
    let (Some(slow), Some(fast)) =
        (data("cases/field/02-fdatasync-slow-flush.txt"), data("cases/field/02-fdatasync-fast-flush.txt"))
    else {
        return;
    };
    let bench = Bench::new();
    let files = [slow.to_str().unwrap(), fast.to_str().unwrap()];
    let comparison = bench.run(&["compare", files[0], files[1], "--json"]).expect_code(0).json();
    assert_eq!(comparison["recommendation"]["best"], "B", "{comparison:#}");
    // The same flush, as it was published: p99 of 19.8 ms where etcd's limit is 10 ms.
    let Some(published) = data("cases/field/02b-etcd-p99-19ms.txt") else { return };
    let arguments = ["report", published.to_str().unwrap(), "--thresholds", "etcd", "--json"];
    let verdict = bench.run(&arguments).expect_code(1).json()["verdict"].clone();
    let judged = verdict["judged"].as_array().unwrap();
    assert!(judged.iter().any(|one| one["statistic"] == "p99" && one["value_us"] == 19_792.0), "{verdict:#}");
}

#[test]
fn memory_that_answered_and_a_queue_decide_nothing() {
    let bench = Bench::new();
    for (case, finding) in [
        ("03-page-cache-median.txt", "unknown-cache"),
        ("04-1024-outstanding-half-a-mix.txt", "import-warnings"),
    ] {
        let Some(path) = data(&format!("cases/field/{case}")) else { return };
        let report = bench.run(&["report", path.to_str().unwrap(), "--json"]).json();
        let outcome = report["verdict"]["outcome"].as_str().unwrap();
        assert!(!matches!(outcome, "qualified" | "not-qualified"), "{case}: {outcome}");
        assert!(report["findings"].to_string().contains(finding), "{case}: {report:#}");
    }
}

#[test]
fn few_ios_of_a_busy_host_decide_no_verdict() {
    let Some(path) = data("cases/import2/08-iostat-19-reads-decide.txt") else { return };
    let watch = Bench::new().run(&["watch", path.to_str().unwrap(), "--json"]).expect_code(0).json();
    assert_eq!(watch["is_good"], true, "{watch:#}");
    let judged = watch["roles"][0]["judged"].as_array().unwrap();
    assert!(judged.iter().all(|one| one["disk"] != "sda" || one["direction"] != "read"), "{watch:#}");
}

#[test]
fn what_was_planted_in_results_of_strangers_is_found() {
    for (case, check, cause, quantity) in [
        ("18a-planted-latency-copied-to-writes.json", Check::CopiedLatency, Cause::Usual, None),
        (
            "18b-planted-submission-above-total.json",
            Check::LatencyParts,
            Cause::Usual,
            Some(RightQuantity::SubmissionLatency),
        ),
        ("18d-planted-runtime-halved.json", Check::Totals, Cause::WrongRuntime, Some(RightQuantity::Runtime)),
    ] {
        let Some(path) = data(&format!("cases/import2/{case}")) else { return };
        let findings = findings_of(&std::fs::read_to_string(path).unwrap());
        let is_it = |found: &&AuditFinding| found.check == check && found.cause == cause;
        let found = findings.iter().find(is_it).unwrap_or_else(|| panic!("{case}: {findings:#?}"));
        assert_eq!(
            right_figures(found).first().map(|(quantity, ..)| *quantity),
            quantity,
            "{case}: {found:#?}"
        );
    }
}

/// The findings of a result that a tool wrote.
fn findings_of(text: &str) -> Vec<AuditFinding> {
    let file = ForeignFile { name: "planted.txt", bytes: text.as_bytes(), beside: &|_| None };
    let imported = import(&file, &Naming::default()).unwrap();
    imported.records.iter().flat_map(|record| Audit::of(&Subject::of_imported(record)).findings).collect()
}

/// What would be right: each figure with its quantity and its number.
fn right_figures(finding: &AuditFinding) -> Vec<(RightQuantity, Option<BoundRelation>, f64)> {
    let Some(Right::Figures(figures)) = &finding.right else { return Vec::new() };
    figures.iter().map(|one| (one.quantity, one.bound, one.value.middle())).collect()
}

/// The only finding of this check.
#[track_caller]
fn only(findings: &[AuditFinding], check: Check) -> &AuditFinding {
    let found: Vec<&AuditFinding> = findings.iter().filter(|one| one.check == check).collect();
    let [only] = found[..] else { panic!("{check}: {findings:#?}") };
    only
}

#[test]
fn completions_that_nobody_stamped_are_known_for_what_they_are() {
    let bench = Bench::new();
    for case in ["04-sqthread-poll-clat-garbage.json", "04b-sqthread-poll-p1-17s.json"] {
        let Some(path) = data(&format!("cases/import/{case}")) else { return };
        let all = audits(&bench, &path);
        let findings = all[0]["findings"].as_array().unwrap();
        // One word on all that follows from it, and the side that Little's law bears out is the right one.
        assert_eq!(findings.len(), 1, "{case}: {findings:#?}");
        assert_eq!(findings[0]["check"], "latency-parts", "{case}");
        let typed = findings_of(&std::fs::read_to_string(&path).unwrap());
        let found = only(&typed, Check::LatencyParts);
        assert_eq!(found.cause, Cause::NoSubmissionTimes, "{case}");
        assert!(matches!(found.right, Some(Right::MeanWithoutPercentiles(_))), "{case}: {found:#?}");
        // What is rubbish decides nothing: no percentile is shown, and the report says why.
        let report = bench.run(&["report", path.to_str().unwrap(), "--json"]).json();
        let text = report.to_string();
        assert!(!text.contains("\"lat_p99_us\":8"), "{text}");
        assert!(text.contains("contradictory-figures"), "{text}");
    }
}

#[test]
fn planted_cases_are_found_with_their_cause() {
    let mib_per_s = RightQuantity::Figure(Unit::MibPerS);
    for (case, check, cause, right) in [
        ("04-read-write-swapped-pure.json", Check::Mix, Cause::DirectionsSwapped, None),
        (
            "24-clat-from-other-run.json",
            Check::LatencyParts,
            Cause::LittlesLawWithTotal,
            Some((RightQuantity::CompletionLatency, None, 464.4)),
        ),
        ("26-mix-80-20-told-50-50.json", Check::Mix, Cause::Usual, None),
        ("27-rate-1000-but-67000.json", Check::AskedRate, Cause::Usual, None),
        (
            "29-cpu-150pct-per-copy.json",
            Check::CpuTime,
            Cause::Usual,
            Some((RightQuantity::Figure(Unit::Percent), Some(BoundRelation::AtMost), 100.0)),
        ),
        (
            "30-bw-bits.json",
            Check::IopsBandwidth,
            Cause::Unit(UnitMistake::BinaryMegabitsAsMib),
            Some((mib_per_s, None, 264.7)),
        ),
        (
            "41-sqlio-iops-half.txt",
            Check::IopsBandwidth,
            Cause::WrongIops(Witness::LittlesLaw),
            Some((RightQuantity::Figure(Unit::Iops), None, 25_519.0)),
        ),
        ("51-diskspd-swap-readwrite.txt", Check::Mix, Cause::DirectionsSwapped, None),
        (
            "60-cdm-mib.txt",
            Check::IopsBandwidth,
            Cause::Unit(UnitMistake::MibAsMb),
            Some((mib_per_s, None, 7_084.0)),
        ),
    ] {
        let Some(path) = data(&format!("cases/import/17-planted/{case}")) else { return };
        let findings = findings_of(&std::fs::read_to_string(path).unwrap());
        let is_right = |found: &AuditFinding| match (right, cause) {
            (Some((quantity, bound, number)), _) => {
                right_figures(found).iter().any(|(known, side, value)| {
                    (*known, *side) == (quantity, bound) && (value / number - 1.0).abs() < 5e-4
                })
            }
            (None, Cause::DirectionsSwapped) => found.right == Some(Right::DirectionsSwapped),
            (None, _) => true,
        };
        let is_it = |found: &AuditFinding| found.check == check && found.cause == cause && is_right(found);
        assert!(findings.iter().any(is_it), "{case}: {findings:#?}");
    }
}

#[test]
fn latencies_a_thousand_times_too_small_are_found_with_those_that_were_meant() {
    let Some(path) = data("cases/import/17-planted/10-all-lat-us-as-ns.json") else { return };
    let findings = findings_of(&std::fs::read_to_string(path).unwrap());
    let found = only(&findings, Check::LittlesLaw);
    assert!(matches!(found.conflict, Conflict::Figures { compared: Compared::ThousandthOutstanding, .. }));
    let Some(Right::MeanLatencies(means_us)) = &found.right else { panic!("{found:#?}") };
    assert!(means_us.iter().any(|us| (us - 470.5).abs() < 0.05), "{means_us:?}");
}

/// A consistent result of fio with one number of its reads changed.
fn with_number(path: &[&str], change: impl Fn(f64) -> f64) -> Option<Vec<AuditFinding>> {
    let text = std::fs::read_to_string(data("fio/mx200-x1/randread-32-1.json")?).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    let before = findings_of(&document.to_string());
    assert!(before.iter().all(|one| one.weight == Weight::Doubt), "{before:#?}");
    let mut place = &mut document["jobs"][0]["read"];
    for key in path {
        place = &mut place[*key];
    }
    let changed = change(place.as_f64().unwrap());
    *place = serde_json::json!(changed);
    Some(findings_of(&document.to_string()))
}

#[test]
fn a_mean_beyond_its_percentiles_is_the_wrong_side_and_the_total_is_the_right_one() {
    // Of two figures that contradict each other Little's law bears out the total.
    let Some(findings) = with_number(&["clat_ns", "mean"], |mean| mean * 3.0) else { return };
    let found = only(&findings, Check::LatencyParts);
    assert_eq!(found.cause, Cause::LittlesLawWithTotal);
    assert!(matches!(right_figures(found)[..], [(RightQuantity::CompletionLatency, ..)]), "{found:#?}");
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let Some(findings) = with_number(&["lat_ns", "mean"], |mean| mean * 3.0) else { return };
    let found = only(&findings, Check::LatencyParts);
    assert_eq!(found.cause, Cause::LittlesLawWithParts);
    assert!(matches!(right_figures(found)[..], [(RightQuantity::MeanLatency, ..)]), "{found:#?}");
}

#[test]
fn a_rate_that_was_multiplied_is_found_by_what_the_other_figures_tell() {
    let Some(findings) = with_number(&["iops"], |iops| iops / 2.0) else { return };
    let found = only(&findings, Check::IopsBandwidth);
    assert!(matches!(found.cause, Cause::WrongIops(_)), "{found:#?}");
    assert!(matches!(right_figures(found)[..], [(RightQuantity::Figure(Unit::Iops), ..)]), "{found:#?}");
    let Some(findings) = with_number(&["bw"], |kib| kib * 8.0) else { return };
    assert!(
        findings.iter().any(|one| matches!(one.check, Check::IopsBandwidth | Check::Totals)),
        "{findings:#?}"
    );
}

#[test]
fn a_stall_and_an_uneven_disk_are_findings_of_a_report() {
    let Some(path) = data("cases/import/14-stall/randrw-32-1.json") else { return };
    let bench = Bench::new();
    let report = bench.run(&["report", path.to_str().unwrap(), "--json"]).json();
    let stalled =
        report["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "stalled").unwrap();
    let evidence = &stalled["evidence"];
    let longest_s = evidence["longest_s"].as_f64().unwrap();
    assert!(evidence["job"] == "iotest" && (34.7..34.8).contains(&longest_s), "{stalled}");
    let report = report.to_string();
    assert!(
        report.contains("`sdf` was busy for 96 % of the time and the other 7 disks for 45 to 47 %"),
        "{report}"
    );
}

#[test]
fn a_whole_device_is_not_compared_with_a_file() {
    let (Some(file), Some(device)) =
        (data("cases/import/18-working-set/file-30GB"), data("cases/import/18-working-set/whole-device"))
    else {
        return;
    };
    let bench = Bench::new();
    let ran = bench.run(&["compare", file.to_str().unwrap(), device.to_str().unwrap()]).expect_code(2);
    assert!(ran.stderr.contains("30 GiB") && ran.stderr.contains("the whole device"), "{}", ran.stderr);
}

#[test]
fn a_grid_has_its_depths_and_jobs_apart_and_says_that_the_split_matters() {
    let Some(grid) = data("cases/import/16-same-N") else { return };
    let bench = Bench::new();
    let arguments = ["import", grid.to_str().unwrap(), "--as-sweep", "--markdown", "grid.md", "--json"];
    let sweep = bench.run(&arguments).expect_code(0).json()["sweep"].to_string();
    assert!(sweep.contains("split-matters"), "{sweep}");
    assert!(sweep.contains("\"iodepth\":64") && sweep.contains("\"numjobs\":64"), "{sweep}");
    let page = std::fs::read_to_string(bench.path().join("grid.md")).unwrap();
    assert!(page.contains("I/Os per second by depth and jobs") && page.contains("64 jobs"), "{page}");
}

#[test]
fn a_page_on_a_write_cache_has_charts_of_writes_and_says_what_it_leaves_out() {
    let (Some(on), Some(off)) =
        (data("cases/import/15-grids/TEST01"), data("cases/import/15-grids/TEST02_DISABLED_WRITE_CACHE"))
    else {
        return;
    };
    let bench = Bench::new();
    let folders = [on.to_str().unwrap(), off.to_str().unwrap()];
    let ran = bench.run(&["compare", folders[0], folders[1], "--html", "caches.html", "--details"]);
    assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
    // Reads and writes have ranges of their own, and what to avoid is avoided for its writes, not for their tail.
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("throughput of reads −50.3 to −14.5 % and of writes −96.6 to −87.8 %"), "{said}");
    assert!(
        said.contains("its writes are worse than those of A in all 245 metrics: throughput −96.6"),
        "{said}"
    );
    // Numbers keep their units by spaces that do not break.
    let page = std::fs::read_to_string(bench.path().join("caches.html")).unwrap().replace('\u{a0}', " ");
    let charts = page.split("id=\"bars\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(charts.contains("random write 4 KiB"), "{}", &charts[..2_000.min(charts.len())]);
    assert!(
        charts.contains("98 loads and streams 8 are drawn, some of each kind"),
        "{}",
        &charts[..2_000.min(charts.len())]
    );
}

#[test]
fn a_job_of_fio_without_a_size_takes_that_of_the_command_line() {
    let Some(job) = data("cases/import/11-job-without-size.fio") else { return };
    let bench = Bench::new();
    let job = job.to_str().unwrap();
    let data = bench.data();
    let target = data.to_str().unwrap();
    let refused = bench.run(&["run", "--fio-job", job, "--target", target, "--dry-run"]).expect_code(2);
    assert!(refused.stderr.contains("`run` takes --size for it"), "{}", refused.stderr);
    bench.run(&["run", "--fio-job", job, "--size", "64MiB", "--target", target, "--dry-run"]).expect_code(0);
}

/// What is said of a report, or of several together.
fn awr(bench: &Bench, names: &[&str]) -> Option<Value> {
    let paths: Option<Vec<PathBuf>> = names.iter().map(|name| data(name)).collect();
    let paths = paths?;
    let mut arguments = vec!["awr"];
    arguments.extend(paths.iter().map(|path| path.to_str().unwrap()));
    arguments.push("--json");
    Some(bench.run(&arguments).json())
}

/// What is there beside what is needed, and more of it than fits.
fn over_provisioned(answer: &Value) -> Vec<String> {
    let all = answer["right_size"]["provision"].as_array().unwrap().iter();
    all.filter(|one| one["is_over"] == true).map(|one| one["what"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn where_cpus_were_short_the_need_is_what_was_used_and_what_waited_for_it() {
    let bench = Bench::new();
    let vcpus = |answer: &Value| answer["right_size"]["chosen"]["vcpus"].as_f64().unwrap();
    let number = |answer: &Value, key: &str| answer["figures"][key]["value"].as_f64();
    let Some(saturated) = awr(&bench, &["cases/awr/03-saturated-host-aix.html"]) else { return };
    // Of 12.0 sessions 48 % of the time are neither CPU nor a wait, on a host that is 92 % busy.
    let waiting = number(&saturated, "cpu_wait_sessions").unwrap();
    assert!((waiting - 5.8).abs() < 0.1, "{waiting}");
    assert!(vcpus(&saturated) >= 4.0, "{}", vcpus(&saturated));
    assert!(!over_provisioned(&saturated).contains(&"CPUs".to_owned()));
    let Some(managed) = awr(&bench, &["cases/awr/04-resource-manager.html"]) else { return };
    let waiting = number(&managed, "cpu_wait_sessions").unwrap();
    assert!((waiting - 42.6).abs() < 0.1, "{waiting}");
    assert_eq!(managed["figures"]["cpu_limit"]["value"], 8.0);
    let notes = managed["right_size"]["notes"].to_string();
    assert!(notes.contains("8.1 of the 8 CPUs"), "{notes}");
    // At most all sessions that were active, in whole cores.
    assert!((50.0..=52.0).contains(&vcpus(&managed)), "{}", vcpus(&managed));
    // OMAT's way stays as it is: its factor above 75 % busy has them already.
    for answer in [&saturated, &managed] {
        assert!(answer["right_size"]["chosen"]["vcpus_by_sessions"].as_f64().unwrap() > 11.9);
    }
}

#[test]
fn a_head_has_the_rates_of_its_load_profile() {
    let bench = Bench::new();
    let number = |answer: &Value, key: &str| answer["figures"][key]["value"].as_f64();
    let Some(head) = awr(&bench, &["cases/awr/07-head-only.txt"]) else { return };
    // 580.0 and 377.6 blocks of 8 KiB.
    let mib = [580.0, 377.6].map(|blocks| Some(blocks / 128.0));
    let of_database = ["database_read_mib_per_s", "database_write_mib_per_s"].map(|key| number(&head, key));
    assert_eq!(of_database, mib);
    assert_eq!((number(&head, "reads_per_s"), number(&head, "cpu_sessions")), (None, Some(1.9)));
    assert_eq!(head["right_size"]["chosen"]["vcpus"], 12);
    // This one ends before them, and after the CPU of background processes.
    let Some(solaris) = awr(&bench, &["cases/awr/10-solaris-head.html"]) else { return };
    assert_eq!(number(&solaris, "database_read_mib_per_s"), None);
    assert_eq!(number(&solaris, "background_cpu_sessions"), Some(0.4));
    let redo = number(&solaris, "redo_mib_per_s").unwrap();
    assert!((redo - 5_048_931.5 / 1_048_576.0).abs() < 1e-9, "{redo}");
}

#[test]
fn the_database_has_as_much_as_the_load_profile_says_wherever_it_is_read() {
    let bench = Bench::new();
    // The whole report has the counters of bytes, its head the blocks of the same.
    let (whole, head) = ("cases/awr/05-memory-statistics-11.2.txt", "cases/awr/07-head-only.txt");
    let (Some(whole), Some(head)) = (awr(&bench, &[whole]), awr(&bench, &[head])) else { return };
    for key in ["database_read_mib_per_s", "database_write_mib_per_s"] {
        let of = |answer: &Value| answer["figures"][key]["value"].as_f64().unwrap();
        assert!((of(&whole) / of(&head) - 1.0).abs() < 0.001, "{key}: {} {}", of(&whole), of(&head));
    }
}

#[test]
fn where_nothing_waited_for_a_cpu_nothing_is_added_to_the_need() {
    let bench = Bench::new();
    for (name, vcpus) in [
        // AIX counts 11,746 s of OS_CPU_WAIT_TIME on this host, of whose CPUs four of five are idle.
        ("cases/awr/02-the-same-page.html", 2.0),
        ("cases/awr/05-memory-statistics-11.2.txt", 12.0),
        ("awr/structureddata__assets_pq_range_1_awrrpt_1_910_911.html", 26.0),
        // Two thirds of DB time are neither CPU nor a wait, and 95 of 96 CPUs are idle.
        ("awr/therealkevinc__awr.html", 2.0),
    ] {
        let Some(answer) = awr(&bench, &[name]) else { return };
        assert_eq!(answer["figures"].get("cpu_wait_sessions"), None, "{name}");
        assert_eq!(answer["right_size"]["chosen"]["vcpus"].as_f64(), Some(vcpus), "{name}");
    }
}

#[test]
fn how_hard_it_is_to_leave_exadata_is_open_where_its_counters_were_not_read() {
    let bench = Bench::new();
    for name in [
        "cases/awr/10-solaris-head.html",
        "cases/awr/12-exadata-cut-off.html.gz",
        "cases/awr/12-exadata-without-counters.html.gz",
    ] {
        let Some(answer) = awr(&bench, &[name]) else { return };
        let away = &answer["away_from_exadata"];
        assert!(away.is_null() || away.get("difficulty").is_none(), "{name}: {away}");
        // ADDM of the first has half of the activity in commits.
        assert!(!away["assumptions"].to_string().contains("commits"), "{name}: {away}");
    }
    let Some(head) = awr(&bench, &["cases/awr/10-solaris-head.html"]) else { return };
    assert!(head["cut_off"]["missing"].to_string().contains("Instance Activity Stats"), "{head}");
    let whole = "awr/Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBU.html";
    let Some(whole) = awr(&bench, &[whole]) else { return };
    assert_eq!(whole["away_from_exadata"]["difficulty"], "hard");
}

#[test]
fn awr_and_statspack_of_one_database_are_one() {
    let bench = Bench::new();
    let (one, other) = ("cases/awr/05-memory-statistics-11.2.txt", "cases/awr/06-statspack-of-05.txt");
    for names in [[one, other], [other, one]] {
        let Some(answer) = awr(&bench, &names) else { return };
        let databases = answer["databases"].as_array().unwrap();
        assert_eq!(databases.len(), 1, "{answer}");
        let intervals = databases[0]["intervals"].as_array().unwrap();
        let requests = intervals[0]["figures"]["requests_per_s"].as_f64().unwrap();
        assert_eq!((intervals.len(), requests.round()), (1, 1_244.0));
        // The report of AWR is kept: it has the memory as well.
        assert!(intervals[0]["figures"]["memory_mib"].is_number());
        assert_eq!(answer["left_out"].as_array().unwrap().len(), 1);
    }
}
