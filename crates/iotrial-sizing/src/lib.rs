//! What a configuration delivers and costs, and the cheapest one that meets a demand.
//!
//! Everything here is a pure function of catalogs, configurations and demands. One composition of limits
//! ([`chain`]) serves explanations and the search, so that they cannot disagree.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

pub mod measure;
pub mod catalog;
pub mod configuration;
pub mod chain;
pub mod rule;
pub mod age;
pub mod price;
pub mod floor;
pub mod requirement;
pub mod measured;
pub mod explanation;
pub mod side_by_side;
pub mod search;
pub mod sizing;
