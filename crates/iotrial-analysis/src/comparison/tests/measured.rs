//! Records whose truth is known: the same device twice, or one that is slower by so much.

use std::time::Duration;

use iotrial_model::record::{OpCounts, RunRecord};

use super::super::*;
use crate::test_record::measured;

/// Noise from one second to the next.
#[derive(Clone, Copy)]
struct Noise {
    /// How much a second resembles the one before it, from 0 to 1.
    memory: f64,
    /// Standard deviation of the logarithm of latency.
    size: f64,
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss)]
        let top = (self.0 >> 11) as f64;
        (top + 0.5) / (1u64 << 53) as f64
    }

    /// Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A run of `seconds` on a device that is `factor` times as slow as the reference, with noise.
fn run(seed: u64, seconds: u64, factor: f64, noise: Noise) -> RunRecord {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5555);
    (0..50).for_each(|_| _ = random.uniform());
    let mut record = measured(seconds, |_| 1_000);
    let scale = (1.0 - noise.memory * noise.memory).sqrt();
    let mut level = random.normal();
    for interval in &mut record.intervals {
        let slowness = factor * (noise.size * level).exp();
        for job in &mut interval.jobs {
            for counts in job.read.iter_mut().chain(&mut job.write) {
                *counts = second_of(slowness, &mut random);
            }
        }
        level = noise.memory * level + scale * random.normal();
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record.id = format!("01JD{seed:022}");
    record.label = None;
    record
}

/// A second in which most I/Os take 300 µs times `slowness`, and a few take much longer.
fn second_of(slowness: f64, random: &mut Random) -> OpCounts {
    let mut counts = OpCounts::default();
    let all = 8_000.0 / slowness;
    for (share, latency_us, scatter) in
        [(0.90, 300.0, 0.02), (0.085, 800.0, 0.05), (0.013, 2_000.0, 0.1), (0.002, 6_000.0, 0.2)]
    {
        // Spread over a few buckets, as latencies are.
        for step in 0..5 {
            let us = latency_us
                * slowness
                * (1.0 + scatter * (f64::from(step) - 2.0) / 2.0)
                * (0.02 * random.normal()).exp();
            let count = (all * share / 5.0 * (1.0 + 0.05 * random.normal())).max(0.0).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            counts.total_latency.record_n(Duration::from_nanos((us * 1_000.0) as u64), count as u64);
        }
    }
    counts.bytes = counts.io_count() * 8_192;
    counts
}

fn sample(record: &RunRecord) -> Sample {
    Sample::of_record(record, record.id.clone())
}

fn compare(samples: Vec<Sample>) -> Comparison {
    Comparison::new(samples, &CompareRequest::default()).unwrap()
}

/// How many deltas of the only pair are called a difference.
fn claimed(comparison: &Comparison) -> usize {
    comparison.against_baseline[0]
        .ranked()
        .filter(|delta| delta.reading.is_better() || delta.reading.is_worse())
        .count()
}

/// Of so many pairs of runs of the same device, how many show any difference.
fn false_alarms(pairs: u64, seconds: u64, noise: Noise) -> usize {
    let pair = |pair: u64| {
        let of = |side: u64| sample(&run(1_000 * seconds + 2 * pair + side, seconds, 1.0, noise));
        claimed(&compare(vec![of(0), of(1)])) > 0
    };
    (0..pairs).filter(|number| pair(*number)).count()
}

#[test]
#[ignore = "a table for the documents: takes minutes"]
fn false_alarms_by_length_and_memory() {
    for seconds in [30, 60, 300] {
        for memory in [0.0, 0.5, 0.8, 0.9, 0.95] {
            let alarms = false_alarms(400, seconds, Noise { memory, size: 0.1 });
            println!("{seconds} s, memory {memory}: {:.1} % of pairs", alarms as f64 / 4.0);
        }
    }
}

#[test]
fn the_same_device_twice_shows_a_difference_in_at_most_one_of_twenty_pairs() {
    for (seconds, memory) in [(30, 0.0), (60, 0.5), (60, 0.8), (300, 0.9)] {
        let alarms = false_alarms(20, seconds, Noise { memory, size: 0.1 });
        assert!(alarms <= 1, "{alarms} of 20 pairs of {seconds} s with a memory of {memory}");
    }
}
