//! The client program of a database's administrator, kept open: statements go in, rows come out.
//!
//! It finds server and credentials as it always does. No password passes through here.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use iotrial_model::database::{DatabaseKind, END, row};

use super::LOOK_EVERY;
use crate::shell_command;

/// A client that has not answered by then is given up: statistics take milliseconds.
const DEADLINE: Duration = Duration::from_secs(10);
/// A connection that cannot be made is noticed before that.
const CONNECT_TIMEOUT: &str = "8";
/// Lines of statistics are shorter.
const MOST_LINE: u64 = 4_096;
/// Of what a client complains about, the first part says what is wrong.
const MOST_COMPLAINTS: u64 = 2_048;

/// How a client is reached.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// The database.
    pub kind: DatabaseKind,
    /// As the client takes it: for `psql` a connection string, for `mysql` options; `None` leaves all to the client.
    pub connect: Option<String>,
}

impl ClientRequest {
    /// The names of the program, the first that is there.
    const fn programs(&self) -> &'static [&'static str] {
        match self.kind {
            DatabaseKind::Postgres => &["psql"],
            DatabaseKind::Mysql => &["mariadb", "mysql"],
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = match self.kind {
            // Neither habits of the user nor prompts; rows alone, their cells parted by tabs; the first error ends it.
            DatabaseKind::Postgres => {
                ["-X", "-w", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"].map(OsString::from).into()
            }
            DatabaseKind::Mysql => Vec::new(),
        };
        match (self.kind, &self.connect) {
            (_, None) => {}
            (DatabaseKind::Postgres, Some(connect)) => arguments.extend(["-d".into(), connect.into()]),
            // `mysql` takes files of options only as the first.
            (DatabaseKind::Mysql, Some(connect)) => {
                arguments.extend(connect.split_whitespace().map(|pair| format!("--{pair}").into()));
            }
        }
        if self.kind == DatabaseKind::Mysql {
            let timeout = format!("--connect-timeout={CONNECT_TIMEOUT}");
            arguments.extend(
                ["--batch", "--raw", "--skip-column-names", "--unbuffered", &timeout].map(OsString::from),
            );
        }
        arguments
    }
}

/// Why a client does not answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It is not there, or cannot be started.
    #[error("cannot start `{program}`, the client of {}", kind.title())]
    Start {
        /// Its name.
        program: &'static str,
        /// The database that it is the client of.
        kind: DatabaseKind,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
    /// It ended: the server refused it, or a statement.
    #[error("`{program}` ended{}{said}", if said.is_empty() { " without a word" } else { ": " })]
    Ended {
        /// Its name.
        program: &'static str,
        /// The database that it is the client of.
        kind: DatabaseKind,
        /// What it printed on standard error.
        said: String,
    },
    /// It does not answer.
    #[error("`{program}` did not answer within {} s", deadline.as_secs())]
    Silent {
        /// Its name.
        program: &'static str,
        /// How long it was waited for.
        deadline: Duration,
    },
}

impl ClientError {
    /// What the reader can do.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Start { program, .. } => {
                format!("install it, or put the folder of `{program}` on the PATH; without --database iotrial watches driver and devices")
            }
            Self::Ended { kind: DatabaseKind::Postgres, .. } => {
                "iotrial asks as `psql` does: make `psql -d CONNINFO -c 'SELECT 1'` work in this shell; a password belongs into ~/.pgpass"
                    .to_owned()
            }
            Self::Ended { kind: DatabaseKind::Mysql, .. } => {
                "iotrial asks as `mysql` does: make `mysql -e 'SELECT 1'` work in this shell; a password belongs into ~/.my.cnf"
                    .to_owned()
            }
            Self::Silent { .. } => "the server may be overloaded or stopped: try the client by hand".to_owned(),
        }
    }
}

/// Rows of an answer, and when it was whole.
pub(super) struct ClientAnswer {
    pub(super) at: Instant,
    pub(super) rows: Vec<(String, String)>,
}

/// A client that runs.
pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    answers: mpsc::Receiver<ClientAnswer>,
    complaints: Arc<Mutex<String>>,
    program: &'static str,
    kind: DatabaseKind,
    /// When it was asked what it has not answered yet.
    asked: Option<Instant>,
    /// An answer that takes longer does not come.
    deadline: Duration,
}

impl Client {
    /// Starts it; whether it reaches its server, the first answer says.
    pub(super) fn start(request: &ClientRequest) -> Result<Self, ClientError> {
        let (kind, mut failed) = (request.kind, None);
        for program in request.programs() {
            let words = std::iter::once(OsString::from(program)).chain(request.arguments());
            match spawn(&words.collect::<Vec<_>>()) {
                Ok(child) => return Ok(Self::of(child, program, kind)),
                Err(source) => failed = failed.or(Some(ClientError::Start { program, kind, source })),
            }
        }
        Err(failed.expect("every database has a client"))
    }

    fn of(mut child: Child, program: &'static str, kind: DatabaseKind) -> Self {
        let input = child.stdin.take().expect("its input is a pipe");
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let (sender, answers) = mpsc::channel();
        let complaints = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&complaints);
        // Without a thread the sender is gone, and the client is taken for one that ended.
        let _ = std::thread::Builder::new().spawn(move || {
            // Standard error first: when the answers end, it is known why.
            let listener = errors.map(|errors| std::thread::spawn(move || listen(errors, &heard)));
            if let Some(output) = output {
                read_answers(output, &sender);
            }
            if let Some(listener) = listener {
                let _ = listener.join();
            }
        });
        Self { child, input, answers, complaints, program, kind, asked: None, deadline: DEADLINE }
    }

    /// Asks, unless it still owes an answer. What cannot be written is noticed when the answer is waited for.
    pub(super) fn ask(&mut self, statement: &str) {
        if self.asked.is_none() {
            self.asked = Some(Instant::now());
            let _ = self.input.write_all(statement.as_bytes()).and_then(|()| self.input.flush());
        }
    }

    /// An answer that came.
    pub(super) fn poll(&mut self) -> Result<Option<ClientAnswer>, ClientError> {
        match self.answers.try_recv() {
            Ok(answer) => {
                self.asked = None;
                Ok(Some(answer))
            }
            Err(TryRecvError::Disconnected) => {
                let said = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
                // The first line says what is wrong.
                let said =
                    said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
                Err(ClientError::Ended { program: self.program, kind: self.kind, said })
            }
            Err(TryRecvError::Empty) if self.asked.is_some_and(|asked| asked.elapsed() >= self.deadline) => {
                Err(ClientError::Silent { program: self.program, deadline: self.deadline })
            }
            Err(TryRecvError::Empty) => Ok(None),
        }
    }

    /// Asks and waits; `None` where `gives_up` says so before the answer.
    pub(super) fn answer(
        &mut self,
        statement: &str,
        gives_up: impl Fn() -> bool,
    ) -> Result<Option<ClientAnswer>, ClientError> {
        let mut is_asked = false;
        loop {
            // An answer that it owed is none to this question.
            if self.asked.is_none() && !is_asked {
                self.ask(statement);
                is_asked = true;
            }
            match self.poll()? {
                Some(answer) if is_asked => return Ok(Some(answer)),
                None if gives_up() => return Ok(None),
                _ => std::thread::sleep(LOOK_EVERY),
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may hang on a server that does not answer.
        shell_command::end(&mut self.child);
        let _ = self.child.wait();
    }
}

fn spawn(words: &[OsString]) -> io::Result<Child> {
    let mut command = shell_command::program(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("PGAPPNAME", "iotrial");
    if std::env::var_os("PGCONNECT_TIMEOUT").is_none() {
        command.env("PGCONNECT_TIMEOUT", CONNECT_TIMEOUT);
    }
    command.spawn()
}

/// Hands over each answer when its last line is there.
fn read_answers(output: impl Read, sender: &mpsc::Sender<ClientAnswer>) {
    let mut reader = BufReader::new(output);
    let (mut line, mut rows) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        match (&mut reader).take(MOST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        match row(text.trim_end_matches(['\n', '\r'])) {
            Some((name, _)) if name == END => {
                let answer = ClientAnswer { at: Instant::now(), rows: std::mem::take(&mut rows) };
                if sender.send(answer).is_err() {
                    return;
                }
            }
            Some(row) => rows.push(row),
            None => {}
        }
    }
}

/// Keeps the beginning of what it complains about, and reads the rest, so that the client does not wait for it.
fn listen(mut errors: impl Read, heard: &Mutex<String>) {
    let mut text = Vec::new();
    let _ = errors.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut text);
    *heard.lock().unwrap_or_else(PoisonError::into_inner) = String::from_utf8_lossy(&text).into_owned();
    let _ = io::copy(&mut errors, &mut io::sink());
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// A client that a shell plays.
    fn played(script: &str) -> Client {
        let words = ["sh", "-c", script].map(OsString::from);
        Client::of(spawn(&words).unwrap(), "psql", DatabaseKind::Postgres)
    }

    #[test]
    fn each_question_has_the_answer_that_came_for_it_and_what_is_no_row_is_passed_over() {
        let mut client = played(
            r"n=0; while read -r question; do n=$((n + 1)); printf 'NOTICE\nasked\t%s\nnumber\t%s\niotrial_end\t\n' $question $n; done",
        );
        client.ask("owed\n");
        let answer = client.answer("commits\n", || false).unwrap().unwrap();
        let row = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(answer.rows, [row("asked", "commits"), row("number", "2")]);
        assert!(client.answer("again\n", || false).unwrap().is_some());
    }

    #[test]
    fn a_client_that_ends_says_why_and_one_that_is_silent_is_given_up() {
        let mut refused =
            played("echo 'psql: error: no such server' >&2; echo '  Is it running?' >&2; exit 2");
        let error = refused.answer("SELECT 1;\n", || false).err().unwrap();
        assert!(matches!(&error, ClientError::Ended { said, .. } if said == "psql: error: no such server"));
        let mut silent = played("exec cat > /dev/null");
        silent.deadline = Duration::ZERO;
        let error = silent.answer("SELECT 1;\n", || false).err().unwrap();
        assert!(matches!(error, ClientError::Silent { .. }));
        let mut stopped = played("exec cat > /dev/null");
        assert!(stopped.answer("SELECT 1;\n", || true).unwrap().is_none());
    }

    #[test]
    fn a_client_is_started_without_habits_and_prompts_and_with_the_connection_as_it_was_given() {
        let arguments = |kind, connect: &str| {
            ClientRequest { kind, connect: Some(connect.to_owned()) }
                .arguments()
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect::<Vec<_>>()
        };
        let psql = arguments(DatabaseKind::Postgres, "host=/run dbname=a");
        assert!(["-X", "-w"].iter().all(|word| psql.contains(&(*word).to_owned())));
        assert_eq!(&psql[psql.len() - 2..], ["-d", "host=/run dbname=a"]);
        let mysql = arguments(DatabaseKind::Mysql, "defaults-file=/a socket=/b");
        assert_eq!(&mysql[..2], ["--defaults-file=/a", "--socket=/b"]);
    }
}
