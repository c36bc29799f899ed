//! A file of settings.

use std::ffi::OsString;

use iotrial_model::toml_reader::{Mistakes, Scalar, TableReader, read_toml};

use super::{Form, SETTINGS, Setting};

/// What a file sets, each with the words that its option takes.
pub(super) type Found = Vec<(&'static Setting, Vec<OsString>)>;

/// Reads a file. `checked` makes a word of the file one of the command line, or says what is wrong with it.
pub(super) fn read(
    text: &str,
    checked: &dyn Fn(&'static Setting, &str) -> Result<OsString, String>,
) -> Result<Found, Mistakes> {
    read_toml(text, |table| {
        let mut found = Found::new();
        for setting in &SETTINGS {
            let key = setting.key;
            let words = match setting.form {
                Form::One => table.text(key).map(|text| vec![text]),
                Form::Several => table.text_or_texts(key),
                Form::Pairs => table.table(key, |below| Some(pairs(below))),
            };
            let Some(words) = words else { continue };
            let mut taken = Vec::new();
            for word in words {
                match checked(setting, &word) {
                    Ok(word) => taken.push(word),
                    Err(reason) => {
                        let _: Option<()> = table.refuse(key, format!("`{key}`: {reason}"));
                    }
                }
            }
            // An empty list is as good as none.
            if !taken.is_empty() {
                found.push((setting, taken));
            }
        }
        Some(found)
    })
}

fn pairs(table: &mut TableReader<'_>) -> Vec<String> {
    let value = |scalar: Scalar| match scalar {
        Scalar::Number { text, .. } | Scalar::Text(text) => text,
        Scalar::Boolean(boolean) => boolean.to_string(),
    };
    table.scalars().into_iter().map(|(name, scalar)| format!("{name}={}", value(scalar))).collect()
}
