//! A run: the threads that drive the load, and the intervals that come out of them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use iotrial_measure::clock::MonotonicClock;
use iotrial_measure::collector::{Collector, Handover};
use iotrial_measure::control::{Control, Watcher};
use iotrial_measure::kernel_threads::KernelWatch;
use iotrial_measure::meter::Meter;
use iotrial_measure::pauses::{self, PauseWatch};
use iotrial_measure::recorder::JobRecorder;
use iotrial_measure::window::Window;
use iotrial_model::engine::EngineKind;
use iotrial_model::plan::{Arrival, Plan};
use iotrial_model::record::{
    CpuUse, DeviceCounters, Ended, EndedHow, EngineSetup, Interval, Pause, QueueSetup,
};

use crate::lane::{JobCopy, Lane};
use crate::priority::{PriorityError, RaisedPriority};
use crate::targets::{HeldAreas, OpenAreaError};
use crate::verify::Verifier;
use crate::worker::{Engine, Ready, Worker, open_engine};
use crate::{iocp, uring};

/// Intervals that a thread may be ahead of whoever takes them.
// A full channel stops the thread, and with it the load, so there is room for many: usually a quarter of a
// minute in which whoever watches may be busy with something else. It is bounded all the same, because each
// that waits keeps its tables of buckets.
const HANDOVERS_AHEAD: usize = 16;

/// The coordinator looks at the clock and at the brake at least so often.
const TICK: Duration = Duration::from_millis(50);

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartRunError {
    /// A queue could not be made.
    #[error("cannot start the `{engine}` engine")]
    Queue {
        /// Its name, as `--engine` takes it.
        engine: &'static str,
        /// What the operating system refused: memory, a ring, or a thread for each outstanding I/O.
        #[source]
        source: io::Error,
    },
    /// An area could not be opened.
    #[error(transparent)]
    Area(#[from] OpenAreaError),
    /// The priority that the plan asks for is not to be had.
    #[error(transparent)]
    Priority(#[from] PriorityError),
    /// A thread could not be made.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// What a run brought, beside the intervals that were shown as they came.
#[derive(Debug)]
pub struct RunOutcome {
    /// All intervals, in order.
    pub intervals: Vec<Interval>,
    /// What the operating system granted the engine.
    pub engine_setup: EngineSetup,
    /// CPU over the measured phase; `None` where it was not reached or the clock is simulated.
    pub cpu: Option<CpuUse>,
    /// Device counters over the measured phase.
    pub devices: Vec<DeviceCounters>,
    /// CPU and device counters over each step of a load that changes, in order; `None` as above. Empty where it does not change.
    pub steps: Vec<Option<(CpuUse, Vec<DeviceCounters>)>>,
    /// When iotrial itself stood still, over the whole load; on a simulated clock, when the simulated host did.
    pub pauses: Vec<Pause>,
    /// How it ended.
    pub ended: Ended,
}

/// Why an engine cannot run on this host; `None` where it can. Devices are not asked: what they refuse comes
/// up when they are prepared.
pub fn refusal_of(engine: EngineKind) -> Option<String> {
    match engine {
        EngineKind::Uring => uring::refusal(),
        EngineKind::Iocp => iocp::refusal(),
        EngineKind::Threads | EngineKind::Sim | EngineKind::Null => None,
    }
}

/// Carries a plan out.
///
/// `areas` are those that were prepared for the plan, in its order; with a `verifier` of them, everything that is read is compared with what was
/// written; `device_names` are the block devices whose
/// counters are taken over the measured phase. `watcher` sees each interval as soon as it is over, and may
/// end the load before its time when it has seen enough. What it does not see any more is in no figure: CPU
/// time and device counters, too, are those of the time that it names.
///
/// # Errors
///
/// When the load could not begin. What happens after that is in the outcome.
pub fn run(
    plan: &Arc<Plan>,
    areas: &HeldAreas,
    verifier: Option<&Arc<Verifier>>,
    device_names: &[String],
    control: &Arc<Control>,
    watcher: &mut dyn Watcher,
) -> Result<RunOutcome, StartRunError> {
    let engine = open_engine(plan, areas, &|| control.is_stopping())?;
    let windows: Arc<[Window]> = Window::all(plan).into();
    // The brake of this load alone: `control` may be meant for others after it.
    let brake: Arc<Control> = Arc::default();
    // Before the threads, which have the priority of the one that makes them, and until the load is over.
    let raised = RaisedPriority::new(plan.priority)?;
    let workers = Workers::start(plan, &engine, verifier, &windows, &brake)?;
    // A simulated clock has no CPU time to go with it.
    let has_meter = !plan.engine.is_simulated();
    let pause_watch = has_meter.then(|| PauseWatch::begin(workers.clock.clone())).flatten();
    // A closed load has no times of its own, from which it could be known what was held back.
    let has_times = has_meter && plan.jobs.iter().any(|job| job.arrival != Arrival::Closed);
    let kernel_watch = has_times.then(|| KernelWatch::begin(workers.clock.clone()));
    let kernel_threads = kernel_watch.as_ref().map(KernelWatch::threads);
    let anywhere = watcher.may_end_anywhere();
    let mut meter = has_meter.then(|| {
        let meter = Meter::new(workers.clock.clone(), &windows, device_names, anywhere);
        meter.with_kernel_threads(kernel_threads.cloned())
    });
    let engine_setup = EngineSetup { priority: raised.granted(), ..workers.setup.clone() };
    let thread_ids = workers.thread_ids.clone();
    let mut collector = Collector::new(plan, &windows, workers.spares.len());
    let mut failure = None;
    let mut over_since = None;
    let (verifier, mut looked) = (verifier.map(|verifier| &**verifier), Instant::now());
    let is_stuck = || verifier.is_some_and(Verifier::is_stuck);
    while !control.is_aborted() && !is_stuck() {
        let patience = meter.as_ref().map_or(TICK, |meter| meter.next_look().min(TICK));
        // The coordinator sleeps unless something is due: it shares the CPUs with the threads that it
        // measures.
        let handover = workers.handovers.recv_timeout(patience);
        if let Some(verifier) = verifier {
            verifier.tick(std::mem::replace(&mut looked, Instant::now()).elapsed());
        }
        match handover {
            Ok(handover) => {
                let spares = &workers.spares[handover.worker];
                collector.add(handover, spares, kernel_threads, watcher);
                failure = failure.or_else(|| collector.failed_job());
            }
            Err(RecvTimeoutError::Timeout) => {}
            // All threads are through, or gone.
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if failure.is_some() || control.is_stopping() {
            brake.stop();
        }
        if let Some(meter) = &mut meter {
            if let Some((_, end_ns)) = collector.measured() {
                meter.reach(end_ns);
            }
            meter.look(brake.is_stopping());
        }
        // Behind the meter, which has just read the end of the round: a brake that is on makes it take its
        // last reading where it is.
        if collector.measured().is_some() {
            brake.stop();
        }
        if brake.is_stopping() || collector.is_complete() {
            watcher.draining(over_since.get_or_insert_with(Instant::now).elapsed());
        }
    }
    let of_sim = || plan.sim.iter().flat_map(|device| pauses::simulated(device, plan.duration())).collect();
    let pauses = pause_watch.map_or_else(of_sim, PauseWatch::end);
    // After an abort the threads are left behind: one that is in a call to a device that hangs would be
    // waited for as long as that.
    if control.is_aborted() || is_stuck() {
        brake.abort();
        verifier.into_iter().for_each(Verifier::give_up);
        let waited = verifier.filter(|_| is_stuck()).map(|verifier| verifier.waits_at_most().as_secs_f64());
        failure = failure.or(waited.map(|waited| format!("I/Os did not come back within {waited} s")));
    } else {
        failure = failure.or(workers.join().err().map(|error| format!("the I/O queue broke: {error}")));
    }
    let ended = match failure {
        Some(reason) => Ended { how: EndedHow::Failed, reason: Some(reason) },
        None if collector.is_complete() => Ended { how: EndedHow::Complete, reason: None },
        None => {
            Ended { how: EndedHow::Interrupted, reason: Some("stopped by the user or a signal".to_owned()) }
        }
    };
    let measured = collector.measured();
    let watched = collector.watched(&thread_ids, None);
    let borders_ns: Vec<u64> =
        plan.step_borders().iter().map(|at| u64::try_from(at.as_nanos()).unwrap_or(u64::MAX)).collect();
    let within =
        |step: (u64, u64)| meter.as_ref()?.within_step(step, &collector.watched(&thread_ids, Some(step)));
    let steps = borders_ns.windows(2).map(|border| within((border[0], border[1]))).collect();
    let (cpu, devices) = meter.as_ref().and_then(|meter| meter.between(measured, &watched)).unzip();
    let (intervals, devices) = (collector.intervals(), devices.unwrap_or_default());
    Ok(RunOutcome { intervals, engine_setup, cpu, devices, steps, pauses, ended })
}

/// The threads of a run.
struct Workers {
    clock: MonotonicClock,
    setup: EngineSetup,
    /// By worker; `None` where the operating system does not tell.
    thread_ids: Vec<Option<u64>>,
    handovers: Receiver<Handover>,
    spares: Vec<Sender<Vec<JobRecorder>>>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Workers {
    /// Starts the threads; the load begins when all of them have their queues.
    fn start(
        plan: &Arc<Plan>,
        engine: &Engine,
        verifier: Option<&Arc<Verifier>>,
        windows: &Arc<[Window]>,
        control: &Arc<Control>,
    ) -> Result<Self, StartRunError> {
        let shares = share_copies(plan, JobCopy::all(plan), plan.threads as usize);
        let clock = MonotonicClock::before_start();
        let (handover_sender, handovers) = mpsc::sync_channel(HANDOVERS_AHEAD * shares.len());
        let (ready_sender, ready) = mpsc::channel();
        let (mut spares, mut threads, mut starters) = (Vec::new(), Vec::new(), Vec::new());
        for (index, copies) in shares.into_iter().enumerate() {
            let (spare_sender, spare_receiver) = mpsc::channel();
            let (starter, start) = mpsc::channel();
            let worker = Worker {
                index,
                lanes: Lane::of_copies(plan, copies),
                plan: Arc::clone(plan),
                verifier: verifier.map(Arc::clone),
                windows: Arc::clone(windows),
                control: Arc::clone(control),
                clock: clock.clone(),
                handovers: handover_sender.clone(),
                spares: spare_receiver,
                ready: ready_sender.clone(),
                start,
            };
            let engine = Arc::clone(engine);
            let spawned =
                thread::Builder::new().name(format!("iotrial-{index}")).spawn(move || worker.work(&engine));
            threads.push(spawned.map_err(StartRunError::Thread)?);
            spares.push(spare_sender);
            starters.push(starter);
        }
        // With these two alive neither channel would ever end, and a thread that panicked would be waited
        // for.
        drop((handover_sender, ready_sender));
        // A thread says once whether its queue stands. On return, the others find their starters gone and
        // end.
        let mut queues = QueueSetup::default();
        let mut thread_ids = vec![None; threads.len()];
        for _ in 0..threads.len() {
            match ready.recv() {
                Ok(Ok(Ready { worker, thread_id, queue })) => {
                    queues.merge(&queue);
                    thread_ids[worker] = thread_id;
                }
                Ok(Err(source)) => return Err(StartRunError::Queue { engine: plan.engine.as_str(), source }),
                // It has panicked, which `join` passes on.
                Err(_) => {}
            }
        }
        let clock_name = if plan.engine.is_simulated() { "simulated" } else { clock.source() };
        let setup = EngineSetup { clock: clock_name.to_owned(), queues, priority: None };
        // The zero of all threads, when the last one has its buffers filled and its ring made, which takes a
        // while for large ones. A load that began without some of its jobs would be another load.
        clock.start();
        for starter in starters {
            // A thread that is gone has panicked, which `join` passes on.
            let _ = starter.send(());
        }
        Ok(Self { clock, setup, thread_ids, handovers, spares, threads })
    }

    /// Waits for all threads; the error is that of the first whose queue broke.
    fn join(self) -> io::Result<()> {
        let mut result = Ok(());
        for thread in self.threads {
            let one = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(one);
        }
        result
    }
}

/// Deals the copies out so that every thread has about as many outstanding I/Os; none goes without. Jobs that
/// follow one another stay together, so that no thread has to look at another one's counts.
fn share_copies(plan: &Plan, copies: Vec<JobCopy>, thread_count: usize) -> Vec<Vec<JobCopy>> {
    let mut groups: Vec<Vec<JobCopy>> = Vec::new();
    let mut group_of_leader = BTreeMap::new();
    for copy in copies {
        match plan.leader_of(copy.job) {
            Some(leader) => {
                let group = *group_of_leader.entry(leader).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                groups[group].push(copy);
            }
            None => groups.push(vec![copy]),
        }
    }
    // By outstanding I/Os, which is all that is known of the work before there is any. No thread goes
    // without, because one that drives nothing would only hand over empty windows.
    let mut shares: Vec<(u64, Vec<JobCopy>)> =
        (0..thread_count.clamp(1, groups.len())).map(|_| (0, Vec::new())).collect();
    for group in groups {
        let lightest = shares.iter_mut().min_by_key(|(load, _)| *load).expect("there is at least one thread");
        lightest.0 += group.iter().map(|copy| u64::from(plan.jobs[copy.job].iodepth)).sum::<u64>();
        lightest.1.extend(group);
    }
    shares.into_iter().map(|(_, copies)| copies).collect()
}
