//! The packages for Debian and for RPM, made by cargo-deb and cargo-generate-rpm of what `crates/iotrial/Cargo.toml` lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::contents::{Contents, Entry};
use super::platform::{Missing, Platform};
use super::tarball::gzip;
use super::trial;
use super::workshop::PROFILE;
use crate::step::{Outcome, shown};

/// Beside the program, in the folder of its build: both packagers take `target/release/` in the manifest for that folder, whatever the profile.
const STAGE: &str = "package";
/// What a package must bring beside the program, wherever documents and completions lie in it.
const EXPECTED: [&str; 6] = [
    "/man1/iotrial.1.gz",
    "/man1/iotrial-run.1.gz",
    "/bash-completion/completions/iotrial",
    "/vendor_completions.d/iotrial.fish",
    "/_iotrial",
    "/install.md",
];

/// A packager of crates.io, in the version that the manifest is written for.
pub(crate) struct Packager {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

pub(crate) const CARGO_DEB: Packager = Packager { name: "cargo-deb", version: "3.8.0" };
pub(crate) const CARGO_GENERATE_RPM: Packager = Packager { name: "cargo-generate-rpm", version: "0.21.1" };
pub(crate) const CARGO_CYCLONEDX: Packager = Packager { name: "cargo-cyclonedx", version: "0.5.9" };

impl Packager {
    /// The program, built into the target folder the first time.
    pub(crate) fn program(&self, target: &Path) -> anyhow::Result<PathBuf> {
        let folder = target.join("dist-tools").join(format!("{}-{}", self.name, self.version));
        let program = folder.join("bin").join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX));
        if program.is_file() {
            return Ok(program);
        }
        println!("installing {} {} into {}", self.name, self.version, folder.display());
        let build = folder.join("build");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["install", "--quiet", "--locked", "--root"]).arg(&folder);
        cargo.arg(format!("{}@{}", self.name, self.version)).env("CARGO_TARGET_DIR", &build);
        let outcome = shown(&mut cargo)?;
        ensure!(
            outcome == Outcome::Passed,
            "{} {} cannot be installed into {}",
            self.name,
            self.version,
            folder.display()
        );
        fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))?;
        Ok(program)
    }
}

/// What a package is made of.
pub(crate) struct Material<'a> {
    pub(crate) root: &'a Path,
    pub(crate) target: &'a Path,
    pub(crate) platform: Platform,
    /// Documents, completions and man pages, as the archive has them.
    pub(crate) contents: &'a Contents,
    /// Since 1970: the time of every file.
    pub(crate) seconds: u64,
}

impl Material<'_> {
    /// Puts everything but the program where the manifest looks for it.
    fn stage(&self) -> anyhow::Result<()> {
        let folder = self.target.join(self.platform.target()).join(PROFILE).join(STAGE);
        staged(self.contents)?.write_into(&folder)
    }

    /// A packager with what both take.
    fn command(&self, packager: &Packager) -> anyhow::Result<Command> {
        let mut command = Command::new(packager.program(self.target)?);
        command.current_dir(self.root).env("CARGO_TARGET_DIR", self.target);
        command.env("SOURCE_DATE_EPOCH", self.seconds.to_string());
        command.args(["--profile", PROFILE, "--target", self.platform.target()]);
        Ok(command)
    }
}

/// The files beside the program: man pages in the form in which distributions have them, everything else as it is.
fn staged(contents: &Contents) -> anyhow::Result<Contents> {
    let mut files = Contents::default();
    for (name, entry) in &contents.0 {
        if name.starts_with("man/") {
            files.add(format!("{name}.gz"), Entry::text(gzip(&entry.bytes)?));
        } else {
            files.add(name.as_str(), entry.clone());
        }
    }
    Ok(files)
}

/// `iotrial_VERSION-1_amd64.deb`, the name that Debian wants.
pub(crate) fn deb_name(platform: Platform) -> String {
    format!("iotrial_{}-1_{}.deb", env!("CARGO_PKG_VERSION"), platform.debian_arch())
}

/// `iotrial-VERSION-1.x86_64.rpm`, the name that RPM wants.
pub(crate) fn rpm_name(platform: Platform) -> String {
    format!("iotrial-{}-1.{}.rpm", env!("CARGO_PKG_VERSION"), platform.arch())
}

pub(crate) fn make_deb(material: &Material<'_>, out: &Path) -> anyhow::Result<()> {
    material.stage()?;
    let mut command = material.command(&CARGO_DEB)?;
    command
        .args(["--package", "iotrial", "--no-build", "--no-strip", "--quiet", "--locked", "--output"])
        .arg(out);
    ensure!(shown(&mut command)? == Outcome::Passed, "cargo-deb failed");
    Ok(())
}

pub(crate) fn make_rpm(material: &Material<'_>, out: &Path) -> anyhow::Result<()> {
    material.stage()?;
    let mut command = material.command(&CARGO_GENERATE_RPM)?;
    // A static program asks for no library; the search for those would run tools of this host.
    command.args(["--package", "crates/iotrial", "--auto-req", "disabled", "--source-date"]);
    command
        .arg(material.seconds.to_string())
        .arg("--target-dir")
        .arg(material.target)
        .arg("--output")
        .arg(out);
    ensure!(shown(&mut command)? == Outcome::Passed, "cargo-generate-rpm failed");
    Ok(())
}

/// What reads and unpacks each kind of package, with the Debian packages that bring it.
const DEB_READERS: [(&str, &str); 1] = [("dpkg-deb", "dpkg")];
const RPM_READERS: [(&str, &str); 2] = [("rpm", "rpm"), ("bsdtar", "libarchive-tools")];

/// Why a package cannot be looked into on this host, if something for that is missing.
fn cannot_read(readers: &[(&str, &str)]) -> Option<String> {
    let missing = readers.iter().filter_map(|(program, package)| Missing::program(program, package));
    let missing: Vec<String> =
        missing.map(|one| format!("{} is not installed ({})", one.tool, one.install)).collect();
    (!missing.is_empty()).then(|| format!("not unpacked: {}", missing.join(", ")))
}

/// Reads the package with dpkg-deb, unpacks it into an empty folder and runs what is in it.
pub(crate) fn try_deb(package: &Path, platform: Platform, target: &Path) -> anyhow::Result<String> {
    if let Some(reason) = cannot_read(&DEB_READERS) {
        return Ok(reason);
    }
    let fields = said(
        "dpkg-deb",
        &["--show", "--showformat=${Package} ${Version} ${Architecture} ${Depends}"],
        package,
    )?;
    let expected = format!("iotrial {}-1 {}", env!("CARGO_PKG_VERSION"), platform.debian_arch());
    ensure!(fields.trim() == expected, "it says `{}` of itself, not `{expected}`", fields.trim());
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    let mut unpack = Command::new("dpkg-deb");
    unpack.arg("--extract").arg(package).arg(place.path());
    ensure!(shown(&mut unpack)? == Outcome::Passed, "dpkg-deb cannot unpack {}", package.display());
    try_unpacked(place.path(), platform)
}

/// Reads the package with rpm, unpacks it into an empty folder and runs what is in it.
pub(crate) fn try_rpm(package: &Path, platform: Platform, target: &Path) -> anyhow::Result<String> {
    if let Some(reason) = cannot_read(&RPM_READERS) {
        return Ok(reason);
    }
    let fields = said(
        "rpm",
        &["--query", "--package", "--queryformat", "%{NAME} %{VERSION}-%{RELEASE} %{ARCH}"],
        package,
    )?;
    let expected = format!("iotrial {}-1 {}", env!("CARGO_PKG_VERSION"), platform.arch());
    ensure!(fields.trim() == expected, "it says `{}` of itself, not `{expected}`", fields.trim());
    // `rpmlib(…)` are features of rpm itself.
    let requires = said("rpm", &["--query", "--package", "--requires"], package)?;
    let others: Vec<&str> = requires.lines().filter(|line| !line.starts_with("rpmlib(")).collect();
    ensure!(others.is_empty(), "it requires {}", others.join(", "));
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    let mut unpack = Command::new("bsdtar");
    unpack.arg("-xf").arg(package).arg("-C").arg(place.path());
    ensure!(shown(&mut unpack)? == Outcome::Passed, "bsdtar cannot unpack {}", package.display());
    try_unpacked(place.path(), platform)
}

fn try_unpacked(place: &Path, platform: Platform) -> anyhow::Result<String> {
    let mut names = BTreeSet::new();
    list(place, place, &mut names)?;
    for expected in EXPECTED {
        ensure!(names.iter().any(|name| name.ends_with(expected)), "the package has no file {expected}");
    }
    trial::try_in(place, "usr/bin/iotrial", platform)
}

/// All files below a folder, by their paths from there.
fn list(top: &Path, folder: &Path, names: &mut BTreeSet<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(top, &entry.path(), names)?;
        } else {
            names.insert(format!("/{}", entry.path().strip_prefix(top)?.display()));
        }
    }
    Ok(())
}

/// What a tool prints of a package.
fn said(tool: &str, arguments: &[&str], package: &Path) -> anyhow::Result<String> {
    let output = Command::new(tool).args(arguments).arg(package).output();
    let output = output.with_context(|| format!("cannot start {tool}"))?;
    ensure!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    #[test]
    fn man_pages_are_compressed_and_everything_else_stays_as_it_is() {
        let mut files = Contents::default();
        files.add("man/man1/iotrial.1", Entry::text(".TH iotrial 1"));
        files.add("docs/install.md", Entry::text("# Install"));
        let staged = staged(&files).unwrap();
        let names: Vec<&str> = staged.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["docs/install.md", "man/man1/iotrial.1.gz"]);
        assert!(staged.0["man/man1/iotrial.1.gz"].bytes.starts_with(&[0x1f, 0x8b]));
        assert_eq!(staged.0["docs/install.md"].bytes, b"# Install");
    }

    /// The same files, from the same places: what is in one package must not be missing in the other.
    #[test]
    fn both_packages_are_made_of_the_same_files() {
        let manifest = fs::read_to_string(root().unwrap().join("crates/iotrial/Cargo.toml")).unwrap();
        let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
        let metadata = &manifest["package"]["metadata"];
        let sources = |kind: &str| -> BTreeSet<String> {
            let assets = metadata[kind]["assets"].as_array().unwrap();
            let source = |asset: &toml_edit::Value| match asset {
                toml_edit::Value::Array(parts) => parts.get(0).unwrap().as_str().unwrap().to_owned(),
                asset => asset.as_inline_table().unwrap()["source"].as_str().unwrap().to_owned(),
            };
            assets.iter().map(source).collect()
        };
        assert_eq!(sources("deb"), sources("generate-rpm"));
        assert!(sources("deb").iter().all(|source| source.starts_with("target/release/")));
        assert!(sources("deb").contains("target/release/iotrial"));
    }

    #[test]
    fn packages_have_the_names_that_their_distributions_want() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(deb_name(Platform::LinuxArm), format!("iotrial_{version}-1_arm64.deb"));
        assert_eq!(rpm_name(Platform::LinuxX86), format!("iotrial-{version}-1.x86_64.rpm"));
    }
}
