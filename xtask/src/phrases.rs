//! Phrases that readers stumble over: listed with what to write instead in `xtask/phrases.md`, and looked for in what people read.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::source::Source;
use crate::tree::{crates, files};

/// A row of the list.
#[derive(Debug, PartialEq, Eq)]
struct Phrase {
    /// In small letters.
    words: String,
    instead: String,
    /// Longer phrases with the same words that are plain English.
    except: Vec<String>,
}

/// Rows of the table, without its head.
fn listed(page: &str) -> Vec<Phrase> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let except = cells[2].split(", ").filter(|one| !one.is_empty()).map(str::to_lowercase).collect();
        Phrase { words: cells[0].to_lowercase(), instead: cells[1].to_owned(), except }
    })
    .collect()
}

/// Text that people read, with the line of each of its pieces; code within it is left out.
#[derive(Debug, Default)]
struct Prose {
    /// Small letters, one space between words.
    text: String,
    /// Where each piece begins, and the line that it is on.
    lines: Vec<(usize, usize)>,
}

impl Prose {
    fn push(&mut self, line: usize, piece: &str) {
        self.lines.push((self.text.len(), line));
        for word in piece.split_whitespace() {
            self.text.push_str(&word.to_lowercase());
            self.text.push(' ');
        }
    }

    /// What begins here is no part of what was before.
    fn end(&mut self) {
        self.text.push_str("| ");
    }

    fn markdown(page: &str) -> Self {
        let (mut prose, mut is_code, mut in_tick) = (Self::default(), false, false);
        for (index, line) in page.lines().enumerate() {
            if line.trim_start_matches(['>', ' ']).starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                // What is between backticks is code, and a name in it must not hide a phrase around it.
                let mut words = String::new();
                for (part, text) in line.split('`').enumerate() {
                    in_tick = if part == 0 { in_tick } else { !in_tick };
                    words += if in_tick { "…" } else { text };
                }
                if line.trim().is_empty() {
                    prose.end();
                }
                // Code never goes on over a blank line or from one row of a table to the next.
                in_tick &= !line.trim().is_empty() && !line.starts_with('|');
                prose.push(index + 1, &words);
            }
        }
        prose
    }

    /// The literals of a file, and its documentation where that is the help of the program.
    fn rust(source: &Source, text: &str, is_help: bool) -> Self {
        let mut prose = Self::default();
        for (line, literal) in source.production_strings() {
            // A line that goes on, and an escaped end of one.
            let mut pieces = literal.split("\\\n").map(str::trim_start);
            let first = pieces.next().unwrap_or_default().to_owned();
            let whole = pieces.fold(first, |whole, piece| whole + piece).replace("\\n", " | ");
            prose.push(line, &whole);
            prose.end();
        }
        for (index, line) in text.lines().enumerate().filter(|_| is_help) {
            match line.trim().strip_prefix("///") {
                Some(help) => prose.push(index + 1, help),
                None => prose.end(),
            }
        }
        prose
    }

    /// A file whose comments and strings are read by people, such as a profile; its keys do no harm among them.
    fn toml(text: &str) -> Self {
        let mut prose = Self::default();
        for (index, line) in text.lines().enumerate() {
            let words = line.trim_start().trim_start_matches('#');
            if words.trim().is_empty() {
                prose.end();
            }
            prose.push(index + 1, words);
        }
        prose
    }

    /// The descriptions of a JSON Schema.
    fn schema(text: &str) -> Self {
        let mut prose = Self::default();
        for (index, line) in text.lines().enumerate() {
            for description in line.split("\"description\": \"").skip(1) {
                prose.push(index + 1, description.split("\",").next().unwrap_or_default());
                prose.end();
            }
        }
        prose
    }

    /// The lines on which a phrase begins.
    fn lines_with(&self, phrase: &Phrase) -> Vec<usize> {
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let found = self.text.match_indices(&phrase.words).filter(|(at, _)| {
            let (before, behind) = (&self.text[..*at], &self.text[at + phrase.words.len()..]);
            let is_word = !is_part(before.chars().next_back()) && !is_part(behind.chars().next());
            let is_excepted = phrase.except.iter().any(|except| {
                let inside = except.find(&phrase.words);
                let begin = inside.and_then(|inside| at.checked_sub(inside));
                begin.is_some_and(|begin| {
                    self.text.get(begin..).is_some_and(|text| text.starts_with(except.as_str()))
                })
            });
            is_word && !is_excepted
        });
        let line = |at: usize| self.lines[self.lines.partition_point(|(begin, _)| *begin <= at) - 1].1;
        found.map(|(at, _)| line(at)).collect()
    }
}

fn note(found: &mut Vec<String>, name: &str, prose: &Prose, phrases: &[Phrase]) {
    for phrase in phrases {
        let lines = prose.lines_with(phrase);
        found.extend(
            lines.iter().map(|line| format!("{name}:{line}: «{}»: {}", phrase.words, phrase.instead)),
        );
    }
}

/// Every place that has such a phrase: file, line, phrase, and what to write instead.
pub(crate) fn found(root: &Path) -> anyhow::Result<Vec<String>> {
    let read = |path: &Path| {
        let path = root.join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let phrases = listed(&read(Path::new("xtask/phrases.md"))?);
    let mut found = Vec::new();
    let mut pages = files(root, &root.join("docs"), "md");
    pages.extend(["README.md", "CHANGELOG.md"].map(|page| root.join(page)));
    for page in &pages {
        note(&mut found, &name(page), &Prose::markdown(&read(page)?), &phrases);
    }
    for path in ["catalogs", "crates"].iter().flat_map(|folder| files(root, &root.join(folder), "toml")) {
        note(&mut found, &name(&path), &Prose::toml(&read(&path)?), &phrases);
    }
    for path in files(root, &root.join("crates/iotrial/schema"), "json") {
        note(&mut found, &name(&path), &Prose::schema(&read(&path)?), &phrases);
    }
    // What a task of a developer prints is not for the users of the program.
    for one in crates(root)?.iter().filter(|one| one.name != "xtask") {
        for (path, source) in &one.production {
            let is_help =
                one.name == "iotrial" && (path.starts_with("src/cli") || path == "src/report_files.rs");
            let name = format!("{}/{path}", one.folder);
            note(&mut found, &name, &Prose::rust(source, &read(Path::new(&name))?, is_help), &phrases);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_in_prose_and_literals_over_line_ends_and_not_in_code() {
        let list = "| phrase | what | but not |\n| --- | --- | --- |\n| is told | is reported | is told apart |\n| anew | again | |\n";
        let phrases = listed(list);
        assert_eq!(phrases.len(), 2);
        let check = |prose: &Prose, expected: &[(usize, usize)]| {
            let found: Vec<(usize, usize)> = phrases
                .iter()
                .enumerate()
                .flat_map(|(index, phrase)| {
                    prose.lines_with(phrase).into_iter().map(move |line| (index, line))
                })
                .collect();
            assert_eq!(found, expected, "{prose:?}");
        };
        let page = "It is\ntold here.\n\n```\nis told\n```\n`is told`, a thing is told\napart. Is `x` told? Begin Anew.\n";
        check(&Prose::markdown(page), &[(0, 1), (1, 8)]);
        check(&Prose::toml("# It is\n# told\n\ntitle = \"anew\"\n"), &[(0, 1), (1, 4)]);
        let schema = "{\n  \"a\": { \"description\": \"Is told.\", \"type\": \"anew\" }\n}\n";
        check(&Prose::schema(schema), &[(0, 2)]);
        let code = "/// is told\nfn told() {\n    // is told\n    say(\"it is \\\n         told, anew\", \"is\", \"told\");\n}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"anew\";\n}\n";
        let source = Source::read(code);
        check(&Prose::rust(&source, code, false), &[(0, 4), (1, 4)]);
        check(&Prose::rust(&source, code, true), &[(0, 4), (0, 1), (1, 4)]);
    }
}
