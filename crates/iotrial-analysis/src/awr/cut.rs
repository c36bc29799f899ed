//! A report that was cut off: which sections are missing.

use iotrial_model::awr::{AwrReport, AwrSection, CutOff, WaitSide};
use iotrial_words::awr::missing_section;

/// `None` of a whole report.
pub(super) fn cut_off_of(report: &AwrReport) -> Option<CutOff> {
    let cut = report.cut.as_ref()?;
    let missing = AwrSection::ALL.iter().filter(|section| is_missing(report, **section));
    Some(CutOff {
        line: cut.line,
        after: cut.after.clone(),
        missing: missing.map(|section| missing_section(*section)).collect(),
    })
}

fn is_missing(report: &AwrReport, section: AwrSection) -> bool {
    match section {
        AwrSection::LoadProfile => report.load_profile.is_empty(),
        AwrSection::ForegroundWaits => report.waits.iter().all(|one| one.side == WaitSide::Background),
        AwrSection::BackgroundWaits => report.waits.iter().all(|one| one.side == WaitSide::Foreground),
        // Statistics are sorted by name, so that a part of them is no use without these.
        AwrSection::InstanceActivity => {
            !report.activity.iter().any(|one| one.name.starts_with("physical write total"))
        }
        AwrSection::IoByFiletype => report.io_by_file_type.is_empty(),
        AwrSection::Tablespaces => report.tablespaces.is_empty(),
        AwrSection::BufferPoolAdvisory => report.advisories.is_empty(),
        AwrSection::Parameters => report.parameters.is_empty(),
        AwrSection::Exadata => {
            report.exadata.is_none() && report.waits.iter().any(|one| one.event.starts_with("cell "))
        }
    }
}
