//! `FlushFileBuffers` comes back when the flush is done, so other threads wait for it, and the port tells.

use std::io;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use windows_sys::Win32::System::IO::{OVERLAPPED, PostQueuedCompletionStatus};

use crate::queue::OpenArea;

/// The key of a packet about a flush; that of an I/O is 0. Its number of bytes is an error of the operating system, or 0.
pub(super) const FLUSHED: usize = 1;

/// As many flushes of one thread at once; more wait for one another, as on a device they would.
const MOST: u32 = 64;

/// The threads do nothing but one system call at a time.
const STACK_BYTES: usize = 128 * 1024;

/// An OVERLAPPED as a name for its slot; nobody here looks into it.
struct Place(*mut OVERLAPPED);

#[expect(unsafe_code, reason = "a pointer that nobody follows")]
// SAFETY: it is handed on to the port as it is.
unsafe impl Send for Place {}

/// Threads that flush files.
pub(super) struct Flushers {
    /// Dropping it ends the threads.
    asked: Option<Sender<(u32, Place)>>,
    threads: Vec<JoinHandle<()>>,
}

impl Flushers {
    /// As many threads as there can be flushes at once.
    pub(super) fn start(port: &Arc<OwnedHandle>, areas: &Arc<[OpenArea]>, flushing: u32) -> io::Result<Self> {
        let (asked, to_do) = mpsc::channel();
        let to_do = Arc::new(Mutex::new(to_do));
        let start = |_| {
            let (port, areas, to_do) = (Arc::clone(port), Arc::clone(areas), Arc::clone(&to_do));
            let thread = thread::Builder::new().name("iotrial-flush".to_owned()).stack_size(STACK_BYTES);
            thread.spawn(move || serve(&port, &areas, &to_do))
        };
        let threads = (0..flushing.min(MOST)).map(start).collect::<io::Result<_>>()?;
        Ok(Self { asked: Some(asked), threads })
    }

    /// Has an area flushed; the port tells with this OVERLAPPED when that is done.
    pub(super) fn flush(&self, area: u32, overlapped: *mut OVERLAPPED) -> io::Result<()> {
        let sent = self.asked.as_ref().map(|asked| asked.send((area, Place(overlapped))));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.threads.len()).unwrap_or(u32::MAX)
    }

    /// Ends the threads and waits for them: they hold the files, and nobody could remove one before. Only when no flush is under way.
    pub(super) fn end(mut self) {
        self.asked = None;
        for thread in self.threads.drain(..) {
            // It does nothing that panics.
            let _ = thread.join();
        }
    }
}

fn serve(port: &OwnedHandle, areas: &[OpenArea], to_do: &Mutex<Receiver<(u32, Place)>>) {
    loop {
        let next = to_do.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((area, place)) = next else { return };
        let code = match areas[area as usize].file.sync_data() {
            Ok(()) => 0,
            // Without a number it is an error all the same.
            Err(error) => error.raw_os_error().map_or(1, i32::cast_unsigned),
        };
        #[expect(unsafe_code, reason = "a packet of one's own is not in std")]
        // SAFETY: the port is open as long as it is borrowed, and does not look at the OVERLAPPED.
        let told = unsafe { PostQueuedCompletionStatus(port.as_raw_handle(), code, FLUSHED, place.0) };
        if told == 0 {
            // Without memory for a packet. Whoever asks next finds nobody, and the load ends with an error.
            return;
        }
    }
}
