//! Targets: what a load works on, and what keeps it from working on anything else.
//!
//! [`probe`] looks and changes nothing. [`prepare`] makes what the plan needs, and is the only place in
//! iotrial where a file is made, filled or claimed. Between the two stands the plan.
//!
//! The rules, in the order in which they are met:
//!
//! - A file that iotrial did not make is never written. Managed files carry a header page
//!   ([`managed_file`]), are made with `O_EXCL` and `O_NOFOLLOW`, and are locked while they are used.
//! - Nothing is ever made under `/dev`, `/proc` or `/sys`: a misspelt device stays an error.
//! - A raw device is read only, unless the user gives the token that [`inspect_device`] printed. The token
//!   is bound to host, device and content, and is asked for again after the device was claimed.
//! - No token opens a device in use: mounted, swapped on, stacked upon, open elsewhere, or part of the
//!   system's disk ([`Obstacle`]).

pub mod managed_file;

#[cfg(target_os = "linux")]
mod extents;

#[cfg(target_os = "linux")]
mod loop_device;

#[cfg(target_os = "linux")]
#[path = "targets/linux.rs"]
pub(crate) mod os;
#[cfg(windows)]
#[path = "targets/windows.rs"]
pub(crate) mod os;

mod directory;

pub(crate) mod fill;

mod signature;

mod sample;

mod obstacle;

mod prepare_error;

#[cfg(target_os = "linux")]
mod in_use;

mod device;

mod probe;

mod site;

mod made;

mod held;

mod prepare;

mod left_over;

pub use device::{DeviceReport, inspect_device};
pub(crate) use held::NO_FLAGS;
pub use held::{HeldAreas, OpenAreaError};
pub use left_over::{LeftOver, LeftOverError, find_left_overs, remove_left_by, remove_left_over};
pub use managed_file::{Foreign, RunId};
pub use obstacle::Obstacle;
pub use os::{FileId, file_id, file_id_at};
pub use prepare::{Prepared, prepare, rehearse};
pub use prepare_error::PrepareError;
pub use probe::{ProbeError, ProbedTarget, devices_below, probe};
pub use sample::ContentSample;
pub use signature::Signature;
