//! What was measured on a configuration, beside its limits.

use iotrial_sizing::measure::grouped;
use iotrial_sizing::measured::{
    BoundBy, InFlight, MeasuredAgainst, MeasuredBound, MeasuredTogether, OfPart, RateContradiction,
};
use iotrial_sizing::requirement::Share;

use super::{limit, share};

/// What was the limit.
pub fn measured(one: &MeasuredAgainst) -> String {
    let mut words = bound(&one.bound);
    if one.bound.by() == [BoundBy::OtherConfiguration] && !one.attributes.is_empty() {
        let own = one.attributes.iter().map(|(name, value)| format!("{name} = {value}"));
        words.push_str(&format!("; measured with {}", own.collect::<Vec<_>>().join(", ")));
    }
    if !one.contradictions.is_empty() {
        words.push_str(" (from contradictory figures)");
    }
    words
}

pub(super) fn bound(bound: &MeasuredBound) -> String {
    let reached = |share: &Share| format!("{:.0} % of {}", share.percent, limit(share));
    match bound {
        MeasuredBound::OtherMachine { measured, own } => format!(
            "these figures are not from this configuration: they come from {measured}, and this one has {own}"
        ),
        MeasuredBound::Beyond(of) => format!(
            "these figures are not from this configuration, which cannot reach them: {} ({})",
            share(of),
            reached(of)
        ),
        MeasuredBound::Burst { share: of, lasting_iops } => format!(
            "a burst, which ends: {} ({}); {} IOPS of this load last",
            share(of),
            reached(of),
            grouped(lasting_iops.round())
        ),
        MeasuredBound::Configuration { share: of, full } => {
            let wait = full.map_or_else(String::new, |full| {
                format!("; {}, so more outstanding I/Os would only wait", in_flight(full))
            });
            format!("the configuration was the limit: {} ({}){wait}", share(of), reached(of))
        }
        MeasuredBound::Concurrency { share: of, full } => format!(
            "the concurrency was the limit: {}, and the load reached at most {} ({}); more outstanding I/Os would give more",
            in_flight(*full),
            reached(of),
            share(of)
        ),
        MeasuredBound::Ceiling { share: of, part } => {
            let part = part.as_ref().map_or_else(String::new, |part| {
                format!(
                    "; that is what {} of the {} {} carry: check that all of them are used",
                    part.used, part.count, part.name
                )
            });
            format!(
                "the storage was the limit, below the limits of the catalog: more outstanding I/Os give no more, and the load reached at most {} ({}){part}",
                reached(of),
                share(of)
            )
        }
        MeasuredBound::OneLoad { share: of, full } => format!(
            "the limit is unknown: {}, and the load reached at most {} ({}); one load does not show whether more outstanding I/Os would give more",
            in_flight(*full),
            reached(of),
            share(of)
        ),
        MeasuredBound::Neither { share: of, in_flight: queue } => format!(
            "the limit is unknown: only {}, and the load reached at most {} ({})",
            in_flight(*queue),
            reached(of),
            share(of)
        ),
        MeasuredBound::NotInFlight(of) => format!(
            "no limit was reached: the load used at most {} ({}). Without outstanding I/Os and latency, it is not known whether concurrency was the limit",
            reached(of),
            share(of)
        ),
        MeasuredBound::NoLimit => "the catalog has no limit for this configuration".to_owned(),
    }
}

fn in_flight(queue: InFlight) -> String {
    let (in_flight, offered) = (grouped(queue.in_flight.round()), grouped(queue.offered));
    format!("{in_flight} of the {offered} I/Os offered were in flight")
}

/// IOPS and MiB/s that cannot both be true.
pub fn contradiction(one: &RateContradiction) -> String {
    let guess = if one.is_in_mb_per_s { "; the printed figure is in MB/s" } else { "" };
    format!(
        "{}: {} IOPS of this size are {} MiB/s, but the result shows {}{guess}",
        one.stream,
        grouped(one.iops),
        grouped(one.bandwidth_mib_per_s),
        one.stated_mib_per_s
    )
}

/// What was the limit of several measurements, in one sentence without a full stop.
pub fn measured_together(all: &MeasuredTogether) -> String {
    let each = |parts: &[OfPart], how: &str| -> Vec<String> {
        let words = |one: &OfPart| format!("{} {how} {} ({})", one.count, one.part, range(one));
        parts.iter().map(words).collect()
    };
    let mut limited = each(&all.reached, "limited by");
    if all.concurrency > 0 {
        limited.push(format!("{} limited by the concurrency", all.concurrency));
    }
    let mut words = Vec::new();
    if !limited.is_empty() {
        words.push(limited.join(", "));
    }
    words.extend(each(&all.below, "below every limit, closest to"));
    words.extend(each(&all.bursts, "bursts above the lasting limit of"));
    words.extend(each(&all.others, "not from this configuration, above the limit of"));
    format!("{} measurements: {}", all.count, words.join("; "))
}

/// How near to the limit: `75 to 89 %`.
fn range(of: &OfPart) -> String {
    let (least, most) = (format!("{:.0}", of.least_percent), format!("{:.0}", of.most_percent));
    if least == most { format!("{least} %") } else { format!("{least} to {most} %") }
}
