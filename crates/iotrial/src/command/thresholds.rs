//! `iotrial thresholds`: what a verdict is judged by.

use std::path::Path;
use std::process::ExitCode;

use iotrial_analysis::threshold::{ThresholdSet, builtin_names};
use iotrial_session::judged_profile::load_thresholds;
use serde::Serialize;

use crate::cli::ThresholdsArgs;
use crate::failure::Failure;
use crate::intake::expect_thresholds;
use crate::output;

#[derive(Serialize)]
struct Line {
    name: &'static str,
    title: String,
    /// The digest by which records name the set.
    sha256: String,
}

/// Lists the sets, or prints one as it would be edited.
pub fn thresholds(args: &ThresholdsArgs) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.name {
        expect_thresholds(Some(name), "thresholds")?;
        let ThresholdSet { text, sha256, .. } = load_thresholds(Path::new(""), name)?;
        if args.json {
            output::json(&serde_json::json!({ "name": name, "sha256": sha256, "text": text }))?;
        } else {
            output::verbatim(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let line = |name| {
        let set = ThresholdSet::builtin(name).expect("a name of the list is built in");
        Line { name, title: set.title, sha256: set.sha256 }
    };
    let lines: Vec<Line> = builtin_names().map(line).collect();
    if args.json {
        output::json(&lines)?;
    } else {
        let width = lines.iter().map(|line| line.name.len()).max().unwrap_or_default();
        let list: String =
            lines.iter().map(|line| format!("{:<width$}  {}\n", line.name, line.title)).collect();
        output::text(&list)?;
        // Not on standard output, which a script may read line by line.
        output::lines(
            "\n`iotrial thresholds NAME` prints one; `iotrial run --thresholds NAME` judges by it, and `--thresholds ./mine.toml` by your own",
        );
    }
    Ok(ExitCode::SUCCESS)
}
