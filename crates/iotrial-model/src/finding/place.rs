//! Where in a result a finding was made, where it is not about all of it.

use crate::load_pattern::LoadPattern;
use crate::step::Step;

/// The part of a result that a finding is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A step of a load that changes in steps.
    Step {
        /// Which step, from 1: the one whose finding it is.
        number: usize,
        /// That step as planned.
        planned: Step,
        /// Steps that have a finding of the same id, that one included.
        having_count: usize,
        /// All steps of the load.
        step_count: usize,
    },
    /// A probe of a sweep.
    Probe {
        /// Its kind of I/O.
        pattern: LoadPattern,
        /// Its outstanding I/Os on each volume.
        outstanding: u32,
        /// Other probes that have a finding of the same id.
        other_count: usize,
    },
    /// Curves of a sweep.
    Curves(Vec<CurvePlace>),
    /// Some of several loads that are compared, by their names.
    Loads(Vec<String>),
    /// All loads that are compared.
    EveryLoad,
}

/// A curve of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurvePlace {
    /// The kind of I/O.
    pub pattern: LoadPattern,
    /// The volume; `None` where there is only one.
    pub volume: Option<String>,
}
