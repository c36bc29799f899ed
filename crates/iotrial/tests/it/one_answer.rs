//! One result has one answer: whoever is asked for its outcome says what its verdict says.
//!
//! Each golden record, and simulated results of each kind, are shown as JSON and as a page, listed, compared and held against a gate. A simulation is
//! inconclusive about storage whatever it found, so that each is asked a second time as if its device had been real.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Bench;

/// What a result says of itself in JSON, with the exit code.
struct Shown {
    outcome: String,
    json: Value,
}

/// The exit code of each outcome.
fn code_of(outcome: &str) -> i32 {
    match outcome {
        "qualified" => 0,
        "not-qualified" => 1,
        "inconclusive" => 4,
        _ => panic!("no outcome: {outcome}"),
    }
}

/// JSON, exit code and page of one result. `None` of a file with several, which have an exit code together.
fn shown(bench: &Bench, path: &Path) -> Option<Shown> {
    let file = path.to_str().unwrap();
    let ran = bench.run(&["report", file, "--json", "--html", "page.html", "--overwrite"]);
    let json = ran.json();
    let outcomes: Vec<String> = match &json {
        Value::Array(several) => several.iter().map(outcome_of).collect(),
        one => vec![outcome_of(one)],
    };
    let codes: BTreeSet<i32> = outcomes.iter().map(|outcome| code_of(outcome)).collect();
    let worst = [1, 4, 0].into_iter().find(|code| codes.contains(code));
    assert_eq!(Some(ran.code), worst, "{file}: exit code of {outcomes:?}");
    let page = std::fs::read_to_string(bench.path().join("page.html")).unwrap();
    let of_page: Vec<&str> =
        page.split("data-outcome=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    // Several are shown beside one another, with a chapter for each or none.
    if !of_page.is_empty() || outcomes.len() == 1 {
        assert_eq!(of_page, outcomes, "{file}: outcomes of the page");
    }
    let all = if let Value::Array(several) = &json { several.clone() } else { vec![json.clone()] };
    for one in &all {
        assert_eq!(contradictions(one), Vec::<String>::new(), "{file}: {}", brief(one));
    }
    let [outcome] = &outcomes[..] else { return None };
    Some(Shown { outcome: outcome.clone(), json })
}

fn outcome_of(summary: &Value) -> String {
    summary["verdict"]["outcome"].as_str().unwrap_or_else(|| panic!("no outcome: {summary:#}")).to_owned()
}

/// What a message shows of a summary.
fn brief(summary: &Value) -> String {
    let verdict = &summary["verdict"];
    format!(
        "{:#}",
        json!({ "verdict": verdict, "capacity": summary["capacity"], "search": summary["search"] })
    )
}

/// In what a summary contradicts itself: the names of the rules that it breaks.
fn contradictions(summary: &Value) -> Vec<String> {
    let (verdict, capacity, search) = (&summary["verdict"], &summary["capacity"], &summary["search"]);
    let outcome = verdict["outcome"].as_str().unwrap();
    let is_simulated = summary["record"].as_str().is_some_and(|record| {
        std::fs::read_to_string(record).is_ok_and(|text| text.contains("\"engine\":\"sim\""))
    });
    let judged = verdict["judged"].as_array().unwrap();
    let fine = ["excellent", "good", "acceptable"];
    let is_fine = |one: &Value| fine.contains(&one["category"].as_str().unwrap());
    let has = |value: &Value, key: &str| value.get(key).is_some_and(|one| !one.is_null());
    let number = |value: &Value, key: &str| value[key].as_f64();
    let carries = capacity["carries_need"].as_bool();
    let (iops, need) = (number(capacity, "iops"), number(capacity, "need_iops"));
    let headroom = number(capacity, "headroom_percent");
    let is_open = outcome == "inconclusive";
    let rules = [
        ("advice of an answer", has(verdict, "advice") && !is_open),
        ("a category of nothing", verdict["category"].is_null() != judged.is_empty()),
        ("qualified beyond a limit", outcome == "qualified" && !judged.iter().all(is_fine)),
        ("a queue that is judged", has(verdict, "queue") && !judged.is_empty()),
        (
            "qualified before its end",
            outcome == "qualified" && summary["ended"].as_str().is_some_and(|how| how != "complete"),
        ),
        ("a need without an answer", is_open && !is_simulated && carries.is_some()),
        ("an answer without its need", !is_open && need.is_some() && carries != Some(outcome == "qualified")),
        ("a need that nobody had", carries.is_some() && need.is_none()),
        (
            "two answers to the need",
            capacity.is_object() && capacity.get("carries_need") != search.get("carries_need"),
        ),
        ("two highest rates", capacity.is_object() && iops != search["result"]["held_iops"].as_f64()),
        ("a rate without an answer", is_open && !is_simulated && iops.is_some()),
        ("a rate beside one that was only seen", has(capacity, "seen_iops") && iops.is_some()),
        ("sure of no rate", has(capacity, "confidence_percent") && iops.is_none()),
        ("a bound of nothing", capacity["is_lower_bound"] == true && iops.is_none()),
        (
            "a bound that leaves too little",
            capacity["is_lower_bound"] == true && headroom.is_some_and(|percent| percent < 0.0),
        ),
        (
            "headroom against the answer",
            headroom.is_some() && carries != headroom.map(|percent| percent >= 0.0),
        ),
        ("headroom of no need", headroom.is_some() && need.is_none()),
    ];
    rules.into_iter().filter(|(_, is_broken)| *is_broken).map(|(rule, _)| rule.to_owned()).collect()
}

/// What the list of a store that holds only this record says of it.
fn listed(bench: &Bench, record: &Path) -> Value {
    let id = read(record)["id"].as_str().unwrap().to_owned();
    let store = tempfile::tempdir_in(bench.path()).unwrap();
    std::fs::copy(record, store.path().join(format!("{id}.iotrial.json"))).unwrap();
    let entries =
        bench.run(&["records", "--json", "--store", store.path().to_str().unwrap()]).expect_code(0).json();
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    entries[0].clone()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Asks everybody about the record of a run.
fn all_agree(bench: &Bench, record: &Path) -> Shown {
    let shown = shown(bench, record).unwrap();
    let (name, capacity) = (record.display(), &shown.json["capacity"]);
    let entry = listed(bench, record);
    assert_eq!(entry["outcome"], shown.outcome, "{name}: {entry}");
    let rate = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
    assert_eq!(rate(&entry, "capacity_iops"), rate(capacity, "iops"), "{name}: {entry}");
    let is_bound = |value: &Value| value["is_lower_bound"] == true;
    assert_eq!(is_bound(&entry), is_bound(capacity), "{name}: {entry}");
    // Two of it, as a comparison sees them: the second one under another id.
    let mut other = read(record);
    other["id"] = json!("01K0000000000000000000000A");
    other["label"] = json!("other");
    other.as_object_mut().unwrap().remove("checksum");
    let second = bench.path().join("second.iotrial.json");
    std::fs::write(&second, other.to_string()).unwrap();
    let compared =
        bench.run(&["compare", record.to_str().unwrap(), second.to_str().unwrap(), "--json", "--force"]);
    if compared.code != 2 {
        let compared = compared.json();
        let configuration = &compared["configurations"][0];
        let words: Vec<&str> = configuration["outcomes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["word"].as_str().unwrap())
            .collect();
        let same = |word: &str| match word {
            "not judged" => "inconclusive".to_owned(),
            word => word.replace(' ', "-"),
        };
        let told: Vec<String> = words.into_iter().map(same).collect();
        assert_eq!(told.join(" "), shown.outcome, "{name}: {configuration:#}");
        let figure = configuration["capacity"]["iops"].as_f64();
        // No rate within the limits is a rate of zero to a comparison.
        assert_eq!(figure.filter(|iops| *iops > 0.0), rate(capacity, "iops"), "{name}: {configuration:#}");
    }
    if capacity.is_object() {
        // More than any rate is missed by each that is known, and a little is there in each that holds.
        let (gate, expected) = match (rate(capacity, "iops"), shown.outcome.as_str()) {
            (Some(_), _) => ("capacity >= 1iops", 0),
            (None, "not-qualified") => ("capacity >= 1000000000iops", 1),
            (None, _) => ("capacity >= 1000000000iops", 4),
        };
        // Where I/Os failed, no gate is passed or missed.
        let findings = shown.json["findings"].as_array().unwrap();
        let has_errors = findings.iter().any(|finding| finding["id"] == "io-errors");
        let expected = if has_errors { 4 } else { expected };
        let gated = bench.run(&["report", record.to_str().unwrap(), "--json", "--gate", gate]);
        // A simulated device without a rate has no outcome by which that would be known here.
        let is_known = rate(capacity, "iops").is_some() || !is_simulated(record);
        assert!(gated.code == expected || !is_known, "{name}: {}", gated.json()["gates"]);
    }
    shown
}

fn is_simulated(record: &Path) -> bool {
    read(record)["plan"]["engine"] == "sim"
}

/// The same record as if its device had been real.
fn as_if_real(bench: &Bench, record: &Path) -> PathBuf {
    let mut real = read(record);
    real["plan"]["engine"] = json!("uring");
    let plan = real["plan"].as_object_mut().unwrap();
    plan.remove("sim");
    // Of an altered record nothing is known, and of one without a checksum nobody says that.
    real.as_object_mut().unwrap().remove("checksum");
    let path = bench.path().join(format!("real-{}", record.file_name().unwrap().to_str().unwrap()));
    std::fs::write(&path, real.to_string()).unwrap();
    path
}

/// The profile of random reads with so many outstanding; `more` is the rest of the job.
fn profile(iodepth: u32, more: &str) -> String {
    format!(
        "format = \"iotrial.profile/1\"\nname = \"reads\"\ntitle = \"Reads\"\nschedule = {{ ramp = \"1s\", duration = \"30s\" }}\n\
         quick = {{ size = \"1GiB\", ramp = \"1s\", duration = \"30s\" }}\n[[job]]\nname = \"pages\"\nrole = \"data\"\n\
         pattern = \"random\"\nrwmix_read_percent = 100\nblock_size = \"8KiB\"\niodepth = {iodepth}\nsize = \"1GiB\"\n{more}"
    )
}

/// A device that does 16,000 reads a second, each of which takes half a millisecond.
const DEVICE: &str = "service_time_us = 500, parallelism = 8, service_spread = 0.3";

/// A simulated run: its record, with what the run itself said and its exit code.
fn run(bench: &Bench, name: &str, text: &str, sim: &str, more: &[&str]) -> PathBuf {
    std::fs::write(bench.path().join("mine.toml"), text).unwrap();
    let base = ["run", "./mine.toml", "--engine", "sim", "--seed", "7", "--sim", sim, "--json", "--quiet"];
    let ran = bench.run(&[&base, more].concat());
    let said = ran.json();
    let record = PathBuf::from(said["record"].as_str().unwrap());
    assert_eq!(ran.code, code_of(&outcome_of(&said)), "{name}");
    let again = all_agree(bench, &record);
    assert_eq!(again.outcome, outcome_of(&said), "{name}");
    for key in ["capacity", "search", "steps"] {
        assert_eq!(again.json.get(key), said.get(key), "{name}: {key}");
    }
    record
}

#[test]
fn each_kind_of_result_has_one_answer_whoever_is_asked() {
    let bench = Bench::new();
    let few = profile(16, "");
    let steps: &[&str] = &["--need", "8000iops", "--steps", "50%,100%,300%"];
    let cases: [(&str, String, &str, &[&str], &str); 12] = [
        ("need held", few.clone(), DEVICE, &["--need", "5000iops"], "qualified"),
        ("need not held", few.clone(), DEVICE, &["--need", "30000iops"], "not-qualified"),
        ("need near the highest rate", few.clone(), DEVICE, &["--need", "15500iops"], ""),
        ("highest rate", few.clone(), DEVICE, &[], "qualified"),
        ("highest rate by a latency", few.clone(), DEVICE, &["--latency-limit", "2ms@p99"], "qualified"),
        ("no rate", few.clone(), DEVICE, &["--latency-limit", "100us@p99"], "not-qualified"),
        ("no time", few.clone(), DEVICE, &["--duration", "1s"], ""),
        (
            "errors",
            few.clone(),
            "service_time_us = 500, parallelism = 8, error_share = 0.01",
            &["--need", "2000iops"],
            "not-qualified",
        ),
        ("closed, few", few.clone(), DEVICE, &["--closed"], "qualified"),
        ("closed, a queue", profile(512, ""), DEVICE, &["--closed"], "inconclusive"),
        (
            "closed, too slow",
            profile(64, ""),
            "service_time_us = 5000, parallelism = 8",
            &["--closed"],
            "not-qualified",
        ),
        ("steps of a need", few.clone(), DEVICE, steps, ""),
    ];
    let mut seen = BTreeSet::new();
    for (name, text, sim, more, expected) in cases {
        let record = run(&bench, name, &text, sim, more);
        let real = all_agree(&bench, &as_if_real(&bench, &record));
        if !expected.is_empty() {
            assert_eq!(real.outcome, expected, "{name}: {}", brief(&real.json));
        }
        seen.insert(real.outcome.clone());
        match name {
            "closed, a queue" => {
                let queue = &real.json["verdict"]["queue"];
                let iops = queue["iops"].as_f64().unwrap();
                assert_eq!(
                    (&queue["outstanding"], &real.json["verdict"]["category"]),
                    (&json!(512), &Value::Null)
                );
                assert!((queue["lat_mean_us"].as_f64().unwrap() - 512e6 / iops).abs() < 1.0, "{queue}");
                assert!((iops / 16_000.0 - 1.0).abs() < 0.05, "{queue}");
                // What somebody asks about a latency is answered.
                let gate = |gate: &str| {
                    bench.run(&["report", real.json["record"].as_str().unwrap(), "--gate", gate]).code
                };
                assert_eq!((gate("read.mean < 1ms"), gate("read.mean < 100ms")), (1, 0));
            }
            _ => assert!(real.json["verdict"].get("queue").is_none(), "{name}"),
        }
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn what_may_be_more_and_what_is_in_doubt_is_so_for_everybody() {
    let bench = Bench::new();
    let record = run(&bench, "highest rate", &profile(16, ""), DEVICE, &[]);
    let real = as_if_real(&bench, &record);
    let spoiled = |spoil: &dyn Fn(&mut Value)| {
        let mut value = read(&real);
        spoil(&mut value);
        let path = bench.path().join("spoiled.iotrial.json");
        std::fs::write(&path, value.to_string()).unwrap();
        all_agree(&bench, &path)
    };
    let bound = spoiled(&|value| {
        value["search"]["result"].as_object_mut().unwrap().remove("not_held_iops");
    });
    assert_eq!(
        (bound.outcome.as_str(), &bound.json["capacity"]["is_lower_bound"]),
        ("qualified", &json!(true))
    );
    let in_memory = |value: &mut Value| value["plan"]["direct"] = json!(false);
    let doubted = spoiled(&in_memory);
    assert_eq!(doubted.outcome, "inconclusive");
    assert!(doubted.json["capacity"]["seen_iops"].as_f64().unwrap() > 1_000.0, "{}", brief(&doubted.json));
    // A need that loads carried, by a result that is in doubt.
    let need = spoiled(&|value| {
        in_memory(value);
        value["search"]["need"] = json!("500iops");
        value["search"]["carries_need"] = json!(true);
    });
    assert_eq!((need.outcome.as_str(), need.json["capacity"].get("carries_need")), ("inconclusive", None));
    let stopped = spoiled(&|value| value["ended"] = json!({ "how": "interrupted", "reason": "SIGINT" }));
    assert_eq!(stopped.outcome, "inconclusive");
}

#[test]
fn each_golden_record_has_one_answer_whoever_is_asked() {
    let bench = Bench::new();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut records = 0;
    for folder in ["undisturbed", "windows"] {
        for entry in std::fs::read_dir(golden.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().ends_with(".iotrial.json") {
                all_agree(&bench, &path);
                records += 1;
            }
        }
    }
    assert_eq!(records, 9);
    // Of what others measured there is no list and no gate on a rate; JSON, page and exit code there are.
    let imports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../iotrial-import/tests/golden");
    let mut results = 0;
    for folder in
        std::fs::read_dir(imports).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.to_string_lossy().into_owned();
            let is_result =
                ![".md", ".record.txt", ".warnings.txt"].iter().any(|ending| name.ends_with(ending));
            if is_result && bench.run(&["report", &name, "--json"]).code != 2 {
                shown(&bench, &path);
                results += 1;
            }
        }
    }
    assert!(results >= 20, "{results}");
}

#[test]
fn a_study_says_of_each_measurement_what_its_record_says() {
    let bench = Bench::new();
    let text = |load: &str| {
        format!(
            "format = \"iotrial.study/1\"\nname = \"two\"\ntitle = \"Two\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n\
             [load]\nengine = \"sim\"\nramp = \"1s\"\nduration = \"12s\"\n{load}\n\
             [[configuration]]\nlabel = \"slow\"\nsim = {{ service_time_us = 20000.0 }}\n\
             [[configuration]]\nlabel = \"fast\"\nsim = {{ service_time_us = 200.0 }}\n"
        )
    };
    for (name, load) in [("closed", ""), ("need", "need = \"300iops\""), ("highest", "capacity = true")] {
        std::fs::write(bench.path().join("study.toml"), text(load)).unwrap();
        let study =
            bench.run(&["study", "study.toml", "--json", "--restart", "--quiet"]).expect_code(0).json();
        for cell in study["cells"].as_array().unwrap_or_else(|| panic!("{study:#}")) {
            let record = PathBuf::from(cell["record"].as_str().unwrap());
            let shown = all_agree(&bench, &record);
            let configurations = study["comparisons"][0]["configurations"].as_array();
            let one = configurations
                .unwrap_or_else(|| panic!("{study:#}"))
                .iter()
                .find(|one| one["label"] == cell["label"])
                .unwrap();
            let told = one["outcomes"][0]["word"]
                .as_str()
                .unwrap()
                .replace("not judged", "inconclusive")
                .replace(' ', "-");
            assert_eq!(told, shown.outcome, "{name}: {one:#}");
            all_agree(&bench, &as_if_real(&bench, &record));
        }
    }
}

#[test]
fn the_list_says_of_a_sweep_what_its_summary_says() {
    let bench = Bench::new();
    let base = ["sweep", "--engine", "sim", "--sim", DEVICE, "--pattern", "randread-8k", "--json", "--quiet"];
    let search = bench.run(&base).expect_code(0).json();
    let lasting = probes(&search).into_iter().find(|probe| probe["purpose"] == "sustained").unwrap();
    // A load beyond the knee shows a queue, though not a long one.
    assert!(lasting["outstanding"].as_u64().unwrap() < 176, "{lasting:#}");
    assert_eq!(lasting["outcome"], "inconclusive", "{lasting:#}");
    let grid = ["--grid", "1,64,1024", "--step", "2s"];
    let sweep = bench.run(&[&base[..], &grid].concat()).expect_code(0).json();
    let entries = bench.run(&["records", "--json"]).expect_code(0).json();
    for (entry, summary) in entries.as_array().unwrap().iter().zip([&sweep, &search]) {
        let saturations = summary["curves"].as_array().unwrap().iter().map(|curve| &curve["saturation"]);
        let highest = saturations.filter_map(|one| one["ceiling_iops"].as_f64()).reduce(f64::max);
        assert_eq!(entry["ceiling_iops"].as_f64(), highest);
        assert!(entry["outcome"].is_null(), "{entry}");
    }
    // What a database would keep outstanding is judged, and what it would not is not.
    let mut of_loads: Vec<(u64, &str)> = probes(&sweep)
        .into_iter()
        .map(|probe| (probe["outstanding"].as_u64().unwrap(), probe["outcome"].as_str().unwrap()))
        .collect();
    of_loads.sort_unstable();
    of_loads.dedup();
    assert_eq!(of_loads, [(1, "qualified"), (64, "not-qualified"), (1_024, "inconclusive")]);
}

fn probes(sweep: &Value) -> Vec<&Value> {
    let curves = sweep["curves"].as_array().unwrap();
    curves.iter().flat_map(|curve| curve["probes"].as_array().unwrap()).collect()
}
