//! What every measurement needs, whatever is measured: when operations are due, what became of them, and what
//! the host did meanwhile.
//!
//! Nothing here knows of files, devices or queues. A loop asks [`arrivals`] when the next operation is due
//! and tells a [`recorder`] what came of it; once per [`window`] it hands its recorders over, and a
//! [`collector`] puts those of all threads together to intervals, while a [`meter`] reads the counters of the
//! [`host`].

#![forbid(clippy::print_stdout, clippy::print_stderr)]

pub mod process;
pub mod disk_stats;
pub mod host;
pub mod kernel_threads;
pub mod activity;
pub mod clock;
pub mod pauses;
pub mod random;
pub mod window;
pub mod course;
pub mod pace;
pub mod arrivals;
pub mod recorder;
pub mod control;
pub mod collector;
pub mod meter;
