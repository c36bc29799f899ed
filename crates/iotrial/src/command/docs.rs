//! `iotrial docs` and `iotrial help`: what hints point to, wherever the program was copied.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::CommandFactory;
use iotrial_model::toml_reader::nearest;

use crate::cli::{Cli, DocsArgs, HelpArgs};
use crate::docs::{PAGES, Page};
use crate::failure::Failure;
use crate::markdown::{PageStyle, render};
use crate::output;
use crate::pager;

/// Shows a page, or lists them.
pub fn docs(args: &DocsArgs) -> Result<ExitCode, Failure> {
    let Some(name) = &args.page else {
        output::text(&list_of_pages())?;
        return Ok(ExitCode::SUCCESS);
    };
    let page = Page::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        let near = nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`? "));
        Failure::input(anyhow!("there is no page `{name}`")).hint(format!(
            "{}there are {}",
            near.unwrap_or_default(),
            names.join(", ")
        ))
    })?;
    show(page, args.markdown)
}

/// Shows the help of a command, or a page of the documentation; without a word lists both.
pub fn help(args: &HelpArgs) -> Result<ExitCode, Failure> {
    let mut program = Cli::command();
    program.build();
    let Some((first, further)) = args.words.split_first() else {
        let help = styled(&program.render_long_help());
        pager::show(&format!("{help}\nTopics, for `iotrial help TOPIC`:\n{}", list_of_pages()))?;
        return Ok(ExitCode::SUCCESS);
    };
    // A command goes before a page of its name: its options are what somebody looks up who knows its name.
    if let Some(command) = program.find_subcommand_mut(first) {
        let page = Page::of_name(command.get_name()).map(|page| page.name);
        return help_of(command, further, page);
    }
    match Page::of_name(first) {
        Some(page) if further.is_empty() => show(page, args.markdown),
        _ => {
            let commands: Vec<String> =
                program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            let known = commands.iter().map(String::as_str).chain(PAGES.iter().map(|page| page.name));
            let error = anyhow!("there is no command and no topic `{}`", args.words.join(" "));
            let near = nearest(first, known).map(|near| format!("did you mean `{near}`? "));
            let hint = format!("{}`iotrial help` lists both", near.unwrap_or_default());
            Err(Failure::input(error).hint(hint))
        }
    }
}

/// The help of a command, or of one below it.
fn help_of(command: &mut clap::Command, further: &[String], page: Option<&str>) -> Result<ExitCode, Failure> {
    if let Some((first, rest)) = further.split_first() {
        let name = command.get_name().to_owned();
        let below: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        let Some(one) = command.find_subcommand_mut(first) else {
            let error = anyhow!("`iotrial {name}` has no command `{first}`");
            let near = nearest(first, below.iter().map(String::as_str));
            return Err(Failure::input(error).hint(near.map(|near| format!("did you mean `{near}`?"))));
        };
        return help_of(one, rest, page);
    }
    let mut text = styled(&command.render_long_help());
    // Most say it themselves, with what the page is about.
    if let Some(page) = page.filter(|page| !text.contains(&format!("iotrial docs {page}"))) {
        text += &format!("\n`iotrial docs {page}` explains more.\n");
    }
    pager::show(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn styled(help: &clap::builder::StyledStr) -> String {
    if output::has_colours() { help.ansi().to_string() } else { help.to_string() }
}

/// Laid out for a terminal; as Markdown for whoever reads it with a program, or says so.
fn show(page: &Page, markdown: bool) -> Result<ExitCode, Failure> {
    if markdown || !output::stdout_is_terminal() {
        output::text(page.text)?;
    } else {
        pager::show(&page.rendered(terminal()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Name and content of each page.
fn list_of_pages() -> String {
    if !output::stdout_is_terminal() {
        return PAGES.iter().map(|page| format!("{:<14} {}\n", page.name, page.about)).collect();
    }
    let rows: String = PAGES.iter().map(|page| format!("| {} | {} |\n", page.name, page.about)).collect();
    render(&format!("| | |\n| --- | --- |\n{rows}"), terminal(), |_| None)
}

fn terminal() -> PageStyle {
    PageStyle { width: output::columns(), color: output::has_colours() }
}
