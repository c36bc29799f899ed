//! What is said of what a rule of a host check wants, and why a fact is not known.

use iotrial_model::host_fact::FactValue;
use iotrial_model::wanted::{FactRelation, Wanted, WantedPart, WhyUnknown};

/// What a fact should be.
pub fn wanted(wanted: &Wanted) -> String {
    let written = |number: &i64| wanted.fact.written(&FactValue::Number(*number));
    let words = wanted.parts.iter().map(|part| match part {
        WantedPart::Number(number) => written(number),
        WantedPart::Range(least, most) => format!("{} to {}", written(least), written(most)),
        WantedPart::AtLeast(least) => format!("at least {}", written(least)),
        WantedPart::AtMost(most) => format!("at most {}", written(most)),
        WantedPart::MultipleOf(unit) => format!("a multiple of {}", written(unit)),
        WantedPart::OneOf(allowed) => listed(allowed, "or"),
        WantedPart::NoneOf(refused) => format!("anything but {}", listed(refused, "and")),
        WantedPart::Flag(is) => FactValue::Flag(*is).to_string(),
        WantedPart::Compared { relation, other, value } => {
            let value = value.as_ref().map_or_else(String::new, |value| other.written(value));
            format!("{} {value} ({})", relation_words(*relation), other.title())
        }
    });
    words.collect::<Vec<_>>().join(" and ")
}

const fn relation_words(relation: FactRelation) -> &'static str {
    match relation {
        FactRelation::Same => "the same as",
        FactRelation::AtLeast => "at least",
        FactRelation::LessThan => "less than",
        FactRelation::MultipleOf => "a multiple of",
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

/// Why it is not known whether a fact is as it should be.
pub fn why_unknown(why: &WhyUnknown) -> String {
    match why {
        WhyUnknown::NotRead(words) => words.clone(),
        WhyUnknown::NotANumber(value) => format!("`{value}` is not a number, but the rule needs one"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use iotrial_model::host_fact::FactId;

    use super::*;

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__wanted__tests__page.snap`.
    #[test]
    fn everything_that_is_wanted_has_its_words_on_one_page() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let compared = |relation, value| WantedPart::Compared { relation, other: FactId::QueueDepth, value };
        let depth = || Some(FactValue::Number(64));
        let mut page = String::new();
        for parts in [
            vec![WantedPart::Number(64)],
            vec![WantedPart::Range(32, 1_024)],
            vec![WantedPart::AtLeast(64), WantedPart::MultipleOf(8)],
            vec![WantedPart::AtMost(64)],
            vec![WantedPart::OneOf(names(&["none"]))],
            vec![WantedPart::OneOf(names(&["none", "mq-deadline", "kyber"]))],
            vec![WantedPart::NoneOf(names(&["bfq", "cfq"]))],
            vec![WantedPart::Flag(true)],
            vec![compared(FactRelation::Same, depth())],
            vec![compared(FactRelation::AtLeast, depth())],
            vec![compared(FactRelation::LessThan, depth())],
            vec![compared(FactRelation::MultipleOf, depth())],
        ] {
            writeln!(page, "wanted: {}", wanted(&Wanted { fact: FactId::QueueDepth, parts })).unwrap();
        }
        for why in [
            WhyUnknown::NotRead("[what the reader says]".to_owned()),
            WhyUnknown::NotANumber(FactValue::text("auto")),
        ] {
            writeln!(page, "unknown: {}", why_unknown(&why)).unwrap();
        }
        insta::assert_snapshot!("page", page);
    }
}
