//! What the exit codes of iotrial say to whoever starts it: the one place where the tasks decide whether a command did what was asked.

use std::process::ExitStatus;

/// Of a verdict or gate that is inconclusive.
pub(crate) const INCONCLUSIVE: i32 = 4;

/// The exit codes (README, `docs/ci.md`), and whether the command did what was asked. 1 and 4 are answers: a slow disk or a short run gives
/// them, and neither says anything about the program.
const EXIT_CODES: [(i32, &str, bool); 6] = [
    (0, "qualified, or done", true),
    (1, "not qualified, or a gate failed", true),
    (2, "wrong options or input", false),
    (3, "failed", false),
    (INCONCLUSIVE, "inconclusive", true),
    (130, "stopped before it began", false),
];

/// Whether iotrial did what was asked, whatever it found. A signal, a panic and an unknown exit code say no.
pub(crate) fn carried_out(status: ExitStatus) -> bool {
    EXIT_CODES.iter().any(|(code, _, is_carried_out)| *is_carried_out && status.code() == Some(*code))
}

/// How a program ended that did not do what was asked: its exit code and the last line that it wrote to standard error.
pub(crate) fn how_it_ended(status: ExitStatus, stderr: &[u8]) -> String {
    let meaning = EXIT_CODES.iter().find(|(code, ..)| status.code() == Some(*code));
    let code = match (status.code(), meaning) {
        (Some(code), Some((_, meaning, false))) => format!("exit code {code} ({meaning})"),
        (Some(code), _) => format!("exit code {code}"),
        (None, _) => status.to_string(),
    };
    let stderr = String::from_utf8_lossy(stderr);
    match stderr.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("{code}, last line on stderr: {}", line.trim()),
        None => format!("{code}, nothing on stderr"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn exit(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    #[test]
    fn an_answer_is_carried_out_and_an_error_a_panic_or_a_signal_is_not() {
        let codes: Vec<i32> = (0..256).filter(|code| carried_out(exit(*code))).collect();
        assert_eq!(codes, [0, 1, 4]);
        assert!(!carried_out(ExitStatus::from_raw(9)), "killed");
    }

    #[test]
    fn a_failure_names_the_exit_code_or_signal_and_the_last_line() {
        let stderr = b"warning: one\nerror: no such disk\n\n";
        assert_eq!(
            how_it_ended(exit(3), stderr),
            "exit code 3 (failed), last line on stderr: error: no such disk"
        );
        assert_eq!(how_it_ended(exit(101), b"\n"), "exit code 101, nothing on stderr");
        assert!(how_it_ended(ExitStatus::from_raw(9), b"").contains("signal: 9"));
    }
}
