//! What an archive holds: files by their names, with checksums, and the documents that every archive has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

/// Beside the documents, at the top of an archive.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The name of the list of checksums, in archives and beside them.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

impl Entry {
    pub(crate) fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), is_program: false }
    }

    pub(crate) fn program(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), is_program: true }
    }

    /// The permissions of the file on Unix.
    pub(crate) fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Files by their names in an archive, with `/` between folders, sorted: the same files always give the same archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(pub(crate) BTreeMap<String, Entry>);

impl Contents {
    /// README, changelog, licences and every page of `docs`.
    pub(crate) fn documents(root: &Path) -> anyhow::Result<Self> {
        let mut files = Self::default();
        for text in TEXTS {
            files.add(text, Entry::text(read(&root.join(text))?));
        }
        files.add_folder(root, "docs", "md")?;
        Ok(files)
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, entry: Entry) {
        self.0.insert(name.into(), entry);
    }

    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The files in `folder` of the workspace whose names end in `.ending`; those in folders below it are left out.
    pub(crate) fn add_folder(&mut self, root: &Path, folder: &str, ending: &str) -> anyhow::Result<()> {
        let place = root.join(folder);
        for entry in fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))? {
            let path = entry?.path();
            if path.extension().is_some_and(|its| its == ending) {
                let name = path.file_name().context("an entry of a folder has a name")?;
                self.add(format!("{folder}/{}", name.to_string_lossy()), Entry::text(read(&path)?));
            }
        }
        Ok(())
    }

    /// The same files with the list of their checksums, below a folder of the archive's name.
    pub(crate) fn with_sums_below(mut self, folder: &str) -> Self {
        let mut sums = String::new();
        for (name, entry) in &self.0 {
            sums += &line_of_sums(&entry.bytes, name);
        }
        self.add(SUMS, Entry::text(sums));
        Self(self.0.into_iter().map(|(name, entry)| (format!("{folder}/{name}"), entry)).collect())
    }

    /// Writes the files into a folder, which is emptied first.
    pub(crate) fn write_into(&self, folder: &Path) -> anyhow::Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        for (name, entry) in &self.0 {
            let path = folder.join(name);
            let parent = path.parent().context("a file lies in a folder")?;
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
            fs::write(&path, &entry.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// A line as `sha256sum` writes it.
pub(crate) fn line_of_sums(bytes: &[u8], name: &str) -> String {
    format!("{}  {name}\n", digest(bytes))
}

/// Every line of `SHA256SUMS` in the folder holds.
pub(crate) fn check_sums(folder: &Path) -> anyhow::Result<()> {
    let sums = fs::read_to_string(folder.join(SUMS)).with_context(|| format!("{SUMS} is missing"))?;
    ensure!(!sums.is_empty(), "{SUMS} is empty");
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").context("a line of SHA256SUMS without a name")?;
        let bytes = fs::read(folder.join(file)).with_context(|| format!("{file} is missing"))?;
        if digest(&bytes) != sum {
            bail!("{file} has another checksum");
        }
    }
    Ok(())
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_the_texts_and_the_pages_and_nothing_else_of_the_folder() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        for text in TEXTS {
            fs::write(root.path().join(text), text).unwrap();
        }
        fs::write(root.path().join("docs/windows.md"), "# Windows\n").unwrap();
        fs::write(root.path().join("docs/picture.png"), "not a page").unwrap();
        let files = Contents::documents(root.path()).unwrap();
        let names: Vec<&str> = files.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "docs/windows.md"]);
        fs::remove_file(root.path().join("LICENSE-MIT")).unwrap();
        assert!(Contents::documents(root.path()).unwrap_err().to_string().contains("LICENSE-MIT"));
    }

    #[test]
    fn a_changed_or_missing_file_does_not_pass_the_list_of_checksums() {
        let place = tempfile::tempdir().unwrap();
        let mut files = Contents::default();
        files.add("README.md", Entry::text("read me"));
        files.add("docs/windows.md", Entry::text("# Windows\n"));
        let folder = place.path().join("it");
        files.with_sums_below("top").write_into(&folder).unwrap();
        let folder = folder.join("top");
        check_sums(&folder).unwrap();
        fs::write(folder.join("docs/windows.md"), "# Changed\n").unwrap();
        assert!(check_sums(&folder).unwrap_err().to_string().contains("docs/windows.md has another"));
        fs::remove_file(folder.join("README.md")).unwrap();
        assert!(check_sums(&folder).unwrap_err().to_string().contains("README.md is missing"));
    }

    #[test]
    fn a_checksum_is_that_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(b"abc"), known);
        assert_eq!(line_of_sums(b"abc", "a file"), format!("{known}  a file\n"));
    }
}
