//! Where figures are served while a load is made.

use crate::heading;
use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;

/// `--listen` of every command that makes a load.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct ListenArgs {
    /// Serve live figures to Prometheus during the run. If only a port is given, it listens on 127.0.0.1, which only this host can reach.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = parse_address)]
    pub listen: Option<SocketAddr>,
}

/// An address, or a port of this host alone.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let alone = || text.parse::<u16>().ok().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    text.parse()
        .ok()
        .or_else(alone)
        .ok_or_else(|| "expected an address such as 127.0.0.1:9464, or a port such as 9464".to_owned())
}
