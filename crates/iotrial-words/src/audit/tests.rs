//! Every sentence of an audit with an example, on one page: `snapshots/iotrial_words__audit__tests__page.snap`. Wording is reviewed there, and no
//! other test compares it.

use std::fmt::Write as _;

use iotrial_model::audit::{
    AuditPlace, Cause, Compared, DerivedRate, Gain, LatencyKind, Link, LinkName, PrintedAmount, RateBasis,
    ResultPart, Right, RightFigure, RightQuantity, Unit, UnitMistake, Weight, Witness,
};
use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::finding::{Finding, Severity};
use iotrial_model::imported::{CpuBasis, Stated};
use iotrial_model::load::Role;
use iotrial_model::record::AttributeValue;
use iotrial_model::stream::Stream;
use iotrial_model::units::ByteSize;

use super::*;

fn stated(text: &str) -> Stated {
    Stated::parse(text).unwrap()
}

fn printed(text: &str) -> PrintedAmount {
    PrintedAmount { relation: None, number: stated(text) }
}

fn row(id: &str) -> ResultPart {
    ResultPart { source: Some(format!("row {id}")), ..ResultPart::default() }
}

fn at_most(quantity: impl Into<RightQuantity>, value: f64) -> RightFigure {
    RightFigure { bound: Some(BoundRelation::AtMost), ..RightFigure::exactly(quantity, value) }
}

fn at_least(quantity: impl Into<RightQuantity>, value: f64) -> RightFigure {
    RightFigure { bound: Some(BoundRelation::AtLeast), ..RightFigure::exactly(quantity, value) }
}

const BLOCK: Range = Range::exact(8_192.0);
const SIZES: Range = Range { low: 8_192.0, high: 65_536.0 };

/// How much and how fast.
fn of_rates() -> Vec<AuditFinding> {
    let reads = || row("A").stream(Stream::Read);
    let bandwidth = |cause| {
        let compared = Compared::BandwidthOfIops { iops: stated("54321"), sizes: BLOCK };
        AuditFinding::of_figures(reads(), compared, stated("445"), 424.4).because(cause).off_by(4.86)
    };
    let iops = |witness| {
        let compared = Compared::IopsOfBandwidth { bandwidth: stated("390.6"), sizes: BLOCK };
        let right = Range { low: 49_995.0, high: 50_005.0 };
        AuditFinding::of_figures(reads(), compared, stated("54321"), right)
            .because(Cause::WrongIops(witness))
            .with_right(RightFigure::exactly(Unit::Iops, right))
            .off_by(8.64)
    };
    let total = |rate, cause, right: Right| {
        let compared = Compared::TotalOfRate { rate, runtime: stated("300"), unit: Unit::Gib };
        let finding = AuditFinding::of_figures(reads(), compared, stated("130"), 124.3);
        finding.because(cause).with_right(right).off_by(4.6)
    };
    let sum = |cause, right: Right| {
        let compared =
            Compared::SumOfDirections { read: stated("700"), write: stated("300.5"), unit: Unit::Iops };
        let place = row("A").stream(Stream::Mixed);
        AuditFinding::of_figures(place, compared, stated("1100"), 1_000.5)
            .because(cause)
            .with_right(right)
            .off_by(9.95)
    };
    let latency = |percent, all: &str, expected: Range, off: f64| {
        let compared = Compared::LatencyOfDirections { percent, read: stated("1000"), write: stated("4000") };
        let place = row("A").latency(Stream::Mixed, LatencyKind::Total);
        let finding = AuditFinding::of_figures(place, compared, stated(all), expected);
        finding.expecting(None, Unit::Us).off_by(off)
    };
    let between = Range { low: 1_000.0, high: 4_000.0 };
    let both = RightFigure::exactly(RightQuantity::Both(Unit::Iops), 1_000.5);
    let read = RightFigure::exactly(RightQuantity::Read(Unit::Iops), 799.5);
    let written = RightFigure::exactly(RightQuantity::Written(Unit::Iops), 400.0);
    let implied = Range { low: 8_580.0, high: 8_610.0 };
    let seconds = Range { low: 310.0, high: 314.0 };
    let gib_or_mib = [RightFigure::exactly(Unit::Gib, 124.3), RightFigure::exactly(Unit::MibPerS, 443.7)];
    let per_io = Compared::BytesPerIo { io_count: 1_000_000, bytes: 2_048_000_000 };
    let mut all: Vec<AuditFinding> =
        UnitMistake::ALL.iter().map(|mistake| bandwidth(Cause::Unit(*mistake))).collect();
    all.extend([
        bandwidth(Cause::Unit(UnitMistake::ThousandsTimesKib)).weighing(Weight::Doubt),
        bandwidth(Cause::WrongBandwidth),
        bandwidth(Cause::WrongBlockSize).with_right(RightFigure::exactly(RightQuantity::IoSize, 2_048.0)),
        bandwidth(Cause::WrongBlockSize).with_right(Right::OtherBlockSize),
        bandwidth(Cause::BandwidthOfOne(Stream::Read)).with_right(Right::either([
            RightFigure::exactly(Unit::MibPerS, 424.4),
            RightFigure::exactly(Unit::Iops, 56_960.0),
        ])),
        bandwidth(Cause::IopsOfOne(Stream::Write)),
        bandwidth(Cause::OtherBlockSize(ByteSize::kib(64))).with_right(Right::either([
            RightFigure::exactly(Unit::MibPerS, 424.4),
            RightFigure::exactly(RightQuantity::BlockSize, 65_536.0),
        ])),
        bandwidth(Cause::SeveralSizes(implied)).with_right(Right::SizesApart(SIZES)),
        bandwidth(Cause::DifferentRuns(implied)),
        bandwidth(Cause::Usual),
        iops(Witness::CountAndBytes),
        iops(Witness::Count),
        iops(Witness::Bytes),
        iops(Witness::LittlesLaw),
        total(
            RateBasis::Iops,
            Cause::WrongTotal(RateBasis::Iops),
            RightFigure::exactly(Unit::Gib, 124.3).into(),
        ),
        total(RateBasis::Bandwidth, Cause::WrongRate(RateBasis::Bandwidth), gib_or_mib[1].into()),
        total(
            RateBasis::IopsTimesSize,
            Cause::WrongRuntime,
            RightFigure::exactly(RightQuantity::Runtime, 314.0).into(),
        ),
        total(RateBasis::Bandwidth, Cause::DifferentTimes(seconds), Right::either(gib_or_mib)),
        sum(Cause::OnlyWrong(Stream::Read), read.into()),
        sum(Cause::OnlyWrong(Stream::Write), written.into()),
        sum(Cause::OnlyWrong(Stream::Mixed), both.into()),
        sum(Cause::Usual, Right::either([both, read, written])),
        latency(None, "2500", Range::exact(1_300.0), 92.3).because(Cause::NotWeighted),
        latency(None, "5000", between, 25.0),
        latency(Some(99.9), "5000", between, 25.0),
        AuditFinding::of_figures(reads(), Compared::MeanOfParts, 420.0, 351.67).off_by(19.4),
        AuditFinding::of_figures(reads(), Compared::ThreadRows(Unit::Ios), 100_100.0, 100_000.0)
            .with_right(Right::either([
                RightFigure::exactly(RightQuantity::TotalRow(Unit::Ios), 100_100.0),
                RightFigure::exactly(RightQuantity::Rows, 100_000.0),
            ]))
            .off_by(0.1),
        AuditFinding::of_figures(row("A"), Compared::SeriesEnd, stated("5.00"), 10.0).off_by(-50.0),
        AuditFinding::of_figures(reads(), Compared::SeriesSum, 1_400_000.0, Range::exact(7e5)).off_by(100.0),
        AuditFinding::of_figures(reads(), Compared::MeasuredSeconds, 5_001.0, 5_000.0),
        AuditFinding::of_figures(reads(), per_io.clone(), 2_048.0, BLOCK),
        AuditFinding::of_figures(reads(), per_io, 2_048.0, SIZES).because(Cause::ShortIos),
        AuditFinding::of_figures(reads(), Compared::StatedSize, stated("64"), Range { low: 8.1, high: 8.2 })
            .with_right(RightFigure::exactly(Unit::Kb, 8.192))
            .off_by(681.3),
    ]);
    all
}

/// What was asked for, and what the load and the way to the storage allow.
fn of_loads() -> Vec<AuditFinding> {
    let job = || ResultPart { job: Some("pages".to_owned()), ..row("A") };
    let of_job =
        |compared, stated: f64, expected: f64| AuditFinding::of_figures(job(), compared, stated, expected);
    let attribute = LinkName::Attribute { name: "network_gbit_s", value: AttributeValue::Integer(10) };
    let hosts = Link { name: attribute, count: 2.0 };
    let sata = Link { name: LinkName::Kind { word: "sata", mb_per_s: 600.0 }, count: 1.0 };
    let at_least_us = |us: f64| at_least(Unit::Us, us);
    let at_these_rates = at_most(RightQuantity::MeanLatencyAtTheseRates, 3_200.0);
    let at_most_mib = at_most(Unit::MibPerS, 572.2);
    vec![
        of_job(Compared::ReadShare, 50.0, 70.0),
        of_job(Compared::ReadShare, 30.0, 70.0)
            .because(Cause::DirectionsSwapped)
            .with_right(Right::DirectionsSwapped),
        of_job(Compared::AskedRate, 67_000.0, 1_000.0).off_by(6_600.0),
        of_job(Compared::CpuTime(CpuBasis::EachCopy), 150.0, 100.0).with_right(at_most(Unit::Percent, 100.0)),
        of_job(Compared::CpuTime(CpuBasis::Host), 150.0, 100.0),
        of_job(Compared::Outstanding, 40.0, 32.0).with_right(at_these_rates).off_by(25.0),
        of_job(Compared::ThousandthOutstanding, 0.032, 32.0)
            .with_right(Right::MeanLatencies(vec![470.5, 500.0])),
        of_job(Compared::FewOutstanding { change_percent: -87.5 }, 4.0, 32.0),
        AuditFinding::of_figures(
            job().streams(&[Stream::Read, Stream::Write]),
            Compared::LinkBandwidth(sata),
            Range { low: 611.5, high: 613.0 },
            572.2,
        )
        .with_right(at_most_mib)
        .off_by(7.0),
        of_job(Compared::BlockOverLink(hosts), 5.1, 6.554).with_right(at_least_us(6.554)).off_by(-22.2),
        of_job(Compared::Distance(20.0), 180.0, 200.0).with_right(at_least_us(200.0)),
        of_job(Compared::AnyDevice, 0.4, 1.0).with_right(at_least_us(1.0)),
        of_job(Compared::Memory, 16.0, 64.0),
        AuditFinding::of_figures(AuditPlace::AllJobs, Compared::DeviceReads, 1_000_000.0, 12_345.0),
        of_job(Compared::DeviceReads, 1_000_000.0, 12_345.0).because(Cause::SparseFile),
    ]
}

/// A latency with its mean, extremes and percentiles.
fn of_latencies() -> Vec<AuditFinding> {
    let place = |kind| row("A").latency(Stream::Read, kind);
    let found = |compared, us: &str, expected: f64| {
        AuditFinding::of_figures(place(LatencyKind::Total), compared, stated(us), expected)
    };
    let parts = |has_submission, cause| {
        found(Compared::LatencyParts { has_submission }, "159.0", 21.0).because(cause).off_by(657.1)
    };
    let exactly = RightFigure::exactly;
    let at_most_us = at_most(Unit::Us, 1_000.0);
    let clipped = |higher_count| Compared::ClippedPercentile { percent: 99.9, higher_count };
    let end_us = 17_179_869.184;
    let to_end = |longest_us| Right::Percentile { least_us: end_us, longest_us };
    let (percent, higher_percent) = (99.0, 99.9);
    vec![
        parts(true, Cause::NoSubmissionTimes).with_right(Right::MeanWithoutPercentiles(stated("159.0"))),
        parts(true, Cause::LittlesLawWithTotal).with_right(exactly(RightQuantity::CompletionLatency, 158.0)),
        parts(true, Cause::Usual).with_right(exactly(RightQuantity::SubmissionLatency, 1.0)),
        found(Compared::CopiedLatency, "584.206", 584.206).weighing(Weight::Doubt),
        parts(false, Cause::LittlesLawWithParts).with_right(at_least(RightQuantity::MeanLatency, 21.0)),
        parts(true, Cause::Usual).with_right(Right::either([
            RightFigure::exactly(Unit::Us, 21.0),
            exactly(RightQuantity::LatencyParts, 159.0),
        ])),
        found(clipped(0), "17112760", end_us).with_right(to_end(None)),
        found(clipped(2), "17112760", end_us).with_right(to_end(Some(stated("60000000")))),
        found(Compared::Percentiles { percent, higher_percent }, "500", 400.0),
        AuditFinding::of_figures(
            place(LatencyKind::Completion),
            Compared::PercentileBeyondLongest(percent),
            500.0,
            400.0,
        ),
        AuditFinding::of_figures(
            place(LatencyKind::Submission),
            Compared::PercentileBelowShortest(percent),
            500.0,
            600.0,
        ),
        found(Compared::MeanBeyondLongest, "500", 400.0),
        found(Compared::MeanBelowShortest, "500", 600.0),
        AuditFinding::of_figures(
            place(LatencyKind::Total),
            Compared::HistogramShares,
            138.0,
            Range { low: 136.5, high: 141.0 },
        )
        .with_right(Right::SharesOf100),
        found(Compared::MeanByPercentiles(BoundRelation::AtMost), "1500.5", 1_000.0)
            .with_right(at_most_us)
            .off_by(50.05),
        found(Compared::MeanByShares(BoundRelation::AtLeast), "3000", 11_500.0)
            .because(Cause::PercentilesSwapped)
            .off_by(-73.9),
        found(Compared::Deviation, "5000", 1_000.0).with_right(at_most_us),
    ]
}

/// What belongs to no figure of a part: a record as a whole, and claims about a table.
fn of_others() -> Vec<AuditFinding> {
    let metric = || "read.lat_mean_us".to_owned();
    let rows = || (String::from("A"), String::from("B"));
    let change = |from, to, claimed_percent, right| {
        let (baseline, row) = rows();
        let place = AuditPlace::Change { metric: metric(), baseline, row };
        AuditFinding::new(place, Conflict::Change { from, to, claimed_percent }).with_right(right)
    };
    let below = PrintedAmount { relation: Some(BoundRelation::Below), number: stated("1000") };
    let recommendation = |favoured: Option<&str>| Conflict::Recommendation {
        row: "B".to_owned(),
        favoured: favoured.map(str::to_owned),
        sentence: "Take A: its latency is lower".to_owned(),
    };
    let gain = |metric: &str, percent| Gain { metric: metric.to_owned(), percent };
    let gains = |quote: Option<&str>, fitting| {
        let (baseline, row) = rows();
        let conflict = Conflict::Gain {
            claimed_percent: 33.0,
            quote: quote.map(str::to_owned),
            fitting,
            others: vec![gain("read.iops", 17.3), gain("other.orders_per_s", -2.0)],
        };
        AuditFinding::new(AuditPlace::Rows { baseline, row }, conflict)
    };
    let category = |figure, claimed_ms| {
        let conflict = Conflict::Category {
            figure,
            claimed: "excellent".to_owned(),
            own: "good".to_owned(),
            claimed_ms,
        };
        let place = AuditPlace::RowMetric { row: "A".to_owned(), metric: metric() };
        AuditFinding::new(place, conflict).with_right(Right::Category("good".to_owned()))
    };
    let message = "a clock jumped".to_owned();
    let jump = Finding::without_evidence(FindingId::ClockJump, Severity::Warning, message);
    vec![
        AuditFinding::new(AuditPlace::Record, Conflict::AlteredRecord),
        AuditFinding::new(
            ResultPart::default(),
            Conflict::Run { check: Check::ClockJump, finding: Box::new(jump) },
        ),
        change(printed("500.0"), printed("400"), 25.0, Right::Change { bound: None, percent: -20.0 })
            .because(Cause::ChangeReversed),
        change(
            printed("4000"),
            below,
            -50.0,
            Right::Change { bound: Some(BoundRelation::AtMost), percent: -75.0 },
        ),
        AuditFinding::new(
            AuditPlace::Metric(metric()),
            Conflict::Ranking {
                row: "A".to_owned(),
                figure: printed("500.0"),
                later: "B".to_owned(),
                later_figure: printed("400"),
            },
        )
        .with_right(Right::Order(vec!["B".to_owned(), "A".to_owned()])),
        AuditFinding::new(AuditPlace::Row("B".to_owned()), recommendation(Some("A")))
            .with_right(Right::Row("A".to_owned())),
        AuditFinding::new(AuditPlace::Row("B".to_owned()), recommendation(None)),
        gains(None, Vec::new()),
        gains(Some("a third faster"), vec![gain("total.lat_p999_us", 33.6)])
            .with_right(Right::GainsWithMetrics),
        category(Amount::Exact(1_072.5), Some((None, Some(1.0)))),
        category(
            Amount::Bounded(Bounded { relation: BoundRelation::Above, value: 4_000.0 }),
            Some((Some(1.0), Some(2.0))),
        ),
        category(Amount::Exact(72.5), Some((Some(20.0), None))),
        category(Amount::Exact(72.5), Some((None, None))),
        category(Amount::Exact(72.5), None),
        AuditFinding::new(
            AuditPlace::Row("D".to_owned()),
            Conflict::Worst { fitting: vec!["read.iops".to_owned()], others: worse_rows() },
        )
        .with_right(Right::Row("B".to_owned())),
        AuditFinding::new(
            AuditPlace::Row("D".to_owned()),
            Conflict::Worst { fitting: Vec::new(), others: worse_rows() },
        )
        .with_right(Right::Row("B".to_owned())),
        AuditFinding::new(
            AuditPlace::RowMetric { row: "A".to_owned(), metric: metric() },
            Conflict::Limit {
                relation: BoundRelation::Below,
                limit: Stated::exact(2_000.0),
                figure: printed("2671"),
            },
        ),
        AuditFinding::new(AuditPlace::Row("A".to_owned()), Conflict::Price { total: Stated::exact(534.0) })
            .with_right(Right::Sum(Range { low: 784.2, high: 784.3 })),
    ]
}

fn worse_rows() -> Vec<(String, String)> {
    let worse = |metric: &str| (metric.to_owned(), "B".to_owned());
    vec![worse("read.lat_mean_us"), worse("write.lat_p99_us")]
}

fn observations() -> Vec<Observation> {
    let outstanding = |implied: &[f64], parts, configured| Observation::Outstanding {
        implied: implied.to_vec(),
        parts,
        configured,
    };
    let same = |count, inferred_count, fits| ConfiguredOutstanding::Same { count, inferred_count, fits };
    vec![
        Observation::BoundedOutstanding(Range { low: 0.0, high: 80.12 }),
        outstanding(&[40.0], Parts::Rows, same(32, 0, false)),
        outstanding(&[170.3, 171.2, 170.9], Parts::Rows, same(176, 48, true)),
        outstanding(&[16.0, 64.0], Parts::PartsOfResult, ConfiguredOutstanding::Each(vec![16, 64])),
        outstanding(&[16.0, 16.0], Parts::Rows, ConfiguredOutstanding::Unknown),
        outstanding(&[16.0, 64.0, 32.0], Parts::Rows, ConfiguredOutstanding::UnknownOfSome),
    ]
}

/// A log beside pages in one row, in several rows, and in many of sectors.
fn derived() -> Vec<Vec<DerivedRate>> {
    let rate = |id: &str, iops: f64, [small, large]: [u64; 2], role| DerivedRate {
        place: row(id),
        stream: Stream::Write,
        small: ByteSize::bytes(small),
        large: ByteSize::bytes(large),
        role,
        iops,
        range: Range { low: iops - 24.0, high: iops + 26.0 },
    };
    let of_log = |id, iops| rate(id, iops, [8_192, 65_536], Some(Role::Log));
    let many = (0..9).map(|number| rate("A", f64::from(1_000 + number), [512, 4_096], None));
    vec![
        vec![of_log("A", 1_461.1)],
        vec![of_log("A", 1_461.1), of_log("B", 1_356.0), of_log("C", 1_842.9)],
        many.collect(),
    ]
}

fn unchecked() -> Vec<Unchecked> {
    let metric = || "other.orders_per_s".to_owned();
    let (a, b) = (|| "A".to_owned(), || "B".to_owned());
    let at = |place: AuditPlace, reason| Unchecked { place: Some(place), reason };
    let of_row = |reason| at(row("A").into(), reason);
    vec![
        of_row(Reason::NoBlockSize),
        Reason::ForeignThreadRows.into(),
        of_row(Reason::NoIntervals),
        of_row(Reason::VerifyingReads),
        of_row(Reason::CountsFromDue),
        of_row(Reason::MeansOfRuns),
        of_row(Reason::UnknownPauses),
        of_row(Reason::NoMeanLatency),
        of_row(Reason::NoRate),
        at(row("A").latency(Stream::Write, LatencyKind::Total).into(), Reason::SharesNot100),
        Reason::UncountedEngine("rbd".to_owned()).into(),
        Reason::LateCounters { missing_percent: 4.9, late_s: 0.5 }.into(),
        Reason::NotInBothRows { metric: metric(), baseline: a(), row: b() }.into(),
        at(AuditPlace::Change { metric: metric(), baseline: a(), row: b() }, Reason::OnlyBound),
        Reason::NoBetter("read.total_gib".to_owned()).into(),
        Reason::NotInEveryRow("nonsense".to_owned()).into(),
        Reason::NoRecommendation("there is only one configuration".to_owned()).into(),
        at(AuditPlace::Rows { baseline: a(), row: b() }, Reason::NoCommonFigure),
        Reason::NotInRow { row: a(), metric: metric() }.into(),
        Reason::NoCategory.into(),
    ]
}

fn findings() -> Vec<AuditFinding> {
    [of_rates(), of_loads(), of_latencies(), of_others()].concat()
}

#[test]
fn every_sentence_of_an_audit_is_on_one_page() {
    let mut page = String::new();
    for check in Check::ALL {
        writeln!(page, "{check}: {}", compares(*check)).unwrap();
    }
    for finding in findings() {
        let FindingWords { place, message, cause, right } = says(&finding);
        let right = right.map_or_else(String::new, |right| format!("\n    right: {right}"));
        writeln!(page, "\n{}: {place}: {message}\n    cause: {cause}{right}", finding.check).unwrap();
    }
    writeln!(page).unwrap();
    for observation in observations() {
        writeln!(page, "{}", observes(&observation)).unwrap();
    }
    for sentence in derived().iter().flat_map(|all| derived_rates(all)) {
        writeln!(page, "{sentence}").unwrap();
    }
    writeln!(page).unwrap();
    for one in unchecked() {
        writeln!(page, "{}", not_checked(&one)).unwrap();
    }
    insta::assert_snapshot!("page", page);
}

#[test]
fn no_sentence_of_a_finding_ends_with_a_full_stop_or_has_a_word_that_was_not_filled_in() {
    for finding in findings() {
        let FindingWords { place, message, cause, right } = says(&finding);
        for said in [place, message, cause, right.unwrap_or_else(|| "none".to_owned())] {
            let is_whole = !said.is_empty() && !said.contains('{') && !said.contains("  ");
            assert!(is_whole && !said.ends_with('.'), "{said}");
        }
    }
}

#[test]
fn every_check_has_a_finding_on_the_page() {
    let shown = findings();
    // Little's law and caches are also those of a run, whose finding is said by its own words.
    let is_missing = |check: &&Check| shown.iter().all(|finding| finding.check != **check);
    assert_eq!(Check::ALL.iter().filter(is_missing).collect::<Vec<_>>(), [] as [&Check; 0]);
}
