//! What speaks against taking the figures of a result for what a machine needs, or for what a configuration does.

use iotrial_analysis::findings::findings;
use iotrial_model::finding::FindingId;
use iotrial_model::plan::EngineKind;
use iotrial_model::subject::Subject;
use iotrial_model::units::group_thousands;
use iotrial_words::finding::message;

/// Findings after which the rates are not those of a device under the load that was meant.
const DOUBTFUL: [FindingId; 8] = [
    FindingId::Failed,
    FindingId::Interrupted,
    FindingId::IoErrors,
    FindingId::ShortIo,
    FindingId::ShortRun,
    FindingId::InMemoryTarget,
    FindingId::BufferedIo,
    FindingId::CacheServed,
];

/// Why the rates are not those of a device, each in one sentence without a full stop.
pub(super) fn doubts(subject: &Subject<'_>) -> Vec<String> {
    let by_engine = match subject.engine {
        Some(EngineKind::Sim) => {
            Some("the device was simulated: these are not rates of real storage".to_owned())
        }
        Some(engine) if !engine.has_device() => {
            Some("no device received the I/Os: these are not rates of real storage".to_owned())
        }
        _ => None,
    };
    let found = findings(subject).into_iter().filter(|one| DOUBTFUL.contains(&one.id));
    by_engine.into_iter().chain(found.map(|one| message(&one))).collect()
}

/// Where a load kept all its I/Os in flight, its rates are what the storage gave, and nobody knows what was needed.
pub(super) fn lower_bound(subject: &Subject<'_>) -> Option<String> {
    let offered = subject.offered_outstanding()?;
    let rates = subject.rates();
    let iops: f64 = rates.iter().map(|rate| rate.iops).sum();
    let waiting = |rate: &iotrial_model::subject::SubjectRate<'_>| Some(rate.iops * rate.latency_mean_us?);
    let latency = rates.iter().map(waiting).sum::<Option<f64>>().filter(|_| iops > 0.0);
    let at = latency.map_or_else(String::new, |sum| format!(", at {:.1} ms each", sum / iops / 1e3));
    Some(format!(
        "the load kept up to {} I/Os in flight all the time{at}: its rates show what the storage delivered, not what is needed, so the demand is a lower bound",
        group_thousands(&offered.to_string())
    ))
}
