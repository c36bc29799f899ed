//! Makes what a plan needs on its targets, and opens it.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use iotrial_measure::host;
use iotrial_model::plan::{Area, AreaKind, FILE_HEADER_SIZE, Plan};
use iotrial_model::record::Layout;
use iotrial_model::units::ByteSize;
use sha2::{Digest as _, Sha256};

use super::device::{self, Claimed};
use super::directory::Directory;
use super::fill::{self, AlignedBuffer, FillError};
use super::held::{HeldArea, HeldAreas};
use super::made::Made;
use super::managed_file::{Found, Header, ManagedFile, RunId, State};
use super::os;
use super::prepare_error::PrepareError;
use super::probe::ProbedTarget;
use super::site::{Places, check_space, file_error, holds, lock, survey};
use crate::content::Content;
use crate::under_way::DEADLINES_WAITED;

/// What a load works on, laid out and open.
///
/// Managed files stay locked, and devices claimed, until it is dropped.
#[derive(Debug)]
pub struct Prepared {
    // Dropped from the top: first the handles, because Windows removes no file that is open, then the files
    // that were made, and last the locks and claims that kept others away from them.
    /// In the order of the plan's areas; none where the engine touches no target. For direct I/O where the
    /// plan says so, and for reading only where no job writes.
    pub areas: HeldAreas,
    /// How the content came to be; `None` where the plan asks for none.
    pub layout: Option<Layout>,
    made: Made,
    /// Files of an earlier run, locked.
    reused: Vec<ManagedFile>,
    /// Slices of devices that were filled: place among the areas, offset and length.
    given_up: Vec<(usize, u64, u64)>,
    claimed: Vec<Claimed>,
}

/// What [`prepare`] would write and reuse, without doing it. It refuses the directories and files that
/// `prepare` would refuse; devices are not claimed, so they are not asked again. The duration is zero.
///
/// # Errors
///
/// Those of [`prepare`], as far as files are concerned.
pub fn rehearse(plan: &Plan, targets: &[ProbedTarget]) -> Result<Layout, PrepareError> {
    let mut layout = Layout::default();
    if !plan.engine.touches_targets() {
        return Ok(layout);
    }
    let places = Places::hold(plan, targets)?;
    let sites = survey(plan, &places)?;
    check_space(&sites, &places, &[])?;
    for site in sites {
        let bytes = if site.reuse { &mut layout.reused } else { &mut layout.written };
        *bytes = *bytes + site.area.length;
    }
    let destroyed = plan.areas.iter().filter(|area| area.kind == AreaKind::DeviceDestroy);
    layout.written = layout.written + destroyed.map(|area| area.length).sum();
    Ok(layout)
}

/// Lays out what the plan needs, and opens it.
///
/// Everything is looked at before anything is written: devices are claimed and examined anew, foreign files
/// are refused, the space is counted. Managed files of an earlier run are used again if they are whole, and
/// made anew otherwise. New files carry the id of the `run`. `progress` gets the bytes written and their total; `stop` is
/// asked before each block. After an error nothing stays that this call made, unless the storage hangs.
///
/// # Errors
///
/// When a target is not what the plan takes it for, or the system refuses; [`PrepareError::hint`] says what
/// to do.
pub fn prepare(
    run: RunId,
    plan: &Plan,
    targets: &[ProbedTarget],
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Prepared, PrepareError> {
    let mut made = Made::default();
    if !plan.engine.touches_targets() {
        return Ok(Prepared {
            areas: HeldAreas::default(),
            layout: None,
            made,
            reused: vec![],
            given_up: vec![],
            claimed: vec![],
        });
    }
    // Everything that can be refused comes before the first byte is written, so that a plan that cannot be
    // carried out destroys nothing, not even half of a device. Devices first: to examine one takes up to a
    // minute, in which files and free space would change.
    let claimed = claim_devices(plan, targets, stop)?;
    let mut reused = lock_given_files(plan)?;
    // Before the survey: in a directory that was exchanged, it would lock files of another volume.
    let mut places = Places::hold(plan, targets)?;
    let mut sites = survey(plan, &places)?;
    // Behind it, because files that are used again need no space, and stale ones give theirs back.
    check_space(&sites, &places, &[])?;
    if stop() {
        return Err(PrepareError::Interrupted);
    }

    let started = Instant::now();
    let mut layout = Layout::default();
    for site in &mut sites {
        match site.found.take() {
            Some(managed) if site.reuse => {
                layout.reused = layout.reused + site.area.length;
                reused.push(managed);
            }
            found => make_file(run, plan, site.area, found, &mut places, &mut made)?,
        }
    }
    // Once more, now that the room is taken: another run may have counted the same room in the same moment. At
    // the latest the second of them sees the files of the first.
    if !made.files.is_empty() {
        check_space(&sites, &places, &made.files)?;
    }
    let contents = Contents { run, plan };
    layout.written = match fill_all(contents, &made, &claimed, progress, stop) {
        Err(error @ PrepareError::Hung(_)) => {
            // To remove a file may hang as well.
            made.keep = true;
            return Err(error);
        }
        other => other?,
    };
    // Last, and only after the flush: after a crash in between the header still says that the file is not
    // whole. The other way round a later run would use a file that was not filled to its end.
    for file in &mut made.files {
        file.header.state = State::Whole;
        let written = file.header.write(&file.file);
        written.map_err(|source| PrepareError::Write { path: file.path.clone(), source })?;
    }
    layout.duration = started.elapsed();

    // Opened once more and not taken from the layout, which wrote: a job that only reads gets a handle that
    // cannot write.
    let keepers: Vec<&ManagedFile> = made.files.iter().chain(&reused).collect();
    let areas = HeldAreas::new(open_areas(contents, &keepers, &claimed)?);
    let layout = (layout.written + layout.reused > ByteSize::default()).then_some(layout);
    let filled = plan.areas.iter().enumerate().filter(|(_, area)| area.kind == AreaKind::DeviceDestroy);
    let given_up = filled.map(|(place, area)| (place, area.offset.get(), area.length.get())).collect();
    Ok(Prepared { areas, layout, made, reused, given_up, claimed })
}

impl Prepared {
    /// The files that this run made.
    pub fn made_files(&self) -> impl Iterator<Item = &Path> {
        self.made.files.iter().map(|file| file.path.as_path())
    }

    /// The devices that were given up to this run, each with the token for what is on it now. Whoever holds
    /// them still can give them up again with it: nothing else than this run's load has changed them.
    ///
    /// # Errors
    ///
    /// When one of them cannot be read, or is another one.
    pub fn tokens_left(&self) -> io::Result<Vec<(PathBuf, String)>> {
        let mut left = Vec::new();
        for device in &self.claimed {
            left.extend(device.token_now()?.map(|token| (device.path().to_owned(), token)));
        }
        Ok(left)
    }

    /// Looks after a load whether the targets still hold what was written to them: what is wrong, in a sentence, or
    /// nothing.
    ///
    /// A device that lost a part of itself may go on to answer: the file system or the driver above it turns what
    /// cannot be read into zeros, and what cannot be written is known only when the caches are emptied. No page of
    /// ours is ever zero.
    pub fn damage(&self) -> Option<String> {
        let of_files = self.made.files.iter().chain(&self.reused).find_map(|file| {
            let path = file.path.display();
            // Of this file alone: a flush of the whole file system may take minutes on a server at work.
            if let Err(error) = file.file.sync_all() {
                return Some(format!("`{path}` could not be brought to its device: {error}"));
            }
            let direct = file.reopen(os::Access::Read, true).ok()?;
            damage_of(&direct, &file.path, FILE_HEADER_SIZE.get(), file.header.data_size.get())
        });
        of_files.or_else(|| {
            self.given_up.iter().find_map(|(place, offset, length)| {
                let (path, file) = self.areas.verified(*place);
                damage_of(file, path, *offset, *length)
            })
        })
    }

    /// From now on, the files that this run made stay, also where it ends before its time.
    pub const fn keep(&mut self) {
        self.made.keep = true;
    }

    /// Leaves the files that this run made for the next one. Without this, dropping removes them.
    pub fn keep_made(mut self) {
        self.made.keep = true;
    }

    /// Removes the files that this run made, and the directories if it made them and they are empty.
    ///
    /// # Errors
    ///
    /// The first failure; the other files are removed all the same.
    pub fn remove_made(self) -> io::Result<()> {
        let Self { areas, mut made, .. } = self;
        // Their handles first: an open file cannot be removed on Windows.
        drop(areas);
        made.remove()
    }
}

/// Pages that are read back of each file: enough that a loss of a twentieth is missed once in thirty times, and few enough for a
/// disk that turns.
const PAGES_READ_BACK: u64 = 64;

/// What is wrong with data that was written and never zero, by some of its pages.
fn damage_of(file: &File, path: &Path, start: u64, length: u64) -> Option<String> {
    const PAGE_SIZE: u64 = 4096;
    let pages = length / PAGE_SIZE;
    let count = pages.min(PAGES_READ_BACK);
    let mut buffer = AlignedBuffer::new(PAGE_SIZE);
    let (path, mut zero_count) = (path.display(), 0);
    for sample in 1..=count {
        // At the end of each of so many parts, so that the last page is among them.
        let offset = start + (pages * sample / count - 1) * PAGE_SIZE;
        if let Err(error) = os::read_exact_at(file, buffer.as_mut_slice(), offset) {
            return Some(format!("`{path}` cannot be read back {offset} bytes from its start: {error}"));
        }
        zero_count += u64::from(buffer.as_mut_slice().iter().all(|byte| *byte == 0));
    }
    (zero_count > 0).then(|| {
        format!("{zero_count} of {count} pages of `{path}` that were read back hold zeros and not what was written")
    })
}

/// Claims each device of the plan once.
fn claim_devices(
    plan: &Plan,
    targets: &[ProbedTarget],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Claimed>, PrepareError> {
    let mut claimed: Vec<Claimed> = Vec::new();
    let is_device = |area: &&Area| matches!(area.kind, AreaKind::DeviceRead | AreaKind::DeviceDestroy);
    for area in plan.areas.iter().filter(is_device) {
        // Each device once, however many slices of it the plan has: the second exclusive open would be
        // refused because of the first.
        if claimed.iter().any(|device| device.path() == area.path) {
            continue;
        }
        let slices = plan.areas.iter().filter(|slice| slice.path == area.path);
        let writes =
            slices.into_iter().any(|slice| slice.kind == AreaKind::DeviceDestroy || writes_to(plan, slice));
        let probed = targets.iter().find(|target| target.facts.path == area.path);
        let claim = probed.and_then(|target| target.claim.as_ref());
        let claim = claim.ok_or_else(|| PrepareError::NotProbed { path: area.path.clone() })?;
        claimed.push(device::claim(claim, writes, stop)?);
    }
    Ok(claimed)
}

/// Finds and locks the files that the user named.
fn lock_given_files(plan: &Plan) -> Result<Vec<ManagedFile>, PrepareError> {
    let mut locked: Vec<ManagedFile> = Vec::new();
    for area in plan.areas.iter().filter(|area| area.kind == AreaKind::GivenFile) {
        let path = &area.path;
        let not_whole = || PrepareError::NotWhole { path: path.clone() };
        // Locked already for another slice: a second handle would be kept out by the lock of the first.
        if let Some(managed) = locked.iter().find(|managed| managed.path == *path) {
            if !holds(managed, area) {
                return Err(not_whole());
            }
            continue;
        }
        let managed =
            match ManagedFile::find(path, writes_to(plan, area)).map_err(file_error("open", path))? {
                Found::Managed(managed) => *managed,
                Found::Foreign(foreign) => return Err(PrepareError::NotOurs { path: path.clone(), foreign }),
                Found::Nothing => return Err(not_whole()),
            };
        // The lock first: until it is taken, another run may be making the file or removing it.
        lock(&managed)?;
        if !managed.is_whole().map_err(file_error("examine", path))? || !holds(&managed, area) {
            return Err(not_whole());
        }
        locked.push(managed);
    }
    Ok(locked)
}

/// Makes one file, not filled yet, in place of a stale one of ours.
fn make_file(
    run: RunId,
    plan: &Plan,
    area: &Area,
    stale: Option<ManagedFile>,
    places: &mut Places,
    made: &mut Made,
) -> Result<(), PrepareError> {
    let path = &area.path;
    if let Some(stale) = stale {
        stale.remove().map_err(file_error("remove", path))?;
    }
    let (directory, new) = places.make(path)?;
    made.directories.extend(new);
    let header =
        Header { run, data_size: area.length, fill_seed: fill_seed(plan, area), state: State::Filling };
    let name = path.file_name().unwrap_or_default();
    let file = ManagedFile::make(&directory, name, header).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => taken(&directory, name, path),
        _ => PrepareError::File { what: "make", path: path.clone(), source },
    })?;
    // Before the space is reserved: where that fails, the file is among those that are removed.
    made.files.push(file);
    let file = &made.files[made.files.len() - 1].file;
    let length = FILE_HEADER_SIZE + area.length;
    os::reserve(file, length.get()).map_err(|source| PrepareError::Write { path: path.clone(), source })
}

/// Why a file cannot be made whose name the survey found free. Whatever has it by now was made in between, and stays.
fn taken(directory: &Arc<Directory>, name: &OsStr, path: &Path) -> PrepareError {
    let path = path.to_owned();
    match ManagedFile::find_in(directory, name, false) {
        Ok(Found::Foreign(foreign)) => PrepareError::NotOurs { path, foreign },
        // Another run was faster. If the file is gone again, so is that run.
        Ok(Found::Managed(_) | Found::Nothing) => PrepareError::InUse { path },
        Err(source) => PrepareError::File { what: "open", path, source },
    }
}

/// Fills the new files and the devices that were given up; answers with the bytes written.
fn fill_all(
    contents: Contents<'_>,
    made: &Made,
    claimed: &[Claimed],
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<ByteSize, PrepareError> {
    let plan = contents.plan;
    let mut opened = Vec::new();
    for (index, area) in plan.areas.iter().enumerate() {
        let file = match area.kind {
            AreaKind::ManagedFile => made
                .files
                .iter()
                .find(|file| file.path == area.path)
                .map(|managed| {
                    let file = open_managed(managed, os::Access::ReadWrite, plan.direct, area)?;
                    Ok((file, contents.file(index, managed)))
                })
                .transpose()?,
            AreaKind::DeviceDestroy => {
                Some((open_device(claimed, area, true, plan.direct)?, contents.device(index, area)))
            }
            AreaKind::GivenFile | AreaKind::DeviceRead | AreaKind::Imagined => None,
        };
        opened.extend(file.map(|(file, content)| (file, content, area)));
    }
    let ranges: Vec<fill::Range> = opened
        .into_iter()
        .map(|(file, content, area)| fill::Range {
            path: area.path.clone(),
            file,
            start: area.offset.get(),
            length: area.length.get(),
            content,
        })
        .collect();
    if ranges.is_empty() {
        return Ok(ByteSize::default());
    }
    let written = ranges.iter().map(|range| ByteSize::bytes(range.length)).sum();
    // A flush of what is in the memory of the host may take minutes on a slow disk that is in order.
    let patience = plan.io_deadline.filter(|_| plan.direct).map(|deadline| deadline * DEADLINES_WAITED);
    match fill::fill(ranges, patience, progress, stop) {
        Ok(()) => Ok(written),
        Err(FillError::Hung(fault)) => Err(PrepareError::Hung(fault)),
        Err(FillError::Stopped) => Err(PrepareError::Interrupted),
        // Some file systems take the flag when a file is opened, and refuse the first write.
        Err(FillError::Write { path, source })
            if plan.direct && source.kind() == io::ErrorKind::InvalidInput =>
        {
            Err(PrepareError::DirectRefused { path, source })
        }
        Err(FillError::Write { path, source }) => Err(PrepareError::Write { path, source }),
    }
}

/// Opens each area as its jobs use it, and tries direct I/O before anything relies on it.
fn open_areas(
    contents: Contents<'_>,
    keepers: &[&ManagedFile],
    claimed: &[Claimed],
) -> Result<Vec<HeldArea>, PrepareError> {
    let plan = contents.plan;
    let mut areas = Vec::with_capacity(plan.areas.len());
    for (index, area) in plan.areas.iter().enumerate() {
        let writes = writes_to(plan, area);
        let access = os::Access::of(writes);
        let (verified, content) = match area.kind {
            AreaKind::ManagedFile | AreaKind::GivenFile => {
                let managed = keepers.iter().find(|managed| managed.path == area.path);
                let managed = managed.expect("each file of the plan was made, or locked for use");
                (open_managed(managed, access, plan.direct, area)?, contents.file(index, managed))
            }
            AreaKind::Imagined => unreachable!("an engine that touches targets has none that is imagined"),
            AreaKind::DeviceRead | AreaKind::DeviceDestroy => {
                (open_device(claimed, area, writes, plan.direct)?, contents.device(index, area))
            }
        };
        // Now, and not with the first I/O of the load: a refusal would count as an I/O of the device that
        // failed.
        if plan.direct {
            try_direct(&verified, area)?;
        }
        let path = area.path.clone();
        areas.push(HeldArea { path, verified, access, direct: plan.direct, content });
    }
    Ok(areas)
}

/// Opens a managed file a second time, without the page cache if `direct`.
///
/// The first handle has the lock and stays as it is: through the page cache, because headers are read and
/// written in memory that direct I/O would not accept.
fn open_managed(
    managed: &ManagedFile,
    access: os::Access,
    direct: bool,
    area: &Area,
) -> Result<File, PrepareError> {
    let file = managed.reopen(access, direct).map_err(open_error(&managed.path, direct))?;
    check_alignment(area, direct)?;
    Ok(file)
}

fn open_device(claimed: &[Claimed], area: &Area, writes: bool, direct: bool) -> Result<File, PrepareError> {
    let device = claimed.iter().find(|device| device.path() == area.path);
    let device = device.expect("each device of the plan was claimed");
    let file = device.open(writes, direct).map_err(open_error(&area.path, direct))?;
    check_alignment(area, direct)?;
    Ok(file)
}

/// Whether the sectors are as large as the plan takes them to be; a directory could not tell before it held
/// a file.
fn check_alignment(area: &Area, direct: bool) -> Result<(), PrepareError> {
    match os::direct_alignment(&area.path).filter(|_| direct) {
        Some(needed) if !area.sector_size.get().is_multiple_of(needed) => Err(PrepareError::Misaligned {
            path: area.path.clone(),
            needed: ByteSize::bytes(needed),
            planned: area.sector_size,
        }),
        _ => Ok(()),
    }
}

/// Reads one sector of the area as the load will.
fn try_direct(file: &File, area: &Area) -> Result<(), PrepareError> {
    let mut buffer = AlignedBuffer::new(area.sector_size.get().min(area.length.get()));
    os::read_exact_at(file, buffer.as_mut_slice(), area.offset.get()).map_err(open_error(&area.path, true))
}

fn writes_to(plan: &Plan, area: &Area) -> bool {
    // Any job: areas are shared, and one of them that writes needs a handle that may.
    let writers = plan.jobs.iter().filter(|job| job.writes());
    writers.flat_map(|job| &job.areas).any(|index| plan.areas[*index] == *area)
}

/// What is written to the areas of a plan.
#[derive(Clone, Copy)]
struct Contents<'p> {
    run: RunId,
    plan: &'p Plan,
}

impl Contents<'_> {
    /// What a managed file holds from its header on, whichever run laid it out.
    fn file(self, index: usize, managed: &ManagedFile) -> Content {
        let first_byte = FILE_HEADER_SIZE.get();
        self.stamped(index, first_byte).unwrap_or_else(|| Content::new(managed.header.fill_seed, first_byte))
    }

    /// What this plan puts on its slice of a device.
    fn device(self, index: usize, area: &Area) -> Content {
        let first_byte = area.offset.get();
        self.stamped(index, first_byte)
            .unwrap_or_else(|| Content::new(fill_seed(self.plan, area), first_byte))
    }

    fn stamped(self, index: usize, first_byte: u64) -> Option<Content> {
        // The half of the id that is drawn: the other one is the time, and hosts may begin at the same moment.
        let run = u64::from_le_bytes(self.run[8..].try_into().expect("half of sixteen bytes"));
        let area = u16::try_from(index).expect("a plan has few areas");
        self.plan.verified.then(|| Content::stamped(run, area, first_byte))
    }
}

/// Differs between the areas of a plan, and between hosts on one array that run the same plan: otherwise
/// their data would be equal, and storage that deduplicates would keep it once.
fn fill_seed(plan: &Plan, area: &Area) -> u64 {
    let mut digest = Sha256::new();
    digest.update(plan.seed.to_le_bytes());
    digest.update(area.offset.get().to_le_bytes());
    digest.update(host::host_id().as_bytes());
    // Ends the id, so that no id and path run into each other and mean another pair.
    digest.update([0]);
    digest.update(area.path.as_os_str().as_encoded_bytes());
    u64::from_le_bytes(digest.finalize()[..8].try_into().expect("a slice of 8 bytes"))
}

/// `EINVAL` of an open or a first read with `O_DIRECT` is the file system's way to say that it has none.
fn open_error(path: &Path, direct: bool) -> impl FnOnce(io::Error) -> PrepareError {
    move |source| match source.kind() {
        io::ErrorKind::InvalidInput if direct => {
            PrepareError::DirectRefused { path: path.to_owned(), source }
        }
        _ => PrepareError::File { what: "open", path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};

    use iotrial_model::plan::{EngineKind, PlanRequest};
    use iotrial_model::profile::Profile;

    use super::super::held::NO_FLAGS;
    use super::super::probe::probe;
    use super::*;

    const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "mine"
title = "Mine"
schedule = { ramp = "30s", duration = "300s" }
quick = { size = "24MiB", ramp = "5s", duration = "30s" }
[[job]]
name = "data"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
numjobs = 2
iodepth = 8
size = "20GiB"
[[job]]
name = "scan"
role = "scan"
pattern = "sequential"
rwmix_read_percent = 100
block_size = "64KiB"
numjobs = 1
iodepth = 4
size = "10GiB"
"#;

    fn plan(targets: &[ProbedTarget], direct: bool, seed: u64) -> Plan {
        let request =
            PlanRequest { direct, seed, cpu_count: 2, ..PlanRequest::of_engine(EngineKind::Threads) };
        let facts: Vec<_> = targets.iter().map(|target| target.facts.clone()).collect();
        Plan::decide(&Profile::parse(PROFILE).unwrap(), &request, &facts).unwrap()
    }

    fn layout_of(directory: &Path, direct: bool) -> (Prepared, Plan) {
        let targets = [probe(directory, None, &[]).unwrap()];
        let plan = plan(&targets, direct, 1);
        (prepare([0; 16], &plan, &targets, &|_, _| (), &|| false).unwrap(), plan)
    }

    /// Temporary files of most systems lie on a file system that knows direct I/O; the suite itself needs it.
    fn place() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn files_are_whole_after_preparing_and_no_page_repeats() {
        for direct in [true, false] {
            let place = place();
            let (prepared, plan) = layout_of(&place.path().join("new"), direct);
            assert_eq!(prepared.layout.unwrap().written, plan.areas.iter().map(|area| area.length).sum());
            let mut pages = HashSet::new();
            for area in &plan.areas {
                let data = fs::read(&area.path).unwrap();
                assert_eq!(data.len() as u64, (area.offset + area.length).get());
                for page in data[1 << 20..].chunks(4096) {
                    assert!(pages.insert(page.to_vec()), "a page repeats");
                }
                let Found::Managed(file) = ManagedFile::find(&area.path, false).unwrap() else {
                    panic!("no header")
                };
                assert!(file.is_whole().unwrap());
            }
            assert_eq!(prepared.made_files().count(), 2);
            prepared.remove_made().unwrap();
            assert!(!place.path().join("new").exists(), "the directory was made by this run");
        }
    }

    #[test]
    fn whole_files_are_used_again_and_keep_their_data() {
        let place = place();
        let (first, plan) = layout_of(place.path(), true);
        let before = fs::read(&plan.areas[0].path).unwrap();
        first.keep_made();
        let targets = [probe(place.path(), None, &[]).unwrap()];
        let again =
            super::prepare([0; 16], &self::plan(&targets, true, 2), &targets, &|_, _| (), &|| false).unwrap();
        let layout = again.layout.unwrap();
        let data = plan.areas.iter().map(|area| area.length).sum();
        assert_eq!((layout.written, layout.reused), (ByteSize::default(), data));
        assert_eq!(again.made_files().count(), 0);
        again.remove_made().unwrap();
        assert_eq!(fs::read(&plan.areas[0].path).unwrap(), before, "kept files are not removed");
    }

    #[test]
    fn stopping_leaves_nothing_behind() {
        let place = place();
        let directory = place.path().join("new");
        let targets = [probe(&directory, None, &[]).unwrap()];
        let plan = plan(&targets, true, 1);
        for limit in [0, 3 << 20] {
            let written = AtomicU64::new(0);
            let progress = |done, _| {
                written.fetch_max(done, Ordering::Relaxed);
            };
            let stop = || written.load(Ordering::Relaxed) >= limit;
            let error = prepare([0; 16], &plan, &targets, &progress, &stop).unwrap_err();
            assert!(matches!(error, PrepareError::Interrupted), "{error}");
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_file_that_no_job_writes_is_open_for_reading_only() {
        let place = place();
        let (prepared, plan) = layout_of(place.path(), false);
        assert_eq!(plan.jobs[1].areas, [1]);
        let files = prepared.areas.open(NO_FLAGS).unwrap();
        assert!(os::write_all_at(&files[1].file, &[0; 512], 1 << 20).is_err());
        os::write_all_at(&files[0].file, &[0; 512], 1 << 20).unwrap();
    }

    #[test]
    fn refused_direct_io_is_told_apart_from_other_failures() {
        let refused = |code, direct| {
            let error = open_error(Path::new("/a"), direct)(io::Error::from_raw_os_error(code));
            matches!(error, PrepareError::DirectRefused { .. })
                && error.hint().is_some_and(|hint| hint.contains("--buffered"))
        };
        let (invalid, denied) = os::expected::INVALID_AND_DENIED;
        assert!(refused(invalid, true) && !refused(invalid, false) && !refused(denied, true));
    }

    #[test]
    fn a_target_that_lost_what_was_written_is_told_and_a_healthy_one_is_not() {
        use std::fs::OpenOptions;

        let place = place();
        let (prepared, plan) = layout_of(place.path(), true);
        assert_eq!(prepared.damage(), None);
        // What a file system makes of a part that its device no longer has.
        let (path, length) = (&plan.areas[0].path, plan.areas[0].length.get());
        let file = OpenOptions::new().write(true).open(path).unwrap();
        os::write_all_at(
            &file,
            &vec![0; usize::try_from(length / 4).unwrap()],
            FILE_HEADER_SIZE.get() + length / 4 * 3,
        )
        .unwrap();
        file.sync_all().unwrap();
        let damage = prepared.damage().unwrap();
        assert!(damage.contains("of 64 pages") && damage.contains("hold zeros"), "{damage}");
        // And a part that is gone altogether.
        file.set_len(FILE_HEADER_SIZE.get() + length / 2).unwrap();
        assert!(
            prepared.damage().unwrap().contains("hold zeros and not")
                || prepared.damage().unwrap().contains("cannot be read back")
        );
    }

    #[test]
    fn a_directory_that_was_exchanged_for_another_one_since_the_probe_gets_no_files() {
        let place = place();
        let (directory, other) = (place.path().join("here"), place.path().join("there"));
        fs::create_dir(&directory).unwrap();
        fs::create_dir(&other).unwrap();
        let targets = [probe(&directory, None, &[]).unwrap()];
        let plan = plan(&targets, true, 1);
        fs::rename(&directory, place.path().join("away")).unwrap();
        fs::rename(&other, &directory).unwrap();
        let error = prepare([0; 16], &plan, &targets, &|_, _| (), &|| false).unwrap_err();
        assert!(matches!(error, PrepareError::Exchanged { .. }), "{error}");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_was_taken_in_between_is_another_runs_or_somebody_elses() {
        let place = place();
        let directory = Arc::new(Directory::open(&place.path().canonicalize().unwrap()).unwrap());
        let refused = |name: &str| taken(&directory, OsStr::new(name), &place.path().join(name));
        let header = Header { run: [0; 16], data_size: ByteSize::MIB, fill_seed: 0, state: State::Filling };
        let other = ManagedFile::make(&directory, OsStr::new("ours"), header).unwrap();
        assert!(matches!(refused("ours"), PrepareError::InUse { .. }));
        drop(other);
        // Made and removed again by the other run.
        assert!(matches!(refused("gone"), PrepareError::InUse { .. }));
        fs::write(place.path().join("theirs"), "mine").unwrap();
        assert!(matches!(refused("theirs"), PrepareError::NotOurs { .. }));
    }

    #[test]
    fn a_plan_that_makes_one_file_twice_is_refused() {
        let (place, other) = (place(), place());
        let targets = [place.path(), other.path()].map(|path| probe(path, None, &[]).unwrap());
        let mut plan = plan(&targets, true, 1);
        plan.areas[1].path = plan.areas[0].path.clone();
        let error = prepare([0; 16], &plan, &targets, &|_, _| (), &|| false).unwrap_err();
        assert!(matches!(error, PrepareError::MadeTwice { .. }), "{error}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
