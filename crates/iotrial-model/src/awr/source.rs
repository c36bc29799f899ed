//! Where a figure is found in a report: section, row and column.

use super::{AwrFigure, Host, IoProfileRow, IoStat, Quoted, WaitSide};

/// A place of a report that has a figure, or the other figures that it follows from. Values are taken to the unit of the figure: a
/// counter of bytes becomes MiB where the figure is in MiB per second.
#[derive(Debug, Clone, Copy)]
pub enum AwrSource {
    /// A counter of Instance Activity, per second.
    Counter(&'static str),
    /// Counters of Instance Activity together, per second: all of them, or nothing. In words, what they are.
    Counters(&'static [&'static str], &'static str),
    /// A row of Load Profile, per second.
    LoadProfile(&'static str),
    /// A row of Load Profile in blocks per second, by the size of a block. Releases have other names for it.
    Blocks(&'static [&'static str]),
    /// A row and a column of I/O Profile.
    IoProfile(&'static str, fn(&IoProfileRow) -> &Quoted),
    /// The total of IOStat by Filetype.
    AllFiles(fn(&IoStat) -> &Quoted),
    /// Kinds of files of IOStat by Filetype together. Nothing where the total contradicts the counters.
    Files(&'static [&'static str], fn(&IoStat) -> &Quoted),
    /// A percentage of Instance Efficiency.
    Efficiency(&'static str),
    /// DB time by the elapsed time.
    DbTime,
    /// Seconds of the time model by the elapsed time. In words, what they are.
    TimeModel(&'static str, &'static str),
    /// The mean wait for events, each weighted by how often it was waited for.
    MeanWait(&'static [&'static str], WaitSide),
    /// How often events were waited for, per second.
    WaitCount(&'static [&'static str], WaitSide),
    /// Amounts of memory together: all of them, or nothing. In words, what they are where there are several.
    Memory(&'static [&'static str], &'static str),
    /// What the report says of the machine; memory is in GiB there.
    Host(fn(&Host) -> &Quoted),
    /// A function of its own in `iotrial-analysis`.
    Computed,
    /// Two other figures together.
    Sum(AwrFigure, AwrFigure),
    /// A figure without a part of it.
    Rest {
        /// All of it.
        of: AwrFigure,
        /// What is taken away.
        without: AwrFigure,
    },
    /// A figure in MiB by one of requests, in KiB. In words, what is divided by what.
    KibPer(AwrFigure, AwrFigure, &'static str),
    /// The share in percent that the first has of both.
    Share(AwrFigure, AwrFigure),
}
