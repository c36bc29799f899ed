//! What a host shows of itself: its mounts, its block devices and what is stacked on what, and the settings of all of it.
//!
//! On Linux everything is read from files of the kernel below one root, so that a copy of another host's `/sys` and `/proc` drives the
//! same code (`block::Kernel`). Nothing is changed, and no other program is run. What a setting should be is judged elsewhere.

#![forbid(clippy::print_stdout, clippy::print_stderr)]

#[cfg(target_os = "linux")]
mod text;
#[cfg(target_os = "linux")]
pub mod number;
#[cfg(target_os = "linux")]
pub mod mounts;
#[cfg(target_os = "linux")]
pub mod block;
#[cfg(target_os = "linux")]
mod reading;
mod firmware;
#[cfg(target_os = "linux")]
mod platform;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod filesystem;
#[cfg(target_os = "linux")]
mod nfs;
#[cfg(target_os = "linux")]
mod dm_table;
#[cfg(target_os = "linux")]
mod device_mapper;
#[cfg(target_os = "linux")]
mod layer;
#[cfg(target_os = "linux")]
mod controller;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod ethtool;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod chain;
#[cfg(any(windows, test))]
mod smbios;
#[cfg(any(windows, test))]
mod storage_layout;
#[cfg(windows)]
pub mod windows_path;
#[cfg(windows)]
mod windows_api;
#[cfg(windows)]
pub mod physical_disk;
pub mod machine;
pub mod report;
pub mod cloud;
