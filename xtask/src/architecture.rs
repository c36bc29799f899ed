//! What the documents say about the code, held against the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::tree::{Crate, crates, files};
use crate::workspace::root;

/// Crates that need what the compiler cannot check; all others forbid it.
const UNSAFE_CRATES: [&str; 3] = ["iotrial-engine", "iotrial-host", "iotrial-measure"];

/// Crates that judge, and how many of their functions may return text: names, titles, and what is wrong with a file. Sentences on what they
/// find are made in `iotrial-words`, so the numbers may fall, and rise only for another name.
const TEXTS_OF_JUDGES: [(&str, usize); 3] =
    [("iotrial-analysis", 46), ("iotrial-bootstrap", 0), ("iotrial-sizing", 38)];

/// All Rust files of the crates.
fn rust_files() -> Vec<PathBuf> {
    let root = root().unwrap();
    ["crates", "xtask"].iter().flat_map(|folder| files(&root, &root.join(folder), "rs")).collect()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root().unwrap()).unwrap().display().to_string()
}

/// The lines of code with their numbers, without comments that have a line of their own.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.starts_with("//"))
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
    let crates = crates(&root().unwrap()).unwrap();
    assert_eq!(
        allowed.keys().collect::<Vec<_>>(),
        crates.iter().map(|one| &one.name).collect::<Vec<_>>(),
        "the table of docs/architecture.md and the folders"
    );
    for one in crates {
        let (name, used) = (&one.name, own_dependencies(&manifest_of(&one)));
        let forbidden: Vec<&String> = used.difference(&allowed[name]).collect();
        assert!(forbidden.is_empty(), "{name} uses {forbidden:?}, which docs/architecture.md does not allow");
    }
}

#[test]
fn crates_that_judge_leave_sentences_to_the_words() {
    let crates = crates(&root().unwrap()).unwrap();
    for (name, most) in TEXTS_OF_JUDGES {
        let one = crates.iter().find(|one| one.name == name).unwrap();
        let texts: Vec<String> = one
            .production
            .iter()
            .flat_map(|(file, source)| source.functions().into_iter().map(move |function| (file, function)))
            .filter(|(_, function)| function.is_text)
            .map(|(file, function)| format!("{file}:{} {}", function.line, function.name))
            .collect();
        assert!(texts.len() <= most, "{name}: {} functions return text:\n{}", texts.len(), texts.join("\n"));
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

fn manifest_of(one: &Crate) -> String {
    fs::read_to_string(root().unwrap().join(&one.folder).join("Cargo.toml")).unwrap()
}

/// What a file forbids at its top, in `#![forbid(…)]`.
fn forbidden_lints(code: &str) -> BTreeSet<&str> {
    let inside = code.split("#![forbid(").skip(1).filter_map(|rest| rest.split(')').next());
    inside.flat_map(|lints| lints.split(',').map(str::trim)).collect()
}

/// Clippy fails `cargo xtask test` where a lint of the workspace speaks up. What is forbidden cannot be allowed further down.
#[test]
fn every_library_forbids_printing_and_unsafe_code_and_takes_the_lints_of_the_workspace() {
    for one in crates(&root().unwrap()).unwrap() {
        let name = &one.name;
        assert!(manifest_of(&one).contains("[lints]\nworkspace = true"), "{name} leaves out the lints");
        let top = if one.is_library() { "src/lib.rs" } else { "src/main.rs" };
        let code = one.production[top].production();
        let forbidden = forbidden_lints(&code);
        let mut needed = Vec::new();
        if !UNSAFE_CRATES.contains(&name.as_str()) {
            needed.push("unsafe_code");
        }
        if one.is_library() {
            needed.extend(["clippy::print_stdout", "clippy::print_stderr"]);
        }
        needed.retain(|lint| !forbidden.contains(lint));
        assert!(needed.is_empty(), "{name}: {top} does not forbid {needed:?}");
    }
}

/// A second writer would not know what the command reads, and what else it writes.
#[test]
fn the_program_writes_the_files_that_are_named_in_one_place() {
    let all = crates(&root().unwrap()).unwrap();
    let program = all.iter().find(|one| one.name == "iotrial").unwrap();
    for (path, file) in &program.production {
        let code = file.production();
        let ways = ["fs::write(", "File::create", "File::options", "OpenOptions", "atomic_file::"];
        let writes = ways.iter().any(|way| code.contains(way));
        assert_eq!(writes, path == "src/outputs.rs", "{path}");
    }
}

/// A second way out would forget that text may be a stranger's, and that nobody may listen.
#[test]
fn the_program_takes_its_outputs_in_one_file_and_forbids_the_macros_that_print() {
    let all = crates(&root().unwrap()).unwrap();
    let program = all.iter().find(|one| one.name == "iotrial").unwrap();
    let top = program.production["src/main.rs"].production();
    assert!(top.contains("deny(clippy::print_stdout, clippy::print_stderr)"));
    for (path, file) in &program.production {
        let code = file.production();
        let takes =
            ["io::stdout()", "io::stderr()", "{stdout", "{stderr"].iter().any(|taken| code.contains(taken));
        assert_eq!(takes, path == "src/output.rs", "{path}");
        assert!(!code.contains("allow(clippy::print_"), "{path}");
    }
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
    let pages = files(&root, &root, "md");
    let mut missing = Vec::new();
    for file in pages.iter().cloned().chain(rust_files()) {
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

/// How a struct is written.
#[derive(Debug, Default)]
struct WrittenStruct {
    /// Fields by the names that `rename` gives them.
    keys: BTreeSet<String>,
    /// Whether keys of other structs are among its own.
    flattens: bool,
}

/// The structs of a file that derive `Serialize`, by name.
fn written_structs(code: &str) -> BTreeMap<String, WrittenStruct> {
    let mut structs: BTreeMap<String, WrittenStruct> = BTreeMap::new();
    let (mut serializes, mut flattens, mut skips, mut rename, mut current) =
        (false, false, false, None, String::new());
    for (_, line) in code_lines(code) {
        if line.starts_with("#[derive(") {
            serializes = line.contains("Serialize");
        } else if let Some(rest) = line.strip_prefix("pub struct ") {
            current = rest.split([' ', '(', '<', ';']).next().unwrap_or_default().to_owned();
        } else if line.starts_with("#[serde(skip)]") {
            skips = true;
        } else if line.starts_with("#[serde(flatten") {
            // Its own keys stand in its place.
            flattens = true;
        } else if let Some((_, rest)) = line.split_once("rename = \"") {
            rename = rest.split('"').next().map(str::to_owned);
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
            let is_field = field.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
            if serializes && is_field && !skips {
                let written = structs.entry(current.clone()).or_default();
                written.flattens |= flattens;
                if !flattens {
                    written.keys.insert(rename.take().unwrap_or_else(|| field.to_owned()));
                }
            }
            (flattens, skips, rename) = (false, false, None);
        }
    }
    structs
}

/// The files of the model with the types that records are written from.
const RECORD_FILES: [&str; 13] = [
    "record.rs",
    "record/activity.rs",
    "record/pause.rs",
    "record/steps.rs",
    "record/target.rs",
    "plan.rs",
    "plan/until_steady.rs",
    "step.rs",
    "search.rs",
    "sim_device.rs",
    "sweep.rs",
    "imported.rs",
    "stated.rs",
];

/// The structs of all these files, with the file of each.
fn structs_of_records() -> Vec<(&'static str, String, WrittenStruct)> {
    let folder = root().unwrap().join("crates/iotrial-model/src");
    let of_file = |file: &'static str| {
        let structs = written_structs(&fs::read_to_string(folder.join(file)).unwrap());
        assert!(!structs.is_empty(), "{file} has lost its keys, or this test no longer finds them");
        structs.into_iter().map(move |(name, written)| (file, name, written))
    };
    RECORD_FILES.into_iter().flat_map(of_file).collect()
}

/// The keys of a struct in the schema; `None` where it does not know the struct.
fn keys_in_schema(schema: &serde_json::Value, name: &str) -> Option<BTreeSet<String>> {
    Some(schema["$defs"].get(name)?["properties"].as_object()?.keys().cloned().collect())
}

#[test]
fn the_schema_of_records_has_every_key_of_every_struct_and_no_other() {
    let text = fs::read_to_string(root().unwrap().join("crates/iotrial/schema/record.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let structs = structs_of_records();
    let flattened: BTreeSet<String> = structs
        .iter()
        .flat_map(|(_, _, written)| written.keys.iter().cloned())
        // Written by hand (`record/failure.rs`), and fields that are not public (`load.rs`).
        .chain(["first_error", "first_failure", "block_size_bytes", "block_sizes"].map(str::to_owned))
        .collect();
    let mut mistakes = Vec::new();
    for (file, name, written) in &structs {
        let Some(known) = keys_in_schema(&schema, name) else {
            mistakes.push(format!("{file}: {name} is not in the schema"));
            continue;
        };
        let lost = written.keys.difference(&known);
        mistakes.extend(lost.map(|key| format!("{file}: {name}: `{key}` is not in the schema")));
        let is_written =
            |key: &String| written.keys.contains(key) || (written.flattens && flattened.contains(key));
        let gone = known.iter().filter(|key| !is_written(key));
        mistakes.extend(gone.map(|key| format!("{file}: {name}: only the schema has `{key}`")));
    }
    assert!(mistakes.is_empty(), "crates/iotrial/schema/record.json: {mistakes:#?}");
}

#[test]
fn the_checks_see_what_they_look_for() {
    let manifest = "[package]\nname = \"a\"\n[dependencies]\niotrial-model.workspace = true\nserde = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\niotrial-engine = { path = \"x\" }\n[dependencies.iotrial-report]\npath = \"y\"\n[lints]\nworkspace = true\n";
    let found: Vec<String> = own_dependencies(manifest).into_iter().collect();
    assert_eq!(found, ["iotrial-engine", "iotrial-model", "iotrial-report"]);
    let lints = forbidden_lints("#![forbid(a, b::c)]\n#![allow(d)]");
    assert_eq!(lints.into_iter().collect::<Vec<_>>(), ["a", "b::c"]);
    assert_eq!(code_lines("a\n// b\n  /// c\nd").collect::<Vec<_>>(), [(1, "a"), (4, "d")]);
    let text = "see `docs/json.md`, `cargo test`, `/proc/x.md`, `crates/iotrial/src`";
    assert_eq!(named_paths(text).collect::<Vec<_>>(), ["docs/json.md", "crates/iotrial/src"]);
    let text = "[a](b.md), ![c](d/e.png), [f](g.md#h), [i](#j), [k](https://l)";
    assert_eq!(linked_paths(text).collect::<Vec<_>>(), ["b.md", "d/e.png", "g.md"]);
    let code = "#[derive(Clone)]\npub struct A {\n    pub lost: u8,\n}\n#[derive(Serialize)]\npub struct B {\n    #[serde(rename = \"size_bytes\")]\n    pub size: u64,\n    pub name: String,\n    #[serde(skip)]\n    pub derived: bool,\n}\n";
    let structs = written_structs(code);
    assert_eq!(structs.keys().collect::<Vec<_>>(), ["B"]);
    assert_eq!(structs["B"].keys.iter().collect::<Vec<_>>(), ["name", "size_bytes"]);
}
