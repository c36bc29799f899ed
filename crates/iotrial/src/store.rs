//! The store, with what is odd about its files on standard error.

use std::path::Path;
use std::sync::Arc;

use iotrial_session::store::Store;

use crate::failure::Failure;
use crate::live::Live;

/// Opens the store in `folder`, or in the platform's data folder, for a command that makes no load.
pub fn open_store(folder: Option<&Path>) -> Result<Store, Failure> {
    Ok(Store::open(folder, Arc::new(Live::quiet()))?)
}
