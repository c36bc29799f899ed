//! What decided a verdict, for a run, for the steps of a load that changes and for a search.

use crate::figure::Figure;
use crate::finding::{Finding, FindingId};
use crate::record::EndedHow;

use super::{Caveat, Doubt, Gap, Judged, Meaning, Objection, Outcome, QueueLatency};

/// What a load is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadName {
    /// By its profile.
    Profile(String),
    /// By the job of another tool, and the tool.
    Job {
        /// The only job.
        job: String,
        /// The tool.
        tool: String,
    },
    /// By the tool that made it.
    Tool(String),
    /// It has no name.
    Unnamed,
}

/// What decided a run, and everything that bears on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The answer.
    pub outcome: Outcome,
    /// What was measured.
    pub load: LoadName,
    /// Name of the threshold set, as it is shown.
    pub set: String,
    /// What the category of the worst figure means, where the set says so.
    pub meaning: Option<Meaning>,
    /// What speaks against the storage.
    pub objections: Vec<Objection>,
    /// Why there is no answer.
    pub doubts: Vec<Doubt>,
    /// Doubts that can only have made the storage look slower, and so leave the answer as it is.
    pub settled: Vec<Doubt>,
    /// What to keep in mind.
    pub caveats: Vec<Caveat>,
    /// Findings that decided nothing and are listed with the reasons.
    pub other_findings: Vec<Finding>,
    /// Every figure that was judged, the worst first.
    pub judged: Vec<Judged>,
    /// What could not be judged.
    pub gaps: Vec<Gap>,
    /// Figures that are judged by other sets and have no limits in this one.
    pub unjudged: Vec<Figure>,
}

impl Ruling {
    /// The figure that used up most of its limit.
    pub fn worst(&self) -> Option<&Judged> {
        self.judged.first()
    }

    /// Why latencies are not judged, where they show the queue of the load and not the storage.
    pub fn queue(&self) -> Option<QueueLatency> {
        Gap::queue(&self.gaps)
    }
}

/// Why one load of several does not stay within the limits, or why that cannot be said.
#[derive(Debug, Clone, PartialEq)]
pub enum WhyNot {
    /// Something failed.
    Failed(Box<Objection>),
    /// The set has no limits for what it does.
    NoLimits,
    /// Latencies show the queue of the load.
    Queue(QueueLatency),
    /// A figure is beyond its limit.
    TooSlow(Judged),
    /// The figures may not be the device's.
    InDoubt(Vec<Doubt>),
    /// It was stopped before its end.
    CutShort {
        /// How long it lasted.
        measured_s: f64,
        /// How long it was to last.
        planned_s: f64,
    },
}

/// A sentence about a load names no more doubts than these: the first ones weigh most, and all of them are among the findings.
const MOST_DOUBTS: usize = 2;

impl WhyNot {
    /// The doubts that are named with the load.
    pub fn named_doubts(&self) -> &[Doubt] {
        match self {
            Self::InDoubt(doubts) => &doubts[..doubts.len().min(MOST_DOUBTS)],
            _ => &[],
        }
    }

    /// The findings that are told with the load.
    pub fn findings(&self) -> Vec<FindingId> {
        match self {
            Self::Failed(objection) => vec![objection.finding().id],
            _ => {
                let findings = self.named_doubts().iter().filter_map(|doubt| doubt.finding.as_ref());
                findings.map(|finding| finding.id).collect()
            }
        }
    }
}

/// What came of one step of a load that changes.
#[derive(Debug, Clone, PartialEq)]
pub struct StepAnswer {
    /// Counted from 1.
    pub number: usize,
    /// What it is called: `step 2 “peak” (100 %)`.
    pub label: String,
    /// Its share of the full load: `100 %`, `0 to 100 %`.
    pub load: String,
    /// The same as a number, of a ramp the one that it ends with.
    pub load_percent: f64,
    /// I/Os a second that were asked of the jobs with a rate.
    pub asked_iops: Option<f64>,
    /// I/Os a second that these jobs did.
    pub done_iops: Option<f64>,
    /// I/Os a second of all jobs.
    pub iops: f64,
    /// Whether the outcome depends on it.
    pub is_judged: bool,
    /// Whether it stays within the limits; `None` where that cannot be said.
    pub holds: Option<bool>,
    /// Why it does not, or why that cannot be said.
    pub why_not: Option<WhyNot>,
    /// The figure that used up most of its limit.
    pub worst: Option<Judged>,
    /// Of each role that is beyond a limit here and at no lower load, the figure that is furthest beyond it.
    pub crossed: Vec<Judged>,
}

/// What decided a load that changes. Steps are given by their position in `steps`.
#[derive(Debug, Clone, PartialEq)]
pub struct StepsRuling {
    /// The answer.
    pub outcome: Outcome,
    /// What was measured.
    pub load: LoadName,
    /// Name of the threshold set.
    pub set: String,
    /// What speaks against the storage, whatever the steps say.
    pub objections: Vec<Objection>,
    /// Why there is no answer, whatever the steps say.
    pub doubts: Vec<Doubt>,
    /// What to keep in mind of the step that decided.
    pub caveats: Vec<Caveat>,
    /// Every step that was begun.
    pub steps: Vec<StepAnswer>,
    /// The lowest judged load that does not stay within the limits.
    pub failing: Option<usize>,
    /// The highest judged load below it that does.
    pub best: Option<usize>,
    /// The first judged load of which that cannot be said.
    pub open: Option<usize>,
    /// I/Os a second that are needed: the full load; `None` where nothing was.
    pub need_iops: Option<f64>,
    /// Where the rate stops rising with the load, or that it still rises; `None` of loads of which that is not asked.
    pub scaling: Option<Box<Finding>>,
    /// How many steps were planned.
    pub planned_count: usize,
    /// Findings that are told of no step.
    pub findings: Vec<Finding>,
}

/// What came of the question of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchAnswer {
    /// It did not come to its end.
    Unfinished(EndedHow),
    /// Something failed at the rate that is needed.
    NeedFailed,
    /// What its loads showed is in doubt.
    NeedInDoubt {
        /// Whether the long load was too slow.
        is_too_slow: bool,
    },
    /// The rate that is needed is carried.
    NeedCarried,
    /// Most of its loads were within the limits, and the long one was not.
    NeedTooSlow,
    /// The rate that is needed is not carried.
    NeedNotCarried,
    /// There was too little time to tell.
    NeedOutOfTime,
    /// Its loads disagree.
    NeedDisagrees,
    /// At lower rates too few I/Os finished to judge them.
    TooFewIos,
    /// No rate is within the limits: the objection of the ruling.
    NoRate,
    /// The same, and it may not be the device's doing.
    NoRateInDoubt,
    /// The time ran out before a rate was confirmed.
    OutOfTime,
    /// Loads disagree, and none lies clearly below all that failed.
    Disagrees,
    /// A rate was found, and something failed.
    RateFailed,
    /// A rate was found, and it is in doubt.
    RateInDoubt,
    /// A rate was found.
    Rate,
}
