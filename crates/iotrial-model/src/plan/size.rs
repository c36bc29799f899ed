//! How large all files together may be, and what each job's file gets of that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{FILE_HEADER_SIZE, PlanError, PlanRequest};
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
    usable: ByteSize,
    /// Whether it is a file system, of which a part must stay free.
    is_filesystem: bool,
}

/// The size of all files: as asked, or the profile's, shrunk to what the targets take.
pub(super) fn decide(
    profile: &Profile,
    request: &PlanRequest,
    targets: &[TargetFacts],
    notes: &mut Vec<String>,
) -> Result<ByteSize, PlanError> {
    let wanted = request.size.unwrap_or(if request.full { profile.full_size() } else { profile.quick.size });
    let mut size = wanted;
    for room in rooms(profile, targets) {
        // The share is of the wanted size, not of one that an earlier place has shrunk: otherwise the order
        // of targets would change the message.
        let (path, needed, usable) = (room.path.to_owned(), scale(wanted, room.share), room.usable);
        if needed <= usable {
            continue;
        }
        // A profile that needs less than 64 MiB may still shrink to what it needs.
        let least = LEAST_SHRUNK.min(least_size(profile, targets));
        // A size that the user gave is not shrunk: figures of another size are the answer to another
        // question.
        if request.size.is_some() || (room.is_filesystem && usable < least) {
            return Err(if room.is_filesystem {
                PlanError::NoSpace(NoSpace { path, needed, usable })
            } else {
                PlanError::BeyondEnd { path, needed, usable }
            });
        }
        size = size.min(scale(usable, 1.0 / room.share));
        let path = path.display();
        notes.push(if room.is_filesystem {
            format!("all files together are {size} instead of {wanted}, so that {LEAST_FREE} and 10 % of `{path}` stay free")
        } else {
            format!("{size} in all are used instead of {wanted}, because `{path}` holds {usable}")
        });
    }
    Ok(size)
}

/// Each file system once, each given file and each device.
fn rooms<'t>(profile: &Profile, targets: &'t [TargetFacts]) -> Vec<Room<'t>> {
    let mut filesystems: BTreeMap<u64, (&Path, f64, FreeSpace)> = BTreeMap::new();
    let mut rooms = Vec::new();
    for (target, share) in targets.iter().zip(target_shares(profile, targets)) {
        let room = |usable| Room { path: &target.path, share, usable, is_filesystem: false };
        match &target.kind {
            // By file system and not by directory, because two directories of one file system share its
            // space.
            TargetKind::Directory(space) => {
                let (_, shared, all) = filesystems
                    .entry(space.filesystem_id)
                    .or_insert_with(|| (&target.path, 0.0, FreeSpace { kept: Vec::new(), ..space.clone() }));
                *shared += share;
                all.kept.extend(space.kept.iter().cloned());
            }
            TargetKind::Imagined => {}
            TargetKind::File { data_size } => rooms.push(room(*data_size)),
            TargetKind::Device { size, .. } => rooms.push(room(*size)),
        }
    }
    rooms.retain(|room| room.share > 0.0);
    // Files of another profile stay where they are.
    let is_planned = |name: &str| profile.jobs.iter().any(|job| file_name(&job.name) == name);
    rooms.extend(filesystems.into_values().map(|(path, share, space)| Room {
        path,
        share,
        usable: space.with_kept(is_planned).usable(),
        is_filesystem: true,
    }));
    rooms
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
    let places_of = |job: &JobProfile| -> Vec<usize> {
        let taking = targets.iter().enumerate().filter(|(_, target)| target.takes(job.role));
        taking.map(|(place, _)| place).collect()
    };
    let job = &profile.jobs[position];
    let places = places_of(job);
    // A database writes one log, in sequence, and a log over several files would be several logs. Data gets
    // no more files than copies: a file that no copy works on would only take space.
    let file_count = if job.role == Role::Log { 1 } else { places.len().min(job.numjobs as usize) };
    // Each job begins with the next of the targets that it shares with others, so that the log and the data of a profile lie
    // apart where there are two.
    let before = profile.jobs[..position].iter().filter(|earlier| places_of(earlier) == places).count();
    (0..file_count.min(places.len())).map(|file| places[(before + file) % places.len()]).collect()
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

/// What one file of the job must hold: one block for each copy that has a part of its own.
pub(super) fn least_length(job: &JobProfile, file_count: usize) -> ByteSize {
    let copies = match job.pattern {
        // Each copy of a sequential job has a part of its own, and an empty part would have no block to begin
        // with.
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
        let file = least_length(job, file_count) + FILE_HEADER_SIZE + job.largest_io();
        scale(file, 1.0 / share_per_file(profile, position, targets))
    });
    // Rounded up by a whole MiB, because this is what the message tells people to type.
    least.max().unwrap_or_default().round_down_to(ByteSize::MIB) + ByteSize::MIB
}
