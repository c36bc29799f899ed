//! A value as somebody else printed it: where it is, and how far it may be relied on.

use serde::Serialize;

use crate::load::words;

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

/// A value of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quoted {
    /// In the unit of the field; `None` where it is absent.
    pub value: Option<f64>,
    /// How far it may be relied on.
    pub standing: Standing,
    /// Section, row and column, with the line: `IO Profile › Total Requests › Read (line 132)`.
    pub place: String,
    /// What the standing rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Half a unit of the last printed digit, in the unit of the value: the true value is within it.
    #[serde(skip)]
    pub half_step: f64,
}

impl Default for Quoted {
    fn default() -> Self {
        Self::absent("", "the report does not have it")
    }
}

impl Quoted {
    /// A printed value with half a unit of its last digit.
    pub fn printed(value: f64, half_step: f64, place: impl Into<String>) -> Self {
        Self { value: Some(value), standing: Standing::Printed, place: place.into(), note: None, half_step }
    }

    /// A value that follows from others; `how` says from which.
    pub fn derived(value: f64, half_step: f64, place: impl Into<String>, how: impl Into<String>) -> Self {
        Self { standing: Standing::Derived, note: Some(how.into()), ..Self::printed(value, half_step, place) }
    }

    /// What is not there, and why.
    pub fn absent(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            value: None,
            standing: Standing::Absent,
            place: place.into(),
            note: Some(why.into()),
            half_step: 0.0,
        }
    }

    /// The same, contradicted by something else.
    pub fn contradicted(self, why: impl Into<String>) -> Self {
        Self { standing: Standing::Inconsistent, note: Some(why.into()), ..self }
    }

    /// The value, unless it is contradicted.
    pub fn sound(&self) -> Option<f64> {
        self.value.filter(|_| self.standing != Standing::Inconsistent)
    }

    /// Whether there is one.
    pub const fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// The same in another unit, of which one is `factor` of the old.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.value = self.value.map(|value| value * factor);
        self.half_step *= factor;
        self
    }

    /// Whether another value of the same thing is the same within what both were rounded to, and within `slack` of it.
    pub fn agrees_with(&self, other: f64, other_half_step: f64, slack: f64) -> bool {
        self.value.is_none_or(|value| {
            // A millionth for the noise of the arithmetic.
            let room = self.half_step + other_half_step + (slack + 1e-6) * value.abs().max(other.abs());
            (value - other).abs() <= room
        })
    }
}
