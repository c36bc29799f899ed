//! Showing a page on a Unix desktop.

/// Whether a browser has somewhere to appear. Over SSH, in a container and in a script it has not, and starting one there would
/// begin a text browser in the terminal, or fail after the path was printed.
pub(super) fn has_screen() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// The program that shows a file with whatever is set for its kind.
pub(super) const OPENER: &str = "xdg-open";
