//! Memory from the allocator, on plain pages unless the system is asked for others.
#![expect(unsafe_code, reason = "aligned memory that the kernel writes to")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Memory that is given back when it is dropped. What is in it at first is undefined.
pub(super) struct Heap {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Heap {
    /// Memory of a layout, which may not be empty.
    pub(super) fn new(layout: Layout) -> Self {
        assert!(layout.size() > 0, "no memory was asked for");
        // SAFETY: the layout is not empty.
        let memory = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Self { memory, layout }
    }

    /// Its first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.memory
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing borrows from a value that is dropped.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}
