//! A look at the host before anything is written, and the wait until others leave it alone.

use std::cell::Cell;
use std::time::{Duration, Instant};

use iotrial_analysis::quiet::{Disturbance, disturbances};
use iotrial_analysis::words::seconds_in_words;
use iotrial_measure::activity::ActivitySnapshot;
use iotrial_measure::control::Control;
use iotrial_model::record::{ActivityLook, HostActivity};
use iotrial_words::activity::{cpus, disk, steal};

use crate::observer::Observer;
use crate::setup::Setup;

/// A look takes so long.
// A choice: CPU time is counted in ticks of 10 ms, so that a share is known to a percent, and nobody minds the time.
const LOOK: Duration = Duration::from_secs(3);
/// A shorter look, at the end of the wait, says too little.
const LEAST_LOOK: Duration = Duration::from_millis(500);
/// While it looks, it asks so often whether it is to go on.
const TICK: Duration = Duration::from_millis(50);
/// More disks than this do not fit the line about them.
const MOST_DISKS: usize = 1;

/// How a load waits for a quiet host.
pub struct QuietWait<'w> {
    /// It begins after so long, behind the first look, whatever goes on; more than zero.
    pub at_most: Duration,
    /// Whether the user wants it to begin now; `None` where nobody can be asked.
    pub starts_now: Option<&'w mut dyn FnMut() -> bool>,
}

impl QuietWait<'_> {
    /// The same for one of several loads.
    pub(crate) fn again(&mut self) -> QuietWait<'_> {
        let starts_now =
            self.starts_now.as_mut().map(|starts_now| &mut **starts_now as &mut dyn FnMut() -> bool);
        QuietWait { at_most: self.at_most, starts_now }
    }
}

/// Notes what others did since `before`, where that could be read.
pub(crate) fn note_during(activity: &mut Option<HostActivity>, before: Option<&ActivitySnapshot>) {
    if let Some((now, before)) = before.and_then(|before| Some((ActivitySnapshot::now()?, before))) {
        let during = now.look_beside_load(before, std::process::id());
        activity.get_or_insert_default().during = Some(during);
    }
}

impl Setup {
    /// Looks at what others do on the host, and waits until they leave it alone, or as long as `wait` says. What was seen comes into the
    /// record. A load that touches no target waits for nothing, and a stop ends the wait.
    pub fn wait_for_quiet(&mut self, wait: QuietWait<'_>, control: &Control, observer: &dyn Observer) {
        if !self.plan.engine.touches_targets() {
            return;
        }
        let QuietWait { at_most, mut starts_now } = wait;
        let devices = self.probed.iter().flat_map(|target| &target.record.devices);
        // What lies below all partitions and mappings has the I/O of all of them.
        let mut disks: Vec<&str> = devices
            .filter(|device| device.carried_by.is_empty())
            .map(|device| device.name.as_str())
            .collect();
        disks.sort_unstable();
        disks.dedup();
        let can_be_asked = starts_now.is_some();
        // Not before it was said what a key does: what was typed ahead is for somebody else.
        let is_asked = Cell::new(false);
        let mut wants_to_start =
            || is_asked.get() && starts_now.as_mut().is_some_and(|starts_now| starts_now());
        let mut is_over = || control.is_stopping() || wants_to_start();
        let mut look = |window| look(window, &disks, &mut is_over);
        let activity = wait_until_quiet(&mut look, at_most, self.host.all_cpu_count(), |line| match line {
            Said::Busy { lines } => {
                lines.iter().for_each(|line| observer.warn(&format!("busy host: {line}")));
                let most = seconds_in_words(at_most.as_secs_f64());
                let way_on = if can_be_asked { "; Enter starts now, Ctrl-C stops" } else { "" };
                observer.warn(&format!("waiting until it is quiet, {most} at most{way_on}"));
                is_asked.set(true);
            }
            Said::Quiet(after) => {
                observer.say(&format!("quiet after {}", seconds_in_words(after.as_secs_f64())));
            }
            Said::StillBusy(after) => {
                let after = seconds_in_words(after.as_secs_f64());
                observer.warn(&format!("the host is still busy after {after}; starting anyway"));
            }
        });
        self.host_activity = activity.before.is_some().then_some(activity);
    }
}

/// What there is to say about the wait.
enum Said {
    /// It begins.
    Busy {
        /// Who disturbs, for people.
        lines: Vec<String>,
    },
    /// It is over.
    Quiet(Duration),
    /// It has lasted as long as it may.
    StillBusy(Duration),
}

/// Looks again and again. `look` gives what was seen in a time, or nothing where it was cut short or cannot see.
fn wait_until_quiet(
    look: &mut dyn FnMut(Duration) -> Option<ActivityLook>,
    at_most: Duration,
    cpu_count: u32,
    mut say: impl FnMut(Said),
) -> HostActivity {
    let mut activity = HostActivity::default();
    let (mut window, mut waits) = (LOOK, false);
    while let Some(seen) = look(window) {
        if waits {
            activity.waited += seen.duration;
        }
        let lines = lines(&seen, &disturbances(&seen, cpu_count), cpu_count);
        activity.before = Some(seen);
        if lines.is_empty() {
            if waits {
                say(Said::Quiet(activity.waited));
            }
            break;
        }
        if !waits {
            say(Said::Busy { lines });
            waits = true;
        }
        let left = at_most.saturating_sub(activity.waited);
        if left < LEAST_LOOK {
            say(Said::StillBusy(activity.waited));
            break;
        }
        window = LOOK.min(left);
    }
    activity
}

/// One line about CPUs and one about disks, so that a terminal has room for the rest.
fn lines(seen: &ActivityLook, found: &[Disturbance<'_>], cpu_count: u32) -> Vec<String> {
    let of_cpus = found.iter().filter_map(|one| match one {
        Disturbance::Cpu => Some(cpus(seen, cpu_count)),
        Disturbance::Steal => Some(steal(seen)),
        Disturbance::Disk(_) => None,
    });
    let mut disks: Vec<String> = found
        .iter()
        .filter_map(|one| if let Disturbance::Disk(seen) = one { Some(disk(seen)) } else { None })
        .collect();
    let more = disks.len().saturating_sub(MOST_DISKS);
    disks.truncate(MOST_DISKS);
    disks.extend((more > 0).then(|| format!("and {more} more")));
    [of_cpus.collect::<Vec<_>>().join("; "), disks.join(", ")]
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect()
}

/// What others do for so long; nothing once `is_over`.
fn look(window: Duration, disks: &[&str], is_over: &mut dyn FnMut() -> bool) -> Option<ActivityLook> {
    let before = ActivitySnapshot::now()?;
    let end = Instant::now() + window;
    loop {
        if is_over() {
            return None;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Some(ActivitySnapshot::now()?.look_since(&before, std::process::id(), disks));
        }
        std::thread::sleep(left.min(TICK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits while others use so many percent of two CPUs, look by look; nothing once the list is at its end, as when the user goes on.
    fn waits(at_most_s: u64, others: &[f64]) -> (Vec<&'static str>, u64, Option<f64>) {
        let mut others = others.iter();
        let mut look = |window| {
            let others_cpu_percent = Some(*others.next()?);
            Some(ActivityLook { duration: window, others_cpu_percent, ..ActivityLook::default() })
        };
        let mut said = Vec::new();
        let activity = wait_until_quiet(&mut look, Duration::from_secs(at_most_s), 2, |what| {
            said.push(match what {
                Said::Busy { .. } => "busy",
                Said::Quiet(_) => "quiet",
                Said::StillBusy(_) => "still busy",
            });
        });
        (said, activity.waited.as_secs(), activity.before.and_then(|look| look.others_cpu_percent))
    }

    #[test]
    fn a_quiet_host_is_measured_at_once_and_a_busy_one_when_it_is_quiet_or_the_wait_is_over() {
        assert_eq!(waits(60, &[3.0]), (vec![], 0, Some(3.0)));
        assert_eq!(waits(60, &[90.0, 80.0, 3.0, 90.0]), (vec!["busy", "quiet"], 6, Some(3.0)));
        assert_eq!(waits(7, &[90.0; 9]), (vec!["busy", "still busy"], 7, Some(90.0)));
        // The rest of the time is too short for another look.
        assert_eq!(waits(6, &[90.0; 9]).1, 6);
        // The user goes on, before anything was seen and later, or nothing can be read.
        assert_eq!(waits(60, &[]), (vec![], 0, None));
        assert_eq!(waits(60, &[90.0, 80.0]), (vec!["busy"], 3, Some(80.0)));
    }

    #[test]
    fn what_disturbs_takes_two_lines_at_most() {
        let disk = |name: &str| iotrial_model::record::DiskActivity {
            name: name.into(),
            write_iops: 500.0,
            ..Default::default()
        };
        let seen = ActivityLook {
            others_cpu_percent: Some(80.0),
            steal_percent: Some(15.0),
            disks: vec![disk("sda"), disk("sdb"), disk("sdc")],
            ..ActivityLook::default()
        };
        let found = disturbances(&seen, 2);
        assert_eq!((found.len(), lines(&seen, &found, 2).len()), (5, 2));
    }

    #[test]
    fn a_look_that_is_to_end_ends_at_once() {
        assert_eq!(look(Duration::from_secs(3_600), &[], &mut || true), None);
    }
}
