//! The loop: one for every engine. It draws the next I/O, stamps, submits, reaps, records.
//!
//! A closed lane issues its next I/O when one completes, so that the outstanding I/Os stay what the plan
//! says. An open lane issues an I/O when it is due; what cannot be issued for want of a free slot stays due,
//! and its latency runs from then. In a group commit the due I/Os are commits, and all that wait become one
//! write; a job that follows another has I/Os due when the other's are done. Where the load changes in steps, slots of closed lanes
//! rest while there is less of it, and what is due at the end of a step is given up. The loop takes no lock and
//! shares no counter; once per interval it swaps its recorders for empty ones and hands the full ones over.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender};

use iotrial_measure::arrivals::Arrivals;
use iotrial_measure::clock::Clock;
use iotrial_measure::collector::Handover;
use iotrial_measure::control::Control;
use iotrial_measure::recorder::{Issued, JobRecorder};
use iotrial_measure::window::Window;
use iotrial_model::load::Direction;
use iotrial_model::plan::Plan;

use crate::followers::Followers;
use crate::group_commit::LogWriter;
use crate::lane::Lane;
use crate::lateness::{LATE_NS, Lateness};
use crate::queue::{Completion, Handing, IoQueue, Request};
use crate::resting::Resting;

/// The longest time that the loop waits without looking whether it is to stop. A tenth of a second after
/// Ctrl-C is at once to a person; ten wake-ups a second cost nothing that a counter shows.
const LONGEST_WAIT_NS: u64 = 100_000_000;

/// A reap that took no longer than this did not wait: what it brought may have been there for as long as
/// nobody looked. An idle CPU needs 25 µs in the median to wake a sleeper, so that a call that slept hardly
/// ever comes back sooner.
const PROMPT_NS: u64 = 50_000;

/// A wait for the device of which it is asked how much of it the thread waited for a CPU: often enough for any latency that this could make, and
/// too seldom for the asking to cost anything.
const LONG_WAIT_NS: u64 = 1_000_000;

/// After so long the next batch is handed over by a call of its own, which times its submission. A batch that
/// is handed over by the call that also waits for completions cannot be timed. At a thousand calls a second
/// the extra ones are lost among hundreds of thousands, and an interval still has a thousand samples.
const SUBMISSION_SAMPLE_NS: u64 = 1_000_000;

/// One outstanding I/O.
struct Slot {
    lane: u32,
    issued: Issued,
}

/// What an open lane needs beside its pace.
#[derive(Default)]
struct OpenLane {
    free_slots: Vec<u32>,
    /// The earliest moment at which its first free slot can have become free, after there was none.
    free_since_ns: u64,
    lateness: Lateness,
}

/// Drives some lanes on one queue.
pub(crate) struct Driver<'r, Q, C> {
    worker: usize,
    queue: Q,
    clock: C,
    lanes: Vec<Lane>,
    windows: &'r [Window],
    control: &'r Control,
    handovers: SyncSender<Handover>,
    spares: Receiver<Vec<JobRecorder>>,
    plan: &'r Plan,

    slots: Vec<Slot>,
    /// Drawn and not submitted.
    staged: Vec<Request>,
    /// What the next reap hands over.
    handed: Vec<Request>,
    /// How long the thread had waited for a CPU when that was asked last.
    waited_for_cpu_ns: u64,
    /// The first batch from then on is timed.
    next_sample_ns: u64,
    recorders: Vec<JobRecorder>,
    /// Index of the window that time is in; their number at the end.
    window: usize,
    /// By lane; unused for closed ones.
    open: Vec<OpenLane>,
    /// The open lanes that have a free slot and an I/O to come, by the time it is due.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    /// By slot, the due times of the commits in a group commit's write.
    commits: Vec<Vec<u64>>,
    followers: Followers,
    /// Slots of closed lanes that wait for those who follow them.
    held: Vec<u32>,
    /// Takes the place of `held` while that is gone through.
    still_held: Vec<u32>,
    resting: Resting,
    /// When the last reap came back: what was done by then has been taken.
    looked_ns: u64,
    /// The earliest moment at which the I/Os that are being taken can have been done.
    done_since_ns: u64,
    /// How long the thread was away before the last reap came back, though it had wanted to look; zero up to [`LATE_NS`].
    away_ns: u64,
    /// The end of the last turn of the loop, where the thread watches the clock and had nothing else to do.
    watching_since_ns: Option<u64>,
    /// Time watched in the window.
    watched_ns: u64,
}

/// What a driver shares with the rest of the run.
pub(crate) struct Wiring<'r> {
    pub(crate) worker: usize,
    pub(crate) plan: &'r Plan,
    pub(crate) windows: &'r [Window],
    pub(crate) control: &'r Control,
    /// Full recorders go out here.
    pub(crate) handovers: SyncSender<Handover>,
    /// Empty ones come back here.
    pub(crate) spares: Receiver<Vec<JobRecorder>>,
}

impl<'r, Q: IoQueue, C: Clock> Driver<'r, Q, C> {
    pub(crate) fn new(queue: Q, clock: C, lanes: Vec<Lane>, wiring: Wiring<'r>) -> Self {
        let Wiring { worker, plan, windows, control, handovers, spares } = wiring;
        let mut slots = Vec::new();
        let mut open: Vec<OpenLane> = lanes.iter().map(|_| OpenLane::default()).collect();
        let mut due = BinaryHeap::new();
        for (index, lane) in (0u32..).zip(&lanes) {
            // Slots are numbered lane by lane, in the order in which the queue was given their lengths: a
            // slot of the loop and the buffer of the queue belong together by this number alone.
            for _ in 0..lane.iodepth() {
                let slot = u32::try_from(slots.len()).expect("a queue has fewer than 2^32 slots");
                slots.push(Slot { lane: index, issued: Issued::default() });
                open[index as usize].free_slots.push(slot);
            }
            if let Some(due_ns) = lane.arrivals.as_ref().and_then(Arrivals::next_due_ns) {
                due.push(Reverse((due_ns, index as usize)));
            }
        }
        let slot_count = slots.len();
        let commits =
            slots.iter().map(|slot| Vec::with_capacity(lanes[slot.lane as usize].commits_to_keep()));
        let commits = commits.collect();
        let followers = Followers::among(plan, &lanes);
        let [staged, handed] = [0, 1].map(|_| Vec::with_capacity(slots.len()));
        let resting = Resting::among(plan, &lanes);
        let recorders = JobRecorder::all(plan);
        Self {
            worker,
            queue,
            clock,
            lanes,
            windows,
            control,
            handovers,
            spares,
            plan,
            slots,
            staged,
            handed,
            waited_for_cpu_ns: 0,
            next_sample_ns: 0,
            recorders,
            window: 0,
            open,
            due,
            commits,
            followers,
            held: Vec::with_capacity(slot_count),
            still_held: Vec::with_capacity(slot_count),
            resting,
            looked_ns: 0,
            done_since_ns: 0,
            away_ns: 0,
            watching_since_ns: None,
            watched_ns: 0,
        }
    }

    /// Runs the whole load and waits for the I/Os in flight at its end.
    ///
    /// # Errors
    ///
    /// When the queue broke.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut completions: Vec<Completion> = Vec::with_capacity(self.slots.len());
        // Everything that the loop will need is made by now: the first I/O is as fast as the others.
        let now_ns = self.clock.now_ns();
        for lane in 0..self.lanes.len() {
            // All that a closed load keeps outstanding goes out in one batch; from then on each completion
            // sends the next one.
            if self.lanes[lane].arrivals.is_none() {
                for slot in std::mem::take(&mut self.open[lane].free_slots) {
                    self.go_on(slot, now_ns);
                }
            }
        }
        self.stage_due(now_ns);
        self.submit(now_ns)?;
        while self.window < self.windows.len() && !self.control.is_stopping() {
            // First what is done, then what is due: a completion frees the slot that an arrival waits for,
            // and the device gets the next I/Os of a closed load in the same call that looks for more
            // completions. The other way round each turn would enter the kernel twice, and that is most of
            // what an I/O through the page cache costs.
            let called_ns = self.clock.now_ns();
            let wait_until_ns = self.wait_until_ns(called_ns);
            self.queue.reap(&mut completions, wait_until_ns)?;
            let now_ns = self.clock.now_ns();
            self.note_turn(called_ns, now_ns, wait_until_ns, &completions);
            for completion in completions.drain(..) {
                // An I/O counts in the window in which it completed, and a thread may look only after the
                // window's end.
                self.end_windows_until(completion.completed_at_ns);
                self.take(&completion, now_ns);
            }
            if self.away_ns > 0 {
                self.note_handed_late(self.away_ns, now_ns);
            }
            self.handed.clear();
            self.end_windows_until(now_ns);
            // After the last window nothing is issued: it would be in flight in no window, and only keep the
            // end waiting.
            if self.window < self.windows.len() {
                self.stage_due(now_ns);
                // Only now: what the followers just took off their queues may be what a held slot waits for.
                self.release(now_ns);
                while let Some(slot) = self.resting.wake(now_ns) {
                    self.stage(slot, now_ns, false);
                }
                self.submit(now_ns)?;
            }
        }
        // A load that was stopped has counted up to here. Never beyond the window's end: what the clock shows
        // past it was no part of the window, however late the thread looks.
        if let Some(cut_short) = self.windows.get(self.window) {
            let end_ns = self.clock.now_ns().clamp(cut_short.start_ns, cut_short.end_ns);
            self.hand_over(end_ns, true);
        }
        // Only now, after the last handover: what is waited for here is in no figure, so that it may take as
        // long as it likes.
        let in_flight = self.in_flight();
        self.drain(in_flight, completions)
    }

    /// Notes what the thread did in a reap, called to wait until a time: watched the clock, waited, or
    /// brought I/Os that may have been done for a while.
    #[inline]
    fn note_turn(&mut self, called_ns: u64, now_ns: u64, wait_until_ns: u64, completions: &[Completion]) {
        let may_wait = wait_until_ns > called_ns;
        // No time to sleep in, and nothing to do.
        let is_watching = !may_wait && self.handed.is_empty() && completions.is_empty();
        if is_watching {
            // From the end of the turn before, where that watched as well: what lies between two reaps is
            // watching too.
            self.watched_ns += now_ns - self.watching_since_ns.unwrap_or(called_ns);
        }
        self.watching_since_ns = is_watching.then_some(now_ns);
        // A reap that waited found nothing when it was called; when it was woken, and how late, nobody knows.
        let has_waited = may_wait && now_ns - called_ns > PROMPT_NS;
        self.done_since_ns = if has_waited { now_ns } else { self.looked_ns };
        // It wanted to look when it asked to be woken, or at once. From then on it was away: not scheduled, or busy with what it had
        // found before.
        let wanted_ns = self.looked_ns.max(wait_until_ns.saturating_add(C::WAKES_LATE_BY_NS));
        let away_ns = now_ns.saturating_sub(wanted_ns);
        self.away_ns = if away_ns > LATE_NS { away_ns } else { 0 };
        if away_ns <= LATE_NS && now_ns - self.looked_ns > LONG_WAIT_NS {
            self.away_ns = self.away_beside_the_device(now_ns);
        }
        if self.away_ns > 0 {
            self.note_away(now_ns);
        }
        self.looked_ns = now_ns;
    }

    /// How long the thread waited for a CPU since it looked, where it waited for the device because all slots of a lane are taken while its I/Os fall due.
    /// When it wanted to look is not known there: a completion would have woken it, and nobody knows when that came.
    #[cold]
    fn away_beside_the_device(&mut self, now_ns: u64) -> u64 {
        let is_full = |(lane, open): (&Lane, &OpenLane)| {
            let next_due_ns = lane.arrivals.as_ref().and_then(Arrivals::next_due_ns);
            open.free_slots.is_empty() && next_due_ns.is_some_and(|due_ns| due_ns < now_ns)
        };
        if !self.lanes.iter().zip(&self.open).any(is_full) {
            return 0;
        }
        let before_ns = std::mem::replace(&mut self.waited_for_cpu_ns, self.clock.waited_for_cpu_ns());
        // What was waited before that is counted elsewhere, where it made anything late.
        let away_ns = self.waited_for_cpu_ns.saturating_sub(before_ns).min(now_ns - self.looked_ns);
        if away_ns > LATE_NS { away_ns } else { 0 }
    }

    /// Charges the generator with what waits in open lanes while it was away.
    #[cold]
    fn note_away(&mut self, now_ns: u64) {
        if self.away_ns > LONG_WAIT_NS {
            self.waited_for_cpu_ns = self.clock.waited_for_cpu_ns();
        }
        for (lane, open) in self.lanes.iter().zip(&mut self.open) {
            let next_due_ns = lane.arrivals.as_ref().and_then(Arrivals::next_due_ns);
            if next_due_ns.is_some_and(|due_ns| due_ns < now_ns) {
                // What was done meanwhile is not taken yet.
                let outstanding = lane.iodepth() as usize - open.free_slots.len();
                open.lateness.note_away(self.away_ns, outstanding);
            }
        }
    }

    /// The thread was away while it handed I/Os over: those that are not done yet may have come to the device late by that.
    // What is done has its slot free by now, and what is charged there is gone with its next I/O.
    #[cold]
    fn note_handed_late(&mut self, late_ns: u64, now_ns: u64) {
        for request in &self.handed {
            let slot = &mut self.slots[request.slot as usize];
            if self.lanes[slot.lane as usize].arrivals.is_some() {
                slot.issued.held_ns += late_ns;
                self.open[slot.lane as usize].lateness.note_late(slot.issued.held_ns, now_ns);
            }
        }
    }

    /// The next moment at which the loop has something to do beside completions.
    #[inline]
    fn wait_until_ns(&self, now_ns: u64) -> u64 {
        // To the end of the window as well: its recorders are handed over then, also where nothing completes
        // any more.
        let until_ns = self.windows[self.window].end_ns.min(now_ns + LONGEST_WAIT_NS);
        let until_ns = self.resting.next_ns().map_or(until_ns, |wake_ns| until_ns.min(wake_ns));
        match self.due.peek() {
            // A sleeping thread wakes up late: the last stretch is watched instead of slept.
            Some(Reverse((due_ns, _))) => until_ns.min(due_ns.saturating_sub(C::WAKES_LATE_BY_NS)),
            None => until_ns,
        }
    }

    /// Draws the next I/O of the slot's lane.
    #[inline]
    fn stage(&mut self, slot: u32, created_at_ns: u64, late: bool) {
        let lane = self.slots[slot as usize].lane as usize;
        let request = self.lanes[lane].next_request(slot);
        self.stage_request(request, created_at_ns, late);
    }

    #[inline]
    fn stage_request(&mut self, request: Request, created_at_ns: u64, late: bool) {
        let Request { slot, direction, length, .. } = request;
        self.slots[slot as usize].issued = Issued {
            direction,
            length,
            created_at_ns,
            submitted_at_ns: None,
            late,
            held_ns: 0,
            seen_late_ns: 0,
        };
        self.staged.push(request);
    }

    /// Draws every I/O of an open lane that is due and has a slot.
    #[inline]
    fn stage_due(&mut self, now_ns: u64) {
        // One moment for all: asking the clock again would let a loop that is behind draw for as long as I/Os
        // become due, and hand over none of them.
        while let Some(Reverse((due_ns, lane))) = self.due.peek().copied() {
            if due_ns > now_ns {
                return;
            }
            self.due.pop();
            let open = &mut self.open[lane];
            let slot = open.free_slots.pop().expect("a lane among the due ones has a free slot");
            // Late counts from when both were there, the arrival and a slot for it. What waited for a slot
            // waited for the device.
            let late = now_ns - due_ns.max(open.free_since_ns) > LATE_NS;
            let outstanding = self.lanes[lane].iodepth() as usize - open.free_slots.len() - 1;
            let held_ns = open.lateness.charge(due_ns, now_ns, outstanding);
            let was_away = open.lateness.was_away();
            if self.lanes[lane].log().is_some() {
                self.stage_log_write(slot, now_ns, late);
            } else {
                // Created when it was due and not now: otherwise a device that stalls would be charged for
                // the I/Os that it had, and not for those that it kept from being issued (coordinated
                // omission).
                self.stage(slot, due_ns, late);
                self.arrivals(lane).advance();
            }
            self.slots[slot as usize].issued.held_ns = held_ns;
            if was_away && self.arrivals(lane).next_due_ns().is_none_or(|next_ns| next_ns > now_ns) {
                self.open[lane].lateness.none_waits();
            }
            self.await_next(lane);
        }
    }

    /// Puts the commits that wait into one write. The write begins now; what its commits waited is theirs.
    fn stage_log_write(&mut self, slot: u32, now_ns: u64, late: bool) {
        let index = self.slots[slot as usize].lane as usize;
        let lane = &mut self.lanes[index];
        let most_commits = lane.log().map_or(1, LogWriter::most_commits);
        let arrivals = lane.arrivals.as_mut().expect("a group commit has arrivals");
        let commits = &mut self.commits[slot as usize];
        commits.clear();
        // What does not fit waits for the next write, as it would in the database.
        while let Some(due_ns) = arrivals.next_due_ns().filter(|due_ns| *due_ns <= now_ns) {
            if commits.len() as u64 == most_commits {
                break;
            }
            commits.push(due_ns);
            arrivals.advance();
        }
        let request = lane.next_log_write(slot, commits.len() as u64);
        self.stage_request(request, now_ns, late);
    }

    /// Waits for the lane's next I/O, where it has a slot for it and knows when it is due.
    ///
    /// A lane without a free slot is not among the due ones: at twice the rate of the device it would be on
    /// top for ever, and the loop would spin over it instead of waiting for the completion that helps.
    #[inline]
    fn await_next(&mut self, lane: usize) {
        if let (false, Some(due_ns)) =
            (self.open[lane].free_slots.is_empty(), self.arrivals(lane).next_due_ns())
        {
            self.due.push(Reverse((due_ns, lane)));
        }
    }

    #[inline]
    fn arrivals(&mut self, lane: usize) -> &mut Arrivals {
        self.lanes[lane].arrivals.as_mut().expect("only open lanes have I/Os due")
    }

    #[inline]
    fn submit(&mut self, now_ns: u64) -> io::Result<()> {
        if self.staged.is_empty() {
            return Ok(());
        }
        self.watching_since_ns = None;
        // The whole batch goes at once: the queue knows better than the loop how to split it for its device.
        if now_ns < self.next_sample_ns {
            self.queue.submit(&self.staged, Handing::WithReap)?;
            std::mem::swap(&mut self.staged, &mut self.handed);
            return Ok(());
        }
        // From this batch and not from when it was planned: after a pause, samples would be made up for one
        // after the other.
        self.next_sample_ns = now_ns + SUBMISSION_SAMPLE_NS;
        self.queue.submit(&self.staged, Handing::AtOnce)?;
        // One stamp for the batch: one call handed all of it over, and none of it was with the device for
        // certain before.
        let submitted_at_ns = self.clock.now_ns();
        for request in &self.staged {
            self.slots[request.slot as usize].issued.submitted_at_ns = Some(submitted_at_ns);
        }
        let late_ns = submitted_at_ns - now_ns;
        if late_ns > LATE_NS {
            std::mem::swap(&mut self.staged, &mut self.handed);
            self.note_handed_late(late_ns, submitted_at_ns);
            std::mem::swap(&mut self.staged, &mut self.handed);
        }
        self.staged.clear();
        Ok(())
    }

    /// Counts an I/O that is done, and lets its slot go on.
    #[inline]
    fn take(&mut self, completion: &Completion, now_ns: u64) {
        // Done at some time while nobody looked. A closed load promises no times at which anything is due.
        if self.away_ns > 0 {
            let slot = &mut self.slots[completion.slot as usize];
            if self.lanes[slot.lane as usize].arrivals.is_some() {
                slot.issued.seen_late_ns = self.away_ns.min(now_ns.saturating_sub(slot.issued.created_at_ns));
            }
        }
        let slot = &self.slots[completion.slot as usize];
        let lane = slot.lane as usize;
        let job = self.lanes[lane].job;
        // First the record, then what follows from it: the slot is about to be filled with its next I/O.
        let recorder = &mut self.recorders[job];
        recorder.record(&slot.issued, completion.completed_at_ns, completion.outcome);
        if self.lanes[lane].log().is_some() {
            let due_ns = &self.commits[completion.slot as usize];
            recorder.record_commits(due_ns, &slot.issued, completion.completed_at_ns, completion.outcome);
        }
        let has_followers = self.followers.has(job);
        if has_followers {
            self.lead(job, slot.issued.direction, completion.completed_at_ns);
        }
        if self.lanes[lane].arrivals.is_some() {
            return self.free(completion.slot);
        }
        // A closed job goes as fast as the device lets it. Where its followers do not keep up, their queue
        // would grow for ever, and the mix that is measured would not be the one that was asked.
        if has_followers && self.followers.are_behind(job, &self.lanes) {
            return self.held.push(completion.slot);
        }
        // Created now, and not when the one before completed: what lies between is the loop's own time, and
        // no I/O waited in it.
        self.go_on(completion.slot, now_ns);
    }

    /// The next I/O of a closed lane's slot, or its rest while there is not enough load for it.
    #[inline]
    fn go_on(&mut self, slot: u32, now_ns: u64) {
        if !self.resting.takes(slot, now_ns) {
            self.stage(slot, now_ns, false);
        }
    }

    /// Gives a slot back to its open lane.
    #[inline]
    fn free(&mut self, slot: u32) {
        let lane = self.slots[slot as usize].lane as usize;
        let open = &mut self.open[lane];
        let had_none = open.free_slots.is_empty();
        open.free_slots.push(slot);
        // With others free the lane is among the due ones already, or has no arrival to wait for; once more
        // would issue it twice.
        if had_none {
            open.free_since_ns = self.done_since_ns;
            self.await_next(lane);
        }
    }

    /// Makes I/Os due in the lanes that follow a job, of which an I/O is done.
    fn lead(&mut self, job: usize, direction: Direction, completed_at_ns: u64) {
        let Self { followers, lanes, open, due, .. } = self;
        followers.lead(job, direction, |lane| {
            let Some(Arrivals::Fed(fed)) = &mut lanes[lane].arrivals else { return };
            // Only the first that waits stands in the heap; the next takes its place when that one is issued.
            if fed.is_empty() && !open[lane].free_slots.is_empty() {
                due.push(Reverse((completed_at_ns, lane)));
            }
            fed.push_back(completed_at_ns);
        });
    }

    /// Lets the closed lanes go on whose followers have caught up.
    #[inline]
    fn release(&mut self, now_ns: u64) {
        // Two lists that change places, because staging needs all of `self` and the loop allocates nothing.
        let mut held = std::mem::replace(&mut self.held, std::mem::take(&mut self.still_held));
        for slot in held.drain(..) {
            let job = self.lanes[self.slots[slot as usize].lane as usize].job;
            if self.followers.are_behind(job, &self.lanes) {
                self.held.push(slot);
            } else {
                self.go_on(slot, now_ns);
            }
        }
        self.still_held = held;
    }

    /// Hands over every window that ends by `now_ns`.
    #[inline]
    fn end_windows_until(&mut self, now_ns: u64) {
        while let Some(window) = self.windows.get(self.window).filter(|window| now_ns >= window.end_ns) {
            // What waits is counted one by one only where the load may end: an overloaded open job has
            // millions due, and going through them in every window would be the load that makes it late.
            let Window { end_ns, ends_round, ends_step, .. } = *window;
            let may_end = ends_round || ends_step || self.window + 1 == self.windows.len();
            self.hand_over(end_ns, may_end);
            if ends_step {
                self.give_up(end_ns);
            }
            self.window += 1;
        }
    }

    /// Gives up what is due and was not issued: it was counted, and the next step begins without it.
    #[cold]
    fn give_up(&mut self, end_ns: u64) {
        self.due.clear();
        for lane in 0..self.lanes.len() {
            if let Some(arrivals) = &mut self.lanes[lane].arrivals {
                arrivals.give_up(end_ns);
                self.await_next(lane);
            }
        }
    }

    /// The recorders of the window go out, empty ones take their place.
    #[cold]
    fn hand_over(&mut self, end_ns: u64, may_end: bool) {
        let backlog = if may_end {
            self.note_unfinished(end_ns);
            self.note_not_issued(end_ns)
        } else {
            self.backlog(|arrivals, _| arrivals.backlog_estimate(end_ns))
        };
        // The coordinator sends emptied recorders back. Where it is behind, new ones are made: memory instead
        // of a wait in the loop. In the long run there are two sets for each thread.
        let empty = self.spares.try_recv().unwrap_or_else(|_| JobRecorder::all(self.plan));
        let recorders = std::mem::replace(&mut self.recorders, empty);
        let watched_ns = std::mem::take(&mut self.watched_ns);
        self.waited_for_cpu_ns = self.clock.waited_for_cpu_ns();
        let handover =
            Handover { worker: self.worker, window: self.window, end_ns, recorders, backlog, watched_ns };
        // Whoever reads the handovers may have gone after an abort.
        let _ = self.handovers.send(handover);
    }

    /// Counts what is with the device at the end of the load: without it a device that hangs for good in the
    /// last seconds would look as good as before.
    fn note_unfinished(&mut self, end_ns: u64) {
        // By exclusion, so that the loop keeps no list of what is in flight, which would cost two writes for
        // each I/O.
        let mut idle = vec![false; self.slots.len()];
        let staged = self.staged.iter().map(|request| request.slot);
        let free = self.open.iter().flat_map(|open| &open.free_slots).chain(&self.held).copied();
        for slot in free.chain(staged).chain(self.resting.slots()) {
            idle[slot as usize] = true;
        }
        for (index, slot) in self.slots.iter().enumerate().filter(|(index, _)| !idle[*index]) {
            let lane = &self.lanes[slot.lane as usize];
            let recorder = &mut self.recorders[lane.job];
            recorder.note_unfinished(&slot.issued, end_ns);
            if lane.log().is_some() {
                recorder.note_unfinished_commits(&self.commits[index], end_ns);
            }
        }
    }

    /// Counts what is due and not issued, and tells it by job.
    fn note_not_issued(&mut self, end_ns: u64) -> Vec<u64> {
        self.backlog(|arrivals, recorder| {
            let mut count = 0;
            arrivals.tell_backlog(end_ns, |due_ns| {
                count += 1;
                recorder.note_not_issued(end_ns.saturating_sub(due_ns));
            });
            count
        })
    }

    /// By job, the sum of a count of each open lane's arrivals.
    fn backlog(&mut self, mut count: impl FnMut(&Arrivals, &mut JobRecorder) -> u64) -> Vec<u64> {
        let mut backlog = vec![0; self.plan.jobs.len()];
        for lane in &self.lanes {
            if let Some(arrivals) = &lane.arrivals {
                backlog[lane.job] += count(arrivals, &mut self.recorders[lane.job]);
            }
        }
        backlog
    }

    /// Slots that are with the device.
    fn in_flight(&self) -> usize {
        let free: usize = self.open.iter().map(|open| open.free_slots.len()).sum();
        self.slots.len() - free - self.staged.len() - self.held.len() - self.resting.slots().len()
    }

    /// Waits for what is in flight; it counts nowhere. Without that the buffers could not be freed, nor a
    /// file removed that the device still writes to.
    fn drain(&mut self, mut in_flight: usize, mut completions: Vec<Completion>) -> io::Result<()> {
        while in_flight > 0 && !self.control.is_aborted() {
            let wait_until_ns = self.clock.now_ns() + LONGEST_WAIT_NS;
            self.queue.reap(&mut completions, wait_until_ns)?;
            in_flight -= completions.drain(..).count();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use iotrial_measure::clock::SimClock;
    use iotrial_measure::recorder::Outcome;
    use iotrial_model::histogram::LatencyHistogram;

    use super::*;
    use crate::lane::JobCopy;
    use crate::test_plan::open_job;

    /// The clock of [`SlowHost`], whose sleeps end late.
    #[derive(Clone)]
    struct HostClock(SimClock);

    impl Clock for HostClock {
        const WAKES_LATE_BY_NS: u64 = 50_000;

        fn now_ns(&self) -> u64 {
            self.0.now_ns()
        }
    }

    /// A device that takes 200 µs, and a host on which everything takes the thread some time.
    struct SlowHost {
        clock: SimClock,
        /// Of each submission.
        submission_ns: u64,
        /// Of a reap that hands I/Os over, and of one that only looks.
        handing_ns: u64,
        look_ns: u64,
        hands_over: bool,
        /// I/Os come to the device when the call that submits them comes back, and not when it begins.
        enters_late: bool,
        in_flight: Vec<(u64, u32, u32)>,
    }

    impl SlowHost {
        fn take_ns(&self, ns: u64) {
            self.clock.advance_to(self.clock.now_ns() + ns);
        }
    }

    impl IoQueue for SlowHost {
        fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
            let entry_ns = if self.enters_late { self.submission_ns } else { 0 };
            let done_ns = self.clock.now_ns() + entry_ns + 200_000;
            self.in_flight.extend(requests.iter().map(|request| (done_ns, request.slot, request.length)));
            self.take_ns(self.submission_ns);
            self.hands_over = handing == Handing::WithReap;
            Ok(())
        }

        fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
            let cost_ns = if std::mem::take(&mut self.hands_over) { self.handing_ns } else { self.look_ns };
            let next_ns = self.in_flight.iter().map(|one| one.0).min().unwrap_or(u64::MAX);
            self.clock.advance_to(next_ns.min(wait_until_ns));
            self.take_ns(cost_ns);
            let now_ns = self.clock.now_ns();
            self.in_flight.retain(|(done_ns, slot, length)| {
                let is_done = *done_ns <= now_ns;
                if is_done {
                    let outcome = Outcome::Bytes(*length);
                    completions.push(Completion { slot: *slot, completed_at_ns: now_ns, outcome });
                }
                !is_done
            });
            Ok(())
        }
    }

    /// What an open job, evenly spaced for two seconds, hands over.
    fn drive<C: Clock>(plan: &Plan, host: SlowHost, clock: C) -> Vec<Handover> {
        let (windows, control) = (Window::all(plan), Control::default());
        let (handover_sender, handovers) = mpsc::sync_channel(windows.len());
        let (_no_spares, spares) = mpsc::channel();
        let wiring = Wiring {
            worker: 0,
            plan,
            windows: &windows,
            control: &control,
            handovers: handover_sender,
            spares,
        };
        let lanes = Lane::of_copies(plan, JobCopy::all(plan));
        Driver::new(host, clock, lanes, wiring).run().unwrap();
        handovers.into_iter().collect()
    }

    fn host(clock: &SimClock) -> SlowHost {
        let in_flight = Vec::new();
        let clock = clock.clone();
        SlowHost {
            clock,
            submission_ns: 0,
            handing_ns: 0,
            look_ns: 0,
            hands_over: false,
            enters_late: false,
            in_flight,
        }
    }

    /// The share of late I/Os.
    fn late_percent(iops: u32, submission_ns: u64) -> u64 {
        let clock = SimClock::default();
        let host = SlowHost { submission_ns, ..host(&clock) };
        let (mut late, mut all) = (0, 0);
        for mut handover in drive(&open_job(iops, 1), host, clock) {
            let read = handover.recorders[0].take(None).read.unwrap();
            (late, all) = (late + read.late_count, all + read.io_count());
        }
        100 * late / all
    }

    #[test]
    fn an_io_is_late_when_its_slot_was_free_and_the_thread_did_not_look() {
        // A thread that looks every millisecond finds a slot free that was so for 800 µs, and an I/O that was
        // due before.
        assert!(late_percent(2_000, 1_000_000) > 90);
        assert_eq!(late_percent(2_000, 0), 0);
        // Twice of what the device carries: every I/O waits for it, and none for the thread.
        assert_eq!(late_percent(10_000, 0), 0);
        assert_eq!(late_percent(10_000, 20_000), 0);
    }

    #[test]
    fn a_thread_that_is_away_while_it_submits_makes_that_part_of_the_latency() {
        let latencies_us = |enters_late: bool| {
            let clock = SimClock::default();
            let host = SlowHost { submission_ns: 5_000_000, enters_late, ..host(&clock) };
            let (mut all, mut without) = (LatencyHistogram::default(), LatencyHistogram::default());
            for mut handover in drive(&open_job(100, 1), host, clock) {
                let read = handover.recorders[0].take(None).read.unwrap();
                assert_eq!(read.held_latency.io_count(), read.io_count());
                all.merge(&read.total_latency);
                without.merge(&read.unheld_latency);
            }
            [all, without].map(|one| one.percentile(99.0).unwrap().as_micros())
        };
        let [all, without] = latencies_us(true);
        assert!((5_100..5_300).contains(&all) && without < 300, "{all} {without}");
        // Done before the call came back: seen late.
        let [all, without] = latencies_us(false);
        assert!((4_900..5_100).contains(&all) && without < 300, "{all} {without}");
    }

    #[test]
    fn only_turns_that_look_at_the_clock_and_do_nothing_are_watched() {
        let watched_s = |iops: u32, handing_ns: u64| {
            let clock = SimClock::default();
            let host = SlowHost { handing_ns, look_ns: 1_000, ..host(&clock) };
            let all = drive(&open_job(iops, 64), host, HostClock(clock));
            all.iter().map(|handover| handover.watched_ns as f64 / 1e9).sum::<f64>()
        };
        // The last 50 µs before each of 2,000 I/Os, whatever it costs to hand them over.
        for handing_ns in [1_000, 20_000] {
            let watched_s = watched_s(1_000, handing_ns);
            assert!((0.095..0.106).contains(&watched_s), "{watched_s}");
        }
        // The next one is always near; handing over costs 5 of the 20 µs between two of them, and a look
        // brings one back.
        let watched_s = watched_s(50_000, 5_000);
        assert!((1.2..1.6).contains(&watched_s), "{watched_s}");
    }
}
