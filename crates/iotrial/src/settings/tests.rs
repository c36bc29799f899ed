//! Files and variables of settings.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

fn words_of(text: &str, rules: &place::Rules) -> Result<Vec<(String, Vec<String>)>, String> {
    let checked = |setting: &'static Setting, word: &str| -> Result<OsString, Refusal> {
        let word = rules.resolve(setting, word)?;
        setting.check_is_value(&word)?;
        Ok(word)
    };
    let found = file::read(text, &checked).map_err(|mistakes| mistakes.to_string())?;
    let word = |word: &OsString| word.to_string_lossy().into_owned();
    Ok(found
        .iter()
        .map(|(setting, words)| (setting.key.to_owned(), words.iter().map(word).collect()))
        .collect())
}

#[test]
fn the_example_of_every_setting_can_be_read() {
    let rules = place::Rules::Anywhere("/home/me/.config/iotrial".into());
    for setting in &SETTINGS {
        let line = format!("{} = {}\n", setting.key, setting.example);
        let found = words_of(&line, &rules).unwrap();
        assert_eq!((found.len(), found[0].0.as_str()), (1, setting.key), "{line}");
    }
}

#[test]
fn lists_tables_and_single_values_become_the_words_of_their_options() {
    let rules = place::Rules::Anywhere("/etc/iotrial".into());
    let text = "provider = \"oci\"\nrate = [\"USD/EUR=0.9\", \"USD/CHF=0.8\"]\n[attributes]\nvolumes = 3\ndriver = \"nvme\"\n";
    let found = words_of(text, &rules).unwrap();
    let words = |key: &str| found.iter().find(|(found, _)| found == key).unwrap().1.join(" ");
    assert_eq!(words("provider"), "oci");
    assert_eq!(words("rate"), "USD/EUR=0.9 USD/CHF=0.8");
    let mut pairs = found.iter().find(|(key, _)| key == "attributes").unwrap().1.clone();
    pairs.sort();
    assert_eq!(pairs, ["driver=nvme", "volumes=3"]);
}

#[test]
fn a_misspelt_key_is_told_with_its_line_and_the_nearest_one() {
    let rules = place::Rules::Anywhere("/etc/iotrial".into());
    let told = words_of("label = \"a\"\nthreshold = \"flash\"\nlabel2 = 3\n", &rules).unwrap_err();
    assert!(told.contains("line 2") && told.contains("`thresholds`") && told.contains("line 3"), "{told}");
    let told = words_of("currency = 7\n", &rules).unwrap_err();
    assert!(told.contains("line 1") && told.contains("must be a string"), "{told}");
}

#[test]
fn a_misspelt_variable_is_told_and_those_of_others_are_not() {
    let told = |names: &[&str]| -> Vec<String> {
        let found = misspelt(names.iter().map(|name| (*name).to_owned()));
        found.iter().map(|one| format!("{} {}", one.name, one.meant)).collect()
    };
    assert_eq!(
        told(&["IOTRIAL_TARGT", "IOTRIAL_THRESHOLD", "HOME"]),
        ["IOTRIAL_TARGT IOTRIAL_TARGET", "IOTRIAL_THRESHOLD IOTRIAL_THRESHOLDS"]
    );
    let settings: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    assert_eq!(misspelt(settings.into_iter()), []);
    // What a study and its metric command give, what a shell completes with, and what Kubernetes gives for a service of that name.
    let of_study = [
        "IOTRIAL_STUDY",
        "IOTRIAL_REPEAT",
        "IOTRIAL_TARGETS",
        "IOTRIAL_ATTRIBUTE_DRIVER",
        "IOTRIAL_RECORD",
        "IOTRIAL_MEASURED_S",
    ];
    assert_eq!(told(&of_study), [""; 0]);
    let of_others =
        [FILE_VARIABLE, "IOTRIAL_COMPLETE", "IOTRIAL_SERVICE_HOST", "IOTRIAL_PORT", "IOTRIAL_PORT_80_TCP"];
    assert_eq!(told(&of_others), [""; 0]);
    // Outside of a study nobody gives these.
    assert_eq!(told(&["IOTRIAL_TARGETS"]), ["IOTRIAL_TARGETS IOTRIAL_TARGET"]);
}

#[cfg(unix)]
mod on_unix {
    use super::*;

    #[test]
    fn the_own_file_begins_what_is_read_at_its_folder_and_what_is_written_at_the_root() {
        let rules = place::Rules::Anywhere("/home/me/.config/iotrial".into());
        let found = |text: &str| words_of(text, &rules).map(|found| found[0].1.join(" "));
        assert_eq!(found("thresholds = \"ours.toml\"").unwrap(), "/home/me/.config/iotrial/ours.toml");
        assert_eq!(found("thresholds = \"flash\"").unwrap(), "flash");
        assert_eq!(found("target = \"log=/mnt/b\"").unwrap(), "log=/mnt/b");
        assert!(found("target = \"./data\"").unwrap_err().contains("full path"));
        assert!(found("store = \"here\"").unwrap_err().contains("full path"));
        assert!(found("store = \"~/here\"").unwrap().ends_with("/here"));
    }

    #[test]
    fn the_file_of_a_folder_names_nothing_outside_of_it_whatever_way() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("project");
        std::fs::create_dir_all(inside.join("data")).unwrap();
        std::os::unix::fs::symlink(folder.path(), inside.join("out")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", inside.join("loose")).unwrap();
        let rules = place::Rules::Inside(inside);
        let found = |text: &str| words_of(text, &rules).map(|found| found[0].1.join(" "));
        assert_eq!(found("target = \"./data\"").unwrap(), "./data");
        assert_eq!(found("target = [\"log=new/deep\", \"data\"]").unwrap(), "log=new/deep data");
        assert_eq!(found("thresholds = \"flash\"").unwrap(), "flash");
        assert_eq!(found("thresholds = \"ours.toml\"").unwrap(), "ours.toml");
        for key in ["target", "store", "html_folder", "rules", "thresholds", "catalog", "profile"] {
            for place in
                ["/etc/x.toml", "../x.toml", "data/../../x.toml", "out/x.toml", "loose/x.toml", "~/x.toml"]
            {
                let told = found(&format!("{key} = \"{place}\"")).unwrap_err();
                assert!(told.contains("outside of this folder"), "{key} {place}: {told}");
            }
        }
        assert!(found("target = \"log=/dev/sda\"").unwrap_err().contains("outside"));
    }
}

#[test]
fn nothing_that_permits_more_can_be_set() {
    for word in ["destroy", "yes", "overwrite", "force", "listen", "cloud", "metric-command", "fio-env"] {
        assert!(SETTINGS.iter().all(|setting| setting.option != word), "{word}");
    }
}
