//! What all artifacts of one call share: folders, the time of their files, the built programs, completions and man pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use super::contents::{Contents, Entry, read};
use super::platform::Platform;
use crate::carried_out::how_it_ended;
use crate::step::{Outcome, shown};

/// The shells, as iotrial calls them, and the names that they look for.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "iotrial.bash"),
    ("elvish", "iotrial.elv"),
    ("fish", "iotrial.fish"),
    ("powershell", "iotrial.ps1"),
    ("zsh", "_iotrial"),
];

/// The profile of Cargo that is packed; its folder has the same name.
pub(crate) const PROFILE: &str = "dist";

/// Where things are built, and what was built already.
pub(crate) struct Workshop {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// Where the artifacts go.
    pub(crate) folder: PathBuf,
    /// The time of every file in an artifact, in seconds since 1970.
    pub(crate) seconds: u64,
    programs: BTreeMap<Platform, PathBuf>,
    /// Whether the programs were given, and may need the libraries of this host.
    pub(crate) is_given: bool,
    about_itself: Option<Contents>,
}

impl Workshop {
    /// `given` is a program of this host that is packed instead of a built one.
    pub(crate) fn new(
        root: &Path,
        target: &Path,
        folder: &Path,
        given: Option<(Platform, PathBuf)>,
    ) -> anyhow::Result<Self> {
        fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self {
            root: root.to_owned(),
            target: absolute(target)?,
            folder: absolute(folder)?,
            seconds: seconds(root, std::env::var("SOURCE_DATE_EPOCH").ok().as_deref())?,
            is_given: given.is_some(),
            programs: given.into_iter().collect(),
            about_itself: None,
        })
    }

    /// The program for a platform, built the first time that it is asked for.
    pub(crate) fn program(&mut self, platform: Platform) -> anyhow::Result<PathBuf> {
        if let Some(program) = self.programs.get(&platform) {
            return Ok(program.clone());
        }
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
        let mut cargo = self.cargo();
        cargo.args([
            "build",
            "--profile",
            PROFILE,
            "--locked",
            "-p",
            "iotrial",
            "--target",
            platform.target(),
        ]);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", platform.rust_flags(&self.root, &home).join("\x1f"));
        println!("building for {}", platform.target());
        ensure!(shown(&mut cargo)? == Outcome::Passed, "the program for {} cannot be built", platform.name());
        let name = if platform == Platform::Windows { "iotrial.exe" } else { "iotrial" };
        let program = self.target.join(platform.target()).join(PROFILE).join(name);
        self.programs.insert(platform, program.clone());
        Ok(program)
    }

    /// Completions and man pages, which the program makes itself; the same on every platform.
    pub(crate) fn about_itself(&mut self) -> anyhow::Result<Contents> {
        if let Some(files) = &self.about_itself {
            return Ok(files.clone());
        }
        let mut files = Contents::default();
        for (shell, name) in COMPLETIONS {
            files.add(format!("completions/{name}"), Entry::text(self.ask(&["completions", shell])?));
        }
        let place = tempfile::tempdir()?;
        self.ask(&["man", &place.path().display().to_string()])?;
        for entry in fs::read_dir(place.path())? {
            let path = entry?.path();
            let name = path.file_name().context("an entry of a folder has a name")?.to_string_lossy();
            files.add(format!("man/man1/{name}"), Entry::text(read(&path)?));
        }
        self.about_itself = Some(files.clone());
        Ok(files)
    }

    /// What the program prints: that which was just built, if this host runs it, or else one that is built for this host.
    fn ask(&self, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let built = self.programs.iter().find(|(platform, _)| platform.is_of_this_host());
        let mut command = match built {
            Some((_, program)) => Command::new(program),
            None => {
                let mut cargo = self.cargo();
                cargo.args(["run", "--quiet", "--locked", "-p", "iotrial", "--"]);
                cargo
            }
        };
        let output = command.args(arguments).stdin(Stdio::null()).output().context("cannot start iotrial")?;
        ensure!(
            output.status.success(),
            "iotrial {}: {}",
            arguments.join(" "),
            how_it_ended(output.status, &output.stderr)
        );
        Ok(output.stdout)
    }

    fn cargo(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        cargo
    }
}

/// Packagers run in other folders than this one.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("where is {}?", path.display()))
}

/// `SOURCE_DATE_EPOCH`, or else the time of the last commit, or else the first moment that every archive can name.
fn seconds(root: &Path, given: Option<&str>) -> anyhow::Result<u64> {
    const YEAR_1980: u64 = 315_532_800;
    if let Some(given) = given {
        return given
            .trim()
            .parse()
            .with_context(|| format!("SOURCE_DATE_EPOCH is not a number of seconds: `{given}`"));
    }
    let commit = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
    let of_commit = commit.ok().and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok());
    Ok(of_commit.unwrap_or(YEAR_1980))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_files_is_given_or_else_that_of_the_commit_and_never_that_of_the_build() {
        let nowhere = tempfile::tempdir().unwrap();
        assert_eq!(seconds(nowhere.path(), Some("1700000000")).unwrap(), 1_700_000_000);
        assert_eq!(seconds(nowhere.path(), None).unwrap(), 315_532_800);
        assert!(seconds(nowhere.path(), Some("today")).unwrap_err().to_string().contains("`today`"));
    }
}
