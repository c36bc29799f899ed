//! How an I/O failed.

use std::fmt;

/// Why an I/O counts as failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Fewer bytes were moved than asked for: most often the file or device ends before the load does.
    Short {
        /// Bytes that were moved.
        moved: u32,
        /// Bytes that were asked for.
        asked: u32,
    },
    /// The operating system gave an error.
    Os {
        /// Its number, which means something on the host's operating system only.
        code: i32,
        /// What the operating system says of it.
        words: String,
    },
    /// What else is told only in words: an error in the record of an earlier version, a kind that a later one has.
    Other {
        /// All that is known.
        words: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { moved, asked } => write!(f, "only {moved} of {asked} bytes were moved"),
            Self::Os { words, .. } | Self::Other { words } => f.write_str(words),
        }
    }
}

/// The form in a record: the words under `first_error`, for people and for earlier versions, which know no other
/// key; the type beside them under `first_failure`.
pub(super) mod written {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Failure;

    #[derive(Serialize, Deserialize)]
    struct Keys {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_error: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_failure: Option<Kind>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Kind {
        Short {
            moved_bytes: u32,
            asked_bytes: u32,
        },
        Os {
            code: i32,
        },
        /// One that a later version writes.
        #[serde(other, skip_serializing)]
        Unknown,
    }

    pub(in crate::record) fn serialize<S: Serializer>(
        failure: &Option<Failure>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let first_failure = match failure {
            Some(Failure::Short { moved, asked }) => {
                Some(Kind::Short { moved_bytes: *moved, asked_bytes: *asked })
            }
            Some(Failure::Os { code, .. }) => Some(Kind::Os { code: *code }),
            // Words are all there is, and stand under the other key.
            Some(Failure::Other { .. }) | None => None,
        };
        let first_error = failure.as_ref().map(ToString::to_string);
        Keys { first_error, first_failure }.serialize(serializer)
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Failure>, D::Error> {
        let Keys { first_error, first_failure } = Keys::deserialize(deserializer)?;
        let failure = |kind, words: Option<String>| match kind {
            Some(Kind::Short { moved_bytes, asked_bytes }) => {
                Some(Failure::Short { moved: moved_bytes, asked: asked_bytes })
            }
            Some(Kind::Os { code }) => Some(Failure::Os { code, words: words.unwrap_or_default() }),
            Some(Kind::Unknown) => words.map(|words| Failure::Other { words }),
            None => words.map(of_words),
        };
        Ok(failure(first_failure, first_error))
    }

    /// Records before the type was written tell a short transfer by these very words. This is the only place that
    /// reads them: whoever changes the words of today does not lose the records of then.
    fn of_words(words: String) -> Failure {
        let short = || {
            let numbers = words.strip_prefix("only ")?.strip_suffix(" bytes were moved")?;
            let (moved, asked) = numbers.split_once(" of ")?;
            Some(Failure::Short { moved: moved.parse().ok()?, asked: asked.parse().ok()? })
        };
        short().unwrap_or(Failure::Other { words })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::record::OpCounts;

    const NO_SPACE: &str = "No space left on device (os error 28)";

    fn with(failure: Option<Failure>) -> OpCounts {
        OpCounts { error_count: 1, first_error: failure, ..OpCounts::default() }
    }

    #[test]
    fn a_failure_is_written_in_words_and_as_a_type_and_read_as_it_was() {
        let keys = |failure: Failure| {
            let counts = with(Some(failure));
            let written = serde_json::to_value(&counts).unwrap();
            assert_eq!(serde_json::from_value::<OpCounts>(written.clone()).unwrap(), counts);
            (written["first_error"].clone(), written.get("first_failure").cloned())
        };
        assert_eq!(
            keys(Failure::Short { moved: 512, asked: 8192 }),
            (
                json!("only 512 of 8192 bytes were moved"),
                Some(json!({ "kind": "short", "moved_bytes": 512, "asked_bytes": 8192 }))
            )
        );
        assert_eq!(
            keys(Failure::Os { code: 28, words: NO_SPACE.into() }),
            (json!(NO_SPACE), Some(json!({ "kind": "os", "code": 28 })))
        );
        assert_eq!(keys(Failure::Other { words: "it broke".into() }), (json!("it broke"), None));
        let nothing = serde_json::to_value(with(None)).unwrap();
        assert!(nothing.get("first_error").is_none() && nothing.get("first_failure").is_none());
    }

    fn read(keys: Value) -> Option<Failure> {
        let mut written = serde_json::to_value(with(None)).unwrap();
        written.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        serde_json::from_value::<OpCounts>(written).unwrap().first_error
    }

    #[test]
    fn a_record_that_tells_only_words_is_read_and_its_short_transfers_are_typed() {
        let words = |words: &str| read(json!({ "first_error": words }));
        assert_eq!(
            words("only 512 of 8192 bytes were moved"),
            Some(Failure::Short { moved: 512, asked: 8192 })
        );
        for other in ["", "only", "only 1 of bytes were moved", NO_SPACE] {
            assert_eq!(words(other), Some(Failure::Other { words: other.into() }));
        }
        assert_eq!(read(json!({})), None);
    }

    #[test]
    fn a_kind_of_failure_that_a_later_version_writes_is_read_by_its_words() {
        let later =
            json!({ "first_error": "page 7 is torn", "first_failure": { "kind": "torn", "page": 7 } });
        assert_eq!(read(later), Some(Failure::Other { words: "page 7 is torn".into() }));
    }
}
