//! Where volumes cannot be listed: directories are typed.

/// None.
pub(super) fn directories() -> Vec<String> {
    Vec::new()
}

/// Not known.
pub(super) fn system_disk() -> Option<String> {
    None
}
