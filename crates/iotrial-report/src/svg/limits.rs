//! The limits of a chart: lines across the plot, and their names in the margin behind it, where no curve is.

use std::fmt::Write as _;

use super::LIMIT_LETTER_WIDTH;
use super::frame::{BOTTOM, Edge, LEFT, TOP, WIDTH, escape};
use crate::chart::{Chart, Limit};
use crate::text::{cut, wrap};

/// Letters of a name in one line of the margin.
const LETTERS_PER_LINE: usize = 13;
/// Names are cut to this many letters.
const LONGEST_NAME: usize = 60;
/// From one line of a name to the next.
const LINE_HEIGHT: f64 = 17.0;
/// Between the plot and the names.
const GAP: f64 = 12.0;
/// Between two names: those of several lines would otherwise run into each other.
const NAME_GAP: f64 = 5.0;
/// From the base of a line of text to the middle of its letters.
const HALF_LETTER: f64 = 4.5;

/// The right edge of the plot: further left where the names of limits need the margin.
// The same for all names, so that charts side by side have plots of one width.
pub(super) fn right_edge(chart: &Chart) -> f64 {
    match chart.limits.is_empty() {
        true => super::frame::RIGHT,
        false => WIDTH - GAP - LETTERS_PER_LINE as f64 * LIMIT_LETTER_WIDTH,
    }
}

/// A name in the margin.
struct Name {
    /// Where its line is.
    line: f64,
    words: Vec<String>,
}

impl Name {
    /// With half of the gaps above and below it.
    fn height(&self) -> f64 {
        self.words.len() as f64 * LINE_HEIGHT + NAME_GAP
    }
}

/// Each limit as a line with its value and its name. A name that cannot be at the height of its line is tied to it.
pub(super) fn write(svg: &mut String, chart: &Chart, x: &Edge, y: &Edge) -> std::fmt::Result {
    let mut limits: Vec<&Limit> = chart.limits.iter().collect();
    // From the top, in the order in which the names are below each other.
    limits.sort_by(|left, right| right.value.total_cmp(&left.value));
    let names: Vec<Name> = limits.iter().map(|limit| name(limit, y)).collect();
    let middles = spread(&names);
    let edge = x.ruler.end();
    for ((limit, name), middle) in limits.iter().zip(&names).zip(middles) {
        let at = name.line;
        let end = limit.until.map_or(edge, |until| x.position(until));
        write!(svg, "<g><title>limit for {}</title>", escape(&limit.name))?;
        write!(svg, r#"<path class="limit" d="M{LEFT} {at:.1}H{end:.1}"/>"#)?;
        if limit.until.is_some() {
            write!(svg, r#"<path class="limit-end" d="M{end:.1} {:.1}v8"/>"#, at - 4.0)?;
        }
        if let Some(middle) = middle {
            write_name(svg, name, middle, (end, edge))?;
        }
        svg.push_str("</g>");
    }
    Ok(())
}

/// The name of a limit in the margin, at the height `middle`, tied to where its line ends.
fn write_name(svg: &mut String, name: &Name, middle: f64, (end, edge): (f64, f64)) -> std::fmt::Result {
    let at = name.line;
    if end < edge || (at - middle).abs() > 0.5 {
        write!(
            svg,
            r#"<path class="tie" d="M{end:.1} {at:.1}H{edge:.1}L{:.1} {middle:.1}"/>"#,
            edge + GAP - 3.0
        )?;
    }
    let first = middle - (name.words.len() as f64 - 1.0) / 2.0 * LINE_HEIGHT + HALF_LETTER;
    for (base, words) in (0u32..).map(|line| first + f64::from(line) * LINE_HEIGHT).zip(&name.words) {
        let (left, words) = (edge + GAP, escape(words));
        write!(svg, r#"<text class="limit-name" x="{left:.1}" y="{base:.1}">{words}</text>"#)?;
    }
    Ok(())
}

/// The value with its unit and the name, in lines.
fn name(limit: &Limit, y: &Edge) -> Name {
    let value = format!("{} {}", y.format.write_round(limit.value), y.format.unit);
    let words = format!("{} {}", value.trim_end(), limit.name);
    Name { line: y.position(limit.value), words: wrap(&cut(&words, LONGEST_NAME), LETTERS_PER_LINE) }
}

/// The middle of each name, from the top: as near to its line as the others allow, none over another. `None` for those for which
/// the margin has no room at all; their titles and the table of judged figures have them.
fn spread(names: &[Name]) -> Vec<Option<f64>> {
    let (top, bottom) = (TOP - LINE_HEIGHT, BOTTOM + LINE_HEIGHT / 2.0);
    // The lowest limits are the hardest to keep, so the highest ones go first.
    let mut dropped = 0;
    while names[dropped..].iter().map(Name::height).sum::<f64>() > bottom - top {
        dropped += 1;
    }
    let shown = &names[dropped..];
    // Neighbours that would touch become one block around the mean of where its names would be.
    let mut blocks: Vec<Block> = Vec::new();
    for name in shown {
        let mut block = Block { count: 1, height: name.height(), wanted: name.line - name.height() / 2.0 };
        while let Some(above) = blocks.pop() {
            if above.top(top, bottom) + above.height <= block.top(top, bottom) {
                blocks.push(above);
                break;
            }
            block = above.with(&block);
        }
        blocks.push(block);
    }
    let mut middles = vec![None; dropped];
    let mut left = shown.iter();
    for block in &blocks {
        let mut at = block.top(top, bottom);
        for name in left.by_ref().take(block.count) {
            middles.push(Some(at + name.height() / 2.0));
            at += name.height();
        }
    }
    middles
}

/// Names right below each other.
struct Block {
    count: usize,
    height: f64,
    /// The upper edge at which its names are nearest to their lines.
    wanted: f64,
}

impl Block {
    /// Its upper edge, within the margin.
    fn top(&self, top: f64, bottom: f64) -> f64 {
        self.wanted.min(bottom - self.height).max(top)
    }

    /// The block of both, one below the other.
    fn with(&self, below: &Self) -> Self {
        let (here, there) = (self.count as f64, below.count as f64);
        Self {
            count: self.count + below.count,
            height: self.height + below.height,
            wanted: (here * self.wanted + there * (below.wanted - self.height)) / (here + there),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(lines: &[f64]) -> Vec<Name> {
        lines.iter().map(|line| Name { line: *line, words: vec!["10 ms data".to_owned()] }).collect()
    }

    #[test]
    fn a_name_with_room_is_at_the_height_of_its_line() {
        assert_eq!(spread(&names(&[100.0, 130.0])), [Some(100.0), Some(130.0)]);
    }

    #[test]
    fn names_that_would_touch_are_below_each_other_and_as_near_to_their_lines_as_they_can_be() {
        let middles = spread(&names(&[100.0, 105.0, 106.0]));
        let middles: Vec<f64> = middles.into_iter().flatten().collect();
        assert!(middles.windows(2).all(|pair| pair[1] - pair[0] >= LINE_HEIGHT - 1e-9), "{middles:?}");
        assert!((middles[1] - 103.7).abs() < 0.1, "{middles:?}");
    }

    #[test]
    fn six_limits_in_the_upper_quarter_of_a_chart_are_all_named_within_it() {
        let middles = spread(&names(&[56.3, 67.6, 75.6, 87.0, 93.2, 106.3]));
        assert!(middles.iter().all(|middle| middle.is_some_and(|at| at > TOP - LINE_HEIGHT && at < BOTTOM)));
    }

    #[test]
    fn only_names_for_which_the_margin_has_no_room_at_all_are_missing() {
        let many: Vec<f64> = (0..20).map(|at| 50.0 + f64::from(at)).collect();
        let middles = spread(&names(&many));
        assert!(middles[0].is_none() && middles[19].is_some());
        assert!(middles.iter().flatten().count() >= 11, "{middles:?}");
    }
}
