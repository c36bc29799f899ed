//! Asks a network driver for the sizes of its rings, which sysfs does not show.

use rustix::ioctl::Opcode;
use rustix::net::{AddressFamily, SocketType};

use crate::block::Kernel;
use crate::text;

/// Sizes of rings, in descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rings {
    pub(crate) receive: u32,
    pub(crate) receive_max: u32,
    pub(crate) transmit: u32,
}

/// `struct ethtool_ringparam` of `linux/ethtool.h`.
#[repr(C)]
#[derive(Default)]
struct RingParam {
    cmd: u32,
    rx_max_pending: u32,
    rx_mini_max_pending: u32,
    rx_jumbo_max_pending: u32,
    tx_max_pending: u32,
    rx_pending: u32,
    rx_mini_pending: u32,
    rx_jumbo_pending: u32,
    tx_pending: u32,
}

/// `struct ifreq` of `linux/if.h`, of which the union holds a pointer.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    data: *mut RingParam,
    rest: [u8; 16],
}

const ETHTOOL_GRINGPARAM: u32 = 0x10;
const SIOCETHTOOL: Opcode = 0x8946;

/// The rings of an interface.
///
/// # Errors
///
/// Why they are not known, in words.
pub(crate) fn rings(kernel: &Kernel, interface: &str) -> Result<Rings, String> {
    if kernel.is_captured() {
        return Err("a copy of /proc and /sys does not tell".to_owned());
    }
    // One byte stays zero, by which the name ends.
    if interface.len() > 15 {
        return Err("the name is too long".to_owned());
    }
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None);
    let socket = socket.map_err(|error| text::reason(&error.into()))?;
    let mut rings = RingParam { cmd: ETHTOOL_GRINGPARAM, ..RingParam::default() };
    let mut request = InterfaceRequest { name: [0; 16], data: &raw mut rings, rest: [0; 16] };
    request.name[..interface.len()].copy_from_slice(interface.as_bytes());
    #[expect(unsafe_code, reason = "the ioctl is not in rustix")]
    // SAFETY: SIOCETHTOOL with ETHTOOL_GRINGPARAM fills a `struct ethtool_ringparam` at the pointer of the request and nothing
    // else; request and rings outlive the call.
    let done = unsafe {
        rustix::ioctl::ioctl(
            &socket,
            rustix::ioctl::Updater::<SIOCETHTOOL, InterfaceRequest>::new(&mut request),
        )
    };
    done.map_err(|error| match error {
        rustix::io::Errno::OPNOTSUPP => "the driver does not tell".to_owned(),
        other => text::reason(&other.into()),
    })?;
    Ok(Rings { receive: rings.rx_pending, receive_max: rings.rx_max_pending, transmit: rings.tx_pending })
}
