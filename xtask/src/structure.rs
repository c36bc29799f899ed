//! `cargo xtask structure`: counts that say what shape the code is in, to be compared before and after a change.
//!
//! `docs/architecture.md` says what each of them counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::modules::{circles, uses};
use crate::phrases;
use crate::source::{Function, Source, words};
use crate::tree::{Crate, crates, files};

const USAGE: &str = "\
Usage: cargo xtask structure [FOLDER]

Counts lines, files, circles of modules and other signs of structure.

Arguments:
  [FOLDER]  another checkout, to compare with; the ids of findings are those that this one documents";

/// A type that few files should know: what comes after a record takes one view of a result, whoever measured it.
const IMPORTED: &str = "ImportedRecord";
/// Those that make and define it have to.
const OF_IMPORTED: [&str; 2] = ["iotrial-model", "iotrial-import"];
const LONG_FILE: usize = 500;
const LONG_FUNCTION: usize = 70;
const LONGEST_SHOWN: usize = 10;

pub(crate) fn structure(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    let folder = match arguments {
        [] => root.to_owned(),
        [help] if help == "--help" || help == "-h" => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        [folder] if !folder.starts_with('-') => PathBuf::from(folder),
        _ => bail!("unexpected arguments, see `cargo xtask structure --help`"),
    };
    let page = fs::read_to_string(root.join("docs/ids.md")).context("cannot read `docs/ids.md`")?;
    let crates = crates(&folder).with_context(|| format!("`{}` is no checkout", folder.display()))?;
    print_crates(&crates);
    println!();
    print_counts(&crates, &finding_ids(&page));
    println!();
    print_shared_names(&crates);
    print_public(&folder, &crates);
    println!();
    print_longest(&crates);
    println!();
    print_places("phrases that readers stumble over (xtask/phrases.md)", &phrases::found(&folder)?);
    print_places(
        "`cfg` of a platform in front of neither `mod` nor `use`",
        &platform_cfgs(&folder, &crates)?,
    );
    Ok(ExitCode::SUCCESS)
}

fn print_places(what: &str, places: &[String]) {
    println!("{what}: {}", places.len());
    for place in places {
        println!("  {place}");
    }
}

fn print_crates(crates: &[Crate]) {
    println!(
        "{:<24}{:>8}{:>10}{:>10}{:>16}{:>16}{:>16}",
        "crate", "files", "lines", "code", "// per 100", "fn -> String", "format! per 1k"
    );
    let mut all = [0; 6];
    let row = |name: &str, [files, lines, code, comments, texts, formats]: [usize; 6]| {
        let (comments, formats) = (per_hundred(comments, code), 10.0 * per_hundred(formats, code));
        println!("{name:<24}{files:>8}{lines:>10}{code:>10}{comments:>16.1}{texts:>16}{formats:>16.1}");
    };
    for one in crates {
        let sum = |count: fn(&Source) -> usize| one.production.values().map(count).sum::<usize>();
        let texts = |source: &Source| source.functions().iter().filter(|one| one.is_text).count();
        let counted = [
            one.production.len(),
            sum(Source::production_lines),
            sum(Source::code_lines),
            sum(Source::plain_comments),
            one.production.values().map(texts).sum::<usize>(),
            sum(|source| source.production().matches("format!(").count()),
        ];
        row(&one.name, counted);
        all.iter_mut().zip(counted).for_each(|(all, one)| *all += one);
    }
    row("all", all);
}

fn per_hundred(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn print_counts(crates: &[Crate], ids: &BTreeSet<String>) {
    let imported = files_that_name(crates, IMPORTED);
    let apart = imported.iter().filter(|(name, _)| !OF_IMPORTED.contains(&name.as_str())).count();
    println!(
        "files that name `{IMPORTED}`: {}, {apart} outside {}",
        imported.len(),
        OF_IMPORTED.join(" and ")
    );
    let literals = finding_literals(crates, ids);
    println!("string literals that are ids of findings: {literals}, of {} ids", ids.len());
    let knots: Vec<(&str, Vec<String>)> = crates
        .iter()
        .flat_map(|one| circles(&uses(one)).into_iter().map(|circle| (one.name.as_str(), circle)))
        .collect();
    println!("modules in circles: {}", knots.iter().map(|(_, circle)| circle.len()).sum::<usize>());
    for (name, circle) in &knots {
        println!("  {name}: {}", circle.join(", "));
    }
}

/// Types of which a search finds another one, in whatever crate.
fn print_shared_names(crates: &[Crate]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in crates.iter().flat_map(|one| one.production.values()) {
        for name in type_names(&source.production()) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let all: usize = counts.values().sum();
    let mut shared: Vec<(usize, String)> =
        counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, count)| (count, name)).collect();
    let sharing: usize = shared.iter().map(|(count, _)| count).sum();
    shared.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let percent = per_hundred(sharing, all);
    println!("types that share their name with another: {sharing} of {all} ({percent:.0} %)");
    let names: Vec<String> = shared.iter().map(|(count, name)| format!("{name} {count}")).collect();
    for line in names.chunks(12) {
        println!("  {}", line.join(", "));
    }
}

/// The names of structs, enums and traits. What `words!` makes is an enum too, behind a brace and its comment.
fn type_names(code: &str) -> Vec<String> {
    let code: Vec<char> = code.chars().collect();
    let all: Vec<String> = words(&code).map(|(_, word)| word).collect();
    let is_type = |word: &str| matches!(word, "struct" | "enum" | "trait" | "union");
    let declared = all.windows(2).filter(|pair| is_type(&pair[0])).map(|pair| pair[1].clone());
    let text: String = code.iter().collect();
    let made = text.split("words! {").skip(1).filter_map(|body| {
        let name: String = body.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
        (!name.is_empty()).then_some(name)
    });
    // A type is declared once for each system where the systems have files of their own.
    declared.chain(made).filter(|name| name.starts_with(char::is_uppercase)).collect()
}

fn print_public(folder: &Path, crates: &[Crate]) {
    let unused: Vec<(&str, usize)> = crates
        .iter()
        .filter(|one| one.is_library())
        .map(|one| (one.name.as_str(), public_and_unused(folder, one, crates)))
        .collect();
    println!(
        "public items that nothing outside their crate names: {}",
        unused.iter().map(|(_, count)| count).sum::<usize>()
    );
    for (name, count) in unused {
        println!("  {name}: {count}");
    }
}

fn print_longest(crates: &[Crate]) {
    let lines = |(file, source): (&String, &Source), one: &Crate| {
        (source.production_lines(), format!("{}/{file}", one.folder))
    };
    let files = crates.iter().flat_map(|one| one.production.iter().map(|file| lines(file, one)));
    let files: Vec<(usize, String)> = files.collect();
    let long = files.iter().filter(|(lines, _)| *lines > LONG_FILE).count();
    println!("of 100 files 95 have at most {} lines", percentile_95(&files));
    println!("files of more than {LONG_FILE} lines: {long} of {}; the longest", files.len());
    for (lines, file) in longest(files.into_iter()) {
        println!("{lines:>6}  {file}");
    }
    let function = |file: &str, one: Function| (one.lines, format!("{file}:{} {}", one.line, one.name));
    let functions: Vec<(usize, String)> = crates
        .iter()
        .flat_map(|one| one.production.iter().map(move |(file, source)| (one, file, source)))
        .flat_map(|(one, file, source)| {
            let file = format!("{}/{file}", one.folder);
            source.functions().into_iter().map(move |found| function(&file, found))
        })
        .collect();
    let long = functions.iter().filter(|(lines, _)| *lines > LONG_FUNCTION).count();
    println!("\nof 100 functions 95 have at most {} lines", percentile_95(&functions));
    println!("functions of more than {LONG_FUNCTION} lines: {long} of {}; the longest", functions.len());
    for (lines, function) in longest(functions.into_iter()) {
        println!("{lines:>6}  {function}");
    }
}

fn percentile_95(all: &[(usize, String)]) -> usize {
    let mut lines: Vec<usize> = all.iter().map(|(lines, _)| *lines).collect();
    lines.sort_unstable();
    lines.get((lines.len() * 95).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

fn longest(all: impl Iterator<Item = (usize, String)>) -> Vec<(usize, String)> {
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    all.truncate(LONGEST_SHOWN);
    all
}

/// Crate and path of each file that ships and has the word in its code.
fn files_that_name(crates: &[Crate], word: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for one in crates {
        let named = one.production.iter().filter(|(_, source)| has_word(&source.production(), word));
        found.extend(named.map(|(file, _)| (one.name.clone(), file.clone())));
    }
    found
}

fn has_word(code: &str, word: &str) -> bool {
    let code: Vec<char> = code.chars().collect();
    words(&code).any(|(_, one)| one == word)
}

/// The ids of findings that the page of ids lists in its first section.
fn finding_ids(page: &str) -> BTreeSet<String> {
    let findings = page.split("\n## ").nth(1).unwrap_or_default().lines();
    findings.filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned())).collect()
}

/// String literals that ship and are the id of a finding, but for the file that defines the closed set of them.
fn finding_literals(crates: &[Crate], ids: &BTreeSet<String>) -> usize {
    let sources = crates.iter().flat_map(|one| one.production.values());
    let apart = sources.filter(|source| !source.production().contains("enum FindingId"));
    apart.flat_map(Source::production_strings).filter(|(_, text)| ids.contains(*text)).count()
}

/// How many public items of a library nothing outside of it names: no other crate, no fuzz target, no test, bench or example.
fn public_and_unused(folder: &Path, library: &Crate, crates: &[Crate]) -> usize {
    let mut named = BTreeSet::new();
    let mut read = |source: &Source| {
        let code: Vec<char> = source.code().chars().collect();
        named.extend(words(&code).map(|(_, word)| word));
    };
    for one in crates.iter().filter(|one| one.name != library.name) {
        one.production.values().chain(one.tests.values()).for_each(&mut read);
    }
    let own = library.tests.iter().filter(|(file, _)| !file.starts_with("src/"));
    own.for_each(|(_, source)| read(source));
    for file in files(folder, &folder.join("fuzz"), "rs") {
        read(&Source::read(&fs::read_to_string(file).unwrap_or_default()));
    }
    let public = library.production.values().flat_map(|source| public_items(&source.production()));
    public.filter(|name| !named.contains(name)).count()
}

/// The names behind `pub`; what is `pub(crate)` is not public.
fn public_items(code: &str) -> Vec<String> {
    let code: Vec<char> = code.chars().collect();
    let mut items = Vec::new();
    let mut words = words(&code).map(|(_, word)| word).zip(words(&code).map(|(at, _)| at)).peekable();
    while let Some((word, at)) = words.next() {
        if word != "pub" || code.get(at + 3) == Some(&'(') {
            continue;
        }
        let mut kind = words.next().map(|(word, _)| word);
        while let Some(qualifier @ ("const" | "unsafe" | "async" | "extern")) = kind.as_deref() {
            // `const` is a kind itself, unless the word behind it is another one.
            if qualifier == "const" && words.peek().is_none_or(|(next, _)| next != "fn" && next != "unsafe") {
                break;
            }
            kind = words.next().map(|(word, _)| word);
        }
        let is_item = matches!(
            kind.as_deref(),
            Some("fn" | "struct" | "enum" | "union" | "const" | "static" | "trait" | "mod" | "type")
        );
        if is_item {
            items.extend(words.next().map(|(name, _)| name));
        }
    }
    items
}

/// Places that choose by platform where a file of its own would.
fn platform_cfgs(folder: &Path, crates: &[Crate]) -> anyhow::Result<Vec<String>> {
    let mut places = Vec::new();
    for one in crates.iter().filter(|one| one.name != "xtask") {
        for file in one.production.keys() {
            let file = format!("{}/{file}", one.folder);
            let text = fs::read_to_string(folder.join(&file))?;
            places.extend(misplaced_cfgs(&text).into_iter().map(|line| format!("{file}:{line}")));
        }
    }
    Ok(places)
}

/// Lines that choose by operating system or processor in front of anything but a module and what is used of it.
fn misplaced_cfgs(text: &str) -> Vec<usize> {
    let asks = |line: &str| {
        let of_platform = ["windows", "unix", "target_os", "target_family", "target_arch"];
        let is_cfg = ["cfg(", "cfg!(", "cfg_attr("].iter().any(|cfg| line.contains(cfg));
        is_cfg && of_platform.iter().any(|word| line.contains(word))
    };
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines: Vec<(usize, &str)> = numbered.filter(|(_, line)| !line.starts_with("//")).collect();
    let is_misplaced = |index: &usize| {
        let item = lines[index + 1..].iter().map(|(_, line)| *line).find(|line| !line.starts_with("#["));
        let words = item.unwrap_or_default().trim_start_matches("pub");
        let words = words
            .split_once(") ")
            .filter(|(rights, _)| rights.starts_with('('))
            .map_or(words, |(_, item)| item);
        !lines[*index].1.starts_with("#[cfg")
            || !["mod ", "use "].iter().any(|word| words.trim_start().starts_with(word))
    };
    let asking = (0..lines.len()).filter(|index| asks(lines[*index].1));
    asking.filter(is_misplaced).map(|index| lines[index].0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_by_platform_belongs_in_front_of_a_module_or_a_use() {
        let good = "#[cfg(windows)]\n#[path = \"a\"]\npub(crate) mod os;\n#[cfg(unix)]\nuse os::a;\n#[cfg_attr(unix, path = \"a\")]\npub mod b;\n#[cfg(test)]\nfn c() {}\n// if cfg!(windows) it is told\n";
        assert_eq!(misplaced_cfgs(good), [0_usize; 0]);
        let bad =
            "#[cfg(unix)]\nfn a() {\n    #[cfg(windows)]\n    {}\n    if cfg!(target_os = \"linux\") {}\n}\n";
        assert_eq!(misplaced_cfgs(bad), [1, 3, 5]);
    }

    #[test]
    fn public_items_are_told_from_fields_and_from_what_the_crate_keeps() {
        let code = "pub struct A {\n    pub b: u8,\n}\npub(crate) fn c() {}\npub const fn d() {}\npub const E: u8 = 1;\npub mod f;\npub use g::H;\npub async unsafe fn i() {}\nfn j() {}";
        assert_eq!(public_items(code), ["A", "d", "E", "f", "i"]);
    }

    #[test]
    fn types_are_found_however_they_are_declared() {
        let code = "pub struct A;\nenum B {}\npub(crate) trait C { fn d(); }\nwords! {\n    E {\n        F = \"f\",\n    }\n}\nimpl A {}";
        assert_eq!(type_names(&Source::read(code).production()), ["A", "B", "C", "E"]);
    }

    #[test]
    fn the_page_of_ids_has_findings_and_other_ids() {
        let page = fs::read_to_string(crate::workspace::root().unwrap().join("docs/ids.md")).unwrap();
        let ids = finding_ids(&page);
        assert!(["stalled", "measured-once", "no-role"].iter().all(|id| ids.contains(*id)), "{ids:?}");
        assert!(!ids.contains("loses-in-role"), "{ids:?}");
    }
}
