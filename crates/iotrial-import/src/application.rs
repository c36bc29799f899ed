//! Benchmarks of databases: pgbench, HammerDB, and what sysbench does to a database. What they measure is no storage, and becomes figures
//! of an application (`other.…`), whose names end in their unit.

use std::collections::BTreeMap;

use iotrial_model::imported::{Stated, StatedOps};

use crate::scan::{after, number_and_unit};
use crate::text::{numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// Whose output it is, what stands on a line of each run, and how a line adds to its figures.
struct Program {
    name: &'static str,
    words: &'static [&'static str],
    /// The line with which a run is complete.
    last: &'static str,
    read: fn(&str, &mut BTreeMap<String, Stated>),
}

const PROGRAMS: [Program; 3] = [
    Program {
        name: "HammerDB",
        words: &["TEST RESULT : System achieved "],
        last: "TEST RESULT : System achieved ",
        read: hammerdb,
    },
    Program {
        name: "pgbench",
        words: &["number of transactions actually processed: ", "tps = "],
        last: "tps = ",
        read: pgbench,
    },
    Program {
        name: "sysbench",
        words: &["queries performed:", "transactions:", " per sec.)"],
        last: "execution time (avg/stddev)",
        read: sysbench,
    },
];

fn program(text: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.words.iter().all(|word| text.contains(word)))
}

/// Whether a text is of one of them.
pub(crate) fn is_it(text: &str) -> bool {
    program(text).is_some()
}

/// Reads all runs of a log.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let text = without_prefixes(text, &["tps = ", "queries performed:"]);
    let Some(program) = program(&text) else { return Ok(()) };
    let mut figures = BTreeMap::new();
    for (line, whole) in numbered(&text) {
        // pgbench 13 and before has a second rate, with the time that connections take.
        let whole = whole.trim();
        let is_other_rate = whole.contains("(including connections establishing)");
        if !is_other_rate {
            (program.read)(whole, &mut figures);
        }
        if whole.contains(program.last) && !is_other_rate && !figures.is_empty() {
            let mut record = reading.record(program.name, None, format!("line {line}"));
            record.other = std::mem::take(&mut figures);
            record.total = Some(StatedOps::default());
            reading.keep(record)?;
        }
    }
    Ok(())
}

/// A number with its unit behind it.
fn stated(text: &str) -> Option<Stated> {
    Stated::parse(number_and_unit(text).0)
}

fn put(figures: &mut BTreeMap<String, Stated>, name: &str, number: Option<Stated>) {
    figures.extend(number.map(|number| (format!("other.{name}"), number)));
}

/// `latency average = 12.3 ms`, `tps = 205.1 (without initial connection time)`
fn pgbench(line: &str, figures: &mut BTreeMap<String, Stated>) {
    const FIGURES: [(&str, &str); 4] = [
        ("tps", "transactions_per_s"),
        ("latency average", "transaction_mean_ms"),
        ("latency stddev", "transaction_stddev_ms"),
        ("number of clients", "clients"),
    ];
    let Some((label, value)) = line.split_once(['=', ':']) else { return };
    let figure = FIGURES.iter().find(|(name, _)| *name == label.trim());
    put(figures, figure.map_or("", |(_, name)| name), figure.and_then(|_| stated(value)));
}

/// `System achieved 42332 NOPM from 97427 PostgreSQL TPM`, before version 4 `97427 PostgreSQL TPM at 42332 NOPM`
fn hammerdb(line: &str, figures: &mut BTreeMap<String, Stated>) {
    let Some(result) = after(line, "TEST RESULT : System achieved ", &[]) else { return };
    let mut before: Option<Stated> = None;
    for word in result.split_whitespace() {
        match word {
            "NOPM" => put(figures, "new_orders_per_min", before.take()),
            "TPM" => put(figures, "transactions_per_min", before.take()),
            // Between the number and TPM stands the database.
            _ => before = Stated::parse(word).or(before),
        }
    }
}

/// `transactions:   318    (31.76 per sec.)`, `95th percentile:   35.59`, in ms
fn sysbench(line: &str, figures: &mut BTreeMap<String, Stated>) {
    let Some((label, value)) = line.split_once(':') else { return };
    let per_s = || stated(after(value, "(", &[])?);
    match label.trim() {
        "transactions" => put(figures, "transactions_per_s", per_s()),
        "queries" => put(figures, "queries_per_s", per_s()),
        "avg" => put(figures, "transaction_mean_ms", stated(value)),
        "max" => put(figures, "transaction_max_ms", stated(value)),
        label if label.ends_with(" percentile") => {
            let percent = number_and_unit(label.trim_start_matches("approx.")).0;
            put(figures, &format!("transaction_p{}_ms", quote(percent)), stated(value));
        }
        _ => {}
    }
}
