//! The two programs of a benchmark, and the folders that they work in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::options::{Options, T_IO_URING};
use super::watched::{SELDOM, Watched};
use crate::workspace::{build_folder, find_program};

/// What a row needs to measure.
pub(crate) struct Bench {
    pub(crate) options: Options,
    /// The workspace.
    pub(crate) root: PathBuf,
    /// Below the build's folder: profiles, job files, records, and the files under load.
    pub(crate) folder: PathBuf,
    program: PathBuf,
    /// The version of fio; `None` where it is not installed, or is not to run.
    pub(crate) fio_version: Option<String>,
    /// fio's `t/io_uring`; `None` where it is not there, or is not to run.
    pub(crate) t_io_uring: Option<PathBuf>,
}

/// The profile of Cargo that programs are measured in: the one that is packed.
const PROFILE: &str = "dist";

impl Bench {
    /// Builds iotrial, unless a program was given, and makes the folders.
    ///
    /// # Errors
    ///
    /// When iotrial does not build, or the folders cannot be made.
    pub(crate) fn prepare(options: Options, root: &Path) -> anyhow::Result<Self> {
        let build = build_folder(root);
        let program = match &options.program {
            Some(program) => program
                .canonicalize()
                .with_context(|| format!("there is no program `{}`", program.display()))?,
            None => {
                let built =
                    cargo(root).args(["build", "--profile", PROFILE, "--package", "iotrial"]).status()?;
                ensure!(built.success(), "iotrial does not build");
                build.join(PROFILE).join(format!("iotrial{}", std::env::consts::EXE_SUFFIX))
            }
        };
        let folder = build.join("bench");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let fio = || Command::new("fio").arg("--version").output().ok().filter(|one| one.status.success());
        let fio = if options.alone { None } else { fio() };
        let fio_version = fio.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let t_io_uring = options.t_io_uring.clone().or_else(|| find_program(T_IO_URING));
        let t_io_uring = t_io_uring.filter(|_| !options.alone);
        Ok(Self { options, root: root.to_owned(), folder, program, fio_version, t_io_uring })
    }

    /// `cargo bench` of a target that is a program of its own. It is built as the packed program is; to see that it works, as tests are.
    pub(crate) fn bench_target(
        &self,
        package: &str,
        target: &str,
        arguments: &[&str],
    ) -> anyhow::Result<Value> {
        let profile = self.options.of_size(PROFILE, "dev");
        let mut command = cargo(&self.root);
        // Of the whole workspace, whose dependencies have been built: those of one package may have other features.
        command.args(["bench", "--profile", profile, "--workspace", "--bench", target, "--"]);
        command.args(arguments).args(self.options.smallest.then_some("--smallest"));
        let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
        // What it wrote to standard error has been shown.
        ensure!(
            output.status.success(),
            "the bench target `{target}` of {package} failed: {}",
            output.status
        );
        serde_json::from_slice(&output.stdout).with_context(|| format!("`{target}` wrote no JSON"))
    }

    /// fio's `t/io_uring` with the reads of a plan's only job for so many seconds: from the page cache, with registered files and buffers, and
    /// without latencies, as is usual where it is quoted.
    ///
    /// # Errors
    ///
    /// When it is not there, or the plan is not as it is known here.
    pub(crate) fn t_io_uring(&self, plan: &Value, seconds: u64) -> anyhow::Result<Command> {
        let path = plan["areas"][0]["path"].as_str().context("an area has no path")?;
        let (depth, block) = (&plan["jobs"][0]["iodepth"], &plan["jobs"][0]["block_size_bytes"]);
        let mut command = Command::new(self.t_io_uring.as_ref().context("there is no t/io_uring")?);
        command.args(["-p0", "-O0", "-n1", "-t0"]).arg(format!("-b{block}")).arg(format!("-r{seconds}"));
        command.args(["d", "s", "c"].map(|option| format!("-{option}{depth}"))).arg(path);
        Ok(command)
    }

    /// The folder of the files under load.
    pub(crate) fn target(&self) -> PathBuf {
        self.options.target.clone().unwrap_or_else(|| self.folder.join("data"))
    }

    /// Writes a profile and gives its path.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(crate) fn write_profile(&self, text: &str) -> anyhow::Result<String> {
        self.write("bench.toml", text)
    }

    /// Writes a job of fio and gives the word by which `iotrial run` takes it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(crate) fn write_fio_job(&self, text: &str) -> anyhow::Result<String> {
        Ok(format!("--fio-job={}", self.write("bench.fio", text)?))
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<String> {
        let path = self.folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path.display().to_string())
    }

    /// `iotrial run` of a profile or of a job of fio as it is, without a search for its highest rate, with JSON on standard output and nothing
    /// elsewhere.
    pub(crate) fn iotrial(&self, load: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["run", load, "--closed", "--json", "--quiet"]).args(arguments);
        command.arg("--target").arg(self.target()).arg("--store").arg(self.store());
        command
    }

    /// `iotrial verify` of a profile in the same way.
    pub(crate) fn verify(&self, profile: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["verify", profile, "--json", "--quiet"]).args(arguments);
        command.arg("--target").arg(self.target()).arg("--store").arg(self.store());
        command
    }

    /// `iotrial compare` of all records in a folder, with JSON on standard output.
    pub(crate) fn compare(&self, records: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["compare", "--json"]).arg(records);
        command
    }

    /// `iotrial import` of all results in a folder into another, with JSON on standard output.
    pub(crate) fn import(&self, results: &Path, records: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["import", "--json", "--quiet", "--output"]).args([records, results]);
        command
    }

    /// `iotrial awr` of all reports in a folder, with JSON on standard output.
    pub(crate) fn awr(&self, reports: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["awr", "--json"]).arg(reports);
        command
    }

    /// `iotrial watch` of a file of counters, with JSON on standard output.
    pub(crate) fn watch_file(&self, file: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["watch", "--json"]).arg(file);
        command
    }

    /// `iotrial size`, with JSON on standard output where the arguments say so.
    pub(crate) fn sizing(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--store").arg(self.store());
        command
    }

    /// The plan of such a run.
    ///
    /// # Errors
    ///
    /// When it is refused.
    pub(crate) fn plan(&self, load: &str, arguments: &[&str]) -> anyhow::Result<Value> {
        let command = &mut self.iotrial(load, arguments);
        Ok(Watched::iotrial(command.arg("--dry-run"), SELDOM)?.document)
    }

    /// fio with these jobs, with JSON on standard output.
    ///
    /// # Errors
    ///
    /// When the job file cannot be written.
    pub(crate) fn fio(&self, jobs: &str) -> anyhow::Result<Command> {
        let mut command = Command::new("fio");
        command.arg("--output-format=json").arg(self.write("bench.fio", jobs)?);
        Ok(command)
    }

    /// Removes the records of the runs: their figures are in the table.
    pub(crate) fn forget_records(&self) {
        // What is not there need not be removed.
        let _ = fs::remove_dir_all(self.store());
    }

    fn store(&self) -> PathBuf {
        self.folder.join("store")
    }
}

/// cargo, in the folder of the workspace.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// `10` seconds as both tools and their users write them.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{}s", duration.as_secs())
}

/// The files of a plan, removed when the row that uses them is over.
pub(crate) struct LaidFiles(Vec<PathBuf>);

impl LaidFiles {
    /// Those of all areas of a plan that are files.
    pub(crate) fn of(plan: &Value) -> Self {
        let areas = plan["areas"].as_array().into_iter().flatten();
        let files =
            areas.filter(|area| area["kind"] == "managed-file").filter_map(|area| area["path"].as_str());
        Self(files.map(PathBuf::from).collect())
    }

    /// Brings all of them into the page cache.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
    pub(crate) fn warm(&self) -> anyhow::Result<()> {
        for path in &self.0 {
            let read =
                fs::File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
            read.with_context(|| format!("cannot read `{}`", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for LaidFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            // A file that cannot be removed is found by `iotrial clean`.
            let _ = fs::remove_file(path);
        }
    }
}
