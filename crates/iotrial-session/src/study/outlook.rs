//! What a study is going to do: every load on its targets as they are now, how long, how much is written.

use std::time::Duration;

use crate::host_warning::SeenHost;
use iotrial_model::plan::Plan;
use iotrial_model::record::TargetRecord;
use iotrial_model::study::{Cell, Configuration, Study};
use iotrial_model::units::ByteSize;
use iotrial_model::words::enumerate;
use serde::Serialize;

use super::StudyError;
use super::file::{StudyFile, Ways};
use crate::setup::{Setup, unseen_plan};
use iotrial_model::foreign_text::harmless;

/// Working sets that differ by more are not the same load.
// A choice. Files are cut to whole blocks and headers take a page each, which is far less; what is free differs by more.
const SAME_SIZE_PERCENT: u64 = 5;

/// What a study is going to do.
pub struct Outlook {
    /// Each configuration under each profile, where anything is missing of it.
    pub loads: Vec<Foreseen>,
    /// Whether any configuration has a command before or after it.
    pub(super) runs_commands: bool,
}

/// A configuration under a profile. Its keys are an interface: `docs/study.md`.
#[derive(Serialize)]
pub struct Foreseen {
    /// Of the configuration.
    pub label: String,
    /// As the study names it.
    pub profile: String,
    /// Measurements that are missing.
    pub missing_count: usize,
    /// Of one of them: idle time and load. Laying out comes on top, but of a search, whose time it is a part of.
    #[serde(rename = "duration_s", serialize_with = "iotrial_model::units::seconds::serialize")]
    pub duration: Duration,
    /// Written before the load, for one of them.
    pub would_write_bytes: ByteSize,
    /// Whether the targets were looked at; those that a command attaches are not there yet.
    pub looked_at: bool,
    /// Where it lies: each target, with the roles whose files are there and the devices below, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    #[serde(skip)]
    working_set: ByteSize,
    /// What was read of the host and of what is below the targets; `None` where these are not there yet.
    #[serde(skip)]
    pub(super) seen_host: Option<SeenHost>,
    /// What the plan changed from what was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Outlook {
    /// Looks at every target of the cells that are missing, and refuses what could not be measured or compared.
    pub(super) fn of(
        file: &StudyFile,
        ways: &Ways<'_>,
        is_missing: impl Fn(&Cell) -> bool,
    ) -> Result<Self, StudyError> {
        let mut loads = Vec::new();
        let mut runs_commands = false;
        let cells = file.study.cells();
        // All targets are looked at before the first one is touched: a study that could not measure its last configuration would only
        // say so after a night.
        for configuration in file.study.configurations.iter().filter(|one| !one.elsewhere) {
            for profile in &file.study.profiles {
                let is_of_load = |cell: &Cell| cell.label == configuration.label && cell.profile == *profile;
                let missing_count = cells.iter().filter(|cell| is_of_load(cell) && is_missing(cell)).count();
                if missing_count > 0 {
                    runs_commands |= configuration.runs_commands();
                    loads.push(foresee(file, ways, configuration, profile, missing_count)?);
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
    pub fn would_write(&self, study: &Study) -> ByteSize {
        // Kept files are reused by the repeats that follow; otherwise each lays them out anew.
        let times = |load: &Foreseen| if study.load.keep_files { 1 } else { load.missing_count as u64 };
        self.loads.iter().map(|load| load.would_write_bytes * times(load)).sum()
    }
}

fn foresee(
    file: &StudyFile,
    ways: &Ways<'_>,
    configuration: &Configuration,
    profile: &str,
    missing_count: usize,
) -> Result<Foreseen, StudyError> {
    let load = file.load(profile);
    let request = file.request(configuration, &load.profile, 1, ways);
    // What its command attaches is not there yet.
    let looked_at = configuration.before.is_none();
    let mut targets: Vec<String> = request.rig.targets.iter().map(ToString::to_string).collect();
    let (plan, would_write_bytes, whole, seen_host) = if looked_at {
        let setup = Setup::new(load.clone(), &request)
            .map_err(|source| StudyError::setup(configuration, profile, source))?;
        if setup.plan.engine.touches_targets() {
            targets = setup.targets().iter().map(place_of).collect();
        } else {
            targets.clear();
        }
        let whole = setup.search.as_ref().map(|search| search.whole_time(setup.expected_layout_time()));
        (setup.plan, setup.layout.written, whole, setup.seen_host)
    } else {
        let plan = unseen_plan(&request, &load.profile).map_err(StudyError::Unseen)?;
        // Every file in full. What is there already and could be reused is not known before the command has run.
        // Not where they begin: on an unseen target they lie behind one another.
        let areas = plan.areas.iter().map(|area| area.length).sum();
        let written = if plan.engine.touches_targets() { areas } else { ByteSize::default() };
        (plan, written, None, None)
    };
    Ok(Foreseen {
        label: configuration.label.clone(),
        profile: profile.to_owned(),
        missing_count,
        duration: idle(&file.study, &plan) + whole.unwrap_or_else(|| plan.duration()),
        would_write_bytes,
        looked_at,
        targets,
        working_set: working_set(&plan),
        seen_host,
        notes: plan.notes,
    })
}

/// `data /mnt/a on nvme1n1`.
fn place_of(target: &TargetRecord) -> String {
    let on: Vec<&str> = target.nearest_devices().collect();
    let on = if on.is_empty() { String::new() } else { format!(" on {}", enumerate(&on)) };
    format!("{}{on}", target.named())
}

/// How long the targets are left alone before the load: a simulated device needs no rest.
pub(super) fn idle(study: &Study, plan: &Plan) -> Duration {
    if plan.engine.touches_targets() { study.idle } else { Duration::ZERO }
}

/// The bytes that the jobs of a plan work on.
pub(super) fn working_set(plan: &Plan) -> ByteSize {
    plan.jobs.iter().map(|job| job.working_set * job.areas.len() as u64).sum()
}

/// Whether two working sets are the same load; files are cut to whole blocks and have a header.
pub(super) fn is_same_size(one: ByteSize, other: ByteSize) -> bool {
    let (small, large) = (one.min(other).get(), one.max(other).get());
    (large - small).saturating_mul(100) <= large.saturating_mul(SAME_SIZE_PERCENT)
}

/// A profile's size shrinks to what is free: configurations that were given other sizes would not be comparable.
fn check_sizes(loads: &[Foreseen], study: &Study) -> Result<(), StudyError> {
    for profile in &study.profiles {
        let mut looked_at = loads.iter().filter(|load| load.looked_at && load.profile == *profile);
        let Some(first) = looked_at.next() else { continue };
        let Some(other) = looked_at.find(|load| !is_same_size(load.working_set, first.working_set)) else {
            continue;
        };
        let one = |load: &Foreseen| (harmless(&load.label), load.working_set);
        return Err(StudyError::Sizes { profile: harmless(profile), one: one(first), other: one(other) });
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::fault::Fault;

    fn load(label: &str, working_set_mib: u64, looked_at: bool) -> Foreseen {
        Foreseen {
            label: label.to_owned(),
            profile: "reads".to_owned(),
            missing_count: 1,
            duration: Duration::ZERO,
            would_write_bytes: ByteSize::default(),
            looked_at,
            targets: Vec::new(),
            working_set: ByteSize::mib(working_set_mib),
            seen_host: None,
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
        let refused = check(500, true).unwrap_err();
        assert!(
            refused.to_string().contains("on 1000 MiB of configuration `a` and on 500 MiB of `b`"),
            "{refused}"
        );
        assert!(refused.hint().is_some_and(|hint| hint.contains("give a `size` in [load]")), "{refused}");
    }
}
