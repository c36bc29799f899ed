//! Databases that share their storage: what they ask of it together.
//!
//! A sum needs intervals of the same time. Each interval is an average that holds for all of its time, so the intervals of all
//! databases are cut at the boundaries of all of them, and the pieces are added up where every database has one. Peaks of databases
//! are never added up to a peak of the fleet: that sum is shown beside it, as what separate storage would have to carry.

mod clock;
mod demand;
mod notes;

use iotrial_model::awr::{AwrFigure, FleetNote, NotAdded, Part, PlainReads, WhyNotAdded};
use serde::Serialize;

use super::said;
use super::series::{
    AwrSeries, AwrStatistics, DatabaseSeries, FEWEST_FOR_PERCENTILES, SeriesInterval, percentile,
};
use clock::Boundaries;
pub(super) use clock::Span;
pub use clock::UnknownDatabase;

/// What is added up over databases.
const ADDED_UP: [AwrFigure; 11] = [
    AwrFigure::Requests,
    AwrFigure::Reads,
    AwrFigure::Writes,
    AwrFigure::Throughput,
    AwrFigure::ReadMib,
    AwrFigure::WriteMib,
    AwrFigure::SingleBlockReads,
    AwrFigure::MultiBlockReads,
    AwrFigure::RedoMib,
    AwrFigure::ActiveSessions,
    AwrFigure::CpuSessions,
];

/// At the common peak a database that does so much of its own peak has it there.
// A choice: two averages over an hour that differ by less are the same load.
const COINCIDES_PERCENT: f64 = 90.0;

/// Databases that share their storage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrFleet {
    /// Those that are added up, the one with the most requests first.
    pub members: Vec<FleetMember>,
    /// Those that are not, and why.
    #[serde(serialize_with = "said::not_added")]
    pub not_added: Vec<NotAdded>,
    /// When the first interval begins.
    pub begin: String,
    /// When the last one ends.
    pub end: String,
    /// Seconds for which there are reports of all members.
    pub covered_s: f64,
    /// Seconds for which there are reports of any.
    pub covered_by_any_s: f64,
    /// What they ask together; empty where no time is covered by all.
    pub figures: Vec<Consolidated>,
    /// The pieces of time, in their order.
    pub intervals: Vec<FleetInterval>,
    /// What is to be known of the figures.
    #[serde(serialize_with = "said::fleet_notes")]
    pub notes: Vec<FleetNote>,
}

/// A database of a fleet. Shares and peaks are of the time that all members cover.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetMember {
    /// Its name.
    pub database: String,
    /// How many intervals there are of it.
    pub interval_count: usize,
    /// When the first begins.
    pub begin: String,
    /// When the last ends.
    pub end: String,
    /// Seconds that they cover.
    pub covered_s: f64,
    /// All its requests per second; `None` where no time is covered by all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<OwnPeak>,
    /// The same of MiB per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<OwnPeak>,
    /// What of it the reports have, where so much is missing that all sums are too low.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "said::part")]
    pub part: Option<Part>,
    /// What other storage would be asked in place of its reads; absent where it is not on Exadata.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "said::plain_reads")]
    pub away_from_exadata: Option<PlainReads>,
}

/// A figure of a member beside that of all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnPeak {
    /// Mean over time.
    pub average: f64,
    /// The level that is not exceeded for 95 % of the time; absent where there are too few intervals for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// Its highest interval.
    pub peak: f64,
    /// When that began.
    pub peak_begin: String,
    /// Its share in the sum of all members.
    pub share_percent: Option<f64>,
    /// What it did when all together were busiest.
    pub at_common_peak: f64,
    /// Whether it was near its own peak then.
    pub has_peak_with_others: bool,
}

/// A figure of all members together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consolidated {
    /// Which one.
    pub figure: AwrFigure,
    /// Seconds for which all members have it.
    pub covered_s: f64,
    /// Of the sums at each time: what shared storage has to carry.
    pub together: AwrStatistics,
    /// The sums of what each member has by itself in the same time: what separate storage would have to carry.
    pub apart: AwrStatistics,
    /// When the busiest piece of time begins.
    pub peak_begin: String,
    /// When it ends.
    pub peak_end: String,
    /// The peak together as a share of the sum of the peaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_percent: Option<f64>,
}

/// A piece of time in which no database begins another interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetInterval {
    /// When it begins.
    pub begin: String,
    /// When it ends.
    pub end: String,
    /// How long it is.
    pub seconds: f64,
    /// Whether all members have reports of it.
    pub is_whole: bool,
    /// Of each member in their order; null where there is no report.
    pub requests_per_s: Vec<Option<f64>>,
    /// The same in MiB per second.
    pub mib_per_s: Vec<Option<f64>>,
    /// Begin and end in seconds of the calendar.
    #[serde(skip)]
    pub calendar_s: (i64, i64),
}

impl FleetInterval {
    /// What all members ask; `None` where one of them has no report.
    pub fn sum(values: &[Option<f64>]) -> Option<f64> {
        values.iter().copied().sum()
    }
}

/// A member with where its intervals are.
struct Placed<'s> {
    series: &'s DatabaseSeries,
    intervals: Vec<(Span, &'s SeriesInterval)>,
}

/// A piece of time with the intervals of each member that hold in it.
struct Piece<'s> {
    span: Span,
    of_members: Vec<Vec<&'s SeriesInterval>>,
}

impl Piece<'_> {
    /// What a member asks: of a cluster whose instances have reports of their own the sum.
    fn value(&self, member: usize, figure: AwrFigure) -> Option<f64> {
        let here = &self.of_members[member];
        if here.is_empty() { None } else { here.iter().map(|one| one.value(figure)).sum() }
    }
}

impl AwrFleet {
    /// What several databases ask together; `None` of one.
    pub fn of(series: &AwrSeries) -> Option<Self> {
        if series.databases.len() < 2 {
            return None;
        }
        let mut not_added = Vec::new();
        let mut placed: Vec<Placed<'_>> = Vec::new();
        for one in &series.databases {
            match place(one, series) {
                Ok(member) => placed.push(member),
                Err(why) => not_added.push(NotAdded { database: one.database.clone(), why }),
            }
        }
        let boundaries =
            Boundaries::of(placed.iter().flat_map(|one| one.intervals.iter().map(|(span, _)| *span)));
        let mut pieces = pieces_of(&placed, &boundaries);
        // By what they ask, because the first question is who makes the load.
        let load = |member: usize| -> f64 {
            let of_piece =
                |piece: &Piece<'_>| Some(piece.value(member, AwrFigure::Requests)? * piece.span.seconds());
            pieces.iter().filter_map(of_piece).sum()
        };
        let mut order: Vec<usize> = (0..placed.len()).collect();
        order.sort_by(|a, b| load(*b).total_cmp(&load(*a)));
        for piece in &mut pieces {
            piece.of_members = order.iter().map(|at| std::mem::take(&mut piece.of_members[*at])).collect();
        }
        let placed: Vec<Placed<'_>> = {
            let mut by_place: Vec<Option<Placed<'_>>> = placed.into_iter().map(Some).collect();
            order.iter().filter_map(|at| by_place[*at].take()).collect()
        };
        let count = placed.len();
        let has_percentiles = placed.iter().all(|one| one.intervals.len() >= FEWEST_FOR_PERCENTILES);
        let figures: Vec<Consolidated> = if count < 2 {
            Vec::new()
        } else {
            ADDED_UP
                .iter()
                .filter_map(|figure| consolidated(*figure, count, &pieces, has_percentiles))
                .collect()
        };
        let is_whole =
            |piece: &&Piece<'_>| (0..count).all(|member| piece.value(member, AwrFigure::Requests).is_some());
        let seconds = |pieces: &mut dyn Iterator<Item = &Piece<'_>>| -> f64 {
            // The sum of none is -0.0.
            pieces.map(|piece| piece.span.seconds()).sum::<f64>() + 0.0
        };
        let members = placed
            .iter()
            .enumerate()
            .map(|(at, one)| member(at, one, &pieces, &figures, has_percentiles))
            .collect();
        let notes = notes::notes_of(&placed, &pieces, &boundaries, &figures);
        let of_all = |figure| (0..count).map(move |member| (member, figure));
        let intervals = pieces.iter().map(|piece| {
            let values =
                |figure| of_all(figure).map(|(member, figure)| piece.value(member, figure)).collect();
            FleetInterval {
                begin: piece.span.begin_text(),
                end: piece.span.end_text(),
                seconds: piece.span.seconds(),
                is_whole: is_whole(&piece),
                requests_per_s: values(AwrFigure::Requests),
                mib_per_s: values(AwrFigure::Throughput),
                calendar_s: (piece.span.begin, piece.span.end),
            }
        });
        Some(Self {
            members,
            not_added,
            begin: pieces.first().map(|piece| piece.span.begin_text()).unwrap_or_default(),
            end: pieces.last().map(|piece| piece.span.end_text()).unwrap_or_default(),
            covered_s: if count < 2 { 0.0 } else { seconds(&mut pieces.iter().filter(is_whole)) },
            covered_by_any_s: seconds(&mut pieces.iter()),
            figures,
            intervals: intervals.collect(),
            notes,
        })
    }

    /// A figure of all together.
    pub fn figure(&self, figure: AwrFigure) -> Option<&Consolidated> {
        self.figures.iter().find(|one| one.figure == figure)
    }

    /// The busiest pieces of time that all members cover, by a list of theirs.
    pub fn busiest(
        &self,
        most: usize,
        values: impl Fn(&FleetInterval) -> &[Option<f64>],
    ) -> Vec<&FleetInterval> {
        let sum = |one: &FleetInterval| FleetInterval::sum(values(one)).unwrap_or(f64::NEG_INFINITY);
        let mut whole: Vec<&FleetInterval> = self.intervals.iter().filter(|one| one.is_whole).collect();
        whole.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
        whole.truncate(most);
        whole
    }
}

/// Where the intervals of a database are, or why it is not added up.
fn place<'s>(one: &'s DatabaseSeries, series: &AwrSeries) -> Result<Placed<'s>, WhyNotAdded> {
    if one.key.container.is_some() {
        let is_whole = |other: &&DatabaseSeries| {
            other.key.container.is_none() && other.key.id == one.key.id && other.key.name == one.key.name
        };
        // Its I/O is in the counters of the database that it is plugged into.
        if let Some(whole) = series.databases.iter().find(is_whole) {
            return Err(WhyNotAdded::PartOf { database: whole.database.clone() });
        }
    }
    let placed = one.intervals.iter().filter_map(|interval| Some((Span::of(interval)?, interval)));
    let mut intervals: Vec<(Span, &SeriesInterval)> = placed.collect();
    intervals.sort_by_key(|(span, _)| (span.begin, span.end));
    if intervals.is_empty() {
        return Err(WhyNotAdded::NoTimes);
    }
    Ok(Placed { series: one, intervals })
}

/// Time between neighbouring boundaries, as far as any member has an interval there.
fn pieces_of<'s>(placed: &[Placed<'s>], boundaries: &Boundaries) -> Vec<Piece<'s>> {
    let mut pieces: Vec<Piece<'s>> =
        boundaries.spans().map(|span| Piece { span, of_members: vec![Vec::new(); placed.len()] }).collect();
    for (member, one) in placed.iter().enumerate() {
        for (span, interval) in &one.intervals {
            for piece in &mut pieces[boundaries.between(*span)] {
                let here = &mut piece.of_members[member];
                // Instances of a cluster may have intervals of their own; the same instance has one at a time.
                let is_there = |other: &&SeriesInterval| {
                    other.instances.iter().any(|instance| interval.instances.contains(instance))
                };
                if !here.iter().any(is_there) {
                    here.push(interval);
                }
            }
        }
    }
    pieces.retain(|piece| piece.of_members.iter().any(|here| !here.is_empty()));
    pieces
}

/// The pieces for which all members have a figure, with what each of them asks.
fn whole<'p>(figure: AwrFigure, count: usize, pieces: &'p [Piece<'_>]) -> Vec<(&'p Span, Vec<f64>)> {
    let of_piece = |piece: &'p Piece<'_>| {
        let values: Option<Vec<f64>> = (0..count).map(|member| piece.value(member, figure)).collect();
        Some((&piece.span, values?))
    };
    pieces.iter().filter_map(of_piece).collect()
}

/// Average, percentiles and peak of values with their seconds. There are more pieces than intervals, so that those who know the intervals
/// say whether there are percentiles.
fn over_time(figure: AwrFigure, mut values: Vec<(f64, f64)>, has_percentiles: bool) -> AwrStatistics {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let seconds: f64 = values.iter().map(|(_, seconds)| seconds).sum();
    let known = |percent| has_percentiles.then(|| percentile(&values, percent));
    AwrStatistics {
        figure,
        average: values.iter().map(|(value, seconds)| value * seconds).sum::<f64>() / seconds,
        p95: known(95.0),
        p99: known(99.0),
        peak: values.last().map_or(0.0, |(value, _)| *value),
        peak_minute: None,
    }
}

fn consolidated(
    figure: AwrFigure,
    count: usize,
    pieces: &[Piece<'_>],
    has_percentiles: bool,
) -> Option<Consolidated> {
    let whole = whole(figure, count, pieces);
    let sums = whole.iter().map(|(span, values)| (values.iter().sum::<f64>(), span.seconds()));
    let (peak_span, _) =
        whole.iter().max_by(|(_, a), (_, b)| a.iter().sum::<f64>().total_cmp(&b.iter().sum::<f64>()))?;
    let together = over_time(figure, sums.collect(), has_percentiles);
    let each = (0..count).map(|member| {
        over_time(
            figure,
            whole.iter().map(|(span, values)| (values[member], span.seconds())).collect(),
            has_percentiles,
        )
    });
    let apart = each.reduce(|sum, one| AwrStatistics {
        average: sum.average + one.average,
        p95: sum.p95.zip(one.p95).map(|(a, b)| a + b),
        p99: sum.p99.zip(one.p99).map(|(a, b)| a + b),
        peak: sum.peak + one.peak,
        ..sum
    })?;
    Some(Consolidated {
        figure,
        covered_s: whole.iter().map(|(span, _)| span.seconds()).sum(),
        peak_begin: peak_span.begin_text(),
        peak_end: peak_span.end_text(),
        peak_percent: (apart.peak > 0.0).then(|| 100.0 * together.peak / apart.peak),
        together,
        apart,
    })
}

fn member(
    at: usize,
    one: &Placed<'_>,
    pieces: &[Piece<'_>],
    figures: &[Consolidated],
    has_percentiles: bool,
) -> FleetMember {
    let count = pieces.first().map_or(0, |piece| piece.of_members.len());
    let of = |figure| {
        let all = figures.iter().find(|one| one.figure == figure)?;
        let whole = whole(figure, count, pieces);
        let mine = over_time(
            figure,
            whole.iter().map(|(span, values)| (values[at], span.seconds())).collect(),
            has_percentiles,
        );
        let (peak_span, _) = whole.iter().max_by(|(_, a), (_, b)| a[at].total_cmp(&b[at]))?;
        let (_, at_peak) = whole.iter().find(|(span, _)| span.begin_text() == all.peak_begin)?;
        let average = all.together.average;
        Some(OwnPeak {
            average: mine.average,
            p95: mine.p95,
            peak: mine.peak,
            peak_begin: peak_span.begin_text(),
            share_percent: (average > 0.0).then(|| 100.0 * mine.average / average),
            at_common_peak: at_peak[at],
            has_peak_with_others: at_peak[at] >= COINCIDES_PERCENT / 100.0 * mine.peak,
        })
    };
    let (first, last) = (one.intervals.iter().map(|(span, _)| span.begin), one.intervals.iter());
    let whole = Span {
        begin: first.min().unwrap_or_default(),
        end: last.map(|(span, _)| span.end).max().unwrap_or_default(),
    };
    FleetMember {
        database: one.series.database.clone(),
        interval_count: one.intervals.len(),
        begin: whole.begin_text(),
        end: whole.end_text(),
        covered_s: one.series.covered_s,
        requests: of(AwrFigure::Requests),
        throughput: of(AwrFigure::Throughput),
        part: one.series.about.large_part().cloned(),
        away_from_exadata: one.series.about.range.as_ref().map(|range| {
            let average = |figure| one.series.statistics(figure).map(|one| one.average);
            range.at(average(AwrFigure::ReadMib), average(AwrFigure::Reads))
        }),
    }
}
