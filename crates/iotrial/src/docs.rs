//! The pages of the documentation for those who use the program, as part of it: it is one file, and its hints must lead somewhere.

use crate::markdown::{PageStyle, render};

/// A page that `iotrial docs` shows.
pub struct Page {
    /// What the command line takes, and the name of the file.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Markdown, word for word.
    pub text: &'static str,
}

impl Page {
    /// The page of that name.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        // Whoever copies a name out of a link has its ending too.
        let wanted = name.strip_suffix(".md").unwrap_or(name).trim_start_matches("docs/");
        PAGES.iter().find(|page| page.name == wanted)
    }

    /// As a terminal shows it.
    pub fn rendered(&self, style: PageStyle) -> String {
        render(self.text, style, command_of)
    }
}

/// What a link stands for where nothing can be clicked: the command that shows its page, or its address.
fn command_of(address: &str) -> Option<String> {
    if address.contains("://") {
        return Some(address.to_owned());
    }
    let file = address.split('#').next().unwrap_or_default();
    // A place on the same page, or a page about building iotrial, which is not part of the program.
    Page::of_name(file).map(|page| format!("iotrial docs {}", page.name))
}
macro_rules! page {
    ($name:literal, $about:literal) => {
        Page { name: $name, about: $about, text: include_str!(concat!("../../../docs/", $name, ".md")) }
    };
}

/// In the order in which somebody meets them. What is only about building iotrial is not among them.
pub const PAGES: [Page; 38] = [
    page!("glossary", "the terms: knee, ceiling, stream, role, open and closed load, and more"),
    page!("install", "every way to install iotrial: packages, container, completions, what is not tested"),
    page!("kubernetes", "is a StorageClass fast enough: a Job, its results, what a pod changes"),
    page!("check", "is this host set up for a database: what is checked, the rules, your own rules"),
    page!("facts", "every setting of a host that `iotrial check` reads, by name"),
    page!("watch", "is a running system's storage fast enough: counter files, live, Prometheus"),
    page!("observe", "what a real database does on this storage, under the load of your driver"),
    page!("capture", "the block I/O of a running database, as figures and as a profile"),
    page!("metrics", "what `--listen` serves to Prometheus"),
    page!("profiles", "loads: the built-in ones, and how to write your own"),
    page!("built-in", "the built-in profiles and threshold sets, and the settings"),
    page!("thresholds", "latency limits for the verdict, and how to write your own"),
    page!("study", "several configurations: repeated, in balanced order, resumable, on several machines"),
    page!(
        "verify",
        "whether storage gives back what is written, and what a power cut leaves: how it is found out"
    ),
    page!("targets", "what iotrial touches and what it never touches"),
    page!("windows", "Windows: how I/O is done there, what was tested, what is missing"),
    page!("reports", "report formats, and what each contains"),
    page!("import", "results of other tools: formats, limits, what is easily misread"),
    page!("awr", "Oracle AWR and Statspack reports: what is read, corrected and left out"),
    page!("compare", "how configurations are compared, and what may be concluded"),
    page!("ci", "a gate on storage in GitHub Actions, GitLab CI and Jenkins"),
    page!("audit", "contradictions in a result: every check, its sources and limits"),
    page!("fio-jobs", "fio jobs as profiles: what each option becomes"),
    page!("table-format", "figures from a paper or a web page, written as a file for import"),
    page!("size", "what to buy: limits, demands, configurations, the search"),
    page!("size-examples", "ten purchasing questions: what was expected, and the answers"),
    page!("catalogs", "catalogs of limits and prices: your own, and how to update them"),
    page!("sweep", "how fast storage gets and why: the method of `iotrial sweep`"),
    page!("settings", "suggested database settings: each rule with its source"),
    page!("json", "the keys of `--json`"),
    page!("ids", "every finding, check, limit and observation by its id"),
    page!("summary-keys", "every key of `run --json` and `report --json`"),
    page!("measurement", "each figure and finding: formula, source, threshold, what it cannot see"),
    page!("configuration", "your own defaults: files, variables, and which one takes precedence"),
    page!("records", "finding, labelling and removing results"),
    page!("record", "the record and the store"),
    page!("record-keys", "every key of a record"),
    page!("python", "reading records into pandas: figures, seconds, histograms"),
];

#[cfg(test)]
#[path = "docs/tests.rs"]
mod tests;
#[cfg(test)]
#[path = "docs/generated.rs"]
mod generated;
