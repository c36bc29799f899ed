//! Paths of Windows as people and other programs write them.

use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

/// With links and short names (`PROGRA~1`) resolved, and without the `\\?\` that other programs do not understand. A path that is too
/// long for them keeps it: with it, it is taken by Windows at least.
///
/// # Errors
///
/// When there is nothing, or it cannot be looked at.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    let verbatim = std::fs::canonicalize(path)?;
    Ok(plain(&verbatim).filter(|plain| plain.as_os_str().len() < LONG_PATH).unwrap_or(verbatim))
}

/// From this length on a path is taken only in its verbatim form (MAX_PATH, less the twelve characters of a name below it).
const LONG_PATH: usize = 260 - 12;

fn plain(verbatim: &Path) -> Option<PathBuf> {
    let Some(Component::Prefix(prefix)) = verbatim.components().next() else { return None };
    let text = verbatim.to_str()?;
    match prefix.kind() {
        Prefix::VerbatimDisk(_) => text.strip_prefix(r"\\?\").map(PathBuf::from),
        Prefix::VerbatimUNC(..) => {
            text.strip_prefix(r"\\?\UNC\").map(|share| PathBuf::from(format!(r"\\{share}")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_as_other_programs_take_it() {
        let check = |verbatim: &str, expected: Option<&str>| {
            assert_eq!(plain(Path::new(verbatim)).as_deref(), expected.map(Path::new), "{verbatim}");
        };
        check(r"\\?\C:\data", Some(r"C:\data"));
        check(r"\\?\UNC\server\share\data", Some(r"\\server\share\data"));
        check(r"\\?\Volume{6e2e1d3a-0000-0000-0000-100000000000}\data", None);
    }
}
