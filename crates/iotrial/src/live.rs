//! What a run shows while it lasts, on standard error.
//!
//! On a terminal: a bar with phase and remaining time, and a line for each role with the figures of
//! the last second. Elsewhere: one line every five seconds. With `--quiet`: nothing.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use iotrial_analysis::figures::Figures;
use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::record::{Interval, JobCounts, OpCounts};

/// Where nobody watches, a line comes once in so long.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// From this width on there is room for every figure of a role.
const WIDE_COLUMNS: usize = 72;

/// Shows a run.
pub enum Live {
    /// Nothing.
    Quiet,
    /// Lines.
    Lines(Mutex<LineState>),
    /// Bars.
    Terminal(Bars),
}

/// When the last line was printed.
pub struct LineState {
    last: Instant,
}

/// The bars of a terminal.
pub struct Bars {
    all: MultiProgress,
    main: ProgressBar,
    roles: Vec<(Role, ProgressBar)>,
}

impl Live {
    /// As the user and standard error want it.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            Self::Quiet
        } else if std::io::stderr().is_terminal() {
            let all = MultiProgress::new();
            let main = all.add(ProgressBar::no_length());
            Self::Terminal(Bars { all, main, roles: Vec::new() })
        } else {
            Self::Lines(Mutex::new(LineState { last: Instant::now() }))
        }
    }

    /// So many bytes of files are written.
    pub fn layout(&self, done_bytes: u64, total_bytes: u64) {
        match self {
            Self::Quiet => {}
            Self::Terminal(bars) => {
                if bars.main.length() != Some(total_bytes) {
                    bars.main.set_style(style(
                        "layout   {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  ETA {eta}",
                    ));
                    bars.main.set_length(total_bytes);
                }
                bars.main.set_position(done_bytes);
            }
            Self::Lines(state) => {
                if is_due(state) || done_bytes == total_bytes {
                    line(&format!("layout: {} of {} MiB written", done_bytes >> 20, total_bytes >> 20));
                }
            }
        }
    }

    /// The load begins.
    pub fn start(&mut self, plan: &Plan) {
        let Self::Terminal(bars) = self else { return };
        bars.main.finish_and_clear();
        bars.roles.drain(..).for_each(|(_, line)| line.finish_and_clear());
        bars.main = bars.all.add(ProgressBar::new(plan.duration().as_secs()));
        bars.main.set_style(style("{msg:<8} {wide_bar} {pos} of {len} s  ETA {prefix}"));
        bars.main.set_message("start");
        bars.main.set_prefix(format!("{} s", plan.duration().as_secs()));
        for role in Role::ALL.iter().filter(|role| plan.jobs.iter().any(|job| job.role == **role)) {
            let line = bars.all.add(ProgressBar::no_length());
            line.set_style(style("  {msg}"));
            line.set_message(role.to_string());
            bars.roles.push((*role, line));
        }
    }

    /// An interval is over.
    pub fn interval(&self, plan: &Plan, interval: &Interval) {
        let elapsed = interval.start + interval.duration;
        let remaining = plan.duration().saturating_sub(elapsed);
        match self {
            Self::Quiet => {}
            Self::Terminal(bars) => {
                bars.main.set_message(interval.phase.as_str());
                bars.main.set_prefix(format!("{} s", remaining.as_secs()));
                bars.main.set_position(elapsed.as_secs());
                let columns = usize::from(console::Term::stderr().size().1);
                for (role, line) in &bars.roles {
                    line.set_message(role_line(plan, interval, *role, columns));
                }
            }
            Self::Lines(state) => {
                if is_due(state) || remaining.is_zero() {
                    let roles: Vec<String> = Role::ALL
                        .iter()
                        .filter(|role| plan.jobs.iter().any(|job| job.role == **role))
                        .map(|role| role_line(plan, interval, *role, usize::MAX))
                        .collect();
                    let phase = interval.phase.as_str();
                    line(&format!("{phase}: ETA {} s | {}", remaining.as_secs(), roles.join(" | ")));
                }
            }
        }
    }

    /// Something to say in between, without disturbing the bars.
    pub fn say(&self, text: &str) {
        match self {
            Self::Quiet => {}
            // A line that cannot be shown is not worth ending the run.
            Self::Terminal(bars) => drop(bars.all.println(text)),
            Self::Lines(_) => line(text),
        }
    }

    /// The same of what even those must know who want no progress.
    pub fn warn(&self, text: &str) {
        match self {
            Self::Quiet => line(text),
            _ => self.say(text),
        }
    }

    /// The run is over; the terminal is given back clean.
    pub fn finish(&self) {
        if let Self::Terminal(bars) = self {
            bars.roles.iter().for_each(|(_, line)| line.finish_and_clear());
            bars.main.finish_and_clear();
        }
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
    let errors = if both.error_count > 0 { format!("  {} errors", both.error_count) } else { String::new() };
    let (mean, p99) = (ms(figures.lat_mean_us), ms(figures.lat_p99_us));
    format!(
        "{role:<6} {:>8.0} IOPS{bandwidth}  avg {mean} ms  p99 {p99} ms{errors}",
        figures.iops.unwrap_or(0.0)
    )
}

/// A line on standard error; whoever does not listen any more must not end the run.
fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn is_due(state: &Mutex<LineState>) -> bool {
    let Ok(mut state) = state.lock() else { return false };
    let due = state.last.elapsed() >= LINE_EVERY;
    if due {
        state.last = Instant::now();
    }
    due
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are constants").progress_chars("━╸─")
}
