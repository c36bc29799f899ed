//! The network interface by which a file server is reached, and what is below it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Kernel, entries, file_name};
use crate::mounts::Mount;
use crate::reading::{Facts, number, word};
use crate::{controller, ethtool, text};

/// The interfaces below a share, the one of the route first; the numbers in `carried_by` are places in this list.
///
/// # Errors
///
/// Why the route is not known, in words.
pub(crate) fn below_share(kernel: &Kernel, share: &Mount) -> Result<Vec<Part>, String> {
    let address = server(share).ok_or("the mount table does not say the address of the server")?;
    let name = match address {
        IpAddr::V4(address) => {
            let routes = kernel.proc.join("net/route");
            let routes =
                text::line(&routes).map_err(|error| format!("/proc/net/route: {}", text::reason(&error)))?;
            interface_to(&routes, address).ok_or_else(|| format!("no route leads to {address}"))?
        }
        IpAddr::V6(address) => {
            return Err(format!("routes of IPv6 are not read, and the server is {address}"));
        }
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut open = vec![(name, None)];
    while let Some((name, above)) = open.pop() {
        let at = match parts.iter().position(|part| part.name == name) {
            Some(at) => at,
            None => {
                let folder = kernel.sys.join("class/net").join(&name);
                if !folder.is_dir() {
                    return Err(format!("/sys/class/net/{name} is not there"));
                }
                let lower = lower_interfaces(&folder);
                parts.push(interface(kernel, &folder, &name, &lower));
                open.extend(lower.into_iter().rev().map(|one| (one, Some(parts.len() - 1))));
                parts.len() - 1
            }
        };
        if let Some(above) = above {
            parts[above].carried_by.push(at);
        }
    }
    Ok(parts)
}

/// The server's address: as the kernel resolved it, or as it was written.
fn server(share: &Mount) -> Option<IpAddr> {
    let option = |key: &str| share.super_option(key)?.to_str()?.parse().ok();
    let written = || {
        let source = share.source.to_str()?;
        let (host, _) = source.rsplit_once(":/")?;
        host.trim_matches(['[', ']']).parse().ok()
    };
    option("addr").or_else(|| option("mountaddr")).or_else(written)
}

/// The interface of the most exact route (`/proc/net/route`: addresses as hexadecimal numbers in the order of the host, which is
/// little-endian on what databases run on).
fn interface_to(routes: &str, address: Ipv4Addr) -> Option<String> {
    let address = u32::from_le_bytes(address.octets());
    let routes = routes.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [interface, destination, _gateway, flags, _, _, metric, mask, ..] = fields.as_slice() else {
            return None;
        };
        let hex = |text: &str| u32::from_str_radix(text, 16).ok();
        let (destination, mask, flags) = (hex(destination)?, hex(mask)?, hex(flags)?);
        // RTF_UP, and not RTF_REJECT.
        let is_usable = flags & 0x1 != 0 && flags & 0x200 == 0;
        let metric: u32 = metric.parse().ok()?;
        (is_usable && address & mask == destination)
            .then(|| (mask.count_ones(), std::cmp::Reverse(metric), (*interface).to_owned()))
    });
    // Of equal ones the first, which the kernel takes as well.
    routes
        .reduce(|best, next| if (next.0, next.1) > (best.0, best.1) { next } else { best })
        .map(|(_, _, name)| name)
}

/// What an interface is made of: the members of a bond, the parent of a VLAN, the virtual function of accelerated networking.
fn lower_interfaces(folder: &Path) -> Vec<String> {
    let entries = entries(folder);
    entries.iter().filter_map(|path| file_name(path).strip_prefix("lower_").map(str::to_owned)).collect()
}

fn interface(kernel: &Kernel, folder: &Path, name: &str, lower: &[String]) -> Part {
    let mut facts = Facts::new(kernel);
    let from = kernel.shown(folder).display().to_string();
    let driver = std::fs::read_link(folder.join("device/driver")).ok().map(|to| file_name(&to));
    if let Some(driver) = &driver {
        facts.known(FactId::Driver, FactValue::text(driver), format!("{from}/device/driver"));
        controller::driver_version(kernel, driver, &mut facts);
    }
    let below = if lower.is_empty() { "none".to_owned() } else { lower.join(", ") };
    facts.known(FactId::LowerInterface, FactValue::text(below), format!("{from}/lower_*"));
    // A link that is down, and some virtual ones, answer -1 or an error.
    facts.read(FactId::LinkSpeed, &folder.join("speed"), |text| {
        text.parse().ok().filter(|speed: &i64| *speed > 0).map(FactValue::Number)
    });
    facts.read_if_there(FactId::Duplex, &folder.join("duplex"), word);
    facts.read(FactId::Mtu, &folder.join("mtu"), number);
    let queues = entries(&folder.join("queues"));
    let receive = queues.iter().filter(|path| file_name(path).starts_with("rx-")).count();
    if receive > 0 {
        let count = FactValue::Number(i64::try_from(receive).unwrap_or(i64::MAX));
        facts.known(FactId::ReceiveQueues, count, format!("{from}/queues"));
    }
    if driver.is_some() {
        rings(kernel, name, &mut facts);
    }
    let speed = text::line(&folder.join("speed")).ok().and_then(|text| text.parse::<i64>().ok());
    let speed =
        speed.filter(|speed| *speed > 0).map(|speed| FactId::LinkSpeed.written(&FactValue::Number(speed)));
    let about: Vec<String> = driver.into_iter().chain(speed).collect();
    Part { about: about.join(", "), facts: facts.into_list(), ..Part::new(PartKind::Interface, name) }
}

fn rings(kernel: &Kernel, name: &str, facts: &mut Facts<'_>) {
    let from = format!("ethtool -g {name}");
    match ethtool::rings(kernel, name) {
        Ok(rings) => {
            facts.known(FactId::ReceiveRing, FactValue::Number(rings.receive.into()), &from);
            facts.known(FactId::ReceiveRingMax, FactValue::Number(rings.receive_max.into()), &from);
            facts.known(FactId::TransmitRing, FactValue::Number(rings.transmit.into()), &from);
        }
        Err(why) => facts.unknown(FactId::ReceiveRing, why, from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t0000000A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
eth1\t0001010A\t00000000\t0001\t0\t0\t200\t00FFFFFF\t0\t0\t0
eth2\t0001010A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
eth3\t0501010A\t00000000\t0201\t0\t0\t0\tFFFFFFFF\t0\t0\t0
garbage
";

    #[test]
    fn the_most_exact_route_with_the_least_metric_that_is_not_a_refusal_is_taken() {
        let check = |address: [u8; 4], expected: Option<&str>| {
            assert_eq!(interface_to(ROUTES, address.into()).as_deref(), expected, "{address:?}");
        };
        check([10, 1, 1, 5], Some("eth2"));
        check([10, 0, 0, 9], Some("eth0"));
        check([192, 0, 2, 1], Some("eth0"));
        assert_eq!(interface_to("", [10, 0, 0, 1].into()), None);
    }
}
