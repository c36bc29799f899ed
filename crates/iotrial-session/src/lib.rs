//! The session: carries a run, a sweep or a study out, and keeps what came of it.
//!
//! It takes requests in the words of the domain ([`request`]) and gives records back. It prints nothing: what there is to see
//! while it works goes to an [`observer::Observer`], and what goes wrong is a typed error that can explain itself
//! ([`fault::Fault`]). The program translates its command line into requests, shows what comes back, and decides on exit codes.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

pub mod fault;
pub mod wall_clock;
pub mod observer;
pub mod atomic_file;
pub mod read_files;
pub mod bounded_file;
pub mod store;
pub mod request;
mod shell_command;
mod metric_command;
pub mod judged_profile;
pub mod host_check;
mod host_warning;
pub mod watch;
pub mod observe;
#[cfg(target_os = "linux")]
pub mod block_trace;
pub mod setup;
pub mod quiet;
pub mod rig;
pub mod crash;
pub mod run;
pub mod sweep;
pub mod study;

pub use atomic_file::without_temporary_name;
