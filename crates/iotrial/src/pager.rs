//! Long text on a terminal: through `$PAGER` or `less`, as `git` and `cargo help` do it.

use std::io::{ErrorKind, Write as _};
use std::path::MAIN_SEPARATOR;
use std::process::{Child, Command, Stdio};

use iotrial_measure::process::catch_stop_requests;

use crate::failure::Failure;
use crate::output;

/// Taken where `$PAGER` names none.
const USUAL: &str = "less";

/// Colours as they are, and the text stays on the screen afterwards. A setting of the user goes first.
const SETTINGS_OF_LESS: (&str, &str) = ("LESS", "RX");

/// Shows text, a page at a time where it is longer than the terminal.
pub fn show(text: &str) -> Result<(), Failure> {
    match rows().filter(|rows| text.lines().count() >= *rows).and_then(|_| start()) {
        Some(pager) => {
            feed(pager, text);
            Ok(())
        }
        None => output::painted(text),
    }
}

/// The lines of the terminal, where one shows the text and can be moved in.
fn rows() -> Option<usize> {
    let size = console::Term::stdout().size_checked().filter(|_| output::takes_escapes());
    size.map(|(rows, _)| usize::from(rows))
}

/// Starts the pager; `None` where nobody wants one or there is none.
fn start() -> Option<Child> {
    let wanted = std::env::var("PAGER").unwrap_or_else(|_| USUAL.to_owned());
    let mut words = words(&wanted, MAIN_SEPARATOR).into_iter();
    // An empty `PAGER`, or `cat`, says that nobody wants one.
    let program = words.next().filter(|program| program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os(SETTINGS_OF_LESS.0).is_none() {
        command.env(SETTINGS_OF_LESS.0, SETTINGS_OF_LESS.1);
    }
    // Ctrl-C is for the pager, which goes on; without us the shell would read the keys as well.
    let _ = catch_stop_requests(|| {});
    command.spawn().ok()
}

/// The words of a command, with the quotes of a shell but without one: `less -P'page %d'` has two. Without a second quote there are none.
fn words(command: &str, separator: char) -> Vec<String> {
    // In a path of Windows, `\` quotes nothing.
    let command = if separator == '\\' { command.replace('\\', "\\\\") } else { command.to_owned() };
    shell_words::split(&command).unwrap_or_default()
}

fn feed(mut pager: Child, text: &str) {
    if let Some(mut input) = pager.stdin.take() {
        match input.write_all(output::harmless_but_colours(text).as_bytes()) {
            // Whoever has read enough leaves before the end.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                output::say!("note: cannot write to the pager: {error}");
            }
            _ => {}
        }
    }
    // How the pager ends says nothing about the page.
    let _ = pager.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_has_words_as_a_shell_takes_them() {
        assert_eq!(words("less -R  -P'page %d'", '/'), ["less", "-R", "-Ppage %d"]);
        assert_eq!(words(r#""/opt/my tools/pager" a\ b"#, '/'), ["/opt/my tools/pager", "a b"]);
        assert_eq!(words(r#""C:\Program Files\less.exe" -R"#, '\\'), [r"C:\Program Files\less.exe", "-R"]);
        // No command of a shell: nothing is substituted, and `;` ends nothing.
        assert_eq!(words("less; rm $HOME", '/'), ["less;", "rm", "$HOME"]);
        for nothing in ["", " ", "less 'a"] {
            assert_eq!(words(nothing, '/'), [""; 0], "{nothing}");
        }
    }
}
