//! Every sentence about AWR reports with an example, on pages that are reviewed: `snapshots`. No other test compares their wording.

use std::fmt::Write as _;

use iotrial_model::awr::{
    AwrFigure, AwrSection, BusierElsewhere, BusyFunction, CellReads, ChangeCaution, ChangeOutcome, CutOff,
    DemandNote, Derivation, EnterpriseFeature, FactorReason, FigureOrigin, FigurePlace, FileFact, FileNote,
    FleetNote, Level, Method, NoStandardEdition2, NotAdded, OnCells, Part, PlainReads, Provided, RatesOf,
    Remark, RemarkId, ReplayNote, ReportSide, ReportedRates, SeriesNote, SignOfNfs, SizeNote, SlobNote,
    Switch, WaitSide, WaitedFor, WhyNotAdded,
};
use iotrial_model::load::{Direction, Role};
use iotrial_model::stream::Stream;
use iotrial_model::verdict::Category;

use super::*;

fn part_of(instances: usize, of_instances: Option<u32>, lacking_intervals: usize, intervals: usize) -> Part {
    Part { instances, of_instances, lacking_intervals, intervals, on_cells: None }
}

fn all_parts() -> Vec<Part> {
    let on_cells = |mib_per_s| {
        Some(OnCells { database: "SHOP".into(), requests_per_s: 90_000.0, mib_per_s, times: 6.2 })
    };
    vec![
        part_of(1, Some(2), 1, 1),
        part_of(2, Some(4), 1, 1),
        part_of(1, None, 1, 1),
        part_of(1, None, 3, 24),
        part_of(1, Some(2), 24, 24),
        Part { on_cells: on_cells(Some(812.5)), ..part_of(1, Some(2), 3, 24) },
        Part { on_cells: on_cells(None), ..part_of(1, None, 0, 24) },
    ]
}

#[test]
fn what_is_said_of_a_part_of_a_database_is_on_one_page() {
    let mut page = String::new();
    for one in all_parts() {
        writeln!(page, "{}", part(&one)).unwrap();
        if one.lacking_intervals > 0 {
            writeln!(page, "  {}", series_note(&SeriesNote::MissingInstances(one.clone()))).unwrap();
        }
        if let Some(cells) = one.on_cells {
            writeln!(page, "  {}", series_note(&SeriesNote::OnCells(cells))).unwrap();
        }
    }
    insta::assert_snapshot!("part", page);
}

#[test]
fn what_is_said_of_reports_over_time_and_of_files_is_on_one_page() {
    let file = |name: &str| format!("{name}.html");
    let doubt = |other_files| SeriesNote::Doubt {
        file: file("a"),
        other_files,
        doubt: "[what the import says]".into(),
    };
    let mut page = String::new();
    for note in [
        doubt(0),
        doubt(3),
        SeriesNote::RoundedToZero(vec![Direction::Write]),
        SeriesNote::RoundedToZero(vec![Direction::Read, Direction::Write]),
        SeriesNote::LongIntervals { long: 1, intervals: 1 },
        SeriesNote::LongIntervals { long: 2, intervals: 24 },
        SeriesNote::ClockMoved { seconds: -5_400 },
        SeriesNote::ClockMoved { seconds: 36_000 },
    ] {
        writeln!(page, "{}", series_note(&note)).unwrap();
    }
    for fact in [
        FileFact::NoElapsedTime,
        FileFact::SameSnapshots { as_file: file("a") },
        FileFact::OverlapsItself,
        FileFact::OverlapsShorter { file: file("a") },
        FileFact::SameInstance { as_file: file("a") },
        FileFact::CutOff(CutOff { line: 44, after: String::new(), is_gap: false, missing: Vec::new() }),
        FileFact::Unread("[what the error says]".into()),
    ] {
        writeln!(page, "{}", file_note(&FileNote { file: file("b"), fact })).unwrap();
    }
    for note in [
        SlobNote::CutOff(FileNote { file: file("b"), fact: FileFact::NoElapsedTime }),
        SlobNote::NoTimes { reports: 2 },
        SlobNote::SessionsNotNamed { files: 2, of_files: 9 },
        SlobNote::OtherDatabases { databases: 5 },
    ] {
        writeln!(page, "SLOB: {}", slob_note(&note)).unwrap();
    }
    insta::assert_snapshot!("series", page);
}

fn all_fleet_notes() -> Vec<FleetNote> {
    let begin = || "2025-03-03T01:00:00".to_owned();
    let names = |count| ["ERP", "CRM", "HR", "QA"][..count].iter().map(|name| (*name).to_owned()).collect();
    let busier = |names: Vec<String>| {
        let of = |database| BusierElsewhere { database, requests_per_s: 9_500.0, begin: begin() };
        FleetNote::BusierElsewhere(names.into_iter().map(of).collect())
    };
    let higher =
        |figure, lacking| FleetNote::HigherInPart { figure, per_s: 10_300.0, begin: begin(), lacking };
    vec![
        FleetNote::FewerThanTwo,
        FleetNote::NeverTogether { most: 1, databases: 3 },
        FleetNote::NeverTogether { most: 2, databases: 3 },
        FleetNote::PartlyTogether { any_s: 86_400.0, all_s: 3_600.0 },
        FleetNote::MoreWithout { database: "HR".into(), covered_s: 21_600.0 },
        busier(names(1)),
        busier(names(4)),
        higher(AwrFigure::Requests, names(1)),
        higher(AwrFigure::Throughput, names(4)),
        FleetNote::NoPlace { intervals: 1 },
        FleetNote::NoPlace { intervals: 2 },
        FleetNote::OneMoment { apart_s: 60 },
        FleetNote::OneMoment { apart_s: 150 },
        FleetNote::OwnClocks,
        FleetNote::Averages { longest_s: 60.0, has_sums: false },
        FleetNote::Averages { longest_s: 3_600.0, has_sums: true },
        FleetNote::Averages { longest_s: 18_000.0, has_sums: true },
    ]
}

#[test]
fn what_is_said_of_several_databases_is_on_one_page() {
    let mut page = String::new();
    for note in all_fleet_notes() {
        writeln!(page, "{}", fleet_note(&note)).unwrap();
    }
    for why in [WhyNotAdded::PartOf { database: "SALES".into() }, WhyNotAdded::NoTimes] {
        writeln!(page, "not added: {}", why_not_added(&why)).unwrap();
    }
    insta::assert_snapshot!("fleet", page);
}

fn all_demand_notes() -> Vec<DemandNote> {
    let erp = || "ERP".to_owned();
    let factors = vec![("cpu-utilisation", 75.0), ("factor-io", 2.0)];
    let reads = PlainReads { read_mib_per_s: None, reads_per_s: None, is_counted: false };
    vec![
        DemandNote::Series(SeriesNote::ClockMoved { seconds: 3_600 }),
        DemandNote::Size(SizeNote::NoCpuTime),
        DemandNote::Method { method: Method::Iotrial, factors },
        DemandNote::ReadsApart,
        DemandNote::ReadsTogether,
        DemandNote::RedoApart,
        DemandNote::WithoutBytes { direction: Direction::Write, iops: 0.25 },
        DemandNote::Databases(vec![erp(), "CRM".into()]),
        DemandNote::NotIncluded(NotAdded { database: erp(), why: WhyNotAdded::NoTimes }),
        DemandNote::OfPart { database: erp(), part: part_of(1, Some(2), 1, 1) },
        DemandNote::PlainReads { database: erp(), reads },
        DemandNote::PeakTogether { percent: 78.3 },
        DemandNote::Factor(1.5),
        DemandNote::OneInterval,
        DemandNote::OwnMachines,
        DemandNote::Fleet(FleetNote::OwnClocks),
        DemandNote::MeanSizes,
    ]
}

#[test]
fn what_is_said_of_a_demand_and_whose_rates_it_has_is_on_one_page() {
    let mut page = String::new();
    for note in all_demand_notes() {
        writeln!(page, "{}", demand_note(&note)).unwrap();
    }
    let sized = |level, interval_count, method| ReportedRates::Sized { level, interval_count, method };
    let replayed =
        |level, interval_count, covered_s| ReportedRates::Replayed { level, interval_count, covered_s };
    for rates in [
        sized(Level::Average, 1, Method::Iotrial),
        sized(Level::P95, 24, Method::Omat),
        sized(Level::Peak, 24, Method::Peak),
        ReportedRates::Together { level: Level::P99, database_count: 3, covered_s: 86_400.0 },
        replayed(Level::Average, 1, 3_600.0),
        replayed(Level::Average, 1, 9_000.0),
        replayed(Level::Peak, 24, 86_400.0),
    ] {
        writeln!(page, "{}", rates_of(&RatesOf { reports: "./reports".into(), rates })).unwrap();
    }
    insta::assert_snapshot!("demand", page);
}

#[test]
fn what_is_said_of_a_load_that_is_made_again_is_on_one_page() {
    let figure = AwrFigure::SingleBlockReadUs;
    let few = |figure| ReplayNote::FewWaits { figure, waits_per_s: 0.4, reads_per_s: 1_204.0 };
    let memory = |figure| ReplayNote::FromMemory { figure, mean_us: 8.0 };
    let mut page = String::new();
    for note in [
        ReplayNote::BlockAssumed { kib: 8.0 },
        ReplayNote::BytesRounded(Direction::Read),
        ReplayNote::ReadsNotSeparate,
        ReplayNote::RedoNotSeparate,
        ReplayNote::NoRedo,
        ReplayNote::NoWait { role: Role::Log, stream: Stream::Commit },
        few(figure),
        few(AwrFigure::MultiBlockReadUs),
        ReplayNote::Rare { figure, iops: 0.1 },
        memory(figure),
        memory(AwrFigure::RedoWriteUs),
        memory(AwrFigure::CommitUs),
    ] {
        writeln!(page, "{}", replay_note(&note)).unwrap();
    }
    let printed = || FigurePlace::Printed("Instance Activity › redo writes (line 7)".into());
    for (figure, derivation, place) in [
        (AwrFigure::RedoWrites, Derivation::Same, printed()),
        (AwrFigure::RedoWrites, Derivation::Same, FigurePlace::AtLevel(Level::P95)),
        (AwrFigure::RedoWriteUs, Derivation::Same, FigurePlace::MeanOver(24)),
        (AwrFigure::Reads, Derivation::Rest, FigurePlace::NotStated),
        (AwrFigure::Writes, Derivation::Rest, FigurePlace::NotStated),
        (AwrFigure::Writes, Derivation::All, FigurePlace::NotStated),
        (AwrFigure::ReadMib, Derivation::ByBytes, FigurePlace::NotStated),
    ] {
        writeln!(page, "from: {}", figure_origin(&FigureOrigin { figure, derivation, place })).unwrap();
    }
    insta::assert_snapshot!("replay", page);
}

#[test]
fn why_factors_are_what_they_are_and_what_a_size_takes_is_on_one_page() {
    let mut page = String::new();
    for reason in [
        FactorReason::AsAsked,
        FactorReason::Measured,
        FactorReason::OneInterval,
        FactorReason::FewIntervals { enough: 20 },
        FactorReason::OfOmat,
        FactorReason::MemoryGuide,
        FactorReason::ShortOfCpu,
        FactorReason::NoReserve,
        FactorReason::BusiestMinute,
    ] {
        writeln!(page, "factor: {}", factor_reason(reason)).unwrap();
    }
    for why in [
        NoStandardEdition2::TooManyVcpus { vcpus: 10, most: 8 },
        NoStandardEdition2::InUse(EnterpriseFeature::ALL.to_vec()),
    ] {
        writeln!(page, "not Standard Edition 2: {}", no_standard_edition_2(&why)).unwrap();
    }
    for kind in [
        Provided::Cpus { vcpus_each: 1.0 },
        Provided::Memory,
        Provided::Licences,
        Provided::DiskGroup("DATAC1".into()),
    ] {
        writeln!(page, "today: {}", provided(&kind)).unwrap();
    }
    insta::assert_snapshot!("sizing", page);
}

/// Of the interval, of who asks, of waits and of work.
fn of_the_figures() -> Vec<Remark> {
    use Remark as Facts;
    let percent = 24.6;
    let of_function = |function| Facts::BusyFunction { function, percent };
    let waited = |what| Facts::SessionsWaited { what, seconds: 83.2 };
    let reads = |reads| Facts::CellReads { reads, percent };
    vec![
        Facts::Contradiction("[what the import says]".into()),
        Facts::Correction("[what the import says]".into()),
        Facts::LongInterval { elapsed_s: 9_000.0 },
        Facts::ShortInterval { elapsed_s: 61.0 },
        Facts::ShortInterval { elapsed_s: 100.0 },
        Facts::MissingInstances(part_of(1, Some(2), 1, 1)),
        Facts::OneOfSeveralInstances(part_of(1, Some(2), 1, 1)),
        Facts::PluggableDatabase,
        Facts::ReadsBeyondTheDatabase { load_profile_per_s: 512.34, all_per_s: 1_804.2 },
        of_function(BusyFunction::Archiver),
        of_function(BusyFunction::Backup),
        of_function(BusyFunction::DataPump),
        of_function(BusyFunction::Recovery),
        Facts::Flashback { percent },
        Facts::Standby { redo_mib_per_s: 1.234 },
        Facts::SlowWait {
            event: "log file sync".into(),
            side: WaitSide::Foreground,
            mean_us: 6_000.0,
            category: Category::Critical,
        },
        Facts::CommitBeyondWrite { commit_us: 4_200.0, write_us: 610.0 },
        waited(WaitedFor::LogSwitch),
        waited(WaitedFor::FreeBuffers),
        waited(WaitedFor::LogBuffer),
        Facts::DirectPath,
        Facts::CpuBeyondDbTime { percent: 131.0 },
        Facts::UnknownDbTime { percent },
        Facts::Temp { percent },
        Facts::Scans { percent: 62.0 },
        Facts::ManyLogSwitches { per_hour: 11.5 },
        Facts::BufferCache { hit_percent: 87.25 },
        Facts::CellOutliers { count: 7 },
        Facts::FullDiskGroup { group: "DATAC1".into(), percent: 91.0, redundancy: "High".into() },
        reads(CellReads::SmartScans),
        reads(CellReads::MultiBlock),
        reads(CellReads::SingleBlock),
    ]
}

fn of_the_parameters() -> Vec<Remark> {
    use Remark as Facts;
    let hidden =
        |count| Facts::HiddenParameters { names: (1..=count).map(|at| format!("_hidden_{at}")).collect() };
    let switch =
        |switch, name: &str, value: &str| Facts::Switch { switch, name: name.into(), value: value.into() };
    vec![
        hidden(1),
        hidden(5),
        hidden(6),
        Facts::DeprecatedParameter { name: "utl_file_dir".into() },
        Facts::FilesystemIoOptions { value: Some("asynch".into()) },
        Facts::FilesystemIoOptions { value: None },
        Facts::SynchronousIo,
        Facts::MultiblockReadCount,
        switch(Switch::PrefetchOff, "_db_block_prefetch_limit", "0"),
        switch(Switch::JobsOff, "job_queue_processes", "0"),
        switch(Switch::DatabaseFlashCache, "db_flash_cache_size", "4g"),
        switch(Switch::CommitNowait, "commit_wait", "NOWAIT"),
        switch(Switch::MemoryTarget, "memory_target", "8g"),
        switch(Switch::NoLargePages, "use_large_pages", "FALSE"),
        switch(Switch::IoSlaves, "dbwr_io_slaves", "4"),
        switch(Switch::MttrTarget, "fast_start_mttr_target", "300"),
        switch(Switch::ArchiveLagTarget, "archive_lag_target", "900"),
        switch(Switch::LostWriteProtection, "db_lost_write_protect", "TYPICAL"),
        switch(Switch::NoCacheAdvice, "db_cache_advice", "OFF"),
        switch(Switch::NoTimes, "timed_statistics", "FALSE"),
        Facts::Nfs(SignOfNfs::Wait("Disk file I/O NFS".into())),
        Facts::Nfs(SignOfNfs::Parameter { name: "dnfs_batch_size".into(), value: "128".into() }),
        Facts::Nfs(SignOfNfs::Counter("Direct NFS reads".into())),
    ]
}

#[test]
fn every_remark_has_its_words_on_one_page() {
    let mut page = String::new();
    let all = [of_the_figures(), of_the_parameters()].concat();
    for one in &all {
        writeln!(page, "{} [{}]: {}", one.id(), one.severity().as_str(), remark(one)).unwrap();
    }
    let missing: Vec<_> = RemarkId::ALL.iter().filter(|id| !all.iter().any(|one| one.id() == **id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    insta::assert_snapshot!("remarks", page);
}

#[test]
fn what_is_said_of_a_report_that_was_cut_off_is_on_one_page() {
    let cut = |after: &str, is_gap, sections: &[AwrSection]| CutOff {
        line: 44,
        after: after.to_owned(),
        is_gap,
        missing: sections.iter().map(|section| missing_section(*section)).collect(),
    };
    let mut page = String::new();
    for one in [
        cut("", false, &[]),
        cut("", true, &[AwrSection::LoadProfile]),
        cut("Wait Event Histogram", false, AwrSection::ALL),
    ] {
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
        SizeNote::CpuShort {
            busy_percent: Some(92.2),
            waiting: Some(5.75),
            of_limit: None,
            by_sessions: Some(12.0),
        },
        SizeNote::CpuShort {
            busy_percent: None,
            waiting: Some(42.6),
            of_limit: Some((8.1, 8.0)),
            by_sessions: None,
        },
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

#[test]
fn what_is_said_of_a_change_of_storage_is_on_one_page() {
    let mut page = String::new();
    for outcome in ChangeOutcome::ALL {
        writeln!(page, "{outcome}: {}", change_headline(*outcome)).unwrap();
    }
    for figure in [AwrFigure::SingleBlockReadUs, AwrFigure::RedoWriteUs] {
        writeln!(page, "{}", judged_latency(figure, 5_200.0, 480.0)).unwrap();
    }
    writeln!(page, "{}", db_time_of_transaction(31.4, 12.0)).unwrap();
    for caution in [
        ChangeCaution::Databases("SHOP".into(), "ERP".into()),
        ChangeCaution::OtherInstances("shop1".into(), "shop2".into()),
        ChangeCaution::Releases("12.1.0.2.0".into(), "19.0.0.0.0".into()),
        ChangeCaution::Earlier,
        ChangeCaution::CutOff(ReportSide::Before),
        ChangeCaution::Restarted(ReportSide::After),
        ChangeCaution::Instances(2, 1),
        ChangeCaution::Elapsed(3_600.0, 900.0),
        ChangeCaution::Load(AwrFigure::Transactions, 120.0, 260.0),
        ChangeCaution::Load(AwrFigure::Requests, 1_200.0, 2_600.0),
        ChangeCaution::ReadsPerTransaction(12.5, 3.0),
        ChangeCaution::Memory(8_192.0, 16_384.0),
        ChangeCaution::Cpus(8.0, 16.0),
        ChangeCaution::CpuShort(ReportSide::Before),
    ] {
        writeln!(page, "{}: {}", caution.id(), change_caution(&caution)).unwrap();
    }
    insta::assert_snapshot!("change", page);
}
