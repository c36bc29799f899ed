//! What is seen of a load under way: a block for terminals, lines for logs.

use std::collections::VecDeque;
use std::time::Duration;

use iotrial_analysis::live_load::{LiveInterval, LiveRow};
use iotrial_analysis::words::{latency_in_words, with_thousands};
use iotrial_model::plan::Plan;
use iotrial_model::search::Search;
use iotrial_model::units::{ByteSize, group_thousands};

use crate::progress_bar::{bar_line, clock};
use crate::sparkline::sparkline;
use iotrial_words::numbers::rate_in_words;

/// Seconds of a sparkline where there is room.
const LONGEST_SPARK: usize = 60;
/// A shorter one says nothing.
const SHORTEST_SPARK: usize = 8;
/// From this width on there is room for the bandwidth.
const WIDE: usize = 96;
/// Columns of each number.
const NUMBER: usize = 11;
/// From this width on there is room for both latencies.
const BOTH_LATENCIES: usize = 60;

/// The rows of a load, with the rates of its last seconds.
pub struct LoadBlock {
    courses: Vec<VecDeque<f64>>,
    /// Where the load was when the last interval was over.
    last: String,
}

impl LoadBlock {
    /// A load that begins.
    pub fn new(plan: &Plan) -> Self {
        // One more for all of them.
        Self { courses: vec![VecDeque::new(); plan.roles().len() + 1], last: String::new() }
    }

    /// Notes an interval, and says whether a phase or a step begins with it.
    pub fn add(&mut self, interval: &LiveInterval<'_>) -> bool {
        for (row, course) in interval.rows().iter().zip(&mut self.courses) {
            if course.len() == LONGEST_SPARK {
                course.pop_front();
            }
            course.push_back(row.figures.iops.unwrap_or(0.0));
        }
        let stage = stage(interval);
        let begins = stage != self.last;
        self.last = stage;
        begins
    }

    /// Before the first interval is over.
    pub fn before(&self, plan: &Plan, size: (usize, usize), has_colours: bool) -> Vec<String> {
        let first = plan.phases.first().map_or("start", |phase| phase.kind.as_str());
        let times = format!("0:00 of {}", clock(plan.duration()));
        fitted(vec![bar_line(first, 0.0, &times, size.0, has_colours)], size)
    }

    /// The lines for a terminal, each at most `width` wide, at most `height` of them. Of a load of a search the first one is that of the search.
    pub fn lines(
        &self,
        interval: &LiveInterval<'_>,
        searched: Option<&Searched>,
        size: (usize, usize),
        has_colours: bool,
    ) -> Vec<String> {
        let width = size.0;
        let whole = interval.plan().duration().as_secs_f64().max(1e-9);
        let share = interval.elapsed().as_secs_f64() / whole;
        let mut lines = vec![match searched {
            Some(searched) => searched.line(interval.load(), interval.left()),
            None => bar_line(&stage(interval), share, &times(interval), width, has_colours),
        }];
        let table = Table::of(interval.rows(), width);
        lines.push(table.header(has_colours));
        for (row, course) in interval.rows().iter().zip(&self.courses) {
            lines.push(table.row(row, course, has_colours));
        }
        fitted(lines, size)
    }
}

/// What the loads of a search have shown so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    count: usize,
    /// The highest rate that passed.
    passed_iops: Option<f64>,
    /// The lowest that did not.
    failed_iops: Option<f64>,
}

impl Searched {
    /// By now.
    pub fn of(search: &Search) -> Self {
        let rates = |held: bool| {
            let loads = search.probes.iter().filter(move |probe| probe.held == Some(held));
            loads.filter_map(|probe| probe.asked_iops)
        };
        Self {
            count: search.probes.len(),
            passed_iops: rates(true).reduce(f64::max),
            failed_iops: rates(false).reduce(f64::min),
        }
    }

    /// Whether no load is over yet.
    pub const fn is_first(&self) -> bool {
        self.count == 0
    }

    /// `searching   load 7   passed 2,863   failed 4,804   1:12 left`.
    fn line(&self, load: u64, left: Duration) -> String {
        let rates = [("passed", self.passed_iops), ("failed", self.failed_iops)];
        let rates = rates.map(|(word, iops)| {
            iops.map_or_else(String::new, |iops| format!("   {word} {}", rate_in_words(iops)))
        });
        format!("searching   load {load}{}   {} left", rates.concat(), clock(left))
    }
}

/// Cut to the size of a terminal. One line stays free, on which the cursor stands.
fn fitted(mut lines: Vec<String>, (width, height): (usize, usize)) -> Vec<String> {
    lines.truncate(height.saturating_sub(1).max(1));
    let cut = |line: &String| console::truncate_str(line, width.saturating_sub(1), "…").into_owned();
    lines.iter().map(cut).collect()
}

/// `measure`, `step 2 of 5`, `load 3, ramp`: where a load is.
fn stage(interval: &LiveInterval<'_>) -> String {
    let of_load = match interval.step() {
        Some((step, steps)) => format!("step {step} of {steps}"),
        None => interval.phase().as_str().to_owned(),
    };
    match interval.load() {
        0 | 1 => of_load,
        load => format!("load {load}, {of_load}"),
    }
}

/// `0:42 of 2:00, 1:18 left`; of one load among several, what is left of all of them.
fn times(interval: &LiveInterval<'_>) -> String {
    // A load that goes on takes longer than was planned.
    let (elapsed, duration) = (interval.elapsed(), interval.plan().duration().max(interval.elapsed()));
    let all = if interval.left() > duration.saturating_sub(elapsed) { " overall" } else { "" };
    format!("{} of {}, {} left{all}", clock(elapsed), clock(duration), clock(interval.left()))
}

/// Which columns the rows have.
struct Table {
    name: usize,
    has_asked: bool,
    has_bandwidth: bool,
    has_mean: bool,
    /// 0 where there is no room.
    spark: usize,
}

impl Table {
    fn of(rows: &[LiveRow], width: usize) -> Self {
        let name = rows.iter().map(|row| name_of(row).chars().count()).max().unwrap_or_default();
        let has_asked = rows.iter().any(|row| row.asked_iops.is_some());
        let (has_bandwidth, has_mean) = (width >= WIDE, width >= BOTH_LATENCIES);
        let numbers = 2 + usize::from(has_asked) + usize::from(has_bandwidth) + usize::from(has_mean);
        let left = width.saturating_sub(name + numbers * NUMBER + 3);
        let spark = if left >= SHORTEST_SPARK { left.min(LONGEST_SPARK) } else { 0 };
        Self { name, has_asked, has_bandwidth, has_mean, spark }
    }

    fn header(&self, has_colours: bool) -> String {
        let mut line = " ".repeat(self.name);
        let mut add = |is_there: bool, name: &str| {
            if is_there {
                line.push_str(&format!("{name:>NUMBER$}"));
            }
        };
        add(true, "IOPS");
        add(self.has_asked, "requested");
        add(self.has_bandwidth, "MiB/s");
        add(self.has_mean, "mean");
        add(true, "p99");
        if self.spark > 0 {
            let words = format!("IOPS, last {} s", self.spark);
            line.push_str("  ");
            line.push_str(if words.len() <= self.spark { &words } else { "IOPS" });
        }
        if has_colours { format!("\x1b[2m{line}\x1b[0m") } else { line }
    }

    fn row(&self, row: &LiveRow, course: &VecDeque<f64>, has_colours: bool) -> String {
        let LiveRow { figures, asked_iops, .. } = row;
        let mut line = format!("{:<width$}", name_of(row), width = self.name);
        let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), with_thousands);
        // Reads of a scan and commits of a log have no latency in common.
        let latency = |us: Option<f64>| match (row.role, us) {
            (Some(_), Some(us)) => latency_in_words(us),
            (Some(_), None) => "–".to_owned(),
            (None, _) => String::new(),
        };
        let mut add = |is_there: bool, cell: String| {
            if is_there {
                line.push_str(&format!("{cell:>NUMBER$}"));
            }
        };
        add(true, rate(figures.iops));
        add(self.has_asked, rate(*asked_iops));
        add(self.has_bandwidth, mib_per_s(figures.bandwidth_mib_per_s));
        add(self.has_mean, latency(figures.lat_mean_us));
        add(true, latency(figures.lat_p99_us));
        // A column that is nearly always zero hides the one time when it is not.
        match figures.error_count {
            Some(errors @ 1..) => {
                let words = format!("  {} failed", group_thousands(&errors.to_string()));
                line.push_str(&if has_colours { format!("\x1b[31m{words}\x1b[0m") } else { words });
            }
            _ if self.spark > 0 => {
                line.push_str("  ");
                line.push_str(&sparkline(course.iter().rev().take(self.spark).rev().copied()));
            }
            _ => {}
        }
        line
    }
}

fn name_of(row: &LiveRow) -> String {
    match (row.role, row.counts_commits) {
        (None, _) => "all".to_owned(),
        (Some(role), false) => role.to_string(),
        (Some(role), true) => format!("{role} commits"),
    }
}

fn mib_per_s(rate: Option<f64>) -> String {
    match rate {
        None => "–".to_owned(),
        Some(rate) if rate < 99.95 => format!("{rate:.1}"),
        Some(rate) => with_thousands(rate),
    }
}

/// Work that is measured in bytes on a terminal.
pub fn bytes_line(what: &str, done_bytes: u64, total_bytes: u64, elapsed: Duration, width: usize) -> String {
    let share = done_bytes as f64 / (total_bytes as f64).max(1.0);
    let times = progress_of_bytes(done_bytes, total_bytes, elapsed);
    console::truncate_str(&bar_line(what, share, &times, width, false), width.saturating_sub(1), "…")
        .into_owned()
}

/// The same as a line of a log.
pub fn plain_bytes(what: &str, done_bytes: u64, total_bytes: u64, elapsed: Duration) -> String {
    format!("{what}: {}", progress_of_bytes(done_bytes, total_bytes, elapsed))
}

/// `1.20 GiB of 2.00 GiB, 431 MiB/s, 0:02 left`.
fn progress_of_bytes(done_bytes: u64, total_bytes: u64, elapsed: Duration) -> String {
    let sizes = format!("{} of {}", ByteSize::bytes(done_bytes), ByteSize::bytes(total_bytes));
    let seconds = elapsed.as_secs_f64();
    // The first moments say nothing of how fast it is.
    if done_bytes == 0 || done_bytes >= total_bytes || seconds < 0.5 {
        return sizes;
    }
    let rate = done_bytes as f64 / seconds;
    let left = Duration::from_secs_f64((total_bytes - done_bytes) as f64 / rate);
    format!("{sizes}, {} MiB/s, {} left", mib_per_s(Some(rate / 1_048_576.0)), clock(left))
}

/// An interval as a line of a log: `measure, 0:42 of 2:00, 1:18 left: data 18,204 IOPS (18,000 requested), mean 0.870 ms, p99 2.41 ms`.
pub fn plain_line(interval: &LiveInterval<'_>) -> String {
    let role = |row: &LiveRow| {
        let LiveRow { figures, asked_iops, .. } = row;
        let unit = if row.counts_commits { "per second" } else { "IOPS" };
        let iops = with_thousands(figures.iops.unwrap_or(0.0));
        let asked =
            asked_iops.map_or_else(String::new, |asked| format!(" ({} requested)", rate_in_words(asked)));
        let latencies = match (figures.lat_mean_us, figures.lat_p99_us) {
            (Some(mean), Some(p99)) => {
                format!(", mean {}, p99 {}", latency_in_words(mean), latency_in_words(p99))
            }
            _ => String::new(),
        };
        let errors = figures.error_count.filter(|count| *count > 0);
        let errors = errors
            .map_or_else(String::new, |count| format!(", {} failed", group_thousands(&count.to_string())));
        format!("{} {iops} {unit}{asked}{latencies}{errors}", name_of(row))
    };
    let rows: Vec<String> = interval.rows().iter().filter(|row| row.role.is_some()).map(role).collect();
    format!("{}, {}: {}", stage(interval), times(interval), rows.join("; "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_analysis::live_load::LiveLoad;
    use iotrial_model::plan::PhaseKind;
    use iotrial_model::record::{Interval, JobCounts, OpCounts};
    use serde_json::json;

    use super::*;

    /// Two minutes of an open data job and a closed log.
    fn plan() -> Plan {
        let job = |name: &str, role: &str, read: u32, arrival: serde_json::Value| {
            json!({
                "name": name, "role": role, "pattern": "random", "rwmix_read_percent": read, "block_size_bytes": 8192,
                "iodepth": 1, "numjobs": 1, "arrival": arrival, "durability": "none", "areas": [0],
                "working_set_bytes": 8192,
            })
        };
        serde_json::from_value(json!({
            "profile": "p", "quick": true, "engine": "uring", "threads": 1, "direct": true, "seed": 1, "interval_s": 1.0,
            "phases": [{ "kind": "ramp", "duration_s": 20.0 }, { "kind": "measure", "duration_s": 100.0 }],
            "areas": [{ "path": "/d/data1.iotrial", "kind": "managed-file", "offset_bytes": 0, "length_bytes": 8192, "sector_size_bytes": 512 }],
            "jobs": [
                job("pages", "data", 100, json!({ "kind": "open", "iops": 118_000.0, "spacing": "poisson" })),
                job("log", "log", 0, json!({ "kind": "closed" })),
            ],
        }))
        .unwrap()
    }

    fn second(at_s: u64, phase: PhaseKind, errors: u64) -> Interval {
        let of = |count: u64, us: u64| {
            let mut op = OpCounts { bytes: 8_192 * count, error_count: errors, ..OpCounts::default() };
            op.total_latency.record_n(Duration::from_micros(us), count);
            Some(op)
        };
        Interval {
            phase,
            start: Duration::from_secs(at_s),
            duration: Duration::from_secs(1),
            jobs: vec![
                JobCounts { read: of(117_204, 2_410), ..JobCounts::default() },
                JobCounts { write: of(1_204, 87), ..JobCounts::default() },
            ],
            backlog: Vec::new(),
        }
    }

    fn block(size: (usize, usize), has_colours: bool) -> Vec<String> {
        let plan = plan();
        let (mut load, mut block) = (LiveLoad::default(), LoadBlock::new(&plan));
        load.start(&plan);
        let ramp = second(9, PhaseKind::Ramp, 0);
        assert!(block.add(&load.interval(&plan, &ramp)), "the ramp begins");
        let measure = second(41, PhaseKind::Measure, 0);
        let live = load.interval(&plan, &measure);
        assert!(block.add(&live) && !block.add(&live), "a phase begins once");
        block.lines(&live, None, size, has_colours)
    }

    #[test]
    fn a_search_is_one_line_with_what_passed_and_what_did_not() {
        let first = Searched { count: 0, passed_iops: None, failed_iops: None };
        assert_eq!(first.line(1, Duration::from_secs(92)), "searching   load 1   1:32 left");
        let later = Searched { count: 6, passed_iops: Some(2_863.2), failed_iops: Some(4_804.0) };
        let line = later.line(7, Duration::from_secs(72));
        assert_eq!(line, "searching   load 7   passed 2,863   failed 4,804   1:12 left");
    }

    #[test]
    fn the_block_has_a_row_for_each_role_and_tells_what_is_left() {
        let lines = block((80, 24), false);
        assert!(
            lines[0].starts_with("measure  ━") && lines[0].ends_with("─  0:42 of 2:00, 1:18 left"),
            "{lines:#?}"
        );
        assert_eq!(lines[1], "           IOPS  requested       mean        p99  IOPS, last 29 s");
        assert!(lines[2].starts_with("data    117,204    118,000    2.41 ms    2.41 ms  ███"), "{lines:#?}");
        assert!(lines[3].starts_with("log       1,204          –   0.087 ms   0.087 ms  ███"), "{lines:#?}");
        assert!(lines[4].starts_with(&format!("all     118,408          –{:24}███", "")), "{lines:#?}");
        let wide = block((140, 24), false);
        assert!(
            wide[1].contains("requested      MiB/s       mean") && wide[2].contains("        916 "),
            "{wide:#?}"
        );
    }

    #[test]
    fn the_block_fits_every_terminal() {
        for width in [20, 40, 60, 80, 100, 140, 300] {
            for height in [2, 4, 24] {
                let lines = block((width, height), true);
                assert!(lines.len() < height, "{width}x{height}: {lines:#?}");
                let fits = |line: &String| console::measure_text_width(line) < width;
                assert!(lines.iter().all(fits), "{width}x{height}: {lines:#?}");
            }
        }
    }

    #[test]
    fn a_line_of_a_log_says_it_in_words() {
        let plan = plan();
        let (mut load, measure) = (LiveLoad::default(), second(41, PhaseKind::Measure, 3));
        load.start(&plan);
        assert_eq!(
            plain_line(&load.interval(&plan, &measure)),
            "measure, 0:42 of 2:00, 1:18 left: data 117,204 IOPS (118,000 requested), mean 2.41 ms, p99 2.41 ms, 3 failed; log 1,204 IOPS, mean 0.087 ms, p99 0.087 ms, 3 failed"
        );
        // One load among several: what is waited for is the end of all.
        load.start(&plan);
        load.say_left(Duration::from_secs(7_300));
        let line = plain_line(&load.interval(&plan, &measure));
        assert!(line.starts_with("load 2, measure, 0:42 of 2:00, 2:00:58 left overall: "), "{line}");
    }

    #[test]
    fn the_layout_tells_how_fast_it_is_and_how_long_it_still_takes() {
        let (gib, second) = (1 << 30, Duration::from_secs(1));
        assert_eq!(
            plain_bytes("creating files", gib, 2 * gib, 4 * second),
            "creating files: 1 GiB of 2 GiB, 256 MiB/s, 0:04 left"
        );
        assert_eq!(
            plain_bytes("creating files", 2 * gib, 2 * gib, 8 * second),
            "creating files: 2 GiB of 2 GiB"
        );
        assert!(console::measure_text_width(&bytes_line("creating files", gib, 2 * gib, second, 40)) < 40);
    }
}
