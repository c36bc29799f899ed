//! A record that may be handed on: without what says whose machine it was.

use std::path::{Path, PathBuf};

use super::{RunRecord, host_facts};

/// What stands in the place of the name of a host.
const HOST: &str = "anonymous";

impl RunRecord {
    /// Takes out the name of the host, serial numbers of devices, the names of volumes and shares, and the paths of targets with their
    /// mount points, also where notes and reasons repeat them. What measures and explains stays: operating system, hardware models, kernel names of devices, sizes, the text of
    /// the profile, and what the user wrote (label, attributes). Doing it again changes nothing.
    pub fn anonymize(&mut self) {
        self.anonymous = true;
        let mut replaced: Vec<(String, String)> = Vec::new();
        replace(&mut replaced, &mut self.host.name, HOST.to_owned());
        // Paths still, because files are found to lie in a directory by theirs.
        let paths: Vec<(String, String)> = self
            .targets
            .iter()
            .zip(1..)
            .map(|(target, number)| (target.path.clone(), format!("/target-{number}")))
            .collect();
        if let Some(report) = &mut self.host_facts {
            host_facts::anonymize(report, HOST, &paths);
        }
        for area in &mut self.plan.areas {
            // Of targets that lie in each other, the inner one.
            let holding =
                paths.iter().filter(|(was, _)| area.path.starts_with(was)).max_by_key(|(was, _)| was.len());
            area.path = match holding {
                Some((was, by)) if area.path != Path::new(was) => {
                    Path::new(by).join(area.path.strip_prefix(was).unwrap_or(&area.path))
                }
                Some((_, by)) => PathBuf::from(by),
                None => Path::new("/target").join(area.path.file_name().unwrap_or_default()),
            };
        }
        for (target, (_, path)) in self.targets.iter_mut().zip(&paths) {
            replace(&mut replaced, &mut target.path, path.clone());
            if let Some(mount) = &mut target.mount {
                // `/mnt/a (rw,noatime)`.
                let options = mount.rsplit_once(" (").map_or(")", |(_, options)| options).to_owned();
                replace(&mut replaced, mount, format!("{path} ({options}"));
            }
            for serial in target.devices.iter_mut().filter_map(|device| device.serial.take()) {
                replaced.push((serial, "serial".to_owned()));
            }
        }
        // The longest first: a path may begin with another one. Short ones (`/`, a host `a`) are no secret, and are a part of many words.
        replaced.retain(|(was, _)| was.len() > 2);
        replaced.sort_by_key(|(was, _)| std::cmp::Reverse(was.len()));
        // The words of the commands that were asked for metrics say more than that: where their programs are, and how they log in.
        let only_name = |failure: &String| {
            let name = failure.split(':').next().unwrap_or_default();
            format!("{name}: its command gave no number")
        };
        self.metric_failures = self.metric_failures.iter().map(only_name).collect();
        let prose =
            self.plan.notes.iter_mut().chain(&mut self.plan.engine_reason).chain(&mut self.ended.reason);
        let prose = prose.chain(self.findings.iter_mut().map(|finding| &mut finding.message));
        for text in prose {
            for (was, by) in &replaced {
                *text = text.replace(was, by);
            }
        }
    }
}

/// Puts `by` in the place of a text, and notes it.
fn replace(replaced: &mut Vec<(String, String)>, was: &mut String, by: String) {
    if !was.is_empty() && *was != by {
        replaced.push((std::mem::replace(was, by.clone()), by));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    fn record() -> RunRecord {
        let area = |path: &str| json!({ "path": path, "kind": "managed-file", "offset_bytes": 0, "length_bytes": 1, "sector_size_bytes": 512 });
        let target = |path: &str, mount: &str| {
            json!({
                "path": path, "kind": "directory", "sector_size_bytes": 512, "mount": mount,
                "devices": [{ "name": "nvme1n1", "model": "Fast 9000", "serial": "S3CR3T-77" }],
            })
        };
        serde_json::from_value(json!({
            "format": super::super::RECORD_FORMAT, "id": "01JD", "label": "mine",
            "tool": { "name": "iotrial", "version": "0.1.0", "method_version": 1 }, "started_at": "",
            "host": { "name": "db-prod-07", "os": "Linux", "cpu_count": 4 },
            "targets": [target("/srv/acme", "/srv (rw,noatime)"), target("/srv/acme/log", "/srv (rw)")],
            "profile": "name = \"p\"",
            "plan": {
                "profile": "p", "quick": true, "engine": "sim", "threads": 1, "direct": true, "seed": 1, "interval_s": 1.0,
                "phases": [], "jobs": [], "notes": ["the files in /srv/acme/log of db-prod-07 shrank"],
                "areas": [area("/srv/acme/data1.iotrial"), area("/srv/acme/log/log1.iotrial")],
            },
            "jobs": [], "intervals": [], "findings": [],
            "metric_failures": ["tps: `psql -U secret` ended with exit status: 1"],
            "ended": { "how": "failed", "reason": "S3CR3T-77 gave up" },
        }))
        .unwrap()
    }

    #[test]
    fn nothing_says_whose_machine_it_was_and_what_measures_stays() {
        let mut record = record();
        record.anonymize();
        let text = serde_json::to_string(&record).unwrap();
        for secret in ["db-prod-07", "acme", "/srv", "S3CR3T", "psql"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        for kept in ["Fast 9000", "nvme1n1", "\"mine\"", "rw,noatime", "log1.iotrial", "/target-2"] {
            assert!(text.contains(kept), "no {kept} in {text}");
        }
        assert!(
            record.targets[1].holds(&record.plan.areas[1]) && record.targets[0].holds(&record.plan.areas[0])
        );
        let once = record.clone();
        record.anonymize();
        assert_eq!(record, once);
    }
}
