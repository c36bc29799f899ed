//! Text of strangers on its way to a terminal.

/// Text that may go to a terminal: control characters, which could move its cursor or change its colours, become `?`.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
