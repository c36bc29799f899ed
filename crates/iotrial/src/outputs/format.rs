//! Of which format of iotrial a file is, for the writer that must not replace it by something else.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// More than a licence and a page of comments.
const BEGINNING: u64 = 16 << 10;

/// What a file says in its first words: `iotrial.profile/1` of a profile. Of a packed record, which says it by its name, `iotrial.`.
/// `None` of any other file, and of one that cannot be read: that is replaced by whoever may do it.
pub(super) fn format_of(path: &Path) -> Option<String> {
    let mut beginning = Vec::new();
    File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning)).ok()?;
    let is_packed = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".json.zst"));
    if is_packed {
        return Some("iotrial.".to_owned());
    }
    let text = String::from_utf8_lossy(&beginning);
    let mut lines =
        text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first: String = lines.by_ref().take(2).collect();
    let begins = first.trim_start_matches(['{', '"', ' ']);
    let format = begins.strip_prefix("format")?.trim_start_matches(['"', ' ', ':', '=']);
    format.starts_with("iotrial.").then(|| format.split('"').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_iotrial_says_its_format_in_its_first_words() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, text: &str, expected: Option<&str>| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            assert_eq!(format_of(&path).as_deref(), expected, "{text}");
        };
        check("a", "{\"format\":\"iotrial.record/1\",\"id\":", Some("iotrial.record/1"));
        check("a", "{\n  \"format\": \"iotrial.watch/1\"\n}", Some("iotrial.watch/1"));
        check("a", "# mine\n\nformat = \"iotrial.study/1\"\nname = \"s\"\n", Some("iotrial.study/1"));
        check("a.json.zst", "\u{28}", Some("iotrial."));
        check("a", "<!doctype html>", None);
        check("a", "format = \"other/1\"\n", None);
    }
}
