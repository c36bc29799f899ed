//! What was issued against what the devices below counted, step by step down the chain.
//!
//! A step leads from the load to the devices that it runs on, or from devices to those that carry them. On
//! each, what comes from above is compared with what is counted below:
//!
//! - bytes ratio = bytes below / bytes above: 1 on a plain way, 2 on a mirror for writes, under 1 where a
//!   cache answers;
//! - merged share = merges / (merges + completed I/Os) of the devices below. The kernel counts an I/O that it
//!   merged into another one as a merge, and the larger one once when it completes
//!   (Documentation/admin-guide/iostats.rst: fields 1 and 2, 5 and 6);
//! - excess = what the devices below moved beyond what came from above, direction by direction, in percent of
//!   all that they moved. Between a disk and its partitions it is foreign I/O and nothing else; elsewhere it
//!   is foreign I/O or that of a file system or array that multiplies.

use iotrial_model::load::{Direction, Role};
use iotrial_model::record::{BlockDevice, OpCounts};
use iotrial_model::subject::{DeviceFlow, Subject, SubjectJob};
use serde::Serialize;

use crate::device_part::DevicePart;

/// One step down the chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainStep {
    /// Kernel names of the devices above; empty where the load itself is above.
    pub above: Vec<String>,
    /// Kernel names of the devices below.
    pub below: Vec<String>,
    /// Whose I/Os come from the load, where these devices are theirs alone; empty where they are those of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Whether the devices above are partitions of the one below.
    pub is_partition: bool,
    /// Reads that came from above and were counted below.
    pub read: StepFlow,
    /// Writes that came from above and were counted below.
    pub write: StepFlow,
    /// What the devices below moved in excess of what came from above, in percent of what they moved; `None`
    /// where they moved nothing.
    pub excess_percent: Option<f64>,
}

/// One direction of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StepFlow {
    /// I/Os that came from above and succeeded.
    pub above_count: u64,
    /// Bytes of those I/Os.
    pub above_bytes: u64,
    /// I/Os that the devices below completed.
    pub below_count: u64,
    /// I/Os that they merged into others first.
    pub below_merge_count: u64,
    /// Bytes that they moved.
    pub below_bytes: u64,
    /// I/Os completed below for each one from above; `None` where none came.
    pub io_ratio: Option<f64>,
    /// Bytes moved below for each one from above; `None` where none came.
    pub bytes_ratio: Option<f64>,
    /// Share of the I/Os that were merged; `None` where none arrived.
    pub merged_percent: Option<f64>,
}

impl StepFlow {
    fn new(above: Flow, below: Flow) -> Self {
        Self {
            above_count: above.count,
            above_bytes: above.bytes,
            below_count: below.count,
            below_merge_count: below.merge_count,
            below_bytes: below.bytes,
            io_ratio: ratio(below.count, above.count),
            bytes_ratio: ratio(below.bytes, above.bytes),
            merged_percent: ratio(below.merge_count, below.merge_count + below.count)
                // Merged I/Os are counted apart from completed ones, so what arrived is the sum of both.
                .map(|share| 100.0 * share),
        }
    }

    /// Bytes below beyond those from above.
    pub(crate) const fn excess_bytes(&self) -> u64 {
        // Saturating, since a cache or a merge makes the difference negative, and that is no excess.
        self.below_bytes.saturating_sub(self.above_bytes)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// I/Os of one direction at one place.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    count: u64,
    merge_count: u64,
    bytes: u64,
}

impl std::iter::Sum for Flow {
    fn sum<I: Iterator<Item = Self>>(flows: I) -> Self {
        flows.fold(Self::default(), |sum, one| Self {
            count: sum.count + one.count,
            merge_count: sum.merge_count + one.merge_count,
            bytes: sum.bytes + one.bytes,
        })
    }
}

impl ChainStep {
    /// All steps of a result, from the load downwards.
    ///
    /// The first one is missing where a target lies directly on a device that also carries another target's
    /// devices: then nothing tells whose I/O that device counted. A step without counters for all of its
    /// devices is missing too.
    ///
    /// Of what a source states there is no step. It lists arrays and their members without saying which is which, and reads
    /// its counters every now and then over everything that ran, so that only one thing follows from them, and the audit
    /// says that: devices that counted fewer random reads than were done did not do them.
    pub fn all(subject: &Subject<'_>) -> Vec<Self> {
        if subject.source.is_some() {
            return Vec::new();
        }
        let chain = Chain::of(subject);
        let parts = DevicePart::all(subject);
        let mut steps: Vec<Self> = if parts.is_empty() {
            chain.first_step().into_iter().collect()
        } else {
            parts.iter().filter_map(|part| chain.part_step(part)).collect()
        };
        for (above, below) in chain.groups() {
            steps.extend(chain.step(&above, &below));
        }
        steps
    }

    /// The step from a part of the load to its devices; `None` where nothing tells whose I/O these counted.
    pub(crate) fn of_part(subject: &Subject<'_>, part: &DevicePart) -> Option<Self> {
        Chain::of(subject).part_step(part)
    }

    /// Whether below was moved what came from above, in both directions.
    pub(crate) fn agrees(&self) -> bool {
        // Counters are read within milliseconds of the ends of a phase, and journals of file systems stay below a tenth.
        let agrees = |flow: &StepFlow| flow.bytes_ratio.is_none_or(|ratio| (ratio - 1.0).abs() <= 0.1);
        agrees(&self.read) && agrees(&self.write)
    }

    /// What passed this step in one direction.
    pub(crate) const fn flow(&self, direction: Direction) -> &StepFlow {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        }
    }

    /// Whether the load itself is above.
    pub const fn is_from_load(&self) -> bool {
        self.above.is_empty()
    }

    fn new(above: Vec<String>, below: Vec<String>, is_partition: bool, flows: [StepFlow; 2]) -> Self {
        let [read, write] = flows;
        let excess_percent =
            // Added per direction before the division: a surplus of reads must not be offset by missing
            // writes.
            ratio(read.excess_bytes() + write.excess_bytes(), read.below_bytes + write.below_bytes);
        let excess_percent = excess_percent.map(|share| 100.0 * share);
        Self { above, below, roles: Vec::new(), is_partition, read, write, excess_percent }
    }
}

/// The devices of a result, each once.
struct Chain<'s> {
    subject: &'s Subject<'s>,
    devices: Vec<&'s BlockDevice>,
    nearest: Vec<String>,
}

impl<'s> Chain<'s> {
    fn of(subject: &'s Subject<'_>) -> Self {
        let mut devices: Vec<&BlockDevice> = Vec::new();
        let mut nearest: Vec<String> = Vec::new();
        for target in subject.targets {
            let mine = target.nearest_devices().map(str::to_owned);
            nearest = with(nearest, mine.collect());
            for device in &target.devices {
                // By name: the same disk may carry several targets, and must be counted once.
                if devices.iter().all(|other| other.name != device.name) {
                    devices.push(device);
                }
            }
        }
        if nearest.is_empty() {
            // Nothing is known of the devices but that they were counted.
            nearest = subject.devices.iter().map(|device| device.name.to_owned()).collect();
        }
        Self { subject, devices, nearest }
    }

    /// The sum over devices; `None` where one was not counted.
    fn counted(&self, names: &[String], direction: Direction) -> Option<Flow> {
        let of_one = |name: &String| {
            let device = self.subject.devices.iter().find(|device| device.name == name)?;
            let DeviceFlow { io_count, merge_count, bytes } = *device.flow(direction);
            Some(Flow { count: io_count?, merge_count: merge_count?, bytes: bytes? })
        };
        // One device that was not counted would make the sum too small and look like a cache.
        if names.is_empty() { None } else { names.iter().map(of_one).collect::<Option<Vec<_>>>().map(sum) }
    }

    /// From the load to the nearest devices.
    fn first_step(&self) -> Option<ChainStep> {
        self.step_from(self.subject.jobs.iter(), &self.nearest)
    }

    /// From a part of the load to its devices.
    fn part_step(&self, part: &DevicePart) -> Option<ChainStep> {
        let jobs = part.jobs.iter().filter_map(|job| self.subject.jobs.get(*job));
        Some(ChainStep { roles: part.roles.clone(), ..self.step_from(jobs, &part.devices)? })
    }

    /// From jobs to the devices that only they lie on.
    fn step_from<'j>(
        &self,
        jobs: impl Iterator<Item = &'j SubjectJob<'j>> + Clone,
        devices: &[String],
    ) -> Option<ChainStep> {
        let carries_others = |name: &String| self.devices.iter().any(|other| other.carried_by.contains(name));
        // Its counter holds both targets' I/O at once, and nothing tells the parts apart.
        if devices.iter().any(carries_others) {
            return None;
        }
        let issued = |direction| {
            // Only I/Os that succeeded: failed ones may or may not have reached the device.
            let counts = jobs.clone().filter_map(|job| job.counts(direction));
            counts
                .map(|one: &OpCounts| Flow { count: one.io_count(), merge_count: 0, bytes: one.bytes })
                .sum()
        };
        let flow = |direction| Some(StepFlow::new(issued(direction), self.counted(devices, direction)?));
        let flows = [flow(Direction::Read)?, flow(Direction::Write)?];
        Some(ChainStep::new(Vec::new(), devices.to_vec(), false, flows))
    }

    /// The devices that share carriers, with these carriers: members of an array are one group below it, and
    /// the partitions of a disk one group above it.
    fn groups(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for device in self.devices.iter().filter(|device| !device.carried_by.is_empty()) {
            // Groups are joined whenever they share a carrier, and a device may join several groups that were
            // apart so far. So each device is compared with every group anew.
            let mut joined = (vec![device.name.clone()], device.carried_by.clone());
            let mut apart = Vec::new();
            for group in groups {
                if group.1.iter().any(|name| joined.1.contains(name)) {
                    let (above, below) = joined;
                    joined = (with(group.0, above), with(group.1, below));
                } else {
                    apart.push(group);
                }
            }
            groups = apart;
            groups.push(joined);
        }
        groups
    }

    /// From devices to those that carry them; `None` where one was not counted, or where the load also runs
    /// on a carrier itself.
    fn step(&self, above: &[String], below: &[String]) -> Option<ChainStep> {
        // The carrier's counter then includes what came from the load past these devices.
        if below.iter().any(|name| self.nearest.contains(name)) {
            return None;
        }
        let is_partition = self
            .devices
            .iter()
            .filter(|device| above.contains(&device.name))
            .all(|device| device.is_partition);
        let flow =
            |direction| Some(StepFlow::new(self.counted(above, direction)?, self.counted(below, direction)?));
        let flows = [flow(Direction::Read)?, flow(Direction::Write)?];
        Some(ChainStep::new(above.to_vec(), below.to_vec(), is_partition, flows))
    }
}

fn sum(flows: Vec<Flow>) -> Flow {
    flows.into_iter().sum()
}

fn with(mut names: Vec<String>, more: Vec<String>) -> Vec<String> {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::{apart, chain, healthy};

    fn all(record: &RunRecord) -> Vec<ChainStep> {
        ChainStep::all(&Subject::of_run(record))
    }

    fn names(steps: &[ChainStep]) -> Vec<String> {
        steps.iter().map(|step| format!("{}>{}", step.above.join(" "), step.below.join(" "))).collect()
    }

    #[test]
    fn a_record_without_levels_has_the_one_step_to_the_first_device() {
        let steps = all(&healthy());
        assert_eq!(names(&steps), [">nvme0n1"]);
        assert_eq!((steps[0].read.bytes_ratio, steps[0].excess_percent), (Some(1.0), Some(0.0)));
        let mut record = healthy();
        record.devices.clear();
        assert_eq!(all(&record), []);
    }

    #[test]
    fn members_of_an_array_are_one_step_and_so_are_the_partitions_of_a_disk() {
        let mut record = healthy();
        chain(
            &mut record,
            &[
                ("md0", 1, "sda1 sdb1", 1.0),
                ("sda1", 2, "sda", 1.0),
                ("sdb1", 2, "sdb", 1.0),
                ("sda", 3, "", 1.0),
                ("sdb", 3, "", 1.5),
            ],
        );
        let steps = all(&record);
        assert_eq!(names(&steps), [">md0", "md0>sda1 sdb1", "sda1>sda", "sdb1>sdb"]);
        assert_eq!(steps[1].write.bytes_ratio, Some(2.0));
        assert!(steps[2].is_partition && !steps[1].is_partition);
        assert!((steps[3].excess_percent.unwrap() - 100.0 / 3.0).abs() < 0.01, "{:?}", steps[3]);
    }

    #[test]
    fn a_device_that_carries_one_target_and_the_device_of_another_is_not_judged() {
        let mut record = healthy();
        chain(&mut record, &[("loop0", 1, "vda", 0.5), ("vda", 2, "", 1.0)]);
        assert_eq!(names(&all(&record)), [">loop0", "loop0>vda"]);
        let mut other = record.targets[0].clone();
        other.devices.remove(0);
        other.devices[0].level = Some(1);
        record.targets.push(other);
        assert_eq!(all(&record), []);
    }

    #[test]
    fn roles_with_devices_of_their_own_have_a_step_each() {
        let mut record = healthy();
        apart(&mut record);
        let steps = all(&record);
        assert_eq!(names(&steps), [">sdb", ">sdc"]);
        assert_eq!([&steps[0].roles, &steps[1].roles], [&[Role::Data][..], &[Role::Log]]);
        assert_eq!((steps[0].read.bytes_ratio, steps[1].write.bytes_ratio), (Some(1.0), Some(1.0)));
        assert!(steps[1].agrees());
        // Data that lies on both devices cannot be told from the log there.
        record.plan.jobs[0].areas.push(1);
        let steps = all(&record);
        assert_eq!(names(&steps), [">sdb sdc"]);
        assert!(steps[0].roles.is_empty());
    }

    #[test]
    fn merges_are_a_share_of_all_that_arrived() {
        let mut record = healthy();
        record.devices[0].write_count = 300;
        record.devices[0].write_merge_count = 100;
        let steps = all(&record);
        assert_eq!((steps[0].write.merged_percent, steps[0].read.merged_percent), (Some(25.0), None));
    }
}
