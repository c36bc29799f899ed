//! Doing I/O.

pub mod host;

pub mod target;
