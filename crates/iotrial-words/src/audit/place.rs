//! Where something was found.

use iotrial_model::audit::{AuditPlace, LatencyKind, ResultPart};
use iotrial_model::stream::Stream;
use iotrial_model::words::enumerate;

use super::claim::metric_in_words;

/// `row A`, `jobs[0], job pages, read completion latency`.
pub(super) fn in_words(place: &AuditPlace) -> String {
    match place {
        AuditPlace::Record => "the record".to_owned(),
        AuditPlace::AllJobs => "all jobs".to_owned(),
        AuditPlace::Result(part) => of_result(part),
        AuditPlace::Row(row) => format!("row {row}"),
        AuditPlace::RowMetric { row, metric } => format!("row {row}, {}", metric_in_words(metric)),
        AuditPlace::Metric(metric) => metric_in_words(metric),
        AuditPlace::Change { metric, baseline, row } => {
            format!("{} from row {baseline} to row {row}", metric_in_words(metric))
        }
        AuditPlace::Rows { baseline, row } => format!("row {row} against row {baseline}"),
    }
}

fn of_result(part: &ResultPart) -> String {
    let mut words: Vec<String> = part.source.iter().cloned().collect();
    words.extend(part.job.as_ref().map(|job| format!("job {job}")));
    if words.is_empty() {
        words.push("the run".to_owned());
    }
    if !part.streams.is_empty() {
        let names: Vec<&str> = part.streams.iter().copied().map(Stream::metric_word).collect();
        let latency = part.latency.map_or("", |latency| match latency {
            LatencyKind::Total => " latency",
            LatencyKind::Completion => " completion latency",
            LatencyKind::Submission => " submission latency",
        });
        words.push(enumerate(&names) + latency);
    }
    words.join(", ")
}
