//! How much of a database its reports have: one instance of several is a part of it, and nothing says how large.

use std::collections::BTreeMap;

use iotrial_model::awr::{AwrFigure, AwrFigures, AwrKind, AwrReport, OnCells, Part};

use super::sample::AwrSample;

/// Storage servers count each copy of a mirrored write, of which there are three at most, and cut large reads into several: only beyond
/// that they see requests that the report does not have.
const BEYOND_COPIES: f64 = 4.0;
/// What one report says of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Instances {
    /// How many the cluster has: those that ran, or those that it is set up for.
    pub(super) count: Option<u32>,
    /// Whether it is a cluster, however large.
    is_cluster: bool,
    /// Name, requests and MiB per second on the storage servers, and the requests of the report.
    on_cells: Option<(String, f64, Option<f64>, f64)>,
}

impl Instances {
    /// Of a cluster of so many.
    #[cfg(test)]
    pub(super) fn of_cluster(count: u32) -> Self {
        Self { count: Some(count), is_cluster: true, on_cells: None }
    }

    pub(super) fn of(report: &AwrReport, figures: &AwrFigures) -> Self {
        let is_cluster = report.database.is_rac == Some(true)
            || report.parameter("cluster_database").is_some_and(|one| one.eq_ignore_ascii_case("true"));
        // Releases before 11.2 do not print how many ran.
        let configured = || report.parameter("cluster_database_instances")?.parse().ok();
        let count = report.running_instances.or_else(|| if is_cluster { configured() } else { None });
        let current =
            report.exadata.as_ref().and_then(|one| one.top_databases.iter().find(|one| one.is_current));
        let on_cells = current.and_then(|one| {
            let own = figures.value(AwrFigure::Requests).filter(|own| *own > 0.0)?;
            Some((one.name.clone(), one.requests_per_s.sound()?, one.mib_per_s.sound(), own))
        });
        Self { count, is_cluster: is_cluster && report.kind != AwrKind::Cluster, on_cells }
    }
}

/// `None` where the reports have all instances, as far as they say.
pub(super) fn part_of(samples: &[AwrSample]) -> Option<Part> {
    let mut moments: BTreeMap<_, Vec<&AwrSample>> = BTreeMap::new();
    for sample in samples {
        moments.entry(sample.moment()).or_default().push(sample);
    }
    let mut lacking: Vec<(usize, Option<u32>)> = Vec::new();
    for of_moment in moments.values() {
        let here: usize = of_moment.iter().map(|one| one.instances.len()).sum();
        let count = of_moment.iter().filter_map(|one| one.about.instances.count).max();
        let is_lacking = match count {
            Some(count) => here < usize::try_from(count).unwrap_or(usize::MAX),
            None => here == 1 && of_moment.iter().any(|one| one.about.instances.is_cluster),
        };
        if is_lacking {
            lacking.push((here, count));
        }
    }
    let on_cells = on_cells(samples);
    let is_seen = on_cells.as_ref().is_some_and(|one| one.times >= BEYOND_COPIES);
    if lacking.is_empty() && !is_seen {
        return None;
    }
    Some(Part {
        instances: lacking.iter().map(|(here, _)| *here).max().unwrap_or(1),
        of_instances: lacking.iter().filter_map(|(_, count)| *count).max(),
        lacking_intervals: lacking.len(),
        intervals: moments.len(),
        on_cells: on_cells.filter(|_| is_seen),
    })
}

/// A moment at which storage servers and reports both have figures.
struct Seen {
    /// Requests per second on the storage servers.
    requests: f64,
    /// MiB per second there.
    mib: Option<f64>,
    /// Requests per second of the reports.
    own: f64,
    seconds: f64,
}

/// Means over the reports that have both.
fn on_cells(samples: &[AwrSample]) -> Option<OnCells> {
    // Each report of an instance has the same whole: it counts once for each moment, and the instances add up.
    let mut moments: BTreeMap<_, Seen> = BTreeMap::new();
    let mut database = None;
    for sample in samples {
        let Some((name, requests, mib, own)) = &sample.about.instances.on_cells else { continue };
        database.get_or_insert(name);
        let new = Seen { requests: *requests, mib: *mib, own: 0.0, seconds: sample.seconds() };
        moments.entry(sample.moment()).or_insert(new).own += own;
    }
    let seconds: f64 = moments.values().map(|one| one.seconds).sum();
    let mean = |of: fn(&Seen) -> Option<f64>| {
        let sum: Option<f64> = moments.values().map(|one| Some(of(one)? * one.seconds)).sum();
        sum.map(|sum| sum / seconds).filter(|mean| mean.is_finite())
    };
    let (requests, own) = (mean(|one| Some(one.requests))?, mean(|one| Some(one.own))?);
    Some(OnCells {
        database: database?.clone(),
        requests_per_s: requests,
        mib_per_s: mean(|one| one.mib),
        times: requests / own,
    })
}
