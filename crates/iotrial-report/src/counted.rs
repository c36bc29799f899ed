//! What a cost includes in addition to machine, operating system and volumes, in words.

use iotrial_sizing::catalog::Term;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::price::{Counted, LicencesFrom, Pair};

/// The line of the head; `None` where nothing more is counted.
pub(crate) fn counted_in_words(counted: &Counted) -> Option<String> {
    let mut all = Vec::new();
    match counted.term {
        Term::OnDemand => {}
        Term::OneYear => all.push("machine committed for 1 year".to_owned()),
        Term::ThreeYears => all.push("machine committed for 3 years".to_owned()),
    }
    if let Some(database) = &counted.database {
        let from = match database.from {
            LicencesFrom::Included => "licences from the provider by the hour".to_owned(),
            LicencesFrom::List => {
                format!("licences at list price over {} years, with support", database.write_off_years)
            }
            LicencesFrom::Own => "own licences".to_owned(),
            LicencesFrom::PerYear(amount) => format!("licences at {} each a year", grouped(amount)),
        };
        all.push(format!("{}, {from}", database.database.title()));
    }
    match counted.pair {
        None => {}
        Some(Pair::Replica) => all.push("a second machine with volumes of its own".to_owned()),
        Some(Pair::Cluster) => all.push("a second machine on the same volumes".to_owned()),
    }
    all.extend(counted.backup_gib.map(|gib| format!("{} GiB of backups", grouped(gib))));
    all.extend(counted.egress_gib.map(|gib| format!("{} GiB a month to the internet", grouped(gib))));
    (!all.is_empty()).then(|| all.join("; "))
}

/// What the list prices do not include, for the note under a table.
pub(crate) fn not_counted(counted: &Counted) -> String {
    let mut all = vec!["boot disks"];
    if counted.backup_gib.is_none() {
        all.push("backups");
    }
    if counted.egress_gib.is_none() {
        all.push("traffic");
    }
    match all.as_slice() {
        [one] => format!("{one} are not included"),
        all => format!("{} and {} are not included", all[..all.len() - 1].join(", "), all[all.len() - 1]),
    }
}
