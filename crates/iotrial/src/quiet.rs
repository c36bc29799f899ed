//! `--wait-for-quiet`: whether a load waits for other programs, and the key that ends the wait.

use std::process::ExitCode;
use std::time::Duration;

use iotrial_measure::control::Control;
use iotrial_model::units::parse_duration;
use iotrial_session::quiet::QuietWait;

use crate::failure::INTERRUPTED;
use crate::output::say;
use crate::signal::StopSignals;

/// How long a load waits at a terminal if nothing else is said.
const USUAL_WAIT: Duration = Duration::from_secs(60);

/// The value of `--wait-for-quiet`; `off` is zero. An error names both kinds of value.
pub fn parse_wait(text: &str) -> Result<Duration, String> {
    match text {
        "off" | "0" => Ok(Duration::ZERO),
        _ => parse_duration(text)
            .map_err(|error| format!("{error}; give a time such as `10m`, or `off`, which does not wait")),
    }
}

/// Has `work` done with the wait, or without one where it is switched off. Where nobody sits before a terminal, it has to be asked for.
pub fn with_wait<T>(given: Option<Duration>, work: impl FnOnce(Option<QuietWait<'_>>) -> T) -> T {
    let can_be_asked = os::has_keyboard();
    let at_most = given.unwrap_or(if can_be_asked { USUAL_WAIT } else { Duration::ZERO });
    let mut starts_now = os::enter_was_pressed;
    let wait = QuietWait { at_most, starts_now: can_be_asked.then_some(&mut starts_now) };
    work((!at_most.is_zero()).then_some(wait))
}

/// Has `wait` done before a load, unless it is switched off. Where the user stops it, nothing was begun: that is said, and the exit code is what
/// comes back.
pub fn wait_for_quiet(
    given: Option<Duration>,
    signals: &StopSignals,
    wait: impl FnOnce(QuietWait<'_>, &Control),
) -> Option<ExitCode> {
    let control = &signals.control;
    with_wait(given, |one| {
        if let Some(one) = one {
            wait(one, control);
        }
    });
    signals.begin();
    control.is_stopping().then(|| {
        say!("stopped before the load: nothing was written");
        say!("to start without a wait: --wait-for-quiet off");
        ExitCode::from(INTERRUPTED)
    })
}

#[cfg(unix)]
mod os {
    use std::io::{self, IsTerminal as _};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::tcgetpgrp;

    use crate::output::stderr_is_terminal;

    /// Whether somebody reads standard error and can answer.
    pub fn has_keyboard() -> bool {
        let stdin = io::stdin();
        // A job in the background would be stopped when it reads.
        stdin.is_terminal() && stderr_is_terminal() && tcgetpgrp(&stdin).is_ok_and(|group| group == getpgrp())
    }

    /// Whether a line was typed, or the end of the input; takes it.
    pub fn enter_was_pressed() -> bool {
        let stdin = io::stdin();
        let mut asked = [PollFd::new(&stdin, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_there = has_keyboard() && poll(&mut asked, Some(&at_once)).is_ok_and(|ready| ready > 0);
        // A terminal gives whole lines, so that this does not wait for the rest of one.
        is_there && stdin.read_line(&mut String::new()).is_ok()
    }
}

#[cfg(windows)]
mod os {
    /// Nobody is asked where nobody looks at what others do.
    pub fn has_keyboard() -> bool {
        false
    }

    pub fn enter_was_pressed() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_off_switch_the_wait_off_and_a_time_needs_its_unit() {
        assert_eq!(
            (parse_wait("off"), parse_wait("0"), parse_wait("0s")),
            (Ok(Duration::ZERO), Ok(Duration::ZERO), Ok(Duration::ZERO))
        );
        assert_eq!(parse_wait("90s"), Ok(Duration::from_secs(90)));
        for wrong in ["5", "always"] {
            assert!(parse_wait(wrong).is_err_and(|error| error.contains("`off`")), "{wrong}");
        }
    }
}
