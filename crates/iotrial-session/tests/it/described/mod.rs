//! Hosts as text: what a description becomes on disk, so that the code that reads a host reads it.

#![allow(dead_code, unreachable_pub, reason = "each test file uses another part of it")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

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
pub struct Tree {
    pub folder: tempfile::TempDir,
}

impl Tree {
    pub fn of(description: &str) -> Self {
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

    pub fn file(&self, path: &str, text: &str) {
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
