//! What a rule of a host check wants of a fact, and why a fact is not known: the facts. `iotrial_words::wanted` says them.

use crate::host_fact::{FactId, FactValue};

/// What a fact should be: all parts of it must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The fact.
    pub fact: FactId,
    /// At least one.
    pub parts: Vec<WantedPart>,
}

/// A part of what is wanted. Numbers are in the unit of the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedPart {
    /// This number.
    Number(i64),
    /// From the first to the second.
    Range(i64, i64),
    /// This number or more.
    AtLeast(i64),
    /// This number or less.
    AtMost(i64),
    /// A multiple of it.
    MultipleOf(i64),
    /// One of these words.
    OneOf(Vec<String>),
    /// None of these words.
    NoneOf(Vec<String>),
    /// Yes or no.
    Flag(bool),
    /// What another fact has.
    Compared {
        /// How.
        relation: FactRelation,
        /// The other fact.
        other: FactId,
        /// Its value; `None` where it is not known.
        value: Option<FactValue>,
    },
}

/// How a fact should compare with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactRelation {
    /// Equal to it.
    Same,
    /// As much or more.
    AtLeast,
    /// Less than it.
    LessThan,
    /// A multiple of it.
    MultipleOf,
}

/// Why it is not known whether a fact is as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyUnknown {
    /// It could not be read, in the words of the reader.
    NotRead(String),
    /// It is not a number.
    NotANumber(FactValue),
}
