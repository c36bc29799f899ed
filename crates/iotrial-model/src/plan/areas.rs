//! The files and slices that the jobs of a plan work on.

use super::size;
use super::{Area, AreaKind, Arrival, FILE_HEADER_SIZE, Job, PlanError, STRIPE_UNIT};
use crate::profile::{JobProfile, Profile};
use crate::target::{TargetFacts, TargetKind};
use crate::units::ByteSize;

/// The areas handed out so far, and how far each given file or device is used.
pub(super) struct Areas<'t> {
    profile: &'t Profile,
    /// Of all files together.
    size: ByteSize,
    targets: &'t [TargetFacts],
    used: Vec<ByteSize>,
    pub(super) areas: Vec<Area>,
}

impl<'t> Areas<'t> {
    pub(super) fn new(profile: &'t Profile, size: ByteSize, targets: &'t [TargetFacts]) -> Self {
        Self { profile, size, targets, used: vec![ByteSize::default(); targets.len()], areas: Vec::new() }
    }

    /// Finds room for the job at `position`.
    pub(super) fn place(&mut self, position: usize) -> Result<Job, PlanError> {
        let job = &self.profile.jobs[position];
        let spread = size::spread(self.profile, position, self.targets);
        let share = size::share_per_file(self.profile, position, self.targets);
        let is_striped = size::is_striped(self.profile, position, self.targets);
        let least = size::least_length(job, spread.len(), is_striped);
        let first_area = self.areas.len();
        for target in &spread {
            self.take(job, *target, size::scale(self.size, share), least)?;
        }
        // The shortest, because all copies of a job touch the same number of bytes, whichever area they work
        // on.
        let shortest = self.areas[first_area..].iter().map(|area| area.length).min().unwrap_or_default();
        // Divided first: a percentage of a large device times its bytes would overflow. The loss of less than
        // 100 bytes disappears in the rounding to blocks.
        let touched = ByteSize::bytes(shortest.get() / 100 * u64::from(job.working_set_percent));
        Ok(Job {
            name: job.name.clone(),
            role: job.role,
            pattern: job.pattern,
            rwmix_read_percent: job.rwmix_read_percent,
            distribution: job.distribution,
            block_size: job.block_size.clone(),
            iodepth: job.iodepth,
            numjobs: match u32::try_from(spread.len()) {
                Ok(files) if job.is_per_target => job.numjobs.saturating_mul(files),
                _ => job.numjobs,
            },
            arrival: Arrival::of_job(self.profile, position),
            durability: job.durability,
            flush_every: job.flush_every,
            group_commit: job.group_commit,
            areas: (first_area..self.areas.len()).collect(),
            stripe_unit: is_striped.then_some(STRIPE_UNIT),
            working_set: touched.max(least).round_down_to(job.block_size.unit()),
        })
    }

    /// Takes up to `wanted` bytes, header included, of a target, and at least `least` of data.
    fn take(
        &mut self,
        job: &JobProfile,
        index: usize,
        wanted: ByteSize,
        least: ByteSize,
    ) -> Result<(), PlanError> {
        let target = &self.targets[index];
        // Every size of a mix has to fit the sectors, not only the one that offsets are aligned to.
        let sizes =
            std::iter::once(job.block_size.unit()).chain(job.block_size.shares().iter().map(|one| one.size));
        if let Some(misfit) =
            sizes.into_iter().find(|one| !one.get().is_multiple_of(target.sector_size.get()))
        {
            return Err(PlanError::Misaligned {
                job: job.name.clone(),
                block_size: misfit,
                sector_size: target.sector_size,
                path: target.path.clone(),
            });
        }
        let used = self.used[index];
        // A file or a device is shared by all jobs, so each one gets at most what those before it have left.
        let left_of = |whole: ByteSize| ByteSize::bytes(whole.get().saturating_sub(used.get())).min(wanted);
        let (kind, offset, length) = match &target.kind {
            TargetKind::Directory(_) => {
                // What is asked is the file, header included: sizes of all files together add up to what was
                // asked.
                let length = wanted.get().saturating_sub(FILE_HEADER_SIZE.get());
                (AreaKind::ManagedFile, FILE_HEADER_SIZE, ByteSize::bytes(length))
            }
            TargetKind::File { data_size } => {
                (AreaKind::GivenFile, FILE_HEADER_SIZE + used, left_of(*data_size))
            }
            TargetKind::Imagined => (AreaKind::Imagined, used, wanted),
            TargetKind::Device { size, destroy } => {
                // Decided here and not in the engine: without the release no plan can exist that writes to a
                // device.
                if job.rwmix_read_percent < 100 && !destroy {
                    return Err(PlanError::DeviceNotReleased {
                        job: job.name.clone(),
                        path: target.path.clone(),
                    });
                }
                let kind = if *destroy { AreaKind::DeviceDestroy } else { AreaKind::DeviceRead };
                (kind, used, left_of(*size))
            }
        };
        let length = length.round_down_to(job.block_size.unit());
        if length < least {
            return Err(PlanError::SizeTooSmall {
                job: job.name.clone(),
                size: self.size,
                given: length,
                least_size: size::least_size(self.profile, self.targets),
            });
        }
        // Every slice begins on a whole mebibyte, as every file does: no block straddles a stripe or a flash
        // page.
        self.used[index] = (used + length).round_up_to(ByteSize::MIB);
        let path = match kind {
            AreaKind::ManagedFile => target.path.join(size::file_name(&job.name)),
            _ => target.path.clone(),
        };
        self.areas.push(Area { path, kind, offset, length, sector_size: target.sector_size });
        Ok(())
    }
}
