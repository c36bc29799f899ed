//! The priority of the threads of a load (`sched(7)`, «The autogroup feature», and `setpriority(2)`).
//!
//! A nice value only counts among the threads of one autogroup, which is a login session, so the autogroup has to be raised as well. Its nice value is
//! that of everything in the session, and stays when the process ends. A session of its own for the load would leave the others alone, but a process
//! in it has no terminal any more: Ctrl-C would not reach it. So the session's value is raised only while a load runs, and put back.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use iotrial_model::priority::{GrantedPriority, Priority};
use rustix::process::{getpriority_process, setpriority_process};

/// The nice value of a high priority.
// A choice: nine times the CPU time of another program (weights of sched_setattr(2)'s nice levels), and not the most there is, which left commits beside
// reads waiting in some rounds on a busy host of two CPUs.
const HIGH: i32 = -10;
/// Whether the kernel makes an autogroup of each session.
const ENABLED: &str = "/proc/sys/kernel/sched_autogroup_enabled";
/// The autogroup of this process with its nice value: `/autogroup-25 nice 0`.
const AUTOGROUP: &str = "/proc/self/autogroup";
/// Without CAP_SYS_ADMIN the kernel takes a nice value of an autogroup only so often, on the whole host (`proc_sched_autogroup_set_nice`).
const AUTOGROUP_PAUSE: Duration = Duration::from_millis(100);
/// So often it is tried again before somebody else is taken to write there all the time.
const MOST_TRIES: u32 = 5;

/// Why the priority could not be raised.
#[derive(Debug, thiserror::Error)]
pub enum PriorityError {
    /// The threads may not have it.
    #[error("cannot raise the priority of the load to nice {nice}")]
    Nice {
        /// The value that was asked for.
        nice: i32,
        /// What the operating system says.
        source: io::Error,
    },
    /// The autogroup may not, so that a nice value would hardly count.
    #[error("cannot raise the priority of the session to nice {nice}: `{AUTOGROUP}`")]
    Autogroup {
        /// The value that was asked for.
        nice: i32,
        /// What the operating system says.
        source: io::Error,
    },
}

impl PriorityError {
    /// What the reader can do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Nice { .. } => {
                "leave --priority out, or run as root, with CAP_SYS_NICE, or with RLIMIT_NICE of 30 (`ulimit -e 30`)"
            }
            Self::Autogroup { .. } => {
                "leave --priority out, or mount /proc so that this process can write there"
            }
        }
    }
}

/// A priority that is put back when this is dropped. Threads that are made meanwhile by the one that made it have it too.
#[derive(Debug)]
pub struct RaisedPriority {
    granted: Option<GrantedPriority>,
    /// The nice value before; `None` where it was as low.
    nice_before: Option<i32>,
    /// The same of the autogroup.
    autogroup_before: Option<i32>,
}

impl RaisedPriority {
    /// Raises the calling thread and its autogroup where a high priority is asked for. What is as high already stays as it is.
    ///
    /// # Errors
    ///
    /// Without the right to do so; then everything is as it was.
    pub fn new(priority: Priority) -> Result<Self, PriorityError> {
        let mut raised = Self { granted: None, nice_before: None, autogroup_before: None };
        if priority.is_normal() {
            return Ok(raised);
        }
        let of_nice = |source: rustix::io::Errno| PriorityError::Nice { nice: HIGH, source: source.into() };
        // On Linux that of the calling thread alone.
        let before = getpriority_process(None).map_err(of_nice)?;
        if before > HIGH {
            setpriority_process(None, HIGH).map_err(of_nice)?;
            raised.nice_before = Some(before);
        }
        if let Some(before) = autogroup_nice().filter(|nice| *nice > HIGH) {
            set_autogroup_nice(HIGH).map_err(|source| PriorityError::Autogroup { nice: HIGH, source })?;
            raised.autogroup_before = Some(before);
        }
        let nice = getpriority_process(None).map_err(of_nice)?;
        raised.granted = Some(GrantedPriority { nice, autogroup_nice: autogroup_nice() });
        Ok(raised)
    }

    /// What it is now; `None` where nothing was asked for.
    pub const fn granted(&self) -> Option<GrantedPriority> {
        self.granted
    }
}

impl Drop for RaisedPriority {
    fn drop(&mut self) {
        // Nobody can be told here, and a lower priority is always granted.
        if let Some(before) = self.nice_before {
            let _ = setpriority_process(None, before);
        }
        // What somebody else has set meanwhile stays.
        if let Some(before) = self.autogroup_before.filter(|_| autogroup_nice() == Some(HIGH)) {
            let _ = set_autogroup_nice(before);
        }
    }
}

/// Whether a load could have that priority: it is raised and put back at once.
///
/// # Errors
///
/// As for the load.
pub fn check_priority(priority: Priority) -> Result<(), PriorityError> {
    RaisedPriority::new(priority).map(drop)
}

/// The nice value of the autogroup of this process; `None` where the kernel makes none.
fn autogroup_nice() -> Option<i32> {
    let is_enabled = fs::read_to_string(ENABLED).is_ok_and(|text| text.trim() == "1");
    nice_of(&fs::read_to_string(AUTOGROUP).ok()?).filter(|_| is_enabled)
}

/// Of `/autogroup-25 nice 0`.
fn nice_of(text: &str) -> Option<i32> {
    text.trim().rsplit_once("nice ")?.1.parse().ok()
}

fn set_autogroup_nice(nice: i32) -> io::Result<()> {
    // Opened without being created: where it is missing there are no autogroups.
    let mut file = OpenOptions::new().write(true).open(Path::new(AUTOGROUP))?;
    let mut tries = 1;
    loop {
        match file.write_all(nice.to_string().as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && tries < MOST_TRIES => {
                tries += 1;
                thread::sleep(AUTOGROUP_PAUSE);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nice_value_of_an_autogroup_is_the_number_behind_the_word() {
        assert_eq!(nice_of("/autogroup-25 nice -20\n"), Some(-20));
        assert_eq!(
            (nice_of("/autogroup-1 nice 0"), nice_of("/autogroup-1"), nice_of("")),
            (Some(0), None, None)
        );
    }

    #[test]
    fn a_priority_is_put_back_and_a_refused_one_changes_nothing() {
        let state = || (getpriority_process(None).unwrap(), autogroup_nice());
        let before = state();
        assert_eq!(RaisedPriority::new(Priority::Normal).unwrap().granted(), None);
        match RaisedPriority::new(Priority::High) {
            Ok(raised) => {
                let granted = raised.granted().unwrap();
                assert_eq!((granted.nice, granted.autogroup_nice.is_some()), (HIGH, before.1.is_some()));
                assert_eq!(state().0, HIGH);
            }
            Err(error) => eprintln!("skipped: {error}"),
        }
        assert_eq!(state().0, before.0);
    }
}
