//! What other tools wrote: their results become records, their jobs become profiles.
//!
//! Nothing here reads a file, a clock or the environment: texts come in, and what was understood goes out with what was
//! not.

#![forbid(unsafe_code)]

pub mod fio_job;
