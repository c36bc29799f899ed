//! Consistent results are never accused, and every planted error is found.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]

use iotrial_model::audit::{Cause, Compared, Reason, Right, RightQuantity, Unit, UnitMistake, Witness};
use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{
    ImportedJob, ImportedRecord, LatencyBand, Source, SourceKind, Stated, StatedDevice, StatedInterval,
    StatedLoad, StatedOps, StatedPercentile, StatedStream,
};
use iotrial_model::load::{Pattern, Role};
use iotrial_model::record::RunRecord;
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::table::PublishedTable;
use iotrial_model::units::ByteSize;
use proptest::prelude::*;

use super::*;
use crate::test_record::healthy;

/// A device whose truth is known, before anything is printed of it.
#[derive(Debug, Clone)]
struct Truth {
    block_bytes: u64,
    runtime_s: u64,
    outstanding: u64,
    /// Of reads, in µs, sorted.
    latencies_us: Vec<f64>,
}

impl Truth {
    fn mean_us(&self) -> f64 {
        self.latencies_us.iter().sum::<f64>() / self.latencies_us.len() as f64
    }

    fn percentile_us(&self, percent: f64) -> f64 {
        let count = self.latencies_us.len();
        let place = (percent / 100.0 * count as f64).ceil() as usize;
        self.latencies_us[place.clamp(1, count) - 1]
    }

    /// A closed load keeps all its I/Os outstanding.
    fn iops(&self) -> f64 {
        self.outstanding as f64 / self.mean_us() * 1e6
    }

    fn mib_per_s(&self) -> f64 {
        self.iops() * self.block_bytes as f64 / 1_048_576.0
    }

    fn total_gib(&self) -> f64 {
        self.mib_per_s() * self.runtime_s as f64 / 1_024.0
    }

    /// Every figure with so many digits, as somebody would print it.
    fn figures(&self, digits: usize) -> Vec<(&'static str, String)> {
        [
            ("iops", self.iops()),
            ("bandwidth_mib_per_s", self.mib_per_s()),
            ("lat_mean_us", self.mean_us()),
            ("lat_p50_us", self.percentile_us(50.0)),
            ("lat_p99_us", self.percentile_us(99.0)),
            ("lat_p999_us", self.percentile_us(99.9)),
            ("lat_max_us", self.percentile_us(100.0)),
            ("total_gib", self.total_gib()),
        ]
        .map(|(name, value)| (name, print(value, digits)))
        .into()
    }
}

/// A number with so many significant digits, rounded, and with zeros where it is larger than they reach.
fn print(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap();
    let decimals = (digits as i32 - 1 - rounded.abs().log10().floor() as i32).max(0) as usize;
    format!("{rounded:.decimals$}")
}

fn table_of(rows: &[(&Truth, Vec<(&'static str, String)>)], more: &str) -> String {
    let (first, _) = &rows[0];
    let mut text = format!("format = \"iotrial.table/1\"\ntitle = \"T\"\nruntime_s = {}\n", first.runtime_s);
    for (index, (truth, figures)) in rows.iter().enumerate() {
        let figures: Vec<String> = figures.iter().map(|(name, text)| format!("{name} = {text}")).collect();
        text.push_str(&format!(
            "[[row]]\nid = \"{}\"\nattributes = {{ volumes = {} }}\n\
             load = {{ read_percent = 100, block_size_bytes = {}, outstanding = {} }}\nread = {{ {} }}\n",
            ["A", "B", "C", "D"][index],
            index + 1,
            truth.block_bytes,
            truth.outstanding,
            figures.join(", ")
        ));
    }
    text + more
}

fn audit(text: &str) -> Audit {
    Audit::of_table(&PublishedTable::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}")))
}

prop_compose! {
    fn truth()(
        block in prop::sample::select(vec![4_096_u64, 8_192, 16_384, 65_536, 262_144, 1_048_576]),
        runtime_s in 10_u64..=3_600,
        outstanding in 1_u64..=512,
        scale in 1.3_f64..4.0,
        spread in 0.0_f64..1.5,
        draws in prop::collection::vec(0.0_f64..1.0, 2_000),
    ) -> Truth {
        let mut latencies_us: Vec<f64> =
            draws.iter().map(|draw| 10_f64.powf(scale + spread * draw.powi(6))).collect();
        latencies_us.sort_by(f64::total_cmp);
        Truth { block_bytes: block, runtime_s, outstanding, latencies_us }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_consistent_row_is_never_accused(truth in truth(), digits in 2_usize..=6) {
        let audit = audit(&table_of(&[(&truth, truth.figures(digits))], ""));
        prop_assert!(!audit.has_contradictions(), "{:#?}", audit.findings);
        // Two digits and zeros may look like a mistake with units.
        prop_assert!(digits == 2 || audit.findings.is_empty(), "{:#?}", audit.findings);
        prop_assert!(audit.held_count() >= 5, "{:?}", audit.checks);
    }

    #[test]
    fn consistent_claims_are_never_accused(a in truth(), b in truth(), digits in 2_usize..=6) {
        let b = Truth { runtime_s: a.runtime_s, ..b };
        let mut claims = String::new();
        let pairs = [("iops", a.iops(), b.iops()), ("lat_mean_us", a.mean_us(), b.mean_us())];
        for (name, from, to) in pairs {
            let percent = 100.0 * (to / from - 1.0);
            let order = if (to > from) == (name == "iops") { r#"["B", "A"]"# } else { r#"["A", "B"]"# };
            claims.push_str(&format!(
                "[[claim]]\nkind = \"delta\"\nmetric = \"read.{name}\"\nbaseline = \"A\"\nrow = \"B\"\npercent = {percent:.1}\n\
                 [[claim]]\nkind = \"rank\"\nmetric = \"read.{name}\"\norder = {order}\n"
            ));
            let worst = if order.starts_with("[\"A\"") { "B" } else { "A" };
            let (least, most) = (from.min(to), from.max(to));
            claims.push_str(&format!(
                "[[claim]]\nkind = \"worst\"\nmetric = \"read.{name}\"\nrow = \"{worst}\"\n\
                 [[claim]]\nkind = \"limit\"\nmetric = \"read.{name}\"\nat_least = {least:?}\nat_most = {most:?}\n"
            ));
        }
        let mean_ms = a.mean_us() / 1_000.0;
        let name = if mean_ms < 1.0 { "good" } else { "poor" };
        claims.push_str(&format!(
            "[[claim]]\nkind = \"category\"\nrow = \"A\"\nmetric = \"read.lat_mean_us\"\ncategory = \"{name}\"\n\
             [[category]]\nbelow_ms = 1\nname = \"good\"\n[[category]]\nname = \"poor\"\n"
        ));
        let text = table_of(&[(&a, a.figures(digits)), (&b, b.figures(digits))], &claims);
        let audit = audit(&text);
        prop_assert!(!audit.has_contradictions(), "{}\n{:#?}", text, audit.findings);
    }

    #[test]
    fn every_planted_error_is_found(truth in truth(), planted in 0_usize..9) {
        // As strings, in which zeros are digits too.
        let quoted = |text: String| format!("\"{text}\"");
        let mut figures: Vec<_> = truth.figures(5).into_iter().map(|(name, text)| (name, quoted(text))).collect();
        let mut set = |name: &str, value: f64| {
            figures.iter_mut().find(|(known, _)| *known == name).unwrap().1 = quoted(print(value, 5));
        };
        let (max, mean) = (truth.percentile_us(100.0), truth.mean_us());
        let check = match planted {
            0 => { set("bandwidth_mib_per_s", truth.mib_per_s() * 1.048_576); Check::IopsBandwidth }
            1 => { set("bandwidth_mib_per_s", truth.mib_per_s() * 1.024); Check::IopsBandwidth }
            2 => { set("iops", truth.iops() * 1.01); Check::IopsBandwidth }
            3 => { set("lat_mean_us", mean * 1.05); Check::LittlesLaw }
            4 => { set("total_gib", truth.total_gib() * 0.97); Check::Totals }
            5 => { set("lat_p50_us", truth.percentile_us(99.0) * 1.01); Check::PercentileOrder }
            6 => { set("lat_p999_us", max * 1.1); Check::PercentileOrder }
            7 => { set("lat_mean_us", max * 1.001); Check::MeanInRange }
            _ => {
                set("lat_max_us", 60_000_000.0);
                figures.iter_mut().find(|(known, _)| *known == "lat_p999_us").unwrap().1 = "17112760".to_owned();
                Check::ClippedHistogram
            }
        };
        let audit = audit(&table_of(&[(&truth, figures)], ""));
        prop_assert!(audit.findings.iter().any(|finding| finding.check == check), "{check:?}: {audit:#?}");
        // The end of a histogram is a limit of fio.
        prop_assert!(audit.has_contradictions() || check == Check::ClippedHistogram);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn latencies_of_both_directions_that_are_made_of_theirs_are_never_accused(
        read in truth(),
        write in truth(),
        writes in 1_usize..=2_000,
        digits in 2_usize..=6,
        has_rates in any::<bool>(),
    ) {
        let mut write = write;
        // Any of them, so that reads and writes differ in number.
        let step = write.latencies_us.len() as f64 / writes as f64;
        write.latencies_us =
            (0..writes).map(|index| write.latencies_us[(index as f64 * step) as usize]).collect();
        let mut both = read.clone();
        both.latencies_us.extend(&write.latencies_us);
        both.latencies_us.sort_by(f64::total_cmp);
        let audit = audit(&row_of_both([&read, &write, &both], digits, has_rates));
        prop_assert!(audit.findings.is_empty(), "{:#?}", audit.findings);
        let latencies_held = audit.checks.iter().filter(|one| one.check == Check::Totals).map(|one| one.held);
        // The mean and three percentiles.
        prop_assert!(latencies_held.sum::<usize>() >= 4, "{:?}", audit.checks);
    }
}

/// A row of reads, of writes, and of both together, at 1,000 I/Os per second for each I/O that is known of them.
fn row_of_both(all: [&Truth; 3], digits: usize, has_rates: bool) -> String {
    let streams = all.map(|truth| {
        let rate = has_rates.then_some(("iops", 1_000.0 * truth.latencies_us.len() as f64));
        let latencies = [
            ("lat_mean_us", truth.mean_us()),
            ("lat_p50_us", truth.percentile_us(50.0)),
            ("lat_p99_us", truth.percentile_us(99.0)),
            ("lat_p999_us", truth.percentile_us(99.9)),
        ];
        let figures = latencies.into_iter().chain(rate);
        let figures: Vec<String> =
            figures.map(|(name, value)| format!("{name} = {}", print(value, digits))).collect();
        figures.join(", ")
    });
    let [read, write, total] = streams;
    format!(
        "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n\
         read = {{ {read} }}\nwrite = {{ {write} }}\ntotal = {{ {total} }}\n"
    )
}

/// What is found of a row whose reads take 1 ms and whose writes take 4 ms: the cause, and what would be right.
fn of_both(read_iops: &str, write_iops: &str, total: &str) -> Vec<(Cause, f64)> {
    let text = format!(
        "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n\
         read = {{ {read_iops}lat_mean_us = \"1000\", lat_p99_us = \"3000\" }}\n\
         write = {{ {write_iops}lat_mean_us = \"4000\", lat_p99_us = \"9000\" }}\ntotal = {{ {total} }}\n"
    );
    let findings = audit(&text).findings;
    assert!(findings.iter().all(|one| one.check == Check::Totals), "{findings:#?}");
    findings.iter().map(|one| (one.cause, rights(one)[0].2)).collect()
}

#[test]
fn a_mean_of_both_directions_is_weighted_by_their_rates_and_a_percentile_is_between_theirs() {
    let mean = |total: &str| of_both("iops = \"45000\", ", "iops = \"5000\", ", total);
    assert_eq!(mean("lat_mean_us = \"1300\""), []);
    let [(Cause::Usual, right)] = &mean("lat_mean_us = \"3000\"")[..] else { panic!() };
    // 45,000 × 1,000 + 5,000 × 4,000, over 50,000.
    assert!((right - 1_300.0).abs() < 2.0, "{right}");
    assert_eq!(mean("lat_mean_us = \"2500\"")[0].0, Cause::NotWeighted);
    // The mix that the load asks for stands for rates: of 90 % reads a mean of 1.15 to 1.45 ms.
    let asked = |total: &str| {
        let text = "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\nload = { read_percent = 90 }\n\
                    read = { lat_mean_us = \"1000\" }\nwrite = { lat_mean_us = \"4000\" }\n";
        audit(&format!("{text}total = {{ lat_mean_us = \"{total}\" }}\n")).findings.len()
    };
    assert_eq!([asked("1300"), asked("1440"), asked("3000")], [0, 0, 1]);
    // Without rates it is between the two, whatever the mix.
    let mean = |total: &str| of_both("", "", total).len();
    assert_eq!([mean("lat_mean_us = \"3000\""), mean("lat_mean_us = \"1000\"")], [0, 0]);
    assert_eq!([mean("lat_mean_us = \"5000\""), mean("lat_mean_us = \"500\"")], [1, 1]);
    assert_eq!([mean("lat_p99_us = \"8000\""), mean("lat_p99_us = \"9100\"")], [0, 0], "a bucket");
    assert_eq!([mean("lat_p99_us = \"9500\""), mean("lat_p99_us = \"2500\"")], [1, 1]);
    assert_eq!(mean("lat_p999_us = \"9500\""), 0, "nothing is known of theirs");
}

#[test]
fn from_what_is_printed_as_zero_a_change_has_only_a_least() {
    let found = |percent: &str| {
        let rows =
            "[[row]]\nid = \"A\"\nread = { iops = 0.0 }\n[[row]]\nid = \"B\"\nread = { iops = 50.0 }\n";
        let claim = format!(
            "[[claim]]\nkind = \"delta\"\nmetric = \"read.iops\"\nbaseline = \"A\"\nrow = \"B\"\npercent = {percent}\n"
        );
        audit(&format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n{rows}{claim}")).findings
    };
    // 0.0 is below 0.1, from which to 49.95 it is 499.5 times.
    assert_eq!(found("60000.0"), []);
    let [only] = &found("20.0")[..] else { panic!() };
    let Some(Right::Change { bound: Some(BoundRelation::AtLeast), percent }) = only.right else {
        panic!("{only:?}")
    };
    assert!((percent - 49_850.0).abs() < 1e-6, "{percent}");
}

#[test]
fn a_change_that_rounds_to_zero_has_either_sign() {
    for (to, percent, is_right) in
        [("2746.57", "-0.0", true), ("2746.57", "0.0", true), ("2700.00", "0.0", false)]
    {
        let rows = [("A", "2746.59"), ("B", to)]
            .map(|(id, mean)| format!("[[row]]\nid = \"{id}\"\nread = {{ lat_mean_us = {mean} }}\n"));
        let claim = format!(
            "[[claim]]\nkind = \"delta\"\nmetric = \"read.lat_mean_us\"\nbaseline = \"A\"\nrow = \"B\"\npercent = {percent}\n"
        );
        let audit = audit(&format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n{}{claim}", rows.concat()));
        assert_eq!(audit.findings.is_empty(), is_right, "{to} {percent}: {audit:#?}");
    }
}

/// One row with 8 KiB reads.
fn row(read: &str, more: &str) -> Audit {
    audit(&format!(
        "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n\
         load = {{ read_percent = 100, block_size_bytes = 8192, outstanding = 32 }}\nread = {{ {read} }}\n{more}"
    ))
}

/// What would be right, each figure rounded to whole numbers.
fn rights(finding: &AuditFinding) -> Vec<(RightQuantity, Option<BoundRelation>, f64)> {
    let Some(Right::Figures(figures)) = &finding.right else { return Vec::new() };
    figures.iter().map(|one| (one.quantity, one.bound, one.value.middle().round())).collect()
}

const fn exactly(quantity: RightQuantity, value: f64) -> (RightQuantity, Option<BoundRelation>, f64) {
    (quantity, None, value)
}

const IOPS: RightQuantity = RightQuantity::Figure(Unit::Iops);
const MIB_PER_S: RightQuantity = RightQuantity::Figure(Unit::MibPerS);

#[test]
fn a_throughput_that_does_not_fit_is_told_with_its_cause() {
    let check = |read: &str, is_cause: fn(Cause) -> bool, other: Option<(RightQuantity, f64)>| {
        let audit = row(read, "");
        let finding = &audit.findings[0];
        assert_eq!(
            (finding.check, finding.weight),
            (Check::IopsBandwidth, Weight::Contradiction),
            "{audit:#?}"
        );
        assert!(is_cause(finding.cause), "{finding:?}");
        let mut expected = vec![exactly(MIB_PER_S, 424.0)];
        expected.extend(other.map(|(quantity, value)| exactly(quantity, value)));
        assert_eq!(rights(finding), expected);
    };
    let is_mb = |cause| cause == Cause::Unit(UnitMistake::MbAsMib);
    check("iops = 54321, bandwidth_mib_per_s = 445", is_mb, None);
    let is_k = |cause| cause == Cause::Unit(UnitMistake::ThousandsTimesKib);
    check("iops = 54321, bandwidth_mib_per_s = 434.6", is_k, None);
    // A unit is mistaken in the figure that it stands behind; else two figures do not say which of them is wrong.
    let is_size = |cause| cause == Cause::OtherBlockSize(ByteSize::kib(64));
    let size = (RightQuantity::BlockSize, 65_536.0);
    check("iops = 54321, bandwidth_mib_per_s = 3395.1", is_size, Some(size));
    let is_kib = |cause| cause == Cause::Unit(UnitMistake::KibAsMib);
    check("iops = 54321, bandwidth_mib_per_s = 434567", is_kib, None);
    let is_other_run = |cause| matches!(cause, Cause::DifferentRuns(_));
    check("iops = 54321, bandwidth_mib_per_s = 700.1", is_other_run, Some((IOPS, 89_613.0)));
    // Cut off instead of rounded, and zeros that may be no digits.
    assert_eq!(row("iops = 54456, bandwidth_mib_per_s = 425", "").findings, []);
    assert_eq!(row("iops = 98600, bandwidth_mib_per_s = 770", "").findings, []);
}

#[test]
fn zeros_that_hide_a_usual_mistake_are_a_doubt_and_no_contradiction() {
    let audit = row("iops = 2500000, bandwidth_mib_per_s = 20000", "");
    assert_eq!(audit.findings[0].weight, Weight::Doubt);
    assert_eq!(audit.findings[0].cause, Cause::Unit(UnitMistake::ThousandsTimesKib));
    assert!(!audit.has_contradictions());
}

#[test]
fn one_direction_beside_both_is_recognised() {
    let text = "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n\
                load = { read_percent = 70, block_size_bytes = 8192 }\ntotal = { iops = 10123, bandwidth_mib_per_s = 55.4 }";
    assert_eq!(audit(text).findings[0].cause, Cause::BandwidthOfOne(StreamKind::Read));
}

/// What follows of the larger of two sizes, for a stream of pages of 8 KiB and of log blocks of `log_bytes`.
fn rate_of_log(log_bytes: u64, write: &str) -> (Vec<iotrial_model::audit::DerivedRate>, Vec<Check>) {
    let job = |name: &str, role: &str, reads: u64, size: u64| {
        format!(
            "[[job]]\nname = \"{name}\"\nrole = \"{role}\"\nread_percent = {reads}\nblock_size_bytes = {size}\n"
        )
    };
    let text = format!(
        "format = \"iotrial.table/1\"\ntitle = \"T\"\n{}{}[[row]]\nid = \"A\"\n\
         read = {{ iops = 98600, bandwidth_mib_per_s = 770 }}\nwrite = {{ {write} }}\n",
        job("pages", "data", 70, 8_192),
        job("log", "log", 0, log_bytes)
    );
    let audit = audit(&text);
    (audit.derived, audit.findings.iter().map(|one| one.check).collect())
}

#[test]
fn the_rate_of_a_log_follows_from_writes_of_two_sizes_and_what_no_mix_of_them_gives_is_a_contradiction() {
    let (derived, findings) = rate_of_log(65_536, "iops = 53900, bandwidth_mib_per_s = 501");
    let [one] = &derived[..] else { panic!("{derived:?}") };
    // (1,024 × 501 − 8 × 53,900) ÷ 56.
    assert_eq!((one.stream, one.role, one.iops.round()), (StreamKind::Write, Some(Role::Log), 1_461.0));
    // From 500.5 MiB/s of 54,000 to 502 of 53,850.
    assert_eq!([one.range.low, one.range.high].map(f64::round), [1_438.0, 1_487.0]);
    assert_eq!(findings, []);
    // Below 8 KiB each, and above 64 KiB each.
    for bandwidth in ["399", "3501"] {
        let write = format!("iops = 53900, bandwidth_mib_per_s = {bandwidth}");
        assert_eq!(rate_of_log(65_536, &write), (Vec::new(), vec![Check::IopsBandwidth]), "{bandwidth}");
    }
    // All of 8 KiB, as far as the digits tell; one size; no bytes.
    for (size, write) in [
        (65_536, "iops = 53900, bandwidth_mib_per_s = 421"),
        (8_192, "iops = 53900, bandwidth_mib_per_s = 421"),
        (65_536, "iops = 53900"),
    ] {
        assert_eq!(rate_of_log(size, write), (Vec::new(), Vec::new()), "{size}, {write}");
    }
}

/// What Little's law gives, to a tenth, and what the loads have.
#[track_caller]
fn observed(audit: &Audit) -> (Vec<f64>, ConfiguredOutstanding) {
    let [Observation::Outstanding { implied, configured, .. }] = &audit.observations[..] else {
        panic!("{audit:#?}");
    };
    (implied.iter().map(|one| (10.0 * one).round() / 10.0).collect(), configured.clone())
}

#[test]
fn more_outstanding_than_the_load_has_is_a_contradiction_and_few_are_a_doubt() {
    let more = row("iops = 10000.0, lat_mean_us = 4000.0", "");
    assert_eq!((more.findings[0].check, more.findings[0].weight), (Check::LittlesLaw, Weight::Contradiction));
    assert_eq!(more.findings[0].off_by_percent.map(f64::round), Some(25.0));
    let at_most = (RightQuantity::MeanLatencyAtTheseRates, Some(BoundRelation::AtMost), 3_200.0);
    assert_eq!(rights(&more.findings[0]), [at_most]);
    let few = row("iops = 10000.0, lat_mean_us = 400.0", "");
    assert_eq!((few.findings[0].check, few.findings[0].weight), (Check::LittlesLaw, Weight::Doubt));
    let well = row("iops = 10000.0, lat_mean_us = 3100.0", "");
    assert_eq!(well.findings, []);
    assert_eq!(
        observed(&well),
        (vec![31.0], ConfiguredOutstanding::Same { count: 32, inferred_count: 0, fits: true })
    );
    assert_eq!(
        observed(&more),
        (vec![40.0], ConfiguredOutstanding::Same { count: 32, inferred_count: 0, fits: false })
    );
}

#[test]
fn nothing_goes_faster_than_its_link() {
    let over = |attributes: &str, read: &str| {
        row(read, "").findings.len() + row(read, &format!("attributes = {{ {attributes} }}")).findings.len()
    };
    let finding = |attributes: &str, read: &str| {
        let audit = row(read, &format!("attributes = {{ {attributes} }}"));
        audit.findings.first().map(|finding| (finding.check, finding.weight))
    };
    assert_eq!(finding("network_gbit_s = 10", "bandwidth_mib_per_s = 1191"), None);
    assert_eq!(
        finding("network_gbit_s = 10", "bandwidth_mib_per_s = 1250"),
        Some((Check::LinkBandwidth, Weight::Contradiction))
    );
    assert_eq!(finding("network_gbit_s = 10, hosts = 2", "bandwidth_mib_per_s = 1253"), None);
    assert_eq!(finding("attachment = \"sata\"", "bandwidth_mib_per_s = 571"), None);
    assert_eq!(
        finding("attachment = \"SATA\"", "bandwidth_mib_per_s = 612"),
        Some((Check::LinkBandwidth, Weight::Contradiction))
    );
    // 8 KiB over 10 Gbit/s are 6.6 µs.
    assert_eq!(
        finding("network_gbit_s = 10", "lat_mean_us = 5.1"),
        Some((Check::LinkLatency, Weight::Contradiction))
    );
    assert_eq!(
        finding("distance_km = 20", "lat_mean_us = 180"),
        Some((Check::LinkLatency, Weight::Contradiction))
    );
    assert_eq!(over("network_gbit_s = 10", "lat_mean_us = 8.1"), 0);
}

fn of_imported(record: &ImportedRecord) -> Audit {
    Audit::of(&Subject::of_imported(record))
}

fn of_run(record: &RunRecord) -> Audit {
    Audit::of(&Subject::of_run(record))
}

fn imported(load: StatedLoad, read: StatedStream) -> ImportedRecord {
    let mut record = ImportedRecord::of_source(Source {
        kind: SourceKind::FioJson,
        tool: "fio".to_owned(),
        version: None,
        file: "x.json".to_owned(),
        place: "jobs[0]".to_owned(),
        sha256: String::new(),
        read_by: "test".to_owned(),
    });
    let ops = StatedOps { read: Some(read), ..StatedOps::default() };
    record.jobs = vec![ImportedJob { name: "j".to_owned(), load, ops, ..ImportedJob::default() }];
    record
}

fn random_reads() -> StatedLoad {
    let load = StatedLoad {
        pattern: Some(Pattern::Random),
        rwmix_read_percent: Some(100.0),
        direct: Some(true),
        iodepth: Some(8),
        numjobs: Some(2),
        size: Some(ByteSize::gib(1)),
        ..StatedLoad::default()
    };
    load.with_block_size(Some(ByteSize::kib(4)))
}

fn stream() -> StatedStream {
    let mut stream = StatedStream {
        runtime_s: Some(Stated::exact(10.0)),
        io_count: Some(1_000_000),
        bytes: Some(4_096_000_000),
        iops: Some(Stated::exact(100_000.0)),
        bandwidth_mib_per_s: Some(Stated::exact(390.625)),
        ..StatedStream::default()
    };
    stream.total_latency.mean_us = Some(Stated::exact(159.0));
    stream.total_latency.max_us = Some(Stated::exact(9_000.0));
    stream
}

#[test]
fn reads_that_no_device_saw_are_a_contradiction() {
    let check = |read_count: u64, expected: usize| {
        let mut record = imported(random_reads(), stream());
        record.devices = vec![StatedDevice {
            name: "sda".to_owned(),
            read_count: Some(read_count),
            ..StatedDevice::default()
        }];
        let audit = of_imported(&record);
        assert_eq!(audit.findings.len(), expected, "{audit:#?}");
        audit
    };
    check(1_000_000, 0);
    check(1_400_000, 0);
    let audit = check(12_345, 1);
    assert_eq!((audit.findings[0].check, audit.has_contradictions()), (Check::CacheServed, true));
    let (stated, expected) = (1_000_000.0.into(), 12_345.0.into());
    let compared = Compared::DeviceReads;
    assert_eq!(audit.findings[0].conflict, Conflict::Figures { compared, stated, expected });
    assert_eq!(audit.findings[0].cause, Cause::SparseFile);
    // Half a second of 100,000 a second may come after the counters were read.
    let late = check(951_000, 0);
    let [Unchecked { reason: Reason::LateCounters { missing_percent, .. }, .. }] = late.unchecked[..] else {
        panic!("{late:#?}");
    };
    assert!((missing_percent - 4.9).abs() < 1e-9, "{missing_percent}");
    check(949_000, 1);
}

#[test]
fn a_latency_is_the_sum_of_its_parts() {
    let check = |total: f64, submission: Option<f64>, completion: f64, expected: usize| {
        let mut stream = stream();
        stream.total_latency.mean_us = Some(Stated::exact(total));
        stream.submission_latency.mean_us = submission.map(Stated::exact);
        stream.completion_latency.mean_us = Some(Stated::exact(completion));
        let audit = of_imported(&imported(random_reads(), stream));
        let found = audit.findings.iter().filter(|finding| finding.check == Check::LatencyParts).count();
        assert_eq!(found, expected, "{audit:#?}");
    };
    check(159.0, Some(9.0), 150.0, 0);
    check(159.0, Some(9.0), 120.0, 1);
    check(120.0, Some(9.0), 150.0, 1);
    // Where submission is not timed, it is whatever is left.
    check(159.0, None, 120.0, 0);
    check(140.0, None, 150.0, 1);
}

#[test]
fn a_mean_is_held_against_the_classes_of_a_histogram() {
    let check = |mean_ms: f64, expected: usize| {
        let mut stream = StatedStream::default();
        let whole = |value| Stated { value, resolution: 1_000.0 };
        stream.total_latency.mean_us = Some(whole(mean_ms * 1_000.0));
        stream.total_latency.max_us = Some(whole(300_000.0));
        let band = |from: f64, below: Option<f64>, percent| LatencyBand {
            from_us: from * 1e3,
            below_us: below.map(|below| below * 1e3),
            percent: Stated { value: percent, resolution: 1.0 },
        };
        stream.total_latency.bands =
            vec![band(0.0, Some(1.0), 20.0), band(1.0, Some(24.0), 31.0), band(24.0, None, 49.0)];
        let audit = of_imported(&imported(StatedLoad::default(), stream));
        let found = audit.findings.iter().filter(|finding| finding.check == Check::MeanByPercentiles).count();
        assert_eq!(found, expected, "{audit:#?}");
    };
    check(21.0, 0);
    check(3.0, 1);
    check(180.0, 1);
}

#[test]
fn a_class_with_a_printed_zero_may_have_a_few_ios() {
    let found = |resolution: f64| {
        let mut stream = StatedStream::default();
        stream.total_latency.mean_us = Some(Stated { value: 1_500.0, resolution: 100.0 });
        stream.total_latency.max_us = Some(Stated { value: 300_000.0, resolution: 1_000.0 });
        let band = |from_us: f64, below_us: Option<f64>, percent: f64| LatencyBand {
            from_us,
            below_us,
            percent: Stated { value: percent, resolution },
        };
        stream.total_latency.bands = vec![band(0.0, Some(1_000.0), 100.0), band(1_000.0, None, 0.0)];
        let audit = of_imported(&imported(StatedLoad::default(), stream));
        audit.findings.iter().filter(|finding| finding.check == Check::MeanByPercentiles).count()
    };
    // Of whole percent up to one percent took longer, and that may be 300 ms each; of counted I/Os none did.
    assert_eq!((found(1.0), found(0.0)), (0, 1));
}

#[test]
fn without_the_longest_io_a_mean_is_still_held_against_the_least_that_percentiles_allow() {
    let mut stream = StatedStream::default();
    stream.total_latency.mean_us = Some(Stated { value: 100.0, resolution: 1.0 });
    stream.total_latency.percentiles_us =
        vec![StatedPercentile { percent: 50.0, at: Stated { value: 1_000.0, resolution: 1.0 } }];
    let audit = of_imported(&imported(StatedLoad::default(), stream));
    let checks: Vec<Check> = audit.findings.iter().map(|finding| finding.check).collect();
    assert_eq!(checks, [Check::MeanByPercentiles]);
}

#[test]
fn nothing_is_made_of_a_throughput_that_is_refuted_already() {
    let mut wrong = stream();
    wrong.bandwidth_mib_per_s = Some(Stated::exact(410.2));
    let audit = of_imported(&imported(random_reads(), wrong));
    let checks: Vec<Check> = audit.findings.iter().map(|finding| finding.check).collect();
    assert_eq!(checks, [Check::IopsBandwidth], "{audit:#?}");
}

#[test]
fn what_tools_leave_out_of_an_entry_accuses_nobody() {
    let outstanding = |load: StatedLoad| {
        let mut stream = stream();
        stream.total_latency.mean_us = Some(Stated::exact(318.0));
        let audit = of_imported(&imported(load, stream));
        audit.findings.into_iter().map(|finding| (finding.check, finding.weight)).collect::<Vec<_>>()
    };
    let with = |name: &str, value: &str| {
        let mut load = random_reads();
        load.options.insert(name.to_owned(), value.to_owned());
        load
    };
    assert_eq!(outstanding(random_reads()), [(Check::LittlesLaw, Weight::Contradiction)]);
    assert_eq!(outstanding(with("group_reporting", "1")), [(Check::LittlesLaw, Weight::Doubt)]);
    assert_eq!(outstanding(StatedLoad { numjobs: Some(4), ..random_reads() }), []);
    // A rate or pauses leave few of them outstanding.
    let many = StatedLoad { numjobs: Some(40), ..random_reads() };
    assert_eq!(outstanding(many.clone()), [(Check::LittlesLaw, Weight::Doubt)]);
    assert_eq!(outstanding(StatedLoad { paced: true, ..many }), []);
    // One I/O under way at the end of a short run is in the count, and not in the bytes.
    let mut short = stream();
    short.runtime_s = Some(Stated::exact(1.0));
    short.io_count = Some(303);
    short.total_latency.mean_us = Some(Stated::exact(3_280.0));
    short.bytes = Some(302 * 4_096);
    short.iops = Some(Stated::exact(303.0));
    short.bandwidth_mib_per_s = Some(Stated::exact(302.0 * 4_096.0 / 1_048_576.0));
    let load = StatedLoad { iodepth: Some(1), numjobs: Some(1), ..random_reads() };
    assert_eq!(of_imported(&imported(load, short)).findings, []);
}

#[test]
fn counts_of_an_import_are_held_against_rate_and_size() {
    let check = |change: fn(&mut StatedStream), check: Check| {
        let mut stream = stream();
        change(&mut stream);
        let audit = of_imported(&imported(random_reads(), stream));
        assert_eq!(audit.findings.first().map(|finding| finding.check), Some(check), "{audit:#?}");
    };
    assert_eq!(of_imported(&imported(random_reads(), stream())).findings, []);
    check(|stream| stream.io_count = Some(1_100_000), Check::Totals);
    check(|stream| stream.runtime_s = Some(Stated::exact(9.0)), Check::Totals);
    check(|stream| stream.total_latency.stddev_us = Some(Stated::exact(5_000.0)), Check::Deviation);
    check(|stream| stream.total_latency.mean_us = Some(Stated::exact(0.4)), Check::LittlesLaw);
    check(
        |stream| {
            let at = |percent, us| StatedPercentile { percent, at: Stated::exact(us) };
            stream.total_latency.percentiles_us = vec![at(50.0, 400.0), at(99.0, 500.0)];
        },
        Check::MeanByPercentiles,
    );
}

#[test]
fn the_figure_that_the_others_refute_is_named_with_its_right_value() {
    let check = |change: fn(&mut StatedStream), check: Check, right: &[(RightQuantity, f64)]| {
        let mut stream = stream();
        change(&mut stream);
        let audit = of_imported(&imported(random_reads(), stream));
        let right: Vec<_> = right.iter().map(|(quantity, value)| exactly(*quantity, *value)).collect();
        let found: Vec<_> =
            audit.findings.iter().filter(|finding| finding.check == check).map(rights).collect();
        assert!(!found.is_empty(), "{audit:#?}");
        assert!(found.iter().all(|found| *found == right), "{found:?}, not {right:?}");
        audit
    };
    let ios = RightQuantity::Figure(Unit::Ios);
    // Count, bytes and MiB/s agree on 100,000 a second; nothing else is accused, and Little's law takes the right one.
    let wrong_iops = |stream: &mut StatedStream| stream.iops = Some(Stated::exact(110_000.0));
    let iops = check(wrong_iops, Check::IopsBandwidth, &[(IOPS, 100_000.0)]);
    assert_eq!(iops.findings[0].cause, Cause::WrongIops(Witness::CountAndBytes));
    assert_eq!((iops.findings.len(), iops.findings[0].off_by_percent.map(f64::round)), (1, Some(10.0)));
    assert_eq!(observed(&iops).0, [15.9]);
    let mib = |stream: &mut StatedStream| stream.bandwidth_mib_per_s = Some(Stated::exact(430.0));
    assert_eq!(check(mib, Check::IopsBandwidth, &[(MIB_PER_S, 391.0)]).findings.len(), 1);
    check(|stream| stream.io_count = Some(1_100_000), Check::Totals, &[(ios, 1_000_000.0)]);
    let moved = RightQuantity::Figure(Unit::Mib);
    check(|stream| stream.bytes = Some(3_000_000_000), Check::Totals, &[(moved, 3_906.0)]);
    let shorter = |stream: &mut StatedStream| stream.runtime_s = Some(Stated::exact(9.0));
    check(shorter, Check::Totals, &[(RightQuantity::Runtime, 10.0)]);
    // Without MiB/s the bytes decide, and without those nothing does.
    let without = |stream: &mut StatedStream| {
        stream.iops = Some(Stated::exact(110_000.0));
        stream.bandwidth_mib_per_s = None;
    };
    check(without, Check::Totals, &[(IOPS, 100_000.0)]);
    let alone = |stream: &mut StatedStream| {
        stream.iops = Some(Stated::exact(110_000.0));
        (stream.bandwidth_mib_per_s, stream.bytes) = (None, None);
    };
    check(alone, Check::Totals, &[(ios, 1_100_000.0), (IOPS, 100_000.0)]);
    // Count with IOPS and bytes with MiB/s: neither of them is wrong.
    let halves = |stream: &mut StatedStream| {
        stream.bytes = Some(2_048_000_000);
        stream.bandwidth_mib_per_s = Some(Stated::exact(195.312_5));
    };
    check(halves, Check::IopsBandwidth, &[(RightQuantity::IoSize, 2_048.0)]);
}

#[test]
fn fewer_bytes_than_the_ios_have_are_a_doubt_but_for_those_at_the_ends() {
    let doubts = |change: fn(&mut StatedStream)| {
        let mut stream = stream();
        change(&mut stream);
        let audit = of_imported(&imported(random_reads(), stream));
        let of_size = audit.findings.iter().filter(|finding| finding.check == Check::TransferSize);
        of_size.map(|finding| finding.weight).collect::<Vec<_>>()
    };
    assert_eq!(doubts(|stream| stream.io_count = Some(2_000_000)), [Weight::Doubt]);
    assert_eq!(doubts(|stream| stream.bytes = Some(2_048_000_000)), [Weight::Doubt]);
    // 16 are outstanding.
    assert_eq!(doubts(|stream| stream.bytes = Some(4_096 * (1_000_000 - 16))), []);
    assert_eq!(doubts(|stream| stream.bytes = Some(4_096 * (1_000_000 - 17))), [Weight::Doubt]);
    // Those that failed are counted and move nothing.
    let failed = |stream: &mut StatedStream| {
        stream.error_count = Some(1_000);
        stream.bytes = Some(4_096 * 999_000);
    };
    assert_eq!(doubts(failed), []);
}

#[test]
fn shares_of_a_histogram_that_are_not_100_percent_are_a_contradiction() {
    let audit = |shares: [f64; 3]| {
        let mut stream = stream();
        let band = |index: usize, percent| LatencyBand {
            from_us: 100.0 * index as f64,
            below_us: (index < 2).then_some(100.0 * (index + 1) as f64),
            percent: Stated { value: percent, resolution: 1.0 },
        };
        stream.total_latency.bands = shares.into_iter().enumerate().map(|(i, one)| band(i, one)).collect();
        of_imported(&imported(random_reads(), stream))
    };
    // Three shares that are rounded or cut off.
    assert_eq!((audit([33.0, 33.0, 33.0]).findings, audit([34.0, 34.0, 33.0]).findings), (vec![], vec![]));
    for shares in [[60.0, 40.0, 38.0], [60.0, 20.0, 10.0]] {
        let audit = audit(shares);
        let [only] = &audit.findings[..] else { panic!("{audit:#?}") };
        assert_eq!((only.check, only.weight), (Check::HistogramShares, Weight::Contradiction));
        assert_eq!(audit.unchecked[0].reason, Reason::SharesNot100);
    }
}

/// What diskspd's XML tells: counts and means without rates, of both directions and of both together.
fn of_counts(read: u64, write: u64, all: u64) -> ImportedRecord {
    let stream = |io_count: u64| {
        let mut stream = StatedStream {
            runtime_s: Some(Stated { value: 10.0, resolution: 0.01 }),
            io_count: Some(io_count),
            bytes: Some(io_count * 4_096),
            ..StatedStream::default()
        };
        stream.total_latency.mean_us = Some(Stated::exact(159.0));
        stream
    };
    let load = StatedLoad { rwmix_read_percent: Some(70.0), ..random_reads() };
    let mut record = imported(load, stream(read));
    record.source.kind = SourceKind::DiskspdXml;
    (record.jobs[0].ops.write, record.jobs[0].ops.all) = (Some(stream(write)), Some(stream(all)));
    let course = |second: u32| StatedInterval {
        start_s: second.into(),
        duration_s: 1.0,
        job: None,
        ops: StatedOps {
            read: Some(StatedStream { iops: Some(Stated::exact(70_000.0)), ..StatedStream::default() }),
            write: Some(StatedStream { iops: Some(Stated::exact(30_000.0)), ..StatedStream::default() }),
            ..StatedOps::default()
        },
    };
    record.intervals = (0..10).map(course).collect();
    record
}

#[test]
fn counts_without_rates_are_held_against_each_other_the_course_and_the_load() {
    let found = |record: &ImportedRecord| {
        let audit = of_imported(record);
        audit.findings.iter().map(|finding| (finding.check, rights(finding))).collect::<Vec<_>>()
    };
    let record = of_counts(700_000, 300_000, 1_000_000);
    let audit = of_imported(&record);
    assert_eq!(audit.findings, []);
    assert_eq!(
        observed(&audit),
        (vec![15.9], ConfiguredOutstanding::Same { count: 16, inferred_count: 0, fits: true })
    );
    let mut twice = record.clone();
    twice.jobs[0].ops.read.as_mut().unwrap().io_count = Some(1_400_000);
    let findings = found(&twice);
    let read_ios = exactly(RightQuantity::Read(Unit::Ios), 700_000.0);
    assert_eq!(findings[0], (Check::Totals, vec![read_ios]));
    assert_eq!(
        findings.iter().map(|(check, _)| *check).collect::<Vec<_>>(),
        [Check::Totals, Check::Totals, Check::TransferSize]
    );
    let mut fewer = record.clone();
    fewer.jobs[0].ops.read.as_mut().unwrap().bytes = Some(700_000 * 1_024);
    let read_bytes = exactly(RightQuantity::Read(Unit::Bytes), 2_867_200_000.0);
    assert_eq!(found(&fewer)[0], (Check::Totals, vec![read_bytes]));
    let mut shorter = record.clone();
    let ops = &mut shorter.jobs[0].ops;
    for stream in [&mut ops.read, &mut ops.write] {
        stream.as_mut().unwrap().runtime_s = Some(Stated { value: 5.0, resolution: 0.01 });
    }
    let findings = found(&shorter);
    assert_eq!(findings[0].0, Check::LittlesLaw);
    assert_eq!(findings[1], (Check::Totals, vec![exactly(RightQuantity::Runtime, 10.0)]));
    // A course that was shortened accuses nobody, and none is told of.
    let mut cut_off = record.clone();
    cut_off.intervals.truncate(3);
    assert_eq!(found(&cut_off), []);
    cut_off.intervals.clear();
    assert_eq!(of_imported(&cut_off).unchecked[0].reason, Reason::NoIntervals);
    let mut without_latency = record;
    let ops = &mut without_latency.jobs[0].ops;
    for stream in [&mut ops.read, &mut ops.write] {
        stream.as_mut().unwrap().total_latency.mean_us = None;
    }
    assert_eq!(of_imported(&without_latency).unchecked[0].reason, Reason::NoMeanLatency);
}

#[test]
fn a_healthy_run_agrees_with_itself_and_a_changed_one_does_not() {
    let mut record = healthy();
    let audit = of_run(&record);
    assert_eq!(audit.findings, []);
    assert!(audit.held_count() > 10, "{:?}", audit.checks);
    record.jobs[0].read.as_mut().unwrap().bytes += 8_192;
    let audit = of_run(&record);
    assert!(audit.findings.iter().any(|finding| finding.check == Check::Totals), "{audit:#?}");
}

#[test]
fn every_check_has_one_spelling() {
    for check in Check::ALL.iter().copied() {
        assert_eq!(serde_json::to_value(check).unwrap(), check.as_str());
    }
}

#[test]
fn a_latency_that_was_printed_as_a_bound_is_held_against_the_load_and_the_claims() {
    let table = |latency: &str, outstanding: u64, percent: f64| {
        format!(
            "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\nload = {{ block_size_bytes = 8192, outstanding = {outstanding} }}\nread = {{ iops = 80123, lat_mean_us = \"{latency}\" }}\n[[row]]\nid = \"B\"\nread = {{ lat_mean_us = 4123 }}\n[[claim]]\nkind = \"delta\"\nmetric = \"read.lat_mean_us\"\nbaseline = \"B\"\nrow = \"A\"\npercent = {percent:?}\n"
        )
    };
    let found = |text: &str| {
        let audit = Audit::of_table(&PublishedTable::parse(text).unwrap());
        audit.findings.iter().map(|one| (one.check, one.weight)).collect::<Vec<_>>()
    };
    assert_eq!(found(&table("< 1000", 64, -90.0)), []);
    // At 1 ms at most there are at most 80 in flight, of 1,000 that the load is to keep.
    assert_eq!(found(&table("< 1000", 1_000, -90.0)), [(Check::LittlesLaw, Weight::Doubt)]);
    // At 1 ms and more there are at least 80, and the load has 16.
    assert_eq!(found(&table("> 1000", 16, -70.0)), [(Check::LittlesLaw, Weight::Contradiction)]);
    assert_eq!(found(&table("< 1000", 64, -50.0)), [(Check::ClaimedChange, Weight::Contradiction)]);
}

/// Which checks find something in reads of this load, with their weights and causes.
fn found_in(load: StatedLoad, read: StatedStream) -> Vec<(Check, Weight, Cause)> {
    let audit = of_imported(&imported(load, read));
    audit.findings.into_iter().map(|one| (one.check, one.weight, one.cause)).collect()
}

#[test]
fn what_was_under_way_at_the_end_of_a_ramp_brings_bytes_and_no_ios() {
    // MiB/s with few digits, so that the total of the bytes does not contradict them as well.
    let more = |count: u64| StatedStream {
        bytes: Some(4_096 * (1_000_000 + count)),
        bandwidth_mib_per_s: Some(Stated { value: 391.0, resolution: 1.0 }),
        ..stream()
    };
    let ramped = || StatedLoad { ramp_s: Some(5.0), ..random_reads() };
    // 16 are outstanding.
    assert_eq!(found_in(ramped(), more(16)), []);
    assert_eq!(found_in(ramped(), more(17))[0].0, Check::TransferSize);
    assert_eq!(found_in(random_reads(), more(1))[0].0, Check::TransferSize);
}

#[test]
fn merged_reads_were_done_and_engines_that_pass_no_disk_accuse_nobody() {
    let check = |engine: Option<&str>, read_count: u64, merged: u64, expected: usize| {
        let load = StatedLoad { engine: engine.map(str::to_owned), ..random_reads() };
        let mut record = imported(load, stream());
        record.devices = vec![StatedDevice {
            name: "sda".to_owned(),
            read_count: Some(read_count),
            read_merge_count: Some(merged),
            ..StatedDevice::default()
        }];
        assert_eq!(of_imported(&record).findings.len(), expected, "{engine:?} {read_count} {merged}");
    };
    check(Some("libaio"), 800_000, 200_000, 0);
    check(Some("libaio"), 800_000, 0, 1);
    for engine in ["rbd", "nfs", "http", "io_uring_cmd"] {
        check(Some(engine), 0, 0, 0);
    }
    check(None, 0, 0, 1);
}

#[test]
fn directions_rate_and_cpu_are_those_that_the_load_allows() {
    let mix = |percent: f64, read: u64, write: u64| {
        let of = |count: u64| {
            let share = count as f64 / 1_000_000.0;
            StatedStream {
                io_count: Some(count),
                bytes: Some(4_096 * count),
                iops: Some(Stated::exact(100_000.0 * share)),
                bandwidth_mib_per_s: Some(Stated::exact(390.625 * share)),
                ..stream()
            }
        };
        let mut record =
            imported(StatedLoad { rwmix_read_percent: Some(percent), ..random_reads() }, of(read));
        record.jobs[0].ops.write = (write > 0).then(|| of(write));
        let audit = of_imported(&record);
        audit.findings.into_iter().map(|one| (one.check, one.cause)).collect::<Vec<_>>()
    };
    assert_eq!(mix(70.0, 703_000, 297_000), []);
    assert_eq!(mix(70.0, 500_000, 500_000)[0].0, Check::Mix);
    assert_eq!(mix(25.0, 750_000, 250_000)[0], (Check::Mix, Cause::DirectionsSwapped));
    assert_eq!(mix(0.0, 1_000_000, 0)[0], (Check::Mix, Cause::DirectionsSwapped));
    let rated = |rate: f64| StatedLoad { rate_iops: Some(rate), ..random_reads() };
    assert_eq!(found_in(rated(100_000.0), stream()), []);
    assert_eq!(found_in(rated(10_000.0), stream())[0].0, Check::AskedRate);
    let cpu = |engine: &str, percent: f64| {
        let mut record = imported(StatedLoad { engine: Some(engine.to_owned()), ..random_reads() }, stream());
        record.jobs[0].cpu = Some(iotrial_model::imported::StatedCpu {
            usr_percent: Some(Stated::exact(percent)),
            sys_percent: None,
            per_io_us: None,
            of: iotrial_model::imported::CpuBasis::EachCopy,
        });
        of_imported(&record).findings.first().map(|one| one.check)
    };
    assert_eq!((cpu("libaio", 99.0), cpu("libaio", 150.0)), (None, Some(Check::CpuTime)));
    // Threads of the kernel count as those of the process.
    assert_eq!(cpu("io_uring", 150.0), None);
}

#[test]
fn littles_law_tells_which_of_total_and_completion_is_wrong() {
    let parts = |total: f64, completion: f64| {
        let mut stream = stream();
        stream.total_latency.mean_us = Some(Stated::exact(total));
        stream.completion_latency.mean_us = Some(Stated::exact(completion));
        stream.submission_latency.mean_us = Some(Stated::exact(1.0));
        let audit = of_imported(&imported(random_reads(), stream));
        let finding = audit.findings.iter().find(|one| one.check == Check::LatencyParts).unwrap();
        (finding.cause, rights(finding))
    };
    // 16 are outstanding at 159 µs.
    let completion = exactly(RightQuantity::CompletionLatency, 158.0);
    assert_eq!(parts(159.0, 20.0), (Cause::LittlesLawWithTotal, vec![completion]));
    let mean = exactly(RightQuantity::MeanLatency, 159.0);
    assert_eq!(parts(20.0, 158.0), (Cause::LittlesLawWithParts, vec![mean]));
}

#[test]
fn clients_add_up_to_all_of_them_and_their_mean_is_weighted() {
    let check = |count: u64, mean_us: f64, expected: &[Check]| {
        let with = |count: u64, mean_us: f64| {
            let mut stream = stream();
            stream.total_latency = iotrial_model::imported::StatedLatency {
                mean_us: Some(Stated::exact(mean_us)),
                ..Default::default()
            };
            (stream.io_count, stream.bytes) = (Some(count), None);
            (stream.iops, stream.bandwidth_mib_per_s) = (Some(Stated::exact(count as f64 / 10.0)), None);
            stream.runtime_s = Some(Stated::exact(10.0));
            stream
        };
        let load = StatedLoad { iodepth: None, numjobs: None, ..random_reads() };
        let mut record = imported(load, with(100_000, 100.0));
        let mut other = record.jobs[0].clone();
        other.ops.read = Some(with(300_000, 200.0));
        record.jobs.push(other);
        let ops = StatedOps { read: Some(with(count, mean_us)), ..StatedOps::default() };
        record.total = Some(ops);
        let found: Vec<Check> = of_imported(&record).findings.iter().map(|one| one.check).collect();
        assert_eq!(found, expected);
    };
    check(400_000, 175.0, &[]);
    check(400_000, 150.0, &[Check::Totals]);
    check(380_000, 175.0, &[Check::Totals]);
}

#[test]
fn a_submission_above_the_total_is_wrong_by_itself() {
    let mut stream = stream();
    stream.total_latency.mean_us = Some(Stated::exact(159.0));
    stream.completion_latency.mean_us = Some(Stated::exact(157.0));
    stream.submission_latency.mean_us = Some(Stated::exact(320.0));
    let audit = of_imported(&imported(random_reads(), stream));
    let finding = audit.findings.iter().find(|one| one.check == Check::LatencyParts).unwrap();
    assert_eq!(rights(finding), [exactly(RightQuantity::SubmissionLatency, 2.0)]);
}

#[test]
fn latencies_that_were_copied_from_one_direction_to_the_other_are_a_doubt() {
    let check = |mean: [f64; 2], resolution: f64, expected: bool| {
        let with = |mean: f64| {
            let mut stream = stream();
            stream.total_latency.mean_us = Some(Stated { value: mean, resolution });
            stream.total_latency.stddev_us =
                Some(Stated { value: mean / 10.0, resolution: resolution / 10.0 });
            stream
        };
        let load = StatedLoad { rwmix_read_percent: Some(50.0), iodepth: Some(64), ..random_reads() };
        let mut record = imported(load, with(mean[0]));
        record.jobs[0].ops.write = Some(with(mean[1]));
        let audit = of_imported(&record);
        let found = audit.findings.iter().any(|one| one.check == Check::CopiedLatency);
        assert_eq!(found, expected, "{audit:#?}");
    };
    check([159.163_2, 159.163_2], 1e-4, true);
    check([159.163_2, 159.163_3], 1e-4, false);
    // Of whole milliseconds a chance.
    check([1_000.0, 1_000.0], 1_000.0, false);
}

#[test]
fn completions_that_nobody_stamped_have_no_percentiles() {
    let mut rubbish = stream();
    rubbish.completion_latency.mean_us = Some(Stated::exact(5_883_756.0));
    rubbish.completion_latency.percentiles_us =
        vec![StatedPercentile { percent: 99.0, at: Stated { value: 8_355_000.0, resolution: 1.0 } }];
    let mut load = random_reads();
    load.options.insert("sqthread_poll".to_owned(), "1".to_owned());
    let record = imported(load, rubbish);
    let audit = of_imported(&record);
    let [only] = &audit.findings[..] else { panic!("{audit:#?}") };
    assert_eq!(only.cause, Cause::NoSubmissionTimes);
    let subject = Subject::of_imported(&record);
    assert_eq!(crate::figures::Figures::of_all(&subject).unwrap().lat_p99_us, None);
    let found = findings(&subject);
    assert!(found.iter().any(|one| one.id == FindingId::ContradictoryFigures), "{found:?}");
}

#[test]
fn littles_law_counts_once_for_each_part_of_a_run() {
    let record = healthy();
    let mut tally = Tally::default();
    let parts = check_subject(&Subject::of_run(&record), &mut tally).len();
    let audit = of_run(&record);
    let count = audit.checks.iter().find(|count| count.check == Check::LittlesLaw).unwrap();
    assert_eq!(count.held, parts.max(1));
}

/// Three rows whose claims are true or false by their digits alone.
fn claims_of_three_rows(claim: &str) -> Vec<(Check, Weight, Option<Right>)> {
    let rows = "\
        [[row]]\nid = \"A\"\nread = { iops = 500, lat_mean_us = \"2.0\" }\n\
        [[row]]\nid = \"B\"\nread = { iops = 400, lat_mean_us = \"9.0\" }\n\
        [[row]]\nid = \"C\"\nread = { iops = 300, lat_mean_us = \"8.0\" }\nbounds = { write_lat_mean_us_below = 5 }\n";
    let text = format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n{rows}[[claim]]\n{claim}\n");
    audit(&text).findings.into_iter().map(|one| (one.check, one.weight, one.right)).collect()
}

#[test]
fn a_row_is_the_worst_only_where_no_other_one_is_worse() {
    let found = |claim: &str| claims_of_three_rows(&format!("kind = \"worst\"\n{claim}"));
    assert_eq!(found("row = \"C\"\nmetric = \"read.iops\""), []);
    assert_eq!(found("row = \"B\"\nmetric = \"read.lat_mean_us\""), []);
    let right = |row: &str| Some(Right::Row(row.to_owned()));
    let wrong = |row| [(Check::ClaimedWorst, Weight::Contradiction, right(row))];
    // 500 and 400 may have been rounded to hundreds, and then be one.
    assert_eq!(found("row = \"B\"\nmetric = \"read.iops\"").len(), 0);
    assert_eq!(found("row = \"A\"\nmetric = \"read.iops\""), wrong("C"));
    // By one metric each: which one counts is not for the figures to say.
    assert_eq!(found("row = \"C\""), [(Check::ClaimedWorst, Weight::Doubt, None)]);
    assert_eq!(found("row = \"A\""), wrong("C"));
}

#[test]
fn a_limit_is_broken_only_by_what_is_beyond_it_for_sure() {
    let found = |claim: &str| claims_of_three_rows(&format!("kind = \"limit\"\n{claim}")).len();
    let latency = "metric = \"read.lat_mean_us\"\n";
    assert_eq!(found(&format!("{latency}at_most = 9")), 0);
    assert_eq!(found(&format!("{latency}below = 9")), 0, "9.0 may have been 8.97");
    assert_eq!(found(&format!("{latency}below = 8.5")), 1);
    assert_eq!(found(&format!("{latency}below = 7")), 2);
    assert_eq!(found(&format!("{latency}below = 7\nrows = [\"A\"]")), 0);
    assert_eq!(found(&format!("{latency}at_least = 3\nat_most = 8.5")), 2);
    let bound = "metric = \"write.lat_mean_us\"\n";
    // Below 5: that is below 6, may be below 4, and is not above 5.
    assert_eq!([found(&format!("{bound}below = 6")), found(&format!("{bound}below = 4"))], [0, 0]);
    assert_eq!(found(&format!("{bound}at_least = 5")), 1);
}

#[test]
fn a_price_is_the_sum_of_its_parts() {
    let found = |total: &str| {
        claims_of_three_rows(&format!(
            "kind = \"price\"\nrow = \"A\"\ntotal = {total}\n\
             parts = [{{ quantity = \"744\", unit_price = 0.5 }}, {{ quantity = \"100\", unit_price = 0.25 }}]"
        ))
    };
    assert!(found("397").is_empty());
    // 0.5 and 0.25 may have been rounded.
    assert!(found("420").is_empty());
    let found = found("534");
    let [(Check::ClaimedPrice, Weight::Contradiction, Some(Right::Sum(sum)))] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(sum.low < 397.0 && sum.high > 397.0 && sum.high < 534.0, "{sum:?}");
}
