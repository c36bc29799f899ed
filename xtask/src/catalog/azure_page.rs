//! A page of sizes of azure-compute-docs: tables of processors, local disks, remote storage and network with one row for each size.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::offer::{Figure, Offer, Row, number};

/// Which figure a column is, by words of its header.
const COLUMNS: [(&[&str], &[&str], &str); 12] = [
    // Words that it has, words that it has not, what it is. The first that fits counts.
    (&["vcpus"], &[], "vcpus"),
    (&["memory"], &[], "memory"),
    (&["max remote storage disks"], &[], "disks"),
    (&["ultra", "burst", "iops"], &[], "v2_burst_iops"),
    (&["ultra", "burst", "throughput"], &[], "v2_burst_mb"),
    (&["ultra", "iops"], &["burst"], "v2_iops"),
    (&["ultra", "throughput"], &["burst"], "v2_mb"),
    (&["uncached", "premium", "burst", "iops"], &["ultra"], "burst_iops"),
    (&["uncached", "premium", "burst", "throughput"], &["ultra"], "burst_mb"),
    (&["uncached", "premium", "iops"], &["ultra", "burst"], "iops"),
    (&["uncached", "premium", "throughput"], &["ultra", "burst"], "mb"),
    (&["max network bandwidth"], &[], "mbit"),
];
const PREMIUM: &str = "\"premium-ssd\", \"standard-ssd\", \"standard-hdd\"";
const PROVISIONED: &str = "\"premium-ssd-v2\", \"ultra-disk\"";

pub(super) fn read(text: &str) -> Result<Offer, String> {
    let mut sizes: BTreeMap<String, BTreeMap<&str, f64>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut header: Vec<Option<&str>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(cells) = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            header.clear();
            continue;
        };
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        if cells[0].eq_ignore_ascii_case("size name") {
            header = cells.iter().map(|cell| column(cell)).collect();
        } else if cells[0].starts_with("Standard_") && !header.is_empty() {
            if cells.len() != header.len() {
                return Err(format!(
                    "line {}: {} cells under {} headings",
                    number + 1,
                    cells.len(),
                    header.len()
                ));
            }
            let size = sizes.entry(cells[0].to_owned()).or_insert_with(|| {
                order.push(cells[0].to_owned());
                BTreeMap::new()
            });
            for (cell, column) in cells.iter().zip(&header) {
                if let Some(column) = column {
                    let amount = cell
                        .replace(',', "")
                        .parse()
                        .map_err(|_| format!("line {}: `{cell}` of {} is no number", number + 1, cells[0]))?;
                    size.insert(column, amount);
                }
            }
        }
    }
    let rows: Vec<Row> = order.iter().map(|name| row(name, &sizes[name])).collect();
    if rows.is_empty() {
        return Err("a page without a table that begins with `Size Name` and rows of `Standard_…`".to_owned());
    }
    let as_of = text.lines().find_map(|line| day(line.strip_prefix("ms.date:")?.trim()));
    Ok(Offer { as_of, rows, is_complete: true })
}

fn column(header: &str) -> Option<&'static str> {
    let header = header.to_lowercase();
    let has = |word: &&str| header.contains(*word);
    COLUMNS
        .iter()
        .find(|(with, without, _)| with.iter().all(has) && !without.iter().any(has))
        .map(|(.., what)| *what)
}

/// Microsoft writes `11/17/2025`.
fn day(text: &str) -> Option<String> {
    let parts: Vec<u32> = text.split('/').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [month, day, year] => Some(format!("{year:04}-{month:02}-{day:02}")),
        _ => None,
    }
}

fn row(name: &str, of: &BTreeMap<&str, f64>) -> Row {
    let limits = [
        ("uncached, Premium SSD", PREMIUM, ["iops", "mb", "burst_iops", "burst_mb"]),
        ("uncached, Ultra and v2", PROVISIONED, ["v2_iops", "v2_mb", "v2_burst_iops", "v2_burst_mb"]),
    ];
    let mut figures = Vec::new();
    let mut plain = |key: &str, column: &str, times: f64| {
        figures.extend(of.get(column).map(|amount| Figure::new(&[key], amount * times)));
    };
    plain("vcpus", "vcpus", 1.0);
    plain("memory_gib", "memory", 1.0);
    plain("volumes_max", "disks", 1.0);
    figures.extend(of.get("mbit").map(|mbit| Figure::new(&["network", "egress_gbit_per_s"], mbit / 1000.0)));
    let mut written = String::new();
    for (limit, volumes, columns) in limits {
        let amounts = columns.map(|column| of.get(column).copied());
        let [Some(iops), Some(mb), burst_iops, burst_mb] = amounts else { continue };
        let _ = write!(written, "  {{ name = \"{limit}\", volumes = [{volumes}]");
        // A burst that is no more than what holds for good is left out of catalogs.
        let burst = |burst: Option<f64>, base: f64| burst.filter(|burst| *burst > base);
        let parts = [
            ("iops", Some(iops)),
            ("mb_per_s", Some(mb)),
            ("burst_iops", burst(burst_iops, iops)),
            ("burst_mb_per_s", burst(burst_mb, mb)),
        ];
        for (key, amount) in parts.into_iter().filter_map(|(key, amount)| Some((key, amount?))) {
            figures.push(Figure::new(&["limit", limit, key], amount));
            // Older pages state one limit for all disks, and catalogs have it under this name.
            figures.push(Figure::new(&["limit", "uncached VM limit", key], amount));
            let _ = write!(written, ", {key} = {}", number(amount));
        }
        written.push_str(" },\n");
    }
    // Where both kinds have a limit, the one for all disks is not what the page says.
    if of.contains_key("v2_iops") {
        figures.retain(|figure| figure.path.get(1).is_none_or(|name| name != "uncached VM limit"));
    }
    let whole = whole(name, of, &written);
    Row { whole, ..Row::machine(name, figures) }
}

fn whole(name: &str, of: &BTreeMap<&str, f64>, limits: &str) -> Option<String> {
    let amount = |column: &str| of.get(column).map(|amount| number(*amount));
    let network = number(of.get("mbit")? / 1000.0);
    let (vcpus, memory, disks) = (amount("vcpus")?, amount("memory")?, amount("disks")?);
    (!limits.is_empty()).then(|| {
        format!(
            "name = \"{name}\"\nvcpus = {vcpus}\nmemory_gib = {memory}\nvolumes_max = {disks}\n\
             network = {{ egress_gbit_per_s = {network} }}\nlimit = [\n{limits}]\n"
        )
    })
}
