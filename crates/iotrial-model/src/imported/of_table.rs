//! The rows of a printed table as records.

use super::{
    CpuBasis, ImportedJob, ImportedRecord, Source, SourceKind, Stated, StatedBound, StatedCpu, StatedLoad,
    StatedOps, StatedPercentile, StatedStream,
};
use crate::figure::{CpuFigure, Figure};
use crate::metric::MetricKey;
use crate::stream::Stream;
use crate::table::{PrintedJob, PrintedLoad, PrintedRow, PublishedTable};
use crate::units::ByteSize;

/// Where a table lies; nowhere in particular, where nobody will ask.
#[derive(Debug, Clone, Default)]
pub struct TablePlace {
    /// The file as it was named.
    pub file: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// What read it, with its version.
    pub read_by: String,
}

impl PublishedTable {
    /// One record for each row, with the figures of all jobs together. The jobs are those of the table, or the load of the
    /// row. The claims of the table stay behind: they are no facts.
    pub fn records(&self, place: &TablePlace) -> Vec<ImportedRecord> {
        self.rows.iter().map(|row| of_row(self, row, place)).collect()
    }
}

fn of_row(table: &PublishedTable, row: &PrintedRow, place: &TablePlace) -> ImportedRecord {
    let mut record = ImportedRecord::of_source(Source {
        kind: SourceKind::Table,
        tool: table.source.as_ref().unwrap_or(&table.title).clone(),
        version: None,
        file: place.file.clone(),
        place: format!("row {}", row.id),
        sha256: place.sha256.clone(),
        read_by: place.read_by.clone(),
    });
    record.id.clone_from(&row.id);
    record.label = Some(row.label.clone());
    record.attributes.clone_from(&row.attributes);
    record.jobs = match &row.load {
        Some(load) => vec![job_of_load(load)],
        None => table.jobs.iter().map(job_of).collect(),
    };
    let mut total = StatedOps::default();
    for (name, number) in &row.figures {
        let stated = Stated::from(number);
        if !total.put(&mut record.cpu, name, stated) {
            record.other.insert(name.clone(), stated);
        }
    }
    let runtime_s = table.runtime.map(|runtime| Stated::exact(runtime.as_secs_f64()));
    for stream in [&mut total.read, &mut total.write, &mut total.all].into_iter().flatten() {
        stream.runtime_s = runtime_s;
    }
    record.total = Some(total);
    record.bounds = row
        .bounds
        .iter()
        .map(|bound| StatedBound {
            metric: bound.metric.clone(),
            relation: bound.relation,
            number: Stated::from(&bound.number),
        })
        .collect();
    record
}

impl StatedOps {
    /// Sets a figure by its name in tables, such as `read.lat_p99_us` or `cpu.usr_percent`; `false` where it is none of a stream
    /// and none of the CPU.
    pub fn put(&mut self, cpu: &mut Option<StatedCpu>, name: &str, stated: Stated) -> bool {
        match MetricKey::from_key(name) {
            Some(MetricKey::Figure(stream, figure)) => {
                let stream = match stream {
                    Stream::Read => &mut self.read,
                    Stream::Write => &mut self.write,
                    Stream::Mixed => &mut self.all,
                    // No table tells commits from writes.
                    Stream::Commit => return false,
                };
                stream.get_or_insert_default().put(figure, stated);
            }
            Some(MetricKey::Cpu(figure)) => {
                let none =
                    StatedCpu { usr_percent: None, sys_percent: None, per_io_us: None, of: CpuBasis::Host };
                cpu.get_or_insert(none).put(figure, stated);
            }
            // No table tells the roles apart, or searches for a rate.
            Some(
                MetricKey::OfRole(..) | MetricKey::Capacity | MetricKey::Sweep(_) | MetricKey::Named { .. },
            )
            | None => {
                return false;
            }
        }
        true
    }
}

impl StatedCpu {
    /// What is stated of a figure; `None` where the source does not state it.
    pub const fn get(&self, figure: CpuFigure) -> Option<Stated> {
        match figure {
            CpuFigure::User => self.usr_percent,
            CpuFigure::System => self.sys_percent,
            CpuFigure::PerIo => self.per_io_us,
        }
    }

    const fn put(&mut self, figure: CpuFigure, stated: Stated) {
        match figure {
            CpuFigure::User => self.usr_percent = Some(stated),
            CpuFigure::System => self.sys_percent = Some(stated),
            CpuFigure::PerIo => self.per_io_us = Some(stated),
        }
    }
}

impl StatedStream {
    /// Sets a rate or a figure of the total latency.
    fn put(&mut self, figure: Figure, stated: Stated) {
        let latency = &mut self.total_latency;
        let percent = match figure {
            Figure::Iops => return self.iops = Some(stated),
            Figure::Bandwidth => return self.bandwidth_mib_per_s = Some(stated),
            Figure::LatencyMean => return latency.mean_us = Some(stated),
            Figure::LatencyMax => return latency.max_us = Some(stated),
            percentile => percentile.percent(),
        };
        latency.percentiles_us.extend(percent.map(|percent| StatedPercentile { percent, at: stated }));
        latency.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    }
}

fn job_of(job: &PrintedJob) -> ImportedJob {
    let load = StatedLoad {
        pattern: job.pattern,
        rwmix_read_percent: job.read_percent,
        iodepth: job.iodepth,
        numjobs: job.numjobs,
        size: job.size_gib.and_then(size_of),
        inferred: job.inferred,
        ..StatedLoad::default()
    };
    ImportedJob {
        name: job.name.clone(),
        role: job.role,
        load: load.with_block_size(job.block_size),
        ..ImportedJob::default()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn size_of(gib: f64) -> Option<ByteSize> {
    let bytes = gib * 1_073_741_824.0;
    (0.0..1e15).contains(&bytes).then(|| ByteSize::bytes(bytes as u64))
}

fn job_of_load(load: &PrintedLoad) -> ImportedJob {
    let stated = StatedLoad {
        pattern: load.pattern,
        rwmix_read_percent: load.read_percent,
        outstanding: load.outstanding,
        ..StatedLoad::default()
    };
    ImportedJob {
        name: "load".to_owned(),
        load: stated.with_block_size(load.block_size),
        ..ImportedJob::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_becomes_a_record_with_every_figure_in_its_place() {
        let text = r#"
format = "iotrial.table/1"
title = "T"
source = "a report"
runtime_s = 300
[[job]]
name = "sql"
role = "data"
pattern = "random"
read_percent = 70
block_size_bytes = 8192
numjobs = 6
iodepth = 8
[[row]]
id = "A"
label = "one"
attributes = { volumes = 1 }
read = { iops = 98600, lat_p999_us = 2671, lat_mean_us = "1072.50", total_gib = 226 }
total = { bandwidth_mib_per_s = 770 }
cpu = { usr_percent = "1.70" }
other = { batch_requests_per_s = 13100 }
bounds = { write_lat_mean_us_below = 1000 }
"#;
        let table = PublishedTable::parse(text).unwrap();
        let place = TablePlace { file: "t.toml".into(), sha256: "00".into(), read_by: "test".into() };
        let records = table.records(&place);
        let record = &records[0];
        record.check().unwrap();
        assert_eq!((record.source.tool.as_str(), record.source.place.as_str()), ("a report", "row A"));
        let read = record.total.as_ref().unwrap().read.as_ref().unwrap();
        assert_eq!(read.iops, Some(Stated { value: 98_600.0, resolution: 100.0 }));
        assert_eq!(read.total_latency.mean_us.unwrap().resolution, 0.01);
        assert_eq!(read.total_latency.percentile(99.9).unwrap().value, 2_671.0);
        assert_eq!(read.runtime_s, Some(Stated::exact(300.0)));
        assert_eq!(record.jobs[0].load.total_outstanding(), Some(48));
        assert_eq!(record.jobs[0].load.block_size(), Some(ByteSize::kib(8)));
        let other: Vec<&str> = record.other.keys().map(String::as_str).collect();
        assert_eq!(other, ["other.batch_requests_per_s", "read.total_gib"]);
        assert_eq!(record.bounds[0].metric, "write.lat_mean_us");
        let written = serde_json::to_string(record).unwrap();
        assert_eq!(&serde_json::from_str::<ImportedRecord>(&written).unwrap(), record, "{written}");
    }
}
