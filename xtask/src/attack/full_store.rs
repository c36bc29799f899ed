//! A store that is full, fills up, or is read only: the figures of a run that was measured are shown and kept.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Ground;
use super::ground::{Mounted, Ran};

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let place = ground.fresh()?;
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=512k", "tmpfs"], &place)?;
    let elsewhere = ground.fresh()?;
    let store = place.join("store");
    let whole = ground.run(&[
        "run",
        "mini.toml",
        "--engine",
        "sim",
        "-q",
        "--label",
        "old",
        "--store",
        &text(&store),
    ])?;
    anyhow::ensure!(whole.is_done(), "no record: {}", whole.seen());
    let commands: [&[&str]; 4] = [
        &["run", "mini.toml", "--target", "DATA", "--duration", "3s", "-q"],
        &["run", "mini.toml", "--target", "DATA", "--duration", "3s", "-q", "--json"],
        &["run", "mini.toml", "--target", "DATA", "--duration", "3s", "-q", "--latency-limit", "2ms@p99"],
        &[
            "sweep",
            "--target",
            "DATA",
            "--grid",
            "1,2",
            "--size",
            "8MiB",
            "--step",
            "1s",
            "--idle",
            "0s",
            "--pattern",
            "randread-8k",
            "-q",
        ],
    ];
    ground.begin_kind();
    for words in commands {
        if !ground.tries() {
            continue;
        }
        let data = ground.fresh()?;
        let words: Vec<String> = words.iter().map(|word| word.replace("DATA", &text(&data))).collect();
        let line = format!(
            "TMPDIR='{}' IOTRIAL_STORE='{}' \"$IOTRIAL\" {} & \
             until ls '{}' | grep -qE 'iotrial.journal|iotrial-sweep.json'; do sleep 0.05; kill -0 $! || break; done; sleep 1; \
             dd if=/dev/zero of='{}/hog' bs=4k 2>/dev/null; wait $!",
            text(&elsewhere),
            text(&store),
            words.join(" "),
            text(&store),
            text(&place)
        );
        let ran = ground.end(ground.shell(&line))?;
        let name = format!("{}: fills up", words[..1].join(" "));
        ground.case(&name, shown_and_kept(&ran, &elsewhere));
        let left = fs::read_dir(&data)?.count();
        ground.case(format!("{name}: files of the run"), (left > 0).then(|| format!("{left} are left")));
        let _ = fs::remove_file(place.join("hog"));
        for entry in fs::read_dir(&elsewhere)?.flatten() {
            fs::remove_file(entry.path())?;
        }
    }
    let data = ground.fresh()?;
    fs::write(place.join("hog"), []).and_then(|()| {
        let _ = Command::new("dd")
            .args(["if=/dev/zero", &format!("of={}", text(&place.join("hog"))), "bs=4k"])
            .output()?;
        Ok(())
    })?;
    looked_at(ground, &store, "full")?;
    refused_at_once(ground, &store, &data, "full")?;
    fs::remove_file(place.join("hog"))?;
    fs::remove_file(store.join("index.jsonl"))?;
    anyhow::ensure!(
        Command::new("mount").args(["-o", "remount,ro"]).arg(&place).status()?.success(),
        "cannot remount"
    );
    looked_at(ground, &store, "read only, without an index")?;
    refused_at_once(ground, &store, &data, "read only")?;
    drop(mounted);
    Ok(())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// What was measured is on the terminal, and a file that the message names holds it.
fn shown_and_kept(ran: &Ran, elsewhere: &Path) -> Option<String> {
    let is_shown = ran.out().contains("IOPS") || ran.out().contains("iops");
    let is_kept = fs::read_dir(elsewhere).is_ok_and(|mut entries| {
        entries
            .any(|entry| entry.is_ok_and(|entry| ran.err().contains(&*entry.file_name().to_string_lossy())))
    });
    let is_said = ran.code == Some(3) && ran.err().contains("No space left");
    ran.crash().or_else(|| {
        (!is_shown || !is_kept || !is_said)
            .then(|| format!("shown {is_shown}, kept {is_kept}: {}", ran.seen()))
    })
}

/// Looking at a store needs no room in it.
fn looked_at(ground: &mut Ground, store: &Path, name: &str) -> anyhow::Result<()> {
    for words in [&["records", "--json"][..], &["report", "old", "--json"], &["audit", "old", "--json"]] {
        let mut words = words.to_vec();
        let store = text(store);
        words.extend(["--store", &store]);
        let ran = ground.run(&words)?;
        let wrong = ran.crash().or_else(|| (!ran.out().contains("\"") || !ran.is_done()).then(|| ran.seen()));
        ground.case(format!("{name}: {}", words[0]), wrong);
    }
    Ok(())
}

/// Before anything is measured or written.
fn refused_at_once(ground: &mut Ground, store: &Path, data: &Path, name: &str) -> anyhow::Result<()> {
    let ran = ground.run(&["run", "mini.toml", "--target", &text(data), "-q", "--store", &text(store)])?;
    let left = fs::read_dir(data)?.count();
    let wrong = (ran.code != Some(3) || left > 0 || !ran.err().contains("error: ")).then(|| ran.seen());
    ground.case(format!("{name}: a run"), ran.crash().or(wrong));
    Ok(())
}
