//! Every sentence about a verdict with an example, on pages that are reviewed: `snapshots`. No other test compares their wording.

use std::fmt::Write as _;
use std::time::Duration;

use iotrial_model::bound::BoundRelation;
use iotrial_model::figure::Figure;
use iotrial_model::finding::{Doubts, Finding, FindingId, Severity};
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::load::Role;
use iotrial_model::record::EndedHow;
use iotrial_model::search::{Probe, ProbeKind, Search, SearchResult, WorstLatency};
use iotrial_model::stream::Stream;
use iotrial_model::verdict::{
    Advice, Change, DoubtKind, Objection, SearchAnswer, Starved, StepAnswer, StepsRuling, VerifiedRuling,
};
use iotrial_model::verification::{FaultKind, KeptCapacity, Verification};

use super::*;

fn judged(category: Category, shown_ms: f64) -> Judged {
    Judged {
        role: Role::Data,
        further_roles: Vec::new(),
        stream: Stream::Read,
        devices: Vec::new(),
        statistic: Figure::LatencyP99,
        value_us: 1_000.0 * shown_ms,
        bound: None,
        untouched: None,
        is_open: false,
        category,
        limit_us: 10_000.0,
        shown_ms,
    }
}

fn good() -> Judged {
    judged(Category::Good, 3.2)
}

fn slow() -> Judged {
    judged(Category::Poor, 31.0)
}

fn finding(id: FindingId) -> Finding {
    Finding::without_evidence(id, Severity::Warning, format!("[what {id} says]"))
}

fn failed() -> Objection {
    Objection::Found(finding(FindingId::IoErrors))
}

fn doubt(kind: DoubtKind) -> Doubt {
    Doubt { kind, finding: None, advice: Advice::to(Change::RunAgain) }
}

fn gap(stream: Option<Stream>, statistic: Option<Figure>, why: WhyNotJudged) -> Gap {
    Gap { roles: vec![Role::Log], stream, statistic, why }
}

fn gaps() -> Vec<Gap> {
    let p999 = Some(Figure::LatencyP999);
    let undecided =
        WhyNotJudged::Undecided { relation: BoundRelation::Below, shown_ms: 1.0, limit_us: 500.0 };
    vec![
        gap(None, None, WhyNotJudged::NoLimits),
        gap(Some(Stream::Commit), None, WhyNotJudged::NoLimits),
        gap(Some(Stream::Commit), None, WhyNotJudged::DifferentLimits),
        gap(Some(Stream::Commit), p999, WhyNotJudged::NotStated),
        gap(Some(Stream::Commit), p999, WhyNotJudged::TooFewIos { io_count: 1_000, least_io_count: 10_000 }),
        gap(Some(Stream::Commit), p999, undecided),
        Gap { roles: Vec::new(), stream: None, statistic: None, why: WhyNotJudged::Queue(queue()) },
        Gap { roles: Vec::new(), stream: None, statistic: None, why: WhyNotJudged::Queue(of_a_part()) },
    ]
}

fn queue() -> QueueLatency {
    QueueLatency { outstanding: 1_024, iops: Some(5_600.0), lat_mean_us: Some(182_857.1) }
}

fn of_a_part() -> QueueLatency {
    QueueLatency { iops: None, lat_mean_us: None, ..queue() }
}

fn all_doubts() -> Vec<Doubt> {
    use FindingId as Id;
    let by = |kind, id| Doubt { finding: Some(finding(id)), ..doubt(kind) };
    let stream = Starved::Stream {
        roles: vec![Role::Log],
        stream: Stream::Commit,
        io_count: 99,
        least_io_count: 1_000,
    };
    vec![
        doubt(DoubtKind::NullEngine),
        doubt(DoubtKind::Simulated),
        by(DoubtKind::OtherLimit, Id::LatencyLimitMissed),
        by(DoubtKind::NothingMeasured, Id::Interrupted),
        by(DoubtKind::Interrupted, Id::Interrupted),
        by(DoubtKind::AlteredRecord, Id::AlteredRecord),
        by(DoubtKind::InMemory, Id::InMemoryTarget),
        by(DoubtKind::PageCache, Id::BufferedIo),
        by(DoubtKind::TooShort { measured_s: 9.0 }, Id::ShortRun),
        by(DoubtKind::TooShort { measured_s: 0.0 }, Id::ShortRun),
        by(DoubtKind::NotSteadyInTime, Id::Unsteady),
        by(DoubtKind::BurstEnded, Id::ThrottledAfterBurst),
        by(DoubtKind::TwoLatencies, Id::CacheServed),
        by(DoubtKind::CacheAboveDevices, Id::CacheServed),
        by(DoubtKind::ForeignLoad, Id::ForeignLoad),
        by(DoubtKind::ShortOfCpu, Id::GeneratorBusy),
        by(DoubtKind::IssuedLate, Id::LateIssues),
        by(DoubtKind::ClockJump, Id::ClockJump),
        by(DoubtKind::Contradiction, Id::LittlesLaw),
        doubt(DoubtKind::Starved(stream)),
        doubt(DoubtKind::Starved(Starved::Time { measured_s: 0.5 })),
        doubt(DoubtKind::TooFewIos(gaps()[4].clone())),
        doubt(DoubtKind::Undecided(gaps()[5].clone())),
        by(DoubtKind::SlowAtTheEnd { measured_s: 60.0, slow: vec![slow()] }, Id::Unsteady),
    ]
}

fn all_caveats() -> Vec<Caveat> {
    vec![
        Caveat::Contradiction,
        Caveat::Stall,
        Caveat::Paused,
        Caveat::CoarseLatency,
        Caveat::ShortRun { measured_s: 30.0 },
        Caveat::Unsteady { within: None },
        Caveat::Unsteady { within: Some(Duration::from_secs(300)) },
    ]
}

const CHANGES: [Change; 19] = [
    Change::RunAgain,
    Change::AskForRecord,
    Change::ChooseDisk,
    Change::DirectIoOfTool,
    Change::LeaveOutBuffered,
    Change::LeaveOutEngine,
    Change::UntilSteady,
    Change::MoreTimeUntilSteady,
    Change::LargerFiles,
    Change::StopOthersOnDevices,
    Change::StopOthersOnHostAndDevices,
    Change::StopOthersOnHost,
    Change::WaitForClock,
    Change::LookAtAudit,
    Change::AskSource,
    Change::FindFailure,
    Change::MoreTimeForSearch,
    Change::QuieterOrLonger,
    Change::Longer,
];

#[test]
fn everything_that_bears_on_a_verdict_has_its_words_on_one_page() {
    let mut page = String::new();
    for one in all_doubts() {
        writeln!(page, "doubt: {} | {}", bearing::doubt(&one), reason(&one)).unwrap();
    }
    for caveat in all_caveats() {
        writeln!(page, "caveat: measured {}", caveats(&[caveat])[0]).unwrap();
    }
    for one in gaps() {
        writeln!(page, "gap: {} | {}", super::gap(&one), gap_in_full(&one, "flash")).unwrap();
    }
    for change in CHANGES {
        let duration = (change == Change::Longer).then_some(Duration::from_secs(120));
        writeln!(page, "advice: {}", advice(&Advice { change, duration })).unwrap();
    }
    let cut = WhyNot::CutShort { measured_s: 20.0, planned_s: 60.0 };
    let in_doubt = WhyNot::InDoubt(all_doubts());
    for one in [
        WhyNot::Failed(Box::new(failed())),
        WhyNot::NoLimits,
        WhyNot::Queue(queue()),
        WhyNot::TooSlow(slow()),
        in_doubt,
        cut,
    ] {
        writeln!(page, "why not: {}", why_not(&one, "flash")).unwrap();
    }
    insta::assert_snapshot!("bearing", page);
}

fn ruling() -> Ruling {
    Ruling {
        outcome: Outcome::Qualified,
        load: LoadName::Profile("oltp".to_owned()),
        set: "flash".to_owned(),
        meaning: None,
        objections: Vec::new(),
        doubts: Vec::new(),
        settled: Vec::new(),
        caveats: Vec::new(),
        other_findings: Vec::new(),
        judged: vec![good(), judged(Category::Excellent, 0.9)],
        gaps: Vec::new(),
        unjudged: Vec::new(),
    }
}

fn rulings() -> Vec<(&'static str, Ruling)> {
    let meaning = Meaning { impact: "users notice little".into(), suitable_for: "light OLTP".into() };
    let bound = Judged { bound: Some(BoundRelation::Below), ..good() };
    let both = Judged { further_roles: vec![Role::Log], devices: vec!["sdb".into()], ..slow() };
    let edge = Judged { value_us: 10_000.0, shown_ms: 10.0, ..slow() };
    let none = |gaps: Vec<Gap>| Ruling { judged: Vec::new(), gaps, ..ruling() };
    let in_doubt = |doubts: Vec<Doubt>| Ruling { doubts, outcome: Outcome::Inconclusive, ..ruling() };
    let of = |load: LoadName| Ruling { load, ..ruling() };
    vec![
        ("qualified", ruling()),
        ("of a job", of(LoadName::Job { job: "data".into(), tool: "fio".into() })),
        ("of a tool", of(LoadName::Tool("vdbench".into()))),
        ("of nobody", of(LoadName::Unnamed)),
        ("with a meaning", Ruling { meaning: Some(meaning), ..ruling() }),
        ("a bound", Ruling { judged: vec![bound], ..ruling() }),
        (
            "with conditions",
            Ruling {
                caveats: vec![Caveat::Stall, Caveat::ShortRun { measured_s: 30.0 }],
                // A queue leaves nothing to judge, and has no conditions beside it.
                gaps: gaps()[..6].to_vec(),
                other_findings: vec![finding(FindingId::Stalled)],
                unjudged: vec![Figure::LatencyP999],
                ..ruling()
            },
        ),
        ("too slow", Ruling { judged: vec![both, good()], caveats: vec![Caveat::Stall], ..ruling() }),
        ("on the edge", Ruling { judged: vec![edge], ..ruling() }),
        ("failed", Ruling { objections: vec![failed()], ..ruling() }),
        ("in doubt", in_doubt(vec![doubt(DoubtKind::ShortOfCpu)])),
        ("in two doubts", in_doubt(vec![doubt(DoubtKind::ShortOfCpu), doubt(DoubtKind::InMemory)])),
        ("not stated", none(vec![gaps()[3].clone()])),
        ("mixed", none(vec![gaps()[2].clone()])),
        ("no limits", none(vec![gaps()[0].clone()])),
        ("a queue", none(vec![gaps()[6].clone()])),
    ]
}

#[test]
fn each_verdict_of_a_run_has_its_words_on_one_page() {
    let mut page = String::new();
    for (name, one) in rulings() {
        writeln!(page, "{name}: {}", sentence(&one)).unwrap();
        for reason in reasons(&one) {
            writeln!(page, "  - {reason}").unwrap();
        }
    }
    insta::assert_snapshot!("run", page);
}

/// The first three steps of four, that hold, or do not, or are in doubt.
fn steps(holds: [Option<bool>; 3], need_iops: Option<f64>) -> StepsRuling {
    let step = |number: usize, holds: Option<bool>| StepAnswer {
        number,
        label: format!("step {number} ({} %)", 30 * number),
        load: format!("{} %", 30 * number),
        load_percent: 30.0 * number as f64,
        asked_iops: Some(3_000.0 * number as f64),
        done_iops: Some(if holds == Some(false) { 1_200.0 } else { 3_000.0 * number as f64 }),
        iops: 9_000.0,
        is_judged: true,
        holds,
        why_not: match holds {
            Some(true) => None,
            Some(false) => Some(WhyNot::TooSlow(slow())),
            None => Some(WhyNot::InDoubt(vec![doubt(DoubtKind::ShortOfCpu)])),
        },
        worst: Some(good()),
        crossed: if holds == Some(false) {
            vec![slow(), Judged { role: Role::Log, ..slow() }]
        } else {
            Vec::new()
        },
    };
    let steps = holds.iter().enumerate().map(|(at, holds)| step(at + 1, *holds)).collect();
    let failing = holds.iter().position(|one| *one == Some(false));
    let is_below = |at: &usize| failing.is_none_or(|failing| *at < failing);
    StepsRuling {
        outcome: match (failing, holds.contains(&None)) {
            (Some(_), _) => Outcome::NotQualified,
            (None, true) => Outcome::Inconclusive,
            (None, false) => Outcome::Qualified,
        },
        load: LoadName::Profile("oltp".to_owned()),
        set: "flash".to_owned(),
        objections: Vec::new(),
        doubts: Vec::new(),
        caveats: vec![Caveat::Stall],
        steps,
        failing,
        best: holds.iter().rposition(|one| *one == Some(true)).filter(is_below),
        open: holds.iter().position(Option::is_none),
        need_iops,
        scaling: None,
        planned_count: 4,
        findings: vec![finding(FindingId::SharedDisk)],
    }
}

#[test]
fn each_verdict_of_steps_has_its_words_on_one_page() {
    let (yes, no) = (Some(true), Some(false));
    let failed = StepsRuling {
        objections: vec![Objection::InStep {
            label: "step 1 (30 %)".into(),
            finding: finding(FindingId::IoErrors),
        }],
        outcome: Outcome::NotQualified,
        ..steps([yes, yes, yes], None)
    };
    let stopped = StepsRuling {
        doubts: vec![doubt(DoubtKind::Interrupted)],
        outcome: Outcome::Inconclusive,
        ..steps([yes, yes, None], None)
    };
    let mut none = steps([None; 3], None);
    (none.steps, none.open) = (Vec::new(), None);
    let mut page = String::new();
    let patterns =
        [[yes, yes, yes], [yes, no, no], [no, no, no], [yes, None, yes], [yes, yes, None], [None; 3]];
    let each = patterns.iter().flat_map(|holds| [steps(*holds, None), steps(*holds, Some(12_000.0))]);
    for one in each.chain([failed, stopped, none]) {
        writeln!(page, "{}\n  {}", steps_headline(&one), steps_sentence(&one)).unwrap();
        for reason in steps_reasons(&one) {
            writeln!(page, "  - {reason}").unwrap();
        }
    }
    insta::assert_snapshot!("steps", page);
}

fn search(need: Option<&str>, held: &[Option<bool>], has_result: bool) -> Search {
    let worst = WorstLatency {
        role: Role::Data,
        stream: Stream::Read,
        statistic: Some("p99".into()),
        latency_us: 1_900.0,
        limit_us: Some(2_000.0),
        untouched: None,
    };
    let probe = |held: &Option<bool>| Probe {
        kind: ProbeKind::Confirmation,
        share: Some(0.7),
        asked_iops: Some(100_000.0),
        iops: 100_010.0,
        lat_mean_us: Some(500.0),
        duration: Duration::from_secs(30),
        worst: Some(worst.clone()),
        held: *held,
        why_not: (*held == Some(false)).then(|| "[why not]".to_owned()),
        doubts: Doubts::default(),
    };
    let result = SearchResult {
        held_iops: 112_345.0,
        device_iops: None,
        read_iops: Some(80_000.0),
        write_iops: Some(32_345.0),
        confidence_percent: Some(97.0),
        not_held_iops: Some(117_600.0),
        worst: worst.clone(),
        not_held_doubts: Doubts::default(),
        job_rates: Vec::new(),
    };
    Search {
        limit: SearchLimit::Thresholds("flash".into()),
        limit_differs: false,
        need: need.map(|need| need.parse().unwrap()),
        probes: held.iter().map(probe).collect(),
        carries_need: None,
        result: has_result.then_some(result),
        time_ran_out: false,
    }
}

#[test]
fn each_verdict_of_a_search_has_its_words_on_one_page() {
    let (yes, no) = (Some(true), Some(false));
    let busy = || vec![doubt(DoubtKind::ShortOfCpu)];
    let mut page = String::new();
    let mut say = |answer: SearchAnswer, search: &Search| {
        let is_failed = matches!(answer, SearchAnswer::NeedFailed | SearchAnswer::RateFailed);
        let missed = || Objection::Found(finding(FindingId::LatencyLimitMissed));
        let objections = match answer {
            SearchAnswer::NoRate => vec![missed()],
            _ if is_failed => vec![failed()],
            _ => Vec::new(),
        };
        let is_settled = matches!(answer, SearchAnswer::NeedCarried | SearchAnswer::Rate);
        let (settled, doubts) = if is_settled { (busy(), Vec::new()) } else { (Vec::new(), busy()) };
        let ruling = Ruling { objections, doubts, settled, caveats: vec![Caveat::Stall], ..ruling() };
        let outcome = match &answer {
            SearchAnswer::NeedCarried | SearchAnswer::Rate => Outcome::Qualified,
            SearchAnswer::NeedNotCarried | SearchAnswer::NoRate => Outcome::NotQualified,
            _ if is_failed => Outcome::NotQualified,
            _ => Outcome::Inconclusive,
        };
        let SearchWords { headline, sentence } = search_words(&answer, outcome, search, &ruling);
        writeln!(page, "{headline}\n  {sentence}").unwrap();
        for reason in search_reasons(&answer, &ruling) {
            writeln!(page, "  - {reason}").unwrap();
        }
    };
    let at_need = search(Some("100000iops"), &[yes, no], true);
    let carrying = |carries_need| Search { carries_need, ..at_need.clone() };
    let without = search(Some("100000iops"), &[no], false);
    say(SearchAnswer::Unfinished(EndedHow::Interrupted), &at_need);
    say(SearchAnswer::NeedFailed, &at_need);
    for carries_need in [yes, no, None] {
        let in_doubt = SearchAnswer::NeedInDoubt { is_too_slow: false };
        say(in_doubt, &carrying(carries_need));
    }
    say(SearchAnswer::NeedInDoubt { is_too_slow: true }, &carrying(yes));
    say(SearchAnswer::NeedInDoubt { is_too_slow: false }, &without);
    say(SearchAnswer::NeedInDoubt { is_too_slow: false }, &search(Some("100000iops"), &[], false));
    say(SearchAnswer::NeedCarried, &at_need);
    say(SearchAnswer::NeedCarried, &search(Some("112000iops"), &[yes], true));
    say(SearchAnswer::NeedTooSlow, &carrying(yes));
    say(SearchAnswer::NeedNotCarried, &at_need);
    say(SearchAnswer::NeedNotCarried, &without);
    say(SearchAnswer::NeedOutOfTime, &without);
    say(SearchAnswer::NeedDisagrees, &at_need);

    let nothing = search(None, &[no], false);
    say(SearchAnswer::Unfinished(EndedHow::Failed), &nothing);
    say(SearchAnswer::TooFewIos, &nothing);
    say(SearchAnswer::NoRate, &nothing);
    say(SearchAnswer::NoRateInDoubt, &nothing);
    say(SearchAnswer::OutOfTime, &search(None, &[], false));
    say(SearchAnswer::Disagrees, &search(None, &[yes, no], false));
    let found = search(None, &[yes], true);
    say(SearchAnswer::RateFailed, &found);
    say(SearchAnswer::RateInDoubt, &found);
    say(SearchAnswer::Rate, &found);
    let with = |change: fn(&mut SearchResult), time_ran_out| {
        let mut search = Search { time_ran_out, ..found.clone() };
        change(search.result.as_mut().unwrap());
        search
    };
    let is_bound = |result: &mut SearchResult| result.not_held_iops = None;
    say(SearchAnswer::Rate, &with(is_bound, true));
    say(SearchAnswer::Rate, &with(is_bound, false));
    say(SearchAnswer::Rate, &with(|result| result.device_iops = Some(90_000.0), false));
    let late = |result: &mut SearchResult| {
        result.not_held_doubts = [FindingId::LateIssues].into_iter().collect();
    };
    say(SearchAnswer::Rate, &with(late, false));
    // In two loads the generator was late.
    let mut apart = at_need.clone();
    apart.probes[1].doubts = [FindingId::LateIssues].into_iter().collect();
    say(SearchAnswer::NeedDisagrees, &apart);
    // The closed load, and why a higher rate does not hold.
    let mut whole = found.clone();
    whole.probes.push(Probe { kind: ProbeKind::Saturation, asked_iops: None, ..whole.probes[0].clone() });
    whole.probes.push(Probe {
        asked_iops: Some(117_600.0),
        held: no,
        why_not: Some("[why not]".to_owned()),
        ..whole.probes[0].clone()
    });
    say(SearchAnswer::Rate, &whole);
    // A load above the rate that holds, and one in doubt.
    let mut higher = with(is_bound, false);
    higher.probes.push(Probe { asked_iops: Some(130_000.0), held: no, ..higher.probes[0].clone() });
    say(SearchAnswer::Rate, &higher);
    higher.probes.last_mut().unwrap().held = None;
    say(SearchAnswer::Rate, &higher);
    // Also where the time ran out, it was tried.
    say(SearchAnswer::Rate, &Search { time_ran_out: true, ..higher });
    insta::assert_snapshot!("search", page);
}

#[test]
fn each_verdict_of_a_verified_load_has_its_words_on_one_page() {
    let mut page = String::new();
    let fake = KeptCapacity { path: "/dev/sdb".into(), written_bytes: 64 << 30, kept_bytes: 8 << 30 };
    let pages_followed = std::cell::Cell::new(None);
    let mut say =
        |outcome, counts: &[(FaultKind, u64)], objections: Vec<Objection>, is_complete, pages_unknown| {
            let verification = Verification {
                pages: 131_072,
                pages_followed: pages_followed.get(),
                writes: 1_200_345,
                pages_checked: 2_400_690,
                pages_scanned: if is_complete { 131_072 } else { 0 },
                scan_complete: is_complete,
                pages_unknown,
                counts: counts.iter().copied().collect(),
                capacities: match counts {
                    [(FaultKind::MissingCapacity, _)] => vec![fake.clone()],
                    _ => Vec::new(),
                },
                ..Verification::default()
            };
            let ruling = VerifiedRuling { verification, objections, is_complete };
            let VerdictWords { headline, sentence, reasons } = verified::verified(&ruling, outcome);
            writeln!(page, "{}\n  {sentence}", headline.unwrap_or_default()).unwrap();
            for reason in reasons {
                writeln!(page, "  - {reason}").unwrap();
            }
        };
    say(Outcome::Qualified, &[], Vec::new(), true, 0);
    let all: Vec<(FaultKind, u64)> = FaultKind::ALL.iter().copied().zip(1..).collect();
    say(Outcome::NotQualified, &all, Vec::new(), true, 3);
    say(Outcome::NotQualified, &[(FaultKind::MissingCapacity, 7_340_032)], Vec::new(), true, 0);
    say(Outcome::NotQualified, &[], vec![failed()], false, 0);
    say(Outcome::Inconclusive, &[], Vec::new(), true, 0);
    say(Outcome::Inconclusive, &[], Vec::new(), false, 0);
    say(Outcome::NotQualified, &[(FaultKind::Hang, 3)], vec![failed()], false, 0);
    pages_followed.set(Some(16_384));
    say(Outcome::Qualified, &[], Vec::new(), true, 0);
    say(Outcome::Inconclusive, &[], Vec::new(), true, 0);
    insta::assert_snapshot!("verified", page);
}
