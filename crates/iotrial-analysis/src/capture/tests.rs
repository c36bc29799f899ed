use iotrial_model::block_trace::TraceSource;
use iotrial_model::load::{Durability, Pattern, Role};

use super::*;

fn facts() -> TraceFacts {
    TraceFacts {
        source: TraceSource::TracePipe,
        host: None,
        devices: vec!["8,0".to_owned()],
        traced_s: Some(10.0),
        lost_count: 0,
        other_line_count: 0,
        cost: None,
    }
}

/// One I/O that takes 100 µs.
fn io(capture: &mut Capture, at_us: u64, op: BlockOp, sector: u64, bytes: u64) {
    let issue = BlockEvent {
        at_ns: at_us * 1_000,
        kind: BlockEventKind::Issue,
        device: 0,
        op,
        is_durable: false,
        sector,
        bytes,
    };
    capture.add(issue);
    capture.add(BlockEvent { at_ns: at_us * 1_000 + 100_000, kind: BlockEventKind::Complete, ..issue });
}

/// 7,000 random reads, 2,000 random writes and a log of 1,000 writes with a flush each, in ten seconds.
fn oltp() -> CaptureAnswer {
    let mut capture = Capture::default();
    for at in 0..10_000_u64 {
        // Far apart, and in no order.
        let sector = (at * 7_919 % 9_973) * 4_096;
        match at % 10 {
            0..7 => io(&mut capture, at * 1_000, BlockOp::Read, sector, 8_192),
            7 | 8 => io(&mut capture, at * 1_000, BlockOp::Write, sector, 8_192),
            _ => {
                io(&mut capture, at * 1_000, BlockOp::Write, 1 << 33 | (at / 10 * 8), 4_096);
                io(&mut capture, at * 1_000 + 200, BlockOp::Flush, 0, 0);
            }
        }
    }
    capture.answer(facts())
}

#[test]
fn a_known_load_is_counted_as_it_was_made() {
    let answer = oltp();
    assert_eq!((answer.io_count, answer.read_percent), (10_000, 70.0));
    assert!((answer.sequential_percent - 10.0).abs() < 0.1, "{}", answer.sequential_percent);
    assert_eq!((answer.syncs.per_s, answer.syncs.writes_per_sync), (100.0, Some(3.0)));
    let read = answer.read.as_ref().unwrap();
    assert_eq!((read.mean_bytes, read.sizes.len()), (8_192.0, 1));
    assert!((100.0..102.0).contains(&read.p50_us.unwrap()), "{:?}", read.p50_us);
    assert_eq!(answer.outstanding.unwrap(), OutstandingAnswer { mean: 1.0, p50: 1, p99: 1 });
    assert_eq!(answer.arrivals.peak_second_ratio, Some(1.0));
    assert!(answer.remarks.is_empty(), "{:?}", answer.remarks);
}

#[test]
fn its_jobs_are_reads_page_writes_and_a_log_that_is_synced() {
    let jobs = oltp().jobs;
    let [reads, writes, log] = &jobs[..] else { panic!("{jobs:#?}") };
    assert_eq!((reads.class, reads.role, reads.iops.round()), (IoClass::RandomReads, Role::Data, 700.0));
    assert_eq!((writes.class, writes.durability), (IoClass::RandomWrites, Durability::None));
    assert_eq!((log.role, log.pattern), (Role::Log, Pattern::Sequential));
    assert_eq!((log.durability, log.flush_every), (Durability::Fdatasync, 1));
}

#[test]
fn several_streams_are_sequential_each_and_the_first_of_each_is_no_job() {
    let mut capture = Capture::default();
    for at in 0..4_000_u64 {
        let (stream, block) = (at % 4, at / 4);
        io(&mut capture, at * 1_000, BlockOp::Read, (stream << 30) + block * 512, 256 << 10);
    }
    let answer = capture.answer(facts());
    assert!(answer.sequential_percent > 99.5);
    assert_eq!(answer.jobs.len(), 1);
    assert_eq!(answer.jobs[0].class, IoClass::SequentialReads);
}

#[test]
fn a_last_block_that_is_written_again_belongs_to_its_stream() {
    let mut capture = Capture::default();
    for at in 0..2_000_u64 {
        io(&mut capture, at * 1_000, BlockOp::Write, at / 4 * 16, 8_192);
    }
    assert!(capture.answer(facts()).sequential_percent > 99.0);
}

#[test]
fn bursts_and_hot_spots_are_told_from_chance() {
    let mut capture = Capture::default();
    for at in 0..20_000_u64 {
        // All I/Os of a second in its first 100 ms; nine of ten in one of ten regions.
        let (second, within) = (at / 2_000, at % 2_000);
        let region = if at % 10 == 0 { 10 + at / 10 % 90 } else { at % 10 };
        io(
            &mut capture,
            second * 1_000_000 + within * 50,
            BlockOp::Read,
            region * 2_048 + at * 37 % 1_024 * 2,
            512,
        );
    }
    let answer = capture.answer(facts());
    let arrivals = answer.arrivals;
    assert!(arrivals.variation_per_10_ms.unwrap() > 5.0 * arrivals.variation_by_chance.unwrap());
    assert!(answer.hot_spots.unwrap().busiest_10_percent > 80.0, "{:?}", answer.hot_spots);
    assert!(answer.jobs.iter().any(|job| job.hot_spot.is_some()), "{:?}", answer.jobs);
}

#[test]
fn what_is_missing_in_a_trace_is_said() {
    let mut capture = Capture::default();
    let issue = BlockEvent {
        at_ns: 5,
        kind: BlockEventKind::Issue,
        device: 0,
        op: BlockOp::Write,
        is_durable: false,
        sector: 8,
        bytes: 4_096,
    };
    capture.add(issue);
    let answer = capture.answer(TraceFacts { lost_count: 3, ..facts() });
    use CaptureRemark::{FewIos, LostEvents, NoCompletions, NoSyncs};
    assert_eq!(answer.remarks, [LostEvents, FewIos, NoSyncs, NoCompletions]);
    assert_eq!(answer.read, None);
}

#[test]
fn traces_that_were_put_together_in_any_order_are_counted_from_the_earliest() {
    let mut capture = Capture::default();
    // The first fills the window in which events are put in order, so that the second comes too late for it.
    for at in 0..REORDERED as u64 {
        io(&mut capture, 10_000_000 + at, BlockOp::Read, at * 4_096, 8_192);
    }
    for at in 0..2_000 {
        io(&mut capture, at * 1_000, BlockOp::Read, at * 4_096, 8_192);
    }
    let answer = capture.answer(TraceFacts { traced_s: None, ..facts() });
    assert_eq!(answer.io_count, REORDERED as u64 + 2_000);
    assert!((9.0..=11.0).contains(&answer.duration_s), "{}", answer.duration_s);
}
