//! What the user sees when something cannot be done: the error, its causes, a hint, an exit code.

use std::fmt;
use std::process::ExitCode;

use iotrial_session::fault::{Fault, explained, on_one_line};

/// An error on its way to the terminal.
#[derive(Debug)]
pub struct Failure {
    error: anyhow::Error,
    hint: Option<String>,
    kind: Kind,
}

/// Which exit code it deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// 2: the command line or a file given on it is wrong.
    Input,
    /// 3: it could not be carried out.
    Execution,
}

/// It was begun and not carried out.
pub const NOT_CARRIED_OUT: u8 = 3;

/// The user stopped it, before it began or before its end: as a shell reports a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;

/// The run is done, but the storage is not qualified.
pub const NOT_QUALIFIED: u8 = 1;

/// The run is done, and whether the storage is good enough cannot be said.
pub const INCONCLUSIVE: u8 = 4;

/// Imported, but some files could not be read.
pub const NOT_ALL_READ: u8 = 1;

/// A gate failed.
pub const GATE_MISSED: u8 = 1;

/// Audited, but something contradicts itself.
pub const CONTRADICTED: u8 = 1;

impl Failure {
    /// Wrong usage or input.
    pub fn input(error: impl Into<anyhow::Error>) -> Self {
        Self { error: error.into(), hint: None, kind: Kind::Input }
    }

    /// It could not be carried out.
    pub fn execution(error: impl Into<anyhow::Error>) -> Self {
        Self { error: error.into(), hint: None, kind: Kind::Execution }
    }

    /// With what the reader can do.
    pub fn hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// With what the reader can do, where nothing better is known.
    pub fn or_hint(self, hint: String) -> Self {
        Self { hint: self.hint.or(Some(hint)), ..self }
    }

    /// With what it was about.
    pub fn context(self, about: impl fmt::Display + Send + Sync + 'static) -> Self {
        Self { error: self.error.context(about), ..self }
    }

    /// The error and its causes on one line.
    pub fn reason(&self) -> String {
        on_one_line(&*self.error)
    }

    /// What the reader can do, where that is known.
    pub fn into_hint(self) -> Option<String> {
        self.hint
    }

    /// Whether there was no space for what was to be written.
    fn is_of_full_disk(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        let of_system = |error: &&(dyn std::error::Error + 'static)| {
            error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|one| matches!(one.kind(), StorageFull | QuotaExceeded))
        };
        self.error.chain().any(|error| of_system(&error))
    }

    /// 2 or 3.
    pub fn exit_code(&self) -> ExitCode {
        // 1 is missing on purpose: it is a verdict, and never an error.
        ExitCode::from(match self.kind {
            Kind::Input => 2,
            Kind::Execution => NOT_CARRIED_OUT,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same layout as that of a session, so that nobody can tell by the look where an error arose.
        let full = self.is_of_full_disk().then_some("free space there, or write to another volume");
        f.write_str(&explained(&*self.error, self.hint.as_deref().or(full)))
    }
}

/// What a session cannot do: whoever asked for something wrong gets another exit code than a host that cannot.
impl<E: Fault> From<E> for Failure {
    fn from(error: E) -> Self {
        // Asked before the error moves into the failure, which keeps only its text and its causes.
        let (is_of_input, hint) = (error.is_of_input(), error.hint());
        let failure = if is_of_input { Self::input(error) } else { Self::execution(error) };
        failure.hint(hint)
    }
}
