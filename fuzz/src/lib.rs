//! What a command does with what it has read, so that a target ends where the command would: at the last page that is shown.

pub mod mutate_json;
pub mod show;
