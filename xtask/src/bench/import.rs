//! The row `import`: how long thousands of results of fio take, and how much memory.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::alone::mib;
use super::figure::{Figure, Target};
use super::tools::Bench;
use super::watched::{OFTEN, Watched};

const FILE_COUNT: usize = 10_000;
/// As fio wrote them: with bins, with several runs in a file, and of a client; 12 KiB each on average.
const RESULTS: [&str; 4] = ["mix.json", "stonewall.json", "status.json", "client.json"];

/// Ten thousand files into an empty folder.
///
/// # Errors
///
/// When the files cannot be made, or not all of them are imported.
pub(crate) fn import(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let golden = bench.root.join("crates/iotrial-import/tests/golden/fio");
    let read = |name| {
        let path = golden.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let texts = RESULTS.into_iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let (results, records) = (bench.folder.join("results"), bench.folder.join("records"));
    let file_count = bench.options.of_size(FILE_COUNT, RESULTS.len());
    write_results(&results, &texts, file_count)?;
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.pairs {
        // What is there already would not be written again.
        let _ = fs::remove_dir_all(&records);
        let watched = Watched::iotrial(&mut bench.import(&results, &records), OFTEN)?;
        let outcome = &watched.document;
        if outcome["kinds"][0]["files"] != file_count || outcome["failed"] != serde_json::json!([]) {
            bail!("not all of the {file_count} files were imported");
        }
        seconds.push(watched.wall_s());
        let peak = watched.peak_resident_bytes();
        memory.push(mib(peak.context("the system does not tell how much memory is resident")?));
    }
    // What is left there is written over by the next benchmark.
    let _ = fs::remove_dir_all(&results);
    let _ = fs::remove_dir_all(&records);
    let name = |what: &str| format!("{file_count} files of fio: {what}");
    Ok(vec![
        Figure::alone(name("seconds"), seconds, Some(Target::at_most(20.0))),
        Figure::alone(name("MiB resident"), memory, Some(Target::at_most(64.0))),
    ])
}

/// Copies of the texts with jobs of other names, so that no two are the same result.
fn write_results(folder: &Path, texts: &[String], file_count: usize) -> anyhow::Result<()> {
    // What an earlier benchmark left must not be imported, too.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    for number in 0..file_count {
        let text = &texts[number % texts.len()];
        let text = text.replacen("\"jobname\" : \"", &format!("\"jobname\" : \"{number}-"), 1);
        let path = folder.join(format!("{number}.json"));
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}
