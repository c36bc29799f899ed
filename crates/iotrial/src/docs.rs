//! The pages of the documentation for those who use the program, as part of it: it is one file, and its hints must lead somewhere.

/// A page that `iotrial docs` prints.
pub struct Page {
    /// What the command line takes, and the name of the file.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Markdown, word for word.
    pub text: &'static str,
}

macro_rules! page {
    ($name:literal, $about:literal) => {
        Page { name: $name, about: $about, text: include_str!(concat!("../../../docs/", $name, ".md")) }
    };
}

/// In the order in which somebody meets them. What is only about building iotrial is not among them.
pub const PAGES: [Page; 23] = [
    page!("check", "whether a host is set up for a database: what is read, the rules, your own ones"),
    page!("watch", "counters of a system in use: what is read, how it is judged, live and for Prometheus"),
    page!("profiles", "loads: the built-in ones, and how to write your own"),
    page!("thresholds", "what the verdict judges by, and how to write your own"),
    page!("study", "studies: several configurations, repeated, interleaved, resumed, on several machines"),
    page!("targets", "what iotrial touches and what it never touches"),
    page!("windows", "Windows: what drives the I/O there, what was tested, what is missing"),
    page!("reports", "the forms of a report, and what is in which"),
    page!("import", "results of other tools: formats, limits, what is easily misread"),
    page!("awr", "AWR and Statspack reports of Oracle: what is read, corrected and left out"),
    page!("compare", "how configurations are compared, and what may be concluded"),
    page!("audit", "whether a result agrees with itself: every check, its sources and limits"),
    page!("fio-jobs", "jobs of fio as profiles: what becomes of each option"),
    page!("table-format", "how printed figures become a file"),
    page!("size", "what to buy: the chain of limits, demands, configurations, the search"),
    page!("size-examples", "ten purchasing questions: what was expected, and what the program answers"),
    page!("catalogs", "catalogs of limits and prices, your own ones, and how to renew them"),
    page!("sweep", "where storage saturates: the method of `iotrial sweep`"),
    page!("settings", "suggested settings of databases: each rule with its source"),
    page!("json", "the keys of `--json`"),
    page!("measurement", "each figure and finding: formula, source, threshold, what it cannot see"),
    page!("records", "finding results, labels after the fact, the trash"),
    page!("record", "the record and the store"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_there_but_those_about_building_iotrial() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()));
        let mut names: Vec<String> =
            names.filter(|name| name != "architecture" && name != "benchmarks").collect();
        let mut known: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
