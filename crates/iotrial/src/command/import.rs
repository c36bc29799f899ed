//! `iotrial import`: results of other tools become records.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use iotrial_analysis::comparison::Circumstances;
use iotrial_analysis::sweep::SweepSummary;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::subject::Subject;
use iotrial_model::units::group_thousands;
use iotrial_report::document::Document;
use iotrial_report::sweep::SweepOf;
use iotrial_session::read_files;

use crate::cli::ImportArgs;
use crate::failure::{Failure, NOT_ALL_READ};
use crate::intake::{self, Folders, Intake, Takes};
use crate::output::{self, harmless, stderr_has_colours, stderr_takes_escapes};
use crate::outputs::Outputs;
use crate::parallel::in_parallel;
use crate::presentation::{Presentation, Value};
use crate::progress_bar::{bar_line, clock};
use crate::store::open_store;

mod naming;
mod outcome;

use naming::{check_names, naming};
use outcome::{Outcome, gather, take_file};

/// Warnings and errors beyond these are only counted on a terminal; `--json` has all of them.
const MOST_TOLD: usize = 20;

/// The bar is painted no more often.
const PAINT_EVERY: Duration = Duration::from_millis(100);

const TAKES: Takes = Takes { command: "import", what: "results of other tools and printed tables" };

/// Imports, and tells what came of it.
pub fn import(args: &ImportArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json).checked()?;
    check_names(args)?;
    // A record alone has no document here, and an empty report would look like an empty result.
    if !args.as_sweep && outputs.have_report() {
        let error = anyhow::anyhow!("a report needs the curves of --as-sweep");
        return Err(
            Failure::input(error).hint("add --as-sweep, or give the records to `iotrial report`".to_owned())
        );
    }
    let intake = Intake { takes: TAKES, folders: Folders::Files, store: None, study_profile: None };
    // Before the folder for the records is made: a wrong name must not leave one behind.
    let sources = intake.find(&args.sources)?;
    // As if they were read: records are written while others are still read.
    let named = sources.iter().filter(|source| source.is_named);
    named.for_each(|source| read_files::note_at(&source.path));
    outputs.all_is_read()?;
    let folder = folder_of_records(args)?;
    let progress = FilesRead::new(args, sources.len());
    // Each file is read, and its records are written, at once: of ten thousand files never all are in memory.
    let outcomes = in_parallel(&sources, |source| {
        let read = intake::open_source(source, &naming(args, &source.path));
        let outcome = take_file(source, read, &folder, args.as_sweep);
        progress.add();
        outcome
    });
    output::clear_block();
    let (mut outcome, results) = gather(outcomes, &sources, folder)?;
    let document = args.as_sweep.then(|| sweep_document(&mut outcome, &results, args)).transpose()?;
    // Warnings first, so that the counts stand at the end of what a terminal shows.
    outcome.tell();
    let values = vec![Value::alone(&outcome)];
    let presentation = Presentation {
        document: document.as_ref(),
        values,
        before: outcome.text(args.output.is_none(), &args.sources),
        others: Vec::new(),
        instead: None,
        after: String::new(),
        is_list: false,
        more: None,
    };
    presentation.show(&outputs)?;
    // Code 1 is for the mixed case only: with nothing imported the input was wrong, and a script that counts on records
    // must notice.
    Ok(match (outcome.failed.is_empty(), outcome.records.is_empty()) {
        (_, true) => ExitCode::from(2),
        (false, false) => ExitCode::from(NOT_ALL_READ),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// Where the records go.
fn folder_of_records(args: &ImportArgs) -> Result<PathBuf, Failure> {
    let Some(folder) = &args.output else {
        let store = open_store(&args.store)?;
        return Ok(store.folder().to_owned());
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder `{}`", folder.display()))
        .map_err(Failure::execution)?;
    Ok(folder.clone())
}

/// How many files are read, for whoever waits at a terminal.
struct FilesRead {
    all: usize,
    done: AtomicUsize,
    begin: Instant,
    /// When it was shown last; `None` where nobody sees it.
    shown: Option<Mutex<Instant>>,
}

impl FilesRead {
    fn new(args: &ImportArgs, all: usize) -> Self {
        // A bar for one file flickers and says nothing.
        let is_seen = !args.quiet && all >= 2 && stderr_takes_escapes();
        let begin = Instant::now();
        Self { all, done: AtomicUsize::new(0), begin, shown: is_seen.then(|| Mutex::new(begin)) }
    }

    /// One more, from whichever thread.
    fn add(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(Ok(mut shown)) = self.shown.as_ref().map(Mutex::try_lock) else { return };
        if shown.elapsed() < PAINT_EVERY {
            return;
        }
        *shown = Instant::now();
        let left = self.begin.elapsed().mul_f64((self.all - done) as f64 / done as f64);
        let words = format!(
            "{} of {} files, {} left",
            group_thousands(&done.to_string()),
            group_thousands(&self.all.to_string()),
            clock(left)
        );
        let width = usize::from(console::Term::stderr().size().1);
        let share = done as f64 / self.all as f64;
        output::show_block(vec![bar_line("importing", share, &words, width, stderr_has_colours())]);
    }
}

/// The curves of the results. What is no point of one is named.
fn sweep_document(
    outcome: &mut Outcome,
    results: &[ImportedRecord],
    args: &ImportArgs,
) -> Result<Document, Failure> {
    let (summary, left_out) = SweepSummary::of_results(results.iter().map(Subject::of_imported));
    outcome.left_out =
        left_out.iter().map(|one| harmless(&iotrial_words::finding::swept::left_out(one))).collect();
    // The reason of the first one is mostly that of all of them.
    if summary.curves.is_empty() && !results.is_empty() {
        let hint = outcome.left_out.first().cloned();
        return Err(Failure::input(anyhow::anyhow!("none of the results is a point of a curve")).hint(hint));
    }
    let sources: Vec<String> = args.sources.iter().map(|source| source.display().to_string()).collect();
    let sources = format!("From {}", sources.join(", "));
    let circumstances = Circumstances::of_all(results.iter().map(Subject::of_imported));
    let document =
        Document::of_sweep(SweepOf::Results { sources: &sources, circumstances: &circumstances }, &summary);
    outcome.sweep = Some(summary);
    Ok(document)
}
