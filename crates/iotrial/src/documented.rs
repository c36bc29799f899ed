//! Every command that a document, a help text or a workflow shows is read by the parser of the command line: what a reader copies must not be
//! refused as a wrong option.

use clap::{CommandFactory as _, Parser as _};

use crate::cli::Cli;
use crate::docs::PAGES;

/// A line for a shell, cut into the commands that it starts; what is redirected or commented is not part of any.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut parts = vec![String::new()];
    let (mut quote, mut before) = (None, ' ');
    for c in line.chars() {
        match (quote, c) {
            (None, '#') if before == ' ' => break,
            (None, '|' | ';' | '&' | '(' | ')') => parts.push(String::new()),
            _ => parts.last_mut().expect("there is one").push(c),
        }
        match quote {
            None if c == '\'' || c == '"' => quote = Some(c),
            Some(open) if open == c => quote = None,
            _ => {}
        }
        before = c;
    }
    let words = |part: &String| {
        let words = shell_words::split(part).unwrap_or_else(|error| panic!("{line}: {error}"));
        let is_set = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
        let words = words.into_iter().skip_while(is_set);
        words.take_while(|word| !word.starts_with(['<', '>'])).collect()
    };
    parts.iter().map(words).collect()
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// The arguments where a command starts iotrial, itself or through cargo.
fn of_iotrial(words: &[String]) -> Option<&[String]> {
    let words = if words.first().is_some_and(|word| word == "sudo") { &words[1..] } else { words };
    match words.first().map(String::as_str)? {
        "iotrial" => Some(&words[1..]),
        "cargo" if words.get(1).is_some_and(|word| word == "run") => {
            let behind = words.iter().position(|word| word == "--")?;
            Some(&words[behind + 1..])
        }
        _ => None,
    }
}

/// The lines of a page that are typed, with those that they go on in.
fn typed(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in page.lines() {
        let line = line.trim();
        let begun = line.strip_prefix("$ ");
        let text = if goes_on { Some(line.trim_start_matches("> ")) } else { begun };
        let Some(text) = text else { continue };
        let whole = text.strip_suffix('\\').unwrap_or(text);
        if goes_on {
            found.last_mut().expect("one goes on").push_str(whole)
        } else {
            found.push(whole.to_owned())
        }
        goes_on = text.ends_with('\\');
    }
    found
}

/// Lines of a workflow or a script: `run: …`, or any line that names a command first.
fn scripted(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line = line.trim().trim_start_matches("- ").trim_start_matches("run: ").to_owned();
        (line.starts_with("cargo run") || line.starts_with("iotrial ")).then_some(line)
    };
    text.lines().filter_map(line).collect()
}

/// How many commands of iotrial the lines have; adds those that are refused.
fn check(name: &str, lines: &[String], refused: &mut Vec<String>) -> usize {
    let mut count = 0;
    for line in lines {
        for words in commands(line) {
            let Some(arguments) = of_iotrial(&words) else { continue };
            count += 1;
            let all = [&["iotrial".to_owned()], arguments].concat();
            if let Err(error) =
                Cli::try_parse_from(&all).map_err(|error| (error.use_stderr(), error.to_string()))
            {
                let (is_wrong, error) = error;
                if is_wrong {
                    refused.push(format!("{name}: {line}\n    {}", error.lines().next().unwrap_or_default()));
                }
            }
        }
    }
    count
}

#[test]
fn every_command_that_documents_and_workflows_show_is_understood() {
    let mut refused = Vec::new();
    let mut count = check("README.md", &typed(include_str!("../../../README.md")), &mut refused);
    for page in &PAGES {
        count += check(page.name, &typed(page.text), &mut refused);
    }
    let workflows = [
        ("windows.yml", include_str!("../../../.github/workflows/windows.yml")),
        ("github.yml", include_str!("../../../examples/ci/github.yml")),
        ("gitlab.yml", include_str!("../../../examples/ci/gitlab.yml")),
        ("gate.sh", include_str!("../../../examples/ci/gate.sh")),
    ];
    for (name, text) in workflows {
        count += check(name, &scripted(text), &mut refused);
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 140, "only {count} commands were found");
}

#[test]
fn every_example_in_a_help_text_is_understood() {
    fn examples(command: &mut clap::Command, found: &mut Vec<String>) {
        let help = command.render_long_help().to_string();
        let (_, behind) = help.split_once("Example").unwrap_or_default();
        // Prose has no indentation.
        let lines = behind.lines().filter_map(|line| line.strip_prefix("  "));
        let lines = lines.filter(|line| line.starts_with("iotrial "));
        found.extend(lines.map(str::to_owned));
        command.get_subcommands_mut().for_each(|below| examples(below, found));
    }
    let mut program = Cli::command();
    program.build();
    let mut found = Vec::new();
    examples(&mut program, &mut found);
    let mut refused = Vec::new();
    let count = check("help", &found, &mut refused);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 60, "only {count} examples were found");
}

#[test]
fn a_line_is_cut_into_its_commands() {
    let check = |line: &str, expected: &[&[&str]]| assert_eq!(commands(line), expected, "{line}");
    check("iotrial run   # test it", &[&["iotrial", "run"]]);
    check("iotrial label last 'a # b; c'", &[&["iotrial", "label", "last", "a # b; c"]]);
    check("A=1 iotrial config > x | tee y", &[&["iotrial", "config"], &["tee", "y"]]);
    let page = "$ iotrial run \\\n    --quiet\nprinted\n";
    assert_eq!(typed(page), ["iotrial run --quiet"]);
}
