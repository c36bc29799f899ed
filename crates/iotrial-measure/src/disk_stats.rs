//! What the kernel has counted at its block devices since it started: `/proc/diskstats`, and what happened between two readings.
//!
//! Who reads is exchangeable ([`DiskStatsSource`]), so that captured readings drive everything that follows from them.

use std::io;

use iotrial_model::counters::RecordedDisk;

/// Counts of one device (Documentation/admin-guide/iostats.rst). Sectors are of 512 bytes there, on every device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiskStat {
    /// The name of the kernel, such as `nvme0n1`, `dm-3` or `PhysicalDrive1`.
    pub name: String,
    /// Reads that completed.
    pub read_count: u64,
    /// Reads that were merged into others before they were issued.
    pub read_merge_count: u64,
    /// Sectors read.
    pub read_sectors: u64,
    /// Milliseconds that all reads took together. It wraps at 2^32, as do all times here.
    pub read_ms: u64,
    /// Writes that completed.
    pub write_count: u64,
    /// Writes that were merged.
    pub write_merge_count: u64,
    /// Sectors written.
    pub write_sectors: u64,
    /// Milliseconds that all writes took together.
    pub write_ms: u64,
    /// Milliseconds with any I/O in flight; absent of partitions of kernels before 2.6.25.
    pub busy_ms: Option<u64>,
    /// Milliseconds with any I/O in flight, times how many there were.
    pub queue_ms: Option<u64>,
    /// Flushes that completed; zero before 5.5, which does not count them.
    pub flush_count: u64,
}

impl DiskStat {
    /// A line of `/proc/diskstats`.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace().skip(2);
        let name = fields.next()?;
        let mut counts = [0_u64; 17];
        let mut count = 0;
        // By an array and not a list: this is done for each device once a second for as long as somebody watches.
        for (place, field) in counts.iter_mut().zip(fields.map_while(|field| field.parse().ok())) {
            *place = field;
            count += 1;
        }
        if count < 7 {
            return None;
        }
        let [
            read_count,
            read_merge_count,
            read_sectors,
            read_ms,
            write_count,
            write_merge_count,
            write_sectors,
            ..,
        ] = counts;
        let from = |at: usize| (at < count).then(|| counts[at]);
        Some(Self {
            name: name.to_owned(),
            read_count,
            read_merge_count,
            read_sectors,
            read_ms,
            write_count,
            write_merge_count,
            write_sectors,
            write_ms: from(7).unwrap_or(0),
            busy_ms: from(9),
            queue_ms: from(10),
            // After the four fields of discards.
            flush_count: from(15).unwrap_or(0),
        })
    }

    /// What the device did since `earlier`, which was `seconds` ago. Nothing but the name where a counter went back: another device has
    /// the name now, or its counters began anew.
    pub fn since(&self, earlier: &Self, seconds: f64) -> RecordedDisk {
        self.rates_since(earlier, seconds)
            .unwrap_or_else(|| RecordedDisk { name: self.name.clone(), ..RecordedDisk::default() })
    }

    fn rates_since(&self, earlier: &Self, seconds: f64) -> Option<RecordedDisk> {
        if seconds <= 0.0 {
            return None;
        }
        let reads = self.read_count.checked_sub(earlier.read_count)? as f64;
        let writes = self.write_count.checked_sub(earlier.write_count)? as f64;
        let read_bytes = 512.0 * self.read_sectors.checked_sub(earlier.read_sectors)? as f64;
        let write_bytes = 512.0 * self.write_sectors.checked_sub(earlier.write_sectors)? as f64;
        let (read_ms, write_ms) =
            (since_ms(self.read_ms, earlier.read_ms)?, since_ms(self.write_ms, earlier.write_ms)?);
        let share = |now: Option<u64>, then: Option<u64>| Some(since_ms(now?, then?)? / (1_000.0 * seconds));
        let latency = |ms: f64, count: f64| (count > 0.0).then(|| ms / count / 1_000.0);
        Some(RecordedDisk {
            name: self.name.clone(),
            role: None,
            read_iops: Some(reads / seconds),
            write_iops: Some(writes / seconds),
            read_bytes_per_s: Some(read_bytes / seconds),
            write_bytes_per_s: Some(write_bytes / seconds),
            read_latency_s: latency(read_ms, reads),
            write_latency_s: latency(write_ms, writes),
            queue: share(self.queue_ms, earlier.queue_ms),
            // The kernel counts in ticks and may be ahead of the clock by one.
            busy_share: share(self.busy_ms, earlier.busy_ms).map(|share| share.min(1.0)),
        })
    }
}

/// The difference of two times in ms; `None` where the later one is less, and has not just gone round.
fn since_ms(now: u64, then: u64) -> Option<f64> {
    const ROUND: u64 = 1 << 32;
    // Half a round: 25 days of I/O do not pass between two readings.
    let has_wrapped = now < then && then < ROUND && then - now > ROUND / 2;
    let now = if has_wrapped { now + ROUND } else { now };
    Some(now.checked_sub(then)? as f64)
}

/// When a reading was made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moment {
    /// Seconds of a clock that only goes on.
    pub monotonic_s: f64,
    /// Seconds since the beginning of 1970, UTC.
    pub unix_s: f64,
}

/// Where counts of block devices come from: this host, or readings that were captured.
pub trait DiskStatsSource {
    /// All devices that there are now, in the place of what `stats` held, and when that was.
    ///
    /// # Errors
    ///
    /// When they cannot be read. A device that is gone is no error, and simply not there.
    fn read(&mut self, stats: &mut Vec<DiskStat>) -> io::Result<Moment>;

    /// The number of the disk that has a name now, which no other disk gets before the host starts again; `None` where nothing says it.
    fn sequence(&mut self, name: &str) -> Option<u64>;
}

/// All lines of `/proc/diskstats`; what is none is left out.
pub fn parse_disk_stats(text: &str) -> impl Iterator<Item = DiskStat> + '_ {
    text.lines().filter_map(DiskStat::parse)
}

#[cfg(any(windows, test))]
mod performance;

#[cfg(target_os = "linux")]
#[path = "disk_stats/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "disk_stats/windows.rs"]
pub(crate) mod os;

/// The counts of this host.
///
/// # Errors
///
/// When it shows none: a container without them, or a system whose counters are not read here.
pub fn disk_stats_of_this_host() -> io::Result<Box<dyn DiskStatsSource + Send>> {
    os::open()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(line: &str) -> DiskStat {
        DiskStat::parse(line).unwrap()
    }

    fn near(value: Option<f64>, wanted: f64) {
        assert!((value.unwrap() - wanted).abs() < 1e-9, "{value:?} and not {wanted}");
    }

    #[test]
    fn a_line_is_read_in_every_form_that_kernels_have_had() {
        let new = stat(" 254 0 vda 10 1 80 5 20 2 160 9 3 7 14 4 0 24 1 11 2");
        assert_eq!((new.name.as_str(), new.read_sectors, new.write_ms, new.flush_count), ("vda", 80, 9, 11));
        assert_eq!((new.busy_ms, new.queue_ms), (Some(7), Some(14)));
        let old = stat("   8 1 sda1 10 1 80 5 20 2 160 9 0 7 14");
        assert_eq!((old.queue_ms, old.flush_count), (Some(14), 0));
        let short = stat("8 2 sda2 10 80 20 160 1 1 1");
        assert_eq!((short.busy_ms, short.write_ms), (None, 0));
        assert!(DiskStat::parse("8 2 sda2 10 80 20 160").is_none());
        assert!(DiskStat::parse("").is_none() && DiskStat::parse("a b").is_none());
    }

    #[test]
    fn rates_are_differences_over_the_time_that_passed() {
        let then = stat("8 0 sda 1000 0 8000 500 100 0 1600 200 0 1000 700");
        let now = stat("8 0 sda 3000 0 40000 4500 100 0 1600 200 2 2500 4700");
        let did = now.since(&then, 2.0);
        near(did.read_iops, 1_000.0);
        near(did.read_bytes_per_s, 8_192_000.0);
        near(did.read_latency_s, 0.002);
        near(did.queue, 2.0);
        near(did.busy_share, 0.75);
        near(did.write_iops, 0.0);
        assert_eq!(did.write_latency_s, None, "no write has no latency");
    }

    #[test]
    fn times_that_wrap_go_on_and_counters_that_go_back_are_unknown() {
        let then = stat("8 0 sda 1000 0 8000 4294967290 100 0 1600 200 0 1000 4294967000");
        let now = stat("8 0 sda 1010 0 8080 14 100 0 1600 200 0 1100 704");
        let did = now.since(&then, 1.0);
        near(did.read_latency_s, 0.002);
        near(did.queue, 1.0);
        // Another disk with the same name.
        let other = stat("8 0 sda 5 0 40 3 1 0 8 1 0 3 3").since(&now, 1.0);
        assert_eq!(other, RecordedDisk { name: "sda".to_owned(), ..RecordedDisk::default() });
        let later = stat("8 0 sda 1020 0 8090 3 100 0 1600 200 0 1200 800").since(&now, 1.0);
        assert_eq!(later.read_iops, None, "a time that went back by a little did not wrap");
        assert_eq!(now.since(&now, 0.0).read_iops, None);
    }
}
