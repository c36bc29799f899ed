//! What is looked at once more, what cannot be read, and which files are another run's.

use iotrial_model::plan::FILE_HEADER_SIZE;
use iotrial_model::units::ByteSize;

use super::super::journal::tests::armed;
use super::super::journal::{Entry, Lines};
use super::*;
use crate::targets::managed_file::State;

const PAGES: u64 = 23;
const BYTES: usize = 2048;
const RUN: RunId = [7; 16];

fn journal(is_device: bool) -> Journal {
    let armed = Armed { page_bytes: BYTES as u64, first_byte: 4096, is_device, ..armed(PAGES) };
    let begun = Entry::Flushed { durable: PAGES, issued: PAGES + 1, flush_ns: 0 };
    let mut lines = Lines::default();
    let text: String = [Entry::Begin(Box::new(armed)), begun].iter().map(|entry| lines.line(entry)).collect();
    Journal::read(text.as_bytes()).unwrap()
}

/// Of a file that was filled, and nothing else.
fn checker(is_device: bool) -> Checker {
    let checker = Checker::new(tempfile::tempfile().unwrap(), &journal(is_device), RUN);
    for page in 0..PAGES {
        os::write_all_at(&checker.file, &filled(&checker, page), checker.offset_of(page)).unwrap();
    }
    checker
}

fn filled(checker: &Checker, page: u64) -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    checker.content.fill(&mut bytes, checker.offset_of(page), 0);
    bytes
}

fn only_fault(checker: &Checker) -> PageFault {
    let check = checker.answer(&journal(false), CutKind::Power, true).unwrap();
    let [fault] = &check.faults[..] else { panic!("{check:?}") };
    fault.clone()
}

#[test]
fn a_page_that_was_read_wrongly_is_told_from_one_that_is_wrong_by_reading_again() {
    // Where the file is damaged, and with that the kind, the first byte and how many reads were right.
    for (sector, kind, first_bad, good) in
        [(None, FaultKind::TransferError, 512, 3), (Some(2), FaultKind::DamagedPage, 1024, 0)]
    {
        let checker = checker(false);
        let page = 5;
        let mut read = filled(&checker, page);
        read[512..1024].fill(0);
        if let Some(sector) = sector {
            let at = checker.offset_of(page) + sector * SECTOR as u64;
            os::write_all_at(&checker.file, &[0; SECTOR], at).unwrap();
        }
        checker.page(page, &read);
        let fault = only_fault(&checker);
        let first_bad = checker.offset_of(page) + first_bad;
        assert_eq!(
            (fault.kind, fault.first_bad_byte, fault.good_rereads),
            (kind, Some(first_bad), Some(good))
        );
    }
}

#[test]
fn a_read_that_brings_nothing_leaves_a_buffer_that_cannot_pass() {
    let checker = checker(false);
    let mut bytes = vec![0; BYTES];
    checker.read(&mut bytes, checker.offset_of(PAGES)).unwrap_err();
    let flushed = checker.content.stamp_of(checker.offset_of(PAGES), 0).unwrap();
    let found = held(&bytes, Allowed { flushed, in_flight: None, issued: PAGES });
    let Held::Fault(flaw) = found else { panic!("{found:?}") };
    assert_eq!((flaw.kind, flaw.bad_sectors), (FaultKind::ReadWithoutTransfer, 4));
}

#[test]
fn what_cannot_be_read_is_told_from_a_device_that_is_gone() {
    for (is_device, os_error, kind) in [
        (false, 5, FaultKind::ReadError),
        (true, 5, FaultKind::ReadError),
        (true, os::GONE[0], FaultKind::DeviceGone),
        (true, os::NO_SPACE[0], FaultKind::DeviceGone),
    ] {
        let checker = checker(is_device);
        checker.unreadable(5, &io::Error::from_raw_os_error(os_error));
        let fault = only_fault(&checker);
        assert_eq!((fault.kind, fault.os_error), (kind, Some(os_error)));
        assert_eq!(fault.offset_bytes, checker.offset_of(5));
    }
}

#[test]
fn a_file_of_another_run_or_one_that_ends_too_early_is_not_compared() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap().join("crash.iotrial");
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    let armed = Armed { path, first_byte: FILE_HEADER_SIZE.get(), ..armed(PAGES) };
    let data_size = ByteSize::bytes(armed.pages * armed.page_bytes);
    let header = Header { run: RUN, data_size, fill_seed: 1, state: State::Whole };
    header.write(&file).unwrap();
    let end = end_of(&armed);
    file.set_len(end).unwrap();
    assert!(matches!(open_to_check(&armed, [8; 16]), Err(CheckCrashError::AnotherRun { .. })));
    // Not every file system has direct I/O, and that is all it may be refused for.
    assert!(matches!(open_to_check(&armed, RUN), Ok(_) | Err(CheckCrashError::Open { .. })));
    file.set_len(end - 1).unwrap();
    let found = open_to_check(&armed, RUN);
    assert!(
        matches!(found, Err(CheckCrashError::TooShort { length, needed, .. }) if (length, needed) == (end - 1, end))
    );
    let device = Armed { is_device: true, ..armed };
    assert!(matches!(open_to_check(&device, RUN), Err(CheckCrashError::AnotherKind { .. })));
}
