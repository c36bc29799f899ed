//! What a result tells of the machine: the host, its CPU time, and what it counted at its devices.

use crate::figure::CpuFigure;
use crate::imported::{CpuBasis, Stated, StatedCpu, StatedDevice, StatedHost};
use crate::load::Direction;
use crate::record::{CpuUse, DeviceCounters, Host};
use crate::units::ByteSize;

/// The machine that made the load, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Machine<'r> {
    /// Its name in the network, as it calls itself.
    pub name: Option<&'r str>,
    /// Operating system and its version, for people.
    pub os: Option<&'r str>,
    /// Kernel release, as `uname -r` prints it.
    pub kernel: Option<&'r str>,
    /// Hypervisor or cloud, where it shows.
    pub virtualization: Option<&'r str>,
    /// Model of the CPU, as it names itself.
    pub cpu_model: Option<&'r str>,
    /// Logical CPUs that the generator may use: a container or an affinity may leave fewer than the host has.
    pub cpu_count: Option<u32>,
    /// Logical CPUs of the whole host; `None` where only those of the generator are known.
    pub host_cpu_count: Option<u32>,
    /// Main memory of the whole machine.
    pub memory: Option<ByteSize>,
    /// The clock of the operating system that timed the I/Os, such as `tsc`.
    pub clock_source: Option<&'r str>,
}

impl<'r> Machine<'r> {
    pub(super) fn of_run(host: &'r Host) -> Self {
        // Records write what could not be read as an empty text, or as no CPU at all.
        let said = |text: &'r str| Some(text).filter(|text| !text.is_empty());
        Self {
            name: said(&host.name),
            os: said(&host.os),
            kernel: host.kernel.as_deref(),
            virtualization: host.virtualization.as_deref(),
            cpu_model: host.cpu_model.as_deref(),
            cpu_count: Some(host.cpu_count).filter(|count| *count > 0),
            host_cpu_count: host.host_cpu_count,
            memory: host.memory,
            clock_source: host.clock_source.as_deref(),
        }
    }

    /// `None` where a source tells nothing of it.
    pub(super) fn of_stated(host: &'r StatedHost) -> Option<Self> {
        let machine = Self { name: host.name.as_deref(), host_cpu_count: host.cpu_count, ..Self::default() };
        (machine != Self::default()).then_some(machine)
    }

    /// What CPU time of the whole host is a share of; `None` where it is not known. Never zero.
    pub fn all_cpu_count(&self) -> Option<u32> {
        self.host_cpu_count.or(self.cpu_count).map(|count| count.max(1))
    }
}

/// CPU time over the measured phase.
#[derive(Debug, Clone, Copy)]
pub enum CpuTime<'r> {
    /// Read by iotrial, in seconds, with all that its findings need.
    Counted {
        /// What was read.
        used: &'r CpuUse,
        /// Logical CPUs of the host, at least one.
        all_cpu_count: u32,
        /// I/Os that succeeded meanwhile.
        io_count: u64,
    },
    /// Shares, as a source states them.
    Stated(&'r StatedCpu),
}

impl<'r> CpuTime<'r> {
    /// What was read of the operating system; `None` where a source states shares.
    pub const fn counted(self) -> Option<&'r CpuUse> {
        match self {
            Self::Counted { used, .. } => Some(used),
            Self::Stated(_) => None,
        }
    }

    /// What a source states; `None` where it was read.
    pub const fn stated(self) -> Option<&'r StatedCpu> {
        match self {
            Self::Counted { .. } => None,
            Self::Stated(stated) => Some(stated),
        }
    }

    /// What the shares are shares of.
    pub const fn basis(self) -> CpuBasis {
        match self {
            Self::Counted { .. } => CpuBasis::Host,
            Self::Stated(stated) => stated.of,
        }
    }

    /// One figure, in its unit: percent of the [basis](Self::basis), or µs for an I/O. `None` where a source does not state it,
    /// or where there was no I/O that could have cost anything.
    ///
    /// What an I/O cost leaves out the time in which threads only watched the clock so as not to be late.
    pub fn get(self, figure: CpuFigure) -> Option<f64> {
        let (used, all_cpu_count, io_count) = match self {
            Self::Counted { used, all_cpu_count, io_count } => (used, all_cpu_count, io_count),
            Self::Stated(stated) => return stated.get(figure).map(|stated| stated.value),
        };
        let available_s = used.wall.as_secs_f64() * f64::from(all_cpu_count);
        // A phase of no length used nothing.
        let percent = |used_s: f64| if available_s > 0.0 { 100.0 * used_s / available_s } else { 0.0 };
        match figure {
            CpuFigure::User => Some(percent(used.user.as_secs_f64())),
            CpuFigure::System => Some(percent(used.system.as_secs_f64())),
            CpuFigure::PerIo => (io_count > 0).then(|| used.work_s() * 1e6 / io_count as f64),
        }
    }
}

/// What the operating system counted at a device, as far as it is known.
///
/// Of a run it is what was counted between the first and the last moment of the measured phase. A tool reads its counters now
/// and then, mostly over more than that phase, and lists devices that lie on one another without saying so.
#[derive(Debug, Clone, Copy)]
pub struct Device<'r> {
    /// As the operating system calls it, such as `nvme0n1`.
    pub name: &'r str,
    /// What it read.
    pub read: DeviceFlow,
    /// What it wrote.
    pub write: DeviceFlow,
    /// Flushes completed; 0 where the kernel does not count them.
    pub flush_count: Option<u64>,
    /// Share of the time in which it had something to do.
    pub busy_percent: Option<Stated>,
}

/// One direction of a device.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeviceFlow {
    /// I/Os that the device completed, after merging.
    pub io_count: Option<u64>,
    /// I/Os that were merged into others before, and are not among those completed.
    pub merge_count: Option<u64>,
    /// Bytes that it moved.
    pub bytes: Option<u64>,
}

impl<'r> Device<'r> {
    pub(super) fn of_run(device: &'r DeviceCounters) -> Self {
        Self {
            name: &device.name,
            read: DeviceFlow {
                io_count: Some(device.read_count),
                merge_count: Some(device.read_merge_count),
                bytes: Some(device.read_bytes),
            },
            write: DeviceFlow {
                io_count: Some(device.write_count),
                merge_count: Some(device.write_merge_count),
                bytes: Some(device.write_bytes),
            },
            flush_count: Some(device.flush_count),
            busy_percent: None,
        }
    }

    pub(super) fn of_stated(device: &'r StatedDevice) -> Self {
        Self {
            name: &device.name,
            read: DeviceFlow {
                io_count: device.read_count,
                merge_count: device.read_merge_count,
                bytes: device.read_bytes,
            },
            write: DeviceFlow {
                io_count: device.write_count,
                merge_count: device.write_merge_count,
                bytes: device.write_bytes,
            },
            flush_count: None,
            busy_percent: device.busy_percent,
        }
    }

    /// The counters of one direction.
    pub const fn flow(&self, direction: Direction) -> &DeviceFlow {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        }
    }
}
