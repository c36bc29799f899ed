//! `iotrial verify` on block devices that lie on purpose: nbdkit, nbdfuse and a loop device.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::support::{Bench, Ran};

/// Pages that are written and read, and behind them pages that are only read.
const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "small"
title = "Written and read"
closed = true
schedule = { duration = "60s" }
quick = { size = "2MiB", duration = "2s" }
[[job]]
name = "written"
role = "data"
pattern = "random"
rwmix_read_percent = 30
block_size = "8KiB"
iodepth = 4
size = "1GiB"
[[job]]
name = "read"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
iodepth = 1
size = "1GiB"
"#;

/// Bytes of the device.
const SIZE: u64 = 4 << 20;

/// One rig at a time: a loop device that one gives back is the next one's.
static ALONE: Mutex<()> = Mutex::new(());

/// What else runs a device of ours, ended and gone when it is dropped.
struct Rig {
    // Dropped from the top: nobody holds what is below.
    device: LoopDevice,
    fuse: Option<Fuse>,
    server: Option<Server>,
    folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

struct LoopDevice(PathBuf);

impl Drop for LoopDevice {
    fn drop(&mut self) {
        run("losetup", &["-d", text(&self.0)]);
    }
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Fuse {
    process: Child,
    file: PathBuf,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        run("umount", &["--lazy", text(&self.file)]);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What it wrote; `None` where it failed or is not there.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Why there can be no rig here.
fn obstacle() -> Option<String> {
    if run("id", &["-u"]).as_deref() != Some("0") {
        return Some("only root sets up loop devices".to_owned());
    }
    if let Some(missing) =
        ["/dev/fuse", "/dev/loop-control"].into_iter().find(|node| !Path::new(node).exists())
    {
        return Some(format!("there is no {missing}"));
    }
    let programs = ["nbdkit", "nbdfuse", "losetup"];
    let missing = programs.into_iter().find(|program| run(program, &["--version"]).is_none());
    missing.map(|program| format!("there is no `{program}`"))
}

/// Waits until a program has made what shows that it is ready.
fn until(process: &mut Child, is_ready: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !is_ready() {
        assert!(
            process.try_wait().unwrap().is_none() && begin.elapsed().as_secs() < 60,
            "it did not come up"
        );
        std::thread::yield_now();
    }
}

impl Rig {
    /// A device that nbdkit serves with these arguments; `None` where there can be none, which is said.
    fn new(test: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Option<Self> {
        if let Some(obstacle) = obstacle() {
            println!("skipped: {test}: {obstacle}");
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        // Short: names of sockets have at most 107 bytes.
        let folder = tempfile::tempdir().unwrap();
        fs::File::create(folder.path().join("image")).unwrap().set_len(SIZE).unwrap();
        fs::create_dir(folder.path().join("spoilt")).unwrap();
        let (server, fuse) = serve(folder.path(), arguments, environment);
        let made = run("losetup", &["--find", "--show", "--direct-io=on", text(&fuse.file)]);
        let Some(device) = made else {
            println!("skipped: {test}: no loop device can be set up");
            return None;
        };
        Some(Self {
            device: LoopDevice(device.into()),
            fuse: Some(fuse),
            server: Some(server),
            folder,
            _alone: alone,
        })
    }

    /// A disk that is honest but for one kind of fault.
    fn faulty(test: &str, fault: &str, more: &[(&str, &str)]) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rigs/disk.sh");
        Self::new(test, &["sh", text(&script)], &[&[("FAULT", fault)], more].concat())
    }

    fn device(&self) -> &str {
        text(&self.device.0)
    }

    fn token(&self, bench: &Bench) -> String {
        let shown = bench.run(&["target", self.device(), "--json"]).expect_code(0).json();
        shown["token"].as_str().unwrap_or_else(|| panic!("{shown}")).to_owned()
    }

    /// A run that compares.
    fn command(&self, bench: &Bench, more: &[&str]) -> Command {
        fs::write(bench.path().join("small.toml"), PROFILE).unwrap();
        let token = self.token(bench);
        let verify = ["verify", "./small.toml", "--target", self.device(), "--destroy", &token, "--json"];
        bench.command(&[&verify, more].concat())
    }

    /// The same, begun up to its load, where the disk begins to lie.
    fn begin(&self, bench: &Bench, more: &[&str]) -> Child {
        let mut child = self.command(bench, more).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let is_of_load = |line: String| line.starts_with("ramp, 0:0") || line.starts_with("measure, 0:0");
        assert!(lines.any(is_of_load), "it never came to its load");
        fs::write(self.folder.path().join("armed"), "").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        child
    }

    fn verify(&self, bench: &Bench) -> Ran {
        Ran::from(self.begin(bench, &[]).wait_with_output().unwrap())
    }

    /// Ends the server, as a cut does that takes its cache with it.
    fn cut(&mut self) {
        self.server = None;
    }

    /// Has the server stand still, or go on.
    fn signal(&self, name: &str) {
        run("kill", &[name, &self.server.as_ref().unwrap().0.id().to_string()]).unwrap();
    }

    /// The same device again, on what the image holds.
    fn start_again(&mut self) {
        run("losetup", &["-d", self.device()]);
        self.fuse = None;
        let (server, fuse) =
            serve(self.folder.path(), &["file", text(&self.folder.path().join("image"))], &[]);
        run("losetup", &["--direct-io=on", self.device(), text(&fuse.file)]).expect("the device is free");
        (self.server, self.fuse) = (Some(server), Some(fuse));
    }

    /// How often it lied.
    fn spoilt(&self) -> u64 {
        fs::read_dir(self.folder.path().join("spoilt")).unwrap().count() as u64
    }
}

/// The server of a folder's image, and its file.
fn serve(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Server, Fuse) {
    let place = |name: &str| folder.join(name);
    let (socket, ready, file) = (place("socket"), place("server.pid"), place("disk"));
    for old in [&socket, &ready] {
        let _ = fs::remove_file(old);
    }
    let mut server = Command::new("nbdkit");
    server.args(["--foreground", "--exit-with-parent", "--unix", text(&socket), "--pidfile", text(&ready)]);
    server.args(arguments).envs(environment.iter().copied());
    server.env("IMAGE", place("image")).env("SPOILT", place("spoilt")).env("ARMED", place("armed"));
    let mut server = Server(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    until(&mut server.0, || fs::read_to_string(&ready).is_ok_and(|pid| pid.ends_with('\n')));
    fs::File::create(&file).unwrap();
    let mut fuse = Command::new("nbdfuse");
    fuse.args([text(&file), "--unix", text(&socket)]);
    let process = fuse.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut fuse = Fuse { process, file };
    until(&mut fuse.process, || fs::metadata(folder.join("disk")).is_ok_and(|file| file.len() == SIZE));
    (server, fuse)
}

fn counts(ran: &Ran) -> Value {
    ran.json()["verification"]["counts"].clone()
}

#[test]
fn a_device_that_lies_is_found_out_by_the_kind_of_its_fault_each_time() {
    let kinds = ["lost-write", "torn-write", "misdirected-write", "bit-flip", "read-error", "write-error"];
    for kind in kinds {
        let Some(rig) = Rig::faulty("a_device_that_lies", kind, &[]) else { return };
        let bench = Bench::new();
        let ran = rig.verify(&bench).expect_code(1);
        let spoilt = rig.spoilt();
        assert!(spoilt > 0, "{kind}: nothing was spoilt: {}", ran.stdout);
        let found = counts(&ran);
        let kinds: BTreeSet<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(kinds, BTreeSet::from([kind]), "{found}");
        // What the kernel logs of errors is kept, where it may be read; it drops what comes too fast.
        if kind == "write-error" && fs::File::open("/dev/kmsg").is_ok() {
            let line = ran.json()["verification"]["kernel_log"][0].to_string();
            let name = rig.device().trim_start_matches("/dev/").to_owned();
            assert!(line.contains(&name), "{line}");
        }
        let found = found[kind].as_u64().unwrap();
        match kind {
            // A write that went astray is found at both of its ends.
            "misdirected-write" => assert_eq!(found, 2 * spoilt, "{}", ran.stdout),
            // Of a read nobody knows anything who did not ask for it.
            "read-error" => assert!(found <= spoilt, "{kind}: {found} of {spoilt}"),
            _ => assert_eq!(found, spoilt, "{kind}: {}", ran.stdout),
        }
    }
}

#[test]
fn a_device_that_keeps_less_than_it_says_is_named_with_what_it_keeps() {
    // 1.5 MiB of 2 that are written.
    let kept = 1_572_864;
    for fault in ["wrap", "drop"] {
        let Some(rig) = Rig::faulty("a_device_that_keeps_less", fault, &[("KEPT", &kept.to_string())]) else {
            return;
        };
        let bench = Bench::new();
        let ran = rig.verify(&bench).expect_code(1);
        let capacity = &ran.json()["verification"]["capacities"][0];
        assert_eq!(capacity["kept_bytes"], kept, "{fault}: {}", ran.stdout);
        let kinds: Vec<String> = counts(&ran).as_object().unwrap().keys().cloned().collect();
        assert_eq!(kinds, ["missing-capacity"], "{fault}");
    }
}

#[test]
fn a_device_that_hangs_leaves_a_record_that_says_so() {
    let Some(rig) = Rig::new("a_device_that_hangs", &["memory", "4M"], &[]) else { return };
    let bench = Bench::new();
    let mut child = rig.begin(&bench, &["--io-deadline", "500ms"]);
    rig.signal("-STOP");
    let shown = document(&mut child);
    rig.signal("-CONT");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_hung(&bench, &shown);
}

#[test]
fn a_device_that_hangs_while_it_is_filled_leaves_a_record_that_says_so() {
    // It reads, and takes ten minutes for a write.
    let slow = ["--filter=delay", "memory", "4M", "wdelay=600"];
    let Some(mut rig) = Rig::new("a_device_that_hangs_while_it_is_filled", &slow, &[]) else { return };
    let bench = Bench::new();
    let mut child = rig.command(&bench, &["--quiet", "--io-deadline", "200ms"]).spawn().unwrap();
    let shown = document(&mut child);
    rig.cut();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(shown["verification"]["pages"], 0);
    assert_hung(&bench, &shown);
}

/// The document that a program prints which cannot end while the kernel waits for the device.
fn document(child: &mut Child) -> Value {
    let documents = serde_json::Deserializer::from_reader(child.stdout.take().unwrap());
    documents.into_iter().next().unwrap().unwrap()
}

fn assert_hung(bench: &Bench, shown: &Value) {
    let counts = shown["verification"]["counts"].as_object().unwrap();
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["hang"], "{shown}");
    assert!(shown["verification"]["faults"][0]["under_way_s"].as_f64().unwrap() >= 0.5, "{shown}");
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!((&listed[0]["ended"], &listed[0]["outcome"]), (&"failed".into(), &"not-qualified".into()));
}

#[test]
fn room_that_a_device_says_it_lacks_is_a_device_that_is_gone() {
    let Some(rig) = Rig::faulty("room_that_a_device_lacks", "no-space", &[]) else { return };
    let bench = Bench::new();
    let ran = rig.verify(&bench).expect_code(1);
    let expected = serde_json::json!({ "device-gone": rig.spoilt() });
    assert_eq!(counts(&ran), expected, "{}", ran.stdout);
    assert_ne!(rig.spoilt(), 0);
}

#[test]
fn what_another_run_wrote_is_foreign() {
    let Some(rig) = Rig::faulty("what_another_run_wrote", "foreign-data", &[]) else { return };
    let bench = Bench::new();
    Ran::from(rig.command(&bench, &["--quiet"]).spawn().unwrap().wait_with_output().unwrap()).expect_code(0);
    let image = rig.folder.path().join("image");
    fs::copy(&image, rig.folder.path().join("image.before")).unwrap();
    let ran = rig.verify(&bench).expect_code(1);
    let expected = serde_json::json!({ "foreign-data": rig.spoilt() });
    assert_eq!(counts(&ran), expected, "{}", ran.stdout);
    assert_ne!(rig.spoilt(), 0);
}

#[test]
fn an_earlier_write_that_is_read_once_is_a_stale_read() {
    let Some(rig) = Rig::faulty("an_earlier_write", "stale-read", &[]) else { return };
    let bench = Bench::new();
    let ran = rig.verify(&bench).expect_code(1);
    let spoilt = fs::read_dir(rig.folder.path().join("spoilt")).unwrap();
    let given = spoilt.filter(|page| page.as_ref().unwrap().path().join("given").exists()).count() as u64;
    let found = counts(&ran);
    assert_eq!(found.as_object().unwrap().keys().collect::<Vec<_>>(), ["stale-read"], "{found}");
    // One that was read while the page was written again is not compared.
    assert!((1..=given).contains(&found["stale-read"].as_u64().unwrap()), "{found}, {given}");
}

#[test]
fn an_honest_device_is_not_accused_however_slow_it_is() {
    let slow = ["--filter=delay", "memory", "4M", "rdelay=3ms", "wdelay=3ms"];
    for arguments in [&["memory", "4M"][..], &slow] {
        let Some(rig) = Rig::new("an_honest_device", arguments, &[]) else { return };
        let bench = Bench::new();
        let ran = rig.verify(&bench).expect_code(0);
        assert_eq!(counts(&ran), serde_json::json!({}));
    }
}

/// A writer on a rig, with its journal in main memory.
struct Armed {
    child: Child,
    bench: Bench,
    journal: PathBuf,
    _elsewhere: tempfile::TempDir,
}

impl Armed {
    /// One that has begun; `None` where there is no place for its journal, which is said.
    fn begin(rig: &Rig, more: &[&str]) -> Option<Self> {
        let elsewhere = Path::new("/dev/shm");
        if !elsewhere.is_dir() {
            println!("skipped: there is no {}", elsewhere.display());
            return None;
        }
        let elsewhere = tempfile::tempdir_in(elsewhere).unwrap();
        let (bench, journal) = (Bench::new(), elsewhere.path().join("journal"));
        let token = rig.token(&bench);
        let arm = ["verify", "crash", "arm", "--quiet", "--json", "--journal", text(&journal)];
        let target = ["--target", rig.device(), "--destroy", &token];
        let child = bench.command(&[&arm[..], &target, more].concat()).spawn().unwrap();
        let mut armed = Self { child, bench, journal, _elsewhere: elsewhere };
        armed.wait_for(3);
        Some(armed)
    }

    /// Waits for so many further entries.
    fn wait_for(&mut self, count: usize) {
        let Self { child, journal, .. } = self;
        let entries =
            || fs::read_to_string(&*journal).map_or(0, |journal| journal.matches(" flushed ").count());
        let before = entries();
        until(child, || entries() >= before + count);
    }

    /// The command that checks it.
    fn check(&self, more: &[&str]) -> Command {
        let check = ["verify", "crash", "check", text(&self.journal), "--cut", "power", "--quiet", "--json"];
        self.bench.command(&[&check[..], more].concat())
    }

    fn checked(&self) -> Value {
        Ran::from(self.check(&[]).spawn().unwrap().wait_with_output().unwrap()).json()
    }
}

/// What a check says of a disk that is cut while it is written, once it may have begun to lie.
fn cut_and_checked(rig: &mut Rig) -> Option<Value> {
    let mut armed = Armed::begin(rig, &[])?;
    let place = |name: &str| rig.folder.path().join(name);
    fs::copy(place("image"), place("image.cache")).unwrap();
    fs::write(place("armed"), "").unwrap();
    armed.wait_for(10);
    rig.cut();
    // Its writes fail, so that it ends.
    assert_eq!(armed.child.wait().unwrap().code(), Some(1));
    rig.start_again();
    Some(armed.checked())
}

#[test]
fn a_flush_that_fails_ends_the_writer_and_what_was_flushed_before_is_there() {
    let Some(rig) = Rig::faulty("a_flush_that_fails", "flush-error", &[]) else { return };
    let Some(mut armed) = Armed::begin(&rig, &["--duration", "60s"]) else { return };
    fs::write(rig.folder.path().join("armed"), "").unwrap();
    let shown = document(&mut armed.child);
    assert_eq!(armed.child.wait().unwrap().code(), Some(1), "{shown}");
    assert_eq!((&shown["ended"], &shown["os_error"]), (&"flush-failed".into(), &5.into()));
    let checked = armed.checked();
    assert_eq!((&checked["ended"], &checked["outcome"]), (&"flush-failed".into(), &"kept".into()));
}

#[test]
fn storage_that_hangs_ends_the_writer_and_the_check_without_accusing_anybody() {
    let Some(rig) = Rig::new("storage_that_hangs", &["memory", "4M"], &[]) else { return };
    let Some(mut armed) = Armed::begin(&rig, &["--io-deadline", "200ms"]) else { return };
    rig.signal("-STOP");
    let shown = document(&mut armed.child);
    rig.signal("-CONT");
    assert_eq!((&shown["ended"], armed.child.wait().unwrap().code()), (&"hung".into(), Some(1)));
    rig.signal("-STOP");
    let mut check = armed.check(&["--io-deadline", "200ms"]).spawn().unwrap();
    let shown = document(&mut check);
    rig.signal("-CONT");
    assert_eq!(check.wait().unwrap().code(), Some(4));
    let kinds: Vec<&String> = shown["counts"].as_object().unwrap().keys().collect();
    assert_eq!((&shown["outcome"], &kinds[..]), (&"inconclusive".into(), &[&"hang".to_owned()][..]));
    // It answers again, and has everything.
    let checked = armed.checked();
    assert_eq!((&checked["outcome"], &checked["counts"]), (&"kept".into(), &serde_json::json!({})));
}

#[test]
fn writes_that_reach_the_disk_before_what_was_flushed_are_found_out() {
    let Some(mut rig) = Rig::faulty("writes_that_reach_the_disk", "reordered", &[]) else { return };
    let Some(checked) = cut_and_checked(&mut rig) else { return };
    let kinds: Vec<&String> = checked["counts"].as_object().unwrap().keys().collect();
    assert_eq!((&checked["outcome"], &kinds[..]), (&"lost".into(), &[&"lost-write".to_owned()][..]));
    // What was held back, and no other page.
    for fault in checked["faults"].as_array().unwrap() {
        assert_eq!(fault["offset_bytes"].as_u64().unwrap() / 8_192 % 4, 3, "{fault}");
    }
}

#[test]
fn a_cache_that_is_flushed_loses_nothing_in_a_cut_and_one_that_lies_about_it_is_found_out() {
    let test = "a_cache_that_is_flushed";
    // A cache that is smaller than the disk loses what was flushed: a fault of nbdkit 1.32.
    let more = ["cache=writeback", "cache-max-size=64M"];
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    fs::File::create(&image).unwrap().set_len(SIZE).unwrap();
    let honest = [&["--filter=cache", "file", text(&image)], &more[..]].concat();
    let Some(mut rig) = Rig::new(test, &honest, &[]) else { return };
    // The one that the server has.
    std::os::unix::fs::symlink(&image, rig.folder.path().join("link")).unwrap();
    fs::rename(rig.folder.path().join("link"), rig.folder.path().join("image")).unwrap();
    let Some(checked) = cut_and_checked(&mut rig) else { return };
    assert_eq!(
        (&checked["outcome"], &checked["counts"]),
        (&"kept".into(), &serde_json::json!({})),
        "{checked}"
    );
    drop(rig);
    let mut rig = Rig::faulty(test, "lying-flush", &[]).unwrap();
    let checked = cut_and_checked(&mut rig).unwrap();
    assert_eq!(checked["outcome"], "lost", "{checked}");
    assert!(checked["counts"]["lost-write"].as_u64() > Some(0), "{checked}");
}
