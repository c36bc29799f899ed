//! What a configuration delivers and costs, and the cheapest one that meets a demand.
//!
//! Everything here is a pure function of catalogs, configurations and demands. One composition of limits
//! ([`chain`]) serves explanations and the search, so that they cannot disagree. The modules are in reading
//! order.

#![forbid(unsafe_code)]

pub mod measure;

pub mod catalog;

pub mod configuration;

pub mod chain;

pub mod rule;

pub mod price;

pub mod requirement;

pub mod measured;

pub mod explanation;

pub mod search;

pub mod sizing;
