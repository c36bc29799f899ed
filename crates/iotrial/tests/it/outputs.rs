//! What becomes of every file that an option names for the program to write, whatever has the name by then.
//!
//! `options.txt` has all such options: a test of the program holds that list against its command line, and this one tries each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::support::{Bench, Ran};

/// A line for each: the command and the option.
const OPTIONS: &str = include_str!("outputs/options.txt");

/// A command line that reads files, and writes where an option says so.
struct Reader {
    command: &'static str,
    /// The options that it is tried with; all of the command where there are none.
    only: &'static [&'static str],
    /// What follows the command, without outputs.
    words: &'static [&'static str],
    /// Everything that it reads, in the folder of the bench.
    inputs: &'static [&'static str],
}

const SIM: [&str; 7] = ["--engine", "sim", "--seed", "1", "--ramp=0s", "--duration=1s", "--quiet"];
const GATE: &str = "--gate=data.read.p99 < 100s";

const READERS: [Reader; 20] = [
    Reader {
        command: "run",
        only: &[],
        words: &["./profile.in", GATE],
        // The set is named by the profile and not by the command.
        inputs: &["profile.in", "limits.in"],
    },
    Reader { command: "run", only: &[], words: &["--fio-job", "job.in", GATE], inputs: &["job.in"] },
    Reader {
        command: "run",
        only: &["--html", "--github-summary"],
        words: &["./profile.in", "--thresholds=./flash.in", "--need=run-1.in", "--rules=rules.in", GATE],
        inputs: &["profile.in", "flash.in", "run-1.in", "rules.in"],
    },
    Reader {
        command: "verify",
        only: &[],
        words: &["./profile.in", "--target=there", "--size=4MiB", "--buffered", "--engine=threads"],
        inputs: &["profile.in", "limits.in"],
    },
    Reader {
        command: "verify crash check",
        only: &[],
        words: &["journal.in", "--cut=power", "--target=pages.in", "--quiet"],
        inputs: &["journal.in", "pages.in"],
    },
    Reader { command: "sweep", only: &[], words: &["--rules=rules.in"], inputs: &["rules.in"] },
    Reader {
        command: "study",
        only: &[],
        words: &["study.in", "--status"],
        inputs: &["study.in", "profile.in"],
    },
    Reader {
        command: "watch",
        only: &["--html", "--xlsx", "--markdown", "--csv", "--demand"],
        words: &["counters.in", "--thresholds=./flash.in"],
        inputs: &["counters.in", "flash.in"],
    },
    Reader {
        command: "watch",
        only: &["--record"],
        words: &["--interval=100ms", "--duration=200ms", "--thresholds=./flash.in"],
        inputs: &["flash.in"],
    },
    // With a driver that does nothing.
    Reader {
        command: "observe",
        only: &["--html", "--xlsx", "--markdown", "--csv", "--record"],
        words: &[],
        inputs: &[],
    },
    Reader { command: "capture", only: &[], words: &["trace.in"], inputs: &["trace.in"] },
    Reader {
        command: "report",
        only: &[],
        words: &["run-1.in", "--thresholds=./flash.in", GATE],
        inputs: &["run-1.in", "flash.in"],
    },
    Reader { command: "report", only: &["--html"], words: &["result.in"], inputs: &["result.in"] },
    Reader {
        command: "compare",
        only: &[],
        words: &["run-1.in", "run-2.in", GATE],
        inputs: &["run-1.in", "run-2.in"],
    },
    Reader {
        command: "audit",
        only: &[],
        words: &["result.in", "table.in"],
        inputs: &["result.in", "table.in"],
    },
    Reader {
        command: "size",
        only: &[],
        words: &[
            "--demand=demand.in",
            "--provider=oci",
            "--catalog=catalog.in",
            "--against=configuration.in",
        ],
        inputs: &["demand.in", "catalog.in", "configuration.in"],
    },
    Reader {
        command: "size explain",
        only: &[],
        words: &["configuration.in", "--record=result.in", "--catalog=catalog.in"],
        inputs: &["configuration.in", "result.in", "catalog.in"],
    },
    Reader { command: "awr", only: &[], words: &["awr.in"], inputs: &["awr.in"] },
    Reader {
        command: "import",
        only: &[],
        words: &["curve.in", "--as-sweep", "--quiet"],
        inputs: &["curve.in"],
    },
    Reader {
        command: "check",
        only: &[],
        words: &["--list-rules", "--rules=rules.in"],
        inputs: &["rules.in"],
    },
];

/// A load of few I/Os, which takes no time.
const PROFILE: &str = "format = \"iotrial.profile/1\"
name = \"mine\"
title = \"A short load\"
closed = true
thresholds = \"./limits.in\"
schedule = { ramp = \"0s\", duration = \"1s\" }
quick = { size = \"16MiB\", ramp = \"0s\", duration = \"1s\" }
[[job]]
name = \"data\"
role = \"data\"
pattern = \"random\"
rwmix_read_percent = 70
block_size = \"8KiB\"
numjobs = 1
iodepth = 4
size = \"16MiB\"
rate = \"100iops\"
";

/// One page, which is lost.
const JOURNAL: &str = "itj1 begin {\"run\":\"01JDQ8ZZZZZZZZZZZZZZZZZZZZ\",\"key\":1,\"page_bytes\":4096,\"pages\":1,\"first_byte\":0,\"flush_every\":1,\"path\":\"x\",\"is_device\":false,\"host\":\"db01\",\"started_at\":\"2026-11-28T15:00:00Z\",\"version\":\"0.1.0\"} e348c31e\n";

/// What is asked of storage.
const DEMAND: &str = "format = \"iotrial.demand/1\"\nread = { iops = 1000, block_size = \"8KiB\" }\n";

impl Reader {
    fn options(&self) -> Vec<&'static str> {
        let of_command = |line: &'static str| {
            let (command, option) = line.rsplit_once(' ').unwrap();
            (command == self.command).then_some(option)
        };
        let all = OPTIONS.lines().filter_map(of_command);
        all.filter(|option| self.only.is_empty() || self.only.contains(option)).collect()
    }

    fn run(&self, bench: &Bench, more: &[String]) -> Ran {
        let mut words: Vec<&str> = self.command.split(' ').chain(self.words.iter().copied()).collect();
        match self.command {
            "run" => words.extend(SIM),
            "verify" => words.extend(["--ramp=0s", "--duration=1s", "--quiet"]),
            "sweep" => words.extend([
                "--engine=sim",
                "--pattern=randread-8k",
                "--grid=1,2",
                "--step=1s",
                "--quiet",
                "--sim=service_time_us=20000",
            ]),
            _ => {}
        }
        words.extend(more.iter().map(String::as_str));
        if self.command == "observe" {
            words.extend(["--", env!("CARGO_BIN_EXE_iotrial"), "--version"]);
        }
        bench.run(&words)
    }
}

/// Every file in the folder of the bench and the store, with what is in it; of what is no file, only that it is there.
fn all(bench: &Bench) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in [bench.path().to_owned(), bench.store()] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            // The index of the store is made by whoever looks first.
            if !path.to_string_lossy().contains("/index.") {
                let content =
                    if kind.is_file() { fs::read(&path).unwrap() } else { format!("{kind:?}").into_bytes() };
                found.insert(path.to_string_lossy().into_owned(), content);
            }
        }
    }
    found
}

/// One refusal: exit code 2 with a hint, the option and the file are named, and nothing is another than before.
#[track_caller]
fn refused(bench: &Bench, reader: &Reader, option: &str, file: &str, more: &[&str]) {
    let before = all(bench);
    let words: Vec<String> =
        std::iter::once(format!("{option}={file}")).chain(more.iter().map(|&word| word.to_owned())).collect();
    let ran = reader.run(bench, &words);
    let shown = format!("{} {words:?}: {}\n{}{}", reader.command, ran.code, ran.stdout, ran.stderr);
    assert_eq!(ran.code, 2, "{shown}");
    assert!(ran.stderr.contains(option) && ran.stderr.contains(file.trim_start_matches("./")), "{shown}");
    assert!(ran.stderr.contains("hint: ") && ran.stdout.is_empty(), "{shown}");
    let after = all(bench);
    let changed: Vec<&String> = before
        .keys()
        .chain(after.keys())
        .filter(|name| before.get(*name) != after.get(*name))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    assert!(changed.is_empty(), "{changed:?} changed: {shown}");
}

/// One that is written: any answer will do.
#[track_caller]
fn written(bench: &Bench, reader: &Reader, option: &str, file: &str, more: &[&str]) -> Vec<u8> {
    let words: Vec<String> =
        std::iter::once(format!("{option}={file}")).chain(more.iter().map(|&word| word.to_owned())).collect();
    let ran = reader.run(bench, &words);
    let shown = format!("{} {words:?}: {}\n{}{}", reader.command, ran.code, ran.stdout, ran.stderr);
    assert!(matches!(ran.code, 0 | 1 | 4), "{shown}");
    fs::read(bench.path().join(file)).unwrap_or_else(|error| panic!("{error}: {shown}"))
}

fn put(bench: &Bench, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(bench.path().join(name), bytes).unwrap();
}

fn remove(bench: &Bench, names: &[&str]) {
    names.iter().for_each(|name| fs::remove_file(bench.path().join(name)).unwrap());
}

fn fixtures(bench: &Bench) {
    let printed = |words: &[&str]| bench.run(words).expect_code(0).stdout;
    let repository = |path: &str| fs::read(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    put(bench, "flash.in", repository("iotrial-analysis/thresholds/flash.toml"));
    let limits = String::from_utf8(repository("iotrial-analysis/thresholds/flash.toml")).unwrap();
    put(bench, "limits.in", limits.replace("\"flash\"", "\"mine\""));
    put(bench, "profile.in", PROFILE);
    put(
        bench,
        "job.in",
        "[global]\nioengine=libaio\ndirect=1\nbs=8k\nsize=64m\n[data]\nrw=randread\niodepth=4\nrate_iops=100\n",
    );
    put(bench, "rules.in", repository("iotrial-analysis/host-rules/disk.toml"));
    put(bench, "awr.in", repository("iotrial-import/tests/awr/instance-19c.html"));
    put(bench, "result.in", repository("iotrial-import/tests/golden/fio/mix.json"));
    put(bench, "catalog.in", printed(&["size", "catalogs", "oci", "--print", "toml"]));
    put(bench, "configuration.in", crate::support::CONFIGURATION);
    put(bench, "demand.in", DEMAND);
    put(bench, "journal.in", JOURNAL);
    put(bench, "trace.in", repository("iotrial-import/tests/block_trace/trace_pipe.txt"));
    put(bench, "pages.in", [1_u8; 4096]);
    put(
        bench,
        "counters.in",
        "Linux 6.1 (db01) 11/21/26\n\nDevice            r/s     w/s     rkB/s     wkB/s  %util\nsda            100.00   50.00   800.00    400.00   1.00\n\nDevice            r/s     w/s     rkB/s     wkB/s  %util\nsda            200.00   50.00   1600.00    400.00   1.00\n",
    );
    let row = |load: u32, iops: u32| format!("a,random,100,4096,{load},{iops}\n");
    let head = "label,load.pattern,load.read_percent,load.block_size_bytes,load.outstanding,read.iops\n";
    put(bench, "curve.in", [head.to_owned(), row(1, 1_000), row(4, 3_900), row(64, 40_000)].concat());
    put(
        bench,
        "table.in",
        "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\nattributes = { disks = 1 }\nread = { iops = 1000, lat_mean_us = 900, bandwidth_mib_per_s = 7.8 }\n",
    );
    put(
        bench,
        "study.in",
        "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"t\"\nprofiles = [\"./profile.in\"]\nrepeats = 1\n[load]\nengine = \"sim\"\nramp = \"0s\"\nduration = \"1s\"\n[[configuration]]\nlabel = \"a\"\nsim = { service_time_us = 800.0 }\n[[configuration]]\nlabel = \"b\"\nsim = { service_time_us = 200.0 }\n",
    );
    bench.run(&["study", "study.in", "--quiet", "--json"]).expect_code(0);
    for label in ["run-1.in", "run-2.in"] {
        let ran = bench.run(&[&["run", "./profile.in", "--json", "--label", label], &SIM[..]].concat());
        fs::copy(ran.json()["record"].as_str().unwrap(), bench.path().join(label)).unwrap();
    }
}

/// Tries a kind of place on every option of every command. Where a host has no disks, nothing can be watched live.
fn each(bench: &Bench, try_it: impl Fn(&Reader, &'static str)) {
    for reader in &READERS {
        let is_live = reader.only.contains(&"--record");
        if is_live && bench.run(&["watch", "--duration=100ms", "--interval=100ms", "--json"]).code == 2 {
            eprintln!("skipped: this host shows no disk to watch");
            continue;
        }
        reader.options().into_iter().for_each(|option| try_it(reader, option));
    }
}

#[test]
fn every_option_of_the_list_is_tried() {
    let tried: BTreeSet<String> = READERS
        .iter()
        .flat_map(|reader| reader.options().into_iter().map(|option| format!("{} {option}", reader.command)))
        .collect();
    assert_eq!(tried, OPTIONS.lines().map(str::to_owned).collect());
}

#[test]
fn an_output_is_a_new_file_or_replaces_one_where_that_is_asked() {
    let bench = Bench::new();
    fixtures(&bench);
    each(&bench, |reader, option| {
        // A search for what is needed takes its time, and a load at fixed rates has none.
        if reader.words.iter().any(|word| word.starts_with("--need")) {
            return;
        }
        let new = written(&bench, reader, option, "out", &[]);
        assert!(!new.is_empty(), "{} {option}", reader.command);
        put(&bench, "out", "somebody's\n");
        if option == "--github-summary" {
            // Every step of a job adds to it.
            let both = written(&bench, reader, option, "out", &[]);
            assert!(both.starts_with(b"somebody's\n") && both.len() > 11, "{} {option}", reader.command);
        } else {
            refused(&bench, reader, option, "out", &[]);
            let replaced = written(&bench, reader, option, "out", &["--overwrite"]);
            assert!(!replaced.starts_with(b"somebody's"), "{} {option}", reader.command);
            // What iotrial itself wrote may be written again.
            written(&bench, reader, option, "out", &["--overwrite"]);
        }
        remove(&bench, &["out"]);
        let limits = bench.path().join("out.thresholds.toml");
        assert_eq!(limits.exists(), option == "--profile");
        let _ = fs::remove_file(limits);
    });
}

#[test]
fn no_output_replaces_an_input_by_whatever_name() {
    let bench = Bench::new();
    fixtures(&bench);
    each(&bench, |reader, option| {
        for input in reader.inputs {
            refused(&bench, reader, option, input, &["--overwrite"]);
        }
        // All others are told apart in the same place, and the last may be read last.
        let Some(input) = reader.inputs.last() else { return };
        fs::hard_link(bench.path().join(input), bench.path().join("linked")).unwrap();
        refused(&bench, reader, option, "linked", &["--overwrite"]);
        refused(&bench, reader, option, &format!("data/../{input}"), &["--overwrite"]);
        remove(&bench, &["linked"]);
    });
}

#[test]
fn what_a_shell_redirects_is_an_input_and_an_output_too() {
    let bench = Bench::new();
    let at = |name: &str| bench.path().join(name);
    fs::copy(format!("{}/../iotrial-import/tests/golden/fio/mix.json", env!("CARGO_MANIFEST_DIR")), at("in"))
        .unwrap();
    let before = fs::read(at("in")).unwrap();
    let mut command = bench.command(&["audit", "-", "--csv", "in", "--overwrite"]);
    let ran = Ran::from(command.stdin(fs::File::open(at("in")).unwrap()).output().unwrap()).expect_code(2);
    assert!(ran.stderr.contains("--csv") && ran.stdout.is_empty(), "{}", ran.stderr);
    assert_eq!(fs::read(at("in")).unwrap(), before);
    let mut command = bench.command(&["audit", "in", "--csv", "out", "--overwrite"]);
    let out = fs::File::create(at("out")).unwrap();
    let ran = Ran::from(command.stdout(out).output().unwrap()).expect_code(2);
    assert!(ran.stderr.contains("standard output"), "{}", ran.stderr);
    assert!(fs::read(at("out")).unwrap().is_empty());
}

#[test]
fn two_outputs_are_never_one_file() {
    let bench = Bench::new();
    fixtures(&bench);
    each(&bench, |reader, option| {
        let options = reader.options();
        let Some(other) = options.iter().find(|other| **other != option) else { return };
        refused(&bench, reader, option, "out", &[&format!("{other}=./data/../out")]);
        put(&bench, "out", "somebody's");
        fs::hard_link(bench.path().join("out"), bench.path().join("linked")).unwrap();
        let ran = reader
            .run(&bench, &[format!("{option}=out"), format!("{other}=linked"), "--overwrite".to_owned()]);
        assert_eq!(ran.code, 2, "{} {option} {other}: {}", reader.command, ran.stderr);
        assert_eq!(fs::read(bench.path().join("out")).unwrap(), b"somebody's");
        remove(&bench, &["out", "linked"]);
    });
}

#[test]
fn an_output_never_takes_the_place_of_a_record_or_of_what_else_iotrial_reads() {
    let bench = Bench::new();
    fixtures(&bench);
    // Read by none of the commands, and in no form that one of them writes.
    put(&bench, "sets", fs::read(bench.path().join("limits.in")).unwrap());
    put(&bench, "other", fs::read(bench.path().join("run-2.in")).unwrap());
    each(&bench, |reader, option| {
        for place in ["sets", "other"] {
            refused(&bench, reader, option, place, &["--overwrite"]);
        }
    });
}

#[cfg(unix)]
#[test]
fn only_a_regular_file_is_written() {
    use std::os::unix::fs::symlink;
    let bench = Bench::new();
    fixtures(&bench);
    let at = |name: &str| bench.path().join(name);
    put(&bench, "regular", "somebody's");
    symlink("regular", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("run-1.in", at("to-record")).unwrap();
    symlink("/dev/null", at("to-device")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    // The node has a number that no driver has, so that nothing could be written to it even if it were opened.
    let special: Vec<&str> = [("mkfifo", &["pipe"][..]), ("mknod", &["node", "b", "240", "77"])]
        .into_iter()
        .filter(|(program, words)| {
            let made = std::process::Command::new(program).args(*words).current_dir(bench.path()).output();
            let is_made = made.is_ok_and(|output| output.status.success());
            if !is_made {
                eprintln!("skipped: `{program}` cannot make anything here");
            }
            is_made
        })
        .map(|(_, words)| words[0])
        .collect();
    each(&bench, |reader, option| {
        for place in
            ["link", "dangling", "to-record", "to-device", "folder", "socket", "/dev/null", "/dev/full"]
        {
            refused(&bench, reader, option, place, &["--overwrite"]);
        }
        for place in &special {
            refused(&bench, reader, option, place, &["--overwrite"]);
            refused(&bench, reader, option, place, &[]);
        }
        refused(&bench, reader, option, "dangling", &[]);
    });
    assert!(!std::path::Path::new("/dev/null").is_file());
    // Folders on the way may be links.
    symlink("data", at("way")).unwrap();
    let reader = READERS.iter().find(|reader| reader.command == "report").unwrap();
    for option in reader.options() {
        written(&bench, reader, option, "way/out", &[]);
        remove(&bench, &["data/out"]);
    }
}
