//! `iotrial target DEVICE`: what is on a raw device, and the token that gives it up.

use std::path::PathBuf;
use std::process::ExitCode;

use iotrial_engine::target::{DeviceReport, Obstacle, Signature, inspect_device};
use iotrial_model::units::ByteSize;

use crate::cli::TargetArgs;
use crate::failure::Failure;
use crate::store::Store;

/// The list of signatures goes on in `--json`.
const MOST_SIGNATURES_SHOWN: usize = 12;

/// Shows a device; writes nothing.
pub fn target(args: &TargetArgs) -> Result<ExitCode, Failure> {
    let protected: Vec<PathBuf> = Store::locate(args.store.store.as_deref()).into_iter().collect();
    let report = inspect_device(&args.device, &protected).map_err(|error| {
        let hint = error.hint();
        Failure::execution(error).hint(hint)
    })?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json(&report)).expect("a report is plain data"));
    } else {
        print(&report);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(report: &DeviceReport) {
    let or_unknown =
        |text: &Option<String>| text.clone().unwrap_or_else(|| "not told by the device".to_owned());
    println!("device      {} ({})", report.path.display(), report.name);
    println!("model       {}", or_unknown(&report.model));
    println!("serial      {}", or_unknown(&report.serial));
    println!("size        {} ({} bytes), sectors of {}", report.size, report.size.get(), report.sector_size);
    let content = &report.content;
    let sampled = ByteSize::bytes(content.sampled_bytes);
    match content.first_used_offset {
        Some(first) => {
            let used = ByteSize::bytes(content.used_bytes);
            println!(
                "content     DATA: {used} of the {sampled} looked at are not zero, first at byte {first}"
            );
        }
        None => println!("content     none seen: the {sampled} looked at are zero"),
    }
    for (position, signature) in report.signatures.iter().take(MOST_SIGNATURES_SHOWN).enumerate() {
        let head = if position == 0 { "signatures" } else { "" };
        println!("{head:<11} {} at byte {}", signature.name, signature.offset);
    }
    if let Some(more @ 1..) = report.signatures.len().checked_sub(MOST_SIGNATURES_SHOWN) {
        println!("            and {more} more");
    }
    for note in &report.notes {
        println!("note        {note}");
    }
    println!();
    match &report.token {
        Some(token) => {
            println!("Nothing stands against writing to it. Whatever it holds would be lost:\n");
            println!("  iotrial run --target {} --destroy {token}\n", report.path.display());
            println!("The token is for this host, this device and this content, and for nothing else.");
        }
        None => {
            println!("It is never written, with any token:");
            for obstacle in &report.obstacles {
                println!("  - {obstacle}");
            }
        }
    }
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
        "notes": report.notes,
        "token": report.token,
    })
}
