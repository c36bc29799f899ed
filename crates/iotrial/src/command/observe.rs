//! `iotrial observe`: what a real database does on this storage, under the load of somebody's driver.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use iotrial_analysis::database_run::DatabaseRunAnswer;
use iotrial_host::machine::machine;
use iotrial_import::driver;
use iotrial_model::database::{mysql, postgres};
use iotrial_report::document::Document;
use iotrial_session::observe::{
    ClientRequest, ObserveEvent, ObserveRequest, Observed, ObservedName, observe as watch_load, record_of,
};
use iotrial_session::store::keep_imported;
use iotrial_session::watch::WatchedRequest;
use serde::Serialize;

use crate::cli::{ObserveArgs, StatementsOf};
use crate::failure::{Failure, INCONCLUSIVE, INTERRUPTED, NOT_CARRIED_OUT};
use crate::next;
use crate::output::{self, say};
use crate::outputs::{Content, Outputs};
use crate::presentation::{Presentation, Value};
use crate::shell_line::quoted;
use crate::signal::control_without_a_word;
use crate::store::open_store;

/// Statements that no server has been asked by these tests.
const SQLSERVER: &str = include_str!("observe/sqlserver.sql");
const ORACLE: &str = include_str!("observe/oracle.sql");

/// Watches a load, or prints statements.
pub fn observe(args: &ObserveArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json)
        .and("--record", args.record.as_ref(), Content::Format("iotrial.watch/"))
        .checked()?;
    if let Some(database) = args.sql {
        output::verbatim(&statements(database))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.database.is_none() && args.command.is_empty() {
        let error = anyhow!("there is nothing to observe");
        return Err(Failure::input(error).hint(
            "give the database with --database, or the program that makes the load behind `--`".to_owned(),
        ));
    }
    outputs.all_is_read()?;
    // Before the load: a store that cannot be written to must not cost an hour of it.
    let store = open_store(&args.store)?;
    let control = control_without_a_word()?;
    let mut recording = args.record.as_deref().map(|path| outputs.create(path)).transpose()?;
    let mut failed = None;
    let mut hear = |event: ObserveEvent<'_>| match event {
        ObserveEvent::Begin(head) => write_line(recording.as_mut(), head, &mut failed),
        ObserveEvent::Interval(interval) => write_line(recording.as_mut(), interval, &mut failed),
        ObserveEvent::Output(line) | ObserveEvent::Warning(line) => say!("{line}"),
    };
    let mut observed = watch_load(&request_of(args), &machine().name, &control, &mut hear)?;
    observed.run.report = driver::read(&observed.output);
    let answer = DatabaseRunAnswer::of(&observed.run);
    let name =
        ObservedName { label: args.label.clone(), attributes: args.attributes.iter().cloned().collect() };
    let record = record_of(&answer, &observed.output, &name);
    let kept = keep_imported(store.folder(), &record).map_err(Failure::execution)?;
    show(args, &outputs, &answer, &kept.path)?;
    if let Some(error) = failed {
        return Err(Failure::execution(error));
    }
    Ok(exit_code(&observed, &answer))
}

fn request_of(args: &ObserveArgs) -> ObserveRequest {
    ObserveRequest {
        database: args
            .database
            .map(|database| ClientRequest { kind: database.into(), connect: args.connect.clone() }),
        watched: WatchedRequest { targets: args.targets.clone(), ..WatchedRequest::default() },
        ramp: args.ramp,
        duration: args.duration,
        command: args.command.clone(),
    }
}

fn show(
    args: &ObserveArgs,
    outputs: &Outputs,
    answer: &DatabaseRunAnswer,
    path: &Path,
) -> Result<(), Failure> {
    let document = Document::of_database_run(answer, args.label.as_deref());
    let others = args.record.iter().map(|path| ("seconds", &**path)).collect();
    let presentation =
        Presentation { others, ..Presentation::new(&document, vec![Value::of_record(path, answer)]) };
    // Of a stranger's command nothing is repeated: it may have a password in it.
    let next = args.label.as_ref().map_or_else(
        || format!("{}   # name it, to compare it with others", next::in_store("iotrial label last NAME")),
        |label| format!("{} {}   # beside others", next::in_store("iotrial report"), quoted(label)),
    );
    presentation.with_next(Some(next)).show(outputs)
}

fn exit_code(observed: &Observed, answer: &DatabaseRunAnswer) -> ExitCode {
    let has_failed = observed.run.driver.as_ref().is_some_and(|driver| driver.code != Some(0));
    match (answer.is_stopped, has_failed, answer.is_beyond_doubt()) {
        (true, ..) => ExitCode::from(INTERRUPTED),
        (_, true, _) => ExitCode::from(NOT_CARRIED_OUT),
        (.., false) => ExitCode::from(INCONCLUSIVE),
        (.., true) => ExitCode::SUCCESS,
    }
}

/// One line, at once. The first that cannot be written is told at the end: the load goes on.
fn write_line(file: Option<&mut File>, value: &impl Serialize, failed: &mut Option<anyhow::Error>) {
    let Some(file) = file.filter(|_| failed.is_none()) else { return };
    let mut line = serde_json::to_string(value).expect("a recording is plain data");
    line.push('\n');
    *failed = file.write_all(line.as_bytes()).context("cannot write the recording").err();
}

fn statements(database: StatementsOf) -> String {
    match database {
        StatementsOf::Postgres => postgres::by_hand(),
        StatementsOf::Mysql => mysql::by_hand(),
        StatementsOf::SqlServer => SQLSERVER.to_owned(),
        StatementsOf::Oracle => ORACLE.to_owned(),
    }
}
