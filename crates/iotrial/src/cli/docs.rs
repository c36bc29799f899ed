//! Options of `docs` and `help`.

use clap::Args;

use super::completion;

/// Options of `docs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # list the pages
  iotrial docs
  iotrial docs profiles
  # as Markdown
  iotrial docs profiles > profiles.md

On a terminal, pages are wrapped to the width of the terminal, and long ones are shown with $PAGER or `less` (PAGER=cat turns \
that off). Output to a pipe or a file is Markdown.")]
pub struct DocsArgs {
    /// Name of the page.
    #[arg(add = completion::pages())]
    pub page: Option<String>,

    /// Print Markdown even on a terminal.
    #[arg(long)]
    pub markdown: bool,
}

/// Options of `help`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # list commands and topics
  iotrial help
  iotrial help run
  iotrial help size explain
  iotrial help glossary
  # what a finding, a check of the audit or a key of the JSON means
  iotrial help cache-served

If a command and a page share a name, `iotrial help NAME` shows the help for the command, and `iotrial docs NAME` the page.")]
pub struct HelpArgs {
    /// A command, a topic (a page of the documentation: `iotrial docs` lists them), a term of the glossary, or an id of a finding.
    #[arg(value_name = "COMMAND|TOPIC|ID", add = completion::commands_and_pages())]
    pub words: Vec<String>,

    /// Print a page as Markdown even on a terminal.
    #[arg(long)]
    pub markdown: bool,
}
