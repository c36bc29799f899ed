//! A mounted file system or share: its type, its options, its room.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Device, Kernel, entries, file_name};
use crate::mounts::{Mount, TABLE};
use crate::nfs;
use crate::reading::{Facts, number};
use crate::text;

/// The mount as a part. `place` is the path that was asked for; `devices` carry it.
pub(crate) fn part(kernel: &Kernel, mount: &Mount, place: &Path, devices: &[Device]) -> Part {
    let mut facts = Facts::new(kernel);
    let options = Options::of(kernel, mount, devices);
    facts.known(FactId::Filesystem, FactValue::text(&mount.filesystem), TABLE);
    options.general(&mut facts);
    let kind = if mount.is_share() {
        options.nfs(&mut facts);
        nfs::read(kernel, mount, &mut facts);
        PartKind::Share
    } else {
        options.local(mount, place, &mut facts);
        if let ("btrfs", Some(device)) = (mount.filesystem.as_str(), devices.first()) {
            btrfs_stripes(kernel, device, devices.len(), &mut facts);
        }
        PartKind::Filesystem
    };
    room(kernel, place, &mut facts);
    read_ahead(kernel, mount, devices, &mut facts);
    let name = mount.mount_point.display().to_string();
    // Memory has no device whose name would say more than its type.
    let about = if mount.is_in_memory() {
        mount.filesystem.clone()
    } else {
        format!("{} on {}", mount.filesystem, mount.source.to_string_lossy())
    };
    Part { about, facts: facts.into_list(), ..Part::new(kind, name) }
}

/// Options of the mount and of its file system, as the kernel lists them.
struct Options {
    filesystem: String,
    all: Vec<String>,
    from: String,
}

impl Options {
    fn of(kernel: &Kernel, mount: &Mount, devices: &[Device]) -> Self {
        let of_mount = mount.options.split(',').map(str::to_owned);
        let of_system = mount.super_options.as_bytes().split(|byte| *byte == b',');
        let of_system = of_system.map(|option| String::from_utf8_lossy(option).into_owned());
        let mut all: Vec<String> = of_mount.chain(of_system).filter(|option| !option.is_empty()).collect();
        let mut from = TABLE.to_owned();
        // The mount table leaves out what is the default of this one file system; its own file has everything.
        if let ("ext4", Some(device)) = (mount.filesystem.as_str(), devices.first()) {
            let path = kernel.proc.join("fs/ext4").join(device.name().replace('/', "!")).join("options");
            if let Ok(text) = text::line(&path) {
                all.extend(text.lines().map(|line| line.trim().to_owned()));
                from = kernel.shown(&path).display().to_string();
            }
        }
        Self { filesystem: mount.filesystem.clone(), all, from }
    }

    fn has(&self, option: &str) -> bool {
        self.all.iter().any(|one| one == option)
    }

    /// The value of the last `key=value`, which is the most exact.
    fn value(&self, key: &str) -> Option<&str> {
        self.all.iter().rev().find_map(|option| option.strip_prefix(key)?.strip_prefix('='))
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.value(key)?.parse().ok()
    }

    fn general(&self, facts: &mut Facts<'_>) {
        facts.known(FactId::ReadOnly, FactValue::Flag(self.has("ro")), TABLE);
        let access = ["noatime", "relatime"].into_iter().find(|option| self.has(option));
        facts.known(FactId::AccessTimes, FactValue::text(access.unwrap_or("strictatime")), TABLE);
    }

    fn local(&self, mount: &Mount, place: &Path, facts: &mut Facts<'_>) {
        facts.known(FactId::InMemory, FactValue::Flag(mount.is_in_memory()), TABLE);
        let from = self.from.as_str();
        let kind = self.filesystem.as_str();
        if matches!(kind, "ext3" | "ext4" | "xfs" | "btrfs") {
            let is_off = self.has("nobarrier") || self.value("barrier") == Some("0");
            facts.known(FactId::Barriers, FactValue::text(if is_off { "off" } else { "on" }), from);
            // btrfs since 6.2 discards in the background by itself, which is not what is meant.
            let online = self.has("discard") || self.value("discard") == Some("sync");
            facts.known(FactId::OnlineDiscard, FactValue::Flag(online), from);
        }
        if matches!(kind, "ext3" | "ext4") {
            let mode = self.value("data").unwrap_or("ordered");
            facts.known(FactId::JournalMode, FactValue::text(mode), from);
        }
        if kind == "xfs" {
            // In units of 512 bytes (xfs(5)); a file system that knows of no stripes lists none.
            let unit = self.number("sunit").unwrap_or(0);
            facts.known(FactId::StripeUnit, FactValue::Number(unit.saturating_mul(512)), from);
        }
        if matches!(kind, "btrfs" | "zfs" | "bcachefs") {
            let without = self.has("nodatacow") || has_nocow(facts.kernel(), place);
            facts.known(FactId::CopyOnWrite, FactValue::Flag(!without), from);
            let compression = self.value("compress").or_else(|| self.value("compress-force"));
            facts.known(FactId::Compression, FactValue::text(compression.unwrap_or("none")), from);
        }
    }

    fn nfs(&self, facts: &mut Facts<'_>) {
        let mut text = |id, value: Option<&str>| match value {
            Some(value) => facts.known(id, FactValue::text(value), TABLE),
            None => facts.unknown(id, "the mount table does not say", TABLE),
        };
        text(FactId::NfsVersion, self.value("vers"));
        text(FactId::NfsTransport, self.value("proto"));
        text(FactId::NfsSecurity, self.value("sec"));
        let recovery = ["hard", "softerr", "softreval", "soft"].into_iter().find(|word| self.has(word));
        text(FactId::NfsRecovery, recovery);
        let mut count = |id, value: Option<i64>| match value {
            Some(value) => facts.known(id, FactValue::Number(value), TABLE),
            None => facts.unknown(id, "the mount table does not say", TABLE),
        };
        count(FactId::NfsReadSize, self.number("rsize"));
        count(FactId::NfsWriteSize, self.number("wsize"));
        // Left out of the table where it is one.
        count(FactId::NfsConnections, Some(self.number("nconnect").unwrap_or(1)));
    }
}

/// Bytes that btrfs writes to one device before it goes on with the next: `BTRFS_STRIPE_LEN` of the kernel, which nobody can change.
const BTRFS_STRIPE: i64 = 64 << 10;

/// How btrfs spreads its data over its devices.
fn btrfs_stripes(kernel: &Kernel, device: &Device, device_count: usize, facts: &mut Facts<'_>) {
    let Some(place) = kernel.btrfs_place(device) else { return };
    let data = place.join("allocation/data");
    // Beside the folders of the profiles are files with sums. A profile that was converted leaves an empty one until the next mount.
    let is_used = |path: &PathBuf| {
        path.is_dir() && text::line(&path.join("total_bytes")).is_ok_and(|total| total != "0")
    };
    let profiles: Vec<String> =
        entries(&data).into_iter().filter(is_used).map(|path| file_name(&path)).collect();
    let from = kernel.shown(&data).display().to_string();
    if profiles.is_empty() {
        return facts.unknown(FactId::RaidLevel, "the kernel does not show it", &from);
    }
    facts.known(FactId::RaidLevel, FactValue::text(profiles.join(", ")), &from);
    let [profile] = profiles.as_slice() else {
        return facts.unknown(
            FactId::Stripes,
            "data is in several profiles; `btrfs balance` makes it one",
            &from,
        );
    };
    let count = i64::try_from(device_count).unwrap_or(i64::MAX);
    // Over as many devices as have room for it.
    let stripes = match profile.as_str() {
        "raid0" => count,
        "raid10" => count / 2,
        "raid5" => count - 1,
        "raid6" => count - 2,
        // One copy, or several of the whole.
        _ => 1,
    };
    facts.known(FactId::Stripes, FactValue::Number(stripes.max(1)), &from);
    if stripes > 1 {
        facts.known(FactId::StripeUnit, FactValue::Number(BTRFS_STRIPE), &from);
    }
}

/// Whether a file or directory of btrfs was taken out of copy-on-write.
fn has_nocow(kernel: &Kernel, place: &Path) -> bool {
    if kernel.is_captured() {
        return false;
    }
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file = rustix::fs::open(place, flags, rustix::fs::Mode::empty());
    let flags = file.ok().and_then(|file| rustix::fs::ioctl_getflags(file).ok());
    flags.is_some_and(|flags| flags.contains(rustix::fs::IFlags::NOCOW))
}

fn room(kernel: &Kernel, place: &Path, facts: &mut Facts<'_>) {
    let from = "statvfs";
    if kernel.is_captured() {
        for id in [FactId::FreeSpace, FactId::FreePercent] {
            facts.unknown(id, "a copy of /proc and /sys does not tell", from);
        }
        return;
    }
    match rustix::fs::statvfs(place) {
        Ok(space) => {
            // Without what is kept for root, as iotrial counts it everywhere.
            let free = space.f_bavail.saturating_mul(space.f_frsize);
            facts.known(FactId::FreeSpace, FactValue::Number(free.try_into().unwrap_or(i64::MAX)), from);
            // tmpfs without a limit and shares of some servers say nothing of their size.
            if space.f_blocks > 0 {
                let percent = u128::from(space.f_bavail) * 100 / u128::from(space.f_blocks);
                facts.known(FactId::FreePercent, FactValue::Number(percent.try_into().unwrap_or(100)), from);
            }
        }
        Err(error) => {
            for id in [FactId::FreeSpace, FactId::FreePercent] {
                facts.unknown(id, text::reason(&error.into()), from);
            }
        }
    }
}

/// Read-ahead of the page cache: it is that of the uppermost device, whatever those below have.
fn read_ahead(kernel: &Kernel, mount: &Mount, devices: &[Device], facts: &mut Facts<'_>) {
    let path = match devices.first() {
        Some(device) => kernel.short_place(&device.whole_disk()).join("queue/read_ahead_kb"),
        None => kernel.sys.join("class/bdi").join(mount.number.to_string()).join("read_ahead_kb"),
    };
    facts.read_if_there(FactId::ReadAhead, &path, number);
}
