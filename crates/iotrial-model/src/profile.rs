//! A profile says what load a database makes; nothing in it depends on a machine.
//!
//! [`Profile::parse`] is the only way to one, so a `Profile` that exists is valid. Its text form is
//! TOML, documented in `docs/profiles.md`.

use std::time::Duration;

use crate::load::Role;
use crate::step::Step;
use crate::toml_reader::{Mistakes, TableReader, read_toml};
use crate::units::{ByteSize, Rate};

mod job;

mod layout;

mod steps;

pub use job::{Follow, JobProfile};
pub use layout::LayoutRequest;
pub(crate) use steps::check_loads;

use steps::{StepFile, steps_of};

/// The value of `format` in a profile file.
pub const PROFILE_FORMAT: &str = "iotrial.profile/1";

/// A load as a database makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The short name that the command line takes.
    pub name: String,
    /// One line for lists and headings.
    pub title: String,
    /// Why the load is as it is.
    pub rationale: String,
    /// What the load was taken from: manual, paper or trace; and what of it is a choice.
    pub source: String,
    /// The threshold set that judges it, unless the user names another.
    pub thresholds: String,
    /// The load is measured as it stands, with all its outstanding I/Os, instead of being given the highest rate that stays within
    /// the thresholds: for what is bound by bandwidth, and for what repeats a published measurement.
    pub closed: bool,
    /// The load keeps as many outstanding as saturate the storage, to find its highest throughput: its latencies are the length of its
    /// queue, and are not judged.
    pub saturates: bool,
    /// Phases of a full run.
    pub schedule: Schedule,
    /// The same load in less time and space.
    pub quick: Quick,
    /// How the load changes within the measured phase, with the times of a full run; empty where it does not.
    pub steps: Vec<Step>,
    /// What runs at once; at least one.
    pub jobs: Vec<JobProfile>,
    /// The file that said all this, word for word; it becomes part of the record.
    pub text: String,
}

/// How long each phase of the load lasts. All jobs start and end every phase together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// How long the load runs to bring the device to its lasting state; not counted.
    pub precondition: Duration,
    /// How long the load runs before counting starts.
    pub ramp: Duration,
    /// The measured phase; more than zero.
    pub measure: Duration,
}

/// The short form of a profile: other times, smaller files, never another load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quick {
    /// Size of all files together, over all targets.
    pub size: ByteSize,
    /// The shorter phases.
    pub schedule: Schedule,
}

impl Profile {
    /// Reads a profile from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            let format = top.required("format", |t, key| t.word(key, &[(PROFILE_FORMAT, ())]));
            let name = top.required("name", TableReader::text);
            let title = top.required("title", TableReader::text);
            let rationale = top.text("rationale").unwrap_or_default();
            let source = top.text("source").unwrap_or_default();
            let thresholds = top.text("thresholds").unwrap_or_else(|| "flash".to_owned());
            let closed = top.boolean("closed").unwrap_or(false);
            let saturates = top.boolean("saturates").unwrap_or(false);
            let mut steps_are_whole = true;
            let read_step = |table: &mut TableReader<'_>| {
                let step = StepFile::read(table);
                steps_are_whole &= step.is_some();
                step
            };
            let steps = top.tables("step", read_step).unwrap_or_default();
            // The measured phase is as long as its steps together: a second number could only contradict them.
            let of_steps = top.has("step").then(|| steps.iter().map(StepFile::duration).sum::<Duration>());
            let read_full = |table: &mut TableReader<'_>| read_schedule(table, of_steps);
            let schedule = match of_steps {
                // Without a precondition and a ramp nothing is left to say.
                Some(measure) if !top.has("schedule") => {
                    Some(Schedule { precondition: Duration::ZERO, ramp: Duration::ZERO, measure })
                }
                _ => top.required("schedule", |t, key| t.table(key, read_full)),
            };
            let quick = top.required("quick", |t, key| t.table(key, read_quick));
            let mut is_whole = true;
            let read_job = |table: &mut TableReader<'_>| {
                let job = JobProfile::read(table);
                is_whole &= job.is_some();
                job
            };
            let jobs = top.required("job", |t, key| t.tables(key, read_job)).unwrap_or_default();
            let steps = match steps_of(steps, &jobs) {
                Ok(steps) => steps,
                // Shares and rates are those of the jobs, which have to be right first.
                Err(_) if !is_whole || !steps_are_whole => Vec::new(),
                Err(mistake) => top.refuse("step", mistake).unwrap_or_default(),
            };
            // Names become file names and the targets of `follow`, so they must be unique.
            for (position, job) in jobs.iter().enumerate() {
                if jobs[..position].iter().any(|earlier| earlier.name == job.name) {
                    top.refuse::<()>("job", format!("two jobs are named `{}`", job.name));
                }
                // A job with a mistake of its own is not among them, and following it is not a second
                // mistake.
                if let Some(mistake) = job
                    .follow
                    .as_ref()
                    .filter(|_| is_whole)
                    .and_then(|follow| mistake_of(follow, position, &jobs))
                {
                    top.refuse::<()>("job", format!("job `{}`: {mistake}", job.name));
                }
            }
            // After the jobs, so that a file of another format still gets the mistakes of its parts.
            format?;
            let (name, title, schedule, quick) = (name?, title?, schedule?, quick?);
            let text = text.to_owned();
            Some(Self {
                name,
                title,
                rationale,
                source,
                thresholds,
                closed,
                saturates,
                schedule,
                quick,
                steps,
                jobs,
                text,
            })
        })
    }

    /// The size of all files of a full run.
    pub fn full_size(&self) -> ByteSize {
        self.jobs.iter().map(|job| job.size).sum()
    }

    /// Whether the profile itself says how many I/Os a second there are: no job waits for its I/Os to make the next ones.
    pub fn has_own_rate(&self) -> bool {
        self.jobs.iter().all(|job| job.rate.is_some() || job.follow.is_some())
    }

    /// The roles that its jobs have, each once, in the order in which tables show them.
    pub fn roles(&self) -> Vec<Role> {
        Role::ALL.iter().copied().filter(|role| self.jobs.iter().any(|job| job.role == *role)).collect()
    }

    /// Leaves only the jobs of these roles, for a load whose rates are given. A job that followed one that goes has a rate of its own
    /// then.
    ///
    /// # Errors
    ///
    /// When the profile has no job of one of them.
    pub fn keep_roles(&mut self, roles: &[Role]) -> Result<(), RolesError> {
        if let Some(role) = roles.iter().find(|role| self.jobs.iter().all(|job| job.role != **role)) {
            return Err(RolesError::Missing { profile: self.name.clone(), role: *role });
        }
        self.jobs.retain(|job| roles.contains(&job.role));
        let kept: Vec<String> = self.jobs.iter().map(|job| job.name.clone()).collect();
        for job in &mut self.jobs {
            let is_orphan = job.follow.as_ref().is_some_and(|follow| !kept.contains(&follow.job));
            if is_orphan {
                job.follow = None;
                // Commits arrive, and are nothing that a closed load could have outstanding.
                job.rate = job.group_commit.is_some().then_some(Rate::Iops(MOST_COMMITS_PER_S));
            }
        }
        Ok(())
    }

    /// Outstanding I/Os of all jobs together.
    pub fn total_iodepth(&self) -> u32 {
        self.jobs.iter().map(JobProfile::total_iodepth).sum()
    }
}

/// Commits a second that are more than any log takes: with them every write of it is full, which shows its ceiling.
pub const MOST_COMMITS_PER_S: f64 = 5e6;

/// Why a profile cannot do with some of its roles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RolesError {
    /// No job has that role.
    #[error("the profile `{profile}` has no job of the role `{role}`")]
    Missing {
        /// Name of the profile.
        profile: String,
        /// The role that was asked for.
        role: Role,
    },
}

/// What is wrong with what the job at `position` follows.
fn mistake_of(follow: &Follow, position: usize, jobs: &[JobProfile]) -> Option<String> {
    let Follow { job: name, per, .. } = follow;
    let Some(leader) = jobs.iter().position(|other| other.name == *name) else {
        return Some(format!("it follows `{name}`, and there is no such job"));
    };
    if leader == position {
        return Some("it follows itself".to_owned());
    }
    if jobs[leader].follow.is_some() {
        // One level only: a chain would need an order of threads, and no built-in profile needs one.
        return Some(format!("it follows `{name}`, which follows another job itself"));
    }
    (!jobs[leader].does(*per)).then(|| format!("it follows each {per} of `{name}`, which has none"))
}

/// `of_steps` is the length of the measured phase where steps give it.
fn read_schedule(table: &mut TableReader<'_>, of_steps: Option<Duration>) -> Option<Schedule> {
    let precondition = table.duration("precondition").unwrap_or_default();
    let ramp = table.duration("ramp").unwrap_or_default();
    if let Some(measure) = of_steps {
        let written = table.duration("duration");
        if written.is_some() {
            let message = "`duration` follows from the steps: leave it out here".to_owned();
            return table.refuse("duration", message);
        }
        return Some(Schedule { precondition, ramp, measure });
    }
    let measure = table.required("duration", TableReader::duration)?;
    if measure.is_zero() {
        return table.refuse("duration", "`duration` must be more than zero".to_owned());
    }
    Some(Schedule { precondition, ramp, measure })
}

fn read_quick(table: &mut TableReader<'_>) -> Option<Quick> {
    let size = table.required("size", TableReader::size);
    let schedule = read_schedule(table, None);
    Some(Quick { size: size?, schedule: schedule? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Distribution, Durability, FollowedOp, LogTail};
    use crate::plan::Arrival;

    const SMALLEST: &str = r#"
format = "iotrial.profile/1"
name = "mine"
title = "Mine"
[schedule]
duration = "60s"
[quick]
size = "1GiB"
duration = "10s"
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
iodepth = 8
size = "4GiB"
"#;

    fn mistakes(from: &str, to: &str) -> String {
        assert!(SMALLEST.contains(from), "{from}");
        Profile::parse(&SMALLEST.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn the_smallest_profile_has_the_defaults_of_the_documents() {
        let profile = Profile::parse(SMALLEST).unwrap();
        let job = &profile.jobs[0];
        assert_eq!((job.numjobs, job.working_set_percent, job.durability), (1, 100, Durability::None));
        assert_eq!((profile.schedule.ramp, profile.thresholds.as_str()), (Duration::ZERO, "flash"));
        assert_eq!((profile.total_iodepth(), profile.full_size()), (8, ByteSize::gib(4)));
    }

    #[test]
    fn the_example_of_the_documentation_is_valid() {
        let documentation = include_str!("../../../docs/profiles.md");
        let example = documentation.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let profile = Profile::parse(example).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(profile.jobs.len(), 2);
        let head = example.split("[[job]]").next().unwrap();
        let rhythm = documentation.split("```toml\n").last().unwrap().split("```").next().unwrap();
        let profile =
            Profile::parse(&format!("{head}{rhythm}")).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(profile.jobs.len(), 4);
    }

    #[test]
    fn the_shape_of_a_load_is_read_as_written() {
        let documentation = include_str!("../../../docs/profiles.md");
        let example = documentation.split("```toml\n").nth(1).unwrap();
        let rhythm = documentation.split("```toml\n").last().unwrap().split("```").next().unwrap();
        let head = example.split("[[job]]").next().unwrap();
        let profile = Profile::parse(&format!("{head}{rhythm}")).unwrap();
        let [pages, checkpoint, scan, log] = &profile.jobs[..] else { panic!("four jobs") };
        assert_eq!(pages.distribution, Distribution::Zipf { theta: 0.99 });
        let Arrival::Open { iops, bursts: Some(bursts), .. } = Arrival::of_job(&profile, 1) else {
            panic!("{checkpoint:?}")
        };
        assert_eq!(
            (iops, bursts.period, bursts.spread),
            (2_000.0, Duration::from_mins(1), Duration::from_secs(45))
        );
        assert_eq!(scan.block_size.to_string(), "64 KiB 75 %, 512 KiB 25 %");
        assert_eq!(scan.block_size.mean_bytes(), 180_224.0);
        assert_eq!(
            Arrival::of_job(&profile, 3),
            Arrival::Following { job: 0, per: FollowedOp::Read, ratio: 0.1 }
        );
        assert_eq!(log.largest_io(), ByteSize::kib(60));
    }

    #[test]
    fn what_contradicts_itself_in_a_job_is_told() {
        let add = |more: &str| mistakes("iodepth = 8", &format!("iodepth = 8\n{more}"));
        let check = |more: &str, message: &str| {
            let told = add(more);
            assert!(told.contains(message), "{more}: {told}");
        };
        let group = "group_commit = { commit_size = \"1KiB\", largest_write = \"64KiB\" }";
        check(group, "`group_commit` is for the role `log`, and this job is `data`");
        check(
            "bursts = { period = \"60s\", spread = \"10s\" }",
            "`bursts` are for an open load, which needs a `rate`",
        );
        check(
            "rate = \"9 iops\"\nbursts = { period = \"6s\", spread = \"10s\" }",
            "not longer than `period`",
        );
        check("distribution = \"zipf\"", "needs `zipf_theta`, such as 0.99");
        check("distribution = \"zipf\"\nzipf_theta = 0", "`zipf_theta` must be more than 0 and at most 5");
        check("distribution = \"hotspot\"\nhot_io_percent = 80", "needs `hot_space_percent`");
        check("zipf_theta = 1", "`zipf_theta` is for `distribution = \"zipf\"`");
        check("hot_io_percent = 1", "`hot_io_percent` is for `distribution = \"hotspot\"`");
        check(
            "distribution = \"hotspot\"\nhot_io_percent = 10\nhot_space_percent = 20",
            "`hot_io_percent` must be more than `hot_space_percent`, 20, or there is no hot spot",
        );
        let told = add("spacing = \"uniform\"\nrate = \"0 iops\"");
        assert!(told.contains("`0 iops` must be more than zero") && !told.contains("spacing"), "{told}");
        check("flush_every = 3", "`flush_every` needs a `durability` other than `none`");
        check("block_sizes = [{ size = \"8KiB\", weight = 1 }]", "`block_size` or `block_sizes`, not both");
        check("follow = { job = \"pages\", ratio = 1 }", "job `pages`: it follows itself");
        check("follow = { job = \"page\", ratio = 1 }", "it follows `page`, and there is no such job");
        check("follow = { job = \"pages\", ratio = 0 }", "`ratio` must be more than 0");
        check(
            "follow = { job = \"a\", ratio = 1 }\nrate = \"1 iops\"",
            "has a `rate` or follows another one, not both",
        );
        let sizes = "block_sizes = [{ size = \"8KiB\", weight = 1 }, { size = \"12KiB\", weight = 1 }]";
        let told = mistakes("block_size = \"8KiB\"", sizes);
        assert!(told.contains("every size must be a multiple of the smallest, 8 KiB, not 12 KiB"), "{told}");
        let told = mistakes("block_size = \"8KiB\"", "block_sizes = []");
        assert!(told.contains("`block_sizes` needs at least one table"), "{told}");
        let told = mistakes("\"random\"", "\"sequential\"\ndistribution = \"zipf\"\nzipf_theta = 1.0");
        assert!(told.contains("`distribution` is for `pattern = \"random\"`"), "{told}");
    }

    #[test]
    fn a_mistake_in_a_job_that_is_followed_is_told_once_and_no_follow_up_with_it() {
        let job = SMALLEST.split("[[job]]").nth(1).unwrap();
        let leader = job.replace("iodepth = 8", "iodepth = 8\ndistribution = \"zipf\"");
        let follower = job
            .replace("name = \"pages\"", "name = \"writer\"")
            .replace("iodepth = 8", "iodepth = 8\nfollow = { job = \"pages\", ratio = 1 }");
        let head = SMALLEST.split("[[job]]").next().unwrap();
        let told =
            Profile::parse(&format!("{head}[[job]]{leader}[[job]]{follower}")).unwrap_err().to_string();
        assert!(told.contains("needs `zipf_theta`") && !told.contains("no such job"), "{told}");
    }

    #[test]
    fn a_group_commit_needs_a_log_that_commits_can_arrive_at() {
        let log = "role = \"log\"\npattern = \"sequential\"\nrwmix_read_percent = 0";
        let base = SMALLEST
            .replace("role = \"data\"\npattern = \"random\"\nrwmix_read_percent = 70", log)
            .replace("iodepth = 8", "iodepth = 8\ndurability = \"dsync\"\nrate = \"100 iops\"\ngroup_commit = { commit_size = \"1KiB\", largest_write = \"64KiB\" }");
        let job = &Profile::parse(&base).unwrap_or_else(|mistakes| panic!("{mistakes}")).jobs[0];
        assert_eq!(job.group_commit.unwrap().tail, LogTail::Pad);
        for (from, to, message) in [
            ("durability = \"dsync\"", "", "`group_commit` needs writes that are all durable"),
            ("rate = \"100 iops\"", "", "`group_commit` needs a rate of commits"),
            ("sequential", "random", "`group_commit` needs a log that is written in sequence"),
            ("\"64KiB\" }", "\"60KB\" }", "`largest_write` must be a multiple of `block_size`, 8 KiB"),
            (
                "\"1KiB\", largest",
                "\"65KiB\", largest",
                "`largest_write` must hold at least one commit of 65 KiB",
            ),
            ("\"1KiB\", largest", "\"0B\", largest", "must hold at least one commit"),
            ("\"64KiB\" }", "\"8KiB\", tail = \"rewrite\" }", "and a block that is written again"),
            (
                "\"64KiB\" }",
                "\"64KiB\", tail = \"rewrite\" }",
                "only one write is in flight at a time: `iodepth = 1`",
            ),
        ] {
            assert!(base.contains(from), "{from}");
            let told = Profile::parse(&base.replace(from, to)).unwrap_err().to_string();
            assert!(told.contains(message), "{to}: {told}");
        }
    }

    #[test]
    fn every_kind_of_mistake_names_its_place_and_what_to_write() {
        let check = |from: &str, to: &str, message: &str| assert_eq!(mistakes(from, to), message);
        check(
            "iodepth",
            "iodept",
            "line 10, column 1: `iodepth` is missing\nline 16, column 1: unknown key `iodept` (did you mean `iodepth`?)",
        );
        check(
            "\"random\"",
            "\"randon\"",
            "line 13, column 11: `pattern` must be one of random, sequential, not \"randon\" (did you mean \"random\"?)",
        );
        check("70", "170", "line 14, column 22: `rwmix_read_percent` must be from 0 to 100, not 170");
        check(
            "iodepth = 8",
            "iodepth = 8\nrate = \"0 iops\"",
            "line 17, column 8: `rate`: `0 iops` must be more than zero",
        );
        check(
            "iodepth = 8",
            "iodepth = 8\nrate = \"5000\"",
            "line 17, column 8: `rate`: `5000` has no unit; the units are iops, or a size per second such as MiB/s",
        );
        check(
            "iodepth = 8",
            "iodepth = 8\nspacing = \"uniform\"",
            "line 17, column 11: `spacing` is for an open load, which needs a `rate`",
        );
        check("70", "-1", "line 14, column 22: `rwmix_read_percent` must be from 0 to 100, not -1");
        check(
            "\"8KiB\"",
            "\"1000B\"",
            "line 15, column 14: `block_size` must be a multiple of 512 bytes up to 64 MiB, not 1000 B",
        );
        check(
            "\"4GiB\"",
            "\"4k\"",
            "line 17, column 8: `size` must hold at least one block of 8 KiB, not 4 KiB",
        );
        check("\"60s\"", "\"0s\"", "line 6, column 12: `duration` must be more than zero");
        check("= 8\n", "= 0\n", "line 16, column 11: `iodepth` must be from 1 to 4096, not 0");
        check(
            "profile/1",
            "profile/9",
            "line 2, column 10: `format` must be one of iotrial.profile/1, not \"iotrial.profile/9\" (did you mean \"iotrial.profile/1\"?)",
        );
    }

    const STEPS: &str = "[schedule]\nramp = \"5s\"\n\
                         [[step]]\nduration = \"2m\"\nload = \"25 %\"\n[[step]]\nduration = \"3m\"\nrate = \"8000 iops\"\nname = \"peak\"";

    fn with_steps(steps: &str, rate: &str) -> Result<Profile, Mistakes> {
        let text = SMALLEST.replace("[schedule]\nduration = \"60s\"", steps);
        Profile::parse(&text.replace("iodepth = 8", &format!("iodepth = 8\n{rate}")))
    }

    #[test]
    fn steps_are_read_as_shares_of_the_load_and_make_the_measured_phase() {
        let profile = with_steps(STEPS, "rate = \"10000 iops\"").unwrap();
        assert_eq!(profile.schedule.measure, Duration::from_mins(5));
        let shares: Vec<f64> = profile.steps.iter().map(|step| step.load_percent).collect();
        assert_eq!((shares, profile.steps[1].name.as_deref()), (vec![25.0, 80.0], Some("peak")));
        // Without a ramp there is nothing to say in a schedule.
        let bare = "[[step]]\nduration = \"1m\"\nload = \"50 %\"\n[[step]]\nduration = \"1m\"\nload = \"100 %\"\nshape = \"linear\"";
        let profile = with_steps(bare, "").unwrap();
        assert_eq!(profile.steps[1].from_percent, Some(50.0));
        let bandwidth = STEPS.replace("8000 iops", "40MiB/s");
        let profile = with_steps(&bandwidth, "rate = \"10000 iops\"").unwrap();
        assert_eq!(profile.steps[1].load_percent, 51.2);
    }

    #[test]
    fn a_step_that_has_no_meaning_is_refused_with_its_place() {
        let check = |from: &str, to: &str, rate: &str, message: &str| {
            assert!(STEPS.contains(from), "{from}");
            let told = with_steps(&STEPS.replace(from, to), rate).unwrap_err().to_string();
            assert!(told.starts_with("line ") && told.contains(message), "{to}: {told}");
        };
        let rate = "rate = \"10000 iops\"";
        check(
            "25 %",
            "25",
            rate,
            "line 9, column 8: `load`: `25` is not a share of the full load, such as 75%",
        );
        check("25 %", "0 %", rate, "more than 0 and at most 1000");
        check("load = \"25 %\"", "", rate, "line 7, column 1: a step needs its `load`");
        check(
            "load = \"25 %\"",
            "load = \"25 %\"\nrate = \"1 iops\"",
            rate,
            "a `load` or a `rate`, not both",
        );
        check("load", "lode", rate, "unknown key `lode`");
        check("\"2m\"", "\"10ms\"", rate, "`duration` of a step is a second or more");
        check("ramp = \"5s\"", "duration = \"5m\"", rate, "`duration` follows from the steps: leave it out");
        check("\"peak\"", "\" a\"", rate, "`name` is one line of 1 to 16 letters");
        check("8000 iops", "200000 iops", rate, "step 2: 2000 % is beyond 1000 %");
        check(
            "8000 iops",
            "8000 iops",
            "",
            "step 2: a `rate` needs a profile whose jobs have rates, and `pages` has none",
        );
        let unjudged =
            STEPS.replace("\"2m\"", "\"2m\"\njudged = false").replace("\"3m\"", "\"3m\"\njudged = false");
        let told = with_steps(&unjudged, rate).unwrap_err().to_string();
        assert!(told.contains("no step is judged"), "{told}");
        check("\"2m\"", "\"2m\"\nshape = \"steep\"", rate, "`shape` must be one of constant, linear");
    }

    #[test]
    fn garbage_is_refused_without_a_panic() {
        for text in
            ["", "\0", "[[job]]", "format = 1\njob = 3\nquick = []\nschedule = \"x\"", "[[[", "a.b.c = {"]
        {
            assert!(Profile::parse(text).is_err(), "{text}");
        }
    }
}
