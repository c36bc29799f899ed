//! What is said of the generator: the load that it was to make, and what it had for it.

use iotrial_model::finding::{
    GeneratorUse, HeldPercentile, LateIssues, LatencyLimitMissed, MOST_DELAY_PERCENT, Shortage,
};
use iotrial_model::words::enumerate;

use crate::numbers::{count_with_thousands, latency_in_words, rate_in_words, with_thousands};

pub(super) fn latency_limit_missed(missed: &LatencyLimitMissed) -> String {
    let limit = missed.limit.in_words();
    let why_not = missed.why_not.as_deref().unwrap_or("no reason was recorded");
    let doubt = if missed.doubts.is_empty() {
        String::new()
    } else {
        format!("; but {} there, so this may not be the limit of the device", missed.doubts.in_words())
    };
    let rate = format!(
        "{} IOPS, {:.0} % of the rate at saturation,",
        rate_in_words(missed.lowest_iops),
        100.0 * missed.share_of_saturation
    );
    if missed.is_only_rate {
        format!("{rate} did not stay within {limit}: {why_not}{doubt}")
    } else {
        let (for_how_long, short) = match missed.short_loads_iops {
            Some(iops) => (
                " for longer than some seconds",
                format!("; loads of some seconds did, up to {} IOPS", rate_in_words(iops)),
            ),
            None => ("", String::new()),
        };
        format!(
            "no rate that was tried stayed within {limit}{for_how_long}: even at {rate} {why_not}{doubt}{short}"
        )
    }
}

pub(super) fn late_issues(late: &LateIssues) -> String {
    let LateIssues { job, late_count, late_percent, held, are_commits, is_in_figures } = late;
    let ios = format!("{} {} of `{job}`", count_with_thousands(*late_count), what_arrives(*are_commits));
    if *is_in_figures {
        return format!(
            "{ios} ({late_percent:.1} %) were issued late, waited behind late ones, or were completed or noticed late, because iotrial or a thread of the kernel did not get a CPU in time. This delay, not the device, accounts for {}",
            parts(held)
        );
    }
    let made = Some(parts(held)).filter(|made| !made.is_empty()).map(|made| format!(" ({made})"));
    format!(
        "{ios} ({late_percent:.1} %) were issued more than 100 µs after they were due, although a slot was free: the generator was late, and their latencies include that delay{}",
        made.unwrap_or_default()
    )
}

pub(super) const fn what_arrives(are_commits: bool) -> &'static str {
    if are_commits { "commits" } else { "I/Os" }
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

pub(super) fn generator_busy(used: &GeneratorUse) -> String {
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
        Some(Shortage::KernelThreads) => format!(
            "depends on threads of the kernel that complete its I/Os, and these waited {} ms per s for a CPU",
            with_thousands(10.0 * percent(used.kernel_io_delay_percent))
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
