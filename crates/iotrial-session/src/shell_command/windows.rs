//! Commands of the shell on Windows.

use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command};

/// The command, to be run by the shell.
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    // `cmd` has rules of its own for quotes; it gets the command as it was written.
    shell.arg("/C").raw_arg(command);
    shell
}

/// Nothing: ending a command ends the command alone.
pub(super) fn apart(_: &mut Command) {}

/// Ends the command: Windows has no way to ask a program without a window.
pub(super) fn ask_to_end(child: &mut Child) {
    end(child);
}

/// Ends the command.
// Not what it started: that takes a job object, which the standard library has no way to make.
pub(super) fn end(child: &mut Child) {
    // It may have ended by itself just now.
    let _ = child.kill();
}

/// Whether the command waits for the terminal. Here its standard input is all that it can ask, and that is closed.
pub(super) fn is_asking(_: &Child) -> bool {
    false
}
