//! `iotrial check`: whether this host is set up for a database.

use std::path::PathBuf;
use std::process::ExitCode;

use iotrial_report::document::Document;
use iotrial_session::host_check::{check_host, load_rules};

use crate::cli::CheckArgs;
use crate::failure::Failure;
use crate::next;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};
use crate::shell_line;

/// Checked, and something should be changed first.
const GRAVE_FINDINGS: u8 = 1;

/// Reads the host, judges it, and shows both.
pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json).checked()?;
    if args.list_rules {
        let rules = load_rules(&args.rules)?;
        let document = Document::of_host_rules(&rules);
        Presentation { is_list: true, ..Presentation::new(&document, vec![Value::alone(&rules)]) }
            .show(&outputs)?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = check_host(&args.request())?;
    let document = Document::of_host_check(&answer);
    let next = next_step(args, &outputs, answer.findings.is_empty());
    Presentation::new(&document, vec![Value::alone(&answer)]).with_next(Some(next)).show(&outputs)?;
    Ok(if answer.has_grave_findings() { ExitCode::from(GRAVE_FINDINGS) } else { ExitCode::SUCCESS })
}

/// Settings first, because a load on a host that is set up wrongly is measured twice.
fn next_step(args: &CheckArgs, outputs: &Outputs, is_good: bool) -> String {
    let page = next::with_page("check", outputs, "each finding with what changes it");
    page.filter(|_| !is_good).unwrap_or_else(|| {
        let target = |path: &PathBuf| format!(" {}", shell_line::option("--target", &path.to_string_lossy()));
        let targets: String = args.targets.iter().map(target).collect();
        format!("iotrial run{targets}   # whether its storage is fast enough")
    })
}
