//! The mount table of a process, as `/proc/PID/mountinfo` shows it (proc_pid_mountinfo(5)).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::number::Number;

/// The table of this process.
pub(crate) const TABLE: &str = "/proc/self/mountinfo";

/// A mount, as far as the table tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// By which `statx` names it.
    pub id: u64,
    /// Of the file system; anonymous (major 0) where it has no device or several of them.
    pub number: Number,
    /// Where it is mounted, as this process sees it.
    pub mount_point: PathBuf,
    /// Of this mount: `rw,noatime`.
    pub options: String,
    /// Its type, such as `ext4`.
    pub filesystem: String,
    /// A device's path, or any other name.
    pub source: OsString,
    /// Of the file system, whichever mount of it.
    pub super_options: OsString,
}

/// All mounts, in the order in which they were made. Lines that make no sense are passed over.
pub fn parse(mountinfo: &[u8]) -> Vec<Mount> {
    mountinfo.split(|byte| *byte == b'\n').filter_map(parse_line).collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
fn parse_line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let _parent_id = fields.next()?;
    let number = Number::parse(std::str::from_utf8(fields.next()?).ok()?)?;
    let _root = fields.next()?;
    let mount_point = unescape(fields.next()?);
    let options = String::from_utf8_lossy(fields.next()?).into_owned();
    // Any number of optional fields (`shared:1`, `master:2`), which end with a dash.
    fields.find(|field| *field == b"-")?;
    let filesystem = String::from_utf8_lossy(&unescape(fields.next()?).into_vec()).into_owned();
    let source = unescape(fields.next()?);
    let super_options = unescape(fields.next().unwrap_or_default());
    Some(Mount { id, number, mount_point: mount_point.into(), options, filesystem, source, super_options })
}

/// Resolves the octal escapes of blanks, line ends and backslashes: `\040` is a blank.
pub fn unescape(text: &[u8]) -> OsString {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', more @ ..]) => {
                plain.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = more;
            }
            _ => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(plain)
}

/// The mount on which `path` lies: the one with that id, or else the last of those with the longest mount
/// point, which hides the ones before it. `path` must be absolute and without symbolic links.
pub fn find<'m>(mounts: &'m [Mount], path: &Path, id: Option<u64>) -> Option<&'m Mount> {
    let with_id = id.and_then(|id| mounts.iter().find(|mount| mount.id == id));
    with_id.or_else(|| {
        // Of several as long `max_by_key` gives the last, which was mounted over the others.
        let above = mounts.iter().filter(|mount| path.starts_with(&mount.mount_point));
        above.max_by_key(|mount| mount.mount_point.components().count())
    })
}

impl Mount {
    /// Whether it is a share of NFS.
    pub(crate) fn is_share(&self) -> bool {
        matches!(self.filesystem.as_str(), "nfs" | "nfs4")
    }

    /// Whether the file system lives in memory.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.filesystem.as_str(), "tmpfs" | "ramfs" | "hugetlbfs")
    }

    /// Whether it shows devices or the kernel rather than files.
    pub fn is_kernels(&self) -> bool {
        const KINDS: [&str; 19] = [
            "devtmpfs",
            "devpts",
            "proc",
            "sysfs",
            "cgroup",
            "cgroup2",
            "debugfs",
            "tracefs",
            "securityfs",
            "configfs",
            "pstore",
            "efivarfs",
            "bpf",
            "mqueue",
            "binfmt_misc",
            "fusectl",
            "selinuxfs",
            "nsfs",
            "rpc_pipefs",
        ];
        KINDS.contains(&self.filesystem.as_str())
    }

    /// Whether direct I/O follows the sectors of the device below, and not rules of the file system.
    pub fn follows_the_sectors(&self) -> bool {
        matches!(self.filesystem.as_str(), "ext2" | "ext3" | "ext4" | "xfs" | "f2fs" | "vfat" | "exfat")
    }

    /// The value of `key=value` among the options of the file system.
    pub fn super_option(&self, key: &str) -> Option<&OsStr> {
        let options = self.super_options.as_bytes().split(|byte| *byte == b',');
        let mut values = options.filter_map(|option| option.strip_prefix(key.as_bytes())?.strip_prefix(b"="));
        values.next().map(OsStr::from_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTINFO: &[u8] = b"\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=continue
22 21 0:20 / /proc rw - proc proc rw
30 21 0:45 /sub /data\\040and\\012more rw,noatime - btrfs /dev/vdb rw,subvol=/sub
31 21 7:3 / /data rw,relatime master:2 propagate_from:3 - xfs /dev/loop3 rw,logdev=/dev/loop4
32 21 0:46 / /data rw - tmpfs tmpfs rw
garbage
1 2 x:y / / rw - ext4 a b
33 21 8:1 / /short rw
";

    #[test]
    fn mounts_are_read_with_their_escapes_and_garbage_is_passed_over() {
        let mounts = parse(MOUNTINFO);
        assert_eq!(mounts.len(), 5, "{mounts:?}");
        assert_eq!(mounts[0].number, Number { major: 254, minor: 0 });
        assert_eq!(mounts[2].mount_point, Path::new("/data and\nmore"));
        assert_eq!((mounts[2].options.as_str(), mounts[2].source.to_str()), ("rw,noatime", Some("/dev/vdb")));
        assert_eq!(mounts[3].super_option("logdev"), Some(OsStr::new("/dev/loop4")));
        assert_eq!(mounts[3].super_option("log"), None);
    }

    #[test]
    fn a_path_lies_on_the_last_of_the_longest_mount_points_unless_the_kernel_tells_the_mount() {
        let mounts = parse(MOUNTINFO);
        let check = |path: &str, id: Option<u64>, filesystem: &str| {
            let found = find(&mounts, Path::new(path), id).unwrap();
            assert_eq!(found.filesystem, filesystem, "{path}");
        };
        check("/data/file", None, "tmpfs");
        check("/data/file", Some(31), "xfs");
        check("/data/file", Some(99), "tmpfs");
        check("/database", None, "ext4");
        check("/data and\nmore/x", None, "btrfs");
        check("/proc/self", None, "proc");
        assert!(find(&[], Path::new("/"), None).is_none());
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        for length in 0..MOUNTINFO.len() {
            parse(&MOUNTINFO[length..]);
            parse(&MOUNTINFO[..length]);
        }
        let all: Vec<u8> = (0..=255).cycle().take(4096).collect();
        assert_eq!(parse(&all), []);
        assert_eq!(unescape(b"\\"), "\\");
        assert_eq!(unescape(b"\\04"), "\\04");
        assert_eq!(unescape(b"a\\1340\\999"), "a\\0\\999");
    }
}
