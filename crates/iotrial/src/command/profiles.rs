//! `iotrial profiles`: the loads that are built in.

use std::path::Path;
use std::process::ExitCode;

use iotrial_model::builtin::builtin_profiles;
use iotrial_model::content::digest_of_toml;
use iotrial_model::profile::Profile;
use iotrial_session::judged_profile::{is_file_name, load_profile};
use serde::Serialize;

use crate::cli::ProfilesArgs;
use crate::failure::Failure;
use crate::fio_job::{Asked, check_fio_args, read_fio_job};
use crate::intake::{self, Kind, Takes};
use crate::output;

const TAKES: Takes = Takes { command: "profiles", what: "a profile" };

#[derive(Serialize)]
struct Line {
    name: &'static str,
    title: String,
    /// The digest by which records name the profile.
    sha256: Option<String>,
    outstanding: u32,
    quick_size_bytes: u64,
    full_size_bytes: u64,
}

/// Lists the profiles, or prints one as it would be edited.
pub fn profiles(args: &ProfilesArgs) -> Result<ExitCode, Failure> {
    check_fio_args(args.from_fio.as_deref(), &args.fio)?;
    if let Some(job) = &args.from_fio {
        let made = read_fio_job(job, &args.fio, Asked::default())?;
        if args.json {
            output::json(&serde_json::json!({ "text": made.text, "notes": made.notes }))?;
        } else {
            output::verbatim(&made.text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = &args.name {
        if is_file_name(name) {
            intake::expect(Kind::Profile, Path::new(name), &TAKES)?;
        }
        // Loaded and not only printed: a file with mistakes is refused here, and not when it runs.
        let text = load_profile(Path::new(""), name)?.text;
        if args.json {
            let sha256 = digest_of_toml(&text);
            output::json(&serde_json::json!({ "name": name, "sha256": sha256, "text": text }))?;
        } else {
            output::verbatim(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<Line> = builtin_profiles()
        .iter()
        .map(|builtin| {
            // Parsed for the list, because title and sizes stand only in the text: there is no second table that could
            // differ from it.
            let profile = Profile::parse(builtin.text).expect("built-in profiles parse, as a test shows");
            Line {
                name: builtin.name,
                outstanding: profile.total_iodepth(),
                quick_size_bytes: profile.quick.size.get(),
                full_size_bytes: profile.full_size().get(),
                title: profile.title,
                sha256: digest_of_toml(builtin.text),
            }
        })
        .collect();
    if args.json {
        output::json(&lines)?;
    } else {
        let width = lines.iter().map(|line| line.name.len()).max().unwrap_or_default();
        let list: String =
            lines.iter().map(|line| format!("{:<width$}  {}\n", line.name, line.title)).collect();
        output::text(&list)?;
        // On standard error, so that a script can read the list line by line.
        output::lines(
            "\n`iotrial profiles NAME` prints one; `iotrial run NAME` runs it, and `iotrial run ./mine.toml` runs your own",
        );
    }
    Ok(ExitCode::SUCCESS)
}
