//! A cut on purpose: the writer that is armed for it, the journal that outlives it, and the check after it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use iotrial_analysis::crash::{ArmAnswer, CrashAnswer, decide, judge_armed};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_engine::crash::journal::{
    Entry, Journal, JournalError, Lines, acknowledgement, claims_to_be_an_entry,
};
use iotrial_engine::crash::{
    CheckCrashError, JournalSink, WriteError, Written, check_crash, open_to_check, write_until_stopped,
};
use iotrial_engine::targets::{self, PrepareError, RunId, devices_below};
use iotrial_measure::control::Control;
use iotrial_model::crash::{Armed, CutKind};
use iotrial_model::given_target::GivenTarget;
use iotrial_model::load::Durability;
use iotrial_model::plan::{AreaKind, EngineKind};
use iotrial_model::profile::Profile;
use iotrial_model::record::BlockDevice;
use iotrial_model::units::{ByteSize, duration_in_words, group_thousands};
use ulid::Ulid;

use crate::atomic_file::{Existing, WriteFileError, create, folder_of};
use crate::bounded_file::{Pipes, ReadFileError, open_to_read};
use crate::fault::Fault;
use crate::judged_profile::JudgedProfile;
use crate::observer::Observer;
use crate::read_files;
use crate::request::{Aim, LoadRequest, RigRequest};
use crate::setup::{Setup, SetupError};
use crate::wall_clock::now;

/// How often the observer hears how far the writer is.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// What the writer is asked for.
#[derive(Debug, Clone)]
pub struct ArmRequest {
    /// A directory, or a raw device with its token.
    pub target: PathBuf,
    /// Of the file; `None` is 1 GiB, or less where there is less.
    pub size: Option<ByteSize>,
    /// One write: 4, 8 or 16 KiB.
    pub page: ByteSize,
    /// At most this many writes between two flushes; 1 to 65,536.
    pub flush_every: u64,
    /// With [`Durability::Dsync`] each write is durable by itself; otherwise there is a flush behind each batch.
    pub durability: Durability,
    /// Writes so long; `None` is until it is stopped or cut.
    pub duration: Option<Duration>,
    /// Storage from which nothing comes back for eight times so long hangs; more than zero.
    pub io_deadline: Duration,
    /// The token that releases a raw device.
    pub destroy: Vec<String>,
    /// Where records are kept, whose device is never written to.
    pub store: Option<PathBuf>,
}

/// Where the journal is kept.
pub enum JournalPlace<'j> {
    /// In a new file, which must be on another device than the target.
    File(&'j Path),
    /// By somebody else, who answers for its safety.
    Keeper(&'j mut dyn JournalSink),
}

/// Why a cut cannot be prepared or checked.
#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    /// The target cannot be one.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The target cannot be filled.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Writing cannot go on.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The target is a file that an earlier run left, whose pages carry no stamps of this run.
    #[error("`{}` was made by an earlier run", path.display())]
    GivenFile {
        /// As it was given.
        path: PathBuf,
    },
    /// The journal would be lost together with what it promises.
    #[error("the journal `{}` and the target `{}` are both on {}", journal.display(), target.display(), device)]
    SameDevice {
        /// As it was given.
        journal: PathBuf,
        /// With links resolved.
        target: PathBuf,
        /// Kernel name of the device, or «one file system».
        device: String,
    },
    /// A file of that name is there, or it cannot be made.
    #[error("cannot make the journal")]
    MakeJournal(#[source] WriteFileError),
    /// It cannot be opened.
    #[error("cannot open the journal `{}`", path.display())]
    OpenJournal {
        /// As it was given.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ReadFileError,
    },
    /// It is not one, or a damaged one.
    #[error("cannot use the journal `{}`", path.display())]
    Journal {
        /// As it was given.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: JournalError,
    },
    /// The target cannot be compared.
    #[error(transparent)]
    Check(#[from] CheckCrashError),
    /// What the command sends is damaged on its way.
    #[error("an entry arrived damaged: `{line}`")]
    DamagedEntry {
        /// As it arrived.
        line: String,
    },
    /// The journal takes no entry, or the command no answer.
    #[error("cannot keep an entry of the journal")]
    Keep(#[source] io::Error),
}

impl Fault for CrashError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Setup(error) => error.is_of_input(),
            Self::GivenFile { .. }
            | Self::SameDevice { .. }
            | Self::MakeJournal(_)
            | Self::OpenJournal { .. }
            | Self::Journal { .. } => true,
            Self::Check(error) => !matches!(error, CheckCrashError::Open { .. }),
            Self::Prepare(_) | Self::Write(_) | Self::DamagedEntry { .. } | Self::Keep(_) => false,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Setup(error) => return error.hint(),
            Self::Prepare(error) => return error.hint(),
            Self::Write(WriteError::Journal(_)) => {
                "what the journal has by now can still be checked: nothing was written beyond it"
            }
            Self::Write(_) | Self::Keep(_) => return None,
            Self::GivenFile { .. } => "give its directory instead, and iotrial makes a file in it",
            Self::SameDevice { .. } => {
                "give a journal on another disk, or keep it on another host: `iotrial verify crash keep FILE -- ssh HOST iotrial verify crash arm … --journal -`"
            }
            Self::MakeJournal(_) => {
                "a journal is never overwritten: give another name, in a folder that exists"
            }
            Self::OpenJournal { .. } => "give the file that --journal named, or - for standard input",
            Self::Journal { source, .. } => match source {
                JournalError::Empty | JournalError::NothingPromised => {
                    "arm again, and wait until it says that it writes"
                }
                JournalError::Newer { .. } => "use the version of iotrial that wrote it",
                JournalError::Foreign => "give the file that `iotrial verify crash arm --journal` named",
                JournalError::Damaged { .. } | JournalError::Contradicts { .. } => {
                    "a cut damages only the last entry: this file was changed, or its own disk loses data"
                }
                JournalError::Read(_) => return None,
            },
            Self::Check(error) => match error {
                CheckCrashError::Missing { .. } | CheckCrashError::AnotherKind { .. } => {
                    "mount it where it was, or say where it is now with --target"
                }
                CheckCrashError::AnotherRun { .. } => {
                    "give the journal of the last `iotrial verify crash arm` there"
                }
                CheckCrashError::NothingOfRun { .. } => {
                    "give the right one with --target; if this is the right one, name it with --target all the same, and all of it counts as lost"
                }
                CheckCrashError::TooShort { .. } => {
                    "if nobody cut it off, the file system lost its end with the cut: check the file system first"
                }
                CheckCrashError::InUse { .. } => {
                    "stop `iotrial verify crash arm` there, or wait until it has ended"
                }
                CheckCrashError::NoRun { .. } | CheckCrashError::Open { .. } => return None,
            },
            Self::DamagedEntry { .. } => {
                "connect without a terminal (ssh -T), so that nothing changes the lines"
            }
        };
        Some(hint.to_owned())
    }
}

/// The load, of which only the file and the size of its pages count.
fn profile(page: ByteSize) -> Profile {
    let text = format!(
        "format = \"iotrial.profile/1\"\nname = \"crash\"\ntitle = \"Pages and flushes until a cut\"\nclosed = true\n\
         schedule = {{ duration = \"60s\" }}\nquick = {{ size = \"1GiB\", duration = \"60s\" }}\n[[job]]\nname = \"crash\"\n\
         role = \"data\"\npattern = \"random\"\nrwmix_read_percent = 0\nblock_size = \"{}B\"\niodepth = 8\nsize = \"1GiB\"\n",
        page.get()
    );
    Profile::parse(&text).expect("it is the same for all, but for its page")
}

/// Fills the target, and writes with a journal until `control` stops it, the time is over or the storage fails. `None` where it was stopped before
/// the first write. What was written stays, to be checked.
///
/// # Errors
///
/// When the target or the journal cannot be had, or the journal takes no more entries.
pub fn arm(
    request: &ArmRequest,
    journal: JournalPlace<'_>,
    control: &Arc<Control>,
    observer: &dyn Observer,
) -> Result<Option<ArmAnswer>, CrashError> {
    // Nothing is judged by it: how fast the writes are is no question.
    let thresholds = ThresholdSet::builtin("flash").expect("it is built in");
    let load = JudgedProfile { profile: profile(request.page), thresholds };
    let asked = LoadRequest {
        size: request.size,
        aim: Aim::Figures,
        rig: RigRequest {
            targets: vec![GivenTarget::for_all(&request.target)],
            engine: Some(EngineKind::Threads),
            destroy: request.destroy.clone(),
            store: request.store.clone(),
            ..RigRequest::default()
        },
        ..LoadRequest::default()
    };
    let mut setup = Setup::new(load, &asked)?;
    (setup.plan.verified, setup.plan.io_deadline) = (true, Some(request.io_deadline));
    let [area] = setup.plan.areas.as_slice() else { unreachable!("one job has one area on one target") };
    let area = area.clone();
    if area.kind == AreaKind::GivenFile {
        return Err(CrashError::GivenFile { path: area.path });
    }
    let target = &setup.probed[0].record;
    let mut file_sink;
    let sink: &mut dyn JournalSink = match journal {
        JournalPlace::Keeper(sink) => sink,
        JournalPlace::File(path) => {
            file_sink = FileSink::beside(path, &area.path, &target.devices, observer)?;
            &mut file_sink
        }
    };
    let run = Ulid::generate();
    let size = setup.layout.written;
    let file = area.path.display();
    observer.say(&format!("writes {size} to `{file}` first, which stays until `iotrial clean` removes it"));
    let progress = |done, total| observer.layout(done, total);
    let prepared =
        targets::prepare(run.to_bytes(), &setup.plan, &setup.probed, &progress, &|| control.is_stopping());
    observer.finish();
    let mut prepared = match prepared {
        Err(PrepareError::Interrupted) => return Ok(None),
        other => other?,
    };
    let armed = Armed {
        run: run.to_string(),
        key: u64::from_le_bytes(run.to_bytes()[8..].try_into().expect("half of sixteen bytes"))
            .rotate_left(17),
        page_bytes: request.page.get(),
        pages: area.length.get() / request.page.get(),
        first_byte: area.offset.get(),
        flush_every: request.flush_every,
        path: area.path.clone(),
        is_device: area.kind == AreaKind::DeviceDestroy,
        devices: target.devices.clone(),
        host: iotrial_host::machine::machine().name,
        boot_id: boot_id(),
        started_at: now().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    // From here on somebody may count on it.
    prepared.keep();
    let end = request.duration.map(|duration| Instant::now() + duration);
    let (mut told, mut is_over) = (Instant::now(), false);
    let count = |count: u64| group_thousands(&count.to_string());
    let until = request.duration.map_or_else(
        || "until it is cut or stopped".to_owned(),
        |duration| format!("for {}", duration_in_words(duration)),
    );
    observer.say(&format!(
        "writes pages of {} with a flush after at most {} of them, {until}: cut now",
        request.page, request.flush_every
    ));
    let mut over = |written: Written| {
        // Whoever stopped it before its time did not wait for it.
        if end.is_some_and(|end| Instant::now() >= end) && !control.is_stopping() {
            is_over = true;
            control.stop();
        }
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            let Written { flushed_writes, flushes } = written;
            observer.say(&format!(
                "{} writes are flushed, in {} flushes",
                count(flushed_writes),
                count(flushes)
            ));
        }
    };
    let run = write_until_stopped(
        &prepared.areas,
        &armed,
        request.durability,
        request.io_deadline,
        sink,
        control,
        &mut over,
    )?;
    Ok(Some(judge_armed(run, !is_over)))
}

/// A journal in a file.
struct FileSink(File);

impl FileSink {
    /// Makes the file, if it is on another device than the target.
    fn beside(
        path: &Path,
        target: &Path,
        devices: &[BlockDevice],
        observer: &dyn Observer,
    ) -> Result<Self, CrashError> {
        let (is_in_memory, is_seen) = Self::is_apart(path, target, devices)?;
        if is_in_memory {
            observer.warn("warning: the journal is in main memory, and is lost if this host is cut");
        } else if !is_seen {
            observer.warn("warning: it cannot be seen whether journal and target are on different devices");
        }
        Self::make(path)
    }

    /// Whether a file is in main memory, and whether the devices of both can be seen; an error where it is on one with the target.
    fn is_apart(path: &Path, target: &Path, devices: &[BlockDevice]) -> Result<(bool, bool), CrashError> {
        let folder = folder_of(path);
        let (own, is_in_memory) =
            devices_below(&fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()));
        let is_seen = !devices.is_empty() && !own.is_empty();
        let of_both =
            || (!is_seen && is_one_file_system(folder, target)).then(|| "one file system".to_owned());
        match shared_leaf(devices, &own).or_else(of_both) {
            Some(device) => {
                let (journal, target) = (path.to_owned(), target.to_owned());
                Err(CrashError::SameDevice { journal, target, device })
            }
            None => Ok((is_in_memory, is_seen)),
        }
    }

    fn make(path: &Path) -> Result<Self, CrashError> {
        create(path, Existing::Kept).map(Self).map_err(CrashError::MakeJournal)
    }
}

impl JournalSink for FileSink {
    fn keep(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(line.as_bytes())?;
        self.0.sync_data()
    }
}

/// The name of a device that both stand on in the end; `None` where there is none, or it cannot be seen.
fn shared_leaf(one: &[BlockDevice], other: &[BlockDevice]) -> Option<String> {
    let leaves = |devices: &'_ [BlockDevice]| -> Vec<BlockDevice> {
        devices.iter().filter(|device| device.carried_by.is_empty()).cloned().collect()
    };
    let others = leaves(other);
    let is_same = |a: &BlockDevice, b: &BlockDevice| {
        // Namespaces of one NVMe controller have its serial number, and lose their power together.
        let is_one_controller = a.name.starts_with("nvme")
            && b.name.starts_with("nvme")
            && a.serial.is_some()
            && a.serial == b.serial;
        a.name == b.name || is_one_controller
    };
    leaves(one).into_iter().find(|one| others.iter().any(|other| is_same(one, other))).map(|one| one.name)
}

#[cfg(unix)]
fn is_one_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // The target may still have to be made.
    let device =
        |path: &Path| path.ancestors().find_map(|path| fs::metadata(path).ok()).map(|found| found.dev());
    device(one).is_some() && device(one) == device(other)
}

#[cfg(not(unix))]
fn is_one_file_system(_: &Path, _: &Path) -> bool {
    false
}

/// Differs after each start of the kernel.
fn boot_id() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Keeps the journal of a writer that runs elsewhere: each entry that it sends goes into a new file, is flushed, and is acknowledged. `other` gets all
/// lines that are no entries. Comes back when nothing is sent any more.
///
/// # Errors
///
/// When the file cannot be made or written, when an entry arrives damaged, or when the writer turns out to write to the device that holds the file.
pub fn keep(
    path: &Path,
    start: impl FnOnce() -> io::Result<(Box<dyn io::Read>, Box<dyn io::Write>)>,
    observer: &dyn Observer,
    other: &mut dyn FnMut(&str),
) -> Result<(), CrashError> {
    let mut file = FileSink::make(path)?;
    let (sent, mut answers) = start().map_err(CrashError::Keep)?;
    let mut sent = BufReader::new(sent);
    let mut lines = Lines::default();
    loop {
        let mut bytes = Vec::new();
        // Entries are far shorter; what is longer is passed on in pieces.
        let read = io::Read::take(&mut sent, 1 << 16).read_until(b'\n', &mut bytes);
        if read.map_err(CrashError::Keep)? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes);
        // A terminal on the way ends lines in its own way.
        let line = text.trim_end_matches(['\n', '\r']);
        let Some(entry) = lines.entry(line) else {
            if claims_to_be_an_entry(line) {
                return Err(CrashError::DamagedEntry { line: line.to_owned() });
            }
            other(line);
            continue;
        };
        if let Entry::Begin(armed) = &entry
            && armed.boot_id.is_some()
            && armed.boot_id == boot_id()
        {
            // On this very host, where the devices can be compared. The same rule as for a journal in a file.
            FileSink::is_apart(path, &armed.path, &armed.devices)?;
        }
        let kept = file.keep(&format!("{line}\n"));
        let answered = kept.and_then(|()| {
            answers.write_all(format!("{}\n", acknowledgement(line)).as_bytes())?;
            answers.flush()
        });
        // Whoever wrote is gone: the cut, most likely. What it still sent is kept.
        match answered {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            other => other.map_err(CrashError::Keep)?,
        }
        if matches!(entry, Entry::Begin(_)) {
            observer.say("the journal has begun");
        }
    }
}

/// Which journal, and what was cut.
#[derive(Debug, Clone)]
pub struct CrashCheckRequest {
    /// A file; `None` is standard input.
    pub journal: Option<PathBuf>,
    /// What was cut.
    pub cut: CutKind,
    /// Where the target is now; `None` is where the journal says.
    pub target: Option<PathBuf>,
    /// A read that does not come back within eight times so long hangs; more than zero.
    pub io_deadline: Duration,
}

/// Reads the target after a cut and compares it with its journal. Writes nothing.
///
/// # Errors
///
/// When the journal cannot be used, or the target is missing, in use or another one.
pub fn check(
    request: &CrashCheckRequest,
    control: &Control,
    observer: &dyn Observer,
) -> Result<CrashAnswer, CrashError> {
    let name = request.journal.clone().unwrap_or_else(|| "-".into());
    let source: Box<dyn BufRead> = match &request.journal {
        None => {
            read_files::note_standard_input();
            Box::new(io::stdin().lock())
        }
        Some(path) => {
            let opened = open_to_read(path, Pipes::Read)
                .map_err(|source| CrashError::OpenJournal { path: path.clone(), source })?;
            Box::new(BufReader::new(opened.file))
        }
    };
    let journal = Journal::read(source);
    let mut journal = journal.map_err(|source| CrashError::Journal { path: name, source })?;
    if let Some(target) = &request.target {
        journal.armed.path = fs::canonicalize(target).unwrap_or_else(|_| target.clone());
    }
    let run: RunId = Ulid::from_string(&journal.armed.run)
        .map_err(|_| CheckCrashError::NoRun { run: journal.armed.run.clone() })?
        .to_bytes();
    let mut target = open_to_check(&journal.armed, run)?;
    read_files::note(&target.file);
    // Whoever names the target says that it is the one.
    target.is_known |= request.target.is_some();
    let progress = |done, total| observer.comparing(done, total);
    let stop = || control.is_stopping();
    let checked = check_crash(&target, &journal, run, request.cut, request.io_deadline, &progress, &stop);
    observer.finish();
    let mut checked = checked?;
    let is_here = journal.armed.host == iotrial_host::machine::machine().name;
    let boots = journal.armed.boot_id.zip(boot_id()).filter(|_| is_here);
    checked.same_boot = boots.map(|(then, now)| then == now);
    Ok(decide(checked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, carried_by: &[&str], serial: Option<&str>) -> BlockDevice {
        BlockDevice {
            name: name.to_owned(),
            carried_by: carried_by.iter().map(|name| (*name).to_owned()).collect(),
            serial: serial.map(str::to_owned),
            ..BlockDevice::default()
        }
    }

    #[test]
    fn two_places_share_a_device_only_at_the_end_of_their_chains() {
        let lvm = [
            device("dm-0", &["sda2", "sdb1"], None),
            device("sda2", &["sda"], None),
            device("sdb1", &["sdb"], None),
            device("sda", &[], None),
            device("sdb", &[], None),
        ];
        let part = [device("sdb2", &["sdb"], None), device("sdb", &[], None)];
        let other = [device("sdc", &[], Some("1"))];
        assert_eq!(shared_leaf(&lvm, &part).as_deref(), Some("sdb"));
        assert_eq!(shared_leaf(&lvm, &other), None);
        assert_eq!(shared_leaf(&lvm, &[]), None);
        let namespaces = [
            device("nvme0n1", &[], Some("S1")),
            device("nvme0n2", &[], Some("S1")),
            device("nvme1n1", &[], Some("S2")),
        ];
        assert_eq!(shared_leaf(&namespaces[..1], &namespaces[1..2]).as_deref(), Some("nvme0n1"));
        assert_eq!(shared_leaf(&namespaces[..1], &namespaces[2..]), None);
        // Disks of a hypervisor that all have one number.
        assert_eq!(shared_leaf(&[device("sda", &[], Some("1"))], &[device("sdb", &[], Some("1"))]), None);
    }

    #[test]
    fn the_profile_is_one_for_each_size_of_pages() {
        for kib in [4, 8, 16] {
            assert_eq!(profile(ByteSize::kib(kib)).jobs.len(), 1);
        }
    }
}
