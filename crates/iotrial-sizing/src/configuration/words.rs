//! A configuration in words.

use std::fmt::Write as _;

use iotrial_model::load::Role;

use super::Configuration;

impl Configuration {
    /// The machine in a few words: its name, with its cores where they are ordered.
    pub(crate) fn machine_in_short(&self) -> String {
        match self.ocpus {
            Some(ocpus) => format!("{} {ocpus} OCPU", self.machine),
            None => self.machine.clone(),
        }
    }

    /// In a few words: machine and pools; of several with what each is for, and without what is ordered for each volume.
    pub fn in_short(&self) -> String {
        let mut text = self.machine_in_short();
        if let [pool] = self.pools.as_slice() {
            let _ = write!(text, " + {}", pool.in_short());
            return text;
        }
        for (index, pool) in self.pools.iter().enumerate() {
            let _ = write!(text, " + {} for {}", pool.label(), self.pool_name(index));
        }
        text
    }

    /// What of it is not as in another one, in a few words: the whole of it where the machine is another, and otherwise the pools
    /// that differ.
    pub(crate) fn beside(&self, other: &Self) -> String {
        let is_alike =
            self.machine_in_short() == other.machine_in_short() && self.pools.len() == other.pools.len();
        if !is_alike || self.pools.len() == 1 {
            return self.in_short();
        }
        let pools = self.pools.iter().zip(&other.pools).enumerate().filter(|(_, (own, other))| own != other);
        let words: Vec<String> = pools
            .map(|(index, (own, _))| format!("{} for {}", own.in_short(), self.pool_name(index)))
            .collect();
        if words.is_empty() { self.in_short() } else { words.join(" and ") }
    }

    /// What a pool is called: by its roles, or as the one with the rest. The scans of the data are the data's.
    pub fn pool_name(&self, pool: usize) -> String {
        let roles = &self.pools[pool].roles;
        let words: Vec<&str> = match roles.as_slice() {
            [] => {
                let has_data = self.pools.iter().all(|other| !other.roles.contains(&Role::Data));
                return if has_data { "data and the rest" } else { "the rest" }.to_owned();
            }
            [Role::Data, Role::Scan] => vec![Role::Data.as_str()],
            roles => roles.iter().map(|role| role.as_str()).collect(),
        };
        words.join(", ")
    }
}
