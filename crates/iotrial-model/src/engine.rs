//! Who carries out the I/Os, and what is known of each engine beforehand.
//!
//! Whoever wants to know something of an engine asks its [`EngineFacts`]. Only the engine crate distinguishes the kinds themselves,
//! where it opens their queues, so that a new engine is a word and a row here.

use serde::{Deserialize, Serialize};

/// Who carries out the I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Linux io_uring: rings that a few threads submit to and reap from.
    Uring,
    /// Windows completion ports: one for each of a few threads.
    Iocp,
    /// Blocking reads and writes (pread, pwrite), one thread for each outstanding I/O.
    Threads,
    /// A simulated device on a simulated clock.
    Sim,
    /// Completes at once, for measuring the generator itself.
    Null,
}

/// What the I/Os of an engine reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineDevice {
    /// The targets: they are opened, filled, read and written.
    Real,
    /// A device that is computed, on a clock of its own that only one thread can move.
    Simulated,
    /// Nothing: every I/O is done as soon as it is submitted, so that only the generator is measured.
    None,
}

/// What is known of an engine before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineFacts {
    /// The name on the command line and in the record.
    pub word: &'static str,
    /// What it is, in a few words for `--help`.
    pub meaning: &'static str,
    /// What its I/Os reach.
    pub device: EngineDevice,
    /// Whether each outstanding I/O has a thread of its own, beside those that drive the queues.
    pub thread_for_each_io: bool,
    /// Whether it can ask the devices for completions instead of waiting for their interrupts.
    pub can_poll: bool,
    /// The one operating system that has it, as [`std::env::consts::OS`] names it; `None` where all have it. It was made
    /// for that system, and is the usual engine there.
    pub only_on: Option<&'static str>,
}

impl EngineKind {
    /// The one that every operating system has.
    pub const EVERYWHERE: Self = Self::Threads;

    /// All of them, the usual ones first.
    pub const ALL: [Self; 5] = [Self::Uring, Self::Iocp, Self::Threads, Self::Sim, Self::Null];

    /// What is known of it.
    pub const fn facts(self) -> EngineFacts {
        // What most engines have in common; each row names only what sets it apart.
        let plain = EngineFacts {
            word: "",
            meaning: "",
            device: EngineDevice::Real,
            thread_for_each_io: false,
            can_poll: false,
            only_on: None,
        };
        match self {
            Self::Uring => EngineFacts {
                word: "uring",
                meaning: "Linux io_uring",
                can_poll: true,
                only_on: Some("linux"),
                ..plain
            },
            Self::Iocp => EngineFacts {
                word: "iocp",
                meaning: "Windows completion ports",
                only_on: Some("windows"),
                ..plain
            },
            Self::Threads => EngineFacts {
                word: "threads",
                meaning: "Blocking reads and writes, one thread for each outstanding I/O",
                thread_for_each_io: true,
                ..plain
            },
            Self::Sim => EngineFacts {
                word: "sim",
                meaning: "A simulated device on a simulated clock",
                device: EngineDevice::Simulated,
                ..plain
            },
            Self::Null => EngineFacts {
                word: "null",
                meaning: "Completes at once: measures the generator",
                device: EngineDevice::None,
                ..plain
            },
        }
    }

    /// The usual engine on an operating system, as [`std::env::consts::OS`] names it: the one that was made for it, or else the
    /// threads, which all have.
    pub fn usual_on(os: &str) -> Self {
        let made_for_it = Self::ALL.into_iter().find(|engine| engine.facts().only_on == Some(os));
        made_for_it.unwrap_or(Self::EVERYWHERE)
    }

    /// The engine with this name; `None` where no engine has it.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.as_str() == word)
    }

    /// The name on the command line and in the record.
    pub const fn as_str(self) -> &'static str {
        self.facts().word
    }

    /// Whether targets are opened, filled and read.
    pub const fn touches_targets(self) -> bool {
        matches!(self.facts().device, EngineDevice::Real)
    }

    /// Whether device and clock are computed.
    pub const fn is_simulated(self) -> bool {
        matches!(self.facts().device, EngineDevice::Simulated)
    }

    /// Whether something takes the I/Os, real or simulated.
    pub const fn has_device(self) -> bool {
        !matches!(self.facts().device, EngineDevice::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_written_into_a_record_by_its_word() {
        for engine in EngineKind::ALL {
            assert_eq!(serde_json::to_value(engine).unwrap(), engine.as_str());
            assert_eq!(EngineKind::of_word(engine.as_str()), Some(engine));
        }
    }

    #[test]
    fn the_usual_engine_is_the_one_made_for_the_system_or_else_the_threads() {
        assert_eq!(EngineKind::usual_on("linux"), EngineKind::Uring);
        assert_eq!(EngineKind::usual_on("windows"), EngineKind::Iocp);
        assert_eq!(EngineKind::usual_on("macos"), EngineKind::Threads);
    }
}
