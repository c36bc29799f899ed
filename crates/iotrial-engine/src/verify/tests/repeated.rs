//! Pages that are looked at once more, and those that somebody writes at that very time.

use super::*;

/// A verifier of a file, of a page that is followed or not, with what was known of it.
struct Setting {
    verifier: Arc<Verifier>,
    at: u64,
    before: Entry,
    // Dropped last: the file is removed with its directory.
    prepared: Prepared,
    _place: tempfile::TempDir,
}

impl Setting {
    fn of(is_followed: bool) -> Self {
        let place = tempfile::tempdir().unwrap();
        let (prepared, verifier) = if is_followed {
            laid_out_verified(place.path())
        } else {
            laid_out_verified_in_part(place.path())
        };
        let look = |page| verifier.ledger.look(0, FIRST_BYTE + page * PAGE, PAGE).next().unwrap();
        let page = (3..PAGES).find(|page| look(*page).is_followed() == is_followed).unwrap();
        let (at, before) = (FIRST_BYTE + page * PAGE, look(page));
        Self { verifier, at, before, prepared, _place: place }
    }

    fn written(&self, generation: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        self.verifier.areas[0].content.fill(&mut bytes, self.at, generation);
        bytes
    }

    fn put(&self, bytes: &[u8]) {
        os::write_all_at(&self.verifier.areas[0].file, bytes, self.at).unwrap();
    }

    /// Looks again at a page that was read as these bytes.
    fn look_again(&self, bytes: &[u8], noticed: Noticed) {
        let expected = self.verifier.expected(0, self.at, 0);
        let expected = if self.before.is_followed() { expected } else { expected.with_write_of(bytes) };
        let first = judge::flaw(bytes, expected).unwrap();
        self.verifier.look_again(0, self.at, expected, first, self.before, noticed);
    }

    fn found(&self) -> Verification {
        self.verifier.verification(false, &[])
    }
}

#[test]
fn a_page_that_is_written_while_it_is_read_is_not_compared() {
    let setting = Setting::of(true);
    setting.verifier.ledger.settle(0, setting.at, PAGE, Some(7));
    for generation in [0, 7] {
        let bytes = setting.written(generation);
        assert_eq!(setting.verifier.check(0, setting.at, &bytes, &[setting.before], Noticed::Read), 0);
    }
    let found = setting.found();
    assert_eq!((found.pages_overlapped, found.fault_count()), (2, 0));
}

#[test]
fn a_page_that_somebody_wrote_before_it_was_read_again_is_not_accused() {
    let setting = Setting::of(true);
    setting.verifier.ledger.settle(0, setting.at, PAGE, Some(7));
    setting.put(&setting.written(7));
    setting.look_again(&setting.written(5), Noticed::Read);
    assert_eq!(setting.found().fault_count(), 0);
}

#[test]
fn a_page_that_is_not_followed_is_accused_only_if_it_stays_wrong_while_nobody_may_write_it() {
    // Right when it is read again: somebody may have written it meanwhile. Only a read that moved nothing is one whatever came later.
    let setting = Setting::of(false);
    setting.look_again(&[0; BYTES], Noticed::Read);
    assert_eq!(setting.found().fault_count(), 0);
    let mut untouched = setting.written(0);
    setting.verifier.areas[0].content.poison(&mut untouched, setting.at);
    setting.look_again(&untouched, Noticed::Read);
    assert_eq!(setting.found().counts, BTreeMap::from([(FaultKind::ReadWithoutTransfer, 1)]));
    // Whoever writes it now is not disturbed, and keeps it.
    let setting = Setting::of(false);
    setting.put(&[0; BYTES]);
    assert!(setting.verifier.ledger.claim(0, setting.at, PAGE).is_some());
    setting.look_again(&[0; BYTES], Noticed::Read);
    assert_eq!(setting.found().fault_count(), 0);
    assert!(setting.verifier.ledger.claim(0, setting.at, PAGE).is_none());
    setting.verifier.ledger.release(0, setting.at, PAGE);
    setting.look_again(&[0; BYTES], Noticed::Read);
    assert_eq!(setting.found().counts, BTreeMap::from([(FaultKind::DamagedPage, 1)]));
    // It was given back.
    assert!(setting.verifier.ledger.claim(0, setting.at, PAGE).is_some());
}

#[test]
fn the_evidence_of_a_fault_is_the_read_that_decided() {
    // Read wrongly at first: what was read then. Wrong on the media: what is there.
    for (there, kind, first_bad, good) in
        [(0, FaultKind::StaleRead, 4096, 3), (3, FaultKind::LostWrite, 0, 0)]
    {
        let setting = Setting::of(true);
        let mut bytes = setting.written(0);
        bytes[4096..].copy_from_slice(&setting.written(5)[4096..]);
        setting.put(&setting.written(there));
        setting.look_again(&bytes, Noticed::Read);
        let [fault] = &setting.found().faults[..] else { panic!("{:?}", setting.found()) };
        assert_eq!(
            (fault.kind, fault.first_bad_byte, fault.good_rereads),
            (kind, Some(setting.at + first_bad), Some(good))
        );
    }
}

#[test]
fn what_a_page_holds_is_forgotten_after_its_fault_unless_it_is_about_to_be_overwritten() {
    for (noticed, is_known) in
        [(Noticed::Read, false), (Noticed::EndScan, false), (Noticed::BeforeOverwrite, true)]
    {
        let setting = Setting::of(true);
        setting.put(&[0; BYTES]);
        setting.look_again(&[0; BYTES], noticed);
        assert_eq!(setting.found().counts, BTreeMap::from([(FaultKind::DamagedPage, 1)]));
        assert_eq!(setting.found().pages_unknown == 0, is_known, "{noticed:?}");
    }
}

#[test]
fn a_read_that_brings_nothing_leaves_a_buffer_that_cannot_pass() {
    let setting = Setting::of(true);
    let behind = FIRST_BYTE + PAGES * PAGE;
    let mut bytes = vec![0; BYTES];
    setting.verifier.read(0, &mut bytes, behind, Noticed::EndScan).unwrap_err();
    let flaw = judge::flaw(&bytes, setting.verifier.expected(0, behind, 0)).unwrap();
    assert_eq!((flaw.kind, flaw.bad_sectors), (FaultKind::ReadWithoutTransfer, 16));
}

#[test]
fn what_a_wrong_read_brought_from_elsewhere_is_no_end_of_a_write() {
    let setting = Setting::of(true);
    let mut elsewhere = vec![0; BYTES];
    setting.verifier.areas[0].content.fill(&mut elsewhere, setting.at + 64 * PAGE, 0);
    setting.look_again(&elsewhere, Noticed::Read);
    let [fault] = &setting.found().faults[..] else { panic!("{:?}", setting.found()) };
    assert_eq!((fault.kind, &fault.other_place), (FaultKind::TransferError, &None));
}

#[test]
fn a_last_page_that_is_cut_is_read_again_to_the_end_of_its_area() {
    let mut setting = Setting::of(true);
    setting.at = FIRST_BYTE + (PAGES - 1) * PAGE;
    let verifier = Arc::get_mut(&mut setting.verifier).unwrap();
    verifier.areas[0].length = PAGES * PAGE - 4096;
    setting.put(&[0; 4096]);
    setting.look_again(&[0; 4096], Noticed::EndScan);
    let [fault] = &setting.found().faults[..] else { panic!("{:?}", setting.found()) };
    assert_eq!((fault.kind, fault.length_bytes, fault.bad_sectors), (FaultKind::DamagedPage, 4096, Some(8)));
}

/// A queue whose I/Os all answer the same.
struct Answering<Q> {
    inner: Q,
    outcome: Outcome,
}

impl<Q: IoQueue> IoQueue for Answering<Q> {
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        self.inner.submit(requests, handing)
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        self.inner.reap(completions, wait_until_ns)?;
        completions.iter_mut().for_each(|completion| completion.outcome = self.outcome);
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.inner.buffer(slot)
    }
}

#[test]
fn of_a_read_that_is_cut_the_whole_pages_are_compared() {
    let whole = 4 * LENGTH;
    for (bytes, pages, counts) in [
        (2 * LENGTH + 512, 2, BTreeMap::from([(FaultKind::ShortIo, 1)])),
        (LENGTH - 512, 0, BTreeMap::from([(FaultKind::ShortIo, 1)])),
        (whole, 4, BTreeMap::new()),
    ] {
        let place = tempfile::tempdir().unwrap();
        let (prepared, verifier) = laid_out_verified_with_large_blocks(place.path());
        let clock = MonotonicClock::before_start();
        clock.start();
        let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
        let mut random = Random::new(1, RandomStream::Buffers(0));
        let inner = ThreadsQueue::new(clock.clone(), &area, &[whole], &mut random).unwrap();
        let inner = Answering { inner, outcome: Outcome::Bytes(bytes) };
        let mut queue = VerifyingQueue::new(inner, clock.clone(), Arc::clone(&verifier));
        done(&mut queue, &clock, 8..12, 0);
        let found = verifier.verification(false, &[]);
        assert_eq!((found.pages_checked, found.counts), (pages, counts));
    }
}

#[test]
fn no_room_in_a_file_system_is_told_from_a_device_that_is_gone() {
    let otherwise = FaultKind::WriteError;
    for is_device in [false, true] {
        for full in os::NO_SPACE {
            let expected = if is_device { FaultKind::DeviceGone } else { FaultKind::NoSpace };
            assert_eq!(error_kind(full, is_device, otherwise), expected);
        }
        for gone in os::GONE {
            assert_eq!(error_kind(gone, is_device, otherwise), FaultKind::DeviceGone);
        }
        assert_eq!(error_kind(5, is_device, otherwise), otherwise);
    }
}

#[test]
fn a_write_whose_pages_were_read_is_watched_as_well() {
    let setting = Setting::of(true);
    let clock = MonotonicClock::before_start();
    clock.start();
    let area: Arc<[OpenArea]> = setting.prepared.areas.open(NO_FLAGS).unwrap();
    let holds = Arc::new(AtomicBool::new(false));
    let holding =
        Holding { inner: threads_queue(&area, &clock), holds: Arc::clone(&holds), done: Vec::new() };
    let mut queue = VerifyingQueue::new(holding, clock.clone(), Arc::clone(&setting.verifier));
    let (direction, durability) = (Direction::Write, Durability::None);
    let request = Request {
        slot: 0,
        area: 0,
        offset: setting.at,
        length: LENGTH,
        direction,
        durability,
        generation: 7,
    };
    queue.submit(&[request], Handing::WithReap).unwrap();
    let noticed = || {
        let begun = setting.verifier.under_way.older_than(Duration::ZERO);
        begun.iter().map(|begun| begun.noticed).collect::<Vec<_>>()
    };
    let mut completions = Vec::new();
    while noticed() == [Noticed::BeforeOverwrite] {
        queue.reap(&mut completions, clock.now_ns() + 1_000_000_000).unwrap();
    }
    holds.store(true, Ordering::Relaxed);
    assert_eq!((noticed(), completions.len()), (vec![Noticed::Write], 0));
    (0..120).for_each(|_| setting.verifier.tick(Duration::from_secs(1)));
    setting.verifier.give_up();
    let [fault] = &setting.found().faults[..] else { panic!("{:?}", setting.found()) };
    assert_eq!((fault.kind, fault.noticed), (FaultKind::Hang, Noticed::Write));
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_load_wrote_is_flushed_before_all_of_it_is_read() {
    let mut setting = Setting::of(true);
    // Nothing can be flushed there, and nothing can be read.
    let nowhere = File::open("/dev/null").unwrap();
    Arc::get_mut(&mut setting.verifier).unwrap().areas[0].file = nowhere;
    assert_eq!(setting.verifier.scan(&|_, _| (), &|| false), ScanEnd::Complete);
    let counts = BTreeMap::from([(FaultKind::WriteError, 1), (FaultKind::ReadError, PAGES)]);
    assert_eq!(setting.found().counts, counts);
}
