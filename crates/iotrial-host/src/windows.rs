//! The host as Windows shows it: nothing is read yet, and everything is said to be unknown.

use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{Fact, FactId, HostReport, Part, PartKind, Reading, TargetChain};

use super::ReadHostError;

const WHY: &str = "iotrial does not read settings of Windows yet";

/// Reads the host, and the chain below each target.
pub(super) fn read_host(targets: &[PathBuf], captured: Option<&Path>) -> Result<HostReport, ReadHostError> {
    if let Some(folder) = captured {
        return Err(ReadHostError::CopiesUnsupported { folder: folder.to_owned() });
    }
    let unknown = |id| Fact { id, reading: Reading::Unknown(WHY.to_owned()), from: "Windows".to_owned() };
    let facts = [FactId::Platform, FactId::Memory, FactId::ClockSource].map(unknown).to_vec();
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let host = Part { facts, ..Part::new(PartKind::Host, name.clone()) };
    let chain = |target: &PathBuf| {
        let source = |source| ReadHostError::Target { path: target.clone(), source };
        std::fs::metadata(target).map_err(source)?;
        Ok(TargetChain {
            target: target.display().to_string(),
            parts: Vec::new(),
            ends: Some(WHY.to_owned()),
        })
    };
    let chains = targets.iter().map(chain).collect::<Result<Vec<_>, ReadHostError>>()?;
    Ok(HostReport { name, host, chains })
}
