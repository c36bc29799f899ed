//! One module for each command.

pub mod audit;
pub mod clean;
pub mod compare;
pub mod dry_run;
pub mod generate;
pub mod import;
pub mod interview;
pub mod profiles;
pub mod records;
pub mod report;
pub mod run;
pub mod size;
pub mod study;
pub mod sweep;
pub mod target;
