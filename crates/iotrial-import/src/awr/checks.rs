//! Does the report agree with itself? Oracle prints some values wrong; what contradicts several others keeps its place, and loses
//! its standing.

use iotrial_model::awr::{AwrReport, IoStat, Quoted, Statistic, WaitSide};
use iotrial_model::imported::Stated;
use iotrial_model::units::{group_thousands, seconds_in_words};
use jiff::civil::DateTime;

/// I/O by function counts in another way than the totals; this much more is no longer a way of counting.
const BEYOND_BELIEF: f64 = 2.0;
/// Times of files this many times the wait for the same reads are wrong: 12.1 prints 22 seconds where waits take 2 ms.
const TIMES_THE_WAIT: f64 = 50.0;

/// More requests a second than any database of one host made, by a factor of ten: TPC-C's largest have some millions.
const MOST_REQUESTS: f64 = 1e8;
/// Fewer bytes than these are no request: the least that a file is read by is a sector of 512 bytes.
const LEAST_REQUEST_BYTES: f64 = 256.0;

/// A counter of requests that no database has, in words; of a file that something was taken from, such as the equal signs of a mail.
pub(super) fn implausible(report: &AwrReport) -> Option<String> {
    let rate = |name: &str| report.statistic(name).and_then(|one| one.per_second.sound());
    ["read", "write"].into_iter().find_map(|side| {
        let requests = rate(&format!("physical {side} total IO requests"))?;
        let bytes = rate(&format!("physical {side} total bytes"));
        // Few requests are rounded.
        let size = bytes.filter(|_| requests >= 1.0).map(|bytes| bytes / requests);
        if requests > MOST_REQUESTS {
            return Some(format!(
                "{} {side} requests per second",
                group_thousands(&format!("{requests:.0}"))
            ));
        }
        // Nothing at all may be a counter that is not kept.
        size.filter(|size| *size > 0.0 && *size < LEAST_REQUEST_BYTES)
            .map(|size| format!("a mean {side} of {size:.4} bytes"))
    })
}

/// Looks at all of it.
pub(super) fn check(report: &mut AwrReport) {
    reset_counters(report);
    elapsed_time(report);
    totals_by_rate(report);
    io_profile(report);
    by_file_type(report);
    by_function(report);
    file_times(report);
}

/// The total of a counter that only grows cannot be negative: it began again within the interval.
fn reset_counters(report: &mut AwrReport) {
    let mut reset: Vec<String> = Vec::new();
    for one in &mut report.activity {
        let is_io = one.name.starts_with("physical ") || one.name.starts_with("redo ");
        if is_io && one.total.value().is_some_and(|total| total < 0.0) {
            reset.push(one.name.clone());
            let why = "a counter only grows: it was reset within the interval";
            one.total = std::mem::take(&mut one.total).contradicted(why);
            one.per_second = std::mem::take(&mut one.per_second).contradicted(why);
        }
    }
    if let [first, others @ ..] = reset.as_slice() {
        let more = match others.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        report.contradictions.push(format!(
            "counters were reset within the interval: `{first}`{more} went backwards and is not usable"
        ));
    }
    if report.interval.has_restart {
        let start = report.instances.iter().find_map(|one| one.startup.clone()).unwrap_or_default();
        report.contradictions.push(format!(
            "the instance was started at {start}, within the interval: rates cover less time than the report says"
        ));
    }
}

fn elapsed_time(report: &mut AwrReport) {
    let interval = &mut report.interval;
    let parse = |time: &Option<String>| time.as_deref().and_then(|time| time.parse::<DateTime>().ok());
    let (Some(begin), Some(end)) = (parse(&interval.begin), parse(&interval.end)) else { return };
    let seconds = end.duration_since(begin).as_secs_f64();
    if seconds <= 0.0 {
        report.contradictions.push("the last snapshot is not later than the first".to_owned());
        return;
    }
    match interval.elapsed_s.value() {
        None => {
            let place = interval.elapsed_s.place.clone();
            // Times without seconds are off by up to half a minute.
            let seconds = Stated { value: seconds, resolution: 60.0 };
            interval.elapsed_s = Quoted::derived(seconds, place, "the times of the snapshots");
        }
        // A minute for times without seconds and for instances that do not take their snapshots together.
        Some(elapsed) if (elapsed - seconds).abs() > 60.0 + 0.01 * elapsed => {
            let why = format!("the snapshots are {} apart", seconds_in_words(seconds));
            report.contradictions.push(format!(
                "the elapsed time is {}, and {why}: the clock was changed, as at the end of summer time, or a snapshot is missing",
                seconds_in_words(elapsed)
            ));
        }
        Some(_) => {}
    }
}

/// Rates are totals divided by the elapsed time.
fn totals_by_rate(report: &mut AwrReport) {
    let Some(elapsed) = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0) else { return };
    let mut odd = 0;
    for one in report.activity.iter_mut().filter(|one| one.name.starts_with("physical ")) {
        let (Some(total), Some(_)) = (one.total.sound_number(), one.per_second.sound()) else { continue };
        let rate = total.per(elapsed);
        if !one.per_second.agrees_with(rate, 0.02) {
            let why =
                format!("{} in {} are {:.2} per second", total.value, seconds_in_words(elapsed), rate.value);
            one.per_second = std::mem::take(&mut one.per_second).contradicted(why);
            odd += 1;
        }
    }
    if odd > 0 {
        report.contradictions.push(format!(
            "{odd} rates of Instance Activity are not their totals divided by the elapsed time of {}",
            seconds_in_words(elapsed)
        ));
    }
}

/// Both count the same requests.
fn io_profile(report: &mut AwrReport) {
    let rate =
        |report: &AwrReport, name: &str| report.statistic(name).map(|one: &Statistic| one.per_second.clone());
    let pairs = [
        ("Total Requests", "physical read total IO requests", "physical write total IO requests", 1.0),
        ("Total (MB)", "physical read total bytes", "physical write total bytes", 1.0 / f64::from(1 << 20)),
    ];
    let mut found = Vec::new();
    for (name, read, write, factor) in pairs {
        for (name_of_side, statistic) in [("read", read), ("write", write)] {
            let Some(counted) = rate(report, statistic).map(|rate| rate.scaled(factor)) else { continue };
            let Some(counted) = counted.sound_number() else { continue };
            let Some(row) = report.io_profile.iter_mut().find(|row| row.name.eq_ignore_ascii_case(name))
            else {
                continue;
            };
            let side = if name_of_side == "read" { &mut row.read } else { &mut row.write };
            let Some(printed) = side.value() else { continue };
            if !side.agrees_with(counted, 0.01) {
                let why = format!("Instance Activity has {:.1} for `{statistic}`", counted.value);
                found.push(format!("IO Profile has {printed:.1} for {name} ({name_of_side}), and {why}"));
                *side = std::mem::take(side).contradicted(why);
            }
        }
    }
    report.contradictions.extend(found);
}

/// The sum over kinds of files is what the counters say, within what 2 % of rounding and of other ways of counting leave.
fn by_file_type(report: &mut AwrReport) {
    let counted = requests(report);
    let Some(total) = report.io_by_file_type.iter_mut().find(|one| one.is_total()) else { return };
    for (side, counted, name) in
        [(&mut total.reads_per_s, counted.0, "reads"), (&mut total.writes_per_s, counted.1, "writes")]
    {
        let (Some(counted), Some(printed)) = (counted, side.value()) else { continue };
        // A report of a pluggable database, or an idle one, has figures that rounding alone explains.
        if printed > BEYOND_BELIEF * counted + 1.0 {
            let why = format!("Instance Activity has {counted:.1} {name} per second");
            *side = std::mem::take(side).contradicted(why);
        }
    }
}

fn requests(report: &AwrReport) -> (Option<f64>, Option<f64>) {
    let of = |name: &str| report.statistic(name).and_then(|one| one.per_second.sound());
    (of("physical read total IO requests"), of("physical write total IO requests"))
}

/// 19c prints smart scans of a cluster as hundreds of millions of requests per second.
fn by_function(report: &mut AwrReport) {
    let counted = requests(report);
    let mut wrong: Vec<String> = Vec::new();
    for one in &mut report.io_by_function {
        let IoStat { name, reads_per_s, writes_per_s, .. } = one;
        for (side, counted, what) in [(reads_per_s, counted.0, "reads"), (writes_per_s, counted.1, "writes")]
        {
            let (Some(counted), Some(printed)) = (counted, side.value()) else { continue };
            if printed > BEYOND_BELIEF * counted + 1.0 {
                let printed = group_thousands(&format!("{printed:.0}"));
                wrong.push(format!("{name} with {printed} {what} per second"));
                let why = format!("all {what} of Instance Activity are {counted:.1} per second");
                *side = std::mem::take(side).contradicted(why);
            }
        }
    }
    if let Some(first) = wrong.first() {
        report.contradictions.push(format!(
            "IOStat by Function has more requests than the database made, such as {first}: its requests are not used"
        ));
    }
}

/// Times of tablespaces and files against the waits for the same reads.
fn file_times(report: &mut AwrReport) {
    let waits = ["db file sequential read", "db file scattered read", "cell single block physical read"];
    let longest = waits.iter().filter_map(|event| report.wait(event, WaitSide::Foreground)?.mean_us.sound());
    let Some(longest) = longest.reduce(f64::max).filter(|longest| *longest > 0.0) else { return };
    let mut weighted = (0.0, 0.0);
    for one in &report.tablespaces {
        if let (Some(reads), Some(time)) = (one.reads.value(), one.read_us.value()) {
            weighted = (weighted.0 + reads * time, weighted.1 + reads);
        }
    }
    let mean = weighted.0 / weighted.1.max(1.0);
    // Several seconds for a read on average: no disk does that, and the waits say that none did.
    if weighted.1 < 100.0 || mean < TIMES_THE_WAIT * longest || mean < 100_000.0 {
        return;
    }
    let why = format!("waits for reads take {:.2} ms on average", longest / 1e3);
    for one in report.tablespaces.iter_mut().chain(&mut report.files) {
        if one.read_us.is_there() {
            one.read_us = std::mem::take(&mut one.read_us).contradicted(why.clone());
        }
    }
    report.contradictions.push(format!(
        "tablespaces have reads of {:.0} ms on average, and {why}: `Av Rd(ms)` is not used",
        mean / 1e3
    ));
}
