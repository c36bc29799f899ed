//! Names of sheets, as Excel allows them: short, without some signs, each only once.

use crate::text::{cut, without_steering};

/// Excel allows no longer one.
const LONGEST: usize = 31;
/// A longer title of a chapter leaves no room for a heading.
const LONGEST_CHAPTER: usize = 10;

/// The names that are taken.
#[derive(Debug, Default)]
pub(super) struct SheetNames {
    /// In lower case, because Excel takes names that differ only in case for the same.
    taken: Vec<String>,
}

impl SheetNames {
    /// A name for a part: its heading, behind that of its chapter.
    pub(super) fn next(&mut self, chapter: &str, heading: &str) -> String {
        let is_forbidden =
            // The signs that Excel forbids; an apostrophe only at the ends, but it needs quoting everywhere.
            |c: char| matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\' | '\'') || c.is_control();
        let heading = short(heading);
        let wanted = without_steering(&format!("{chapter} {heading}")).replace(is_forbidden, " ");
        let mut name = cut(wanted.trim(), LONGEST);
        for again in 2.. {
            if !name.is_empty() && !self.taken.contains(&name.to_lowercase()) {
                break;
            }
            let suffix = format!(" {again}");
            // Cut first and numbered then, or the number would be cut off.
            name = format!("{}{suffix}", cut(wanted.trim(), LONGEST - suffix.len()));
        }
        self.taken.push(name.to_lowercase());
        name
    }
}

/// What the sheets of each part begin with: its title where that is short and no other part has it, such as the name of a database, otherwise
/// its number; nothing of the first, which is the document itself.
pub(super) fn chapters(titles: &[&str]) -> Vec<String> {
    let is_own = |title: &str| {
        !title.is_empty()
            && title.chars().count() <= LONGEST_CHAPTER
            && titles.iter().filter(|other| other.eq_ignore_ascii_case(title)).count() == 1
    };
    let name = |(number, title): (usize, &&str)| match number {
        0 => String::new(),
        _ if is_own(title) => (*title).to_owned(),
        _ => number.to_string(),
    };
    titles.iter().enumerate().map(name).collect()
}

/// The same in fewer words, where a heading and the number of a chapter would not fit.
fn short(heading: &str) -> &str {
    match heading {
        "Throughput and latency side by side" => "Throughput and latency",
        "Latency distribution over time" => "Latency spread over time",
        "Highest rate within the limit" => "Highest rate",
        "Average, percentiles and peak" => "Average and peak",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_unique_and_free_of_what_excel_forbids() {
        let mut names = SheetNames::default();
        assert_eq!(names.next("", "By role"), "By role");
        assert_eq!(names.next("", "by role"), "by role 2");
        assert_eq!(names.next("12", "Latency distribution over time"), "12 Latency spread over time");
        assert_eq!(names.next("", "Throughput and latency side by side"), "Throughput and latency");
        assert_eq!(names.next("", "a/b:c'"), "a b c");
        assert_eq!(names.next("", ""), " 2");
    }

    #[test]
    fn a_chapter_has_its_title_where_that_is_short_and_its_own() {
        let titles = ["Reports", "ERP", "crm", "CRM", "the warehouse of 2026", ""];
        assert_eq!(chapters(&titles), ["", "ERP", "2", "3", "4", "5"]);
    }
}
