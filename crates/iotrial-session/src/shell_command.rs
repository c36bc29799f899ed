//! A command of the user, as the shell of the system takes it.

use std::process::Command;

/// The command, to be run by the shell.
#[cfg(unix)]
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// The command, to be run by the shell.
#[cfg(windows)]
pub(crate) fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut shell = Command::new("cmd");
    // `cmd` has rules of its own for quotes; it gets the command as it was written.
    shell.arg("/C").raw_arg(command);
    shell
}
