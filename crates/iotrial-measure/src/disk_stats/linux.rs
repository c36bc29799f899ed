//! `/proc/diskstats` of this host.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::{DiskStat, DiskStatsSource, Moment, parse_disk_stats};

/// No kernel shows more.
const MOST_BYTES: u64 = 16 << 20;

struct ThisHost {
    file: File,
    start: Instant,
    bytes: Vec<u8>,
}

pub(super) fn open() -> io::Result<Box<dyn DiskStatsSource + Send>> {
    let file = File::open("/proc/diskstats")?;
    Ok(Box::new(ThisHost { file, start: Instant::now(), bytes: Vec::new() }))
}

impl DiskStatsSource for ThisHost {
    fn read(&mut self, stats: &mut Vec<DiskStat>) -> io::Result<Moment> {
        // From the beginning, which makes the kernel write it anew; opening it again would cost more than reading it.
        self.file.rewind()?;
        self.bytes.clear();
        self.file.by_ref().take(MOST_BYTES).read_to_end(&mut self.bytes)?;
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let moment =
            Moment { monotonic_s: self.start.elapsed().as_secs_f64(), unix_s: since_epoch.as_secs_f64() };
        stats.clear();
        stats.extend(parse_disk_stats(&String::from_utf8_lossy(&self.bytes)));
        Ok(moment)
    }

    fn sequence(&mut self, name: &str) -> Option<u64> {
        // Since Linux 5.15, of whole disks. `cciss/c0d0` has a `!` in its name there.
        let path = format!("/sys/class/block/{}/diskseq", name.replace('/', "!"));
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_this_kernel_are_read_again_and_again() {
        let Ok(mut source) = open() else { return };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let (one, other) = (source.read(&mut first).unwrap(), source.read(&mut second).unwrap());
        assert!(other.monotonic_s >= one.monotonic_s && one.unix_s > 1.7e9);
        let names = |stats: &[DiskStat]| stats.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&first), names(&second));
    }
}
