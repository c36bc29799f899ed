//! The text of `iostat -x`: a table for each report, whose columns differ by version.

use iotrial_model::counters::{CounterSeries, DiskCounters, DiskRates};

use super::{CountersError, MOST_RATES, rate};
use crate::text::{numbered, quote};

pub(super) const TOOL: &str = "iostat";
pub(super) const LACKING: CountersError = CountersError::Lacking {
    tool: "iostat",
    missing: "reads and writes apart",
    hint: "record it with -x: `iostat -x -y 15 5760` is a day",
};
pub(super) const SINCE_START: &str =
    "the first report is left out: without -y it is the mean since the machine was started";
const ONLY_ONE: &str = "there is one report only: without -y that is the mean since the machine was started, and no peak is in it";

/// `Device` or `Device:`, at the beginning or (with --pretty) at the end.
pub(super) fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_device = |word: &str| matches!(word, "Device" | "Device:");
    let (first, last) = (words.next(), words.next_back());
    [first, last].into_iter().flatten().any(is_device) && (line.contains("/s") || line.contains("tps"))
}

/// Where the columns of a report stand.
struct Columns {
    count: usize,
    name: usize,
    read_iops: usize,
    write_iops: usize,
    /// With the bytes of one unit.
    read: (usize, f64),
    write: (usize, f64),
}

impl Columns {
    fn of(header: &str) -> Option<Self> {
        let words: Vec<&str> = header.split_whitespace().collect();
        let at = |name: &str| words.iter().position(|word| *word == name);
        let bytes = |direction: char| {
            // iostat's kB are 1,024 bytes, and its sectors are 512 bytes whatever the device has. By version,
            // and by -k or -m, it prints one of the three.
            let units = [("kB/s", 1024.0), ("MB/s", 1_048_576.0), ("sec/s", 512.0)];
            units.iter().find_map(|(unit, factor)| Some((at(&format!("{direction}{unit}"))?, *factor)))
        };
        Some(Self {
            count: words.len(),
            name: at("Device").or_else(|| at("Device:"))?,
            read_iops: at("r/s")?,
            write_iops: at("w/s")?,
            read: bytes('r')?,
            write: bytes('w')?,
        })
    }

    fn rates(&self, words: &[&str]) -> Option<DiskRates> {
        let at = |index: usize| rate(words.get(index)?);
        Some(DiskRates {
            read_iops: at(self.read_iops)?,
            write_iops: at(self.write_iops)?,
            read_bytes_per_s: at(self.read.0)? * self.read.1,
            write_bytes_per_s: at(self.write.0)? * self.write.1,
        })
    }
}

/// Reports one after the other: the disks of each, found again by their names.
#[derive(Default)]
pub(super) struct Reports {
    disks: Vec<DiskCounters>,
    count: usize,
    rate_count: usize,
}

impl Reports {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn begin(&mut self) {
        self.count += 1;
    }

    pub(super) fn add(&mut self, name: &str, rates: DiskRates) -> Result<(), CountersError> {
        // A linear search is enough: a machine has tens of disks, and the limit on rates bounds a hostile
        // file.
        let index = match self.disks.iter().position(|disk| disk.name == name) {
            Some(index) => index,
            None => {
                self.disks.push(DiskCounters { name: name.to_owned(), rates: Vec::new() });
                self.disks.len() - 1
            }
        };
        let all = &mut self.disks[index].rates;
        // A disk that came later did nothing before.
        // Intervals that are filled up count, too, or a file with a new disk in every report would grow with
        // the square of its length.
        self.rate_count += self.count.saturating_sub(all.len());
        if self.rate_count > MOST_RATES {
            return Err(CountersError::TooMany);
        }
        all.resize(self.count, None);
        if let Some(last) = all.last_mut() {
            *last = Some(rates);
        }
        Ok(())
    }

    /// The series without the report that is a mean since the start.
    pub(super) fn series(
        mut self,
        host: Option<String>,
        interval_s: Option<f64>,
    ) -> Result<CounterSeries, CountersError> {
        // Once more after the last report: here every disk gets as many intervals as there are.
        if self.disks.len().saturating_mul(self.count) > MOST_RATES {
            return Err(CountersError::TooMany);
        }
        self.disks.iter_mut().for_each(|disk| disk.rates.resize(self.count, None));
        let note = if self.count > 1 {
            for disk in &mut self.disks {
                // The first report is recognised by its place only; nothing in the text says whether -y was
                // given.
                disk.rates.remove(0);
            }
            SINCE_START
        } else {
            ONLY_ONE
        };
        Ok(CounterSeries { tool: TOOL, host, interval_s, disks: self.disks, notes: vec![note.to_owned()] })
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let mut reports = Reports::default();
    let mut columns: Option<Columns> = None;
    let mut name_alone: Option<&str> = None;
    for (number, line) in numbered(text) {
        if is_header(line) {
            // The columns are read anew from every header, since several recordings may be in one file.
            columns = Some(Columns::of(line).ok_or(LACKING)?);
            reports.begin();
            continue;
        }
        let Some(of) = &columns else { continue };
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // Between reports there are other tables, such as that of the CPUs.
        if words.is_empty() || line.starts_with("avg-cpu") {
            (columns, name_alone) = (None, None);
            continue;
        }
        // A long name stands on a line of its own.
        if words.len() == 1 {
            name_alone = Some(words[0]);
            continue;
        }
        if let Some(name) = name_alone.take().filter(|_| words.len() + 1 == of.count) {
            words.insert(0, name);
        }
        let rates = of.rates(&words).filter(|_| words.len() == of.count);
        let Some(rates) = rates else {
            return Err(CountersError::Broken {
                place: format!("line {number}"),
                message: format!("`{}` does not have the columns of its header", quote(line)),
            });
        };
        reports.add(words[of.name], rates)?;
    }
    // The first line reads `Linux 6.1.0 (db01) 06/01/20 …`.
    let host = text.lines().next().and_then(|line| line.split_once('(')?.1.split_once(')'));
    reports.series(host.map(|(host, _)| quote(host)), None)
}
