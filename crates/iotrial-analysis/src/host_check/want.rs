//! Whether a value is what a rule wants, and what that is in words.

use iotrial_model::host_fact::{FactId, FactValue, Reading};

use super::place::Place;
use super::rule::Want;

/// Whether a value is what is wanted.
pub(super) enum Met {
    Yes,
    No,
    /// The part with which it would be compared does not have the fact.
    NothingToCompare,
    Unknown {
        what: String,
        why: String,
    },
}

impl Want {
    pub(super) fn is_met(&self, fact: FactId, value: &FactValue, place: &Place<'_>) -> Met {
        if let Some(allowed) = &self.one_of
            && !allowed.contains(&value.to_string())
        {
            return Met::No;
        }
        if self.none_of.as_ref().is_some_and(|refused| refused.contains(&value.to_string())) {
            return Met::No;
        }
        if self.is.is_some_and(|is| *value != FactValue::Flag(is)) {
            return Met::No;
        }
        if let Some(other) = self.equals_fact {
            match self.compared(other, fact, place) {
                // No stripes below is nothing to fit.
                Ok(Some(FactValue::Number(0))) | Ok(None) => return Met::NothingToCompare,
                Ok(Some(other)) if other != *value => return Met::No,
                Ok(Some(_)) => {}
                Err(unknown) => return unknown,
            }
        }
        if !self.is_about_numbers() {
            return Met::Yes;
        }
        let FactValue::Number(number) = *value else {
            let why = format!("`{value}` is not a number, but the rule needs one");
            return Met::Unknown { what: fact.title().to_owned(), why };
        };
        let is_outside = self.at_least.is_some_and(|least| number < least)
            || self.at_most.is_some_and(|most| number > most)
            || self.multiple_of.is_some_and(|unit| number % unit != 0);
        if is_outside {
            return Met::No;
        }
        for (other, is_right) in [
            (self.at_least_fact, (|a, b| a >= b) as fn(i64, i64) -> bool),
            (self.less_than_fact, |a, b| a < b),
            (self.multiple_of_fact, |a, b| b == 0 || a % b == 0),
        ] {
            let Some(other) = other else { continue };
            match self.compared(other, fact, place) {
                Ok(Some(FactValue::Number(other))) if !is_right(number, other) => return Met::No,
                Ok(Some(FactValue::Number(_))) => {}
                Ok(Some(_) | None) => return Met::NothingToCompare,
                Err(unknown) => return unknown,
            }
        }
        Met::Yes
    }

    /// The value that another fact has.
    fn compared(&self, other: FactId, fact: FactId, place: &Place<'_>) -> Result<Option<FactValue>, Met> {
        match place.other(other, fact).map(|fact| &fact.reading) {
            None => Ok(None),
            Some(Reading::Known(value)) => Ok(Some(value.clone())),
            Some(Reading::Unknown(why)) => {
                Err(Met::Unknown { what: other.title().to_owned(), why: why.clone() })
            }
        }
    }

    /// What is wanted, in words; facts with which it is compared with their values.
    pub(super) fn in_words(&self, fact: FactId, place: &Place<'_>) -> String {
        let written = |number: i64| fact.written(&FactValue::Number(number));
        let mut words: Vec<String> = Vec::new();
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) if least == most => words.push(written(least)),
            (Some(least), Some(most)) => words.push(format!("{} to {}", written(least), written(most))),
            (Some(least), None) => words.push(format!("at least {}", written(least))),
            (None, Some(most)) => words.push(format!("at most {}", written(most))),
            (None, None) => {}
        }
        words.extend(self.multiple_of.map(|unit| format!("a multiple of {}", written(unit))));
        words.extend(self.one_of.as_ref().map(|allowed| listed(allowed, "or")));
        words.extend(self.none_of.as_ref().map(|refused| format!("anything but {}", listed(refused, "and"))));
        words.extend(self.is.map(|is| FactValue::Flag(is).to_string()));
        for (other, relation) in [
            (self.equals_fact, "the same as"),
            (self.at_least_fact, "at least"),
            (self.less_than_fact, "less than"),
            (self.multiple_of_fact, "a multiple of"),
        ] {
            let Some(other) = other else { continue };
            let value = place.other(other, fact).and_then(|fact| match &fact.reading {
                Reading::Known(value) => Some(other.written(value)),
                Reading::Unknown(_) => None,
            });
            words.push(format!("{relation} {} ({})", value.unwrap_or_default(), other.title()));
        }
        words.join(" and ")
    }

    /// The limit as a bare number, for a command.
    pub(super) fn limit(&self, place: &Place<'_>) -> String {
        let of_fact = |id: FactId| match place.nearest(id).map(|fact| &fact.reading) {
            Some(Reading::Known(value)) => Some(value.to_string()),
            _ => None,
        };
        let number = self.at_least.or(self.at_most).map(|number| number.to_string());
        let first = || self.one_of.as_ref()?.first().cloned();
        number.or_else(first).or_else(|| self.at_least_fact.and_then(of_fact)).unwrap_or_default()
    }
}

/// `a, b or c`.
fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}
