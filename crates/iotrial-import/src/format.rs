//! The formats that are read: by what each is recognised in the content of a file, and its reader.

use iotrial_model::imported::SourceKind;

use crate::text::has_line;
use crate::{
    ImportError, Reading, application, crystaldiskmark, diskspd, diskspd_text, elbencho, figures_csv, fio,
    fio_summary, fio_terse, fio_text, iometer, pg_test_fsync, printed_table, prometheus, sqlio, sysbench,
    vdbench,
};

/// Results that can be read, for whoever gave something else.
pub(crate) const READABLE: &str = "results of fio (JSON, terse or its normal output), diskspd (XML or text), SQLIO, Iometer, CrystalDiskMark, KDiskMark, vdbench, kbench, kubestr, YABS, sysbench, elbencho, pg_test_fsync, pgbench and HammerDB can be read, flushes of etcd, and tables: `iotrial docs import`";

/// Keeps a record of each run of a text.
pub(crate) type Reader = fn(&str, &mut Reading<'_>) -> Result<(), ImportError>;

/// The format of a text, and its reader; `None` for anything else. The name of a file says nothing.
pub(crate) fn format_of(text: &str) -> Option<(SourceKind, Reader)> {
    FORMATS.iter().find(|(_, is_it, _)| is_it(text)).map(|(kind, _, read)| (*kind, *read))
}

/// A format, whether a text is in it, and its reader.
type Format = (SourceKind, fn(&str) -> bool, Reader);

/// In the order in which they are tried: formats with a word that no other text contains first, columns by their names later, and what
/// fio says before it fails last.
const FORMATS: &[Format] = &[
    (SourceKind::FioJson, has_fio_version, fio::read),
    (SourceKind::Table, printed_table::is_table, printed_table::read),
    (
        SourceKind::DiskspdXml,
        |text| text.contains("<Results>") && (text.contains("<TimeSpan>") || text.contains("<System>")),
        diskspd::read,
    ),
    (SourceKind::FioTerse, |text| has_line(text, ";", fio_terse::is_terse), fio_terse::read),
    (
        SourceKind::DiskspdText,
        |text| {
            text.contains("Results for timespan")
                || (text.contains("Input parameters:") && text.contains("timespan:"))
        },
        diskspd_text::read,
    ),
    (
        SourceKind::Sqlio,
        |text| {
            has_line_from(text, "sqlio v")
                || (text.contains("throughput metrics:") && text.contains("IOs/sec:"))
        },
        sqlio::read,
    ),
    (
        SourceKind::Iometer,
        |text| has_line_from(text, "'Access specifications") || has_line_from(text, "'Target Type,"),
        iometer::read,
    ),
    (SourceKind::Crystaldiskmark, crystaldiskmark::is_it, crystaldiskmark::read),
    (SourceKind::FioText, |text| has_line(text, "(groupid=", fio_text::is_entry), fio_text::read),
    (SourceKind::Vdbench, vdbench::is_vdbench, vdbench::read),
    (SourceKind::FioSummary, fio_summary::is_it, fio_summary::read),
    (SourceKind::Sysbench, sysbench::is_it, sysbench::read),
    (SourceKind::Elbencho, elbencho::is_it, elbencho::read),
    (SourceKind::PgTestFsync, pg_test_fsync::is_it, pg_test_fsync::read),
    (SourceKind::Prometheus, prometheus::is_etcd, prometheus::read),
    (SourceKind::Application, application::is_it, application::read),
    (SourceKind::Csv, |text| figures_csv::header(text).is_some(), figures_csv::read),
    (
        SourceKind::FioJson,
        // fio's messages, redirected, are all there is of a run that failed.
        |text| has_line_from(text, "fio: ") || text.contains(": verify failed at file "),
        fio::read,
    ),
];

/// Whether fio's version is told in it, as the key of a value: programs that read such results have the word as well.
fn has_fio_version(text: &str) -> bool {
    const KEY: &str = "\"fio version\"";
    text.match_indices(KEY).any(|(at, _)| text[at + KEY.len()..].trim_start().starts_with(':'))
}

/// Whether a line begins so.
fn has_line_from(text: &str, beginning: &str) -> bool {
    text.contains(beginning) && text.lines().any(|line| line.starts_with(beginning))
}
