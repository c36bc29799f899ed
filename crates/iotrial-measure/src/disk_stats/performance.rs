//! The answer of Windows to `IOCTL_DISK_PERFORMANCE`, as it lies in memory (`DISK_PERFORMANCE` of `winioctl.h`).
//!
//! Read as bytes and not as a structure, so that this is safe code that is tested on every system.

use super::DiskStat;

/// Bytes of the answer.
pub(crate) const LENGTH: usize = 88;

/// What a disk counted; `None` where the answer is too short.
///
/// Windows counts I/Os in 32 bits, which go round after an hour at 1.2 million IOPS: `earlier` is what was read of the disk before, and
/// the counts go on from there.
pub(crate) fn disk_stat(name: &str, answer: &[u8], earlier: Option<&DiskStat>) -> Option<DiskStat> {
    let long = |at: usize| answer.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let short = |at: usize| answer.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let (read_bytes, write_bytes) = (long(0)?, long(8)?);
    // In units of 100 ns.
    let ms = |time: u64| time / 10_000;
    let (read_time, write_time, idle_time, now) = (long(16)?, long(24)?, long(32)?, long(56)?);
    let counted = |count: u32, before: fn(&DiskStat) -> u64| {
        let before = earlier.map(before);
        before.map_or(u64::from(count), |before| go_on(before, count))
    };
    Some(DiskStat {
        name: name.to_owned(),
        read_count: counted(short(40)?, |stat| stat.read_count),
        read_sectors: read_bytes / 512,
        read_ms: ms(read_time),
        write_count: counted(short(44)?, |stat| stat.write_count),
        write_sectors: write_bytes / 512,
        write_ms: ms(write_time),
        // Since 1601, of which only differences are asked.
        busy_ms: Some(ms(now.saturating_sub(idle_time))),
        // The time of all I/Os is the number in flight, added up over time (Little).
        queue_ms: Some(ms(read_time.saturating_add(write_time))),
        // Windows counts neither merges nor flushes.
        ..DiskStat::default()
    })
}

/// The count behind `earlier` whose lower half is `now`.
fn go_on(earlier: u64, now: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    let passed = now.wrapping_sub(earlier as u32);
    earlier + u64::from(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes and time in 100 ns of reads and writes, idle time, counts, and the time of the question.
    fn answer(bytes: [u64; 2], times: [u64; 3], counts: [u32; 2], now: u64) -> Vec<u8> {
        let mut answer: Vec<u8> = bytes.into_iter().chain(times).flat_map(u64::to_le_bytes).collect();
        answer.extend(counts.into_iter().chain([3, 0]).flat_map(u32::to_le_bytes));
        answer.extend(now.to_le_bytes());
        answer.extend([0, 0, 0, 0]);
        answer.extend("PhysDisk".encode_utf16().flat_map(u16::to_le_bytes));
        answer.resize(LENGTH, 0);
        answer
    }

    #[test]
    fn rates_latencies_and_busy_time_follow_from_two_answers() {
        let second = 10_000_000;
        let start = answer([0, 0], [0, 0, 50 * second], [0, 0], 100 * second);
        let end = answer(
            [8192 * 1000, 65536 * 100],
            [2 * second, second, 51 * second + second / 2],
            [1000, 100],
            102 * second,
        );
        let earlier = disk_stat("PhysicalDrive1", &start, None).unwrap();
        let did = disk_stat("PhysicalDrive1", &end, Some(&earlier)).unwrap().since(&earlier, 2.0);
        assert_eq!((did.read_iops, did.write_iops), (Some(500.0), Some(50.0)));
        assert_eq!((did.read_bytes_per_s, did.write_bytes_per_s), (Some(4_096_000.0), Some(3_276_800.0)));
        assert_eq!((did.read_latency_s, did.write_latency_s), (Some(0.002), Some(0.01)));
        assert_eq!((did.queue, did.busy_share), (Some(1.5), Some(0.25)));
    }

    #[test]
    fn counts_of_32_bits_go_on_when_they_go_round() {
        let earlier = DiskStat { read_count: (7 << 32) + 4_294_967_290, ..DiskStat::default() };
        let now = answer([0, 0], [0, 0, 0], [4, 9], 0);
        let stat = disk_stat("PhysicalDrive0", &now, Some(&earlier)).unwrap();
        assert_eq!((stat.read_count - earlier.read_count, stat.write_count), (10, 9));
        assert_eq!(disk_stat("PhysicalDrive0", &now, None).unwrap().read_count, 4);
    }

    #[test]
    fn a_short_answer_is_none() {
        let whole = answer([1, 1], [1, 1, 1], [1, 1], 1);
        assert!((0..64).all(|length| disk_stat("a", &whole[..length], None).is_none()));
        assert!(disk_stat("a", &whole, None).is_some());
    }
}
