//! Watching disks: which devices carry what is watched, their counters at every interval, and all of it as a series.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iotrial_measure::control::Control;
use iotrial_measure::disk_stats::{DiskStat, DiskStatsSource, Moment};
use iotrial_model::counters::{
    CounterSeries, DiskCounters, Presences, RECORDING_FORMAT, RECORDING_TOOL, RecordedDisk, RecordedInterval,
    RecordingHead, Times,
};
use iotrial_model::load::Role;

use crate::fault::Fault;

#[cfg(target_os = "linux")]
#[path = "watch/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "watch/windows.rs"]
mod os;

/// What is to be watched.
#[derive(Debug, Clone, Default)]
pub struct WatchedRequest {
    /// Directories, block devices and names of the kernel; empty means all disks.
    pub targets: Vec<PathBuf>,
    /// What each target or disk is for, by the name that it is given by.
    pub roles: Vec<(Role, String)>,
    /// Further disks that carry something together.
    pub stripes: Vec<Vec<String>>,
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// A target is not there.
    #[error("cannot watch `{}`", target.display())]
    Target {
        /// As it was given.
        target: PathBuf,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
    /// A target is on no block device, such as a share or memory.
    #[error("`{}` is not on a block device that this host shows", target.display())]
    NoDevice {
        /// As it was given.
        target: PathBuf,
    },
    /// A disk that is not among those that are watched.
    #[error("`{name}` is not among the disks that are watched")]
    NotWatched {
        /// As it was given.
        name: String,
        /// What is.
        known: Vec<String>,
    },
    /// A target with a role lies on devices that another target has.
    #[error("`{name}` lies on devices that carry another target, and a device has one role")]
    SameDevice {
        /// As it was given.
        name: String,
    },
    /// The counters cannot be read.
    #[error("cannot read the counters of this host's disks")]
    Counters(#[source] io::Error),
}

impl Fault for WatchError {
    fn is_of_input(&self) -> bool {
        !matches!(self, Self::Counters(_))
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Target { .. } => {
                Some("give a directory, a block device, or a file of counters that exists".to_owned())
            }
            Self::NoDevice { .. } => Some(
                "a share is counted on its server, and a container may not see the devices of its host: watch there; without a target iotrial watches all disks"
                    .to_owned(),
            ),
            Self::NotWatched { known, .. } => Some(format!("there are {}", known.join(", "))),
            Self::SameDevice { .. } => Some(
                "leave one of the roles out: counters of a device cannot be told apart by file".to_owned(),
            ),
            Self::Counters(_) => None,
        }
    }
}

/// A device that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedDisk {
    /// The name of the kernel.
    pub name: String,
    /// What it is for, where somebody said so.
    pub role: Option<Role>,
    /// The target that it is below; empty where all disks are watched.
    pub target: String,
    /// How far below: 0 is the nearest to the target.
    pub depth: usize,
}

/// All devices that are watched, those of a target together and from the top.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watched {
    /// In the order in which they are shown. A device below two targets is there once, with the first.
    pub disks: Vec<WatchedDisk>,
    /// Names of disks that carry something together.
    pub stripes: Vec<Vec<String>>,
}

impl Watched {
    /// The devices below the targets of this host.
    ///
    /// # Errors
    ///
    /// When a target is not there or on no device, or a role is of none of them.
    pub fn find(request: &WatchedRequest) -> Result<Self, WatchError> {
        let mut watched = os::find(&request.targets)?;
        for (role, name) in &request.roles {
            let mut found = false;
            for disk in &mut watched.disks {
                let is_nearest = disk.depth == 0 && !disk.target.is_empty() && same_path(&disk.target, name);
                let is_disk = disk.name == name.strip_prefix("/dev/").unwrap_or(name);
                if is_nearest || is_disk {
                    disk.role = Some(*role);
                    found = true;
                }
            }
            if !found && request.targets.iter().any(|target| same_path(&target.to_string_lossy(), name)) {
                return Err(WatchError::SameDevice { name: name.clone() });
            }
            if !found {
                let known = watched.disks.iter().map(|disk| disk.name.clone()).collect();
                return Err(WatchError::NotWatched { name: name.clone(), known });
            }
        }
        watched.stripes.extend(request.stripes.iter().cloned());
        Ok(watched)
    }

    /// What was asked for, each once; nothing where all disks are watched.
    fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self.disks.iter().map(|disk| disk.target.clone()).collect();
        targets.retain(|target| !target.is_empty());
        // Those of a target are together.
        targets.dedup();
        targets
    }
}

fn same_path(one: &str, other: &str) -> bool {
    Path::new(one).components().eq(Path::new(other).components())
}

/// Disks being watched: two readings make an interval.
pub struct Watch {
    watched: Watched,
    source: Box<dyn DiskStatsSource + Send>,
    interval: Duration,
    earlier: (Moment, Vec<DiskStat>),
    later: Vec<DiskStat>,
    /// Which disk each watched name stood for at the last reading.
    sequences: Vec<Option<u64>>,
    kept: Kept,
}

impl Watch {
    /// Reads the counters for the first time.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn begin(
        watched: Watched,
        mut source: Box<dyn DiskStatsSource + Send>,
        interval: Duration,
    ) -> Result<Self, WatchError> {
        let mut stats = Vec::new();
        let moment = source.read(&mut stats).map_err(WatchError::Counters)?;
        let kept = Kept::of(&watched);
        let sequences = watched.disks.iter().map(|disk| source.sequence(&disk.name)).collect();
        Ok(Self { watched, source, interval, earlier: (moment, stats), later: Vec::new(), sequences, kept })
    }

    /// What is watched.
    pub const fn watched(&self) -> &Watched {
        &self.watched
    }

    /// The first line of a recording.
    pub fn head(&self, host: &str) -> RecordingHead {
        RecordingHead {
            format: RECORDING_FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: host.to_owned(),
            interval_s: self.interval.as_secs_f64(),
            targets: self.watched.targets(),
            stripes: self.watched.stripes.clone(),
        }
    }

    /// Reads the counters again: what happened since the last time.
    ///
    /// # Errors
    ///
    /// When they cannot be read any more.
    pub fn step(&mut self) -> Result<RecordedInterval, WatchError> {
        let moment = self.source.read(&mut self.later).map_err(WatchError::Counters)?;
        let (then, earlier) = &self.earlier;
        let duration_s = moment.monotonic_s - then.monotonic_s;
        // The order hardly ever changes, so that the same place is looked at first.
        let at = |stats: &[DiskStat], name: &str, place: usize| {
            let is_it = |at: &usize| stats.get(*at).is_some_and(|one| one.name == name);
            Some(place).filter(is_it).or_else(|| stats.iter().position(|one| one.name == name))
        };
        let source = &mut self.source;
        let did = |(disk, sequence): (&WatchedDisk, &mut Option<u64>)| {
            let now = at(&self.later, &disk.name, usize::MAX)?;
            let earlier_sequence = std::mem::replace(sequence, source.sequence(&disk.name));
            let then = at(earlier, &disk.name, now)?;
            // Another disk has the name, and may have counted more than the one before it.
            let did = if *sequence == earlier_sequence {
                self.later[now].since(&earlier[then], duration_s)
            } else {
                RecordedDisk { name: disk.name.clone(), ..RecordedDisk::default() }
            };
            Some(RecordedDisk { role: disk.role, ..did })
        };
        let disks = self.watched.disks.iter().zip(&mut self.sequences).filter_map(did).collect();
        self.earlier.0 = moment;
        std::mem::swap(&mut self.earlier.1, &mut self.later);
        let interval = RecordedInterval { at_s: moment.unix_s, duration_s, disks };
        self.kept.add(&interval);
        Ok(interval)
    }

    /// Watches until `duration` is over or somebody stops it, and hands out each interval.
    ///
    /// # Errors
    ///
    /// When the counters cannot be read any more, or whoever gets the intervals has had enough.
    pub fn run<E: From<WatchError>>(
        &mut self,
        duration: Option<Duration>,
        control: &Control,
        mut each: impl FnMut(&Self, &RecordedInterval) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = Instant::now();
        let mut due = start;
        loop {
            // From the start and not from the last reading, so that delays do not add up; what was missed is not made up for.
            due = (due + self.interval).max(Instant::now());
            let end = duration.map(|duration| start + duration);
            let next = end.map_or(due, |end| due.min(end));
            if !wait_until(next, control) {
                return Ok(());
            }
            let interval = self.step()?;
            each(self, &interval)?;
            if end.is_some_and(|end| Instant::now() >= end) {
                return Ok(());
            }
        }
    }

    /// All intervals so far, or the last ones of very many.
    pub fn series(&self, host: &str) -> CounterSeries {
        self.kept.series(host, self.interval, &self.watched)
    }
}

/// A stop is noticed within so long.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits; `false` where somebody stopped it before.
fn wait_until(due: Instant, control: &Control) -> bool {
    loop {
        if control.is_stopping() {
            return false;
        }
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(LOOK_EVERY));
    }
}

/// The intervals that are kept for the summary.
struct Kept {
    disks: Vec<DiskCounters>,
    ends_s: Vec<f64>,
    durations_s: Vec<f64>,
    has_dropped: bool,
    /// From the beginning, also of what was dropped.
    presences: Presences,
}

/// Values of one counter that are kept in memory: 32 disks for nearly nine hours of seconds, in 64 MB.
const MOST_KEPT: usize = 1_000_000;

impl Kept {
    fn of(watched: &Watched) -> Self {
        let disk = |disk: &WatchedDisk| {
            let mut counters = DiskCounters::new(disk.name.clone());
            counters.role = disk.role;
            counters
        };
        Self {
            disks: watched.disks.iter().map(disk).collect(),
            ends_s: Vec::new(),
            durations_s: Vec::new(),
            has_dropped: false,
            presences: Presences::default(),
        }
    }

    fn add(&mut self, interval: &RecordedInterval) {
        if self.disks.len() * self.ends_s.len() >= MOST_KEPT {
            self.has_dropped = true;
            let half = self.ends_s.len() / 2;
            self.ends_s.drain(..half);
            self.durations_s.drain(..half);
            self.disks.iter_mut().for_each(|disk| disk.remove_first(half));
        }
        self.presences.add(interval);
        let at = self.ends_s.len();
        self.ends_s.push(interval.at_s);
        self.durations_s.push(interval.duration_s);
        for did in &interval.disks {
            let Some(disk) = self.disks.iter_mut().find(|disk| disk.name == did.name) else { continue };
            for (counter, value) in did.counted() {
                if let Some(value) = value {
                    disk.set(counter, at, value);
                }
            }
        }
    }

    fn series(&self, host: &str, interval: Duration, watched: &Watched) -> CounterSeries {
        let with_changes = |disk: &DiskCounters| {
            let mut disk = disk.clone();
            disk.changes = self.presences.changes(&disk.name);
            disk
        };
        let mut series = CounterSeries {
            host: (!host.is_empty()).then(|| host.to_owned()),
            interval_s: Some(interval.as_secs_f64()),
            durations_s: self.durations_s.clone(),
            times: Times::OfCalendar(self.ends_s.clone()),
            interval_count: self.ends_s.len(),
            disks: self.disks.iter().map(with_changes).collect(),
            is_asked_for: !watched.targets().is_empty(),
            stripes: watched.stripes.clone(),
            ..CounterSeries::new(RECORDING_TOOL)
        };
        if self.has_dropped {
            series.notes.push("the first hours are left out: --record keeps them all".to_owned());
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use iotrial_measure::disk_stats::parse_disk_stats;
    use iotrial_model::counters::{Absence, Counter, DiskChanges};

    use super::*;

    /// Readings that were captured, one second apart.
    struct Captured(VecDeque<(f64, &'static str)>);

    impl DiskStatsSource for Captured {
        fn read(&mut self, stats: &mut Vec<DiskStat>) -> io::Result<Moment> {
            let (at, text) = self.0.pop_front().ok_or_else(|| io::Error::other("it is over"))?;
            stats.clear();
            stats.extend(parse_disk_stats(text));
            Ok(Moment { monotonic_s: at, unix_s: 1_795_000_000.0 + at })
        }

        fn sequence(&mut self, name: &str) -> Option<u64> {
            // Another disk has the name at the last reading.
            (name == "sda").then(|| u64::from(self.0.is_empty()))
        }
    }

    fn disk(name: &str, role: Option<Role>) -> WatchedDisk {
        WatchedDisk { name: name.to_owned(), role, target: "/data".to_owned(), depth: 0 }
    }

    const READINGS: [(f64, &str); 4] = [
        (
            0.0,
            "9 0 md0 0 0 0 0 0 0 0 0 0 0 0\n8 0 sda 100 0 800 100 0 0 0 0 0 50 100\n8 16 sdb 50 0 400 50 0 0 0 0 0 25 50\n",
        ),
        // A disk came, so that the others have other places.
        (
            1.0,
            "8 32 sdc 1 0 8 1 0 0 0 0 0 1 1\n9 0 md0 300 0 2400 600 0 0 0 0 0 300 600\n8 0 sda 300 0 2400 500 0 0 0 0 0 250 500\n8 16 sdb 150 0 1200 250 0 0 0 0 0 125 250\n",
        ),
        // And one went.
        (3.0, "9 0 md0 500 0 4000 1000 0 0 0 0 0 500 1000\n8 0 sda 700 0 5600 1300 0 0 0 0 0 650 1300\n"),
        // It is back, and counts from zero.
        (
            4.0,
            "9 0 md0 500 0 4000 1000 0 0 0 0 0 500 1000\n8 0 sda 700 0 5600 1300 0 0 0 0 0 650 1300\n8 16 sdb 5 0 40 5 0 0 0 0 0 5 5\n",
        ),
    ];

    #[test]
    fn captured_readings_become_intervals_and_a_series() {
        let watched = Watched {
            disks: vec![disk("md0", Some(Role::Data)), disk("sda", None), disk("sdb", None)],
            stripes: vec![vec!["sda".to_owned(), "sdb".to_owned()]],
        };
        let source = Box::new(Captured(READINGS.into()));
        let mut watch = Watch::begin(watched, source, Duration::from_secs(1)).unwrap();
        let first = watch.step().unwrap();
        assert_eq!((first.duration_s, first.at_s, first.disks.len()), (1.0, 1_795_000_001.0, 3));
        assert_eq!((first.disks[1].read_iops, first.disks[1].read_latency_s), (Some(200.0), Some(0.002)));
        let second = watch.step().unwrap();
        let names: Vec<&str> = second.disks.iter().map(|disk| disk.name.as_str()).collect();
        assert_eq!((names, second.disks[1].read_iops), (vec!["md0", "sda"], Some(200.0)));
        let third = watch.step().unwrap();
        assert_eq!(third.disks.len(), 2, "a disk that has just come has no interval");
        assert!(watch.step().is_err());
        let series = watch.series("db01");
        assert_eq!((series.interval_count, series.durations_s.as_slice()), (3, [1.0, 2.0, 1.0].as_slice()));
        assert_eq!(series.disks[0].role, Some(Role::Data));
        let sdb: Vec<_> = (0..3).map(|at| series.disks[2].at(Counter::ReadIops, at)).collect();
        assert_eq!(sdb, [Some(100.0), None, None]);
        assert_eq!(series.disks[0].changes, DiskChanges::default());
        let last_gone = Some(Absence { from_s: 1_795_000_001.0, until_s: None });
        assert_eq!(
            series.disks[2].changes,
            DiskChanges { gone_count: 1, last_gone, ..DiskChanges::default() }
        );
        assert_eq!(watch.head("db01").stripes, series.stripes);
    }

    #[test]
    fn a_disk_that_took_the_name_of_another_is_noticed_although_it_had_counted_more() {
        const READINGS: [(f64, &str); 4] = [
            (0.0, "8 0 sda 100 0 800 100 0 0 0 0 0 50 100\n"),
            (1.0, "8 0 sda 300 0 2400 500 0 0 0 0 0 250 500\n"),
            (2.0, "8 0 sda 900 0 7200 900 0 0 0 0 0 650 900\n"),
            (3.0, "8 0 sda 901 0 7208 901 0 0 0 0 0 651 901\n"),
        ];
        let watched = Watched { disks: vec![disk("sda", None)], stripes: Vec::new() };
        let mut watch =
            Watch::begin(watched, Box::new(Captured(READINGS.into())), Duration::from_secs(1)).unwrap();
        let rates = [(); 3].map(|()| watch.step().unwrap().disks[0].read_iops);
        assert_eq!(rates, [Some(200.0), Some(600.0), None]);
    }

    #[test]
    fn a_stop_ends_it_between_two_readings() {
        let watched = Watched { disks: vec![disk("sda", None)], stripes: Vec::new() };
        let control = Control::default();
        let mut watch = Watch::begin(watched, Box::new(Captured(READINGS.into())), Duration::ZERO).unwrap();
        let mut seen = 0;
        let ended: Result<(), WatchError> = watch.run(None, &control, |_, _| {
            seen += 1;
            control.stop();
            Ok(())
        });
        ended.unwrap();
        assert_eq!(seen, 1);
    }
}
