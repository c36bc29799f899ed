//! Hosts as text: each file in `tests/hosts` describes `/proc` and `/sys` of one, and says what a check finds there.
//!
//! `IOTRIAL_WRITE_HOSTS=1` writes what was found behind the line `expected` of each file; the difference is read like code.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use iotrial_analysis::host_check::{CheckAnswer, Database};
use iotrial_model::host_fact::TargetChain;
use iotrial_session::host_check::{CheckRequest, check_host};

/// Below `queue` of a disk that has nothing special.
const QUEUE: [(&str, &str); 13] = [
    ("rotational", "0"),
    ("scheduler", "[none] mq-deadline"),
    ("nr_requests", "256"),
    ("read_ahead_kb", "4096"),
    ("write_cache", "write through"),
    ("logical_block_size", "512"),
    ("physical_block_size", "4096"),
    ("minimum_io_size", "4096"),
    ("optimal_io_size", "0"),
    ("max_sectors_kb", "1280"),
    ("nomerges", "0"),
    ("rq_affinity", "1"),
    ("fua", "1"),
];

/// Below `/proc/sys`, as a careful administrator sets it for most databases.
const SYSCTLS: [(&str, &str); 13] = [
    ("kernel/hostname", "db01"),
    ("kernel/osrelease", "5.14.0-503.el9.x86_64"),
    ("vm/swappiness", "1"),
    ("vm/dirty_ratio", "40"),
    ("vm/dirty_background_ratio", "3"),
    ("vm/dirty_bytes", "0"),
    ("vm/dirty_background_bytes", "0"),
    ("vm/dirty_expire_centisecs", "500"),
    ("vm/dirty_writeback_centisecs", "100"),
    ("vm/max_map_count", "262144"),
    ("fs/aio-max-nr", "1048576"),
    ("net/core/rmem_max", "4194304"),
    ("net/core/wmem_max", "1048576"),
];

/// A copy of a host, made of its description.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn of(description: &str) -> Self {
        // A thousand small files: in memory, where the host has a place there.
        let prefix = "iotrial-test-";
        let in_memory = tempfile::Builder::new().prefix(prefix).tempdir_in("/dev/shm");
        let folder = in_memory.or_else(|_| tempfile::Builder::new().prefix(prefix).tempdir()).unwrap();
        let tree = Self { folder };
        for line in
            description.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            tree.add(line);
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{}\n", text.replace("\\n", "\n"))).unwrap();
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(self.path(to), path).unwrap();
    }

    /// One line of a description.
    fn add(&self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "base" => self.base(rest),
            // file PATH = TEXT
            "file" => {
                let (path, text) = rest.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
                self.file(path, text);
            }
            // link PATH -> TARGET
            "link" => {
                let (path, to) = rest.split_once(" -> ").unwrap_or_else(|| panic!("{line}"));
                self.link(path, to);
            }
            // mount MAJ:MIN POINT OPTIONS TYPE SOURCE OPTIONS
            "mount" => self.mount(rest),
            "disk" | "part" | "dm" | "md" => self.device(word, rest),
            _ => panic!("{line}"),
        }
    }

    fn base(&self, platform: &str) {
        for (name, value) in SYSCTLS {
            self.file(&format!("proc/sys/{name}"), value);
        }
        let (vendor, product, tag) = match platform {
            "azure" => ("Microsoft Corporation", "Virtual Machine", "7783-7084-3265-9085-8269-3286-77"),
            "aws" => ("Amazon EC2", "r6id.8xlarge", ""),
            "vmware" => ("VMware, Inc.", "VMware Virtual Platform", ""),
            "kvm" => ("QEMU", "Standard PC (Q35)", ""),
            "physical" => ("Dell Inc.", "PowerEdge R760", ""),
            other => panic!("{other}"),
        };
        for (name, value) in [("sys_vendor", vendor), ("product_name", product), ("chassis_asset_tag", tag)] {
            self.file(&format!("sys/class/dmi/id/{name}"), value);
        }
        let flags = if platform == "physical" { "fpu" } else { "fpu hypervisor" };
        self.file("proc/cpuinfo", &format!("processor : 0\\nflags : {flags}"));
        self.file("proc/meminfo", "MemTotal: 67108864 kB\\nHugePages_Total: 0\\nHugepagesize: 2048 kB");
        self.file("proc/self/cgroup", "0::/system.slice");
        self.file("proc/swaps", "Filename Type Size");
        self.file("proc/self/mountinfo", "");
        self.file("sys/fs/cgroup/system.slice/memory.max", "max");
        self.file("sys/devices/system/cpu/online", "0-15");
        self.file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
        self.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        fs::create_dir_all(self.path("sys/dev/block")).unwrap();
    }

    fn mount(&self, rest: &str) {
        let [number, point, options, kind, source, more] = rest.split(' ').collect::<Vec<_>>()[..] else {
            panic!("mount {rest}");
        };
        let path = self.path("proc/self/mountinfo");
        let before = fs::read_to_string(&path).unwrap();
        let id = 20 + before.lines().count();
        fs::write(path, format!("{before}{id} 1 {number} / {point} {options} - {kind} {source} {more}\n"))
            .unwrap();
    }

    /// `disk PLACE MAJ:MIN key=value…`, `part DISK/NAME MAJ:MIN …`, `dm NAME MAJ:MIN … on A B`, `md NAME MAJ:MIN … on A B`.
    ///
    /// The place is below `/sys/devices`. A key without a slash is one of `queue`, others are paths below the device; `_` is a blank.
    fn device(&self, word: &str, rest: &str) {
        let (rest, below) = rest.split_once(" on ").unwrap_or((rest, ""));
        let mut fields = rest.split(' ');
        let (place, number) = (fields.next().unwrap(), fields.next().unwrap());
        let name = place.rsplit('/').next().unwrap();
        let folder = match word {
            "part" => {
                let disk = place.split('/').next().unwrap();
                let disk = fs::canonicalize(self.path(&format!("sys/class/block/{disk}"))).unwrap();
                let disk =
                    disk.strip_prefix(fs::canonicalize(self.folder.path()).unwrap()).unwrap().to_owned();
                format!("{}/{name}", disk.display())
            }
            "disk" => format!("sys/devices/{place}"),
            _ => format!("sys/devices/virtual/block/{name}"),
        };
        self.file(&format!("{folder}/dev"), number);
        self.file(&format!("{folder}/size"), "2097152");
        if word == "part" {
            self.file(&format!("{folder}/partition"), "1");
        } else {
            QUEUE.iter().for_each(|(key, value)| self.file(&format!("{folder}/queue/{key}"), value));
            self.link(&format!("sys/block/{name}"), &folder);
        }
        for field in fields {
            let (key, value) = field.split_once('=').unwrap_or_else(|| panic!("{field}"));
            let key = match word {
                _ if key.contains('/') => key.to_owned(),
                "part" => key.to_owned(),
                "md" => format!("md/{key}"),
                "dm" => format!("dm/{key}"),
                _ => format!("queue/{key}"),
            };
            self.file(&format!("{folder}/{key}"), &value.replace('_', " "));
        }
        self.link(&format!("sys/class/block/{name}"), &folder);
        self.link(&format!("sys/dev/block/{number}"), &folder);
        for member in below.split_whitespace() {
            let place = format!("sys/class/block/{member}");
            self.link(&format!("{folder}/slaves/{member}"), &place);
            let holders = fs::canonicalize(self.path(&place)).unwrap().join("holders");
            fs::create_dir_all(&holders).unwrap();
            symlink(self.path(&folder), holders.join(name)).unwrap();
        }
    }
}

/// Chain, findings and gaps, a line each.
fn told(answer: &CheckAnswer) -> String {
    let mut lines = Vec::new();
    for chain in &answer.host.chains {
        lines.push(format!("target {}", chain.target));
        let carried = |at: usize| chain.parts.iter().any(|part| part.carried_by.contains(&at));
        for root in (0..chain.parts.len()).filter(|at| !carried(*at)) {
            tell_part(chain, root, 1, &mut lines);
        }
        lines.extend(chain.ends.iter().map(|why| format!("  ends: {why}")));
    }
    for one in &answer.findings {
        let parts = one.parts.join(" ");
        lines.push(format!(
            "{} {} of {parts}: {}, wanted {}",
            one.severity.as_str(),
            one.rule,
            one.found,
            one.wanted
        ));
    }
    for one in &answer.unknown {
        lines.push(format!("unknown {} of {}: {}", one.what, one.parts.join(" "), one.why));
    }
    lines.push(format!("good {}", answer.good.len()));
    lines.join("\n") + "\n"
}

fn tell_part(chain: &TargetChain, at: usize, depth: usize, lines: &mut Vec<String>) {
    let part = &chain.parts[at];
    let about = if part.about.is_empty() { String::new() } else { format!(" ({})", part.about) };
    lines.push(format!("{}{} {}{about}", "  ".repeat(depth), part.kind.as_str(), part.name));
    part.carried_by.iter().for_each(|below| tell_part(chain, *below, depth + 1, lines));
}

/// `check TARGET… for DATABASE`, the first line that is no comment.
fn request(root: &Path, line: &str) -> CheckRequest {
    let (targets, database) = line.split_once(" for ").unwrap_or((line, ""));
    CheckRequest {
        targets: targets.split(' ').skip(1).map(PathBuf::from).collect(),
        database: Database::from_word(database),
        captured: Some(root.to_owned()),
        ..CheckRequest::default()
    }
}

#[test]
fn every_described_host_has_the_chain_and_the_findings_that_its_file_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 12, "{files:?}");
    let mut wrong = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let (description, expected) = text.split_once("\nexpected\n").unwrap_or((&text, ""));
        let (head, rest): (Vec<&str>, Vec<&str>) =
            description.lines().partition(|line| line.starts_with("check "));
        let tree = Tree::of(&rest.join("\n"));
        let found = told(&check_host(&request(tree.folder.path(), head[0])).unwrap());
        if std::env::var_os("IOTRIAL_WRITE_HOSTS").is_some() {
            fs::write(&path, format!("{}\nexpected\n{found}", description.trim_end())).unwrap();
        } else if found != expected {
            wrong.push(format!("{}\n--- expected\n{expected}--- found\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_without_a_mount_table_is_no_copy_and_a_copy_of_garbage_is_read_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let request = |targets: &[&str]| CheckRequest {
        targets: targets.iter().map(PathBuf::from).collect(),
        captured: Some(folder.path().to_owned()),
        ..CheckRequest::default()
    };
    assert!(check_host(&request(&["/data"])).unwrap_err().to_string().contains("not a copy of a host"));
    let tree = Tree { folder };
    for garbage in [
        "",
        "\u{fffd}\\n\\n",
        "1 2 3:4 / / rw - ext4 /dev/sda rw",
        "1 1 8:0 / /data rw - nfs [::1]:/x rw,addr=::1",
    ] {
        for file in [
            "proc/self/mountinfo",
            "proc/swaps",
            "proc/meminfo",
            "proc/cpuinfo",
            "proc/self/cgroup",
            "proc/net/route",
        ] {
            tree.file(file, garbage);
        }
        let captured = Some(tree.folder.path().to_owned());
        let targets = vec![PathBuf::from("/data"), PathBuf::from("/dev/sda")];
        let answer = check_host(&CheckRequest { targets, captured, ..CheckRequest::default() }).unwrap();
        assert_eq!(answer.host.chains.len(), 2);
    }
}

#[test]
fn rules_of_ones_own_are_added_and_replace_built_in_ones_of_their_id() {
    let tree = Tree::of("base physical");
    let folder = tempfile::tempdir().unwrap();
    let rule = |id: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\ntitle = \"t\"\nof = [\"host\"]\nfact = \"clock_source\"\n\
             want.any = {{ one_of = [\"atomic\"] }}\nseverity = \"low\"\nwhy = \"w\"\nsource = \"our standard\"\n"
        )
    };
    let text = format!("format = \"iotrial.host-rules/1\"\n{}{}", rule("clock-source"), rule("our-clock"));
    fs::write(folder.path().join("our.toml"), text).unwrap();
    let captured = Some(tree.folder.path().to_owned());
    let request = CheckRequest { captured, rules: vec![folder.path().to_owned()], ..CheckRequest::default() };
    let answer = check_host(&request).unwrap();
    let rules: Vec<&str> = answer.findings.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(rules, ["clock-source", "our-clock"]);
    assert!(!answer.has_grave_findings());
    fs::write(folder.path().join("wrong.toml"), "format = \"iotrial.host-rules/1\"").unwrap();
    assert!(check_host(&request).unwrap_err().to_string().contains("wrong.toml"));
}
