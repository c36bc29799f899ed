//! One document, shown as terminal text, HTML, XLSX, Markdown and CSV.
//!
//! A [`document::Document`] holds everything that is said, in reading order, as typed blocks. It decides which
//! figures appear; a renderer chooses only unit and rounding, so no two of them can disagree. Nothing
//! here touches a file, the clock or the environment.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

mod quantity;
pub mod table;
pub mod chart;
mod finding_line;
mod front;
pub mod document;
pub mod text;
mod stated;
mod figure_rows;
mod steps;
mod brief;
mod settings;
mod proposals;
mod host_check;
mod possible_causes;
mod search;
mod heat;
mod curves;
mod result;
mod runs;
mod comparison;
pub mod gates;
pub mod junit;
mod audit;
pub mod awr;
pub mod replay_files;
mod verification;
mod crash;
mod watch;
mod database_run;
mod capture;
pub mod exposition;
pub mod sweep;
mod pools;
mod explanation;
mod counted;
mod year_plan;
mod side_by_side;
pub mod order;
mod sizing;
pub mod json_form;
pub mod catalogs;
mod calendar;
mod ruler;
mod svg;
mod style_hash;
pub mod svg_files;
pub mod html;
pub mod terminal;
pub mod markdown;
pub mod csv;
pub mod xlsx;
