//! Limits that control groups put on this process, by device.

use std::path::PathBuf;

use iotrial_model::host_fact::{FactId, FactValue};

use crate::block::Kernel;
use crate::number::Number;
use crate::reading::Facts;
use crate::text;

/// What limits I/O, device by device.
#[derive(Debug, Default)]
pub(crate) struct IoLimits {
    /// Device, limit in words, and the file that says so.
    found: Vec<(Number, String, String)>,
    /// Why nothing is known.
    unknown: Option<String>,
}

impl IoLimits {
    /// Those of the control group of this process and all above it.
    pub(crate) fn read(kernel: &Kernel) -> Self {
        let mut limits = Self::default();
        let groups = match text::line(&kernel.proc.join("self/cgroup")) {
            Ok(groups) => groups,
            Err(error) => {
                limits.unknown = Some(text::reason(&error));
                return limits;
            }
        };
        let top = kernel.sys.join("fs/cgroup");
        if !top.is_dir() {
            limits.unknown = Some("/sys/fs/cgroup is not there".to_owned());
            return limits;
        }
        for (controllers, group) in groups.lines().filter_map(group_of) {
            if controllers.is_empty() {
                // Version 2: a limit of any group above holds as well.
                for folder in folders(top.clone(), group) {
                    limits.add(kernel, &folder.join("io.max"), "");
                }
            } else if controllers.split(',').any(|one| one == "blkio") {
                for folder in folders(top.join("blkio"), group) {
                    for what in ["read_bps", "write_bps", "read_iops", "write_iops"] {
                        limits.add(kernel, &folder.join(format!("blkio.throttle.{what}_device")), what);
                    }
                }
            }
        }
        limits
    }

    fn add(&mut self, kernel: &Kernel, file: &std::path::Path, what: &str) {
        let Ok(text) = text::line(file) else { return };
        for line in text.lines() {
            let Some((number, limits)) = line.split_once(' ') else { continue };
            let Some(number) = Number::parse(number) else { continue };
            // `rbps=max wbps=1048576`: what is at its maximum is no limit.
            let set = limits.split(' ').filter(|limit| !limit.is_empty() && !limit.ends_with("=max"));
            let set: Vec<&str> = set.collect();
            if !set.is_empty() {
                let words = if what.is_empty() { set.join(" ") } else { format!("{what}={}", set.join(" ")) };
                self.found.push((number, words, kernel.shown(file).display().to_string()));
            }
        }
    }

    /// What holds for one disk.
    pub(crate) fn tell(&self, number: Number, facts: &mut Facts<'_>) {
        let from = "/sys/fs/cgroup";
        if let Some(why) = &self.unknown {
            return facts.unknown(FactId::IoLimit, why, from);
        }
        let mine: Vec<&(Number, String, String)> =
            self.found.iter().filter(|(one, ..)| *one == number).collect();
        match mine.as_slice() {
            [] => facts.known(FactId::IoLimit, FactValue::text("none"), from),
            [(_, _, first), ..] => {
                let words: Vec<&str> = mine.iter().map(|(_, words, _)| words.as_str()).collect();
                facts.known(FactId::IoLimit, FactValue::text(words.join(", ")), first);
            }
        }
    }
}

/// The least of the limits of memory; `None` where there is none.
pub(crate) fn memory(kernel: &Kernel) -> Option<(i64, String)> {
    let groups = text::line(&kernel.proc.join("self/cgroup")).ok()?;
    let (_, group) = groups.lines().filter_map(group_of).find(|(controllers, _)| controllers.is_empty())?;
    let files =
        folders(kernel.sys.join("fs/cgroup"), group).into_iter().map(|folder| folder.join("memory.max"));
    let limits = files.filter_map(|file| {
        let limit: i64 = text::line(&file).ok()?.parse().ok()?;
        Some((limit, kernel.shown(&file).display().to_string()))
    });
    limits.min_by_key(|(limit, _)| *limit)
}

/// `0::/user.slice` or `4:blkio,memory:/docker/…`: controllers and path.
fn group_of(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.splitn(3, ':').skip(1);
    Some((fields.next()?, fields.next()?))
}

/// The folder of a group and of all above it, the top last. A container sees its own group as the top.
fn folders(top: PathBuf, group: &str) -> Vec<PathBuf> {
    // A group outside of what this process sees is shown as `/../..`.
    let names: Vec<&str> = group.split('/').filter(|name| !name.is_empty() && *name != "..").collect();
    (0..=names.len())
        .rev()
        .map(|count| names[..count].iter().fold(top.clone(), |path, name| path.join(name)))
        .collect()
}
