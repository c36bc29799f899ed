//! The nouns of iotrial: what was asked (profile), what was decided (plan), what happened (record).
//!
//! Nothing here touches the operating system, the clock or a file. The modules stand in reading
//! order, and later ones use earlier ones.

#![forbid(unsafe_code)]

pub mod units;

pub mod histogram;

pub mod toml_reader;

pub mod load;

pub mod profile;

pub mod builtin;

pub mod target;

pub mod sim_device;

pub mod plan;

pub mod search;

pub mod finding;

pub mod record;

pub mod load_pattern;

pub mod sweep;

pub mod journal;

pub mod table;

pub mod imported;

pub mod study;

pub mod counters;

pub mod demand;

pub mod figure;

pub mod subject;
