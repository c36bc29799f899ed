//! Raw devices that must not be written, whatever is tried. Each set-up takes the best token that can be had,
//! goes the whole way to the first write, and compares every byte before and after.

use std::fs::{self, File};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::rig::*;
use iotrial_engine::targets::{Obstacle, inspect_device, probe};

/// What is on the disk of a stage before anybody uses it.
#[derive(Clone, Copy)]
enum Layout {
    Empty,
    Ext4,
    /// The same on the first 4 MiB; the rest belongs to nobody.
    SmallExt4,
    /// Two partitions, the first one with a file system.
    Partitions,
}

/// A disk of 24 MiB, and room for whatever a case needs.
struct Stage {
    disk: Loop,
    place: tempfile::TempDir,
}

impl Stage {
    fn new(layout: Layout) -> Self {
        let place = tempfile::tempdir().unwrap();
        let disk = Loop::over(&sparse(&place.path().join("disk.img"), 24 * MIB), &[]);
        match layout {
            Layout::Empty => {}
            Layout::Ext4 => make_ext4(&disk.node, None),
            Layout::SmallExt4 => make_ext4(&disk.node, Some(4 * MIB)),
            Layout::Partitions => {
                make_ext4(&disk.add_partition(1, MIB, 11 * MIB), None);
                disk.add_partition(2, 12 * MIB, 12 * MIB);
            }
        }
        Self { disk, place }
    }

    fn node(&self) -> PathBuf {
        self.disk.node.clone()
    }

    fn partition(&self, number: u32) -> PathBuf {
        format!("{}p{number}", text(&self.disk.node)).into()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Another node of the same device, as `mknod` makes it.
    fn other_node(&self, name: &str) -> PathBuf {
        let number = fs::read_to_string(format!("/sys/block/{}/dev", self.disk.name())).unwrap();
        let (major, minor) = number.trim().split_once(':').unwrap();
        let path = self.path(name);
        run("mknod", &[text(&path), "b", major, minor]);
        path
    }

    fn mount(&self, device: &Path, guards: &mut Guards) {
        guards.add(Mount::new(&["-o", "ro", text(device)], &self.path("mnt")));
    }
}

struct Case {
    name: &'static str,
    layout: Layout,
    /// What is to be written; may set up more.
    target: fn(&Stage, &mut Guards) -> PathBuf,
    /// Brings the device into use.
    obstruct: fn(&Stage, &mut Guards),
    /// One of the obstacles that must be seen.
    obstacle: &'static str,
}

const IN_USE: &[Case] = &[
    Case {
        name: "a mounted device",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| stage.mount(&stage.node(), guards),
        obstacle: "mounted",
    },
    Case {
        name: "the disk of a mounted partition",
        layout: Layout::Partitions,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| stage.mount(&stage.partition(1), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a mounted partition",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(1),
        obstruct: |stage, guards| stage.mount(&stage.partition(1), guards),
        obstacle: "mounted",
    },
    Case {
        name: "the sibling of a mounted partition",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(2),
        obstruct: |stage, guards| stage.mount(&stage.partition(1), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a device mounted in another mount namespace only",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let (node, place) = (stage.node(), stage.place.path());
            let script = format!("mount -o ro {} {}", text(&node), text(place));
            guards.add(Process::start(&["unshare", "-m", "--propagation", "private"], &script));
        },
        obstacle: "mounted-elsewhere",
    },
    Case {
        name: "a partition of which the sibling is mounted in another mount namespace only",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(2),
        obstruct: |stage, guards| {
            let (node, place) = (stage.partition(1), stage.place.path());
            let script = format!("mount -o ro {} {}", text(&node), text(place));
            guards.add(Process::start(&["unshare", "-m", "--propagation", "private"], &script));
        },
        obstacle: "mounted-elsewhere",
    },
    Case {
        name: "a device of which only a bind mount is left",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let whole = Mount::new(&["-o", "ro", text(&stage.node())], &stage.path("mnt"));
            guards.add(Mount::new(&["--bind", text(&stage.path("mnt/lost+found"))], &stage.path("bind")));
            drop(whole);
        },
        obstacle: "mounted",
    },
    Case {
        name: "a device mounted on a path with a blank, a backslash and a line end",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            guards.add(Mount::new(&["-o", "ro", text(&stage.node())], &stage.path("a b\\c\nd")));
        },
        obstacle: "mounted",
    },
    Case {
        name: "a chain of symbolic links to a mounted device",
        layout: Layout::Ext4,
        target: |stage, _| {
            symlink(stage.node(), stage.path("first")).unwrap();
            symlink("first", stage.path("second")).unwrap();
            symlink(stage.path("second"), stage.path("third")).unwrap();
            stage.path("third")
        },
        obstruct: |stage, guards| stage.mount(&stage.node(), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a relative link, as udev makes them by id, to the disk of a mounted partition",
        layout: Layout::Partitions,
        target: |stage, _| {
            let up: PathBuf = stage.place.path().components().skip(1).map(|_| "..").collect();
            let directory = stage.path("by-id");
            fs::create_dir(&directory).unwrap();
            symlink(Path::new("..").join(up).join(&text(&stage.node())[1..]), directory.join("ata-1"))
                .unwrap();
            directory.join("ata-1")
        },
        obstruct: |stage, guards| stage.mount(&stage.partition(1), guards),
        obstacle: "mounted",
    },
    Case {
        name: "another node of a mounted device",
        layout: Layout::Ext4,
        target: |stage, _| stage.other_node("node"),
        obstruct: |stage, guards| stage.mount(&stage.node(), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a device that was mounted through another node",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let node = stage.other_node("node");
            stage.mount(&node, guards);
            fs::remove_file(node).unwrap();
        },
        obstacle: "mounted",
    },
    Case {
        name: "a device that carries the record store",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| stage.mount(&stage.node(), guards),
        obstacle: "protected",
    },
    Case {
        name: "a device under a loop device",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            loop_over(&stage.node(), guards);
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "a device under a loop device through a node that was removed since",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let node = stage.other_node("node");
            loop_over(&node, guards);
            fs::remove_file(node).unwrap();
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "the disk of a partition under a loop device",
        layout: Layout::Partitions,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            loop_over(&stage.partition(2), guards);
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "a device under a loop device that is mounted",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let upper = loop_over(&stage.node(), guards);
            stage.mount(&upper, guards);
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "a loop device over a device that is mounted",
        layout: Layout::Ext4,
        target: |stage, guards| loop_over(&stage.node(), guards),
        obstruct: |stage, guards| stage.mount(&stage.node(), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a loop device over a partition of which the sibling is mounted",
        layout: Layout::Partitions,
        target: |stage, guards| loop_over(&stage.partition(2), guards),
        obstruct: |stage, guards| stage.mount(&stage.partition(1), guards),
        obstacle: "mounted",
    },
    Case {
        name: "a loop device over a file that another one shows",
        layout: Layout::Ext4,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let other = loop_over(&stage.path("disk.img"), guards);
            stage.mount(&other, guards);
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "a loop device over a file that another one shows under another name",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            fs::hard_link(stage.path("disk.img"), stage.path("same")).unwrap();
            loop_over(&stage.path("same"), guards);
            fs::remove_file(stage.path("same")).unwrap();
        },
        obstacle: "loop-backing",
    },
    Case {
        name: "the first of two members of a btrfs",
        layout: Layout::Empty,
        target: |stage, guards| btrfs(stage, guards).0,
        obstruct: |stage, guards| stage.mount(Path::new(&fs::read_link(stage.path("b")).unwrap()), guards),
        obstacle: "btrfs-member",
    },
    Case {
        name: "the second of two members of a btrfs",
        layout: Layout::Empty,
        target: |stage, guards| btrfs(stage, guards).1,
        obstruct: |stage, guards| stage.mount(Path::new(&fs::read_link(stage.path("a")).unwrap()), guards),
        obstacle: "btrfs-member",
    },
    Case {
        name: "a device that a process has open for writing",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(holder("3<>", &stage.node())),
        obstacle: "open",
    },
    Case {
        name: "a device that a process has open for reading",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(holder("3<", &stage.node())),
        obstacle: "open",
    },
    Case {
        name: "a device on which a process has the BSD lock of mkfs",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(locked("--exclusive", &stage.node())),
        obstacle: "open",
    },
    Case {
        name: "a partition of a disk on which a process has the shared BSD lock of udev",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(2),
        obstruct: |stage, guards| guards.add(locked("--shared", &stage.node())),
        obstacle: "open",
    },
    Case {
        name: "a device that a process has open through another node",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| {
            let node = stage.other_node("node");
            guards.add(holder("3<>", &node));
            fs::remove_file(node).unwrap();
        },
        obstacle: "open",
    },
    Case {
        name: "the disk of a partition that a process has open",
        layout: Layout::Partitions,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(holder("3<>", &stage.partition(2))),
        obstacle: "open",
    },
    Case {
        name: "a partition of a disk that a process has open",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(2),
        obstruct: |stage, guards| guards.add(holder("3<>", &stage.node())),
        obstacle: "open",
    },
    Case {
        name: "a loop device over a file that a process has open",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(holder("3<>", &stage.path("disk.img"))),
        obstacle: "open",
    },
    Case {
        name: "a device that somebody claimed",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(Claim::on(&stage.node())),
        obstacle: "held",
    },
    Case {
        name: "the disk of a partition that somebody claimed",
        layout: Layout::Partitions,
        target: |stage, _| stage.node(),
        obstruct: |stage, guards| guards.add(Claim::on(&stage.partition(2))),
        obstacle: "held",
    },
    Case {
        name: "a partition of a disk that somebody claimed",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(1),
        obstruct: |stage, guards| guards.add(Claim::on(&stage.node())),
        obstacle: "held",
    },
    Case {
        name: "a device that became read only",
        layout: Layout::Empty,
        target: |stage, _| stage.node(),
        obstruct: |stage, _| {
            run("blockdev", &["--setro", text(&stage.node())]);
        },
        obstacle: "read-only",
    },
    Case {
        name: "a partition of a disk that became read only",
        layout: Layout::Partitions,
        target: |stage, _| stage.partition(2),
        obstruct: |stage, _| {
            run("blockdev", &["--setro", text(&stage.node())]);
        },
        obstacle: "read-only",
    },
];

/// Devices to which the system swaps, each with the end of what the system itself may write there at any
/// time: only the bytes behind it can prove that nobody else wrote.
const SWAPPED_TO: &[(Case, u64)] = &[
    (
        Case {
            name: "a swap device",
            layout: Layout::Empty,
            target: |stage, _| {
                make_swap(&stage.node(), 2 * MIB);
                stage.node()
            },
            obstruct: |stage, guards| guards.add(Swap::on(&stage.node())),
            obstacle: "swap",
        },
        2 * MIB,
    ),
    (
        Case {
            name: "the disk of a swap partition",
            layout: Layout::Empty,
            target: |stage, _| {
                make_swap(&stage.disk.add_partition(1, MIB, MIB), MIB);
                stage.node()
            },
            obstruct: |stage, guards| guards.add(Swap::on(&stage.partition(1))),
            obstacle: "swap",
        },
        2 * MIB,
    ),
    (
        Case {
            name: "the device of a file system with a swap file",
            layout: Layout::SmallExt4,
            target: |stage, _| stage.node(),
            obstruct: |stage, guards| {
                guards.add(Mount::new(&["-o", "noatime", text(&stage.node())], &stage.path("mnt")));
                guards.add(swap_file(&stage.path("mnt/swap")));
            },
            obstacle: "swap",
        },
        4 * MIB,
    ),
    (
        Case {
            name: "a loop device over a file to which the system swaps",
            layout: Layout::Ext4,
            target: |stage, guards| {
                guards.add(Mount::new(&["-o", "noatime", text(&stage.node())], &stage.path("mnt")));
                drop(swap_file(&stage.path("mnt/swap")));
                loop_over(&stage.path("mnt/swap"), guards)
            },
            obstruct: |stage, guards| guards.add(Swap::on(&stage.path("mnt/swap"))),
            obstacle: "swap",
        },
        MIB,
    ),
];

/// A file of 3 MiB, of which the first one is swap.
fn swap_file(path: &Path) -> Swap {
    fs::write(path, vec![0; 3 << 20]).unwrap();
    run("chmod", &["600", text(path)]);
    make_swap(path, MIB);
    let swap = Swap::on(path);
    run("sync", &["--file-system", text(path)]);
    swap
}

fn make_swap(path: &Path, size: u64) {
    run("mkswap", &[text(path), &(size / 1024).to_string()]);
}

fn loop_over(backing: &Path, guards: &mut Guards) -> PathBuf {
    let upper = Loop::over(backing, &[]);
    let node = upper.node.clone();
    guards.add(upper);
    node
}

/// Two members, with links to them beside the disk.
fn btrfs(stage: &Stage, guards: &mut Guards) -> (PathBuf, PathBuf) {
    let [a, b] = ["a", "b"].map(|name| {
        let node = loop_over(&sparse(&stage.path(&format!("{name}.img")), 128 * MIB), guards);
        symlink(&node, stage.path(name)).unwrap();
        node
    });
    run("mkfs.btrfs", &["-q", "-f", "-d", "raid0", "-m", "raid1", text(&a), text(&b)]);
    (a, b)
}

fn holder(redirection: &str, path: &Path) -> Process {
    Process::start(&[], &format!("exec {redirection}{}", text(path)))
}

/// A lock of flock(2), by which programs agree on who may write to a disk.
fn locked(kind: &str, path: &Path) -> Process {
    Process::start(&[], &format!("exec 9<{}; flock --nonblock {kind} 9", text(path)))
}

/// An exclusive open, as arrays, file systems and careful programs do it.
struct Claim(#[expect(dead_code, reason = "held, not used")] File);

impl Claim {
    fn on(path: &Path) -> Self {
        let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
        Self(File::options().read(true).custom_flags(exclusive).open(path).unwrap())
    }
}

#[test]
fn a_device_in_use_is_never_written_not_with_a_valid_token_and_not_after_a_probe_needs_root() {
    let _turn = turn();
    if !is_root("devices in use") {
        return;
    }
    for case in IN_USE {
        refuse_in_use(case, |stage, target| fingerprint(&[stage.place.path().to_owned(), target.to_owned()]));
    }
    for (case, moving) in SWAPPED_TO {
        refuse_in_use(case, |_, target| {
            fs::read(target).unwrap().split_off(usize::try_from(*moving).unwrap())
        });
    }
}

/// Sets the case up and tries to write in every way; what `watched` returns must be the same afterwards.
fn refuse_in_use<T: PartialEq>(case: &Case, watched: impl Fn(&Stage, &Path) -> T) {
    let name = case.name;
    eprintln!("{name}");
    let stage = Stage::new(case.layout);
    let mut guards = Guards::default();
    let target = (case.target)(&stage, &mut guards);
    let protected = [stage.path("mnt/store/not/there/yet")];
    settle(&target);
    let free = inspect_device(&target, &[]).unwrap();
    let token = free.token.unwrap_or_else(|| panic!("{name}: not free: {:?}", free.obstacles));
    let probed = probe(&target, Some(&token), &protected).unwrap();

    (case.obstruct)(&stage, &mut guards);
    settle(&stage.node());
    settle(&target);
    let before = watched(&stage, &target);
    let report = inspect_device(&target, &protected).unwrap();
    let late = finish(&probed).map(|_| ()).unwrap_err();
    let early = attempt(&target, Some(&token), &protected).map(|_| ()).unwrap_err();
    assert!(watched(&stage, &target) == before, "{name}: bytes changed");

    for refusal in [late, early] {
        assert_eq!(refusal.kind, "Obstructed", "{name}: {refusal:?}");
        assert!(refusal.hint.is_some(), "{name}: {refusal:?}");
    }
    let ids: Vec<&str> = report.obstacles.iter().map(Obstacle::id).collect();
    assert!(ids.contains(&case.obstacle), "{name}: {:?}", report.obstacles);
    assert_eq!(report.token, None, "{name}");
}

#[test]
fn a_device_without_a_medium_or_for_reading_only_gets_no_token_needs_root() {
    let _turn = turn();
    if !is_root("no medium") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let empty = Loop::over(&sparse(&place.path().join("empty"), 0), &[]);
    let fixed = Loop::over(&sparse(&place.path().join("fixed"), 8 * MIB), &["--read-only"]);
    for (device, id) in [(&empty, "no-medium"), (&fixed, "read-only")] {
        let report = inspect_device(&device.node, &[]).unwrap();
        assert_eq!(report.obstacles[0].id(), id);
        assert_eq!(report.token, None);
        let refusal = attempt(&device.node, Some("0123456789abcdef"), &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, "Obstructed", "{refusal:?}");
    }
}
