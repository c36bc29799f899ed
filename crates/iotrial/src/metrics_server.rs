//! Serves figures to Prometheus: one small text, asked for every few seconds by somebody on the same host or network.

use std::net::SocketAddr;

use iotrial_report::exposition::EXPOSITION_TYPE;

use crate::failure::Failure;
use crate::http_server::{HttpServer, PLAIN, Page, Serving};
use crate::output::say;

/// An address where figures will be served.
pub struct MetricsServer(HttpServer);

impl MetricsServer {
    /// Takes the address, and answers nobody yet.
    pub fn bind(address: SocketAddr) -> Result<Self, Failure> {
        HttpServer::bind(address).map(Self)
    }

    /// Serves until what comes back is dropped: `text` makes what is served, and must not take long. `what` is what others can read
    /// where the address is not of this host alone.
    pub fn serve(
        self,
        what: &str,
        text: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Serving, Failure> {
        let Self(server) = self;
        let (address, is_alone) = (server.address(), server.is_of_this_host_alone());
        let serving = server.serve(move |path| match path {
            "/metrics" => Some(Page { kind: EXPOSITION_TYPE, text: text() }),
            "/" => Some(Page { kind: PLAIN, text: "iotrial; the figures are at /metrics\n".to_owned() }),
            _ => None,
        })?;
        say!("serving http://{address}/metrics");
        if !is_alone {
            say!("warning: anybody who reaches {address} can read {what}");
        }
        Ok(serving)
    }
}
