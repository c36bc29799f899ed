//! Names and numbers of things within sentences.

use crate::units::group_thousands;

/// `1 job`, `1,200 jobs`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", group_thousands(&count.to_string()), if count == 1 { "" } else { "s" })
}

/// All of them: `a`, `a and b`, `a, b and c`.
pub fn enumerate(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => format!("{} and {}", joined(most), last.as_ref()),
    }
}

/// All of them with commas, or of more than `most` the first `named`, and how many more: `a, b and 7 more`.
pub fn in_brief(names: &[impl AsRef<str>], most: usize, named: usize) -> String {
    if names.len() <= most {
        return joined(names);
    }
    format!("{} and {} more", joined(&names[..named]), names.len() - named)
}

fn joined(names: &[impl AsRef<str>]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted_and_few_are_said() {
        assert_eq!((counted(1, "run"), counted(1_200, "run")), ("1 run".into(), "1,200 runs".into()));
        assert_eq!(enumerate(&[] as &[&str]), "");
        assert_eq!(enumerate(&["a"]), "a");
        assert_eq!(enumerate(&["a", "b"]), "a and b");
        assert_eq!(enumerate(&["a", "b", "c"]), "a, b and c");
        assert_eq!(in_brief(&["a", "b"], 2, 1), "a, b");
        assert_eq!(in_brief(&["a", "b", "c"], 2, 1), "a and 2 more");
        assert_eq!(in_brief(&["a", "b", "c", "d"], 3, 2), "a, b and 2 more");
    }
}
