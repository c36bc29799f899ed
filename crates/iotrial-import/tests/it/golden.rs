//! What the import makes of a file of every kind, fact by fact.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use iotrial_import::{ForeignFile, Naming, import};
use serde_json::Value;

/// Every file that has facts, or should have them.
fn golden_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files = Vec::new();
    for kind in
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        files.extend(std::fs::read_dir(kind).unwrap().map(|entry| entry.unwrap().path()));
    }
    // Logs and parameter files are read with what they lie beside.
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.ends_with(".facts.txt") && !name.ends_with(".log") && name != "param.txt"
    });
    files.sort();
    assert!(files.len() > 15, "{files:?}");
    files
}

fn facts_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let imported =
        match import(&ForeignFile { name: &name, bytes: &bytes, beside: &beside }, &Naming::default()) {
            Ok(imported) => imported,
            Err(error) => return format!("error: {error}\n"),
        };
    let mut facts = String::new();
    for warning in &imported.warnings {
        writeln!(facts, "warning: {warning}").unwrap();
    }
    for record in &imported.records {
        writeln!(facts, "== {} ==", record.source.place).unwrap();
        let mut value = serde_json::to_value(record).unwrap();
        value.as_object_mut().unwrap().remove("id");
        let source = value["source"].as_object_mut().unwrap();
        ["sha256", "read_by"].iter().for_each(|key| drop(source.remove(*key)));
        add_facts("", &value, &mut facts);
    }
    facts
}

/// A line for each value; a stated number is one value.
fn add_facts(path: &str, value: &Value, facts: &mut String) {
    match value {
        Value::Object(map)
            if map.len() == 2 && map.contains_key("value") && map.contains_key("resolution") =>
        {
            writeln!(facts, "{path} = {} in steps of {}", short(&map["value"]), short(&map["resolution"]))
                .unwrap();
        }
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                add_facts(&path, value, facts);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                add_facts(&format!("{path}[{index}]"), value, facts);
            }
        }
        other => writeln!(facts, "{path} = {}", short(other)).unwrap(),
    }
}

/// Numbers to twelve digits: the last ones are those of the unit, not of the source.
fn short(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) => {
            let text = format!("{number:.12e}");
            let (digits, exponent) = text.split_once('e').unwrap();
            let number: f64 = format!("{}e{exponent}", &digits[..digits.len() - 2]).parse().unwrap();
            number.to_string()
        }
        None => value.to_string(),
    }
}

#[test]
fn every_golden_file_has_the_facts_that_were_read_in_it() {
    let is_update = std::env::var_os("IOTRIAL_UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for path in golden_files() {
        let facts = facts_of(&path);
        let golden = PathBuf::from(format!("{}.facts.txt", path.display()));
        if is_update {
            std::fs::write(&golden, &facts).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        let first = facts.lines().zip(expected.lines()).find(|(a, b)| a != b);
        if facts != expected {
            wrong.push(format!("{}: {first:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}\nIOTRIAL_UPDATE_GOLDEN=1 writes them anew");
}

/// The same text, as Windows and PowerShell write it.
#[test]
fn encoding_and_line_ends_change_no_fact() {
    for path in golden_files() {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(text) = String::from_utf8(bytes.clone()) else { continue };
        let text = text.replace("\r\n", "\n");
        let windows = text.replace('\n', "\r\n");
        let wide: Vec<u8> =
            "\u{feff}".encode_utf16().chain(windows.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let marked = format!("\u{feff}{text}").into_bytes();
        let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
        let read = |bytes: &[u8]| {
            let file = ForeignFile { name: "f", bytes, beside: &beside };
            import(&file, &Naming::default()).map_err(|error| error.to_string()).map(|mut imported| {
                for record in &mut imported.records {
                    (record.id, record.source.sha256) = (String::new(), String::new());
                }
                imported
            })
        };
        let plain = read(text.as_bytes());
        for other in [windows.as_bytes(), &wide, &marked] {
            assert_eq!(read(other), plain, "{}", path.display());
        }
    }
}
