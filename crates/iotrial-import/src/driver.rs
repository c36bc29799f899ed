//! What the driver of a load on a database prints while it works: progress of pgbench and sysbench, their summary, and metrics of any program.

use iotrial_model::application::ApplicationMetric;
use iotrial_model::database_run::{DriverInterval, DriverReport, OutputLine};
use iotrial_model::imported::{SourceKind, Stated};
use iotrial_model::metric::APPLICATION;

use crate::scan::{after, number_and_unit};
use crate::{ForeignFile, Naming, import};

/// A line of progress: the program, when its interval ended on the clock of the program, and its figures.
struct Progress {
    program: &'static str,
    at_s: f64,
    transactions_per_s: f64,
    mean_ms: Option<f64>,
    /// How late transactions began, where a rate was given.
    lag_ms: Option<f64>,
}

/// Reads the lines, in the order in which they came.
pub fn read(lines: &[OutputLine]) -> DriverReport {
    let mut report = DriverReport::default();
    let mut text = String::new();
    let mut earlier_s = 0.0;
    for OutputLine { at_s, text: line } in lines {
        let whole = line.trim();
        if let Some(progress) = pgbench_progress(whole).or_else(|| sysbench_progress(whole)) {
            report.name = Some(progress.program.to_owned());
            report.schedule_lag_ms = progress.lag_ms.or(report.schedule_lag_ms);
            // A second run in one output, as of a script, begins at zero again.
            let since_s = if progress.at_s > earlier_s { earlier_s } else { 0.0 };
            let duration_s = progress.at_s - since_s;
            earlier_s = progress.at_s;
            if duration_s > 0.0 {
                report.intervals.push(DriverInterval {
                    // The line comes when its interval is over.
                    start_s: at_s - duration_s,
                    duration_s,
                    transactions_per_s: progress.transactions_per_s,
                    mean_ms: progress.mean_ms,
                });
            }
            continue;
        }
        read_count(whole, &mut report);
        if let Ok(metric) = whole.parse::<ApplicationMetric>()
            && !whole.contains(char::is_whitespace)
        {
            report.metrics.insert(metric.name, metric.value);
        }
        text.push_str(line);
        text.push('\n');
    }
    read_summary(&text, &mut report);
    report
}

/// The last summary in a text, by the reader of such results.
fn read_summary(text: &str, report: &mut DriverReport) {
    let file = ForeignFile { name: "", bytes: text.as_bytes(), beside: &|_| None };
    let Ok(imported) = import(&file, &Naming::default()) else { return };
    if imported.kind != SourceKind::Application {
        return;
    }
    let Some(last) = imported.records.into_iter().next_back() else { return };
    report.name = Some(last.source.tool);
    let of_application = |(key, figure): (String, Stated)| {
        let (place, name) = key.split_once('.')?;
        (place == APPLICATION).then(|| (name.to_owned(), figure))
    };
    report.summary = last.other.into_iter().filter_map(of_application).collect();
    let clients = report.summary.get("clients").map(|clients| clients.value);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held within its range")]
    let clients = clients.map(|clients| clients.clamp(0.0, f64::from(u32::MAX)) as u32);
    report.client_count = clients.or(report.client_count);
}

/// What a driver says of itself that is no figure of a result: counts, and how well it keeps a rate that it was given.
fn read_count(line: &str, report: &mut DriverReport) {
    let Some((label, value)) = line.split_once(':') else { return };
    let digits =
        |text: &str| number_and_unit(text.split('/').next().unwrap_or_default()).0.parse::<u64>().ok();
    match label.trim() {
        // pgbench; with `-t` the number that was asked for follows a slash.
        "number of transactions actually processed" => report.transaction_count = digits(value),
        "number of threads" => {
            report.thread_count = digits(value).and_then(|count| u32::try_from(count).ok())
        }
        // sysbench has a thread for each client.
        "Number of threads" => {
            let threads = digits(value).and_then(|count| u32::try_from(count).ok());
            (report.thread_count, report.client_count) = (threads, threads);
        }
        "transactions" if value.contains("per sec.") => report.transaction_count = digits(value),
        // pgbench, over the whole run: `avg 0.157 (max 19.533) ms`.
        "rate limit schedule lag" => {
            let mean = value.trim().strip_prefix("avg ").map(|mean| number_and_unit(mean).0.parse().ok());
            report.schedule_lag_ms = mean.flatten().or(report.schedule_lag_ms);
        }
        // sysbench, in its progress: `[ 2s ] queue length: 0 concurrency: 0`.
        label if label.ends_with("s ] queue length") => {
            report.queue_length = digits(value).and_then(|count| u32::try_from(count).ok());
        }
        _ => {}
    }
}

/// `progress: 5.0 s, 1234.5 tps, lat 6.480 ms stddev 2.201, 0 failed`
fn pgbench_progress(line: &str) -> Option<Progress> {
    let rest = line.strip_prefix("progress: ")?;
    let number = |text: &str| Stated::parse(text.trim()).map(|number| number.value);
    Some(Progress {
        program: "pgbench",
        at_s: number(rest.split(" s, ").next()?)?,
        transactions_per_s: number(after(rest, " s, ", &[])?.split(" tps").next()?)?,
        // Without a transaction in the interval it prints zeros, or no number.
        mean_ms: after(rest, "lat ", &[])
            .and_then(|rest| number(rest.split(" ms").next()?))
            .filter(|mean| *mean > 0.0),
        lag_ms: after(rest, ", lag ", &[]).and_then(|rest| number(rest.split(" ms").next()?)),
    })
}

/// `[ 10s ] thds: 4 tps: 350.12 qps: 7005.31 (r/w/o: 4905.38/1399.49/700.45) lat (ms,95%): 15.27 err/s: 0.00 reconn/s: 0.00`
fn sysbench_progress(line: &str) -> Option<Progress> {
    let (at, rest) = line.strip_prefix('[')?.split_once("s ]")?;
    let number = |text: &str| Stated::parse(text.trim()).map(|number| number.value);
    Some(Progress {
        program: "sysbench",
        at_s: number(at)?,
        transactions_per_s: number(after(rest, " tps: ", &[])?.split_whitespace().next()?)?,
        // It has a percentile only, which no mean can be made of.
        mean_ms: None,
        // It has the length of its queue, on a line of its own.
        lag_ms: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Lines that come `later_s` after what they say, one each second.
    fn output(text: &str, first_s: f64) -> Vec<OutputLine> {
        let lines = text.lines().enumerate();
        lines.map(|(at, line)| OutputLine { at_s: first_s + at as f64, text: line.to_owned() }).collect()
    }

    #[test]
    fn progress_of_pgbench_is_placed_on_the_clock_of_whoever_watches() {
        let report = read(&output(
            "progress: 1.0 s, 900.0 tps, lat 4.400 ms stddev 1.000, 0 failed\n\
             progress: 2.0 s, 1100.0 tps, lat 3.600 ms stddev 1.000, lag 0.1 ms\n\
             progress: 3.0 s, 0.0 tps, lat 0.000 ms stddev 0.000\n",
            1.25,
        ));
        assert_eq!(report.name.as_deref(), Some("pgbench"));
        let seen: Vec<_> = report
            .intervals
            .iter()
            .map(|one| (one.start_s, one.duration_s, one.transactions_per_s, one.mean_ms))
            .collect();
        assert_eq!(
            seen,
            [(0.25, 1.0, 900.0, Some(4.4)), (1.25, 1.0, 1_100.0, Some(3.6)), (2.25, 1.0, 0.0, None)]
        );
    }

    #[test]
    fn a_summary_has_figures_counts_and_threads() {
        let pgbench = read(&output(include_str!("../tests/golden/application/pgbench.txt"), 0.0));
        assert_eq!((pgbench.name.as_deref(), pgbench.transaction_count), (Some("pgbench"), Some(49_218)));
        assert_eq!((pgbench.client_count, pgbench.thread_count), (Some(10), Some(2)));
        assert_eq!(pgbench.summary["transactions_per_s"].value, 820.477_881);
        assert!(pgbench.intervals.is_empty() && pgbench.metrics.is_empty());
        let sysbench = read(&output(
            "Number of threads: 4\n[ 10s ] thds: 4 tps: 350.12 qps: 7005.31 (r/w/o: 4905.38/1399.49/700.45) lat (ms,95%): 15.27 err/s: 0.00 reconn/s: 0.00\n",
            0.0,
        ));
        assert_eq!((sysbench.thread_count, sysbench.intervals[0].duration_s), (Some(4), 10.0));
        assert_eq!(sysbench.intervals[0].transactions_per_s, 350.12);
    }

    #[test]
    fn how_late_transactions_begin_is_read_where_a_rate_was_given() {
        let lag = |text: &str| read(&output(text, 0.0)).schedule_lag_ms;
        let progress = "progress: 1.0 s, 57.0 tps, lat 6.400 ms stddev 5.852, 0 failed, lag 0.269 ms\n";
        assert_eq!(lag(progress), Some(0.269));
        let summary = format!("{progress}rate limit schedule lag: avg 0.157 (max 19.533) ms\n");
        assert_eq!(lag(&summary), Some(0.157));
        assert_eq!(lag("progress: 1.0 s, 57.0 tps, lat 6.400 ms stddev 5.852, 0 failed\n"), None);
        let queue = |text: &str| read(&output(text, 0.0)).queue_length;
        // As sysbench 1.0.20 prints it.
        assert_eq!(
            queue("[ 1s ] queue length: 0 concurrency: 0\n[ 2s ] queue length: 12 concurrency: 4\n"),
            Some(12)
        );
        assert_eq!(queue("[ 2s ] queue length: concurrency: 4\n"), None);
    }

    #[test]
    fn lines_of_any_program_are_metrics_only_where_they_are_a_name_and_a_number() {
        let report = read(&output("batch_requests_per_s=1310.5\nscale = 3\ntps=fast\nx.y=1\n", 0.0));
        let metrics: Vec<_> = report.metrics.into_iter().collect();
        assert_eq!(metrics, [("batch_requests_per_s".to_owned(), 1_310.5)]);
        assert_eq!(report.name, None);
    }

    #[test]
    fn lines_of_strangers_are_never_a_panic() {
        for line in [
            "progress: ",
            "progress: x s, y tps",
            "[ s ] tps: ",
            "[1s ] tps: ",
            "transactions:",
            "number of threads: 99999999999",
        ] {
            let report = read(&output(line, 0.0));
            assert!(report.intervals.is_empty() && report.thread_count.is_none(), "{line}");
        }
    }
}
