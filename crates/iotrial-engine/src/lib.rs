//! Doing I/O: clock, queues, the loop that drives them, and the run that holds it all together.
//!
//! This is the only crate that knows the operating system, the clock and `unsafe`. A run carries out
//! a [`Plan`](iotrial_model::plan::Plan) and never picks a default. The modules stand in reading
//! order, and later ones use earlier ones.

pub mod host;

pub mod targets;

pub mod clock;

pub mod random;

mod zipf;

pub mod offset;

pub mod pace;

pub mod queue;

mod buffer;

mod null;

pub mod sim;

mod threads;

#[cfg(target_os = "linux")]
mod uring;
#[cfg(not(target_os = "linux"))]
#[path = "uring_absent.rs"]
mod uring;

#[cfg_attr(not(target_os = "linux"), path = "polling_absent.rs")]
pub mod polling;

pub mod control;

mod group_commit;

mod arrivals;

mod lane;

mod recorder;

mod drive;
#[cfg(test)]
mod test_plan;

pub mod one_queue;

mod meter;

pub mod run;
