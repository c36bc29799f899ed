//! What was measured of what a gate is about, and why a gate is undecided.

use crate::figure::{CpuFigure, Figure, FigureUnit, SweepFigure};
use crate::metric::{APPLICATION, MetricKey};

/// What was measured of what a gate is about. Changes are in percent, figures in the unit of the gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GateFigure {
    /// A change, and between which changes it is with confidence.
    Change(f64, Option<(f64, f64)>),
    /// Between which changes one is that is known only by bounds.
    ChangeBetween(f64, f64),
    /// A figure, and between which it is with confidence.
    Value(f64, Option<(f64, f64)>),
    /// Between which figures one is that is known only by bounds.
    ValueBetween(f64, f64),
    /// A figure that is this or higher.
    AtLeast(f64),
    /// A figure that is this or lower.
    AtMost(f64),
    /// Nothing.
    NotMeasured,
}

/// The unit of a limit, and of the figure that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateUnit {
    /// Microseconds.
    Us,
    /// I/Os per second.
    Iops,
    /// MiB per second.
    MibPerS,
    /// Of what only its name tells the unit: a bare number.
    InTheName,
    /// CPU time is a share, and a percentage is a change.
    None,
    /// Of a metric that nothing has any unit will do: that nothing has it is the mistake to tell.
    Any,
}

impl GateUnit {
    /// The unit in which limits of a metric are.
    pub fn of(metric: &MetricKey) -> Self {
        match metric.figure().map(|(_, figure)| figure.unit()) {
            Some(FigureUnit::Us) => Self::Us,
            Some(FigureUnit::Iops) => Self::Iops,
            Some(FigureUnit::MibPerS) => Self::MibPerS,
            None => match metric {
                MetricKey::Capacity | MetricKey::Sweep(SweepFigure::Ceiling | SweepFigure::Sustained) => {
                    Self::Iops
                }
                MetricKey::Sweep(SweepFigure::CeilingBandwidth) => Self::MibPerS,
                MetricKey::Cpu(CpuFigure::PerIo) => Self::Us,
                MetricKey::Cpu(_) => Self::None,
                MetricKey::Named { place, .. } if place != APPLICATION => Self::Any,
                _ => Self::InTheName,
            },
        }
    }

    /// How many of it one of a written unit are; `None` of another kind.
    pub fn factor(self, unit: &str) -> Option<f64> {
        let unit = unit.to_ascii_lowercase();
        match (self, unit.as_str()) {
            (Self::Us, "us" | "µs") | (Self::Iops, "iops") | (Self::InTheName, "") => Some(1.0),
            (Self::Any, "") => None,
            (Self::Any, _) => Some(1.0),
            (Self::Us, "ms") => Some(1e3),
            (Self::Us, "s") => Some(1e6),
            (Self::MibPerS, "kib/s") => Some(1.0 / 1_024.0),
            (Self::MibPerS, "mib/s") => Some(1.0),
            (Self::MibPerS, "gib/s") => Some(1_024.0),
            (Self::MibPerS, "kb/s") => Some(1e3 / 1_048_576.0),
            (Self::MibPerS, "mb/s") => Some(1e6 / 1_048_576.0),
            (Self::MibPerS, "gb/s") => Some(1e9 / 1_048_576.0),
            _ => None,
        }
    }

    /// A value with it; empty where there is none.
    pub const fn such_as(self) -> &'static str {
        match self {
            Self::Us | Self::Any => "2ms",
            Self::Iops => "20000iops",
            Self::MibPerS => "500MiB/s",
            Self::InTheName => "1000, in the unit of the metric",
            Self::None => "",
        }
    }
}

/// What leaves open whether a gate holds. Configurations are named as people know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// The figures of a configuration contradict each other.
    Contradictory(String),
    /// Something failed in a configuration, which is in no figure.
    Spoilt(Spoilt, String),
    /// A configuration is inconclusive.
    Inconclusive(String),
    /// The interval includes the limit.
    IncludesLimit,
    /// The interval of so few repeats includes the limit.
    FewIncludeLimit {
        /// How many repeats there are.
        run_count: usize,
    },
    /// Only a bound is known.
    OnlyBound,
    /// There are too few repeats for the longest I/O.
    FewForLongest {
        /// How many repeats there are of the configuration with fewer.
        run_count: usize,
    },
    /// The interval is too wide.
    TooWide {
        /// How many repeats there are of the configuration with fewer.
        run_count: usize,
    },
    /// Too little time was measured.
    TooBrief,
    /// Single runs have no interval.
    SingleRuns,
    /// Each was measured at the rate that its own search found.
    OtherRates,
    /// No difference is shown, and the limit is below the tolerance for stated figures.
    BelowTolerance,
    /// The sweep did not end as planned.
    SweepEnded {
        /// Whether it was interrupted, and did not fail.
        is_interrupted: bool,
    },
    /// A change of a curve is of too few loads for an interval.
    FewLoads,
    /// The curve does not show the figure.
    NotInCurve,
    /// No search found the highest rate.
    NoSearch,
    /// No run has this metric.
    NoRunHas(MetricKey),
    /// The figure is one that is not compared between runs.
    NotCompared,
    /// The figure is of too few I/Os.
    FewIos {
        /// How many there are.
        io_count: u64,
        /// The figure.
        figure: Figure,
    },
    /// The result does not have the figure.
    Missing,
}

/// What is in no figure, so that figures alone would look as if nothing had failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoilt {
    /// A run was interrupted.
    Interrupted,
    /// A run failed.
    Failed,
    /// So many I/Os failed.
    Errors(u64),
}
