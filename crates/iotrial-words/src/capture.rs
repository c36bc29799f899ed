//! What is said of a captured load, and the profile of it as text.

use iotrial_model::block_trace::{CaptureRemark, CapturedJob, IoClass, TraceFacts, TraceSource};
use iotrial_model::load::{BlockShare, BlockSizes, Durability, Pattern, Role};
use iotrial_model::profile::PROFILE_FORMAT;
use iotrial_model::units::ByteSize;

use crate::numbers::{count_with_thousands, with_decimals};

/// A remark as a sentence.
pub fn remark(remark: CaptureRemark, facts: &TraceFacts) -> String {
    match remark {
        CaptureRemark::LostEvents => format!(
            "The kernel's buffer lost {} events: rates and sequences are too low. Trace fewer devices with --target.",
            count_with_thousands(facts.lost_count)
        ),
        CaptureRemark::FewIos => {
            "There are fewer than 1,000 I/Os: capture for longer, while the load runs.".to_owned()
        }
        CaptureRemark::NoSyncs => {
            "No sync reached the device: nothing asked for one, or the device has no volatile cache to flush."
                .to_owned()
        }
        CaptureRemark::NoCompletions => {
            "The trace has no completions: latencies and outstanding I/Os are unknown.".to_owned()
        }
    }
}

/// What a job of a class is called in a profile.
const fn job_name(class: IoClass, is_log: bool) -> &'static str {
    match class {
        IoClass::RandomReads => "reads",
        IoClass::SequentialReads => "scan",
        IoClass::RandomWrites => "page-writes",
        IoClass::SmallSequentialWrites if is_log => "log",
        IoClass::SmallSequentialWrites => "small-writes",
        IoClass::LargeSequentialWrites => "large-writes",
    }
}

/// A profile that makes the captured load again. `name` is a name that a profile may have; `seconds` is how long it was traced.
pub fn profile_text(name: &str, facts: &TraceFacts, seconds: f64, jobs: &[CapturedJob]) -> String {
    let place = facts.host.as_ref().map_or_else(String::new, |host| format!(" on {}", in_toml(host)));
    let devices = in_toml(&facts.devices.join(", "));
    let sum = jobs.iter().map(|job| job.size.get()).sum::<u64>();
    let quick = ByteSize::bytes((sum / 10).next_multiple_of(1 << 30));
    let by = if facts.source == TraceSource::Live { "iotrial" } else { facts.source.as_str() };
    let source = format!("Captured{place} from {devices}, {} s, traced by {by}", with_decimals(seconds, 1));
    let mut text = format!(
        "# {source}. Sizes are what was touched meanwhile: give those of your files.\n\
         # The rates make an open load. Without `rate`, a job goes as fast as `iodepth` and the storage allow.\n\
         format = \"{PROFILE_FORMAT}\"\n\
         name = \"{name}\"\n\
         title = \"Captured load\"\n\
         rationale = \"Sizes, directions, sequences, rates and syncs of a block trace; arrivals are even, bursts are not made again.\"\n\
         source = \"{source}\"\n\n\
         [schedule]\nramp = \"30s\"\nduration = \"300s\"\n\n\
         [quick]\nsize = \"{}\"\nramp = \"5s\"\nduration = \"30s\"\n",
        exact(quick),
    );
    jobs.iter().for_each(|job| text.push_str(&job_text(job)));
    text
}

fn job_text(job: &CapturedJob) -> String {
    let is_log = job.role == Role::Log;
    let pattern = if job.pattern == Pattern::Random { "random" } else { "sequential" };
    let mut text = format!(
        "\n[[job]]\nname = \"{}\"\nrole = \"{}\"\npattern = \"{pattern}\"\n",
        job_name(job.class, is_log),
        job.role.as_str(),
    );
    if let Some((ios, space)) = job.hot_spot {
        text.push_str(&format!(
            "distribution = \"hotspot\"\nhot_io_percent = {ios}\nhot_space_percent = {space}\n"
        ));
    }
    text.push_str(&format!("rwmix_read_percent = {}\n", if job.class.is_read() { 100 } else { 0 }));
    text.push_str(&sizes(&job.block_sizes));
    text.push_str(&format!(
        "iodepth = {}\nsize = \"{}\"\nrate = \"{} iops\"\n",
        job.iodepth,
        exact(job.size),
        with_plain_decimals(job.iops)
    ));
    let durability = match job.durability {
        Durability::None => return text,
        Durability::Dsync => "dsync",
        Durability::Fdatasync => "fdatasync",
    };
    text.push_str(&format!("durability = \"{durability}\"\n"));
    if job.flush_every > 1 {
        text.push_str(&format!("flush_every = {}\n", job.flush_every));
    }
    text
}

fn sizes(sizes: &BlockSizes) -> String {
    if sizes.shares().is_empty() {
        return format!("block_size = \"{}\"\n", exact(sizes.unit()));
    }
    let share = |one: &BlockShare| format!("{{ size = \"{}\", weight = {} }}", exact(one.size), one.weight);
    let shares: Vec<String> = sizes.shares().iter().map(share).collect();
    format!("block_sizes = [{}]\n", shares.join(", "))
}

/// A size without rounding.
fn exact(size: ByteSize) -> String {
    let units = [("GiB", 1 << 30), ("KiB", 1 << 10)];
    let unit = units.into_iter().find(|(_, unit)| size.get() > 0 && size.get().is_multiple_of(*unit));
    unit.map_or_else(|| format!("{}B", size.get()), |(name, unit)| format!("{}{name}", size.get() / unit))
}

/// Without separators, which TOML would take for text of another kind.
fn with_plain_decimals(rate: f64) -> String {
    format!("{:.2}", rate.max(0.01))
}

/// A stranger's text within a string or a comment of TOML.
fn in_toml(text: &str) -> String {
    text.chars().filter(|one| !one.is_control() && !matches!(one, '"' | '\\')).take(200).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::profile::Profile;
    use iotrial_model::units::Rate;

    use super::*;

    #[test]
    fn the_text_of_a_captured_load_is_a_profile_with_the_same_jobs() {
        let reads = CapturedJob {
            class: IoClass::RandomReads,
            role: Role::Data,
            pattern: Pattern::Random,
            block_sizes: BlockSizes::mix(vec![
                BlockShare { size: ByteSize::kib(8), weight: 90 },
                BlockShare { size: ByteSize::kib(64), weight: 10 },
            ])
            .unwrap(),
            iops: 12_345.678,
            iodepth: 32,
            size: ByteSize::gib(40),
            hot_spot: Some((80, 20)),
            durability: Durability::None,
            flush_every: 1,
        };
        let log = CapturedJob {
            class: IoClass::SmallSequentialWrites,
            role: Role::Log,
            pattern: Pattern::Sequential,
            block_sizes: BlockSizes::one(ByteSize::bytes(1_536)),
            hot_spot: None,
            durability: Durability::Fdatasync,
            flush_every: 2,
            iodepth: 1,
            ..reads.clone()
        };
        let facts = TraceFacts {
            source: TraceSource::Live,
            host: Some("a\"b\n".to_owned()),
            devices: vec!["8,0".to_owned()],
            traced_s: None,
            lost_count: 0,
            other_line_count: 0,
            cost: None,
        };
        let text = profile_text("captured", &facts, 60.0, &[reads.clone(), log]);
        let profile = Profile::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
        let [read, log] = &profile.jobs[..] else { panic!("{text}") };
        assert_eq!((&read.block_size, read.rate), (&reads.block_sizes, Some(Rate::Iops(12_345.68))));
        assert_eq!((log.role, log.durability, log.flush_every), (Role::Log, Durability::Fdatasync, 2));
        assert_eq!(log.block_size, BlockSizes::one(ByteSize::bytes(1_536)));
    }
}
