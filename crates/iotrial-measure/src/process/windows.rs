//! What Windows does to a process at its end: Ctrl-C and Ctrl-Break, a console that is closed, a user who logs off, a system that is
//! shut down.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{FALSE, INVALID_HANDLE_VALUE, TRUE};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle,
    STD_ERROR_HANDLE, STD_HANDLE, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler, SetConsoleMode,
};
use windows_sys::core::BOOL;

/// What is done when somebody wants the program to end.
static PULL: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has `pull` called whenever somebody wants the program to end: Ctrl-C, Ctrl-Break, the window closed, logging off, shutting down. May
/// be asked for once in the life of a process.
///
/// After the last three Windows ends the process as soon as it is told that they were dealt with, and after about five seconds in any
/// case. So it is not told, and those seconds are there to drain what is in flight and to write the record; the process ends by itself.
/// Ctrl-C is passed over where whoever started the process asked for that (`start /b`), which Windows sees to.
///
/// # Errors
///
/// When Windows takes no handler, or there is one.
pub fn catch_stop_requests(pull: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    if PULL.set(Box::new(pull)).is_err() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    #[expect(unsafe_code, reason = "no handler of consoles is in std")]
    // SAFETY: the handler is a function that is there as long as the program.
    let is_set = unsafe { SetConsoleCtrlHandler(Some(answer), TRUE) };
    if is_set == FALSE { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Windows calls it in a thread of its own for each request.
extern "system" fn answer(event: u32) -> BOOL {
    if let Some(pull) = PULL.get() {
        pull();
    }
    if ends_when_answered(event) {
        loop {
            std::thread::park();
        }
    }
    TRUE
}

/// Whether Windows ends the process when the handler returns, whatever it returns.
const fn ends_when_answered(event: u32) -> bool {
    !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT)
}

/// Does nothing: no file is limited.
pub fn survive_file_size_limit() {}

/// Whether the terminal of standard output and error takes escape sequences. Consoles since Windows 10 do when they are asked to, and
/// show them as text otherwise; older ones never do.
pub fn terminal_takes_escapes() -> bool {
    // Each has a handle, and the other one may be a file.
    [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE].into_iter().all(takes_escapes)
}

/// Whether one of them takes escape sequences, where it is a console.
fn takes_escapes(which: STD_HANDLE) -> bool {
    #[expect(unsafe_code, reason = "the mode of a console is not in std")]
    // SAFETY: it only looks the handle up.
    let handle = unsafe { GetStdHandle(which) };
    // One that is not there shows nothing.
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return true;
    }
    let mut mode = 0;
    #[expect(unsafe_code, reason = "the mode of a console is not in std")]
    // SAFETY: the handle is that of a standard stream, which stays open, and the number outlives the call.
    let is_console = unsafe { GetConsoleMode(handle, &raw mut mode) } != FALSE;
    // A terminal that is no console is one of Cygwin or MSYS (mintty), which understands them.
    if !is_console || mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
        return true;
    }
    #[expect(unsafe_code, reason = "the mode of a console is not in std")]
    // SAFETY: as above.
    let is_taken = unsafe { SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) };
    is_taken != FALSE
}

/// Says a line, and ends the process.
pub(super) fn end_without_memory(message: &str, exit_code: i32) -> ! {
    // Standard error has no buffer, so that nothing is allocated.
    let _ = std::io::stderr().write_all(message.as_bytes());
    std::process::exit(exit_code)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    use windows_sys::Win32::System::Console::{CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT};

    use super::*;

    #[test]
    fn each_request_pulls_and_those_after_which_windows_ends_the_process_are_never_answered() {
        let (told, pulls) = mpsc::channel();
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        catch_stop_requests(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = told.send(());
        })
        .unwrap();
        assert_eq!((answer(CTRL_C_EVENT), answer(CTRL_BREAK_EVENT)), (TRUE, TRUE));
        for event in [CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT] {
            // It stays in the handler until the process ends.
            let answered = std::thread::spawn(move || answer(event));
            assert!(ends_when_answered(event) && !answered.is_finished());
        }
        for _ in 0..5 {
            pulls.recv().unwrap();
        }
        assert_eq!(count.load(Ordering::Relaxed), 5);
        assert!(catch_stop_requests(|| ()).is_err(), "a second handler");
    }

    #[test]
    fn what_is_no_console_is_left_alone() {
        // In a test standard output is a file or a pipe, whatever the answer is; it must not fail.
        let _ = terminal_takes_escapes();
    }
}
