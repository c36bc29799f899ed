//! Directories and files that are not for iotrial. Each set-up is tried as a target in every way, and all
//! that is there is compared before and after.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::rig::*;
use iotrial_engine::targets::{find_left_overs, prepare, probe, remove_left_over};
use iotrial_model::plan::AreaKind;
use iotrial_model::units::ByteSize;

const HEADER: u64 = MIB;

/// A directory, and beside it somebody's files.
struct Stage {
    place: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let place_path = fs::canonicalize(place.path()).unwrap();
        fs::create_dir(place_path.join("volume")).unwrap();
        fs::write(place_path.join("victim"), vec![0x5a; 3 << 20]).unwrap();
        fs::set_permissions(place_path.join("victim"), fs::Permissions::from_mode(0o640)).unwrap();
        Self { place }
    }

    fn place(&self) -> PathBuf {
        fs::canonicalize(self.place.path()).unwrap()
    }

    fn volume(&self) -> PathBuf {
        self.place().join("volume")
    }

    /// The file that a plan on the directory makes.
    fn file(&self) -> PathBuf {
        self.volume().join("data.iotrial")
    }

    fn victim(&self) -> PathBuf {
        self.place().join("victim")
    }

    /// A whole managed file, as a run with `--keep-files` leaves it.
    fn keep_file(&self) {
        attempt(&self.volume(), None, &[]).unwrap().keep_made();
        assert!(self.file().exists());
    }

    fn kept(&self) -> File {
        self.keep_file();
        File::options().read(true).write(true).open(self.file()).unwrap()
    }
}

struct Case {
    name: &'static str,
    set_up: fn(&Stage, &mut Guards),
    /// The error when the file itself is the target.
    given: &'static str,
}

/// What may stand where a managed file should be.
const FOREIGN: &[Case] = &[
    Case {
        name: "somebody's file",
        set_up: |stage, _| {
            fs::copy(stage.victim(), stage.file()).unwrap();
        },
        given: "NotOurs",
    },
    Case { name: "an empty file", set_up: |stage, _| fs::write(stage.file(), "").unwrap(), given: "NotOurs" },
    Case {
        name: "a file shorter than a header",
        set_up: |stage, _| fs::write(stage.file(), "iotrial\0managed\n").unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a file of zeros",
        set_up: |stage, _| drop(sparse(&stage.file(), 9 * MIB)),
        given: "NotOurs",
    },
    Case {
        name: "a symbolic link to somebody's file",
        set_up: |stage, _| symlink(stage.victim(), stage.file()).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a relative symbolic link to somebody's file",
        set_up: |stage, _| symlink("../victim", stage.file()).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a symbolic link that leads nowhere",
        set_up: |stage, _| symlink(stage.place().join("not-there"), stage.file()).unwrap(),
        given: "DanglingLink",
    },
    Case {
        name: "a hard link to somebody's file",
        set_up: |stage, _| fs::hard_link(stage.victim(), stage.file()).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a file of ours that has a second name",
        set_up: |stage, _| {
            stage.keep_file();
            fs::hard_link(stage.file(), stage.place().join("second")).unwrap();
        },
        given: "NotOurs",
    },
    Case {
        name: "a pipe",
        set_up: |stage, _| drop(run("mkfifo", &[text(&stage.file())])),
        given: "NotATarget",
    },
    Case {
        name: "a socket",
        set_up: |stage, guards| guards.add(UnixListener::bind(stage.file()).unwrap()),
        given: "NotATarget",
    },
    Case {
        name: "a header with a bit changed",
        set_up: |stage, _| stage.kept().write_all_at(&[3], 30).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a header that claims another size",
        set_up: |stage, _| stage.kept().write_all_at(&[0xff], 44).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a header with a wrong checksum",
        set_up: |stage, _| stage.kept().write_all_at(&[0; 32], 64).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a header of a later format",
        set_up: |stage, _| stage.kept().write_all_at(&[9], 16).unwrap(),
        given: "NotOurs",
    },
    Case {
        name: "a file that somebody wrote over from its start",
        set_up: |stage, _| stage.kept().write_all_at(b"backup of the customers", 0).unwrap(),
        given: "NotOurs",
    },
];

#[test]
fn what_iotrial_did_not_make_is_never_touched_under_the_name_of_a_managed_file() {
    let _turn = turn();
    for Case { name, set_up, given } in FOREIGN {
        eprintln!("{name}");
        let stage = Stage::new();
        let mut guards = Guards::default();
        set_up(&stage, &mut guards);
        let before = fingerprint(&[stage.place()]);

        let refusal = attempt(&stage.volume(), None, &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, "NotOurs", "{name}: {refusal:?}");
        assert!(refusal.message.contains("data.iotrial") && refusal.hint.is_some(), "{refusal:?}");
        let refusal = attempt(&stage.file(), None, &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, *given, "{name}: {refusal:?}");
        assert!(refusal.hint.is_some(), "{refusal:?}");
        assert!(find_left_overs(&stage.volume()).unwrap().is_empty(), "{name}");
        assert!(fingerprint(&[stage.place()]) == before, "{name}: something changed");
    }
}

#[test]
fn a_device_node_under_the_name_of_a_managed_file_is_not_written_needs_root() {
    let _turn = turn();
    if !is_root("device nodes") {
        return;
    }
    let stage = Stage::new();
    let disk = Loop::over(&stage.victim(), &[]);
    let number = fs::read_to_string(format!("/sys/block/{}/dev", disk.name())).unwrap();
    let (major, minor) = number.trim().split_once(':').unwrap();
    for node in [["b", major, minor], ["c", "1", "3"]] {
        run("mknod", &[&[text(&stage.file())], &node[..]].concat());
        let before = fingerprint(&[stage.place()]);
        assert_eq!(attempt(&stage.volume(), None, &[]).map(|_| ()).unwrap_err().kind, "NotOurs");
        assert!(fingerprint(&[stage.place()]) == before);
        fs::remove_file(stage.file()).unwrap();
    }
}

#[test]
fn a_foreign_file_that_comes_after_the_probe_is_not_touched_either() {
    let _turn = turn();
    for Case { name, set_up, .. } in FOREIGN {
        let stage = Stage::new();
        let mut guards = Guards::default();
        let probed = probe(&stage.volume(), None, &[]).unwrap();
        set_up(&stage, &mut guards);
        let before = fingerprint(&[stage.place()]);
        assert_eq!(finish(&probed).map(|_| ()).unwrap_err().kind, "NotOurs", "{name}");
        assert!(fingerprint(&[stage.place()]) == before, "{name}: something changed");
    }
}

#[test]
fn a_file_of_ours_that_is_not_whole_is_refused_as_given_and_made_anew_in_its_directory() {
    let _turn = turn();
    type Spoil = fn(&Stage);
    let spoil: [(&str, Spoil); 5] = [
        ("cut", |stage| stage.kept().set_len(5 * MIB).unwrap()),
        ("longer", |stage| stage.kept().set_len(9 * MIB).unwrap()),
        ("punched", |stage| punch(&stage.kept(), HEADER + 3 * MIB, 65536)),
        ("punched at the end", |stage| punch(&stage.kept(), 8 * MIB - 4096, 4096)),
        ("merely reserved", |stage| {
            let file = stage.kept();
            punch(&file, HEADER, 7 * MIB);
            run("fallocate", &["--length", "8MiB", text(&stage.file())]);
        }),
    ];
    for (name, spoil) in spoil {
        let stage = Stage::new();
        spoil(&stage);
        let error = probe(&stage.file(), None, &[]).unwrap_err();
        assert!(format!("{error:?}").starts_with("NotWhole"), "{name}: {error:?}");
        assert!(error.hint().is_some());
        let prepared = attempt(&stage.volume(), None, &[]).unwrap();
        let layout = prepared.layout.unwrap();
        assert_eq!((layout.written, layout.reused), (ByteSize::mib(7), ByteSize::default()), "{name}");
        assert_eq!(prepared.made_files().collect::<Vec<_>>(), [stage.file()]);
        prepared.keep_made();
        let target = probe(&stage.file(), None, &[]).unwrap();
        let prepared = finish_given(&target).unwrap();
        assert_eq!(prepared.layout, None, "a given file is used as it is");
    }
}

/// The plan of a given file is smaller than the file.
fn finish_given(
    target: &iotrial_engine::targets::ProbedTarget,
) -> Result<iotrial_engine::targets::Prepared, Refusal> {
    let mut plan = plan(target, true);
    assert_eq!(plan.areas[0].kind, AreaKind::GivenFile);
    plan.areas[0].length = plan.areas[0].length.min(ByteSize::mib(7));
    Ok(prepare([0; 16], &plan, std::slice::from_ref(target), &|_, _| (), &|| false)?)
}

fn punch(file: &File, start: u64, length: u64) {
    use rustix::fs::FallocateFlags;
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(file, flags, start, length).unwrap();
}

#[test]
fn a_file_that_is_locked_by_another_run_is_left_alone() {
    let _turn = turn();
    let stage = Stage::new();
    stage.keep_file();
    let lock = format!("exec 9<{}; flock --nonblock 9", text(&stage.file()));
    let _other = Process::start(&[], &lock);
    let before = fingerprint(&[stage.place()]);
    let refusal = attempt(&stage.volume(), None, &[]).map(|_| ()).unwrap_err();
    assert_eq!(refusal.kind, "InUse", "{refusal:?}");
    let target = probe(&stage.file(), None, &[]).unwrap();
    assert_eq!(finish_given(&target).map(|_| ()).unwrap_err().kind, "InUse");
    let found = find_left_overs(&stage.volume()).unwrap().remove(0);
    assert!(found.in_use && remove_left_over(&found).is_err());
    assert!(fingerprint(&[stage.place()]) == before);
}

#[test]
fn a_plan_that_asks_for_bytes_outside_a_given_file_is_refused() {
    let _turn = turn();
    let stage = Stage::new();
    stage.keep_file();
    let target = probe(&stage.file(), None, &[]).unwrap();
    let honest = plan(&target, true);
    let before = fingerprint(&[stage.place()]);
    for (offset, length) in [(0, MIB), (HEADER, 8 * MIB), (u64::MAX - 4095, 8192)] {
        let mut plan = honest.clone();
        plan.areas[0].offset = ByteSize::bytes(offset);
        plan.areas[0].length = ByteSize::bytes(length);
        let error =
            prepare([0; 16], &plan, std::slice::from_ref(&target), &|_, _| (), &|| false).unwrap_err();
        assert!(format!("{error:?}").starts_with("NotWhole"), "{error:?}");
    }
    assert!(fingerprint(&[stage.place()]) == before);
}

#[test]
fn no_directory_of_the_kernel_and_no_misspelt_device_becomes_a_target() {
    let _turn = turn();
    let place = tempfile::tempdir().unwrap();
    let link = |name: &str, to: &str| {
        symlink(to, place.path().join(name)).unwrap();
        place.path().join(name)
    };
    let path = PathBuf::from;
    let cases = [
        (path("/dev"), "KernelsPlace"),
        (path("/dev/shm"), "KernelsPlace"),
        (path("/dev/shm/iotrial"), "NoSuchDevice"),
        (path("/dev/iotrial-no-such-disk"), "NoSuchDevice"),
        (path("/dev/disk/by-id/iotrial-no-such-disk"), "NoSuchDevice"),
        (path("/dev/../dev/iotrial-no-such-disk"), "NoSuchDevice"),
        (path("//dev/./iotrial-no-such-disk/"), "NoSuchDevice"),
        (path("/proc"), "KernelsPlace"),
        (path("/proc/self"), "KernelsPlace"),
        (path("/proc/sys/vm/drop_caches"), "FileAmongDevices"),
        (path("/sys/kernel"), "KernelsPlace"),
        (path("/sys/iotrial"), "KernelsPlace"),
        (path("/dev/null"), "NotATarget"),
        (path("/dev/zero"), "NotATarget"),
        (link("to-dev", "/dev"), "KernelsPlace"),
        (link("to-shm", "/dev/shm"), "KernelsPlace"),
        (place.path().join("to-dev/iotrial-no-such-disk"), "KernelsPlace"),
        (link("to-misspelt", "/dev/iotrial-no-such-disk"), "DanglingLink"),
        (link("to-itself", "to-itself"), "Examine"),
        (link("to-null", "/dev/null"), "NotATarget"),
        (place.path().join("no/such"), "NoParent"),
        (place.path().join("none.iotrial"), "NoSuchFile"),
        (path(""), "Examine"),
    ];
    let in_dev = || fs::read_dir("/dev").unwrap().count() + fs::read_dir("/dev/shm").unwrap().count();
    let (before, dev_before) = (fingerprint(&[place.path().to_owned()]), in_dev());
    for (path, kind) in cases {
        let refusal = attempt(&path, Some("0123456789abcdef"), &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, kind, "{}: {refusal:?}", path.display());
    }
    assert!(fingerprint(&[place.path().to_owned()]) == before);
    assert_eq!(in_dev(), dev_before);
}

#[test]
fn a_regular_file_among_the_devices_is_never_a_target_needs_root() {
    let _turn = turn();
    if !is_root("files among devices") {
        return;
    }
    let stage = Stage::new();
    stage.keep_file();
    for directory in ["/dev", "/dev/shm"] {
        for (name, source) in
            [("iotrial-test-foreign", stage.victim()), ("iotrial-test.iotrial", stage.file())]
        {
            let path = Path::new(directory).join(format!("{name}-{}", std::process::id()));
            let _removed = Removed(path.clone());
            fs::copy(source, &path).unwrap();
            let before = fingerprint(std::slice::from_ref(&path));
            let refusal = attempt(&path, Some("0123456789abcdef"), &[]).map(|_| ()).unwrap_err();
            assert_eq!(refusal.kind, "FileAmongDevices", "{refusal:?}");
            assert!(fingerprint(std::slice::from_ref(&path)) == before);
        }
    }
}

#[test]
fn the_devices_are_known_under_another_mount_point_too_needs_root() {
    let _turn = turn();
    if !is_root("devices elsewhere") {
        return;
    }
    let stage = Stage::new();
    let elsewhere = stage.place().join("elsewhere");
    let _mount = Mount::new(&["--bind", "/dev"], &elsewhere);
    for path in [elsewhere.clone(), elsewhere.join("iotrial-no-such-disk")] {
        assert_eq!(attempt(&path, None, &[]).map(|_| ()).unwrap_err().kind, "KernelsPlace");
    }
    assert!(!Path::new("/dev/iotrial-no-such-disk").exists());
}

#[test]
fn a_volume_that_is_read_only_full_or_gone_is_refused_with_its_reason_needs_root() {
    let _turn = turn();
    if !is_root("volumes") {
        return;
    }
    let stage = Stage::new();
    let disk = Loop::over(&sparse(&stage.place().join("disk.img"), 24 * MIB), &[]);
    make_ext4(&disk.node, None);
    let mount = |options: &str| Mount::new(&["-o", options, text(&disk.node)], &stage.volume());

    let read_only = mount("ro");
    for path in [stage.volume(), stage.volume().join("new")] {
        let refusal = attempt(&path, None, &[]).map(|_| ()).unwrap_err();
        assert_eq!(refusal.kind, "NotWritable", "{refusal:?}");
        assert!(refusal.hint.unwrap().contains("read only"));
    }
    drop(read_only);

    // The plan would have refused this; another program may have filled the volume since.
    let small = mount("noatime");
    let probed = probe(&stage.volume(), None, &[]).unwrap();
    let before = fingerprint(&[stage.volume()]);
    let mut roomy = probe(&stage.place(), None, &[]).unwrap();
    roomy.facts.path = probed.facts.path.clone();
    let plan = plan(&roomy, true);
    let error = prepare([0; 16], &plan, std::slice::from_ref(&probed), &|_, _| (), &|| false).unwrap_err();
    assert!(format!("{error:?}").starts_with("NoSpace"), "{error:?}");
    assert!(error.hint().is_some());
    assert!(fingerprint(&[stage.volume()]) == before);

    // Unmounted, it leaves a directory of the same name on another file system.
    drop(small);
    let error = prepare([0; 16], &plan, std::slice::from_ref(&probed), &|_, _| (), &|| false).unwrap_err();
    assert!(format!("{error:?}").starts_with("Exchanged"), "{error:?}");
    assert!(fs::read_dir(stage.volume()).unwrap().next().is_none());
}

#[test]
fn a_directory_that_became_a_link_after_the_probe_is_not_followed() {
    let _turn = turn();
    let stage = Stage::new();
    let probed = [stage.volume(), stage.place().join("new")].map(|path| probe(&path, None, &[]).unwrap());
    fs::create_dir(stage.place().join("private")).unwrap();
    fs::remove_dir(stage.volume()).unwrap();
    symlink("private", stage.volume()).unwrap();
    symlink("private", stage.place().join("new")).unwrap();
    let before = fingerprint(&[stage.place()]);
    for probed in &probed {
        assert_eq!(finish(probed).map(|_| ()).unwrap_err().kind, "Exchanged");
    }
    assert!(fingerprint(&[stage.place()]) == before);
}

#[test]
fn odd_names_are_no_obstacle_and_files_are_private() {
    let _turn = turn();
    let stage = Stage::new();
    for name in ["a line\nend", "blank at end ", "-rf", "ü\u{202e}txt", "'; rm -rf \"$HOME\"", "new.dir"] {
        let volume = stage.place().join(name);
        let prepared = attempt(&volume, None, &[]).unwrap();
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(&volume), mode(&volume.join("data.iotrial"))), (0o700, 0o600), "{name}");
        prepared.remove_made().unwrap();
        assert!(!volume.exists(), "{name}");
    }
    let before = fingerprint(&[stage.victim()]);
    let prepared = attempt(&stage.volume(), None, &[]).unwrap();
    fs::write(stage.volume().join("notes.txt"), "somebody's").unwrap();
    prepared.remove_made().unwrap();
    assert!(stage.volume().join("notes.txt").exists() && !stage.file().exists());
    assert!(fingerprint(&[stage.victim()]) == before);
}

/// Runs the test of that name in a process without rights, on a path.
fn as_nobody(test: &str, path: &Path) -> String {
    // A copy, because the directory of the build may be closed to others.
    let program = Path::new("/var/tmp").join(format!("iotrial-test-{}", std::process::id()));
    let _removed = Removed(program.clone());
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let identity = ["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];
    let output = std::process::Command::new("setpriv")
        .args(identity)
        .arg(&program)
        .args(["--exact", test, "--nocapture"])
        .env("IOTRIAL_TEST_TARGET", path)
        .current_dir("/")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Prints how an attempt ends, for [`as_nobody`]; without a target it is no test of its own.
#[test]
fn an_attempt_on_the_target_of_the_environment_ends() {
    let Some(path) = std::env::var_os("IOTRIAL_TEST_TARGET") else { return };
    let ended = attempt(Path::new(&path), Some("0123456789abcdef"), &[]).map(|_| ());
    eprintln!("ended: {:?}", ended.map_err(|refusal| (refusal.kind, refusal.hint.is_some())));
}

#[test]
fn an_ordinary_user_is_told_what_right_is_missing_needs_root() {
    let _turn = turn();
    if !is_root("ordinary users") {
        return;
    }
    let stage = Stage::new();
    fs::set_permissions(stage.place(), fs::Permissions::from_mode(0o755)).unwrap();
    let closed = stage.place().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(closed.join("inside")).unwrap();
    let disk = Loop::over(&stage.victim(), &[]);
    stage.keep_file();
    let open = stage.place().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(stage.file(), open.join("data.iotrial")).unwrap();
    fs::set_permissions(open.join("data.iotrial"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = fingerprint(&[stage.place()]);
    let check = |path: &Path, kind: &str| {
        let printed = as_nobody("hostile_files::an_attempt_on_the_target_of_the_environment_ends", path);
        let expected = format!("ended: Err((\"{kind}\", true))");
        assert!(printed.contains(&expected), "{}: {printed}", path.display());
    };
    check(&stage.volume(), "NotWritable");
    check(&stage.place().join("new"), "NotWritable");
    check(&closed.join("inside"), "Examine");
    check(&disk.node, "Examine");
    // A file of another user is not read, and not removed either.
    check(&open, "File");
    assert!(fingerprint(&[stage.place()]) == before);
}
