//! What `iotrial-import` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

mod awr_cases;
mod awr_exadata;
mod awr_garbage;
mod awr_reports;
mod awr_shared;
mod awr_spoiled;
mod cases;
mod fio_job_of_published;
mod fio_second_reader;
mod garbage;
mod golden;
mod loads;
mod strangers;
mod shared_data;
