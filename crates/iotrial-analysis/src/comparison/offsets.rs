//! Offsets of random I/O that are the same in several runs: what one of them leaves in a cache serves the next one.
//!
//! fio seeds its generators alike in every run unless `randrepeat=0` is set, and iotrial does so where `--seed` is given. On its own that is no
//! fault, and where all runs do it nothing favours one of them. It is told where runs that are held against each other differ in it, and where
//! what should be independent repeats are the same course of offsets again.

use iotrial_model::finding::{ComparedFact, Finding, FindingId, OffsetSeed, Severity};
use iotrial_model::imported::SourceKind;
use iotrial_model::load::Pattern;
use iotrial_model::plan::EngineDevice;
use iotrial_model::subject::{Subject, SubjectJob};

use super::configuration::is_same_configuration;
use super::finding;
use super::sample::Sample;

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

/// What the reader should know about runs that share their offsets.
pub(super) fn findings_on_offsets(samples: &[Sample]) -> Vec<Finding> {
    different_ways(samples).into_iter().chain(same_again(samples)).collect()
}

/// Some repeat what earlier runs did, and others do not.
fn different_ways(samples: &[Sample]) -> Option<Finding> {
    let anew = samples.iter().find(|sample| sample.offsets == Some(Offsets::Anew))?;
    // iotrial draws a seed for each run unless it is given one: then another run has the same.
    let is_chosen = |sample: &Sample| {
        let shares = |other: &&Sample| other.offsets == sample.offsets;
        sample.counted.is_none() || samples.iter().filter(shares).count() > 1
    };
    let (sample, seed) = samples.iter().find_map(|sample| match &sample.offsets {
        Some(Offsets::Repeated(seed)) if is_chosen(sample) => Some((sample, seed)),
        _ => None,
    })?;
    let fact = ComparedFact::OffsetsOfOne {
        repeating: sample.source.clone(),
        seed: seed.clone(),
        drawing: anew.source.clone(),
    };
    Some(finding(FindingId::OffsetsRepeat, Severity::Warning, fact))
}

/// Repeats of one configuration under one load that went to the same offsets.
fn same_again(samples: &[Sample]) -> Option<Finding> {
    let is_again = |one: &Sample, other: &Sample| {
        matches!(&one.offsets, Some(Offsets::Repeated(_)))
            && one.offsets == other.offsets
            && is_same_configuration(one, other)
            && one.has_load_of(other)
            // Offsets on another device find nothing in the caches of this one.
            && one.circumstances.targets == other.circumstances.targets
    };
    let (first, seed) = samples.iter().enumerate().find_map(|(place, sample)| {
        let is_repeated = samples[..place].iter().any(|earlier| is_again(earlier, sample));
        match &sample.offsets {
            Some(Offsets::Repeated(seed)) if is_repeated => Some((sample, seed)),
            _ => None,
        }
    })?;
    let count = samples
        .iter()
        .enumerate()
        .filter(|(place, sample)| samples[..*place].iter().any(|earlier| is_again(earlier, sample)))
        .count();
    let fact =
        ComparedFact::SameOffsets { first: first.source.clone(), other_count: count - 1, seed: seed.clone() };
    Some(finding(FindingId::OffsetsRepeat, Severity::Note, fact))
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::Evidence;
    use iotrial_model::imported::{ImportedJob, ImportedRecord, Source, StatedLoad};

    use super::*;
    use crate::test_record::measured;

    /// A result of fio with these options, in which `rw` is told.
    fn of_fio(file: &str, pattern: Pattern, options: &[(&str, &str)]) -> Sample {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let load = StatedLoad {
            pattern: Some(pattern),
            options,
            targets: vec!["/dev/sdx".to_owned()],
            ..StatedLoad::default()
        };
        let mut record = ImportedRecord::of_source(Source {
            kind: SourceKind::FioJson,
            tool: "fio".to_owned(),
            version: None,
            file: file.to_owned(),
            place: "jobs[0]".to_owned(),
            sha256: String::new(),
            read_by: String::new(),
        });
        record.label = Some("array".to_owned());
        record.jobs = vec![ImportedJob { name: "reads".to_owned(), load, ..ImportedJob::default() }];
        Sample::of(&Subject::of_imported(&record), file)
    }

    fn of_run(id: &str, label: &str, seed: u64) -> Sample {
        let mut record = measured(10, |_| 1_000);
        record.id = id.to_owned();
        record.label = Some(label.to_owned());
        record.plan.seed = seed;
        Sample::of(&Subject::of_run(&record), id)
    }

    fn severities(samples: &[Sample]) -> Vec<Severity> {
        findings_on_offsets(samples).into_iter().map(|found| found.severity).collect()
    }

    #[test]
    fn results_of_fio_with_and_without_randrepeat_are_told_apart() {
        let random = |file: &str, options: &[(&str, &str)]| {
            of_fio(file, Pattern::Random, &[&[("rw", "randread")], options].concat())
        };
        let (usual, on, off, seeded) = (
            random("usual.json", &[]),
            random("on.json", &[("randrepeat", "1")]),
            random("off.json", &[("randrepeat", "0")]),
            random("seeded.json", &[("randrepeat", "0"), ("randseed", "42")]),
        );
        let seed_of = [
            (&usual, OffsetSeed::RandRepeat),
            (&on, OffsetSeed::RandRepeat),
            (&seeded, OffsetSeed::RandSeed("42".to_owned())),
        ];
        for (repeated, seed) in seed_of {
            let found = findings_on_offsets(&[off.clone(), repeated.clone()]);
            let [found] = found.as_slice() else { panic!("{found:#?}") };
            assert_eq!((found.id, found.severity), (FindingId::OffsetsRepeat, Severity::Warning));
            let (repeating, drawing) = (repeated.source.clone(), "off.json".to_owned());
            let fact = ComparedFact::OffsetsOfOne { repeating, seed, drawing };
            assert_eq!(found.evidence, Evidence::Compared(fact));
        }
        // fio's usual way is to repeat: of two repeats the second finds what the first one read.
        assert_eq!(severities(&[usual.clone(), on.clone()]), [Severity::Note]);
        // Two seeds are two courses.
        assert_eq!(severities(&[usual.clone(), seeded]), []);
        assert_eq!(severities(&[off.clone(), off.clone()]), []);
        // What has no random offsets repeats none, and where no option is listed nobody knows.
        let sequential = of_fio("read.json", Pattern::Sequential, &[("rw", "read")]);
        assert_eq!(severities(&[sequential, off.clone()]), []);
        assert_eq!(severities(&[of_fio("terse.txt", Pattern::Random, &[]), off]), []);
    }

    #[test]
    fn a_seed_that_a_run_drew_for_itself_is_no_repeated_course() {
        let off = of_fio("off.json", Pattern::Random, &[("rw", "randread"), ("randrepeat", "0")]);
        assert_eq!(severities(&[off.clone(), of_run("1", "a", 7)]), []);
        assert_eq!(severities(&[off.clone(), of_run("1", "a", 7), of_run("2", "a", 8)]), []);
        // The same seed twice was given.
        assert_eq!(severities(&[off, of_run("1", "a", 7), of_run("2", "b", 7)]), [Severity::Warning]);
    }

    #[test]
    fn repeats_of_a_run_with_one_seed_are_no_independent_repeats() {
        let again = [of_run("1", "a", 7), of_run("2", "a", 7), of_run("3", "a", 7), of_run("4", "b", 7)];
        let found = findings_on_offsets(&again);
        let [found] = found.as_slice() else { panic!("{found:#?}") };
        assert_eq!(found.severity, Severity::Note);
        let (first, seed) = ("2".to_owned(), OffsetSeed::Given(7));
        let fact = ComparedFact::SameOffsets { first, other_count: 1, seed };
        assert_eq!(found.evidence, Evidence::Compared(fact));
        assert_eq!(severities(&[of_run("1", "a", 7), of_run("2", "a", 8)]), []);
        // Different configurations get the same course on purpose, as a study does it.
        assert_eq!(severities(&[of_run("1", "a", 7), of_run("2", "b", 7)]), []);
    }
}
