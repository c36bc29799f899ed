//! What a session shows while it works, on standard error.
//!
//! On a terminal: a bar with phase and remaining time, and a line for each role with the figures of
//! the last second. Elsewhere: one line every five seconds. With `--quiet`: nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use iotrial_analysis::figures::Figures;
use iotrial_model::foreign_text::harmless_lines;
use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::record::{Interval, JobCounts, OpCounts, RunRecord};
use iotrial_session::observer::Observer;

use crate::output::{line, stderr_is_terminal};

/// Where nobody watches, a line comes once in so long.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// From this width on there is room for every figure of a role.
const WIDE_COLUMNS: usize = 72;

/// Shows what a session does.
pub struct Live {
    shows: Shows,
    /// How long everything still takes, from the beginning of the load under way on; `None` where that load is all.
    left: Mutex<Option<Duration>>,
    /// The load under way is over before anybody has read what is shown of it: a bar would only flicker.
    is_brief: AtomicBool,
}

enum Shows {
    /// Nothing but what everybody must know.
    Quiet,
    /// Lines; when the last one about the load was printed.
    Lines(Mutex<Instant>),
    /// A bar for the phase, and a line for each role below it.
    Terminal(MultiProgress, Mutex<Bars>),
}

/// The bars of a terminal.
struct Bars {
    main: ProgressBar,
    roles: Vec<(Role, ProgressBar)>,
}

impl Live {
    /// As the user and standard error want it.
    pub fn new(quiet: bool) -> Self {
        Self::showing(if quiet {
            Shows::Quiet
        } else if stderr_is_terminal() {
            // On standard error: standard output may be a file, and must hold nothing but results.
            let all = MultiProgress::new();
            let main = all.add(ProgressBar::no_length());
            Shows::Terminal(all, Mutex::new(Bars { main, roles: Vec::new() }))
        } else {
            Shows::Lines(Mutex::new(Instant::now()))
        })
    }

    /// Where there is no load to be shown.
    pub fn quiet() -> Self {
        Self::showing(Shows::Quiet)
    }

    const fn showing(shows: Shows) -> Self {
        Self { shows, left: Mutex::new(None), is_brief: AtomicBool::new(false) }
    }

    /// How long everything takes from the beginning of the load of this plan on.
    fn whole(&self, plan: &Plan) -> Duration {
        let left = self.left.lock().map_or(None, |left| *left);
        left.unwrap_or_default().max(plan.duration())
    }
}

impl Observer for Live {
    fn say(&self, text: &str) {
        match &self.shows {
            Shows::Quiet => {}
            // Without disturbing the bars. A line that cannot be shown is not worth ending the run.
            Shows::Terminal(all, _) => drop(all.println(harmless_lines(text))),
            Shows::Lines(_) => line(text),
        }
    }

    fn warn(&self, text: &str) {
        match &self.shows {
            Shows::Quiet => line(text),
            _ => self.say(text),
        }
    }

    fn layout(&self, done_bytes: u64, total_bytes: u64) {
        match &self.shows {
            Shows::Quiet => {}
            Shows::Terminal(all, bars) => {
                let Ok(mut bars) = bars.lock() else { return };
                // The bar of an earlier load is gone from the terminal and does not come back.
                if bars.main.is_finished() {
                    bars.main = all.add(ProgressBar::no_length());
                }
                if bars.main.length() != Some(total_bytes) {
                    bars.main.set_style(style(
                        "layout   {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  ETA {eta}",
                    ));
                    bars.main.set_length(total_bytes);
                }
                bars.main.set_position(done_bytes);
            }
            Shows::Lines(last) => {
                if is_due(last) || done_bytes == total_bytes {
                    line(format_args!("layout: {} of {} MiB written", done_bytes >> 20, total_bytes >> 20));
                }
            }
        }
    }

    fn left(&self, left: Duration) {
        if let Ok(mut last) = self.left.lock() {
            *last = Some(left);
        }
    }

    fn start(&self, record: &RunRecord, is_brief: bool) {
        self.is_brief.store(is_brief, Ordering::Relaxed);
        if is_brief {
            return;
        }
        let plan = &record.plan;
        let Shows::Terminal(all, bars) = &self.shows else { return };
        let Ok(mut bars) = bars.lock() else { return };
        // A search makes many loads, each with bars of its own.
        bars.clear();
        bars.main = all.add(ProgressBar::new(plan.duration().as_secs()));
        bars.main.set_style(style("{msg:<8} {wide_bar} {pos} of {len} s  ETA {prefix}"));
        bars.main.set_message("start");
        bars.main.set_prefix(format!("{} s", self.whole(plan).as_secs()));
        // Only roles that the plan has; their lines keep their order, so that the eye finds them again.
        for role in Role::ALL.iter().filter(|role| plan.jobs.iter().any(|job| job.role == **role)) {
            let line = all.add(ProgressBar::no_length());
            line.set_style(style("  {msg}"));
            line.set_message(role.to_string());
            bars.roles.push((*role, line));
        }
    }

    fn interval(&self, plan: &Plan, interval: &Interval) {
        if self.is_brief.load(Ordering::Relaxed) {
            return;
        }
        let elapsed = interval.start + interval.duration;
        // Of all loads of a search, and not of the one under way: that is what somebody waits for.
        let remaining = self.whole(plan).saturating_sub(elapsed);
        let is_last = elapsed >= plan.duration();
        match &self.shows {
            Shows::Quiet => {}
            Shows::Terminal(_, bars) => {
                let Ok(bars) = bars.lock() else { return };
                bars.main.set_message(stage(plan, interval));
                bars.main.set_prefix(format!("{} s", remaining.as_secs()));
                bars.main.set_position(elapsed.as_secs());
                // Asked each time: a window is resized while a run goes on.
                let columns = usize::from(console::Term::stderr().size().1);
                for (role, line) in &bars.roles {
                    line.set_message(role_line(plan, interval, *role, columns));
                }
            }
            Shows::Lines(last) => {
                // The last second is always shown, so that a log ends with the end.
                if is_due(last) || is_last {
                    let roles: Vec<String> = Role::ALL
                        .iter()
                        .filter(|role| plan.jobs.iter().any(|job| job.role == **role))
                        .map(|role| role_line(plan, interval, *role, usize::MAX))
                        .collect();
                    let stage = stage(plan, interval);
                    line(format_args!("{stage}: ETA {} s | {}", remaining.as_secs(), roles.join(" | ")));
                }
            }
        }
    }

    fn finish(&self) {
        if let Ok(mut left) = self.left.lock() {
            *left = None;
        }
        if let Shows::Terminal(_, bars) = &self.shows
            && let Ok(mut bars) = bars.lock()
        {
            bars.clear();
        }
    }
}

/// The phase that an interval is of, or its step: `ramp`, `step 2`.
fn stage(plan: &Plan, interval: &Interval) -> String {
    let begun = plan.step_borders().iter().filter(|border| **border <= interval.start).count();
    match begun {
        0 => interval.phase.as_str().to_owned(),
        number => format!("step {number}"),
    }
}

impl Bars {
    /// Gives the terminal back clean.
    fn clear(&mut self) {
        self.roles.drain(..).for_each(|(_, line)| line.finish_and_clear());
        self.main.finish_and_clear();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

/// `data   12345 IOPS   96.4 MiB/s   avg 0.87 ms   p99 2.41 ms`, reads and writes together; without the
/// bandwidth where the terminal is too narrow for it.
fn role_line(plan: &Plan, interval: &Interval, role: Role, columns: usize) -> String {
    let mut jobs = JobCounts::default();
    // Histograms are merged and asked once: percentiles of several jobs cannot be averaged.
    for (_, counts) in plan.jobs.iter().zip(&interval.jobs).filter(|(job, _)| job.role == role) {
        jobs.merge(counts);
    }
    let mut both = OpCounts::default();
    jobs.read.iter().chain(&jobs.write).for_each(|op| both.merge(op));
    let figures = Figures::new(&both, interval.duration);
    let ms = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), |us| format!("{:.2}", us / 1_000.0));
    let bandwidth = match columns {
        WIDE_COLUMNS.. => format!(" {:>7.1} MiB/s", figures.bandwidth_mib_per_s.unwrap_or(0.0)),
        _ => String::new(),
    };
    // A column that is nearly always zero hides the one time when it is not.
    let errors = if both.error_count > 0 { format!("  {} errors", both.error_count) } else { String::new() };
    let (mean, p99) = (ms(figures.lat_mean_us), ms(figures.lat_p99_us));
    format!(
        "{role:<6} {:>8.0} IOPS{bandwidth}  avg {mean} ms  p99 {p99} ms{errors}",
        figures.iops.unwrap_or(0.0)
    )
}

fn is_due(last: &Mutex<Instant>) -> bool {
    let Ok(mut last) = last.lock() else { return false };
    let due = last.elapsed() >= LINE_EVERY;
    if due {
        *last = Instant::now();
    }
    due
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are constants").progress_chars("━╸─")
}
