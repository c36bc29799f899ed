//! The row `awr`: how long a thousand AWR reports take, and how much memory.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::alone::mib;
use super::figure::{Figure, Target};
use super::tools::Bench;
use super::watched::{OFTEN, Watched};

const REPORT_COUNT: usize = 1_000;
const DATABASES: [&str; 5] = ["ERP", "CRM", "SHOP", "DWH", "HR"];
/// Reports of hourly snapshots are from 0.5 to 2 MB.
const REPORT_BYTES: usize = 1_000_000;

/// A thousand reports of a megabyte: 200 hours of five databases.
///
/// # Errors
///
/// When the reports cannot be made, or not all of them are read.
pub(crate) fn awr(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let golden = bench.root.join("crates/iotrial-import/tests/awr/instance-19c.html");
    let golden =
        fs::read_to_string(&golden).with_context(|| format!("cannot read `{}`", golden.display()))?;
    let reports = bench.folder.join("awr");
    // One of each database at least.
    let report_count = bench.options.of_size(REPORT_COUNT, DATABASES.len());
    write_reports(&reports, &golden, report_count)?;
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.pairs {
        let watched = Watched::iotrial(&mut bench.awr(&reports), OFTEN)?;
        let answer = &watched.document;
        let is_empty = |key: &str| answer.get(key).is_none_or(|list| *list == serde_json::json!([]));
        if answer["databases"].as_array().map(Vec::len) != Some(DATABASES.len())
            || answer["fleet"]["covered_s"] != (3_600 * report_count / DATABASES.len()) as f64
            || !is_empty("left_out")
            || !is_empty("unread")
        {
            bail!("not all of the {report_count} reports were counted");
        }
        seconds.push(watched.wall_s());
        let peak = watched.peak_resident_bytes();
        memory.push(mib(peak.context("the system does not tell how much memory is resident")?));
    }
    // A gigabyte that the next benchmark would write again.
    let _ = fs::remove_dir_all(&reports);
    let name = |what: &str| format!("{report_count} AWR reports of 1 MB: {what}");
    Ok(vec![
        Figure::alone(name("seconds"), seconds, Some(Target::at_most(20.0))),
        Figure::alone(name("MiB resident"), memory, Some(Target::at_most(64.0))),
    ])
}

fn write_reports(folder: &Path, golden: &str, report_count: usize) -> anyhow::Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let padding = padding(REPORT_BYTES.saturating_sub(golden.len()));
    let (head, tail) =
        golden.split_once("<h3>init.ora Parameters").context("the golden report has no parameters")?;
    for number in 0..report_count {
        let (database, hour) = (number % DATABASES.len(), number / DATABASES.len());
        let head = of_moment(head, database, hour)?;
        let path = folder.join(format!("awrrpt_{}_{hour}.html", DATABASES[database]));
        fs::write(&path, format!("{head}{padding}<h3>init.ora Parameters{tail}"))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

/// The golden report of another database and hour, with other rates.
fn of_moment(golden: &str, database: usize, hour: usize) -> anyhow::Result<String> {
    let name = DATABASES[database];
    let time = |hour: usize| format!("{:02}-Mar-25 {:02}:00:{:02}", 3 + hour / 24, hour % 24, database);
    let reads = 1_000 + 100 * (hour % 24) + 10 * database;
    let changes = [
        (">SHOP<", format!(">{name}<")),
        (">4711<", format!(">{}<", 4_711 + database)),
        (">41<", format!(">{}<", 41 + hour)),
        (">42<", format!(">{}<", 42 + hour)),
        ("03-Mar-25 10:00:00", time(hour)),
        ("03-Mar-25 11:00:00", time(hour + 1)),
        // A single instance.
        ("<td>YES</td><td>NO</td>", "<td>NO</td><td>NO</td>".to_owned()),
        ("<td>1.5</td><td>2</td>", "<td>1.5</td><td>1</td>".to_owned()),
        ("<td>3,600,000</td><td>1,000.00</td>", format!("<td>{}</td><td>{reads}.00</td>", reads * 3_600)),
        ("<td>1,500.0</td><td>1,000.0</td>", format!("<td>{}.0</td><td>{reads}.0</td>", reads + 500)),
    ];
    // All at once, or the hour that was put in would be taken for the one to be changed.
    let mut text = golden.to_owned();
    for (at, (from, _)) in changes.iter().enumerate() {
        ensure!(text.contains(from), "the golden report has no `{from}` any more");
        text = text.replace(from, &format!("\u{1}{at}\u{1}"));
    }
    for (at, (_, to)) in changes.iter().enumerate() {
        text = text.replace(&format!("\u{1}{at}\u{1}"), to);
    }
    Ok(text)
}

/// What a report has besides: counters and waits that nobody asks for, latches, segments, and the text of statements.
fn padding(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1_000);
    let row = |text: &mut String, name: &str, columns: usize, seed: usize| {
        let _ = write!(text, "<tr><td scope=\"row\" class='awrnc'>{name} {seed:03}</td>");
        for column in 0..columns {
            // Counters are sorted by name, and waits by their time.
            let number = 9_999_999 - seed * 7_919 - column * 104_729;
            let _ = write!(text, "<td align=\"right\" class='awrnc'>  {number}.{:02}</td>", number % 100);
        }
        text.push_str("</tr>\n");
    };
    let table = |text: &mut String, heading: &str, columns: &[&str], count: usize| {
        let _ = write!(
            text,
            "<p /><a class=\"awr\" name=\"{count}\"></a><h3 class=\"awr\">{heading}</h3><p />\n<table border=\"0\" class=\"tdiff\" summary=\"This table displays {heading}\"><tr>"
        );
        for column in columns {
            let _ = write!(text, "<th class=\"awrbg\" scope=\"col\">{column}</th>");
        }
        text.push_str("</tr>\n");
        (0..count).for_each(|at| row(text, heading, columns.len() - 1, at));
        text.push_str("</table><p />\n<a class=\"awr\" href=\"#top\">Back to Top</a><p />\n");
    };
    table(
        &mut text,
        "Other Instance Activity Stats",
        &["Statistic", "Total", "per Second", "per Trans"],
        900,
    );
    let waits =
        ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait", "Waits /txn", "% bg time"];
    table(&mut text, "Background Wait Events", &waits, 100);
    let latches =
        ["Latch Name", "Get Requests", "Pct Get Miss", "Avg Slps /Miss", "Wait Time (s)", "NoWait Requests"];
    table(&mut text, "Latch Activity", &latches, 800);
    let segments = ["Owner", "Tablespace Name", "Object Name", "Obj. Type", "Logical Reads", "%Total"];
    for _ in 0..12 {
        table(&mut text, "Segments by Logical Reads", &segments, 20);
    }
    let statements =
        ["Elapsed Time (s)", "Executions", "Elapsed Time per Exec (s)", "%Total", "%CPU", "%IO", "SQL Id"];
    for _ in 0..10 {
        table(&mut text, "SQL ordered by Elapsed Time", &statements, 60);
    }
    text.push_str(
        "<h3 class=\"awr\">Complete List of SQL Text</h3><table><tr><th>SQL Id</th><th>SQL Text</th></tr>\n",
    );
    let mut at = 0;
    while text.len() < bytes {
        let _ = write!(text, "<tr><td>{at:013x}</td><td class='awrc'>");
        for column in 0..120 {
            let _ = write!(
                text,
                "select t{column}.c{at} from orders t{column} where t{column}.id &lt; :b{column} and "
            );
        }
        text.push_str("1 = 1</td></tr>\n");
        at += 1;
    }
    text.push_str("</table>\n");
    text
}
