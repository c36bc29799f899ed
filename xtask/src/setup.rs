//! What the tests need beside cargo. Missing packages are installed where that is possible without asking
//! anybody: as root, with apt-get; there all of it is demanded. Elsewhere the tests that need them skip, and the end of the run says which.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::step::{Outcome, shown};
use crate::workspace::find_program;

/// Checks 32 and 64 bit arithmetic, paths and `cfg` of the other platform without a machine that runs it.
pub(crate) const WINDOWS_TARGET: &str = "x86_64-pc-windows-gnu";
/// Links the program for that platform.
pub(crate) const WINDOWS_C_COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// A program, the Debian package that brings it, and what is not tested without it.
struct Need {
    program: &'static str,
    package: &'static str,
    without: &'static str,
}

/// Not on the path, and in another place elsewhere.
const WINE: &str = "wine64";

const NEEDS: [Need; 11] = [
    Need {
        program: "fio",
        package: "fio",
        without: "the benchmark has nothing to compare with, and the import reads no runs made here",
    },
    Need { program: "chromium", package: "chromium", without: "reports are not opened in a browser" },
    Need { program: WINDOWS_C_COMPILER, package: "gcc-mingw-w64-x86-64", without: "Windows is not checked" },
    Need { program: WINE, package: "wine64", without: "nothing is run for Windows" },
    Need { program: "mkfs.btrfs", package: "btrfs-progs", without: "striped volumes are not tested" },
    Need { program: "nbdkit", package: "nbdkit", without: "no block device that lies is verified" },
    Need { program: "nbdfuse", package: "libnbd-bin", without: "no block device that lies is verified" },
    Need { program: "pgbench", package: "postgresql", without: "no load on PostgreSQL is observed" },
    Need {
        program: "mariadb-install-db",
        package: "mariadb-server",
        without: "no load on MariaDB is observed",
    },
    Need { program: "sysbench", package: "sysbench", without: "no load on MariaDB is observed" },
    Need { program: "losetup", package: "util-linux", without: "loop devices are not tested" },
];

/// Where Debian has Wine; its own name is taken by a script that asks for 32 bits as well.
const WINE_PROGRAMS: [&str; 2] = ["/usr/lib/wine/wine64", "/usr/lib64/wine/wine64"];

/// Installs what is missing, or says what will not be tested.
pub(crate) fn run(_root: &Path) -> anyhow::Result<Outcome> {
    let is_there = |need: &Need| match need.program {
        WINE => wine().is_some(),
        program => find_program(program).is_some(),
    };
    let missing = || NEEDS.iter().filter(|need| !is_there(need));
    if missing().next().is_some() && may_install() {
        let packages: Vec<&str> = missing().map(|need| need.package).collect();
        install(&packages)?;
    }
    let still_missing: Vec<&Need> = missing().collect();
    for need in &still_missing {
        println!("`{}` is missing (package {}): {}", need.program, need.package, need.without);
    }
    let has_target = has_windows_target() || add_windows_target()?;
    if !has_target {
        println!("the target {WINDOWS_TARGET} is missing and cannot be added: Windows is not checked");
    }
    if still_missing.is_empty() && has_target {
        return Ok(Outcome::Passed);
    }
    if may_install() {
        // Where everything can be installed, a green run without it would claim what nobody looked at.
        return Ok(Outcome::Failed);
    }
    let missing = still_missing.iter().map(|need| format!("{}: {}", need.program, need.without));
    let target = (!has_target).then(|| format!("{WINDOWS_TARGET}: Windows is not checked"));
    Ok(Outcome::PassedWithout(missing.chain(target).collect()))
}

/// Wine itself; `None` where there is none.
pub(crate) fn wine() -> Option<PathBuf> {
    WINE_PROGRAMS.iter().map(PathBuf::from).find(|path| path.is_file()).or_else(|| find_program("wine64"))
}

fn may_install() -> bool {
    is_root() && find_program("apt-get").is_some()
}

pub(crate) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Failures are shown and otherwise ignored: what is missing afterwards is reported by name.
fn install(packages: &[&str]) -> anyhow::Result<()> {
    println!("installing {}", packages.join(", "));
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        shown(&mut command)
    };
    apt_get(&["update", "-qq"])?;
    apt_get(&[["install", "-y", "-qq", "--no-install-recommends"].as_slice(), packages].concat())?;
    Ok(())
}

/// Whether the standard library for Windows is installed.
pub(crate) fn has_windows_target() -> bool {
    has_target(WINDOWS_TARGET)
}

/// Whether the standard library for a target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    sysroot.is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Path::new(&sysroot).join("lib/rustlib").join(target).is_dir()
    })
}

fn add_windows_target() -> anyhow::Result<bool> {
    if find_program("rustup").is_none() {
        return Ok(false);
    }
    Ok(shown(Command::new("rustup").args(["target", "add", WINDOWS_TARGET]))? == Outcome::Passed)
}
