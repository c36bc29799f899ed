//! A study says which configurations are compared, under which loads, how often and in which order.
//!
//! [`Study::parse`] is the only way to one, so a `Study` that exists is valid. Its text form is TOML,
//! documented in `docs/study.md`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::application::metric_name;
use crate::foreign_text::hidden_in;
use crate::given_target::GivenTarget;
use crate::latency_limit::LatencyLimit;
use crate::load::Role;
use crate::need::Need;
use crate::plan::{EngineKind, SimDevice};
use crate::priority::Priority;
use crate::record::AttributeValue;
use crate::step::parse_staircase;
use crate::toml_reader::{Mistakes, Scalar, TableReader, read_toml};
use crate::units::ByteSize;

mod change;

mod journal;

mod order;

mod text;

pub use journal::{BegunCell, CellEnd, JOURNAL_FORMAT, JournalError, JournalLine, Progress};

/// The value of `format` in a study file.
pub(crate) const STUDY_FORMAT: &str = "iotrial.study/1";

/// How often each configuration is measured under each load, unless the study says otherwise: with fewer a
/// difference cannot be distinguished from chance.
// With two runs a standard deviation has one degree of freedom, and intervals are useless; docs/compare.md
// recommends five.
const DEFAULT_REPEATS: u32 = 3;

/// More repeats than anybody waits for.
const MOST_REPEATS: u64 = 1_000;

/// Configurations under the same loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The short name, of which the journal gets its file name.
    pub name: String,
    /// One line for headings.
    pub title: String,
    /// The study of which this is the part that another machine measures.
    pub part_of: Option<String>,
    /// Built-in profiles, or files whose paths count from the study's folder; at least one.
    pub profiles: Vec<String>,
    /// How often each configuration is measured under each profile; at least once.
    pub repeats: u32,
    /// How long the targets are left alone before each load.
    pub idle: Duration,
    /// The order and the randomness of the loads come from it.
    pub seed: u64,
    /// What holds for every load.
    pub load: StudyLoad,
    /// The configurations to compare; at least one.
    pub configurations: Vec<Configuration>,
    /// The profiles that the study brings along.
    pub embedded: Vec<EmbeddedProfile>,
}

/// What holds for every load of a study. What is absent is decided as for `iotrial run`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyLoad {
    /// Full schedule and sizes instead of the quick ones.
    pub full: bool,
    /// All files of a load together.
    pub size: Option<ByteSize>,
    /// Cache of the array below the targets.
    pub array_cache: Option<ByteSize>,
    /// Length of the measured phase.
    pub duration: Option<Duration>,
    /// How long the load runs before measuring starts.
    pub ramp: Option<Duration>,
    /// Steps of equal length in place of those of the profiles: the share of the full load of each, in percent, or of `need`; empty takes the
    /// profiles'. Not together with another search or `until_steady`.
    pub steps: Vec<f64>,
    /// The engine that does the I/O; `None` takes the usual one of the system that measures.
    pub engine: Option<EngineKind>,
    /// Through the page cache.
    pub buffered: bool,
    /// The threads ask the devices for completions instead of waiting for their interrupts.
    pub polled: bool,
    /// How the threads of each load rank among other programs.
    pub priority: Priority,
    /// Each load is measured until it is steady, and gives up after this long; `None` measures for the duration.
    pub until_steady: Option<Duration>,
    /// Each load is a search for the highest rate that holds this latency; `None` makes the load as it is. Not together with
    /// `until_steady`.
    pub latency_limit: Option<LatencyLimit>,
    /// The rate that each load has to carry, decided before the highest one is sought; `None` needs nothing.
    pub need: Option<Need>,
    /// Each load is a search for the highest rate within the thresholds.
    pub capacity: bool,
    /// Files stay from one load to the next, instead of being laid out for each.
    pub keep_files: bool,
    /// The threshold set that judges; `None` takes the one of the profile.
    pub thresholds: Option<String>,
}

/// One of the configurations that a study compares.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// Its name; no other configuration of the study has it.
    pub label: String,
    /// What distinguishes it.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Directories, files of iotrial, or raw devices; their paths count from the study's folder. Where they are given to roles, one role
    /// each, in the order of the roles.
    pub targets: Vec<GivenTarget>,
    /// A command of the shell that attaches it.
    pub before: Option<String>,
    /// A command of the shell that detaches it.
    pub after: Option<String>,
    /// Commands of the shell that print a metric of an application after each load, by the name of the metric.
    pub metric_commands: BTreeMap<String, String>,
    /// Whether another machine measures it.
    pub elsewhere: bool,
    /// The device, where the engine is `sim`.
    pub sim: Option<SimDevice>,
}

/// A profile that a study brings along, so that nothing but the study is needed to make its load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedProfile {
    /// As [`Study::profiles`] names it.
    pub name: String,
    /// The profile, word for word.
    pub text: String,
    /// The threshold set that judges, word for word.
    pub thresholds: String,
}

/// One measurement of a study: a configuration under a profile for the `repeat`-th time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Cell {
    /// Label of the configuration.
    pub label: String,
    /// As [`Study::profiles`] names it.
    pub profile: String,
    /// Which repeat it is, from 1.
    pub repeat: u32,
}

impl Study {
    /// Reads a study from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            let format = top.required("format", |t, key| t.word(key, &[(STUDY_FORMAT, ())]));
            let name = top.required("name", read_name);
            let title = top.required("title", TableReader::text);
            let part_of = top.text("part_of");
            let profiles = top.required("profiles", read_profiles);
            let repeats = top.integer("repeats", 1..=MOST_REPEATS);
            let idle = top.duration("idle").unwrap_or_default();
            // TOML's integers are signed 64 bits, so not every seed of 64 bits could be written.
            let seed = top.integer("seed", 0..=u64::from(u32::MAX)).unwrap_or(1);
            let load = top.table("load", StudyLoad::read).unwrap_or_default();
            let mut labels = Vec::new();
            let configurations = top.required("configuration", |t, key| {
                t.tables(key, |table| Configuration::read(table, load.engine, &mut labels))
            });
            let embedded = top.tables("embedded", EmbeddedProfile::read).unwrap_or_default();
            format?;
            // The range above keeps it within 32 bits.
            let repeats = repeats.and_then(|count| u32::try_from(count).ok()).unwrap_or(DEFAULT_REPEATS);
            Some(Self {
                name: name?,
                title: title?,
                part_of,
                profiles: profiles?,
                repeats,
                idle,
                seed,
                load,
                configurations: configurations?,
                embedded,
            })
        })
    }

    /// The study by whose name its records go: itself, or the one of which it is a part.
    pub fn whole_name(&self) -> &str {
        self.part_of.as_deref().unwrap_or(&self.name)
    }

    /// The configuration of that name.
    pub fn configuration(&self, label: &str) -> Option<&Configuration> {
        self.configurations.iter().find(|configuration| configuration.label == label)
    }

    /// The profile that it brings along under that name.
    pub fn embedded(&self, profile: &str) -> Option<&EmbeddedProfile> {
        self.embedded.iter().find(|embedded| embedded.name == profile)
    }

    /// Every measurement, configuration by configuration.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for configuration in &self.configurations {
            for profile in &self.profiles {
                cells.extend((1..=self.repeats).map(|repeat| Cell {
                    label: configuration.label.clone(),
                    profile: profile.clone(),
                    repeat,
                }));
            }
        }
        cells
    }

    /// The part of the study that is one configuration, to be measured where this is.
    #[must_use]
    pub fn part(&self, configuration: &Configuration) -> Self {
        let slug: String = configuration
            .label
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect();
        let mut name = format!("{}-{slug}", self.name);
        // Both parts are ASCII, so cutting at a byte is cutting at a character.
        name.truncate(MOST_NAME_BYTES);
        Self {
            name,
            part_of: Some(self.whole_name().to_owned()),
            configurations: vec![Configuration {
                elsewhere: false,
                targets: GivenTarget::by_role(&configuration.targets),
                ..configuration.clone()
            }],
            ..self.clone()
        }
    }
}

/// Longer names do not make readable file names.
const MOST_NAME_BYTES: usize = 64;

/// A name that is a file name on every system.
fn read_name(table: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let name = table.text(key)?;
    // What is a file name on Windows, too; a leading dot would hide the journal on Unix.
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_plain && !name.is_empty() && !name.starts_with('.') && name.len() <= MOST_NAME_BYTES {
        return Some(name);
    }
    table.refuse(
        key,
        format!("`{key}` must be up to {MOST_NAME_BYTES} letters a to z, digits, `-`, `_` and `.`, because the journal has this name"),
    )
}

fn read_profiles(table: &mut TableReader<'_>, key: &'static str) -> Option<Vec<String>> {
    let profiles = table.texts(key)?;
    if profiles.is_empty() {
        return table.refuse(key, format!("`{key}` needs at least one profile"));
    }
    // Repeats are counted by the name of a profile, so a second mention would be measured into the same
    // cells.
    let twice = profiles.iter().enumerate().find(|(position, name)| profiles[..*position].contains(name));
    if let Some((_, name)) = twice {
        return table
            .refuse(key, format!("the profile `{name}` is named twice; `repeats` measures it again"));
    }
    Some(profiles)
}

fn read_parsed<T: FromStr<Err: fmt::Display>>(table: &mut TableReader<'_>, key: &'static str) -> Option<T> {
    let text = table.text(key)?;
    match text.parse() {
        Ok(limit) => Some(limit),
        Err(error) => table.refuse(key, format!("`{key}`: {error}")),
    }
}

impl StudyLoad {
    fn read(table: &mut TableReader<'_>) -> Option<Self> {
        let load = Self {
            full: table.boolean("full").unwrap_or(false),
            size: table.size("size"),
            array_cache: table.size("array_cache"),
            duration: table.duration("duration"),
            ramp: table.duration("ramp"),
            steps: read_staircase(table, "steps").unwrap_or_default(),
            engine: table.word("engine", &EngineKind::ALL.map(|engine| (engine.as_str(), engine))),
            buffered: table.boolean("buffered").unwrap_or(false),
            polled: table.boolean("polled").unwrap_or(false),
            priority: table.word("priority", &Priority::by_word()).unwrap_or_default(),
            until_steady: table.duration("until_steady"),
            latency_limit: read_parsed(table, "latency_limit"),
            need: read_parsed(table, "need"),
            capacity: table.boolean("capacity").unwrap_or(false),
            keep_files: table.boolean("keep_files").unwrap_or(false),
            thresholds: table.text("thresholds"),
        };
        if load.size.is_some_and(|size| size.get() == 0) {
            return table.refuse("size", "`size` must be more than zero".to_owned());
        }
        if load.duration.is_some_and(|duration| duration.is_zero()) {
            return table.refuse("duration", "`duration` must be more than zero".to_owned());
        }
        let searches = [
            ("latency_limit", load.latency_limit.is_some()),
            ("need", load.need.is_some()),
            ("capacity", load.capacity),
        ];
        if let Some((key, _)) =
            searches.into_iter().find(|(_, is_asked)| *is_asked && load.until_steady.is_some())
        {
            let message = format!("`{key}` and `until_steady` exclude each other: find the rate first");
            return table.refuse(key, message);
        }
        // Steps of a need are shares of it.
        let of_need = load.need.is_some() && load.latency_limit.is_none() && !load.capacity;
        let searches = searches.into_iter().filter(|_| !of_need);
        let others = searches.chain([("until_steady", load.until_steady.is_some())]);
        if of_need && !load.steps.is_empty() && load.steps.iter().all(|percent| *percent < 100.0) {
            let message = "no step of `steps` reaches the rate of `need`: add one of 100% or more".to_owned();
            return table.refuse("steps", message);
        }
        if let Some((key, _)) = others.into_iter().find(|(_, is_asked)| *is_asked && !load.steps.is_empty()) {
            let message = format!("`{key}` and `steps` exclude each other: steps say how much load there is");
            return table.refuse("steps", message);
        }
        Some(load)
    }
}

fn read_staircase(table: &mut TableReader<'_>, key: &'static str) -> Option<Vec<f64>> {
    let text = table.text(key)?;
    match parse_staircase(&text) {
        Ok(shares) => Some(shares),
        Err(error) => table.refuse(key, format!("`{key}`: {error}")),
    }
}

impl Configuration {
    /// Whether measuring it runs commands of the study file, which are anybody's.
    pub fn runs_commands(&self) -> bool {
        self.before.is_some() || self.after.is_some() || !self.metric_commands.is_empty()
    }

    fn read(
        table: &mut TableReader<'_>,
        engine: Option<EngineKind>,
        labels: &mut Vec<String>,
    ) -> Option<Self> {
        let label = table.required("label", read_label);
        if let Some(label) = &label {
            if labels.contains(label) {
                table.refuse::<()>("label", format!("another configuration already has the label `{label}`"));
            }
            labels.push(label.clone());
        }
        let attributes = table.table("attributes", |table| Some(table.scalars())).unwrap_or_default();
        let elsewhere = table.boolean("elsewhere").unwrap_or(false);
        let targets = read_targets(table, "targets");
        // Without an engine in the file the choice is made later, and it may be one that touches targets.
        let touches_targets = engine.is_none_or(EngineKind::touches_targets);
        if targets.as_ref().is_none_or(Vec::is_empty)
            && !table.has("targets")
            && touches_targets
            && !elsewhere
        {
            table.refuse::<()>(
                "label",
                "`targets` is missing; `elsewhere = true` marks a configuration that another machine measures"
                    .to_owned(),
            );
        }
        let targets = targets.unwrap_or_default();
        if table.has("targets") && targets.is_empty() {
            table.refuse::<()>("targets", "`targets` needs at least one path".to_owned());
        }
        let sim: Option<SimDevice> = table.deserialized("sim");
        if sim.is_some() && !engine.is_some_and(EngineKind::is_simulated) {
            table.refuse::<()>("sim", "`sim` is for `engine = \"sim\"` in [load]".to_owned());
        }
        if let Some(error) = sim.as_ref().and_then(|device| device.check().err()) {
            table.refuse::<()>("sim", format!("`sim`: {error}"));
        }
        Some(Self {
            attributes: attributes.into_iter().map(|(key, value)| (key, attribute(value))).collect(),
            targets,
            before: table.text("before"),
            after: table.text("after"),
            metric_commands: table.table("metric_commands", read_metric_commands).unwrap_or_default(),
            elsewhere,
            sim,
            label: label?,
        })
    }
}

fn read_metric_commands(table: &mut TableReader<'_>) -> Option<BTreeMap<String, String>> {
    let mut commands = BTreeMap::new();
    for (name, command) in table.scalars() {
        match (metric_name(&name), command) {
            (Err(error), _) => return table.refuse(&name, error.to_string()),
            (Ok(name), Scalar::Text(command)) if !command.trim().is_empty() => {
                commands.insert(name, command);
            }
            _ => return table.refuse(&name, format!("`{name}` must be a command that prints a number")),
        }
    }
    Some(commands)
}

/// The word for the roles that have no target of their own.
pub(crate) const OTHERS: &str = "others";

/// A list of paths, or a table with the paths of each role.
fn read_targets(table: &mut TableReader<'_>, key: &'static str) -> Option<Vec<GivenTarget>> {
    if table.is_table(key) {
        return table.table(key, |by_role| {
            let mut targets = Vec::new();
            for role in Role::ALL {
                let paths = by_role.texts(role.as_str()).unwrap_or_default().into_iter();
                targets.extend(paths.map(|path| GivenTarget { roles: vec![*role], path: path.into() }));
            }
            let others = by_role.texts(OTHERS).unwrap_or_default();
            targets.extend(others.into_iter().map(GivenTarget::for_all));
            Some(targets)
        });
    }
    let paths = table.texts(key)?;
    // As on the command line: a folder that is called so is not what was meant.
    let by_role = |path: &&String| GivenTarget::parse(path, |_| true).is_ok_and(|one| !one.roles.is_empty());
    if let Some(path) = paths.iter().find(by_role) {
        let (roles, place) = path.split_once('=').unwrap_or_default();
        let role = roles.split(',').next().unwrap_or_default().trim();
        return table.refuse(
            key,
            format!("roles are keys: `{key} = {{ {role} = [\"{place}\"], … }}`; a path that begins with `{roles}=` is written `./{path}`"),
        );
    }
    Some(paths.into_iter().map(GivenTarget::for_all).collect())
}

fn read_label(table: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let label = table.text(key)?;
    // Labels are compared by their text in records and on the command line, where blanks at an end are
    // invisible.
    if label.trim() != label || label.is_empty() {
        return table.refuse(key, format!("`{key}` must be text without spaces at either end"));
    }
    if let Some(hidden) = hidden_in(&label) {
        return table.refuse(key, format!("`{key}` must not contain `{hidden}`, which cannot be seen"));
    }
    Some(label)
}

fn attribute(value: Scalar) -> AttributeValue {
    match value {
        // The digits are kept as they were written.
        Scalar::Number { text, .. } => AttributeValue::from_text(&text),
        Scalar::Text(text) => AttributeValue::Text(text),
        Scalar::Boolean(boolean) => AttributeValue::Text(boolean.to_string()),
    }
}

impl EmbeddedProfile {
    fn read(table: &mut TableReader<'_>) -> Option<Self> {
        let name = table.required("name", TableReader::text);
        let text = table.required("text", TableReader::text);
        let thresholds = table.required("thresholds", TableReader::text);
        Some(Self { name: name?, text: text?, thresholds: thresholds? })
    }
}

#[cfg(test)]
mod tests;
