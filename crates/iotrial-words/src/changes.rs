//! Parts of sentences about changes: lists of names, changes, and ranges of changes.

use iotrial_model::metric::{MetricGroup, StreamRange};
use iotrial_model::stream::Stream;
use iotrial_model::units::group_thousands;
use iotrial_model::words::{enumerate, in_brief};

/// Over a grid of loads hundreds of metrics may have to be named: beyond these they are only counted.
// A choice: a sentence with more names is not read.
const MOST_NAMED: usize = 12;

/// All of them, or of many the first and how many more.
pub fn names_of(words: &[String]) -> String {
    // Two fewer, so that «and N more» stands for three at least.
    if words.len() > MOST_NAMED { in_brief(words, MOST_NAMED, MOST_NAMED - 2) } else { enumerate(words) }
}

/// A change for people: `+36.9 %`, `−7.3 %`.
pub fn change(percent: f64) -> String {
    let text = group_thousands(&format!("{:.1}", percent.abs()));
    // The text decides and not the number, so that −0.04 becomes «±0.0» and never «−0.0».
    let sign = if text == "0.0" {
        "±"
    } else if percent < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text} %")
}

/// What a change makes of a latency, before what it is compared with: `6.3 % longer than`, `46 times as long as`.
pub(crate) fn as_long(percent: f64) -> String {
    let than = if percent > DOUBLED_PERCENT || is_none(percent) { "as" } else { "than" };
    format!("{} {than}", longer(percent))
}

/// The same without what it is compared with: `2.0 % shorter`, `2.4 times as long`. Above +100 % a factor says more.
pub fn longer(percent: f64) -> String {
    let factor = 1.0 + percent / 100.0;
    match percent {
        percent if percent > DOUBLED_PERCENT && factor >= 9.95 => {
            format!("{} times as long", group_thousands(&format!("{factor:.0}")))
        }
        percent if percent > DOUBLED_PERCENT => format!("{factor:.1} times as long"),
        percent if is_none(percent) => "about as long".to_owned(),
        percent => {
            let way = if percent < 0.0 { "shorter" } else { "longer" };
            format!("{:.1} % {way}", percent.abs())
        }
    }
}

/// Whether a change prints as none.
fn is_none(percent: f64) -> bool {
    percent.abs() < 0.05
}

/// The change of what takes twice as long.
const DOUBLED_PERCENT: f64 = 100.0;

/// From the least change to the largest: `+1.0 to +3.0 %`.
pub(crate) fn change_range(low_percent: f64, high_percent: f64) -> String {
    let (low, high) = (change(low_percent), change(high_percent));
    // Two changes that print alike are one.
    if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
}

/// What happens to groups of metrics: only shown changes count as an effect.
///
/// `throughput of reads +16.9 to +54.0 % and of writes +2,860.2 %, no difference shown in tail latency`; streams are not named where
/// there is one, or all of them change alike.
pub fn groups_in_words(groups: &[(MetricGroup, Vec<StreamRange>)]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut unchanged: Vec<String> = Vec::new();
    for (group, ranges) in groups {
        let together = StreamRange::alike(ranges);
        let told = together.as_ref().map_or(ranges.as_slice(), std::slice::from_ref);
        let shown =
            told.iter().filter_map(|one| Some(format!("{} {}", of_stream(*one), range_in_words(*one)?)));
        let shown: Vec<String> = shown.map(|words| words.trim_start().to_owned()).collect();
        if !shown.is_empty() {
            words.push(format!("{} {}", group.as_str(), enumerate(&shown)));
        }
        let others = told.iter().filter(|one| one.shown_percent.is_none());
        unchanged.extend(others.map(|one| format!("{}{}", group.as_str(), of_stream(*one))));
    }
    if !unchanged.is_empty() {
        words.push(format!("no difference shown in {}", names_of(&unchanged)));
    }
    words.join(", ")
}

/// `None` where no change is shown.
fn range_in_words(range: StreamRange) -> Option<String> {
    range.shown_percent.map(|(low, high)| change_range(low, high))
}

/// The I/Os of a stream: `reads`.
pub(crate) const fn ios_of(stream: Stream) -> &'static str {
    match stream {
        Stream::Read => "reads",
        Stream::Write => "writes",
        Stream::Commit => "commits",
        Stream::Mixed => "mixed I/O",
    }
}

/// ` of reads`; empty of metrics that are of no stream.
fn of_stream(range: StreamRange) -> String {
    range.stream.map_or_else(String::new, |stream| format!(" of {}", ios_of(stream)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_that_is_more_than_doubled_is_told_as_a_factor() {
        for (percent, words, with) in [
            (4_535.2, "46 times as long", "46 times as long as"),
            (150.4, "2.5 times as long", "2.5 times as long as"),
            (100.0, "100.0 % longer", "100.0 % longer than"),
            (6.3, "6.3 % longer", "6.3 % longer than"),
            (0.04, "about as long", "about as long as"),
            (-26.0, "26.0 % shorter", "26.0 % shorter than"),
            (123_456.0, "1,236 times as long", "1,236 times as long as"),
        ] {
            assert_eq!((longer(percent).as_str(), as_long(percent).as_str()), (words, with));
        }
    }

    #[test]
    fn each_stream_has_its_own_range_and_is_named_only_where_they_differ() {
        let range = |stream, shown_percent| StreamRange { stream: Some(stream), shown_percent };
        let check = |ranges: &[StreamRange], expected: &str| {
            let groups = [(MetricGroup::Throughput, ranges.to_vec())];
            assert_eq!(groups_in_words(&groups), expected);
        };
        let (reads, writes) = (Some((16.9, 54.0)), Some((200.0, 2_860.2)));
        check(&[range(Stream::Read, reads)], "throughput +16.9 to +54.0 %");
        check(
            &[range(Stream::Read, reads), range(Stream::Write, writes)],
            "throughput of reads +16.9 to +54.0 % and of writes +200.0 to +2,860.2 %",
        );
        check(&[range(Stream::Read, reads), range(Stream::Write, reads)], "throughput +16.9 to +54.0 %");
        // Alike, if not in the last digit; and not where one gains what another loses, however little that is.
        let few = |low, high| Some((low, high));
        check(
            &[
                range(Stream::Read, few(-67.3, -67.2)),
                range(Stream::Write, few(-67.4, -67.2)),
                range(Stream::Commit, few(-67.6, -67.2)),
            ],
            "throughput −67.6 to −67.2 %",
        );
        check(
            &[range(Stream::Read, few(2.0, 3.0)), range(Stream::Write, few(-4.0, -3.0))],
            "throughput of reads +2.0 to +3.0 % and of writes −4.0 to −3.0 %",
        );
        check(
            &[range(Stream::Read, reads), range(Stream::Write, None)],
            "throughput of reads +16.9 to +54.0 %, no difference shown in throughput of writes",
        );
        check(&[range(Stream::Read, None), range(Stream::Write, None)], "no difference shown in throughput");
        let of_none = StreamRange { stream: None, shown_percent: reads };
        check(&[of_none], "throughput +16.9 to +54.0 %");
        check(&[], "");
    }
}
