//! Who made the load: the engine, whether it kept its I/Os in flight, and whether its CPU sufficed.

use iotrial_model::load::Direction;
use iotrial_model::plan::EngineKind;
use iotrial_model::record::{Finding, RunRecord, Severity};
use serde_json::json;

use super::course::error_count;
use super::finding;

/// The I/Os in flight may differ from those planned by this much.
const MOST_DEVIATION_PERCENT: f64 = 3.0;
/// Above this share of its CPUs the generator measures itself.
const MOST_BUSY_PERCENT: f64 = 90.0;

/// Another engine than the usual one made the load.
pub(super) fn engine_fallback(record: &RunRecord) -> Option<Finding> {
    let reason = record.plan.engine_reason.as_deref()?;
    let engine = record.plan.engine;
    Some(finding(
        "engine-fallback",
        Severity::Note,
        format!("the engine `{}` made the load: {reason}", engine.as_str()),
        [("engine", json!(engine)), ("reason", json!(reason))],
    ))
}

/// The figures contradict each other: in a closed load every outstanding I/O is always in flight, so by Little's
/// law (J. D. C. Little, 1961: L = λ W) IOPS times mean latency, summed over all streams, is their number.
///
/// It is not asked of a load with errors, whose failed I/Os were in flight without being in a histogram, nor of the
/// null engine, whose I/Os are done before they are begun.
#[expect(clippy::cast_precision_loss, reason = "53 bits of I/Os are enough")]
pub(super) fn littles_law(record: &RunRecord) -> Option<Finding> {
    let measured_us = record.measured_duration().as_secs_f64() * 1e6;
    if measured_us == 0.0 || error_count(record).is_some() || record.plan.engine == EngineKind::Null {
        return None;
    }
    let total_latency_us: f64 = record
        .jobs
        .iter()
        .flat_map(|job| Direction::ALL.into_iter().filter_map(|direction| job.get(direction)))
        .filter_map(|counts| Some(counts.io_count() as f64 * counts.total_latency.mean_us()?))
        .sum();
    let in_flight = total_latency_us / measured_us;
    let outstanding = record.plan.total_iodepth();
    let deviation_percent = 100.0 * (in_flight / f64::from(outstanding) - 1.0);
    (deviation_percent.abs() > MOST_DEVIATION_PERCENT).then(|| {
        let why = if deviation_percent < 0.0 {
            "the generator left some of them idle, so the device could have done more"
        } else {
            "latencies are counted longer than the I/Os lasted, or some began long before the measured phase"
        };
        finding(
            "littles-law",
            Severity::Warning,
            format!(
                "IOPS times mean latency shows {in_flight:.1} I/Os in flight where {outstanding} were outstanding ({deviation_percent:+.1} %): {why}"
            ),
            [
                ("in_flight", json!(in_flight)),
                ("outstanding", json!(outstanding)),
                ("deviation_percent", json!(deviation_percent)),
            ],
        )
    })
}

/// The generator used up the CPUs that it drives the load with.
pub(super) fn generator_busy(record: &RunRecord) -> Option<Finding> {
    let cpu = record.cpu.as_ref()?;
    // The engine `threads` has a thread for each outstanding I/O; the others drive everything with a few.
    let threads = match record.plan.engine {
        EngineKind::Threads => record.plan.total_iodepth(),
        _ => record.plan.threads,
    };
    let driven_cpu_count = threads.min(record.host.cpu_count).max(1);
    let available_s = cpu.wall.as_secs_f64() * f64::from(driven_cpu_count);
    if available_s == 0.0 {
        return None;
    }
    let busy_percent = 100.0 * (cpu.user + cpu.system).as_secs_f64() / available_s;
    (busy_percent > MOST_BUSY_PERCENT).then(|| {
        finding(
            "generator-busy",
            Severity::Warning,
            format!(
                "iotrial itself used {busy_percent:.0} % of the {driven_cpu_count} CPUs that drive the load: the figures show the host's limit, not the device's"
            ),
            [
                ("busy_percent", json!(busy_percent)),
                ("driven_cpu_count", json!(driven_cpu_count)),
                ("user_s", json!(cpu.user.as_secs_f64())),
                ("system_s", json!(cpu.system.as_secs_f64())),
            ],
        )
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_record::{counts, healthy};

    #[test]
    fn another_engine_is_named_with_its_reason() {
        let mut record = healthy();
        assert_eq!(engine_fallback(&record), None);
        record.plan.engine = EngineKind::Threads;
        record.plan.engine_reason = Some("io_uring is disabled on this kernel".to_owned());
        assert_eq!(
            engine_fallback(&record).unwrap().message,
            "the engine `threads` made the load: io_uring is disabled on this kernel"
        );
    }

    #[test]
    fn littles_law_tolerates_three_percent_and_says_which_way_it_is_broken() {
        let with_reads_of = |latency_us: u64| {
            let mut record = healthy();
            record.jobs[0].read = Some(counts(8_000 * 300, Duration::from_micros(latency_us)));
            littles_law(&record)
        };
        // Nine are outstanding, four of them reads of 500 µs: 30 µs more are 0.24 I/Os, 2.7 %.
        assert_eq!(with_reads_of(500), None);
        assert_eq!(with_reads_of(530), None);
        assert_eq!(with_reads_of(470), None);
        let slower = with_reads_of(540).unwrap();
        assert!(
            slower.message.starts_with(
                "IOPS times mean latency shows 9.3 I/Os in flight where 9 were outstanding (+3.6 %)"
            ),
            "{}",
            slower.message
        );
        assert!(with_reads_of(250).unwrap().message.ends_with("so the device could have done more"));
    }

    #[test]
    fn littles_law_is_not_asked_where_it_cannot_hold() {
        let mut record = healthy();
        record.jobs[0].read = Some(counts(8_000 * 300, Duration::from_micros(1)));
        assert!(littles_law(&record).is_some());
        record.plan.engine = EngineKind::Null;
        assert_eq!(littles_law(&record), None);
        record.plan.engine = EngineKind::Uring;
        record.jobs[0].write.as_mut().unwrap().error_count = 1;
        assert_eq!(littles_law(&record), None);
        assert_eq!(littles_law(&crate::test_record::measured(0, |_| 0)), None);
    }

    #[test]
    fn a_generator_that_needs_all_of_its_cpus_says_so() {
        let mut record = healthy();
        assert_eq!(generator_busy(&record), None);
        // Two copies of jobs are driven by two threads, so two of the four CPUs are the limit.
        assert_eq!(record.plan.threads, 2);
        let used = |record: &mut RunRecord, cpus: f64| {
            let cpu = record.cpu.as_mut().unwrap();
            (cpu.user, cpu.system) = (cpu.wall.mul_f64(cpus), Duration::ZERO);
        };
        used(&mut record, 1.79);
        assert_eq!(generator_busy(&record), None);
        used(&mut record, 1.81);
        assert!(generator_busy(&record).unwrap().message.contains("of the 2 CPUs"));
        record.plan.engine = EngineKind::Threads;
        assert_eq!(generator_busy(&record), None);
        record.cpu = None;
        assert_eq!(generator_busy(&record), None);
    }
}
