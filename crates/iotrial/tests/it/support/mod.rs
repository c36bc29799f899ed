//! Runs the program as a user would, in a folder of its own.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests; each file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A configuration of the kind that `size` explains: a machine with one volume, whose network for volumes binds.
pub const CONFIGURATION: &str = r#"
format = "iotrial.configuration/1"
title = "option 1"
provider = "oci"
machine = "VM.Standard.E4.Flex"
ocpus = 16
memory = "64GiB"
os = "windows"
[[pool]]
volume = "block-volume"
level = "vpu-90"
size = "1430GiB"
attachment = "paravirtualized"
"#;

/// A folder with a store and a place for data; gone at the end.
pub struct Bench {
    folder: tempfile::TempDir,
}

/// What a finished command left.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    /// In the build folder, because a temporary folder may be memory, which takes no direct I/O.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("e2e-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// The program with its store here; the current folder is here too.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iotrial"));
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// The same surroundings for every test: what whoever runs the tests has set is not theirs.
    fn surround(&self, command: &mut Command) {
        command
            .env("IOTRIAL_STORE", self.store())
            .env("IOTRIAL_CONFIG", "none")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// The same for a program that is to be interrupted. Whoever starts the tests in the background, or with `nohup`, has them inherit
    /// that signals are ignored, and what was ignored from the beginning does not end a run.
    pub fn interruptible(&self, arguments: &[&str]) -> Command {
        let plain = self.command(arguments);
        if cfg!(not(target_os = "linux")) {
            return plain;
        }
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM,HUP").arg(plain.get_program()).args(plain.get_args());
        self.surround(&mut command);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(start(&mut self.command(arguments)).wait_with_output().unwrap())
    }

    /// Everything below the data folder.
    pub fn data_files(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.data())
            .map_or(Vec::new(), |entries| entries.map(|e| e.unwrap().path()).collect())
    }

    /// Whether a file is there and begins so; what it begins with tells its form.
    #[track_caller]
    pub fn expect_file(&self, name: &str, begin: &str) {
        let bytes = std::fs::read(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(bytes.starts_with(begin.as_bytes()), "{name}: {}", String::from_utf8_lossy(&bytes[..40]));
    }

    /// The files of the store with that ending.
    pub fn stored(&self, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.store()) else { return Vec::new() };
        entries.map(|e| e.unwrap().path()).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
    }
}

/// Starts a program. Seldom, the process that Wine makes ends before it has loaded the program, and Wine
/// reports an inner error. What never ran did nothing, so it is started again; Windows itself gets one attempt.
#[track_caller]
pub fn start(command: &mut Command) -> Child {
    const ERROR_INTERNAL_ERROR: i32 = 1359;
    let mut attempts_left = if cfg!(windows) && std::env::var_os("WINEPREFIX").is_some() { 3 } else { 1 };
    loop {
        attempts_left -= 1;
        match command.spawn() {
            Err(error) if attempts_left > 0 && error.raw_os_error() == Some(ERROR_INTERNAL_ERROR) => {}
            started => return started.unwrap(),
        }
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The words of the command that makes sense after this answer, behind the program; none where there is no such line.
    pub fn next(&self) -> Vec<&str> {
        let line = self.stdout.lines().rev().find_map(|line| line.strip_prefix("next: iotrial "));
        let commands = line.and_then(|line| line.split("   #").next()).unwrap_or_default();
        commands.split(" && ").next().unwrap_or_default().split_whitespace().collect()
    }

    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}
