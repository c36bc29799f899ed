//! The container image as one file that `podman load`, `docker load`, `kind load` and `skopeo` take: built by buildah, which needs no service.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::contents::{Contents, Entry, digest, read};
use super::image::RECIPE;
use super::platform::Platform;
use super::tarball;
use crate::step::{Outcome, shown};

pub(crate) const BUILDER: &str = "buildah";

/// The image of a context, in the form of the Open Container Initiative.
pub(crate) fn make(
    root: &Path,
    context: &Path,
    platform: Platform,
    target: &Path,
    seconds: u64,
) -> anyhow::Result<Vec<u8>> {
    // A store of its own: images of the user are none of our business, and nothing is left behind.
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    let name = format!("iotrial:{}", env!("CARGO_PKG_VERSION"));
    let buildah = |arguments: &[&str]| {
        let mut command = Command::new(BUILDER);
        command.current_dir(root).env("TMPDIR", place.path()).env("BUILDAH_ISOLATION", "chroot");
        command.arg("--root").arg(place.path().join("store")).arg("--runroot").arg(place.path().join("run"));
        command.args(["--storage-driver", "vfs"]).args(arguments);
        let is_done = shown(&mut command)? == Outcome::Passed;
        ensure!(is_done, "buildah {} failed", arguments[0]);
        anyhow::Ok(())
    };
    let (seconds_given, context) = (seconds.to_string(), context.display().to_string());
    let made = ["build", "--quiet", "--timestamp", &seconds_given, "--arch", platform.debian_arch()];
    buildah(&[made.as_slice(), &["--file", RECIPE, "--tag", &name, &context]].concat())?;
    let layout = place.path().join("layout");
    buildah(&["push", "--quiet", &name, &format!("oci:{}:{name}", layout.display())])?;
    let mut files = Contents::default();
    add_all(&layout, "", &mut files)?;
    // Not by buildah, whose archive has the time at which it was made.
    tarball::write_plain(Vec::new(), &files, seconds)
}

/// All files below a folder, by their names from there.
fn add_all(folder: &Path, prefix: &str, files: &mut Contents) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            add_all(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.add(name, Entry::text(read(&entry.path())?));
        }
    }
    Ok(())
}

/// Unpacks the file system of an archive as a container engine does: index, manifest, layers, each with its checksum.
pub(crate) fn unpack(archive: &[u8], platform: Platform, scratch: &Path, root: &Path) -> anyhow::Result<()> {
    tar::Archive::new(archive).unpack(scratch)?;
    let index: Value = serde_json::from_slice(&read(&scratch.join("index.json"))?)?;
    let manifest: Value = serde_json::from_slice(&blob(scratch, &index["manifests"][0])?)?;
    let config: Value = serde_json::from_slice(&blob(scratch, &manifest["config"])?)?;
    let arch = platform.debian_arch();
    ensure!(config["architecture"] == arch, "the image is for {}, not {arch}", config["architecture"]);
    let layers = manifest["layers"].as_array().context("the image has no layers")?;
    for layer in layers {
        tarball::unpack_with_owners(blob(scratch, layer)?.as_slice(), root)?;
    }
    Ok(())
}

/// What an entry of an index or manifest points to.
fn blob(layout: &Path, entry: &Value) -> anyhow::Result<Vec<u8>> {
    let sum = entry["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
    let sum = sum.with_context(|| format!("an entry without a checksum: {entry}"))?;
    let bytes = read(&layout.join("blobs/sha256").join(sum))?;
    ensure!(digest(&bytes) == sum, "{sum} has another checksum");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of one layer, whose manifest says that it is for `arch`.
    fn archive(arch: &str) -> Vec<u8> {
        let mut of_layer = Contents::default();
        of_layer.add("iotrial", Entry::program("a program"));
        let mut files = Contents::default();
        let mut add = |bytes: Vec<u8>| {
            let sum = digest(&bytes);
            files.add(format!("blobs/sha256/{sum}"), Entry::text(bytes));
            serde_json::json!({"digest": format!("sha256:{sum}")})
        };
        let layer = add(tarball::write(Vec::new(), &of_layer, 0).unwrap());
        let config = add(serde_json::json!({"architecture": arch}).to_string().into_bytes());
        let manifest = add(serde_json::json!({"config": config, "layers": [layer]}).to_string().into_bytes());
        files.add("index.json", Entry::text(serde_json::json!({"manifests": [manifest]}).to_string()));
        tarball::write_plain(Vec::new(), &files, 0).unwrap()
    }

    fn unpacked(archive: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (scratch, root) = (tempfile::tempdir()?, tempfile::tempdir()?);
        unpack(archive, Platform::LinuxArm, scratch.path(), root.path())?;
        read(&root.path().join("iotrial"))
    }

    #[test]
    fn the_file_system_of_an_image_is_that_of_its_layers() {
        assert_eq!(unpacked(&archive("arm64")).unwrap(), b"a program");
    }

    #[test]
    fn an_image_for_another_processor_or_with_a_changed_part_is_refused() {
        assert!(unpacked(&archive("amd64")).unwrap_err().to_string().contains("amd64"));
        let mut damaged = archive("arm64");
        let place = damaged.windows(12).position(|bytes| bytes == b"architecture").unwrap();
        damaged[place..place + 12].copy_from_slice(b"archetecture");
        assert!(unpacked(&damaged).unwrap_err().to_string().contains("another checksum"));
    }
}
