//! What else is to be known of an answer.

use iotrial_model::words::counted;
use iotrial_sizing::floor::{FloorRule, GIB_PER_VCPU, IOPS_PER_VCPU, MOST_BY_MEMORY, VcpuFloor};
use iotrial_sizing::measure::grouped;
use iotrial_sizing::price::MissingPrice;
use iotrial_sizing::sizing::{CostBeside, RatesCost, Sizing, SizingPoint, Smaller};

use super::answer::stop;
use super::cost::and_the;
use super::usual::doubt;
use super::{against, cost_note, limit, money, share, sum_in_words};

/// What else is to be known of an answer, each in one sentence without a full stop.
pub fn points(sizing: &Sizing) -> Vec<String> {
    let words = |one: &SizingPoint| match one {
        SizingPoint::Against(place) => against(&sizing.against[*place]),
        one => point(one, &sizing.currency),
    };
    sizing.points.iter().map(words).collect()
}

/// One of them; empty for a configuration that was compared, which has words of its own.
pub(super) fn point(point: &SizingPoint, currency: &str) -> String {
    match point {
        SizingPoint::BoughtWhenNeeded { title, years, total, total_from_day_one, missing } => {
            bought_when_needed(title, *years, (*total, *total_from_day_one), missing, currency)
        }
        SizingPoint::Database { per_month, percent } => {
            format!("database licences are {} of it ({percent:.0} %)", money(*per_month, currency))
        }
        SizingPoint::OfCost(note) => cost_note(note),
        SizingPoint::Floor { floor, smaller } => floor_in_words(floor, smaller),
        SizingPoint::BeyondVolumes { machine, share: of } => format!(
            "the limiting factor of {machine} itself, whatever its volumes, is {}: {} ({:.0} %)",
            limit(of),
            share(of),
            of.percent
        ),
        SizingPoint::Headroom { times } => match times {
            ..2.0 => format!("it has {:.1} % headroom", 100.0 * (times - 1.0)),
            ..100.0 => format!("it sustains {times:.0} times the demand"),
            // Nobody asks by how many thousand percent there is enough.
            _ => "it sustains far more than the demand".to_owned(),
        },
        SizingPoint::Rates { times, cost } => rates(*times, cost, currency),
        SizingPoint::OtherProvider { title, configuration, cost, beside: by } => {
            format!("cheapest at {title}: {configuration}, {}{}", sum_in_words(cost, currency), beside(*by))
        }
        SizingPoint::Stops(at) => stop(at),
        SizingPoint::MemoryDiffers { machines, most_gib } => {
            let of = |(gib, title): &(f64, String)| format!("{} GiB ({title})", grouped(*gib));
            format!(
                "no memory was asked for, and the machines differ: {}; --memory {}GiB compares like with like",
                machines.iter().map(of).collect::<Vec<_>>().join(", "),
                grouped(*most_gib)
            )
        }
        SizingPoint::LatencyUnknown { title, volumes, configuration, cost } => format!(
            "{title}: the latency of {} is not in the catalog; {configuration} would cost {}, but measure it before you rely on it",
            volumes.join(" and "),
            sum_in_words(cost, currency)
        ),
        SizingPoint::Against(_) => String::new(),
        SizingPoint::Doubt(one) => doubt(one),
    }
}

fn bought_when_needed(
    title: &str,
    years: usize,
    (total, from_day_one): (f64, f64),
    missing: &[MissingPrice],
    currency: &str,
) -> String {
    let less = 100.0 * (1.0 - total / from_day_one);
    let against = if less >= 0.05 {
        format!("{less:.1} % less than {} with everything bought on day one", money(from_day_one, currency))
    } else {
        "no cheaper than buying everything on day one".to_owned()
    };
    let without =
        if missing.is_empty() { String::new() } else { format!(" (without the {})", and_the(missing)) };
    format!(
        "bought when needed, {} cost {} with {title}{without}, {against}",
        counted(years as u64, "year"),
        money(total, currency),
    )
}

/// Below how many processors no machine was looked at, and where that left nothing.
fn floor_in_words(floor: &VcpuFloor, smaller: &Smaller) -> String {
    let (vcpus, why) = (floor.vcpus, floor_rule(floor.why));
    match smaller {
        Smaller::Nowhere => format!(
            "only machines with at least {vcpus} vCPUs are compared ({why}); --vcpus N sets another minimum"
        ),
        Smaller::Everywhere => format!(
            "no machine with at least {vcpus} vCPUs ({why}) is available for this demand: smaller ones are shown"
        ),
        Smaller::At(titles) => format!(
            "only machines with at least {vcpus} vCPUs are compared ({why}), except for {}, which has none: smaller ones are shown there",
            titles.join(" and ")
        ),
    }
}

/// A rule of thumb for processors, without a full stop.
pub fn floor_rule(rule: FloorRule) -> String {
    match rule {
        FloorRule::Memory { gib, is_most } => {
            let most = if is_most { format!(", at most {MOST_BY_MEMORY}") } else { String::new() };
            format!("{} GiB of memory at {GIB_PER_VCPU} GiB per vCPU{most}", grouped(gib))
        }
        FloorRule::Iops { iops } => {
            format!("{} IOPS at {} per vCPU", grouped(iops), grouped(IOPS_PER_VCPU))
        }
    }
}

/// What a multiple of the rates would cost: `10 % more I/O would cost the same`.
fn rates(times: f64, cost: &RatesCost, currency: &str) -> String {
    let percent = 100.0 * (times - 1.0);
    let what = format!("{:.0} % {} I/O", percent.abs(), if percent < 0.0 { "less" } else { "more" });
    match cost {
        RatesCost::Nothing => format!("{what}: no configuration sustains it"),
        RatesCost::Same => format!("{what} would cost the same"),
        RatesCost::SameWith { instead } => format!("{what} would cost the same, with {instead} instead"),
        RatesCost::NoMore { per_month, instead } => {
            format!("{what} would cost no more ({}), with {instead} instead", money(*per_month, currency))
        }
        RatesCost::Other { per_month, now, instead } => {
            format!(
                "{what} would cost {}{}: {instead}",
                money(*per_month, currency),
                change(*per_month, *now)
            )
        }
    }
}

/// By how much a cost is more or less, in brackets; nothing where that rounds to nothing.
fn change(cost: f64, now: f64) -> String {
    let percent = 100.0 * (cost / now - 1.0);
    if percent.abs() < 0.05 {
        return String::new();
    }
    format!(" ({percent:+.1} %)").replace('-', "−")
}

fn beside(beside: CostBeside) -> String {
    match beside {
        CostBeside::Percent(percent) => format!(" ({percent:+.0} %)"),
        CostBeside::AtLeastPercent(percent) => format!(" (at least {percent:+.0} %)"),
        CostBeside::NotComparable => ", not comparable".to_owned(),
    }
}
