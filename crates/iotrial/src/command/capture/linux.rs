//! A live trace, through tracefs.

use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::capture::{Capture, CaptureAnswer};
use iotrial_host::machine::machine;
use iotrial_import::block_trace::BlockTraceReader;
use iotrial_model::block_trace::{TraceCost, TraceFacts, TraceSource};
use iotrial_session::block_trace::{BlockTraceRequest, device_name, trace_block_io};

use crate::cli::CaptureArgs;
use crate::failure::Failure;
use crate::signal::control_without_a_word;

/// Traces this host; and whether somebody stopped it.
pub(super) fn live(args: &CaptureArgs, duration: Duration) -> Result<(CaptureAnswer, bool), Failure> {
    let control = control_without_a_word()?;
    let (mut reader, mut capture) = (BlockTraceReader::default(), Capture::default());
    let mut hear = |line: &str| {
        // Of our own trace each line is known; others are counted.
        let _ = reader.line(line, &mut |event| capture.add(event));
    };
    let request = BlockTraceRequest { targets: args.targets.clone(), process: args.pid, duration };
    let traced = trace_block_io(&request, &control, &mut hear)?;
    let other_line_count = reader.other_line_count;
    let lost_count = reader.lost_count.max(traced.lost_count);
    let (_, devices) = reader.end().map_err(|_| {
        let error = anyhow!("no read or write reached a device in {:.1} s", traced.seconds);
        Failure::execution(error).hint("capture while the load runs, and longer".to_owned())
    })?;
    let facts = TraceFacts {
        source: TraceSource::Live,
        host: Some(machine().name),
        devices: devices.iter().map(|numbers| device_name(numbers)).collect(),
        traced_s: Some(traced.seconds),
        lost_count,
        other_line_count,
        cost: Some(TraceCost { cpu_s: traced.cpu_s, mark_us: traced.mark_us }),
    };
    Ok((capture.answer(facts), control.is_stopping()))
}
