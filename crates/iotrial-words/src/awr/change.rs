//! Words for one job before and after its storage was changed.

use iotrial_model::awr::{AwrFigure, ChangeCaution, ChangeOutcome, ReportSide};

use crate::numbers::number_in_words;

/// Did the new storage help?
pub const fn change_headline(outcome: ChangeOutcome) -> &'static str {
    match outcome {
        ChangeOutcome::Faster => "The new storage helped",
        ChangeOutcome::FasterWithoutGain => {
            "The new storage is faster, but the job did not gain: something else limits it"
        }
        ChangeOutcome::FasterGainOpen => "The new storage is faster; whether the job gained is open",
        ChangeOutcome::Slower => "The new storage is slower",
        ChangeOutcome::Mixed => "The new storage is faster in one respect and slower in another",
        ChangeOutcome::Same => "The new storage makes no difference",
        ChangeOutcome::LoadExplains => "Open: the load differs, and may be the reason for the change",
        ChangeOutcome::SameTime => {
            "Open: both reports are of one database at the same time, so nothing was changed between them"
        }
        ChangeOutcome::Unknown => "Open: the reports do not have enough waits for storage to compare the two",
    }
}

/// A mean wait before and after, in microseconds.
pub fn judged_latency(figure: AwrFigure, before_us: f64, after_us: f64) -> String {
    let what = match figure {
        AwrFigure::SingleBlockReadUs => "a single-block read",
        AwrFigure::RedoWriteUs => "a write of redo",
        other => other.title(),
    };
    format!("{what} takes {:.2} ms instead of {:.2} ms on average", after_us / 1e3, before_us / 1e3)
}

/// DB time of a transaction before and after, in milliseconds.
pub fn db_time_of_transaction(before_ms: f64, after_ms: f64) -> String {
    let [before, after] = [before_ms, after_ms].map(number_in_words);
    format!("a transaction takes {after} ms of DB time instead of {before} ms")
}

const fn report(side: ReportSide) -> &'static str {
    match side {
        ReportSide::Before => "the first report",
        ReportSide::After => "the second report",
    }
}

/// Without a full stop.
pub fn change_caution(caution: &ChangeCaution) -> String {
    let number = |value: &f64| number_in_words(*value);
    match caution {
        ChangeCaution::Databases(before, after) => {
            format!("the reports are of different databases: {before} and {after}")
        }
        ChangeCaution::OtherInstances(before, after) => format!(
            "the reports are of different instances of the database: {before} before and {after} after"
        ),
        ChangeCaution::Releases(before, after) => format!(
            "Oracle is {before} before and {after} after: execution plans may differ, so compare the mean waits first"
        ),
        ChangeCaution::Earlier => {
            "the second report is earlier than the first: give the report from before the change first"
                .to_owned()
        }
        ChangeCaution::CutOff(side) => {
            format!("{} is not whole: what it lacks is not compared", report(*side))
        }
        ChangeCaution::Restarted(side) => {
            format!("an instance was started within {}, so its rates are too low", report(*side))
        }
        ChangeCaution::Instances(before, after) => format!(
            "the reports have different numbers of instances: {before} before, {after} after, so rates are not comparable"
        ),
        ChangeCaution::Elapsed(before, after) => format!(
            "the reports cover {} and {} minutes: averages of a longer interval hide more of its busy minutes, unless each covers exactly the job",
            number(&(before / 60.0)),
            number(&(after / 60.0))
        ),
        ChangeCaution::Load(figure, before, after) => format!(
            "the load differs: {} {} per second before, {} after; waits grow with the load, so compare the figures per transaction",
            number(before),
            match figure {
                AwrFigure::Requests => "I/O requests",
                other => other.title(),
            },
            number(after)
        ),
        ChangeCaution::ReadsPerTransaction(before, after) => format!(
            "a transaction makes {} read requests before and {} after: caches, execution plans or the job changed too",
            number(before),
            number(after)
        ),
        ChangeCaution::Memory(before, after) => format!(
            "SGA and PGA have {} GiB before and {} GiB after: a larger cache saves reads on any storage",
            number(&(before / 1024.0)),
            number(&(after / 1024.0))
        ),
        ChangeCaution::Cpus(before, after) => {
            format!(
                "the host has {before:.0} CPUs before and {after:.0} after: part of the change may be theirs"
            )
        }
        ChangeCaution::CpuShort(side) => format!(
            "sessions waited for a CPU in {}: waits for storage then include waiting for a CPU",
            report(*side)
        ),
    }
}
