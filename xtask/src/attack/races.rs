//! Files and directories that are exchanged between a look and the call that follows it. The moment between the two is made
//! longer by `strace`, so that every case meets it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Ground;

/// How long a call waits: longer than the exchange takes.
const DELAY: &str = "700ms";

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    if Command::new("strace").arg("--version").output().is_err() {
        ground.skip("there is no strace");
        return Ok(());
    }
    for calls in ["renameat,renameat2,rename", "unlinkat,unlink"] {
        file_exchanged(ground, calls)?;
        own_file_exchanged(ground, calls)?;
        directory_exchanged(ground, calls)?;
    }
    for calls in ["openat,openat2", "linkat,link", "fallocate"] {
        directory_of_a_run_exchanged(ground, calls)?;
    }
    output_that_appears(ground)?;
    flips(ground)
}

/// A directory with the files of a run that were kept.
fn kept(ground: &mut Ground) -> anyhow::Result<PathBuf> {
    let place = ground.fresh()?;
    let directory = place.join("t");
    let (profile, target) = (ground.profile().display().to_string(), directory.display().to_string());
    let ran = ground.run(&[
        "run",
        &profile,
        "--target",
        &target,
        "--duration",
        "100ms",
        "--closed",
        "--quiet",
        "--keep-files",
    ])?;
    anyhow::ensure!(directory.join("data.iotrial").exists(), "no files to exchange: {}", ran.seen());
    Ok(directory)
}

/// The program under strace, which delays the first of these calls that names one of our files.
fn delayed(ground: &Ground, calls: &str, which: &str, arguments: &[&str]) -> anyhow::Result<Child> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={calls}:delay_enter={DELAY}{which}")]);
    command.arg(ground.program()).args(arguments).current_dir(ground.path());
    command
        .env("IOTRIAL_STORE", ground.store())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}

/// `clean` meets a foreign file under the name of one that it looked at.
fn file_exchanged(ground: &mut Ground, calls: &str) -> anyhow::Result<()> {
    ground.begin_kind();
    for after_ms in [150, 400, 850, 1_300] {
        if !ground.tries() {
            continue;
        }
        let directory = kept(ground)?;
        let target = directory.display().to_string();
        let mut child = delayed(ground, calls, "", &["clean", &target, "--yes"])?;
        std::thread::sleep(Duration::from_millis(after_ms));
        let wrong = exchange(&directory.join("data.iotrial"))?;
        child.wait()?;
        ground.case(format!("clean, {calls} delayed, exchanged after {after_ms} ms"), wrong());
    }
    Ok(())
}

/// The end of a run meets a foreign file under the name of one of its own.
fn own_file_exchanged(ground: &mut Ground, calls: &str) -> anyhow::Result<()> {
    let directory = ground.fresh()?.join("t");
    let (profile, target) = (ground.profile().display().to_string(), directory.display().to_string());
    let arguments = ["run", &profile, "--target", &target, "--duration", "1s", "--closed", "--quiet"];
    let mut child = delayed(ground, calls, "", &arguments)?;
    let data = directory.join("data.iotrial");
    until(|| data.exists());
    std::thread::sleep(Duration::from_millis(1_500));
    let wrong = exchange(&data)?;
    child.wait()?;
    ground.case(format!("the end of a run, {calls} delayed"), wrong());
    Ok(())
}

/// Puts a foreign file under the name, and answers with a look whether it is still there.
fn exchange(path: &Path) -> anyhow::Result<impl FnOnce() -> Option<String> + use<>> {
    let aside = path.with_extension("mine");
    // It may be gone already; then the foreign one is merely put there.
    let _ = fs::rename(path, &aside);
    fs::write(path, "somebody's data")?;
    let directory = path.parent().map(Path::to_owned).unwrap_or_default();
    let path = path.to_owned();
    Ok(move || {
        let content = fs::read_to_string(&path).unwrap_or_default();
        let names = || {
            fs::read_dir(&directory).map(|all| all.flatten().map(|one| one.file_name()).collect::<Vec<_>>())
        };
        (content != "somebody's data").then(|| format!("it is gone; there are {:?}", names()))
    })
}

/// `clean` works in a directory that becomes a link to another one with managed files.
fn directory_exchanged(ground: &mut Ground, calls: &str) -> anyhow::Result<()> {
    let (directory, victim) = (kept(ground)?, kept(ground)?);
    let target = directory.display().to_string();
    let mut child = delayed(ground, calls, "", &["clean", &target, "--yes"])?;
    std::thread::sleep(Duration::from_millis(300));
    fs::rename(&directory, directory.with_extension("away"))?;
    symlink(&victim, &directory)?;
    child.wait()?;
    let left = fs::read_dir(&victim)?.count();
    ground.case(
        format!("clean in a directory that becomes a link, {calls} delayed"),
        (left != 2).then(|| format!("{left} files are left in the other one")),
    );
    Ok(())
}

/// A run makes its files in a directory that becomes a link to another one.
fn directory_of_a_run_exchanged(ground: &mut Ground, calls: &str) -> anyhow::Result<()> {
    ground.begin_kind();
    for after_ms in [200, 600, 1_200, 2_000] {
        if !ground.tries() {
            continue;
        }
        let place = ground.fresh()?;
        let (directory, victim) = (place.join("t"), place.join("victim"));
        fs::create_dir(&directory)?;
        fs::create_dir(&victim)?;
        let (profile, target) = (ground.profile().display().to_string(), directory.display().to_string());
        let arguments = ["run", &profile, "--target", &target, "--duration", "100ms", "--closed", "--quiet"];
        // Of the many opens only some, or it never ends.
        let which = if calls.starts_with("open") { ":when=60+40" } else { "" };
        let mut child = delayed(ground, calls, which, &arguments)?;
        std::thread::sleep(Duration::from_millis(after_ms));
        fs::rename(&directory, place.join("away"))?;
        symlink(&victim, &directory)?;
        child.wait()?;
        let got: Vec<_> = fs::read_dir(&victim)?.flatten().map(|one| one.file_name()).collect();
        ground.case(
            format!("a run in a directory that becomes a link after {after_ms} ms, {calls} delayed"),
            (!got.is_empty()).then(|| format!("the other one got {got:?}")),
        );
    }
    Ok(())
}

/// A report meets a file that came after the look, also where the file system can neither rename on condition nor link.
fn output_that_appears(ground: &mut Ground) -> anyhow::Result<()> {
    let profile = ground.profile().display().to_string();
    ground.run(&["run", &profile, "--engine", "sim", "--quiet"])?;
    let no_condition = "inject=renameat2:error=EINVAL";
    let no_links = "inject=link,linkat:error=EPERM";
    let lacks: [(&str, &[&str]); 3] = [
        ("on this file system", &[]),
        ("without RENAME_NOREPLACE", &[no_condition]),
        ("without RENAME_NOREPLACE and links", &[no_condition, no_links]),
    ];
    // Right before the file gets its name, when it is brought to the disk, and while it gets it.
    let moments = [("before", "fsync", ":when=1"), ("while", "rename,renameat", "")];
    ground.begin_kind();
    for (what, lacks) in lacks {
        for (moment, calls, which) in moments {
            for option in ["--html", "--xlsx", "--markdown", "--csv"] {
                if !ground.tries() {
                    continue;
                }
                let report = ground.fresh()?.join("report");
                let mut command = Command::new("strace");
                command.args(["-f", "-qq", "-o", "/dev/null"]);
                command.args(["-e", "trace=renameat2,rename,renameat,link,linkat,fsync"]);
                command.args(["-e", &format!("inject={calls}:delay_enter={DELAY}{which}")]);
                lacks.iter().for_each(|one| _ = command.args(["-e", one]));
                command.arg(ground.program()).args(["report", "last", option]).arg(&report);
                command.current_dir(ground.path()).env("IOTRIAL_STORE", ground.store()).stdin(Stdio::null());
                let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
                std::thread::sleep(Duration::from_millis(400));
                fs::write(&report, "somebody's data")?;
                child.wait()?;
                let content = fs::read(&report)?;
                let is_kept = content == b"somebody's data";
                let name =
                    format!("report {option} {what}: a file that appears {moment} it gets its name stays");
                ground.case(name, (!is_kept).then(|| format!("{} bytes instead", content.len())));
            }
        }
    }
    Ok(())
}

/// Runs and cleans against a name that leads now to a directory and now to somebody's, without any delay.
fn flips(ground: &mut Ground) -> anyhow::Result<()> {
    ground.begin_kind();
    for number in 0..20 {
        if !ground.tries() {
            continue;
        }
        let place = ground.fresh()?;
        let (name, real, victim) = (place.join("t"), place.join("real"), place.join("victim"));
        fs::create_dir(&real)?;
        fs::create_dir(&victim)?;
        fs::write(victim.join("data.iotrial"), "somebody's data")?;
        symlink(&victim, place.join("link"))?;
        let (profile, target) = (ground.profile().display().to_string(), name.display().to_string());
        // Ends with this process, however that ends.
        let flip = "while kill -0 $PPID; do mv -T real t 2>/dev/null && mv -T t real; mv -T link t 2>/dev/null && mv -T t link; done";
        let mut flipper =
            Command::new("bash").args(["-c", flip]).current_dir(&place).stderr(Stdio::null()).spawn()?;
        let ran = if number % 2 == 0 {
            ground.run(&["run", &profile, "--target", &target, "--duration", "50ms", "--closed", "--quiet"])
        } else {
            ground.run(&["clean", &target, "--yes"])
        };
        flipper.kill()?;
        flipper.wait()?;
        let ran = ran?;
        let left: Vec<_> = fs::read_dir(&victim)?.flatten().map(|one| one.file_name()).collect();
        let is_kept = left.len() == 1 && fs::read(victim.join("data.iotrial"))? == b"somebody's data";
        let wrong = ran.crash().or_else(|| (!is_kept).then(|| format!("in the other directory: {left:?}")));
        ground.case(format!("a directory that flips, {number}"), wrong);
    }
    Ok(())
}

fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
}
