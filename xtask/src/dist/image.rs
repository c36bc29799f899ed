//! The container image of `packaging/Containerfile`: the folder that a builder is given, and a trial of the image without a builder.
//!
//! The trial does what a builder and a container runtime would do with this recipe: it copies the files, makes the root read-only but for
//! the volumes, and starts the program as the user that the recipe names. An instruction that it does not know is an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

use super::contents::{Contents, Entry};
use super::platform::Platform;
use super::trial::{Way, check_all, check_summary, outcome, with_environment};
use crate::setup::is_root;
use crate::workspace::find_program;

/// The recipe, below the folder of the workspace.
pub(crate) const RECIPE: &str = "packaging/Containerfile";
/// Folders of the context that become the volumes; they are empty, and exist to belong to the user of the image.
const VOLUMES: [&str; 2] = ["volumes/data", "volumes/results"];

/// What the instructions of a recipe come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Recipe {
    copies: Vec<Copy>,
    /// Number of the user and of the group.
    user: (u32, u32),
    environment: Vec<(String, String)>,
    folder: String,
    volumes: Vec<String>,
    entrypoint: Vec<String>,
    command: Vec<String>,
}

/// A line `COPY`.
#[derive(Debug, PartialEq, Eq)]
struct Copy {
    owner: (u32, u32),
    /// Permissions of the file; those of the context without any.
    mode: Option<u32>,
    from: String,
    to: String,
}

impl Recipe {
    /// That of the workspace.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(root.join(RECIPE)).with_context(|| format!("cannot read {RECIPE}"))?;
        Self::parse(&text).context(RECIPE)
    }

    /// Reads the instructions that this recipe is written in.
    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut recipe = Self::default();
        let joined = text.replace("\\\n", " ");
        let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for (index, line) in lines.enumerate() {
            let (instruction, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            ensure!((index == 0) == (instruction == "FROM"), "one FROM must come first, not `{line}`");
            match instruction {
                "FROM" => ensure!(rest == "scratch", "the image must begin empty: `{line}`"),
                "LABEL" => {}
                "COPY" => recipe.copies.push(Copy::parse(rest)?),
                "USER" => recipe.user = pair(rest)?,
                "ENV" => {
                    let (name, value) =
                        rest.split_once('=').with_context(|| format!("no `=` in `{line}`"))?;
                    recipe.environment.push((name.to_owned(), value.to_owned()));
                }
                "WORKDIR" => rest.clone_into(&mut recipe.folder),
                "VOLUME" => recipe.volumes = words(rest)?,
                "ENTRYPOINT" => recipe.entrypoint = words(rest)?,
                "CMD" => recipe.command = words(rest)?,
                _ => bail!("an instruction that the trial does not know: `{line}`"),
            }
        }
        ensure!(recipe.user.0 != 0, "the image must not run as root");
        ensure!(!recipe.entrypoint.is_empty(), "the image has no ENTRYPOINT");
        Ok(recipe)
    }

    /// The file system that a builder makes of the folder `context`.
    pub(crate) fn build(&self, context: &Path, root: &Path) -> anyhow::Result<()> {
        for copy in &self.copies {
            let to = root.join(copy.to.trim_start_matches('/'));
            copy.carry_out(&context.join(&copy.from), &to)?;
        }
        Ok(())
    }
}

impl Copy {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut owner, mut mode, mut paths) = ((0, 0), None, Vec::new());
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("--chown", value)) => owner = pair(value)?,
                Some(("--chmod", value)) => mode = Some(u32::from_str_radix(value, 8)?),
                _ if word.starts_with('-') => bail!("an option that the trial does not know: `{word}`"),
                _ => paths.push(word.to_owned()),
            }
        }
        let Ok([from, to]) = <[String; 2]>::try_from(paths) else {
            bail!("COPY takes two paths, not `{text}`")
        };
        Ok(Self { owner, mode, from, to })
    }

    /// Of a folder the contents are copied, into a folder that may be there.
    fn carry_out(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        if from.is_dir() {
            fs::create_dir_all(to)?;
            for entry in fs::read_dir(from)? {
                let entry = entry?;
                let below = to.join(entry.file_name());
                self.carry_out(&entry.path(), &below)?;
                give(&below, self.owner)?;
            }
            return Ok(());
        }
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
        if let Some(mode) = self.mode {
            tool("chmod", &format!("{mode:o}"), to)?;
        }
        give(to, self.owner)
    }
}

/// Only root gives files away; without it the trial ends before the owner matters.
fn give(path: &Path, (user, group): (u32, u32)) -> anyhow::Result<()> {
    if is_root() { tool("chown", &format!("{user}:{group}"), path) } else { Ok(()) }
}

fn tool(name: &str, value: &str, path: &Path) -> anyhow::Result<()> {
    let status =
        Command::new(name).arg(value).arg(path).status().with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name} {value} {} failed", path.display());
    Ok(())
}

/// Two numbers as in `65532:65532`.
fn pair(text: &str) -> anyhow::Result<(u32, u32)> {
    let numbers =
        text.split_once(':').and_then(|(user, group)| Some((user.parse().ok()?, group.parse().ok()?)));
    // Names would be looked up in a file that an empty image does not have.
    numbers.with_context(|| format!("`{text}` is not the number of a user and of a group"))
}

/// A list in the form of JSON, which needs no shell in the image.
fn words(text: &str) -> anyhow::Result<Vec<String>> {
    serde_json::from_str(text).with_context(|| format!("`{text}` is not a list such as [\"/iotrial\"]"))
}

/// The folder that a builder is given: the program, and the empty volumes.
pub(crate) fn write_context(program: &[u8], folder: &Path) -> anyhow::Result<()> {
    let mut files = Contents::default();
    files.add("iotrial", Entry::program(program));
    files.write_into(folder)?;
    for volume in VOLUMES {
        fs::create_dir_all(folder.join(volume))?;
    }
    Ok(())
}

/// Mounts what a container runtime mounts, in a namespace that ends with the program: the root read-only, the volumes writable, `/proc`.
/// `$1` is the root, `$2` the volumes, `$3` user and `$4` group, `$5` the folder to begin in; the rest is the program with its arguments.
const CONTAIN: &str = r#"
root=$1 volumes=$2 user=$3 group=$4 folder=$5
shift 5
mount --bind "$root" "$root"
for volume in $volumes; do mount --bind "$root$volume" "$root$volume"; done
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
exec unshare --root="$root" --wd="$folder" --setuid "$user" --setgid "$group" "$@"
"#;

/// Runs the program in the file system of the image as the recipe says. Answers what was done.
///
/// `build` puts that file system into a folder.
pub(crate) fn try_image(
    recipe: &Recipe,
    build: &dyn Fn(&Path) -> anyhow::Result<()>,
    platform: Platform,
    target: &Path,
) -> anyhow::Result<String> {
    let place = tempfile::Builder::new().prefix("dist-").tempdir_in(target)?;
    let root = place.path();
    // Of the user who builds; in an image it belongs to root, and others may look into it.
    tool("chmod", "755", root)?;
    build(root)?;
    let way = Way::of(platform);
    if let Way::NotHere(reason) = way {
        return Ok(format!("file system built; {reason}"));
    }
    if !is_root() || find_program("unshare").is_none() {
        return Ok(
            "file system built; not run: that needs root and unshare (apt-get install util-linux)".to_owned()
        );
    }
    // A runtime makes it too, where an image has none.
    fs::create_dir_all(root.join("proc"))?;
    let emulator = way.prepare(root)?;
    let run = |arguments: &[&str]| {
        let mut command = contained(recipe, root, emulator.as_deref());
        let environment: Vec<(&str, &str)> =
            recipe.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        outcome(with_environment(command.args(arguments), &environment), arguments)
    };
    let by_itself: Vec<&str> = recipe.command.iter().map(String::as_str).collect();
    run(&by_itself).context("what the image does without arguments")?;
    check_all(&run)?;
    // Files, without `io_uring`: the seccomp filter of most runtimes refuses it. The emulator does not know writes that are durable by
    // themselves (`RWF_DSYNC`), so only reads are tried there.
    let profile = if emulator.is_some() { "oci-64k-randread" } else { "sqlserver-oltp" };
    let how = ["--closed", "--engine", "threads", "--size", "64MiB", "--duration", "1s", "--quiet", "--json"];
    let short = [["run", profile].as_slice(), &how].concat();
    check_summary(&run(&short)?)?;
    let (user, group) = recipe.user;
    let processor = if emulator.is_some() { ", emulated" } else { "" };
    Ok(format!(
        "file system built and run as {user}:{group} with a read-only root{processor}: its version, runs of one second on {}",
        "a simulated device and on files"
    ))
}

/// The program of the image with what a runtime puts around it.
fn contained(recipe: &Recipe, root: &Path, emulator: Option<&str>) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--net", "--", "sh", "-euc", CONTAIN, "sh"]);
    command.arg(root).arg(recipe.volumes.join(" "));
    command.args([recipe.user.0.to_string(), recipe.user.1.to_string()]);
    command.arg(&recipe.folder).arg("--").args(emulator).args(&recipe.entrypoint);
    command
}

/// The folder of a processor's image in the folder of the artifacts.
pub(crate) fn context_folder(folder: &Path, platform: Platform) -> PathBuf {
    folder.join(format!("image-{}", platform.arch()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    fn recipe() -> String {
        fs::read_to_string(root().unwrap().join(RECIPE)).unwrap()
    }

    #[test]
    fn the_image_has_the_program_alone_and_runs_as_a_user_that_owns_the_volumes() {
        let recipe = Recipe::parse(&recipe()).unwrap();
        assert_eq!(recipe.entrypoint, ["/iotrial"]);
        assert_eq!(recipe.volumes, ["/data", "/results"]);
        assert!(recipe.environment.contains(&("IOTRIAL_STORE".to_owned(), "/results".to_owned())));
        assert_eq!(recipe.folder, "/data");
        let volumes = recipe.copies.iter().find(|copy| copy.from == "volumes/").unwrap();
        assert_eq!(volumes.owner, recipe.user);
        let (context, built) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let context = context.path().join("context");
        write_context(b"a program", &context).unwrap();
        recipe.build(&context, built.path()).unwrap();
        let mut names: Vec<String> = fs::read_dir(built.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["data", "iotrial", "results"]);
    }

    #[test]
    fn a_recipe_that_the_trial_cannot_follow_is_refused() {
        let refused = |from: &str, to: &str| {
            let text = recipe();
            assert!(text.contains(from), "{from}");
            format!("{:#}", Recipe::parse(&text.replace(from, to)).unwrap_err())
        };
        assert!(refused("FROM scratch", "FROM debian").contains("must begin empty"));
        assert!(refused("USER 65532:65532", "USER 0:0").contains("must not run as root"));
        assert!(refused("USER 65532:65532", "USER iotrial").contains("`iotrial` is not the number"));
        assert!(refused("WORKDIR", "RUN").contains("does not know: `RUN"));
        assert!(refused("COPY --chmod", "COPY --link --chmod").contains("`--link`"));
    }
}
