//! A command of the user, as the shell of the system takes it, with all that it starts.

#[cfg(unix)]
#[path = "shell_command/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "shell_command/windows.rs"]
mod os;

use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often a command that runs is looked at: a second stop should end it at once, and there is no wait for either of two things
/// that the standard library has.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// At every how many looks it is asked whether the command waits for somebody, which looks at all processes of the host.
const ASKED_AT: u32 = 25;

/// The command, to be run by the shell.
pub(crate) fn shell(command: &str) -> Command {
    os::shell(command)
}

/// A program with its arguments, which no shell looks at; like a command of the shell with all that it starts.
pub(crate) fn program(words: &[OsString]) -> Command {
    let (name, arguments) = words.split_first().expect("a command has a first word");
    let mut program = Command::new(name);
    program.args(arguments);
    os::apart(&mut program);
    program
}

/// Asks it to end, with all that it started. It may take its time, or not do so.
pub(crate) fn ask_to_end(child: &mut Child) {
    os::ask_to_end(child);
}

/// Ends it with all that it started.
pub(crate) fn end(child: &mut Child) {
    os::end(child);
}

/// Why a command was ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// There was enough of it.
    Stopped,
    /// It waited for somebody at the terminal.
    Asking,
}

impl Ended {
    /// What is said of a command that waited for somebody.
    pub(crate) fn asking(command: &str) -> String {
        format!(
            "`{command}` was stopped, probably because it asks a question at the terminal, where nobody can answer: give the answer in another way, for example with `sudo --non-interactive`"
        )
    }
}

/// Waits for the command, until `is_enough`: then it is ended with all that it started.
///
/// # Errors
///
/// When it cannot be waited for.
pub(crate) fn wait(
    child: &mut Child,
    is_enough: impl Fn() -> bool,
) -> std::io::Result<Result<ExitStatus, Ended>> {
    let mut looks = 0_u32;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        looks = looks.wrapping_add(1);
        let ended = if is_enough() {
            Some(Ended::Stopped)
        } else if looks.is_multiple_of(ASKED_AT) && os::is_asking(child) {
            Some(Ended::Asking)
        } else {
            None
        };
        if let Some(ended) = ended {
            os::end(child);
            child.wait()?;
            return Ok(Err(ended));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_waits_at_the_terminal_is_ended_and_one_that_ends_says_how() {
        // The terminal stops who asks from behind, which this does to itself.
        let mut asking =
            shell("(kill -STOP $(exec sh -c 'echo $PPID')); echo no one gets here").spawn().unwrap();
        assert_eq!(wait(&mut asking, || false).unwrap(), Err(Ended::Asking));
        let mut ending = shell("exit 3").spawn().unwrap();
        assert_eq!(wait(&mut ending, || false).unwrap().unwrap().code(), Some(3));
    }

    #[test]
    fn what_a_command_started_ends_with_it() {
        let mut waiting = shell("(echo begun; exec cat /dev/zero > /dev/null) & wait");
        let mut child = waiting.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        assert_eq!(line, "begun\n");
        assert_eq!(wait(&mut child, || true).unwrap(), Err(Ended::Stopped));
        // A pipe ends when nobody holds it any more.
        assert_eq!(std::io::Read::read(&mut output, &mut [0]).unwrap(), 0);
    }
}
