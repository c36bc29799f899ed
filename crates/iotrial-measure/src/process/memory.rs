//! The end of the memory.

use std::alloc::{GlobalAlloc, Layout, System};

use super::os;

/// The allocator of the system, except that a process without memory says so and ends with an exit code of its own.
///
/// Without it Rust aborts: a signal, for which a script knows no reason, and which looks like a crash. Nothing can be tidied up without
/// memory, so that files of a run stay, and the message says how to remove them.
#[derive(Debug)]
pub struct Memory {
    /// Written to standard error, as it is.
    pub message: &'static str,
    /// How the process ends.
    pub exit_code: i32,
}

impl Memory {
    /// What an allocation came to, or the end.
    fn or_end(&self, allocated: *mut u8) -> *mut u8 {
        if allocated.is_null() { os::end_without_memory(self.message, self.exit_code) } else { allocated }
    }
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call is passed on to the allocator of the system with what the caller promised, and what comes back is passed on as
// it is. Ending the process is none of the things that an allocator must not do: it does not unwind.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is the caller's, who promises that its size is not zero.
        self.or_end(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.or_end(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the pointer came from here, which is the system's allocator, with that layout.
        self.or_end(unsafe { System.realloc(pointer, layout, new_size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
