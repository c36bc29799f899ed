//! One thread of a load, and the engine that it drives: the only place where the engines are told apart.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use iotrial_measure::clock::{self, Clock, MonotonicClock, SimClock};
use iotrial_measure::collector::Handover;
use iotrial_measure::control::Control;
use iotrial_measure::host;
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::JobRecorder;
use iotrial_measure::window::Window;
use iotrial_model::load::Durability;
use iotrial_model::plan::{EngineKind, Plan};
use iotrial_model::record::QueueSetup;

use crate::drive::{Driver, Wiring};
use crate::iocp::{Handles, IocpQueue};
use crate::lane::Lane;
use crate::null::NullQueue;
use crate::queue::IoQueue;
use crate::sim::SimQueue;
use crate::targets::{HeldAreas, NO_FLAGS, OpenAreaError};
use crate::threads::ThreadsQueue;
use crate::uring::UringQueue;
use crate::verify::{Verifier, VerifyingQueue};

/// Makes the queue of a thread, in that thread, and drives it to the end of the load.
pub(crate) type Engine = Arc<dyn Fn(Worker) -> io::Result<()> + Send + Sync>;

/// The engine of a plan for all threads of one load.
///
/// Handles are opened here, once for all threads: a plan of many files on many threads would otherwise need
/// more of them than the usual limit of a process. Queues are made in their threads, because a ring may serve
/// the thread alone that made it.
pub(crate) fn open_engine(
    plan: &Plan,
    areas: &HeldAreas,
    is_stopping: &dyn Fn() -> bool,
) -> Result<Engine, OpenAreaError> {
    Ok(match plan.engine {
        EngineKind::Uring => {
            let open = areas.open(NO_FLAGS)?;
            let ring = areas.tuning.ring_for(plan, &open, is_stopping);
            Arc::new(move |worker: Worker| {
                let (clock, lengths, flushing) = (worker.clock.clone(), worker.lengths(), worker.flushing());
                let queue = UringQueue::new(clock, &open, &lengths, flushing, ring, &mut worker.random());
                worker.drive_on_clock(queue)
            })
        }
        EngineKind::Iocp => {
            let handles = Handles::for_threads(plan, areas)?;
            Arc::new(move |worker: Worker| {
                let (clock, lengths, flushing) = (worker.clock.clone(), worker.lengths(), worker.flushing());
                let own = handles.get(worker.index).ok_or(io::ErrorKind::Unsupported);
                let queue = own.map_err(io::Error::from).and_then(|handles| {
                    IocpQueue::new(clock, handles, &lengths, flushing, &mut worker.random())
                });
                worker.drive_on_clock(queue)
            })
        }
        EngineKind::Threads => {
            let open = areas.open(NO_FLAGS)?;
            Arc::new(move |worker: Worker| {
                let (clock, lengths) = (worker.clock.clone(), worker.lengths());
                let queue = ThreadsQueue::new(clock, &open, &lengths, &mut worker.random());
                worker.drive_on_clock(queue)
            })
        }
        EngineKind::Sim => Arc::new(|worker: Worker| {
            // Made in the thread, because simulated time is a cell that no other may look at: a plan for this
            // engine has one thread.
            let clock = SimClock::default();
            let device = worker.plan.sim.clone().unwrap_or_default();
            let random = Random::new(worker.plan.seed, RandomStream::SimDevice);
            let queue = SimQueue::new(clock.clone(), device, random);
            worker.drive(Ok(queue), clock)
        }),
        EngineKind::Null => Arc::new(|worker: Worker| {
            let queue = NullQueue::new(worker.clock.clone(), worker.lengths().len());
            worker.drive_on_clock(Ok(queue))
        }),
    })
}

/// What a thread needs to make its queue and drive it.
pub(crate) struct Worker {
    pub(crate) index: usize,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) plan: Arc<Plan>,
    /// Where what is read is compared.
    pub(crate) verifier: Option<Arc<Verifier>>,
    pub(crate) windows: Arc<[Window]>,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: MonotonicClock,
    pub(crate) handovers: SyncSender<Handover>,
    pub(crate) spares: Receiver<Vec<JobRecorder>>,
    pub(crate) ready: Sender<io::Result<Ready>>,
    pub(crate) start: Receiver<()>,
}

/// What a thread tells when its queue stands.
pub(crate) struct Ready {
    pub(crate) worker: usize,
    pub(crate) thread_id: Option<u64>,
    pub(crate) queue: QueueSetup,
}

impl Worker {
    /// Carries out this thread's part of the load.
    pub(crate) fn work(self, engine: &Engine) -> io::Result<()> {
        // In the thread itself, because the slack of timers is a thread's own.
        clock::wake_on_time();
        engine(self)
    }

    /// The largest I/O of each slot, in bytes.
    fn lengths(&self) -> Vec<u32> {
        Lane::slot_lengths(&self.lanes)
    }

    /// How many of the slots hold writes that a flush follows.
    fn flushing(&self) -> u32 {
        let flushes = |lane: &&Lane| self.plan.jobs[lane.job].durability == Durability::Fdatasync;
        self.lanes.iter().filter(flushes).map(Lane::iodepth).sum()
    }

    fn random(&self) -> Random {
        let thread = u32::try_from(self.index).expect("a plan has few threads");
        Random::new(self.plan.seed, RandomStream::Buffers(thread))
    }

    fn drive_on_clock<Q: IoQueue>(self, queue: io::Result<Q>) -> io::Result<()> {
        let clock = self.clock.clone();
        match self.verifier.clone() {
            Some(verifier) => {
                let queue = queue.map(|queue| VerifyingQueue::new(queue, clock.clone(), verifier));
                self.drive(queue, clock)
            }
            None => self.drive(queue, clock),
        }
    }

    fn drive<Q: IoQueue, C: Clock>(self, queue: io::Result<Q>, clock: C) -> io::Result<()> {
        let queue = match queue {
            Ok(queue) => queue,
            Err(error) => {
                // Nobody waits for it where another thread failed first.
                let _ = self.ready.send(Err(error));
                return Ok(());
            }
        };
        // The id is told from here: a thread can only ask for its own, and the meter has to know whose time
        // was spent watching.
        let ready = Ready { worker: self.index, thread_id: host::thread_id(), queue: queue.setup() };
        let _ = self.ready.send(Ok(ready));
        // The starter went away without a word: another thread has no queue, and there will be no load.
        if self.start.recv().is_err() {
            return Ok(());
        }
        let wiring = Wiring {
            worker: self.index,
            plan: &self.plan,
            windows: &self.windows,
            control: &self.control,
            handovers: self.handovers,
            spares: self.spares,
        };
        // Armed before and disarmed after: a panic leaves in between, and passes no line that could arm it.
        let stop = StopOthers { control: &self.control, armed: Cell::new(true) };
        let result = Driver::new(queue, clock, self.lanes, wiring).run();
        stop.armed.set(result.is_err());
        result
    }
}

/// Ends the load of the other threads where one broke or panicked: half a load is no measurement.
struct StopOthers<'c> {
    control: &'c Control,
    armed: Cell<bool>,
}

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if self.armed.get() {
            self.control.stop();
        }
    }
}
