//! A log whose waiting commits become one write.

use iotrial_model::load::{GroupCommit, LogTail};

use crate::offset::Stretch;

/// Where the log goes on, and how much a write takes.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter {
    stretch: Stretch,
    commit_size: u64,
    largest_write: u64,
    rewrites_tail: bool,
    /// Where the next commit begins, from the start of the stretch.
    position: u64,
}

impl LogWriter {
    /// A log at the start of the stretch, the unit of which is the log's block. The stretch must hold the
    /// largest write.
    pub(crate) fn new(group: GroupCommit, stretch: Stretch) -> Self {
        assert!(stretch.length >= group.largest_write.get(), "a plan gives every log room for a write");
        Self {
            stretch,
            commit_size: group.commit_size.get(),
            largest_write: group.largest_write.get(),
            rewrites_tail: group.tail == LogTail::Rewrite,
            position: 0,
        }
    }

    /// How many commits the next write can take; at least one.
    pub(crate) fn most_commits(&self) -> u64 {
        // What the open block holds already is written again with the new commits, and takes its room in the
        // write. Where the rest of a block is padded, the position is the start of a block, and nothing is
        // taken off.
        (self.largest_write - self.position % self.stretch.unit) / self.commit_size
    }

    /// Offset and length in bytes of the write of so many commits: from one to [`Self::most_commits`].
    pub(crate) fn write(&mut self, commits: u64) -> (u64, u32) {
        let Stretch { first_byte, length, unit } = self.stretch;
        let bytes = commits * self.commit_size;
        let whole = |position: u64| {
            let start = position / unit * unit;
            (start, (position + bytes).next_multiple_of(unit) - start)
        };
        let (mut start, mut write) = whole(self.position);
        // A write is never split in two, because its commits are durable together or not at all. So the log
        // starts anew where the write does not fit, and the few blocks at the end stay as they were laid out.
        if start + write > length {
            self.position = 0;
            (start, write) = whole(0);
        }
        // In bytes where the tail is written again, so that the next write begins with the block that this
        // one left half full, as PostgreSQL does; at the end of the blocks where it is padded, as SQL Server
        // and Oracle do.
        self.position = if self.rewrites_tail { self.position + bytes } else { start + write };
        (first_byte + start, u32::try_from(write).expect("a write is at most 64 MiB"))
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::units::ByteSize;

    use super::*;

    fn log(commit: u64, largest: u64, tail: LogTail, length: u64, block: u64) -> LogWriter {
        let group = GroupCommit {
            commit_size: ByteSize::bytes(commit),
            largest_write: ByteSize::bytes(largest),
            tail,
        };
        LogWriter::new(group, Stretch { first_byte: 1 << 20, length, unit: block })
    }

    /// Offsets from the start of the log, and lengths.
    fn writes(log: &mut LogWriter, commits: &[u64]) -> Vec<(u64, u32)> {
        let from_start = |(offset, length)| (offset - (1 << 20), length);
        commits.iter().map(|count| from_start(log.write(*count))).collect()
    }

    #[test]
    fn a_padded_log_writes_whole_blocks_one_after_the_other() {
        // SQL Server: sectors of 512 bytes, 60 KiB at most.
        let mut log = log(700, 60 << 10, LogTail::Pad, 1 << 20, 512);
        assert_eq!(log.most_commits(), 87);
        assert_eq!(
            writes(&mut log, &[1, 1, 10, 87]),
            [(0, 1024), (1024, 1024), (2048, 7168), (9216, 60_928)]
        );
        assert_eq!(log.most_commits(), 87);
    }

    #[test]
    fn a_rewritten_tail_is_the_first_block_of_the_next_write() {
        // PostgreSQL: pages of 8 KiB.
        let mut log = log(3_000, 64 << 10, LogTail::Rewrite, 1 << 20, 8192);
        assert_eq!(writes(&mut log, &[1, 1, 1, 2]), [(0, 8192), (0, 8192), (0, 16384), (8192, 8192)]);
        // 15,000 bytes are written, 6,808 of them in the open page.
        assert_eq!(log.most_commits(), ((64 << 10) - 6_808) / 3_000);
    }

    #[test]
    fn a_log_starts_anew_at_its_end_and_never_passes_it() {
        for tail in [LogTail::Pad, LogTail::Rewrite] {
            let mut log = log(500, 4096, tail, 10_240, 512);
            let mut begun = 0;
            for round in 0..1_000 {
                let (offset, length) = log.write(1 + round % log.most_commits());
                let start = offset - (1 << 20);
                assert!(start.is_multiple_of(512) && length.is_multiple_of(512) && length <= 4096);
                assert!(start + u64::from(length) <= 10_240, "{tail}: {start} + {length}");
                begun += u32::from(start == 0);
            }
            assert!(begun > 10, "{tail}");
        }
    }
}
