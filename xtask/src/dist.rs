//! `cargo xtask dist`: what people install, packed and tried. Archives and packages for Linux with a static program, the container image,
//! the zip for Windows, parts lists, and checksums of all of them.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};

mod contents;
mod platform;
mod tarball;
mod trial;
mod packages;
mod sbom;
mod image;
mod image_archive;
mod zip_for_windows;
mod workshop;

use crate::workspace::build_folder;
use contents::{Contents, Entry, SUMS, line_of_sums, read};
use packages::Material;
use platform::{LINUX, Missing, Platform};
use workshop::Workshop;

const USAGE: &str = "\
Usage: cargo xtask dist [--only KIND]... [--arch ARCH]... [--program FILE] [FOLDER]

Builds iotrial with the Cargo profile `dist`, packs it, unpacks each artifact and runs what is in it. The artifacts and SHA256SUMS go into FOLDER, which is `dist` in the
target folder without one.

Kinds, all of them without --only:
  tar    iotrial-VERSION-linux-ARCH.tar.gz, with a static program, man pages, completions and documents
  deb    iotrial_VERSION-1_ARCH.deb, by cargo-deb
  rpm    iotrial-VERSION-1.ARCH.rpm, by cargo-generate-rpm
  image  image-ARCH, the folder that packaging/Containerfile is built with
  oci    iotrial-VERSION-linux-ARCH-image.tar, the container image for `podman load` and `docker load`, by buildah
  zip    iotrial-VERSION-windows-x86_64.zip
  sbom   iotrial-VERSION-SYSTEM-ARCH.cdx.json, the parts list in the form of CycloneDX, by cargo-cyclonedx

--arch is x86_64 or aarch64, both without it. --program packs a program of this host that is already built, to try the packing itself; it may need
libraries of this host, and is not for anybody else. It needs --only tar. The time of all files is SOURCE_DATE_EPOCH, or else that of the last commit; the same checkout and
tools then give the same bytes. What cannot be made on this host is reported at the end with what has to be installed, and the exit code is 1.";

/// A kind of artifact, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tar,
    Deb,
    Rpm,
    Image,
    Oci,
    Zip,
    Sbom,
}

impl Kind {
    const ALL: [(&'static str, Self); 7] = [
        ("tar", Self::Tar),
        ("deb", Self::Deb),
        ("rpm", Self::Rpm),
        ("image", Self::Image),
        ("oci", Self::Oci),
        ("zip", Self::Zip),
        ("sbom", Self::Sbom),
    ];

    fn platforms(self) -> Vec<Platform> {
        match self {
            Self::Tar | Self::Deb | Self::Rpm | Self::Image | Self::Oci => LINUX.to_vec(),
            Self::Zip => vec![Platform::Windows],
            Self::Sbom => LINUX.into_iter().chain([Platform::Windows]).collect(),
        }
    }

    /// What is not installed and needed to make it. The packagers are not asked for: they are installed where they are missing.
    fn missing(self, platform: Platform) -> Vec<Missing> {
        let builder =
            (self == Self::Oci).then(|| Missing::program(image_archive::BUILDER, "buildah")).flatten();
        // A parts list is made of manifests; nothing is compiled for it.
        let compilers = if self == Self::Sbom { Vec::new() } else { platform.missing() };
        compilers.into_iter().chain(builder).collect()
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    artifacts: Vec<(Kind, Platform)>,
    folder: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Asked {
    /// The error is for people, without the usage.
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let (mut kinds, mut archs, mut folder, mut program) = (Vec::new(), Vec::new(), None, None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--only" => {
                    let word = rest.next().ok_or("--only takes a kind")?;
                    let kind = Kind::ALL.iter().find(|(name, _)| name == word);
                    kinds.push(kind.ok_or_else(|| format!("there is no kind `{word}`"))?.1);
                }
                "--arch" => {
                    let word = rest.next().ok_or("--arch takes a processor")?;
                    let is_known = LINUX.iter().any(|platform| platform.arch() == word);
                    archs.push(
                        is_known
                            .then_some(word.as_str())
                            .ok_or_else(|| format!("`{word}` is not built for"))?,
                    );
                }
                "--program" => program = Some(rest.next().ok_or("--program takes a file")?.into()),
                option if option.starts_with('-') => return Err(format!("there is no option `{option}`")),
                path if folder.is_none() => folder = Some(PathBuf::from(path)),
                path => return Err(format!("one folder is enough, and `{path}` is another one")),
            }
        }
        let of_kind = |kind: Kind| kind.platforms().into_iter().map(move |platform| (kind, platform));
        let artifacts = Kind::ALL.into_iter().map(|(_, kind)| kind);
        let artifacts = artifacts.filter(|kind| kinds.is_empty() || kinds.contains(kind)).flat_map(of_kind);
        let is_asked = |platform: Platform| {
            (archs.is_empty() || archs.contains(&platform.arch()))
                && (program.is_none() || platform.is_of_this_host())
        };
        let artifacts: Vec<_> = artifacts.filter(|(_, platform)| is_asked(*platform)).collect();
        if artifacts.is_empty() {
            return Err("nothing of that kind is made for that processor".to_owned());
        }
        // The others promise a static program of the profile `dist`, or look for it in its folder.
        if program.is_some() && artifacts.iter().any(|(kind, _)| *kind != Kind::Tar) {
            return Err("--program needs --only tar".to_owned());
        }
        Ok(Self { artifacts, folder, program })
    }
}

/// An artifact that was made.
struct Made {
    path: PathBuf,
    /// What was tried with it, or why nothing was.
    trial: String,
}

/// Makes what was asked for, tries it, and says where it is.
pub(crate) fn dist(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if matches!(arguments, [help] if help == "--help" || help == "-h") {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let asked = match Asked::parse(arguments) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let start = Instant::now();
    let target = build_folder(root);
    let folder = asked.folder.unwrap_or_else(|| target.join("dist"));
    let given = asked.program.and_then(|program| Some((asked.artifacts.first()?.1, program)));
    let mut workshop = Workshop::new(root, &target, &folder, given)?;
    let (mut made, mut missing) = (Vec::new(), Vec::new());
    for (kind, platform) in asked.artifacts {
        // Nothing is compiled for a program that is there.
        let lacks = if workshop.is_given { Vec::new() } else { kind.missing(platform) };
        if lacks.is_empty() {
            let artifact = make(kind, platform, &mut workshop);
            made.push(artifact.with_context(|| format!("{kind:?} for {}", platform.name()))?);
        } else {
            missing.push((kind, platform, lacks));
        }
    }
    write_sums(&folder)?;
    for artifact in &made {
        let size = size(&artifact.path)?;
        println!("{}  {size} bytes\n    {}", artifact.path.display(), artifact.trial);
    }
    println!("{} artifacts in {:.0} s", made.len(), start.elapsed().as_secs_f64());
    report_missing(&missing);
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report_missing(missing: &[(Kind, Platform, Vec<Missing>)]) {
    let mut tools: Vec<&Missing> = Vec::new();
    for (kind, platform, lacks) in missing {
        let names: Vec<&str> = lacks.iter().map(|one| one.tool.as_str()).collect();
        println!("not made: {kind:?} for {}, without {}", platform.name(), names.join(" and "));
        tools.extend(lacks);
    }
    tools.sort();
    tools.dedup();
    for tool in tools {
        println!("to install {}: {}", tool.tool, tool.install);
    }
}

/// Makes one artifact and tries it.
fn make(kind: Kind, platform: Platform, workshop: &mut Workshop) -> anyhow::Result<Made> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("iotrial-{version}-{}", platform.name());
    let (root, target, folder) = (workshop.root.clone(), workshop.target.clone(), workshop.folder.clone());
    let seconds = workshop.seconds;
    match kind {
        Kind::Tar => {
            let path = folder.join(format!("{name}.tar.gz"));
            let mut files = linux_files(workshop, platform)?;
            files.add("iotrial", Entry::program(read(&workshop.program(platform)?)?));
            let archive = tarball::write(Vec::new(), &files.with_sums_below(&name), seconds)?;
            fs::write(&path, &archive).with_context(|| format!("cannot write {}", path.display()))?;
            let place = tempfile::Builder::new().prefix("dist-").tempdir_in(&target)?;
            tarball::unpack(archive.as_slice(), place.path())?;
            contents::check_sums(&place.path().join(&name))?;
            let try_it = if workshop.is_given { trial::try_in_place } else { trial::try_in };
            let trial = try_it(&place.path().join(&name), "iotrial", platform)?;
            Ok(Made { path, trial })
        }
        Kind::Deb | Kind::Rpm => {
            let files = linux_files(workshop, platform)?;
            let material = Material { root: &root, target: &target, platform, contents: &files, seconds };
            let is_deb = kind == Kind::Deb;
            let path =
                folder.join(if is_deb { packages::deb_name(platform) } else { packages::rpm_name(platform) });
            let make = if is_deb { packages::make_deb } else { packages::make_rpm };
            make(&material, &path)?;
            let try_it = if is_deb { packages::try_deb } else { packages::try_rpm };
            let trial = try_it(&path, platform, &target)?;
            Ok(Made { path, trial })
        }
        Kind::Image => {
            let path = image::context_folder(&folder, platform);
            image::write_context(&read(&workshop.program(platform)?)?, &path)?;
            let recipe = image::Recipe::read(&root)?;
            let trial = image::try_image(&recipe, &|place| recipe.build(&path, place), platform, &target)?;
            Ok(Made { path, trial })
        }
        Kind::Oci => {
            let path = folder.join(format!("{name}-image.tar"));
            let place = tempfile::Builder::new().prefix("dist-").tempdir_in(&target)?;
            let context = place.path().join("context");
            image::write_context(&read(&workshop.program(platform)?)?, &context)?;
            let archive = image_archive::make(&root, &context, platform, &target, seconds)?;
            fs::write(&path, &archive).with_context(|| format!("cannot write {}", path.display()))?;
            let scratch = place.path().join("layout");
            let build = |place: &Path| image_archive::unpack(&archive, platform, &scratch, place);
            let trial = image::try_image(&image::Recipe::read(&root)?, &build, platform, &target)?;
            Ok(Made { path, trial })
        }
        Kind::Zip => {
            let path = folder.join(format!("{name}.zip"));
            let mut files = Contents::documents(&root)?;
            files.add("iotrial.exe", Entry::program(read(&workshop.program(platform)?)?));
            let completions = workshop.about_itself()?.0.into_iter();
            files.extend(Contents(completions.filter(|(name, _)| name.ends_with(".ps1")).collect()));
            let zip =
                zip_for_windows::write(Cursor::new(Vec::new()), &files.with_sums_below(&name))?.into_inner();
            fs::write(&path, &zip).with_context(|| format!("cannot write {}", path.display()))?;
            let trial = zip_for_windows::try_it(&zip, &name, &target)?;
            Ok(Made { path, trial })
        }
        Kind::Sbom => {
            let path = folder.join(format!("{name}.cdx.json"));
            let list = sbom::make(&root, &target, platform, seconds)?;
            fs::write(&path, list).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Made { path, trial: "it lists the crates of this version".to_owned() })
        }
    }
}

/// What stands beside the program on Linux. The program is built first, so that it makes its own man pages.
fn linux_files(workshop: &mut Workshop, platform: Platform) -> anyhow::Result<Contents> {
    workshop.program(platform)?;
    let mut files = Contents::documents(&workshop.root)?;
    files.add_folder(&workshop.root, "dashboards", "json")?;
    files.add_folder(&workshop.root, "packaging/kubernetes", "yaml")?;
    files.add(image::RECIPE, Entry::text(read(&workshop.root.join(image::RECIPE))?));
    files.extend(workshop.about_itself()?);
    Ok(files)
}

/// The checksums of all artifacts in the folder, also of those that an earlier call made.
fn write_sums(folder: &Path) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().to_string_lossy().starts_with("iotrial") {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut sums = String::new();
    for name in names {
        sums += &line_of_sums(&read(&folder.join(&name))?, &name);
    }
    fs::write(folder.join(SUMS), sums).with_context(|| format!("cannot write {SUMS}"))
}

/// The bytes of a file, or of all files in a folder.
fn size(path: &Path) -> anyhow::Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    if !metadata.is_dir() {
        bail!("{} is neither a file nor a folder", path.display());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Asked, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Asked::parse(&words)
    }

    #[test]
    fn without_options_everything_is_made_for_every_platform_of_its_kind() {
        let all = asked("").unwrap();
        assert_eq!(all.artifacts.len(), 5 * 2 + 1 + 3);
        assert_eq!(all.folder, None);
    }

    #[test]
    fn kinds_and_processors_narrow_what_is_made() {
        let few = asked("--only deb --only tar --arch aarch64 out").unwrap();
        assert_eq!(few.artifacts, [(Kind::Tar, Platform::LinuxArm), (Kind::Deb, Platform::LinuxArm)]);
        assert_eq!(few.folder, Some(PathBuf::from("out")));
        assert_eq!(asked("--only zip").unwrap().artifacts, [(Kind::Zip, Platform::Windows)]);
        if let Some(here) = LINUX.into_iter().find(|platform| platform.is_of_this_host()) {
            assert_eq!(asked("--only tar --program debug/iotrial").unwrap().artifacts, [(Kind::Tar, here)]);
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused_by_name() {
        let refused = |line: &str| asked(line).unwrap_err();
        assert_eq!(refused("--only msi"), "there is no kind `msi`");
        assert_eq!(refused("--arch riscv64"), "`riscv64` is not built for");
        assert_eq!(refused("--fast"), "there is no option `--fast`");
        assert_eq!(refused("--only"), "--only takes a kind");
        assert_eq!(refused("one two"), "one folder is enough, and `two` is another one");
        if cfg!(target_os = "linux") {
            assert_eq!(refused("--only deb --program debug/iotrial"), "--program needs --only tar");
        }
        assert_eq!(refused("--only zip --arch aarch64"), "nothing of that kind is made for that processor");
        assert!(Kind::ALL.iter().all(|(name, _)| USAGE.contains(&format!("\n  {name} "))));
    }

    #[test]
    fn the_list_of_checksums_has_all_artifacts_of_the_folder_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["iotrial-b.rpm", "iotrial-a.deb", "notes.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join("iotrial-folder")).unwrap();
        write_sums(folder.path()).unwrap();
        let sums = fs::read_to_string(folder.path().join(SUMS)).unwrap();
        let names: Vec<&str> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        assert_eq!(names, ["iotrial-a.deb", "iotrial-b.rpm"]);
        contents::check_sums(folder.path()).unwrap();
    }
}
