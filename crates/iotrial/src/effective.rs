//! The command line with the user's own defaults put in, as if they had been typed: records, hints and errors then have one source.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use anyhow::anyhow;
use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _};
use iotrial_model::foreign_text::Listed;

use crate::cli::{Cli, program};
use crate::failure::Failure;
use crate::output::{harmless, say};
use crate::settings::{InForce, Misspelt, Setting, Source, State, Value, in_force};
use crate::shell_line;

/// The command line that is carried out, for whoever repeats it.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line with the defaults that may change an answer, and without the name of the program.
pub fn words() -> Vec<OsString> {
    WORDS.get().cloned().unwrap_or_else(|| std::env::args_os().skip(1).collect())
}

/// The command line as a shell takes it back, with the user's own defaults; `None` where it began with another command.
pub fn typed(command: &str) -> Option<String> {
    typed_without(command, None)
}

/// The same without a switch.
pub fn typed_without(command: &str, switch: Option<&str>) -> Option<String> {
    let mut words = words();
    words.retain(|word| switch.is_none_or(|switch| word != switch));
    let is_it = words.first().is_some_and(|word| word == command);
    let words = words.iter().map(|word| format!(" {}", shell_line::quoted(&word.to_string_lossy())));
    is_it.then(|| format!("iotrial{}", words.collect::<String>()))
}

/// Reads a command line, puts in what is set elsewhere, and says what that is.
pub fn parse(typed: Vec<OsString>) -> Result<Result<Cli, clap::Error>, Failure> {
    let typed = help_first(typed);
    let mut program = program();
    // First as it was typed: whoever makes a slip there gets no message about a file.
    let matches = match program.clone().try_get_matches_from(&typed) {
        Ok(matches) => matches,
        Err(usage) => return shown(&typed, usage).map(Err),
    };
    program.build();
    let Some(asked) = Asked::of(&program, &matches).filter(|asked| asked.has_settings()) else {
        return Ok(Cli::from_arg_matches(&matches));
    };
    let found = in_force(&|setting, word| check(&program, setting, word))?;
    tell_ignored(&found);
    let added: Vec<&Value> = asked.chosen(&found);
    let with = |values: &[&Value]| {
        let mut words = typed.clone();
        let place = asked.place(&typed);
        words.splice(place..place, values.iter().flat_map(|value| asked.words(value)));
        words
    };
    let told: Vec<&Value> = added.iter().copied().filter(|value| value.setting.is_told).collect();
    let _ = WORDS.set(with(&told).split_off(1));
    // Whoever changes into a folder of somebody else need not know that its file says where results are read and written.
    let is_said = |value: &&Value| value.setting.is_told || matches!(value.source, Source::Folder(_));
    let said: Vec<&Value> = added.iter().copied().filter(is_said).collect();
    if !said.is_empty() {
        let parts: Vec<String> = said.iter().map(|value| told_of(&asked, value)).collect();
        say!("settings: {}", parts.join(", "));
    }
    let all = with(&added);
    // Each was checked by itself, so that only what two of them mean together can be wrong.
    Cli::try_parse_from_words(all.clone()).map(Ok).or_else(|usage| {
        let usage = shown(&all, usage)?.render().to_string();
        let lines = usage.trim_end().lines().map(str::to_owned).collect();
        let error = Failure::input(Listed(lines)).context("your own defaults do not fit this command");
        Err(error.hint("`iotrial config` shows where they are set".to_owned()))
    })
}

/// What is wrong with a command line, for a terminal. The message has line breaks of its own, and quotes words that a script may have from
/// a stranger.
fn shown(words: &[OsString], usage: clap::Error) -> Result<clap::Error, Failure> {
    let visible: Vec<OsString> = words.iter().map(|word| harmless(&word.to_string_lossy()).into()).collect();
    if usage.kind() == ErrorKind::InvalidUtf8 {
        let named = words.iter().find(|word| word.to_str().is_none()).map(|word| visible_bytes(word));
        let error = anyhow!("the argument `{}` is not valid UTF-8", named.unwrap_or_default());
        return Err(Failure::input(error)
            .hint("give a link or a copy with another name, or the folder that the file is in".to_owned()));
    }
    if visible == words {
        return Ok(usage);
    }
    match Cli::try_parse_from_words(visible) {
        // The same mistake, in words whose line breaks are escapes.
        Err(usage) => Ok(usage),
        // The hidden characters are the mistake.
        Ok(_) => {
            let message = usage.render().to_string();
            let message = message.trim_end().trim_start_matches("error: ").to_owned();
            Err(Failure::input(anyhow!(message)))
        }
    }
}

/// A word with each byte that is not text as `\\xff`.
fn visible_bytes(word: &OsStr) -> String {
    let chunks = word.as_encoded_bytes().utf8_chunks();
    chunks
        .map(|chunk| {
            let bytes = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
            harmless(chunk.valid()) + &bytes.collect::<String>()
        })
        .collect()
}

impl Cli {
    fn try_parse_from_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        Self::from_arg_matches(&Self::command().try_get_matches_from(words)?)
    }
}

/// `iotrial study help new` is `iotrial help study new`: clap knows it only where it makes the command `help` itself.
fn help_first(mut typed: Vec<OsString>) -> Vec<OsString> {
    let program = Cli::command();
    let has_commands = |name: &OsString| {
        let below = name.to_str().and_then(|name| program.find_subcommand(name));
        below.is_some_and(Command::has_subcommands)
    };
    if typed.get(1).is_some_and(has_commands) && typed.get(2).is_some_and(|word| word == "help") {
        typed.swap(1, 2);
    }
    typed
}

fn tell_ignored(found: &InForce) {
    for (source, state) in &found.files {
        if let State::Ignored(reason) = state {
            say!("warning: `{}` is ignored: {reason}", source.place());
        }
    }
    for Misspelt { name, meant } in &found.misspelt {
        say!("warning: the variable `{name}` sets nothing; did you mean `{meant}`?");
    }
}

/// `--target /mnt/a (~/.config/iotrial/config.toml)`.
fn told_of(asked: &Asked<'_>, value: &Value) -> String {
    let option = value.setting.option_in_words();
    let taken = asked.taken(value);
    let words: Vec<String> =
        taken.iter().map(|word| shell_line::option(&option, &word.to_string_lossy())).collect();
    format!("{} ({})", words.join(" "), value.source.place())
}

/// The command that was asked for.
struct Asked<'c> {
    /// Its name, with that of the one above it.
    name: String,
    /// How many words that is.
    depth: usize,
    command: &'c Command,
    matches: &'c ArgMatches,
}

impl<'c> Asked<'c> {
    fn of(program: &'c Command, matches: &'c ArgMatches) -> Option<Self> {
        let (mut names, mut command, mut matches) = (Vec::new(), program, matches);
        while let Some((name, below)) = matches.subcommand() {
            (command, matches) = (command.find_subcommand(name)?, below);
            names.push(name);
        }
        (!names.is_empty()).then(|| Self { name: names.join(" "), depth: names.len(), command, matches })
    }

    fn has_settings(&self) -> bool {
        crate::settings::SETTINGS.iter().any(|setting| self.argument(setting).is_some())
    }

    /// What takes a setting here.
    fn argument(&self, setting: &Setting) -> Option<&'c Arg> {
        argument_of(self.command, &self.name, setting)
    }

    fn is_given(&self, argument: &Arg) -> bool {
        self.matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    }

    /// What is put in: neither what was typed, nor what does not go with that.
    fn chosen<'v>(&self, found: &'v InForce) -> Vec<&'v Value> {
        let mut taken: Vec<&Arg> = self.command.get_arguments().filter(|one| self.is_given(one)).collect();
        let excludes = |one: &Arg, other: &Arg| {
            self.command.get_arg_conflicts_with(one).iter().any(|id| id.get_id() == other.get_id())
        };
        let mut chosen = Vec::new();
        for value in &found.values {
            let Some(argument) = self.argument(value.setting) else { continue };
            let is_refused = |other: &&Arg| {
                let is_apart = other.get_long().is_some_and(|long| value.setting.not_beside.contains(&long));
                is_apart
                    || other.get_id() == argument.get_id()
                    || excludes(argument, other)
                    || excludes(other, argument)
            };
            if !taken.iter().any(is_refused) {
                chosen.push(value);
                taken.push(argument);
            }
        }
        chosen
    }

    /// The values as this command takes them.
    fn taken(&self, value: &Value) -> Vec<OsString> {
        if self.name != "check" || value.setting.key != "target" {
            return value.words.clone();
        }
        // A check knows places and no roles.
        let mut places: Vec<OsString> = Vec::new();
        for word in &value.words {
            let place = word.to_str().map_or_else(
                || word.clone(),
                |text| {
                    crate::cli::parse_target(text).map_or_else(|_| word.clone(), |target| target.path.into())
                },
            );
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// The same with the option before each.
    fn words(&self, value: &Value) -> Vec<OsString> {
        let with_option = |word: OsString| {
            if value.setting.is_argument() {
                return word;
            }
            let mut whole = OsString::from(format!("--{}=", value.setting.option));
            whole.push(word);
            whole
        };
        self.taken(value).into_iter().map(with_option).collect()
    }

    /// Behind the name of the command: further on, `--` may have ended the options.
    fn place(&self, typed: &[OsString]) -> usize {
        // Only the names of commands stand before it, since the program itself has no options with a value.
        let mut commands = 0;
        let is_last = |word: &OsString| {
            commands += usize::from(!word.to_string_lossy().starts_with('-'));
            commands == self.depth
        };
        typed.iter().skip(1).position(is_last).map_or(typed.len(), |index| index + 2)
    }
}

/// The option or argument of a command that a setting stands for, where the command takes it.
fn argument_of<'c>(command: &'c Command, name: &str, setting: &Setting) -> Option<&'c Arg> {
    let is_taken = setting.commands.is_empty() || setting.commands.contains(&name);
    let is_it = |argument: &&Arg| {
        if setting.is_argument() {
            argument.is_positional() && argument.get_id() == setting.option
        } else {
            argument.get_long() == Some(setting.option)
        }
    };
    command.get_arguments().find(is_it).filter(|_| is_taken)
}

/// The option or argument that a setting stands for, in the first command that takes it.
pub fn argument_in<'c>(program: &'c Command, setting: &Setting) -> Option<&'c Arg> {
    let of = |name: &str| {
        let command = name.split(' ').try_fold(program, |command, word| command.find_subcommand(word))?;
        argument_of(command, name, setting)
    };
    match setting.commands {
        [] => program.get_subcommands().find_map(|command| argument_of(command, command.get_name(), setting)),
        commands => commands.iter().find_map(|name| of(name)),
    }
}

/// What is wrong with a value, by the parser of its option.
pub fn check(program: &Command, setting: &Setting, word: &OsStr) -> Result<(), String> {
    let parser: Option<ValueParser> =
        argument_in(program, setting).map(|argument| argument.get_value_parser().clone());
    let Some(parser) = parser else { return Ok(()) };
    let value = Arg::new("value").long("value").num_args(1).value_parser(parser);
    let mut whole = OsString::from("--value=");
    whole.push(word);
    let read = Command::new("iotrial").arg(value).try_get_matches_from([OsString::from("iotrial"), whole]);
    read.map(drop).map_err(|error| {
        let shown = word.to_string_lossy();
        if let Some(source) = error.source() {
            return format!("`{shown}`: {source}");
        }
        let words = match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(words)) => words.join(", "),
            _ => return format!("`{shown}` is not a value that {} takes", setting.option_in_words()),
        };
        format!("`{shown}` is not one of {words}")
    })
}

#[cfg(test)]
#[path = "effective/tests.rs"]
mod tests;
