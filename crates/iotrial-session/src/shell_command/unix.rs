//! Commands of the shell on Unix: each in a process group of its own, with all that it starts.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

/// The command, to be run by the shell.
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    apart(&mut shell);
    shell
}

/// Puts a command into a group of its own.
pub(super) fn apart(command: &mut Command) {
    // A terminal sends Ctrl-C to the group in front, and would end the command at the first one, which iotrial waits for. And by its group
    // a command is ended with all that it started: ending the shell alone leaves its children.
    command.process_group(0);
}

/// Asks the command to end, with all that it started and that still runs.
pub(super) fn ask_to_end(child: &mut Child) {
    // Not SIGINT: shells start what they put into the background with that one ignored.
    let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
}

/// Ends the command with all that it started and that still runs.
pub(super) fn end(child: &mut Child) {
    // It may have ended by itself just now.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Whether something of the command is stopped, which is what the terminal does to those who talk to it from behind, such as `sudo` and
/// `ssh` whatever their standard input is. Nothing would let it go on: the group in front is iotrial's.
// It can be any process of the group: `sudo` stops itself alone, and the shell waits for it. Where there is no `/proc`, nobody is found.
pub(super) fn is_asking(child: &Child) -> bool {
    let is_stopped = |stat: &str| {
        // After the name, which may have anything in it: state, parent, group.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let state = fields.next();
        let group = fields.nth(1).and_then(|group| group.parse::<u32>().ok());
        state == Some("T") && group == Some(child.id())
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    stats.into_iter().any(|stat| is_stopped(&stat))
}
