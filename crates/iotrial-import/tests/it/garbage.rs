//! Whatever a file holds: no panic, no hang, no error that says nothing.
//!
//! The mutations over the golden files are the short form of what `fuzz/` does for as long as one likes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use iotrial_import::{ForeignFile, ImportError, Imported, Naming, import};
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    // What lies beside is the same garbage.
    let beside = |_: &str| Some(bytes.to_vec());
    let read = import(&ForeignFile { name: "f", bytes, beside: &beside }, &Naming::default());
    match &read {
        Ok(imported) => {
            assert!(!imported.records.is_empty());
            imported.records.iter().for_each(|record| record.check().unwrap());
        }
        Err(error) => assert!(error.to_string().len() > 10, "{error}"),
    }
    read
}

fn error_of(bytes: &[u8]) -> String {
    read(bytes).map(|imported| imported.kind).unwrap_err().to_string()
}

fn golden_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files = Vec::new();
    for kind in
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        files.extend(std::fs::read_dir(kind).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| !path.to_string_lossy().ends_with(".facts.txt"));
    files.sort();
    files
}

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)).unwrap()
}

#[test]
fn what_is_no_result_is_told_as_such() {
    assert_eq!(error_of(b""), "it is empty");
    assert_eq!(error_of(&[0, 159, 146, 150]), "it is not text");
    assert_eq!(
        error_of(b"dear diary, today I measured nothing"),
        "it is not a result format that iotrial recognises"
    );
    assert_eq!(
        error_of(b"500, 12345, 0, 4096, 0\n"),
        "it is a log of fio, which is read with the JSON next to it"
    );
    assert!(
        error_of(b"fio: pid=1, err=2/file:x.c:1, error=No such file\n")
            .contains("there is only “message from fio: pid=1, err=2/file:x.c:1, error=No such file”")
    );
}

#[test]
fn a_result_that_is_cut_off_anywhere_is_an_error_with_a_place_or_a_part_that_was_whole() {
    for path in golden_files() {
        let bytes = std::fs::read(&path).unwrap();
        let step = (bytes.len() / 97).max(1);
        for length in (0..bytes.len()).step_by(step) {
            let _ = read(&bytes[..length]);
        }
    }
    let json = golden("fio/mix.json");
    let half = error_of(&json[..json.len() / 2]);
    assert!(half.starts_with("line ") && half.contains("it ends before its JSON is complete"), "{half}");
    let xml = golden("diskspd/two-spans.xml");
    let half = error_of(&xml[..xml.len() / 2]);
    assert!(half.starts_with("line ") && half.contains("it ends before its XML is complete"), "{half}");
}

#[test]
fn numbers_that_are_none_are_told_with_their_place_and_left_out() {
    let json = String::from_utf8(golden("fio/mix.json")).unwrap();
    let key = json.lines().position(|line| line.trim().starts_with("\"iops\" : ")).unwrap();
    let spoilt: Vec<&str> = json
        .lines()
        .enumerate()
        .map(|(at, line)| if at == key { "        \"iops\" : -nan," } else { line })
        .collect();
    let imported = read(spoilt.join("\n").as_bytes()).unwrap();
    let record = &imported.records[0];
    assert_eq!(record.jobs[0].ops.read.as_ref().unwrap().iops, None);
    assert_eq!(record.warnings[0].to_string(), format!("line {}: `iops` is not a number", key + 1));
}

#[test]
fn a_key_that_stands_twice_is_told() {
    let json = String::from_utf8(golden("fio/mix.json")).unwrap();
    let twice = json.replacen("\"jobname\" : \"mix\",", "\"jobname\" : \"mix\", \"jobname\" : \"other\",", 1);
    let imported = read(twice.as_bytes()).unwrap();
    assert_eq!(
        imported.records[0].warnings[0].to_string(),
        "jobs[0].jobname: occurs twice; the first one counts"
    );
    assert_eq!(imported.records[0].jobs[0].name, "mix");
}

#[test]
fn absurd_numbers_are_refused_with_what_they_are() {
    let json = String::from_utf8(golden("fio/mix.json")).unwrap();
    let absurd = |key: &str, value: &str| {
        let line = json.lines().find(|line| line.trim().starts_with(&format!("\"{key}\" : "))).unwrap();
        error_of(json.replacen(line, &format!("\"{key}\" : {value},"), 1).as_bytes())
    };
    assert_eq!(absurd("iops", "1e300"), "jobs: its read rate is out of range");
    assert_eq!(absurd("total_ios", "18446744073709551615"), "jobs: its read count is out of range");
    assert!(absurd("runtime", "1e999").contains("number out of range"));
}

#[test]
fn ten_thousand_levels_of_nesting_are_refused() {
    let deep = format!("{{\"fio version\" : \"fio-3.33\", \"jobs\" : {}", "[".repeat(10_000));
    assert!(error_of(deep.as_bytes()).contains("more than 128 deep"));
    let deep = format!("<Results><System>{}", "<TimeSpan>".repeat(10_000));
    assert!(error_of(deep.as_bytes()).contains("are nested more than"));
}

/// Large inputs that ask for work without end. `IOTRIAL_HOSTILE_MIB=64` makes them as large as anything that
/// is read.
#[test]
fn large_hostile_files_are_answered() {
    let mib: usize =
        std::env::var("IOTRIAL_HOSTILE_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let size = (mib << 20) - 1024;
    let fill = |head: &str, unit: &str| {
        let mut text = String::with_capacity(size + 64);
        text.push_str(head);
        while text.len() < size {
            text.push_str(unit);
        }
        text
    };
    let fill_to = |size: usize, head: &str, unit: &str| head.to_owned() + &unit.repeat(size / unit.len());
    let unique = |start: &str, end: &str, count: usize| -> String {
        (0..count).map(|number| format!("{start}{number}{end}")).collect()
    };
    let fio = "{\"fio version\" : \"fio-3.33\",\n";
    let many_jobs = format!("{{\"fio version\":\"x\",\"jobs\":[{}{{}}]}}\n", "{},".repeat(9_999));
    let long_option = format!(
        "{fio}\"global options\":{{\"a\":\"{}\"}},\"jobs\":[{}{{}}]}}",
        "x".repeat(size / 2),
        "{},".repeat(9_999)
    );
    let leaves = unique("<a>", "</a>", 190);
    let targets = format!("<Target><Path>x</Path>{leaves}</Target>").repeat(250);
    let many_spans = format!(
        "<Results><Profile><TimeSpans><TimeSpan><Targets>{targets}</Targets></TimeSpan></TimeSpans></Profile>{}</Results>",
        "<TimeSpan><TestTimeSeconds>1</TestTimeSeconds></TimeSpan>".repeat(999)
    );
    for (name, text) in
        [("jobs", fill("", &many_jobs)), ("options", long_option.clone()), ("spans", many_spans.clone())]
    {
        // Far smaller than what they ask for.
        assert!(error_of(text.as_bytes()).contains("MiB of memory"), "{name}: {}", error_of(text.as_bytes()));
    }
    let inputs = [
        ("braces", fill("{\"fio version\" :\n", "{")),
        ("lines of braces", fill("{\"fio version\" :\n", "{\n")),
        ("small documents", fill("{\"fio version\" : \"fio-1\"}\n", "{}\n")),
        ("documents on one line", fill("{\"fio version\" : \"fio-1\"}\n", "{}")),
        ("open strings", fill("{\"fio version\" :\n", "{\"a\":\"\n")),
        ("a long list", fill(&format!("{fio}\"jobs\" : ["), "0,")),
        ("a key many times", fill(fio, "\"a\" : 0,")),
        ("many jobs", fill(&format!("{fio}\"jobs\" : [{{}}"), ",{}")),
        (
            "many bins",
            fill(
                &format!("{fio}\"jobs\" : [{{\"read\" : {{\"clat_ns\" : {{\"bins\" : {{\"1\" : 1"),
                ",\"7\" : 9",
            ),
        ),
        ("nan", fill(fio, "\"a\" : nan,\n")),
        ("spaces", fill(fio, " ")),
        ("elements", fill("<Results><System>", "<a/>")),
        ("open elements", fill("<Results><System>", "<a>")),
        ("many results", fill("<Results><System></System></Results>", "<Results>")),
        ("entities", fill("<Results><System>", "&amp;&#65;&x;")),
        ("attributes", fill("<Results><System><a ", "b=\"c\" ")),
        ("jobs of many documents", fill("", &many_jobs)),
        ("global options of many jobs", long_option),
        ("options of many time spans", many_spans),
        ("attributes of other names", fill("<Results><System><a ", &unique("b", "=\"\" ", 8_000))),
        ("targets", fill("Input parameters:\ntimespan: 1\n", "path: 'x'\n")),
        (
            "columns that are long and rows",
            format!(
                "{}\n{}",
                fill_to(size / 2, "interval reqrate rate MB/sec", " x"),
                fill_to(size / 2, "", "avg 1 1 1 1\n")
            ),
        ),
        ("disks", fill("'Target Type,Target Name\nALL,x\n", &unique("DISK,d", "\n", 8_000))),
        ("classes as columns", fill("'Target Type,", "1 to 2 uS,")),
        (
            "mistakes of a table",
            fill_to(size.min(4 << 20), "format = \"iotrial.table/1\"\n", &unique("k", " = 1\n", 8_000)),
        ),
        ("terse", fill("3;fio-3.33;x;0;0", ";0")),
        ("terse lines", fill("", &format!("3;fio-3.33;x;0;0{}\n", ";1".repeat(130)))),
        ("SQLIO", fill("sqlio v1\n", "IOs/sec: 1\n")),
        ("many SQLIO runs", fill("", "sqlio v1\nIOs/sec: 1\n")),
        ("diskspd spans", fill("", "Results for timespan 1:\ntotal: 1|1\n")),
        ("diskspd columns", fill("Results for timespan 1:\nTotal IO\nthread", "|a")),
        ("Iometer", fill("'Target Type,Target Name\n", "ALL,x\n")),
        ("Iometer columns", fill("'Target Type,", "x,")),
        ("quotes", fill("'Target Type,Target Name\n", "\"")),
        ("vdbench", fill("interval reqrate rate MB/sec x\n", "avg 1 1 1 1\n")),
        ("vdbench columns", fill("interval reqrate rate MB/sec ", "x ")),
        ("CrystalDiskMark", fill("CrystalDiskMark 8\n", "SEQ: 1 MB/s\n")),
        ("kbench", fill("FIO Benchmark Summary\nIOPS (\n", "Random: 1 / 2\n")),
        ("kubestr", fill("BW(KiB/s)=\n", "JobName: a\nread:\nIOPS=1\n")),
        ("columns of YABS", fill("fio Disk Speed Tests\nBlock Size (IOPS)\nBlock Size", "| 4k")),
        (
            "sysbench",
            fill("written, MiB/s:\nwrites/s:\n", "reads/s: 1\nRunning the test with following options\n"),
        ),
        (
            "phases of elbencho",
            fill("ISO date,label,path type,operation,IOPS [last]\n", "2026,a,dir,READ,1\n"),
        ),
        ("buckets of etcd", fill("", "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"1\"} 1\n")),
        ("labels of etcd", fill("etcd_disk_wal_fsync_duration_seconds_bucket{", "a=\"1\",")),
        ("HammerDB", fill("", "TEST RESULT : System achieved 1 NOPM\n")),
        ("rows of CSV", fill("read.iops,label\n", "1,a\n")),
        ("columns of CSV", fill("read.iops", ",x")),
        (
            "rows of a table",
            fill(
                "format = \"iotrial.table/1\"\ntitle = \"t\"\n",
                "[[row]]\nid = \"A\"\nread = { iops = 1 }\n",
            ),
        ),
    ];
    for (name, text) in inputs {
        let start = Instant::now();
        let _ = read(text.as_bytes());
        let took_s = start.elapsed().as_secs_f64();
        if mib > 2 {
            eprintln!("{name:<24} {took_s:6.2} s");
        }
    }
}

/// Of what the formats consist of, so that mutations reach behind the first look.
const WORDS: [&str; 24] = [
    "\"fio version\" : \"fio-3.33\"",
    "\"jobs\" : [",
    "{",
    "}",
    "[",
    "]",
    "\"bins\" : {",
    "nan",
    "-1",
    "1e308",
    "0",
    "99999999999999999999",
    "<Results>",
    "</Results>",
    "<TimeSpan>",
    "&amp;",
    ";",
    "|",
    ",",
    "\n",
    "total:",
    "'Results",
    "\u{fffd}",
    "\"percentile\" : {",
];

/// How many inputs are tried; `IOTRIAL_MUTATIONS=1000000` tries more, where there is no cargo-fuzz.
fn mutations() -> ProptestConfig {
    let cases = std::env::var("IOTRIAL_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_500);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(mutations())]

    #[test]
    fn a_mutated_result_is_read_or_refused(
        which in 0usize..64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..6, any::<u8>(), 0usize..WORDS.len()), 1..12),
    ) {
        let files = golden_files();
        let mut bytes = std::fs::read(&files[which % files.len()]).unwrap();
        for (at, kind, byte, word) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => drop(bytes.splice(at..at, WORDS[word].bytes())),
                3 => bytes.truncate(at),
                4 => {
                    let end = (at + usize::from(byte)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                _ => {
                    let end = (at + usize::from(byte)).min(bytes.len());
                    drop(bytes.drain(at..end));
                }
            }
        }
        let _ = read(&bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = read(&bytes);
    }
}
