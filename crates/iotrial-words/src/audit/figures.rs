//! What is said of a figure that does not agree with others.

use iotrial_model::audit::{AuditFinding, Compared, Link, LinkName, RateBasis, Value, Weight};
use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{CpuBasis, Stated};
use iotrial_model::range::Range;

use crate::stated::{write_change, write_number, write_range, write_sizes, write_stated};

/// A number of a finding, as it is written.
pub(super) fn number(value: Value) -> String {
    match value {
        Value::Stated(stated) => write_stated(stated),
        Value::Range(range) => write_range(range),
    }
}

/// `at most `, or nothing.
pub(super) const fn bound_in_words(bound: Option<BoundRelation>) -> &'static str {
    match bound {
        Some(BoundRelation::AtMost) => "at most ",
        Some(BoundRelation::AtLeast) => "at least ",
        _ => "",
    }
}

pub(super) const fn rate_in_words(rate: RateBasis) -> &'static str {
    match rate {
        RateBasis::Iops => "the IOPS",
        RateBasis::Bandwidth => "the MiB/s",
        RateBasis::IopsTimesSize => "IOPS times the block size,",
    }
}

/// What the figure is, what others make of it, and by how much it is off.
pub(super) fn message(
    finding: &AuditFinding,
    compared: &Compared,
    stated_value: Value,
    expected_value: Value,
) -> String {
    let (stated, expected) = (number(stated_value), number(expected_value));
    // Of a figure that should be zero there is no percentage.
    let off =
        finding.off_by_percent.map(|percent| format!(": {}", write_change(percent))).unwrap_or_default();
    match compared {
        Compared::IopsOfBandwidth { bandwidth, sizes } => format!(
            "{} MiB/s in I/Os of {} make {expected} IOPS, not {stated} IOPS{off}",
            write_stated(*bandwidth),
            write_sizes(*sizes)
        ),
        Compared::BandwidthOfIops { iops, sizes } => {
            let unless = match finding.weight {
                Weight::Contradiction => "",
                Weight::Doubt => ", unless the zeros at the end come from rounding",
            };
            format!(
                "{} IOPS of {} make {expected} MiB/s, not {stated} MiB/s{off}{unless}",
                write_stated(*iops),
                write_sizes(*sizes)
            )
        }
        Compared::TotalOfRate { rate, runtime, unit } => format!(
            "{} times {} s make {expected} {unit}, not {stated} {unit}{off}",
            rate_in_words(*rate),
            write_stated(*runtime)
        ),
        Compared::SumOfDirections { read, write, unit } => format!(
            "{} {unit} read and {} written make {expected}, not {stated}{off}",
            write_stated(*read),
            write_stated(*write)
        ),
        Compared::LatencyOfDirections { percent, read, write } => {
            let what = percent.map_or_else(|| "mean".to_owned(), |percent| format!("p{percent}"));
            format!(
                "{} µs of reads and {} µs of writes make a {what} of {expected} µs, not {stated} µs{off}",
                write_stated(*read),
                write_stated(*write)
            )
        }
        Compared::ThreadRows(unit) => {
            format!(
                "the rows of threads or clients add up to {stated} {unit}, but the total row has {expected}{off}"
            )
        }
        Compared::MeanOfParts => format!(
            "the mean latency of the total is {stated} µs, but that over its parts is {expected} µs{off}"
        ),
        Compared::SeriesEnd => format!("the time series ends at {expected} s, but the run took {stated} s"),
        Compared::SeriesSum => {
            format!("the time series adds up to {expected} I/Os, but the threads count {stated}{off}")
        }
        Compared::MeasuredSeconds => {
            format!("the record counts {stated} I/Os, but its measured seconds add up to {expected}")
        }
        Compared::BytesPerIo { io_count, bytes } => format!(
            "{} I/Os moved {} bytes: {stated} B each, but their size is {}",
            write_number(*io_count as f64),
            write_number(*bytes as f64),
            sizes(expected_value)
        ),
        Compared::StatedSize => {
            format!("the stated size of an I/O is {stated} kB, but MiB/s over IOPS gives {expected} kB{off}")
        }
        Compared::ReadShare => {
            format!("{stated} % of the I/Os are reported as reads, but the load has {expected} %")
        }
        Compared::AskedRate => format!("{stated} IOPS are reported, but the load asks for {expected}{off}"),
        Compared::CpuTime(basis) => {
            let whose = match basis {
                CpuBasis::EachCopy => "each copy of the job, a single thread,",
                CpuBasis::Host => "the host",
            };
            format!("{whose} used {stated} % of CPU time, but {expected} % is all there is")
        }
        Compared::Outstanding => format!(
            "rate times mean latency gives {stated} outstanding I/Os, but the load has at most {expected}{off}"
        ),
        Compared::ThousandthOutstanding => format!(
            "rate times mean latency gives {stated} outstanding I/Os, but the load should keep {expected}, a thousand times as many"
        ),
        Compared::FewOutstanding { change_percent } => format!(
            "rate times mean latency gives {stated} outstanding I/Os, but the load should keep {expected}: {}",
            write_change(*change_percent)
        ),
        Compared::LatencyParts { has_submission } => {
            let parts =
                if *has_submission { "submission and completion take" } else { "completion alone takes" };
            format!("the mean is {stated} µs, but {parts} {expected} µs{off}")
        }
        Compared::ClippedPercentile { percent, higher_count } => {
            let higher = match higher_count {
                0 => String::new(),
                count => format!("; so are {count} higher percentiles"),
            };
            format!(
                "p{percent} is {stated} µs, which is the last bucket of fio's histogram and not a latency{higher}"
            )
        }
        Compared::Percentiles { percent, higher_percent } => {
            format!("p{percent} is {stated} µs, but p{higher_percent} is less: {expected} µs")
        }
        Compared::PercentileBeyondLongest(percent) => {
            format!("p{percent} is {stated} µs, but the longest I/O is shorter: {expected} µs")
        }
        Compared::PercentileBelowShortest(percent) => {
            format!("p{percent} is {stated} µs, but the shortest I/O is longer: {expected} µs")
        }
        Compared::MeanBeyondLongest => {
            format!("the mean is {stated} µs, but the longest I/O is shorter: {expected} µs")
        }
        Compared::MeanBelowShortest => {
            format!("the mean is {stated} µs, but the shortest I/O is longer: {expected} µs")
        }
        Compared::HistogramShares => format!(
            "the shares of the histogram add up to {stated} %, which rounding does not explain: it allows {expected} %"
        ),
        Compared::MeanByPercentiles(bound) => format!(
            "the mean is {stated} µs, but the percentiles allow {}{expected} µs{off}",
            bound_in_words(Some(*bound))
        ),
        Compared::MeanByShares(bound) => format!(
            "the mean is {stated} µs, but the shares of its histogram allow {}{expected} µs{off}",
            bound_in_words(Some(*bound))
        ),
        Compared::Deviation => format!(
            "the standard deviation is {stated} µs, but mean and extremes allow at most {expected} µs"
        ),
        Compared::CopiedLatency => format!(
            "reads and writes have the same mean latency, {stated} µs, and the same standard deviation in all digits"
        ),
        Compared::LinkBandwidth(link) => format!(
            "{stated} MiB/s are reported over a link that carries at most {expected} MiB/s ({}){off}",
            link_in_words(link)
        ),
        Compared::BlockOverLink(link) => format!(
            "the mean latency is {stated} µs, but a block alone takes {expected} µs over the link ({}){off}",
            link_in_words(link)
        ),
        Compared::Distance(km) => format!(
            "the mean latency is {stated} µs, but light needs {expected} µs for {} km there and back",
            write_number(*km)
        ),
        Compared::AnyDevice => {
            format!(
                "the mean latency is {stated} µs, but no device answers a direct I/O in less than {expected} µs"
            )
        }
        Compared::Memory => format!(
            "the load goes through the page cache and uses only {stated} GiB, while the host has {expected} GiB of memory"
        ),
        Compared::DeviceReads => format!(
            "{stated} reads are reported, but the devices counted only {expected}: {:.1} % never reached them",
            100.0 * (1.0 - expected_value.middle() / stated_value.middle())
        ),
    }
}

/// Sizes of blocks, which are whole numbers of bytes.
pub(super) fn sizes(value: Value) -> String {
    write_sizes(match value {
        Value::Stated(Stated { value, .. }) => Range::exact(value),
        Value::Range(range) => range,
    })
}

/// `network_gbit_s = 10, 2 times`, `sata: 600 MB/s`.
fn link_in_words(link: &Link) -> String {
    let times = if link.count > 1.0 { format!(", {} times", link.count) } else { String::new() };
    match &link.name {
        LinkName::Attribute { name, value } => format!("{name} = {value}{times}"),
        LinkName::Kind { word, mb_per_s } => format!("{word}: {mb_per_s} MB/s{times}"),
    }
}
