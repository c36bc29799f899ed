//! Doing I/O.
