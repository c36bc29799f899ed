//! Showing a page on Windows.

/// Always: whoever starts a program on Windows has a desktop. Where there is none (SSH), nothing appears, and the path was printed.
pub(super) fn has_screen() -> bool {
    true
}

/// The program that shows a file with whatever is set for its kind.
pub(super) const OPENER: &str = "explorer";
