//! The published documents: what of their figures and words contradicts itself, and what does not.

use std::path::{Path, PathBuf};

use iotrial_analysis::audit::Audit;
use iotrial_model::audit::{
    AuditFinding, AuditPlace, Cause, Check, Compared, ConfiguredOutstanding, Conflict, Gain, Observation,
    Parts, ResultPart, Right, UnitMistake, Value, Weight,
};
use iotrial_model::bound::Amount;
use iotrial_model::load::Role;
use iotrial_model::stream::Stream;
use iotrial_model::table::PublishedTable;

/// A table of the published documents, which are data to check against and no part of the project.
fn audit(name: &str) -> Option<Audit> {
    audit_with(name, "")
}

/// The same with more claims.
fn audit_with(name: &str, claims: &str) -> Option<Audit> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data/published").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(Audit::of_table(&PublishedTable::parse(&(text + claims)).unwrap())),
        Err(_) => {
            println!("skipped: {} is missing; IOTRIAL_SHARED names its folder", path.display());
            None
        }
    }
}

fn held(audit: &Audit, check: Check) -> (usize, usize) {
    let count = audit.checks.iter().find(|count| count.check == check).unwrap();
    (count.held, count.contradicted)
}

fn places(findings: &[AuditFinding]) -> Vec<&AuditPlace> {
    findings.iter().map(|finding| &finding.place).collect()
}

fn row(id: &str, stream: Stream) -> AuditPlace {
    let part = ResultPart { source: Some(format!("row {id}")), ..ResultPart::default() };
    part.stream(stream).into()
}

/// A rounded number, where a finding is of figures.
fn rounded(value: Value) -> f64 {
    value.middle().round()
}

#[test]
fn two_rows_of_the_throughput_document_print_mb_as_mib_and_no_other_row_is_accused() {
    let Some(audit) = audit("oci-windows-throughput.toml") else { return };
    let rows = ["2-random-mixed", "2-sequential-mixed"].map(|id| row(id, Stream::Mixed));
    assert_eq!(places(&audit.findings), rows.iter().collect::<Vec<_>>());
    for (finding, mib_per_s) in audit.findings.iter().zip([3_453.0, 3_857.0]) {
        assert_eq!((finding.check, finding.weight), (Check::IopsBandwidth, Weight::Contradiction));
        assert_eq!(finding.cause, Cause::Unit(UnitMistake::MbAsMib));
        let Some(Right::Figures(right)) = &finding.right else { panic!("{finding:?}") };
        assert_eq!(right.iter().map(|one| rounded(one.value)).collect::<Vec<_>>(), [mib_per_s]);
    }
    assert_eq!(held(&audit, Check::IopsBandwidth), (10, 2));
}

#[test]
fn the_log_that_the_four_storage_setups_mix_into_their_writes_has_a_rate() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    let rates: Vec<f64> = audit.derived.iter().map(|one| one.iops.round()).collect();
    assert_eq!(rates, [1_461.0, 1_356.0, 1_843.0, 1_795.0]);
    assert!(audit.derived.iter().all(|one| (one.stream, one.role) == (Stream::Write, Some(Role::Log))));
}

#[test]
fn eight_hundred_and_fifty_thousand_times_8_kib_are_not_6800_mib() {
    let Some(audit) = audit("azure-anf-oracle-slob.toml") else { return };
    let contradictions: Vec<&AuditFinding> =
        audit.findings.iter().filter(|finding| finding.weight == Weight::Contradiction).collect();
    let [only] = contradictions[..] else { panic!("{audit:#?}") };
    let Conflict::Figures { compared: Compared::BandwidthOfIops { iops, sizes }, stated, expected } =
        &only.conflict
    else {
        panic!("{only:?}")
    };
    assert_eq!((iops.value, sizes.low, sizes.high), (850_000.0, 8_192.0, 8_192.0));
    assert_eq!((rounded(*stated), rounded(*expected)), (6_800.0, 6_641.0));
    assert_eq!(only.off_by_percent.map(|off| (10.0 * off).round()), Some(24.0));
    assert_eq!(only.cause, Cause::Unit(UnitMistake::ThousandsTimesKib));
    // Three hosts print one digit of their throughput, which allows it: a doubt at most.
    let rows = ["1-host-random", "3-hosts-random"].map(|id| row(id, Stream::Read));
    assert_eq!(places(&audit.findings), rows.iter().collect::<Vec<_>>());
    assert_eq!(only.place, rows[0]);
}

#[test]
fn the_gain_of_the_ultra_disk_is_that_of_batch_requests_and_not_of_business_transactions() {
    let Some(audit) = audit("azure-ultra-tpce.toml") else { return };
    let [only] = &audit.findings[..] else { panic!("{audit:#?}") };
    let (baseline, row) = ("premium-pool".to_owned(), "ultra".to_owned());
    assert_eq!((only.check, &only.place), (Check::ClaimedGain, &AuditPlace::Rows { baseline, row }));
    let Conflict::Gain { quote, fitting, others, .. } = &only.conflict else { panic!("{only:?}") };
    assert_eq!(quote.as_deref(), Some("33 percent more SQL Server throughput"));
    let in_tenths = |gains: &[Gain]| {
        let one = |gain: &Gain| (gain.metric.clone(), (10.0 * gain.percent).round() / 10.0);
        gains.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(in_tenths(fitting), [("other.batch_requests_per_s".to_owned(), 33.6)]);
    assert_eq!(in_tenths(others), [("other.business_transactions_per_s".to_owned(), 17.3)]);
}

#[test]
fn littles_law_recovers_the_outstanding_ios_of_the_four_set_ups() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    let [Observation::Outstanding { implied, parts: Parts::Rows, configured }] = &audit.observations[..]
    else {
        panic!("{:?}", audit.observations)
    };
    let mut tenths: Vec<f64> = implied.iter().map(|one| (10.0 * one).round() / 10.0).collect();
    tenths.sort_by(f64::total_cmp);
    assert_eq!((tenths.len(), tenths[0], tenths[3]), (4, 170.3, 171.2));
    assert_eq!(*configured, ConfiguredOutstanding::Same { count: 176, inferred_count: 48, fits: true });
    assert_eq!(held(&audit, Check::LittlesLaw), (4, 0));
}

#[test]
fn all_deltas_and_rankings_of_the_four_set_ups_are_confirmed() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    assert_eq!(held(&audit, Check::ClaimedChange), (40, 0));
    assert_eq!(held(&audit, Check::ClaimedRanking), (10, 0));
    assert_eq!(held(&audit, Check::ClaimedRecommendation), (1, 0));
    assert_eq!(held(&audit, Check::IopsBandwidth), (8, 0));
    assert_eq!(held(&audit, Check::Totals), (8, 0));
}

#[test]
fn the_set_up_that_is_called_the_worst_is_so_in_two_of_ten_rankings() {
    let claim = "\n[[claim]]\nkind = \"worst\"\nrow = \"D\"\n";
    let Some(audit) = audit_with("oci-sqlserver-fio.toml", claim) else { return };
    let worst = audit.findings.iter().find(|finding| finding.check == Check::ClaimedWorst).unwrap();
    assert_eq!((worst.weight, &worst.right), (Weight::Contradiction, &Some(Right::Row("B".to_owned()))));
    let Conflict::Worst { fitting, others } = &worst.conflict else { panic!("{worst:?}") };
    let of_b = others.iter().filter(|(_, row)| row == "B").count();
    assert!(of_b > fitting.len(), "{fitting:?} {others:?}");
}

#[test]
fn the_words_of_the_four_set_ups_are_not_those_of_their_own_table() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    assert!(audit.findings.iter().all(|finding| finding.check == Check::ClaimedCategory), "{audit:#?}");
    let found: Vec<(&AuditPlace, &Option<Right>)> =
        audit.findings.iter().map(|finding| (&finding.place, &finding.right)).collect();
    let expected = [
        ("A", "read.lat_mean_us", "good"),
        ("A", "write.lat_mean_us", "good"),
        ("B", "read.lat_mean_us", "good"),
        ("B", "write.lat_mean_us", "good"),
        ("D", "read.lat_p999_us", "poor"),
        ("D", "write.lat_p999_us", "poor"),
    ]
    .map(|(row, metric, name)| {
        let place = AuditPlace::RowMetric { row: row.to_owned(), metric: metric.to_owned() };
        (place, Some(Right::Category(name.to_owned())))
    });
    assert_eq!(found, expected.iter().map(|(place, right)| (place, right)).collect::<Vec<_>>());
    let first = Conflict::Category {
        figure: Amount::Exact(1_072.5),
        claimed: "excellent".to_owned(),
        own: "good".to_owned(),
        claimed_ms: Some((None, Some(1.0))),
    };
    assert_eq!(audit.findings[0].conflict, first);
    assert_eq!(held(&audit, Check::ClaimedCategory), (4, 6));
}
