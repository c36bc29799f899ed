//! The load that was made of AWR reports, as a section: the streams, and the latencies that judge them.

use iotrial_analysis::awr::Replay;
use iotrial_model::load::Direction;
use iotrial_model::stream::Stream;
use iotrial_words::awr as said;

use super::words;
use crate::document::{Block, Document, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

impl Document {
    /// Adds the contents of the profile.
    pub fn add_awr_replay(&mut self, replay: &Replay) {
        // At the top, with the other notes.
        let opening =
            self.sections.iter_mut().flat_map(|section| &mut section.blocks).find_map(|block| match block {
                Block::Statement(answer) => Some(answer),
                _ => None,
            });
        if let Some(answer) = opening.filter(|_| !replay.notes.is_empty()) {
            answer.lists.push(PointList {
                heading: "About the load",
                points: replay.notes.iter().map(said::replay_note).collect(),
            });
        }
        let scale = match replay.scale {
            factor if (factor - 1.0).abs() < f64::EPSILON => String::new(),
            factor => format!(" All rates are {factor} times those of the reports."),
        };
        let section = Section {
            id: "replay",
            heading: "The load of the profile",
            note: Some(format!(
                "From {}.{scale} If a mean size is not a power of two, sizes are drawn from two powers of two. The limit is the reported mean.",
                said::rates_of(&replay.source)
            )),
            blocks: vec![Block::Table(streams(replay))],
        };
        // The user requested it, so it comes before the sections that are always there.
        let after = self.sections.iter().position(|one| one.id == "answer").map_or(0, |at| at + 1);
        self.sections.insert(after, section);
    }
}

fn streams(replay: &Replay) -> Table {
    let row = |one: &iotrial_analysis::awr::ReplayStream| {
        let stream = match (one.role, one.direction) {
            (_, Direction::Read) => Stream::Read,
            (iotrial_model::load::Role::Log, Direction::Write) => Stream::Commit,
            (_, Direction::Write) => Stream::Write,
        };
        let limit = replay.limits.iter().find(|limit| limit.role == one.role && limit.stream == stream);
        Row {
            cells: vec![
                words(one.name),
                words(one.role.as_str()),
                Value::Number(one.iops),
                Value::Number(one.mib_per_s),
                Value::Number(one.mib_per_s * 1024.0 / one.iops),
                Value::number(limit.map(|limit| limit.mean_us)),
                words(said::figure_origin(&one.origin)),
            ],
            is_total: false,
        }
    };
    let mut rows: Vec<Row> = replay.streams.iter().map(row).collect();
    let sum = |value: fn(&iotrial_analysis::awr::ReplayStream) -> f64| {
        replay.streams.iter().map(value).sum::<f64>()
    };
    let (iops, mib) = (sum(|one| one.iops), sum(|one| one.mib_per_s));
    rows.push(Row {
        cells: vec![
            words("all"),
            words(""),
            Value::Number(iops),
            Value::Number(mib),
            Value::Number(mib * 1024.0 / iops),
            Value::Absent,
            words(""),
        ],
        is_total: true,
    });
    Table {
        caption: "The streams of the profile".to_owned(),
        columns: vec![
            Column::new("job", Quantity::Words),
            Column::new("role", Quantity::Words),
            Column::new("IOPS", Quantity::Iops),
            // Short names, so that the table fits in 80 columns.
            Column::new("MiB/s", Quantity::BandwidthMibPerS),
            Column::new("mean size, KiB", Quantity::Unitless),
            Column::new("limit", Quantity::LatencyUs),
            Column::new("from", Quantity::Words).first_to_go(),
        ],
        rows,
        at_a_glance: true,
    }
}
