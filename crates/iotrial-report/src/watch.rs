//! The document of what counters say: whether latencies are good enough by role, what looks like a limit, what each disk did.

use iotrial_analysis::watch::{
    BaselineAnswer, BaselineChange, Course, CourseLine, DirectionAnswer, DiskAnswer, Judged, RoleVerdict,
    Spread, ThenAndNow, WatchAnswer, WhyUndecided,
};
use iotrial_analysis::words::{latency_in_words, seconds_in_words, with_thousands};
use iotrial_model::counters::RECORDING_TOOL;
use iotrial_model::finding::Severity;
use iotrial_model::load::{Direction, Role};
use iotrial_model::observation::{Observation, ObservationKind};
use iotrial_model::words::{enumerate, in_brief};
use iotrial_words::observation::{counter_note, message};

use crate::calendar;
use crate::chart::{Axis, Chart, ChartGroup, Dash, LATENCY_AXIS, Limit, Line, Scale, Shape};
use crate::document::{Answer, Block, Document, FindingLine, Front, PointList, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

impl Document {
    /// What counters say about the storage. `name` is what the user calls them.
    pub fn of_watch(answer: &WatchAnswer, name: &str) -> Self {
        let mut sections = vec![section("answer", "", Block::Answer(summary(answer)))];
        if let Some(table) = judged_table(answer) {
            let roles = section("roles", "Latency by role", Block::Table(table));
            sections.push(Section { note: judged_note(answer), ..roles });
        }
        if !answer.observations.is_empty() {
            let line = |one: &Observation| {
                FindingLine::about(About::Observation(one.kind()), Severity::Warning, message(one))
            };
            let lines = answer.observations.iter().map(line).collect();
            sections.push(section("observations", observations_heading(answer), Block::Findings(lines)));
        }
        if let Some(table) = answer.baseline.as_ref().and_then(baseline_table) {
            let changes = section("baseline", "Compared with the baseline", Block::Table(table));
            sections.push(Section { note: answer.baseline.as_ref().map(baseline_note), ..changes });
        }
        let tables = [disks_table(answer), queue_table(answer)];
        let mut disks = Section {
            id: "disks",
            heading: "What the disks do",
            note: None,
            blocks: tables.into_iter().flatten().map(Block::Table).collect(),
        };
        disks.note = (answer.interval_count > 1).then(|| disks_note(answer).to_owned());
        if !disks.blocks.is_empty() {
            sections.push(disks);
        }
        if let Some(course) = &answer.course {
            // Each with a legend of its own: the lines of one are directions, and the lines of the other are disks.
            let charts = charts(course, answer).into_iter();
            let blocks: Vec<Block> =
                charts.map(|chart| Block::Charts(ChartGroup { charts: vec![chart] })).collect();
            if !blocks.is_empty() {
                sections.push(Section { id: "course", heading: "Over time", note: None, blocks });
            }
        }
        Self {
            title: "Is the storage good enough?".to_owned(),
            byline: byline(answer, name),
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn section(id: &'static str, heading: &'static str, block: Block) -> Section {
    Section { id, heading, note: None, blocks: vec![block] }
}

fn observations_heading(answer: &WatchAnswer) -> &'static str {
    let missing = answer.observations.iter().filter(|one| one.kind().is_missing_disk()).count();
    match missing {
        0 if answer.observations.iter().all(|one| one.kind().is_slower()) => "What became slower",
        0 => "What looks like a limit",
        all if all == answer.observations.len() => "Disks that were not there",
        _ => "Disks that were not there, and what looks like a limit",
    }
}

/// What the columns are over.
pub(crate) fn disks_note(answer: &WatchAnswer) -> &'static str {
    let has_latency = |disk: &DiskAnswer| {
        [&disk.read, &disk.write, &disk.both].into_iter().any(|one| one.latency_us.is_some())
    };
    match (answer.disks.iter().any(has_latency), answer.has_percentiles()) {
        (true, true) => "Percentiles are of intervals; the mean of a latency is over all I/Os.",
        (false, true) => "Percentiles are of intervals.",
        (true, false) => {
            "Median and max are of intervals; the mean of a latency is over all I/Os. Fewer than 20 intervals have no p95."
        }
        (false, false) => "Fewer than 20 intervals have no p95; max is the highest interval.",
    }
}

fn byline(answer: &WatchAnswer, name: &str) -> String {
    let intervals = match (answer.interval_count, answer.interval_s) {
        (1, Some(seconds)) => format!("1 interval of {}", seconds_in_words(seconds)),
        (1, None) => "1 interval".to_owned(),
        (count, Some(seconds)) => {
            format!("{} intervals of {}", with_thousands(count as f64), seconds_in_words(seconds))
        }
        (count, None) => format!("{} intervals", with_thousands(count as f64)),
    };
    let span = answer.span.filter(|span| span.has_date).map(|span| {
        let is_short = span.to_s - span.from_s < SHORT_S;
        let moment = if is_short { calendar::second } else { calendar::moment };
        // Other sources have the clock of their host, and do not say which that is.
        let zone = if answer.tool == RECORDING_TOOL { " UTC" } else { "" };
        format!("{} to {}{zone}", moment(span.from_s), moment(span.to_s))
    });
    let parts = [answer.host.clone(), Some(format!("{}: {name}", answer.tool)), Some(intervals), span];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

const fn direction_word(direction: Option<Direction>) -> &'static str {
    match direction {
        Some(Direction::Read) => "reads",
        Some(Direction::Write) => "writes",
        None => "reads and writes",
    }
}

/// As [`direction_word`], before the name of a disk.
const fn direction_phrase(direction: Option<Direction>) -> &'static str {
    match direction {
        Some(Direction::Read) => "reads from",
        Some(Direction::Write) => "writes to",
        None => "reads and writes of",
    }
}

fn role_word(role: &RoleVerdict) -> String {
    if role.is_assumed { format!("{} (assumed)", role.role) } else { role.role.to_string() }
}

fn summary(answer: &WatchAnswer) -> Answer {
    let (mut headline, sentence, mut points) = match (answer.why_undecided, answer.is_good) {
        (Some(why), _) => {
            let (headline, sentence) = undecided(answer, why);
            (headline.to_owned(), sentence, Vec::new())
        }
        (None, Some(false)) => {
            let all = beyond(answer);
            let mut roles: Vec<String> = all.iter().map(|(role, _)| role.to_string()).collect();
            roles.dedup();
            roles.sort_unstable();
            roles.dedup();
            (
                format!("Not good enough for {}", in_brief(&roles, 5, 5)),
                format!("Latencies are beyond the limits of {}.", deciding(answer)),
                all.iter().take(MOST_POINTS).map(|(role, one)| told(answer, *role, one)).collect(),
            )
        }
        (None, _) => {
            // Judged intervals are those whose latency is more than that of a handful of I/Os.
            let when = if answer.has_percentiles() {
                "95 % of the intervals with at least 1 I/O per second"
            } else {
                "every interval with at least 1 I/O per second"
            };
            let sentence = format!("{}, on average and in {when}.", within_limits(answer));
            ("Good enough".to_owned(), sentence, Vec::new())
        }
    };
    if answer.is_slower_than_baseline() {
        headline += ", and slower than in the baseline";
    }
    if answer.why_undecided == Some(WhyUndecided::NoLatency) {
        points.push("Latencies are in `Avg. Disk sec/Read` and `sec/Write` of PerfMon, in the output of `iostat -x` and `sar -d`, and in the time counters of snapshots.".to_owned());
    }
    if answer.observations.iter().any(|one| one.kind() == ObservationKind::Saturated) {
        points.push(
            "Saturated: these rates show what the storage can do, not how much I/O the load wanted."
                .to_owned(),
        );
    }
    let mut lists: Vec<PointList> = assumed_roles(answer).into_iter().collect();
    let mut notes: Vec<String> = answer.notes.iter().map(counter_note).collect();
    if !answer.left_out.is_empty() {
        notes.push(format!(
            "left out, because it is counted elsewhere or was not requested: {}",
            in_brief(&answer.left_out, 6, 5)
        ));
    }
    if !notes.is_empty() {
        lists.push(PointList { heading: "About the counters", points: notes });
    }
    Answer { is_good: answer.is_good, headline, sentence, points, lists }
}

/// What is said where it stays open whether the storage is good enough.
fn undecided(answer: &WatchAnswer, why: WhyUndecided) -> (&'static str, String) {
    match why {
        WhyUndecided::MissingDisk => (
            "Undecided",
            "A disk went away or was replaced: how long its I/Os took meanwhile is not known.".to_owned(),
        ),
        WhyUndecided::OneInterval => (
            "Good enough on average",
            format!(
                "{} over the only interval. One interval does not show what busy times need: record many short ones.",
                within_limits(answer)
            ),
        ),
        WhyUndecided::Idle => ("Nothing to judge", "The disks did nothing in that time.".to_owned()),
        WhyUndecided::FewIos => {
            ("Not judged", "The disks did too few I/Os in that time to judge their latency.".to_owned())
        }
        WhyUndecided::NoLatency => {
            ("Not judged", "The counters have no disk latency that a threshold set can judge.".to_owned())
        }
    }
}

fn within_limits(answer: &WatchAnswer) -> String {
    let judged: usize = answer.roles.iter().map(|role| role.judged.len()).sum();
    let limits = if judged == 1 { "The latency" } else { "Every latency" };
    format!("{limits} is within the limits of {}", deciding(answer))
}

/// The latencies that are beyond their limits, by how far they are above them.
fn beyond(answer: &WatchAnswer) -> Vec<(Role, &Judged)> {
    let judged = answer.roles.iter().flat_map(|role| role.judged.iter().map(move |one| (role.role, one)));
    let mut all: Vec<(Role, &Judged)> = judged.filter(|(_, one)| !one.is_within).collect();
    let excess = |judged: &Judged| judged.lat_mean_us.max(judged.lat_p95_us) / judged.limit_us;
    all.sort_by(|one, other| excess(other.1).total_cmp(&excess(one.1)));
    all
}

/// A latency that is beyond its limit, in words.
fn told(answer: &WatchAnswer, role: Role, one: &Judged) -> String {
    let (what, limit) = (direction_phrase(one.direction), latency_in_words(one.limit_us));
    let mean = latency_in_words(one.lat_mean_us);
    if answer.interval_count == 1 {
        return format!("{role}: {what} {} take {mean}; the limit is {limit}", one.disk);
    }
    let (high_us, when) = if answer.has_percentiles() {
        (one.lat_p95_us, "95 % of the intervals")
    } else {
        (one.lat_max_us, "the slowest interval")
    };
    format!(
        "{role}: {what} {} take {mean} on average and up to {} in {when}; the limit is {limit}, and {:.0} % of the intervals are beyond it",
        one.disk,
        latency_in_words(high_us),
        one.beyond_percent
    )
}

/// The disks that are judged as data because nobody said what they are for.
fn assumed_roles(answer: &WatchAnswer) -> Option<PointList> {
    let assumed = answer.roles.iter().filter(|role| role.is_assumed);
    let mut assumed: Vec<&str> =
        assumed.flat_map(|role| role.judged.iter().map(|one| one.disk.as_str())).collect();
    assumed.dedup();
    let last = assumed.last()?;
    let (which, them) = match assumed.as_slice() {
        [one] => (format!("{one} is"), "it"),
        several => (format!("{} are", in_brief(several, 4, 3)), "them"),
    };
    // PerfMon's names have blanks.
    let quote = if last.contains(' ') { "'" } else { "" };
    let point = format!(
        "{which} judged as data files, because no role was given for {them}; use `--role {quote}log={last}{quote}` to have {last} judged as a log"
    );
    Some(PointList { heading: "Roles", points: vec![point] })
}

/// The threshold set that decided.
fn deciding(answer: &WatchAnswer) -> &str {
    let mut judged = answer.roles.iter().flat_map(|role| &role.judged).flat_map(|judged| &judged.categories);
    let first = judged.next().map(|by| &by.thresholds).or_else(|| answer.thresholds.first());
    first.map_or("the thresholds", String::as_str)
}

/// How many points are shown; the table has all.
const MOST_POINTS: usize = 4;

/// The sets that do not decide; those that judge none of these roles have no column.
fn other_sets(answer: &WatchAnswer) -> Vec<&String> {
    let judges = |set: &String| {
        let mut judged = answer.roles.iter().flat_map(|role| &role.judged);
        judged.any(|one| one.categories.iter().any(|by| by.thresholds == *set))
    };
    let others = answer.thresholds.iter().filter(|set| set.as_str() != deciding(answer));
    others.filter(|set| judges(set)).collect()
}

/// Which column decides.
fn judged_note(answer: &WatchAnswer) -> Option<String> {
    let others: Vec<&str> = other_sets(answer).into_iter().map(String::as_str).collect();
    (!others.is_empty()).then(|| {
        format!(
            "The verdict follows the rating, which rates {} against {}. For comparison only, the mean is also rated against {}.",
            rated(answer),
            deciding(answer),
            enumerate(&others)
        )
    })
}

/// What the rating is of. A few intervals have no p95, but a slowest one.
fn rated(answer: &WatchAnswer) -> &'static str {
    match answer.interval_count {
        1 => "the mean",
        _ if answer.has_percentiles() => "the mean or the p95, whichever is worse,",
        _ => "the mean or the slowest interval (max), whichever is worse,",
    }
}

fn judged_table(answer: &WatchAnswer) -> Option<Table> {
    let judged = || answer.roles.iter().flat_map(|role| role.judged.iter().map(move |one| (role, one)));
    judged().next()?;
    let has_rates = judged().any(|(_, one)| one.iops_mean.is_some());
    let sets = other_sets(answer);
    let mut columns = vec![
        Column::new("role", Quantity::Words),
        Column::new("disk", Quantity::Words),
        Column::new("I/O", Quantity::Words),
    ];
    if has_rates {
        columns.push(Column::new("IOPS", Quantity::Iops).optional());
    }
    columns.extend([
        Column::new("mean", Quantity::LatencyUs).under("lat"),
        Column::new("p95", Quantity::LatencyUs).under("lat"),
        Column::new("max", Quantity::LatencyUs).under("lat").optional(),
        Column::new("limit", Quantity::LatencyUs),
        Column::new(OVER_LIMIT, Quantity::Percent).under("intervals"),
    ]);
    columns.push(Column::new("rating", Quantity::Words));
    columns.extend(sets.iter().map(|set| Column::new((*set).clone(), Quantity::Words).optional()));
    let row = |(role, one): (&RoleVerdict, &Judged)| {
        let mut cells = vec![
            Value::Text(role_word(role)),
            Value::Text(one.disk.clone()),
            Value::Text(direction_word(one.direction).to_owned()),
        ];
        if has_rates {
            cells.push(Value::number(one.iops_mean));
        }
        cells.extend([
            Value::Number(one.lat_mean_us),
            Value::Number(one.lat_p95_us),
            Value::Number(one.lat_max_us),
            Value::Number(one.limit_us),
            Value::Number(one.beyond_percent),
        ]);
        // The category that decided: the worse of the two.
        let rating = one.categories.first().map(|by| by.category.max(by.category_p95));
        cells.push(rating.map_or(Value::Absent, Value::Category));
        let by = |set: &&String| one.categories.iter().find(|by| by.thresholds == **set);
        cells.extend(sets.iter().map(|set| by(set).map_or(Value::Absent, |by| Value::Category(by.category))));
        Row { cells, is_total: false }
    };
    let mut table = Table {
        caption: format!(
            "The latency of each direction and its limit in {}; the rating rates {} and other sets rate the mean",
            deciding(answer),
            rated(answer)
        ),
        columns,
        rows: judged().map(row).collect(),
        at_a_glance: true,
    };
    leave_out(&mut table, 3, answer);
    Some(table)
}

fn baseline_table(baseline: &BaselineAnswer) -> Option<Table> {
    let columns = vec![
        Column::new("disk", Quantity::Words),
        Column::new("I/O", Quantity::Words),
        Column::new("baseline", Quantity::Iops).under("rate"),
        Column::new("now", Quantity::Iops).under("rate"),
        Column::new("baseline", Quantity::LatencyUs).under("lat").optional(),
        Column::new("now", Quantity::LatencyUs).under("lat").optional(),
        Column::new("baseline", Quantity::LatencyUs).under("lat at the same load"),
        Column::new("now", Quantity::LatencyUs).under("lat at the same load"),
        Column::new("change", Quantity::Percent),
        Column::new("intervals", Quantity::Count).optional(),
    ];
    let row = |change: &BaselineChange| {
        let two = |figure: Option<ThenAndNow>| {
            [Value::number(figure.map(|one| one.baseline)), Value::number(figure.map(|one| one.now))]
        };
        let mut cells =
            vec![Value::Text(change.disk.clone()), Value::Text(direction_word(change.direction).to_owned())];
        cells.extend([change.iops, change.latency_us, change.same_load_us].into_iter().flat_map(two));
        cells.push(Value::number(change.same_load_us.and_then(|same| same.change_percent())));
        cells.push(Value::Number(change.same_load_intervals as f64));
        Row { cells, is_total: false }
    };
    let rows: Vec<Row> = baseline.changes.iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        caption:
            "Rates and latencies in the baseline and now, and the latency of intervals that had the same load"
                .to_owned(),
        columns,
        rows,
        at_a_glance: true,
    })
}

fn baseline_note(baseline: &BaselineAnswer) -> String {
    let span = baseline.span.filter(|span| span.has_date);
    let when =
        span.map(|span| format!("{} to {}", calendar::moment(span.from_s), calendar::moment(span.to_s)));
    let intervals = format!("{} intervals", with_thousands(baseline.interval_count as f64));
    let parts = [baseline.host.clone(), Some(intervals), when];
    let new = if baseline.new_disks.is_empty() {
        String::new()
    } else {
        format!(" It does not have {}.", in_brief(&baseline.new_disks, 6, 5))
    };
    format!("The baseline: {}.{new}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

pub(crate) fn disks_table(answer: &WatchAnswer) -> Option<Table> {
    let (bandwidth, unit) = bandwidth(answer);
    let columns = vec![
        Column::new("disk", Quantity::Words),
        Column::new("I/O", Quantity::Words),
        Column::new("mean", Quantity::Iops).under("rate"),
        Column::new("p95", Quantity::Iops).under("rate"),
        Column::new("max", Quantity::Iops).under("rate").optional(),
        Column::new("mean", unit).under(bandwidth),
        Column::new("p95", unit).under(bandwidth),
        Column::new("max", unit).under(bandwidth).optional(),
        Column::new("mean", Quantity::Unitless).under("size, KiB").optional(),
        Column::new("mean", Quantity::LatencyUs).under("lat"),
        Column::new("median", Quantity::LatencyUs).under("lat").optional(),
        Column::new("p95", Quantity::LatencyUs).under("lat").optional(),
        Column::new("max", Quantity::LatencyUs).under("lat").optional(),
    ];
    let mut rows = Vec::new();
    for disk in &answer.disks {
        rows.extend(rows_of(disk, false));
    }
    if let Some(total) = &answer.total {
        rows.extend(rows_of(total, true));
    }
    let mut table = Table {
        caption: "I/Os and bytes per second, and the latency of the I/Os".to_owned(),
        columns,
        rows,
        at_a_glance: true,
    };
    leave_out(&mut table, 2, answer);
    (table.columns.len() > 2).then_some(table)
}

/// The common header of bandwidths and what they measure. Below 1 MB/s, one decimal would show a few I/Os per second as nothing.
fn bandwidth(answer: &WatchAnswer) -> (&'static str, Quantity) {
    let spreads = answer.disks.iter().flat_map(|disk| [&disk.read, &disk.write, &disk.both]);
    let most = spreads.filter_map(|one| one.bytes_per_s).map(|spread| spread.max).fold(0.0, f64::max);
    if most > 0.0 && most < 1e6 {
        ("bandwidth, MB/s", Quantity::Unitless)
    } else {
        ("bandwidth", Quantity::BandwidthMbPerS)
    }
}

/// Removes columns that say nothing: those without any value, for a single interval everything except its mean, and for a few
/// intervals the p95, which is their maximum.
fn leave_out(table: &mut Table, labels: usize, answer: &WatchAnswer) {
    let repeats = |column: &Column| match answer.interval_count {
        1 => REPEATING.contains(&column.name.as_ref()),
        _ => column.name == "p95" && !answer.has_percentiles(),
    };
    for at in (labels..table.columns.len()).rev() {
        if repeats(&table.columns[at]) || table.rows.iter().all(|row| row.cells[at] == Value::Absent) {
            // The maximum takes the place of the p95, where there is little room, too.
            let optional = table.columns[at].optional;
            if let Some(max) = table.columns.get_mut(at + 1).filter(|column| column.name == "max") {
                max.optional &= optional;
            }
            table.without_column(at);
        }
    }
}

/// For a single interval, these are the same as the mean.
const REPEATING: [&str; 4] = ["median", "p95", "max", OVER_LIMIT];
/// The column with the share of intervals whose latency is beyond the limit.
const OVER_LIMIT: &str = "over limit";

fn rows_of(disk: &DiskAnswer, is_total: bool) -> Vec<Row> {
    let is_there =
        |one: &DirectionAnswer| one.iops.is_some() || one.bytes_per_s.is_some() || one.latency_us.is_some();
    let apart = [(Some(Direction::Read), &disk.read), (Some(Direction::Write), &disk.write)];
    // Both together if only their bytes are separate.
    let is_apart =
        disk.read.iops.is_some() || disk.read.latency_us.is_some() || disk.write.latency_us.is_some();
    let shown: Vec<(Option<Direction>, &DirectionAnswer)> = if is_apart || !is_there(&disk.both) {
        apart.into_iter().filter(|(_, one)| is_there(one)).collect()
    } else {
        vec![(None, &disk.both)]
    };
    let row = |(direction, one): (Option<Direction>, &DirectionAnswer)| {
        let of = |spread: Option<Spread>, scale: f64, which: fn(&Spread) -> f64| {
            Value::number(spread.map(|spread| which(&spread) / scale))
        };
        let cells = vec![
            Value::Text(if is_total { "total".to_owned() } else { disk.name.clone() }),
            Value::Text(direction_word(direction).to_owned()),
            of(one.iops, 1.0, |one| one.mean),
            of(one.iops, 1.0, |one| one.p95),
            of(one.iops, 1.0, |one| one.max),
            of(one.bytes_per_s, 1e6, |one| one.mean),
            of(one.bytes_per_s, 1e6, |one| one.p95),
            of(one.bytes_per_s, 1e6, |one| one.max),
            Value::number(one.size_bytes.map(|bytes| bytes / 1024.0)),
            of(one.latency_us, 1.0, |one| one.mean),
            of(one.latency_us, 1.0, |one| one.p50),
            of(one.latency_us, 1.0, |one| one.p95),
            of(one.latency_us, 1.0, |one| one.max),
        ];
        Row { cells, is_total }
    };
    shown.into_iter().map(row).collect()
}

pub(crate) fn queue_table(answer: &WatchAnswer) -> Option<Table> {
    let row = |disk: &DiskAnswer| {
        let of =
            |spread: Option<Spread>, which: fn(&Spread) -> f64| Value::number(spread.map(|one| which(&one)));
        let cells = vec![
            Value::Text(disk.name.clone()),
            of(disk.queue, |one| one.mean),
            of(disk.queue, |one| one.p95),
            of(disk.queue, |one| one.max),
            of(disk.busy_percent, |one| one.mean),
            of(disk.busy_percent, |one| one.p95),
            of(disk.busy_percent, |one| one.max),
        ];
        (disk.queue.is_some() || disk.busy_percent.is_some()).then_some(Row { cells, is_total: false })
    };
    let rows: Vec<Row> = answer.disks.iter().filter_map(row).collect();
    let mut table = Table {
        caption: "Outstanding I/Os, and the share of the time with at least one".to_owned(),
        columns: vec![
            Column::new("disk", Quantity::Words),
            Column::new("mean", Quantity::Load).under("outstanding"),
            Column::new("p95", Quantity::Load).under("outstanding"),
            Column::new("max", Quantity::Load).under("outstanding"),
            Column::new("mean", Quantity::Percent).under("busy"),
            Column::new("p95", Quantity::Percent).under("busy"),
            Column::new("max", Quantity::Percent).under("busy"),
        ],
        rows,
        at_a_glance: true,
    };
    leave_out(&mut table, 1, answer);
    (!table.rows.is_empty()).then_some(table)
}

/// Below an hour a calendar has no ticks that help.
const SHORT_S: f64 = 3_600.0;

pub(crate) fn charts(course: &Course, answer: &WatchAnswer) -> Vec<Chart> {
    let length = answer.span.map_or(0.0, |span| span.to_s - span.from_s);
    let is_calendar = course.is_calendar && length >= SHORT_S;
    let start = answer.span.filter(|_| course.is_calendar && !is_calendar).map_or(0.0, |span| span.from_s);
    let x = match (is_calendar, course.is_numbered) {
        (true, _) => Axis { name: "", quantity: Quantity::Unitless, scale: Scale::Calendar, to: 0.0 },
        (false, false) => Axis { name: "time", quantity: Quantity::Seconds, scale: Scale::Linear, to: 0.0 },
        (false, true) => Axis { name: "interval", quantity: Quantity::Count, scale: Scale::Linear, to: 0.0 },
    };
    let line = |(index, line): (usize, &CourseLine)| Line {
        name: line.name.clone(),
        hue: index % Line::HUE_COUNT,
        dash: Dash::of_series(index),
        shape: Shape::Course,
        points: line.points.iter().map(|(at, value)| (at - start, *value)).collect(),
    };
    // A logarithmic axis has no place for zero.
    let above_zero = |mut line: Line| {
        line.points.iter_mut().for_each(|(_, value)| *value = value.filter(|value| *value > 0.0));
        line
    };
    let chart = |id: &str, title: &str, y, lines: Vec<Line>, limits| Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x,
        y,
        lines,
        spans: Vec::new(),
        limits,
    };
    let mut limits: Vec<Limit> = Vec::new();
    for role in &answer.roles {
        if let Some(judged) = role.judged.first()
            && !limits.iter().any(|limit| limit.value == judged.limit_us)
        {
            limits.push(Limit { name: role.role.to_string(), value: judged.limit_us, until: None });
        }
    }
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    let iops: Vec<Line> = course.iops.iter().enumerate().map(line).collect();
    let latency: Vec<Line> = course.latency_us.iter().enumerate().map(line).map(above_zero).collect();
    [
        chart("watch-iops", "I/Os per second", rate, iops, Vec::new()),
        chart("watch-latency", "Latency of the busiest disks", LATENCY_AXIS, latency, limits),
    ]
    .into_iter()
    .filter(|chart| !chart.lines.is_empty())
    .collect()
}
