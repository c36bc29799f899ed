//! The study that would prove an answer: its configurations under one load.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::builtin;
use iotrial_model::demand::Demand;
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
    Err(Failure::input(error).hint("`iotrial profiles` lists them; a file is given with its path".to_owned()))
}

/// The study as TOML: the cheapest configuration of each provider, on machines of their own. There is at least one.
pub(super) fn study_of(sizing: &Sizing, profile: Option<&str>) -> Result<String, Failure> {
    let embedded = if profile.is_some() { Vec::new() } else { vec![own_load(&sizing.demand)?] };
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
    let head = "\
# Written by `iotrial size`. Each configuration is measured on a machine of its own: name the mount point there with
# `iotrial study export FILE --label LABEL --target PATH`, run it there, and bring the records back with
# `iotrial study add`. The attributes `expected_…` are what the limits allow, to be held against what is measured. The profile
# at the end is the load that was asked for, at its rates: a configuration that carries it answers within the thresholds, without a backlog.
";
    // Read back before it is written: a study that cannot be read must never lie on somebody's disk.
    Study::parse(&text)
        .map_err(|mistakes| Failure::execution(anyhow!("the study is not valid: {mistakes}")))?;
    Ok(format!("{head}\n{text}"))
}

/// The rates of a demand as an open load: what is due is issued, so that its latency is what a caller would wait.
fn own_load(demand: &Demand) -> Result<EmbeddedProfile, Failure> {
    let mut text = format!(
        "# The rates of “{}”, as they are at the end of its years. Each stream is a job of its own; sizes are whole 4 KiB.\n\
         format = \"iotrial.profile/1\"\nname = \"{OWN_LOAD}\"\ntitle = \"The rates that were asked for\"\n\
         rationale = \"A configuration proves itself by the load that it was bought for, as it arrives.\"\nsource = \"iotrial size\"\n\
         [schedule]\nramp = \"60s\"\nduration = \"600s\"\n[quick]\nsize = \"4GiB\"\nramp = \"5s\"\nduration = \"30s\"\n",
        demand.title.replace(['\n', '\r'], " ")
    );
    // The size of a file matters less than its share: what is cached depends on it, rates do not.
    let share = demand.capacity_gib() / f64::from(demand.mirror.copies()) / demand.streams.len() as f64;
    let size_gib = share.clamp(*FILE_GIB.start(), *FILE_GIB.end()).round();
    for (number, stream) in demand.streams.iter().enumerate() {
        // Without a role it is judged as data files: these are most of what is sized, and their limits are in the middle.
        let role = stream.role.unwrap_or(Role::Data);
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
        let iodepth = (iops * ROOM_S).ceil().clamp(16.0, 2_048.0);
        let _ = write!(
            text,
            "\n[[job]]\nname = \"{role}-{word}-{}\"\nrole = \"{role}\"\npattern = \"{pattern}\"\nrwmix_read_percent = {read_percent}\n\
             block_size = \"{block_size}KiB\"\niodepth = {iodepth}\nsize = \"{size_gib}GiB\"\nrate = \"{iops} iops\"\nspacing = \"poisson\"\n",
            number + 1
        );
    }
    let profile = Profile::parse(&text)
        .map_err(|mistakes| Failure::execution(anyhow!("the load of the demand is not valid: {mistakes}")))?;
    let thresholds = ThresholdSet::builtin(&profile.thresholds).map_err(Failure::execution)?;
    Ok(EmbeddedProfile { name: OWN_LOAD.to_owned(), text, thresholds: thresholds.text })
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
    let pool = &configuration.pools[0];
    let text = |value: &str| AttributeValue::Text(value.to_owned());
    #[expect(clippy::cast_possible_truncation, reason = "rates and prices are far below")]
    let whole = |value: f64| AttributeValue::Integer(value.round() as i64);
    let mut attributes = BTreeMap::from([
        ("provider".to_owned(), text(&configuration.provider)),
        ("machine".to_owned(), text(&configuration.machine)),
        ("volume".to_owned(), text(&pool.volume)),
        ("volumes".to_owned(), AttributeValue::Integer(i64::from(pool.count))),
        ("size_gib".to_owned(), AttributeValue::Integer(i64::try_from(pool.size_gib).unwrap_or(i64::MAX))),
        (format!("{}_per_month", answer.cost.currency.to_lowercase()), whole(answer.cost.per_month)),
    ]);
    let mut add = |key: &str, value: Option<AttributeValue>| {
        if let Some(value) = value {
            attributes.insert(key.to_owned(), value);
        }
    };
    add("ocpus", configuration.ocpus.map(|ocpus| AttributeValue::Integer(i64::from(ocpus))));
    add("level", Some(pool.level.as_str()).filter(|level| !level.is_empty()).map(text));
    add("attachment", pool.attachment.as_deref().map(text));
    add("volume_iops", pool.iops.map(whole));
    add("volume_mb_per_s", pool.bandwidth.filter(|one| one.is_finite()).map(|one| whole(one / 1e6)));
    for one in &answer.alone {
        let key = format!("expected_{}", one.measure.as_str().to_lowercase().replace(' ', "_"));
        let unit = if one.measure.is_bandwidth() { 1e6 } else { 1.0 };
        let key = if one.measure.is_bandwidth() { format!("{key}_mb_per_s") } else { key };
        add(&key, one.most.map(|most| whole(most / unit)));
    }
    attributes
}
