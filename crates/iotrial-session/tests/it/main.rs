//! What `iotrial-session` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

#[cfg(target_os = "linux")]
mod described;
mod capacity;
#[cfg(target_os = "linux")]
mod cloud;
#[cfg(target_os = "linux")]
mod host_check;
#[cfg(target_os = "linux")]
mod possible_causes;
