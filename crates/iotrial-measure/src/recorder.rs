//! What one thread counts, by job and direction, until it is handed over.

use std::io;
use std::time::Duration;

use iotrial_model::histogram::{LatencyHistogram, LatencyRecorder};
use iotrial_model::load::Direction;
use iotrial_model::plan::{Arrival, Plan};
use iotrial_model::record::{Failure, JobCounts, OpCounts};

use crate::kernel_threads::KernelThreads;

/// The place of the commits behind the two directions.
const COMMIT: usize = 2;

/// What one thread counts for one job in one interval.
#[derive(Debug, Clone)]
pub struct JobRecorder {
    /// Read, write, and the commits of a group commit; absent where the job never does it. Boxed, because
    /// each has a table of more than 20,000 buckets, and recorders change hands once per window.
    ops: [Option<Box<OpRecorder>>; 3],
    /// Of a group commit.
    commit_size: u64,
    /// Of what was due and never issued, at the end of a load.
    not_issued: Times,
}

/// Times of I/Os of which there are none in most loads and very many in others: counted in a flat table, which goes into the histogram before it
/// can overflow.
#[derive(Debug, Clone, Default)]
struct Times {
    /// There from the first one on.
    recent: Option<Box<LatencyRecorder>>,
    recent_count: u32,
    all: LatencyHistogram,
}

/// So many times of up to 21 days fit the sum of the flat table: 10,000 times 1.8e15 ns stay below 2^64.
const MOST_RECENT: u32 = 10_000;

impl Times {
    fn record_ns(&mut self, ns: u64) {
        // A queue that nobody could serve has millions of them at the end of a load. Each that is added to a
        // sparse histogram goes through all of its buckets, which took minutes; the table knows the place.
        let recent = self.recent.get_or_insert_default();
        recent.record_ns(ns);
        self.recent_count += 1;
        if self.recent_count == MOST_RECENT {
            self.all.merge(&recent.as_ref().into());
            recent.clear();
            self.recent_count = 0;
        }
    }

    /// The histogram; the table is given back.
    fn take(&mut self) -> LatencyHistogram {
        let Self { recent, mut all, .. } = std::mem::take(self);
        if let Some(recent) = recent {
            all.merge(&recent.as_ref().into());
        }
        all
    }
}

#[derive(Debug, Clone, Default)]
struct OpRecorder {
    total_latency: LatencyRecorder,
    submission_latency_count: u64,
    submission_latency_sum_ns: u64,
    bytes: u64,
    error_count: u64,
    first_failed: Option<Failed>,
    late_count: u64,
    /// Latencies of the I/Os that the generator held back, and what they would have been without.
    held: Times,
    unheld: Times,
    /// Of an open load: what may have been held back by others than the generator.
    kept: Option<Kept>,
    unfinished_oldest_ns: u64,
    /// Of all I/Os under way; touched at the end of a load only, by as many as were outstanding, so that a
    /// sparse one does.
    unfinished_age: LatencyHistogram,
}

/// I/Os of one window, until it is known when the kernel's threads waited for a CPU.
#[derive(Debug, Clone, Default)]
struct Kept {
    /// Those that took long enough to matter, as they were created and done, and what the generator held back of it.
    slow: Vec<(u64, u64, u64)>,
    /// How many of the others were done, one slice of time after the other, and how long they took together.
    fast: Vec<Fast>,
}

/// I/Os that no limit is shorter than, done within one slice of time.
#[derive(Debug, Clone, Copy)]
struct Fast {
    slice: u64,
    count: u64,
    sum_ns: u64,
}

/// From here on an I/O may miss a limit: those of databases begin at a millisecond.
const SLOW_NS: u64 = 1_000_000;
/// More slow ones of one window are counted as if nothing had held them back.
// Three megabytes a stream.
const MOST_SLOW: usize = 131_072;
/// What the kernel's threads waited counts from here on, as what the generator held back does.
const LEAST_HELD_NS: u64 = 100_000;
/// As often as these are looked at.
const SLICE_NS: u64 = 50_000_000;

/// What came of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// So many bytes were moved; fewer than asked is a failure.
    Bytes(u32),
    /// The number that the operating system gave as its error.
    Error(i32),
}

/// An I/O as the recorder needs to know it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Issued {
    /// What it does.
    pub direction: Direction,
    /// Bytes asked for.
    pub length: u32,
    /// When it was drawn; in an open load, when it was due.
    pub created_at_ns: u64,
    /// When the call that submitted it came back; `None` where that call also waited for completions.
    pub submitted_at_ns: Option<u64>,
    /// Whether the generator issued it late, though it had a free slot.
    pub late: bool,
    /// How much longer it took, at most, because the generator issued it late, or others that were in its way; of a write that carries commits,
    /// each of them. Zero up to 100 µs.
    pub held_ns: u64,
    /// How long it may have been done before the generator looked. Zero up to 100 µs.
    pub seen_late_ns: u64,
}

/// An I/O that failed, as the loop sees it: the words are looked up when the recorder is emptied, by a thread
/// with time for it.
#[derive(Debug, Clone, Copy)]
struct Failed {
    outcome: Outcome,
    /// How many bytes it should have moved.
    asked: u32,
}

impl Failed {
    fn told(self) -> Failure {
        match self.outcome {
            Outcome::Bytes(moved) => Failure::Short { moved, asked: self.asked },
            Outcome::Error(code) => {
                Failure::Os { code, words: io::Error::from_raw_os_error(code).to_string() }
            }
        }
    }
}

impl JobRecorder {
    /// Empty recorders for the jobs of a plan.
    pub fn all(plan: &Plan) -> Vec<Self> {
        plan.jobs
            .iter()
            .map(|job| Self {
                ops: [job.reads(), job.writes(), job.group_commit.is_some()].map(|used| {
                    let kept = (job.arrival != Arrival::Closed).then(Kept::default);
                    used.then(|| Box::new(OpRecorder { kept, ..OpRecorder::default() }))
                }),
                commit_size: job.group_commit.map_or(0, |group| group.commit_size.get()),
                not_issued: Times::default(),
            })
            .collect()
    }

    /// Counts one I/O that is done.
    #[inline]
    pub fn record(&mut self, issued: &Issued, completed_at_ns: u64, outcome: Outcome) {
        let op = self.ops[issued.direction as usize].as_mut().expect("the job does I/O in this direction");
        // Late or not is the generator's doing, and counts whatever the device made of the I/O.
        op.late_count += u64::from(issued.late);
        // Failures are in no histogram: an error that comes back in a microsecond would make a broken device
        // the fastest, and the read that crosses the end of a file would count as if all of it had been
        // there.
        match outcome {
            Outcome::Bytes(moved) if moved == issued.length => {
                op.bytes += u64::from(moved);
                // The count stands beside the sum because only a sample is timed: a call that also waits for
                // completions says nothing about the submission, and I/Os without a time must not count as
                // zero.
                if let Some(submitted_at_ns) = issued.submitted_at_ns {
                    op.submission_latency_count += 1;
                    op.submission_latency_sum_ns += submitted_at_ns.saturating_sub(issued.created_at_ns);
                }
                // The clocks of two threads, and of a counter and the kernel, may be some ns apart: no
                // latency is negative.
                let latency_ns = completed_at_ns.saturating_sub(issued.created_at_ns);
                op.total_latency.record_ns(latency_ns);
                op.note(
                    (issued.created_at_ns, completed_at_ns),
                    latency_ns,
                    issued.held_ns + issued.seen_late_ns,
                );
            }
            failed => op.fail(failed, issued.length),
        }
    }

    /// Counts the commits of a write that is done, each from the time at which it was due.
    pub fn record_commits(&mut self, due_ns: &[u64], write: &Issued, completed_at_ns: u64, outcome: Outcome) {
        let op = self.ops[COMMIT].as_mut().expect("a group commit has commits");
        // One outcome for all: of a write that was cut short nobody knows which commits reached the device,
        // and the database would write all of them again.
        let is_whole = outcome == Outcome::Bytes(write.length);
        for due_ns in due_ns {
            op.late_count += u64::from(write.late);
            if !is_whole {
                op.fail(outcome, write.length);
                continue;
            }
            // What was asked to be durable, without the rest of the last block: that is in the bytes of the
            // writes.
            op.bytes += self.commit_size;
            if let Some(submitted_at_ns) = write.submitted_at_ns {
                op.submission_latency_count += 1;
                op.submission_latency_sum_ns += submitted_at_ns.saturating_sub(*due_ns);
            }
            let latency_ns = completed_at_ns.saturating_sub(*due_ns);
            op.total_latency.record_ns(latency_ns);
            // A commit that became due while the generator was away waited only from then on.
            let held_ns = write.created_at_ns.saturating_sub(*due_ns).min(write.held_ns) + write.seen_late_ns;
            op.note((*due_ns, completed_at_ns), latency_ns, held_ns);
        }
    }

    /// Counts the commits of a write that is still with the device when the load ends.
    pub fn note_unfinished_commits(&mut self, due_ns: &[u64], end_ns: u64) {
        let op = self.ops[COMMIT].as_mut().expect("a group commit has commits");
        due_ns.iter().for_each(|due_ns| op.note_unfinished(end_ns.saturating_sub(*due_ns)));
    }

    /// Counts an I/O that is still with the device when the load ends.
    pub fn note_unfinished(&mut self, issued: &Issued, end_ns: u64) {
        let op = self.ops[issued.direction as usize].as_mut().expect("the job does I/O in this direction");
        op.note_unfinished(end_ns.saturating_sub(issued.created_at_ns));
    }

    /// Counts an I/O, or commit, that was due and is not issued when the load ends.
    pub fn note_not_issued(&mut self, age_ns: u64) {
        self.not_issued.record_ns(age_ns);
    }

    /// Takes what was counted, as facts, and leaves the recorder empty. I/Os that were under way while these threads of the kernel waited for
    /// a CPU are among those that were held back.
    pub fn take(&mut self, kernel_threads: Option<&KernelThreads>) -> JobCounts {
        // By the coordinator and not in the loop: going through more than 20,000 buckets takes as long as
        // many I/Os.
        let [read, write, commit] = &mut self.ops;
        let take = |op: &mut Option<Box<OpRecorder>>| op.as_mut().map(|op| op.take(kernel_threads));
        let not_issued_age = self.not_issued.take();
        JobCounts { read: take(read), write: take(write), commit: take(commit), not_issued_age }
    }
}

impl Kept {
    #[inline]
    fn note_fast(&mut self, slice: u64, latency_ns: u64) {
        match self.fast.last_mut() {
            Some(fast) if fast.slice == slice => {
                fast.count += 1;
                fast.sum_ns += latency_ns;
            }
            _ => self.fast.push(Fast { slice, count: 1, sum_ns: latency_ns }),
        }
    }
}

impl OpRecorder {
    // Cold, so that the compiler keeps it out of the way of I/Os that succeed.
    #[cold]
    fn fail(&mut self, outcome: Outcome, asked: u32) {
        self.error_count += 1;
        self.first_failed.get_or_insert(Failed { outcome, asked });
    }

    /// Counts what held back an I/O that was done between these times, or keeps it until that is known.
    #[inline]
    fn note(&mut self, (from_ns, to_ns): (u64, u64), latency_ns: u64, held_ns: u64) {
        match &mut self.kept {
            Some(kept) if latency_ns >= SLOW_NS && kept.slow.len() < MOST_SLOW => {
                kept.slow.push((from_ns, to_ns, held_ns));
            }
            Some(kept) if held_ns == 0 => kept.note_fast(to_ns / SLICE_NS, latency_ns),
            _ if held_ns > 0 => self.note_held(latency_ns, held_ns),
            _ => {}
        }
    }

    /// Now it is known.
    fn settle(&mut self, kernel_threads: Option<&KernelThreads>) {
        let Some(mut kept) = self.kept.take() else { return };
        let delays_ns = |spans: &mut dyn Iterator<Item = (u64, u64)>| match kernel_threads {
            Some(threads) => threads.delays_ns(spans),
            None => spans.map(|_| 0).collect(),
        };
        let delays = delays_ns(&mut kept.slow.iter().map(|(from_ns, to_ns, _)| (*from_ns, *to_ns)));
        for ((from_ns, to_ns, held_ns), delay_ns) in kept.slow.drain(..).zip(delays) {
            let held_ns = held_ns + delay_ns;
            if held_ns >= LEAST_HELD_NS {
                self.note_held(to_ns.saturating_sub(from_ns), held_ns);
            }
        }
        let slice = |fast: &Fast| (fast.slice * SLICE_NS, (fast.slice + 1) * SLICE_NS);
        let delays = delays_ns(&mut kept.fast.iter().map(slice));
        for (fast, delay_ns) in kept.fast.drain(..).zip(delays) {
            // They were not held back by much, but the slow ones of the same time do not count as the device's own either: without these the
            // others would look faster than the device. Which of the short latencies they had matters to no limit.
            if delay_ns >= LEAST_HELD_NS {
                let mean = Duration::from_nanos(fast.sum_ns / fast.count);
                self.held.all.record_n(mean, fast.count);
                self.unheld.all.record_n(mean, fast.count);
            }
        }
        // Empty, with its room.
        self.kept = Some(kept);
    }

    // Cold as well: a generator that keeps up holds nothing back.
    #[cold]
    fn note_held(&mut self, latency_ns: u64, held_ns: u64) {
        self.held.record_ns(latency_ns);
        self.unheld.record_ns(latency_ns.saturating_sub(held_ns));
    }

    fn note_unfinished(&mut self, age_ns: u64) {
        self.unfinished_oldest_ns = self.unfinished_oldest_ns.max(age_ns);
        self.unfinished_age.record_n(Duration::from_nanos(age_ns), 1);
    }

    fn take(&mut self, kernel_threads: Option<&KernelThreads>) -> OpCounts {
        self.settle(kernel_threads);
        let unfinished_age = std::mem::take(&mut self.unfinished_age);
        let counts = OpCounts {
            bytes: self.bytes,
            error_count: self.error_count,
            first_error: self.first_failed.take().map(Failed::told),
            submission_latency_count: Some(self.submission_latency_count),
            submission_latency_sum_ns: self.submission_latency_sum_ns,
            unfinished_count: unfinished_age.io_count(),
            unfinished_oldest_ns: self.unfinished_oldest_ns,
            unfinished_age,
            late_count: self.late_count,
            held_latency: self.held.take(),
            unheld_latency: self.unheld.take(),
            total_latency: (&self.total_latency).into(),
        };
        // The table is emptied and used again: a new one for every window would make the loop touch fresh
        // pages once a second.
        self.total_latency.clear();
        (self.submission_latency_count, self.submission_latency_sum_ns) = (0, 0);
        (self.bytes, self.error_count, self.late_count) = (0, 0, 0);
        self.unfinished_oldest_ns = 0;
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies in ms and how many had them, of the I/Os that were held back, and what they would have been.
    fn held(op: &mut OpRecorder, threads: Option<&KernelThreads>) -> [Vec<(u128, u64)>; 2] {
        let counts = op.take(threads);
        [counts.held_latency, counts.unheld_latency]
            .map(|latency| latency.buckets().map(|(time, count)| (time.as_millis(), count)).collect())
    }

    #[test]
    fn what_was_under_way_while_kernel_threads_waited_is_held_back_and_so_are_the_short_ones_of_that_time() {
        const MS: u64 = 1_000_000;
        let mut op = OpRecorder { kept: Some(Kept::default()), ..OpRecorder::default() };
        let note_all = |op: &mut OpRecorder| {
            let mut note = |from_ms: u64, to_ms: u64, held_ms: u64| {
                op.note((from_ms * MS, to_ms * MS), (to_ms - from_ms) * MS, held_ms * MS);
            };
            // Under way during the wait of 150 ms, during none, and held back by the generator itself.
            note(90, 262, 0);
            note(300, 310, 0);
            note(400, 420, 5);
            // In a moment, while the kernel waited, and later.
            note(120, 120, 0);
            note(130, 130, 0);
            note(410, 410, 0);
        };
        note_all(&mut op);
        let waited = KernelThreads::waiting(&[(100, 250)]);
        let [shown, without] = held(&mut op, Some(&waited));
        assert_eq!((shown, without), (vec![(0, 2), (20, 1), (172, 1)], vec![(0, 2), (15, 1), (22, 1)]));
        // Empty again; and where nobody looks at the kernel only the generator held anything back.
        note_all(&mut op);
        assert_eq!(held(&mut op, None), [vec![(20, 1)], vec![(15, 1)]]);
        // A closed load has no times at which its I/Os were due.
        op.kept = None;
        note_all(&mut op);
        assert_eq!(held(&mut op, Some(&waited)), [vec![(20, 1)], vec![(15, 1)]]);
    }

    #[test]
    fn a_queue_of_hours_is_counted_whole() {
        let hours_ns = 20 * 3_600_000_000_000;
        let mut ages = Times::default();
        let count = 3 * u64::from(MOST_RECENT) + 7;
        (0..count).for_each(|_| ages.record_ns(hours_ns));
        let all = ages.take();
        assert_eq!((all.io_count(), all.mean_us()), (count, Some(hours_ns as f64 / 1e3)));
        assert_eq!(ages.take().io_count(), 0);
    }
}
