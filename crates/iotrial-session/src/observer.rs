//! Who watches a session while it works.

use std::time::Duration;

use iotrial_model::plan::Plan;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::search::Search;

/// Hears what there is to say, and sees the load second by second.
///
/// A session never waits for its observer and never ends because of it: whoever cannot show something any more keeps that to
/// itself. Loads follow one another on the same observer: what [`Observer::start`] began ends with [`Observer::finish`] or with the
/// next start.
pub trait Observer: Send + Sync {
    /// Progress in a line or a few: what is going to happen, what was found. Who wants no progress does not hear it.
    fn say(&self, text: &str);

    /// The same of what everybody must know: a warning, an error that does not end the work. The text says which of them it is.
    fn warn(&self, text: &str);

    /// One load of several is over, and what came of it in a line. Who sees them pass needs no list of them.
    fn load_over(&self, text: &str) {
        self.say(text);
    }

    /// A load of a search follows; what the others have shown by now is in it.
    fn searching(&self, _search: &Search) {}

    /// Files are being laid out: so many bytes of all are written. Several threads may tell it at once.
    fn layout(&self, done_bytes: u64, total_bytes: u64);

    /// What was written is compared once more after the load: so many bytes of all are read. Several threads may tell it at once.
    fn comparing(&self, _done_bytes: u64, _total_bytes: u64) {}

    /// All the loads that are still to come take so long, at most. Only work of several loads tells it, before each of them.
    fn left(&self, _left: Duration) {}

    /// The load of a record begins, and of its plan. One that is brief, such as a probe of a search, is over before anybody has read what
    /// is shown of it.
    fn start(&self, record: &RunRecord, is_brief: bool);

    /// An interval of that load is over.
    fn interval(&self, plan: &Plan, interval: &Interval);

    /// The load of a record is over, and what it brought is in it: before [`Observer::finish`], and not of a load that could not be made.
    fn ended(&self, _record: &RunRecord) {}

    /// The load is over; a terminal is given back clean. May be called without a start, and more than once.
    fn finish(&self);
}
