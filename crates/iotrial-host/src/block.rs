//! Block devices as sysfs shows them: disks, partitions, and what is stacked on what.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use iotrial_model::record::BlockDevice;
use iotrial_model::units::ByteSize;

use crate::mounts::{self, Mount};
use crate::number::Number;
use crate::text;

/// Where the kernel shows itself: `/sys` and `/proc`, or a copy of them in a folder.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Where sysfs is.
    pub sys: PathBuf,
    /// Where procfs is.
    pub proc: PathBuf,
    /// The folder that holds a copy of another host's `/sys`, `/proc` and `/etc`; `None` of the host itself.
    captured: Option<PathBuf>,
}

impl Kernel {
    /// The kernel that runs.
    pub fn this() -> Self {
        Self::at("/sys", "/proc")
    }

    /// This host, with its kernel shown elsewhere.
    pub fn at(sys: impl Into<PathBuf>, proc: impl Into<PathBuf>) -> Self {
        Self { sys: sys.into(), proc: proc.into(), captured: None }
    }

    /// A copy of `/sys`, `/proc` and `/etc` of another host. Nothing of this host is asked.
    pub fn captured(root: &Path) -> Self {
        // With links resolved: what is found in sysfs is, and both are compared.
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Self { sys: root.join("sys"), proc: root.join("proc"), captured: Some(root) }
    }

    /// Whether it is a copy, of which only files tell.
    pub const fn is_captured(&self) -> bool {
        self.captured.is_some()
    }

    /// Where a file of the host is, by its path there: `/etc/fstab`.
    pub fn file(&self, path: &str) -> PathBuf {
        match &self.captured {
            Some(root) => root.join(path.trim_start_matches('/')),
            None => path.into(),
        }
    }

    /// The path as the host itself has it, without the folder of a copy.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let inside = self.captured.as_ref().and_then(|root| path.strip_prefix(root).ok());
        inside.map_or_else(|| path.to_owned(), |inside| Path::new("/").join(inside))
    }

    /// The place of a device as people know it: `/sys/block/sda`, or `/sys/class/block/sda1` of a partition.
    pub fn short_place(&self, device: &Device) -> PathBuf {
        let folder = if device.is_partition() { "class/block" } else { "block" };
        self.sys.join(folder).join(device.directory.file_name().unwrap_or_default())
    }

    /// The mounts that this process sees.
    pub fn mounts(&self) -> Vec<Mount> {
        text::bytes(&self.proc.join("self/mountinfo")).map(|text| mounts::parse(&text)).unwrap_or_default()
    }

    /// The device of that number; `None` for anonymous numbers and where sysfs is not there.
    pub fn device(&self, number: Number) -> Option<Device> {
        Device::at(&self.sys.join("dev/block").join(number.to_string()))
    }

    /// All disks, without their partitions.
    pub fn disks(&self) -> Vec<Device> {
        entries(&self.sys.join("block")).iter().filter_map(|path| Device::at(path)).collect()
    }

    /// The members of each btrfs file system that is mounted anywhere, with its UUID.
    pub fn btrfs_members(&self) -> Vec<(String, Vec<Device>)> {
        let systems = entries(&self.sys.join("fs/btrfs")).into_iter();
        let members = systems.map(|path| {
            let devices = entries(&path.join("devices"));
            (file_name(&path), devices.iter().filter_map(|path| Device::at(path)).collect())
        });
        members.filter(|(_, devices): &(_, Vec<_>)| !devices.is_empty()).collect()
    }

    /// Where the kernel shows the btrfs file system on a device.
    pub(crate) fn btrfs_place(&self, device: &Device) -> Option<PathBuf> {
        let mut systems = self.btrfs_members().into_iter();
        let (uuid, _) = systems.find(|(_, members)| members.contains(device))?;
        Some(self.sys.join("fs/btrfs").join(uuid))
    }

    /// The devices directly under a file system.
    pub fn devices_of_mount(&self, mount: &Mount) -> Vec<Device> {
        // The number is the kernel's own. The source after it is a name that somebody gave when the file
        // system was mounted, and is asked only where the number is one of no device.
        if let Some(device) = self.device(mount.number) {
            return vec![device];
        }
        // What is written goes to the upper directory, whatever is read from the lower ones.
        if mount.filesystem == "overlay" {
            return self.devices_of_upper(mount);
        }
        let Some(named) = self.device_of_source(Path::new(&mount.source)) else { return Vec::new() };
        // The table names one of its devices; blocks lie on all.
        if mount.filesystem == "btrfs" {
            let mut systems = self.btrfs_members().into_iter();
            if let Some((_, members)) = systems.find(|(_, members)| members.contains(&named)) {
                return members;
            }
        }
        vec![named]
    }

    /// The devices under the upper directory of an overlay.
    fn devices_of_upper(&self, overlay: &Mount) -> Vec<Device> {
        let Some(upper) = overlay.super_option("upperdir").map(Path::new) else { return Vec::new() };
        if !self.is_captured() {
            let upper = fs::metadata(upper).ok();
            return upper.and_then(|upper| self.device(Number::from_dev(upper.dev()))).into_iter().collect();
        }
        let mounts = self.mounts();
        let below = mounts::find(&mounts, upper, None).filter(|below| below.filesystem != "overlay");
        below.map(|below| self.devices_of_mount(below)).unwrap_or_default()
    }

    /// The device of a name such as `/dev/sda1` or `/dev/mapper/vg-lv`.
    pub fn device_of_source(&self, source: &Path) -> Option<Device> {
        if !self.is_captured()
            && let Some(device) = Number::of_device(source).and_then(|number| self.device(number))
        {
            return Some(device);
        }
        // A container may see sysfs and not the nodes, and a copy has no nodes: the names say enough.
        if let Ok(mapping) = source.strip_prefix("/dev/mapper") {
            let name = mapping.to_str()?;
            return self.disks().into_iter().find(|disk| disk.attribute("dm/name").as_deref() == Some(name));
        }
        let name = source.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        Device::at(&self.sys.join("class/block").join(name))
    }

    /// The mount on which a path lies; the path must be absolute, and without symbolic links.
    pub fn mount_of<'m>(&self, path: &Path, mounts: &'m [Mount]) -> Option<&'m Mount> {
        mounts::find(mounts, path, if self.is_captured() { None } else { mount_id(path) })
    }

    /// Tells whose room the files of a mount take: equal where it is shared. `device` is the `st_dev` of what lies
    /// there, which is that of the file system, but for those that have a number for each of their parts.
    pub fn room_of(&self, mount: &Mount, mounts: &[Mount], device: u64) -> u64 {
        match mount.filesystem.as_str() {
            // What is written takes room where the upper directory lies. Where that is not to be seen, as in a
            // container, nobody can tell.
            "overlay" => {
                let upper = mount.super_option("upperdir").map(Path::new).and_then(|upper| {
                    let metadata = fs::metadata(upper).ok()?;
                    let below = mounts::find(mounts, upper, mount_id(upper))?;
                    // One that lies on an overlay itself, which may go on, but not for ever.
                    let is_other = below.id != mount.id && below.filesystem != "overlay";
                    is_other.then(|| self.room_of(below, mounts, metadata.dev()))
                });
                upper.unwrap_or(device)
            }
            // Each subvolume has a number of its own, and all have the devices.
            "btrfs" => {
                let members = self.devices_of_mount(mount);
                let first = members.iter().map(|member| member.number).min();
                first.map_or(device, |first| rustix::fs::makedev(first.major, first.minor))
            }
            // `pool/data set`: the sets of a pool share its room.
            "zfs" => {
                let source = mount.source.as_encoded_bytes();
                let pool = source.split(|byte| *byte == b'/').next().unwrap_or_default();
                // FNV-1a, with a bit that the number of a device does not have.
                pool.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                    (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
                }) | 1 << 63
            }
            _ => device,
        }
    }

    /// The devices directly under the file system of `path`.
    pub fn devices_of_path(&self, path: &Path, mounts: &[Mount]) -> Vec<Device> {
        if self.is_captured() {
            return self.mount_of(path, mounts).map(|mount| self.devices_of_mount(mount)).unwrap_or_default();
        }
        let Ok(metadata) = fs::metadata(path) else { return Vec::new() };
        if let Some(device) = self.device(Number::from_dev(metadata.dev())) {
            return vec![device];
        }
        let mount = fs::canonicalize(path).ok().and_then(|path| mounts::find(mounts, &path, mount_id(&path)));
        mount.map(|mount| self.devices_of_mount(mount)).unwrap_or_default()
    }

    /// What lies below `device`, itself first: its whole disk, then what that is stacked on.
    pub fn below(&self, device: &Device) -> Vec<Device> {
        Self::walk(device, |_| Vec::new())
    }

    /// Like [`Kernel::below`], but a loop device does not end it: the disk below the file follows.
    pub fn below_with_files(&self, device: &Device, mounts: &[Mount]) -> Vec<Device> {
        Self::walk(device, |device| self.behind_loop(device, mounts))
    }

    /// The device that a loop device shows, or the devices of the file system that holds its file.
    fn behind_loop(&self, device: &Device, mounts: &[Mount]) -> Vec<Device> {
        let Some(file) = device.backing_file() else { return Vec::new() };
        if self.is_captured() {
            return self
                .device_of_source(&file)
                .map_or_else(|| self.devices_of_path(&file, mounts), |device| vec![device]);
        }
        Number::of_device(&file)
            .and_then(|number| self.device(number))
            .map_or_else(|| self.devices_of_path(&file, mounts), |device| vec![device])
    }

    /// What carries `nearest`, level by level, themselves first. A device that carries others of several
    /// levels stands below all of them.
    pub fn chain(&self, nearest: &[Device], mounts: &[Mount]) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::new();
        // The last one is taken first, so they go in from the back: among those of one level the order stays
        // that of sysfs.
        let mut open: Vec<(u32, Device)> = nearest.iter().rev().map(|device| (1, device.clone())).collect();
        while let Some((level, device)) = open.pop() {
            // What is made of itself does not exist; a bound keeps a kernel that says so from holding us
            // here.
            if level > MOST_LEVELS {
                continue;
            }
            let carriers = self.carriers(&device, mounts);
            open.extend(carriers.iter().rev().map(|carrier| (level + 1, carrier.clone())));
            match links.iter_mut().find(|link| link.device == device) {
                // Met again by a longer way: it stands below everything that it carries.
                Some(link) => link.level = link.level.max(level),
                None => links.push(Link { device, level, carriers }),
            }
        }
        // A stable sort, which keeps that order within each level.
        links.sort_by_key(|link| link.level);
        links
    }

    /// The devices that carry the whole of `device`: its disk, or its members, or what holds its file.
    fn carriers(&self, device: &Device, mounts: &[Mount]) -> Vec<Device> {
        if let Some(disk) = device.parent() {
            return vec![disk];
        }
        let members = device.slaves();
        if members.is_empty() { self.behind_loop(device, mounts) } else { members }
    }

    fn walk(device: &Device, more: impl Fn(&Device) -> Vec<Device>) -> Vec<Device> {
        let mut found = Vec::new();
        let mut open = vec![device.clone()];
        while let Some(device) = open.pop() {
            // The members of an array may be partitions of one disk.
            if found.contains(&device) {
                continue;
            }
            open.extend(device.slaves());
            open.extend(device.parent());
            open.extend(more(&device));
            found.push(device);
        }
        found
    }
}

/// More levels than anybody stacks.
const MOST_LEVELS: u32 = 16;

/// A device in the chain below a target.
#[derive(Debug, Clone)]
pub struct Link {
    /// The device itself.
    pub device: Device,
    /// 1 is the nearest to the target.
    pub level: u32,
    /// On the levels below.
    pub carriers: Vec<Device>,
}

impl Link {
    /// What a record says of it.
    pub fn facts(&self) -> BlockDevice {
        BlockDevice {
            level: Some(self.level),
            carried_by: self.carriers.iter().map(Device::name).collect(),
            is_partition: self.device.is_partition(),
            ..self.device.facts()
        }
    }
}

/// The id of the mount on which `path` lies, where the kernel tells it.
pub fn mount_id(path: &Path) -> Option<u64> {
    use rustix::fs::{AtFlags, CWD, StatxFlags};
    let statx = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
    (statx.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(statx.stx_mnt_id)
}

/// A block device: its directory in sysfs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    directory: PathBuf,
    /// By which the kernel knows it.
    pub number: Number,
}

impl Device {
    /// The device whose directory in sysfs `path` is, or links to.
    fn at(path: &Path) -> Option<Self> {
        let directory = fs::canonicalize(path).ok()?;
        let number = Number::parse(&String::from_utf8(text::bytes(&directory.join("dev")).ok()?).ok()?)?;
        Some(Self { directory, number })
    }

    /// Kernel name, such as `nvme0n1p2`.
    pub fn name(&self) -> String {
        // sysfs writes the slash of old RAID controllers' names (`cciss/c0d0`) as an exclamation mark.
        file_name(&self.directory).replace('!', "/")
    }

    /// Its directory in sysfs, with links resolved.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The content of an attribute without the blanks around it; `None` where it is absent or empty.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let text = text::bytes(&self.directory.join(name)).ok()?;
        let text =
            String::from_utf8_lossy(&text).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn number_attribute(&self, name: &str) -> Option<u64> {
        self.attribute(name)?.parse().ok()
    }

    /// Whether it is a part of a disk.
    pub fn is_partition(&self) -> bool {
        self.directory.join("partition").exists()
    }

    /// The disk of a partition.
    pub fn parent(&self) -> Option<Self> {
        if self.is_partition() { Self::at(self.directory.parent()?) } else { None }
    }

    /// The disk that it is, or is a part of.
    pub fn whole_disk(&self) -> Self {
        self.parent().unwrap_or_else(|| self.clone())
    }

    /// The partitions of a disk.
    pub fn partitions(&self) -> Vec<Self> {
        let inside = entries(&self.directory).into_iter();
        inside.filter(|path| path.join("partition").exists()).filter_map(|path| Self::at(&path)).collect()
    }

    /// What it is made of: the members of an array, the volumes of a mapping.
    pub fn slaves(&self) -> Vec<Self> {
        entries(&self.directory.join("slaves")).iter().filter_map(|path| Self::at(path)).collect()
    }

    /// What is made of it.
    pub fn holders(&self) -> Vec<Self> {
        entries(&self.directory.join("holders")).iter().filter_map(|path| Self::at(path)).collect()
    }

    /// The file behind a loop device.
    pub fn backing_file(&self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStringExt as _;
        // As bytes, and not through `attribute`: a path may hold anything, blanks at its ends too.
        let mut text = text::bytes(&self.directory.join("loop/backing_file")).ok()?;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        Some(std::ffi::OsString::from_vec(text).into())
    }

    /// All of it.
    pub fn size(&self) -> Option<ByteSize> {
        // Always in units of 512 bytes, whatever the sectors are.
        self.number_attribute("size")?.checked_mul(512).map(ByteSize::bytes)
    }

    /// Whether it is made of main memory: zram, and the ramdisks of brd.
    pub fn is_in_memory(&self) -> bool {
        let name = self.whole_disk().name();
        let number = name.strip_prefix("zram").or_else(|| name.strip_prefix("ram"));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    }

    /// Whether the kernel refuses to write to it.
    pub fn is_read_only(&self) -> bool {
        self.attribute("ro").as_deref() == Some("1")
    }

    /// Counts up whenever another medium or file comes under the same number.
    pub fn diskseq(&self) -> Option<u64> {
        self.whole_disk().number_attribute("diskseq")
    }

    /// The smallest unit that it reads and writes, in bytes.
    pub fn logical_block_size(&self) -> Option<u64> {
        self.whole_disk().number_attribute("queue/logical_block_size")
    }

    /// Serial number or world-wide name.
    pub fn serial(&self) -> Option<String> {
        let disk = self.whole_disk();
        // Each kind of device has a place of its own: virtio `serial`, NVMe `device/serial` and `wwid`, SCSI
        // `device/wwid`; then come the ids that device mapper and MD gave their volumes.
        let places = ["serial", "device/serial", "wwid", "device/wwid", "dm/uuid", "md/uuid"];
        places.iter().find_map(|place| disk.attribute(place))
    }

    /// What a record says of it, without its place in a chain.
    pub fn facts(&self) -> BlockDevice {
        let disk = self.whole_disk();
        let model = ["device/model", "device/name", "dm/name"].iter().find_map(|name| disk.attribute(name));
        // SCSI has names of vendors, and virtio the number of one (`0x1af4`), which says nothing to a person.
        let model = match (disk.attribute("device/vendor").filter(|vendor| !vendor.starts_with("0x")), model)
        {
            (Some(vendor), Some(model)) => Some(format!("{vendor} {model}")),
            (vendor, model) => model.or(vendor),
        };
        BlockDevice {
            name: self.name(),
            level: None,
            carried_by: Vec::new(),
            is_partition: false,
            model,
            serial: self.serial(),
            size: self.size(),
            rotational: disk.number_attribute("queue/rotational").map(|value| value == 1),
            scheduler: disk.attribute("queue/scheduler").map(|text| chosen(&text)),
            nr_requests: disk.number_attribute("queue/nr_requests").and_then(|value| value.try_into().ok()),
            write_cache: disk.attribute("queue/write_cache"),
        }
    }
}

/// The chosen one of `none [mq-deadline] kyber`.
pub(crate) fn chosen(list: &str) -> String {
    let bracketed = list.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(list, |(chosen, _)| chosen).to_owned()
}

/// The paths in a directory, sorted; none where it cannot be read.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // The order of a directory may change from boot to boot; a record of the same host should not.
    paths.sort();
    paths
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A sysfs with a disk, two partitions, and a mapping on the second one.
    fn kernel() -> (tempfile::TempDir, Kernel) {
        let place = tempfile::tempdir().unwrap();
        let sys = place.path().join("sys");
        let write = |path: &str, text: &str| {
            let path = sys.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let link = |from: &str, to: &str| {
            let from = sys.join(from);
            fs::create_dir_all(from.parent().unwrap()).unwrap();
            symlink(sys.join(to), from).unwrap();
        };
        write("devices/sda/dev", "8:0\n");
        write("devices/sda/size", "2048\n");
        write("devices/sda/ro", "0\n");
        write("devices/sda/diskseq", "9\n");
        write("devices/sda/device/vendor", "ATA     \n");
        write("devices/sda/device/model", "Disk 1  \n");
        write("devices/sda/device/wwid", "naa.5000\n");
        write("devices/sda/queue/rotational", "1\n");
        write("devices/sda/queue/scheduler", "none [mq-deadline] kyber\n");
        write("devices/sda/queue/nr_requests", "64\n");
        write("devices/sda/queue/write_cache", "write back\n");
        for (part, minor) in [("sda1", "1"), ("sda2", "2")] {
            write(&format!("devices/sda/{part}/dev"), &format!("8:{minor}\n"));
            write(&format!("devices/sda/{part}/partition"), minor);
            link(&format!("dev/block/8:{minor}"), &format!("devices/sda/{part}"));
        }
        write("devices/dm-0/dev", "253:0\n");
        write("devices/dm-0/dm/name", "vg-lv\n");
        link("devices/dm-0/slaves/sda2", "devices/sda/sda2");
        link("devices/sda/sda2/holders/dm-0", "devices/dm-0");
        for (name, number) in [("sda", "8:0"), ("dm-0", "253:0")] {
            link(&format!("block/{name}"), &format!("devices/{name}"));
            link(&format!("dev/block/{number}"), &format!("devices/{name}"));
        }
        let proc = place.path().join("proc");
        (place, Kernel::at(sys, proc))
    }

    fn names(devices: &[Device]) -> Vec<String> {
        devices.iter().map(Device::name).collect()
    }

    #[test]
    fn what_lies_below_a_mapping_is_found_down_to_the_disk() {
        let (_place, kernel) = kernel();
        let mapping = kernel.device(Number { major: 253, minor: 0 }).unwrap();
        assert_eq!(names(&kernel.below(&mapping)), ["dm-0", "sda2", "sda"]);
        let disk = kernel.device(Number { major: 8, minor: 0 }).unwrap();
        assert_eq!(names(&disk.partitions()), ["sda1", "sda2"]);
        assert_eq!(names(&disk.partitions()[1].holders()), ["dm-0"]);
        assert_eq!(names(&kernel.disks()), ["dm-0", "sda"]);
        assert!(kernel.device(Number { major: 0, minor: 45 }).is_none());
    }

    #[test]
    fn a_chain_has_levels_and_a_device_stands_below_all_that_it_carries() {
        let (_place, kernel) = kernel();
        let device = |major, minor| kernel.device(Number { major, minor }).unwrap();
        let chain = |nearest: &[Device]| {
            let facts = kernel.chain(nearest, &[]).into_iter().map(|link| link.facts());
            facts
                .map(|one| (one.name, one.level.unwrap(), one.carried_by.join(" "), one.is_partition))
                .collect()
        };
        let link = |name: &str, level, carried_by: &str, is_partition| {
            (name.to_owned(), level, carried_by.to_owned(), is_partition)
        };
        let found: Vec<_> = chain(&[device(253, 0)]);
        let mapping =
            [link("dm-0", 1, "sda2", false), link("sda2", 2, "sda", true), link("sda", 3, "", false)];
        assert_eq!(found, mapping);
        // A file system over a partition and the mapping: the disk is two levels below one, and one below the
        // other.
        let found: Vec<_> = chain(&[device(8, 1), device(253, 0)]);
        let both = [
            link("sda1", 1, "sda", true),
            link("dm-0", 1, "sda2", false),
            link("sda2", 2, "sda", true),
            link("sda", 3, "", false),
        ];
        assert_eq!(found, both);
    }

    #[test]
    fn the_facts_of_a_partition_are_those_of_its_disk_with_its_own_name() {
        let (_place, kernel) = kernel();
        let part = kernel.device(Number { major: 8, minor: 1 }).unwrap();
        let facts = BlockDevice {
            name: "sda1".into(),
            level: None,
            carried_by: vec![],
            is_partition: false,
            model: Some("ATA Disk 1".into()),
            serial: Some("naa.5000".into()),
            size: None,
            rotational: Some(true),
            scheduler: Some("mq-deadline".into()),
            nr_requests: Some(64),
            write_cache: Some("write back".into()),
        };
        assert_eq!(part.facts(), facts);
        assert_eq!(part.whole_disk().size(), Some(ByteSize::MIB));
        assert_eq!(part.diskseq(), Some(9));
    }

    #[test]
    fn subvolumes_data_sets_of_a_pool_and_an_overlay_share_the_room_below_them() {
        let (place, kernel) = kernel();
        // No mount of this host has such an id, by which the one of the upper directory would be found.
        let upper = place.path().display();
        let table = format!(
            "900021 1 0:30 / / rw - tmpfs none rw\n\
             900022 900021 0:45 /a /a rw - btrfs /dev/none rw,subvol=/a\n\
             900023 900021 0:46 /b /b rw - overlay overlay rw,lowerdir=/l,upperdir={upper},workdir=/w\n\
             900024 900021 0:47 / /c rw - zfs tank/one rw\n\
             900025 900021 0:48 / /d rw - zfs tank/two rw\n\
             900026 900021 0:49 / /e rw - zfs tanker/two rw\n\
             900027 900021 8:1 / /f rw - btrfs /dev/sda1 rw,subvol=/f\n\
             900028 900021 8:1 / /g rw - btrfs /dev/sda1 rw,subvol=/g\n\
             900029 900021 0:50 / /h rw - overlay overlay rw,upperdir=/not/to/be/seen\n"
        );
        let mounts = mounts::parse(table.as_bytes());
        let room = |id, device| {
            let mount = mounts.iter().find(|mount| mount.id == id).unwrap();
            kernel.room_of(mount, &mounts, device)
        };
        let here = fs::metadata(place.path()).unwrap().dev();
        assert_eq!(room(900_023, 1_000), here, "where the upper directory lies");
        assert_eq!(room(900_029, 1_000), 1_000);
        assert_eq!(room(900_024, 1), room(900_025, 2));
        assert_ne!(room(900_024, 1), room(900_026, 3));
        assert_eq!(room(900_027, 1), room(900_028, 2));
        assert_eq!(room(900_022, 77), 77, "a member that cannot be seen");
        assert_eq!(room(900_021, 78), 78);
    }

    #[test]
    fn a_sysfs_that_is_not_there_or_holds_garbage_gives_nothing() {
        let (_place, kernel) = kernel();
        let disk = kernel.sys.join("devices/sda");
        for garbage in ["", "8", "a:b", "8:99999999999"] {
            fs::write(disk.join("dev"), garbage).unwrap();
            assert!(kernel.device(Number { major: 8, minor: 0 }).is_none(), "{garbage}");
        }
        let nowhere = Kernel::at("/nowhere", "/nowhere");
        assert!(
            nowhere.disks().is_empty() && nowhere.btrfs_members().is_empty() && nowhere.mounts().is_empty()
        );
        assert_eq!(chosen("none"), "none");
        assert_eq!(chosen("[none"), "[none");
    }
}
