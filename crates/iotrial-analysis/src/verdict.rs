//! The verdict: is this storage good enough, and what decided that.
//!
//! The sentence is generated from the predicate that decided, so it cannot claim anything else. A figure is
//! judged only where enough I/Os stand behind it, and a finding that casts doubt on the figures is part of the sentence.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::plan::{EngineDevice, PhaseKind, Plan};
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;
use iotrial_model::words::enumerate;
use serde::Serialize;

pub use crate::judgement::Judged;
use crate::judgement::{self, Gap, Judgement, format_limit};
use crate::threshold::ThresholdSet;
pub use crate::threshold::{Category, Meaning};
use crate::words::seconds_in_words;

mod search;

use search::answered;
pub use search::{LimitAnswer, known_so_far};

/// What the figures mean for a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether everything that is judged is acceptable or better, and the run can carry the statement.
    pub qualified: bool,
    /// The worst category of all that is judged; `None` when nothing could be judged.
    pub category: Option<Category>,
    /// What that category means for a database, where the threshold set says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Meaning>,
    /// One sentence, generated from what decided.
    pub sentence: String,
    /// What speaks for it, the most weighty first.
    pub reasons: Vec<String>,
    /// The threshold set.
    pub thresholds: String,
    /// Every figure that was judged, in the order role, stream, statistic.
    pub judged: Vec<Judged>,
    /// Of a search for the highest rate: its answer, which comes before what the thresholds say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<LimitAnswer>,
}

impl Verdict {
    /// Whether what was asked has the answer yes: a rate that holds the limit where one was sought, else qualified storage.
    pub fn is_yes(&self) -> bool {
        self.latency_limit.as_ref().map_or(self.qualified, |answer| answer.held)
    }
}

/// Judges a result by a set of thresholds, with everything that is odd about it.
pub fn judge(subject: &Subject<'_>, findings: &[Finding], thresholds: &ThresholdSet) -> Verdict {
    let no_device = match subject.engine.map(|engine| engine.facts().device) {
        Some(EngineDevice::None) => Some("the null engine measures the generator and touches no device"),
        Some(EngineDevice::Simulated) => Some("the device was simulated, and none was measured"),
        Some(EngineDevice::Real) | None => None,
    };
    let conditions = conditions(subject, findings);
    let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
    let obstacles: Vec<String> = obstacles(no_device, findings).into_iter().chain(starved).collect();
    let verdict = decide(&load_of(subject), judged, gaps, obstacles, &conditions, findings, thresholds);
    match subject.search {
        Some(search) => answered(search, subject, no_device, findings, &enumerate(&conditions), verdict),
        None => verdict,
    }
}

/// What the load is called.
fn load_of(subject: &Subject<'_>) -> String {
    match (subject.plan, subject.source, subject.jobs.as_slice()) {
        (Some(plan), ..) => plan.profile.clone(),
        (None, Some(source), [only]) => format!("«{}» of {}", only.name, source.tool),
        (None, Some(source), _) => format!("the load of {}", source.tool),
        (None, None, _) => "the load".to_owned(),
    }
}

fn decide(
    profile: &str,
    judged: Vec<Judged>,
    gaps: Vec<Gap>,
    obstacles: Vec<String>,
    conditions: &[String],
    findings: &[Finding],
    thresholds: &ThresholdSet,
) -> Verdict {
    let by_weight = judgement::by_weight(&judged);
    let worst = by_weight.first().copied();
    let meaning = worst.and_then(|worst| thresholds.meaning(worst.category)).cloned();
    let (qualified, sentence) = match (obstacles.first(), worst) {
        (Some(obstacle), _) => (false, format!("Not qualified for {profile}: {obstacle}.")),
        (None, None) if gaps.iter().any(|gap| gap.is_unstated) => (
            false,
            format!("Not judged: for {profile} no latency is stated that {} judges.", thresholds.name),
        ),
        (None, None) => {
            (false, format!("Not judged: {} has no bands for what {profile} does.", thresholds.name))
        }
        (None, Some(worst)) if worst.is_acceptable() => {
            (true, qualified_sentence(profile, &thresholds.name, worst, meaning.as_ref(), conditions, &gaps))
        }
        (None, Some(worst)) => (false, too_slow_sentence(profile, &thresholds.name, worst, conditions)),
    };
    Verdict {
        qualified,
        category: worst.map(|worst| worst.category),
        sentence,
        reasons: reasons(obstacles, by_weight, findings, gaps, thresholds),
        meaning,
        thresholds: thresholds.name.clone(),
        judged,
        latency_limit: None,
    }
}

fn qualified_sentence(
    profile: &str,
    set: &str,
    worst: &Judged,
    meaning: Option<&Meaning>,
    conditions: &[String],
    gaps: &[Gap],
) -> String {
    let mut caveats = conditions.to_vec();
    if !gaps.is_empty() {
        let words: Vec<String> = gaps.iter().map(|gap| gap.words.clone()).collect();
        caveats.push(format!("without judging {}", enumerate(&words)));
    }
    let but = if caveats.is_empty() { String::new() } else { format!(", but {}", enumerate(&caveats)) };
    let Judged { role, stream, statistic, category, .. } = worst;
    let value = &worst.shown;
    // «acceptable» alone would let a heavy load pass by a word that its source means for test environments.
    let suitable = meaning.map(|one| format!(": suitable for {}", one.suitable_for)).unwrap_or_default();
    format!(
        "Qualified for {profile} by {set}{but}: worst is {role} {stream} {statistic} at {value} ({category}{suitable})."
    )
}

fn too_slow_sentence(profile: &str, set: &str, worst: &Judged, conditions: &[String]) -> String {
    let measured =
        if conditions.is_empty() { String::new() } else { format!("; measured {}", enumerate(conditions)) };
    let (streams, value, limit) = (worst.stream_words(), &worst.shown, format_limit(worst.limit_us));
    // A value on the edge is not above it, and falls into the worse band.
    let above = if worst.value_us > worst.limit_us { "above" } else { "no longer below" };
    format!(
        "Not qualified for {profile}: {streams} have a {} of {value}, {above} the acceptable {limit} ({set}){measured}.",
        worst.statistic
    )
}

/// What forbids to call anything qualified: the run did not end, I/Os failed, or no device was measured.
fn obstacles(no_device: Option<&str>, findings: &[Finding]) -> Vec<String> {
    let found = findings.iter().filter(|finding| is_obstacle(finding)).map(|finding| finding.message.clone());
    no_device.map(str::to_owned).into_iter().chain(found).collect()
}

fn is_obstacle(finding: &Finding) -> bool {
    let is_always = matches!(
        finding.id,
        FindingId::Interrupted | FindingId::IoErrors | FindingId::BufferedIo | FindingId::LatencyLimitMissed
    );
    // A load that was to run until it was steady, and was not, has no answer.
    let waited = matches!(&finding.evidence, Evidence::Unsteady(unsteady) if unsteady.waited_s.is_some());
    finding.severity == Severity::Serious || is_always || waited
}

/// Under which doubtful conditions the figures came about, to follow «but» or «measured».
fn conditions(subject: &Subject<'_>, findings: &[Finding]) -> Vec<String> {
    // A burst that ended is why the load was unsteady, and one of the two is enough.
    let is_unsteady = findings.iter().any(|finding| finding.id == FindingId::Unsteady);
    let is_said = |finding: &&Finding| is_unsteady && finding.id == FindingId::ThrottledAfterBurst;
    let doubts = findings.iter().filter(|finding| is_condition(finding)).filter(|finding| !is_said(finding));
    doubts.filter_map(|finding| condition(subject, finding)).collect()
}

/// A doubtful condition in a few words. Every finding that can be a warning without being an obstacle has its words here; the
/// others are named, so that a new one cannot be forgotten.
fn condition(subject: &Subject<'_>, finding: &Finding) -> Option<String> {
    use FindingId as Id;
    let words = match finding.id {
        Id::ShortRun => {
            let measured_s = subject.measured.unwrap_or_default().as_secs_f64();
            return Some(format!("only over {}", seconds_in_words(measured_s)));
        }
        Id::Unsteady => match subject.plan.filter(|plan| plan.until_steady.is_some()) {
            Some(plan) => {
                return Some(format!("without reaching a steady state in {}", waited(subject, plan)));
            }
            None => "without reaching a steady state",
        },
        Id::CacheServed => match &finding.evidence {
            Evidence::CacheByLatency(cache) => {
                let direction = cache.direction;
                return Some(format!("with {direction}s of two latencies, as a cache makes them"));
            }
            Evidence::CacheByDevices { direction, .. } => {
                return Some(format!("with devices that saw only part of the {direction}s"));
            }
            _ => return None,
        },
        Id::ForeignLoad => "with foreign or multiplied I/O at the devices",
        Id::LittlesLaw => "with latencies that contradict the rates",
        Id::ThrottledAfterBurst => "with a burst in it that ended",
        Id::Stalled => "with a stall of a second or more in it",
        Id::NotIssued => "at a rate that was not kept",
        Id::LateIssues => "with I/Os that were issued late",
        Id::ClockJump => "with a clock that jumped",
        Id::GeneratorBusy => "with a generator short of CPU",
        Id::CoarseLatency => "with latencies in coarse steps",
        // What lacks its flushes is not judged, and the gap is told with the other gaps.
        Id::FlushesApart => return None,
        // Obstacles.
        Id::Failed
        | Id::Interrupted
        | Id::IoErrors
        | Id::ShortIo
        | Id::LatencyLimitMissed
        | Id::InMemoryTarget
        | Id::BufferedIo
        // Never more than notes.
        | Id::UnknownCache
        | Id::PolledIo
        | Id::FlatIopsLimit
        | Id::FlatBandwidthLimit
        | Id::AmplifiedIo
        | Id::MergedIo
        | Id::SmallWorkingSet
        | Id::EngineFallback
        | Id::SizeReduced
        | Id::CompletionLatency
        | Id::NoRole
        | Id::ImportWarnings
        // Of sweeps, comparisons and sizing.
        | Id::Ended
        | Id::Burst
        | Id::FallsAgain
        | Id::AboveCeiling
        | Id::RoughFit
        | Id::KneeNotResolved
        | Id::LeftOut
        | Id::Forced
        | Id::NotCompared
        | Id::Caveat
        | Id::OtherTool
        | Id::GeneratorDiffers
        | Id::GivenTwice
        | Id::NoPair
        | Id::MeasuredOnce
        | Id::TooFewIntervals
        | Id::FewRepeats
        | Id::PrintedFigures
        | Id::StatedRepeats
        | Id::RepeatsApart
        | Id::NothingMeetsIt
        | Id::NoCatalog => return None,
    };
    Some(words.to_owned())
}

/// How long a load that was to run until it was steady did so.
fn waited(subject: &Subject<'_>, plan: &Plan) -> String {
    let load: Duration = subject.intervals.counted().iter().map(|interval| interval.duration).sum();
    let others = plan.phases.iter().filter(|phase| phase.kind != PhaseKind::Measure);
    format_duration(load.saturating_sub(others.map(|phase| phase.duration).sum()))
}

fn is_condition(finding: &Finding) -> bool {
    finding.severity == Severity::Warning && !is_obstacle(finding)
}

/// What bears on the verdict: what forbids it, what is too slow, what casts doubt and what is missing. Of what was
/// fast enough only the worst is told, where nothing is worse, and the number of the others.
fn reasons(
    obstacles: Vec<String>,
    by_weight: Vec<&Judged>,
    findings: &[Finding],
    gaps: Vec<Gap>,
    thresholds: &ThresholdSet,
) -> Vec<String> {
    let (fast, slow): (Vec<&Judged>, Vec<&Judged>) =
        by_weight.into_iter().partition(|one| one.is_acceptable());
    let unjudged: Vec<String> = Figure::JUDGED
        .into_iter()
        .filter(|figure| !thresholds.judges_figure(*figure))
        .map(|figure| figure.to_string())
        .collect();
    let unjudged = (!unjudged.is_empty()).then(|| {
        format!("{} has no bands for {} and does not judge by them", thresholds.name, enumerate(&unjudged))
    });
    let judged_count = fast.len() + slow.len();
    let worst = slow.first().or(fast.first()).map(|worst| worst.category);
    let meaning = worst.and_then(|category| Some((category, thresholds.meaning(category)?)));
    let meaning =
        meaning.map(|(category, meaning)| format!("{}: {category} means {meaning}", thresholds.name));
    let told = fast.first().filter(|_| slow.is_empty()).map(|worst| worst.reason());
    let rest = fast.len() - usize::from(told.is_some());
    let rest = (rest > 0).then(|| {
        format!(
            "{rest} of the {judged_count} judged figures are {}",
            match told {
                Some(_) => "no worse than that",
                None => "acceptable or better",
            }
        )
    });
    let mut reasons = obstacles;
    reasons.extend(slow.into_iter().map(Judged::reason));
    reasons.extend(meaning);
    reasons.extend(findings.iter().filter(|finding| is_condition(finding)).map(|one| one.message.clone()));
    reasons.extend(gaps.into_iter().map(|gap| gap.reason));
    reasons.extend(unjudged);
    reasons.extend(told);
    reasons.extend(rest);
    reasons
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::{Durability, Role};
    use iotrial_model::plan::{EngineKind, UntilSteady};
    use iotrial_model::record::{Ended, EndedHow, JobCounts, RunRecord};
    use iotrial_model::stream::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::findings::findings;
    use crate::test_record::{counts, healthy, measured};

    fn judge(record: &RunRecord, thresholds: &ThresholdSet) -> Verdict {
        let subject = Subject::of_run(record);
        super::judge(&subject, &findings(&subject), thresholds)
    }

    fn set(name: &str) -> ThresholdSet {
        ThresholdSet::builtin(name).unwrap()
    }

    fn sentence(record: &RunRecord, name: &str) -> String {
        judge(record, &set(name)).sentence
    }

    /// The healthy run with all commits at `latency`; its rate follows, so that Little's law holds.
    fn with_commits_at(latency: Duration) -> RunRecord {
        let mut record = healthy();
        let io_count = u64::try_from(Duration::from_secs(300).as_nanos() / latency.as_nanos()).unwrap();
        let commits = counts(io_count, latency);
        record.devices[0].write_bytes -= record.jobs[1].write.as_ref().unwrap().bytes;
        record.devices[0].write_bytes += commits.bytes;
        record.jobs[1] = JobCounts { write: Some(commits), ..JobCounts::default() };
        record
    }

    #[test]
    fn a_fast_device_is_qualified_and_the_worst_figure_is_named() {
        let verdict = judge(&healthy(), &set("flash"));
        assert_eq!(
            verdict.sentence,
            "Qualified for mine by flash: worst is data read mean at 0.5 ms (good)."
        );
        assert_eq!((verdict.qualified, verdict.category), (true, Some(Category::Good)));
        let judged: Vec<String> = verdict
            .judged
            .iter()
            .map(|one| format!("{} {} {}", one.role, one.stream, one.statistic))
            .collect();
        assert_eq!(
            judged,
            [
                "data read mean",
                "data read p99",
                "data read p99.9",
                "data write mean",
                "data write p99",
                "data write p99.9",
                "log commit mean",
                "log commit p99",
                "log commit p99.9"
            ]
        );
        assert_eq!(verdict.reasons[0], "data read mean is 0.5 ms: good (acceptable below 2 ms)");
    }

    #[test]
    fn a_slow_tail_is_not_qualified_and_the_figure_that_failed_is_named() {
        let mut record = healthy();
        // The rest is faster in return, so that as many I/Os are in flight as before.
        let mut reads = counts(2_397_000, Duration::from_nanos(422_900));
        reads.total_latency.record_n(Duration::from_micros(62_100), 3_000);
        record.jobs[0].read = Some(reads);
        let verdict = judge(&record, &set("flash"));
        assert_eq!(
            verdict.sentence,
            "Not qualified for mine: data reads have a p99.9 of 62.1 ms, above the acceptable 20 ms (flash)."
        );
        assert_eq!((verdict.qualified, verdict.category), (false, Some(Category::Critical)));
        assert_eq!(verdict.reasons[0], "data read p99.9 is 62.1 ms: critical (acceptable below 20 ms)");
    }

    #[test]
    fn the_bands_decide_at_their_edges() {
        let check = |set: &str, us: u64, category, text: &str| {
            let record = with_commits_at(Duration::from_micros(us));
            let verdict = judge(&record, &super::tests::set(set));
            assert_eq!(verdict.category, Some(category), "{}", verdict.sentence);
            assert_eq!(verdict.sentence, text);
        };
        check(
            "oci-sqlserver",
            999,
            Category::Excellent,
            "Qualified for mine by oci-sqlserver: worst is log commit mean at 0.999 ms (excellent: suitable for high-intensity OLTP).",
        );
        check(
            "oci-sqlserver",
            4_999,
            Category::Acceptable,
            "Qualified for mine by oci-sqlserver: worst is log commit mean at 4.999 ms (acceptable: suitable for light OLTP or test environments).",
        );
        check(
            "oci-sqlserver",
            5_000,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 5 ms, no longer below the acceptable 5 ms (oci-sqlserver).",
        );
        check(
            "oci-sqlserver",
            5_001,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 5.001 ms, above the acceptable 5 ms (oci-sqlserver).",
        );
        check(
            "sqlserver-whitepaper",
            20_000,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 20 ms, above the acceptable 5 ms (sqlserver-whitepaper).",
        );
    }

    #[test]
    fn a_category_is_told_with_what_its_source_means_by_it() {
        let verdict = judge(&with_commits_at(Duration::from_micros(2_500)), &set("oci-sqlserver"));
        let meaning = verdict.meaning.unwrap();
        assert_eq!(meaning.suitable_for, "light OLTP or test environments");
        let text = "oci-sqlserver: acceptable means possible minor delays on intensive queries; suitable for light OLTP or test environments";
        assert_eq!(verdict.reasons[0], text);

        let verdict = judge(&with_commits_at(Duration::from_millis(7)), &set("oci-sqlserver"));
        assert!(!verdict.qualified);
        assert!(verdict.reasons[1].ends_with("suitable for batch jobs or reports that are not critical"));
        assert_eq!(judge(&healthy(), &set("flash")).meaning, None);
    }

    #[test]
    fn a_set_of_averages_says_that_it_judges_no_tail() {
        let verdict = judge(&healthy(), &set("oci-sqlserver"));
        let text = "oci-sqlserver has no bands for p99 and p99.9 and does not judge by them";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);
        assert!(verdict.judged.iter().all(|one| one.statistic == Figure::LatencyMean));
    }

    #[test]
    fn a_short_or_unsteady_run_is_qualified_only_with_the_reserve_in_the_sentence() {
        assert_eq!(
            sentence(&measured(30, |_| 16_000), "flash"),
            "Qualified for mine by flash, but only over 30 s: worst is data read mean at 0.5 ms (good)."
        );
        let slowing = measured(300, |second| if second < 150 { 32_000 } else { 16_000 });
        assert!(sentence(&slowing, "flash").contains(", but without reaching a steady state: "));
        let waited = RunRecord {
            plan: Plan {
                until_steady: Some(UntilSteady { round: Duration::from_secs(60) }),
                ..slowing.plan.clone()
            },
            ..slowing.clone()
        };
        // Who waits for a steady state asks for one.
        let told = sentence(&waited, "flash");
        assert!(
            told.starts_with("Not qualified for mine: the load did not become steady within 5m: "),
            "{told}"
        );
        let both = measured(30, |second| if second < 15 { 32_000 } else { 16_000 });
        assert!(
            sentence(&both, "flash").contains(", but without reaching a steady state and only over 30 s: ")
        );
    }

    #[test]
    fn a_short_run_that_is_too_slow_says_how_long_it_was() {
        assert_eq!(
            sentence(&measured(30, |_| 1_000), "flash"),
            "Not qualified for mine: log commits have a mean of 8 ms, above the acceptable 2 ms (flash); measured only over 30 s."
        );
    }

    #[test]
    fn what_is_no_device_or_no_whole_run_is_never_qualified() {
        let check = |spoil: fn(&mut RunRecord), text: &str| {
            let mut record = healthy();
            spoil(&mut record);
            let verdict = judge(&record, &set("flash"));
            assert!(!verdict.qualified);
            assert_eq!(verdict.sentence, format!("Not qualified for mine: {text}."));
            assert_eq!(verdict.reasons[0], text);
        };
        check(
            |record| record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".into()) },
            "the run was interrupted when 300 s of 300 s were measured: SIGINT",
        );
        check(
            |record| {
                record.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".into()) }
            },
            "the run failed when 300 s of 300 s were measured: the device is gone",
        );
        check(
            |record| record.targets[0].in_memory = true,
            "`/data` lies in memory: the figures are those of memory, not of a device",
        );
        check(
            |record| record.plan.direct = false,
            "the I/O went through the page cache (direct = false): the figures mix memory and device",
        );
        check(
            |record| record.jobs[0].write.as_mut().unwrap().error_count = 1,
            "1 of 5,400,001 I/Os failed, most of them writes of `pages`, the first one with: not recorded",
        );
        check(
            |record| record.plan.engine = EngineKind::Null,
            "the null engine measures the generator and touches no device",
        );
    }

    #[test]
    fn what_the_version_that_wrote_the_record_found_decides_nothing() {
        let mut record = healthy();
        record.findings = vec![iotrial_model::record::RecordedFinding {
            id: "clock-jumped".to_owned(),
            severity: Severity::Serious,
            message: "the clock jumped by 3 s".to_owned(),
            evidence: [].into(),
        }];
        assert_eq!(judge(&record, &set("flash")), judge(&healthy(), &set("flash")));
    }

    #[test]
    fn an_empty_measured_phase_is_not_qualified() {
        assert_eq!(
            sentence(&measured(0, |_| 0), "flash"),
            "Not qualified for mine: nothing was measured: the run ended before the measured phase."
        );
    }

    #[test]
    fn a_simulated_device_is_never_qualified() {
        let mut record = healthy();
        record.plan.engine = EngineKind::Sim;
        assert_eq!(
            sentence(&record, "flash"),
            "Not qualified for mine: the device was simulated, and none was measured."
        );
    }

    #[test]
    fn a_percentile_without_enough_ios_is_left_out_and_that_is_said() {
        let record = with_commits_at(Duration::from_millis(300));
        assert_eq!(record.jobs[1].write.as_ref().unwrap().io_count(), 1_000);
        let verdict = judge(&record, &set("flash"));
        let judged = |statistic| {
            verdict.judged.iter().any(|one| one.stream == Stream::Commit && one.statistic == statistic)
        };
        assert!(judged(Figure::LatencyMean) && judged(Figure::LatencyP99) && !judged(Figure::LatencyP999));
        let text = "p99.9 of log commits is not judged: 1000 I/Os are fewer than 10000";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);

        let mut few = measured(60, |_| 16_000);
        few.jobs[1].write = Some(counts(999, Duration::from_micros(500)));
        assert!(
            sentence(&few, "flash")
                .contains("without judging p99 of log commits and p99.9 of log commits: worst is"),
            "{}",
            sentence(&few, "flash")
        );
    }

    #[test]
    fn a_stream_that_hardly_moved_is_not_qualified() {
        let mut record = healthy();
        record.jobs[1].write = Some(counts(99, Duration::from_micros(500)));
        assert_eq!(
            sentence(&record, "flash"),
            "Not qualified for mine: only 99 log commits finished, too few to judge."
        );
        record.jobs[1].write = None;
        assert_eq!(
            sentence(&record, "flash"),
            "Not qualified for mine: only 0 log commits finished, too few to judge."
        );
    }

    #[test]
    fn a_role_without_bands_is_left_out_and_that_is_said() {
        let mut record = healthy();
        record.plan.jobs[0].role = Role::Scan;
        let verdict = judge(&record, &set("oci-sqlserver"));
        assert!(verdict.sentence.contains(", but without judging scan: worst is"), "{}", verdict.sentence);
        let text = "scan is not judged: oci-sqlserver has no bands for it";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);

        record.plan.jobs[1].role = Role::Backup;
        let verdict = judge(&record, &set("oci-sqlserver"));
        assert_eq!(verdict.sentence, "Not judged: oci-sqlserver has no bands for what mine does.");
        assert_eq!((verdict.qualified, verdict.category), (false, None));
    }

    #[test]
    fn a_stream_without_bands_is_left_out_and_that_is_said() {
        let own = ThresholdSet::parse(
            "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\", \"log\"]\nstreams = [\"read\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }\n",
        )
        .unwrap();
        assert_eq!(
            judge(&healthy(), &own).sentence,
            "Qualified for mine by own, but without judging data writes and log commits: worst is data read mean at 0.5 ms (acceptable)."
        );
    }

    #[test]
    fn writes_that_are_no_commits_are_judged_as_writes() {
        let mut record = healthy();
        record.plan.jobs[1].durability = Durability::None;
        let verdict = judge(&record, &set("flash"));
        let of_log: Vec<Stream> =
            verdict.judged.iter().filter(|one| one.role == Role::Log).map(|one| one.stream).collect();
        assert_eq!(of_log, [Stream::Write; 3]);
    }

    /// What can be wrong with a run, independently of each other.
    #[derive(Debug)]
    struct Circumstances {
        seconds: u64,
        iops: u64,
        slowdown: u64,
        interrupted: bool,
        error_count: u64,
        direct: bool,
        in_memory: bool,
        engine: EngineKind,
        set: &'static str,
    }

    fn circumstances() -> impl Strategy<Value = Circumstances> {
        let engine = prop_oneof![
            8 => Just(EngineKind::Uring), 2 => Just(EngineKind::Sim), 1 => Just(EngineKind::Null)
        ];
        let sets = prop_oneof![Just("flash"), Just("oci-sqlserver"), Just("sqlserver-whitepaper")];
        let flags = (
            prop::bool::weighted(0.1),
            prop_oneof![9 => Just(0u64), 1 => 1u64..50],
            prop::bool::weighted(0.9),
            prop::bool::weighted(0.1),
        );
        (0u64..120, 50u64..60_000, 1u64..4, flags, engine, sets).prop_map(
            |(seconds, iops, slowdown, (interrupted, error_count, direct, in_memory), engine, set)| {
                Circumstances {
                    seconds,
                    iops,
                    slowdown,
                    interrupted,
                    error_count,
                    direct,
                    in_memory,
                    engine,
                    set,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn the_sentence_claims_what_the_facts_allow_and_no_more(asked in circumstances()) {
            let mut record = measured(asked.seconds, |second| {
                if second * 2 < asked.seconds { asked.iops } else { asked.iops / asked.slowdown }
            });
            if asked.interrupted {
                record.ended.how = EndedHow::Interrupted;
            }
            if let Some(write) = record.jobs[0].write.as_mut() {
                write.error_count = asked.error_count;
            }
            record.plan.direct = asked.direct;
            record.plan.engine = asked.engine;
            record.targets[0].in_memory = asked.in_memory;
            let verdict = judge(&record, &set(asked.set));
            let said = verdict.sentence.as_str();

            let errors = record.jobs.iter().filter_map(|job| job.write.as_ref()).any(|one| one.error_count > 0);
            let buffered = !asked.direct && asked.engine == EngineKind::Uring;
            let no_device = asked.in_memory || buffered || asked.engine != EngineKind::Uring;
            let worst = verdict.judged.iter().map(|one| one.category).max();
            prop_assert_eq!(worst, verdict.category);

            prop_assert_eq!(verdict.qualified, said.starts_with("Qualified for mine by "), "{}", said);
            prop_assert_eq!(!verdict.qualified, said.starts_with("Not qualified for mine: "), "{}", said);
            if verdict.qualified {
                prop_assert!(!asked.interrupted && !errors && !no_device, "{}", said);
                prop_assert!(worst.unwrap() <= Category::Acceptable, "{}", said);
                let suitable = verdict.meaning.as_ref().map(|one| format!(": suitable for {}", one.suitable_for));
                let end = format!("({}{}).", worst.unwrap(), suitable.unwrap_or_default());
                prop_assert!(said.ends_with(&end), "{}", said);
            } else {
                let too_slow = worst.is_none_or(|worst| worst > Category::Acceptable);
                let starved = said.contains("too few to judge");
                prop_assert!(asked.interrupted || errors || no_device || too_slow || starved, "{}", said);
            }
            if verdict.qualified || said.contains(" the acceptable ") {
                prop_assert_eq!(said.contains("only over"), asked.seconds < 60, "{}", said);
                let unsteady = crate::steady_state::SteadyState::of(&Subject::of_run(&record)).is_some_and(|one| !one.held);
                prop_assert_eq!(said.contains("without reaching a steady state"), unsteady, "{}", said);
            }
            for finding in findings(&Subject::of_run(&record)).iter().filter(|one| one.severity >= Severity::Warning) {
                prop_assert!(verdict.reasons.contains(&finding.message), "{}: {:?}", finding.id, verdict.reasons);
            }
        }
    }
}
