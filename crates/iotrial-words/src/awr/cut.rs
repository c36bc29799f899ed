//! Words for a report that was cut off.

use iotrial_model::awr::{AwrSection, CutOff, MissingSection};

/// A section with what is not known without it.
pub const fn missing_section(section: AwrSection) -> MissingSection {
    let effect = match section {
        AwrSection::LoadProfile => "DB time, redo and transactions per second are not known",
        AwrSection::ForegroundWaits => {
            "it is not known what limits the database or how long its reads and commits take"
        }
        AwrSection::BackgroundWaits => "it is not known how long redo writes take",
        AwrSection::InstanceActivity => {
            "rates come from the summary at the beginning, if there is one, and single-block reads cannot be distinguished from multi-block reads"
        }
        AwrSection::IoByFiletype => {
            "redo logs, temporary files, archives and backups cannot be distinguished"
        }
        AwrSection::Tablespaces => "the I/O of each tablespace is not known",
        AwrSection::BufferPoolAdvisory => "it is not known what more memory would save",
        AwrSection::Parameters => "there are no remarks about parameters",
        AwrSection::Exadata => "the counters of the storage servers are not known",
    };
    MissingSection { section, effect }
}

/// What is wrong with the report and where, without a full stop: `is cut off in line 44`; of a gap nobody knows where.
pub fn place_of_cut(cut: &CutOff) -> String {
    match cut.after.as_str() {
        _ if cut.is_gap => "lacks a part within".to_owned(),
        "" => format!("is cut off in line {}, before its first table", cut.line),
        after => format!("is cut off in line {}, in or after “{after}”", cut.line),
    }
}

/// All of it in one sentence without a full stop.
pub fn cut_off(cut: &CutOff) -> String {
    let names: Vec<&str> = cut.missing.iter().map(|one| one.section.as_str()).collect();
    let missing = match names.as_slice() {
        [] => "later sections are missing".to_owned(),
        names => format!("missing: {}", names.join(", ")),
    };
    format!("the report {}; {missing}", place_of_cut(cut))
}
