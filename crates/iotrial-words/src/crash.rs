//! What is said of a cut: the answer, what it proves, and what else a reader should know.

use std::time::Duration;

use iotrial_model::crash::{ArmEnd, ArmedRun, CrashCheck, CrashOutcome, CrashRemark, CutKind};
use iotrial_model::units::ByteSize;
use iotrial_model::words::counted;

use crate::finding::faults_in_words;
use crate::numbers::{count_with_thousands, latency_in_words};

/// The answer in a few words.
pub const fn headline(outcome: CrashOutcome, cut: CutKind) -> &'static str {
    match (outcome, cut) {
        (CrashOutcome::Lost, _) => "Not everything that was flushed is there",
        (CrashOutcome::Kept, CutKind::Power) => "The storage kept what it flushed",
        (CrashOutcome::Kept, CutKind::Host) => "The host flushed what it was told to",
        (CrashOutcome::Kept, CutKind::Guest | CutKind::Process) => {
            "Guest and virtual disk flushed what they were told to"
        }
        (CrashOutcome::Inconclusive, CutKind::Process) => {
            "Nothing is lost, which proves nothing about the storage"
        }
        (CrashOutcome::Inconclusive, _) => "No answer",
    }
}

/// The answer in one sentence.
pub fn sentence(check: &CrashCheck) -> String {
    let pages = count_with_thousands(check.pages_checked);
    let faults = check.fault_count();
    if check.lost_count() > 0 {
        let kinds = faults_in_words(check.counts.iter().map(|(kind, count)| (*kind, *count)));
        let first = first_place(check).map_or_else(String::new, |first| format!("; the first one: {first}"));
        return format!(
            "Of {pages} pages, {} not what was flushed before the cut: {kinds}{first}.",
            if faults == 1 { "1 is".to_owned() } else { format!("{} are", count_with_thousands(faults)) }
        );
    }
    if !check.scan_complete {
        let all = count_with_thousands(check.armed.pages);
        let end = if faults > 0 { "storage hung" } else { "check was stopped" };
        let place = first_place(check).map_or_else(String::new, |place| format!(" ({place})"));
        return format!(
            "{pages} of {all} pages were compared before the {end}{place}, and held what was flushed."
        );
    }
    format!("All {pages} pages hold what was flushed before the cut.")
}

fn first_place(check: &CrashCheck) -> Option<String> {
    let first = check.faults.first()?;
    Some(format!("`{}`, byte {}", first.path.display(), first.offset_bytes))
}

/// What was promised, and what became of the rest.
pub fn promised(check: &CrashCheck) -> String {
    let flight = check.in_flight;
    let before = format!(
        "{} before the cut, in {}",
        counted(check.flushed_writes, "flushed write"),
        batches(check.flushes)
    );
    if flight.writes == 0 {
        return format!("{before}; none was under way.");
    }
    format!(
        "{before}; {} under way when it came: {} whole, {} torn, {} missing, all of which is allowed.",
        if flight.writes == 1 {
            "at most 1 was".to_owned()
        } else {
            format!("at most {} were", flight.writes)
        },
        flight.kept,
        flight.torn,
        flight.missing
    )
}

fn batches(count: u64) -> String {
    format!("{} batch{}", count_with_thousands(count), if count == 1 { "" } else { "es" })
}

/// What an answer proves, by what was cut.
pub const fn proves(cut: CutKind) -> &'static str {
    match cut {
        CutKind::Process => {
            "Ending a process leaves everything below it with its power: this shows that journal and check work, no more. Cut the power."
        }
        CutKind::Guest => {
            "Ending a virtual machine tries the guest and its virtual disk. The host kept its caches, and the device its power: cut the power to try them."
        }
        CutKind::Host => {
            "Resetting a host tries its caches. The cache of the device kept its power: cut the power to try it."
        }
        CutKind::Power => {
            "Cutting the power tries everything down to the device, if nothing else fed it (battery, UPS, second power supply)."
        }
    }
}

/// How much one cut says.
pub const fn rule_of_three(outcome: CrashOutcome) -> Option<&'static str> {
    match outcome {
        // Hanley and Lippman-Hand, «If Nothing Goes Wrong, Is Everything All Right?», 1983.
        CrashOutcome::Kept => Some(
            "No loss in 1 cut. n cuts without a loss bound its chance below 3/n for each cut (95 %): 30 cuts below 10 %, 300 below 1 %.",
        ),
        CrashOutcome::Lost | CrashOutcome::Inconclusive => None,
    }
}

/// A remark, with its numbers.
pub fn remark(remark: CrashRemark, check: &CrashCheck) -> String {
    let page = ByteSize::bytes(check.armed.page_bytes);
    match remark {
        CrashRemark::TornInFlight => {
            format!(
                "torn in flight: {}. A write of {page} is not atomic here. {}",
                counted(check.in_flight.torn, "page"),
                databases(check.armed.page_bytes)
            )
        }
        CrashRemark::TornSector => format!(
            "torn within: {} of 512 bytes. Logs that rely on whole sectors (PostgreSQL's pg_control, redo blocks of 512 bytes) can be damaged",
            counted(check.in_flight.torn_sectors, "sector")
        ),
        CrashRemark::KeptOutOfOrder => format!(
            "{} kept although an earlier one is missing: allowed, only a flush orders writes",
            counted(check.in_flight.kept_out_of_order, "unflushed write")
        ),
        CrashRemark::EndedBeforeCut => {
            let why = check.ended.map_or("", end);
            format!("writing had ended before the cut ({why}): no write was under way, which is when storage fails most easily; cut while it writes")
        }
        CrashRemark::HostStayedUp => match check.cut {
            CutKind::Power => "this host has not restarted since writing began: only the power of the storage can have been cut, and writing fails then".to_owned(),
            CutKind::Process | CutKind::Guest | CutKind::Host => {
                format!("this host has not restarted since writing began, so `--cut {}` is not what happened", check.cut)
            }
        },
        CrashRemark::ImplausibleFlush => implausible_flush(check.flush_p50_ns),
        CrashRemark::UnknownDevice => UNKNOWN_DEVICE.to_owned(),
    }
}

const UNKNOWN_DEVICE: &str = "no block device can be seen below the target (main memory, network, or a container): find out what the cut really reached";

fn implausible_flush(p50_ns: Option<u64>) -> String {
    let us = Duration::from_nanos(p50_ns.unwrap_or_default()).as_secs_f64() * 1e6;
    format!(
        "half of the flushes took {} or less, and the device says that its write cache is volatile: either it is protected against power loss (data sheet), or flushes do not reach it; prove it with a cut of the power",
        latency_in_words(us)
    )
}

/// What torn pages mean for each database.
fn databases(page_bytes: u64) -> &'static str {
    match page_bytes {
        16_384 => {
            "Keep InnoDB's doublewrite buffer on. Databases with smaller pages (PostgreSQL, SQL Server, Oracle: 8 KiB) may or may not be hit: try --page-size 8KiB"
        }
        8_192 => {
            "PostgreSQL: keep full_page_writes on; SQL Server: keep PAGE_VERIFY CHECKSUM or TORN_PAGE_DETECTION, torn pages are restored from backup; Oracle: a torn block is found by DB_BLOCK_CHECKSUM and needs media recovery; InnoDB (16 KiB): keep the doublewrite buffer on"
        }
        _ => {
            "Larger pages are not atomic either. PostgreSQL: keep full_page_writes on; InnoDB: keep the doublewrite buffer on; SQL Server: keep PAGE_VERIFY CHECKSUM; Oracle: a torn block is found by DB_BLOCK_CHECKSUM and needs media recovery"
        }
    }
}

const fn end(how: ArmEnd) -> &'static str {
    match how {
        ArmEnd::Stopped => "it was stopped",
        ArmEnd::WriteFailed => "a write failed",
        ArmEnd::FlushFailed => "a flush failed",
        ArmEnd::Hung => "the storage hung",
    }
}

/// How writing ended, in a few words.
pub const fn armed_headline(how: ArmEnd) -> &'static str {
    match how {
        ArmEnd::Stopped => "Stopped: nothing was cut",
        ArmEnd::WriteFailed => "A write failed",
        ArmEnd::FlushFailed => "A flush failed",
        ArmEnd::Hung => "The storage hangs",
    }
}

/// The same in one sentence.
pub fn armed_sentence(run: &ArmedRun) -> String {
    let flushed = format!(
        "The journal has {}, in {}.",
        counted(run.flushed_writes, "flushed write"),
        batches(run.flushes)
    );
    let number =
        run.os_error.map_or_else(String::new, |number| format!(" (error {number} of the operating system)"));
    match run.ended {
        ArmEnd::Stopped => flushed,
        ArmEnd::WriteFailed => {
            format!("{flushed} The write behind them failed{number}, and nothing was written after it.")
        }
        ArmEnd::FlushFailed => format!(
            "{flushed} The flush behind them failed{number}: whatever was written since the last good one is unknown. It was not repeated, because a repeated flush succeeds without the data."
        ),
        ArmEnd::Hung => format!(
            "{flushed} A write or a flush behind them did not come back: whatever was written since the last good flush is unknown."
        ),
    }
}

/// A remark on writing that ended by itself.
pub fn armed_remark(remark: CrashRemark, run: &ArmedRun) -> String {
    match remark {
        CrashRemark::ImplausibleFlush => implausible_flush(run.flush_p50_ns),
        CrashRemark::UnknownDevice => UNKNOWN_DEVICE.to_owned(),
        // Only a check finds the others.
        CrashRemark::TornInFlight
        | CrashRemark::TornSector
        | CrashRemark::KeptOutOfOrder
        | CrashRemark::EndedBeforeCut
        | CrashRemark::HostStayedUp => remark.meaning().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    //! Every sentence with an example, on one page, as of findings.

    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use iotrial_model::crash::{Armed, InFlight};
    use iotrial_model::verification::{FaultKind, Noticed, PageFault};

    use super::*;

    fn check() -> CrashCheck {
        CrashCheck {
            armed: Armed {
                run: String::new(),
                key: 1,
                page_bytes: 8192,
                pages: 131_072,
                first_byte: 1 << 20,
                flush_every: 16,
                path: "/mnt/data/crash.iotrial".into(),
                is_device: false,
                devices: Vec::new(),
                host: "db01".to_owned(),
                boot_id: None,
                started_at: String::new(),
                version: String::new(),
            },
            cut: CutKind::Power,
            flushed_writes: 1_204_112,
            flushes: 141_660,
            flush_p50_ns: Some(11_000),
            ended: Some(ArmEnd::Stopped),
            same_boot: Some(true),
            pages_checked: 131_072,
            scan_complete: true,
            in_flight: InFlight {
                writes: 12,
                kept: 5,
                missing: 4,
                torn: 3,
                kept_out_of_order: 2,
                torn_sectors: 1,
            },
            tears: Vec::new(),
            counts: BTreeMap::new(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn every_outcome_every_cut_and_every_remark_has_its_words() {
        let mut page = String::new();
        let mut say = |about: &str, what: &str| writeln!(page, "{about}: {what}").unwrap();
        for cut in CutKind::ALL.iter().copied() {
            for outcome in CrashOutcome::ALL.iter().copied() {
                say(&format!("{outcome}, {cut}"), headline(outcome, cut));
            }
            say(cut.as_str(), proves(cut));
        }
        say("kept", &sentence(&check()));
        say("kept", rule_of_three(CrashOutcome::Kept).unwrap());
        say("stopped", &sentence(&CrashCheck { scan_complete: false, pages_checked: 1_000, ..check() }));
        let path = check().armed.path;
        let fault = PageFault::new(FaultKind::LostWrite, path, 8_192, 8_192, Noticed::EndScan);
        let hang = PageFault { kind: FaultKind::Hang, ..fault.clone() };
        let hung = CrashCheck {
            scan_complete: false,
            pages_checked: 1_000,
            counts: BTreeMap::from([(FaultKind::Hang, 1)]),
            faults: vec![hang],
            ..check()
        };
        say("hung", &sentence(&hung));
        for count in [1, 41] {
            let counts = BTreeMap::from([(FaultKind::LostWrite, count)]);
            say("lost", &sentence(&CrashCheck { counts, faults: vec![fault.clone()], ..check() }));
        }
        for writes in [0, 1, 12] {
            let in_flight = InFlight { writes, ..check().in_flight };
            say("promised", &promised(&CrashCheck { in_flight, flushes: 1, ..check() }));
        }
        for id in CrashRemark::ALL.iter().copied() {
            say(id.as_str(), &remark(id, &check()));
        }
        say(
            "host-stayed-up",
            &remark(CrashRemark::HostStayedUp, &CrashCheck { cut: CutKind::Host, ..check() }),
        );
        for page_bytes in [4_096, 16_384] {
            let armed = Armed { page_bytes, ..check().armed };
            say("torn-in-flight", &remark(CrashRemark::TornInFlight, &CrashCheck { armed, ..check() }));
        }
        for ended in ArmEnd::ALL.iter().copied() {
            let CrashCheck { armed, flushed_writes, flushes, flush_p50_ns, .. } = check();
            let os_error = matches!(ended, ArmEnd::WriteFailed | ArmEnd::FlushFailed).then_some(5);
            let run = ArmedRun { armed, ended, os_error, flushed_writes, flushes, flush_p50_ns };
            say(armed_headline(ended), &armed_sentence(&run));
            say("implausible-flush", &armed_remark(CrashRemark::ImplausibleFlush, &run));
        }
        insta::assert_snapshot!("page", page);
    }
}
