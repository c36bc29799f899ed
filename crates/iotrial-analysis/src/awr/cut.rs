//! A report that was cut off: which sections are missing.

use iotrial_model::awr::{AwrReport, AwrSection, CutOff};
use iotrial_words::awr::missing_section;

/// `None` of a whole report.
pub(super) fn cut_off_of(report: &AwrReport) -> Option<CutOff> {
    let cut = report.cut.as_ref()?;
    let missing = AwrSection::ALL.iter().filter(|section| report.lacks(**section));
    Some(CutOff {
        line: cut.line,
        after: cut.after.clone(),
        is_gap: cut.is_gap,
        missing: missing.map(|section| missing_section(*section)).collect(),
    })
}
