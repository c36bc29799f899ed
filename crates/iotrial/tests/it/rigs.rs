//! `iotrial verify` on block devices that lie on purpose: nbdkit, nbdfuse and a loop device.

use std::collections::BTreeSet;
use std::fs;
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
    fuse: Fuse,
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
    if let Some(missing) = ["/dev/fuse", "/dev/loop-control"].into_iter().find(|node| !Path::new(node).exists()) {
        return Some(format!("there is no {missing}"));
    }
    let programs = ["nbdkit", "nbdfuse", "losetup"];
    let missing = programs.into_iter().find(|program| run(program, &["--version"]).is_none());
    missing.map(|program| format!("there is no `{program}`"))
}

/// Waits until a program says that it is ready by a file with its number.
fn until_ready(process: &mut Child, pid_file: &Path) {
    while fs::read_to_string(pid_file).is_ok_and(|pid| pid.ends_with('\n')).eq(&false) {
        assert!(process.try_wait().unwrap().is_none(), "{} did not come up", pid_file.display());
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
        Some(Self { device: LoopDevice(device.into()), fuse, server, folder })
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
        let verify = ["verify", "./small.toml", "--target", self.device(), "--destroy", &token, "--quiet", "--json"];
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
    for old in [&socket, &ready, &place("fuse.pid")] {
        let _ = fs::remove_file(old);
    }
    let mut server = Command::new("nbdkit");
    server.args(["--foreground", "--exit-with-parent", "--unix", text(&socket), "--pidfile", text(&ready)]);
    server.args(arguments).envs(environment.iter().copied());
    server.env("IMAGE", place("image")).env("SPOILT", place("spoilt"));
    let mut server = Server(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    until_ready(&mut server.0, &ready);
    fs::File::create(&file).unwrap();
    let mut fuse = Command::new("nbdfuse");
    fuse.args(["--pidfile", text(&place("fuse.pid")), text(&file), "--unix", text(&socket)]);
    let process = fuse.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut fuse = Fuse { process, file };
    until_ready(&mut fuse.process, &place("fuse.pid"));
    (server, fuse)
}

fn counts(ran: &Ran) -> Value {
    ran.json()["verification"]["counts"].clone()
}

#[test]
fn a_device_that_lies_is_found_out_by_the_kind_of_its_fault_each_time() {
    let kinds = ["lost-write", "torn-write", "misdirected-write", "bit-flip", "read-error", "write-error", "stale-read"];
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
fn an_honest_device_is_not_accused_however_slow_it_is() {
    let slow = ["--filter=delay", "memory", "32M", "rdelay=3ms", "wdelay=3ms"];
    for arguments in [&["memory", "32M"][..], &slow] {
        let Some(rig) = Rig::new("an_honest_device", arguments, &[]) else { return };
        let bench = Bench::new();
        let ran = rig.verify(&bench, &[]).expect_code(0);
        assert_eq!(counts(&ran), serde_json::json!({}));
    }
}
