//! Defaults of the user's own, and the documentation in a terminal, as a user meets them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Bench, Ran};

/// The program with the user's own file in `config` of the bench, and no variable of settings but the store's.
fn command(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = bench.command(arguments);
    let config = bench.path().join("config");
    command
        .env_remove("IOTRIAL_CONFIG")
        .env("XDG_CONFIG_HOME", &config)
        .env("APPDATA", &config)
        .env("USERPROFILE", bench.path());
    command
}

fn run(bench: &Bench, arguments: &[&str]) -> Ran {
    Ran::from(command(bench, arguments).output().unwrap())
}

fn write_own(bench: &Bench, text: &str) {
    let folder = bench.path().join("config/iotrial");
    fs::create_dir_all(&folder).unwrap();
    write_settings(&folder.join("config.toml"), text);
}

/// Writes a file that is obeyed, whatever the umask of whoever runs the tests.
fn write_settings(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    set_mode(path, 0o644);
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn write_folder(bench: &Bench, text: &str) {
    write_settings(&bench.path().join("iotrial.toml"), text);
}

const DRY: [&str; 6] = ["run", "--dry-run", "--json", "--engine", "sim", "--quiet"];

#[test]
fn the_command_line_goes_before_variables_these_before_the_folder_and_that_before_the_own_file() {
    let bench = Bench::new();
    let label = |ran: &Ran| ran.stderr.clone();
    write_own(&bench, "label = \"of-user\"\n");
    let own = run(&bench, &DRY).expect_code(0);
    assert!(label(&own).contains("--label of-user") && label(&own).contains("config.toml"), "{}", own.stderr);
    write_folder(&bench, "label = \"of-folder\"\n");
    let folder = run(&bench, &DRY).expect_code(0);
    assert!(label(&folder).contains("--label of-folder (./iotrial.toml)"), "{}", folder.stderr);
    let variable = Ran::from(command(&bench, &DRY).env("IOTRIAL_LABEL", "of-variable").output().unwrap());
    assert!(label(&variable).contains("--label of-variable (IOTRIAL_LABEL)"), "{}", variable.stderr);
    let typed = [DRY.as_slice(), &["--label", "typed"]].concat();
    let typed = Ran::from(command(&bench, &typed).env("IOTRIAL_LABEL", "of-variable").output().unwrap());
    assert!(!label(&typed).contains("--label"), "{}", typed.stderr);
    let none = Ran::from(command(&bench, &DRY).env("IOTRIAL_CONFIG", "none").output().unwrap());
    assert_eq!(none.expect_code(0).stderr, "");
}

#[test]
fn a_record_has_what_is_set_as_if_it_had_been_typed_and_the_page_is_in_the_folder() {
    let bench = Bench::new();
    let pages = bench.path().join("pages");
    write_own(
        &bench,
        &format!(
            "label = \"db01\"\nthresholds = \"ours.toml\"\nhtml_folder = '{}'\n[attributes]\nvolumes = 3\n",
            pages.display()
        ),
    );
    let ours = bench.run(&["thresholds", "flash"]).expect_code(0).stdout;
    fs::write(
        bench.path().join("config/iotrial/ours.toml"),
        ours.replace("name = \"flash\"", "name = \"ours\""),
    )
    .unwrap();
    let arguments = ["run", "--engine", "sim", "--closed", "--duration", "2s", "--size", "256MiB", "--quiet"];
    let ran = run(&bench, &arguments);
    assert!(ran.stderr.contains("ours.toml") && ran.stderr.contains("config.toml"), "{}", ran.stderr);
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(listed[0]["label"], "db01", "{}\n{}", ran.stdout, ran.stderr);
    let record = fs::read_to_string(&bench.stored(".iotrial.json")[0]).unwrap();
    assert!(record.contains("\"attributes\":{\"volumes\":3}"), "{record}");
    let report = bench.run(&["report", "last", "--json"]).json();
    assert_eq!(report["verdict"]["thresholds"], "ours", "{report}");
    assert_eq!(fs::read_dir(&pages).unwrap().count(), 1);
    assert!(bench.stored(".html").is_empty());
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place_and_help_still_works() {
    let bench = Bench::new();
    write_folder(&bench, "lable = \"x\"\ntarget = \"/mnt/prod\"\n");
    let refused = run(&bench, &["run", "--dry-run"]).expect_code(2).stderr;
    for part in [
        "./iotrial.toml",
        "line 1",
        "`label`",
        "line 2",
        "outside of this folder",
        "iotrial docs configuration",
    ] {
        assert!(refused.contains(part), "no {part}: {refused}");
    }
    run(&bench, &["config"]).expect_code(2);
    run(&bench, &["docs", "glossary"]).expect_code(0);
    run(&bench, &["run", "--help"]).expect_code(0);
    let variable = Ran::from(
        bench.command(&["size", "--read", "1000iops@8KiB"]).env("IOTRIAL_RATE", "x").output().unwrap(),
    );
    let told = variable.expect_code(2).stderr;
    assert!(told.contains("IOTRIAL_RATE") && told.contains("such as"), "{told}");
}

#[test]
fn config_says_what_holds_and_from_where() {
    let bench = Bench::new();
    write_own(&bench, "currency = \"EUR\"\n");
    let shown = run(&bench, &["config"]).expect_code(0).stdout;
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("currency").contains("EUR") && line("currency").contains("config.toml"), "{shown}");
    assert!(line("store").contains("IOTRIAL_STORE") && line("target").contains("./iotrial-data"), "{shown}");
    let json = run(&bench, &["config", "--json"]).expect_code(0).json();
    let of = |name: &str| {
        json["settings"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!((&of("currency")["source"], &of("currency")["values"][0]), (&"user".into(), &"EUR".into()));
    assert_eq!(
        (&of("label")["source"], of("label")["values"].as_array().unwrap().len()),
        (&serde_json::Value::Null, 0)
    );
    let states: Vec<&str> =
        json["files"].as_array().unwrap().iter().map(|file| file["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["absent", "read"]);
    // Every line of the example that is no comment sets something, once its mark is gone.
    let example = run(&bench, &["config", "--example"]).expect_code(0).stdout;
    assert!(example.lines().all(|line| line.is_empty() || line.starts_with('#')), "{example}");
    write_own(&bench, &example);
    run(&bench, &["config"]).expect_code(0);
}

#[test]
fn a_misspelt_variable_is_a_warning_that_names_the_one_that_was_meant() {
    let bench = Bench::new();
    let misspelt = |arguments: &[&str]| {
        Ran::from(command(&bench, arguments).env("IOTRIAL_LABL", "db01").output().unwrap()).expect_code(0)
    };
    let told = misspelt(&DRY).stderr;
    assert!(told.contains("IOTRIAL_LABL") && told.contains("did you mean `IOTRIAL_LABEL`?"), "{told}");
    let shown = misspelt(&["config"]).stdout;
    assert!(shown.contains("IOTRIAL_LABL") && shown.contains("did you mean IOTRIAL_LABEL?"), "{shown}");
    let json = misspelt(&["config", "--json"]).json();
    assert_eq!(json["misspelt"][0]["meant"], "IOTRIAL_LABEL");
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_write_to_is_not_obeyed_whosever_it_is() {
    let bench = Bench::new();
    write_folder(&bench, "label = \"x\"\n");
    write_own(&bench, "label = \"x\"\n");
    let (folder, own) = (bench.path().join("iotrial.toml"), bench.path().join("config/iotrial/config.toml"));
    for (mode, told) in [(0o664, "its group may write to it"), (0o666, "every user may write to it")] {
        set_mode(&folder, mode);
        set_mode(&own, mode);
        let named = Ran::from(command(&bench, &DRY).env("IOTRIAL_CONFIG", &own).output().unwrap());
        for ran in [run(&bench, &DRY), named] {
            let ran = ran.expect_code(0);
            assert_eq!(ran.stderr.matches(told).count(), 2, "{}", ran.stderr);
            assert!(!ran.stderr.contains("--label"), "{}", ran.stderr);
        }
    }
}

#[test]
fn no_setting_runs_a_command_consents_or_writes_outside_of_its_folder() {
    let bench = Bench::new();
    let clone = bench.path().join("clone");
    fs::create_dir(&clone).unwrap();
    let arguments = ["run", "--engine", "sim", "--closed", "--duration", "100ms", "--quiet"];
    let marker = bench.path().join("marker");
    for option in [
        "--metric-command=x=touch",
        "--html",
        "--csv",
        "--target",
        "--store",
        "--github-summary",
        "--destroy",
    ] {
        let separator = if option.contains("touch") { ' ' } else { '=' };
        let word = format!("{option}{separator}{}", marker.display());
        write_settings(&clone.join("iotrial.toml"), &format!("profile = '{word}'\n"));
        let ran = Ran::from(command(&bench, &arguments).current_dir(&clone).output().unwrap());
        // By name, file and line.
        let told = ran.expect_code(2).stderr;
        assert!(
            told.contains("./iotrial.toml") && told.contains("line 1") && told.contains("`profile`"),
            "{told}"
        );
        fs::remove_file(clone.join("iotrial.toml")).unwrap();
        let set = Ran::from(command(&bench, &arguments).env("IOTRIAL_PROFILE", &word).output().unwrap());
        assert!(set.expect_code(2).stderr.contains("IOTRIAL_PROFILE"), "{word}");
        assert!(!marker.exists() && bench.stored(".iotrial.json").is_empty(), "{word}");
    }
}

#[test]
fn a_label_that_looks_like_an_option_is_a_label_in_the_next_command_too() {
    let bench = Bench::new();
    let base = ["run", "--engine", "sim", "--closed", "--duration", "2s", "--size", "256MiB"];
    let ran = Ran::from(command(&bench, &base).env("IOTRIAL_LABEL", "--yes").output().unwrap());
    assert!(ran.stderr.contains("settings: --label=--yes (IOTRIAL_LABEL)"), "{}", ran.stderr);
    let next = ran.stdout.lines().find(|line| line.starts_with("next: iotrial run ")).unwrap();
    assert!(next.contains(" --label=--yes"), "{next}");
    let words: Vec<&str> = next["next: iotrial ".len()..].split(' ').chain(["--dry-run"]).collect();
    bench.run(&words).expect_code(0);
}

#[test]
fn help_shows_commands_and_topics() {
    let bench = Bench::new();
    let list = bench.run(&["help"]).expect_code(0).stdout;
    assert!(list.contains("  sweep ") && list.contains("glossary "), "{list}");
    let both = bench.run(&["help", "check"]).expect_code(0).stdout;
    assert!(both.contains("--list-rules") && both.contains("`iotrial docs check`"), "{both}");
    let below = bench.run(&["help", "size", "explain"]).expect_code(0).stdout;
    assert!(below.starts_with(&bench.run(&["size", "explain", "--help"]).expect_code(0).stdout), "{below}");
    assert!(bench.run(&["help", "size", "explian"]).expect_code(2).stderr.contains("`explain`"));
    let topic = bench.run(&["help", "glossary"]).expect_code(0).stdout;
    assert_eq!(topic, bench.run(&["docs", "glossary.md", "--markdown"]).expect_code(0).stdout);
    assert!(bench.run(&["study", "help", "new"]).expect_code(0).stdout.contains("iotrial study new"));
    let meaning = bench.run(&["help", "Working", "set"]).expect_code(0).stdout;
    assert!(
        meaning.starts_with("**working set**: ") && meaning.contains("`iotrial help glossary`"),
        "{meaning}"
    );
    assert!(
        bench.run(&["help", "bandwidth"]).expect_code(0).stdout.starts_with("**throughput, bandwidth**: ")
    );
    let refused = bench.run(&["help", "glosary"]).expect_code(2).stderr;
    assert!(refused.contains("did you mean `glossary`?"), "{refused}");
}
