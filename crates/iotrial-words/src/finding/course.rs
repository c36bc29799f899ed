//! What is said of how a load went.

use iotrial_model::finding::{
    FindingId, MOST_BACKLOG_GROWTH_PERCENT, MOST_RANGE_PERCENT, MOST_SLOPE_PERCENT, Scaling, StallSeen,
    Stalled, Unsteady,
};
use iotrial_model::words::in_brief;

use crate::numbers::{percent_or_times, rate_in_words, seconds_in_words};

pub(super) fn stalled(stalled: &Stalled) -> String {
    let Stalled { job, direction, longest_s, ended_after_s, seen, freezes, .. } = stalled;
    let longest = seconds_in_words(*longest_s);
    match (seen, ended_after_s) {
        (StallSeen::Back, Some(end_s)) => format!(
            "a {direction} of `{job}` took {longest} and returned {} after the start of the load: the device, or the path to it, stood still",
            seconds_in_words(*end_s)
        ),
        (StallSeen::Back, None) => {
            format!("a {direction} of `{job}` took {longest}: the device, or the path to it, stood still")
        }
        (StallSeen::Frozen, _) => {
            let times = match freezes {
                Some(all) if all.freeze_count != 1 => format!(
                    "{} times, {} together ({:.1} % of the time) and {longest} at most",
                    all.freeze_count,
                    seconds_in_words(all.frozen_s),
                    all.frozen_percent
                ),
                _ => format!("for {longest}"),
            };
            format!(
                "nothing returned from the device of `{job}` {times}, although I/Os were outstanding: the device, or the path to it, stood still"
            )
        }
        (StallSeen::NotBack, _) => format!(
            "a {direction} of `{job}` had not returned when the load ended, {longest} after it was issued: the device, or the path to it, is stuck"
        ),
        (StallSeen::NoneCompleted { from_s }, end) => format!(
            "no I/O of `{job}` completed for {longest}, from {} after the start of the load, {}the device, or the path to it, stood still",
            seconds_in_words(*from_s),
            if end.is_some() { "" } else { "to the end of the load: " }
        ),
    }
}

pub(super) fn scaling(id: FindingId, scaling: &Scaling) -> String {
    let Scaling { load_percent, iops, highest_load_percent, highest_iops, role, devices, is_generator_busy } =
        scaling;
    let times = format!("{:.1}", highest_load_percent / load_percent);
    let times = times.trim_end_matches(".0");
    let change = 100.0 * (highest_iops / iops - 1.0);
    let change = match change.round() {
        0.0 => "no more".to_owned(),
        less if less < 0.0 => format!("{:.0} % less", -less),
        more => format!("{more:.0} % more"),
    };
    if id == FindingId::StillScaling {
        return format!(
            "the rate still rises: {} IOPS with {times} times the outstanding I/Os of the step before are {change}; higher steps would show where it stops",
            rate_in_words(*highest_iops)
        );
    }
    let limit = match (is_generator_busy, role) {
        (true, _) => "; the CPU of the generator was the limit, and not the storage".to_owned(),
        (false, Some(role)) if devices.is_empty() => format!("; the I/Os of `{role}` are those that wait"),
        (false, Some(role)) => {
            format!("; the I/Os of `{role}` are those that wait, on {}", in_brief(devices, 3, 3))
        }
        (false, None) => String::new(),
    };
    format!(
        "the load stops scaling: it does {} IOPS here, and {change} with {times} times the outstanding I/Os{limit}",
        rate_in_words(*iops)
    )
}

pub(super) fn paused(count: usize, total_s: f64, longest_s: f64, longest_after_s: f64) -> String {
    let (longest, after) = (seconds_in_words(longest_s), seconds_in_words(longest_after_s));
    let did_not_run = match count {
        1 => format!("{longest}, {after} after the start of the load"),
        _ => format!(
            "{} in {count} pauses, the longest {longest} long and {after} after the start of the load",
            seconds_in_words(total_s)
        ),
    };
    format!(
        "iotrial itself did not run for {did_not_run}: a signal stopped it, its control group froze or throttled it, or the whole machine stood still; I/Os in flight at that time look slow, but the device did not cause it"
    )
}

pub(super) fn clock_jump(jump_s: f64, monotonic_s: f64) -> String {
    let (way, why) = if jump_s > 0.0 {
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
        "compared with the monotonic clock, the time of day jumped {} {way} within {} of measuring: {why}",
        seconds_in_words(jump_s.abs()),
        seconds_in_words(monotonic_s)
    )
}

pub(super) fn unsteady(unsteady: &Unsteady) -> String {
    let was_not = match unsteady.waited_s.zip(unsteady.round_s) {
        Some((limit_s, round_s)) => {
            format!(
                "the load did not become steady within {}: over its last five rounds of {}",
                seconds_in_words(limit_s),
                seconds_in_words(round_s)
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
