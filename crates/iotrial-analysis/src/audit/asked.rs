//! What was done against what was asked for: directions, mix and rate of the load, and the CPU time that its copies have.

use iotrial_model::audit::{AuditFinding, Cause, Compared, ResultPart, Right, Unit, Weight};
use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{CpuBasis, StatedLoad};
use iotrial_model::range::Range;
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::subject::Subject;

use super::part::{Part, Stream, bytes};
use super::tally::Tally;

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
    let (reads, writes) = (part.stream(StreamKind::Read), part.stream(StreamKind::Write));
    let (read, write) = (reads.map_or(Some(0.0), rate_of), writes.map_or(Some(0.0), rate_of));
    // A count that its total refutes is told already, and is of no mix.
    let count_of = |stream: &Stream<'_>| stream.stated.io_count.map(bytes);
    let all = part.stream(StreamKind::Mixed).and_then(count_of);
    let sum = [reads, writes].into_iter().flatten().map(count_of).sum::<Option<f64>>();
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
    let is_swapped = (100.0 - told - asked).abs() <= allowed;
    // A group has the I/Os of the job whose options are listed, too: without any the direction is wrong, whoever else ran.
    let weight = if is_pure && is_swapped { Weight::Contradiction } else { weight_of(part) };
    let mut finding =
        AuditFinding::of_figures(&part.place, Compared::ReadShare, told, asked).weighing(weight);
    if is_swapped {
        finding = finding.because(Cause::DirectionsSwapped).with_right(Right::DirectionsSwapped);
    }
    tally.compare((told - asked).abs() <= allowed, finding);
}

/// The share of reads that the only load asks for, from 0 to 1, with the points by which a mix may miss it; `None` where rates or other
/// jobs decide.
pub(super) fn share_of_reads(part: &Part<'_>) -> Option<Range> {
    let [load] = &part.loads[..] else { return None };
    let decides = !load.verifies() && !load.is_held_back() && !load.may_have_others();
    let asked = load.rwmix_read_percent.filter(|_| decides)?;
    let share = |percent: f64| percent.clamp(0.0, 100.0) / 100.0;
    Some(Range { low: share(asked - MIX_POINTS), high: share(asked + MIX_POINTS) })
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
    let apart = || part.streams.iter().filter(|stream| stream.kind != StreamKind::Mixed);
    let all: Vec<&Stream<'_>> =
        if apart().next().is_some() { apart().collect() } else { part.streams.iter().collect() };
    let told: Option<f64> = all.iter().map(|stream| stream.stated.iops.map(|iops| Range::of(iops).low)).sum();
    let seconds = all.iter().filter_map(|stream| stream.stated.runtime_s).map(|runtime| runtime.value);
    let seconds = seconds.fold(0.0, f64::max);
    let Some(told) = told.filter(|_| seconds > 0.0 && !all.is_empty()) else { return };
    let most = asked * (1.0 + RATE_SHARE) + part.edge_count() / seconds;
    let finding = AuditFinding::of_figures(&part.place, Compared::AskedRate, told, asked);
    tally.compare(told <= most, finding.weighing(weight_of(part)).with_difference());
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
        let place = ResultPart {
            source: Some(source.place.clone()),
            job: Some(job.name.to_string()),
            ..ResultPart::default()
        };
        let used = all.middle();
        let finding = AuditFinding::of_figures(place, Compared::CpuTime(cpu.of), used, 100.0)
            .expecting(Some(BoundRelation::AtMost), Unit::Percent)
            .off_by(used - 100.0);
        tally.compare(all.low <= 100.0 * (1.0 + CPU_SHARE), finding);
    }
}
