//! A profile that lays files out and of which no load is made: what a sweep puts its probes on.

use std::time::Duration;

use super::{JobProfile, PROFILE_FORMAT, Profile, Quick, Schedule};
use crate::load::{BlockSizes, Distribution, Durability, Pattern, Role, Spacing};
use crate::units::ByteSize;

/// What files are wanted.
#[derive(Debug, Clone, Copy)]
pub struct LayoutRequest<'r> {
    /// Name of the profile.
    pub name: &'r str,
    /// One line for headings.
    pub title: &'r str,
    /// All files together.
    pub size: ByteSize,
    /// Number of files, dealt out to the targets; at least one.
    pub file_count: u32,
    /// The largest block that will be read or written: each file holds at least one.
    pub block_size: ByteSize,
    /// Whether anything will be written, which raw devices have to be released for.
    pub writes: bool,
    /// At most how long the load on the files lasts, in whole seconds.
    pub duration: Duration,
}

impl Profile {
    /// One job with a copy for each file, the same in its quick and its full form.
    ///
    /// Its text is the file that says the same. It is in the journal of a command that is killed while it lays files out, and
    /// whoever reads that has a profile to look at.
    pub fn for_layout(request: &LayoutRequest<'_>) -> Self {
        let LayoutRequest { name, title, size, file_count, block_size, writes, duration } = *request;
        let rwmix_read_percent = if writes { 0 } else { 100 };
        let measure = Duration::from_secs(duration.as_secs().max(1));
        let schedule = Schedule { precondition: Duration::ZERO, ramp: Duration::ZERO, measure };
        let (seconds, bytes, block) = (measure.as_secs(), size.get(), block_size.get());
        let text = format!(
            "format = \"{PROFILE_FORMAT}\"\nname = \"{name}\"\ntitle = \"{title}\"\n\
             schedule = {{ duration = \"{seconds}s\" }}\nquick = {{ size = \"{bytes}B\", duration = \"{seconds}s\" }}\n\
             [[job]]\nname = \"volume\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = {rwmix_read_percent}\n\
             block_size = \"{block}B\"\nnumjobs = {file_count}\niodepth = 1\nsize = \"{bytes}B\"\n"
        );
        let job = JobProfile {
            name: "volume".to_owned(),
            role: Role::Data,
            pattern: Pattern::Random,
            distribution: Distribution::Uniform,
            rwmix_read_percent,
            block_size: BlockSizes::one(block_size),
            iodepth: 1,
            numjobs: file_count,
            is_per_target: false,
            size,
            working_set_percent: 100,
            durability: Durability::None,
            flush_every: 1,
            rate: None,
            spacing: Spacing::Poisson,
            bursts: None,
            follow: None,
            group_commit: None,
        };
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            rationale: String::new(),
            source: String::new(),
            thresholds: "flash".to_owned(),
            closed: false,
            saturates: false,
            schedule,
            quick: Quick { size, schedule },
            steps: Vec::new(),
            jobs: vec![job],
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_text_says_what_it_is() {
        for (file_count, writes) in [(1, true), (3, false)] {
            let profile = Profile::for_layout(&LayoutRequest {
                name: "sweep",
                title: "One pattern after the other, each at several loads",
                size: ByteSize::gib(3),
                file_count,
                block_size: ByteSize::kib(512),
                writes,
                duration: Duration::from_millis(90_700),
            });
            assert_eq!(Profile::parse(&profile.text).unwrap(), profile);
        }
    }
}
