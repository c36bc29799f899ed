//! What the program says of itself.

use crate::support;

use crate::support::Bench;

/// The commands of a section of the README, without what is behind `#`.
fn readme_commands(section: &str) -> Vec<String> {
    let readme = include_str!("../../../../README.md");
    let (_, behind) = readme.split_once(&format!("\n## {section}\n")).unwrap();
    let section = behind.split("\n## ").next().unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("$ "));
    lines.map(|line| line.split(" #").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn the_two_commands_of_the_readme_work_in_a_clone_without_anything_installed() {
    let [run, check] = &readme_commands("Two commands")[..] else { panic!("there are not two") };
    // What cargo runs without a name of a package is this program, and `xtask` is an alias of its own.
    let workspace = include_str!("../../../../Cargo.toml");
    assert!(workspace.contains("default-members = [\"crates/iotrial\"]"));
    let arguments: Vec<&str> = run.strip_prefix("cargo run --release -- ").unwrap().split(' ').collect();
    let bench = Bench::new();
    let ran = bench.run(&[&arguments[..], &["--engine", "sim", "--quiet"]].concat());
    assert!([0, 1, 4].contains(&ran.code) && bench.stored(".iotrial.json").len() == 1, "{}", ran.stderr);
    let alias = include_str!("../../../../.cargo/config.toml");
    assert!(alias.contains("xtask = \"run --quiet --package xtask --\""));
    let task = check.strip_prefix("cargo xtask ").unwrap();
    let tasks = include_str!("../../../../xtask/src/main.rs");
    assert!(tasks.contains(&format!("[\"{task}\", ..] =>")), "{task}");
}

/// What a shell that has its script offers for the last word of a line.
fn offered(bench: &Bench, shell: &str, line: &[&str]) -> Vec<String> {
    let index = (line.len() - 1).to_string();
    let asked = [&["--"][..], line].concat();
    let mut command = bench.command(&asked);
    command.env("IOTRIAL_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let ran = support::Ran::from(command.output().unwrap()).expect_code(0);
    ran.stdout.lines().map(|line| line.split(['\t', ':']).next().unwrap().to_owned()).collect()
}

#[test]
fn completions_come_for_every_shell_and_know_what_can_stand_in_a_place() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("mine.toml"), "").unwrap();
    let run = [
        "run",
        "--engine",
        "sim",
        "--duration",
        "1s",
        "--ramp",
        "0s",
        "--quiet",
        "--json",
        "--label",
        "three",
    ];
    bench.run(&run);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = bench.run(&["completions", shell]).expect_code(0).stdout;
        assert!(script.contains("iotrial") && script.contains("IOTRIAL_COMPLETE"), "{shell}");
        let has = |line: &[&str], word: &str| {
            let words = offered(&bench, shell, line);
            assert!(words.iter().any(|one| one == word), "{shell} {line:?}: {words:?}");
        };
        has(&["iotrial", "run", "--dry"], "--dry-run");
        has(&["iotrial", "run", "sqlserver-o"], "sqlserver-oltp");
        has(&["iotrial", "run", "./mi"], "./mine.toml");
        has(&["iotrial", "run", "--thresholds", "fl"], "flash");
        has(&["iotrial", "report", "th"], "three");
        has(&["iotrial", "compare", "la"], "last");
        has(&["iotrial", "docs", "thr"], "thresholds");
    }
    // A store that is not there is not made by pressing a key.
    let elsewhere = Bench::new();
    assert!(!offered(&elsewhere, "bash", &["iotrial", "report", "th"]).contains(&"three".to_owned()));
    assert!(!elsewhere.store().exists());
}

#[test]
fn every_id_that_begins_as_typed_is_offered_and_the_newest_where_nothing_is() {
    let bench = Bench::new();
    bench.run(&["run", "--engine", "sim", "--closed", "--duration", "1s", "--ramp", "0s", "--quiet"]);
    let record = bench.stored(".iotrial.json").remove(0);
    let (name, text) =
        (record.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(&record).unwrap());
    let id = name.strip_suffix(".iotrial.json").unwrap();
    // More than are offered where nothing is typed: the others differ in their last characters.
    let others: Vec<String> = (10..40).map(|number| format!("{}0{number}", &id[..id.len() - 3])).collect();
    for other in &others {
        let copy = record.with_file_name(format!("{other}.iotrial.json"));
        std::fs::write(copy, text.replace(id, other)).unwrap();
    }
    let begun = offered(&bench, "bash", &["iotrial", "report", &id[..6]]);
    assert!(others.iter().all(|other| begun.contains(other)), "{begun:?}");
    let is_id = |word: &&String| word.len() == id.len() && word.starts_with(&id[..6]);
    assert_eq!(offered(&bench, "bash", &["iotrial", "report", ""]).iter().filter(is_id).count(), 20);
    // The option takes a part of a path.
    let paths = offered(&bench, "bash", &["iotrial", "records", "--target", "./da"]);
    assert!(paths.iter().any(|path| path.starts_with("./data")), "{paths:?}");
}

#[test]
fn threshold_sets_are_listed_and_printed_so_that_they_can_be_used() {
    let bench = Bench::new();
    let list = bench.run(&["thresholds"]).expect_code(0).stdout;
    let json = bench.run(&["thresholds", "--json"]).expect_code(0).json();
    assert_eq!(list.lines().count(), json.as_array().unwrap().len());
    for set in json.as_array().unwrap() {
        let name = set["name"].as_str().unwrap();
        let text = bench.run(&["thresholds", name]).expect_code(0).stdout;
        assert!(text.contains(&format!("name = \"{name}\"")));
        std::fs::write(bench.path().join("mine.toml"), &text).unwrap();
        assert_eq!(bench.run(&["thresholds", "./mine.toml"]).expect_code(0).stdout, text);
    }
    let refused = bench.run(&["thresholds", "flush"]).expect_code(2).stderr;
    assert!(refused.contains("did you mean `flash`?"), "{refused}");
}

#[test]
fn every_page_that_help_points_to_is_in_the_program() {
    let bench = Bench::new();
    let list = bench.run(&["docs"]).expect_code(0).stdout;
    let pages: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    for page in &pages {
        assert!(bench.run(&["docs", page]).expect_code(0).stdout.starts_with("# "), "{page}");
    }
    let commands = [
        "run",
        "verify",
        "sweep",
        "study",
        "report",
        "compare",
        "audit",
        "size",
        "import",
        "records",
        "open",
        "label",
        "remove",
        "profiles",
        "thresholds",
        "target",
        "clean",
    ];
    for command in commands {
        let help = bench.run(&[command, "--help"]).expect_code(0).stdout;
        assert!(!help.contains("docs/") && !help.contains("crates/"), "{command}");
        for named in help.split("`iotrial docs ").skip(1) {
            let page = named.split('`').next().unwrap();
            assert!(pages.contains(&page), "{command} points to {page}");
        }
    }
    let refused = bench.run(&["docs", "nowhere"]).expect_code(2).stderr;
    assert!(refused.contains("there is no page `nowhere`") && refused.contains("profiles"), "{refused}");
}

#[test]
fn man_pages_are_written_for_every_command() {
    let bench = Bench::new();
    bench.run(&["man", "data"]).expect_code(0);
    for page in ["iotrial.1", "iotrial-run.1", "iotrial-target.1"] {
        let text = std::fs::read_to_string(bench.data().join(page)).unwrap();
        assert!(text.contains(".TH iotrial"), "{page}");
    }
}

#[test]
fn man_pages_replace_nothing_unless_that_is_asked_and_follow_no_link() {
    let bench = Bench::new();
    let page = bench.data().join("iotrial.1");
    #[cfg(unix)]
    {
        let victim = bench.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, &page).unwrap();
        for more in [&[][..], &["--overwrite"]] {
            bench.run(&[&["man", "data"], more].concat()).expect_code(2);
            assert_eq!(bench.data_files().len(), 1, "none of the others is written");
        }
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        std::fs::remove_file(&page).unwrap();
    }
    std::fs::write(&page, "precious").unwrap();
    let refused = bench.run(&["man", "data"]).expect_code(2).stderr;
    assert!(refused.contains("iotrial.1` exists already") && refused.contains("--overwrite"), "{refused}");
    assert_eq!(bench.data_files().len(), 1, "none of the others is written");
    bench.run(&["man", "data", "--overwrite"]).expect_code(0);
    assert!(std::fs::read_to_string(&page).unwrap().contains(".TH iotrial"));
}

#[test]
fn profiles_are_listed_and_printed() {
    let bench = Bench::new();
    let list = bench.run(&["profiles"]).expect_code(0).stdout;
    let json = bench.run(&["profiles", "--json"]).expect_code(0).json();
    assert_eq!(list.lines().count(), json.as_array().unwrap().len());
    for profile in json.as_array().unwrap() {
        let name = profile["name"].as_str().unwrap();
        assert!(bench.run(&["profiles", name]).expect_code(0).stdout.contains(&format!("name = \"{name}\"")));
    }
}

#[test]
fn alone_without_a_terminal_it_prints_its_help_and_fails() {
    let ran = Bench::new().run(&[]).expect_code(2);
    assert!(ran.stderr.contains("Usage: iotrial"), "{}", ran.stderr);
}
