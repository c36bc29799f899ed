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
        if let Some(activity) = &mut self.host_activity {
            activity.anonymize();
        }
        let verified_paths = self.verification.iter_mut().flat_map(|verification| {
            let of_faults = verification.faults.iter_mut().flat_map(|fault| {
                std::iter::once(&mut fault.path)
                    .chain(fault.other_place.as_mut().map(|place| &mut place.path))
            });
            of_faults.chain(verification.capacities.iter_mut().map(|capacity| &mut capacity.path))
        });
        for path in self.plan.areas.iter_mut().map(|area| &mut area.path).chain(verified_paths) {
            // Of targets that lie in each other, the inner one.
            let holding =
                paths.iter().filter(|(was, _)| path.starts_with(was)).max_by_key(|(was, _)| was.len());
            *path = match holding {
                Some((was, by)) if path.as_path() != Path::new(was) => {
                    Path::new(by).join(path.strip_prefix(was).unwrap_or(path))
                }
                Some((_, by)) => PathBuf::from(by),
                None => Path::new("/target").join(path.file_name().unwrap_or_default()),
            };
        }
        for (target, (_, path)) in self.targets.iter_mut().zip(&paths) {
            replace(&mut replaced, &mut target.path, path.clone());
            if let Some(mount) = &mut target.mount {
                // `/mnt/a (rw,noatime)`.
                let options = mount.rsplit_once(" (").map_or(")", |(_, options)| options).to_owned();
                replace(&mut replaced, mount, format!("{path} ({options}"));
            }
            for model in target.devices.iter_mut().filter_map(|device| device.model.as_mut()) {
                if let Some(kept) = model_of_a_maker(model) {
                    replace(&mut replaced, model, kept.to_owned());
                }
            }
            for device in &mut target.devices {
                // What somebody called a mapping, where others have a model: `vg_acme-data`.
                let is_mapping = is_numbered(&device.name, "dm-");
                replaced.extend(device.model.take_if(|_| is_mapping).map(|was| (was, "mapping".to_owned())));
            }
            for serial in target.devices.iter_mut().filter_map(|device| device.serial.take()) {
                replaced.push((serial, "serial".to_owned()));
            }
        }
        self.rename_arrays(&mut replaced);
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

/// A kernel name: the word and a number.
pub(super) fn is_numbered(name: &str, word: &str) -> bool {
    name.strip_prefix(word)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

impl RunRecord {
    /// An array that was made with a name may have it in the kernel, too: `md_acme` instead of `md127`.
    fn rename_arrays(&mut self, replaced: &mut Vec<(String, String)>) {
        let devices = || self.targets.iter().flat_map(|target| &target.devices).map(|device| &device.name);
        let mut named: Vec<String> =
            devices().chain(self.devices.iter().map(|one| &one.name)).cloned().collect();
        // Those of an anonymous record have a number already.
        named.retain(|name| name.starts_with("md_") && !is_numbered(name, "md_"));
        named.sort();
        named.dedup();
        let by = |name: &str| named.iter().position(|one| one == name).map(|at| format!("md_{}", at + 1));
        let rename = |name: &mut String| {
            if let Some(by) = by(name) {
                *name = by;
            }
        };
        for device in self.targets.iter_mut().flat_map(|target| &mut target.devices) {
            rename(&mut device.name);
            device.carried_by.iter_mut().for_each(rename);
        }
        let of_steps = self.steps.iter_mut().flat_map(|step| &mut step.devices);
        self.devices.iter_mut().chain(of_steps).for_each(|one| rename(&mut one.name));
        replaced.extend(named.iter().filter_map(|name| Some((name.clone(), by(name)?))));
    }
}

/// What is left of the model of a disk, where somebody chose its end: Linux as a target (LIO) tells the name of the volume.
pub(super) fn model_of_a_maker(model: &str) -> Option<&'static str> {
    const LIO: &str = "LIO-ORG";
    (model.starts_with(LIO) && model != LIO).then_some(LIO)
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
    use crate::host_fact::HostReport;

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
            "host_activity": { "during": { "duration_s": 60.0, "processes": [{ "name": "acme-billing", "pid": 7, "cpu_percent": 80.0 }] } },
            "metric_failures": ["tps: `psql -U secret` ended with exit status: 1"],
            "ended": { "how": "failed", "reason": "S3CR3T-77 gave up" },
        }))
        .unwrap()
    }

    /// With all kinds of names that hosts have of somebody.
    fn record_of_many_layers() -> RunRecord {
        let mut record = record();
        let device = |name: &str, model: Option<&str>, carried_by: &[&str]| json!({ "name": name, "model": model, "carried_by": carried_by, "serial": format!("wwn.{name}.5CR37") });
        record.targets[0].devices = serde_json::from_value(json!([
            device("dm-3", Some("vg_acme-data"), &["md_acme"]),
            device("md_acme", None, &["sdb", "dm-4"]),
            device("sdb", Some("LIO-ORG acme_lun7"), &[]),
            device("dm-4", Some("mpath_acme"), &["sdc"]),
            device("sdc", Some("PURE FlashArray"), &[]),
        ]))
        .unwrap();
        let counters = json!([{
            "name": "md_acme", "read_count": 1, "read_merge_count": 0, "read_bytes": 1, "write_count": 1, "write_merge_count": 0,
            "write_bytes": 1, "flush_count": 0,
        }]);
        record.devices = serde_json::from_value(counters).unwrap();
        record.plan.notes.push("vg_acme-data on md_acme is of LIO-ORG acme_lun7".to_owned());
        let host = json!({
            "host": { "kind": "host", "name": "db-prod-07", "facts": { "kernel": "6.1.0" } },
            "chains": [{ "target": "/srv/acme", "parts": [
                { "kind": "filesystem", "name": "/srv", "about": "xfs on /dev/mapper/vg_acme-data", "carried_by": [1],
                  "facts": { "filesystem": "xfs", "mount_point": "/srv" } },
                { "kind": "volume", "name": "vg_acme-data", "about": "dm-3, 1 GiB", "carried_by": [2] },
                { "kind": "array", "name": "md_acme", "about": "1 GiB", "carried_by": [3, 4] },
                { "kind": "disk", "name": "sdb", "about": "1 GiB, LIO-ORG acme_lun7, iscsi", "facts": { "model": "LIO-ORG acme_lun7" } },
                { "kind": "multipath", "name": "mpath_acme", "about": "dm-4, 1 GiB" },
            ] }, { "target": "/srv/acme/log", "parts": [
                { "kind": "share", "name": "/srv/acme/log", "about": "nfs4 on nas7.acme.example:/export", "carried_by": [1],
                  "facts": { "filesystem": "nfs4", "mount_point": "/srv/acme/log" } },
                { "kind": "interface", "name": "acme-storage", "about": "virtio_net", "facts": { "lower_interface": "enx0011acme2233" }, "carried_by": [2] },
                { "kind": "interface", "name": "enp3s0f1", "about": "mlx5_core, 25 Gbit/s" },
            ], "ends": "nas7.acme.example did not answer" }],
        });
        #[derive(serde::Deserialize)]
        struct Wrapped(#[serde(deserialize_with = "host_facts::written::deserialize")] Option<HostReport>);
        record.host_facts = serde_json::from_value::<Wrapped>(host).unwrap().0;
        record
    }

    #[test]
    fn names_of_mappings_arrays_luns_servers_and_networks_are_in_no_part_of_it() {
        let mut record = record_of_many_layers();
        let text = serde_json::to_string(&record).unwrap();
        let private = [
            "acme",
            "vg_",
            "mpath_",
            "md_acme",
            "lun7",
            "5CR37",
            "nas7",
            "/srv",
            "/export",
            "enx",
            "db-prod-07",
            "S3CR3T",
            "psql",
        ];
        for secret in private {
            assert!(text.contains(secret), "{secret} is not tried: {text}");
        }
        record.anonymize();
        let text = serde_json::to_string(&record).unwrap();
        for secret in private {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        for kept in
            ["PURE FlashArray", "LIO-ORG", "dm-3", "sdb", "\"md_1\"", "enp3s0f1", "mlx5_core", "interface-"]
        {
            assert!(text.contains(kept), "no {kept} in {text}");
        }
        // What carries what is as it was.
        let devices = &record.targets[0].devices;
        assert_eq!(
            (&devices[0].carried_by, &devices[1].name),
            (&vec!["md_1".to_owned()], &"md_1".to_owned())
        );
        assert_eq!(record.devices[0].name, "md_1");
        let once = record.clone();
        record.anonymize();
        assert_eq!(record, once);
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
