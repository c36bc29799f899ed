//! `iotrial docs` and `iotrial help`: what hints point to, wherever the program was copied.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Command, CommandFactory as _};
use iotrial_analysis::threshold::builtin_names;
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::figure::Figure;
use iotrial_model::remark;
use iotrial_model::toml_reader::nearest;

use crate::cli::{self, Cli, DocsArgs, HelpArgs};
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
            let word = args.words.join(" ");
            if let Some(meaning) = explained(&word) {
                let is_seen = output::stdout_is_terminal() && !args.markdown;
                output::painted(&if is_seen { render(&meaning, terminal(), |_| None) } else { meaning })?;
                return Ok(ExitCode::SUCCESS);
            }
            let commands = program.get_subcommands().map(Command::get_name);
            let near = nearest(
                first,
                commands
                    .chain(PAGES.iter().map(|page| page.name))
                    .chain(explained_words().map(|name| -> &str { name })),
            );
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let error = anyhow!("there is no command, no topic and no id `{word}`");
            Err(Failure::input(error)
                .hint(format!("{near}`iotrial help` lists commands and topics, `iotrial docs ids` the ids")))
        }
    }
}

/// What is known of a word, as Markdown: a term, an id, a key, or a metric such as `log.commit.p99`.
fn explained(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let figure = Figure::ALL.into_iter().find(|figure| {
        let is_it = |name: &str| lower == name || lower.ends_with(&format!(".{name}"));
        is_it(figure.key()) || is_it(&figure.title().to_lowercase())
    });
    let of_figure = || documented_rows(figure?.key());
    meaning_of(word).or_else(|| documented_rows(word)).or_else(|| documented_rows(&lower)).or_else(of_figure)
}

/// The words that are explained, for whoever mistypes one.
fn explained_words() -> impl Iterator<Item = &'static str> {
    let profiles = builtin_profiles().iter().map(|one| one.name);
    let figures = Figure::ALL.into_iter().map(Figure::key);
    remark::names().chain(profiles).chain(builtin_names()).chain(figures)
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

/// What the tables of all pages say of an id or a key, as Markdown; `None` of one that no table has.
fn documented_rows(id: &str) -> Option<String> {
    let name = format!("`{id}`");
    let mut text = String::new();
    for page in &PAGES {
        let (mut section, mut columns) = ("", Vec::new());
        for line in page.text.lines() {
            let cells = cells_of(line);
            match cells.first() {
                None => {
                    section = line.strip_prefix('#').map_or(section, |rest| rest.trim_matches(['#', ' ']));
                    columns.clear();
                }
                // The first row of a table names its columns.
                Some(_) if columns.is_empty() => columns = cells,
                Some(first) if first.contains(&name) => {
                    text += &format!("**{id}** ({section}; `iotrial docs {}`)\n\n", page.name);
                    let named = columns.iter().zip(&cells).skip(1).filter(|(_, cell)| !cell.is_empty());
                    text.extend(named.map(|(column, cell)| format!("- {column}: {cell}\n")));
                    text.push('\n');
                }
                Some(_) => {}
            }
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The cells of a row of a table; none of any other line.
fn cells_of(line: &str) -> Vec<&str> {
    let row = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|'));
    row.map(|row| row.split(" | ").map(str::trim).collect()).unwrap_or_default()
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
    let help = cli::program().try_get_matches_from(line).expect_err("help is no match").render();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_profile_threshold_set_and_figure_is_explained() {
        let missing: Vec<&str> = explained_words().filter(|id| documented_rows(id).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        for metric in ["log.commit.p99", "read.iops", "p99.9", "Late-Issues"] {
            assert!(explained(metric).is_some(), "{metric}");
        }
        assert_eq!(nearest("late-isues", explained_words()), Some("late-issues"));
        assert_eq!(explained("p98"), None);
        assert_eq!(documented_rows("short-ran"), None);
    }

    #[test]
    fn a_row_is_shown_by_the_columns_of_its_table() {
        let text = documented_rows("short-run").unwrap();
        assert!(text.contains("\n- what it is: ") && text.contains("`iotrial docs measurement`"), "{text}");
    }
}
