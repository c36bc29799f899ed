//! Whether a value is what a rule wants, and what that is.

use iotrial_model::host_fact::{FactId, FactValue, Reading};
use iotrial_model::wanted::{FactRelation, Wanted, WantedPart, WhyUnknown};

use super::place::Place;
use super::rule::Want;

/// Whether a value is what is wanted.
pub(super) enum Met {
    Yes,
    No,
    /// The part with which it would be compared does not have the fact.
    NothingToCompare,
    Unknown {
        what: FactId,
        why: WhyUnknown,
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
            return Met::Unknown { what: fact, why: WhyUnknown::NotANumber(value.clone()) };
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
                Err(Met::Unknown { what: other, why: WhyUnknown::NotRead(why.clone()) })
            }
        }
    }

    /// What is wanted; facts with which it is compared with their values.
    pub(super) fn wanted(&self, fact: FactId, place: &Place<'_>) -> Wanted {
        let mut parts: Vec<WantedPart> = match (self.at_least, self.at_most) {
            (Some(least), Some(most)) if least == most => vec![WantedPart::Number(least)],
            (Some(least), Some(most)) => vec![WantedPart::Range(least, most)],
            (Some(least), None) => vec![WantedPart::AtLeast(least)],
            (None, Some(most)) => vec![WantedPart::AtMost(most)],
            (None, None) => Vec::new(),
        };
        parts.extend(self.multiple_of.map(WantedPart::MultipleOf));
        parts.extend(self.one_of.clone().map(WantedPart::OneOf));
        parts.extend(self.none_of.clone().map(WantedPart::NoneOf));
        parts.extend(self.is.map(WantedPart::Flag));
        for (other, relation) in [
            (self.equals_fact, FactRelation::Same),
            (self.at_least_fact, FactRelation::AtLeast),
            (self.less_than_fact, FactRelation::LessThan),
            (self.multiple_of_fact, FactRelation::MultipleOf),
        ] {
            let Some(other) = other else { continue };
            let value = place.other(other, fact).and_then(|fact| match &fact.reading {
                Reading::Known(value) => Some(value.clone()),
                Reading::Unknown(_) => None,
            });
            parts.push(WantedPart::Compared { relation, other, value });
        }
        Wanted { fact, parts }
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
