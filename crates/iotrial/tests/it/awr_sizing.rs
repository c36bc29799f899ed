//! `iotrial awr`: the machine and the storage that a database needs, and what it takes to leave Exadata. The reports are small ones in Oracle's
//! layouts, written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Bench;
use iotrial_model::demand::Demand;
use iotrial_model::load::Direction;
use serde_json::Value;

const EXADATA: &str = include_str!("../../../iotrial-import/tests/awr/exadata-18c.html");
const PLAIN: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");

/// A series of AWR-Miner: twenty hours of one instance, the last one busy.
fn miner() -> String {
    let mut memory = String::new();
    let mut metrics = String::new();
    for hour in 1..=20 {
        let (reads, peak, cpu) = if hour == 20 { (4_000, 9_000, "6.0") } else { (1_000, 2_000, "1.5") };
        memory.push_str(&format!("{hour:>10} {:>15} {:>10} {:>10} {:>10}\n", 1, 16, 4, 20));
        metrics.push_str(&format!(
            "{hour:>10} {:>10} 25/03/03 {hour:02}:00 {:>10} {:>10} {:>10} {:>11} {:>10} {reads:>10} {peak:>13} {:>10} {:>10}\n",
            60, 1, 25, cpu, "8.0", 3.0, 15.6, 7.8
        ));
    }
    // The columns are told by their rulers, so that blanks in front of headers count.
    format!(
        r"~~BEGIN-OS-INFORMATION~~
STAT_NAME                                                    STAT_VALUE
------------------------------------------------------------ ------------------------------
NUM_CPUS                                                     32
NUM_CPU_CORES                                                16
PHYSICAL_MEMORY_GB                                           128
VERSION                                                      19.0.0.0.0
DB_NAME                                                      MINED
DBID                                                         99
INSTANCES                                                    1
~~END-OS-INFORMATION~~

~~BEGIN-MEMORY~~

   SNAP_ID INSTANCE_NUMBER        SGA        PGA      TOTAL
---------- --------------- ---------- ---------- ----------
{memory}
~~END-MEMORY~~

~~BEGIN-MAIN-METRICS~~

      snap      dur_m end                  inst     os_cpu  cpu_per_s h_cpu_per_s        aas  read_iops read_iops_max  read_mb_s write_mb_s
---------- ---------- -------------- ---------- ---------- ---------- ----------- ---------- ---------- ------------- ---------- ----------
{metrics}
~~END-MAIN-METRICS~~
"
    )
}

fn json(report: &str, options: &[&str]) -> Value {
    let bench = Bench::new();
    fs::write(bench.path().join("report.html"), report).unwrap();
    let mut arguments = vec!["awr", "report.html", "--json"];
    arguments.extend(options);
    bench.run(&arguments).expect_code(0).json()
}

#[test]
fn the_three_methods_stand_side_by_side_with_their_factors() {
    let sizing = json(EXADATA, &[])["right_size"].take();
    let of = |method: &str, key: &str| {
        let all = sizing["methods"].as_array().unwrap();
        all.iter().find(|one| one["method"] == method).unwrap()[key].clone()
    };
    // Two CPUs of CPU time, at 75 %, and twice because a single report has no peak: 5.3, in whole cores.
    assert_eq!(of("iotrial", "vcpus"), 6);
    assert!((of("iotrial", "vcpus_by_cpu").as_f64().unwrap() - 2.0 / 0.75 * 2.0).abs() < 1e-9);
    // Four sessions, twice.
    assert_eq!((of("omat", "vcpus"), of("omat", "vcpus_by_sessions")), (8.into(), 8.0.into()));
    assert_eq!(of("peak", "vcpus"), 4);
    // 20 GiB of SGA and PGA.
    assert_eq!([of("iotrial", "memory_gib"), of("omat", "memory_gib")], [25.0, 40.0]);
    assert_eq!([of("iotrial", "reads_per_s"), of("omat", "reads_per_s")], [2000.0, 2000.0]);
    assert_eq!(sizing["is_estimate"], true);
    let licences = &sizing["chosen"]["licences"];
    assert_eq!(
        [&licences["own_hardware"], &licences["authorised_cloud"], &licences["standard_edition_2"]]
            .map(Value::clone),
        [2.into(), 3.into(), Value::Null]
    );
    let over: Vec<&str> = sizing["provision"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["is_over"] == true)
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    assert_eq!(
        over,
        [
            "CPUs",
            "memory, GiB",
            "licences, Enterprise Edition on x86",
            "disk group DATAC1 of all databases, GiB"
        ]
    );
}

#[test]
fn every_factor_can_be_changed_and_holds_for_the_method_that_is_asked_for() {
    let options =
        ["--cpu-utilisation", "50", "--factor-cpu", "3", "--factor-memory", "2", "--factor-io", "1.5"];
    let sizing = json(EXADATA, &options)["right_size"].take();
    let chosen = &sizing["chosen"];
    assert_eq!((&chosen["vcpus_by_cpu"], &chosen["vcpus"]), (&12.0.into(), &12.into()));
    assert_eq!((&chosen["memory_gib"], &chosen["reads_per_s"]), (&40.0.into(), &1500.0.into()));
    assert_eq!(sizing["factors"][0]["why"], "as asked");
    assert_eq!(sizing["methods"][1]["vcpus"], 8);
    // The average is what the report has: nothing has to be assumed.
    let average = json(EXADATA, &["--level", "average"])["right_size"].take();
    assert_eq!((&average["is_estimate"], &average["chosen"]["reads_per_s"]), (&false.into(), &1000.0.into()));
    let bench = Bench::new();
    fs::write(bench.path().join("report.html"), EXADATA).unwrap();
    let refused = bench.run(&["awr", "report.html", "--factor-io", "0"]).expect_code(2).stderr;
    assert!(refused.contains("a factor is a number from 0.1 to 100"), "{refused}");
}

#[test]
fn omat_adds_its_factor_where_more_than_three_quarters_of_the_host_are_busy() {
    let busy = EXADATA.replace("<td>7,560,000</td>", "<td>252,000</td>");
    let sizing = json(&busy, &["--method", "omat"])["right_size"].take();
    assert_eq!(sizing["chosen"]["vcpus_by_sessions"], 10.0);
}

#[test]
fn a_core_with_one_thread_counts_as_two_that_are_bought() {
    let single = EXADATA.replace("<td>  28</td><td>  14</td>", "<td>  28</td><td>  28</td>");
    let sizing = json(&single, &["--method", "omat"])["right_size"].take();
    assert_eq!(sizing["chosen"]["vcpus"], 16);
    let notes = sizing["notes"].to_string();
    assert!(notes.contains("as many cores as CPUs, so each counts as 2 vCPUs"), "{notes}");
}

#[test]
fn a_series_needs_no_factor_and_has_every_level() {
    let answer = json(&miner(), &[]);
    let sizing = &answer["databases"][0]["right_size"];
    let of = |at: usize, key: &str| sizing["levels"][at][key].clone();
    assert_eq!(sizing["is_estimate"], false);
    let levels: Vec<Value> = (0..3).map(|at| of(at, "level")).collect();
    assert_eq!(levels, ["average", "p95", "peak"]);
    let reads: Vec<Value> = (0..3).map(|at| of(at, "reads_per_s")).collect();
    assert_eq!(reads, [1150.0, 1000.0, 4000.0]);
    assert_eq!(of(1, "vcpus_by_cpu"), 2.0);
    assert_eq!(of(1, "memory_gib"), 25.0);
    // The highest minute, which the intervals hide.
    let peak = &sizing["methods"][2];
    assert_eq!((&peak["reads_per_s"], &peak["vcpus"]), (&9000.0.into(), &6.into()));
}

#[test]
fn the_demand_has_machine_small_reads_scans_and_the_log_and_goes_to_size_and_run() {
    let bench = Bench::new();
    fs::write(bench.path().join("report.html"), EXADATA).unwrap();
    bench.run(&["awr", "report.html", "--demand", "demand.toml"]).expect_code(0);
    let written = fs::read_to_string(bench.path().join("demand.toml")).unwrap();
    assert!(written.contains("vcpus_min = 6") && written.contains("memory_min = \"25 GiB\""), "{written}");
    let sized =
        bench.run(&["size", "--demand", "demand.toml", "--provider", "oci", "--json"]).expect_code(0).json();
    let streams: Vec<(Value, Value, f64, f64)> = sized["demand"]["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let number = |key: &str| one[key].as_f64().unwrap();
            let kib = (number("block_size_bytes") / 1024.0 * 10.0).round() / 10.0;
            (one["direction"].clone(), one["role"].clone(), number("iops"), kib)
        })
        .collect();
    let log = || Value::from("log");
    assert_eq!(
        streams,
        [
            ("read".into(), Value::Null, 1600.0, 8.0),
            // 200 MiB/s less 800 reads of 8 KiB, in 200 reads.
            ("read".into(), Value::Null, 400.0, 992.0),
            ("write".into(), Value::Null, 600.0, 34.1),
            ("write".into(), log(), 400.0, 51.2),
        ]
    );
    let machine = &sized["found"][0]["answers"][0];
    assert!(machine["vcpus"].as_f64().unwrap() >= 6.0 && machine["memory_gib"].as_f64().unwrap() >= 25.0);
    // All rates are in the need, and a simulated device that carries them says so.
    let run = ["run", "oracle-oltp", "--need", "demand.toml", "--engine", "sim", "--seed", "7", "--quiet"];
    let ran = bench.run(&[&run[..], &["--duration", "2s", "--ramp", "0s", "--json"]].concat());
    let sentence = ran.json()["verdict"]["sentence"].clone();
    assert!(sentence.as_str().unwrap().contains("The loads at 3,000 IOPS stayed within"), "{sentence}");
}

#[test]
fn what_smart_scans_spare_is_the_range_that_plain_storage_would_be_asked() {
    let away = json(EXADATA, &[])["away_from_exadata"].take();
    let ask = |id: &str| -> Vec<f64> {
        let all = away["ask"].as_array().unwrap();
        let one = all.iter().find(|one| one["id"] == id).unwrap();
        ["today", "low", "high"].map(|key| (one[key].as_f64().unwrap() * 10.0).round() / 10.0).to_vec()
    };
    // 200 MiB/s, of which 160 in smart scans that return 10; compression hides 80.
    assert_eq!(ask("read_mib_per_s"), [200.0, 50.0, 280.0]);
    assert_eq!(ask("reads_per_s"), [1000.0, 850.0, 1080.0]);
    assert_eq!(ask("write_mib_per_s"), [20.0, 20.0, 20.0]);
    // 20 % of DB time: half as long again is 10 % more.
    assert_eq!(ask("single_block_read_us"), [400.0, 400.0, 600.0]);
    assert_eq!(ask("redo_write_us"), [500.0, 500.0, 1333.3]);
    let time: Vec<(f64, bool)> = away["time"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["percent"].as_f64().unwrap(), one["is_much"].as_bool().unwrap()))
        .collect();
    assert_eq!(time, [(40.0, true), (5.0, false), (20.0, true)]);
    let saving = |id: &str| {
        let all = away["savings"].as_array().unwrap();
        let one = all.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("{id} in {all:?}"));
        (one["mib_per_s"]["value"].as_f64().or(one["per_s"]["value"].as_f64()), one["percent"].as_f64())
    };
    assert_eq!(saving("offload"), (Some(160.0), Some(80.0)));
    assert_eq!(saving("storage-index"), (Some(40.0), Some(25.0)));
    assert_eq!(saving("flash-reads"), (Some(900.0), Some(90.0)));
    assert_eq!(saving("flash-writes"), (Some(400.0), Some(80.0)));
    assert_eq!(saving("cell-offload"), (Some(320.0), Some(80.0)));
    assert_eq!(saving("cell-oltp-hits"), (None, Some(99.0)));
    assert_eq!(saving("cell-flash-log"), (Some(200.0), Some(90.0)));
}

#[test]
fn the_move_is_as_hard_as_the_features_that_are_used() {
    let difficulty = |report: &str| json(report, &[])["away_from_exadata"]["difficulty"].clone();
    assert_eq!(difficulty(EXADATA), "hard");
    // Without compression and with few scans, flash alone is missed.
    let fast_disks = EXADATA
        .replace("<td>40.00</td></tr>\n<tr><td>cell single", "<td>1.00</td></tr>\n<tr><td>cell single")
        .replace("<td>603,979,776,000</td><td>167,772,160.00</td>", "<td>0</td><td>0.00</td>")
        .replace("<td>150,994,944,000</td><td>41,943,040.00</td>", "<td>0</td><td>0.00</td>")
        .replace("<tr><td>EHCC", "<tr><td>EHC")
        .replace("<td>12.00</td></tr>\n</table>", "<td>2.00</td></tr>\n</table>");
    assert_eq!(difficulty(&fast_disks), "easy");
    let features = json(&fast_disks, &[])["away_from_exadata"]["features"].take();
    assert_eq!((&features[0]["used"], &features[1]["used"]), (&"little".into(), &"not-stated".into()));
    assert_eq!(json(PLAIN, &[])["away_from_exadata"], Value::Null);
}

#[test]
fn more_memory_is_what_oracle_estimates_or_else_a_bound() {
    let memory = |report: &str| json(report, &[])["away_from_exadata"]["memory"].take();
    let advised = memory(EXADATA);
    assert_eq!((&advised[0]["larger_mib"], &advised[0]["spared_percent"]), (&12_288.0.into(), &37.5.into()));
    let text = advised[0]["text"].as_str().unwrap();
    assert!(text.contains("12,288 MiB instead of 8,192 would save 38 % of the reads into it"), "{text}");
    assert!(text.contains("150 blocks per second, 1.2 MiB/s"), "{text}");
    assert_eq!((&advised[1]["memory"], &advised[1]["spared_percent"]), (&"PGA".into(), &80.0.into()));
    let bound = memory(&EXADATA.replace("Buffer Pool Advisory", "Another Advisory"));
    assert_eq!(bound[0]["is_bound"], true);
    assert!(
        bound[0]["text"].as_str().unwrap().contains("at most the 400 blocks per second (3.1 MiB/s)"),
        "{bound}"
    );
}

#[test]
fn the_screen_and_the_page_have_both_sections_and_the_state_of_the_cells() {
    let bench = Bench::new();
    fs::write(bench.path().join("report.html"), EXADATA).unwrap();
    let shown = bench.run(&["awr", "report.html", "--details"]).expect_code(0).stdout;
    for words in [
        "Right-sizing",
        "6 vCPUs, 25.0 GiB of memory",
        "over-provisioned: CPUs (has 28, needs 6)",
        "Away from Exadata",
        "Leaving Exadata: hard",
        "1 critical alert and 2 warnings are open",
        "not online: CD_03_cel02 HardDisk failed on cel02",
        "1 beyond the capacity",
        "WriteBack",
    ] {
        let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(words), "{words}\n{shown}");
    }
    bench
        .run(&["awr", "report.html", "--html", "page.html", "--xlsx", "page.xlsx", "--details"])
        .expect_code(0);
    let page = fs::read_to_string(bench.path().join("page.html")).unwrap();
    assert!(page.contains("What plain storage would have to do") && page.contains("What is there today"));
}

#[test]
fn several_databases_are_sized_one_by_one() {
    let bench = Bench::new();
    fs::write(bench.path().join("a.html"), EXADATA).unwrap();
    fs::write(bench.path().join("b.html"), PLAIN).unwrap();
    let answer = bench.run(&["awr", "a.html", "b.html", "--json"]).expect_code(0).json();
    let vcpus: Vec<&Value> = answer["databases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["right_size"]["chosen"]["vcpus"])
        .collect();
    // Half a CPU of time, twice, at 75 %; and the other one as alone.
    assert_eq!(vcpus, [2, 6]);
    let shown = bench.run(&["awr", "a.html", "b.html", "--details"]).expect_code(0).stdout;
    assert!(shown.contains("Each database on its own"), "{shown}");
}

/// Rates as the guide of Microsoft prints them for a supply-chain application with flashback: 16 KiB blocks, and more writes than reads.
const SUPPLY_CHAIN: [&str; 9] = [
    "size",
    "--read",
    "1395.2MiB/s@16KiB",
    "--write",
    "3592.9MiB/s@16KiB",
    "--provider",
    "azure",
    "--volume",
    "netapp-files",
];

#[test]
fn printed_rates_are_sized_and_egress_is_named_as_the_limiting_factor() {
    let bench = Bench::new();
    let sized = bench.run(&[&SUPPLY_CHAIN[..], &["--json"]].concat()).expect_code(0).json();
    let streams = sized["demand"]["streams"].as_array().unwrap();
    let iops: Vec<f64> = streams.iter().map(|one| one["iops"].as_f64().unwrap()).collect();
    // MiB/s by 16 KiB: 64 for each MiB.
    assert!((iops[0] - 1395.2 * 64.0).abs() < 1e-6 && (iops[1] - 3592.9 * 64.0).abs() < 1e-6, "{iops:?}");
    let best = &sized["found"][0]["answers"][0];
    assert_eq!(best["configuration"]["machine"], "Standard_E48ads_v7");
    let points = sized["points"].to_string();
    let factor = "the limiting factor of Standard_E48ads_v7 itself, whatever its volumes, is the write bandwidth of the outgoing network: 3,767 of 4,375 MB/s (86 %)";
    assert!(points.contains(factor), "{points}");
}

#[test]
fn a_standby_doubles_what_leaves_the_machine_and_egress_decides_on_another_one() {
    let bench = Bench::new();
    let today = "format = \"iotrial.configuration/1\"\nprovider = \"azure\"\nmachine = \"Standard_E96ds_v5\"\n\
                 [[pool]]\nvolume = \"netapp-files\"\nlevel = \"premium\"\ncount = 4\nsize = \"40TiB\"\n";
    fs::write(bench.path().join("today.toml"), today).unwrap();
    let alone = [
        "size",
        "explain",
        "today.toml",
        "--read",
        "1395.2MiB/s@16KiB",
        "--write",
        "3592.9MiB/s@16KiB",
        "--json",
    ];
    let explained = bench.run(&alone).expect_code(0).json();
    let first = &explained["fit"]["shares"][0];
    assert_eq!((&first["element"], &first["measure"]), (&"network out".into(), &"write_bandwidth".into()));
    let with_standby =
        [&SUPPLY_CHAIN[..], &["--replicas", "1", "--against", "today.toml", "--json"]].concat();
    let sized = bench.run(&with_standby).expect_code(0).json();
    assert_eq!(sized["found"][0]["answers"][0]["configuration"]["machine"], "Standard_E96ads_v7");
    let sentence = sized["against"][0]["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("the write bandwidth of the outgoing network would be 172 % used"),
        "{sentence}"
    );
}

/// Real reports; empty where there are none.
fn real_reports() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let Ok(folder) = fs::read_dir(shared.join("data/awr")) else {
        eprintln!(
            "skipped: there is no `{}/data/awr`; IOTRIAL_SHARED names the folder of the data",
            shared.display()
        );
        return Vec::new();
    };
    let files = folder.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_none_or(|one| one != "tsv")).collect();
    files.sort();
    files
}

#[test]
fn demands_of_real_reports_add_up_to_what_they_print_and_ranges_have_their_ends_in_order() {
    for path in real_reports() {
        let (name, bench) = (path.display().to_string(), Bench::new());
        let demand = ["--level", "average", "--demand", "demand.toml", "--json"];
        let ran = bench.run(&[&["awr", &name][..], &demand].concat());
        // Blanked reports have no rates to make a demand of, and say so.
        if ran.code != 0 {
            assert!(ran.stderr.contains("no I/O rates with sizes"), "{name}: {}", ran.stderr);
            continue;
        }
        let answer = ran.json();
        let sizing = answer.get("right_size").unwrap_or(&answer["databases"][0]["right_size"]);
        let text = fs::read_to_string(bench.path().join("demand.toml")).unwrap();
        let demand = Demand::parse(&text).unwrap();
        for (direction, requests, mib) in [
            (Direction::Read, "reads_per_s", "read_mib_per_s"),
            (Direction::Write, "writes_per_s", "write_mib_per_s"),
        ] {
            let streams = || demand.streams.iter().filter(move |one| one.direction == direction);
            // What is printed as no bytes has no size, and is named in a note.
            if sizing["chosen"][mib].as_f64() == Some(0.0) {
                continue;
            }
            let near = |found: f64, key: &str| {
                let expected = sizing["chosen"][key].as_f64().unwrap();
                // Rates are written in whole bytes per second.
                assert!((found - expected).abs() <= 1e-5 + 1e-6 * expected, "{name} {key}: {found}\n{text}");
            };
            near(streams().map(|one| one.iops).sum(), requests);
            near(streams().map(|one| one.bandwidth()).sum::<f64>() / 1_048_576.0, mib);
            for one in streams() {
                assert!((256.0..=4_194_304.0).contains(&one.block_size_bytes), "{name}: {one:?}");
            }
        }
        for one in answer["away_from_exadata"]["ask"].as_array().into_iter().flatten() {
            let of = |key: &str| one[key].as_f64().unwrap();
            assert!(
                of("low") >= 0.0 && of("low") <= of("today") && of("today") <= of("high"),
                "{name}: {one}"
            );
        }
    }
}

#[test]
fn a_real_database_on_exadata_is_judged_by_what_it_uses() {
    let file = |part: &str| real_reports().into_iter().find(|path| path.to_string_lossy().contains(part));
    // A small database beside large ones: 80 % of its time is CPU.
    if let Some(path) = file("awr_PRDG") {
        let answer = Bench::new().run(&["awr", path.to_str().unwrap(), "--json"]).expect_code(0).json();
        let away = &answer["away_from_exadata"];
        // 5 MiB/s of scans are no reason to stay.
        assert_eq!((&away["features"][0]["used"], &away["difficulty"]), (&"little".into(), &"easy".into()));
        assert!(away["cells"].to_string().contains("9 critical alerts and 8 warnings"), "{away}");
        assert!(away["cells"].to_string().contains("PRDG_C moves 73.2 of the"), "{away}");
    }
    // A warehouse: most of what it reads goes through smart scans, and next to nothing comes back.
    if let Some(path) = file("AWR_DBU") {
        let answer = Bench::new().run(&["awr", path.to_str().unwrap(), "--json"]).expect_code(0).json();
        let away = &answer["away_from_exadata"];
        let saving = away["savings"].as_array().unwrap().iter().find(|one| one["id"] == "offload").unwrap();
        assert_eq!(saving["percent"].as_f64().unwrap().round(), 86.0);
        assert_eq!(away["features"][0]["used"], "used");
        assert_eq!(away["difficulty"], "hard");
        let passed = |id: &str| {
            let all = away["savings"].as_array().unwrap();
            all.iter().find(|one| one["id"] == id).unwrap()["percent"].as_f64().unwrap()
        };
        assert_eq!(passed("cell-offload"), 95.74);
    }
}
