//! The cases: what is asked of the program, and of which files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A few commands that share a store.
pub(super) struct Case {
    pub(super) name: String,
    /// Command lines without the program; `SHARED/` and `GOLDEN/` are folders, `%20` is a blank within a word.
    pub(super) lines: Vec<String>,
    /// Files in the current folder, by their names.
    pub(super) files: Vec<(&'static str, String)>,
}

/// The variable that names the folder of the shared data.
pub(super) const SHARED_FOLDER: &str = "IOTRIAL_SHARED";

/// Where the inputs are.
pub(super) struct Inputs {
    /// Of others, beside the project; `None` where it is missing.
    pub(super) shared: Option<PathBuf>,
    /// The crates, with the project's own golden files.
    pub(super) golden: PathBuf,
}

impl Inputs {
    pub(super) fn find(root: &Path) -> Self {
        let shared = std::env::var_os(SHARED_FOLDER).map_or_else(|| root.join("../shared"), PathBuf::from);
        let shared = shared.join("data").canonicalize().ok();
        Self { shared, golden: root.join("crates") }
    }
}

/// All of them, each with another name.
pub(super) fn all(inputs: &Inputs) -> Vec<Case> {
    let mut all = Vec::new();
    let golden = files_below(&inputs.golden, &|path| {
        path.components().any(|part| part.as_os_str() == "golden" || part.as_os_str() == "awr")
            && path.components().any(|part| part.as_os_str() == "tests")
            && !is_script(path)
    });
    all.extend(golden.iter().flat_map(|path| of_file("GOLDEN", path)));
    if let Some(shared) = &inputs.shared {
        let files = files_below(shared, &|path| !is_script(path));
        all.extend(files.iter().flat_map(|path| of_file("SHARED", path)));
        all.extend(of_several());
    }
    all.extend(simulated_runs());
    all.extend(simulated_sweeps());
    all.extend(simulated_studies());
    all.extend(sizings());
    all.extend(lists());
    all
}

fn case(name: String, lines: Vec<String>) -> Case {
    Case { name, lines, files: Vec::new() }
}

/// What is no input.
fn is_script(path: &Path) -> bool {
    let is = |end: &str| path.extension().is_some_and(|extension| extension == end);
    is("sh") || is("py") || is("md") || is("tsv") || path.to_string_lossy().ends_with(".facts.txt")
}

/// Below a folder, in the order of their names.
fn files_below(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(folder) else { continue };
            if path.is_dir() {
                folders.push(path);
            } else if is_wanted(relative)
                && let Some(text) = relative.to_str()
            {
                found.push(text.replace(' ', "%20"));
            }
        }
    }
    found.sort();
    found
}

/// What every kind of file is asked; a command that does not take it refuses it, which is a fact as well.
fn of_file(place: &str, path: &str) -> Vec<Case> {
    let file = format!("{place}/{path}");
    let of = |command: &str, lines: &[&str]| {
        let lines = lines.iter().map(|line| line.replace("FILE", &file)).collect();
        case(format!("{command} {file}"), lines)
    };
    if path.contains("awr/") || path.contains("cases/awr") {
        return vec![of("awr", &["awr FILE --json", "awr FILE --level peak --method peak --json"])];
    }
    if [
        "iostat/",
        "perfmon/",
        "07-iostat",
        "07b-sar",
        "08-iostat",
        "09-perfmon",
        "14-sadf",
        "14b-sar",
        "20-iostat",
        "01-iostat",
        "01b-iostat",
    ]
    .iter()
    .any(|part| path.contains(part))
    {
        return vec![of("watch", &["watch FILE --json", "size --demand FILE --json"])];
    }
    let mut all =
        vec![of("report", &["report FILE --json", "report FILE --thresholds oci-sqlserver --json"])];
    // Of the grids of one drive each fifth is enough.
    let is_of_grid = ["hgst-", "intel-", "mx200-", "15-grids"].iter().any(|part| path.contains(part));
    if !is_of_grid || path.bytes().map(u32::from).sum::<u32>() % 5 == 0 {
        all.push(of("audit", &["audit FILE --json"]));
    }
    all
}

/// Comparisons, and series of reports.
fn of_several() -> Vec<Case> {
    let mut all = Vec::new();
    let drives = ["hgst-7k2", "intel-s4610-hba", "mx200-x1", "mx200-x3-raid0"];
    for (index, one) in drives.iter().enumerate() {
        for other in &drives[index + 1..] {
            let line = format!("compare SHARED/fio/{one} SHARED/fio/{other} --json");
            all.push(case(format!("compare {one} {other}"), vec![line]));
        }
        for load in [
            "randread-1-1",
            "randread-1-16",
            "randwrite-1-4",
            "randread-16-1",
            "randwrite-1-8",
            "randread-4-8",
        ] {
            for other in &drives[index + 1..] {
                let line =
                    format!("compare SHARED/fio/{one}/{load}.json SHARED/fio/{other}/{load}.json --json");
                all.push(case(format!("compare {load} {one} {other}"), vec![line]));
            }
        }
    }
    for table in ["azure-ultra-tpce", "oci-sqlserver-fio", "oci-windows-throughput", "azure-anf-oracle-slob"]
    {
        all.push(case(
            format!("compare {table}"),
            vec![format!("compare --table SHARED/published/{table}.toml --json")],
        ));
    }
    for (name, files) in [
        ("newstar", "1newstar__sample_awr_11204_1.html 1newstar__sample_awr_11204_2.html"),
        (
            "levelup",
            "Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBS.html Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBT.html Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBU.html",
        ),
        (
            "rac",
            "pcambell__awrrpt_19c_rac_awrrpt_1_18175_18176.html pcambell__awrrpt_19c_rac_awrrpt_1_18192_18193.html pcambell__awrrpt_19c_rac_awrrpt_1_9691_9692.html",
        ),
    ] {
        let files: Vec<String> = files.split(' ').map(|file| format!("SHARED/awr/{file}")).collect();
        for more in ["", " --level p95", " --method omat", " --slob", " --factor-io 2"] {
            all.push(case(
                format!("awr series {name}{more}"),
                vec![format!("awr {}{more} --json", files.join(" "))],
            ));
        }
    }
    all.push(case("awr all".to_owned(), vec!["awr SHARED/awr --json".to_owned()]));
    for folder in ["import/15-grids", "import/16-same-N", "import/17-planted", "import/18-working-set"] {
        let lines = vec![
            format!("audit SHARED/cases/{folder} --json"),
            format!("compare SHARED/cases/{folder} --json"),
        ];
        all.push(case(format!("folder {folder}"), lines));
    }
    all
}

const DEVICES: [(&str, &str); 11] = [
    ("fast", "service_time_us = 100, parallelism = 64"),
    ("sata", "service_time_us = 300, parallelism = 8"),
    ("slow", "service_time_us = 4000, parallelism = 2"),
    ("capped", "service_time_us = 200, parallelism = 32, iops_cap = 5000"),
    ("narrow", "service_time_us = 200, parallelism = 32, bandwidth_cap_mib_per_s = 100"),
    ("cached", "service_time_us = 500, parallelism = 16, cache_hit_share = 0.6, cache_hit_us = 20"),
    ("spread", "service_time_us = 400, parallelism = 16, service_spread = 1.0"),
    ("burst", "service_time_us = 200, parallelism = 32, iops_cap = 4000, burst_s = 10"),
    ("failing", "service_time_us = 200, parallelism = 32, error_share = 0.001"),
    ("drifting", "service_time_us = 200, parallelism = 8, drift_percent_per_s = 2"),
    (
        "write cache",
        "service_time_us = 100, write_service_time_us = 2000, parallelism = 8, write_cache_mib = 64, write_drain_mib_per_s = 20",
    ),
];

/// On a simulated device, the same every time.
fn on(keys: &str, seed: usize) -> String {
    format!("--engine sim --sim {} --seed {seed} --quiet --json", keys.replace(' ', "%20"))
}

/// Runs of every profile, the same every time, and what other commands say of their records.
fn simulated_runs() -> Vec<Case> {
    let profiles = [
        "sqlserver-oltp",
        "oracle-oltp",
        "postgresql-oltp",
        "mysql-oltp",
        "mongodb-oltp",
        "etcd",
        "kafka-flush",
        "sqlserver-dss",
        "sqlserver-log",
        "oci-64k-randrw",
        "sqlserver-commit",
        "backup-restore",
        "postgresql-commit",
    ];
    let mut all = Vec::new();
    for (seed, profile) in (1..).zip(profiles) {
        for (name, keys) in DEVICES {
            let lines = vec![
                format!("run {profile} {} --closed --duration 12s --label a", on(keys, seed)),
                "audit a --json".to_owned(),
                "report a --thresholds oci-sqlserver --json".to_owned(),
            ];
            all.push(case(format!("run {profile} on {name}"), lines));
        }
    }
    for (name, keys) in DEVICES {
        for (how, more) in [
            ("search", ""),
            ("limit", " --latency-limit 2ms@p99"),
            ("need", " --need 3000iops"),
            ("large need", " --need 60000iops"),
            ("short", " --closed --duration 2s"),
            ("steady", " --closed --until-steady 60s"),
            ("steps", " --steps 50%,100%,150% --need 2000iops"),
            ("gates", " --closed --duration 12s --gate data.read.p99<1ms --gate read.iops>1000iops"),
        ] {
            let run = format!("run {}{more} --label a", on(keys, 7));
            let lines = vec![run, "audit a --json".to_owned()];
            all.push(case(format!("run {how} on {name}"), lines));
        }
        let run = |label: &str, seed: usize, keys: &str| {
            format!("run oracle-oltp {} --closed --duration 12s --label {label}", on(keys, seed))
        };
        let mut lines: Vec<String> = (1..=3).map(|seed| run("fast", seed, DEVICES[0].1)).collect();
        lines.extend((11..=13).map(|seed| run("other", seed, keys)));
        lines.push("compare fast other --json".to_owned());
        all.push(case(format!("compare fast {name}"), lines));
    }
    all
}

fn simulated_sweeps() -> Vec<Case> {
    let mut all = Vec::new();
    for (name, keys) in DEVICES {
        for (how, more) in [
            ("usual", ""),
            ("grid", " --grid 1,2,4,8,16,32"),
            ("sequential", " --pattern read-64k"),
            ("writes", " --pattern randwrite-8k --repeats 2"),
        ] {
            let sweep = format!("sweep {} --label a{more}", on(keys, 3));
            let lines = vec![sweep, "report a --json".to_owned()];
            all.push(case(format!("sweep {how} on {name}"), lines));
        }
    }
    all
}

/// A study of simulated devices has no targets that differ, so that its cells are loads.
fn simulated_studies() -> Vec<Case> {
    let mut all = Vec::new();
    for (index, (one, keys)) in DEVICES.iter().enumerate() {
        let (other, other_keys) = DEVICES[(index + 1) % DEVICES.len()];
        let run = |label: &str, seed: usize, profile: &str, keys: &str| {
            let volumes = if label == "one" { 1 } else { 2 };
            let load = on(keys, seed);
            format!(
                "run {profile} {load} --closed --duration 12s --label {label} --attribute volumes={volumes}"
            )
        };
        let mut lines = Vec::new();
        for seed in 1..=2 {
            for profile in ["oracle-oltp", "sqlserver-oltp"] {
                lines.push(run("one", seed, profile, keys));
                lines.push(run("other", seed + 10, profile, other_keys));
            }
        }
        lines.push("compare one other --json".to_owned());
        lines.push("records --json".to_owned());
        all.push(case(format!("matrix {one} {other}"), lines));
    }
    all
}

fn sizings() -> Vec<Case> {
    let demands = [
        ("small", "--read 3000iops@8KiB --write 1000iops@8KiB --capacity 500GiB"),
        ("oltp", "--read 40000iops@8KiB --write 10000iops@8KiB --capacity 4TiB"),
        ("large", "--read 200000iops@8KiB --write 60000iops@16KiB --capacity 30TiB"),
        ("scan", "--read 1920MB/s@64KiB --capacity 10TiB --sequential"),
        (
            "pools",
            "--read 20000iops@8KiB --write log=5000iops@16KiB --pool data=2TiB --pool log=200GiB,sub-ms",
        ),
        ("impossible", "--read 5000000iops@8KiB --capacity 1TiB"),
    ];
    let options = [
        "",
        "--os windows",
        "--latency sub-ms",
        "--latency hdd",
        "--allow-burst",
        "--mirror two-way",
        "--replicas 2",
        "--clustered",
        "--no-arm",
        "--volumes-max 2",
        "--tolerance 0",
        "--growth 40% --load-growth 20% --years 3 --by-year",
        "--database sqlserver-enterprise",
        "--database oracle-ee --pair cluster",
        "--backup 10TiB --egress 5TiB",
        "--term 3y",
        "--memory 256GiB --vcpus 32",
        "--currency EUR --rate USD/EUR=0.93",
    ];
    let mut all = Vec::new();
    for (name, demand) in demands {
        for provider in ["oci", "azure", "aws", "gcp"] {
            for option in options {
                let mut line = format!("size {demand} --provider {provider}");
                if !option.is_empty() {
                    write!(line, " {option}").expect("a string takes everything");
                }
                all.push(case(format!("size {name} {provider} {option}"), vec![format!("{line} --json")]));
            }
        }
    }
    all
}

fn lists() -> Vec<Case> {
    let lines = [
        "profiles --json",
        "thresholds --json",
        "check --list-rules --json",
        "size catalogs --json",
        "schema record",
        "schema summary",
        "records --json",
    ];
    lines.iter().map(|line| case((*line).to_owned(), vec![(*line).to_owned()])).collect()
}
