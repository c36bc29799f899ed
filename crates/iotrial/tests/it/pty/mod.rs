//! A pseudo terminal: the program as somebody sees it who sits before it.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests; each file uses its part")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// So long somebody waits for words, on a machine that has little time for us.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program on a terminal of its own.
pub struct Session {
    child: Child,
    master: File,
    received: Receiver<Vec<u8>>,
    /// Everything that was written so far.
    pub raw: Vec<u8>,
    /// What was looked at already, in `raw`.
    seen: usize,
    columns: u16,
}

impl Session {
    /// Starts a program whose standard input and error are the terminal; its standard output stays as `command` has it.
    pub fn start(command: Command, columns: u16, rows: u16) -> Self {
        Self::on_terminal(command, (columns, rows), false)
    }

    /// The exit code of a program whose output is the terminal as well, and the lines that it shows in the end.
    /// Besides them those that are broken within a word.
    pub fn shown(command: Command, columns: u16, rows: u16) -> (i32, Vec<String>, Vec<String>) {
        let mut session = Self::on_terminal(command, (columns, rows), true);
        while let Ok(more) = session.received.recv_timeout(PATIENCE) {
            session.raw.extend(more);
        }
        let mut whole = screen(&String::from_utf8_lossy(&session.raw), usize::MAX);
        whole.retain(|line| {
            let edge: Vec<char> = line.chars().skip(usize::from(columns) - 1).take(2).collect();
            edge.len() == 2 && edge.iter().all(|c| c.is_alphanumeric())
        });
        let (code, _, mut lines) = session.end();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        (code, lines, whole)
    }

    fn on_terminal(mut command: Command, (columns, rows): (u16, u16), has_output: bool) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        // The terminal of the program alone: it must not become that of the tests.
        let slave = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let slave = File::from(slave);
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        if has_output {
            command.stdout(slave.try_clone().unwrap());
        }
        command.stdin(slave.try_clone().unwrap()).stderr(slave);
        let child = command.spawn().unwrap();
        // Its copies of the terminal are closed with it, or the end would never be seen.
        drop(command);
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, received) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4_096];
            // A terminal that nobody has open any more ends with an error.
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                if sender.send(piece[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, master, received, raw: Vec::new(), seen: 0, columns }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until these words are shown, behind those that were waited for before.
    #[track_caller]
    pub fn expect(&mut self, words: &str) {
        let mut from = self.seen;
        loop {
            let shown = String::from_utf8_lossy(&self.raw[from..]).into_owned();
            if let Some(at) = plain(&shown).find(words) {
                // By characters and not by place, because escapes were left out: what is behind the words is looked at again.
                self.seen = from + raw_place(&shown, at + words.len());
                return;
            }
            match self.received.recv_timeout(PATIENCE) {
                Ok(more) => self.raw.extend(more),
                Err(error) => panic!("no {words:?} ({error}) in:\n{}", plain(&shown)),
            }
            from = self.seen;
        }
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        tcsetwinsize(&self.master, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
            .unwrap();
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for the end: the code, standard output where it was a pipe, and the lines that the terminal shows.
    pub fn end(mut self) -> (i32, String, Vec<String>) {
        let mut stdout = String::new();
        if let Some(mut pipe) = self.child.stdout.take() {
            pipe.read_to_string(&mut stdout).unwrap();
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        while let Ok(more) = self.received.recv_timeout(PATIENCE) {
            self.raw.extend(more);
        }
        (code, stdout, screen(&String::from_utf8_lossy(&self.raw), usize::from(self.columns)))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text without escapes.
fn plain(text: &str) -> String {
    pieces(text).into_iter().filter_map(|(_, piece)| piece.ok()).collect()
}

/// Where in the raw text so many bytes of the plain one end.
fn raw_place(text: &str, plain_bytes: usize) -> usize {
    let mut left = plain_bytes;
    for (at, piece) in pieces(text) {
        let Ok(c) = piece else { continue };
        if left == 0 {
            return at;
        }
        left -= c.len_utf8();
    }
    text.len()
}

/// A character, or an escape with its number and its last letter.
type Piece = Result<char, (String, char)>;

/// Each piece of a text with its place.
fn pieces(text: &str) -> Vec<(usize, Piece)> {
    let mut all = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\x1b' {
            all.push((at, Ok(c)));
            continue;
        }
        if chars.peek().is_some_and(|(_, c)| *c == '[') {
            chars.next();
        }
        let mut number = String::new();
        for (_, c) in chars.by_ref() {
            if c.is_ascii_alphabetic() {
                all.push((at, Err((number, c))));
                break;
            }
            number.push(c);
        }
    }
    all
}

/// What a terminal shows of a text that moves its cursor, as far as this program does it.
pub fn screen(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0_usize, 0_usize);
    for (_, piece) in pieces(text) {
        match piece {
            Ok('\n') => {
                row += 1;
                if row == lines.len() {
                    lines.push(Vec::new());
                }
            }
            Ok('\r') => column = 0,
            Ok('\x08') => column = column.saturating_sub(1),
            Ok(c) => {
                if column >= columns {
                    (row, column) = (row + 1, 0);
                    if row == lines.len() {
                        lines.push(Vec::new());
                    }
                }
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
            Err((number, letter)) => {
                let count: usize = number.parse().unwrap_or(1);
                match letter {
                    'A' => row = row.saturating_sub(count),
                    'B' => row = (row + count).min(lines.len() - 1),
                    'C' => column += count,
                    'D' => column = column.saturating_sub(count),
                    'G' => column = count - 1,
                    'J' => {
                        lines.truncate(row + 1);
                        lines[row].truncate(column);
                    }
                    'K' if number == "2" => lines[row].clear(),
                    'K' => lines[row].truncate(column),
                    _ => {}
                }
            }
        }
    }
    lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned()).collect()
}
