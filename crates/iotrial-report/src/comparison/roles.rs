//! The comparison by role: what the configurations do for data, log and temporary space, each apart.

use iotrial_analysis::comparison::{Comparison, Metric};

use super::{
    COMPARED, all_pairs, changes_table, charts, figures_table, keys, matrix, matrix_rows, ranking_table,
    streams,
};
use crate::document::{Block, Section};
use crate::table::{Row, Table};

/// Figures, changes and rankings of each role; `None` where the runs have only one.
pub(crate) fn section(comparison: &Comparison) -> Option<Section> {
    let streams = streams(comparison, true);
    let figures = figures_table(comparison, "Figures by role", &streams)?;
    let changed: Vec<Row> = all_pairs(comparison)
        .into_iter()
        .flat_map(|pair| matrix_rows(comparison, pair, &[keys(comparison, pair)], &streams))
        .collect();
    let changed = Some(matrix(comparison, "Changes by role", &[COMPARED], changed))
        .filter(|table| !table.rows.is_empty());
    // A terminal shows only the figures and the changes: places and intervals of five streams would fill pages.
    let in_full = |table: Table| Table { at_a_glance: false, ..table };
    let every = changes_table(comparison, "Every change by role", Metric::is_of_role).map(in_full);
    let ranking = ranking_table(comparison, "Ranking by role", &comparison.rankings_by_role).map(in_full);
    let tables = [Some(figures), changed, ranking, every].into_iter().flatten().map(Block::Table);
    let note = "Each role by itself; these figures do not count in the overall ranking. The 95 % confidence covers all roles of one pair jointly.";
    Some(Section {
        id: "roles",
        heading: "By role",
        note: Some(note.to_owned()),
        blocks: tables.chain([charts::bars_of(comparison, "role-bars", &streams)]).collect(),
    })
}
