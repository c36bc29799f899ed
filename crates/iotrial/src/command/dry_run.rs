//! `run --dry-run`: every decision, before anything is done.

use std::time::Duration;

use iotrial_analysis::findings::shared_disks;
use iotrial_analysis::rate_search::RateSearch;
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::need::Need;
use iotrial_model::plan::{AreaKind, Plan};
use iotrial_model::record::{Layout, TargetRecord};
use iotrial_model::units::duration_in_words;
use iotrial_session::setup::Setup;
use serde::Serialize;

use iotrial_words::finding::message;

use crate::failure::Failure;
use crate::output;
use crate::presentation::aligned;

/// What `--dry-run --json` prints: the plan as it would stand in the record, and what the layout would do.
#[derive(Serialize)]
struct JsonPlan<'p> {
    would_write_bytes: u64,
    would_reuse_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<JsonSearch>,
    /// As they would stand in the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<&'p TargetRecord>,
    #[serde(flatten)]
    plan: &'p Plan,
}

/// What would be searched for.
#[derive(Serialize)]
struct JsonSearch {
    limit: SearchLimit,
    #[serde(skip_serializing_if = "Option::is_none")]
    need: Option<Need>,
    /// The whole run at most, layout and repeats included.
    most_s: f64,
}

/// Prints the plan: bytes to write, time, targets, every job, and what would be searched for.
pub fn print(setup: &Setup, json: bool) -> Result<(), Failure> {
    let Setup { layout, search, .. } = setup;
    let targets = setup.targets();
    let search = search.as_ref();
    // The record of a search is that of its long load, which has more slots and another ramp than the closed load of the profile.
    let plan = &search.map_or_else(|| setup.plan.clone(), RateSearch::long_load);
    // The plan as it would stand in the record, so that a script reads both by the same keys.
    if json {
        return output::json(&JsonPlan {
            would_write_bytes: layout.written.get(),
            would_reuse_bytes: layout.reused.get(),
            search: search.map(|search| JsonSearch {
                limit: search.search().limit.clone(),
                need: search.search().need.clone(),
                most_s: search.whole_time(setup.expected_layout_time()).as_secs_f64(),
            }),
            targets: targets.iter().collect(),
            plan,
        });
    }
    let whole = search.map(|search| (search, search.whole_time(setup.expected_layout_time())));
    let mut text = head(plan, layout, whole);
    // Known before anything is measured, and what most tests are set up to avoid.
    for found in shared_disks(&targets) {
        text.push_str(&format!("{}\n", wrapped("note      ", &message(&found))));
    }
    text.push('\n');
    text.push_str(&aligned(&areas(plan, &targets), &[2], &[]));
    text.push('\n');
    text.push_str(&aligned(&jobs(plan), &[3, 4, 5, 6, 8], &[]));
    // Below the table and not in it: most jobs have none, and a column for them would widen every row.
    for job in plan.jobs.iter().filter(|job| !job.particulars(plan).is_empty()) {
        let particulars = job.particulars(plan).join("; ");
        text.push_str(&format!("{}\n", wrapped(&format!("{}: ", job.name), &particulars)));
    }
    text.push_str(&format!("\n{} I/Os outstanding in all; nothing was written\n", plan.total_iodepth()));
    output::text(&text)
}

/// What is below a word of the head.
const INDENT: &str = "          ";

/// Lines are no longer.
const WIDTH: usize = 80;

/// Text of anybody behind a word, cut between words where it would be too long, and further lines below its beginning.
fn wrapped(head: &str, text: &str) -> String {
    let text = output::harmless(text);
    let mut lines = String::from(head);
    let mut column = head.chars().count();
    let indent = column.min(INDENT.len());
    for (position, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if position > 0 && column + 1 + width > WIDTH {
            lines += &format!("\n{:indent$}", "");
            column = indent;
        } else if position > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

/// `search` with the time that the whole run takes at most.
fn head(plan: &Plan, layout: &Layout, search: Option<(&RateSearch, Duration)>) -> String {
    let form = if plan.quick { "quick" } else { "full" };
    let access = match (plan.direct, plan.polled) {
        (true, true) => "direct I/O, polled",
        (true, false) => "direct I/O",
        (false, _) => "through the page cache",
    };
    let threads = plan.threads;
    let priority =
        if plan.priority.is_normal() { String::new() } else { format!(", priority {}", plan.priority) };
    let mut lines = vec![
        format!("profile   {} ({form})", output::harmless(&plan.profile)),
        format!(
            "engine    {}, {access}, seed {}, threads: {threads}{priority}",
            plan.engine.as_str(),
            plan.seed
        ),
    ];
    lines.extend(plan.engine_reason.iter().map(|reason| format!("{INDENT}{}", output::harmless(reason))));
    let phases: Vec<String> = plan
        .phases
        .iter()
        .map(|phase| format!("{} {}", phase.kind.as_str(), duration_in_words(phase.duration)))
        .collect();
    // A run until it is steady ends when the device has settled; only the longest time is known.
    let at_most = if plan.until_steady.is_some() { "at most " } else { "" };
    let of_load =
        if search.is_some() { " for the longest load" } else { " after the test files are created" };
    lines.push(format!(
        "time      {at_most}{}{of_load}: {}",
        duration_in_words(plan.duration()),
        phases.join(", ")
    ));
    for (number, (step, begin)) in (1..).zip(plan.steps.iter().zip(plan.step_borders())) {
        let judged = if step.judged { "" } else { ", not judged" };
        let (begin, length) = (duration_in_words(begin), duration_in_words(step.duration));
        let label = output::harmless(&step.label(number));
        lines.push(format!("{INDENT}{label} from {begin} on for {length}{judged}"));
    }
    lines.extend(plan.until_steady.map(|until| {
        let (round, window) = (duration_in_words(until.round), duration_in_words(until.window()));
        format!("          measures until five rounds of {round} are steady; the figures are those of that {window}")
    }));
    let of_need = search.filter(|(search, _)| search.has_staircase());
    lines.extend(of_need.and_then(|(search, whole)| {
        let need = search.search().need.as_ref()?;
        Some(format!(
            "steps     shares of {}, in the mix of a short closed load before them;\n{INDENT}everything together takes {} at most",
            need.in_words(),
            duration_in_words(whole_seconds(whole))
        ))
    }));
    lines.extend(search.filter(|(search, _)| !search.has_staircase()).map(|(search, whole)| {
        let within = search.search().limit.in_words();
        let what = search.search().need.as_ref().map_or_else(
            || format!("the highest rate within {within}"),
            |need| format!("whether {} stay within {within}, and with how much headroom", need.in_words()),
        );
        format!(
            "search    {what}:\n{INDENT}a closed load of {} finds the rate at saturation, then loads at given rates\n{INDENT}follow; the plan below is that of the longest one. Everything together takes\n{INDENT}{} at most, including creating the files and repeating doubtful loads",
            duration_in_words(search.time_of_closed_load()),
            duration_in_words(whole_seconds(whole))
        )
    }));
    lines.push(format!("writes    {} of test files, plus what the jobs write", layout.written));
    if layout.reused.get() > 0 {
        lines.push(format!("reuses    {} of an earlier run", layout.reused));
    }
    // What was decided otherwise than asked is said last, where a reader of the head still sees it.
    lines.extend(plan.notes.iter().map(|note| wrapped("note      ", note)));
    lines.join("\n") + "\n"
}

/// Nobody plans in less.
fn whole_seconds(time: Duration) -> Duration {
    Duration::from_secs((time + Duration::from_millis(500)).as_secs())
}

/// Which role lies in which file, and the file on which device.
fn areas(plan: &Plan, targets: &[TargetRecord]) -> Vec<Vec<String>> {
    let mut rows = vec![["role", "file or device", "size", "kind", "disk"].map(str::to_owned).to_vec()];
    rows.extend(plan.areas.iter().enumerate().map(|(index, area)| {
        let kind = match area.kind {
            AreaKind::ManagedFile => "test file",
            AreaKind::GivenFile => "given",
            AreaKind::DeviceRead => "read only",
            AreaKind::DeviceDestroy => "DESTROYED",
            AreaKind::Imagined => "simulated",
        };
        let roles: Vec<String> = plan.roles_of(index).iter().map(ToString::to_string).collect();
        let target = targets.iter().find(|target| target.holds(area));
        let on: Vec<&str> = target.iter().flat_map(|target| target.nearest_devices()).collect();
        vec![
            roles.join(", "),
            output::harmless(&area.path.to_string_lossy()),
            area.length.to_string(),
            kind.to_owned(),
            output::harmless(&on.join(", ")),
        ]
    }));
    rows
}

fn jobs(plan: &Plan) -> Vec<Vec<String>> {
    let head = ["job", "role", "pattern", "read%", "block", "numjobs", "iodepth", "durability", "files"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(plan.jobs.iter().map(|job| {
        vec![
            job.name.clone(),
            job.role.to_string(),
            job.pattern.to_string(),
            job.rwmix_read_percent.to_string(),
            job.block_size.unit().to_string(),
            job.numjobs.to_string(),
            job.iodepth.to_string(),
            job.durability.to_string(),
            job.areas.len().to_string(),
        ]
    }));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_a_narrow_terminal_and_no_word_is_lost() {
        let text = "0.25 I/Os for each read of sql-data; 8 KiB 87.5 %, 64 KiB 12.5 %; group commit: 700 B a commit, writes of up to 60 KiB";
        for head in ["note      ", "a-job-with-a-long-name: "] {
            let lines = wrapped(head, text);
            assert!(lines.lines().count() > 1 && lines.lines().all(|line| line.chars().count() <= WIDTH));
            let words: Vec<&str> = lines.split_whitespace().collect();
            assert_eq!(words, format!("{head}{text}").split_whitespace().collect::<Vec<_>>());
        }
    }
}
