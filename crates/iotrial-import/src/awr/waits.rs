//! What was waited for, and how the waits spread.

use iotrial_model::awr::{AwrReport, Bucket, Named, Quoted, Wait, WaitHistogram, WaitSide};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// A printed mean with fewer digits than this says less than total by count does.
// Half a unit is less than 2 % of the number: 28 ms is as good as what can be worked out, `4` is not.
const ROUGH: f64 = 0.02;

/// More events than Oracle has.
const MOST_EVENTS: usize = 6_000;

/// More classes than Oracle has.
const MOST_CLASSES: usize = 50;

/// Reads both.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    let sides = [
        (WaitSide::Foreground, ["Foreground Wait Events", "Foreground Wait Events (Global)"]),
        (WaitSide::Background, ["Background Wait Events", "Background Wait Events (Global)"]),
    ];
    for (side, headings) in sides {
        page.called(&headings).for_each(|section| waits(section, side, report));
    }
    if report.waits.is_empty() {
        // 10.2 does not tell them apart; later ones have the sum of both as well.
        let is_sum = |section: &&Section| section.is_called(&["Wait Events (fg and bg)"]);
        page.called(&["Wait Events"])
            .filter(|section| !is_sum(section))
            .for_each(|section| waits(section, WaitSide::Both, report));
    }
    // The second is in the summary, and has whole seconds as well.
    for heading in ["Foreground Wait Class", "Wait Classes by Total Wait Time"] {
        for section in page.called(&[heading]) {
            if report.wait_classes.is_empty() {
                classes(section, report);
            }
        }
    }
    for section in page.called(&["Wait Event Histogram"]) {
        histogram(section, report);
    }
}

fn classes(section: &Section, report: &mut AwrReport) {
    let class = section.column(&["Wait Class"]);
    let total = section.column(&["Total Wait Time (s)", "Total Wait Time (sec)", "Total Time (sec)"]);
    let (Some(class), Some(_)) = (class, total) else { return };
    let rows = section.rows.iter().filter(|row| !row.cell(class).is_empty()).take(MOST_CLASSES);
    report.wait_classes = rows
        .map(|row| Named { name: kept(row.cell(class)), value: section.quoted(row, total, number::count) })
        .collect();
}

fn waits(section: &Section, side: WaitSide, report: &mut AwrReport) {
    let event = section.column(&["Event", "Wait Event"]);
    let waits = section.column(&["Waits", "Event Waits"]);
    let total = section.column(&["Total Wait Time (s)", "Total Wait Time (sec)", "Total(s)", "Time (s)"]);
    let (Some(event), Some(_), Some(_)) = (event, waits, total) else { return };
    let mean = section.column(&["Avg wait", "Avg wait (ms)", "Wait Avg(ms)", "Avg wait (us)"]);
    let unit = mean.and_then(|at| number::unit_of_header(section.columns[at].full_name()));
    let percent = section.column(&["% DB time", "%DB time", "% bg time", "%bg time", "%Total Call Time"]);
    for row in section.rows.iter().filter(|row| !row.cell(event).is_empty()) {
        if report.waits.len() >= MOST_EVENTS {
            return;
        }
        let waits = section.quoted(row, waits, number::count);
        let total_s = section.quoted(row, total, number::count);
        let printed = section.quoted(row, mean, |text| number::time_us(text, unit));
        let mean_us = mean_of(&waits, &total_s, printed);
        report.waits.push(Wait {
            event: kept(row.cell(event)),
            side,
            percent: section.quoted(row, percent, number::plain),
            waits,
            total_s,
            mean_us,
        });
    }
}

/// The printed mean, or the better one that follows from total and count.
fn mean_of(waits: &Quoted, total_s: &Quoted, printed: Quoted) -> Quoted {
    // Counts with a suffix are rounded, too.
    let worked_out = total_s.sound_number().zip(waits.sound_number());
    let Some(worked_out) = worked_out.and_then(|(total_s, count)| total_s.scaled(1e6).over(count)) else {
        return printed;
    };
    let Some(number) = printed.number else {
        return if worked_out.resolution < worked_out.value {
            Quoted::derived(worked_out, printed.place, "total wait time by number of waits")
        } else {
            printed
        };
    };
    if !printed.agrees_with(worked_out, 0.02) {
        let why = format!("total wait time by number of waits is {:.3} ms", worked_out.value / 1e3);
        return printed.contradicted(why);
    }
    let finest = worked_out.resolution.min(number.resolution);
    if number.value == 0.0 && worked_out.value == 0.0 {
        let most = finest / 2.0 / 1e3;
        return Quoted::absent(
            printed.place,
            format!("printed as 0: less than {} ms", short(most.max(0.001))),
        );
    }
    let is_rough = number.resolution > 2.0 * ROUGH * number.value;
    if is_rough && worked_out.resolution < number.resolution {
        let how = format!("total wait time by number of waits; printed as {} ms", short(number.value / 1e3));
        return Quoted::derived(worked_out, printed.place, how);
    }
    printed
}

fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn histogram(section: &Section, report: &mut AwrReport) {
    let Some(event) = section.column(&["Event"]) else { return };
    // `Total Waits`, or `Waits 64ms to 2s` in the tables of detail.
    let waits = section.columns.iter().position(|column| column.name.to_lowercase().contains("waits"));
    let edges: Vec<(usize, Option<f64>)> = section
        .columns
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != waits && *at != event)
        .filter_map(|(at, column)| Some((at, number::bucket_edge_us(&column.name)?)))
        .collect();
    if edges.len() < 3 {
        return;
    }
    let of = |row: &Row| WaitHistogram {
        event: kept(row.cell(event)),
        table: kept(section.name()),
        waits: section.quoted(row, waits, number::count),
        buckets: edges
            .iter()
            .filter_map(|(at, below_us)| {
                let percent = number::plain(row.cell(*at))?.value;
                (0.0..=100.0).contains(&percent).then_some(Bucket { below_us: *below_us, percent })
            })
            .collect(),
    };
    let rows = section.rows.iter().filter(|row| !row.cell(event).is_empty());
    let room = MOST_EVENTS.saturating_sub(report.histograms.len());
    report.histograms.extend(rows.take(room).map(of));
}
