//! The published documents: what of their figures and words contradicts itself, and what does not.

use std::path::{Path, PathBuf};

use iotrial_analysis::audit::{Audit, AuditFinding, Check, Weight};
use iotrial_model::table::PublishedTable;

/// A table of the published documents, which are data to check against and no part of the project.
fn audit(name: &str) -> Option<Audit> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data/published").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(Audit::of_table(&PublishedTable::parse(&text).unwrap())),
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

fn places(findings: &[AuditFinding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.place.as_str()).collect()
}

#[test]
fn two_rows_of_the_throughput_document_print_mb_as_mib_and_no_other_row_is_accused() {
    let Some(audit) = audit("oci-windows-throughput.toml") else { return };
    assert_eq!(places(&audit.findings), ["row 2-random-mixed, total", "row 2-sequential-mixed, total"]);
    for (finding, right) in audit.findings.iter().zip(["3,453 MiB/s", "3,857 MiB/s"]) {
        assert_eq!((finding.check, finding.weight), (Check::IopsBandwidth, Weight::Contradiction));
        assert_eq!(finding.cause, "MB/s, of 1,000,000 bytes, are printed as MiB/s, of 1,048,576");
        assert_eq!(finding.right.as_deref(), Some(right));
    }
    assert_eq!(held(&audit, Check::IopsBandwidth), (10, 2));
}

#[test]
fn eight_hundred_and_fifty_thousand_times_8_kib_are_not_6800_mib() {
    let Some(audit) = audit("azure-anf-oracle-slob.toml") else { return };
    let contradictions: Vec<&AuditFinding> =
        audit.findings.iter().filter(|finding| finding.weight == Weight::Contradiction).collect();
    let [only] = contradictions[..] else { panic!("{audit:#?}") };
    assert_eq!(only.place, "row 1-host-random, read");
    assert_eq!(only.message, "850,000 IOPS of 8 KiB make 6,641 MiB/s, not 6,800 MiB/s: +2.4 %");
    assert!(only.cause.contains("k is 1,000 in one and 1,024 in the other"), "{}", only.cause);
    // Three hosts print one digit of their throughput, which allows it: a doubt at most.
    assert_eq!(places(&audit.findings), ["row 1-host-random, read", "row 3-hosts-random, read"]);
}

#[test]
fn the_gain_of_the_ultra_disk_is_that_of_batch_requests_and_not_of_business_transactions() {
    let Some(audit) = audit("azure-ultra-tpce.toml") else { return };
    let [only] = &audit.findings[..] else { panic!("{audit:#?}") };
    assert_eq!((only.check, only.place.as_str()), (Check::ClaimedGain, "row ultra against row premium-pool"));
    assert_eq!(
        only.message,
        "“33 percent more SQL Server throughput” is true of batch requests per second (+33.6 %), \
         but not of business transactions per second (+17.3 %)"
    );
}

#[test]
fn littles_law_recovers_the_outstanding_ios_of_the_four_set_ups() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    assert_eq!(
        audit.observations,
        [
            "Little's law gives 170.3 to 171.2 outstanding I/Os in 4 rows; the load has 176, of which 128 are stated and \
          48 worked out (−3.2 % to −2.7 %, which fits)."
        ]
    );
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
fn the_words_of_the_four_set_ups_are_not_those_of_their_own_table() {
    let Some(audit) = audit("oci-sqlserver-fio.toml") else { return };
    assert!(audit.findings.iter().all(|finding| finding.check == Check::ClaimedCategory), "{audit:#?}");
    let found: Vec<(&str, Option<&str>)> =
        audit.findings.iter().map(|finding| (finding.place.as_str(), finding.right.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("row A, read mean", Some("good")),
            ("row A, write mean", Some("good")),
            ("row B, read mean", Some("good")),
            ("row B, write mean", Some("good")),
            ("row D, read p99.9", Some("poor")),
            ("row D, write p99.9", Some("poor")),
        ]
    );
    assert_eq!(
        audit.findings[0].message,
        "1.0725 ms is called excellent, but the table of categories calls it good: excellent is below 1 ms"
    );
    assert_eq!(held(&audit, Check::ClaimedCategory), (4, 6));
}
