//! Commands whose output is a metric of an application: run when the load is over, one number each.
//!
//! Whatever goes wrong with one is said in the record. It never costs the run, which may have taken hours.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use iotrial_model::application::metric_value;
use iotrial_model::record::RunRecord;

use crate::observer::Observer;
use crate::shell_command::{Ended, shell, wait};

/// How long the output of a command that has ended is waited for at least.
const LEAST_WAIT: Duration = Duration::from_millis(20);
/// A command that has not answered by then is ended: a run must not wait for ever for a client that waits for a password.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);
/// A number is shorter.
const MOST_OUTPUT: u64 = 4_096;

/// Runs each command in `folder`, and adds what it printed to the record, or why there is no number.
pub(crate) fn measure_metrics(
    record: &mut RunRecord,
    commands: &[(String, String)],
    folder: &Path,
    timeout: Duration,
    observer: &dyn Observer,
) {
    for (name, command) in commands {
        match number_of(command, record, folder, timeout) {
            Ok(number) => _ = record.metrics.insert(name.clone(), number),
            Err(why) => {
                let failure = format!("{name}: {why}");
                observer.warn(&format!("warning: no metric {failure}"));
                record.metric_failures.push(failure);
            }
        }
    }
}

fn number_of(command: &str, record: &RunRecord, folder: &Path, timeout: Duration) -> Result<f64, String> {
    let mut shell = shell(command);
    // The folder of a bare name is empty, which no program can be started in.
    if !folder.as_os_str().is_empty() {
        shell.current_dir(folder);
    }
    // By the environment and never in the text, where a label with a quote in it would become a command.
    shell
        .env("IOTRIAL_RECORD", &record.id)
        .env("IOTRIAL_LABEL", record.label.as_deref().unwrap_or_default())
        .env("IOTRIAL_MEASURED_S", record.measured_duration().as_secs_f64().to_string());
    run(shell, command, timeout)
}

/// Runs it, and reads the number that it prints.
fn run(mut shell: Command, command: &str, timeout: Duration) -> Result<f64, String> {
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = shell.spawn().map_err(|error| format!("cannot start `{command}`: {error}"))?;
    let output = read_output(&mut child);
    let began = Instant::now();
    let ended = wait(&mut child, || began.elapsed() >= timeout);
    let status = match ended.map_err(|error| format!("cannot wait for `{command}`: {error}"))? {
        Ok(status) => status,
        Err(Ended::Stopped) => return Err(format!("`{command}` did not end within {} s", timeout.as_secs())),
        Err(Ended::Asking) => return Err(Ended::asking(command)),
    };
    if !status.success() {
        return Err(format!("`{command}` ended with {status}"));
    }
    // A child of the command may hold its output open; what the command itself printed is there by now.
    let left = timeout.saturating_sub(began.elapsed()).max(LEAST_WAIT);
    let text = output.recv_timeout(left).map_err(|_| format!("`{command}` did not close its output"))?;
    metric_value(&text).map_err(|error| format!("`{command}` printed no number: {error}"))
}

/// Its standard output, as far as a number reaches. In a thread of its own: a pipe has no read that gives up.
fn read_output(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut output) = child.stdout.take() {
        // Without a thread the sender is gone, and the command is said not to have closed its output.
        let _ = std::thread::Builder::new().spawn(move || {
            let mut text = Vec::new();
            // What cannot be read is no number, and is said as that.
            let _ = output.by_ref().take(MOST_OUTPUT).read_to_end(&mut text);
            // The rest is read and dropped: a command whose output nobody reads ends by a signal, and that would be told instead.
            let _ = io::copy(&mut output, &mut io::sink());
            // Nobody listens any more where the command took too long.
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
        });
    }
    receiver
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn child_of(command: &str, timeout: Duration) -> Result<f64, String> {
        run(shell(command), command, timeout)
    }

    #[test]
    fn a_command_prints_one_number_or_the_reason_is_told() {
        let number = |command: &str| child_of(command, TIMEOUT);
        assert_eq!(number("echo ' 1234.5 '"), Ok(1_234.5));
        let fails = |command: &str, part: &str| {
            let error = number(command).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        fails("echo many", "printed no number: `many` is not a number of zero or more");
        fails("echo NaN", "is not a number of zero or more");
        fails("true", "printed no number");
        fails("echo 5; exit 3", "ended with exit status: 3");
        fails("yes 1 | head -c 1000000", "printed no number");
    }

    #[test]
    fn a_command_that_does_not_end_is_ended() {
        // It waits for what never comes; nothing here depends on how long anything takes.
        let error = child_of("exec cat /dev/zero > /dev/null", Duration::ZERO).unwrap_err();
        assert!(error.ends_with("did not end within 0 s"), "{error}");
    }
}
