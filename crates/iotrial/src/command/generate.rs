//! What the program makes of itself: completion scripts and man pages.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use clap_mangen::Man;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::output_file::OutputFile;
use crate::outputs::{Content, Outputs};

/// Set by the scripts of shells that ask what can stand in a place; of our own, so that no other program's setting is meant.
const SHELL_VARIABLE: &str = "IOTRIAL_COMPLETE";

/// Where a shell asks what can stand in a place: answers, and ends the program.
pub fn answer_shell() {
    CompleteEnv::with_factory(Cli::command).var(SHELL_VARIABLE).complete();
}

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&name).expect("both lists have the same shells, as a test holds");
    let mut script = Vec::new();
    completer
        .write_registration(SHELL_VARIABLE, "iotrial", "iotrial", "iotrial", &mut script)
        .map_err(Failure::execution)?;
    output::bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `iotrial.1`, `iotrial-run.1` and so on into a directory.
pub fn man_pages(directory: &Path, overwrite: bool) -> Result<ExitCode, Failure> {
    // Not made here: a mistyped directory would be filled with twenty files.
    if !directory.is_dir() {
        let error = anyhow::anyhow!("`{}` is not a directory", directory.display());
        return Err(Failure::input(error).hint("make it first: mkdir -p DIRECTORY".to_owned()));
    }
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)
        .with_context(|| format!("cannot write man pages into `{}`", directory.display()))
        .map_err(Failure::execution)?;
    let pages: Vec<(OutputFile, Vec<u8>)> =
        pages.into_iter().map(|(name, page)| (directory.join(name).into(), page)).collect();
    // All of them before one is written: a page of somebody else that is in the way leaves the folder as it was.
    let outputs = pages.iter().fold(Outputs::without_report(overwrite), |outputs, (path, _)| {
        outputs.and("a man page", Some(path), Content::Text)
    });
    let outputs = outputs.checked()?;
    pages.iter().try_for_each(|(path, page)| outputs.write(path, page))?;
    // On standard error: the pages are the output, and they are in files.
    say!("the man pages are in {}", directory.display());
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, and of each below it, with the names of their files.
fn add_pages(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        add_pages(below, pages)?;
    }
    let man = Man::new(command.clone().after_help(None));
    let mut page = Vec::new();
    man.render(&mut page)?;
    if let Some(text) = command.get_after_help() {
        page.extend(after_help(&text.to_string()).into_bytes());
    }
    pages.push((man.get_filename(), page));
    Ok(())
}

/// What stands below the options: examples line by line, and the rest as prose. clap_mangen fills both alike.
fn after_help(text: &str) -> String {
    let mut roff = String::new();
    let mut section = "";
    for block in text.split("\n\n") {
        let lines: Vec<&str> = block.lines().filter(|line| !line.starts_with("Example")).collect();
        let is_example = lines.iter().all(|line| line.starts_with("  "));
        let wanted = if is_example { "EXAMPLES" } else { "NOTES" };
        roff += &if section == wanted { ".PP\n".to_owned() } else { format!(".SH {wanted}\n") };
        section = wanted;
        let [begin, end] = if is_example { [".nf\n", ".fi\n"] } else { [""; 2] };
        roff += begin;
        for line in lines {
            // A line that began with a point or an apostrophe would be a command of troff.
            roff += &format!("\\&{}\n", line.trim().replace('\\', "\\e").replace('-', "\\-"));
        }
        roff += end;
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_prose_is_filled() {
        let text = "Examples:\n  # first\n  iotrial run\n\n  iotrial run -q\n\nA page goes\nbeside it.";
        assert_eq!(
            after_help(text),
            ".SH EXAMPLES\n.nf\n\\&# first\n\\&iotrial run\n.fi\n.PP\n.nf\n\\&iotrial run \\-q\n.fi\n\
             .SH NOTES\n\\&A page goes\n\\&beside it.\n"
        );
    }

    fn check(command: &clap::Command) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            let is_command = !line.starts_with("  # ");
            assert!(line.chars().count() <= 80, "wrapped in a terminal of 80 columns: {line}");
            assert!(
                !is_command || !line.trim().contains("  "),
                "said behind the command and not above it: {line}"
            );
        }
        command.get_subcommands().for_each(check);
    }

    #[test]
    fn examples_fit_into_a_terminal_of_80_columns() {
        check(&Cli::command());
    }
}
