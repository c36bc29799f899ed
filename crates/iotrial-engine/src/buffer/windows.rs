//! Large pages on Windows: given to an account with the right «Lock pages in memory», as long as free memory has whole ones.
#![expect(unsafe_code, reason = "large pages are not in std")]

use std::alloc::Layout;
use std::ptr::{NonNull, null};

use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc,
    VirtualFree,
};

use super::HUGE_PAGE;
use super::heap::Heap;
use crate::lock_memory_privilege;

/// Memory on large pages where Windows grants them, and else on plain ones.
pub(super) enum Memory {
    Plain(Heap),
    Large(LargePages),
}

impl Memory {
    pub(super) fn new(layout: Layout) -> Self {
        let large = (layout.size() >= HUGE_PAGE).then(|| LargePages::new(layout)).flatten();
        large.map_or_else(|| Self::Plain(Heap::new(layout)), Self::Large)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        match self {
            Self::Plain(heap) => heap.start(),
            Self::Large(pages) => pages.memory,
        }
    }

    /// All or nothing: Windows gives no memory of which only a part lies on large pages.
    pub(super) fn huge_page_bytes(&self) -> u64 {
        match self {
            Self::Plain(_) => 0,
            Self::Large(pages) => pages.length as u64,
        }
    }
}

/// Memory that consists of large pages, in bytes.
pub(super) struct LargePages {
    memory: NonNull<u8>,
    length: usize,
}

impl LargePages {
    /// `None` without the right, on a processor without large pages, where memory is in pieces, and where they begin elsewhere than
    /// the layout has to. Wine never has them.
    fn new(layout: Layout) -> Option<Self> {
        lock_memory_privilege::switch_on();
        // SAFETY: it only asks.
        let page = unsafe { GetLargePageMinimum() };
        if page == 0 || !page.is_multiple_of(layout.align()) {
            return None;
        }
        // Windows refuses a length that is no multiple of the page.
        let length = layout.size().checked_next_multiple_of(page)?;
        let kind = MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES;
        // SAFETY: Windows chooses the place.
        let memory = unsafe { VirtualAlloc(null(), length, kind, PAGE_READWRITE) };
        Some(Self { memory: NonNull::new(memory.cast())?, length })
    }
}

impl Drop for LargePages {
    fn drop(&mut self) {
        // SAFETY: it was allocated in one call, and nothing borrows from a value that is dropped.
        unsafe { VirtualFree(self.memory.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}
