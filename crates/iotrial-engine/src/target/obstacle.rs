//! Reasons why a device can never be written, whatever the user says.

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

/// All of them in one line.
pub(crate) fn sentences(obstacles: &[Obstacle]) -> String {
    let sentences: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    sentences.join("; ")
}
