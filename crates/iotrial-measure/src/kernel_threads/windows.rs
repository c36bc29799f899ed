//! Windows does not tell how long its threads waited.

use super::Waits;

#[derive(Debug, Default)]
pub(super) struct Scan;

impl Scan {
    #[expect(clippy::unused_self, reason = "as elsewhere")]
    pub(super) fn all(&mut self) -> (Vec<(u64, Waits)>, Vec<u64>) {
        (Vec::new(), Vec::new())
    }
}

pub(super) fn waits(_threads: &[u64]) -> Vec<(u64, Waits)> {
    Vec::new()
}
