//! Runs of SLOB: of each report the figures that SLOB's own script takes from it (`misc/awr_info.sh`), what ran at the same time
//! together, and how it scales over sessions and over hosts.

use std::collections::BTreeSet;

use iotrial_model::awr::{AwrKind, AwrReport, FileFact, FileNote, Quoted, SlobNote, WaitSide};
use serde::Serialize;

use super::figures::{first, named, rate};
use super::remarks::{Limit, limits_of};
use super::said;

/// Whose word the number of sessions is.
const OF_NAME: &str = "file name";
/// Runs on other numbers of hosts have as many sessions on each where they differ by no more than this share: active sessions are a
/// mean, and a little fewer than there were.
const AS_MANY: f64 = 0.05;

/// Waits for reads under the names of the database, with those that SLOB has for their means.
const READ_WAITS: [(&str, &str); 3] = [
    ("db file sequential read", "DFSR_LAT"),
    ("direct path read", "DPR_LAT"),
    ("db file parallel read", "DFPR_LAT"),
];

/// What a run mostly waited for to read: `direct path read` where it scans, although a few reads of one block are always there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SlobWait {
    /// As the database calls it.
    pub event: &'static str,
    /// As SLOB calls its mean.
    pub name: &'static str,
    /// The mean in microseconds, over the waits of all hosts.
    pub mean_us: f64,
}

/// One report of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlobReport {
    /// The file, as the user named it.
    pub file: String,
    /// The database.
    pub database: String,
    /// Where its instances run.
    pub hosts: BTreeSet<String>,
    /// Sessions that ran, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<f64>,
    /// Who says so: `file name`, or `active sessions`, the mean over the interval. Sessions of SLOB never think, so that all of them
    /// are active; the count at the snapshots of a report has idle ones and background processes in it, and none of a run that is over.
    pub sessions_from: &'static str,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// `ELAPSED`: seconds.
    pub elapsed_s: Quoted,
    /// `DB CPU`: CPUs that are busy, with those of background processes.
    pub db_cpu: Quoted,
    /// `DB Tm`: sessions that are working or waiting.
    pub db_time: Quoted,
    /// `EXECUTES` of statements per second.
    pub executes_per_s: Quoted,
    /// `LIO`: logical reads of blocks per second.
    pub logical_reads_per_s: Quoted,
    /// `PREADS`: read requests of the database per second.
    pub reads_per_s: Quoted,
    /// `READ_MBS`: MiB of all reads per second.
    pub read_mib_per_s: Quoted,
    /// `PWRITES`: write requests of the database per second.
    pub writes_per_s: Quoted,
    /// `WRITE_MBS`: MiB of all writes per second.
    pub write_mib_per_s: Quoted,
    /// `REDO_MBS`: MiB of redo per second.
    pub redo_mib_per_s: Quoted,
    /// `DFSR_LAT`: `db file sequential read`, in microseconds.
    pub sequential_read_us: Quoted,
    /// `DPR_LAT`: `direct path read`.
    pub direct_read_us: Quoted,
    /// `DFPR_LAT`: `db file parallel read`.
    pub parallel_read_us: Quoted,
    /// `DFPW_LAT`: `db file parallel write`, of background processes.
    pub parallel_write_us: Quoted,
    /// `LFPW_LAT`: `log file parallel write`, of background processes.
    pub redo_write_us: Quoted,
    /// `TOP WAIT`: what has most of DB time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_wait: Option<Limit>,
    /// What tells instances apart: the database and the number of the instance.
    #[serde(skip)]
    instances: BTreeSet<(String, u32)>,
    /// How often each of the waits for reads was waited for.
    #[serde(skip)]
    read_waits: [f64; READ_WAITS.len()],
}

/// Reports of the same time: one, or one of each host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlobRun {
    /// On how many hosts it ran.
    pub hosts: usize,
    /// Sessions on each of them, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_per_host: Option<f64>,
    /// Reads and writes of the databases per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// MiB of all reads per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_mib_per_s: Option<f64>,
    /// MiB of all writes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_mib_per_s: Option<f64>,
    /// What it mostly waited for to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_wait: Option<SlobWait>,
    /// Its IOPS by those of the run with the fewest sessions on as many hosts, times the sessions: 100 is in proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_first_percent: Option<f64>,
    /// Its IOPS by those of the fewest hosts with as many sessions on each, times the hosts: 100 is in proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_fewest_hosts_percent: Option<f64>,
    /// The reports.
    pub reports: Vec<SlobReport>,
    #[serde(skip)]
    span: Option<(i64, i64)>,
}

/// What a number of hosts reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlobHosts {
    /// How many hosts.
    pub hosts: usize,
    /// How many runs.
    pub runs: usize,
    /// The highest rate of a run.
    pub best_iops: f64,
    /// With how many sessions on each host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_per_host: Option<f64>,
    /// What this run mostly waited for to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_wait: Option<SlobWait>,
    /// Against the best run of the fewest hosts, times the hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_fewest_hosts_percent: Option<f64>,
}

/// A series of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlobSeries {
    /// By hosts, and then by sessions.
    pub runs: Vec<SlobRun>,
    /// The best of each number of hosts.
    pub by_hosts: Vec<SlobHosts>,
    /// Reports that were read and are not counted.
    #[serde(serialize_with = "said::file_notes")]
    pub left_out: Vec<FileNote>,
    /// What is to be known.
    #[serde(serialize_with = "said::slob_notes")]
    pub notes: Vec<SlobNote>,
}

impl SlobReport {
    /// The figures of a report; `file` is its name.
    pub fn of(report: &AwrReport, file: &str) -> Self {
        let elapsed = report.interval.elapsed_s.sound().filter(|elapsed| *elapsed > 0.0);
        let per_second = |time: Quoted, what: &str| match (time.number, elapsed) {
            (Some(seconds), Some(elapsed)) => {
                let how = format!("{what} divided by the elapsed time");
                Quoted::derived(seconds.per(elapsed), time.place, how)
            }
            _ => time,
        };
        let load = |name: &str| named(&report.load_profile, name);
        let time = |name: &str| named(&report.time_model, name);
        let wait = |event: &str, side| {
            let wait = report.wait(event, side);
            wait.map_or_else(
                || Quoted::absent("", format!("nobody waited for `{event}`")),
                |wait| wait.mean_us.clone(),
            )
        };
        const MIB: f64 = 1_048_576.0;
        let of_name = sessions_of_name(file);
        let whose = report.database.id.map_or_else(|| report.database.name.clone(), |id| id.to_string());
        let host_of = |at: usize, name: &Option<String>| {
            name.clone().unwrap_or_else(|| format!("{} instance {}", report.database.title(), at + 1))
        };
        let db_time =
            first(vec![per_second(report.interval.db_time_s.clone(), "DB time"), load("DB Time(s)")]);
        Self {
            file: file.to_owned(),
            database: report.database.title(),
            hosts: report.instances.iter().enumerate().map(|(at, one)| host_of(at, &one.host)).collect(),
            sessions: of_name.or(db_time.sound()),
            sessions_from: if of_name.is_some() { OF_NAME } else { "active sessions" },
            begin: report.interval.begin.clone(),
            end: report.interval.end.clone(),
            elapsed_s: report.interval.elapsed_s.clone(),
            db_cpu: cpus(
                first(vec![per_second(time("DB CPU"), "DB CPU"), load("DB CPU(s)")]),
                first(vec![
                    per_second(time("background cpu time"), "background CPU"),
                    load("Background CPU(s)"),
                ]),
            ),
            db_time,
            executes_per_s: first(vec![
                rate(report, "execute count"),
                load("Executes (SQL)"),
                load("Executes"),
            ]),
            logical_reads_per_s: first(vec![
                rate(report, "session logical reads"),
                load("Logical read (blocks)"),
                load("Logical reads"),
            ]),
            reads_per_s: first(vec![rate(report, "physical read IO requests"), load("Read IO requests")]),
            read_mib_per_s: rate(report, "physical read total bytes").scaled(1.0 / MIB),
            writes_per_s: first(vec![rate(report, "physical write IO requests"), load("Write IO requests")]),
            write_mib_per_s: rate(report, "physical write total bytes").scaled(1.0 / MIB),
            redo_mib_per_s: first(vec![
                rate(report, "redo size"),
                load("Redo size (bytes)"),
                load("Redo size"),
            ])
            .scaled(1.0 / MIB),
            sequential_read_us: wait("db file sequential read", WaitSide::Foreground),
            direct_read_us: wait("direct path read", WaitSide::Foreground),
            parallel_read_us: wait("db file parallel read", WaitSide::Foreground),
            parallel_write_us: wait("db file parallel write", WaitSide::Background),
            redo_write_us: wait("log file parallel write", WaitSide::Background),
            top_wait: limits_of(report).into_iter().next(),
            instances: report.instances.iter().map(|one| (whose.clone(), one.number.unwrap_or(1))).collect(),
            read_waits: READ_WAITS.map(|(event, _)| {
                report.wait(event, WaitSide::Foreground).and_then(|wait| wait.waits.sound()).unwrap_or(0.0)
            }),
        }
    }

    fn iops(&self) -> Option<f64> {
        Some(self.reads_per_s.sound()? + self.writes_per_s.sound()?)
    }

    fn span(&self) -> Option<(i64, i64)> {
        let (begin, end) = (seconds_of(self.begin.as_deref()?)?, seconds_of(self.end.as_deref()?)?);
        (begin < end).then_some((begin, end))
    }
}

/// The sum, where both are there; 11.2 has no CPU of background processes among its rates.
fn cpus(foreground: Quoted, background: Quoted) -> Quoted {
    match (foreground.number, background.number) {
        (Some(a), Some(b)) => Quoted::derived(a + b, foreground.place, "with background processes"),
        _ => foreground,
    }
}

/// The number at the end of `awr.txt.32`, as users of SLOB name the report of a run with 32 sessions. A file may be packed.
fn sessions_of_name(file: &str) -> Option<f64> {
    let name = file.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let (rest, number) = name.rsplit_once('.')?;
    // Not the 2023 of a date in a name without an ending.
    let is_report = [".txt", ".html", ".htm", ".lst"].iter().any(|ending| rest.ends_with(ending));
    let count: u32 = number.parse().ok().filter(|count| is_report && (1..100_000).contains(count))?;
    Some(f64::from(count))
}

/// Seconds of local time `2025-01-02T10:00:59`; only differences mean something.
fn seconds_of(time: &str) -> Option<i64> {
    let mut numbers =
        time.split(['-', 'T', ':']).map(|part| part.split('.').next().unwrap_or("").parse::<i64>());
    let mut next = || numbers.next()?.ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute) = (next()?, next()?);
    let second = next().unwrap_or(0);
    if !(1..=9_999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    // Days since an epoch, with years that begin in March, so that the leap day is the last (H. Hinnant, «days_from_civil»).
    let shifted = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Whether two runs were for the most part at the same time.
// Hosts do not start to the second, and the next run of one may begin before the last one of another ends.
fn is_same_time(one: (i64, i64), other: (i64, i64)) -> bool {
    let together = one.1.min(other.1) - one.0.max(other.0);
    let shorter = (one.1 - one.0).min(other.1 - other.0);
    2 * together > shorter
}

impl SlobSeries {
    /// Runs of any number of reports in any order.
    pub fn of(mut reports: Vec<SlobReport>) -> Self {
        // The report of a cluster says more than those of its instances; a name that has the sessions more than one that has not.
        reports.sort_by(|a, b| {
            let is_named = |one: &SlobReport| one.sessions_from == OF_NAME;
            let sessions = || is_named(b).cmp(&is_named(a));
            b.instances.len().cmp(&a.instances.len()).then_with(sessions).then_with(|| a.file.cmp(&b.file))
        });
        let (mut runs, mut left_out, mut notes): (Vec<SlobRun>, Vec<FileNote>, Vec<SlobNote>) =
            Default::default();
        let mut without_time = 0;
        for report in reports {
            let span = report.span();
            without_time += usize::from(span.is_none());
            let is_now = |run: &&mut SlobRun| span.zip(run.span).is_some_and(|(a, b)| is_same_time(a, b));
            let Some(run) = runs.iter_mut().find(is_now) else {
                runs.push(SlobRun::of(report, span));
                continue;
            };
            let twin = run.reports.iter().find(|one| !one.instances.is_disjoint(&report.instances));
            match twin {
                Some(twin) => left_out.push(FileNote {
                    fact: FileFact::SameInstance { as_file: twin.file.clone() },
                    file: report.file,
                }),
                None => run.reports.push(report),
            }
        }
        if without_time > 0 {
            notes.push(SlobNote::NoTimes { reports: without_time });
        }
        runs.iter_mut().for_each(SlobRun::sum_up);
        runs.sort_by(|a, b| {
            let sessions = |run: &SlobRun| run.sessions_per_host.unwrap_or(0.0);
            a.hosts.cmp(&b.hosts).then_with(|| sessions(a).total_cmp(&sessions(b)))
        });
        let all: Vec<&SlobReport> = runs.iter().flat_map(|run| &run.reports).collect();
        let active = all.iter().filter(|one| one.sessions_from != OF_NAME).count();
        if active > 0 {
            notes.push(SlobNote::SessionsNotNamed { files: active, of_files: all.len() });
        }
        if runs.iter().any(|run| !run.is_of_one_series_with(&runs[0])) {
            let instances = all.iter().flat_map(|one| &one.instances);
            let databases: BTreeSet<&String> = instances.map(|(database, _)| database).collect();
            notes.push(SlobNote::OtherDatabases { databases: databases.len() });
        }
        let by_hosts = scale(&mut runs);
        Self { runs, by_hosts, left_out, notes }
    }
}

impl SlobRun {
    fn of(report: SlobReport, span: Option<(i64, i64)>) -> Self {
        Self {
            hosts: 0,
            sessions_per_host: None,
            iops: None,
            read_mib_per_s: None,
            write_mib_per_s: None,
            read_wait: None,
            of_first_percent: None,
            of_fewest_hosts_percent: None,
            reports: vec![report],
            span,
        }
    }

    /// Whether somebody made both for one series: the names of their files say how many sessions ran, or one is of the databases of the
    /// other. Reports that merely lie in one folder are of loads that have nothing to do with each other.
    fn is_of_one_series_with(&self, other: &Self) -> bool {
        let is_named = |run: &Self| run.reports.iter().all(|one| one.sessions_from == OF_NAME);
        // Every database, by its id or name, is also one of the other run.
        let is_part = |run: &Self, whole: &Self| {
            let is_there = |database: &String| {
                whole.reports.iter().flat_map(|one| &one.instances).any(|(other, _)| other == database)
            };
            run.reports.iter().flat_map(|one| &one.instances).all(|(database, _)| is_there(database))
        };
        is_named(self) && is_named(other) || is_part(self, other) || is_part(other, self)
    }

    /// What follows from its reports. A sum without one of its parts is no sum.
    fn sum_up(&mut self) {
        self.reports.sort_by(|a, b| a.file.cmp(&b.file));
        let hosts: BTreeSet<&String> = self.reports.iter().flat_map(|one| &one.hosts).collect();
        self.hosts = hosts.len().max(1);
        let sum = |value: fn(&SlobReport) -> Option<f64>| self.reports.iter().map(value).sum::<Option<f64>>();
        self.sessions_per_host = sum(|one| one.sessions).map(|all| all / self.hosts as f64);
        self.iops = sum(SlobReport::iops);
        self.read_mib_per_s = sum(|one| one.read_mib_per_s.sound());
        self.write_mib_per_s = sum(|one| one.write_mib_per_s.sound());
        self.read_wait = self.read_wait();
    }

    /// The wait that took most time, with its mean over all reports.
    fn read_wait(&self) -> Option<SlobWait> {
        let means: [fn(&SlobReport) -> &Quoted; READ_WAITS.len()] =
            [|one| &one.sequential_read_us, |one| &one.direct_read_us, |one| &one.parallel_read_us];
        let times = READ_WAITS.iter().zip(means).enumerate().filter_map(|(at, ((event, name), mean))| {
            let parts = self.reports.iter().filter_map(|one| Some((one.read_waits[at], mean(one).sound()?)));
            let (waits, time) =
                parts.fold((0.0, 0.0), |sum, (waits, mean)| (sum.0 + waits, sum.1 + waits * mean));
            (waits > 0.0).then_some((time, SlobWait { event, name, mean_us: time / waits }))
        });
        times.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, wait)| wait)
    }
}

/// Shares of what would be in proportion; `runs` are sorted by hosts and sessions.
fn scale(runs: &mut [SlobRun]) -> Vec<SlobHosts> {
    let mut counts: Vec<usize> = runs.iter().map(|run| run.hosts).collect();
    counts.dedup();
    let fewest = counts.first().copied().unwrap_or(1);
    for at in 0..runs.len() {
        let run = &runs[at];
        let rate_of = |one: &SlobRun| one.sessions_per_host.zip(one.iops);
        let Some((sessions, iops)) = rate_of(run) else { continue };
        let others = || runs.iter().filter(|other| other.is_of_one_series_with(run));
        // The one with the fewest sessions on as many hosts; of itself there is nothing to say.
        let first = others().find(|other| other.hosts == run.hosts && rate_of(other).is_some());
        let first = first.filter(|first| !std::ptr::eq(*first, run)).and_then(rate_of);
        let first = first.filter(|(least, of_least)| *least > 0.0 && *of_least > 0.0);
        let of_first_percent = first.map(|(least, of_least)| 100.0 * iops / (of_least * sessions / least));
        // The rate of one host, from the run on the fewest hosts with as many sessions.
        let alike = others().filter(|other| other.hosts == fewest && run.hosts > fewest);
        let alike = alike
            .filter_map(rate_of)
            .filter(|(of_other, _)| (of_other - sessions).abs() <= AS_MANY * sessions);
        let of_one = alike.map(|(_, iops)| iops / fewest as f64).reduce(f64::max).filter(|iops| *iops > 0.0);
        let of_fewest_hosts_percent = of_one.map(|one| 100.0 * iops / (one * run.hosts as f64));
        runs[at].of_first_percent = of_first_percent;
        runs[at].of_fewest_hosts_percent = of_fewest_hosts_percent;
    }
    let best_of = |hosts: usize| {
        let of_these = runs.iter().filter(|run| run.hosts == hosts);
        of_these.filter_map(|run| Some((run.iops?, run))).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let of_fewest = best_of(fewest).filter(|(iops, _)| *iops > 0.0);
    counts
        .iter()
        .filter_map(|hosts| {
            let (best_iops, run) = best_of(*hosts)?;
            Some(SlobHosts {
                hosts: *hosts,
                runs: runs.iter().filter(|run| run.hosts == *hosts).count(),
                best_iops,
                sessions_per_host: run.sessions_per_host,
                read_wait: run.read_wait,
                of_fewest_hosts_percent: of_fewest
                    .filter(|(_, other)| *hosts > fewest && run.is_of_one_series_with(other))
                    .map(|(iops, _)| 100.0 * best_iops / (iops / fewest as f64 * *hosts as f64)),
            })
        })
        .collect()
}

/// Whether a report can be one of SLOB: AWR-Miner has neither executes nor the waits of background processes.
pub fn is_slob_report(report: &AwrReport) -> bool {
    report.kind != AwrKind::Miner
}

#[cfg(test)]
mod tests;
