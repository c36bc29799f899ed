//! What the operating system does to a process at its limits, made into errors that somebody can read.
//!
//! By default a process that may not write a larger file is killed without a word, one without memory is aborted, and the handler of a
//! signal replaces the wish of whoever started the process that the signal be ignored. A load that ends so leaves its files behind, and
//! nobody knows why.

#[cfg(unix)]
#[path = "process/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod os;

mod memory;

pub use memory::Memory;
pub use os::{catch_stop_requests, survive_file_size_limit, terminal_takes_escapes};
