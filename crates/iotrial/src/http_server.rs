//! Serves pages over HTTP to whoever is on this host or network, read only, from a thread of its own.
//!
//! `hyper` speaks the protocol. What it must not allow is decided here: no name of another host, no method that changes anything, no
//! head without end, and nobody who holds others up. A connection has one request and a deadline, and of very many the oldest goes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context as _;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::failure::Failure;

/// The head of a request is never longer.
const MOST_BYTES: usize = 16 << 10;
/// After a failure to accept, such as too many open files, which would fail again at once.
const PAUSE: Duration = Duration::from_millis(100);

/// Text without a form of its own.
pub const PLAIN: &str = "text/plain; charset=utf-8";

/// What a path gets.
pub struct Page {
    /// Its media type.
    pub kind: &'static str,
    /// All of it.
    pub text: String,
}

/// What connections may take.
#[derive(Clone, Copy)]
struct Limits {
    /// More than so many at once are never open.
    most: usize,
    /// A connection is over after so long, whatever the other side does.
    deadline: Duration,
}

// A choice: some servers that read figures, each every second, and a slow line to them.
const LIMITS: Limits = Limits { most: 64, deadline: Duration::from_secs(5) };

/// What makes the page of a path; `None` where there is none.
type Pages = dyn Fn(&str) -> Option<Page> + Send + Sync;

/// An address that nobody else serves at.
pub struct HttpServer {
    listener: TcpListener,
    local: SocketAddr,
}

/// Somebody who is served: until this is dropped.
pub struct Serving {
    /// Dropped, it ends the thread.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Takes the address, and answers nobody yet: whoever has work of hours to do wants to know before it that the port is free.
    pub fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let listening = || -> anyhow::Result<Self> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let local = listener.local_addr()?;
            Ok(Self { listener, local })
        };
        listening().with_context(|| format!("cannot listen on {address}")).map_err(Failure::input)
    }

    /// The address with its port, also where any was asked for.
    pub const fn address(&self) -> SocketAddr {
        self.local
    }

    /// Whether only this host reaches it.
    pub fn is_of_this_host_alone(&self) -> bool {
        is_loopback(self.local.ip())
    }

    /// Serves what `pages` makes, which must not take long.
    pub fn serve(
        self,
        pages: impl Fn(&str) -> Option<Page> + Send + Sync + 'static,
    ) -> Result<Serving, Failure> {
        self.serve_within(LIMITS, Arc::new(pages)).map_err(Failure::execution)
    }

    fn serve_within(self, limits: Limits, pages: Arc<Pages>) -> anyhow::Result<Serving> {
        let Self { listener, local } = self;
        // One thread for all connections, which waits for the kernel: a load that is measured meanwhile is not disturbed by more.
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .context("cannot wait for sockets")?;
        let listener = {
            let _runtime = runtime.enter();
            tokio::net::TcpListener::from_std(listener).context("cannot wait for connections")?
        };
        let (stop, stopped) = oneshot::channel();
        let serve = move |runtime: Runtime| {
            runtime.spawn(accept(listener, local.ip(), limits, pages));
            // An error: nothing is ever sent. With the runtime go all connections and the listener.
            drop(runtime.block_on(stopped));
        };
        let thread = thread::Builder::new().name("http".to_owned()).spawn(move || serve(runtime));
        Ok(Serving { stop: Some(stop), thread: Some(thread.context("cannot start a thread")?) })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // That it panicked was said when it did.
            let _ = thread.join();
        }
    }
}

/// Accepts connections for ever. The oldest makes room for a new one: who is served has long gone by then, and who holds on to many
/// loses them.
async fn accept(listener: tokio::net::TcpListener, own: IpAddr, limits: Limits, pages: Arc<Pages>) {
    let mut connections: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        connections.retain(|one| !one.is_finished());
        if connections.len() >= limits.most
            && let Some(oldest) = connections.pop_front()
        {
            oldest.abort();
        }
        let connection = tokio::spawn(converse(stream, own, limits.deadline, Arc::clone(&pages)));
        connections.push_back(connection.abort_handle());
    }
}

/// One request and its answer.
async fn converse(stream: TcpStream, own: IpAddr, deadline: Duration, pages: Arc<Pages>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = respond(request.method(), request.uri(), request.headers(), own, &*pages);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(MOST_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    // Of the whole conversation and not of each piece: one byte a second would hold it for hours. Whoever hangs up early has no answer,
    // and that is all.
    drop(tokio::time::timeout(deadline, connection).await);
}

fn respond(method: &Method, uri: &Uri, headers: &HeaderMap, own: IpAddr, pages: &Pages) -> Response<String> {
    let plain = |status, text: &str| (status, Page { kind: PLAIN, text: text.to_owned() });
    let (status, page) = if is_loopback(own) && !asks_this_host(uri, headers) {
        // A page in a browser whose name was pointed at this host meanwhile.
        plain(StatusCode::FORBIDDEN, "ask for localhost or an address\n")
    } else if method != Method::GET && method != Method::HEAD {
        plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n")
    } else {
        match pages(uri.path()) {
            Some(page) => (StatusCode::OK, page),
            None => plain(StatusCode::NOT_FOUND, "there is no such page\n"),
        }
    };
    let mut response = Response::new(page.text);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(page.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// Whether it is an address of this host, also in the form of an IPv6 address.
fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Whether a request names this host, or an address, wherever it names a host, and does so at all.
fn asks_this_host(uri: &Uri, headers: &HeaderMap) -> bool {
    let of_headers = headers.get_all(HOST).iter().map(|host| Authority::try_from(host.as_bytes()).ok());
    let mut all = of_headers.chain(uri.authority().cloned().map(Some)).peekable();
    all.peek().is_some() && all.all(|host| host.is_some_and(|host| is_this_host(&host)))
}

fn is_this_host(authority: &Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    !authority.as_str().contains('@')
        && (host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::Ipv4Addr;

    use super::*;

    fn pages(path: &str) -> Option<Page> {
        (path == "/metrics").then(|| Page { kind: PLAIN, text: "42\n".to_owned() })
    }

    const HOUR: Duration = Duration::from_secs(3_600);

    fn serve(limits: Limits) -> (SocketAddr, Serving) {
        serve_at(Ipv4Addr::LOCALHOST, limits)
    }

    fn serve_at(host: Ipv4Addr, limits: Limits) -> (SocketAddr, Serving) {
        let server = HttpServer::bind(SocketAddr::from((host, 0))).unwrap();
        (server.address(), server.serve_within(limits, Arc::new(pages)).unwrap())
    }

    fn ask(address: SocketAddr, request: &[u8]) -> String {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        // A server that refuses a long head does not read it to its end.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn idle(address: SocketAddr) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(b"G").unwrap();
        stream
    }

    /// Waits for the end of a connection, and not for ever.
    fn is_closed(mut stream: &std::net::TcpStream) -> bool {
        use std::io::ErrorKind::{TimedOut, WouldBlock};
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        match stream.read(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), TimedOut | WouldBlock),
        }
    }

    const GET: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

    #[test]
    fn a_request_gets_what_it_asks_for_and_nothing_else() {
        let (address, _serving) = serve(Limits { deadline: HOUR, ..LIMITS });
        let status = |request: &str| ask(address, request.as_bytes()).get(9..12).map(str::to_owned);
        let check = |request: &str, expected: &str| {
            assert_eq!(status(request).as_deref(), Some(expected), "{request}");
        };
        let get = |path: &str, host: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        for host in ["127.0.0.1:9464", "localhost", "LOCALHOST:9464", "[::1]:9464", "192.0.2.7"] {
            check(&get("/metrics", host), "200");
        }
        check(&get("/metrics?x=1", "localhost"), "200");
        check(&get("/../etc/passwd", "localhost"), "404");
        check(&get("http://127.0.0.1/metrics", "localhost"), "200");
        for host in ["evil.example:9464", "localhost.evil.example", "localhost:99@evil.example", "", "[::1"] {
            check(&get("/metrics", host), "403");
        }
        check(&get("http://evil.example/metrics", "localhost"), "403");
        check("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "403");
        check("GET /metrics HTTP/1.1\r\n\r\n", "403");
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
            check(&format!("{method} /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), "405");
        }
        check("\u{0}\r\n\r\n", "400");
        // The end of what it sends may cross the answer, so that there is none.
        let long = "a".repeat(2 * MOST_BYTES);
        for head in
            [get(&format!("/{long}"), "localhost"), get("/metrics", &format!("localhost\r\nX: {long}"))]
        {
            assert!(status(&head).is_none_or(|status| status == "431"));
        }
    }

    #[test]
    fn a_head_is_answered_without_the_page_and_each_connection_has_one_answer() {
        let (address, _serving) = serve(Limits { deadline: HOUR, ..LIMITS });
        let head = ask(address, b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(head.contains("content-length: 3") && head.ends_with("\r\n\r\n"), "{head}");
        // Whatever follows on the same connection is not looked at.
        let two = ask(address, &[GET, GET].concat());
        assert_eq!(two.matches("42\n").count(), 1, "{two}");
    }

    #[test]
    fn names_are_what_others_use_where_an_address_of_the_network_is_served() {
        let status = |own: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("db01:9464"));
            let uri = Uri::from_static("/metrics");
            respond(&Method::GET, &uri, &headers, own.parse().unwrap(), &pages).status().as_u16()
        };
        assert_eq!((status("0.0.0.0"), status("::"), status("192.0.2.7")), (200, 200, 200));
        assert_eq!((status("127.0.0.1"), status("::1"), status("::ffff:127.0.0.1")), (403, 403, 403));
    }

    #[test]
    fn connections_that_say_one_byte_hold_nobody_up_and_of_very_many_the_oldest_go() {
        let (address, _serving) = serve(Limits { most: 64, deadline: HOUR });
        let fifty: Vec<_> = (0..50).map(|_| idle(address)).collect();
        assert!(ask(address, GET).ends_with("42\n"));
        let more: Vec<_> = (0..150).map(|_| idle(address)).collect();
        assert!(ask(address, GET).ends_with("42\n"));
        // All but 64 of 202 were ended, and nothing but the newer ones can have ended them.
        let all: Vec<_> = fifty.iter().chain(&more).collect();
        assert!(all[..200 - 64].iter().all(|one| is_closed(one)));
        let last = all[199];
        last.set_nonblocking(true).unwrap();
        assert!(!is_closed(last));
    }

    #[test]
    fn a_connection_is_over_at_its_deadline_and_all_of_them_at_the_end() {
        let (address, serving) = serve(Limits { deadline: Duration::from_millis(1), ..LIMITS });
        assert!(is_closed(&idle(address)));
        drop(serving);
        // At an address of its own, whose ports no other test takes.
        let (address, serving) = serve_at(Ipv4Addr::new(127, 0, 0, 77), Limits { deadline: HOUR, ..LIMITS });
        let open = idle(address);
        drop(serving);
        assert!(is_closed(&open));
        // Nobody listens any more: the port is free at once.
        assert!(HttpServer::bind(address).is_ok());
    }
}
