//! How many volumes a machine takes, over all pools of a configuration.

use super::{Machine, Route, VolumeKind};

/// Volumes of one pool, as far as places for them are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attached<'c> {
    pub(crate) kind: &'c VolumeKind,
    /// The way in which they are attached; `None` where there is no choice.
    pub(crate) attachment: Option<&'c str>,
    pub(crate) count: u32,
}

/// More volumes than there are places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) most: u32,
    pub(crate) count: u32,
    /// Whether volumes of every kind count, rather than those of one kind or attachment.
    pub(crate) in_all: bool,
}

impl Machine {
    /// The first limit on numbers of volumes that all pools together exceed; `None` where they fit, or no source states a limit.
    // Places belong to the machine, whatever lies on the volumes, so pools are counted together.
    pub(crate) fn too_many(&self, all: &[Attached<'_>]) -> Option<TooMany> {
        let sum = |counts: &dyn Fn(&Attached<'_>) -> bool| -> u32 {
            all.iter().filter(|one| counts(one)).map(|one| one.count).fold(0, u32::saturating_add)
        };
        let over = |most: Option<u32>, count: u32, in_all| {
            most.filter(|most| count > *most).map(|most| TooMany { most, count, in_all })
        };
        // NFS volumes are mounted, not attached, so they take none of the machine's places.
        let is_attached =
            |one: &Attached<'_>| matches!(one.kind.route, Route::Volumes | Route::VolumesOverNetwork);
        for one in all {
            let of_kind = sum(&|other| std::ptr::eq(other.kind, one.kind));
            let by_kind = over(one.kind.count_max, of_kind, false);
            let by_attachment = one.attachment.filter(|_| is_attached(one)).and_then(|name| {
                let most = self.volumes_max_by_attachment.get(name).copied();
                over(most, sum(&|other| is_attached(other) && other.attachment == Some(name)), false)
            });
            if let Some(found) = by_kind.or(by_attachment) {
                return Some(found);
            }
        }
        // All disks of the machine itself are described as one volume, for one pool.
        let local = over(Some(1), sum(&|one| one.kind.route == Route::Local), false);
        local.or_else(|| over(self.volumes_max, sum(&is_attached), true))
    }
}
