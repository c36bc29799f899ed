//! A simulated device on a simulated clock: its truth is known, so everything above it can be tested.
//!
//! Unless the cache answers it, an I/O first passes the token buckets, of which a write cache that is emptied
//! at a rate is one, then waits for one of `parallelism` servers, then is served for a time drawn uniformly
//! around the mean, a durable write for so much longer. While the device is stalled nothing moves; while the
//! host pauses nobody looks. The same plan and seed give the same completions, to the nanosecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use iotrial_measure::clock::{Clock, SimClock};
use iotrial_measure::random::Random;
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::{SimDevice, SimStall};

use crate::queue::{Completion, Handing, IoQueue, Request};

/// What a failed I/O reports: EIO.
const SIMULATED_ERROR: i32 = 5;

/// A queue to one simulated device; nothing else may move its clock.
pub struct SimQueue {
    clock: SimClock,
    device: SimDevice,
    random: Random,
    /// In the order in which an I/O passes them.
    limits: Vec<Limit>,
    /// When each server is free.
    servers: BinaryHeap<Reverse<u64>>,
    /// Completion time, order of submission, slot, outcome: the first to complete on top.
    in_flight: BinaryHeap<Reverse<(u64, u64, u32, u32)>>,
    submitted_count: u64,
}

/// A token bucket, and what it lets pass.
struct Limit {
    bucket: TokenBucket,
    /// The direction that it holds; `None` for both.
    of: Option<Direction>,
    /// Whether it counts bytes; otherwise I/Os.
    counts_bytes: bool,
}

impl Limit {
    fn all(device: &SimDevice) -> Vec<Self> {
        const MIB: f64 = 1_048_576.0;
        let credit_s = device.credit_s.unwrap_or(device.burst_s).min(device.burst_s);
        let limit = |rate: Option<f64>, of: Option<Direction>, counts_bytes: bool| {
            let rate_per_s = rate?;
            let bucket = TokenBucket::new(rate_per_s, rate_per_s * device.burst_s, rate_per_s * credit_s);
            Some(Self { bucket, of, counts_bytes })
        };
        // A write cache is a bucket as well: what it can still hold passes at once, the rest as fast as it is emptied.
        let write_cache = (device.write_cache_mib > 0.0).then(|| {
            let room = device.write_cache_mib - device.write_cache_used_mib;
            let bucket = TokenBucket::new(
                device.write_drain_mib_per_s * MIB,
                device.write_cache_mib * MIB,
                room * MIB,
            );
            Self { bucket, of: Some(Direction::Write), counts_bytes: true }
        });
        [
            limit(device.iops_cap, None, false),
            limit(device.read_iops_cap, Some(Direction::Read), false),
            limit(device.write_iops_cap, Some(Direction::Write), false),
            limit(device.bandwidth_cap_mib_per_s.map(|rate| rate * MIB), None, true),
            write_cache,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// In the place of a byte count: this I/O fails.
const FAILS: u32 = u32::MAX;

impl SimQueue {
    /// A queue to a device that was idle until now.
    pub fn new(clock: SimClock, device: SimDevice, random: Random) -> Self {
        let limits = Limit::all(&device);
        let servers = (0..device.parallelism.max(1)).map(|_| Reverse(0)).collect();
        let in_flight = BinaryHeap::new();
        Self { clock, device, random, limits, servers, in_flight, submitted_count: 0 }
    }

    fn completion_time_ns(&mut self, request: &Request) -> u64 {
        // A cache answers before any limiter and any server: it is what stands in front of them.
        if self.draw(self.device.cache_hit_share) {
            return self.after_stalls(self.clock.now_ns(), as_ns(self.device.cache_hit_us / 1e6));
        }
        let mut admitted_ns = self.clock.now_ns();
        for limit in &mut self.limits {
            if limit.of.is_none_or(|of| of == request.direction) {
                let amount = if limit.counts_bytes { f64::from(request.length) } else { 1.0 };
                admitted_ns = limit.bucket.admit(admitted_ns, amount);
            }
        }
        // The server that is free first, so that I/Os are begun in the order in which they came. An idle one
        // among them is the smallest number of the heap.
        let Reverse(server_free_ns) = self.servers.pop().expect("there is at least one server");
        let start_ns = admitted_ns.max(server_free_ns);
        // Drawn for every I/O, also where the spread is zero: devices that differ in their spread alone draw
        // the same numbers.
        let spread = self.device.service_spread * (2.0 * self.random.unit() - 1.0);
        let flush_us = if request.durability == Durability::None { 0.0 } else { self.device.flush_us };
        let mean_us = match (request.direction, self.device.write_service_time_us) {
            (Direction::Write, Some(write_us)) => write_us,
            _ => self.device.service_time_us,
        };
        // By age and crowd at the start of the service. In a closed load as many are at the device as are outstanding.
        let age_s = self.device.age_s + start_ns as f64 / 1e9;
        let slowness = (1.0 + self.device.drift_percent_per_s / 100.0 * age_s)
            * (1.0 + self.device.crowding_share * self.in_flight.len() as f64);
        let service_us = mean_us * (1.0 + spread) * slowness + flush_us;
        let end_ns = self.after_stalls(start_ns, as_ns(service_us / 1e6));
        self.servers.push(Reverse(end_ns));
        end_ns
    }

    /// Whether a thing happens that has this share. A share of zero draws nothing, so that it leaves the
    /// other draws as they are.
    fn draw(&mut self, share: f64) -> bool {
        share > 0.0 && self.random.unit() < share
    }

    /// When a time since the first use of the device begins and ends on the clock of this load; both 0 where it is over.
    fn on_clock(&self, time: &SimStall) -> (u64, u64) {
        let start_s = time.start_s - self.device.age_s;
        (as_ns(start_s.max(0.0)), as_ns((start_s + time.duration_s).max(0.0)))
    }

    /// When a service that starts at `start_ns` and takes `service_ns` ends, with every stall it meets.
    fn after_stalls(&self, start_ns: u64, service_ns: u64) -> u64 {
        let mut end_ns = start_ns + service_ns;
        for stall in &self.device.stalls {
            let (from_ns, to_ns) = self.on_clock(stall);
            // Compared with the end so far: a service that one stall made longer may run into the next.
            if start_ns < to_ns && from_ns < end_ns {
                end_ns += to_ns - from_ns.max(start_ns);
            }
        }
        end_ns
    }
}

impl IoQueue for SimQueue {
    fn submit(&mut self, requests: &[Request], _handing: Handing) -> io::Result<()> {
        for request in requests {
            let end_ns = self.completion_time_ns(request);
            let bytes = if self.draw(self.device.error_share) {
                FAILS
            } else if self.draw(self.device.short_share) {
                request.length / 2
            } else {
                request.length
            };
            // The number of the submission decides between I/Os that end in the same nanosecond, so that
            // slots do not.
            self.in_flight.push(Reverse((end_ns, self.submitted_count, request.slot, bytes)));
            self.submitted_count += 1;
        }
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let next_ns = self.in_flight.peek().map_or(u64::MAX, |Reverse((end_ns, ..))| *end_ns);
        // The only place where time goes on: the loop takes none, so that its latencies are the device's to
        // the nanosecond.
        self.clock.advance_to(next_ns.min(wait_until_ns));
        let now_ns = self.clock.now_ns();
        let pauses = self.device.host_pauses.iter().map(|pause| self.on_clock(pause));
        let pause = pauses.into_iter().find(|(from_ns, to_ns)| (*from_ns..*to_ns).contains(&now_ns));
        if let Some((_, to_ns)) = pause {
            self.clock.advance_to(to_ns);
        }
        while let Some(Reverse((completed_at_ns, _, slot, bytes))) = self.in_flight.peek().copied() {
            if completed_at_ns > self.clock.now_ns() {
                break;
            }
            self.in_flight.pop();
            // When it is seen, as the engines stamp it that work on devices.
            let completed_at_ns = if pause.is_some() { self.clock.now_ns() } else { completed_at_ns };
            let outcome =
                if bytes == FAILS { Outcome::Error(SIMULATED_ERROR) } else { Outcome::Bytes(bytes) };
            completions.push(Completion { slot, completed_at_ns, outcome });
        }
        Ok(())
    }
}

/// Lets `rate` tokens a second pass, after a burst.
struct TokenBucket {
    rate_per_s: f64,
    capacity: f64,
    tokens: f64,
    at_ns: u64,
}

impl TokenBucket {
    fn new(rate_per_s: f64, capacity: f64, tokens: f64) -> Self {
        Self { rate_per_s, capacity, tokens, at_ns: 0 }
    }

    /// Takes `amount` tokens and tells when they are there. Whoever comes later waits behind.
    fn admit(&mut self, now_ns: u64, amount: f64) -> u64 {
        // Not before the one that was admitted last: a small I/O does not overtake a large one that waits for
        // its tokens.
        let from_ns = now_ns.max(self.at_ns);
        // The bucket holds at least this I/O, however small the burst: otherwise tokens that came while
        // nothing was asked would be lost, and an I/O larger than the bucket would wait even on a device that
        // had been idle.
        self.tokens = (self.tokens + (from_ns - self.at_ns) as f64 / 1e9 * self.rate_per_s)
            .min(self.capacity.max(amount));
        self.at_ns = from_ns;
        self.tokens -= amount;
        if self.tokens < 0.0 {
            self.at_ns += as_ns(-self.tokens / self.rate_per_s);
            self.tokens = 0.0;
        }
        self.at_ns
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded; negative becomes zero")]
fn as_ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}
