//! Where the offsets of random I/O come from: where they are the same in several runs, what one of them leaves in a cache serves the next.

use iotrial_model::finding::OffsetSeed;
use iotrial_model::imported::SourceKind;
use iotrial_model::load::Pattern;
use iotrial_model::plan::EngineDevice;
use iotrial_model::subject::{Subject, SubjectJob};

/// Where the offsets of random I/O come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Offsets {
    /// Every run draws its own.
    Anew,
    /// All runs with this seed have the same ones.
    Repeated(OffsetSeed),
}

impl Offsets {
    /// `None` without random I/O on a device, and where nobody says.
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        let is_random = |job: &&SubjectJob<'_>| job.load.pattern == Some(Pattern::Random);
        if let Some(plan) = subject.plan {
            let has_any = subject.jobs.iter().any(|job| is_random(&job));
            let is_real = plan.engine.facts().device == EngineDevice::Real;
            return (has_any && is_real).then_some(Self::Repeated(OffsetSeed::Given(plan.seed)));
        }
        // Options that are not listed are fio's usual ones only where it lists options at all.
        let is_of_fio = subject.source.is_some_and(|source| source.kind == SourceKind::FioJson);
        let jobs = subject.jobs.iter().filter(|job| is_of_fio && !job.load.options.is_empty());
        let seeds: Vec<Self> = jobs.filter(is_random).map(Self::of_fio).collect();
        // One job that goes its old ways again is enough to find what it left.
        let repeated = seeds.iter().find(|one| **one != Self::Anew);
        repeated.or(seeds.first()).cloned()
    }

    /// fio's `randseed` counts whatever `randrepeat` says, which is on unless it is set to 0.
    fn of_fio(job: &SubjectJob<'_>) -> Self {
        let option = |name: &str| job.load.options.get(name).map(|value| value.trim());
        match (option("randseed"), option("randrepeat")) {
            (Some(seed), _) => Self::Repeated(OffsetSeed::RandSeed(seed.to_owned())),
            (None, Some("0")) => Self::Anew,
            (None, _) => Self::Repeated(OffsetSeed::RandRepeat),
        }
    }
}
