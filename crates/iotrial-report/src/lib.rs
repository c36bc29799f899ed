//! One document, shown as terminal text and HTML.

#![forbid(unsafe_code)]
