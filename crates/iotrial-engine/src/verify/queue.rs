//! A queue that compares what another one reads, and lets no two writes of a page be under way at once.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iotrial_measure::clock::Clock;
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::record::QueueSetup;
use iotrial_model::verification::{FaultKind, Noticed};

use super::Verifier;
use super::ledger::Entry;
use crate::queue::{Completion, Handing, IoQueue, Request};
use crate::under_way::OfThread;

/// A write whose page another thread writes is tried again so soon.
const RETRY_NS: u64 = 1_000_000;

/// What a slot is at.
enum Stage {
    /// A read of the load, with what its pages held when it was handed over.
    Read(Request, Vec<Entry>),
    /// A write whose pages are read first, with what they held.
    Look(Request, Vec<Entry>),
    /// A write.
    Write(Request),
}

/// Another queue, every page of which is compared.
pub(crate) struct VerifyingQueue<Q, C> {
    inner: Q,
    clock: C,
    verifier: Arc<Verifier>,
    /// By slot.
    stages: Vec<Option<Stage>>,
    under_way: Arc<OfThread>,
    /// Writes that wait until their pages are free.
    waiting: VecDeque<Request>,
    /// What goes to the inner queue next.
    staged: Vec<Request>,
    done: Vec<Completion>,
}

impl<Q: IoQueue, C: Clock> VerifyingQueue<Q, C> {
    pub(crate) fn new(inner: Q, clock: C, verifier: Arc<Verifier>) -> Self {
        let under_way = verifier.under_way.thread();
        Self {
            inner,
            clock,
            verifier,
            under_way,
            stages: Vec::new(),
            waiting: VecDeque::new(),
            staged: Vec::new(),
            done: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(super) const fn inner(&self) -> &Q {
        &self.inner
    }

    /// Stages the first part of an I/O, or has it wait.
    fn begin(&mut self, request: Request) {
        let Request { slot, area, offset, length, direction, .. } = request;
        let ledger = &self.verifier.ledger;
        let (stage, noticed) = match direction {
            Direction::Read => {
                (Stage::Read(request, ledger.look(area, offset, length.into()).collect()), Noticed::Read)
            }
            Direction::Write => match ledger.claim(area, offset, length.into()) {
                Some(before) => (Stage::Look(request, before), Noticed::BeforeOverwrite),
                None => return self.waiting.push_back(request),
            },
        };
        // What a write looks at first is read in the slot of the write.
        let look =
            Request { direction: Direction::Read, durability: Durability::None, generation: 0, ..request };
        self.staged.push(look);
        self.note_begun(&request, noticed);
        self.put(slot, stage);
    }

    fn note_begun(&self, request: &Request, noticed: Noticed) {
        let Request { slot, area, offset, length, .. } = *request;
        let begun = self.verifier.under_way.begun(area, offset, length.into(), noticed);
        self.under_way.begin(slot as usize, begun);
    }

    fn put(&mut self, slot: u32, stage: Stage) {
        let slot = slot as usize;
        if self.stages.len() <= slot {
            self.stages.resize_with(slot + 1, || None);
        }
        self.stages[slot] = Some(stage);
    }

    /// Hands over what is staged.
    fn hand_over(&mut self, handing: Handing) -> io::Result<()> {
        if !self.staged.is_empty() {
            self.inner.submit(&self.staged, handing)?;
            self.staged.clear();
        }
        Ok(())
    }

    fn begin_waiting(&mut self) {
        for _ in 0..self.waiting.len() {
            // One that still has to wait comes to the end of the line.
            if let Some(request) = self.waiting.pop_front() {
                self.begin(request);
            }
        }
    }

    /// Goes on with a slot; true where its I/O is done.
    fn go_on(&mut self, completion: &Completion) -> bool {
        let slot = completion.slot;
        self.verifier.came_back(self.under_way.end(slot as usize));
        let stage = self.stages[slot as usize].take().expect("a slot that is done was begun");
        match stage {
            Stage::Read(request, before) => {
                self.compare(&request, &before, completion.outcome, Noticed::Read);
                true
            }
            Stage::Look(request, before) => {
                self.compare(&request, &before, completion.outcome, Noticed::BeforeOverwrite);
                self.staged.push(request);
                self.note_begun(&request, Noticed::Write);
                self.put(slot, Stage::Write(request));
                false
            }
            Stage::Write(request) => {
                self.settle(&request, completion.outcome);
                true
            }
        }
    }

    fn compare(&self, request: &Request, before: &[Entry], outcome: Outcome, noticed: Noticed) {
        let Request { slot, area, offset, length, .. } = *request;
        let verifier = &*self.verifier;
        match outcome {
            Outcome::Bytes(bytes) => {
                if bytes < length {
                    let kind = FaultKind::ShortIo;
                    verifier.note_failed(kind, area, offset, length.into(), noticed, None);
                }
                // Whole pages only.
                let page = verifier.ledger.page_size(area);
                let whole =
                    usize::try_from(u64::from(bytes.min(length)) / page * page).expect("it fits a buffer");
                let read = &self.inner.buffer(slot)[..whole];
                let checked = verifier.check(area, offset, read, before, noticed);
                verifier.pages_checked.fetch_add(checked, Ordering::Relaxed);
            }
            Outcome::Error(error) => {
                let kind = verifier.kind_of(area, error, FaultKind::ReadError);
                verifier.note_failed(kind, area, offset, length.into(), noticed, Some(error));
            }
        }
    }

    fn settle(&self, request: &Request, outcome: Outcome) {
        let Request { area, offset, length, generation, .. } = *request;
        let verifier = &*self.verifier;
        let is_whole = outcome == Outcome::Bytes(length);
        if is_whole {
            verifier.writes.fetch_add(1, Ordering::Relaxed);
        } else {
            let (kind, os_error) = match outcome {
                Outcome::Bytes(_) => (FaultKind::ShortIo, None),
                Outcome::Error(error) => (verifier.kind_of(area, error, FaultKind::WriteError), Some(error)),
            };
            verifier.note_failed(kind, area, offset, length.into(), Noticed::Write, os_error);
        }
        // A write that failed may be there, or not, or in part.
        verifier.ledger.settle(area, offset, length.into(), is_whole.then_some(generation));
    }
}

impl<Q: IoQueue, C: Clock> IoQueue for VerifyingQueue<Q, C> {
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        for request in requests {
            self.begin(*request);
        }
        self.hand_over(handing)
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        self.begin_waiting();
        self.hand_over(Handing::AtOnce)?;
        // Nothing tells when another thread is through with a page.
        let retry_ns = if self.waiting.is_empty() { u64::MAX } else { self.clock.now_ns() + RETRY_NS };
        let mut done = std::mem::take(&mut self.done);
        self.inner.reap(&mut done, wait_until_ns.min(retry_ns))?;
        for completion in done.drain(..) {
            if self.go_on(&completion) {
                completions.push(completion);
            }
        }
        self.done = done;
        self.hand_over(Handing::AtOnce)
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.inner.buffer(slot)
    }

    fn setup(&self) -> QueueSetup {
        self.inner.setup()
    }
}
