//! Reports that were cut off, blanked, translated, or measured over a reset: each is read as far as it goes, with what is wrong
//! with it, or refused with the reason. Nothing that is missing becomes a zero.

use iotrial_import::awr::read_awr;
use iotrial_model::awr::{AwrReport, Quoted};

const PAGE: &str = include_str!("../awr/instance-19c.html");
const KINDS: &str = include_str!("../awr/filetypes-19c.html");
const TEXT: &str = include_str!("../awr/instance-11204.txt");

/// Every value of the report that others are worked out from.
fn values(report: &AwrReport) -> Vec<&Quoted> {
    let mut all: Vec<&Quoted> = Vec::new();
    for one in &report.activity {
        all.extend([&one.total, &one.per_second]);
    }
    for one in &report.io_profile {
        all.extend([&one.total, &one.read, &one.write]);
    }
    for one in &report.waits {
        all.extend([&one.waits, &one.total_s, &one.mean_us]);
    }
    for one in &report.io_by_file_type {
        all.extend([&one.reads_per_s, &one.writes_per_s, &one.read_mib_per_s, &one.write_mib_per_s]);
    }
    for one in &report.io_matrix {
        all.extend([&one.reads_per_s, &one.writes_per_s, &one.read_mib_per_s, &one.write_mib_per_s]);
    }
    all.extend(report.load_profile.iter().map(|one| &one.value));
    all.extend([
        &report.interval.elapsed_s,
        &report.interval.db_time_s,
        &report.host.cpus,
        &report.host.memory_gib,
    ]);
    all
}

fn zeros(report: &AwrReport) -> usize {
    values(report).into_iter().filter(|one| one.value() == Some(0.0)).count()
}

#[test]
fn a_report_that_ends_after_any_line_says_so_or_is_refused_with_its_last_line() {
    for whole in [PAGE, KINDS, TEXT] {
        let end = whole.find("End of Report").unwrap_or(whole.len());
        let lines: Vec<usize> = whole[..end].match_indices('\n').map(|(at, _)| at + 1).collect();
        for at in lines {
            match read_awr(&whole.as_bytes()[..at]) {
                Ok(reports) => {
                    assert!(
                        reports[0].cut.is_some(),
                        "nothing says that it ends at byte {at}:\n{}",
                        &whole[at.saturating_sub(200)..at]
                    );
                }
                Err(error) => assert!(error.to_string().len() > 10, "{error}"),
            }
        }
    }
}

#[test]
fn a_value_that_is_blanked_is_absent_wherever_it_stands() {
    for page in [PAGE, KINDS] {
        let before = zeros(&read_awr(page.as_bytes()).unwrap()[0]);
        let cells: Vec<usize> = page.match_indices("<td").map(|(at, _)| at).collect();
        let mut blanked = 0;
        for at in cells {
            let begin = at + page[at..].find('>').unwrap() + 1;
            let end = begin + page[begin..].find("</td>").unwrap();
            if !page[begin..end].starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            blanked += 1;
            let blank = ["", "&#160;", "##########"][blanked % 3];
            let text = format!("{}{blank}{}", &page[..begin], &page[end..]);
            let report = &read_awr(text.as_bytes()).unwrap()[0];
            // A mean that is worked out from what is left may be one; a zero would be made up.
            assert!(zeros(report) <= before, "`{}` became a zero", &page[at..end]);
        }
        assert!(blanked > 60, "{blanked}");
    }
}

#[test]
fn the_matrix_of_functions_and_kinds_of_files_is_read_without_its_sums() {
    let report = &read_awr(KINDS.as_bytes()).unwrap()[0];
    let cells: Vec<(&str, &str)> =
        report.io_matrix.iter().map(|one| (one.function.as_str(), one.file_type.as_str())).collect();
    assert_eq!(
        cells,
        [
            ("Buffer Cache Reads", "Data File"),
            ("Direct Reads", "Data File"),
            ("Direct Reads", "Temp File"),
            ("LGWR", "Log File")
        ]
    );
    let log = &report.io_matrix[3];
    assert_eq!((log.writes_per_s.value(), log.write_mib_per_s.value()), (Some(150.0), Some(1.5)));
    assert_eq!(log.mean_us.value(), Some(1_000.0));
    assert!(!report.io_matrix[1].mean_us.is_there());
}

#[test]
fn the_matrix_of_a_text_report_has_its_names_on_lines_of_their_own() {
    let matrix = "
IOStat by Function/Filetype summary           DB/Inst: TINY/tiny  Snaps: 7-8
-> 'Data' columns suffixed with M,G,T,P are in multiples of 1024
    other columns suffixed with K,M,G,T,P are in multiples of 1000

 Reads:   Reqs   Data    Writes:  Reqs   Data    Waits:    Avg
 Data    per sec per sec Data    per sec per sec Count    Tm(ms)
 ------- ------- ------- ------- ------- ------- ------- -------
Others
    140M     2.5   .039M     50M     0.7   .014M    8959     0.1
 Others (Control File)
    140M     2.5   .039M     40M     0.7   .011M    8956     0.1
 Buffer Cache Reads (Data File)
      2G    80.0   .625M      0M     0.0      0M     68K     4.1
TOTAL:
    2.1G    82.5   .664M     60M     1.0   .017M     77K     3.7
                          ------------------------------------------------------

Tablespace IO Stats ";
    let text = TEXT.replacen("\nTablespace IO Stats ", matrix, 1);
    let report = &read_awr(text.as_bytes()).unwrap()[0];
    let cells: Vec<_> = report
        .io_matrix
        .iter()
        .map(|one| {
            (one.function.as_str(), one.file_type.as_str(), one.reads_per_s.value(), one.mean_us.value())
        })
        .collect();
    assert_eq!(
        cells,
        [
            ("Others", "Control File", Some(2.5), Some(100.0)),
            ("Buffer Cache Reads", "Data File", Some(80.0), Some(4_100.0))
        ]
    );
    assert_eq!(report.io_matrix[1].read_mib_per_s.value(), Some(0.625));
}

#[test]
fn histograms_of_text_reports_have_their_buckets_by_the_ruler() {
    // As Statspack prints them: blank is nothing, and the last column is open.
    let histogram = "
Wait Event Histogram  DB/Inst: TINY/tiny  Snaps: 7-8
-> Total Waits - units: K is 1000, M is 1000000, G is 1000000000
-> % of Waits - value: .0 indicates value was <.05%, null is truly 0

                           Total ----------------- % of Waits ------------------
Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s
-------------------------- ----- ----- ----- ----- ----- ----- ----- ----- -----
control file sequential re  270K 100.0
db file sequential read     360K  92.1   6.2         1.5                      .2
                          ------------------------------------------------------

Tablespace IO Stats ";
    let text = TEXT.replacen("\nTablespace IO Stats ", histogram, 1);
    let report = &read_awr(text.as_bytes()).unwrap()[0];
    let reads = report.histograms.iter().find(|one| one.event == "db file sequential read").unwrap();
    let buckets: Vec<(Option<f64>, f64)> =
        reads.buckets.iter().map(|one| (one.below_us, one.percent)).collect();
    assert_eq!(buckets, [(Some(1_000.0), 92.1), (Some(2_000.0), 6.2), (Some(8_000.0), 1.5), (None, 0.2)]);
    assert_eq!(reads.waits.value(), Some(360_000.0));
    assert_eq!(report.histograms.len(), 2);
}
