//! Raw devices on Linux.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use iotrial_measure::host;
use iotrial_model::plan::{TargetFacts, TargetKind};
use iotrial_model::record::TargetRecord;
use iotrial_model::units::ByteSize;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::super::in_use::{self, Footprint, Survey};
use super::super::obstacle::{Obstacle, Reason};
use super::super::os;
use super::super::prepare_error::PrepareError;
use super::super::probe::{ProbeError, ProbedTarget, Resolved, examine, resolve};
use super::super::sample::ContentSample;
use super::super::signature::Signature;
use super::token::token;
use super::{DeviceReport, Identity};
use iotrial_host::block::{Device, Kernel, Link};
use iotrial_host::number::Number;

/// What must still hold when the device is opened.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    identity: Identity,
    /// The right one, for this identity and content.
    token: Option<String>,
    protected: Vec<PathBuf>,
}

/// A device that was found to be the claimed one. If it was claimed for writing, nobody else can mount it,
/// use it in an array or claim it until this is dropped.
#[derive(Debug)]
pub(crate) struct Claimed {
    path: PathBuf,
    number: Number,
    identity: Identity,
    /// The disk of the device, and what that stands on, open with `O_EXCL` and locked. While a disk is held so, none of
    /// its partitions can be, so the partition needs no hold of its own (and could not have one).
    holds: Vec<File>,
}

impl Claimed {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the device once more for I/O.
    pub(crate) fn open(&self, writes: bool, direct: bool) -> io::Result<File> {
        let file = os::open_existing(&self.path, os::Access::of(writes), direct)?;
        // The node may have been replaced; the number is the device.
        if Number::of_metadata(&file.metadata()?) != Some(self.number) {
            return Err(io::Error::other("another device took its place"));
        }
        Ok(file)
    }

    /// The token for what is on the device now; `None` for one that is only read. Nobody else can have
    /// claimed it since it was given up.
    pub(crate) fn token_now(&self) -> io::Result<Option<String>> {
        if self.holds.is_empty() {
            return Ok(None);
        }
        let another = || io::Error::other("another device took its place");
        let device = Kernel::this().device(self.number).ok_or_else(another)?;
        let identity = identity(&device);
        if identity != self.identity {
            return Err(another());
        }
        let (signatures, content) = look(&self.path, &device, &identity, &|| false)?;
        Ok(Some(token(&host::host_id(), &identity, &signatures, &content)))
    }
}

/// Looks at the device at `path`, which has no links in it.
pub(crate) fn probe(
    path: PathBuf,
    destroy: Option<&str>,
    protected: &[PathBuf],
) -> Result<ProbedTarget, ProbeError> {
    let kernel = Kernel::this();
    let device = find(&kernel, &path)?;
    let identity = identity(&device);
    if identity.size.get() == 0 {
        let obstacles = vec![Obstacle { device: device.name(), reason: Reason::NoMedium }];
        return Err(ProbeError::Obstructed { path, obstacles });
    }
    // Whether it may be read at all is better said now than after a plan was made for it.
    examine(&path, os::open_existing(&path, os::Access::Read, false))?;
    if let Some(given) = destroy {
        let footprint = Footprint::of(&kernel, &device);
        let Survey { mut obstacles } = in_use::survey(&kernel, &footprint, protected);
        // Tried only where nothing else was found: that it is held says less than who holds it. The hold is
        // given back at once; the run takes its own.
        if obstacles.is_empty() {
            obstacles.extend(examine(&path, hold(&footprint, &path))?.err());
        }
        if !obstacles.is_empty() {
            return Err(ProbeError::Obstructed { path, obstacles });
        }
        let (signatures, content) = examine(&path, look(&path, &device, &identity, &|| false))?;
        if !is_token(given, &token(&host::host_id(), &identity, &signatures, &content)) {
            return Err(ProbeError::WrongToken { path });
        }
    }
    let sector_size = sector_size(&path, &device);
    let record = TargetRecord {
        path: path.display().to_string(),
        kind: "device".to_owned(),
        sector_size,
        in_memory: device.is_in_memory(),
        devices: kernel
            .chain(std::slice::from_ref(&device), &kernel.mounts())
            .iter()
            .map(Link::facts)
            .collect(),
        ..TargetRecord::default()
    };
    let kind = TargetKind::Device { size: identity.size, destroy: destroy.is_some() };
    let claim = Claim {
        path: path.clone(),
        identity,
        token: destroy.map(|given| given.trim().to_ascii_lowercase()),
        protected: protected.to_vec(),
    };
    Ok(ProbedTarget {
        facts: TargetFacts { path, roles: Vec::new(), kind, sector_size },
        record,
        claim: Some(claim),
        directory: None,
        is_there: true,
    })
}

pub(super) fn inspect(path: &Path, protected: &[PathBuf]) -> Result<DeviceReport, ProbeError> {
    let path = match resolve(path)? {
        Resolved::Existing(path) => path,
        Resolved::ToBeMade { path, .. } => return Err(ProbeError::NoSuchDevice { path }),
    };
    let metadata = examine(&path, fs::symlink_metadata(&path))?;
    if !os::is_block_device(&metadata) {
        return Err(ProbeError::NotADevice { path, what: os::kind_of(&metadata) });
    }
    let kernel = Kernel::this();
    let device = find(&kernel, &path)?;
    let identity = identity(&device);
    let footprint = Footprint::of(&kernel, &device);
    let Survey { mut obstacles } = in_use::survey(&kernel, &footprint, protected);
    if obstacles.is_empty() {
        obstacles.extend(examine(&path, hold(&footprint, &path))?.err());
    }
    let (signatures, content) = examine(&path, look(&path, &device, &identity, &|| false))?;
    let token = obstacles.is_empty().then(|| token(&host::host_id(), &identity, &signatures, &content));
    let facts = device.facts();
    Ok(DeviceReport {
        name: facts.name,
        model: facts.model,
        serial: identity.serial,
        size: identity.size,
        sector_size: sector_size(&path, &device),
        path,
        obstacles,
        signatures,
        content,
        token,
    })
}

/// Holds the device, and asks everything again that the token was given for: between the two, minutes may
/// have passed. A device that is only read is not held; reading harms nobody.
pub(crate) fn claim(
    claim: &Claim,
    writes: bool,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Claimed, PrepareError> {
    let path = &claim.path;
    let failed = |what: &'static str| move |source| PrepareError::File { what, path: path.clone(), source };
    let changed = |what: String| PrepareError::Changed { path: path.clone(), what };
    let gone = || changed("it is gone".to_owned());
    let kernel = Kernel::this();
    let device = Number::of_device(path).and_then(|number| kernel.device(number)).ok_or_else(gone)?;
    if let Some(what) = identity(&device).changed_since(&claim.identity) {
        return Err(changed(what));
    }
    let number = device.number;
    if !writes {
        let identity = claim.identity.clone();
        return Ok(Claimed { path: path.clone(), number, identity, holds: Vec::new() });
    }
    let Some(token) = &claim.token else { return Err(PrepareError::NoToken { path: path.clone() }) };

    let obstructed = |obstacles| PrepareError::Obstructed { path: path.clone(), obstacles };
    let footprint = Footprint::of(&kernel, &device);
    let survey = in_use::survey(&kernel, &footprint, &claim.protected);
    if !survey.obstacles.is_empty() {
        return Err(obstructed(survey.obstacles));
    }
    let holds = hold(&footprint, path).map_err(failed("open"))?.map_err(|held| obstructed(vec![held]))?;

    // From here on the device cannot be taken away under its number, nor be mounted. All that was true
    // before has to be true still.
    if let Some(what) = identity(&device).changed_since(&claim.identity) {
        return Err(changed(what));
    }
    // With a footprint of its own: a partition may have been made since.
    let survey = in_use::survey(&kernel, &Footprint::of(&kernel, &device), &claim.protected);
    if !survey.obstacles.is_empty() {
        return Err(obstructed(survey.obstacles));
    }
    let identity = claim.identity.clone();
    let claimed = Claimed { path: path.clone(), number, identity, holds };
    let (signatures, content) = look(path, &device, &claim.identity, stop).map_err(|source| {
        // Sampling a disk that turns takes a minute.
        if stop() { PrepareError::Interrupted } else { failed("read")(source) }
    })?;
    if !is_token(token, &super::token::token(&host::host_id(), &claim.identity, &signatures, &content)) {
        return Err(changed("its content is different".to_owned()));
    }
    Ok(claimed)
}

fn find(kernel: &Kernel, path: &Path) -> Result<Device, ProbeError> {
    let device = Number::of_device(path).and_then(|number| kernel.device(number));
    device.ok_or_else(|| ProbeError::NoSuchDevice { path: path.to_owned() })
}

fn identity(device: &Device) -> Identity {
    Identity {
        number: device.number.to_string(),
        serial: device.serial(),
        size: device.size().unwrap_or_default(),
        diskseq: device.diskseq(),
    }
}

fn sector_size(path: &Path, device: &Device) -> ByteSize {
    let told = os::direct_alignment(path).or_else(|| device.logical_block_size());
    ByteSize::bytes(told.unwrap_or(4096))
}

/// People copy tokens with blanks around them, and read them aloud.
fn is_token(given: &str, expected: &str) -> bool {
    given.trim().eq_ignore_ascii_case(expected)
}

/// Opens every disk of the footprint exclusively, with a BSD lock on each; the obstacle where that is refused.
fn hold(footprint: &Footprint, path: &Path) -> io::Result<Result<Vec<File>, Obstacle>> {
    let mut holds = Vec::new();
    for disk in footprint.disks() {
        let target = &footprint.devices[0];
        let node = if disk == target { path.to_owned() } else { Path::new("/dev").join(disk.name()) };
        // On a block device O_EXCL means an exclusive hold, which mounts, arrays and swap take as well
        // (open(2)). It needs no right to write.
        let flags = (OFlags::EXCL | OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        match File::options().read(true).custom_flags(flags).open(&node) {
            Ok(file) if Number::of_metadata(&file.metadata()?) == Some(disk.number) => {
                // What keeps udev from looking at the disk in the middle of a load, and `mkfs --lock`, `wipefs --lock` and systemd-repart
                // from writing to it: <https://systemd.io/BLOCK_DEVICE_LOCKING>. Where somebody has a lock it has the disk open, and was
                // found by that; a kernel or a driver without locks keeps nobody from a load.
                let _ = os::lock(&file);
                holds.push(file);
            }
            Ok(_) => return Err(io::Error::other(format!("`{}` is another device", node.display()))),
            Err(error) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => {
                return Ok(Err(Obstacle { device: disk.name(), reason: Reason::Held }));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Ok(holds))
}

/// Reads the marks and the sample past the page cache, as they are on the device.
fn look(
    path: &Path,
    device: &Device,
    identity: &Identity,
    stop: &(dyn Fn() -> bool + Sync),
) -> io::Result<(Vec<Signature>, ContentSample)> {
    let file = match os::open_existing(path, os::Access::Read, true) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            os::open_existing(path, os::Access::Read, false)?
        }
        opened => opened?,
    };
    if Number::of_metadata(&file.metadata()?) != Some(device.number) {
        return Err(io::Error::other("another device took its place"));
    }
    super::look::look(&file, identity, stop)
}
