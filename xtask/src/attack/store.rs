//! A store with files that somebody else made, or damage.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::Ground;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let ran = ground.run(&["run", "mini.toml", "--engine", "sim", "--quiet", "--label", "mine"])?;
    anyhow::ensure!(ran.is_done(), "no record: {}", ran.seen());
    indexes(ground)?;
    journals(ground)
}

/// Whatever is at the place of the index, the records are listed and found, and what is not ours stays.
fn indexes(ground: &mut Ground) -> anyhow::Result<()> {
    let index = ground.store().join("index.jsonl");
    ground.run(&["records"])?;
    let whole = fs::read(&index).context("the index")?;
    let mut spoilt: Vec<(String, Vec<u8>, bool)> = vec![
        ("text".into(), b"my own index of songs".to_vec(), true),
        ("empty".into(), Vec::new(), false),
        ("lines of another program".into(), b"{\"songs\":1}\n".to_vec(), true),
        ("zeros".into(), vec![0; 4096], true),
    ];
    spoilt.extend(
        (0..10).map(|part| (format!("cut at {part}/10"), whole[..whole.len() * part / 10].to_vec(), false)),
    );
    spoilt.extend(
        (0..whole.len())
            .step_by(29)
            .map(|at| (format!("flipped at {at}"), with(&whole, at, &[!whole[at]; 16]), false)),
    );
    for (name, bytes, is_foreign) in spoilt {
        if !is_foreign && !ground.tries() {
            continue;
        }
        fs::write(&index, &bytes)?;
        all_there(ground, &name)?;
        if is_foreign {
            let kept = fs::read(&index).is_ok_and(|now| now == bytes);
            ground.case(format!("{name}: stays"), (!kept).then(|| "it was changed".to_owned()));
        }
        fs::remove_file(&index)?;
    }
    fs::create_dir(&index)?;
    all_there(ground, "a folder")?;
    fs::remove_dir(&index)?;
    ground.end(ground.shell("mkfifo store/index.jsonl"))?;
    all_there(ground, "a pipe")?;
    fs::remove_file(&index)?;
    let victim = ground.file("victim", "precious")?;
    std::os::unix::fs::symlink(&victim, &index)?;
    all_there(ground, "a link")?;
    ground.case(
        "a link: its file stays",
        (fs::read(&victim)? != b"precious").then(|| "it was changed".to_owned()),
    );
    fs::remove_file(&index)?;
    Ok(())
}

fn with(bytes: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let mut spoilt = bytes.to_vec();
    spoilt.iter_mut().skip(at).zip(by).for_each(|(byte, by)| *byte = *by);
    spoilt
}

fn all_there(ground: &mut Ground, case: &str) -> anyhow::Result<()> {
    for command in [&["records", "--json"][..], &["report", "mine", "--json"], &["records", "--json"]] {
        let ran = ground.run(command)?;
        let listed =
            ran.out().contains("\"mine\"") || command[0] == "report" && ran.out().contains("\"record\"");
        let wrong = ran.crash().or_else(|| (!listed || !ran.is_done()).then(|| ran.seen()));
        ground.case(format!("{case}: {}", command.join(" ")), wrong);
    }
    Ok(())
}

/// Journals that no iotrial wrote: nothing crashes, no record changes, and nothing is written elsewhere.
fn journals(ground: &mut Ground) -> anyhow::Result<()> {
    let store = ground.store();
    let record = record_in(&store)?;
    let id = record["id"].as_str().unwrap_or_default().to_owned();
    let path = store.join(format!("{id}.iotrial.json"));
    let before = fs::read(&path)?;
    let mut head = record.clone();
    let intervals = std::mem::take(&mut head["intervals"]);
    let interval = intervals[0].clone();
    fs::create_dir_all(ground.path().join("out"))?;
    let victim = ground.path().join("out/victim.iotrial.json");
    fs::write(&victim, "precious")?;
    let other = "01AAAAAAAAAAAAAAAAAAAAAAAA";
    let absolute = ground.path().join("out/victim").display().to_string();
    let mut cases: Vec<(String, String, Value, Value)> = Vec::new();
    let mut add = |name: &str, file: &str, id: &str, pointer: &str, value: Value| {
        let (mut head, mut interval) = (head.clone(), interval.clone());
        head["id"] = id.into();
        for document in [&mut head, &mut interval] {
            if let Some(place) = document.pointer_mut(pointer) {
                *place = value.clone();
            }
        }
        cases.push((name.to_owned(), file.to_owned(), head, interval));
    };
    add("an id that leads out", other, "../out/victim", "", Value::Null);
    add("an id elsewhere", other, &absolute, "", Value::Null);
    add("an id that leads out, as its name", "victim", "../out/victim", "", Value::Null);
    add("the id of a record", other, &id, "", Value::Null);
    add("the name of a record", &id, &id, "", Value::Null);
    for (pointer, value) in [
        ("/jobs", json!([])),
        ("/jobs", json!(null)),
        ("/plan/jobs", json!([])),
        ("/plan/jobs/0/iodepth", json!(u32::MAX)),
        ("/plan/jobs/0/numjobs", json!(u32::MAX)),
        ("/plan/jobs/0/areas", json!([9])),
        ("/plan/jobs/0/areas", json!([])),
        ("/plan/areas", json!([])),
        ("/plan/areas/0/length_bytes", json!(u64::MAX)),
        ("/plan/phases", json!([])),
        ("/plan/phases/0/duration_s", json!(1e18)),
        ("/plan/interval_s", json!(0.0)),
        ("/start_s", json!(1e18)),
        ("/duration_s", json!(1e18)),
        ("/duration_s", json!(0.0)),
        ("/jobs/0/read/bytes", json!(u64::MAX)),
        ("/jobs/0/read/error_count", json!(u64::MAX)),
        ("/jobs/0/read/submission_latency_sum_ns", json!(u64::MAX)),
        ("/jobs/0/read/total_latency/sum_ns", json!(u64::MAX)),
        ("/jobs/0/read/total_latency/max_ns", json!(0)),
        ("/targets", json!([])),
        ("/plan/seed", json!(u64::MAX)),
    ] {
        add(&format!("{pointer} is {value}"), other, other, pointer, value);
    }
    for (name, file, head, interval) in cases {
        // Twice the interval, so that what can be added up is.
        fs::write(
            store.join(format!("{file}.iotrial.journal")),
            format!("{head}\n{interval}\n{interval}\n"),
        )?;
        for command in [
            &["records"][..],
            &["run", "mini.toml", "--engine", "sim", "--duration", "100ms", "-q"],
            &["report", &id],
        ] {
            let ran = ground.run(command)?;
            let wrong = ran.crash().or_else(|| (!ran.is_done()).then(|| ran.seen()));
            ground.case(format!("journal, {name}: {}", command[0]), wrong);
        }
        ground.case(
            format!("journal, {name}: the record stays"),
            (fs::read(&path)? != before).then(|| "it was changed".to_owned()),
        );
        ground.case(
            format!("journal, {name}: nothing elsewhere"),
            (fs::read(&victim)? != b"precious").then(|| "it was changed".to_owned()),
        );
        for made in fs::read_dir(&store)?.filter_map(|entry| Some(entry.ok()?.path())) {
            let made_name = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if made_name.starts_with(other)
                || made_name.starts_with("victim")
                || made_name.ends_with(".journal")
            {
                fs::remove_file(made)?;
            }
        }
    }
    Ok(())
}

fn record_in(store: &Path) -> anyhow::Result<Value> {
    let path = fs::read_dir(store)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.to_string_lossy().ends_with(".iotrial.json"))
        .context("no record in the store")?;
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}
