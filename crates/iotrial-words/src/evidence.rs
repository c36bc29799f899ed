//! What the facts behind findings are called, by their keys.

/// What people call a fact; `None` where the key without its unit says it: `longest_us` is «longest».
pub fn fact_name(key: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == key).map(|(_, name)| *name)
}

/// Keys that say too little without their unit, or mean something only to those who know the program.
const NAMES: [(&str, &str); 57] = [
    ("attempt_count", "all I/Os"),
    ("backlog_growth_percent", "share of the arrivals that waited"),
    ("burst", "rate at first"),
    ("busiest_thread_percent", "busiest thread"),
    ("busy_percent", "busy"),
    ("cache_percent", "share from the cache"),
    ("contradiction_count", "contradictions"),
    ("count", "times"),
    ("deviation_percent", "deviation"),
    ("device_bytes", "counted by the devices"),
    ("device_count", "I/Os of the device"),
    ("device_read_bytes", "read by the devices"),
    ("device_write_bytes", "written by the devices"),
    ("drift_s", "farthest from an even rate"),
    ("driven_cpu_count", "CPUs that drive the load"),
    ("error_count", "failed I/Os"),
    ("excess_percent", "excess"),
    ("failed_count", "failed jobs"),
    ("freeze_count", "freezes"),
    ("frozen_percent", "share of the time frozen"),
    ("frozen_s", "frozen"),
    ("held", "percentiles"),
    ("host_busy_percent", "all CPUs busy"),
    ("host_steal_percent", "taken by the hypervisor"),
    ("in_flight", "I/Os in flight"),
    ("in_work", "of these in work at the device"),
    ("involuntary_switches_per_s", "times a second a thread lost its CPU"),
    ("iops", "rate"),
    ("is_of_latency", "about a latency"),
    ("is_round", "a round number"),
    ("issued_bytes", "issued"),
    ("issued_count", "issued I/Os"),
    ("issued_read_bytes", "reads issued"),
    ("issued_write_bytes", "writes issued"),
    ("laid_out_bytes", "laid out"),
    ("lat_mean_us", "mean latency"),
    ("lat_min_us", "shortest latency"),
    ("late_count", "I/Os issued late"),
    ("late_percent", "share issued late"),
    ("limit_mib_per_s", "limit"),
    ("longest_after_s", "the longest began after"),
    ("merged_percent", "share merged"),
    ("mib_per_s", "bandwidth"),
    ("not_issued_count", "due and not issued"),
    ("not_issued_percent", "share not issued"),
    ("outstanding", "outstanding I/Os"),
    ("plateau", "rate afterwards"),
    ("read_bytes_ratio", "bytes read for each from above"),
    ("rms_percent", "distance from the curve"),
    ("round_iops", "rounds"),
    ("run_queue_delay_percent", "waited for a CPU"),
    ("seen_in", "seen in"),
    ("share_percent", "share of others"),
    ("slat_mean_us", "mean submission latency"),
    ("total_s", "together"),
    ("unfinished_count", "not back at the end"),
    ("write_bytes_ratio", "bytes written for each from above"),
];

/// A percentile that the generator made longer, behind its name: `9.15 ms, at least 3.49 ms without what iotrial held back`.
pub fn held_percentile(latency: &str, without: &str) -> String {
    format!("{latency}, at least {without} without what iotrial held back")
}
