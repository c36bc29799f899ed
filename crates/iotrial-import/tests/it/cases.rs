//! Every case on which the import once went wrong has its figures and its load. What the audit says of the same files is tested with
//! the program (`crates/iotrial/tests/it/real_results.rs`).
//!
//! The files are data to check against and no part of the project: `IOTRIAL_SHARED` names their folder.

use std::path::{Path, PathBuf};

use iotrial_import::fio_job::{FioJobRequest, Surroundings, profile_of_fio_job};
use iotrial_import::{ForeignFile, Imported, Naming, import};
use iotrial_model::imported::ImportedRecord;

/// The folder of the cases; `None` where there is none.
fn cases() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("data/cases/import");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
    None
}

fn read(case: &str) -> Option<Imported> {
    let path = cases()?.join(case);
    let bytes = std::fs::read(&path).unwrap();
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    let file = ForeignFile { name: case, bytes: &bytes, beside: &beside };
    Some(import(&file, &Naming::default()).unwrap_or_else(|error| panic!("{case}: {error}")))
}

/// Job, read and write IOPS (0 where there is none), block size, outstanding I/Os: as they stand in the file.
type Told = (&'static str, f64, f64, Option<u64>, Option<u64>);

fn told(record: &ImportedRecord) -> (String, f64, f64, Option<u64>, Option<u64>) {
    let job = &record.jobs[0];
    let iops = |stream: &Option<iotrial_model::imported::StatedStream>| {
        stream.as_ref().and_then(|stream| stream.iops).map_or(0.0, |iops| iops.value)
    };
    let load = &job.load;
    let depth = load.iodepth.map(|depth| depth * load.numjobs.unwrap_or(1));
    let outstanding = depth.or(load.outstanding);
    let name = job.name.chars().take(24).collect();
    (name, iops(&job.ops.read), iops(&job.ops.write), load.block_size().map(|size| size.get()), outstanding)
}

#[test]
fn a_case_of_the_import_has_its_figures_and_its_load() {
    let all: [(&str, usize, Told); 17] = [
        // Sizes that are mixed are no block size.
        ("01a-vdbench-flatfile.html", 5, ("ran_write_various", 0.0, 27_963.237_3, None, Some(8))),
        (
            "01b-vdbench-flatfile-5.00-spelling.html",
            2,
            ("random_write_max_4k", 0.0, 327.444_4, Some(4_096), Some(8)),
        ),
        // 129,576 bytes are a mean.
        ("01c-vdbench-filesystem-flatfile.html", 1, ("format_for_rd1", 0.0, 13_769.654_9, None, None)),
        ("02-ramp-time-false-contradiction.json", 1, ("1", 383_286.789_277, 0.0, Some(4_096), Some(128))),
        ("02b-ramp-time-lkp.json", 1, ("task_0", 26_343.321_39, 0.0, Some(131_072), Some(128))),
        ("03-bs-4Ki.json", 1, ("nvme2n2_randwrite_4Ki_qu", 0.0, 54_297.056_765, Some(4_096), Some(8))),
        ("04-sqthread-poll-clat-garbage.json", 1, ("job1", 356_099.380_124, 0.0, Some(4_096), Some(128))),
        ("04b-sqthread-poll-p1-17s.json", 1, ("job1", 108_624.869_793, 0.0, Some(4_096), Some(1))),
        ("05-rbd-devices-saw-nothing.json.gz", 1, ("test", 19_597.980_067, 0.0, Some(4_096), Some(128))),
        ("05b-merges-counted-as-cache.json", 1, ("iotest", 3.243_769, 0.0, Some(4_096), Some(8))),
        // Reads of its own verification do not make a group of it, and a name of 128 characters neither.
        ("06-verify-called-group.json", 1, ("a", 341_333.333_333, 113_777.777_778, Some(4_096), Some(1))),
        (
            "07-jobname-over-128.json",
            1,
            ("hourly_automated_test,pa", 10_084.191_581, 10_056.894_311, Some(4_096), Some(1)),
        ),
        ("08-text-before-brace.json", 1, ("vol0", 462.849_17, 0.0, Some(4_096), Some(16))),
        ("08b-log-prefix.txt", 1, ("a", 11_096.903_097, 11_595.404_595, Some(8_192), Some(1))),
        ("09-diskspd-cp1251.txt", 1, ("C:\\testfile.foo", 109.77, 109.27, Some(4_096), Some(64))),
        // Sixteen lines of CrystalDiskMark; those of HD Tune between them are none.
        ("10-cdm-hdtune-lines.md", 16, ("", 0.0, 0.0, None, None)),
        ("13-fio-normal-output.txt", 1, ("a", 28_600.0, 0.0, Some(65_536), Some(1))),
    ];
    for (case, records, wanted) in all {
        let Some(imported) = read(case) else { return };
        assert_eq!(imported.records.len(), records, "{case}");
        let found = told(&imported.records[0]);
        if !wanted.0.is_empty() {
            assert_eq!(found, (wanted.0.to_owned(), wanted.1, wanted.2, wanted.3, wanted.4), "{case}");
        }
    }
}

#[test]
fn a_load_that_is_known_is_not_left_out() {
    let (Some(verified), Some(named)) =
        (read("06-verify-called-group.json"), read("07-jobname-over-128.json"))
    else {
        return;
    };
    // Through the page cache, which decides whether it may be qualified.
    assert_eq!(verified.records[0].jobs[0].load.direct, Some(false));
    assert_eq!(named.records[0].jobs[0].load.direct, Some(true));
    for imported in [verified, named] {
        let told = format!("{:?} {:?}", imported.warnings, imported.records[0].warnings);
        assert!(!told.contains("the load is not imported"), "{told}");
    }
}

#[test]
fn of_a_run_that_was_told_while_it_went_on_the_last_time_counts() {
    let Some(imported) = read("08c-array-of-documents.json") else { return };
    assert_eq!(imported.records.len(), 1);
    assert!(imported.records[0].warnings[0].message.contains("2 reports of the same run"), "{imported:#?}");
}

#[test]
fn text_of_another_code_page_is_read_and_told() {
    let Some(imported) = read("09-diskspd-cp1251.txt") else { return };
    let all = format!("{:?} {:?}", imported.warnings, imported.records[0].warnings);
    assert!(all.contains("is not UTF-8"), "{all}");
}

#[test]
fn flushes_of_one_job_of_a_group_are_no_short_ios_of_another() {
    let Some(imported) = read("19-short-ios-flushes-in-group.json") else { return };
    let all = format!("{:?} {:?}", imported.warnings, imported.records[0].warnings);
    assert!(all.contains("a group of several jobs") && !all.contains("came back short"), "{all}");
}

#[test]
fn files_that_are_named_one_by_one_are_a_list() {
    let Some(cases) = cases() else { return };
    let text = std::fs::read_to_string(cases.join("12-filename-repeated.fio")).unwrap();
    let surroundings = Surroundings {
        file: &|name| Err(format!("no {name}")),
        variable: &|_| None,
        cpu_count: 4,
        memory_mib: 8_192,
        page_bytes: 4_096,
    };
    let request = FioJobRequest { name: "12".to_owned(), ..FioJobRequest::default() };
    let made = profile_of_fio_job(&text, &request, &surroundings).unwrap_or_else(|error| panic!("{error}"));
    let notes = format!("{made:?}");
    assert!(notes.contains("fio spreads a job over all of them"), "{notes}");
}
