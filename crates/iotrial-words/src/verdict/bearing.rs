//! Words for what bears on a verdict.

use iotrial_model::figure::Figure;
use iotrial_model::finding::Finding;
use iotrial_model::units::{duration_in_words, format_duration};
use iotrial_model::verdict::{
    Advice, Caveat, Change, Doubt, DoubtKind, Gap, Objection, QueueLatency, Starved, WhyNotJudged,
};
use iotrial_model::words::enumerate;

use super::{limit, roles, shown, streams};
use crate::finding::message;
use crate::numbers::{
    count_with_thousands, latency_in_words, outstanding_in_words, rate_in_words, seconds_in_words,
};

/// In full, without a full stop.
pub(crate) fn objection(against: &Objection) -> String {
    match against {
        Objection::Found(finding) => message(finding),
        Objection::InStep { label, finding } => format!("{label}: {}", message(finding)),
    }
}

/// Doubts one after the other; one that has a comma of its own would run into the next one.
pub(super) fn doubts<'d>(all: impl IntoIterator<Item = &'d Doubt>) -> String {
    let clauses: Vec<String> = all.into_iter().map(doubt).collect();
    if clauses.len() > 1 && clauses.iter().any(|clause| clause.contains(',')) {
        return clauses.join("; ");
    }
    enumerate(&clauses)
}

/// In a few words, to follow a colon.
pub(super) fn doubt(doubt: &Doubt) -> String {
    let words = match &doubt.kind {
        DoubtKind::NullEngine => "the null engine measures only the generator and uses no device",
        DoubtKind::Simulated => "the device was simulated",
        DoubtKind::OtherLimit => "something other than the device may have been the limit",
        DoubtKind::NothingMeasured => "the run was interrupted before anything was measured",
        DoubtKind::Interrupted => "the run was interrupted",
        DoubtKind::AlteredRecord => {
            "the record was changed after it was written, so its figures prove nothing"
        }
        DoubtKind::InMemory => "the target is in memory, so the figures are those of memory",
        DoubtKind::PageCache => "the I/O went through the page cache, so the figures mix memory and device",
        DoubtKind::TooShort { measured_s } if *measured_s > 0.0 => {
            return format!("only {} were measured", seconds_in_words(*measured_s));
        }
        DoubtKind::TooShort { .. } | DoubtKind::NotSteadyInTime => {
            return message_of(doubt.finding.as_ref());
        }
        DoubtKind::BurstEnded => {
            "a burst ended during the measurement, so the figures mix the burst with the lower rate after it"
        }
        DoubtKind::TwoLatencies => "the I/Os have two separate latencies, which is typical of a cache",
        DoubtKind::CacheAboveDevices => "a cache served I/Os that the devices never saw",
        DoubtKind::ArrayCache => "the cache of the array may hold what the load touched",
        DoubtKind::ForeignLoad => {
            "the devices did more I/O than iotrial issued: something else used them, or a layer above them added I/O"
        }
        DoubtKind::ShortOfCpu => "the generator was short of CPU",
        DoubtKind::IssuedLate => "the generator issued I/Os late",
        DoubtKind::ClockJump => "the clock jumped during the measurement",
        DoubtKind::Contradiction => "latencies and rates contradict each other",
        DoubtKind::Starved(starved) => return self::starved(starved),
        DoubtKind::TooFewIos(one) => return format!("too few I/Os for {}", gap(one)),
        DoubtKind::Undecided(one) => return gap_in_full(one, ""),
        DoubtKind::SlowAtTheEnd { measured_s, slow } => {
            let clause = |one| format!("{} (limit {})", slow_figure(one), limit(one.limit_us));
            let slow: Vec<String> = slow.iter().map(clause).collect();
            return format!(
                "the load was not steady, and in its last {} alone {}",
                seconds_in_words(*measured_s),
                enumerate(&slow)
            );
        }
    };
    words.to_owned()
}

fn slow_figure(judged: &super::Judged) -> String {
    format!("{} have a {} of {}", streams(judged), judged.statistic, shown(judged))
}

/// The same in full, for the list of reasons.
pub(super) fn reason(one: &Doubt) -> String {
    match &one.kind {
        DoubtKind::Simulated => "the device was simulated, so no storage was measured".to_owned(),
        DoubtKind::TooFewIos(gap) => gap_in_full(gap, ""),
        DoubtKind::SlowAtTheEnd { .. } => doubt(one),
        _ if one.finding.is_some() => message_of(one.finding.as_ref()),
        _ => doubt(one),
    }
}

fn message_of(finding: Option<&Finding>) -> String {
    finding.map(message).unwrap_or_default()
}

fn starved(starved: &Starved) -> String {
    match starved {
        Starved::Stream { roles: all, stream, io_count, .. } => {
            format!("only {io_count} {} {stream}s completed, which is too few to judge", roles(all))
        }
        Starved::Time { measured_s } => format!(
            "only {} were measured; iotrial does not judge less than a second",
            seconds_in_words(*measured_s)
        ),
    }
}

/// What was not judged: `p99.9 of log commits`.
pub(super) fn gap(gap: &Gap) -> String {
    if matches!(gap.why, WhyNotJudged::Queue(_)) {
        return "latencies".to_owned();
    }
    let streams = match gap.stream {
        Some(stream) => format!("{} {stream}s", roles(&gap.roles)),
        None => roles(&gap.roles),
    };
    match gap.statistic {
        Some(statistic) => format!("{statistic} of {streams}"),
        None => streams,
    }
}

/// `; too few I/Os to prove p99 of log commits`, or nothing: means say little of what databases wait for.
pub(super) fn not_proven(gaps: &[Gap]) -> String {
    let is_it = |one: &&Gap| {
        one.statistic == Some(Figure::LatencyP99) && matches!(one.why, WhyNotJudged::TooFewIos { .. })
    };
    let all: Vec<String> = gaps.iter().filter(is_it).map(gap).collect();
    if all.is_empty() { String::new() } else { format!("; too few I/Os to prove {}", enumerate(&all)) }
}

/// The same with the reason. The set is named where it has no limits.
pub(super) fn gap_in_full(one: &Gap, set: &str) -> String {
    let what = gap(one);
    match &one.why {
        WhyNotJudged::NoLimits if one.stream.is_none() => {
            format!("{what} is not judged: {set} has no limits for it")
        }
        WhyNotJudged::NoLimits => format!("{what} are not judged: {set} has no limits for them"),
        WhyNotJudged::DifferentLimits => {
            format!("{what} are not judged: {set} has different limits for them")
        }
        WhyNotJudged::NotStated => format!("{what} is not judged: the source does not state it"),
        WhyNotJudged::TooFewIos { io_count, least_io_count } => format!(
            "{what} is not judged: {} I/Os are too few ({} needed)",
            count_with_thousands(*io_count),
            count_with_thousands(*least_io_count)
        ),
        WhyNotJudged::Undecided { relation, shown_ms, limit_us } => format!(
            "{what} is only known as {} {shown_ms} ms, which leaves open whether it is below {}",
            relation.sign(),
            limit(*limit_us)
        ),
        WhyNotJudged::Queue(one) => format!("{what} are not judged: {}", queue(one)),
    }
}

/// `they show the queue of 1,024 outstanding I/Os: 1,024 ÷ 5,600 IOPS is 183 ms`.
pub(super) fn queue(queue: &QueueLatency) -> String {
    let outstanding = count_with_thousands(queue.outstanding);
    let divided = queue.iops.zip(queue.lat_mean_us).map(|(iops, lat_mean_us)| {
        format!(": {outstanding} ÷ {} IOPS is {}", rate_in_words(iops), latency_in_words(lat_mean_us))
    });
    let queue = outstanding_in_words(queue.outstanding as f64);
    format!("they show the queue of {queue}{}", divided.unwrap_or_default())
}

/// Conditions to follow «measured».
pub(super) fn caveats(all: &[Caveat]) -> Vec<String> {
    let words = |caveat: &Caveat| match caveat {
        Caveat::Contradiction => "with figures that contradict each other".to_owned(),
        Caveat::Stall => "with a stall of a second or more".to_owned(),
        Caveat::Paused => "while iotrial itself was stopped for some of the time".to_owned(),
        Caveat::CoarseLatency => "with latencies in coarse steps".to_owned(),
        Caveat::ShortRun { measured_s } => format!("for only {}", seconds_in_words(*measured_s)),
        Caveat::Unsteady { within: Some(within) } => {
            format!("without reaching a steady state within {}", duration_in_words(*within))
        }
        Caveat::Unsteady { within: None } => "without reaching a steady state".to_owned(),
    };
    all.iter().map(words).collect()
}

/// An imperative, as a sentence.
pub fn advice(advice: &Advice) -> String {
    let words = match advice.change {
        Change::Longer => {
            let duration = advice.duration.unwrap_or_default();
            return format!("Measure longer: --duration {}.", format_duration(duration));
        }
        Change::RunAgain => "Run it again, and let it finish.",
        Change::AskForRecord => "Ask for the record as iotrial wrote it, or measure again.",
        Change::ChooseDisk => "Choose a target on a disk.",
        Change::DirectIoOfTool => "Measure again with direct I/O (fio: direct=1, diskspd: -Sh).",
        Change::LeaveOutBuffered => "Leave out --buffered.",
        Change::LeaveOutEngine => "Leave out --engine to measure a real device.",
        Change::UntilSteady => "Measure until the load is steady: --until-steady.",
        Change::MoreTimeUntilSteady => {
            "Give it more time (--until-steady LIMIT), or find out what keeps changing."
        }
        Change::LargerFiles => "Make the files larger than the cache: a larger --size.",
        Change::StopOthersOnDevices => "Stop other work on these devices, and measure again.",
        Change::StopOthersOnHostAndDevices => {
            "Stop other work on this host and its devices, and measure again."
        }
        Change::StopOthersOnHost => {
            "Stop other programs on this host, or give it more CPUs, and measure again."
        }
        Change::WaitForClock => "Wait until the clock is set, and measure again.",
        Change::LookAtAudit => "Look at what `iotrial audit` says of this result.",
        Change::AskSource => "Ask the source for the exact figure, or measure it.",
        Change::FindFailure => "Find out why the storage failed: the log of the system may name the device.",
        Change::MoreTimeForSearch => {
            "Give the search more time: --duration 1m; or a smaller --size, which is created sooner."
        }
        Change::QuieterOrLonger => "Measure on a quieter host, or longer: --duration 2m.",
    };
    words.to_owned()
}
