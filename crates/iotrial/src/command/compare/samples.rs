//! What a comparison needs of each file, in the order in which they were given.

use std::collections::HashMap;
use std::path::PathBuf;

use iotrial_analysis::comparison::Sample;
use iotrial_model::imported::ImportedRecord;

use super::TAKES;
use crate::cli::CompareArgs;
use crate::failure::Failure;
use crate::intake::{self, Input, Intake, IntakeError, Kind, Source};

/// What a comparison keeps of a file.
enum Content {
    /// A run, or the rows of a printed table.
    Samples(Vec<Sample>),
    /// Results of other tools, without what they are called where they do not say it.
    Imported(Vec<ImportedRecord>),
    /// One that was imported before, and got its names then.
    Kept(Box<ImportedRecord>),
    /// A file in a folder that is no result at all.
    Nothing,
    /// It cannot be read.
    Broken(Failure),
    /// It is something that cannot be compared.
    Refused(Failure),
}

/// Reads what was given. What cannot be read or compared is an error, or left out by `force`.
pub(super) fn read(intake: &Intake<'_>, args: &CompareArgs) -> Result<Vec<Sample>, Failure> {
    let mut sources = intake.find(&args.records)?;
    let labels = intake::labels_of(&sources);
    // A table that is named as one is the same as any other.
    sources.extend(args.tables.iter().map(|path| Source { path: path.clone(), is_named: true, name: None }));
    let mut contents = Vec::new();
    let (mut first, mut broken_count) = (None, 0_usize);
    for (source, content) in intake.open_all(sources, content_of)? {
        match content {
            Content::Broken(failure) | Content::Refused(failure) if args.force => {
                eprintln!("warning: left out: {}", failure.reason());
            }
            Content::Refused(failure) => return Err(failure),
            Content::Broken(failure) => {
                first.get_or_insert(failure);
                broken_count += 1;
            }
            content => contents.push((source, content)),
        }
    }
    let others = match broken_count.saturating_sub(1) {
        0 => ";".to_owned(),
        more => format!(", and {more} more cannot be read either;"),
    };
    match first {
        None => Ok(in_order(contents, &labels)),
        Some(first) => Err(first.or_hint(format!("take it out{others} --force compares the others"))),
    }
}

fn content_of(source: &Source, input: Result<Input, IntakeError>) -> Content {
    match input {
        Ok(Input::Run(record)) => {
            let sample = Sample::of_record(&record, source.path.display().to_string());
            Content::Samples(vec![match &source.name {
                Some((label, attributes)) => sample.named(label, attributes.clone()),
                None => sample,
            }])
        }
        Ok(Input::Kept(mut record)) => {
            intake::forget_course(&mut record);
            Content::Kept(record)
        }
        Ok(Input::Results(mut results)) => match &results.table {
            Some(table) if source.is_named => {
                Content::Samples(Sample::of_table(table, &format!("`{}`", source.path.display())))
            }
            _ => {
                results.records.iter_mut().for_each(intake::forget_course);
                Content::Imported(results.records)
            }
        },
        Ok(other) if source.is_named || other.kind() == Kind::Sweep => {
            Content::Refused(TAKES.refuse(&source.path.to_string_lossy(), other.kind()))
        }
        Ok(_) => Content::Nothing,
        Err(error) if error.is_foreign() && !source.is_named => Content::Nothing,
        Err(error) => Content::Broken(error.into()),
    }
}

/// Whether imported results are under several loads shows only when all of them are known.
fn in_order(contents: Vec<(Source, Content)>, labels: &HashMap<PathBuf, String>) -> Vec<Sample> {
    let (mut samples, mut imported) = (Vec::new(), Vec::new());
    // Where imported ones belong among the others: before which of them, and how many.
    let mut places = Vec::new();
    for (source, content) in contents {
        match content {
            Content::Samples(several) => samples.extend(several),
            Content::Kept(record) => {
                places.push((samples.len(), 1));
                imported.push(*record);
            }
            Content::Imported(records) => {
                places.push((samples.len(), records.len()));
                let label = labels.get(&source.path);
                imported.extend(records.into_iter().map(|mut record| {
                    record.label = record.label.or_else(|| label.cloned());
                    record
                }));
            }
            Content::Nothing | Content::Broken(_) | Content::Refused(_) => {}
        }
    }
    let mut of_imported = Sample::of_imported(&imported).into_iter();
    let (mut all, mut samples, mut taken) = (Vec::new(), samples.into_iter(), 0);
    for (before, count) in places {
        all.extend(samples.by_ref().take(before - taken));
        taken = before;
        all.extend(of_imported.by_ref().take(count));
    }
    all.extend(samples);
    all
}
