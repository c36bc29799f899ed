//! Standard streams as Unix has them.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;

/// What standard input is open on.
pub(super) fn standard_input() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// What standard output is open on.
pub(super) fn standard_output() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// What standard error is open on.
pub(super) fn standard_error() -> io::Result<File> {
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}
