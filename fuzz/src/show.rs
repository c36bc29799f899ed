//! Results judged, compared, audited and shown in every form, as the commands do it. Nothing is printed: whoever panics on the way is
//! found.

use iotrial_analysis::audit::Audit;
use iotrial_analysis::comparison::{
    Circumstances, CompareRequest, Comparison, ComparisonMatrix, Sample, SweepComparison, SweepSample,
};
use iotrial_analysis::summary::Summary;
use iotrial_analysis::sweep::SweepSummary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::demand::Demand;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use iotrial_report::csv::render_csv;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::markdown::render_markdown;
use iotrial_report::sweep::SweepOf;
use iotrial_report::terminal::{TerminalStyle, render_terminal};
use iotrial_report::xlsx::render_xlsx;
use iotrial_sizing::measured::Measurement;
use serde::Serialize;

/// A document in every form. XLSX only of every sixteenth, by what it says: a workbook takes longer than all the rest.
pub fn document(document: &Document) {
    let text = render_terminal(document, TerminalStyle { width: 80, color: true });
    render_terminal(document, TerminalStyle { width: 7, color: false });
    render_html(document).expect("a page can always be made");
    render_markdown(document);
    render_csv(document).expect("rows can always be made");
    if text.bytes().fold(0_u8, u8::wrapping_add) % 16 == 0 {
        // A cell has a longest text, which is an error and no panic.
        drop(render_xlsx(document));
    }
}

/// What `--json` prints.
pub fn json(value: &impl Serialize) {
    serde_json::to_string(value).expect("what is shown can be written as JSON");
}

/// The record of a run, as `report`, `compare`, `audit` and `size` take it.
pub fn run(record: &RunRecord) {
    let own = || ThresholdSet::parse(&record.thresholds).ok();
    results(|| vec![Subject::of_run(record)], own().as_ref());
    drop(Comparison::new(
        vec![
            Sample::of_run(record, "a").named("a", record.attributes.clone()),
            Sample::of_run(record, "b").named("b", record.attributes.clone()),
        ],
        &CompareRequest { force: true, ..CompareRequest::default() },
    ));
}

/// Results, of whichever source, in the order of their file. A subject is made again for each use, as no command keeps one.
pub fn results<'r>(subjects: impl Fn() -> Vec<Subject<'r>>, own: Option<&ThresholdSet>) {
    let usual = ThresholdSet::builtin("flash").expect("it is built in");
    let thresholds = own.unwrap_or(&usual);
    // A file may hold thousands, and each is shown like the first.
    let summaries: Vec<Summary> =
        subjects().iter().take(4).map(|subject| Summary::new(subject, thresholds)).collect();
    let shown: Vec<(Subject<'_>, &Summary)> = subjects().into_iter().zip(&summaries).collect();
    for (subject, summary) in &shown {
        json(summary);
        document(&Document::of_result(subject, summary));
        if let Some(demand) = Demand::of(subject, "it") {
            demand.to_toml();
        }
        if let Some(measurement) = Measurement::of(subject) {
            assert!(measurement.in_flight().is_none_or(f64::is_finite));
        }
    }
    let audits: Vec<Audit> = shown.iter().map(|(subject, _)| Audit::of(subject)).collect();
    audits.iter().for_each(json);
    document(&Document::of_audits(&audits));
    let samples = || shown.iter().map(|(subject, _)| Sample::of(subject, "it")).collect::<Vec<_>>();
    if shown.len() > 1 {
        document(&Document::of_results(&shown, &Comparison::or_beside(samples())));
    }
    let labelled = ["a", "b"].into_iter().flat_map(|label| {
        samples().into_iter().map(move |sample| {
            let attributes = sample.attributes.clone();
            sample.named(label, attributes)
        })
    });
    for force in [false, true] {
        let request = CompareRequest { force, ..CompareRequest::default() };
        let Ok(compared) = ComparisonMatrix::new(labelled.clone().collect(), &request) else { continue };
        json(&compared);
        document(&Document::of_matrix(&compared));
        break;
    }
}

/// Results as points of curves, as `import --as-sweep` takes them.
pub fn curves<'r>(subjects: impl Fn() -> Vec<Subject<'r>>) {
    let (summary, _) = SweepSummary::of_results(subjects());
    let circumstances = Circumstances::of_all(subjects().into_iter());
    json(&summary);
    let of = SweepOf::Results { sources: "it", circumstances: &circumstances };
    document(&Document::of_sweep(of, &summary));
}

/// The record of a sweep, as `report` and `compare` take it.
pub fn sweep(record: &SweepRecord) {
    let summary = SweepSummary::new(record);
    json(&summary);
    document(&Document::of_sweep(SweepOf::Record(record), &summary));
    let sample = |source: &str, id: &str| SweepSample {
        source: source.to_owned(),
        record: SweepRecord { id: id.to_owned(), ..record.clone() },
    };
    if let Ok(compared) =
        SweepComparison::new(vec![sample("a", "1"), sample("b", "2")], &CompareRequest::default())
    {
        json(&compared);
        document(&Document::of_compared_sweeps(&compared));
    }
}
