//! Raw devices that somebody else has open, or that carry the marks of others: no byte of them changes.

use std::fs;
use std::os::unix::fs::{FileExt as _, chown};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::Ground;
use super::ground::Loop;

/// Holds a device in the way that its first argument names, says so with a line, and waits.
const HOLDER: &str = r#"
import ctypes, os, socket, sys, threading, time
way, path = sys.argv[1:3]
libc = ctypes.CDLL(None, use_errno=True)
def ready():
    print("ready", flush=True)
def hold(own_table):
    if own_table:
        assert libc.unshare(0x400) == 0
    os.open(path, os.O_RDWR)
    # Until the first thread has ended, where it does.
    time.sleep(0 if own_table else 1)
    ready()
    time.sleep(600)
if way == "plain":
    os.open(path, os.O_RDONLY); ready(); time.sleep(600)
elif way == "mapped":
    # Not by the module of Python, which keeps a descriptor of its own.
    libc.mmap.restype = ctypes.c_void_p
    f = os.open(path, os.O_RDWR)
    assert libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 1, f, ctypes.c_long(0)) != ctypes.c_void_p(-1).value
    os.close(f); ready(); time.sleep(600)
elif way == "own-table":
    threading.Thread(target=hold, args=(True,)).start(); time.sleep(600)
elif way == "first-thread-ended":
    threading.Thread(target=hold, args=(False,)).start(); time.sleep(0.3)
    libc.syscall(60, 0)
elif way == "socket":
    a, b = socket.socketpair(socket.AF_UNIX); f = os.open(path, os.O_RDWR)
    socket.send_fds(a, [b"x"], [f]); os.close(f); ready(); time.sleep(600)
"#;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let device = match Loop::new(ground.path(), 64) {
        Ok(device) => device,
        Err(error) => {
            ground.skip(error);
            return Ok(());
        }
    };
    let holder = ground.file("holder.py", HOLDER)?;
    let node = device.path().display().to_string();
    let made = Command::new("mkfs.ext4").args(["-qF", &node]).status()?;
    anyhow::ensure!(made.success(), "no ext4 on {node}");
    let before = fs::read(device.path())?;
    for way in ["plain", "mapped", "own-table", "first-thread-ended", "socket"] {
        match Holder::start(&holder, way, device.path()) {
            Ok(_holder) => refused(ground, way, &node, &before, &[])?,
            Err(error) => ground.skip(format!("{way}: {error}")),
        }
    }
    // Another user, who may write to the device and not look into the processes of root.
    let owner = fs::metadata(device.path())?;
    chown(device.path(), Some(65_534), None)?;
    let as_other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
    refused(ground, "another user", &node, &before, &as_other)?;
    chown(device.path(), Some(std::os::unix::fs::MetadataExt::uid(&owner)), None)?;
    refused(ground, "in a PID namespace", &node, &before, &["unshare", "--pid", "--fork", "--mount-proc"])?;
    // And with nobody there, it is given up: the refusals are not for something else.
    let shown = target(ground, &node, &[])?;
    let free = shown["token"].is_string();
    ground.case("with nobody there a token is shown", (!free).then(|| shown["obstacles"].to_string()));
    marks(ground, &device)
}

/// The device is refused in all ways, and not a byte of it changes.
fn refused(
    ground: &mut Ground,
    what: &str,
    node: &str,
    before: &[u8],
    through: &[&str],
) -> anyhow::Result<()> {
    let shown = target(ground, node, through)?;
    let has_token = shown["token"].is_string();
    ground.case(format!("{what}: no token is shown"), has_token.then(|| shown.to_string()));
    // Whatever token is given, also the right one, which somebody had before.
    let token = shown["token"].as_str().unwrap_or("0123456789abcdef").to_owned();
    let profile = ground.profile().display().to_string();
    let run = ["run", &profile, "--target", node, "--size", "16MiB", "--quiet", "--destroy", &token];
    let ran = ground.end(wrapped(ground, through, &run))?;
    let is_refused = matches!(ran.code, Some(2 | 3));
    ground.case(format!("{what}: a run is refused"), (!is_refused).then(|| ran.seen()));
    let is_same = fs::read(node)? == before;
    ground.case(
        format!("{what}: no byte changes"),
        (!is_same).then(|| "the device has other content".to_owned()),
    );
    if !is_same {
        // For the cases that follow.
        fs::OpenOptions::new().write(true).open(node)?.write_all_at(before, 0)?;
    }
    Ok(())
}

fn wrapped(ground: &Ground, through: &[&str], arguments: &[&str]) -> Command {
    let program = ground.command(arguments);
    let Some((first, rest)) = through.split_first() else { return program };
    let mut command = Command::new(first);
    // A store of its own: the one of the class belongs to root.
    command.args(rest).arg(ground.program()).args(arguments).current_dir("/tmp").stdin(Stdio::null());
    command.env("IOTRIAL_STORE", "/tmp/iotrial-attack-none");
    command
}

fn target(ground: &Ground, node: &str, through: &[&str]) -> anyhow::Result<Value> {
    let ran = ground.end(wrapped(ground, through, &["target", node, "--json"]))?;
    serde_json::from_slice(&ran.stdout).map_err(|error| anyhow::anyhow!("{error}: {}", ran.seen()))
}

/// Marks of volume managers and controllers, where libblkid looks for them.
fn marks(ground: &mut Ground, device: &Loop) -> anyhow::Result<()> {
    let size = fs::read(device.path())?.len() as u64;
    let marks: [(&str, u64, &[u8]); 7] = [
        ("LVM1", 0, b"HM\x01\0"),
        ("dm-snapshot", 0, b"SnAp\x01\0\0\0\x01\0\0\0\x01\0\0\0"),
        ("Nvidia RAID", size - 1024, b"NVIDIA  "),
        ("LSI MegaRAID", size - 512, b"$XIDE$"),
        ("Promise FastTrak RAID", size - 63 * 512, b"Promise Technology, Inc."),
        ("HighPoint RAID", 0x1220, b"\xf0\x16\x78\x5a"),
        ("DDF RAID", size - 257 * 512, b"\xde\x11\xde\x11"),
    ];
    for (name, offset, bytes) in marks {
        let file = fs::OpenOptions::new().write(true).open(device.path())?;
        file.write_all_at(&vec![0; usize::try_from(size)?], 0)?;
        file.write_all_at(bytes, offset)?;
        file.sync_all()?;
        let shown = target(ground, &device.path().display().to_string(), &[])?;
        let named =
            shown["signatures"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == name));
        ground.case(format!("{name} is named"), (!named).then(|| shown["signatures"].to_string()));
    }
    Ok(())
}

/// A process that holds the device, ended when it is dropped.
struct Holder(Child);

impl Holder {
    fn start(script: &Path, way: &str, device: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new("python3");
        let child =
            command.arg(script).arg(way).arg(device).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut holder = Self(child?);
        let mut line = String::new();
        let output = holder.0.stdout.take().ok_or_else(|| anyhow::anyhow!("no output"))?;
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)?;
        anyhow::ensure!(line == "ready\n", "it cannot hold the device so");
        Ok(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
