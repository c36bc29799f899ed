//! `iotrial check`: whether this host is set up for a database.

use std::process::ExitCode;

use iotrial_report::document::Document;
use iotrial_session::host_check::{check_host, load_rules};

use crate::cli::CheckArgs;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

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
    Presentation::new(&document, vec![Value::alone(&answer)]).show(&outputs)?;
    Ok(if answer.has_grave_findings() { ExitCode::from(GRAVE_FINDINGS) } else { ExitCode::SUCCESS })
}
