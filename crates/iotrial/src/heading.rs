//! The headings under which `--help` lists options.
//!
//! What nearly everybody needs has no heading: clap lists it first, as «Options». A heading that a struct or an option sets holds for
//! all that follow it in the same command, also those of the structs around it, until another one is set.

/// For options that are listed first.
pub const NONE: Option<&str> = None;

/// What load is made, for how long, and in which order.
pub const LOAD: &str = "Load";

/// Jobs of fio as loads.
pub const FIO: &str = "fio jobs";

/// How I/Os reach the device, and what may be overwritten.
pub const IO: &str = "How I/O is done";

/// Limits and gates: what decides the verdict or the exit code.
pub const PASS: &str = "Pass or fail";

/// What is read of the host, and what is kept with the result.
pub const RECORD: &str = "Host and record";

/// What only a live view needs.
pub const LIVE: &str = "Live";

/// The forms of the answer besides text on the terminal.
pub const OUTPUT: &str = "Output";

/// What is needed, now and later.
pub const DEMAND: &str = "Demand";

/// Where limits and prices come from.
pub const PRICES: &str = "Catalogs and prices";

/// What is paid for besides machine, operating system and volumes.
pub const COST: &str = "What the cost includes";

/// Which configurations are considered.
pub const CHOICE: &str = "Which configurations to consider";

/// How AWR figures become a machine and a demand.
pub const SIZING: &str = "Sizing";
