//! The study that would prove an answer: its configurations under one load.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::anyhow;
use iotrial_model::builtin;
use iotrial_model::record::AttributeValue;
use iotrial_model::study::{Configuration as Studied, Study, StudyLoad};
use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::sizing::Sizing;

use crate::command::report::is_file_name;
use crate::failure::Failure;

/// From so many bytes on, bandwidth rather than IOPS is what is asked for.
const LARGE_BLOCK: f64 = 32_768.0;

/// The study as TOML: the cheapest configuration of each provider, on machines of their own.
pub(super) fn study_of(sizing: &Sizing, profile: Option<&str>) -> Result<String, Failure> {
    let answers: Vec<&Explanation> = super::answers(sizing).collect();
    if answers.is_empty() {
        let error = anyhow!("nothing meets the demand, so there is no configuration to prove");
        return Err(Failure::input(error).hint("ask for less, or leave --study out".to_owned()));
    }
    let streams = &sizing.demand.streams;
    let bandwidth: f64 = streams.iter().map(|stream| stream.bandwidth()).sum();
    let iops: f64 = streams.iter().map(|stream| stream.iops).sum();
    let usual = if bandwidth / iops >= LARGE_BLOCK { "oci-64k" } else { "sqlserver-oltp" };
    let profile = profile.unwrap_or(usual);
    if !is_file_name(profile) && builtin::builtin_profile(profile).is_err() {
        let error = anyhow!("there is no built-in profile `{profile}`");
        return Err(Failure::input(error)
            .hint("`iotrial profiles` lists them; a file is given with its path".to_owned()));
    }
    let configurations = answers.iter().map(|answer| Studied {
        label: format!("{} {}", answer.configuration.provider, answer.configuration.in_short()),
        attributes: attributes(answer),
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
        profiles: vec![profile.to_owned()],
        repeats: 3,
        idle: Duration::from_secs(60),
        seed: 1,
        load: StudyLoad { full: true, ..StudyLoad::default() },
        configurations: configurations.collect(),
        embedded: Vec::new(),
    };
    let text = study.to_toml();
    let head = "\
# Written by `iotrial size`. Each configuration is measured on a machine of its own: name the mount point there with
# `iotrial study export FILE --label LABEL --target PATH`, run it there, and bring the records back with
# `iotrial study add`. The attributes `expected_…` are what the limits allow, to be held against what is measured.
";
    Study::parse(&text)
        .map_err(|mistakes| Failure::execution(anyhow!("the study is not valid: {mistakes}")))?;
    Ok(format!("{head}\n{text}"))
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
