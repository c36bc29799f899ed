//! Results with their figures and the one document of all of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iotrial_analysis::comparison::{CompareError, Comparison, Gate, GateOutcome, Sample, hold_gates};
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::Outcome;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::record::{EndedHow, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;

use crate::failure::Failure;
use crate::gates::exit_code_of;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

/// The record of a result, whoever measured it.
pub enum Record {
    Run(Box<RunRecord>),
    Imported(Box<ImportedRecord>),
}

/// A result with its figures.
pub struct Judged {
    record: Record,
    summary: Summary,
}

impl Record {
    fn subject(&self) -> Subject<'_> {
        match self {
            Self::Run(record) => Subject::of_run(record),
            Self::Imported(record) => Subject::of_imported(record),
        }
    }
}

impl Judged {
    /// A result, judged by a set.
    pub fn of(record: Record, thresholds: &ThresholdSet) -> Self {
        let summary = Summary::new(&record.subject(), thresholds);
        Self { record, summary }
    }

    /// What a comparison keeps of it.
    fn sample(&self, subject: &Subject<'_>, path: &Path) -> Sample {
        let source = subject.whence().unwrap_or_else(|| path.display().to_string());
        match &self.record {
            Record::Run(_) => Sample::of_judged(subject, &self.summary.verdict, source),
            // What others measured nobody judged when it was measured.
            Record::Imported(_) => Sample::of(subject, source),
        }
    }
}

/// What a terminal shows besides a document.
#[derive(Debug, Default)]
pub struct Around {
    /// In place of it, unless all of it is wanted.
    pub instead: Option<String>,
    /// After it, in whole lines.
    pub after: String,
    /// The command that shows what the screen has no room for; `None` is the same with `--details`.
    pub more: Option<String>,
}

/// One result or several, with the document of all.
pub struct Shown {
    /// Each with the file that it comes from.
    results: Vec<(PathBuf, Judged)>,
    document: Document,
    /// What became of the gates; none where there were none.
    gates: Vec<GateOutcome>,
}

impl Shown {
    /// At least one result. Each figure is computed once.
    pub fn new(results: Vec<(PathBuf, Judged)>) -> Self {
        let document = document_of(&results);
        Self { results, document, gates: Vec::new() }
    }

    /// The same held against gates on values, which stand in the document too.
    pub fn held(self, gates: &[Gate]) -> Result<Self, CompareError> {
        if gates.is_empty() {
            return Ok(self);
        }
        let sample = |(path, judged): &(PathBuf, Judged)| judged.sample(&judged.record.subject(), path);
        let gates = hold_gates(self.results.iter().map(sample).collect(), gates)?;
        Ok(Self { document: self.document.with_gates(&gates), gates, ..self })
    }

    /// Those that stand with the result from a file: all of them where it is the first of what was given. Runs of one configuration
    /// are held against gates together.
    fn gates_of(&self, path: &Path) -> &[GateOutcome] {
        let is_first = self.results.first().is_some_and(|(first, _)| first == path);
        if is_first { &self.gates } else { &[] }
    }

    /// What became of the gates.
    pub fn gates(&self) -> &[GateOutcome] {
        &self.gates
    }

    /// What all forms of the report are made from.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Writes the files that are wanted, and shows the rest. `around` has what the terminal shows besides.
    pub fn present(&self, outputs: &Outputs, around: Around) -> Result<(), Failure> {
        let Around { instead, after, more } = around;
        let values = self.results.iter().map(|(path, judged)| match &judged.record {
            Record::Run(_) => Value::of_record(path, &judged.summary).with_gates(self.gates_of(path)),
            Record::Imported(_) => Value::of_file(path, &judged.summary).with_gates(self.gates_of(path)),
        });
        Presentation { instead, after, more, ..Presentation::new(&self.document, values.collect()) }
            .show(outputs)
    }

    /// The only result, where it is a run that was stopped before it had an answer. One that has shown by then that the storage is not good
    /// enough has one.
    pub fn stopped(&self) -> Option<&RunRecord> {
        match self.results.as_slice() {
            [(_, Judged { record: Record::Run(record), summary })]
                if record.ended.how == EndedHow::Interrupted
                    && summary.verdict.outcome == Outcome::Inconclusive =>
            {
                Some(record)
            }
            _ => None,
        }
    }

    /// The figures of the only result.
    pub fn only(&self) -> Option<&Summary> {
        match self.results.as_slice() {
            [(_, judged)] => Some(&judged.summary),
            _ => None,
        }
    }

    /// The worst of the verdicts: one that is not qualified decides for all, because a script that asks about several volumes wants to
    /// know of the bad one.
    pub fn verdict(&self) -> Option<Outcome> {
        self.results.iter().map(|(_, judged)| judged.summary.verdict.outcome).max()
    }

    /// That of the worst verdict: 0 where all are qualified, 1 where one is not, else 4 where one is inconclusive.
    pub fn exit_code(&self) -> ExitCode {
        self.verdict().map_or(ExitCode::SUCCESS, |verdict| ExitCode::from(exit_code_of(verdict)))
    }
}

/// The one document of all results.
fn document_of(results: &[(PathBuf, Judged)]) -> Document {
    // Subjects borrow from the records, which are kept for as long as the document: histograms are large, and none is
    // copied.
    let subjects: Vec<(Subject<'_>, &Summary)> =
        results.iter().map(|(_, judged)| (judged.record.subject(), &judged.summary)).collect();
    match subjects.as_slice() {
        [(subject, summary)] => Document::of_result(subject, summary),
        several => {
            // Compared where that is fair, and else beside one another.
            let samples = results
                .iter()
                .zip(several)
                .map(|((path, judged), (subject, _))| judged.sample(subject, path));
            Document::of_results(several, &Comparison::or_beside(samples.collect()))
        }
    }
}
