//! What `-h` prints: for each command the options that most people need and a few examples, on one screen. `--help` has everything.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::{Cli, STYLES};

/// The short help of a command.
struct Short {
    /// Its name, with that of the one above it.
    command: &'static str,
    /// The ids of its common options and arguments, each with what is said of it; `""` is what is documented at it.
    options: &'static [(&'static str, &'static str)],
    /// Some of the lines of its examples.
    examples: &'static [&'static str],
}

const HTML: (&str, &str) = ("html", "Write a page with numbers, charts and settings");
const XLSX: (&str, &str) = ("xlsx", "Write an Excel workbook");
const DETAILS: (&str, &str) = ("details", "Show all of it, not one screen");
const JSON: (&str, &str) = ("json", "Print JSON and nothing else");
const DRY_RUN: (&str, &str) = ("dry_run", "");
const RESULTS: &str = "Ids, labels, files or folders, or `last`";

/// One row for each command; a test holds that none is missing.
const SHORT: &[Short] = &[
    Short {
        command: "check",
        options: &[
            ("targets", "Directory, file or device to check (repeatable)"),
            ("database", "The database that will run here"),
            ("rules", "Your own rules (repeatable)"),
            ("list_rules", ""),
            ("cloud", "Also ask the cloud's metadata service"),
            HTML,
            JSON,
        ],
        examples: &[
            "  iotrial check --target /data --for sqlserver",
            "  iotrial check --target /data --html host.html",
        ],
    },
    Short {
        command: "run",
        options: &[
            ("profile", "Load: built in, or a TOML file"),
            ("targets", "Where to test"),
            ("size", "Total size of all test files"),
            ("duration", "How long to measure"),
            ("need", "Can it sustain this rate? Such as 20000iops"),
            ("label", "Name of this configuration"),
            DRY_RUN,
            HTML,
        ],
        examples: &[
            "  iotrial run --target /mnt/a --target /mnt/b --size 40GiB --duration 5m",
            "  iotrial run --need 20000iops",
            "  iotrial run --latency-limit 2ms@p99",
        ],
    },
    Short {
        command: "verify",
        options: &[
            ("profile", "Load: built in, or a TOML file"),
            ("targets", "Where to test"),
            ("size", "Total size of all test files"),
            ("duration", "How long the load runs"),
        ],
        examples: &[
            "  iotrial verify",
            "  iotrial verify postgresql-oltp --target /var/lib/pg --duration 30m",
        ],
    },
    Short {
        command: "verify crash",
        options: &[],
        examples: &[
            "  iotrial verify crash arm --target /mnt/data --journal /mnt/other/trial.journal",
            "  iotrial verify crash check /mnt/other/trial.journal --cut power",
        ],
    },
    Short {
        command: "verify crash arm",
        options: &[
            ("target", "Directory, or raw device with --destroy"),
            ("journal", "New file on another disk, or - (see keep)"),
            ("size", "Size of the test file"),
            ("page_size", "Size of a page"),
            ("flush_every", "At most this many writes between flushes"),
            ("duration", "Stop after this time"),
        ],
        examples: &["  iotrial verify crash arm --target /mnt/data --journal /mnt/other/trial.journal"],
    },
    Short {
        command: "verify crash check",
        options: &[
            ("journal", "Journal, or - for standard input"),
            ("cut", "What was cut"),
            ("target", "Where the file or device is now"),
            HTML,
            JSON,
        ],
        examples: &["  iotrial verify crash check /mnt/other/trial.journal --cut power"],
    },
    Short {
        command: "verify crash keep",
        options: &[("journal", "New file for the journal"), ("command", "")],
        examples: &["  iotrial verify crash keep trial.journal -- ssh db01 sh arm.sh"],
    },
    Short {
        command: "sweep",
        options: &[
            ("profile", "Raise this load step by step, instead of patterns"),
            ("patterns", "What to measure, such as randread-8k,write-64k"),
            ("size", "Total size of all test files"),
            ("targets", "Where to test"),
            DRY_RUN,
            ("label", "Name of this configuration"),
            HTML,
        ],
        examples: &[
            "  iotrial sweep",
            "  iotrial sweep --pattern randread-8k,randrw70-8k --target /mnt/data --step 60s",
            "  iotrial sweep oracle-oltp --target data=/mnt/a --target log=/mnt/b",
        ],
    },
    Short {
        command: "study",
        options: &[
            ("file", ""),
            ("resume", ""),
            ("dry_run", "Show order, time and space without doing anything"),
        ],
        examples: &["  iotrial study new /mnt/a /mnt/b > volumes.toml", "  iotrial study volumes.toml"],
    },
    Short {
        command: "study new",
        options: &[
            ("targets", "Directories, files or devices to compare"),
            ("profiles", "Load (repeatable)"),
            ("repeats", "Runs of each configuration"),
            ("size", "Total size of the test files of each run"),
            ("duration", "Measuring time of each run"),
            ("need", "Can each sustain this rate? Such as 20000iops"),
        ],
        examples: &[
            "  iotrial study new /mnt/old /mnt/new > volumes.toml",
            "  iotrial study new /mnt/a /mnt/b --profile postgresql-oltp > pg.toml",
        ],
    },
    Short {
        command: "study export",
        options: &[
            ("file", ""),
            ("label", "Label of the configuration (`elsewhere = true`)"),
            ("targets", "Target there, if not in the file"),
        ],
        examples: &["  iotrial study export volumes.toml --label azure > azure.toml"],
    },
    Short {
        command: "study add",
        options: &[("file", ""), ("records", "Record files, folders, ids or labels"), JSON],
        examples: &[
            "  iotrial study add volumes.toml azure/*.iotrial.json*",
            "  iotrial study add volumes.toml 01JD…",
        ],
    },
    Short {
        command: "watch",
        options: &[
            ("what", "Counter files, or disks to watch"),
            ("database", "Whose limits to judge by"),
            ("roles", "What a disk is for, such as log=L: (repeatable)"),
            ("disks", "Look only at this disk (repeatable)"),
            ("demand", "Write what `size --demand` reads"),
            HTML,
        ],
        examples: &[
            "  iotrial watch DB01.csv --role data=D: --role log=L: --html db01.html",
            "  iotrial watch /data /log --role data=/data --role log=/log",
        ],
    },
    Short {
        command: "observe",
        options: &[
            ("database", "The database to ask for its statistics"),
            ("connect", "How psql or mysql reaches it"),
            ("targets", "Where the database is (repeatable)"),
            ("ramp", "Leave this time at the beginning out"),
            ("duration", "Without a command: how long to watch"),
            ("label", "Name of this configuration"),
            ("command", "Program that makes the load, behind --"),
        ],
        examples: &[
            "  iotrial observe --database postgres --ramp 10s -- pgbench -T 70 -P 1 bench",
            "  iotrial observe --database postgres --duration 10m",
        ],
    },
    Short {
        command: "capture",
        options: &[
            ("what", "How long to trace, such as 5m, or a trace to read"),
            ("targets", "Only the disks below this directory"),
            ("pid", "Only the disks with files of this process"),
            ("output", "Write the profile for `iotrial run`"),
            HTML,
            JSON,
        ],
        examples: &[
            "  sudo iotrial capture --target /var/lib/pg 5m -o mine.toml",
            "  perf script | iotrial capture -",
        ],
    },
    Short {
        command: "report",
        options: &[
            ("records", RESULTS),
            HTML,
            XLSX,
            ("markdown", "Write Markdown"),
            ("csv", "Write CSV"),
            DETAILS,
            JSON,
        ],
        examples: &[
            "  iotrial report last",
            "  iotrial report before after --html both.html",
            "  iotrial report fio.json --html fio.html",
        ],
    },
    Short {
        command: "compare",
        options: &[
            ("records", RESULTS),
            ("baseline", "Compare the others with this one"),
            ("by", ""),
            ("gates", "Condition that must hold (repeatable)"),
            HTML,
            DETAILS,
        ],
        examples: &[
            "  iotrial compare before after --html c.html --xlsx c.xlsx",
            "  iotrial compare before after --gate 'write.p99 <= +10%'",
        ],
    },
    Short {
        command: "audit",
        options: &[("results", "Results, tables, or folders of them"), HTML, JSON],
        examples: &[
            "  # a published table and the claims made about it",
            "  iotrial audit published.toml",
            "  # every result in a folder",
            "  iotrial audit ./results --html audit.html",
        ],
    },
    Short {
        command: "size",
        options: &[
            ("demand", "A file, a result, or counters"),
            ("reads", "Such as 40000iops@8KiB (repeatable)"),
            ("writes", "Such as log=5000iops@16KiB (repeatable)"),
            ("capacity", "How much is stored, such as 4TiB"),
        ],
        examples: &[
            "  iotrial size --read 40000iops@8KiB --write 10000iops@8KiB --capacity 4TiB",
            "  iotrial size --demand erp.toml --against today.toml --html answer.html",
        ],
    },
    Short {
        command: "size explain",
        options: &[
            ("configurations", "Configuration files (TOML)"),
            ("mixes", "Share of reads at a block size (repeatable)"),
            ("records", "What was measured on it (repeatable)"),
            ("demand", "Can it meet this demand?"),
            HTML,
        ],
        examples: &[
            "  iotrial size explain today.toml --mix 40@64KiB --mix 100@1MiB",
            "  iotrial size explain today.toml --demand erp.toml",
        ],
    },
    Short {
        command: "size catalogs",
        options: &[
            ("provider", ""),
            ("files", ""),
            ("print", "Print the catalog of PROVIDER, to edit it"),
            JSON,
        ],
        examples: &[
            "  iotrial size catalogs",
            "  # every volume, machine and source of a provider",
            "  iotrial size catalogs oci",
        ],
    },
    Short {
        command: "awr",
        options: &[
            ("reports", ""),
            ("database", "Only this database (repeatable)"),
            ("demand", "Write what `size --demand` reads"),
            ("profile", "Write its I/O as a load for `run`"),
            HTML,
            XLSX,
        ],
        examples: &[
            "  iotrial awr ./reports --html day.html",
            "  iotrial awr ./reports --demand erp.toml",
            "  iotrial awr ./reports --profile erp.toml --level peak",
        ],
    },
    Short {
        command: "import",
        options: &[
            ("sources", ""),
            ("label", "Name of the configuration"),
            ("attributes", "What distinguishes it, such as volumes=3"),
            ("as_sweep", "How fast can it get, and what limits it?"),
            HTML,
        ],
        examples: &[
            "  iotrial import fio.json",
            "  iotrial import ./one-disk --label 'one disk' --attribute disks=1",
            "  fio --output-format=json+ job.fio | iotrial import -",
        ],
    },
    Short {
        command: "records",
        options: &[
            ("label", "Only labels that contain this text"),
            ("profile", "Only profiles or tools that contain this text"),
            ("target", "Only targets with this text in their path"),
            ("since", "Only results since then, such as 7d"),
            ("limit", ""),
            ("trash", ""),
            JSON,
            ("csv", "Print CSV, one row for each result"),
        ],
        examples: &[
            "  iotrial records --limit 10",
            "  iotrial records --label nvme --since 7d",
            "  iotrial records --target /mnt/nvme --sort iops",
        ],
    },
    Short {
        command: "open",
        options: &[("result", "A label, an id, or a part of an id"), ("print", "")],
        examples: &["  iotrial open", "  iotrial open before"],
    },
    Short {
        command: "label",
        options: &[
            ("result", "An id or a label"),
            ("label", ""),
            ("metrics", "Store a metric of the application"),
        ],
        examples: &[
            "  iotrial label last 'three volumes'",
            "  iotrial label last --metric batch_requests_per_s=13100",
        ],
    },
    Short {
        command: "remove",
        options: &[("results", "Ids or labels"), ("restore", "")],
        examples: &["  iotrial remove last", "  iotrial remove --restore 01JD…"],
    },
    Short {
        command: "profiles",
        options: &[("name", ""), ("from_fio", "Print a fio job as a profile"), JSON],
        examples: &[
            "  # to edit it; the copy needs a `name` of its own",
            "  iotrial profiles sqlserver-oltp > mine.toml",
            "  iotrial profiles --from-fio mix.fio > mine.toml",
        ],
    },
    Short {
        command: "thresholds",
        options: &[("name", "Set to print, or a file to check"), JSON],
        examples: &[
            "  # to edit it; the copy needs a `name` of its own",
            "  iotrial thresholds flash > mine.toml",
            "  iotrial run --thresholds ./mine.toml",
        ],
    },
    Short {
        command: "target",
        options: &[("device", ""), JSON],
        examples: &["  iotrial target /dev/nvme1n1"],
    },
    Short {
        command: "clean",
        options: &[("directories", "Directories of earlier tests"), ("yes", ""), JSON],
        examples: &["  iotrial clean", "  iotrial clean /mnt/a --yes"],
    },
    Short {
        command: "schema",
        options: &[("name", "")],
        examples: &["  iotrial schema", "  iotrial schema record > record.schema.json"],
    },
    Short {
        command: "config",
        options: &[("example", ""), JSON],
        examples: &["  iotrial config", "  iotrial config --example > ~/.config/iotrial/config.toml"],
    },
    Short {
        command: "docs",
        options: &[("page", ""), ("markdown", "")],
        examples: &["  iotrial docs", "  iotrial docs profiles"],
    },
    Short {
        command: "help",
        options: &[("words", "A command, a page, a term, or an id"), ("markdown", "")],
        examples: &["  iotrial help size explain", "  iotrial help glossary", "  iotrial help cache-served"],
    },
    Short {
        command: "completions",
        options: &[("shell", "")],
        examples: &["  iotrial completions bash > ~/.local/share/bash-completion/completions/iotrial"],
    },
    Short {
        command: "man",
        options: &[("directory", ""), ("overwrite", "")],
        examples: &["  iotrial man ~/.local/share/man/man1"],
    },
];

/// The commands by the question that brings somebody here, with what answers it.
const QUESTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "Is this storage fast enough?",
        &[
            ("run", "Test it with the I/O of a database: a verdict and a report"),
            ("sweep", "How fast it can get, and what limits it"),
            ("check", "Whether this host is set up for a database; runs no load"),
            ("watch", "Whether the storage of a running system is fast enough"),
            ("observe", "What a real database does on it, under your own load"),
            ("capture", "The I/O of a running database, as a profile"),
            ("verify", "Whether it gives back what is written"),
        ],
    ),
    (
        "What should we buy?",
        &[
            ("size", "The cheapest cloud configurations that meet a demand"),
            ("study", "Measure several configurations in turn, several times each"),
            ("compare", "Configurations side by side, and which to choose"),
        ],
    ),
    (
        "Read what others measured",
        &[
            ("awr", "Oracle AWR reports: how much I/O the database does"),
            ("import", "Results of fio, diskspd, vdbench and other tools"),
        ],
    ),
];

/// The other commands, which need only a name.
const OTHERS: &[(&str, &[&str])] = &[
    ("Results", &["report", "open", "records", "label", "remove", "audit"]),
    // On one line: a small screen has no room for two.
    ("Loads, limits and help", &["profiles", "thresholds", "help", "docs"]),
    ("This host", &["target", "clean", "config", "completions", "man", "schema"]),
];

/// The command line with a short help for `-h`.
pub fn program() -> Command {
    let everything = Cli::command().help_template("{all-args}{after-help}").render_long_help();
    // Of one command clap makes one list for both. What the program itself lists is therefore below its usage.
    shortened(Cli::command(), "")
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}")
        .after_help(by_question())
        .after_long_help(everything)
}

/// A command and those below it; the path is its name with that of the one above it.
fn shortened(command: Command, path: &str) -> Command {
    let command = command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        shortened(below, path.trim_start())
    });
    let Some(short) = SHORT.iter().find(|short| short.command == path) else { return command };
    let everything = command.get_after_help().cloned().unwrap_or_default();
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let help = help.hide_short_help(true).help("Print help (see a summary with '-h')");
    command
        .mut_args(|arg| short.argument(arg))
        .disable_help_flag(true)
        .arg(help)
        .after_help(short.below())
        .after_long_help(everything)
}

impl Short {
    fn argument(&self, arg: Arg) -> Arg {
        match self.options.iter().find(|(id, _)| arg.get_id() == id) {
            Some((_, "")) => arg,
            Some((_, text)) => {
                let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
                arg.help(*text).long_help(long)
            }
            None => arg.hide_short_help(true),
        }
    }

    /// What stands below the options.
    fn below(&self) -> String {
        format!("Examples:\n{}\n\nEverything else: iotrial {} --help", self.examples.join("\n"), self.command)
    }
}

fn by_question() -> StyledStr {
    // Only the names have a colour: clap wraps a line that begins with one as if it went on from the line before.
    let literal = STYLES.get_literal();
    let mut text = String::new();
    for (question, commands) in QUESTIONS {
        let _ = writeln!(text, "{question}");
        for (name, about) in *commands {
            let _ = writeln!(text, "  {literal}{name:<9}{literal:#}{about}");
        }
    }
    for (title, names) in OTHERS {
        let names: Vec<String> = names.iter().map(|name| format!("{literal}{name}{literal:#}")).collect();
        let _ = writeln!(text, "{title}: {}", names.join(", "));
    }
    text += "\nThe options of a command: iotrial run -h. Everything else: iotrial --help";
    text.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Each command with its path, as it is when somebody asks it for help.
    fn all(program: Command) -> Vec<(String, Command)> {
        fn add(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
            found.push((path.to_owned(), command.clone().term_width(80)));
            for below in command.get_subcommands() {
                add(below, format!("{path} {}", below.get_name()).trim_start(), found);
            }
        }
        let mut program = program.term_width(80);
        program.build();
        let mut found = Vec::new();
        add(&program, "", &mut found);
        found
    }

    #[test]
    fn the_short_help_of_every_command_fits_a_screen_of_80_columns_and_names_the_long_one() {
        let mut wrong = Vec::new();
        for (path, mut command) in all(program()) {
            let help = command.render_help().to_string();
            let lines: Vec<&str> = help.trim_end().lines().collect();
            let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
            let is_told = lines.last().is_some_and(|line| line.ends_with("--help"));
            if lines.len() > 24 || widest > 80 || !is_told {
                wrong.push(format!("{path}: {} lines, {widest} columns\n{help}", lines.len()));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_command_has_a_row_whose_ids_and_examples_it_has() {
        let commands = all(Cli::command());
        let paths: BTreeSet<&str> =
            commands.iter().map(|(path, _)| path.as_str()).filter(|path| !path.is_empty()).collect();
        assert_eq!(paths, SHORT.iter().map(|short| short.command).collect(), "one row for each command");
        assert_eq!(paths.len(), SHORT.len(), "a command has two rows");
        for short in SHORT {
            let (_, command) = commands.iter().find(|(path, _)| path == short.command).unwrap();
            for (id, _) in short.options {
                assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{}: {id}", short.command);
            }
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for example in short.examples {
                assert!(examples.lines().any(|line| line == *example), "{}: {example}", short.command);
            }
        }
    }

    #[test]
    fn the_long_help_has_every_option_and_all_that_was_said_of_it() {
        for ((path, mut long), (_, whole)) in all(program()).into_iter().zip(all(Cli::command())) {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let help = words(&long.render_long_help().to_string());
            let has = |what: &str, text: &str| {
                assert!(help.contains(&words(text)), "{path}: {what} is missing:\n{help}");
            };
            for arg in whole.get_arguments().filter(|arg| arg.get_id() != "help" && !arg.is_hide_set()) {
                has(arg.get_id().as_str(), &arg.to_string());
                has(arg.get_id().as_str(), &arg.get_help().unwrap().to_string());
            }
            has("what is below", &whole.get_after_help().unwrap().to_string());
        }
    }

    #[test]
    fn every_command_stands_once_below_a_question_or_by_its_name() {
        let of_questions = QUESTIONS.iter().flat_map(|(_, commands)| commands.iter().map(|(name, _)| *name));
        let of_others = OTHERS.iter().flat_map(|(_, names)| names.iter().copied());
        let mut listed: Vec<&str> = of_questions.chain(of_others).collect();
        listed.sort_unstable();
        let program = Cli::command();
        let mut commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        commands.sort_unstable();
        assert_eq!(listed, commands);
    }
}
