//! Stands in for `uring.rs` where the operating system has no io_uring.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use iotrial_measure::clock::Clock;
use iotrial_measure::random::Random;
use iotrial_model::plan::Plan;

use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};

/// There is none to choose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RingKind;

/// Nothing is found out.
#[derive(Debug, Default)]
pub(crate) struct Tuning;

impl Tuning {
    pub(crate) fn ring_for(
        &self,
        _plan: &Plan,
        _areas: &[OpenArea],
        _is_stopping: &dyn Fn() -> bool,
    ) -> RingKind {
        RingKind
    }
}

/// Cannot exist here.
pub(crate) struct UringQueue {
    never: Infallible,
}

impl UringQueue {
    pub(crate) fn new<C: Clock>(
        _clock: C,
        _areas: &Arc<[OpenArea]>,
        _lengths: &[u32],
        _flushing: u32,
        _kind: RingKind,
        _random: &mut Random,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl IoQueue for UringQueue {
    fn submit(&mut self, _requests: &[Request], _handing: Handing) -> io::Result<()> {
        match self.never {}
    }

    fn reap(&mut self, _completions: &mut Vec<Completion>, _wait_until_ns: u64) -> io::Result<()> {
        match self.never {}
    }
}

/// Why io_uring cannot be used here.
pub(crate) fn refusal() -> Option<String> {
    Some("this operating system has no io_uring".to_owned())
}
