//! Rules of providers: what may not, or should not, be put together. They are data of the catalog, each with its source.

use iotrial_model::demand::Os;
use iotrial_model::load::Role;
use iotrial_model::toml_reader::TableReader;
use serde::Serialize;

use super::read::Context;
use super::{HostCache, VolumeKind};

/// What a provider forbids, and the words for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its stable name.
    pub id: String,
    /// How much it weighs.
    pub effect: Effect,
    /// When it is broken.
    pub when: When,
    /// What it says, in one sentence without a full stop.
    pub message: String,
    /// Name of a source in the catalog.
    pub source: String,
}

/// How much a rule weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It cannot be had.
    Forbids,
    /// It can be had, and disappoints.
    Warns,
}

/// Conditions that all have to hold; one that is absent always does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct When {
    volumes: Option<Vec<String>>,
    levels: Option<Vec<String>>,
    attachments: Option<Vec<String>>,
    /// Beginnings of names.
    machines: Option<Vec<String>>,
    os: Option<Os>,
    clustered: Option<bool>,
    arm: Option<bool>,
    ocpus_below: Option<u64>,
    volumes_above: Option<u64>,
    size_above_gib: Option<u64>,
    host_cache: Option<Vec<HostCache>>,
    roles: Option<Vec<Role>>,
}

/// What rules look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circumstances<'c> {
    pub(crate) volume: &'c str,
    pub(crate) level: &'c str,
    pub(crate) attachment: Option<&'c str>,
    pub(crate) machine: &'c str,
    pub(crate) ocpus: Option<u32>,
    pub(crate) arm: bool,
    pub(crate) os: Os,
    pub(crate) clustered: bool,
    pub(crate) count: u32,
    pub(crate) size_gib: u64,
    pub(crate) host_cache: HostCache,
    pub(crate) roles: &'c [Role],
}

impl Rule {
    pub(crate) fn is_broken(&self, by: &Circumstances<'_>) -> bool {
        // An absent condition always holds, hence `is_none_or` throughout: a rule names only what it is
        // about.
        let When { volumes, levels, attachments, machines, os, clustered, arm, .. } = &self.when;
        let lists = |list: &Option<Vec<String>>, name: &str| {
            list.as_ref().is_none_or(|list| list.iter().any(|one| one == name))
        };
        lists(volumes, by.volume)
            && lists(levels, by.level)
            // A rule about attachments cannot be broken where there is no choice of attachment.
            && attachments.as_ref().is_none_or(|_| by.attachment.is_some_and(|name| lists(attachments, name)))
            // By the beginning of the name, since a rule is about a family (`Standard_DS`) and families gain
            // sizes every year.
            && machines.as_ref().is_none_or(|list| list.iter().any(|begin| by.machine.starts_with(begin)))
            && os.is_none_or(|os| os == by.os)
            && clustered.is_none_or(|clustered| clustered == by.clustered)
            && arm.is_none_or(|arm| arm == by.arm)
            && self
                .when
                .ocpus_below
                // Unknown cores break no rule: nothing is forbidden on a guess.
                .is_none_or(|below| by.ocpus.is_some_and(|ocpus| u64::from(ocpus) < below))
            && self.when.volumes_above.is_none_or(|above| u64::from(by.count) > above)
            && self.when.size_above_gib.is_none_or(|above| by.size_gib > above)
            && self.when.host_cache.as_ref().is_none_or(|list| list.contains(&by.host_cache))
            && self.when.roles.as_ref().is_none_or(|list| by.roles.iter().any(|role| list.contains(role)))
    }
}

pub(super) fn read_rule(table: &mut TableReader<'_>, context: &Context, volumes: &[VolumeKind]) -> Rule {
    Rule {
        id: table.needed("id", TableReader::text),
        effect: table.needed_word("effect", &[("forbids", Effect::Forbids), ("warns", Effect::Warns)]),
        when: table.needed("when", |table, key| table.table(key, |when| Some(read_when(when, volumes)))),
        message: table.needed("message", TableReader::text),
        source: context.source(table),
    }
}

fn read_when(when: &mut TableReader<'_>, volumes: &[VolumeKind]) -> When {
    let names: Vec<&String> = volumes.iter().map(|kind| &kind.name).collect();
    let levels: Vec<&String> =
        volumes.iter().flat_map(|kind| &kind.levels).map(|level| &level.name).collect();
    let attachments: Vec<&String> =
        volumes.iter().flat_map(|kind| &kind.attachments).map(|one| &one.name).collect();
    // Names in conditions must exist in the catalog. A rule about a misspelt volume would never be broken,
    // and nobody would notice.
    let mut known = |key: &'static str, all: &[&String]| {
        let listed = when.texts(key);
        if let Some(unknown) = listed.iter().flatten().find(|name| !all.contains(name)) {
            when.refuse::<()>(key, format!("`{key}`: the catalog has no `{unknown}`"));
        }
        listed
    };
    let volumes = known("volumes", &names);
    let levels = known("levels", &levels);
    let attachments = known("attachments", &attachments);
    let os_words: Vec<_> = Os::ALL.iter().map(|os| (os.as_str(), *os)).collect();
    let role_words: Vec<_> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
    When {
        volumes,
        levels,
        attachments,
        // Beginnings of names cannot be checked that way: a family may be named before its first size is in
        // the catalog.
        machines: when.texts("machines"),
        os: when.word("os", &os_words),
        clustered: when.boolean("clustered"),
        arm: when.boolean("arm"),
        ocpus_below: when.integer("ocpus_below", 1..=4096),
        volumes_above: when.integer("volumes_above", 0..=4096),
        size_above_gib: when.integer("size_above_gib", 0..=1 << 24),
        // An empty list is not the same as none: it would never match.
        host_cache: if when.has("host_cache") { when.words("host_cache", &HostCache::WORDS) } else { None },
        roles: if when.has("roles") { when.words("roles", &role_words) } else { None },
    }
}
