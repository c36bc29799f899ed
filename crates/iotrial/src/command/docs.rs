//! `iotrial docs`: the documentation that hints point to, wherever the program was copied.

use std::process::ExitCode;

use anyhow::anyhow;

use crate::docs::PAGES;
use crate::failure::Failure;
use crate::output::{self, say};

/// Prints a page, or lists them.
pub fn docs(page: Option<&str>) -> Result<ExitCode, Failure> {
    let Some(name) = page else {
        let list: String = PAGES.iter().map(|page| format!("{:<14} {}\n", page.name, page.about)).collect();
        output::text(&list)?;
        say!("\n`iotrial docs NAME` prints one, as Markdown");
        return Ok(ExitCode::SUCCESS);
    };
    // Whoever copies a name out of a link has its ending too.
    let wanted = name.trim_end_matches(".md");
    let page = PAGES.iter().find(|page| page.name == wanted).ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        Failure::input(anyhow!("there is no page `{name}`")).hint(format!("there are {}", names.join(", ")))
    })?;
    output::text(page.text)?;
    Ok(ExitCode::SUCCESS)
}
