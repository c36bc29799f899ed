//! Reasons why a device can never be written, whatever the user says.

#[cfg(target_os = "linux")]
#[path = "obstacle/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "obstacle/windows.rs"]
mod os;

pub(crate) use os::Reason;

/// One reason, and the device that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Kernel name, such as `sda1`, of the target itself, its disk, another partition of that disk, or what a
    /// loop device stands on: writing to any of them would write to the others.
    pub(crate) device: String,
    pub(crate) reason: Reason,
}

impl Obstacle {
    /// A stable name, for files.
    pub const fn id(&self) -> &'static str {
        self.reason.id()
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reason.write(&self.device, f)
    }
}

/// What the user can do, as a sentence without a full stop.
pub(crate) fn hint(obstacles: &[Obstacle]) -> String {
    // Only where nothing else is known: whoever sees more would be refused all the same.
    let all: Option<Vec<_>> = obstacles.iter().map(|obstacle| obstacle.reason.hint()).collect();
    let hint = all.and_then(|hints| hints.last().copied());
    hint.unwrap_or("free the device first, or give a directory on it as the target").to_owned()
}

/// All of them in one line.
pub(crate) fn sentences(obstacles: &[Obstacle]) -> String {
    let sentences: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    sentences.join("; ")
}
