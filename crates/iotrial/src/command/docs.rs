//! `iotrial docs` and `iotrial help`: what hints point to, wherever the program was copied.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Command, CommandFactory as _};
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
    let program = Cli::command();
    let Some((first, further)) = args.words.split_first() else {
        let help = help_of(&[]);
        pager::show(&format!("{help}\nTopics, for `iotrial help TOPIC`:\n{}", list_of_pages()))?;
        return Ok(ExitCode::SUCCESS);
    };
    // A command goes before a page of its name: its options are what somebody looks up who knows its name.
    if let Some(command) = program.find_subcommand(first) {
        check_are_commands(command, further)?;
        let mut text = help_of(&args.words);
        // Most say it themselves, with what the page is about.
        let page = Page::of_name(command.get_name()).map(|page| format!("iotrial docs {}", page.name));
        if let Some(page) = page.filter(|page| !text.contains(page)) {
            text += &format!("\n`{page}` explains more.\n");
        }
        pager::show(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    match Page::of_name(first) {
        Some(page) if further.is_empty() => show(page, args.markdown),
        _ => {
            if let Some(meaning) = meaning_of(&args.words.join(" ")) {
                let is_seen = output::stdout_is_terminal() && !args.markdown;
                output::painted(&if is_seen { render(&meaning, terminal(), |_| None) } else { meaning })?;
                return Ok(ExitCode::SUCCESS);
            }
            let commands = program.get_subcommands().map(Command::get_name);
            let near = nearest(first, commands.chain(PAGES.iter().map(|page| page.name)));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let error = anyhow!("there is no command and no topic `{}`", args.words.join(" "));
            Err(Failure::input(error)
                .hint(format!("{near}`iotrial help` lists both, `iotrial help glossary` explains terms")))
        }
    }
}

/// What the glossary says of a word, as Markdown; `None` of one that it does not have.
fn meaning_of(word: &str) -> Option<String> {
    let glossary = Page::of_name("glossary").expect("a test holds that it is a page");
    glossary.text.lines().find_map(|line| {
        let (names, meaning) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let is_it = names.split(", ").any(|name| name.eq_ignore_ascii_case(word));
        is_it
            .then(|| format!("**{names}**: {meaning}\n\n`iotrial help glossary` explains the other terms.\n"))
    })
}

/// Refuses words that are not commands below a command.
fn check_are_commands(command: &Command, words: &[String]) -> Result<(), Failure> {
    let Some((first, further)) = words.split_first() else { return Ok(()) };
    match command.find_subcommand(first) {
        Some(below) => check_are_commands(below, further),
        None => {
            let error = anyhow!("`{}` has no command `{first}`", command.get_name());
            let near = nearest(first, command.get_subcommands().map(Command::get_name));
            Err(Failure::input(error).hint(near.map(|near| format!("did you mean `{near}`?"))))
        }
    }
}

/// What `iotrial COMMAND --help` prints, which clap decides the form of.
fn help_of(words: &[String]) -> String {
    let line = ["iotrial"].into_iter().chain(words.iter().map(String::as_str)).chain(["--help"]);
    let help = Cli::command().try_get_matches_from(line).expect_err("help is no match").render();
    if output::has_colours() { help.ansi().to_string() } else { help.to_string() }
}

/// Formatted for a terminal; as Markdown for whoever reads it with a program, or says so.
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
