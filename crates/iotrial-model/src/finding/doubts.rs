//! What puts in doubt that a load shows the limit of its device.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::FindingId;
use crate::words::enumerate;

/// Findings by which something else than the device may have been the limit of a load. In text their ids, with commas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Doubts(Vec<Doubt>);

/// A finding as a doubt, by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Doubt {
    Known(FindingId),
    /// Of a version that makes other findings. Kept and not left out: without it, a load that failed under a doubt would become one
    /// that the device failed for certain.
    Other(String),
}

impl Doubts {
    /// Whether the load is beyond doubt.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is one of them.
    pub fn contains(&self, id: FindingId) -> bool {
        self.0.contains(&Doubt::Known(id))
    }

    /// What was found, for a sentence: `the generator was short of CPU and others used the devices`.
    pub fn in_words(&self) -> String {
        let mut words: Vec<&str> = self.0.iter().map(Doubt::in_words).collect();
        words.dedup();
        enumerate(&words)
    }

    /// Those that are left where what the generator did is known to change nothing.
    #[must_use]
    pub fn without_generator(self) -> Self {
        Self(self.0.into_iter().filter(|doubt| !doubt.is_of_generator()).collect())
    }

    /// The doubts of several loads, each once, by name.
    pub fn of_all<'d>(all: impl IntoIterator<Item = &'d Self>) -> Self {
        let mut doubts: Vec<Doubt> = all.into_iter().flat_map(|one| one.0.iter().cloned()).collect();
        doubts.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        doubts.dedup();
        Self(doubts)
    }
}

impl FromIterator<FindingId> for Doubts {
    fn from_iter<I: IntoIterator<Item = FindingId>>(ids: I) -> Self {
        Self(ids.into_iter().map(Doubt::Known).collect())
    }
}

impl fmt::Display for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, doubt) in self.0.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{}", doubt.as_str())?;
        }
        Ok(())
    }
}

impl Doubt {
    const fn is_of_generator(&self) -> bool {
        matches!(self, Self::Known(FindingId::GeneratorBusy | FindingId::LateIssues))
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Known(id) => id.as_str(),
            Self::Other(word) => word,
        }
    }

    fn in_words(&self) -> &str {
        match self {
            Self::Known(FindingId::GeneratorBusy) => "the generator was short of CPU",
            Self::Known(FindingId::LateIssues) => "I/Os were issued late",
            Self::Known(FindingId::ForeignLoad) => "something else used the devices",
            other => other.as_str(),
        }
    }
}

impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Doubt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(FindingId::from_word(&word).map_or(Self::Other(word), Self::Known))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_written_as_they_are_read_and_one_of_a_newer_version_stays_a_doubt() {
        let text = r#"["late-issues","steal-held","foreign-load"]"#;
        let doubts: Doubts = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&doubts).unwrap(), text);
        assert_eq!(doubts.to_string(), "late-issues, steal-held, foreign-load");
        let newer: Doubts = serde_json::from_str(r#"["steal-held"]"#).unwrap();
        assert_eq!(
            doubts.in_words(),
            "I/Os were issued late, steal-held and something else used the devices"
        );
        assert!(!newer.is_empty() && Doubts::default().is_empty());
        let known: Doubts = [FindingId::LateIssues, FindingId::GeneratorBusy].into_iter().collect();
        let all = Doubts::of_all([&doubts, &known, &newer]);
        assert_eq!(all.to_string(), "foreign-load, generator-busy, late-issues, steal-held");
    }
}
