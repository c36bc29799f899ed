//! What is said of each finding: one sentence without a full stop, with the numbers that are behind it.

pub mod compared;
mod course;
mod devices;
mod generator;
mod source;
pub mod swept;
mod written;

use iotrial_model::finding::{Evidence, Finding, FindingId, IoErrors, RecordedFinding, SHORTEST_TRUSTED};
use iotrial_model::words::in_brief;
use serde::Serializer;

use crate::numbers::{count_with_thousands, latency_in_words, rate_in_words, seconds_in_words};
use crate::place::said_of;

pub use source::contradiction;
pub(crate) use written::{faults_in_words, kept_capacity};

/// One sentence with the numbers, and with the place in front of it.
pub fn message(finding: &Finding) -> String {
    let said = finding.recorded.clone().unwrap_or_else(|| says(finding.id, &finding.evidence));
    match &finding.place {
        Some(place) => said_of(place, &said),
        None => said,
    }
}

/// A finding as a record keeps it.
pub fn to_record(finding: &Finding) -> RecordedFinding {
    RecordedFinding {
        id: finding.id.as_str().to_owned(),
        severity: finding.severity,
        message: message(finding),
        evidence: finding.evidence.facts(),
    }
}

/// For `serialize_with`: findings in JSON are as those of a record.
pub fn in_json<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(to_record))
}

/// The sentence of a finding that was made of these facts.
pub(crate) fn says(id: FindingId, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Nothing {} => of_id(id).to_owned(),
        Evidence::Ended { measured_s, planned_s, reason } => format!(
            "the run {} when {} of {} were measured: {}",
            if id == FindingId::Failed { "failed" } else { "was interrupted" },
            seconds_in_words(*measured_s),
            seconds_in_words(*planned_s),
            reason.as_deref().unwrap_or("no reason was recorded")
        ),
        Evidence::ContradictoryFigures { contradiction_count, first, .. } => {
            format!("the figures contradict each other: {}{}", source::contradiction(first), more(contradiction_count - 1, " (and {} more)"))
        }
        Evidence::FailedJobs { failed_count, job, error } => {
            format!("the job `{job}` did not finish: {error}{}", more(failed_count - 1, ", and {} more failed"))
        }
        Evidence::IoErrors(IoErrors { error_count, attempt_count, job, direction, first_error }) => format!(
            "{} of {} I/Os failed, most of them {direction}s of `{job}`; the first error: {first_error}",
            count_with_thousands(*error_count),
            count_with_thousands(*attempt_count)
        ),
        Evidence::SampledRate { iops, sampled_iops_mean, sampled_iops_min, sampled_iops_max, stream } => format!(
            "the rate of `{stream}` was not steady: {} IOPS on average while it ran, from {} to {}, but {} IOPS over the whole time; its jobs ended at different times, or stood still",
            rate_in_words(*sampled_iops_mean),
            rate_in_words(*sampled_iops_min),
            rate_in_words(*sampled_iops_max),
            rate_in_words(*iops)
        ),
        Evidence::StatedErrors { error_count } => {
            format!("{error_count} I/Os failed; the figures contain only those that succeeded")
        }
        Evidence::ShortIo { job, direction, moved_bytes, asked_bytes, .. } => format!(
            "{direction}s of `{job}` were short, the first one moved {moved_bytes} of {asked_bytes} bytes: the file or device is smaller than the load expects, or something truncated it during the run"
        ),
        Evidence::NotAsWritten(found) => written::not_as_written(found),
        Evidence::Stalled(stalled) => course::stalled(stalled),
        Evidence::Paused { count, total_s, longest_s, longest_after_s } => {
            course::paused(*count, *total_s, *longest_s, *longest_after_s)
        }
        Evidence::LatencyLimitMissed(missed) => generator::latency_limit_missed(missed),
        Evidence::Scaling(scaling) => course::scaling(id, scaling),
        Evidence::NotIssued { job, not_issued_count, not_issued_percent, are_commits } => format!(
            "{} {} of `{job}` ({not_issued_percent:.1} % of those that were due) were never issued: the load did not reach its rate, and latencies count from the time at which each one was due",
            count_with_thousands(*not_issued_count),
            generator::what_arrives(*are_commits)
        ),
        Evidence::LateIssues(late) => generator::late_issues(late),
        Evidence::InMemoryTarget { paths } => format!(
            "{} {} in memory: the figures are those of memory, not of a device",
            quoted(paths),
            if paths.len() == 1 { "is" } else { "are" }
        ),
        Evidence::SmbShare { paths } => format!(
            "{} {} (SMB): the server's cache and network are part of the figures, and only the server knows when a write is durable",
            quoted(paths),
            if paths.len() == 1 { "is a share" } else { "are shares" }
        ),
        Evidence::BufferedIo { .. } => {
            "the I/O went through the page cache (direct = false): the figures mix memory and device".to_owned()
        }
        Evidence::PolledIo(_) => "the threads asked the devices for completions instead of waiting for interrupts (polled = true): a database that waits sees longer latencies, and the CPU of the generator says nothing".to_owned(),
        Evidence::CacheByDevices(cache) => devices::cache_by_devices(cache),
        Evidence::CacheByLatency(cache) => devices::cache_by_latency(cache),
        Evidence::ForeignLoad(load) => devices::foreign_load(load),
        Evidence::ThrottledAfterBurst { after_s, burst, plateau, unit, measured_from_s } => format!(
            "the device did {} {unit} and was throttled to {} {unit} after {}: burst credits or a cache were used up; {}",
            rate_in_words(*burst),
            rate_in_words(*plateau),
            seconds_in_words(*after_s),
            if after_s > measured_from_s {
                "the figures mix both rates; measure longer, or after a longer ramp, to see the lasting rate"
            } else {
                "only the lasting rate was measured"
            }
        ),
        Evidence::Unsteady(unsteady) => course::unsteady(unsteady),
        Evidence::LittlesLaw { in_flight, outstanding, deviation_percent } => format!(
            "IOPS times mean latency gives {in_flight:.1} I/Os in flight, but {outstanding} were outstanding ({deviation_percent:+.1} %): {}",
            if *deviation_percent < 0.0 {
                "the generator left some of them idle, so the device could have done more"
            } else {
                "the latencies are longer than the I/Os really took, or some I/Os began long before the measured phase"
            }
        ),
        Evidence::GeneratorBusy(used) => generator::generator_busy(used),
        Evidence::ClockJump { jump_s, monotonic_s, .. } => course::clock_jump(*jump_s, *monotonic_s),
        Evidence::ShortRun { measured_s } if *measured_s == 0.0 => {
            "nothing was measured: the run ended before the measured phase".to_owned()
        }
        Evidence::ShortRun { measured_s } => format!(
            "only {} were measured: caches and burst credits can hide the real speed for that long, so measure {} s or more",
            seconds_in_words(*measured_s),
            SHORTEST_TRUSTED.as_secs()
        ),
        Evidence::FlatLimit(rate) => devices::flat_limit(rate),
        Evidence::AmplifiedIo { devices, above, read_bytes_ratio, write_bytes_ratio, .. } => {
            let times = |ratio: &Option<f64>| ratio.map_or_else(|| "no".to_owned(), |ratio| format!("{ratio:.2}"));
            format!(
                "{} read {} and wrote {} bytes for each byte of {}: the layer between them adds I/Os, or others use the devices too",
                devices.join(", "),
                times(read_bytes_ratio),
                times(write_bytes_ratio),
                above.join(", ")
            )
        }
        Evidence::UnevenDevices { device, busy_percent, other_count, least_percent, most_percent } => format!(
            "`{device}` was busy for {busy_percent:.0} % of the time and the other {other_count} disks for {least_percent:.0} to {most_percent:.0} %: it is slower than the others or has more work, and the load waits for it"
        ),
        Evidence::MergedIo { direction, merged_percent, issued_count, device_count, devices } => format!(
            "{merged_percent:.0} % of the {direction}s were merged with their neighbours before they reached the device: {} of them became {} I/Os of {}, so the device itself did fewer IOPS than shown",
            count_with_thousands(*issued_count),
            count_with_thousands(*device_count),
            devices.join(", ")
        ),
        Evidence::SharedDisk { devices, holders, are_disks, .. } => devices::shared_disk(devices, holders, *are_disks),
        Evidence::SmallWorkingSet { touched_bytes, memory_bytes } => format!(
            "the load used only {touched_bytes}, less than the memory of this host ({memory_bytes}): a cache in the array, the hypervisor or the drive may hold that much and have answered some of the I/Os"
        ),
        Evidence::ArrayCache { touched_bytes, array_cache_bytes } => format!(
            "the load used {touched_bytes}, and the array has a cache of {array_cache_bytes}, which may have answered: files two to four times as large as the cache show the disks behind it"
        ),
        Evidence::EngineFallback { engine, reason } => {
            format!("the engine `{}` made the load: {reason}", engine.as_str())
        }
        Evidence::SizeReduced { note, .. } => note.clone(),
        Evidence::MemoryAnswered { lat_p50_us, stream } => format!(
            "the source does not say whether the I/O bypassed the page cache, and half of the {stream}s took {} or less, which no device does: memory answered them",
            latency_in_words(*lat_p50_us)
        ),
        Evidence::CoarseLatency { resolution_us, lat_mean_us, tool, stream } => {
            source::coarse_latency(*resolution_us, *lat_mean_us, tool, stream)
        }
        Evidence::CompletionLatency { slat_mean_us } => format!(
            "percentiles exclude the submission time ({} on average), and the mean includes it",
            latency_in_words(*slat_mean_us)
        ),
        Evidence::FlushesApart { flush_mean_us, tool, job } => {
            let mean = flush_mean_us.map(|mean_us| format!(", {} on average", latency_in_words(mean_us)));
            format!(
                "{tool} times the flush separately from the write before it: the write latencies of `{job}` do not include it{}, and are not judged",
                mean.unwrap_or_default()
            )
        }
        Evidence::DerivedRates { rates } => source::derived_rates(rates),
        Evidence::MetricMissing { first, other_count } => {
            format!("a metric of the application is missing: {first}{}", more(*other_count, ", and {} more"))
        }
        Evidence::ImportWarnings { warning_count, first } => {
            format!("the import has warnings: {first}{}", more(warning_count - 1, ", and {} more"))
        }
        Evidence::Drift { from_iops, to_iops, seconds } => swept::drift(*from_iops, *to_iops, *seconds),
        Evidence::Burst { burst_iops, iops, ended_after_s } => swept::burst(*burst_iops, *iops, *ended_after_s),
        // Of a grid the highest load is the deepest queue of the most jobs, so that nobody can say which of the two costs.
        Evidence::FallsAgain { falls_by_percent, has_splits } => format!(
            "more {} than needed cost {falls_by_percent:.0} % of the highest rate",
            if *has_splits { "depth and jobs" } else { "outstanding I/Os" }
        ),
        Evidence::AboveCeiling { exceeded_by_percent } => format!(
            "the best load did {exceeded_by_percent:.0} % more than the ceiling, which comes from the curve through all loads: the other loads do not confirm it"
        ),
        Evidence::RoughFit { rms_percent, is_around_knee, is_own_sweep } => format!(
            "the points are {rms_percent:.0} % off the curve{}, so the knee is only approximate: either the device had other load, or no model fits this load{}",
            if *is_around_knee { " around the knee" } else { "" },
            if *is_own_sweep { "; a longer --step shows which" } else { "" }
        ),
        Evidence::Swept(fact) => swept::says(fact),
        Evidence::Compared(fact) => compared::says(fact),
    }
}

/// What needs no number.
fn of_id(id: FindingId) -> &'static str {
    match id {
        FindingId::AlteredRecord => {
            "the record was changed after it was written: its checksum does not match its content"
        }
        // Of a source: the key of a profile means nothing to the users of other tools.
        FindingId::BufferedIo => {
            "the I/O went through the page cache: the figures show memory as much as storage"
        }
        FindingId::UnknownCache => {
            "the source does not say whether the I/O bypassed the page cache; if not, the figures show memory as much as storage"
        }
        FindingId::NoRole => {
            "the source names no role, so the result is judged as data files; to judge it as a log, import it with `iotrial import --role log FILE`"
        }
        FindingId::Compared => {
            "every page was read before it was overwritten, and compared: the rates and latencies are of this load, and no measurement of the storage"
        }
        _ => unreachable!("{id} has facts"),
    }
}

/// `words` with the number in them; nothing where there are no more.
fn more(count: usize, words: &str) -> String {
    if count == 0 { String::new() } else { words.replace("{}", &count.to_string()) }
}

/// A path, and how many more there are.
fn quoted(paths: &[String]) -> String {
    in_brief(&paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>(), 1, 1)
}

#[cfg(test)]
mod tests;
