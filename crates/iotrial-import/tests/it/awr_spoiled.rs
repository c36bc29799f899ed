//! Reports that were spoiled on their way: cut, saved, mailed, joined, indented, wrapped. Each is read right, as far as it goes, or
//! refused: no figure is another one than in the report that Oracle wrote.
//!
//! The reports are data to check against and no part of the project: `IOTRIAL_SHARED` names their folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use iotrial_import::ImportError;
use iotrial_import::awr::{AwrError, Change, read_awr};
use iotrial_model::awr::{AwrReport, IoStat, Named, Quoted};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data");
    if path.join("awr").exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", path.display());
    None
}

/// Text of AWR and Statspack of three releases, and pages of an instance, a cluster and a pluggable database.
const REPORTS: [&str; 8] = [
    "awr/1newstar__sample_awr_11204_1.txt",
    "awr/TheYanVictor__statspack_example.txt",
    "cases/awr/05-memory-statistics-11.2.txt",
    "cases/awr/06-statspack-of-05.txt",
    "awr/eyko139__AIMS_AWR.html",
    "awr/pcambell__awrrpt_19c_awrrpt_1_17676_17677.html",
    "awr/therealkevinc__awr_rac.html",
    "cases/awr/04-resource-manager.html",
];

/// All figures of a report by what they are; those that nothing vouches for are not there.
fn figures(report: &AwrReport) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    let mut put = |name: String, value: &Quoted| {
        if let Some(value) = value.sound() {
            all.insert(name, value);
        }
    };
    put("elapsed".to_owned(), &report.interval.elapsed_s);
    put("DB time".to_owned(), &report.interval.db_time_s);
    put("CPUs".to_owned(), &report.host.cpus);
    put("memory".to_owned(), &report.host.memory_gib);
    let lists: [(&str, &[Named]); 5] = [
        ("load", &report.load_profile),
        ("memory", &report.memory),
        ("efficiency", &report.efficiency),
        ("time", &report.time_model),
        ("host", &report.host_statistics),
    ];
    for (list, values) in lists {
        values.iter().for_each(|one| put(format!("{list}: {}", one.name), &one.value));
    }
    for one in &report.activity {
        put(format!("activity: {}", one.name), &one.per_second);
        put(format!("total: {}", one.name), &one.total);
    }
    for one in &report.waits {
        put(format!("waits: {:?} {}", one.side, one.event), &one.waits);
        put(format!("mean wait: {:?} {}", one.side, one.event), &one.mean_us);
    }
    let tables: [(&str, &[IoStat]); 2] =
        [("function", &report.io_by_function), ("file", &report.io_by_file_type)];
    for (table, rows) in tables {
        for one in rows {
            put(format!("{table}: reads of {}", one.name), &one.reads_per_s);
            put(format!("{table}: written by {}", one.name), &one.write_mib_per_s);
        }
    }
    all
}

/// Figures of `read` that are others than those of `right`, or that it does not have at all.
fn wrong(read: &BTreeMap<String, f64>, right: &[&BTreeMap<String, f64>]) -> Vec<String> {
    let is_it = |name: &str, value: f64| {
        right.iter().any(|one| one.get(name).is_some_and(|right| (right - value).abs() <= 1e-9 * right.abs()))
    };
    // A cell that was cut off in the middle of its number is the one that nobody can know of.
    let all = read.iter().filter(|(name, value)| !is_it(name, **value));
    all.map(|(name, value)| format!("{name} = {value}, right: {:?}", right[0].get(name))).collect()
}

type Way = (&'static str, fn(&str) -> Vec<u8>);

fn by_line(text: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    text.lines().map(|line| change(line) + "\n").collect::<String>().into_bytes()
}

/// Hard line breaks, as programs for mail make them.
fn wrapped(text: &str, width: usize) -> Vec<u8> {
    let mut all = String::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.chars().count() > width {
            let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
            let at = rest[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end);
            all += &rest[..at];
            all.push('\n');
            rest = rest[at..].trim_start();
        }
        all += rest;
        all.push('\n');
    }
    all.into_bytes()
}

fn quoted_printable(text: &str) -> Vec<u8> {
    let mut mail =
        b"From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
            .to_vec();
    mail.extend(quoted_printable::encode(text.replace('\n', "\r\n")));
    mail
}

fn in_base64(text: &str) -> Vec<u8> {
    let mut mail = String::from(
        "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n",
    );
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    for line in encoded.as_bytes().chunks(76) {
        writeln!(mail, "{}", std::str::from_utf8(line).unwrap()).unwrap();
    }
    mail.into_bytes()
}

/// A part of the lines, in percent.
fn part(text: &str, from: usize, to: usize) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().collect();
    let at = |percent: usize| lines.len() * percent / 100;
    (lines[at(from)..at(to)].join("\n") + "\n").into_bytes()
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

/// Blanks in a row become one.
fn collapsed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Eight blanks are a tab, as an editor makes them at its stops.
fn tabbed(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    let mut all = String::new();
    for stop in letters.chunks(8) {
        let text: String = stop.iter().collect();
        let kept = text.trim_end_matches(' ');
        all += kept;
        if stop.len() == 8 && text.len() - kept.len() > 1 {
            all.push('\t');
        } else {
            all += &text[kept.len()..];
        }
    }
    all
}

const WAYS: &[Way] = &[
    ("as it is", |text| text.as_bytes().to_vec()),
    ("line ends of Windows", |text| text.replace('\n', "\r\n").into_bytes()),
    ("line ends of an old Mac", |text| text.replace('\n', "\r").into_bytes()),
    ("a mark of UTF-8", |text| format!("\u{feff}{text}").into_bytes()),
    ("UTF-16, little end first", |text| utf16(text, u16::to_le_bytes)),
    ("UTF-16, big end first", |text| utf16(text, u16::to_be_bytes)),
    ("no end of the last line", |text| text.trim_end().as_bytes().to_vec()),
    ("no blanks at the ends of lines", |text| by_line(text, |line| line.trim_end().to_owned())),
    ("blanks at the ends of lines", |text| by_line(text, |line| format!("{line:<132}"))),
    ("form feeds between pages", |text| text.replace("\n\n\n", "\n\u{c}\n\n").into_bytes()),
    ("quoted with > and a blank", |text| by_line(text, |line| format!("> {line}"))),
    ("quoted with > alone", |text| by_line(text, |line| format!(">{line}"))),
    ("quoted twice", |text| by_line(text, |line| format!("> > {line}"))),
    ("quoted, blanks at ends removed", |text| {
        by_line(text, |line| format!("> {line}").trim_end().to_owned())
    }),
    ("indented by 2", |text| by_line(text, |line| format!("  {line}"))),
    ("indented by 4", |text| by_line(text, |line| format!("    {line}"))),
    ("indented by 4, empty lines not", |text| {
        by_line(text, |line| if line.is_empty() { String::new() } else { format!("    {line}") })
    }),
    ("indented by a tab", |text| by_line(text, |line| format!("\t{line}"))),
    ("in a fence of Markdown", |text| format!("Hello,\n\n```\n{text}```\n\nRegards\n").into_bytes()),
    ("below the log of a session", |text| {
        format!("SQL> @?/rdbms/admin/awrrpt.sql\n\nCurrent Instance\n~~~~~~~~~~~~~~~~\n\n{text}").into_bytes()
    }),
    ("behind times of a log", |text| by_line(text, |line| format!("2026-11-25T10:00:00.000Z {line}"))),
    ("without empty lines", |text| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    }),
    ("an empty line after each line", |text| by_line(text, |line| format!("{line}\n"))),
    ("two empty lines made one", |text| {
        let mut text = text.to_owned();
        while text.contains("\n\n\n") {
            text = text.replace("\n\n\n", "\n\n");
        }
        text.into_bytes()
    }),
    ("wrapped at 60", |text| wrapped(text, 60)),
    ("wrapped at 72", |text| wrapped(text, 72)),
    ("wrapped at 76", |text| wrapped(text, 76)),
    ("wrapped at 78", |text| wrapped(text, 78)),
    ("wrapped at 72 and quoted", |text| {
        by_line(&String::from_utf8(wrapped(text, 72)).unwrap(), |line| format!("> {line}"))
    }),
    ("blanks in a row made one", |text| by_line(text, collapsed)),
    ("no blanks in front", |text| by_line(text, |line| line.trim_start().to_owned())),
    ("tabs for blanks", |text| by_line(text, tabbed)),
    ("blanks that do not break", |text| text.replace("  ", " \u{a0}").into_bytes()),
    ("decimal commas", |text| {
        let swap = |letter| match letter {
            ',' => '.',
            '.' => ',',
            other => other,
        };
        text.chars().map(swap).collect::<String>().into_bytes()
    }),
    ("a mail in quoted-printable", quoted_printable),
    ("a mail in base64", in_base64),
    ("lines of 80 letters", |text| by_line(text, |line| line.chars().take(80).collect())),
    ("cut after 2 %", |text| part(text, 0, 2)),
    ("cut after 5 %", |text| part(text, 0, 5)),
    ("cut after 10 %", |text| part(text, 0, 10)),
    ("cut after 20 %", |text| part(text, 0, 20)),
    ("cut after 35 %", |text| part(text, 0, 35)),
    ("cut after 50 %", |text| part(text, 0, 50)),
    ("cut after 75 %", |text| part(text, 0, 75)),
    ("cut after 95 %", |text| part(text, 0, 95)),
    ("the first 2 % missing", |text| part(text, 2, 100)),
    ("the first 10 % missing", |text| part(text, 10, 100)),
    ("the first half missing", |text| part(text, 50, 100)),
    ("the middle missing", |text| [part(text, 0, 20), part(text, 60, 100)].concat()),
    ("only the end missing its words", |text| {
        text.replace("End of Report", "").replace("End of report", "").into_bytes()
    }),
    ("twice in a file", |text| [text, text].concat().into_bytes()),
    ("two halves exchanged", |text| [part(text, 50, 100), part(text, 0, 50)].concat()),
    ("each line twice", |text| by_line(text, |line| format!("{line}\n{line}"))),
];

/// Every so many lines something else, as a pager or a printer puts it there.
fn paged(text: &str, lines: usize, between: &str) -> Vec<u8> {
    let all: Vec<&str> = text.lines().collect();
    let pages = all.chunks(lines).map(|page| page.join("\n") + "\n");
    pages.collect::<Vec<_>>().join(between).into_bytes()
}

/// Another mark between thousands.
fn with_thousands(text: &str, mark: &str) -> Vec<u8> {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let change = |(at, letter): (usize, &char)| match letter {
        ',' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => mark.to_owned(),
        letter => letter.to_string(),
    };
    letters.iter().enumerate().map(change).collect::<String>().into_bytes()
}

/// The second half of the lines to the right of the first.
fn in_two_columns(text: &str) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().collect();
    let (left, right) = lines.split_at(lines.len() / 2);
    let rows = left.iter().zip(right).map(|(left, right)| format!("{left:<132}  {right}\n"));
    rows.collect::<String>().into_bytes()
}

fn numbered(text: &str, number: fn(usize, &str) -> String) -> Vec<u8> {
    text.lines().enumerate().map(|(at, line)| number(at + 1, line) + "\n").collect::<String>().into_bytes()
}

/// Ways of screens, printers, chats, editors and programs that show what is not there.
const MORE_WAYS: &[Way] = &[
    ("a prompt in front", |text| format!("SQL> {text}").into_bytes()),
    ("a prompt in front of each line", |text| by_line(text, |line| format!("SQL> {line}"))),
    ("a prompt behind the end", |text| format!("{text}SQL> exit\n").into_bytes()),
    ("a pager between screens", |text| paged(text, 23, "--More--\n")),
    ("a pager with its share between screens", |text| paged(text, 40, "--More--(17%)\n")),
    ("page numbers", |text| paged(text, 60, "\u{c}\n                    Page 7\n\n")),
    ("form feeds alone", |text| paged(text, 60, "\u{c}")),
    ("numbers of lines by cat", |text| numbered(text, |at, line| format!("{at:>6}\t{line}"))),
    ("numbers of lines by grep", |text| numbered(text, |at, line| format!("{at}:{line}"))),
    ("numbers of lines and a bar", |text| numbered(text, |at, line| format!("{at:>5} | {line}"))),
    ("a bar in front", |text| by_line(text, |line| format!("| {line}"))),
    ("a plus in front, as of a patch", |text| by_line(text, |line| format!("+{line}"))),
    ("a name in front, as of a chat", |text| by_line(text, |line| format!("[10:02] dba: {line}"))),
    ("indented by 8", |text| by_line(text, |line| format!("        {line}"))),
    ("indented by 1", |text| by_line(text, |line| format!(" {line}"))),
    ("blanks up to column 200", |text| by_line(text, |line| format!("{line:<200}"))),
    ("the first letter of lines missing", |text| {
        by_line(text, |line| line.chars().skip(1).collect::<String>())
    }),
    ("line ends of two kinds", |text| text.replacen('\n', "\r\n", 200).into_bytes()),
    ("two returns before a line end", |text| text.replace('\n', "\r\r\n").into_bytes()),
    ("an end mark of DOS", |text| format!("{text}\u{1a}").into_bytes()),
    ("zero bytes at the end", |text| format!("{text}\0\0\0\0").into_bytes()),
    ("colours of a terminal", |text| by_line(text, |line| format!("\u{1b}[0m{line}\u{1b}[K"))),
    ("all blanks do not break", |text| text.replace(' ', "\u{a0}").into_bytes()),
    ("blanks between thousands", |text| with_thousands(text, " ")),
    ("narrow blanks between thousands", |text| with_thousands(text, "\u{202f}")),
    ("apostrophes between thousands", |text| with_thousands(text, "'")),
    ("points between thousands", |text| with_thousands(text, ".")),
    ("nothing between thousands", |text| with_thousands(text, "")),
    ("dashes of a word processor", |text| text.replace("--", "\u{2013}").into_bytes()),
    ("small letters", |text| text.to_ascii_lowercase().into_bytes()),
    ("capital letters", |text| text.to_ascii_uppercase().into_bytes()),
    ("lines of 60 letters", |text| by_line(text, |line| line.chars().take(60).collect())),
    ("wrapped at 40", |text| wrapped(text, 40)),
    ("wrapped at 100", |text| wrapped(text, 100)),
    ("cut in the middle of a line", |text| text.as_bytes()[..text.len() * 2 / 3].to_vec()),
    ("the last 1 % missing", |text| part(text, 0, 99)),
    ("a part twice", |text| [part(text, 0, 45), part(text, 40, 100)].concat()),
    ("lines backwards", |text| {
        text.lines().rev().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    }),
    ("lines sorted", |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        (lines.join("\n") + "\n").into_bytes()
    }),
    ("two columns", in_two_columns),
    ("in a string of JSON", |text| format!("{{\"report\": {}}}", serde_json::Value::from(text)).into_bytes()),
    ("quotes twice, as of a CSV", |text| text.replace('"', "\"\"").into_bytes()),
    ("a file in a mail with other parts", |text| {
        format!("From: a@example.org\nSubject: AWR\n\nHello,\nhere it is.\n\n{text}\n-- \nA signature\n")
            .into_bytes()
    }),
];

/// Ways that only pages have.
const WAYS_OF_PAGES: &[Way] = &[
    ("tags in capitals", |text| {
        let mut is_tag = false;
        let change = |letter: char| {
            is_tag = if letter == '<' { true } else { is_tag && letter != '>' };
            if is_tag { letter.to_ascii_uppercase() } else { letter }
        };
        text.chars().map(change).collect::<String>().into_bytes()
    }),
    ("one line", |text| text.replace('\n', " ").into_bytes()),
    ("end tags of cells left out", |text| text.replace("</td>", "").into_bytes()),
    ("the text of the page", |text| text_of_page(text, "\t")),
    ("the text of the page, blanks between cells", |text| text_of_page(text, "  ")),
    ("shown as source", |text| {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!("<html><body><pre>{escaped}</pre></body></html>").into_bytes()
    }),
];

/// What a browser copies.
fn text_of_page(text: &str, between: &str) -> Vec<u8> {
    let body = text.split_once("</style>").map_or(text, |(_, body)| body);
    let mut all = String::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        all += &rest[..at];
        let Some(end) = rest[at..].find('>') else { break };
        match rest[at..at + end].to_ascii_lowercase().as_str() {
            "</td" | "</th" => all += between,
            "</tr" | "<p" | "</h2" | "</h3" => all.push('\n'),
            _ => {}
        }
        rest = &rest[at + end + 1..];
    }
    all.replace("&#160;", " ").into_bytes()
}

/// Why a report is refused, without its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// It ends before its first figures.
    Incomplete,
    NoEmptyLines,
    Joined,
    Changed(Change),
    NotText,
    Other,
}

fn reason(error: &AwrError) -> Reason {
    match error {
        AwrError::Incomplete { .. } => Reason::Incomplete,
        AwrError::NoEmptyLines => Reason::NoEmptyLines,
        AwrError::Joined { .. } => Reason::Joined,
        AwrError::Changed { how } => Reason::Changed(*how),
        AwrError::Unreadable(ImportError::Binary) => Reason::NotText,
        _ => Reason::Other,
    }
}

/// Which ways may be refused for which reason; all others are read.
const ALLOWED: &[(Reason, &[&str])] = &[
    (Reason::Incomplete, &["cut after 2 %", "cut after 5 %"]),
    (Reason::NoEmptyLines, &["without empty lines", "two columns"]),
    (Reason::NotText, &["zero bytes at the end"]),
    (Reason::Joined, &["the middle missing", "a part twice", "two columns"]),
    (
        Reason::Changed(Change::QuotedPage),
        &["quoted twice", "quoted with > and a blank", "wrapped at 72 and quoted"],
    ),
    (Reason::Changed(Change::Source), &["shown as source"]),
    (
        Reason::Changed(Change::TextOfPage),
        &[
            "the text of the page",
            "the text of the page, blanks between cells",
            "the first letter of lines missing",
            "two columns",
        ],
    ),
    (
        Reason::Changed(Change::Wrapped),
        &[
            "wrapped at 40",
            "wrapped at 60",
            "wrapped at 72",
            "wrapped at 76",
            "wrapped at 78",
            "wrapped at 72 and quoted",
        ],
    ),
    (Reason::Changed(Change::Narrow), &["lines of 80 letters", "lines of 60 letters", "wrapped at 40"]),
    (
        Reason::Changed(Change::Thousands),
        &[
            "blanks between thousands",
            "narrow blanks between thousands",
            "apostrophes between thousands",
            "points between thousands",
            "nothing between thousands",
        ],
    ),
    (Reason::Changed(Change::Letters), &["small letters", "capital letters"]),
    (Reason::Changed(Change::Order), &["lines backwards", "lines sorted"]),
    (Reason::Changed(Change::Json), &["in a string of JSON"]),
    (Reason::Changed(Change::Doubled), &["each line twice"]),
    (Reason::Changed(Change::Tabs), &["tabs for blanks"]),
    (Reason::Changed(Change::Dedented), &["blanks in a row made one", "no blanks in front"]),
    (Reason::Changed(Change::DecimalCommas), &["decimal commas"]),
    (
        Reason::Changed(Change::Headless),
        &[
            "the first 2 % missing",
            "the first 10 % missing",
            "the first half missing",
            "the first letter of lines missing",
            "two halves exchanged",
        ],
    ),
];

#[test]
fn a_spoiled_report_is_read_right_or_refused() {
    spoil_all(|name| {
        let of_pages = if name.ends_with(".html") { WAYS_OF_PAGES } else { &[] };
        WAYS.iter().chain(of_pages).copied().collect()
    });
}

#[test]
fn a_report_of_a_screen_a_printer_or_a_chat_is_read_right_or_refused() {
    spoil_all(|_| MORE_WAYS.to_vec());
}

fn spoil_all(ways: impl Fn(&str) -> Vec<Way>) {
    let Some(data) = data() else { return };
    let (mut tried, mut read, mut refused, mut silent) = (0, 0, BTreeMap::new(), Vec::new());
    for name in REPORTS {
        let text = String::from_utf8_lossy(&std::fs::read(data.join(name)).unwrap()).replace("\r\n", "\n");
        let right: Vec<BTreeMap<String, f64>> =
            read_awr(text.as_bytes()).unwrap().iter().map(figures).collect();
        let right: Vec<&BTreeMap<String, f64>> = right.iter().collect();
        assert!(right[0].len() > 100, "{name}: {}", right[0].len());
        for (way, spoil) in ways(name) {
            tried += 1;
            match read_awr(&spoil(&text)) {
                Ok(reports) => {
                    read += 1;
                    let count = if way == "twice in a file" { 2 } else { 1 };
                    if reports.len() != count {
                        silent.push(format!("{way}, {name}: {} reports", reports.len()));
                    }
                    for report in &reports {
                        let found = wrong(&figures(report), &right);
                        if !found.is_empty() {
                            let first: Vec<&String> = found.iter().take(3).collect();
                            silent.push(format!(
                                "{way}, {name}: {} of {} wrong, {first:?}",
                                found.len(),
                                figures(report).len()
                            ));
                        }
                        // Whoever lost a table hears of it.
                        let has_lost = figures(report).len() < right[0].len() * 9 / 10;
                        if has_lost && report.cut.is_none() {
                            silent.push(format!(
                                "{way}, {name}: {} of {} figures, and nothing says so",
                                figures(report).len(),
                                right[0].len()
                            ));
                        }
                    }
                }
                Err(error) => {
                    let reason = reason(&error);
                    let is_true = ALLOWED.iter().any(|(one, ways)| *one == reason && ways.contains(&way));
                    if !is_true {
                        silent.push(format!("{way}, {name}: refused as {reason:?}: {error}"));
                    }
                    refused.entry(reason).or_insert_with(BTreeSet::new).insert(way);
                }
            }
        }
    }
    eprintln!("{tried} tried, {read} read, refused: {refused:#?}");
    assert!(silent.is_empty(), "{} of {tried}:\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn a_report_with_a_gap_says_so() {
    let Some(data) = data() else { return };
    let (mut tried, mut silent) = (0, Vec::new());
    for name in REPORTS {
        let text = String::from_utf8_lossy(&std::fs::read(data.join(name)).unwrap()).replace("\r\n", "\n");
        let right = figures(&read_awr(text.as_bytes()).unwrap()[0]);
        for (from, to) in (4..96).step_by(7).flat_map(|from| [8, 25, 50].map(|long| (from, from + long))) {
            let Ok(reports) = read_awr(&[part(&text, 0, from), part(&text, to.min(99), 100)].concat()) else {
                continue;
            };
            tried += 1;
            let read = figures(&reports[0]);
            let found = wrong(&read, &[&right]);
            if !found.is_empty() {
                silent.push(format!("{from} to {to}, {name}: {found:?}"));
            }
            if read.len() < right.len() * 9 / 10 && reports[0].cut.is_none() {
                silent.push(format!("{from} to {to}, {name}: {} of {} figures", read.len(), right.len()));
            }
        }
    }
    assert!(silent.is_empty(), "{} of {tried}:\n{}", silent.len(), silent.join("\n"));
}
