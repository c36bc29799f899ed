//! What was read of the host before a load, as a record keeps it.
//!
//! The form is shorter than that of a check: what was read is a map from the word of a fact to its value, and where it was read is left
//! out. Those places have names of volumes in them, and are the same on every host.

use std::collections::BTreeMap;

use serde::de::Deserializer;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::anonymous::{is_numbered, model_of_a_maker};
use crate::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading, TargetChain};

/// What a host has at most of anything, together: parts, and what carries what.
const MOST_PARTS: usize = 20_000;

#[derive(Serialize, Deserialize)]
struct WrittenHost {
    host: WrittenPart,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chains: Vec<WrittenChain>,
}

#[derive(Serialize, Deserialize)]
struct WrittenChain {
    target: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<WrittenPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WrittenPart {
    kind: String,
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    carried_by: Vec<usize>,
    #[serde(default, skip_serializing_if = "Words::is_empty")]
    facts: Words,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unknown: BTreeMap<String, String>,
}

/// Values by the word of their fact, in the order in which they were read.
#[derive(Default)]
struct Words(Vec<(String, Value)>);

impl Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (word, value) in &self.0 {
            map.serialize_entry(word, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(BTreeMap::deserialize(deserializer)?.into_iter().collect()))
    }
}

/// What a record keeps of what was read of a host: facts in the order of their list, without the places where they were read.
pub(crate) fn kept(mut report: HostReport) -> HostReport {
    let parts = report.chains.iter_mut().flat_map(|chain| &mut chain.parts);
    for part in parts.chain([&mut report.host]) {
        part.facts.iter_mut().for_each(|fact| fact.from.clear());
        part.facts.sort_by_key(|fact| fact.id);
    }
    report
}

pub(crate) mod written {
    //! With serde, as a field of a record.

    use super::{Deserialize as _, Deserializer, HostReport, Serialize as _, Serializer, WrittenHost};

    pub(crate) fn serialize<S: Serializer>(
        report: &Option<HostReport>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        report.as_ref().map(WrittenHost::of).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<HostReport>, D::Error> {
        Ok(Option::<WrittenHost>::deserialize(deserializer)?.map(WrittenHost::read))
    }
}

impl WrittenHost {
    fn of(report: &HostReport) -> Self {
        let chain = |chain: &TargetChain| WrittenChain {
            target: chain.target.clone(),
            parts: chain.parts.iter().map(WrittenPart::of).collect(),
            ends: chain.ends.clone(),
        };
        Self { host: WrittenPart::of(&report.host), chains: report.chains.iter().map(chain).collect() }
    }

    fn read(self) -> HostReport {
        let host = self.host.read(PartKind::Host);
        let chains = self.chains.into_iter().map(WrittenChain::read).collect();
        HostReport { name: host.name.clone(), host, chains }
    }
}

impl WrittenChain {
    fn read(self) -> TargetChain {
        // A newer version may know kinds of parts that this one does not. The places of the others move then.
        let kinds: Vec<Option<PartKind>> =
            self.parts.iter().map(|part| PartKind::from_word(&part.kind)).collect();
        let place =
            |at: usize| kinds.get(at).copied().flatten().map(|_| kinds[..at].iter().flatten().count());
        let parts = self.parts.into_iter().zip(&kinds).filter_map(|(part, kind)| {
            let mut part = part.read((*kind)?);
            part.carried_by = part.carried_by.into_iter().filter_map(place).collect();
            Some(part)
        });
        TargetChain { target: self.target, parts: parts.collect(), ends: self.ends }
    }
}

impl WrittenPart {
    fn of(part: &Part) -> Self {
        let mut written = Self {
            kind: part.kind.as_str().to_owned(),
            name: part.name.clone(),
            about: part.about.clone(),
            carried_by: part.carried_by.clone(),
            facts: Words::default(),
            unknown: BTreeMap::new(),
        };
        for fact in &part.facts {
            let word = fact.id.as_str().to_owned();
            match &fact.reading {
                Reading::Known(FactValue::Number(number)) => written.facts.0.push((word, (*number).into())),
                Reading::Known(FactValue::Flag(flag)) => written.facts.0.push((word, (*flag).into())),
                Reading::Known(FactValue::Text(text)) => written.facts.0.push((word, text.as_str().into())),
                Reading::Unknown(why) => {
                    written.unknown.insert(word, why.clone());
                }
            }
        }
        written
    }

    fn read(self, kind: PartKind) -> Part {
        // Facts that a newer version knows are passed over, as everywhere in a record.
        let known = self.facts.0.into_iter().filter_map(|(word, value)| {
            let value = match value {
                Value::Bool(flag) => FactValue::Flag(flag),
                Value::Number(number) => FactValue::Number(number.as_i64()?),
                Value::String(text) => FactValue::Text(text),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            Some((word, Reading::Known(value)))
        });
        let unknown = self.unknown.into_iter().map(|(word, why)| (word, Reading::Unknown(why)));
        let mut facts: Vec<Fact> = known
            .chain(unknown)
            .filter_map(|(word, reading)| {
                Some(Fact { id: FactId::from_word(&word)?, reading, from: String::new() })
            })
            .collect();
        facts.sort_by_key(|fact| fact.id);
        // A stranger may have written one as known and as unknown.
        facts.dedup_by_key(|fact| fact.id);
        Part { kind, name: self.name, about: self.about, carried_by: self.carried_by, facts }
    }
}

/// Whether what carries a part is there, and there are no more parts than hosts have.
pub(crate) fn is_in_range(report: &HostReport) -> bool {
    let mut count = 0usize;
    report.chains.iter().all(|chain| {
        chain.parts.iter().all(|part| {
            count += 1 + part.carried_by.len();
            count <= MOST_PARTS && part.carried_by.iter().all(|below| *below < chain.parts.len())
        })
    }) && report.chains.len() <= MOST_PARTS
}

/// Takes out what says whose machine it was. `paths` has the path of each target with what stands in its place.
///
/// What somebody chose a name for (mount points, volumes, shares, files, servers) gets its kind and a number; kernel names of
/// devices, drivers, models and all settings stay.
pub(super) fn anonymize(report: &mut HostReport, host: &str, paths: &[(String, String)]) {
    host.clone_into(&mut report.name);
    host.clone_into(&mut report.host.name);
    // An administrator makes profiles of his own, and calls them after the company.
    report.host.facts.retain(|fact| fact.id != FactId::TunedProfile);
    let mut names: Vec<(PartKind, String)> = Vec::new();
    for (chain, number) in report.chains.iter_mut().zip(1..) {
        let known = paths.iter().find(|(was, by)| *was == chain.target || *by == chain.target);
        chain.target = known.map_or_else(|| format!("/target-{number}"), |(_, by)| by.clone());
        if chain.ends.is_some() {
            chain.ends = Some(LEFT_OUT.to_owned());
        }
        for part in &mut chain.parts {
            anonymize_part(part, &chain.target, &mut names);
        }
    }
    for part in report.chains.iter_mut().flat_map(|chain| &mut chain.parts).chain([&mut report.host]) {
        for fact in &mut part.facts {
            // Reasons name files and servers.
            if let Reading::Unknown(why) = &mut fact.reading {
                LEFT_OUT.clone_into(why);
            }
        }
    }
}

/// What stands in the place of a reason, which may name a server or a path.
const LEFT_OUT: &str = "not known; the reason is left out";

fn anonymize_part(part: &mut Part, target: &str, names: &mut Vec<(PartKind, String)>) {
    match part.kind {
        PartKind::Filesystem | PartKind::Share => {
            target.clone_into(&mut part.name);
            part.facts.retain(|fact| ![FactId::MountPoint, FactId::NfsAddress].contains(&fact.id));
            // `xfs on /dev/mapper/acme-data`, `nfs4 on nas7:/acme`.
            part.about = part.value(FactId::Filesystem).map(ToString::to_string).unwrap_or_default();
        }
        // `100 GiB, /srv/acme/disk.img`, and `iscsi_tcp from 10.1.2.3`.
        PartKind::Loop => part.about = first(&part.about, ","),
        PartKind::Controller => part.about = first(&part.about, " from "),
        PartKind::Array if is_numbered(&part.name, "md") => {}
        // Those of the kernel have a start; those of the device mapper have the name of their map.
        PartKind::Partition if part.fact(FactId::Start).is_some() => {}
        PartKind::Volume
        | PartKind::Crypt
        | PartKind::Multipath
        | PartKind::Mapping
        | PartKind::Partition
        | PartKind::Array => part.name = numbered(part.kind, &part.name, names),
        PartKind::Interface => {
            rename_interface(&mut part.name, names);
            for fact in part.facts.iter_mut().filter(|fact| fact.id == FactId::LowerInterface) {
                if let Reading::Known(FactValue::Text(name)) = &mut fact.reading {
                    rename_interface(name, names);
                }
            }
        }
        PartKind::Disk => {
            let model = part.value(FactId::Model).map(ToString::to_string).unwrap_or_default();
            if let Some(kept) = model_of_a_maker(&model) {
                part.about = part.about.replace(&model, kept);
                for fact in part.facts.iter_mut().filter(|fact| fact.id == FactId::Model) {
                    fact.reading = Reading::Known(FactValue::text(kept));
                }
            }
        }
        PartKind::Host => {}
    }
}

/// `volume-2`: the same for the same name.
fn numbered(kind: PartKind, name: &str, names: &mut Vec<(PartKind, String)>) -> String {
    let at = names.iter().position(|(of, known)| *of == kind && known == name).unwrap_or_else(|| {
        names.push((kind, name.to_owned()));
        names.len() - 1
    });
    format!("{}-{}", kind.as_str(), at + 1)
}

/// Leaves the names of interfaces that say where a card is (`eth0`, `enp3s0f1`, `bond0.12`). Others somebody chose, or they are the address
/// of the card (`enx001122334455`).
fn rename_interface(name: &mut String, names: &mut Vec<(PartKind, String)>) {
    let of_place = ["eth", "eno", "ens", "enp", "enP", "ib", "bond", "team", "br", "vlan", "lo"];
    let is_place = |rest: &str| {
        let is_word = |byte: u8| byte.is_ascii_digit() || b"pPsfndvci.".contains(&byte);
        rest.starts_with(|first: char| first.is_ascii_digit()) && rest.bytes().all(is_word)
    };
    let is_kept = of_place.iter().any(|word| name.strip_prefix(word).is_some_and(is_place));
    if !(is_kept || name == "lo" || is_numbered(name, "interface-")) {
        *name = numbered(PartKind::Interface, name, names);
    }
}

fn first(text: &str, until: &str) -> String {
    text.split(until).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: Value) -> HostReport {
        written::deserialize(text).unwrap().unwrap()
    }

    fn host() -> HostReport {
        read(json!({
            "host": { "kind": "host", "name": "db-prod-07", "facts": { "kernel": "6.1.0", "cpu_count": 16, "tuned_profile": "acme" } },
            "chains": [{
                "target": "/srv/acme",
                "parts": [
                    { "kind": "filesystem", "name": "/srv", "about": "xfs on /dev/mapper/acme-data", "carried_by": [1],
                      "facts": { "filesystem": "xfs", "mount_point": "/srv", "read_only": false } },
                    { "kind": "volume", "name": "acme-data", "about": "dm-0, 1 GiB", "carried_by": [2],
                      "unknown": { "stripes": "the table of acme-data is for root" } },
                    { "kind": "disk", "name": "sdb", "carried_by": [3], "facts": { "scheduler": "none", "queue_depth": 64 } },
                    { "kind": "controller", "name": "host3", "about": "iscsi_tcp from 10.1.2.3" },
                ],
            }],
        }))
    }

    #[test]
    fn what_a_record_keeps_is_read_as_it_was_written() {
        let host = host();
        let text = serde_json::to_value(WrittenHost::of(&host)).unwrap();
        assert_eq!(read(text), host);
        assert_eq!(kept(host.clone()), host);
        assert!(is_in_range(&host));
        assert_eq!(host.chains[0].parts[2].value(FactId::QueueDepth), Some(&FactValue::Number(64)));
        let unknown = host.chains[0].parts[1].fact(FactId::Stripes).unwrap();
        assert!(matches!(&unknown.reading, Reading::Unknown(why) if why.contains("for root")));
    }

    #[test]
    fn parts_facts_and_values_of_a_newer_version_are_passed_over() {
        let newer = read(json!({
            "host": { "kind": "host", "name": "", "facts": { "no_such_fact": 1, "kernel": ["6"], "cpu_count": 1.5 } },
            "chains": [{ "target": "/data", "more": true, "parts": [
                { "kind": "filesystem", "name": "/", "carried_by": [1, 2] },
                { "kind": "cloud-cache", "name": "c", "carried_by": [2] },
                { "kind": "disk", "name": "sda", "carried_by": [9] },
            ] }],
        }));
        assert!(newer.host.facts.is_empty());
        let parts = &newer.chains[0].parts;
        assert_eq!((parts.len(), &parts[0].carried_by, &parts[1].carried_by), (2, &vec![1], &vec![]));
    }

    #[test]
    fn nothing_that_somebody_gave_a_name_is_left_in_an_anonymous_host() {
        let mut host = host();
        let paths = [("/srv/acme".to_owned(), "/target-1".to_owned())];
        anonymize(&mut host, "anonymous", &paths);
        let text = serde_json::to_string(&WrittenHost::of(&host)).unwrap();
        for secret in ["acme", "db-prod", "/srv", "10.1.2.3"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        for stays in ["/target-1", "volume-1", "sdb", "iscsi_tcp", "6.1.0", "\"xfs\""] {
            assert!(text.contains(stays), "no {stays} in {text}");
        }
        let once = host.clone();
        anonymize(&mut host, "anonymous", &paths);
        assert_eq!(host, once);
    }
}
