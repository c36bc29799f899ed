//! The most likely cause of what does not agree.

use iotrial_model::audit::{AuditFinding, Cause, Compared, Conflict, UnitMistake, Witness};
use iotrial_model::stream::Stream;

use super::figures::rate_in_words;
use crate::stated::write_range;

pub(super) fn in_words(finding: &AuditFinding) -> String {
    match finding.cause {
        Cause::Usual => usual(&finding.conflict).to_owned(),
        Cause::Unit(mistake) => of_unit(mistake).to_owned(),
        Cause::WrongBandwidth => {
            "the bytes over the runtime agree with the IOPS, so the MiB/s were changed or come from another run".to_owned()
        }
        Cause::WrongIops(witness) => {
            let witnesses = match witness {
                Witness::CountAndBytes => "count and bytes over the runtime agree",
                Witness::Count => "the count over the runtime agrees",
                Witness::Bytes => "the bytes over the runtime agree",
                Witness::LittlesLaw => "Little's law (mean latency and outstanding I/Os) agrees",
            };
            format!("{witnesses} with the MiB/s, so the IOPS were changed or come from another run")
        }
        Cause::WrongBlockSize => {
            "the count agrees with the IOPS and the bytes with the MiB/s, so the stated block size is not the one that ran".to_owned()
        }
        Cause::BandwidthOfOne(stream) => format!("the MiB/s are of the {stream}s alone, the IOPS of both"),
        Cause::IopsOfOne(stream) => format!("the IOPS are of the {stream}s alone, the MiB/s of both"),
        Cause::OtherBlockSize(size) => {
            format!("the I/Os were of {size}, or their size was changed after the text was written")
        }
        Cause::SeveralSizes(bytes) => {
            format!("the figures combine I/Os of several sizes: {} B on average", write_range(bytes))
        }
        Cause::DifferentRuns(bytes) => format!(
            "the figures come from different runs, times or directions: they would fit I/Os of {} B",
            write_range(bytes)
        ),
        Cause::WrongTotal(rate) => {
            format!("the other figures agree with {}, not with the total", rate_in_words(rate))
        }
        Cause::WrongRate(rate) => {
            format!("the other figures agree with the total, not with {}", rate_in_words(rate))
        }
        Cause::WrongRuntime => {
            "rates agree with rates and totals with totals, so the runtime is wrong".to_owned()
        }
        Cause::DifferentTimes(seconds) => format!(
            "the total and the rate cover different times, such as a ramp or only a part of the run: the total would fit {} s",
            write_range(seconds)
        ),
        Cause::OnlyWrong(stream) => {
            let (consistent, wrong) = match stream {
                Stream::Read => ("writes and for both", "reads"),
                Stream::Write => ("reads and for both", "writes"),
                Stream::Commit | Stream::Mixed => ("reads and for writes", "both"),
            };
            format!("the figures for {consistent} are consistent, those for {wrong} are not")
        }
        Cause::NotWeighted => {
            "the means of reads and writes were averaged as if there were as many of each".to_owned()
        }
        Cause::ShortIos => {
            "I/Os were short, for example beyond the end of the file or device, or one of the counts was changed".to_owned()
        }
        Cause::DirectionsSwapped => "reads and writes were swapped".to_owned(),
        Cause::PercentilesSwapped => {
            "reads and writes were swapped: the mean of each fits the percentiles of the other".to_owned()
        }
        Cause::NoSubmissionTimes => {
            "with `sqthread_poll` a kernel thread submits, and fio does not note when: its completion latencies and their percentiles are meaningless".to_owned()
        }
        Cause::LittlesLawWithTotal => littles_law("the total latency"),
        Cause::LittlesLawWithParts => littles_law("the parts"),
        Cause::SparseFile => {
            "the file was sparse or never written, so there were no blocks to read".to_owned()
        }
        Cause::ChangeReversed => "the change was computed the other way round".to_owned(),
    }
}

fn littles_law(borne_out: &str) -> String {
    format!(
        "Little's law agrees with {borne_out}, so the other figure comes from another run, has another unit, or was changed"
    )
}

const fn of_unit(mistake: UnitMistake) -> &'static str {
    match mistake {
        UnitMistake::MbAsMib => "MB/s, of 1,000,000 bytes, are printed as MiB/s, of 1,048,576",
        UnitMistake::MibAsMb => "MiB/s, of 1,048,576 bytes, are printed as MB/s, of 1,000,000",
        UnitMistake::ThousandsTimesKib => {
            "thousands of I/Os were multiplied by KiB: k is 1,000 in one and 1,024 in the other"
        }
        UnitMistake::GibTimesThousand => "GiB/s were converted to MiB/s by 1,000 instead of 1,024",
        UnitMistake::MegabitsAsMib => "megabits are printed as MiB",
        UnitMistake::KibAsMib => "KiB/s are printed as MiB/s",
        UnitMistake::GibAsMib => "GiB/s are printed as MiB/s",
        UnitMistake::KbAsMib => "KB/s, of 1,000 bytes, are printed as MiB/s",
        UnitMistake::GbAsMib => "GB/s, of 1,000,000,000 bytes, are printed as MiB/s",
        UnitMistake::TimesThousand => {
            "the MiB/s are a thousand times too large, such as with a decimal comma taken for one of thousands"
        }
        UnitMistake::OverThousand => "the MiB/s are a thousand times too small",
        UnitMistake::BinaryMegabitsAsMib => {
            "megabits (of 1,048,576) are printed as MiB: the number counts bits, not bytes"
        }
    }
}

/// What usually makes such figures disagree.
fn usual(conflict: &Conflict) -> &'static str {
    match conflict {
        Conflict::Figures { compared, .. } => usual_of_figures(compared),
        Conflict::AlteredRecord => {
            "somebody edited it, or it was damaged; `iotrial label` changes a label or adds metrics and keeps the checksum right"
        }
        Conflict::Run { .. } => "see `iotrial docs measurement`",
        Conflict::Change { .. } => "the figures or the change were misprinted, or come from different runs",
        Conflict::Ranking { .. } => {
            "the rows were ranked by another metric, or before a figure was corrected"
        }
        Conflict::Recommendation { favoured: Some(_), .. } => {
            "something else decided, such as price or risk, or the figures changed"
        }
        Conflict::Recommendation { favoured: None, .. } => "something else decided, such as price or risk",
        Conflict::Gain { fitting, .. } if fitting.is_empty() => {
            "the gain refers to a metric that is not printed"
        }
        Conflict::Gain { .. } => "the text took the metric with the larger gain and did not name it",
        Conflict::Worst { .. } => "the text judges by one metric and does not name it",
        Conflict::Limit { .. } => "the text speaks of most rows, or of another metric",
        Conflict::Price { .. } => "a part is missing, such as a licence, or the hours of another month",
        Conflict::Category { .. } => "the text does not follow the categories of its own table",
    }
}

const fn usual_of_figures(compared: &Compared) -> &'static str {
    match compared {
        // The other figures nearly always tell more.
        Compared::IopsOfBandwidth { .. }
        | Compared::BandwidthOfIops { .. }
        | Compared::TotalOfRate { .. } => "the figures come from different runs, times or directions",
        Compared::SumOfDirections { .. } | Compared::LatencyOfDirections { .. } => {
            "the total comes from another run, or covers one direction only"
        }
        Compared::ThreadRows(_) | Compared::MeanOfParts => "a row was changed, or is missing",
        Compared::SeriesEnd => "the runtime was changed, or the time series comes from another run",
        Compared::SeriesSum => "one of them was changed, or comes from another run",
        Compared::MeasuredSeconds => "the record was changed after the run",
        Compared::BytesPerIo { .. } => {
            "the stated block size is not the one that ran, or the counts come from different runs"
        }
        Compared::StatedSize => "the size is an average over another time or direction",
        Compared::ReadShare => "the figures come from another run, or the stated mix is not the one that ran",
        Compared::AskedRate => {
            "the stated rate is not the one that ran, or the figures come from another run"
        }
        Compared::CpuTime(_) => "the shares of several copies were added up, or the figures were changed",
        Compared::Outstanding => {
            "latency and rate come from different runs or have different units, or more copies ran than reported"
        }
        Compared::ThousandthOutstanding => {
            "the latencies are a thousand times too small: a number in one unit is reported in the next larger one"
        }
        Compared::FewOutstanding { .. } => {
            "the generator or its host was the limit, the page cache answered during submission, a rate held the load back, or the latency is only a part of the total"
        }
        Compared::LatencyParts { .. } => {
            "one of them was changed, comes from another run, or has another unit"
        }
        Compared::ClippedPercentile { .. } => {
            "some I/Os took longer than 17.2 s, and fio counts all of these in its last bucket"
        }
        Compared::Percentiles { .. } => "two figures were swapped, or come from different runs",
        Compared::PercentileBeyondLongest(_) => {
            "the maximum comes from another run or direction, or has another unit"
        }
        Compared::PercentileBelowShortest(_) => {
            "the minimum comes from another run or direction, or has another unit"
        }
        Compared::MeanBeyondLongest | Compared::MeanBelowShortest => {
            "one of them comes from another run or direction, or has another unit"
        }
        Compared::HistogramShares => "a share was changed or is in the wrong class, or a class is missing",
        Compared::MeanByPercentiles(_) | Compared::MeanByShares(_) => {
            "mean and percentiles come from different runs or parts of the latency, have different units, or percentiles were averaged"
        }
        Compared::Deviation => "the extremes are not those of all I/Os, or the units differ",
        Compared::CopiedLatency => {
            "the figures of one direction were copied to the other, or are of both together"
        }
        Compared::LinkBandwidth(_) => {
            "a cache on this side of the link answered, the data was compressed, or the link is a different one"
        }
        Compared::BlockOverLink(_) => {
            "a cache on this side of the link answered, or the latency has another unit"
        }
        Compared::Distance(_) | Compared::AnyDevice => {
            "something answered the I/Os before they reached the storage: a cache on this side, blocks that were never written, or an engine without a device"
        }
        Compared::Memory => "all of it fits into memory, so the figures are those of memory",
        Compared::DeviceReads => "the page cache answered, or the file was sparse or never written",
    }
}
