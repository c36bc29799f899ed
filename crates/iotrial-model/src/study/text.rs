//! A study as TOML that needs no other file: what the journal keeps, and what another machine gets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::{Configuration, OTHERS, STUDY_FORMAT, Study};
use crate::plan::SimDevice;
use crate::priority::Priority;
use crate::record::AttributeValue;
use crate::units::{ByteSize, format_duration, parse_duration};

/// The file as it is written: plain values come before tables, as TOML wants it.
#[derive(Serialize)]
struct StudyFile<'s> {
    format: &'static str,
    name: &'s str,
    title: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_of: Option<&'s str>,
    profiles: &'s [String],
    repeats: u32,
    // Times and sizes are strings with a unit, as in a file that a person writes.
    idle: String,
    seed: u64,
    load: LoadTable<'s>,
    configuration: Vec<ConfigurationTable<'s>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    embedded: Vec<EmbeddedTable<'s>>,
}

#[derive(Serialize)]
struct LoadTable<'s> {
    full: bool,
    size: Option<String>,
    duration: Option<String>,
    ramp: Option<String>,
    engine: Option<&'static str>,
    buffered: bool,
    // Said only where it holds, so that the journal of a study without it is the one that it always was.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    polled: bool,
    #[serde(skip_serializing_if = "Priority::is_normal")]
    priority: Priority,
    #[serde(skip_serializing_if = "Option::is_none")]
    until_steady: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_limit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    need: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    capacity: bool,
    keep_files: bool,
    thresholds: Option<&'s str>,
}

#[derive(Serialize)]
struct ConfigurationTable<'s> {
    label: &'s str,
    targets: Option<Vec<Cow<'s, str>>>,
    before: Option<&'s str>,
    after: Option<&'s str>,
    elsewhere: bool,
    #[serde(rename = "targets", skip_serializing_if = "BTreeMap::is_empty")]
    targets_by_role: BTreeMap<&'static str, Vec<Cow<'s, str>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: &'s BTreeMap<String, AttributeValue>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metric_commands: &'s BTreeMap<String, String>,
    sim: Option<&'s SimDevice>,
}

#[derive(Serialize)]
struct EmbeddedTable<'s> {
    name: &'s str,
    text: &'s str,
    thresholds: &'s str,
}

impl Study {
    /// The study as TOML; [`Study::parse`] makes the same study of it.
    pub fn to_toml(&self) -> String {
        let file = StudyFile {
            format: STUDY_FORMAT,
            name: &self.name,
            title: &self.title,
            part_of: self.part_of.as_deref(),
            profiles: &self.profiles,
            repeats: self.repeats,
            idle: time(self.idle),
            seed: self.seed,
            load: LoadTable {
                full: self.load.full,
                size: self.load.size.map(ByteSize::exact),
                duration: self.load.duration.map(time),
                ramp: self.load.ramp.map(time),
                engine: self.load.engine.map(|engine| engine.as_str()),
                buffered: self.load.buffered,
                polled: self.load.polled,
                priority: self.load.priority,
                until_steady: self.load.until_steady.map(time),
                latency_limit: self.load.latency_limit.map(|limit| limit.to_string()),
                need: self.load.need.as_ref().map(ToString::to_string),
                capacity: self.load.capacity,
                keep_files: self.load.keep_files,
                thresholds: self.load.thresholds.as_deref(),
            },
            configuration: self.configurations.iter().map(ConfigurationTable::of).collect(),
            embedded: self
                .embedded
                .iter()
                .map(|embedded| EmbeddedTable {
                    name: &embedded.name,
                    text: &embedded.text,
                    thresholds: &embedded.thresholds,
                })
                .collect(),
        };
        toml::to_string_pretty(&file).expect("a study is plain data")
    }
}

impl<'s> ConfigurationTable<'s> {
    fn of(configuration: &'s Configuration) -> Self {
        let targets = &configuration.targets;
        let has_roles = targets.iter().any(|target| !target.roles.is_empty());
        let mut targets_by_role: BTreeMap<&'static str, Vec<Cow<'s, str>>> = BTreeMap::new();
        for target in targets.iter().filter(|_| has_roles) {
            let mut add = |key| targets_by_role.entry(key).or_default().push(target.path.to_string_lossy());
            if target.roles.is_empty() {
                add(OTHERS);
            }
            target.roles.iter().for_each(|role| add(role.as_str()));
        }
        let paths = || targets.iter().map(|target| target.path.to_string_lossy()).collect();
        Self {
            label: &configuration.label,
            // An empty list would be refused when it is read back; absent is the way to say «none».
            targets: (!targets.is_empty() && !has_roles).then(paths),
            before: configuration.before.as_deref(),
            after: configuration.after.as_deref(),
            elsewhere: configuration.elsewhere,
            targets_by_role,
            attributes: &configuration.attributes,
            metric_commands: &configuration.metric_commands,
            sim: configuration.sim.as_ref(),
        }
    }
}

/// As a person writes it, where that is exact.
fn time(duration: Duration) -> String {
    let readable = format_duration(duration);
    // `format_duration` is exact for whole nanoseconds; the check is cheap, and a study must mean the same
    // after a round trip.
    if parse_duration(&readable).is_ok_and(|read| read == duration) {
        readable
    } else {
        format!("{}ns", duration.as_nanos())
    }
}
