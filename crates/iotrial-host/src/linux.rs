//! The host as Linux shows it.

use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Reading};

use super::ReadHostError;
use crate::block::Kernel;
use crate::{chain, limits, nfs, system};

/// Reads the host, and the chain below each target.
pub(super) fn read_host(targets: &[PathBuf], captured: Option<&Path>) -> Result<HostReport, ReadHostError> {
    let kernel = match captured {
        Some(folder) if !folder.join("proc/self/mountinfo").is_file() => {
            return Err(ReadHostError::NotACopy { folder: folder.to_owned() });
        }
        Some(folder) => Kernel::captured(folder),
        None => Kernel::this(),
    };
    let mounts = kernel.mounts();
    let uses = chain::uses(&kernel, &mounts);
    let mut host = system::host(&kernel);
    if let Some((limit, from)) = limits::memory(&kernel) {
        host.facts.push(Fact {
            id: FactId::MemoryLimit,
            reading: Reading::Known(FactValue::Number(limit)),
            from,
        });
    }
    host.facts.extend(nfs::of_host(&mounts));
    let chains = targets.iter().map(|target| {
        let place = if kernel.is_captured() {
            // Its links cannot be followed from here.
            Ok(target.clone())
        } else {
            std::fs::canonicalize(target)
        };
        let place = place.map_err(|source| ReadHostError::Target { path: target.clone(), source })?;
        Ok(chain::find(&kernel, &mounts, &uses, &place, &target.display().to_string()))
    });
    let chains = chains.collect::<Result<Vec<_>, ReadHostError>>()?;
    Ok(HostReport { name: host.name.clone(), host, chains })
}
