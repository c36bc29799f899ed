//! A published table: figures that somebody printed, as a file of the format `iotrial.table/1`
//! (`docs/table-format.md`).
//!
//! Every figure keeps the digits in which it was printed, because what may be concluded from it depends on
//! them. The claims are what the text around the table says of its rows.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use crate::bound::BoundRelation;
use crate::figure::{CpuFigure, Figure};
use crate::load::{Pattern, Role};
use crate::metric::{APPLICATION, CPU};
use crate::record::AttributeValue;
use crate::stream::Stream;
use crate::toml_reader::{Mistakes, Scalar, TableReader, nearest, read_toml};
use crate::units::ByteSize;

/// The value of `format` in a file.
pub(crate) const TABLE_FORMAT: &str = "iotrial.table/1";

/// What somebody printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTable {
    /// What it is about.
    pub title: String,
    /// Where it was printed, as a reader would look it up.
    pub source: Option<String>,
    /// How long each row was measured; `None` where that was not printed.
    pub runtime: Option<Duration>,
    /// The load, job by job; empty where it was not printed.
    pub jobs: Vec<PrintedJob>,
    /// In the order of print, never empty.
    pub rows: Vec<PrintedRow>,
    /// What the text says of the rows.
    pub claims: Vec<Claim>,
    /// The categories of latency that were printed, the best first.
    pub categories: Vec<PrintedCategory>,
}

/// One job of the load.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedJob {
    /// Name of the job.
    pub name: String,
    /// What it represents in the database; absent where it was not printed.
    pub role: Option<Role>,
    /// How offsets follow one another.
    pub pattern: Option<Pattern>,
    /// Share of reads.
    pub read_percent: Option<f64>,
    /// Size of one I/O.
    pub block_size: Option<ByteSize>,
    /// Outstanding I/Os of each copy.
    pub iodepth: Option<u64>,
    /// Number of copies.
    pub numjobs: Option<u64>,
    /// Size of what it works on, in GiB; `None` where it was not printed.
    pub size_gib: Option<f64>,
    /// Whether it was worked out from other figures, and not printed.
    pub inferred: bool,
}

/// One configuration under one load.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedRow {
    /// Unique in the table.
    pub id: String,
    /// What it is called.
    pub label: String,
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// The load of this row, where rows have loads of their own.
    pub load: Option<PrintedLoad>,
    /// By name, such as `read.lat_p99_us`.
    pub figures: Vec<(String, PrintedNumber)>,
    /// Figures of which only a bound was printed.
    pub bounds: Vec<Bound>,
}

impl PrintedRow {
    /// One figure, such as `read.lat_p99_us`.
    pub fn figure(&self, name: &str) -> Option<&PrintedNumber> {
        self.figures.iter().find(|(known, _)| known == name).map(|(_, number)| number)
    }
}

/// The load of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedLoad {
    /// How offsets follow one another.
    pub pattern: Option<Pattern>,
    /// Share of reads.
    pub read_percent: Option<f64>,
    /// Size of one I/O.
    pub block_size: Option<ByteSize>,
    /// I/Os in flight at once.
    pub outstanding: Option<u64>,
}

/// A number as it was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedNumber {
    /// The number digit for digit, because its last digit says how exact it is.
    pub text: String,
    /// Its value, in the unit that its name ends in.
    pub value: f64,
    /// Whether zeros at the end of a whole number are digits that were printed. In a table they are so only
    /// in a string: `98600` may have been 98.6 thousand.
    pub keeps_zeros: bool,
}

/// A figure that was printed as a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Such as `read.lat_mean_us`.
    pub metric: String,
    /// On which side of the number the figure is.
    pub relation: BoundRelation,
    /// The number that bounds the figure.
    pub number: PrintedNumber,
}

/// What the text says of the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// A metric changes by a stated amount from one row to another.
    Delta {
        /// Such as `read.iops`.
        metric: String,
        /// Id of the row that is compared with.
        baseline: String,
        /// Id of the row that is compared.
        row: String,
        /// The change in percent, as printed.
        percent: PrintedNumber,
    },
    /// The rows in the order of a metric.
    Rank {
        /// Such as `read.iops`.
        metric: String,
        /// Ids of rows, the best first.
        order: Vec<String>,
    },
    /// Which row to take.
    Recommend {
        /// Id of the row.
        best: String,
        /// Ids of rows not to take.
        avoid: Vec<String>,
    },
    /// A gain that the text names without saying of which metric.
    Gain {
        /// Id of the row that is compared with.
        baseline: String,
        /// Id of the row that is compared.
        row: String,
        /// How much is gained, in percent as printed.
        percent: PrintedNumber,
        /// The words of the text.
        words: Option<String>,
    },
    /// A word for a figure.
    Category {
        /// Id of the row.
        row: String,
        /// Such as `read.lat_mean_us`.
        metric: String,
        /// The word that the text uses.
        category: String,
    },
    /// Which row is the worst.
    Worst {
        /// Id of the row.
        row: String,
        /// Such as `read.iops`; `None` where the text names no metric, and all count.
        metric: Option<String>,
    },
    /// A figure that keeps within limits: «always below 2 ms», «between 1 and 4 ms».
    Limit {
        /// Such as `read.lat_mean_us`.
        metric: String,
        /// Ids of the rows; empty for every row that has the metric.
        rows: Vec<String>,
        /// The limits, as printed.
        limits: Vec<(BoundRelation, PrintedNumber)>,
    },
    /// A price, and what it is made of.
    Price {
        /// Id of the row that costs it.
        row: String,
        /// As printed, in any currency.
        total: PrintedNumber,
        /// What it is the sum of.
        parts: Vec<PricePart>,
    },
}

/// A part of a price: so many units of a unit price.
#[derive(Debug, Clone, PartialEq)]
pub struct PricePart {
    /// Hours, GiB, processors.
    pub quantity: PrintedNumber,
    /// What one costs, in the currency of the total.
    pub unit_price: PrintedNumber,
}

/// A category of latency as printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedCategory {
    /// The word for the category.
    pub name: String,
    /// The mean latency below which it applies; `None` for the worst one.
    pub below_ms: Option<f64>,
}

/// What a stream of a row may hold beside figures: amounts that follow from them, by which the audit checks them.
const STREAM_AMOUNTS: [&str; 2] = ["total_gib", "transfer_size_kb"];

/// What a place of a row may hold, in the order of reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownFigures {
    /// These and no others.
    Only(Vec<&'static str>),
    /// Whatever a source calls its figures.
    AnyName,
}

impl KnownFigures {
    /// Those of a place, such as `read` or `other`; `None` of a place that no row has.
    pub fn of_place(place: &str) -> Option<Self> {
        if place == APPLICATION {
            return Some(Self::AnyName);
        }
        if place == CPU {
            return Some(Self::Only(CpuFigure::ALL.iter().map(|figure| figure.as_str()).collect()));
        }
        let stream = Stream::STATED.into_iter().find(|stream| stream.metric_word() == place);
        stream.map(|_| Self::Only(Figure::ALL.into_iter().map(Figure::key).chain(STREAM_AMOUNTS).collect()))
    }

    /// Whether a figure of this name is one of them.
    pub fn contain(&self, name: &str) -> bool {
        match self {
            Self::Only(known) => known.contains(&name),
            Self::AnyName => !name.is_empty(),
        }
    }

    /// The one that was probably meant by a name that is none of them.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        match self {
            Self::Only(known) => nearest(name, known.iter().copied()),
            Self::AnyName => None,
        }
    }
}

impl PublishedTable {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Every mistake with its place.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            top.required("format", |top, key| top.word(key, &[(TABLE_FORMAT, ())]));
            let title = top.required("title", TableReader::text);
            let source = top.text("source");
            // `try_from` because the number may be negative, not finite, or beyond any duration.
            let runtime = top.number("runtime_s").map(Duration::try_from_secs_f64);
            if let Some(Err(error)) = &runtime {
                return top.refuse("runtime_s", format!("`runtime_s`: {error}"));
            }
            let jobs = top.tables("job", read_job).unwrap_or_default();
            let rows = top.required("row", |top, key| top.tables(key, read_row))?;
            // A set: a hostile file has rows enough to make comparing each with each take minutes.
            let mut seen = HashSet::new();
            for row in &rows {
                if !seen.insert(row.id.as_str()) {
                    top.refuse::<()>("row", format!("two rows have the id `{}`", row.id));
                }
            }
            // Claims are read after the rows, whose ids they must name; the place in the file does not
            // matter.
            let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
            let claims = top.tables("claim", |claim| read_claim(claim, &ids)).unwrap_or_default();
            let categories = top.tables("category", read_category).unwrap_or_default();
            let runtime = runtime.and_then(Result::ok);
            Some(Self { title: title?, source, runtime, jobs, rows, claims, categories })
        })
    }
}

fn words<T: Copy>(all: &'static [T], word: fn(T) -> &'static str) -> Vec<(&'static str, T)> {
    all.iter().map(|one| (word(*one), *one)).collect()
}

fn read_percent(table: &mut TableReader<'_>) -> Option<f64> {
    match table.number("read_percent") {
        Some(percent) if percent > 100.0 => {
            table.refuse("read_percent", format!("`read_percent` must be from 0 to 100, not {percent}"))
        }
        percent => percent,
    }
}

fn read_job(job: &mut TableReader<'_>) -> Option<PrintedJob> {
    Some(PrintedJob {
        name: job.required("name", TableReader::text)?,
        role: job.word("role", &words(Role::ALL, Role::as_str)),
        pattern: job.word("pattern", &words(Pattern::ALL, Pattern::as_str)),
        read_percent: read_percent(job),
        // The bounds only keep numbers within what they are multiplied with later.
        block_size: job.integer("block_size_bytes", 1..=1 << 40).map(ByteSize::bytes),
        iodepth: job.integer("iodepth", 1..=1 << 32),
        numjobs: job.integer("numjobs", 1..=1 << 32),
        size_gib: job.number("size_gib"),
        inferred: job.boolean("inferred").unwrap_or(false),
    })
}

fn read_row(row: &mut TableReader<'_>) -> Option<PrintedRow> {
    let id = row.required("id", TableReader::text);
    let label = row.text("label");
    let attributes = row.table("attributes", |table| Some(read_attributes(table))).unwrap_or_default();
    let load = row.table("load", |load| {
        Some(PrintedLoad {
            pattern: load.word("pattern", &words(Pattern::ALL, Pattern::as_str)),
            read_percent: read_percent(load),
            block_size: load.integer("block_size_bytes", 1..=1 << 40).map(ByteSize::bytes),
            outstanding: load.integer("outstanding", 1..=1 << 32),
        })
    });
    // In the order of reports, which is the order in which figures are listed everywhere.
    let mut figures = Vec::new();
    let mut bounds = Vec::new();
    for place in Stream::STATED.map(Stream::metric_word).into_iter().chain([CPU, APPLICATION]) {
        let of_place = row.table(place, |table| Some(read_figures(table, place, &mut bounds)));
        figures.extend(of_place.unwrap_or_default());
    }
    bounds.extend(row.table("bounds", |table| Some(read_bounds(table))).unwrap_or_default());
    // Two numbers for one figure: which of them was printed, nobody could say.
    let twice = bounds.iter().enumerate().find(|(index, bound)| {
        figures.iter().any(|(name, _)| *name == bound.metric)
            || bounds[..*index].iter().any(|other| other.metric == bound.metric)
    });
    if let Some((_, bound)) = twice {
        let message = format!("`{}` is given twice in the row, once as a bound", bound.metric);
        return row.refuse("id", message);
    }
    if figures.is_empty() && bounds.is_empty() {
        return row
            .refuse("id", "the row has no figure: it needs read, write, total, cpu or other".to_owned());
    }
    let id = id?;
    Some(PrintedRow { label: label.unwrap_or_else(|| id.clone()), id, attributes, load, figures, bounds })
}

fn read_attributes(table: &mut TableReader<'_>) -> BTreeMap<String, AttributeValue> {
    let value = |scalar| match scalar {
        // TOML allows `98_600`, and nobody printed the underscore.
        Scalar::Number { text, .. } => AttributeValue::from_text(&text.replace('_', "")),
        Scalar::Text(text) => AttributeValue::Text(text),
        Scalar::Boolean(boolean) => AttributeValue::Text(boolean.to_string()),
    };
    table.scalars().into_iter().map(|(name, scalar)| (name, value(scalar))).collect()
}

/// The figures of a place; those that are printed with a sign, such as `"< 1000"`, become bounds.
fn read_figures(
    table: &mut TableReader<'_>,
    place: &str,
    bounds: &mut Vec<Bound>,
) -> Vec<(String, PrintedNumber)> {
    let known = KnownFigures::of_place(place);
    let mut figures = Vec::new();
    for (name, scalar) in table.scalars() {
        match &known {
            Some(KnownFigures::Only(known)) if !known.contains(&name.as_str()) => {
                let meant = nearest(&name, known.iter().copied()).map_or_else(
                    || format!("the keys here are {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                table.refuse::<()>(&name, format!("unknown figure `{place}.{name}` ({meant})"));
            }
            _ => {
                let metric = format!("{place}.{name}");
                let (relation, scalar) = match scalar {
                    Scalar::Text(text) => match BoundRelation::split_from(&text) {
                        Some((relation, number)) => (Some(relation), Scalar::Text(number.to_owned())),
                        None => (None, Scalar::Text(text)),
                    },
                    scalar => (None, scalar),
                };
                let Some(number) = printed(table, &name, scalar) else { continue };
                match relation {
                    Some(relation) => bounds.push(Bound { metric, relation, number }),
                    None => figures.push((metric, number)),
                }
            }
        }
    }
    figures
}

impl PrintedNumber {
    /// A number, or a string that keeps zeros at its end.
    fn of_scalar(scalar: Scalar) -> Option<Self> {
        let number = match scalar {
            Scalar::Number { text, value } => Some(Self { text, value, keeps_zeros: false }),
            // A string is the way to say that the zeros at the end were printed: TOML numbers are written as
            // people please.
            Scalar::Text(text) => text.parse().ok().map(|value| Self { text, value, keeps_zeros: true }),
            Scalar::Boolean(_) => None,
        };
        // TOML has `inf` and `nan`, and no measurement has them.
        number.filter(|number| number.value.is_finite())
    }
}

fn printed(table: &TableReader<'_>, name: &str, scalar: Scalar) -> Option<PrintedNumber> {
    match PrintedNumber::of_scalar(scalar).filter(|number| number.value >= 0.0) {
        Some(number) => Some(number),
        None => table.refuse(name, format!("`{name}` must be a number of zero or more, as printed")),
    }
}

/// A change, which may be negative.
fn read_change(table: &mut TableReader<'_>, key: &'static str) -> Option<PrintedNumber> {
    let scalar = table.scalar(key)?;
    match PrintedNumber::of_scalar(scalar) {
        Some(number) => Some(number),
        None => table.refuse(key, format!("`{key}` must be a number, as printed")),
    }
}

fn read_bounds(table: &mut TableReader<'_>) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for (name, scalar) in table.scalars() {
        let split = BoundRelation::ALL.iter().find_map(|(ending, relation)| {
            // At the first underscore: names of streams have none, names of figures do.
            let (stream, figure) = name.strip_suffix(ending)?.strip_suffix('_')?.split_once('_')?;
            let known =
                KnownFigures::of_place(stream).filter(|_| Stream::from_metric_word(stream).is_some())?;
            known.contain(figure).then(|| (format!("{stream}.{figure}"), *relation))
        });
        match split {
            Some((metric, relation)) => {
                let number = printed(table, &name, scalar);
                bounds.extend(number.map(|number| Bound { metric, relation, number }));
            }
            None => {
                let message = format!(
                    "`{name}` must be a figure with _below, _at_most, _above, _at_least or _about, such as read_lat_mean_us_below"
                );
                table.refuse::<()>(&name, message);
            }
        }
    }
    bounds
}

fn read_claim(claim: &mut TableReader<'_>, ids: &[&str]) -> Option<Claim> {
    #[derive(Clone, Copy)]
    enum Kind {
        Delta,
        Rank,
        Recommend,
        Gain,
        Category,
        Worst,
        Limit,
        Price,
    }
    let kinds = [
        ("delta", Kind::Delta),
        ("rank", Kind::Rank),
        ("recommend", Kind::Recommend),
        ("gain", Kind::Gain),
        ("category", Kind::Category),
        ("worst", Kind::Worst),
        ("limit", Kind::Limit),
        ("price", Kind::Price),
    ];
    let kind = claim.required("kind", |claim, key| claim.word(key, &kinds))?;
    // Every key is read before the first one that is wrong ends the claim: what is left over counts as
    // unknown.
    Some(match kind {
        Kind::Delta => {
            let (metric, percent) = (metric(claim), claim.required("percent", read_change));
            let (baseline, row) = (row_id(claim, "baseline", ids), row_id(claim, "row", ids));
            Claim::Delta { metric: metric?, baseline: baseline?, row: row?, percent: percent? }
        }
        Kind::Rank => {
            let (metric, order) = (metric(claim), row_ids(claim, "order", ids));
            Claim::Rank { metric: metric?, order: order? }
        }
        Kind::Recommend => {
            let (best, avoid) = (row_id(claim, "best", ids), row_ids(claim, "avoid", ids));
            Claim::Recommend { best: best?, avoid: avoid? }
        }
        Kind::Gain => {
            let (percent, words) = (claim.required("percent", read_change), claim.text("words"));
            let (baseline, row) = (row_id(claim, "baseline", ids), row_id(claim, "row", ids));
            Claim::Gain { percent: percent?, baseline: baseline?, row: row?, words }
        }
        Kind::Category => {
            let (row, metric) = (row_id(claim, "row", ids), metric(claim));
            let category = claim.required("category", TableReader::text);
            Claim::Category { row: row?, metric: metric?, category: category? }
        }
        Kind::Worst => {
            let metric = if claim.has("metric") { Some(metric(claim)?) } else { None };
            Claim::Worst { row: row_id(claim, "row", ids)?, metric }
        }
        Kind::Limit => {
            let metric = metric(claim);
            let rows = if claim.has("rows") { row_ids(claim, "rows", ids) } else { Some(Vec::new()) };
            let limit = |(key, relation)| Some((relation, read_change(claim, key)?));
            // Whoever says «about» claims nothing that figures could break.
            let relations = BoundRelation::ALL.into_iter().filter(|(_, one)| *one != BoundRelation::About);
            let limits: Vec<_> = relations.filter_map(limit).collect();
            if limits.is_empty() {
                return claim.refuse("metric", "give `below`, `at_most`, `above` or `at_least`".to_owned());
            }
            Claim::Limit { metric: metric?, rows: rows?, limits }
        }
        Kind::Price => {
            let (row, total) = (row_id(claim, "row", ids), claim.required("total", read_change));
            let parts = claim.list("parts", |part| {
                let (quantity, unit_price) =
                    (part.required("quantity", read_change), part.required("unit_price", read_change));
                Some(PricePart { quantity: quantity?, unit_price: unit_price? })
            });
            if parts.is_empty() {
                return claim.refuse("parts", "a price is checked by its parts".to_owned());
            }
            Claim::Price { row: row?, total: total?, parts: parts.into_iter().collect::<Option<_>>()? }
        }
    })
}

/// A figure of a row, such as `read.iops`.
fn metric(claim: &mut TableReader<'_>) -> Option<String> {
    let metric = claim.required("metric", TableReader::text)?;
    let (of, figure) = metric.split_once('.').unwrap_or((&metric, ""));
    let known = KnownFigures::of_place(of);
    if known.as_ref().is_some_and(|known| known.contain(figure)) {
        return Some(metric);
    }
    let hint = known.and_then(|known| known.nearest(figure)).map_or_else(
        || "a metric is a figure of a row, such as read.iops or other.batch_requests_per_s".to_owned(),
        |meant| format!("did you mean `{of}.{meant}`?"),
    );
    claim.refuse("metric", format!("no row can have the figure `{metric}` ({hint})"))
}

fn row_id(claim: &mut TableReader<'_>, key: &'static str, ids: &[&str]) -> Option<String> {
    let id = claim.required(key, TableReader::text)?;
    if ids.contains(&id.as_str()) { Some(id) } else { claim.refuse(key, format!("no row has the id `{id}`")) }
}

fn row_ids(claim: &mut TableReader<'_>, key: &'static str, ids: &[&str]) -> Option<Vec<String>> {
    let listed = claim.required(key, TableReader::texts)?;
    match listed.iter().find(|id| !ids.contains(&id.as_str())) {
        Some(unknown) => claim.refuse(key, format!("no row has the id `{unknown}`")),
        None => Some(listed),
    }
}

fn read_category(category: &mut TableReader<'_>) -> Option<PrintedCategory> {
    let below_ms = category.number("below_ms");
    Some(PrintedCategory { name: category.required("name", TableReader::text)?, below_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
format = "iotrial.table/1"
title = "Two disks"
runtime_s = 60
[[row]]
id = "A"
label = "one disk"
attributes = { disks = 1, cached = true, vm = "large" }
load = { pattern = "random", read_percent = 40, block_size_bytes = 65536, outstanding = 32 }
read = { iops = 98600, lat_mean_us = "1072.50" }
bounds = { write_lat_mean_us_below = 1000 }
[[row]]
id = "B"
other = { batch_requests_per_s = 13100 }
[[claim]]
kind = "delta"
metric = "read.iops"
baseline = "A"
row = "B"
percent = -7.30
"#;

    #[test]
    fn figures_keep_the_digits_in_which_they_were_printed() {
        let table = PublishedTable::parse(SMALL).unwrap();
        let row = &table.rows[0];
        assert_eq!(row.figure("read.lat_mean_us").unwrap().text, "1072.50");
        assert_eq!(
            row.figure("read.iops").unwrap(),
            &PrintedNumber { text: "98600".into(), value: 98_600.0, keeps_zeros: false }
        );
        assert_eq!(row.attributes["disks"], AttributeValue::Integer(1));
        assert_eq!(row.attributes["cached"], AttributeValue::Text("true".into()));
        assert_eq!(
            (row.bounds[0].metric.as_str(), row.bounds[0].relation),
            ("write.lat_mean_us", BoundRelation::Below)
        );
        assert_eq!(row.load.as_ref().unwrap().outstanding, Some(32));
        assert_eq!(table.rows[1].label, "B", "a row without a label is called by its id");
        let Claim::Delta { percent, .. } = &table.claims[0] else { panic!("{:?}", table.claims) };
        assert_eq!((percent.text.as_str(), percent.value), ("-7.30", -7.3));
    }

    #[test]
    fn a_figure_with_a_sign_before_it_is_a_bound() {
        let text = SMALL
            .replacen("iops = 98600", "iops = \"≥ 98600\"", 1)
            .replacen("write_lat_mean_us_below", "write_lat_mean_us_at_most", 1)
            .replacen("per_s = 13100", "per_s = \">13100\"", 1);
        let table = PublishedTable::parse(&text).unwrap();
        let bounds: Vec<(&str, BoundRelation, f64)> = table
            .rows
            .iter()
            .flat_map(|row| &row.bounds)
            .map(|bound| (bound.metric.as_str(), bound.relation, bound.number.value))
            .collect();
        assert_eq!(
            bounds,
            [
                ("read.iops", BoundRelation::AtLeast, 98_600.0),
                ("write.lat_mean_us", BoundRelation::AtMost, 1_000.0),
                ("other.batch_requests_per_s", BoundRelation::Above, 13_100.0),
            ]
        );
        assert_eq!(table.rows[0].figure("read.iops"), None);
    }

    #[track_caller]
    fn check_mistake(replace: &str, by: &str, expected: &str) {
        assert!(SMALL.contains(replace), "{replace}");
        let mistakes = PublishedTable::parse(&SMALL.replacen(replace, by, 1)).unwrap_err().to_string();
        assert!(mistakes.contains(expected), "{mistakes}");
    }

    #[test]
    fn a_mistake_is_named_with_its_place_and_what_was_meant() {
        check_mistake(
            "iops = 98600",
            "iosp = 98600",
            "line 10, column 17: unknown figure `read.iosp` (did you mean `iops`?)",
        );
        check_mistake(
            "\"1072.50\"",
            "\"fast\"",
            "`lat_mean_us` must be a number of zero or more, as printed",
        );
        check_mistake("98600", "-1", "`iops` must be a number of zero or more, as printed");
        check_mistake("write_lat_mean_us_below", "write_lat", "must be a figure with _below");
        check_mistake("\"1072.50\"", "\"< fast\"", "`lat_mean_us` must be a number of zero or more");
        check_mistake(
            "write_lat_mean_us_below",
            "read_lat_mean_us_below",
            "`read.lat_mean_us` is given twice in the row, once as a bound",
        );
        check_mistake("id = \"B\"", "id = \"A\"", "two rows have the id `A`");
        check_mistake("baseline = \"A\"", "baseline = \"C\"", "no row has the id `C`");
        check_mistake("iotrial.table/1", "iotrial.table/2", "`format` must be one of iotrial.table/1");
        check_mistake("format = \"iotrial.table/1\"", "", "`format` is missing");
        check_mistake("other = { batch_requests_per_s = 13100 }", "", "the row has no figure");
        check_mistake("disks = 1", "disks = [1]", "`disks` must be a decimal number");
    }

    /// The tables of the published documents, which are data to check against and no part of the project.
    #[test]
    fn every_published_table_reads() {
        let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
        let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, std::path::PathBuf::from);
        let folder = shared.join("data/published");
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: no {}; IOTRIAL_SHARED names another place", folder.display());
            return;
        };
        let mut row_count = 0;
        let paths = entries.map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.lines().any(|line| line.starts_with("format = \"iotrial.table/")) {
                let table = PublishedTable::parse(&text)
                    .unwrap_or_else(|mistakes| panic!("{}: {mistakes}", path.display()));
                row_count += table.rows.len();
            }
        }
        assert!(row_count > 10, "{row_count} rows");
    }
}
