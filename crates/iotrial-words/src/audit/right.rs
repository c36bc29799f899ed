//! What would be right.

use iotrial_model::audit::{Conflict, Right, RightFigure, RightQuantity};
use iotrial_model::range::Range;

use super::claim::gains_in_words;
use super::figures::{bound_in_words, number, sizes};
use crate::stated::{write_change, write_number, write_range, write_sizes, write_stated};

/// What would be right in place of what the conflict is about.
pub(super) fn in_words(right: &Right, conflict: &Conflict) -> String {
    match right {
        Right::Figures(figures) => match figures.as_slice() {
            [only] => figure(only),
            several => format!("either {}", alternatives(several)),
        },
        Right::MeanWithoutPercentiles(mean) => {
            format!("the mean of {} µs, without percentiles", write_stated(*mean))
        }
        Right::Percentile { least_us, longest_us } => {
            let longest =
                longest_us.map_or_else(String::new, |us| format!(", and at most {} µs", write_stated(us)));
            format!("at least {} µs{longest}", write_number(*least_us))
        }
        Right::MeanLatencies(means_us) => {
            let means: Vec<String> = means_us.iter().copied().map(write_number).collect();
            format!("mean latencies of {} µs", means.join(" and "))
        }
        Right::DirectionsSwapped => "the figures of reads and writes swapped".to_owned(),
        Right::SharesOf100 => "shares that add up to 100 %".to_owned(),
        Right::OtherBlockSize => "another block size".to_owned(),
        Right::SizesApart(Range { low, high }) => {
            let size = |bytes: f64| write_sizes(Range::exact(bytes));
            format!("separate figures for each size, from {} to {}", size(*low), size(*high))
        }
        Right::Change { bound, percent } => format!("{}{}", bound_in_words(*bound), write_change(*percent)),
        Right::Order(rows) => rows.join(", "),
        Right::Row(row) => format!("row {row}"),
        Right::GainsWithMetrics => match conflict {
            Conflict::Gain { fitting, others, .. } => {
                let (fitting, others) = (gains_in_words(fitting), gains_in_words(others));
                format!("each gain with its metric, which is {fitting}; {others}")
            }
            _ => unreachable!("only gains have none"),
        },
        Right::Category(name) => name.clone(),
        Right::Sum(sum) => write_range(*sum),
    }
}

/// One or the other; what is a clause of its own follows a comma.
fn alternatives(figures: &[RightFigure]) -> String {
    let mut words = String::new();
    for one in figures {
        if !words.is_empty() {
            let is_clause = matches!(one.quantity, RightQuantity::LatencyParts | RightQuantity::Rows);
            words.push_str(if is_clause { ", or " } else { " or " });
        }
        words.push_str(&figure(one));
    }
    words
}

fn figure(figure: &RightFigure) -> String {
    let value = format!("{}{}", bound_in_words(figure.bound), number(figure.value));
    match figure.quantity {
        RightQuantity::Figure(unit) => format!("{value} {unit}"),
        RightQuantity::Read(unit) => format!("{value} {unit} read"),
        RightQuantity::Written(unit) => format!("{value} {unit} written"),
        RightQuantity::Both(unit) => format!("{value} {unit} for both"),
        RightQuantity::TotalRow(unit) => format!("{value} {unit} in the total"),
        RightQuantity::Rows => format!("rows that add up to {value}"),
        RightQuantity::Runtime => format!("a runtime of {value} s"),
        RightQuantity::MeanLatency => format!("a mean of {value} µs"),
        RightQuantity::MeanLatencyAtTheseRates => format!("a mean latency of {value} µs at these rates"),
        RightQuantity::CompletionLatency => format!("a completion latency of {value} µs"),
        RightQuantity::SubmissionLatency => format!("a submission latency of {value} µs"),
        RightQuantity::LatencyParts => format!("parts that add up to {value} µs"),
        RightQuantity::IoSize => format!("I/Os of {value} B"),
        RightQuantity::BlockSize => format!("I/Os of {}", sizes(figure.value)),
    }
}
