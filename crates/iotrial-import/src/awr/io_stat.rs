//! I/O by function, by kind of file, by tablespace and by file.

use iotrial_model::awr::{AwrKind, AwrReport, FileIo, IoStat, Quoted, Standing};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// Reads them.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    let is_cluster = report.kind == AwrKind::Cluster;
    for section in page.called(&["IOStat by Function", "IO Stat by Function - summary"]) {
        // The matrix of both has another first column.
        if let Some(name) = section.column(&["Function Name", "Function"]) {
            report.io_by_function.extend(io_stats(section, name, is_cluster));
        }
    }
    for section in page.called(&["IOStat by Filetype", "IOStat by File Type"]) {
        if let Some(name) = section.column(&["Filetype Name"]) {
            report.io_by_file_type.extend(io_stats(section, name, is_cluster));
        }
    }
    for section in page.called(&["Tablespace IO Stats"]) {
        files(section, report);
    }
    for section in page.called(&["File IO Stats"]) {
        files(section, report);
    }
}

fn io_stats(section: &Section, name: usize, is_cluster: bool) -> Vec<IoStat> {
    // Reads stand left of writes under the same names, but in a cluster.
    let requests = ["Reqs per sec", "Requests /sec", "Requests/sec"];
    let data = ["Data per sec", "Data Vol/sec"];
    let nth = |names: &[&str], skip| section.nth_column(names, skip);
    let reads = section.column(&["Reads/s"]).or_else(|| nth(&requests, 0));
    let writes = section.column(&["Writes/s"]).or_else(|| nth(&requests, 1));
    let read_mib = section.column(&["Read MB/s"]).or_else(|| nth(&data, 0));
    let write_mib = section.column(&["Write MB/s"]).or_else(|| nth(&data, 1));
    let mean = section.column(&["Avg Tm(ms)", "Avg Time", "Small Read"]);
    // `Small Read` has its unit in the cell from 12.2 on, and is in ms before.
    let unit = mean.map(|at| number::unit_of_header(&section.columns[at].name).unwrap_or(1e3));
    let instance = section.column(&["I#"]).filter(|_| is_cluster);
    let rows = section.rows.iter().filter(|row| {
        let is_summed = instance.is_none_or(|at| row.cell(at) == "*");
        is_summed && !row.cell(name).is_empty()
    });
    rows.map(|row: &Row| IoStat {
        name: kept(row.cell(name)),
        reads_per_s: section.quoted(row, reads, number::count),
        writes_per_s: section.quoted(row, writes, number::count),
        read_mib_per_s: section.quoted(row, read_mib, number::mib),
        write_mib_per_s: section.quoted(row, write_mib, number::mib),
        mean_us: section.quoted(row, mean, |text| number::time_us(text, unit)),
    })
    .collect()
}

/// The columns of a table of tablespaces or files.
struct Columns {
    reads: Option<usize>,
    read_time: Option<usize>,
    blocks: Option<usize>,
    single_reads: Option<usize>,
    single_time: Option<usize>,
    writes: Option<usize>,
    write_rate: Option<usize>,
}

fn files(section: &Section, report: &mut AwrReport) {
    let tablespace = section.column(&["Tablespace", "Tablespace Name"]);
    let reads = section.column(&["Reads"]);
    let (Some(tablespace), Some(_)) = (tablespace, reads) else { return };
    let file = section.column(&["Filename", "File Name"]);
    let mut columns = Columns {
        reads,
        read_time: section.column(&["Av Rd(ms)", "Av Rd (ms)"]),
        blocks: section.column(&["Av Blks/Rd"]),
        single_reads: section.column(&["1-bk Rds/s"]),
        single_time: section.column(&["Av 1-bk Rd(ms)"]),
        writes: section.column(&["Writes"]),
        write_rate: section.column(&["Writes avg/s", "Av Writes/s"]),
    };
    let correction = wrong_order(section, &columns, report.interval.elapsed_s.value());
    if let Some(correction) = &correction {
        (columns.writes, columns.single_reads, columns.single_time) =
            (columns.single_reads, columns.single_time, columns.writes);
        if !report.corrections.contains(correction) {
            report.corrections.push(correction.clone());
        }
    }
    let moved = |value: Quoted| match (&correction, value.is_there()) {
        (Some(correction), true) => {
            Quoted { standing: Standing::Derived, note: Some(correction.clone()), ..value }
        }
        _ => value,
    };
    let time = |text: &str| number::time_us(text, Some(1e3));
    for row in section.rows.iter().filter(|row| !row.cell(tablespace).is_empty()) {
        let one = FileIo {
            tablespace: kept(row.cell(tablespace)),
            file: file.map(|at| kept(row.cell(at))),
            reads: section.quoted(row, columns.reads, number::count),
            read_us: section.quoted(row, columns.read_time, time),
            blocks_per_read: section.quoted(row, columns.blocks, number::plain),
            single_block_reads_per_s: moved(section.quoted(row, columns.single_reads, number::count)),
            single_block_read_us: moved(section.quoted(row, columns.single_time, time)),
            writes: moved(section.quoted(row, columns.writes, number::count)),
        };
        if file.is_some() { report.files.push(one) } else { report.tablespaces.push(one) }
    }
}

/// 11.2.0.4 prints the headers of Tablespace IO Stats in another order than the values: writes under `1-bk Rds/s`, reads of
/// one block under `Av 1-bk Rd(ms)`, and their time under `Writes`. The rate of the writes is in its place, and decides; the
/// release does not, because files are right in the same report.
fn wrong_order(section: &Section, columns: &Columns, elapsed_s: Option<f64>) -> Option<String> {
    let elapsed = elapsed_s.filter(|elapsed| *elapsed > 0.0)?;
    let (single, writes, rate) = (columns.single_reads?, columns.writes?, columns.write_rate?);
    let (mut as_printed, mut as_moved, mut rows) = (0.0, 0.0, 0);
    let (mut single_reads, mut all_reads) = (0.0, 0.0);
    for row in &section.rows {
        let value = |at: usize| number::count(row.cell(at)).map(|number| number.value);
        let (Some(single), Some(writes), Some(rate)) = (value(single), value(writes), value(rate)) else {
            continue;
        };
        as_printed += (writes / elapsed - rate).abs();
        as_moved += (single / elapsed - rate).abs();
        single_reads += single;
        all_reads += columns.reads.and_then(value).unwrap_or(f64::MAX) / elapsed;
        rows += 1;
    }
    // Rates are printed as whole numbers, so that half a write per second and row says nothing.
    let room = 0.5 * f64::from(rows) + 1e-6;
    // An idle database has rates of zero everywhere; but no reads of one block are more than all reads.
    let is_impossible = single_reads > all_reads + room;
    let is_moved = as_moved <= room && (as_printed > room || is_impossible);
    is_moved.then(|| {
        format!(
            "{} prints its values in a different order from its headers (writes under `1-bk Rds/s`, \
             single-block reads per second under `Av 1-bk Rd(ms)`, and their time under `Writes`); iotrial allows for \
             this",
            section.name()
        )
    })
}
