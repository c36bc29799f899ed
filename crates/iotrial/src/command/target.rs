//! `iotrial target DEVICE`: what is on a raw device, and the token that gives it up.

use std::path::PathBuf;
use std::process::ExitCode;

use iotrial_engine::targets::{DeviceReport, Obstacle, Signature, inspect_device};
use iotrial_model::units::ByteSize;
use iotrial_session::store::Store;

use crate::cli::TargetArgs;
use crate::failure::Failure;
use crate::output::{self, harmless};
use crate::shell_line;

/// The list of signatures goes on in `--json`.
const MOST_SIGNATURES_SHOWN: usize = 12;

/// Shows a device; writes nothing.
pub fn target(args: &TargetArgs) -> Result<ExitCode, Failure> {
    // The device that holds the records is never released; the store is only looked up, never made.
    let protected: Vec<PathBuf> = Store::locate(args.store.place().as_deref()).into_iter().collect();
    let report = inspect_device(&args.device, &protected).map_err(|error| {
        let (is_of_input, hint) = (error.is_of_input(), error.hint());
        let failure = if is_of_input { Failure::input(error) } else { Failure::execution(error) };
        failure.hint(hint)
    })?;
    if args.json {
        output::json(&json(&report))?;
    } else {
        output::text(&text(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(report: &DeviceReport) -> String {
    let mut lines = Vec::new();
    let or_unknown =
        |text: &Option<String>| text.clone().unwrap_or_else(|| "not reported by the device".to_owned());
    lines.push(format!("device      {} ({})", report.path.display(), report.name));
    lines.push(format!("model       {}", or_unknown(&report.model)));
    lines.push(format!("serial      {}", or_unknown(&report.serial)));
    lines.push(format!(
        "size        {} ({} bytes), sectors of {}",
        report.size,
        report.size.get(),
        report.sector_size
    ));
    let content = &report.content;
    let sampled = ByteSize::bytes(content.sampled_bytes);
    match content.first_used_offset {
        Some(first) => {
            let used = ByteSize::bytes(content.used_bytes);
            lines.push(format!(
                "content     DATA: {used} of the {sampled} sampled are not zero, first at byte {first}"
            ));
        }
        None => lines.push(format!("content     no data found: all {sampled} sampled are zero")),
    }
    // A damaged disk may look like dozens of file systems; the first few say that it is not empty.
    for (position, signature) in report.signatures.iter().take(MOST_SIGNATURES_SHOWN).enumerate() {
        let head = if position == 0 { "signatures" } else { "" };
        lines.push(format!("{head:<11} {} at byte {}", signature.name, signature.offset));
    }
    if let Some(more @ 1..) = report.signatures.len().checked_sub(MOST_SIGNATURES_SHOWN) {
        lines.push(format!("            and {more} more"));
    }
    lines.push(String::new());
    match &report.token {
        // The command is printed ready to be pasted: a token that is typed by hand is typed wrong.
        Some(token) => {
            lines.push("This device can be overwritten. All data on it will be lost:".to_owned());
            let target = shell_line::option("--target", &report.path.to_string_lossy());
            lines.push(String::new());
            lines.push(format!("  iotrial run {target} --destroy {token}"));
            lines.push(String::new());
            lines.push(
                "The token is for this host, this device and this content, and for nothing else.".to_owned(),
            );
        }
        // All obstacles at once: who removes one and asks again would meet the next.
        None => {
            lines.push("iotrial never writes to this device, whatever the token:".to_owned());
            for obstacle in &report.obstacles {
                lines.push(format!("  - {obstacle}"));
            }
        }
    }
    // Names of processes, mount points and file systems are anybody's.
    lines.iter().map(|line| harmless(line) + "\n").collect()
}

fn json(report: &DeviceReport) -> serde_json::Value {
    let obstacle = |one: &Obstacle| serde_json::json!({ "id": one.id(), "message": one.to_string() });
    let signature = |one: &Signature| serde_json::json!({ "name": one.name, "offset_bytes": one.offset });
    serde_json::json!({
        "path": report.path,
        "name": report.name,
        "model": report.model,
        "serial": report.serial,
        "size_bytes": report.size,
        "sector_size_bytes": report.sector_size,
        "contains_data": report.content.contains_data(),
        "sampled_bytes": report.content.sampled_bytes,
        "used_bytes": report.content.used_bytes,
        "signatures": report.signatures.iter().map(signature).collect::<Vec<_>>(),
        "obstacles": report.obstacles.iter().map(obstacle).collect::<Vec<_>>(),
        "token": report.token,
    })
}
