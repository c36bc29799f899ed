//! Text of strangers on its way to the terminal: values of files, names of files, arguments.

use super::Ground;

pub(crate) fn run(_: &mut Ground) -> anyhow::Result<()> {
    Ok(())
}
