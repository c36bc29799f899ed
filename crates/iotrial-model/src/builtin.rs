//! The profiles that come with iotrial. Each is a file of its own in `profiles/`, with its reasons in it;
//! `docs/profiles.md` says what the keys mean.

use crate::content::falsely_named;
use crate::toml_reader::nearest;

/// A profile that is part of the program, as its text.
///
/// It is kept as text because the text is what is shown, exported and recorded. That every one of them
/// parses is a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinProfile {
    /// What the command line takes, and the name in the text.
    pub name: &'static str,
    /// The file, word for word.
    pub text: &'static str,
}

/// No profile of that name is built in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no built-in profile `{name}`")]
pub struct UnknownProfile {
    /// The name that was asked for.
    pub name: String,
    /// The name that was probably meant.
    pub nearest: Option<&'static str>,
    /// Further names that begin with what was asked for, or are that load of another database.
    pub others: Vec<&'static str>,
}

macro_rules! profile {
    ($name:literal) => {
        BuiltinProfile { name: $name, text: include_str!(concat!("../profiles/", $name, ".toml")) }
    };
}

const PROFILES: &[BuiltinProfile] = &[
    profile!("sqlserver-oltp"),
    profile!("sqlserver-checkpoint"),
    profile!("sqlserver-log"),
    profile!("sqlserver-commit"),
    profile!("sqlserver-dss"),
    profile!("sqlserver-oci-published"),
    profile!("tpce-profile"),
    profile!("tpce-read-heavy"),
    profile!("oracle-oltp"),
    profile!("oracle-archivelog"),
    profile!("oracle-slob-random"),
    profile!("oracle-slob-scan"),
    profile!("postgresql-oltp"),
    profile!("postgresql-commit"),
    profile!("mysql-oltp"),
    profile!("mongodb-oltp"),
    profile!("mongodb-checkpoint"),
    profile!("etcd"),
    profile!("kafka"),
    profile!("kafka-flush"),
    profile!("backup-restore"),
    profile!("oci-64k-randread"),
    profile!("oci-64k-randwrite"),
    profile!("oci-64k-read"),
    profile!("oci-64k-write"),
    profile!("oci-64k-randrw"),
    profile!("oci-64k-rw"),
];

/// All of them, in the order in which lists show them.
pub fn builtin_profiles() -> &'static [BuiltinProfile] {
    PROFILES
}

/// The one with that name.
///
/// # Errors
///
/// When there is none, with the name that was probably meant.
pub fn builtin_profile(name: &str) -> Result<BuiltinProfile, UnknownProfile> {
    PROFILES.iter().find(|profile| profile.name == name).copied().ok_or_else(|| {
        // Whoever types the name of a database means its main load, which is the first in the list: by the letters that differ
        // another one may be nearer.
        let begun = names().filter(|known| !name.is_empty() && known.starts_with(name));
        // `oltp` is a part of several names, and nearer to none of them by its letters.
        let ending = names().filter(|known| known.split_once('-').is_some_and(|(_, load)| load == name));
        let mut meant = begun.chain(ending);
        let nearest = meant.next().or_else(|| nearest(name, names()));
        UnknownProfile { name: name.to_owned(), nearest, others: meant.collect() }
    })
}

/// The name of the built-in profile that a text claims to be and is not ([`falsely_named`]).
pub fn falsely_named_profile(name: &str, text: &str) -> Option<&'static str> {
    falsely_named(name, text, PROFILES.iter().map(|profile| (profile.name, profile.text)))
}

fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use super::*;
    use crate::load::{Durability, LogTail, Role};
    use crate::profile::Profile;
    use crate::units::ByteSize;

    fn parsed(name: &str) -> Profile {
        let builtin = builtin_profile(name).unwrap();
        Profile::parse(builtin.text).unwrap_or_else(|mistakes| panic!("{name}:\n{mistakes}"))
    }

    #[test]
    fn every_profile_is_valid_and_says_why_it_is_as_it_is_and_where_it_comes_from() {
        for builtin in builtin_profiles() {
            let profile = parsed(builtin.name);
            assert_eq!(profile.name, builtin.name);
            assert!(!profile.rationale.is_empty() && !profile.source.is_empty(), "{}", builtin.name);
            assert!(builtin.text.starts_with("# "), "{} does not open with its reasons", builtin.name);
        }
    }

    #[test]
    fn names_are_unique_and_every_file_in_the_folder_is_built_in() {
        let names: BTreeSet<String> = names().map(str::to_owned).collect();
        assert_eq!(names.len(), PROFILES.len());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, files);
    }

    #[test]
    fn quick_is_shorter_and_smaller() {
        for builtin in builtin_profiles() {
            let profile = parsed(builtin.name);
            assert_eq!(profile.quick.size, ByteSize::gib(2), "{}", builtin.name);
            // A load that is built up needs no ramp before it.
            let (ramp_s, measure_s) = if profile.steps.is_empty() { (5, 30) } else { (0, 50) };
            assert_eq!(profile.quick.schedule.ramp, Duration::from_secs(ramp_s), "{}", builtin.name);
            // Bursts are measured in whole periods, and the shortest is one.
            let periods = profile.jobs.iter().filter_map(|job| job.bursts).map(|bursts| bursts.period);
            let measure = periods.max().unwrap_or(Duration::from_secs(measure_s));
            assert_eq!(profile.quick.schedule.measure, measure, "{}", builtin.name);
            assert!(profile.full_size() > profile.quick.size, "{}", builtin.name);
            assert!(profile.schedule.measure > profile.quick.schedule.measure, "{}", builtin.name);
        }
    }

    #[test]
    fn a_log_is_durable_wherever_no_published_command_says_otherwise() {
        for builtin in builtin_profiles().iter().filter(|builtin| builtin.name != "sqlserver-oci-published") {
            let profile = parsed(builtin.name);
            for job in profile.jobs.iter().filter(|job| job.role == Role::Log && job.rwmix_read_percent < 100)
            {
                assert_ne!(job.durability, Durability::None, "{}: {}", builtin.name, job.name);
            }
        }
    }

    #[test]
    fn sql_server_writes_its_log_through_in_sectors_up_to_60_kib_and_its_data_files_too() {
        for name in ["sqlserver-oltp", "sqlserver-checkpoint", "sqlserver-commit", "tpce-profile"] {
            let profile = parsed(name);
            let log = profile.jobs.iter().find(|job| job.name == "sql-log").unwrap();
            let group = log.group_commit.unwrap();
            assert_eq!(
                (log.durability, log.block_size.unit()),
                (Durability::Dsync, ByteSize::bytes(512)),
                "{name}"
            );
            assert_eq!((group.largest_write, group.tail), (ByteSize::kib(60), LogTail::Pad), "{name}");
            for job in profile.jobs.iter().filter(|job| job.name == "checkpoint") {
                assert_eq!(job.durability, Durability::Dsync, "{name}");
            }
        }
        let readers = parsed("sqlserver-checkpoint").jobs.into_iter().filter(|job| job.name == "log-reader");
        assert_eq!(readers.map(|job| job.largest_io()).collect::<Vec<_>>(), [ByteSize::kib(120)]);
    }

    /// How a log becomes durable there: PostgreSQL's default on Linux, InnoDB, WiredTiger and etcd write and then sync.
    #[test]
    fn logs_are_synced_as_the_database_syncs_them() {
        let check = |name: &str, durability: Durability| {
            let profile = parsed(name);
            let mut logs = profile.jobs.iter().filter(|job| job.role == Role::Log).peekable();
            assert!(logs.peek().is_some() && logs.all(|job| job.durability == durability), "{name}");
        };
        for name in [
            "postgresql-oltp",
            "postgresql-commit",
            "mysql-oltp",
            "mongodb-oltp",
            "mongodb-checkpoint",
            "etcd",
            "kafka-flush",
        ] {
            check(name, Durability::Fdatasync);
        }
        for name in ["sqlserver-oltp", "sqlserver-log", "sqlserver-commit", "oracle-oltp", "tpce-profile"] {
            check(name, Durability::Dsync);
        }
    }

    #[test]
    fn what_is_called_oltp_has_no_rate_of_its_own_so_that_a_search_can_scale_it() {
        let searched = |name: &str| name.ends_with("-oltp") || name == "tpce-profile";
        for builtin in builtin_profiles().iter().filter(|builtin| searched(builtin.name)) {
            let profile = parsed(builtin.name);
            assert!(profile.jobs.iter().all(|job| job.rate.is_none()), "{}", builtin.name);
        }
    }

    #[test]
    fn the_tpce_profile_is_built_up_for_ten_minutes_and_judged_at_its_peak_of_forty() {
        let profile = parsed("tpce-profile");
        let [build_up, peak] = &profile.steps[..] else { panic!("{:?}", profile.steps) };
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!((build_up.duration, peak.duration), (minutes(10), minutes(40)));
        assert_eq!((build_up.first_share(), build_up.last_share(), build_up.judged), (0.0, 1.0, false));
        assert_eq!((peak.load_in_words().as_str(), peak.judged), ("100 %", true));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_one() {
        let error = builtin_profile("sqlserver-oltpp").unwrap_err();
        assert_eq!(error.nearest, Some("sqlserver-oltp"));
        assert_eq!(error.to_string(), "there is no built-in profile `sqlserver-oltpp`");
        assert_eq!(builtin_profile("xyz").unwrap_err().nearest, None);
        let error = builtin_profile("oltp").unwrap_err();
        assert_eq!(error.nearest, Some("sqlserver-oltp"));
        assert_eq!(error.others, ["oracle-oltp", "postgresql-oltp", "mysql-oltp", "mongodb-oltp"]);
    }

    /// Where the data to check against lies; `None`, with a message, where it is missing.
    fn shared(path: &str) -> Option<PathBuf> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = std::env::var_os("IOTRIAL_SHARED").map_or(workspace.join("../shared"), PathBuf::from);
        let file = folder.join(path);
        if !file.exists() {
            eprintln!("skipped: {} is missing; IOTRIAL_SHARED names its folder", file.display());
            return None;
        }
        Some(file)
    }

    #[test]
    fn the_published_mix_has_exactly_the_jobs_of_the_published_command() {
        let Some(file) = shared("data/published/oci-sqlserver-fio.toml") else { return };
        let published: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let published: Vec<String> = published["job"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| {
                let text = |key: &str| job[key].as_str().unwrap();
                let integer = |key: &str| job[key].as_integer().unwrap();
                format!(
                    "{} {} {} {} % of {} B, {} x {}, {} GiB",
                    text("name"),
                    text("role"),
                    text("pattern"),
                    integer("read_percent"),
                    integer("block_size_bytes"),
                    integer("numjobs"),
                    integer("iodepth"),
                    integer("size_gib")
                )
            })
            .collect();
        let profile = parsed("sqlserver-oci-published");
        let ours: Vec<String> = profile
            .jobs
            .iter()
            .map(|job| {
                format!(
                    "{} {} {} {} % of {} B, {} x {}, {} GiB",
                    job.name,
                    job.role,
                    job.pattern,
                    job.rwmix_read_percent,
                    job.block_size.unit().get(),
                    job.numjobs,
                    job.iodepth,
                    job.size.get() / ByteSize::GIB.get()
                )
            })
            .collect();
        assert_eq!(ours, published);
    }

    #[test]
    fn the_published_mix_keeps_176_in_flight_for_300_seconds_and_is_judged_by_its_own_table() {
        let profile = parsed("sqlserver-oci-published");
        assert_eq!(profile.thresholds, "oci-sqlserver");
        assert_eq!(profile.total_iodepth(), 176);
        assert_eq!(profile.full_size(), ByteSize::gib(160));
        assert_eq!(profile.schedule.measure, Duration::from_secs(300));
        assert!(profile.jobs.iter().all(|job| job.durability == Durability::None));
    }

    #[test]
    fn the_six_64_kib_profiles_are_the_six_patterns_of_the_published_table() {
        let Some(file) = shared("data/published/oci-windows-throughput.toml") else { return };
        let published: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let published: BTreeSet<String> = published["row"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let load = row["load"].as_table().unwrap();
                format!("{} {} {}", load["pattern"], load["read_percent"], load["block_size_bytes"])
            })
            .collect();
        let ours = builtin_profiles().iter().filter(|builtin| builtin.name.starts_with("oci-64k-"));
        let ours: Vec<String> = ours
            .map(|builtin| {
                let profile = parsed(builtin.name);
                let job = &profile.jobs[0];
                assert_eq!((profile.jobs.len(), job.size), (1, ByteSize::bytes(5_000_000_000)));
                let block = job.block_size.unit().get();
                format!("\"{}\" {} {block}", job.pattern, job.rwmix_read_percent)
            })
            .collect();
        assert_eq!(ours.len(), 6);
        assert_eq!(ours.into_iter().collect::<BTreeSet<_>>(), published);
    }
}
