//! Files of other tools: found and read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_import::{ForeignFile, ImportError, Imported, Naming, import};

/// Stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// One byte more than what is read at all, so that a larger file is known as one.
const MOST_BYTES: u64 = (64 << 20) + 1;
/// Folders in folders beyond this are not looked into.
const DEEPEST_FOLDER: usize = 16;

/// Why a file of another tool could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The operating system refused.
    #[error("it cannot be opened")]
    Io(#[source] std::io::Error),
    /// It is not understood.
    #[error(transparent)]
    Import(#[from] ImportError),
}

impl ForeignError {
    /// Whether the file is simply none of a known kind.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Self::Import(error) if error.is_foreign())
    }

    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io(_) => None,
            Self::Import(error) => error.hint().map(str::to_owned),
        }
    }
}

/// Reads one file, or standard input.
pub fn read(path: &Path, naming: &Naming) -> Result<Imported, ForeignError> {
    let mut bytes = Vec::new();
    let read = if path == Path::new(STANDARD_INPUT) {
        std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(ForeignError::Io)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |name: &str| -> Option<Vec<u8>> {
        // A name that a stranger chose leads nowhere else.
        let is_plain = !name.contains(['/', '\\']) && name != ".." && path != Path::new(STANDARD_INPUT);
        let file = folder.join(name);
        let mut bytes = Vec::new();
        let is_there = is_plain && file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        is_there
            .then(|| File::open(&file).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)))?
            .ok()?;
        Some(bytes)
    };
    let name = if path == Path::new(STANDARD_INPUT) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    Ok(import(&ForeignFile { name: &name, bytes: &bytes, beside: &beside }, naming)?)
}

/// What figures do not need, and what takes most of the memory.
pub fn forget_course(record: &mut iotrial_model::imported::ImportedRecord) {
    record.intervals = Vec::new();
    record.devices = Vec::new();
    record.jobs.iter_mut().for_each(|job| job.load.options.clear());
}

/// Every regular file in a folder and those in it, by name. Links are not followed, and records of iotrial are no foreign files.
pub fn files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_files(folder, 0, &mut files)?;
    files.sort();
    Ok(files)
}

fn add_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let listing = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    for entry in listing {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && depth < DEEPEST_FOLDER {
            add_files(&path, depth + 1, files)?;
        } else if kind.is_file() && !name.contains(".iotrial") {
            files.push(path);
        }
    }
    Ok(())
}
