//! The words of iotrial: what is said of findings, checks of an audit, counters, verdicts, loads of a search, recommendations, gates, proposed settings,
//! host rules, AWR reports, loads on databases and sizings, by ids and facts; and numbers within sentences.
//!
//! Whoever judges hands over ids and numbers. Nothing is decided from a sentence, so that each can be written anew without anything else
//! becoming different.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

pub mod finding;
pub mod evidence;
pub mod place;
pub mod numbers;
pub mod changes;
pub mod rate_limit;
pub mod search;
pub mod circumstances;
pub mod stated;
pub mod observation;
pub mod database_run;
pub mod capture;
pub mod activity;
pub mod awr;
pub mod verdict;
pub mod audit;
pub mod recommendation;
pub mod gate;
pub mod setting;
pub mod wanted;
pub mod crash;
pub mod sizing;
