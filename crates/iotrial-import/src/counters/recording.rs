//! What `iotrial watch --record` or `--json` wrote.

use std::collections::HashMap;

use iotrial_model::counters::{
    CounterSeries, Presences, RECORDING_FORMAT, RECORDING_TOOL, RecordedInterval, RecordingHead, Times,
};

use super::CountersError;
use super::reports::Reports;
use crate::text::quote;

/// More stripe sets than a machine has.
const MOST_STRIPES: usize = 256;
/// More members than one has.
const MOST_MEMBERS: usize = 256;

/// Whether the first line says so.
pub(super) fn is_recording(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.contains("\"iotrial.watch/") && line.contains("\"format\"")
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let broken =
        |number: usize, message: String| CountersError::Broken { place: format!("line {number}"), message };
    let mut lines =
        text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty());
    let first = lines.next().map_or("", |(_, line)| line);
    let head: RecordingHead = serde_json::from_str(first).map_err(|error| broken(1, error.to_string()))?;
    if head.format != RECORDING_FORMAT {
        let message =
            format!("this version reads the format `{RECORDING_FORMAT}`, not `{}`", quote(&head.format));
        return Err(broken(1, message));
    }
    let (mut reports, mut presences) = (Reports::default(), Presences::default());
    let (mut ends, mut lengths, mut roles) = (Vec::new(), Vec::new(), HashMap::new());
    let mut is_cut = false;
    let mut lines = lines.peekable();
    while let Some((number, line)) = lines.next() {
        let interval: RecordedInterval = match serde_json::from_str(line) {
            Ok(interval) => interval,
            // The machine went down while the last line was written.
            Err(error) if lines.peek().is_none() && error.is_eof() => {
                is_cut = true;
                break;
            }
            // `--json` ends with the summary, which follows from the lines.
            Err(_) if lines.peek().is_none() && line.contains("\"summary\"") => break,
            Err(error) => return Err(broken(number, error.to_string())),
        };
        if !interval.duration_s.is_finite() || interval.duration_s <= 0.0 || !interval.at_s.is_finite() {
            return Err(broken(number, "an interval has no length".to_owned()));
        }
        reports.begin()?;
        ends.push(interval.at_s);
        lengths.push(interval.duration_s);
        presences.add(&interval);
        for disk in interval.disks {
            let counted = disk.counted().into_iter();
            reports.add(&disk.name, counted.filter_map(|(counter, value)| Some((counter, value?))))?;
            if let Some(role) = disk.role {
                roles.insert(disk.name, role);
            }
        }
    }
    let mut series = reports.series(RECORDING_TOOL);
    for disk in &mut series.disks {
        disk.role = roles.get(&disk.name).copied();
        disk.changes = presences.changes(&disk.name);
    }
    if series.disks.is_empty() {
        return Err(CountersError::Lacking {
            tool: "a recording of iotrial watch",
            missing: "any interval",
            hint: "it ended before the first interval was complete",
        });
    }
    if is_cut {
        series
            .notes
            .push("the last line is incomplete and left out: the recording was interrupted".to_owned());
    }
    series.host = (!head.host.is_empty()).then(|| quote(&head.host));
    series.interval_s = Some(head.interval_s).filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    series.durations_s = lengths;
    series.times = Times::OfCalendar(ends);
    series.is_asked_for = !head.targets.is_empty();
    // No more than disks: each name is looked for.
    series.stripes = head.stripes;
    series.stripes.truncate(MOST_STRIPES);
    series.stripes.iter_mut().for_each(|stripe| stripe.truncate(MOST_MEMBERS));
    Ok(series)
}
