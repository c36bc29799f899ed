//! What the generator adds to the latencies of an open lane when its thread is away: to the I/Os that it issues late, and to those that come behind
//! them in the queue of the device.
//!
//! A device that serves I/Os in the order of their arrival, by any number of servers, has each done at most D later where each arrives at most D
//! later: were all of them D late, all would be done D later, and to come earlier than that delays nobody. So an I/O that comes behind others that
//! were issued up to D late has at most D of its latency from the generator, until the queue is as short again as it would have been.

/// An I/O of an open load that is issued so much after it was due, though there was a free slot, is the
/// generator's fault and counted as late. A thread that sleeps wakes up 60 to 90 µs late once in a hundred
/// times (`docs/measurement.md`): less would count the host's timers, and more would hide a generator that
/// cannot keep up with devices that answer in 100 µs.
pub(crate) const LATE_NS: u64 = 100_000;

/// After so many times the delay the I/Os that were late are through: at a share ρ of what a device can do, what came late by D is worked off after
/// ρ / (1 − ρ) of D, 19 at 0.95. A queue that lasts longer is the device's own, which has become slower or has more to do than it can.
const LONGEST_IN_DELAYS: u64 = 20;

/// Of one open lane.
#[derive(Debug, Default)]
pub(crate) struct Lateness {
    /// How long the thread was away since an I/O waits for being issued: no I/O of that queue was held back longer by the
    /// generator. Zero while none waits.
    away_ns: u64,
    /// The longest delay of those that may still be in the way; zero while there are none.
    behind_ns: u64,
    /// With so few outstanding they are not.
    rest: usize,
    /// From then on neither.
    until_ns: u64,
    /// What was outstanding when an I/O was issued and none was late: how many of them, and the sum.
    usual_count: u64,
    usual_sum: u64,
}

impl Lateness {
    /// The thread was away while I/Os fell due; so many were outstanding.
    // What it takes for itself adds up while a queue lasts: an I/O that is due later waits behind those that were held back. It is a bound.
    #[cold]
    pub(crate) fn note_away(&mut self, away_ns: u64, outstanding: usize) {
        self.away_ns += away_ns;
        if self.behind_ns == 0 {
            // A queue that is as long as it was before the absence, or as it usually is, is not of its making.
            let usual = self.usual_sum / self.usual_count.max(1);
            self.rest = outstanding.max(usize::try_from(usual).unwrap_or(usize::MAX));
        }
    }

    /// How much of the latency of an I/O that is issued now is the generator's at most; so many others are outstanding.
    #[inline]
    pub(crate) fn charge(&mut self, due_ns: u64, now_ns: u64, outstanding: usize) -> u64 {
        if self.away_ns == 0 && self.behind_ns == 0 {
            self.usual_count += 1;
            self.usual_sum += outstanding as u64;
            return 0;
        }
        self.charge_late(due_ns, now_ns, outstanding)
    }

    #[cold]
    fn charge_late(&mut self, due_ns: u64, now_ns: u64, outstanding: usize) -> u64 {
        if outstanding <= self.rest || now_ns >= self.until_ns {
            self.behind_ns = 0;
        }
        let own_ns = (now_ns - due_ns).min(self.away_ns);
        if own_ns > LATE_NS {
            self.note_late(own_ns, now_ns);
        }
        self.behind_ns
    }

    /// An I/O came to the device late by so much.
    #[cold]
    pub(crate) fn note_late(&mut self, late_ns: u64, now_ns: u64) {
        if late_ns > self.behind_ns {
            self.behind_ns = late_ns;
            self.until_ns = now_ns + LONGEST_IN_DELAYS * late_ns;
        }
    }

    /// Whether an I/O that waits for being issued may have been held back.
    #[inline]
    pub(crate) fn was_away(&self) -> bool {
        self.away_ns > 0
    }

    /// Nothing waits for being issued any more.
    #[cold]
    pub(crate) fn none_waits(&mut self) {
        self.away_ns = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A lane that usually has four outstanding.
    fn usual() -> Lateness {
        let mut lane = Lateness::default();
        (0..100).for_each(|at| assert_eq!(lane.charge(at * MS, at * MS, 4), 0));
        lane
    }

    #[test]
    fn what_comes_behind_late_ios_is_charged_with_their_delay_until_the_queue_is_as_short_as_before() {
        let mut lane = usual();
        lane.note_away(60 * MS, 5);
        // Due 50 ms ago, 10 ms ago, and in time behind them.
        assert_eq!(lane.charge(110 * MS, 160 * MS, 0), 50 * MS);
        assert_eq!(lane.charge(150 * MS, 160 * MS, 40), 50 * MS);
        lane.none_waits();
        assert_eq!(lane.charge(170 * MS, 170 * MS, 30), 50 * MS);
        assert_eq!(lane.charge(200 * MS, 200 * MS, 5), 0);
        // And from then on nothing.
        assert_eq!(lane.charge(210 * MS, 210 * MS, 30), 0);
    }

    #[test]
    fn a_device_that_has_become_slow_for_good_is_not_the_generators() {
        let mut lane = usual();
        lane.note_away(2 * MS, 4);
        assert_eq!(lane.charge(158 * MS, 160 * MS, 10), 2 * MS);
        lane.none_waits();
        assert_eq!(lane.charge(190 * MS, 190 * MS, 200), 2 * MS);
        assert_eq!(lane.charge(200 * MS, 200 * MS, 200), 0);
    }

    #[test]
    fn a_stall_of_the_device_that_the_thread_was_away_in_for_a_moment_is_charged_with_that_moment() {
        let mut lane = usual();
        // 200 of the stall are outstanding already.
        lane.note_away(MS, 200);
        assert_eq!(lane.charge(159 * MS, 160 * MS, 200), MS);
        lane.none_waits();
        assert_eq!(lane.charge(161 * MS, 161 * MS, 201), MS);
        assert_eq!(lane.charge(185 * MS, 185 * MS, 300), 0);
    }
}
