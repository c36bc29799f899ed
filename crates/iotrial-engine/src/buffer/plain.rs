//! Where the operating system gives no huge pages for the asking.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::heap::Heap;

/// Memory on plain pages.
pub(super) struct Memory(Heap);

impl Memory {
    pub(super) fn new(layout: Layout) -> Self {
        Self(Heap::new(layout))
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.0.start()
    }

    /// Zero: no huge pages were asked for, and the system does not tell of those that it gives unasked.
    pub(super) fn huge_page_bytes(&self) -> u64 {
        0
    }
}
