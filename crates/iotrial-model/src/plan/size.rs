//! How large all files together may be, and what each job's file gets of that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{FILE_HEADER_SIZE, LEAST_TIMES_ARRAY_CACHE, PlanError, PlanRequest};
use crate::load::{Pattern, Role};
use crate::profile::{JobProfile, Profile};
use crate::target::{FreeSpace, LEAST_FREE, NoSpace, TargetFacts, TargetKind};
use crate::units::ByteSize;

/// Smaller files are not worth measuring: a size that nobody asked for does not shrink below this.
// A choice: less than that fits into the cache of many drives.
const LEAST_SHRUNK: ByteSize = ByteSize::mib(64);

/// A place with limited room, and the share of all bytes that it gets.
struct Room<'t> {
    path: &'t Path,
    share: f64,
    holds: Holds,
}

/// How much a place holds.
enum Holds {
    /// A file or a device: so much.
    Bytes(ByteSize),
    /// A file system, of which a part must stay free. Files of earlier runs under the names of the plan lie there.
    FileSystem(FreeSpace, Vec<KeptFile>),
}

/// A file of an earlier run that has the name of one of the plan.
#[derive(Clone, Copy)]
struct KeptFile {
    /// What the file of the plan gets of all bytes.
    share: f64,
    /// What removing it gives back.
    size: ByteSize,
}

/// What files need in a place, and what they may use there.
struct Demand {
    needed: ByteSize,
    usable: ByteSize,
    /// The share of all bytes that is needed.
    share: f64,
}

impl Room<'_> {
    /// What the files that are made need, where all files together have `size`.
    ///
    /// A kept file that is large enough is used as it is: it needs nothing, and gives nothing back, however much larger it is than what is
    /// asked of it. Any other is removed first.
    fn demand(&self, size: ByteSize) -> Demand {
        let (share, usable) = match &self.holds {
            Holds::Bytes(usable) => (self.share, *usable),
            Holds::FileSystem(space, kept) => {
                let (used, removed): (Vec<_>, Vec<_>) =
                    kept.iter().copied().partition(|kept| kept.size >= scale(size, kept.share));
                let share = self.share - used.iter().map(|kept| kept.share).sum::<f64>();
                // Sums of shares are off in their last bits.
                let share = if share < 1e-9 { 0.0 } else { share };
                (share, space.usable_with(removed.iter().map(|kept| kept.size).sum()))
            }
        };
        Demand { needed: scale(size, share), usable, share }
    }

    /// The largest size of all files up to `wanted` with which those in this place fit.
    fn largest(&self, wanted: ByteSize) -> ByteSize {
        let mut size = wanted;
        // Smaller files may be found among those that were kept, which then give nothing back: asked again until that is settled.
        loop {
            let Demand { needed, usable, share } = self.demand(size);
            if needed <= usable {
                return size;
            }
            size = scale(usable, 1.0 / share).min(ByteSize::bytes(size.get().saturating_sub(1)));
        }
    }
}

/// The size of all files: as asked, or the profile's, shrunk to what the targets take.
pub(super) fn decide(
    profile: &Profile,
    request: &PlanRequest,
    targets: &[TargetFacts],
    notes: &mut Vec<String>,
) -> Result<ByteSize, PlanError> {
    let usual = if request.full { profile.full_size() } else { profile.quick.size };
    let beyond_cache = request.array_cache.map_or(ByteSize::default(), |cache| beyond_cache(profile, cache));
    let wanted = request.size.unwrap_or(usual.max(beyond_cache));
    let mut size = wanted;
    for room in rooms(profile, targets) {
        // The share is of the wanted size, not of one that an earlier place has shrunk: otherwise the order
        // of targets would change the message.
        let path = room.path.to_owned();
        let Demand { needed, usable, .. } = room.demand(wanted);
        if needed <= usable {
            continue;
        }
        let is_filesystem = matches!(room.holds, Holds::FileSystem(..));
        let largest = room.largest(wanted);
        // A profile that needs less than 64 MiB may still shrink to what it needs.
        let least = LEAST_SHRUNK.min(least_size(profile, targets));
        // A size that the user gave is not shrunk: figures of another size are the answer to another
        // question.
        if request.size.is_some() || (is_filesystem && scale(largest, room.share) < least) {
            return Err(if is_filesystem {
                PlanError::NoSpace(NoSpace { path, needed, usable })
            } else {
                PlanError::BeyondEnd { path, needed, usable }
            });
        }
        size = size.min(largest);
        let path = path.display();
        notes.push(if is_filesystem {
            format!("all files together are {size} instead of {wanted}, so that {LEAST_FREE} and 10 % of `{path}` stay free")
        } else {
            format!("{size} in all are used instead of {wanted}, because `{path}` holds {usable}")
        });
    }
    Ok(size)
}

/// Each file system once, each given file and each device.
fn rooms<'t>(profile: &Profile, targets: &'t [TargetFacts]) -> Vec<Room<'t>> {
    let mut filesystems: BTreeMap<u64, (&Path, f64, &FreeSpace, Vec<KeptFile>)> = BTreeMap::new();
    let mut rooms = Vec::new();
    for (place, (target, share)) in targets.iter().zip(target_shares(profile, targets)).enumerate() {
        let room = |usable| Room { path: &target.path, share, holds: Holds::Bytes(usable) };
        match &target.kind {
            // By file system and not by directory, because two directories of one file system share its
            // space.
            TargetKind::Directory(space) => {
                let new = || (target.path.as_path(), 0.0, space, Vec::new());
                let (_, shared, _, kept) = filesystems.entry(space.filesystem_id).or_insert_with(new);
                *shared += share;
                kept.extend(kept_files(profile, targets, place, space));
            }
            TargetKind::Imagined => {}
            TargetKind::File { data_size } => rooms.push(room(*data_size)),
            TargetKind::Device { size, .. } => rooms.push(room(*size)),
        }
    }
    rooms.retain(|room| room.share > 0.0);
    rooms.extend(filesystems.into_values().map(|(path, share, space, kept)| Room {
        path,
        share,
        holds: Holds::FileSystem(space.clone(), kept),
    }));
    rooms
}

/// The size of all files with which the parts that are touched are several times as large as a cache.
fn beyond_cache(profile: &Profile, cache: ByteSize) -> ByteSize {
    let bytes = |job: &JobProfile| job.size.get() as f64;
    let touched = |job: &JobProfile| bytes(job) * f64::from(job.working_set_percent) / 100.0;
    let share = profile.jobs.iter().map(touched).sum::<f64>() / profile.jobs.iter().map(bytes).sum::<f64>();
    let least = ByteSize::bytes(cache.get().saturating_mul(LEAST_TIMES_ARRAY_CACHE));
    // Headers and the rounding to blocks take some MiB of each file; a hundredth is more than that of any cache of an array.
    scale(least, 1.01 / share).round_up_to(ByteSize::MIB) + ByteSize::mib(16)
}

/// The files of earlier runs in a target whose names files of the plan have there. Those of another profile stay where they are.
fn kept_files(profile: &Profile, targets: &[TargetFacts], place: usize, space: &FreeSpace) -> Vec<KeptFile> {
    let mut kept = Vec::new();
    for (position, job) in profile.jobs.iter().enumerate() {
        let name = file_name(&job.name);
        let Some((_, size)) = space.kept.iter().find(|(kept, _)| *kept == name) else { continue };
        // A file that the plan puts elsewhere now stays here, and takes its room.
        if spread(profile, position, targets).contains(&place) {
            kept.push(KeptFile { share: share_per_file(profile, position, targets), size: *size });
        }
    }
    kept
}

/// The managed file of a job, in whatever directory it is.
pub(super) fn file_name(job: &str) -> String {
    format!("{job}.iotrial")
}

/// The share of all bytes that each target gets.
fn target_shares(profile: &Profile, targets: &[TargetFacts]) -> Vec<f64> {
    let mut shares = vec![0.0; targets.len()];
    for position in 0..profile.jobs.len() {
        for target in spread(profile, position, targets) {
            shares[target] += share_per_file(profile, position, targets);
        }
    }
    shares
}

/// The targets that get a file of the job at `position` in the profile; at least one where its role has one at all.
pub(super) fn spread(profile: &Profile, position: usize, targets: &[TargetFacts]) -> Vec<usize> {
    let job = &profile.jobs[position];
    let places = places_of(job.role, targets);
    // Data gets no more files than copies: a file that no copy works on would only take space.
    let file_count = match job.role {
        _ if job.is_per_target || is_striped(profile, position, targets) => places.len(),
        Role::Log => 1,
        _ => places.len().min(job.numjobs as usize),
    };
    // Each job begins with the next of the targets that it shares with others, so that the log and the data of a profile lie
    // apart where there are two.
    let is_there = |earlier: &&JobProfile| places_of(earlier.role, targets) == places;
    let before = profile.jobs[..position].iter().filter(is_there).count();
    (0..file_count.min(places.len())).map(|file| places[(before + file) % places.len()]).collect()
}

/// The targets that take a role.
fn places_of(role: Role, targets: &[TargetFacts]) -> Vec<usize> {
    let taking = targets.iter().enumerate().filter(|(_, target)| target.takes(role));
    taking.map(|(place, _)| place).collect()
}

/// Whether the job at `position` in the profile is a log that is written to several targets in turn, as to a disk group.
///
/// Whoever gives several targets to the role expects I/O on all of them. On targets that are for any role a log stays in one file, and
/// where there are as many logs as targets, each log has a target of its own.
pub(super) fn is_striped(profile: &Profile, position: usize, targets: &[TargetFacts]) -> bool {
    let job = &profile.jobs[position];
    if job.role != Role::Log || job.is_per_target {
        return false;
    }
    let places = places_of(Role::Log, targets);
    let log_count = profile.jobs.iter().filter(|job| job.role == Role::Log).count();
    log_count < places.len() && places.iter().all(|place| !targets[*place].roles.is_empty())
}

/// A target that was given to roles, and gets no file.
pub(super) fn without_a_file<'t>(profile: &Profile, targets: &'t [TargetFacts]) -> Option<&'t TargetFacts> {
    let used: BTreeSet<usize> =
        (0..profile.jobs.len()).flat_map(|position| spread(profile, position, targets)).collect();
    let left = targets.iter().enumerate().find(|(place, one)| !one.roles.is_empty() && !used.contains(place));
    left.map(|(_, target)| target)
}

/// What one file of the job at `position` gets of all bytes.
pub(super) fn share_per_file(profile: &Profile, position: usize, targets: &[TargetFacts]) -> f64 {
    let file_count = spread(profile, position, targets).len();
    // As a share, since all files shrink and grow in proportion, and the targets are known only now.
    profile.jobs[position].size.get() as f64 / profile.full_size().get() as f64 / file_count as f64
}

/// A share of a size, in whole pages.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a size, rounded down to a page afterwards"
)]
pub(super) fn scale(size: ByteSize, share: f64) -> ByteSize {
    // 4 KiB is a multiple of every sector that there is and of the usual page of a file system.
    ByteSize::bytes((size.get() as f64 * share) as u64).round_down_to(ByteSize::kib(4))
}

/// What one file of the job must hold: one block for each copy that has a part of its own in it.
pub(super) fn least_length(job: &JobProfile, file_count: usize, is_striped: bool) -> ByteSize {
    let copies = match job.pattern {
        // Each copy of a sequential job has a part of its own, and an empty part would have no block to begin
        // with.
        Pattern::Sequential if job.is_per_target || is_striped => u64::from(job.numjobs),
        Pattern::Sequential => u64::from(job.numjobs).div_ceil(file_count as u64),
        Pattern::Random => 1,
    };
    job.largest_io() * copies
}

/// The smallest size of all files that gives every file its header and what it must hold, in whole MiB.
pub(super) fn least_size(profile: &Profile, targets: &[TargetFacts]) -> ByteSize {
    let least = profile.jobs.iter().enumerate().map(|(position, job)| {
        let file_count = spread(profile, position, targets).len();
        // A block more than is needed, because every file is rounded down to whole blocks.
        let is_striped = is_striped(profile, position, targets);
        let file = least_length(job, file_count, is_striped) + FILE_HEADER_SIZE + job.largest_io();
        scale(file, 1.0 / share_per_file(profile, position, targets))
    });
    // Rounded up by a whole MiB, because this is what the message tells people to type.
    least.max().unwrap_or_default().round_down_to(ByteSize::MIB) + ByteSize::MIB
}
