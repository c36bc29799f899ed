//! A value as somebody else printed it: where it is, and how far it may be relied on.

use serde::{Serialize, Serializer};

use crate::load::words;
use crate::range::Range;
use crate::stated::{Rounding, Stated};

words! {
    /// How far a value may be relied on.
    Standing {
        /// It is printed so.
        Printed = "printed",
        /// It follows from printed values, or is printed under another name; the note says how.
        Derived = "derived",
        /// It is printed, and contradicts other printed values; the note says which.
        Inconsistent = "inconsistent",
        /// It is not there: never the same as zero.
        Absent = "absent",
    }
}

/// A number of a report, or the place where it would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quoted {
    /// In the unit of the field; `None` where it is absent. What is derived has the digits that those it follows from leave.
    #[serde(rename = "value", serialize_with = "without_digits")]
    pub number: Option<Stated>,
    /// How far it may be relied on.
    pub standing: Standing,
    /// Section, row and column, with the line: `IO Profile › Total Requests › Read (line 132)`.
    pub place: String,
    /// What the standing rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

fn without_digits<S: Serializer>(number: &Option<Stated>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| number.value).serialize(serializer)
}

impl Default for Quoted {
    fn default() -> Self {
        Self::absent("", "the report does not have it")
    }
}

impl Quoted {
    /// A printed number.
    pub fn printed(number: Stated, place: impl Into<String>) -> Self {
        Self { number: Some(number), standing: Standing::Printed, place: place.into(), note: None }
    }

    /// A number that follows from others; `how` says from which.
    pub fn derived(number: Stated, place: impl Into<String>, how: impl Into<String>) -> Self {
        Self { standing: Standing::Derived, note: Some(how.into()), ..Self::printed(number, place) }
    }

    /// What is not there, and why.
    pub fn absent(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self { number: None, standing: Standing::Absent, place: place.into(), note: Some(why.into()) }
    }

    /// The same, contradicted by something else.
    pub fn contradicted(self, why: impl Into<String>) -> Self {
        Self { standing: Standing::Inconsistent, note: Some(why.into()), ..self }
    }

    /// The number without its digits, contradicted or not.
    pub fn value(&self) -> Option<f64> {
        self.number.map(|number| number.value)
    }

    /// The number, unless it is contradicted.
    pub fn sound_number(&self) -> Option<Stated> {
        self.number.filter(|_| self.standing != Standing::Inconsistent)
    }

    /// The same without its digits.
    pub fn sound(&self) -> Option<f64> {
        self.sound_number().map(|number| number.value)
    }

    /// Whether there is one.
    pub const fn is_there(&self) -> bool {
        self.number.is_some()
    }

    /// The same in another unit, of which one is `factor` of the old.
    pub fn scaled(self, factor: f64) -> Self {
        Self { number: self.number.map(|number| number.scaled(factor)), ..self }
    }

    /// Whether another number of the same thing is the same within what both were rounded to, and within `slack` of it. What is
    /// absent contradicts nothing.
    pub fn agrees_with(&self, other: Stated, slack: f64) -> bool {
        let range = |number| Range::of_rounded(number, Rounding::Nearest);
        // A millionth for the noise of the arithmetic.
        self.number.is_none_or(|number| range(number).agrees_with(range(other), slack + 1e-6))
    }
}
