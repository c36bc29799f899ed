//! What `iotrial-report` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

mod fixture;
mod comparison;
mod dashboard;
mod document;
mod html;
mod order;
mod svg_files;
mod terminal;
mod text_forms;
mod workbook;
