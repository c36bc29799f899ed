//! Checks a host: reads it, and judges what was read by rules.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use iotrial_analysis::host_check::{
    CheckAnswer, Database, RuleSet, UnknownSetting, builtin_rules, judge_host,
};
use iotrial_host::cloud::ask_metadata;
use iotrial_host::report::{ReadHostError, read_host};
use iotrial_model::host_fact::{FactId, HostReport, Reading};
use iotrial_model::toml_reader::Mistakes;

use crate::bounded_file::{Pipes, ReadFileError, read_text};
use crate::fault::Fault;

/// What a check is asked for.
#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    /// Directories, files or devices; empty means the host alone.
    pub targets: Vec<PathBuf>,
    /// For which database; `None` judges by what holds for all.
    pub database: Option<Database>,
    /// Files of rules, or folders of them, besides the built-in ones.
    pub rules: Vec<PathBuf>,
    /// The metadata service of the cloud, where it is to be asked; `None` opens no connection.
    pub cloud: Option<SocketAddr>,
    /// A folder with a copy of another host's `/proc`, `/sys` and `/etc`, instead of this host.
    pub captured: Option<PathBuf>,
}

/// Why a host cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A target is not there, or the copy is none.
    #[error(transparent)]
    Host(#[from] ReadHostError),
    /// The folder of rules cannot be listed.
    #[error("cannot list the rules in `{}`", folder.display())]
    Folder {
        /// As it was given.
        folder: PathBuf,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
    /// The folder has no rules.
    #[error("there is no rule in `{}`: no file ends in .toml", folder.display())]
    NoRules {
        /// As it was given.
        folder: PathBuf,
    },
    /// A file of rules cannot be read.
    #[error("cannot read the rules `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ReadFileError,
    },
    /// A file of rules has mistakes.
    #[error("the rules `{}` have mistakes", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// All of them.
        #[source]
        source: Mistakes,
    },
}

impl Fault for CheckError {
    fn is_of_input(&self) -> bool {
        true
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Host(ReadHostError::Target { source, .. })
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                Some("run as root; if you are root, the container or a device cgroup forbids it".to_owned())
            }
            Self::Host(ReadHostError::Target { .. }) => {
                Some("give a directory, a file or a block device that exists".to_owned())
            }
            Self::Host(ReadHostError::NotACopy { .. }) => {
                Some("`iotrial docs check` says how to make a copy of a host".to_owned())
            }
            Self::Host(ReadHostError::CopiesUnsupported { .. }) => None,
            Self::Folder { .. } | Self::NoRules { .. } | Self::Read { .. } => Some(
                "give a file of rules, or a folder with some; `iotrial docs check` has an example".to_owned(),
            ),
            Self::Invalid { .. } => Some("`iotrial docs check` describes every key of a rule".to_owned()),
        }
    }
}

/// Reads the host and judges it. Changes nothing.
///
/// # Errors
///
/// When a target is not there, or rules cannot be read. What cannot be read of the host is part of the answer.
pub fn check_host(request: &CheckRequest) -> Result<CheckAnswer, CheckError> {
    // Rules first: a mistake in them is told before anything is looked at.
    let rules = load_rules(&request.rules)?;
    let mut host = read_host(&request.targets, request.captured.as_deref())?;
    if let Some(service) = request.cloud {
        ask_metadata(&mut host, service);
    }
    let mut answer = judge_host(host, &rules, request.database);
    // No rule asks for the shape, but whoever has the cloud asked wants to know why it did not answer.
    let shape = answer.host.host.fact(FactId::Shape).map(|fact| &fact.reading);
    if let (Some(_), Some(Reading::Unknown(why))) = (request.cloud, shape) {
        let unknown = UnknownSetting {
            parts: vec![answer.host.name.clone()],
            what: "what the cloud says of this machine".to_owned(),
            why: why.clone(),
            rules: Vec::new(),
        };
        answer.unknown.push(unknown);
    }
    Ok(answer)
}

/// What can be read of this host and of what is below some targets, a chain for each of them; `None` where it cannot be looked at at
/// all, which is no reason not to measure.
pub(crate) fn host_below<'p>(targets: impl Iterator<Item = &'p Path>) -> Option<HostReport> {
    let targets: Vec<&Path> = targets.collect();
    // A target that is still to be made will be on what holds the folder above it.
    let place = |path: &&Path| path.ancestors().find(|place| place.exists()).map(Path::to_owned);
    let places: Option<Vec<PathBuf>> = targets.iter().map(place).collect();
    let mut report = read_host(&places?, None).ok()?;
    for (chain, target) in report.chains.iter_mut().zip(targets) {
        chain.target = target.display().to_string();
    }
    Some(report)
}

/// Adds what the metadata service of the cloud says of the host; a sentence where it says nothing.
pub(crate) fn ask_cloud(report: &mut HostReport, service: SocketAddr) -> Option<String> {
    ask_metadata(report, service);
    match &report.host.fact(FactId::Shape)?.reading {
        Reading::Unknown(why) => Some(format!("the metadata service of the cloud gave no answer: {why}")),
        Reading::Known(_) => None,
    }
}

/// The built-in rules and those of files and folders; a rule with the id of an earlier one takes its place.
///
/// # Errors
///
/// When one cannot be read, with all its mistakes.
pub fn load_rules(places: &[PathBuf]) -> Result<RuleSet, CheckError> {
    let mut rules = builtin_rules();
    for place in places {
        for path in files(place)? {
            let text = read_text(&path, Pipes::Refused)
                .map_err(|source| CheckError::Read { path: path.clone(), source })?;
            let file = path.display().to_string();
            rules.add(RuleSet::parse(&text).map_err(|source| CheckError::Invalid { path, source })?, &file);
        }
    }
    Ok(rules)
}

/// The file itself, or those in the folder, by name.
fn files(place: &Path) -> Result<Vec<PathBuf>, CheckError> {
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let failed = |source| CheckError::Folder { folder: place.to_owned(), source };
    let entries = fs::read_dir(place).map_err(failed)?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(CheckError::NoRules { folder: place.to_owned() });
    }
    // A directory lists in any order, and a later rule replaces an earlier one.
    files.sort();
    Ok(files)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use iotrial_model::host_fact::{Fact, FactValue, Part, PartKind};

    use super::*;

    #[test]
    fn a_load_is_told_what_the_cloud_says_of_its_machine_or_that_it_says_nothing() {
        let platform = Fact {
            id: FactId::Platform,
            reading: Reading::Known(FactValue::text("gcp")),
            from: String::new(),
        };
        let host = Part { facts: vec![platform], ..Part::new(PartKind::Host, "db01") };
        let mut report = HostReport { name: "db01".to_owned(), host, chains: Vec::new() };
        // Nobody listens on a port that was just given back.
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let told = ask_cloud(&mut report, nobody).unwrap();
        assert!(told.starts_with("the metadata service of the cloud gave no answer: "), "{told}");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = listener.local_addr().unwrap();
        let answers = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4_096]).unwrap();
            let shape = "projects/123/machineTypes/n2-standard-16";
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{shape}", shape.len()).unwrap();
        });
        assert_eq!(ask_cloud(&mut report, service), None);
        answers.join().unwrap();
        assert_eq!(report.host.value(FactId::Shape).unwrap().to_string(), "n2-standard-16");
    }
}
