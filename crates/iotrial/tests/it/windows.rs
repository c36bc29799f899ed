//! The program on Windows, as a user runs it there: `cargo xtask test` runs this under Wine.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

use crate::support::{Bench, Ran, start};
use serde_json::Value;
use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::{DACL_SECURITY_INFORMATION, SetFileSecurityW};
use windows_sys::Win32::Storage::FileSystem::{DDD_REMOVE_DEFINITION, DefineDosDeviceW};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};

/// Runs a profile for some seconds on a small folder, and gives what is said of it as JSON.
fn run(bench: &Bench, profile: &str, more: &[&str]) -> Value {
    let arguments =
        ["run", profile, "--target", "data", "--size", "48MiB", "--ramp", "1s", "--duration", "3s", "--json"];
    let ran = bench.run(&[&arguments[..], more].concat());
    assert!(ran.code == 0 || ran.code == 4, "{}\n{}", ran.code, ran.stderr);
    ran.json()
}

#[test]
fn a_run_ends_with_an_outcome_a_page_and_a_record_that_reads() {
    let bench = Bench::new();
    let ran = run(&bench, "sqlserver-oltp", &["--closed"]);
    assert_eq!(ran["ended"], "complete");
    assert!(ran["verdict"]["outcome"].is_string(), "{}", ran["verdict"]);
    let page = ran["report"].as_str().unwrap();
    assert!(Path::new(page).is_file() && !page.starts_with(r"\\?\"), "{page}");
    assert!(bench.data_files().is_empty(), "its files are removed");
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records.as_array().unwrap().len(), 1);
    let shown = bench.run(&["report", records[0]["id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(shown["total"]["read"]["io_count"], ran["total"]["read"]["io_count"]);
}

#[test]
fn completion_ports_keep_as_many_under_way_as_asked_by_littles_law() {
    let bench = Bench::new();
    for (profile, direction) in [("oci-64k-randread", "read"), ("oci-64k-randwrite", "write")] {
        let ran = run(&bench, profile, &["--closed", "--engine", "iocp"]);
        let stream = &ran["total"][direction];
        let iops = stream["iops"].as_f64().unwrap();
        let mean_s = stream["lat_mean_us"].as_f64().unwrap() / 1e6;
        let outstanding = iops * mean_s;
        assert!((outstanding / 128.0 - 1.0).abs() < 0.03, "{outstanding} of 128: {stream}");
        assert_eq!(stream["error_count"].as_u64().unwrap_or(0), 0, "{stream}");
    }
    // Six jobs at once: data, tempdb and log, with 96, 32, 32, 8 and 8 of them.
    let ran = run(&bench, "sqlserver-oci-published", &["--closed", "--engine", "iocp"]);
    let of = |direction: &str, key: &str| ran["total"][direction][key].as_f64().unwrap();
    let outstanding: f64 =
        ["read", "write"].map(|one| of(one, "iops") * of(one, "lat_mean_us") / 1e6).iter().sum();
    assert!((outstanding / 176.0 - 1.0).abs() < 0.03, "{outstanding} of 176");
}

#[test]
fn a_mix_of_sizes_and_directions_is_the_profiles_on_either_engine() {
    let bench = Bench::new();
    for engine in ["iocp", "threads"] {
        let ran = run(&bench, "oci-64k-randrw", &["--closed", "--engine", engine]);
        let count = |direction: &str| ran["total"][direction]["io_count"].as_f64().unwrap();
        let share = count("read") / (count("read") + count("write"));
        assert!((share - 0.4).abs() < 0.01, "{engine}: {share}");
    }
}

/// A run that goes on for a minute, seen to be in its measured phase; in a group of processes of its own, so that Ctrl-Break ends nobody
/// else.
fn running(bench: &Bench) -> Child {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    let arguments = [
        "run",
        "oci-64k-randread",
        "--closed",
        "--target",
        "data",
        "--size",
        "48MiB",
        "--ramp",
        "0s",
        "--duration",
        "60s",
        "--json",
    ];
    let mut child = start(bench.command(&arguments).creation_flags(CREATE_NEW_PROCESS_GROUP));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the run never measured");
    // Whoever writes into a closed pipe is told so; the program must not mind.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

#[test]
fn ctrl_break_ends_a_run_with_its_record_and_removes_its_files() {
    let bench = Bench::new();
    let mut child = running(&bench);
    #[expect(unsafe_code, reason = "consoles are not in std")]
    // SAFETY: it takes numbers.
    let is_sent = unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child.id()) };
    let error = std::io::Error::last_os_error();
    if is_sent == 0 && std::env::var_os("WINEPREFIX").is_some() {
        child.kill().unwrap();
        child.wait().unwrap();
        // What is done when it comes is tested where it is handled, without a console (iotrial-measure, process).
        return eprintln!("skipped: Wine sends no Ctrl-Break to another process: {error}");
    }
    assert!(is_sent != 0, "{error}");
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    assert_eq!(ran.json()["ended"], "interrupted");
    assert!(bench.data_files().is_empty());
    assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".journal").len()), (1, 0));
}

#[test]
fn a_killed_run_leaves_a_readable_record_and_files_that_clean_removes() {
    let bench = Bench::new();
    let mut child = running(&bench);
    child.kill().unwrap();
    child.wait().unwrap();
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records[0]["ended"], "interrupted");
    let shown = bench.run(&["report", "last", "--json"]);
    assert!(matches!(shown.code, 0 | 4), "{}", shown.stderr);
    assert_eq!(shown.json()["ended"], "interrupted");
    assert!(!bench.data_files().is_empty());
    bench.run(&["clean", "data", "--yes"]).expect_code(0);
    assert!(bench.data_files().is_empty());
}

/// A run that is refused with one error, which has these parts, and that leaves nothing behind.
#[track_caller]
fn expect_refused(bench: &Bench, arguments: &[&str], parts: &[&str]) {
    let before = (bench.data_files(), bench.stored(""));
    let ran = bench.run(&[&["run"], arguments].concat());
    assert!(matches!(ran.code, 2 | 3), "{arguments:?}: {} {}", ran.code, ran.stderr);
    for part in parts {
        assert!(ran.stderr.contains(part), "{arguments:?}: `{part}` is missing in:\n{}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), (bench.data_files(), bench.stored(""))), ("", before));
}

#[test]
fn what_cannot_be_carried_out_is_refused_with_its_reason_and_nothing_is_written() {
    let bench = Bench::new();
    // The store is made by the first command that needs one, whatever becomes of it.
    bench.run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet"]);
    let check = |arguments: &[&str], parts: &[&str]| expect_refused(&bench, arguments, parts);
    let read = "oci-64k-randread";
    check(&[read, "--target", "data", "--engine", "uring"], &["uring", "hint:"]);
    check(&[read, "--target", "data", "--polled"], &["poll"]);
    check(&[read, "--target", "data", "--size", "9000TiB"], &["may be used", "hint:"]);
    check(&[read, "--target", r"Q:\nowhere\below"], &[r"Q:\nowhere\below", "hint:"]);
    check(&[read, "--target", r"\\nobody\nothing\data"], &[r"\\nobody\nothing", "hint:"]);
    check(&[read, "--target", r"\\.\PhysicalDrive4000"], &["there is no device", "Get-Disk"]);
    check(&[read, "--target", r"\\.\C:"], &["not a physical disk", "hint:"]);
    // Somebody's file with the name of one of ours, and the same while a program holds it for itself alone.
    let names =
        bench.run(&["run", "sqlserver-oltp", "--target", "data", "--size", "48MiB", "--dry-run", "--json"]);
    assert_eq!(names.code, 0, "{}", names.stderr);
    let foreign = bench.data().join("sql-log.iotrial");
    fs::write(&foreign, "a database's log").unwrap();
    let oltp = ["sqlserver-oltp", "--target", "data", "--size", "48MiB"];
    check(&oltp, &["sql-log.iotrial", "was not made by iotrial", "hint:"]);
    {
        let _held = fs::File::options().read(true).share_mode(0).open(&foreign).unwrap();
        check(&oltp, &["sql-log.iotrial"]);
    }
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "a database's log");
    let shown = bench.run(&["target", r"data"]).expect_code(2).stderr;
    assert!(shown.contains("is a directory, not a block device"), "{shown}");
}

/// A folder in which nobody may make anything, until it is dropped.
struct Denied(PathBuf);

impl Denied {
    fn new(folder: PathBuf) -> Self {
        // Everybody: to make files and folders is denied, everything else allowed.
        set_rights(&folder, "D:P(D;OICI;0x6;;;WD)(A;OICI;FA;;;WD)");
        Self(folder)
    }
}

impl Drop for Denied {
    fn drop(&mut self) {
        set_rights(&self.0, "D:P(A;OICI;FA;;;WD)");
    }
}

/// Sets the access control list of a folder, in the language of security descriptors.
#[expect(unsafe_code, reason = "access control lists are not in std")]
fn set_rights(folder: &Path, rights: &str) {
    let wide = |text: &std::ffi::OsStr| text.encode_wide().chain([0]).collect::<Vec<u16>>();
    let (name, rights) = (wide(folder.as_os_str()), wide(rights.as_ref()));
    let mut descriptor = std::ptr::null_mut();
    // SAFETY: both texts end with a zero, and the place for the descriptor outlives the call.
    let made = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            rights.as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            std::ptr::null_mut(),
        )
    };
    assert!(made != 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the descriptor was made above, and is given back once after its only use.
    let is_set = unsafe {
        let is_set = SetFileSecurityW(name.as_ptr(), DACL_SECURITY_INFORMATION, descriptor);
        LocalFree(descriptor);
        is_set
    };
    assert!(is_set != 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn a_folder_without_the_right_to_write_is_refused_and_nothing_is_written() {
    let bench = Bench::new();
    bench.run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet"]);
    let _denied = Denied::new(bench.data());
    let probe = bench.data().join("probe");
    if fs::write(&probe, "").is_ok() {
        fs::remove_file(probe).unwrap();
        return eprintln!("skipped: this account may write where it is denied, as root does under Wine");
    }
    for target in ["data", r"data\below"] {
        let arguments = ["sqlserver-oltp", "--target", target, "--size", "48MiB"];
        expect_refused(&bench, &arguments, &["denied", "data", "hint:"]);
    }
}

/// A drive letter that leads to a folder, until it is dropped.
struct Drive(&'static str);

impl Drive {
    /// `None` where the system gives none.
    fn new(letter: &'static str, folder: &Path) -> Option<Self> {
        define(0, letter, folder.as_os_str()).then_some(Self(letter))
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        define(DDD_REMOVE_DEFINITION, self.0, "".as_ref());
    }
}

#[expect(unsafe_code, reason = "drive letters are not in std")]
fn define(flags: u32, letter: &str, place: &std::ffi::OsStr) -> bool {
    let wide = |text: &std::ffi::OsStr| text.encode_wide().chain([0]).collect::<Vec<u16>>();
    let (letter, place) = (wide(letter.as_ref()), wide(place));
    let place = if place.len() > 1 { place.as_ptr() } else { std::ptr::null() };
    // SAFETY: both texts end with a zero and outlive the call; null removes the latest definition.
    unsafe { DefineDosDeviceW(flags, letter.as_ptr(), place) != 0 }
}

#[test]
fn a_drive_that_went_away_is_refused_and_nothing_is_written() {
    let bench = Bench::new();
    bench.run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet"]);
    let place = bench.path().join("drive");
    fs::create_dir(&place).unwrap();
    let Some(_drive) = Drive::new("R:", &place) else {
        return eprintln!("skipped: no drive letter can be given: {}", std::io::Error::last_os_error());
    };
    if let Err(error) = fs::write(r"R:\probe", "") {
        return eprintln!("skipped: Wine finds nothing on a drive that a program made: {error}");
    }
    fs::remove_file(r"R:\probe").unwrap();
    fs::remove_dir(&place).unwrap();
    for target in [r"R:\", r"R:\trial", r"R:\trial\below"] {
        expect_refused(
            &bench,
            &["oci-64k-randread", "--target", target, "--size", "48MiB"],
            &["R:", "hint:"],
        );
    }
}

/// The path that a run on `target` was on, by its record.
fn place_of(bench: &Bench, target: &str) -> PathBuf {
    let arguments = [
        "run",
        "oci-64k-randread",
        "--closed",
        "--size",
        "32MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--json",
    ];
    let ran = bench.run(&[&arguments[..], &["--target", target]].concat());
    assert!(ran.code == 0 || ran.code == 4, "{target}: {}\n{}", ran.code, ran.stderr);
    let record = fs::read_to_string(ran.json()["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    PathBuf::from(record["targets"][0]["path"].as_str().unwrap())
}

#[test]
fn paths_are_taken_in_every_spelling_of_windows() {
    let bench = Bench::new();
    let data = bench.data();
    let long = data.join("a folder with a long name");
    fs::create_dir(&long).unwrap();
    let shown = long.to_string_lossy().into_owned();
    // With its drive letter, with slashes, in capitals, and in the form that Windows resolves no further.
    for spelt in [shown.clone(), shown.replace('\\', "/"), format!(r"\\?\{}", shown.replace('/', r"\"))] {
        let place = place_of(&bench, &spelt);
        assert!(place.ends_with("a folder with a long name"), "{spelt}: {}", place.display());
        assert!(!place.to_string_lossy().starts_with(r"\\?\"), "{}", place.display());
    }
    if std::env::var_os("WINEPREFIX").is_some() {
        return eprintln!("skipped: Wine resolves no path of more than 260 characters");
    }
    let deep = (0..12).fold(data, |path, _| path.join("thirty characters and some more"));
    fs::create_dir_all(&deep).unwrap();
    assert!(deep.as_os_str().len() > 300);
    let place = place_of(&bench, &deep.to_string_lossy());
    assert!(place.to_string_lossy().matches("thirty").count() == 12, "{}", place.display());
}

#[test]
fn a_share_is_known_as_one_and_has_no_disks_of_this_host() {
    let Some(share) = std::env::var_os("IOTRIAL_TEST_SHARE") else {
        return eprintln!(
            "skipped: IOTRIAL_TEST_SHARE names no share (Wine has none: it leads to folders of Linux)"
        );
    };
    let bench = Bench::new();
    let share = share.to_string_lossy().into_owned();
    let arguments = [
        "run",
        "oci-64k-randread",
        "--closed",
        "--size",
        "32MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--json",
    ];
    let ran = bench.run(&[&arguments[..], &["--target", &share]].concat());
    assert!(ran.code == 0 || ran.code == 4, "{}\n{}", ran.code, ran.stderr);
    let record = fs::read_to_string(ran.json()["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let target = &record["targets"][0];
    assert!(target["path"].as_str().unwrap().starts_with(r"\\"), "{target}");
    assert_eq!((target["filesystem"].as_str(), target.get("devices")), (Some("smb"), None), "{target}");
    assert!(ran.json()["findings"].as_array().unwrap().iter().any(|finding| finding["id"] == "smb-share"));
}

#[test]
fn output_that_is_redirected_is_plain_text_without_colours() {
    let bench = Bench::new();
    let ran = bench.run(&["run", "--engine", "sim", "--closed", "--duration", "1s"]);
    assert!(ran.code == 0 || ran.code == 4, "{}", ran.stderr);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{}", ran.stdout);
    let help = bench.run(&["--help"]).expect_code(0).stdout;
    assert!(!help.contains('\u{1b}'));
}

#[test]
fn the_host_of_a_record_is_this_windows_and_what_it_does_not_count_is_absent() {
    let bench = Bench::new();
    let ran = run(&bench, "oci-64k-randread", &["--closed"]);
    let record = fs::read_to_string(ran["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let host = &record["host"];
    assert!(
        host["os"].as_str().unwrap().starts_with("Windows")
            || host["os"].as_str().unwrap().contains("Microsoft")
    );
    assert!(host["kernel"].as_str().unwrap().contains('.'), "{host}");
    assert!(host["memory_bytes"].as_u64().unwrap() > 0 && host["host_cpu_count"].as_u64().unwrap() > 0);
    let cpu = &record["cpu"];
    assert!(cpu["user_s"].is_number() && cpu["busiest_thread_s"].is_number(), "{cpu}");
    assert!(cpu.get("run_queue_delay_s").is_none() && cpu.get("host_steal_s").is_none(), "{cpu}");
}

#[test]
fn what_powershell_redirected_is_read_as_what_was_written() {
    let bench = Bench::new();
    let printed = bench.run(&["profiles", "sqlserver-log"]).expect_code(0).stdout;
    let wide: Vec<u8> = format!("\u{feff}{}", printed.replace('\n', "\r\n"))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(bench.path().join("mine.toml"), wide).unwrap();
    bench.run(&["run", "./mine.toml", "--engine", "sim", "--dry-run"]).expect_code(0);
}
