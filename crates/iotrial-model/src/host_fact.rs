//! What can be read of a host: facts of its parts, and the chain of parts below a target.
//!
//! A fact is read or it is unknown, with the reason; nothing in between. A part only has the facts that a part of its kind has: a
//! disk behind virtio has no SCSI queue depth, and that is not a gap.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::units::{ByteSize, group_thousands};

/// What a number of a fact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactUnit {
    /// Nothing, or words.
    Plain,
    /// Bytes.
    Bytes,
    /// Units of 1,024 bytes, as the kernel counts read-ahead.
    Kib,
    /// Hundredths, 0 to 100.
    Percent,
    /// 10^6 bits per second.
    MbitPerS,
    /// Hundredths of a second.
    Centiseconds,
    /// Seconds.
    Seconds,
}

macro_rules! facts {
    ($($id:ident $key:literal $title:literal $unit:ident,)*) => {
        /// Something that can be read of a part of a host.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FactId {
            $(#[doc = $title] $id,)*
        }

        impl FactId {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$id,)*];

            /// The word in rules and JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$id => $key,)* }
            }

            /// What it is, for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$id => $title,)* }
            }

            /// What its numbers count.
            pub const fn unit(self) -> FactUnit {
                match self { $(Self::$id => FactUnit::$unit,)* }
            }
        }
    };
}

facts! {
    // The host itself.
    Platform "platform" "platform" Plain,
    Machine "machine" "machine type" Plain,
    Shape "shape" "cloud shape" Plain,
    Ocpus "ocpus" "OCPUs of the shape" Plain,
    ShapeMemory "shape_memory_bytes" "memory of the shape" Bytes,
    NetworkLimit "network_limit_mbit_per_s" "network bandwidth of the shape" MbitPerS,
    Kernel "kernel" "kernel" Plain,
    CpuCount "cpu_count" "CPUs" Plain,
    CpuGovernor "cpu_governor" "CPU governor" Plain,
    PowerPlan "power_plan" "power plan of Windows" Plain,
    NumaNodes "numa_nodes" "NUMA nodes" Plain,
    NumaBalancing "numa_balancing" "automatic NUMA balancing" Plain,
    ClockSource "clock_source" "clock source" Plain,
    Memory "memory_bytes" "memory" Bytes,
    MemoryLimit "memory_limit_bytes" "memory limit of the control group" Bytes,
    TransparentHugePages "transparent_huge_pages" "transparent huge pages" Plain,
    HugePages "huge_pages_bytes" "memory reserved as huge pages" Bytes,
    Swappiness "swappiness" "vm.swappiness" Plain,
    DirtyRatio "dirty_ratio" "vm.dirty_ratio" Percent,
    DirtyBackgroundRatio "dirty_background_ratio" "vm.dirty_background_ratio" Percent,
    DirtyBytes "dirty_bytes" "vm.dirty_bytes" Bytes,
    DirtyBackgroundBytes "dirty_background_bytes" "vm.dirty_background_bytes" Bytes,
    DirtyExpire "dirty_expire_centisecs" "vm.dirty_expire_centisecs" Centiseconds,
    DirtyWriteback "dirty_writeback_centisecs" "vm.dirty_writeback_centisecs" Centiseconds,
    MaxMapCount "max_map_count" "vm.max_map_count" Plain,
    AioMaxNr "aio_max_nr" "fs.aio-max-nr" Plain,
    IoUringDisabled "io_uring_disabled" "kernel.io_uring_disabled" Plain,
    SocketReadMax "rmem_max_bytes" "net.core.rmem_max" Bytes,
    SocketWriteMax "wmem_max_bytes" "net.core.wmem_max" Bytes,
    RpcSlots "rpc_slots" "sunrpc.tcp_slot_table_entries" Plain,
    RpcMaxSlots "rpc_max_slots" "sunrpc.tcp_max_slot_table_entries" Plain,
    NfsSessionSlots "nfs_session_slots" "NFS 4.1 session slots" Plain,
    NfsShares "nfs_shares" "NFS shares that are mounted" Plain,
    NfsEndpoints "nfs_endpoints" "endpoints of these shares" Plain,
    NvmeTimeout "nvme_io_timeout" "nvme_core.io_timeout" Seconds,
    TunedProfile "tuned_profile" "TuneD profile" Plain,
    // The load of a result, told with the host; a check before a load has none of them.
    LoadInFlight "load_in_flight" "I/Os of the load in flight" Plain,
    // A file system or share.
    Filesystem "filesystem" "file system" Plain,
    MountPoint "mount_point" "mount point" Plain,
    ReadOnly "read_only" "read-only mount" Plain,
    AllocationUnit "allocation_unit_bytes" "allocation unit" Bytes,
    AccessTimes "access_times" "access times" Plain,
    Barriers "barriers" "write barriers" Plain,
    OnlineDiscard "online_discard" "online discard" Plain,
    JournalMode "journal_mode" "journal mode" Plain,
    CopyOnWrite "copy_on_write" "copy-on-write of file data" Plain,
    Compression "compression" "compression" Plain,
    InMemory "in_memory" "content in memory" Plain,
    FreeSpace "free_bytes" "free space" Bytes,
    FreePercent "free_percent" "free share" Percent,
    NfsVersion "nfs_version" "NFS version" Plain,
    NfsTransport "nfs_transport" "NFS transport" Plain,
    NfsRecovery "nfs_recovery" "behaviour when the server does not answer" Plain,
    NfsReadSize "nfs_read_bytes" "rsize" Bytes,
    NfsWriteSize "nfs_write_bytes" "wsize" Bytes,
    NfsSecurity "nfs_security" "NFS security (sec)" Plain,
    NfsConnections "nfs_connections" "connections (nconnect)" Plain,
    NfsOpenConnections "nfs_open_connections" "open connections" Plain,
    NfsAddress "nfs_address" "endpoint (address of the server)" Plain,
    DnfsPaths "dnfs_paths" "paths of Direct NFS (oranfstab)" Plain,
    // Layers.
    StripeUnit "stripe_unit_bytes" "stripe unit" Bytes,
    Stripes "stripes" "stripes" Plain,
    Members "members" "members" Plain,
    Disks "disks" "disks below" Plain,
    Targets "dm_targets" "device-mapper targets" Plain,
    Snapshot "snapshot" "snapshot or thin pool" Plain,
    RaidLevel "raid_level" "RAID level" Plain,
    Degraded "degraded" "missing members" Plain,
    SyncAction "sync_action" "array job" Plain,
    Paths "paths" "paths" Plain,
    UsablePaths "usable_paths" "usable paths" Plain,
    PathGroups "path_groups" "path groups" Plain,
    PathSelector "path_selector" "path selector" Plain,
    QueuesWithoutPath "queue_if_no_path" "queueing while all paths are down" Plain,
    // A disk or partition.
    Transport "transport" "transport" Plain,
    Model "model" "model" Plain,
    VolumeType "volume_type" "volume type" Plain,
    HostCaching "host_caching" "host caching" Plain,
    Lun "lun" "logical unit (LUN)" Plain,
    Size "size_bytes" "size" Bytes,
    Rotational "rotational" "rotation" Plain,
    Scheduler "scheduler" "I/O scheduler" Plain,
    NrRequests "nr_requests" "nr_requests" Plain,
    QueueDepth "queue_depth" "queue depth" Plain,
    HardwareQueues "hardware_queues" "hardware queues" Plain,
    QueueInterrupts "queue_interrupts" "interrupts for its queues" Plain,
    ReadAhead "read_ahead_kib" "read-ahead" Kib,
    WriteCache "write_cache" "write cache" Plain,
    Fua "fua" "forced unit access (FUA)" Plain,
    LogicalBlock "logical_block_bytes" "logical block" Bytes,
    PhysicalBlock "physical_block_bytes" "physical block" Bytes,
    MinimumIo "minimum_io_bytes" "minimum_io_size" Bytes,
    OptimalIo "optimal_io_bytes" "optimal_io_size" Bytes,
    MaxRequest "max_request_kib" "largest request (max_sectors_kb)" Kib,
    NoMerges "nomerges" "nomerges" Plain,
    CompletionAffinity "rq_affinity" "rq_affinity" Plain,
    AlignmentOffset "alignment_offset_bytes" "alignment offset" Bytes,
    Start "start_bytes" "first byte" Bytes,
    CommandTimeout "command_timeout" "command timeout" Seconds,
    State "state" "state" Plain,
    Ephemeral "ephemeral" "loss of the content when the machine stops" Plain,
    MultipathLeg "multipath_leg" "membership in a multipath map" Plain,
    HoldsSystem "holds_system" "use by the running system" Plain,
    HoldsSwap "holds_swap" "use as swap space" Plain,
    IoLimit "io_limit" "limit of the control group" Plain,
    // A controller.
    Driver "driver" "driver" Plain,
    DriverVersion "driver_version" "driver version" Plain,
    CanQueue "can_queue" "commands that the adapter takes at once" Plain,
    CommandsPerLun "cmd_per_lun" "cmd_per_lun" Plain,
    RingPages "ring_pages" "ring pages" Plain,
    PortState "port_state" "port state" Plain,
    PortSpeed "port_speed" "port speed" Plain,
    PcieSpeed "pcie_speed" "PCIe link speed" Plain,
    PcieMaxSpeed "pcie_max_speed" "PCIe link speed that the card can do" Plain,
    PcieWidth "pcie_width" "PCIe lanes" Plain,
    PcieMaxWidth "pcie_max_width" "PCIe lanes that the card has" Plain,
    NumaNode "numa_node" "NUMA node" Plain,
    // A network interface.
    LinkSpeed "link_speed_mbit_per_s" "link speed" MbitPerS,
    Duplex "duplex" "duplex" Plain,
    Mtu "mtu" "MTU" Plain,
    ReceiveQueues "receive_queues" "receive queues" Plain,
    ReceiveRing "receive_ring" "receive ring" Plain,
    ReceiveRingMax "receive_ring_max" "largest receive ring" Plain,
    TransmitRing "transmit_ring" "transmit ring" Plain,
    LowerInterface "lower_interface" "interface below" Plain,
}

impl FactId {
    /// The fact of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.as_str() == word)
    }

    /// A value of this fact, with its unit.
    pub fn written(self, value: &FactValue) -> String {
        let FactValue::Number(number) = value else { return value.to_string() };
        let grouped = || match u64::try_from(*number) {
            Ok(count) => group_thousands(&count.to_string()),
            Err(_) => number.to_string(),
        };
        match (self.unit(), u64::try_from(*number)) {
            (FactUnit::Bytes, Ok(bytes)) => ByteSize::bytes(bytes).to_string(),
            (FactUnit::Bytes, Err(_)) => format!("{number} bytes"),
            (FactUnit::Kib, _) => format!("{} KiB", grouped()),
            (FactUnit::Percent, _) => format!("{number} %"),
            (FactUnit::MbitPerS, _) => format!("{} Mbit/s", grouped()),
            (FactUnit::Centiseconds, _) => {
                format!("{} centiseconds ({} s)", grouped(), *number as f64 / 100.0)
            }
            (FactUnit::Seconds, _) => format!("{} s", grouped()),
            (FactUnit::Plain, _) => grouped(),
        }
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for FactId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FactValue {
    /// A number, in the unit of the fact.
    Number(i64),
    /// Whether it is so.
    Flag(bool),
    /// Words, as the host says them.
    Text(String),
}

impl FactValue {
    /// A word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.pad(&number.to_string()),
            Self::Flag(true) => f.pad("yes"),
            Self::Flag(false) => f.pad("no"),
            Self::Text(text) => f.pad(text),
        }
    }
}

/// What became of an attempt to read a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// It was read.
    #[serde(rename = "value")]
    Known(FactValue),
    /// It could not be read, and why not.
    Unknown(String),
}

/// A fact of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Which.
    #[serde(rename = "fact")]
    pub id: FactId,
    /// What was read.
    #[serde(flatten)]
    pub reading: Reading,
    /// The file or call that it was read from.
    pub from: String,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $key:literal $title:literal,)*) => {
        /// What a part of a host is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PartKind {
            $($(#[$doc])* $kind,)*
        }

        impl PartKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The word in rules and JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $key,)* }
            }

            /// What it is, for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)* }
            }
        }
    };
}

kinds! {
    /// The machine, its kernel and memory.
    Host "host" "host",
    /// A mounted file system on devices of this host.
    Filesystem "filesystem" "file system",
    /// A mounted share of a file server: NFS or SMB.
    Share "share" "share",
    /// A network interface.
    Interface "interface" "interface",
    /// A logical volume.
    Volume "volume" "LVM volume",
    /// An encrypted mapping.
    Crypt "crypt" "encryption",
    /// A map over several paths to one LUN.
    Multipath "multipath" "multipath",
    /// Any other mapping.
    Mapping "mapping" "mapping",
    /// A software RAID array.
    Array "array" "RAID array",
    /// A file or device shown as a disk.
    Loop "loop" "loop device",
    /// A part of a disk.
    Partition "partition" "partition",
    /// A disk, or what looks like one.
    Disk "disk" "disk",
    /// What a disk is attached to.
    Controller "controller" "controller",
}

impl PartKind {
    /// The kind of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

impl Serialize for PartKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A part of a host with all that was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its name: of the kernel, of the device mapper, or the mount point. With `kind` unique within a host.
    pub name: String,
    /// Model, source or content, for people; empty where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The places in the chain of the parts that carry it.
    pub carried_by: Vec<usize>,
    /// In reading order.
    pub facts: Vec<Fact>,
}

impl Part {
    /// A part of which nothing has been read yet.
    pub fn new(kind: PartKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), about: String::new(), carried_by: Vec::new(), facts: Vec::new() }
    }

    /// The fact of that id, where this part has it.
    pub fn fact(&self, id: FactId) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.id == id)
    }

    /// What was read; `None` where it was not.
    pub fn value(&self, id: FactId) -> Option<&FactValue> {
        match &self.fact(id)?.reading {
            Reading::Known(value) => Some(value),
            Reading::Unknown(_) => None,
        }
    }
}

/// What lies below one target, from the file system down to the hardware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetChain {
    /// The path that was asked for.
    pub target: String,
    /// The first is the top; every part stands before those that carry it.
    pub parts: Vec<Part>,
    /// Why nothing is known further down, where the chain ends before a disk, a network interface or memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
}

impl TargetChain {
    /// The parts below the one at `at`, nearest first, each once.
    pub fn below(&self, at: usize) -> Vec<&Part> {
        let mut order: Vec<usize> = Vec::new();
        let mut open: std::collections::VecDeque<usize> = self.parts[at].carried_by.iter().copied().collect();
        while let Some(next) = open.pop_front() {
            if order.contains(&next) || next >= self.parts.len() {
                continue;
            }
            order.push(next);
            open.extend(&self.parts[next].carried_by);
        }
        order.into_iter().map(|at| &self.parts[at]).collect()
    }
}

/// All that was read of a host for some targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostReport {
    /// The network name of the host; empty where it does not say.
    pub name: String,
    /// The machine, its kernel and memory.
    pub host: Part,
    /// In the order in which the targets were given.
    pub chains: Vec<TargetChain>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_and_kind_has_a_word_of_its_own() {
        for (at, id) in FactId::ALL.iter().enumerate() {
            assert_eq!(FactId::from_word(id.as_str()), Some(*id));
            assert!(FactId::ALL[..at].iter().all(|other| other.as_str() != id.as_str()), "{id}");
        }
        for kind in PartKind::ALL {
            assert_eq!(PartKind::from_word(kind.as_str()), Some(*kind));
        }
    }

    #[test]
    fn numbers_are_written_with_the_unit_of_their_fact() {
        let check = |id: FactId, number, expected: &str| {
            assert_eq!(id.written(&FactValue::Number(number)), expected);
        };
        check(FactId::ReadAhead, 4096, "4,096 KiB");
        check(FactId::StripeUnit, 65536, "64 KiB");
        check(FactId::AlignmentOffset, -1, "-1 bytes");
        check(FactId::LinkSpeed, 25000, "25,000 Mbit/s");
        check(FactId::QueueDepth, 64, "64");
        assert_eq!(FactId::Rotational.written(&FactValue::Flag(true)), "yes");
    }

    #[test]
    fn what_is_below_a_part_comes_nearest_first_and_once() {
        let mut top = Part::new(PartKind::Filesystem, "/data");
        top.carried_by = vec![1, 2];
        let (mut left, mut right) =
            (Part::new(PartKind::Partition, "sda1"), Part::new(PartKind::Partition, "sda2"));
        (left.carried_by, right.carried_by) = (vec![3], vec![3]);
        let parts = vec![top, left, right, Part::new(PartKind::Disk, "sda")];
        let chain = TargetChain { target: "/data".into(), parts, ends: None };
        let names: Vec<&str> = chain.below(0).iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["sda1", "sda2", "sda"]);
        assert!(chain.below(3).is_empty());
    }
}
