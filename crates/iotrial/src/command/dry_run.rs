//! `run --dry-run`: every decision, before anything is done.

use iotrial_model::plan::{AreaKind, Plan};
use iotrial_model::units::format_duration;

/// Prints the plan: bytes to write, time, targets, every job.
pub fn print(plan: &Plan, json: bool) {
    if json {
        println!("{}", serde_json::to_string_pretty(plan).expect("a plan is plain data"));
        return;
    }
    let form = if plan.quick { "quick" } else { "full" };
    println!("profile   {} ({form})", plan.profile);
    let access = if plan.direct { "direct I/O" } else { "through the page cache" };
    let threads = plan.threads;
    println!("engine    {}, {access}, {threads} threads, seed {}", plan.engine.as_str(), plan.seed);
    if let Some(reason) = &plan.engine_reason {
        println!("          {reason}");
    }
    let phases: Vec<String> = plan
        .phases
        .iter()
        .map(|phase| format!("{} {}", phase.kind.as_str(), format_duration(phase.duration)))
        .collect();
    println!("time      {} after the layout: {}", format_duration(plan.duration()), phases.join(", "));
    println!("writes    {} before the load, and what the jobs write", plan.bytes_to_lay_out());
    for note in &plan.notes {
        println!("note      {note}");
    }
    println!("\n{:<34} {:>12} {:>12}", "file or device", "data", "");
    for area in &plan.areas {
        let kind = match area.kind {
            AreaKind::ManagedFile => "made",
            AreaKind::GivenFile => "used",
            AreaKind::DeviceRead => "read only",
            AreaKind::DeviceDestroy => "DESTROYED",
        };
        println!("{:<34} {:>12} {kind:>12}", area.path.display(), area.length.to_string());
    }
    println!(
        "\n{:<16} {:<7} {:<10} {:>5} {:>8} {:>7} {:>7} {:>10} files",
        "job", "role", "pattern", "read%", "block", "numjobs", "iodepth", "durability"
    );
    for job in &plan.jobs {
        println!(
            "{:<16} {:<7} {:<10} {:>5} {:>8} {:>7} {:>7} {:>10} {}",
            job.name,
            job.role,
            job.pattern,
            job.rwmix_read_percent,
            job.block_size.to_string(),
            job.numjobs,
            job.iodepth,
            job.durability,
            job.areas.len()
        );
    }
    println!("\n{} I/Os outstanding in all; nothing was written", plan.total_iodepth());
}
