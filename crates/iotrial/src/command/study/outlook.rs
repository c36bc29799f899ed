//! `iotrial study --dry-run`: the order, the time and the bytes.

use iotrial_model::study::{Configuration, Study};
use iotrial_model::units::duration_in_words;
use iotrial_session::study::Outlook;

use crate::failure::Failure;
use crate::output::{self, harmless};

/// Prints the order, the time, the bytes, and the commands that would run; `json` as one document.
pub fn print(outlook: &Outlook, study: &Study, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(&json_of(outlook, study));
    }
    let labels = |round: &[&Configuration]| {
        round.iter().map(|one| harmless(&one.label)).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("study     {}: {}\n", study.name, harmless(&study.title));
    let balance = if study.is_balanced() {
        "each configuration is equally often in each position".to_owned()
    } else {
        let here = study.rounds().first().map_or(1, Vec::len);
        let balanced = (study.repeats as usize).next_multiple_of(here);
        format!("nearly balanced (repeats = {balanced} would be fully balanced)")
    };
    // With nothing left to measure, an order would only raise the question what is to be done.
    if outlook.missing_count() > 0 {
        text.push_str(&format!("order     random, from seed {}; {balance}\n", study.seed));
        for (round, position) in study.rounds().iter().zip(1..) {
            text.push_str(&format!("  {position:>6}  {}\n", labels(round)));
        }
    }
    let elsewhere: Vec<&Configuration> = study.configurations.iter().filter(|one| one.elsewhere).collect();
    if !elsewhere.is_empty() {
        text.push_str(&format!("elsewhere {}\n", labels(&elsewhere)));
    }
    text.push_str(&format!(
        "time      {} for {} measurements, plus the creation of test files\n",
        duration_in_words(outlook.duration()),
        outlook.missing_count()
    ));
    // Laying out anew each time is what takes longest on large volumes, so that it is said beside the bytes.
    let again = if study.load.keep_files { "once for each configuration" } else { "for each measurement" };
    text.push_str(&format!(
        "writes    {} of test files in total, created {again}, plus whatever the jobs write\n\n",
        outlook.would_write(study)
    ));
    for load in &outlook.loads {
        text.push_str(&format!(
            "{}, {}: {} times {}, each creates {} of test files{}\n",
            harmless(&load.label),
            harmless(&load.profile),
            load.missing_count,
            duration_in_words(load.duration),
            load.would_write_bytes,
            if load.looked_at { "" } else { "; its targets are checked after its `before` command" }
        ));
        text.extend(load.targets.iter().map(|target| format!("  {}\n", harmless(target))));
        text.extend(load.notes.iter().map(|note| format!("  note: {}\n", harmless(note))));
    }
    // The commands stand last and whole, because they are what must be read before `--yes`.
    for configuration in &study.configurations {
        for (when, command) in [("before", &configuration.before), ("after", &configuration.after)] {
            let label = harmless(&configuration.label);
            text.extend(command.iter().map(|command| format!("{when} {label}: {}\n", harmless(command))));
        }
        for (name, command) in &configuration.metric_commands {
            text.push_str(&format!("{name} of {}: {}\n", harmless(&configuration.label), harmless(command)));
        }
    }
    text.push_str("\nnothing was written\n");
    output::text(&text)
}

fn json_of(outlook: &Outlook, study: &Study) -> serde_json::Value {
    let rounds: Vec<Vec<&str>> =
        study.rounds().iter().map(|round| round.iter().map(|one| one.label.as_str()).collect()).collect();
    let elsewhere: Vec<&str> =
        study.configurations.iter().filter(|one| one.elsewhere).map(|one| one.label.as_str()).collect();
    serde_json::json!({
        "study": study.name,
        "title": study.title,
        "seed": study.seed,
        "rounds": rounds,
        "is_balanced": study.is_balanced(),
        "elsewhere": elsewhere,
        "missing_count": outlook.missing_count(),
        "duration_s": outlook.duration().as_secs_f64(),
        "would_write_bytes": outlook.would_write(study),
        "loads": outlook.loads,
    })
}
