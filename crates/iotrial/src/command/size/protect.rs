//! What `size` may write over: nothing that it was given, and of what it writes itself only what it wrote before.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::anyhow;

use crate::failure::Failure;
use crate::report_files::ReportFiles;
use crate::store::write_whole;

/// The first line of every file that `size` writes for people to edit.
pub(super) const MARK: &str = "# Written by `iotrial size`.";

/// Refuses to write over what the command reads.
pub(super) fn inputs(reports: &ReportFiles, own: &[&Path], given: &[&Path]) -> Result<(), Failure> {
    let forms = [&reports.html, &reports.xlsx, &reports.markdown, &reports.csv];
    let reports = forms.into_iter().flatten().map(std::path::PathBuf::as_path);
    for path in reports.chain(own.iter().copied()) {
        if given.iter().any(|given| is_same(path, given)) {
            let error = anyhow!("`{}` is read here, and would be written over", path.display());
            return Err(Failure::input(error).hint("give another name for what is to be written".to_owned()));
        }
    }
    own.iter().try_for_each(|path| check_own(path))
}

/// Writes a file that begins with [`MARK`].
pub(super) fn write_own(path: &Path, text: &str) -> Result<(), Failure> {
    debug_assert!(text.starts_with(MARK), "it is known again by its first line");
    check_own(path)?;
    write_whole(path, text.as_bytes()).map_err(Failure::execution)
}

/// A file that somebody else made stays as it is.
fn check_own(path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let mut head = vec![0; MARK.len()];
    let is_own =
        File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == MARK.as_bytes();
    if is_own {
        return Ok(());
    }
    let error = anyhow!("`{}` is there, and `iotrial size` did not write it", path.display());
    Err(Failure::input(error).hint("give another name, or remove it".to_owned()))
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
