//! What a session shows of itself while it works, on standard error.
//!
//! On a terminal: one block that is painted again, with phase, time left and a row for each role. Elsewhere: a line every ten seconds and
//! where a phase begins. With `--quiet`: nothing.

mod load_block;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use iotrial_analysis::live_load::LiveInterval;
use iotrial_model::plan::Plan;

use crate::output::{clear_block, line, show_block, stderr_has_colours, stderr_takes_escapes};
use load_block::{LoadBlock, layout_line, plain_layout, plain_line};

/// Where nobody watches, a line comes once in so long.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// A terminal is painted no more often: the seconds of a simulated device pass faster than anybody reads.
const PAINT_EVERY: Duration = Duration::from_millis(100);
/// The phases of shorter loads are not told one by one where nobody watches.
// A choice: a search makes a load every few seconds, and says of each what came of it.
const LONG_LOAD: Duration = Duration::from_secs(20);

/// Shows what a session does.
pub struct Live {
    shows: Shows,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Nothing but what everybody must know.
    Quiet,
    /// Lines.
    Lines,
    /// A block that is painted again.
    Block,
}

/// What was shown last, and of what.
#[derive(Default)]
struct State {
    /// When the block or a line about the load was shown last.
    shown: Option<Instant>,
    /// When the layout began.
    layout: Option<Instant>,
    /// The load under way; `None` of a brief one, of which a block would only flicker.
    load: Option<LoadBlock>,
}

impl Live {
    /// As the user and standard error want it. `has_stream` says that standard output shows every second already.
    pub fn new(quiet: bool, has_stream: bool) -> Self {
        // A block would be torn by the lines of the stream, on the same terminal.
        let is_torn = has_stream && crate::output::stdout_is_terminal();
        let shows = match (quiet, stderr_takes_escapes() && !is_torn) {
            (true, _) => Shows::Quiet,
            (false, true) => Shows::Block,
            (false, false) => Shows::Lines,
        };
        Self { shows, state: Mutex::new(State::default()) }
    }

    /// Progress in words.
    pub fn say(&self, text: &str) {
        if self.shows != Shows::Quiet {
            line(text);
        }
    }

    /// So many bytes of all test files are written.
    pub fn layout(&self, done_bytes: u64, total_bytes: u64) {
        let mut state = self.state();
        let begin = *state.layout.get_or_insert_with(Instant::now);
        let is_last = done_bytes >= total_bytes;
        match self.shows {
            Shows::Quiet => {}
            Shows::Block => {
                if state.is_due(PAINT_EVERY) || is_last {
                    let (_, width) = size();
                    show_block(vec![layout_line(done_bytes, total_bytes, begin.elapsed(), width)]);
                }
            }
            Shows::Lines => {
                if state.is_due(LINE_EVERY) || is_last {
                    line(plain_layout(done_bytes, total_bytes, begin.elapsed()));
                }
            }
        }
        if is_last {
            state.layout = None;
        }
    }

    /// A load begins; one that is brief is over before anybody has read what is shown of it.
    pub fn start(&self, plan: &Plan, is_brief: bool) {
        let mut state = self.state();
        state.load = (!is_brief).then(|| LoadBlock::new(plan));
        if let (Shows::Block, Some(load)) = (self.shows, &state.load) {
            let (height, width) = size();
            show_block(load.before(plan, (width, height), stderr_has_colours()));
        }
    }

    /// An interval of it is over.
    pub fn interval(&self, interval: &LiveInterval<'_>) {
        let mut state = self.state();
        if self.shows == Shows::Quiet {
            return;
        }
        let Some(load) = &mut state.load else { return };
        let begins = load.add(interval);
        let is_long = interval.load() == 1 || interval.plan().duration() >= LONG_LOAD;
        match self.shows {
            Shows::Quiet => {}
            Shows::Block => {
                if state.is_due(PAINT_EVERY) || interval.is_last() {
                    let (height, width) = size();
                    let load = state.load.as_ref().expect("it was there");
                    show_block(load.lines(interval, (width, height), stderr_has_colours()));
                }
            }
            Shows::Lines => {
                // The last second is always shown, so that a log ends with the end.
                let is_end = interval.is_last() && interval.left().is_zero();
                if begins && is_long || is_end {
                    state.shown = None;
                }
                if state.is_due(LINE_EVERY) {
                    line(plain_line(interval));
                }
            }
        }
    }

    /// The load is over; a terminal is given back clean.
    pub fn finish(&self) {
        self.state().load = None;
        if self.shows == Shows::Block {
            clear_block();
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

impl State {
    /// Whether it is time to show something again; if so, it is taken as shown.
    fn is_due(&mut self, every: Duration) -> bool {
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= every);
        if due {
            self.shown = Some(Instant::now());
        }
        due
    }
}

/// Height and width of the terminal. Asked each time: a window is resized while a run goes on.
fn size() -> (usize, usize) {
    let (height, width) = console::Term::stderr().size();
    (usize::from(height), usize::from(width))
}
