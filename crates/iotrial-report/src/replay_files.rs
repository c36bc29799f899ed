//! The load as a profile, and its latencies as the threshold set that judges it: two files that are handed on together.

use std::fmt::Write as _;

use iotrial_analysis::awr::{QUICK_SIZE, Replay, ReplayStream};
use iotrial_analysis::threshold::THRESHOLDS_FORMAT;
use iotrial_model::load::{Direction, Role};
use iotrial_model::profile::PROFILE_FORMAT;
use iotrial_model::units::ByteSize;
use iotrial_words::awr as words;

/// The profile. `thresholds` is the file of [`thresholds_toml`] as the profile names it; without limits the profile is
/// judged by the set `flash`.
// As text and not through a serializer, because every line carries a comment with its origin.
pub fn profile_toml(replay: &Replay, thresholds: &str) -> String {
    let source = words::rates_of(&replay.source);
    let name = format!("{}-replay", plain_name(&replay.database));
    let mut text = introduction(replay, &source);
    let set = if replay.limits.is_empty() { "flash" } else { thresholds };
    let _ = write!(
        text,
        "format = \"{PROFILE_FORMAT}\"\nname = {}\ntitle = {}\nrationale = {}\nsource = {}\nthresholds = {}\n",
        quoted(&name),
        quoted(&format!("{}: the I/O of its AWR reports", replay.database)),
        quoted(
            "single-block, multi-block, temporary, copied and redo I/O, each at its reported rate and mean size"
        ),
        quoted(&source),
        quoted(set),
    );
    let quick_s = replay.quick_s;
    let _ = write!(
        text,
        "\n[schedule]\nramp = \"30s\"\nduration = \"{}s\"\n\n# The same rates in less time and space, for as long as the rarest judged I/O needs.\n[quick]\nsize = {}\nramp = \"5s\"\nduration = \"{quick_s}s\"\n",
        replay.full_s(),
        quoted(&QUICK_SIZE.to_string()),
    );
    replay.streams.iter().for_each(|stream| push_job(&mut text, stream));
    text
}

/// The comment at the beginning of a profile.
fn introduction(replay: &Replay, source: &str) -> String {
    let mut text = format!(
        "# The I/O of {} as a load: the streams of its AWR reports, at their rates.\n# {}\n",
        one_line(&replay.database),
        one_line(source)
    );
    if (replay.scale - 1.0).abs() > f64::EPSILON {
        let _ = writeln!(text, "# All rates times {}.", replay.scale);
    }
    text.push_str(
        "#\n# Requests and bytes per second of each stream are those of the reports: where a mean size is not a power of two, two sizes\n\
         # are mixed to give that mean. Reports do not say how much is stored or which part of it is hot: put the sizes of your\n\
         # files, and a `distribution` where you know it. `iotrial docs awr` says how streams are told apart.\n",
    );
    let doubts = replay.doubts.iter().map(words::series_note);
    let notes: Vec<String> = replay.notes.iter().map(words::replay_note).chain(doubts).collect();
    if !notes.is_empty() {
        text.push_str("#\n# What to know:\n");
        for note in notes {
            let _ = writeln!(text, "# - {}", one_line(&note));
        }
    }
    text
}

/// The threshold set; `None` where the reports have no latency to compare with.
pub fn thresholds_toml(replay: &Replay) -> Option<String> {
    if replay.limits.is_empty() {
        return None;
    }
    let source = words::rates_of(&replay.source);
    let name = format!("{}-reported", plain_name(&replay.database));
    let mut text = format!(
        "# The latencies of {} in its AWR reports, for the profile beside this file: storage is good enough when it is not slower.\n# {}\n",
        one_line(&replay.database),
        one_line(&source)
    );
    text.push_str(
        "#\n# Reports have only means, so tails are not judged. Waits that overlap several I/Os (direct path, smart scans, `db file parallel write`)\n\
         # are not latencies of storage, and have no limit here.\n",
    );
    let _ = write!(
        text,
        "format = \"{THRESHOLDS_FORMAT}\"\nname = {}\ntitle = {}\n\n[meaning]\n\
         acceptable = {{ impact = \"its waits are no longer than reported\", suitable_for = \"this database at its reported latencies\" }}\n\
         poor = {{ impact = \"its waits are longer than reported\", suitable_for = \"this database where it may become slower\" }}\n",
        quoted(&name),
        quoted(&format!("{}: the latencies of its AWR reports", replay.database)),
    );
    for limit in &replay.limits {
        let _ = write!(
            text,
            "\n[[bands]]\nroles = [\"{}\"]\nstreams = [\"{}\"]\nsource = {}\nmean = {{ acceptable_below = \"{}us\" }}\n",
            limit.role,
            limit.stream.as_str(),
            quoted(&words::figure_origin(&limit.origin)),
            // Bands are half open, and what is as fast as reported has to pass.
            limit.mean_us.floor() + 1.0
        );
    }
    Some(text)
}

fn push_job(text: &mut String, stream: &ReplayStream) {
    let (outstanding, copies) = (stream.outstanding(), stream.copies());
    let sizes = match stream.sizes.as_slice() {
        [(size, _)] => format!("block_size = {}", quoted(&size_text(*size))),
        several => {
            let share = |(size, weight): &(u64, u32)| {
                format!("{{ size = {}, weight = {weight} }}", quoted(&size_text(*size)))
            };
            format!("block_sizes = [{}]", several.iter().map(share).collect::<Vec<_>>().join(", "))
        }
    };
    let mean_kib = stream.mib_per_s * 1024.0 / stream.iops;
    let is_read = stream.direction == Direction::Read;
    let mut lines = vec![
        (format!("name = {}", quoted(stream.name)), words::figure_origin(&stream.origin)),
        (format!("role = \"{}\"", stream.role), role_words(stream.role).to_owned()),
        (format!("pattern = \"{}\"", stream.pattern), String::new()),
        (format!("rwmix_read_percent = {}", if is_read { 100 } else { 0 }), String::new()),
        (sizes, format!("mean {mean_kib:.2} KiB: {:.3} MiB/s by the rate", stream.mib_per_s)),
        (
            format!("rate = \"{:.4} iops\"", stream.iops),
            "open load: I/Os arrive however slow the storage is".to_owned(),
        ),
        ("spacing = \"poisson\"".to_owned(), "sessions do not wait for each other".to_owned()),
        (
            format!("iodepth = {}", outstanding.div_ceil(copies)),
            format!("room for {:.0} ms at this rate", 1e3 * f64::from(outstanding) / stream.iops),
        ),
        (format!("numjobs = {copies}"), String::new()),
    ];
    if stream.role == Role::Log {
        lines.push((
            "durability = \"dsync\"".to_owned(),
            "LGWR waits until its write is on stable storage".to_owned(),
        ));
    }
    lines.push((format!("size = {}", quoted(&stream.file_size().to_string())), "a choice".to_owned()));
    text.push_str("\n[[job]]\n");
    for (line, origin) in lines {
        let origin = one_line(&origin);
        let _ = if origin.is_empty() {
            writeln!(text, "{line}")
        } else {
            writeln!(text, "{line:<40}  # {origin}")
        };
    }
}

const fn role_words(role: Role) -> &'static str {
    match role {
        Role::Data => "data files",
        Role::Scan => "data files too; judged apart, because a large request takes longer",
        Role::Tempdb => "temporary files",
        Role::Log => "redo logs",
        Role::Backup => "archived logs, backups and dumps",
    }
}

fn size_text(bytes: u64) -> String {
    ByteSize::bytes(bytes).to_string()
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// A comment ends with its line, and a stranger's name must not begin another one.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Letters, digits and `-` of a name.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let plain: String = words.join("-").chars().take(40).collect();
    if plain.is_empty() { "database".to_owned() } else { plain }
}

#[cfg(test)]
mod tests;
