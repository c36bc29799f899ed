//! Any text as a printed table: its audit, its rows as results, its figures against a configuration.

#![no_main]

use iotrial_analysis::audit::Audit;
use iotrial_analysis::comparison::{CompareRequest, ComparisonMatrix, Sample};
use iotrial_fuzz::show;
use iotrial_model::imported::TablePlace;
use iotrial_model::subject::Subject;
use iotrial_model::table::PublishedTable;
use iotrial_report::document::Document;
use iotrial_sizing::measured::Measurement;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(table) = PublishedTable::parse(text) else { return };
    let audit = Audit::of_table(&table);
    show::json(&audit);
    show::document(&Document::of_audits(&[audit]));
    Measurement::of_table(&table).iter().for_each(|one| assert!(one.in_flight().is_none_or(f64::is_finite)));
    if let Ok(compared) = ComparisonMatrix::new(Sample::of_table(&table, "it"), &CompareRequest::default()) {
        show::json(&compared);
        show::document(&Document::of_matrix(&compared));
    }
    let place = TablePlace { file: "f".to_owned(), sha256: String::new(), read_by: String::new() };
    let records = table.records(&place);
    show::results(|| records.iter().map(Subject::of_imported).collect(), None);
});
