//! Pools that a demand asks for: data, log, tempdb and backup on volumes of their own, each with what only it needs.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{Demand, LatencyClass, words};
use crate::load::Role;
use crate::toml_reader::TableReader;
use crate::units::ByteSize;

/// Volumes apart from the others, and what they have to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DemandPool {
    /// The roles whose data is on it; never empty, and each role is in one pool.
    pub roles: Vec<Role>,
    /// What is stored on it today, each byte once; 0 asks for none.
    #[serde(rename = "capacity_bytes")]
    pub capacity: ByteSize,
    /// The slowest that is acceptable; `None` takes what the demand asks of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyClass>,
    /// Whether it has to outlive the machine: what need not may be on the machine's own disk, which costs nothing more.
    pub durable: bool,
    /// Share of the reads that a cache of the host would serve, where the provider has one; 0 takes no cache.
    pub cache_hit_percent: f64,
    /// Names of kinds of volume or of their levels; empty takes any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<String>,
}

impl DemandPool {
    /// A pool for these roles that asks for nothing else.
    pub fn new(roles: Vec<Role>) -> Self {
        // What is only tempdb is made anew when the database starts, so it may be lost with the machine.
        let durable = roles != [Role::Tempdb];
        Self {
            roles,
            capacity: ByteSize::bytes(0),
            latency: None,
            durable,
            cache_hit_percent: 0.0,
            volumes: Vec::new(),
        }
    }

    /// Its roles in words: `data and scan`.
    pub fn name(&self) -> String {
        roles_in_words(&self.roles)
    }
}

/// Roles as a list: `data, scan`.
fn roles_in_words(roles: &[Role]) -> String {
    roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ")
}

/// A pool as it has to be laid out.
#[derive(Debug, Clone, PartialEq)]
pub struct LaidOutPool {
    /// What is on it and what it has to be. Of the one that takes the rest: all roles that no other pool names.
    pub pool: DemandPool,
    /// Whether it takes what no other pool names.
    pub is_rest: bool,
}

/// Why the pools of a demand cannot be laid out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// A role is on two pools.
    #[error("the role `{role}` is in two pools")]
    Twice {
        /// The role.
        role: Role,
    },
    /// The capacity of all that has no pool of its own belongs to nothing.
    #[error("`capacity` is for roles without a pool of their own, and here every role has one")]
    NoRest,
}

impl Demand {
    /// The pools as they have to be laid out; one where the demand names none. What no pool names is together on one of its own:
    /// I/O without a role counts as data, scans are with the data, and `capacity` is that of this pool, or of the one with the data where that states none.
    pub fn layout(&self) -> Vec<LaidOutPool> {
        let rest_of = |roles: Vec<Role>, capacity: ByteSize| LaidOutPool {
            pool: DemandPool { capacity, durable: true, ..DemandPool::new(roles) },
            is_rest: true,
        };
        if self.pools.is_empty() {
            return vec![rest_of(Role::ALL.to_vec(), self.capacity)];
        }
        let mut all: Vec<LaidOutPool> =
            self.pools.iter().map(|pool| LaidOutPool { pool: pool.clone(), is_rest: false }).collect();
        let mut named: Vec<Role> = self.pools.iter().flat_map(|pool| pool.roles.iter().copied()).collect();
        // Scans read the data files, wherever these are, unless somebody says otherwise.
        let of_data = all.iter_mut().find(|one| one.pool.roles.contains(&Role::Data));
        if let Some(data) = of_data.filter(|_| !named.contains(&Role::Scan)) {
            data.pool.roles.push(Role::Scan);
            named.push(Role::Scan);
        }
        let is_named = |role: Role| named.contains(&role);
        let mut capacity = self.capacity;
        let of_data = all.iter_mut().find(|one| one.pool.roles.contains(&Role::Data));
        if let Some(data) = of_data.filter(|data| data.pool.capacity.get() == 0) {
            data.pool.capacity = std::mem::take(&mut capacity);
        }
        let has_io = self.streams.iter().any(|stream| !is_named(stream.role.unwrap_or(Role::Data)));
        if has_io || capacity.get() > 0 {
            let roles: Vec<Role> = Role::ALL.iter().copied().filter(|role| !is_named(*role)).collect();
            let rest = rest_of(roles, capacity);
            // The data first, as people draw it.
            if is_named(Role::Data) { all.push(rest) } else { all.insert(0, rest) }
        }
        all
    }

    /// Whether the pools can be laid out.
    ///
    /// # Errors
    ///
    /// When a role is in two pools, or a capacity belongs to none of them.
    pub fn check_pools(&self) -> Result<(), PoolError> {
        for role in Role::ALL {
            if self.pools.iter().filter(|pool| pool.roles.contains(role)).count() > 1 {
                return Err(PoolError::Twice { role: *role });
            }
        }
        let has_io = |roles: &[Role]| {
            self.streams.iter().any(|stream| roles.contains(&stream.role.unwrap_or(Role::Data)))
        };
        let is_idle_rest = |one: &LaidOutPool| {
            one.is_rest && !one.pool.roles.contains(&Role::Data) && !has_io(&one.pool.roles)
        };
        // The data have a size of their own, and nothing else is left that could have this one.
        if self.layout().iter().any(is_idle_rest) { Err(PoolError::NoRest) } else { Ok(()) }
    }
}

/// The pools of a demand file.
pub(super) fn read_pool(table: &mut TableReader<'_>) -> Option<DemandPool> {
    let roles = table.required("roles", |table, key| table.words(key, &words(Role::ALL, Role::as_str)));
    let capacity = table.size("capacity").unwrap_or_default();
    let latency = table.word("latency", &words(LatencyClass::ALL, LatencyClass::as_str));
    let durable = table.boolean("durable");
    let cache_hit_percent = table.number("cache_hit_percent").unwrap_or(0.0);
    let volumes = table.texts("volumes").unwrap_or_default();
    if cache_hit_percent > 100.0 {
        return table.refuse("cache_hit_percent", "`cache_hit_percent` must be from 0 to 100".to_owned());
    }
    let roles = roles?;
    if roles.is_empty() {
        return table.refuse("roles", "a pool needs a role".to_owned());
    }
    let pool = DemandPool::new(roles);
    let durable = durable.unwrap_or(pool.durable);
    Some(DemandPool { capacity, latency, durable, cache_hit_percent, volumes, ..pool })
}

/// Why a text is no pool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a pool: {why}; a pool is ROLE[,ROLE…]=SIZE[,OPTION…], such as log=200GiB,sub-ms")]
pub struct ParsePoolError {
    text: String,
    why: String,
}

/// As on a command line: `data,scan=4TiB,cache=60`, `log=200GiB,sub-ms,volume=io2`, `tempdb=300GiB,durable`.
impl FromStr for DemandPool {
    type Err = ParsePoolError;

    fn from_str(text: &str) -> Result<Self, ParsePoolError> {
        let wrong = |why: String| ParsePoolError { text: text.to_owned(), why };
        // Without a size it asks for none: `tempdb`.
        let (roles, options) = text.split_once('=').unwrap_or((text, ""));
        let mut named: Vec<Role> = Vec::new();
        for word in roles.split(',') {
            let role = parse_role(word.trim()).map_err(&wrong)?;
            if named.contains(&role) {
                return Err(wrong(format!("`{role}` is given twice")));
            }
            named.push(role);
        }
        let mut pool = Self::new(named);
        for option in options.split(',').map(str::trim).filter(|option| !option.is_empty()) {
            let latency = LatencyClass::ALL.iter().find(|class| class.as_str() == option);
            match option.split_once('=') {
                None if option == "durable" => pool.durable = true,
                None if option == "local" => pool.durable = false,
                None if latency.is_some() => pool.latency = latency.copied(),
                None => {
                    pool.capacity = option.parse().map_err(|_| {
                        wrong(format!("`{option}` is neither a size, a latency, `durable` nor `local`"))
                    })?;
                }
                Some(("volume", name)) => pool.volumes.push(name.to_owned()),
                Some(("cache", percent)) => {
                    let number: Option<f64> = percent.trim_end_matches('%').parse().ok();
                    let in_range = number.filter(|number| (0.0..=100.0).contains(number));
                    pool.cache_hit_percent = in_range.ok_or_else(|| {
                        wrong("`cache` is the share of reads that it serves, from 0 to 100".to_owned())
                    })?;
                }
                Some((key, _)) => {
                    return Err(wrong(format!("there is no option `{key}`: there are `cache` and `volume`")));
                }
            }
        }
        Ok(pool)
    }
}

/// A role by its word.
pub(super) fn parse_role(word: &str) -> Result<Role, String> {
    let known = || Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    Role::ALL
        .iter()
        .copied()
        .find(|role| role.as_str() == word)
        .ok_or_else(|| format!("`{word}` is not a role; there are {}", known()))
}

impl fmt::Display for DemandPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::DemandStream;
    use crate::load::Direction;

    fn demand(roles: &[Option<Role>]) -> Demand {
        let stream = |role: &Option<Role>| DemandStream {
            role: *role,
            direction: Direction::Write,
            iops: 100.0,
            block_size_bytes: 8192.0,
        };
        Demand::new("pools", roles.iter().map(stream).collect())
    }

    fn pool(text: &str) -> DemandPool {
        text.parse().unwrap()
    }

    #[test]
    fn a_pool_on_the_command_line_says_the_same_as_in_a_file() {
        let log = pool("log=200GiB,sub-ms,volume=io2");
        assert_eq!((log.capacity, log.latency), (ByteSize::gib(200), Some(LatencyClass::SubMs)));
        assert!(log.durable && log.volumes == ["io2"]);
        assert!(
            !pool("tempdb=1GiB").durable
                && pool("tempdb=1GiB,durable").durable
                && !pool("scan=local").durable
        );
        assert!(pool("data,tempdb").durable, "what else is on it has to last");
        assert_eq!(pool("data=1TiB,cache=60%").cache_hit_percent, 60.0);
        for (text, words) in [
            ("logs=1GiB", "`logs` is not a role; there are data, tempdb"),
            ("log,log=1GiB", "`log` is given twice"),
            ("log=fast", "`fast` is neither a size"),
            ("log=1GiB,cache=200", "from 0 to 100"),
            ("log=1GiB,kind=io2", "there is no option `kind`"),
        ] {
            let error = text.parse::<DemandPool>().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn what_no_pool_names_lies_together_and_io_without_a_role_is_data() {
        let mut asked = demand(&[None, Some(Role::Log), Some(Role::Scan)]);
        assert_eq!(asked.layout().len(), 1, "no pools, no question");
        asked.pools = vec![pool("log=1GiB"), pool("tempdb=2GiB")];
        asked.capacity = ByteSize::gib(100);
        let layout = asked.layout();
        assert_eq!(layout[0].pool.roles, [Role::Data, Role::Scan, Role::Backup]);
        assert!(layout[0].is_rest && layout[0].pool.capacity == ByteSize::gib(100));
        assert_eq!(layout.len(), 3);
        // A pool of the data without a size takes that of the demand.
        asked.pools.push(pool("data"));
        let layout = asked.layout();
        assert_eq!(layout[2].pool.roles, [Role::Data, Role::Scan], "scans read the data");
        assert_eq!((layout.len(), layout[2].pool.capacity), (3, ByteSize::gib(100)));
        assert_eq!(asked.check_pools(), Ok(()));
        asked.pools[2].capacity = ByteSize::gib(50);
        assert_eq!(asked.check_pools(), Err(PoolError::NoRest));
        asked.pools.push(pool("log"));
        assert_eq!(asked.check_pools(), Err(PoolError::Twice { role: Role::Log }));
    }
}
