//! Serves figures to Prometheus: one small text, asked for every few seconds by somebody on the same host or network.
//!
//! The standard library is enough for it. One connection at a time, each with a deadline and a limit, so that nobody can hold memory or
//! threads; what is served is read only, and the request is looked at for nothing but its path and the host that it names.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use iotrial_report::exposition::EXPOSITION_TYPE;

use crate::failure::Failure;
use crate::output::say;

/// The head of a request is never longer.
const MOST_BYTES: usize = 8 << 10;
/// A connection is over after so long, whatever the other side does.
const DEADLINE: Duration = Duration::from_secs(2);
/// After a failure to accept, such as too many open files, which would fail again at once.
const PAUSE: Duration = Duration::from_millis(100);

/// An address that nobody else serves at.
pub struct MetricsServer {
    listener: TcpListener,
    local: SocketAddr,
}

impl MetricsServer {
    /// Takes the address, and answers nobody yet: whoever has work of hours to do wants to know before it that the port is free.
    pub fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let listening = || -> anyhow::Result<Self> {
            let listener = TcpListener::bind(address)?;
            let local = listener.local_addr()?;
            Ok(Self { listener, local })
        };
        listening().with_context(|| format!("cannot listen on {address}")).map_err(Failure::input)
    }

    /// Serves until the program ends, from a thread of its own: `text` makes what is served, and must not take long. `what` is what
    /// others can read where the address is not of this host alone.
    pub fn serve(self, what: &str, text: impl Fn() -> String + Send + 'static) -> Result<(), Failure> {
        let Self { listener, local } = self;
        thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || {
                for stream in listener.incoming() {
                    match stream {
                        // Whoever hangs up early has no answer, and that is all.
                        Ok(stream) => drop(answer(stream, local.ip(), &text)),
                        Err(_) => thread::sleep(PAUSE),
                    }
                }
            })
            .context("cannot start a thread")
            .map_err(Failure::execution)?;
        say!("serving http://{local}/metrics");
        if !local.ip().is_loopback() {
            say!("warning: anybody who reaches {local} can read {what}");
        }
        Ok(())
    }
}

fn answer(mut stream: TcpStream, own: IpAddr, text: &dyn Fn() -> String) -> std::io::Result<()> {
    let end = Instant::now() + DEADLINE;
    let Some(head) = head_of(&mut stream, end)? else {
        return respond(
            &mut stream,
            end,
            "400 Bad Request",
            "text/plain",
            "not a request that is understood\n",
        );
    };
    let (status, kind, body) = response(&head, own, text);
    respond(&mut stream, end, status, kind, &body)
}

/// The head of a request; `None` where it is too long or none.
fn head_of(stream: &mut TcpStream, end: Instant) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 1_024];
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > MOST_BYTES {
            return Ok(None);
        }
        // Of the whole head, not of each piece: one byte a second would hold the connection for hours.
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
    Ok(String::from_utf8(bytes).ok())
}

fn respond(
    stream: &mut TcpStream,
    end: Instant,
    status: &str,
    kind: &str,
    body: &str,
) -> std::io::Result<()> {
    let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    stream.set_write_timeout(Some(left))?;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Status, type and text that a request gets.
fn response(head: &str, own: IpAddr, text: &dyn Fn() -> String) -> (&'static str, &'static str, String) {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if own.is_loopback() && !lines.any(is_of_this_host) {
        // A page in a browser whose name was pointed at this host meanwhile.
        return ("403 Forbidden", PLAIN, "ask for localhost or an address\n".to_owned());
    }
    if method != "GET" {
        return ("405 Method Not Allowed", PLAIN, "only GET\n".to_owned());
    }
    match path.split('?').next() {
        Some("/metrics") => ("200 OK", EXPOSITION_TYPE, text()),
        Some("/") => ("200 OK", PLAIN, "iotrial; the figures are at /metrics\n".to_owned()),
        _ => ("404 Not Found", PLAIN, "the figures are at /metrics\n".to_owned()),
    }
}

/// Whether a line of the head is that of the host, and names an address or this host.
fn is_of_this_host(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let value = value.trim();
    let host =
        if value.ends_with(']') { value } else { value.rsplit_once(':').map_or(value, |(host, _)| host) };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("host")
        && (host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn status(head: &str, own: IpAddr) -> &'static str {
        response(head, own, &String::new).0
    }

    #[test]
    fn a_request_gets_what_it_asks_for_and_nothing_else() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let get =
            |path: &str, host: &str| status(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"), here);
        assert_eq!(get("/metrics", "127.0.0.1:9464"), "200 OK");
        assert_eq!(get("/metrics?x=1", "localhost"), "200 OK");
        assert_eq!(get("/metrics", "[::1]:9464"), "200 OK");
        assert_eq!(get("/", "localhost:9464"), "200 OK");
        assert_eq!(get("/../etc/passwd", "localhost"), "404 Not Found");
        assert_eq!(get("/metrics", "evil.example:9464"), "403 Forbidden");
        assert_eq!(status("GET /metrics HTTP/1.1\r\n\r\n", here), "403 Forbidden");
        assert_eq!(
            status("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", here),
            "405 Method Not Allowed"
        );
        assert_eq!(status("\u{0}", here), "403 Forbidden");
        // On an address of the network, names are what Prometheus uses.
        let there = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: db01:9464\r\n\r\n", there), "200 OK");
    }
}
