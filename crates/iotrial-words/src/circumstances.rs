//! What made figures, in brief.

use iotrial_model::circumstances::{EngineInBrief, LoadInBrief, ToolInBrief};
use iotrial_model::words::{counted, enumerate};

/// More sizes than this are not named.
const MOST_SIZES: usize = 6;

/// `sqlserver-oltp (quick): 3 jobs (8 KiB; 64 KiB), 40 outstanding I/Os`.
pub fn load(load: &LoadInBrief) -> String {
    let LoadInBrief { profile, is_quick, job_count, block_sizes, outstanding, figures_of } = load;
    let mut sizes = block_sizes.clone();
    if sizes.len() > MOST_SIZES {
        sizes.truncate(MOST_SIZES);
        sizes.push("others".to_owned());
    }
    let jobs = match (*job_count, sizes.is_empty()) {
        (..=1, true) => None,
        (..=1, false) => Some(enumerate(&sizes)),
        (count, true) => Some(counted(count, "job")),
        // A mix of sizes is a list itself.
        (count, false) => Some(format!("{} ({})", counted(count, "job"), sizes.join("; "))),
    };
    let parts = [
        jobs,
        outstanding.map(|count| counted(count, "outstanding I/O")),
        // The figures of a load that changes are those of one step, and a page that does not say so is misread.
        figures_of.as_ref().map(|step| format!("figures are those of {step}")),
    ];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let quick = if *is_quick { " (quick)" } else { "" };
    match profile {
        Some(profile) if parts.is_empty() => format!("{profile}{quick}"),
        Some(profile) => format!("{profile}{quick}: {parts}"),
        None => parts,
    }
}

/// `uring, direct I/O`.
pub fn engine(engine: &EngineInBrief) -> String {
    let EngineInBrief { name, direct } = engine;
    match direct {
        Some(true) => format!("{name}, direct I/O"),
        Some(false) => format!("{name}, through the page cache"),
        None => name.clone(),
    }
}

/// `fio 3.36`, `printed in: a paper`.
pub fn tool(tool: &ToolInBrief) -> String {
    match tool {
        ToolInBrief::PrintedIn(name) => format!("printed in: {name}"),
        ToolInBrief::Tool { name, version: Some(version) } => format!("{name} {version}"),
        ToolInBrief::Tool { name, version: None } => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only place where the wording is reviewed: `snapshots/iotrial_words__circumstances__tests__page.snap`.
    #[test]
    fn every_circumstance_has_its_words_on_one_page() {
        let sizes = |count: u64| (1..=count).map(|number| format!("{number} KiB")).collect();
        let of_jobs = |job_count, size_count| LoadInBrief {
            job_count,
            block_sizes: sizes(size_count),
            ..LoadInBrief::default()
        };
        let of_profile = |load| LoadInBrief { profile: Some("sqlserver-oltp".to_owned()), ..load };
        let peak = || Some("step 2 (100 %)".to_owned());
        let loads = [
            of_jobs(1, 2),
            of_jobs(3, 0),
            of_jobs(1_024, 7),
            LoadInBrief { outstanding: Some(1), ..of_jobs(1, 1) },
            of_profile(of_jobs(1, 0)),
            of_profile(LoadInBrief {
                is_quick: true,
                outstanding: Some(1_040),
                figures_of: peak(),
                ..of_jobs(3, 2)
            }),
        ];
        let engines = [None, Some(true), Some(false)];
        let engines = engines.map(|direct| EngineInBrief { name: "uring".to_owned(), direct });
        let fio = |version| ToolInBrief::Tool { name: "fio".to_owned(), version };
        let tools = [fio(None), fio(Some("3.36".to_owned())), ToolInBrief::PrintedIn("a paper".to_owned())];
        let (loads, engines) = (loads.iter().map(load), engines.iter().map(engine));
        let page: Vec<String> = loads.chain(engines).chain(tools.iter().map(tool)).collect();
        insta::assert_snapshot!("page", page.join("\n"));
    }
}
