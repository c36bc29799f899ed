//! One figure of a consistent result is changed: the audit finds it, by the check that it belongs to.

use std::collections::BTreeMap;

use iotrial_analysis::audit::Audit;
use iotrial_import::{ForeignFile, Naming, import};
use iotrial_model::audit::{AuditFinding, Check, Weight};
use iotrial_model::subject::Subject;
use serde_json::{Value, json};

fn golden(name: &str) -> String {
    let path = format!("{}/../iotrial-import/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn findings_of(text: &str) -> Vec<AuditFinding> {
    let file = ForeignFile { name: "planted", bytes: text.as_bytes(), beside: &|_| None };
    let imported = import(&file, &Naming::default()).unwrap_or_else(|error| panic!("{error}: {text}"));
    imported.records.iter().flat_map(|record| Audit::of(&Subject::of_imported(record)).findings).collect()
}

/// How the figures of a JSON are changed: each by its path, times a factor.
type Factors = &'static [(&'static str, f64)];

/// fio's JSON with a mix, and one of reads only.
const MIX: &str = "fio/mix.json";

/// Changes of the numbers of `MIX`: what a person or a script does, and the checks that may find it.
const NUMBERS: &[(&str, Factors, &[Check])] = &[
    ("IOPS doubled", &[("read/iops", 2.0)], &[Check::IopsBandwidth]),
    ("IOPS halved", &[("read/iops", 0.5)], &[Check::IopsBandwidth]),
    ("IOPS 10 % more", &[("write/iops", 1.1)], &[Check::IopsBandwidth]),
    ("IOPS in thousands", &[("read/iops", 1e-3)], &[Check::IopsBandwidth]),
    ("IOPS times 1,000", &[("read/iops", 1e3)], &[Check::IopsBandwidth]),
    ("bandwidth doubled", &[("read/bw_bytes", 2.0)], &[Check::IopsBandwidth]),
    ("bandwidth halved", &[("write/bw_bytes", 0.5)], &[Check::IopsBandwidth]),
    ("bandwidth in bits", &[("read/bw_bytes", 8.0)], &[Check::IopsBandwidth]),
    ("bandwidth of MB as MiB", &[("read/bw_bytes", 1.048_576)], &[Check::IopsBandwidth]),
    ("bandwidth of MiB as MB", &[("read/bw_bytes", 1.0 / 1.048_576)], &[Check::IopsBandwidth]),
    ("bandwidth of KiB as bytes", &[("read/bw_bytes", 1.0 / 1_024.0)], &[Check::IopsBandwidth]),
    ("bandwidth times 1,000", &[("read/bw_bytes", 1e3)], &[Check::IopsBandwidth]),
    ("bandwidth in thousands", &[("read/bw_bytes", 1e-3)], &[Check::IopsBandwidth]),
    ("count doubled", &[("read/total_ios", 2.0)], &[Check::Totals]),
    ("count halved", &[("read/total_ios", 0.5)], &[Check::Totals]),
    ("count 10 % more", &[("write/total_ios", 1.1)], &[Check::Totals]),
    ("count times 1,000", &[("write/total_ios", 1e3)], &[Check::Totals]),
    ("bytes doubled", &[("read/io_bytes", 2.0)], &[Check::Totals]),
    ("bytes halved", &[("read/io_bytes", 0.5)], &[Check::Totals]),
    ("bytes in KiB", &[("read/io_bytes", 1.0 / 1_024.0)], &[Check::Totals]),
    ("runtime doubled", &[("read/runtime", 2.0)], &[Check::Totals]),
    ("runtime halved", &[("read/runtime", 0.5)], &[Check::Totals]),
    ("runtime in seconds", &[("read/runtime", 1e-3)], &[Check::Totals]),
    ("total latency tripled", &[("read/lat_ns/mean", 3.0)], &[Check::LatencyParts]),
    ("total latency halved", &[("read/lat_ns/mean", 0.5)], &[Check::LatencyParts]),
    ("total latency in µs", &[("read/lat_ns/mean", 1e-3)], &[Check::LatencyParts, Check::MeanInRange]),
    ("completion tripled", &[("read/clat_ns/mean", 3.0)], &[Check::LatencyParts]),
    ("completion halved", &[("write/clat_ns/mean", 0.5)], &[Check::LatencyParts]),
    ("submission times 100", &[("read/slat_ns/mean", 100.0)], &[Check::LatencyParts]),
    (
        "all means of reads doubled",
        &[("read/lat_ns/mean", 2.0), ("read/clat_ns/mean", 2.0), ("read/slat_ns/mean", 2.0)],
        &[Check::LittlesLaw],
    ),
    (
        "all means of both directions times 1,000",
        &[
            ("read/lat_ns/mean", 1e3),
            ("read/clat_ns/mean", 1e3),
            ("read/slat_ns/mean", 1e3),
            ("write/lat_ns/mean", 1e3),
            ("write/clat_ns/mean", 1e3),
            ("write/slat_ns/mean", 1e3),
        ],
        &[Check::LittlesLaw, Check::MeanInRange],
    ),
    ("longest halved", &[("read/clat_ns/max", 0.5)], &[Check::PercentileOrder]),
    ("shortest times 100", &[("read/clat_ns/min", 100.0)], &[Check::MeanInRange, Check::PercentileOrder]),
    ("p50 times 10", &[("read/clat_ns/percentile/50.000000", 10.0)], &[Check::PercentileOrder]),
    ("p99.9 doubled", &[("write/clat_ns/percentile/99.900000", 2.0)], &[Check::PercentileOrder]),
    ("p99 a tenth", &[("read/clat_ns/percentile/99.000000", 0.1)], &[Check::PercentileOrder]),
    (
        "percentiles in µs",
        &[
            ("read/clat_ns/percentile/50.000000", 1e-3),
            ("read/clat_ns/percentile/90.000000", 1e-3),
            ("read/clat_ns/percentile/99.000000", 1e-3),
            ("read/clat_ns/percentile/99.900000", 1e-3),
        ],
        &[Check::MeanByPercentiles, Check::PercentileOrder],
    ),
    ("deviation times 100", &[("read/lat_ns/stddev", 100.0)], &[Check::Deviation]),
    ("more CPU time than there is", &[("usr_cpu", 700.0)], &[Check::CpuTime]),
];

/// What a text has, what stands there instead, and the checks that may find it.
type Replacement = (&'static str, &'static str, &'static str, &'static [Check]);

const TEXTS: &[Replacement] = &[
    (MIX, "\"bs\" : \"8k\"", "\"bs\" : \"4k\"", &[Check::IopsBandwidth, Check::TransferSize]),
    (MIX, "\"bs\" : \"8k\"", "\"bs\" : \"16k\"", &[Check::IopsBandwidth, Check::TransferSize]),
    (MIX, "\"iodepth\" : \"4\"", "\"iodepth\" : \"1\"", &[Check::LittlesLaw]),
    (MIX, "\"rwmixread\" : \"70\"", "\"rwmixread\" : \"30\"", &[Check::Mix]),
    (MIX, "\"rw\" : \"randrw\"", "\"rw\" : \"randwrite\"", &[Check::Mix]),
    (MIX, "\"iodepth\" : \"4\"", "\"iodepth\" : \"4\", \"rate_iops\" : \"100\"", &[Check::AskedRate]),
    ("fio/normal-mix.txt", "IOPS=1831", "IOPS=3662", &[Check::IopsBandwidth]),
    ("fio/normal-mix.txt", "BW=7327KiB/s", "BW=58.6MiB/s", &[Check::IopsBandwidth]),
    ("fio/normal-mix.txt", "(7356KiB/1004msec)", "(7356KiB/2008msec)", &[Check::Totals]),
    ("fio/normal-mix.txt", "avg=988.42", "avg=2988.42", &[Check::LatencyParts]),
    ("fio/normal-mix.txt", "50.00th=[   71]", "50.00th=[ 7100]", &[Check::PercentileOrder]),
    ("fio/normal-mix.txt", "bs=(R) 4096B-4096B", "bs=(R) 8192B-8192B", &[Check::IopsBandwidth]),
    ("diskspd/two-spans.xml", "<ReadCount>75000<", "<ReadCount>150000<", &[Check::Totals]),
    ("diskspd/two-spans.xml", "<WriteCount>25000<", "<WriteCount>250000<", &[Check::Totals]),
    ("diskspd/two-spans.xml", "<ReadBytes>614400000<", "<ReadBytes>153600000<", &[Check::TransferSize]),
    ("diskspd/two-spans.xml", "<TestTimeSeconds>10.00<", "<TestTimeSeconds>5.00<", &[Check::LittlesLaw]),
    ("diskspd/two-targets.txt", "819200000 |       100000 |", "819200000 |       100100 |", &[Check::Totals]),
    ("sqlio/two-runs.txt", "%: 10 20 30", "%: 48 20 30", &[Check::HistogramShares]),
    (
        "vdbench/flatfile.html",
        "avg_2-2          max      10010.0",
        "avg_2-2          max      20020.0",
        &[Check::IopsBandwidth],
    ),
    (
        "vdbench/flatfile.html",
        "10010.0        78.20         8192        70.00        0.799        0.600        1.263          9.0        0.300         8192            8           70            0            0          100          10g          8.0         12.0          4.0          8.0            0         88.0\n  03:05",
        "10010.0       782.00         8192        70.00        0.799        0.600        1.263          9.0        0.300         8192            8           70            0            0          100          10g          8.0         12.0          4.0          8.0            0         88.0\n  03:05",
        &[Check::IopsBandwidth],
    ),
    ("crystaldiskmark/8.txt", "102.400 MB/s [  25000.0", "1024.00 MB/s [  25000.0", &[Check::IopsBandwidth]),
    ("crystaldiskmark/8.txt", "102.400 MB/s [  25000.0", " 97.656 MB/s [  25000.0", &[Check::IopsBandwidth]),
    ("crystaldiskmark/8.txt", "<  5118.00 us>", "< 51180.00 us>", &[Check::LittlesLaw]),
];

fn change(document: &mut Value, path: &str, factor: f64) {
    let mut place = &mut document["jobs"][0];
    for key in path.split('/') {
        place = &mut place[key];
    }
    let number = place.as_f64().unwrap_or_else(|| panic!("{path}")) * factor;
    #[expect(clippy::cast_possible_truncation, reason = "counts stay whole")]
    let whole = json!(number.round() as i64);
    *place = if place.is_f64() { json!(number) } else { whole };
}

/// Reads and writes that have changed places, wholly or with one figure.
fn swapped(path: &str) -> String {
    let mut document: Value = serde_json::from_str(&golden(MIX)).unwrap();
    let job = &mut document["jobs"][0];
    let at = |job: &Value, direction: &str| {
        path.split('/')
            .filter(|key| !key.is_empty())
            .fold(job[direction].clone(), |value, key| value[key].clone())
    };
    let (read, write) = (at(job, "read"), at(job, "write"));
    for (direction, value) in [("read", write), ("write", read)] {
        let place = path
            .split('/')
            .filter(|key| !key.is_empty())
            .fold(&mut job[direction], |place, key| &mut place[key]);
        *place = value;
    }
    document.to_string()
}

#[test]
fn a_figure_that_was_changed_is_found() {
    let mut missed: BTreeMap<String, Vec<Check>> = BTreeMap::new();
    let mut count = 0;
    let mut expect = |what: String, text: &str, checks: &[Check]| {
        count += 1;
        let found: Vec<Check> = findings_of(text)
            .into_iter()
            .filter(|one| one.weight == Weight::Contradiction || checks.contains(&one.check))
            .map(|one| one.check)
            .collect();
        if !found.iter().any(|check| checks.contains(check)) {
            missed.insert(what, found);
        }
    };
    for (what, factors, checks) in NUMBERS {
        let mut document: Value = serde_json::from_str(&golden(MIX)).unwrap();
        factors.iter().for_each(|(path, factor)| change(&mut document, path, *factor));
        expect((*what).to_owned(), &document.to_string(), checks);
    }
    for (file, from, to, checks) in TEXTS {
        let text = golden(file);
        assert!(text.contains(from), "{file}: {from}");
        expect(format!("{file}: {to}"), &text.replacen(from, to, 1), checks);
    }
    expect("directions swapped".to_owned(), &swapped(""), &[Check::Mix]);
    expect("counts of directions swapped".to_owned(), &swapped("total_ios"), &[Check::Totals, Check::Mix]);
    expect(
        "percentiles of directions swapped".to_owned(),
        &swapped("clat_ns/percentile"),
        &[Check::PercentileOrder],
    );
    let mut copied: Value = serde_json::from_str(&golden(MIX)).unwrap();
    let job = &mut copied["jobs"][0];
    for latency in ["lat_ns", "clat_ns", "slat_ns"] {
        job["write"][latency] = job["read"][latency].clone();
    }
    expect("latencies of reads copied to writes".to_owned(), &copied.to_string(), &[Check::CopiedLatency]);
    // Reads of a job that only writes are taken for those of others in its group: its load is left out, with a warning.
    let of_a_group = format!("{MIX}: \"rw\" : \"randwrite\"");
    assert_eq!(missed.keys().collect::<Vec<_>>(), [&of_a_group], "{missed:#?}");
    assert_eq!(count, 66);
}

#[test]
fn what_was_not_changed_is_not_accused() {
    let files: std::collections::BTreeSet<&str> = TEXTS.iter().map(|(file, ..)| *file).collect();
    for file in files {
        let findings = findings_of(&golden(file));
        assert!(findings.iter().all(|one| one.weight == Weight::Doubt), "{file}: {findings:#?}");
    }
}
