//! The store, with what is odd about its files on standard error.

use std::path::PathBuf;

use iotrial_session::store::Store;

use crate::cli::StoreArgs;
use crate::failure::Failure;
use crate::watchers::Watchers;

/// Opens the store for a command that writes into it, and makes it where there is none.
pub fn open_store(args: &StoreArgs) -> Result<Store, Failure> {
    Ok(Store::open(args.place().as_deref(), Watchers::quiet())?)
}

/// Opens the store for a command that only looks: where there is none, it is an empty one, and stays unmade. A mistyped name must
/// not leave a folder behind.
pub fn open_store_to_read(args: &StoreArgs) -> Result<Store, Failure> {
    Ok(Store::open_to_read(args.place().as_deref(), Watchers::quiet())?)
}

/// What the names stand for in the store, each file once: a label and an id may mean the same one.
pub fn named(store: &Store, names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut all: Vec<PathBuf> = Vec::new();
    for name in names {
        for path in store.named(name)? {
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    Ok(all)
}
