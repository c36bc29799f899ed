//! Windows is not asked what others do.

use super::ActivitySnapshot;

pub(super) fn snapshot() -> Option<ActivitySnapshot> {
    None
}
