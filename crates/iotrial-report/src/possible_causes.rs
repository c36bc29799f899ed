//! Settings of the host that may be why a result is too slow, next to the verdict and apart from it.

use iotrial_analysis::host_check::Weight;
use iotrial_analysis::possible_cause::PossibleCause;
use iotrial_model::host_fact::PartKind;
use iotrial_words::wanted::wanted;

use crate::document::{Block, Fact, FindingLine, Section};
use crate::host_check::listed;
use crate::quantity::Quantity;
use crate::table::Value;

/// The possible causes; absent if the result is not too slow, or if nothing is known about the host.
pub(crate) fn section(causes: &[PossibleCause]) -> Option<Section> {
    let lines: Vec<FindingLine> = causes.iter().map(line).collect();
    (!lines.is_empty()).then(|| Section {
        id: "possible-causes",
        heading: "Possible causes",
        note: Some(
            "Settings of the host that can make I/O slow, as they were before the load. Nothing here shows that one of them did: \
             change one, measure again, and compare. `iotrial check` says how to change it."
                .to_owned(),
        ),
        blocks: vec![Block::Findings(lines)],
    })
}

fn line(cause: &PossibleCause) -> FindingLine {
    let words = |name: &str, text: String| Fact {
        name: name.to_owned(),
        quantity: Quantity::Words,
        value: Value::Text(text),
    };
    let place = if cause.kind == PartKind::Host { "this host".to_owned() } else { listed(&cause.parts) };
    let evidence = vec![
        words("found", format!("{} on {place}: {}", cause.fact.title(), cause.found)),
        words("wanted", wanted(&cause.wanted)),
        words("why", cause.why.clone()),
        words("source", cause.source.clone()),
    ];
    // Whatever its weight in a check: next to a verdict it must not look like one.
    FindingLine::of_setting(&cause.rule, Weight::Info, cause.title.clone(), evidence)
}
