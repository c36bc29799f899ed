//! A simulated device on a simulated clock: its truth is known, so everything above it can be tested.
//!
//! Unless the cache answers it, an I/O first passes the two token buckets, then waits for one of
//! `parallelism` servers, then is served for a time drawn uniformly around the mean, a durable write for so
//! much longer. While the device is stalled nothing moves. The same plan and seed give the same completions,
//! to the nanosecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use iotrial_measure::clock::{Clock, SimClock};
use iotrial_measure::random::Random;
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::Durability;
use iotrial_model::plan::SimDevice;

use crate::queue::{Completion, Handing, IoQueue, Request};

/// What a failed I/O reports: EIO.
const SIMULATED_ERROR: i32 = 5;

/// A queue to one simulated device; nothing else may move its clock.
pub struct SimQueue {
    clock: SimClock,
    device: SimDevice,
    random: Random,
    io_bucket: Option<TokenBucket>,
    byte_bucket: Option<TokenBucket>,
    /// When each server is free.
    servers: BinaryHeap<Reverse<u64>>,
    /// Completion time, order of submission, slot, outcome: the first to complete on top.
    in_flight: BinaryHeap<Reverse<(u64, u64, u32, u32)>>,
    submitted_count: u64,
}

/// In the place of a byte count: this I/O fails.
const FAILS: u32 = u32::MAX;

impl SimQueue {
    /// A queue to a device that was idle until now.
    pub fn new(clock: SimClock, device: SimDevice, random: Random) -> Self {
        let io_bucket = device.iops_cap.map(|rate| TokenBucket::new(rate, &device));
        let byte_bucket =
            device.bandwidth_cap_mib_per_s.map(|rate| TokenBucket::new(rate * 1_048_576.0, &device));
        let servers = (0..device.parallelism.max(1)).map(|_| Reverse(0)).collect();
        let in_flight = BinaryHeap::new();
        Self { clock, device, random, io_bucket, byte_bucket, servers, in_flight, submitted_count: 0 }
    }

    fn completion_time_ns(&mut self, request: &Request) -> u64 {
        // A cache answers before any limiter and any server: it is what stands in front of them.
        if self.draw(self.device.cache_hit_share) {
            return self.after_stalls(self.clock.now_ns(), as_ns(self.device.cache_hit_us / 1e6));
        }
        let mut admitted_ns = self.clock.now_ns();
        if let Some(bucket) = &mut self.io_bucket {
            admitted_ns = bucket.admit(admitted_ns, 1.0);
        }
        if let Some(bucket) = &mut self.byte_bucket {
            admitted_ns = bucket.admit(admitted_ns, f64::from(request.length));
        }
        // The server that is free first, so that I/Os are begun in the order in which they came. An idle one
        // among them is the smallest number of the heap.
        let Reverse(server_free_ns) = self.servers.pop().expect("there is at least one server");
        let start_ns = admitted_ns.max(server_free_ns);
        // Drawn for every I/O, also where the spread is zero: devices that differ in their spread alone draw
        // the same numbers.
        let spread = self.device.service_spread * (2.0 * self.random.unit() - 1.0);
        let flush_us = if request.durability == Durability::None { 0.0 } else { self.device.flush_us };
        let service_us = self.device.service_time_us * (1.0 + spread) + flush_us;
        let end_ns = self.after_stalls(start_ns, as_ns(service_us / 1e6));
        self.servers.push(Reverse(end_ns));
        end_ns
    }

    /// Whether a thing happens that has this share. A share of zero draws nothing, so that it leaves the
    /// other draws as they are.
    fn draw(&mut self, share: f64) -> bool {
        share > 0.0 && self.random.unit() < share
    }

    /// When a service that starts at `start_ns` and takes `service_ns` ends, with every stall it meets.
    fn after_stalls(&self, start_ns: u64, service_ns: u64) -> u64 {
        let mut end_ns = start_ns + service_ns;
        for stall in &self.device.stalls {
            let (from_ns, to_ns) = (as_ns(stall.start_s), as_ns(stall.start_s + stall.duration_s));
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
        while let Some(Reverse((completed_at_ns, _, slot, bytes))) = self.in_flight.peek().copied() {
            if completed_at_ns > self.clock.now_ns() {
                break;
            }
            self.in_flight.pop();
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
    fn new(rate_per_s: f64, device: &SimDevice) -> Self {
        let credit_s = device.credit_s.unwrap_or(device.burst_s).min(device.burst_s);
        Self { rate_per_s, capacity: rate_per_s * device.burst_s, tokens: rate_per_s * credit_s, at_ns: 0 }
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
