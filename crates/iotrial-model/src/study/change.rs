//! What distinguishes a study from an earlier form of itself.

use super::{Cell, Configuration, Study};
use crate::units::format_duration;

impl Study {
    /// What this study says otherwise than an earlier form of it, in sentences; nothing where both mean the
    /// same.
    ///
    /// Both bring their profiles along.
    pub fn changes_since(&self, earlier: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut changed = |what: &str, before: String, now: String| {
            if before != now {
                changes.push(format!("{what}: {before} changed to {now}"));
            }
        };
        // By their words and not by their values, so that what is reported is what the file says.
        changed("title", quoted(&earlier.title), quoted(&self.title));
        changed("part_of", optional(earlier.part_of.as_deref()), optional(self.part_of.as_deref()));
        changed("profiles", earlier.profiles.join(", "), self.profiles.join(", "));
        changed("repeats", earlier.repeats.to_string(), self.repeats.to_string());
        changed("idle", format_duration(earlier.idle), format_duration(self.idle));
        changed("seed", earlier.seed.to_string(), self.seed.to_string());
        for (key, before, now) in differences(&load_words(earlier), &load_words(self)) {
            changed(&format!("load.{key}"), before, now);
        }
        for configuration in &self.configurations {
            let label = &configuration.label;
            match earlier.configuration(label) {
                None => changes.push(format!("configuration `{label}` is new")),
                Some(old) => {
                    for (key, before, now) in differences(&words(old), &words(configuration)) {
                        changes.push(format!("configuration `{label}`, {key}: {before} changed to {now}"));
                    }
                }
            }
        }
        let gone = earlier.configurations.iter().filter(|old| self.configuration(&old.label).is_none());
        changes.extend(gone.map(|old| format!("configuration `{}` was removed", old.label)));
        for embedded in &self.embedded {
            let Some(old) = earlier.embedded(&embedded.name) else { continue };
            if old.text != embedded.text {
                changes.push(format!("the profile `{}` has changed", embedded.name));
            } else if old.thresholds != embedded.thresholds {
                changes.push(format!("`{}` is judged by a different threshold set", embedded.name));
            }
        }
        changes
    }

    /// Whether a cell measured for `earlier` is what this study asks: nothing that could change its figures
    /// is otherwise.
    pub(crate) fn asks_the_same(&self, earlier: &Self, cell: &Cell) -> bool {
        let text = |study: &Self| study.embedded(&cell.profile).map(|embedded| embedded.text.clone());
        let load = |study: &Self| {
            let mut load = study.load.clone();
            // Thresholds judge figures and do not change them, so what was measured under others still
            // counts.
            load.thresholds = None;
            load
        };
        let configuration = |study: &Self| {
            // Where a configuration is measured does not change what is measured: a part of a study is
            // measured elsewhere by another file.
            study.configuration(&cell.label).cloned().map(|one| Configuration { elsewhere: false, ..one })
        };
        self.seed == earlier.seed
            && self.idle == earlier.idle
            && load(self) == load(earlier)
            && text(self) == text(earlier)
            && configuration(self) == configuration(earlier)
    }
}

type Words = Vec<(&'static str, String)>;

/// The keys whose words differ, with the words of both.
fn differences(before: &Words, now: &Words) -> Vec<(&'static str, String, String)> {
    // Both lists come from one function, so they have the same keys in the same order.
    let pairs = before.iter().zip(now);
    let differing = pairs.filter(|((_, before), (_, now))| before != now);
    differing.map(|((key, before), (_, now))| (*key, before.clone(), now.clone())).collect()
}

fn load_words(study: &Study) -> Words {
    let load = &study.load;
    let or_default = |value: Option<String>| value.unwrap_or_else(|| "the default".to_owned());
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    vec![
        ("full", load.full.to_string()),
        ("size", or_default(load.size.map(|size| size.to_string()))),
        ("duration", or_default(load.duration.map(format_duration))),
        ("ramp", or_default(load.ramp.map(format_duration))),
        ("engine", or_default(load.engine.map(|engine| engine.as_str().to_owned()))),
        ("buffered", load.buffered.to_string()),
        ("polled", load.polled.to_string()),
        ("priority", load.priority.to_string()),
        ("until_steady", or_none(load.until_steady.map(format_duration))),
        ("latency_limit", or_none(load.latency_limit.map(|limit| limit.to_string()))),
        ("need", or_none(load.need.as_ref().map(ToString::to_string))),
        ("capacity", load.capacity.to_string()),
        ("keep_files", load.keep_files.to_string()),
        ("thresholds", or_default(load.thresholds.clone())),
    ]
}

fn words(configuration: &Configuration) -> Words {
    let attributes: Vec<String> =
        configuration.attributes.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let targets: Vec<String> = configuration.targets.iter().map(ToString::to_string).collect();
    let sim = configuration
        .sim
        .as_ref()
        .map(|device| serde_json::to_string(device).expect("a simulated device is plain data"));
    vec![
        ("attributes", format!("[{}]", attributes.join(", "))),
        ("targets", format!("[{}]", targets.join(", "))),
        ("before", optional(configuration.before.as_deref())),
        ("after", optional(configuration.after.as_deref())),
        ("metric_commands", format!("{:?}", configuration.metric_commands)),
        ("elsewhere", configuration.elsewhere.to_string()),
        ("sim", sim.unwrap_or_else(|| "the default".to_owned())),
    ]
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "nothing".to_owned(), quoted)
}
