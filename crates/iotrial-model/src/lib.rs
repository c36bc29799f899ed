//! The nouns of iotrial: what was asked (profile), what was decided (plan), what happened (record).
//!
//! Nothing here touches the operating system, the clock or a file.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

pub mod words;
pub mod foreign_text;
pub mod wide_text;
pub mod units;
pub mod toml_reader;
pub mod load;
pub mod stream;
pub mod figure;
pub mod metric;
pub mod application;
pub mod bound;
pub mod load_pattern;
pub mod step;
pub mod content;
pub mod profile;
pub mod builtin;
pub mod target;
pub mod given_target;
pub mod sim_device;
pub mod engine;
pub mod priority;
pub mod plan;
pub mod latency_limit;
pub mod need;
pub mod ended;
pub mod finding;
pub mod rate_limit;
pub mod search;
pub mod record;
pub mod sweep;
pub mod journal;
pub mod table;
pub mod stated;
pub mod imported;
pub mod range;
pub mod stated_latency;
pub mod audit;
pub mod split_mix;
pub mod study;
pub mod host_fact;
pub mod wanted;
pub mod counters;
pub mod observation;
pub mod database;
pub mod database_run;
pub mod block_trace;
pub mod subject;
pub mod verdict;
pub mod circumstances;
pub mod recommendation;
pub mod gate;
pub mod setting;
pub mod demand;
pub mod awr;
pub mod remark;
pub mod verification;
pub mod crash;

pub use iotrial_histogram as histogram;
