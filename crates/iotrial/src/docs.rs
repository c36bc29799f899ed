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
pub const PAGES: [Page; 26] = [
    page!("glossary", "the words: knee, ceiling, stream, role, open and closed load, and the others"),
    page!("install", "every way to install iotrial: packages, container, completions, what is not tested"),
    page!("kubernetes", "is a StorageClass fast enough: a Job, its results, what a pod changes"),
    page!("check", "is this host set up for a database: what is checked, the rules, your own rules"),
    page!("watch", "is a running system's storage fast enough: counter files, live, Prometheus"),
    page!("profiles", "loads: the built-in ones, and how to write your own"),
    page!("thresholds", "latency limits for the verdict, and how to write your own"),
    page!("study", "several configurations: repeated, in balanced order, resumable, on several machines"),
    page!("targets", "what iotrial touches and what it never touches"),
    page!("windows", "Windows: how I/O is done there, what was tested, what is missing"),
    page!("reports", "report formats, and what each contains"),
    page!("import", "results of other tools: formats, limits, what is easily misread"),
    page!("awr", "AWR and Statspack reports of Oracle: what is read, corrected and left out"),
    page!("compare", "how configurations are compared, and what may be concluded"),
    page!("ci", "a gate on storage in GitHub Actions, GitLab CI and Jenkins"),
    page!("audit", "contradictions in a result: every check, its sources and limits"),
    page!("fio-jobs", "fio jobs as profiles: what each option becomes"),
    page!("table-format", "printed figures as a file"),
    page!("size", "what to buy: limits, demands, configurations, the search"),
    page!("size-examples", "ten purchasing questions: what was expected, and the answers"),
    page!("catalogs", "catalogs of limits and prices: your own, and how to renew them"),
    page!("sweep", "how fast storage gets and why: the method of `iotrial sweep`"),
    page!("settings", "suggested settings of databases: each rule with its source"),
    page!("json", "the keys of `--json`"),
    page!("measurement", "each figure and finding: formula, source, threshold, what it cannot see"),
    page!("records", "finding, labelling and removing results"),
    page!("record", "the record and the store"),
    page!("python", "reading records into pandas: figures, seconds, histograms"),
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
