//! `cargo xtask dist`: what people download. So far the zip for Windows.
//!
//! The same checkout and tools give the same bytes, whenever and in whatever order: fixed times, names in order, no path and no
//! timestamp in the program. So that anybody can make it again and compare.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Cursor, Read as _, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::step::{Outcome, shown};
use crate::wine;
use crate::workspace::find_program;

const USAGE: &str = "\
Usage: cargo xtask dist [FOLDER]

Builds iotrial.exe and puts iotrial-VERSION-windows-x86_64.zip and its checksum into FOLDER, which is `dist` in the target folder without
one. Where Wine is installed, the zip is unpacked and what is in it is run.";

/// Beside the documents, in the folder of the zip.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Files by their names in the zip, in order.
type Contents = BTreeMap<String, Vec<u8>>;

/// Makes the zip, tries it, and says where it is.
pub(crate) fn dist(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = match arguments {
        [] => target.join("dist"),
        [folder] if !folder.starts_with('-') => PathBuf::from(folder),
        [help] if help == "--help" || help == "-h" => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    ensure!(setup::has_windows_target(), "the target {WINDOWS_TARGET} is not installed");
    ensure!(find_program(WINDOWS_C_COMPILER).is_some(), "{WINDOWS_C_COMPILER} is not installed");
    let program = build(root, &target)?;
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("iotrial-{version}-windows-x86_64");
    let contents = contents(root, &name, &program)?;
    let zip = write_zip(Cursor::new(Vec::new()), &contents)?.into_inner();
    try_zip(&zip, &name, &target)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let place = folder.join(format!("{name}.zip"));
    fs::write(&place, &zip).with_context(|| format!("cannot write {}", place.display()))?;
    fs::write(folder.join(format!("{name}.zip.sha256")), format!("{}  {name}.zip\n", digest(&zip)))?;
    println!("{} ({} files, {} bytes)\nsha256 {}", place.display(), contents.len(), zip.len(), digest(&zip));
    Ok(ExitCode::SUCCESS)
}

/// The program, without the time at which it was linked and without the folders that it was built in.
fn build(root: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
    let flags = [
        format!("--remap-path-prefix={}=iotrial", root.display()),
        format!("--remap-path-prefix={}=cargo", home.display()),
        "-Clink-arg=-Wl,--no-insert-timestamp".to_owned(),
    ];
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args([
        "build",
        "--release",
        "--locked",
        "-p",
        "iotrial",
        "--target",
        WINDOWS_TARGET,
    ]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    ensure!(shown(&mut cargo)? == Outcome::Passed, "the program for Windows cannot be built");
    Ok(target.join(WINDOWS_TARGET).join("release").join("iotrial.exe"))
}

/// What is in the zip, below a folder of its name.
fn contents(root: &Path, name: &str, program: &Path) -> anyhow::Result<Contents> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut files = Contents::new();
    files.insert("iotrial.exe".to_owned(), read(program)?);
    for text in TEXTS {
        files.insert(text.to_owned(), read(&root.join(text))?);
    }
    for entry in fs::read_dir(root.join("docs"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let page = path.file_name().context("an entry of a folder has a name")?;
            files.insert(format!("docs/{}", page.to_string_lossy()), read(&path)?);
        }
    }
    files.insert("completions/iotrial.ps1".to_owned(), completions(root)?);
    let mut sums = String::new();
    for (file, bytes) in &files {
        writeln!(sums, "{}  {file}", digest(bytes))?;
    }
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
    Ok(files.into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)).collect())
}

/// The script for PowerShell, which the program of this host prints as well as that for Windows.
fn completions(root: &Path) -> anyhow::Result<Vec<u8>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args([
        "run",
        "--quiet",
        "--locked",
        "-p",
        "iotrial",
        "--",
        "completions",
        "powershell",
    ]);
    let output = cargo.output().context("cannot start cargo")?;
    ensure!(output.status.success(), "no completions: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

/// The same contents give the same bytes.
fn write_zip<W: Write + Seek>(out: W, contents: &Contents) -> anyhow::Result<W> {
    let mut zip = ZipWriter::new(out);
    // The first moment that a zip can name; that of the build would make another file of each build.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    for (name, bytes) in contents {
        zip.start_file(name, options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?)
}

/// Unpacks the zip, compares every file with its checksum, and runs the program where Wine is installed.
fn try_zip(zip: &[u8], name: &str, target: &Path) -> anyhow::Result<()> {
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    unpack(zip, place.path())?;
    let folder = place.path().join(name);
    check_sums(&folder)?;
    let Some(wine) = wine::wine() else {
        println!("not run: Wine is not installed");
        return Ok(());
    };
    wine::put_random_numbers(place.path(), &[&folder])?;
    let prefix = target.join("wine");
    fs::create_dir_all(&prefix)?;
    let run = |arguments: &[&str]| -> anyhow::Result<Vec<u8>> {
        let mut program = Command::new(&wine);
        program.current_dir(&folder).arg(folder.join("iotrial.exe")).args(arguments);
        program.env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all").env("IOTRIAL_STORE", place.path());
        let output = program.output().context("cannot start Wine")?;
        // 4: carried out, and a verdict that is inconclusive.
        let is_carried_out = matches!(output.status.code(), Some(0 | 4));
        ensure!(is_carried_out, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(output.stdout)
    };
    let told = run(&["--version"])?;
    let told = String::from_utf8_lossy(&told).trim().to_owned();
    ensure!(told == format!("iotrial {}", env!("CARGO_PKG_VERSION")), "it calls itself `{told}`");
    let completions = fs::read(folder.join("completions/iotrial.ps1"))?;
    ensure!(
        run(&["completions", "powershell"])? == completions,
        "the completions are those of another program"
    );
    let summary = run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet", "--json"])?;
    let summary: serde_json::Value = serde_json::from_slice(&summary).context("its summary is no JSON")?;
    ensure!(summary["ended"] == "complete", "a run ended `{}`", summary["ended"]);
    println!("unpacked and run under Wine: {told}, and a run of one second");
    Ok(())
}

fn unpack(zip: &[u8], place: &Path) -> anyhow::Result<()> {
    let mut archive = ZipArchive::new(Cursor::new(zip))?;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let inside = file.enclosed_name().context("a name that leads out of the zip")?;
        let path = place.join(inside);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        File::create_new(&path)?.write_all(&bytes)?;
    }
    Ok(())
}

/// Every line of `SHA256SUMS` holds, and no file is missing in it.
fn check_sums(folder: &Path) -> anyhow::Result<()> {
    let sums = fs::read_to_string(folder.join("SHA256SUMS"))?;
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").context("a line of SHA256SUMS without a name")?;
        let bytes = fs::read(folder.join(file)).with_context(|| format!("{file} is missing"))?;
        if digest(&bytes) != sum {
            bail!("{file} has another checksum");
        }
    }
    Ok(())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        for text in TEXTS {
            fs::write(root.path().join(text), text).unwrap();
        }
        fs::write(root.path().join("docs/windows.md"), "# Windows\n").unwrap();
        fs::write(root.path().join("docs/picture.png"), "not a page").unwrap();
        root
    }

    fn zip_of(files: &Contents) -> Vec<u8> {
        write_zip(Cursor::new(Vec::new()), files).unwrap().into_inner()
    }

    #[test]
    fn the_same_files_give_the_same_zip_and_another_file_another_one() {
        let files: Contents =
            [("b", "two"), ("a", "one")].map(|(name, text)| (name.to_owned(), text.into())).into();
        let zip = zip_of(&files);
        assert_eq!(zip, zip_of(&files));
        let other = Contents::from([("a".to_owned(), b"one".to_vec()), ("b".to_owned(), b"zwei".to_vec())]);
        assert_ne!(zip, zip_of(&other));
        assert!(zip_of(&other).windows(4).any(|bytes| bytes == 0x0021_0000_u32.to_le_bytes()), "1980-01-01");
    }

    #[test]
    fn what_is_unpacked_has_its_checksums_and_a_changed_file_is_found() {
        let (root, place) = (tree(), tempfile::tempdir().unwrap());
        let mut files = Contents::new();
        for name in ["README.md", "docs/windows.md"] {
            files.insert(name.to_owned(), fs::read(root.path().join(name)).unwrap());
        }
        let sums: String = files.iter().map(|(name, bytes)| format!("{}  {name}\n", digest(bytes))).collect();
        files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
        unpack(&zip_of(&files), place.path()).unwrap();
        check_sums(place.path()).unwrap();
        fs::write(place.path().join("docs/windows.md"), "# Changed\n").unwrap();
        assert!(check_sums(place.path()).unwrap_err().to_string().contains("docs/windows.md"));
        fs::remove_file(place.path().join("README.md")).unwrap();
        assert!(check_sums(place.path()).unwrap_err().to_string().contains("README.md is missing"));
    }

    #[test]
    fn a_checksum_is_that_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(b"abc"), known);
    }
}
