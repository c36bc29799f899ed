//! What `iotrial` does, seen from outside. One program for all, so that it is compiled and linked once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

#[cfg(target_os = "linux")]
mod pty;
mod support;
mod array_cache;
#[cfg(unix)]
mod attacks;
mod audit;
mod awr;
mod awr_change;
mod awr_damaged;
mod awr_part;
mod awr_replay;
mod awr_sizing;
mod awr_slob;
#[cfg(target_os = "linux")]
mod capture;
mod check;
#[cfg(unix)]
mod ci;
mod compare;
mod configuration;
#[cfg(target_os = "linux")]
mod crash;
mod dates;
mod faults;
#[cfg(unix)]
mod faults_on_unix;
mod figures;
mod findings;
mod fio_job;
#[cfg(target_os = "linux")]
mod host_facts;
mod identity;
mod import;
mod intake;
mod json_stream;
mod kubernetes;
mod latency_limit;
mod live_figures;
#[cfg(target_os = "linux")]
mod observe;
mod one_answer;
mod outputs;
mod planted;
mod profiles;
mod program;
mod python;
mod real_results;
mod records;
mod report;
#[cfg(target_os = "linux")]
mod rigs;
mod roles;
mod run;
mod schema;
mod size;
mod size_cost;
mod size_examples;
mod size_pools;
mod steps;
mod study;
#[cfg(unix)]
mod study_commands;
mod sweep;
mod sweep_truth;
mod sweep_until_steady;
#[cfg(target_os = "linux")]
mod terminal;
mod undisturbed;
mod until_steady;
mod verify;
mod watch;
#[cfg(windows)]
mod windows;
mod windows_record;
mod workbooks;
