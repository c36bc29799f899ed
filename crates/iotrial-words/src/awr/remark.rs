//! Words for remarks on a report.

use iotrial_model::awr::{BusyFunction, CellReads, Remark, SignOfNfs, Switch, WaitedFor};

use super::part::{ADVICE, part};
use crate::numbers::seconds_in_words;

/// One sentence without a full stop.
pub fn remark(facts: &Remark) -> String {
    match facts {
        Remark::Contradiction(words) | Remark::Correction(words) => words.clone(),
        Remark::LongInterval { elapsed_s } => format!(
            "the report covers {}: its averages hide the busy minutes; give reports of single snapshots, or the output of AWR-Miner, to see average and peak",
            seconds_in_words(*elapsed_s)
        ),
        Remark::ShortInterval { elapsed_s } => {
            format!("the report covers {}: too little to size by", seconds_in_words(*elapsed_s))
        }
        Remark::MissingInstances(one) => {
            format!("the report covers only {}, so its sums are too low", part(one))
        }
        Remark::OneOfSeveralInstances(one) => format!("{}: {ADVICE}", part(one)),
        Remark::PluggableDatabase => "this is the report of a pluggable database: redo, log writes and archiving belong to the container and are not included".to_owned(),
        Remark::ReadsBeyondTheDatabase { load_profile_per_s, all_per_s } => format!(
            "the Load Profile shows {load_profile_per_s:.1} reads per second, but the instance did {all_per_s:.1}: only the second figure includes control files, archiver, backup and recovery, which the storage must serve too"
        ),
        Remark::BusyFunction { function, percent } => format!(
            "{} moved {percent:.0} % of all bytes: decide whether the demand should include it",
            function_name(*function)
        ),
        Remark::Flashback { percent } => format!(
            "flashback logs are {percent:.0} % of the bytes written: a target without flashback does not have this I/O"
        ),
        Remark::Standby { redo_mib_per_s } => format!(
            "redo is also sent to a standby over the network: {redo_mib_per_s:.2} MiB/s on average, in addition to the local writes"
        ),
        Remark::SlowWait { event, side, mean_us, category } => {
            format!("`{event}` ({side}) takes {:.2} ms on average: {}", mean_us / 1e3, category.as_str())
        }
        Remark::CommitBeyondWrite { commit_us, write_us } => format!(
            "a commit takes {:.2} ms but its redo write only {:.2} ms: the rest is CPU, scheduling or a synchronous standby, so faster disks do not help",
            commit_us / 1e3,
            write_us / 1e3
        ),
        Remark::SessionsWaited { what, seconds } => {
            format!("sessions waited for {} ({seconds:.0} s in all)", waited_for(*what))
        }
        Remark::DirectPath => "a wait for direct path I/O covers several overlapping I/Os: its mean is not a storage latency, and has no category here".to_owned(),
        Remark::CpuBeyondDbTime { percent } => format!(
            "DB CPU is {percent:.0} % of DB time: one of them is counted wrongly, so shares of DB time are unreliable"
        ),
        Remark::UnknownDbTime { percent } => format!(
            "{percent:.0} % of DB time is neither CPU nor a wait in the report: sessions were ready but got no CPU, or this release does not count that work"
        ),
        Remark::Temp { percent } => {
            format!("temporary files are {percent:.0} % of all bytes: a larger PGA may avoid this I/O")
        }
        Remark::Scans { percent } => format!(
            "{percent:.0} % of the reads are multi-block reads: throughput matters more than the latency of one block"
        ),
        Remark::ManyLogSwitches { per_hour } => format!(
            "{per_hour:.1} log switches per hour: each starts a checkpoint; larger redo logs switch less often"
        ),
        Remark::BufferCache { hit_percent } => format!(
            "the buffer cache answers {hit_percent:.1} % of the logical reads: a larger one may save reads, see SGA Target Advisory"
        ),
        Remark::CellOutliers { count } => format!("{count} values of cells or disks are marked as out of range"),
        Remark::FullDiskGroup { group, percent, redundancy } => {
            format!("disk group {group} is {percent:.0} % full ({redundancy} redundancy)")
        }
        Remark::CellReads { reads, percent } => format!("{percent:.1} % of DB time is {}", reads_from_cells(*reads)),
        Remark::HiddenParameters { names } => {
            format!("hidden parameters are set: {}; check whether each is still needed", in_code(names))
        }
        Remark::DeprecatedParameter { name } => format!("`{name}` is set, but deprecated"),
        Remark::FilesystemIoOptions { value: Some(value) } => format!(
            "`filesystemio_options` is {value}: SETALL gives files on a file system direct and asynchronous I/O"
        ),
        Remark::FilesystemIoOptions { value: None } => "`filesystemio_options` is at its default: on a file system, SETALL gives direct and asynchronous I/O".to_owned(),
        Remark::SynchronousIo => "`disk_asynch_io` is FALSE: each process has one I/O in flight".to_owned(),
        Remark::MultiblockReadCount => {
            "`db_file_multiblock_read_count` is set: at its default scans read 1 MiB at a time".to_owned()
        }
        Remark::Switch { switch, name, value } => format!("`{name}` is {value}: {}", effect(*switch)),
        Remark::Nfs(sign) => format!(
            "files seem to be on NFS ({}). The report does not say more; check on the host that Direct NFS serves them (V$DNFS_SERVERS has rows), the mount options (rsize and wsize 262144, hard), and, if the kernel's NFS client serves them, nconnect and sunrpc.tcp_max_slot_table_entries = 128",
            sign_of_nfs(sign)
        ),
    }
}

const fn function_name(function: BusyFunction) -> &'static str {
    match function {
        BusyFunction::Archiver => "the archiver",
        BusyFunction::Backup => "backup and recovery (RMAN)",
        BusyFunction::DataPump => "Data Pump",
        BusyFunction::Recovery => "recovery",
    }
}

/// With what may help.
const fn waited_for(what: WaitedFor) -> &'static str {
    match what {
        WaitedFor::LogSwitch => {
            "log switches: use larger or more redo logs, or make writes to the data files faster"
        }
        WaitedFor::FreeBuffers => "free buffers: the writers do not keep up with the changes",
        WaitedFor::LogBuffer => "space in the log buffer: redo is generated faster than it is written",
    }
}

const fn reads_from_cells(reads: CellReads) -> &'static str {
    match reads {
        CellReads::SmartScans => "smart scan, which other storage does not have",
        CellReads::MultiBlock => "multi-block reads from the cells",
        CellReads::SingleBlock => "single-block reads from the cells",
    }
}

/// All of a few names, or the first one with the number of the others.
fn in_code(names: &[String]) -> String {
    match names {
        [first, others @ ..] if others.len() > 4 => format!("`{first}` and {} more", others.len()),
        few => few.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

/// What the value of a parameter means for I/O.
const fn effect(switch: Switch) -> &'static str {
    match switch {
        Switch::PrefetchOff => {
            "blocks are read one by one, which is useful for storage tests; in production it slows down index scans"
        }
        Switch::JobsOff => "no jobs run, so their I/O (statistics, maintenance) is not in the report",
        Switch::DatabaseFlashCache => {
            "reads that the host's flash cache serves do not reach the storage; a target without such a cache must serve them"
        }
        Switch::CommitNowait => {
            "commits do not wait for their redo: `log file sync` does not show the storage, and a crash loses confirmed transactions"
        }
        Switch::MemoryTarget => {
            "on Linux the SGA then has no huge pages; with sga_target and pga_aggregate_target it can use them"
        }
        Switch::NoLargePages => "a large SGA without huge pages costs CPU and memory for page tables",
        Switch::IoSlaves => {
            "slaves replace asynchronous I/O, and are slower if asynchronous I/O is available"
        }
        Switch::MttrTarget => {
            "the shorter the allowed recovery time (seconds), the more often blocks are written"
        }
        Switch::ArchiveLagTarget => {
            "the log is switched at this interval (seconds) even if it is not full, and each switch starts a checkpoint"
        }
        Switch::LostWriteProtection => {
            "block reads are logged too, so there is more redo than the changes need"
        }
        Switch::NoCacheAdvice => "the report then cannot say how many reads a larger cache would save",
        Switch::NoTimes => "waits have counts but no times, so the report has no latencies",
    }
}

fn sign_of_nfs(sign: &SignOfNfs) -> String {
    match sign {
        SignOfNfs::Wait(event) => format!("waits for `{event}`"),
        SignOfNfs::Parameter { name, value } => format!("`{name}` = {value}"),
        SignOfNfs::Counter(name) => format!("the counter `{name}`"),
    }
}
