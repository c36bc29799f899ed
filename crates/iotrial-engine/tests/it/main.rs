//! What `iotrial-engine` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

#[cfg(target_os = "linux")]
mod rig;
mod support;
mod database_loads;
#[cfg(target_os = "linux")]
mod hostile_devices;
#[cfg(target_os = "linux")]
mod hostile_files;
#[cfg(target_os = "linux")]
mod hostile_tokens;
mod physics;
mod real_files;
mod steps;
mod until_decided;
