//! How the host is looked at before a load.

use crate::heading;
use std::path::PathBuf;

use clap::Args;
use iotrial_host::cloud::METADATA_SERVICE;
use iotrial_session::request::HostLook;

/// `--rules` and `--cloud` of every command that makes a load.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = heading::RECORD)]
pub struct HostArgs {
    /// Your own rules for the host: a TOML file or a folder of them, as for `iotrial check` (repeatable). Critical findings of these
    /// and of the built-in rules are shown as warnings before the load starts.
    #[arg(long, value_name = "FILE|DIR")]
    pub rules: Vec<PathBuf>,

    /// Ask the cloud's metadata service (169.254.169.254) for instance type, volume types and host caching, and keep them in the record.
    #[arg(long)]
    pub cloud: bool,
}

impl HostArgs {
    /// The request to a session.
    pub fn look(&self) -> HostLook {
        HostLook { rules: self.rules.clone(), cloud: self.cloud.then_some(METADATA_SERVICE) }
    }
}
