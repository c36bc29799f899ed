//! What a page shows first of a document: at most five figures, each beside what it has to be, one chart, and the line that is quoted.
//!
//! All of it is in the sections as well; the front only chooses. It is chosen where the document is made, from the facts that its sections are
//! made of.

use super::{Block, Fact};
use crate::quantity::Quantity;
use crate::table::Value;

/// More figures than this are a table.
pub(crate) const MOST_FIGURES: usize = 5;

/// What a reader takes along. The default is that of a document that has nothing of its own to show first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Front {
    /// What the document is about, where its title says too little when it stands alone.
    pub title: Option<String>,
    /// The most important first, at most five.
    pub figures: Vec<KeyFigure>,
    /// Charts that show the answer: a block of charts or of bars.
    pub chart: Option<Block>,
    /// Host and target in a line each, where the circumstances in brief do not have them.
    pub lines: Vec<(&'static str, String)>,
    /// The answer in a line that can be quoted.
    pub closing: Option<String>,
}

/// A figure, with what it is held against.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFigure {
    /// What it is, and how much.
    pub fact: Fact,
    /// What stands below it; numbers are of the quantity of the figure.
    pub beside: Option<Beside>,
    /// Whether it is worse than it has to be.
    pub is_beyond: bool,
}

/// What stands below a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// It is acceptable below this.
    Limit(f64),
    /// So much is needed.
    Needed(f64),
    /// Where it lies with 95 % confidence.
    Range(f64, f64),
    /// Of how many it is a part, and of what: `of 6 loads won`.
    Of(usize, &'static str),
}

impl KeyFigure {
    /// A figure by itself.
    pub(crate) fn new(name: impl Into<String>, quantity: Quantity, value: Value) -> Self {
        Self { fact: Fact { name: name.into(), quantity, value }, beside: None, is_beyond: false }
    }

    /// The same beside something.
    pub(crate) fn beside(self, beside: Option<Beside>) -> Self {
        Self { beside, ..self }
    }
}
