//! What a page shows first of a sweep: how much the storage does, where its knee is, and the curve that both are of.

use iotrial_analysis::saturation::{KneeBound, Saturation};
use iotrial_analysis::sweep::{Curve, SweepSummary};
use iotrial_model::sweep::SweepRecord;

use super::{curve_name, found, loads};
use crate::chart::{Chart, ChartGroup, Dash, Line, Shape};
use crate::document::{Block, Front, KeyFigure, Section};
use crate::quantity::Quantity;
use crate::table::Value;
use crate::text::cut;

/// The name of a target in a title is cut to this many characters.
const LONGEST_TARGET: usize = 60;

/// The front of a sweep, of whose document these are the sections. A series has no curve, and its page shows its table and its bars.
pub(super) fn of(
    record: Option<&SweepRecord>,
    title: &str,
    summary: &SweepSummary,
    sections: &[Section],
) -> Front {
    let most = |of: fn(&Saturation) -> f64| {
        found(summary).max_by(|(_, one), (_, other)| of(one).total_cmp(&of(other)))
    };
    let (Some((fast, top)), Some((wide, widest))) =
        (most(|found| found.ceiling_iops), most(|found| found.ceiling_mib_per_s))
    else {
        return Front::default();
    };
    let ceiling = |curve: &Curve, of: &Saturation, quantity, number| {
        let value = match of.is_reached {
            true => Value::Number(number),
            false => Value::Bounded { sign: "≥", number, reading: None },
        };
        KeyFigure::new(format!("{}, ceiling", curve_name(summary, curve)), quantity, value)
    };
    let mut figures = vec![ceiling(fast, top, Quantity::Iops, top.ceiling_iops)];
    let sign = match top.knee_bound {
        None => Some(None),
        Some(KneeBound::AtOrBelow) => Some(Some("≤")),
        Some(KneeBound::AtOrAbove) => Some(Some("≥")),
        Some(KneeBound::Unknown) => None,
    };
    if let Some(sign) = sign {
        let at_knee = |number| {
            sign.map_or(Value::Number(number), |sign| Value::Bounded { sign, number, reading: None })
        };
        figures.extend([
            KeyFigure::new("outstanding I/Os at its knee", Quantity::Load, at_knee(top.knee.outstanding)),
            KeyFigure::new(
                "mean latency at its knee",
                Quantity::LatencyUs,
                Value::Number(top.knee.lat_mean_us),
            ),
        ]);
    }
    let writes = found(summary).filter(|(curve, _)| curve.pattern.rwmix_read_percent == 0);
    let writes = writes.max_by(|(_, one), (_, other)| one.ceiling_iops.total_cmp(&other.ceiling_iops));
    figures.extend(
        writes
            .filter(|(curve, _)| curve.pattern != fast.pattern)
            .map(|(curve, found)| ceiling(curve, found, Quantity::Iops, found.ceiling_iops)),
    );
    figures.push(ceiling(wide, widest, Quantity::BandwidthMibPerS, widest.ceiling_mib_per_s));
    let target = match record.map(|record| &record.targets[..]) {
        Some([only]) => Some(cut(&only.named(), LONGEST_TARGET)),
        _ => None,
    };
    Front {
        title: target.map(|target| format!("{title} on {target}")),
        figures,
        chart: chart(sections, fast, top),
        ..Front::default()
    }
}

/// The rates over outstanding I/Os, with the knee and, as a line, the ceiling.
fn chart(sections: &[Section], curve: &Curve, found: &Saturation) -> Option<Block> {
    let id = format!("rate-{}", curve.pattern);
    let charts = sections.iter().flat_map(|section| &section.blocks).filter_map(|block| match block {
        Block::Charts(group) => Some(&group.charts),
        _ => None,
    });
    let chart = charts.flatten().find(|chart| chart.id == id)?;
    let loads = loads(curve);
    let name = if found.is_reached { "ceiling" } else { "highest rate" };
    let ceiling = Line {
        name: name.to_owned(),
        hue: 1,
        dash: Dash::Dashed,
        shape: Shape::Fit,
        points: loads.iter().map(|load| (*load, Some(found.ceiling_iops))).collect(),
    };
    // Ids are unique in a page.
    let mut chart = Chart { id: format!("front-{id}"), ..chart.clone() };
    chart.lines.push(ceiling);
    Some(Block::Charts(ChartGroup { charts: vec![chart] }))
}
