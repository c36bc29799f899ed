//! Finds out whether a block device is in use, by a walk through `/sys` and `/proc`.
//!
//! No single source knows it all. `O_EXCL` misses a plain open by a database and a loop device on top; the
//! mount table misses other namespaces; `/proc/PID/fd` misses the kernel. So all are asked, for everything
//! that shares bytes with the target: its disk, all partitions of it, and what a loop device stands on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags};
use rustix::io::Errno;

use super::loop_device::{self, Backing};
use super::obstacle::{Obstacle, Reason};
use iotrial_host::block::{Device, Kernel};
use iotrial_host::mounts::{self, Mount};
use iotrial_host::number::Number;

/// Whatever lies under one of them is the running system.
const SYSTEM_PLACES: [&str; 5] = ["/", "/boot", "/boot/efi", "/usr", "/var"];

/// Everything that shares bytes with a device.
#[derive(Debug)]
pub(crate) struct Footprint {
    /// The target first, then its disk, the partitions of that, and so on down through loop devices.
    pub(crate) devices: Vec<Device>,
    /// The files behind loop devices among them, by device and inode.
    files: Vec<(u64, u64)>,
}

impl Footprint {
    pub(crate) fn of(kernel: &Kernel, target: &Device) -> Self {
        let mut footprint = Self { devices: vec![target.clone()], files: Vec::new() };
        footprint.add_family(kernel, &target.whole_disk());
        footprint
    }

    fn add_family(&mut self, kernel: &Kernel, disk: &Device) {
        for device in std::iter::once(disk.clone()).chain(disk.partitions()) {
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
        // A disk that is in the footprint already is not entered again, so that the walk ends whatever the
        // kernel shows.
        match loop_device::backing(disk) {
            Some(Backing::Device(number)) if self.get(number).is_none() => {
                if let Some(below) = kernel.device(number) {
                    self.add_family(kernel, &below.whole_disk());
                }
            }
            Some(Backing::File(device, inode)) => self.files.push((device, inode)),
            Some(Backing::Device(_)) | None => {}
        }
    }

    fn get(&self, number: Number) -> Option<&Device> {
        self.devices.iter().find(|device| device.number == number)
    }

    /// The disks in it, each of which can be held exclusively.
    pub(crate) fn disks(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(|device| !device.is_partition())
    }
}

/// What stands against writing, what could not be looked at among it.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) obstacles: Vec<Obstacle>,
}

/// Everything but [`Reason::Held`], which only opening can tell.
pub(crate) fn survey(kernel: &Kernel, footprint: &Footprint, protected: &[PathBuf]) -> Survey {
    // All of them, and not up to the first: whoever has to free the device wants to see everything that holds
    // it. What cannot be seen comes first, because it says how far the rest can be trusted.
    let mut survey = Survey::default();
    visible(kernel, footprint, &mut survey);
    state(footprint, &mut survey);
    system(kernel, footprint, protected, &mut survey);
    mounted(kernel, footprint, &mut survey);
    swap(kernel, footprint, &mut survey);
    stacked(kernel, footprint, &mut survey);
    processes(kernel, footprint, &mut survey);
    survey
}

impl Survey {
    fn add(&mut self, device: &Device, reason: Reason) {
        let obstacle = Obstacle { device: device.name(), reason };
        if !self.obstacles.contains(&obstacle) {
            self.obstacles.push(obstacle);
        }
    }
}

/// What cannot be seen must not pass for absent.
fn visible(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for source in [kernel.proc.join("self/mountinfo"), kernel.proc.join("self/fd"), kernel.sys.join("block")]
    {
        if fs::symlink_metadata(&source).is_err() {
            survey.add(&footprint.devices[0], Reason::Unseen { source });
        }
    }
    // The number of the first PID namespace is fixed (PROC_PID_INIT_INO of linux/proc_ns.h).
    let namespace = fs::read_link(kernel.proc.join("self/ns/pid")).unwrap_or_default();
    if namespace != Path::new("pid:[4026531836]") {
        survey.add(&footprint.devices[0], Reason::HiddenProcesses { by: "this is a container" });
    }
    let hides = |mount: &Mount| {
        mount.filesystem == "proc"
            && mount.super_option("hidepid").is_some_and(|value| value != "0" && value != "off")
    };
    if kernel.mounts().iter().any(hides) && !rustix::process::geteuid().is_root() {
        let by = "`/proc` hides those of other users (hidepid)";
        survey.add(&footprint.devices[0], Reason::HiddenProcesses { by });
    }
}

fn state(footprint: &Footprint, survey: &mut Survey) {
    let target = &footprint.devices[0];
    if target.size().is_none_or(|size| size.get() == 0) {
        survey.add(target, Reason::NoMedium);
    } else if target.is_read_only() || target.whole_disk().is_read_only() {
        survey.add(target, Reason::ReadOnly);
    }
}

/// The disks under the system, the current directory, the program itself and what the caller protects.
fn system(kernel: &Kernel, footprint: &Footprint, protected: &[PathBuf], survey: &mut Survey) {
    let mounts = kernel.mounts();
    let touched: BTreeSet<Number> = footprint
        .devices
        .iter()
        .flat_map(|device| kernel.below(device))
        .map(|device| device.number)
        .collect();
    let carried_by = |place: &Path| {
        let bottoms = kernel.devices_of_path(place, &mounts);
        let mut all = bottoms.iter().flat_map(|device| kernel.below_with_files(device, &mounts));
        all.find(|device| touched.contains(&device.number))
    };
    for place in SYSTEM_PLACES.map(PathBuf::from) {
        // One place is enough: the others mostly lie on the same disk, and nobody frees the system's.
        if let Some(device) = carried_by(&place) {
            return survey.add(&device, Reason::SystemDisk { place });
        }
    }
    let own = [std::env::current_dir(), std::env::current_exe()];
    for place in own.into_iter().flatten().chain(protected.iter().cloned()) {
        // The store may not be there yet; then the nearest directory above it tells the device.
        let existing = place.ancestors().find(|path| path.exists());
        if let Some(device) = existing.and_then(carried_by) {
            survey.add(&device, Reason::Protected { place });
        }
    }
}

fn mounted(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for mount in kernel.mounts() {
        for device in kernel.devices_of_mount(&mount) {
            if let Some(device) = footprint.get(device.number) {
                let mount_point = mount.mount_point.clone();
                survey.add(device, Reason::Mounted { mount_point });
            }
        }
    }
    for (uuid, members) in kernel.btrfs_members() {
        for device in members.iter().filter_map(|member| footprint.get(member.number)) {
            survey.add(device, Reason::BtrfsMember { uuid: uuid.clone() });
        }
    }
}

fn swap(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    let text = fs::read(kernel.proc.join("swaps")).unwrap_or_default();
    for path in swap_paths(&text) {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        // The device that is swapped to, or the one whose file system holds the file.
        let number = Number::of_metadata(&metadata).unwrap_or(Number::from_dev(metadata.dev()));
        if let Some(device) = footprint.get(number) {
            survey.add(device, Reason::Swap);
        } else if footprint.files.contains(&(metadata.dev(), metadata.ino())) {
            survey.add(&footprint.devices[0], Reason::Swap);
        }
    }
}

/// The paths in `/proc/swaps`: after a line of headers, the first field of each line.
fn swap_paths(swaps: &[u8]) -> Vec<PathBuf> {
    let lines = swaps.split(|byte| *byte == b'\n').skip(1);
    let fields = lines.filter_map(|line| line.split(|byte| byte.is_ascii_whitespace()).next());
    fields.filter(|field| field.starts_with(b"/")).map(|field| mounts::unescape(field).into()).collect()
}

/// Holders, and loop devices that show the same device or file.
fn stacked(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for device in &footprint.devices {
        for holder in device.holders() {
            survey.add(device, Reason::Stacked { by: holder.name() });
        }
    }
    for other in kernel.disks() {
        if footprint.get(other.number).is_some() {
            continue;
        }
        // A loop device takes no exclusive hold of what it shows, so that no holder and no refused open tells
        // of it.
        let shown = match loop_device::backing(&other) {
            Some(Backing::Device(number)) => footprint.get(number),
            Some(Backing::File(device, inode)) => {
                footprint.files.contains(&(device, inode)).then(|| &footprint.devices[0])
            }
            None => None,
        };
        if let Some(device) = shown {
            survey.add(device, Reason::LoopBacking { by: other.name() });
        }
    }
}

/// What other processes hold, and mounts that only they see.
fn processes(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    let own_pid = std::process::id();
    let mut namespaces = BTreeSet::from([fs::read_link(kernel.proc.join("self/ns/mnt")).unwrap_or_default()]);
    let mut unreadable = 0;
    let mut mappings = Mappings::default();
    // Without this process, which has the device open itself while it looks.
    for pid in pids(&kernel.proc).filter(|pid| *pid != own_pid) {
        let process = kernel.proc.join(pid.to_string());
        let name = || {
            let name = fs::read(process.join("comm")).unwrap_or_default();
            String::from_utf8_lossy(&name).trim_end().to_owned()
        };
        let mut found = |held: Held<'_>| match held {
            Held::Device(device) => survey.add(device, Reason::Open { process: name(), pid }),
            Held::UnderWay(count) => {
                survey.add(&footprint.devices[0], Reason::UnderWay { process: name(), pid, count });
            }
        };
        match held_by(&process, footprint, &mut mappings, &mut found) {
            Ok(()) => {}
            Err(error) if has_ended(&error) => continue,
            // Counted and not named: an ordinary user may not read any process of another one.
            Err(_) => unreadable += 1,
        }
        // One process of each mount namespace is enough: all in it see the same mounts.
        if fs::read_link(process.join("ns/mnt")).is_ok_and(|namespace| namespaces.insert(namespace)) {
            let mountinfo = fs::read(process.join("mountinfo")).unwrap_or_default();
            for mount in mounts::parse(&mountinfo) {
                if let Some(device) = footprint.get(mount.number) {
                    let mount_point = mount.mount_point;
                    survey.add(device, Reason::MountedElsewhere { mount_point, pid });
                }
            }
        }
    }
    if unreadable > 0 {
        survey.add(&footprint.devices[0], Reason::UnseenProcesses { count: unreadable });
    }
}

/// Something that a process holds.
enum Held<'f> {
    Device(&'f Device),
    /// So many descriptors in one of its sockets, which nobody has received yet.
    UnderWay(u64),
}

/// The mappings of files that were looked at, of whatever process: hundreds of them have the same libraries.
type Mappings = BTreeMap<(Vec<u8>, u64), bool>;

/// A process or thread that ended while it was looked at.
fn has_ended(error: &std::io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::NOENT | Errno::SRCH))
}

/// All that a process holds open or mapped of the footprint.
fn held_by<'f>(
    process: &Path,
    footprint: &'f Footprint,
    mappings: &mut Mappings,
    found: &mut dyn FnMut(Held<'f>),
) -> std::io::Result<()> {
    // By thread: each may have descriptors of its own (`CLONE_FILES`), and a process whose first thread has ended
    // shows none as its own.
    let mut has_maps = false;
    for task in fs::read_dir(process.join("task"))? {
        let task = task?.path();
        match fs::read_dir(task.join("fd")) {
            Ok(descriptors) => {
                for descriptor in descriptors.flatten() {
                    descriptor_holds(&task, &descriptor.path(), footprint, found);
                }
            }
            Err(error) if has_ended(&error) => continue,
            Err(error) => return Err(error),
        }
        // The memory is that of all threads, and the first that is still there shows it. Kernel threads have
        // none.
        // A process may keep its memory even from root, who then lacks CAP_SYS_PTRACE: the first one of a sandbox
        // does. Its descriptors are seen all the same, and to refuse every device for it would help nobody.
        if !has_maps && let Ok(maps) = fs::read(task.join("maps")) {
            has_maps = !maps.is_empty();
            mapped(process, &task, &maps, footprint, mappings, found);
        }
    }
    Ok(())
}

/// What a descriptor holds itself, and what it holds that has no descriptor.
fn descriptor_holds<'f>(
    task: &Path,
    descriptor: &Path,
    footprint: &'f Footprint,
    found: &mut dyn FnMut(Held<'f>),
) {
    if let Some(device) = leads_to(descriptor, footprint) {
        return found(Held::Device(device));
    }
    let leads = fs::read_link(descriptor).unwrap_or_default();
    let leads = leads.as_os_str().as_bytes();
    let info = || fs::read(task.join("fdinfo").join(descriptor.file_name().unwrap_or_default()));
    if leads.starts_with(b"socket:") {
        let count = info().ok().and_then(|info| under_way(&info)).unwrap_or_default();
        if count > 0 {
            found(Held::UnderWay(count));
        }
    } else if leads == b"anon_inode:[io_uring]" {
        for path in registered(&info().unwrap_or_default()) {
            if let Some(device) = leads_to(&path, footprint) {
                found(Held::Device(device));
            }
        }
    }
}

/// Descriptors that were sent into a socket and not received yet (`scm_fds` of proc_pid_fdinfo(5)).
fn under_way(info: &[u8]) -> Option<u64> {
    let value = info.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"scm_fds:"))?;
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// Files that a ring of io_uring keeps open after their descriptors were closed: `    0: /dev/sdb`.
fn registered(info: &[u8]) -> Vec<PathBuf> {
    let lines = info.split(|byte| *byte == b'\n');
    let paths = lines.filter_map(|line| {
        let at = line.windows(3).position(|part| part == b": /")?;
        line[..at]
            .trim_ascii()
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| mounts::unescape(&line[at + 2..]).into())
    });
    paths.collect()
}

/// Devices that are mapped into memory; the descriptor may be closed by then.
fn mapped<'f>(
    process: &Path,
    task: &Path,
    maps: &[u8],
    footprint: &'f Footprint,
    mappings: &mut Mappings,
    found: &mut dyn FnMut(Held<'f>),
) {
    for mapping in maps.split(|byte| *byte == b'\n').filter_map(Mapping::parse) {
        let key = (mapping.device.to_vec(), mapping.inode);
        if mappings.get(&key) == Some(&false) {
            continue;
        }
        // The link leads to the very file that is mapped. Without it, as for a process whose first thread has
        // ended, by the name, as that process sees it.
        let link = leads_to(&process.join("map_files").join(mapping.range()), footprint);
        let by_name = || leads_to(&task.join("root").join(mapping.path.strip_prefix("/").ok()?), footprint);
        let device = link.or_else(by_name);
        mappings.insert(key, device.is_some());
        if let Some(device) = device {
            found(Held::Device(device));
        }
    }
}

/// A line of `/proc/PID/maps` that shows a file.
#[derive(Debug, PartialEq)]
struct Mapping<'m> {
    start: &'m str,
    end: &'m str,
    /// Number of the file system, as it is written.
    device: &'m [u8],
    inode: u64,
    path: PathBuf,
}

impl<'m> Mapping<'m> {
    /// `7f12-7f34 rw-s 00000000 00:06 112    /dev/sdb`
    fn parse(line: &'m [u8]) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let start = rest.trim_ascii_start();
            let length = start.iter().position(|byte| *byte == b' ')?;
            let (field, after) = start.split_at(length);
            rest = after;
            Some(field)
        };
        let (start, end) = std::str::from_utf8(field()?).ok()?.split_once('-')?;
        let (_rights, _offset) = (field()?, field()?);
        let device = field()?;
        let inode = std::str::from_utf8(field()?).ok()?.parse().ok().filter(|inode| *inode != 0)?;
        Some(Self { start, end, device, inode, path: mounts::unescape(rest.trim_ascii_start()).into() })
    }

    /// As the link in `map_files` is called: without the zeros that fill up short addresses.
    fn range(&self) -> String {
        let plain = |address: &'m str| match address.trim_start_matches('0') {
            "" => "0",
            plain => plain,
        };
        format!("{}-{}", plain(self.start), plain(self.end))
    }
}

fn pids(proc: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse().ok())
}

/// The device to which a descriptor leads, directly or to the file behind it.
fn leads_to<'f>(descriptor: &Path, footprint: &'f Footprint) -> Option<&'f Device> {
    // What the kernel has in memory is enough; a server that does not answer must not hold us up.
    let flags = AtFlags::STATX_DONT_SYNC;
    let statx = rustix::fs::statx(CWD, descriptor, flags, StatxFlags::TYPE | StatxFlags::INO).ok()?;
    if FileType::from_raw_mode(statx.stx_mode.into()) == FileType::BlockDevice {
        return footprint.get(Number { major: statx.stx_rdev_major, minor: statx.stx_rdev_minor });
    }
    let file = (rustix::fs::makedev(statx.stx_dev_major, statx.stx_dev_minor), statx.stx_ino);
    footprint.files.contains(&file).then(|| &footprint.devices[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_paths_are_read_with_their_escapes_and_garbage_is_passed_over() {
        let text = b"Filename\tType\tSize\n/dev/vdb1   partition\t1\n/a\\040b file 2\n\nx y\n";
        assert_eq!(swap_paths(text), [Path::new("/dev/vdb1"), Path::new("/a b")]);
        assert!(swap_paths(b"").is_empty() && swap_paths(b"/only/a/header").is_empty());
    }

    #[test]
    fn a_kernel_that_shows_nothing_is_an_obstacle_and_not_a_free_device() {
        let Some(device) = Kernel::this().disks().pop() else {
            eprintln!("skipped: no disks");
            return;
        };
        let blind = Kernel::at("/nowhere", "/nowhere");
        let survey = survey(&blind, &Footprint::of(&blind, &device), &[]);
        let unseen = |obstacle: &&Obstacle| obstacle.id() == "unseen";
        assert_eq!(survey.obstacles.iter().filter(unseen).count(), 4, "{:?}", survey.obstacles);
    }

    /// A disk that this host has, with its node, and a kernel that shows the processes in a folder.
    fn shown() -> Option<(tempfile::TempDir, Kernel, Device, PathBuf)> {
        let node = |disk: &Device| Path::new("/dev").join(disk.name());
        let disk = Kernel::this()
            .disks()
            .into_iter()
            .find(|disk| Number::of_device(&node(disk)) == Some(disk.number));
        let Some(disk) = disk else {
            eprintln!("skipped: no disk has a node");
            return None;
        };
        let place = tempfile::tempdir().unwrap();
        let kernel = Kernel::at("/sys", place.path());
        let node = node(&disk);
        Some((place, kernel, disk, node))
    }

    fn reasons(kernel: &Kernel, disk: &Device) -> Vec<Reason> {
        let footprint = Footprint { devices: vec![disk.clone()], files: Vec::new() };
        let mut survey = Survey::default();
        processes(kernel, &footprint, &mut survey);
        survey.obstacles.into_iter().map(|obstacle| obstacle.reason).collect()
    }

    #[test]
    fn a_device_that_any_thread_holds_open_mapped_registered_or_on_its_way_is_in_use() {
        use std::os::unix::fs::symlink;
        let Some((place, kernel, disk, node)) = shown() else { return };
        let write = |path: &str, text: String| {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let link = |path: &str, to: &Path| {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(to, path).unwrap();
        };
        let text = node.display();
        // The second thread has descriptors of its own; the first has ended and has none.
        fs::create_dir_all(place.path().join("100/task/100/fd")).unwrap();
        write("100/comm", "threads\n".into());
        link("100/task/101/fd/3", &node);
        // Mapped: by the link, and by the name where there is no link.
        fs::create_dir_all(place.path().join("200/task/200/fd")).unwrap();
        write(
            "200/task/200/maps",
            format!("00400000-00401000 r--s 00000000 00:06 7 {text}\n7f-80 r--p 0 00:00 0\n"),
        );
        link("200/map_files/400000-401000", &node);
        fs::create_dir_all(place.path().join("300/task/301/fd")).unwrap();
        write("300/task/301/maps", format!("7f00-7f01 rw-s 00000000 00:06 8                  {text}\n"));
        link("300/task/301/root", Path::new("/"));
        // In a ring, and in a socket.
        link("400/task/400/fd/5", Path::new("anon_inode:[io_uring]"));
        write("400/task/400/fdinfo/5", format!("pos:\t0\nUserFiles:\t1\n    0: {text}\nUserBufs:\t0\n"));
        link("500/task/500/fd/6", Path::new("socket:[77]"));
        write("500/task/500/fdinfo/6", "pos:\t0\nscm_fds: 2\n".into());
        // Nothing of it.
        link("600/task/600/fd/1", Path::new("/dev/null"));
        link("600/task/600/fd/2", Path::new("socket:[78]"));
        write("600/task/600/fdinfo/2", "scm_fds: 0\n".into());
        let mut found = reasons(&kernel, &disk);
        found.sort_by_key(|reason| format!("{reason:?}"));
        let open = |process: &str, pid| Reason::Open { process: process.into(), pid };
        let under_way = Reason::UnderWay { process: String::new(), pid: 500, count: 2 };
        assert_eq!(found, [open("", 200), open("", 300), open("", 400), open("threads", 100), under_way]);
    }

    #[test]
    fn a_process_that_cannot_be_read_stands_against_writing() {
        let Some((place, kernel, disk, _)) = shown() else { return };
        // No list of descriptors but a file in its place, which root cannot read as one either.
        fs::create_dir_all(place.path().join("100/task/100")).unwrap();
        fs::write(place.path().join("100/task/100/fd"), "").unwrap();
        let found = reasons(&kernel, &disk);
        assert_eq!(found, [Reason::UnseenProcesses { count: 1 }]);
        let obstacles = [Obstacle { device: disk.name(), reason: found[0].clone() }];
        assert!(super::super::obstacle::hint(&obstacles).contains("root"));
    }

    #[test]
    fn a_line_of_maps_is_read_and_one_without_a_file_is_passed_over() {
        let line = b"00400000-7ffd0001 r-xp 0001a000 fd:01 131 /a\\040b  c";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!((mapping.range().as_str(), mapping.inode), ("400000-7ffd0001", 131));
        assert_eq!(mapping.path, Path::new("/a b  c"));
        for line in
            [&b"7f-80 rw-p 0 00:00 0 "[..], b"7f-80 rw-p 0 00:00 0 [stack]", b"", b"x", b"1-2 r 0 1:2 x /a"]
        {
            assert_eq!(Mapping::parse(line), None);
        }
    }

    #[test]
    fn the_disk_of_the_running_system_is_always_in_use() {
        let kernel = Kernel::this();
        let Some(device) = kernel.devices_of_path(Path::new("/"), &kernel.mounts()).pop() else {
            eprintln!("skipped: the file system of / shows no device");
            return;
        };
        let survey = survey(&kernel, &Footprint::of(&kernel, &device), &[]);
        let is_system = |obstacle: &Obstacle| matches!(obstacle.reason, Reason::SystemDisk { .. });
        assert!(survey.obstacles.iter().any(is_system), "{:?}", survey.obstacles);
    }
}
