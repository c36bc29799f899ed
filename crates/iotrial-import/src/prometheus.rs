//! Text in the exposition format of Prometheus: samples of counters and histograms, as a server shows them at one moment.
//!
//! Of etcd the histogram of its flushes is a result: how long a flush of the log took, of all since the start. Two scrapes in one file are
//! two moments, and the result is what happened between them. Counters of disks are in `counters/node_exporter.rs`.

use std::collections::BTreeMap;

use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{
    ImportedJob, LatencyBand, Stated, StatedBound, StatedLoad, StatedOps, StatedStream,
};
use iotrial_model::load::{Pattern, Role};

use crate::text::{numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// The histogram of the log's flushes, and what etcd calls the commit of its database, which writes and flushes.
const FLUSHES: &str = "etcd_disk_wal_fsync_duration_seconds";
const COMMITS: &str = "etcd_disk_backend_commit_duration_seconds";
/// etcd has 15 buckets.
const MOST_BUCKETS: usize = 1_000;
/// The percentiles that limits are set for, and the names of their figures.
const PERCENTILES: [(f64, &str); 4] =
    [(50.0, "lat_p50_us"), (90.0, "lat_p90_us"), (99.0, "lat_p99_us"), (99.9, "lat_p999_us")];

/// One line: `name{label="value",…} number`.
pub(crate) struct Sample<'t> {
    pub(crate) name: &'t str,
    labels: &'t str,
    pub(crate) value: f64,
}

impl<'t> Sample<'t> {
    /// `None` of comments, empty lines and anything else.
    pub(crate) fn of(line: &'t str) -> Option<Self> {
        let line = line.trim();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        let name = &line[..line.find(|c| !is_name(c)).unwrap_or(line.len())];
        if name.is_empty() {
            return None;
        }
        let rest = &line[name.len()..];
        let (labels, rest) = match rest.strip_prefix('{') {
            // Values may contain any character, so that the last brace ends the labels.
            Some(rest) => rest.rsplit_once('}')?,
            None => ("", rest),
        };
        // A time in ms may follow.
        let value = rest.split_whitespace().next()?.parse().ok()?;
        Some(Self { name, labels, value })
    }

    /// All labels but the edge of a bucket: whose sample it is.
    fn other_labels(&self) -> String {
        let parts = self.labels.split(',').map(str::trim);
        parts.filter(|part| !part.is_empty() && !part.starts_with("le=")).collect::<Vec<_>>().join(",")
    }

    /// The value of a label.
    pub(crate) fn label(&self, name: &str) -> Option<&'t str> {
        let mut rest = self.labels;
        loop {
            let (label, after) = rest.split_once("=\"")?;
            let (value, after) = after.split_once('"')?;
            if label.trim_start_matches([',', ' ']) == name {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// Whether a text has the histogram.
pub(crate) fn is_etcd(text: &str) -> bool {
    text.contains(FLUSHES) && text.contains("_bucket{")
}

/// A histogram at one moment: how many took up to so many seconds.
#[derive(Debug, Clone, Default)]
struct Histogram {
    line: usize,
    /// Upper edges in seconds, and how many are below each; in the order of the source.
    buckets: Vec<(f64, f64)>,
    sum_s: Option<f64>,
    count: Option<f64>,
}

/// The histograms of one name and one server, one for each scrape; `None` where those of several servers are in it.
fn histograms(text: &str, name: &str) -> Option<Vec<Histogram>> {
    let mut all: Vec<Histogram> = Vec::new();
    let mut server: Option<String> = None;
    for (line, whole) in numbered(text).filter(|(_, line)| line.contains(name)) {
        let Some(sample) = Sample::of(whole) else { continue };
        if sample.name.starts_with(name)
            && *server.get_or_insert_with(|| sample.other_labels()) != sample.other_labels()
        {
            return None;
        }
        match sample.name.strip_prefix(name) {
            Some("_bucket") => {
                let edge = match sample.label("le") {
                    Some("+Inf") => f64::INFINITY,
                    edge => match edge.and_then(|edge| edge.parse().ok()) {
                        Some(edge) => edge,
                        None => continue,
                    },
                };
                // The same or a lower edge once more is the next scrape.
                let is_next =
                    all.last().is_none_or(|one| one.buckets.last().is_some_and(|(last, _)| edge <= *last));
                if is_next {
                    all.push(Histogram { line, ..Histogram::default() });
                }
                if let Some(one) = all.last_mut().filter(|one| one.buckets.len() < MOST_BUCKETS) {
                    one.buckets.push((edge, sample.value));
                }
            }
            Some("_sum") => all.iter_mut().rev().take(1).for_each(|one| one.sum_s = Some(sample.value)),
            Some("_count") => all.iter_mut().rev().take(1).for_each(|one| one.count = Some(sample.value)),
            _ => {}
        }
    }
    Some(all)
}

/// What came between the first of several scrapes and the last; `None` where the counters began anew between two of them.
fn difference_of(all: &[Histogram]) -> Option<Histogram> {
    let is_one_course = all.windows(2).all(|pair| pair[1].since(&pair[0]).is_some());
    all.last()?.since(all.first()?).filter(|_| is_one_course)
}

impl Histogram {
    /// What came after an earlier moment; `None` where the counters began anew between them.
    fn since(&self, earlier: &Self) -> Option<Self> {
        let both = self.buckets.iter().zip(&earlier.buckets);
        let buckets: Vec<(f64, f64)> = both
            .map(|((edge, count), (same, before))| {
                (edge == same && count >= before).then(|| (*edge, count - before))
            })
            .collect::<Option<_>>()?;
        let difference = |now: Option<f64>, before: Option<f64>| Some(now? - before?);
        (self.buckets.len() == earlier.buckets.len()).then(|| Self {
            line: self.line,
            buckets,
            sum_s: difference(self.sum_s, earlier.sum_s),
            count: difference(self.count, earlier.count),
        })
    }

    fn total(&self) -> f64 {
        self.buckets.last().map_or(0.0, |(_, count)| *count)
    }

    /// Whether it can be a histogram: the last bucket has all, and no bucket fewer than the one before.
    fn is_whole(&self) -> bool {
        let rises = self.buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1);
        let ends = self.buckets.last().is_some_and(|(edge, _)| edge.is_infinite());
        rises && ends && self.total() > 0.0 && self.count.is_none_or(|count| count == self.total())
    }

    /// Between which seconds a percentile lies; the upper one is infinite beyond the last edge.
    fn percentile(&self, percent: f64) -> Option<(f64, f64)> {
        let rank = self.total() * percent / 100.0;
        let at = self.buckets.iter().position(|(_, count)| *count >= rank)?;
        let below = at.checked_sub(1).map_or(0.0, |before| self.buckets[before].0);
        Some((below, self.buckets[at].0))
    }

    /// In percent of all, in the buckets of the source.
    fn bands(&self) -> Vec<LatencyBand> {
        let total = self.total();
        let mut before = (0.0, 0.0);
        let mut bands = Vec::new();
        for (edge, count) in &self.buckets {
            let percent = Stated { value: 100.0 * (count - before.1) / total, resolution: 0.0 };
            let below_us = edge.is_finite().then_some(edge * 1e6);
            bands.push(LatencyBand { from_us: before.0 * 1e6, below_us, percent });
            before = (*edge, *count);
        }
        bands
    }
}

/// Reads the flushes of etcd.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let text = without_prefixes(text, &["etcd_disk_wal_fsync_duration_seconds_bucket{"]);
    let Some(all) = histograms(&text, FLUSHES) else {
        return Err(reading.no_result("it has the flushes of several servers; give those of one"));
    };
    let Some(last) = all.last() else { return Ok(()) };
    let place = format!("line {}", last.line);
    let of_interval = (all.len() > 1).then(|| difference_of(&all));
    if matches!(of_interval, Some(None)) {
        reading.notes.warn(
            &place,
            "the counters began anew between scrapes: it has what the last one counted since then",
        );
    }
    let histogram = of_interval.flatten().unwrap_or_else(|| last.clone());
    if !histogram.is_whole() {
        return Err(reading.no_result("the buckets of its flushes are not whole"));
    }
    let mut record = reading.record("etcd", None, &place);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of flushes")]
    let io_count = Some(histogram.total() as u64);
    let mut flushes = StatedStream { io_count, ..StatedStream::default() };
    let latency = &mut flushes.total_latency;
    latency.mean_us = histogram.sum_s.map(|sum_s| Stated::exact(1e6 * sum_s / histogram.total()));
    latency.bands = histogram.bands();
    for (percent, name) in PERCENTILES {
        let Some((above_s, below_s)) = histogram.percentile(percent) else { continue };
        let metric = format!("commit.{name}");
        let edge = |seconds: f64| Stated::exact(seconds).times(1e6);
        // Of a percentile only its bucket is known.
        if below_s.is_finite() {
            let number = edge(below_s);
            record.bounds.push(StatedBound {
                metric: metric.clone(),
                relation: BoundRelation::AtMost,
                number,
            });
        }
        if above_s > 0.0 {
            record.bounds.push(StatedBound {
                metric,
                relation: BoundRelation::AtLeast,
                number: edge(above_s),
            });
        }
    }
    // Writes of a log, one behind the other, and a flush behind each: its writes are not timed.
    let load = StatedLoad {
        pattern: Some(Pattern::Sequential),
        rwmix_read_percent: Some(0.0),
        flush_every: Some(1),
        paced: true,
        ..StatedLoad::default()
    };
    record.total = Some(StatedOps { sync: Some(flushes), ..StatedOps::default() });
    record.jobs.push(ImportedJob {
        name: quote("wal"),
        role: Some(Role::Log),
        load,
        ..ImportedJob::default()
    });
    record.other = commits_of_database(&text);
    reading.keep(record)
}

/// The commits of etcd's database as figures of an application: each is several writes and a flush.
fn commits_of_database(text: &str) -> BTreeMap<String, Stated> {
    let all = histograms(text, COMMITS).unwrap_or_default();
    let of_interval = difference_of(&all).filter(|_| all.len() > 1);
    let Some(commits) = of_interval.or_else(|| all.last().cloned()).filter(Histogram::is_whole) else {
        return BTreeMap::new();
    };
    let mean = commits.sum_s.map(|sum_s| Stated::exact(1e3 * sum_s / commits.total()));
    mean.map(|mean| ("other.backend_commit_mean_ms".to_owned(), mean)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scrape: so many flushes up to 1 ms, and slower ones, of a server.
    fn scrape(server: &str, fast: u64, slow: u64) -> String {
        let of = |edge: &str, count: u64| format!("{FLUSHES}_bucket{{{server}le=\"{edge}\"}} {count}\n");
        of("0.001", fast) + &of("+Inf", fast + slow)
    }

    #[test]
    fn scrapes_of_one_server_are_a_course_and_those_of_several_are_none() {
        let counts = |text: &str| {
            let all = histograms(text, FLUSHES)?;
            difference_of(&all).map(|one| one.buckets.iter().map(|(_, count)| *count).collect::<Vec<_>>())
        };
        let three = [scrape("", 100, 1), scrape("", 150, 2), scrape("", 300, 9)].concat();
        assert_eq!(counts(&three), Some(vec![200.0, 208.0]));
        // It began anew between the first and the second, whatever the last one has.
        let anew = [scrape("", 100, 1), scrape("", 50, 0), scrape("", 300, 9)].concat();
        assert_eq!(counts(&anew), None);
        let (one, other) = ("instance=\"a\",", "instance=\"b\",");
        assert_eq!(counts(&(scrape(one, 100, 1) + &scrape(one, 300, 9))), Some(vec![200.0, 208.0]));
        assert!(histograms(&(scrape(one, 100, 1) + &scrape(other, 300, 9)), FLUSHES).is_none());
    }
}
