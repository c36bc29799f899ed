//! One job on the storage before and on the storage after, by a report of each: did the new storage help?

use iotrial_model::awr::{
    AwrFigure, AwrFigures, AwrReport, AwrUnit, ChangeCaution, ChangeOutcome, Database, Instance, Quoted,
    ReportSide, WaitSide,
};
use serde::{Serialize, Serializer};

use super::cut::cut_off_of;
use super::figures::figures_of;
use super::remarks::{is_event, is_idle};
use super::right_size::WAITS_FOR_CPU;
use super::said;

/// Mean waits of two intervals differ from this factor on.
// A choice: means of neighbouring hours of one system, which nobody changed, differ by up to a sixth in the reports at hand.
const DIFFERS: f64 = 1.2;
/// Fewer waits than these make no mean that is worth a judgement: as everywhere else, 1,000 I/Os.
const FEWEST_WAITS: f64 = 1_000.0;
/// Loads that differ by more than this factor are another load.
// A choice: with a quarter more or less work a device that is not near its limit answers alike.
const ANOTHER_LOAD: f64 = 1.25;
/// Memory and times that differ by more than a tenth are named.
const ANOTHER_AMOUNT: f64 = 1.1;
/// DB time of a transaction that is lower by less than this share is no gain.
const GAIN: f64 = 0.05;
/// Events of each report that are listed.
const MOST_EVENTS: usize = 10;

/// What a judgement is made of: the wait for a read of a block, and that for a write of redo. Others depend on the size of requests.
const JUDGED: [AwrFigure; 2] = [AwrFigure::SingleBlockReadUs, AwrFigure::RedoWriteUs];

/// What is shown of both reports.
const FIGURES: [AwrFigure; 14] = [
    AwrFigure::Transactions,
    AwrFigure::Requests,
    AwrFigure::Reads,
    AwrFigure::Writes,
    AwrFigure::RedoWrites,
    AwrFigure::ReadMib,
    AwrFigure::WriteMib,
    AwrFigure::RedoMib,
    AwrFigure::ActiveSessions,
    AwrFigure::CpuSessions,
    AwrFigure::SingleBlockReadUs,
    AwrFigure::MultiBlockReadUs,
    AwrFigure::RedoWriteUs,
    AwrFigure::CommitUs,
];

/// A number of both reports; `None` where one does not have it, which is not zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Both {
    /// Of the first.
    pub before: Option<f64>,
    /// Of the second.
    pub after: Option<f64>,
}

impl Both {
    fn of<S>(sides: [&S; 2], number: impl Fn(&S) -> Option<f64>) -> Self {
        Self { before: number(sides[0]), after: number(sides[1]) }
    }

    /// The second by the first; `None` where either is not there, or is nothing.
    pub fn ratio(self) -> Option<f64> {
        let (before, after) = self.before.zip(self.after)?;
        (before > 0.0 && after > 0.0).then(|| after / before)
    }

    /// By how much the second is above the first, in percent.
    pub fn change_percent(self) -> Option<f64> {
        Some(100.0 * (self.ratio()? - 1.0))
    }

    fn pair(self) -> Option<(f64, f64)> {
        self.before.zip(self.after)
    }

    /// Whether both are there, and one is more than `factor` times the other.
    fn differs_by(self, factor: f64) -> bool {
        self.pair().is_some_and(|(before, after)| {
            let (least, most) = (before.min(after), before.max(after));
            most > factor * least
        })
    }
}

/// A figure in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedFigure {
    /// Which.
    #[serde(serialize_with = "key_of")]
    pub figure: AwrFigure,
    /// As it is.
    pub value: Both,
    /// A rate by transactions, in the unit of the rate without its second; of sessions the milliseconds of a transaction.
    pub per_transaction: Both,
}

fn key_of<S: Serializer>(figure: &AwrFigure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(figure.key())
}

/// What users waited for, in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedWait {
    /// The class or the event, as it is printed.
    pub name: String,
    /// Sessions that waited for it on average: seconds by the elapsed time.
    pub sessions: Both,
    /// Milliseconds of a transaction.
    pub ms_per_transaction: Both,
    /// The mean wait in microseconds; absent of a class.
    pub mean_us: Both,
}

/// I/O of a tablespace, or of a kind of files, in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedPlace {
    /// As it is printed.
    pub name: String,
    /// Reads per second.
    pub reads_per_s: Both,
    /// The mean time of a read in microseconds.
    pub read_us: Both,
    /// Writes per second.
    pub writes_per_s: Both,
}

/// A mean wait that has enough waits in both reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedLatency {
    /// Which.
    #[serde(serialize_with = "key_of")]
    pub figure: AwrFigure,
    /// The means, in microseconds.
    pub before_us: f64,
    /// The same of the second report.
    pub after_us: f64,
}

impl ChangedLatency {
    fn is_shorter(&self) -> bool {
        self.before_us > DIFFERS * self.after_us
    }

    fn is_longer(&self) -> bool {
        self.after_us > DIFFERS * self.before_us
    }
}

/// One of the two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideOfChange {
    /// The file.
    pub source: String,
    /// The database.
    pub database: String,
    /// Local time of the first snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// The same of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Seconds of wall clock: how long the job took where the snapshots are its begin and end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// Seconds that sessions of users were working or waiting: what the job took of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub db_time_s: Option<f64>,
    /// Instances whose figures are in it.
    pub instance_count: usize,
}

/// Both reports, and what they say of the storage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrChange {
    /// The first report.
    pub before: SideOfChange,
    /// The second.
    pub after: SideOfChange,
    /// Did the new storage help?
    pub outcome: ChangeOutcome,
    /// What that follows from.
    pub judged: Vec<ChangedLatency>,
    /// DB time of a transaction, in milliseconds.
    pub db_time_ms_per_transaction: Both,
    /// What would mislead.
    #[serde(serialize_with = "said::change_cautions")]
    pub cautions: Vec<ChangeCaution>,
    /// Rates and means.
    pub figures: Vec<ChangedFigure>,
    /// Waits of users by class; empty where neither report has them.
    pub classes: Vec<ChangedWait>,
    /// The events that users waited for longest, in either report.
    pub events: Vec<ChangedWait>,
    /// Tablespaces that both have, the busiest first.
    pub tablespaces: Vec<ChangedPlace>,
    /// Kinds of files that both have.
    pub file_types: Vec<ChangedPlace>,
}

/// A report with what is asked of it more than once.
struct Side<'r> {
    report: &'r AwrReport,
    figures: AwrFigures,
    elapsed_s: Option<f64>,
}

impl<'r> Side<'r> {
    fn of(report: &'r AwrReport) -> Self {
        let elapsed_s = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
        Self { report, figures: figures_of(report), elapsed_s }
    }

    fn value(&self, figure: AwrFigure) -> Option<f64> {
        self.figures.get(figure)?.sound()
    }

    fn per_second(&self, total: &Quoted) -> Option<f64> {
        Some(total.sound()? / self.elapsed_s?)
    }

    /// A rate by transactions. An interval with next to none, of which a job may have one, has no such figure.
    fn per_transaction(&self, rate: Option<f64>) -> Option<f64> {
        const FEWEST: f64 = 100.0;
        let transactions = self.value(AwrFigure::Transactions)?;
        (transactions * self.elapsed_s? >= FEWEST).then_some(())?;
        Some(rate? / transactions)
    }

    /// How often a mean wait was waited for.
    fn waits(&self, figure: AwrFigure) -> Option<f64> {
        match figure {
            AwrFigure::SingleBlockReadUs => {
                Some(self.value(AwrFigure::SingleBlockReadWaits)? * self.elapsed_s?)
            }
            _ => {
                let of = |side| self.report.wait("log file parallel write", side)?.waits.sound();
                of(WaitSide::Background).or_else(|| of(WaitSide::Foreground))
            }
        }
    }

    fn seen(&self, source: &str) -> SideOfChange {
        let interval = &self.report.interval;
        SideOfChange {
            source: source.to_owned(),
            database: self.report.database.title(),
            begin: interval.begin.clone(),
            end: interval.end.clone(),
            elapsed_s: self.elapsed_s,
            db_time_s: interval.db_time_s.sound(),
            instance_count: self.report.instances.len(),
        }
    }
}

impl AwrChange {
    /// Works it out; each report comes with the name of its file.
    pub fn of(before: (&AwrReport, &str), after: (&AwrReport, &str)) -> Self {
        let (one, other) = (Side::of(before.0), Side::of(after.0));
        let sides = [&one, &other];
        let judged = judged(sides);
        let cautions = cautions(sides);
        let active = |side: &Side<'_>| side.per_transaction(side.value(AwrFigure::ActiveSessions));
        let db_time_ms_per_transaction = Both::of(sides, |side| Some(1e3 * active(side)?));
        let outcome = outcome(sides, &judged, db_time_ms_per_transaction);
        Self {
            before: one.seen(before.1),
            after: other.seen(after.1),
            outcome,
            judged,
            db_time_ms_per_transaction,
            cautions,
            figures: figures(sides),
            classes: classes(sides),
            events: events(sides),
            tablespaces: tablespaces(sides),
            file_types: file_types(sides),
        }
    }
}

fn judged(sides: [&Side<'_>; 2]) -> Vec<ChangedLatency> {
    let has_enough = |figure: AwrFigure| {
        sides.iter().all(|side| side.waits(figure).is_some_and(|waits| waits >= FEWEST_WAITS))
    };
    // Writes of other sizes take other times.
    let redo = Both::of(sides, |side| side.value(AwrFigure::MeanRedoWriteKib));
    let is_comparable = |figure: AwrFigure| figure != AwrFigure::RedoWriteUs || !redo.differs_by(1.5);
    let known = JUDGED.into_iter().filter(|figure| has_enough(*figure) && is_comparable(*figure));
    known
        .filter_map(|figure| {
            let (before_us, after_us) = Both::of(sides, |side| side.value(figure)).pair()?;
            Some(ChangedLatency { figure, before_us, after_us })
        })
        .collect()
}

fn outcome(sides: [&Side<'_>; 2], judged: &[ChangedLatency], db_time_ms: Both) -> ChangeOutcome {
    let [before, after] = sides.map(|side| side.report);
    if other_databases(&before.database, &after.database).is_none() && is_at_once(before, after) {
        return ChangeOutcome::SameTime;
    }
    let shorter = judged.iter().any(ChangedLatency::is_shorter);
    let longer = judged.iter().any(ChangedLatency::is_longer);
    // All requests; a head of a report has transactions only.
    let rate = |figure| Both::of(sides, |side| side.value(figure)).ratio();
    let load = rate(AwrFigure::Requests).or_else(|| rate(AwrFigure::Transactions)).unwrap_or(1.0);
    match (shorter, longer) {
        _ if judged.is_empty() => ChangeOutcome::Unknown,
        (true, true) => ChangeOutcome::Mixed,
        (false, false) => ChangeOutcome::Same,
        (true, false) if load < 1.0 / ANOTHER_LOAD => ChangeOutcome::LoadExplains,
        (false, true) if load > ANOTHER_LOAD => ChangeOutcome::LoadExplains,
        (false, true) => ChangeOutcome::Slower,
        (true, false) => {
            match db_time_ms.ratio().filter(|_| !reads_of_transaction(sides).differs_by(ANOTHER_LOAD)) {
                None => ChangeOutcome::FasterGainOpen,
                Some(ratio) if ratio > 1.0 - GAIN => ChangeOutcome::FasterWithoutGain,
                Some(_) => ChangeOutcome::Faster,
            }
        }
    }
}

/// Transactions with other reads do other work, or find it in a cache.
fn reads_of_transaction(sides: [&Side<'_>; 2]) -> Both {
    Both::of(sides, |side| side.per_transaction(side.value(AwrFigure::Reads)))
}

fn cautions(sides: [&Side<'_>; 2]) -> Vec<ChangeCaution> {
    let [before, after] = sides.map(|side| side.report);
    let mut all = Vec::new();
    let others = other_databases(&before.database, &after.database);
    // Other databases have other instances.
    if others.is_none() {
        all.extend(other_instances(before, after));
    }
    all.extend(others);
    let releases = before.database.release.as_ref().zip(after.database.release.as_ref());
    if let Some((one, other)) = releases.filter(|(one, other)| one != other) {
        all.push(ChangeCaution::Releases(one.clone(), other.clone()));
    }
    // Both may be of the same time, on two systems.
    let order = before.interval.begin.as_ref().zip(after.interval.end.as_ref());
    if order.is_some_and(|(begin, end)| end <= begin) {
        all.push(ChangeCaution::Earlier);
    }
    for (side, kind) in sides.iter().zip([ReportSide::Before, ReportSide::After]) {
        if cut_off_of(side.report).is_some() {
            all.push(ChangeCaution::CutOff(kind));
        }
        if side.report.interval.has_restart {
            all.push(ChangeCaution::Restarted(kind));
        }
    }
    let instances = [before, after].map(|report| report.instances.len());
    if instances[0] != instances[1] {
        all.push(ChangeCaution::Instances(instances[0], instances[1]));
    }
    let value = |figure| Both::of(sides, |side| side.value(figure));
    let elapsed = Both::of(sides, |side| side.elapsed_s);
    let differs = |both: Both, factor| both.pair().filter(|_| both.differs_by(factor));
    all.extend(differs(elapsed, ANOTHER_AMOUNT).map(|(one, other)| ChangeCaution::Elapsed(one, other)));
    for figure in [AwrFigure::Transactions, AwrFigure::Requests] {
        // What an idle database does by itself is no load.
        let is_idle = sides.iter().all(|side| {
            side.value(figure)
                .zip(side.elapsed_s)
                .is_some_and(|(rate, elapsed)| rate * elapsed < FEWEST_WAITS)
        });
        let load = differs(value(figure), ANOTHER_LOAD).filter(|_| !is_idle);
        all.extend(load.map(|(one, other)| ChangeCaution::Load(figure, one, other)));
    }
    let reads = differs(reads_of_transaction(sides), ANOTHER_LOAD);
    all.extend(reads.map(|(one, other)| ChangeCaution::ReadsPerTransaction(one, other)));
    let memory = differs(value(AwrFigure::MemoryMib), ANOTHER_AMOUNT);
    all.extend(memory.map(|(one, other)| ChangeCaution::Memory(one, other)));
    let cpus = differs(value(AwrFigure::HostCpus), 1.0);
    all.extend(cpus.map(|(one, other)| ChangeCaution::Cpus(one, other)));
    for (side, kind) in sides.iter().zip([ReportSide::Before, ReportSide::After]) {
        let waiting = side.value(AwrFigure::CpuWaitSessions).zip(side.value(AwrFigure::ActiveSessions));
        if waiting.is_some_and(|(waiting, active)| waiting > WAITS_FOR_CPU * active) {
            all.push(ChangeCaution::CpuShort(kind));
        }
    }
    all
}

/// Names tell databases apart, or ids where one has no name: Statspack, and what was made anonymous. A copy has its name and
/// another id, or its id and another name.
fn other_databases(before: &Database, after: &Database) -> Option<ChangeCaution> {
    let one_name = before.name.eq_ignore_ascii_case(&after.name);
    let (has_names, has_ids) =
        (!before.name.is_empty() && !after.name.is_empty(), before.id.is_some() && after.id.is_some());
    let is_one = before.container == after.container
        && (!has_names || one_name)
        && (!has_ids || before.id == after.id);
    if is_one {
        return None;
    }
    let title = |database: &Database| match database.id {
        // Only the id tells them apart.
        Some(id) if one_name && before.container == after.container && !database.name.is_empty() => {
            format!("{} ({id})", database.title())
        }
        _ => database.title(),
    };
    Some(ChangeCaution::Databases(title(before), title(after)))
}

/// Reports of one instance each, of a cluster, that are not of the same one.
fn other_instances(before: &AwrReport, after: &AwrReport) -> Option<ChangeCaution> {
    let ([one], [other]) = (before.instances.as_slice(), after.instances.as_slice()) else { return None };
    let numbers = one.number.zip(other.number)?;
    let name = |instance: &Instance, number: u32| match instance.name.as_str() {
        "" => number.to_string(),
        name => name.to_owned(),
    };
    (numbers.0 != numbers.1)
        .then(|| ChangeCaution::OtherInstances(name(one, numbers.0), name(other, numbers.1)))
}

/// Whether one began before the other was at its end. Times have one form, and compare as text.
fn is_at_once(before: &AwrReport, after: &AwrReport) -> bool {
    let times = |report: &AwrReport| report.interval.begin.clone().zip(report.interval.end.clone());
    times(before)
        .zip(times(after))
        .is_some_and(|((begin, end), (other_begin, other_end))| begin < other_end && other_begin < end)
}

fn figures(sides: [&Side<'_>; 2]) -> Vec<ChangedFigure> {
    let changed = FIGURES.into_iter().map(|figure| {
        let per_transaction = |side: &Side<'_>| match figure.unit() {
            AwrUnit::PerSecond | AwrUnit::MibPerS if figure != AwrFigure::Transactions => {
                side.per_transaction(side.value(figure))
            }
            AwrUnit::Sessions => Some(1e3 * side.per_transaction(side.value(figure))?),
            _ => None,
        };
        ChangedFigure {
            figure,
            value: Both::of(sides, |side| side.value(figure)),
            per_transaction: Both::of(sides, per_transaction),
        }
    });
    changed.filter(|one| one.value != Both::default()).collect()
}

fn changed_wait<'r>(
    sides: [&Side<'r>; 2],
    name: &str,
    total_s: impl Fn(&Side<'r>) -> Option<f64>,
    mean_us: impl Fn(&Side<'r>) -> Option<f64>,
) -> ChangedWait {
    let sessions = |side: &Side<'r>| Some(total_s(side)? / side.elapsed_s?);
    ChangedWait {
        name: name.to_owned(),
        sessions: Both::of(sides, sessions),
        ms_per_transaction: Both::of(sides, |side| Some(1e3 * side.per_transaction(sessions(side))?)),
        mean_us: Both::of(sides, mean_us),
    }
}

/// The longest of both first.
fn by_time(all: &mut [ChangedWait]) {
    let most = |one: &ChangedWait| one.sessions.before.unwrap_or(0.0).max(one.sessions.after.unwrap_or(0.0));
    all.sort_by(|a, b| most(b).total_cmp(&most(a)));
}

fn classes(sides: [&Side<'_>; 2]) -> Vec<ChangedWait> {
    let total = |side: &Side<'_>, name: &str| AwrReport::named(&side.report.wait_classes, name)?.sound();
    let mut names: Vec<&str> = Vec::new();
    for one in sides.iter().flat_map(|side| &side.report.wait_classes) {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
    }
    let changed = names.into_iter().map(|name| changed_wait(sides, name, |side| total(side, name), |_| None));
    let mut all: Vec<ChangedWait> = changed.collect();
    by_time(&mut all);
    all
}

fn events(sides: [&Side<'_>; 2]) -> Vec<ChangedWait> {
    let of_users = |side: &Side<'_>| {
        let waits = side.report.waits.iter();
        let mut all: Vec<(String, f64)> = waits
            .filter(|wait| wait.side != WaitSide::Background && !is_idle(&wait.event))
            .filter_map(|wait| Some((wait.event.clone(), wait.total_s.sound()?)))
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(MOST_EVENTS);
        all
    };
    let mut names: Vec<String> = Vec::new();
    for (name, _) in sides.iter().flat_map(|side| of_users(side)) {
        // A page has the whole name of what a text cuts off.
        let known = names.iter().position(|known| is_event(known, &name) || is_event(&name, known));
        match known {
            None => names.push(name),
            Some(at) if name.len() > names[at].len() => names[at] = name,
            Some(_) => {}
        }
    }
    let changed = names.iter().map(|name| {
        changed_wait(
            sides,
            name,
            |side| side.report.wait(name, WaitSide::Foreground)?.total_s.sound(),
            |side| side.report.wait(name, WaitSide::Foreground)?.mean_us.sound(),
        )
    });
    let mut all: Vec<ChangedWait> = changed.collect();
    by_time(&mut all);
    all
}

fn by_reads(mut all: Vec<ChangedPlace>) -> Vec<ChangedPlace> {
    let most = |one: &ChangedPlace| {
        let of = |both: Both| both.before.unwrap_or(0.0).max(both.after.unwrap_or(0.0));
        of(one.reads_per_s) + of(one.writes_per_s)
    };
    all.sort_by(|a, b| most(b).total_cmp(&most(a)));
    all
}

fn tablespaces(sides: [&Side<'_>; 2]) -> Vec<ChangedPlace> {
    let of = |side: &Side<'_>, name: &str| {
        side.report.tablespaces.iter().find(|one| one.tablespace == name).cloned()
    };
    let known = sides[0].report.tablespaces.iter().filter(|one| of(sides[1], &one.tablespace).is_some());
    let changed = known.map(|one| {
        let name = one.tablespace.as_str();
        ChangedPlace {
            name: name.to_owned(),
            reads_per_s: Both::of(sides, |side| side.per_second(&of(side, name)?.reads)),
            read_us: Both::of(sides, |side| of(side, name)?.read_us.sound()),
            writes_per_s: Both::of(sides, |side| side.per_second(&of(side, name)?.writes)),
        }
    });
    by_reads(changed.collect())
}

fn file_types(sides: [&Side<'_>; 2]) -> Vec<ChangedPlace> {
    let of = |side: &Side<'_>, name: &str| {
        side.report.io_by_file_type.iter().find(|one| one.name == name).cloned()
    };
    let known = sides[0].report.io_by_file_type.iter();
    let known = known.filter(|one| !one.is_total() && of(sides[1], &one.name).is_some());
    let changed = known.map(|one| {
        let name = one.name.as_str();
        ChangedPlace {
            name: name.to_owned(),
            reads_per_s: Both::of(sides, |side| of(side, name)?.reads_per_s.sound()),
            read_us: Both::of(sides, |side| of(side, name)?.mean_us.sound()),
            writes_per_s: Both::of(sides, |side| of(side, name)?.writes_per_s.sound()),
        }
    });
    by_reads(changed.collect())
}
