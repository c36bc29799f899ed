//! What has to be said in the same breath as a recommendation.

use crate::figure::Figure;
use crate::load::words;
use crate::stream::{Stream, StreamOf};

words! {
    /// Why a recommendation is not to be relied upon. The names are an interface: `docs/json.md`.
    ReservationKind {
        /// Devices were simulated, or none were there: the figures say nothing about any storage.
        Simulated = "simulated",
        /// Figures of the best one, or of one compared with it, contradict each other.
        Contradictory = "contradictory",
        /// Runs of the best one, or of one compared with it, are inconclusive: their figures may not be the device's.
        Inconclusive = "inconclusive",
        /// The best one has I/Os that take far longer than any of another one.
        Froze = "froze",
        /// The best one is at most half as good as another one in a figure of a role. Where all latencies of these I/Os are worse, and most of
        /// them by that factor, none is recommended.
        LosesInRole = "loses-in-role",
    }
}

/// What speaks against relying on a recommendation, with the configurations of which it is true.
#[derive(Debug, Clone, PartialEq)]
pub enum Reservation {
    /// Every device was simulated.
    AllSimulated,
    /// The devices of these were simulated.
    Simulated(Vec<String>),
    /// The figures of these contradict each other.
    Contradictory(Vec<String>),
    /// Runs of these are inconclusive.
    Inconclusive(Vec<String>),
    /// The best one freezes.
    Froze(Freeze),
    /// The best one is at most half as good in a role.
    LosesInRole(RoleLoss),
    /// One of the above is true under these loads, and not under others.
    UnderLoads(Vec<String>, Box<Self>),
}

impl Reservation {
    /// What it is in one word.
    pub fn kind(&self) -> ReservationKind {
        match self {
            Self::AllSimulated | Self::Simulated(_) => ReservationKind::Simulated,
            Self::Contradictory(_) => ReservationKind::Contradictory,
            Self::Inconclusive(_) => ReservationKind::Inconclusive,
            Self::Froze(_) => ReservationKind::Froze,
            Self::LosesInRole(_) => ReservationKind::LosesInRole,
            Self::UnderLoads(_, cause) => cause.kind(),
        }
    }

    /// Whether none is recommended because of it.
    pub const fn stops(&self) -> bool {
        matches!(self, Self::LosesInRole(RoleLoss { is_in_all_latencies: true, .. }))
    }

    /// The configurations whose figures contradict each other; empty where it is something else.
    pub fn contradictory(&self) -> &[String] {
        match self {
            Self::Contradictory(names) => names,
            Self::UnderLoads(_, cause) => cause.contradictory(),
            _ => &[],
        }
    }
}

/// An I/O that took far longer than any of another configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Freeze {
    /// Of which stream it is.
    pub stream: Stream,
    /// How long it took, in µs.
    pub slowest_us: f64,
    /// The configuration whose slowest I/O was the shortest.
    pub calmest: String,
    /// How long that took, in µs.
    pub calmest_us: f64,
}

/// A figure of a role in which the best configuration is at most half as good as another one.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleLoss {
    /// Of which I/Os.
    pub of: StreamOf,
    /// In which figure.
    pub figure: Figure,
    /// How many times as good the other one is: 2 or more.
    pub factor: f64,
    /// Whether all latencies of these I/Os are worse, and most of them by a factor of 2: what the best one wins elsewhere does not make up
    /// for that.
    pub is_in_all_latencies: bool,
    /// The other one.
    pub other: String,
}
