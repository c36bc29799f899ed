//! Tokens that were right once, or never: a device is written only with the token of what is on it now.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::rig::*;
use iotrial_engine::run;
use iotrial_engine::targets::{inspect_device, prepare, probe};
use iotrial_measure::control::Decision;
use iotrial_model::plan::AreaKind;
use iotrial_model::record::{EndedHow, Interval};

const SIZE: u64 = 24 * MIB;

/// A device whose file has data at its start.
struct Stage {
    disk: Option<Loop>,
    place: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let image = sparse(&place.path().join("disk.img"), SIZE);
        write(&image, 12345, b"somebody's data");
        Self { disk: Some(Loop::over(&image, &[])), place }
    }

    fn node(&self) -> PathBuf {
        self.disk.as_ref().unwrap().node.clone()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Puts another file under the same number.
    fn exchange(&mut self, backing: &Path) {
        let node = self.node();
        self.disk = None;
        run("losetup", &[text(&node), text(backing)]);
        self.disk = Some(Loop { node });
    }

    /// A file like that of the device, byte for byte.
    fn copy(&self) -> PathBuf {
        run("cp", &["--sparse=always", text(&self.path("disk.img")), text(&self.path("copy.img"))]);
        self.path("copy.img")
    }
}

fn token_of(device: &Path) -> String {
    let report = inspect_device(device, &[]).unwrap();
    report.token.unwrap_or_else(|| panic!("{:?}", report.obstacles))
}

struct Case {
    name: &'static str,
    change: fn(&mut Stage),
}

/// What happens between the token and the run.
const CHANGES: &[Case] = &[
    Case { name: "one bit of the first page", change: |stage| write(&stage.node(), 0, &[1]) },
    Case { name: "one byte in the middle", change: |stage| write(&stage.node(), SIZE / 2 + 77, &[1]) },
    Case { name: "the last byte", change: |stage| write(&stage.node(), SIZE - 1, &[1]) },
    Case { name: "data that was wiped", change: |stage| write(&stage.node(), 12345, &[0; 64]) },
    Case { name: "a file system that was made", change: |stage| make_ext4(&stage.node(), None) },
    Case {
        name: "a device that grew",
        change: |stage| {
            let file = File::options().write(true).open(stage.path("disk.img")).unwrap();
            file.set_len(SIZE + MIB).unwrap();
            run("losetup", &["--set-capacity", text(&stage.node())]);
        },
    },
    Case {
        name: "a device that shrank",
        change: |stage| {
            let file = File::options().write(true).open(stage.path("disk.img")).unwrap();
            file.set_len(SIZE - MIB).unwrap();
            run("losetup", &["--set-capacity", text(&stage.node())]);
        },
    },
    Case {
        name: "a device taken off and put back",
        change: |stage| stage.exchange(&stage.path("disk.img").clone()),
    },
    Case {
        name: "another device with the same content under the same number",
        change: |stage| {
            let copy = stage.copy();
            stage.exchange(&copy);
        },
    },
    Case {
        name: "another device under the same number",
        change: |stage| {
            let other = sparse(&stage.path("other.img"), SIZE);
            stage.exchange(&other);
        },
    },
];

#[test]
fn a_token_is_void_after_any_change_of_device_or_content_needs_root() {
    let _turn = turn();
    if !is_root("changes") {
        return;
    }
    for Case { name, change } in CHANGES {
        for probed_before in [false, true] {
            eprintln!("{name}, probed before: {probed_before}");
            let mut stage = Stage::new();
            let node = stage.node();
            let token = token_of(&node);
            let probed = probed_before.then(|| probe(&node, Some(&token), &[]).unwrap());
            change(&mut stage);
            settle(&node);
            let watched = [stage.place.path().to_owned(), node.clone()];
            let before = fingerprint(&watched);
            let result = match &probed {
                Some(probed) => finish(probed),
                None => attempt(&node, Some(&token), &[]),
            };
            let refusal = result.map(|_| ()).unwrap_err();
            assert!(fingerprint(&watched) == before, "{name}: bytes changed");
            let expected = if probed_before { "Changed" } else { "WrongToken" };
            assert_eq!(refusal.kind, expected, "{name}: {refusal:?}");
            let command = format!("`iotrial target {}`", node.display());
            assert!(refusal.hint.as_ref().is_some_and(|hint| hint.contains(&command)), "{refusal:?}");
        }
    }
}

#[test]
fn only_the_very_token_counts_needs_root() {
    let _turn = turn();
    if !is_root("wrong tokens") {
        return;
    }
    let stage = Stage::new();
    let twin = Loop::over(&stage.copy(), &[]);
    let node = stage.node();
    let (right, of_twin) = (token_of(&node), token_of(&twin.node));
    let before = fingerprint(&[stage.place.path().to_owned()]);
    let zeros = "0".repeat(16);
    let doubled = format!("{right}{right}");
    for wrong in ["", " ", "yes", "--force", &zeros, &right[..15], &right[1..], &doubled, &of_twin] {
        let refusal = attempt(&node, Some(wrong), &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, "WrongToken", "{wrong}: {refusal:?}");
    }
    assert!(fingerprint(&[stage.place.path().to_owned()]) == before);
    // As people copy it.
    attempt(&node, Some(&format!(" {}\n", right.to_uppercase())), &[]).unwrap();
}

#[test]
fn a_plan_cannot_talk_its_way_to_writing_without_a_token_needs_root() {
    let _turn = turn();
    if !is_root("forged plans") {
        return;
    }
    let stage = Stage::new();
    let before = fingerprint(&[stage.place.path().to_owned()]);
    let probed = probe(&stage.node(), None, &[]).unwrap();
    let honest = plan(&probed, false);
    let prepare = |plan, targets: &[_]| prepare([0; 16], plan, targets, &|_, _| (), &|| false);

    let mut destroys = honest.clone();
    destroys.areas[0].kind = AreaKind::DeviceDestroy;
    let mut writes = honest.clone();
    writes.jobs[0].rwmix_read_percent = 0;
    let mut is_a_file = writes.clone();
    is_a_file.areas[0].kind = AreaKind::ManagedFile;
    let mut was_a_file = writes.clone();
    was_a_file.areas[0].kind = AreaKind::GivenFile;
    let forged =
        [(&destroys, "NoToken"), (&writes, "NoToken"), (&is_a_file, "NotProbed"), (&was_a_file, "NotOurs")];
    for (plan, kind) in forged {
        let refusal = Refusal::from(prepare(plan, std::slice::from_ref(&probed)).map(|_| ()).unwrap_err());
        assert_eq!(refusal.kind, kind, "{refusal:?}");
    }
    let refusal = Refusal::from(prepare(&destroys, &[]).map(|_| ()).unwrap_err());
    assert_eq!(refusal.kind, "NotProbed");
    assert!(fingerprint(&[stage.place.path().to_owned()]) == before);
}

#[test]
fn a_node_that_was_exchanged_for_another_device_is_not_followed_needs_root() {
    let _turn = turn();
    if !is_root("exchanged nodes") {
        return;
    }
    let stage = Stage::new();
    let twin = Loop::over(&stage.copy(), &[]);
    let node = stage.path("node");
    let make = |device: &Path| {
        let _ = fs::remove_file(&node);
        let number = fs::read_to_string(format!("/sys/block/{}/dev", device.file_name().unwrap().display()));
        let (major, minor) = number.as_ref().unwrap().trim().split_once(':').unwrap();
        run("mknod", &[text(&node), "b", major, minor]);
    };
    make(&stage.node());
    let probed = probe(&node, Some(&token_of(&node)), &[]).unwrap();
    let images = [stage.path("disk.img"), stage.path("copy.img")];
    let before = fingerprint(&images);

    make(&twin.node);
    assert_eq!(finish(&probed).map(|_| ()).unwrap_err().kind, "Changed");
    fs::remove_file(&node).unwrap();
    assert_eq!(finish(&probed).map(|_| ()).unwrap_err().kind, "Changed");
    std::os::unix::fs::symlink(&twin.node, &node).unwrap();
    assert_eq!(finish(&probed).map(|_| ()).unwrap_err().kind, "Changed");
    fs::remove_file(&node).unwrap();
    fs::write(&node, "a file").unwrap();
    assert_eq!(finish(&probed).map(|_| ()).unwrap_err().kind, "Changed");
    assert!(fingerprint(&images) == before);
}

#[test]
fn a_valid_token_fills_the_slices_of_the_plan_and_nothing_else_and_holds_the_device_needs_root() {
    let _turn = turn();
    if !is_root("the right token") {
        return;
    }
    let stage = Stage::new();
    let node = stage.node();
    write(&node, 20 * MIB, &[0xee; 4096]);
    let probed = probe(&node, Some(&token_of(&node)), &[]).unwrap();
    let plan = plan(&probed, true);
    let prepared = finish(&probed).unwrap();
    assert_eq!(prepared.layout.unwrap().written.get(), 8 * MIB);

    let mut image = fs::read(stage.path("disk.img")).unwrap();
    let end = usize::try_from((plan.areas[0].offset + plan.areas[0].length).get()).unwrap();
    let rest = image.split_off(end);
    let pages: std::collections::HashSet<&[u8]> = image.chunks(4096).collect();
    assert_eq!(pages.len(), end / 4096, "no two pages are equal");
    let mut expected = vec![0; rest.len()];
    let start = usize::try_from(20 * MIB).unwrap() - end;
    expected[start..start + 4096].fill(0xee);
    assert!(rest == expected, "bytes beyond the slice changed");

    // Nobody else can take it meanwhile: this is how file systems, swap and arrays do it.
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let error = File::options().read(true).custom_flags(exclusive).open(&node).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    assert_eq!(attempt(&node, Some("0123456789abcdef"), &[]).map(|_| ()).unwrap_err().kind, "Obstructed");
    // And this is how udev and mkfs see that the disk is somebody's for now.
    let lock = || File::open(&node).unwrap().try_lock_shared();
    assert!(matches!(lock(), Err(fs::TryLockError::WouldBlock)));
    assert_eq!(prepared.made_files().count(), 0);
    prepared.remove_made().unwrap();
    lock().unwrap();
    assert!(inspect_device(&node, &[]).unwrap().token.is_some(), "it is free again");
}

#[test]
fn reading_needs_no_token_and_harms_nobody_not_even_on_a_mounted_device_needs_root() {
    let _turn = turn();
    if !is_root("reading") {
        return;
    }
    let stage = Stage::new();
    make_ext4(&stage.node(), None);
    let _mount = Mount::new(&["-o", "ro", text(&stage.node())], &stage.path("mnt"));
    settle(&stage.node());
    let before = fingerprint(&[stage.path("disk.img")]);
    let probed = probe(&stage.node(), None, &[]).unwrap();
    let prepared =
        prepare([0; 16], &plan(&probed, false), std::slice::from_ref(&probed), &|_, _| (), &|| false)
            .unwrap();
    assert_eq!(prepared.layout, None);
    // A load that writes all the same gets nothing but errors: the engine's handles are for reading only.
    let mut writes = plan(&probed, false);
    writes.jobs[0].rwmix_read_percent = 0;
    writes.interval = Duration::from_millis(20);
    let mut watcher = |_: &Interval| Decision::GoOn;
    let outcome =
        run::run(&Arc::new(writes), &prepared.areas, None, &[], &Arc::default(), &mut watcher).unwrap();
    assert_eq!(outcome.ended.how, EndedHow::Failed);
    drop(prepared);
    assert!(fingerprint(&[stage.path("disk.img")]) == before);
}

/// Names, places and bytes of marks, written down here once more and not taken from the program.
const MARKS: &[(&str, i64, &[u8])] = &[
    ("MBR partition table or boot sector", 510, b"\x55\xaa"),
    ("GPT", 512, b"EFI PART"),
    ("GPT", 4096, b"EFI PART"),
    ("GPT", -512, b"EFI PART"),
    ("GPT", -4096, b"EFI PART"),
    ("ext2/3/4", 1080, b"\x53\xef"),
    ("ext2/3/4 (backup)", 8_389_632 + 56, b"\x53\xef"),
    ("xfs", 0, b"XFSB"),
    ("xfs", 6 << 20, b"XFSB"),
    ("xfs", 12 << 20, b"XFSB"),
    ("xfs", 18 << 20, b"XFSB"),
    ("btrfs", 65600, b"_BHRfS_M"),
    ("ntfs", 3, b"NTFS    "),
    ("ntfs", -509, b"NTFS    "),
    ("exfat", 3, b"EXFAT   "),
    ("exfat", 6147, b"EXFAT   "),
    ("fat", 82, b"FAT32   "),
    ("fat", 3154, b"FAT32   "),
    ("LUKS1", 0, b"LUKS\xba\xbe\x00\x01"),
    ("LUKS2", 0, b"LUKS\xba\xbe\x00\x02"),
    ("LUKS2 (second header)", 16384, b"SKUL\xba\xbe\x00\x02"),
    ("LUKS2 (second header)", 4 << 20, b"SKUL\xba\xbe\x00\x02"),
    ("LVM2", 0, b"LABELONE\x01\0\0\0\0\0\0\0aaaaaaaaLVM2 001"),
    ("LVM2", 512, b"LABELONE\x01\0\0\0\0\0\0\0aaaaaaaaLVM2 001"),
    ("LVM2", 1536, b"LABELONE\x01\0\0\0\0\0\0\0aaaaaaaaLVM2 001"),
    ("md 1.1", 0, b"\xfc\x4e\x2b\xa9"),
    ("md 1.2", 4096, b"\xfc\x4e\x2b\xa9"),
    ("md 1.0", -8192, b"\xfc\x4e\x2b\xa9"),
    ("md 0.90", -65536, b"\xfc\x4e\x2b\xa9"),
    ("swap", 4086, b"SWAPSPACE2"),
    ("swap", 65526, b"SWAPSPACE2"),
    ("zfs", 131_072, b"\x0c\xb1\xba\0\0\0\0\0"),
    ("zfs", 131_072 + 4096 * 5, b"\x0c\xb1\xba\0\0\0\0\0"),
    ("zfs", -393_216, b"\x0c\xb1\xba\0\0\0\0\0"),
    ("zfs", -131_072 + 1024, b"\x0c\xb1\xba\0\0\0\0\0"),
    ("bcache", 4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ("drbd", -4096 + 60, b"\x83\x74\x02\x6d"),
    ("vmfs", 2 << 20, b"\x5e\xf1\xab\x2f"),
    ("ceph bluestore", 0, b"bluestore block device\n"),
    ("Oracle ASM disk", 32, b"ORCLDISKDATA1"),
    ("Oracle ASM header", 0, b"\x01\x82\x01\x01"),
    ("Oracle ASM header", 2_088_960, b"\x01\x82\x01\x01"),
    ("iso9660", 32769, b"CD001"),
    ("ReFS", 3, b"ReFS\0\0\0\0"),
    ("BitLocker", 3, b"-FVE-FS-"),
    ("squashfs", 0, b"hsqs"),
    ("f2fs", 1024, b"\x10\x20\xf5\xf2"),
    ("f2fs", 5120, b"\x10\x20\xf5\xf2"),
];

#[test]
fn a_mark_anywhere_is_named_and_voids_the_token_needs_root() {
    let _turn = turn();
    if !is_root("marks") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let disk = Loop::over(&sparse(&place.path().join("disk.img"), SIZE), &[]);
    let empty = inspect_device(&disk.node, &[]).unwrap();
    assert!(empty.signatures.is_empty() && !empty.content.contains_data(), "{empty:?}");
    let token = empty.token.unwrap();
    for (name, place, bytes) in MARKS {
        let offset = if *place < 0 { SIZE - place.unsigned_abs() } else { place.unsigned_abs() };
        write(&disk.node, offset, bytes);
        let refusal = attempt(&disk.node, Some(&token), &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, "WrongToken", "{name} at {offset}: {refusal:?}");
        let report = inspect_device(&disk.node, &[]).unwrap();
        let names: Vec<_> = report.signatures.iter().map(|signature| signature.name.as_str()).collect();
        assert!(names.contains(name), "{name} at {offset}: {names:?}");
        assert!(report.content.contains_data());
        let mut read = vec![0; bytes.len()];
        File::open(&disk.node).unwrap().read_exact_at(&mut read, offset).unwrap();
        assert_eq!(read, *bytes, "{name} at {offset} was written over");
        write(&disk.node, offset, &vec![0; bytes.len()]);
    }
    assert_eq!(inspect_device(&disk.node, &[]).unwrap().token.unwrap(), token, "nothing else was written");
}

#[test]
fn a_file_system_with_a_wiped_header_is_known_by_its_backup_needs_root() {
    let _turn = turn();
    if !is_root("wiped headers") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let disk = Loop::over(&sparse(&place.path().join("disk.img"), 160 * MIB), &[]);
    let check = |name: &str| {
        let before = fingerprint(&[place.path().to_owned()]);
        let report = inspect_device(&disk.node, &[]).unwrap();
        let names: Vec<_> = report.signatures.iter().map(|signature| signature.name.as_str()).collect();
        assert!(names.contains(&name), "{name}: {names:?}");
        attempt(&disk.node, Some("0123456789abcdef"), &[]).map(|_| ()).unwrap_err();
        assert!(fingerprint(&[place.path().to_owned()]) == before, "{name}");
    };
    run("mkfs.ext4", &["-q", "-F", "-b", "4096", "-E", "nodiscard", text(&disk.node)]);
    write(&disk.node, 0, &[0; 65536]);
    check("ext2/3/4 (backup)");
    run("mkfs.ext4", &["-q", "-F", "-b", "1024", "-E", "nodiscard", text(&disk.node)]);
    write(&disk.node, 0, &[0; 65536]);
    check("ext2/3/4 (backup)");
    run("mkfs.btrfs", &["-q", "-f", "-K", text(&disk.node)]);
    write(&disk.node, 65536, &[0; 4096]);
    check("btrfs");
}
