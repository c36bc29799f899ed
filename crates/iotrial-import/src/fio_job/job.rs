//! One job of fio, understood: what it becomes in a profile, key by key, each with where it comes from.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::load::{Durability, Pattern, Role};
use iotrial_model::units::{ByteSize, format_duration};

use super::block_size::{BlockSize, read_block_size};
use super::options::{Treatment, ZERO_IS_A_NUMBER, canonical, engine_of, meant, treatment};
use super::section::{Place, Section, Setting};
use super::value::{Amount, KbBase, amount, by_direction, flag, is_off, number, time};
use super::{FioJobError, Notes};

mod arrival;
mod region;

/// A line of the profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// Name of the key in the profile.
    pub name: &'static str,
    /// Its value, as TOML has it.
    pub value: String,
    /// Where it comes from.
    pub origin: String,
}

/// What one section says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    /// The name in fio.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Its table in the profile, without the name.
    pub keys: Vec<Key>,
    /// The size of its data.
    pub size: ByteSize,
    /// The measured phase, with its origin.
    pub runtime: Option<(Duration, String)>,
    /// The phase before, with its origin.
    pub ramp: Option<(Duration, String)>,
    /// How long after the first job it begins.
    pub start_delay: Duration,
    /// The files that it names.
    pub filename: Option<String>,
    /// Options that have no part in the load.
    pub aside: Vec<String>,
    /// What it is for, in its own words.
    pub description: Option<String>,
}

/// Whether a section waits for those before it.
pub(super) fn is_after_the_others(section: &Section) -> bool {
    // The last of several counts, as everywhere in fio.
    let last = section.settings.iter().rev().find(|setting| canonical(&setting.name) == "stonewall");
    // A value that cannot be read counts as on here, and is reported when the job is read.
    last.is_some_and(|setting| flag(setting.value.as_deref()).unwrap_or(true))
}

/// Understands one section. What cannot be is noted in `error`, and left out.
pub(super) fn read_job(
    section: &Section,
    size_asked: Option<ByteSize>,
    notes: &mut Notes,
    error: &mut FioJobError,
) -> Job {
    let mut reader = JobReader {
        section,
        size_asked,
        filename: None,
        settings: BTreeMap::new(),
        base: KbBase::Binary,
        keys: Vec::new(),
        aside: Vec::new(),
        notes,
        error,
    };
    reader.sort_settings();
    reader.read()
}

pub(super) struct JobReader<'s, 'n> {
    section: &'s Section,
    /// What the job works on where it does not say it: all copies together.
    size_asked: Option<ByteSize>,
    /// All files that it names: fio adds each to those before it, also to those of `[global]`.
    filename: Option<String>,
    /// By their one name; a later one took the place of an earlier one.
    settings: BTreeMap<&'s str, &'s Setting>,
    base: KbBase,
    keys: Vec<Key>,
    aside: Vec<String>,
    notes: &'n mut Notes,
    error: &'n mut FioJobError,
}

/// Reads and writes, as `rw` says them.
#[derive(Debug, Clone, Copy)]
struct Mix {
    pattern: Pattern,
    read_percent: u8,
}

impl Mix {
    fn directions(self) -> [bool; 2] {
        [self.read_percent > 0, self.read_percent < 100]
    }
}

impl<'s> JobReader<'s, '_> {
    /// Keeps what the profile is made of; everything else becomes a note or a mistake.
    fn sort_settings(&mut self) {
        for setting in &self.section.settings {
            // Options are known under one name, so an alias that comes later replaces the first one.
            let name = canonical(&setting.name);
            let is_off = is_off(setting.value.as_deref()) && !ZERO_IS_A_NUMBER.contains(&name);
            match treatment(name) {
                None => self.unknown(setting),
                Some(Treatment::Mapped) if name == "filename" => self.add_files(setting),
                Some(Treatment::Mapped) => {
                    if let Some(earlier) = self.settings.insert(name, setting) {
                        self.weigh_repeat(earlier, setting);
                    }
                }
                Some(Treatment::Aside) => self.aside.push(setting.to_string()),
                // What is off needs neither note nor refusal: `verify=none` is no verification.
                Some(Treatment::Noted(_) | Treatment::Refused(..)) if is_off => {
                    self.aside.push(setting.to_string());
                }
                Some(Treatment::Noted(note)) => self.note(&format!("`{setting}`: {note}")),
                Some(Treatment::Refused(reason, hint)) => {
                    let message = format!("`{setting}` of job `{}`: {reason}", self.section.name);
                    self.error.note(&setting.place, message, Some(hint.to_owned()));
                }
            }
        }
        // Before any number is read, since it decides what `k` means.
        if let Some(setting) = self.settings.remove("kb_base") {
            match setting.value.as_deref() {
                Some("1000") => self.base = KbBase::Decimal,
                Some("1024") | None => {}
                Some(_) => self.refuse(setting, "it is 1000 or 1024"),
            }
        }
    }

    fn add_files(&mut self, setting: &Setting) {
        let Some(files) = setting.value.as_deref() else { return };
        match &mut self.filename {
            None => self.filename = Some(files.to_owned()),
            Some(all) => {
                all.push(':');
                all.push_str(files);
            }
        }
    }

    /// What a later setting of the same section took the place of. That a job replaces what `[global]` says is what both are for.
    fn weigh_repeat(&mut self, earlier: &Setting, later: &Setting) {
        if earlier.is_global == later.is_global && earlier.value != later.value {
            let (was, is) = (&earlier.place, &later.place);
            self.note(&format!(
                "`{earlier}` ({was}) has no effect: `{later}` ({is}) comes later, and the last one counts"
            ));
        }
    }

    fn unknown(&mut self, setting: &Setting) {
        // The option that was meant is looked for among all of them.
        if self.error.is_full() {
            return;
        }
        if let Some(engine) = engine_of(&setting.name) {
            let message = format!(
                "`{setting}` of job `{}`: it is an option of fio's engine `{engine}`, which does a different kind of I/O",
                self.section.name
            );
            let hint = "iotrial has engines of its own; leave the option out".to_owned();
            return self.error.note(&setting.place, message, Some(hint));
        }
        let message = format!("fio has no option `{}`", setting.name);
        let hint = match meant(&setting.name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`iotrial docs fio-jobs` lists the options that are understood".to_owned(),
        };
        self.error.note(&setting.place, message, Some(hint));
    }

    fn note(&mut self, text: &str) {
        self.notes.add(text, &self.section.name);
    }

    /// A value without which the load is not known.
    pub(super) fn refuse(&mut self, setting: &Setting, reason: &str) {
        let message = format!("`{setting}` of job `{}`: {reason}", self.section.name);
        self.error.refuse(&setting.place, message, None);
    }

    fn refuse_with_hint(&mut self, setting: &Setting, reason: &str, hint: &str) {
        let message = format!("`{setting}` of job `{}`: {reason}", self.section.name);
        self.error.refuse(&setting.place, message, Some(hint.to_owned()));
    }

    /// The setting that holds, under its one name.
    pub(super) fn setting(&self, name: &str) -> Option<&'s Setting> {
        self.settings.get(name).copied()
    }

    /// What `k` stands for.
    pub(super) const fn base(&self) -> KbBase {
        self.base
    }

    fn text(&self, name: &str) -> Option<&'s str> {
        self.setting(name).and_then(|setting| setting.value.as_deref())
    }

    /// The value of an option, where it is there and can be understood.
    fn parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let setting = self.setting(name)?;
        match parse(setting.value.as_deref().unwrap_or_default()) {
            Ok(value) => Some(value),
            Err(message) => {
                self.refuse(setting, &message);
                None
            }
        }
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        let base = self.base;
        // The base is copied, because the closure may not borrow the reader.
        self.parsed(name, |text| number(text, base))
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        let setting = self.setting(name)?;
        match flag(setting.value.as_deref()) {
            Ok(value) => Some(value),
            Err(message) => {
                self.refuse(setting, &message);
                None
            }
        }
    }

    /// A number that must lie within a range, or what holds without it.
    fn number_in(&mut self, name: &str, range: std::ops::RangeInclusive<u64>, otherwise: u64) -> u64 {
        match self.number(name) {
            Some(number) if range.contains(&number) => number,
            Some(_) => {
                let reason = format!("a profile has from {} to {}", range.start(), range.end());
                if let Some(setting) = self.setting(name) {
                    self.refuse(setting, &reason);
                }
                otherwise
            }
            None => otherwise,
        }
    }

    fn time(&mut self, name: &str) -> Option<(Duration, String)> {
        let base = self.base;
        let time = self.parsed(name, |text| time(text, Duration::from_secs(1), base))?;
        Some((time, self.origin(name)))
    }

    /// `iodepth=8 (line 7)`, or that it is what holds in fio without the option.
    fn origin(&self, name: &str) -> String {
        self.setting(name).map_or_else(|| format!("{name} is not given"), origin_of)
    }

    fn key(&mut self, name: &'static str, value: String, origin: String) {
        self.keys.push(Key { name, value, origin });
    }

    fn read(mut self) -> Job {
        // In the order of the profile's keys, which is how a person reads them.
        let mix = self.read_mix();
        let [reads, writes] = mix.directions();
        let block_size = read_block_size(&mut self, reads, writes);
        let filename = self.filename.clone();
        // Before the role, which it helps to guess.
        let is_one_by_one = self.is_durable_one_by_one();
        let role = role_of(&self.section.name, filename.as_deref(), mix, &block_size, is_one_by_one);
        self.key("role", quoted(role.0.as_str()), role.1.to_owned());
        let origin = self.origin("rw");
        self.key("pattern", quoted(mix.pattern.as_str()), origin);
        self.read_distribution(mix.pattern);
        let limits = self.read_arrival(mix);
        // Rates decide the mix in fio, whatever `rwmixread` says: with rate_iops=1000 and rwmixread=70 both
        // directions ran at 999 IOPS (fio 3.33).
        let read_percent = limits.read_percent.unwrap_or(mix.read_percent);
        let mix_origin = match (read_percent, &limits.mix_origin) {
            (_, Some(origin)) => origin.clone(),
            (0 | 100, _) => self.origin("rw"),
            _ => {
                ["rwmixread", "rwmixwrite"].into_iter().find(|name| self.setting(name).is_some()).map_or_else(
                    || "rwmixread is not given: half of them are reads".to_owned(),
                    |name| self.origin(name),
                )
            }
        };
        self.key("rwmix_read_percent", read_percent.to_string(), mix_origin);
        let (name, value) = block_size.toml();
        self.key(name, value, block_size.origin.clone());
        let iodepth = self.read_iodepth();
        self.key("iodepth", iodepth.0.to_string(), iodepth.1);
        let numjobs = self.number_in("numjobs", 1..=1024, 1);
        if numjobs > 1 {
            let origin = self.origin("numjobs");
            self.key("numjobs", numjobs.to_string(), origin);
        }
        let size = self.read_region(mix.pattern, numjobs, &block_size);
        self.read_durability(writes);
        limits.keys.into_iter().for_each(|key| self.keys.push(key));
        self.weigh_path();
        let runtime = self.time("runtime").filter(|(runtime, _)| !runtime.is_zero());
        let is_time_based = self.flag("time_based").unwrap_or(false);
        if runtime.is_some() && !is_time_based {
            self.note(
                "without `time_based` fio ends as soon as all of `size` was moved; iotrial runs the whole time",
            );
        }
        let start_delay = self.time("startdelay").map(|(delay, _)| delay).unwrap_or_default();
        // Read only for its mistakes; the set was chosen before.
        self.flag("stonewall");
        Job {
            name: self.section.name.clone(),
            place: self.section.place.clone(),
            size,
            runtime,
            ramp: self.time("ramp_time").filter(|(ramp, _)| !ramp.is_zero()),
            start_delay,
            filename,
            description: self.text("description").map(str::to_owned),
            keys: self.keys,
            aside: self.aside,
        }
    }

    fn read_mix(&mut self) -> Mix {
        let setting = self.setting("rw");
        // fio's default is sequential reads.
        let text = setting.and_then(|setting| setting.value.as_deref()).unwrap_or("read");
        let (word, step) = text.split_once(':').map_or((text, None), |(word, step)| (word, Some(step)));
        if let (Some(setting), Some(_)) = (setting, step) {
            let reason = "iotrial has no offsets between random and sequential";
            self.refuse_with_hint(setting, reason, "leave out the number behind the colon");
        }
        let mixed = |reader: &mut Self| {
            // `rwmixread` wins where both are given.
            let percent = match (reader.setting("rwmixread"), reader.setting("rwmixwrite")) {
                (Some(_), _) => reader.number_in("rwmixread", 0..=100, 50),
                (None, Some(_)) => 100 - reader.number_in("rwmixwrite", 0..=100, 50),
                (None, None) => 50,
            };
            u8::try_from(percent).unwrap_or(50)
        };
        let (pattern, read_percent) = match word {
            "read" => (Pattern::Sequential, 100),
            "write" => (Pattern::Sequential, 0),
            "randread" => (Pattern::Random, 100),
            "randwrite" => (Pattern::Random, 0),
            "rw" | "readwrite" => (Pattern::Sequential, mixed(self)),
            "randrw" => (Pattern::Random, mixed(self)),
            other => {
                if let Some(setting) = setting {
                    let is_trim = other.contains("trim");
                    let reason =
                        if is_trim { "iotrial issues no discards" } else { "fio has no such pattern" };
                    let hint = "read, write, rw, randread, randwrite and randrw are understood";
                    self.refuse_with_hint(setting, reason, hint);
                }
                // Something must be returned; the mistake has been noted, so no profile comes of it.
                (Pattern::Random, 100)
            }
        };
        let percent_random = self.percentage_random();
        let pattern = match percent_random {
            Some(100) => Pattern::Random,
            Some(0) => Pattern::Sequential,
            _ => pattern,
        };
        Mix { pattern, read_percent }
    }

    fn percentage_random(&mut self) -> Option<u64> {
        let setting = self.setting("percentage_random")?;
        let percent = self.number("percentage_random")?;
        if !matches!(percent, 0 | 100) {
            let reason = "a job of iotrial is random or sequential";
            self.refuse_with_hint(setting, reason, "make a job for each part");
        }
        Some(percent)
    }

    fn read_distribution(&mut self, pattern: Pattern) {
        let Some(setting) = self.setting("random_distribution") else {
            // Without a map fio draws as iotrial does, and no note is needed.
            if pattern == Pattern::Random && !self.flag("norandommap").unwrap_or(false) {
                self.note("fio touches every block once before it touches one again; iotrial draws blocks with repetition");
            }
            return;
        };
        if pattern == Pattern::Sequential {
            return self.note(&format!("`{setting}` has no effect without random I/O"));
        }
        let text = setting.value.as_deref().unwrap_or_default();
        let origin = self.origin("random_distribution");
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "random" => {}
            "zipf" => {
                let theta = rest.split('/').next().unwrap_or_default();
                // Behind the slash fio has the place of the hot region.
                match theta.parse::<f64>() {
                    Ok(theta) if theta > 0.0 && theta <= 5.0 => {
                        self.key("distribution", quoted("zipf"), origin.clone());
                        self.key("zipf_theta", format!("{theta:?}"), origin);
                        if rest.contains('/') {
                            self.note(&format!(
                                "`{setting}`: iotrial scatters the hot blocks over the whole file"
                            ));
                        }
                    }
                    _ => self.refuse(setting, "theta must be more than 0 and at most 5"),
                }
            }
            "zoned" => match two_zones(rest) {
                Some((io, space)) => {
                    self.key("distribution", quoted("hotspot"), origin.clone());
                    self.key("hot_io_percent", io.to_string(), origin.clone());
                    self.key("hot_space_percent", space.to_string(), origin);
                }
                None => self.refuse_with_hint(
                    setting,
                    "iotrial has one hot zone and the rest",
                    "two zones are understood, such as zoned:90/10:10/90",
                ),
            },
            _ => self.refuse_with_hint(
                setting,
                "iotrial has no such distribution",
                "random, zipf:THETA and zoned: with two zones are understood",
            ),
        }
    }

    /// The depth, and where it comes from. Without asynchronous I/O it is one.
    fn read_iodepth(&mut self) -> (u64, String) {
        // Engines that keep `iodepth` in flight; the others below have one I/O at a time.
        const ASYNCHRONOUS: [&str; 5] = ["libaio", "io_uring", "posixaio", "windowsaio", "solarisaio"];
        const SYNCHRONOUS: [&str; 5] = ["sync", "psync", "vsync", "pvsync", "pvsync2"];
        let engine = self.text("ioengine");
        let depth = self.number_in("iodepth", 1..=4096, 1);
        match engine {
            Some(engine) if ASYNCHRONOUS.contains(&engine) => {
                self.note(&format!(
                    "`ioengine={engine}`: iotrial drives its own engine, `uring` on Linux, or `threads`"
                ));
            }
            Some(engine) if SYNCHRONOUS.contains(&engine) => {
                if depth > 1 {
                    self.note(&format!(
                        "with `ioengine={engine}` one I/O is outstanding, whatever `iodepth` says"
                    ));
                }
                return (1, self.origin("ioengine"));
            }
            Some(_) => {
                if let Some(setting) = self.setting("ioengine") {
                    let hint = "io_uring, libaio, posixaio, windowsaio, sync, psync, pvsync and pvsync2 are understood; \
                                iotrial has `--engine null` and `--engine sim` of its own";
                    self.refuse_with_hint(setting, "this engine does a different kind of I/O", hint);
                }
            }
            None if depth > 1 => {
                self.note(
                    "`ioengine` is not given, and fio's default engine has one I/O outstanding on Linux, whatever `iodepth` says; iotrial keeps `iodepth`",
                );
            }
            None => {}
        }
        (depth, self.origin("iodepth"))
    }

    /// Whether each write waits for the one before it, and is durable before the next: what a log does.
    fn is_durable_one_by_one(&self) -> bool {
        let is = |name: &str, values: &[&str]| self.text(name).is_some_and(|value| values.contains(&value));
        let is_durable =
            is("sync", &["1", "sync", "dsync"]) || is("fdatasync", &["1"]) || is("fsync", &["1"]);
        // In fio the depth of 1 is the default.
        is_durable && (self.text("iodepth").is_none() || is("iodepth", &["1"]))
    }

    fn read_durability(&mut self, writes: bool) {
        let sync = match self.text("sync") {
            Some("1" | "sync" | "dsync") => true,
            None | Some("0" | "none") => false,
            Some(_) => {
                if let Some(setting) = self.setting("sync") {
                    self.refuse(setting, "none, sync and dsync are understood");
                }
                false
            }
        };
        let flush = ["fdatasync", "fsync"]
            .into_iter()
            .find_map(|name| self.number(name).filter(|every| *every > 0).map(|every| (name, every)));
        if !writes {
            if sync || flush.is_some() {
                self.note("sync has no effect in a job that only reads");
            }
            return;
        }
        let (durability, name) = match (sync, flush) {
            // A write that is durable by itself is at least as strong as a flush after it.
            (true, _) => (Durability::Dsync, "sync"),
            (false, Some((name, _))) => (Durability::Fdatasync, name),
            (false, None) => return,
        };
        let origin = self.origin(name);
        self.key("durability", quoted(durability.as_str()), origin.clone());
        match (sync, flush) {
            (true, Some((name, _))) => {
                self.note(&format!("`{name}` has no effect on writes that are already durable"));
            }
            (true, None) => {}
            (false, Some((_, every))) => {
                if every > 1 {
                    self.key("flush_every", every.to_string(), origin);
                }
                self.note(
                    "a write and its flush are one operation in iotrial; fio shows the flush apart, as sync",
                );
                if name == "fsync" {
                    self.note("`fsync` becomes `fdatasync`: times of the file are not made durable, as no database waits for them");
                }
            }
            (false, None) => {}
        }
    }

    /// Whether fio would go through the page cache.
    fn weigh_path(&mut self) {
        let direct = self.flag("direct");
        let buffered = self.flag("buffered");
        // `direct` wins over `buffered`, its opposite.
        if !direct.or(buffered.map(|buffered| !buffered)).unwrap_or(false) {
            self.note("without `direct=1` fio goes through the page cache; iotrial goes past it unless `--buffered` says so");
        }
        if self.setting("latency_target").is_some_and(|setting| !is_off(setting.value.as_deref())) {
            let base = self.base;
            let target = self.parsed("latency_target", |text| time(text, Duration::from_micros(1), base));
            // fio's default percentile for a latency target is 100.
            let percentile = self.text("latency_percentile").unwrap_or("100");
            if let Some(target) = target {
                self.note(&format!(
                    "`latency_target`: the job runs at its full depth; `iotrial run --latency-limit {}@p{percentile}` \
                     looks for the highest rate that holds it",
                    format_duration(target)
                ));
            }
        }
    }
}

/// `iodepth=8 (line 7)`.
pub(super) fn origin_of(setting: &Setting) -> String {
    let global = if setting.is_global { " of [global]" } else { "" };
    format!("{setting} ({}{global})", setting.place)
}

/// A text as TOML has it.
pub(super) fn quoted(text: &str) -> String {
    // Basic strings of TOML; control characters become blanks, as they would end the line.
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>())
}

/// The shares of I/Os and of space of the first of two zones.
fn two_zones(text: &str) -> Option<(u8, u8)> {
    let zone = |zone: &str| {
        let (io, space) = zone.split_once('/')?;
        Some((io.trim().parse::<u8>().ok()?, space.trim().parse::<u8>().ok()?))
    };
    let (first, rest) = text.split_once(':')?;
    let (first, rest) = (zone(first)?, zone(rest)?);
    let is_whole =
        u16::from(first.0) + u16::from(rest.0) == 100 && u16::from(first.1) + u16::from(rest.1) == 100;
    // One hot zone and the rest, both whole percents; anything else has no counterpart.
    (is_whole && (1..=99).contains(&first.0) && (1..=99).contains(&first.1)).then_some(first)
}

/// What a job probably stands for, and why. Its name comes first, and then that of its file; folders say
/// nothing. A word that only ends in `log` may be `catalog`: it is that of a log where the job also does what
/// a log does.
fn role_of(
    name: &str,
    filename: Option<&str>,
    mix: Mix,
    block_size: &BlockSize,
    is_durable_one_by_one: bool,
) -> (Role, &'static str) {
    let is_sequential = mix.pattern == Pattern::Sequential;
    let files = || filename.unwrap_or_default().split(':').map(last_part);
    let writes_like_a_log = is_sequential && mix.read_percent == 0 && is_durable_one_by_one;
    match word_of(name).or_else(|| files().find_map(word_of)) {
        Some(Role::Log) if is_sequential && mix.read_percent == 0 => {
            (Role::Log, "a guess: its name, and it writes in sequence")
        }
        None if writes_like_a_log && (ends_in_log(name) || files().any(ends_in_log)) => {
            (Role::Log, "a guess: its name ends in `log`, and each write is durable before the next")
        }
        Some(Role::Tempdb) => (Role::Tempdb, "a guess: its name"),
        Some(Role::Backup) if is_sequential => (Role::Backup, "a guess: its name, and it works in sequence"),
        // A choice: at 64 KiB and more, sequential reads of a database are read-ahead.
        _ if is_sequential && block_size.largest() >= ByteSize::kib(64) => {
            (Role::Scan, "a guess: large I/Os in sequence")
        }
        _ => (Role::Data, "a guess: fio does not say what a job stands for"),
    }
}

/// A file without its folders.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The role that a word of a name stands for; numbers behind it are its own.
fn word_of(name: &str) -> Option<Role> {
    // Whole words, since «data» in «database1» or «log» in «catalog» would mislead.
    const WORDS: [(&str, Role); 19] = [
        ("data", Role::Data),
        ("oltp", Role::Data),
        ("log", Role::Log),
        ("logs", Role::Log),
        ("sqllog", Role::Log),
        ("translog", Role::Log),
        ("xlog", Role::Log),
        ("redo", Role::Log),
        ("redolog", Role::Log),
        ("wal", Role::Log),
        ("ldf", Role::Log),
        ("tempdb", Role::Tempdb),
        ("temp", Role::Tempdb),
        ("tmp", Role::Tempdb),
        ("sort", Role::Tempdb),
        ("backup", Role::Backup),
        ("restore", Role::Backup),
        ("bak", Role::Backup),
        ("dump", Role::Backup),
    ];
    let name = name.to_ascii_lowercase();
    words_of(&name).find_map(|word| WORDS.iter().find(|(known, _)| *known == word).map(|(_, role)| *role))
}

/// `binlog`, `archivelog`, `txlogs`: one word, whatever stands before.
fn ends_in_log(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    words_of(&name).any(|word| word.ends_with("log") || word.ends_with("logs"))
}

fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        // `log1` and `log2` are both logs.
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_guessed_from_whole_words_of_the_job_and_then_of_its_file() {
        let check = |name: &str, role: Option<Role>| assert_eq!(word_of(name), role, "{name}");
        check("sql-data1", Some(Role::Data));
        check("sql_log", Some(Role::Log));
        check("redo01.log", Some(Role::Log));
        check("tempdb2", Some(Role::Tempdb));
        check("template", None);
        check("catalog", None);
        let mix = Mix { pattern: Pattern::Random, read_percent: 70 };
        let size = BlockSize::usual();
        let role = |name, file| role_of(name, Some(file), mix, &size, true).0;
        assert_eq!(role("mix", "/tmp/x/f.dat"), Role::Data);
        assert_eq!(role("data", "/mnt/tempdb.mdf"), Role::Data);
        assert_eq!(role("mix", "/mnt/data/tempdb.mdf"), Role::Tempdb);
    }

    #[test]
    fn a_name_that_ends_in_log_is_that_of_a_log_where_each_write_is_durable_before_the_next() {
        let writes = Mix { pattern: Pattern::Sequential, read_percent: 0 };
        let size = BlockSize::usual();
        let role = |name, mix, is_durable| role_of(name, Some("/mnt/f.dat"), mix, &size, is_durable).0;
        for name in ["binlog", "archivelog", "txlog", "redolog", "mysql-binlog2", "TxLogs"] {
            assert_eq!(role(name, writes, true), Role::Log, "{name}");
        }
        assert_eq!(role_of("writer", Some("/var/catalog/binlog.000001"), writes, &size, true).0, Role::Log);
        assert_eq!(role_of("writer", Some("/var/binlog/f.dat"), writes, &size, true).0, Role::Data);
        assert_eq!(role("catalog", writes, false), Role::Data);
        assert_eq!(role("binlog", writes, false), Role::Data);
        assert_eq!(role("binlog", Mix { read_percent: 100, ..writes }, true), Role::Data);
        assert_eq!(role("binlog", Mix { pattern: Pattern::Random, ..writes }, true), Role::Data);
        assert_eq!(role("login", writes, true), Role::Data);
    }
}
