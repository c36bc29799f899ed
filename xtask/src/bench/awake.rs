//! CPUs that do not sleep while something is measured.
//!
//! A CPU that has nothing to do sleeps, and one of a virtual machine is taken off its core meanwhile: what an I/O then takes
//! includes the waking. A tool that needs less CPU lets them sleep more, and so looks slower on the same disk.

use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

/// Ends with the process whose number is its argument, and looks for that now and then.
const LOOP: &str =
    "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; done";

/// As many loops as there are CPUs for this process, of the lowest priority there is (`SCHED_IDLE`), until it is dropped. Whatever else wants to run
/// takes the CPU from it at once.
pub(crate) struct Awake(Vec<Child>);

impl Awake {
    /// # Errors
    ///
    /// When `chrt` of util-linux is not there.
    pub(crate) fn all() -> anyhow::Result<Self> {
        let cpu_count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut awake = Self(Vec::new());
        for _ in 0..cpu_count {
            let mut command = Command::new("chrt");
            command.args(["--idle", "0", "sh", "-c", LOOP]).arg(std::process::id().to_string());
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
            awake.0.push(child.context("cannot run `chrt`, which keeps the CPUs awake")?);
        }
        Ok(awake)
    }

    /// Whether all loops still run.
    pub(crate) fn lasts(&mut self) -> bool {
        self.0.iter_mut().all(|child| child.try_wait().is_ok_and(|ended| ended.is_none()))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended needs no end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
