//! Options of `config`.

use clap::Args;

/// Options of `config`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # which defaults apply here, and which file or variable sets them
  iotrial config
  # a file to start from
  iotrial config --example > ~/.config/iotrial/config.toml
  iotrial config --json | jq '.settings[] | select(.source)'

`iotrial docs configuration` describes every key. The command line overrides variables (IOTRIAL_TARGET, …), variables \
override ./iotrial.toml, and that overrides ~/.config/iotrial/config.toml (on Windows %APPDATA%\\iotrial\\config.toml).")]
pub struct ConfigArgs {
    /// Print a commented file with every setting.
    #[arg(long, conflicts_with = "json")]
    pub example: bool,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}
