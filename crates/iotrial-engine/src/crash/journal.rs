//! The journal of writes that are promised: what is on another device, or on another host, when the cut comes.
//!
//! Lines of text. The first one says what is written and where; each one after it is written when a flush came back, and says that
//! all writes below a number are durable and that none from another number on is begun before the next entry. Each line ends with a
//! CRC-32C of all before it in the line, which begins with the sum of the first line, so that lines of two journals do not mix.
//!
//! ```text
//! itj1 begin {"run":"01J…",…} 1a2b3c4d
//! itj1 flushed 131072 131080 0 5e6f7081
//! itj1 flushed 131080 131083 212344 92a3b4c5
//! itj1 end 131083 stopped d6e7f809
//! ```

use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::time::Duration;

use iotrial_model::crash::{ArmEnd, Armed};
use iotrial_model::histogram::{LatencyHistogram, LatencyRecorder};

/// How a line begins, before the number of the format.
const MAGIC: &str = "itj";
const VERSION: u32 = 1;

/// A longer line is no entry. The first one has a path and a chain of devices in it.
const LONGEST_LINE: u64 = 64 << 10;

/// So many bytes behind the last good entry may be what a cut left; more of them are not.
// A choice: journaling file systems leave at most what was appended and not flushed, which is one entry, or the zeros of a block.
const LONGEST_TAIL: u64 = 1 << 20;

/// Why something is not a journal, or not a whole one.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is nothing in it.
    #[error("the journal is empty: the cut came before the target was filled, so nothing was promised")]
    Empty,
    /// The first entry is incomplete.
    #[error("the journal ends within its first entry: nothing was promised")]
    NothingPromised,
    /// Something else is in it.
    #[error("not a journal of `iotrial verify crash arm`")]
    Foreign,
    /// A later version of iotrial wrote it.
    #[error("the journal has format {found}, and this version of iotrial reads format {VERSION}")]
    Newer {
        /// Number of its format.
        found: u32,
    },
    /// An entry is damaged, and good ones follow.
    #[error("line {line} of the journal is damaged")]
    Damaged {
        /// Counted from 1.
        line: u64,
    },
    /// An entry contradicts the one before it.
    #[error("line {line} of the journal contradicts the one before it")]
    Contradicts {
        /// Counted from 1.
        line: u64,
    },
    /// It cannot be read.
    #[error("cannot read the journal")]
    Read(#[source] io::Error),
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The first one.
    Begin(Box<Armed>),
    /// A flush came back.
    Flushed {
        /// All writes below it are durable.
        durable: u64,
        /// No write from it on is begun before the next entry.
        issued: u64,
        /// How long the flush took; 0 where there was none.
        flush_ns: u64,
    },
    /// Nothing is written any more.
    End {
        /// All writes below it are durable.
        durable: u64,
        /// Why.
        how: ArmEnd,
    },
}

/// Makes and checks the lines of one journal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    /// Sum of the first line; `None` before it.
    seed: Option<u32>,
}

impl Lines {
    /// The line of an entry, with its end. The first one must be [`Entry::Begin`].
    pub fn line(&mut self, entry: &Entry) -> String {
        let mut line = format!("{MAGIC}{VERSION} ");
        let written = match entry {
            Entry::Begin(armed) => {
                let json = serde_json::to_string(armed).expect("numbers and text have a form in JSON");
                write!(line, "begin {json}")
            }
            Entry::Flushed { durable, issued, flush_ns } => {
                write!(line, "flushed {durable} {issued} {flush_ns}")
            }
            Entry::End { durable, how } => write!(line, "end {durable} {how}"),
        };
        written.expect("a string takes everything");
        let sum = self.sum(&line);
        self.seed.get_or_insert(sum);
        line + &format!(" {sum:08x}\n")
    }

    fn sum(self, line: &str) -> u32 {
        crc32c::crc32c_append(self.seed.unwrap_or_default(), line.as_bytes())
    }

    /// The entry of a line, without its end; `None` of what is none of this journal.
    pub fn entry(&mut self, line: &str) -> Option<Entry> {
        let (line, sum) = line.rsplit_once(' ')?;
        let expected = self.sum(line);
        if sum != format!("{expected:08x}") {
            return None;
        }
        let rest = line.strip_prefix(MAGIC)?.strip_prefix(&format!("{VERSION} "))?;
        let (kind, rest) = rest.split_once(' ')?;
        let entry = match (kind, self.seed) {
            ("begin", None) => Entry::Begin(serde_json::from_str(rest).ok()?),
            ("flushed", Some(_)) => {
                let mut numbers = rest.split(' ').map(|number| number.parse().ok());
                let [durable, issued, flush_ns] = [numbers.next()??, numbers.next()??, numbers.next()??];
                Entry::Flushed { durable, issued, flush_ns }
            }
            ("end", Some(_)) => {
                let (durable, how) = rest.split_once(' ')?;
                let how = ArmEnd::ALL.iter().copied().find(|known| known.as_str() == how)?;
                Entry::End { durable: durable.parse().ok()?, how }
            }
            _ => return None,
        };
        self.seed.get_or_insert(expected);
        Some(entry)
    }
}

/// What whoever keeps a line answers when it is safe. `line` is with or without its end.
pub fn acknowledgement(line: &str) -> String {
    let sum = line.trim_end().rsplit(' ').next().unwrap_or_default();
    format!("{MAGIC}{VERSION} kept {sum}")
}

/// Whether a line claims to be an entry of any version, whole or not.
pub fn claims_to_be_an_entry(line: &str) -> bool {
    version_of(line).is_some()
}

fn version_of(line: &str) -> Option<u32> {
    line.strip_prefix(MAGIC)?.split(' ').next()?.parse().ok()
}

/// A journal that was read.
#[derive(Debug, Clone)]
pub struct Journal {
    /// What is written, where and by whom.
    pub armed: Armed,
    /// All writes below it are durable.
    pub durable: u64,
    /// No write from it on was begun.
    pub issued: u64,
    /// Flushes that came back.
    pub flushes: u64,
    /// How long they took.
    pub flush_times: LatencyHistogram,
    /// How writing ended; `None` where it was cut.
    pub ended: Option<ArmEnd>,
    /// Whether the last entry was cut, and left out.
    pub is_cut: bool,
}

impl Journal {
    /// Reads a journal to its end. A last entry that was cut is left out: nothing was begun that relies on it.
    ///
    /// # Errors
    ///
    /// When it is not one, or promises nothing, or something in the middle of it is wrong.
    pub fn read(mut source: impl BufRead) -> Result<Self, JournalError> {
        let mut lines = Lines::default();
        let first = match next_line(&mut source)? {
            None => return Err(JournalError::Empty),
            Some((line, is_whole)) => match version_of(&line) {
                Some(found) if found > VERSION => return Err(JournalError::Newer { found }),
                // Of a journal that was cut there may be any part of the word, but nothing else.
                None if is_whole || !MAGIC.starts_with(&line) => return Err(JournalError::Foreign),
                _ if !is_whole => return Err(JournalError::NothingPromised),
                _ => line,
            },
        };
        let Some(Entry::Begin(armed)) = lines.entry(&first) else {
            return Err(JournalError::Damaged { line: 1 });
        };
        if !is_possible(&armed) {
            return Err(JournalError::Contradicts { line: 1 });
        }
        let mut journal = Self {
            durable: armed.pages,
            issued: armed.pages,
            armed: *armed,
            flushes: 0,
            flush_times: LatencyHistogram::default(),
            ended: None,
            is_cut: false,
        };
        let mut times = LatencyRecorder::default();
        let (mut damaged, mut tail) = (None, 0);
        for number in 2.. {
            let Some((line, is_whole)) = next_line(&mut source)? else { break };
            let entry = lines.entry(&line).filter(|_| is_whole);
            match (entry, damaged) {
                (Some(_), Some(line)) => return Err(JournalError::Damaged { line }),
                (Some(entry), None) => {
                    journal.add(&entry, &mut times).ok_or(JournalError::Contradicts { line: number })?;
                }
                (None, _) => {
                    let first = *damaged.get_or_insert(number);
                    tail += line.len() as u64;
                    if tail > LONGEST_TAIL {
                        return Err(JournalError::Damaged { line: first });
                    }
                }
            }
        }
        journal.is_cut = damaged.is_some();
        journal.flush_times = LatencyHistogram::from(&times);
        Ok(journal)
    }

    /// `None` where the entry cannot follow.
    fn add(&mut self, entry: &Entry, times: &mut LatencyRecorder) -> Option<()> {
        let is_open = self.ended.is_none();
        match *entry {
            Entry::Flushed { durable, issued, flush_ns }
                if is_open
                    && durable == self.issued
                    && issued > durable
                    && issued - durable <= self.armed.flush_every =>
            {
                if durable > self.armed.pages {
                    self.flushes += 1;
                    if flush_ns > 0 {
                        times.record_ns(flush_ns);
                    }
                }
                (self.durable, self.issued) = (durable, issued);
            }
            Entry::End { durable, how } if is_open => {
                match how {
                    // Nothing is under way.
                    ArmEnd::Stopped if durable == self.durable => self.issued = durable,
                    ArmEnd::WriteFailed | ArmEnd::FlushFailed | ArmEnd::Hung if durable == self.durable => {}
                    _ => return None,
                }
                self.ended = Some(how);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Whether numbers of a stranger can be those of a run: everything that is computed from them fits.
fn is_possible(armed: &Armed) -> bool {
    let Armed { page_bytes, pages, first_byte, flush_every, .. } = armed;
    (1 << 9..=1 << 20).contains(page_bytes)
        && page_bytes.is_power_of_two()
        && (1..1 << 48).contains(pages)
        && first_byte.is_multiple_of(512)
        && *first_byte < 1 << 62
        && (1..=1 << 16).contains(flush_every)
}

/// The next line without its end, and whether it has one; `None` at the end. What is longer than any entry comes in pieces.
fn next_line(source: &mut impl BufRead) -> Result<Option<(String, bool)>, JournalError> {
    let mut line = Vec::new();
    let read = io::Read::take(source, LONGEST_LINE).read_until(b'\n', &mut line);
    if read.map_err(JournalError::Read)? == 0 {
        return Ok(None);
    }
    let is_whole = line.pop_if(|last| *last == b'\n').is_some();
    Ok(Some((String::from_utf8_lossy(&line).into_owned(), is_whole)))
}

/// How long half of the flushes took at most, in ns.
pub(crate) fn p50_ns(times: &LatencyHistogram) -> Option<u64> {
    let p50: Duration = times.percentile(50.0)?;
    u64::try_from(p50.as_nanos()).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn armed(pages: u64) -> Armed {
        Armed {
            run: "01JDQ8ZZZZZZZZZZZZZZZZZZZZ".to_owned(),
            key: u64::MAX - 3,
            page_bytes: 8192,
            pages,
            first_byte: 1 << 20,
            flush_every: 16,
            path: "/mnt/a b/crash.iotrial".into(),
            is_device: false,
            devices: Vec::new(),
            host: "db01".to_owned(),
            boot_id: None,
            started_at: "2026-11-28T15:00:00Z".to_owned(),
            version: "1".to_owned(),
        }
    }

    fn entries() -> Vec<Entry> {
        vec![
            Entry::Begin(Box::new(armed(100))),
            Entry::Flushed { durable: 100, issued: 105, flush_ns: 0 },
            Entry::Flushed { durable: 105, issued: 106, flush_ns: 1_000 },
            Entry::Flushed { durable: 106, issued: 122, flush_ns: 3_000 },
        ]
    }

    fn text(entries: &[Entry]) -> String {
        let mut lines = Lines::default();
        entries.iter().map(|entry| lines.line(entry)).collect()
    }

    fn read(bytes: impl AsRef<[u8]>) -> Result<(u64, u64, u64), JournalError> {
        let journal = Journal::read(bytes.as_ref())?;
        Ok((journal.durable, journal.issued, journal.flushes))
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let journal = Journal::read(text(&entries()).as_bytes()).unwrap();
        assert_eq!(journal.armed, armed(100));
        assert_eq!((journal.durable, journal.issued, journal.flushes), (106, 122, 2));
        assert_eq!((journal.ended, journal.is_cut), (None, false));
        assert!(p50_ns(&journal.flush_times).is_some_and(|ns| (990..1_100).contains(&ns)));
        for how in ArmEnd::ALL.iter().copied() {
            let issued = if how == ArmEnd::Stopped { 106 } else { 122 };
            let mut entries = entries();
            entries.push(Entry::End { durable: 106, how });
            let journal = Journal::read(text(&entries).as_bytes()).unwrap();
            assert_eq!((journal.durable, journal.issued, journal.ended), (106, issued, Some(how)));
        }
    }

    #[test]
    fn a_journal_that_is_cut_at_any_byte_promises_what_its_whole_entries_say() {
        let text = text(&entries());
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for length in 0..=text.len() {
            let whole = ends.iter().filter(|end| **end <= length).count();
            let expected =
                [None, Some((100, 100, 0)), Some((100, 105, 0)), Some((105, 106, 1)), Some((106, 122, 2))];
            match (read(&text[..length]), whole) {
                (Err(JournalError::Empty), 0) => assert_eq!(length, 0),
                (Err(JournalError::NothingPromised), 0) => assert!(length > 0),
                (found, whole) => assert_eq!(Some(found.unwrap()), expected[whole], "{length}"),
            }
            // What a file system leaves behind the last entry that was flushed.
            for tail in [&[0; 4096][..], b"garbage\n\nmore", &[0xff; 10_000]] {
                let mut bytes = text.as_bytes()[..length].to_vec();
                if whole > 0 {
                    bytes.extend(tail);
                    assert_eq!(Some(read(bytes).unwrap()), expected[whole], "{length}");
                }
            }
        }
    }

    #[test]
    fn any_byte_that_is_wrong_before_the_last_entry_is_noticed() {
        let text = text(&entries());
        // Without the end of the line before it, which would make one line of the two.
        let last = text.trim_end().rfind('\n').unwrap();
        for at in 0..last {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(read(bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn entries_that_cannot_follow_each_other_are_refused() {
        let wrong = [
            Entry::Flushed { durable: 106, issued: 122, flush_ns: 1 },
            Entry::Flushed { durable: 121, issued: 123, flush_ns: 1 },
            Entry::Flushed { durable: 122, issued: 122, flush_ns: 1 },
            Entry::Flushed { durable: 122, issued: 139, flush_ns: 1 },
            Entry::End { durable: 122, how: ArmEnd::Stopped },
            Entry::End { durable: 105, how: ArmEnd::FlushFailed },
        ];
        for entry in wrong {
            let mut entries = entries();
            entries.push(entry.clone());
            assert!(matches!(read(text(&entries)), Err(JournalError::Contradicts { line: 5 })), "{entry:?}");
        }
        let mut entries = entries();
        entries.push(Entry::End { durable: 106, how: ArmEnd::Stopped });
        entries.push(Entry::Flushed { durable: 106, issued: 107, flush_ns: 1 });
        assert!(matches!(read(text(&entries)), Err(JournalError::Contradicts { line: 6 })));
        for change in [
            |armed: &mut Armed| armed.pages = 0,
            |armed: &mut Armed| armed.page_bytes = 0,
            |armed: &mut Armed| armed.page_bytes = 8_191,
            |armed: &mut Armed| armed.flush_every = 0,
            |armed: &mut Armed| armed.first_byte = u64::MAX,
            |armed: &mut Armed| armed.pages = u64::MAX,
        ] {
            let mut armed = armed(100);
            change(&mut armed);
            let text = text(&[Entry::Begin(Box::new(armed))]);
            assert!(matches!(read(text), Err(JournalError::Contradicts { line: 1 })));
        }
    }

    #[test]
    fn what_is_no_journal_or_one_of_a_later_version_is_told_apart() {
        assert!(matches!(read("{\"format\": \"iotrial.run/1\"}\n"), Err(JournalError::Foreign)));
        assert!(matches!(read([0; 4096]), Err(JournalError::Foreign)));
        assert!(matches!(read("it"), Err(JournalError::NothingPromised)));
        let newer = text(&entries()).replacen("itj1", "itj2", 1);
        assert!(matches!(read(newer), Err(JournalError::Newer { found: 2 })));
        // Two journals in one file, and a journal that goes on with the entries of another one.
        let other = text(&[
            Entry::Begin(Box::new(Armed { key: 1, ..armed(100) })),
            Entry::Flushed { durable: 100, issued: 103, flush_ns: 0 },
            Entry::Flushed { durable: 103, issued: 105, flush_ns: 0 },
        ]);
        let (begin, _) = other.split_once('\n').unwrap();
        let (_, of_first) =
            text(&entries()).split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let mixed = Journal::read(format!("{begin}\n{of_first}").as_bytes()).unwrap();
        assert!(mixed.is_cut && mixed.flushes == 0, "none of the entries is of this journal");
    }
}
