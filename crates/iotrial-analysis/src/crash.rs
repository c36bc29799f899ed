//! What a cut answers: one outcome, and what else a reader should know.

use std::time::Duration;

use iotrial_model::crash::{
    ArmEnd, Armed, ArmedRun, CrashCheck, CrashOutcome, CrashRemark, CutKind, InFlight,
};
use serde::Serialize;

/// A faster flush has not reached a medium that is not protected.
// No flash program takes less than about 50 µs, and the protocol of a fast device alone takes 5 µs to 10 µs. The rule for hosts
// (`host-rules/disk.toml`) has the same limit.
const PLAUSIBLE_FLUSH: Duration = Duration::from_micros(20);

/// What came of a cut, with everything that it was decided by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrashAnswer {
    /// The one answer.
    pub outcome: CrashOutcome,
    /// What else a reader should know.
    pub remarks: Vec<CrashRemark>,
    /// What was found.
    #[serde(flatten)]
    pub check: CrashCheck,
}

/// What came of writing that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArmAnswer {
    /// Whether it ended before its time.
    pub is_interrupted: bool,
    /// What else a reader should know.
    pub remarks: Vec<CrashRemark>,
    /// What was written.
    #[serde(flatten)]
    pub run: ArmedRun,
}

/// Decides what a check answers.
pub fn decide(check: CrashCheck) -> CrashAnswer {
    let is = |remark: &CrashRemark| remark_holds(*remark, &check);
    let remarks: Vec<CrashRemark> = CrashRemark::ALL.iter().copied().filter(is).collect();
    // Whatever was cut, nothing excuses a page that is wrong. Storage that hangs may still have it.
    let outcome = if check.lost_count() > 0 {
        CrashOutcome::Lost
    } else if !check.scan_complete || check.cut == CutKind::Process || was_not_cut(&check) {
        CrashOutcome::Inconclusive
    } else {
        CrashOutcome::Kept
    };
    CrashAnswer { outcome, remarks, check }
}

/// A guest or a host that still runs was not cut. The power of a storage may go while the host has its own, but then something fails.
fn was_not_cut(check: &CrashCheck) -> bool {
    let has_failed = check.ended.is_some_and(|ended| ended != ArmEnd::Stopped);
    check.same_boot == Some(true) && !(check.cut == CutKind::Power && has_failed)
}

/// Decides what is said of writing that ended by itself.
pub fn judge_armed(run: ArmedRun, is_interrupted: bool) -> ArmAnswer {
    let mut remarks = Vec::new();
    if is_implausible(&run.armed, run.flush_p50_ns) {
        remarks.push(CrashRemark::ImplausibleFlush);
    }
    if run.armed.devices.is_empty() {
        remarks.push(CrashRemark::UnknownDevice);
    }
    ArmAnswer { is_interrupted, remarks, run }
}

impl ArmAnswer {
    /// Whether the storage failed.
    pub fn has_failed(&self) -> bool {
        self.run.ended != ArmEnd::Stopped
    }
}

fn remark_holds(remark: CrashRemark, check: &CrashCheck) -> bool {
    let InFlight { torn, kept_out_of_order, torn_sectors, .. } = check.in_flight;
    match remark {
        CrashRemark::TornInFlight => torn > 0,
        CrashRemark::TornSector => torn_sectors > 0,
        CrashRemark::KeptOutOfOrder => kept_out_of_order > 0,
        CrashRemark::EndedBeforeCut => check.ended.is_some(),
        CrashRemark::HostStayedUp => check.same_boot == Some(true) && check.cut != CutKind::Process,
        CrashRemark::ImplausibleFlush => is_implausible(&check.armed, check.flush_p50_ns),
        CrashRemark::UnknownDevice => check.armed.devices.is_empty(),
    }
}

/// Whether flushes are too fast for a device that says that its cache loses what it holds. One that is protected against power loss can be as
/// fast, and no device says that it is: only a cut tells.
fn is_implausible(armed: &Armed, p50_ns: Option<u64>) -> bool {
    let is_volatile = armed.devices.iter().any(|device| device.write_cache.as_deref() == Some("write back"));
    is_volatile && p50_ns.is_some_and(|p50_ns| Duration::from_nanos(p50_ns) < PLAUSIBLE_FLUSH)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use iotrial_model::record::BlockDevice;
    use iotrial_model::verification::FaultKind;

    use super::*;

    fn check() -> CrashCheck {
        let disk = BlockDevice {
            name: "sda".to_owned(),
            write_cache: Some("write back".to_owned()),
            ..BlockDevice::default()
        };
        CrashCheck {
            armed: Armed {
                run: String::new(),
                key: 1,
                page_bytes: 8192,
                pages: 100,
                first_byte: 0,
                flush_every: 16,
                path: "/a".into(),
                is_device: false,
                devices: vec![disk],
                host: "db01".to_owned(),
                boot_id: None,
                started_at: String::new(),
                version: String::new(),
            },
            cut: CutKind::Power,
            flushed_writes: 1_000,
            flushes: 120,
            flush_p50_ns: Some(200_000),
            ended: None,
            same_boot: Some(false),
            pages_checked: 100,
            scan_complete: true,
            in_flight: InFlight { writes: 5, kept: 2, missing: 3, ..InFlight::default() },
            tears: Vec::new(),
            counts: BTreeMap::new(),
            faults: Vec::new(),
        }
    }

    fn outcome(change: impl Fn(&mut CrashCheck)) -> (CrashOutcome, Vec<CrashRemark>) {
        let mut check = check();
        change(&mut check);
        let answer = decide(check);
        (answer.outcome, answer.remarks)
    }

    #[test]
    fn a_fault_is_a_loss_whatever_was_cut_and_only_what_was_cut_and_read_is_an_answer() {
        use CrashOutcome::*;
        assert_eq!(outcome(|_| ()), (Kept, vec![]));
        for cut in CutKind::ALL.iter().copied() {
            let with = |same_boot, faults| {
                outcome(move |check| {
                    (check.cut, check.same_boot) = (cut, same_boot);
                    check.counts = BTreeMap::from([(FaultKind::LostWrite, faults)]);
                    check.counts.retain(|_, count| *count > 0);
                })
                .0
            };
            let kept = if cut == CutKind::Process { Inconclusive } else { Kept };
            assert_eq!((with(None, 0), with(Some(false), 0)), (kept, kept), "{cut}");
            assert_eq!(with(Some(true), 0), Inconclusive, "{cut}");
            assert_eq!((with(None, 1), with(Some(true), 1)), (Lost, Lost), "{cut}");
        }
        assert_eq!(outcome(|check| check.scan_complete = false).0, Inconclusive);
        // A read that hangs tells nothing, and neither excuses nor accuses a page.
        for (lost, expected) in [(0, Inconclusive), (1, Lost)] {
            let hangs = outcome(|check| {
                check.scan_complete = false;
                check.counts = BTreeMap::from([(FaultKind::Hang, 1), (FaultKind::LostWrite, lost)]);
            });
            assert_eq!(hangs.0, expected);
        }
        // The power of a storage may go while the host has its own: then a write or a flush fails.
        for (ended, expected) in [
            (None, Inconclusive),
            (Some(ArmEnd::Stopped), Inconclusive),
            (Some(ArmEnd::WriteFailed), Kept),
            (Some(ArmEnd::FlushFailed), Kept),
            (Some(ArmEnd::Hung), Kept),
        ] {
            let storage_alone = outcome(|check| (check.same_boot, check.ended) = (Some(true), ended));
            assert_eq!(storage_alone.0, expected, "{ended:?}");
        }
    }

    #[test]
    fn each_remark_has_its_cause_and_no_other() {
        use CrashRemark::*;
        type Cause = fn(&mut CrashCheck);
        let cases: [(CrashRemark, Cause); 7] = [
            (TornInFlight, |check| check.in_flight.torn = 1),
            (TornSector, |check| check.in_flight.torn_sectors = 1),
            (KeptOutOfOrder, |check| check.in_flight.kept_out_of_order = 1),
            (EndedBeforeCut, |check| check.ended = Some(ArmEnd::Stopped)),
            (HostStayedUp, |check| check.same_boot = Some(true)),
            (ImplausibleFlush, |check| check.flush_p50_ns = Some(19_999)),
            (UnknownDevice, |check| check.armed.devices.clear()),
        ];
        for (remark, change) in cases {
            assert_eq!(outcome(change).1, [remark]);
        }
        assert_eq!(outcome(|check| check.flush_p50_ns = Some(20_000)).1, []);
        assert_eq!(outcome(|check| check.flush_p50_ns = None).1, []);
        let through = |check: &mut CrashCheck| {
            check.flush_p50_ns = Some(1_000);
            check.armed.devices[0].write_cache = Some("write through".to_owned());
        };
        assert_eq!(outcome(through).1, []);
        assert_eq!(
            outcome(|check| {
                check.same_boot = Some(true);
                check.cut = CutKind::Process;
            })
            .1,
            []
        );
    }

    #[test]
    fn writing_that_ended_is_judged_by_its_end_and_its_flushes() {
        let run = |ended, flush_p50_ns| {
            let CrashCheck { armed, flushed_writes, flushes, .. } = check();
            judge_armed(
                ArmedRun { armed, ended, os_error: None, flushed_writes, flushes, flush_p50_ns },
                false,
            )
        };
        let honest = run(ArmEnd::Stopped, Some(100_000));
        assert_eq!((honest.has_failed(), honest.remarks), (false, vec![]));
        assert_eq!(run(ArmEnd::Stopped, Some(5_000)).remarks, [CrashRemark::ImplausibleFlush]);
        for ended in [ArmEnd::FlushFailed, ArmEnd::WriteFailed, ArmEnd::Hung] {
            assert!(run(ended, None).has_failed());
        }
    }
}
