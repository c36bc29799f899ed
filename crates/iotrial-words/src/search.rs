//! Why a load of a search does not stay within its limits, in words that go on after a colon.

use iotrial_model::search::{NotHeld, Untouched, WorstLatency};

use crate::numbers::{count_with_thousands, latency_in_words, rate_in_words};

/// Why it does not, or cannot be judged.
pub fn not_held(why: &NotHeld) -> String {
    match why {
        NotHeld::Errors { failed_count, io_count } => {
            format!(
                "{} of {} I/Os failed",
                count_with_thousands(*failed_count),
                count_with_thousands(*io_count)
            )
        }
        NotHeld::NotIssued { job, kept_iops, asked_iops } => format!(
            "job `{job}` issued only {} of {} IOPS",
            rate_in_words(*kept_iops),
            rate_in_words(*asked_iops)
        ),
        NotHeld::NothingCompleted(role, stream) => format!("no {role} {stream} completed"),
        NotHeld::TooSlow { worst, has_one_limit } => too_slow(worst, *has_one_limit),
        NotHeld::TooFewIos => "too few I/Os to judge".to_owned(),
    }
}

fn too_slow(worst: &WorstLatency, has_one_limit: bool) -> String {
    let WorstLatency { role, stream, statistic, latency_us, limit_us, untouched } = worst;
    let statistic = statistic.as_deref().unwrap_or_default();
    let of_which = untouched.as_ref().map(|one| format!(" {}", left_alone(one))).unwrap_or_default();
    let is = format!("{statistic} of {role} {stream}s is {}{of_which}", latency_in_words(*latency_us));
    // With one limit for all, everybody knows it.
    match limit_us.filter(|_| !has_one_limit) {
        Some(limit_us) => format!("{is} (limit {})", latency_in_words(limit_us)),
        None => is,
    }
}

/// Of which I/Os a latency is where those decide that the generator left alone, to follow it.
pub(crate) fn left_alone(untouched: &Untouched) -> String {
    let Untouched { percent, shown_us } = untouched;
    format!(
        "in the {:.0} % of I/Os that the generator did not delay, {} in all",
        percent.floor(),
        latency_in_words(*shown_us)
    )
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::Role;
    use iotrial_model::stream::Stream;

    use super::*;

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__search__tests__page.snap`.
    #[test]
    fn every_reason_has_its_words_on_one_page() {
        let worst = WorstLatency {
            role: Role::Log,
            stream: Stream::Commit,
            statistic: Some("p99.9".to_owned()),
            latency_us: 31_000.0,
            limit_us: Some(10_000.0),
            untouched: None,
        };
        let all = [
            NotHeld::Errors { failed_count: 1_000, io_count: 181_000 },
            NotHeld::NotIssued { job: "pages".to_owned(), kept_iops: 15_680.0, asked_iops: 16_000.0 },
            NotHeld::NothingCompleted(Role::Data, Stream::Read),
            NotHeld::TooSlow { worst: worst.clone(), has_one_limit: true },
            NotHeld::TooSlow {
                worst: WorstLatency {
                    untouched: Some(Untouched { percent: 31.4, shown_us: 47_500.0 }),
                    ..worst.clone()
                },
                has_one_limit: true,
            },
            NotHeld::TooSlow { worst, has_one_limit: false },
            NotHeld::TooFewIos,
        ];
        let page: Vec<String> = all.iter().map(not_held).collect();
        insta::assert_snapshot!("page", page.join("\n"));
    }
}
