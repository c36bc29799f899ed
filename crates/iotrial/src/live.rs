//! What a session shows of itself while it works, on standard error.
//!
//! On a terminal: one block that is painted again, with phase or search, time left and a row for each role. Elsewhere: a line every ten
//! seconds, where a phase begins, and for each load of several. With `--quiet`: nothing.

mod load_block;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use iotrial_analysis::live_load::LiveInterval;
use iotrial_model::plan::Plan;
use iotrial_model::search::Search;
use iotrial_report::text::wrap;

use crate::output::{
    clear_block, harmless, line, lines, show_block, stderr_has_colours, stderr_is_terminal,
    stderr_takes_escapes,
};
use load_block::{LoadBlock, Searched, bytes_line, plain_bytes, plain_line};

/// Where nobody watches, a line comes once in so long.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// A terminal is painted no more often: the seconds of a simulated device pass faster than anybody reads.
const PAINT_EVERY: Duration = Duration::from_millis(100);
/// A terminal in which no two words stand side by side.
const NARROWEST: usize = 20;
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
    /// `None` outside of a search.
    searched: Option<Searched>,
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
            line_of_words(text);
        }
    }

    /// One load of several is over. The block has what matters of it, and the end the rest.
    pub fn load_over(&self, text: &str) {
        if self.shows == Shows::Lines {
            line_of_words(text);
        }
    }

    /// A load of a search follows.
    pub fn searching(&self, search: &Search) {
        self.state().searched = Some(Searched::of(search));
    }

    /// Work that is measured in bytes, and what it is called: so many of all are done.
    pub fn bytes(&self, what: &str, done_bytes: u64, total_bytes: u64) {
        let mut state = self.state();
        let begin = *state.layout.get_or_insert_with(Instant::now);
        let is_last = done_bytes >= total_bytes;
        match self.shows {
            Shows::Quiet => {}
            Shows::Block => {
                if state.is_due(PAINT_EVERY) || is_last {
                    let (_, width) = size();
                    show_block(vec![bytes_line(what, done_bytes, total_bytes, begin.elapsed(), width)]);
                }
            }
            Shows::Lines => {
                if state.is_due(LINE_EVERY) || is_last {
                    line(plain_bytes(what, done_bytes, total_bytes, begin.elapsed()));
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
        // Between two loads of a search what was shown stays.
        let is_first = state.searched.as_ref().is_none_or(Searched::is_first);
        if let (Shows::Block, Some(load), true) = (self.shows, &state.load, is_first) {
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
                    let searched = state.searched.as_ref();
                    show_block(load.lines(interval, searched, (width, height), stderr_has_colours()));
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
        let mut state = self.state();
        (state.load, state.searched) = (None, None);
        drop(state);
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

/// Says a line; on a terminal that is narrower it is broken between its words.
fn line_of_words(text: &str) {
    let (text, (_, width)) = (harmless(text), size());
    if stderr_is_terminal() && text.chars().count() > width && width > NARROWEST {
        lines(wrap(&text, width).join("\n"));
    } else {
        line(text);
    }
}

/// Height and width of the terminal. Asked each time: a window is resized while a run goes on.
fn size() -> (usize, usize) {
    let (height, width) = console::Term::stderr().size();
    (usize::from(height), usize::from(width))
}
