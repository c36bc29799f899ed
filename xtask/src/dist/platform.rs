//! The platforms that iotrial is packed for: what compiles for each, and what is missing to do so.

use std::path::Path;

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::workspace::find_program;

/// A system and a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Platform {
    LinuxX86,
    LinuxArm,
    Windows,
}

/// Both are linked statically against musl: one file for every distribution.
pub(crate) const LINUX: [Platform; 2] = [Platform::LinuxX86, Platform::LinuxArm];

/// A tool that is not installed, and the command that installs it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Missing {
    pub(crate) tool: String,
    pub(crate) install: String,
}

impl Missing {
    /// A program of a Debian package, unless it is there.
    pub(crate) fn program(program: &str, package: &str) -> Option<Self> {
        let is_there = find_program(program).is_some();
        (!is_there).then(|| Self { tool: program.to_owned(), install: format!("apt-get install {package}") })
    }
}

impl Platform {
    /// The name that Rust has for it.
    pub(crate) fn target(self) -> &'static str {
        match self {
            Self::LinuxX86 => "x86_64-unknown-linux-musl",
            Self::LinuxArm => "aarch64-unknown-linux-musl",
            Self::Windows => WINDOWS_TARGET,
        }
    }

    /// The processor, as Linux and RPM call it.
    pub(crate) fn arch(self) -> &'static str {
        match self {
            Self::LinuxX86 | Self::Windows => "x86_64",
            Self::LinuxArm => "aarch64",
        }
    }

    /// The processor, as Debian and container images call it.
    pub(crate) fn debian_arch(self) -> &'static str {
        match self {
            Self::LinuxX86 | Self::Windows => "amd64",
            Self::LinuxArm => "arm64",
        }
    }

    /// The name in archives: `linux-x86_64`.
    pub(crate) fn name(self) -> String {
        let system = if self == Self::Windows { "windows" } else { "linux" };
        format!("{system}-{}", self.arch())
    }

    /// Whether this host runs its programs without help.
    pub(crate) fn is_of_this_host(self) -> bool {
        self != Self::Windows && cfg!(target_os = "linux") && std::env::consts::ARCH == self.arch()
    }

    /// What of the tools that build for it is not installed.
    pub(crate) fn missing(self) -> Vec<Missing> {
        let linker =
            (self == Self::Windows).then(|| Missing::program(WINDOWS_C_COMPILER, "gcc-mingw-w64-x86-64"));
        let mut missing: Vec<Missing> = linker.flatten().into_iter().collect();
        if !setup::has_target(self.target()) {
            missing.push(Missing {
                tool: format!("the Rust target {}", self.target()),
                install: format!("rustup target add {}", self.target()),
            });
        }
        missing
    }

    /// Flags of the Rust compiler: bytes that do not depend on the time or the folder of the build.
    pub(crate) fn rust_flags(self, root: &Path, cargo_home: &Path) -> Vec<String> {
        let mut flags = vec![
            format!("--remap-path-prefix={}=iotrial", root.display()),
            format!("--remap-path-prefix={}=cargo", cargo_home.display()),
        ];
        match self {
            Self::LinuxX86 => {}
            // The linker and the start files that come with Rust: there is no C in the program, and no compiler for it is needed.
            Self::LinuxArm => {
                flags.extend(["-Clinker=rust-lld", "-Clink-self-contained=yes"].map(str::to_owned))
            }
            Self::Windows => flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned()),
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_missing_comes_with_the_command_that_installs_it() {
        let missing = Missing::program("no-such-program-of-anybody", "a-package").unwrap();
        assert_eq!(missing.install, "apt-get install a-package");
        assert_eq!(Missing::program("cargo", "cargo"), None);
    }

    #[test]
    fn folders_of_the_build_are_replaced_for_every_platform() {
        for platform in [Platform::LinuxX86, Platform::LinuxArm, Platform::Windows] {
            let flags = platform.rust_flags(Path::new("/home/me/iotrial"), Path::new("/home/me/.cargo"));
            assert!(flags.contains(&"--remap-path-prefix=/home/me/iotrial=iotrial".to_owned()));
            assert!(flags.contains(&"--remap-path-prefix=/home/me/.cargo=cargo".to_owned()));
        }
        assert_eq!(Platform::LinuxArm.name(), "linux-aarch64");
        assert_eq!(Platform::LinuxArm.debian_arch(), "arm64");
    }
}
