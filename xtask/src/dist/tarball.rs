//! The archive for any Linux: `iotrial-VERSION-linux-ARCH.tar.gz`.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

use super::contents::Contents;
use crate::setup::is_root;

/// The same contents and the same time give the same bytes: names are sorted, and owner, group and order are not those of this host.
pub(crate) fn write<W: Write>(out: W, contents: &Contents, seconds: u64) -> anyhow::Result<W> {
    // Without a file name and a time of its own, so that only the contents count.
    Ok(write_plain(GzEncoder::new(out, Compression::best()), contents, seconds)?.finish()?)
}

/// The same without compression, for what is compressed already.
pub(crate) fn write_plain<W: Write>(out: W, contents: &Contents, seconds: u64) -> anyhow::Result<W> {
    let mut tar = Builder::new(out);
    for (name, entry) in &contents.0 {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode());
        header.set_mtime(seconds);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, name, entry.bytes.as_slice())
            .with_context(|| format!("cannot pack {name}"))?;
    }
    Ok(tar.into_inner()?)
}

/// Unpacks an archive, with the permissions of its files.
pub(crate) fn unpack<R: Read>(archive: R, place: &Path) -> anyhow::Result<()> {
    unpack_as(archive, place, false)
}

/// The same with the owners of its files, where root unpacks.
pub(crate) fn unpack_with_owners<R: Read>(archive: R, place: &Path) -> anyhow::Result<()> {
    unpack_as(archive, place, is_root())
}

fn unpack_as<R: Read>(archive: R, place: &Path, has_owners: bool) -> anyhow::Result<()> {
    let mut tar = Archive::new(GzDecoder::new(archive));
    tar.set_preserve_permissions(true);
    tar.set_preserve_ownerships(has_owners);
    tar.unpack(place).with_context(|| format!("cannot unpack into {}", place.display()))
}

/// One file in the form of gzip, as packages have their man pages.
pub(crate) fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::dist::contents::{Entry, check_sums};

    fn files(text: &str) -> Contents {
        let mut files = Contents::default();
        files.add("b", Entry::text(text));
        files.add("a", Entry::program("run me"));
        files.with_sums_below("top")
    }

    #[test]
    fn the_same_files_give_the_same_bytes_and_another_file_or_time_another_archive() {
        let archive = write(Vec::new(), &files("one"), 1_000).unwrap();
        assert_eq!(archive, write(Vec::new(), &files("one"), 1_000).unwrap());
        assert_ne!(archive, write(Vec::new(), &files("two"), 1_000).unwrap());
        assert_ne!(archive, write(Vec::new(), &files("one"), 1_001).unwrap());
    }

    #[test]
    fn entries_are_sorted_and_belong_to_root_at_the_given_time() {
        let archive = write(Vec::new(), &files("one"), 1_000).unwrap();
        let mut tar = Archive::new(GzDecoder::new(archive.as_slice()));
        let mut names = Vec::new();
        for entry in tar.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!(
                (header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()),
                (0, 0, 1_000)
            );
            names.push(entry.path().unwrap().display().to_string());
        }
        assert_eq!(names, ["top/SHA256SUMS", "top/a", "top/b"]);
    }

    #[test]
    fn what_was_packed_is_unpacked_with_its_checksums() {
        let place = tempfile::tempdir().unwrap();
        let archive = write(Vec::new(), &files("one"), 1_000).unwrap();
        unpack(archive.as_slice(), place.path()).unwrap();
        check_sums(&place.path().join("top")).unwrap();
        assert_eq!(fs::read(place.path().join("top/a")).unwrap(), b"run me");
    }

    #[test]
    fn only_programs_are_executable() {
        let archive = write(Vec::new(), &files("one"), 1_000).unwrap();
        let mut tar = Archive::new(GzDecoder::new(archive.as_slice()));
        let modes: Vec<u32> =
            tar.entries().unwrap().map(|entry| entry.unwrap().header().mode().unwrap()).collect();
        assert_eq!(modes, [0o644, 0o755, 0o644], "SHA256SUMS, a, b");
    }
}
