//! Every chart of a document as an SVG file of its own, for slides and texts: with its title and its legend, in light colours, and with
//! attributes instead of a style sheet, because office programs know few selectors and no variables.
//!
//! The colours are those of the page: its style sheet is the only place that has them.

use std::fmt::Write as _;

use crate::chart::{BarChart, Chart, ChartGroup, HeatMap};
use crate::document::{Block, Document};
use crate::quantity::LatencyUnit;
use crate::svg::{self, Legend};
use crate::text::{cut, without_steering};

mod style;

use style::Style;

/// The width of every chart, and of its file.
const WIDTH: f64 = 560.0;
/// Room around a chart.
const MARGIN: f64 = 16.0;
/// From one line of the title or of the legend to the next.
const LINE_HEIGHT: f64 = 20.0;
/// Letters of a line of the title.
const TITLE_LETTERS: usize = 66;
/// Room of a letter of the legend.
const LETTER_WIDTH: f64 = 7.0;
/// A sample of the legend and the gaps around it.
const SAMPLE_WIDTH: f64 = 52.0;
/// Names in the legend are cut to this many characters.
const LONGEST_NAME: usize = 60;
/// Names of files are cut to this many characters.
const LONGEST_FILE: usize = 60;

/// A chart in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartFile {
    /// Its name, from the title of the chart: letters, digits and hyphens, with the ending; unique among the files of a document.
    pub name: String,
    /// Its content.
    pub svg: String,
}

/// A file for each chart of a document and of its chapters, in reading order. A chart that stands in the first view as well has one file.
pub fn chart_files(document: &Document) -> Vec<ChartFile> {
    let unit = document.latency_unit();
    let mut files = Files { unit, style: Style::of_page(), files: Vec::new() };
    for (number, part) in document.parts().into_iter().enumerate() {
        let chapter = if number == 0 { String::new() } else { format!("{number} ") };
        let of_sections = || part.sections.iter().flat_map(|section| &section.blocks);
        for block in part.front.chart.iter().chain(of_sections()) {
            files.block(&chapter, block);
        }
    }
    files.files
}

struct Files {
    unit: LatencyUnit,
    style: Style,
    files: Vec<ChartFile>,
}

impl Files {
    fn block(&mut self, chapter: &str, block: &Block) {
        match block {
            Block::Charts(ChartGroup { charts }) => {
                charts.iter().for_each(|chart| self.chart(chapter, chart))
            }
            Block::Bars(charts) => charts.iter().for_each(|chart| self.bars(chapter, chart)),
            Block::HeatMaps(maps) => maps.iter().for_each(|map| self.map(chapter, map)),
            Block::Verdict(_)
            | Block::Answer(_)
            | Block::Statement(_)
            | Block::Findings(_)
            | Block::Table(_)
            | Block::Facts(_)
            | Block::Verbatim { .. } => {}
        }
    }

    fn chart(&mut self, chapter: &str, chart: &Chart) {
        let drawn = svg::write_chart("", chart, self.unit);
        self.add(chapter, &chart.title, &drawn, &svg::legend(std::slice::from_ref(chart)));
    }

    fn bars(&mut self, chapter: &str, chart: &BarChart) {
        let drawn = svg::write_bar_chart("", chart, self.unit);
        self.add(chapter, &chart.title, &drawn, &svg::bar_legend(std::slice::from_ref(chart)));
    }

    fn map(&mut self, chapter: &str, map: &HeatMap) {
        let drawn = svg::write_heat_map("", map, self.unit);
        self.add(chapter, &map.title, &drawn, &svg::level_legend());
    }

    fn add(&mut self, chapter: &str, title: &str, drawn: &str, legend: &[Legend]) {
        let svg = without_steering(&self.style.inlined(&framed(title, drawn, legend)));
        let is_same = |file: &ChartFile| file.svg == svg;
        if self.files.iter().any(is_same) {
            return;
        }
        let wanted = file_name(&format!("{chapter}{title}"));
        let is_taken = |name: &str| self.files.iter().any(|file| file.name == format!("{name}.svg"));
        let mut name = wanted.clone();
        for again in 2.. {
            if !is_taken(&name) {
                break;
            }
            name = format!("{wanted}-{again}");
        }
        self.files.push(ChartFile { name: format!("{name}.svg"), svg });
    }
}

/// `p99-latency` for `p99 latency`.
fn file_name(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(LONGEST_FILE);
    let name = name.trim_end_matches('-');
    if name.is_empty() { "chart".to_owned() } else { name.to_owned() }
}

/// A drawing with its title above it and its legend below it, still with classes.
fn framed(title: &str, drawn: &str, legend: &[Legend]) -> String {
    let [left, _, _, height] = view_of(drawn);
    let drawn = without_names(inner(drawn));
    let title_lines = crate::text::wrap(title, TITLE_LETTERS);
    let top = MARGIN + title_lines.len() as f64 * LINE_HEIGHT;
    // Names side by side, as many as a line holds.
    let (mut x, mut y) = (0.0, top + height + LINE_HEIGHT);
    let mut samples = String::new();
    for one in legend {
        let name = cut(&one.name, LONGEST_NAME);
        let width = SAMPLE_WIDTH + name.chars().count() as f64 * LETTER_WIDTH + MARGIN;
        if x > 0.0 && x + width > WIDTH {
            (x, y) = (0.0, y + LINE_HEIGHT);
        }
        samples += &format!(
            r#"<g transform="translate({:.1} {:.1})">{}<text class="key" x="{}" y="11.5">{}</text></g>"#,
            MARGIN + x,
            y,
            inner(&one.sample),
            SAMPLE_WIDTH,
            svg::escape(&name)
        );
        x += width;
    }
    let bottom = if legend.is_empty() { top + height } else { y + LINE_HEIGHT };
    let (all_width, all_height) = (WIDTH + 2.0 * MARGIN, bottom + MARGIN);
    let mut all = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    all += &format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{all_width}" height="{all_height}" viewBox="0 0 {all_width} {all_height}" font-family="Segoe UI, Roboto, Helvetica, Arial, sans-serif"><title>{}</title><rect class="page" width="{all_width}" height="{all_height}"/>"#,
        svg::escape(title)
    );
    for (line, at) in title_lines.iter().zip(1u32..) {
        let y = MARGIN + f64::from(at) * LINE_HEIGHT - 6.0;
        all += &format!(r#"<text class="title" x="{MARGIN}" y="{y:.1}">{}</text>"#, svg::escape(line));
    }
    // A nested `svg` would be a picture in a picture, which office programs do not take apart.
    let _ =
        write!(all, r#"<g transform="translate({:.1} {top:.1})">{drawn}</g>{samples}</svg>"#, MARGIN - left);
    all.push('\n');
    all
}

/// What is between the tags of an `svg` element.
fn inner(svg: &str) -> &str {
    let start = svg.find('>').map_or(0, |at| at + 1);
    svg[start..].strip_suffix("</svg>").unwrap_or(&svg[start..])
}

/// A drawing without its title, which the whole file has, and with no id: those are of pages, where a chart may stand twice.
fn without_names(drawn: &str) -> String {
    let body = drawn.split_once("</title>").map_or(drawn, |(_, body)| body);
    match body.strip_prefix("<desc ").and_then(|body| body.split_once('>')) {
        Some((_, body)) => format!("<desc>{body}"),
        None => body.to_owned(),
    }
}

/// The view of a drawing: its left and upper edge, its width and its height.
fn view_of(svg: &str) -> [f64; 4] {
    let view = svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let mut numbers = view.split(' ').map(|number| number.parse().unwrap_or_default());
    [(); 4].map(|()| numbers.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_like_its_chart() {
        assert_eq!(file_name("p99 latency"), "p99-latency");
        assert_eq!(file_name("random read 4 KiB: I/Os per second"), "random-read-4-kib-i-os-per-second");
        assert_eq!(file_name("../é"), "chart");
    }
}
