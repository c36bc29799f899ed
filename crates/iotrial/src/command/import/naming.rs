//! What the results of a file are called: words of the user, with parts of the file's own name.

use std::path::Path;

use iotrial_import::Naming;
use iotrial_model::record::AttributeValue;

use crate::cli::ImportArgs;
use crate::failure::Failure;

/// Refuses braces that stand for nothing: they would be names of results for ever.
pub(super) fn check_names(args: &ImportArgs) -> Result<(), Failure> {
    let of_attributes = args.attributes.iter().filter_map(|(_, value)| match value {
        AttributeValue::Text(text) => Some(text.as_str()),
        _ => None,
    });
    // Checked once, before the files: thousands of records could carry `{fodler}` as their label.
    for text in args.label.as_deref().into_iter().chain(of_attributes) {
        let left = PLACEHOLDERS.iter().fold(text.to_owned(), |text, known| text.replace(known, ""));
        if left.contains('{') && left.contains('}') {
            let error = anyhow::anyhow!("`{text}` has an unknown word in braces");
            let hint = format!("the words are {}", PLACEHOLDERS.join(", "));
            return Err(Failure::input(error).hint(hint));
        }
    }
    Ok(())
}

/// What stands for the name of a file, the same without its ending, and the folder that it lies in.
const PLACEHOLDERS: [&str; 3] = ["{name}", "{stem}", "{folder}"];

/// The names that the user gives to the results of a file.
pub(super) fn naming(args: &ImportArgs, path: &Path) -> Naming {
    let part = |part: Option<&std::ffi::OsStr>| {
        part.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let (name, stem) = (part(path.file_name()), part(path.file_stem()));
    let folder = part(path.parent().and_then(Path::file_name));
    let filled =
        |text: &str| text.replace("{name}", &name).replace("{stem}", &stem).replace("{folder}", &folder);
    let value = |value: &AttributeValue| match value {
        // Read again after filling in: a folder that is called `3` gives the number, which can be sorted and fitted.
        AttributeValue::Text(text) => AttributeValue::from_text(&filled(text)),
        number => number.clone(),
    };
    Naming {
        // A label of blanks names nothing, and would group what has nothing in common.
        label: args.label.as_deref().map(filled).filter(|label| !label.trim().is_empty()),
        attributes: args.attributes.iter().map(|(key, one)| (key.clone(), value(one))).collect(),
        role: args.role,
    }
}
