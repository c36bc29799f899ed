//! What the reader should know about samples that are compared: judged by other documents, measured by other tools, or at the same offsets.
//!
//! fio seeds its generators alike in every run unless `randrepeat=0` is set, and iotrial does so where `--seed` is given. On its own that is no
//! fault, and where all runs do it nothing favours one of them. It is told where runs that are held against each other differ in it, and where
//! what should be independent repeats are the same course of offsets again.

use iotrial_model::finding::{ComparedFact, ConditionKind, Finding, FindingId, Severity, UnlikeContent};
use iotrial_model::metric::Metric;
use iotrial_model::stream::Stream;

use super::conditions::APART;
use super::configuration::is_same_configuration;
use super::offsets::Offsets;
use super::sample::{NamedContent, Sample};

/// Threshold sets, and then profiles, that are not the same: of each the first two samples of which that is so.
pub(super) fn findings_on_contents(samples: &[Sample]) -> Vec<Finding> {
    let set = |sample: &Sample| {
        let outcome = sample.outcome.as_ref()?;
        Some(NamedContent { name: outcome.thresholds.clone(), sha256: outcome.thresholds_sha256.clone() })
    };
    let sets = unlike(samples, set).map(|both| (Severity::Warning, ComparedFact::ThresholdSets(both)));
    let profiles = unlike(samples, |sample| sample.profile.clone());
    let profiles = profiles.map(|both| (Severity::Note, ComparedFact::Profiles(both)));
    let all = sets.into_iter().chain(profiles);
    all.map(|(severity, fact)| Finding::of_comparison(FindingId::OtherContent, severity, fact)).collect()
}

/// The first two samples that have other content, each with what it is called there.
fn unlike(samples: &[Sample], content: impl Fn(&Sample) -> Option<NamedContent>) -> Option<UnlikeContent> {
    let mut all = samples.iter().filter_map(|sample| Some((sample, content(sample)?)));
    let (first, one) = all.next()?;
    let (other, another) = all.find(|(_, another)| another.sha256 != one.sha256)?;
    Some(UnlikeContent {
        first: one.name,
        first_source: first.source.clone(),
        other: another.name,
        other_source: other.source.clone(),
    })
}

/// Takes the latencies of writes from the samples that lack the flushes in them, where others have them, and tells of which.
pub(super) fn without_unlike_writes(samples: &mut [Sample], findings: &mut Vec<Finding>) {
    let is_apart = |sample: &Sample| sample.generator.word(ConditionKind::Flushes) == Some(APART);
    let is_latency_of = |metric: &Metric, is_it: fn(Stream) -> bool| {
        metric.key.figure().is_some_and(|(of, figure)| is_it(of.stream) && figure.is_latency())
    };
    // What waits is the flush, which is compared as a commit; before it the write is in memory, however slow the storage is.
    for sample in samples.iter_mut().filter(|sample| is_apart(sample)) {
        sample.leave_out(|metric| is_latency_of(metric, |stream| stream == Stream::Write));
    }
    let is_unlike = samples
        .iter()
        .any(|sample| sample.generator.word(ConditionKind::Flushes).is_some() && !is_apart(sample));
    if !is_unlike {
        return;
    }
    let mut names = Vec::new();
    for sample in samples.iter_mut().filter(|sample| is_apart(sample)) {
        sample.leave_out(|metric| is_latency_of(metric, |stream| stream != Stream::Read));
        names.push(sample.source.clone());
    }
    if let Some((first, others)) = names.split_first() {
        let fact = ComparedFact::WritesLeftOut { first: first.clone(), other_count: others.len() };
        findings.push(Finding::of_comparison(FindingId::FlushesApart, Severity::Warning, fact));
    }
}

/// Where tools differ, and where the generator of one worked in different ways: of each the first two samples of which that is so.
pub(super) fn findings_on_generators(samples: &[Sample]) -> Vec<Finding> {
    let tool = |sample: &Sample| sample.generator.word(ConditionKind::Tool).map(str::to_owned);
    let mut findings = Vec::new();
    let mut known = samples.iter().filter(|sample| tool(sample).is_some());
    let first = known.next();
    let another = first.and_then(|first| known.find(|other| tool(other) != tool(first)));
    if let (Some(first), Some(other)) = (first, another) {
        let fact = ComparedFact::OtherTool {
            first: first.source.clone(),
            first_tool: tool(first).unwrap_or_default(),
            other: other.source.clone(),
            other_tool: tool(other).unwrap_or_default(),
        };
        findings.push(Finding::of_comparison(FindingId::OtherTool, Severity::Warning, fact));
    }
    let differing = samples.iter().find_map(|other| {
        let first = samples.iter().find(|first| tool(first) == tool(other))?;
        let differences = first.generator.differences(&other.generator);
        (!differences.is_empty()).then_some((first, other, differences))
    });
    if let Some((first, other, differences)) = differing {
        let (first, other) = (first.source.clone(), other.source.clone());
        let fact = ComparedFact::GeneratorDiffers { first, other, differences };
        findings.push(Finding::of_comparison(FindingId::GeneratorDiffers, Severity::Note, fact));
    }
    findings
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
    Some(Finding::of_comparison(FindingId::OffsetsRepeat, Severity::Warning, fact))
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
    Some(Finding::of_comparison(FindingId::OffsetsRepeat, Severity::Note, fact))
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::{Evidence, OffsetSeed};
    use iotrial_model::imported::{ImportedJob, ImportedRecord, Source, SourceKind, StatedLoad};
    use iotrial_model::load::Pattern;
    use iotrial_model::subject::Subject;

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
