//! `iotrial study new`: the text of a study that compares some places.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_model::study::Study;
use iotrial_model::units::format_duration;

use crate::cli::StudyNewArgs;
use crate::failure::Failure;
use crate::output;
use crate::outputs::{Content, Outputs};

/// Prints a study of one configuration for each target.
pub fn print(args: &StudyNewArgs) -> Result<ExitCode, Failure> {
    output::verbatim(&checked(args)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes it to a file, which must not be there yet.
pub fn write(args: &StudyNewArgs, file: &Path) -> Result<(), Failure> {
    let text = checked(args)?;
    let outputs = Outputs::without_report(false);
    let content = Content::Format("iotrial.study/");
    outputs.and("the study", Some(&file.to_owned().into()), content).checked()?.write(file, text.as_bytes())
}

fn checked(args: &StudyNewArgs) -> Result<String, Failure> {
    let text = text(args);
    // What could not be read again must not be written: a target twice, or a name that no label may have.
    Study::parse(&text).map_err(|mistakes| {
        // Without their lines: nobody has seen the file.
        let all: Vec<String> = mistakes.0.iter().map(|one| one.message.clone()).collect();
        let hint = mistakes.0.iter().find_map(|one| one.hint.clone());
        Failure::input(anyhow!("{}", all.join("; "))).hint(hint)
    })?;
    Ok(text)
}

fn text(args: &StudyNewArgs) -> String {
    let labels = labels(&args.targets);
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let profiles: Vec<String> = args.profiles.iter().map(|one| quoted(one)).collect();
    let size = match args.size {
        Some(size) => format!("size = {}", quoted(&size.exact())),
        None => "# size = \"20GiB\"".to_owned(),
    };
    let duration = match args.duration {
        Some(duration) => format!("duration = {}", quoted(&format_duration(duration))),
        None => "# duration = \"5m\"".to_owned(),
    };
    let mut text = format!(
        "# Check it with `iotrial study THIS-FILE --dry-run`, and run it without --dry-run. `iotrial docs study` has every key.\n\
         format = \"iotrial.study/1\"\nname = {}\ntitle = {}\nprofiles = [{}]\nrepeats = {}\n\n\
         # Anything that is not set here is taken from the quick form of the profile.\n[load]\n{size}\n{duration}\n",
        quoted(&args.name),
        quoted(&labels.join(" vs. ")),
        profiles.join(", "),
        args.repeats
    );
    if let Some(need) = &args.need {
        text += &format!("need = {}\n", quoted(&need.to_string()));
    }
    for (label, target) in labels.iter().zip(&args.targets) {
        let (label, target) = (quoted(label), quoted(target));
        text += &format!("\n[[configuration]]\nlabel = {label}\ntargets = [{target}]\n");
    }
    text
}

/// The last part of each path, or the whole of it where several end alike.
fn labels(targets: &[String]) -> Vec<String> {
    let last = |target: &str| {
        let name = Path::new(target).file_name();
        name.map_or_else(|| target.to_owned(), |name| name.to_string_lossy().into_owned())
    };
    let mut count: HashMap<String, usize> = HashMap::new();
    targets.iter().for_each(|target| *count.entry(last(target)).or_default() += 1);
    let label = |target: &String| {
        Some(last(target)).filter(|name| count[name] == 1).unwrap_or_else(|| target.clone())
    };
    targets.iter().map(label).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::units::ByteSize;

    use super::*;

    fn asked(targets: &[&str]) -> StudyNewArgs {
        StudyNewArgs {
            targets: targets.iter().map(|&one| one.to_owned()).collect(),
            profiles: vec!["etcd".to_owned()],
            repeats: 5,
            name: "comparison".to_owned(),
            size: None,
            duration: None,
            need: None,
        }
    }

    fn of(targets: &[&str]) -> Result<Study, impl std::fmt::Debug> {
        Study::parse(&text(&asked(targets)))
    }

    #[test]
    fn name_size_duration_and_need_are_those_of_the_study() {
        let duration = Some(std::time::Duration::from_secs(300));
        let need = Some(iotrial_model::need::Need::Total(5_000.0));
        // One that no unit divides is written as exactly.
        let size = Some(ByteSize::bytes((1 << 30) + 512));
        let name = "disks".to_owned();
        let args = StudyNewArgs { name, size, duration, need, ..asked(&["/mnt/a", "/mnt/b"]) };
        let study = Study::parse(&text(&args)).unwrap();
        assert_eq!((study.name.as_str(), study.load.duration), ("disks", args.duration));
        assert_eq!(study.load.size, args.size);
        assert_eq!(study.load.need, args.need);
    }

    #[test]
    fn each_place_is_a_configuration_with_a_label_of_its_own() {
        let study = of(&["/mnt/old", "/mnt/a/data", "/mnt/b/data"]).unwrap();
        let labels: Vec<&str> = study.configurations.iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["old", "/mnt/a/data", "/mnt/b/data"]);
        assert_eq!((study.repeats, study.profiles.as_slice()), (5, &["etcd".to_owned()][..]));
        assert!(of(&["/mnt/a", "/mnt/a"]).is_err());
    }
}
