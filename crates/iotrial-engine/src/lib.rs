//! Doing I/O: targets, queues, the loop that drives them, and the run that holds it all together.
//!
//! A run carries out a [`Plan`](iotrial_model::plan::Plan) and never picks a default. When I/Os are due and
//! what became of them is kept by `iotrial-measure`.

#![forbid(clippy::print_stdout, clippy::print_stderr)]

mod zipf;
pub mod offset;
mod content;
pub mod queue;
#[cfg(windows)]
mod lock_memory_privilege;
mod buffer;
mod null;
pub mod sim;
mod threads;
#[cfg(target_os = "linux")]
mod uring;
#[cfg(not(target_os = "linux"))]
#[path = "uring_absent.rs"]
mod uring;
#[cfg_attr(not(windows), path = "iocp_absent.rs")]
mod iocp;
mod under_way;
pub mod targets;
#[cfg_attr(not(target_os = "linux"), path = "polling_absent.rs")]
pub mod polling;
#[cfg_attr(not(target_os = "linux"), path = "priority_absent.rs")]
pub mod priority;
mod group_commit;
mod lane;
mod resting;
mod followers;
mod lateness;
mod drive;
#[cfg(test)]
mod test_plan;
pub mod one_queue;
pub mod verify;
pub mod crash;
mod worker;
pub mod run;
