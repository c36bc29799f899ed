//! What became of gates: the last lines, the files for CI, the exit code.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::comparison::{CompareError, GateOutcome, GateResult};
use iotrial_analysis::verdict::Outcome;
use iotrial_report::document::Document;
use iotrial_report::gates::last_lines;
use iotrial_report::junit::render_junit;
use iotrial_report::markdown::render_markdown;

use crate::cli::GateArgs;
use crate::failure::{Failure, GATE_MISSED, INCONCLUSIVE, NOT_QUALIFIED};
use crate::output::{self, harmless};
use crate::output_file::OutputFile;
use crate::outputs::{Content, Outputs};

/// GitHub Actions sets it to the file that becomes the summary of the step.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

impl GateArgs {
    /// With the files for CI, all of which can be written; better known before a measurement than after it.
    pub fn and_files(&self, outputs: Outputs) -> Result<Outputs, Failure> {
        outputs
            .and("--junit", self.junit.as_ref(), Content::Text)
            .and("--github-summary", self.summary_file()?.as_ref(), Content::Appended)
            .checked()
    }

    /// Refuses gates on changes, where there is nothing that they could be changes from.
    pub fn check_are_values(&self) -> Result<(), Failure> {
        match self.gates.iter().find(|gate| gate.is_of_change()) {
            Some(gate) => Err(refused(&CompareError::NoBaseline { gate: gate.to_string() })),
            None => Ok(()),
        }
    }

    /// Where the Markdown goes.
    fn summary_file(&self) -> Result<Option<OutputFile>, Failure> {
        match &self.github_summary {
            None => Ok(None),
            Some(Some(path)) => Ok(Some(path.clone())),
            Some(None) => match std::env::var_os(SUMMARY).filter(|path| !path.is_empty()) {
                Some(path) => Ok(Some(PathBuf::from(path).into())),
                None => {
                    let error = anyhow!("--github-summary needs the variable {SUMMARY}, and it is not set");
                    Err(Failure::input(error)
                        .hint("GitHub Actions sets it; elsewhere give --github-summary=FILE".to_owned()))
                }
            },
        }
    }

    /// The last lines of a page for people; none without gates.
    pub fn last_lines(&self, outcomes: &[GateOutcome], verdict: Option<Outcome>) -> String {
        if outcomes.is_empty() {
            return String::new();
        }
        // In a CI job, a green step below an inconclusive verdict looks like a mistake.
        let code = self.exit_code(outcomes);
        let lines = last_lines(outcomes, verdict.filter(|verdict| exit_code_of(*verdict) != code));
        format!("\n{}", output::broken_between_words(&lines))
    }

    /// Writes the files, and says by the exit code what came of the gates, whatever the verdict. Where standard output is no text for
    /// people, the last lines go to standard error.
    pub fn end(
        &self,
        outcomes: &[GateOutcome],
        verdict: Option<Outcome>,
        outputs: &Outputs,
    ) -> Result<ExitCode, Failure> {
        let written = self.write(outcomes, outputs);
        if !outputs.is_for_people() {
            output::lines(self.last_lines(outcomes, verdict).trim());
        }
        written?;
        Ok(ExitCode::from(self.exit_code(outcomes)))
    }

    /// That of the worst of them.
    fn exit_code(&self, outcomes: &[GateOutcome]) -> u8 {
        match outcomes.iter().map(|outcome| outcome.outcome).max() {
            Some(GateResult::Missed) => GATE_MISSED,
            Some(GateResult::Undecided) if self.strict => GATE_MISSED,
            Some(GateResult::Undecided) => INCONCLUSIVE,
            Some(GateResult::Kept) | None => 0,
        }
    }

    fn write(&self, outcomes: &[GateOutcome], outputs: &Outputs) -> Result<(), Failure> {
        if let Some(path) = &self.junit {
            outputs.write(path, render_junit(outcomes, self.strict).as_bytes())?;
        }
        let Some(path) = self.summary_file()? else { return Ok(()) };
        let markdown = render_markdown(&Document::of_gates(outcomes));
        // Appended, because every step of a job writes into the same file.
        outputs.write(&path, markdown.as_bytes())
    }
}

/// How a command ends without gates: 0 where all is qualified, 1 where something is not, 4 where that cannot be said.
pub const fn exit_code_of(verdict: Outcome) -> u8 {
    match verdict {
        Outcome::Qualified => 0,
        Outcome::Inconclusive => INCONCLUSIVE,
        Outcome::NotQualified => NOT_QUALIFIED,
    }
}

/// An error about what is compared, as the user sees it.
pub fn refused(error: &CompareError) -> Failure {
    // Labels come from strangers' files.
    let hint = error.hint().map(|hint| harmless(&hint));
    Failure::input(anyhow::Error::msg(harmless(&error.to_string()))).hint(hint)
}
