//! Text of strangers on its way to a terminal.

/// Text that may go to a terminal: control characters, which could move its cursor or change its colours, become `?`.
pub fn harmless(text: &str) -> String {
    // One for one, and nothing left out: a text that is shorter than it was could become another name that exists.
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
