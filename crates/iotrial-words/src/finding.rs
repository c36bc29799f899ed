//! What is said of each finding: one sentence without a full stop, with the numbers that are behind it.

use std::time::Duration;

use iotrial_model::finding::{
    CacheByLatency, Contradiction, DerivedRate, Evidence, Finding, FindingId, FlatRate, GAP_RATIO,
    GeneratorUse, HeldPercentile, IoErrors, MOST_BACKLOG_GROWTH_PERCENT, MOST_DELAY_PERCENT,
    MOST_RANGE_PERCENT, MOST_SLOPE_PERCENT, RecordedFinding, SHORTEST_TRUSTED, SharedHolder, Shortage,
    StallSeen, Unsteady,
};
use iotrial_model::given_target::in_words;
use iotrial_model::load::Role;
use iotrial_model::range::Range;
use iotrial_model::units::{ByteSize, format_duration};
use iotrial_model::words::{enumerate, in_brief};
use serde::Serializer;

use crate::numbers::{
    count_with_thousands, latency_in_words, percent_or_times, seconds_in_words, with_thousands,
};
use crate::place::said_of;
use crate::stated::{write_number, write_range, write_sizes};
use crate::{compared, swept};

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
            format!("the figures contradict each other: {}{}", contradiction(first), more(contradiction_count - 1, " (and {} more)"))
        }
        Evidence::FailedJobs { failed_count, job, error } => {
            format!("the job `{job}` did not finish: {error}{}", more(failed_count - 1, ", and {} more failed"))
        }
        Evidence::IoErrors(IoErrors { error_count, attempt_count, job, direction, first_error }) => format!(
            "{} of {} I/Os failed, most of them {direction}s of `{job}`; the first error: {first_error}",
            count_with_thousands(*error_count),
            count_with_thousands(*attempt_count)
        ),
        Evidence::StatedErrors { error_count } => {
            format!("{error_count} I/Os failed; the figures contain only those that succeeded")
        }
        Evidence::ShortIo { job, direction, moved_bytes, asked_bytes, .. } => format!(
            "{direction}s of `{job}` were short, the first one moved {moved_bytes} of {asked_bytes} bytes: the file or device is smaller than the load expects, or something truncated it during the run"
        ),
        Evidence::Stalled { job, direction, longest_s, ended_after_s, seen, freezes, .. } => match (seen, ended_after_s) {
            (StallSeen::Back, Some(end_s)) => format!(
                "a {direction} of `{job}` took {longest_s:.1} s and returned {end_s:.0} s after the start of the load: the device, or the path to it, stood still"
            ),
            (StallSeen::Back, None) => format!(
                "a {direction} of `{job}` took {longest_s:.1} s: the device, or the path to it, stood still"
            ),
            (StallSeen::Frozen, _) => {
                let (count, frozen_s, percent) = freezes
                    .map_or((1, *longest_s, 0.0), |all| (all.freeze_count, all.frozen_s, all.frozen_percent));
                let times = match count {
                    1 => format!("for {longest_s:.1} s"),
                    _ => format!(
                        "{count} times, {frozen_s:.1} s together ({percent:.1} % of the time) and {longest_s:.1} s at most"
                    ),
                };
                format!(
                    "nothing returned from the device of `{job}` {times}, although I/Os were outstanding: the device, or the path to it, stood still"
                )
            }
            (StallSeen::NotBack, _) => format!(
                "a {direction} of `{job}` had not returned when the load ended, {longest_s:.1} s after it was issued: the device, or the path to it, is stuck"
            ),
            (StallSeen::NoneCompleted { from_s }, end) => format!(
                "no I/O of `{job}` completed for {longest_s:.1} s, from {from_s:.1} s after the start of the load, {}the device, or the path to it, stood still",
                if end.is_some() { "" } else { "to the end of the load: " }
            ),
        },
        Evidence::Paused { count, total_s, longest_s, longest_after_s } => {
            let did_not_run = match count {
                1 => format!("{longest_s:.1} s, {longest_after_s:.0} s after the start of the load"),
                _ => format!(
                    "{total_s:.1} s in {count} pauses, the longest {longest_s:.1} s long and {longest_after_s:.0} s after the start of the load"
                ),
            };
            format!(
                "iotrial itself did not run for {did_not_run}: a signal stopped it, its control group froze or throttled it, or the whole machine stood still; I/Os in flight at that time look slow, but the device did not cause it"
            )
        }
        Evidence::LatencyLimitMissed { limit, lowest_iops, doubts, share_of_saturation, why_not, is_only_rate, .. } => {
            let limit = limit.in_words();
            let why_not = why_not.as_deref().unwrap_or("no reason was recorded");
            let doubt = if doubts.is_empty() {
                String::new()
            } else {
                format!("; but {} there, so this may not be the limit of the device", doubts.in_words())
            };
            let rate = format!(
                "{} IOPS, {:.0} % of the rate at saturation,",
                with_thousands(*lowest_iops),
                100.0 * share_of_saturation
            );
            if *is_only_rate {
                format!("{rate} did not stay within {limit}: {why_not}{doubt}")
            } else {
                format!("no rate that was tried stayed within {limit}: even at {rate} {why_not}{doubt}")
            }
        }
        Evidence::NotIssued { job, not_issued_count, not_issued_percent, are_commits } => format!(
            "{} {} of `{job}` ({not_issued_percent:.1} % of those that were due) were never issued: the load did not reach its rate, and latencies count from the time at which each one was due",
            count_with_thousands(*not_issued_count),
            what_arrives(*are_commits)
        ),
        Evidence::LateIssues { job, late_count, late_percent, held, are_commits, is_in_figures } => {
            let ios = format!("{} {} of `{job}`", count_with_thousands(*late_count), what_arrives(*are_commits));
            if *is_in_figures {
                return format!(
                    "{ios} ({late_percent:.1} %) were issued late, waited behind late ones, or had their completion noticed late, because iotrial did not get a CPU in time. This delay, not the device, accounts for {}",
                    parts(held)
                );
            }
            let made = Some(parts(held)).filter(|made| !made.is_empty()).map(|made| format!(" ({made})"));
            format!(
                "{ios} ({late_percent:.1} %) were issued more than 100 µs after they were due, although a slot was free: the generator was late, and their latencies include that delay{}",
                made.unwrap_or_default()
            )
        }
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
        Evidence::CacheByDevices { direction, devices, issued_bytes, device_bytes, cache_percent, above, roles, .. } => {
            let (counted, issued) = (ByteSize::bytes(*device_bytes), ByteSize::bytes(*issued_bytes));
            let seen_percent = 100.0 - cache_percent;
            if above.is_empty() {
                format!(
                    "{}the devices counted only {counted} of the {issued} that iotrial issued as {direction}s ({seen_percent:.0} %): a cache or holes in the file answered the rest, or the I/O went to devices that iotrial does not know",
                    whose(roles)
                )
            } else {
                format!(
                    "{} counted only {counted} of the {issued} that {} passed on as {direction}s ({seen_percent:.0} %): a cache between them answered the rest, or still holds it",
                    devices.join(", "),
                    above.join(", ")
                )
            }
        }
        Evidence::CacheByLatency(cache) => cache_by_latency(cache),
        Evidence::ForeignLoad { .. } => foreign_load(evidence),
        Evidence::ThrottledAfterBurst { after_s, burst, plateau, unit, measured_from_s } => format!(
            "the device did {} {unit} and was throttled to {} {unit} after {after_s:.1} s: burst credits or a cache were used up; {}",
            with_thousands(*burst),
            with_thousands(*plateau),
            if after_s > measured_from_s {
                "the figures mix both rates; measure longer, or after a longer ramp, to see the lasting rate"
            } else {
                "only the lasting rate was measured"
            }
        ),
        Evidence::Unsteady(unsteady) => of_unsteady(unsteady),
        Evidence::LittlesLaw { in_flight, outstanding, deviation_percent } => format!(
            "IOPS times mean latency gives {in_flight:.1} I/Os in flight, but {outstanding} were outstanding ({deviation_percent:+.1} %): {}",
            if *deviation_percent < 0.0 {
                "the generator left some of them idle, so the device could have done more"
            } else {
                "the latencies are longer than the I/Os really took, or some I/Os began long before the measured phase"
            }
        ),
        Evidence::GeneratorBusy(used) => generator_busy(used),
        Evidence::ClockJump { jump_s, monotonic_s, .. } => {
            let (way, why) = if *jump_s > 0.0 {
                (
                    "ahead",
                    "either somebody set it, or the machine was suspended or migrated; in that case the latencies do not include that time",
                )
            } else {
                (
                    "back",
                    "most likely somebody set it; latencies are not affected, because they come from the monotonic clock, but times of day in logs do not match",
                )
            };
            format!(
                "compared with the monotonic clock, the time of day jumped {:.1} s {way} within {monotonic_s:.0} s of measuring: {why}",
                jump_s.abs()
            )
        }
        Evidence::ShortRun { measured_s } if *measured_s == 0.0 => {
            "nothing was measured: the run ended before the measured phase".to_owned()
        }
        Evidence::ShortRun { measured_s } => format!(
            "only {} were measured: caches and burst credits can hide the real speed for that long, so measure {} s or more",
            seconds_in_words(*measured_s),
            SHORTEST_TRUSTED.as_secs()
        ),
        Evidence::FlatLimit(rate) => flat_limit(rate),
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
            with_thousands(*issued_count as f64),
            with_thousands(*device_count as f64),
            devices.join(", ")
        ),
        Evidence::SharedDisk { devices, holders, are_disks, .. } => shared_disk(devices, holders, *are_disks),
        Evidence::SmallWorkingSet { touched_bytes, memory_bytes } => format!(
            "the load used only {touched_bytes}, less than the memory of this host ({memory_bytes}): a cache in the array, the hypervisor or the drive may hold that much and have answered some of the I/Os"
        ),
        Evidence::EngineFallback { engine, reason } => {
            format!("the engine `{}` made the load: {reason}", engine.as_str())
        }
        Evidence::SizeReduced { note, .. } => note.clone(),
        Evidence::MemoryAnswered { lat_p50_us, stream } => format!(
            "the source does not say whether the I/O bypassed the page cache, and half of the {stream}s took {lat_p50_us:.1} µs or less, which no device does: memory answered them"
        ),
        Evidence::CoarseLatency { resolution_us, lat_mean_us, tool, stream } => {
            let step = if (resolution_us - 1_000.0).abs() < 1e-9 {
                "whole milliseconds".to_owned()
            } else {
                format!("steps of {resolution_us} µs")
            };
            format!(
                "{tool} reports latencies in {step}: the mean of {} ms of {stream} may be off by as much",
                lat_mean_us / 1_000.0
            )
        }
        Evidence::CompletionLatency { slat_mean_us } => format!(
            "percentiles exclude the submission time ({slat_mean_us:.1} µs on average), and the mean includes it"
        ),
        Evidence::FlushesApart { flush_mean_us, tool, job } => {
            let mean = flush_mean_us.map(|mean_us| format!(", {} on average", latency_in_words(mean_us)));
            format!(
                "{tool} times the flush separately from the write before it: the write latencies of `{job}` do not include it{}, and are not judged",
                mean.unwrap_or_default()
            )
        }
        Evidence::DerivedRates { rates } => {
            let of = |rate: &DerivedRate| {
                format!(
                    "{} for {}s (of {} KiB)",
                    with_thousands(rate.iops),
                    rate.direction,
                    rate.block_size_bytes / 1_024.0
                )
            };
            format!(
                "IOPS are not stated, and are computed from MiB/s and block size: {}",
                enumerate(&rates.iter().map(of).collect::<Vec<_>>())
            )
        }
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
        _ => unreachable!("{id} has facts"),
    }
}

/// In what two figures contradict each other, as a clause.
pub fn contradiction(contradiction: &Contradiction) -> String {
    match contradiction {
        Contradiction::Rates { iops, direction, sizes_bytes, mib_per_s, is_in_mb_per_s } => {
            let stream = direction.map_or_else(|| "reads and writes".to_owned(), |one| format!("{one}s"));
            let sizes = Range { low: sizes_bytes.0, high: sizes_bytes.1 };
            format!(
                "{} IOPS of its {stream} at {} are {} MiB/s, but it states {} MiB/s{}",
                with_thousands(*iops),
                write_sizes(sizes),
                write_range((Range::exact(*iops) * sizes).scaled(1.0 / 1_048_576.0)),
                with_thousands(*mib_per_s),
                if *is_in_mb_per_s { "; they match if the unit is MB/s" } else { "" }
            )
        }
        Contradiction::Outstanding { in_flight: (low, high), outstanding } => format!(
            "its rates times its mean latencies give {} I/Os in flight, but its load has at most {}",
            write_range(Range { low: *low, high: *high }),
            write_number(*outstanding)
        ),
        Contradiction::LatencyParts { stream, total_us, parts_us, .. } => format!(
            "the mean latency of its {stream} is {} µs, but its parts add up to {}, so percentiles of a part are left out",
            write_number(*total_us),
            write_number(*parts_us)
        ),
        Contradiction::ClippedPercentile { stream, percent, end_us } => format!(
            "p{percent} of its {stream} is the end of fio's histogram, not a latency: the I/Os took {} s or longer",
            write_number(end_us / 1e6)
        ),
        Contradiction::PercentileBeyondLongest { stream, percent, at_us, longest_us } => format!(
            "p{percent} of its {stream} is {} µs, but the longest I/O took {}",
            write_number(*at_us),
            write_number(*longest_us)
        ),
        Contradiction::MeanBeyondExtreme { stream, mean_us, extreme_us } => format!(
            "the mean of its {stream} is {} µs, but the {} I/O took {}",
            write_number(*mean_us),
            if extreme_us < mean_us { "longest" } else { "shortest" },
            write_number(*extreme_us)
        ),
    }
}

/// `words` with the number in them; nothing where there are no more.
fn more(count: usize, words: &str) -> String {
    if count == 0 { String::new() } else { words.replace("{}", &count.to_string()) }
}

const fn what_arrives(are_commits: bool) -> &'static str {
    if are_commits { "commits" } else { "I/Os" }
}

/// A path, and how many more there are.
fn quoted(paths: &[String]) -> String {
    in_brief(&paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>(), 1, 1)
}

/// Roles before what is said of their part of the load.
fn whose(roles: &[Role]) -> String {
    if roles.is_empty() { String::new() } else { format!("{}: ", in_words(roles)) }
}

/// How much of each percentile the generator made.
fn parts(held: &[HeldPercentile]) -> String {
    let part = |one: &HeldPercentile| {
        let HeldPercentile { percent, latency_us, without_us } = one;
        let name = if *percent == 99.0 { "p99" } else { "p99.9" };
        let made = latency_in_words(latency_us - without_us);
        format!("up to {made} of the {name} of {}", latency_in_words(*latency_us))
    };
    let made = held.iter().filter(|one| one.without_us < one.latency_us);
    enumerate(&made.map(part).collect::<Vec<_>>())
}

fn cache_by_latency(cache: &CacheByLatency) -> String {
    let CacheByLatency { direction, job, cache_percent, fast_median_us, slow_median_us, gap_from_us, .. } =
        cache;
    let or_else = if cache.area_count > 1 { ", or its files are on devices of different speed" } else { "" };
    format!(
        "the {direction}s of `{job}` have two separate latencies: {cache_percent:.0} % around {fast_median_us:.0} µs and the rest around {slow_median_us:.0} µs, with almost none between {gap_from_us:.0} and {:.0} µs: a cache answers some of them{or_else}",
        GAP_RATIO * gap_from_us
    )
}

fn foreign_load(evidence: &Evidence) -> String {
    let Evidence::ForeignLoad {
        devices,
        share_percent,
        issued_read_bytes,
        issued_write_bytes,
        device_read_bytes,
        device_write_bytes,
        roles,
        partitions,
        is_bare,
    } = evidence
    else {
        unreachable!("its caller matched it");
    };
    let excess = device_read_bytes.saturating_sub(*issued_read_bytes)
        + device_write_bytes.saturating_sub(*issued_write_bytes);
    let issued = issued_read_bytes + issued_write_bytes;
    let devices = devices.join(", ");
    if !partitions.is_empty() {
        return format!(
            "{share_percent:.0} % of the bytes that {devices} moved ({}) belong to partitions other than {}: something else used the disk",
            ByteSize::bytes(excess),
            partitions.join(", ")
        );
    }
    let who = if *is_bare {
        "something else used them"
    } else {
        "something else used them, or the file system adds I/Os of its own"
    };
    let of_issued_percent = if issued == 0 { 0.0 } else { 100.0 * excess as f64 / issued as f64 };
    format!(
        "{}the devices moved {} more than the {} that iotrial issued ({of_issued_percent:.0} % of that, and {share_percent:.0} % of all that {devices} moved): {who}",
        whose(roles),
        ByteSize::bytes(excess),
        ByteSize::bytes(issued)
    )
}

fn of_unsteady(unsteady: &Unsteady) -> String {
    let was_not = match unsteady.waited_s.zip(unsteady.round_s) {
        Some((limit_s, round_s)) => {
            let duration = |seconds: f64| format_duration(Duration::from_secs_f64(seconds));
            format!(
                "the load did not become steady within {}: over its last five rounds of {}",
                duration(limit_s),
                duration(round_s)
            )
        }
        None => "the load was not steady: over five rounds".to_owned(),
    };
    match (unsteady.range_percent, unsteady.slope_percent) {
        (Some(range_percent), Some(slope_percent)) => format!(
            "{was_not}, the {} ranged over {} of the average (steady: at most {:.0} %), and a line fitted through the rounds {} by {} (steady: at most {:.0} %)",
            unsteady.value,
            percent_or_times(range_percent),
            MOST_RANGE_PERCENT,
            if slope_percent < 0.0 { "fell" } else { "rose" },
            percent_or_times(slope_percent.abs()),
            MOST_SLOPE_PERCENT
        ),
        _ => format!(
            "{was_not} {:.1} % of the I/Os that became due only made a queue longer (at most {:.0} % is steady)",
            unsteady.backlog_growth_percent.unwrap_or_default(),
            MOST_BACKLOG_GROWTH_PERCENT
        ),
    }
}

fn generator_busy(used: &GeneratorUse) -> String {
    let GeneratorUse { busy_percent, driven_cpu_count, wall_s, .. } = used;
    let percent = |value: Option<f64>| value.unwrap_or_default();
    let (cpus, threads) = match driven_cpu_count {
        1 => ("the CPU that drives the load".to_owned(), "its thread".to_owned()),
        count => (format!("the {count} CPUs that drive the load"), format!("its {count} threads")),
    };
    let why = match used.shortage {
        None | Some(Shortage::OwnCpu) => format!("used {busy_percent:.0} % of {cpus}"),
        Some(Shortage::OneThread) => format!(
            "had a thread that was busy for {:.0} % of the time",
            percent(used.busiest_thread_percent)
        ),
        Some(Shortage::RunQueue) => format!(
            "waited for a CPU during {:.0} % of the time of {threads}",
            percent(used.run_queue_delay_percent)
        ),
        Some(Shortage::Preempted) => format!(
            "lost its CPU {} times a second on a host that was {:.0} % busy",
            with_thousands(percent(used.involuntary_switches_per_s)),
            percent(used.host_busy_percent)
        ),
        Some(Shortage::Stolen) => format!(
            "used {busy_percent:.0} % of {cpus}, and the hypervisor took up to {:.0} % of them",
            percent(used.stolen_percent)
        ),
        Some(Shortage::Steal) => format!(
            "ran on a host that lost {:.0} % of its CPU time to the hypervisor",
            percent(used.host_steal_percent)
        ),
    };
    // Up to a tenth of the time it is only the slowest I/Os that waited as well.
    let so = match (used.shortage, used.run_queue_delay_percent) {
        (Some(Shortage::RunQueue), Some(delay)) if delay <= MOST_DELAY_PERCENT => {
            "so the longest latencies may be the host's rather than the device's"
        }
        _ => "so the figures show the host's limit rather than the device's",
    };
    let mut numbers = vec![format!(
        "{:.2} CPUs used, {:.2} of them in the kernel",
        (used.user_s + used.system_s) / wall_s,
        used.system_s / wall_s
    )];
    numbers.extend(used.run_queue_delay_percent.map(|percent| {
        format!("waited {:.0} ms per s for a CPU", 10.0 * percent * f64::from(*driven_cpu_count))
    }));
    let switches = used.involuntary_switches_per_s;
    numbers.extend(switches.map(|rate| format!("{} involuntary switches per s", with_thousands(rate))));
    numbers.extend(used.host_steal_percent.map(|percent| format!("{percent:.1} % stolen")));
    format!("iotrial itself {why}, {so} ({})", numbers.join(", "))
}

fn flat_limit(rate: &FlatRate) -> String {
    let (roles, devices) = (in_words(&rate.roles), enumerate(&rate.devices));
    let (whose, where_set) = match (rate.roles.as_slice(), rate.devices.as_slice()) {
        ([], _) => (String::new(), "the device, the volume or the instance".to_owned()),
        (_, []) => (format!("{roles}: "), "its device, the volume or the instance".to_owned()),
        (_, [only]) => (format!("{roles} on {only}: "), format!("{only} or a layer below it")),
        (_, _) => (format!("{roles} on {devices}: "), format!("{devices} or a layer below them")),
    };
    let value = match (rate.limit_iops, rate.limit_mib_per_s) {
        (Some(iops), _) => format!("{} IOPS", with_thousands(iops)),
        (None, mib_per_s) => format!("{:.1} MiB/s", mib_per_s.unwrap_or_default()),
    };
    let [of_these, for_these] = ["of", "for"]
        .map(|word| rate.direction.map(|direction| format!(" {word} {direction}s")).unwrap_or_default());
    format!(
        "{whose}{value}{of_these} in every second of {:.0} s (the sum was never off by more than {:.0} ms), while {:.0} I/Os waited {:.0} times as long as on the idle device: {where_set} has a limit of that rate{for_these}",
        rate.measured_s,
        (1e3 * rate.drift_s).ceil().max(1.0),
        rate.in_flight,
        rate.lat_mean_us / rate.lat_min_us
    )
}

/// More targets than this are counted instead of named.
const MOST_NAMED: usize = 6;

fn shared_disk(devices: &[String], holders: &[SharedHolder], are_disks: bool) -> String {
    let name = |holder: &SharedHolder| match holder.roles.as_slice() {
        [] => format!("`{}`", holder.path),
        roles => format!("{} (`{}`)", in_words(roles), holder.path),
    };
    let names: Vec<String> = holders.iter().map(name).collect();
    let names = if names.len() > MOST_NAMED { in_brief(&names, MOST_NAMED, 3) } else { enumerate(&names) };
    let noun = if are_disks { "disk" } else { "device" };
    let s = if devices.len() == 1 { "" } else { "s" };
    let others = if holders.len() == 2 { "other" } else { "others" };
    format!(
        "{names} are on the same {noun}{s}, {}: they share its performance, and each waits for the I/O of the {others}",
        enumerate(devices)
    )
}

#[cfg(test)]
mod tests;
