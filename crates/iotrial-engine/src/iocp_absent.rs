//! Stands in for `iocp.rs` where the operating system has no completion ports.

use std::convert::Infallible;
use std::io;

use iotrial_measure::clock::Clock;
use iotrial_measure::random::Random;
use iotrial_model::plan::Plan;

use crate::queue::{Completion, Handing, IoQueue, Request};
use crate::targets::{HeldAreas, OpenAreaError};

/// There are none.
#[derive(Debug, Clone)]
pub(crate) struct Handles;

impl Handles {
    #[expect(clippy::unnecessary_wraps, reason = "where there are ports it opens files")]
    pub(crate) fn for_threads(_plan: &Plan, _areas: &HeldAreas) -> Result<Vec<Self>, OpenAreaError> {
        Ok(Vec::new())
    }
}

/// Cannot exist here.
pub(crate) struct IocpQueue {
    never: Infallible,
}

impl IocpQueue {
    pub(crate) fn new<C: Clock>(
        _clock: C,
        _handles: &Handles,
        _lengths: &[u32],
        _flushing: u32,
        _random: &mut Random,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl IoQueue for IocpQueue {
    fn submit(&mut self, _requests: &[Request], _handing: Handing) -> io::Result<()> {
        match self.never {}
    }

    fn reap(&mut self, _completions: &mut Vec<Completion>, _wait_until_ns: u64) -> io::Result<()> {
        match self.never {}
    }
}

/// Why completion ports cannot be used here.
pub(crate) fn refusal() -> Option<String> {
    Some("this operating system has no completion ports".to_owned())
}
