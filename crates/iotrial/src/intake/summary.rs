//! What `--json` prints of a run or a sweep, given where its record is wanted.
//!
//! It has the figures, and not what they follow from, so that no command can go on from it. But it names the record.

use std::path::Path;

use iotrial_session::store::is_called_record;
use serde::Deserialize;

/// Of a summary only this is read.
#[derive(Deserialize)]
struct Summary {
    record: String,
}

/// The record that a summary, or the first of a list of them, was made from; `None` of any other text.
pub fn record_of_summary(text: &[u8]) -> Option<String> {
    let first = text.trim_ascii_start().first()?;
    let summary = match first {
        b'{' => serde_json::from_slice::<Summary>(text).ok(),
        b'[' => serde_json::from_slice::<Vec<Summary>>(text).ok()?.into_iter().next(),
        _ => None,
    };
    // Other tools may have a key of that name; a name that iotrial gives to a record they do not have.
    summary.map(|summary| summary.record).filter(|record| is_called_record(Path::new(record)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_and_a_list_of_them_name_their_record_and_nothing_else_does() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(record_of_summary(text.as_bytes()).as_deref(), expected, "{text}");
        };
        check(r#"{"record":"/s/a.iotrial.json.zst","ended":"complete"}"#, Some("/s/a.iotrial.json.zst"));
        check(r#" [{"record":"C:\\s\\a.iotrial.json"},{"record":"b"}]"#, Some(r"C:\s\a.iotrial.json"));
        check(r#"{"record":"Symphony No. 5"}"#, None);
        check(r#"{"record":7}"#, None);
        check("[]", None);
        check("record = 1", None);
    }
}
