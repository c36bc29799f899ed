//! What a cloud says of a machine to whoever asks from within: its metadata service, on a link-local address.
//!
//! It is asked only where the user says so, and only by plain HTTP on that address: no name is resolved and no proxy is used, as the clouds
//! want it. What it says of disks is put to the disks in the chains where it can be told which is which.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading};
use serde_json::Value;

/// Where AWS, Azure, Google and Oracle answer.
pub const METADATA_SERVICE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(169, 254, 169, 254)), 80);

/// A service on the same machine answers at once; where there is none, nothing ever does.
const PATIENCE: Duration = Duration::from_secs(1);
/// All of an answer has to be there by then, however slowly it comes.
const LONGEST: Duration = Duration::from_secs(3);
/// More than any of them says: Google's description of a machine with all its attributes has some 512 KiB at most.
const MOST_BYTES: u64 = 1 << 20;

/// Asks the metadata service of the cloud that the platform names, and adds what it says. What it does not say is unknown, with the
/// reason; on any other platform nothing is asked.
pub fn ask_metadata(report: &mut HostReport, service: SocketAddr) {
    let platform = report.host.value(FactId::Platform).map(ToString::to_string).unwrap_or_default();
    let from = format!("metadata service, {}", service.ip());
    let answer = match platform.as_str() {
        "aws" => aws(service),
        "azure" => azure(service),
        "gcp" => gcp(service),
        "oci" => oci(service),
        _ => Err(format!("no metadata service is known of the platform `{platform}`")),
    };
    let told = match answer {
        Ok(told) => told,
        Err(why) => {
            // What the firmware said stays.
            if report.host.value(FactId::Shape).is_none() {
                set(&mut report.host, FactId::Shape, Reading::Unknown(why), &from);
            }
            return;
        }
    };
    for (id, value) in told.host {
        set(&mut report.host, id, Reading::Known(value), &from);
    }
    for part in report.chains.iter_mut().flat_map(|chain| &mut chain.parts) {
        if part.kind != PartKind::Disk {
            continue;
        }
        let its_own: Vec<&ToldDisk> = told.disks.iter().filter(|disk| disk.is(part)).collect();
        for disk in its_own {
            for (id, value) in &disk.facts {
                set(part, *id, Reading::Known(value.clone()), &from);
            }
        }
    }
}

fn set(part: &mut Part, id: FactId, reading: Reading, from: &str) {
    part.facts.retain(|fact| fact.id != id);
    part.facts.push(Fact { id, reading, from: from.to_owned() });
}

/// What a service said.
#[derive(Debug, Default)]
struct Told {
    host: Vec<(FactId, FactValue)>,
    disks: Vec<ToldDisk>,
}

/// A disk, as its cloud counts it.
#[derive(Debug)]
struct ToldDisk {
    lun: i64,
    /// With the number alone the disk of the system and the first data disk would be the same.
    size_bytes: i64,
    facts: Vec<(FactId, FactValue)>,
}

impl ToldDisk {
    fn is(&self, part: &Part) -> bool {
        part.value(FactId::Lun) == Some(&FactValue::Number(self.lun))
            && part.value(FactId::Size) == Some(&FactValue::Number(self.size_bytes))
            && part.value(FactId::HoldsSystem) != Some(&FactValue::Flag(true))
    }
}

/// docs.aws.amazon.com, Amazon EC2, Use the Instance Metadata Service, version 2: a token by PUT, then the value with it. Types of volumes
/// are not in it.
fn aws(service: SocketAddr) -> Result<Told, String> {
    let token = ask(service, "PUT", "/latest/api/token", &[("X-aws-ec2-metadata-token-ttl-seconds", "60")])?;
    let header = [("X-aws-ec2-metadata-token", token.trim())];
    let shape = ask(service, "GET", "/latest/meta-data/instance-type", &header)?;
    Ok(Told { host: vec![(FactId::Shape, FactValue::text(word(&shape)?))], disks: Vec::new() })
}

/// learn.microsoft.com, Azure Instance Metadata Service: size, and by LUN the kind of each data disk and its host caching.
fn azure(service: SocketAddr) -> Result<Told, String> {
    let answer = ask(service, "GET", "/metadata/instance?api-version=2021-02-01", &[("Metadata", "true")])?;
    let answer = json(&answer)?;
    let shape = text(&answer, "/compute/vmSize")?;
    let disks = answer.pointer("/compute/storageProfile/dataDisks").and_then(Value::as_array);
    // Numbers are in quotes there, in some versions without.
    let number = |disk: &Value, key: &str| -> Option<i64> {
        let value = disk.get(key)?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    let disk = |disk: &Value| {
        let of = |id, pointer: &str| Some((id, FactValue::text(disk.pointer(pointer)?.as_str()?)));
        let facts =
            [of(FactId::VolumeType, "/managedDisk/storageAccountType"), of(FactId::HostCaching, "/caching")];
        Some(ToldDisk {
            lun: number(disk, "lun")?,
            size_bytes: number(disk, "diskSizeGB")?.checked_mul(1 << 30)?,
            facts: facts.into_iter().flatten().collect(),
        })
    };
    let disks = disks.into_iter().flatten().filter_map(disk).collect();
    Ok(Told { host: vec![(FactId::Shape, FactValue::text(shape))], disks })
}

/// docs.cloud.google.com, Compute Engine, View and query VM metadata: `projects/123/machineTypes/n2-standard-8`.
fn gcp(service: SocketAddr) -> Result<Told, String> {
    let header = [("Metadata-Flavor", "Google")];
    let machine = ask(service, "GET", "/computeMetadata/v1/instance/machine-type", &header)?;
    let shape = machine.trim().rsplit('/').next().unwrap_or_default();
    Ok(Told { host: vec![(FactId::Shape, FactValue::text(word(shape)?))], disks: Vec::new() })
}

/// docs.oracle.com, Getting instance metadata, version 2: the shape, how much of it there is, and what its network carries. A flexible shape is
/// as large as its owner chose; its `GB` are GiB.
fn oci(service: SocketAddr) -> Result<Told, String> {
    let answer = ask(service, "GET", "/opc/v2/instance/", &[("Authorization", "Bearer Oracle")])?;
    let answer = json(&answer)?;
    let mut host = vec![(FactId::Shape, FactValue::text(text(&answer, "/shape")?))];
    let of_shape = |key: &str| answer.pointer(&format!("/shapeConfig/{key}")).and_then(Value::as_f64);
    let ocpus = of_shape("ocpus").filter(|ocpus| *ocpus > 0.0 && *ocpus < 1e6);
    // Micro shapes have an eighth of one.
    host.extend(ocpus.map(|ocpus| match whole(ocpus) {
        Some(count) => (FactId::Ocpus, FactValue::Number(count)),
        None => (FactId::Ocpus, FactValue::text(ocpus.to_string())),
    }));
    let memory = of_shape("memoryInGBs").and_then(whole).and_then(|gib| gib.checked_mul(1 << 30));
    host.extend(memory.map(|bytes| (FactId::ShapeMemory, FactValue::Number(bytes))));
    let megabits = of_shape("networkingBandwidthInGbps").map(|gigabits| (gigabits * 1000.0).floor());
    host.extend(megabits.and_then(whole).map(|megabits| (FactId::NetworkLimit, FactValue::Number(megabits))));
    Ok(Told { host, disks: Vec::new() })
}

/// A whole number above zero.
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and below 10^9")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && (1.0..1e9).contains(&number)).then_some(number as i64)
}

fn json(answer: &str) -> Result<Value, String> {
    serde_json::from_str(answer).map_err(|error| format!("the answer is not JSON: {error}"))
}

fn text<'v>(answer: &'v Value, pointer: &str) -> Result<&'v str, String> {
    answer.pointer(pointer).and_then(Value::as_str).ok_or_else(|| format!("the answer has no `{pointer}`"))
}

/// A value in one line.
fn word(answer: &str) -> Result<&str, String> {
    let word = answer.trim();
    let is_one = !word.is_empty() && word.len() <= 200 && !word.contains(char::is_control);
    if is_one { Ok(word) } else { Err("the answer is not one word".to_owned()) }
}

/// The body of the answer to one request, each on a connection of its own.
///
/// Written here, because it is all of HTTP that is needed: a client with TLS, redirects and a proxy would be the largest dependency of
/// the program, and would be able to do what must not be done.
fn ask(service: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> Result<String, String> {
    let end = Instant::now() + LONGEST;
    let why = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => "it does not answer".to_owned(),
        _ => error.to_string(),
    };
    let mut stream = TcpStream::connect_timeout(&service, PATIENCE).map_err(why)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(why)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(why)?;
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", service.ip());
    if method == "PUT" {
        request += "Content-Length: 0\r\n";
    }
    for (name, value) in headers {
        // A token is what a stranger sent.
        if value.contains(char::is_control) {
            return Err("the token makes no sense".to_owned());
        }
        request += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{request}\r\n").as_bytes()).map_err(why)?;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer).map_err(why)? {
            0 => break,
            count => answer.extend_from_slice(&buffer[..count]),
        }
        if answer.len() as u64 > MOST_BYTES {
            return Err("the answer is too long".to_owned());
        }
        if is_whole(&answer) {
            break;
        }
        if Instant::now() > end {
            return Err("it does not come to an end".to_owned());
        }
    }
    body_of(&answer)
}

/// Whether all that the header announces is there, so that a server that keeps the connection open is not waited for.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = header_of(head, "content-length").and_then(|length| length.parse::<usize>().ok());
    length.is_some_and(|length| body.len() >= length)
}

fn header_of<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn body_of(answer: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").ok_or("the answer is not one of HTTP")?;
    let status = head.lines().next().unwrap_or_default();
    let code = status.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)).unwrap_or_default();
    if code != "200" {
        let shown: String = status.chars().filter(|c| !c.is_control()).take(60).collect();
        return Err(format!("it answers `{shown}`"));
    }
    let is_chunked =
        header_of(head, "transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    if is_chunked { joined_chunks(body) } else { Ok(body.to_owned()) }
}

/// Pieces, each behind its length in hexadecimal digits; the last has none (RFC 9112, 7.1).
fn joined_chunks(mut body: &str) -> Result<String, String> {
    let mut all = String::new();
    loop {
        let (length, rest) = body.split_once("\r\n").ok_or("the answer is not whole")?;
        let length = length.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(length, 16).map_err(|_| "the answer makes no sense")?;
        if length == 0 {
            return Ok(all);
        }
        all += rest.get(..length).ok_or("the answer is not whole")?;
        body =
            rest.get(length..).and_then(|rest| rest.strip_prefix("\r\n")).ok_or("the answer is not whole")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_taken_whole_in_chunks_and_refused_where_it_is_neither() {
        let check = |answer: &str, expected: Result<&str, &str>| {
            let found = body_of(answer.as_bytes());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{answer}");
        };
        check("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", Ok("abc"));
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n",
            Ok("abcde"),
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc",
            Err("the answer is not whole"),
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            Err("the answer makes no sense"),
        );
        check("HTTP/1.1 401 Unauthorized\r\n\r\n", Err("it answers `HTTP/1.1 401 Unauthorized`"));
        check("garbage", Err("the answer is not one of HTTP"));
        check("\r\n\r\n", Err("it answers ``"));
        assert!(is_whole(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"));
        assert!(
            !is_whole(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabc")
                && !is_whole(b"HTTP/1.1 200 OK\r\n\r\nabc")
        );
        assert_eq!((word(" m6i.large\n"), word("a\nb").is_err()), (Ok("m6i.large"), true));
    }
}
