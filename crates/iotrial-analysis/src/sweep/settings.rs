//! Settings of databases that follow from the curves of a sweep, each as a proposal (`docs/settings.md`).

use iotrial_model::load::Pattern;
use iotrial_model::setting::SettingEvidence;
use iotrial_model::units::ByteSize;

use super::Curve;
use crate::saturation::KneeBound;
use crate::settings::{Database, INNODB_PAGE, Setting, bounded, io_capacities};

/// What Linux reads ahead by default (`read_ahead_kb`).
const READ_AHEAD: ByteSize = ByteSize::kib(128);
/// What PostgreSQL and Oracle read as one page by default.
const PAGE: ByteSize = ByteSize::kib(8);
/// PostgreSQL's manuals explained the default of 4 as a random page that costs forty times a sequential one, with nine of ten cached.
const UNCACHED_SHARE: f64 = 0.1;
/// From the value that PostgreSQL names for solid-state drives to its default: never below `seq_page_cost`, which is 1.
const PAGE_COSTS: (f64, f64) = (1.1, 4.0);
/// The range of `effective_io_concurrency`.
const IO_CONCURRENCY: (f64, f64) = (1.0, 1_000.0);
/// The largest read of Oracle on most platforms.
const LARGEST_READ: ByteSize = ByteSize::mib(1);
/// A size reaches the highest bandwidth from this share of it on.
// As for saturation: the lowest load that reaches 95 % of the ceiling is where it is reached.
const REACHED: f64 = 0.95;

/// What follows from the curves of a sweep of one volume; of several nobody can say which of them the database will be on.
pub(super) fn settings_of_curves(curves: &[Curve], volume_count: usize) -> Vec<Setting> {
    if volume_count != 1 {
        return Vec::new();
    }
    let found = [page_cost(curves), io_concurrency(curves)].into_iter().flatten();
    let ceiling = curve_of(curves, Pattern::Random, 0, INNODB_PAGE).and_then(ceiling_iops);
    let capacities =
        ceiling.map_or_else(Vec::new, |ceiling_iops| io_capacities(ceiling_iops / 2.0, ceiling_iops, true));
    found.chain(capacities).chain(multiblock_reads(curves)).collect()
}

/// The curve of a pattern; `read_percent` is that of its I/Os.
fn curve_of(curves: &[Curve], order: Pattern, read_percent: u8, block_size: ByteSize) -> Option<&Curve> {
    curves.iter().find(|curve| {
        let pattern = curve.pattern;
        (pattern.order, pattern.rwmix_read_percent, pattern.block_size) == (order, read_percent, block_size)
    })
}

/// The rate that lasts, or else the ceiling, where it was seen.
fn ceiling_iops(curve: &Curve) -> Option<f64> {
    let saturation = curve.saturation.as_ref().filter(|one| one.is_reached)?;
    Some(curve.sustained.map_or(saturation.ceiling_iops, |rate| rate.iops.min(saturation.ceiling_iops)))
}

/// Mean latency with one I/O outstanding: what a query waits for that reads one page after the other.
fn latency_of_one_us(curve: &Curve) -> Option<f64> {
    let one = curve.probes.iter().find(|probe| probe.outstanding == 1)?;
    one.figures.lat_mean_us.filter(|us| *us > 0.0)
}

fn page_cost(curves: &[Curve]) -> Option<Setting> {
    let random_page_us = latency_of_one_us(curve_of(curves, Pattern::Random, 100, PAGE)?)?;
    // Larger than a page, as the kernel reads ahead; of several the smallest, which is nearest to what it reads by default (128 KiB).
    let is_scan = |curve: &&Curve| {
        let pattern = curve.pattern;
        pattern.order == Pattern::Sequential && pattern.rwmix_read_percent == 100 && pattern.block_size > PAGE
    };
    let scans = curves.iter().filter(is_scan);
    let scan = scans.min_by_key(|curve| curve.pattern.block_size.get().abs_diff(READ_AHEAD.get()))?;
    let block = scan.pattern.block_size;
    let pages = block.get() as f64 / PAGE.get() as f64;
    let sequential_page_us = latency_of_one_us(scan)? / pages;
    let ratio = random_page_us / sequential_page_us;
    let (value, computed) = bounded(UNCACHED_SHARE * ratio, PAGE_COSTS);
    Some(Setting {
        database: Database::PostgreSql,
        name: "random_page_cost",
        value,
        computed,
        evidence: SettingEvidence::PageCosts {
            random_page_us,
            sequential_page_us,
            sequential_block_bytes: block.get(),
            ratio,
        },
        reserve: None,
    })
}

fn io_concurrency(curves: &[Curve]) -> Option<Setting> {
    let saturation = curve_of(curves, Pattern::Random, 100, PAGE)?.saturation.as_ref()?;
    // At or below a load is said of what is good enough as well; above the highest load nothing is known.
    let is_known = matches!(saturation.knee_bound, None | Some(KneeBound::AtOrBelow));
    let (value, computed) = bounded(saturation.knee.outstanding.round(), IO_CONCURRENCY);
    is_known.then_some(Setting {
        database: Database::PostgreSql,
        name: "effective_io_concurrency",
        value,
        computed,
        evidence: SettingEvidence::Knee {
            knee_outstanding: saturation.knee.outstanding,
            knee_iops: saturation.knee.iops,
        },
        reserve: None,
    })
}

fn multiblock_reads(curves: &[Curve]) -> Option<Setting> {
    let is_scan = |curve: &&Curve| {
        let pattern = curve.pattern;
        pattern.order == Pattern::Sequential
            && pattern.rwmix_read_percent == 100
            && (PAGE..=LARGEST_READ).contains(&pattern.block_size)
    };
    let bandwidth = |curve: &Curve| {
        let saturation = curve.saturation.as_ref().filter(|one| one.is_reached)?;
        Some((curve.pattern.block_size, saturation.ceiling_mib_per_s))
    };
    let mut sizes: Vec<(ByteSize, f64)> = curves.iter().filter(is_scan).filter_map(bandwidth).collect();
    sizes.sort_by_key(|(size, _)| *size);
    let most_mib_per_s = sizes.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let (size, bandwidth_mib_per_s) =
        *sizes.iter().find(|(_, rate)| *rate > 0.0 && *rate >= REACHED * most_mib_per_s)?;
    // Of one size nobody knows whether it is the efficient one.
    (sizes.len() > 1).then(|| Setting {
        database: Database::Oracle,
        name: "db_file_multiblock_read_count",
        value: (size.get() / PAGE.get()) as f64,
        computed: None,
        evidence: SettingEvidence::ReadSizes {
            block_size_bytes: size.get(),
            bandwidth_mib_per_s,
            most_mib_per_s,
            size_count: sizes.len(),
        },
        reserve: None,
    })
}
