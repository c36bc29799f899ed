//! The rate that a database needs of its storage.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::load::Role;
use crate::units::{Rate, group_thousands};
use crate::words::enumerate;

/// The rate that a database needs. In text `20000iops`, or by role `data=18000iops,log=900iops`.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// All roles together, in the proportions of the profile; I/Os per second, more than zero.
    Total(f64),
    /// Each role by itself; a role at zero makes no I/O. At least one is more than zero, and none stands twice.
    ByRole(Vec<(Role, f64)>),
}

/// Why a text is not a [`Need`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseNeedError {
    /// Neither a rate nor a list of rates by role.
    #[error("`{0}` is not a rate such as 20000iops, nor rates by role such as data=18000iops,log=900iops")]
    Form(String),
    /// A need is told in I/Os: bytes per second leave open how many of them there are.
    #[error("`{0}` is a bandwidth; a need is given in IOPS, such as 20000iops")]
    Bandwidth(String),
    /// A point in front of three digits: one of thousands in many countries, and of a fraction in others.
    #[error("`{0}` may mean thousands or a fraction; write 20000iops for twenty thousand, 20iops for twenty")]
    Thousands(String),
    /// The word before the `=` is not a role.
    #[error("`{word}` is not a role; the roles are {}", Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "))]
    Role {
        /// The word before the `=`.
        word: String,
    },
    /// A role has one rate.
    #[error("`{0}` is given twice")]
    Twice(Role),
    /// Nothing would be asked.
    #[error("a need must be more than zero")]
    Nothing,
}

impl Need {
    /// As a person types it: `20.000iops` is refused, because it is twenty thousand for one and twenty for another.
    ///
    /// # Errors
    ///
    /// When it is not clear what is meant, or it is no need.
    pub fn typed(text: &str) -> Result<Self, ParseNeedError> {
        let rates = text.split(',').map(|part| part.rsplit('=').next().unwrap_or(part).trim());
        match rates.into_iter().find(|rate| may_be_thousands(rate)) {
            Some(rate) => Err(ParseNeedError::Thousands(rate.to_owned())),
            None => text.parse(),
        }
    }

    /// All roles together, in I/Os per second.
    pub fn total_iops(&self) -> f64 {
        match self {
            Self::Total(iops) => *iops,
            Self::ByRole(roles) => roles.iter().map(|(_, iops)| iops).sum(),
        }
    }

    /// For people: `20,000 IOPS`, `data 18,000 and log 900 IOPS`.
    pub fn in_words(&self) -> String {
        // Rates that a file or a record asks for have more digits than anybody reads.
        let digits = |iops: &f64| if *iops < 100.0 { format!("{iops:.1}") } else { format!("{iops:.0}") };
        let words = |iops: &f64| group_thousands(digits(iops).trim_end_matches(".0"));
        match self {
            Self::Total(iops) => format!("{} IOPS", words(iops)),
            Self::ByRole(roles) => {
                let roles: Vec<String> =
                    roles.iter().map(|(role, iops)| format!("{role} {}", words(iops))).collect();
                format!("{} IOPS", enumerate(&roles))
            }
        }
    }
}

/// `20.000iops`, `1.500.000`; not `0.125iops` or `1.5iops`.
fn may_be_thousands(rate: &str) -> bool {
    let mut groups = rate.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ').split('.');
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = |group: &str| is_digits(group) && group.len() <= 3 && !group.starts_with('0');
    groups.next().is_some_and(is_first)
        && groups.clone().next().is_some()
        && groups.all(|group| is_digits(group) && group.len() == 3)
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total(iops) => write!(f, "{iops}iops"),
            Self::ByRole(roles) => {
                let roles: Vec<String> =
                    roles.iter().map(|(role, iops)| format!("{role}={iops}iops")).collect();
                f.write_str(&roles.join(","))
            }
        }
    }
}

impl FromStr for Need {
    type Err = ParseNeedError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if !text.contains('=') {
            return match text.parse() {
                Ok(Rate::Iops(iops)) => Ok(Self::Total(iops)),
                Ok(Rate::BytesPerSecond(_)) => Err(ParseNeedError::Bandwidth(text.to_owned())),
                Err(_) => Err(ParseNeedError::Form(text.to_owned())),
            };
        }
        let mut roles: Vec<(Role, f64)> = Vec::new();
        for part in text.split(',') {
            let (role, rate) =
                part.split_once('=').ok_or_else(|| ParseNeedError::Form(part.trim().to_owned()))?;
            let (role, rate) = (role.trim(), rate.trim());
            let known = Role::ALL.iter().copied().find(|one| one.as_str() == role);
            let role = known.ok_or_else(|| ParseNeedError::Role { word: role.to_owned() })?;
            // Rates of profiles are never zero; here zero says that the role is left out.
            let is_zero = rate.strip_suffix("iops").is_some_and(|number| number.trim().parse() == Ok(0.0));
            let iops = match rate.parse() {
                _ if is_zero => 0.0,
                Ok(Rate::Iops(iops)) => iops,
                Ok(Rate::BytesPerSecond(_)) => return Err(ParseNeedError::Bandwidth(rate.to_owned())),
                Err(_) => return Err(ParseNeedError::Form(part.trim().to_owned())),
            };
            if roles.iter().any(|(other, _)| *other == role) {
                return Err(ParseNeedError::Twice(role));
            }
            roles.push((role, iops));
        }
        if roles.iter().all(|(_, iops)| *iops <= 0.0) {
            return Err(ParseNeedError::Nothing);
        }
        Ok(Self::ByRole(roles))
    }
}

impl Serialize for Need {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Need {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_read_and_written_in_the_same_form() {
        for text in ["20000iops", "data=18000iops,log=900iops", "data=100iops,tempdb=0iops"] {
            assert_eq!(text.parse::<Need>().unwrap().to_string(), text);
        }
        assert!(
            ("data=18000iops,log=900 iops".parse::<Need>().unwrap().total_iops() - 18_900.0).abs() < 1e-9
        );
    }

    #[test]
    fn a_point_in_front_of_three_digits_is_refused_where_a_person_types_it() {
        for text in ["20.000iops", "1.500.000 IOPS", "data=18.000iops,log=900iops", "20.000"] {
            assert!(matches!(Need::typed(text), Err(ParseNeedError::Thousands(_))), "{text}");
        }
        for text in ["20000iops", "1.5iops", "0.125iops", "1234.125iops", "data=1.25iops,log=900iops"] {
            assert_eq!(Need::typed(text), text.parse(), "{text}");
        }
        // In a record it is a number that a program wrote.
        assert_eq!("20.125iops".parse(), Ok(Need::Total(20.125)));
    }

    #[test]
    fn what_is_no_need_is_refused_with_what_is_wrong() {
        let check = |text: &str, message: &str| {
            let error = text.parse::<Need>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        };
        check("lots", "is not a rate such as 20000iops");
        check("100MiB/s", "is a bandwidth");
        check("log=100MiB/s", "is a bandwidth");
        check("logs=5iops", "`logs` is not a role; the roles are data");
        check("log=5iops,log=6iops", "`log` is given twice");
        check("log=5iops,data", "`data` is not a rate");
        check("log=0iops", "must be more than zero");
        check("", "is not a rate");
    }
}
