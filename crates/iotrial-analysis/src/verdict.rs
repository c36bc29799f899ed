//! The verdict: is this storage good enough, is it not, or can that not be said; and what decided.
//!
//! The sentence is generated from what decided, so it cannot claim anything else. A figure is judged only where enough I/Os
//! stand behind it. A finding that says that the figures may not be the device's leaves the question open, whichever way the figures
//! fell: a green answer on a cache is as wrong as a red one beside a noisy neighbour.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::finding::Finding;
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;
use iotrial_model::words::enumerate;
use serde::{Deserialize, Serialize};

pub use crate::judgement::Judged;
use crate::judgement::{self, Gap, Judgement, format_limit};
use crate::threshold::ThresholdSet;
pub use crate::threshold::{Category, Meaning};

mod bearing;
mod ending;
mod held;
mod search;
mod steps;

use bearing::{Bearing, Doubt};
use ending::too_slow_in_the_end;
pub(crate) use held::Held;
use search::answered;
pub use search::{
    Capacity, failed_above, is_saturation_of_mix, known_so_far, rate_in_words, was_tried_above,
};
pub use steps::StepResult;

/// The answer to whether storage is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything that is judged is acceptable or better, and the figures are the device's.
    Qualified,
    /// The figures may not be the device's, or too little was measured: neither answer would be founded.
    Inconclusive,
    /// Something is too slow or fails, and nothing casts doubt on that.
    NotQualified,
}

impl Outcome {
    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Qualified => "qualified",
            Self::Inconclusive => "inconclusive",
            Self::NotQualified => "not qualified",
        }
    }

    /// The word in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Qualified => "qualified",
            Self::Inconclusive => "inconclusive",
            Self::NotQualified => "not-qualified",
        }
    }

    /// Yes, no or neither.
    pub const fn is_yes(self) -> Option<bool> {
        match self {
            Self::Qualified => Some(true),
            Self::Inconclusive => None,
            Self::NotQualified => Some(false),
        }
    }
}

/// What the figures mean for a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Yes, no, or that it cannot be said.
    pub outcome: Outcome,
    /// The worst category of all that is judged; `None` when nothing could be judged.
    pub category: Option<Category>,
    /// What that category means for a database, where the threshold set says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Meaning>,
    /// One sentence, generated from what decided.
    pub sentence: String,
    /// What to change so that the next measurement has an answer; only where this one is inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// What speaks for it, the most weighty first.
    pub reasons: Vec<String>,
    /// The threshold set.
    pub thresholds: String,
    /// The digest of what it says.
    pub thresholds_sha256: String,
    /// The step that decided, counted from 1; absent where the load does not change. What was judged is then that of this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Every figure that was judged, in the order role, stream, statistic.
    pub judged: Vec<Judged>,
    /// The answer in a few words, where a rate was asked for and not only whether the storage is good enough.
    #[serde(skip)]
    pub headline: Option<String>,
}

/// What to change so that the next measurement has an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Advice {
    words: String,
    /// Whether there is something to change besides the length of the run.
    #[serde(skip)]
    is_change: bool,
    /// How long the next run should be measured; `None` where its length is not what is wrong.
    #[serde(skip)]
    pub duration: Option<Duration>,
}

impl Advice {
    /// An imperative, as a sentence.
    pub fn of(words: &str) -> Self {
        Self { words: words.to_owned(), is_change: true, duration: None }
    }

    /// The same run, longer.
    fn longer(duration: Duration) -> Self {
        let words = format!("Measure longer: --duration {}.", format_duration(duration));
        Self { words, is_change: false, duration: Some(duration) }
    }

    /// Whether the same run will not do, however long it is.
    pub fn is_to_change_something(&self) -> bool {
        self.is_change
    }

    /// The sentence.
    pub fn as_str(&self) -> &str {
        &self.words
    }
}

/// Judges a result by a set of thresholds, with everything that is odd about it.
pub fn judge(subject: &Subject<'_>, findings: &[Finding], thresholds: &ThresholdSet) -> Verdict {
    if !subject.steps.is_empty() {
        return steps::judge(subject, findings, thresholds);
    }
    let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
    let mut bearing = Bearing::of(subject, findings, &gaps, starved);
    // What is too slow for sure is so whatever the bounds leave open.
    if judged.iter().all(Judged::is_acceptable) {
        bearing.add_undecided(&gaps);
    }
    bearing.doubts.extend(too_slow_in_the_end(subject, findings, &judged, thresholds));
    let verdict = decide(&load_of(subject), judged, &gaps, &bearing, thresholds);
    match subject.search {
        Some(search) => answered(search, subject, findings, &bearing, verdict),
        None => verdict,
    }
}

/// What the load is called.
fn load_of(subject: &Subject<'_>) -> String {
    match (&subject.profile_name, subject.source, subject.jobs.as_slice()) {
        (Some(profile), ..) => profile.to_string(),
        (None, Some(source), [only]) => format!("the load “{}” of {}", only.name, source.tool),
        (None, Some(source), _) => format!("the load of {}", source.tool),
        (None, None, _) => "the load".to_owned(),
    }
}

fn decide(
    profile: &str,
    judged: Vec<Judged>,
    gaps: &[Gap],
    bearing: &Bearing,
    thresholds: &ThresholdSet,
) -> Verdict {
    let set = &thresholds.name;
    let by_weight = judgement::by_weight(&judged);
    let worst = by_weight.first().copied();
    let meaning = worst.and_then(|worst| thresholds.meaning(worst.category)).cloned();
    let against = bearing.against.first().map(|against| &against.words);
    let (outcome, sentence) = match (against, bearing.doubts.as_slice(), worst) {
        // What fails is the device's doing, whatever else went on beside it.
        (Some(against), ..) => (Outcome::NotQualified, format!("Not qualified for {profile}: {against}.")),
        (None, [], None) if gaps.iter().any(|gap| gap.is_unstated) => (
            Outcome::Inconclusive,
            format!("Not judged: the source states no latency of {profile} that {set} judges."),
        ),
        (None, [], None) if gaps.iter().any(|gap| gap.is_mixed) => (
            Outcome::Inconclusive,
            format!(
                "Not judged: the figures of {profile} combine several roles, for which {set} has different limits."
            ),
        ),
        (None, [], None) => {
            (Outcome::Inconclusive, format!("Not judged: {set} has no limits for the I/O of {profile}."))
        }
        (None, [], Some(worst)) if worst.is_acceptable() => (
            Outcome::Qualified,
            qualified_sentence(profile, set, worst, meaning.as_ref(), &bearing.caveats, gaps),
        ),
        (None, [], Some(worst)) => {
            (Outcome::NotQualified, too_slow_sentence(profile, set, worst, &bearing.caveats))
        }
        (None, doubts, worst) => (Outcome::Inconclusive, open_sentence(profile, set, worst, doubts)),
    };
    Verdict {
        outcome,
        category: worst.map(|worst| worst.category),
        sentence,
        advice: (outcome == Outcome::Inconclusive).then(|| bearing.advice()).flatten(),
        reasons: reasons(bearing, by_weight, gaps, thresholds),
        meaning,
        thresholds: set.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: None,
        judged,
        headline: None,
    }
}

fn qualified_sentence(
    profile: &str,
    set: &str,
    worst: &Judged,
    meaning: Option<&Meaning>,
    caveats: &[String],
    gaps: &[Gap],
) -> String {
    let mut caveats = caveats.to_vec();
    if !gaps.is_empty() {
        let words: Vec<String> = gaps.iter().map(|gap| gap.words.clone()).collect();
        caveats.push(format!("without judging {}", enumerate(&words)));
    }
    let but =
        if caveats.is_empty() { String::new() } else { format!(", but measured {}", enumerate(&caveats)) };
    let Judged { stream, statistic, shown: value, .. } = worst;
    let (role, category) = (worst.role_words(), worst.category_words());
    // «acceptable» alone would let a heavy load pass by a word that its source means for test environments.
    let suitable = meaning.map(|one| format!(": suitable for {}", one.suitable_for)).unwrap_or_default();
    format!(
        "Qualified for {profile} by `{set}`{but}: the worst figure is {role} {stream} {statistic} at {value} ({category}{suitable})."
    )
}

fn too_slow_sentence(profile: &str, set: &str, worst: &Judged, caveats: &[String]) -> String {
    let measured =
        if caveats.is_empty() { String::new() } else { format!("; measured {}", enumerate(caveats)) };
    format!("Not qualified for {profile}: {} (`{set}`){measured}.", too_slow_clause(worst))
}

/// `data reads have a p99 of 3 ms, above the acceptable 2 ms`.
fn too_slow_clause(worst: &Judged) -> String {
    let (streams, value, limit) = (worst.stream_words(), &worst.shown, format_limit(worst.limit_us));
    // A value on the edge is not above it, and falls into the worse band.
    let above = if worst.value_us > worst.limit_us { "above" } else { "no longer below" };
    format!("{streams} have a {} of {value}, {above} the acceptable {limit}", worst.statistic)
}

/// Why there is no answer, and only then what the figures would say.
fn open_sentence(profile: &str, set: &str, worst: Option<&Judged>, doubts: &[Doubt]) -> String {
    let words: Vec<String> = doubts.iter().map(|doubt| doubt.words.clone()).collect();
    let figures = worst.map_or_else(String::new, |worst| {
        let Judged { stream, statistic, shown, .. } = worst;
        let (role, category) = (worst.role_words(), worst.category_words());
        format!(
            " The worst figure, {role} {stream} {statistic} at {shown}, would be rated {category} by `{set}`."
        )
    });
    format!("Inconclusive for {profile}: {}.{figures}", joined(&words))
}

/// Clauses one after the other; one that has a comma of its own would run into the next one.
fn joined(clauses: &[String]) -> String {
    if clauses.len() > 1 && clauses.iter().any(|clause| clause.contains(',')) {
        return clauses.join("; ");
    }
    enumerate(clauses)
}

/// What bears on the verdict: what forbids it, what leaves it open, what is too slow, what is to be kept in mind and what is
/// missing. Of what was fast enough only the worst is told, where nothing is worse, and the number of the others.
fn reasons(
    bearing: &Bearing,
    by_weight: Vec<&Judged>,
    gaps: &[Gap],
    thresholds: &ThresholdSet,
) -> Vec<String> {
    let worst = by_weight.first().map(|worst| worst.category);
    let meaning = worst.and_then(|category| Some((category, thresholds.meaning(category)?)));
    let meaning =
        meaning.map(|(category, meaning)| format!("{}: {category} means {meaning}", thresholds.name));
    let (fast, slow): (Vec<&Judged>, Vec<&Judged>) =
        by_weight.into_iter().partition(|one| one.is_acceptable());
    let unjudged: Vec<String> = Figure::JUDGED
        .into_iter()
        .filter(|figure| !thresholds.judges_figure(*figure))
        .map(|figure| figure.to_string())
        .collect();
    let unjudged = (!unjudged.is_empty()).then(|| {
        let is_one = unjudged.len() == 1;
        let (unjudged, are) = (enumerate(&unjudged), if is_one { "it is" } else { "they are" });
        format!("`{}` has no limits for {unjudged}, so {are} not judged", thresholds.name)
    });
    let judged_count = fast.len() + slow.len();
    let told = fast.first().filter(|_| slow.is_empty()).map(|worst| worst.reason());
    let rest = fast.len() - usize::from(told.is_some());
    let rest = (rest > 0).then(|| {
        let others = if told.is_some() { "the other " } else { "" };
        let are = if rest == 1 { "is" } else { "are" };
        format!(
            "{others}{rest} of {judged_count} figures judged by `{}` {are} {}",
            thresholds.name,
            match told {
                Some(_) => "at least as good",
                None => "acceptable or better",
            }
        )
    });
    let mut reasons: Vec<String> = bearing.against.iter().map(|against| against.words.clone()).collect();
    reasons.extend(bearing.doubts.iter().map(|doubt| doubt.reason.clone()));
    reasons.extend(slow.into_iter().map(Judged::reason));
    reasons.extend(meaning);
    reasons.extend(bearing.caveat_reasons.iter().cloned());
    reasons.extend(gaps.iter().map(|gap| gap.reason.clone()));
    reasons.extend(unjudged);
    reasons.extend(told);
    reasons.extend(rest);
    // A gap that leaves the answer open is told as the doubt that it is.
    let mut told = std::collections::HashSet::new();
    reasons.retain(|reason| told.insert(reason.clone()));
    reasons
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::Severity;
    use iotrial_model::load::{Durability, Role, Spacing};
    use iotrial_model::plan::{Arrival, EngineKind, Plan, UntilSteady};
    use iotrial_model::record::{Ended, EndedHow, JobCounts, RunRecord};
    use iotrial_model::stream::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::findings::findings;
    use crate::test_record::{apart, counts, healthy, measured};

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
            "Qualified for mine by `flash`: the worst figure is data read mean at 0.5 ms (good)."
        );
        assert_eq!((verdict.outcome, verdict.category), (Outcome::Qualified, Some(Category::Good)));
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
        assert_eq!(verdict.reasons[0], "data read mean is 0.5 ms: good (limit 2 ms)");
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
            "Not qualified for mine: data reads have a p99.9 of 62.1 ms, above the acceptable 20 ms (`flash`)."
        );
        assert_eq!((verdict.outcome, verdict.category), (Outcome::NotQualified, Some(Category::Critical)));
        assert_eq!(verdict.reasons[0], "data read p99.9 is 62.1 ms: critical (limit 20 ms)");
        // Where the role has devices of its own, they are told.
        apart(&mut record);
        let verdict = judge(&record, &set("flash"));
        assert!(
            verdict.sentence.contains("data reads on sdb have a p99.9 of 62.1 ms"),
            "{}",
            verdict.sentence
        );
        assert_eq!(verdict.reasons[0], "data read p99.9 on sdb is 62.1 ms: critical (limit 20 ms)");
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
            "Qualified for mine by `oci-sqlserver`: the worst figure is log commit mean at 0.999 ms (excellent: suitable for high-intensity OLTP).",
        );
        check(
            "oci-sqlserver",
            4_999,
            Category::Acceptable,
            "Qualified for mine by `oci-sqlserver`: the worst figure is log commit mean at 4.999 ms (acceptable: suitable for light OLTP or test environments).",
        );
        check(
            "oci-sqlserver",
            5_000,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 5 ms, no longer below the acceptable 5 ms (`oci-sqlserver`).",
        );
        check(
            "oci-sqlserver",
            5_001,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 5.001 ms, above the acceptable 5 ms (`oci-sqlserver`).",
        );
        check(
            "sqlserver-whitepaper",
            20_000,
            Category::Poor,
            "Not qualified for mine: log commits have a mean of 20 ms, above the acceptable 5 ms (`sqlserver-whitepaper`).",
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
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert!(verdict.reasons[1].ends_with("suitable for batch jobs or reports that are not critical"));
        assert_eq!(judge(&healthy(), &set("flash")).meaning, None);
    }

    #[test]
    fn a_set_of_averages_says_that_it_judges_no_tail() {
        let verdict = judge(&healthy(), &set("oci-sqlserver"));
        let text = "`oci-sqlserver` has no limits for p99 and p99.9, so they are not judged";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);
        assert!(verdict.judged.iter().all(|one| one.statistic == Figure::LatencyMean));
    }

    #[test]
    fn a_short_or_unsteady_run_is_qualified_only_with_the_reserve_in_the_sentence() {
        assert_eq!(
            sentence(&measured(30, |_| 16_000), "flash"),
            "Qualified for mine by `flash`, but measured for only 30 s: the worst figure is data read mean at 0.5 ms (good)."
        );
        let growing = measured(300, |second| 16_000 + 80 * second);
        assert!(
            sentence(&growing, "flash")
                .starts_with("Qualified for mine by `flash`, but measured without reaching a steady state: "),
            "{}",
            sentence(&growing, "flash")
        );
    }

    #[test]
    fn what_was_waited_for_and_did_not_come_leaves_the_question_open() {
        let slowing = measured(300, |second| if second < 150 { 32_000 } else { 16_000 });
        let waited = RunRecord {
            plan: Plan {
                until_steady: Some(UntilSteady { round: Duration::from_secs(60) }),
                ..slowing.plan.clone()
            },
            ..slowing.clone()
        };
        let verdict = judge(&waited, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert!(
            verdict.sentence.starts_with("Inconclusive for mine: the load did not become steady within 5m: "),
            "{}",
            verdict.sentence
        );
        assert!(verdict.advice.unwrap().as_str().contains("--until-steady"));
    }

    #[test]
    fn less_than_ten_seconds_are_no_answer_whichever_way_they_fell() {
        for iops in [16_000, 1_000] {
            let verdict = judge(&measured(9, |_| iops), &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert!(
                verdict.sentence.starts_with("Inconclusive for mine: only 9 s were measured"),
                "{}",
                verdict.sentence
            );
            assert_eq!(verdict.advice.as_ref().map(Advice::as_str), Some("Measure longer: --duration 1m."));
            assert_ne!(judge(&measured(10, |_| iops), &set("flash")).outcome, Outcome::Inconclusive);
        }
    }

    #[test]
    fn the_next_run_is_long_enough_whatever_else_is_to_be_changed_first() {
        // Too short to answer, and short enough to be a caveat.
        for seconds in [9, 30] {
            let mut record = measured(seconds, |_| 16_000);
            record.plan.engine = EngineKind::Sim;
            let advice = judge(&record, &set("flash")).advice.unwrap();
            assert!(advice.as_str().starts_with("Leave out --engine"), "{advice:?}");
            assert_eq!(advice.duration, Some(Duration::from_secs(60)), "{seconds}");
        }
    }

    #[test]
    fn foreign_load_leaves_a_good_figure_and_a_bad_one_open() {
        for iops in [16_000, 1_000] {
            let mut record = measured(60, |_| iops);
            record.devices[0].write_bytes += 10 * record.devices[0].write_bytes;
            let verdict = judge(&record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive, "{}", verdict.sentence);
            assert!(verdict.sentence.contains("something else used them"), "{}", verdict.sentence);
            assert!(verdict.advice.unwrap().as_str().starts_with("Stop other work on these devices"));
        }
    }

    #[test]
    fn bytes_that_never_reached_the_device_are_no_figures_of_it() {
        let mut record = healthy();
        (record.devices[0].read_bytes, record.devices[0].read_count) = (0, 0);
        let verdict = judge(&record, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive, "{}", verdict.sentence);
        assert!(
            verdict.sentence.contains("a cache served I/Os that the devices never saw"),
            "{}",
            verdict.sentence
        );
    }

    #[test]
    fn a_load_that_is_good_as_a_whole_but_too_slow_in_the_end_is_not_called_good() {
        let fifth = |second: u64| usize::try_from(second / 60).unwrap();
        let fifths = |rates: [u64; 5]| measured(300, |second| rates[fifth(second)]);
        // From 0.4 ms to 4 ms, and 0.82 ms in the mean of all.
        let collapsed = judge(&fifths([20_000, 18_000, 6_000, 3_000, 2_000]), &set("flash"));
        assert_eq!(
            (collapsed.outcome, collapsed.category),
            (Outcome::Inconclusive, Some(Category::Acceptable))
        );
        let words = "the load was not steady, and in its last 60 s alone";
        assert!(collapsed.sentence.contains(words), "{}", collapsed.sentence);
        assert!(collapsed.advice.unwrap().as_str().contains("--until-steady"));
        // Slow at first is as unsteady, and what a database would meet is fast.
        let recovered = judge(&fifths([2_000, 3_000, 6_000, 18_000, 20_000]), &set("flash"));
        assert_eq!(recovered.outcome, Outcome::Qualified, "{}", recovered.sentence);
        // One that varies as much as that, but is fast enough in the end as well.
        let varied = judge(&fifths([20_000, 14_000, 20_000, 14_000, 15_000]), &set("flash"));
        assert_eq!(varied.outcome, Outcome::Qualified, "{}", varied.sentence);
    }

    #[test]
    fn a_short_run_that_is_too_slow_says_how_long_it_was() {
        assert_eq!(
            sentence(&measured(30, |_| 1_000), "flash"),
            "Not qualified for mine: log commits have a mean of 8 ms, above the acceptable 2 ms (`flash`); measured for only 30 s."
        );
    }

    #[test]
    fn what_is_no_device_or_no_whole_run_leaves_the_question_open() {
        let check = |spoil: fn(&mut RunRecord), words: &str, reason: &str| {
            let mut record = healthy();
            spoil(&mut record);
            let verdict = judge(&record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert_eq!(
                verdict.sentence,
                format!(
                    "Inconclusive for mine: {words}. The worst figure, data read mean at 0.5 ms, would be rated good by `flash`."
                )
            );
            assert_eq!(verdict.reasons[0], reason);
            assert!(verdict.advice.is_some());
        };
        check(
            |record| record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".into()) },
            "the run was interrupted",
            "the run was interrupted when 300 s of 300 s were measured: SIGINT",
        );
        check(
            |record| record.targets[0].in_memory = true,
            "the target is in memory, so the figures are those of memory",
            "`/data` is in memory: the figures are those of memory, not of a device",
        );
        check(
            |record| record.plan.direct = false,
            "the I/O went through the page cache, so the figures mix memory and device",
            "the I/O went through the page cache (direct = false): the figures mix memory and device",
        );
        check(
            |record| record.plan.engine = EngineKind::Null,
            "the null engine measures only the generator and uses no device",
            "the null engine measures only the generator and uses no device",
        );
        check(
            |record| record.plan.engine = EngineKind::Sim,
            "the device was simulated",
            "the device was simulated, so no storage was measured",
        );
    }

    /// An open load of which a tenth was never issued.
    fn not_kept() -> RunRecord {
        let mut record = healthy();
        let arrival = Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
        record.plan.jobs[0].arrival = arrival;
        record.intervals.last_mut().unwrap().backlog = vec![480_000, 0];
        record
    }

    #[test]
    fn a_rate_that_was_not_kept_is_the_storages_fault_only_where_nothing_else_may_be_it() {
        let verdict = judge(&not_kept(), &set("flash"));
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert!(verdict.sentence.contains("were never issued"), "{}", verdict.sentence);
        let mut busy = not_kept();
        busy.cpu.as_mut().unwrap().busiest_thread_s = Some(299.0);
        let verdict = judge(&busy, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive, "{}", verdict.sentence);
        assert!(verdict.reasons.iter().any(|reason| reason.contains("were never issued")));
        let mut simulated = not_kept();
        simulated.plan.engine = EngineKind::Sim;
        assert_eq!(judge(&simulated, &set("flash")).outcome, Outcome::Inconclusive);
    }

    #[test]
    fn what_failed_is_not_qualified_even_beside_foreign_load() {
        let check = |spoil: fn(&mut RunRecord), text: &str| {
            let mut record = healthy();
            spoil(&mut record);
            record.devices[0].write_bytes *= 11;
            let verdict = judge(&record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::NotQualified);
            assert_eq!(verdict.sentence, format!("Not qualified for mine: {text}."));
            assert_eq!(verdict.reasons[0], text);
        };
        check(
            |record| {
                record.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".into()) }
            },
            "the run failed when 300 s of 300 s were measured: the device is gone",
        );
        check(
            |record| record.jobs[0].write.as_mut().unwrap().error_count = 1,
            "1 of 5,400,001 I/Os failed, most of them writes of `pages`; the first error: not recorded",
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
    fn an_empty_measured_phase_is_no_answer() {
        let verdict = judge(&measured(0, |_| 0), &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert!(
            verdict.sentence.starts_with(
                "Inconclusive for mine: nothing was measured: the run ended before the measured phase"
            ),
            "{}",
            verdict.sentence
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
        let text = "p99.9 of log commits is not judged: 1,000 I/Os are too few (10,000 needed)";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);

        let mut few = measured(60, |_| 16_000);
        // One at a time, so that rate and latency agree; what the device counted is that of more commits.
        few.jobs[1].write = Some(counts(999, Duration::from_micros(60_060)));
        few.devices.clear();
        let verdict = judge(&few, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert!(verdict.sentence.contains("too few I/Os for p99 of log commits"), "{}", verdict.sentence);
        assert_eq!(verdict.advice.as_ref().map(Advice::as_str), Some("Measure longer: --duration 2m."));
    }

    #[test]
    fn a_stream_that_hardly_moved_leaves_the_question_open() {
        let mut record = healthy();
        record.jobs[1].write = Some(counts(99, Duration::from_micros(500)));
        let check = |record: &RunRecord, words: &str| {
            let verdict = judge(record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
        };
        check(&record, "only 99 log commits completed, which is too few to judge");
        record.jobs[1].write = None;
        check(&record, "only 0 log commits completed, which is too few to judge");
    }

    #[test]
    fn a_role_without_bands_is_left_out_and_that_is_said() {
        let mut record = healthy();
        record.plan.jobs[0].role = Role::Scan;
        let verdict = judge(&record, &set("oci-sqlserver"));
        assert!(
            verdict.sentence.contains(", but measured without judging scan: the worst figure is"),
            "{}",
            verdict.sentence
        );
        let text = "scan is not judged: oci-sqlserver has no limits for it";
        assert!(verdict.reasons.iter().any(|reason| reason == text), "{:?}", verdict.reasons);

        record.plan.jobs[1].role = Role::Backup;
        let verdict = judge(&record, &set("oci-sqlserver"));
        assert_eq!(verdict.sentence, "Not judged: oci-sqlserver has no limits for the I/O of mine.");
        assert_eq!((verdict.outcome, verdict.category), (Outcome::Inconclusive, None));
    }

    #[test]
    fn a_stream_without_bands_is_left_out_and_that_is_said() {
        let own = ThresholdSet::parse(
            "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\", \"log\"]\nstreams = [\"read\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }\n",
        )
        .unwrap();
        assert_eq!(
            judge(&healthy(), &own).sentence,
            "Qualified for mine by `own`, but measured without judging data writes and log commits: the worst figure is data read mean at 0.5 ms (acceptable)."
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

            let begins = match verdict.outcome {
                Outcome::Qualified => "Qualified for mine by ",
                Outcome::Inconclusive => "Inconclusive for mine: ",
                Outcome::NotQualified => "Not qualified for mine: ",
            };
            prop_assert!(said.starts_with(begins), "{}", said);
            prop_assert_eq!(verdict.advice.is_some(), verdict.outcome == Outcome::Inconclusive, "{}", said);
            let is_open = asked.interrupted || no_device || asked.seconds < 10;
            match verdict.outcome {
                Outcome::Qualified => {
                    prop_assert!(!is_open && !errors, "{}", said);
                    prop_assert!(worst.unwrap() <= Category::Acceptable, "{}", said);
                    let suitable = verdict.meaning.as_ref().map(|one| format!(": suitable for {}", one.suitable_for));
                    let end = format!("({}{}).", worst.unwrap(), suitable.unwrap_or_default());
                    prop_assert!(said.ends_with(&end), "{}", said);
                }
                Outcome::NotQualified => {
                    let too_slow = worst.is_some_and(|worst| worst > Category::Acceptable);
                    prop_assert!(errors || too_slow && !is_open, "{}", said);
                }
                Outcome::Inconclusive => prop_assert!(!errors, "{}", said),
            }
            if verdict.outcome == Outcome::Qualified || said.contains(" the acceptable ") {
                prop_assert_eq!(said.contains("for only"), asked.seconds < 60, "{}", said);
                let unsteady = crate::steady_state::SteadyState::of(&Subject::of_run(&record)).is_some_and(|one| !one.held);
                prop_assert_eq!(said.contains("without reaching a steady state"), unsteady, "{}", said);
            }
            for finding in findings(&Subject::of_run(&record)).iter().filter(|one| one.severity >= Severity::Warning) {
                prop_assert!(verdict.reasons.contains(&finding.message), "{}: {:?}", finding.id, verdict.reasons);
            }
        }
    }
}
