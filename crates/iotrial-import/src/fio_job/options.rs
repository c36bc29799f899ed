//! The options of fio, and what becomes of each: a key of the profile, a note, or a refusal with its reason.
//!
//! Nothing is passed over in silence: an option that is not in this list is a mistake.

use iotrial_model::toml_reader::nearest;

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It becomes a part of the profile, or is weighed when the job is read.
    Mapped,
    /// It has no part in the load: names, output, logs. Said once for all of them.
    Aside,
    /// The load may differ, and this says how.
    Noted(&'static str),
    /// There is no such load here; this says why, and what to do. It may be off.
    Refused(&'static str, &'static str),
}

use Treatment::{Aside, Mapped, Noted, Refused};

const ENGINE: &str = "an engine of iotrial submits, reaps and keeps every slot filled in its own way";
const MEMORY: &str = "iotrial chooses the memory of its buffers itself";
const PLACE: &str =
    "where threads run is for the operating system; start iotrial under taskset or numactl instead";
const LAYOUT: &str = "iotrial writes its files completely before it reads them, and removes them at the end";
const ERRORS: &str = "an I/O that fails is counted, and the run goes on";
const CLOCK: &str = "every I/O is timed, always";
const SEED: &str = "iotrial draws other offsets; `--seed` makes a run repeat itself";
const CONTENT: &str = "iotrial writes data that neither compresses nor deduplicates; a device that does either shows lower figures";
const GUARD: &str = "iotrial decides by its own rules on what it writes; see `iotrial target`";
const ENDURANCE: &str = "iotrial runs for a time, and not for an amount";
const STEADY: &str = "`iotrial run --until-steady` waits for a steady state";
const TRIMS: &str = "iotrial issues no discards";
const ZONES: &str = "iotrial does not support zones";
const REPLAY: &str = "iotrial does not replay traces";
const VERIFY: &str = "iotrial does not read back what it wrote";
const THINK: &str = "a pause after each I/O is a different load in iotrial: give the I/Os a rate";
const HINTS: &str = "iotrial sends no hints and no priorities with an I/O";
const TARGET: &str = "give the load without it";

/// Name, and what becomes of it. Aliases are in [`ALIASES`].
const OPTIONS: &[(&str, Treatment)] = &[
    // What to do where.
    ("filename", Mapped),
    ("directory", Noted("`--target` sets where the files are")),
    ("filename_format", Noted("iotrial names its files after the jobs")),
    ("unique_filename", Aside),
    ("opendir", Refused("iotrial opens no folder of files", "name a size instead")),
    ("lockfile", Aside),
    ("description", Mapped),
    ("name", Aside),
    ("rw", Mapped),
    (
        "rw_sequencer",
        Refused("iotrial has no offsets between random and sequential", "leave out the number behind `rw`"),
    ),
    ("rwmixread", Mapped),
    ("rwmixwrite", Mapped),
    ("bs", Mapped),
    ("ba", Mapped),
    ("bsrange", Mapped),
    ("bssplit", Mapped),
    ("bs_unaligned", Refused("direct I/O has whole sectors only", TARGET)),
    (
        "bs_is_seq_rand",
        Refused("a size that depends on the pattern is two jobs in iotrial", "make a job for each"),
    ),
    ("percentage_random", Mapped),
    ("random_distribution", Mapped),
    ("norandommap", Mapped),
    ("random_generator", Noted("iotrial draws blocks with repetition")),
    ("randrepeat", Noted(SEED)),
    ("allrandrepeat", Noted(SEED)),
    ("randseed", Noted(SEED)),
    ("ioengine", Mapped),
    ("iodepth", Mapped),
    ("iodepth_batch", Noted(ENGINE)),
    ("iodepth_batch_complete_min", Noted(ENGINE)),
    ("iodepth_batch_complete_max", Noted(ENGINE)),
    ("iodepth_low", Noted(ENGINE)),
    ("io_submit_mode", Noted(ENGINE)),
    ("serialize_overlap", Noted(ENGINE)),
    ("direct", Mapped),
    ("buffered", Mapped),
    ("sync", Mapped),
    ("fsync", Mapped),
    ("fdatasync", Mapped),
    ("sync_file_range", Refused("it makes nothing durable by itself", "use fdatasync")),
    ("write_barrier", Aside),
    ("end_fsync", Noted("what comes after the measured phase is not measured")),
    ("fsync_on_close", Noted("what comes after the measured phase is not measured")),
    ("atomic", Refused("iotrial writes without atomic writes", TARGET)),
    ("uncached", Refused("iotrial goes past the page cache, or through it with `--buffered`", TARGET)),
    ("numjobs", Mapped),
    ("thread", Aside),
    // How much, where, how long.
    ("size", Mapped),
    ("filesize", Mapped),
    ("io_size", Noted(ENDURANCE)),
    ("number_ios", Noted(ENDURANCE)),
    ("loops", Noted(ENDURANCE)),
    ("fill_device", Noted(ENDURANCE)),
    ("offset", Mapped),
    ("offset_increment", Mapped),
    ("offset_align", Noted("iotrial's file begins where the region would")),
    ("nrfiles", Mapped),
    ("openfiles", Aside),
    ("file_service_type", Mapped),
    ("file_append", Refused("iotrial's files do not grow", TARGET)),
    ("runtime", Mapped),
    ("time_based", Mapped),
    ("ramp_time", Mapped),
    ("startdelay", Mapped),
    ("stonewall", Mapped),
    ("wait_for", Refused("all jobs of a profile begin together", "use stonewall, and name the set of jobs")),
    ("exitall", Noted("all jobs end together anyway")),
    ("exit_what", Noted("all jobs end together anyway")),
    ("exitall_on_error", Noted(ERRORS)),
    ("kb_base", Mapped),
    ("unit_base", Aside),
    // How fast.
    ("rate", Mapped),
    ("rate_iops", Mapped),
    ("rate_process", Mapped),
    ("rate_min", Noted("`iotrial compare --gate` checks a result against a limit")),
    ("rate_iops_min", Noted("`iotrial compare --gate` checks a result against a limit")),
    ("rate_cycle", Aside),
    ("rate_ignore_thinktime", Aside),
    ("thinktime", Refused(THINK, "use rate_iops")),
    ("thinktime_spin", Refused(THINK, "use rate_iops")),
    ("thinktime_blocks", Refused(THINK, "use rate_iops")),
    ("thinktime_blocks_type", Refused(THINK, "use rate_iops")),
    ("thinktime_iotime", Refused(THINK, "use rate_iops")),
    ("latency_target", Mapped),
    ("latency_window", Aside),
    ("latency_percentile", Mapped),
    ("latency_run", Aside),
    ("max_latency", Noted("iotrial does not end at a slow I/O; the record has the longest")),
    (
        "flow",
        Refused(
            "a ratio between jobs is another key in iotrial",
            "give the profile `follow`; see `iotrial docs profiles`",
        ),
    ),
    (
        "flow_id",
        Refused(
            "a ratio between jobs is another key in iotrial",
            "give the profile `follow`; see `iotrial docs profiles`",
        ),
    ),
    (
        "flow_sleep",
        Refused(
            "a ratio between jobs is another key in iotrial",
            "give the profile `follow`; see `iotrial docs profiles`",
        ),
    ),
    // What is written, and whether it is read back.
    ("zero_buffers", Noted(CONTENT)),
    ("refill_buffers", Aside),
    ("scramble_buffers", Aside),
    ("buffer_pattern", Noted(CONTENT)),
    ("buffer_compress_percentage", Noted(CONTENT)),
    ("buffer_compress_chunk", Noted(CONTENT)),
    ("dedupe_percentage", Noted(CONTENT)),
    ("dedupe_mode", Noted(CONTENT)),
    ("dedupe_working_set_percentage", Noted(CONTENT)),
    ("dedupe_global", Noted(CONTENT)),
    ("verify", Refused(VERIFY, TARGET)),
    ("verify_only", Refused(VERIFY, TARGET)),
    ("do_verify", Aside),
    ("verify_interval", Aside),
    ("verify_offset", Aside),
    ("verify_pattern", Aside),
    ("verify_pattern_interval", Aside),
    ("verify_fatal", Aside),
    ("verify_dump", Aside),
    ("verify_async", Aside),
    ("verify_async_cpus", Aside),
    ("verify_backlog", Aside),
    ("verify_backlog_batch", Aside),
    ("verify_state_load", Aside),
    ("verify_state_save", Aside),
    ("verify_policy", Aside),
    ("experimental_verify", Aside),
    ("verifysort", Aside),
    ("verifysort_nr", Aside),
    ("trim_percentage", Refused(TRIMS, TARGET)),
    ("trim_verify_zero", Refused(TRIMS, TARGET)),
    ("trim_backlog", Refused(TRIMS, TARGET)),
    ("trim_backlog_batch", Refused(TRIMS, TARGET)),
    ("num_range", Refused(TRIMS, TARGET)),
    ("read_iolog", Refused(REPLAY, TARGET)),
    ("read_iolog_chunked", Refused(REPLAY, TARGET)),
    ("replay_no_stall", Refused(REPLAY, TARGET)),
    ("replay_redirect", Refused(REPLAY, TARGET)),
    ("replay_scale", Refused(REPLAY, TARGET)),
    ("replay_align", Refused(REPLAY, TARGET)),
    ("replay_time_scale", Refused(REPLAY, TARGET)),
    ("replay_skip", Refused(REPLAY, TARGET)),
    ("merge_blktrace_file", Refused(REPLAY, TARGET)),
    ("merge_blktrace_scalars", Refused(REPLAY, TARGET)),
    ("merge_blktrace_iters", Refused(REPLAY, TARGET)),
    ("write_iolog", Noted("iotrial writes no trace")),
    // Regions of the file.
    ("zonemode", Refused(ZONES, "use random_distribution=zoned with two zones, or a smaller size")),
    ("zonesize", Refused(ZONES, "use random_distribution=zoned with two zones, or a smaller size")),
    ("zonerange", Refused(ZONES, "use random_distribution=zoned with two zones, or a smaller size")),
    ("zoneskip", Refused(ZONES, "use random_distribution=zoned with two zones, or a smaller size")),
    ("zonecapacity", Refused(ZONES, TARGET)),
    ("read_beyond_wp", Refused(ZONES, TARGET)),
    ("max_open_zones", Refused(ZONES, TARGET)),
    ("job_max_open_zones", Refused(ZONES, TARGET)),
    ("ignore_zone_limits", Refused(ZONES, TARGET)),
    ("zone_reset_threshold", Refused(ZONES, TARGET)),
    ("zone_reset_frequency", Refused(ZONES, TARGET)),
    // How the files come to be.
    ("overwrite", Noted(LAYOUT)),
    ("fallocate", Noted(LAYOUT)),
    ("fadvise_hint", Noted(LAYOUT)),
    ("create_serialize", Noted(LAYOUT)),
    ("create_fsync", Noted(LAYOUT)),
    ("create_on_open", Noted(LAYOUT)),
    (
        "create_only",
        Refused("iotrial does not run to make files only", "`--keep-files` keeps those of a run"),
    ),
    ("allow_file_create", Noted(LAYOUT)),
    ("pre_read", Noted(LAYOUT)),
    ("invalidate", Noted("iotrial goes past the page cache")),
    ("unlink", Noted(LAYOUT)),
    ("unlink_each_loop", Noted(LAYOUT)),
    ("allow_mounted_write", Noted(GUARD)),
    ("readonly", Noted(GUARD)),
    // The machine.
    ("cpumask", Noted(PLACE)),
    ("cpus_allowed", Noted(PLACE)),
    ("cpus_allowed_policy", Noted(PLACE)),
    ("numa_cpu_nodes", Noted(PLACE)),
    ("numa_mem_policy", Noted(PLACE)),
    ("nice", Noted(PLACE)),
    ("prio", Noted(HINTS)),
    ("prioclass", Noted(HINTS)),
    ("priohint", Noted(HINTS)),
    ("cmdprio_percentage", Noted(HINTS)),
    ("cmdprio_class", Noted(HINTS)),
    ("cmdprio_hint", Noted(HINTS)),
    ("cmdprio", Noted(HINTS)),
    ("cmdprio_bssplit", Noted(HINTS)),
    ("write_hint", Noted(HINTS)),
    ("fdp", Refused("iotrial places no data by itself", TARGET)),
    ("cgroup", Noted(PLACE)),
    ("cgroup_nodelete", Aside),
    ("cgroup_weight", Noted(PLACE)),
    ("uid", Aside),
    ("gid", Aside),
    ("ioscheduler", Noted("iotrial does not change the host")),
    ("lockmem", Noted(MEMORY)),
    ("mem", Noted(MEMORY)),
    ("iomem_align", Noted(MEMORY)),
    ("hugepage-size", Noted(MEMORY)),
    ("exec_prerun", Refused("iotrial starts no other program", "run it before")),
    ("exec_postrun", Refused("iotrial starts no other program", "run it afterwards")),
    ("profile", Refused("fio makes the jobs of a profile itself", "write the jobs")),
    // Of engines.
    ("hipri", Noted("`--polled` asks the devices for completions")),
    ("fixedbufs", Noted(ENGINE)),
    ("registerfiles", Noted(ENGINE)),
    ("sqthread_poll", Noted(ENGINE)),
    ("sqthread_poll_cpu", Noted(ENGINE)),
    ("nonvectored", Noted(ENGINE)),
    ("force_async", Noted(ENGINE)),
    ("userspace_reap", Noted(ENGINE)),
    ("nowait", Noted(ENGINE)),
    ("cmd_type", Refused("iotrial sends no commands of its own to a device", TARGET)),
    // What is shown.
    ("group_reporting", Aside),
    ("new_group", Aside),
    ("stats", Noted("every job is counted")),
    ("per_job_logs", Aside),
    ("write_bw_log", Aside),
    ("write_lat_log", Aside),
    ("write_iops_log", Aside),
    ("write_hist_log", Aside),
    ("bwavgtime", Aside),
    ("iopsavgtime", Aside),
    ("log_entries", Aside),
    ("log_avg_msec", Aside),
    ("log_window_value", Aside),
    ("log_hist_msec", Aside),
    ("log_hist_coarseness", Aside),
    ("log_max_value", Aside),
    ("log_offset", Aside),
    ("log_prio", Aside),
    ("log_issue_time", Aside),
    ("log_compression", Aside),
    ("log_compression_cpus", Aside),
    ("log_store_compressed", Aside),
    ("log_unix_epoch", Aside),
    ("log_alternate_epoch", Aside),
    ("log_alternate_epoch_clock_id", Aside),
    ("block_error_percentiles", Aside),
    ("clat_percentiles", Aside),
    ("lat_percentiles", Aside),
    ("slat_percentiles", Aside),
    ("percentile_list", Aside),
    ("significant_figures", Aside),
    ("disk_util", Aside),
    ("unified_rw_reporting", Aside),
    ("gtod_reduce", Noted(CLOCK)),
    ("gtod_cpu", Noted(CLOCK)),
    ("clocksource", Noted(CLOCK)),
    ("disable_lat", Noted(CLOCK)),
    ("disable_clat", Noted(CLOCK)),
    ("disable_slat", Noted(CLOCK)),
    ("disable_bw_measurement", Aside),
    ("continue_on_error", Noted(ERRORS)),
    ("ignore_error", Noted(ERRORS)),
    ("error_dump", Aside),
    ("steadystate", Noted(STEADY)),
    ("steadystate_duration", Noted(STEADY)),
    ("steadystate_ramp_time", Noted(STEADY)),
    ("steadystate_check_interval", Noted(STEADY)),
];

/// Other names of the same options.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blockalign", "ba"),
    ("blocksize_range", "bsrange"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("iodepth_batch_complete", "iodepth_batch_complete_min"),
    ("io_limit", "io_size"),
    ("fill_fs", "fill_device"),
    ("fileoffset", "offset"),
    ("nr_files", "nrfiles"),
    ("timeout", "runtime"),
    ("iomem", "mem"),
    ("mem_align", "iomem_align"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
    ("wait_for_previous", "stonewall"),
    ("disable_bw", "disable_bw_measurement"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("ss_ramp", "steadystate_ramp_time"),
    ("ss_interval", "steadystate_check_interval"),
];

/// Options whose value may be the number 0, which does not switch them off: they name processors and nodes.
pub(super) const ZERO_IS_A_NUMBER: [&str; 4] =
    ["numa_cpu_nodes", "numa_mem_policy", "cpus_allowed", "sqthread_poll_cpu"];

/// Options that only one engine of fio has, and that none has which iotrial does the same I/O as (fio 3.33, `--enghelp`).
const ENGINE_OPTIONS: &[(&str, &str)] = &[
    ("cpuload", "cpuio"),
    ("cpuchunks", "cpuio"),
    ("cpumode", "cpuio"),
    ("exit_on_io_done", "cpuio"),
    ("clustername", "rbd"),
    ("rbdname", "rbd"),
    ("pool", "rbd"),
    ("clientname", "rbd"),
    ("busy_poll", "rbd"),
    ("touch_objects", "rados"),
    ("hostname", "net"),
    ("port", "net"),
    ("protocol", "net"),
    ("interface", "net"),
    ("ttl", "net"),
    ("nodelay", "net"),
    ("listen", "net"),
    ("pingpong", "net"),
    ("window_size", "net"),
    ("mss", "net"),
    ("netfilename", "net"),
    ("bindname", "rdma"),
    ("verb", "rdma"),
    ("namenode", "libhdfs"),
    ("chunk_size", "libhdfs"),
    ("single_instance", "libhdfs"),
    ("hdfs_use_direct", "libhdfs"),
    ("volume", "gfapi"),
    ("brick", "gfapi"),
    ("nfs_url", "nfs"),
    ("http_host", "http"),
    ("http_user", "http"),
    ("http_pass", "http"),
    ("http_mode", "http"),
    ("http_verbose", "http"),
    ("https", "http"),
    ("http_s3_key", "http"),
    ("http_s3_keyid", "http"),
    ("http_s3_region", "http"),
    ("http_swift_auth_token", "http"),
    ("uri", "nbd"),
    ("donorname", "e4defrag"),
    ("inplace", "e4defrag"),
    ("skip_bad", "mtd"),
    ("readfua", "sg"),
    ("writefua", "sg"),
    ("sg_write_mode", "sg"),
    ("stream_id", "sg"),
    ("thp", "mmap"),
    ("time_delay", "exec"),
    ("program", "exec"),
    ("arguments", "exec"),
    ("grace_time", "exec"),
    ("std_redirect", "exec"),
    ("xnvme_async", "xnvme"),
    ("xnvme_sync", "xnvme"),
    ("xnvme_admin", "xnvme"),
    ("xnvme_dev_nsid", "xnvme"),
    ("xnvme_iovec", "xnvme"),
    ("libblkio_driver", "libblkio"),
    ("libblkio_path", "libblkio"),
    ("subnqn", "spdk"),
    ("mem_size_mb", "spdk"),
    ("shm_id", "spdk"),
    ("md_per_io_size", "io_uring_cmd"),
    ("pi_act", "io_uring_cmd"),
    ("pi_chk", "io_uring_cmd"),
    ("apptag", "io_uring_cmd"),
    ("apptag_mask", "io_uring_cmd"),
];

/// The engine whose option it is, where it does another kind of I/O.
pub(super) fn engine_of(name: &str) -> Option<&'static str> {
    ENGINE_OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, engine)| *engine)
}

/// Options that stand without a value.
// On a command line the next word is then not their value.
const FLAGS: &[&str] = &[
    "norandommap",
    "time_based",
    "verify_only",
    "bs_unaligned",
    "exitall",
    "exitall_on_error",
    "stonewall",
    "new_group",
    "thread",
    "group_reporting",
    "zero_buffers",
    "refill_buffers",
    "hipri",
    "fixedbufs",
    "registerfiles",
    "sqthread_poll",
    "nonvectored",
    "force_async",
    "userspace_reap",
    "readonly",
];

/// The one name under which the options of several names are known.
pub(super) fn canonical(name: &str) -> &str {
    // Lists and not maps: they are searched once for each option of a job, and are readable as tables.
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, canonical)| canonical)
}

/// What becomes of an option; `None` where fio has none of that name.
pub(super) fn treatment(name: &str) -> Option<Treatment> {
    let name = canonical(name);
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, treatment)| *treatment)
}

/// The option that was probably meant.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    // A text of this length is not a typing error, and would take long to compare. Likeness is computed
    // against three hundred names, each in time that grows with the product of the lengths.
    if name.len() > 64 {
        return None;
    }
    let names = OPTIONS.iter().map(|(name, _)| *name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    nearest(name, names)
}

/// Whether an option stands without a value.
pub(super) fn is_flag(name: &str) -> bool {
    FLAGS.contains(&canonical(name))
}

/// An option of the program, which no job has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramOption {
    /// Names a job that is to run; the others do not.
    Section,
    /// An option without a value.
    Switch,
    /// An option with a value, which may be the next word.
    WithValue,
}

/// Whether it is an option of the program: about its output, its other hosts, itself.
pub(super) fn program_option(name: &str) -> Option<ProgramOption> {
    const WITH_VALUE: &[&str] = &[
        "output",
        "output-format",
        "terse-version",
        "eta",
        "eta-newline",
        "eta-interval",
        "status-interval",
        "debug",
        "alloc-size",
        "max-jobs",
        "daemonize",
        "client",
        "remote-config",
        "idle-prof",
        "inflate-log",
        "trigger",
        "trigger-file",
        "trigger-timeout",
        "trigger-remote",
        "aux-path",
    ];
    const SWITCHES: &[&str] = &[
        "minimal",
        "append-terse",
        "bandwidth-log",
        "latency-log",
        "warnings-fatal",
        "showcmd",
        "parse-only",
    ];
    match name {
        "section" => Some(ProgramOption::Section),
        _ if WITH_VALUE.contains(&name) => Some(ProgramOption::WithValue),
        _ if SWITCHES.contains(&name) => Some(ProgramOption::Switch),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_stands_once_and_every_alias_and_flag_is_an_option() {
        for (index, (name, _)) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS[..index].iter().all(|(other, _)| other != name), "{name} stands twice");
        }
        for (alias, name) in ALIASES {
            assert!(treatment(name).is_some() && OPTIONS.iter().all(|(other, _)| other != alias), "{alias}");
        }
        assert!(FLAGS.iter().all(|flag| treatment(flag).is_some()));
    }

    #[test]
    fn an_option_has_the_treatment_of_its_alias() {
        assert_eq!(treatment("blocksize"), Some(Treatment::Mapped));
        assert_eq!(treatment("odepth"), None);
        assert_eq!(meant("odepth"), Some("iodepth"));
    }
}
