//! Writes a sample report: `cargo run -p iotrial-report --example sample_report -- OUT [CASE]`, where the case is one
//! of `oltp`, `full`, `long`, `interrupted`, `empty`, `simulated`, `hostile`, `formulas`, `several`, `kinds`, and the
//! file ends in `html`, `xlsx`, `md` or `csv`. Without a file it shows the terminal form, as wide as `COLUMNS` says.

#[path = "../tests/it/fixture/mod.rs"]
mod fixture;

use iotrial_model::subject::Subject;
use iotrial_report::csv::render_csv;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::markdown::render_markdown;
use iotrial_report::terminal::{TerminalStyle, render_terminal};
use iotrial_report::xlsx::render_xlsx;

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "-".to_owned());
    let case = arguments.next();
    let record = match case.as_deref() {
        Some("several" | "kinds") | None | Some("oltp") => fixture::oltp(),
        Some("full") => fixture::oltp_of(30, 300),
        Some("long") => fixture::oltp_of(120, 7_200),
        Some("interrupted") => fixture::interrupted(),
        Some("empty") => fixture::empty(),
        Some("simulated") => fixture::simulated(),
        Some("hostile") => fixture::hostile(),
        Some("formulas") => fixture::formulas(),
        Some(other) => return Err(format!("there is no case `{other}`").into()),
    };
    let document = match case.as_deref() {
        Some("several") => fixture::document_of_several(&fixture::several()),
        Some("kinds") => fixture::kinds(),
        _ => Document::of_result(&Subject::of_run(&record), &fixture::summary(&record)),
    };
    if out == "-" {
        let width = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok()).unwrap_or(80);
        print!("{}", render_terminal(&document, TerminalStyle { width, color: true }));
        return Ok(());
    }
    let bytes = match out.rsplit('.').next() {
        Some("xlsx") => render_xlsx(&document)?,
        Some("md") => render_markdown(&document).into_bytes(),
        Some("csv") => render_csv(&document)?.into_bytes(),
        _ => render_html(&document)?.into_bytes(),
    };
    std::fs::write(out, bytes)?;
    Ok(())
}
