//! Options of `config`.

use clap::Args;

/// Options of `config`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # which of your own defaults apply here, and where they are set
  iotrial config
  # a file to begin with
  iotrial config --example > ~/.config/iotrial/config.toml
  iotrial config --json | jq '.settings[] | select(.source)'

The command line overrides variables (IOTRIAL_TARGET, …), variables override ./iotrial.toml, and that overrides the file in your home directory. \
`iotrial docs configuration` describes every key.")]
pub struct ConfigArgs {
    /// Print a commented file with every setting.
    #[arg(long, conflicts_with = "json")]
    pub example: bool,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}
