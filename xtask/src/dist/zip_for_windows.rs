//! The archive for Windows: `iotrial-VERSION-windows-x86_64.zip`.

use std::fs::{self, File};
use std::io::{Cursor, Read as _, Seek, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::contents::{Contents, check_sums};
use super::trial::{check_summary, outcome};
use crate::setup::wine;
use crate::wine::put_random_numbers;

/// The same contents give the same bytes.
pub(crate) fn write<W: Write + Seek>(out: W, contents: &Contents) -> anyhow::Result<W> {
    let mut zip = ZipWriter::new(out);
    // The first moment that a zip can name; that of the build would make another file of each build.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    for (name, entry) in &contents.0 {
        zip.start_file(name, options)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish()?)
}

/// Unpacks the zip, compares every file with its checksum, and runs the program where Wine is installed. Answers what was shown.
pub(crate) fn try_it(zip: &[u8], name: &str, target: &Path) -> anyhow::Result<String> {
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    unpack(zip, place.path())?;
    let folder = place.path().join(name);
    check_sums(&folder)?;
    let Some(wine) = wine() else {
        return Ok("unpacked; not run: Wine is not installed (apt-get install wine64)".to_owned());
    };
    put_random_numbers(place.path(), &[&folder])?;
    let prefix = target.join("wine");
    fs::create_dir_all(&prefix)?;
    let run = |arguments: &[&str]| -> anyhow::Result<Vec<u8>> {
        let mut program = Command::new(&wine);
        program.current_dir(&folder).arg(folder.join("iotrial.exe")).args(arguments);
        program.env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all").env("IOTRIAL_STORE", place.path());
        outcome(&mut program, arguments)
    };
    let told = run(&["--version"])?;
    let told = String::from_utf8_lossy(&told).trim().to_owned();
    ensure!(told == format!("iotrial {}", env!("CARGO_PKG_VERSION")), "it calls itself `{told}`");
    let completions = fs::read(folder.join("completions/iotrial.ps1"))?;
    ensure!(
        run(&["completions", "powershell"])? == completions,
        "the completions are those of another program"
    );
    check_summary(&run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet", "--json"])?)?;
    Ok("unpacked and run under Wine: its version, and a run of one second".to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::contents::Entry;

    fn files(text: &str) -> Contents {
        let mut files = Contents::default();
        files.add("b", Entry::text(text));
        files.add("a", Entry::program("one"));
        files.with_sums_below("top")
    }

    fn zip_of(files: &Contents) -> Vec<u8> {
        write(Cursor::new(Vec::new()), files).unwrap().into_inner()
    }

    #[test]
    fn the_same_files_give_the_same_zip_and_another_file_another_one() {
        let zip = zip_of(&files("two"));
        assert_eq!(zip, zip_of(&files("two")));
        assert_ne!(zip, zip_of(&files("zwei")));
        assert!(zip.windows(4).any(|bytes| bytes == 0x0021_0000_u32.to_le_bytes()), "1980-01-01");
    }

    #[test]
    fn what_was_zipped_is_unpacked_with_its_checksums() {
        let place = tempfile::tempdir().unwrap();
        unpack(&zip_of(&files("two")), place.path()).unwrap();
        check_sums(&place.path().join("top")).unwrap();
    }
}
