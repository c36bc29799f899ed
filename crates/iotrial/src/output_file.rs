//! A file that an option names for the command to write.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser as _, ValueParserFactory};

/// A file that an option names for the command to write. Every such option has this type, by which a test finds all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile(PathBuf);

impl From<PathBuf> for OutputFile {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Deref for OutputFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl ValueParserFactory for OutputFile {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}
