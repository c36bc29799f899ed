//! A target as a user gives it: a place, and the roles whose files are to lie there.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::load::Role;
use crate::profile::Profile;
use crate::toml_reader::nearest;
use crate::words::enumerate;

/// A place to measure. In text `/mnt/a`, or with the roles whose files lie there `log=/mnt/b` and `data,tempdb=/mnt/c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenTarget {
    /// None of them twice; empty for whatever role has no target of its own.
    pub roles: Vec<Role>,
    /// Directory, file of iotrial, or raw block device, as it was written.
    pub path: PathBuf,
}

/// Why a text is not a [`GivenTarget`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseTargetError {
    /// The word before the `=` is not a role, and nothing is at the whole text either.
    #[error(
        "`{word}` is not a role{}; the roles are {}, and a path that contains `=` must begin with ./ or /",
        meant(word),
        in_words(Role::ALL)
    )]
    Role {
        /// The word before the `=`.
        word: String,
    },
    /// Two files of one job would have the same name.
    #[error("`{0}` is given twice before the `=`")]
    Twice(Role),
    /// A role has to lie somewhere.
    #[error("a path is missing after the `=` of `{0}`")]
    NoPath(String),
}

fn meant(word: &str) -> String {
    let near = nearest(word, Role::ALL.iter().map(|role| role.as_str()));
    near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// Why targets cannot be dealt out to the roles of a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DealError {
    /// Nothing would lie on the target.
    #[error("the profile `{profile}` has no job of the role `{role}`; it has {}", in_words(has))]
    NoSuchRole {
        /// Name of the profile.
        profile: String,
        /// The role that was given a target.
        role: Role,
        /// Those that its jobs have.
        has: Vec<Role>,
    },
    /// Only some roles were given a target, and no target is for all the others.
    #[error("no target is given for {} of the profile `{profile}`", in_words(roles))]
    NoTarget {
        /// Name of the profile.
        profile: String,
        /// Those without a target; at least one.
        roles: Vec<Role>,
    },
    /// A target for all roles without one of their own, where there are none.
    #[error("nothing would be placed on `{}`: every role of the profile `{profile}` has a target of its own", path.display())]
    NothingLeft {
        /// Name of the profile.
        profile: String,
        /// The target, as it was given.
        path: PathBuf,
    },
}

impl GivenTarget {
    /// For every role that has no target of its own.
    pub fn for_all(path: impl Into<PathBuf>) -> Self {
        Self { roles: Vec::new(), path: path.into() }
    }

    /// Reads the text form. `exists` tells whether something is at a path.
    ///
    /// What stands before the first `=` is taken for roles unless it is a part of a path: a separator stands in it, or the whole is
    /// there. A word that names a role always does.
    ///
    /// # Errors
    ///
    /// When it is neither roles with a path nor a path.
    pub fn parse(text: &str, exists: impl Fn(&Path) -> bool) -> Result<Self, ParseTargetError> {
        let Some((words, path)) = text.split_once('=').filter(|(words, _)| !words.contains(['/', '\\']))
        else {
            return Ok(Self::for_all(text));
        };
        let mut roles = Vec::new();
        for word in words.split(',').map(str::trim) {
            match Role::ALL.iter().copied().find(|role| role.as_str() == word) {
                Some(role) if roles.contains(&role) => return Err(ParseTargetError::Twice(role)),
                Some(role) => roles.push(role),
                None if exists(Path::new(text)) => return Ok(Self::for_all(text)),
                None => return Err(ParseTargetError::Role { word: word.to_owned() }),
            }
        }
        if path.is_empty() {
            return Err(ParseTargetError::NoPath(text.to_owned()));
        }
        Ok(Self { roles, path: path.into() })
    }

    /// The same targets, one role each, in the order of the roles; those for all come last.
    #[must_use]
    pub fn by_role(targets: &[Self]) -> Vec<Self> {
        let of_role = |role: &Role| {
            let mine = targets.iter().filter(|target| target.roles.contains(role));
            mine.map(|target| Self { roles: vec![*role], path: target.path.clone() }).collect::<Vec<_>>()
        };
        let for_all = targets.iter().filter(|target| target.roles.is_empty()).cloned();
        Role::ALL.iter().flat_map(of_role).chain(for_all).collect()
    }

    /// Of targets that are for several profiles those for one of them: without the roles that it does not have, and without the targets
    /// on which nothing of it would lie.
    #[must_use]
    pub fn of_profile(targets: &[Self], profile: &Profile) -> Vec<Self> {
        let has = profile.roles();
        let is_named = |role: &Role| targets.iter().any(|target| target.roles.contains(role));
        let has_others = has.iter().any(|role| !is_named(role));
        let mine = |target: &Self| {
            let roles: Vec<Role> = target.roles.iter().copied().filter(|role| has.contains(role)).collect();
            let is_mine = if target.roles.is_empty() { has_others } else { !roles.is_empty() };
            is_mine.then(|| Self { roles, path: target.path.clone() })
        };
        targets.iter().filter_map(mine).collect()
    }

    /// The roles of the profile whose files lie on each of some targets; on all of them none where no target names a role, because
    /// then every role may lie on each.
    ///
    /// # Errors
    ///
    /// When a role has no target, or a target no role.
    pub fn deal(targets: &[Self], profile: &Profile) -> Result<Vec<Vec<Role>>, DealError> {
        if targets.iter().all(|target| target.roles.is_empty()) {
            return Ok(vec![Vec::new(); targets.len()]);
        }
        let name = || profile.name.clone();
        let has = profile.roles();
        let named = || targets.iter().flat_map(|target| &target.roles);
        if let Some(role) = named().find(|role| !has.contains(role)) {
            return Err(DealError::NoSuchRole { profile: name(), role: *role, has });
        }
        let others: Vec<Role> = has.into_iter().filter(|role| named().all(|other| other != role)).collect();
        let for_all = targets.iter().find(|target| target.roles.is_empty());
        match for_all {
            Some(target) if others.is_empty() => {
                Err(DealError::NothingLeft { profile: name(), path: target.path.clone() })
            }
            None if !others.is_empty() => Err(DealError::NoTarget { profile: name(), roles: others }),
            _ => {
                let of_one = |target: &Self| {
                    if target.roles.is_empty() { others.clone() } else { target.roles.clone() }
                };
                Ok(targets.iter().map(of_one).collect())
            }
        }
    }
}

impl fmt::Display for GivenTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_roles(&self.roles, &self.path.to_string_lossy()))
    }
}

/// The text form of a target, from its parts.
pub fn with_roles(roles: &[Role], path: &str) -> String {
    if roles.is_empty() { path.to_owned() } else { format!("{}={path}", listed(roles)) }
}

fn listed(roles: &[Role]) -> String {
    roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(",")
}

/// Roles in a sentence: `data and log`.
pub fn in_words(roles: &[Role]) -> String {
    enumerate(&roles.iter().map(|role| role.as_str()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::builtin_profile;

    fn parse(text: &str) -> Result<GivenTarget, ParseTargetError> {
        GivenTarget::parse(text, |path| path == Path::new("old=new"))
    }

    #[test]
    fn a_target_is_read_and_written_in_the_same_form() {
        for text in ["/mnt/a", "log=/mnt/b", "data,tempdb=/mnt/c", "./iotrial-data", "log=./a=b"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        let both = parse("data, tempdb=/mnt/c").unwrap();
        assert_eq!(both, GivenTarget { roles: vec![Role::Data, Role::Tempdb], path: "/mnt/c".into() });
    }

    #[test]
    fn a_path_may_have_an_equals_sign() {
        for text in ["./a=b", "/mnt/a=b", "C:\\a=b", "old=new", "/mnt/data=1"] {
            assert_eq!(parse(text), Ok(GivenTarget::for_all(text)), "{text}");
        }
        // The word decides, and not what happens to be there.
        assert_eq!(parse("log=new").unwrap().roles, [Role::Log]);
    }

    #[test]
    fn what_is_neither_a_role_nor_a_path_is_refused_with_what_was_meant() {
        let check = |text: &str, message: &str| {
            let told = parse(text).unwrap_err().to_string();
            assert!(told.contains(message), "{text}: {told}");
        };
        check(
            "dta=/mnt/a",
            "`dta` is not a role (did you mean `data`?); the roles are data, tempdb, log, scan and backup",
        );
        check("redo=/mnt/a", "`redo` is not a role; the roles are");
        check("a=b", "a path that contains `=` must begin with ./ or /");
        check("data,wal=/mnt/a", "`wal` is not a role");
        check("log,log=/mnt/a", "`log` is given twice");
        check("log=", "a path is missing after the `=`");
        check("=/mnt/a", "`` is not a role");
    }

    fn deal(targets: &[&str]) -> Result<Vec<Vec<Role>>, String> {
        let profile = Profile::parse(builtin_profile("sqlserver-oltp").unwrap().text).unwrap();
        let targets: Vec<GivenTarget> = targets.iter().map(|text| parse(text).unwrap()).collect();
        GivenTarget::deal(&targets, &profile).map_err(|error| error.to_string())
    }

    #[test]
    fn what_has_no_target_of_its_own_lies_on_those_for_all() {
        use Role::{Data, Log, Tempdb};
        assert_eq!(deal(&["/a", "/b"]), Ok(vec![vec![], vec![]]));
        assert_eq!(
            deal(&["log=/b", "/a", "/c"]),
            Ok(vec![vec![Log], vec![Data, Tempdb], vec![Data, Tempdb]])
        );
        assert_eq!(deal(&["data,tempdb=/a", "log=/b"]), Ok(vec![vec![Data, Tempdb], vec![Log]]));
    }

    #[test]
    fn a_profile_takes_of_the_targets_of_several_what_it_has_roles_for() {
        let log = Profile::parse(builtin_profile("sqlserver-log").unwrap().text).unwrap();
        let of_log = |targets: &[&str]| {
            let targets: Vec<GivenTarget> = targets.iter().map(|text| parse(text).unwrap()).collect();
            GivenTarget::of_profile(&targets, &log).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(of_log(&["data,log=/a", "tempdb=/b"]), ["log=/a"]);
        assert_eq!(of_log(&["log=/a", "/b"]), ["log=/a"]);
        assert_eq!(of_log(&["data=/a", "/b"]), ["/b"]);
    }

    #[test]
    fn targets_by_role_stand_in_the_order_of_the_roles() {
        let targets = ["/d", "log,data=/a", "tempdb=/b", "data=/c"].map(|text| parse(text).unwrap());
        let by_role: Vec<String> = GivenTarget::by_role(&targets).iter().map(ToString::to_string).collect();
        assert_eq!(by_role, ["data=/a", "data=/c", "tempdb=/b", "log=/a", "/d"]);
    }

    #[test]
    fn roles_without_a_target_and_targets_without_a_role_are_refused() {
        let refused = |targets: &[&str]| deal(targets).unwrap_err();
        assert_eq!(
            refused(&["backup=/a", "/b"]),
            "the profile `sqlserver-oltp` has no job of the role `backup`; it has data, tempdb and log"
        );
        assert_eq!(
            refused(&["log=/a"]),
            "no target is given for data and tempdb of the profile `sqlserver-oltp`"
        );
        assert!(refused(&["data,log=/a"]).contains("for tempdb of"));
        assert!(refused(&["data,log,tempdb=/a", "/b"]).starts_with("nothing would be placed on `/b`"));
    }
}
