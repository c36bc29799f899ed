//! What is said of reports that were cut off, and of a size.

use std::fmt::Write as _;

use iotrial_model::awr::{AwrSection, CutOff, PlainReads, SizeNote};

use super::*;

#[test]
fn what_is_said_of_a_report_that_was_cut_off_is_on_one_page() {
    let cut = |after: &str, sections: &[AwrSection]| CutOff {
        line: 44,
        after: after.to_owned(),
        missing: sections.iter().map(|section| missing_section(*section)).collect(),
    };
    let mut page = String::new();
    for one in [cut("", &[]), cut("Wait Event Histogram", AwrSection::ALL)] {
        writeln!(page, "{}", cut_off(&one)).unwrap();
        for missing in &one.missing {
            writeln!(page, "  {}: {}", missing.section, missing.effect).unwrap();
        }
    }
    insta::assert_snapshot!("cut", page);
}

#[test]
fn every_note_on_a_size_has_its_words_on_one_page() {
    let few = |interval_count, covered_s| SizeNote::FewIntervals { interval_count, covered_s, enough: 20 };
    let reads = PlainReads { read_mib_per_s: None, reads_per_s: None, is_counted: false };
    let mut page = String::new();
    for note in [
        SizeNote::OfPart(part_of(1, Some(2), 1, 1)),
        few(1, 61.0),
        few(1, 3_600.0),
        few(7, 25_200.0),
        few(7, 27_000.0),
        SizeNote::SessionsWait { by_sessions: 24.0, by_cpu: 5.25 },
        SizeNote::NoCpuTime,
        SizeNote::VirtualHost,
        SizeNote::CoresAsCpus { vcpus_per_cpu: 2.0 },
        SizeNote::OtherThreads { per_core: 8.0, vcpus_per_cpu: 0.25 },
        SizeNote::PlainReads(reads),
        SizeNote::FactorsOfOmat,
        SizeNote::SharedHost { busy: 21.3, own: 2.0 },
        SizeNote::ConfiguredMemory,
    ] {
        writeln!(page, "{}", size_note(&note)).unwrap();
    }
    insta::assert_snapshot!("size", page);
}
