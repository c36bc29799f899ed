//! What a sweep is going to do: its patterns, its loads, its times.

use std::collections::BTreeSet;
use std::time::Duration;

use iotrial_model::load::Pattern;
use iotrial_model::plan::{LEAST_TIMES_ARRAY_CACHE, PlanError, SteadyTimes};
use iotrial_model::profile::{LayoutRequest, Profile};
use iotrial_model::sweep::{LoadPattern, SweepMethod};
use iotrial_model::units::ByteSize;

use crate::fault::Fault;
use crate::request::{SweepLoads, SweepRequest};

/// A measured phase of a search is this part of a step, so that two repeats of ten loads take one step.
// A search only has to find the load; the step is for the figures of that load, measured once in the end.
const SEARCH_PART: u32 = 20;
/// Files for `--channel`: 100 MB fit the cache of any array (the SQLIO paper).
const CHANNEL_SIZE: ByteSize = ByteSize::mib(100);
/// Files of each target otherwise.
// A choice: laid out in seconds, so that a first look is cheap. A large cache holds it; whoever wants the figures of the medium
// behind one gives a --size.
const VOLUME_SIZE: ByteSize = ByteSize::gib(1);

/// Decided before any target is looked at.
#[derive(Debug, Clone)]
pub struct Course {
    /// How it chooses its loads.
    pub method: SweepMethod,
    /// One for each kind of I/O, in the order in which they are measured.
    pub tests: Vec<Test>,
    /// How long a load is measured that has to last.
    pub step: Duration,
    /// Without load between one kind of I/O and the next.
    pub idle: Duration,
    /// How often each load is measured.
    pub repeats: u32,
    /// Of the file on each volume, where no size was asked for.
    pub volume_size: ByteSize,
}

/// One kind of I/O and its loads.
#[derive(Debug, Clone)]
pub struct Test {
    /// The kind of I/O.
    pub pattern: LoadPattern,
    /// Outstanding I/Os; empty where they are searched for.
    pub loads: Vec<u32>,
    /// How long a load is measured that has to last; that of the course, unless a published series has another one for this kind.
    pub step: Duration,
    /// How long its load runs on a volume before the first one is measured there; zero where nothing runs before.
    pub precondition: Duration,
    /// How each load that has to last waits for a steady state; `None` where it is measured for a step.
    pub steady: Option<SteadyTimes>,
}

impl Test {
    fn new(pattern: LoadPattern, loads: Vec<u32>, step: Duration) -> Self {
        Self { pattern, loads, step, precondition: Duration::ZERO, steady: None }
    }

    /// How long the load runs before it is measured for a step.
    // A share and not a time: what has to settle grows with what is looked at.
    pub(crate) fn ramp(&self) -> Duration {
        self.step / 10
    }

    /// At most so long for a load that has to last, with its ramp.
    fn longest(&self) -> Duration {
        self.ramp() + self.steady.map_or(self.step, |times| times.longest)
    }
}

/// Why a sweep has no course.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// Nothing would be measured.
    #[error("{option} must be more than zero")]
    Zero {
        /// The option, as it is typed.
        option: &'static str,
    },
    /// A cache holds no random I/O for certain.
    #[error("--channel measures sequential I/O, and `{pattern}` is random")]
    RandomChannel {
        /// The first random one of those that were asked for.
        pattern: LoadPattern,
    },
    /// A device that is only read is in no state that lasts or does not.
    #[error("{option} is for patterns that write, and none of them does")]
    OnlyReads {
        /// The option, as it is typed.
        option: &'static str,
    },
    /// The rounds of a steady state do not fit.
    #[error(transparent)]
    Times(#[from] PlanError),
    /// The second time would be told as the first.
    #[error("the pattern `{pattern}` is given twice")]
    Twice {
        /// The first that is there twice.
        pattern: LoadPattern,
    },
}

impl Fault for CourseError {
    fn is_of_input(&self) -> bool {
        true
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Zero { .. } => "leave it out for the default",
            Self::RandomChannel { .. } => "use sequential patterns, such as --pattern read-64k,read-512k",
            Self::OnlyReads { .. } => "leave it out, or add a pattern that writes, such as randwrite-8k",
            Self::Times(PlanError::LimitTooShort { .. }) => "give a longer limit, or a shorter --step",
            Self::Times(_) => return None,
            Self::Twice { .. } => "--repeats measures each load several times",
        };
        Some(hint.to_owned())
    }
}

impl Course {
    /// What is asked for.
    pub(crate) fn of(request: &SweepRequest) -> Result<Self, CourseError> {
        let mut course = Self::of_loads(request)?;
        course.prepare_writes(request)?;
        Ok(course)
    }

    /// Decides what happens before and while the kinds of I/O that write are measured.
    fn prepare_writes(&mut self, request: &SweepRequest) -> Result<(), CourseError> {
        let asked = [
            ("--precondition", request.precondition.is_some()),
            ("--until-steady", request.until_steady.is_some()),
        ];
        let writes = self.tests.iter().any(|test| test.pattern.writes());
        if let Some((option, _)) = asked.into_iter().find(|(_, is_asked)| *is_asked && !writes) {
            return Err(CourseError::OnlyReads { option });
        }
        if request.precondition.is_some_and(|time| time.is_zero()) {
            return Err(CourseError::Zero { option: "--precondition" });
        }
        for test in self.tests.iter_mut().filter(|test| test.pattern.writes()) {
            test.precondition = request.precondition.unwrap_or_default();
            let times = request.until_steady.map(|wait| SteadyTimes::new(test.ramp(), test.step, wait.limit));
            test.steady = times.transpose()?;
        }
        Ok(())
    }

    fn of_loads(request: &SweepRequest) -> Result<Self, CourseError> {
        if request.step.is_some_and(|step| step.is_zero()) {
            return Err(CourseError::Zero { option: "--step" });
        }
        if request.size.is_some_and(|size| size.get() == 0) {
            return Err(CourseError::Zero { option: "--size" });
        }
        let step = request.step.unwrap_or(Duration::from_secs(10));
        let (method, loads) = match &request.loads {
            SweepLoads::Sqlio { full, loads } => return Ok(Self::sqlio(request, *full, &each_once(loads))),
            SweepLoads::Search => (SweepMethod::Search, Vec::new()),
            SweepLoads::Channel => (SweepMethod::Channel, Vec::new()),
            SweepLoads::Grid(loads) => (SweepMethod::Grid, each_once(loads)),
        };
        let is_channel = method == SweepMethod::Channel;
        let names: &[&str] = if is_channel {
            &["read-64k", "read-512k", "write-512k"]
        } else {
            &["randread-8k", "randwrite-8k", "read-64k", "write-64k", "read-512k", "write-512k"]
        };
        let mut patterns = request.patterns.clone();
        if patterns.is_empty() {
            patterns = names.iter().map(|name| name.parse().expect("the names are constants")).collect();
        }
        if let Some(random) = patterns.iter().find(|one| is_channel && one.order == Pattern::Random) {
            return Err(CourseError::RandomChannel { pattern: *random });
        }
        for (position, pattern) in patterns.iter().enumerate() {
            if patterns[..position].contains(pattern) {
                return Err(CourseError::Twice { pattern: *pattern });
            }
        }
        let test = |pattern| Test::new(pattern, loads.clone(), step);
        Ok(Self {
            method,
            tests: patterns.into_iter().map(test).collect(),
            step,
            idle: request.idle.unwrap_or(Duration::from_secs(2)),
            // A search goes where a load sends it, so each is measured twice; a grid is the same whatever comes of it.
            repeats: request.repeats.unwrap_or(if loads.is_empty() { 2 } else { 1 }),
            volume_size: if is_channel { CHANNEL_SIZE } else { volume_size(request) },
        })
    }

    /// The batch file in «Predeployment I/O Best Practices» (M. Ruthruff, 2007), with its order: 600 s for random I/O, 60 s for
    /// sequential, and a minute of rest between tests, which it calls acceptable for most systems. With loads of its own it is a grid:
    /// the paper has the series made again with 8 to 128 outstanding I/Os.
    fn sqlio(request: &SweepRequest, full: bool, loads: &[u32]) -> Self {
        let quick = Duration::from_secs(10);
        let (random_step, step, idle) =
            if full { (600, 60, 60) } else { (quick.as_secs(), quick.as_secs(), 5) };
        let step = request.step.unwrap_or(Duration::from_secs(step));
        let random_step = request.step.unwrap_or(Duration::from_secs(random_step));
        let test = |name: String, load: u32, step: Duration| {
            let loads = if loads.is_empty() { vec![load] } else { loads.to_vec() };
            Test::new(name.parse().expect("the names are constants"), loads, step)
        };
        let random = ["randwrite-8k", "randread-8k"].map(|name| test(name.to_owned(), 32, random_step));
        let small = [4, 8, 16, 32, 64].map(|kib| test(format!("write-{kib}k"), 1, step));
        let large = |word: &str| [8, 64, 128, 256].map(|kib| test(format!("{word}-{kib}k"), 8, step));
        let mut tests: Vec<Test> =
            random.into_iter().chain(small).chain(large("read")).chain(large("write")).collect();
        let method = if loads.is_empty() {
            SweepMethod::Sqlio
        } else {
            // Writes of 8 KiB and 64 KiB are in it twice, with different loads.
            let mut seen = Vec::new();
            tests.retain(|test| {
                !seen.contains(&test.pattern) && {
                    seen.push(test.pattern);
                    true
                }
            });
            SweepMethod::Grid
        };
        Self {
            method,
            tests,
            step,
            idle: request.idle.unwrap_or(Duration::from_secs(idle)),
            repeats: 1,
            volume_size: volume_size(request),
        }
    }

    /// Measured phase of a probe that looks for the knee.
    pub(crate) fn search_step(&self) -> Duration {
        self.step / SEARCH_PART
    }

    /// Measured time that a search may take before its long probe.
    pub(crate) fn search_budget(&self) -> Duration {
        self.step * self.repeats / 2
    }

    /// How many volumes are measured together, one group after the other: 2, 4, 8, ..., all.
    pub fn groups(volume_count: usize) -> Vec<usize> {
        let mut groups: Vec<usize> = std::iter::successors(Some(2), |count| Some(2 * count))
            .take_while(|count| *count < volume_count)
            .collect();
        if volume_count > 1 {
            groups.push(volume_count);
        }
        groups
    }

    /// At most so long, without the layout.
    #[expect(clippy::cast_possible_truncation, reason = "a few thousand volumes")]
    pub fn duration(&self, volume_count: usize) -> Duration {
        let volumes = volume_count as u32;
        let groups = Self::groups(volume_count).len() as u32;
        let of_test = |test: &Test| {
            let alone = match self.method {
                // As the sweeper has it: half of the time of the short probes before each of them, hence three halves.
                SweepMethod::Search | SweepMethod::Channel => self.search_budget() * 3 / 2 + test.longest(),
                SweepMethod::Grid | SweepMethod::Sqlio => {
                    test.longest() * test.loads.len() as u32 * self.repeats
                }
            };
            (test.precondition + alone + self.idle) * volumes + (test.longest() + self.idle) * groups
        };
        self.tests.iter().map(of_test).sum()
    }

    /// How long a load waits for a steady state at most, of the kind that waits longest; `None` where none waits.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        self.tests.iter().filter_map(|test| Some(test.steady?.longest)).max()
    }

    /// How long the load of each kind that writes runs before it is measured; `None` where nothing runs before.
    pub(crate) fn precondition(&self) -> Option<Duration> {
        self.tests.iter().map(|test| test.precondition).max().filter(|time| !time.is_zero())
    }

    /// A profile that lays out one file on each target, for all patterns; no load is made of it.
    pub(crate) fn profile(&self, volume_count: usize) -> Profile {
        let blocks = self.tests.iter().map(|test| test.pattern.block_size);
        Profile::for_layout(&LayoutRequest {
            name: "sweep",
            title: "One pattern after the other, each at several loads",
            size: self.volume_size * volume_count as u64,
            file_count: u32::try_from(volume_count).unwrap_or(u32::MAX),
            block_size: blocks.max().unwrap_or(ByteSize::kib(8)),
            writes: self.tests.iter().any(|test| test.pattern.writes()),
            duration: self.duration(volume_count),
        })
    }
}

/// Each volume is measured alone, so that each file has to be larger than the cache.
fn volume_size(request: &SweepRequest) -> ByteSize {
    let beyond_cache = request.array_cache.map_or(ByteSize::default(), |cache| {
        // With the header, and the rest that is no whole block.
        ByteSize::bytes(cache.get().saturating_mul(LEAST_TIMES_ARRAY_CACHE)) + ByteSize::mib(16)
    });
    VOLUME_SIZE.max(beyond_cache)
}

/// Each load once, in their order: to measure one several times is what --repeats is for, in rounds.
fn each_once(loads: &[u32]) -> Vec<u32> {
    let loads: BTreeSet<u32> = loads.iter().copied().collect();
    loads.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::SteadyWait;

    fn series(full: bool, loads: &[u32]) -> Course {
        let loads = SweepLoads::Sqlio { full, loads: loads.to_vec() };
        Course::of(&SweepRequest { loads, ..SweepRequest::default() }).unwrap()
    }

    #[test]
    fn the_series_is_made_again_with_other_loads() {
        let own = series(false, &[]);
        assert_eq!((own.method, own.tests.len()), (SweepMethod::Sqlio, 15));
        let raised = series(true, &[128, 8, 8]);
        assert_eq!((raised.method, raised.tests.len()), (SweepMethod::Grid, 13));
        assert!(raised.tests.iter().all(|test| test.loads == [8, 128]));
        assert_eq!((raised.tests[0].step.as_secs(), raised.tests[2].step.as_secs()), (600, 60));
    }

    fn steady(patterns: &str, limit_s: Option<u64>) -> Result<Course, CourseError> {
        Course::of(&SweepRequest {
            patterns: patterns.split(',').map(|name| name.parse().unwrap()).collect(),
            loads: SweepLoads::Grid(vec![1, 8]),
            idle: Some(Duration::ZERO),
            precondition: Some(Duration::from_secs(60)),
            until_steady: Some(SteadyWait { limit: limit_s.map(Duration::from_secs) }),
            ..SweepRequest::default()
        })
    }

    #[test]
    fn only_what_writes_is_preconditioned_and_waits_and_the_longest_time_has_both() {
        let course = steady("randread-8k,randwrite-8k", None).unwrap();
        let [reads, writes] = course.tests.as_slice() else { panic!("two patterns") };
        assert_eq!((reads.precondition, reads.steady), (Duration::ZERO, None));
        let times = writes.steady.unwrap();
        assert_eq!(
            [writes.precondition, times.until.round, times.longest].map(|one| one.as_secs()),
            [60, 2, 50]
        );
        // Two loads of a step with its ramp, and two of the longest wait behind a minute.
        assert_eq!(course.duration(1).as_secs(), 2 * 11 + 60 + 2 * 51);
        let limited = steady("randrw70-8k", Some(25)).unwrap();
        assert_eq!(limited.longest_wait(), Some(Duration::from_secs(24)));
    }

    #[test]
    fn reads_alone_and_a_limit_without_room_for_five_rounds_are_refused() {
        assert!(matches!(steady("randread-8k", None), Err(CourseError::OnlyReads { .. })));
        let error = steady("randwrite-8k", Some(9)).unwrap_err();
        assert!(matches!(error, CourseError::Times(PlanError::LimitTooShort { .. })), "{error}");
    }

    #[test]
    fn volumes_are_doubled_until_all_of_them_work_together() {
        assert_eq!(Course::groups(1), Vec::<usize>::new());
        assert_eq!(Course::groups(2), [2]);
        assert_eq!(Course::groups(3), [2, 3]);
        assert_eq!(Course::groups(8), [2, 4, 8]);
        assert_eq!(Course::groups(12), [2, 4, 8, 12]);
    }
}
