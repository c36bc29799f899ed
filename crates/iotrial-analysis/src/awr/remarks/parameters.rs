//! What an expert would remark on parameters: those that change what I/O the database does, or what its figures mean.

use std::collections::BTreeSet;

use iotrial_model::awr::{AwrKind, AwrReport, Parameter, Remark, SignOfNfs, Switch};

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
pub(super) fn remark_on(report: &AwrReport, all: &mut Vec<Remark>) {
    // Those with two underscores are what the instance keeps of its own tuning. Instances of a cluster, and values of a list, have a row each.
    let hidden: BTreeSet<&str> = report
        .parameters
        .iter()
        .map(|one| one.name.as_str())
        .filter(|name| name.starts_with('_') && !name.starts_with("__"))
        .collect();
    if !hidden.is_empty() {
        let names = hidden.into_iter().map(str::to_owned).collect();
        all.push(Remark::HiddenParameters { names });
    }
    // A list is printed as one row for each of its values.
    let deprecated = DEPRECATED.iter().filter(|name| report.parameter(name).is_some());
    all.extend(deprecated.map(|name| Remark::DeprecatedParameter { name: (*name).to_owned() }));
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
            Some(value) => all.push(Remark::FilesystemIoOptions { value: Some(value.to_owned()) }),
            // In what was cut off it may be set further down.
            None if report.kind != AwrKind::Pluggable && report.cut.is_none() => {
                all.push(Remark::FilesystemIoOptions { value: None });
            }
            None => {}
        }
    }
    if is("disk_asynch_io", "FALSE") {
        all.push(Remark::SynchronousIo);
    }
    if report.parameter("db_file_multiblock_read_count").is_some() {
        all.push(Remark::MultiblockReadCount);
    }
    switches(report, all);
    all.extend(sign_of_nfs(report).map(Remark::Nfs));
}

/// Whether the value of a parameter is worth a remark; the number is that of the value, where it is one.
type IsOn = fn(&str, Option<f64>) -> bool;

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
const SWITCHES: [(&str, IsOn, Switch); 15] = [
    ("_db_block_prefetch_limit", is_zero, Switch::PrefetchOff),
    ("_db_block_prefetch_quota", is_zero, Switch::PrefetchOff),
    ("_db_file_noncontig_mblock_read_count", is_zero, Switch::PrefetchOff),
    ("job_queue_processes", is_zero, Switch::JobsOff),
    ("db_flash_cache_size", is_positive, Switch::DatabaseFlashCache),
    ("commit_write", has_nowait, Switch::CommitNowait),
    ("commit_wait", has_nowait, Switch::CommitNowait),
    ("memory_target", is_positive, Switch::MemoryTarget),
    ("use_large_pages", is_false, Switch::NoLargePages),
    ("dbwr_io_slaves", is_positive, Switch::IoSlaves),
    ("fast_start_mttr_target", is_positive, Switch::MttrTarget),
    ("archive_lag_target", is_positive, Switch::ArchiveLagTarget),
    (
        "db_lost_write_protect",
        |value, _| !value.is_empty() && !value.eq_ignore_ascii_case("none"),
        Switch::LostWriteProtection,
    ),
    ("db_cache_advice", |value, _| value.eq_ignore_ascii_case("off"), Switch::NoCacheAdvice),
    ("timed_statistics", is_false, Switch::NoTimes),
];

/// `4g`, `512M`, `300`: only whether it is zero or more matters.
fn number_of(value: &str) -> Option<f64> {
    value.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()).replace(',', "").parse().ok()
}

fn switches(report: &AwrReport, all: &mut Vec<Remark>) {
    let mut found: Vec<Switch> = Vec::new();
    for (name, is_on, switch) in SWITCHES {
        let Some(value) = report.parameter(name) else { continue };
        // Three parameters switch prefetching off, and one remark says so.
        if is_on(value, number_of(value)) && !found.contains(&switch) {
            found.push(switch);
            all.push(Remark::Switch { switch, name: name.to_owned(), value: value.to_owned() });
        }
    }
}

/// A report does not say on what files lie. Where something in it is about NFS, the rest has to be looked up on the host.
fn sign_of_nfs(report: &AwrReport) -> Option<SignOfNfs> {
    let is_nfs = |name: &str| {
        let name = name.to_ascii_lowercase();
        // The protocol server of XML DB, which every database has, is something else.
        (name.contains("nfs") || name.contains("kgnfs")) && !name.contains("xdb")
    };
    let wait = report.waits.iter().find(|one| is_nfs(&one.event) && one.waits.value() > Some(0.0));
    let is_set = |one: &&Parameter| is_nfs(&one.name) && !one.name.starts_with("__");
    let parameter = report.parameters.iter().find(is_set);
    let counter = report.activity.iter().find(|one| is_nfs(&one.name) && one.total.value() > Some(0.0));
    wait.map(|one| SignOfNfs::Wait(one.event.clone()))
        .or_else(|| {
            let Parameter { name, value, .. } = parameter?;
            Some(SignOfNfs::Parameter { name: name.clone(), value: value.clone() })
        })
        .or_else(|| counter.map(|one| SignOfNfs::Counter(one.name.clone())))
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
