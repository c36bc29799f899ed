//! The search for the highest rate of a mix that stays within limits on latency, and for whether a needed rate does: what was
//! asked, what was tried, what was found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::content::shown_name;
use crate::finding::Doubts;
use crate::latency_limit::SearchLimit;
use crate::load::Role;
use crate::need::Need;
use crate::stream::Stream;
use crate::units::seconds;

/// What a search tried, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What a rate had to stay within.
    pub limit: SearchLimit,
    /// Whether that is a threshold set with the name of a built-in one and other content, as the text of the set in the record tells.
    #[serde(skip)]
    pub limit_differs: bool,
    /// The rate that was needed; absent where only the highest one was sought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
    /// Every load, in order.
    pub probes: Vec<Probe>,
    /// Whether the needed rate is carried; absent without a need, and where the loads at that rate disagree or were in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carries_need: Option<bool>,
    /// The highest rate; absent where not even the lowest one held, where the loads disagree, and where the search did not come to
    /// its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<SearchResult>,
    /// Whether loads were still wanted for which there was no time left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub time_ran_out: bool,
}

impl Search {
    /// What a rate had to stay within, under the name by which it is shown.
    pub fn shown_limit(&self) -> SearchLimit {
        match &self.limit {
            SearchLimit::Thresholds(name) => {
                SearchLimit::Thresholds(shown_name(name, self.limit_differs).into_owned())
            }
            latency => latency.clone(),
        }
    }

    /// Whether a load shows what the mix of the search does at saturation. With rates of its own for each role the closed load has another
    /// mix than all that follow, and more commits than the log can take.
    pub fn is_saturation_of_mix(&self, probe: &Probe) -> bool {
        probe.kind == ProbeKind::Saturation && !matches!(self.need, Some(Need::ByRole(_)))
    }

    /// The closed load, if it has the mix of the search.
    pub fn saturation(&self) -> Option<&Probe> {
        self.probes.iter().find(|probe| self.is_saturation_of_mix(probe))
    }

    /// The loads at the rate that is needed, in I/Os per second.
    pub fn at_need(&self, need_iops: f64) -> impl Iterator<Item = &Probe> {
        let is_near = move |iops: f64| (iops / need_iops - 1.0).abs() < 1e-6;
        self.probes.iter().filter(move |probe| probe.asked_iops.is_some_and(is_near))
    }

    /// The load that decided that a needed rate is not carried: the longest that failed without doubts, else the longest that failed.
    pub fn decisive_failure(&self, need_iops: f64) -> Option<&Probe> {
        let failed = self.at_need(need_iops).filter(|probe| probe.held == Some(false));
        failed.max_by_key(|probe| (probe.doubts.is_empty(), probe.duration))
    }

    /// Whether a load was made at a clearly higher rate than the one that holds.
    pub fn was_tried_above(&self, held_iops: f64) -> bool {
        self.probes
            .iter()
            .any(|probe| probe.asked_iops.is_some_and(|asked| asked > held_iops * CLEARLY_ABOVE))
    }

    /// Of the loads of a given rate for which that is so, the one with the lowest.
    pub fn lowest(&self, is_it: impl Fn(&Probe) -> bool) -> Option<&Probe> {
        let rate = |probe: &Probe| probe.asked_iops.unwrap_or(f64::INFINITY);
        let all = self.probes.iter().filter(|probe| probe.asked_iops.is_some() && is_it(probe));
        all.min_by(|a, b| rate(a).total_cmp(&rate(b)))
    }

    /// The lowest rate clearly above the one that holds at which a load did not, though not surely enough to be the answer.
    pub fn failed_above(&self, held_iops: f64) -> Option<f64> {
        let asked = self.surely_failed().filter_map(|probe| probe.asked_iops);
        asked.filter(|iops| *iops > held_iops * CLEARLY_ABOVE).reduce(f64::min)
    }

    /// Why the next rate above the one that holds did not, in the words of the search.
    pub fn why_not_above(&self, held_iops: f64) -> Option<&str> {
        let above =
            self.surely_failed().filter_map(|probe| Some((probe.asked_iops?, probe.why_not.as_deref()?)));
        let nearest = above.filter(|(iops, _)| *iops > held_iops).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map(|(_, why)| why)
    }

    /// Loads that did not hold, with nothing that casts doubt on it.
    fn surely_failed(&self) -> impl Iterator<Item = &Probe> {
        self.probes.iter().filter(|probe| probe.held == Some(false) && probe.doubts.is_empty())
    }

    /// Whether every number is one that a search can reach: records come from strangers, and a chart has to
    /// end somewhere.
    // A record is opened without knowing who wrote it, and its numbers become axes of charts.
    pub(crate) fn is_in_range(&self) -> bool {
        let positive = |number: f64| number > 0.0 && number < MOST;
        let reached = |number: f64| (0.0..MOST).contains(&number);
        let worst = |worst: &WorstLatency| {
            let all = worst
                .untouched
                .is_none_or(|one| reached(one.shown_us) && (0.0..=100.0).contains(&one.percent));
            reached(worst.latency_us) && worst.limit_us.is_none_or(positive) && all
        };
        let of_probe = |probe: &Probe| {
            probe.share.is_none_or(reached)
                && probe.asked_iops.is_none_or(positive)
                && reached(probe.iops)
                && probe.lat_mean_us.is_none_or(reached)
                && probe.duration <= LONGEST
                && probe.worst.as_ref().is_none_or(worst)
        };
        let of_result = |result: &SearchResult| {
            positive(result.held_iops)
                && result.device_iops.is_none_or(positive)
                && result.not_held_iops.is_none_or(positive)
                && worst(&result.worst)
                && result.job_rates.len() <= MOST_PROBES
                && result.job_rates.iter().all(|rate| reached(rate.iops))
                && [result.read_iops, result.write_iops].into_iter().flatten().all(reached)
        };
        let limit = match &self.limit {
            SearchLimit::Latency(limit) => limit.latency <= LONGEST,
            SearchLimit::Thresholds(_) => true,
        };
        limit
            && self.need.as_ref().is_none_or(|need| positive(need.total_iops()))
            && self.probes.len() <= MOST_PROBES
            && self.probes.iter().all(of_probe)
            && self.result.as_ref().is_none_or(of_result)
    }
}

/// A load whose rate is above another one by less than this was made at the same rate.
const CLEARLY_ABOVE: f64 = 1.001;

/// No rate and no latency in microseconds reaches this.
// Above any rate, and a latency of 10^15 µs is thirty years.
const MOST: f64 = 1e15;
/// No load of a search lasts longer.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);
/// No search has as many loads, and no plan as many jobs.
const MOST_PROBES: usize = 10_000;

/// One load of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// What it was for.
    pub kind: ProbeKind,
    /// The rate that was asked, as a share of the rate at saturation; `None` for that one itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The rate that was asked, all jobs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_iops: Option<f64>,
    /// The rate that came about.
    pub iops: f64,
    /// The mean latency of all I/Os, in µs; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lat_mean_us: Option<f64>,
    /// The time that was measured.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// The figure that used up most of its limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstLatency>,
    /// Whether the limit held; `None` where that was not asked, and where too few I/Os finished to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
    /// Why it did not hold, or could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Findings by which something else than the device may have been the limit: the generator or a foreign load.
    #[serde(default, skip_serializing_if = "Doubts::is_empty")]
    pub doubts: Doubts,
}

impl Probe {
    /// Whether it asked for a rate, and too few I/Os finished to tell whether the limit held.
    pub fn is_undecided(&self) -> bool {
        self.share.is_some() && self.held.is_none()
    }

    /// I/Os that it did while it was measured, as a number that need not be whole.
    pub fn ios_done(&self) -> f64 {
        self.iops * self.duration.as_secs_f64()
    }
}

/// Why a load of a search does not stay within its limits, or cannot be judged.
#[derive(Debug, Clone, PartialEq)]
pub enum NotHeld {
    /// Too many I/Os failed, which makes it another load.
    Errors {
        /// I/Os that failed.
        failed_count: u64,
        /// All I/Os, failed ones too.
        io_count: u64,
    },
    /// The queue of a job grew.
    NotIssued {
        /// Name of the job.
        job: String,
        /// I/Os per second that did not only make the queue longer.
        kept_iops: f64,
        /// I/Os per second that arrived.
        asked_iops: f64,
    },
    /// A stream that has a limit completed nothing.
    NothingCompleted(Role, Stream),
    /// A latency is beyond its limit.
    TooSlow {
        /// That latency.
        worst: WorstLatency,
        /// Whether everything has the same limit, which is then known.
        has_one_limit: bool,
    },
    /// No statistic has the I/Os that it needs.
    TooFewIos,
}

/// What a load of a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeKind {
    /// A closed load, for the rate of each job at saturation.
    Saturation,
    /// As long as the statistic needs.
    Probe,
    /// A longer run, at the highest rate that held or at the one that is needed.
    Confirmation,
}

impl ProbeKind {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Saturation => "saturation",
            Self::Probe => "probe",
            Self::Confirmation => "confirmation",
        }
    }
}

/// The latency that used up most of its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstLatency {
    /// Whose I/O it is.
    pub role: Role,
    /// Its direction, or commits.
    pub stream: Stream,
    /// Which statistic, `mean` or `p99`; absent in files in which the limit has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<String>,
    /// Its value in µs, 0 or more.
    pub latency_us: f64,
    /// What it had to stay below, in µs; absent in files in which the limit has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_us: Option<f64>,
    /// Where the latency is that of the I/Os that the generator left alone; absent where it is that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untouched: Option<Untouched>,
}

/// Where the I/Os decide that the generator did not delay by more than 100 µs: the figure is theirs, and beside it what all I/Os show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Untouched {
    /// Their share of all I/Os, in percent.
    pub percent: f64,
    /// The latency of all I/Os, in µs.
    pub shown_us: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The highest rate that held, and was confirmed where no other rate was needed; of all jobs whose rate is sought.
    pub held_iops: f64,
    /// The I/Os that the device did at that rate, where several commits shared a log write; absent where it did as many as were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_iops: Option<f64>,
    /// Reads in it; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_iops: Option<f64>,
    /// Writes in it, commits among them; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_iops: Option<f64>,
    /// How sure it is that the rate holds, in percent; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_percent: Option<f64>,
    /// From here on it does not, as surely; `None` where even 5 % more than the rate at saturation held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_held_iops: Option<f64>,
    /// Doubts that every load at that rate had: the device itself may hold more.
    #[serde(default, skip_serializing_if = "Doubts::is_empty")]
    pub not_held_doubts: Doubts,
    /// The worst stream at the rate that held.
    pub worst: WorstLatency,
    /// The rate of each job that was given one.
    pub job_rates: Vec<JobRate>,
}

impl SearchResult {
    /// Whether the device itself may carry more: nothing above was tried, or something else failed there.
    pub fn is_lower_bound(&self) -> bool {
        self.not_held_iops.is_none() || !self.not_held_doubts.is_empty()
    }
}

/// The rate of one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRate {
    /// Name of the job.
    pub name: String,
    /// I/Os per second of all its copies.
    pub iops: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingId;

    /// Loads of so many seconds at 1,500 IOPS: whether each held, and whether something else may have been the limit.
    fn search(loads: &[(u64, Option<bool>, bool)]) -> Search {
        let probe = |&(seconds, held, is_doubtful): &(u64, Option<bool>, bool)| Probe {
            kind: ProbeKind::Probe,
            share: Some(0.7),
            asked_iops: Some(1_500.0),
            iops: 1_500.0,
            lat_mean_us: None,
            duration: Duration::from_secs(seconds),
            worst: None,
            held,
            why_not: None,
            doubts: is_doubtful.then_some(FindingId::GeneratorBusy).into_iter().collect(),
        };
        Search {
            limit: SearchLimit::Thresholds("flash".to_owned()),
            limit_differs: false,
            need: None,
            probes: loads.iter().map(probe).collect(),
            carries_need: Some(false),
            result: None,
            time_ran_out: false,
        }
    }

    #[test]
    fn the_longest_load_beyond_doubt_decides_that_a_need_fails() {
        let decisive =
            |loads: &[_]| search(loads).decisive_failure(1_500.0).map(|probe| probe.duration.as_secs());
        let failed = |seconds| (seconds, Some(false), false);
        let doubtful = |seconds| (seconds, Some(false), true);
        assert_eq!(decisive(&[failed(3), failed(30), failed(10)]), Some(30));
        assert_eq!(decisive(&[failed(3), doubtful(60)]), Some(3));
        assert_eq!(decisive(&[doubtful(3), doubtful(60)]), Some(60));
        assert_eq!(decisive(&[(90, Some(true), false), (120, None, false), failed(10)]), Some(10));
        assert_eq!(decisive(&[(90, Some(true), false)]), None);
        assert!(search(&[failed(30)]).decisive_failure(3_000.0).is_none());
    }
}
