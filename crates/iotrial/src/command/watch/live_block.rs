//! What a terminal shows of disks that are watched: one block that is painted again, a line for each device, with its last minute.

use std::collections::VecDeque;
use std::time::Duration;

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::watch::limit_us;
use iotrial_model::counters::{RecordedDisk, RecordedInterval};
use iotrial_model::load::Direction;
use iotrial_model::units::{group_thousands, seconds_in_words};
use iotrial_session::watch::{Watched, WatchedDisk};

use crate::output::harmless;
use crate::progress_bar;
use crate::sparkline::sparkline;

/// Intervals of a sparkline where there is room.
const LONGEST_SPARK: usize = 30;
/// From this width on there is room for sizes.
const WIDE: usize = 110;
/// Without a sparkline: the columns of numbers with the name.
const NUMBERS: usize = 68;

/// The last intervals of each device, and how they are shown.
pub struct LiveBlock {
    host: String,
    interval_s: f64,
    elapsed_s: f64,
    courses: Vec<VecDeque<f64>>,
}

impl LiveBlock {
    pub fn new(host: &str, interval_s: f64, watched: &Watched) -> Self {
        Self {
            host: harmless(host),
            interval_s,
            elapsed_s: 0.0,
            courses: vec![VecDeque::with_capacity(LONGEST_SPARK); watched.disks.len()],
        }
    }

    /// Notes an interval.
    pub fn add(&mut self, watched: &Watched, interval: &RecordedInterval) {
        self.elapsed_s += interval.duration_s;
        for (disk, course) in watched.disks.iter().zip(&mut self.courses) {
            if course.len() == LONGEST_SPARK {
                course.pop_front();
            }
            course.push_back(find(interval, disk).map_or(0.0, iops));
        }
    }

    /// The lines, each at most `width` wide, at most `height` of them; with colours where they may be.
    pub fn lines(
        &self,
        watched: &Watched,
        interval: &RecordedInterval,
        sets: &[ThresholdSet],
        (width, height): (usize, usize),
        has_colours: bool,
    ) -> Vec<String> {
        let is_wide = width >= WIDE;
        let spark = width.saturating_sub(NUMBERS + if is_wide { 8 } else { 0 } + 3).min(LONGEST_SPARK);
        let kib = if is_wide { format!("{:>8}", "KiB") } else { String::new() };
        let mut lines = vec![
            format!(
                "{} · every {} · {}",
                self.host,
                seconds_in_words(self.interval_s),
                progress_bar::clock(Duration::try_from_secs_f64(self.elapsed_s).unwrap_or_default())
            ),
            format!(
                "{:<14}{:>8}{:>9}{:>7}{kib}{:>9}{:>9}{:>6}{:>6}{}",
                "",
                "reads/s",
                "writes/s",
                "MB/s",
                "read ms",
                "write ms",
                "queue",
                "busy",
                if spark >= 4 { "  I/Os/s" } else { "" }
            ),
        ];
        let mut target = "";
        for (disk, course) in watched.disks.iter().zip(&self.courses) {
            if disk.target != target {
                target = &disk.target;
                lines.push(harmless(target));
            }
            let indent = 2 * (disk.depth + usize::from(!disk.target.is_empty()));
            let role = disk.role.map_or(String::new(), |role| format!(" {role}"));
            let name = format!("{:indent$}{}{role}", "", harmless(&disk.name));
            lines.push(format!(
                "{name:<14.14}{}",
                numbers(disk, find(interval, disk), sets, is_wide, has_colours)
            ));
            if spark >= 4
                && let Some(line) = lines.last_mut()
            {
                line.push_str("  ");
                line.push_str(&sparkline(course.iter().rev().take(spark).rev().copied()));
            }
        }
        // One line stays free, on which the cursor stands.
        let most = height.saturating_sub(2).max(3);
        if lines.len() > most {
            let more = lines.len() - most + 1;
            lines.truncate(most - 1);
            lines.push(format!("… and {more} more lines; name the disks that matter"));
        }
        lines
            .iter()
            .map(|line| console::truncate_str(line, width.saturating_sub(1), "…").into_owned())
            .collect()
    }
}

fn find<'i>(interval: &'i RecordedInterval, disk: &WatchedDisk) -> Option<&'i RecordedDisk> {
    interval.disks.iter().find(|did| did.name == disk.name)
}

fn iops(did: &RecordedDisk) -> f64 {
    did.read_iops.unwrap_or(0.0) + did.write_iops.unwrap_or(0.0)
}

/// The numbers of one device; a dash is not known, or there was no I/O.
fn numbers(
    disk: &WatchedDisk,
    did: Option<&RecordedDisk>,
    sets: &[ThresholdSet],
    is_wide: bool,
    has_colours: bool,
) -> String {
    let Some(did) = did.filter(|did| did.read_iops.is_some()) else { return format!("{:>8}", "–") };
    let count = |value: Option<f64>| group_thousands(&format!("{:.0}", value.unwrap_or(0.0)));
    let bytes = did.read_bytes_per_s.unwrap_or(0.0) + did.write_bytes_per_s.unwrap_or(0.0);
    let latency = |seconds: Option<f64>, direction| {
        let Some(seconds) = seconds else { return format!("{:>9}", "–") };
        let ms = 1e3 * seconds;
        let is_beyond = limit_us(sets, disk.role, direction).is_some_and(|limit| 1e6 * seconds >= limit);
        let mark = if is_beyond { "!" } else { " " };
        let cell = format!("{:>9}", format!("{}{mark}", three_digits(ms)));
        if is_beyond && has_colours { format!("\x1b[31m{cell}\x1b[0m") } else { cell }
    };
    let iops = iops(did);
    let kib = match (is_wide, iops > 0.0) {
        (false, _) => String::new(),
        (true, true) => format!("{:>8}", three_digits(bytes / iops / 1024.0)),
        (true, false) => format!("{:>8}", "–"),
    };
    let share = did.busy_share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    let queue = did.queue.map_or_else(|| "–".to_owned(), three_digits);
    format!(
        "{:>8}{:>9}{:>7}{kib}{}{}{queue:>6}{share:>6}",
        count(did.read_iops),
        count(did.write_iops),
        three_digits(bytes / 1e6),
        latency(did.read_latency_s, Direction::Read),
        latency(did.write_latency_s, Direction::Write),
    )
}

/// `0.05`, `1.23`, `12.3`, `123`.
fn three_digits(number: f64) -> String {
    match number {
        ..9.995 => format!("{number:.2}"),
        ..99.95 => format!("{number:.1}"),
        _ => group_thousands(&format!("{number:.0}")),
    }
}

/// The same for whoever reads lines: one for each device that does anything.
pub fn plain_lines(watched: &Watched, interval: &RecordedInterval, sets: &[ThresholdSet]) -> String {
    let time = clock(interval.at_s.rem_euclid(86_400.0));
    let line = |disk: &WatchedDisk| {
        let did = find(interval, disk).filter(|did| iops(did) > 0.0)?;
        let name = format!("{}{}", disk.name, disk.role.map_or(String::new(), |role| format!(" {role}")));
        Some(format!("{time}Z {name:<14.14}{}\n", numbers(disk, Some(did), sets, false, false)))
    };
    let lines: String = watched.disks.iter().filter_map(line).collect();
    if lines.is_empty() { format!("{time}Z nothing was read or written\n") } else { lines }
}

/// The header of [`plain_lines`].
pub fn plain_header() -> String {
    format!(
        "{:<9} {:<14}{:>8}{:>9}{:>7}{:>9}{:>9}{:>6}{:>6}\n",
        "UTC", "disk", "reads/s", "writes/s", "MB/s", "read ms", "write ms", "queue", "busy"
    )
}

fn clock(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds that passed")]
    let seconds = seconds.max(0.0) as u64;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_analysis::watch::threshold_sets;
    use iotrial_model::load::Role;

    use super::*;

    fn watched() -> Watched {
        let disk = |name: &str, role, depth| WatchedDisk {
            name: name.to_owned(),
            role,
            target: "/log".to_owned(),
            depth,
        };
        Watched { disks: vec![disk("md0", Some(Role::Log), 0), disk("sda", None, 1)], stripes: Vec::new() }
    }

    fn interval(write_latency_s: f64) -> RecordedInterval {
        let did = |name: &str| RecordedDisk {
            name: name.to_owned(),
            read_iops: Some(0.0),
            write_iops: Some(12_345.0),
            read_bytes_per_s: Some(0.0),
            write_bytes_per_s: Some(12_345.0 * 4096.0),
            write_latency_s: Some(write_latency_s),
            queue: Some(3.25),
            busy_share: Some(0.5),
            ..RecordedDisk::default()
        };
        RecordedInterval { at_s: 1_795_000_000.0, duration_s: 1.0, disks: vec![did("md0"), did("sda")] }
    }

    fn sets() -> Vec<ThresholdSet> {
        threshold_sets(None).iter().map(|name| ThresholdSet::builtin(name).unwrap()).collect()
    }

    #[test]
    fn the_block_marks_what_is_beyond_the_limit_of_its_role_and_fits_the_terminal() {
        let (watched, interval) = (watched(), interval(0.006));
        let mut block = LiveBlock::new("db01", 1.0, &watched);
        block.add(&watched, &interval);
        let lines = block.lines(&watched, &interval, &sets(), (140, 40), false);
        assert_eq!(lines[0], "db01 · every 1 s · 0:01");
        assert_eq!(lines[2], "/log");
        let of_md0 = &lines[3];
        for words in ["  md0 log", "12,345", "50.6", "6.00!", "3.25", "50 %", "█"] {
            assert!(of_md0.contains(words), "{words}: {of_md0}");
        }
        assert!(
            lines[4].contains("6.00 ") && lines[4].starts_with("    sda"),
            "a disk without a role is data: {lines:?}"
        );
        for width in [20, 80, 100, 140] {
            let lines = block.lines(&watched, &interval, &sets(), (width, 40), true);
            assert!(
                lines.iter().all(|line| console::measure_text_width(line) < width),
                "{width}: {lines:#?}"
            );
        }
        let cut = block.lines(&watched, &interval, &sets(), (80, 5), false);
        assert_eq!((cut.len(), cut[2].as_str()), (3, "… and 3 more lines; name the disks that matter"));
    }

    #[test]
    fn lines_have_a_time_and_only_disks_that_do_something() {
        let text = plain_lines(&watched(), &interval(0.004), &sets());
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with("22:13:20Z md0 log") || text.contains("Z md0 log"), "{text}");
        let idle = RecordedInterval { disks: Vec::new(), ..interval(0.001) };
        assert!(plain_lines(&watched(), &idle, &sets()).ends_with("Z nothing was read or written\n"));
    }
}
