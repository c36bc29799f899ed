//! Which top-level modules of a crate use each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::words;
use crate::tree::Crate;

/// The modules that each top-level module of a crate uses; also those that use nothing.
pub(crate) type Uses = BTreeMap<String, BTreeSet<String>>;

/// Which top-level modules use which, in the code that ships. The root itself, with what it re-exports, is no module.
pub(crate) fn uses(one: &Crate) -> Uses {
    let root = ["src/lib.rs", "src/main.rs"].into_iter().find_map(|file| one.production.get(file));
    let Some(root) = root else { return Uses::new() };
    let declared = declared_modules(&root.production());
    let mut uses: Uses = declared.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for (file, source) in &one.production {
        let module = module_path(file);
        let Some(used) = module.first().and_then(|top| top_module(top, &declared)) else { continue };
        let found = used_modules(&source.production(), &module);
        let others = found.into_iter().filter(|name| declared.contains(name) && *name != used);
        uses.entry(used.clone()).or_default().extend(others);
    }
    uses
}

/// The modules that use each other, one entry for each knot of them; those within one in the order of the alphabet.
pub(crate) fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|name| (name, reached_from(name, uses))).collect();
    let circles: BTreeSet<Vec<String>> = uses
        .keys()
        .filter(|name| reached[name].contains(name))
        .map(|name| reached[name].iter().filter(|other| reached[*other].contains(name)))
        .map(|knot| knot.map(|name| (*name).clone()).collect())
        .collect();
    circles.into_iter().collect()
}

/// Everything that `name` uses, and what that uses, and so on.
fn reached_from<'u>(name: &String, uses: &'u Uses) -> BTreeSet<&'u String> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&String> = uses[name].iter().collect();
    while let Some(next) = left.pop() {
        if reached.insert(next) {
            left.extend(&uses[next]);
        }
    }
    reached
}

/// The names behind `mod` at the top of the root of a crate.
fn declared_modules(root: &str) -> BTreeSet<String> {
    let lines = root.lines().filter(|line| line.starts_with("mod ") || line.starts_with("pub"));
    let names = lines.filter_map(|line| {
        let (_, name) = line.trim_end().trim_end_matches(" {").trim_end_matches(';').split_once("mod ")?;
        Some(name.to_owned())
    });
    names.collect()
}

/// The module of a file below the folder of its crate: `src/run/search.rs` is `["run", "search"]`, the root is empty.
fn module_path(file: &str) -> Vec<String> {
    let below = file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    if matches!(below, "lib" | "main") {
        return Vec::new();
    }
    below.split('/').map(str::to_owned).collect()
}

/// The module that a file at the top belongs to: its own, or, where `#[path]` names the file, the one that its name begins with.
fn top_module(file: &str, declared: &BTreeSet<String>) -> Option<String> {
    let is_part = |name: &&String| file.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('_'));
    declared.get(file).or_else(|| declared.iter().filter(is_part).max_by_key(|name| name.len())).cloned()
}

/// What stands at the top of the crate in each path that begins with `crate` or climbs up to it with `super`; `module` is
/// where the code stands.
fn used_modules(code: &str, module: &[String]) -> BTreeSet<String> {
    let code: Vec<char> = code.chars().collect();
    let mut found = BTreeSet::new();
    let mut words = words(&code).peekable();
    while let Some((at, word)) = words.next() {
        if !matches!(word.as_str(), "crate" | "super") {
            continue;
        }
        let mut end = at + word.len();
        let mut depth =
            if word == "crate" { 0 } else { (module.len() + inline_depth(&code, at)).saturating_sub(1) };
        while let Some((next, _)) = words.next_if(|(next, word)| *next == end + 2 && word == "super") {
            end = next + "super".len();
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            found.extend(heads(&code[end..]));
        }
    }
    found
}

/// How many modules with a body of their own, `mod os { … }`, enclose the place.
fn inline_depth(code: &[char], place: usize) -> usize {
    let mut open = Vec::new();
    let mut is_module = false;
    let mut at = 0;
    while at < place {
        let rest = &code[at..];
        let is_start = at == 0 || !(code[at - 1].is_alphanumeric() || code[at - 1] == '_');
        if is_start && rest.starts_with(&['m', 'o', 'd', ' ']) {
            is_module = true;
        }
        match code[at] {
            '{' => open.push(std::mem::take(&mut is_module)),
            '}' => drop(open.pop()),
            ';' => is_module = false,
            _ => {}
        }
        at += 1;
    }
    open.into_iter().filter(|is_module| *is_module).count()
}

/// The first names of the paths behind `crate` or `super`: of `::a::b` it is `a`, of `::{a::b, c}` they are `a` and `c`.
fn heads(behind: &[char]) -> Vec<String> {
    let Some(path) = behind.strip_prefix(&[':', ':']) else { return Vec::new() };
    if path.first() != Some(&'{') {
        return words(path).next().filter(|(at, _)| *at == 0).map(|(_, name)| name).into_iter().collect();
    }
    let mut heads = Vec::new();
    let (mut depth, mut expected) = (0_usize, true);
    for (at, c) in path.iter().enumerate() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' if depth == 1 => expected = true,
            c if expected && depth == 1 && (c.is_alphabetic() || *c == '_') => {
                heads.extend(words(&path[at..]).next().map(|(_, name)| name));
                expected = false;
            }
            _ => {}
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(list: &[(&str, &[&str])]) -> Uses {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        list.iter().map(|(name, uses)| ((*name).to_owned(), owned(uses))).collect()
    }

    #[test]
    fn every_way_to_name_a_module_is_seen() {
        let used = |code: &str, module: &[&str]| -> Vec<String> {
            let module: Vec<String> = module.iter().map(|name| (*name).to_owned()).collect();
            used_modules(code, &module).into_iter().collect()
        };
        assert_eq!(used("use crate::a::B;\nlet c = crate::d::e();", &["m"]), ["a", "d"]);
        assert_eq!(used("use crate::{a::{B, C}, d, e::F};", &["m"]), ["a", "d", "e"]);
        assert_eq!(used("use super::a::B;", &["m"]), ["a"]);
        assert!(used("use super::a::B;", &["m", "n"]).is_empty());
        assert_eq!(used("use super::super::{a, b::C};", &["m", "n"]), ["a", "b"]);
        assert!(used("mod os { use super::a; }", &["m"]).is_empty());
        assert_eq!(used("mod os { use super::super::a; }\nuse super::b;", &["m"]), ["a", "b"]);
        assert_eq!(used("pub(crate) fn f() {} pub(super) fn g() { $crate::a!() }", &["m"]), ["a"]);
    }

    #[test]
    fn modules_and_their_files_are_found() {
        let declared = declared_modules("pub mod a;\nmod b_c;\npub(crate) mod d {\n    mod e;\n}\nuse f;\n");
        assert_eq!(declared.iter().collect::<Vec<_>>(), ["a", "b_c", "d"]);
        assert_eq!(module_path("src/a/e.rs"), ["a", "e"]);
        assert_eq!(module_path("src/a/mod.rs"), ["a"]);
        assert!(module_path("src/lib.rs").is_empty());
        assert_eq!(top_module("a_absent", &declared).as_deref(), Some("a"));
        assert_eq!(top_module("b_c", &declared).as_deref(), Some("b_c"));
        assert_eq!(top_module("f", &declared), None);
    }

    #[test]
    fn a_circle_has_all_that_use_each_other_and_nothing_that_only_uses_them() {
        let uses = made(&[
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a"]),
            ("d", &["a", "e"]),
            ("e", &["f"]),
            ("f", &["e"]),
        ]);
        assert_eq!(circles(&uses), [vec!["a", "b", "c"], vec!["e", "f"]]);
        assert!(circles(&made(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    }
}
