//! What the documents say about the code, held against the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::root;

const LONGEST_FILE: usize = 700;
/// The only crates that know the operating system.
const UNSAFE_CRATES: [&str; 2] = ["iotrial-engine", "iotrial-measure"];
/// Who may print: the program, and the tasks.
const PRINTING_CRATES: [&str; 2] = ["iotrial", "xtask"];

/// The files below `folder` that end in `extension`, and not those that the compiler made.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !is_build_folder(&path) && !path.ends_with(".git") {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|one| one == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The folders that cargo builds in. A folder of sources may bear the same name anywhere else, and is looked at.
fn is_build_folder(folder: &Path) -> bool {
    let root = root().unwrap();
    ["target", "fuzz/target"].iter().any(|built| folder == root.join(built))
}

/// Every crate of the workspace: name and folder.
fn crates() -> BTreeMap<String, PathBuf> {
    let root = root().unwrap();
    let members = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    members
        .chain([root.join("xtask")])
        .map(|folder| (folder.file_name().unwrap().to_str().unwrap().to_owned(), folder))
        .collect()
}

/// All Rust files, with the name of their crate.
fn rust_files() -> Vec<(String, PathBuf)> {
    crates()
        .into_iter()
        .flat_map(|(name, folder)| files(&folder, "rs").into_iter().map(move |file| (name.clone(), file)))
        .collect()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root().unwrap()).unwrap().display().to_string()
}

/// The lines of code with their numbers, without comments that have a line of their own.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.starts_with("//"))
}

/// Whether `word` stands in `line` by itself, and not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// A line of code with its string literals emptied.
fn without_strings(line: &str) -> String {
    line.replace("\\\"", "").split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// The crates of this workspace that a manifest names, in whatever kind of dependencies.
fn own_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut in_dependencies = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            in_dependencies = header.ends_with("dependencies");
            if let Some((_, name)) = header.split_once("dependencies.") {
                found.insert(name.to_owned());
            }
        } else if in_dependencies {
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
            found.insert(line[..end.unwrap_or(line.len())].to_owned());
        }
    }
    found.into_iter().filter(|name| name.starts_with("iotrial")).collect()
}

/// The table «crate, holds, may use» of the architecture page: what each crate may use.
fn allowed_dependencies(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let quoted =
        |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let header = page.lines().position(|line| line.starts_with("| crate | holds | may use |"));
    let rows = page.lines().skip(header.expect("docs/architecture.md has the table of crates") + 2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            (quoted(cells[1]).pop_first().unwrap(), quoted(cells[3]))
        })
        .collect()
}

#[test]
fn crates_use_each_other_only_as_the_architecture_page_allows() {
    let page = fs::read_to_string(root().unwrap().join("docs/architecture.md")).unwrap();
    let allowed = allowed_dependencies(&page);
    let crates = crates();
    assert_eq!(
        allowed.keys().collect::<Vec<_>>(),
        crates.keys().collect::<Vec<_>>(),
        "the table of docs/architecture.md and the folders"
    );
    for (name, folder) in crates {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let used = own_dependencies(&manifest);
        let forbidden: Vec<&String> = used.difference(&allowed[&name]).collect();
        assert!(forbidden.is_empty(), "{name} uses {forbidden:?}, which docs/architecture.md does not allow");
    }
}

#[test]
fn no_crate_is_allowed_what_leads_in_a_circle() {
    let page = fs::read_to_string(root().unwrap().join("docs/architecture.md")).unwrap();
    let mut left = allowed_dependencies(&page);
    while !left.is_empty() {
        let free = left.iter().find(|(_, uses)| uses.iter().all(|used| !left.contains_key(used)));
        let name = free.map(|(name, _)| name.clone());
        left.remove(&name.unwrap_or_else(|| panic!("these use each other in a circle: {left:?}")));
    }
}

#[test]
fn no_file_is_so_long_that_it_hides_a_second_noun() {
    let long: Vec<String> = rust_files()
        .iter()
        .map(|(_, file)| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(file, lines)| format!("{} has {lines} lines", relative(file)))
        .collect();
    assert!(long.is_empty(), "more than {LONGEST_FILE} lines: {long:#?}");
}

#[test]
fn only_what_measures_and_the_engine_are_allowed_to_be_unsafe() {
    let word = concat!("un", "safe");
    let mut found = Vec::new();
    for (_, file) in rust_files().iter().filter(|(name, _)| !UNSAFE_CRATES.contains(&name.as_str())) {
        let text = fs::read_to_string(file).unwrap();
        let lines = code_lines(&text).filter(|(_, line)| has_word(&without_strings(line), word));
        found.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", relative(file))));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_program_prints() {
    let words = ["print!", "println!", "eprint!", "eprintln!"];
    let mut found = Vec::new();
    let libraries = rust_files().into_iter().filter(|(name, _)| !PRINTING_CRATES.contains(&name.as_str()));
    for (_, file) in libraries.filter(|(_, file)| relative(file).contains("/src/")) {
        let text = fs::read_to_string(&file).unwrap();
        // Tests may say why they skip.
        let library = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let prints = |line: &str| {
            words.iter().any(|word| has_word(line, word.trim_end_matches('!')) && line.contains(word))
        };
        let lines = code_lines(library).filter(|(_, line)| prints(line));
        found.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", relative(&file))));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// What stands between backticks and looks like the path of a file or folder of ours.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    const TOPS: [&str; 4] = ["docs/", "crates/", "xtask/", ".ci/"];
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(|token| {
        let is_path = token.chars().all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
        is_path && TOPS.iter().any(|top| token.starts_with(top))
    })
}

/// Where the links of a Markdown page lead, unless they leave the project or stay on the page.
fn linked_paths(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    links.filter(|link| !link.is_empty() && !link.contains("://"))
}

#[test]
fn documents_and_comments_name_only_files_that_exist() {
    let root = root().unwrap();
    let pages = files(&root, "md");
    let mut missing = Vec::new();
    for file in pages.iter().cloned().chain(rust_files().into_iter().map(|(_, file)| file)) {
        let text = fs::read_to_string(&file).unwrap();
        let lost = named_paths(&text).filter(|path| !root.join(path).exists());
        missing.extend(lost.map(|path| format!("{} names {path}", relative(&file))));
    }
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let lost = linked_paths(&text).filter(|link| !page.with_file_name(link).exists());
        missing.extend(lost.map(|link| format!("{} links to {link}", relative(page))));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The keys under which the structs of a file are written: fields of those that derive `Serialize`, by the name
/// that `rename` gives them.
fn serialized_keys(code: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let (mut serializes, mut flattens, mut rename) = (false, false, None);
    for (_, line) in code_lines(code) {
        if line.starts_with("#[derive(") {
            serializes = line.contains("Serialize");
        } else if line == "#[serde(flatten)]" {
            // Its own keys stand in its place.
            flattens = true;
        } else if let Some((_, rest)) = line.split_once("rename = \"") {
            rename = rest.split('"').next().map(str::to_owned);
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
            let is_field = field.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
            if serializes && is_field && !flattens {
                keys.insert(rename.take().unwrap_or_else(|| field.to_owned()));
            }
            (flattens, rename) = (false, None);
        }
    }
    keys
}

#[test]
fn every_key_of_a_record_is_documented() {
    let root = root().unwrap();
    let documentation = fs::read_to_string(root.join("docs/record.md")).unwrap();
    let mut undocumented = Vec::new();
    for file in [
        "record.rs",
        "plan.rs",
        "plan/until_steady.rs",
        "search.rs",
        "sim_device.rs",
        "sweep.rs",
        "imported.rs",
        "imported/stated.rs",
    ] {
        let code = fs::read_to_string(root.join("crates/iotrial-model/src").join(file)).unwrap();
        let keys = serialized_keys(&code);
        assert!(!keys.is_empty(), "{file} has lost its keys, or this test no longer finds them: {keys:?}");
        let lost = keys.into_iter().filter(|key| !documentation.contains(&format!("`{key}`")));
        undocumented.extend(lost.map(|key| format!("{file}: {key}")));
    }
    assert!(undocumented.is_empty(), "docs/record.md does not name {undocumented:#?}");
}

#[test]
fn the_checks_see_what_they_look_for() {
    let manifest = "[package]\nname = \"a\"\n[dependencies]\niotrial-model.workspace = true\nserde = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\niotrial-engine = { path = \"x\" }\n[dependencies.iotrial-report]\npath = \"y\"\n[lints]\nworkspace = true\n";
    let found: Vec<String> = own_dependencies(manifest).into_iter().collect();
    assert_eq!(found, ["iotrial-engine", "iotrial-model", "iotrial-report"]);
    assert!(has_word("let x = foo(y);", "foo") && !has_word("#![forbid(foo_code)]", "foo"));
    assert_eq!(without_strings(r#"let a = ["b\"c", "d"];"#), r#"let a = ["", ""];"#);
    assert_eq!(code_lines("a\n// b\n  /// c\nd").collect::<Vec<_>>(), [(1, "a"), (4, "d")]);
    let text = "see `docs/json.md`, `cargo test`, `/proc/x.md`, `crates/iotrial/src`";
    assert_eq!(named_paths(text).collect::<Vec<_>>(), ["docs/json.md", "crates/iotrial/src"]);
    let text = "[a](b.md), ![c](d/e.png), [f](g.md#h), [i](#j), [k](https://l)";
    assert_eq!(linked_paths(text).collect::<Vec<_>>(), ["b.md", "d/e.png", "g.md"]);
    let code = "#[derive(Clone)]\npub struct A {\n    pub lost: u8,\n}\n#[derive(Serialize)]\npub struct B {\n    #[serde(rename = \"size_bytes\")]\n    pub size: u64,\n    pub name: String,\n}\n";
    assert_eq!(serialized_keys(code).into_iter().collect::<Vec<_>>(), ["name", "size_bytes"]);
}
