//! Results that were measured one by one over a grid of loads, as the curves of a sweep.

use std::collections::{BTreeSet, HashMap};

use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::record::EndedHow;
use iotrial_model::subject::Subject;
use iotrial_model::sweep::{ProbePurpose, SweepMethod};

use super::{Curve, Probe, SweepSummary, findings, limit};
use crate::saturation::{LoadPoint, Saturation};

/// A result that is no point of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// File and place.
    pub whence: String,
    /// What a point needs and is not there, as a clause.
    pub why: &'static str,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is no point of a curve: {}", self.whence, self.why)
    }
}

/// What a point of a curve needs.
struct Point {
    pattern: LoadPattern,
    configuration: String,
    probe: Probe,
}

impl SweepSummary {
    /// The curves of results that were measured one by one: a curve for each kind of I/O of each configuration. Results that
    /// do not state their load are left out, and told.
    pub fn of_results<'r>(results: impl IntoIterator<Item = Subject<'r>>) -> (Self, Vec<LeftOut>) {
        let (mut points, mut left_out) = (Vec::new(), Vec::new());
        for subject in results {
            let whence = subject.whence().unwrap_or_else(|| subject.id.to_owned());
            match Point::of(&subject) {
                Ok(point) => points.push((point, whence)),
                Err(why) => left_out.push(LeftOut { whence, why }),
            }
        }
        let mut loads: HashMap<(String, LoadPattern), BTreeSet<u32>> = HashMap::new();
        for (point, _) in &points {
            loads.entry(point.curve()).or_default().insert(point.probe.outstanding);
        }
        // Repeats of one load are one point: only a second load tells whether more I/Os bring more.
        let is_alone = |point: &Point| loads.get(&point.curve()).is_none_or(|loads| loads.len() < 2);
        let (alone, points): (Vec<_>, Vec<_>) = points.into_iter().partition(|(point, _)| is_alone(point));
        let why = "there is no other load of its kind";
        left_out.extend(alone.into_iter().map(|(_, whence)| LeftOut { whence, why }));
        let mut volumes: Vec<String> = Vec::new();
        let mut curves: Vec<Curve> = Vec::new();
        for (point, _) in points {
            let volume =
                volumes.iter().position(|known| *known == point.configuration).unwrap_or_else(|| {
                    volumes.push(point.configuration.clone());
                    volumes.len() - 1
                });
            let pattern = point.pattern;
            match curves.iter_mut().find(|curve| (curve.pattern, curve.volume) == (pattern, volume)) {
                Some(curve) => curve.probes.push(point.probe),
                None => curves.push(Curve {
                    pattern,
                    volume,
                    probes: vec![point.probe],
                    sustained: None,
                    saturation: None,
                    limit: None,
                }),
            }
        }
        curves.sort_by_key(|curve| (curve.pattern, curve.volume));
        for curve in &mut curves {
            curve.probes.sort_by_key(|probe| probe.outstanding);
            let points: Vec<LoadPoint> = curve.probes.iter().map(Probe::point).collect();
            // No long measurement beyond the knee is among them that would tell the ceiling by itself.
            curve.saturation = Saturation::of(&points, None);
        }
        limit::name_limits(&[], &[], &mut curves);
        let mut findings = findings::of_curves(&curves, &volumes, "");
        findings.extend(findings::of_left_out(&left_out));
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let summary = Self {
            method: SweepMethod::Grid,
            ended: EndedHow::Complete,
            ended_reason: None,
            measured_s: curves.iter().flat_map(|curve| &curve.probes).map(|probe| probe.measured_s).sum(),
            volumes,
            curves,
            // Of results of others nobody knows on which volume they were measured.
            settings: Vec::new(),
            scaling: Vec::new(),
            findings,
        };
        (summary, left_out)
    }
}

impl Point {
    /// The curve that it belongs to.
    fn curve(&self) -> (String, LoadPattern) {
        (self.configuration.clone(), self.pattern)
    }

    fn of(subject: &Subject<'_>) -> Result<Self, &'static str> {
        let (first, others) = subject.jobs.split_first().ok_or("its load is not stated")?;
        let load = &first.load;
        let is_same = others.iter().all(|job| {
            (job.load.pattern, job.load.rwmix_read_percent, job.load.block_size())
                == (load.pattern, load.rwmix_read_percent, load.block_size())
        });
        if !is_same {
            return Err("its load is of several kinds of I/O");
        }
        let percent = load.rwmix_read_percent.ok_or("its share of reads is not stated")?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
        let pattern = LoadPattern {
            order: load.pattern.ok_or("whether it is random or sequential is not stated")?,
            rwmix_read_percent: percent.round().clamp(0.0, 100.0) as u8,
            block_size: load.block_size().ok_or("it has not one block size")?,
        };
        if subject.jobs.iter().any(|job| job.load.is_held_back()) {
            return Err("a rate or pauses held its load back");
        }
        let outstanding = subject.total_outstanding().filter(|sum| (1..=1 << 20).contains(sum));
        outstanding.ok_or("its outstanding I/Os are not stated")?;
        let probe = Probe::of(subject, ProbePurpose::Grid);
        if probe.figures.iops.is_none_or(|iops| iops <= 0.0) {
            return Err("its rate is not stated");
        }
        Ok(Self { pattern, configuration: configuration_of(subject), probe })
    }
}

/// The label, else the attributes, else what it worked on.
fn configuration_of(subject: &Subject<'_>) -> String {
    if let Some(label) = subject.label {
        return label.to_owned();
    }
    let attributes: Vec<String> =
        subject.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let targets = subject.targets_in_words();
    match (attributes.is_empty(), targets.is_empty()) {
        (false, _) => attributes.join(" "),
        (true, false) => targets,
        (true, true) => subject.tool_name().unwrap_or_default().to_owned(),
    }
}
