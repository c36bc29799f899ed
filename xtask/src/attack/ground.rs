//! Where the cases of a class are tried: a folder of their own, the program, and what is counted.

#![allow(dead_code, reason = "each class uses its part, and the ordinary tests use no devices")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::super::carried_out::carried_out;
use super::left_over::{OwnFolder, ensure_not_stopped};

/// Longer than any case takes. What is still running then hangs, and that is what a case is about.
const PATIENCE: Duration = Duration::from_secs(60);

/// A load of a second that fits everywhere: 6 MiB of data and 2 MiB of log. Closed, because a search for its rate takes half a minute.
pub(crate) const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "mini"
title = "Small enough for a hundred cases"
closed = true
schedule = { duration = "1s" }
quick = { size = "8MiB", duration = "200ms" }
[[job]]
name = "data"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
numjobs = 1
iodepth = 4
size = "6MiB"
[[job]]
name = "log"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "4KiB"
numjobs = 1
iodepth = 1
durability = "dsync"
size = "2MiB"
"#;

/// A folder for the cases of a class, and their count.
pub(crate) struct Ground {
    program: PathBuf,
    folder: OwnFolder,
    tally: Tally,
    fresh_count: u32,
    /// Of many cases of one kind, one in so many is tried.
    one_in: u32,
    passed_over: u32,
}

/// What came of the cases of a class.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: u32,
    /// Each with what was seen.
    pub(crate) failed: Vec<String>,
    /// What this host could not try, with the reason.
    pub(crate) skipped: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
    }
}

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// It was killed, because it did not end by itself.
    pub(crate) hung: bool,
}

/// As a shell reports SIGINT, and as iotrial ends after it.
pub(crate) const INTERRUPTED: i32 = 130;

impl Ran {
    /// Standard output, for looking into it.
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error.
    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Why this is a crash: a panic, an abort, a signal, or no end; `None` where it ended in order, whatever it said.
    pub(crate) fn crash(&self) -> Option<String> {
        let what = match self.code {
            _ if self.hung => "hangs".to_owned(),
            None => format!("{}", self.status),
            Some(101) => "panics".to_owned(),
            // A shell reports a child that a signal ended in this way; one that was interrupted reports it itself.
            Some(code) if code > 128 && code != INTERRUPTED => format!("exit code {code}"),
            Some(_) if self.err().contains("panicked at") => "panics in a thread".to_owned(),
            Some(_) => return None,
        };
        Some(format!("{what}: {}", shortened(&self.err())))
    }

    /// Whether it did what was asked: a verdict that is not good has a code of its own.
    pub(crate) fn is_done(&self) -> bool {
        carried_out(self.status)
    }

    /// What was seen, in a few words.
    pub(crate) fn seen(&self) -> String {
        let code = self.code.map_or_else(|| self.status.to_string(), |code| format!("exit code {code}"));
        format!("{code}, out {:?}, err {:?}", shortened(&self.out()), shortened(&self.err()))
    }
}

fn shortened(text: &str) -> String {
    let short: String = text.chars().take(400).collect();
    if short.len() < text.len() { format!("{short} …") } else { short }
}

impl Ground {
    /// In a folder of its own below `folder`; `one_in` is 1 where every case is tried.
    pub(crate) fn new(program: &Path, folder: &Path, one_in: u32) -> anyhow::Result<Self> {
        let folder = OwnFolder::new(folder, super::FOLDER_PREFIX)?;
        fs::write(folder.path().join("mini.toml"), PROFILE)?;
        Ok(Self {
            program: program.to_owned(),
            folder,
            tally: Tally::default(),
            fresh_count: 0,
            one_in,
            passed_over: 0,
        })
    }

    pub(crate) fn into_tally(self) -> Tally {
        self.tally
    }

    /// The folder, which is also the current one of every command.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program under attack.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The profile of every case that needs one: [`PROFILE`].
    pub(crate) fn profile(&self) -> PathBuf {
        self.path().join("mini.toml")
    }

    /// Where the program keeps its records.
    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// A folder that no other case has.
    pub(crate) fn fresh(&mut self) -> anyhow::Result<PathBuf> {
        ensure_not_stopped()?;
        self.fresh_count += 1;
        let path = self.path().join(format!("case-{}", self.fresh_count));
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// Writes a file of the class, and says where.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> anyhow::Result<PathBuf> {
        let path = self.path().join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// The program with arguments, in the folder and with its store there.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        self.here(&mut command);
        command
    }

    /// A line of the shell, in which `$IOTRIAL` is the program.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("bash");
        command.arg("-c").arg(line).env("IOTRIAL", &self.program);
        self.here(&mut command);
        command
    }

    fn here(&self, command: &mut Command) {
        command.current_dir(self.path()).env("IOTRIAL_STORE", self.store()).env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::null());
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<Ran> {
        self.end(self.command(arguments))
    }

    /// Runs a command to its end. Its output goes into files: a pipe that nobody empties would make it wait, and whatever it started
    /// could keep the pipe open.
    pub(crate) fn end(&self, mut command: Command) -> anyhow::Result<Ran> {
        let files = tempfile::tempdir_in(self.path())?;
        let (out, err) = (files.path().join("out"), files.path().join("err"));
        command.stdout(File::create(&out)?).stderr(File::create(&err)?);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let begun = Instant::now();
        let mut hung = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if let Err(stopped) = ensure_not_stopped() {
                child.kill()?;
                child.wait()?;
                return Err(stopped);
            }
            if begun.elapsed() > PATIENCE {
                hung = true;
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Ok(Ran { code: status.code(), status, stdout: fs::read(out)?, stderr: fs::read(err)?, hung })
    }

    /// Whether every case is tried.
    pub(crate) fn is_thorough(&self) -> bool {
        self.one_in == 1
    }

    /// Begins another kind of cases, of which the first is tried in any case.
    pub(crate) fn begin_kind(&mut self) {
        self.passed_over = 0;
    }

    /// Whether the next of many cases of one kind is tried.
    pub(crate) fn tries(&mut self) -> bool {
        let is_tried = self.passed_over == 0;
        self.passed_over = (self.passed_over + 1) % self.one_in;
        is_tried
    }

    /// Counts a case. `wrong` says what was seen where it failed.
    pub(crate) fn case(&mut self, name: impl std::fmt::Display, wrong: Option<String>) {
        self.tally.cases += 1;
        if let Some(wrong) = wrong {
            self.tally.failed.push(format!("{name}: {wrong}"));
        }
    }

    /// Notes what this host cannot try.
    pub(crate) fn skip(&mut self, what: impl std::fmt::Display) {
        self.tally.skipped.push(what.to_string());
    }
}

/// Whether this is root, who alone may make devices and mount them.
pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

/// A loop device over a sparse file; detached when it is dropped, whatever becomes of its case.
pub(crate) struct Loop {
    path: PathBuf,
}

impl Loop {
    /// Over a new file of that many MiB in a folder; an error where this host has no loop devices.
    pub(crate) fn new(folder: &Path, mib: u64) -> anyhow::Result<Self> {
        let image = tempfile::Builder::new().suffix(".img").tempfile_in(folder)?;
        image.as_file().set_len(mib << 20)?;
        // It stays as long as the folder of its class.
        let (_, image) = image.keep()?;
        Self::over(&image)
    }

    /// Over a file.
    pub(crate) fn over(image: &Path) -> anyhow::Result<Self> {
        let shown = Command::new("losetup").args(["--find", "--show"]).arg(image).output()?;
        anyhow::ensure!(shown.status.success(), "no loop device: {}", String::from_utf8_lossy(&shown.stderr));
        Ok(Self { path: PathBuf::from(String::from_utf8(shown.stdout)?.trim()) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.path).status();
    }
}

/// A file system that is mounted; unmounted when it is dropped. Declared after its device, it goes before it.
pub(crate) struct Mounted {
    path: PathBuf,
}

impl Mounted {
    /// `mount` with arguments, the last of which is the folder.
    pub(crate) fn new(arguments: &[&str], folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)?;
        let mounted = Command::new("mount").args(arguments).arg(folder).output()?;
        anyhow::ensure!(
            mounted.status.success(),
            "cannot mount: {}",
            String::from_utf8_lossy(&mounted.stderr)
        );
        Ok(Self { path: folder.to_owned() })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.path).status();
    }
}
