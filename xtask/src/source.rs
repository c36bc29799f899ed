//! One Rust file as the checks see it: code without comments and without what is between quotes, and which lines only
//! tests compile.
//!
//! This is no parser. It knows literals, comments, brackets and attributes, which is enough to count and to find paths.

use std::ops::Range;

/// A file that was read.
pub(crate) struct Source {
    /// The text with comments and the content of literals as blanks: every character stands where it stood.
    code: Vec<char>,
    /// String literals, with the place where their content begins.
    strings: Vec<(usize, String)>,
    comments: Vec<Comment>,
    /// What only tests compile, as places in `code`.
    tests: Vec<Range<usize>>,
    /// Of the text as it is: whether the line, from 0, has anything in it.
    filled: Vec<bool>,
    /// Where each line begins in `code`.
    lines: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Comment {
    at: usize,
    /// `///` and `//!`, which rustdoc shows.
    is_doc: bool,
}

/// A module that only tests have, in a file of its own.
pub(crate) struct TestModule {
    name: String,
    /// What `#[path]` says.
    path: Option<String>,
}

impl TestModule {
    /// The file, without `.rs`, of the module that `parent` declares.
    pub(crate) fn file_of(&self, parent: &str) -> String {
        let (folder, file) = parent.rsplit_once('/').unwrap_or(("", parent));
        let stem = file.trim_end_matches(".rs");
        match &self.path {
            Some(path) => format!("{folder}/{}", path.trim_end_matches(".rs")),
            None if matches!(stem, "lib" | "main" | "mod") => format!("{folder}/{}", self.name),
            None => format!("{folder}/{stem}/{}", self.name),
        }
    }
}

/// How long a function is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// From 1.
    pub(crate) line: usize,
    /// From `fn` to the closing brace.
    pub(crate) lines: usize,
    /// Whether it returns text: what it makes are words.
    pub(crate) is_text: bool,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let (code, strings, comments) = Reader::new(text).read();
        let mut lines = vec![0];
        lines.extend(code.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(at, _)| at + 1));
        let filled = text.lines().map(|line| !line.trim().is_empty()).collect();
        let mut source = Self { code, strings, comments, tests: Vec::new(), filled, lines };
        source.tests = source.find_tests();
        source
    }

    /// The code that ships: no comments, no strings, no tests.
    pub(crate) fn production(&self) -> String {
        let mut code = self.code.clone();
        for test in &self.tests {
            code[test.clone()].iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' ');
        }
        code.into_iter().collect()
    }

    /// All code, with tests: no comments and no strings.
    pub(crate) fn code(&self) -> String {
        self.code.iter().collect()
    }

    /// Lines that ship and are not blank.
    pub(crate) fn production_lines(&self) -> usize {
        let is_filled = |line: &usize| self.filled.get(*line).copied().unwrap_or(false);
        (0..self.lines.len()).filter(is_filled).filter(|line| !self.is_test_line(*line)).count()
    }

    /// Lines that ship and have something in them beside comments.
    pub(crate) fn code_lines(&self) -> usize {
        self.production().lines().filter(|line| !line.trim().is_empty()).count()
    }

    /// Comments outside tests that are for the reader of the code, by lines.
    pub(crate) fn plain_comments(&self) -> usize {
        self.comments.iter().filter(|one| !one.is_doc && !self.is_test(one.at)).count()
    }

    /// The string literals that ship, each with the line on which its content begins, from 1.
    pub(crate) fn production_strings(&self) -> impl Iterator<Item = (usize, &str)> {
        let shipped = self.strings.iter().filter(|(at, _)| !self.is_test(*at));
        shipped.map(|(at, text)| (self.line_of(*at) + 1, text.as_str()))
    }

    /// Modules behind `#[cfg(test)]` that lie in files of their own.
    pub(crate) fn test_modules(&self) -> Vec<TestModule> {
        let modules = self.tests.iter().filter_map(|place| {
            let item: String = self.code[place.clone()].iter().collect();
            let (_, name) = item.trim_end().strip_suffix(';')?.rsplit_once("mod ")?;
            let path = item.contains("#[path").then(|| {
                let inside = |(at, _): &&(usize, String)| place.contains(at);
                self.strings.iter().find(inside).map(|(_, path)| path.clone())
            });
            Some(TestModule { name: name.trim().to_owned(), path: path.flatten() })
        });
        modules.collect()
    }

    /// The functions that ship and have a body.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let code: Vec<char> = self.production().chars().collect();
        let starts = words(&code).filter(|(_, word)| word == "fn").map(|(at, _)| at);
        let function = |at: usize| {
            // The type of a function has no name: `fn(u64) -> u64`.
            let (_, name) = words(&code[at + 2..]).next().filter(|(gap, _)| *gap <= 1)?;
            let end = item_end(&code, at).filter(|end| code[*end - 1] == '}')?;
            let line = self.line_of(at);
            let head: String = code[at..end].iter().take_while(|c| **c != '{').collect();
            let (_, returned) = head.rsplit_once("->").unwrap_or_default();
            // What is left of a bracket that was opened before is a bound: `fn f<F: Fn() -> String>(f: F)`.
            let is_bound = returned.matches(')').count() > returned.matches('(').count();
            let is_text =
                !is_bound && words(&returned.chars().collect::<Vec<_>>()).any(|(_, word)| word == "String");
            Some(Function { name, line: line + 1, lines: self.line_of(end - 1) - line + 1, is_text })
        };
        starts.filter_map(function).collect()
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at) - 1
    }

    fn is_test(&self, at: usize) -> bool {
        self.tests.iter().any(|test| test.contains(&at))
    }

    fn is_test_line(&self, line: usize) -> bool {
        let touches = |test: &Range<usize>| {
            self.line_of(test.start) <= line && line <= self.line_of(test.end.saturating_sub(1))
        };
        self.tests.iter().any(touches)
    }

    /// Items behind `#[cfg(test)]`, from the attribute to their end.
    fn find_tests(&self) -> Vec<Range<usize>> {
        let attribute: Vec<char> = "#[cfg(test)]".chars().collect();
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in 0..self.code.len() {
            let is_inside = found.last().is_some_and(|last| at < last.end);
            if !is_inside && self.code[at..].starts_with(&attribute) {
                found.push(at..item_end(&self.code, at).unwrap_or(self.code.len()));
            }
        }
        found
    }
}

/// Where the item that begins at `at` ends: behind its `;` or its closing brace, whichever comes first.
fn item_end(code: &[char], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, c) in code.iter().enumerate().skip(at) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && *c == '}' {
                    return Some(place + 1);
                }
            }
            ';' if depth == 0 => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// Identifiers and keywords with the places where they begin.
pub(crate) fn words(code: &[char]) -> impl Iterator<Item = (usize, String)> {
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        at += code.get(at..)?.iter().position(is_part)?;
        let start = at;
        at += code[at..].iter().take_while(|c| is_part(c)).count();
        Some((start, code[start..at].iter().collect()))
    })
}

/// Goes through the text once and blanks what is no code.
struct Reader {
    text: Vec<char>,
    at: usize,
    code: Vec<char>,
    strings: Vec<(usize, String)>,
    comments: Vec<Comment>,
}

impl Reader {
    fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { code: Vec::with_capacity(text.len()), text, at: 0, strings: Vec::new(), comments: Vec::new() }
    }

    fn read(mut self) -> (Vec<char>, Vec<(usize, String)>, Vec<Comment>) {
        while self.at < self.text.len() {
            match self.text[self.at] {
                '/' if self.begins("//") => self.line_comment(),
                '/' if self.begins("/*") => self.block_comment(),
                '"' => self.string(),
                'r' if !self.is_in_word() && self.raw_hashes().is_some() => self.raw_string(),
                '\'' => self.character(),
                _ => self.keep(1),
            }
        }
        (self.code, self.strings, self.comments)
    }

    fn begins(&self, with: &str) -> bool {
        with.chars().enumerate().all(|(index, c)| self.text.get(self.at + index) == Some(&c))
    }

    fn keep(&mut self, count: usize) {
        self.code.extend(self.text.iter().skip(self.at).take(count));
        self.at += count;
    }

    fn blank(&mut self, count: usize) {
        let gone = self.text.iter().skip(self.at).take(count);
        self.code.extend(gone.map(|c| if *c == '\n' { '\n' } else { ' ' }));
        self.at += count;
    }

    /// Whether the `r` here only goes on with a word; the prefixes `br` and `cr` do not count as one.
    fn is_in_word(&self) -> bool {
        let is_part = |at: usize| self.text.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let Some(before) = self.at.checked_sub(1).filter(|before| is_part(*before)) else { return false };
        !matches!(self.text[before], 'b' | 'c') || before.checked_sub(1).is_some_and(is_part)
    }

    /// How many `#` a raw string has that begins here.
    fn raw_hashes(&self) -> Option<usize> {
        let hashes = self.text[self.at + 1..].iter().take_while(|c| **c == '#').count();
        (self.text.get(self.at + 1 + hashes) == Some(&'"')).then_some(hashes)
    }

    fn line_comment(&mut self) {
        let is_doc = self.begins("//!") || self.begins("///") && !self.begins("////");
        self.comments.push(Comment { at: self.at, is_doc });
        let length = self.text[self.at..].iter().take_while(|c| **c != '\n').count();
        self.blank(length);
    }

    fn block_comment(&mut self) {
        let is_doc = self.begins("/*!") || self.begins("/**") && !self.begins("/***") && !self.begins("/**/");
        self.comments.push(Comment { at: self.at, is_doc });
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            if self.begins("/*") {
                depth += 1;
                self.blank(2);
            } else if self.begins("*/") {
                depth -= 1;
                self.blank(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.blank(1);
            }
        }
    }

    fn string(&mut self) {
        self.keep(1);
        let mut length = 0;
        while let Some(c) = self.text.get(self.at + length).filter(|c| **c != '"') {
            length += if *c == '\\' { 2 } else { 1 };
        }
        self.take_string(length);
        self.keep(1);
    }

    fn raw_string(&mut self) {
        let hashes = self.raw_hashes().unwrap_or_default();
        self.keep(hashes + 2);
        let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
        let rest = &self.text[self.at.min(self.text.len())..];
        let length = rest.windows(end.len()).position(|window| window == end).unwrap_or(rest.len());
        self.take_string(length);
        self.keep(hashes + 1);
    }

    /// The content as it is written, escapes and all.
    fn take_string(&mut self, length: usize) {
        let content = self.text.iter().skip(self.at).take(length).collect();
        self.strings.push((self.at, content));
        self.blank(length);
    }

    /// A character, or else a lifetime or a label.
    fn character(&mut self) {
        self.keep(1);
        let length = match (self.text.get(self.at), self.text.get(self.at + 1)) {
            // The second one may be a quote itself: `'\''`.
            (Some('\\'), _) => 2 + self.text.iter().skip(self.at + 2).take_while(|c| **c != '\'').count(),
            (Some(_), Some('\'')) => 1,
            _ => return,
        };
        self.blank(length);
        self.keep(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_what_is_between_quotes_are_no_code() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x\"y", 'z', '\'', b'"')"#, r#"f("    ", ' ', '  ', b' ')"#),
            ("r#\"a\"b\"# r#type br\"c\"", "r#\"   \"# r#type br\" \""),
            ("fn f<'a>(x: &'a str) { 'l: loop {} }", "fn f<'a>(x: &'a str) { 'l: loop {} }"),
            ("\"// no comment\" x", "\"             \" x"),
        ];
        for (text, code) in cases {
            assert_eq!(Source::read(text).code(), code, "{text}");
        }
        let source = Source::read(r#"let a = ["b", r"c\"]; // "d""#);
        assert_eq!(source.production_strings().collect::<Vec<_>>(), [(1, "b"), (1, "c\\")]);
    }

    #[test]
    fn comments_for_rustdoc_are_not_plain_ones() {
        let source =
            Source::read("//! a\n/// b\n//// c\n// d\nx // e\n\n#[cfg(test)]\nmod tests {\n// f\n}\n");
        assert_eq!(source.plain_comments(), 3);
        assert_eq!((source.production_lines(), source.code_lines()), (5, 1));
    }

    #[test]
    fn tests_do_not_count_and_what_follows_them_does() {
        let text =
            "fn a() {}\n#[cfg(test)]\n#[allow(b)]\nmod tests {\n    fn c() {\"d\"}\n}\n\nfn e() {\n}\n";
        let source = Source::read(text);
        assert_eq!(source.production_lines(), 3);
        let found: Vec<_> =
            source.functions().into_iter().map(|one| (one.name, one.line, one.lines)).collect();
        assert_eq!(found, [("a".to_owned(), 1, 1), ("e".to_owned(), 8, 2)]);
        assert!(source.production_strings().next().is_none());
    }

    #[test]
    fn a_test_module_is_found_in_its_file() {
        let file = |text: &str, parent: &str| Source::read(text).test_modules()[0].file_of(parent);
        assert_eq!(file("#[cfg(test)]\nmod tests;", "src/audit.rs"), "src/audit/tests");
        assert_eq!(file("#[cfg(test)]\nmod test_plan;", "src/lib.rs"), "src/test_plan");
        assert_eq!(
            file("#[cfg(test)]\n#[path = \"sweep/tests.rs\"]\nmod tests;", "src/sweep.rs"),
            "src/sweep/tests"
        );
        assert!(Source::read("#[cfg(test)]\nmod tests {\n}").test_modules().is_empty());
    }

    #[test]
    fn the_type_of_a_function_and_a_declaration_have_no_body() {
        let source = Source::read("struct A { f: fn(u8) -> u8 }\ntrait B { fn c(&self); fn d(&self) {\n}\n}");
        assert_eq!(
            source.functions(),
            [Function { name: "d".to_owned(), line: 2, lines: 2, is_text: false }]
        );
    }
}
