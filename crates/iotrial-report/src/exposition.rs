//! What Prometheus reads: text exposition format 0.0.4.
//!
//! Sums wherever possible: a reader who asks every fifteen seconds loses nothing that happened in between, and `rate()` expects sums that
//! begin at zero again after a restart.

mod disks;
mod load;

use std::fmt::{Display, Write as _};

pub use disks::{DiskExposition, ExposedDisk};
pub use load::LoadExposition;

/// The media type of the text.
pub const EXPOSITION_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A metric: name, type, and what it is.
pub type Metric = (&'static str, &'static str, &'static str);

/// All metrics that are served, of disks that are watched and of a load that is made.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    disks::METRICS.iter().chain(load::METRICS)
}

/// The text as it grows: each metric once, with all of its samples.
#[derive(Default)]
struct Exposed(String);

impl Exposed {
    /// Writes help and type of the metric whose samples follow.
    fn metric(&mut self, (name, kind, about): Metric) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    /// A value of a metric; `labels` as [`labels`] writes them.
    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }
}

/// Names with their values, as in the braces.
fn labels(pairs: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| format!("{name}=\"{}\"", escaped(value));
    pairs.iter().map(one).collect::<Vec<_>>().join(",")
}

/// A value of a label: only these three need it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The rules of the format: help and type come once and before the samples, and a sample is a name, labels and a number.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
fn check_format(text: &str, metrics: &[Metric]) {
    assert!(text.ends_with('\n'));
    let mut typed: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(typed.iter().all(|(one, _)| one != name), "{line}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            typed.push((name.to_owned(), kind.to_owned()));
            continue;
        }
        if line.starts_with("# HELP ") {
            continue;
        }
        let name = line.split(['{', ' ']).next().unwrap();
        let (of, kind) = typed.last().unwrap();
        let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
        assert!(suffixes.iter().any(|suffix| *name == format!("{of}{suffix}")), "{line}");
        assert!(line.rsplit_once(' ').unwrap().1.parse::<f64>().is_ok(), "{line}");
    }
    let names: Vec<&str> = metrics.iter().map(|(name, ..)| *name).collect();
    assert_eq!(typed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
}
