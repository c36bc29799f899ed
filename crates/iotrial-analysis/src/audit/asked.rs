//! What was done against what was asked for: directions, mix and rate of the load, and the CPU time that its copies have.

use iotrial_model::imported::{CpuBasis, StatedLoad};
use iotrial_model::load::Direction;
use iotrial_model::range::{Range, write_change, write_number};
use iotrial_model::subject::Subject;

use super::part::{Part, Stream, bytes};
use super::tally::{AuditFinding, Check, Tally, Weight};

/// Points of a hundred by which a mix may miss what was asked for, beside chance: tools choose the direction in runs of several
/// I/Os, and a job that ends by size ends in the middle of one. Planted and real cases are 30 points apart.
const MIX_POINTS: f64 = 5.0;

/// Standard deviations of chance that are allowed: one mix in two million is further off.
const MIX_DEVIATIONS: f64 = 5.0;

/// A rate is held on average, and what was held back at first may be caught up with later.
const RATE_SHARE: f64 = 0.25;

/// CPU time is charged in ticks, so that a short run may have a little more than there is.
const CPU_SHARE: f64 = 0.05;

/// Engines whose copies are one thread each: others have threads that count as theirs, such as the workers of io_uring.
const ONE_THREAD: [&str; 7] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "mmap"];

/// Directions and mix against those of the load.
pub(super) fn check_mix(part: &Part<'_>, tally: &mut Tally) {
    let [load] = &part.loads[..] else { return };
    let Some(asked) = load.rwmix_read_percent else { return };
    let of = |name: &str| part.streams.iter().find(|stream| stream.name == name);
    let (read, write) = (of("read").map_or(Some(0.0), rate_of), of("write").map_or(Some(0.0), rate_of));
    // A count that its total refutes is told already, and is of no mix.
    let count_of = |stream: &Stream<'_>| stream.stated.io_count.map(bytes);
    let all = of("total").and_then(count_of);
    let sum = ["read", "write"].into_iter().filter_map(of).map(count_of).sum::<Option<f64>>();
    if all.zip(sum).is_some_and(|(all, sum)| (all - sum).abs() > part.edge_count()) {
        return;
    }
    // Only what is told apart, and with the same kind of figure.
    let Some((read, write)) = read.zip(write).filter(|(read, write)| read + write > 0.0) else { return };
    // Reads that check what was written are none of the mix; of a mix with rates the rates decide.
    if load.verifies() || load.is_held_back() {
        return;
    }
    let told = 100.0 * read / (read + write);
    let count: f64 = part.streams.iter().filter_map(|stream| stream.stated.io_count).map(bytes).sum();
    let share = asked / 100.0;
    // Each direction is drawn by itself, so the share varies as a binomial one does.
    let chance = 100.0 * (share * (1.0 - share) / count.max(1.0)).sqrt();
    let is_pure = asked <= 0.0 || asked >= 100.0;
    // Of one direction there is no chance, only what double precision loses.
    let allowed = if is_pure { 1e-6 } else { MIX_POINTS + MIX_DEVIATIONS * chance };
    if (told - asked).abs() <= allowed {
        return tally.held(Check::Mix);
    }
    let is_swapped = (100.0 - told - asked).abs() <= allowed;
    let cause = if is_swapped {
        "reads and writes were swapped"
    } else {
        "the figures come from another run, or the stated mix is not the one that ran"
    };
    tally.found(AuditFinding {
        check: Check::Mix,
        // A group has the I/Os of the job whose options are listed, too: without any the direction is wrong, whoever else ran.
        weight: if is_pure && is_swapped { Weight::Contradiction } else { weight_of(part) },
        place: part.place.clone(),
        message: format!(
            "{} % of the I/Os are reported as reads, but the load has {} %",
            write_number(told),
            write_number(asked)
        ),
        cause: cause.to_owned(),
        right: is_swapped.then(|| "the figures of reads and writes swapped".to_owned()),
        off_by_percent: None,
    });
}

/// Options of one job of a group do not tell what the others were asked for.
fn weight_of(part: &Part<'_>) -> Weight {
    if part.may_be_of_others() { Weight::Doubt } else { Weight::Contradiction }
}

fn rate_of(stream: &Stream<'_>) -> Option<f64> {
    let stated = &stream.stated;
    stated.io_count.map(bytes).or_else(|| stated.iops.map(|iops| iops.value))
}

fn is_on(load: &StatedLoad, option: &str) -> bool {
    load.options.get(option).is_some_and(|value| !matches!(value.trim(), "" | "0" | "none" | "false"))
}

/// More I/Os than a rate allows.
pub(super) fn check_rate(part: &Part<'_>, tally: &mut Tally) {
    let [load] = &part.loads[..] else { return };
    let Some(asked) = load.rate_iops.filter(|rate| *rate > 0.0) else { return };
    // A total repeats what its directions tell.
    let directions = Direction::ALL.map(|direction| direction.to_string());
    let apart = || part.streams.iter().filter(|stream| directions.iter().any(|name| name == stream.name));
    let all: Vec<&Stream<'_>> =
        if apart().next().is_some() { apart().collect() } else { part.streams.iter().collect() };
    let told: Option<f64> = all.iter().map(|stream| stream.stated.iops.map(|iops| Range::of(iops).low)).sum();
    let seconds = all.iter().filter_map(|stream| stream.stated.runtime_s).map(|runtime| runtime.value);
    let seconds = seconds.fold(0.0, f64::max);
    let Some(told) = told.filter(|_| seconds > 0.0 && !all.is_empty()) else { return };
    let most = asked * (1.0 + RATE_SHARE) + part.edge_count() / seconds;
    if told <= most {
        return tally.held(Check::AskedRate);
    }
    let off = 100.0 * (told / asked - 1.0);
    tally.found(AuditFinding {
        check: Check::AskedRate,
        weight: weight_of(part),
        place: part.place.clone(),
        message: format!(
            "{} IOPS are reported, but the load asks for {}: {}",
            write_number(told),
            write_number(asked),
            write_change(off)
        ),
        cause: "the stated rate is not the one that ran, or the figures come from another run".to_owned(),
        right: None,
        off_by_percent: Some(off),
    });
}

/// No copy of a job takes more CPU time than its one thread has, and no host more than all of its CPUs.
pub(super) fn check_cpu(subject: &Subject<'_>, tally: &mut Tally) {
    let Some(source) = subject.source else { return };
    for job in &subject.jobs {
        let Some(cpu) = job.cpu else { continue };
        let is_one_thread = job.load.engine.as_deref().is_none_or(|engine| ONE_THREAD.contains(&engine));
        if cpu.of == CpuBasis::EachCopy && (!is_one_thread || is_on(&job.load, "verify_async")) {
            continue;
        }
        let shares = [cpu.usr_percent, cpu.sys_percent].into_iter().flatten().map(Range::of);
        let all = shares.fold(Range::exact(0.0), |sum, share| sum + share);
        if all.high <= 0.0 {
            continue;
        }
        if all.low <= 100.0 * (1.0 + CPU_SHARE) {
            tally.held(Check::CpuTime);
            continue;
        }
        let whose = match cpu.of {
            CpuBasis::EachCopy => "each copy of the job, a single thread,",
            CpuBasis::Host => "the host",
        };
        tally.found(AuditFinding {
            check: Check::CpuTime,
            weight: Weight::Contradiction,
            place: format!("{}, job {}", source.place, job.name),
            message: format!(
                "{whose} used {} % of CPU time, but 100 % is all there is",
                write_number(all.middle())
            ),
            cause: "the shares of several copies were added up, or the figures were changed".to_owned(),
            right: Some("at most 100 %".to_owned()),
            off_by_percent: Some(all.middle() - 100.0),
        });
    }
}
