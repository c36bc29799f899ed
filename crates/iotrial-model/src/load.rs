//! The words for a load: role, pattern, durability. A profile asks with them, a plan decides with
//! them, a record repeats them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A small closed set of words, each with one spelling in profiles, records and tables.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in the order in which tables show them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling that is used everywhere.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// What a job stands for in the database. Latency is judged by role.
    Role {
        /// Data files: random page reads and writes.
        Data = "data",
        /// Temporary space: sorts, hashes, version store.
        Tempdb = "tempdb",
        /// The transaction log (redo, WAL): sequential writes that commits wait for.
        Log = "log",
        /// Large sequential reads: table scans, read-ahead.
        Scan = "scan",
        /// Backup and restore streams.
        Backup = "backup",
    }
}

words! {
    /// How offsets follow one another.
    Pattern {
        /// Uniform over the working set, block aligned, with repetition.
        Random = "random",
        /// One block after the other, starting anew at the end. Every copy of a job has its own part.
        Sequential = "sequential",
    }
}

words! {
    /// How the I/Os of an open load follow one another.
    Spacing {
        /// Evenly.
        Uniform = "uniform",
        /// At random and independently of each other, as requests of many users do.
        Poisson = "poisson",
    }
}

words! {
    /// When a write counts as done.
    Durability {
        /// When the operating system reports it complete.
        None = "none",
        /// When it is on stable storage: each write carries FUA or is followed by a flush in the kernel
        /// (`RWF_DSYNC` on Linux, write-through on Windows). Its latency is the commit latency.
        Dsync = "dsync",
    }
}

/// One of the two directions of an I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the target.
    #[default]
    Read,
    /// To the target.
    Write,
}

impl Direction {
    /// Both, in the order in which tables show them.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}
