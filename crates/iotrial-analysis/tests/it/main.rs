//! What `iotrial-analysis` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

mod audit_of_published;
mod printed_tables;
