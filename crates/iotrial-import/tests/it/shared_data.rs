//! Every real result at hand imports, with rate, bandwidth, mean and p99 as its text has them.
//!
//! The figures are looked up again by readers that share nothing with the import: they look for a line or a
//! key.

use std::path::{Path, PathBuf};

use iotrial_import::{ForeignFile, ImportError, Imported, Naming, import};
use iotrial_model::imported::{ImportedRecord, SourceKind, StatedStream};
use serde_json::Value;

/// The files of a folder of the data, also of those in it; empty where there is none.
fn files(folder: &str) -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("data").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
        return Vec::new();
    };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Result<Imported, ImportError> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.display().to_string();
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    import(&ForeignFile { name: &name, bytes: &bytes, beside: &beside }, &Naming::default())
}

/// Equal within one step of the last digit that the source has.
#[track_caller]
fn same(found: f64, source: f64, step: f64, what: &str) {
    assert!(
        (found - source).abs() <= step + 1e-9 * source.abs(),
        "{what}: {found} is not {source} within {step}"
    );
}

fn rate(stream: &StatedStream) -> f64 {
    stream
        .iops
        .map_or_else(|| stream.io_count.unwrap() as f64 / stream.runtime_s.unwrap().value, |iops| iops.value)
}

fn bandwidth(stream: &StatedStream) -> f64 {
    let of_bytes = || stream.bytes.unwrap() as f64 / stream.runtime_s.unwrap().value / 1_048_576.0;
    stream.bandwidth_mib_per_s.map_or_else(of_bytes, |bandwidth| bandwidth.value)
}

/// fio: the entry of the JSON document against the job of the record.
fn check_fio(path: &Path, text: &str, records: &[ImportedRecord]) {
    let json: Value = serde_json::from_str(&text[text.find("\n{").map_or(0, |at| at)..]).unwrap();
    let entries = json["jobs"].as_array().unwrap();
    let jobs: Vec<_> = records.iter().flat_map(|record| &record.jobs).collect();
    assert_eq!(entries.len(), jobs.len(), "{}", path.display());
    for (entry, job) in entries.iter().zip(jobs) {
        for (name, stream) in [("read", &job.ops.read), ("write", &job.ops.write)] {
            let entry = &entry[name];
            let what = format!("{} {name}", path.display());
            if entry["io_bytes"] == 0 {
                assert_eq!(*stream, None, "{what}");
                continue;
            }
            let stream = stream.as_ref().unwrap();
            same(rate(stream), entry["iops"].as_f64().unwrap(), 1e-6, &what);
            let mib_per_s = match entry["bw_bytes"].as_f64() {
                Some(bytes) => bytes / 1_048_576.0,
                None => entry["bw"].as_f64().unwrap() / 1_024.0,
            };
            same(bandwidth(stream), mib_per_s, 1e-9, &what);
            let (lat, clat, per_us) = match entry.get("lat_ns") {
                Some(lat) => (lat, &entry["clat_ns"], 1e3),
                None => (&entry["lat"], &entry["clat"], 1.0),
            };
            same(
                stream.total_latency.mean_us.unwrap().value,
                lat["mean"].as_f64().unwrap() / per_us,
                1e-6,
                &what,
            );
            let p99 = clat["percentile"]["99.000000"].as_f64().unwrap() / per_us;
            same(stream.completion_latency.percentile(99.0).unwrap().value, p99, 1e-6, &what);
        }
    }
}

/// The number behind a word, on the first line that has both.
fn behind(text: &str, word: &str) -> f64 {
    let line = text.lines().find(|line| line.contains(word)).unwrap();
    let rest = line.split(word).nth(1).unwrap().trim_start();
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap().parse().unwrap()
}

#[test]
fn every_result_of_fio_imports_with_its_figures() {
    let files = files("fio");
    if files.is_empty() {
        return;
    }
    let (mut grid, mut others) = (0, 0);
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let imported = read(path);
        if path.ends_with("various/fio-verification-error.txt") {
            let error = imported.unwrap_err();
            assert!(error.to_string().contains("has no results"), "{error}");
            continue;
        }
        let imported = imported.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(imported.kind, SourceKind::FioJson);
        check_fio(path, &text, &imported.records);
        let record = &imported.records[0];
        if path.parent().unwrap().ends_with("various") {
            others += 1;
            continue;
        }
        grid += 1;
        assert_eq!(
            (imported.records.len(), imported.warnings.len(), record.warnings.len()),
            (1, 0, 0),
            "{record:#?}"
        );
        // The name of the file says what the load was.
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let parts: Vec<&str> = name.split('-').collect();
        let load = &record.jobs[0].load;
        assert_eq!((load.iodepth, load.numjobs), (parts[1].parse().ok(), parts[2].parse().ok()), "{name}");
        assert_eq!(load.rwmix_read_percent, Some(if parts[0] == "randread" { 100.0 } else { 0.0 }));
        assert_eq!(load.direct, Some(true));
    }
    assert_eq!((grid, others), (392, 4));
}

#[test]
fn every_result_of_sqlio_imports_with_its_figures_and_their_resolution() {
    for path in &files("sqlio") {
        let text = std::fs::read_to_string(path).unwrap();
        let imported = read(path).unwrap();
        assert_eq!((imported.kind, imported.records.len()), (SourceKind::Sqlio, 1));
        let record = &imported.records[0];
        assert_eq!(record.warnings, [], "{}", path.display());
        let what = path.display().to_string();
        let stream = record.jobs[0].ops.read.as_ref().or(record.jobs[0].ops.write.as_ref()).unwrap();
        same(rate(stream), behind(&text, "IOs/sec:"), 1e-9, &what);
        same(bandwidth(stream), behind(&text, "MBs/sec:"), 1e-9, &what);
        let mean = stream.total_latency.mean_us.unwrap();
        same(mean.value, 1e3 * behind(&text, "Avg_Latency(ms):"), 1e-9, &what);
        assert_eq!(mean.resolution, 1_000.0);
        // random.read.8.64: outstanding and KiB.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let parts: Vec<&str> = name.split('.').collect();
        let load = &record.jobs[0].load;
        assert_eq!(load.iodepth, parts[3].parse().ok(), "{what}");
        assert_eq!(load.block_size().unwrap().get(), parts[4].parse::<u64>().unwrap() << 10);
        assert_eq!(load.pattern.unwrap().as_str(), parts[1]);
        assert_eq!(record.jobs[0].ops.read.is_some(), parts[2] == "read");
        assert_eq!((load.numjobs, load.runtime_s), (Some(64), Some(15.0)));
        let shares: f64 = stream.total_latency.bands.iter().map(|band| band.percent.value).sum();
        assert!(
            (95.0..=105.0).contains(&shares) && stream.total_latency.bands.len() == 25,
            "{what}: {shares}"
        );
    }
}

#[test]
fn every_result_of_diskspd_imports_with_its_figures() {
    let mut count = 0;
    for path in &files("diskspd") {
        count += 1;
        let text = std::fs::read_to_string(path).unwrap();
        let imported = read(path).unwrap();
        let record = &imported.records[0];
        let what = path.display().to_string();
        assert_eq!((imported.records.len(), record.jobs.len()), (1, 1), "{what}");
        assert_eq!(record.warnings, [], "{what}");
        let ops = &record.jobs[0].ops;
        let is_xml = what.ends_with(".xml");
        assert_eq!(imported.kind, if is_xml { SourceKind::DiskspdXml } else { SourceKind::DiskspdText });
        for (name, stream) in [("Read", &ops.read), ("Write", &ops.write)] {
            let Some(stream) = stream else { continue };
            if is_xml {
                let sum = |tag: &str| -> f64 {
                    let start = format!("<{tag}>");
                    let elements = text.split(&start).skip(1);
                    elements.map(|rest| rest.split('<').next().unwrap().parse::<f64>().unwrap()).sum()
                };
                let seconds = behind(&text, "<TestTimeSeconds>");
                same(rate(stream), sum(&format!("{name}Count")) / seconds, 1e-9, &what);
                same(bandwidth(stream), sum(&format!("{name}Bytes")) / seconds / 1_048_576.0, 1e-9, &what);
                if text.contains("<Latency>") {
                    let mean = behind(&text, &format!("<Average{name}Milliseconds>"));
                    same(stream.total_latency.mean_us.unwrap().value, 1e3 * mean, 1e-6, &what);
                    let bucket = text.split("<Percentile>99</Percentile>").nth(1).unwrap();
                    let p99 = behind(bucket, &format!("<{name}Milliseconds>"));
                    same(stream.total_latency.percentile(99.0).unwrap().value, 1e3 * p99, 1e-6, &what);
                } else {
                    assert_eq!(stream.total_latency.mean_us, None, "{what}");
                }
            } else {
                let table = text.split(&format!("{name} IO\n")).nth(1).unwrap();
                let total = table.lines().find(|line| line.starts_with("total:")).unwrap();
                let cells: Vec<f64> = total.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
                assert_eq!(stream.io_count.map(|count| count as f64), Some(cells[0]), "{what}");
                same(bandwidth(stream), cells[1], 1e-9, &what);
                same(rate(stream), cells[2], 1e-9, &what);
                same(stream.total_latency.mean_us.unwrap().value, 1e3 * cells[3], 1e-6, &what);
                let row = text.lines().find(|line| line.trim_start().starts_with("99th")).unwrap();
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                let p99: f64 = cells[if name == "Read" { 1 } else { 2 }].parse().unwrap();
                same(stream.total_latency.percentile(99.0).unwrap().value, 1e3 * p99, 1e-6, &what);
            }
        }
    }
    assert!(count == 0 || count == 4, "{count}");
}
