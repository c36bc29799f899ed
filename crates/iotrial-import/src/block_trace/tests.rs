use super::*;

fn read(text: &str) -> Result<(Vec<BlockEvent>, TraceSource, Vec<String>), BlockTraceError> {
    let (mut reader, mut events) = (BlockTraceReader::default(), Vec::new());
    for line in text.lines() {
        reader.line(line, &mut |event| events.push(event))?;
    }
    let (source, devices) = reader.end()?;
    Ok((events, source, devices))
}

fn issued(events: &[BlockEvent], op: BlockOp, bytes: u64) -> usize {
    let is_it = |one: &&BlockEvent| one.kind == BlockEventKind::Issue && one.op == op && one.bytes == bytes;
    events.iter().filter(is_it).count()
}

#[test]
fn the_kernels_own_text_and_that_of_perf_have_what_fio_did() {
    let texts = [
        (include_str!("../../tests/block_trace/trace_pipe.txt"), TraceSource::TracePipe),
        (include_str!("../../tests/block_trace/perf-script.txt"), TraceSource::PerfScript),
    ];
    for (text, expected) in texts {
        let (events, source, devices) = read(text).unwrap();
        assert_eq!((source, devices), (expected, vec!["7,0".to_owned()]));
        // The other reads are those of fio and the kernel looking at the device.
        assert_eq!(issued(&events, BlockOp::Read, 8_192), 83, "{expected:?}");
        assert_eq!(issued(&events, BlockOp::Write, 8_192), 37, "{expected:?}");
        assert_eq!(issued(&events, BlockOp::Write, 4_096), 40, "{expected:?}");
        assert!((38..=42).contains(&issued(&events, BlockOp::Flush, 0)), "{expected:?}");
    }
}

#[test]
fn blkparse_has_flushes_without_a_place_and_durable_writes() {
    let (events, source, _) = read(include_str!("../../tests/block_trace/blkparse.txt")).unwrap();
    assert_eq!((source, events.len()), (TraceSource::Blkparse, 8));
    assert_eq!(issued(&events, BlockOp::Flush, 0), 1);
    assert_eq!(events.iter().filter(|one| one.is_durable).count(), 2);
    assert_eq!((events[0].at_ns, events[0].sector, events[0].bytes), (9_000, 409_600, 4_096));
}

#[test]
fn biosnoop_has_both_ends_of_an_io_in_a_line() {
    let (events, source, devices) = read(include_str!("../../tests/block_trace/biosnoop.txt")).unwrap();
    assert_eq!((source, devices), (TraceSource::Biosnoop, vec!["xvda1".to_owned()]));
    assert_eq!((issued(&events, BlockOp::Write, 4_096), issued(&events, BlockOp::Read, 8_192)), (2, 1));
    assert_eq!((events[4].at_ns, events[5].at_ns), (700_650_000, 700_900_000));
}

#[test]
fn what_is_no_trace_or_leaves_out_too_much_is_refused_with_the_reason() {
    assert_eq!(read("").unwrap_err(), BlockTraceError::Unknown);
    assert_eq!(read("Device r/s w/s\nsda 1 2\n").unwrap_err(), BlockTraceError::Unknown);
    let bpftrace = "TIME(ms)     DISK    COMM             PID    LAT(ms)\n611          nvme0n1 bash             4179        10\n";
    assert_eq!(read(bpftrace).unwrap_err(), BlockTraceError::NoSectors);
    let completed = "a-1 [000] ..... 1.0: block_rq_complete: 7,0 R () 8 + 8 [0]\n";
    assert_eq!(read(completed).unwrap_err(), BlockTraceError::NoIo);
}

#[test]
fn lost_events_are_counted_and_lines_of_strangers_are_never_a_panic() {
    let mut reader = BlockTraceReader::default();
    let lines = [
        "CPU:0 [LOST 123 EVENTS]",
        "x-1 [0] 1.5: block_rq_issue: 7,0 R 8192 () 0 + 16 [fio]",
        "x-1 [0] 1.5: block_rq_issue: 7,0 R 8192 () 18446744073709551615 + 18446744073709551615 [fio]",
        "x-1 [0] 1.5: block_rq_issue: 7,0 R 8192 () 0 + 36028797018963967 [fio]",
        "x-1 [0] 99999999999999999999.5: block_rq_issue: 7,0 R 8192 () 0 + 16 [fio]",
        "x-1 [0] 1.é: block_rq_issue: 7,0 R 8192 () 0 + 16 [fio]",
        "block_rq_issue: ",
        ": block_rq_complete: ) ",
    ];
    let mut count = 0;
    for line in lines {
        reader.line(line, &mut |_| count += 1).unwrap();
    }
    assert_eq!((count, reader.lost_count, reader.other_line_count), (1, 123, 6));
}

#[test]
fn a_text_that_names_more_devices_than_a_host_has_takes_no_more_memory() {
    let mut reader = BlockTraceReader::default();
    for device in 0..MOST_DEVICES + 10 {
        let line = format!("x-1 [0] 1.5: block_rq_issue: {device},0 R 8192 () 0 + 16 [fio]");
        reader.line(&line, &mut |_| ()).unwrap();
    }
    assert_eq!(reader.other_line_count, 10);
    assert_eq!(reader.end().unwrap().1.len(), MOST_DEVICES);
}
