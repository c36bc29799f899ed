//! What a shell offers in a place: names that are built in, and those that the store knows now.
//!
//! The script of a shell asks the program itself, so that a label of a minute ago is offered. Whatever goes wrong offers
//! nothing: a message would land in the middle of the line that is being typed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Arc;

use clap::CommandFactory as _;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use iotrial_analysis::threshold::{ThresholdSet, builtin_names};
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::foreign_text::{harmless, is_hidden};
use iotrial_model::plan::Plan;
use iotrial_model::profile::Profile;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_session::observer::Observer;
use iotrial_session::store::{Entry, Store};

use super::{Cli, StoreArgs};
use crate::docs::{PAGES, Page};
use crate::schema::{SCHEMAS, Schema};

/// Where nothing is typed yet, more ids than these would bury everything else; they are the newest.
const MOST_IDS: usize = 20;

/// A name, and what it stands for.
type Name = (String, Option<String>);

/// Profiles that are built in, and files.
pub(super) fn profiles() -> ArgValueCompleter {
    let title = |text| Profile::parse(text).ok().map(|profile| profile.title);
    names(
        move |_| builtin_profiles().iter().map(|one| (one.name.to_owned(), title(one.text))).collect(),
        true,
    )
}

/// Threshold sets that are built in, and files.
pub(super) fn thresholds() -> ArgValueCompleter {
    let title = |name| ThresholdSet::builtin(name).ok().map(|set| set.title);
    names(move |_| builtin_names().map(|name| (name.to_owned(), title(name))).collect(), true)
}

/// Pages of the documentation.
pub(super) fn pages() -> ArgValueCompleter {
    let page = |page: &Page| (page.name.to_owned(), Some(page.about.to_owned()));
    names(move |_| PAGES.iter().map(page).collect(), false)
}

/// Schemas of the files that iotrial writes.
pub(super) fn schemas() -> ArgValueCompleter {
    let schema = |schema: &Schema| (schema.name.to_owned(), Some(schema.about.to_owned()));
    names(move |_| SCHEMAS.iter().map(schema).collect(), false)
}

/// Commands, and pages of the documentation.
pub(super) fn commands_and_pages() -> ArgValueCompleter {
    let page = |page: &Page| (page.name.to_owned(), Some(page.about.to_owned()));
    let all = move |_: &str| {
        let program = Cli::command();
        let commands: Vec<Name> = program
            .get_subcommands()
            .map(|one| (one.get_name().to_owned(), one.get_about().map(ToString::to_string)))
            .collect();
        let is_command = |page: &&Page| commands.iter().any(|(name, _)| name == page.name);
        let pages: Vec<Name> = PAGES.iter().filter(|page| !is_command(page)).map(page).collect();
        [commands, pages].concat()
    };
    names(all, false)
}

/// Labels in the store.
pub(super) fn labels() -> ArgValueCompleter {
    names(|_| known_labels().into_iter().map(|label| (label, None)).collect(), false)
}

/// Whatever stands for a result: labels, `last`, ids, and files.
pub(super) fn results() -> ArgValueCompleter {
    names(
        |begun| {
            let mut all: Vec<Name> = known_labels().into_iter().map(|label| (label, None)).collect();
            all.push(("last".to_owned(), Some("the newest result".to_owned())));
            // Who has begun an id may mean any of them.
            let most = if begun.is_empty() { MOST_IDS } else { usize::MAX };
            all.extend(entries().into_iter().take(most).map(|entry| (entry.id, Some(entry.profile))));
            all
        },
        true,
    )
}

fn known_labels() -> BTreeSet<String> {
    entries().into_iter().filter_map(|entry| entry.label).collect()
}

/// The command line is not parsed yet, so that only the environment says where the store is.
fn entries() -> Vec<Entry> {
    let store = Store::open_to_read(StoreArgs::default().place().as_deref(), Arc::new(Deaf));
    store.ok().and_then(|store| store.entries().ok()).unwrap_or_default()
}

/// Hears of damaged files in the store, and keeps quiet about them.
struct Deaf;

impl Observer for Deaf {
    fn say(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn layout(&self, _: u64, _: u64) {}
    fn start(&self, _: &RunRecord, _: bool) {}
    fn interval(&self, _: &Plan, _: &Interval) {}
    fn finish(&self) {}
}

/// What `all` gives for the beginning of a word that is typed, as far as it begins so.
fn names(all: impl Fn(&str) -> Vec<Name> + Send + Sync + 'static, or_file: bool) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let begun = current.to_string_lossy();
        // A label of a stranger's record that would do something to the terminal cannot be typed either.
        let begins = |(name, _): &Name| name.starts_with(&*begun) && !name.contains(is_hidden);
        let candidate = |(name, about): Name| {
            CompletionCandidate::new(name).help(about.map(|about| harmless(&about).into()))
        };
        let mut candidates: Vec<CompletionCandidate> =
            all(&begun).into_iter().filter(begins).map(candidate).collect();
        if or_file {
            candidates.extend(PathCompleter::any().complete(current));
        }
        candidates
    })
}
