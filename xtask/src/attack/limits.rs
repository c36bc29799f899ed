//! Limits of the process: memory, stack, size and number of files, threads.

use super::ground::{INTERRUPTED, Ran};
use super::{Ground, is_root};

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let limits = [
        "ulimit -v 60000",
        "ulimit -v 90000",
        "ulimit -v 120000",
        "ulimit -v 150000",
        "ulimit -v 200000",
        "ulimit -v 300000",
        "ulimit -v 600000",
        "ulimit -d 8000",
        "ulimit -d 20000",
        "ulimit -d 50000",
        "ulimit -f 1",
        "ulimit -f 8",
        "ulimit -f 64",
        "ulimit -f 512",
        "ulimit -f 3000",
        "ulimit -s 64",
        "ulimit -s 128",
        "ulimit -s 1024",
        "ulimit -n 4",
        "ulimit -n 6",
        "ulimit -n 8",
        "ulimit -n 10",
        "ulimit -n 12",
        "ulimit -n 16",
        "ulimit -n 24",
        "ulimit -l 0",
    ];
    let engines = ["uring", "threads"];
    for (limit, number) in limits.into_iter().zip(0..) {
        // One of each kind, at least.
        if !ground.is_thorough() && number % 3 != 1 {
            continue;
        }
        for engine in engines {
            let target = ground.fresh()?;
            let line = format!(
                "{limit}; exec \"$IOTRIAL\" run mini.toml --target '{}' --duration 200ms --engine {engine} -q",
                target.display()
            );
            let ran = ground.end(ground.shell(&line))?;
            ground.case(format!("{limit}, {engine}"), wrong(&ran, &target));
        }
        let line = format!("{limit}; exec \"$IOTRIAL\" run mini.toml --engine sim --duration 200ms -q");
        let ran = ground.end(ground.shell(&line))?;
        let nowhere = ground.fresh()?;
        ground.case(format!("{limit}, sim"), wrong(&ran, &nowhere));
        for command in ["records", "report last", "compare last last", "profiles", "thresholds"] {
            let ran = ground.end(ground.shell(&format!("{limit}; exec \"$IOTRIAL\" {command}")))?;
            ground.case(format!("{limit}, {command}"), wrong(&ran, &nowhere));
        }
    }
    time(ground)?;
    processes(ground)
}

/// The kernel ends what used up its CPU time: the run stops before that, with a record.
fn time(ground: &mut Ground) -> anyhow::Result<()> {
    // The page cache and no device at all: what needs the CPU alone has used up its time soon.
    for (engine, reads) in [("null", ""), ("threads", "--buffered"), ("uring", "--buffered")] {
        if !ground.is_thorough() && engine != "null" {
            continue;
        }
        let target = ground.fresh()?;
        let line = format!(
            "ulimit -S -t 1; exec \"$IOTRIAL\" run mini.toml --target '{}' --duration 10m --closed --engine {engine} {reads} -q",
            target.display()
        );
        let ran = ground.end(ground.shell(&line))?;
        let is_stopped = ran.code == Some(INTERRUPTED) && ran.out().contains("stopped ");
        let left = std::fs::read_dir(&target)?.count();
        let is_wrong = !is_stopped || left > 0;
        let wrong = ran.crash().or_else(|| is_wrong.then(|| format!("{left} files left: {}", ran.seen())));
        ground.case(format!("ulimit -t 1, {engine}"), wrong);
    }
    Ok(())
}

/// `ulimit -u` does not hold for root, who becomes somebody else for it.
fn processes(ground: &mut Ground) -> anyhow::Result<()> {
    let nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    let become_nobody = if is_root() { nobody } else { "" };
    if is_root() && !ground.end(ground.shell(&format!("{nobody} true")))?.status.success() {
        ground.skip("the number of processes: no setpriv");
        return Ok(());
    }
    // A folder that somebody else may reach: that of the class need not be.
    let open = tempfile::Builder::new().prefix("iotrial-attack-").tempdir()?;
    let place = open.path().display();
    let made =
        format!("cp mini.toml '{place}' && cp \"$IOTRIAL\" '{place}/iotrial' && chmod -R a+rwX '{place}'");
    anyhow::ensure!(ground.end(ground.shell(&made))?.status.success(), "cannot make a folder for others");
    for (count, engine) in
        [1, 2, 3, 4, 5, 6, 8, 12].into_iter().flat_map(|count| [(count, "uring"), (count, "threads")])
    {
        let target = open.path().join(format!("t-{count}-{engine}"));
        let line = format!(
            "cd '{place}'; export HOME=. IOTRIAL_STORE=store; {become_nobody} bash -c 'ulimit -u {count} && exec ./iotrial run mini.toml --target {} \
             --duration 200ms --engine {engine} -q'",
            target.display()
        );
        let ran = ground.end(ground.shell(&line))?;
        let none = ground.fresh()?;
        ground.case(
            format!("ulimit -u {count}, {engine}"),
            wrong(&ran, if target.exists() { &target } else { &none }),
        );
    }
    Ok(())
}

/// A crash, an error without a word, or files that were left.
fn wrong(ran: &Ran, target: &std::path::Path) -> Option<String> {
    let err = ran.err();
    // The loader of the system, or the shell, did not come to begin the program.
    let not_begun = ran.code == Some(127)
        || err.contains("error while loading shared libraries")
        || err.contains("cannot allocate memory")
        || err.contains("Cannot allocate memory") && !err.contains("error:")
        || err.contains("fork: ")
        || err.contains("bash: ");
    if not_begun {
        return None;
    }
    if let Some(crash) = ran.crash() {
        return Some(crash);
    }
    if ran.code == Some(3) && !err.contains("error: ") {
        return Some(format!("no word of what is wrong: {}", ran.seen()));
    }
    let left = std::fs::read_dir(target).map_or(0, |entries| entries.count());
    // Without memory nothing can be removed, and the message says what removes it.
    (left > 0 && !err.contains("iotrial clean")).then(|| format!("{left} files left: {}", ran.seen()))
}
