//! One kind of I/O and its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::load::Pattern;
use crate::units::{ByteSize, ParseQuantityError};

/// No I/O of a sweep is larger.
const LARGEST_BLOCK: ByteSize = ByteSize::mib(64);

/// One kind of I/O, named as in fio with its block size: `randread-8k`, `write-64k`, `randrw70-8k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LoadPattern {
    /// How offsets follow one another.
    pub order: Pattern,
    /// Share of reads: 0 is all writes, 100 is all reads.
    pub rwmix_read_percent: u8,
    /// Size of every I/O.
    pub block_size: ByteSize,
}

/// Why a text is not a [`LoadPattern`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParsePatternError {
    /// There is no block size behind a hyphen.
    #[error("the pattern `{text}` has no block size")]
    NoBlockSize {
        /// What was given.
        text: String,
    },
    /// The part before the hyphen is not one of ours.
    #[error("the pattern `{text}` begins with `{word}`, which is not one of {PATTERN_WORDS}")]
    UnknownWord {
        /// What was given.
        text: String,
        /// Its first part.
        word: String,
    },
    /// The block size cannot be read.
    #[error("the pattern `{text}` has no valid block size")]
    Size {
        /// What was given.
        text: String,
        /// What is wrong with the part after the hyphen.
        #[source]
        source: ParseQuantityError,
    },
    /// The block size is none that a device takes.
    #[error("the block size of `{text}` must be a multiple of 512 bytes up to 64 MiB")]
    Block {
        /// What was given.
        text: String,
    },
}

/// The words that [`LoadPattern`] understands, as listed in error messages.
pub const PATTERN_WORDS: &str = "randread, randwrite, randrw, read, write, rw";

impl LoadPattern {
    /// Whether any of its I/Os is a write.
    pub const fn writes(&self) -> bool {
        self.rwmix_read_percent < 100
    }

    /// The name without the block size.
    fn word(&self) -> String {
        let random = if self.order == Pattern::Random { "rand" } else { "" };
        match self.rwmix_read_percent {
            0 => format!("{random}write"),
            50 => format!("{random}rw"),
            100 => format!("{random}read"),
            percent => format!("{random}rw{percent}"),
        }
    }
}

impl fmt::Display for LoadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In the largest unit that holds it exactly, so that a name read back is the same pattern.
        let bytes = self.block_size.get();
        let size = match bytes {
            _ if bytes.is_multiple_of(1 << 20) => format!("{}m", bytes >> 20),
            _ if bytes.is_multiple_of(1 << 10) => format!("{}k", bytes >> 10),
            _ => format!("{bytes}b"),
        };
        f.pad(&format!("{}-{size}", self.word()))
    }
}

impl FromStr for LoadPattern {
    type Err = ParsePatternError;

    fn from_str(text: &str) -> Result<Self, ParsePatternError> {
        let whole = || text.to_owned();
        let (word, size) =
            text.split_once('-').ok_or_else(|| ParsePatternError::NoBlockSize { text: whole() })?;
        let unknown = || ParsePatternError::UnknownWord { text: whole(), word: word.to_owned() };
        let (order, direction) = match word.strip_prefix("rand") {
            Some(direction) => (Pattern::Random, direction),
            None => (Pattern::Sequential, word),
        };
        let rwmix_read_percent = match direction {
            "read" => 100,
            "write" => 0,
            "rw" => 50,
            mix => {
                let percent: u8 =
                    mix.strip_prefix("rw").and_then(|percent| percent.parse().ok()).ok_or_else(unknown)?;
                if percent > 100 {
                    return Err(unknown());
                }
                percent
            }
        };
        let block_size: ByteSize =
            size.parse().map_err(|source| ParsePatternError::Size { text: whole(), source })?;
        if block_size.get() == 0 || !block_size.get().is_multiple_of(512) || block_size > LARGEST_BLOCK {
            return Err(ParsePatternError::Block { text: whole() });
        }
        Ok(Self { order, rwmix_read_percent, block_size })
    }
}

impl TryFrom<String> for LoadPattern {
    type Error = ParsePatternError;

    fn try_from(text: String) -> Result<Self, ParsePatternError> {
        text.parse()
    }
}

impl From<LoadPattern> for String {
    fn from(pattern: LoadPattern) -> Self {
        pattern.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_written_as_it_is_read() {
        for text in
            ["randread-8k", "randwrite-4k", "read-512k", "write-1m", "randrw-8k", "randrw70-16k", "rw-512b"]
        {
            let pattern: LoadPattern = text.parse().unwrap();
            assert_eq!(pattern.to_string(), text);
        }
        let pattern: LoadPattern = "randrw70-8KiB".parse().unwrap();
        assert_eq!((pattern.rwmix_read_percent, pattern.order), (70, Pattern::Random));
        assert_eq!(pattern.to_string(), "randrw70-8k");
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_part_that_is_wrong() {
        let check = |text: &str, message: &str| {
            let told = text.parse::<LoadPattern>().unwrap_err().to_string();
            assert!(told.contains(message), "{text}: {told}");
        };
        check("randread", "has no block size");
        check("randrea-8k", "begins with `randrea`, which is not one of randread, randwrite");
        check("randrw170-8k", "begins with `randrw170`");
        check("read-8", "no valid block size");
        check("read-1000b", "multiple of 512 bytes");
        check("read-0k", "multiple of 512 bytes");
        check("read-128m", "up to 64 MiB");
    }
}
