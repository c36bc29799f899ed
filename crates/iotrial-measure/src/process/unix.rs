//! The limits and signals of Unix.

use std::io;

/// Signals that end a process, and that whoever starts it may have it ignore: `nohup` the first, a shell without job control the second
/// in what it puts into the background.
const STOPPING: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

/// Has `pull` called at every SIGINT, SIGTERM and SIGHUP, and at the end of the CPU time. Signals that the process was started to ignore
/// stay ignored. May be asked for once in the life of a process.
///
/// # Errors
///
/// When the system takes no handler, or there is one.
pub fn catch_stop_requests(pull: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    // Before the handler is set, which would end a run that `nohup` protects, or that a script put into the background.
    let ignored = IgnoredSignals::now();
    ctrlc::set_handler(pull).map_err(io::Error::other)?;
    ignored.ignore_again();
    stop_at_cpu_time_limit();
    Ok(())
}

/// Those of the signals that stop a run which the process ignored when it was asked.
#[derive(Debug)]
struct IgnoredSignals(Vec<libc::c_int>);

impl IgnoredSignals {
    /// Those that are ignored now; before any handler is set.
    fn now() -> Self {
        let is_ignored = |signal: &libc::c_int| {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
            #[expect(unsafe_code, reason = "no safe crate asks for the action of a signal")]
            // SAFETY: without a new action nothing is changed; the kernel fills the old one when the call succeeds, and only then it
            // is read.
            unsafe {
                libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) == 0
                    && action.assume_init().sa_sigaction == libc::SIG_IGN
            }
        };
        Self(STOPPING.into_iter().filter(is_ignored).collect())
    }

    /// Has them ignored again, whatever handler was set since.
    fn ignore_again(&self) {
        for signal in &self.0 {
            #[expect(unsafe_code, reason = "no safe crate ignores a signal")]
            // SAFETY: ignoring a signal runs no code of ours.
            unsafe {
                libc::signal(*signal, libc::SIG_IGN);
            }
        }
    }
}

/// From now on a write beyond the largest size that a file may have (`ulimit -f`) is an error like any other, instead of the end of the
/// process.
pub fn survive_file_size_limit() {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    #[expect(unsafe_code, reason = "no safe crate sets a handler of this signal")]
    // A handler that does nothing, and not that the signal is ignored: programs that are started inherit the latter.
    // SAFETY: the handler touches nothing, so that it may run at any moment, in any thread.
    unsafe {
        libc::signal(libc::SIGXFSZ, handler as *const () as libc::sighandler_t);
    }
}

/// From now on the end of the CPU time that the process may have (`ulimit -t`) is a SIGTERM, for which a handler may be set, instead of the end
/// of the process.
fn stop_at_cpu_time_limit() {
    extern "C" fn terminate(_: libc::c_int) {
        static IS_TOLD: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        // The kernel says it once a second from then on, and a second signal would end the run without its record.
        if !IS_TOLD.swap(true, std::sync::atomic::Ordering::Relaxed) {
            #[expect(unsafe_code, reason = "the safe ways may not be called here")]
            // SAFETY: a signal handler may call both.
            unsafe {
                libc::kill(libc::getpid(), libc::SIGTERM);
            }
        }
    }
    let handler: extern "C" fn(libc::c_int) = terminate;
    #[expect(unsafe_code, reason = "no safe crate sets a handler of this signal")]
    // SAFETY: the handler changes a flag and sends a signal, which it may at any moment, in any thread.
    unsafe {
        libc::signal(libc::SIGXCPU, handler as *const () as libc::sighandler_t);
    }
}

/// Whether standard output, which is a terminal, takes escape sequences: all of Unix do, but those that say otherwise in `TERM`.
pub const fn terminal_takes_escapes() -> bool {
    true
}

/// Says a line without any memory, and ends the process.
pub(super) fn end_without_memory(message: &str, exit_code: i32) -> ! {
    #[expect(unsafe_code, reason = "the safe ways allocate, or run destructors that do")]
    // SAFETY: the bytes are those of a string that lives; `_exit` runs nothing.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(exit_code)
    }
}
