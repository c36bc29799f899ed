//! What is looked at to judge the figures of a result: measured once, whatever needs it.

use iotrial_model::finding::{Evidence, Finding, GeneratorUse};
use iotrial_model::subject::Subject;

use super::course::ErrorCount;
use super::freeze::FrozenDevice;
use super::generator::{generator_use, is_short_of_cpu};
use super::limit::FlatLimit;
use super::modes::TwoModes;
use super::open_load::{Held, Share};
use super::pace::Pace;
use super::stall::Stall;
use super::throttle::Throttle;
use crate::device_chain::ChainStep;
use crate::steady_state::SteadyState;

/// What a result shows, beside its figures. Findings are predicates on it, so that none of them has to ask another one.
///
/// The fields stand in the order in which they are measured: later ones need earlier ones.
#[derive(Debug)]
pub(crate) struct Observed<'s, 'r> {
    pub(super) subject: &'s Subject<'r>,
    /// `None` where nothing failed.
    pub(super) errors: Option<ErrorCount<'r>>,
    pub(super) stall: Option<Stall>,
    pub(super) never_issued: Option<Share>,
    pub(super) issued_late: Option<Share>,
    /// `None` where the generator made nothing of any percentile.
    pub(super) held: Option<Held>,
    /// `None` where the CPU time of the generator is not known.
    pub(super) generator: Option<GeneratorUse>,
    /// `None` where no device stood still for some tenths of a second.
    pub(super) frozen: Option<FrozenDevice>,
    /// From the load down through the devices; empty without counters.
    pub(super) steps: Vec<ChainStep>,
    pub(super) steady: Option<SteadyState>,
    /// Of all whole intervals; empty where only totals are known.
    pub(super) paces: Vec<Pace>,
    pub(super) throttle: Option<Throttle>,
    pub(super) unplanned_modes: Option<TwoModes>,
    /// One at most where all jobs lie on the same devices.
    pub(super) flat: Vec<FlatLimit>,
}

impl<'s, 'r> Observed<'s, 'r> {
    /// Measures a result once, for all findings and for the summary.
    pub(crate) fn of(subject: &'s Subject<'r>) -> Self {
        // Where the load changes all the time, rates and latencies that change are what was asked.
        let is_still = !subject.load_changes;
        let paces = if is_still { Pace::of(subject) } else { Vec::new() };
        let throttle = Throttle::of(subject, &paces);
        let has_modes = TwoModes::of(subject).is_some();
        let generator = generator_use(subject);
        let is_short = generator.as_ref().is_some_and(|used| is_short_of_cpu(used, subject));
        Self {
            subject,
            errors: ErrorCount::of(subject),
            stall: Stall::of(subject),
            never_issued: Share::never_issued(subject),
            issued_late: Share::issued_late(subject),
            held: Held::of(subject),
            generator,
            frozen: if is_still { FrozenDevice::of(subject, is_short) } else { None },
            steps: ChainStep::all(subject),
            steady: SteadyState::of(subject).filter(|_| is_still),
            flat: FlatLimit::all(subject, &paces, throttle, has_modes),
            throttle,
            paces,
            // Where no stream has two modes, none has them against its plan.
            unplanned_modes: if has_modes && is_still { TwoModes::unplanned(subject) } else { None },
        }
    }

    /// From the load down through the devices; empty without counters.
    pub(crate) fn steps(&self) -> &[ChainStep] {
        &self.steps
    }

    /// Whether the rate had stopped changing; `None` where too little was measured to say.
    pub(crate) fn into_steady(self) -> Option<SteadyState> {
        self.steady
    }

    /// What its facts cannot show of a probe, as the version that wrote it found it: a probe keeps no histograms by interval, so that
    /// two modes one after the other look like two at once; a sweep does not keep whether it polled; and a probe keeps the counts of
    /// its measured phase only, while I/Os that fail are counted over all phases: a device that failed while it warmed up is not a
    /// clean one. I/Os that came back short are looked for in the measured phase, so that those are found again. And only its plan says
    /// that a probe waited for a steady state, which it did not reach.
    pub(super) fn recorded(&self) -> impl Iterator<Item = Finding> + use<'_, 's, 'r> {
        let typed = self.subject.recorded_findings.iter().filter_map(|recorded| recorded.typed());
        typed.filter(|found| match &found.evidence {
            Evidence::CacheByLatency(_) | Evidence::PolledIo(_) | Evidence::IoErrors(_) => true,
            Evidence::Unsteady(unsteady) => unsteady.waited_s.is_some(),
            _ => false,
        })
    }
}
