//! Huge pages on Linux: asked for with madvise(2), which gives them where the kernel has them to give.
//!
//! Pages that an administrator set aside (`vm.nr_hugepages`) are left alone: they wait for a database.
#![expect(unsafe_code, reason = "advice on raw memory")]

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;

use rustix::mm::{Advice, madvise};

use super::HUGE_PAGE;
use super::heap::Heap;

/// Memory on huge pages where the kernel has them, and else on plain ones.
pub(super) struct Memory {
    heap: Heap,
    size: usize,
}

impl Memory {
    pub(super) fn new(layout: Layout) -> Self {
        let (heap, size) = (Heap::new(layout), layout.size());
        if size >= HUGE_PAGE {
            // Before the first byte is touched: memory that has its plain pages keeps them. Where it is refused (a kernel without
            // huge pages), the pages are plain ones; the record tells.
            // SAFETY: the memory was allocated with this size, and this advice changes nothing that can be read from it.
            let _ = unsafe { madvise(heap.start().as_ptr().cast::<c_void>(), size, Advice::LinuxHugepage) };
        }
        Self { heap, size }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.heap.start()
    }

    /// Bytes on huge pages in the mapping that begins at this memory.
    pub(super) fn huge_page_bytes(&self) -> u64 {
        if self.size < HUGE_PAGE {
            return 0;
        }
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        huge_page_bytes_in(&smaps, self.heap.start().as_ptr() as u64).unwrap_or(0)
    }
}

/// `AnonHugePages` of the mapping that holds `address` (proc_pid_smaps(5)).
fn huge_page_bytes_in(smaps: &str, address: u64) -> Option<u64> {
    let range = |line: &str| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        Some(u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?)
    };
    let mut lines =
        smaps.lines().skip_while(|line| !range(line).is_some_and(|range| range.contains(&address)));
    lines.next()?;
    let mut fields = lines.take_while(|line| range(line).is_none());
    let kib: u64 = fields
        .find_map(|line| line.strip_prefix("AnonHugePages:"))?
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_pages_are_those_of_the_mapping_that_holds_the_address() {
        let smaps = "\
5000-9000 rw-p 00000000 00:00 0                          [heap]
Size:                 16 kB
AnonHugePages:         8 kB
VmFlags: rd wr mr
9000-b000 rw-p 00000000 00:00 0
Size:                  8 kB
AnonHugePages:      2048 kB
";
        assert_eq!(huge_page_bytes_in(smaps, 0x9000), Some(2048 * 1024));
        assert_eq!(huge_page_bytes_in(smaps, 0x8fff), Some(8 * 1024));
        assert_eq!(huge_page_bytes_in(smaps, 0xb000), None);
        assert_eq!(huge_page_bytes_in("", 1), None);
    }
}
