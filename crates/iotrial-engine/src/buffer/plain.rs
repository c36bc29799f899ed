//! Where the operating system gives no huge pages for the asking.

use std::ptr::NonNull;

/// Does nothing: the pages are plain ones.
pub(super) fn ask_for_huge_pages(_memory: NonNull<u8>, _length: usize) {}

/// Zero: no pages were asked for, and those that the system gives unasked are not told.
pub(super) fn huge_page_bytes(_memory: NonNull<u8>) -> u64 {
    0
}
