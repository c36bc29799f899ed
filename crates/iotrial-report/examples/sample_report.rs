//! Writes a sample report: `cargo run -p iotrial-report --example sample_report -- OUT.html [CASE]`, where the
//! case is one of `oltp`, `full`, `long`, `interrupted`, `empty`, `simulated`, `hostile`. Without a file it shows
//! the terminal form, as wide as `COLUMNS` says.

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::{TerminalStyle, render_terminal};

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "-".to_owned());
    let record = match arguments.next().as_deref() {
        None | Some("oltp") => fixture::oltp(),
        Some("full") => fixture::oltp_of(30, 300),
        Some("long") => fixture::oltp_of(120, 7_200),
        Some("interrupted") => fixture::interrupted(),
        Some("empty") => fixture::empty(),
        Some("simulated") => fixture::simulated(),
        Some("hostile") => fixture::hostile(),
        Some(other) => return Err(format!("there is no case `{other}`").into()),
    };
    let document = Document::of_run(&record, &fixture::summary(&record));
    if out == "-" {
        let width = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok()).unwrap_or(80);
        print!("{}", render_terminal(&document, TerminalStyle { width, color: true }));
    } else {
        std::fs::write(out, render_html(&document)?)?;
    }
    Ok(())
}
