//! The one view of a result that all checks look at, wherever it comes from: a run, an import, a row of a printed table.

use std::collections::BTreeMap;

use iotrial_model::imported::{
    ImportedRecord, Stated, StatedDevice, StatedLatency, StatedLoad, StatedOps, StatedPercentile,
    StatedStream,
};
use iotrial_model::load::{Direction, Durability, Pattern};
use iotrial_model::record::{AttributeValue, RunRecord};

use super::range::Range;
use crate::figures::Figures;
use crate::stream::StreamCounts;

/// A result under audit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// All of it, and then each job where jobs have figures of their own.
    pub parts: Vec<Part>,
    /// What was counted at devices, and whether it is of the same time as the figures.
    pub devices: Vec<StatedDevice>,
}

/// Figures that belong together, with the load that made them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// What it is for people: `row A`, `job pages`.
    pub place: String,
    /// The jobs that made it; empty where the load is not stated.
    pub loads: Vec<StatedLoad>,
    /// Streams with figures.
    pub streams: Vec<Stream>,
}

/// Reads, writes, or both as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stream {
    /// `read`, `write` or `total`.
    pub name: &'static str,
    /// What is stated of it.
    pub stated: StatedStream,
    /// GiB that were moved.
    pub total_gib: Option<Stated>,
    /// kB in one I/O.
    pub transfer_size_kb: Option<Stated>,
}

impl Subject {
    /// The view of an import or of a row of a printed table.
    pub(super) fn of_imported(record: &ImportedRecord) -> Self {
        let place = &record.source.place;
        let mut parts = Vec::new();
        if let Some(total) = &record.total {
            let loads: Vec<StatedLoad> = record.jobs.iter().map(|job| job.load.clone()).collect();
            parts.push(Part { place: place.clone(), loads, streams: streams_of(total, &record.other) });
        }
        let nothing = BTreeMap::new();
        parts.extend(record.jobs.iter().map(|job| Part {
            place: format!("{place}, job {}", job.name),
            loads: vec![job.load.clone()],
            streams: streams_of(&job.ops, &nothing),
        }));
        parts.retain(|part| !part.streams.is_empty());
        Self { attributes: record.attributes.clone(), parts, devices: record.devices.clone() }
    }

    /// The view of a run.
    pub(super) fn of_run(record: &RunRecord) -> Self {
        let runtime_s = record.measured_duration().as_secs_f64();
        let view = iotrial_model::subject::Subject::of_run(record);
        let part = |place: String, select: &dyn Fn(usize) -> bool| {
            let counts = StreamCounts::of(&view, select);
            let jobs = record.plan.jobs.iter().enumerate().filter(|(job, _)| select(*job));
            let loads = jobs.clone().map(|(_, job)| load_of(job)).collect();
            // Commits share writes, so sizes of writes say nothing of those of a group commit.
            let has_groups = jobs.clone().any(|(_, job)| job.group_commit.is_some());
            let streams = Direction::ALL
                .iter()
                .filter(|direction| !(has_groups && **direction == Direction::Write))
                .filter_map(|direction| {
                    let ops = counts.counts.get(*direction)?;
                    let figures = Figures::new(ops, record.measured_duration());
                    (ops.io_count() > 0).then(|| Stream {
                        name: name_of(*direction),
                        stated: StatedStream {
                            runtime_s: Some(Stated::exact(runtime_s)),
                            io_count: figures.io_count,
                            bytes: Some(ops.bytes),
                            error_count: figures.error_count,
                            iops: figures.iops.map(Stated::exact),
                            bandwidth_mib_per_s: figures.bandwidth_mib_per_s.map(Stated::exact),
                            total_latency: latency_of(&figures),
                            ..StatedStream::default()
                        },
                        total_gib: None,
                        transfer_size_kb: None,
                    })
                })
                .collect();
            Part { place, loads, streams }
        };
        let mut parts = vec![part("the run".to_owned(), &|_| true)];
        if record.plan.jobs.len() > 1 {
            let one = |(index, job): (usize, &iotrial_model::plan::Job)| {
                part(format!("job {}", job.name), &move |other| other == index)
            };
            parts.extend(record.plan.jobs.iter().enumerate().map(one));
        }
        parts.retain(|part| !part.streams.is_empty());
        // What devices counted is weighed by the findings of the run, which know how they lie on one another.
        Self { attributes: record.attributes.clone(), parts, devices: Vec::new() }
    }
}

impl Part {
    /// Sizes of the I/Os of a stream in bytes; `None` where they are not stated for every job of it.
    pub(super) fn block_range(&self, stream: &str) -> Option<Range> {
        let direction = direction_of(stream);
        let mut sizes = Vec::new();
        for load in self.loads.iter().filter(|load| does(load, direction)) {
            let of_stream = load.block_sizes.iter().filter(|size| {
                size.direction.is_none() || direction.is_none() || size.direction == direction
            });
            let before = sizes.len();
            sizes.extend(of_stream.map(|size| size.size.get()));
            if sizes.len() == before {
                return None;
            }
        }
        let (least, most) = (sizes.iter().min()?, sizes.iter().max()?);
        Some(Range { low: bytes(*least), high: bytes(*most) })
    }

    /// The I/Os that may be outstanding at once, and how many of them somebody worked out; `None` where a job does not say.
    pub(super) fn outstanding(&self) -> Option<(u64, u64)> {
        let mut all = 0_u64;
        let mut inferred = 0_u64;
        for load in &self.loads {
            let one = load.total_outstanding()?;
            all = all.checked_add(one)?;
            inferred += if load.inferred { one } else { 0 };
        }
        (all > 0).then_some((all, inferred))
    }

    /// Whether the load is known, and none of it has I/Os of a direction.
    pub(super) fn never_does(&self, direction: Direction) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| !does(load, Some(direction)))
    }

    /// Whether a rate or pauses held any of it back.
    pub(super) fn is_held_back(&self) -> bool {
        self.loads.iter().any(StatedLoad::is_held_back)
    }

    /// Whether flushes, which are timed apart from the writes before them, take a part of the time.
    pub(super) fn has_flushes(&self) -> bool {
        self.loads
            .iter()
            .any(|load| load.flush_every.is_some() || matches!(load.durability, Some(Durability::Fdatasync)))
    }

    /// Whether fio put several jobs into one entry, which carries the options of the first of them only.
    pub(super) fn may_be_of_others(&self) -> bool {
        self.loads.iter().any(|load| load.options.contains_key("group_reporting"))
    }

    /// I/Os that may be counted at one end of the measurement and not at the other.
    pub(super) fn edge_count(&self) -> f64 {
        self.outstanding().map_or(1.0, |(count, _)| bytes(count))
    }

    /// Whether all of it goes past the page cache, and whether any is known to go through it.
    pub(super) fn is_direct(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| load.direct == Some(true))
    }

    /// Whether all of it is random.
    pub(super) fn is_random(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| load.pattern == Some(Pattern::Random))
    }

    /// The share of reads, where one load says it.
    pub(super) fn read_share(&self) -> Option<f64> {
        let [load] = &self.loads[..] else { return None };
        load.rwmix_read_percent.map(|percent| percent / 100.0)
    }
}

impl Stream {
    /// The latency that stands for the whole time that an I/O is outstanding, as well as it is stated.
    pub(super) fn latency(&self) -> &StatedLatency {
        let StatedStream { total_latency, completion_latency, .. } = &self.stated;
        if total_latency.mean_us.is_some() || completion_latency.mean_us.is_none() {
            total_latency
        } else {
            completion_latency
        }
    }
}

/// Whether a load has I/Os of a direction; of `None` it has some.
fn does(load: &StatedLoad, direction: Option<Direction>) -> bool {
    match (direction, load.rwmix_read_percent) {
        (Some(Direction::Read), Some(percent)) => percent > 0.0,
        (Some(Direction::Write), Some(percent)) => percent < 100.0,
        _ => true,
    }
}

const fn name_of(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    }
}

fn direction_of(stream: &str) -> Option<Direction> {
    Direction::ALL.iter().copied().find(|direction| name_of(*direction) == stream)
}

#[expect(clippy::cast_precision_loss, reason = "sizes below 8 PiB")]
pub(super) fn bytes(count: u64) -> f64 {
    count as f64
}

fn streams_of(ops: &StatedOps, other: &BTreeMap<String, Stated>) -> Vec<Stream> {
    let streams = [("read", "read", &ops.read), ("write", "write", &ops.write), ("total", "total", &ops.all)];
    let mut all: Vec<Stream> = Vec::new();
    for (name, key, stated) in streams {
        let total_gib = other.get(&format!("{key}.total_gib")).copied();
        let transfer_size_kb = other.get(&format!("{key}.transfer_size_kb")).copied();
        let stated = stated.clone().filter(|stated| !stated.is_idle());
        if stated.is_some() || total_gib.is_some() || transfer_size_kb.is_some() {
            all.push(Stream { name, stated: stated.unwrap_or_default(), total_gib, transfer_size_kb });
        }
    }
    // Where both directions are there, the sum of both repeats them; it is looked at by itself only where they are not.
    all
}

fn latency_of(figures: &Figures) -> StatedLatency {
    let percentiles = [
        (50.0, figures.lat_p50_us),
        (90.0, figures.lat_p90_us),
        (99.0, figures.lat_p99_us),
        (99.9, figures.lat_p999_us),
        (99.99, figures.lat_p9999_us),
    ];
    StatedLatency {
        mean_us: figures.lat_mean_us.map(Stated::exact),
        max_us: figures.lat_max_us.map(Stated::exact),
        percentiles_us: percentiles
            .into_iter()
            .filter_map(|(percent, at)| Some(StatedPercentile { percent, at: Stated::exact(at?) }))
            .collect(),
        ..StatedLatency::default()
    }
}

fn load_of(job: &iotrial_model::plan::Job) -> StatedLoad {
    use iotrial_model::imported::StatedBlockSize;
    use iotrial_model::plan::Arrival;
    let sizes = [job.block_size.unit(), job.block_size.largest()];
    StatedLoad {
        pattern: Some(job.pattern),
        rwmix_read_percent: Some(job.rwmix_read_percent.into()),
        block_sizes: sizes
            .into_iter()
            .map(|size| StatedBlockSize { direction: None, size, percent: None })
            .collect(),
        iodepth: Some(job.iodepth.into()),
        numjobs: Some(job.numjobs.into()),
        rate_iops: match job.arrival {
            Arrival::Open { iops, .. } => Some(iops),
            Arrival::Following { .. } => Some(0.0),
            Arrival::Closed => None,
        },
        ..StatedLoad::default()
    }
}
