//! Pure answers from records: what the facts of a run mean.
//!
//! Nothing here reads a file, a clock or the environment. Every figure that any output shows is
//! computed here, once.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

mod student;
pub mod figures;
pub mod stream;
pub mod series;
pub mod latency_map;
pub mod latency_course;
pub mod steady_state;
pub mod rate_search;
mod shared_device;
mod device_part;
pub mod device_chain;
mod contradiction;
pub mod findings;
pub mod threshold;
mod generator_part;
mod queue_latency;
mod judgement;
pub mod verdict;
pub mod host_check;
pub mod possible_cause;
pub mod summary;
pub mod quiet;
pub mod live_load;
pub mod saturation;
pub mod knee_search;
pub mod sweep;
pub mod settings;
pub mod host_attributes;
pub mod watch;
pub mod database_run;
pub mod capture;
pub mod comparison;
pub mod audit;
pub mod awr;
pub mod crash;
#[cfg(test)]
mod test_record;

pub use iotrial_words::numbers as words;
