//! The study that would prove an answer: its configurations under one load.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::builtin;
use iotrial_model::demand::{Demand, LaidOutPool};
use iotrial_model::load::{Direction, Role};
use iotrial_model::profile::Profile;
use iotrial_model::record::AttributeValue;
use iotrial_model::study::{Configuration as Studied, EmbeddedProfile, Study, StudyLoad};
use iotrial_session::judged_profile::is_file_name;
use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::sizing::Sizing;

use crate::failure::Failure;
use crate::intake::{self, Kind, Takes};

const TAKES: Takes = Takes { command: "size --profile", what: "a profile" };

/// The profile that a study brings along: the rates of the demand.
const OWN_LOAD: &str = "demand";
/// Devices write in whole units of this; a mean size lies between.
const BLOCK_STEP: f64 = 4_096.0;
/// So long an I/O may take before the load runs out of room: in flight are the rate times this.
const ROOM_S: f64 = 0.02;
/// Small enough to be laid out, large enough to be no cache.
const FILE_GIB: std::ops::RangeInclusive<f64> = 4.0..=64.0;

/// Refuses a name that no built-in profile has. A file may come to be later.
pub(super) fn check_profile(profile: &str) -> Result<(), Failure> {
    if is_file_name(profile) {
        return intake::expect(Kind::Profile, Path::new(profile), &TAKES);
    }
    if builtin::builtin_profile(profile).is_ok() {
        return Ok(());
    }
    let error = anyhow!("there is no built-in profile `{profile}`");
    Err(Failure::input(error).hint("`iotrial profiles` lists them; to use a file, give its path".to_owned()))
}

/// The study as TOML: the cheapest configuration of each provider, on machines of their own. There is at least one.
pub(super) fn study_of(sizing: &Sizing, profile: Option<&str>) -> Result<String, Failure> {
    let embedded = if profile.is_some() { Vec::new() } else { vec![embedded(&sizing.demand)?] };
    // One of each provider, so that its name tells it from the others.
    let configurations = super::answers(sizing).map(|answer| Studied {
        label: answer.configuration.provider.clone(),
        attributes: attributes(answer),
        metric_commands: BTreeMap::new(),
        targets: Vec::new(),
        before: None,
        after: None,
        elsewhere: true,
        sim: None,
    });
    let study = Study {
        name: name_of(&sizing.demand.title),
        title: format!("Proof of what was sized for {}", sizing.demand.title),
        part_of: None,
        profiles: vec![profile.unwrap_or(OWN_LOAD).to_owned()],
        repeats: 3,
        idle: Duration::from_secs(60),
        seed: 1,
        load: StudyLoad { full: true, ..StudyLoad::default() },
        configurations: configurations.collect(),
        embedded,
    };
    let text = study.to_toml();
    let targets = targets(&sizing.demand);
    let head = format!("\
# Written by `iotrial size`. Each configuration is measured on a machine of its own: name the mount point there with
# `iotrial study export FILE --label LABEL {targets}`, run it there, and bring the records back with
# `iotrial study add`. The attributes `expected_…` are what the limits allow, to be compared with what is measured. The profile
# at the end is the required load, at its rates: a configuration that carries it answers within the thresholds, without a backlog.
");
    // Read back before it is written: a study that cannot be read must never lie on somebody's disk.
    Study::parse(&text)
        .map_err(|mistakes| Failure::execution(anyhow!("the study is not valid: {mistakes}")))?;
    Ok(format!("{head}\n{text}"))
}

/// The targets of a study: one for each pool that has I/O.
fn targets(demand: &Demand) -> String {
    let has_io = |role: &Role| demand.streams.iter().any(|stream| stream.role.unwrap_or(Role::Data) == *role);
    let target = |laid_out: &LaidOutPool| {
        let roles: Vec<&str> =
            laid_out.pool.roles.iter().filter(|role| has_io(role)).map(|role| role.as_str()).collect();
        // A role without I/O has no job, and a target of its own would be refused.
        match roles.first() {
            None => None,
            Some(_) if laid_out.is_rest => Some("--target PATH".to_owned()),
            Some(first) => Some(format!("--target {}=/{first}", roles.join(","))),
        }
    };
    demand.layout().iter().filter_map(target).collect::<Vec<_>>().join(" ")
}

/// The rates of a demand as an open load: what is due is issued, so that its latency is what a caller would wait.
pub fn own_load(demand: &Demand) -> Result<Profile, Failure> {
    let mut text = format!(
        "# The rates of “{}”, as they are at the end of its years. Each stream is a job of its own; sizes are whole 4 KiB.\n\
         format = \"iotrial.profile/1\"\nname = \"{OWN_LOAD}\"\ntitle = \"The requested rates\"\n\
         rationale = \"A configuration proves itself by the load that it was bought for, as it arrives.\"\nsource = \"iotrial size\"\n\
         [schedule]\nramp = \"60s\"\nduration = \"600s\"\n[quick]\nsize = \"4GiB\"\nramp = \"5s\"\nduration = \"30s\"\n",
        demand.title.replace(['\n', '\r'], " ")
    );
    // The size of a file matters less than its share: what is cached depends on it, rates do not.
    let layout = demand.layout();
    let size_of = |role: Role| {
        let of_pool = layout.iter().find(|one| one.pool.roles.contains(&role));
        let beside = |stream: &&iotrial_model::demand::DemandStream| {
            of_pool.is_some_and(|one| one.pool.roles.contains(&stream.role.unwrap_or(Role::Data)))
        };
        let streams = demand.streams.iter().filter(beside).count().max(1);
        let share = of_pool.map_or(0.0, |one| demand.grown_gib(one.pool.capacity)) / streams as f64;
        share.clamp(*FILE_GIB.start(), *FILE_GIB.end()).round()
    };
    for (number, stream) in demand.streams.iter().enumerate() {
        // Without a role it is judged as data files: these are most of what is sized, and their limits are in the middle.
        let role = stream.role.unwrap_or(Role::Data);
        let size_gib = size_of(role);
        let pattern = match role {
            Role::Log | Role::Scan | Role::Backup => "sequential",
            _ => "random",
        };
        let (word, read_percent) = match stream.direction {
            Direction::Read => ("read", 100),
            Direction::Write => ("write", 0),
        };
        let iops = (stream.iops * demand.load_growth()).ceil().max(1.0);
        let block_size = ((stream.block_size_bytes / BLOCK_STEP).round().max(1.0) * BLOCK_STEP) / 1024.0;
        // Every commit waits until its log is on the medium.
        let durability = match (role, stream.direction) {
            (Role::Log, Direction::Write) => "durability = \"dsync\"\n",
            _ => "",
        };
        let iodepth = (iops * ROOM_S).ceil().clamp(16.0, 2_048.0);
        let _ = write!(
            text,
            "\n[[job]]\nname = \"{role}-{word}-{}\"\nrole = \"{role}\"\npattern = \"{pattern}\"\nrwmix_read_percent = {read_percent}\n\
             block_size = \"{block_size}KiB\"\niodepth = {iodepth}\nsize = \"{size_gib}GiB\"\nrate = \"{iops} iops\"\nspacing = \"poisson\"\n{durability}",
            number + 1
        );
    }
    Profile::parse(&text)
        .map_err(|mistakes| Failure::execution(anyhow!("the load of the demand is not valid: {mistakes}")))
}

/// The same, for a study that brings it along.
fn embedded(demand: &Demand) -> Result<EmbeddedProfile, Failure> {
    let profile = own_load(demand)?;
    let thresholds = ThresholdSet::builtin(&profile.thresholds).map_err(Failure::execution)?;
    Ok(EmbeddedProfile { name: OWN_LOAD.to_owned(), text: profile.text, thresholds: thresholds.text })
}

/// Letters, digits and hyphens of a title.
fn name_of(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = title.chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    let name: String = parts.join("-").chars().take(48).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "proof".to_owned() } else { format!("proof-{name}") }
}

/// What distinguishes a configuration, and what its limits promise.
fn attributes(answer: &Explanation) -> BTreeMap<String, AttributeValue> {
    let configuration = &answer.configuration;
    let text = |value: &str| AttributeValue::Text(value.to_owned());
    #[expect(clippy::cast_possible_truncation, reason = "rates and prices are far below")]
    let whole = |value: f64| AttributeValue::Integer(value.round() as i64);
    let mut attributes = BTreeMap::from([
        ("provider".to_owned(), text(&configuration.provider)),
        ("machine".to_owned(), text(&configuration.machine)),
        (format!("{}_per_month", answer.cost.currency.to_lowercase()), whole(answer.cost.per_month)),
    ]);
    let mut add = |key: String, value: Option<AttributeValue>| {
        if let Some(value) = value {
            attributes.insert(key, value);
        }
    };
    add("ocpus".to_owned(), configuration.ocpus.map(|ocpus| AttributeValue::Integer(i64::from(ocpus))));
    // Of several pools each has its own, by the first of its roles: `log_volume`.
    let prefix = |index: usize| match configuration.pools.len() {
        1 => String::new(),
        _ => format!("{}_", configuration.pools[index].roles.first().map_or("rest", |role| role.as_str())),
    };
    for (index, pool) in configuration.pools.iter().enumerate() {
        let key = |word: &str| format!("{}{word}", prefix(index));
        add(key("volume"), Some(text(&pool.volume)));
        add(key("volumes"), Some(AttributeValue::Integer(i64::from(pool.count))));
        add(key("size_gib"), Some(AttributeValue::Integer(i64::try_from(pool.size_gib).unwrap_or(i64::MAX))));
        add(key("level"), Some(pool.level.as_str()).filter(|level| !level.is_empty()).map(text));
        add(key("attachment"), pool.attachment.as_deref().map(text));
        add(key("volume_iops"), pool.iops.map(whole));
        add(key("volume_mb_per_s"), pool.bandwidth.filter(|one| one.is_finite()).map(|one| whole(one / 1e6)));
    }
    for one in &answer.alone {
        let key =
            format!("expected_{}{}", prefix(one.pool), one.measure.as_str().to_lowercase().replace(' ', "_"));
        let unit = if one.measure.is_bandwidth() { 1e6 } else { 1.0 };
        let key = if one.measure.is_bandwidth() { format!("{key}_mb_per_s") } else { key };
        add(key, one.most.map(|most| whole(most / unit)));
    }
    attributes
}
