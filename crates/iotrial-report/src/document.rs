//! The document: everything that is said about a run, in reading order, as typed blocks.

mod front;

use iotrial_analysis::verdict::{Category, Outcome};

pub(crate) use front::MOST_FIGURES;
pub use front::{Beside, Front, KeyFigure};

use crate::chart::{BarChart, ChartGroup, HeatMap};
pub use crate::finding_line::FindingLine;
use crate::quantity::LatencyUnit;
pub use crate::table::Fact;
use crate::table::Table;
use crate::text::cut;

/// A title is not a paragraph, and it is in every row of a CSV.
pub(crate) const LONGEST_TITLE: usize = 200;

/// What every renderer shows, each as far as its medium goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// When and by whom.
    pub byline: String,
    /// The circumstances in one line each, label and text; the sections have all of them.
    pub in_brief: Vec<(&'static str, String)>,
    /// In reading order.
    pub sections: Vec<Section>,
    /// Documents of their own that follow, such as one for each run; most have none.
    pub chapters: Vec<Document>,
    /// What a page shows first.
    pub front: Front,
}

/// A part with a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Unique in the document; letters and hyphens.
    pub id: &'static str,
    /// What follows; empty for the part that opens the document.
    pub heading: &'static str,
    /// How to read what follows.
    pub note: Option<String>,
    /// In reading order, never empty.
    pub blocks: Vec<Block>,
}

/// The kinds of content.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Whether the storage is good enough.
    Verdict(VerdictBlock),
    /// The answer to any other question.
    Answer(Answer),
    /// A statement, in the same form and without a mark: whether it is good was not the question.
    Statement(Answer),
    /// What the reader should know about the figures.
    Findings(Vec<FindingLine>),
    /// Figures in rows.
    Table(Table),
    /// Figures as curves or points.
    Charts(ChartGroup),
    /// How something spreads, over time.
    HeatMaps(Vec<HeatMap>),
    /// Figures side by side; all charts have the same series.
    Bars(Vec<BarChart>),
    /// Names with values.
    Facts(Vec<Fact>),
    /// Text, word for word, with its name.
    Verbatim {
        /// What it is.
        caption: String,
        /// The text itself.
        text: String,
    },
}

impl Section {
    /// The rows of all its tables.
    pub(crate) fn row_count(&self) -> usize {
        let rows = |block: &Block| if let Block::Table(table) = block { table.rows.len() } else { 0 };
        self.blocks.iter().map(rows).sum()
    }
}

impl Block {
    /// The table, where it is one that short forms show.
    pub(crate) fn at_a_glance(&self) -> Option<&Table> {
        match self {
            Self::Table(table) if table.at_a_glance => Some(table),
            _ => None,
        }
    }
}

/// The answer to «is this storage good enough».
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictBlock {
    /// Whether it is.
    pub outcome: Outcome,
    /// The same in one or two words.
    pub outcome_word: &'static str,
    /// The answer in a few words, where another question was asked.
    pub headline: Option<String>,
    /// How good; `None` when nothing could be judged.
    pub category: Option<Category>,
    /// The answer in one sentence.
    pub sentence: String,
    /// What to change so that the next measurement has an answer.
    pub advice: Option<String>,
    /// The reasons for it, the most important first.
    pub reasons: Vec<String>,
    /// That the run did not end as planned, and why.
    pub ended: Option<String>,
}

impl VerdictBlock {
    /// The answer in one or two words.
    pub(crate) fn word(&self) -> &str {
        // A headline replaces the word, because another question was asked: of a search, what rate holds.
        self.headline.as_deref().unwrap_or(self.outcome_word)
    }

    /// Whether it is a yes, a no or neither.
    pub(crate) fn is_yes(&self) -> Option<bool> {
        self.outcome.is_yes()
    }

    /// The category, where that decided: good latencies that may not be relied upon are not «not qualified
    /// (good)».
    pub(crate) fn decisive_category(&self) -> Option<Category> {
        // Categories are ordered from the best.
        let agrees = |category: &Category| self.outcome.is_yes() == Some(*category <= Category::Acceptable);
        self.category.filter(agrees).filter(|_| self.headline.is_none())
    }
}

/// An answer with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether it is a good one; `None` where it is neither good nor bad, or there is none, and it says why
    /// not.
    pub is_good: Option<bool>,
    /// The answer in a few words.
    pub headline: String,
    /// The answer in one sentence.
    pub sentence: String,
    /// The reasons for it, the most important first.
    pub points: Vec<String>,
    /// What else the reader should know, by heading.
    pub lists: Vec<PointList>,
}

/// Points under a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct PointList {
    /// What they are about.
    pub heading: &'static str,
    /// Sentences, never empty.
    pub points: Vec<String>,
}

/// The sections whose table has the figures of the answer, the first that there is; elsewhere it is the first table.
const WITH_FIGURES: [&str; 5] = ["gates", "steps", "roles", "saturation", "inventory"];

impl Document {
    /// The same under another title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        self.title = cut(title, LONGEST_TITLE);
        self.front.title = None;
        self
    }

    /// The section with the figures of the answer, which short forms show: it has a table that is read at a glance.
    pub(crate) fn section_with_figures(&self) -> Option<&Section> {
        let has_glance =
            |section: &&Section| section.blocks.iter().any(|block| block.at_a_glance().is_some());
        let of_id = |id: &str| self.sections.iter().find(|section| section.id == id).filter(has_glance);
        WITH_FIGURES.into_iter().find_map(of_id).or_else(|| self.sections.iter().find(has_glance))
    }

    /// All tables, in reading order, without those of the chapters.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.sections.iter().flat_map(|section| &section.blocks).filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }

    /// The document itself and all its chapters, in reading order.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        // Depth first, which is reading order.
        std::iter::once(self).chain(self.chapters.iter().flat_map(Self::parts)).collect()
    }

    /// The unit of every latency in the document.
    pub(crate) fn latency_unit(&self) -> LatencyUnit {
        let tables = self.parts().into_iter().flat_map(Self::tables);
        // One unit for the whole document, from its longest latency: 2,400 µs next to 2.4 ms is misread.
        LatencyUnit::for_longest_us(tables.map(Table::longest_latency_us).fold(0.0, f64::max))
    }
}
