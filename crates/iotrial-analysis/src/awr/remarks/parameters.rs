//! What an expert would remark on parameters: those that change what I/O the database does, or what its figures mean.

use std::collections::BTreeSet;

use iotrial_model::awr::{AwrKind, AwrReport};
use iotrial_model::finding::Severity;

use super::Say;

/// Deprecated, or desupported, in 19c and later (Oracle Database Upgrade Guide), of those that are seen and touch I/O or memory.
const DEPRECATED: [&str; 8] = [
    "log_archive_start",
    "fast_start_io_target",
    "buffer_pool_keep",
    "buffer_pool_recycle",
    "db_block_buffers",
    "parallel_automatic_tuning",
    "lock_sga_areas",
    "utl_file_dir",
];

/// What parameters say; only those that are not at their default are printed.
pub(super) fn remark(report: &AwrReport, say: Say<'_>) {
    // Those with two underscores are what the instance keeps of its own tuning. Instances of a cluster, and values of a list, have a row each.
    let hidden: BTreeSet<&str> = report
        .parameters
        .iter()
        .map(|one| one.name.as_str())
        .filter(|name| name.starts_with('_') && !name.starts_with("__"))
        .collect();
    let hidden: Vec<&str> = hidden.into_iter().collect();
    if let [first, others @ ..] = hidden.as_slice() {
        let list = match others.len() {
            0 => format!("`{first}`"),
            1..=4 => hidden.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            more => format!("`{first}` and {more} more"),
        };
        say(
            "hidden-parameters",
            Severity::Note,
            format!("hidden parameters are set: {list}; check whether each is still needed"),
        );
    }
    // A list is printed as one row for each of its values.
    for name in DEPRECATED.iter().filter(|name| report.parameter(name).is_some()) {
        say("deprecated-parameter", Severity::Note, format!("`{name}` is set, but deprecated"));
    }
    let is = |name: &str, value: &str| {
        report.parameter(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    let on_asm = report.parameter("db_create_file_dest").is_some_and(|place| place.starts_with('+'))
        || report.parameter("control_files").is_some_and(|place| place.starts_with('+'))
        || report.exadata.is_some();
    // Only what differs from the default is printed, and the default is `none` on most systems; ASM does not need it.
    if !report.parameters.is_empty() && !on_asm {
        match report.parameter("filesystemio_options") {
            Some(value) if value.eq_ignore_ascii_case("setall") => {}
            Some(value) => say(
                "filesystemio-options",
                Severity::Warning,
                format!("`filesystemio_options` is {value}: SETALL gives files on a file system direct and asynchronous I/O"),
            ),
            // In what was cut off it may be set further down.
            None if report.kind != AwrKind::Pluggable && report.cut.is_none() => say(
                "filesystemio-options",
                Severity::Note,
                "`filesystemio_options` is at its default: on a file system, SETALL gives direct and asynchronous I/O".to_owned(),
            ),
            None => {}
        }
    }
    if is("disk_asynch_io", "FALSE") {
        let text = "`disk_asynch_io` is FALSE: each process has one I/O in flight";
        say("synchronous-io", Severity::Warning, text.to_owned());
    }
    if report.parameter("db_file_multiblock_read_count").is_some() {
        say(
            "multiblock-read-count",
            Severity::Note,
            "`db_file_multiblock_read_count` is set: at its default scans read 1 MiB at a time".to_owned(),
        );
    }
    switches(report, say);
    network_files(report, say);
}

/// A parameter that changes what I/O there is, or what its figures mean.
struct Switch {
    name: &'static str,
    /// Whether the value is worth a remark; the number is that of the value, where it is one.
    when: fn(&str, Option<f64>) -> bool,
    id: &'static str,
    severity: Severity,
    /// What follows the name and the value.
    why: &'static str,
}

const fn switch(
    name: &'static str,
    when: fn(&str, Option<f64>) -> bool,
    id: &'static str,
    severity: Severity,
    why: &'static str,
) -> Switch {
    Switch { name, when, id, severity, why }
}

fn is_positive(_: &str, number: Option<f64>) -> bool {
    number.is_some_and(|number| number > 0.0)
}

fn is_zero(_: &str, number: Option<f64>) -> bool {
    number == Some(0.0)
}

fn is_false(value: &str, _: Option<f64>) -> bool {
    value.eq_ignore_ascii_case("false")
}

fn has_nowait(value: &str, _: Option<f64>) -> bool {
    value.to_ascii_lowercase().contains("nowait")
}

/// Sources: the parameters that the ANF article on multiple volumes sets for its SLOB runs (prefetch, jobs, flash cache), and Oracle's
/// Database Reference for what each does.
const SWITCHES: [Switch; 15] = [
    switch("_db_block_prefetch_limit", is_zero, "prefetch-off", Severity::Note, PREFETCH),
    switch("_db_block_prefetch_quota", is_zero, "prefetch-off", Severity::Note, PREFETCH),
    switch("_db_file_noncontig_mblock_read_count", is_zero, "prefetch-off", Severity::Note, PREFETCH),
    switch(
        "job_queue_processes",
        is_zero,
        "jobs-off",
        Severity::Note,
        "no jobs run, so their I/O (statistics, maintenance) is not in the report",
    ),
    switch(
        "db_flash_cache_size",
        is_positive,
        "database-flash-cache",
        Severity::Note,
        "reads that the host's flash cache serves do not reach the storage; a target without such a cache must serve them",
    ),
    switch("commit_write", has_nowait, "commit-nowait", Severity::Warning, NOWAIT),
    switch("commit_wait", has_nowait, "commit-nowait", Severity::Warning, NOWAIT),
    switch(
        "memory_target",
        is_positive,
        "memory-target",
        Severity::Note,
        "on Linux the SGA then has no huge pages; with sga_target and pga_aggregate_target it can use them",
    ),
    switch(
        "use_large_pages",
        is_false,
        "no-large-pages",
        Severity::Note,
        "a large SGA without huge pages costs CPU and memory for page tables",
    ),
    switch(
        "dbwr_io_slaves",
        is_positive,
        "io-slaves",
        Severity::Warning,
        "slaves replace asynchronous I/O, and are slower if asynchronous I/O is available",
    ),
    switch(
        "fast_start_mttr_target",
        is_positive,
        "mttr-target",
        Severity::Note,
        "the shorter the allowed recovery time (seconds), the more often blocks are written",
    ),
    switch(
        "archive_lag_target",
        is_positive,
        "archive-lag-target",
        Severity::Note,
        "the log is switched at this interval (seconds) even if it is not full, and each switch starts a checkpoint",
    ),
    switch(
        "db_lost_write_protect",
        |value, _| !value.is_empty() && !value.eq_ignore_ascii_case("none"),
        "lost-write-protection",
        Severity::Note,
        "block reads are logged too, so there is more redo than the changes need",
    ),
    switch(
        "db_cache_advice",
        |value, _| value.eq_ignore_ascii_case("off"),
        "no-cache-advice",
        Severity::Note,
        "the report then cannot say how many reads a larger cache would save",
    ),
    switch(
        "timed_statistics",
        is_false,
        "no-times",
        Severity::Warning,
        "waits have counts but no times, so the report has no latencies",
    ),
];

const PREFETCH: &str =
    "blocks are read one by one, which is useful for storage tests; in production it slows down index scans";
const NOWAIT: &str = "commits do not wait for their redo: `log file sync` does not show the storage, and a crash loses confirmed transactions";

/// `4g`, `512M`, `300`: only whether it is zero or more matters.
fn number_of(value: &str) -> Option<f64> {
    value.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()).replace(',', "").parse().ok()
}

fn switches(report: &AwrReport, say: Say<'_>) {
    let mut said: Vec<&str> = Vec::new();
    for one in &SWITCHES {
        let Some(value) = report.parameter(one.name) else { continue };
        // Three parameters switch prefetching off, and one remark says so.
        if (one.when)(value, number_of(value)) && !said.contains(&one.id) {
            said.push(one.id);
            say(one.id, one.severity, format!("`{}` is {value}: {}", one.name, one.why));
        }
    }
}

/// A report does not say on what files lie. Where something in it is about NFS, the rest has to be looked up on the host.
fn network_files(report: &AwrReport, say: Say<'_>) {
    let is_nfs = |name: &str| {
        let name = name.to_ascii_lowercase();
        // The protocol server of XML DB, which every database has, is something else.
        (name.contains("nfs") || name.contains("kgnfs")) && !name.contains("xdb")
    };
    let wait = report.waits.iter().find(|one| is_nfs(&one.event) && one.waits.value > Some(0.0));
    let is_set = |one: &&iotrial_model::awr::Parameter| is_nfs(&one.name) && !one.name.starts_with("__");
    let parameter = report.parameters.iter().find(is_set);
    let counter = report.activity.iter().find(|one| is_nfs(&one.name) && one.total.value > Some(0.0));
    let sign = wait
        .map(|one| format!("waits for `{}`", one.event))
        .or_else(|| parameter.map(|one| format!("`{}` = {}", one.name, one.value)))
        .or_else(|| counter.map(|one| format!("the counter `{}`", one.name)));
    if let Some(sign) = sign {
        say(
            "nfs",
            Severity::Note,
            format!(
                "files seem to be on NFS ({sign}). The report does not say more; check on the host that Direct NFS serves them (V$DNFS_SERVERS has rows), the mount options (rsize and wsize 262144, hard), and, if the kernel's NFS client serves them, nconnect and sunrpc.tcp_max_slot_table_entries = 128"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_whatever_its_unit() {
        for (text, expected) in
            [("0", Some(0.0)), ("4g", Some(4.0)), ("1,024M", Some(1024.0)), ("", None), ("SETALL", None)]
        {
            assert_eq!(number_of(text), expected, "{text}");
        }
    }
}
