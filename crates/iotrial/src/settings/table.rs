//! The settings that there are.

use std::ffi::OsStr;

use iotrial_model::foreign_text::hidden_in;

use super::Refusal;

/// An option that can have a default of the user's own.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// In the files; the variable is `IOTRIAL_` and the same in capital letters.
    pub key: &'static str,
    /// One line for lists and the example file.
    pub about: &'static str,
    /// As it may stand in a file.
    pub example: &'static str,
    /// How many values there are.
    pub form: Form,
    /// What a path in it leads to.
    pub part: Part,
    /// The option that it stands for, without the dashes; for `profile` the name of the argument.
    pub option: &'static str,
    /// The commands that take it, or all that have the option.
    pub commands: &'static [&'static str],
    /// Options beside which it does not hold, although they do not exclude each other: what they ask is about something else.
    pub not_beside: &'static [&'static str],
    /// Whether it may change an answer, so that a command says where it comes from and repeats it; the others are only said where the
    /// file of a folder sets them.
    pub is_told: bool,
}

/// How many values a setting has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One.
    One,
    /// A list.
    Several,
    /// A table of names and values.
    Pairs,
}

/// What a setting has to do with files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It names none.
    None,
    /// A file or folder that is read.
    Read,
    /// The same, or a built-in name.
    NameOrRead,
    /// A folder that is written to.
    Written,
    /// A target, with or without roles.
    Target,
}

impl Setting {
    /// The variable of the environment.
    pub fn variable(&self) -> String {
        format!("{}{}", super::PREFIX, self.key.to_ascii_uppercase())
    }

    /// How the option is written; an argument without dashes by its name.
    pub fn option_in_words(&self) -> String {
        if self.is_argument() { self.option.to_ascii_uppercase() } else { format!("--{}", self.option) }
    }

    /// Whether it is the argument of a command instead of an option.
    pub fn is_argument(&self) -> bool {
        self.key == "profile"
    }

    /// Refuses a word that could be anything but a value. Whoever wrote the file or set the variable may give a value, and neither an
    /// option nor a line of the terminal.
    pub fn check_is_value(&self, word: &OsStr) -> Result<(), Refusal> {
        let text = word.to_string_lossy();
        if let Some(hidden) = hidden_in(&text) {
            return Err(format!("`{text}` contains `{hidden}`, which cannot be seen"));
        }
        // Every other setting stands behind the name of its option and `=`.
        if self.is_argument() && text.starts_with('-') {
            return Err(format!("`{text}` begins with `-`, as options do; a path may begin with ./"));
        }
        Ok(())
    }

    /// The example as a variable has it.
    pub fn example_of_variable(&self) -> String {
        let inside = self.example.trim_matches(['[', ']', '{', '}', ' ']);
        let words = inside.split(", ").map(|word| word.replace(" = ", "=").replace('"', ""));
        words.collect::<Vec<_>>().join(";")
    }
}

const USUAL: Setting = Setting {
    key: "",
    about: "",
    example: "",
    form: Form::One,
    part: Part::None,
    option: "",
    commands: &[],
    not_beside: &[],
    is_told: true,
};

/// In the order of the documentation. Nothing that permits more than a command does without it is among them: no token of a raw device,
/// and no answer to a question.
pub static SETTINGS: [Setting; 13] = [
    Setting {
        key: "store",
        about: "Folder where results are stored.",
        example: "\"~/iotrial\"",
        part: Part::Written,
        option: "store",
        is_told: false,
        ..USUAL
    },
    Setting {
        key: "target",
        about: "What to measure or check: a directory, test file or raw device, with roles where that matters.",
        example: "[\"data,tempdb=/mnt/a\", \"log=/mnt/b\"]",
        form: Form::Several,
        part: Part::Target,
        option: "target",
        commands: &["run", "sweep", "check"],
        not_beside: &["root"],
        ..USUAL
    },
    Setting {
        key: "profile",
        about: "Load of a run.",
        example: "\"postgresql-oltp\"",
        part: Part::NameOrRead,
        option: "profile",
        commands: &["run"],
        ..USUAL
    },
    Setting {
        key: "thresholds",
        about: "Threshold set to judge by.",
        example: "\"ours.toml\"",
        part: Part::NameOrRead,
        option: "thresholds",
        commands: &["run", "watch"],
        ..USUAL
    },
    Setting {
        key: "label",
        about: "Name of this configuration.",
        example: "\"db01\"",
        option: "label",
        commands: &["run", "sweep"],
        ..USUAL
    },
    Setting {
        key: "attributes",
        about: "What distinguishes this configuration.",
        example: "{ volumes = 3, driver = \"nvme\" }",
        form: Form::Pairs,
        option: "attribute",
        commands: &["run", "sweep"],
        ..USUAL
    },
    Setting {
        key: "rules",
        about: "Your own rules for the host check: files, or folders of them.",
        example: "[\"our-rules\"]",
        form: Form::Several,
        part: Part::Read,
        option: "rules",
        commands: &["check", "run", "sweep", "study"],
        ..USUAL
    },
    Setting {
        key: "database",
        about: "Database whose rules the host check applies.",
        example: "\"sqlserver\"",
        option: "for",
        commands: &["check"],
        ..USUAL
    },
    Setting {
        key: "html_folder",
        about: "Folder for the HTML page of each run and sweep.",
        example: "\"~/reports\"",
        part: Part::Written,
        option: "html-folder",
        commands: &["run", "sweep"],
        is_told: false,
        ..USUAL
    },
    Setting {
        key: "provider",
        about: "Cloud providers to choose from.",
        example: "[\"oci\", \"azure\"]",
        form: Form::Several,
        option: "provider",
        commands: &["size"],
        ..USUAL
    },
    Setting {
        key: "catalog",
        about: "Your own catalogs of limits and prices.",
        example: "[\"ours-oci.toml\"]",
        form: Form::Several,
        part: Part::Read,
        option: "catalog",
        commands: &["size", "size explain", "size catalogs"],
        ..USUAL
    },
    Setting {
        key: "currency",
        about: "Currency for all amounts.",
        example: "\"EUR\"",
        option: "currency",
        commands: &["size", "size explain"],
        ..USUAL
    },
    Setting {
        key: "rate",
        about: "Exchange rates.",
        example: "[\"USD/EUR=0.93\"]",
        form: Form::Several,
        option: "rate",
        commands: &["size", "size explain"],
        ..USUAL
    },
];
