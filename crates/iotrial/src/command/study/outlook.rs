//! What a study is going to do: every load on its targets as they are now, in which order, how long, how much is written.

use std::time::Duration;

use iotrial_model::plan::Plan;
use iotrial_model::study::{Cell, Configuration, Study};
use iotrial_model::units::{ByteSize, format_duration};
use serde::Serialize;

use super::file::{StudyFile, Ways};
use super::released::Released;
use crate::cli::StudyArgs;
use crate::failure::Failure;
use crate::output::{self, harmless};
use crate::setup::unseen_plan;

/// Working sets that differ by more are not the same load.
const SAME_SIZE_PERCENT: u64 = 5;

/// What a study is going to do.
pub struct Outlook {
    /// Each configuration under each profile, where anything is missing of it.
    loads: Vec<Foreseen>,
    /// Whether any configuration has a command before or after it.
    pub runs_commands: bool,
}

/// A configuration under a profile.
#[derive(Serialize)]
struct Foreseen {
    label: String,
    profile: String,
    /// Measurements that are missing.
    missing_count: usize,
    /// Of one of them: idle time and load; laying out comes on top.
    #[serde(rename = "duration_s", serialize_with = "iotrial_model::units::seconds::serialize")]
    duration: Duration,
    /// Written before the load, for one of them.
    would_write_bytes: ByteSize,
    /// Whether the targets were looked at; those that a command attaches are not there yet.
    looked_at: bool,
    #[serde(skip)]
    working_set: ByteSize,
    /// What the plan changed from what was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Outlook {
    /// Looks at every target of the cells that are missing, and refuses what could not be measured or compared.
    pub fn of(
        file: &StudyFile,
        args: &StudyArgs,
        released: &Released,
        is_missing: impl Fn(&Cell) -> bool,
    ) -> Result<Self, Failure> {
        let mut loads = Vec::new();
        let mut runs_commands = false;
        let cells = file.study.cells();
        for configuration in file.study.configurations.iter().filter(|one| !one.elsewhere) {
            for profile in &file.study.profiles {
                let is_of_load = |cell: &Cell| cell.label == configuration.label && cell.profile == *profile;
                let missing_count = cells.iter().filter(|cell| is_of_load(cell) && is_missing(cell)).count();
                if missing_count > 0 {
                    runs_commands |= configuration.before.is_some() || configuration.after.is_some();
                    loads.push(foresee(file, args, released, configuration, profile, missing_count)?);
                }
            }
        }
        check_sizes(&loads, &file.study)?;
        Ok(Self { loads, runs_commands })
    }

    /// Measurements that are missing here.
    pub fn missing_count(&self) -> usize {
        self.loads.iter().map(|load| load.missing_count).sum()
    }

    /// Idle time and loads of all that is missing.
    pub fn duration(&self) -> Duration {
        self.loads
            .iter()
            .map(|load| load.duration.saturating_mul(u32::try_from(load.missing_count).unwrap_or(u32::MAX)))
            .sum()
    }

    /// Written before the loads of all that is missing.
    fn would_write(&self, study: &Study) -> ByteSize {
        let times = |load: &Foreseen| if study.load.keep_files { 1 } else { load.missing_count as u64 };
        self.loads.iter().map(|load| load.would_write_bytes * times(load)).sum()
    }

    /// Prints it.
    pub fn print(&self, study: &Study, json: bool) -> Result<(), Failure> {
        if json {
            return output::json(&self.json(study));
        }
        let labels = |round: &[&Configuration]| {
            round.iter().map(|one| harmless(&one.label)).collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("study     {}: {}\n", study.name, harmless(&study.title));
        let balance = if study.is_balanced() {
            "each configuration equally often in each place".to_owned()
        } else {
            let here = study.rounds().first().map_or(1, Vec::len);
            format!(
                "as even as it can be; equal with repeats = {}",
                (study.repeats as usize).next_multiple_of(here)
            )
        };
        if self.missing_count() > 0 {
            text.push_str(&format!("order     by seed {}, {balance}\n", study.seed));
            for (round, position) in study.rounds().iter().zip(1..) {
                text.push_str(&format!("  {position:>6}  {}\n", labels(round)));
            }
        }
        let elsewhere: Vec<&Configuration> =
            study.configurations.iter().filter(|one| one.elsewhere).collect();
        if !elsewhere.is_empty() {
            text.push_str(&format!("elsewhere {}\n", labels(&elsewhere)));
        }
        text.push_str(&format!(
            "time      {} for {} to be measured; laying out comes on top\n",
            format_duration(self.duration()),
            self.missing_count()
        ));
        let again =
            if study.load.keep_files { "once for each configuration" } else { "for each measurement anew" };
        text.push_str(&format!(
            "writes    {} before the loads, {again}, and what the jobs write\n\n",
            self.would_write(study)
        ));
        for load in &self.loads {
            text.push_str(&format!(
                "{}, {}: {} times {}, each writes {}{}\n",
                harmless(&load.label),
                harmless(&load.profile),
                load.missing_count,
                format_duration(load.duration),
                load.would_write_bytes,
                if load.looked_at {
                    ""
                } else {
                    "; its targets are looked at when its command has attached them"
                }
            ));
            text.extend(load.notes.iter().map(|note| format!("  note: {}\n", harmless(note))));
        }
        for configuration in &study.configurations {
            for (when, command) in [("before", &configuration.before), ("after", &configuration.after)] {
                let label = harmless(&configuration.label);
                text.extend(command.iter().map(|command| format!("{when} {label}: {}\n", harmless(command))));
            }
        }
        text.push_str("\nnothing was written\n");
        output::text(&text)
    }

    fn json(&self, study: &Study) -> serde_json::Value {
        let rounds: Vec<Vec<&str>> =
            study.rounds().iter().map(|round| round.iter().map(|one| one.label.as_str()).collect()).collect();
        let elsewhere: Vec<&str> =
            study.configurations.iter().filter(|one| one.elsewhere).map(|one| one.label.as_str()).collect();
        serde_json::json!({
            "study": study.name,
            "title": study.title,
            "seed": study.seed,
            "rounds": rounds,
            "is_balanced": study.is_balanced(),
            "elsewhere": elsewhere,
            "missing_count": self.missing_count(),
            "duration_s": self.duration().as_secs_f64(),
            "would_write_bytes": self.would_write(study),
            "loads": self.loads,
        })
    }
}

fn foresee(
    file: &StudyFile,
    args: &StudyArgs,
    released: &Released,
    configuration: &Configuration,
    profile: &str,
    missing_count: usize,
) -> Result<Foreseen, Failure> {
    let ways = Ways { quiet: true, store: args.store.store.as_deref(), released: Some(released) };
    let load_args = file.load_args(configuration, profile, 1, &ways);
    let looked_at = configuration.before.is_none();
    let (plan, would_write_bytes) = if looked_at {
        let setup = file.setup(&load_args)?;
        (setup.plan, setup.layout.written)
    } else {
        let plan = unseen_plan(&load_args, &file.load(profile).0)?;
        let files = plan.areas.iter().map(|area| area.offset + area.length).sum();
        let written = if plan.engine.touches_targets() { files } else { ByteSize::default() };
        (plan, written)
    };
    Ok(Foreseen {
        label: configuration.label.clone(),
        profile: profile.to_owned(),
        missing_count,
        duration: idle(&file.study, &plan) + plan.duration(),
        would_write_bytes,
        looked_at,
        working_set: working_set(&plan),
        notes: plan.notes,
    })
}

/// How long the targets are left alone before the load: a simulated device needs no rest.
pub fn idle(study: &Study, plan: &Plan) -> Duration {
    if plan.engine.touches_targets() { study.idle } else { Duration::ZERO }
}

/// The bytes that the jobs of a plan work on.
pub fn working_set(plan: &Plan) -> ByteSize {
    plan.jobs.iter().map(|job| job.working_set * job.areas.len() as u64).sum()
}

/// Whether two working sets are the same load; files are cut to whole blocks and have a header.
pub fn is_same_size(one: ByteSize, other: ByteSize) -> bool {
    let (small, large) = (one.min(other).get(), one.max(other).get());
    (large - small).saturating_mul(100) <= large.saturating_mul(SAME_SIZE_PERCENT)
}

/// A profile's size shrinks to what is free: configurations that were given other sizes would not be comparable.
fn check_sizes(loads: &[Foreseen], study: &Study) -> Result<(), Failure> {
    for profile in &study.profiles {
        let mut looked_at = loads.iter().filter(|load| load.looked_at && load.profile == *profile);
        let Some(first) = looked_at.next() else { continue };
        let Some(other) = looked_at.find(|load| !is_same_size(load.working_set, first.working_set)) else {
            continue;
        };
        let error = anyhow::anyhow!(
            "profile `{}` would work on {} of configuration `{}` and on {} of `{}`, which cannot be compared",
            harmless(profile),
            first.working_set,
            harmless(&first.label),
            other.working_set,
            harmless(&other.label)
        );
        return Err(
            Failure::input(error).hint("give a `size` in [load] that all of them can hold".to_owned())
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(label: &str, working_set_mib: u64, looked_at: bool) -> Foreseen {
        Foreseen {
            label: label.to_owned(),
            profile: "reads".to_owned(),
            missing_count: 1,
            duration: Duration::ZERO,
            would_write_bytes: ByteSize::default(),
            looked_at,
            working_set: ByteSize::mib(working_set_mib),
            notes: Vec::new(),
        }
    }

    #[test]
    fn configurations_that_would_get_other_working_sets_are_refused_with_both_sizes() {
        let text = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"reads\"]\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = [\"a\"]\n";
        let study = Study::parse(text).unwrap();
        let check =
            |mib: u64, looked_at| check_sizes(&[load("a", 1000, true), load("b", mib, looked_at)], &study);
        assert!(check(1040, true).is_ok() && check(960, true).is_ok());
        // Its targets are not there yet.
        assert!(check(500, false).is_ok());
        let refused = check(500, true).err().unwrap().to_string();
        assert!(refused.contains("on 1000 MiB of configuration `a` and on 500 MiB of `b`"), "{refused}");
        assert!(refused.contains("hint: give a `size` in [load]"), "{refused}");
    }
}
