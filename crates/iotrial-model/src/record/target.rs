//! What a load worked on, and the block devices below it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::given_target::with_roles;
use crate::load::Role;
use crate::plan::{Area, AreaKind};
use crate::units::ByteSize;

/// What the load worked on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Directory, file or device, with symbolic links resolved.
    pub path: String,
    /// Whose files lie there, where targets were given to roles; of a sweep the names of the volume. Empty where any role's may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// `directory`, `file` or `device`.
    pub kind: String,
    /// Type of the file system, such as `ext4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<String>,
    /// Mount point and its options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// Whether the file system lives in memory.
    #[serde(default)]
    pub in_memory: bool,
    /// Smallest unit of direct I/O.
    #[serde(rename = "sector_size_bytes")]
    pub sector_size: ByteSize,
    /// The block devices below, level by level, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<BlockDevice>,
}

impl TargetRecord {
    /// As the command line takes it: the path, behind the roles where it has any.
    pub fn named(&self) -> String {
        with_roles(&self.roles, &self.path)
    }

    /// Whether the area lies there: it is the file or device, or a file in the directory.
    pub fn holds(&self, area: &Area) -> bool {
        let path = Path::new(&self.path);
        area.path == path || (area.kind == AreaKind::ManagedFile && area.path.parent() == Some(path))
    }

    /// Kernel names of the devices that it lies on itself: several of a file system over several devices.
    pub fn nearest_devices(&self) -> impl Iterator<Item = &str> {
        // Older records tell the order only, and counters of the first device only.
        let is_nearest =
            |(index, device): &(usize, &BlockDevice)| device.level.map_or(*index == 0, |level| level == 1);
        self.devices.iter().enumerate().filter(is_nearest).map(|(_, device)| device.name.as_str())
    }
}

/// A block device below a target. Everything that could not be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDevice {
    /// Kernel name, such as `nvme0n1`.
    pub name: String,
    /// How far below the target: 1 for those that the target lies on, 2 for what these are made of, and so on. The
    /// members of one array stand on one level. Absent in records that tell only the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// The devices on the next level that carry it: the disk of a partition, the members of an array or mapping, the
    /// device that holds the file of a loop device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried_by: Vec<String>,
    /// Whether it is a part of the one device that carries it, with room for other parts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partition: bool,
    /// Model and vendor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Serial number or world-wide name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Capacity of the whole device or partition, not of what the load touches.
    #[serde(default, rename = "size_bytes", skip_serializing_if = "Option::is_none")]
    pub size: Option<ByteSize>,
    /// Whether it is a rotating disk, as the kernel sees it; virtual disks often claim to be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// I/O scheduler in use, such as `none` or `mq-deadline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Requests that the block layer queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nr_requests: Option<u32>,
    /// `write back` or `write through`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
}
