//! The document as one HTML file: no script, nothing loaded, every text escaped.

use iotrial_analysis::comparison::Reading;
use iotrial_model::record::Severity;
use iotrial_model::units::group_thousands;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value as Template, context};
use serde::Serialize;

use crate::document::{Answer, Beside, Block, Document, Fact, FindingLine, KeyFigure, Section, VerdictBlock};
use crate::quantity::{LatencyUnit, Quantity};
use crate::table::{Column, Table, Value, category_word};
use crate::text::{cut, without_steering};
use crate::{style_hash, svg};

mod charts;
mod figures;
mod shades;
mod words;

use charts::{ChartView, LegendView};
use shades::Shades;

/// Why a document could not be rendered: the template does not fit, which is our mistake.
#[derive(Debug, thiserror::Error)]
#[error("the report's template could not be filled in")]
pub struct RenderHtmlError(#[from] minijinja::Error);

/// The whole document as one self-contained page.
///
/// # Errors
///
/// When the template does not fit the document.
pub fn render_html(document: &Document) -> Result<String, RenderHtmlError> {
    // A browser hashes the style sheet with plain newlines, whatever the checkout made of them.
    // Git may check files out with CRLF on Windows; the hash in the policy must be that of what is sent.
    let style = include_str!("html/style.css").replace("\r\n", "\n");
    let unit = document.latency_unit();
    let mut templates = Environment::new();
    // Escaping is decided once and for every value; only drawings of our own are marked as safe.
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    // Blocks of the template would otherwise leave blank lines all over the page.
    templates.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    templates.add_filter("prose", prose);
    templates.add_filter("words", |text: &str| Template::from_safe_string(words::breakable(text)));
    templates.add_template("report", include_str!("html/template.html"))?;
    let parts = document.parts();
    let parts: Vec<PartView<'_>> =
        parts.iter().enumerate().map(|(number, part)| PartView::new(number, part, unit)).collect();
    let page = templates.get_template("report")?.render(context! {
        style_source => style_hash::source_expression(&style),
        style => Template::from_safe_string(style),
        title => document.front.title.as_ref().unwrap_or(&document.title),
        parts => Template::from(Serde(parts)),
    })?;
    // After rendering, so that no value escapes it: characters that turn the direction of text could make a
    // name read as another.
    Ok(words::with_units_kept(&without_steering(&page)))
}

/// A text of ours with names between backticks, as Markdown has them: they are set as code. Whatever it quotes is escaped.
fn prose(text: &str) -> Template {
    let pieces: Vec<&str> = text.split('`').collect();
    // One that has no partner belongs to a name, and nobody can tell which.
    if pieces.len().is_multiple_of(2) {
        return Template::from_safe_string(words::breakable(text));
    }
    let shown = |(at, piece): (usize, &&str)| match at % 2 {
        1 if piece.is_empty() => "``".to_owned(),
        1 => words::code(piece),
        _ => words::breakable(piece),
    };
    Template::from_safe_string(pieces.iter().enumerate().map(shown).collect())
}

/// The document or one of its chapters as the template sees it.
#[derive(Serialize)]
struct PartView<'d> {
    /// 0 for the document itself.
    number: usize,
    /// The level of the headings of its sections: one below that of its title.
    level: usize,
    title: &'d str,
    byline: &'d str,
    /// The answer of a chapter, for the line in which it is folded.
    mark: Option<MarkView<'d>>,
    /// The answer, and what stands beside it.
    opening: Vec<SectionView<'d>>,
    closing: Option<&'d str>,
    figures: Vec<KeyFigureView<'d>>,
    chart: Option<BlockView<'d>>,
    /// The circumstances that every reader asks for; the others are folded.
    brief: Vec<&'d (&'static str, String)>,
    circumstances: Vec<&'d (&'static str, String)>,
    prefix: String,
    /// Why the figures may not mean what they seem to, in a few lines.
    warnings: Vec<String>,
    /// What follows in a line of links, each with the id that it leads to.
    links: Vec<(String, String)>,
    /// What is printed before the appendix.
    tables: Vec<SectionView<'d>>,
    /// Why the answer is what it is, and what else the reader should know, by heading.
    reasons: Vec<(&'static str, &'d [String])>,
    reasons_heading: &'static str,
    rest: Vec<SectionView<'d>>,
}

/// Circumstances that stand in the first view of a page.
const FIRST_LINES: [&str; 6] = ["Attributes", "Host", "Target", "Targets", "File", "baseline"];
/// Points that stand below an answer without figures; more are folded.
const MOST_POINTS: usize = 5;
/// Warnings that stand in the first view, and characters of each; all of them are in a section.
const MOST_WARNINGS: usize = 3;
const LONGEST_WARNING: usize = 200;

impl<'d> PartView<'d> {
    fn new(number: usize, part: &'d Document, unit: LatencyUnit) -> Self {
        // Ids are unique in a document, and the chapters are documents of their own.
        let prefix = if number == 0 { String::new() } else { format!("chapter-{number}-") };
        let front = &part.front;
        // One that has nothing of its own to show first shows its first table, and its first chart.
        let has_front = !front.figures.is_empty() || front.chart.is_some();
        let opens = |(at, section): (usize, &Section)| {
            let is_text = |block: &Block| matches!(block, Block::Findings(_) | Block::Statement(_));
            section.heading.is_empty() || at == 0 && section.blocks.iter().all(is_text)
        };
        let is_opening: Vec<bool> = part.sections.iter().enumerate().map(opens).collect();
        let folded =
            || part.sections.iter().zip(&is_opening).filter(|(_, opens)| !**opens).map(|(one, _)| one);
        let is_drawn = |section: &&Section| {
            section
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Charts(_) | Block::Bars(_) | Block::HeatMaps(_)))
        };
        let is_short = |section: &&Section| section.row_count() <= MOST_ROWS_ON_A_PAGE;
        let has_glance =
            |section: &&Section| section.blocks.iter().any(|block| block.at_a_glance().is_some());
        // What is printed on the first pages has to fit them.
        let with_figures = part.section_with_figures().filter(is_short);
        let with_figures = with_figures.or_else(|| folded().find(|one| has_glance(one) && is_short(one)));
        let with_figures = with_figures.map(|section| section.id);
        let with_chart = folded().find(is_drawn).map(|section| section.id).filter(|_| front.chart.is_none());
        let is_first = |id: &str| with_figures == Some(id) || with_chart == Some(id) || id == "gates";
        let opening = part.sections.iter().zip(&is_opening).filter(|(_, opens)| **opens);
        let view = |section: &'d Section, is_open: bool| SectionView::new(&prefix, section, unit, is_open);
        let mut reasons = reasons(part);
        let points: usize = reasons.iter().map(|(_, points)| points.len()).sum();
        let has_points = !has_front && points <= MOST_POINTS;
        if has_points {
            reasons.clear();
        }
        let is_brief = |line: &&(&'static str, String)| !has_front || FIRST_LINES.contains(&line.0);
        let (tables, rest): (Vec<&Section>, Vec<&Section>) =
            folded().partition(|section| is_first(section.id));
        let mut blocks = part.sections.iter().flat_map(|section| &section.blocks);
        let is_statement = blocks.any(|block| matches!(block, Block::Statement(_)));
        let (reasons_heading, noun) = if is_statement { ("Points", "point") } else { ("Reasons", "reason") };
        let mut links = Vec::new();
        if !reasons.is_empty() {
            links.push((format!("{prefix}reasons"), counted(points, noun)));
        }
        links.extend(
            rest.iter()
                .filter(|section| section.id == "findings")
                .map(|section| (format!("{prefix}{}", section.id), hint(section))),
        );
        let warnings = rest.iter().flat_map(|section| warnings(section)).filter(|_| has_front);
        let warnings = warnings.map(|line| cut(&line.message, LONGEST_WARNING));
        Self {
            number,
            level: if number == 0 { 2 } else { 3 },
            title: front.title.as_ref().filter(|_| number == 0).unwrap_or(&part.title),
            byline: &part.byline,
            mark: mark_of(part),
            opening: opening
                .map(|(section, _)| {
                    let mut opening = view(section, true);
                    opening.has_points = has_points;
                    opening
                })
                .collect(),
            closing: front.closing.as_deref(),
            figures: front.figures.iter().map(KeyFigureView::new).collect(),
            chart: front.chart.as_ref().map(|chart| BlockView::new(&prefix, chart, unit)),
            brief: part.in_brief.iter().filter(is_brief).chain(&front.lines).collect(),
            circumstances: part.in_brief.iter().filter(|line| !is_brief(line)).collect(),
            warnings: warnings.take(MOST_WARNINGS).collect(),
            links,
            tables: tables
                .into_iter()
                .map(|section| view(section, !has_front || section.id == "gates"))
                .collect(),
            reasons,
            reasons_heading,
            rest: rest.into_iter().map(|section| view(section, false)).collect(),
            prefix,
        }
    }
}

/// The lines of a section that are more than notes, in their order.
fn warnings(section: &Section) -> impl Iterator<Item = &FindingLine> {
    let lines = section.blocks.iter().flat_map(|block| match block {
        Block::Findings(lines) => lines.as_slice(),
        _ => &[],
    });
    lines.filter(|line| line.severity >= Severity::Warning)
}

/// The points of the answers of a document, by heading; those of an answer itself have none.
fn reasons(part: &Document) -> Vec<(&'static str, &[String])> {
    let blocks =
        part.sections.iter().filter(|section| section.heading.is_empty()).flat_map(|one| &one.blocks);
    blocks.flat_map(points_of).filter(|(_, points)| !points.is_empty()).collect()
}

fn points_of(block: &Block) -> Vec<(&'static str, &[String])> {
    match block {
        Block::Verdict(verdict) => vec![("", verdict.reasons.as_slice())],
        Block::Answer(answer) | Block::Statement(answer) => {
            let lists = answer.lists.iter().map(|list| (list.heading, list.points.as_slice()));
            std::iter::once(("", answer.points.as_slice())).chain(lists).collect()
        }
        _ => Vec::new(),
    }
}

/// The answer of a document in a word.
#[derive(Serialize)]
struct MarkView<'d> {
    tone: &'static str,
    symbol: &'static str,
    word: &'d str,
}

fn mark_of(part: &Document) -> Option<MarkView<'_>> {
    part.sections.iter().flat_map(|section| &section.blocks).find_map(|block| match block {
        Block::Verdict(verdict) => {
            let (tone, symbol) = mark(verdict.is_yes());
            Some(MarkView { tone, symbol, word: verdict.word() })
        }
        Block::Answer(answer) => {
            let (tone, symbol) = mark(answer.is_good);
            Some(MarkView { tone, symbol, word: &answer.headline })
        }
        _ => None,
    })
}

/// A figure of the first view: the number apart from its unit, which is set smaller.
#[derive(Serialize)]
struct KeyFigureView<'d> {
    name: &'d str,
    number: String,
    unit: &'static str,
    beside: Option<String>,
    is_beyond: bool,
}

impl<'d> KeyFigureView<'d> {
    fn new(figure: &'d KeyFigure) -> Self {
        let Fact { name, quantity, value } = &figure.fact;
        // In the unit of the sentence above them.
        let format = value.format(*quantity, LatencyUnit::Milliseconds);
        let number = match value {
            // Zeros behind the point say nothing of a time.
            Value::Number(number) if *quantity == Quantity::Seconds => format.write_round(*number),
            value => value.written(*quantity, &format),
        };
        let beside = figure.beside.as_ref().map(|beside| match beside {
            Beside::Limit(limit) => format!("limit {} {}", format.write_round(*limit), format.unit),
            Beside::Needed(needed) => format!("needed {}", format.write_round(needed.round())),
            Beside::Range(low, high) => {
                format!("95 %: {} to {}", format.write(*low), format.write(*high))
            }
            Beside::Of(count, what) => format!("of {count} {what}"),
        });
        Self { name, number, unit: format.unit, beside, is_beyond: figure.is_beyond }
    }
}

/// `1 point`, `6 points`.
fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", group_thousands(&count.to_string()), if count == 1 { "" } else { "s" })
}

/// What a folded section holds: how many findings by weight, charts, rows.
fn hint(section: &Section) -> String {
    let mut findings: Vec<(&str, usize)> = Vec::new();
    let (mut charts, mut rows, mut values) = (0, 0, 0);
    for block in &section.blocks {
        match block {
            Block::Findings(lines) => {
                for line in lines {
                    match findings.iter_mut().find(|(label, _)| *label == line.label()) {
                        Some((_, count)) => *count += 1,
                        None => findings.push((line.label(), 1)),
                    }
                }
            }
            Block::Charts(group) => charts += group.charts.len(),
            Block::Bars(all) => charts += all.len(),
            Block::HeatMaps(all) => charts += all.len(),
            Block::Table(table) => rows += table.rows.len(),
            Block::Facts(facts) => values += facts.len(),
            Block::Verdict(_) | Block::Answer(_) | Block::Statement(_) | Block::Verbatim { .. } => {}
        }
    }
    let findings = findings.into_iter().map(|(label, count)| match label {
        "note" | "warning" => counted(count, label),
        label => format!("{count} {label}"),
    });
    let others = [(charts, "chart"), (rows, "row"), (values, "value")];
    let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(count, noun));
    findings.chain(others).collect::<Vec<_>>().join(", ")
}

/// A section as the template sees it.
#[derive(Serialize)]
struct SectionView<'d> {
    id: String,
    heading: &'static str,
    note: Option<&'d str>,
    /// What it holds, for the line in which it is folded.
    hint: String,
    is_open: bool,
    /// Whether tables need a caption in addition to the heading.
    has_captions: bool,
    /// Whether the points of its answer are below it.
    has_points: bool,
    blocks: Vec<BlockView<'d>>,
}

impl<'d> SectionView<'d> {
    fn new(prefix: &str, section: &'d Section, unit: LatencyUnit, is_open: bool) -> Self {
        Self {
            id: format!("{prefix}{}", section.id),
            heading: section.heading,
            note: section.note.as_deref(),
            hint: hint(section),
            is_open,
            // A single table has the heading of its section as its caption.
            has_captions: section.blocks.len() > 1,
            has_points: true,
            blocks: section.blocks.iter().map(|block| BlockView::new(prefix, block, unit)).collect(),
        }
    }
}

/// A block as the template sees it: words, and drawings that are safe to insert as they are.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum BlockView<'d> {
    Verdict {
        /// As in JSON, for programs that read the page.
        outcome: &'static str,
        tone: &'static str,
        symbol: &'static str,
        word: &'d str,
        category: Option<&'static str>,
        sentence: &'d str,
        advice: Option<&'d str>,
        reasons: &'d [String],
        ended: Option<&'d str>,
    },
    Answer {
        tone: &'static str,
        symbol: &'static str,
        headline: &'d str,
        sentence: &'d str,
        points: &'d [String],
        lists: Vec<(&'static str, &'d [String])>,
    },
    Findings {
        findings: Vec<FindingView<'d>>,
    },
    Table(TableView<'d>),
    Charts {
        charts: Vec<ChartView<'d>>,
        legend: Vec<LegendView>,
        /// What is said on paper where only the first are printed.
        on_paper: Option<String>,
    },
    Facts {
        facts: Vec<(&'d str, String)>,
    },
    Verbatim {
        caption: &'d str,
        text: &'d str,
    },
}

impl<'d> BlockView<'d> {
    fn new(prefix: &str, block: &'d Block, unit: LatencyUnit) -> Self {
        match block {
            Block::Verdict(verdict) => Self::verdict(verdict),
            Block::Findings(findings) => Self::Findings {
                findings: findings.iter().map(|finding| FindingView::new(finding, unit)).collect(),
            },
            Block::Answer(answer) => Self::answer(answer, mark(answer.is_good)),
            Block::Statement(statement) => Self::answer(statement, ("", "")),
            Block::Table(table) => Self::Table(TableView::new(table, unit)),
            Block::Charts(group) => Self::Charts {
                charts: group.charts.iter().map(|chart| ChartView::of_chart(prefix, chart, unit)).collect(),
                legend: charts::shown(svg::legend(&group.charts)),
                on_paper: on_paper(group.charts.len(), MOST_PRINTED_CHARTS, "chart"),
            },
            Block::HeatMaps(maps) => Self::Charts {
                charts: maps.iter().map(|map| ChartView::of_map(prefix, map, unit)).collect(),
                legend: charts::shown(svg::level_legend()),
                on_paper: on_paper(maps.len(), MOST_PRINTED_CHARTS, "chart"),
            },
            Block::Bars(charts) => Self::Charts {
                charts: charts.iter().map(|chart| ChartView::of_bars(prefix, chart, unit)).collect(),
                legend: charts::shown(svg::bar_legend(charts)),
                on_paper: on_paper(charts.len(), MOST_PRINTED_CHARTS, "chart"),
            },
            Block::Facts(facts) => {
                Self::Facts { facts: facts.iter().map(|fact| written(fact, unit)).collect() }
            }
            Block::Verbatim { caption, text } => Self::Verbatim { caption, text },
        }
    }

    fn answer(answer: &'d Answer, (tone, symbol): (&'static str, &'static str)) -> Self {
        Self::Answer {
            tone,
            symbol,
            headline: &answer.headline,
            sentence: &answer.sentence,
            points: &answer.points,
            lists: answer.lists.iter().map(|list| (list.heading, list.points.as_slice())).collect(),
        }
    }

    fn verdict(verdict: &'d VerdictBlock) -> Self {
        let (tone, symbol) = mark(verdict.is_yes());
        Self::Verdict {
            outcome: verdict.outcome.key(),
            tone,
            symbol,
            word: verdict.word(),
            category: verdict.decisive_category().map(category_word),
            sentence: &verdict.sentence,
            advice: verdict.advice.as_deref(),
            reasons: &verdict.reasons,
            ended: verdict.ended.as_deref(),
        }
    }
}

/// How a good, a bad and an open answer look: a class and a symbol.
const fn mark(is_good: Option<bool>) -> (&'static str, &'static str) {
    match is_good {
        None => ("open", "?"),
        Some(true) => ("good", "✓"),
        Some(false) => ("bad", "✗"),
    }
}

/// A name with its value as people read it.
fn written(fact: &Fact, unit: LatencyUnit) -> (&str, String) {
    (&fact.name, fact.value.written_with_unit(fact.quantity, unit))
}

#[derive(Serialize)]
struct FindingView<'d> {
    /// A class of the style.
    severity: &'static str,
    label: &'static str,
    is_in_full: bool,
    symbol: &'static str,
    id: &'d str,
    message: &'d str,
    evidence: Vec<(&'d str, String)>,
}

impl<'d> FindingView<'d> {
    fn new(finding: &'d FindingLine, unit: LatencyUnit) -> Self {
        Self {
            severity: finding.severity.as_str(),
            label: finding.label(),
            is_in_full: finding.is_in_full(),
            symbol: match finding.severity {
                Severity::Note => "i",
                Severity::Warning => "!",
                Severity::Serious => "✗",
            },
            id: finding.tag().unwrap_or_default(),
            message: &finding.message,
            evidence: finding.evidence.iter().map(|fact| written(fact, unit)).collect(),
        }
    }
}

#[derive(Serialize)]
struct TableView<'d> {
    caption: &'d str,
    /// Whether there is a row of groups above the headers.
    is_grouped: bool,
    /// Whether it fits on a printed page.
    is_short: bool,
    /// What is said on paper where only its first rows are printed.
    on_paper: Option<String>,
    headers: Vec<HeaderView>,
    rows: Vec<RowView>,
}

/// A header in the first row; one of a group spans the headers below it.
#[derive(Serialize)]
struct HeaderView {
    text: String,
    class: &'static str,
    /// The headers of the second row; empty where the header spans both.
    below: Vec<String>,
}

#[derive(Serialize)]
struct RowView {
    is_total: bool,
    cells: Vec<CellView>,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    class: &'static str,
    /// How many rows it spans; 1 for most.
    rows: usize,
}

/// Words in a table up to this length stay on one line.
// A choice: longer words wrap, so that they do not push the numbers off a phone.
const LONGEST_UNBROKEN: usize = 24;
/// More rows than this do not fit on a printed page with their heading.
const MOST_ROWS_ON_A_PAGE: usize = 25;
/// Of longer tables, so many rows are printed: about a page. The style sheet has the same number.
const MOST_PRINTED_ROWS: usize = 35;
/// Of more charts in a section, so many are printed: about a page. The style sheet has the same number.
const MOST_PRINTED_CHARTS: usize = 6;

/// `The first 35 of 687 rows. The page has all.`, where that is not all of them.
fn on_paper(count: usize, printed: usize, noun: &str) -> Option<String> {
    (count > printed).then(|| format!("The first {printed} of {}. The page has all.", counted(count, noun)))
}

/// The header below a common one, with its unit if the common header does not name it.
fn below(column: &Column, unit: &str, said: &str) -> String {
    if unit.is_empty() || unit == said || unit == column.name {
        column.name.to_string()
    } else {
        format!("{}, {unit}", column.name)
    }
}

impl<'d> TableView<'d> {
    fn new(table: &'d Table, unit: LatencyUnit) -> Self {
        let formats = table.formats(unit);
        let mut headers: Vec<HeaderView> = Vec::new();
        let said = table.group_units(&formats);
        for (index, (column, format)) in table.columns.iter().zip(&formats).enumerate() {
            let follows = index > 0 && table.columns[index - 1].group == column.group;
            match headers.last_mut() {
                Some(group) if follows && !column.group.is_empty() => {
                    group.below.push(below(column, format.unit, said[index]));
                }
                _ => {
                    let is_group = !column.group.is_empty();
                    let name = if is_group { &column.group } else { &column.name };
                    let unit = if is_group { said[index] } else { format.unit };
                    // A header that is a unit already needs no other.
                    let shows_unit = !unit.is_empty() && unit != name.as_ref();
                    headers.push(HeaderView {
                        text: if shows_unit { format!("{name}, {unit}") } else { name.to_string() },
                        class: class(column.quantity),
                        below: if is_group {
                            vec![below(column, format.unit, said[index])]
                        } else {
                            Vec::new()
                        },
                    });
                }
            }
        }
        let shades = Shades::of(table);
        let mut rows: Vec<RowView> = Vec::with_capacity(table.rows.len());
        for (index, row) in table.rows.iter().enumerate() {
            let written = row.cells.iter().zip(table.columns.iter().zip(&formats));
            let mut cells: Vec<CellView> = written
                .map(|(value, (column, format))| CellView {
                    text: value.written(column.quantity, format),
                    class: match value {
                        Value::Number(number) if column.is_shaded => shades.class(*number),
                        Value::Category(category) => category_word(*category),
                        Value::Text(text)
                            if column.quantity == Quantity::Words
                                && text.chars().count() <= LONGEST_UNBROKEN =>
                        {
                            "words short"
                        }
                        // A dash needs no room for words.
                        Value::Absent if column.quantity == Quantity::Words => "words short",
                        Value::Change { reading, .. } | Value::Bounded { reading: Some(reading), .. } => {
                            change_class(*reading)
                        }
                        _ => class(column.quantity),
                    },
                    rows: 1,
                })
                .collect();
            let same_first = |other: usize| table.rows[other].cells.first() == row.cells.first();
            // Neighbours with the same first cell are one cell over several rows.
            let first_rows = (index..table.rows.len()).take_while(|other| same_first(*other)).count();
            if index > 0 && same_first(index - 1) {
                cells.remove(0);
            } else if let Some(first) = cells.first_mut() {
                first.rows = first_rows;
            }
            rows.push(RowView { is_total: row.is_total, cells });
        }
        let is_grouped = headers.iter().any(|header| !header.below.is_empty());
        let is_short = table.rows.len() <= MOST_ROWS_ON_A_PAGE;
        let on_paper = on_paper(table.rows.len(), MOST_PRINTED_ROWS, "row");
        Self { caption: &table.caption, is_grouped, is_short, on_paper, headers, rows }
    }
}

const fn change_class(reading: Reading) -> &'static str {
    match reading {
        Reading::MuchBetter | Reading::Better => "number better",
        Reading::Worse => "number worse",
        Reading::MuchWorse => "number much worse",
        Reading::NoDifference
        | Reading::TooFew
        | Reading::TooFewRepeats
        | Reading::NoInterval
        | Reading::OtherRate
        | Reading::Undecided => "number same",
        Reading::Amount => "number",
    }
}

const fn class(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Words => "words",
        _ => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_paper_is_said_to_leave_out_is_what_the_style_leaves_out() {
        let print = include_str!("html/style.css").split("@media print").nth(1).unwrap();
        assert!(print.contains(&format!("tbody tr:nth-child(n + {})", MOST_PRINTED_ROWS + 1)));
        assert!(print.contains(&format!(".charts figure:nth-child(n + {})", MOST_PRINTED_CHARTS + 1)));
        assert_eq!(
            (on_paper(MOST_PRINTED_ROWS, MOST_PRINTED_ROWS, "row"), on_paper(6, 6, "chart")),
            (None, None)
        );
        assert!(on_paper(1_041, MOST_PRINTED_ROWS, "row").unwrap().contains("35 of 1,041 rows"));
    }

    #[test]
    fn names_between_backticks_are_set_as_code_and_nothing_escapes() {
        let shown = |text: &str| prose(text).to_string();
        assert_eq!(
            shown("within `flash`, by `<b>`"),
            "within <code class=\"whole\">flash</code>, by <code class=\"whole\">&lt;b&gt;</code>"
        );
        assert_eq!(shown("a ` alone & <i>"), "a ` alone &amp; &lt;i&gt;");
        assert_eq!(shown("two `` together"), "two `` together");
    }
}
