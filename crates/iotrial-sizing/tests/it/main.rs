//! What `iotrial-sizing` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

mod configurations;
mod defects;
mod disks;
mod documents;
mod limits;
mod own_site;
mod paid;
mod pools;
mod search;
