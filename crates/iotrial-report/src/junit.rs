//! Gates as JUnit XML, which CI systems show as tests: one test case for each gate and configuration.
//!
//! There is no standard; this is the part that all readers agree on: `testsuites`, `testsuite` with its counts, `testcase` with
//! `failure` or `skipped` (the schema of the Jenkins xUnit plugin, `junit-10.xsd`).

use std::fmt::Write as _;

use iotrial_analysis::comparison::{GateOutcome, GateResult};

use crate::gates::measured;

/// The gates as a document. An undecided gate is a skipped test, with the reason, or a failure if `strict` is set.
pub fn render_junit(outcomes: &[GateOutcome], strict: bool) -> String {
    let is_failure = |outcome: &GateOutcome| {
        outcome.outcome == GateResult::Missed || (strict && outcome.outcome == GateResult::Undecided)
    };
    let failures = outcomes.iter().filter(|outcome| is_failure(outcome)).count();
    let undecided = outcomes.iter().filter(|outcome| outcome.outcome == GateResult::Undecided);
    let skipped = if strict { 0 } else { undecided.count() };
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"",
        outcomes.len()
    );
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing into a string cannot fail.
    let _ = writeln!(xml, "<testsuites>\n  <testsuite name=\"iotrial gates\" {counts}>");
    for outcome in outcomes {
        let (name, of) = (escaped(&outcome.gate), escaped(&outcome.label));
        let load =
            outcome.metric.load.as_ref().map(|load| format!(" ({})", escaped(load))).unwrap_or_default();
        let _ = write!(xml, "    <testcase name=\"{name}{load}\" classname=\"iotrial.{of}\" time=\"0\"");
        let reason = outcome.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let became = match outcome.outcome {
            GateResult::Undecided => "is undecided",
            decided => decided.as_str(),
        };
        let message = escaped(&format!("{} {became}: {}{reason}", outcome.gate, measured(outcome)));
        let key = outcome.outcome.key();
        let _ = match outcome.outcome {
            GateResult::Kept => writeln!(xml, "/>"),
            _ if is_failure(outcome) => {
                writeln!(
                    xml,
                    ">\n      <failure message=\"{message}\" type=\"{key}\">{message}</failure>\n    </testcase>"
                )
            }
            _ => writeln!(xml, ">\n      <skipped message=\"{message}\"/>\n    </testcase>"),
        };
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Text as XML 1.0 may hold it, in an attribute as in an element. Labels come from strangers' files: characters that XML does not have are
/// replaced, because a reader would refuse the whole document.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Attributes would turn these into spaces.
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            one => escaped.push(one),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use iotrial_analysis::comparison::Metric;
    use iotrial_model::figure::Figure;
    use iotrial_model::gate::Undecided;
    use iotrial_model::stream::Stream;

    use super::*;

    fn outcome(result: GateResult, label: &str) -> GateOutcome {
        GateOutcome {
            simulated: false,
            gate: "write.p99 < 2ms".to_owned(),
            configuration: "A".to_owned(),
            label: label.to_owned(),
            metric: Metric::of_figure(Stream::Write, Figure::LatencyP99),
            outcome: result,
            reason: (result == GateResult::Undecided).then(|| "the interval includes the limit".to_owned()),
            undecided: (result == GateResult::Undecided).then_some(Undecided::IncludesLimit),
            percent: None,
            interval: None,
            value: Some(2_100.0),
            value_interval: None,
        }
    }

    #[test]
    fn each_gate_is_a_test_case_and_counts_agree_with_them() {
        let outcomes = [(GateResult::Kept, "a"), (GateResult::Missed, "b"), (GateResult::Undecided, "c")]
            .map(|(one, label)| outcome(one, label));
        let xml = render_junit(&outcomes, false);
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
        assert_eq!((xml.matches("<failure ").count(), xml.matches("<skipped ").count()), (1, 1));
        assert!(
            xml.contains("<testcase name=\"write.p99 &lt; 2ms\" classname=\"iotrial.a\" time=\"0\"/>"),
            "{xml}"
        );
        assert!(xml.contains("<skipped message=\"write.p99 &lt; 2ms is undecided: 2.10 ms: the interval includes the limit\"/>"), "{xml}");
        assert!(
            xml.contains("<failure message=\"write.p99 &lt; 2ms failed: 2.10 ms\" type=\"missed\">"),
            "{xml}"
        );
        let strict = render_junit(&outcomes, true);
        assert!(strict.contains("failures=\"2\" errors=\"0\" skipped=\"0\""), "{strict}");
        assert_eq!(strict.matches("<skipped ").count(), 0, "{strict}");
    }

    #[test]
    fn a_label_of_a_stranger_stays_text() {
        let xml = render_junit(&[outcome(GateResult::Missed, "\"/><x a='\u{1}\u{7}&\n")], false);
        assert!(
            xml.contains("classname=\"iotrial.&quot;/&gt;&lt;x a=&apos;\u{fffd}\u{fffd}&amp;&#10;\""),
            "{xml}"
        );
        // Those of the declaration and of four elements, of which each has an end.
        assert_eq!(xml.matches('<').count(), 9, "{xml}");
    }
}
