//! `iotrial open`: the page of a result, in the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use iotrial_session::store::id_of;

use crate::cli::OpenArgs;
use crate::command::report::{Asked, Gathered, Shown};
use crate::command::sweep;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::outputs::Outputs;
use crate::report_files::ReportFiles;
use crate::store::{named, open_store_to_read};

#[cfg(not(windows))]
#[path = "open/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "open/windows.rs"]
mod os;

/// Writes the page of a result, prints where it is, and has the browser show it where there is one.
pub fn open(args: &OpenArgs) -> Result<ExitCode, Failure> {
    let store = open_store_to_read(&args.store)?;
    // Of a label the newest: that is the one that somebody has just measured.
    let record = named(&store, std::slice::from_ref(&args.result))?.pop();
    let record = record.expect("a name that stands for nothing is refused");
    // Always anew: a page that lies there may be anybody's, and a browser would run whatever is in it. A record cannot hold a script.
    // As a whole path: one that begins with `-` would be an option of the program that shows it, and others look from another folder.
    let page = page_of(&record);
    let page = std::path::absolute(&page).unwrap_or(page);
    let files = ReportFiles { html: Some(page.clone().into()), overwrite: true, ..ReportFiles::default() };
    let outputs = Outputs::new(&files, false);
    write_page(&record, &outputs, args).map_err(|failure| {
        let id = id_of(&record);
        failure.or_hint(format!("`iotrial report {id} --html FILE` writes the page somewhere else"))
    })?;
    output::text_line(page.display())?;
    if !args.print && os::has_screen() {
        show(&page);
    }
    Ok(ExitCode::SUCCESS)
}

/// Where `run` and `sweep` put the page of a record.
pub(super) fn page_of(record: &Path) -> PathBuf {
    record.with_file_name(format!("{}.html", id_of(record)))
}

fn write_page(record: &Path, outputs: &Outputs, args: &OpenArgs) -> Result<(), Failure> {
    let name = record.to_string_lossy().into_owned();
    let asked = Asked { results: &[name], study_profile: None, thresholds: None, store: &args.store };
    let (_, written) = match asked.gather()? {
        Gathered::Sweep(_, record) => outputs.write_report(&sweep::document(&record)),
        Gathered::Results(results) => outputs.write_report(Shown::new(results).document()),
    };
    written
}

/// Asks the system to show a file. That it cannot is only worth a note: the path is printed.
fn show(page: &Path) {
    // Not waited for: some of them stay as long as the browser does.
    let started = Command::new(os::OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        say!("note: no browser was started: `{}`: {error}", os::OPENER);
    }
}
