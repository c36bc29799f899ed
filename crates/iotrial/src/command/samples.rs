//! Files read for a comparison: of each is kept what a comparison needs.

use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_analysis::comparison::Sample;
use iotrial_import::Naming;
use iotrial_model::imported::ImportedRecord;

use crate::foreign;
use crate::output::harmless;
use crate::parallel::in_parallel;
use crate::store::{is_imported, is_record, is_sweep, read_imported, read_record};

/// What a file holds, as far as a comparison needs it.
pub enum Content {
    /// A record of iotrial.
    Run(Box<Sample>),
    /// Results of other tools.
    Imported(Vec<ImportedRecord>),
    /// A file in a folder that is no result at all.
    Nothing,
}

/// Reads records of iotrial, in this order.
pub fn read_samples(paths: &[PathBuf]) -> Vec<anyhow::Result<Sample>> {
    in_parallel(paths, |path| sample_of(path))
}

/// Reads whatever can be compared, in this order. `named` are the files that the user named themselves.
pub fn read_contents(paths: &[PathBuf], named: &[String]) -> Vec<anyhow::Result<Content>> {
    in_parallel(paths, |path| read_content(path, named.iter().any(|name| Path::new(name) == path)))
}

fn sample_of(path: &Path) -> anyhow::Result<Sample> {
    Ok(Sample::of_record(&read_record(path)?, path.display().to_string()))
}

/// A record of iotrial, an imported one, or a result of another tool, which is called after its folder, or after itself
/// where it was named itself.
fn read_content(path: &Path, is_named: bool) -> anyhow::Result<Content> {
    if is_imported(path) {
        let mut record = read_imported(path)?;
        foreign::forget_course(&mut record);
        return Ok(Content::Imported(vec![record]));
    }
    if is_record(path) || is_sweep(path) {
        return Ok(Content::Run(Box::new(sample_of(path)?)));
    }
    let label = if is_named { path.file_stem() } else { path.parent().and_then(Path::file_name) };
    let label = label.map(|label| harmless(&label.to_string_lossy()));
    match foreign::read(path, &Naming::default()) {
        Ok(mut imported) => {
            for record in &mut imported.records {
                record.label = record.label.take().or_else(|| label.clone());
                foreign::forget_course(record);
            }
            Ok(Content::Imported(imported.records))
        }
        Err(error) if error.is_foreign() && !is_named => Ok(Content::Nothing),
        // Whoever names a file that is nothing known most likely means a record.
        Err(error) if error.is_foreign() => read_record(path).map(|_| Content::Nothing),
        Err(error) => Err(error)
            .with_context(|| format!("`{}` cannot be imported", harmless(&path.display().to_string()))),
    }
}
