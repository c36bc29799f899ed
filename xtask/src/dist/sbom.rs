//! The parts list in the form of CycloneDX, `iotrial-VERSION-SYSTEM-ARCH.cdx.json`: every crate that is in the program, with licence and checksum.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::packages::CARGO_CYCLONEDX;
use super::platform::Platform;
use crate::step::{Outcome, shown};

/// cargo-cyclonedx writes beside the manifest of each crate of the workspace and takes no other folder.
const FILE: &str = "iotrial-dist.cdx";

/// The list of the crates that the program is made of on a platform.
pub(crate) fn make(root: &Path, target: &Path, platform: Platform, seconds: u64) -> anyhow::Result<String> {
    let mut command = Command::new(CARGO_CYCLONEDX.program(target)?);
    command.current_dir(root).env("SOURCE_DATE_EPOCH", seconds.to_string());
    command.args(["cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--no-build-deps"]);
    command.args(["--target", platform.target(), "--override-filename", FILE, "--manifest-path"]);
    command.arg(root.join("crates/iotrial/Cargo.toml"));
    let outcome = shown(&mut command);
    let written = root.join("crates/iotrial").join(format!("{FILE}.json"));
    let text = fs::read_to_string(&written);
    remove_all(root)?;
    ensure!(outcome? == Outcome::Passed, "cargo-cyclonedx failed");
    let text = text.with_context(|| format!("cargo-cyclonedx did not write {}", written.display()))?;
    check(&text)?;
    without_folder(&text, root)
}

/// One for each crate of the workspace, though one was asked for.
fn remove_all(root: &Path) -> anyhow::Result<()> {
    let crates = fs::read_dir(root.join("crates"))?.map(|entry| Ok(entry?.path()));
    let folders: Vec<_> = crates.chain([Ok(root.join("xtask"))]).collect::<anyhow::Result<_>>()?;
    for folder in folders {
        let file = folder.join(format!("{FILE}.json"));
        if file.is_file() {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
    }
    Ok(())
}

/// The folder of the build is part of the ids of the own crates: of no use to the reader, and different everywhere.
fn without_folder(text: &str, root: &Path) -> anyhow::Result<String> {
    let text = text.replace(&format!("path+file://{}", root.display()), "path+file:///iotrial");
    ensure!(
        !text.contains(&root.display().to_string()),
        "the parts list names the folder {}",
        root.display()
    );
    Ok(text)
}

/// It is CycloneDX of the program in this version, and lists crates of ours and of others.
fn check(text: &str) -> anyhow::Result<()> {
    let list: Value = serde_json::from_str(text).context("the parts list is not JSON")?;
    ensure!(list["bomFormat"] == "CycloneDX", "the parts list is not CycloneDX but {}", list["bomFormat"]);
    let of = &list["metadata"]["component"];
    ensure!(
        of["name"] == "iotrial" && of["version"] == env!("CARGO_PKG_VERSION"),
        "the parts list is of {} {}",
        of["name"],
        of["version"]
    );
    let parts = list["components"].as_array().context("the parts list has no components")?;
    for name in ["iotrial-engine", "serde_json"] {
        ensure!(parts.iter().any(|part| part["name"] == name), "the parts list has no {name}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(version: &str, part: &str) -> String {
        serde_json::json!({
            "bomFormat": "CycloneDX",
            "metadata": {"component": {"name": "iotrial", "version": version}},
            "components": [{"name": "iotrial-engine"}, {"name": part}],
        })
        .to_string()
    }

    #[test]
    fn a_list_of_another_version_or_without_the_crates_of_others_is_refused() {
        let version = env!("CARGO_PKG_VERSION");
        check(&list(version, "serde_json")).unwrap();
        assert!(check(&list("0.0.9", "serde_json")).unwrap_err().to_string().contains("0.0.9"));
        assert!(check(&list(version, "serde")).unwrap_err().to_string().contains("serde_json"));
        assert!(check("{}").unwrap_err().to_string().contains("CycloneDX"));
    }

    #[test]
    fn the_folder_of_the_build_is_not_in_the_list() {
        let root = Path::new("/home/me/iotrial");
        let text = r#"{"bom-ref": "path+file:///home/me/iotrial/crates/iotrial#0.1.0"}"#;
        assert_eq!(
            without_folder(text, root).unwrap(),
            r#"{"bom-ref": "path+file:///iotrial/crates/iotrial#0.1.0"}"#
        );
        assert!(without_folder(r#"{"place": "/home/me/iotrial"}"#, root).is_err());
    }
}
