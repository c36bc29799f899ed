//! The workspace that the tasks work on.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The folder that holds all crates: the parent of this crate's.
///
/// # Errors
///
/// When this crate was moved to the top of a file system.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_folder.parent().context("the crate of the tasks lies in no workspace")?;
    Ok(root.to_owned())
}

/// Where Cargo puts what it builds for the workspace.
pub(crate) fn build_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// The file that runs when `program` is called, if there is one.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)));
    candidates.into_iter().find(|file| file.is_file())
}
