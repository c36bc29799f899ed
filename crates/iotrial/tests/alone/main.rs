//! Tests that measure this machine or change it, most of them as root. They take turns (`rig::turn`), and no other test runs beside them.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests, which say what they skip"
)]

#[path = "../../../iotrial-engine/tests/it/rig/mod.rs"]
mod rig;
#[path = "../it/support/mod.rs"]
mod support;
mod throttled;
mod check_needs_root;
mod devices_need_root;
mod outcomes_need_root;
mod outputs_need_root;
mod roles_need_root;
mod study_need_root;
mod sweep_needs_root;
mod uring_refused_needs_root;
mod watch_needs_root;
