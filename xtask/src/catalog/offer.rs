//! What a file of a provider says, row by row, in the keys of a catalog.

/// All that one file says.
#[derive(Debug, Default)]
pub(super) struct Offer {
    /// The day that the file names, as `YYYY-MM-DD`.
    pub(super) as_of: Option<String>,
    pub(super) rows: Vec<Row>,
    /// Whether the file lists everything of a family that it mentions, so that what it lacks is gone.
    pub(super) is_complete: bool,
}

/// A machine, or a level of a kind of volume.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) what: What,
    pub(super) name: String,
    pub(super) figures: Vec<Figure>,
    /// The row as it would stand in a catalog, without `source`; `None` where the file has only a part of it.
    pub(super) whole: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Machine,
    /// A kind of volume that has no levels.
    Volume,
    /// A level; the name is that of the kind, a space, and that of the level.
    Level,
}

/// One figure and where it stands in its table: `["price", "per_hour"]`, or `["limit", NAME, "iops"]` in the limit of that name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) path: Vec<String>,
    pub(super) value: f64,
}

impl Figure {
    pub(super) fn new(path: &[&str], value: f64) -> Self {
        Self { path: path.iter().map(|&part| part.to_owned()).collect(), value }
    }
}

impl Row {
    pub(super) fn machine(name: &str, figures: Vec<Figure>) -> Self {
        Self { what: What::Machine, name: name.to_owned(), figures, whole: None }
    }
}

/// What machines have in common that differ in size only: the name without its numbers, and without the way it is used.
pub(super) fn family(name: &str) -> String {
    let name = name.split('/').next().unwrap_or(name);
    // Of AWS the family is what stands before the dot (`r6i.4xlarge`); elsewhere sizes are numbers in the name.
    if let Some((family, _)) =
        name.split_once('.').filter(|_| name.starts_with(|c: char| c.is_ascii_lowercase()))
    {
        return family.to_owned();
    }
    // `Standard_E16ds_v5`: the number of the version tells families apart, that of the size does not.
    let mut family = String::new();
    let mut is_size_gone = false;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_digit() && !is_size_gone {
            while letters.next_if(char::is_ascii_digit).is_some() {}
            family.push('#');
            is_size_gone = true;
        } else {
            family.push(letter);
        }
    }
    family
}

/// A number as a catalog has it.
pub(super) fn number(value: f64) -> String {
    // Nine digits: what is stated has fewer, and what is computed from it ends in noise.
    let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        format!("{rounded:.0}")
    } else {
        format!("{rounded}")
    }
}
