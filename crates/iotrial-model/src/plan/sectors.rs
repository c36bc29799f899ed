//! The block of a log on targets with large sectors.

use std::borrow::Cow;

use crate::load::{BlockSizes, GroupCommit};
use crate::profile::Profile;
use crate::target::TargetFacts;

/// The profile with the blocks of group commits as large as the sectors of the targets.
///
/// A database pads its log to whole sectors and asks the volume how large they are. So a log block of 512 bytes becomes one of
/// 4 KiB where the sectors are, with a note, whereas any other block that does not fit is another load and is refused.
pub(super) fn log_blocks_of_whole_sectors<'p>(
    profile: &'p Profile,
    targets: &[TargetFacts],
    notes: &mut Vec<String>,
) -> Cow<'p, Profile> {
    let mut profile = Cow::Borrowed(profile);
    for position in 0..profile.jobs.len() {
        let job = &profile.jobs[position];
        let mine = targets.iter().filter(|target| target.takes(job.role));
        let Some(coarsest) = mine.max_by_key(|target| target.sector_size) else { continue };
        let sector = coarsest.sector_size;
        let block = job.block_size.unit();
        let Some(group) = job.group_commit.filter(|_| block < sector) else { continue };
        let largest_write = group.largest_write.round_down_to(sector);
        if !sector.get().is_multiple_of(block.get()) || largest_write < group.commit_size + sector {
            // Left as it is, so that the plan refuses it with its reason.
            continue;
        }
        notes.push(format!(
            "{} writes blocks of {sector} instead of {block}: the sectors of `{}`",
            job.name,
            coarsest.path.display()
        ));
        let job = &mut profile.to_mut().jobs[position];
        job.block_size = BlockSizes::one(sector);
        job.group_commit = Some(GroupCommit { largest_write, ..group });
    }
    profile
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::builtin::{builtin_profile, builtin_profiles};
    use crate::plan::{EngineKind, Plan, PlanRequest, SimDevice, TargetKind};
    use crate::units::ByteSize;

    fn plan(name: &str, sector_size: ByteSize) -> Plan {
        let request = PlanRequest {
            full: false,
            size: None,
            array_cache: None,
            ramp: None,
            staircase: Vec::new(),
            need: None,
            measure: None,
            engine: EngineKind::Sim,
            engine_reason: None,
            sim: SimDevice::default(),
            direct: false,
            polled: false,
            priority: crate::priority::Priority::Normal,
            cpu_count: 2,
            memory: None,
            seed: 1,
        };
        let target =
            TargetFacts { path: "sim".into(), roles: Vec::new(), kind: TargetKind::Imagined, sector_size };
        Plan::decide(&Profile::parse(builtin_profile(name).unwrap().text).unwrap(), &request, &[target])
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[test]
    fn every_built_in_profile_can_be_planned_on_sectors_of_4_kib() {
        for builtin in builtin_profiles() {
            assert!(plan(builtin.name, ByteSize::kib(4)).duration() > Duration::ZERO);
        }
    }

    #[test]
    fn a_log_is_padded_to_the_sectors_of_the_target_and_that_is_noted() {
        let coarse = plan("sqlserver-oltp", ByteSize::kib(4));
        let log = &coarse.jobs[3];
        assert_eq!((log.block_size.unit(), log.largest_io()), (ByteSize::kib(4), ByteSize::kib(60)));
        assert_eq!(coarse.notes, ["sql-log writes blocks of 4 KiB instead of 512 B: the sectors of `sim`"]);
        let fine = plan("sqlserver-oltp", ByteSize::bytes(512));
        assert_eq!((fine.jobs[3].block_size.unit(), fine.notes.len()), (ByteSize::bytes(512), 0));
    }
}
