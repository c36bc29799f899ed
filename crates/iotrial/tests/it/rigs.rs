//! `iotrial verify` on block devices that lie on purpose: nbdkit, nbdfuse and a loop device.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Bench, Ran};

/// Pages that are written and read, and behind them pages that are only read.
const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "small"
title = "Written and read"
closed = true
schedule = { duration = "60s" }
quick = { size = "8MiB", duration = "2s" }
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
const SIZE: u64 = 32 << 20;

/// What else runs a device of ours, ended and gone when it is dropped.
struct Rig {
    // Dropped from the top: nobody holds what is below.
    device: LoopDevice,
    _fuse: Fuse,
    server: Server,
    folder: tempfile::TempDir,
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
        Some(Self { device: LoopDevice(device.into()), _fuse: fuse, server, folder })
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

    fn verify(&self, bench: &Bench, more: &[&str]) -> Ran {
        fs::write(bench.path().join("small.toml"), PROFILE).unwrap();
        let token = self.token(bench);
        let verify =
            ["verify", "./small.toml", "--target", self.device(), "--destroy", &token, "--quiet", "--json"];
        bench.run(&[&verify, more].concat())
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
    server.env("IMAGE", place("image")).env("SPOILT", place("spoilt"));
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
    let kinds = [
        "lost-write",
        "torn-write",
        "misdirected-write",
        "bit-flip",
        "read-error",
        "write-error",
        "stale-read",
    ];
    for kind in kinds {
        let Some(rig) = Rig::faulty("a_device_that_lies", kind, &[]) else { return };
        let bench = Bench::new();
        let ran = rig.verify(&bench, &[]).expect_code(1);
        let spoilt = rig.spoilt();
        assert!(spoilt > 0, "{kind}: nothing was spoilt: {}", ran.stdout);
        let found = counts(&ran);
        let kinds: BTreeSet<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(kinds, BTreeSet::from([kind]), "{found}");
        // A write that went astray is found at both of its ends.
        let expected = if kind == "misdirected-write" { 2 * spoilt } else { spoilt };
        assert_eq!(found[kind].as_u64(), Some(expected), "{kind}: {}", ran.stdout);
    }
}

#[test]
fn a_device_that_keeps_less_than_it_says_is_named_with_what_it_keeps() {
    // 6 MiB of 8 that are written.
    let kept = 6_291_456;
    for fault in ["wrap", "drop"] {
        let Some(rig) = Rig::faulty("a_device_that_keeps_less", fault, &[("KEPT", &kept.to_string())]) else {
            return;
        };
        let bench = Bench::new();
        let ran = rig.verify(&bench, &[]).expect_code(1);
        let capacity = &ran.json()["verification"]["capacities"][0];
        assert_eq!(capacity["kept_bytes"], kept, "{fault}: {}", ran.stdout);
        let kinds: Vec<String> = counts(&ran).as_object().unwrap().keys().cloned().collect();
        assert_eq!(kinds, ["missing-capacity"], "{fault}");
    }
}

#[test]
fn a_device_that_hangs_leaves_a_record_that_says_so() {
    let Some(rig) = Rig::new("a_device_that_hangs", &["memory", "32M"], &[]) else { return };
    let bench = Bench::new();
    fs::write(bench.path().join("small.toml"), PROFILE).unwrap();
    let token = rig.token(&bench);
    let verify = ["verify", "./small.toml", "--target", rig.device(), "--destroy", &token];
    let mut child =
        bench.command(&[&verify[..], &["--json", "--io-deadline", "500ms"]].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "it never measured");
    std::thread::spawn(move || lines.for_each(drop));
    let signal = |name: &str| run("kill", &[name, &rig.server.0.id().to_string()]).unwrap();
    signal("-STOP");
    // It cannot end while the kernel waits for the device, so the document is all there is to wait for.
    let document = serde_json::Deserializer::from_reader(child.stdout.take().unwrap()).into_iter().next();
    let shown: Value = document.unwrap().unwrap();
    signal("-CONT");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let counts = shown["verification"]["counts"].as_object().unwrap();
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["hang"], "{shown}");
    assert!(shown["verification"]["faults"][0]["under_way_s"].as_f64().unwrap() >= 0.5, "{shown}");
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!((&listed[0]["ended"], &listed[0]["outcome"]), (&"failed".into(), &"not-qualified".into()));
}

#[test]
fn an_honest_device_is_not_accused_however_slow_it_is() {
    let slow = ["--filter=delay", "memory", "32M", "rdelay=3ms", "wdelay=3ms"];
    for arguments in [&["memory", "32M"][..], &slow] {
        let Some(rig) = Rig::new("an_honest_device", arguments, &[]) else { return };
        let bench = Bench::new();
        let ran = rig.verify(&bench, &[]).expect_code(0);
        assert_eq!(counts(&ran), serde_json::json!({}));
    }
}
