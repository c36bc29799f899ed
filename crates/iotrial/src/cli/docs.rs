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
  iotrial docs profiles --markdown > profiles.md

On a terminal a page is formatted for its width, and shown with $PAGER or `less` if it is long (PAGER=cat turns that off). In a \
pipe or a file it is Markdown.")]
pub struct DocsArgs {
    /// Name of the page.
    #[arg(add = completion::pages())]
    pub page: Option<String>,

    /// Print Markdown, on a terminal too.
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

Where a command and a page have the same name, this is the help of the command, and `iotrial docs NAME` is the page.")]
pub struct HelpArgs {
    /// A command, or a page of the documentation.
    #[arg(value_name = "COMMAND|TOPIC", add = completion::commands_and_pages())]
    pub words: Vec<String>,

    /// Print a page as Markdown, on a terminal too.
    #[arg(long)]
    pub markdown: bool,
}
